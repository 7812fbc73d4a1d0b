"""Members on one line of acceleration space, and at one point of it, where the active contacts are given.

On the line a = point + c direction the slip acceleration of contact i vanishes at c_i. Between two of these the legal
friction edges are fixed, and a - w enters their cone on an interval of c, often a single point (Erdmann, multiple
contacts, section 5.5); at a c_i both edges of contact i are legal.
"""

from __future__ import annotations

from math import inf, sqrt

from dynamics.search.output import add_point, add_segment
from dynamics.search.problem import (
    ACTIVE_PLANE,
    ACTIVE_ROW,
    BREAK,
    COUNT,
    EDGE,
    EDGE_NEGATIVE,
    EDGE_POSITIVE,
    FACET,
    FIRST,
    NEXT,
    NORMAL,
    OUT_OF_ROOM,
    ROLLS,
    SLIDES_POSITIVE,
    STATE,
    STATUS,
    TANGENT,
    WIDE,
    inner,
    merged,
)
from dynamics.search.span import describe_cone, is_inside
from dynamics.tolerances import LINE_IN_PLANE


@inner
def dot(a, i, c, x, y, z):
    """a[i, c:c+3].(x, y, z)"""
    return a[i, c] * x + a[i, c + 1] * y + a[i, c + 2] * z


@inner
def collect_edges(table, marks, n_rows, point, tolerance):
    """The friction edges that the active rows may use at a point, into the table; returns how many."""
    x, y, z = point
    n = 0
    for m in range(n_rows):
        row = marks[m, ACTIVE_ROW]
        state = marks[row, STATE]
        positive, negative = state == SLIDES_POSITIVE, state < 0
        if state == ROLLS:
            slip = dot(table, row, TANGENT, x, y, z) + table[row, TANGENT + 3]
            positive, negative = slip >= -tolerance, slip <= tolerance
        if positive:
            for c in range(3):
                table[n, EDGE + c] = table[row, EDGE_POSITIVE + c]
            n += 1
        if negative:
            for c in range(3):
                table[n, EDGE + c] = table[row, EDGE_NEGATIVE + c]
            n += 1
        if positive and negative and marks[row, WIDE] == 1:
            for c in range(3):
                table[n, EDGE + c] = table[row, NORMAL + c]
            n += 1
    return n


@inner
def collect_rows(table, marks, n_planes):
    """The pushing rows of the active planes, into the column of active rows; returns how many."""
    n = 0
    for m in range(n_planes):
        row = marks[marks[m, ACTIVE_PLANE], FIRST]
        while row >= 0:
            marks[n, ACTIVE_ROW] = row
            n += 1
            row = marks[row, NEXT]
    return n


@inner
def check_point(table, marks, n_rows, w, point, tolerances):
    """Is a point of a face, with its active rows given, a member?"""
    x, y, z = point
    gx, gy, gz = x - w[0], y - w[1], z - w[2]
    accept = tolerances.accept * (1.0 + abs(x) + abs(y) + abs(z))
    if abs(gx) + abs(gy) + abs(gz) <= accept:
        return  # a = w is found as the motion without reaction
    n = collect_edges(table, marks, n_rows, point, accept)
    count = describe_cone(table, n, tolerances.angle)
    if count < 0:
        marks[STATUS, COUNT] = OUT_OF_ROOM
    elif is_inside(table, count, gx, gy, gz, accept):
        add_point(table, marks, point, tolerances.merge)


@inner
def cut_pair(table, marks, w, point, direction, interval, tolerances):
    """Two edges on a line: at most one acceleration. Returns False if the two do not decide it."""
    ax, ay, az = table[0, EDGE + 0], table[0, EDGE + 1], table[0, EDGE + 2]
    bx, by, bz = table[1, EDGE + 0], table[1, EDGE + 1], table[1, EDGE + 2]
    yx, yy, yz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    size = yx * yx + yy * yy + yz * yz
    slope = yx * direction[0] + yy * direction[1] + yz * direction[2]
    if size <= tolerances.angle or slope * slope <= size * LINE_IN_PLANE:
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
            table,
            marks,
            (point[0] + c * direction[0], point[1] + c * direction[1], point[2] + c * direction[2]),
            tolerances.merge,
        )
    return True


@inner
def cut_line(table, marks, n, w, point, direction, interval, tolerances):
    """Members on a piece of a line: where point + c direction - w enters the cone of n edges in the table."""
    if n == 2 and cut_pair(table, marks, w, point, direction, interval, tolerances):
        return
    count = describe_cone(table, n, tolerances.angle)
    if count < 0:
        marks[STATUS, COUNT] = OUT_OF_ROOM
        return
    low, high = interval
    tx, ty, tz = direction
    gx, gy, gz = point[0] - w[0], point[1] - w[1], point[2] - w[2]
    accept = tolerances.accept * (1.0 + abs(gx) + abs(gy) + abs(gz))
    for f in range(count):
        slope = dot(table, f, FACET, tx, ty, tz)
        value = dot(table, f, FACET, gx, gy, gz)
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
        if not is_inside(table, count, gx + c * tx, gy + c * ty, gz + c * tz, accept):
            return
        low, high = c, c
    add_segment(table, marks, point, direction, (low, high), tolerances.merge)


@merged
def sort_breaks(table, marks, n_rows, point, direction, interval, tolerances):
    """Erdmann's c_i: where the slip acceleration of an active row vanishes on a line. Sorted, distinct, inside."""
    px, py, pz = point
    tx, ty, tz = direction
    count = 0
    for m in range(n_rows):
        row = marks[m, ACTIVE_ROW]
        if marks[row, STATE] != ROLLS:
            continue
        slope = dot(table, row, TANGENT, tx, ty, tz)
        if abs(slope) <= tolerances.angle:
            continue
        c = -(dot(table, row, TANGENT, px, py, pz) + table[row, TANGENT + 3]) / slope
        near = tolerances.accept * (1.0 + abs(c))
        if c <= interval[0] + near or c >= interval[1] - near:
            continue
        place = count
        while place > 0 and table[place - 1, BREAK] > c:
            place -= 1
        if (place > 0 and c - table[place - 1, BREAK] <= near) or (place < count and table[place, BREAK] - c <= near):
            continue
        for m2 in range(count, place, -1):
            table[m2, BREAK] = table[m2 - 1, BREAK]
        table[place, BREAK] = c
        count += 1
    return count


@inner
def cut_cells(table, marks, n_rows, w, point, direction, interval, tolerances):
    """Go through the cells of a line between and at the breaks."""
    px, py, pz = point
    tx, ty, tz = direction
    accept = tolerances.accept * (1.0 + abs(px) + abs(py) + abs(pz))
    count = sort_breaks(table, marks, n_rows, point, direction, interval, tolerances)
    low = interval[0]
    for cell in range(count + 1):
        high = table[cell, BREAK] if cell < count else interval[1]
        if low > -inf and high < inf:
            middle = 0.5 * (low + high)
        elif low > -inf:
            middle = low + 1.0 + abs(low)
        else:
            middle = high - 1.0 - abs(high) if high < inf else 0.0
        n = collect_edges(table, marks, n_rows, (px + middle * tx, py + middle * ty, pz + middle * tz), accept)
        cut_line(table, marks, n, w, point, direction, (low, high), tolerances)
        if cell < count:
            check_point(table, marks, n_rows, w, (px + high * tx, py + high * ty, pz + high * tz), tolerances)
        low = high
