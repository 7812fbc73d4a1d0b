"""Which numbers of a scene can be slid: each by its dotted path, with its unit and a range to begin with."""

from __future__ import annotations

import math
import re
from dataclasses import asdict, dataclass
from typing import Any

from sim.scene import toml_text
from sim.scene.scene import Scene
from sim.scene.toml_text import PathError, find_unit, read_toml, split_path
from sim.sweep.axes import INTEGER_KEYS
from sim.values import dimensions
from sim.values.dimensions import parse_number

# Numbers of one scene that are offered. More, as outlines of thousands of vertices have, would make the list of the
# page slow, and nobody slides them.
MOST_NUMBERS = 2000
# A part smaller than this [m] is shown in millimetres.
SMALL = 0.5
# Decimal digits of the ends of ranges, of which none is more than a proposal.
RANGE_DIGITS = 3

_QUANTITY = re.compile(rf"\s*({dimensions.NUMBER})\s*([^\s\d].*?)\s*")
_FEATURES = ("vertex", "edge", "arc", "obstacle_vertex", "obstacle_edge", "obstacle_arc", "branch")  # have numbers
_SHOWN = {"rad": "deg", "m": "mm", "m/s": "mm/s"}  # units of plain numbers, and those that are easier to read
# Headings of the page; a number belongs to the first whose pattern its path has.
_GROUPS = (("Friction", r"friction\..+|obstacle\..+\.mu"), ("Restitution", r"restitution\..+|obstacle\..+\.e"),
           ("Pose", r"workpiece\.pose\..+"), ("Velocity", r"workpiece\.velocity\..+"),
           ("Part", r"workpiece\.(rho|mass|center_of_mass\..+)"), ("Loads", r"load\..+"), ("Gravity", r"gravity\..+"),
           ("Gripper, springs, drag, control", r"(gripper|spring|drag|control)\..+"),
           ("Outline of the part", r"workpiece\.outline\..+"), ("Obstacles", r"obstacle\..+"), ("Run", r"run\..+"))
OTHERS = "Others"
_NAMES = {"friction.default": "µ", "restitution.default": "e", "workpiece.rho": "ρ", "workpiece.mass": "mass",
          "workpiece.pose.theta": "θ", "workpiece.velocity.omega": "ω", "load.0.force.fx": "Fx",
          "load.0.force.fy": "Fy", "load.0.torque": "torque"}
_AT_ONCE = re.compile(r"friction\.default|obstacle\..+\.mu|workpiece\.(rho|pose\.(x|y|theta)|velocity\..+)|"
                      r"load\.0\.(force\..+|torque)")


@dataclass(frozen=True)
class Number:
    """A number of the scene, as a slider shows it."""

    path: str  # as of --set
    group: str  # its heading
    name: str  # a short one; the path where it has none
    value: float  # in `unit`: that of the scene as it was opened
    unit: str  # "" for a pure number, and for lengths of an outline in the unit of that outline
    low: float  # ends of the range that is proposed; other values are valid
    high: float
    is_whole: bool  # must it be a whole number
    at_once: bool  # is it among those that are shown without being looked for

    def describe(self) -> dict[str, Any]:
        """What the page is told."""
        return asdict(self)

    def make_override(self, value: float) -> float | int | str:
        """A value of the slider as an override of the scene."""
        if self.is_whole:
            return int(value)
        return f"{value!r} {self.unit}" if self.unit else value


class _Given:
    """Numbers as they are found: path, value, unit."""

    def __init__(self, scene: Scene):
        self.scene = scene
        self.numbers: dict[str, Number] = {}
        size = scene.workpiece.outline.size
        self._small = size < SMALL
        self._scales = _find_scales(scene, size)

    def add(self, path: str, value: float, unit: str = "", is_whole: bool = False) -> None:
        """A number in `unit`, "" for that of a plain one, unless there is one of this path."""
        if path in self.numbers or len(self.numbers) >= MOST_NUMBERS or not math.isfinite(value):
            return
        if not unit:
            value, unit = self._convert(path, value)
        low, high = self._propose_range(path, value, unit)
        group = next((name for name, pattern in _GROUPS if re.fullmatch(pattern, path)), OTHERS)
        at_once = bool(_AT_ONCE.fullmatch(path))
        last = path.rsplit(".", 1)[-1]
        name = _NAMES.get(path, last if at_once and last != "mu" else path)
        self.numbers[path] = Number(path, group, name, value, unit, low, high, is_whole, at_once)

    def _convert(self, path: str, value: float) -> tuple[float, str]:
        """A plain number and its unit, in the unit that is shown."""
        try:
            si = find_unit(path)
        except PathError:
            return value, ""
        unit = _SHOWN.get(si, si) if self._small or si == "rad" else si
        if unit == si:
            return value, si
        numerator, denominator = _get_factor(unit)
        return value * denominator / numerator, unit

    def _propose_range(self, path: str, value: float, unit: str) -> tuple[float, float]:
        last = path.rsplit(".", 1)[-1]
        if re.fullmatch(r"friction\..+|obstacle\..+\.mu", path):
            return 0.0, max(1.0, _round(2.0 * value))
        if re.fullmatch(r"restitution\..+|obstacle\..+\.e", path):
            return 0.0, 1.0
        if last in ("rho", "mass"):
            return _round(value / 4.0), _round(2.0 * value)
        scale = self._find_scale(path, unit)
        if last in ("x", "y", "theta", "angle") and scale:  # places: to both sides of where it is
            return _round(value - scale), _round(value + scale)
        if scale and (not value or last in ("vx", "vy", "omega", "fx", "fy", "torque")):
            far = _round(max(2.0 * abs(value), scale))
            return -far, far
        if not value:
            return -1.0, 1.0
        return (0.0, _round(2.0 * value)) if value > 0.0 else (_round(2.0 * value), 0.0)

    def _find_scale(self, path: str, unit: str) -> float:
        """What is a usual size of such a number in this scene, in its unit; 0 where nothing is known."""
        found = dimensions.find_dimensions(unit) if unit else []
        if not found or path.startswith("run."):
            return 0.0
        numerator, denominator = found[0].units[dimensions.normalise_unit(unit)]
        return self._scales.get(found[0].name, 0.0) * denominator / numerator


def _find_scales(scene: Scene, size: float) -> dict[str, float]:
    """Usual sizes in SI units, by the name of the dimension: of the part, and of what falls along it."""
    g = math.hypot(*scene.gravity) or dimensions.STANDARD_GRAVITY
    weight = scene.workpiece.mass * g
    return {dimensions.LENGTH.name: 0.5 * size, dimensions.ANGLE.name: math.pi / 4.0,
            dimensions.SPEED.name: math.sqrt(g * size), dimensions.ANGULAR_VELOCITY.name: math.sqrt(g / size),
            dimensions.ACCELERATION.name: g, dimensions.FORCE.name: 2.0 * weight,
            dimensions.TORQUE.name: weight * size}


def _get_factor(unit: str) -> tuple[float, float]:
    return dimensions.find_dimensions(unit)[0].units[unit]


def _round(value: float) -> float:
    """The value to a few digits, outwards or inwards: the end of a range."""
    return float(f"{value:.{RANGE_DIGITS - 1}e}")


def list_numbers(scene: Scene) -> dict[str, Number]:
    """The numbers of a scene by their paths: those that its text gives, and usual ones that it leaves out."""
    data, found = read_toml(scene.text), _Given(scene)
    given = {path: number for path, value in toml_text.list_numbers(data)
             if ".drawn." not in path and _can_be_split(path) and (number := _read_given(path, value))}
    for path in filter(_AT_ONCE.fullmatch, given):
        found.add(path, *given[path])
    _add_unsaid(found, data)
    for path, number in given.items():
        found.add(path, *number)
    order = [*(name for name, _ in _GROUPS), OTHERS]
    ranked = sorted(found.numbers.values(), key=lambda number: (not number.at_once, order.index(number.group)))
    return {number.path: number for number in ranked}


def _add_unsaid(found: _Given, data: dict) -> None:
    """Numbers that the text leaves out, and that can be set: what a user expects to find in any scene."""
    scene, workpiece = found.scene, data["workpiece"]
    part = scene.workpiece
    if "pose" not in workpiece and scene.formation is None:
        for name in ("x", "y", "theta"):
            found.add(f"workpiece.pose.{name}", 0.0)
    for name, value in zip(("vx", "vy", "omega"), part.velocity, strict=True):
        found.add(f"workpiece.velocity.{name}", value)
    found.add("workpiece.rho", part.rho)
    if not data.get("load"):
        for name in ("force.fx", "force.fy", "torque"):
            found.add(f"load.0.{name}", 0.0)
    if not isinstance(data.get("gravity"), dict):
        gx, gy = scene.gravity
        found.add("gravity.gx", gx)
        found.add("gravity.gy", gy)
        found.add("gravity.magnitude", math.hypot(gx, gy))
        found.add("gravity.angle", math.atan2(gy, gx))
    for table, key in (("friction", "mu"), ("restitution", "e")):
        given = data.get(table, {})
        if table == "restitution" and "default" not in given:
            found.add("restitution.default", 0.0)
        for place, obstacle in enumerate(scene.obstacles):
            own = data["obstacle"][place]
            if key not in own and _can_be_called(obstacle.name):
                found.add(f"{table}.{_quote(obstacle.name)}", getattr(obstacle, key))
    found.add("run.duration", scene.run.duration)


def _read_given(path: str, value: Any) -> tuple[float, str, bool] | None:
    """(number, unit or "", must it be whole) of a value of the text; None where it is no quantity."""
    keys = split_path(path)
    if isinstance(value, int | float):
        return float(value), "", isinstance(value, int) and keys[-1] in (*INTEGER_KEYS, *_FEATURES)
    match = _QUANTITY.fullmatch(value)
    if not match or not dimensions.find_dimensions(match[2]):
        return None
    return parse_number(match[1]), match[2], False


def _can_be_split(path: str) -> bool:
    """Does a path lead somewhere? One with a key in which there are quotes does not."""
    try:
        return bool(split_path(path))
    except PathError:
        return False


def _can_be_called(name: str) -> bool:
    """Can a dotted path hold it?"""
    return bool(name) and '"' not in name


def _quote(key: str) -> str:
    return f'"{key}"' if "." in key else key
