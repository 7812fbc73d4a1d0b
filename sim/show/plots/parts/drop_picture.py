"""The basins of a start parameter: a band of outcomes with their shares, or over another value a map and curves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from sim.feeding.basins import Basin, BasinLine, gather_curves
from sim.feeding.drop import Drop
from sim.feeding.start_axis import StartAxis
from sim.show.axis_words import describe_axis, list_names, name_axis
from sim.show.labels import as_typed
from sim.show.palette import OUTCOME_COLOURS, pick_word_colours
from sim.show.picture_options import PLAIN, PictureOptions
from sim.show.plot_file import PlotError, check_plot_file, save_figure
from sim.show.plots.draw_map import find_borders
from sim.show.plots.draw_space import style_axes
from sim.show.replay.painter import FAINT, TEXT
from sim.sweep.axes import WORDS, SweepAxis
from sim.sweep.table import BY_CHOICE

BETWEEN = "#1A1A1A"  # what is in no basin
HATCH = "////"  # basins by choice
WORD_LENGTH = 40
SHARE = "share of all starts (%)"


def save_drop_picture(path, found: Drop) -> Path:
    """Write the picture to `path` (.png, .svg or .pdf). Raises PlotError."""
    file = check_plot_file(path)
    return save_figure(draw_drop(found, file.options), file)


def draw_drop(found: Drop, options: PictureOptions = PLAIN) -> Figure:
    """The picture of a drop, or of one over the values of one other axis of numbers. Raises PlotError, and
    PictureError for a label of another key."""
    lines = found.lines
    words = list(dict.fromkeys(word for line in lines for word in line.shares))
    colours = dict(zip(words, pick_colours(words), strict=True))
    figure = Figure(facecolor="white")
    FigureCanvasAgg(figure)
    other = _find_other(found)
    options.check_labels(list_names(found.axis.grid, other))
    title = as_typed(Path(found.sweep.record.source).stem or "scene")
    if other is None:
        figure.set_size_inches(9.0, 3.6 + 0.25 * len(words))
        figure.set_layout_engine("constrained")
        band, bars = figure.subplots(2, 1, height_ratios=(1.0, 0.3 * len(words)))
        _draw_band(band, found.axis, lines[0], colours)
        _label(band, describe_axis(found.axis.grid, options))
        _draw_bars(bars, lines[0], colours)
    else:
        figure.set_size_inches(12.0, 5.4)
        figure.set_layout_engine("constrained")
        basins, curves = figure.subplots(1, 2)
        _draw_map(basins, found.axis, other, lines, colours)
        _draw_curves(curves, other, lines, colours)
        _label(basins, describe_axis(other, options), describe_axis(found.axis.grid, options))
        _label(curves, describe_axis(other, options), SHARE)
        entries = [Patch(facecolor=colours[word], label=as_typed(word, WORD_LENGTH),
                         hatch=HATCH if word.endswith(BY_CHOICE) else "") for word in words]
        figure.legend(handles=entries, loc="outside lower center", ncols=3, frameon=False, fontsize=9)
    title = f"{title}: basins of {name_axis(found.axis.grid, options)}"
    heading = figure.suptitle(title, x=0.02, ha="left", fontsize=12.5, fontweight="bold", color=TEXT)
    options.put_title(heading)
    return figure


def pick_colours(words: list[str]) -> list[str]:
    """A basin by choice has the colour of its outcome, and is hatched."""
    plain = list(dict.fromkeys(word.removesuffix(BY_CHOICE) for word in words))
    own = dict(zip(plain, pick_word_colours(plain, OUTCOME_COLOURS), strict=True))
    return [own[word.removesuffix(BY_CHOICE)] for word in words]


def _find_other(found: Drop) -> SweepAxis | None:
    others = [axis for axis in found.sweep.plan.axes if axis.name != found.axis.name]
    if not others:
        return None
    if len(others) > 1 or others[0].kind == WORDS or others[0].is_random:
        raise PlotError("a picture shows the basins over one axis of numbers at most; the table of the sweep has all: "
                        "stiction plot FILE --color basin")
    return others[0]


def _split_round(axis: StartAxis, basin: Basin) -> list[tuple[float, float]]:
    """The intervals of a basin within the range: two of one that goes round its ends."""
    return [(basin.low, basin.high)] if basin.low <= basin.high else [(axis.low, basin.high), (basin.low, axis.high)]


def _draw_band(axes: Axes, axis: StartAxis, line: BasinLine, colours) -> None:
    axes.set_facecolor(BETWEEN)
    for basin in line.basins:
        spans = [(low, high - low) for low, high in _split_round(axis, basin)]
        axes.broken_barh(spans, (0.0, 1.0), facecolor=colours[basin.word],
                         hatch=HATCH if basin.word.endswith(BY_CHOICE) else None, edgecolor=TEXT, linewidth=0.0)
    axes.set_xlim(axis.low, axis.high)
    axes.set_ylim(0.0, 1.0)
    axes.set_yticks([])


def _draw_bars(axes: Axes, line: BasinLine, colours) -> None:
    words = list(line.shares)[::-1]
    values = [100.0 * line.shares[word].value for word in words]
    axes.barh(range(len(words)), values, color=[colours[word] for word in words], edgecolor=FAINT, linewidth=0.5,
              hatch=[HATCH if word.endswith(BY_CHOICE) else "" for word in words])
    for place, (word, value) in enumerate(zip(words, values, strict=True)):
        bound = line.shares[word].bound
        axes.text(value, place, f"  {value:.5g} %  (to {100.0 * bound:.1g} %)", va="center", fontsize=9, color=TEXT)
    axes.set_yticks(range(len(words)), [as_typed(word, WORD_LENGTH) for word in words])
    axes.set_xlim(0.0, 1.3 * max([*values, 1.0]))
    _label(axes, SHARE)


def _draw_map(axes: Axes, axis: StartAxis, other: SweepAxis, lines: list[BasinLine], colours) -> None:
    at = np.array([line.others[other.name] for line in lines])
    borders = find_borders(np.sort(at))
    order = np.argsort(at)
    axes.set_facecolor(BETWEEN)
    for place, number in enumerate(order):
        left, right = borders[place], borders[place + 1]
        for word in dict.fromkeys(basin.word for basin in lines[number].basins):
            boxes = [[(left, low), (right, low), (right, high), (left, high)]
                     for basin in lines[number].basins if basin.word == word for low, high in _split_round(axis, basin)]
            axes.add_collection(PolyCollection(boxes, facecolor=colours[word], edgecolor="none", linewidth=0.0,
                                               hatch=HATCH if word.endswith(BY_CHOICE) else None), autolim=False)
    axes.set_xlim(borders[0], borders[-1])
    axes.set_ylim(axis.low, axis.high)


def _draw_curves(axes: Axes, other: SweepAxis, lines: list[BasinLine], colours) -> None:
    for word, rows in gather_curves(lines, other.name).items():
        rows = rows[np.argsort(rows[:, 0])]
        x, share, bound = rows[:, 0], 100.0 * rows[:, 1], 100.0 * rows[:, 2]
        axes.plot(x, share, "o--" if word.endswith(BY_CHOICE) else "o-", color=colours[word], markersize=3.0,
                  linewidth=1.4)
        axes.fill_between(x, share - bound, share + bound, color=colours[word], alpha=0.3, linewidth=0.0)
    axes.set_ylim(bottom=0.0)


def _label(axes: Axes, x: str, y: str = "") -> None:
    style_axes(axes)
    axes.set_xlabel(x, fontsize=9.5, color=TEXT)
    axes.set_ylabel(y, fontsize=9.5, color=TEXT)
