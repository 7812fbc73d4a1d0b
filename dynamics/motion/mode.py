"""What a mode is: the closed contacts and what each does, and the rows of one contact at a state.

The part, the walls and the load are the `Body`; the state of a moving scene at another time is had by `set_time`.
"""

from __future__ import annotations

from math import cos, sin
from typing import NamedTuple

import numpy as np

from geometry.compiled.jit import jit, kernel
from geometry.compiled.record import define_record
from geometry.contact.contacts import (
    Part,
    Walls,
    compute_contact,
    compute_variation,
    compute_wall_acceleration,
    compute_wall_velocity,
    is_same_contact,
)
from geometry.contact.moving import place_walls
from geometry.prescribed.motion import SURFACE, THETA

LETTER_S, LETTER_N, LETTER_R, LETTER_L = 0, 1, 2, 3

FREE, SLIDING, ROLLING, SLIDING_TWICE, STATIC, CARRIED = 0, 1, 2, 3, 4, 5

OK, SINGULAR = 0, 1

# Smallest sine between two rows that still counts as independent when a mode begins. Below it two constraints are taken
# for one: their forces would be known to less than nine digits. A mode that has begun ends where the sine of its two
# rows has become a quarter of that, so that it does not begin anew at once.
INDEPENDENT = 1e-7
DEPENDENT = 0.25 * INDEPENDENT


class Body(NamedTuple):
    """The part, the walls and what acts between them."""

    part: Part
    walls: Walls
    w: np.ndarray  # (3,) applied load per mass at the present time: (F_x/m, F_y/m, tau/(m rho)) [m/s^2]
    rho: float  # m
    mass: float  # kg
    load: np.ndarray  # (5,) the load without gravity, as `w`, and gravity at t = 0 [m/s^2]
    turning: bool  # does gravity turn?
    longest: float  # s, longest step in which no period of a motion is passed over, inf if there is none


# Contacts that may be closed at one time: sixty-four teeth of a comb on a plate fit twice over.
CAPACITY = 128

MODE = define_record(
    ("n", "i8"),  # closed contacts
    ("kind", "i8"), ("first", "i8"), ("second", "i8"),  # the basis: its kind, its one or two contacts
    ("triple", "i8", (CAPACITY, 3)),
    ("corner", "i8", (CAPACITY, 3)),  # see `geometry.contact.detection.find_contacts`
    ("letter", "i8", (CAPACITY,)),
    ("idle", "i8", (CAPACITY,)),  # 1: the contact touches but holds nothing: it has no force, and is not needed
    ("pin", "f8", (CAPACITY,)),  # m: `along` of a rolling contact when the mode began, plus `get_surface`
    # m/s^2, in (x, y, rho theta): what forces that the motion does not determine (a part squeezed between two contacts)
    # add to the acceleration; they are kept as they were chosen
    ("preload", "f8", (3,)),
    ("rows", "i8", (3, 2)),  # of a part that is carried: contact and row (0: N, 1: T) of three independent equations
    ("edges", "f8", (2 * CAPACITY, 3)), ("holder", "i8", (2 * CAPACITY,)),  # unit edges of its cones, their contacts
)  # fmt: skip


@kernel
def set_time(body, time):
    """Move the walls to where they are at a time, and turn gravity."""
    walls = body.walls
    if walls.mover.shape[0] == 0 or walls.mover[0].now == time:
        return
    place_walls(walls, time)
    if body.turning:
        c, s = cos(walls.mover[0].value[THETA]), sin(walls.mover[0].value[THETA])
        gx, gy = body.load[3], body.load[4]
        body.w[0], body.w[1] = body.load[0] + c * gx - s * gy, body.load[1] + s * gx + c * gy


@kernel
def compute_frame(body, triple, pose, velocity):
    """(n_x, n_y, n_q/rho, v_q/rho, b, d, slip, push, drag) of one contact: N = (n_x, n_y, n_q/rho), T = (n_y, -n_x,
    v_q/rho).

    push and drag are the velocity of the obstacle's surface along n and t; gap' = N.v - push, and slip = T.v - drag.
    """
    _, _, nx, ny, rx, ry = compute_contact(body.part, body.walls, triple, pose)
    nq, vq = nx * ry - ny * rx, nx * rx + ny * ry
    slip = ny * velocity[0] - nx * velocity[1] + vq * velocity[2]
    m = body.walls.edge[triple[2]].mover
    if m < 0:
        b, d = compute_variation(triple[0], (nx, ny), (rx, ry), (velocity[2], 0.0), slip, (0.0, 0.0))
        return nx, ny, nq / body.rho, vq / body.rho, b, d, slip, 0.0, 0.0
    mover = body.walls.mover[m]
    px, py = pose[0] - rx, pose[1] - ry
    ux, uy = compute_wall_velocity(mover, px, py)
    push, drag = nx * ux + ny * uy, ny * ux - nx * uy
    rates, acceleration = (velocity[2], mover.rate[THETA]), compute_wall_acceleration(mover, px, py)
    b, d = compute_variation(triple[0], (nx, ny), (rx, ry), rates, slip - drag, acceleration)
    drag += mover.rate[SURFACE]
    return nx, ny, nq / body.rho, vq / body.rho, b, d - mover.bend[SURFACE], slip - drag, push, drag


@jit
def find_in_mode(mode, triple):
    """Index of a contact among those of the mode, -1 if it is not there."""
    for k in range(mode.n):
        if is_same_contact(mode.triple[k], triple):
            return k
    return -1


@jit
def get_surface(body, triple):
    """How far the surface at a contact has run [m]; 0 where it does not."""
    m = body.walls.edge[triple[2]].mover
    return body.walls.mover[m].value[SURFACE] if m >= 0 else 0.0


@jit
def get_surface_speed(body, triple):
    """How fast the surface at a contact runs along t, against its obstacle [m/s]."""
    m = body.walls.edge[triple[2]].mover
    return body.walls.mover[m].rate[SURFACE] if m >= 0 else 0.0


@jit
def get_mu(body, triple):
    """Friction coefficient of a contact."""
    return body.walls.edge[triple[2]].mu


@jit
def get_load(body, mode):
    """Load per mass, and what the preload of the mode adds to it."""
    w, more = body.w, mode.preload
    return w[0] + more[0], w[1] + more[1], w[2] + more[2]
