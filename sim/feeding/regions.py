"""The basins of two start parameters: regions of a plane with exact boundaries, and their shares of all starts.

    from stiction import drop_regions
    found = drop_regions("l_drop.toml", {"workpiece.pose.theta": "0:360 deg", "workpiece.velocity.omega": "-5:5"})
    found.measure_shares(), found.found.segments, found.n_runs

Like a drop of one parameter it is a sweep over a grid of starts, and what was traced of it, in one file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.feeding.start_axis import StartAxis, make_start_axis
from sim.rows.status import Status
from sim.scene.build import take_scene
from sim.sweep.axes import SweepError, make_axis
from sim.sweep.refine.bisection import DONE, LIMIT
from sim.sweep.refine.refine import MOST_RUNS
from sim.sweep.refine.trace import trace
from sim.sweep.refine.tracing import RegionShare, Tracing
from sim.sweep.sweep import sweep
from sim.sweep.sweep_result import Sweep
from sim.tolerances import TRACE_RESOLUTION, TRACE_TOLERANCE

if TYPE_CHECKING:
    from sim.scene.scene import AnyScene

GRID_OF_TWO = 33  # starts along each range that says none


@dataclass(frozen=True, eq=False)
class RegionDrop:
    """The regions of two start parameters, on one sheet or, over other values, on several."""

    axes: tuple[StartAxis, StartAxis]
    sweep: Sweep
    found: Tracing | None  # None where the grid was interrupted

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
    def n_sheets(self) -> int:
        """With regions; 0 of a search that has not ended."""
        return len(self.found.sheets) if self.found is not None and self.is_whole else 0

    def get_others(self, sheet: int) -> dict[str, float]:
        """The other values of a sheet."""
        if self.found is None:
            return {}
        return dict(zip(self.found.others, self.found.sheets[sheet].tolist(), strict=True))

    def measure_shares(self, sheet: int = 0) -> dict[str, RegionShare]:
        """How many of all starts, as they are distributed, lead to each outcome, the largest first."""
        if self.found is None:
            return {}
        return self.found.measure_shares(sheet, (self.axes[0].measure, self.axes[1].measure))


def drop_regions(
    scene: AnyScene,
    vary: Mapping[str, Any],
    over: Mapping[str, Any] | None = None,
    *,
    resolution: float = TRACE_RESOLUTION,
    tolerance: float = TRACE_TOLERANCE,
    merge: bool = False,
    output: str | Path | None = None,
    resume: bool = False,
    workers: int | None = None,
    client: Any = None,
    most_runs: int = MOST_RUNS,
    progress: Callable[[str, int, int], None] | None = None,
) -> RegionDrop:
    """Find the basins of two start parameters: which starts lead to which outcome, and how many of all they are.

    vary: their keys and ranges, see `sim.feeding.start_axis`. over: keys and values, as of a sweep, for each of which
    the regions are found. resolution, tolerance: of squares and boundaries, shares of the ranges, see
    `sim.sweep.refine.trace.trace`. The other arguments are those of `sim.feeding.drop.drop`.

    Raises SweepError, SceneError, WriteError. Ctrl-C keeps what is known.
    """
    scene = take_scene(scene)
    if len(vary) != 2:
        raise SweepError(f"{len(vary)} start parameters: regions of a plane have two")
    first, second = (make_start_axis(name, values, GRID_OF_TWO) for name, values in vary.items())
    others = {make_axis(key, value).key for key, value in (over or {}).items()}
    for axis in (first, second):
        if axis.grid.key in others:
            raise SweepError(f"{axis.name} is a start parameter, and cannot be varied by `over` as well")
    whole = sweep(scene, vary={**(over or {}), first.name: first.grid, second.name: second.grid}, output=output,
                  resume=resume, workers=workers, client=client,
                  progress=None if progress is None else lambda done, total: progress("runs of the grid", done, total))
    if whole.status is not Status.COMPLETED:
        return RegionDrop((first, second), whole, None)
    found = trace(whole if output is None else output, (first.name, second.name), resolution=resolution,
                  tolerance=tolerance, of="merged_basin" if merge else "basin", workers=workers, most_runs=most_runs,
                  progress=None if progress is None else lambda runs, what: progress(
                      "runs of the search", runs, int(what.split()[0])))
    return RegionDrop((first, second), whole, found)
