"""Which contacts go over into each other at a joint where the normal does not jump.

So it is where an edge and an arc, or two arcs, have one tangent, also across a seam of two obstacles; at the vertex at
the end of an arc; and at the end of an edge, where what touches it is round itself. No contact begins there that was
not there before: it only gets another name.

An arc that lies on an edge does not pass to the edge at its own end: there the two edges are flush, and one that turns
beyond has met the other end of that edge before. So that end is none for it, and rounding of the angle decides nothing.
"""

from __future__ import annotations

from math import atan2, cos, inf, pi, sin

from geometry.compiled.jit import jit, kernel
from geometry.contact.contacts import TYPE_A, TYPE_B, compute_room, is_own_row


@kernel
def continues(part, walls, one, other):
    """Does one contact go over into another one at a joint, on the part or on the walls?"""
    a, b = _read(part, walls, one), _read(part, walls, other)
    if a == b:  # on both surfaces that meet in a vertex
        return False
    if a[2:] == b[2:]:  # the same on the walls
        return _share_joint(part.edge, a[:2], b[:2], walls.edge[one[2]].radius != 0.0 and one[0] != TYPE_B)
    if a[:2] == b[:2]:
        return _share_joint(walls.edge, a[2:], b[2:], part.edge[one[1]].radius != 0.0 and one[0] != TYPE_A)
    return False


@kernel
def continues_twice(part, walls, one, other):
    """The same where a joint of the part is on a joint of the walls: from an arc on an edge to an edge on the vertex
    behind that. Both have to be in one place with one normal, which this does not ask."""
    a, b = _read(part, walls, one), _read(part, walls, other)
    part_round = part.edge[one[1]].radius != 0.0 or part.edge[other[1]].radius != 0.0
    wall_round = walls.edge[one[2]].radius != 0.0 or walls.edge[other[2]].radius != 0.0
    return _share_joint(part.edge, a[:2], b[:2], wall_round) and _share_joint(walls.edge, a[2:], b[2:], part_round)


@kernel
def compute_passage(part, walls, contact, pose, place, reach):
    """How far a contact is from the nearest joint at which it passes to another one, or ends: `compute_room` without
    the ends at which edges are flush, m. A vertex on an edge passes to an arc that begins there. Where a contact ends,
    a vertex at the end of its edge and an arc on a vertex at its own corner, it goes `reach` (m) farther, so that it is
    off both."""
    kind, i, j = contact[0], contact[1], contact[2]
    if kind == TYPE_A:
        room = min(place.along, part.edge[i].length - place.along)
        if walls.edge[j].radius != 0.0:
            return min(room, _measure_passage(walls.edge, j, place.nx, place.ny))
        return min(room + reach, _measure_way_beside(walls.edge, j, place.nx, place.ny))
    if kind == TYPE_B:
        room = min(place.along, walls.edge[j].length - place.along)
        c, s, nx, ny = cos(pose[2]), sin(pose[2]), place.nx, place.ny
        if part.edge[i].radius != 0.0:
            return min(room, _measure_passage(part.edge, i, -(c * nx + s * ny), s * nx - c * ny))
        return min(room + reach, _measure_way_beside(part.edge, i, -(c * nx + s * ny), s * nx - c * ny))
    r, s = part.edge[i].radius, walls.edge[j].radius
    room = compute_room(part, walls, contact, pose, place)
    if room > 0.0 or (r != 0.0 and s != 0.0):
        return room
    c, si, nx, ny = cos(pose[2]), sin(pose[2]), place.nx, place.ny
    sign = -1.0 if r > 0.0 else 1.0
    if r != 0.0:
        at_corner = _is_corner_end(part.edge, i, sign * (c * nx + si * ny), sign * (c * ny - si * nx))
    else:
        sign = 1.0 if s > 0.0 else -1.0
        at_corner = _is_corner_end(walls.edge, j, sign * nx, sign * ny)
    return room + reach if at_corner else room


@jit
def has_passage(part, walls, contact):
    """May a contact pass to another one as it rolls? One of an arc, and of a vertex where an arc begins."""
    kind, i, j = contact[0], contact[1], contact[2]
    if part.edge[i].radius != 0.0 or walls.edge[j].radius != 0.0:
        return True
    return is_beside_arc(part.edge, i) if kind == TYPE_B else is_beside_arc(walls.edge, j)


@jit
def is_beside_arc(edge, i):
    """Does an arc begin or end in a vertex?"""
    return edge[i].arc >= 0 or edge[edge[i].previous].arc >= 0


@jit
def measure_beside(edge, i):
    """Largest radius of the arcs that begin or end in a vertex, m; 0 where there is none."""
    first, second = edge[i].arc, edge[edge[i].previous].arc
    radius = abs(edge[first].radius) if first >= 0 else 0.0
    return max(radius, abs(edge[second].radius)) if second >= 0 else radius


@jit
def _measure_way_beside(edge, i, x, y):
    """How far a vertex is from passing to an arc that begins or ends in it, along that; (x, y): unit vector from the
    vertex to what it touches."""
    room, back = inf, edge[i].previous
    if edge[i].arc >= 0:
        room = -abs(edge[edge[i].arc].radius) * (x * edge[i].dx + y * edge[i].dy)
    if edge[back].arc >= 0:
        room = min(room, abs(edge[edge[back].arc].radius) * (x * edge[back].nx + y * edge[back].ny))
    return room


@jit
def _is_corner_end(edge, i, x, y):
    """Is a contact beyond an end of an arc, where the outline has a corner? (x, y): unit vector from its centre."""
    angle = atan2(edge[i].dx * y - edge[i].dy * x, edge[i].dx * x + edge[i].dy * y)
    if edge[i].half > abs(angle):
        return False
    row = edge[i].arc
    return not edge[row if angle * edge[i].radius < 0.0 else edge[row].next].smooth


@jit
def _measure_passage(edge, i, x, y):
    """The same for a convex arc that lies on an edge; (x, y): unit vector from its centre to the contact."""
    radius, half = edge[i].radius, edge[i].half
    if half >= pi:
        return inf
    angle = atan2(edge[i].dx * y - edge[i].dy * x, edge[i].dx * x + edge[i].dy * y)
    room = inf
    if not is_flush_end(edge, i, True):
        room = radius * (half + angle)
    if not is_flush_end(edge, i, False):
        room = min(room, radius * (half - angle))
    return room


@jit
def is_flush_end(edge, i, at_start):
    """Does the outline go on in an edge, with one tangent, at the start or the end of an arc? i: row of the arc."""
    row = edge[i].arc
    other = edge[row].previous if at_start else edge[row].next
    return edge[other].arc < 0 and edge[row if at_start else other].smooth


@jit
def _read(part, walls, triple):
    """(row of the outline, 1 if it is its vertex) of a contact on the part, and the same on the walls."""
    kind, i, j = triple[0], triple[1], triple[2]
    row = i if part.edge[i].radius == 0.0 else part.edge[i].arc
    wall = walls.edge[j].arc if walls.edge[j].radius != 0.0 else (j if is_own_row(walls, j) else walls.edge[j].across)
    return (row, 1 if kind != TYPE_A and part.edge[i].radius == 0.0 else 0,
            wall, 1 if kind != TYPE_B and walls.edge[j].radius == 0.0 else 0)


@jit
def _share_joint(edge, one, other, is_round):
    """Do two rows of an outline meet in a joint that a contact passes? one, other: as `_read` says; is_round: is what
    touches them an arc?"""
    (i, vertex), (j, other_vertex) = one, other
    if vertex == 1 and other_vertex == 1:
        return False
    if vertex == 1:
        return (is_round or edge[j].arc >= 0) and (i == j or edge[j].next == i)
    if other_vertex == 1:
        return (is_round or edge[i].arc >= 0) and (i == j or edge[i].next == j)
    if not (is_round or edge[i].arc >= 0 or edge[j].arc >= 0):  # a seam of two edges is passed by a vertex elsewhere
        return False
    return (edge[i].next == j and edge[j].smooth) or (edge[j].next == i and edge[i].smooth)
