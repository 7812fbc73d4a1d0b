"""Where a part comes to rest that is let go in any of many ways: basins of its starts, exactly, and their shares.

    from stiction import drop
    found = drop("l_drop.toml", {"workpiece.pose.theta": "0:360 deg"})
    found.lines[0].shares, found.lines[0].basins, found.n_runs
    drop(scene, {"workpiece.pose.theta": "0:360 deg"}, over={"mu": "0.1:0.6:11"}).lines    # shares against mu

A drop is a sweep over a grid of starts, and its refinement along the start parameter, in one file: whatever reads
sweeps reads it, and it goes on where it was interrupted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sim.feeding.basins import BasinLine, find_lines
from sim.feeding.start_axis import StartAxis, make_start_axis
from sim.rows.status import Status
from sim.scene.build import take_scene
from sim.sweep.axes import SweepError, make_axis
from sim.sweep.refine.bisection import DONE, LIMIT
from sim.sweep.refine.refine import refine
from sim.sweep.refine.refinement import Refinement
from sim.sweep.sweep import sweep
from sim.sweep.sweep_result import Sweep

if TYPE_CHECKING:
    from sim.scene.scene import AnyScene

GRID_OF_ONE = 361  # starts of a range that says none: a degree of a turn
BESIDE = 6  # times that the neighbours of boundaries are halved: a crowd shows down to a 64th of the grid's step
TOLERANCE = 1e-9  # of a boundary, relative to the range
MOST_RUNS = 1_000_000  # of the search, unless more are asked for


@dataclass(frozen=True, eq=False)
class Drop:
    """The basins of one start parameter, on one line or, over other values, on several."""

    axis: StartAxis
    sweep: Sweep
    found: Refinement | None  # None where the grid was interrupted

    @cached_property
    def lines(self) -> list[BasinLine]:
        """The basins, a line for each combination of the other values."""
        if self.found is None:
            return []
        return find_lines(self.sweep, self.found, self.axis.measure, self.axis.is_round)

    @property
    def is_whole(self) -> bool:
        return self.found is not None and self.found.ended == DONE

    @property
    def hit_limit(self) -> bool:
        """Has the search ended since it would have needed more runs than it may?"""
        return self.found is not None and self.found.ended == LIMIT

    @property
    def n_runs(self) -> int:
        return len(self.sweep) + (self.found.n_runs if self.found else 0)

    @property
    def n_grid_runs(self) -> int:
        """Runs of an even grid that would be as good."""
        return self.found.n_grid_runs if self.found else len(self.sweep)

    @property
    def width(self) -> float:
        """The largest interval within which a boundary is known, in the unit of the axis."""
        return self.found.width if self.found else 0.0

    @property
    def step(self) -> float:
        """Between neighbours of the first grid, in the unit of the axis."""
        return (self.axis.high - self.axis.low) / (len(self.axis.grid) - 1)


def drop(
    scene: AnyScene,
    vary: Mapping[str, Any],
    over: Mapping[str, Any] | None = None,
    *,
    tolerance: float | None = None,
    merge: bool = False,
    beside: int = BESIDE,
    output: str | Path | None = None,
    resume: bool = False,
    workers: int | None = None,
    client: Any = None,
    most_runs: int = MOST_RUNS,
    progress: Callable[[str, int, int], None] | None = None,
) -> Drop:
    """Find the basins of a start parameter: which starts lead to which outcome, and how large a share of all they are.

    vary: its key and range, see `sim.feeding.start_axis`. over: keys and values, as of a sweep, for each of which the
    basins are found. tolerance: of boundaries, in the unit of the range; 1e-9 of the range if not given. merge: rest
    poses that the part's symmetry makes alike are one outcome. beside: how often the neighbours of boundaries are
    halved. output, resume, workers, client: see `sim.sweep.sweep.sweep`; with a client the grid runs there, the search
    of the boundaries here. progress(what, done, all): called now and then; of the search `all` is the boundaries.

    Raises SweepError, SceneError, WriteError. Ctrl-C keeps what is known.
    """
    scene = take_scene(scene)
    if len(vary) != 1:
        raise SweepError(f"{len(vary)} start parameters: basins on a line have one; `drop_regions` takes two, or put "
                         "the others into `over`")
    (name, values), = vary.items()
    axis = make_start_axis(name, values, GRID_OF_ONE)
    keys = {**(over or {}), name: axis.grid}
    before = {make_axis(key, value).key for key, value in (over or {}).items()}
    if axis.grid.key in before:
        raise SweepError(f"{name} is the start parameter, and cannot be varied by `over` as well")
    limit = TOLERANCE * (axis.high - axis.low) if tolerance is None else tolerance
    whole = sweep(scene, vary=keys, output=output, resume=resume, workers=workers, client=client,
                  progress=None if progress is None else lambda done, total: progress("runs of the grid", done, total))
    if whole.status is not Status.COMPLETED:
        return Drop(axis, whole, None)
    found = refine(whole if output is None else output, axis.name, limit, of="merged_basin" if merge else "basin",
                   beside=beside, workers=workers, most_runs=most_runs,
                   progress=None if progress is None else lambda runs, number, width: progress(
                       "runs of the search", runs, number))
    return Drop(axis, whole, found)


def measure_widest_gap(found: Drop) -> float:
    """The share of all starts between two neighbours of the first grid, where it is largest: what is smaller may have
    been missed."""
    return float(np.max(np.diff(found.axis.measure(found.axis.grid.values))))
