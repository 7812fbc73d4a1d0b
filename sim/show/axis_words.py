"""What stands on the axes of pictures: words and units in place of keys and columns, or the words of the user."""

from __future__ import annotations

from typing import Protocol

from sim.scene.toml_text import PathError, find_unit, split_path
from sim.show.labels import as_typed
from sim.show.picture_options import LONGEST_LABEL, PLAIN, PictureOptions
from sim.sweep.axes import SweepAxis
from sim.sweep.table import ROW_FIELDS
from sim.words import key_words

_UNITS = {name: unit for name, _, unit, _ in ROW_FIELDS if unit != "1"}


class _Axis(Protocol):
    """The axis of a map."""

    @property
    def key(self) -> str: ...
    @property
    def unit(self) -> str: ...


def list_names(*axes: SweepAxis | None) -> list[str]:
    """What a user may call some axes by: their names and keys."""
    return list(dict.fromkeys(name for axis in axes if axis is not None for name in (axis.name, axis.key)))


def name_axis(axis: SweepAxis, options: PictureOptions = PLAIN) -> str:
    """Words for an axis without its unit."""
    own = options.find_label(axis.name, axis.key)
    if own is not None:
        return own
    words = name_key(axis.key)
    return as_typed(f"factor of {words}" if axis.is_factor else words, LONGEST_LABEL)


def describe_axis(axis: SweepAxis, options: PictureOptions = PLAIN) -> str:
    """Words for an axis with its unit; the words of the user stand as they are, and should say the unit."""
    own = options.find_label(axis.name, axis.key)
    return own or _add_unit(name_axis(axis), axis.shown_unit)


def describe_map_axis(axis: _Axis, options: PictureOptions = PLAIN) -> str:
    """The same for the axis of a map of solutions."""
    return describe_key(axis.key, axis.unit or find_unit(axis.key), options)


def describe_key(key: str, unit: str, options: PictureOptions = PLAIN) -> str:
    """The same for a key of a scene with values in a unit."""
    own = options.find_label(key)
    return own or _add_unit(as_typed(name_key(key), LONGEST_LABEL), unit)


def describe_column(column: str, options: PictureOptions = PLAIN) -> str:
    """Words for a column of the table of a sweep, or for arithmetic over columns, with the unit where there is one."""
    own = options.find_label(column)
    return own or _add_unit(as_typed(key_words.describe_column(column), LONGEST_LABEL), _UNITS.get(column, ""))


def name_key(key: str) -> str:
    """Words for a key of a scene, as they are, for any kind of page."""
    try:
        return key_words.describe_key(split_path(key))
    except PathError:
        return key


def _add_unit(words: str, unit: str) -> str:
    return f"{words} ({as_typed(unit)})" if unit else words
