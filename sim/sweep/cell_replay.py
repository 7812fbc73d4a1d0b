"""From a cell of a sweep back to its motion: the log that the sweep left, or the same run once more.

A run is the same to the last bit wherever it is made, so its end is compared with the row of the table; where it
differs, or the row is missing, a note says so. A sweep runs without rows between events; with them, as in a log, the
end may differ by rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sim.log.trajectory import Trajectory
from sim.scene.scene import Scene
from sim.sweep.axes import SweepError, describe_value
from sim.sweep.sweep_file import blame_file
from sim.sweep.sweep_result import Sweep, read_cell_log, read_sweep
from sim.sweep.table import NOT_STARTED, describe_status, split_turns
from sim.tolerances import LEAST_LENGTH, RERUN_ROUNDING

ROWS = 400  # of a run that is made again, if its scene asks for none between events
END = ("end_time", "x", "y", "theta", "vx", "vy", "omega")


@dataclass(frozen=True, eq=False)
class Cell:
    """One cell of a sweep, its scene, and what the table knows of it."""

    path: Path  # of the sweep
    sweep: Sweep
    number: int
    scene: Scene
    row: np.void | None  # of the table; None where the cell has not run

    def describe(self) -> str:
        """The values of the cell."""
        axes, values = self.sweep.plan.axes, self.sweep.plan.get_values(self.number)
        return ", ".join(f"{axis.name} = {describe_value(axis, value)}"
                         for axis, value in zip(axes, values, strict=True))


def find_cell(path: str | Path, pairs: list[tuple[str, str]]) -> Cell:
    """The cell of a sweep with these values, a (name, value) pair for each axis.

    Raises SweepError: for a name or value that the sweep does not have, naming the nearest; for a cell that cannot be
    run.
    """
    sweep = read_sweep(path)
    return get_cell(sweep, sweep.plan.find_cell(pairs))


def get_cell(sweep: Sweep, number: int) -> Cell:
    """The cell with this number, of a sweep from a file. Raises SweepError for one that cannot be run."""
    if sweep.path is None:
        raise SweepError("this sweep has no file: its cells cannot be looked up")
    place = int(np.searchsorted(sweep.table["cell"], number))
    known = place < len(sweep) and sweep.table["cell"][place] == number
    row = sweep.table[place] if known else None
    if known and row["status"] == NOT_STARTED:
        raise SweepError(f"this cell has no motion: {sweep.outcome[place]}. {sweep['message'][place]}")
    with blame_file(sweep.path):
        return Cell(sweep.path, sweep, number, sweep.build_scene(number), row)


def read_log(cell: Cell) -> tuple[Trajectory | None, Path | None, str]:
    """The trajectory that the sweep has left, None if there is none of this very cell; the file that has it; and a
    note, "" for none."""
    trajectory, path, note = read_cell_log(cell.path, cell.sweep.record, cell.number, cell.scene)
    return trajectory, path, note if trajectory is None else compare_end(cell, trajectory, RERUN_ROUNDING)


def run_cell(cell: Cell, progress=None) -> tuple[Trajectory, str]:
    """Run the cell once more, as the sweep did, and compare its end with the table; then with rows, to be looked at.

    Returns the trajectory with rows, and a note, "" if the run was the same to the last bit.
    """
    from sim.run.simulation import simulate

    bare = simulate(cell.scene, output_interval=None, progress=progress)
    note = compare_end(cell, bare)
    length = max(float(bare.time[-1]), LEAST_LENGTH * cell.scene.run.duration)
    interval = cell.scene.run.output_interval or length / ROWS
    trajectory = simulate(cell.scene, output_interval=interval, progress=progress)
    return trajectory, note or compare_end(cell, trajectory, RERUN_ROUNDING)


def compare_end(cell: Cell, trajectory: Trajectory, tolerance: float = 0.0) -> str:
    """What differs between the end of a trajectory and the row of the table; "" if nothing does."""
    if cell.row is None:
        return "the sweep has not run this cell yet: there is no row to compare it with"
    (x, y, angle), row = trajectory.pose[-1], cell.row
    theta, turns = split_turns(angle)
    if turns != row["turns"]:  # at the end of a turn rounding makes one more
        theta = float(angle) - 2.0 * np.pi * float(row["turns"])
    found = [float(value) for value in (trajectory.time[-1], x, y, theta, *trajectory.velocity[-1])]
    said = [float(row[name]) for name in END]
    allowed = tolerance * max(map(abs, said))
    differing = [f"{name} {now!r}, was {was!r}" for name, now, was in zip(END, found, said, strict=True)
                 if not abs(now - was) <= allowed]
    if int(cell.row["status"]) != int(trajectory.status):
        differing.append(f"status {trajectory.status.name}, was {describe_status(cell.row['status'])}")
    if not differing:
        return ""
    return f"this is not the run of the table: {'; '.join(differing)}. {describe_programs(cell.sweep)}"


def describe_programs(sweep: Sweep) -> str:
    """Is this the program that wrote a sweep?"""
    from geometry.compiled.code_folder import compute_source_hash, get_state

    record, now = sweep.record, compute_source_hash(get_state().root, get_state().archive)
    if now == record.kernels:
        return "The program is the one that wrote the table, so this is a defect of Stiction"
    return (f"The program has changed: the table was written by {record.program} ({record.kernels[:12]}), this is "
            f"{now[:12]}")
