"""One contact: its gap, normal, arm and first and second variation.

A contact is named by three integers `(kind, i, j)`:

* type A (`kind = TYPE_A`): edge `i` of the part on vertex `j` of the walls (the start of wall edge `j`);
* type B (`kind = TYPE_B`): vertex `i` of the part on wall edge `j`.

Conventions (fixed everywhere): `n` is the unit normal from the obstacle into free space, towards the part;
`t = (n_y, -n_x)`; `r` goes FROM the contact point TO the centre of mass. Lengths in metres, angles in radians.
Source: Erdmann 1991, section 5.5; Lozano-Perez 1983 for the types.
"""

from __future__ import annotations

from math import cos, sin
from typing import NamedTuple

import numpy as np

from geometry._jit import jit

TYPE_A = 0
TYPE_B = 1


class Part(NamedTuple):
    """Outline of the part in its own frame, counter-clockwise, centre of mass at the origin. Edge i runs from vertex i."""

    vertex: np.ndarray  # (n, 2) m
    direction: np.ndarray  # (n, 2) unit vector along edge i
    normal: np.ndarray  # (n, 2) outward unit normal of edge i
    length: np.ndarray  # (n,) m
    convex: np.ndarray  # (n,) bool, vertex i is strictly convex
    radius: float  # m, largest distance of a vertex from the centre of mass


class Walls(NamedTuple):
    """Boundary of the union of all obstacles in the world frame, solid on the left. Edge j starts at vertex j."""

    start: np.ndarray  # (n, 2) m
    direction: np.ndarray  # (n, 2) unit vector along edge j
    normal: np.ndarray  # (n, 2) outward unit normal
    length: np.ndarray  # (n,) m
    convex: np.ndarray  # (n,) bool, vertex j is strictly convex
    owner: np.ndarray  # (n,) int64, obstacle of edge j
    previous: np.ndarray  # (n,) int64
    next: np.ndarray  # (n,) int64
    tree_box: np.ndarray  # (m, 4) x_min, y_min, x_max, y_max of the nodes of the broad phase
    tree_child: np.ndarray  # (m, 2) int64 children, or (-1 - first, count) for a leaf
    tree_edge: np.ndarray  # (n,) int64 wall edges in leaf order


@jit
def compute_contact(part, walls, contact, pose):
    """Gap and frame of one contact at a pose (x, y, theta).

    Returns (gap, along, n_x, n_y, r_x, r_y): gap >= 0 when apart; `along` is the distance from the start of the edge
    involved to the contact point, in [0, length] where the supporting line is the edge itself.
    """
    kind, i, j = contact[0], contact[1], contact[2]
    x, y = pose[0], pose[1]
    c, s = cos(pose[2]), sin(pose[2])
    if kind == TYPE_B:
        rx = -(c * part.vertex[i, 0] - s * part.vertex[i, 1])
        ry = -(s * part.vertex[i, 0] + c * part.vertex[i, 1])
        nx, ny = walls.normal[j, 0], walls.normal[j, 1]
        dx, dy = x - rx - walls.start[j, 0], y - ry - walls.start[j, 1]
        gap = nx * dx + ny * dy
        along = walls.direction[j, 0] * dx + walls.direction[j, 1] * dy
        return gap, along, nx, ny, rx, ry
    rx, ry = x - walls.start[j, 0], y - walls.start[j, 1]
    ux, uy = -(c * rx + s * ry) - part.vertex[i, 0], -(-s * rx + c * ry) - part.vertex[i, 1]
    gap = part.normal[i, 0] * ux + part.normal[i, 1] * uy
    along = part.direction[i, 0] * ux + part.direction[i, 1] * uy
    nx = -(c * part.normal[i, 0] - s * part.normal[i, 1])
    ny = -(s * part.normal[i, 0] + c * part.normal[i, 1])
    return gap, along, nx, ny, rx, ry


@jit
def compute_edge_length(part, walls, contact):
    """Length of the edge that carries the contact."""
    if contact[0] == TYPE_B:
        return walls.length[contact[2]]
    return part.length[contact[1]]


@jit
def compute_gap_rate(part, walls, contact, pose, velocity):
    """(gap, gap', along) of one contact; velocity = (vx, vy, omega). First variation: gap' = n.(v - omega x r)."""
    gap, along, nx, ny, rx, ry = compute_contact(part, walls, contact, pose)
    rate = nx * velocity[0] + ny * velocity[1] + (nx * ry - ny * rx) * velocity[2]
    return gap, rate, along


@jit
def compute_variation(kind, normal, arm, omega, slip):
    """Biases (b, d) of gap'' = N.a + b and, at zero slip, slip'' = T.a + d, on a fixed obstacle.

    b = omega^2 n.r - 2 W u with W = omega for type A (the edge turns with the part) and 0 for type B; for type A this
    is Erdmann's n.(a - omega^2 r - 2 omega x v_xy) = 0 (section 5.5) written with the slip u = t.(v - omega x r).
    """
    nx, ny = normal
    rx, ry = arm
    b = omega * omega * (nx * rx + ny * ry)
    if kind == TYPE_A:
        b -= 2.0 * omega * slip
    return b, omega * omega * (ny * rx - nx * ry)


def build_part(outline: np.ndarray) -> Part:
    """Arrays of a part from its vertices (n, 2), counter-clockwise, relative to the centre of mass."""
    vertex = np.ascontiguousarray(outline, dtype=np.float64)
    direction, normal, length = _compute_edges(vertex, np.roll(vertex, -1, axis=0))
    before = np.roll(direction, 1, axis=0)
    turn = before[:, 0] * direction[:, 1] - before[:, 1] * direction[:, 0]
    return Part(vertex, direction, normal, length, turn > 0.0, float(np.sqrt((vertex**2).sum(axis=1).max())))


def build_walls(boundary) -> Walls:
    """Arrays of the walls from a `Boundary` (geometry.boundary)."""
    start = np.ascontiguousarray(boundary.start, dtype=np.float64)
    end = np.asarray(boundary.end, dtype=np.float64)
    direction, normal, length = _compute_edges(start, end)
    tree = build_tree(np.minimum(start, end), np.maximum(start, end))
    integers = [np.ascontiguousarray(a, dtype=np.int64) for a in (boundary.owner, boundary.previous, boundary.next)]
    return Walls(start, direction, normal, length, np.ascontiguousarray(boundary.convex, dtype=np.bool_), *integers, *tree)


def _compute_edges(start, end):
    delta = end - start
    length = np.sqrt((delta**2).sum(axis=1))
    direction = np.ascontiguousarray(delta / length[:, None]) if len(length) else np.zeros((0, 2))
    normal = np.ascontiguousarray(np.column_stack([direction[:, 1], -direction[:, 0]]))
    return direction, normal, length


LEAF_SIZE = 4


def build_tree(low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Bounding-box tree by median splits: (boxes (m, 4), children (m, 2), edge order (n,)). See `Walls`."""
    boxes, children, order = [], [], []
    todo = [(np.arange(len(low), dtype=np.int64), -1, 0)]
    while todo:
        members, parent, side = todo.pop()
        if parent >= 0:
            children[parent][side] = len(boxes)
        box = [0.0, 0.0, 0.0, 0.0]
        if len(members):
            box = [*low[members].min(axis=0), *high[members].max(axis=0)]
        boxes.append(box)
        if len(members) <= LEAF_SIZE:
            children.append([-1 - len(order), len(members)])
            order.extend(members.tolist())
            continue
        centre = low[members] + high[members]
        axis = int(np.argmax(np.ptp(centre, axis=0)))
        members = members[np.argsort(centre[:, axis], kind="stable")]
        half = len(members) // 2
        children.append([-1, -1])
        todo.append((members[half:], len(boxes) - 1, 1))
        todo.append((members[:half], len(boxes) - 1, 0))
    tree_box = np.array(boxes, dtype=np.float64).reshape(-1, 4)
    return tree_box, np.array(children, dtype=np.int64).reshape(-1, 2), np.array(order, dtype=np.int64)
