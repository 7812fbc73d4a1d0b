"""Where numbers stand on the axes of grids: at every value where they fit, else at round ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axis import Axis, XAxis
from matplotlib.font_manager import FontProperties
from matplotlib.ticker import FixedLocator, MaxNLocator

from sim.show.measure import fit_text, measure_text
from sim.tolerances import SAME_TICK

SIZE = 8.0  # points, of the numbers
GAP = 6.0  # points, that stay free between two of them
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
