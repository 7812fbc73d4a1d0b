"""The values that a study gives to one key of a scene: grids with exact ends, lists, words, random samples.

    friction.default=0:1:41            41 values, evenly spaced, the first exactly 0, the last exactly 1
    workpiece.pose.theta=-5:5 deg:11   with a unit
    gravity.angle=0,10,20 deg          a list
    run.choice=continue,stick          words
    workpiece.pose.rest=all            every rest pose of the part
    workpiece.pose.x=uniform(0, 1 mm)  random samples: uniform(LOW, HIGH) or normal(MEAN, DEVIATION)
    scale(workpiece.outline)=0.9:1.1:3 factors of what the scene gives
    friction.a=0,1; friction.b=2,3     keys that vary together: here two pairs of values

The values of a grid are the decimal numbers that one would type: they are computed as fractions of the typed text and
rounded once, so that 0.1:0.3:3 has the value 0.2 and 0:0.9:4 the value 0.3.
"""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from geometry.errors import StictionError
from sim.scene import toml_text
from sim.values.dimensions import NUMBER, parse_number

if TYPE_CHECKING:
    from sim.scene.build_outline import AnyOutline

MOST_VALUES = 100_000  # of one axis
SHORT_KEYS = {"mu": "friction.default", "rho": "workpiece.rho"}
REST_KEY, ALL = "workpiece.pose.rest", "all"
INTEGER_KEYS = ("rest", "n", "seed", "max_branches", "max_depth")  # values of a scene that must be whole numbers
_UNIT = r"[a-zA-Z°µμ][^\s:,()]*(?: [^\s:,()]+)*"  # m, deg/s, N mm
_QUANTITY = re.compile(rf"\s*({NUMBER})\s*({_UNIT}|)\s*")
_SCALE = re.compile(r"scale\((.*)\)")
_SAMPLES = re.compile(r"\s*(uniform|normal)\s*\(([^,]*),([^,]*)\)\s*")
GRID, LIST, WORDS, UNIFORM, NORMAL = "grid", "list", "words", "uniform", "normal"
RANDOM = (UNIFORM, NORMAL)


class SweepError(StictionError, ValueError):
    """A study cannot be made; the message says what was asked, why it cannot be, and what is valid."""


@dataclass(frozen=True, eq=False)
class SweepAxis:
    """One key of a scene that varies, alone or together with others."""

    name: str  # as it was given: mu, or friction.default
    key: str  # dotted path, as for --set
    kind: str  # GRID, LIST, WORDS, UNIFORM or NORMAL
    values: np.ndarray  # (n,) float64: grid or list; places in `words`; of random axes the two parameters
    unit: str = ""  # "" for SI
    words: tuple[str, ...] = ()
    is_factor: bool = False  # do the values multiply what the scene gives, and not take its place?
    leader: str = ""  # name of the axis with whose values these go, one by one; "" where it varies on its own

    @property
    def is_random(self) -> bool:
        return self.kind in RANDOM

    def __len__(self) -> int:
        """How many values the axis adds to the grid: one for random axes."""
        return 1 if self.is_random else len(self.values)

    @property
    def shown_unit(self) -> str:
        """The unit of its values, that of plain numbers where none was given; "" where there is none."""
        if self.unit or self.kind == WORDS or self.is_factor:
            return self.unit
        try:
            return toml_text.find_unit(self.key)
        except toml_text.PathError:
            return ""

    def put(self, data: dict, value: float) -> None:
        """Let a parsed scene have a value of the table. Raises PathError."""
        if self.is_factor:
            toml_text.scale_value(data, self.key, float(value))
        else:
            toml_text.apply_override(data, self.key, self.make_override(value))

    def make_override(self, value: float) -> float | int | str:
        """A value of the table as an override of the scene; not of factors."""
        if self.kind == WORDS:
            return self.words[int(value)]
        if self.unit:
            return f"{float(value)!r} {self.unit}"
        if self.key.rsplit(".", 1)[-1] in INTEGER_KEYS and float(value).is_integer():
            return int(value)
        return float(value)

    def draw(self, samples: int, seed: int) -> np.ndarray:
        """(samples,) random values. They depend on the seed and on the key alone: more samples, or other axes beside,
        leave the first ones as they are. Keys that vary together have one sample, each between its own limits: that of
        the first."""
        key = _split_name(self.leader)[1] if self.leader else self.key
        random = np.random.default_rng([seed, zlib.crc32(key.encode())])
        first, second = self.values
        if self.kind == UNIFORM:
            return first + (second - first) * random.random(samples)
        return first + second * random.standard_normal(samples)

    def find_value(self, text: str) -> float:
        """The value of the table that a word of a user means (with or without the unit). Raises SweepError."""
        text = str(text).strip()
        if self.kind == WORDS:
            if text not in self.words:
                raise SweepError(f"{self.name} = {text}: valid: {', '.join(self.words)}")
            return float(self.words.index(text))
        match = _QUANTITY.fullmatch(text)
        if not match or match[2] not in ("", self.unit):
            raise SweepError(f"{self.name} = {text}: must be a number{f' in {self.unit}' if self.unit else ''}")
        return parse_number(match[1])

    def describe(self) -> dict:
        """What a file keeps, and a second sweep must repeat: plain values."""
        return {"name": self.name, "key": self.key, "kind": self.kind, "unit": self.unit, "words": list(self.words),
                "values": [float(value) for value in self.values],
                **({"is_factor": True} if self.is_factor else {}), **({"leader": self.leader} if self.leader else {})}

    @staticmethod
    def from_description(data: dict) -> SweepAxis:
        """The axis of `describe`."""
        return SweepAxis(data["name"], data["key"], data["kind"], np.array(data["values"], dtype=np.float64),
                         data["unit"], tuple(data["words"]), data.get("is_factor", False), data.get("leader", ""))


def get_identity(value: float) -> str:
    """What makes two values the same cell: fifteen digits. 1, 1.0 and 1e0 are one, 0.3 and 0.1 * 3 are one."""
    return f"{float(value) + 0.0:.14e}"


def space_evenly(first: str | float, last: str | float, number: int) -> np.ndarray:
    """(number,) evenly spaced values, computed as fractions of the decimal texts and rounded once."""
    low, high = (Fraction(str(end).replace("_", "")) for end in (first, last))
    step = (high - low) / (number - 1)
    values = np.array([float(low + step * i) for i in range(number)])
    values[0], values[-1] = (parse_number(str(end)) for end in (first, last))
    return values


def parse_span(text: str) -> tuple[np.ndarray, str] | None:
    """Values and unit of a:b:n or a:b unit:n; None for any other text. Raises SweepError for a grid that is wrong."""
    parts = text.split(":")
    ends = [match for part in parts[:2] if (match := _QUANTITY.fullmatch(part))]
    if len(parts) != 3 or len(ends) != 2:
        return None
    if not re.fullmatch(r"\s*\d+\s*", parts[2]) or not 2 <= int(parts[2]) <= MOST_VALUES:
        raise SweepError(f"n must be a whole number from 2 to {MOST_VALUES}")
    units = {end[2] for end in ends if end[2]}
    if len(units) > 1:
        raise SweepError(f"the ends have different units {' and '.join(sorted(units))}; use one")
    numbers = [parse_number(end[1]) for end in ends]
    if not all(map(math.isfinite, numbers)) or numbers[0] == numbers[1]:
        raise SweepError("the ends must be two different finite numbers")
    return space_evenly(ends[0][1], ends[1][1], int(parts[2])), units.pop() if units else ""


def parse_axes(text: str) -> list[SweepAxis]:
    """The axes of KEY=VALUES, or of KEY=VALUES; KEY=VALUES for keys that vary together. Raises SweepError."""
    parts = [part for part in text.split(";") if part.strip()]
    return tie_axes([parse_sweep_axis(part, keep_equal=True) for part in parts] or [parse_sweep_axis(text)])


def parse_sweep_axis(text: str, keep_equal: bool = False) -> SweepAxis:
    """An axis from KEY=VALUES, see the text of this module; `keep_equal` as for `make_axis`. Raises SweepError."""
    name, equals, values = text.partition("=")
    if not equals or not name.strip() or not values.strip():
        raise SweepError(f"{text}: write KEY=A:B:N, KEY=V,V,V, KEY=uniform(A, B) or KEY=normal(M, D)")
    return make_axis(name.strip(), values, keep_equal)


def make_axes(name: str | Sequence[str], values: Any) -> list[SweepAxis]:
    """The axis of a name, see `make_axis`; of two or more names the axes that vary together, from as many values.
    Raises SweepError."""
    if isinstance(name, str):
        return tie_axes([make_axis(name, values)])
    if isinstance(values, str) or not hasattr(values, "__len__") or len(values) != len(name):
        raise SweepError(f"{'; '.join(name)} = {values!r}: keys that vary together need the values of each: "
                         f"{len(name)} texts or lists")
    return tie_axes([make_axis(one, own, keep_equal=True) for one, own in zip(name, values, strict=True)])


def tie_axes(axes: list[SweepAxis]) -> list[SweepAxis]:
    """The axes, of which all but the first go with it, one value with one value; one alone has each value once. Whether
    they are as many is seen by the plan, for `all` is counted later."""
    if len(axes) == 1:
        return [_drop_equal(axes[0])]
    return [axes[0], *(replace(axis, leader=axes[0].name) for axis in axes[1:])]


def go_together(one: SweepAxis, other: SweepAxis) -> bool:
    """Do two axes of a sweep vary together, or are they the same?"""
    return (one.leader or one.name) == (other.leader or other.name)


def scale_axis(axis: SweepAxis) -> SweepAxis:
    """The axis of factors that a user writes as KEY=FACTORS. Raises SweepError."""
    if axis.is_factor:
        return axis
    leader = f"scale({axis.leader})" if axis.leader else ""
    return _check_factors(replace(axis, name=f"scale({axis.name})", is_factor=True, leader=leader))


def count_all(axis: SweepAxis, outline: AnyOutline) -> SweepAxis:
    """The axis itself, or that of all rest poses of a part where it asks for them; outline: about the centre of mass.
    Raises SweepError."""
    if axis.key != REST_KEY or axis.words != (ALL,):
        return axis
    from sim.scene.rest_start import list_level_poses

    numbers = np.arange(float(len(list_level_poses(outline))))
    if not len(numbers):
        raise SweepError(f"{axis.name}={ALL}: the part has no rest pose")
    return replace(_make_list(axis.name, axis.key, numbers, ""), leader=axis.leader)


def _split_name(name: str) -> tuple[bool, str]:
    """Is it a name of factors, and the key that it stands for."""
    match = _SCALE.fullmatch(name)
    inner = match[1].strip() if match else name
    return bool(match), SHORT_KEYS.get(inner, inner)


def make_axis(name: str, values: Any, keep_equal: bool = False) -> SweepAxis:
    """An axis from its name (mu, rho, a dotted path, or scale(PATH)) and its values: text, a number, or a list of
    numbers or words; equal values of a list once, or with `keep_equal` as they are.

    Raises SweepError.
    """
    if isinstance(values, SweepAxis):
        return values
    is_factor, key = _split_name(name)
    axis = _read_values(name, key, values)
    if not keep_equal:
        axis = _drop_equal(axis)
    return _check_factors(replace(axis, is_factor=True)) if is_factor else axis


def _check_factors(axis: SweepAxis) -> SweepAxis:
    if axis.kind == WORDS or axis.unit:
        said = f"{axis.unit} is a unit" if axis.unit else f"{axis.words[0]} is no number"
        raise SweepError(f"{axis.name}: must be factors, numbers without a unit that multiply what the scene gives; "
                         f"{said}. Valid are A:B:N, F,F,F, uniform(A, B) and normal(M, D)")
    return axis


def _read_values(name: str, key: str, values: Any) -> SweepAxis:
    if isinstance(values, str):
        return _parse_values(name, key, values)
    members: list[Any] = [values] if np.isscalar(values) else np.atleast_1d(np.asarray(values, dtype=object)).tolist()
    if members and all(isinstance(member, str) for member in members):
        return _make_words(name, key, members)
    try:
        numbers = np.array([float(member) for member in members], dtype=np.float64)
    except (TypeError, ValueError):
        raise SweepError(f"{name} = {values!r}: must be numbers, or words") from None
    return _make_list(name, key, numbers, "")


def _parse_values(name: str, key: str, text: str) -> SweepAxis:
    try:
        span = parse_span(text)
    except SweepError as error:
        raise SweepError(f"{name}={text}: {error}") from None
    if span is not None:
        return SweepAxis(name, key, GRID, span[0], span[1])
    match = _SAMPLES.fullmatch(text)
    if match:
        return _parse_samples(name, key, text, match)
    parts = [part.strip() for part in text.split(",")]
    quantities = [match for part in parts if (match := _QUANTITY.fullmatch(part))]
    if len(quantities) == len(parts):
        units = [quantity[2] for quantity in quantities if quantity[2]]
        if len(set(units)) > 1:
            raise SweepError(f"{name}={text}: the values have different units {', '.join(sorted(set(units)))}; use one")
        numbers = np.array([parse_number(quantity[1]) for quantity in quantities])
        return _make_list(name, key, numbers, units[0] if units else "")
    if quantities or not all(re.fullmatch(r"[A-Za-z_][\w -]*", part) for part in parts):
        raise SweepError(f"{name}={text}: must be A:B:N, numbers or words with commas between, uniform(A, B) or "
                         "normal(M, D)")
    return _make_words(name, key, parts)


def _parse_samples(name: str, key: str, text: str, match) -> SweepAxis:
    parts = match.groups()[1:]
    ends = [found for part in parts if (found := _QUANTITY.fullmatch(part))]
    if len(ends) != len(parts):
        raise SweepError(f"{name}={text}: must be uniform(LOW, HIGH) or normal(MEAN, DEVIATION), two numbers")
    units = {end[2] for end in ends if end[2]}
    if len(units) > 1:
        raise SweepError(f"{name}={text}: the numbers have different units; use one")
    first, second = (parse_number(end[1]) for end in ends)
    if not (math.isfinite(first) and math.isfinite(second)):
        raise SweepError(f"{name}={text}: the numbers must be finite")
    if match[1] == UNIFORM and not first < second:
        raise SweepError(f"{name}={text}: LOW must be smaller than HIGH")
    if match[1] == NORMAL and not second > 0.0:
        raise SweepError(f"{name}={text}: DEVIATION must be positive")
    return SweepAxis(name, key, match[1], np.array([first, second]), units.pop() if units else "")


def _make_list(name: str, key: str, numbers: np.ndarray, unit: str) -> SweepAxis:
    if len(numbers) == 0 or not np.isfinite(numbers).all():
        raise SweepError(f"{name}: the values must be a list of finite numbers, got {numbers.tolist()}")
    return SweepAxis(name, key, LIST, numbers, unit)


def _drop_equal(axis: SweepAxis) -> SweepAxis:
    """The axis with each value once, in the order given."""
    if axis.kind not in (LIST, WORDS):
        return axis
    numbers = axis.values.tolist()
    unique = {get_identity(number): number for number in reversed(numbers)}
    return replace(axis, values=np.array([unique.pop(identity) for identity in map(get_identity, numbers)
                                          if identity in unique]))


def _make_words(name: str, key: str, words: list[str]) -> SweepAxis:
    unique = list(dict.fromkeys(words))
    return SweepAxis(name, key, WORDS, np.array([float(unique.index(word)) for word in words]), "", tuple(unique))


def describe_value(axis: SweepAxis, value: float) -> str:
    """A value as text: a word, or six digits and the unit."""
    if axis.kind == WORDS:
        return axis.words[int(value)]
    return f"{value + 0.0:.6g}" + (f" {axis.unit}" if axis.unit else "")
