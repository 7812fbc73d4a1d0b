"""The same walk over the faces of Q for many contacts: about k log k instead of k^3.

The part of each plane that Q allows is cut out as a convex polygon: first by the half-spaces that look most alike, then
by all that come near what is left. The sides of the polygons are the edges of Q and their corners its vertices; both
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
from dynamics.search.half_spaces import build_tree, is_far, measure_away, measure_gap
from dynamics.search.output import add_point
from dynamics.search.planes import evaluate, keep_side, make_frame, make_line, start_polygon
from dynamics.search.problem import (
    ACTIVE_PLANE,
    BALL,
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
    PLACE,
    PLANE_SIDES,
    PLANES,
    STATUS,
    inner,
)

LOOK = 4  # half-spaces on either side in the order of the tree that cut first


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
def fit_circle(polygon, n, frame):
    """A ball around a polygon: (centre, radius); the radius is infinite if the polygon is."""
    a, b, bounded = 0.0, 0.0, True
    for i in range(n):
        bounded = bounded and polygon[i, 2] > 0.0
        a, b = a + polygon[i, 0] / n, b + polygon[i, 1] / n
    radius = 0.0
    for i in range(n):
        radius = max(radius, (polygon[i, 0] - a) ** 2 + (polygon[i, 1] - b) ** 2)
    return lift(frame, a, b), sqrt(radius) if bounded else inf


@inner
def is_cut(table, item, polygon, n, frame, near):
    """Does a half-space cut a polygon, or touch it?"""
    p, sign = item >> 1, 1.0 - 2.0 * (item & 1)
    x, y, z = sign * table[p, EQUATION], sign * table[p, EQUATION + 1], sign * table[p, EQUATION + 2]
    line = make_line(frame, x, y, z, sign * table[p, EQUATION + 3])
    for i in range(n):
        if evaluate(polygon, i, line) <= near:
            return True
    return False


@inner
def cut_alike(table, marks, stack, cell, tolerances):
    """Cut polygon 0 by the half-spaces that look most like its plane: those next to it in the order of the tree, and
    those about as close to it as they are. Returns its corners.
    """
    plane, items, frame = cell
    n = start_polygon(stack[0])
    place = marks[plane, PLACE]
    first, last = max(place - LOOK, 0), min(place + LOOK + 1, items)
    reach = 0.0
    for i in range(first, last):
        other = marks[i, ITEM] >> 1
        if other != plane:
            if is_cut(table, marks[i, ITEM], stack[0], n, frame, 0.0):
                n = cut_by_item(table, stack, n, marks[i, ITEM], frame, tolerances)
                if n <= 0:
                    return n
            reach += 2.0 * sqrt(measure_gap(table, other, plane)) / (last - first)
    for i in range(first, last):
        other = marks[i, ITEM] >> 1
        if other < plane and holds_polygon(table, other, stack[0], n, frame, tolerances):
            return 0
    count = 1
    marks[0, PENDING] = 0
    while count > 0:
        count -= 1
        node = marks[count, PENDING]
        if sqrt(measure_away(table, node, plane)) - table[node, BALL + 4] > reach:
            continue
        child = marks[node, CHILD]
        if child >= 0:
            marks[count, PENDING], marks[count + 1, PENDING] = child, child + 1
            count += 2
            continue
        for i in range(marks[node, LOW], marks[node, HIGH]):
            if marks[i, ITEM] >> 1 != plane and is_cut(table, marks[i, ITEM], stack[0], n, frame, 0.0):
                n = cut_by_item(table, stack, n, marks[i, ITEM], frame, tolerances)
                if n <= 0:
                    return n
    return n


@inner
def cut_polygon(table, marks, stack, cell, tolerances):
    """The part of a plane that Q allows, as polygon 0, and the planes that touch it in column NEAR; returns its
    corners.

    0 also if a plane before this one holds all of it: then it is an edge or a vertex that is looked at from there.
    """
    plane, _, frame = cell
    n = cut_alike(table, marks, stack, cell, tolerances)
    if n <= 0:
        return n
    polygon = stack[0]
    centre, radius = fit_circle(polygon, n, frame)
    near = 20.0 * tolerances.accept * (1.0 + abs(centre[0]) + abs(centre[1]) + abs(centre[2]))
    nearby, count = 0, 1
    marks[0, PENDING] = 0
    while count > 0:
        count -= 1
        node = marks[count, PENDING]
        if is_far(table, node, centre, radius + near):
            continue
        child = marks[node, CHILD]
        if child >= 0:
            first_away = measure_away(table, child, plane)  # the ball that looks most like the plane cuts first
            nearer = child if first_away < measure_away(table, child + 1, plane) else child + 1
            marks[count, PENDING], marks[count + 1, PENDING] = 2 * child + 1 - nearer, nearer
            count += 2
            continue
        for i in range(marks[node, LOW], marks[node, HIGH]):
            item = marks[i, ITEM]
            other = item >> 1
            value = dot(table, other, EQUATION, centre[0], centre[1], centre[2]) + table[other, EQUATION + 3]
            if (-value if item & 1 else value) > radius + near or other == plane:
                continue
            if not is_cut(table, item, polygon, n, frame, near):
                continue
            if item & 1 == 0 or marks[other, PLANE_SIDES] == 2:  # a plane with two sides is listed once
                marks[nearby, NEAR] = other
                nearby += 1
            n = cut_by_item(table, stack, n, item, frame, tolerances)
            if n <= 0:
                return n
            centre, radius = fit_circle(polygon, n, frame)
            near = max(near, 20.0 * tolerances.accept * (1.0 + abs(centre[0]) + abs(centre[1]) + abs(centre[2])))
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
    items = build_tree(table, marks)
    for plane in range(p):
        x, y, z = table[plane, EQUATION], table[plane, EQUATION + 1], table[plane, EQUATION + 2]
        gap = x * w[0] + y * w[1] + z * w[2] + table[plane, EQUATION + 3]
        u, v = make_frame(x, y, z)
        frame = ((w[0] - gap * x, w[1] - gap * y, w[2] - gap * z), u, v)
        n = cut_polygon(table, marks, stack, (plane, items, frame), tolerances)
        if n < 0:
            marks[STATUS, COUNT] = OUT_OF_ROOM
        if n > 0:
            walk_sides(table, marks, stack[0], (plane, n, frame), w, tolerances)
            walk_plane(table, marks, stack, plane, w, tolerances)
    marks[NEARBY, COUNT] = 0
