"""One contact along a motion, as power series in time: its normal, arm, slip, gap, and the biases of its equations.

The formulas are those of `contacts.py`, order by order: see `series.py`. All that does not change within a step is
copied into the record first, so that going up an order needs the records alone.
"""

from __future__ import annotations

from geometry.compiled.jit import jit, kernel
from geometry.compiled.record import define_record
from geometry.contact.contacts import TYPE_A, TYPE_B, TYPE_C, compute_contact
from geometry.contact.path import TERMS
from geometry.contact.series import WALL_SERIES, fill_wall_series, multiply, multiply_four, multiply_two

# The part along its path: velocity, its square, and the turn of its frame.
PART_SERIES = define_record(
    ("vx", "f8", (TERMS,)), ("vy", "f8", (TERMS,)), ("omega", "f8", (TERMS,)), ("omega2", "f8", (TERMS,)),
    ("cos", "f8", (TERMS,)), ("sin", "f8", (TERMS,)),
)  # fmt: skip

CONTACT_SERIES = define_record(
    ("kind", "i8"),  # TYPE_A, TYPE_B or TYPE_C
    ("carried", "?"),  # does the shape of the wall move?
    ("turns", "?"),  # does it turn?
    ("runs", "?"),  # does its surface run?
    ("steady", "?"),  # does the normal never turn?
    # of the part, in its frame: the vertex or centre (type B, C) or the outward normal of the edge (type A); of the
    # wall, in the frame of its mover or the world: the normal (type B) or the vertex or centre (type A, C)
    ("px", "f8"), ("py", "f8"), ("hx", "f8"), ("hy", "f8"),
    # m, along n from the contact to the point whose way these series are, and to that of the wall: the centres of arcs;
    # distance of two centres, negative where one is within the other's arc
    ("offset", "f8"), ("shift", "f8"), ("span", "f8"),
    ("nx", "f8", (TERMS,)), ("ny", "f8", (TERMS,)), ("rx", "f8", (TERMS,)), ("ry", "f8", (TERMS,)),
    ("cross", "f8", (TERMS,)), ("dot", "f8", (TERMS,)),  # m: n_q = n x r and v_q = n.r
    ("b", "f8", (TERMS,)), ("d", "f8", (TERMS,)),  # m/s^2: gap'' = N.a + b, slip' = T.a + d
    ("gap", "f8", (TERMS,)), ("along", "f8", (TERMS,)),  # m
    # m/s, of the points whose way these series are, and of the contact against the surface of the wall
    ("u", "f8", (TERMS,)), ("slip", "f8", (TERMS,)),
    # of the point of the wall: its place from the mover's origin, velocity and acceleration
    ("ox", "f8", (TERMS,)), ("oy", "f8", (TERMS,)), ("vx", "f8", (TERMS,)), ("vy", "f8", (TERMS,)),
    ("ax", "f8", (TERMS,)), ("ay", "f8", (TERMS,)),
    ("omega2", "f8", (TERMS,)),  # square of the angular velocity of the wall
    ("wall", WALL_SERIES),
)  # fmt: skip


@kernel
def begin_contact(part, walls, triple, time, pose, terms, contact):
    """Copy what does not change within a step that begins at a time and a pose; series get `terms` coefficients."""
    kind, i, j = triple[0], triple[1], triple[2]
    place = compute_contact(part, walls, triple, pose)
    contact.gap[0], contact.along[0] = place.gap, place.along
    edge, m = walls.edge[j], walls.edge[j].mover
    contact.kind, contact.runs = kind, m >= 0
    contact.carried = m >= 0 and walls.mover[m].n_edges > 0
    contact.turns = False
    if contact.runs:
        fill_wall_series(walls, m, time, terms, contact.wall)
        for k in range(1, terms):
            contact.turns = contact.turns or (contact.carried and contact.wall.theta[k] != 0.0)
    contact.steady = kind == TYPE_B and not contact.turns
    contact.offset = contact.shift = place.offset
    contact.span = 0.0
    if kind == TYPE_C:
        contact.shift = -edge.radius
        contact.span = part.edge[i].radius + edge.radius
    if kind == TYPE_A:
        contact.px, contact.py = part.edge[i].nx, part.edge[i].ny
    else:
        contact.px, contact.py = part.edge[i].x, part.edge[i].y
    if kind != TYPE_B:
        contact.hx, contact.hy = edge.x, edge.y
        if contact.carried:
            contact.hx, contact.hy = edge.home_x, edge.home_y
    else:
        contact.hx, contact.hy = edge.nx, edge.ny
        if contact.carried:
            contact.hx, contact.hy = edge.home_dy, -edge.home_dx


@jit
def _along_normal(contact, x, y, k):
    """Coefficient k of n.f for a series f = (x, y)."""
    if contact.steady:
        return contact.nx[0] * x[k] + contact.ny[0] * y[k]
    one, two = multiply_two(contact.nx, x, contact.ny, y, k)
    return one + two


@jit
def _along_tangent(contact, x, y, k):
    """Coefficient k of t.f."""
    if contact.steady:
        return contact.ny[0] * x[k] - contact.nx[0] * y[k]
    one, two = multiply_two(contact.ny, x, contact.nx, y, k)
    return one - two


@kernel
def extend_contact(path, part, contact, k):
    """Coefficient k of every series of a contact, from the path and its PART_SERIES up to that order."""
    _extend_frame(path, part, contact, k)
    contact.cross[k] = -_along_tangent(contact, contact.rx, contact.ry, k)  # n x r = -t.r
    contact.dot[k] = _along_normal(contact, contact.rx, contact.ry, k)
    push, drag, pull, bend = 0.0, 0.0, 0.0, 0.0
    if contact.carried:
        _extend_point(path, contact, k)
        push = _along_normal(contact, contact.vx, contact.vy, k)
        drag = _along_tangent(contact, contact.vx, contact.vy, k)
        pull = _along_normal(contact, contact.ax, contact.ay, k)
        bend = _along_tangent(contact, contact.ax, contact.ay, k)
    slip, rate, b, d = multiply_four(part.omega, part.omega2, contact.dot, contact.cross, k)
    u = _along_tangent(contact, part.vx, part.vy, k) + slip - drag
    rate += _along_normal(contact, part.vx, part.vy, k) - push
    contact.u[k], contact.slip[k] = u, u + contact.offset * part.omega[k]
    contact.gap[k + 1], contact.along[k + 1] = rate / (k + 1.0), -u / (k + 1.0)
    contact.b[k], contact.d[k] = b - pull, -d - bend
    if contact.kind == TYPE_A:
        contact.b[k] -= 2.0 * multiply(part.omega, contact.u, k)
    elif contact.kind == TYPE_C:
        contact.b[k] += multiply(contact.u, contact.u, k) / contact.span
    elif contact.turns:
        contact.b[k] -= 2.0 * multiply(contact.wall.omega, contact.u, k)
    if contact.turns:
        contact.slip[k] -= contact.shift * contact.wall.omega[k]
        contact.d[k] -= contact.shift * (k + 1.0) * contact.wall.omega[k + 1]
    if contact.runs:
        contact.slip[k] -= contact.wall.speed[k]
        contact.d[k] -= (k + 1.0) * contact.wall.speed[k + 1]


@kernel
def _extend_frame(path, part, contact, k):
    """Coefficient k of the normal and the arm."""
    px, py, hx, hy = contact.px, contact.py, contact.hx, contact.hy
    x, y = -(part.cos[k] * px - part.sin[k] * py), -(part.sin[k] * px + part.cos[k] * py)
    if contact.carried:
        c, s = contact.wall.cos[k], contact.wall.sin[k]
        hx, hy = c * hx - s * hy, s * hx + c * hy
    elif k > 0:
        hx, hy = 0.0, 0.0
    if contact.kind == TYPE_C:
        contact.rx[k], contact.ry[k] = x, y
        x, y = path.c[0, k] - x - hx, path.c[1, k] - y - hy
        if contact.carried:
            contact.ox[k], contact.oy[k] = hx, hy
            x, y = x - contact.wall.x[k], y - contact.wall.y[k]
        contact.nx[k], contact.ny[k] = x / contact.span, y / contact.span
    elif contact.kind == TYPE_A:
        contact.nx[k], contact.ny[k] = x, y
        contact.rx[k], contact.ry[k] = path.c[0, k] - hx, path.c[1, k] - hy
        if contact.carried:
            contact.rx[k] -= contact.wall.x[k]
            contact.ry[k] -= contact.wall.y[k]
    else:
        contact.nx[k], contact.ny[k], contact.rx[k], contact.ry[k] = hx, hy, x, y


@kernel
def _extend_point(path, contact, k):
    """Coefficient k of place, velocity and acceleration of the point of the wall: Vm and Am."""
    wall = contact.wall
    if contact.kind != TYPE_C:
        contact.ox[k] = path.c[0, k] - contact.rx[k] - wall.x[k]
        contact.oy[k] = path.c[1, k] - contact.ry[k] - wall.y[k]
    contact.vx[k], contact.vy[k] = wall.vx[k], wall.vy[k]
    contact.ax[k], contact.ay[k] = (k + 1.0) * wall.vx[k + 1], (k + 1.0) * wall.vy[k + 1]
    if not contact.turns:
        return
    contact.omega2[k] = multiply(wall.omega, wall.omega, k)
    contact.vx[k] -= multiply(wall.omega, contact.oy, k)
    contact.vy[k] += multiply(wall.omega, contact.ox, k)
    turn_x, turn_y = 0.0, 0.0
    for j in range(k + 1):
        turn_x += (j + 1.0) * wall.omega[j + 1] * contact.oy[k - j]
        turn_y += (j + 1.0) * wall.omega[j + 1] * contact.ox[k - j]
    contact.ax[k] -= turn_x + multiply(contact.omega2, contact.ox, k)
    contact.ay[k] += turn_y - multiply(contact.omega2, contact.oy, k)
