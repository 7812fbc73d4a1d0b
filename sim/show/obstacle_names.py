"""Names on obstacles: in the middle of the widest place of what is seen of each, one below the other where they meet.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import shapely
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke

from geometry.shapes.outline import Outline
from geometry.shapes.polygon import Polygon
from sim.log.bodies import BodyRecord
from sim.show.labels import as_typed
from sim.show.loops import cut_loops, find_chord_tolerance, trace_loops
from sim.show.measure import measure_text

LONGEST = 32  # characters of a name that are shown
MOST = 60  # names; of more obstacles those of the first
SIZE, LINE = 8.0, 1.3  # points; height of a line in sizes
ROOM = 0.6  # sizes, beside a name
MOST_MOVES = 12  # lines by which a name gives way
NEARLY = 0.8  # of the largest circle: where one of that size fits a name can stand
ASIDE = np.array([0.16, 0.5])  # of the window: the place that a name goes to, if it can
INSIDE = 0.01  # widest places are found to this share of the window
HALO = [withStroke(linewidth=2.2, foreground="white")]


class NamePainter:
    """Writes names onto obstacles; `show(time, low, high)` moves them to another time, in a window with these corners
    (m)."""

    def __init__(self, axes: Axes, bodies: Sequence[BodyRecord], factor: float):
        """factor: from metres to the unit of the axes."""
        self._axes, self._factor = axes, factor
        self._bodies = tuple(bodies)[:MOST]
        self._texts = [axes.text(0.0, 0.0, as_typed(body.name, LONGEST), fontsize=SIZE, color="#4A463F", ha="center",
                                 va="center", zorder=7.5, clip_on=True, path_effects=HALO) for body in self._bodies]
        self._corners: tuple | None = None
        self._places: list[np.ndarray | None] = [None] * len(self._bodies)

    def moving_artists(self) -> list[Artist]:
        """What changes from picture to picture: all, for one that moves may push others aside."""
        return list(self._texts) if any(body.motion is not None for body in self._bodies) else []

    def show(self, time: float, low: np.ndarray, high: np.ndarray) -> None:
        """Write the names of what is in the window at a time [s]."""
        corners, is_new = (*low, *high), (*low, *high) != self._corners
        self._corners = corners
        for k, body in enumerate(self._bodies):
            if is_new or body.motion is not None:
                metres = self._measure_point(low, high)
                room = self._measure_half(k, metres) + ROOM * SIZE * metres
                self._places[k] = find_middle(body.place(time), low, high, room)
        self._spread(low, high)

    def _measure_point(self, low: np.ndarray, high: np.ndarray) -> float:
        """Metres in a point of the page."""
        box = self._axes.get_window_extent()
        figure = self._axes.get_figure(root=True)
        assert figure is not None
        return float((high - low)[1] / (box.height / figure.dpi * 72.0))

    def _measure_half(self, k: int, metres: float) -> float:
        """Half of the width of a name, m."""
        text = self._texts[k]
        return 0.5 * measure_text(text.get_text(), text.get_fontproperties()) * metres

    def _spread(self, low: np.ndarray, high: np.ndarray) -> None:
        """Put the texts to their places; one that would lie on another goes down line by line."""
        metres = self._measure_point(low, high)
        taken: list[tuple[np.ndarray, float]] = []
        for k, (text, place) in enumerate(zip(self._texts, self._places, strict=True)):
            text.set_visible(place is not None)
            if place is None:
                continue
            half = self._measure_half(k, metres)
            step = LINE * SIZE * metres
            at = place.copy()
            for _ in range(MOST_MOVES):
                if all(abs(at[1] - other[1]) >= 0.99 * step or abs(at[0] - other[0]) >= half + own
                       for other, own in taken):
                    break
                at[1] -= step
            taken.append((at, half))
            text.set_position((float(at[0]) * self._factor, float(at[1]) * self._factor))


def find_middle(outline: Polygon | Outline, low: np.ndarray, high: np.ndarray, half: float = 0.0) -> np.ndarray | None:
    """(2,): a wide place of what a window shows of an outline, for a name of which half is `half` m wide, and which
    does not stand out at its side if it fits between its sides; None if it shows nothing."""
    loops = cut_loops(trace_loops(outline, find_chord_tolerance(high - low), low, high), low, high)
    if not loops:
        return None
    shape: Any = shapely.make_valid(shapely.Polygon(loops[0], loops[1:]))
    shape = max(shapely.get_parts(shape), key=lambda part: part.area, default=None)
    if shape is None or shape.area <= 0.0:
        return loops[0].mean(axis=0)
    circle = shapely.maximum_inscribed_circle(shape, INSIDE * float(np.min(high - low)))
    radius = float(shapely.length(circle))
    # of a long outline, all along which the circle is nearly as large, the place at the side: the part is in the middle
    wide = shapely.buffer(shape, -NEARLY * radius)
    aside = shapely.Point(low + ASIDE * (high - low))
    left, _, right, _ = shapely.bounds(shape)
    between = shapely.box(left + half, low[1], right - half, high[1]) if right - left > 2.0 * half else wide
    wide = wide if shapely.intersection(wide, between).is_empty else shapely.intersection(wide, between)
    return shapely.get_coordinates(shapely.shortest_line(wide, aside))[0] if not wide.is_empty else (
        shapely.get_coordinates(circle)[0])
