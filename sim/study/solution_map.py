"""Where, in a plane of two values of a scene, the acceleration set at the start is none, one, several or a continuum.

    from sim import compute_map, load_scene
    solutions = compute_map(load_scene("painleve_rod"), "workpiece.pose.theta=5:85 deg:81",
                            "workpiece.velocity.omega=0:10:81", hold=0)
    solutions.names, solutions.count()
"""

from __future__ import annotations

import pickle
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from dynamics.codes import CONTINUUM, SET_KINDS
from geometry.errors import StictionError
from geometry.shapes.pose import Pose
from sim.scene import toml_text
from sim.scene.build import build_scene, take_scene
from sim.scene.scene import AnyScene, Scene
from sim.scene.scene_errors import OverlapError, SceneError
from sim.scene.toml_edit import rewrite_toml
from sim.sweep.axes import SweepError, parse_span
from sim.values.quantities import read_angle

if TYPE_CHECKING:
    from dynamics.sets.contact_problem import ContactProblem

# What a cell can be. "free" is one acceleration without any closed contact; "impact": a contact closes with a speed, so
# that velocities change before there is an acceleration; "overlap": the part would start inside an obstacle.
KINDS = (*SET_KINDS, "free", "impact", "overlap")
FREE, IMPACT, OVERLAP = range(len(SET_KINDS), len(KINDS))
# Values that --hold sets itself, and those that move what it holds on to.
_FOLLOWS = ("workpiece.pose.x", "workpiece.pose.y", "workpiece.velocity.vx", "workpiece.velocity.vy")
_MOVES = ("workpiece.outline", "workpiece.center_of_mass", "obstacle.")


class MapError(StictionError, ValueError):
    """A map cannot be made; the message says what was asked, why it cannot be, and what is valid."""


@dataclass(frozen=True, eq=False)
class Axis:
    """One value of a scene that varies: a dotted path as for --set, its values, and their unit ("" for SI)."""

    key: str
    values: np.ndarray  # (n,) float64
    unit: str = ""

    def get_value(self, index: int) -> float | str:
        """The value as an override of the scene."""
        value = float(self.values[index])
        return f"{value!r} {self.unit}" if self.unit else value


@dataclass(frozen=True, eq=False)
class SolutionMap:
    """The kind of the acceleration set at the start, for each pair of values."""

    scene: Scene
    x: Axis
    y: Axis
    kinds: np.ndarray  # (ny, nx) int8, index into KINDS
    members: np.ndarray  # (ny, nx) int32: how many accelerations; of a continuum, how many pieces
    hold: int | None  # the contact that was kept in place

    @property
    def names(self) -> np.ndarray:
        """(ny, nx) strings: the kinds in words."""
        return np.array(KINDS)[self.kinds]

    def count(self) -> dict[str, int]:
        """How many cells of each kind there are, those that occur."""
        counts = np.bincount(self.kinds.ravel(), minlength=len(KINDS))
        return {name: int(number) for name, number in zip(KINDS, counts, strict=True) if number}

    def build_scene(self, row: int, column: int) -> Scene:
        """The scene of one cell, to look into it or to run it. Raises OverlapError where the part overlaps."""
        return _CellMaker(self.scene, self.x, self.y, self.hold).build(row, column)


def parse_axis(text: str) -> Axis:
    """An axis from KEY=a:b:n: n evenly spaced values, the first exactly a, the last exactly b; or KEY=5:85 deg:81.

    Raises MapError.
    """
    usage = f"{text}: write KEY=a:b:n, n values from a to b, for example friction.default=0:2:41"
    key, equals, span = text.partition("=")
    try:
        parsed = parse_span(span) if equals and key.strip() else None
    except SweepError as error:
        raise MapError(f"{usage}; {error}") from None
    if parsed is None:
        raise MapError(usage)
    return Axis(key.strip(), *parsed)


def read_axis(axis: Axis | str | tuple[str, Any]) -> Axis:
    """An axis from itself, from text as for `parse_axis`, or from a pair (key, values)."""
    if isinstance(axis, Axis):
        return axis
    if isinstance(axis, str):
        return parse_axis(axis)
    key, values = axis
    values = np.array(values, dtype=np.float64)
    if values.ndim != 1 or len(values) == 0 or not np.isfinite(values).all():
        raise MapError(f"{key}: the values have shape {values.shape}: must be a list of finite numbers")
    return Axis(key, values)


def compute_map(
    scene: AnyScene,
    x: Axis | str | tuple[str, Any],
    y: Axis | str | tuple[str, Any],
    hold: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> SolutionMap:
    """Find the kind of the acceleration set at the start for each pair of values of two keys of a scene.

    x, y: see `read_axis`; keys are those of `load_scene(overrides=...)`. Each cell is the scene with these two values
    and nothing else changed, unless `hold` is the number of a closed contact of the scene: then the part is placed and
    given its velocity so that this contact stays where it is, closed, with its slip velocity, while angle, angular
    velocity and all else follow the keys. progress(done, all) is called after each row of cells.
    Raises MapError, and SceneError if a value is not one of the scene (an overlap is a kind, not an error).
    """
    scene = take_scene(scene)
    x, y = read_axis(x), read_axis(y)
    if x.key == y.key:
        raise MapError(f"both axes vary {x.key}; take two different keys")
    maker = _CellMaker(scene, x, y, hold)
    rows, columns = len(y.values), len(x.values)
    for row, column in ((0, 0), (0, -1), (-1, 0), (-1, -1)):  # mistakes at the ends show before the work
        maker.check(row, column)
    kinds, members = np.empty((rows, columns), np.int8), np.zeros((rows, columns), np.int32)
    for row in range(rows):
        for column in range(columns):
            kinds[row, column], members[row, column] = _classify(maker, row, column)
        if progress is not None:
            progress((row + 1) * columns, rows * columns)
    return SolutionMap(scene, x, y, kinds, members, hold)


def _classify(maker: _CellMaker, row: int, column: int) -> tuple[int, int]:
    from sim.instant.instant import contact_problem

    try:
        scene = maker.build(row, column, with_text=False)
    except OverlapError:
        return OVERLAP, 0
    problem, contacts = contact_problem(scene)
    if not contacts:
        return FREE, 1
    if any(contact["gap_rate"] < 0.0 for contact in contacts):
        return IMPACT, 0
    return _find_kind(problem)


def _find_kind(problem: ContactProblem) -> tuple[int, int]:
    """Kind and number of pieces; without forces, which take most of the time of `find_accelerations`."""
    from dynamics.search.members import find_members
    from dynamics.search.problem import CROWD, OK, PIECES, STATUS, Problem
    from dynamics.sets.acceleration_set import find_accelerations
    from dynamics.tolerances import DEFAULT_TOLERANCES

    if len(problem) <= CROWD:
        buffer = _get_buffer(len(problem))
        kind = find_members(Problem(*(getattr(problem, name) for name in Problem._fields)), DEFAULT_TOLERANCES, buffer)
        if buffer.found.counts[STATUS] == OK and kind != CONTINUUM:
            return int(kind), int(buffer.found.counts[PIECES])
    found = find_accelerations(problem)
    return SET_KINDS.index(found.kind), len(found.pieces)


@lru_cache(maxsize=32)
def _get_buffer(k: int):
    from dynamics.search.members import allocate_set_buffer

    return allocate_set_buffer(k)


class _CellMaker:
    """Makes the scene of each cell."""

    def __init__(self, scene: Scene, x: Axis, y: Axis, hold: int | None):
        self._tables = pickle.dumps(tomllib.loads(scene.text))
        self._text = scene.text
        self._source = scene.source
        self._where = scene.source or scene.name
        self._axes = (x, y)
        self._held = None if hold is None else _Held(scene, hold, (x.key, y.key))

    def check(self, row: int, column: int) -> None:
        """Raise the error of a cell that is none of the scene; overlaps are no errors."""
        try:
            self.build(row, column)
        except OverlapError:
            pass

    def build(self, row: int, column: int, with_text: bool = True) -> Scene:
        """The scene of a cell; its text, which takes time, only if wanted."""
        data = pickle.loads(self._tables)  # the fastest deep copy
        for axis, index in zip(self._axes, (column, row), strict=True):
            try:
                toml_text.apply_override(data, axis.key, axis.get_value(index))
            except toml_text.PathError as error:
                raise SceneError(f"{axis.key}: {error}") from None
        if self._held is not None:
            self._held.place(data)
        text = rewrite_toml(self._text, data) if with_text else ""
        return build_scene(data, text, self._where, self._source)


class _Held:
    """A contact of the scene that stays closed, with its slip velocity: at its place, or, where an edge of the part
    lies on an arc, at the place of the arc that has the normal of the edge. An arc of the part turns about its
    centre."""

    def __init__(self, scene: Scene, index: int, keys: tuple[str, str]):
        from sim.instant.body import build_body
        from sim.instant.instant import contact_problem

        for key in keys:
            if key in _FOLLOWS:
                raise MapError(f"{key}: follows from the contact that is held; leave out --hold, or vary another key")
            if key.startswith(_MOVES):
                raise MapError(f"{key}: moves what the contact that is held stands on; leave out --hold")
        _, contacts = contact_problem(scene)
        if not 0 <= index < len(contacts):
            valid = f"0 to {len(contacts) - 1}" if contacts else "none: no contact is closed at the start"
            raise MapError(f"--hold {index}: there is no contact {index}; valid: {valid}")
        contact = contacts[index]
        if contact["gap_rate"] < 0.0:
            raise MapError(f"--hold {index}: contacts close with a speed at the start, so none stays closed")
        part = scene.workpiece
        self._normal = np.array(contact["normal"])
        self._turns = contact["type"] == "A"  # the normal belongs to the part
        body = build_body(scene)
        # m, of what is round: 0 of a vertex; its centre is where the contact is held
        own, other = body.part.edge[contact["part_feature"]], body.walls.edge[contact["obstacle_feature"]]
        self._radius = -float(other["radius"]) if self._turns else float(own["radius"])
        self._point = np.array(contact["point"]) + self._radius * self._normal
        self._theta, self._slip = part.pose.theta, contact["slip"]
        self._centre = -np.array(part.origin)  # of mass, in the frame of the outline
        origin = part.pose.transform(part.origin)
        held = np.array(contact["point"]) if self._turns else self._point
        self._local = Pose(0.0, 0.0, -part.pose.theta).rotate(held - origin)  # what is held, in that frame

    def place(self, data: dict) -> None:
        """Set pose and velocity of the workpiece of a parsed scene, keeping its angle and angular velocity."""
        workpiece = data.get("workpiece", {})
        try:
            theta = read_angle(workpiece.get("pose", [0.0, 0.0, 0.0])[2])
            omega = float(workpiece.get("velocity", [0.0, 0.0, 0.0])[2])
        except (ValueError, TypeError, LookupError, AttributeError):
            return  # the scene is judged where it is read
        turn = Pose(0.0, 0.0, theta)
        nx, ny = normal = Pose(0.0, 0.0, theta - self._theta).rotate(self._normal) if self._turns else self._normal
        outwards = self._radius * normal  # from the contact to the centre of what is round
        x, y = self._point - (outwards if self._turns else 0.0) - turn.rotate(self._local)
        # from the contact to the centre of mass
        rx, ry = turn.rotate(self._centre - self._local) + (0.0 if self._turns else outwards)
        workpiece["pose"] = [float(x), float(y), theta]
        workpiece["velocity"] = [float(self._slip * ny - omega * ry), float(omega * rx - self._slip * nx), omega]
