"""The contact problem as compiled code sees it, and the dimensionless rows the search works on.

Units: any consistent set. Rows follow the configuration space (x, y, rho*theta), see `dynamics.compute_rows`.
"""

from __future__ import annotations

from math import inf, sqrt
from typing import NamedTuple

import numpy as np

from geometry.compiled.jit import jit, kernel
from geometry.tolerances import TINY

# Called from compiled code alone. Without the two wrappers for Python callers a kernel compiles in half the time.
inner = jit(private=True)

# The same, for a kernel with one caller: it becomes part of that caller, which is compiled once instead of twice.
merged = jit(private=True, merged=True)

# One that Python and other packages call.
entrance = kernel

# The search works in two tables, so that few arrays travel from kernel to kernel: passing a tuple of many arrays costs
# more than the arithmetic. Each column below is a list of its own.

# columns of `table` (float64)
NORMAL = 0  # per contact row: 0:3 unit normal, 3: b / |N| / scale
TANGENT = 4  # per contact row: 4:7 unit tangent, 7: d / |T| / scale
EDGE_POSITIVE = 8  # per contact row: unit edge that acts at positive slip, N - mu T
EDGE_NEGATIVE = 11  # per contact row: unit edge that acts at negative slip, N + mu T
RATIO = 14  # per contact row: mu |T| / |N|
BREAK = 15  # sorted places on a line where a slip acceleration vanishes
EQUATION = 16  # per plane: 16:19 unit normal, 19 offset
EDGE = 20  # per direction: the cone being looked at
FACET = 23  # per inequality of that cone
VISITED = 26  # vertices of Q that have been looked at
VERTEX = 29  # per vertex found
RAY = 32  # per ray found
BOX = 35  # per node of the tree of half-spaces: 35:39 centre, 39:43 half sides
AXES = 43  # per node of that tree: 43:59 four unit axes
KEY = 59  # per contact row: a number that rows of one plane share
FLOATS = 60

# columns of `marks` (int64)
STATE = 0  # per contact row: one of the states below
SIDES = 1  # per contact row: bit 1: N.a + b >= 0 must hold; bit 2: N.a + b <= 0 must hold
PLANE = 2  # per contact row: index of its plane
NEXT = 3  # per contact row: next row on the same plane, -1 at the end
WIDE = 4  # per contact row: 1: the two edges are nearly opposed, so N is given with them
FIRST, PLANE_SIDES, PUSHERS = 5, 6, 7  # per plane: first row, sides as above, number of rows
ACTIVE_PLANE, ACTIVE_ROW = 8, 9  # planes and rows of the face being looked at
CHOICE, CORNERS = 8, 10  # per level of the slip cells of a plane: sign, corners of its polygon
PIECE_OF_VERTEX, PIECE_OF_RAY, DIMENSION = 11, 12, 13  # per vertex, ray, piece found
COUNT = 14  # the counters below
ITEM = 15  # half-spaces in the order of the tree
LOW, HIGH, CHILD = 16, 17, 18  # per node of the tree: its items, its first child (the second follows)
PENDING = 19  # nodes still to be looked at
ORDER = 20  # contact rows by their key
PLACE = 21  # per plane: where its half-space stands in the order of the tree
NEAR = 22  # planes near the polygon being looked at
INTEGERS = 23

CROWD = 24  # with more contacts than this, a tree of half-spaces is faster than looking at all pairs of planes

PIECES, VERTICES, RAYS, STATUS, SEEN, KIND, PLANES, NEARBY = 0, 1, 2, 3, 4, 5, 6, 7
SLIDES_NEGATIVE, ROLLS, SLIDES_POSITIVE, NO_FORCE = -1, 0, 1, 2
OK, OUT_OF_ROOM, NOT_FINITE, TOO_MANY_CORNERS = 0, 1, 2, 3
MAX_CORNERS = 4


class Problem(NamedTuple):
    """One contact problem (see `dynamics/README.md`): float64 and int64 arrays, C-contiguous."""

    w: np.ndarray  # (3,) acceleration without reaction
    N: np.ndarray  # (k, 3) normal rows
    b: np.ndarray  # (k,) normal biases
    T: np.ndarray  # (k, 3) tangent rows
    d: np.ndarray  # (k,) tangent biases
    slip: np.ndarray  # (k,) int64, sign of the slip velocity, 0 where there is none
    mu: np.ndarray  # (k,) friction, inf allowed
    corner: np.ndarray  # (k,) int64, -1, or the other row of the same corner-on-corner contact


@merged
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


@inner
def prepare_rows(problem, scale, table, marks):
    """Fill the dimensionless rows: unit normals, tangents and friction edges, and their states."""
    N, T = problem.N, problem.T
    for i in range(problem.b.shape[0]):
        n = 1.0 / sqrt(N[i, 0] * N[i, 0] + N[i, 1] * N[i, 1] + N[i, 2] * N[i, 2])
        t = 1.0 / sqrt(T[i, 0] * T[i, 0] + T[i, 1] * T[i, 1] + T[i, 2] * T[i, 2])
        ratio = problem.mu[i] * n / t
        plus, minus = 0.0, 0.0
        for c in range(3):
            table[i, NORMAL + c] = N[i, c] * n
            table[i, TANGENT + c] = T[i, c] * t
            if ratio < inf:
                # (N + mu T) / (1 + ratio) / |N|: stays finite for every mu
                e = (N[i, c] * n + ratio * (T[i, c] * t)) / (1.0 + ratio)
                g = (N[i, c] * n - ratio * (T[i, c] * t)) / (1.0 + ratio)
            else:
                e, g = T[i, c] * t, -T[i, c] * t  # the limit of infinite friction: no normal force
            table[i, EDGE_NEGATIVE + c] = e
            table[i, EDGE_POSITIVE + c] = g
            minus += e * e
            plus += g * g
        # an edge without length can only come from rows that belong to no contact (N parallel to T)
        minus, plus = 1.0 / sqrt(max(minus, TINY)), 1.0 / sqrt(max(plus, TINY))
        for c in range(3):
            table[i, EDGE_NEGATIVE + c] *= minus
            table[i, EDGE_POSITIVE + c] *= plus
        table[i, NORMAL + 3] = problem.b[i] * n / scale
        table[i, TANGENT + 3] = problem.d[i] * t / scale
        table[i, RATIO] = ratio
        marks[i, WIDE] = 1 if ratio > 30.0 else 0
        # without friction both edges are N: as good as sliding
        marks[i, STATE] = problem.slip[i] if ratio > 0.0 else SLIDES_POSITIVE
        marks[i, SIDES] = 1


@inner
def set_corners(problem, combination, marks):
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
                marks[r, STATE] = problem.slip[r] if problem.mu[r] > 0.0 else SLIDES_POSITIVE
            if alternative == 0:
                marks[i, SIDES], marks[j, SIDES] = 1, 2
                marks[j, STATE] = NO_FORCE
            elif alternative == 1:
                marks[i, SIDES], marks[j, SIDES] = 2, 1
                marks[i, STATE] = NO_FORCE
            elif alternative == 2:
                marks[i, SIDES], marks[j, SIDES] = 3, 3
            else:
                marks[i, SIDES], marks[j, SIDES] = 1, 1
                marks[i, STATE] = NO_FORCE
                marks[j, STATE] = NO_FORCE


@merged
def count_corners(corner):
    """How many corner-on-corner contacts there are."""
    count = 0
    for i in range(corner.shape[0]):
        if corner[i] > i:
            count += 1
    return count


@merged
def _same_row(table, marks, i, j, tolerance):
    """Do two rows of one plane allow the same forces? Then one of them is enough."""
    if marks[i, STATE] != marks[j, STATE] or marks[i, SIDES] != marks[j, SIDES]:
        return False
    for c in range(NORMAL, EDGE_NEGATIVE + 3):
        if abs(table[i, c] - table[j, c]) > tolerance:
            return False
    return True


@inner
def _find_plane(table, first, count, row, tolerance):
    """The plane of a row, among those from `first` to `count`, and 1 or -1 as it faces the same way; (-1, 1): none."""
    rx, ry, rz, rb = table[row, NORMAL], table[row, NORMAL + 1], table[row, NORMAL + 2], table[row, NORMAL + 3]
    for p in range(first, count):
        for sign in (1.0, -1.0):
            if (
                abs(table[p, EQUATION] - sign * rx) <= tolerance
                and abs(table[p, EQUATION + 1] - sign * ry) <= tolerance
                and abs(table[p, EQUATION + 2] - sign * rz) <= tolerance
                and abs(table[p, EQUATION + 3] - sign * rb) <= tolerance
            ):
                return p, sign
    return -1, 1.0


@inner
def _add_row(table, marks, count, row, plane, sign, tolerance):
    """Put a row on a plane (count: a new one) and return the new number of planes."""
    sides = marks[row, SIDES]
    if plane < 0:
        plane = count
        count += 1
        for c in range(4):
            table[plane, EQUATION + c] = table[row, c]
        marks[plane, FIRST] = -1
        marks[plane, PLANE_SIDES] = 0
        marks[plane, PUSHERS] = 0
    if sign < 0.0:
        sides = (sides >> 1) | ((sides & 1) << 1)
    marks[plane, PLANE_SIDES] |= sides
    marks[row, PLANE] = plane
    marks[row, NEXT] = -1
    if marks[row, STATE] == NO_FORCE:
        return count
    other = marks[plane, FIRST]
    while other >= 0:
        if _same_row(table, marks, row, other, tolerance):
            return count
        other = marks[other, NEXT]
    marks[row, NEXT] = marks[plane, FIRST]
    marks[plane, FIRST] = row
    marks[plane, PUSHERS] += 1
    return count


@merged
def sort_rows(table, marks, k):
    """Order the rows by a key that is the same for rows of one plane, whichever way they face (heap sort)."""
    for i in range(k):
        value = 0.6123 * table[i, NORMAL] + 0.3791 * table[i, NORMAL + 1] - 0.5417 * table[i, NORMAL + 2]
        table[i, KEY] = abs(value + 0.4339 * table[i, NORMAL + 3])
        marks[i, ORDER] = i
    for start in range(k // 2 - 1, -k, -1):
        if start >= 0:
            root, end = start, k
        else:  # the heap stands: take the largest away
            root, end = 0, k + start
            marks[0, ORDER], marks[end, ORDER] = marks[end, ORDER], marks[0, ORDER]
        while 2 * root + 1 < end:
            child = 2 * root + 1
            if child + 1 < end and table[marks[child, ORDER], KEY] < table[marks[child + 1, ORDER], KEY]:
                child += 1
            if table[marks[root, ORDER], KEY] >= table[marks[child, ORDER], KEY]:
                break
            marks[root, ORDER], marks[child, ORDER] = marks[child, ORDER], marks[root, ORDER]
            root = child


@inner
def group_many(table, marks, k, tolerance):
    """As `group_planes`, for many rows: only rows with nearly the same key can share a plane."""
    sort_rows(table, marks, k)
    count = 0
    for i in range(k):
        row = marks[i, ORDER]
        plane, sign = -1, 1.0
        j = i - 1
        while j >= 0 and plane < 0 and table[row, KEY] - table[marks[j, ORDER], KEY] <= 4.0 * tolerance:
            candidate = marks[marks[j, ORDER], PLANE]
            plane, sign = _find_plane(table, candidate, candidate + 1, row, tolerance)
            j -= 1
        count = _add_row(table, marks, count, row, plane, sign, tolerance)
    marks[PLANES, COUNT] = count


@inner
def group_planes(table, marks, k, tolerance):
    """Find the distinct planes N.a + b = 0 (either way round) and list the pushing rows of each; returns how many.

    A row equal to one already listed is left out: it adds forces, not accelerations.
    """
    count = 0
    for row in range(k):
        plane, sign = _find_plane(table, 0, count, row, tolerance)
        count = _add_row(table, marks, count, row, plane, sign, tolerance)
    marks[PLANES, COUNT] = count
