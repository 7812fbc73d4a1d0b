"""What a picture of a sweep shows: which column over which axes, in which panels, and what there is to say with it."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from sim.scene.schema import OUTCOMES
from sim.show.palette import OUTCOME_COLOURS, WORD_COLOURS, pick_word_colours
from sim.sweep.axes import WORDS, SweepAxis, SweepError, describe_value, go_together
from sim.sweep.plan import find_indices
from sim.sweep.refine.refinement import Refinement
from sim.sweep.refine.tracing import Tracing
from sim.sweep.sweep_result import Sweep
from sim.sweep.table import DERIVED, NOT_STARTED, ROW_FIELDS, TEXT_FIELDS
from sim.values.expression import evaluate_expression, is_arithmetic, list_columns

MOST_PANELS = 12
MOST_CURVES = 8
WORD_COLUMNS = ("outcome", "status", *TEXT_FIELDS, *DERIVED)
OUTCOME_COLUMNS = ("outcome", "merged_outcome")
MARKED = "dots: several motions were possible there, and the rule of choice took one"
OTHERS = "others"  # stands for all words beyond those that have a colour


@dataclass(frozen=True, eq=False)
class Panel:
    """The cells that share all values but those on the axes of the picture."""

    title: str
    cells: np.ndarray  # (n,) numbers of planned cells
    fixed: dict[str, float]  # the values that they share


@dataclass(frozen=True, eq=False)
class SweepView:
    """One picture of a sweep. Without `y` a column of numbers is drawn as curves, words as a strip."""

    name: str  # of the scene
    axes: tuple[SweepAxis, ...]  # of the sweep
    x: SweepAxis
    y: SweepAxis | None
    series: SweepAxis | None  # of curves: one for each of its values
    column: str
    points: np.ndarray  # (cells, axes) values of all planned cells
    done: np.ndarray  # (cells,) which of them have a row
    data: np.ndarray  # (cells,) float64: numbers, or places in `words`; NaN where there is none
    words: tuple[str, ...]  # empty for numbers
    panels: tuple[Panel, ...]
    boundaries: tuple[Refinement, ...]  # of this column
    tracing: Tracing | None  # of this column over the two axes
    notes: tuple[str, ...]
    chosen: np.ndarray  # (cells,) which of them met several possible motions, so that the rule of choice took one
    ran: np.ndarray  # (cells,) which of them had a run, as no cell has whose scene cannot be built
    sources: tuple[str, ...]  # the columns and axes that the numbers come from: one, or those of the arithmetic

    @property
    def has_curves(self) -> bool:
        return self.y is None and not self.words

    @property
    def is_scatter(self) -> bool:
        """Are the places of cells random, so that there are points instead of cells?"""
        return self.x.is_random or (self.y is not None and self.y.is_random)

    @property
    def colours(self) -> list[str]:
        """One colour a word."""
        return pick_word_colours(self.words, OUTCOME_COLOURS if self.column in OUTCOME_COLUMNS else None)

    def get_values(self, axis: SweepAxis, cells: np.ndarray) -> np.ndarray:
        """(n,) values of an axis in some cells."""
        return self.points[cells, find_place(self.axes, axis)]

    def encode(self, words) -> np.ndarray:
        """(n,) places of words in `words`, those without a place of their own at that of the others."""
        places = {word: place for place, word in enumerate(self.words)}
        return np.array([places.get(str(word), len(self.words) - 1) for word in words], dtype=np.int64)


def find_place(axes, axis: SweepAxis) -> int:
    """The place of an axis among others."""
    return next(place for place, other in enumerate(axes) if other is axis)


def choose_view(sweep: Sweep, x: str | None = None, y: str | None = None, color: str | None = None,
                where: list[tuple[str, str]] | None = None, refinements: list[Refinement] | None = None,
                tracings: list[Tracing] | None = None) -> SweepView:
    """What to draw of a sweep.

    x, y: names or keys of axes; y may also be a column of numbers, as the height of curves over x, with a curve for
    each value of the axis `color`. Else color is the column that is shown, "outcome" if not given. Arithmetic over
    columns and axes stands for a column of numbers. Without x and y the first two axes of the sweep. where: (name,
    value) pairs that pick one value of other axes. Raises SweepError for a name that the sweep does not have, listing
    those that it has, and ExpressionError.
    """
    plan = sweep.plan
    picked = [(find_axis(plan.axes, name, "--where"), value) for name, value in where or ()]
    x_axis, y_axis, series, column = _choose_axes(sweep, x, y, color, [axis for axis, _ in picked])
    places, samples = plan.locate(np.arange(len(plan)))
    kept = _pick_cells(plan.axes, places, picked, (x_axis, y_axis))
    done = np.zeros(len(plan), bool)
    done[sweep.table["cell"]] = True
    numbers, words = _read_column(sweep, column, [*(refinements or []), *(tracings or [])])
    data = np.full(len(plan), np.nan)
    data[sweep.table["cell"]] = numbers
    chosen = np.zeros(len(plan), bool)
    if column in OUTCOME_COLUMNS:
        chosen[sweep.table["cell"]] = sweep.table["time_not_unique"] > 0.0
    ran = np.zeros(len(plan), bool)
    ran[sweep.table["cell"]] = sweep.table["status"] != NOT_STARTED
    boundaries = tuple(one for one in refinements or () if one.of == (column if words else "outcome"))
    plane = None if y_axis is None else {x_axis.name, y_axis.name}
    tracing = next((one for one in tracings or () if one.of == column and set(one.axes) == plane), None)
    view = SweepView(Path(sweep.record.source).stem or "scene", plan.axes, x_axis, y_axis, series, column,
                     plan.tabulate(np.arange(len(plan))), done, data, words, (), boundaries, tracing, (), chosen, ran,
                     tuple(list_columns(column)) if _is_derived(sweep, column) else (column,))
    used = [axis for axis in (x_axis, y_axis, series) if axis is not None]
    free = [axis for axis in plan.axes if not any(go_together(axis, one) for one in used)]
    panels, notes = _make_panels(view, free, places, samples, kept)
    if view.has_curves and series is not None and len(series) > MOST_CURVES:
        notes.append(f"{MOST_CURVES} of {len(series)} curves ({series.name}); --where {series.name}=VALUE shows one")
    if chosen[kept].any() and not view.is_scatter:
        notes.append(MARKED)
    missing = int((~done[kept]).sum())
    if missing:
        notes.insert(0, f"{missing} of {len(kept)} cells have not run"
                        + ("" if view.has_curves or view.is_scatter else " (hatched)"))
    return replace(view, panels=tuple(panels), notes=tuple(notes))


def _pick_cells(axes, places: np.ndarray, picked, shown) -> np.ndarray:
    """(n,) the cells that have the picked values."""
    kept = np.ones(len(places), bool)
    for axis, value in picked:
        if any(go_together(axis, one) for one in shown if one is not None):
            raise SweepError(f"--where {axis.name}: is on an axis of the picture; valid: the other axes")
        if axis.is_random:
            raise SweepError(f"--where {axis.name}: its values are random, none can be picked")
        kept &= np.isin(places[:, find_place(axes, axis)], find_indices(axis, value))
    if not kept.any():
        raise SweepError("--where: the sweep has no cell with these values")
    return np.flatnonzero(kept)


def _choose_axes(sweep: Sweep, x, y, color, picked) -> tuple[SweepAxis, SweepAxis | None, SweepAxis | None, str]:
    """x, y, series and column of a view."""
    axes = sweep.plan.axes
    names = sweep.table.dtype.names
    results = [name for name, *_ in ROW_FIELDS if name != "cell"]
    x_axis = axes[0] if x is None else find_axis(axes, x, "--x")
    others = [axis for axis in axes if not go_together(axis, x_axis)]
    if x is None and y is None and others and (color is None or color in WORD_COLUMNS):
        y = others[0].name
    own = [axis.name for axis in axes] + [axis.key for axis in axes]
    if y is not None and y not in own and (y in results or is_arithmetic(y)):
        if y in WORD_COLUMNS:
            raise SweepError(f"--y {y}: is a word, and no height; give it as --color")
        if color in results and color not in own:
            raise SweepError(f"--color {color}: with --y {y}, a column of results, it must be an axis of the sweep, "
                             "for one curve each; valid: "
                             + ", ".join(axis.name for axis in others))
        series = None if color is None else find_axis(axes, color, "--color")
        if series is not None:
            _check_two(x_axis, series, "--color")
        return x_axis, None, series or _choose_series(axes, (x_axis, *picked)), y
    y_axis = None if y is None else find_axis(axes, y, "--y", [name for name in results if name not in WORD_COLUMNS])
    if y_axis is not None:
        _check_two(x_axis, y_axis, "--y")
    column = "outcome" if color is None else color
    if (column == "cell" or column not in (*names, *DERIVED)) and not is_arithmetic(column):
        raise SweepError(f"--color {column}: there is no such column; valid: "
                         + ", ".join(name for name in (*names, *DERIVED) if name != "cell"))
    series = _choose_series(axes, (x_axis, *picked)) if y_axis is None and column not in WORD_COLUMNS else None
    return x_axis, y_axis, series, column


def _check_two(x_axis: SweepAxis, other: SweepAxis, option: str) -> None:
    """Raise SweepError for two axes that are one."""
    if other is x_axis:
        raise SweepError(f"--x and {option} are both {x_axis.name}; take two different axes")
    if go_together(x_axis, other):
        raise SweepError(f"--x {x_axis.name} and {option} {other.name} vary together, and are one axis; take another")


def _choose_series(axes, used) -> SweepAxis | None:
    return next((axis for axis in axes if len(axis) > 1 and not any(go_together(axis, one) for one in used)), None)


def find_axis(axes, name: str, option: str, others: list[str] | None = None) -> SweepAxis:
    """The axis of a name or key. Raises SweepError with the names that there are, and `others` that would do."""
    for axis in axes:
        if name in (axis.name, axis.key):
            return axis
    valid = ", ".join(axis.name for axis in axes) + (f"; or a column: {', '.join(others)}" if others else "")
    raise SweepError(f"{option} {name}: the sweep does not vary this; valid: {valid}")


def _read_column(sweep: Sweep, column: str,
                 refinements: list[Refinement | Tracing]) -> tuple[np.ndarray, tuple[str, ...]]:
    """(rows,) numbers or places of words, and the words: outcomes in their order, others by how often they occur."""
    if _is_derived(sweep, column):
        return _compute_column(sweep, column), ()
    values = sweep[column]
    axis = next((axis for axis in sweep.plan.axes if axis.name == column), None)
    if column not in WORD_COLUMNS and not (axis is not None and axis.kind == WORDS):
        return values.astype(np.float64), ()
    counts = Counter(map(str, values))
    for refinement in refinements:
        if refinement.of == column:
            counts.update(dict.fromkeys(refinement.words, 0))
    words = [word for word, _ in counts.most_common()]
    if column == "outcome":
        order = [*sweep.record.outcomes[len(OUTCOMES) :], *OUTCOMES]
        words.sort(key=order.index)
    elif len(words) > len(WORD_COLOURS):
        words = [*words[: len(WORD_COLOURS)], OTHERS]
    places = {word: place for place, word in enumerate(words)}
    return np.array([places.get(str(word), len(words) - 1) for word in values], dtype=np.float64), tuple(words)


def _is_derived(sweep: Sweep, column: str) -> bool:
    return column not in (*sweep.table.dtype.names, *DERIVED)


def _compute_column(sweep: Sweep, text: str) -> np.ndarray:
    """(rows,) what arithmetic over columns and axes gives. Raises ExpressionError, SweepError."""
    names = {axis.key: axis.name for axis in sweep.plan.axes}
    words = {*WORD_COLUMNS, *(axis.name for axis in sweep.plan.axes if axis.kind == WORDS)}

    def get_column(name: str) -> np.ndarray:
        own = names.get(name, name)
        if own in words:
            raise SweepError(f"{text}: {name} is a word, and no number")
        if own == "cell" or own not in sweep.table.dtype.names:
            raise KeyError(name)
        return sweep.table[own].astype(np.float64)

    valid = [name for name in sweep.table.dtype.names if name not in words and name != "cell"]
    return evaluate_expression(text, get_column, valid)


def _make_panels(view: SweepView, free: list[SweepAxis], places, samples, cells) -> tuple[list[Panel], list[str]]:
    """One panel for each combination of the other values, at most MOST_PANELS."""
    grids = [axis for axis in free if not axis.is_random]
    keys = [places[cells, find_place(view.axes, axis)] for axis in grids]
    randoms = [axis for axis in free if axis.is_random]
    by_sample = bool(randoms) and not view.is_scatter
    if by_sample:
        keys.append(samples[cells])
    if not keys:
        return [Panel("", cells, {})], []
    combinations, members = np.unique(np.stack(keys, axis=1), axis=0, return_inverse=True)
    members = members.ravel()
    shown, notes = pick_evenly(len(combinations), MOST_PANELS), []
    varying = [axis.name for axis, key in zip(grids, keys, strict=False) if len(np.unique(key)) > 1]
    varying += ["sample"] * (by_sample and len(np.unique(keys[-1])) > 1)
    if len(shown) < len(combinations):
        notes.append(f"{len(shown)} of {len(combinations)} panels ({', '.join(varying)}); --where "
                     f"{varying[0]}=VALUE picks others")
    panels = []
    for number in shown:
        own = cells[members == number]
        fixed = {axis.name: float(view.get_values(axis, own[:1])[0]) for axis in (*grids, *randoms)
                 if not axis.is_random or by_sample}
        words = [f"{axis.name} = {describe_value(axis, fixed[axis.name])}" for axis in grids]
        words += [f"sample {int(samples[own[0]])}"] * by_sample
        panels.append(Panel(", ".join(words), own, fixed))
    return panels, notes


def pick_evenly(number: int, most: int) -> list[int]:
    """At most so many of the places 0, 1, ..., the first and the last among them."""
    if number <= most:
        return list(range(number))
    return [round(i * (number - 1) / (most - 1)) for i in range(most)]


def list_spans(before: list[int], after: list[int], at: list[float], line: np.ndarray) -> list[tuple]:
    """(from, to, place of the word) between the neighbours `line` of a grid, for boundaries at rising values `at`."""
    spans = []
    for low, high in pairwise(line):
        inside = [i for i, value in enumerate(at) if low <= value <= high]
        if not inside:
            continue
        ends = [low, *(at[i] for i in inside), high]
        codes = [before[inside[0]], *(after[i] for i in inside)]
        spans += [(*pair, code) for pair, code in zip(pairwise(ends), codes, strict=True)]
    return spans


def find_limits(view: SweepView) -> tuple[float, float, bool]:
    """Smallest and largest number of all panels, and whether they need a logarithmic scale."""
    shown = np.concatenate([view.data[panel.cells] for panel in view.panels])
    shown = shown[np.isfinite(shown)]
    if len(shown) == 0:
        return 0.0, 1.0, False
    low, high = float(shown.min()), float(shown.max())
    return low, high, low > 0.0 and math.log10(high / low) > 4.0
