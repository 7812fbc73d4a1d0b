"""One plane of acceleration space that several contacts share, with their slip cells: convex polygons, cut and kept.

Contacts share a plane N.a + b = 0 when their normals lie on one line of action (the singular case that Erdmann's
section 5.4.5 sets aside), face to face or one behind the other. Then members may fill segments, polygons or whole
half-planes. A polygon, bounded or not, is a cyclic list of homogeneous points (z1, z2, h): h = 1 a vertex, h = 0 a
direction at infinity. Neighbours are less than half a turn apart, so every cut is exact.
"""

from __future__ import annotations

from math import sqrt

from dynamics.search.output import add_point, add_segment, put_ray, put_vertex, start_piece
from dynamics.search.problem import (
    ACTIVE_ROW,
    CHOICE,
    CORNERS,
    COUNT,
    EDGE,
    EDGE_NEGATIVE,
    EDGE_POSITIVE,
    EQUATION,
    FACET,
    FIRST,
    NEAR,
    NEARBY,
    NEXT,
    NORMAL,
    OUT_OF_ROOM,
    PLANE_SIDES,
    PLANES,
    ROLLS,
    STATE,
    STATUS,
    TANGENT,
    WIDE,
    inner,
    merged,
)
from dynamics.search.span import describe_cone
from dynamics.tolerances import AT_INFINITY, OPPOSITE
from geometry.tolerances import TINY


@merged
def start_polygon(polygon):
    """The whole plane: three directions a third of a turn apart."""
    for i in range(3):
        polygon[i, 2] = 0.0
    polygon[0, 0], polygon[0, 1] = 1.0, 0.0
    polygon[1, 0], polygon[1, 1] = -0.5, 0.75**0.5
    polygon[2, 0], polygon[2, 1] = -0.5, -(0.75**0.5)
    return 3


@inner
def evaluate(polygon, i, line):
    """Value of the line (p, q, r): p z1 + q z2 + r h at a corner."""
    return line[0] * polygon[i, 0] + line[1] * polygon[i, 1] + line[2] * polygon[i, 2]


@inner
def slack(polygon, i, tolerances):
    """What counts as zero at a corner."""
    if polygon[i, 2] == 0.0:
        return tolerances.angle
    return tolerances.accept * (1.0 + abs(polygon[i, 0]) + abs(polygon[i, 1]))


@inner
def _put_mix(polygon, n, source, i, j, wi, wj):
    """Corner number n = wi * corner i + wj * corner j of the source, normalised."""
    x = wi * source[i, 0] + wj * source[j, 0]
    y = wi * source[i, 1] + wj * source[j, 1]
    h = wi * source[i, 2] + wj * source[j, 2]
    size = sqrt(x * x + y * y)
    if h > AT_INFINITY * size:
        polygon[n, 0], polygon[n, 1], polygon[n, 2] = x / h, y / h, 1.0
    else:
        size = max(size, TINY)
        polygon[n, 0], polygon[n, 1], polygon[n, 2] = x / size, y / size, 0.0
    return n + 1


@inner
def clip_polygon(source, n, line, target, tolerances):
    """The part of a polygon where p z1 + q z2 + r >= 0, into target; returns its corners, or -1 if they do not fit."""
    room = target.shape[0] - 4
    out, lost, reaches = 0, False, False
    for i in range(n):
        j = i + 1 if i + 1 < n else 0
        si, sj = evaluate(source, i, line), evaluate(source, j, line)
        ti, tj = slack(source, i, tolerances), slack(source, j, tolerances)
        if out > room:
            return -1
        reaches = reaches or si > ti
        lost = lost or (si < -ti and source[i, 2] > 0.0)
        if si >= -ti:
            reaches = reaches or source[i, 2] > 0.0
            for c in range(3):
                target[out, c] = source[i, c]
            out += 1
        if si > ti and sj < -tj:
            out = _put_mix(target, out, source, i, j, -sj, si)
        elif si < -ti and sj > tj:
            out = _put_mix(target, out, source, i, j, sj, -si)
    if lost and not reaches:
        return 0  # only directions along the cut are left, of a polygon that lies beyond it
    return _close_half_turn(target, out, line)


@merged
def _close_half_turn(polygon, n, line):
    """Between neighbours that are opposite directions put the point of the cutting line nearest the origin."""
    i = 0
    while i < n:
        j = i + 1 if i + 1 < n else 0
        flat = i != j and polygon[i, 2] == 0.0 and polygon[j, 2] == 0.0
        if flat and polygon[i, 0] * polygon[j, 0] + polygon[i, 1] * polygon[j, 1] < -1.0 + OPPOSITE:
            for m in range(n, i + 1, -1):
                for c in range(3):
                    polygon[m, c] = polygon[m - 1, c]
            size = line[0] * line[0] + line[1] * line[1]
            polygon[i + 1, 0] = -line[2] * line[0] / size
            polygon[i + 1, 1] = -line[2] * line[1] / size
            polygon[i + 1, 2] = 1.0
            n += 1
            i += 1
        i += 1
    return n


@merged
def make_frame(nx, ny, nz):
    """Two unit vectors that complete a unit normal."""
    if abs(nx) <= abs(ny) and abs(nx) <= abs(nz):
        ux, uy, uz = 0.0, nz, -ny
    elif abs(ny) <= abs(nz):
        ux, uy, uz = -nz, 0.0, nx
    else:
        ux, uy, uz = ny, -nx, 0.0
    size = 1.0 / sqrt(ux * ux + uy * uy + uz * uz)
    ux, uy, uz = ux * size, uy * size, uz * size
    return (ux, uy, uz), (ny * uz - nz * uy, nz * ux - nx * uz, nx * uy - ny * ux)


@inner
def make_line(frame, x, y, z, offset):
    """The inequality (x, y, z).a + offset >= 0 written in the coordinates of a plane (origin, u, v)."""
    o, u, v = frame
    return (
        x * u[0] + y * u[1] + z * u[2],
        x * v[0] + y * v[1] + z * v[2],
        x * o[0] + y * o[1] + z * o[2] + offset,
    )


@inner
def keep_side(stack, level, n, line, tolerances):
    """Cut polygon `level` in place; `n` corners before, the number after is returned (-1: no room)."""
    if line[0] * line[0] + line[1] * line[1] <= tolerances.angle * tolerances.angle:
        return n if line[2] >= -tolerances.accept * 10.0 else 0
    spare = stack.shape[0] - 1
    n = clip_polygon(stack[level], n, line, stack[spare], tolerances)
    for i in range(n):
        for c in range(3):
            stack[level, i, c] = stack[spare, i, c]
    return n


@merged
def cut_by_planes(table, marks, stack, plane, frame, tolerances):
    """Polygon 0: the part of the plane that all planes of Q allow; returns its corners. Only those nearby are asked, if
    they are listed."""
    n = start_polygon(stack[0])
    nearby = marks[NEARBY, COUNT]
    for m in range(nearby if nearby > 0 else marks[PLANES, COUNT]):
        l = marks[m, NEAR] if nearby > 0 else m
        if l == plane or n <= 0:
            continue
        sides = marks[l, PLANE_SIDES]
        qx, qy, qz, qb = table[l, EQUATION], table[l, EQUATION + 1], table[l, EQUATION + 2], table[l, EQUATION + 3]
        if sides & 1:
            n = keep_side(stack, 0, n, make_line(frame, qx, qy, qz, qb), tolerances)
        if sides & 2 and n > 0:
            n = keep_side(stack, 0, n, make_line(frame, -qx, -qy, -qz, -qb), tolerances)
    return n


@merged
def find_signs(polygon, n, line, tolerances):
    """Which signs a line takes on a polygon: (positive, zero, negative)."""
    positive, zero, negative = False, False, False
    for i in range(n):
        s, t = evaluate(polygon, i, line), slack(polygon, i, tolerances)
        if s > t:
            positive = True
        elif s < -t:
            negative = True
        elif polygon[i, 2] > 0.0:
            zero = True
    return positive, zero or (positive and negative), negative


@merged
def enter_cell(stack, level, n, line, choice, tolerances):
    """Polygon level + 1: the part of polygon `level` where the line has sign `choice`; its corners, 0 if there is none.

    Only cells of the full dimension of the polygon are entered, so that no face is visited twice.
    """
    positive, zero, negative = find_signs(stack[level], n, line, tolerances)
    if (choice == 1 and not positive) or (choice == 0 and not zero) or (choice == -1 and not negative):
        return 0
    for i in range(n):
        for c in range(3):
            stack[level + 1, i, c] = stack[level, i, c]
    if choice >= 0 and negative:
        n = keep_side(stack, level + 1, n, line, tolerances)
    if choice <= 0 and positive and n > 0:
        n = keep_side(stack, level + 1, n, (-line[0], -line[1], -line[2]), tolerances)
    return n


@inner
def put_edge(table, marks, n, row, column):
    """Append a unit direction of a row to the cone."""
    for c in range(3):
        table[n, EDGE + c] = table[row, column + c]
    return n + 1


@merged
def collect_cell_edges(table, marks, plane):
    """The edges that the contacts of one plane may use in a cell given by the signs of the rolling ones."""
    n, level = 0, 0
    row = marks[plane, FIRST]
    while row >= 0:
        sign = marks[row, STATE]
        if sign == ROLLS:
            sign = marks[level, CHOICE]
            level += 1
            if sign == 0 and marks[row, WIDE] == 1:
                n = put_edge(table, marks, n, row, NORMAL)
        if sign >= 0:
            n = put_edge(table, marks, n, row, EDGE_POSITIVE)
        if sign <= 0:
            n = put_edge(table, marks, n, row, EDGE_NEGATIVE)
        row = marks[row, NEXT]
    return n


@inner
def emit_polygon(table, marks, polygon, n, frame, tolerances):
    """Store a polygon as a point, a segment (ray, line) or a piece of dimension two."""
    o, u, v = frame
    base = -1
    for i in range(n):
        if polygon[i, 2] > 0.0:
            base = i
            break
    if base < 0:
        return
    bx, by = polygon[base, 0], polygon[base, 1]
    near = tolerances.merge * (1.0 + abs(bx) + abs(by))
    dx, dy, longest = 0.0, 0.0, near
    for i in range(n):
        x, y = polygon[i, 0] - polygon[i, 2] * bx, polygon[i, 1] - polygon[i, 2] * by
        size = sqrt(x * x + y * y)
        if size > longest:
            longest, dx, dy = size, x / size, y / size
    origin = (o[0] + bx * u[0] + by * v[0], o[1] + bx * u[1] + by * v[1], o[2] + bx * u[2] + by * v[2])
    if longest <= near:
        add_point(table, marks, origin, tolerances.merge)
        return
    low, high, flat = 0.0, 0.0, True
    for i in range(n):
        x, y = polygon[i, 0] - polygon[i, 2] * bx, polygon[i, 1] - polygon[i, 2] * by
        if abs(x * dy - y * dx) > near:
            flat = False
        along = x * dx + y * dy
        if polygon[i, 2] == 0.0:
            along *= float("inf")
        low, high = min(low, along), max(high, along)
    if flat:
        direction = (dx * u[0] + dy * v[0], dx * u[1] + dy * v[1], dx * u[2] + dy * v[2])
        add_segment(table, marks, origin, direction, (low, high), tolerances.merge)
        return
    piece = start_piece(marks, 2)
    if piece < 0:
        return
    for i in range(n):
        x, y, h = polygon[i, 0], polygon[i, 1], polygon[i, 2]
        ax, ay, az = x * u[0] + y * v[0], x * u[1] + y * v[1], x * u[2] + y * v[2]
        if h > 0.0:
            put_vertex(table, marks, piece, o[0] + ax, o[1] + ay, o[2] + az)
        else:
            put_ray(table, marks, piece, ax, ay, az)


@inner
def finish_cell(table, marks, stack, cell, w, tolerances):
    """Cut a cell by the cone of its edges and store what is left."""
    plane, level, n, frame = cell
    edges = collect_cell_edges(table, marks, plane)
    count = describe_cone(table, edges, tolerances.angle)
    if count < 0:
        marks[STATUS, COUNT] = OUT_OF_ROOM
        return
    for i in range(n):
        for c in range(3):
            stack[level + 1, i, c] = stack[level, i, c]
    for f in range(count):
        x, y, z = table[f, FACET], table[f, FACET + 1], table[f, FACET + 2]
        line = make_line(frame, x, y, z, -(x * w[0] + y * w[1] + z * w[2]))
        n = keep_side(stack, level + 1, n, line, tolerances)
        if n <= 0:
            if n < 0:
                marks[STATUS, COUNT] = OUT_OF_ROOM
            return
    emit_polygon(table, marks, stack[level + 1], n, frame, tolerances)


@inner
def cut_plane(table, marks, stack, plane, w, tolerances):
    """All accelerations for which only the contacts of one plane, two or more, push."""
    qx, qy, qz = table[plane, EQUATION], table[plane, EQUATION + 1], table[plane, EQUATION + 2]
    gap = qx * w[0] + qy * w[1] + qz * w[2] + table[plane, EQUATION + 3]
    u, v = make_frame(qx, qy, qz)
    frame = ((w[0] - gap * qx, w[1] - gap * qy, w[2] - gap * qz), u, v)
    depth = 0
    row = marks[plane, FIRST]
    while row >= 0:
        if marks[row, STATE] == ROLLS:
            marks[depth, ACTIVE_ROW] = row
            depth += 1
        row = marks[row, NEXT]
    n = cut_by_planes(table, marks, stack, plane, frame, tolerances)
    if n < 0 or depth + 3 > stack.shape[0]:
        marks[STATUS, COUNT] = OUT_OF_ROOM
        return
    if n == 0:
        return
    if depth == 0:
        finish_cell(table, marks, stack, (plane, 0, n, frame), w, tolerances)
        return
    marks[0, CORNERS] = n
    level, marks[0, CHOICE] = 0, 2
    while level >= 0:
        marks[level, CHOICE] -= 1
        if marks[level, CHOICE] < -1:
            level -= 1
            continue
        row = marks[level, ACTIVE_ROW]
        line = make_line(
            frame, table[row, TANGENT], table[row, TANGENT + 1], table[row, TANGENT + 2],
            table[row, TANGENT + 3],
        )
        n = enter_cell(stack, level, marks[level, CORNERS], line, marks[level, CHOICE], tolerances)
        if n < 0:
            marks[STATUS, COUNT] = OUT_OF_ROOM
        if n <= 0:
            continue
        if level + 1 == depth:
            finish_cell(table, marks, stack, (plane, level + 1, n, frame), w, tolerances)
        else:
            level += 1
            marks[level, CORNERS] = n
            marks[level, CHOICE] = 2
