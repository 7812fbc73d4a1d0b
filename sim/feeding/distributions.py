"""How start parameters are distributed where starts are sampled.

    0:360 deg                      every value in between is as probable; also uniform(0, 360 deg)
    normal(0.3, 0.02)              mean, deviation
    csv(drops.csv, theta) deg      the numbers of a column of a file, each as probable, in this unit (SI without one)

Of a file the numbers are kept, so that a search that goes on does not need it again.
"""

from __future__ import annotations

import csv
import math
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sim.feeding.start_axis import make_start_axis
from sim.sweep.axes import INTEGER_KEYS, LIST, NORMAL, UNIFORM, SweepAxis, SweepError, make_axis

EMPIRICAL = "csv"
_CSV = re.compile(r"csv\s*\(\s*(.+?)\s*,\s*([^,()]+?)\s*\)\s*(\S.*)?")


@dataclass(frozen=True, eq=False)
class Distribution:
    """Of one start parameter."""

    name: str
    key: str
    unit: str
    text: str  # as it was given
    kind: str  # UNIFORM, NORMAL or EMPIRICAL
    values: np.ndarray  # ends; mean and deviation; or all numbers, rising

    def find_values(self, shares: np.ndarray) -> np.ndarray:
        """(n,) the values that so many of all starts fall below: quantiles; shares above 0 and below 1."""
        if self.kind == EMPIRICAL:
            return self.values[(shares * len(self.values)).astype(np.int64)]
        first, second = self.values
        if self.kind == UNIFORM:
            return first + (second - first) * shares
        from scipy.special import ndtri

        return first + second * ndtri(shares)

    def make_axis(self, values: np.ndarray) -> SweepAxis:
        """The axis of a sweep over some values, equal ones among them."""
        return SweepAxis(self.name, self.key, LIST, values, self.unit)

    def describe(self) -> dict:
        """What a file keeps: plain values."""
        return {"name": self.name, "key": self.key, "unit": self.unit, "text": self.text, "kind": self.kind,
                "values": self.values.tolist()}

    @staticmethod
    def from_description(data: dict) -> Distribution:
        """The distribution of `describe`."""
        return Distribution(data["name"], data["key"], data["unit"], data["text"], data["kind"],
                            np.array(data["values"], dtype=np.float64))


def is_empirical(text: str) -> bool:
    """Does a text ask for the numbers of a file?"""
    return _CSV.fullmatch(str(text).strip()) is not None


def make_distribution(name: str, text: str) -> Distribution:
    """The distribution of a start parameter from its key and its text. Raises SweepError, also for a file that cannot
    be read."""
    text = str(text).strip()
    match = _CSV.fullmatch(text)
    if match is None:
        start = make_start_axis(name, text, 2)
        numbers = (start.low, start.high) if start.mean is None else (start.mean, start.deviation)
        return Distribution(name, start.grid.key, start.grid.unit, text, UNIFORM if start.mean is None else NORMAL,
                            np.array(numbers))
    path, column, unit = match[1], match[2], (match[3] or "").strip()
    axis = make_axis(name, f"0 {unit}" if unit else "0")
    if axis.key.rsplit(".", 1)[-1] in INTEGER_KEYS:
        raise SweepError(f"{name}: takes whole numbers only, and has no distribution")
    return Distribution(name, axis.key, axis.unit, text, EMPIRICAL, np.sort(read_column(Path(path), column)))


def read_column(path: Path, column: str) -> np.ndarray:
    """(n,) the numbers of a column of a CSV file with a line of names. Raises SweepError."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = list(csv.reader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise SweepError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    names = [name.strip() for name in rows[0]] if rows else []
    if column not in names:
        raise SweepError(f"{path} has no column {column!r}; valid: {', '.join(names)}")
    place, numbers = names.index(column), []
    for number, row in enumerate(rows[1:], 2):
        if not any(word.strip() for word in row):
            continue
        try:
            numbers.append(float(row[place]))
        except (ValueError, IndexError):
            raise SweepError(f"{path}, line {number}: {column} must be a number") from None
        if not math.isfinite(numbers[-1]):
            raise SweepError(f"{path}, line {number}: {column} must be a finite number")
    if not numbers:
        raise SweepError(f"{path}: {column} has no numbers")
    return np.array(numbers)
