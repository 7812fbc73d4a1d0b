"""Pose: where a frame is, and points and poses taken from one frame to another."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike


class Pose(NamedTuple):
    """Position (m) and orientation (rad, counter-clockwise) of a frame in another, usually the world."""

    x: float = 0.0
    y: float = 0.0
    theta: float = 0.0

    def transform(self, points: ArrayLike) -> np.ndarray:
        """Points (..., 2) of this frame in the outer frame: p = R(theta) q + (x, y)."""
        return self.rotate(points) + np.array([self.x, self.y])

    def rotate(self, vectors: ArrayLike) -> np.ndarray:
        """Vectors (..., 2) of this frame in the outer frame: R(theta) q."""
        vectors = np.asarray(vectors, dtype=np.float64)
        c, s = math.cos(self.theta), math.sin(self.theta)
        x, y = vectors[..., 0], vectors[..., 1]
        return np.stack([c * x - s * y, s * x + c * y], axis=-1)

    def inverse(self) -> Pose:
        """The outer frame seen from this one: inverse().transform(transform(q)) is q."""
        c, s = math.cos(self.theta), math.sin(self.theta)
        return Pose(-(c * self.x + s * self.y), s * self.x - c * self.y, -self.theta)

    def compose(self, inner: Pose) -> Pose:
        """Pose in the outer frame of a frame that has the pose `inner` in this one."""
        x, y = self.transform([inner.x, inner.y])
        return Pose(float(x), float(y), self.theta + inner.theta)
