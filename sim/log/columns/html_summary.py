"""What a notebook shows of a run: a short table, and a small picture of where the part is at the end, as SVG."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from geometry.shapes.outline import Outline
from geometry.shapes.pose import Pose
from sim.words.quoting import cut

WIDTH, HEIGHT = 260.0, 190.0  # px of the picture
ROOM = 1.6  # width of what is shown around the part, in its sizes
CHORD = 0.2  # px by which chords may lie off arcs
LIMIT = 1e5  # px from the picture at which outlines end: browsers draw nothing sensible beyond
PART, OBSTACLE = 'fill="#9ECAE9" stroke="#0B4F7D"', 'fill="#D9D5CC" stroke="#77736B"'


def build_summary(title: str, lines: Iterable[tuple[str, str]], picture: str = "") -> str:
    """A table of names and values, whatever characters they hold, beside a picture in SVG."""
    rows = "".join(
        f'<tr><td style="text-align:left;color:gray;vertical-align:top">{escape(cut(name))}</td>'
        f'<td style="text-align:left;white-space:pre-line">{escape(value)}</td></tr>' for name, value in lines)
    return (f'<div style="display:flex;flex-wrap:wrap;gap:1.5em;align-items:flex-start"><div><b>{escape(cut(title))}'
            f'</b><table style="margin:0">{rows}</table></div>{picture}</div>')


def split_lines(lines: Iterable[str], width: int = 11) -> list[tuple[str, str]]:
    """(name, value) of lines of text of which the first `width` characters are the name."""
    return [(line[:width].strip(), cut(line[width:], 300)) for line in lines]


def draw_bodies(record: Any, poses: ArrayLike, time: float) -> str:
    """An <svg> of the part at poses (n, 3) of its centre of mass, x, y [m], theta [rad], among the obstacles at a time
    [s]. record: a `sim.log.bodies.SceneRecord`."""
    part = record.workpiece.outline
    placed = [part.placed(Pose(*pose)) for pose in np.asarray(poses, dtype=np.float64).reshape(-1, 3).tolist()]
    bounds = np.array([outline.bounds for outline in placed])
    low, high = bounds[:, 0].min(axis=0), bounds[:, 1].max(axis=0)
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        return ""
    centre, size = 0.5 * (low + high), ROOM * np.maximum(high - low, 1.0 * part.reach)
    scale = float(min(WIDTH / size[0], HEIGHT / size[1]))
    shapes = [_draw_outline(body.place(time), centre, scale, OBSTACLE) for body in record.obstacles]
    shapes += [_draw_outline(outline, centre, scale, PART) for outline in placed]
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH:.0f}" height="{HEIGHT:.0f}" role="img" '
            f'aria-label="where the part is at the end" style="background:white;border:1px solid #ddd">'
            f'{"".join(shapes)}</svg>')


def _draw_outline(outline: Any, centre: np.ndarray, scale: float, style: str) -> str:
    loops = outline.sample(CHORD / scale) if isinstance(outline, Outline) else [outline.vertices]
    words = []
    for loop in loops:
        x = np.clip(0.5 * WIDTH + scale * (loop[:, 0] - centre[0]), -LIMIT, LIMIT)
        y = np.clip(0.5 * HEIGHT - scale * (loop[:, 1] - centre[1]), -LIMIT, LIMIT)
        words.append("M" + "L".join(f"{a:.2f},{b:.2f}" for a, b in zip(x.tolist(), y.tolist(), strict=True)) + "Z")
    return f'<path d="{"".join(words)}" {style} stroke-width="1" fill-rule="evenodd" fill-opacity="0.8"/>'

