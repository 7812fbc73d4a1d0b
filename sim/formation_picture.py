"""The poses of a contact formation in one picture: the part at each, the contacts, and the numbers of the features."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Polygon

from geometry.formation_check import Realisation
from geometry.formations import FormationPoses
from sim.draw import FAINT, OBSTACLE_EDGE, OBSTACLE_FACE, TEXT
from sim.formation import require_formation
from sim.plot_file import check_plot_file, save_figure
from sim.scene import Scene
from sim.view import choose_unit

COLOURS = ("#1F77B4", "#D55E00", "#009E73", "#AA3377")  # told apart by the colour-blind as well
HEIGHT = 5.6  # inches
MOST_NUMBERS = 16  # corners of an outline whose features are numbered


def save_formation_picture(path, scene: Scene, found: FormationPoses, checks: list[Realisation]) -> Path:
    """Write the picture to `path` (.png, .svg or .pdf). Raises PlotError."""
    path = check_plot_file(path)
    return save_figure(draw_formation(scene, found, checks), path)


def draw_formation(scene: Scene, found: FormationPoses, checks: list[Realisation]) -> Figure:
    """One panel a pose, with the same limits; a dashed outline is a pose that is not realised."""
    panels = max(len(found), 1)
    outlines = [pose.pose.transform(scene.workpiece.outline.vertices) for pose in found.poses]
    points = np.concatenate([*outlines, *(o.vertices for o in scene.obstacles)])
    low, high = points.min(axis=0), points.max(axis=0)
    # A far pose must not make all else a dot: obstacles and parts are shown up to three sizes of the part away.
    reach = 3.0 * scene.workpiece.outline.size
    centre = np.mean([o.vertices.mean(axis=0) for o in scene.obstacles], axis=0)
    low, high = np.maximum(low, centre - reach), np.minimum(high, centre + reach)
    margin = 0.05 * float((high - low).max())
    factor, unit = choose_unit(float((high - low).min()))
    ratio = float((high - low + 2 * margin)[0] / (high - low + 2 * margin)[1])
    width = min(max(panels * (HEIGHT - 1.4) * ratio + 0.9, 5.0), 14.0)
    figure = Figure(figsize=(width, HEIGHT), facecolor="white", layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(f"{scene.name}: {found.reason}", color=TEXT, fontsize=12, fontweight="bold")
    for k, axes in enumerate(np.atleast_1d(figure.subplots(1, panels, sharey=True))):
        axes.set_aspect("equal")
        axes.set_xlim((low[0] - margin) * factor, (high[0] + margin) * factor)
        axes.set_ylim((low[1] - margin) * factor, (high[1] + margin) * factor)
        axes.set_xlabel(f"x ({unit})", color=FAINT, fontsize=9)
        axes.tick_params(colors=FAINT, labelsize=8)
        for obstacle in scene.obstacles:
            axes.add_patch(Polygon(obstacle.vertices * factor, facecolor=OBSTACLE_FACE, edgecolor=OBSTACLE_EDGE,
                                   zorder=1))
            _number_features(axes, obstacle.vertices * factor, OBSTACLE_EDGE)
        if found.poses:
            _draw_pose(axes, scene, found, checks, k, factor)
    return figure


def _draw_pose(axes, scene: Scene, found: FormationPoses, checks, k: int, factor: float) -> None:
    colour, check, pose = COLOURS[k], checks[k], found.poses[k]
    for other, each in enumerate(found.poses):
        outline = each.pose.transform(scene.workpiece.outline.vertices) * factor
        if other != k:
            axes.add_patch(Polygon(outline, fill=False, edgecolor=COLOURS[other], linewidth=0.8, alpha=0.5, zorder=2))
            continue
        axes.add_patch(Polygon(outline, facecolor=colour, alpha=0.25, zorder=3))
        axes.add_patch(Polygon(outline, fill=False, edgecolor=colour, linewidth=1.6, zorder=4,
                               linestyle="-" if check.realised else (0, (4, 2))))
        _number_features(axes, outline, colour)
    formation = require_formation(scene)
    for number, (contact, point) in enumerate(zip(formation.contacts, check.points * factor, strict=True)):
        marker = "s" if contact.rolling else "o"
        good = check.within_edges[number]
        axes.plot(*point, marker, color=TEXT if good else "white", markeredgecolor=TEXT, markersize=6, zorder=6)
        axes.annotate(f"{number}: {contact.letters}", point, (9, 9), textcoords="offset points", fontsize=8.5,
                      color=TEXT, fontweight="bold", zorder=7,
                      bbox={"boxstyle": "round,pad=0.15", "fc": "white", "ec": "none", "alpha": 0.8})
    state = "realised" if check.realised else "not realised"
    axes.set_title(f"branch {k}: $\\theta$ = {np.degrees(pose.theta):.4g}°, {state}", color=colour, fontsize=10)


def _number_features(axes, outline: np.ndarray, colour: str) -> None:
    """Vertices as v0, v1, ... and edges as e0, e1, ..., just inside the outline."""
    n = len(outline)
    if n > MOST_NUMBERS:
        return
    following = np.roll(outline, -1, axis=0)
    along = following - outline
    length = np.hypot(along[:, 0], along[:, 1])
    normal = np.column_stack([-along[:, 1], along[:, 0]]) / length[:, None]  # inward
    step = 0.036 * float(np.ptp(axes.get_ylim()))
    for i in range(n):
        place = 0.5 * (outline[i] + following[i]) + 0.55 * step * normal[i]
        inward = normal[i] + normal[i - 1]
        # Along the bisector so far that both edges are equally far away.
        corner = outline[i] + 0.7 * step * inward / max(0.5 * float(inward @ inward), 0.3)
        for text, where in ((f"e{i}", place), (f"v{i}", corner)):
            axes.text(*where, text, fontsize=7, color=colour, ha="center", va="center", zorder=5, clip_on=True)
