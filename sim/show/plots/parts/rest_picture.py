"""All rest poses of a part, side by side on their floor, numbered, with the centre of mass and what touches."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.patches import Polygon as Patch

from geometry.rest.rest_poses import RestPose
from geometry.shapes.outline import Outline
from geometry.shapes.polygon import Polygon
from geometry.shapes.pose import Pose
from sim.show.labels import as_typed
from sim.show.loops import make_path
from sim.show.palette import BRANCH_COLOURS
from sim.show.picture_options import PLAIN, PictureOptions
from sim.show.plot_file import check_plot_file, save_figure
from sim.show.replay.painter import FAINT, OBSTACLE_EDGE, OBSTACLE_FACE, TEXT
from sim.show.replay.view import choose_unit
from sim.study.rest_listing import RestListing

SPACE = 0.35  # of the size of the part, between two poses
DEEP = 0.12  # of the size, thickness of the floor that is drawn
WIDEST, HIGHEST, SHORTEST = 14.0, 9.0, 3.2  # inches
IN_A_PICTURE = 24  # poses; of a part with more the most probable are drawn, which the title says


def save_rest_picture(path, listing: RestListing, poses: tuple[RestPose, ...]) -> Path:
    """Write the picture to `path` (.png, .svg or .pdf). Raises PlotError."""
    file = check_plot_file(path)
    return save_figure(draw_rest(listing, poses, file.options), file)


def draw_rest(listing: RestListing, poses: tuple[RestPose, ...], options: PictureOptions = PLAIN) -> Figure:
    """The picture: along the floor, in the order of the poses; below each its number, share and margin."""
    shown = poses
    if len(poses) > IN_A_PICTURE:
        least = sorted((pose.share for pose in poses), reverse=True)[IN_A_PICTURE - 1]
        shown = tuple(pose for pose in poses if pose.share >= least)[:IN_A_PICTURE]
    outline = listing.outline
    outline = Outline.from_vertices(outline.vertices) if isinstance(outline, Polygon) else outline
    size = outline.size
    factor, unit = choose_unit(size)
    floor = Pose(0.0, 0.0, listing.slope)
    placed: list[tuple[float, Pose]] = []
    at = 0.0
    for rest in shown:
        low, high = outline.rotated(rest.theta - listing.slope).bounds[:, 0]
        foot = at - float(low)
        x, y = floor.transform([foot, rest.height])
        placed.append((foot, Pose(float(x), float(y), rest.theta)))
        at += float(high - low) + SPACE * size
    length = max(at - SPACE * size, size)
    ends = (-SPACE * size, length + SPACE * size)
    corners = floor.transform([[ends[0], 0.0], [ends[0], -DEEP * size], [ends[1], -DEEP * size], [ends[1], 0.0]])
    tops = np.concatenate([corners, *(outline.placed(pose).bounds for _, pose in placed)])
    low, high = tops.min(axis=0) - [0.0, 0.45 * size], tops.max(axis=0) + 0.1 * size
    figure, axes = _make_axes(low * factor, high * factor)
    axes.set_xlabel(f"x ({unit})", color=FAINT, fontsize=9)
    axes.add_patch(Patch(corners * factor, facecolor=OBSTACLE_FACE, edgecolor=OBSTACLE_EDGE, zorder=1))
    for k, (rest, (foot, pose)) in enumerate(zip(shown, placed, strict=True)):
        colour = BRANCH_COLOURS[k % len(BRANCH_COLOURS)]
        axes.add_patch(PathPatch(make_path(outline.placed(pose), factor), facecolor=colour, alpha=0.25, zorder=3))
        axes.add_patch(PathPatch(make_path(outline.placed(pose), factor), fill=False, edgecolor=colour, linewidth=1.6,
                                 zorder=4))
        axes.plot(pose.x * factor, pose.y * factor, "+", color=TEXT, markersize=10, markeredgewidth=1.4, zorder=5)
        touching = floor.transform([[foot + arm, 0.0] for arm in dict.fromkeys(rest.support)]) * factor
        axes.plot(*touching.T, "o", color=TEXT, markersize=4.5, zorder=6)
        place = floor.transform([foot + 0.5 * sum(outline.rotated(rest.theta - listing.slope).bounds[:, 0]),
                                 -1.5 * DEEP * size])
        axes.text(*(place * factor), _describe(rest), ha="center", va="top", fontsize=8.5, color=TEXT, zorder=7)
    many = "" if len(shown) == len(poses) else f", the {len(shown)} most probable"
    on = "a level floor" if not listing.slope else f"a slope of {math.degrees(listing.slope):.4g}°"
    if listing.slides:
        on += f", where it slides at friction {listing.mu:.4g}"
    title = f"{as_typed(listing.name)}: {len(poses)} rest pose{'' if len(poses) == 1 else 's'} on {on}{many}"
    heading = axes.set_title(title, color=TEXT, fontsize=11, fontweight="bold")
    options.put_title(heading)
    return figure


def _make_axes(low, high):
    """A figure whose one pair of axes shows the box from low to high, as large as fits."""
    width, height = high - low
    scale = min(WIDEST / width, HIGHEST / height)
    figure = Figure(figsize=(max(width * scale, 5.0) + 0.6, max(height * scale, SHORTEST) + 0.8), facecolor="white",
                    layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.set_aspect("equal")
    axes.set_xlim(low[0], high[0])
    axes.set_ylim(low[1], high[1])
    axes.tick_params(colors=FAINT, labelsize=8)
    return figure, axes


def _describe(pose: RestPose) -> str:
    name = "-" if pose.number is None else str(pose.number)
    theta = f"{math.degrees(pose.theta):.4g}°"
    if pose.span:
        theta += f" ± {math.degrees(0.5 * pose.span):.4g}°"
    margin = pose.margin.angle
    tips = "never tips" if math.isinf(margin) else f"tips at {math.degrees(margin):.3g}°"
    return f"rest {name}\n{theta}\nshare {pose.share:.3g}\n{tips}"
