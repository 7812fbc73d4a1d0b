"""From what a scene says of a gripper, springs, drag and loads to their frozen form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import hypot, inf
from typing import TYPE_CHECKING, Any, NamedTuple

from dynamics.codes import MOST_LOADS
from geometry.errors import StictionError
from geometry.prescribed.motion import MotionError
from geometry.shapes.pose import Pose
from sim.scene.held.build_load import build_wrench
from sim.scene.held.holding import WORLD, Drag, Gripper, Spring, TimedLoad
from sim.scene.held.matrices import build_mass_matrix, damp_by_ratio
from sim.scene.prescribed.motions import build_motion
from sim.tolerances import ENDS_MEET
from sim.words.quoting import cut, quote
from sim.words.suggestion import suggest

if TYPE_CHECKING:
    from sim.scene.held.held_schema import DragSection, GripperSection, LoadSection, SpringSection

NO_MATRIX = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


class HeldError(StictionError, ValueError):
    """What holds or pulls the part cannot be; the message begins with its key."""


class Bodies(NamedTuple):
    """What is held, and between what."""

    mass: float  # kg
    rho: float  # m
    size: float  # m, of the part
    pose: Pose  # of the centre of mass, at the start
    origin: tuple[float, float]  # of the outline as given, relative to the centre of mass, unrotated, m
    obstacles: Sequence[tuple[str, Pose]]  # name, and pose at the start
    to_metres: Callable[[Any, int | None], tuple[float, ...]]  # of lengths in the unit of an obstacle, or of the part

    def find_point(self, point: Any) -> tuple[float, float]:
        """A point of the part, from the frame and unit of its outline; None: the centre of mass."""
        if point is None:
            return 0.0, 0.0
        x, y = self.to_metres(point, None)
        return x + self.origin[0], y + self.origin[1]

    def place(self, point: tuple[float, float]) -> tuple[float, float]:
        """Where a point of the part is at the start."""
        x, y = self.pose.transform(point)
        return float(x), float(y)


class Held(NamedTuple):
    """Fields of a Scene."""

    load: tuple[float, float, float]
    gripper: Gripper | None
    springs: tuple[Spring, ...]
    drag: Drag | None
    loads: tuple[TimedLoad, ...]


def build_held(
    gripper: GripperSection | None, springs: list[SpringSection], drag: DragSection | None,
    loads: list[LoadSection], bodies: Bodies, controlled: bool = False,
) -> Held:  # fmt: skip
    """What the tables of a scene say. Raises HeldError."""
    names = _name_all("load", [load.name for load in loads])
    timed = [_build_load(load, f"load.{i} ({cut(name)})", name, bodies)
             for i, (load, name) in enumerate(zip(loads, names, strict=True)) if not load.is_plain]
    n = len(timed) + len(springs) + (gripper is not None) + (drag is not None) + controlled
    if n > MOST_LOADS:
        raise HeldError(f"spring, load: {n} springs, loads that are not constant, grippers, drags and controllers; "
                        f"valid: up to {MOST_LOADS} of all kinds together")
    constant = [(*load.force, load.torque) for load in loads if load.is_plain]
    x, y, torque = (float(sum(column)) for column in zip(*constant, strict=True)) if constant else (0.0, 0.0, 0.0)
    names = _name_all("spring", [spring.name for spring in springs])
    return Held(
        load=(x, y, torque),
        gripper=None if gripper is None else _build_gripper(gripper, bodies),
        springs=tuple(_build_spring(spring, i, name, bodies)
                      for i, (spring, name) in enumerate(zip(springs, names, strict=True))),
        drag=None if drag is None else Drag(drag.linear, drag.rotational),
        loads=tuple(timed),
    )


def _name_all(kind: str, given: list[str | None]) -> list[str]:
    """The names of the members of a list of tables, which differ."""
    names = [name or f"{kind}_{i}" for i, name in enumerate(given)]
    for i, name in enumerate(names):
        if name in names[:i]:
            raise HeldError(f"{kind}.{i}.name = {quote(name)}: {kind}.{names.index(name)} has this name already")
    return names


def _build_load(section: LoadSection, key: str, name: str, bodies: Bodies) -> TimedLoad:
    try:
        wrench = build_wrench(section)
    except MotionError as error:
        raise HeldError(f"{key}: {error}") from None
    return TimedLoad(name, bodies.find_point(section.at), section.axes == "part", wrench)


def _build_gripper(section: GripperSection, bodies: Bodies) -> Gripper:
    center = bodies.find_point(section.center)
    pose = Pose(*bodies.place(center), bodies.pose.theta) if section.pose is None else Pose(*section.pose)
    try:
        motion = build_motion(section.motion, pose, 0.0)
    except MotionError as error:
        raise HeldError(f"gripper.motion: {error}") from None
    turned = section.axes == "gripper"
    damping = section.damping or NO_MATRIX
    if section.damping_ratio is not None:
        angle = bodies.pose.theta - (motion.place(0.0).theta if turned else 0.0)
        mass = build_mass_matrix(bodies.mass, bodies.rho, center, angle)
        damping = damp_by_ratio(section.stiffness, section.damping_ratio, mass)
    release = section.release
    return Gripper(
        stiffness=section.stiffness,
        damping=damping,
        center=center,
        turned=turned,
        motion=motion,
        release_time=inf if release is None or release.time is None else release.time,
        release_force=inf if release is None or release.force is None else release.force,
        preload=section.preload,
    )


def _build_spring(section: SpringSection, index: int, name: str, bodies: Bodies) -> Spring:
    key = f"spring.{index}"
    obstacle, anchor, frame = WORLD, bodies.to_metres(section.anchor, WORLD), Pose(0.0, 0.0, 0.0)
    if section.obstacle is not None:
        names = [other for other, _ in bodies.obstacles]
        if section.obstacle not in names:
            raise HeldError(f"{key}.obstacle = {quote(section.obstacle)}: there is no obstacle of this name"
                            f"{suggest(section.obstacle, names)}")
        obstacle = names.index(section.obstacle)
        anchor, frame = bodies.to_metres(section.anchor, obstacle), bodies.obstacles[obstacle][1]
    point = bodies.find_point(section.point)
    own, other = bodies.place(point), frame.transform(anchor)
    length = hypot(own[0] - float(other[0]), own[1] - float(other[1]))
    if length <= ENDS_MEET * bodies.size:
        length = 0.0
    rest_length = length if section.rest_length is None else section.rest_length
    if length == 0.0 and (rest_length > 0.0 or section.damping > 0.0):
        raise HeldError(f"{key} ({cut(name)}): its ends are at one place at the start, so that its push or its damping "
                        "has no direction; move the anchor, or give no damping and rest_length = 0")
    return Spring(name, point, obstacle, (anchor[0], anchor[1]), section.stiffness, rest_length, section.damping,
                  section.pull_only)
