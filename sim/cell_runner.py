"""Runs one cell of a sweep after the other: from values to a row of the table.

What is expensive is done once and used again: the tables of the scene, the arrays of the outlines, the work arrays of
each thread. Where only friction, restitution and the radius of gyration vary, the scene is not read again at all: these
values are put into the arrays that the first scene has led to. The motion is the same to the last bit either way.
"""

from __future__ import annotations

import dataclasses
import pickle
import re
import threading
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

import numpy as np

from sim import state as s
from sim import toml_text
from sim.axes import WORDS, SweepAxis, SweepError
from sim.outcome import FAILED, INVALID, OVERLAP, Judge, list_outcomes
from sim.quantities import read_friction, read_length, read_restitution
from sim.scene import Scene, build_scene, parse_scene
from sim.scene_errors import OverlapError, SceneError
from sim.status import Status
from sim.status_codes import PAUSED
from sim.sweep_table import NOT_STARTED

BUFFER_ROWS = 32  # of a run that is not logged
TEXT_BYTES = 240  # of a text in the table
_PAIRS = re.compile(r"(friction|restitution)\..+|obstacle\..+\.(mu|e)")
_STILL = re.compile(r"(friction|restitution|impact|run|gravity|load)(\..+)?|obstacle\..+\.(mu|e|law)|"
                    r"workpiece\.(rho|mass|velocity\..+)")


class Interrupted(Exception):
    """A run was broken off; it leaves no row."""


@dataclass(frozen=True)
class Study:
    """A scene and what varies in it: all that another process needs to run a cell."""

    text: str  # TOML
    source: str | None
    axes: tuple[SweepAxis, ...]

    def build_scene(self, values, with_text: bool = True) -> Scene:
        """The scene of a cell. Raises SceneError."""
        return _make_builder(self).build(values, with_text)


@lru_cache(maxsize=4)
def _make_builder(study: Study) -> _SceneBuilder:
    return _SceneBuilder(study)


class _SceneBuilder:
    """Puts values into the tables of a scene."""

    def __init__(self, study: Study):
        self._tables = pickle.dumps(tomllib.loads(study.text))
        self._comment = toml_text.find_leading_comment(study.text)
        self._study = study
        self._where = study.source or "scene"
        self._moves_nothing = all(_STILL.fullmatch(axis.key) for axis in study.axes)
        if self._moves_nothing:
            parse_scene(study.text, source=study.source)  # checks the start, once for all

    def build(self, values, with_text: bool) -> Scene:
        data = pickle.loads(self._tables)  # the fastest deep copy
        for axis, value in zip(self._study.axes, values, strict=True):
            try:
                toml_text.apply_override(data, axis.key, axis.make_override(value))
            except toml_text.PathError as error:
                raise SceneError(f"{axis.name}: {error}") from None
        text = toml_text.dump_toml(data, self._comment) if with_text else ""
        return build_scene(data, text, self._where, self._study.source, self._moves_nothing)


class CellRunner:
    """Runs cells; one for all threads of a process."""

    def __init__(self, study: Study, values):
        """`values`: those of any cell that can be built. Raises SceneError, SweepError."""
        from sim.simulation import build_start

        self._study = study
        self._own = threading.local()
        self._first = study.build_scene(values)
        if self._first.run.choice == "branch":
            raise SweepError('run.choice = "branch" follows many motions, and a cell has one: choose another rule')
        self.outcomes = list_outcomes(self._first)
        self._judge = Judge(self._first)
        self._start = build_start(self._first)
        self._changes = self._find_changes(values)
        self._prepare_inertia = lru_cache(maxsize=256)(self._prepare_inertia)

    def check_axes(self) -> None:
        """Raise SweepError for an axis of friction or restitution that no pair listens to."""
        for axis, change in zip(self._study.axes, self._changes or (), strict=bool(self._changes)):
            if len(change) > 1 and not change[1]:
                raise SweepError(f"{axis.name} changes nothing: no pair takes its value from {axis.key}")

    def warm_up(self) -> None:
        """Compile what is not on disk yet, before there are threads."""
        from sim.cold_start import compile_engine
        from sim.simulation import prepare

        compile_engine(prepare(self._first))

    # ---- a run ------------------------------------------------------------------------------------------------------

    def run(self, cell: int, values, stop=None) -> tuple:
        """The row of a cell, in the order of the table, texts as text. Whatever goes wrong becomes the row's status.

        `stop()` is asked now and then; where it is true, Interrupted is raised.
        """
        try:
            return (cell, *values, *self._run(values, stop))
        except Interrupted:
            raise
        except OverlapError as error:
            outcome, error_text = OVERLAP, str(error)
        except SceneError as error:
            outcome, error_text = INVALID, str(error)
        except Exception as error:
            outcome, error_text = FAILED, f"{type(error).__name__}: {error}"
        status = int(Status.FAILED) if outcome == FAILED else NOT_STARTED
        nothing = (np.nan,) * 9
        return (cell, *values, outcome, status, *nothing, "", shorten(error_text), 0, 0, 0, *(np.nan,) * 6)

    def _run(self, values, stop) -> tuple:
        from sim.cell_kernel import run_cell

        own = self._get_own()
        if self._changes is None:
            scene = self._study.build_scene(values, with_text=False)
            body, options, start, judge = self._prepare_scene(scene)
            mu = {index: obstacle.mu for index, obstacle in enumerate(scene.obstacles)}
        else:
            body, options, mu = self._change_arrays(own, values)
            start, judge = self._start, self._judge
        own.reset(start)
        tools, log, tally, state = own.get_tools(body), own.log, own.tally, own.state
        code = PAUSED
        while code == PAUSED:
            code = run_cell(body, options, state, tools, log, tally)
            if code == PAUSED and stop is not None and stop():
                raise Interrupted
        return self._finish(own, Status(code), body, options, judge, mu)

    def _finish(self, own, status: Status, body, options, judge: Judge, mu) -> tuple:
        from sim.simulation import fill_account

        state, tally = own.state, own.tally
        account = fill_account(state, body.mass, tuple(tally.numbers[1:4]), (0.0, 0.0, 0.0))
        message = ""
        if status.completed:
            message = account.find_broken_law(body.part.radius, options.tolerance if options.step == 0.0 else 0.0)
            status = Status.LAWS_BROKEN if message else status
        pose, velocity = state.pose.tolist(), state.velocity.tolist()
        n, first = tally.last[:2].tolist()
        outcome = judge.find_outcome(status, pose, bool(state.at_rest), own.log.contacts[first : first + n], mu,
                                     body.rho)
        modes = format_modes(own.tally.modes[: tally.size[0]].tobytes())
        return (outcome, int(status), float(state.time), *pose, *velocity, float(tally.numbers[0]),
                account.time_not_unique, modes, shorten(message), account.n_events, account.n_impacts, account.n_steps,
                account.penetration, account.gap_residual, account.slip_residual, account.balance_residual,
                account.cone_residual, account.energy_residual)

    # ---- from values to arrays --------------------------------------------------------------------------------------

    def _prepare_scene(self, scene: Scene):
        from sim.model import build_body, build_options
        from sim.simulation import build_start

        body = build_body(scene)
        return body, build_options(scene, body)._replace(interval=0.0), build_start(scene), Judge(scene)

    def _find_changes(self, values) -> list[tuple] | None:
        """For each axis which arrays it changes: ("rho",) or ("mu", obstacles) or ("e", obstacles); None if there is an
        axis that changes anything else. Which obstacles an axis speaks of is seen where its value changes."""
        changes = []
        for index, axis in enumerate(self._study.axes):
            if axis.kind == WORDS or (axis.key != "workpiece.rho" and not _PAIRS.fullmatch(axis.key)):
                return None
            if axis.key == "workpiece.rho":
                changes.append(("rho",))
                continue
            name = "e" if axis.key.startswith("restitution") or axis.key.endswith(".e") else "mu"
            other = list(values)
            other[index] = 0.25 if values[index] != 0.25 else 0.75
            scene = self._study.build_scene(other, with_text=False)
            own = [i for i, pair in enumerate(zip(self._first.obstacles, scene.obstacles, strict=True))
                   if getattr(pair[0], name) != getattr(pair[1], name)]
            changes.append((name, own))
        return changes

    def _change_arrays(self, own: _Own, values):
        """Body, options and friction of each obstacle, for the values of a cell."""
        from sim.model import restart_motion

        rho = self._first.workpiece.rho
        mu = [obstacle.mu for obstacle in self._first.obstacles]
        e = [obstacle.e for obstacle in self._first.obstacles]
        for axis, value, change in zip(self._study.axes, values, self._changes, strict=True):
            try:
                if change[0] == "rho":
                    rho = read_positive_length(axis.make_override(value))
                    continue
                checked = (read_friction if change[0] == "mu" else read_restitution)(
                    axis.make_override(value))
            except ValueError as error:
                raise SceneError(f"{axis.name} = {axis.make_override(value)}: {error}") from None
            for index in change[1]:
                (mu if change[0] == "mu" else e)[index] = checked
        body, options = self._prepare_inertia(rho)
        walls = own.get_walls(body.walls)
        owner = own.owner
        walls.edge["mu"], walls.edge["e"] = np.array(mu)[owner], np.array(e)[owner]
        body = body._replace(walls=walls, w=body.w.copy())
        restart_motion(body, 0.0)
        return body, options, dict(enumerate(mu))

    def _prepare_inertia(self, rho: float):
        from sim.model import build_body, build_options

        scene = dataclasses.replace(self._first, workpiece=dataclasses.replace(self._first.workpiece, rho=rho))
        body = build_body(scene)
        return body, build_options(scene, body)._replace(interval=0.0)

    def _get_own(self) -> _Own:
        if not hasattr(self._own, "arrays"):
            self._own.arrays = _Own()
        return self._own.arrays


class _Own:
    """The work arrays of one thread."""

    def __init__(self):
        from sim.cell_kernel import allocate_tally

        self._states = np.zeros(1, s.STATE).view(np.recarray)
        self.state = self._states[0]
        self.log = s.allocate_log(BUFFER_ROWS)
        self.tally = allocate_tally()
        self._tools = None, None
        self._walls = None, None
        self.owner = None

    def reset(self, start: np.record) -> None:
        """Begin a run."""
        self._states[0] = start
        self.log.counts[:] = 0
        for array in (self.tally.numbers, self.tally.size, self.tally.last):
            array[:] = 0

    def get_tools(self, body):
        """Work arrays that fit the outlines."""
        sizes = len(body.part.edge), len(body.walls.edge), len(body.walls.node)
        if self._tools[0] != sizes:
            self._tools = sizes, s.allocate_tools(body.part, body.walls)
        return self._tools[1]

    def get_walls(self, walls):
        """A copy of the walls, for this thread to change their friction and to move them."""
        if self._walls[0] is not walls.edge:
            self._walls = walls.edge, walls._replace(edge=walls.edge.copy(), mover=walls.mover.copy())
            self.owner = np.array(walls.edge["owner"])
        return self._walls[1]


def read_positive_length(value) -> float:
    """A radius of gyration. Raises ValueError."""
    length = read_length(value)
    if length <= 0.0:
        raise ValueError("must be positive")
    return length


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
