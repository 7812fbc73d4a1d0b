"""What acts on the part besides its contacts, its weight and constant forces: one row LOAD each, in a table.

A gripper is a frame that moves as prescribed and holds a point of the part, the centre of compliance, by springs and
dampers: F = K (q_g(t) - q) + D (q_g'(t) - q') + preload in (x, y, theta), about that point. A spring pulls along the
line between a point of the part and its anchor; drag brakes; a force changes with time; a command is constant until
somebody gives another. The walls must stand as at the time that is asked about: frames are their movers.
"""

from __future__ import annotations

from math import cos, inf, sin, sqrt

from geometry.compiled.jit import jit, kernel
from geometry.compiled.record import allocate_table, define_record
from geometry.contact.path import TERMS
from geometry.contact.series import WALL_SERIES
from geometry.prescribed.motion import THETA, X, Y

GRIPPER, SPRING, DRAG, FORCE, COMMAND = 0, 1, 2, 3, 4

LOAD = define_record(
    ("kind", "i8"),
    ("mover", "i8"),  # the frame of a gripper or of an anchor, or the motion whose "place" is a force; -1: none
    ("turned", "?"),  # in the axes of the gripper (a gripper) or of the part (a force), not in those of the world
    ("on", "i8"),  # 1: it acts; a run sets it, see `sim.engine.switches`
    ("px", "f8"), ("py", "f8"),  # m, its point of the part, from the centre of mass, unrotated
    ("ax", "f8"), ("ay", "f8"),  # m, the anchor in its frame
    # of a gripper K and D, of a spring and of drag the entries (0, 0), of drag also (2, 2)
    ("stiffness", "f8", (3, 3)), ("damping", "f8", (3, 3)),
    ("given", "f8", (3,)),  # N, N, N m: the preload of a gripper, or a command
    # of a spring, m: without tension, and up to which it has no length, so that it points where its anchor goes
    ("rest", "f8"), ("near", "f8"), ("pull_only", "?"),
    ("limit", "f8"), ("until", "f8"),  # N, s: force and time at which a gripper lets go, inf: never
    # at the state that was asked for last: the wrench on the part about the point (N, N, N m), in the world, and its
    # torque about the centre of mass; of a spring the tension [N], also where it is slack, how far the anchor is ahead
    # [m] along the direction at the start of the step, and whether it has no length; energy stored [J]; power that
    # dampers take [W]
    ("wrench", "f8", (3,)), ("torque", "f8"), ("tension", "f8"), ("ahead", "f8"), ("short", "?"),
    ("stored", "f8"), ("lost", "f8"),
    # room for its series, see `load_series`
    ("rx", "f8", (TERMS,)), ("ry", "f8", (TERMS,)),  # m, from the centre of mass to the point
    ("dx", "f8", (TERMS,)), ("dy", "f8", (TERMS,)), ("dq", "f8", (TERMS,)),  # from the point to frame or anchor
    ("ux", "f8", (TERMS,)), ("uy", "f8", (TERMS,)),  # m/s, the rate of dx and dy
    # m, the length over t^shift, where shift is 1 of a spring that had no length at the start of the step; tension, N
    ("length", "f8", (TERMS,)), ("pull", "f8", (TERMS,)), ("shift", "i8"),
    ("gx", "f8", (TERMS,)), ("gy", "f8", (TERMS,)),  # N, the force in its own axes; of a spring its direction
    ("fx", "f8", (TERMS,)), ("fy", "f8", (TERMS,)), ("tq", "f8", (TERMS,)),  # N, N m about the point
    ("frame", WALL_SERIES),
)  # fmt: skip
NO_LOADS = allocate_table(LOAD, 0)


@kernel
def fill_load(load, walls, pose, velocity):
    """Write what a load does to the part at a pose and a velocity, as the walls stand."""
    c, s = cos(pose[2]), sin(pose[2])
    rx, ry = c * load.px - s * load.py, s * load.px + c * load.py
    wrench = load.wrench
    wrench[0], wrench[1], wrench[2], load.stored, load.lost = 0.0, 0.0, 0.0, 0.0, 0.0
    kind = load.kind
    if kind == GRIPPER:
        if load.on == 1:
            _grip(load, walls, (rx, ry), pose, velocity)
    elif kind == SPRING:
        _stretch(load, walls, (rx, ry), pose, velocity)
    elif kind == DRAG:
        a, b, v = load.damping[0, 0], load.damping[2, 2], velocity
        wrench[0], wrench[1], wrench[2] = -a * v[0], -a * v[1], -b * v[2]
        load.lost = a * (v[0] * v[0] + v[1] * v[1]) + b * v[2] * v[2]
    elif kind == FORCE:
        value = walls.mover[load.mover].value
        fx, fy = value[X], value[Y]
        if load.turned:
            fx, fy = c * fx - s * fy, s * fx + c * fy
        wrench[0], wrench[1], wrench[2] = fx, fy, value[THETA]
    else:
        wrench[0], wrench[1], wrench[2] = load.given[0], load.given[1], load.given[2]
    load.torque = wrench[2] + rx * wrench[1] - ry * wrench[0]


@kernel
def _grip(load, walls, arm, pose, velocity):
    """The wrench of a gripper."""
    mover, (rx, ry), omega = walls.mover[load.mover], arm, velocity[2]
    value, rate = mover.value, mover.rate
    ex, ey, eq = value[X] - pose[0] - rx, value[Y] - pose[1] - ry, value[THETA] - pose[2]
    ux, uy = rate[X] - velocity[0] + omega * ry, rate[Y] - velocity[1] - omega * rx
    uq = rate[THETA] - omega
    c, s = 1.0, 0.0
    if load.turned:
        c, s = cos(value[THETA]), sin(value[THETA])
        ex, ey, ux, uy = c * ex + s * ey, c * ey - s * ex, c * ux + s * uy, c * uy - s * ux
    k, d, given = load.stiffness, load.damping, load.given
    kx, ky = k[0, 0] * ex + k[0, 1] * ey + k[0, 2] * eq, k[1, 0] * ex + k[1, 1] * ey + k[1, 2] * eq
    kq = k[2, 0] * ex + k[2, 1] * ey + k[2, 2] * eq
    dx, dy = d[0, 0] * ux + d[0, 1] * uy + d[0, 2] * uq, d[1, 0] * ux + d[1, 1] * uy + d[1, 2] * uq
    dq = d[2, 0] * ux + d[2, 1] * uy + d[2, 2] * uq
    fx, fy = kx + dx + given[0], ky + dy + given[1]
    wrench = load.wrench
    wrench[0], wrench[1], wrench[2] = c * fx - s * fy, s * fx + c * fy, kq + dq + given[2]
    load.stored, load.lost = 0.5 * (kx * ex + ky * ey + kq * eq), dx * ux + dy * uy + dq * uq


@jit
def find_anchor(load, walls):
    """Place and velocity (x, y, vx, vy) of the anchor of a spring, as the walls stand."""
    if load.mover < 0:
        return load.ax, load.ay, 0.0, 0.0
    mover = walls.mover[load.mover]
    c, s, omega = cos(mover.value[THETA]), sin(mover.value[THETA]), mover.rate[THETA]
    x, y = c * load.ax - s * load.ay, s * load.ax + c * load.ay
    return mover.value[X] + x, mover.value[Y] + y, mover.rate[X] - omega * y, mover.rate[Y] + omega * x


@kernel
def _stretch(load, walls, arm, pose, velocity):
    """The wrench of a spring: along the line from its point to the anchor. Where that has no length, it points to where
    the anchor is about to be."""
    x, y, vx, vy = find_anchor(load, walls)
    rx, ry = arm
    dx, dy = x - pose[0] - rx, y - pose[1] - ry
    ux, uy = vx - velocity[0] + velocity[2] * ry, vy - velocity[1] - velocity[2] * rx
    length = sqrt(dx * dx + dy * dy)
    load.ahead, load.short = dx * load.gx[0] + dy * load.gy[0], length <= load.near
    k, d, wrench = load.stiffness[0, 0], load.damping[0, 0], load.wrench
    if is_bare(load):
        load.tension = k * length
        wrench[0], wrench[1] = k * dx, k * dy
        load.stored = 0.5 * k * length * length
    else:
        if load.short:
            length, dx, dy = 0.0, ux, uy
        size = sqrt(dx * dx + dy * dy)
        gx, gy = (dx / size, dy / size) if size > 0.0 else (0.0, 0.0)
        along = gx * ux + gy * uy
        load.tension = k * (length - load.rest) + d * along
        wrench[0], wrench[1] = load.tension * gx, load.tension * gy
        load.stored, load.lost = 0.5 * k * (length - load.rest) * (length - load.rest), d * along * along
    if load.on == 0:
        wrench[0], wrench[1], load.stored, load.lost = 0.0, 0.0, 0.0, 0.0


@jit
def is_bare(load):
    """Is the force of a spring K times the way to its anchor, so that its direction does not matter?"""
    return load.rest == 0.0 and load.damping[0, 0] == 0.0 and not load.pull_only


@jit
def has_switch(load):
    """May a load let go, or go slack?"""
    return load.pull_only or (load.kind == GRIPPER and load.on == 1 and load.limit < inf)


@jit
def get_switch_scale(load, force):
    """Force [N] beside which the rounding of `measure_switch` is small: that at which a gripper lets go, or that of a
    spring as long as its rest length; force [N]: that of the scene, where this is less."""
    if load.kind == GRIPPER:
        return min(load.limit, force)
    own = load.stiffness[0, 0] * load.rest
    return min(own, force) if own > 0.0 else force


@jit
def measure_switch(load):
    """What is left [N] until a load that was asked for lets go, goes slack, or comes taut; negative beyond."""
    if load.kind == GRIPPER:
        wrench = load.wrench
        return load.limit - sqrt(wrench[0] * wrench[0] + wrench[1] * wrench[1])
    return load.tension if load.on == 1 else -load.tension
