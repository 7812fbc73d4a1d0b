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
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from sim.sweep.axes import INTEGER_KEYS, WORDS, SweepAxis, SweepError, get_identity
from sim.sweep.refine.bisection import CHANGE, UNKNOWN, bisect_changes, find_changes
from sim.sweep.refine.refinement import Refinement, build_boundary_dtype
from sim.sweep.sweep_result import Sweep, describe_status, read_sweep

MOST_RUNS = 1_000_000  # of one call, unless more are asked for
SIDES = ("outcome", "status", "modes", "n_events", "n_impacts")  # columns whose changes can be followed
BATCHES = 8  # for each thread, of the runs of one halving


def refine(
    source: Sweep | str | Path,
    axis: str,
    tolerance: float,
    *,
    of: str = "outcome",
    workers: int | None = None,
    most_runs: int = MOST_RUNS,
    progress: Callable[[int, int, float], None] | None = None,
) -> Refinement:
    """Find where a column of a sweep changes along one axis, to a tolerance.

    source: a sweep, or its file, which then keeps what was found beside the table (`read_refinements`). A file that was
    refined before along this axis goes on from there.
    axis: the name or key of an axis of numbers; tolerance: in its unit; it may be 0, for neighbouring floats.
    of: "outcome", "status", "modes", "n_events" or "n_impacts". workers: threads.
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
    check_numbers(of, tolerance, most_runs)
    previous = None
    if path is not None:
        check_target(path)
        previous = find_refinement(path, sweep.plan.axes[index].name, of, len(sweep))
    search = _Search(sweep, index, of, previous)
    if path is None:
        return search.run(tolerance, workers, most_runs, progress)
    with blame_file(path):
        found = search.run(tolerance, workers, most_runs, progress)
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


def check_numbers(of: str, tolerance: float, most_runs: int) -> None:
    """Raise SweepError for what `refine` cannot take."""
    if of not in SIDES:
        raise SweepError(f"of = {of!r}: valid: {', '.join(SIDES)}")
    if isinstance(tolerance, bool) or not isinstance(tolerance, int | float) or not 0.0 <= tolerance < math.inf:
        raise SweepError(f"tolerance = {tolerance!r}: must be a number, zero or more")
    if isinstance(most_runs, bool) or not isinstance(most_runs, int) or most_runs < 0:
        raise SweepError(f"most_runs = {most_runs!r}: must be a whole number, zero or more")


class _Search:
    """Knows where to begin, and runs what halving asks for."""

    def __init__(self, sweep: Sweep, index: int, of: str, previous: Refinement | None):
        self._sweep, self._index, self._of, self._previous = sweep, index, of, previous
        self._names = [axis.name for axis in sweep.plan.axes]
        self._place = (sweep.table.dtype.names or ()).index(of)
        self._words = list(previous.words) if previous else []
        self._codes = {word: code for code, word in enumerate(self._words)}
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
        if previous is None:
            self.changes = find_changes(lines.ravel(), values[:, index], self._encode(self._sweep[of]))
        else:
            self._lines = np.array([previous.boundaries[name] for name in self._names]).T
            self.changes = np.zeros(len(previous), CHANGE)
            self.changes["line"] = np.arange(len(previous))
            for name in ("low", "high", "before", "after"):
                self.changes[name] = previous.boundaries[name]

    def run(self, tolerance: float, workers: int | None, most_runs: int, progress) -> Refinement:
        """Halve until all is known, or a stop or the limit comes."""
        from sim.sweep.cells import Study
        from sim.sweep.resume import make_record
        from sim.sweep.stop import StopSign
        from sim.sweep.sweep import count_workers, make_runner

        record, plan = self._sweep.record, self._sweep.plan
        workers = count_workers(workers)
        study = Study(record.text, record.source or None, plan.axes)
        self._runner = make_runner(study, plan)
        difference = make_record(study, plan, self._runner).find_difference(record)
        if difference:
            raise SweepError(f"cannot refine: {difference}. Run the sweep again first")
        self._runner.warm_up()
        self._is_warm = False
        before = self._previous.n_runs if self._previous else 0
        done = [before]

        def report(changes: np.ndarray) -> None:
            if progress is not None:
                progress(done[0], len(changes), float(np.max(changes["high"] - changes["low"], initial=0.0)))

        def evaluate(lines: np.ndarray, values: np.ndarray) -> np.ndarray:
            codes = self._evaluate(lines, values, pool, workers)
            done[0] += int((codes != UNKNOWN).sum())
            return codes

        with StopSign() as self._stop, ThreadPoolExecutor(workers, thread_name_prefix="stiction") as pool:
            try:
                changes, runs, ended = bisect_changes(self.changes, evaluate, float(tolerance), most_runs, report)
            except BaseException:
                self._stop.set_hard()
                raise
        return Refinement(self._names[self._index], self._of, float(tolerance), tuple(self._words),
                          self._make_boundaries(changes), len(self._sweep), self._n_lines, self._span, before + runs,
                          ended)

    def _evaluate(self, lines: np.ndarray, values: np.ndarray, pool, workers: int) -> np.ndarray:
        """Codes of runs, in the order asked for whatever thread had them: the words get the same numbers each time."""
        points = self._lines[lines]
        points[:, self._index] = values
        self._set_followers(points)
        raw = [] if self._is_warm else self._run_batch(points[:1].tolist())  # compiles, alone
        self._is_warm, rest = True, points[len(raw) :]
        size = max(1, math.ceil(len(rest) / (BATCHES * workers)))
        batches = [rest[first : first + size].tolist() for first in range(0, len(rest), size)]
        raw += [word for batch in pool.map(self._run_batch, batches) for word in batch]
        return self._encode(raw)

    def _set_followers(self, points: np.ndarray) -> None:
        """Give points (n, axes) the values that go with that of the axis."""
        axes = self._sweep.plan.axes
        for place in self._followers:
            points[:, place] = np.interp(points[:, self._index], axes[self._index].values[self._order],
                                         axes[place].values[self._order])

    def _run_batch(self, points: list[list[float]]) -> list:
        """What `of` is in some runs, None for those that a stop leaves out."""
        from sim.sweep.cells import Interrupted

        found = []
        for point in points:
            try:
                row = None if self._stop.is_set() else self._runner.run(0, point, self._stop.is_hard)
            except Interrupted:
                row = None
            found.append(None if row is None else self._describe(row[self._place]))
        return found

    def _describe(self, value) -> str:
        """The word of a value of the column, as `Sweep` has it."""
        if self._of == "outcome":
            return self._sweep.record.outcomes[value]
        return describe_status(value) if self._of == "status" else str(value)

    def _encode(self, words) -> np.ndarray:
        codes = []
        for word in words:
            if word is not None and str(word) not in self._codes:
                self._codes[str(word)] = len(self._words)
                self._words.append(str(word))
            codes.append(UNKNOWN if word is None else self._codes[str(word)])
        return np.array(codes, dtype=np.int64)

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
