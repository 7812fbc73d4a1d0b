"""One contact: its gap, normal, arm and first and second variation.

A contact is named by three integers `(kind, i, j)`:

* type A (`kind = TYPE_A`): edge `i` of the part on vertex `j` of the walls (the start of wall edge `j`), with the
  friction, restitution and motion of that wall edge's surface;
* type B (`kind = TYPE_B`): vertex `i` of the part on wall edge `j`.

Conventions (fixed everywhere): `n` is the unit normal from the obstacle into free space, towards the part;
`t = (n_y, -n_x)`; `r` goes FROM the contact point TO the centre of mass. Lengths in metres, angles in radians.
Source: Erdmann 1991, section 5.5; Lozano-Perez 1983 for the types.
"""

from __future__ import annotations

from math import cos, sin
from typing import Any, NamedTuple

import numpy as np

from geometry.compiled.jit import jit, kernel
from geometry.compiled.record import allocate_table, define_record
from geometry.contact.trees import PART_NODE, build_strip_tree, build_tree
from geometry.prescribed.motion import THETA, X, Y
from geometry.prescribed.movers import build_movers, start_clock

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

# One edge of the boundary of the union of all fixed obstacles, or of an obstacle that moves (see `moving.py`): world
# frame, at the time of the clock, solid on the left; row j starts at vertex j. Where surfaces of two obstacles meet,
# an edge of the part may press on either. So the vertex stands in the table twice: as the start of its edge, and as an
# edge of length zero with the surface of the edge before, at the end of the table.
WALL_EDGE = define_record(
    ("x", "f8"), ("y", "f8"), ("dx", "f8"), ("dy", "f8"), ("nx", "f8"), ("ny", "f8"), ("length", "f8"), ("convex", "?"),
    ("owner", "i8"),  # its obstacle
    ("previous", "i8"), ("next", "i8"),  # neighbours on the boundary
    ("across", "i8"),  # the other row of its vertex, with the other surface that meets there; -1 if there is none
    ("apart", "?"),  # do the two surfaces that meet here run at different speeds?
    ("mu", "f8"), ("e", "f8"), ("law", "i8"),  # friction, restitution and law of impact against the part
    ("order", "i8"),  # entry of the broad phase: the edge at this place of its leaves
    ("mover", "i8"),  # row of the mover that carries its shape or its surface, -1 where neither moves
    ("home_x", "f8"), ("home_y", "f8"), ("home_dx", "f8"), ("home_dy", "f8"),  # the edge in the frame of its mover
)  # fmt: skip


class Part(NamedTuple):
    """Outline of the part, counter-clockwise."""

    edge: np.ndarray  # (n,) PART_EDGE
    radius: float  # m, largest distance of a vertex from the centre of mass
    node: np.ndarray  # (m,) PART_NODE; none where the edges are few


class Walls(NamedTuple):
    """Everything the part can touch."""

    edge: np.recarray  # (n,) WALL_EDGE
    node: np.ndarray  # (m,) WALL_NODE: the tree over the edges that do not move, then those of the movers
    mover: np.recarray  # (k,) MOVER; row 0 is that of gravity; empty where nothing moves
    piece: np.ndarray  # (p,) PIECE of the movers
    wave: np.ndarray  # (q,) WAVE of the movers
    clock: np.record  # CLOCK: the time at which the edges and movers stand


class ContactPlace(NamedTuple):
    """Where a contact is: gap >= 0 when apart."""

    gap: float  # m
    along: float  # m, from the start of the edge to the contact point; in [0, length] where its line is the edge itself
    nx: float  # unit normal
    ny: float
    rx: float  # m, from the contact point to the centre of mass
    ry: float


@jit
def is_same_contact(one, other):
    """Are two triples (kind, i, j) the same contact?"""
    return one[0] == other[0] and one[1] == other[1] and one[2] == other[2]


@kernel
def compute_contact(part, walls, contact, pose):
    """ContactPlace of one contact at a pose (x, y, theta), with the walls as they stand."""
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
        return ContactPlace(gap, along, nx, ny, rx, ry)
    rx, ry = x - walls.edge[j].x, y - walls.edge[j].y
    ux, uy = -(c * rx + s * ry) - part.edge[i].x, -(-s * rx + c * ry) - part.edge[i].y
    gap = part.edge[i].nx * ux + part.edge[i].ny * uy
    along = part.edge[i].dx * ux + part.edge[i].dy * uy
    nx = -(c * part.edge[i].nx - s * part.edge[i].ny)
    ny = -(s * part.edge[i].nx + c * part.edge[i].ny)
    return ContactPlace(gap, along, nx, ny, rx, ry)


@jit
def compute_edge_length(part, walls, contact):
    """Length of the edge that carries the contact."""
    if contact[0] == TYPE_B:
        return walls.edge[contact[2]].length
    return part.edge[contact[1]].length


@kernel
def compute_gap_rate(part, walls, contact, pose, velocity):
    """(gap, gap', along) of one contact; velocity = (vx, vy, omega). First variation: gap' = n.(v - omega x r - Vm)."""
    gap, along, nx, ny, rx, ry = compute_contact(part, walls, contact, pose)
    rate = nx * velocity[0] + ny * velocity[1] + (nx * ry - ny * rx) * velocity[2]
    m = walls.edge[contact[2]].mover
    if m >= 0:
        ux, uy = compute_wall_velocity(walls.mover[m], pose[0] - rx, pose[1] - ry)
        rate -= nx * ux + ny * uy
    return gap, rate, along


@jit
def compute_wall_velocity(mover, x, y):
    """Velocity Vm = Vo + Om x ro of the point (x, y) of a mover's shape [m/s]."""
    om = mover.rate[THETA]
    return mover.rate[X] - om * (y - mover.value[Y]), mover.rate[Y] + om * (x - mover.value[X])


@jit
def compute_wall_acceleration(mover, x, y):
    """Acceleration Am = Ao + Om' x ro - Om^2 ro of the point (x, y) of a mover's shape [m/s^2]."""
    om, alpha = mover.rate[THETA], mover.bend[THETA]
    rx, ry = x - mover.value[X], y - mover.value[Y]
    return mover.bend[X] - alpha * ry - om * om * rx, mover.bend[Y] + alpha * rx - om * om * ry


@kernel
def compute_variation(kind, normal, arm, rates, slip, acceleration):
    """Biases (b, d) of gap'' = N.a + b and, at gap' = 0, slip'' = T.a + d.

    b = omega^2 n.r - n.Am - 2 W u with W = omega for type A (the edge turns with the part) and Om for type B (it turns
    with the obstacle); d = omega^2 t.r - t.Am. rates = (omega, Om); slip is u = t.(v - omega x r - Vm), that of the
    shapes; acceleration is Am. On a fixed obstacle this is Erdmann's n.(a - omega^2 r - 2 omega x v_xy) = 0 for type A
    (section 5.5), and n.(a + omega^2 r) = 0 for type B.
    """
    nx, ny = normal
    rx, ry = arm
    ax, ay = acceleration
    omega, om = rates
    b = omega * omega * (nx * rx + ny * ry) - (nx * ax + ny * ay) - 2.0 * (omega if kind == TYPE_A else om) * slip
    return b, omega * omega * (ny * rx - nx * ry) - (ny * ax - nx * ay)


# Edges of a part or of an obstacle that moves up to which no tree is made of them: so few are looked at one by one in
# less time than a descent takes.
FEW_EDGES = 16


def build_part(outline: np.ndarray) -> Part:
    """Arrays of a part from its vertices (n, 2), counter-clockwise, relative to the centre of mass."""
    vertex = np.asarray(outline, dtype=np.float64)
    edge = allocate_table(PART_EDGE, len(vertex))
    _fill_edges(edge, vertex, np.roll(vertex, -1, axis=0))
    before_x, before_y = np.roll(edge.dx, 1), np.roll(edge.dy, 1)
    edge.convex = before_x * edge.dy - before_y * edge.dx > 0.0
    node = build_strip_tree(vertex) if len(vertex) > FEW_EDGES else allocate_table(PART_NODE, 0)
    return Part(edge, float(np.sqrt((vertex**2).sum(axis=1).max())), node)


def build_walls(boundary, mu: np.ndarray, e: np.ndarray, law: np.ndarray) -> Walls:
    """Arrays of walls that do not move, from a `Boundary` (geometry.shapes.boundary), and friction, restitution and law
    of impact (an index) of each obstacle; see `geometry.contact.moving.build_moving_walls` for others."""
    edge = fill_walls(boundary, mu, e, law)
    return Walls(edge, build_wall_tree(edge), *build_movers(()), start_clock())


def fill_walls(boundary, mu: np.ndarray, e: np.ndarray, law: np.ndarray) -> np.ndarray:
    """Table WALL_EDGE of a boundary; arguments as for `build_walls`."""
    start, end = np.asarray(boundary.start, dtype=np.float64), np.asarray(boundary.end, dtype=np.float64)
    before = boundary.owner[boundary.previous]
    meeting = np.flatnonzero((before != boundary.owner) & (boundary.convex | boundary.level))
    n = len(start)
    edge = allocate_table(WALL_EDGE, n + len(meeting))
    own: Any = edge[:n]
    _fill_edges(own, start, end)
    own.convex, own.owner = boundary.convex, boundary.owner
    own.previous, own.next = boundary.previous, boundary.next
    own.across = -1
    own.across[meeting] = np.arange(n, len(edge))
    edge[n:] = own[meeting]
    edge.owner[n:], edge.length[n:], edge.across[n:] = before[meeting], 0.0, meeting
    edge.mu, edge.e, edge.law = mu[edge.owner], e[edge.owner], law[edge.owner]
    edge.mover = -1
    return edge


@jit
def has_point(walls, j):
    """May an edge of the part touch the start of wall edge j as a point of this edge's surface? At a convex corner, and
    at a level seam, where the surface of another obstacle goes on, if that differs in what it does to the part."""
    edge = walls.edge[j]
    if edge.across < 0:
        return edge.convex
    if edge.convex and edge.length > 0.0:
        return True
    other = walls.edge[edge.across]
    return edge.apart or edge.mu != other.mu or edge.e != other.e or edge.law != other.law


def compute_edge_boxes(edge) -> tuple[np.ndarray, np.ndarray]:
    """Lower left and upper right corners (n, 2) of the boxes around edges."""
    start = np.stack([edge.x, edge.y], axis=1)
    end = start + edge.length[:, None] * np.stack([edge.dx, edge.dy], axis=1)
    return np.minimum(start, end), np.maximum(start, end)


def _fill_edges(edge, start, end):
    delta = end - start
    edge.x, edge.y = start[:, 0], start[:, 1]
    edge.length = np.sqrt((delta**2).sum(axis=1))
    edge.dx, edge.dy = delta[:, 0] / edge.length, delta[:, 1] / edge.length
    edge.nx, edge.ny = edge.dy, -edge.dx


def build_wall_tree(edge) -> np.ndarray:
    """Nodes of the tree over edges, whose order they get; vertices that stand in the table twice are found by the
    first."""
    long = edge[edge.length > 0.0]
    order = np.empty(len(long), dtype=np.int64)
    node = build_tree(*compute_edge_boxes(long), order)
    edge.order[: len(long)] = order
    return node

