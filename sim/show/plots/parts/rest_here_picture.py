"""All rest poses of a part among the obstacles of its scene, numbered, a panel for each that lies on an earlier one."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch

from geometry.shapes.outline import Outline
from sim.show.labels import as_typed
from sim.show.loops import make_path
from sim.show.palette import BRANCH_COLOURS
from sim.show.picture_options import PLAIN, PictureOptions
from sim.show.plot_file import check_plot_file, save_figure
from sim.show.replay.painter import FAINT, OBSTACLE_EDGE, OBSTACLE_FACE, TEXT
from sim.show.replay.view import choose_unit
from sim.study.rest_here import HereListing, HerePose, as_outline

WIDE = 4.2  # inches, a panel
IN_A_ROW = 3
MOST_PANELS = 12
ROOM = 0.04  # of the size of what is shown, around it


def save_rest_here_picture(path, listing: HereListing, poses: tuple[HerePose, ...]) -> Path:
    """Write the picture to `path` (.png, .svg or .pdf). Raises PlotError."""
    file = check_plot_file(path)
    return save_figure(draw_rest_here(listing, poses, file.options), file)


def draw_rest_here(listing: HereListing, poses: tuple[HerePose, ...], options: PictureOptions = PLAIN) -> Figure:
    """The picture: each pose in the first panel where it covers no other one, with its range of sliding as a line."""
    shapes = [as_outline(obstacle.shape) for obstacle in listing.scene.obstacles]
    panels = _deal([(pose, listing.outline.placed(pose.pose)) for pose in poses])
    shown, left_out = panels[:MOST_PANELS], sum(map(len, panels[MOST_PANELS:]))
    bounds = np.concatenate([shape.bounds for shape in [*shapes, *(part for panel in shown for _, part in panel)]])
    low, high = bounds.min(axis=0), bounds.max(axis=0)
    margin = ROOM * float(np.hypot(*(high - low)))
    low, high = low - margin, high + margin
    factor, unit = choose_unit(float(np.hypot(*(high - low))))
    columns = min(len(shown), IN_A_ROW)
    rows = math.ceil(len(shown) / columns)
    tall = WIDE * float(np.clip((high - low)[1] / (high - low)[0], 0.3, 1.6)) + 0.4
    figure = Figure(figsize=(WIDE * columns + 0.4, tall * rows + 0.6), facecolor="white", layout="constrained")
    FigureCanvasAgg(figure)
    grid = figure.subplots(rows, columns, squeeze=False).ravel()
    for axes in grid[len(shown):]:
        axes.axis("off")
    for axes, panel in zip(grid, shown, strict=False):
        axes.set_aspect("equal")
        axes.set_xlim(low[0] * factor, high[0] * factor)
        axes.set_ylim(low[1] * factor, high[1] * factor)
        axes.tick_params(colors=FAINT, labelsize=7)
        axes.set_xlabel(f"x ({unit})", color=FAINT, fontsize=8)
        _draw_panel(axes, shapes, panel, listing.down, factor)
    more = f", {left_out} of them not drawn" if left_out else ""
    many = f"{len(poses)} rest pose{'' if len(poses) == 1 else 's'}"
    title = f"{as_typed(listing.scene.name)}: {many} among its obstacles{more}"
    heading = figure.suptitle(title, color=TEXT, fontsize=11, fontweight="bold")
    options.put_title(heading)
    return figure


def _deal(placed: list[tuple[HerePose, Outline]]) -> list[list[tuple[HerePose, Outline]]]:
    """Poses to panels, so that no boxes of one panel meet; at least one panel."""
    panels: list[list[tuple[HerePose, Outline]]] = [[]]
    for pose, part in placed:
        low, high = part.bounds
        free = next((panel for panel in panels if not any(
            (low < other.bounds[1]).all() and (other.bounds[0] < high).all() for _, other in panel)), None)
        if free is None:
            free = []
            panels.append(free)
        free.append((pose, part))
    return panels


def _draw_panel(axes, shapes: list[Outline], panel, down: float, factor: float) -> None:
    for shape in shapes:
        axes.add_patch(PathPatch(make_path(shape, factor), facecolor=OBSTACLE_FACE, edgecolor=OBSTACLE_EDGE, zorder=1))
    right = np.array([-math.sin(down), math.cos(down)])
    for rest, part in panel:
        colour = BRANCH_COLOURS[rest.number % len(BRANCH_COLOURS)]
        path = make_path(part, factor)
        axes.add_patch(PathPatch(path, facecolor=colour, alpha=0.25, edgecolor="none", zorder=2))
        axes.add_patch(PathPatch(path, fill=False, edgecolor=colour, linewidth=1.5, zorder=3))
        centre = np.array([rest.pose.x, rest.pose.y])
        if any(rest.slide):
            ends = np.array([centre - rest.slide[0] * right, centre + rest.slide[1] * right]) * factor
            axes.plot(*ends.T, "-", color=colour, linewidth=1.2, marker="|", markersize=7, zorder=4)
        axes.plot(*(centre * factor), "+", color=TEXT, markersize=8, markeredgewidth=1.3, zorder=5)
        axes.annotate(str(rest.number), centre * factor, (5, 4), textcoords="offset points", fontsize=9, color=TEXT,
                      fontweight="bold", zorder=6)
    axes.set_title(", ".join(f"{rest.number}: {math.degrees(rest.pose.theta):.4g}°" for rest, _ in panel), color=TEXT,
                   fontsize=8)
