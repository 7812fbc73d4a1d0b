"""In what two scenes differ: in meaning, not in spelling."""

from __future__ import annotations

import dataclasses
import tomllib
from typing import Any

from sim.scene.build import parse_scene
from sim.words.quoting import quote

INDIFFERENT = ("name", "summary", "text", "source")  # fields of a scene that no motion depends on
MISSING = "(not given)"


def find_scene_difference(before: str, after: str) -> str:
    """The first value in which two TOML texts describe different scenes, as it was and as it is; "" if they describe
    the same one, in whatever words, units and order. Raises SceneError for a text that is none of a scene."""
    if before == after:
        return ""
    scenes = [parse_scene(text) for text in (before, after)]
    names = [field.name for field in dataclasses.fields(scenes[0]) if field.name not in INDIFFERENT]
    changed = [name for name in names if getattr(scenes[0], name) != getattr(scenes[1], name)]
    if not changed:
        return ""
    old, new = (dict(_flatten(tomllib.loads(text), "")) for text in (before, after))
    for key in dict.fromkeys([*new, *old]):
        was, now = old.get(key, MISSING), new.get(key, MISSING)
        if was != now and key not in INDIFFERENT:
            return f"{key} was {_show(was)} and is {_show(now)}"
    return f"its {changed[0]} is another one"


def _flatten(value: Any, key: str):
    """(dotted path, value) of all values; members of a list of tables by their names, else by their places."""
    if isinstance(value, dict):
        members = value.items()
    elif isinstance(value, list) and value and all(isinstance(member, dict) for member in value):
        members = [(member.get("name", str(place)), member) for place, member in enumerate(value)]
    else:
        yield key, value
        return
    for name, member in members:
        yield from _flatten(member, f"{key}.{name}" if key else name)


def _show(value: Any) -> str:
    return value if value is MISSING else quote(value)
