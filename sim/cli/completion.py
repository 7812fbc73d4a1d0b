"""What a shell offers behind a key for completion: scenes, logs, keys of the scene that stands on the line."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import typer

SCENE_FILES = (".toml",)
LOG_FILES = (".h5", ".hdf5")


def complete_built_in(incomplete: str) -> list[str]:
    """Names of built-in scenes."""
    import scenes

    return [name for name in scenes.names() if name.startswith(incomplete)]


def complete_scene(incomplete: str) -> list[str]:
    """Names of built-in scenes, scene files, and folders on the way to them."""
    return [*complete_built_in(incomplete), *complete_path(incomplete, SCENE_FILES)]


def complete_either(incomplete: str) -> list[str]:
    """Scenes and logs."""
    return [*complete_built_in(incomplete), *complete_path(incomplete, (*SCENE_FILES, *LOG_FILES))]


def complete_log(incomplete: str) -> list[str]:
    """Logs, tables of sweeps, and folders on the way to them."""
    return complete_path(incomplete, LOG_FILES)


def complete_path(incomplete: str, suffixes: Iterable[str]) -> list[str]:
    """Files with these suffixes, and folders with a slash behind them, that begin so."""
    stem = incomplete.rpartition("/")[2]
    folder = incomplete[: len(incomplete) - len(stem)]
    try:
        entries = sorted(Path(folder or ".").iterdir())
    except OSError:
        return []
    entries = [entry for entry in entries
               if entry.name.startswith(stem) and (stem.startswith(".") or not entry.name.startswith("."))]
    return [f"{folder}{entry.name}{'/' if entry.is_dir() else ''}" for entry in entries
            if entry.is_dir() or entry.suffix.lower() in suffixes]


def complete_key(context: typer.Context, incomplete: str) -> list[str]:
    """Paths of the numbers of the scene that stands before, such as friction.default=."""
    # a line that breaks off behind --set is not understood as a whole: its words are then left over, the scene first
    source = context.params.get("scene") or context.params.get("source") or next(iter(context.args), None)
    if not source or "=" in incomplete:
        return []
    from geometry.errors import StictionError
    from sim.cli.reports.cli_words import open_scene
    from sim.scene.toml_text import list_numbers, read_toml

    try:
        keys = [key for key, _ in list_numbers(read_toml(open_scene(source, {}).text))]
    except (StictionError, OSError):
        return []  # a shell that completes has no place for what is wrong: the command itself will say it
    return [f"{key}=" for key in keys if key.startswith(incomplete)]
