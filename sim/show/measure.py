"""How wide a text is, and how much of it fits: known before anything is drawn."""

from __future__ import annotations

from functools import lru_cache

from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.ft2font import LoadFlags

from sim.show.labels import as_typed

MORE = "…"
POINTS = 72  # in an inch
PARTS = 64.0  # of a point, in which fonts count


def measure_text(text: str, font: FontProperties) -> float:
    """The width of a line that `as_typed` has made, points; of several lines the widest."""
    return max((_measure_line(line, font, font.get_size_in_points()) for line in text.split("\n")), default=0.0)


@lru_cache(maxsize=4096)
def _measure_line(line: str, font: FontProperties, size: float) -> float:
    face = get_font(findfont(font))
    face.set_size(size, POINTS)
    face.set_text(line.replace(r"\$", "$"), 0.0, flags=LoadFlags.NO_HINTING)
    return float(face.get_width_height()[0]) / PARTS


def fit_text(text: str, room: float, font: FontProperties, longest: int) -> str:
    """Words of a user as matplotlib shows them, as many characters as fit into `room` points, `longest` at most."""
    shown = as_typed(text, longest)
    if measure_text(shown, font) <= room:
        return shown
    fits, over = 0, min(len(text), longest)
    while over - fits > 1:
        middle = (fits + over) // 2
        if measure_text(as_typed(text[:middle] + MORE, longest + 1), font) <= room:
            fits = middle
        else:
            over = middle
    return as_typed(text[:fits].rstrip() + MORE, longest + 1)
