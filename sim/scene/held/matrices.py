"""Matrices of stiffness and damping over (x, y, theta): read with their units, checked, and damping from a ratio."""

from __future__ import annotations

from math import cos, sin
from typing import Any

import numpy as np

from sim.scene.held.holding import Matrix3
from sim.tolerances import SYMMETRIC
from sim.values import dimensions
from sim.values.quantities import read_quantity
from sim.words.quoting import quote

ROWS = ("x", "y", "theta")


def read_matrix(value: Any, kind: str) -> np.ndarray:
    """(3, 3) in SI units from three values, those of its diagonal, or from 3 x 3; kind: "stiffness" or "damping".

    Raises ValueError.
    """
    given = {unit: dimensions.get_of_matrix(kind, *turns).example
             for unit, turns in (("plain", (False, False)), ("turn", (True, True)))}
    what = f'[x, y, theta], such as ["{given["plain"]}", "{given["plain"]}", "{given["turn"]}"], or a 3 x 3 matrix'
    if not isinstance(value, list | tuple) or len(value) != 3:
        raise ValueError(f"must be {what}")
    nested = [isinstance(row, list | tuple) and len(row) == 3 for row in value]
    if all(nested):
        return np.array([[_read_member(member, kind, i, j) for j, member in enumerate(row)]
                         for i, row in enumerate(value)])
    if any(isinstance(row, list | tuple) for row in value):
        raise ValueError(f"must be {what}")
    return np.diag([_read_member(member, kind, i, i) for i, member in enumerate(value)])


def _read_member(value: Any, kind: str, i: int, j: int) -> float:
    """A member in its own unit; the message of the ValueError begins with its place."""
    try:
        number = read_quantity(value, dimensions.get_of_matrix(kind, i == 2, j == 2))
        if i == j and number < 0.0:
            raise ValueError("must be zero or positive on the diagonal")
    except ValueError as error:
        place = ROWS[i] if i == j else f"{ROWS[i]}, {ROWS[j]}"
        raise ValueError(f"{place} is {quote(value)}: {error}") from None
    return number


def check_matrix(matrix: np.ndarray) -> Matrix3:
    """The matrix (3, 3), symmetric to the last bit. Raises ValueError where it is not symmetric or not positive
    semidefinite, to rounding: then the springs or dampers would drive the part."""
    size = np.sqrt(matrix.diagonal())
    scale = np.outer(size, size)  # the largest member that a semidefinite matrix can have there
    for i, j in ((0, 1), (0, 2), (1, 2)):
        pair = float(matrix[i, j]), float(matrix[j, i])
        if abs(pair[0] - pair[1]) > SYMMETRIC * max(scale[i, j], *map(abs, pair)):
            raise ValueError(f"must be symmetric, and {ROWS[i]}, {ROWS[j]} is {pair[0]!r}, but {ROWS[j]}, {ROWS[i]} is "
                             f"{pair[1]!r}")
    matrix = 0.5 * (matrix + matrix.T)
    if (np.abs(matrix) > scale * (1.0 + SYMMETRIC)).any():
        i, j = np.argwhere(np.abs(matrix) > scale * (1.0 + SYMMETRIC))[0]
        least = float(np.linalg.eigvalsh(matrix[np.ix_([i, j], [i, j])])[0])
        raise ValueError(f"must be positive semidefinite: {ROWS[i]} and {ROWS[j]} alone have the eigenvalue "
                         f"{least:.6g} in SI units; {ROWS[i]}, {ROWS[j]} can be {scale[i, j]:.6g} at most")
    unit = matrix / np.where(scale == 0.0, 1.0, scale)
    least = float(np.linalg.eigvalsh(unit)[0])
    if least < -SYMMETRIC:
        raise ValueError("must be positive semidefinite: scaled to 1 on its diagonal it has the eigenvalue "
                         f"{least:.6g}")
    return pack_matrix(matrix)


def pack_matrix(matrix: np.ndarray) -> Matrix3:
    """A matrix (3, 3) as it stands in a scene."""
    first, second, third = (tuple(map(float, row)) for row in matrix)
    return first, second, third  # type: ignore[return-value]


def build_mass_matrix(mass: float, rho: float, center: tuple[float, float], angle: float) -> np.ndarray:
    """(3, 3) for the velocity of a point of the part, `center` [m] from its centre of mass, and the angular velocity,
    in axes in which the part is turned by an angle [rad].

    The centre of mass is at -r from the point, so it has the velocity (vx + omega ry, vy - omega rx).
    """
    c, s = cos(angle), sin(angle)
    x, y = c * center[0] - s * center[1], s * center[0] + c * center[1]
    return mass * np.array([[1.0, 0.0, y], [0.0, 1.0, -x], [y, -x, rho * rho + x * x + y * y]])


def damp_by_ratio(stiffness: Matrix3, ratio: float, mass: np.ndarray) -> Matrix3:
    """The damping D = 2 z M^(1/2) (M^(-1/2) K M^(-1/2))^(1/2) M^(1/2), with which every mode of M q'' + D q' + K q = 0
    has the damping ratio z. Any root R with R R^T = M will do for M^(1/2): here that of Cholesky.

    The root of R^(-1) K R^(-T) comes from the singular values of R^(-1) F, with F F^T = K: from its eigenvalues a mode
    without stiffness would get the damping of the root of their rounding, 1e-8 of that of the others.
    """
    rigid = np.array(stiffness)
    size = np.sqrt(rigid.diagonal())
    scale = np.outer(size, size)
    values, vectors = np.linalg.eigh(rigid / np.where(scale == 0.0, 1.0, scale))
    factor = size[:, None] * vectors * np.sqrt(np.maximum(values, 0.0))
    root = np.linalg.cholesky(mass)
    axes, frequency, _ = np.linalg.svd(np.linalg.inv(root) @ factor)
    half = root @ axes
    damping = 2.0 * ratio * (half * frequency) @ half.T
    return pack_matrix(0.5 * (damping + damping.T))
