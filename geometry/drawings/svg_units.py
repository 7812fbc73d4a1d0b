"""Lengths, view boxes and transforms of SVG, computed without rounding factors."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from geometry.drawings.affine import Affine, make_rotation
from geometry.drawings.drawing import DrawingError
from geometry.tolerances import LARGEST_NUMBER

NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_LENGTH = re.compile(rf"\s*({NUMBER})\s*([a-zA-Z%]*)\s*")
_CALL = re.compile(r"\s*,?\s*([a-zA-Z]+)\s*\(([^()]*)\)\s*")

# Millimetres in each unit, as a quotient of whole numbers: 96 px, 72 pt and 6 pc make an inch of 25.4 mm.
MILLIMETRES = {"mm": (1, 1), "cm": (10, 1), "in": (254, 10), "px": (254, 960), "": (254, 960), "pt": (254, 720),
               "pc": (254, 60), "q": (1, 4)}


class Viewport(NamedTuple):
    """What percentages refer to, in user units."""

    width: float
    height: float

    @property
    def diagonal(self) -> float:
        return math.hypot(self.width, self.height) / math.sqrt(2.0)


def read_numbers(text: str, what: str) -> list[float]:
    """Numbers with commas or spaces, or nothing, between them. Raises DrawingError."""
    rest = re.sub(rf"{NUMBER}", " ", text)
    if rest.replace(",", " ").strip():
        raise DrawingError(f"{what} = {text.strip()[:60]!r}: valid are numbers")
    values = [float(number) for number in re.findall(NUMBER, text)]
    if not all(abs(value) <= LARGEST_NUMBER for value in values):
        raise DrawingError(f"{what} = {text.strip()[:60]!r}: a number is too large")
    return values


def read_length(text: str, what: str, whole: float) -> float:
    """A length in user units of 96 to an inch; `whole` is what 100 % are. Raises DrawingError."""
    match = _LENGTH.fullmatch(text)
    unit = match[2].lower() if match else ""
    if not match or (unit not in MILLIMETRES and unit != "%"):
        raise DrawingError(f"{what} = {text.strip()[:60]!r}: valid are numbers, alone or with mm, cm, in, pt, pc, px "
                           "or %")
    value = float(match[1])
    if not abs(value) <= LARGEST_NUMBER:
        raise DrawingError(f"{what} = {text.strip()[:60]!r}: the number is too large")
    if unit == "%":
        return value * whole / 100.0
    if unit in ("", "px"):
        return value
    numerator, denominator = MILLIMETRES[unit]
    return value * (numerator * 960) / (denominator * 254)


def read_page_length(text: str | None, what: str) -> float | None:
    """A width or height of the whole drawing in millimetres; None where it is not given, or relative to a window."""
    if text is None or text.strip().lower() in ("", "auto") or text.strip().endswith("%"):
        return None
    match = _LENGTH.fullmatch(text)
    if not match or match[2].lower() not in MILLIMETRES:
        raise DrawingError(f"{what} = {text.strip()[:60]!r}: valid are numbers with mm, cm, in, pt, pc or px")
    numerator, denominator = MILLIMETRES[match[2].lower()]
    value = float(match[1]) * numerator / denominator
    if not 0.0 < value <= LARGEST_NUMBER:
        raise DrawingError(f"{what} = {text.strip()[:60]!r}: valid are positive lengths")
    return value


def read_view_box(text: str | None) -> tuple[float, float, float, float] | None:
    """Left, top, width, height; None where there is none."""
    if text is None or not text.strip():
        return None
    values = read_numbers(text, "viewBox")
    if len(values) != 4 or values[2] <= 0.0 or values[3] <= 0.0:
        raise DrawingError(f"viewBox = {text.strip()[:60]!r}: valid are left, top, width and height, the last two "
                           "positive")
    return values[0], values[1], values[2], values[3]


def fit_view_box(box: tuple[float, float, float, float], width: float, height: float, ratio: str | None) -> Affine:
    """The map of a view box into a rectangle at the origin, by preserveAspectRatio."""
    words = (ratio or "").split()
    words = [word for word in words if word != "defer"] or ["xMidYMid"]
    along, across = width / box[2], height / box[3]
    align = re.fullmatch(r"x(Min|Mid|Max)Y(Min|Mid|Max)", words[0])
    if words[0] != "none" and (not align or (len(words) > 1 and words[1] not in ("meet", "slice"))):
        raise DrawingError(f"preserveAspectRatio = {ratio!r}: valid are none, or xMidYMid and the like, and meet or "
                           "slice")
    if not align:
        return Affine(along, 0.0, 0.0, across, -box[0] * along, -box[1] * across)
    scale = max(along, across) if words[1:] == ["slice"] else min(along, across)
    share = {"Min": 0.0, "Mid": 0.5, "Max": 1.0}
    return Affine(scale, 0.0, 0.0, scale, share[align[1]] * (width - box[2] * scale) - box[0] * scale,
                  share[align[2]] * (height - box[3] * scale) - box[1] * scale)


def read_transform(text: str | None) -> Affine:
    """The map of a list of transforms, the last of which is done first. Raises DrawingError."""
    affine, place = Affine(), 0
    text = (text or "").strip()
    while place < len(text):
        match = _CALL.match(text, place)
        if not match:
            raise DrawingError(f"transform = {text[:60]!r}: cannot be read from {text[place:place + 20]!r} on")
        affine = affine.after(_make_transform(match[1], read_numbers(match[2], f"transform {match[1]}"), text))
        place = match.end()
    return affine


def _make_transform(name: str, values: list[float], text: str) -> Affine:
    match name, len(values):
        case "matrix", 6:
            return Affine(*values)
        case "translate", 1 | 2:
            return Affine(e=values[0], f=values[1] if len(values) > 1 else 0.0)
        case "scale", 1 | 2:
            return Affine(a=values[0], d=values[-1])
        case "rotate", 1:
            return make_rotation(values[0])
        case "rotate", 3:
            return make_rotation(values[0], (values[1], values[2]))
        case "skewX", 1:
            return Affine(c=math.tan(math.radians(values[0])))
        case "skewY", 1:
            return Affine(b=math.tan(math.radians(values[0])))
    raise DrawingError(f"transform = {text[:60]!r}: {name} with {len(values)} numbers; valid are matrix(6), "
                       "translate(1, 2), "
                       "scale(1, 2), rotate(1, 3), skewX(1) and skewY(1)")
