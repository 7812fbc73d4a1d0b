"""An outline of edges and arcs: filled, its features numbered, corners and smooth joints told apart."""

from __future__ import annotations

import math
from pathlib import Path as FilePath

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch

from geometry.shapes.outline import Outline
from sim.show.labels import as_typed
from sim.show.loops import make_path, trace_feature
from sim.show.palette import BRANCH_COLOURS
from sim.show.picture_options import PLAIN, PictureOptions
from sim.show.plot_file import check_plot_file, save_figure
from sim.show.replay.painter import FAINT, TEXT
from sim.show.replay.view import choose_unit

COLOURS = {0: TEXT, 1: BRANCH_COLOURS[0], -1: BRANCH_COLOURS[1]}
WORDS = {0: "edge", 1: "convex arc", -1: "concave arc"}
FACE = "#E6EEF5"
LONGER, SHORTEST = 8.0, 3.6  # inches
MOST_NUMBERS = 64  # features that get a number; of more every second, third and so on does
ROOM = 0.06  # of the size, around the outline


def save_outline_picture(path, outline: Outline, name: str) -> FilePath:
    """Write the picture to `path` (.png, .svg or .pdf). Raises PlotError."""
    file = check_plot_file(path)
    return save_figure(draw_outline(outline, name, file.options), file)


def draw_outline(outline: Outline, name: str, options: PictureOptions = PLAIN) -> Figure:
    """The picture; lengths in a unit that suits the size."""
    low, high = outline.bounds
    extent = high - low
    margin = ROOM * float(extent.max())
    factor, unit = choose_unit(float(extent.max()))
    width, height = (max(LONGER * float(side + 2.0 * margin) / float(extent.max() + 2.0 * margin), SHORTEST)
                     for side in extent)
    figure = Figure(figsize=(max(width, 6.0) + 0.6, height + 1.2), facecolor="white", layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.set_aspect("equal")
    axes.set_xlim((low[0] - margin) * factor, (high[0] + margin) * factor)
    axes.set_ylim((low[1] - margin) * factor, (high[1] + margin) * factor)
    axes.set_xlabel(f"x ({unit})", color=FAINT, fontsize=9)
    axes.set_ylabel(f"y ({unit})", color=FAINT, fontsize=9)
    axes.tick_params(colors=FAINT, labelsize=8)
    axes.add_patch(PathPatch(make_path(outline, factor), facecolor=FACE, edgecolor="none", zorder=1))
    for k in range(len(outline)):
        axes.add_patch(PathPatch(trace_feature(outline, k, factor), fill=False, edgecolor=COLOURS[int(outline.sign[k])],
                                 linewidth=1.6, zorder=3, capstyle="round"))
    _draw_joints(axes, outline, factor)
    step = math.ceil(len(outline) / MOST_NUMBERS)
    for k in range(0, len(outline), step):
        _number(axes, outline, k, factor)
    axes.plot(*(outline.centroid * factor), "+", color=TEXT, markersize=12, markeredgewidth=1.4, zorder=4)
    every = "" if step == 1 else f", one feature in {step} numbered"
    holes = outline.n_loops - 1
    counts = f"{len(outline)} features, {holes} hole{'' if holes == 1 else 's'}{every}"
    heading = axes.set_title(f"{as_typed(name)}: {counts}", color=TEXT, fontsize=11, fontweight="bold")
    options.put_title(heading)
    figure.legend(handles=_list_handles(outline), loc="outside lower center", ncols=6, fontsize=8.5, frameon=False)
    return figure


def _draw_joints(axes, outline: Outline, factor: float) -> None:
    joint = outline.next != np.arange(len(outline))
    for rows, face in ((outline.corner & joint, TEXT), (~outline.corner & joint, "white")):
        axes.plot(*(outline.start[rows] * factor).T, "o", color=face, markeredgecolor=TEXT, markersize=4.5, zorder=5)


def _number(axes, outline: Outline, k: int, factor: float) -> None:
    """The number of a feature outside of its middle, off the solid."""
    if outline.sign[k] == 0:
        middle = 0.5 * (outline.start[k] + outline.end[k])
        along = (outline.end[k] - outline.start[k]) / outline.length[k]
        away = np.array([along[1], -along[0]])
    else:
        half = outline.sign[k] * outline.sweep[k] / 2.0
        c, s = math.cos(half), math.sin(half)
        arm = outline.start[k] - outline.centre[k]
        arm = np.array([c * arm[0] - s * arm[1], s * arm[0] + c * arm[1]])
        middle, away = outline.centre[k] + arm, outline.sign[k] * arm / outline.radius[k]
    axes.annotate(str(k), middle * factor, away * 11.0, textcoords="offset points", ha="center", va="center",
                  fontsize=8, color=COLOURS[int(outline.sign[k])], zorder=6)


def _list_handles(outline: Outline) -> list[Line2D]:
    handles = [Line2D([], [], color=COLOURS[sign], linewidth=1.6, label=WORDS[sign])
               for sign in (0, 1, -1) if (outline.sign == sign).any()]
    dots = (("corner", TEXT, outline.corner), ("smooth joint", "white", ~outline.corner))
    style = {"marker": "o", "markeredgecolor": TEXT, "linestyle": "none", "markersize": 4.5}
    handles += [Line2D([], [], color=face, label=word, **style)
                for word, face, found in dots if found.any() and len(outline) > 1]
    return [*handles, Line2D([], [], color=TEXT, marker="+", linestyle="none", markersize=9, label="centroid")]
