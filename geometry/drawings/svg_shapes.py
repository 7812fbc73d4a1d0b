"""What one element of an SVG file draws, as edges, arcs and curves."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

from geometry.drawings.affine import Affine
from geometry.drawings.curves import Parts, make_bezier, make_bulges, make_conic, make_line
from geometry.drawings.drawing import DrawingError
from geometry.drawings.svg_units import Viewport, read_length, read_numbers
from geometry.tolerances import HALF_TURN, LARGEST_NUMBER

# Parts of one stroke of the pen, and whether it is closed.
Strokes = list[tuple[Parts, bool]]

_PATH = re.compile(r"[MmZzLlHhVvCcSsQqTtAa0-9eE+\-.,\s]*")
_HALF = math.pi / 2.0


def draw_element(element: Any, tag: str, affine: Affine, view: Viewport) -> Strokes:
    """The strokes of a shape under the map of its groups. Raises DrawingError."""
    strokes = _MAKERS[tag](element, affine, view)
    return [(parts, closed) for parts, closed in strokes if parts]


def _read(element: Any, name: str, whole: float, default: str = "0") -> float:
    return read_length(element.get(name) or default, name, whole)


def _read_size(element: Any, name: str, whole: float) -> float:
    value = _read(element, name, whole)
    if value < 0.0:
        raise DrawingError(f"{name} = {element.get(name)!r}: valid are lengths that are not negative")
    return value


def _draw_rect(element: Any, affine: Affine, view: Viewport) -> Strokes:
    x, y = _read(element, "x", view.width), _read(element, "y", view.height)
    w, h = _read_size(element, "width", view.width), _read_size(element, "height", view.height)
    if w == 0.0 or h == 0.0:
        return []
    rx, ry = (None if (element.get(name) or "auto").strip() == "auto" else _read_size(element, name, whole)
              for name, whole in (("rx", view.width), ("ry", view.height)))
    rx, ry = (ry if rx is None else rx) or 0.0, (rx if ry is None else ry) or 0.0
    rx, ry = min(rx, w / 2.0), min(ry, h / 2.0)
    if rx == 0.0 or ry == 0.0:
        corners = [(x, y), (x + w, y), (x + w, y + h), (x, y + h)]
        return [(_draw_points(corners, True, affine), True)]
    parts: Parts = []
    # from the upper left on, with y downwards: each side, then the quarter after it
    ends = [((x + rx, y), (x + w - rx, y), (x + w, y + ry)),
            ((x + w, y + ry), (x + w, y + h - ry), (x + w - rx, y + h)),
            ((x + w - rx, y + h), (x + rx, y + h), (x, y + h - ry)), ((x, y + h - ry), (x, y + ry), (x + rx, y))]
    centres = [(x + w - rx, y + ry), (x + w - rx, y + h - ry), (x + rx, y + h - ry), (x + rx, y + ry)]
    for k, ((begin, turn, end), centre) in enumerate(zip(ends, centres, strict=True)):
        parts += make_line(begin, turn, affine)
        parts += make_conic(centre, (rx, 0.0), (0.0, ry), (k - 1) * _HALF, k * _HALF, affine, (turn, end))
    return [(parts, True)]


def _draw_circle(element: Any, affine: Affine, view: Viewport) -> Strokes:
    r = _read_size(element, "r", view.diagonal)
    return _draw_oval(element, r, r, affine, view)


def _draw_ellipse(element: Any, affine: Affine, view: Viewport) -> Strokes:
    rx, ry = (None if (element.get(name) or "auto").strip() == "auto" else _read_size(element, name, whole)
              for name, whole in (("rx", view.width), ("ry", view.height)))
    return _draw_oval(element, (ry if rx is None else rx) or 0.0, (rx if ry is None else ry) or 0.0, affine, view)


def _draw_oval(element: Any, rx: float, ry: float, affine: Affine, view: Viewport) -> Strokes:
    centre = _read(element, "cx", view.width), _read(element, "cy", view.height)
    if rx == 0.0 or ry == 0.0:
        return []
    return [(make_conic(centre, (rx, 0.0), (0.0, ry), 0.0, 2.0 * math.pi, affine), True)]


def _draw_line(element: Any, affine: Affine, view: Viewport) -> Strokes:
    start = _read(element, "x1", view.width), _read(element, "y1", view.height)
    end = _read(element, "x2", view.width), _read(element, "y2", view.height)
    return [(make_line(start, end, affine), False)]


def _draw_points(points: list[tuple[float, float]], closed: bool, affine: Affine) -> Parts:
    parts: Parts = []
    following = [*points[1:], points[0]] if closed else points[1:]
    for start, end in zip(points if closed else points[:-1], following, strict=True):
        parts += make_line(start, end, affine)
    return parts


def _draw_poly(closed: bool) -> Callable[[Any, Affine, Viewport], Strokes]:
    def draw(element: Any, affine: Affine, view: Viewport) -> Strokes:
        values = read_numbers(element.get("points") or "", "points")
        if len(values) % 2:
            raise DrawingError(f"points has {len(values)} numbers; valid are pairs")
        points = list(zip(values[::2], values[1::2], strict=True))
        return [(_draw_points(points, closed, affine), closed)] if len(points) > 1 else []

    return draw


def _draw_path(element: Any, affine: Affine, view: Viewport) -> Strokes:
    strokes: Strokes = []
    parts: Parts = []
    for kind, segment in _list_segments(element.get("d") or ""):
        if kind == "Move":
            strokes.append((parts, False))
            parts = []
            continue
        start, end = _pair(segment.start), _pair(segment.end)
        if kind in ("Line", "Close"):
            parts += make_line(start, end, affine)
        elif kind == "QuadraticBezier":
            parts += make_bezier([start, _pair(segment.control), end], affine)
        elif kind == "CubicBezier":
            parts += make_bezier([start, _pair(segment.control1), _pair(segment.control2), end], affine)
        else:
            parts += _make_arc(segment, start, end, affine)
        if kind == "Close":
            strokes.append((parts, True))
            parts = []
    strokes.append((parts, False))
    return strokes


def _pair(point: Any) -> tuple[float, float]:
    return float(point.x), float(point.y)


def _list_segments(text: str) -> list[tuple[str, Any]]:
    """(kind, segment) of the path data, which svgelements reads but does not check."""
    shown = " ".join(text.split())[:60]
    if not text.strip() or text.strip().lower() == "none":
        return []
    try:
        from svgelements import Path
    except ImportError:
        raise DrawingError("SVG is read by the package svgelements, which is not installed: pip install svgelements"
                           ) from None
    good = _PATH.match(text).end()
    if good < len(text):
        raise DrawingError(f"d = {shown!r}: the character {text[good]!r} at place {good} is no path data")
    if text.strip()[0] not in "Mm":
        raise DrawingError(f"d = {shown!r}: a path begins with M")
    try:
        segments = [(type(segment).__name__, segment) for segment in Path(text)]
        numbers = [value for kind, segment in segments if kind != "Move" for point in (segment.start, segment.end)
                   for value in _pair(point)]
    except Exception as error:  # whatever it raises on wrong numbers
        raise DrawingError(f"d = {shown!r}: a command has too few numbers, or wrong ones {error}".rstrip()) from None
    if not all(abs(number) <= LARGEST_NUMBER for number in numbers):
        raise DrawingError(f"d = {shown!r}: a number is too large")
    return segments


def _make_arc(arc: Any, start: tuple[float, float], end: tuple[float, float], affine: Affine) -> Parts:
    """An elliptical arc from its centre and the ends of its axes; a line where it has no radius."""
    if start == end:
        return []
    cx, cy = _pair(arc.center)
    a = float(arc.prx.x) - cx, float(arc.prx.y) - cy
    b = float(arc.pry.x) - cx, float(arc.pry.y) - cy
    square_a, square_b = a[0] ** 2 + a[1] ** 2, b[0] ** 2 + b[1] ** 2
    if square_a == 0.0 or square_b == 0.0:
        return make_line(start, end, affine)

    ahead = float(arc.sweep) > 0.0
    chord = (end[0] - start[0]) ** 2 + (end[1] - start[1]) ** 2
    if abs(square_a - square_b) <= HALF_TURN * square_a and chord >= 4.0 * square_a * (1.0 - HALF_TURN):
        return make_bulges([start, end], [1.0 if ahead else -1.0], affine)

    def find_parameter(point):
        x, y = point[0] - cx, point[1] - cy
        return math.atan2((x * b[0] + y * b[1]) / square_b, (x * a[0] + y * a[1]) / square_a)

    first, last = find_parameter(start), find_parameter(end)
    if a[0] * b[1] - a[1] * b[0] < 0.0:
        ahead = not ahead
    sweep = (last - first) % (2.0 * math.pi)
    return make_conic((cx, cy), a, b, first, first + (sweep if ahead else sweep - 2.0 * math.pi), affine, (start, end))


_MAKERS: dict[str, Callable[[Any, Affine, Viewport], Strokes]] = {
    "rect": _draw_rect, "circle": _draw_circle, "ellipse": _draw_ellipse, "line": _draw_line,
    "polyline": _draw_poly(False), "polygon": _draw_poly(True), "path": _draw_path}
SHAPES = tuple(_MAKERS)
