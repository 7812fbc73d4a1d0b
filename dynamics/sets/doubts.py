"""Where double precision does not decide what belongs to an acceleration set: said with every answer that it concerns.

Two contact planes at an angle eps have a common line that is known to 1e-16 / eps. Between the angle at which two
planes count as one (`Tolerances.angle`) and CLEAR, a slip or a gap on that line may have either sign, and a member may
be missing or be there too often. Between ONE_PLANE and that angle they are taken for one plane, though they may be
meant to be two; then what needs forces above 1 / `Tolerances.angle` times the accelerations is left out as well.
"""

from __future__ import annotations

import math

import numpy as np

from dynamics.tolerances import CERTIFIED, CERTIFIED_FORCES, CLEAR, ONE_PLANE
from geometry.compiled.jit import kernel


def is_certified(unit, vertices, forces, residuals) -> bool:
    """Do the certificates of all vertices of a piece hold? unit: see `measure_unit`."""
    for a, f, own in zip(vertices, forces, residuals, strict=True):
        if own.worst <= CERTIFIED * unit:
            continue
        limit = CERTIFIED * max(unit, float(abs(a).max())) + CERTIFIED_FORCES * float(abs(f).max(initial=0.0))
        if not own.worst <= limit:
            return False
    return True


def measure_unit(problem) -> float:
    """The problem's own unit of acceleration: the largest of |w|, |b|/|N| and |d|/|T|."""
    unit = math.hypot(*problem.w.tolist())
    for rows, biases in ((problem.N, problem.b), (problem.T, problem.d)):
        for row, bias in zip(rows.tolist(), biases.tolist(), strict=True):
            unit = max(unit, abs(bias) / math.hypot(*row))
    return unit


def find_near_planes(problem) -> list[tuple[int, int, float, bool]]:
    """Pairs of contacts whose planes are neither one nor clearly two: (i, j, sine between them, do they oppose)."""
    if not has_near_planes(problem.N):
        return []
    unit = problem.N / np.sqrt((problem.N**2).sum(axis=1))[:, None]
    cosines = unit @ unit.T
    near = []
    for i, j in np.argwhere(np.triu(np.abs(cosines) > 1.0 - CLEAR, 1)).tolist():
        sine = math.hypot(*np.cross(unit[i], unit[j]).tolist())
        if ONE_PLANE < sine < CLEAR:
            near.append((i, j, sine, bool(cosines[i, j] < 0.0)))
    return near


@kernel
def has_near_planes(N):
    """Are there two rows that are neither parallel nor clearly not?"""
    for i in range(N.shape[0]):
        for j in range(i):
            x = N[i, 1] * N[j, 2] - N[i, 2] * N[j, 1]
            y = N[i, 2] * N[j, 0] - N[i, 0] * N[j, 2]
            z = N[i, 0] * N[j, 1] - N[i, 1] * N[j, 0]
            sizes = (N[i, 0] ** 2 + N[i, 1] ** 2 + N[i, 2] ** 2) * (N[j, 0] ** 2 + N[j, 1] ** 2 + N[j, 2] ** 2)
            square = x * x + y * y + z * z
            if ONE_PLANE * ONE_PLANE * sizes < square < CLEAR * CLEAR * sizes:
                return True
    return False


def describe_doubts(problem, pieces) -> tuple[str, ...]:
    """Sentences on what is not certain about a set; none if all is."""
    doubts = []
    for i, j, sine, opposed in find_near_planes(problem):
        how = "oppose each other" if opposed else "are parallel"
        doubts.append(f"Contacts {i} and {j} {how} to within {sine:.1e} rad: beyond double precision, so accelerations "
                      "at which both hold may be missing, or be there too often.")
    for number, piece in enumerate(pieces, start=1):
        if not piece.certified:
            worst = max(own.worst for own in piece.residuals)
            doubts.append(f"Acceleration {number} is not certain: its certificate has a residual of {worst:.1e}.")
    return tuple(doubts)
