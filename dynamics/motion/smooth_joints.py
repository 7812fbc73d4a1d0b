"""Where a contact passes from one feature to the next and its normal does not jump: from an edge to an arc, from one
arc to another, and, where what touches it is round, from an edge to the vertex at its end.

At the joint it lies on both. One that moves along does so for no time: what holds from now on is the feature that it
moves onto. One that does not move is the first of the two that is found.
"""

from __future__ import annotations

from math import atan2, cos, inf, pi, sin
from typing import NamedTuple

from dynamics.motion.mode import compute_frame, compute_place, get_surface_speed
from geometry.compiled.jit import jit, kernel
from geometry.contact.contacts import TYPE_A, TYPE_B, TYPE_C, find_arrival
from geometry.contact.joints import continues, continues_twice, is_flush_end
from geometry.prescribed.motion import THETA
from geometry.tolerances import ANGLE_TOLERANCE


class RoomRate(NamedTuple):
    """How far a contact is from an end, and how fast that changes."""

    room: float  # m
    rate: float  # m/s
    touch: float  # m, within which it is at the end


@kernel
def is_passed_on(body, closed, k, kept, at, zeros):
    """Is contact k another one once more, at a joint that it leaves or that both stay on? The others are the rows
    before `kept` and after k; at: MotionState; zeros: Zeros. Both have one normal: so the rate at which the gap of one
    opens or closes is that of the other, too, and nothing strikes at a joint."""
    for m in range(closed.n):
        if kept <= m <= k:
            continue
        if not continues(body.part, body.walls, closed.triple[k], closed.triple[m]) and not _pass_together(
                body, closed.triple[k], closed.triple[m], at, zeros.touch):
            continue
        leaves, other = _leaves(body, closed.triple[k], at, zeros), _leaves(body, closed.triple[m], at, zeros)
        if (leaves and not other) or (m < kept and leaves == other):
            if abs(closed.rate[k]) < abs(closed.rate[m]):
                closed.rate[m] = closed.rate[k]
            return True
    return False


@kernel
def _pass_together(body, one, other, at, touch):
    """Do two contacts meet where a joint of the part is on a joint of the walls, and both go over at once?"""
    if not continues_twice(body.part, body.walls, one, other):
        return False
    here, there = compute_place(body, one, at.time, at.pose), compute_place(body, other, at.time, at.pose)
    if abs(here.nx * there.ny - here.ny * there.nx) > ANGLE_TOLERANCE or here.nx * there.nx + here.ny * there.ny < 0.0:
        return False  # a corner on a corner
    return max(abs(here.rx - there.rx), abs(here.ry - there.ry)) <= 4.0 * touch


@kernel
def _leaves(body, triple, at, zeros):
    """Is a contact at an end of what it lies on, and about to leave it?"""
    room, rate = measure_room_rate(body, triple, at, zeros.touch)
    return room <= zeros.touch and rate < -zeros.speed


@kernel
def measure_room_rate(body, triple, at, touch):
    """(room [m] of a contact, see `compute_passage`, and its rate [m/s]) at a MotionState, for the end that is nearest;
    of ends that are within `touch` for the one that it leaves first."""
    kind, i, j = triple[0], triple[1], triple[2]
    place, frame = compute_place(body, triple, at.time, at.pose), compute_frame(body, triple, at)
    part, wall, omega = body.part.edge[i], body.walls.edge[j], at.velocity[2]
    m, om = wall.mover, 0.0
    if m >= 0 and body.walls.mover[m].n_edges > 0:
        om = body.walls.mover[m].rate[THETA]
    shift = -wall.radius if kind == TYPE_C else place.offset
    # slip of the points that stand for what is round, against the shape
    u = frame.slip + get_surface_speed(body, triple, at.time) - place.offset * omega + shift * om
    nx, ny, c, s = place.nx, place.ny, cos(at.pose[2]), sin(at.pose[2])
    turn = omega if kind == TYPE_A else (om if kind == TYPE_B else -u / (place.gap + part.radius + wall.radius))
    room, rate = inf, 0.0
    if kind != TYPE_C:
        length = part.length if kind == TYPE_A else wall.length
        room, rate = _take_edge(place.along, length, -u)
    least = RoomRate(room, rate, touch)
    if kind != TYPE_A:
        sign = -1.0 if part.radius >= 0.0 else 1.0
        x, y = sign * (c * nx + s * ny), sign * (c * ny - s * nx)
        least = _take_round(body.part.edge, i, (x, y), turn - omega, least, wall.radius, kind == TYPE_B)
    if kind != TYPE_B:
        sign = 1.0 if wall.radius >= 0.0 else -1.0
        least = _take_round(body.walls.edge, j, (sign * nx, sign * ny), turn - om, least, part.radius, kind == TYPE_A)
    return least.room, least.rate


@jit
def _take_edge(along, length, rate):
    """(room, its rate) on an edge along which the contact moves."""
    return (along, rate) if along < length - along else (length - along, -rate)


@jit
def _take_round(edge, i, way, turn, least, other, on_edge):
    """The RoomRate of what was found before and what is round at row i. way: unit vector from its centre to the
    contact, which turns with the rate `turn`; other: radius of what touches it; on_edge: is that an edge?"""
    (x, y), radius = way, edge[i].radius
    if radius != 0.0:
        if edge[i].half >= pi:
            return least
        angle = atan2(edge[i].dx * y - edge[i].dy * x, edge[i].dx * x + edge[i].dy * y)
        for side in (-1.0, 1.0):  # clockwise and counter-clockwise of its middle
            if not (on_edge and is_flush_end(edge, i, side * radius < 0.0)):
                least = _take_sooner(least, abs(radius) * (edge[i].half - side * angle), -side * abs(radius) * turn)
        return least
    back = edge[i].previous
    in_x, in_y = find_arrival(edge, back)
    first, second, left, right = -(x * edge[i].dx + y * edge[i].dy), x * in_x + y * in_y, abs(other), abs(other)
    if other == 0.0:  # a vertex on an edge passes to the arcs beside it alone
        left = abs(edge[edge[i].arc].radius) if edge[i].arc >= 0 else 0.0
        right = abs(edge[edge[back].arc].radius) if edge[back].arc >= 0 else 0.0
    if left > 0.0:
        least = _take_sooner(least, left * first, left * turn * (y * edge[i].dx - x * edge[i].dy))
    if right > 0.0:
        least = _take_sooner(least, right * second, right * turn * (x * in_y - y * in_x))
    return least


@jit
def _take_sooner(least, room, rate):
    """Of two ends the nearer one; of those that the contact is at, the one that it leaves first."""
    here, there = room <= least.touch, least.room <= least.touch
    sooner = rate < least.rate if here and there else room < least.room
    return RoomRate(room, rate, least.touch) if sooner else least
