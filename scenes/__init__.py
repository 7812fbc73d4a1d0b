"""Built-in scenes: one TOML file each."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable

_FOLDER = files(__name__)


def names() -> list[str]:
    """Names of the built-in scenes, in alphabetical order."""
    return sorted(file.name.removesuffix(".toml") for file in _FOLDER.iterdir() if file.name.endswith(".toml"))


def path(name: str) -> Traversable:
    """File of a built-in scene (a pathlib.Path unless installed as an archive). Raises KeyError for other names."""
    if name not in names():
        raise KeyError(f"no built-in scene {name!r}; there are: {', '.join(names())}")
    return _FOLDER / f"{name}.toml"


def drawing(name: str) -> Traversable:
    """File of a drawing that built-in scenes use."""
    return _FOLDER / name
