"""A plan of tilts: the starts, and after each tilt all poses in which the part may lie, with the way gravity pulls."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch

from geometry.shapes.outline import Outline
from geometry.shapes.polygon import Polygon
from geometry.shapes.pose import Pose
from sim.feeding.tilt_plan import TiltPlan
from sim.scene.build_outline import AnyOutline
from sim.show.labels import as_typed
from sim.show.palette import BRANCH_COLOURS
from sim.show.picture_options import PLAIN, PictureOptions
from sim.show.plot_file import check_plot_file, save_figure
from sim.show.plots.parts.outline_picture import make_path
from sim.show.replay.painter import FAINT, OBSTACLE_EDGE, OBSTACLE_FACE, TEXT

PANEL = 2.9  # inches, width of the picture of one tilt
IN_A_ROW = 4  # panels
ROOM = 0.04  # of the size of the tray, around it
FEW = 8  # poses that are drawn with thick lines
ARROW = 0.22  # of the smaller side of the tray, length of the arrow of gravity


def save_tilt_picture(path, plan: TiltPlan) -> Path:
    """Write the picture to `path` (.png, .svg or .pdf). Raises PlotError."""
    file = check_plot_file(path)
    return save_figure(draw_tilts(plan, file.options), file)


def draw_tilts(plan: TiltPlan, options: PictureOptions = PLAIN) -> Figure:
    """The picture: a panel for the starts, and one for each tilt."""
    shapes = [_take_outline(obstacle.shape) for obstacle in plan.scene.obstacles]
    bounds = np.concatenate([shape.bounds for shape in shapes])
    low, high = bounds.min(axis=0), bounds.max(axis=0)
    margin = ROOM * float(np.hypot(*(high - low)))
    low, high = low - margin, high + margin
    panels = 1 + len(plan.tilts)
    columns = min(panels, IN_A_ROW)
    rows = math.ceil(panels / columns)
    height = PANEL * float(np.clip((high - low)[1] / (high - low)[0], 0.3, 2.0)) + 0.35
    figure = Figure(figsize=(PANEL * columns + 0.2, height * rows + 0.5), facecolor="white", layout="constrained")
    FigureCanvasAgg(figure)
    grid = figure.subplots(rows, columns, squeeze=False).ravel()
    for axes in grid:
        axes.set_aspect("equal")
        axes.set_xlim(low[0], high[0])
        axes.set_ylim(low[1], high[1])
        axes.axis("off")
    part = _take_outline(plan.scene.workpiece.outline)
    starts = [Pose(*start) for start in plan.starts]
    _draw_panel(grid[0], shapes, part, starts, FAINT)
    grid[0].set_title(f"{len(starts)} starts", color=TEXT, fontsize=9)
    for k, (axes, tilt) in enumerate(zip(grid[1:], plan.tilts, strict=False), start=1):
        poses = [Pose(*pose.pose) for pose in tilt.poses]
        _draw_panel(axes, shapes, part, poses, BRANCH_COLOURS[(k - 1) % len(BRANCH_COLOURS)])
        _draw_arrow(axes, tilt.angle, low, high)
        word = "pose" if all(pose.fixed for pose in tilt.poses) else "place"  # a place stands for those beside it
        many = f"{len(poses)} {word}{'' if len(poses) == 1 else 's'}"
        axes.set_title(f"{k}. {math.degrees(tilt.angle):.4g}°: {many}", color=TEXT, fontsize=9)
    title = f"{as_typed(plan.scene.name)}: {len(plan.tilts)} tilt{'' if len(plan.tilts) == 1 else 's'}"
    heading = figure.suptitle(title, color=TEXT, fontsize=11, fontweight="bold")
    options.put_title(heading)
    return figure


def _take_outline(outline: AnyOutline) -> Outline:
    return Outline.from_vertices(outline.vertices) if isinstance(outline, Polygon) else outline


def _draw_panel(axes, shapes: list[Outline], part: Outline, poses: list[Pose], colour: str) -> None:
    """The tray and the part in all poses, the fainter the more there are."""
    for shape in shapes:
        axes.add_patch(PathPatch(make_path(shape, 1.0), facecolor=OBSTACLE_FACE, edgecolor=OBSTACLE_EDGE, zorder=1))
    faint, width = max(0.35 / len(poses), 0.02), 1.4 if len(poses) < FEW else 0.6
    for pose in poses:
        path = make_path(part.placed(pose), 1.0)
        axes.add_patch(PathPatch(path, facecolor=colour, alpha=faint, edgecolor="none", zorder=2))
        axes.add_patch(PathPatch(path, fill=False, edgecolor=colour, linewidth=width, zorder=3))


def _draw_arrow(axes, angle: float, low: np.ndarray, high: np.ndarray) -> None:
    """The direction of gravity, in the middle of the tray."""
    middle, length = 0.5 * (low + high), ARROW * float((high - low).min())
    way = 0.5 * length * np.array([math.cos(angle), math.sin(angle)])
    axes.annotate("", middle + way, middle - way, zorder=5,
                  arrowprops={"arrowstyle": "-|>", "color": TEXT, "linewidth": 1.6, "shrinkA": 0, "shrinkB": 0})
