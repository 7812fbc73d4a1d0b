"""TOML text of a scene: values set by dotted path, and writing the result."""

from __future__ import annotations

import copy
import json
import math
import re
import tomllib
from collections.abc import Iterable, Iterator
from typing import Any

from geometry.errors import StictionError
from sim.scene import toml_numbers
from sim.values import dimensions
from sim.values.quantities import read_quantity
from sim.words.quoting import cut, list_words, quote

# Components of the lists of a scene that a path may call by name.
COMPONENTS = {
    "pose": ("x", "y", "theta"),
    "velocity": ("vx", "vy", "omega"),
    "gravity": ("gx", "gy"),
    "force": ("fx", "fy"),
    "center_of_mass": ("x", "y"),
    "box": ("width", "height"),
    "amplitude": ("x", "y", "theta"),
    "about": ("x", "y"),
    "mouth": ("x", "y"),
    "tip": ("x", "y"),
    "center": ("x", "y"),
    "point": ("x", "y"),
    "anchor": ("x", "y"),
    "stiffness": ("x", "y", "theta"),
    "inertia": ("x", "y", "theta"),
    "force_metric": ("x", "y", "theta"),
    "motion_metric": ("x", "y", "theta"),
    "wrench": ("fx", "fy", "torque"),
    "damping": ("x", "y", "theta"),
    "preload": ("fx", "fy", "torque"),
    "position_gain": ("x", "y", "theta"),
    "velocity_gain": ("x", "y", "theta"),
}
INTERVAL = ("low", "high")  # of a coordinate of a goal
# Lists that a path may enter although the text leaves them out.
DEFAULTS: dict[str, Any] = {"pose": [0.0, 0.0, 0.0], "velocity": [0.0, 0.0, 0.0],
            "gravity": [0.0, -dimensions.STANDARD_GRAVITY], "force": [0.0, 0.0],
            "load": [{}], "sinusoid": [{}], "amplitude": [0.0, 0.0, 0.0], "damping": [0.0, 0.0, 0.0],
            "preload": [0.0, 0.0, 0.0]}  # fmt: skip
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_KEY = r'''"([^"]+)"|([^."]+)'''
_PATH = re.compile(rf"(?:{_KEY})(?:\.(?:{_KEY}))*")


# Tables within a table that are written with a heading of their own, and lists that are written row by row.
_HEADED, TALL = "motion", ("waypoints", "table")
# Pure numbers of an outline, which say its shape whatever its size.
_OF_SHAPE = ("n", "bulge")
_QUANTITY = re.compile(rf"\s*({dimensions.NUMBER})(\s*[^\s\d].*)")


class PathError(StictionError, ValueError):
    """A dotted path leads nowhere; the message says where it ends and what is there."""


def find_components(keys: Iterable[str]) -> tuple[str, ...]:
    """Names of the members of the list at a path; () if they have none."""
    keys = list(keys)
    if "motion" in keys and keys[-1] == "velocity":
        return COMPONENTS["velocity"][:2]
    if keys[:1] == ["load"] and (own := _find_of_load(keys)):
        return own
    if keys[:1] == ["goal"] and keys[-1] in COMPONENTS["pose"]:
        return INTERVAL
    if keys[-2:-1] == ["vertices"]:
        return COMPONENTS["center"]
    if keys[:1] == ["control"] and keys[-2:-1] == ["table"]:
        return "t", "force"
    if keys[-2:-1] and keys[-2] in ("stiffness", "damping", "inertia", "force_metric", "motion_metric"):
        return COMPONENTS["stiffness"]  # of a row of a matrix
    if keys[-2:-1] == ["waypoints"]:
        return ("t", *COMPONENTS["pose"]) if "motion" in keys else ("t", "angle")
    return COMPONENTS.get(keys[-1], ()) if keys else ()


def _find_of_load(keys: list[str]) -> tuple[str, ...]:
    """Of the lists whose names mean something else in a load."""
    if keys[-1] == "at":
        return COMPONENTS["center"]
    if keys[-2:-1] == ["table"]:
        return ("t", *COMPONENTS["preload"])
    return COMPONENTS["preload"] if keys[-1] == "amplitude" else ()


class TomlError(StictionError, ValueError):
    """A text is not TOML that can be read; the message says why."""


def read_toml(text: str) -> dict:
    """The tables of a TOML text. Raises TomlError."""
    try:
        return toml_numbers.read(text, tomllib.loads)
    except tomllib.TOMLDecodeError as error:
        raise TomlError(f"is not valid TOML: {error}") from None
    except RecursionError:
        raise TomlError("is not valid TOML here: lists or tables are nested too deeply") from None
    except ValueError as error:  # of Python's own readers of numbers and dates
        raise TomlError(f"is not valid TOML here: {error}") from None


def parse_value(text: Any) -> Any:
    """A value of an override: strings are read as TOML (0.2, [1, 2], "20 deg"), NumPy's numbers become Python's."""
    if not isinstance(text, str):
        return text.tolist() if hasattr(text, "tolist") else text
    try:
        data = read_toml(f"value = {text}")
    except TomlError:
        return text
    return data["value"] if len(data) == 1 else text


def split_path(path: str) -> list[str]:
    """Keys of a dotted path; a key with dots is written in quotes, as in TOML: obstacle."left.wall".mu"""
    if not _PATH.fullmatch(path):
        raise PathError("is no dotted path such as friction.default")
    return [quoted or bare for quoted, bare in re.findall(_KEY, path)]


def find_unit(path: str) -> str:
    """In what unit a plain number at a dotted path is read, as `find_plain_unit`; members of lists may be called by
    their index. Raises PathError."""
    keys = split_path(path)
    names = find_components(keys[:-1])
    if keys[-1].isdigit() and int(keys[-1]) < len(names):
        keys[-1] = names[int(keys[-1])]
    return dimensions.find_plain_unit(keys)


def list_numbers(data: dict) -> Iterator[tuple[str, Any]]:
    """The dotted path of every number of a parsed scene, plain or with a unit, as `apply_override` takes it, with its
    value: members of lists by name and component where they have one, else by index."""
    yield from _list_numbers(data, ())


def _list_numbers(here: Any, keys: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    if isinstance(here, dict):
        members = list(here.items())
    elif isinstance(here, list):
        names = find_components(keys)
        members = [(names[i] if i < len(names) else str(i), member) for i, member in enumerate(here)]
        called = [member.get("name") if isinstance(member, dict) else None for _, member in members]
        members = [(name if isinstance(name, str) and called.count(name) == 1 and '"' not in name else key, member)
                   for (key, member), name in zip(members, called, strict=True)]
    elif not isinstance(here, bool) and (isinstance(here, int | float)
                                         or (isinstance(here, str) and _QUANTITY.fullmatch(here))):
        yield ".".join(f'"{key}"' if "." in key else key for key in keys), here
        return
    else:
        return
    for key, member in members:
        yield from _list_numbers(member, (*keys, key))


def apply_override(data: dict, path: str, value: Any) -> None:
    """Set the value at a dotted path of a parsed scene, in place. Raises PathError.

    Members of a list are called by index, by name (obstacle.floor.mu) or by component (workpiece.pose.theta). Tables
    that are missing are made; the schema judges later whether they may be there. Waypoints take the place of the pose
    of an obstacle or of the gripper, or of the angle of gravity; damping and damping_ratio that of each other.
    """
    parent, key = _find_place(data, split_path(path))
    parent[key] = value


def scale_value(data: dict, path: str, factor: float) -> None:
    """Multiply the value at a dotted path of a parsed scene by a factor, in place, with its unit kept.

    Of a list or a table every number: but for the times of waypoints and of tables over time, and for what says the
    shape of an outline and not its size. Raises PathError where nothing is given, where there is no number, and for a
    table whose numbers measure different things.
    """
    keys = split_path(path)
    parent, key = _find_place(data, keys)
    if keys == ["gravity"]:
        parent.setdefault(key, [*DEFAULTS["gravity"]])
    if isinstance(parent, dict) and key not in parent:
        there = f"; {'.'.join(map(cut, keys[:-1])) or 'the scene'} has: {list_words(parent)}" if parent else ""
        raise PathError(f"is not given in the scene, so that there is nothing to be scaled{there}")
    parent[key] = _scale(parent[key], factor, keys)


def _scale(value: Any, factor: float, keys: list[str]) -> Any:
    if isinstance(value, int | float) and not isinstance(value, bool):
        product = value * float(factor)
        return int(product) if isinstance(value, int) and product.is_integer() else product
    if isinstance(value, str) and (match := _QUANTITY.fullmatch(value)):
        return f"{dimensions.parse_number(match[1]) * factor!r}{match[2]}"
    if isinstance(value, list) and value:
        names = find_components(keys)
        return [member if names[i : i + 1] == ("t",) else _scale(member, factor, [*keys, str(i)])
                for i, member in enumerate(value)]
    if isinstance(value, dict):
        scaled = {name: _scale(member, factor, [*keys, name]) for name, member in value.items()
                  if name not in _OF_SHAPE and (not isinstance(member, str) or _QUANTITY.fullmatch(member))}
        units = {dimensions.find_plain_unit([*keys, name]) for name in scaled}
        if len(units) > 1:
            raise PathError(f"{'.'.join(map(cut, keys))} holds numbers of several kinds; scale one of: "
                            f"{list_words(scaled)}")
        if scaled and "file" not in value:
            return {**value, **scaled}
    raise PathError(f"{'.'.join(map(cut, keys))} = {quote(value)}: only numbers can be scaled, and lists and tables of "
                    "them")


def _find_place(data: dict, keys: list[str]) -> tuple[Any, Any]:
    """The table or list in which the value at a path stands or shall stand, and its key or index there. Makes room for
    it, see `apply_override`. Raises PathError."""
    here: Any = data
    for depth, key in enumerate(keys):
        last = depth == len(keys) - 1
        if isinstance(here, dict):
            _drop_rival(here, keys[:depth], keys[depth:])
            if last:
                return here, key
            _fill_in(here, keys, depth)
            here = here[key]
        elif isinstance(here, list):
            index = _find_member(here, keys[:depth], key)
            if last:
                return here, index
            here = here[index]
            if keys[depth + 1 :] == ["motion", "waypoints"]:
                here.pop("pose", None)
        else:
            raise PathError(f"{'.'.join(map(cut, keys[:depth]))} = {quote(here)} has no key {quote(key)}")
    raise PathError("is empty")


def _fill_in(table: dict, keys: list[str], depth: int) -> None:
    """Let a table have what stands at keys[depth] of a path that goes on there, in a form that the rest leads into."""
    key = keys[depth]
    if key not in table:
        names = find_components(keys[: depth + 1])
        if names and (key not in DEFAULTS or keys[: depth + 1] == ["gripper", "pose"]):
            where = ".".join(map(cut, keys[: depth + 1]))
            raise PathError(f"{where} is not given; set it as a whole, {where}=[{', '.join(names)}]")
        default = DEFAULTS.get(key, {})
        table[key] = copy.deepcopy(default[: len(names)] if names else default)
    if key == "gravity" and not (keys[depth + 1].isdigit() or keys[depth + 1] in COMPONENTS["gravity"]):
        table[key] = _turn_to_polar(table[key])
    if keys[depth:] == ["gravity", "waypoints"] and isinstance(table[key], dict):
        table[key].pop("angle", None)


def _drop_rival(table: dict, before: list[str], keys: list[str]) -> None:
    """Take out of the table of a gripper or a controller what says the same as what is set at keys of it."""
    if before in (["gripper"], ["control"]):
        rival = {"damping": "damping_ratio", "damping_ratio": "damping"}.get(keys[0])
        table.pop("pose" if keys == ["motion", "waypoints"] else rival, None)


def _turn_to_polar(gravity: Any) -> Any:
    """Gravity by size and direction, so that one of them can be set; what is no pair of numbers stays as it is."""
    if not isinstance(gravity, list) or len(gravity) != 2:
        return gravity
    try:
        x, y = (read_quantity(value, dimensions.ACCELERATION) for value in gravity)
    except ValueError:
        return gravity  # the schema says what is wrong with it
    return {"magnitude": math.hypot(x, y), "angle": math.atan2(y, x)}


def _find_member(members: list, keys: list[str], key: str) -> int:
    where = ".".join(map(cut, keys))
    if re.fullmatch(r"[0-9]{1,9}", key) and int(key) < len(members):
        return int(key)
    names = [member.get("name") for member in members if isinstance(member, dict)]
    if names:
        if key in names:
            return names.index(key)
        valid = [str(i) for i in range(len(members))] + [str(name) for name in names if name]
    else:
        components = find_components(keys)
        if key in components[: len(members)]:
            return components.index(key)
        if key in components[len(members) :] and _has_optional_end(keys):
            members.append(0.0)
            return len(members) - 1
        components = components[: len(members)]
        valid = [*components] or [str(i) for i in range(len(members))]
    raise PathError(f"{where} has no member {quote(key)}; valid: {list_words(valid)}")


def _has_optional_end(keys: list[str]) -> bool:
    """May the last member of the list at a path be left out, being 0?"""
    return keys[-1] == "amplitude" or (keys[:1] == ["load"] and keys[-2:-1] == ["table"])


def dump_toml(data: dict, comment: str = "") -> str:
    """TOML text of a parsed scene, with an optional block of comment lines on top; floats keep all their digits."""
    lines = [comment.rstrip("\n")] if comment else []
    _dump_table(data, "", lines)
    return "\n".join(lines).strip("\n") + "\n"


def _dump_table(table: dict, path: str, lines: list[str]) -> None:
    later = []
    for key, value in table.items():
        tables = isinstance(value, list) and value and all(isinstance(member, dict) for member in value)
        if tables or (isinstance(value, dict) and (not path or key == _HEADED)):
            later.append((key, value))
        else:
            tall = key in TALL and isinstance(value, list)
            lines.append(f"{_dump_key(key)} = {_dump_rows(value) if tall else dump_value(value)}")
    for key, value in later:
        name = f"{path}.{_dump_key(key)}" if path else _dump_key(key)
        for member in value if isinstance(value, list) else [value]:
            lines += ["", f"[[{name}]]" if isinstance(value, list) else f"[{name}]"]
            _dump_table(member, name, lines)


def _dump_rows(rows: list) -> str:
    return "".join(["[\n", *(f"    {dump_value(row)},\n" for row in rows), "]"])


def _dump_key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else _dump_string(key)


def _dump_string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def dump_value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(float(value)) if math.isfinite(value) else {math.inf: "inf", -math.inf: "-inf"}.get(value, "nan")
    if isinstance(value, str):
        return _dump_string(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(dump_value(member) for member in value)}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_dump_key(key)} = {dump_value(member)}" for key, member in value.items()) + "}"
    return value.isoformat()  # dates and times: the schema refuses them, but the message shows them


def find_leading_comment(text: str) -> str:
    """The block of comment lines at the top of a TOML text, line ends included."""
    block = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        block.append(line + "\n")
    return "".join(block)
