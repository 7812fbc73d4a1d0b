"""The motion while the mode is fixed: closed contacts keep gap 0, rolling contacts keep slip 0.

A mode names the closed contacts and a letter for each (`n` rolls, `r` slides with T.v > 0, `l`
with T.v < 0). Of the closed contacts at most two are needed to carry the motion, the *basis*; the others are redundant
as long as the mode lasts, which the engine watches:

* no contact: free flight;
* one sliding contact: one unknown force along N -+ mu T, one equation gap'' = 0;
* one rolling contact: two unknowns along N and T, two equations gap'' = 0 and slip'' = 0;
* two sliding contacts: two unknowns, two equations.

Three independent equations leave no freedom. On fixed obstacles the part is at rest (`STATIC`); obstacles that move
carry it (`CARRIED`, see `carried.py`).

Everything is per unit mass and in (x, y, q = rho theta), where the kinetic metric is the identity, so projections are
orthogonal.
"""

from __future__ import annotations

import numpy as np

from dynamics.motion.carried import carry, choose_rows, project_carried_pose, project_carried_velocity
from dynamics.motion.mode import (
    CARRIED,
    FREE,
    LETTER_N,
    OK,
    ROLLING,
    SINGULAR,
    SLIDING,
    SLIDING_TWICE,
    STATIC,
    apply_loads,
    compute_frame,
    compute_travel,
    get_friction_factor,
    get_load,
    get_mode_load,
    get_mu,
    lies_flat,
    set_time,
)
from dynamics.tolerances import DEPENDENT, FORCE_ROUNDING, INDEPENDENT, PRELOAD, PROJECTED, SINGULAR_BELOW
from geometry.compiled.jit import jit, kernel
from geometry.contact.contacts import compute_contact
from geometry.contact.moving import is_moving


@kernel
def evaluate_mode(body, mode, at, acceleration, force):
    """Write acceleration (ax, ay, alpha) and force (fn, ft of the first and of the second basis contact, per mass) at a
    MotionState.

    Returns (OK or SINGULAR, power of friction per mass).
    """
    # `get_load`
    if body.walls.mover.shape[0] > 0 and (body.loads.shape[0] > 0 or body.walls.clock.turned != at.time):
        apply_loads(body, at)
    w = get_mode_load(body, mode)
    kind = mode.kind
    for k in range(4):
        force[k] = 0.0
    if kind == FREE:
        acceleration[0], acceleration[1], acceleration[2] = w[0], w[1], w[2] / body.rho
        return OK, 0.0
    if kind == CARRIED:
        return carry(body, mode, at, acceleration)
    first = mode.first
    if kind == SLIDING_TWICE:
        return _slide_twice(body, mode, at, acceleration, force)
    nx, ny, nq, vq, b, d, slip, _, _ = compute_frame(body, mode.triple[first], at)
    normal_load = nx * w[0] + ny * w[1] + nq * w[2] + b
    if kind == SLIDING:
        factor = get_friction_factor(body, mode, first)  # ft = factor fn
        stiffness = 1.0 + nq * (nq + factor * vq)  # N.(N + factor T), as N.T = nq vq
        if stiffness == 0.0:
            return SINGULAR, 0.0
        fn = -normal_load / stiffness
        ft = factor * fn
    else:
        # [[N.N, N.T], [N.T, T.T]] (fn, ft) = -(N.w + b, T.w + d); the determinant is 1 + nq^2 + vq^2 > 0.
        tangential_load = ny * w[0] - nx * w[1] + vq * w[2] + d
        nn, nt, tt = 1.0 + nq * nq, nq * vq, 1.0 + vq * vq
        det = nn * tt - nt * nt
        fn = (nt * tangential_load - tt * normal_load) / det
        ft = (nt * normal_load - nn * tangential_load) / det
        slip = 0.0
    acceleration[0] = w[0] + fn * nx + ft * ny
    acceleration[1] = w[1] + fn * ny - ft * nx
    acceleration[2] = (w[2] + fn * nq + ft * vq) / body.rho
    force[0], force[1] = fn, ft
    return OK, ft * slip + _get_preload_power(body, mode, at.velocity)


@jit
def _get_preload_power(body, mode, velocity):
    """Power of the preload per mass: all of it is that of friction, since no normal force works."""
    more = mode.preload
    return more[0] * velocity[0] + more[1] * velocity[1] + more[2] * velocity[2] * body.rho


@kernel
def _slide_twice(body, mode, at, acceleration, force):
    w = get_mode_load(body, mode)
    i, j = mode.first, mode.second
    nx, ny, nq, vq, b, _, slip, _, _ = compute_frame(body, mode.triple[i], at)
    mx, my, mq, uq, e, _, slip_j, _, _ = compute_frame(body, mode.triple[j], at)
    fi, fj = get_friction_factor(body, mode, i), get_friction_factor(body, mode, j)
    # columns G = N + f T
    gx, gy, gq = nx + fi * ny, ny - fi * nx, nq + fi * vq
    hx, hy, hq = mx + fj * my, my - fj * mx, mq + fj * uq
    a11, a12 = nx * gx + ny * gy + nq * gq, nx * hx + ny * hy + nq * hq
    a21, a22 = mx * gx + my * gy + mq * gq, mx * hx + my * hy + mq * hq
    p, q = -(nx * w[0] + ny * w[1] + nq * w[2] + b), -(mx * w[0] + my * w[1] + mq * w[2] + e)
    det = a11 * a22 - a12 * a21
    if det == 0.0:
        return SINGULAR, 0.0
    fn, gn = (a22 * p - a12 * q) / det, (a11 * q - a21 * p) / det
    acceleration[0] = w[0] + fn * gx + gn * hx
    acceleration[1] = w[1] + fn * gy + gn * hy
    acceleration[2] = (w[2] + fn * gq + gn * hq) / body.rho
    force[0], force[1], force[2], force[3] = fn, fi * fn, gn, fj * gn
    return OK, fi * fn * slip + fj * gn * slip_j + _get_preload_power(body, mode, at.velocity)


@kernel
def is_singular(body, mode, time, pose):
    """Is the equation for the normal forces of a sliding basis near its singular point, where friction lets them grow
    beyond all bounds (Painleve; Genot & Brogliato)?"""
    return abs(measure_stiffness(body, mode, time, pose)) < SINGULAR_BELOW


@kernel
def measure_stiffness(body, mode, time, pose):
    """Determinant of the equation for the normal forces of a sliding basis, relative to its terms; 1 for other bases.
    Where it changes sign the forces pass through infinity, or the contact through Genot & Brogliato's point."""
    if mode.kind != SLIDING and mode.kind != SLIDING_TWICE:
        return 1.0
    set_time(body, time)
    nx, ny, nq, gx, gy, gq = _get_row_and_edge(body, mode, mode.first, pose)
    a, size = nx * gx + ny * gy + nq * gq, abs(nx * gx) + abs(ny * gy) + abs(nq * gq)
    if mode.kind == SLIDING:
        return a / size
    mx, my, mq, hx, hy, hq = _get_row_and_edge(body, mode, mode.second, pose)
    b, c = nx * hx + ny * hy + nq * hq, mx * gx + my * gy + mq * gq
    d = mx * hx + my * hy + mq * hq
    return (a * d - b * c) / (abs(a * d) + abs(b * c))


@jit
def _get_row_and_edge(body, mode, index, pose):
    """N of a sliding contact, and the edge N + factor T along which it pushes."""
    _, _, nx, ny, rx, ry, _ = compute_contact(body.part, body.walls, mode.triple[index], pose)
    nq, vq = (nx * ry - ny * rx) / body.rho, (nx * rx + ny * ry) / body.rho
    factor = get_friction_factor(body, mode, index)
    return nx, ny, nq, nx + factor * ny, ny - factor * nx, nq + factor * vq


@kernel
def project_pose(body, mode, time, pose):
    """Move the pose to gap 0 at a time (and a rolling contact to where it was pinned), by the shortest way in the
    kinetic metric."""
    kind = mode.kind
    if kind == FREE or kind == STATIC:
        return
    if kind == CARRIED:
        project_carried_pose(body, mode, time, pose)
        return
    rho = body.rho
    set_time(body, time)
    for _ in range(3):
        gap, _, nx, ny, rx, ry, _ = compute_contact(body.part, body.walls, mode.triple[mode.first], pose)
        nq = (nx * ry - ny * rx) / rho
        if kind == SLIDING:
            scale = -gap / (1.0 + nq * nq)
            dx, dy, dq = scale * nx, scale * ny, scale * nq
        elif kind == ROLLING:
            travel = compute_travel(body, mode.triple[mode.first], time, pose, mode.pin[mode.first])  # its rate is -T.v
            dx, dy, dq = _solve_shortest((nx, ny, nq), (ny, -nx, (nx * rx + ny * ry) / rho), -gap, travel)
        else:
            other, _, mx, my, sx, sy, _ = compute_contact(body.part, body.walls, mode.triple[mode.second], pose)
            dx, dy, dq = _solve_shortest((nx, ny, nq), (mx, my, (mx * sy - my * sx) / rho), -gap, -other)
        pose[0] += dx
        pose[1] += dy
        pose[2] += dq / rho
        if abs(dx) + abs(dy) + abs(dq) <= PROJECTED * body.part.radius:  # what is left is of the order of its square
            return


@kernel
def project_velocity(body, mode, at):
    """Remove what leaves the constraints from the velocity of a MotionState, orthogonally in the kinetic metric."""
    kind = mode.kind
    if kind == FREE or kind == STATIC:
        return
    if kind == CARRIED:
        project_carried_velocity(body, mode, at)
        return
    rho, velocity = body.rho, at.velocity
    flat = lies_flat(body, mode)
    if flat:
        velocity[2] = 0.0
    nx, ny, nq, vq, _, _, slip, push, _ = compute_frame(body, mode.triple[mode.first], at)
    rate = nx * velocity[0] + ny * velocity[1] + nq * rho * velocity[2] - push
    if flat:
        dx, dy, dq = -rate * nx, -rate * ny, 0.0
    elif kind == SLIDING:
        scale = -rate / (1.0 + nq * nq)
        dx, dy, dq = scale * nx, scale * ny, scale * nq
    elif kind == ROLLING:
        dx, dy, dq = _solve_shortest((nx, ny, nq), (ny, -nx, vq), -rate, -slip)
    else:
        mx, my, mq, _, _, _, _, push, _ = compute_frame(body, mode.triple[mode.second], at)
        other = mx * velocity[0] + my * velocity[1] + mq * rho * velocity[2] - push
        dx, dy, dq = _solve_shortest((nx, ny, nq), (mx, my, mq), -rate, -other)
    velocity[0] += dx
    velocity[1] += dy
    velocity[2] += dq / rho


@kernel
def _solve_shortest(row, other, p, q):
    """Shortest d with row.d = p and other.d = q."""
    a11 = row[0] * row[0] + row[1] * row[1] + row[2] * row[2]
    a12 = row[0] * other[0] + row[1] * other[1] + row[2] * other[2]
    a22 = other[0] * other[0] + other[1] * other[1] + other[2] * other[2]
    det = a11 * a22 - a12 * a12
    if det <= 0.25 * DEPENDENT * DEPENDENT * a11 * a22:  # the pose has made them one
        return p / a11 * row[0], p / a11 * row[1], p / a11 * row[2]
    x, y = (a22 * p - a12 * q) / det, (a11 * q - a12 * p) / det
    return x * row[0] + y * other[0], x * row[1] + y * other[1], x * row[2] + y * other[2]


@kernel
def compute_rank(body, mode, at):
    """Rank (at most 3) of the constraint rows of the mode: N of every contact that is not idle, T of the rolling
    ones."""
    basis, rank = mode.basis, 0
    for k in range(mode.n):
        if mode.idle[k] == 1:
            continue
        nx, ny, nq, vq, _, _, _, _, _ = compute_frame(body, mode.triple[k], at)
        for row in range(2 if mode.letter[k] == LETTER_N else 1):
            a, b, c = (nx, ny, nq) if row == 0 else (ny, -nx, vq)
            size = np.sqrt(a * a + b * b + c * c)
            a, b, c = a / size, b / size, c / size
            for _ in range(2):  # twice is enough for orthogonality to rounding
                for m in range(rank):
                    dot = a * basis[m, 0] + b * basis[m, 1] + c * basis[m, 2]
                    a, b, c = a - dot * basis[m, 0], b - dot * basis[m, 1], c - dot * basis[m, 2]
            size = np.sqrt(a * a + b * b + c * c)
            if size > INDEPENDENT and rank < 3:
                basis[rank, 0], basis[rank, 1], basis[rank, 2] = a / size, b / size, c / size
                rank += 1
    return rank


@kernel
def choose_basis(body, mode, at, target, acceleration, force):
    """Set the basis of the mode at a MotionState, for the chosen acceleration `target` (ax, ay, rho alpha).

    Among the candidates whose motion is the target, the one whose least normal force is largest; where none has it, the
    nearest, and a preload makes up the difference (a member of a continuum). Returns the largest
    deviation of its acceleration from the target in configuration space, or -1 if no candidate exists.
    acceleration (3,), force (4,): room for those of the candidates.
    """
    for c in range(3):
        mode.preload[c] = 0.0
    rank = compute_rank(body, mode, at)
    n = mode.n
    if rank == 3 and is_moving(body.walls):
        mode.kind = CARRIED
        return choose_rows(body, mode, at, target, acceleration)
    if rank == 0 or rank == 3:
        mode.kind = FREE if rank == 0 else STATIC
        return 0.0
    w = get_load(body, at)
    scale = abs(w[0]) + abs(w[1]) + abs(w[2])
    best_key, best = -np.inf, (-1, -1, -1, -1.0)
    for i in range(n):
        if mode.idle[i] == 1:
            continue
        rolling = mode.letter[i] == LETTER_N
        if rank == 1 or rolling:
            candidates = 1
        else:
            candidates = n - i
        for c in range(candidates):
            if c == 0 and rank == 2 and not rolling:
                continue
            j = i + c
            if c > 0 and (mode.letter[j] == LETTER_N or mode.idle[j] == 1):
                continue
            kind = ROLLING if rolling else (SLIDING if c == 0 else SLIDING_TWICE)
            mode.kind, mode.first, mode.second = kind, i, j
            if kind == SLIDING_TWICE and compute_sine(body, mode, at.time, at.pose) <= INDEPENDENT:
                continue
            status, _ = evaluate_mode(body, mode, at, acceleration, force)
            if status != OK:
                continue
            off = max(abs(acceleration[0] - target[0]), abs(acceleration[1] - target[1]))
            off = max(off, abs(acceleration[2] * body.rho - target[2]))
            least = measure_basis_margin(body, mode, force)
            key = least - 1e6 * max(0.0, off - FORCE_ROUNDING * (scale + abs(target[0]) + abs(target[1])))
            if key > best_key:
                best_key, best = key, (kind, i, j, off)
    mode.kind, mode.first, mode.second = max(best[0], 0), max(best[1], 0), max(best[2], 0)
    if best[3] > PRELOAD * (scale + abs(target[0]) + abs(target[1]) + abs(target[2])):
        evaluate_mode(body, mode, at, acceleration, force)
        mode.preload[0], mode.preload[1] = target[0] - acceleration[0], target[1] - acceleration[1]
        mode.preload[2] = target[2] - acceleration[2] * body.rho
    return best[3]


@kernel
def compute_sine(body, mode, time, pose):
    """Sine of the angle between the rows N of the two contacts of the basis."""
    set_time(body, time)
    _, _, a, b, rx, ry, _ = compute_contact(body.part, body.walls, mode.triple[mode.first], pose)
    _, _, p, q, sx, sy, _ = compute_contact(body.part, body.walls, mode.triple[mode.second], pose)
    c, r = (a * ry - b * rx) / body.rho, (p * sy - q * sx) / body.rho
    x, y, z = b * r - c * q, c * p - a * r, a * q - b * p
    return np.sqrt((x * x + y * y + z * z) / ((a * a + b * b + c * c) * (p * p + q * q + r * r)))


@kernel
def measure_basis_margin(body, mode, force):
    """Smallest of the normal forces and, for a rolling contact, of what is left to the edge of the friction cone."""
    kind = mode.kind
    if kind == ROLLING:
        return min(force[0], get_mu(body, mode.triple[mode.first]) * force[0] - abs(force[1]))
    if kind == SLIDING_TWICE:
        return min(force[0], force[2])
    return force[0] if kind == SLIDING else np.inf
