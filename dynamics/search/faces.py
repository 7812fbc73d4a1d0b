"""The walk over the faces of Q = {a : N_i.a + b_i >= 0}, where every possible acceleration lies.

A contact pushes only where its plane holds the acceleration. So a is w itself (no force), or lies on a plane, a line
or a point where contact planes meet, and a - w is in the cone of the friction edges legal there. Each of these flats
is cut at the planes T_i.a + d_i = 0, where the slip acceleration of a contact without slip changes sign and with it the
legal edge (Erdmann, multiple contacts, section 5.5). The union over all cells is the complete set.
"""

from __future__ import annotations

from math import inf, sqrt

from dynamics.search.lines import check_point, collect_rows, cut_cells, dot
from dynamics.search.output import add_point, add_segment
from dynamics.search.planes import cut_plane
from dynamics.search.problem import (
    ACTIVE_PLANE,
    COUNT,
    EDGE_NEGATIVE,
    EDGE_POSITIVE,
    EQUATION,
    FIRST,
    NEAR,
    NEARBY,
    NORMAL,
    PLANE,
    PLANE_SIDES,
    PLANES,
    PUSHERS,
    RATIO,
    ROLLS,
    SEEN,
    STATE,
    TANGENT,
    VISITED,
    inner,
    merged,
)
from dynamics.tolerances import AS_CLEAR, NEARLY_ONE


@inner
def is_allowed(table, marks, p, skip, point, tolerance):
    """Do the first p planes, without plane `skip`, allow the point? Only those nearby are asked, if they are listed."""
    x, y, z = point
    nearby = marks[NEARBY, COUNT]
    for m in range(nearby if nearby > 0 else p):
        l = marks[m, NEAR] if nearby > 0 else m
        value = dot(table, l, EQUATION, x, y, z) + table[l, EQUATION + 3]
        if abs(value) > tolerance and l != skip:
            sides = marks[l, PLANE_SIDES]
            if (sides & 1 and value < 0.0) or (sides & 2 and value > 0.0):
                return False
    return True


@merged
def clip_line(table, marks, p, skip, point, direction, interval, tolerances):
    """The part of point + c direction, c in interval, that the first p planes (without `skip`) allow: (low, high). Only
    those nearby are asked, if they are listed."""
    px, py, pz = point
    tx, ty, tz = direction
    low, high = interval
    accept = tolerances.accept * (1.0 + abs(px) + abs(py) + abs(pz))
    nearby = marks[NEARBY, COUNT]
    for m in range(nearby if nearby > 0 else p):
        l = marks[m, NEAR] if nearby > 0 else m
        if l == skip:
            continue
        slope = dot(table, l, EQUATION, tx, ty, tz)
        value = dot(table, l, EQUATION, px, py, pz) + table[l, EQUATION + 3]
        sides = marks[l, PLANE_SIDES]
        if abs(slope) <= tolerances.angle:
            if (sides & 1 and value < -accept) or (sides & 2 and value > accept):
                return 1.0, 0.0
            continue
        c = -value / slope
        if (sides & 1 and slope > 0.0) or (sides & 2 and slope < 0.0):
            low = max(low, c)
        if (sides & 1 and slope < 0.0) or (sides & 2 and slope > 0.0):
            high = min(high, c)
    return low, high


@inner
def check_edge(table, marks, row, sign, w, tolerances):
    """One contact alone on its plane, slipping with `sign`: the reaction is along one edge of its friction cone."""
    wx, wy, wz = w
    edge = EDGE_POSITIVE if sign > 0 else EDGE_NEGATIVE
    ex, ey, ez = table[row, edge], table[row, edge + 1], table[row, edge + 2]
    gap = dot(table, row, NORMAL, wx, wy, wz) + table[row, NORMAL + 3]
    rise = dot(table, row, NORMAL, ex, ey, ez)
    plane, p = marks[row, PLANE], marks[PLANES, COUNT]
    free = marks[row, STATE] == ROLLS
    if abs(rise) > tolerances.angle:
        f = -gap / rise
        if f <= 0.0:
            return
        ax, ay, az = wx + f * ex, wy + f * ey, wz + f * ez
        accept = tolerances.accept * (1.0 + f)
        if free and sign * (dot(table, row, TANGENT, ax, ay, az) + table[row, TANGENT + 3]) < -accept:
            return
        if is_allowed(table, marks, p, plane, (ax, ay, az), accept):
            add_point(table, marks, (ax, ay, az), tolerances.merge)
        return
    if abs(gap) > tolerances.accept:
        return
    # the edge lies in the tangent plane and w too: any force along it keeps the contact (Genot and Brogliato's point)
    low, high = 0.0, inf
    if free:
        slip = sign * (dot(table, row, TANGENT, wx, wy, wz) + table[row, TANGENT + 3])
        slope = sign * dot(table, row, TANGENT, ex, ey, ez)
        if abs(slope) <= tolerances.angle:
            if slip < -tolerances.accept:
                return
        elif slope > 0.0:
            low = max(low, -slip / slope)
        else:
            high = -slip / slope
    low, high = clip_line(table, marks, p, plane, w, (ex, ey, ez), (low, high), tolerances)
    if low <= high:
        add_segment(table, marks, w, (ex, ey, ez), (low, high), tolerances.merge)


@merged
def check_rolling(table, marks, row, w, tolerances):
    """One contact alone on its plane, without slip and without slip acceleration."""
    wx, wy, wz = w
    gap = dot(table, row, NORMAL, wx, wy, wz) + table[row, NORMAL + 3]
    slip = dot(table, row, TANGENT, wx, wy, wz) + table[row, TANGENT + 3]
    mixed = dot(table, row, NORMAL, table[row, TANGENT], table[row, TANGENT + 1], table[row, TANGENT + 2])
    det = 1.0 - mixed * mixed
    if det <= tolerances.angle * tolerances.angle:
        return
    fn = (mixed * slip - gap) / det
    ft = (mixed * gap - slip) / det
    accept = tolerances.accept * (1.0 + abs(fn) + abs(ft))
    if fn < -accept or (fn <= accept and abs(ft) <= accept):
        return  # with no force at all, a = w
    # |ft| <= ratio fn, measured across the edge so that steep and flat cones are judged alike
    ratio = table[row, RATIO]
    if ratio < inf and abs(ft) - ratio * fn > accept * (1.0 + ratio):
        return
    ax = wx + fn * table[row, NORMAL] + ft * table[row, TANGENT]
    ay = wy + fn * table[row, NORMAL + 1] + ft * table[row, TANGENT + 1]
    az = wz + fn * table[row, NORMAL + 2] + ft * table[row, TANGENT + 2]
    if is_allowed(table, marks, marks[PLANES, COUNT], marks[row, PLANE], (ax, ay, az), accept):
        add_point(table, marks, (ax, ay, az), tolerances.merge)


@inner
def walk_plane(table, marks, stack, plane, w, tolerances):
    """All accelerations for which only the contacts of one plane push."""
    pushers = marks[plane, PUSHERS]
    row = marks[plane, FIRST]
    if pushers == 0:
        return
    if pushers > 1:
        cut_plane(table, marks, stack, plane, w, tolerances)
        return
    state = marks[row, STATE]
    if state != ROLLS:
        check_edge(table, marks, row, state, w, tolerances)
        return
    check_rolling(table, marks, row, w, tolerances)
    check_edge(table, marks, row, 1, w, tolerances)
    check_edge(table, marks, row, -1, w, tolerances)


@inner
def visit_vertex(table, marks, p, w, point, tolerances):
    """A point where three planes or more meet: is a - w in the cone of all edges that are legal there?"""
    x, y, z = point
    near = 10.0 * tolerances.accept * (1.0 + abs(x) + abs(y) + abs(z))
    count = marks[SEEN, COUNT]
    for m in range(count):
        if abs(table[m, VISITED] - x) + abs(table[m, VISITED + 1] - y) + abs(table[m, VISITED + 2] - z) <= near:
            return
    if count < table.shape[0]:
        table[count, VISITED], table[count, VISITED + 1], table[count, VISITED + 2] = x, y, z
        marks[SEEN, COUNT] = count + 1
    n_planes = 0
    for l in range(p):
        if abs(dot(table, l, EQUATION, x, y, z) + table[l, EQUATION + 3]) <= near:
            marks[n_planes, ACTIVE_PLANE] = l
            n_planes += 1
    n_rows = collect_rows(table, marks, n_planes)
    check_point(table, marks, n_rows, w, point, tolerances)


@merged
def _is_clearer(table, i, j, l, size):
    """Does an earlier pair, of plane l with i or j, fix the line of planes i and j, which l holds, about as well?
    size: the square of the sine between i and j."""
    for other in range(2):
        m = i if other == 0 else j
        if other == 1 and l > i:
            break  # the pair (l, j) is a later one
        x = table[l, EQUATION + 1] * table[m, EQUATION + 2] - table[l, EQUATION + 2] * table[m, EQUATION + 1]
        y = table[l, EQUATION + 2] * table[m, EQUATION] - table[l, EQUATION] * table[m, EQUATION + 2]
        z = table[l, EQUATION] * table[m, EQUATION + 1] - table[l, EQUATION + 1] * table[m, EQUATION]
        if x * x + y * y + z * z > AS_CLEAR * size:
            return True
    return False


@inner
def walk_line(table, marks, p, pair, w, tolerances):
    """All accelerations on the line where planes i < j meet, unless an earlier pair has the same line; its vertices."""
    i, j = pair
    ix, iy, iz, ib = table[i, EQUATION], table[i, EQUATION + 1], table[i, EQUATION + 2], table[i, EQUATION + 3]
    jx, jy, jz, jb = table[j, EQUATION], table[j, EQUATION + 1], table[j, EQUATION + 2], table[j, EQUATION + 3]
    tx, ty, tz = iy * jz - iz * jy, iz * jx - ix * jz, ix * jy - iy * jx
    size = tx * tx + ty * ty + tz * tz
    if size <= tolerances.angle * tolerances.angle:
        return
    px = (ib * (ty * jz - tz * jy) - jb * (ty * iz - tz * iy)) / size
    py = (ib * (tz * jx - tx * jz) - jb * (tz * ix - tx * iz)) / size
    pz = (ib * (tx * jy - ty * jx) - jb * (tx * iy - ty * ix)) / size
    sine = sqrt(size)
    tx, ty, tz = tx / sine, ty / sine, tz / sine
    if sine < NEARLY_ONE:
        # What comes out must lie on both planes all the same: the direction is made to lie in the first, and the point
        # is sought within the first.
        along = tx * ix + ty * iy + tz * iz
        tx, ty, tz = tx - along * ix, ty - along * iy, tz - along * iz
        ux, uy, uz = ty * iz - tz * iy, tz * ix - tx * iz, tx * iy - ty * ix
        off = (ib * (ix * jx + iy * jy + iz * jz) - jb) / (ux * jx + uy * jy + uz * jz)
        px, py, pz = off * ux - ib * ix, off * uy - ib * iy, off * uz - ib * iz
    accept = tolerances.accept * (1.0 + abs(px) + abs(py) + abs(pz))
    low, high = -inf, inf
    n_planes = 2
    marks[0, ACTIVE_PLANE], marks[1, ACTIVE_PLANE] = i, j
    for l in range(p):
        if l == i or l == j:
            continue
        slope = dot(table, l, EQUATION, tx, ty, tz)
        value = dot(table, l, EQUATION, px, py, pz) + table[l, EQUATION + 3]
        sides = marks[l, PLANE_SIDES]
        if abs(slope) <= tolerances.angle:
            if abs(value) <= accept:
                if l < j and _is_clearer(table, i, j, l, size):
                    return
                marks[n_planes, ACTIVE_PLANE] = l
                n_planes += 1
            elif (sides & 1 and value < 0.0) or (sides & 2 and value > 0.0):
                return
            continue
        c = -value / slope
        if (sides & 1 and slope > 0.0) or (sides & 2 and slope < 0.0):
            low = max(low, c)
        if (sides & 1 and slope < 0.0) or (sides & 2 and slope > 0.0):
            high = min(high, c)
    near = accept
    if low > -inf and high < inf:
        near = accept * (1.0 + abs(low) + abs(high))
        if low > high + near:
            return
    if high > low + near:
        n_rows = collect_rows(table, marks, n_planes)
        if n_rows > 0:
            cut_cells(table, marks, n_rows, w, (px, py, pz), (tx, ty, tz), (low, high), tolerances)
    if low > -inf:
        visit_vertex(table, marks, p, w, (px + low * tx, py + low * ty, pz + low * tz), tolerances)
    if high < inf and high > low + near:
        visit_vertex(table, marks, p, w, (px + high * tx, py + high * ty, pz + high * tz), tolerances)


@inner
def walk_faces(table, marks, stack, w, tolerances):
    """All faces of Q for a moderate number p of distinct planes: every plane, every pair, every vertex."""
    p = marks[PLANES, COUNT]
    if is_allowed(table, marks, p, -1, w, tolerances.accept):
        add_point(table, marks, w, tolerances.merge)
    for plane in range(p):
        walk_plane(table, marks, stack, plane, w, tolerances)
    for i in range(p):
        for j in range(i + 1, p):
            walk_line(table, marks, p, (i, j), w, tolerances)
