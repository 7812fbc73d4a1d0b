"""The walk over the faces of Q = {a : N_i.a + b_i >= 0}, where every possible acceleration lies.

A contact pushes only where its plane holds the acceleration. So a is w itself (no force), or lies on a plane, a line
or a point where contact planes meet, and a - w is in the cone of the friction edges legal there. Each of these flats
is cut at the planes T_i.a + d_i = 0, where the slip acceleration of a contact without slip changes sign and with it the
legal edge (Erdmann, multiple contacts, section 5.5). The union over all cells is the complete set.
"""

from __future__ import annotations

from math import inf, sqrt

from dynamics.output import add_point, add_segment
from dynamics.planes import cut_plane
from dynamics.problem import (
    EDGE_NEGATIVE,
    EDGE_POSITIVE,
    FIRST,
    NEXT,
    NO_FORCE,
    NORMAL,
    OUT_OF_ROOM,
    PLANE_SIDES,
    PUSHERS,
    RATIO,
    ROLLS,
    SEEN,
    SLIDES_POSITIVE,
    STATE,
    STATUS,
    TANGENT,
    WIDE,
)
from dynamics.span import describe_cone, is_inside
from geometry._jit import jit


@jit
def dot(a, i, c, x, y, z):
    """a[i, c:c+3].(x, y, z)"""
    return a[i, c] * x + a[i, c + 1] * y + a[i, c + 2] * z


@jit
def is_allowed(work, p, skip, point, tolerance):
    """Do the first p planes, without plane `skip`, allow the point?"""
    planes, info = work.planes, work.plane_info
    x, y, z = point
    for l in range(p):
        value = planes[l, 0] * x + planes[l, 1] * y + planes[l, 2] * z + planes[l, 3]
        if abs(value) > tolerance and l != skip:
            sides = info[l, PLANE_SIDES]
            if (sides & 1 and value < 0.0) or (sides & 2 and value > 0.0):
                return False
    return True


@jit
def clip_line(work, p, skip, point, direction, interval, tolerances):
    """The part of point + c direction, c in interval, that the first p planes (without `skip`) allow: (low, high)."""
    planes, info = work.planes, work.plane_info
    px, py, pz = point
    tx, ty, tz = direction
    low, high = interval
    accept = tolerances.accept * (1.0 + abs(px) + abs(py) + abs(pz))
    for l in range(p):
        if l == skip:
            continue
        slope = planes[l, 0] * tx + planes[l, 1] * ty + planes[l, 2] * tz
        value = planes[l, 0] * px + planes[l, 1] * py + planes[l, 2] * pz + planes[l, 3]
        sides = info[l, PLANE_SIDES]
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


@jit
def check_edge(work, p, row, sign, w, found, tolerances):
    """One contact alone on its plane, slipping with `sign`: the reaction is along one edge of its friction cone."""
    rows = work.rows
    wx, wy, wz = w
    edge = EDGE_POSITIVE if sign > 0 else EDGE_NEGATIVE
    ex, ey, ez = rows[row, edge], rows[row, edge + 1], rows[row, edge + 2]
    gap = dot(rows, row, NORMAL, wx, wy, wz) + rows[row, NORMAL + 3]
    rise = dot(rows, row, NORMAL, ex, ey, ez)
    plane = work.info[row, 2]
    free = work.info[row, STATE] == ROLLS
    if abs(rise) > tolerances.angle:
        f = -gap / rise
        if f <= 0.0:
            return
        ax, ay, az = wx + f * ex, wy + f * ey, wz + f * ez
        accept = tolerances.accept * (1.0 + f)
        if free and sign * (dot(rows, row, TANGENT, ax, ay, az) + rows[row, TANGENT + 3]) < -accept:
            return
        if is_allowed(work, p, plane, (ax, ay, az), accept):
            add_point(found, (ax, ay, az), tolerances.merge)
        return
    if abs(gap) > tolerances.accept:
        return
    # the edge lies in the tangent plane and w too: any force along it keeps the contact (Genot and Brogliato's point)
    low, high = 0.0, inf
    if free:
        slip = sign * (dot(rows, row, TANGENT, wx, wy, wz) + rows[row, TANGENT + 3])
        slope = sign * dot(rows, row, TANGENT, ex, ey, ez)
        if abs(slope) <= tolerances.angle:
            if slip < -tolerances.accept:
                return
        elif slope > 0.0:
            low = max(low, -slip / slope)
        else:
            high = -slip / slope
    low, high = clip_line(work, p, plane, w, (ex, ey, ez), (low, high), tolerances)
    if low <= high:
        add_segment(found, w, (ex, ey, ez), (low, high), tolerances.merge)


@jit
def check_rolling(work, p, row, w, found, tolerances):
    """One contact alone on its plane, without slip and without slip acceleration."""
    rows = work.rows
    wx, wy, wz = w
    gap = dot(rows, row, NORMAL, wx, wy, wz) + rows[row, NORMAL + 3]
    slip = dot(rows, row, TANGENT, wx, wy, wz) + rows[row, TANGENT + 3]
    mixed = dot(rows, row, NORMAL, rows[row, TANGENT], rows[row, TANGENT + 1], rows[row, TANGENT + 2])
    det = 1.0 - mixed * mixed
    if det <= tolerances.angle * tolerances.angle:
        return
    fn = (mixed * slip - gap) / det
    ft = (mixed * gap - slip) / det
    accept = tolerances.accept * (1.0 + abs(fn) + abs(ft))
    if fn < -accept or (fn <= accept and abs(ft) <= accept):
        return  # with no force at all, a = w
    # |ft| <= ratio fn, measured across the edge so that steep and flat cones are judged alike
    ratio = rows[row, RATIO]
    if ratio < inf and abs(ft) - ratio * fn > accept * (1.0 + ratio):
        return
    ax = wx + fn * rows[row, NORMAL] + ft * rows[row, TANGENT]
    ay = wy + fn * rows[row, NORMAL + 1] + ft * rows[row, TANGENT + 1]
    az = wz + fn * rows[row, NORMAL + 2] + ft * rows[row, TANGENT + 2]
    if is_allowed(work, p, work.info[row, 2], (ax, ay, az), accept):
        add_point(found, (ax, ay, az), tolerances.merge)


@jit
def walk_plane(work, p, plane, w, found, tolerances):
    """All accelerations for which only the contacts of one plane push."""
    pushers = work.plane_info[plane, PUSHERS]
    row = work.plane_info[plane, FIRST]
    if pushers == 0:
        return
    if pushers > 1:
        cut_plane(work, p, plane, w, found, tolerances)
        return
    state = work.info[row, STATE]
    if state != ROLLS:
        check_edge(work, p, row, state, w, found, tolerances)
        return
    check_rolling(work, p, row, w, found, tolerances)
    check_edge(work, p, row, 1, w, found, tolerances)
    check_edge(work, p, row, -1, w, found, tolerances)


@jit
def collect_edges(work, n_rows, point, tolerance):
    """The friction edges that the active rows may use at a point, into `work.cone`; returns how many."""
    rows, info, cone = work.rows, work.info, work.cone
    x, y, z = point
    n = 0
    for m in range(n_rows):
        row = work.active[1, m]
        state = info[row, STATE]
        positive, negative = state == SLIDES_POSITIVE, state < 0
        if state == ROLLS:
            slip = dot(rows, row, TANGENT, x, y, z) + rows[row, TANGENT + 3]
            positive, negative = slip >= -tolerance, slip <= tolerance
        if positive:
            for c in range(3):
                cone[n, c] = rows[row, EDGE_POSITIVE + c]
            n += 1
        if negative:
            for c in range(3):
                cone[n, c] = rows[row, EDGE_NEGATIVE + c]
            n += 1
        if positive and negative and info[row, WIDE] == 1:
            for c in range(3):
                cone[n, c] = rows[row, NORMAL + c]
            n += 1
    return n


@jit
def collect_rows(work, n_planes):
    """The pushing rows of the active planes, into `work.active[1]`; returns how many."""
    n = 0
    for m in range(n_planes):
        row = work.plane_info[work.active[0, m], FIRST]
        while row >= 0:
            work.active[1, n] = row
            n += 1
            row = work.info[row, NEXT]
    return n


@jit
def check_point(work, n_rows, w, point, found, tolerances):
    """Is a point of a face, with its active rows given, a member?"""
    x, y, z = point
    gx, gy, gz = x - w[0], y - w[1], z - w[2]
    accept = tolerances.accept * (1.0 + abs(x) + abs(y) + abs(z))
    if abs(gx) + abs(gy) + abs(gz) <= accept:
        return  # a = w is found as the motion without reaction
    n = collect_edges(work, n_rows, point, accept)
    facets = describe_cone(work.cone, n, work.facets, tolerances.angle)
    if facets < 0:
        found.counts[STATUS] = OUT_OF_ROOM
    elif is_inside(work.facets, facets, gx, gy, gz, accept):
        add_point(found, point, tolerances.merge)


@jit
def cut_pair(work, w, point, direction, interval, found, tolerances):
    """Two edges on a line: at most one acceleration. Returns False if the two do not decide it."""
    cone = work.cone
    ax, ay, az = cone[0, 0], cone[0, 1], cone[0, 2]
    bx, by, bz = cone[1, 0], cone[1, 1], cone[1, 2]
    yx, yy, yz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    size = yx * yx + yy * yy + yz * yz
    slope = yx * direction[0] + yy * direction[1] + yz * direction[2]
    if size <= tolerances.angle or slope * slope <= size * 1e-12:
        return False
    gx, gy, gz = point[0] - w[0], point[1] - w[1], point[2] - w[2]
    c = -(yx * gx + yy * gy + yz * gz) / slope
    accept = tolerances.accept * (1.0 + abs(point[0]) + abs(point[1]) + abs(point[2]) + abs(c))
    if c < interval[0] - accept or c > interval[1] + accept:
        return True
    gx, gy, gz = gx + c * direction[0], gy + c * direction[1], gz + c * direction[2]
    # g = f0 e0 + f1 e1, by Cramer's rule in the plane of the two edges
    f0 = ((gy * bz - gz * by) * yx + (gz * bx - gx * bz) * yy + (gx * by - gy * bx) * yz) / size
    f1 = ((ay * gz - az * gy) * yx + (az * gx - ax * gz) * yy + (ax * gy - ay * gx) * yz) / size
    accept *= 1.0 + abs(f0) + abs(f1)
    if f0 >= -accept and f1 >= -accept and f0 + f1 > accept:
        add_point(
            found,
            (point[0] + c * direction[0], point[1] + c * direction[1], point[2] + c * direction[2]),
            tolerances.merge,
        )
    return True


@jit
def cut_line(work, n, w, point, direction, interval, found, tolerances):
    """Members on a piece of a line: where point + c direction - w enters the cone of n edges in `work.cone`."""
    if n == 2 and cut_pair(work, w, point, direction, interval, found, tolerances):
        return
    facets = work.facets
    count = describe_cone(work.cone, n, facets, tolerances.angle)
    if count < 0:
        found.counts[STATUS] = OUT_OF_ROOM
        return
    low, high = interval
    tx, ty, tz = direction
    gx, gy, gz = point[0] - w[0], point[1] - w[1], point[2] - w[2]
    accept = tolerances.accept * (1.0 + abs(gx) + abs(gy) + abs(gz))
    for f in range(count):
        slope = dot(facets, f, 0, tx, ty, tz)
        value = dot(facets, f, 0, gx, gy, gz)
        if abs(slope) <= tolerances.angle:
            if value < -accept:
                return
        elif slope > 0.0:
            low = max(low, -value / slope)
        else:
            high = min(high, -value / slope)
    if low > high:
        # a flat cone meets the line in a point, which rounding turns inside out: judge the point itself
        if low - high > sqrt(accept) * (1.0 + abs(low) + abs(high)):
            return
        c = 0.5 * (low + high)
        accept *= 1.0 + abs(c)
        if c < interval[0] - accept or c > interval[1] + accept:
            return
        if not is_inside(facets, count, gx + c * tx, gy + c * ty, gz + c * tz, accept):
            return
        low, high = c, c
    add_segment(found, point, direction, (low, high), tolerances.merge)


@jit
def sort_breaks(work, n_rows, point, direction, interval, tolerances):
    """Erdmann's c_i: where the slip acceleration of an active row vanishes on a line. Sorted, distinct, inside."""
    rows, breaks = work.rows, work.breaks
    px, py, pz = point
    tx, ty, tz = direction
    count = 0
    for m in range(n_rows):
        row = work.active[1, m]
        if work.info[row, STATE] != ROLLS:
            continue
        slope = dot(rows, row, TANGENT, tx, ty, tz)
        if abs(slope) <= tolerances.angle:
            continue
        c = -(dot(rows, row, TANGENT, px, py, pz) + rows[row, TANGENT + 3]) / slope
        near = tolerances.accept * (1.0 + abs(c))
        if c <= interval[0] + near or c >= interval[1] - near:
            continue
        place = count
        while place > 0 and breaks[place - 1] > c:
            place -= 1
        if (place > 0 and c - breaks[place - 1] <= near) or (place < count and breaks[place] - c <= near):
            continue
        for m2 in range(count, place, -1):
            breaks[m2] = breaks[m2 - 1]
        breaks[place] = c
        count += 1
    return count


@jit
def cut_cells(work, n_rows, w, point, direction, interval, found, tolerances):
    """Go through the cells of a line between and at the breaks."""
    px, py, pz = point
    tx, ty, tz = direction
    accept = tolerances.accept * (1.0 + abs(px) + abs(py) + abs(pz))
    count = sort_breaks(work, n_rows, point, direction, interval, tolerances)
    low = interval[0]
    for cell in range(count + 1):
        high = work.breaks[cell] if cell < count else interval[1]
        if low > -inf and high < inf:
            middle = 0.5 * (low + high)
        elif low > -inf:
            middle = low + 1.0 + abs(low)
        else:
            middle = high - 1.0 - abs(high) if high < inf else 0.0
        n = collect_edges(work, n_rows, (px + middle * tx, py + middle * ty, pz + middle * tz), accept)
        cut_line(work, n, w, point, direction, (low, high), found, tolerances)
        if cell < count:
            check_point(work, n_rows, w, (px + high * tx, py + high * ty, pz + high * tz), found, tolerances)
        low = high


@jit
def visit_vertex(work, p, w, point, found, tolerances):
    """A point where three planes or more meet: is a - w in the cone of all edges that are legal there?"""
    x, y, z = point
    near = 10.0 * tolerances.accept * (1.0 + abs(x) + abs(y) + abs(z))
    seen = work.seen
    for m in range(found.counts[SEEN]):
        if abs(seen[m, 0] - x) + abs(seen[m, 1] - y) + abs(seen[m, 2] - z) <= near:
            return
    if found.counts[SEEN] < seen.shape[0]:
        seen[found.counts[SEEN], 0], seen[found.counts[SEEN], 1], seen[found.counts[SEEN], 2] = x, y, z
        found.counts[SEEN] += 1
    n_planes = 0
    for l in range(p):
        if abs(dot(work.planes, l, 0, x, y, z) + work.planes[l, 3]) <= near:
            work.active[0, n_planes] = l
            n_planes += 1
    n_rows = collect_rows(work, n_planes)
    check_point(work, n_rows, w, point, found, tolerances)


@jit
def walk_line(work, p, pair, w, found, tolerances):
    """All accelerations on the line where planes i < j meet, unless an earlier pair has the same line; its vertices."""
    i, j = pair
    planes, info = work.planes, work.plane_info
    ix, iy, iz, ib = planes[i, 0], planes[i, 1], planes[i, 2], planes[i, 3]
    jx, jy, jz, jb = planes[j, 0], planes[j, 1], planes[j, 2], planes[j, 3]
    tx, ty, tz = iy * jz - iz * jy, iz * jx - ix * jz, ix * jy - iy * jx
    size = tx * tx + ty * ty + tz * tz
    if size <= tolerances.angle * tolerances.angle:
        return
    px = (ib * (ty * jz - tz * jy) - jb * (ty * iz - tz * iy)) / size
    py = (ib * (tz * jx - tx * jz) - jb * (tz * ix - tx * iz)) / size
    pz = (ib * (tx * jy - ty * jx) - jb * (tx * iy - ty * ix)) / size
    size = sqrt(size)
    tx, ty, tz = tx / size, ty / size, tz / size
    accept = tolerances.accept * (1.0 + abs(px) + abs(py) + abs(pz))
    low, high = -inf, inf
    n_planes = 2
    work.active[0, 0], work.active[0, 1] = i, j
    for l in range(p):
        if l == i or l == j:
            continue
        slope = planes[l, 0] * tx + planes[l, 1] * ty + planes[l, 2] * tz
        value = planes[l, 0] * px + planes[l, 1] * py + planes[l, 2] * pz + planes[l, 3]
        sides = info[l, PLANE_SIDES]
        if abs(slope) <= tolerances.angle:
            if abs(value) <= accept:
                if l < j:
                    return
                work.active[0, n_planes] = l
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
        n_rows = collect_rows(work, n_planes)
        if n_rows > 0:
            cut_cells(work, n_rows, w, (px, py, pz), (tx, ty, tz), (low, high), found, tolerances)
    if low > -inf:
        visit_vertex(work, p, w, (px + low * tx, py + low * ty, pz + low * tz), found, tolerances)
    if high < inf and high > low + near:
        visit_vertex(work, p, w, (px + high * tx, py + high * ty, pz + high * tz), found, tolerances)


@jit
def walk_faces(work, p, w, found, tolerances):
    """All faces of Q for a moderate number p of distinct planes: every plane, every pair, every vertex."""
    if is_allowed(work, p, -1, w, tolerances.accept):
        add_point(found, w, tolerances.merge)
    for plane in range(p):
        walk_plane(work, p, plane, w, found, tolerances)
    for i in range(p):
        for j in range(i + 1, p):
            walk_line(work, p, (i, j), w, found, tolerances)
