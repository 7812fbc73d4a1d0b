"""A tree of boxes over the half-spaces N.x + b >= 0: which of them come near a polygon?

The half-spaces P = (N, b) are points of R^4, and the value of one at x is P.X with X = (x, 1). Where they are faces of
a body, they lie on a curved surface, on which P.X is least where X is normal to it: what tells those nearby from the
rest is of second order in their distance. So each box has axes of its own, two of which span the surface: along the
others it is thin. A box with centre C and half sides s along unit axes A holds none with a value below
C.X - sum s_m |A_m.X|.
"""

from __future__ import annotations

from math import inf, sqrt

from dynamics.search.problem import (
    AXES,
    BOX,
    CHILD,
    COUNT,
    EQUATION,
    HIGH,
    ITEM,
    LOW,
    PLACE,
    PLANE_SIDES,
    PLANES,
    inner,
    merged,
)
from dynamics.tolerances import BOX_GROWTH, FLAT_BOX

LEAF = 8


@inner
def item_coordinate(table, item, axis):
    """One of the four coordinates (N, b) of a half-space."""
    value = table[item >> 1, EQUATION + axis]
    return -value if item & 1 else value


@inner
def measure_along(table, item, node, axis):
    """The coordinate of a half-space along an axis of a node."""
    p, at = item >> 1, AXES + 4 * axis
    value = 0.0
    for c in range(4):
        value += table[p, EQUATION + c] * table[node, at + c]
    return -value if item & 1 else value


@inner
def clear_axes(table, node, axis):
    """Take from an axis of a node its parts along those before it; returns the length that is left."""
    at = AXES + 4 * axis
    for m in range(axis):
        before = AXES + 4 * m
        along = 0.0
        for c in range(4):
            along += table[node, at + c] * table[node, before + c]
        for c in range(4):
            table[node, at + c] -= along * table[node, before + c]
    size = 0.0
    for c in range(4):
        size += table[node, at + c] ** 2
    return sqrt(size)


@inner
def set_axis(table, node, axis):
    """Make an axis of a node, given roughly, a unit vector at right angles to those before it."""
    at = AXES + 4 * axis
    for _ in range(2):  # once more, for what is left may be short
        size = clear_axes(table, node, axis)
        for c in range(4):
            table[node, at + c] /= size


@inner
def find_axis(table, marks, node, axis):
    """Set an axis of a node: from the mean to the half-space farthest from the span of the axes before it."""
    at = AXES + 4 * axis
    farthest, choice = 0.0, -1
    for i in range(marks[node, LOW], marks[node, HIGH]):
        item = marks[i, ITEM]
        size = 0.0
        for c in range(4):
            table[node, at + c] = item_coordinate(table, item, c) - table[node, BOX + c]
            size += table[node, at + c] ** 2
        for m in range(axis):
            along = 0.0
            for c in range(4):
                along += table[node, at + c] * table[node, AXES + 4 * m + c]
            size -= along * along
        if size > farthest:
            farthest, choice = size, item
    if choice >= 0:
        for c in range(4):
            table[node, at + c] = item_coordinate(table, choice, c) - table[node, BOX + c]
        if clear_axes(table, node, axis) <= FLAT_BOX:
            choice = -1
    if choice < 0:  # no half-space says: the unit vector that is clearest of the axes before
        most, best = -1.0, 0
        for e in range(4):
            left = 1.0
            for m in range(axis):
                left -= table[node, AXES + 4 * m + e] ** 2
            if left > most:
                most, best = left, e
        for c in range(4):
            table[node, at + c] = 1.0 if c == best else 0.0
    set_axis(table, node, axis)


@merged
def fit_box(table, marks, node):
    """Axes, centre and half sides of a box around the half-spaces of a node; returns the axis of its longest side."""
    low, high = marks[node, LOW], marks[node, HIGH]
    for c in range(4):
        total = 0.0
        for i in range(low, high):
            total += item_coordinate(table, marks[i, ITEM], c)
        table[node, BOX + c] = total / max(high - low, 1)
    for axis in range(4):
        find_axis(table, marks, node, axis)
    widest, longest = -1.0, 0
    x, y, z, b = 0.0, 0.0, 0.0, 0.0
    for axis in range(4):
        least, most = inf, -inf
        for i in range(low, high):
            value = measure_along(table, marks[i, ITEM], node, axis)
            least, most = min(least, value), max(most, value)
        middle, at = 0.5 * (least + most), AXES + 4 * axis
        x, y = x + middle * table[node, at], y + middle * table[node, at + 1]
        z, b = z + middle * table[node, at + 2], b + middle * table[node, at + 3]
        table[node, BOX + 4 + axis] = 0.5 * (most - least) * (1.0 + BOX_GROWTH)
        if most - least > widest:
            widest, longest = most - least, axis
    table[node, BOX], table[node, BOX + 1], table[node, BOX + 2], table[node, BOX + 3] = x, y, z, b
    return longest


@merged
def split_items(table, marks, node, axis):
    """Order the half-spaces of a node so that the lower half along an axis comes first (Hoare's selection)."""
    low, high = marks[node, LOW], marks[node, HIGH]
    middle = (low + high) // 2
    high -= 1
    while low < high:
        pivot = measure_along(table, marks[(low + high) // 2, ITEM], node, axis)
        i, j = low, high
        while i <= j:
            while measure_along(table, marks[i, ITEM], node, axis) < pivot:
                i += 1
            while measure_along(table, marks[j, ITEM], node, axis) > pivot:
                j -= 1
            if i <= j:
                marks[i, ITEM], marks[j, ITEM] = marks[j, ITEM], marks[i, ITEM]
                i += 1
                j -= 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            return


@inner
def build_tree(table, marks):
    """Put the half-spaces of all planes into a tree of boxes, in the columns LOW, HIGH, CHILD, BOX and AXES.

    PLACE tells where in their order those of a plane stand.
    """
    count = 0
    for p in range(marks[PLANES, COUNT]):
        for side in range(2):
            if marks[p, PLANE_SIDES] & (1 + side):
                marks[count, ITEM] = 2 * p + side
                count += 1
    marks[0, LOW], marks[0, HIGH], marks[0, CHILD] = 0, count, -1
    node, nodes = 0, 1
    while node < nodes:
        axis = fit_box(table, marks, node)
        low, high = marks[node, LOW], marks[node, HIGH]
        marks[node, CHILD] = -1
        if high - low > LEAF:
            split_items(table, marks, node, axis)
            marks[node, CHILD] = nodes
            marks[nodes, LOW], marks[nodes, HIGH] = low, (low + high) // 2
            marks[nodes + 1, LOW], marks[nodes + 1, HIGH] = (low + high) // 2, high
            nodes += 2
        node += 1
    for i in range(count):
        marks[marks[i, ITEM] >> 1, PLACE] = i


@inner
def project_axis(table, node, at, frame):
    """A vector of R^4 times the two directions and the origin of a plane."""
    o, u, v = frame
    x, y, z = table[node, at], table[node, at + 1], table[node, at + 2]
    return (
        x * u[0] + y * u[1] + z * u[2],
        x * v[0] + y * v[1] + z * v[2],
        x * o[0] + y * o[1] + z * o[2] + table[node, at + 3],
    )


@inner
def is_beside(i, free, n):
    """Are two corners of a polygon neighbours?"""
    return i == free + 1 or i == free - 1 or abs(i - free) == n - 1


@inner
def is_far(table, node, polygon, n, frame, exempt):
    """Does every half-space of a node keep away from a polygon, as far as its box can tell?

    Corner i of the polygon is left alone by values above polygon[i, 3]. exempt: (vertex or -1, least value there, least
    value at a direction beside it): at that vertex a half-space may touch, if it does not hold a ray from there. Planes
    that are parallel to a direction at infinity do not touch it.
    """
    centre = project_axis(table, node, BOX, frame)
    p, q = project_axis(table, node, AXES, frame), project_axis(table, node, AXES + 4, frame)
    r, s = project_axis(table, node, AXES + 8, frame), project_axis(table, node, AXES + 12, frame)
    sp, sq, sr, ss = table[node, BOX + 4], table[node, BOX + 5], table[node, BOX + 6], table[node, BOX + 7]
    free, least, beside = exempt
    finite, at_free, at_side = False, False, False
    for i in range(n):
        x, y, h = polygon[i, 0], polygon[i, 1], polygon[i, 2]
        value = centre[0] * x + centre[1] * y + centre[2] * h
        value -= sp * abs(p[0] * x + p[1] * y + p[2] * h) + sq * abs(q[0] * x + q[1] * y + q[2] * h)
        value -= sr * abs(r[0] * x + r[1] * y + r[2] * h) + ss * abs(s[0] * x + s[1] * y + s[2] * h)
        finite = finite or h > 0.0
        if value <= polygon[i, 3]:
            if i != free or value < least:
                return False
            at_free = True
        elif h == 0.0 and value <= beside and free >= 0:
            at_side = at_side or is_beside(i, free, n)
    return finite and not (at_free and at_side)


@inner
def measure_away(table, node, plane):
    """Square of the distance in R^4 between the centre of a node and a plane, whichever way that faces."""
    direct, turned = 0.0, 0.0
    for c in range(4):
        direct += (table[node, BOX + c] - table[plane, EQUATION + c]) ** 2
        turned += (table[node, BOX + c] + table[plane, EQUATION + c]) ** 2
    return min(direct, turned)


@inner
def find_nearer(table, marks, child, plane):
    """Which of the nodes `child` and `child` + 1 is more like a plane, 0 or 1: the one that it is in, or else the one
    with the nearer centre."""
    place = marks[plane, PLACE]
    for which in range(2):
        if marks[child + which, LOW] <= place < marks[child + which, HIGH]:
            return which
    return 0 if measure_away(table, child, plane) < measure_away(table, child + 1, plane) else 1
