"""What a file of drawings holds, whatever its format: traces of edges, arcs and curves, in the plane, y upwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from geometry.errors import InputError


class DrawingError(InputError):
    """A drawing cannot be used; the message names file, entity and value, and says what is valid."""


class Stretch(NamedTuple):
    """An edge or an arc: tan(sweep / 4) is its bulge, positive where it turns left, 0 for an edge."""

    start: tuple[float, float]
    end: tuple[float, float]
    bulge: float = 0.0


class Curve(NamedTuple):
    """A smooth curve that is neither: an ellipse, a Bezier curve, a span of a spline."""

    kind: str
    point: Callable[[np.ndarray], np.ndarray]  # (n,) parameters -> (n, 2)
    direction: Callable[[np.ndarray], np.ndarray]  # (n,) -> (n, 2), not of unit length, nowhere zero at breaks
    breaks: tuple[float, ...]  # parameters of the ends, and of where it is best divided
    start: tuple[float, float]
    end: tuple[float, float]


class Trace(NamedTuple):
    """What one entity draws without lifting the pen."""

    name: str  # of the entity, for messages: 'ARC #2F', '<path id="p1">'
    layer: str
    parts: tuple[Stretch | Curve, ...]
    closed: bool  # the last part ends where the first one starts
    filled: bool = False  # drawn as an area, which a straight line closes if nothing else does
    group: int = 0  # of several traces that one rule fills together
    rule: str = "evenodd"  # or "nonzero": which of them are holes in the others
    groups: tuple[str, ...] = ()  # all names by which its layer may be asked for


class Drawing(NamedTuple):
    """All traces of a file, in its unit."""

    path: str
    traces: tuple[Trace, ...]
    metres: tuple[int, int] | None  # numerator and denominator of the unit in metres; None if the file does not say
    unit: str  # of the numbers: 'mm', or where there is none, why
    notes: tuple[str, ...]  # how it was read, and what was left out
    sha256: str = ""  # of the file


@contextmanager
def naming(what: str) -> Iterator[None]:
    """Begin the message of a DrawingError from inside with these words: the file, the entity."""
    try:
        yield
    except DrawingError as error:
        raise DrawingError(f"{what}: {error}") from None


def show_place(point: Any) -> str:
    """A point in the unit of the drawing."""
    return f"({point[0] + 0.0:.9g}, {point[1] + 0.0:.9g})"
