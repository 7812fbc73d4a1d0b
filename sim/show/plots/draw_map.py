"""Draw a map of solutions: each cell in the colour of its kind, the values of the two keys on the axes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from dynamics.codes import SEVERAL
from sim.show.axis_words import describe_map_axis
from sim.show.labels import as_typed
from sim.show.picture_options import PLAIN, PictureOptions
from sim.show.plot_file import check_plot_file, save_figure
from sim.show.plots.draw_space import style_axes
from sim.show.replay.painter import FAINT, NORMAL_FORCE, NOT_UNIQUE, TEXT
from sim.show.ticks import place_ticks
from sim.study.solution_map import KINDS, SolutionMap

SIZE, PLACE = (9.4, 5.6), (0.09, 0.12, 0.54, 0.76)  # of the figure, inches; of the axes in it
COLOURS = {"none": NORMAL_FORCE, "one": "#E9E5DA", "several": NOT_UNIQUE, "continuum": "#0072B2", "free": "#CFE6F5",
           "impact": "#F3D36B", "overlap": "#5A5A5A"}  # fmt: skip
MANY = "#6E2457"  # three accelerations or more
WORDS = {"none": "none", "one": "one", "several": "several", "continuum": "a continuum", "free": "one: free flight",
         "impact": "an impact comes first", "overlap": "the part overlaps an obstacle"}  # fmt: skip


def save_map(path, solutions: SolutionMap) -> Path:
    """Write the picture of a map to `path` (.png, .svg or .pdf). Raises PlotError."""
    file = check_plot_file(path)
    return save_figure(draw_map(solutions, file.options), file)


def draw_map(solutions: SolutionMap, options: PictureOptions = PLAIN) -> Figure:
    """The figure of a map. Raises PictureError for a label of another key."""
    options.check_labels([solutions.x.key, solutions.y.key])
    figure = Figure(figsize=SIZE, facecolor="white")
    FigureCanvasAgg(figure)
    axes = figure.add_axes(PLACE)
    codes = solutions.kinds.astype(int)
    codes[(solutions.kinds == SEVERAL) & (solutions.members > 2)] = len(KINDS)
    colours = ListedColormap([*(COLOURS[kind] for kind in KINDS), MANY])
    # every cell reaches half way to its neighbours, so that the values stand in the middle of the cells
    axes.pcolormesh(find_borders(solutions.x.values), find_borders(solutions.y.values), codes, cmap=colours,
                    vmin=-0.5, vmax=len(KINDS) + 0.5, rasterized=True)
    for own, axis, room in ((axes.xaxis, solutions.x, SIZE[0] * PLACE[2]),
                            (axes.yaxis, solutions.y, SIZE[1] * PLACE[3])):
        place_ticks(own, axis.values, [f"{value + 0.0:.6g}" for value in axis.values], room * 72.0)
    axes.set_xlabel(describe_map_axis(solutions.x, options), fontsize=10)
    axes.set_ylabel(describe_map_axis(solutions.y, options), fontsize=10)
    style_axes(axes)
    question = f"{as_typed(solutions.scene.name)}: how many accelerations are possible at the start?"
    heading = figure.text(0.09, 0.945, question, fontsize=12.5, fontweight="bold", color=TEXT)
    options.put_title(heading)
    if solutions.hold is not None:
        figure.text(0.09, 0.905, f"contact {solutions.hold} stays in place, closed, with its slip velocity",
                    fontsize=9, color=FAINT)
    figure.legend(handles=list_entries(solutions), loc="upper left", bbox_to_anchor=(0.65, 0.89), fontsize=9,
                  frameon=False, borderaxespad=0.0)
    return figure


def list_entries(solutions: SolutionMap) -> list[Patch]:
    """A legend entry for each kind that occurs, with its share of the cells."""
    entries = []
    several = solutions.members[solutions.kinds == SEVERAL]
    for kind, number in solutions.count().items():
        if kind != "several":
            entries.append(_make_entry(COLOURS[kind], WORDS[kind], number, solutions.kinds.size))
            continue
        for colour, own in ((COLOURS[kind], several[several <= 2]), (MANY, several[several > 2])):
            if len(own):
                counts = sorted({int(count) for count in own})
                words = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
                entries.append(_make_entry(colour, f"several: {words}", len(own), solutions.kinds.size))
    return entries


def _make_entry(colour: str, words: str, number: int, total: int) -> Patch:
    share = f"{100.0 * number / total:.3g} %"
    return Patch(facecolor=colour, edgecolor="#B8B3A8", linewidth=0.6, label=f"{words}  ({share})")


def find_borders(values: np.ndarray) -> np.ndarray:
    """(n + 1,): half way between neighbours, and as far beyond the ends; one value alone gets a width of 1."""
    if len(values) == 1:
        return values[0] + np.array([-0.5, 0.5])
    middle = 0.5 * (values[1:] + values[:-1])
    return np.concatenate([[2.0 * values[0] - middle[0]], middle, [2.0 * values[-1] - middle[-1]]])
