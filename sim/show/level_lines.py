"""Lines of equal numbers over a map: where four neighbouring cells all have a number."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator

from sim.show.picture_options import PictureError

MOST_LEVELS = 50
LINES = {"colors": "#1A1A1A", "linewidths": 0.9, "zorder": 4}
HALO = [withStroke(linewidth=2.2, foreground="white")]

Levels = int | tuple[float, ...]  # about how many, at round values; or the values themselves


def read_levels(text: str) -> Levels:
    """Of "8" a number of levels, of "0.5,1,2" the levels; one level alone has a comma behind it: "5,". Raises
    PictureError."""
    words = [word.strip() for word in text.split(",")]
    if len(words) == 1 and re.fullmatch(r"[0-9]{1,3}", words[0]):
        if not 1 <= int(words[0]) <= MOST_LEVELS:
            raise PictureError(f"--contours {text}: from 1 to {MOST_LEVELS} levels are possible")
        return int(words[0])
    try:
        levels = sorted({float(word) for word in words if word})
    except ValueError:
        levels = []
    if not levels or len(levels) > MOST_LEVELS or not np.isfinite(levels).all():
        raise PictureError(f"--contours {text}: write how many, such as 8, or the levels, such as 0.5,1,2; at most "
                           f"{MOST_LEVELS}")
    return tuple(levels)


def choose_levels(levels: Levels, low: float, high: float, is_wide: bool) -> list[float]:
    """The levels between the smallest and the largest number of a picture. Raises PictureError where those that were
    asked for all lie outside."""
    if not isinstance(levels, int):
        asked = levels
    elif is_wide:
        powers = np.arange(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)
        asked = tuple(10.0 ** float(power) for power in powers[:: math.ceil(len(powers) / levels)])
    else:
        asked = tuple(MaxNLocator(levels + 1).tick_values(low, high))
    within = [float(level) for level in asked if low <= level <= high]
    if not within and not isinstance(levels, int):
        raise PictureError(f"--contours {','.join(f'{level:g}' for level in levels)}: the numbers of this picture go "
                           f"from {low:.6g} to {high:.6g}, and no level lies between them")
    return within


def draw_contours(axes: Axes, columns: np.ndarray, rows: np.ndarray, values: np.ndarray, levels: Sequence[float],
                  ) -> int:
    """Draw the lines of the levels over values (rows, columns) at the middles of cells; returns how many pieces there
    are. A square of neighbours of which one has no number, or none that is finite, has no line."""
    known = np.ma.masked_invalid(values)
    squares = ~np.ma.getmaskarray(known)
    if min(values.shape) < 2 or not levels or not (squares[1:, 1:] & squares[:-1, 1:] & squares[1:, :-1]
                                                   & squares[:-1, :-1]).any():
        return 0
    lines = axes.contour(columns, rows, known, levels=levels, corner_mask=False, **LINES)
    lines.set_path_effects(HALO)
    for text in axes.clabel(lines, fmt=lambda level: f"{level:.4g}", fontsize=7.5, inline=True):
        text.set_path_effects(HALO)
        text.set_zorder(5)
    return sum(len(path.vertices) > 0 for path in lines.get_paths())
