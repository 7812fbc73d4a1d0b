"""The built-in scenes: a list, the text of one, and copies to begin from."""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path

import typer

import scenes
from sim.cli.reports.cli_words import UserError
from sim.files.partial_file import PartialFile
from sim.words.suggestion import ask


def print_list() -> None:
    """A line for each: its name, and the first line of its comment."""
    from sim.scene.toml_text import find_leading_comment

    names = scenes.names()
    width = max(map(len, names), default=0)
    for name in names:
        comment = find_leading_comment(read_text(name))
        summary = comment.splitlines()[0].lstrip("# ").rstrip() if comment else ""
        typer.echo(f"{name:<{width}}  {summary}")


def print_scene(name: str) -> None:
    """The text of a scene as it stands in its file. Raises UserError."""
    check_name(name)
    text = read_text(name)
    typer.echo(text, nl=False)
    for drawing in find_drawings(tomllib.loads(text)):
        typer.echo(f"Note: it needs {drawing} beside it; `stiction scenes {name} --save .` copies both.", err=True)


def copy_scenes(names: list[str], place: Path) -> None:
    """Write scenes, with the drawings that they use, into a folder, or one scene into a file that ends in .toml.

    Nothing is written where a file that says something else is in the way. Raises UserError, OSError.
    """
    single = place.suffix.lower() == ".toml" and not place.is_dir()
    if single and len(names) != 1:
        raise UserError(f"--save {place}: {len(names)} scenes need a folder; name one scene to copy it into a file")
    copies: dict[Path, bytes] = {}
    for name in names:
        check_name(name)
        target = place if single else place / f"{name}.toml"
        copies[target] = scenes.path(name).read_bytes()
        for drawing in find_drawings(tomllib.loads(read_text(name))):
            copies[target.parent / drawing] = scenes.drawing(drawing).read_bytes()
    taken = [path for path, content in copies.items() if path.exists() and not holds(path, content)]
    if taken:
        raise UserError(f"there is something else in {', '.join(map(str, taken))}; nothing was written. "
                        "Name another place, or move that away")
    for path, content in copies.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        with PartialFile(path) as partial:
            with partial.open() as file:
                file.write(content)
            partial.publish()
    first = next(path for path in copies if path.suffix == ".toml")
    count = f"{len(copies)} files in {shlex.quote(str(place))}" if len(copies) > 1 else shlex.quote(str(first))
    typer.echo(f"Copied: {count}")
    typer.echo(f"Change what you like, then: stiction run {shlex.quote(str(first))}")


def holds(path: Path, content: bytes) -> bool:
    """Is there a file with this content already?"""
    return path.is_file() and path.read_bytes() == content


def check_name(name: str) -> None:
    """Raises UserError if there is no built-in scene of this name."""
    if name not in scenes.names():
        raise UserError(f"there is no built-in scene {name}.{ask(name, scenes.names())}\n"
                        f"Built-in scenes: {', '.join(scenes.names())}")


def read_text(name: str) -> str:
    return scenes.path(name).read_text(encoding="utf-8")


def find_drawings(data: object) -> Iterator[str]:
    """Names of the drawings that outlines of a scene are read from."""
    if isinstance(data, dict):
        outline = data.get("outline")
        if isinstance(outline, dict) and isinstance(outline.get("file"), str):
            yield outline["file"]
    for value in data.values() if isinstance(data, dict) else data if isinstance(data, list) else ():
        yield from find_drawings(value)
