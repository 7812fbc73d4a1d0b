"""What a scene file may say about obstacles that move, and about gravity that turns."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, field_validator, model_validator

from sim.values.quantities import (
    Acceleration,
    Angle,
    AngularVelocity,
    Frequency,
    Length,
    Section,
    Speed,
    read_angle,
    read_length,
    read_time,
)
from sim.words.quoting import quote

Interpolation = Literal["smooth", "linear"]


def _read_amplitude(value: Any) -> tuple[float, float, float]:
    if not isinstance(value, list | tuple) or len(value) not in (2, 3):
        raise ValueError("must be [x, y] or [x, y, theta]: lengths and an angle")
    x, y, theta = (*value, 0.0)[:3]
    return read_length(x), read_length(y), read_angle(theta)


def read_rows(value: Any, readers: tuple, what: str, optional: int = 0) -> list[tuple[float, ...]]:
    """Rows [t, ...] with rising times; `readers` are those of the columns after the time, of which the last `optional`
    may be left out, and are 0 then."""
    if not isinstance(value, list | tuple) or len(value) < 2:
        raise ValueError(f"must be a list of two or more rows {what}")
    rows = []
    for i, row in enumerate(value):
        if not isinstance(row, list | tuple) or not len(readers) - optional < len(row) <= 1 + len(readers):
            raise ValueError(f"row {i} is {quote(row)}; valid: {what}")
        try:
            filled = (*row[1:], *[0.0] * (1 + len(readers) - len(row)))
            read = (read_time(row[0]), *(f(x) for f, x in zip(readers, filled, strict=True)))
        except ValueError as error:
            raise ValueError(f"row {i} is {quote(row)}: {error}") from None
        if rows and not read[0] > rows[-1][0]:
            raise ValueError(f"the times must rise: row {i} is at {read[0]!r} s, the row before at {rows[-1][0]!r} s")
        rows.append(read)
    return rows


class SinusoidSection(Section):
    """A displacement amplitude sin(2 pi frequency t + phase); frequency in Hz."""

    amplitude: Annotated[tuple[float, float, float], BeforeValidator(_read_amplitude)]
    frequency: Frequency
    phase: Angle = 0.0


class SwingSection(Section):
    """A turn amplitude sin(2 pi frequency t + phase); frequency in Hz."""

    amplitude: Angle
    frequency: Frequency
    phase: Angle = 0.0


class MovingSection(Section):
    """What the motions of an obstacle and of the direction of gravity share."""

    waypoints: list[tuple[float, ...]] | None = None
    interpolation: Interpolation | None = None

    @model_validator(mode="after")
    def _check_interpolation(self):
        if self.interpolation is not None and self.waypoints is None:
            raise ValueError("interpolation says how to go from one waypoint to the next; there are no waypoints")
        return self


class MotionSection(MovingSection):
    """How an obstacle moves: the sum of what is given. It turns about the point `about`, which moves along.

    `about` is where that point is in the world at t = 0; without it the obstacle turns about the origin of its frame.
    """

    velocity: tuple[Speed, Speed] = (0.0, 0.0)
    angular_velocity: AngularVelocity = 0.0
    about: tuple[Length, Length] | None = None
    sinusoid: list[SinusoidSection] = Field(default_factory=list)

    @field_validator("waypoints", mode="before")
    @classmethod
    def _read_rows(cls, value):
        return read_rows(value, (read_length, read_length, read_angle), "[t, x, y, theta]")


class GravitySection(MovingSection):
    """Gravity by its size and its direction, an angle (-90 deg is downwards) that may change with time."""

    magnitude: Acceleration
    angle: Angle | None = None
    angular_velocity: AngularVelocity = 0.0
    sinusoid: list[SwingSection] = Field(default_factory=list)

    @field_validator("waypoints", mode="before")
    @classmethod
    def _read_rows(cls, value):
        return read_rows(value, (read_angle,), "[t, angle]")

    @model_validator(mode="after")
    def _check_angle(self):
        if (self.angle is None) == (self.waypoints is None):
            said = "both are given" if self.waypoints is not None else "neither is given"
            raise ValueError(f"its direction is an angle or a list of waypoints; {said}")
        return self
