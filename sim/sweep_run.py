"""The same scene over many values: every run becomes a row of a table.

    from sim import load_scene, read_sweep, sweep
    result = sweep(load_scene("block_on_incline"), mu="0:1:41", rho=[0.1, 0.2], output="outputs/sweep.h5")
    result.count(), result.outcome, result["end_time"], result.get_grid("outcome")

Runs are independent: they are compiled code in threads, and the table is the same to the last bit for any number of
workers, in any order.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sim.axes import SweepError, make_axis
from sim.cell_runner import CellRunner, Interrupted, Study
from sim.plan import Plan
from sim.scene_errors import OverlapError, SceneError
from sim.status import Status
from sim.sweep_result import Sweep, get_log_path
from sim.sweep_stop import StopSign
from sim.sweep_table import NOT_STARTED, RowMaker

if TYPE_CHECKING:
    from sim.scene import Scene

# A batch of cells goes to a thread, and its rows to the file, at once: about this long [s], so that a kill loses little
# and handing over costs nothing. A run that takes longer is a batch of its own.
BATCH_TIME = 0.2
MOST_IN_BATCH = 4096
LOGS = ("all", "failed", "none")


def sweep(
    scene: Scene,
    mu: Any = None,
    rho: Any = None,
    vary: Mapping[str, Any] | None = None,
    *,
    samples: int | None = None,
    seed: int = 0,
    workers: int | None = None,
    output: str | Path | None = None,
    resume: bool = False,
    log: str = "none",
    progress: Callable[[int, int], None] | None = None,
) -> Sweep:
    """Run a scene for every combination of values, and return the table.

    mu is the friction coefficient of every pair that has no value of its own (friction.default), rho [m] the radius of
    gyration: it changes the moment of inertia and nothing else. `vary` gives other keys of the scene, as for --set.
    Values are text ("0:1:41", "0,10,20 deg", "uniform(0, 1 mm)", see `sim.axes`) or lists; `samples` and `seed` belong
    to random ones.

    workers: threads, as many as there are processors if not given. output: the HDF5 file that
    the rows go to as they come; with `resume` a file that is there is completed.
    log: which runs leave a trajectory in the folder beside the file: "all", "failed" (those that did not reach their
    end time) or "none". progress(done, all) is called now and then.

    Ctrl-C finishes the runs that are going on, keeps all, and returns a Sweep with status INTERRUPTED; a second one
    does not wait for them. Raises SweepError for values that cannot be, SceneError for a scene that cannot be, and
    WriteError.
    """
    axes = [make_axis(name, values) for name, values in (("mu", mu), ("rho", rho)) if values is not None]
    axes += [make_axis(name, values) for name, values in (vary or {}).items()]
    plan = Plan(tuple(axes), samples, seed)
    if log not in LOGS:
        raise SweepError(f"log = {log!r}: valid: {', '.join(LOGS)}")
    if log != "none" and output is None:
        raise SweepError(f"log = {log!r}: logs lie beside the file of the sweep; give one (output)")
    if resume and output is None:
        raise SweepError("there is nothing to resume: give the file of the sweep (output)")
    study = Study(scene.text, scene.source, plan.axes)
    runner = make_runner(study, plan)
    job = Job(study, plan, runner, output, resume, log)
    return job.run(count_workers(workers), progress)


def count_workers(workers: int | None) -> int:
    """Number of threads. Raises SweepError."""
    import os

    if workers is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
        raise SweepError(f"workers = {workers!r}: must be a whole number, one or more")
    return workers


def make_runner(study: Study, plan: Plan) -> CellRunner:
    """The runner, and a look at the ends of the axes, so that mistakes show before the work. Raises SceneError where
    the first or the last cell is none of the scene, SweepError where an axis changes nothing."""
    ends = [plan.get_values(cell) for cell in dict.fromkeys((0, len(plan) - 1))]
    sound = None
    for values in ends:
        try:
            study.build_scene(values, with_text=False)
            sound = values if sound is None else sound
        except OverlapError:
            continue
        except SceneError:
            if not plan.has_random:
                raise
    cells = iter(range(len(plan)))
    while sound is None:
        cell = next(cells, None)
        if cell is None:
            raise SweepError("no cell of the sweep can be run: in all of them the workpiece overlaps an obstacle, or "
                             "the values are none of the scene")
        try:
            study.build_scene(plan.get_values(cell), with_text=False)
            sound = plan.get_values(cell)
        except SceneError:
            continue
    runner = CellRunner(study, sound)
    runner.check_axes()
    return runner


class Job:
    """A sweep that is going on."""

    def __init__(self, study: Study, plan: Plan, runner: CellRunner, output, resume: bool, log: str):
        from sim.sweep_resume import make_record, open_file

        self.study, self.plan, self.runner, self.log = study, plan, runner, log
        self.output = None if output is None else Path(output)
        self.stop = StopSign()
        self.record = make_record(study, plan, runner)
        self._kept: list[np.ndarray] = []
        self._file, self._done = (None, np.zeros(len(plan), bool))
        if self.output is not None:
            self._file, self._done = open_file(self.output, self.record, resume)
        self._maker = RowMaker([axis.name for axis in plan.axes]) if self._file is None else self._file.maker

    def run(self, workers: int, progress) -> Sweep:
        """Run what is missing."""
        status = Status.FAILED
        try:
            with self.stop:
                for rows in self._produce(workers):
                    self._keep(rows)
                    if progress is not None:
                        progress(int(self._done.sum()), len(self._done))
            status = Status.COMPLETED if self._done.all() else Status.INTERRUPTED
        finally:
            if self._file is not None:
                self._file.close(status)
        if self.output is not None:
            from sim.sweep_result import read_sweep

            if not self.output.exists():
                raise KeyboardInterrupt
            return read_sweep(self.output)
        table = np.concatenate([np.zeros(0, self._maker.dtype), *self._kept])
        return Sweep(self.record, table[np.argsort(table["cell"], kind="stable")], list(self._maker.texts), status)

    def _keep(self, rows: list[tuple]) -> None:
        if not rows:
            return
        if self._file is not None:
            self._file.write(rows)
        else:
            self._kept.append(self._maker.make(rows))
        self._done[[row[0] for row in rows]] = True

    def _produce(self, workers: int) -> Iterator[list[tuple]]:
        missing = iter(np.flatnonzero(~self._done).tolist())
        first = next(missing, None)
        if first is None:
            return
        self.runner.warm_up()
        yield self.run_batch([first])  # in this thread: machine code is made once, before there are others
        yield from self._run_threads(workers, missing)

    def _run_threads(self, workers: int, missing: Iterator[int]) -> Iterator[list[tuple]]:
        size, pending = 1, {}
        with ThreadPoolExecutor(workers, thread_name_prefix="stiction") as pool:
            try:
                while True:
                    while not self.stop.is_set() and len(pending) < workers + 1:
                        batch = [cell for _, cell in zip(range(size), missing, strict=False)]
                        if not batch:
                            break
                        pending[pool.submit(self._time_batch, batch)] = len(batch)
                    if not pending:
                        return
                    for future in wait(pending, timeout=0.5, return_when=FIRST_COMPLETED).done:
                        number = pending.pop(future)
                        rows, elapsed = future.result()
                        if number == size:
                            size = min(max(1, round(size * BATCH_TIME / max(elapsed, 1e-6))), 4 * size, MOST_IN_BATCH)
                        yield rows
            except BaseException:
                self.stop.set_hard()
                raise

    def _time_batch(self, cells: list[int]) -> tuple[list[tuple], float]:
        began = time.perf_counter()
        with np.errstate(all="ignore"):
            return self.run_batch(cells), time.perf_counter() - began

    def run_batch(self, cells: list[int]) -> list[tuple]:
        """Rows of some cells; those that a stop leaves out have none."""
        rows = []
        for cell in cells:
            if self.stop.is_set() and threading.current_thread() is not threading.main_thread():
                break
            try:
                row = self.runner.run(cell, self.plan.get_values(cell), self.stop.is_hard)
                self._log(row)
            except Interrupted:
                break
            rows.append(row)
        return rows

    def _log(self, row: tuple) -> None:
        """The trajectory of a run, before its row: a row that is there has its log."""
        status = row[2 + len(self.plan.axes)]
        if status == NOT_STARTED or self.log == "none" or (self.log == "failed" and status == Status.COMPLETED):
            return
        write_log(self.study.build_scene(row[1 : 1 + len(self.plan.axes)]), get_log_path(self.output, row[0]))


def write_log(scene: Scene, path: Path) -> None:
    """Run a scene into a log that appears when it is complete."""
    from sim.simulation import simulate

    try:
        simulate(scene).save(path)
    except ArithmeticError:
        return  # the run fails likewise in the sweep: its row says how
