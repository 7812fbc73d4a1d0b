"""Which contacts a pose makes, and when a moving pose makes the next one.

Nothing here has a margin: a contact is closed when its gap is zero to rounding (`touch`, metres), and the next contact
is located on the path of the part by steps that provably jump over no contact.
"""

from __future__ import annotations

from math import ceil, cos, sin, sqrt
from typing import NamedTuple

import numpy as np

from geometry._jit import jit, kernel
from geometry._record import allocate_record, define_record
from geometry.contacts import TYPE_B, compute_contact, compute_gap_rate
from geometry.path import bound_path, evaluate_path

# Angle below which two directions count as equal [rad]. Two edges that touch at both ends to rounding differ by less;
# a larger value would take a very slender fan of normals for a single normal.
ANGLE_TOLERANCE = 1e-9

# Steps of one march. Convergence is quadratic at a crossing and linear at a graze, where about a hundred suffice.
MARCH_LIMIT = 100_000

TOO_MANY_CONTACTS = -1


SPOT = define_record(
    ("pose", "f8", (3,)), ("velocity", "f8", (3,)), ("triple", "i8", (3,)), ("hit", "i8", (3,)),
    ("neighbour", "i8", (3,)),
)


class Scratch(NamedTuple):
    """Work arrays of detection, made by `allocate_scratch`; `spot.hit` is the contact found by `find_next_contact`."""

    stack: np.ndarray  # (n,) int64
    nearby: np.ndarray  # (n,) int64
    world: np.ndarray  # (n_part, 2) vertices of the part in the world frame
    spot: np.record  # SPOT


def allocate_scratch(part, walls) -> Scratch:
    """Work arrays for one part and its walls."""
    return Scratch(
        np.zeros(len(walls.node) + 2, dtype=np.int64),
        np.zeros(len(walls.edge) + 1, dtype=np.int64),
        np.zeros((len(part.edge), 2)),
        allocate_record(SPOT),
    )


@kernel
def find_nearby_walls(walls, x, y, reach, scratch):
    """Write to `scratch.nearby` the wall edges whose box meets the square of half width `reach`; return their
    number."""
    stack = scratch.stack
    count, top = 0, 0
    stack[0] = 0
    while top >= 0:
        node = walls.node[stack[top]]
        top -= 1
        if node.x_min > x + reach or node.x_max < x - reach or node.y_min > y + reach or node.y_max < y - reach:
            continue
        first, second = node.first, node.second
        if first < 0:
            for k in range(-1 - first, -1 - first + second):
                scratch.nearby[count] = walls.edge[k].order
                count += 1
        else:
            stack[top + 1], stack[top + 2] = first, second
            top += 2
    return count


@kernel
def _place_part(part, pose, world):
    c, s = cos(pose[2]), sin(pose[2])
    for i in range(world.shape[0]):
        world[i, 0] = pose[0] + c * part.edge[i].x - s * part.edge[i].y
        world[i, 1] = pose[1] + s * part.edge[i].x + c * part.edge[i].y


@kernel
def find_contacts(part, walls, pose, touch, contacts, corner, scratch):
    """All closed contacts at a pose: their number, or TOO_MANY_CONTACTS.

    `contacts` (capacity, 3) int64 receives the triples (kind, i, j). `corner` (capacity, 3) int64 receives, for
    contacts that belong to a convex corner of the part on a convex corner of the walls, (part vertex, wall vertex,
    side) where side 0 and 1 are the two extreme normals of the fan; (-1, -1, -1) for ordinary contacts. Where the fan
    has a single
    normal (an edge flush with an edge) the contact is ordinary.
    """
    count = 0
    reach = part.radius + touch
    n_near = find_nearby_walls(walls, pose[0], pose[1], reach, scratch)
    _place_part(part, pose, scratch.world)
    for k in range(n_near):
        j = scratch.nearby[k]
        for i in range(part.edge.shape[0]):
            for kind in range(2):
                if not _may_touch(part, walls, kind, i, j, touch, scratch.world):
                    continue
                triple = scratch.spot.triple
                triple[0], triple[1], triple[2] = kind, i, j
                if not _is_closed(part, walls, triple, pose, touch):
                    continue
                corner_vertex = _find_corner(part, walls, triple, pose, touch)
                if corner_vertex[0] >= 0 and not _separates(part, walls, triple, corner_vertex, pose):
                    continue
                if count == contacts.shape[0]:
                    return TOO_MANY_CONTACTS
                contacts[count] = triple
                corner[count, 0], corner[count, 1], corner[count, 2] = corner_vertex[0], corner_vertex[1], 0
                count += 1
    return _reduce_corners(part, walls, pose, contacts, corner, count)


@kernel
def _may_touch(part, walls, kind, i, j, touch, world):
    """Cheap test before the exact one: convexity, and the box of the edge against the vertex."""
    if kind == TYPE_B:
        if not part.edge[i].convex:
            return False
        reach = 0.5 * walls.edge[j].length + touch
        mx = walls.edge[j].x + 0.5 * walls.edge[j].length * walls.edge[j].dx - world[i, 0]
        my = walls.edge[j].y + 0.5 * walls.edge[j].length * walls.edge[j].dy - world[i, 1]
    else:
        if not walls.edge[j].convex:
            return False
        following = i + 1 if i + 1 < world.shape[0] else 0
        reach = 0.5 * part.edge[i].length + touch
        mx = 0.5 * (world[i, 0] + world[following, 0]) - walls.edge[j].x
        my = 0.5 * (world[i, 1] + world[following, 1]) - walls.edge[j].y
    return mx * mx + my * my <= (reach + touch) ** 2


@kernel
def _is_closed(part, walls, triple, pose, touch):
    gap, along, _, _, _, _ = compute_contact(part, walls, triple, pose)
    length = walls.edge[triple[2]].length if triple[0] == TYPE_B else part.edge[triple[1]].length
    return abs(gap) <= touch and -touch <= along <= length + touch


@kernel
def _find_corner(part, walls, triple, pose, touch):
    """(part vertex, wall vertex) if the contact sits on a convex corner of both, else (-1, -1)."""
    _, along, _, _, _, _ = compute_contact(part, walls, triple, pose)
    kind, i, j = triple[0], triple[1], triple[2]
    if kind == TYPE_B:
        vertex = -1
        if along <= touch:
            vertex = j
        elif along >= walls.edge[j].length - touch:
            vertex = walls.edge[j].next
        if vertex >= 0 and walls.edge[vertex].convex:
            return i, vertex
    else:
        vertex = -1
        if along <= touch:
            vertex = i
        elif along >= part.edge[i].length - touch:
            vertex = i + 1 if i + 1 < part.edge.shape[0] else 0
        if vertex >= 0 and part.edge[vertex].convex:
            return vertex, j
    return -1, -1


@kernel
def _separates(part, walls, triple, corner_vertex, pose):
    """Does the normal of this contact separate the two wedges that meet in the corner? (All of the wall's wedge on
    one side, all of the part's wedge on the other; otherwise no force can act along it.)"""
    _, _, nx, ny, _, _ = compute_contact(part, walls, triple, pose)
    i, j = corner_vertex
    c, s = cos(pose[2]), sin(pose[2])
    before = i - 1 if i > 0 else part.edge.shape[0] - 1
    out_x, out_y = part.edge[i].dx, part.edge[i].dy
    in_x, in_y = -part.edge[before].dx, -part.edge[before].dy
    if nx * (c * out_x - s * out_y) + ny * (s * out_x + c * out_y) < -ANGLE_TOLERANCE:
        return False
    if nx * (c * in_x - s * in_y) + ny * (s * in_x + c * in_y) < -ANGLE_TOLERANCE:
        return False
    p = walls.edge[j].previous
    if nx * walls.edge[j].dx + ny * walls.edge[j].dy > ANGLE_TOLERANCE:
        return False
    return -nx * walls.edge[p].dx - ny * walls.edge[p].dy <= ANGLE_TOLERANCE


@kernel
def _reduce_corners(part, walls, pose, contacts, corner, count):
    """In each corner keep the two extreme normals of the fan (side 0: clockwise-most), or one where they coincide."""
    for a in range(count):
        if corner[a, 0] < 0 or corner[a, 2] != 0:
            continue
        _, _, ax, ay, _, _ = compute_contact(part, walls, contacts[a], pose)
        lowest, highest = 0.0, 0.0
        for b in range(count):
            if corner[b, 0] == corner[a, 0] and corner[b, 1] == corner[a, 1]:
                _, _, bx, by, _, _ = compute_contact(part, walls, contacts[b], pose)
                turn = ax * by - ay * bx
                lowest, highest = min(lowest, turn), max(highest, turn)
        flush = highest - lowest <= ANGLE_TOLERANCE
        vertex_i, vertex_j = corner[a, 0], corner[a, 1]
        for b in range(count):
            if corner[b, 0] == vertex_i and corner[b, 1] == vertex_j:
                _, _, bx, by, _, _ = compute_contact(part, walls, contacts[b], pose)
                turn = ax * by - ay * bx
                if flush:
                    corner[b, 0], corner[b, 1], corner[b, 2] = -1, -1, -1
                elif turn - lowest <= ANGLE_TOLERANCE:
                    corner[b, 2] = 2  # side 0, settled
                elif highest - turn <= ANGLE_TOLERANCE:
                    corner[b, 2] = 3  # side 1, settled
                else:
                    corner[b, 2] = 4  # inside the fan: its force is a sum of the extremes
    kept = 0
    for a in range(count):
        if corner[a, 2] != 4:
            contacts[kept] = contacts[a]
            corner[kept] = corner[a]
            if corner[kept, 0] >= 0:
                corner[kept, 2] -= 2
            else:
                corner[kept, 2] = -1
            kept += 1
    return kept


@jit
def _is_active(active, n_active, kind, i, j):
    for k in range(n_active):
        if active[k, 0] == kind and active[k, 1] == i and active[k, 2] == j:
            return True
    return False


@jit
def _compute_distance(gap, along, length):
    """Distance between a vertex and an edge, from its coordinates along the edge's normal and direction."""
    outside = -along if along < 0.0 else (along - length if along > length else 0.0)
    return sqrt(gap * gap + outside * outside)


@kernel
def compute_clearance(part, walls, pose, active, n_active, margin, scratch):
    """Smallest distance of any vertex-edge pair that is not an active contact, at most `margin`."""
    n_near = find_nearby_walls(walls, pose[0], pose[1], part.radius + margin, scratch)
    least = margin
    triple = scratch.spot.triple
    if n_near > 0:
        _place_part(part, pose, scratch.world)
    for k in range(n_near):
        j = scratch.nearby[k]
        for i in range(part.edge.shape[0]):
            for kind in range(2):
                if not _may_touch(part, walls, kind, i, j, least, scratch.world):
                    continue
                if _is_active(active, n_active, kind, i, j):
                    continue
                triple[0], triple[1], triple[2] = kind, i, j
                gap, along, _, _, _, _ = compute_contact(part, walls, triple, pose)
                length = walls.edge[j].length if kind == TYPE_B else part.edge[i].length
                least = min(least, _compute_distance(gap, along, length))
    return least


@kernel
def find_next_contact(part, walls, path, duration, active, touch, scratch):
    """Earliest time in (0, duration] at which a pair that is not active comes into contact.

    `active` (n, 3) holds the closed contacts, to be left out. Returns that time, with the contact in
    `scratch.spot.hit`, or infinity. The interval is cut into pieces in which the part travels at most its own radius;
    each needs only the walls near it.
    """
    speed, omega, _, _ = bound_path(path, duration)
    travel = (speed + omega * part.radius) * duration
    pieces = int(ceil(travel / part.radius)) if travel > part.radius else 1
    earliest = np.inf
    for piece in range(pieces):
        begin, end = duration * piece / pieces, duration * (piece + 1) / pieces
        evaluate_path(path, begin, scratch.spot.pose, scratch.spot.velocity)
        reach = part.radius + speed * (end - begin) + touch
        n_near = find_nearby_walls(walls, scratch.spot.pose[0], scratch.spot.pose[1], reach, scratch)
        if n_near == 0:
            continue
        _place_part(part, scratch.spot.pose, scratch.world)
        span = (speed + omega * part.radius) * (end - begin) + touch
        for k in range(n_near):
            j = scratch.nearby[k]
            for i in range(part.edge.shape[0]):
                for kind in range(2):
                    if not _may_touch(part, walls, kind, i, j, span, scratch.world):
                        continue
                    if _is_active(active, active.shape[0], kind, i, j):
                        continue
                    triple = scratch.spot.triple
                    triple[0], triple[1], triple[2] = kind, i, j
                    time = _march(part, walls, path, (begin, min(end, earliest), duration, piece > 0), touch, scratch)
                    if time < earliest:
                        earliest = time
                        scratch.spot.hit[:] = triple
                    evaluate_path(path, begin, scratch.spot.pose, scratch.spot.velocity)
        if earliest < np.inf:
            return earliest
    return earliest


@kernel
def _march(part, walls, path, interval, touch, scratch):
    """First time at which the pair `scratch.spot.triple` closes, by steps that cannot jump over it.

    With D the distance, S a bound of its rate, g the gap to the supporting line and M a bound of |g''|: no contact can
    happen before D/S, nor (in front of the line) before the root of g + g' x - M x^2/2, nor (behind it) before g can
    become positive. Near a transversal root the second bound is Newton's step, so the convergence is quadratic.

    A pair that touches at the start of the path (not `armed`) without being active is on its way out: it counts again
    once it has left the touch distance, or if it penetrates.
    """
    begin, end, duration, armed = interval
    triple = scratch.spot.triple
    speed, omega, acceleration, alpha = bound_path(path, duration)
    rate = speed + omega * part.radius
    exact = 1e-3 * touch
    length = walls.edge[triple[2]].length if triple[0] == TYPE_B else part.edge[triple[1]].length
    tau, doubling, previous = begin, 1.0, begin
    for _ in range(MARCH_LIMIT):
        if tau > end:
            if armed or previous >= end:
                return np.inf
            tau = end  # a pair that touched may have sunk in since the last look
        evaluate_path(path, tau, scratch.spot.pose, scratch.spot.velocity)
        gap, gap_rate, along = compute_gap_rate(part, walls, triple, scratch.spot.pose, scratch.spot.velocity)
        distance = _compute_distance(gap, along, length)
        if distance > touch and (gap > 0.0 or tau == begin or along < 0.0 or along > length):
            armed = True
        elif armed and distance <= touch and gap <= exact and gap_rate <= touch / duration:
            return tau
        if triple[0] == TYPE_B:
            curvature = acceleration + (alpha + omega * omega) * part.radius
        else:
            arm = part.radius + distance + speed * duration
            curvature = acceleration + 2.0 * omega * speed + (alpha + omega * omega) * arm
        delta = distance / rate if rate > 0.0 else np.inf
        delta = max(delta, _bound_crossing(gap, gap_rate, curvature))
        floor = exact / rate if rate > 0.0 else np.inf
        if not armed and curvature > 0.0:
            if gap < -touch and 0.0 <= along <= length:
                if not _has_passed_corner(part, walls, along, length, touch, scratch):
                    return _locate_depth(part, walls, path, (previous, tau, -0.5 * touch), scratch)
                armed = True
            # Not over the whole flight: it may end in the contact it began with.
            delta = min(delta, 0.5 * abs(gap_rate) / curvature)
            floor = max(floor, doubling * sqrt(touch / curvature))
            doubling *= 2.0
        previous = tau
        tau += max(delta, floor)
    return tau  # closer and closer without an end: let the caller look at the contacts here


@kernel
def _has_passed_corner(part, walls, along, length, touch, scratch):
    """Is the vertex, behind the line of its edge, outside all the same: past the other edge of the nearer end?"""
    kind, i, j = scratch.spot.triple
    other = scratch.spot.neighbour
    other[0], other[1], other[2] = kind, i, j
    at_start = along < 0.5 * length
    if kind == TYPE_B:
        vertex = j if at_start else walls.edge[j].next
        convex = walls.edge[vertex].convex
        other[2] = walls.edge[j].previous if at_start else vertex
    else:
        n = part.edge.shape[0]
        vertex = i if at_start else (i + 1) % n
        convex = part.edge[vertex].convex
        other[1] = (i + n - 1) % n if at_start else vertex
    gap, _, _, _, _, _ = compute_contact(part, walls, other, scratch.spot.pose)
    return convex and gap >= -touch  # on that edge is not inside either


@kernel
def _locate_depth(part, walls, path, search, scratch):
    """Time between low and high at which the gap of `scratch.spot.triple` falls below a level; search = (low, high,
    level)."""
    low, high, level = search
    for _ in range(100):
        middle = 0.5 * (low + high)
        if middle <= low or middle >= high:
            break
        evaluate_path(path, middle, scratch.spot.pose, scratch.spot.velocity)
        gap, _, _ = compute_gap_rate(part, walls, scratch.spot.triple, scratch.spot.pose, scratch.spot.velocity)
        if gap < level:
            high = middle
        else:
            low = middle
    return high


@jit
def _bound_crossing(gap, gap_rate, curvature):
    """Time before which the gap cannot change sign, for |gap''| <= curvature."""
    if gap < 0.0:
        gap, gap_rate = -gap, -gap_rate
    root = sqrt(gap_rate * gap_rate + 2.0 * curvature * gap)
    if gap_rate < 0.0:  # the form without cancellation, for a curvature of rounding size
        return 2.0 * gap / (root - gap_rate)
    return (gap_rate + root) / curvature if curvature > 0.0 else np.inf
