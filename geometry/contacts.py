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

from geometry._jit import jit, kernel
from geometry._record import allocate_table, define_record

TYPE_A = 0
TYPE_B = 1


# One edge of the part, in its own frame (centre of mass at the origin); row i starts at vertex i.
PART_EDGE = define_record(
    ("x", "f8"), ("y", "f8"),  # m, its first vertex
    ("dx", "f8"), ("dy", "f8"),  # unit vector along it
    ("nx", "f8"), ("ny", "f8"),  # outward unit normal
    ("length", "f8"),  # m
    ("convex", "?"),  # its first vertex is strictly convex
)  # fmt: skip

# One edge of the boundary of the union of all obstacles, world frame, solid on the left; row j starts at vertex j.
WALL_EDGE = define_record(
    ("x", "f8"), ("y", "f8"), ("dx", "f8"), ("dy", "f8"), ("nx", "f8"), ("ny", "f8"), ("length", "f8"), ("convex", "?"),
    ("owner", "i8"),  # its obstacle
    ("previous", "i8"), ("next", "i8"),  # neighbours on the boundary
    ("mu", "f8"), ("e", "f8"), ("law", "i8"),  # friction, restitution and law of impact against the part
    ("order", "i8"),  # entry of the broad phase: the edge at this place of its leaves
)  # fmt: skip

# One node of the bounding-box tree over the walls: an inner node has two children > 0, a leaf (-1 - first place,
# count).
WALL_NODE = define_record(
    ("x_min", "f8"), ("y_min", "f8"), ("x_max", "f8"), ("y_max", "f8"), ("first", "i8"), ("second", "i8")
)


class Part(NamedTuple):
    """Outline of the part, counter-clockwise."""

    edge: np.ndarray  # (n,) PART_EDGE
    radius: float  # m, largest distance of a vertex from the centre of mass


class Walls(NamedTuple):
    """Everything the part can touch."""

    edge: np.ndarray  # (n,) WALL_EDGE
    node: np.ndarray  # (m,) WALL_NODE


@kernel
def compute_contact(part, walls, contact, pose):
    """Gap and frame of one contact at a pose (x, y, theta).

    Returns (gap, along, n_x, n_y, r_x, r_y): gap >= 0 when apart; `along` is the distance from the start of the edge
    involved to the contact point, in [0, length] where the supporting line is the edge itself.
    """
    kind, i, j = contact[0], contact[1], contact[2]
    x, y = pose[0], pose[1]
    c, s = cos(pose[2]), sin(pose[2])
    if kind == TYPE_B:
        rx = -(c * part.edge[i].x - s * part.edge[i].y)
        ry = -(s * part.edge[i].x + c * part.edge[i].y)
        nx, ny = walls.edge[j].nx, walls.edge[j].ny
        dx, dy = x - rx - walls.edge[j].x, y - ry - walls.edge[j].y
        gap = nx * dx + ny * dy
        along = walls.edge[j].dx * dx + walls.edge[j].dy * dy
        return gap, along, nx, ny, rx, ry
    rx, ry = x - walls.edge[j].x, y - walls.edge[j].y
    ux, uy = -(c * rx + s * ry) - part.edge[i].x, -(-s * rx + c * ry) - part.edge[i].y
    gap = part.edge[i].nx * ux + part.edge[i].ny * uy
    along = part.edge[i].dx * ux + part.edge[i].dy * uy
    nx = -(c * part.edge[i].nx - s * part.edge[i].ny)
    ny = -(s * part.edge[i].nx + c * part.edge[i].ny)
    return gap, along, nx, ny, rx, ry


@jit
def compute_edge_length(part, walls, contact):
    """Length of the edge that carries the contact."""
    if contact[0] == TYPE_B:
        return walls.edge[contact[2]].length
    return part.edge[contact[1]].length


@kernel
def compute_gap_rate(part, walls, contact, pose, velocity):
    """(gap, gap', along) of one contact; velocity = (vx, vy, omega). First variation: gap' = n.(v - omega x r)."""
    gap, along, nx, ny, rx, ry = compute_contact(part, walls, contact, pose)
    rate = nx * velocity[0] + ny * velocity[1] + (nx * ry - ny * rx) * velocity[2]
    return gap, rate, along


@kernel
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
    vertex = np.asarray(outline, dtype=np.float64)
    edge = allocate_table(PART_EDGE, len(vertex))
    _fill_edges(edge, vertex, np.roll(vertex, -1, axis=0))
    before_x, before_y = np.roll(edge.dx, 1), np.roll(edge.dy, 1)
    edge.convex = before_x * edge.dy - before_y * edge.dx > 0.0
    return Part(edge, float(np.sqrt((vertex**2).sum(axis=1).max())))


def build_walls(boundary, mu: np.ndarray, e: np.ndarray, law: np.ndarray) -> Walls:
    """Arrays of the walls from a `Boundary` (geometry.boundary), and friction, restitution and law of impact
    (an index) of each obstacle."""
    start, end = np.asarray(boundary.start, dtype=np.float64), np.asarray(boundary.end, dtype=np.float64)
    edge = allocate_table(WALL_EDGE, len(start))
    _fill_edges(edge, start, end)
    edge.convex, edge.owner = boundary.convex, boundary.owner
    edge.previous, edge.next = boundary.previous, boundary.next
    edge.mu, edge.e, edge.law = mu[boundary.owner], e[boundary.owner], law[boundary.owner]
    node = build_tree(np.minimum(start, end), np.maximum(start, end), edge.order)
    return Walls(edge, node)


def _fill_edges(edge, start, end):
    delta = end - start
    edge.x, edge.y = start[:, 0], start[:, 1]
    edge.length = np.sqrt((delta**2).sum(axis=1))
    edge.dx, edge.dy = delta[:, 0] / edge.length, delta[:, 1] / edge.length
    edge.nx, edge.ny = edge.dy, -edge.dx


LEAF_SIZE = 4


def build_tree(low: np.ndarray, high: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Bounding-box tree over boxes (n, 2) by median splits: nodes (m,) WALL_NODE; writes the leaves into `order`
    (n,)."""
    rows: list[tuple] = []
    place = 0
    todo = [(np.arange(len(low), dtype=np.int64), -1, 4)]
    while todo:
        members, parent, side = todo.pop()
        if parent >= 0:
            rows[parent][side] = len(rows)
        box = [*low[members].min(axis=0), *high[members].max(axis=0)] if len(members) else [0.0] * 4
        if len(members) <= LEAF_SIZE:
            rows.append([*box, -1 - place, len(members)])
            order[place : place + len(members)] = members
            place += len(members)
            continue
        centre = low[members] + high[members]
        axis = int(np.argmax(np.ptp(centre, axis=0)))
        members = members[np.argsort(centre[:, axis], kind="stable")]
        half = len(members) // 2
        rows.append([*box, -1, -1])
        todo.append((members[half:], len(rows) - 1, 5))
        todo.append((members[:half], len(rows) - 1, 4))
    node = allocate_table(WALL_NODE, len(rows))
    for name, column in zip(WALL_NODE.names, zip(*rows, strict=True), strict=True):
        node[name] = column
    return node
