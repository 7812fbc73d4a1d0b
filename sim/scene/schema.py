"""What a scene file may hold: its sections, keys, types and limits. Every section refuses unknown keys."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Discriminator, Field, Tag, field_validator, model_validator

from dynamics.codes import Law, Rule
from geometry.formation.formation_types import FormationType
from sim.rows.ending_codes import MOST_GOALS
from sim.scene.held.contact_schema import FormationContactSection
from sim.scene.held.control_schema import ControlSection
from sim.scene.held.held_schema import DragSection, GripperSection, LoadSection, SpringSection
from sim.scene.held.insertion_schema import InsertionSection
from sim.scene.outline_schema import OutlineSection
from sim.scene.prescribed.motion_schema import GravitySection, MotionSection
from sim.scene.rest_schema import AboveSection, RestSection
from sim.tolerances import LARGEST_STEP_TOLERANCE, LEAST_STEP_TOLERANCE, ROWS_ROUNDING, STEP_TOLERANCE
from sim.values import dimensions
from sim.values.quantities import (
    Angle,
    AngularVelocity,
    Friction,
    Length,
    Mass,
    Name,
    OutlineLength,
    PositiveLength,
    PositiveTime,
    Restitution,
    Section,
    Speed,
    read_angle,
    read_length,
    read_number,
    read_quantity,
    read_time,
)
from sim.words.quoting import quote


def _find_tag(value: Any) -> str:
    if isinstance(value, AboveSection) or (isinstance(value, dict) and "above" in value):
        return "[above]"
    return "[table]" if isinstance(value, dict | RestSection) else "[list]"


# Where the frame of the outline is, in which rest pose the part starts, or how high above what. The tags are left out
# of messages.
StartPose = Annotated[
    Annotated[tuple[Length, Length, Angle], Tag("[list]")] | Annotated[RestSection, Tag("[table]")]
    | Annotated[AboveSection, Tag("[above]")],
    Discriminator(lambda value: _find_tag(value)),
]


class WorkpieceSection(Section):
    """The moving part. `pose` places the frame of the outline, or is a rest pose; `velocity` is that of the centre of
    mass."""

    name: Name = "workpiece"
    outline: OutlineSection
    mass: Mass
    rho: PositiveLength | None = None
    center_of_mass: tuple[OutlineLength, OutlineLength] | None = None
    pose: StartPose = (0.0, 0.0, 0.0)
    velocity: tuple[Speed, Speed, AngularVelocity] = (0.0, 0.0, 0.0)


class ObstacleSection(Section):
    """A body that is fixed or moves as prescribed; with `surface_speed` [m/s] its surface runs, on top towards +x.

    `mu`, `e` and the law of impact are those of the pair with the workpiece.
    """

    name: Name | None = None
    outline: OutlineSection
    pose: tuple[Length, Length, Angle] = (0.0, 0.0, 0.0)
    motion: MotionSection | None = None
    surface_speed: Speed = 0.0
    mu: Friction | None = None
    e: Restitution | None = None
    law: Law | None = None

    @model_validator(mode="after")
    def _check_place(self):
        if "pose" in self.model_fields_set and self.motion is not None and self.motion.waypoints is not None:
            raise ValueError("pose and motion.waypoints both say where it is; keep one")
        return self


class FormationSection(Section):
    """The contact formation in which the part starts, in place of `workpiece.pose`."""

    type: FormationType
    contact: list[FormationContactSection]
    branch: Annotated[int, Field(strict=True, ge=0)] | None = None


def _read_duration(value: Any) -> float:
    number = read_time(value)
    if number < 0.0:
        raise ValueError("must be zero or positive")
    return number


def _read_tolerance(value: Any) -> float:
    number = read_number(value, "a number from 1e-14 to 1e-2")
    if not LEAST_STEP_TOLERANCE <= number <= LARGEST_STEP_TOLERANCE:
        raise ValueError("must be from 1e-14 to 1e-2")
    return number


# Rows of one run: more would fill any disk. Without output_interval a run has rows at its events only.
MOST_ROWS = 1e9


class RunSection(Section):
    """How to run: times in s; no `step` means an adaptive one; `tolerance` is relative."""

    duration: Annotated[float, BeforeValidator(_read_duration)] = 1.0
    output_interval: PositiveTime | None = None
    choice: Rule = "continue"
    step: PositiveTime | None = None
    tolerance: Annotated[float, BeforeValidator(_read_tolerance)] = STEP_TOLERANCE
    survey: Annotated[bool, Field(strict=True)] = True
    seed: Annotated[int, Field(strict=True, ge=0, le=2**31 - 2)] = 0
    max_branches: Annotated[int, Field(strict=True, ge=1, le=100_000)] = 64
    max_depth: Annotated[int, Field(strict=True, ge=1, le=1000)] = 16

    @model_validator(mode="after")
    def _check_rows(self) -> RunSection:
        most = MOST_ROWS * (1.0 + ROWS_ROUNDING)
        if self.output_interval is not None and self.duration / self.output_interval > most:
            raise ValueError(f"output_interval {self.output_interval:g} s would give "
                             f"{self.duration / self.output_interval:.3g} rows in {self.duration:g} s; valid: at least "
                             f"{self.duration / MOST_ROWS:g} s")
        return self


def _read_interval(value: Any, read, what: str) -> tuple[float, float]:
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise ValueError(f"must be [low, high], two of {what}")
    low, high = read(value[0]), read(value[1])
    if low > high:
        raise ValueError("the first must not be larger than the second")
    return low, high


def _read_lengths(value: Any) -> tuple[float, float]:
    return _read_interval(value, read_length, "lengths")


def _read_angles(value: Any) -> tuple[float, float]:
    return _read_interval(value, read_angle, "angles")


# What a run can lead to besides the goals of the scene; see `sim.instant.outcome`.
OUTCOMES = ("at rest", "jammed", "wedged", "inserted", "refused", "left the scene", "not unique", "no solution",
            "timed out", "overlap", "invalid", "failed")  # fmt: skip


class GoalSection(Section):
    """A region of poses of the frame of the outline, with a name: where a run ends there, that is its outcome.

    An interval that is not given holds everything; angles count modulo a turn. With `at_rest` the part must be at rest.
    With `stop` the run ends as soon as it is there.
    """

    name: Name
    x: Annotated[tuple[float, float], BeforeValidator(_read_lengths)] | None = None
    y: Annotated[tuple[float, float], BeforeValidator(_read_lengths)] | None = None
    theta: Annotated[tuple[float, float], BeforeValidator(_read_angles)] | None = None
    at_rest: Annotated[bool, Field(strict=True)] = True
    stop: Annotated[bool, Field(strict=True)] = False

    @field_validator("name")
    @classmethod
    def _check_name(cls, name):
        if name in OUTCOMES:
            raise ValueError(f"is the name of another outcome; taken are: {', '.join(OUTCOMES)}")
        return name

    @model_validator(mode="after")
    def _check_region(self):
        if self.x is None and self.y is None and self.theta is None:
            raise ValueError("needs at least one of x, y, theta")
        for name in ("x", "y", "theta"):
            low, high = getattr(self, name) or (0.0, 1.0)
            if self.stop and low == high:
                raise ValueError(f"with stop, {name} needs two different values: one value is passed in no time")
        return self


def _read_gravity(value: Any) -> tuple[float, float]:
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise ValueError("must be [gx, gy] in m/s^2, or {magnitude = 9.81, angle = \"-90 deg\"}")
    return read_quantity(value[0], dimensions.ACCELERATION), read_quantity(value[1], dimensions.ACCELERATION)


# Gravity as [gx, gy], or by size and direction. The tags are left out of messages.
Gravity = Annotated[
    Annotated[tuple[float, float], BeforeValidator(_read_gravity), Tag("[list]")]
    | Annotated[GravitySection, Tag("[table]")],
    Discriminator(lambda value: "[table]" if isinstance(value, dict | GravitySection) else "[list]"),
]


class SceneSection(Section):
    """A whole scene file."""

    name: Name | None = None
    gravity: Gravity = (0.0, -dimensions.STANDARD_GRAVITY)
    workpiece: WorkpieceSection
    obstacle: list[ObstacleSection] = Field(default_factory=list)
    friction: dict[str, Friction] = Field(default_factory=dict)
    restitution: dict[str, Restitution] = Field(default_factory=dict)
    impact: dict[str, Law] = Field(default_factory=dict)
    load: list[LoadSection] = Field(default_factory=list)
    gripper: GripperSection | None = None
    spring: list[SpringSection] = Field(default_factory=list)
    drag: DragSection | None = None
    control: ControlSection | None = None
    insertion: InsertionSection | None = None
    formation: FormationSection | None = None
    goal: list[GoalSection] = Field(default_factory=list)
    run: RunSection = RunSection()

    @field_validator("goal")
    @classmethod
    def _check_goals(cls, goals):
        if len(goals) > MOST_GOALS:
            raise ValueError(f"{len(goals)} goals; valid: at most {MOST_GOALS}")
        names = [goal.name for goal in goals]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"two goals have the name {quote(name)}; give each its own")
        return goals
