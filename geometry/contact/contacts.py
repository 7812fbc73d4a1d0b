"""One contact: its gap, normal, arm and first and second variation.

A contact is named by three integers `(kind, i, j)`, rows of the tables of the part and of the walls:

* type A (`kind = TYPE_A`): edge `i` of the part on what is round at `j` of the walls;
* type B (`kind = TYPE_B`): what is round at `i` of the part on wall edge `j`;
* type C (`kind = TYPE_C`): round on round, one inside the other where one of them is concave.

Round is an arc, with a centre and a radius (negative where it is concave), and a vertex, which is one of radius zero:
row `i` stands for its start, and an arc has a row of its own at the end of the table.

Conventions (fixed everywhere): `n` is the unit normal from the obstacle into free space, towards the part;
`t = (n_y, -n_x)`; `r` goes FROM the contact point TO the centre of mass. Lengths in metres, angles in radians.
Sources: Erdmann 1991, section 5.5; Lozano-Perez 1983 for the types; the terms of arcs follow from differentiating the
distance of their centres.
"""

from __future__ import annotations

from math import atan2, cos, inf, pi, sin, sqrt
from typing import Any, NamedTuple

import numpy as np

from geometry.compiled.jit import jit, kernel
from geometry.compiled.record import allocate_table, define_record
from geometry.contact.trees import PART_NODE, build_strip_tree, build_tree, compute_arc_boxes, compute_edge_boxes
from geometry.prescribed.motion import THETA, X, Y
from geometry.prescribed.movers import build_movers, start_clock
from geometry.shapes.features import Features, build_features, compute_joint_tangents, is_circle

TYPE_A = 0
TYPE_B = 1
TYPE_C = 2


# One edge of the part, in its own frame (centre of mass at the origin); row i starts at vertex i. Where the outline
# goes on in an arc the edge has length zero (dx and dy are the direction at its start, nx and ny at its end), and the
# arc has a row at the end: x and y are its centre, dx and dy lead from there to its middle.
PART_EDGE = define_record(
    ("x", "f8"), ("y", "f8"),  # m, its first vertex
    ("dx", "f8"), ("dy", "f8"),  # unit vector along it
    ("nx", "f8"), ("ny", "f8"),  # outward unit normal
    ("length", "f8"),  # m
    ("convex", "?"),  # its first vertex is strictly convex; an arc is where its row may touch at all
    ("smooth", "?"),  # the direction does not jump at its first vertex
    ("previous", "i8"), ("next", "i8"),  # rows of the outline before and after
    ("radius", "f8"),  # m, 0 for a vertex, negative for a concave arc
    ("half", "f8"),  # rad, half of what an arc turns through
    ("arc", "i8"),  # the row of the arc in the place of this edge, or the edge in whose place this arc is; -1 if none
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
    ("home_nx", "f8"), ("home_ny", "f8"),
    ("smooth", "?"),  # as in the table of the part; a level seam of two edges is smooth, too
    ("radius", "f8"), ("half", "f8"), ("arc", "i8"),  # as in the table of the part
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
    # m, along n from the contact point to the point that stands for what is round: the vertex itself, or the centre
    offset: float


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
    if kind == TYPE_A:
        rx, ry = x - walls.edge[j].x, y - walls.edge[j].y
        ux, uy = -(c * rx + s * ry) - part.edge[i].x, -(-s * rx + c * ry) - part.edge[i].y
        gap = part.edge[i].nx * ux + part.edge[i].ny * uy
        along = part.edge[i].dx * ux + part.edge[i].dy * uy
        nx = -(c * part.edge[i].nx - s * part.edge[i].ny)
        ny = -(s * part.edge[i].nx + c * part.edge[i].ny)
        radius = walls.edge[j].radius
        return ContactPlace(gap - radius, along, nx, ny, rx - radius * nx, ry - radius * ny, -radius)
    rx = -(c * part.edge[i].x - s * part.edge[i].y)
    ry = -(s * part.edge[i].x + c * part.edge[i].y)
    dx, dy, radius = x - rx - walls.edge[j].x, y - ry - walls.edge[j].y, part.edge[i].radius
    if kind == TYPE_B:
        nx, ny = walls.edge[j].nx, walls.edge[j].ny
        gap = nx * dx + ny * dy - radius
        along = walls.edge[j].dx * dx + walls.edge[j].dy * dy
        return ContactPlace(gap, along, nx, ny, rx + radius * nx, ry + radius * ny, radius)
    span, distance = radius + walls.edge[j].radius, sqrt(dx * dx + dy * dy)
    if distance == 0.0:  # concentric: all directions are alike
        dx, distance = 1.0, 1.0
        gap = -span
    else:
        gap = (distance if span > 0.0 else -distance) - span
    nx, ny = (dx / distance, dy / distance) if span > 0.0 else (-dx / distance, -dy / distance)
    return ContactPlace(gap, 0.0, nx, ny, rx + radius * nx, ry + radius * ny, radius)


@kernel
def compute_roll(part, walls, contact, pose, place):
    """How far a contact has rolled [m]: while its gap is zero its rate is -u, the slip of the shapes.

    A vertex has the same place as `along`. An arc leaves its own length behind as one of the two turns against the
    other, and two arcs leave theirs as their line of centres turns: of two it is known up to whole turns of that.
    """
    kind, i, j = contact[0], contact[1], contact[2]
    m, turn = walls.edge[j].mover, 0.0
    if m >= 0 and walls.mover[m].n_edges > 0:
        turn = walls.mover[m].value[THETA]
    r, s = part.edge[i].radius, walls.edge[j].radius
    if kind == TYPE_A:
        return place.along + s * (pose[2] - turn)
    if kind == TYPE_B:
        return place.along - r * (pose[2] - turn)
    return (r + s) * atan2(place.ny, place.nx) - r * pose[2] - s * turn


@kernel
def compute_room(part, walls, contact, pose, place):
    """How far a contact is from the nearest end of the edge and the arcs that it lies on, along them [m]; negative
    beyond. Infinite where none of them ends. place: its ContactPlace."""
    kind, i, j = contact[0], contact[1], contact[2]
    room, along, nx, ny = inf, place.along, place.nx, place.ny
    if kind == TYPE_A:
        room = min(along, part.edge[i].length - along)
    else:
        if kind == TYPE_B:
            room = min(along, walls.edge[j].length - along)
        radius = part.edge[i].radius
        if radius != 0.0:
            c, s = cos(pose[2]), sin(pose[2])
            sign = -1.0 if radius > 0.0 else 1.0
            room = min(room, _measure_room(part.edge[i], sign * (c * nx + s * ny), sign * (c * ny - s * nx)))
            if kind == TYPE_C and walls.edge[j].radius == 0.0:
                room = min(room, abs(radius) * _measure_fan(walls.edge, j, nx, ny))
    radius = walls.edge[j].radius
    if kind != TYPE_B and radius != 0.0:
        sign = 1.0 if radius > 0.0 else -1.0
        room = min(room, _measure_room(walls.edge[j], sign * nx, sign * ny))
        if kind == TYPE_C and part.edge[i].radius == 0.0:
            c, s = cos(pose[2]), sin(pose[2])
            room = min(room, abs(radius) * _measure_fan(part.edge, i, -c * nx - s * ny, s * nx - c * ny))
    return room


@jit
def _measure_fan(edge, i, x, y):
    """How far inside the normals of a vertex a direction is: the sine of the angle to the nearest side."""
    back = edge[i].previous
    in_x, in_y = find_arrival(edge, back)
    return min(-(x * edge[i].dx + y * edge[i].dy), x * in_x + y * in_y)


@jit
def _measure_room(arc, x, y):
    """How far a point of an arc is from its nearer end, along it; (x, y): unit vector from the centre to the point."""
    if arc.half >= pi:
        return inf
    return abs(arc.radius) * (arc.half - atan2(abs(arc.dx * y - arc.dy * x), arc.dx * x + arc.dy * y))


@jit
def find_arrival(edge, i):
    """Unit vector along a row of the outline at its end; edge: the table of the part or of the walls."""
    return (edge[i].dx, edge[i].dy) if edge[i].arc < 0 else (edge[i].nx, edge[i].ny)


@jit
def compute_edge_length(part, walls, contact):
    """Length of the edge that carries the contact."""
    if contact[0] == TYPE_B:
        return walls.edge[contact[2]].length
    return part.edge[contact[1]].length if contact[0] == TYPE_A else 0.0


@kernel
def compute_gap_rate(part, walls, contact, pose, velocity):
    """(gap, gap', along) of one contact; velocity = (vx, vy, omega). First variation: gap' = n.(v - omega x r - Vm)."""
    gap, along, nx, ny, rx, ry, _ = compute_contact(part, walls, contact, pose)
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
    """Biases (b, d) of gap'' = N.a + b and, at gap' = 0, slip'' = T.a + d; of a vertex, or of the centre of an arc.

    b = omega^2 n.r - n.Am - 2 W u with W = omega for type A (the edge turns with the part) and Om for type B (it turns
    with the obstacle); d = omega^2 t.r - t.Am. rates = (omega, Om); slip is u = t.(v - omega x r - Vm), that of the
    shapes; acceleration is Am. On a fixed obstacle this is Erdmann's n.(a - omega^2 r - 2 omega x v_xy) = 0 for type A
    (section 5.5), and n.(a + omega^2 r) = 0 for type B. Two centres (type C) turn about each other: b lacks the last
    term and gets u^2 / D, see `compute_bend`.
    """
    nx, ny = normal
    rx, ry = arm
    ax, ay = acceleration
    omega, om = rates
    turn = 2.0 * (omega if kind == TYPE_A else om) * slip if kind != TYPE_C else 0.0
    return omega * omega * (nx * rx + ny * ry) - (nx * ax + ny * ay) - turn, omega * omega * (ny * rx - nx * ry) - (
        ny * ax - nx * ay)


# Edges of a part or of an obstacle that moves up to which no tree is made of them: so few are looked at one by one in
# less time than a descent takes.
FEW_EDGES = 16


def build_part(outline: Any) -> Part:
    """Arrays of a part from its vertices (n, 2), counter-clockwise, or its Outline, relative to the centre of mass."""
    if isinstance(outline, np.ndarray):
        n = len(outline)
        features = build_features(outline, np.roll(outline, -1, axis=0), np.zeros(n))
        before, after = np.roll(np.arange(n), 1), np.roll(np.arange(n), -1)
    else:
        features, before, after = outline.features, outline.previous, outline.next
    n_loops = 1 if isinstance(outline, np.ndarray) else outline.n_loops
    edge = allocate_table(PART_EDGE, len(features.sign) + np.count_nonzero(features.sign))
    n = len(features.sign)
    own: Any = edge[:n]
    own.previous, own.next = before, after
    if not isinstance(outline, np.ndarray):
        own.convex, own.smooth = outline.turn > 0.0, outline.turn == 0.0
    _fill_features(own, edge[n:], features, n)
    if isinstance(outline, np.ndarray):
        before_x, before_y = np.roll(own.dx, 1), np.roll(own.dy, 1)
        own.convex = before_x * own.dy - before_y * own.dx > 0.0
    # the boxes of a strip tree lie round the chords of one loop
    chords = n > FEW_EDGES and n_loops == 1 and not features.sign.any()
    node = build_strip_tree(features.start) if chords else allocate_table(PART_NODE, 0)
    return Part(edge, float((np.sqrt(edge.x**2 + edge.y**2) + np.abs(edge.radius)).max()), node)


def _fill_features(own, arc, features, first: int) -> None:
    """Fill the rows of features, and those of the arcs among them, which begin at row `first` of their table. Where a
    joint is smooth both sides end in one direction, so that a contact is always on one of them."""
    bent = np.flatnonzero(features.sign)
    _fill_edges(own, features.start, np.where((features.sign == 0)[:, None], features.end, features.start + 1.0))
    own.arc = -1
    leaving, arriving = compute_joint_tangents(features, own.previous, own.smooth)
    own.length[bent] = 0.0
    own.dx[bent], own.dy[bent], own.nx[bent], own.ny[bent] = *leaving[bent].T, *arriving[bent].T
    own.arc[bent] = first + np.arange(len(bent))
    arc.arc, arc.previous, arc.next, arc.convex = bent, bent, bent, True
    arc.x, arc.y, arc.radius = *features.centre[bent].T, (features.radius * features.sign)[bent]
    sign, turn = features.sign[bent], 2.0 * pi
    begin, end = (np.arctan2(way[bent, 1], way[bent, 0]) for way in (leaving, arriving))
    arc.half = np.where(is_circle(features)[bent], pi, 0.5 * np.mod(sign * (end - begin), turn))
    angle = begin + sign * (arc.half - 0.5 * pi)
    arc.dx, arc.dy = np.cos(angle), np.sin(angle)


def build_walls(boundary, mu: np.ndarray, e: np.ndarray, law: np.ndarray) -> Walls:
    """Arrays of walls that do not move, from a `Boundary` (geometry.shapes.union), and friction, restitution and law
    of impact (an index) of each obstacle; see `geometry.contact.moving.build_moving_walls` for others."""
    edge = fill_walls(boundary, mu, e, law)
    return Walls(edge, build_wall_tree(edge), *build_movers(()), start_clock())


def fill_walls(boundary, mu: np.ndarray, e: np.ndarray, law: np.ndarray) -> np.ndarray:
    """Table WALL_EDGE of a boundary; arguments as for `build_walls`."""
    before = boundary.owner[boundary.previous]
    meeting = np.flatnonzero((before != boundary.owner) & (boundary.convex | boundary.level))
    features = Features(boundary.start, boundary.end, boundary.centre, boundary.radius, boundary.sign)
    n, n_arcs = len(features.sign), np.count_nonzero(features.sign)
    first = n + len(meeting)
    edge = allocate_table(WALL_EDGE, first + n_arcs)
    own: Any = edge[:n]
    arc: Any = edge[first:]
    own.smooth = boundary.smooth | boundary.level
    own.previous, own.next = boundary.previous, boundary.next
    _fill_features(own, arc, features, first)
    own.convex, own.owner = boundary.convex, boundary.owner
    own.across = -1
    own.across[meeting] = np.arange(n, first)
    edge[n:first] = own[meeting]
    edge.owner[n:first], edge.length[n:first], edge.across[n:first] = before[meeting], 0.0, meeting
    edge.arc[n:first] = -1
    arc.owner, arc.across = own.owner[arc.arc], -1
    edge.mu, edge.e, edge.law = mu[edge.owner], e[edge.owner], law[edge.owner]
    edge.mover = -1
    return edge


@jit
def is_own_row(walls, j):
    """Is row j of a vertex that of the edge which starts there, with its surface? Else it is the row across."""
    return walls.edge[j].across < 0 or walls.edge[j].across > j


@jit
def has_point(walls, j):
    """May an edge of the part touch the start of wall edge j as a point of this edge's surface? At a convex corner, and
    at a level seam, where the surface of another obstacle goes on, if that differs in what it does to the part. Where a
    convex arc goes on smoothly, its own row is that point."""
    edge = walls.edge[j]
    if edge.radius != 0.0:
        return edge.radius > 0.0
    if edge.across < 0:
        return edge.convex
    own = is_own_row(walls, j)
    if edge.convex and own:
        return True
    arc = edge.arc if own else walls.edge[edge.previous].arc
    if not edge.convex and arc >= 0 and walls.edge[arc].radius > 0.0:
        return False
    other = walls.edge[edge.across]
    return edge.apart or edge.mu != other.mu or edge.e != other.e or edge.law != other.law


def _fill_edges(edge, start, end):
    delta = end - start
    edge.x, edge.y = start[:, 0], start[:, 1]
    edge.length = np.sqrt((delta**2).sum(axis=1))
    edge.dx, edge.dy = delta[:, 0] / edge.length, delta[:, 1] / edge.length
    edge.nx, edge.ny = edge.dy, -edge.dx


def build_wall_tree(edge) -> np.ndarray:
    """Nodes of the tree over edges and arcs, whose order they get; vertices that stand in the table twice are found by
    the first, arcs by the edges in whose place they are."""
    row = np.flatnonzero((edge.length > 0.0) | ((edge.arc >= 0) & (edge.radius == 0.0)))
    low, high = compute_edge_boxes(edge[row])
    bent = np.flatnonzero(edge.arc[row] >= 0)
    low[bent], high[bent] = compute_arc_boxes(edge[edge.arc[row[bent]]])
    order = np.empty(len(row), dtype=np.int64)
    node = build_tree(low, high, order)
    edge.order[: len(row)] = row[order]
    return node
