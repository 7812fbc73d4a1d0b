"""What a run returns: named arrays, how it ended, and its account.

A trajectory holds the four tables of `sim/rows/records.py` exactly as the engine wrote them. The arrays people want
(`time`, `pose`, ...) are read-only views or copies made once, on first use.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from dynamics.codes import NONE, SEVERAL
from geometry.compiled.record import copy_table
from sim.log.bodies import SceneRecord, build_scene_record
from sim.log.columns.html_summary import build_summary, draw_bodies, split_lines
from sim.log.columns.run_columns import get_column
from sim.log.columns.run_table import build_contact_table, build_frame, write_table
from sim.rows.account import Account
from sim.rows.records import (
    CONTACT_DTYPE,
    CONTACT_LETTERS,
    EVENT_DTYPE,
    EVENT_KINDS,
    STEP_DTYPE,
    number_events,
    word_events,
)
from sim.rows.status import Status

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

    from sim.log.pieces import Pieces
    from sim.scene.scene import Scene

TABLES = ("steps", "contacts", "events", "impulses")
NO_ACCOUNT = "missing: the run was broken off, and nobody knows the account of the rows that are here"
UNIQUENESS = EVENT_KINDS.index("uniqueness")
REACHED_END = "The run reached its end time."
_ENDS = {EVENT_KINDS.index("goal"): "The run stopped in a goal.",
         EVENT_KINDS.index("left"): "The part left the scene for good, and the run ended there."}


class Trajectory:
    """The motion of one run. Rows of `steps`, `contacts`, `events`, `impulses` are described in `sim/rows/records.py`.

    `events` says in words what `event_rows`, the table of the log, says in integers; either makes a trajectory.

    Poses and velocities are those of the centre of mass in the world frame, SI units, radians, counter-clockwise
    positive. All arrays are read-only. `account` is that of these rows; None where it is not known, because the run was
    killed, or its log could not be written to the end.
    """

    def __init__(
        self,
        scene: Scene | None,
        steps: np.ndarray,
        contacts: np.ndarray,
        events: np.ndarray,
        impulses: np.ndarray,
        status: Status,
        account: Account | None,
        message: str = "",
        record: SceneRecord | None = None,
    ):
        if record is None and scene is None:
            raise ValueError("a trajectory needs the scene, or the record of a scene from a log")
        self._scene, self._record = scene, record
        self.steps = freeze_table(steps, STEP_DTYPE)
        self.contacts = freeze_table(contacts, CONTACT_DTYPE)
        self.event_rows = freeze_table(number_events(np.asarray(events)), EVENT_DTYPE)
        self.impulses = freeze_table(impulses, CONTACT_DTYPE)
        self.status = Status(status)
        self.account = account
        self.message = message

    @property
    def record(self) -> SceneRecord:
        """What a log keeps of the scene."""
        if self._record is None:
            self._record = build_scene_record(cast("Scene", self._scene))
        return self._record

    @property
    def scene(self) -> Scene:
        """The scene that was run; read again from its text when the trajectory comes from a log.

        Raises SceneError when this version cannot read the text any more (`record` still has text and outlines).
        """
        if self._scene is None:
            from sim.scene.build import parse_scene

            self._scene = parse_scene(self.record.text, source=self.record.source or None)
        return self._scene

    def __len__(self) -> int:
        return len(self.steps)

    @cached_property
    def events(self) -> np.ndarray:
        """The events: `kind` is one of EVENT_KINDS ("impact", "slip" ...), `set_kind` one of SET_KINDS, `impact_class`
        one of IMPACT_CLASSES, `type` one of CONTACT_TYPES, or "" where there is none."""
        events = word_events(self.event_rows)
        events.flags.writeable = False
        return events

    @cached_property
    def outcome(self) -> str:
        """What the run has led to, in a word, as in a sweep: a goal of the scene, "at rest", "left the scene" ...; see
        `sim.instant.outcome`. "" where it has not ended. Raises SceneError as `scene` does."""
        from sim.instant.outcome import find_outcome

        return find_outcome(self.scene, self)

    @property
    def happened(self) -> str:
        """How the run ended, in a sentence."""
        kinds = self.event_rows["kind"][-1:].tolist()
        return _ENDS.get(kinds[0] if kinds else -1, REACHED_END) if self.status.completed else self.status.happened

    @cached_property
    def goal_time(self) -> float:
        """Time [s] from which on the part was in the goal that is the outcome, as far as the rows tell; NaN where that
        is none. See `sim.instant.goal_time`. Raises SceneError as `scene` does."""
        from sim.instant.goal_time import find_goal_time

        return find_goal_time(self.scene, self, self.outcome)

    @cached_property
    def time(self) -> np.ndarray:
        """(n,) s."""
        return stack_fields(self.steps, ("time",))[:, 0]

    @cached_property
    def pose(self) -> np.ndarray:
        """(n, 3): x, y of the centre of mass (m), theta (rad)."""
        return stack_fields(self.steps, ("x", "y", "theta"))

    @cached_property
    def velocity(self) -> np.ndarray:
        """(n, 3): vx, vy (m/s), omega (rad/s)."""
        return stack_fields(self.steps, ("vx", "vy", "omega"))

    @cached_property
    def acceleration(self) -> np.ndarray:
        """(n, 3): ax, ay (m/s^2), alpha (rad/s^2)."""
        return stack_fields(self.steps, ("ax", "ay", "alpha"))

    @cached_property
    def pieces(self) -> Pieces:
        """The motion between the rows, of which there must be one, as polynomials in time: `pieces.evaluate(times)` is
        (n, 3) poses."""
        from sim.log.pieces import build_pieces

        return build_pieces(self)

    @cached_property
    def obstacle_poses(self) -> dict[str, np.ndarray]:
        """By name of each obstacle whose shape moves: (n, 3) x, y [m], theta [rad], a row for each row of `steps`.

        A point p of `record.obstacles[i].outline`, which is that at t = 0, is then at (x, y) + R(theta) p.
        """
        return self.record.compute_obstacle_poses(self.time)

    @property
    def obstacle_work(self) -> dict[str, float]:
        """By name of each obstacle that moves, or whose surface runs: the work [J] that it has done on the part, at
        impacts too. Empty where the run did not end."""
        names = [body.name for body in self.record.obstacles if body.moves]
        return dict(zip(names, () if self.account is None else self.account.obstacle_work, strict=False))

    @property
    def load_work(self) -> dict[str, tuple[float, float, float]]:
        """By name of each load that changes (gripper, springs, drag, loads over time): the work [J] that it has done on
        the part, what it stores more than at the start, and what its dampers have taken. Empty where it is not known.
        """
        return dict(zip(self.record.loads, () if self.account is None else self.account.load_work, strict=False))

    def contacts_at(self, i: int) -> np.ndarray:
        """The rows of the contact table that belong to step `i` (negative `i` counts from the end)."""
        row = self.steps[i]
        return self.contacts[row["first_contact"] : row["first_contact"] + row["n_contacts"]]

    def contact(self, obstacle: str) -> np.ndarray:
        """All closed contacts with an obstacle, a row for each of them at each logged time: `time`, `fn`, `ft` [N],
        `slip` [m/s], `gap`, `point`, `normal`, `letter` and `type` in words, the `step`, the features. Raises
        ColumnError, which lists the obstacles."""
        return build_contact_table(self, obstacle)

    def column(self, name: str) -> np.ndarray:
        """(n,) a column by its name: "speed", "energy", "depth", "contact.floor.fn" ...; see
        `sim.log.columns.run_columns`. NaN where it does not exist, inf where a force has no bound. Raises
        ColumnError."""
        return get_column(self, name).values

    def to_frame(self, names: Sequence[str] | None = None) -> pandas.DataFrame:
        """The rows as a pandas DataFrame over time; units are in `frame.attrs["units"]`.

        names: of columns, as for `plot`, and "events"; without them all that there are. Raises ColumnError, also where
        pandas is not installed.
        """
        return build_frame(self, names)

    def to_csv(self, path: str | Path, names: Sequence[str] | None = None) -> Path:
        """Write the rows as CSV: names with units in the first line, numbers with all their digits, events in words in
        the last column. names: of columns, as for `plot`. Raises ColumnError, WriteError."""
        return write_table(self, path, names)

    def plot(self, *names: str, x: str = "time") -> Figure:
        """Curves of columns over another, as a matplotlib figure: height, forces and energy if none is named.

        `stiction.plot_runs` draws several runs into one. Raises ColumnError.
        """
        from sim import plot_runs  # by its public name: a log does not know who draws it

        return plot_runs(self, *names, x=x)

    def impulses_at(self, i: int) -> np.ndarray:
        """The rows of the impulse table that belong to event `i`; forces there are impulses in N s."""
        row = self.event_rows[i]
        return self.impulses[row["first_impulse"] : row["first_impulse"] + row["n_impulses"]]

    def mode_at(self, i: int) -> str:
        """The mode at step `i`, one letter a contact, "" in free flight."""
        return "".join(CONTACT_LETTERS[letter] for letter in self.contacts_at(i)["letter"])

    def describe_mode(self, i: int) -> str:
        """The mode at step `i` in words."""
        if self.steps["set_kind"][i] == NONE:
            return "no motion is possible"
        return f"mode {self.mode_at(i) or '(free)'}"

    @cached_property
    def not_unique(self) -> np.ndarray:
        """(k, 2): start and end times [s] of the intervals in which more than one acceleration was possible, as far as
        the rows go; their sum is `account.time_not_unique`.

        A row's kind holds from its time on. Between rows it changes only at an event "uniqueness", and that of several
        events at one instant which comes last decides, where none of them began a new row. An instant has equal start
        and end.
        """
        if not len(self.steps):
            return np.zeros((0, 2))
        last, when = self.time[-1], self.event_rows["time"]
        between = self.event_rows[(self.event_rows["kind"] == UNIQUENESS) & (when < np.append(when[1:], np.inf))
                                  & (when <= last)]
        times = np.concatenate((self.time, between["time"]))
        order = np.argsort(times, kind="stable")
        flags = np.concatenate((self.steps["set_kind"], between["set_kind"]))[order] >= SEVERAL
        edges = np.flatnonzero(np.diff(np.concatenate(([False], flags, [False]))))
        times = np.append(times[order], last)
        return np.column_stack((times[edges[::2]], times[edges[1::2]]))

    def save(self, path: str | Path) -> Path:
        """Write the trajectory to an HDF5 log; missing folders are made, an older file is replaced at once or not."""
        from sim.log.sink import H5Sink

        with H5Sink(path, self.record, rows_hint=len(self.steps), at_once=False) as sink:
            sink.write(self.steps, self.contacts, self.event_rows, self.impulses)
            sink.close(self.status, self.account, self.message)
        return Path(path)

    def describe(self) -> list[str]:
        """A few lines for people: what ran, how it ended, where the part is, how well the laws held."""
        account = self.account
        lines = [
            f"scene      {self.record.name or '(without a name)'}",
            f"status     {self.status}: {self.happened}",
        ]
        if self.message:
            lines.append(f"message    {self.message}")
        if not self.status.completed:
            lines.append(f"advice     {self.status.advice}")
        lines.append(f"rows       {len(self.steps)} steps, {len(self.contacts)} contacts, "
                     f"{len(self.event_rows)} events")
        if len(self.steps):
            x, y, theta = self.pose[-1]
            lines.append(f"time       {self.time[0]:.9g} s to {self.time[-1]:.9g} s")
            lines.append(f"end        x = {x:.9g} m, y = {y:.9g} m, theta = {theta:.9g} rad, {self.describe_mode(-1)}")
        if len(self.not_unique):
            span = float(np.sum(self.not_unique[:, 1] - self.not_unique[:, 0]))
            lines.append(f"not unique {span:.6g} s in {len(self.not_unique)} interval(s)")
        if account is None:
            lines.append(f"account    {NO_ACCOUNT}")
        else:
            lines.append(f"residuals  penetration {account.penetration:.2g} m, gap {account.gap_residual:.2g} m, "
                         f"balance {account.balance_residual:.2g}, energy {account.energy_residual:.2g}")  # fmt: skip
        return lines

    def _repr_html_(self) -> str:
        """What a notebook shows: the lines of `describe`, and where the part is at the end."""
        picture = draw_bodies(self.record, self.pose[-1:], float(self.time[-1])) if len(self) else ""
        return build_summary("Trajectory", split_lines(self.describe()), picture)

    def __repr__(self) -> str:
        span = f", {self.time[0]:.6g} to {self.time[-1]:.6g} s" if len(self.steps) else ""
        return (
            f"<Trajectory of {self.record.name or 'a scene'}: {self.status}, {len(self.steps)} steps{span}, "
            f"{len(self.event_rows)} events>"
        )


def freeze_table(table: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """A read-only view of a table, checked for its type."""
    table = np.asarray(table)
    if table.dtype != dtype or table.ndim != 1:
        raise TypeError(
            f"a table of {(dtype.names or ())[:3]}... was expected, got an array of {table.dtype}, shape {table.shape}"
        )
    view = table.view()
    view.flags.writeable = False
    return view


def stack_fields(table: np.ndarray, names: tuple[str, ...]) -> np.ndarray:
    """(n, len(names)): some fields of a table side by side, read-only."""
    block = np.empty((len(table), len(names)), dtype=table.dtype[names[0]])
    for column, name in enumerate(names):
        block[:, column] = table[name]
    block.flags.writeable = False
    return block


class MemorySink:
    """Collects the chunks of a run in memory; `trajectory` is there after `close`."""

    def __init__(self, scene: Scene | SceneRecord):
        self._scene = None if isinstance(scene, SceneRecord) else scene
        self._record = scene if isinstance(scene, SceneRecord) else None
        self._chunks: tuple[list, ...] = ([], [], [], [])
        self.trajectory: Trajectory | None = None

    def write(self, steps: np.ndarray, contacts: np.ndarray, events: np.ndarray, impulses: np.ndarray) -> None:
        """Keep copies: the engine uses its buffers again."""
        for chunks, table in zip(self._chunks, (steps, contacts, events, impulses), strict=True):
            if len(table):
                chunks.append(copy_table(table))

    @property
    def rows(self) -> dict[str, int]:
        """The number of rows collected, of each table."""
        return {name: sum(map(len, chunks)) for name, chunks in zip(TABLES, self._chunks, strict=True)}

    def close(self, status: Status, account: Account | None, message: str = "") -> None:
        """Join the chunks to the trajectory."""
        dtypes = (STEP_DTYPE, CONTACT_DTYPE, EVENT_DTYPE, CONTACT_DTYPE)
        steps, contacts, events, impulses = (
            (chunks[0] if len(chunks) == 1 else np.concatenate(chunks)) if chunks else np.zeros(0, dtype)
            for chunks, dtype in zip(self._chunks, dtypes, strict=True)
        )
        self.trajectory = Trajectory(self._scene, steps, contacts, events, impulses, status, account, message,
                                     self._record)
        self._chunks = ([], [], [], [])
