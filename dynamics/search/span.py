"""The cone spanned by a few directions in R^3, described by inequalities.

The reaction of a set of contacts is a nonnegative combination of friction edges. Which accelerations such reactions
reach is asked on a point, on a line and on a plane; each is easy once the cone is written as {x : y_f.x >= 0}. Cones
here are often not pointed (opposed walls), flat (frictionless contacts) or all of R^3 (a jammed part): every rank is
treated.
"""

from __future__ import annotations

from math import sqrt

from dynamics.search.problem import (
    EDGE,
    FACET,
    inner,
    merged,
)
from dynamics.tolerances import NEARLY_ONE, THIN

SMALL = 12  # up to this many directions, all pairs are tried; above it, directions inside the cone are first left out


@inner
def describe_cone(table, n, tolerance):
    """Write {sum f_j e_j, f >= 0} as {x : y.x >= 0}; returns the number of rows y written, or -1 if they do not fit.

    The n unit directions stand in column EDGE of the table (reordered when n > SMALL), the unit rows are written to
    column FACET. No row: all of R^3.
    """
    rank, normal = _find_rank(table, EDGE, n, tolerance)
    if rank == 0:
        return _describe_point(table)
    if rank == 1:
        return _describe_ray(table, n)
    if rank == 2:
        count = _describe_flat(table, n, normal, tolerance)
    else:
        if n > SMALL:
            n = _reduce(table, n, tolerance)
        count = _describe_solid(table, n, tolerance)
    return _close_thin(table, n, count, tolerance) if count > 0 else count


@inner
def is_inside(table, n, x, y, z, tolerance):
    """Is (x, y, z) in the described cone, up to a distance `tolerance` from each facet?"""
    for f in range(n):
        if table[f, FACET] * x + table[f, FACET + 1] * y + table[f, FACET + 2] * z < -tolerance:
            return False
    return True


@inner
def _find_rank(table, column, n, tolerance):
    """Rank 0 to 3 of n directions; for rank >= 2 the unit normal of the first and the least parallel direction."""
    if n == 0:
        return 0, (0.0, 0.0, 0.0)
    ex, ey, ez = table[0, column], table[0, column + 1], table[0, column + 2]
    best, widest = 0.0, 0
    for j in range(1, n):
        cx = ey * table[j, column + 2] - ez * table[j, column + 1]
        cy = ez * table[j, column] - ex * table[j, column + 2]
        cz = ex * table[j, column + 1] - ey * table[j, column]
        size = cx * cx + cy * cy + cz * cz
        if size > best:
            best, widest = size, j
    if best <= tolerance * tolerance:
        return 1, (0.0, 0.0, 0.0)
    _, bx, by, bz = _find_normal(table, column, 0, widest)
    for j in range(1, n):
        if abs(bx * table[j, column] + by * table[j, column + 1] + bz * table[j, column + 2]) > tolerance:
            return 3, (bx, by, bz)
    return 2, (bx, by, bz)


@inner
def _find_normal(table, column, i, j):
    """(sine of the angle between directions i and j, unit normal of both). Where they are nearly parallel the normal is
    vague, but it is one of both to rounding: their product alone would not even be that."""
    ax, ay, az = table[i, column], table[i, column + 1], table[i, column + 2]
    bx, by, bz = table[j, column], table[j, column + 1], table[j, column + 2]
    x, y, z = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    size = sqrt(x * x + y * y + z * z)
    if size == 0.0:
        return 0.0, 0.0, 0.0, 0.0
    x, y, z = x / size, y / size, z / size
    if size < NEARLY_ONE:
        along = x * ax + y * ay + z * az
        x, y, z = x - along * ax, y - along * ay, z - along * az
    return size, x, y, z


@inner
def _put(table, f, x, y, z):
    table[f, FACET], table[f, FACET + 1], table[f, FACET + 2] = x, y, z


@merged
def _describe_point(table):
    """The cone {0}."""
    for f in range(3):
        for sign in range(2):
            _put(table, 2 * f + sign, 0.0, 0.0, 0.0)
            table[2 * f + sign, FACET + f] = 1.0 - 2.0 * sign
    return 6


@merged
def _describe_ray(table, n):
    """All directions parallel to the first: a ray, or a line if one of them opposes it."""
    ex, ey, ez = table[0, EDGE], table[0, EDGE + 1], table[0, EDGE + 2]
    if abs(ex) <= abs(ey) and abs(ex) <= abs(ez):
        ux, uy, uz = 0.0, ez, -ey
    elif abs(ey) <= abs(ez):
        ux, uy, uz = -ez, 0.0, ex
    else:
        ux, uy, uz = ey, -ex, 0.0
    size = 1.0 / sqrt(ux * ux + uy * uy + uz * uz)
    ux, uy, uz = ux * size, uy * size, uz * size
    vx, vy, vz = ey * uz - ez * uy, ez * ux - ex * uz, ex * uy - ey * ux
    _put(table, 0, ux, uy, uz)
    _put(table, 1, -ux, -uy, -uz)
    _put(table, 2, vx, vy, vz)
    _put(table, 3, -vx, -vy, -vz)
    for j in range(1, n):
        if ex * table[j, EDGE] + ey * table[j, EDGE + 1] + ez * table[j, EDGE + 2] < 0.0:
            return 4
    _put(table, 4, ex, ey, ez)
    return 5


@merged
def _describe_flat(table, n, normal, tolerance):
    """All directions in one plane: the plane, and none, one or two sides of a wedge in it."""
    nx, ny, nz = normal
    _put(table, 0, nx, ny, nz)
    _put(table, 1, -nx, -ny, -nz)
    return _add_ends(table, n, normal, 2, tolerance)


@inner
def _close_thin(table, n, count, tolerance):
    """Append what holds for a cone but does not follow from its rows within a tolerance, if the cone is thin: beyond
    the line in which two nearly opposite rows meet they are violated by its thickness only."""
    rank, normal = _find_rank(table, EDGE, n, THIN)
    if rank == 2:
        return _add_ends(table, n, normal, count, tolerance)
    if rank == 1:
        ex, ey, ez = table[0, EDGE], table[0, EDGE + 1], table[0, EDGE + 2]
        for j in range(1, n):
            if ex * table[j, EDGE] + ey * table[j, EDGE + 1] + ez * table[j, EDGE + 2] < 0.0:
                return count
        return _add_facet(table, count, ex, ey, ez, tolerance)
    return count


@merged
def _add_ends(table, n, normal, count, tolerance):
    """Append the two sides of a wedge, as seen along a normal; none where the directions fill half a turn or more."""
    for turn in (1.0, -1.0):
        # go to the direction farthest round; if it is the end of a wedge, all others lie on one side of it
        sx, sy, sz = _turn(table, 0, normal, turn)
        for j in range(1, n):
            if sx * table[j, EDGE] + sy * table[j, EDGE + 1] + sz * table[j, EDGE + 2] < -tolerance:
                sx, sy, sz = _turn(table, j, normal, turn)
        for j in range(n):
            if sx * table[j, EDGE] + sy * table[j, EDGE + 1] + sz * table[j, EDGE + 2] < -tolerance:
                return count
        count = _add_facet(table, count, sx, sy, sz, tolerance)
    return count


@inner
def _turn(table, j, normal, turn):
    """Direction j turned by a right angle about the normal, one way (turn = 1) or the other (-1)."""
    nx, ny, nz = normal
    x, y, z = turn * table[j, EDGE], turn * table[j, EDGE + 1], turn * table[j, EDGE + 2]
    return ny * z - nz * y, nz * x - nx * z, nx * y - ny * x


@inner
def _add_facet(table, count, x, y, z, tolerance):
    """Append a row unless it is there; -1 if there is no room."""
    if count < 0:
        return count
    for f in range(count):
        if abs(table[f, FACET] - x) + abs(table[f, FACET + 1] - y) + abs(table[f, FACET + 2] - z) <= tolerance:
            return count
    if count >= table.shape[0]:
        return -1
    _put(table, count, x, y, z)
    return count + 1


@inner
def _describe_solid(table, n, tolerance):
    """Rank three: every pair of directions with all others on one side of their plane gives a facet."""
    count = 0
    for j in range(n):
        for i in range(j):
            sine, x, y, z = _find_normal(table, EDGE, j, i)
            if sine <= tolerance:
                continue
            low, high = 0.0, 0.0
            for m in range(n):
                if m != i and m != j:
                    s = x * table[m, EDGE] + y * table[m, EDGE + 1] + z * table[m, EDGE + 2]
                    low, high = min(low, s), max(high, s)
                    if low < -tolerance and high > tolerance:
                        break
            if low >= -tolerance:
                count = _add_facet(table, count, x, y, z, tolerance)
            if high <= tolerance:
                count = _add_facet(table, count, -x, -y, -z, tolerance)
            if count < 0:
                return count
    return count


@inner
def _swap(table, i, j):
    for c in range(3):
        table[i, EDGE + c], table[j, EDGE + c] = table[j, EDGE + c], table[i, EDGE + c]


@inner
def _find_outermost(table, first, n, rank, normal, facets):
    """Which direction, from `first` on, lies farthest out of the span or cone of those before, and how far.

    facets: how many rows in column FACET describe the cone, if the rank is 3. For rank 2 the distance from the plane of
    `normal` counts, for rank 1 that from the first direction.
    """
    best, far = -1, 0.0
    for j in range(first, n):
        x, y, z = table[j, EDGE], table[j, EDGE + 1], table[j, EDGE + 2]
        if rank == 3:
            out = 0.0
            for f in range(facets):
                out = max(out, -(table[f, FACET] * x + table[f, FACET + 1] * y + table[f, FACET + 2] * z))
        elif rank == 2:
            out = abs(normal[0] * x + normal[1] * y + normal[2] * z)
        else:
            out = 1.0 - abs(table[0, EDGE] * x + table[0, EDGE + 1] * y + table[0, EDGE + 2] * z)
        if out > far:
            best, far = j, out
    return best, far


@inner
def _reduce(table, n, tolerance):
    """Move directions that span the whole cone to the front; returns how many.

    The direction farthest outside the cone so far joins, until there is none. When the front grows beyond SMALL, those
    that a pointed cone does not need (fewer than two of its facets hold them) are dropped.
    """
    kept = 0
    for axis in range(3):  # extremes along the axes first: they leave little for later
        for sign in (-1.0, 1.0):
            best = kept
            for j in range(kept, n):
                if sign * table[j, EDGE + axis] > sign * table[best, EDGE + axis]:
                    best = j
            _swap(table, kept, best)
            kept += 1
    while kept < n:
        rank, normal = _find_rank(table, EDGE, kept, tolerance)
        count = 0
        if rank == 3:
            count = _describe_solid(table, kept, tolerance)
            if count <= 0:
                return kept  # all of R^3, or no room: the caller's own description says which
            if kept > SMALL and count >= 3:
                kept = _drop_inner(table, kept, count, tolerance)
        best, far = _find_outermost(table, kept, n, rank, normal, count)
        if best < 0 or (rank == 3 and far <= tolerance):
            return kept
        _swap(table, kept, best)
        kept += 1
    return kept


@merged
def _drop_inner(table, n, count, tolerance):
    """Keep the directions that lie on two facets or more; only for pointed cones of full rank."""
    rank, _ = _find_rank(table, FACET, count, tolerance)
    if rank < 3:
        return n
    kept = 0
    for j in range(n):
        on = 0
        for f in range(count):
            s = table[f, FACET] * table[j, EDGE] + table[f, FACET + 1] * table[j, EDGE + 1]
            if abs(s + table[f, FACET + 2] * table[j, EDGE + 2]) <= tolerance:
                on += 1
        if on >= 2:
            _swap(table, kept, j)
            kept += 1
    return kept
