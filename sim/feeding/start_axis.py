"""The start parameters of a drop: ranges that all starts fill evenly, or distributions.

    workpiece.pose.theta=0:360 deg           every value in between is as probable
    workpiece.pose.theta=0:360 deg:721       the same, beginning with a grid of so many values
    workpiece.pose.theta=normal(0, 5 deg)    a normal distribution: mean, deviation

Of a normal distribution the basins are found within LAST_DEVIATION deviations of its mean.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from geometry.rest.rest_poses import TURN
from sim.sweep.axes import GRID, INTEGER_KEYS, NORMAL, UNIFORM, WORDS, SweepAxis, SweepError, make_axis, space_evenly
from sim.values.dimensions import find_plain_unit

LAST_DEVIATION = 6.0  # beyond it lie 2e-9 of all starts
ROUND = 1e-9  # of a turn: a range that misses one by less is one


class StartAxis(NamedTuple):
    """A start parameter: the grid that a search of its basins begins with, and how starts are distributed."""

    grid: SweepAxis  # of at least two values
    mean: float | None = None  # of a normal distribution, in the unit of the axis; None: all values are as probable
    deviation: float | None = None

    @property
    def name(self) -> str:
        return self.grid.name

    @property
    def unit(self) -> str:
        """In which its values are; "" where they have none."""
        return self.grid.unit or find_plain_unit(self.grid.key)

    @property
    def low(self) -> float:
        return float(self.grid.values[0])

    @property
    def high(self) -> float:
        return float(self.grid.values[-1])

    @property
    def is_round(self) -> bool:
        """Is the range one whole turn, so that its ends are one start?"""
        if self.mean is not None or find_plain_unit(self.grid.key) != "rad":
            return False
        unit = math.radians(1.0) if self.grid.unit == "deg" else 1.0
        return self.grid.unit in ("", "rad", "deg") and abs((self.high - self.low) * unit / TURN - 1.0) < ROUND

    def measure(self, values: np.ndarray) -> np.ndarray:
        """(n,) of all starts, how many have a smaller value."""
        values = np.asarray(values, dtype=np.float64)
        if self.mean is None or self.deviation is None:
            return (values - self.low) / (self.high - self.low)
        off = (values - self.mean) / (self.deviation * math.sqrt(2.0))
        return np.array([0.5 * math.erfc(-float(x)) for x in off])


def make_start_axis(name: str, values: str, number: int) -> StartAxis:
    """A start parameter from its key and its text; number: of values of the grid where the text says none. Raises
    SweepError."""
    text = str(values).strip()
    if re.fullmatch(r"[^:(),]+:[^:(),]+", text):
        text = f"{text}:{number}"
    axis = make_axis(name, text)
    if axis.key.rsplit(".", 1)[-1] in INTEGER_KEYS:
        raise SweepError(f"{name}: takes whole numbers only, and has no range; vary it with --over")
    if axis.kind == NORMAL:
        mean, deviation = axis.values.tolist()
        ends = mean - LAST_DEVIATION * deviation, mean + LAST_DEVIATION * deviation
        return StartAxis(replace(axis, kind=GRID, values=space_evenly(*ends, number)), mean, deviation)
    if axis.kind == UNIFORM:
        low, high = axis.values.tolist()
        return StartAxis(replace(axis, kind=GRID, values=space_evenly(low, high, number)))
    if axis.kind != GRID or axis.kind == WORDS:
        raise SweepError(f"{name}={values}: a start parameter has a range, KEY=A:B, or a distribution, uniform(A, B) or"
                         " normal(M, D); lists belong to --over")
    return StartAxis(axis)
