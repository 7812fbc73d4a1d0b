"""The certificate of one candidate: by how much an acceleration and its forces violate each law.

Written from the laws alone (`dynamics/README.md`) and sharing no code with the search, so that it can convict it.
All residuals are accelerations (forces are per unit mass); a perfect answer has all five at zero. What is left of
them, and when that is too much, is the subject of `dynamics.sets.doubts`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike


class Residuals(NamedTuple):
    """Violation of each law by one candidate, in units of acceleration."""

    balance: float  # |a - w - sum (fn N + ft T)|
    gap: float  # largest acceleration into an obstacle
    cone: float  # farthest a contact force lies outside its friction cone
    direction: float  # farthest the force of a sliding contact lies from the edge that opposes the slip
    complementarity: float  # largest min(normal force, acceleration that opens the gap)

    @property
    def worst(self) -> float:
        """The largest of the five."""
        return max(self)


def _distance_to_cone(fn: float, ft: float, mu: float) -> float:
    """Distance in the (fn, ft) plane from a force to the cone |ft| <= mu fn."""
    angle = np.arctan(mu)
    direction = np.arctan2(abs(ft), fn)
    if direction <= angle:
        return 0.0
    return float(np.hypot(fn, ft) * (np.sin(direction - angle) if direction - angle < np.pi / 2 else 1.0))


def _distance_to_edge(fn: float, ft: float, mu: float, sign: float) -> float:
    """Distance in the (fn, ft) plane from a force to the ray ft = -mu fn sign, fn >= 0."""
    angle = np.arctan(mu)
    along = fn * np.cos(angle) - sign * ft * np.sin(angle)
    across = sign * ft * np.cos(angle) + fn * np.sin(angle)
    return float(abs(across) if along >= 0.0 else np.hypot(fn, ft))


def _check_corner(gaps: np.ndarray, fn: np.ndarray, i: int, j: int) -> tuple[float, float]:
    """Gap and complementarity residual of a corner on a corner: one of two normals must hold.

    Only a normal whose own gap stays closed, while the other's does not open, may push.
    """
    gap = max(0.0, -max(gaps[i], gaps[j]))
    worst = 0.0
    for row, other in ((i, j), (j, i)):
        worst = max(worst, min(fn[row], max(abs(gaps[row]), gaps[other])))
    return gap, worst


def compute_residuals(problem: Any, a: ArrayLike, fn: ArrayLike, ft: ArrayLike) -> Residuals:
    """Residuals of one candidate.

    problem: anything with fields w (3,), N (k, 3), b (k,), T (k, 3), d (k,), slip (k,), mu (k,), corner (k,);
    a (3,): acceleration; fn, ft (k,): contact forces per unit mass.
    """
    a, fn, ft = np.asarray(a, float), np.asarray(fn, float), np.asarray(ft, float)
    balance = float(np.linalg.norm(a - problem.w - fn @ problem.N - ft @ problem.T))
    gaps = problem.N @ a + problem.b
    slips = problem.T @ a + problem.d
    gap = cone = direction = complementarity = 0.0
    for i in range(len(fn)):
        other = int(problem.corner[i])
        if other < 0:
            gap = max(gap, -gaps[i])
            complementarity = max(complementarity, min(abs(fn[i]), abs(gaps[i])))
        elif other > i:
            into, worst = _check_corner(gaps, fn, i, other)
            gap, complementarity = max(gap, into), max(complementarity, worst)
        mu = float(problem.mu[i])
        cone = max(cone, _distance_to_cone(fn[i], ft[i], mu))
        sign = float(problem.slip[i])
        if sign != 0.0:
            direction = max(direction, _distance_to_edge(fn[i], ft[i], mu, sign))
        elif slips[i] != 0.0:
            off = _distance_to_edge(fn[i], ft[i], mu, float(np.sign(slips[i])))
            direction = max(direction, min(off, abs(slips[i])))
    return Residuals(balance, float(gap), float(cone), float(direction), float(complementarity))
