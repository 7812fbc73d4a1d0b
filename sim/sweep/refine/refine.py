"""From a coarse sweep to exact boundaries: halve wherever neighbours along one axis differ, until each change is known
to a tolerance.

    from sim import refine
    found = refine("outputs/sweep.h5", "mu", 1e-9)
    found.boundaries["mu"], found["before"], found["after"], found.n_runs, found.n_grid_runs

What a coarse grid cannot show is not found: an outcome that begins and ends between two neighbours with one and the
same outcome. Give the sweep a grid as fine as the smallest feature that matters.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np

from sim.sweep.axes import INTEGER_KEYS, WORDS, SweepAxis, SweepError, get_identity
from sim.sweep.refine.asking import Asker
from sim.sweep.refine.bisection import CHANGE, INTERRUPTED_EARLY, bisect_changes, find_changes, look_beside
from sim.sweep.refine.refinement import Refinement, build_boundary_dtype
from sim.sweep.sweep_result import Sweep, read_sweep
from sim.sweep.table import SIDES

MOST_BESIDE = 20  # a millionth of the step of the grid
MOST_RUNS = 1_000_000  # of one call, unless more are asked for


def refine(
    source: Sweep | str | Path,
    axis: str,
    tolerance: float,
    *,
    of: str = "outcome",
    beside: int = 0,
    workers: int | None = None,
    most_runs: int = MOST_RUNS,
    progress: Callable[[int, int, float], None] | None = None,
) -> Refinement:
    """Find where a column of a sweep changes along one axis, to a tolerance.

    source: a sweep, or its file, which then keeps what was found beside the table (`read_refinements`). A file that was
    refined before along this axis goes on from there.
    axis: the name or key of an axis of numbers; tolerance: in its unit; it may be 0, for neighbouring floats.
    of: one of `sim.sweep.table.SIDES`. beside: how often the neighbours of boundaries are halved first, where more of
    them hide. workers: threads.
    most_runs: no halving of all boundaries begins that would need more runs than this.
    progress(runs, boundaries, width) is called after each halving.

    Ctrl-C keeps what was found. Raises SweepError for an axis, a column or a number that cannot be, and for a sweep
    that another version of the program has written; OSError where the file cannot be written.
    """
    from sim.sweep.refine.refinement_file import check_target, find_refinement, write_refinement
    from sim.sweep.sweep_file import blame_file

    path = None if isinstance(source, Sweep) else Path(source)
    sweep = source if isinstance(source, Sweep) else read_sweep(source)
    index = find_axis(sweep.plan.axes, axis)
    check_numbers(of, tolerance, most_runs, beside)
    previous = None
    if path is not None:
        check_target(path)
        previous = find_refinement(path, sweep.plan.axes[index].name, of, len(sweep))
    if path is None:
        return _Search(sweep, index, of, previous, workers).run(tolerance, most_runs, progress, beside)
    with blame_file(path):
        found = _Search(sweep, index, of, previous, workers).run(tolerance, most_runs, progress, beside)
    write_refinement(path, found)
    return found


def find_axis(axes: tuple[SweepAxis, ...], name: str) -> int:
    """The place of an axis that can be halved. Raises SweepError."""
    for index, axis in enumerate(axes):
        if name not in (axis.name, axis.key):
            continue
        if axis.is_random or axis.kind == WORDS:
            raise SweepError(f"{name} cannot be refined: its values are {'random' if axis.is_random else 'words'}, and "
                             "have no neighbours with a middle")
        if axis.key.rsplit(".", 1)[-1] in INTEGER_KEYS:
            raise SweepError(f"{name} cannot be refined: it takes whole numbers only")
        if len(axis) < 2:
            raise SweepError(f"{name} cannot be refined: the sweep has one value of it")
        if axis.leader:
            raise SweepError(f"{name} cannot be refined alone, for it varies together with {axis.leader}: refine that")
        _check_partners(axes, axis)
        return index
    raise SweepError(f"the sweep does not vary {name}; valid: {', '.join(axis.name for axis in axes)}")


def _check_partners(axes: tuple[SweepAxis, ...], axis: SweepAxis) -> None:
    """Can axes that go together be halved together? Raises SweepError."""
    partners = [other for other in axes if other.leader == axis.name]
    for other in partners:
        if other.kind == WORDS or other.key.rsplit(".", 1)[-1] in INTEGER_KEYS:
            raise SweepError(f"{axis.name} cannot be refined: {other.name} varies together with it, and takes "
                             f"{'words' if other.kind == WORDS else 'whole numbers'}, which have no middle")
    if partners and len(set(map(get_identity, axis.values))) < len(axis):
        raise SweepError(f"{axis.name} cannot be refined: it has a value twice, with different ones of "
                         f"{', '.join(other.name for other in partners)}; begin with a key whose values all differ")


def check_numbers(of: str, tolerance: float, most_runs: int, beside: int = 0) -> None:
    """Raise SweepError for what `refine` cannot take."""
    if of not in SIDES:
        raise SweepError(f"of = {of!r}: valid: {', '.join(SIDES)}")
    if isinstance(tolerance, bool) or not isinstance(tolerance, int | float) or not 0.0 <= tolerance < math.inf:
        raise SweepError(f"tolerance = {tolerance!r}: must be a number, zero or more")
    if isinstance(beside, bool) or not isinstance(beside, int) or not 0 <= beside <= MOST_BESIDE:
        raise SweepError(f"beside = {beside!r}: must be a whole number from 0 to {MOST_BESIDE}")
    if isinstance(most_runs, bool) or not isinstance(most_runs, int) or most_runs < 0:
        raise SweepError(f"most_runs = {most_runs!r}: must be a whole number, zero or more")


class _Search:
    """Knows where to begin, and halves."""

    def __init__(self, sweep: Sweep, index: int, of: str, previous: Refinement | None, workers: int | None):
        self._sweep, self._index, self._of, self._previous = sweep, index, of, previous
        self._names = [axis.name for axis in sweep.plan.axes]
        self._asker = Asker(sweep, of, previous.words if previous else (), workers)
        values = np.array([sweep.table[name] for name in self._names]).T
        self._span = float(np.ptp(values[:, index])) if len(values) else 0.0
        others = values.copy()
        axis = sweep.plan.axes[index]
        # what goes with the axis is linear between its values
        self._followers = [place for place, other in enumerate(sweep.plan.axes) if other.leader == axis.name]
        self._order = np.argsort(axis.values)
        others[:, [index, *self._followers]] = 0.0
        self._lines, lines = np.unique(others, axis=0, return_inverse=True)
        self._n_lines = len(self._lines)
        self._start = lines.ravel(), values[:, index], self._asker.known
        if previous is not None:
            self._lines = np.array([previous.boundaries[name] for name in self._names]).T
            self._changes = np.zeros(len(previous), CHANGE)
            self._changes["line"] = np.arange(len(previous))
            for name in ("low", "high", "before", "after"):
                self._changes[name] = previous.boundaries[name]

    def run(self, tolerance: float, most_runs: int, progress, beside: int) -> Refinement:
        """Halve until all is known, or a stop or the limit comes."""
        before = self._previous.n_runs if self._previous else 0

        def report(changes: np.ndarray) -> None:
            if progress is not None:
                progress(before + asker.n_runs, len(changes),
                         float(np.max(changes["high"] - changes["low"], initial=0.0)))

        def evaluate(lines: np.ndarray, values: np.ndarray) -> np.ndarray:
            points = self._lines[lines]
            points[:, self._index] = values
            self._set_followers(points)
            return asker.ask(points)

        with self._asker as asker:
            whole = True
            if self._previous is None:
                *start, whole = look_beside(*self._start, evaluate, beside)
                self._changes = find_changes(*start)
                if beside:
                    report(self._changes)
            left = max(0, most_runs - asker.n_runs) if whole else 0
            changes, _, ended = bisect_changes(self._changes, evaluate, float(tolerance), left, report)
        return Refinement(self._names[self._index], self._of, float(tolerance), tuple(asker.words),
                          self._make_boundaries(changes), len(self._sweep), self._n_lines, self._span,
                          before + asker.n_runs, ended if whole else INTERRUPTED_EARLY)

    def _set_followers(self, points: np.ndarray) -> None:
        """Give points (n, axes) the values that go with that of the axis."""
        axes = self._sweep.plan.axes
        for place in self._followers:
            points[:, place] = np.interp(points[:, self._index], axes[self._index].values[self._order],
                                         axes[place].values[self._order])

    def _make_boundaries(self, changes: np.ndarray) -> np.ndarray:
        boundaries = np.zeros(len(changes), build_boundary_dtype(self._names))
        for index, name in enumerate(self._names):
            boundaries[name] = self._lines[changes["line"], index]
        points = self._lines[changes["line"]]
        points[:, self._index] = 0.5 * changes["low"] + 0.5 * changes["high"]
        self._set_followers(points)
        for index in (self._index, *self._followers):
            boundaries[self._names[index]] = points[:, index]
        for name in ("low", "high", "before", "after"):
            boundaries[name] = changes[name]
        return boundaries
