"""A part that is carried: its contacts hold it by three independent equations, and obstacles that move take it along.

Velocity and acceleration follow from the equations alone, and so does the pose, to rounding: it is the closed-form pose
of the contact formation nearest to where the part was (`geometry.formation`), found by Newton's method from there.
Forces do not shape the motion; they only have to exist. They do as long as the force that the motion needs lies in
the cone which the edges of all friction cones span (Erdmann's composite cone).
"""

from __future__ import annotations

from math import inf, sqrt
from typing import NamedTuple

from dynamics.motion.mode import (
    LETTER_N,
    LETTER_R,
    OK,
    SINGULAR,
    compute_frame,
    compute_travel,
    get_load,
    get_mu,
    set_time,
)
from dynamics.tolerances import CLEARER, FORCE_ROUNDING, IN_PLANE, PROJECTED
from geometry.compiled.jit import jit, kernel
from geometry.contact.contacts import compute_contact

# What a facet of the composite cone says where the force leaves through it.
NOTHING_LOST, FORCE_LOST, GRIP_LOST = 0, 1, 2


class Margin(NamedTuple):
    """How far a force is inside the composite cone, and what is lost beyond its nearest facet."""

    least: float  # m/s^2; negative outside
    what: int  # NOTHING_LOST, FORCE_LOST or GRIP_LOST
    contact: int  # of the mode


@kernel
def choose_rows(body, mode, at, target, acceleration):
    """Choose three independent equations of the mode, the clearest first; returns how far their acceleration is from
    `target` (3,) in (x, y, rho theta), or -1 if there are no three. Arguments as for `choose_basis`."""
    if not _take_clearest(body, mode, at.time, at.pose):
        return -1.0
    if carry(body, mode, at, acceleration)[0] != OK:
        return -1.0
    off = max(abs(acceleration[0] - target[0]), abs(acceleration[1] - target[1]))
    return max(off, abs(acceleration[2] * body.rho - target[2]))


@kernel
def _take_clearest(body, mode, time, pose):
    """Take the three clearest equations of the mode at a time and a pose; False if there are no three."""
    set_time(body, time)
    basis = mode.basis
    for rank in range(3):
        largest, bx, by, bz = 0.0, 0.0, 0.0, 0.0
        for k in range(mode.n):
            if mode.idle[k] == 1:
                continue
            _, _, nx, ny, rx, ry, _ = compute_contact(body.part, body.walls, mode.triple[k], pose)
            nq, vq = (nx * ry - ny * rx) / body.rho, (nx * rx + ny * ry) / body.rho
            for row in range(2 if mode.letter[k] == LETTER_N else 1):
                a, b, c = (nx, ny, nq) if row == 0 else (ny, -nx, vq)
                size = sqrt(a * a + b * b + c * c)
                a, b, c = a / size, b / size, c / size
                for m in range(2 * rank):  # twice is enough for orthogonality to rounding
                    unit = basis[m % rank]
                    dot = a * unit[0] + b * unit[1] + c * unit[2]
                    a, b, c = a - dot * unit[0], b - dot * unit[1], c - dot * unit[2]
                size = sqrt(a * a + b * b + c * c)
                if size > largest * (1.0 + CLEARER):
                    largest, bx, by, bz = size, a / size, b / size, c / size
                    mode.rows[rank, 0], mode.rows[rank, 1] = k, row
        if largest == 0.0:
            return False
        basis[rank, 0], basis[rank, 1], basis[rank, 2] = bx, by, bz
    return True


@kernel
def _fill_rows(body, mode, at, what):
    """Write matrix and right-hand side of the three equations: what = 0 for the acceleration, 1 for the velocity."""
    matrix, right = mode.matrix, mode.right
    for i in range(3):
        nx, ny, nq, vq, b, d, _, push, drag = compute_frame(body, mode.triple[mode.rows[i, 0]], at)
        if mode.rows[i, 1] == 0:
            matrix[i, 0], matrix[i, 1], matrix[i, 2] = nx, ny, nq
            right[i] = push if what == 1 else -b
        else:
            matrix[i, 0], matrix[i, 1], matrix[i, 2] = ny, -nx, vq
            right[i] = drag if what == 1 else -d


@jit
def _solve(matrix, right):
    """(determinant, x, y, z) of a system of three equations, by Cramer's rule."""
    a, b, c = matrix[0], matrix[1], matrix[2]
    ux, uy, uz = b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]
    vx, vy, vz = c[1] * a[2] - c[2] * a[1], c[2] * a[0] - c[0] * a[2], c[0] * a[1] - c[1] * a[0]
    wx, wy, wz = a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
    det = a[0] * ux + a[1] * uy + a[2] * uz
    if det == 0.0:
        return 0.0, 0.0, 0.0, 0.0
    p, q, r = right[0] / det, right[1] / det, right[2] / det
    return det, p * ux + q * vx + r * wx, p * uy + q * vy + r * wy, p * uz + q * vz + r * wz


@kernel
def carry(body, mode, at, acceleration):
    """Write the acceleration (ax, ay, alpha) that the equations demand at a MotionState; (OK or SINGULAR, 0)."""
    _fill_rows(body, mode, at, 0)
    det, x, y, q = _solve(mode.matrix, mode.right)
    acceleration[0], acceleration[1], acceleration[2] = x, y, q / body.rho
    return (SINGULAR if det == 0.0 else OK), 0.0


@kernel
def project_carried_velocity(body, mode, at):
    """Set the velocity of a MotionState to what the equations demand."""
    _fill_rows(body, mode, at, 1)
    det, x, y, q = _solve(mode.matrix, mode.right)
    velocity = at.velocity
    if det != 0.0:
        velocity[0], velocity[1], velocity[2] = x, y, q / body.rho


@kernel
def project_carried_pose(body, mode, time, pose):
    """Move the pose to where the three clearest equations hold at a time, to rounding.

    They are chosen anew: a contact that travels along the part comes to others, and two of the old equations to one.
    """
    _take_clearest(body, mode, time, pose)
    matrix, gaps = mode.matrix, mode.right
    for _ in range(6):
        for i in range(3):
            k = mode.rows[i, 0]
            place = compute_contact(body.part, body.walls, mode.triple[k], pose)
            nx, ny, rx, ry = place.nx, place.ny, place.rx, place.ry
            if mode.rows[i, 1] == 0:
                matrix[i, 0], matrix[i, 1], matrix[i, 2] = nx, ny, (nx * ry - ny * rx) / body.rho
                gaps[i] = -place.gap
            else:  # the rate of what it has slipped is -T.v
                matrix[i, 0], matrix[i, 1], matrix[i, 2] = ny, -nx, (nx * rx + ny * ry) / body.rho
                gaps[i] = compute_travel(body, mode.triple[k], time, pose, mode.pin[k])
        _, x, y, q = _solve(matrix, gaps)
        pose[0], pose[1], pose[2] = pose[0] + x, pose[1] + y, pose[2] + q / body.rho
        if abs(x) + abs(y) + abs(q) <= PROJECTED * body.part.radius:  # what is left is of the order of its square
            return


@kernel
def measure_margin(body, mode, at, acceleration):
    """How far the force that the motion needs at a MotionState is inside the composite cone: a Margin.

    It is the least distance to a facet; negative outside. Beyond a facet without a contact that contact has no
    force (FORCE_LOST), beyond others a contact slips (GRIP_LOST). Without friction the cone may lie in a plane or on a
    line; then it ends at its outermost edges.
    """
    count = _fill_edges(body, mode, at)
    edges, w = mode.edges, get_load(body, at)
    force = (acceleration[0] - w[0], acceleration[1] - w[1], acceleration[2] * body.rho - w[2])
    size_of_force, load = abs(force[0]) + abs(force[1]) + abs(force[2]), abs(w[0]) + abs(w[1]) + abs(w[2])
    off_plane = FORCE_ROUNDING * (size_of_force + load)
    least, facet, edge, on_line = inf, (0.0, 0.0, 0.0), -1, True
    for i in range(count):
        for j in range(i + 1, count):
            size, normal = _cross(edges[i], edges[j])
            if size <= IN_PLANE:
                on_line = on_line and _dot(edges[i], edges[j]) > 0.0
                continue
            on_line = False
            inside, outside = _find_sides(mode, count, normal)
            height = _dot(normal, force)
            flat = inside and outside  # all edges lie in this plane, and so must the force, to rounding
            if (inside and height < least) and not (flat and height >= -off_plane):
                least, facet, edge = height, normal, i
            if (outside and -height < least) and not (flat and height <= off_plane):
                least, facet, edge = -height, normal, i
            if flat:
                for end in (i, j):
                    _, across = _cross(normal, edges[end])
                    starts, stops = _find_sides(mode, count, across)
                    height = _dot(across, force)
                    if starts and height < least:
                        least, facet, edge = height, across, end
                    if stops and -height < least:
                        least, facet, edge = -height, across, end
    if edge < 0 and on_line and count > 0:
        return Margin(_dot(edges[0], force), FORCE_LOST, mode.holder[0])
    if edge < 0:
        return Margin(inf, NOTHING_LOST, 0)
    what, contact = _tell_loss(mode, count, facet, mode.holder[edge])
    if size_of_force <= FORCE_ROUNDING * load:
        what = FORCE_LOST  # at its apex the cone is left through all facets at once
    return Margin(least, what, contact)


@jit
def _cross(a, b):
    """(length, direction) of the vector product of two vectors."""
    x, y, z = a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
    size = sqrt(x * x + y * y + z * z)
    return (size, (x / size, y / size, z / size)) if size > 0.0 else (0.0, (0.0, 0.0, 0.0))


@jit
def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@jit
def _find_sides(mode, count, normal):
    """(do all edges lie on the side of the normal, do they lie on the other side), the plane included."""
    inside, outside = True, True
    for k in range(count):
        dot = _dot(normal, mode.edges[k])
        inside, outside = inside and dot >= -IN_PLANE, outside and dot <= IN_PLANE
        if not (inside or outside):
            break
    return inside, outside


@kernel
def _fill_edges(body, mode, at):
    """Write the unit edges of the friction cones into the mode; returns their number."""
    count = 0
    for k in range(mode.n):
        frame = compute_frame(body, mode.triple[k], at)
        nx, ny, nq, vq = frame.nx, frame.ny, frame.nq, frame.vq
        mu, letter = get_mu(body, mode.triple[k]), mode.letter[k]
        for side in range(2):
            if (side == 1 and mu == 0.0) or (letter != LETTER_N and (side == 0) != (letter == LETTER_R or mu == 0.0)):
                continue
            factor = -mu if side == 0 else mu
            x, y, q = nx + factor * ny, ny - factor * nx, nq + factor * vq
            size = sqrt(x * x + y * y + q * q)
            mode.edges[count, 0], mode.edges[count, 1], mode.edges[count, 2] = x / size, y / size, q / size
            mode.holder[count] = k
            count += 1
    return count


@jit
def _tell_loss(mode, count, facet, slips):
    """What is lost beyond the facet of this unit normal, and the contact concerned; `slips` holds an edge of it."""
    for k in range(mode.n):
        on, off = 0, 0
        for m in range(count):
            if mode.holder[m] == k:
                if abs(_dot(facet, mode.edges[m])) <= 2.0 * IN_PLANE:
                    on += 1
                else:
                    off += 1
        if on == 0:
            return FORCE_LOST, k
        if off > 0:
            slips = k
    return GRIP_LOST, slips
