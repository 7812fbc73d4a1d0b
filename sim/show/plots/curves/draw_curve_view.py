"""Draw curves of runs: panels below each other over one axis, bands where the motion was not unique, events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from io import BytesIO

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from sim.log.columns.run_columns import UNBOUNDED
from sim.show.labels import as_typed
from sim.show.palette import BRANCH_LINES, pick_branch_style
from sim.show.plots.curves.curve_view import (
    FLAT,
    TIME,
    CurvePanel,
    CurveView,
    DrawnCurve,
    hides,
    pick_column_colour,
)
from sim.show.replay.painter import FAINT, NOT_UNIQUE, TEXT

WIDTH, TALL, SMALL, HEADER = 9.0, 2.7, 1.9, 1.2  # inches: of the figure, of one panel, of one among many, of the rest
LINE_HEIGHT = 0.24  # inches, of title, legend and notes
ENTRIES_PER_ROW = 4  # of the legend of the whole picture
GRID = {"color": "#ECE9E2", "linewidth": 0.6}
OVER_ANOTHER = (0, (4, 4))  # of a curve that lies on another one: both are seen
EVENT = {"color": "#B8B3A8", "linewidth": 0.7, "linestyle": (0, (3, 2)), "zorder": 1.5}
SEVERAL_WORDS = "more than one acceleration possible"
CLOSE = 0.02  # of the width: events nearer than this have one word together
NARROW = 0.004  # of the width: shorter bands are lines
MOST_WORDS = 26  # words of events above the panels
MOST_ENTRIES = 14  # of the legend of a panel
MOST_TRIANGLES = 30  # marks of unbounded forces
SAME_SCALE = 4.0  # lengths over lengths have one scale where neither axis is longer than this many times the other


class NotebookFigure(Figure):
    """A figure that a notebook shows, whether or not pyplot was imported there."""

    def _repr_png_(self) -> bytes:
        memory = BytesIO()
        self.savefig(memory, format="png", dpi=100.0)
        return memory.getvalue()


def compute_curve_size(n_panels: int) -> tuple[float, float]:
    """Inches of a figure."""
    return WIDTH, HEADER + n_panels * (TALL if n_panels < 3 else SMALL)


def draw_curve_view(view: CurveView, title: str, figure: Figure | None = None,
                    labels: Mapping[str, str] | None = None) -> Figure:
    """Draw a view onto a figure, a new one without a window if none is given. labels: texts in place of names of
    columns."""
    labels = labels or {}
    if figure is None:
        figure = NotebookFigure(facecolor="white")
        FigureCanvasAgg(figure)
    figure.set_size_inches(*compute_curve_size(len(view.panels)))
    grid = figure.subplots(len(view.panels), 1, sharex=True, squeeze=False)[:, 0]
    for axes, panel in zip(grid, view.panels, strict=True):
        _draw_panel(axes, view, panel, labels)
    across = view.x_family if view.x in (TIME, view.x_family) else f"{view.x_family} {view.x}"
    grid[-1].set_xlabel(_name_axis(as_typed(labels.get(view.x, across)), view.x_unit), color=FAINT)
    figure.align_ylabels(grid)
    notes = [*view.notes, *_mark_events(grid, view)]
    _write_around(figure, title, _list_entries(view), notes)
    return figure


def _write_around(figure: Figure, title: str, entries: list, notes: list[str]) -> None:
    """Title and legend above the panels, notes below them, each in room of its own."""
    line = LINE_HEIGHT / figure.get_figheight()
    rows = -(-len(entries) // ENTRIES_PER_ROW)
    top, below = 1.0 - line * (1.5 + rows), line * len(notes)
    figure.set_layout_engine("constrained", rect=(0.005, below, 0.99, top - below), hspace=0.03)
    figure.text(0.015, 1.0 - 1.2 * line, as_typed(title, 160), fontsize=12.5, fontweight="bold", color=TEXT)
    for number, note in enumerate(reversed(notes)):
        figure.text(0.015, line * (number + 0.3), as_typed(note, 160), fontsize=9, color=FAINT)
    if entries:
        legend = figure.legend(handles=entries, loc="upper left", bbox_to_anchor=(0.015, 1.0 - 1.45 * line),
                               ncols=ENTRIES_PER_ROW, fontsize=9, frameon=False, labelcolor=FAINT, borderpad=0.0,
                               borderaxespad=0.0)
        legend.set_in_layout(False)


def _draw_panel(axes: Axes, view: CurveView, panel: CurvePanel, labels: Mapping[str, str]) -> None:
    names = list(dict.fromkeys(curve.column.name for curve in panel.curves))
    single = len(view.runs) == 1
    for place, curve in enumerate(panel.curves):
        run, index = view.runs[curve.run], names.index(curve.column.name)
        colour = pick_column_colour(index) if single else run.colour
        line = pick_branch_style(index)[1] if single else run.line if len(names) == 1 else BRANCH_LINES[
            index % len(BRANCH_LINES)]
        if line == "-" and any(hides(other, curve, view.x) for other in panel.curves[:place]):
            line = OVER_ANOTHER
        _draw_curve(axes, view, curve, colour, line, index)
    _set_range(axes, view, panel)
    width = float(np.ptp(axes.get_xlim()))
    for start, end in view.bands:
        if end - start < NARROW * width:
            axes.axvline(start, color=NOT_UNIQUE, alpha=0.7, linewidth=1.2, zorder=2.0)
        else:
            axes.axvspan(start, end, color=NOT_UNIQUE, alpha=0.16, linewidth=0.0, zorder=0.5)
    words = [as_typed(labels.get(name, name)) for name in names]
    axes.set_ylabel(_name_axis(words[0] if len(names) == 1 and names[0] in labels else panel.family, panel.unit),
                    color=FAINT)
    if len(names) > 1 or words[0] != panel.family:
        handles = [Line2D([], [], color=pick_column_colour(i) if single else TEXT, label=word, linewidth=1.4,
                          linestyle=pick_branch_style(i)[1] if single else BRANCH_LINES[i % len(BRANCH_LINES)])
                   for i, word in enumerate(words[:MOST_ENTRIES])]
        if len(words) > MOST_ENTRIES:
            handles.append(Line2D([], [], linestyle="none", label=f"... and {len(words) - MOST_ENTRIES} more"))
        axes.legend(handles=handles, loc="center left", bbox_to_anchor=(1.005, 0.5), fontsize=8.5, frameon=False,
                    labelcolor=FAINT, handlelength=1.8)
    if panel.words:
        axes.set_yticks(range(len(panel.words)), panel.words)
        axes.set_ylim(-0.5, len(panel.words) - 0.5)
    elif panel.unit == "" and all(curve.column.values.dtype.kind in "iu" for curve in panel.curves):
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.tick_params(colors=FAINT, labelsize=8, length=3)
    for spine in axes.spines.values():
        spine.set_color("#C9C5BC")
    axes.grid(True, **GRID)
    axes.set_axisbelow(True)
    axes.margins(x=0.01)


def _draw_curve(axes: Axes, view: CurveView, curve: DrawnCurve, colour: str, line: str | tuple, index: int) -> None:
    whole = curve.column.values.dtype.kind in "iu"
    marker = "." if len(curve.x) <= 1 else ""
    axes.plot(curve.x, curve.y, color=colour, linestyle=line, linewidth=1.4, marker=marker, zorder=3,
              drawstyle="steps-post" if whole else "default")
    on = curve.not_unique
    if not len(view.bands) and on.any():
        style = {"color": NOT_UNIQUE, "alpha": 0.3, "zorder": 2}
        axes.plot(curve.x, np.where(on, curve.y, np.nan), linewidth=6.0, solid_capstyle="butt", **style)
        edge = np.concatenate(([False], on, [False]))
        alone = on & ~edge[:-2] & ~edge[2:]  # which make no line
        axes.plot(curve.x[alone], curve.y[alone], linestyle="none", marker="o", markersize=6.0, markeredgewidth=0.0,
                  **style)
    if len(curve.unbounded):
        every = max(1, len(curve.unbounded) // MOST_TRIANGLES)
        shown = curve.unbounded[::every]
        heights = np.full(len(shown), 0.95 - 0.08 * (index % 6))  # several are seen beside each other
        axes.plot(shown, heights, transform=axes.get_xaxis_transform(), color=colour, marker="^", markersize=5.0,
                  linestyle="none", zorder=4)


def _set_range(axes: Axes, view: CurveView, panel: CurvePanel) -> None:
    """Room around what does not vary but for rounding; one scale where a length is drawn over a length."""
    values = np.concatenate([curve.y[np.isfinite(curve.y)] for curve in panel.curves])
    if len(values) == 0:
        axes.set_yticks([])
        return
    low, high = float(values.min()), float(values.max())
    if high - low <= FLAT * max(abs(low), abs(high)):
        middle, room = 0.5 * (low + high), 0.5 * max(abs(low), abs(high)) or 1.0
        axes.set_ylim(middle - room, middle + room)
    elif panel.unit == view.x_unit and panel.unit in ("m", "mm", "µm", "km") and len(view.panels) == 1:
        across = np.concatenate([curve.x[np.isfinite(curve.x)] for curve in panel.curves])
        width = float(np.ptp(across)) if len(across) else 0.0
        if width > 0.0 and 1.0 / SAME_SCALE <= (high - low) / width <= SAME_SCALE:
            axes.set_aspect("equal", adjustable="datalim")


def _mark_events(grid: np.ndarray, view: CurveView) -> list[str]:
    """A line at each event through all panels, and words above the first; near ones have one word together. Where there
    are too many words they are counted in a note, which is returned."""
    if not view.events:
        return []
    low, high = grid[0].get_xlim()
    groups: list[list[tuple[float, str]]] = []
    for event in view.events:
        if groups and event[0] - groups[-1][0][0] <= CLOSE * (high - low):
            groups[-1].append(event)
        else:
            groups.append([event])
    for axes in grid:
        axes.vlines(np.unique([time for time, _ in view.events]), 0.0, 1.0, transform=axes.get_xaxis_transform(),
                    **EVENT)
    grid[0].set_xlim(low, high)
    if len(groups) > MOST_WORDS:
        counts = Counter(word for _, word in view.events).most_common()
        return ["dashed lines: " + ", ".join(f"{n} {word}" for word, n in counts)]
    for group in groups:
        grid[0].annotate(_join_words([word for _, word in group]), (group[0][0], 1.0), xytext=(0, 3),
                         xycoords=grid[0].get_xaxis_transform(), textcoords="offset points", rotation=90, ha="center",
                         va="bottom", fontsize=7.5, color=FAINT)
    return []


def _join_words(words: list[str]) -> str:
    """The first kind of event and the last one."""
    counts = Counter(words)
    first, last = (f"{word} ×{counts[word]}" if counts[word] > 1 else word for word in (words[0], words[-1]))
    if len(counts) == 1:
        return first
    return f"{first}, {last}" if len(counts) == 2 and words[0] != words[-1] else f"{first} … {last}"


def _list_entries(view: CurveView) -> list[Line2D | Patch]:
    """The legend of the whole picture: runs, the band, forces without bound."""
    entries: list[Line2D | Patch] = []
    if len(view.runs) > 1:
        one = all(len({curve.column.name for curve in panel.curves}) == 1 for panel in view.panels)
        entries = [Line2D([], [], color=run.colour, linestyle=run.line if one else "-", linewidth=1.6,
                          label=as_typed(run.label)) for run in view.runs if run.label]
        if any(not run.label for run in view.runs):
            entries.append(Line2D([], [], color=next(run.colour for run in view.runs if not run.label), linewidth=1.6,
                                  label="before the split"))
    several = len(view.bands) > 0 or any(curve.not_unique.any() for panel in view.panels for curve in panel.curves)
    if several:
        entries.append(Patch(color=NOT_UNIQUE, alpha=0.25, label=SEVERAL_WORDS))
    if any(len(curve.unbounded) for panel in view.panels for curve in panel.curves):
        entries.append(Line2D([], [], color=FAINT, marker="^", linestyle="none", label=UNBOUNDED))
    return entries


def _name_axis(words: str, unit: str) -> str:
    return f"{words} ({unit})" if unit else words
