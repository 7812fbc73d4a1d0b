"""From the values of a cell to the arrays that compiled code runs on.

What is expensive is done once and used again. Values of friction and restitution are put into arrays. Everything else
that a cell has is its *setting*: it is made from the scene of these values by the same code that a single run uses, and
kept, since in a grid many cells share it. So the motion is the same to the last bit as that of a single run.
"""

from __future__ import annotations

import dataclasses
import pickle
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sim.instant.outcome import FAILED, INVALID, OVERLAP, Judge
from sim.scene import toml_text
from sim.scene.build import build_scene, parse_scene
from sim.scene.edit import POSE_KEYS, can_be_moved, move_part
from sim.scene.scene import Scene
from sim.scene.scene_errors import OverlapError, SceneError
from sim.scene.toml_edit import rewrite_toml
from sim.sweep.axes import WORDS, SweepAxis, SweepError
from sim.values.quantities import read_friction, read_restitution, read_rho

if TYPE_CHECKING:
    from dynamics.motion.mode import Body
    from sim.engine.state import Options

# Bytes of settings that are kept, of one without a shape of its own, and of a shape beside its edges; the first is far
# from what a machine has, the others are rough. A sweep with friction outside and outlines inside, in the order of its
# cells, makes each outline once if all are kept.
KEPT, ROOM_OF_SETTING, ROOM_OF_SHAPE = 64_000_000, 16_000, 32_000
_PAIRS = re.compile(r"(friction|restitution)\..+|obstacle\..+\.(mu|e)")
_STILL = re.compile(r"(friction|restitution|impact|run|gravity|load|gripper|spring|drag|control)(\..+)?|"
                    r"obstacle\..+\.(mu|e|law)|workpiece\.(rho|mass|velocity\..+)")


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
        self._study = study
        self._where = study.source or "scene"
        self._moves_nothing = all(_STILL.fullmatch(axis.key) for axis in study.axes)
        if self._moves_nothing:
            parse_scene(study.text, source=study.source)  # checks the start, once for all

    def build(self, values, with_text: bool) -> Scene:
        data = pickle.loads(self._tables)  # the fastest deep copy
        for axis, value in zip(self._study.axes, values, strict=True):
            try:
                axis.put(data, value)
            except toml_text.PathError as error:
                raise SceneError(f"{self._where}: {axis.name}: {error}") from None
        text = rewrite_toml(self._study.text, data) if with_text else ""
        return build_scene(data, text, self._where, self._study.source, self._moves_nothing)


class Shape(NamedTuple):
    """What settings share that differ in numbers only. Nobody writes to the arrays: a run takes copies."""

    key: tuple  # what outlines and walls depend on
    body: Body  # what a CELL holds does not count
    options: Options  # likewise


class Setting(NamedTuple):
    """A cell but for its friction and restitution."""

    cell: bytes  # of a sim.engine.many_runs.CELL
    pairs: np.ndarray  # (3, obstacles): friction, restitution and law of impact where no axis says otherwise
    shape: Shape
    judge: Judge


class BadCell(NamedTuple):
    """A cell that cannot be run."""

    outcome: int
    message: str


class Group(NamedTuple):
    """Neighbouring cells of one shape, or that cannot be run."""

    members: slice  # of all cells
    shape: Shape | None  # None of cells that cannot be run
    settings: list  # (m,) different Settings, or BadCells
    which: np.ndarray  # (n,) the setting of each cell
    pairs: np.ndarray  # (n, 3, obstacles) as in a Setting, of each cell


class SettingMaker:
    """Finds the settings of cells, and their friction and restitution."""

    def __init__(self, study: Study, values):
        """`values`: those of any cell that can be built. Raises SceneError, SweepError."""
        self.first = study.build_scene(values)
        if self.first.run.choice == "branch":
            raise SweepError('run.choice = "branch" follows many motions, and a cell has one: choose another rule')
        self._study, self._sound = study, list(values)
        self._pair_axes = [(index, *self._find_pairs(index)) for index, axis in enumerate(study.axes)
                           if axis.kind != WORDS and not axis.is_factor and _PAIRS.fullmatch(axis.key)]
        paired = {index for index, *_ in self._pair_axes}
        self._others = [index for index in range(len(study.axes)) if index not in paired]
        self._kept: dict[tuple, Setting | BadCell] = {}
        self._room = KEPT
        first = make_setting(self.first)
        self.shape = first.shape
        # the damping ratio of a gripper or a controller depends on rho
        self._only_rho = (self.first.gripper is None and self.first.control is None
                          and [(study.axes[index].key, study.axes[index].is_factor) for index in self._others]
                          == [("workpiece.rho", False)])
        self._judge = first.judge if self._only_rho else None  # knows nothing of inertia
        self._only_pose = (self._others and all(study.axes[index].key in POSE_KEYS for index in self._others)
                           and can_be_moved(self.first, study.text))

    def _find_pairs(self, index: int) -> tuple[int, list[int]]:
        """Row of `Setting.pairs` and obstacles that an axis speaks of: these are seen where its value changes."""
        key = self._study.axes[index].key
        name = "e" if key.startswith("restitution") or key.endswith(".e") else "mu"
        other = list(self._sound)
        other[index] = 0.25 if other[index] != 0.25 else 0.75
        scene = self._study.build_scene(other, with_text=False)
        return ("mu", "e").index(name), [
            i for i, pair in enumerate(zip(self.first.obstacles, scene.obstacles, strict=True))
            if getattr(pair[0], name) != getattr(pair[1], name)]

    def check_axes(self) -> None:
        """Raise SweepError for an axis of friction or restitution that no pair listens to."""
        for index, _, obstacles in self._pair_axes:
            if not obstacles:
                axis = self._study.axes[index]
                raise SweepError(f"{axis.name} changes nothing: no pair takes its value from {axis.key}")

    def make(self, values: np.ndarray) -> Iterator[Group]:
        """The settings of cells with values (n, axes), in their order."""
        settings, which = self._find_settings(values)
        read, bad = self._read_pairs(values)
        for place, cell in bad.items():
            if not isinstance(settings[which[place]], BadCell):
                which[place] = len(settings)
                settings.append(cell)
        kinds = np.array([0 if isinstance(setting, BadCell) else id(setting.shape) for setting in settings])[which]
        ends = np.append(np.flatnonzero(np.diff(kinds)) + 1, len(values))
        for begin, end in zip([0, *ends[:-1]], ends, strict=True):
            used, own = np.unique(which[begin:end], return_inverse=True)
            group = [settings[place] for place in used]
            if kinds[begin] == 0:
                yield Group(slice(begin, end), None, group, own, np.zeros((end - begin, 3, 0)))
                continue
            pairs = np.stack([setting.pairs for setting in group])[own]
            for column, (_, row, obstacles) in enumerate(self._pair_axes):
                pairs[:, row, obstacles] = read[begin:end, column, None]
            yield Group(slice(begin, end), group[0].shape, group, own, pairs)

    def _find_settings(self, values: np.ndarray) -> tuple[list[Setting | BadCell], np.ndarray]:
        """The different settings of cells, and (n,) which one each cell has."""
        if not self._others:
            return [self._get_setting(values[0])], np.zeros(len(values), np.int64)
        first, which = np.unique(values[:, self._others], axis=0, return_index=True, return_inverse=True)[1:]
        return [self._get_setting(values[place]) for place in first], which.reshape(-1)

    def _get_setting(self, values: np.ndarray) -> Setting | BadCell:
        """The setting of a cell, which is kept."""
        key = tuple(values[self._others].tolist())
        setting = self._kept.get(key)
        if setting is None:
            setting = self._make_setting(values.tolist())
            self._room -= self._measure(setting)
            if self._room < 0:
                self._kept, self._room = {}, KEPT - self._measure(setting)
            self._kept[key] = setting
        return setting

    def _measure(self, setting: Setting | BadCell) -> int:
        """Bytes that a kept setting takes, roughly."""
        if isinstance(setting, BadCell) or setting.shape is self.shape:
            return ROOM_OF_SETTING
        part, walls = setting.shape.body.part, setting.shape.body.walls
        return ROOM_OF_SHAPE + 2 * (part.edge.nbytes + part.node.nbytes + walls.edge.nbytes + walls.node.nbytes)

    def _read_pairs(self, values: np.ndarray) -> tuple[np.ndarray, dict[int, BadCell]]:
        """(n, axes of friction and restitution) their values as numbers, and the cells where they cannot be, by place.

        What can be is 0 and an interval: where the ends of the values are valid, all are.
        """
        read, bad = np.zeros((len(values), len(self._pair_axes))), {}
        for column, (index, row, _) in enumerate(self._pair_axes):
            axis, asked, take = self._study.axes[index], values[:, index], read_restitution if row else read_friction
            ends = asked[asked != 0.0]
            try:
                for end in (ends.min(), ends.max()) if len(ends) else (0.0,):
                    take(axis.make_override(end))
                read[:, column] = asked
            except ValueError:
                for place, value in enumerate(map(axis.make_override, asked.tolist())):
                    try:
                        read[place, column] = take(value)
                    except ValueError as error:
                        bad.setdefault(place, BadCell(INVALID, f"{axis.name} = {value}: {error}"))
        return read, bad

    def _make_setting(self, values: list[float]) -> Setting | BadCell:
        for index, *_ in self._pair_axes:
            values[index] = self._sound[index]
        try:
            return make_setting(self._build_scene(values), self.shape, self._judge)
        except OverlapError as error:
            return BadCell(OVERLAP, self._tell(error))
        except SceneError as error:
            return BadCell(INVALID, self._tell(error))
        except Exception as error:  # a defect: one cell shall not end a sweep
            return BadCell(FAILED, f"{type(error).__name__}: {error}")

    def _tell(self, error: SceneError) -> str:
        """Its message, of which a row keeps the beginning: without the file, which is that of the sweep."""
        return str(error).removeprefix(f"{self._study.source or 'scene'}: ")

    def _build_scene(self, values) -> Scene:
        """The scene of a cell; where only the radius of gyration or the pose is not that of the first, nothing is read
        anew."""
        axes = self._study.axes
        if self._only_pose:
            changes = {axes[index].key: axes[index].make_override(values[index]) for index in self._others}
            try:
                return move_part(self.first, self._study.text, changes, self._study.source or "scene")
            except ValueError:  # no pose: what reads all says where
                return self._study.build_scene(values, with_text=False)
        if not self._only_rho:
            return self._study.build_scene(values, with_text=False)
        axis, value = axes[self._others[0]], values[self._others[0]]
        try:
            rho = read_rho(axis.make_override(value), self.first.workpiece.outline.size)
        except ValueError as error:
            raise SceneError(f"{axis.name} = {axis.make_override(value)}: {error}") from None
        return dataclasses.replace(self.first, workpiece=dataclasses.replace(self.first.workpiece, rho=rho))


def make_setting(scene: Scene, near: Shape | None = None, judge: Judge | None = None) -> Setting:
    """The setting of a scene; with the shape `near` if it has that one, and with its judge where that is known."""
    from dynamics.codes import LAWS
    from sim.instant.body import build_body
    from sim.run.model import build_options

    body = build_body(scene)
    options = build_options(scene, body)
    placed = tuple((obstacle.outline, obstacle.pose, obstacle.motion) for obstacle in scene.obstacles)
    holding = ((scene.gripper, scene.springs, scene.drag, scene.loads, scene.control, scene.workpiece.mass,
                scene.workpiece.rho)
               if scene.held else None)  # their tables are by mass
    key = (scene.workpiece.outline, placed, scene.gravity_turn, options.scales.touch, holding, scene.goals,
           scene.workpiece.origin)
    shape = near if near is not None and near.key == key else Shape(key, body, options)
    pairs = np.array([[obstacle.mu, obstacle.e, LAWS.index(obstacle.law)] for obstacle in scene.obstacles])
    return Setting(make_cell(scene, body, options), pairs.reshape(-1, 3).T, shape, judge or Judge(scene))


def make_cell(scene: Scene, body, options) -> bytes:
    """The CELL of a scene. At once from a tuple: field by field takes ten times as long."""
    from dynamics.motion.choose import seed_random
    from sim.engine.many_runs import CELL

    pose = scene.workpiece.pose
    return np.array((
        body.rho, body.mass, body.w, body.load, (pose.x, pose.y, pose.theta), scene.workpiece.velocity,
        seed_random(scene.run.seed), options.duration, options.interval, options.step, options.tolerance, options.order,
        options.rule, options.survey, *options.scales, options.box,
    ), dtype=CELL).tobytes()  # fmt: skip
