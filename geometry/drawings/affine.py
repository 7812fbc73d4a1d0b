"""Affine maps of the plane: what groups, blocks and view boxes do to what they hold."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from geometry.tolerances import LARGEST_NUMBER


class Affine(NamedTuple):
    """(x, y) -> (a x + c y + e, b x + d y + f), in the order of SVG."""

    a: float = 1.0
    b: float = 0.0
    c: float = 0.0
    d: float = 1.0
    e: float = 0.0
    f: float = 0.0

    def apply(self, points) -> np.ndarray:
        """Points (..., 2)."""
        points = np.asarray(points, dtype=np.float64)
        x, y = points[..., 0], points[..., 1]
        return np.stack([self.a * x + self.c * y + self.e, self.b * x + self.d * y + self.f], axis=-1)

    def turn(self, vectors) -> np.ndarray:
        """Vectors (..., 2): without the shift."""
        return self._replace(e=0.0, f=0.0).apply(vectors)

    def after(self, inner: Affine) -> Affine:
        """The map that does `inner` first, then this one."""
        return Affine(self.a * inner.a + self.c * inner.b, self.b * inner.a + self.d * inner.b,
                      self.a * inner.c + self.c * inner.d, self.b * inner.c + self.d * inner.d,
                      self.a * inner.e + self.c * inner.f + self.e, self.b * inner.e + self.d * inner.f + self.f)

    @property
    def determinant(self) -> float:
        """Factor of areas; negative where it mirrors."""
        return self.a * self.d - self.b * self.c

    def is_finite(self) -> bool:
        """Can points be mapped, and lengths squared?"""
        return all(abs(value) <= LARGEST_NUMBER**3 for value in self)


def make_rotation(degrees: float, about: tuple[float, float] = (0.0, 0.0)) -> Affine:
    """Turn by an angle; exact for quarter turns."""
    quarter, rest = divmod(degrees, 90.0)
    c, s = math.cos(math.radians(rest)), math.sin(math.radians(rest))
    for _ in range(int(quarter) % 4):
        c, s = -s, c
    turn = Affine(c + 0.0, s + 0.0, -s + 0.0, c + 0.0)
    return Affine(e=about[0], f=about[1]).after(turn).after(Affine(e=-about[0], f=-about[1]))
