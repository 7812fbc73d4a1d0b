"""Loads along a power series of the motion: order by order, as `dynamics.motion.mode_series` goes.

At order k the pose is known up to order k + 1, and so is the wrench of springs and dampers up to order k: what a load
does follows from what has been computed, and the acceleration of order k from that.
"""

from __future__ import annotations

from math import sqrt

from dynamics.loads.load import COMMAND, DRAG, FORCE, GRIPPER, SPRING, is_bare
from geometry.compiled.jit import jit, kernel
from geometry.contact.series import fill_wall_series, multiply, multiply_two


@kernel
def begin_load(load, walls, time, terms):
    """Let the series of a load, of so many terms, begin at a time, at the state that it was asked about last."""
    load.shift = 1 if load.kind == SPRING and load.short else 0
    if load.mover >= 0:
        fill_wall_series(walls, load.mover, time, terms, load.frame)


@kernel
def extend_load(load, path, part, k):
    """Coefficient k of a load, from those of the path up to k + 1 (and of the turn of the part): (Fx, Fy, torque about
    the centre of mass), N, N, N m; and whether it has a direction at all."""
    kind = load.kind
    if kind == DRAG:
        a, b = load.damping[0, 0], load.damping[2, 2]
        return -a * part.vx[k], -a * part.vy[k], -b * part.omega[k], True
    if load.on == 0:
        return 0.0, 0.0, 0.0, True
    for j in range(0 if k == 0 else k + 1, k + 2):
        load.rx[j] = part.cos[j] * load.px - part.sin[j] * load.py
        load.ry[j] = part.sin[j] * load.px + part.cos[j] * load.py
    known = True
    load.tq[k] = 0.0
    if kind == GRIPPER:
        _extend_gripper(load, path, k)
    elif kind == SPRING:
        known = _extend_spring(load, path, k)
    elif kind == FORCE:
        load.tq[k] = load.frame.theta[k]
        if load.turned:
            along, across = multiply_two(part.cos, load.frame.x, part.sin, load.frame.y, k)
            load.fx[k] = along - across
            along, across = multiply_two(part.sin, load.frame.x, part.cos, load.frame.y, k)
            load.fy[k] = along + across
        else:
            load.fx[k], load.fy[k] = load.frame.x[k], load.frame.y[k]
    elif kind == COMMAND:
        given = load.given
        load.fx[k], load.fy[k] = (given[0], given[1]) if k == 0 else (0.0, 0.0)
        load.tq[k] = given[2] if k == 0 else 0.0
    one, two = multiply_two(load.rx, load.fy, load.ry, load.fx, k)
    return load.fx[k], load.fy[k], load.tq[k] + one - two, known


@kernel
def _extend_gripper(load, path, k):
    frame, c, n = load.frame, path.c, k + 1.0
    for j in range(0 if k == 0 else k + 1, k + 2):
        load.dx[j] = frame.x[j] - c[0, j] - load.rx[j]
        load.dy[j] = frame.y[j] - c[1, j] - load.ry[j]
        load.dq[j] = frame.theta[j] - c[2, j]
    load.ux[k], load.uy[k] = n * load.dx[k + 1], n * load.dy[k + 1]
    ex, ey, ux, uy = load.dx[k], load.dy[k], load.ux[k], load.uy[k]
    if load.turned:
        ex, ey = _turn_back(frame, load.dx, load.dy, k)
        ux, uy = _turn_back(frame, load.ux, load.uy, k)
    eq, uq = load.dq[k], n * load.dq[k + 1]
    s, d, first = load.stiffness, load.damping, 1.0 if k == 0 else 0.0
    gx = s[0, 0] * ex + s[0, 1] * ey + s[0, 2] * eq + d[0, 0] * ux + d[0, 1] * uy + d[0, 2] * uq
    gy = s[1, 0] * ex + s[1, 1] * ey + s[1, 2] * eq + d[1, 0] * ux + d[1, 1] * uy + d[1, 2] * uq
    gq = s[2, 0] * ex + s[2, 1] * ey + s[2, 2] * eq + d[2, 0] * ux + d[2, 1] * uy + d[2, 2] * uq
    load.gx[k], load.gy[k] = gx + first * load.given[0], gy + first * load.given[1]
    load.tq[k] = gq + first * load.given[2]
    if load.turned:
        one, two = multiply_two(frame.cos, load.gx, frame.sin, load.gy, k)
        load.fx[k] = one - two
        one, two = multiply_two(frame.sin, load.gx, frame.cos, load.gy, k)
        load.fy[k] = one + two
    else:
        load.fx[k], load.fy[k] = load.gx[k], load.gy[k]


@jit
def _turn_back(frame, x, y, k):
    """Coefficient k of a vector in the axes of the frame."""
    one, two = multiply_two(frame.cos, x, frame.sin, y, k)
    three, four = multiply_two(frame.cos, y, frame.sin, x, k)
    return one + two, three - four


@kernel
def _extend_spring(load, path, k):
    """Coefficient k of the force of a spring: its tension along its direction g = d / |d|. A spring that begins without
    length has d = t e, and points along e; then |d| = t |e|. False where it has no direction."""
    frame, c, moves, shift = load.frame, path.c, load.mover >= 0, load.shift
    stiff, damped, bare = load.stiffness[0, 0], load.damping[0, 0], is_bare(load)
    for j in range(0 if k == 0 else k + 1, k + 2):
        x, y = (load.ax, load.ay) if j == 0 else (0.0, 0.0)
        if moves:
            x = frame.x[j] + frame.cos[j] * load.ax - frame.sin[j] * load.ay
            y = frame.y[j] + frame.sin[j] * load.ax + frame.cos[j] * load.ay
        load.dx[j], load.dy[j] = x - c[0, j] - load.rx[j], y - c[1, j] - load.ry[j]
        if not bare and j >= shift and not _extend_length(load, j - shift):
            return False
    if bare:
        load.fx[k], load.fy[k] = stiff * load.dx[k], stiff * load.dy[k]
        return True
    _extend_direction(load, k)
    length = load.length[k - shift] if k >= shift else 0.0
    load.pull[k] = stiff * (length - (load.rest if k == 0 else 0.0)) + damped * (k + 1.0) * load.length[k + 1 - shift]
    load.fx[k], load.fy[k] = multiply(load.pull, load.gx, k), multiply(load.pull, load.gy, k)
    return True


@jit
def _extend_length(load, j):
    """Coefficient j of |e|, e = d / t^shift; False where it is zero at the start."""
    length, shift = load.length, load.shift
    total = 0.0
    for i in range(j + 1):
        total += load.dx[i + shift] * load.dx[j - i + shift] + load.dy[i + shift] * load.dy[j - i + shift]
    if j == 0:
        length[0] = sqrt(total)
        return length[0] > 0.0
    for i in range(1, j):
        total -= length[i] * length[j - i]
    length[j] = 0.5 * total / length[0]
    return True


@jit
def _extend_direction(load, k):
    """Coefficient k of the direction e / |e|."""
    length, shift = load.length, load.shift
    x, y = load.dx[k + shift], load.dy[k + shift]
    for i in range(1, k + 1):
        x -= length[i] * load.gx[k - i]
        y -= length[i] * load.gy[k - i]
    load.gx[k], load.gy[k] = x / length[0], y / length[0]
