"""What a scene file may hold: its sections, keys, types and limits, and how words and units become numbers.

Lengths are numbers in metres, or strings such as "10 mm"; angles are numbers in radians, or strings such as "20 deg".
Whole numbers become float64. Every model refuses unknown keys.
"""

from __future__ import annotations

import math
import re
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator

from geometry.units import LENGTH_UNITS, to_metres

STANDARD_GRAVITY = 9.81  # m/s^2, downwards, where a scene says nothing
CHOICES = ("continue", "stick", "separate", "stop", "random", "branch")
LAWS = ("newton", "poisson", "stronge")
_QUANTITY = re.compile(r"\s*([-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(\S+)\s*")
_ANGLE_UNITS = {"deg": math.pi / 180.0, "°": math.pi / 180.0, "rad": 1.0}


# ---------------------------------------------------------------------------------------------------------- numbers


def _read_number(value: Any, what: str = "a number") -> float:
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
    return _read_number(value, what)


def read_angle(value: Any) -> float:
    """Angle in radians from a number (rad) or a string such as "20 deg"."""
    what = 'an angle: a number in radians or a string such as "20 deg"'
    if isinstance(value, str):
        number, unit = _read_quantity(value, _ANGLE_UNITS, what)
        return math.radians(number) if unit != "rad" else number
    return _read_number(value, what)


def read_friction(value: Any) -> float:
    """Friction coefficient: zero or positive and finite."""
    if not isinstance(value, bool) and isinstance(value, int | float) and value == math.inf:
        raise ValueError("infinite friction is not a Coulomb law (a body can slip at any finite mu, however large); "
                         "use a large finite number such as 1e6")
    mu = _read_number(value, "a number, zero or positive")
    if mu < 0.0:
        raise ValueError("a friction coefficient must be zero or positive")
    return mu


def read_restitution(value: Any) -> float:
    """Coefficient of restitution in [0, 1]."""
    e = _read_number(value, "a number from 0 to 1")
    if not 0.0 <= e <= 1.0:
        raise ValueError("a coefficient of restitution must be from 0 to 1")
    return e


def _read_positive(value: Any) -> float:
    number = _read_number(value, "a positive number")
    if number <= 0.0:
        raise ValueError("must be positive")
    return number


def _read_duration(value: Any) -> float:
    number = _read_number(value, "a number, zero or positive")
    if number < 0.0:
        raise ValueError("must be zero or positive")
    return number


def _read_tolerance(value: Any) -> float:
    number = _read_number(value, "a number from 1e-14 to 1e-2")
    if not 1e-14 <= number <= 1e-2:
        raise ValueError("must be from 1e-14 to 1e-2")
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


Number = Annotated[float, BeforeValidator(_read_number)]
Length = Annotated[float, BeforeValidator(read_length)]
Angle = Annotated[float, BeforeValidator(read_angle)]
Friction = Annotated[float, BeforeValidator(read_friction)]
Restitution = Annotated[float, BeforeValidator(read_restitution)]
Law = Literal["newton", "poisson", "stronge"]
Positive = Annotated[float, BeforeValidator(_read_positive)]
PositiveLength = Annotated[float, BeforeValidator(read_positive_length)]
Name = Annotated[str, BeforeValidator(_read_name)]


# --------------------------------------------------------------------------------------------------------- sections


class Section(BaseModel):
    """A table of a scene file: unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class RegularSection(Section):
    """Regular polygon: lowest edge level, centre at the origin of the outline."""

    n: Annotated[int, Field(strict=True, ge=3, le=100_000)]
    circumradius: Number


class OutlineSection(Section):
    """An outline: exactly one of `box`, `regular`, `vertices`; numbers are in `unit`."""

    box: tuple[Number, Number] | None = None
    regular: RegularSection | None = None
    vertices: list[tuple[Any, Any]] | None = None
    unit: Literal["m", "cm", "mm", "um", "in"] = "m"

    @field_validator("vertices", mode="before")
    @classmethod
    def _check_vertices(cls, value):
        if not isinstance(value, list):
            raise ValueError("must be a list of [x, y] pairs")
        for i, pair in enumerate(value):
            good = isinstance(pair, list | tuple) and len(pair) == 2
            if not good or any(isinstance(c, bool) or not isinstance(c, int | float) for c in pair):
                raise ValueError(f"vertex {i} is {pair!r}; valid: a pair [x, y] of numbers")
        return [(float(x), float(y)) for x, y in value]

    @model_validator(mode="after")
    def _check_one(self):
        given = [name for name in ("box", "regular", "vertices") if getattr(self, name) is not None]
        if len(given) != 1:
            said = " and ".join(given) if given else "none"
            raise ValueError(f"needs exactly one of box, regular, vertices; given: {said}")
        return self


class WorkpieceSection(Section):
    """The moving part. `pose` places the frame of the outline; `velocity` is that of the centre of mass."""

    name: Name = "workpiece"
    outline: OutlineSection
    mass: Positive
    rho: PositiveLength | None = None
    center_of_mass: tuple[Number, Number] | None = None
    pose: tuple[Length, Length, Angle] = (0.0, 0.0, 0.0)
    velocity: tuple[Number, Number, Number] = (0.0, 0.0, 0.0)


class ObstacleSection(Section):
    """A fixed polygon. `mu`, `e` and the law of impact are those of the pair with the workpiece."""

    name: Name | None = None
    outline: OutlineSection
    pose: tuple[Length, Length, Angle] = (0.0, 0.0, 0.0)
    mu: Friction | None = None
    e: Restitution | None = None
    law: Law | None = None


class FormationContactSection(Section):
    """An edge of the part on a vertex of an obstacle, or a vertex of the part on an edge of an obstacle.

    Features are counted from 0 as in the outline; edge i runs from vertex i to vertex i + 1. With `at`, the distance of
    the contact from the start of the edge, the contact rolls: it stays there.
    """

    obstacle: Name
    edge: Annotated[int, Field(strict=True, ge=0)] | None = None
    vertex: Annotated[int, Field(strict=True, ge=0)] | None = None
    obstacle_edge: Annotated[int, Field(strict=True, ge=0)] | None = None
    obstacle_vertex: Annotated[int, Field(strict=True, ge=0)] | None = None
    at: Length | None = None

    @model_validator(mode="after")
    def _check_pair(self):
        features = ("edge", "vertex", "obstacle_edge", "obstacle_vertex")
        given = [name for name in features if getattr(self, name) is not None]
        if given not in (["edge", "obstacle_vertex"], ["vertex", "obstacle_edge"]):
            raise ValueError("needs edge and obstacle_vertex, or vertex and obstacle_edge; "
                             f"given: {' and '.join(given) or 'none'}")
        return self


class FormationSection(Section):
    """The contact formation in which the part starts, in place of `workpiece.pose`."""

    type: Literal["3A", "3B", "2AB", "2BA", "ARA", "ARB", "BRA", "BRB"]
    contact: list[FormationContactSection]
    branch: Annotated[int, Field(strict=True, ge=0)] | None = None


class LoadSection(Section):
    """A constant force (N, world frame) at the centre of mass, and a torque (N m)."""

    force: tuple[Number, Number] = (0.0, 0.0)
    torque: Number = 0.0


class RunSection(Section):
    """How to run: times in s; no `step` means an adaptive one; `tolerance` is relative."""

    duration: Annotated[float, BeforeValidator(_read_duration)] = 1.0
    output_interval: Positive | None = None
    choice: Literal["continue", "stick", "separate", "stop", "random", "branch"] = "continue"
    step: Positive | None = None
    tolerance: Annotated[float, BeforeValidator(_read_tolerance)] = 1e-11
    survey: Annotated[bool, Field(strict=True)] = True
    seed: Annotated[int, Field(strict=True, ge=0, le=2**31 - 2)] = 0
    max_branches: Annotated[int, Field(strict=True, ge=1, le=100_000)] = 64
    max_depth: Annotated[int, Field(strict=True, ge=1, le=1000)] = 16


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


# What a run can lead to besides the goals of the scene; see `sim.outcome`.
OUTCOMES = ("at rest", "jammed", "left the scene", "not unique", "no solution", "timed out", "overlap", "invalid",
            "failed")  # fmt: skip


class GoalSection(Section):
    """A region of poses of the frame of the outline, with a name: where a run ends there, that is its outcome.

    An interval that is not given holds everything; angles count modulo a turn. With `at_rest` the part must be at rest.
    """

    name: Name
    x: Annotated[tuple[float, float], BeforeValidator(_read_lengths)] | None = None
    y: Annotated[tuple[float, float], BeforeValidator(_read_lengths)] | None = None
    theta: Annotated[tuple[float, float], BeforeValidator(_read_angles)] | None = None
    at_rest: Annotated[bool, Field(strict=True)] = True

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
        return self


def _read_gravity(value: Any) -> tuple[float, float]:
    """Gravity as [gx, gy], or by size and direction: an angle of -90 deg is downwards."""
    what = "[gx, gy] in m/s^2, or {magnitude = 9.81, angle = \"-90 deg\"}"
    if isinstance(value, dict):
        if sorted(value) != ["angle", "magnitude"]:
            raise ValueError(f"must be {what}")
        magnitude = _read_number(value["magnitude"], what)
        angle = read_angle(value["angle"])
        # Along an axis the other component is 0, not the rounding of pi.
        cosine, sine = (0.0 if abs(c) < 1e-15 else c for c in (math.cos(angle), math.sin(angle)))
        return magnitude * cosine, magnitude * sine
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise ValueError(f"must be {what}")
    return _read_number(value[0], what), _read_number(value[1], what)


class SceneSection(Section):
    """A whole scene file."""

    name: Name | None = None
    gravity: Annotated[tuple[float, float], BeforeValidator(_read_gravity)] = (0.0, -STANDARD_GRAVITY)
    workpiece: WorkpieceSection
    obstacle: list[ObstacleSection] = []
    friction: dict[str, Friction] = {}
    restitution: dict[str, Restitution] = {}
    impact: dict[str, Law] = {}
    load: list[LoadSection] = []
    formation: FormationSection | None = None
    goal: list[GoalSection] = []
    run: RunSection = RunSection()

    @field_validator("goal")
    @classmethod
    def _check_goals(cls, goals):
        names = [goal.name for goal in goals]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"two goals have the name {name!r}; give each its own")
        return goals
