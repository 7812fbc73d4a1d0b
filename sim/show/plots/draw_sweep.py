"""Draw a sweep: maps of coloured cells, points for random values, curves of numbers; one panel for each further value.

Every cell reaches half way to its neighbours, so that the cells of an even grid have its values in their middle. Where
a refinement knows a boundary, the cells along it are painted up to the boundary itself; where regions were traced over
both axes, they are painted instead of the cells.
"""

from __future__ import annotations

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import ListedColormap, LogNorm, Normalize
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from sim.show.axis_words import describe_axis, describe_column, list_names, name_axis
from sim.show.contours import Levels, choose_levels, draw_contours
from sim.show.labels import as_typed
from sim.show.picture_options import PLAIN, PictureError, PictureOptions
from sim.show.plots.draw_curves import CURVE_BOUNDARY, draw_curves, list_curve_entries
from sim.show.plots.draw_map import find_borders
from sim.show.plots.draw_regions import BOUNDARY, draw_regions
from sim.show.plots.draw_space import style_axes
from sim.show.plots.sweep_view import Panel, SweepView, find_limits, list_spans
from sim.show.replay.painter import FAINT, TEXT
from sim.show.ticks import place_ticks
from sim.sweep.axes import WORDS, SweepAxis, describe_value

NUMBERS = "viridis"  # rises evenly in lightness, also for the colour-blind
NO_NUMBER, EDGE = "#C9C5BC", "#B8B3A8"
ENDLESS, ENDLESS_WORDS = "#F6C667", "unbounded (jammed)"  # a force without bound: infinite in the table
INFINITE_WORDS = "infinite"  # arithmetic over finite numbers, such as a division by zero
ENDLESS_STYLE = {"facecolor": ENDLESS, "edgecolor": "#7A5C00", "hatch": "xxx", "linewidth": 0.0}
FORCES = ("largest_fn", "largest_gripper_force")  # columns that are infinite where the part is jammed
CURVE_ROOM = 0.05  # beside the first and last value of curves, of the distance between them
LINE_HEIGHT = 0.24  # inches, of title and notes
LONG_TITLE = 30  # letters, of a panel among three or more in a row
WORD_LENGTH = 34  # of an entry of the legend
LONGEST_LINE = 160  # of titles and notes


def draw_sweep(view: SweepView, figure: Figure | None = None, options: PictureOptions = PLAIN,
               contours: Levels | None = None) -> Figure:
    """Draw a view onto a figure, a new one without a window if none is given. Raises PictureError for a label of
    another key, and for contours of what has none."""
    _check_options(view, options, contours)
    columns, rows = arrange_panels(len(view.panels))
    if figure is None:
        figure = Figure(facecolor="white")
        FigureCanvasAgg(figure)
    figure.set_size_inches(*compute_size(columns, rows, is_strip=view.y is None and bool(view.words)))
    line = LINE_HEIGHT / figure.get_figheight()
    below = line * len(view.notes)
    figure.set_layout_engine("constrained", rect=(0.01, below, 0.98, 1.0 - below - 2.0 * line))
    heading = figure.text(0.02, 1.0 - 1.4 * line, describe_title(view, options), fontsize=12.5, fontweight="bold",
                          color=TEXT)
    options.put_title(heading)
    for number, note in enumerate(reversed(view.notes)):
        figure.text(0.02, line * (number + 0.3), as_typed(note, LONGEST_LINE), fontsize=9, color=FAINT)
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    norm = make_norm(view)
    levels = [] if contours is None else choose_levels(contours, *find_limits(view))
    for number, axes in enumerate(grid.ravel()):
        if number >= len(view.panels):
            axes.set_visible(False)
            continue
        panel = view.panels[number]
        (draw_curves if view.has_curves else _draw_points if view.is_scatter else _draw_cells)(axes, view, panel, norm)
        if levels:
            draw_contours(axes, *_arrange(view, panel)[:3], levels)
        title = describe_panel(view, panel, options)
        size = 9.5 if len(title) <= LONG_TITLE or columns < 3 else 7.5
        axes.set_title(title, fontsize=size, color=TEXT)
        _label(axes, view, number % columns == 0, number + columns >= len(view.panels), options)
    _add_legend(figure, grid, view, norm, options)
    _tick(figure, grid, view)
    return figure


def _check_options(view: SweepView, options: PictureOptions, contours: Levels | None) -> None:
    options.check_labels([*list_names(*view.axes), view.column])
    if contours is not None and (view.words or view.y is None or view.is_scatter):
        shown = "words" if view.words else "curves" if view.y is None else "random values"
        raise PictureError("--contours: only maps of numbers over grids have contours, and this picture shows "
                           f"{shown}; give --x, --y and a column of numbers as --color")


def arrange_panels(number: int) -> tuple[int, int]:
    """Columns and rows."""
    columns = number if number <= 3 else math.ceil(math.sqrt(number))
    return columns, math.ceil(number / columns)


def compute_size(columns: int, rows: int, is_strip: bool = False) -> tuple[float, float]:
    """Width and height of the figure, inches."""
    if columns * rows == 1:
        return 8.6, 2.6 if is_strip else 5.6
    return min(3.0 * columns + 2.4, 14.0), min((1.2 if is_strip else 2.6) * rows + 1.4, 10.5)


def describe_title(view: SweepView, options: PictureOptions = PLAIN) -> str:
    """What is shown, of which scene."""
    return f"{as_typed(view.name)}: {describe_column(view.column, options)}"


def describe_panel(view: SweepView, panel: Panel, options: PictureOptions = PLAIN) -> str:
    """The values that the cells of a panel share, in words."""
    words = [f"{name_axis(axis, options)} = {_describe_with_unit(axis, panel.fixed[axis.name])}" for axis in view.axes
             if axis.name in panel.fixed and not axis.is_random]
    samples = [as_typed(word) for word in panel.title.split(", ") if word.startswith("sample ")]
    return ", ".join([*words, *samples])


def _describe_with_unit(axis: SweepAxis, value: float) -> str:
    unit = "" if axis.unit or not axis.shown_unit else f" {axis.shown_unit}"
    return as_typed(describe_value(axis, value) + unit)


def make_norm(view: SweepView) -> Normalize:
    """From numbers to colours, the same for all panels; places of words stay what they are."""
    if view.words:
        return Normalize(-0.5, len(view.words) - 0.5)
    low, high, is_wide = find_limits(view)
    return LogNorm(low, high) if is_wide else Normalize(low, high)


# ---- panels ----------------------------------------------------------------------------------------------------------


def get_colormap(view: SweepView):
    return ListedColormap(view.colours) if view.words else NUMBERS


def _draw_cells(axes: Axes, view: SweepView, panel: Panel, norm: Normalize) -> None:
    columns, rows, values, place = _arrange(view, panel)
    borders = find_borders(columns), find_borders(rows)
    done = np.zeros(values.shape, bool)
    done[place] = view.done[panel.cells]
    planned = np.zeros(values.shape, bool)
    planned[place] = True
    axes.pcolormesh(*borders, np.ma.masked_invalid(values), cmap=get_colormap(view), norm=norm, rasterized=True)
    _fill(axes, borders, done & np.isnan(values), facecolor=NO_NUMBER)
    _fill(axes, borders, done & np.isinf(values), **ENDLESS_STYLE)
    _fill(axes, borders, planned & ~done, facecolor="white", edgecolor=EDGE, hatch="////", linewidth=0.0)
    marked = tuple(own[view.chosen[panel.cells]] for own in place)
    axes.plot(columns[marked[1]], rows[marked[0]], "o", color=BOUNDARY, markersize=2.0, markeredgewidth=0.0)
    axes.set_xlim(borders[0][0], borders[0][-1])
    axes.set_ylim(borders[1][0], borders[1][-1])
    sheet = None if view.tracing is None else view.tracing.find_sheet(panel.fixed)
    if view.tracing is None or sheet is None or not len(view.tracing.segments):
        _draw_boundaries(axes, view, panel, (columns, rows), borders)
    else:
        traced = view.tracing.words if view.words else ()
        colours = {word: view.colours[place] for word, place in zip(traced, view.encode(traced), strict=True)}
        draw_regions(axes, view.tracing, sheet, colours, is_turned=view.tracing.axes[0] != view.x.name)


def _arrange(view: SweepView, panel: Panel) -> tuple[np.ndarray, np.ndarray, np.ndarray, tuple]:
    """The rising values to the right and upwards, the numbers (rows, columns), and the place of each cell in them."""
    x = view.get_values(view.x, panel.cells)
    y = np.zeros(len(x)) if view.y is None else view.get_values(view.y, panel.cells)
    columns, rows = np.unique(x), np.unique(y)
    place = np.searchsorted(rows, y), np.searchsorted(columns, x)
    values = np.full((len(rows), len(columns)), np.nan)
    values[place] = view.data[panel.cells]
    return columns, rows, values, place


def _fill(axes: Axes, borders, where: np.ndarray, **style) -> None:
    """Paint some cells in one colour."""
    (x, y), (rows, columns) = borders, np.nonzero(where)
    corners = [[(x[c], y[r]), (x[c + 1], y[r]), (x[c + 1], y[r + 1]), (x[c], y[r + 1])]
               for r, c in zip(rows, columns, strict=True)]
    if corners:
        axes.add_collection(PolyCollection(corners, **style), autolim=False)


def _draw_points(axes: Axes, view: SweepView, panel: Panel, norm: Normalize) -> None:
    cells = panel.cells[view.done[panel.cells]]
    x = view.get_values(view.x, cells)
    y = np.zeros(len(cells)) if view.y is None else view.get_values(view.y, cells)
    values = view.data[cells]
    known = np.isfinite(values)
    style = {"s": 22.0 if len(cells) < 2000 else 6.0, "linewidths": 0.4, "edgecolors": "#6F6A60"}
    axes.scatter(x[known], y[known], c=values[known], cmap=get_colormap(view), norm=norm, **style)
    endless = np.isinf(values)
    axes.scatter(x[endless], y[endless], c=ENDLESS, marker="^", **style)
    axes.scatter(x[np.isnan(values)], y[np.isnan(values)], c=NO_NUMBER, marker="x", s=18.0, linewidths=0.8)


def _draw_boundaries(axes: Axes, view: SweepView, panel: Panel, lines, borders) -> None:
    """Paint the cells up to the boundaries along the first refined axis, and draw all boundaries as strokes."""
    painted = False
    for refinement in view.boundaries:
        along = next((i for i, axis in enumerate((view.x, view.y)) if axis and axis.name == refinement.axis), None)
        if along is None:
            continue
        across = (view.y, view.x)[along]
        strokes = []
        for place, value in enumerate(lines[1 - along]):
            own = refinement.boundaries
            for name, fixed in (panel.fixed | ({across.name: value} if across else {})).items():
                own = own[own[name] == fixed]
            own = own[np.argsort(own[refinement.axis])]
            at, side = own[refinement.axis], borders[1 - along][place : place + 2]
            strokes += [[(middle, end) for end in side] for middle in at]
            if view.words and not painted:
                before, after = (view.encode(np.array(refinement.words, dtype=object)[own[name]])
                                 for name in ("before", "after"))
                _paint_spans(axes, view, list_spans(before, after, at, lines[along]), side, along)
        painted = True
        turned = np.array(strokes)[..., :: 1 if along == 0 else -1] if strokes else []
        axes.add_collection(LineCollection(turned, colors=BOUNDARY, linewidths=1.2, capstyle="butt", zorder=3),
                            autolim=False)


def _paint_spans(axes: Axes, view: SweepView, spans: list[tuple], side, along: int) -> None:
    for low, high, code in spans:
        box = np.array([(low, side[0]), (high, side[0]), (high, side[1]), (low, side[1])])
        axes.add_collection(PolyCollection([box[:, :: 1 if along == 0 else -1]], facecolors=view.colours[code],
                                           linewidths=0.0, antialiaseds=False, zorder=2), autolim=False)


# ---- words -----------------------------------------------------------------------------------------------------------


def _label(axes: Axes, view: SweepView, is_left: bool, is_bottom: bool, options: PictureOptions) -> None:
    style_axes(axes)
    axes.tick_params(labelleft=is_left, labelbottom=is_bottom)
    if is_bottom:
        axes.set_xlabel(describe_axis(view.x, options), fontsize=10)
    if is_left:
        axes.set_ylabel(describe_column(view.column, options) if view.has_curves
                        else describe_axis(view.y, options) if view.y else "", fontsize=10)
    if view.y is None and not (view.has_curves and np.isfinite(view.data).any()):
        axes.set_yticks([])
    if view.has_curves:  # marks of what has no bound have no place of their own
        values = view.get_values(view.x, np.concatenate([panel.cells for panel in view.panels]))
        room = CURVE_ROOM * (float(np.ptp(values)) or 1.0)
        axes.set_xlim(values.min() - room, values.max() + room)


def _tick(figure: Figure, grid: np.ndarray, view: SweepView) -> None:
    """Tick the axes of grids at their values, once the layout says how long they are."""
    figure.draw_without_rendering()
    for axes in grid.ravel()[: len(view.panels)]:
        box = axes.get_position()
        for axis, own, room in ((view.x, axes.xaxis, box.width * figure.get_figwidth()),
                                (view.y, axes.yaxis, box.height * figure.get_figheight())):
            if axis is not None and not axis.is_random:
                labels = [as_typed(describe_value(axis, value).removesuffix(f" {axis.unit}")) for value in axis.values]
                place_ticks(own, axis.values, labels, room * 72.0, axis.kind == WORDS)


def _add_legend(figure: Figure, grid: np.ndarray, view: SweepView, norm: Normalize, options: PictureOptions) -> None:
    """Names of colours with their share of the cells shown, or a bar of numbers."""
    shown = np.concatenate([panel.cells for panel in view.panels])
    done = shown[view.done[shown]]
    entries = list_curve_entries(view) if view.has_curves else []
    if view.words:
        for place, (word, colour) in enumerate(zip(view.words, view.colours, strict=True)):
            number = int((view.data[done] == place).sum())
            share = f"{100.0 * number / max(len(done), 1):.3g} %" if number else "between cells only"
            entries.append(Patch(facecolor=colour, edgecolor=EDGE, linewidth=0.6,
                                 label=f"{as_typed(word, WORD_LENGTH)}  ({share})"))
    elif not view.has_curves:
        if np.isfinite(view.data[done]).any():
            bar = figure.colorbar(ScalarMappable(norm, NUMBERS), ax=grid, label=describe_column(view.column, options))
            bar.outline.set_edgecolor(EDGE)
        lacking = done[np.isnan(view.data[done])]
        if len(lacking):
            ran = view.ran[lacking]
            words = "no number" if ran.all() else "no run, or no number" if ran.any() else "no run"
            entries.append(Patch(facecolor=NO_NUMBER, label=words))
    if not view.words and np.isinf(view.data[done]).any():
        words = ENDLESS_WORDS if set(view.sources) & set(FORCES) else INFINITE_WORDS
        entries.append(Line2D([], [], color=TEXT, marker="^", linestyle="", label=words) if view.has_curves
                       else Patch(label=words, **ENDLESS_STYLE))
    if len(done) < len(shown) and not (view.has_curves or view.is_scatter):
        entries.append(Patch(facecolor="white", edgecolor=EDGE, hatch="////", label="has not run"))
    drawn = [axis.name for axis in (view.x, view.y) if axis]
    shown_of = {one.of for one in view.boundaries if one.axis in drawn and len(one.boundaries)}
    if view.tracing is not None and len(view.tracing.segments):
        shown_of.add(view.tracing.of)
    if shown_of and not view.is_scatter and not (view.has_curves and view.series):
        style = CURVE_BOUNDARY if view.has_curves else {"color": BOUNDARY, "linewidth": 1.2}
        entries.append(Line2D([], [], label=f"boundary of {shown_of.pop()}", **style))
    if entries:
        title = None
        if view.has_curves and view.series:
            title = (name_axis if view.series.unit else describe_axis)(view.series, options)
        figure.legend(handles=entries, loc="outside right upper", fontsize=9, frameon=False, title=title)
