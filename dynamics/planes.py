"""One plane of acceleration space that several contacts share, with their slip cells: convex polygons, cut and kept.

Contacts share a plane N.a + b = 0 when their normals lie on one line of action (the singular case that Erdmann's
section 5.4.5 sets aside), face to face or one behind the other. Then members may fill segments, polygons or whole
half-planes. A polygon, bounded or not, is a cyclic list of homogeneous points (z1, z2, h): h = 1 a vertex, h = 0 a
direction at infinity. Neighbours are less than half a turn apart, so every cut is exact.
"""

from __future__ import annotations

from math import sqrt

from dynamics.output import add_point, add_segment, put_ray, put_vertex, start_piece
from dynamics.problem import (
    EDGE_NEGATIVE,
    EDGE_POSITIVE,
    FIRST,
    NEXT,
    NORMAL,
    OUT_OF_ROOM,
    PLANE_SIDES,
    ROLLS,
    STATE,
    STATUS,
    TANGENT,
    WIDE,
)
from dynamics.span import describe_cone
from geometry._jit import jit


@jit
def start_polygon(polygon):
    """The whole plane: three directions a third of a turn apart."""
    for i in range(3):
        polygon[i, 2] = 0.0
    polygon[0, 0], polygon[0, 1] = 1.0, 0.0
    polygon[1, 0], polygon[1, 1] = -0.5, 0.75**0.5
    polygon[2, 0], polygon[2, 1] = -0.5, -(0.75**0.5)
    return 3


@jit
def evaluate(polygon, i, line):
    """Value of the line (p, q, r): p z1 + q z2 + r h at a corner."""
    return line[0] * polygon[i, 0] + line[1] * polygon[i, 1] + line[2] * polygon[i, 2]


@jit
def slack(polygon, i, tolerances):
    """What counts as zero at a corner."""
    if polygon[i, 2] == 0.0:
        return tolerances.angle
    return tolerances.accept * (1.0 + abs(polygon[i, 0]) + abs(polygon[i, 1]))


@jit
def _put_mix(polygon, n, source, i, j, wi, wj):
    """Corner number n = wi * corner i + wj * corner j of the source, normalised."""
    x = wi * source[i, 0] + wj * source[j, 0]
    y = wi * source[i, 1] + wj * source[j, 1]
    h = wi * source[i, 2] + wj * source[j, 2]
    size = sqrt(x * x + y * y)
    if h > 1e-12 * size:
        polygon[n, 0], polygon[n, 1], polygon[n, 2] = x / h, y / h, 1.0
    else:
        polygon[n, 0], polygon[n, 1], polygon[n, 2] = x / size, y / size, 0.0
    return n + 1


@jit
def clip_polygon(source, n, line, target, tolerances):
    """The part of a polygon where p z1 + q z2 + r >= 0, into target; returns its corners, or -1 if they do not fit."""
    room = target.shape[0] - 4
    out = 0
    for i in range(n):
        j = i + 1 if i + 1 < n else 0
        si, sj = evaluate(source, i, line), evaluate(source, j, line)
        ti, tj = slack(source, i, tolerances), slack(source, j, tolerances)
        if out > room:
            return -1
        if si >= -ti:
            for c in range(3):
                target[out, c] = source[i, c]
            out += 1
        if si > ti and sj < -tj:
            out = _put_mix(target, out, source, i, j, -sj, si)
        elif si < -ti and sj > tj:
            out = _put_mix(target, out, source, i, j, sj, -si)
    return _close_half_turn(target, out, line)


@jit
def _close_half_turn(polygon, n, line):
    """Between two opposite directions put the point of the cutting line nearest the origin."""
    for i in range(n):
        j = i + 1 if i + 1 < n else 0
        if polygon[i, 2] == 0.0 and polygon[j, 2] == 0.0 and i != j:
            if polygon[i, 0] * polygon[j, 0] + polygon[i, 1] * polygon[j, 1] < -1.0 + 1e-12:
                for m in range(n, i + 1, -1):
                    for c in range(3):
                        polygon[m, c] = polygon[m - 1, c]
                size = line[0] * line[0] + line[1] * line[1]
                polygon[i + 1, 0] = -line[2] * line[0] / size
                polygon[i + 1, 1] = -line[2] * line[1] / size
                polygon[i + 1, 2] = 1.0
                return n + 1
    return n


@jit
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


@jit
def make_line(frame, x, y, z, offset):
    """The inequality (x, y, z).a + offset >= 0 written in the coordinates of a plane (origin, u, v)."""
    o, u, v = frame
    return (
        x * u[0] + y * u[1] + z * u[2],
        x * v[0] + y * v[1] + z * v[2],
        x * o[0] + y * o[1] + z * o[2] + offset,
    )


@jit
def keep_side(work, level, n, line, tolerances):
    """Cut polygon `level` in place; `n` corners before, the number after is returned (-1: no room)."""
    if line[0] * line[0] + line[1] * line[1] <= tolerances.angle * tolerances.angle:
        return n if line[2] >= -tolerances.accept * 10.0 else 0
    spare = work.polygons.shape[0] - 1
    n = clip_polygon(work.polygons[level], n, line, work.polygons[spare], tolerances)
    for i in range(n):
        for c in range(3):
            work.polygons[level, i, c] = work.polygons[spare, i, c]
    return n


@jit
def cut_by_planes(work, p, plane, frame, tolerances):
    """Polygon 0: the part of the plane that all planes of Q allow; returns its corners."""
    n = start_polygon(work.polygons[0])
    for l in range(p):
        if l == plane or n <= 0:
            continue
        sides = work.plane_info[l, PLANE_SIDES]
        q = work.planes[l]
        if sides & 1:
            n = keep_side(work, 0, n, make_line(frame, q[0], q[1], q[2], q[3]), tolerances)
        if sides & 2 and n > 0:
            n = keep_side(work, 0, n, make_line(frame, -q[0], -q[1], -q[2], -q[3]), tolerances)
    return n


@jit
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


@jit
def enter_cell(work, level, n, line, choice, tolerances):
    """Polygon level + 1: the part of polygon `level` where the line has sign `choice`; its corners, 0 if there is none.

    Only cells of the full dimension of the polygon are entered, so that no face is visited twice.
    """
    positive, zero, negative = find_signs(work.polygons[level], n, line, tolerances)
    if (choice == 1 and not positive) or (choice == 0 and not zero) or (choice == -1 and not negative):
        return 0
    for i in range(n):
        for c in range(3):
            work.polygons[level + 1, i, c] = work.polygons[level, i, c]
    if choice >= 0 and negative:
        n = keep_side(work, level + 1, n, line, tolerances)
    if choice <= 0 and positive and n > 0:
        n = keep_side(work, level + 1, n, (-line[0], -line[1], -line[2]), tolerances)
    return n


@jit
def put_edge(work, n, row, column):
    """Append a unit direction of a row to the cone."""
    for c in range(3):
        work.cone[n, c] = work.rows[row, column + c]
    return n + 1


@jit
def collect_cell_edges(work, plane, choices):
    """The edges that the contacts of one plane may use in a cell given by the signs of the rolling ones."""
    n, level = 0, 0
    row = work.plane_info[plane, FIRST]
    while row >= 0:
        sign = work.info[row, STATE]
        if sign == ROLLS:
            sign = choices[level]
            level += 1
            if sign == 0 and work.info[row, WIDE] == 1:
                n = put_edge(work, n, row, NORMAL)
        if sign >= 0:
            n = put_edge(work, n, row, EDGE_POSITIVE)
        if sign <= 0:
            n = put_edge(work, n, row, EDGE_NEGATIVE)
        row = work.info[row, NEXT]
    return n


@jit
def emit_polygon(work, level, n, frame, found, tolerances):
    """Store a polygon as a point, a segment (ray, line) or a piece of dimension two."""
    polygon = work.polygons[level]
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
        add_point(found, origin, tolerances.merge)
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
        add_segment(found, origin, direction, (low, high), tolerances.merge)
        return
    piece = start_piece(found, 2)
    if piece < 0:
        return
    for i in range(n):
        x, y, h = polygon[i, 0], polygon[i, 1], polygon[i, 2]
        ax, ay, az = x * u[0] + y * v[0], x * u[1] + y * v[1], x * u[2] + y * v[2]
        if h > 0.0:
            put_vertex(found, piece, o[0] + ax, o[1] + ay, o[2] + az)
        else:
            put_ray(found, piece, ax, ay, az)


@jit
def finish_cell(work, plane, level, n, frame, w, found, tolerances):
    """Cut a cell by the cone of its edges and store what is left."""
    choices = work.active[0]
    edges = collect_cell_edges(work, plane, choices)
    count = describe_cone(work.cone, edges, work.facets, tolerances.angle)
    if count < 0:
        found.counts[STATUS] = OUT_OF_ROOM
        return
    for i in range(n):
        for c in range(3):
            work.polygons[level + 1, i, c] = work.polygons[level, i, c]
    for f in range(count):
        x, y, z = work.facets[f, 0], work.facets[f, 1], work.facets[f, 2]
        line = make_line(frame, x, y, z, -(x * w[0] + y * w[1] + z * w[2]))
        n = keep_side(work, level + 1, n, line, tolerances)
        if n <= 0:
            if n < 0:
                found.counts[STATUS] = OUT_OF_ROOM
            return
    emit_polygon(work, level + 1, n, frame, found, tolerances)


@jit
def cut_plane(work, p, plane, w, found, tolerances):
    """All accelerations for which only the contacts of one plane, two or more, push."""
    q = work.planes[plane]
    gap = q[0] * w[0] + q[1] * w[1] + q[2] * w[2] + q[3]
    u, v = make_frame(q[0], q[1], q[2])
    frame = ((w[0] - gap * q[0], w[1] - gap * q[1], w[2] - gap * q[2]), u, v)
    corners, choices = work.breaks, work.active[0]
    depth = 0
    row = work.plane_info[plane, FIRST]
    while row >= 0:
        if work.info[row, STATE] == ROLLS:
            work.active[1, depth] = row
            depth += 1
        row = work.info[row, NEXT]
    n = cut_by_planes(work, p, plane, frame, tolerances)
    if n < 0 or depth + 3 > work.polygons.shape[0]:
        found.counts[STATUS] = OUT_OF_ROOM
        return
    if n == 0:
        return
    if depth == 0:
        finish_cell(work, plane, 0, n, frame, w, found, tolerances)
        return
    corners[0] = n
    level, choices[0] = 0, 2
    while level >= 0:
        choices[level] -= 1
        if choices[level] < -1:
            level -= 1
            continue
        row = work.active[1, level]
        line = make_line(
            frame, work.rows[row, TANGENT], work.rows[row, TANGENT + 1], work.rows[row, TANGENT + 2],
            work.rows[row, TANGENT + 3],
        )
        n = enter_cell(work, level, int(corners[level]), line, choices[level], tolerances)
        if n < 0:
            found.counts[STATUS] = OUT_OF_ROOM
        if n <= 0:
            continue
        if level + 1 == depth:
            finish_cell(work, plane, level + 1, n, frame, w, found, tolerances)
        else:
            level += 1
            corners[level] = n
            choices[level] = 2
