"""Units of length that an outline or a pose may be given in, and the lengths that can be computed with."""

from __future__ import annotations

from typing import Literal

import numpy as np

from geometry.errors import InputError

LengthUnit = Literal["m", "cm", "mm", "um", "in"]
# unit -> (numerator, denominator) of its length in metres. Multiplying and dividing by whole numbers rounds once, so
# that 10.02 "mm" is the double nearest to 0.01002, which 10.02 * 1e-3 is not always.
LENGTH_UNITS: dict[LengthUnit, tuple[int, int]] = {
    "m": (1, 1), "cm": (1, 100), "mm": (1, 1_000), "um": (1, 1_000_000), "in": (254, 10_000)}

# No length or coordinate [m] may be larger, and no outline smaller. Reason: the moments of an outline are fourth powers
# of lengths, and forces hold their quotients; within these limits all of them, multiplied with each other, stay far
# from the ends of a double (1e-308 to 1e308). Consequence: atomic nuclei and the space between stars are refused.
LARGEST_LENGTH = 1e15
SMALLEST_LENGTH = 1e-15


def to_metres(length, unit: str = "m"):
    """Length(s) in `unit` as float64 metres. Raises InputError for a unit that is not in LENGTH_UNITS."""
    if unit not in LENGTH_UNITS:
        raise InputError(f"unknown unit of length {unit!r}; valid: {', '.join(LENGTH_UNITS)}")
    numerator, denominator = LENGTH_UNITS[unit]
    return np.asarray(length, dtype=np.float64) * numerator / denominator
