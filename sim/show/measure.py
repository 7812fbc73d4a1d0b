"""How wide a text is, and how much of it fits: known before anything is drawn."""

from __future__ import annotations

from functools import lru_cache

from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath

from sim.show.labels import as_typed

MORE = "…"


def measure_text(text: str, font: FontProperties) -> float:
    """The width of a line as matplotlib draws it, points; of several lines the widest."""
    return max((_measure_line(line, font, font.get_size_in_points()) for line in text.split("\n")), default=0.0)


@lru_cache(maxsize=4096)
def _measure_line(line: str, font: FontProperties, size: float) -> float:
    if not line.strip():
        return 0.3 * size * len(line)
    return float(TextPath((0.0, 0.0), line, size=size, prop=font).get_extents().width)


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
