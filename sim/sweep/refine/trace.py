"""From a coarse sweep to the boundaries of regions over two axes: squares are split where their rims are mixed, and on
the rims of the smallest ones each boundary is found by halving.

    from sim import trace
    found = trace("outputs/sweep.h5", ("mu", "rho"), resolution=1 / 512)
    found.segments, found["left"], found["right"], found.measure_shares()

What a coarse grid cannot show is not found: a region that lies within squares whose rims have one and the same outcome.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np

from sim.sweep.axes import SweepError
from sim.sweep.refine.asking import Asker
from sim.sweep.refine.bisection import DONE, UNKNOWN
from sim.sweep.refine.lattice import Known, Lattice, count_levels
from sim.sweep.refine.plane import find_regions
from sim.sweep.refine.refine import MOST_RUNS, check_numbers, find_axis
from sim.sweep.refine.tracing import Tracing
from sim.sweep.sweep_result import Sweep, read_sweep
from sim.tolerances import TRACE_RESOLUTION, TRACE_TOLERANCE

LEAST_RESOLUTION = 1e-6


def trace(
    source: Sweep | str | Path,
    axes: tuple[str, str],
    *,
    resolution: float = TRACE_RESOLUTION,
    tolerance: float = TRACE_TOLERANCE,
    of: str = "outcome",
    workers: int | None = None,
    most_runs: int = MOST_RUNS,
    progress: Callable[[int, str], None] | None = None,
) -> Tracing:
    """Find the boundaries between the words of a column of a sweep over two axes, on each sheet.

    source: a complete sweep, or its file, which then keeps what was found beside the table (`read_tracings`); the runs
    that it keeps of a former search over these axes are not made again.
    axes: names or keys of two axes of numbers. resolution: the finest squares are no wider, tolerance: boundaries on
    their rims are known as well, both as shares of the span of each axis. of: one of `sim.sweep.table.SIDES`.
    most_runs: no round begins that would need more runs than this. progress(runs, what) is called after each round.

    Ctrl-C keeps the runs that were made. Raises SweepError, and OSError where the file cannot be written.
    """
    from sim.sweep.refine.refinement_file import check_target
    from sim.sweep.refine.tracing_file import find_tracing, write_tracing
    from sim.sweep.sweep_file import blame_file

    path = None if isinstance(source, Sweep) else Path(source)
    sweep = source if isinstance(source, Sweep) else read_sweep(source)
    places = find_plane(sweep, axes)
    check_numbers(of, tolerance, most_runs)
    if not LEAST_RESOLUTION <= resolution <= 1.0:
        raise SweepError(f"resolution = {resolution!r}: must be a share of the axes, from {LEAST_RESOLUTION:g} to 1")
    if path is None:
        return _PlaneSearch(sweep, places, of, None, workers).run(resolution, tolerance, most_runs, progress)
    check_target(path)
    names = sweep.plan.axes[places[0]].name, sweep.plan.axes[places[1]].name
    with blame_file(path):
        search = _PlaneSearch(sweep, places, of, find_tracing(path, names, of), workers)
        found = search.run(resolution, tolerance, most_runs, progress)
    write_tracing(path, found)
    return found


def find_plane(sweep: Sweep, axes: tuple[str, str]) -> tuple[int, int]:
    """The places of two axes. Raises SweepError."""
    if isinstance(axes, str) or len(axes) != 2:
        raise SweepError(f"axes = {axes!r}: must be two axes of the sweep; `refine` takes one")
    first, second = (find_axis(sweep.plan.axes, name) for name in axes)
    if first == second:
        raise SweepError(f"both axes are {sweep.plan.axes[first].name}; take two different ones")
    drawn = sweep.plan.samples or 1 if sweep.plan.has_random else 1
    sizes = len(sweep), len(sweep.plan), math.prod(sweep.plan.shape) * drawn
    if sizes[0] < sizes[1]:
        raise SweepError(f"{sizes[1] - sizes[0]} of {sizes[1]} cells of the sweep have not run: complete it first, "
                         "with --resume")
    if sizes[1] < sizes[2]:
        raise SweepError("the sweep has taken some of its combinations at random: its planes have gaps")
    return first, second


class _PlaneSearch:
    """Knows the sheets, and what has been asked before."""

    def __init__(self, sweep: Sweep, places: tuple[int, int], of: str, previous: Tracing | None, workers: int | None):
        self._sweep, self._places, self._of = sweep, list(places), of
        self._names = [axis.name for axis in sweep.plan.axes]
        self._asker = Asker(sweep, of, (), workers)
        table = np.array([sweep.table[name] for name in self._names]).T
        self._x, i = np.unique(table[:, places[0]], return_inverse=True)
        self._y, j = np.unique(table[:, places[1]], return_inverse=True)
        # what goes with an axis is linear between its values
        axes = sweep.plan.axes
        self._followers = [(place, leader) for leader in places for place, other in enumerate(axes)
                           if other.leader == axes[leader].name]
        others = table.copy()
        others[:, [*places, *(place for place, _ in self._followers)]] = 0.0
        self._sheets, sheet = np.unique(others, axis=0, return_inverse=True)
        self._start = sheet.ravel(), i.ravel(), j.ravel()
        self._words: dict[str, int] = {}
        self._codes = self._encode(list(map(str, sweep[of])))
        self._memory: dict[bytes, str] = {}
        self._asked: dict[bytes, int] = {}  # code by point, in order
        if previous is not None:
            self._memory = {point.tobytes(): previous.words[code]
                            for point, code in zip(previous.points, previous.codes.tolist(), strict=True)}

    def run(self, resolution: float, tolerance: float, most_runs: int, progress) -> Tracing:
        """Split and halve until all is known, or a stop or the limit comes."""
        lattice = Lattice(self._x, self._y, len(self._sheets), count_levels(self._x, self._y, resolution))
        sheet, i, j = self._start
        shift = lattice.n_levels
        known = Known(lattice.get_keys(sheet, i << shift, j << shift), self._codes)

        def report(what: str) -> None:
            if progress is not None:
                progress(len(self._asked), what)

        with self._asker:
            found = find_regions(lattice, known, self._ask, float(tolerance), most_runs, report)
        return self._make(lattice, resolution, tolerance, found)

    def _ask(self, sheets: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """(n,) codes at points; of those that are known from before without a run."""
        points = self._sheets[sheets].copy()
        points[:, self._places[0]], points[:, self._places[1]] = x, y
        axes = self._sweep.plan.axes
        for place, leader in self._followers:
            order = np.argsort(axes[leader].values)
            points[:, place] = np.interp(points[:, leader], axes[leader].values[order], axes[place].values[order])
        keys = [point.tobytes() for point in points]
        new = [place for place, key in enumerate(keys) if key not in self._memory]
        if new:
            codes = self._asker.ask(points[new])
            for place, code in zip(new, codes.tolist(), strict=True):
                if code != UNKNOWN:
                    self._memory[keys[place]] = self._asker.words[code]
        codes = self._encode([self._memory.get(key) for key in keys])
        self._asked.update((key, code) for key, code in zip(keys, codes.tolist(), strict=True) if code != UNKNOWN)
        return codes

    def _encode(self, words: list[str | None]) -> np.ndarray:
        """(n,) codes, in the order in which words first came: the same with an interruption or without."""
        return np.array([UNKNOWN if word is None else self._words.setdefault(word, len(self._words))
                         for word in words], dtype=np.int64)

    def _make(self, lattice: Lattice, resolution: float, tolerance: float, found) -> Tracing:
        regions, coarse, ended = found
        if ended != DONE:  # what was not asked for yet is kept as well
            self._asked |= {key: int(self._encode([word])[0]) for key, word in self._memory.items()
                            if key not in self._asked}
        n = len(self._names)
        points = np.frombuffer(b"".join(self._asked), np.float64).reshape(-1, n).copy()
        used = {*self._places, *(place for place, _ in self._followers)}
        others = [index for index in range(n) if index not in used]
        return Tracing((self._names[self._places[0]], self._names[self._places[1]]), self._of, float(resolution),
                       float(tolerance), tuple(self._words), self._x, self._y, lattice.n_levels,
                       tuple(self._names[index] for index in others), self._sheets[:, others], regions, coarse, points,
                       np.array(list(self._asked.values()), dtype=np.int64), len(self._sweep), ended)

