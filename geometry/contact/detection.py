"""Which contacts a pose makes, and how far away the next one is.

Nothing here has a margin: a contact is closed when its gap is zero to rounding (`touch`, metres). When a moving pose
makes the next contact is the subject of `next_contact.py`.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from geometry.compiled.jit import jit, kernel
from geometry.compiled.record import allocate_record, copy_row, define_record
from geometry.contact.contacts import (
    TYPE_A,
    TYPE_B,
    TYPE_C,
    compute_contact,
    compute_edge_length,
    compute_room,
    find_arrival,
    has_point,
    is_own_row,
    is_same_contact,
)
from geometry.contact.nearby import find_facing_edges, find_near_walls, place_frame, place_part
from geometry.contact.separation import measure_separation
from geometry.tolerances import ANGLE_TOLERANCE

TOO_MANY_CONTACTS = -1


SPOT = define_record(
    ("pose", "f8", (3,)), ("velocity", "f8", (3,)), ("triple", "i8", (3,)), ("hit", "i8", (3,)),
    ("neighbour", "i8", (3,)),
    ("closest", "i8", (3,)),  # the pair that was closest when that was measured last
    ("looks", "i8"),  # places of paths that have been looked at, since the beginning of the run
    ("tau", "f8"),  # s: time of the path at which pose and velocity are
    ("seen", "f8"),  # s: up to this time of its path the last search for a contact has looked
)


class Scratch(NamedTuple):
    """Work arrays of detection, made by `allocate_scratch`; `spot.hit` is the contact found by `find_next_contact`."""

    stack: np.ndarray  # (n,) int64, of descents in the trees of the walls
    climb: np.ndarray  # (n,) int64, in that of the part
    nearby: np.ndarray  # (n,) int64, wall edges
    facing: np.ndarray  # (n_part,) int64, edges of the part
    world: np.ndarray  # (n_part, 2) vertices of the part in the world frame
    spot: np.record  # SPOT


def allocate_scratch(part, walls) -> Scratch:
    """Work arrays for one part and its walls."""
    return Scratch(
        np.zeros(len(walls.node) + 2, dtype=np.int64),
        np.zeros(len(part.node) + 2, dtype=np.int64),
        np.zeros(len(walls.edge) + 1, dtype=np.int64),
        np.arange(len(part.edge), dtype=np.int64),
        np.zeros((len(part.edge), 2)),
        allocate_record(SPOT),
    )


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
    frame, reach = place_frame(pose), 2.0 * touch  # in a corner, off in both directions
    n_near = find_near_walls(part, walls, pose, part.radius + reach, reach, scratch)
    place_part(part, pose, scratch.world)
    for k in range(n_near):
        j = scratch.nearby[k]
        for f in range(find_facing_edges(part, walls, j, frame, reach, scratch)):
            i = scratch.facing[f]
            for kind in range(3 if has_arc(part, walls, i, j) else 2):
                if not may_touch(part, walls, kind, i, j, touch, scratch.world):
                    continue
                triple = scratch.spot.triple
                triple[0], triple[1], triple[2] = kind, i, j
                place = compute_contact(part, walls, triple, pose)
                if not _is_closed(part, walls, triple, pose, place, touch):
                    continue
                corner_vertex = _find_corner(part, walls, triple, place, pose, touch, scratch.spot.neighbour)
                if corner_vertex[0] >= 0 and not _separates(part, walls, place, corner_vertex, frame):
                    continue
                if count == contacts.shape[0]:
                    return TOO_MANY_CONTACTS
                copy_row(contacts[count], triple)
                corner[count, 0], corner[count, 1], corner[count, 2] = corner_vertex[0], corner_vertex[1], 0
                count += 1
    return _reduce_corners(part, walls, pose, contacts, corner, count)


@jit
def has_arc(part, walls, i, j):
    """Is a row of the part or of the walls one of an arc?"""
    return part.edge[i].radius != 0.0 or walls.edge[j].radius != 0.0


@kernel
def may_touch(part, walls, kind, i, j, touch, world):
    """Cheap test before the exact one: convexity, and the box of the edge against the vertex or the arc."""
    if kind == TYPE_B:
        radius = part.edge[i].radius
        if not part.edge[i].convex or walls.edge[j].length == 0.0 or radius < 0.0:
            return False
        reach = 0.5 * walls.edge[j].length + touch + radius
        mx = walls.edge[j].x + 0.5 * walls.edge[j].length * walls.edge[j].dx - world[i, 0]
        my = walls.edge[j].y + 0.5 * walls.edge[j].length * walls.edge[j].dy - world[i, 1]
    elif kind == TYPE_A:
        radius = walls.edge[j].radius
        if part.edge[i].length == 0.0 or not has_point(walls, j):
            return False
        following = part.edge[i].next
        reach = 0.5 * part.edge[i].length + touch + radius
        mx = 0.5 * (world[i, 0] + world[following, 0]) - walls.edge[j].x
        my = 0.5 * (world[i, 1] + world[following, 1]) - walls.edge[j].y
    else:
        return _may_arcs_touch(part, walls, i, j, touch, world)
    return mx * mx + my * my <= (reach + touch) ** 2


@kernel
def _may_arcs_touch(part, walls, i, j, touch, world):
    """The same for round on round: a vertex on an arc, an arc on an arc, one inside the other where one is concave."""
    r, s = part.edge[i].radius, walls.edge[j].radius
    if r + s == 0.0 or (r < 0.0 and s < 0.0) or not part.edge[i].convex:
        return False
    if s == 0.0 and not (walls.edge[j].convex and has_point(walls, j)):  # at a level seam one of both sides touches
        return False
    dx, dy, span = world[i, 0] - walls.edge[j].x, world[i, 1] - walls.edge[j].y, r + s
    distance = sqrt(dx * dx + dy * dy)
    return distance <= span + 2.0 * touch if span > 0.0 else distance >= -span - 2.0 * touch


@kernel
def find_near_end(part, walls, triple, along, neighbour):
    """(vertex at the nearer end of the edge of a pair, whether it is convex); the pair with the edge beyond that vertex
    goes to `neighbour`."""
    copy_row(neighbour, triple)
    kind, i, j = triple[0], triple[1], triple[2]
    if kind == TYPE_B:
        at_start = along < 0.5 * walls.edge[j].length
        vertex = j if at_start else walls.edge[j].next
        neighbour[2] = walls.edge[j].previous if at_start else vertex
        return vertex, walls.edge[vertex].convex
    at_start = along < 0.5 * part.edge[i].length
    vertex = i if at_start else part.edge[i].next
    neighbour[1] = part.edge[i].previous if at_start else vertex
    return vertex, part.edge[vertex].convex


@kernel
def _is_closed(part, walls, triple, pose, place, touch):
    return abs(place.gap) <= touch and compute_room(part, walls, triple, pose, place) >= -touch


@kernel
def _find_corner(part, walls, triple, place, pose, touch, neighbour):
    """(part vertex, wall vertex) if the contact sits on a convex corner of both, else (-1, -1).

    It does at the end of its edge, and where a slender corner is so thin that the other edge touches as well. What is
    round has one normal everywhere.
    """
    if triple[0] == TYPE_C or has_arc(part, walls, triple[1], triple[2]):
        return -1, -1
    along = place.along
    vertex, convex = find_near_end(part, walls, triple, along, neighbour)
    if not convex:
        return -1, -1
    if min(along, compute_edge_length(part, walls, triple) - along) > touch:
        if not _is_closed(part, walls, neighbour, pose, compute_contact(part, walls, neighbour, pose), touch):
            return -1, -1
    if triple[0] == TYPE_B:
        return triple[1], vertex
    j = triple[2]
    return vertex, (j if is_own_row(walls, j) else walls.edge[j].across)


@kernel
def _separates(part, walls, place, corner_vertex, frame):
    """Does the normal of this contact separate the two wedges that meet in the corner? (All of the wall's wedge on
    one side, all of the part's wedge on the other; otherwise no force can act along it.)"""
    nx, ny = place.nx, place.ny
    i, j = corner_vertex
    c, s = frame.c, frame.s
    out_x, out_y = part.edge[i].dx, part.edge[i].dy
    in_x, in_y = find_arrival(part.edge, part.edge[i].previous)
    in_x, in_y = -in_x, -in_y
    if nx * (c * out_x - s * out_y) + ny * (s * out_x + c * out_y) < -ANGLE_TOLERANCE:
        return False
    if nx * (c * in_x - s * in_y) + ny * (s * in_x + c * in_y) < -ANGLE_TOLERANCE:
        return False
    if nx * walls.edge[j].dx + ny * walls.edge[j].dy > ANGLE_TOLERANCE:
        return False
    in_x, in_y = find_arrival(walls.edge, walls.edge[j].previous)
    return -nx * in_x - ny * in_y <= ANGLE_TOLERANCE


@kernel
def _reduce_corners(part, walls, pose, contacts, corner, count):
    """In each corner keep the two extreme normals of the fan (side 0: clockwise-most), or one where they coincide."""
    for a in range(count):
        if corner[a, 0] < 0 or corner[a, 2] != 0:
            continue
        one = compute_contact(part, walls, contacts[a], pose)
        lowest, highest = 0.0, 0.0
        for b in range(count):
            if corner[b, 0] == corner[a, 0] and corner[b, 1] == corner[a, 1]:
                other = compute_contact(part, walls, contacts[b], pose)
                turn = one.nx * other.ny - one.ny * other.nx
                lowest, highest = min(lowest, turn), max(highest, turn)
        flush = highest - lowest <= ANGLE_TOLERANCE
        vertex_i, vertex_j = corner[a, 0], corner[a, 1]
        for b in range(count):
            if corner[b, 0] == vertex_i and corner[b, 1] == vertex_j:
                other = compute_contact(part, walls, contacts[b], pose)
                turn = one.nx * other.ny - one.ny * other.nx
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
            copy_row(contacts[kept], contacts[a])
            copy_row(corner[kept], corner[a])
            if corner[kept, 0] >= 0:
                corner[kept, 2] -= 2
            else:
                corner[kept, 2] = -1
            kept += 1
    return kept


@jit
def is_active(active, n_active, triple):
    """Is a contact among the first rows of `active` (n, 3)?"""
    for k in range(n_active):
        if is_same_contact(active[k], triple):
            return True
    return False


@jit
def compute_distance(gap, along, length):
    """Distance between a vertex and an edge, from its coordinates along the edge's normal and direction."""
    outside = -along if along < 0.0 else (along - length if along > length else 0.0)
    return sqrt(gap * gap + outside * outside)


@kernel
def measure_distance_of_pair(part, walls, triple, pose, place):
    """Distance of what is round from an edge, or from what else is round."""
    if triple[0] != TYPE_C and not has_arc(part, walls, triple[1], triple[2]):
        return compute_distance(place.gap, place.along, compute_edge_length(part, walls, triple))
    return measure_separation(part, walls, triple, pose, place.gap, compute_room(part, walls, triple, pose, place))


@kernel
def compute_clearance(part, walls, pose, active, n_active, margin, scratch):
    """Smallest distance of any vertex-edge pair that is not an active contact, at most `margin`."""
    triple, frame, least = scratch.spot.triple, place_frame(pose), margin
    if part.node.shape[0] > 0:
        least = _measure_closest(part, walls, pose, active, n_active, margin, scratch.spot)
    n_near = find_near_walls(part, walls, pose, part.radius + margin, least, scratch)
    place_part(part, pose, scratch.world)
    for k in range(n_near):
        j = scratch.nearby[k]
        for f in range(find_facing_edges(part, walls, j, frame, least, scratch)):
            i = scratch.facing[f]
            for kind in range(3 if has_arc(part, walls, i, j) else 2):
                if not may_touch(part, walls, kind, i, j, least, scratch.world):
                    continue
                triple[0], triple[1], triple[2] = kind, i, j
                if is_active(active, n_active, triple):
                    continue
                place = compute_contact(part, walls, triple, pose)
                distance = measure_distance_of_pair(part, walls, triple, pose, place)
                if distance < least:
                    least = distance
                    copy_row(scratch.spot.closest, triple)
    return least


@kernel
def _measure_closest(part, walls, pose, active, n_active, margin, spot):
    """The distance of the pair that was closest last, at most `margin`: with a bound near the answer a descent looks at
    few others."""
    triple = spot.closest
    kind, i, j = triple[0], triple[1], triple[2]
    may = (part.edge[i].convex and walls.edge[j].length > 0.0) if kind == TYPE_B else has_point(walls, j)
    if not may or is_active(active, n_active, triple):
        return margin
    place = compute_contact(part, walls, triple, pose)
    return min(margin, measure_distance_of_pair(part, walls, triple, pose, place))
