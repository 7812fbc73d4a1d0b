"""The same scene over many values: every run becomes a row of a table.

    from sim import load_scene, read_sweep, sweep
    result = sweep(load_scene("block_on_incline"), mu="0:1:41", rho=[0.1, 0.2], output="outputs/sweep.h5")
    result.count(), result.outcome, result["end_time"]

Runs are independent: they are compiled code in threads, or in the workers of a cluster, and the table is the same to
the last bit for any number of workers, in any order.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sim.rows.status import Status
from sim.scene.build import take_scene
from sim.scene.scene_errors import NoOutlineError, OverlapError, SceneError
from sim.sweep.axes import SweepAxis, SweepError, count_all, make_axes, scale_axis
from sim.sweep.batch import LOGS, Batch, BatchRunner
from sim.sweep.cells import CellRunner, Study
from sim.sweep.plan import Plan
from sim.sweep.pool import ThreadPool, run_batches
from sim.sweep.stop import StopSign
from sim.sweep.sweep_result import Sweep
from sim.sweep.table import Rows, TextList, build_row_dtype, join_rows, sort_rows

if TYPE_CHECKING:
    from sim.scene.scene import AnyScene


def sweep(
    scene: AnyScene,
    mu: Any = None,
    rho: Any = None,
    vary: Mapping[Any, Any] | Sequence[SweepAxis] | None = None,
    scale: Mapping[str, Any] | None = None,
    *,
    samples: int | None = None,
    seed: int = 0,
    workers: int | None = None,
    client: Any = None,
    output: str | Path | None = None,
    resume: bool = False,
    log: str = "none",
    progress: Callable[[int, int], None] | None = None,
) -> Sweep:
    """Run a scene, given as such or by its name or file, for every combination of values, and return the table.

    mu is the friction coefficient of every pair that has no value of its own (friction.default), rho [m] the radius of
    gyration: it changes the moment of inertia and nothing else. `vary` gives other keys of the scene, as for --set, and
    under a tuple of keys those that vary together, with the values of each: {("a", "b"): ("0:1:11", "2:3:11")}. `scale`
    gives factors of what the scene says at a key. In place of a mapping `vary` may be axes that are made.
    Values are text ("0:1:41", "0,10,20 deg", "uniform(0, 1 mm)", see `axes`) or lists; `samples` and `seed` belong to
    random ones.

    workers: threads, as many as there are processors if not given. client: a dask.distributed.Client, or the address of
    a scheduler ("tcp://host:8786"): the workers of that cluster run the cells. output: the HDF5 file that
    the rows go to as they come; with `resume` a file that is there is completed.
    log: which runs leave a log in the folder beside the file: "all", "failed" (those that did not reach their end time)
    or "none". progress(done, all) is called now and then.

    Ctrl-C finishes the runs that are going on, keeps all, and returns a Sweep with status INTERRUPTED; a second one
    does not wait for them. Raises SweepError for values that cannot be, SceneError for a scene that cannot be, and
    WriteError.
    """
    scene = take_scene(scene)
    axes = _make_all_axes(mu, rho, vary, scale)
    plan = Plan(tuple(count_all(axis, scene.workpiece.outline) for axis in axes), samples, seed)
    if log not in LOGS:
        raise SweepError(f"log = {log!r}: valid: {', '.join(LOGS)}")
    if log != "none" and output is None:
        raise SweepError(f"log = {log!r}: logs lie beside the file of the sweep; give one (output)")
    if resume and output is None:
        raise SweepError("there is nothing to resume: give the file of the sweep (output)")
    if client is not None and workers is not None:
        raise SweepError(f"workers = {workers!r}: counts threads of this machine, and a cluster has its own workers; "
                         "give one of workers and client (--workers and --cluster)")
    threads = count_workers(workers)
    study = Study(scene.text, scene.source, plan.axes)
    runner = make_runner(study, plan)
    if client is None:
        return Job(study, plan, runner, output, resume, log).run(threads, None, progress)
    from sim.sweep.cluster import connect

    with connect(client) as cluster:
        return Job(study, plan, runner, output, resume, log).run(threads, cluster, progress)


def _make_all_axes(mu: Any, rho: Any, vary: Any, scale: Any) -> list[SweepAxis]:
    axes = [axis for name, values in (("mu", mu), ("rho", rho)) if values is not None
            for axis in make_axes(name, values)]
    if isinstance(vary, Mapping) or vary is None:
        axes += [axis for name, values in (vary or {}).items() for axis in make_axes(name, values)]
    else:
        axes += vary
    return axes + [scale_axis(axis) for name, values in (scale or {}).items() for axis in make_axes(name, values)]


def count_workers(workers: int | None) -> int:
    """Number of threads. Raises SweepError."""
    if workers is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
        raise SweepError(f"workers = {workers!r}: must be a whole number, one or more")
    return workers


def make_runner(study: Study, plan: Plan) -> CellRunner:
    """The runner, and a look at the ends of the axes, so that mistakes show before the work. Raises SceneError where
    the first or the last cell is none of the scene, whatever the other axes say; SweepError where an axis changes
    nothing."""
    ends = [plan.get_values(cell) for cell in dict.fromkeys((0, len(plan) - 1))]
    sound, reason = None, ""
    for values in ends:
        try:
            study.build_scene(values, with_text=False)
            sound = values if sound is None else sound
        except SceneError as error:
            if not isinstance(error, OverlapError | NoOutlineError) and not plan.has_random:
                raise
            reason = reason or str(error)
    cells = iter(range(len(plan)))
    while sound is None:
        cell = next(cells, None)
        if cell is None:
            raise SweepError("no cell of the sweep can be run: in all of them the workpiece overlaps an obstacle, or "
                             f"the values are none of the scene. The first: {reason}{describe_units(plan)}")
        try:
            study.build_scene(plan.get_values(cell), with_text=False)
            sound = plan.get_values(cell)
        except SceneError:
            continue
    runner = CellRunner(study, sound)
    runner.check_axes()
    return runner


def describe_units(plan: Plan) -> str:
    """How the values of axes without a unit were read, to be added to what is wrong with them."""
    read = [f"{axis.key} in {axis.shown_unit}" for axis in plan.axes if not axis.unit and axis.shown_unit]
    if not read:
        return ""
    return f". Values without a unit were read in SI units ({', '.join(read)}); write others with theirs"


class Job:
    """A sweep that is going on."""

    def __init__(self, study: Study, plan: Plan, runner: CellRunner, output: str | Path | None, resume: bool, log: str):
        from sim.sweep.resume import make_record, open_file

        self.study, self.plan, self.runner, self.log = study, plan, runner, log
        self.output = None if output is None else Path(output)
        self.stop = StopSign()
        self.record = make_record(study, plan, runner)
        self._kept: list[np.ndarray] = []
        self._texts = TextList()
        self._waiting: list[Rows] = []  # for their logs to be committed
        self._file, self._done, self._logs = (None, np.zeros(len(plan), bool), None)
        if self.output is not None:
            from sim.sweep.log_store import LogStore

            self._file, self._done = open_file(self.output, self.record, resume)
            self._logs = LogStore(self.output, self.record, resume)
        self._n_reused = int(self._done.sum())

    def run(self, workers: int, cluster: Any, progress: Callable[[int, int], None] | None) -> Sweep:
        """Run what is missing: in threads, or in a cluster if there is one."""
        status = Status.FAILED
        try:
            with self.stop:
                for batch in self._produce(workers, cluster):
                    self._keep(batch)
                    if progress is not None:
                        waiting = sum(len(rows.table) for rows in self._waiting)
                        progress(int(self._done.sum()) + waiting, len(self._done))
                self._write_rows()
            status = Status.COMPLETED if self._done.all() else Status.INTERRUPTED
        finally:
            if self._logs is not None:
                self._logs.close(status)
            if self._file is not None:
                self._file.close(status)
        if self.output is not None:
            from sim.sweep.sweep_file import read_sweep_file

            if not self.output.exists():
                raise KeyboardInterrupt
            return Sweep(*read_sweep_file(self.output), self._n_reused, self.output)
        table = np.concatenate([np.zeros(0, build_row_dtype([axis.name for axis in self.plan.axes])), *self._kept])
        return Sweep(self.record, *sort_rows(table, self._texts.texts), status)

    def _keep(self, batch: Batch) -> None:
        """Logs come before rows: a row that is there has its log."""
        if self._logs is not None:
            for logs in batch.logs:
                self._logs.write(logs)
        if len(batch.rows.table):
            self._waiting.append(batch.rows)
        if self._logs is None or not self._logs.waits:
            self._write_rows()

    def _write_rows(self) -> None:
        """Write the rows of the table that wait."""
        if self._logs is not None:
            self._logs.commit()
        if not self._waiting:
            return
        rows = join_rows(self._waiting)
        if self._file is not None:
            self._file.write(rows)
        else:
            self._kept.append(self._texts.take(rows))
        self._done[rows.table["cell"]] = True
        self._waiting = []

    def _produce(self, workers: int, cluster) -> Iterator[Batch]:
        missing = iter(np.flatnonzero(~self._done).tolist())
        first = next(missing, None)
        if first is None:
            return
        if cluster is not None:
            from sim.sweep.cluster import ClusterPool, pack_study

            payload = pack_study(self.study, self.runner.sound, self.record.kernels)
            pool: ClusterPool | ThreadPool = ClusterPool(cluster, payload, self.plan, self.log)
            missing = chain([first], missing)
        else:
            self.runner.warm_up()
            runner = BatchRunner(self.runner, self.log)
            # in this thread: machine code is made once, before there are others
            yield runner.run([first], self.plan.get_table([first]), None, self.stop.is_hard)
            pool = ThreadPool(runner, self.plan, self.stop, workers)
        yield from run_batches(pool, missing, self.stop)
