"""The cone spanned by a few directions in R^3, described by inequalities.

The reaction of a set of contacts is a nonnegative combination of friction edges. Which accelerations such reactions
reach is asked on a point, on a line and on a plane; each is easy once the cone is written as {x : y_f.x >= 0}. Cones
here are often not pointed (opposed walls), flat (frictionless contacts) or all of R^3 (a jammed part): every rank is
treated.
"""

from __future__ import annotations

from math import sqrt

from geometry._jit import jit

SMALL = 12  # up to this many directions, all pairs are tried; above it, directions inside the cone are first left out


@jit
def describe_cone(edges, n, facets, tolerance):
    """Write {sum f_j e_j, f >= 0} as {x : y.x >= 0}; returns the number of rows y written, or -1 if they do not fit.

    edges (>= n, 3) of unit length (reordered when n > SMALL), facets (m, 3) out, unit rows. No row: all of R^3.
    """
    rank, normal, second = _find_rank(edges, n, tolerance)
    if rank == 0:
        return _describe_point(facets)
    if rank == 1:
        return _describe_ray(edges, n, facets)
    if rank == 2:
        return _describe_flat(edges, n, normal, second, facets, tolerance)
    if n > SMALL:
        n = _reduce(edges, n, facets, tolerance)
    return _describe_solid(edges, n, facets, tolerance)


@jit
def is_inside(facets, n, x, y, z, tolerance):
    """Is (x, y, z) in the described cone, up to a distance `tolerance` from each facet?"""
    for f in range(n):
        if facets[f, 0] * x + facets[f, 1] * y + facets[f, 2] * z < -tolerance:
            return False
    return True


@jit
def _find_rank(edges, n, tolerance):
    """Rank 0 to 3 of the directions; for rank >= 2 the unit normal of the first and the least parallel direction."""
    nothing = (0.0, 0.0, 0.0)
    if n == 0:
        return 0, nothing, 0
    ex, ey, ez = edges[0, 0], edges[0, 1], edges[0, 2]
    best, second = 0.0, 0
    bx, by, bz = 0.0, 0.0, 0.0
    for j in range(1, n):
        cx = ey * edges[j, 2] - ez * edges[j, 1]
        cy = ez * edges[j, 0] - ex * edges[j, 2]
        cz = ex * edges[j, 1] - ey * edges[j, 0]
        size = cx * cx + cy * cy + cz * cz
        if size > best:
            best, second = size, j
            bx, by, bz = cx, cy, cz
    if best <= tolerance * tolerance:
        return 1, nothing, 0
    scale = 1.0 / sqrt(best)
    bx, by, bz = bx * scale, by * scale, bz * scale
    for j in range(1, n):
        if abs(bx * edges[j, 0] + by * edges[j, 1] + bz * edges[j, 2]) > tolerance:
            return 3, (bx, by, bz), second
    return 2, (bx, by, bz), second


@jit
def _put(facets, f, x, y, z):
    facets[f, 0], facets[f, 1], facets[f, 2] = x, y, z


@jit
def _describe_point(facets):
    """The cone {0}."""
    for f in range(3):
        for sign in range(2):
            _put(facets, 2 * f + sign, 0.0, 0.0, 0.0)
            facets[2 * f + sign, f] = 1.0 - 2.0 * sign
    return 6


@jit
def _describe_ray(edges, n, facets):
    """All directions parallel to the first: a ray, or a line if one of them opposes it."""
    ex, ey, ez = edges[0, 0], edges[0, 1], edges[0, 2]
    if abs(ex) <= abs(ey) and abs(ex) <= abs(ez):
        ux, uy, uz = 0.0, ez, -ey
    elif abs(ey) <= abs(ez):
        ux, uy, uz = -ez, 0.0, ex
    else:
        ux, uy, uz = ey, -ex, 0.0
    size = 1.0 / sqrt(ux * ux + uy * uy + uz * uz)
    ux, uy, uz = ux * size, uy * size, uz * size
    vx, vy, vz = ey * uz - ez * uy, ez * ux - ex * uz, ex * uy - ey * ux
    _put(facets, 0, ux, uy, uz)
    _put(facets, 1, -ux, -uy, -uz)
    _put(facets, 2, vx, vy, vz)
    _put(facets, 3, -vx, -vy, -vz)
    for j in range(1, n):
        if ex * edges[j, 0] + ey * edges[j, 1] + ez * edges[j, 2] < 0.0:
            return 4
    _put(facets, 4, ex, ey, ez)
    return 5


@jit
def _describe_flat(edges, n, normal, second, facets, tolerance):
    """All directions in one plane: the plane, and none, one or two sides of a wedge in it."""
    nx, ny, nz = normal
    _put(facets, 0, nx, ny, nz)
    _put(facets, 1, -nx, -ny, -nz)
    count = 2
    for j in range(n):
        # the line of e_j is a side if every direction lies on one side of it
        sx = ny * edges[j, 2] - nz * edges[j, 1]
        sy = nz * edges[j, 0] - nx * edges[j, 2]
        sz = nx * edges[j, 1] - ny * edges[j, 0]
        low, high = 0.0, 0.0
        for i in range(n):
            s = sx * edges[i, 0] + sy * edges[i, 1] + sz * edges[i, 2]
            low, high = min(low, s), max(high, s)
            if low < -tolerance and high > tolerance:
                break
        if low >= -tolerance:
            count = _add_facet(facets, count, sx, sy, sz, tolerance)
        if high <= tolerance:
            count = _add_facet(facets, count, -sx, -sy, -sz, tolerance)
        if count < 0:
            return count
    return count


@jit
def _add_facet(facets, count, x, y, z, tolerance):
    """Append a row unless it is there; -1 if there is no room."""
    if count < 0:
        return count
    for f in range(count):
        if abs(facets[f, 0] - x) + abs(facets[f, 1] - y) + abs(facets[f, 2] - z) <= tolerance:
            return count
    if count >= facets.shape[0]:
        return -1
    _put(facets, count, x, y, z)
    return count + 1


@jit
def _describe_solid(edges, n, facets, tolerance):
    """Rank three: every pair of directions with all others on one side of their plane gives a facet."""
    count = 0
    for j in range(n):
        jx, jy, jz = edges[j, 0], edges[j, 1], edges[j, 2]
        for i in range(j):
            x = jy * edges[i, 2] - jz * edges[i, 1]
            y = jz * edges[i, 0] - jx * edges[i, 2]
            z = jx * edges[i, 1] - jy * edges[i, 0]
            size = sqrt(x * x + y * y + z * z)
            if size <= tolerance:
                continue
            x, y, z = x / size, y / size, z / size
            low, high = 0.0, 0.0
            for m in range(n):
                if m != i and m != j:
                    s = x * edges[m, 0] + y * edges[m, 1] + z * edges[m, 2]
                    low, high = min(low, s), max(high, s)
                    if low < -tolerance and high > tolerance:
                        break
            if low >= -tolerance:
                count = _add_facet(facets, count, x, y, z, tolerance)
            if high <= tolerance:
                count = _add_facet(facets, count, -x, -y, -z, tolerance)
            if count < 0:
                return count
    return count


@jit
def _swap(edges, i, j):
    for c in range(3):
        edges[i, c], edges[j, c] = edges[j, c], edges[i, c]


@jit
def _reduce(edges, n, facets, tolerance):
    """Move directions that span the whole cone to the front; returns how many.

    Directions are added one at a time and skipped where the cone so far holds them. When the front grows beyond SMALL,
    those that a pointed cone does not need (fewer than two of its facets hold them) are dropped.
    """
    kept = 0
    for axis in range(3):  # extremes along the axes first: they leave little for later
        for sign in (-1.0, 1.0):
            best = kept
            for j in range(kept, n):
                if sign * edges[j, axis] > sign * edges[best, axis]:
                    best = j
            _swap(edges, kept, best)
            kept += 1
    rank, _, _ = _find_rank(edges, kept, tolerance)
    count = 0
    if rank == 3:
        count = _describe_solid(edges, kept, facets, tolerance)
    for j in range(kept, n):
        if rank == 3 and is_inside(facets, count, edges[j, 0], edges[j, 1], edges[j, 2], tolerance):
            continue
        _swap(edges, kept, j)
        kept += 1
        if rank < 3:
            rank, _, _ = _find_rank(edges, kept, tolerance)
        if rank == 3:
            count = _describe_solid(edges, kept, facets, tolerance)
            if count <= 0:
                return kept  # all of R^3, or no room: the caller's own description says which
            if kept > SMALL and count >= 3:
                kept = _drop_inner(edges, kept, facets, count, tolerance)
    return kept


@jit
def _drop_inner(edges, n, facets, count, tolerance):
    """Keep the directions that lie on two facets or more; only for pointed cones of full rank."""
    rank, _, _ = _find_rank(facets, count, tolerance)
    if rank < 3:
        return n
    kept = 0
    for j in range(n):
        on = 0
        for f in range(count):
            s = facets[f, 0] * edges[j, 0] + facets[f, 1] * edges[j, 1] + facets[f, 2] * edges[j, 2]
            if abs(s) <= tolerance:
                on += 1
        if on >= 2:
            _swap(edges, kept, j)
            kept += 1
    return kept
