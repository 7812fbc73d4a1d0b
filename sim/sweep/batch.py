"""A batch of a sweep: the rows of some cells, and the logs of their runs."""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np

from sim.instant.outcome import FAILED
from sim.rows.status import Status
from sim.sweep.cells import CellRunner, shorten
from sim.sweep.logged_cells import CellLogger, CellLogs
from sim.sweep.table import NOT_STARTED, Rows, TextList

LOGS = ("all", "failed", "none")


class Batch(NamedTuple):
    """What came out of a batch."""

    rows: Rows
    logs: list[CellLogs]
    seconds: float

    @property
    def n_bytes(self) -> int:
        """Of the rows of all logs."""
        return sum(logs.n_bytes for logs in self.logs)


class BatchRunner:
    """Runs batches; one for all threads of a process."""

    def __init__(self, runner: CellRunner, log: str):
        self._runner, self._log, self._logger = runner, log, CellLogger(runner)

    def run(self, cells: list[int], values: np.ndarray, stop=None, stop_hard=None) -> Batch:
        """Rows of the cells with values (n, axes), see `CellRunner.run_batch`, and the logs that are wanted.

        A run that is logged is made twice, without and with rows between events: so the table is the same whatever is
        logged.
        """
        began = time.perf_counter()
        rows, logs = self._runner.run_batch(cells, values, stop, stop_hard), []
        if self._log != "none":
            rows, logs = self._add_logs(rows, values, stop_hard)
        return Batch(rows, logs, time.perf_counter() - began)

    def _add_logs(self, rows: Rows, values: np.ndarray, stop_hard) -> tuple[Rows, list[CellLogs]]:
        table, texts = rows.table.copy(), TextList(rows.texts)
        wanted = table["status"] != NOT_STARTED
        if self._log == "failed":
            wanted &= table["status"] != Status.COMPLETED
        logs, failures = self._logger.run(table["cell"][wanted], values[: len(table)][wanted], stop_hard)
        for place in np.flatnonzero(np.isin(table["cell"], list(failures))).tolist():
            error = failures[int(table["cell"][place])]
            message = f"{texts.texts[table['message'][place]]}; no log: {error}".removeprefix("; ")
            table["status"][place], table["outcome"][place] = Status.FAILED, FAILED
            table["message"][place] = texts.number(shorten(message))
        there = {*failures, *(cell for part in logs for cell in part.cells["cell"].tolist())}
        kept = ~wanted | np.isin(table["cell"], list(there))  # not those that were broken off
        return Rows(table[kept], texts.texts), logs
