"""Regions over two axes with their exact boundaries."""

from __future__ import annotations

from collections.abc import Mapping

from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection

from sim.sweep.refine.tracing import Tracing

BOUNDARY = "#1A1A1A"


def draw_regions(axes: Axes, tracing: Tracing, sheet: int, colours: Mapping[str, str], is_turned: bool = False,
                 hatches: Mapping[str, str] | None = None) -> None:
    """Paint the regions of a sheet and draw their boundaries; those of words without a colour are left out. is_turned:
    the first axis of the tracing goes up."""
    order = slice(None, None, -1 if is_turned else 1)
    polygons: dict[str, list] = {}
    for word, vertices in tracing.list_polygons(sheet):
        polygons.setdefault(word, []).append(vertices[:, order])
    for word, own in polygons.items():
        if word not in colours:
            continue
        hatch = (hatches or {}).get(word)
        axes.add_collection(PolyCollection(own, facecolors=colours[word], linewidths=0.0, antialiaseds=False, zorder=2,
                                           rasterized=True, hatch=hatch), autolim=False)
    lines = tracing.segments[tracing.regions.segments["sheet"] == sheet][:, :, order]
    axes.add_collection(LineCollection(lines, colors=BOUNDARY, linewidths=1.0, capstyle="round", zorder=3),
                        autolim=False)
