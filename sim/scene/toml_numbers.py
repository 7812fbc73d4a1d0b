"""Long lists of plain numbers in a TOML text, read by the reader of JSON, which is twenty times as fast.

What is a list of JSON numbers is the same list in TOML. Such a list is cut out and a word put in its place, TOML is
read, and the lists are put where the words have come out. Where anything is unlike that (a word stands within a string
or a comment, the text is not valid) the whole text is read as TOML alone, which then says what is wrong and where.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

# Shorter lists [characters] are left in the text. Larger: they are read slowly. Smaller: nothing is gained.
LONG = 2000
_NUMBERS = re.compile(rf"\[[ \t\n0-9eE+.,\[\]-]{{{LONG},}}\]")
_LAST_COMMA = re.compile(r"([\]0-9])[ \t\n]*,([ \t\n]*\])")  # TOML may have one, JSON not
_WORD = "numbers that stand here: "


def read(text: str, load: Callable[[str], dict]) -> dict:
    """`load(text)`, sooner. Raises what that does."""
    if len(text) < LONG or _WORD in text:
        return load(text)
    lists: list[list] = []
    short = _NUMBERS.sub(lambda found: _cut_out(found[0], lists), text.replace("\r\n", "\n"))
    if not lists:
        return load(text)
    try:
        data = load(short)
        places = list(_find_words(data))
    except (ValueError, RecursionError):
        return load(text)
    if sorted(number for _, _, number in places) != list(range(len(lists))):
        return load(text)
    for holder, key, number in places:
        holder[key] = lists[number]
    return data


def _cut_out(text: str, lists: list[list]) -> str:
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
    return f'"{_WORD}{len(lists) - 1}"{rest}'


def _find_words(data: Any):
    """Yields (table or list, key or index, number) of every word below a table or list."""
    for key, value in data.items() if isinstance(data, dict) else enumerate(data):
        if isinstance(value, dict | list):
            yield from _find_words(value)
        elif isinstance(value, str) and value.startswith(_WORD) and value[len(_WORD):].isdigit():
            yield data, key, int(value[len(_WORD):])
