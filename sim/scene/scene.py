"""Scene: what is simulated, in SI units and radians, checked, and frozen."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from geometry.formation.formations import FormationContact
from geometry.shapes.outline import Outline
from geometry.shapes.polygon import Polygon
from geometry.shapes.pose import Pose
from sim.scene.held.holding import Control, Drag, Gripper, Spring, TimedLoad

if TYPE_CHECKING:
    from geometry.prescribed.motion import Coordinate, Motion


class DrawnFrom(NamedTuple):
    """The drawing that an outline was read from."""

    file: str  # as the scene names it
    sha256: str  # of the file
    deviation: float  # m, how far arcs lie off the ellipses and splines that they stand for


@dataclass(frozen=True)
class Workpiece:
    """The moving part."""

    name: str
    outline: Polygon | Outline  # relative to the CENTRE OF MASS, unrotated, m
    mass: float  # kg
    rho: float  # radius of gyration about the centre of mass, m
    pose: Pose  # of the centre of mass, world: m, m, rad
    velocity: tuple[float, float, float]  # of the centre of mass: m/s, m/s, rad/s
    origin: tuple[float, float]  # origin of the outline as given, relative to the centre of mass, unrotated, m
    drawing: DrawnFrom | None = None


@dataclass(frozen=True)
class Obstacle:
    """A body that is fixed or moves as prescribed."""

    name: str
    outline: Polygon | Outline  # in its own frame, m
    pose: Pose  # of that frame, world, at t = 0
    mu: float  # friction coefficient of the pair with the workpiece
    e: float  # coefficient of restitution of the pair with the workpiece
    law: str  # law of impact of the pair, one of dynamics.codes.LAWS
    motion: Motion | None = None  # None: neither the shape nor the surface moves
    drawing: DrawnFrom | None = None

    @cached_property
    def shape(self) -> Polygon | Outline:
        """The outline in the world at t = 0, m."""
        return self.outline.placed(self.pose)

    def place(self, time: float) -> Polygon | Outline:
        """The outline in the world at a time [s], m."""
        return self.shape if self.motion is None else self.outline.placed(self.motion.place(time))


@dataclass(frozen=True)
class Run:
    """How to run a scene; see `schema.RunSection`."""

    duration: float  # s
    output_interval: float | None  # s; None: rows at the start, at events and at the end only
    choice: str  # one of dynamics.codes.RULES
    step: float | None  # s; None: adaptive
    tolerance: float  # relative
    survey: bool  # look for other accelerations after every step, not only at events
    seed: int  # of choice "random"
    max_branches: int  # of choice "branch"
    max_depth: int


@dataclass(frozen=True)
class Goal:
    """A region of poses of the frame of the OUTLINE; None where a value may be anything."""

    name: str
    x: tuple[float, float] | None  # m
    y: tuple[float, float] | None  # m
    theta: tuple[float, float] | None  # rad, modulo a turn
    at_rest: bool  # must the part be at rest
    stop: bool = False  # does the run end there


@dataclass(frozen=True)
class Insertion:
    """A hole that the part shall go into; see `insertion_schema.InsertionSection`."""

    mouth: tuple[float, float]  # m, a point of the world in the plane of the mouth
    direction: float  # rad, of going in
    depth: float  # m, from which on it is in
    tip: tuple[float, float] | None  # m, the point of the part that counts, from its centre of mass; None: the foremost


@dataclass(frozen=True)
class Formation:
    """Contacts between the workpiece (frame of its centre of mass) and obstacles (their index is `manipulator`)."""

    type: str
    contacts: tuple[FormationContact, ...]
    branch: int | None  # index into the poses by rising theta; None: the only one that is realised


@dataclass(frozen=True)
class Scene:
    """One workpiece, obstacles, gravity, loads, and how to run."""

    name: str
    summary: str  # the first comment line of the text, "" if none
    text: str  # TOML, overrides included: parsing it gives this scene again
    source: str | None  # the file it was read from
    workpiece: Workpiece
    obstacles: tuple[Obstacle, ...]
    gravity: tuple[float, float]  # m/s^2, at t = 0
    load: tuple[float, float, float]  # N, N, N m; constant, world frame, at the centre of mass; without the weight
    run: Run
    formation: Formation | None = None  # in which the part starts; its pose follows from it
    gravity_turn: Coordinate | None = None  # rad by which gravity has turned since t = 0; None: it does not
    goals: tuple[Goal, ...] = ()  # what a run may be meant to reach, first match first
    gripper: Gripper | None = None  # what holds the part
    springs: tuple[Spring, ...] = ()
    drag: Drag | None = None
    loads: tuple[TimedLoad, ...] = ()  # those that are not constant forces at the centre of mass, see `load`
    control: Control | None = None  # who gives a wrench as it measures

    insertion: Insertion | None = None

    @property
    def moves(self) -> bool:
        """Does an obstacle or its surface move, or does gravity turn?"""
        return self.gravity_turn is not None or any(obstacle.motion is not None for obstacle in self.obstacles)

    @property
    def held(self) -> bool:
        """Do loads depend on time, pose or velocity, but for gravity that turns?"""
        return bool(self.gripper or self.springs or self.drag or self.loads or self.control)

    def list_loads(self) -> tuple[str, ...]:
        """Names of the loads that change, in the order in which a run keeps their work."""
        gripper, drag = (("gripper",) if self.gripper else ()), (("drag",) if self.drag else ())
        return (*gripper, *(s.name for s in self.springs), *drag, *(load.name for load in self.loads))


AnyScene = Scene | str | os.PathLike  # a scene, or the name or file of one
