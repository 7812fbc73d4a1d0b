"""The poses of a contact formation in one picture: the part at each, the contacts, the numbers of the features, and the
sheets of the cell over a motion."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch, Polygon

from geometry.shapes.features import compute_sweeps, compute_tangents
from geometry.shapes.outline import Outline
from geometry.shapes.polygon import Polygon as PolygonOutline
from geometry.shapes.pose import Pose
from sim.scene.formation_start import FormationListing
from sim.show.axis_words import describe_key
from sim.show.labels import as_typed
from sim.show.loops import make_path
from sim.show.palette import BRANCH_COLOURS
from sim.show.picture_options import PLAIN, PictureOptions
from sim.show.plot_file import check_plot_file, save_figure
from sim.show.replay.painter import FAINT, OBSTACLE_EDGE, OBSTACLE_FACE, TEXT
from sim.show.replay.view import choose_unit
from sim.study.formation_sheets import Sheet, SheetMotion, find_branch_rows

COLOURS = ("#1F77B4", "#D55E00", "#009E73", "#AA3377", "#E69F00", "#56B4E9")  # told apart by the colour-blind as well
HEIGHT, SHEETS_HEIGHT = 5.6, 3.6  # inches
SYMBOLS = ("x", "y", r"$\theta$")
LETTERS = 9  # of a title in an inch
LONGEST_TITLE = 400  # letters
MOST_NUMBERS = 16  # features of an outline that are numbered


def save_formation_picture(path, listing: FormationListing, motion: SheetMotion | None = None,
                           sheets: Sequence[Sheet] = ()) -> Path:
    """Write the picture to `path` (.png, .svg or .pdf). Raises PlotError."""
    file = check_plot_file(path)
    return save_figure(draw_formation(listing, motion, sheets, file.options), file)


def draw_formation(listing: FormationListing, motion: SheetMotion | None = None,
                   sheets: Sequence[Sheet] = (), options: PictureOptions = PLAIN) -> Figure:
    """One panel a pose, with the same limits; a dashed outline is a pose that is not realised. Below them, if a motion
    is given, theta, x and y over it. Raises PictureError for a label of another key."""
    options.check_labels([] if motion is None else [motion.key])
    found = listing.found
    panels = max(len(found), 1)
    outlines = [listing.outline.placed(pose.pose) for pose in found.poses]
    points = np.concatenate([each.bounds for each in (*outlines, *(o.shape for o in listing.obstacles))])
    low, high = points.min(axis=0), points.max(axis=0)
    # A far pose must not make all else a dot: obstacles and parts are shown up to three sizes of the part away.
    reach = 3.0 * listing.outline.size
    centre = np.mean([o.shape.features.start.mean(axis=0) for o in listing.obstacles], axis=0)
    low, high = np.maximum(low, centre - reach), np.minimum(high, centre + reach)
    margin = 0.05 * float((high - low).max())
    length = factor, unit = choose_unit(listing.outline.size)  # one unit of length in the whole picture
    ratio = float((high - low + 2 * margin)[0] / (high - low + 2 * margin)[1])
    width = min(max(panels * (HEIGHT - 1.4) * ratio + 0.9, 5.0 if motion is None else 9.0), 14.0)
    figure = Figure(figsize=(width, HEIGHT + (0.0 if motion is None else SHEETS_HEIGHT)), facecolor="white",
                    layout="constrained")
    FigureCanvasAgg(figure)
    upper = figure
    if motion is not None:
        upper, lower = figure.subfigures(2, 1, height_ratios=(HEIGHT, SHEETS_HEIGHT))
        _draw_sheets(lower, motion, sheets, length, options)
    title = as_typed(f"{listing.name}: {found.reason}", LONGEST_TITLE)
    heading = upper.suptitle(textwrap.fill(title, int(LETTERS * width)), color=TEXT, fontsize=12, fontweight="bold")
    options.put_title(heading)
    for k, axes in enumerate(np.atleast_1d(upper.subplots(1, panels, sharey=True))):
        axes.set_aspect("equal")
        axes.set_xlim((low[0] - margin) * factor, (high[0] + margin) * factor)
        axes.set_ylim((low[1] - margin) * factor, (high[1] + margin) * factor)
        axes.set_xlabel(f"x ({unit})", color=FAINT, fontsize=9)
        axes.set_ylabel(f"y ({unit})" if k == 0 else "", color=FAINT, fontsize=9)
        axes.tick_params(colors=FAINT, labelsize=8)
        for obstacle in listing.obstacles:
            _add_outline(axes, obstacle.shape, factor, facecolor=OBSTACLE_FACE, edgecolor=OBSTACLE_EDGE, zorder=1)
            _number_features(axes, obstacle.shape, factor, OBSTACLE_EDGE)
        if found.poses:
            _draw_pose(axes, listing, k, factor)
    return figure


def _draw_sheets(figure, motion: SheetMotion, sheets: Sequence[Sheet], length: tuple[float, str],
                 options: PictureOptions) -> None:
    """theta, x and y of every sheet over the motion: full lines where realised, dashed where not."""
    across = (180.0 / np.pi, "°") if motion.coordinate == 2 else length
    below = f"{describe_key(motion.key, across[1], options)}; dotted: as in the scene"
    figure.supxlabel(below, color=FAINT, fontsize=9)
    if not sheets:
        ends = " to ".join(f"{value * across[0]:.6g}" for value in motion.values[[0, -1]])
        figure.text(0.5, 0.5, f"no sheet: no single pose from {ends} {across[1]}", color=TEXT, ha="center")
        return
    colours = _choose_colours(sheets)
    for axes, coordinate in zip(figure.subplots(1, 3), (2, 0, 1), strict=True):
        up = (180.0 / np.pi, "°") if coordinate == 2 else length
        for sheet, colour in zip(sheets, colours, strict=True):
            for track, style in ((sheet.track, {"linestyle": (0, (4, 2)), "linewidth": 1.2}),
                                 *((part, {"linestyle": "-", "linewidth": 2.4}) for part in sheet.realised)):
                axes.plot(track.times * across[0], track.poses[:, coordinate] * up[0], color=colour, **style)
            for row in find_branch_rows(sheet.track):
                axes.plot(sheet.track.times[row] * across[0], sheet.track.poses[row, coordinate] * up[0], "o",
                          color="white", markeredgecolor=TEXT, markersize=6, zorder=5)
        if motion.values[0] <= motion.present <= motion.values[-1]:
            axes.axvline(motion.present * across[0], color=FAINT, linewidth=0.8, linestyle=":")
        axes.set_title(f"{SYMBOLS[coordinate]} ({up[1]})", color=TEXT, fontsize=10)
        axes.set_xlim(motion.values[0] * across[0], motion.values[-1] * across[0])
        axes.tick_params(colors=FAINT, labelsize=8)
    handles = [Line2D([], [], color=TEXT, linewidth=2.4, label="realised"),
               Line2D([], [], color=TEXT, linewidth=1.2, linestyle=(0, (4, 2)), label="not realised"),
               Line2D([], [], color="white", marker="o", markeredgecolor=TEXT, label="branch point")]
    figure.legend(handles=handles, loc="outside upper center", ncols=3, fontsize=9, frameon=False)


def _choose_colours(sheets: Sequence[Sheet]) -> list[str]:
    """That of the pose of the scene that lies on the sheet; for the other sheets colours that no pose has."""
    taken = {COLOURS[sheet.branch] for sheet in sheets if sheet.branch is not None}
    free = cycle([colour for colour in (*COLOURS, *BRANCH_COLOURS[3:]) if colour not in taken])
    return [next(free) if sheet.branch is None else COLOURS[sheet.branch] for sheet in sheets]


def _draw_pose(axes, listing: FormationListing, k: int, factor: float) -> None:
    colour, check, pose = COLOURS[k], listing.checks[k], listing.found.poses[k]
    for other, each in enumerate(listing.found.poses):
        outline = listing.outline.placed(each.pose)
        if other != k:
            _add_outline(axes, outline, factor, fill=False, edgecolor=COLOURS[other], linewidth=0.8, alpha=0.5,
                         zorder=2)
            continue
        _add_outline(axes, outline, factor, facecolor=colour, alpha=0.25, zorder=3)
        _add_outline(axes, outline, factor, fill=False, edgecolor=colour, linewidth=1.6, zorder=4,
                     linestyle="-" if check.realised else (0, (4, 2)))
        _number_features(axes, outline, factor, colour)
    for number, (contact, point) in enumerate(zip(listing.formation.contacts, check.points * factor, strict=True)):
        marker = "s" if contact.rolling else "o"
        good = check.within_edges[number]
        axes.plot(*point, marker, color=TEXT if good else "white", markeredgecolor=TEXT, markersize=6, zorder=6)
        axes.annotate(f"{number}: {contact.letters}", point, (9, 9), textcoords="offset points", fontsize=8.5,
                      color=TEXT, fontweight="bold", zorder=7,
                      bbox={"boxstyle": "round,pad=0.15", "fc": "white", "ec": "none", "alpha": 0.8})
    state = "realised" if check.realised else "not realised"
    axes.set_title(f"branch {k}: $\\theta$ = {np.degrees(pose.theta):.4g}°, {state}", color=colour, fontsize=10)


def _add_outline(axes, outline: PolygonOutline | Outline, factor: float, **style) -> None:
    """The outline, filled or not; arcs as arcs."""
    if isinstance(outline, PolygonOutline):
        axes.add_patch(Polygon(outline.vertices * factor, **style))
    else:
        axes.add_patch(PathPatch(make_path(outline, factor), **style))


def _number_features(axes, outline: PolygonOutline | Outline, factor: float, colour: str) -> None:
    """Corners as v0, v1, ..., edges as e0, e1, ..., arcs as a0, a1, ..., by the numbers of the outline, just inside."""
    features, n = outline.features, len(outline)
    if n > MOST_NUMBERS:
        return
    straight = isinstance(outline, PolygonOutline)
    previous = np.roll(np.arange(n), 1) if straight else outline.previous
    corner = np.ones(n, dtype=bool) if straight else outline.corner
    step = 0.036 * float(np.ptp(axes.get_ylim()))
    # normals into the solid, which is to the left of the directions of travel
    leaving, arriving = (np.column_stack([-along[:, 1], along[:, 0]]) for along in compute_tangents(features))
    for i, half in enumerate(0.5 * features.sign * compute_sweeps(features)):
        if features.sign[i]:
            spoke = features.start[i] - features.centre[i]
            middle = features.centre[i] + Pose(0.0, 0.0, half).rotate(spoke)
            inward = Pose(0.0, 0.0, half).rotate(leaving[i])
        else:
            middle, inward = 0.5 * (features.start[i] + features.end[i]), leaving[i]
        words = [("a" if features.sign[i] else "e", middle * factor + 0.55 * step * inward)]
        if corner[i]:
            both = leaving[i] + arriving[previous[i]]
            # Along the bisector so far that both sides are equally far away.
            words.append(("v", features.start[i] * factor + 0.7 * step * both / max(0.5 * float(both @ both), 0.3)))
        for letter, where in words:
            axes.text(*where, f"{letter}{i}", fontsize=7, color=colour, ha="center", va="center", zorder=5,
                      clip_on=True)
