"""What a scene file may say of what holds, pulls and brakes the part: a gripper, springs, drag, loads."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, field_validator, model_validator

from sim.scene.held.holding import Matrix3
from sim.scene.held.matrices import check_matrix, read_matrix
from sim.scene.prescribed.motion_schema import MotionSection, read_rows
from sim.values import dimensions
from sim.values.quantities import (
    Angle,
    Damping,
    Force,
    Frequency,
    Length,
    Name,
    OutlineLength,
    PositiveForce,
    PositiveTime,
    RestLength,
    RotationalDamping,
    Section,
    Stiffness,
    Time,
    Torque,
    read_number,
    read_quantity,
)

Point = tuple[OutlineLength, OutlineLength]  # in the frame and the unit of an outline


def _read_ratio(value: Any) -> float:
    ratio = read_number(value, "a number, zero or positive: 1 is critical damping")
    if ratio < 0.0:
        raise ValueError("a damping ratio must be zero or positive: 1 is critical damping")
    return ratio


def read_stiffness(value: Any) -> Matrix3:
    return check_matrix(read_matrix(value, "stiffness"))


def read_damping(value: Any) -> Matrix3:
    return check_matrix(read_matrix(value, "damping"))


def _read_force(value: Any) -> float:
    return read_quantity(value, dimensions.FORCE)


def _read_torque(value: Any) -> float:
    return read_quantity(value, dimensions.TORQUE)


def _read_wrench(value: Any) -> tuple[float, float, float]:
    if not isinstance(value, list | tuple) or len(value) not in (2, 3):
        raise ValueError("must be [fx, fy] or [fx, fy, torque]: forces and a torque")
    x, y, torque = (*value, 0.0)[:3]
    return _read_force(x), _read_force(y), _read_torque(torque)


Wrench = Annotated[tuple[float, float, float], BeforeValidator(_read_wrench)]
Ratio = Annotated[Any, BeforeValidator(_read_ratio)]


class ReleaseSection(Section):
    """When a gripper lets go: at a time, or as soon as its force is larger than a limit; whichever is first."""

    time: PositiveTime | None = None
    force: PositiveForce | None = None

    @model_validator(mode="after")
    def _check_one(self):
        if self.time is None and self.force is None:
            raise ValueError("needs a time, a force, or both")
        return self


class GripperSection(Section):
    """A frame that moves as prescribed and holds the part by springs and dampers about a centre of compliance.

    `pose` is that of the frame without the motion; where it is not given, that at which it holds without force.
    """

    stiffness: Annotated[Any, BeforeValidator(read_stiffness)]
    damping: Annotated[Any, BeforeValidator(read_damping)] = None
    damping_ratio: Ratio = None
    center: Point | None = None
    axes: Literal["world", "gripper"] = "world"
    pose: tuple[Length, Length, Angle] | None = None
    motion: MotionSection | None = None
    release: ReleaseSection | None = None
    preload: tuple[Force, Force, Torque] = (0.0, 0.0, 0.0)

    @model_validator(mode="after")
    def _check_one_of_each(self):
        if self.damping is not None and self.damping_ratio is not None:
            raise ValueError("damping and damping_ratio both say how it is damped; keep one")
        if self.motion is not None and self.motion.waypoints is not None and self.pose is not None:
            raise ValueError("pose and motion.waypoints both say where it is; keep one")
        if self.motion is not None and self.motion.about is not None:
            raise ValueError("motion.about is for obstacles; a gripper turns about the origin of its frame, where the "
                             "centre of compliance is held: choose `center`, or give waypoints")
        return self


class SpringSection(Section):
    """A spring and a damper from a point of the part to a point of the world (m), or of an obstacle (its unit)."""

    name: Name | None = None
    point: Point | None = None
    obstacle: Name | None = None
    anchor: Point
    stiffness: Stiffness = 0.0
    rest_length: RestLength | None = None
    damping: Damping = 0.0
    pull_only: Annotated[bool, Field(strict=True)] = False


class DragSection(Section):
    """A force against the velocity of the centre of mass, and a torque against the angular velocity."""

    linear: Damping = 0.0
    rotational: RotationalDamping = 0.0


class SwingingLoadSection(Section):
    """amplitude sin(2 pi frequency t + phase): forces and a torque; frequency in Hz."""

    amplitude: Wrench
    frequency: Frequency
    phase: Angle = 0.0


class RampSection(Section):
    """Nothing until `start`, then rising evenly until `end`, and constant from there on."""

    start: Time = 0.0
    end: Time
    force: tuple[Force, Force] = (0.0, 0.0)
    torque: Torque = 0.0

    @model_validator(mode="after")
    def _check_times(self):
        if not self.end > self.start:
            raise ValueError(f"must end after its start: start is {self.start!r} s, end {self.end!r} s")
        return self


class LoadSection(Section):
    """A force and a torque: the sum of a constant, of sinusoids, a ramp and a table.

    `axes` are those of force: of the world, or of the part, which turn with it. The force acts at the point `at` of the
    part, the centre of mass where it is not given.
    """

    name: Name | None = None
    force: tuple[Force, Force] = (0.0, 0.0)
    torque: Torque = 0.0
    at: Point | None = None
    axes: Literal["world", "part"] = "world"
    sinusoid: list[SwingingLoadSection] = Field(default_factory=list)
    ramp: RampSection | None = None
    table: list[tuple[float, ...]] | None = None
    interpolation: Literal["linear", "smooth", "step"] | None = None

    @field_validator("table", mode="before")
    @classmethod
    def _read_table(cls, value):
        return read_rows(value, (_read_force, _read_force, _read_torque), "[t, fx, fy] or [t, fx, fy, torque]", 1)

    @model_validator(mode="after")
    def _check_interpolation(self):
        if self.interpolation is not None and self.table is None:
            raise ValueError("interpolation says how to go from one row of the table to the next; there is no table")
        return self

    @property
    def is_plain(self) -> bool:
        """Is it constant, in the axes of the world, and at the centre of mass?"""
        changes = self.sinusoid or self.ramp is not None or self.table is not None
        return self.at is None and self.axes == "world" and not changes
