"""What is zero to rounding: a gap, a force, and a speed at a contact. One answer for runs, sets, maps and cones."""

from __future__ import annotations

from typing import NamedTuple

from dynamics.tolerances import SPEED_SHARE, TIME_GRID
from geometry.compiled.jit import kernel
from geometry.contact.moving import get_wall_speed


class Scales(NamedTuple):
    """What is zero to rounding, from the sizes of the scene (see `sim/instant/body.py`)."""

    touch: float  # m: gap of a closed contact
    force: float  # m/s^2: force per mass
    speed: float  # m/s: velocity, relative to sqrt(load * radius)


@kernel
def find_zero_speed(body, scales, velocity):
    """Speed [m/s] up to which gap rates and slips are zero at a velocity (vx, vy, omega), with the walls as they are
    now. Angular velocities count times a radius, so the unit of length does not matter."""
    speed = get_wall_speed(body.walls)
    speed += abs(velocity[0]) + abs(velocity[1]) + abs(velocity[2]) * body.part.radius
    return SPEED_SHARE * speed + find_least_speed(body, scales)


@kernel
def find_least_speed(body, scales):
    """Speed [m/s] that is zero whatever the velocity. Where obstacles move it grows with the time of the run: what
    changes in the time between two numbers that stand for a time cannot be told from zero."""
    walls = body.walls
    if walls.mover.shape[0] == 0:
        return scales.speed
    return scales.speed + TIME_GRID * abs(walls.mover[0].now) * scales.force
