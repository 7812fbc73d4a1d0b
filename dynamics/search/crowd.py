"""The same walk over the faces of Q for many contacts: about k log k instead of k^3.

The part of each plane that Q allows is cut out as a convex polygon, by the half-spaces that look most alike first and
then by all that come near what is left. The sides of the polygons are the edges of Q, their corners its vertices; both
are looked at from the first of the planes that meet there. Planes that only touch Q in an edge or a vertex take part.
"""

from __future__ import annotations

from math import inf, sqrt

from dynamics.search.faces import (
    check_point,
    collect_rows,
    cut_cells,
    dot,
    is_allowed,
    walk_plane,
)
from dynamics.search.half_spaces import build_tree, find_nearer, is_beside, is_far
from dynamics.search.output import add_point
from dynamics.search.planes import evaluate, keep_side, make_frame, make_line, slack, start_polygon
from dynamics.search.problem import (
    ACTIVE_PLANE,
    CHILD,
    COUNT,
    EQUATION,
    HIGH,
    ITEM,
    LOW,
    NEAR,
    NEARBY,
    OUT_OF_ROOM,
    PENDING,
    PLANE_SIDES,
    PLANES,
    STATUS,
    inner,
)


@inner
def lift(frame, a, b):
    """The point with coordinates (a, b) in a plane (origin, u, v)."""
    o, u, v = frame
    return o[0] + a * u[0] + b * v[0], o[1] + a * u[1] + b * v[1], o[2] + a * u[2] + b * v[2]


@inner
def cut_by_item(table, stack, n, item, frame, tolerances):
    """Cut polygon 0 by a half-space (2 plane, or 2 plane + 1 for the plane turned round); returns its corners."""
    p, sign = item >> 1, 1.0 - 2.0 * (item & 1)
    x, y, z = sign * table[p, EQUATION], sign * table[p, EQUATION + 1], sign * table[p, EQUATION + 2]
    return keep_side(stack, 0, n, make_line(frame, x, y, z, sign * table[p, EQUATION + 3]), tolerances)


@inner
def holds_polygon(table, plane, polygon, n, frame, tolerances):
    """Does a plane hold all corners of a polygon, of which at least one is finite?"""
    finite = False
    for i in range(n):
        x, y, z = lift(frame, polygon[i, 0], polygon[i, 1])
        if polygon[i, 2] > 0.0:
            value = dot(table, plane, EQUATION, x, y, z) + table[plane, EQUATION + 3]
            if abs(value) > tolerances.accept * (1.0 + abs(x) + abs(y) + abs(z)):
                return False
            finite = True
        elif abs(dot(table, plane, EQUATION, x - frame[0][0], y - frame[0][1], z - frame[0][2])) > tolerances.angle:
            return False
    return finite


@inner
def set_reach(polygon, n, free, frame, tolerances):
    """Write to each corner the value above which a half-space keeps away from it; returns (free, least value there,
    least value beside it), see `half_spaces.is_far`.

    At a vertex that is twice what `find_touching` calls near; a direction at infinity only has to stay inside.
    """
    for i in range(n):
        x, y, z = lift(frame, polygon[i, 0], polygon[i, 1])
        polygon[i, 3] = -tolerances.angle
        if polygon[i, 2] > 0.0:
            polygon[i, 3] = 20.0 * tolerances.accept * (1.0 + abs(x) + abs(y) + abs(z))
    return free, -slack(polygon, max(free, 0), tolerances), tolerances.angle


@inner
def is_cut(table, item, polygon, n, frame, exempt):
    """Does a half-space cut a polygon, or touch it? As `is_far`, of a box without size."""
    p, sign = item >> 1, 1.0 - 2.0 * (item & 1)
    x, y, z = sign * table[p, EQUATION], sign * table[p, EQUATION + 1], sign * table[p, EQUATION + 2]
    line = make_line(frame, x, y, z, sign * table[p, EQUATION + 3])
    free, least, beside = exempt
    finite, at_free, at_side = False, False, False
    for i in range(n):
        value = evaluate(polygon, i, line)
        finite = finite or polygon[i, 2] > 0.0
        if value <= polygon[i, 3]:
            if i != free or value < least:
                return True
            at_free = True
        elif polygon[i, 2] == 0.0 and value <= beside and free >= 0:
            at_side = at_side or is_beside(i, free, n)
    return (at_free and at_side) or not finite


@inner
def is_straight(polygon, n, i, tolerances):
    """Do both sides that meet at a vertex lie on one line?"""
    before, after = (i + n - 1) % n, (i + 1) % n
    x, y, h, g = polygon[i, 0], polygon[i, 1], polygon[before, 2], polygon[after, 2]
    ax, ay = polygon[before, 0] - h * x, polygon[before, 1] - h * y
    bx, by = polygon[after, 0] - g * x, polygon[after, 1] - g * y
    return abs(ax * by - ay * bx) <= tolerances.angle * sqrt((ax * ax + ay * ay) * (bx * bx + by * by))


@inner
def find_free(table, plane, other, polygon, n, frame, tolerances):
    """A vertex of the polygon that an earlier plane `other` holds: -1 if there is none. What else touches there is
    looked at from that plane."""
    if other < plane:
        for i in range(n):
            if polygon[i, 2] > 0.0:
                x, y, z = lift(frame, polygon[i, 0], polygon[i, 1])
                value = dot(table, other, EQUATION, x, y, z) + table[other, EQUATION + 3]
                near = 10.0 * tolerances.accept * (1.0 + abs(x) + abs(y) + abs(z))
                if abs(value) <= near and not is_straight(polygon, n, i, tolerances):
                    return i
    return -1


@inner
def find_corner(polygon, n, corner):
    """Which vertex of a polygon this one is: -1 if it was cut away."""
    for i in range(n):
        if polygon[i, 2] > 0.0 and polygon[i, 0] == corner[0] and polygon[i, 1] == corner[1]:
            return i
    return -1


@inner
def keep_near(table, marks, polygon, n, frame, exempt, nearby):
    """Leave in column NEAR those of the planes listed there that touch what is left of the polygon."""
    kept = 0
    for m in range(nearby):
        other = marks[m, NEAR]
        sides = marks[other, PLANE_SIDES]
        if (sides & 1 and is_cut(table, 2 * other, polygon, n, frame, exempt)) or (
            sides & 2 and is_cut(table, 2 * other + 1, polygon, n, frame, exempt)
        ):
            marks[kept, NEAR] = other
            kept += 1
    return kept


@inner
def cut_polygon(table, marks, stack, cell, tolerances):
    """The part of a plane that Q allows, as polygon 0, and the planes that touch it in column NEAR; returns its
    corners.

    0 also if a plane before this one holds all of it: then it is an edge or a vertex that is looked at from there. Many
    planes may meet at one vertex of Q. They are all listed from the first of them alone; another lists an earlier one.
    """
    plane, frame = cell
    polygon = stack[0]
    n = start_polygon(polygon)
    holder, corner = -1, (0.0, 0.0)
    exempt = set_reach(polygon, n, -1, frame, tolerances)
    nearby, count = 0, 1
    marks[0, PENDING] = 0
    while count > 0:
        count -= 1
        node = marks[count, PENDING]
        if is_far(table, node, polygon, n, frame, exempt):
            continue
        child = marks[node, CHILD]
        if child >= 0:
            nearer = child + find_nearer(table, marks, child, plane)  # what looks most like the plane cuts first
            marks[count, PENDING], marks[count + 1, PENDING] = 2 * child + 1 - nearer, nearer
            count += 2
            continue
        for i in range(marks[node, LOW], marks[node, HIGH]):
            item = marks[i, ITEM]
            other = item >> 1
            if other == plane or not is_cut(table, item, polygon, n, frame, exempt):
                continue
            if item & 1 == 0 or marks[other, PLANE_SIDES] == 2:  # a plane with two sides is listed once
                marks[nearby, NEAR] = other
                nearby += 1
            n = cut_by_item(table, stack, n, item, frame, tolerances)
            if n <= 0:
                return n
            if other < plane and holds_polygon(table, other, polygon, n, frame, tolerances):
                return 0
            if exempt[0] >= 0 and holds_polygon(table, holder, polygon, n, frame, tolerances):
                return 0
            free = exempt[0]
            if free >= 0:
                free = find_corner(polygon, n, corner)
                if free < 0:  # what touched there was passed over, and may touch what is left: begin again
                    nearby, count = 0, 1
                    marks[0, PENDING] = 0
                    exempt = set_reach(polygon, n, free, frame, tolerances)
                    break
            else:
                free = find_free(table, plane, other, polygon, n, frame, tolerances)
                holder, corner = other, (polygon[max(free, 0), 0], polygon[max(free, 0), 1])
            exempt = set_reach(polygon, n, free, frame, tolerances)
    exempt = set_reach(polygon, n, -1, frame, tolerances)
    nearby = keep_near(table, marks, polygon, n, frame, exempt, nearby)
    marks[nearby, NEAR] = plane
    marks[NEARBY, COUNT] = nearby + 1
    return n


@inner
def find_touching(table, marks, plane, point, near):
    """List the nearby planes that hold a point in ACTIVE_PLANE; -1 if one of them comes before `plane`."""
    count = 0
    for m in range(marks[NEARBY, COUNT]):
        l = marks[m, NEAR]
        if abs(dot(table, l, EQUATION, point[0], point[1], point[2]) + table[l, EQUATION + 3]) <= near:
            if l < plane:
                return -1
            marks[count, ACTIVE_PLANE] = l
            count += 1
    return count


@inner
def walk_sides(table, marks, polygon, cell, w, tolerances):
    """The edges and vertices of Q on one plane, as far as no earlier plane has them."""
    plane, n, frame = cell
    for start in range(n):
        i, j = start, start + 1 if start + 1 < n else 0
        if polygon[i, 2] == 0.0:
            i, j = j, i
        if polygon[i, 2] == 0.0:
            continue
        a, b = polygon[i, 0], polygon[i, 1]
        point = lift(frame, a, b)
        near = 10.0 * tolerances.accept * (1.0 + abs(point[0]) + abs(point[1]) + abs(point[2]))
        planes = find_touching(table, marks, plane, point, near)
        if planes > 0:
            check_point(table, marks, collect_rows(table, marks, planes), w, point, tolerances)
        a, b = polygon[j, 0] - polygon[j, 2] * a, polygon[j, 1] - polygon[j, 2] * b
        size = sqrt(a * a + b * b)
        if size <= near:
            continue
        far = lift(frame, a / size, b / size)
        direction = (far[0] - frame[0][0], far[1] - frame[0][1], far[2] - frame[0][2])
        c = 0.5 * size if polygon[j, 2] > 0.0 else 1.0
        middle = (point[0] + c * direction[0], point[1] + c * direction[1], point[2] + c * direction[2])
        planes = find_touching(table, marks, plane, middle, near * (1.0 + c))
        if planes > 1:
            rows = collect_rows(table, marks, planes)
            high = size if polygon[j, 2] > 0.0 else inf
            cut_cells(table, marks, rows, w, point, direction, (0.0, high), tolerances)


@inner
def walk_crowd(table, marks, stack, w, tolerances):
    """All faces of Q for many planes; does what `walk_faces` does for few."""
    p = marks[PLANES, COUNT]
    if is_allowed(table, marks, p, -1, w, tolerances.accept):
        add_point(table, marks, w, tolerances.merge)
    if p == 0:
        return
    build_tree(table, marks)
    for plane in range(p):
        x, y, z = table[plane, EQUATION], table[plane, EQUATION + 1], table[plane, EQUATION + 2]
        gap = x * w[0] + y * w[1] + z * w[2] + table[plane, EQUATION + 3]
        u, v = make_frame(x, y, z)
        frame = ((w[0] - gap * x, w[1] - gap * y, w[2] - gap * z), u, v)
        n = cut_polygon(table, marks, stack, (plane, frame), tolerances)
        if n < 0:
            marks[STATUS, COUNT] = OUT_OF_ROOM
        if n > 0:
            walk_sides(table, marks, stack[0], (plane, n, frame), w, tolerances)
            walk_plane(table, marks, stack, plane, w, tolerances)
    marks[NEARBY, COUNT] = 0
