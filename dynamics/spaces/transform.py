"""Change of coordinates for motions, forces, and the four kinds of maps between them.

Source: Featherstone, Sonck and Khatib, "A general contact model for dynamically-decoupled force/motion control", Eqs 1
to 7. With X from P to Q coordinates of motions, forces change by X^-T, so that power stays the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, sin

import numpy as np
from numpy.typing import ArrayLike

from dynamics.tolerances import ROTATION
from geometry.errors import InputError


@dataclass(frozen=True, eq=False)
class Transform:
    """From P to Q coordinates, by the matrix X_m (n, n) of motions (Eq 1). ValueError if it is singular."""

    X: np.ndarray

    def __post_init__(self):
        X = np.array(self.X, dtype=np.float64)
        if X.ndim != 2 or X.shape[0] != X.shape[1] or not np.isfinite(X).all():
            raise InputError(f"X has shape {X.shape}: must be (n, n), finite numbers")
        if np.linalg.matrix_rank(X) < len(X):
            raise InputError("X is singular: a change of coordinates has an inverse")
        object.__setattr__(self, "X", X)

    @property
    def inverse(self) -> Transform:
        """From Q to P."""
        return Transform(np.linalg.inv(self.X))

    @property
    def X_f(self) -> np.ndarray:
        """(n, n): the matrix of forces, X_m^-T (Eq 3)."""
        return np.linalg.inv(self.X).T

    def motion(self, v: ArrayLike) -> np.ndarray:
        """A motion, or columns of them (Eq 1)."""
        return self.X @ np.asarray(v, float)

    def force(self, f: ArrayLike) -> np.ndarray:
        """A force, or columns of them (Eq 2)."""
        return np.linalg.solve(self.X.T, np.asarray(f, float))

    def inertia(self, A: ArrayLike) -> np.ndarray:
        """A map from motions to forces: X_f A X_m^-1 (Eq 4)."""
        return self.X_f @ np.asarray(A, float) @ self.inverse.X

    def inverse_inertia(self, B: ArrayLike) -> np.ndarray:
        """A map from forces to motions: X_m B X_f^-1 (Eq 5)."""
        return self.X @ np.asarray(B, float) @ self.X.T

    def force_map(self, C: ArrayLike) -> np.ndarray:
        """A map from forces to forces, such as Omega_f: X_f C X_f^-1 (Eq 6)."""
        return self.X_f @ np.asarray(C, float) @ self.X.T

    def motion_map(self, D: ArrayLike) -> np.ndarray:
        """A map from motions to motions, such as Omega_m: X_m D X_m^-1 (Eq 7)."""
        return self.X @ np.asarray(D, float) @ self.inverse.X


def planar_transform(angle: float = 0.0, origin: Sequence[float] | np.ndarray = (0.0, 0.0)) -> Transform:
    """Planar motions (vx, vy, omega), forces (Fx, Fy, torque); Q is turned by angle (rad) and at origin (2,) in P."""
    c, s = cos(angle), sin(angle)
    turn = np.array([[c, s], [-s, c]])
    X = np.eye(3)
    X[:2, :2] = turn
    X[:2, 2] = turn @ np.array([-origin[1], origin[0]])
    return Transform(X)


def spatial_transform(rotation: ArrayLike | None = None,
                      origin: Sequence[float] | np.ndarray = (0.0, 0.0, 0.0)) -> Transform:
    """Spatial motions (omega; v), forces (couple; force).

    rotation (3, 3): axes of Q as rows, in P; origin (3,) of Q, in P.
    ValueError if rotation is no rotation matrix.
    """
    E = np.eye(3) if rotation is None else np.array(rotation, dtype=np.float64)
    if E.shape != (3, 3) or np.abs(E @ E.T - np.eye(3)).max() > ROTATION or np.linalg.det(E) < 0.0:
        raise InputError("rotation must be a rotation matrix (3, 3)")
    x, y, z = origin
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    X = np.zeros((6, 6))
    X[:3, :3] = X[3:, 3:] = E
    X[3:, :3] = -E @ cross
    return Transform(X)
