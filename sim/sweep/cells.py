"""Runs the cells of a sweep: from values to rows of the table, many in one call of compiled code."""

from __future__ import annotations

import threading
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dynamics.tolerances import SPEED_ROUNDING
from sim.instant.outcome import FAILED, GOAL, Judges, lies_still, list_outcomes, stand_still
from sim.rows.account import compute_energy_residual, compute_rounding, judge_completed
from sim.rows.ending_codes import REACHED
from sim.rows.status import Status
from sim.sweep.setting import BadCell, Group, SettingMaker, Shape, Study
from sim.sweep.table import NOT_STARTED, Rows, TextList, build_row_dtype, split_turns
from sim.tolerances import STILL

if TYPE_CHECKING:
    from sim.engine.many_runs import Pairs
    from sim.scene.scene import Goal

__all__ = ["CellRunner", "Interrupted", "Study"]

TEXT_BYTES = 240  # of a text in the table
_SAME = ("largest_fn", "largest_gripper_force", "time_not_unique", "n_events", "n_impacts", "n_steps", "penetration",
         "gap_residual", "slip_residual", "balance_residual", "cone_residual")  # fmt: skip
_ENDS = ("x", "y", "theta", "vx", "vy", "omega", "largest_fn", "largest_gripper_force", "energy_residual")
_UNKNOWN = ("end_time", "goal_time", "x", "y", "theta", "vx", "vy", "omega", "mean_velocity", "largest_fn",
            "largest_gripper_force", "time_not_unique", "penetration", "gap_residual", "slip_residual",
            "balance_residual", "cone_residual", "energy_residual")  # fmt: skip


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
        for group in self.settings.make(values):
            if stop is not None and stop():
                break
            table = np.zeros(len(group.which), self._dtype)
            table["cell"] = cells[group.members]
            for index in range(values.shape[1]):
                table[self._dtype.names[1 + index]] = values[group.members, index]
            if group.shape is None:
                _fill_bad_rows(table, [group.settings[place] for place in group.which], texts)
            else:
                ends = self._get_desk(group.shape).run(group, (stop, stop_hard))
                table = table[: len(ends.results)]
                fill_rows(table, ends, group, texts, (self.outcomes, self._lies_still))
            tables.append(table)
        return Rows(np.concatenate([np.zeros(0, self._dtype), *tables]), texts.texts)

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


class Ends(NamedTuple):
    """How runs have ended."""

    results: np.recarray  # (n,) sim.engine.many_runs.RESULT
    cells: np.recarray  # (n,) sim.engine.many_runs.CELL
    modes: list[bytes]  # see `format_modes`
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
        self._body = body._replace(walls=walls, w=body.w.copy(), load=body.load.copy(), loads=body.loads.copy())
        self._work = allocate_work(start, walls, allocate_tools(body.part, walls), rows or BUFFER_ROWS)

    def run(self, group: Group, stops) -> Ends:
        """Run cells; stops: see `CellRunner.run_batch`."""
        from geometry.compiled.record import allocate_table
        from sim.engine.many_runs import END, GOING, MODES, NEXT, RESULT, begin_cells, run_cells
        from sim.run.cold_start import advance_cells

        n, work = len(group.which), self._work
        results, progress = allocate_table(RESULT, n), work.progress
        table, pairs = self._pack(group)
        ends = Ends(results, table, [], {})
        begin_cells(work, n)
        stop, stop_hard = stops
        while progress[NEXT] < progress[END]:
            first = int(progress[NEXT])
            progress[MODES] = 0
            try:
                advance_cells(run_cells, (self._body, self.shape.options, table, pairs, work, results), work)
            except Exception as error:  # a defect: one cell shall not end a sweep
                place = int(progress[NEXT])
                ends.failures[place] = f"{type(error).__name__}: {error}"
                results[place].modes_end = progress[MODES]
                progress[GOING], progress[NEXT] = 0, place + 1
            raw, stops_at = work.modes[: progress[MODES]].tobytes(), results.modes_end[first : progress[NEXT]].tolist()
            ends.modes.extend([raw[begin:end] for begin, end in zip([0, *stops_at], stops_at, strict=False)])
            if stop is not None and stop():
                progress[END] = progress[NEXT] + progress[GOING]
            if stop_hard is not None and stop_hard():
                progress[END] = progress[NEXT]
        n = int(progress[END])
        return ends._replace(results=results[:n], cells=table[:n])

    def _pack(self, group: Group) -> tuple[np.recarray, Pairs]:
        """(cells, pairs) as compiled code takes them."""
        from geometry.compiled.record import allocate_table
        from sim.engine.many_runs import CELL, Pairs

        n, kinds = len(group.which), [setting.cell for setting in group.settings]
        table = allocate_table(CELL, n)
        kind_bytes = np.frombuffer(b"".join(kinds), np.uint8).reshape(len(kinds), CELL.itemsize)
        table.view(np.uint8).reshape(n, CELL.itemsize)[:] = kind_bytes[group.which]
        mu, e, law = (np.ascontiguousarray(group.pairs[:, row]) for row in range(3))
        return table, Pairs(mu, e, law.astype(np.int64))


def fill_rows(table: np.ndarray, ends: Ends, group: Group, texts: TextList, judged) -> None:
    """Rows of runs of a group that have ended. judged: (the words of the outcomes, still), where still(row, pose) is
    asked of a part that is slow, and is not known to be at rest for good."""
    results, (outcomes, still) = ends.results, judged
    energies = (results[name] for name in ("kinetic_start", "kinetic_end", "load", "friction", "impact", "pushed"))
    rounding = compute_rounding(ends.cells.mass, ends.cells.load, ends.cells.touch)
    table["energy_residual"] = compute_energy_residual(*energies, rounding=rounding, exchange=results.exchange)
    table["end_time"] = results.time
    table["x"], table["y"] = results.pose[:, 0], results.pose[:, 1]
    table["theta"], table["turns"] = split_turns(results.pose[:, 2])
    for index in range(3):
        table[("vx", "vy", "omega")[index]] = results.velocity[:, index]
    for name in _SAME:
        table[name] = results[name]
    table["status"] = results.status
    places = {raw: texts.number(format_modes(raw)) for raw in dict.fromkeys(ends.modes)}
    table["modes"] = [places[raw] for raw in ends.modes]
    _check_laws(table, ends.cells, group.shape, texts)
    for place, message in ends.failures.items():
        table["status"][place] = Status.FAILED
        table["message"][place] = texts.number(shorten(message))
        for name in _UNKNOWN:
            table[name][place] = np.nan
    resting = results.at_rest == 1
    # slow enough at the end that it is worth a closer look, which costs a millisecond
    slow = np.abs(results.velocity[:, :2]).max(axis=1) <= STILL * (ends.cells.speed / SPEED_ROUNDING)
    open_cells = (table["status"] == Status.COMPLETED) & ~resting & slow
    for place in np.flatnonzero(open_cells).tolist():
        resting[place] = still(table[place], results.pose[place])
    judges = Judges([setting.judge for setting in group.settings], outcomes)
    stands = stand_still(results.velocity, group.shape.body.part.radius, ends.cells.speed)
    table["outcome"] = judges.find_outcomes(group.which[: len(table)], table["status"], results.time, results.pose,
                                            resting, results.n_contacts, results.held == 1, stands, results.ending)
    _fill_times(table, ends, group.settings[0].judge.goals)


def _fill_times(table: np.ndarray, ends: Ends, goals: tuple[Goal, ...]) -> None:
    """Since when each part has been in its goal, and how fast it was on the whole."""
    results, duration = ends.results, table["end_time"]
    moves = duration > 0.0
    table["mean_velocity"] = np.nan
    np.divide(table["x"] - ends.cells.pose[:, 0], duration, out=table["mean_velocity"], where=moves)
    table["goal_time"] = np.nan
    for number, goal in enumerate(goals):
        own = np.flatnonzero(table["outcome"] == GOAL + number)
        since = results.still_since[own] if goal.at_rest else results.inside_since[own, number]
        # -1 of one that is there at its end only, to rounding
        at_end = (results.ending[own] == REACHED + number) | (since < 0.0)
        table["goal_time"][own] = np.where(at_end, duration[own], since)


def _check_laws(table: np.ndarray, cells: np.recarray, shape: Shape, texts: TextList) -> None:
    """Say which runs that reached their end time have not ended well."""
    completed = np.flatnonzero(table["status"] == Status.COMPLETED)
    rows, cells = table[completed], cells[completed]
    finite = np.isfinite([rows[name] for name in _ENDS]).all(axis=0)
    tolerance = np.where(cells.step == 0.0, cells.tolerance, 0.0)
    fallen = judge_completed(finite, rows, shape.body.part.radius, tolerance)
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
