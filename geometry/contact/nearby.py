"""The broad phase: which edges of walls, and which edges of the part, are so near each other that they are looked at.

A part of few edges asks for the walls in a square around it, and each is held against all its edges. One of many has a
tree of boxes: the tree of the walls is descended against it, then it against each wall edge that is left. Both give
walls and edges in the same order, which no pose and no reach changes: contacts are found in that order, and of two that
come at the same time the first counts. A descent leaves out only what is farther away than the reach.
"""

from __future__ import annotations

from math import cos, sin, sqrt
from typing import NamedTuple

from geometry.compiled.jit import jit, kernel
from geometry.prescribed.motion import X, Y
from geometry.tolerances import BOX_ROUNDING


class PartFrame(NamedTuple):
    """Where the part stands, in the world or in the frame of a mover."""

    x: float  # m
    y: float  # m
    c: float  # cosine and sine of its angle
    s: float


class Box(NamedTuple):
    """A box along any direction."""

    x: float  # m, its centre
    y: float  # m
    ux: float  # unit vector along it
    uy: float
    half_length: float  # m
    half_width: float  # m


@jit
def place_frame(pose):
    """PartFrame of a pose in the world."""
    return PartFrame(pose[0], pose[1], cos(pose[2]), sin(pose[2]))


@kernel
def find_near_walls(part, walls, pose, around, reach, scratch):
    """Write to `scratch.nearby` the wall edges that may be nearer to an edge of the part than `reach`; return how many.

    For a part of few edges: those not farther than `around` from its centre of mass.
    """
    if part.node.shape[0] == 0:
        return _keep_near(walls, pose, around, scratch, find_nearby_walls(walls, pose[0], pose[1], around, scratch))
    frame, count = place_frame(pose), 0
    count = _descend(part, walls, 0, frame, widen(part, frame, reach), scratch, count)
    for m in range(1, walls.mover.shape[0]):
        if not _is_mover_near(walls.mover[m], pose[0], pose[1], around):
            continue
        if walls.mover[m].root < 0:
            count = _take_all(walls.mover[m], scratch, count)
        else:
            seen = _see_from(walls.mover[m], frame)
            count = _descend(part, walls, walls.mover[m].root, seen, widen(part, frame, reach), scratch, count)
    return count


@kernel
def _keep_near(walls, pose, around, scratch, count):
    """Keep of `scratch.nearby` the wall edges that are not farther than `around` from a place; return how many."""
    kept = 0
    far = around + BOX_ROUNDING * (abs(pose[0]) + abs(pose[1]) + around)
    for k in range(count):
        j = scratch.nearby[k]
        if measure_distance(walls.edge[j], pose[0], pose[1]) <= far:
            scratch.nearby[kept] = j
            kept += 1
    return kept


@jit
def measure_distance(edge, x, y):
    """Distance of a point from an edge, a vertex, or the circle of an arc."""
    if edge.radius != 0.0:
        dx, dy = x - edge.x, y - edge.y
        return abs(sqrt(dx * dx + dy * dy) - abs(edge.radius))
    along = (x - edge.x) * edge.dx + (y - edge.y) * edge.dy
    along = min(max(along, 0.0), edge.length)
    dx, dy = x - edge.x - along * edge.dx, y - edge.y - along * edge.dy
    return sqrt(dx * dx + dy * dy)


@kernel
def find_nearby_walls(walls, x, y, reach, scratch):
    """Write to `scratch.nearby` the wall edges whose box meets the square of half width `reach`, and those of an
    obstacle that moves, if the circle around it does: all, or where they are many, as far as their boxes may meet the
    square. Returns their number."""
    count = _descend_square(walls, 0, x, y, reach, scratch, 0)
    for m in range(1, walls.mover.shape[0]):
        if not _is_mover_near(walls.mover[m], x, y, reach):
            continue
        if walls.mover[m].root < 0:
            count = _take_all(walls.mover[m], scratch, count)
        else:
            c, s = walls.mover[m].cosine, walls.mover[m].sine
            dx, dy = x - walls.mover[m].value[X], y - walls.mover[m].value[Y]
            wide = reach * (abs(c) + abs(s)) + BOX_ROUNDING * (abs(x) + abs(y) + reach + walls.mover[m].radius)
            root = walls.mover[m].root
            count = _descend_square(walls, root, c * dx + s * dy, c * dy - s * dx, wide, scratch, count)
    return count


@jit
def _is_mover_near(mover, x, y, reach):
    """Does the circle around the edges that a mover carries meet a square?"""
    wide = reach + mover.radius
    return mover.n_edges > 0 and abs(mover.value[X] - x) <= wide and abs(mover.value[Y] - y) <= wide


@jit
def _take_all(mover, scratch, count):
    for j in range(mover.first_edge, mover.first_edge + mover.n_edges):
        scratch.nearby[count] = j
        count += 1
    return count


@kernel
def _descend_square(walls, root, x, y, reach, scratch, count):
    """Add the edges of a tree whose box meets a square to `scratch.nearby`, which holds `count`; returns how many it
    holds then."""
    stack = scratch.stack
    top = 0
    stack[0] = root
    while top >= 0:
        node = walls.node[stack[top]]
        top -= 1
        if node.x_min > x + reach or node.x_max < x - reach or node.y_min > y + reach or node.y_max < y - reach:
            continue
        first, second = node.first, node.second
        if first < 0:
            count = _take_leaf(walls, first, second, scratch, count)
        else:
            stack[top + 1], stack[top + 2] = first, second
            top += 2
    return count


@jit
def _take_leaf(walls, first, second, scratch, count):
    for k in range(-1 - first, -1 - first + second):
        j = walls.edge[k].order
        scratch.nearby[count] = j
        count += 1
        if walls.edge[j].across >= 0:
            scratch.nearby[count] = walls.edge[j].across
            count += 1
        if walls.edge[j].arc >= 0:
            scratch.nearby[count] = walls.edge[j].arc
            count += 1
    return count


@kernel
def _descend(part, walls, root, frame, reach, scratch, count):
    """As `_descend_square`, with the edges of a tree that are nearer to the part than `reach`; frame: where the part
    stands in that of the tree."""
    stack = scratch.stack
    top = 0
    stack[0] = root
    while top >= 0:
        node = walls.node[stack[top]]
        top -= 1
        half_x, half_y = 0.5 * (node.x_max - node.x_min), 0.5 * (node.y_max - node.y_min)
        box = Box(node.x_min + half_x, node.y_min + half_y, 1.0, 0.0, half_x, half_y)
        if not _is_part_near(part, frame, box, reach, scratch.climb):
            continue
        first, second = node.first, node.second
        if first < 0:
            count = _take_leaf(walls, first, second, scratch, count)
        else:
            stack[top + 1], stack[top + 2] = first, second
            top += 2
    return count


@kernel
def _is_part_near(part, frame, box, reach, climb):
    """May some edge of the part be nearer to a box than `reach`? Looked at in boxes no smaller than that one."""
    top, size = 0, max(box.half_length, box.half_width)
    climb[0] = 0
    while top >= 0:
        k = climb[top]
        top -= 1
        if _is_apart(part.node[k], frame, box, reach):
            continue
        first, second = part.node[k].first, part.node[k].second
        if first < 0 or max(part.node[k].half_length, part.node[k].half_width) <= size:
            return True
        climb[top + 1], climb[top + 2] = second, first
        top += 2
    return False


@jit(private=False, merged=True)
def find_facing_edges(part, walls, j, frame, reach, scratch):
    """Write to `scratch.facing` the edges of the part that may be nearer to wall edge j than `reach`, in order, and
    their vertices in the world to `scratch.world`; return how many. Of a part of few edges it holds all of them, and
    they have been placed (`place_part`)."""
    return part.edge.shape[0] if part.node.shape[0] == 0 else _climb(part, walls, j, frame, reach, scratch)


@kernel
def _climb(part, walls, j, frame, reach, scratch):
    dx, dy, half = walls.edge[j].dx, walls.edge[j].dy, 0.5 * walls.edge[j].length
    box = Box(walls.edge[j].x + half * dx, walls.edge[j].y + half * dy, dx, dy, half, 0.0)
    climb, count, top, reach = scratch.climb, 0, 0, widen(part, frame, reach)
    climb[0] = 0
    while top >= 0:
        k = climb[top]
        top -= 1
        if _is_apart(part.node[k], frame, box, reach):
            continue
        first, second = part.node[k].first, part.node[k].second
        if first < 0:
            for i in range(-1 - first, -1 - first + second):
                scratch.facing[count] = i
                count += 1
            _place_vertices(part, frame, -1 - first, second, scratch.world)
        else:
            climb[top + 1], climb[top + 2] = second, first
            top += 2
    return count


@jit
def _place_vertices(part, frame, first, n, world):
    """Place the ends of n successive edges of the part."""
    for k in range(first, first + n + 1):
        i = k if k < world.shape[0] else 0
        world[i, 0] = frame.x + frame.c * part.edge[i].x - frame.s * part.edge[i].y
        world[i, 1] = frame.y + frame.s * part.edge[i].x + frame.c * part.edge[i].y


@kernel
def place_part(part, pose, world):
    """Place all vertices of a part of few edges."""
    if part.node.shape[0] == 0:
        _place_vertices(part, place_frame(pose), 0, part.edge.shape[0] - 1, world)


@jit
def widen(part, frame, reach):
    """A reach, and the rounding of boxes that are turned and compared."""
    return reach + BOX_ROUNDING * (abs(frame.x) + abs(frame.y) + part.radius + reach)


@jit
def _see_from(mover, frame):
    """A PartFrame in the world as seen from a mover."""
    c, s = mover.cosine, mover.sine
    dx, dy = frame.x - mover.value[X], frame.y - mover.value[Y]
    return PartFrame(c * dx + s * dy, c * dy - s * dx, c * frame.c + s * frame.s, c * frame.s - s * frame.c)


@jit
def _is_apart(node, frame, box, reach):
    """Are a box of the part and another box farther apart than `reach`, along a side of one of them?"""
    ux, uy = frame.c * node.ux - frame.s * node.uy, frame.s * node.ux + frame.c * node.uy
    dx = frame.x + frame.c * node.x - frame.s * node.y - box.x
    dy = frame.y + frame.s * node.x + frame.c * node.y - box.y
    along, across = abs(ux * box.ux + uy * box.uy), abs(uy * box.ux - ux * box.uy)
    gap = abs(dx * box.ux + dy * box.uy) - box.half_length - node.half_length * along - node.half_width * across
    if gap > reach:
        return True
    gap = abs(dy * box.ux - dx * box.uy) - box.half_width - node.half_length * across - node.half_width * along
    if gap > reach:
        return True
    gap = abs(dx * ux + dy * uy) - node.half_length - box.half_length * along - box.half_width * across
    if gap > reach:
        return True
    return abs(dy * ux - dx * uy) - node.half_width - box.half_length * across - box.half_width * along > reach
