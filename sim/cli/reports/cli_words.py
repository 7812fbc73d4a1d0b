"""The words of a user on the command line: names of scenes and files, changes of values; what is wrong with them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geometry.errors import StictionError
from sim.words.suggestion import ask

if TYPE_CHECKING:
    from sim.scene.scene import Scene
    from sim.show.picture_options import PictureFile, PictureOptions

# Exit codes: done; a run or a check that did not end well; a wrong command, scene or file; interrupted.
EXIT_DONE, EXIT_NOT_WELL, EXIT_WRONG, EXIT_INTERRUPTED = 0, 1, 2, 130

LOG_SUFFIXES = (".h5", ".hdf5")
DRAWING_SUFFIXES = (".dxf", ".svg")


class UserError(StictionError):
    """Something the user can put right; the message says what and how."""


def decode_word(word: str) -> str:
    """A word of the command line as UTF-8, also where the system says that it is ASCII (LANG=C). Not for paths: these
    go back to the system as they came."""
    return os.fsencode(word).decode("utf-8", "replace")


def split_overrides(words: list[str]) -> dict[str, str]:
    """{"friction.default": "0.2"} from ["friction.default=0.2"]; values are read where the scene is."""
    values = {}
    for word in map(decode_word, words):
        key, equals, value = word.partition("=")
        if not equals or not key.strip() or not value.strip():
            raise UserError(f"--set {word}: write KEY=VALUE, for example --set friction.default=0.2")
        values[key.strip()] = value.strip()
    return values


def refuse_overrides(words: list[str] | None, why: str = "the log of a run cannot be changed") -> None:
    if words:
        raise UserError(f"--set changes a scene; {why}")


def check_plot(path: Path | None, title: str | None = None, labels: list[str] | None = None,
               **more: Any) -> PictureFile | None:
    """The file of a picture, seen to be writable before any work, with what the user says of the picture; more: as for
    `read_picture_options`. Raises PlotError, UserError."""
    if path is None:
        given = {"--title": title, "--label": labels, **{f"--{name}": value for name, value in more.items()}}
        for name, value in given.items():
            if value not in (None, False):
                raise UserError(f"{name} says something about a picture, and none is asked for: give --plot FILE")
        return None
    from sim.show.picture_options import PictureFile
    from sim.show.plot_file import check_plot_file

    return check_plot_file(PictureFile(path, read_picture_options(title, labels, **more)))


def check_labels(picture: PictureFile | None, names: Iterable[str]) -> None:
    """See, before any work, that labels are for axes of these names or keys. Raises PictureError."""
    if picture is not None:
        from sim.sweep.axes import SHORT_KEYS

        picture.options.check_labels(one for name in names for one in (name, SHORT_KEYS.get(name, name)))


def read_picture_options(title: str | None = None, labels: list[str] | None = None, view: str | None = None,
                         follow: bool | None = None, names: bool = False) -> PictureOptions:
    """What a user says about a picture: labels KEY=TEXT, view X0,X1,Y0,Y1. Raises UserError."""
    from sim.show.picture_options import PictureOptions

    words: dict[str, str] = {}
    for word in map(decode_word, labels or []):
        key, equals, text = (part.strip() for part in word.partition("="))
        if not equals or not key or not text:
            raise UserError(f'--label {word}: write KEY=TEXT, for example --label mu="friction coefficient"')
        if key in words:
            raise UserError(f"--label {word}: {key} is given twice")
        words[key] = text
    return PictureOptions(None if title is None else decode_word(title), words, _read_view(view), follow, names)


def _read_view(text: str | None) -> tuple[float, float, float, float] | None:
    """(left, right, bottom, top) in metres of X0,X1,Y0,Y1: each with a unit, or one behind the last for all, or none.
    """
    if text is None:
        return None
    from sim.scene.toml_text import parse_value
    from sim.values import dimensions
    from sim.values.quantities import read_length

    values = [parse_value(part.strip()) for part in decode_word(text).split(",")]
    united = [isinstance(value, str) for value in values]
    if united[-1] and not any(united[:-1]):
        unit = re.sub(rf"\s*{dimensions.NUMBER}", "", values[-1], count=1)
        values = [*(f"{value!r} {unit}" for value in values[:-1]), values[-1]]
    elif any(united) and not all(united):
        raise UserError(f"--view {text}: some numbers have a unit and some have none; write one behind the last, for "
                        "all of them, or one behind each")
    try:
        ends = [read_length(value) for value in values]
    except ValueError as error:
        raise UserError(f"--view {text}: {error}") from None
    if len(ends) != 4 or not (ends[0] < ends[1] and ends[2] < ends[3]):
        raise UserError(f'--view {text}: write X0,X1,Y0,Y1 with X0 < X1 and Y0 < Y1, for example "-8, 8, -2, 6 mm"')
    return ends[0], ends[1], ends[2], ends[3]


def is_log(source: str) -> bool:
    return source.lower().endswith(LOG_SUFFIXES)


def is_drawing(source: str) -> bool:
    return source.lower().endswith(DRAWING_SUFFIXES)


def find_log(source: str) -> Path:
    path = Path(source)
    if path.is_file():
        return path
    if path.is_dir():
        raise UserError(f"{path} is a folder; name a log of a run inside it")
    nearby = sorted(entry.name for entry in path.parent.glob("*") if entry.suffix in LOG_SUFFIXES)
    hint = ask(path.name, nearby, path.parent.joinpath)
    raise UserError(f"there is no file {path}.{hint} `stiction run SCENE -o {path}` would write one.")


def open_scene(source: str, overrides: dict[str, str]) -> Scene:
    """The scene of this name or file. Raises UserError or SceneError."""
    import scenes

    if source in scenes.names() or Path(source).is_file():
        from sim.scene.build import load_scene

        return load_scene(source, overrides=overrides)
    if Path(source).is_dir():
        raise UserError(f"{source} is a folder; name a TOML file inside it")
    hint = ask(Path(source).stem, scenes.names())
    kind = "file" if source.endswith(".toml") or "/" in source else "scene or file"
    raise UserError(f"there is no {kind} {source}.{hint}\nBuilt-in scenes: {', '.join(scenes.names())}")
