"""A batch of a sweep: the rows of some cells, and the trajectories that they leave."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sim.files.write_error import WriteError
from sim.instant.outcome import FAILED
from sim.log.sink import H5Sink
from sim.rows.status import Status
from sim.sweep.cells import CellRunner, shorten
from sim.sweep.setting import Study
from sim.sweep.table import NOT_STARTED, Rows, TextList

LOGS = ("all", "failed", "none")


class Batch(NamedTuple):
    """What came out of a batch."""

    rows: Rows
    seconds: float


class BatchRunner:
    """Runs batches; one for all threads of a process."""

    def __init__(self, study: Study, runner: CellRunner, log: str, get_log_path: Callable[[int], Path] | None):
        self._study, self._runner, self._log, self._get_log_path = study, runner, log, get_log_path

    def run(self, cells: list[int], values: np.ndarray, stop=None, stop_hard=None) -> Batch:
        """Rows of the cells with values (n, axes), see `CellRunner.run_batch`. Raises WriteError for a log."""
        began = time.perf_counter()
        rows = self._runner.run_batch(cells, values, stop, stop_hard)
        if self._log != "none":
            rows = self._write_logs(rows, values, stop)
        return Batch(rows, time.perf_counter() - began)

    def _write_logs(self, rows: Rows, values: np.ndarray, stop) -> Rows:
        """Logs come before rows: a row that is there has its log."""
        table, texts = rows.table.copy(), TextList(rows.texts)
        for place, row in enumerate(table):
            if stop is not None and stop() and place > 0:
                return Rows(table[:place], texts.texts)
            status = row["status"]
            if status == NOT_STARTED or (self._log == "failed" and status == Status.COMPLETED):
                continue
            error = write_log(self._study, values[place], self._get_log_path(int(row["cell"])))
            if error:
                message = f"{texts.texts[row['message']]}; no log: {error}".removeprefix("; ")
                table["status"][place], table["outcome"][place] = Status.FAILED, FAILED
                table["message"][place] = texts.number(shorten(message))
        return Rows(table, texts.texts)


def write_log(study: Study, values, path: Path) -> str:
    """Run a cell into a log; returns what went wrong, "" if nothing did. Raises WriteError."""
    from sim.run.simulation import simulate

    try:
        scene = study.build_scene(values)
        with H5Sink(path, scene) as sink:
            simulate(scene, sink=sink)
    except WriteError:
        raise
    except Exception as error:  # a defect: the row says which, and the sweep goes on
        return f"{type(error).__name__}: {error}"
    return ""
