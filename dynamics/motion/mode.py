"""What a mode is: the closed contacts and what each does, and the rows of one contact at a state.

The part, the walls and the load are the `Body`. What depends on the state is a function of a `MotionState`, whose time
says where obstacles that move are: the walls of the body stand where they were asked for last.
"""

from __future__ import annotations

from math import cos, floor, inf, pi, sin
from typing import NamedTuple

import numpy as np

from dynamics.codes import CONTACT_LETTERS
from dynamics.loads.control import NO_CONTROL
from dynamics.loads.load import COMMAND, GRIPPER, fill_load
from geometry.compiled.jit import jit, kernel
from geometry.compiled.record import define_record
from geometry.contact.contacts import (
    TYPE_B,
    TYPE_C,
    Part,
    Walls,
    compute_contact,
    compute_roll,
    compute_variation,
    compute_wall_acceleration,
    compute_wall_velocity,
    is_same_contact,
)
from geometry.contact.moving import GRAVITY, begin_motion, place_walls
from geometry.prescribed.motion import SURFACE, THETA

LETTER_S, LETTER_N, LETTER_R, LETTER_L, LETTER_A = range(len(CONTACT_LETTERS))

FREE, SLIDING, ROLLING, SLIDING_TWICE, STATIC, CARRIED = 0, 1, 2, 3, 4, 5

OK, SINGULAR = 0, 1


class Body(NamedTuple):
    """The part, the walls and what acts between them."""

    part: Part
    walls: Walls
    w: np.ndarray  # (3,) applied load per mass: (F_x/m, F_y/m, tau/(m rho)) [m/s^2], as asked for last; see `get_load`
    rho: float  # m
    mass: float  # kg
    # (6,) the constant load without gravity, as `w`, gravity at t = 0, and what springs pull typically [m/s^2]
    load: np.ndarray
    loads: np.ndarray  # (n,) dynamics.loads.load.LOAD: what else acts
    varying: bool  # does the load change with time, pose or velocity?
    longest: float  # s, longest step in which no period of a motion is passed over, inf if there is none
    stiffness: float  # 1/s, bound of the frequencies sqrt(K / m) and D / m of what holds the part
    control: np.ndarray = NO_CONTROL  # (0 or 1,) dynamics.loads.control.CONTROL: who gives the COMMAND among the loads


class MotionState(NamedTuple):
    """When, where and how fast the part is."""

    time: float  # s
    pose: np.ndarray  # (3,) x, y [m], theta of the centre of mass
    velocity: np.ndarray  # (3,)


class ContactFrame(NamedTuple):
    """Rows and biases of one contact: N = (nx, ny, nq), T = (ny, -nx, vq) in (x, y, rho theta)."""

    nx: float
    ny: float
    nq: float  # n_q / rho
    vq: float  # v_q / rho
    b: float  # m/s^2: gap'' = N.a + b
    d: float  # m/s^2: slip' = T.a + d
    slip: float  # m/s: T.v - drag
    push: float  # m/s: velocity of the obstacle's surface along n; gap' = N.v - push
    drag: float  # m/s: the same along t


# Contacts that may be closed at one time: sixty-four teeth of a comb on a plate fit twice over.
CAPACITY = 128

MODE = define_record(
    ("n", "i8"),  # closed contacts
    ("kind", "i8"), ("first", "i8"), ("second", "i8"),  # the basis: its kind, its one or two contacts
    ("triple", "i8", (CAPACITY, 3)),
    ("corner", "i8", (CAPACITY, 3)),  # see `geometry.contact.detection.find_contacts`
    ("letter", "i8", (CAPACITY,)),
    ("idle", "i8", (CAPACITY,)),  # 1: the contact touches but holds nothing: it has no force, and is not needed
    ("pin", "f8", (CAPACITY,)),  # m: how far a rolling contact had rolled when the mode began, see `compute_travel`
    # m/s^2, in (x, y, rho theta): what forces that the motion does not determine (a part squeezed between two contacts)
    # add to the acceleration; they are kept as they were chosen
    ("preload", "f8", (3,)),
    ("rows", "i8", (3, 2)),  # of a part that is carried: contact and row (0: N, 1: T) of three independent equations
    ("edges", "f8", (2 * CAPACITY, 3)), ("holder", "i8", (2 * CAPACITY,)),  # unit edges of its cones, their contacts
    ("matrix", "f8", (3, 3)), ("right", "f8", (3,)), ("basis", "f8", (3, 3)),  # room for three equations
)  # fmt: skip


@jit(private=False, merged=True)
def get_load(body, at):
    """Applied load per mass (3,) at a MotionState, as `Body.w`: valid until that of another state is asked for."""
    if body.walls.mover.shape[0] > 0 and (body.loads.shape[0] > 0 or body.walls.clock.turned != at.time):
        apply_loads(body, at)
    return body.w


@kernel
def apply_loads(body, at):
    """Let the load be that of a MotionState, and each LOAD say what it does there."""
    place_walls(body.walls, at.time)
    body.walls.clock.turned = at.time
    if not body.varying:
        return
    theta = body.walls.mover[GRAVITY].value[THETA]
    c, s = cos(theta), sin(theta)
    gx, gy = body.load[3], body.load[4]
    wx, wy, wq = body.load[0] + c * gx - s * gy, body.load[1] + s * gx + c * gy, body.load[2]
    for i in range(body.loads.shape[0]):
        load = body.loads[i]
        fill_load(load, body.walls, at.pose, at.velocity)
        wx += load.wrench[0] / body.mass
        wy += load.wrench[1] / body.mass
        wq += load.torque / (body.mass * body.rho)
    body.w[0], body.w[1], body.w[2] = wx, wy, wq


@kernel
def begin_loads(body, time):
    """Let all motions go on from a time; a gripper that will let go, or a controller, is a change yet to come."""
    begin_motion(body.walls, time)
    for i in range(body.loads.shape[0]):
        load = body.loads[i]
        if load.kind == COMMAND or (load.kind == GRIPPER and load.on == 1 and time < load.until < inf):
            body.walls.clock.ended = False


# The checks are merged into their callers, and written out where it counts: to hand over a Body, some seventy numbers,
# takes a third as long as a row.
@jit(private=False, merged=True)
def set_time(body, time):
    """Let the walls stand where they are at a time."""
    if body.walls.mover.shape[0] > 0 and body.walls.clock.now != time:
        _move_to(body, time)


@kernel
def _move_to(body, time):
    place_walls(body.walls, time)


@jit(private=False, merged=True)
def compute_place(body, triple, time, pose):
    """ContactPlace of one contact at a time and a pose."""
    set_time(body, time)
    return compute_contact(body.part, body.walls, triple, pose)


@kernel
def compute_frame(body, triple, at):
    """ContactFrame of one contact at a MotionState."""
    time, pose, velocity = at.time, at.pose, at.velocity
    if body.walls.mover.shape[0] > 0 and body.walls.clock.now != time:  # `set_time`
        _move_to(body, time)
    place = compute_contact(body.part, body.walls, triple, pose)
    nx, ny, rx, ry, offset = place.nx, place.ny, place.rx, place.ry, place.offset
    nq, vq, omega = nx * ry - ny * rx, nx * rx + ny * ry, velocity[2]
    slip = ny * velocity[0] - nx * velocity[1] + vq * omega
    m, kind, arm = body.walls.edge[triple[2]].mover, triple[0], (rx - offset * nx, ry - offset * ny)
    if m < 0:
        u = slip - offset * omega  # of the vertex or the centre
        b, d = compute_variation(kind, (nx, ny), arm, (omega, 0.0), u, (0.0, 0.0))
        if kind == TYPE_C:
            b += u * u / _get_span(body, triple, place.gap)
        return ContactFrame(nx, ny, nq / body.rho, vq / body.rho, b, d, slip, 0.0, 0.0)
    mover = body.walls.mover[m]
    px, py, shift = pose[0] - arm[0], pose[1] - arm[1], offset
    if kind == TYPE_C:
        span, shift = _get_span(body, triple, place.gap), -body.walls.edge[triple[2]].radius
        px, py = px - span * nx, py - span * ny
    ux, uy = compute_wall_velocity(mover, px, py)
    push, drag = nx * ux + ny * uy, ny * ux - nx * uy
    rates, acceleration = (omega, mover.rate[THETA]), compute_wall_acceleration(mover, px, py)
    u = slip - offset * omega - drag
    b, d = compute_variation(kind, (nx, ny), arm, rates, u, acceleration)
    if kind == TYPE_C:
        b += u * u / span
    drag += shift * mover.rate[THETA] + mover.rate[SURFACE]
    d -= shift * mover.bend[THETA] + mover.bend[SURFACE]
    return ContactFrame(nx, ny, nq / body.rho, vq / body.rho, b, d, slip - drag, push, drag)


@jit
def _get_span(body, triple, gap):
    """Distance of two centres, negative where one lies within the other's arc."""
    return gap + body.part.edge[triple[1]].radius + body.walls.edge[triple[2]].radius


@jit
def find_in_mode(mode, triple):
    """Index of a contact among those of the mode, -1 if it is not there."""
    for k in range(mode.n):
        if is_same_contact(mode.triple[k], triple):
            return k
    return -1


@jit
def get_surface(body, triple, time):
    """How far the surface at a contact has run at a time [m]; 0 where it does not."""
    m = body.walls.edge[triple[2]].mover
    if m < 0:
        return 0.0
    set_time(body, time)
    return body.walls.mover[m].value[SURFACE]


@kernel
def compute_travel(body, triple, time, pose, pin):
    """How far a contact has slipped at a time and a pose since it had rolled as far as `pin` [m]; where both are round,
    in whole turns of their line of centres nearest to none."""
    place = compute_place(body, triple, time, pose)
    travel = compute_roll(body.part, body.walls, triple, pose, place) + get_surface(body, triple, time) - pin
    if triple[0] != TYPE_C:
        return travel
    whole = 2.0 * pi * abs(body.part.edge[triple[1]].radius + body.walls.edge[triple[2]].radius)
    return travel - whole * floor(travel / whole + 0.5)


@jit
def get_surface_speed(body, triple, time):
    """How fast the surface at a contact runs along t at a time, against its obstacle [m/s]."""
    m = body.walls.edge[triple[2]].mover
    if m < 0:
        return 0.0
    set_time(body, time)
    return body.walls.mover[m].rate[SURFACE]


@jit
def get_mu(body, triple):
    """Friction coefficient of a contact."""
    return body.walls.edge[triple[2]].mu


@jit
def get_friction_factor(body, mode, index):
    """ft / fn of a sliding contact: friction opposes slip."""
    mu = get_mu(body, mode.triple[index])
    return -mu if mode.letter[index] == LETTER_R else mu


@jit
def lies_flat(body, mode):
    """Do two vertices slide along one edge that stands still? Then the part cannot turn, to the last bit."""
    if mode.kind != SLIDING_TWICE:
        return False
    one, two = mode.triple[mode.first], mode.triple[mode.second]
    return one[0] == TYPE_B and two[0] == TYPE_B and one[2] == two[2] and body.walls.edge[one[2]].mover < 0


@jit
def get_mode_load(body, mode):
    """The load per mass that was asked for last, and what the preload of the mode adds to it."""
    w, more = body.w, mode.preload
    return w[0] + more[0], w[1] + more[1], w[2] + more[2]
