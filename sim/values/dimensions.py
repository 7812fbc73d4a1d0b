"""Units and limits of the numbers of a scene: one table, by dimension.

Conversions multiply and divide by whole numbers where they can, so that "10.02 mm" is the double nearest to 0.01002.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from geometry.shapes.units import LARGEST_LENGTH, LENGTH_UNITS, SMALLEST_LENGTH

# No number of a scene may be larger than this in SI units, and none that must be positive smaller than SMALLEST.
# Reason: forces, energies and moments are products and quotients of a few of them, and must stay far from the ends of a
# double. Consequence: a mass of 1e16 kg (a mountain) is refused.
LARGEST, SMALLEST = LARGEST_LENGTH, SMALLEST_LENGTH
# A number that is nearer to zero than this, and is not zero, is refused. Reason: its square is lost below the smallest
# double. What computing leaves of a zero (sums and sines, 1e-17 of something) is far above.
LEAST_NOT_ZERO = 1e-100
# Largest angle [rad]. Reason: a double resolves larger ones no better than 1e-7 rad. Consequence: an angle is a place,
# and need not count more turns than that.
LARGEST_ANGLE = 1e9

# A decimal number as users write it; "_" may stand between its digits, see `parse_number`.
NUMBER = r"[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"

STANDARD_GRAVITY = 9.81  # m/s^2, downwards, where a scene says nothing

_DEGREE = math.pi / 180.0


class Dimension(NamedTuple):
    """What a number of a scene measures."""

    name: str
    example: str
    units: dict[str, tuple[float, float]]  # unit: (numerator, denominator) in SI units; the first is the SI unit
    plain: str = ""  # what a plain number is, in words
    largest: float = LARGEST  # in the SI unit

    @property
    def si(self) -> str:
        """The unit of plain numbers."""
        return next(iter(self.units))


_METRES = dict(LENGTH_UNITS)
_NEWTONS = {"N": (1, 1), "kN": (1000, 1), "mN": (1, 1000), "uN": (1, 1_000_000)}
LENGTH = Dimension("a length", "10 mm", _METRES, "a length: a number in metres")
MASS = Dimension("a mass", "5 g", {"kg": (1, 1), "g": (1, 1000), "mg": (1, 1_000_000), "t": (1000, 1)})
TIME = Dimension("a time", "20 ms", {"s": (1, 1), "ms": (1, 1000), "us": (1, 1_000_000), "min": (60, 1),
                                     "h": (3600, 1)})  # fmt: skip
FREQUENCY = Dimension("a frequency", "50 Hz", {"Hz": (1, 1), "kHz": (1000, 1), "MHz": (1_000_000, 1),
                                               "mHz": (1, 1000)})  # fmt: skip
ANGLE = Dimension("an angle", "20 deg", {"rad": (1, 1), "deg": (_DEGREE, 1), "mrad": (1, 1000)},
                  "an angle: a number in radians", LARGEST_ANGLE)
SPEED = Dimension("a speed", "30 mm/s", {**{f"{unit}/s": pair for unit, pair in _METRES.items()},
                                         "m/min": (1, 60), "km/h": (1000, 3600)})  # fmt: skip
ANGULAR_VELOCITY = Dimension("an angular velocity", "20 deg/s", {
    "rad/s": (1, 1), "deg/s": (_DEGREE, 1), "rpm": (2.0 * math.pi, 60)},
                             "an angular velocity: a number in rad/s")
ACCELERATION = Dimension("an acceleration", "9.81 m/s^2", {f"{unit}/s^2": pair for unit, pair in _METRES.items()})
FORCE = Dimension("a force", "2 N", _NEWTONS)
TORQUE = Dimension("a torque", "3 N mm", {f"{force} {length}": (a * c, b * d)
                                          for length, (c, d) in _METRES.items() if length in ("m", "cm", "mm")
                                          for force, (a, b) in _NEWTONS.items()})  # fmt: skip
_SHORT = {unit: _METRES[unit] for unit in ("m", "cm", "mm")}
STIFFNESS = Dimension("a stiffness", "20 N/mm", {f"{force}/{length}": (a * d, b * c)
                                                 for length, (c, d) in _SHORT.items()
                                                 for force, (a, b) in _NEWTONS.items()})  # fmt: skip
ROTATIONAL_STIFFNESS = Dimension("a rotational stiffness", "30 N m/rad", {
    **{f"{torque}/rad": pair for torque, pair in TORQUE.units.items()},
    **{f"{torque}/deg": (a, b * _DEGREE) for torque, (a, b) in TORQUE.units.items()}})
DAMPING = Dimension("a damping", "5 N s/m", {
    **{f"{force} s/{length}": (a * d, b * c) for length, (c, d) in _SHORT.items()
       for force, (a, b) in _NEWTONS.items()}, "kg/s": (1, 1), "g/s": (1, 1000)})
ROTATIONAL_DAMPING = Dimension("a rotational damping", "0.2 N m s", {
    f"{force} {length} s{rad}": (a * c, b * d) for rad in ("", "/rad") for length, (c, d) in _SHORT.items()
    for force, (a, b) in _NEWTONS.items()})
MIXED_DAMPING = Dimension("a damping between a direction and the turn", "0.1 N s", {
    f"{force} s": pair for force, pair in _NEWTONS.items()})
MOMENT = Dimension("a mass times a length", "5 g m", {
    f"{mass} {length}": (a * c, b * d) for length, (c, d) in _SHORT.items() for mass, (a, b) in MASS.units.items()})
MOMENT_OF_INERTIA = Dimension("a moment of inertia", "5 g m^2", {
    f"{mass} {length}^2": (a * c * c, b * d * d) for length, (c, d) in _SHORT.items()
    for mass, (a, b) in MASS.units.items()})
DIMENSIONS = (LENGTH, MASS, TIME, FREQUENCY, ANGLE, SPEED, ANGULAR_VELOCITY, ACCELERATION, FORCE, TORQUE, STIFFNESS,
              ROTATIONAL_STIFFNESS, DAMPING, ROTATIONAL_DAMPING, MIXED_DAMPING, MOMENT, MOMENT_OF_INERTIA)

# By the last word of its key: what a plain number of a scene is in. Lengths of outlines are in the unit of the outline,
# and not among them.
_BY_WORD = {"x": LENGTH, "y": LENGTH, "rho": LENGTH, "at": LENGTH, "theta": ANGLE, "angle": ANGLE, "phase": ANGLE,
            "vx": SPEED, "vy": SPEED, "surface_speed": SPEED, "omega": ANGULAR_VELOCITY,
            "angular_velocity": ANGULAR_VELOCITY, "gx": ACCELERATION, "gy": ACCELERATION, "magnitude": ACCELERATION,
            "fx": FORCE, "fy": FORCE, "torque": TORQUE, "mass": MASS, "frequency": FREQUENCY, "t": TIME,
            "rate": FREQUENCY, "duration": TIME, "output_interval": TIME, "step": TIME, "time": TIME, "start": TIME,
            "end": TIME, "force": FORCE, "depth": LENGTH, "direction": ANGLE, "rest_length": LENGTH,
            "stiffness": STIFFNESS, "damping": DAMPING,
            "linear": DAMPING,
            "rotational": ROTATIONAL_DAMPING}  # fmt: skip
# ... and of members of matrices: (between directions, between a direction and the turn, of the turn).
_OF_MATRIX = {"stiffness": (STIFFNESS, FORCE, ROTATIONAL_STIFFNESS),
              "damping": (DAMPING, MIXED_DAMPING, ROTATIONAL_DAMPING),
              "inertia": (MASS, MOMENT, MOMENT_OF_INERTIA)}
_MATRICES = {**{kind: kind for kind in _OF_MATRIX}, "force_metric": "inertia", "motion_metric": "inertia"}  # by key
# Points in the frame and the unit of an outline.
_POINTS = {"center", "point", "at", "anchor", "tip"}

_SPELLINGS = (("²", "^2"), ("s2", "s^2"), ("**2", "^2"), ("°", "deg"), ("µ", "u"), ("μ", "u"), ("·", " "), ("*", " "),
              ("Nms", "N m s"), ("Nm", "N m"), ("Ncm", "N cm"), ("Ns", "N s"))  # fmt: skip


def parse_number(text: str) -> float:
    """The float64 of a text that is a NUMBER."""
    return float(text.replace("_", ""))


def normalise_unit(unit: str) -> str:
    """A unit as the tables spell it: m/s² is m/s^2, Nm is N m, µm is um."""
    for spelling, usual in _SPELLINGS:
        unit = unit.replace(spelling, usual)
    return " ".join(unit.split())


def find_plain_unit(key: str | list[str]) -> str:
    """In what unit a plain number at a dotted path of a scene, or at its keys, is read; "" where it has none, or that
    of its outline."""
    words = key.split(".") if isinstance(key, str) else key
    if {"outline", "center_of_mass"} & set(words) or _POINTS & set(words[-2:-1]):
        return ""
    if words[0] in ("gripper", "control") and words[1:2] and words[1] in _MATRICES and len(words) > 2:
        return get_of_matrix(_MATRICES[words[1]], words[2] in ("theta", "2"), words[-1] in ("theta", "2")).si
    if words[0] == "gravity" and words[-1] == "amplitude":
        return ANGLE.si
    if words[0] == "control" and words[-2:-1] and words[-2].endswith("_gain"):
        return ""
    dimension = _BY_WORD.get(words[2] if words[0] == "goal" and len(words) == 4 else words[-1])
    return "" if dimension is None else dimension.si


def get_of_matrix(matrix: str, row_turns: bool, column_turns: bool) -> Dimension:
    """What a member of "stiffness", "damping" or "inertia" measures: do its row and its column belong to the turn?"""
    return _OF_MATRIX[matrix][row_turns + column_turns]


def find_dimensions(unit: str) -> list[Dimension]:
    """The dimensions that have a unit."""
    unit = normalise_unit(unit)
    return [dimension for dimension in DIMENSIONS if unit in dimension.units]


def convert(number: float, unit: str, dimension: Dimension) -> float:
    """A number of `unit` in SI units. Raises ValueError for a unit of another dimension, or of none."""
    usual = normalise_unit(unit)
    if usual not in dimension.units:
        others = [other.name for other in find_dimensions(usual)]
        said = f"{unit} is the unit of {' or '.join(others)}" if others else f"{unit!r} is no unit that is known here"
        raise ValueError(f"must be {describe(dimension)}; {said}; valid units: {', '.join(dimension.units)}")
    numerator, denominator = dimension.units[usual]
    return number * numerator / denominator


def describe(dimension: Dimension) -> str:
    """What is valid, such as: a number in kg or a string such as "5 g"."""
    return f'{dimension.plain or f"a number in {dimension.si}"} or a string such as "{dimension.example}"'
