"""Long lists of plain numbers in a TOML text, read by the reader of JSON, which is twenty times as fast.

What is a list of JSON numbers is the same list in TOML. Such a list is cut out and a word put in its place, TOML is
read, and the lists are put where the words have come out. Where anything is unlike that (a word stands within a string
or a comment, the text is not valid) the whole text is read as TOML alone, which then says what is wrong and where.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

# Shorter lists [characters] are left in the text. Larger: they are read slowly. Smaller: nothing is gained.
LONG = 2000
# Rows of a new list, more of which are written without tomlkit, which takes a tenth of a millisecond a number.
MANY = 100
_NUMBERS = re.compile(rf"\[[ \t\n0-9eE+.,\[\]-]{{{LONG},}}\]")
_LAST_COMMA = re.compile(r"([\]0-9])[ \t\n]*,([ \t\n]*\])")  # TOML may have one, JSON not
_WORD = "numbers that stand here: "


class Cut(NamedTuple):
    """A text without its long lists."""

    text: str
    data: dict  # of that text, with words in the places of the lists
    lists: list[list]
    originals: list[str]  # as they were spelled
    paths: list[tuple]  # keys and indices that lead to each


def read(text: str, load: Callable[[str], dict]) -> dict:
    """`load(text)`, sooner. Raises what that does."""
    cut = cut_lists(text, load)
    return load(text) if cut is None else put_in(cut.data, cut.paths, cut.lists)


def cut_lists(text: str, load: Callable[[str], dict]) -> Cut | None:
    """The text without its long lists of numbers, and these; None where there are none, or they cannot be told."""
    if len(text) < LONG or _WORD in text:
        return None
    lists: list[list] = []
    originals: list[str] = []
    short = _NUMBERS.sub(lambda found: _cut_out(found[0], lists, originals), text.replace("\r\n", "\n"))
    if not lists:
        return None
    try:
        data = load(short)
        found = dict(_find_words(data, ()))
    except (ValueError, RecursionError):
        return None
    if sorted(found) != list(range(len(lists))) or sum(1 for _ in _find_words(data, ())) != len(lists):
        return None
    return Cut(short, data, lists, originals, [found[number] for number in range(len(lists))])


def put_in(data: dict, paths: list[tuple], values: list) -> dict:
    """The same tables with other values at some paths; what leads there is copied."""
    data = dict(data)
    for path, value in zip(paths, values, strict=True):
        here: Any = data
        for key in path[:-1]:
            here[key] = copy.copy(here[key])
            here = here[key]
        here[path[-1]] = value
    return data


def list_long(data: Any, path: tuple = ()) -> Iterator[tuple[tuple, list]]:
    """Yields (path, list) of every list of more than MANY lists of numbers below a table or list."""
    for key, value in data.items() if isinstance(data, dict) else enumerate(data):
        if isinstance(value, list) and len(value) > MANY and all(
                isinstance(row, list | tuple) and set(map(type, row)) <= {int, float} for row in value):
            yield (*path, key), value
        elif isinstance(value, dict | list):
            yield from list_long(value, (*path, key))


def get_at(data: Any, path: tuple) -> Any:
    """What stands at a path. Raises LookupError or TypeError."""
    for key in path:
        data = data[key]
    return data


def name_word(number: int) -> str:
    """What stands in the place of a list."""
    return f"{_WORD}{number}"


def _cut_out(text: str, lists: list[list], originals: list[str]) -> str:
    """The word for a list, which is added to `lists`; the text itself where it is no list of JSON numbers."""
    plain = _LAST_COMMA.sub(r"\1\2", text)
    try:
        found, end = json.JSONDecoder().raw_decode(plain)
    except (ValueError, RecursionError):
        return text
    rest = plain[end:]  # the heading of a table called e may stand behind it
    if "," in rest or not text.endswith(rest):
        return text
    lists.append(found)
    originals.append(text[: len(text) - len(rest)])
    return f'"{name_word(len(lists) - 1)}"{rest}'


def _find_words(data: Any, path: tuple) -> Iterator[tuple[int, tuple]]:
    """Yields (number, path) of every word below a table or list."""
    for key, value in data.items() if isinstance(data, dict) else enumerate(data):
        if isinstance(value, dict | list):
            yield from _find_words(value, (*path, key))
        elif isinstance(value, str) and value.startswith(_WORD) and value[len(_WORD):].isdigit():
            yield int(value[len(_WORD):]), (*path, key)
