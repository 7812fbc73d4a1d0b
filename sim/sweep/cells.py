"""Runs the cells of a sweep: from values to rows of the table, many in one call of compiled code."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dynamics.tolerances import SPEED_ROUNDING
from sim.instant.outcome import FAILED, is_held, lies_still, list_outcomes
from sim.rows.account import compute_energy_residual, compute_rounding, judge_completed
from sim.rows.status import Status
from sim.sweep.setting import BadCell, Setting, SettingMaker, Shape, Study
from sim.sweep.table import NOT_STARTED, Rows, TextList, build_row_dtype, split_turns
from sim.tolerances import STILL

if TYPE_CHECKING:
    from sim.engine.many_runs import Pairs

__all__ = ["CellRunner", "Interrupted", "Study"]

TEXT_BYTES = 240  # of a text in the table
_SAME = ("largest_fn", "time_not_unique", "n_events", "n_impacts", "n_steps", "penetration", "gap_residual",
         "slip_residual", "balance_residual", "cone_residual")  # fmt: skip
_ENDS = ("x", "y", "theta", "vx", "vy", "omega", "largest_fn", "energy_residual")
_UNKNOWN = ("end_time", "x", "y", "theta", "vx", "vy", "omega", "largest_fn", "time_not_unique", "penetration",
            "gap_residual", "slip_residual", "balance_residual", "cone_residual", "energy_residual")  # fmt: skip


class Interrupted(Exception):
    """A run was broken off; it leaves no row."""


class CellRunner:
    """Runs cells; one for all threads of a process."""

    def __init__(self, study: Study, values):
        """`values`: those of any cell that can be built. Raises SceneError, SweepError."""
        from sim.run.model import build_start

        self.sound = tuple(values)
        self.settings = SettingMaker(study, values)
        self.outcomes = list_outcomes(self.settings.first)
        self.start = build_start(self.settings.first)
        self.study, self._axis_names = study, [axis.name for axis in study.axes]
        self._dtype = build_row_dtype(self._axis_names)
        self._own = threading.local()

    def check_axes(self) -> None:
        """Raise SweepError for an axis of friction or restitution that no pair listens to."""
        self.settings.check_axes()

    def warm_up(self) -> None:
        """Ask for machine code that is not on disk yet, or compile it where code is waited for, before there are
        threads."""
        from geometry.compiled.kernel import is_disabled
        from sim.run.cold_start import ask_for_parts
        from sim.run.model import prepare

        if not is_disabled():
            ask_for_parts(prepare(self.settings.first))

    def run(self, cell: int, values, stop=None) -> tuple:
        """The row of one cell as a tuple in the order of the table, texts as text.

        `stop()` is asked now and then; where it is true, Interrupted is raised.
        """
        table, texts = self.run_batch([cell], np.array([values], dtype=np.float64), None, stop)
        if not len(table):
            raise Interrupted
        names = table.dtype.names
        return tuple(texts[value] if name in ("modes", "message") else value
                     for name, value in zip(names, table[0].tolist(), strict=True))

    def run_batch(self, cells, values: np.ndarray, stop=None, stop_hard=None) -> Rows:
        """The rows of some cells: values (n, axes). Whatever goes wrong with a run becomes the status of its row.

        Where `stop()` is true no further run begins, where `stop_hard()` is, runs are broken off: these have no rows.
        """
        cells, texts, tables = np.asarray(cells, dtype=np.int64), TextList(), []
        made = [self.settings.make(row) for row in values.tolist()]
        for shape, members in groupby(range(len(cells)), key=lambda i: identify_shape(made[i][0])):
            members = list(members)
            if stop is not None and stop():
                break
            table = np.zeros(len(members), self._dtype)
            table["cell"] = cells[members]
            for index in range(values.shape[1]):
                table[self._dtype.names[1 + index]] = values[members, index]
            if shape is None:
                _fill_bad_rows(table, [made[i][0] for i in members], texts)
            else:
                table = self._run_group(table, [made[i] for i in members], texts, (stop, stop_hard))
            tables.append(table)
        return Rows(np.concatenate([np.zeros(0, self._dtype), *tables]), texts.texts)

    def _run_group(self, table: np.ndarray, made: list, texts: TextList, stops) -> np.ndarray:
        """Fill the rows of cells with the same shape; returns those that ran."""
        settings = [setting for setting, _ in made]
        distinct = {id(setting): setting for setting in settings}
        places = {identity: place for place, identity in enumerate(distinct)}
        which = [places[id(setting)] for setting in settings]
        pairs = np.stack([setting.pairs for setting in distinct.values()])[which]
        self.settings.fill_pairs(pairs, np.array([read for _, read in made]))
        desk = self._get_desk(settings[0].shape)
        ends = desk.run([setting.cell for setting in distinct.values()], which, pairs, stops)
        table = table[: len(ends.results)]
        fill_rows(table, ends, settings, pairs[:, 0], texts, self._lies_still)
        return table

    def _lies_still(self, row: np.void, pose) -> bool:
        """Is the part of a cell, which the engine has not seen come to rest for good, at rest at its end?"""
        scene = self.study.build_scene([float(row[name]) for name in self._axis_names], with_text=False)
        return lies_still(scene, pose, np.array([row[name] for name in ("vx", "vy", "omega")]), float(row["end_time"]))

    def _get_desk(self, shape: Shape) -> Desk:
        """The work arrays of this thread for a shape."""
        desk = getattr(self._own, "desk", None)
        if desk is None or desk.shape is not shape:
            desk = self._own.desk = Desk(shape, self.start)
        return desk


def identify_shape(setting: Setting | BadCell) -> int | None:
    """What tells shapes apart, None for a cell that cannot be run."""
    return None if isinstance(setting, BadCell) else id(setting.shape)


class Ends(NamedTuple):
    """How runs have ended."""

    results: np.recarray  # (n,) sim.engine.many_runs.RESULT
    cells: np.recarray  # (n,) sim.engine.many_runs.CELL
    modes: list[str]
    contacts: list[np.ndarray]  # last contacts, of runs that they may hold
    failures: dict[int, str]  # what went wrong in compiled code, by place


class Desk:
    """A place to run cells of one shape. Its arrays are its own: runs write to them."""

    def __init__(self, shape: Shape, start: np.record, rows: int | None = None):
        """rows: room for rows that are to be kept."""
        from geometry.contact.moving import copy_walls
        from sim.engine.many_runs import BUFFER_ROWS, allocate_work
        from sim.engine.state import allocate_tools

        self.shape = shape
        body, walls = shape.body, copy_walls(shape.body.walls)
        self._body = body._replace(walls=walls, w=body.w.copy(), load=body.load.copy())
        self._work = allocate_work(start, walls, allocate_tools(body.part, walls), rows or BUFFER_ROWS)

    def run(self, kinds: list[bytes], which: list[int], pairs: np.ndarray, stops) -> Ends:
        """Run cells.

        kinds: the bytes of different CELLs; which (n,): the kind of each cell; pairs (n, 3, obstacles); stops: see
        `CellRunner.run_batch`.
        """
        from geometry.compiled.record import allocate_table
        from sim.engine.many_runs import CONTACTS, END, GOING, MODES, NEXT, RESULT
        from sim.run.cold_start import advance_cells

        results, progress, work = allocate_table(RESULT, len(which)), self._work.progress, self._work
        arrays = table, _ = self._pack(kinds, which, pairs)
        ends = Ends(results, table, [], [], {})
        progress[:] = 0
        progress[END] = len(which)
        stop, stop_hard = stops
        while progress[NEXT] < progress[END]:
            first = int(progress[NEXT])
            progress[MODES] = progress[CONTACTS] = 0
            try:
                advance_cells((self._body, self.shape.options, *arrays, work, results), work)
            except Exception as error:  # a defect: one cell shall not end a sweep
                place = int(progress[NEXT])
                ends.failures[place] = f"{type(error).__name__}: {error}"
                results[place].modes_end, results[place].contacts_end = progress[MODES], progress[CONTACTS]
                progress[GOING], progress[NEXT] = 0, place + 1
            self._take_pools(ends, first, int(progress[NEXT]))
            if stop is not None and stop():
                progress[END] = progress[NEXT] + progress[GOING]
            if stop_hard is not None and stop_hard():
                progress[END] = progress[NEXT]
        n = int(progress[END])
        return ends._replace(results=results[:n], cells=table[:n])

    def _pack(self, kinds: list[bytes], which: Sequence[int], pairs: np.ndarray) -> tuple[np.recarray, Pairs]:
        """(cells, pairs) as compiled code takes them; see `run`."""
        from geometry.compiled.record import allocate_table
        from sim.engine.many_runs import CELL, Pairs

        table = allocate_table(CELL, len(which))
        kind_bytes = np.frombuffer(b"".join(kinds), np.uint8).reshape(len(kinds), CELL.itemsize)
        table.view(np.uint8).reshape(len(which), CELL.itemsize)[:] = kind_bytes[list(which)]
        mu, e, law = (np.ascontiguousarray(pairs[:, row]) for row in range(3))
        return table, Pairs(mu, e, law.astype(np.int64))

    def _take_pools(self, ends: Ends, first: int, last: int) -> None:
        work, begin, begin_contacts = self._work, 0, 0
        for end, end_contacts in zip(ends.results.modes_end[first:last].tolist(),
                                     ends.results.contacts_end[first:last].tolist(), strict=True):
            ends.modes.append(format_modes(work.modes[begin:end].tobytes()))
            rows = work.contacts[begin_contacts:end_contacts]
            ends.contacts.append(rows.copy() if len(rows) else rows[:0])
            begin, begin_contacts = end, end_contacts


def fill_rows(table: np.ndarray, ends: Ends, settings: list[Setting], mu: np.ndarray, texts: TextList, still) -> None:
    """Rows of runs that have ended. settings: of each run; mu (n, obstacles); still(row, pose): asked of a part that
    has contacts, and is not known to be at rest for good."""
    results = ends.results
    energies = (results[name] for name in ("kinetic_start", "kinetic_end", "load", "friction", "impact", "pushed"))
    rounding = compute_rounding(ends.cells.mass, ends.cells.load, ends.cells.touch)
    table["energy_residual"] = compute_energy_residual(*energies, rounding=rounding)
    table["end_time"] = results.time
    table["x"], table["y"] = results.pose[:, 0], results.pose[:, 1]
    table["theta"], table["turns"] = split_turns(results.pose[:, 2])
    for index in range(3):
        table[("vx", "vy", "omega")[index]] = results.velocity[:, index]
    for name in _SAME:
        table[name] = results[name]
    table["status"] = results.status
    table["modes"] = [texts.number(modes) for modes in ends.modes]
    _check_laws(table, ends.cells, settings, texts)
    for place, message in ends.failures.items():
        table["status"][place] = Status.FAILED
        table["message"][place] = texts.number(shorten(message))
        for name in _UNKNOWN:
            table[name][place] = np.nan
    resting = results.at_rest == 1
    # slow enough at the end that it is worth a closer look, which costs a millisecond
    slow = np.abs(results.velocity[:, :2]).max(axis=1) <= STILL * (ends.cells.speed / SPEED_ROUNDING)
    open_cells = (table["status"] == Status.COMPLETED) & ~resting & (results.n_contacts > 0) & slow
    for place in np.flatnonzero(open_cells).tolist():
        resting[place] = still(table[place], results.pose[place])
    states = zip(table["status"].tolist(), results.pose.tolist(), resting.tolist(),
                 results.n_contacts.tolist(), ends.contacts, ends.cells.rho.tolist(), strict=True)
    table["outcome"] = [
        settings[i].judge.find_outcome(
            status, pose, at_rest, n, lambda: len(contacts) > 1 and is_held(contacts, pose, mu[i], rho))  # noqa: B023
        for i, (status, pose, at_rest, n, contacts, rho) in enumerate(states)]


def _check_laws(table: np.ndarray, cells: np.recarray, settings: list[Setting], texts: TextList) -> None:
    """Say which runs that reached their end time have not ended well."""
    completed = np.flatnonzero(table["status"] == Status.COMPLETED)
    rows, cells = table[completed], cells[completed]
    finite = np.isfinite([rows[name] for name in _ENDS]).all(axis=0)
    tolerance = np.where(cells.step == 0.0, cells.tolerance, 0.0)
    fallen = judge_completed(finite, rows, settings[0].shape.body.part.radius, tolerance)
    for place, (status, message) in fallen.items():
        table["status"][completed[place]] = status
        table["message"][completed[place]] = texts.number(shorten(message))


def _fill_bad_rows(table: np.ndarray, bad: list[BadCell], texts: TextList) -> None:
    table["outcome"] = [cell.outcome for cell in bad]
    table["status"] = [Status.FAILED if cell.outcome == FAILED else NOT_STARTED for cell in bad]
    table["message"] = [texts.number(shorten(cell.message)) for cell in bad]
    for name in _UNKNOWN:
        table[name] = np.nan


@lru_cache(maxsize=1024)
def format_modes(raw: bytes) -> str:
    """The history of modes as text: "-" free flight, "!" no motion; four equal letters or more as a letter and their
    number; "+" where it was cut."""
    words = []
    for mode in raw.decode("ascii").split(" "):
        runs = [(letter, len(list(group))) for letter, group in groupby(mode)]
        words.append("".join(letter * n if n < 4 else f"{letter}{n}" for letter, n in runs))
    text = " ".join(words)
    if len(text) <= TEXT_BYTES:
        return text
    return text[: TEXT_BYTES - 2].rsplit(" ", 1)[0] + " +"


def shorten(text: str) -> str:
    """A text that fits into the table."""
    text = " ".join(text.split())
    encoded = text.encode()
    return text if len(encoded) <= TEXT_BYTES else encoded[: TEXT_BYTES - 3].decode(errors="ignore") + "..."
