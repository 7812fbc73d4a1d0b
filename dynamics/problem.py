"""The contact problem as compiled code sees it, and the dimensionless rows the search works on.

Units: any consistent set. Rows follow the configuration space (x, y, rho*theta), see `dynamics.cone.compute_rows`.
"""

from __future__ import annotations

from math import inf, sqrt
from typing import NamedTuple

import numpy as np

from geometry._jit import jit

# columns of `Work.rows`: one contact row, dimensionless
NORMAL = 0  # 0:3 unit normal, 3: b / |N| / scale
TANGENT = 4  # 4:7 unit tangent, 7: d / |T| / scale
EDGE_POSITIVE = 8  # 8:11 unit edge that acts at positive slip, N - mu T
EDGE_NEGATIVE = 11  # 11:14 unit edge that acts at negative slip, N + mu T
RATIO = 14  # mu |T| / |N|

# columns of `Work.info`
STATE = 0  # one of the states below
SIDES = 1  # bit 1: N.a + b >= 0 must hold; bit 2: N.a + b <= 0 must hold
PLANE = 2  # index of the plane the row lies on
NEXT = 3  # next row on the same plane, -1 at the end
WIDE = 4  # 1: the two edges are nearly opposed, so N is given with them

SLIDES_NEGATIVE, ROLLS, SLIDES_POSITIVE, NO_FORCE = -1, 0, 1, 2

# columns of `Work.planes`: 0:3 unit normal, 3 offset; of `Work.plane_info`: first row, sides (as above), force rows
FIRST, PLANE_SIDES, PUSHERS = 0, 1, 2

OK, OUT_OF_ROOM, NOT_FINITE, TOO_MANY_CORNERS = 0, 1, 2, 3
MAX_CORNERS = 4


class Problem(NamedTuple):
    """One contact problem (DESIGN section 3): float64 and int64 arrays, C-contiguous."""

    w: np.ndarray  # (3,) acceleration without reaction
    N: np.ndarray  # (k, 3) normal rows
    b: np.ndarray  # (k,) normal biases
    T: np.ndarray  # (k, 3) tangent rows
    d: np.ndarray  # (k,) tangent biases
    slip: np.ndarray  # (k,) int64, sign of the slip velocity, 0 where there is none
    mu: np.ndarray  # (k,) friction, inf allowed
    corner: np.ndarray  # (k,) int64, -1, or the other row of the same corner-on-corner contact


class Work(NamedTuple):
    """Arrays the search works in."""

    rows: np.ndarray  # (k, 16)
    info: np.ndarray  # (k, 8) int64
    planes: np.ndarray  # (k, 4)
    plane_info: np.ndarray  # (k, 4) int64
    cone: np.ndarray  # (3k + 6, 3) edges
    facets: np.ndarray  # (6k + 16, 3) inequalities of the cone
    active: np.ndarray  # (2, k) int64: planes, rows on a face
    breaks: np.ndarray  # (k + 2,)
    seen: np.ndarray  # (m, 3) vertices of Q that have been visited
    polygons: np.ndarray  # (depth, corners, 3) scratch of planes with several contacts


class Found(NamedTuple):
    """The set as the search finds it, dimensionless until `scale` is multiplied in."""

    counts: np.ndarray  # (8,) int64: pieces, vertices, rays, status, seen vertices, kind
    vertices: np.ndarray  # (M, 3)
    piece_of_vertex: np.ndarray  # (M,) int64
    rays: np.ndarray  # (R, 3) unit directions
    piece_of_ray: np.ndarray  # (R,) int64
    dimension: np.ndarray  # (P,) int64


PIECES, VERTICES, RAYS, STATUS, SEEN, KIND = 0, 1, 2, 3, 4, 5


@jit
def compute_scale(problem):
    """Largest of |w|, |b|/|N|, |d|/|T|: the problem's own unit of acceleration; nan or inf if data are not finite."""
    w = problem.w
    scale = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
    N, T = problem.N, problem.T
    bad = not scale < inf
    for i in range(problem.b.shape[0]):
        n2 = N[i, 0] * N[i, 0] + N[i, 1] * N[i, 1] + N[i, 2] * N[i, 2]
        t2 = T[i, 0] * T[i, 0] + T[i, 1] * T[i, 1] + T[i, 2] * T[i, 2]
        size = abs(problem.b[i]) / sqrt(n2) if n2 > 0.0 else inf
        if problem.slip[i] == 0:
            size = max(size, abs(problem.d[i]) / sqrt(t2) if t2 > 0.0 else inf)
        scale = max(scale, size)
        bad = bad or not size < inf or not t2 < inf or not problem.mu[i] >= 0.0
    return inf if bad else scale


@jit
def prepare_rows(problem, scale, rows, info):
    """Fill the dimensionless rows: unit normals, tangents and friction edges, and their states."""
    N, T = problem.N, problem.T
    for i in range(problem.b.shape[0]):
        n = 1.0 / sqrt(N[i, 0] * N[i, 0] + N[i, 1] * N[i, 1] + N[i, 2] * N[i, 2])
        t = 1.0 / sqrt(T[i, 0] * T[i, 0] + T[i, 1] * T[i, 1] + T[i, 2] * T[i, 2])
        ratio = problem.mu[i] * n / t
        plus, minus = 0.0, 0.0
        for c in range(3):
            rows[i, NORMAL + c] = N[i, c] * n
            rows[i, TANGENT + c] = T[i, c] * t
            if ratio < inf:
                # (N + mu T) / (1 + ratio) / |N|: stays finite for every mu
                e = (N[i, c] * n + ratio * (T[i, c] * t)) / (1.0 + ratio)
                g = (N[i, c] * n - ratio * (T[i, c] * t)) / (1.0 + ratio)
            else:
                e, g = T[i, c] * t, -T[i, c] * t  # the limit of infinite friction: no normal force
            rows[i, EDGE_NEGATIVE + c] = e
            rows[i, EDGE_POSITIVE + c] = g
            minus += e * e
            plus += g * g
        minus, plus = 1.0 / sqrt(minus), 1.0 / sqrt(plus)
        for c in range(3):
            rows[i, EDGE_NEGATIVE + c] *= minus
            rows[i, EDGE_POSITIVE + c] *= plus
        rows[i, NORMAL + 3] = problem.b[i] * n / scale
        rows[i, TANGENT + 3] = problem.d[i] * t / scale
        rows[i, RATIO] = ratio
        info[i, WIDE] = 1 if ratio > 30.0 else 0
        # without friction both edges are N: as good as sliding
        info[i, STATE] = problem.slip[i] if ratio > 0.0 else SLIDES_POSITIVE
        info[i, SIDES] = 1


@jit
def set_corners(problem, combination, info):
    """States and sides of the rows of corner contacts for one of the 4^c alternatives.

    Of the two rows of a contact: 0 the first may push and the second must not open; 1 the reverse; 2 both touch and
    may push; 3 both open, none pushes.
    """
    code = combination
    for i in range(problem.b.shape[0]):
        j = problem.corner[i]
        if j > i:
            alternative = code % 4
            code //= 4
            for r in (i, j):
                info[r, STATE] = problem.slip[r] if problem.mu[r] > 0.0 else SLIDES_POSITIVE
            if alternative == 0:
                info[i, SIDES], info[j, SIDES] = 1, 2
                info[j, STATE] = NO_FORCE
            elif alternative == 1:
                info[i, SIDES], info[j, SIDES] = 2, 1
                info[i, STATE] = NO_FORCE
            elif alternative == 2:
                info[i, SIDES], info[j, SIDES] = 3, 3
            else:
                info[i, SIDES], info[j, SIDES] = 1, 1
                info[i, STATE] = NO_FORCE
                info[j, STATE] = NO_FORCE


@jit
def count_corners(corner):
    """How many corner-on-corner contacts there are."""
    count = 0
    for i in range(corner.shape[0]):
        if corner[i] > i:
            count += 1
    return count


@jit
def _same_row(rows, info, i, j, tolerance):
    """Do two rows of one plane allow the same forces? Then one of them is enough."""
    if info[i, STATE] != info[j, STATE] or info[i, SIDES] != info[j, SIDES]:
        return False
    for c in range(NORMAL, EDGE_NEGATIVE + 3):
        if abs(rows[i, c] - rows[j, c]) > tolerance:
            return False
    return True


@jit
def _find_plane(work, count, row, tolerance):
    """The plane a row lies on, among the first `count`, and +1 or -1 as it faces the same way; (-1, 1) if none."""
    planes, r = work.planes, work.rows[row]
    for p in range(count):
        for sign in (1.0, -1.0):
            if (
                abs(planes[p, 0] - sign * r[0]) <= tolerance
                and abs(planes[p, 1] - sign * r[1]) <= tolerance
                and abs(planes[p, 2] - sign * r[2]) <= tolerance
                and abs(planes[p, 3] - sign * r[3]) <= tolerance
            ):
                return p, sign
    return -1, 1.0


@jit
def _add_row(work, count, row, plane, sign, tolerance):
    """Put a row on a plane (count: a new one) and return the new number of planes."""
    rows, info, plane_info = work.rows, work.info, work.plane_info
    sides = info[row, SIDES]
    if plane < 0:
        plane = count
        count += 1
        for c in range(4):
            work.planes[plane, c] = rows[row, c]
        plane_info[plane, FIRST] = -1
        plane_info[plane, PLANE_SIDES] = 0
        plane_info[plane, PUSHERS] = 0
    if sign < 0.0:
        sides = (sides >> 1) | ((sides & 1) << 1)
    plane_info[plane, PLANE_SIDES] |= sides
    info[row, PLANE] = plane
    info[row, NEXT] = -1
    if info[row, STATE] == NO_FORCE:
        return count
    other = plane_info[plane, FIRST]
    while other >= 0:
        if _same_row(rows, info, row, other, tolerance):
            return count
        other = info[other, NEXT]
    info[row, NEXT] = plane_info[plane, FIRST]
    plane_info[plane, FIRST] = row
    plane_info[plane, PUSHERS] += 1
    return count


@jit
def group_planes(work, k, tolerance):
    """Find the distinct planes N.a + b = 0 (either way round) and list the pushing rows of each; returns how many.

    A row equal to one already listed is left out: it adds forces, not accelerations.
    """
    count = 0
    for row in range(k):
        plane, sign = _find_plane(work, count, row, tolerance)
        count = _add_row(work, count, row, plane, sign, tolerance)
    return count
