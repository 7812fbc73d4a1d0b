"""Numbers of a scene file: how words and units become SI numbers, and what is refused.

Lengths are numbers in metres, or strings such as "10 mm"; angles are numbers in radians, or strings such as "20 deg".
Whole numbers become float64.
"""

from __future__ import annotations

import math
import re
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict

from geometry.units import LENGTH_UNITS, to_metres

_QUANTITY = re.compile(r"\s*([-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(\S+)\s*")
_ANGLE_UNITS = {"deg": math.pi / 180.0, "°": math.pi / 180.0, "rad": 1.0}
_TURN_UNITS = {"deg/s": math.pi / 180.0, "°/s": math.pi / 180.0, "rad/s": 1.0}


def read_number(value: Any, what: str = "a number") -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"must be {what}")
    value = float(value)
    if not math.isfinite(value):
        raise ValueError(f"must be finite; valid: {what}")
    return value


def _read_quantity(value: str, units, what: str) -> tuple[float, str]:
    match = _QUANTITY.fullmatch(value)
    if not match or match[2] not in units:
        raise ValueError(f"must be {what}; valid units: {', '.join(units)}")
    return float(match[1].replace("_", "")), match[2]


def read_length(value: Any) -> float:
    """Length in metres from a number (m) or a string such as "10 mm"."""
    what = 'a length: a number in metres or a string such as "10 mm"'
    if isinstance(value, str):
        number, unit = _read_quantity(value, LENGTH_UNITS, what)
        return float(to_metres(number, unit))
    return read_number(value, what)


def read_angle(value: Any) -> float:
    """Angle in radians from a number (rad) or a string such as "20 deg"."""
    what = 'an angle: a number in radians or a string such as "20 deg"'
    if isinstance(value, str):
        number, unit = _read_quantity(value, _ANGLE_UNITS, what)
        return math.radians(number) if unit != "rad" else number
    return read_number(value, what)


def read_friction(value: Any) -> float:
    """Friction coefficient: zero or positive and finite."""
    if not isinstance(value, bool) and isinstance(value, int | float) and value == math.inf:
        raise ValueError("infinite friction is not a Coulomb law (a body can slip at any finite mu, however large); "
                         "use a large finite number such as 1e6")
    mu = read_number(value, "a number, zero or positive")
    if mu < 0.0:
        raise ValueError("a friction coefficient must be zero or positive")
    return mu


def read_restitution(value: Any) -> float:
    """Coefficient of restitution in [0, 1]."""
    e = read_number(value, "a number from 0 to 1")
    if not 0.0 <= e <= 1.0:
        raise ValueError("a coefficient of restitution must be from 0 to 1")
    return e


def read_angular_velocity(value: Any) -> float:
    """Angular velocity in rad/s from a number (rad/s) or a string such as "20 deg/s"."""
    what = 'an angular velocity: a number in rad/s or a string such as "20 deg/s"'
    if isinstance(value, str):
        number, unit = _read_quantity(value, _TURN_UNITS, what)
        return math.radians(number) if unit != "rad/s" else number
    return read_number(value, what)


def _read_positive(value: Any) -> float:
    number = read_number(value, "a positive number")
    if number <= 0.0:
        raise ValueError("must be positive")
    return number


def read_positive_length(value: Any) -> float:
    length = read_length(value)
    if length <= 0.0:
        raise ValueError("must be positive")
    return length


def _read_name(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("must be a name: a string that is not empty")
    return value


Number = Annotated[float, BeforeValidator(read_number)]
Length = Annotated[float, BeforeValidator(read_length)]
Angle = Annotated[float, BeforeValidator(read_angle)]
AngularVelocity = Annotated[float, BeforeValidator(read_angular_velocity)]
Friction = Annotated[float, BeforeValidator(read_friction)]
Restitution = Annotated[float, BeforeValidator(read_restitution)]
Law = Literal["newton", "poisson", "stronge"]
Positive = Annotated[float, BeforeValidator(_read_positive)]
PositiveLength = Annotated[float, BeforeValidator(read_positive_length)]
Name = Annotated[str, BeforeValidator(_read_name)]


class Section(BaseModel):
    """A table of a scene file: unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)
