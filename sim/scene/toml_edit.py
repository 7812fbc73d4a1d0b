"""Changes of the TOML text of a scene that leave its comments, its order and its spelling as they are."""

from __future__ import annotations

import tomllib
from typing import Any

from sim.scene import toml_numbers
from sim.scene.toml_text import TALL, TomlError, dump_toml, dump_value, find_leading_comment, read_toml


def rewrite_toml(text: str, data: dict) -> str:
    """The text of a scene, changed so that it holds `data`: what is the same in both keeps its words and comments.

    The result is read again and compared. Where it does not hold `data` (an unusual mixture of tables that tomlkit
    cannot change), the whole text is written anew with the comment on its top, since values count more than comments.
    """
    from tomlkit.exceptions import TOMLKitError

    try:
        changed = _change_text(text, data)
        if _is_same(read_toml(changed), data):
            return changed
    except (TOMLKitError, TomlError, ValueError, TypeError, KeyError, IndexError, RecursionError):
        pass
    return dump_toml(data, find_leading_comment(text))


def _change_text(text: str, data: dict) -> str:
    """The changed text, if tomlkit can do that; long lists of numbers that stay what they are do not pass through it,
    for it takes a tenth of a millisecond a number. Raises what tomlkit raises."""
    import tomlkit

    cut, paths, originals = toml_numbers.cut_lists(text, tomllib.loads), [], []
    if cut is not None and all(_has(data, path, numbers) for path, numbers in zip(cut.paths, cut.lists, strict=True)):
        text, paths, originals = cut.text, [*cut.paths], [*cut.originals]
    for path, numbers in toml_numbers.list_long(data):
        if path not in paths:
            paths.append(path)
            originals.append(dump_value(numbers))
    words = [toml_numbers.name_word(number) for number in range(len(paths))]
    document = tomlkit.parse(text)
    _change_table(document, toml_numbers.put_in(data, paths, words))
    changed = document.as_string()
    for word, original in zip(words, originals, strict=True):
        changed = changed.replace(f'"{word}"', original)
    return changed


def _has(data: dict, path: tuple, numbers: list) -> bool:
    try:
        return _is_same(toml_numbers.get_at(data, path), numbers)
    except (LookupError, TypeError):
        return False


def _change_table(table: Any, data: dict) -> None:
    for key in [key for key in table if key not in data]:
        del table[key]
    for key, value in data.items():
        if key not in table:
            table[key] = _make_item(key, value)
        elif not _is_same(_unwrap(table[key]), value):
            _change_member(table, key, value)


def _change_member(parent: Any, key: str | int, value: Any) -> None:
    """Change what stands at a key of a table or a place of a list; a comment behind it stays."""
    old = parent[key]
    if isinstance(old, dict) and isinstance(value, dict):
        _change_table(old, value)
    elif isinstance(old, list) and isinstance(value, list) and len(old) == len(value) > 0:
        for place, (before, after) in enumerate(zip(_unwrap(old), value, strict=True)):
            if not _is_same(before, after):
                _change_member(old, place, after)
    else:
        parent[key] = _make_item(key, value)


def _make_item(key: str | int, value: Any) -> Any:
    """A value for tomlkit; waypoints and tables of numbers row by row."""
    import tomlkit

    if key not in TALL or not isinstance(value, list):
        return value
    rows = tomlkit.array().multiline(True)
    rows.extend(value)
    return rows


def _unwrap(item: Any) -> Any:
    """The plain value of an item of tomlkit."""
    return item.unwrap() if hasattr(item, "unwrap") else item


def _is_same(one: Any, other: Any) -> bool:
    """Are two values of TOML the same, in type too? NaN is equal to itself here."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_is_same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_is_same, one, other))
    return type(one) is type(other) and (one == other or (one != one and other != other))
