"""What is wrong with a scene, said with file, key, value and what is valid."""

from __future__ import annotations

from typing import Any, get_args

from geometry.errors import StictionError
from sim.scene import schema
from sim.scene.toml_text import find_components
from sim.values.quantities import Section
from sim.words.quoting import cut, quote
from sim.words.suggestion import suggest

MOST_ERRORS = 10  # of one scene that are shown at once
_TAGS = ("[key]", "[list]", "[table]")  # of pydantic, in the place of an error
_WORDS = {
    "list_type": "must be a list ([[...]] in TOML)",
    "dict_type": "must be a table",
    "model_type": "must be a table",
    "model_attributes_type": "must be a table",
    "int_type": "must be a whole number",
    "tuple_type": "must be a list of numbers",
}


# What users of other programs expect a scene to have, and what it has instead.
OTHER_COEFFICIENTS = ("kinetic", "dynamic", "sliding", "static", "mu_k", "mu_s", "mu_kinetic", "mu_static", "rolling")
ONE_PART = ("must be a table, [workpiece] in single brackets: one part moves; everything else is an [[obstacle]], "
            "which stands still or moves as prescribed")


class SceneError(StictionError, ValueError):
    """A scene cannot be used; the message names file, key and value, and says what is valid."""


class OverlapError(SceneError):
    """The workpiece starts inside an obstacle."""


class NoOutlineError(SceneError):
    """Values that can be read make no outline: a fillet that does not fit, an outline that crosses itself."""


def explain_validation_error(error: Any, data: dict, where: str) -> str:
    """One line for each error that pydantic found: 'file: key = value: what is wrong'."""
    details = error.errors(include_url=False)
    lines = [_explain(detail, data, where) for detail in details[:MOST_ERRORS]]
    if len(details) > MOST_ERRORS:
        lines.append(f"{where}: ... and {len(details) - MOST_ERRORS} more")
    return "\n".join(dict.fromkeys(lines))


def _explain(detail: dict, data: dict, where: str) -> str:
    path = [part for part in detail["loc"] if part not in _TAGS]
    name = _name_of(path, data)
    key = _join(path) + (f" ({cut(name)})" if name else "")
    kind = detail["type"]
    if kind == "extra_forbidden":
        return f"{where}: {key}: unknown key{suggest(str(path[-1]), _find_keys(path[:-1]))}"
    if kind == "missing" and not isinstance(path[-1], int):
        return f"{where}: {key} is missing"
    if isinstance(path[-1], int) and kind in ("missing", "too_long"):
        path = path[:-1]
    if path and find_components(path) and (kind in ("missing", "too_long", "tuple_type")):
        return f"{where}: {_join(path)} = {quote(_follow(data, path))}: must be [{', '.join(find_components(path))}]"
    value = quote(detail["input"])
    if path == ["workpiece"] and isinstance(detail["input"], list):
        return f"{where}: workpiece = {value}: {ONE_PART}"
    if kind == "literal_error":
        return f"{where}: {key} = {value}: valid: {detail['ctx']['expected']}"
    words = _WORDS.get(kind, detail["msg"].removeprefix("Value error, "))
    return f"{where}: {key} = {value}: {words}"


def _join(path: list) -> str:
    """Dotted path; the members of a pose and the like by name."""
    words = []
    for depth, part in enumerate(path):
        components = find_components(path[:depth]) if isinstance(part, int) else ()
        words.append(components[part] if isinstance(part, int) and part < len(components) else cut(str(part)))
    return ".".join(words)


def _follow(data: Any, path: list) -> Any:
    for part in path:
        try:
            data = data[part]
        except (KeyError, IndexError, TypeError):
            return None
    return data


def _name_of(path: list, data: dict) -> str | None:
    """Name of the obstacle, spring or load that a path leads into."""
    if len(path) > 1 and path[0] in ("obstacle", "spring", "load") and isinstance(path[1], int):
        member = _follow(data, path[:2])
        name = member.get("name") if isinstance(member, dict) else None
        return name if isinstance(name, str) else None
    return None


def _find_keys(path: list) -> list[str]:
    """Keys that the schema knows at a path."""
    model: Any = schema.SceneSection
    for part in path:
        if isinstance(part, int):
            continue
        model = _find_section(model.model_fields[part].annotation)
    return list(model.model_fields)


def _find_section(annotation: Any) -> Any:
    if isinstance(annotation, type) and issubclass(annotation, Section):
        return annotation
    return next((found for found in map(_find_section, get_args(annotation)) if found is not None), None)
