"""Runs cells of a sweep with the rows that `simulate` of their scenes would log, many in one call of compiled code."""

from __future__ import annotations

import dataclasses
import threading
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from sim.files.spool import Spool
from sim.rows.account import (
    ACCOUNT_FIELDS,
    compute_energy_residual,
    compute_rounding,
    end_account,
    judge_completed,
    pack_account,
    unpack_account,
)
from sim.rows.branch_table import ACCOUNT_PREFIX, COUNT_FIELDS, FIRST_FIELDS, MESSAGE_BYTES, encode_cut
from sim.rows.cell_table import CELL_DTYPE
from sim.rows.status import Status
from sim.sweep.cells import CellRunner, Desk
from sim.sweep.setting import Group, Shape

BUFFER_ROWS = 16384  # handed over at once
_SAME = ("penetration", "gap_residual", "slip_residual", "balance_residual", "cone_residual", "n_steps", "n_events",
         "n_impacts")  # fmt: skip
_ENERGIES = {"energy_start": "kinetic_start", "energy_end": "kinetic_end", "work_load": "load",
             "work_friction": "friction", "work_impact": "impact", "work_obstacles": "pushed"}  # fmt: skip
_COUNTS = {"n_rejected": "rejected", "n_evaluations": "evaluations", "n_bridges": "bridges", "time_bridged": "bridged",
           "time_not_unique": "not_unique"}  # fmt: skip


class CellLogs(NamedTuple):
    """The rows of some runs, one run after the other."""

    pieces: list[tuple[np.ndarray, ...]]  # of the four tables; links count from the first rows of a run
    cells: np.ndarray  # (n,) CELL_DTYPE; `first_row` counts from the first row of all pieces
    values: np.ndarray  # (n, axes)
    works: np.ndarray  # (n, obstacles that move) J, NaN where they are not known

    def __len__(self) -> int:
        return len(self.cells)

    @property
    def n_bytes(self) -> int:
        """Of all rows."""
        return sum(table.nbytes for piece in self.pieces for table in piece)


class Ran(NamedTuple):
    """What comes out of a desk."""

    results: np.recarray  # (n,) sim.engine.many_runs.RESULT
    logged: np.recarray  # (n,) sim.engine.many_runs.LOGGED, `counts` from the first row of all pieces
    kinds: np.recarray  # (n,) sim.engine.many_runs.CELL
    pushed: np.ndarray  # (n, movers) J
    pieces: list[tuple[np.ndarray, ...]]
    failures: dict[int, str]  # what went wrong in compiled code, by place


class CellLogger:
    """Runs cells and keeps their rows; one for all threads of a process."""

    def __init__(self, runner: CellRunner):
        self._runner = runner
        self._own = threading.local()

    def run(self, cells: np.ndarray, values: np.ndarray, stop_hard=None) -> tuple[list[CellLogs], dict[int, str]]:
        """The rows of some cells that can be run: values (n, axes); and what went wrong, by cell, with those that have
        none. Where `stop_hard()` is true the runs that are left out have neither."""
        parts, failures = [], {}
        for group in self._runner.settings.make(values) if len(values) else ():
            ran = self._get_desk(group.shape).log(group, stop_hard)
            done, own = len(ran.results), cells[group.members]
            failures |= {int(own[place]): text for place, text in ran.failures.items()}
            parts.append(self._judge(ran, own[:done], values[group.members][:done], group.shape))
        return parts, failures

    def _get_desk(self, shape: Shape) -> LoggingDesk:
        desk = getattr(self._own, "desk", None)
        if desk is None or desk.shape is not shape:
            desk = self._own.desk = LoggingDesk(shape, self._runner.start, BUFFER_ROWS)
        return desk

    def _judge(self, ran: Ran, cells: np.ndarray, values: np.ndarray, shape: Shape) -> CellLogs:
        """How runs ended, in the words of `simulate`, and where their rows are."""
        table = np.zeros(len(cells), CELL_DTYPE)
        table["cell"], table["status"] = cells, ran.results.status
        ends = ran.logged.counts
        starts = np.vstack([np.zeros((1, 4), np.int64), ends[:-1]])
        for k in range(4):
            table[FIRST_FIELDS[k]], table[COUNT_FIELDS[k]] = starts[:, k], ends[:, k] - starts[:, k]
        works = ran.pushed.copy()
        rounding = fill_accounts(table, ran)
        for place in np.flatnonzero(table["status"] != Status.COMPLETED).tolist():
            end_early(table[place], ran, place, works[place], float(rounding[place]))
        completed = np.flatnonzero(table["status"] == Status.COMPLETED)
        for place, (status, message) in judge(ran, table, completed, shape.body.part.radius).items():
            table["status"][completed[place]] = status
            table["message"][completed[place]] = encode_cut(message, MESSAGE_BYTES)
        for place in np.flatnonzero(table["status"] == Status.STALLED).tolist():
            message = self._describe_stall(ran, place, values[place], shape)
            table["message"][place] = encode_cut(message, MESSAGE_BYTES)
        sound = [place for place in range(len(table)) if place not in ran.failures]
        return CellLogs(ran.pieces, table[sound], values[sound], works[sound])

    def _describe_stall(self, ran: Ran, place: int, values: np.ndarray, shape: Shape) -> str:
        from sim.run.simulation import describe_stall

        result = ran.results[place]
        state = SimpleNamespace(cause=ran.logged[place].cause, steps=int(result.n_steps), events=int(result.n_events),
                                time=result.time)
        return describe_stall(state, shape.body, self._runner.study.build_scene(values, with_text=False))


def fill_accounts(table: np.ndarray, ran: Ran) -> np.ndarray:
    """The accounts of runs at their ends; returns (n,) the rounding of their energies, see `compute_rounding`."""
    results, logged, kinds = ran.results, ran.logged, ran.kinds
    columns = {name: results[name] for name in _SAME}
    columns |= {name: results[source] for name, source in _ENERGIES.items()}
    columns |= {name: logged[source] for name, source in _COUNTS.items()}
    columns["work_bridged"] = kinds.mass * logged.bridge_work
    rounding = compute_rounding(kinds.mass, kinds.load, kinds.touch)
    columns["energy_residual"] = compute_energy_residual(*(results[source] for source in _ENERGIES.values()),
                                                         rounding=rounding, exchange=results.exchange)
    for name, column in columns.items():
        table[f"{ACCOUNT_PREFIX}{name}"] = column
    return rounding


def end_early(row: np.void, ran: Ran, place: int, works: np.ndarray, rounding: float) -> None:
    """The account of a run that ended on its way is that of its last row."""
    from sim.run.ledger import find_time_not_unique

    last = find_row(ran.pieces, int(ran.logged[place].counts[0]) - 1)
    account = unpack_account(view_account(row))
    if last is None or account is None:
        return
    account = dataclasses.replace(account, obstacle_work=tuple(works.tolist()))
    account = end_account(account, last, rounding)
    packed = pack_account(dataclasses.replace(
        account, time_not_unique=find_time_not_unique(ran.logged[place], float(last["time"]))))
    for name, *_ in ACCOUNT_FIELDS:
        row[f"{ACCOUNT_PREFIX}{name}"] = packed[name]
    works[:] = account.obstacle_work or np.nan


def view_account(row: np.void) -> np.ndarray:
    """The account in a row of the table of cells, as a log has it."""
    account = pack_account(None)
    for name, *_ in ACCOUNT_FIELDS:
        account[name] = row[f"{ACCOUNT_PREFIX}{name}"]
    return account


def find_row(pieces: list[tuple[np.ndarray, ...]], index: int) -> np.void | None:
    """A row of /steps by its number in all pieces."""
    for piece in pieces:
        if index < len(piece[0]):
            return piece[0][index] if index >= 0 else None
        index -= len(piece[0])
    return None


def judge(ran: Ran, table: np.ndarray, completed: np.ndarray, size: float) -> dict[int, tuple[Status, str]]:
    """Runs that reached their end time and have not ended well, see `judge_completed`."""
    rows, results, kinds = table[completed], ran.results[completed], ran.kinds[completed]
    entries = {name: rows[f"{ACCOUNT_PREFIX}{name}"] for name, *_ in ACCOUNT_FIELDS}
    numbers = [entries[name] for name, kind, *_ in ACCOUNT_FIELDS if kind == "f8"]
    finite = np.isfinite([*results.pose.T, *results.velocity.T, *numbers]).all(axis=0)
    return judge_completed(finite, entries, size, np.where(kinds.step == 0.0, kinds.tolerance, 0.0))


class LoggingDesk(Desk):
    """A place to run cells of one shape with their rows."""

    def log(self, group: Group, stop_hard=None) -> Ran:
        """Run cells."""
        from geometry.compiled.kernel import get_function
        from geometry.compiled.record import allocate_table
        from sim.engine.many_runs import END, GOING, LOGGED, NEXT, RESULT, begin_cells, empty_log, log_cells
        from sim.engine.recorder import has_room
        from sim.run.cold_start import advance_cells

        n, progress, log = len(group.which), self._work.progress, self._work.log
        table, packed = self._pack(group)
        results, logged = allocate_table(RESULT, n), allocate_table(LOGGED, n)
        pushed = np.zeros((n, int(np.count_nonzero(np.asarray(self._body.walls.mover)["walls"]))))
        pieces, failures, written = [], {}, np.zeros(4, np.int64)
        begin_cells(self._work, n)
        with Spool() as spool:
            while progress[NEXT] < progress[END]:
                first = int(progress[NEXT])
                try:
                    advance_cells(log_cells, (self._body, self.shape.options, table, packed, self._work, results,
                                              logged, pushed), self._work)
                except Exception as error:  # a defect: one cell shall not end a sweep
                    place = int(progress[NEXT])
                    failures[place] = f"{type(error).__name__}: {error}"
                    logged[place].counts[:] = log.counts[:4]
                    progress[GOING], progress[NEXT] = 0, place + 1
                logged.counts[first : int(progress[NEXT])] += written
                if stop_hard is not None and stop_hard():
                    progress[END] = progress[NEXT]
                if progress[NEXT] < progress[END] and get_function(has_room)(log):
                    continue
                counts = log.counts[:4].tolist()
                pieces.append(tuple(spool.keep(rows[:count]) for rows, count in zip(log[1:], counts, strict=True)))
                written += log.counts[:4]
                empty_log(log)
        n = int(progress[END])
        return Ran(results[:n], logged[:n], table[:n], pushed[:n], pieces, failures)
