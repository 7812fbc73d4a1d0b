"""A plan of squeezes: a row for each squeeze, in it every orientation that the part may have, between the jaws."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.patches import Polygon as Patch

from geometry.rest.squeezing import Squeeze, SqueezePlan
from geometry.shapes.outline import Outline
from geometry.shapes.polygon import Polygon
from geometry.shapes.pose import Pose
from sim.scene.build_outline import AnyOutline
from sim.show.labels import as_typed
from sim.show.palette import BRANCH_COLOURS
from sim.show.picture_options import PLAIN, PictureOptions
from sim.show.plot_file import check_plot_file, save_figure
from sim.show.plots.parts.outline_picture import make_path
from sim.show.replay.painter import OBSTACLE_EDGE, OBSTACLE_FACE, TEXT

CELL = 1.9  # inches, of one orientation
IN_A_ROW = 8  # orientations that are drawn of one squeeze
DEEP = 0.1  # of the size of the part, thickness of a jaw


def save_squeeze_picture(path, plan: SqueezePlan, outline: AnyOutline, name: str) -> Path:
    """Write the picture to `path` (.png, .svg or .pdf). Raises PlotError."""
    file = check_plot_file(path)
    return save_figure(draw_squeezes(plan, outline, name, file.options), file)


def draw_squeezes(plan: SqueezePlan, outline: AnyOutline, name: str, options: PictureOptions = PLAIN) -> Figure:
    """The picture; orientations that differ by the period of the plan are drawn once."""
    outline = Outline.from_vertices(outline.vertices) if isinstance(outline, Polygon) else outline
    outline = outline.translated(*(-outline.centroid))
    columns = min(max(len(squeeze.thetas) for squeeze in plan.squeezes), IN_A_ROW)
    rows = len(plan.squeezes)
    figure = Figure(figsize=(max(CELL * columns, 4.5) + 0.2, (CELL + 0.35) * rows + 0.6), facecolor="white",
                    layout="constrained")
    FigureCanvasAgg(figure)
    grid = figure.subplots(rows, columns, squeeze=False)
    half = math.hypot(0.5, 0.5 + DEEP) * outline.size  # a jaw's corner is no farther from the middle
    for k, squeeze in enumerate(plan.squeezes):
        for axes, theta in zip(grid[k], squeeze.thetas, strict=False):
            _draw_squeeze(axes, outline, squeeze, theta, BRANCH_COLOURS[k % len(BRANCH_COLOURS)])
        for axes in grid[k]:
            axes.set_aspect("equal")
            axes.set_xlim(-half, half)
            axes.set_ylim(-half, half)
            axes.axis("off")
        grid[k][0].set_title(_describe(k, squeeze), color=TEXT, fontsize=8.5, loc="left")
    heading = figure.suptitle(f"{as_typed(name)}: {rows} squeeze{'' if rows == 1 else 's'}, up to "
                              f"{math.degrees(plan.period):.4g}°", color=TEXT, fontsize=11, fontweight="bold")
    options.put_title(heading)
    return figure


def _draw_squeeze(axes, outline: Outline, squeeze: Squeeze, theta: float, colour: str) -> None:
    """The part and the jaws that have closed on it."""
    jaws = Pose(0.0, 0.0, squeeze.angle)
    low, high = outline.rotated(theta - squeeze.angle).bounds
    x, y = jaws.rotate(-0.5 * (low + high))
    path = make_path(outline.placed(Pose(float(x), float(y), theta)), 1.0)
    axes.add_patch(PathPatch(path, facecolor=colour, alpha=0.25, zorder=3))
    axes.add_patch(PathPatch(path, fill=False, edgecolor=colour, linewidth=1.5, zorder=4))
    width, across = 0.5 * float(high[0] - low[0]), 0.5 * outline.size
    for way in (-1.0, 1.0):
        face, back = way * width, way * (width + DEEP * outline.size)
        corners = np.array([[face, -across], [back, -across], [back, across], [face, across]])
        axes.add_patch(Patch(jaws.transform(corners), facecolor=OBSTACLE_FACE, edgecolor=OBSTACLE_EDGE, zorder=2))
    axes.text(0.5, 0.0, f"{math.degrees(theta):.4g}°", transform=axes.transAxes, ha="center", va="top", fontsize=8,
              color=TEXT)


def _describe(k: int, squeeze: Squeeze) -> str:
    n = len(squeeze.thetas)
    left = f"{n} orientation{'' if n == 1 else 's'} left" + (f", {IN_A_ROW} drawn" if n > IN_A_ROW else "")
    if k == 0:
        return f"1. squeeze: {left}"
    return (f"{k + 1}. turn by {math.degrees(squeeze.turn):.4g}° ± {math.degrees(squeeze.slack):.3g}°, squeeze: {left}")
