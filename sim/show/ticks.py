"""Where numbers stand on the axes of grids: at every value where they fit, else at round ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis, XAxis
from matplotlib.font_manager import FontProperties
from matplotlib.ticker import FixedLocator, MaxNLocator, ScalarFormatter

from sim.show.measure import fit_text, measure_text
from sim.tolerances import SAME_TICK

SIZE = 8.0  # points, of the numbers
GAP = 6.0  # points, that stay free between two of them
DIGIT = 0.64  # of a size: the width of a digit
LINE = 1.3  # heights of a line in sizes of its letters
FEWEST, MOST = 3, 12  # round values: fewer tell no scale, more are no help
STEEPEST = 90.0  # degrees, of names that do not fit side by side
LONGEST_NAME = 110.0  # points, of a name on end


def place_ticks(axis: Axis, values: Sequence[float] | np.ndarray, labels: Sequence[str], room: float,
                are_names: bool = False) -> None:
    """Tick an axis that is `room` points long, for values with their labels.

    Numbers that do not all fit are at round values, of which each is one of the values where there are such. Names are
    never left out as long as they fit when they stand on end; then as many are shown as fit.
    """
    values = np.asarray(values, dtype=np.float64)
    order = np.argsort(values)
    values, labels = values[order], [labels[i] for i in order]
    if _fit(axis, values, labels, room):
        axis.set_ticks(values, labels=labels)
    elif are_names:
        _place_names(axis, values, labels, room)
    else:
        _place_round(axis, values, labels, room)


def show_all_digits(axes: Axes) -> None:
    """Let numbers on both axes say where they are by all their digits, however far the axes are zoomed in, and stand
    so far apart that they can be read."""
    box, figure = axes.get_window_extent(), axes.get_figure(root=True)
    assert figure is not None
    for axis, room in ((axes.xaxis, box.width), (axes.yaxis, box.height)):
        axis.set_major_formatter(DigitFormatter())
        axis.set_major_locator(_RoomyLocator(room / figure.dpi * 72.0, isinstance(axis, XAxis)))


class DigitFormatter(ScalarFormatter):
    """Numbers without an offset and without a power of ten beside the axis."""

    def __init__(self) -> None:
        super().__init__(useOffset=False)
        self.set_scientific(False)


class _RoomyLocator(MaxNLocator):
    """Round values with room for as many digits as tell them apart."""

    def __init__(self, room: float, is_across: bool):
        super().__init__(MOST - 3, steps=[1, 2, 2.5, 5, 10])
        self._room, self._is_across = room, is_across

    def tick_values(self, vmin: float, vmax: float) -> Any:
        span, far = abs(vmax - vmin), max(abs(vmin), abs(vmax))
        if self._is_across and span > 0.0:
            decimals = max(0, 2 - math.floor(math.log10(span)))
            text = f"{-far:.{decimals}f}"
            size = DIGIT * SIZE * len(text) + GAP
            self.set_params(nbins=min(max(int(self._room / size), 2), MOST - 3))
        return super().tick_values(vmin, vmax)


def _fit(axis: Axis, values: np.ndarray, labels: Sequence[str], room: float, is_on_end: bool = False) -> bool:
    """Is there a gap between any two labels?"""
    font = FontProperties(size=SIZE)
    if isinstance(axis, XAxis) and not is_on_end:
        sizes = np.array([measure_text(label, font) for label in labels]) + GAP
    else:
        sizes = np.full(len(labels), LINE * SIZE)
    low, high = sorted(axis.get_view_interval())
    places = (values - low) / (high - low) * room
    return bool((np.diff(places) >= 0.5 * (sizes[1:] + sizes[:-1])).all())


def _place_names(axis: Axis, values: np.ndarray, labels: Sequence[str], room: float) -> None:
    font, is_on_end = FontProperties(size=SIZE), isinstance(axis, XAxis)
    labels = [label if measure_text(label, font) <= LONGEST_NAME else fit_text(label, LONGEST_NAME, font, len(label))
              for label in labels]
    step = next(step for step in range(1, len(values) + 1)
                if step == len(values) or _fit(axis, values[::step], labels[::step], room, is_on_end))
    axis.set_ticks(values[::step], labels=labels[::step], rotation=STEEPEST if is_on_end else 0.0)


def _place_round(axis: Axis, values: np.ndarray, labels: Sequence[str], room: float) -> None:
    font = FontProperties(size=SIZE)
    size = (max(measure_text(label, font) for label in labels) if isinstance(axis, XAxis) else LINE * SIZE) + 2.0 * GAP
    most = min(max(int(room / size), FEWEST), MOST)
    low, high = sorted(axis.get_view_interval())
    for number in range(most, FEWEST - 2, -1):
        ticks = MaxNLocator(number, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
        ticks = ticks[(ticks >= low) & (ticks <= high)]
        away = np.abs(ticks[:, None] - values[None, :]).min(axis=1)
        if FEWEST <= len(ticks) <= most and (away <= SAME_TICK * (high - low)).all():
            axis.set_major_locator(FixedLocator(ticks))
            return
    axis.set_major_locator(MaxNLocator(most, steps=[1, 2, 2.5, 5, 10]))
