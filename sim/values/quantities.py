"""Numbers of a scene file: how words and units become SI numbers, and what is refused.

A number that measures something is plain, and then in SI units (metres, radians, kilograms, seconds ...), or a string
with its unit, such as "10 mm", "20 deg", "5 g"; see `sim.values.dimensions`. Whole numbers become float64.
"""

from __future__ import annotations

import math
import re
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict

from sim.values import dimensions

_QUANTITY = re.compile(rf"\s*({dimensions.NUMBER})\s*([^\s\d].*?)\s*")

LONGEST_NAME = 1000  # characters; longer ones are no names, and go into no message and no picture


class Metres(float):
    """A length of an outline that was given with a unit of its own, in metres."""


def read_number(value: Any, what: str = "a number", largest: float = dimensions.LARGEST, unit: str = "") -> float:
    """A finite float64 whose size can be computed with. Raises ValueError, whose message ends in what is valid."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"must be {what}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf  # a whole number of more than 308 digits; numbers up to there are merely large
    if math.isnan(number) or (math.isinf(number) and isinstance(value, float)):
        raise ValueError(f"must be finite; valid: {what}")
    unit = f" {unit}" if unit else ""
    if abs(number) > largest:
        raise ValueError(f"is too large; valid: {what}, up to {largest:g}{unit} in size")
    if 0.0 < abs(number) < dimensions.LEAST_NOT_ZERO:
        least = f"{dimensions.LEAST_NOT_ZERO:g}{unit}"
        raise ValueError(f"is too near to zero; valid: {what}, 0 or at least {least} in size")
    return number


def read_quantity(value: Any, dimension: dimensions.Dimension, what: str = "") -> float:
    """A number in SI units from a plain number or from a string with a unit of the dimension. Raises ValueError."""
    what = what or dimensions.describe(dimension)
    if isinstance(value, str):
        match = _QUANTITY.fullmatch(value)
        if not match:
            raise ValueError(f"must be {what}; valid units: {', '.join(dimension.units)}")
        value = dimensions.convert(dimensions.parse_number(match[1]), match[2], dimension)
    return read_number(value, what, dimension.largest, dimension.si)


def read_length(value: Any) -> float:
    """Length in metres from a number (m) or a string such as "10 mm"."""
    return read_quantity(value, dimensions.LENGTH)


def read_angle(value: Any) -> float:
    """Angle in radians from a number (rad) or a string such as "20 deg"."""
    return read_quantity(value, dimensions.ANGLE)


def read_time(value: Any) -> float:
    """Time in seconds from a number (s) or a string such as "20 ms"."""
    return read_quantity(value, dimensions.TIME)


def read_outline_length(value: Any) -> float:
    """A length of an outline: a number in the unit of the outline, or `Metres` from a string such as "10 mm"."""
    if isinstance(value, str):
        return Metres(read_length(value))
    return read_number(value, 'a number in the unit of the outline or a string such as "10 mm"')


def read_plain_pairs(pairs: list) -> list[tuple[float, float]] | None:
    """What `read_outline_length` makes of a list of pairs, all at once; None where they are not all pairs of plain
    numbers of a size that is valid: then one by one says what is wrong."""
    if not all(isinstance(pair, list | tuple) and len(pair) == 2 for pair in pairs):
        return None
    flat = [length for pair in pairs for length in pair]
    if not set(map(type, flat)) <= {int, float}:
        return None
    try:
        numbers = np.array(flat, dtype=np.float64)
    except OverflowError:
        return None
    size = np.abs(numbers)  # a comparison with NaN is false
    if not ((size <= dimensions.LARGEST) & ((size >= dimensions.LEAST_NOT_ZERO) | (size == 0.0))).all():
        return None
    lengths = iter(numbers.tolist())
    return list(zip(lengths, lengths, strict=True))


ONE_COEFFICIENT = ("friction has one coefficient for each pair, the same at rest and in motion: give a number, under "
                   "`default` or the name of an obstacle")


def read_friction(value: Any) -> float:
    """Friction coefficient: zero or positive and finite."""
    if isinstance(value, dict):
        raise ValueError(ONE_COEFFICIENT)
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


def _read_positive(value: Any, dimension: dimensions.Dimension) -> float:
    """A quantity that is large enough to divide by."""
    what = dimensions.describe(dimension).replace("a number", "a positive number")
    number = read_quantity(value, dimension, what)
    if number <= 0.0:
        raise ValueError("must be positive")
    if number < dimensions.SMALLEST:
        raise ValueError(f"is too small; valid: {what}, at least {dimensions.SMALLEST:g} {dimension.si}")
    return number


def _read_not_negative(value: Any, dimension: dimensions.Dimension) -> float:
    number = read_quantity(value, dimension)
    if number < 0.0:
        raise ValueError("must be zero or positive")
    return number


def read_positive_length(value: Any) -> float:
    return _read_positive(value, dimensions.LENGTH)


# The radius of gyration lies within this factor of the size of the part, either way. Reason: contacts compare the
# square of their quotient with 1, and beyond 1e16 nothing is left of the 1. Consequence: a wheel of a metre whose mass
# sits within a micrometre of its centre is refused.
LARGEST_RHO_FACTOR = 1e6


def read_rho(value: Any, size: float) -> float:
    """Radius of gyration of a part of a size [m], in metres."""
    rho = read_positive_length(value)
    low, high = size / LARGEST_RHO_FACTOR, size * LARGEST_RHO_FACTOR
    if not low <= rho <= high:
        raise ValueError(f"is out of proportion to a part of {size:.6g} m; valid: from {low:.3g} m to {high:.3g} m")
    return rho


def _read_name(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("must be a name: a string that is not empty")
    if len(value) > LONGEST_NAME:
        raise ValueError(f"is too long a name, of {len(value)} characters; valid are up to {LONGEST_NAME}")
    return value


def _accept(dimension: dimensions.Dimension, read=read_quantity):
    return Annotated[float, BeforeValidator(lambda value: read(value, dimension))]


Number = Annotated[float, BeforeValidator(read_number)]
Length, Angle, Time = _accept(dimensions.LENGTH), _accept(dimensions.ANGLE), _accept(dimensions.TIME)
Speed, AngularVelocity = _accept(dimensions.SPEED), _accept(dimensions.ANGULAR_VELOCITY)
Acceleration, Force, Torque = _accept(dimensions.ACCELERATION), _accept(dimensions.FORCE), _accept(dimensions.TORQUE)
PositiveLength, PositiveTime = _accept(dimensions.LENGTH, _read_positive), _accept(dimensions.TIME, _read_positive)
PositiveForce = _accept(dimensions.FORCE, _read_positive)
RestLength = _accept(dimensions.LENGTH, _read_not_negative)
Stiffness, Damping = _accept(dimensions.STIFFNESS, _read_not_negative), _accept(dimensions.DAMPING, _read_not_negative)
RotationalDamping = _accept(dimensions.ROTATIONAL_DAMPING, _read_not_negative)
Mass, Frequency = _accept(dimensions.MASS, _read_positive), _accept(dimensions.FREQUENCY, _read_positive)
OutlineLength = Annotated[Any, BeforeValidator(read_outline_length)]  # Any keeps `Metres` as it is
Friction = Annotated[float, BeforeValidator(read_friction)]
Restitution = Annotated[float, BeforeValidator(read_restitution)]
Name = Annotated[str, BeforeValidator(_read_name)]


class Section(BaseModel):
    """A table of a scene file: unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)  # what is built at last holds its parts
