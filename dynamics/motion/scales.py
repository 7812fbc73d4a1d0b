"""What is zero to rounding: a gap, a force, and a speed at a contact. One answer for runs, sets, maps and cones."""

from __future__ import annotations

from typing import NamedTuple

from dynamics.tolerances import SPEED_SHARE, TIME_GRID
from geometry.compiled.jit import jit, kernel
from geometry.contact.moving import get_wall_speed, place_walls


class Scales(NamedTuple):
    """What is zero to rounding, from the sizes of the scene (see `sim/instant/body.py`)."""

    touch: float  # m: gap of a closed contact
    force: float  # m/s^2: force per mass
    speed: float  # m/s: velocity, relative to sqrt(load * radius)


class Zeros(NamedTuple):
    """Up to which gap a contact is closed, and up to which gap rate or slip it neither opens nor closes nor slips."""

    touch: float  # m
    speed: float  # m/s, see `find_zero_speed`


@kernel
def find_zero_speed(body, scales, at):
    """Speed [m/s] up to which gap rates and slips are zero at a MotionState. Angular velocities count times a radius,
    so the unit of length does not matter."""
    place_walls(body.walls, at.time)
    speed = get_wall_speed(body.walls)
    speed += abs(at.velocity[0]) + abs(at.velocity[1]) + abs(at.velocity[2]) * body.part.radius
    return SPEED_SHARE * speed + find_least_speed(body, scales, at.time)


@jit
def find_zeros(body, scales, at):
    """Zeros at a MotionState."""
    return Zeros(scales.touch, find_zero_speed(body, scales, at))


@kernel
def find_least_speed(body, scales, time):
    """Speed [m/s] that is zero at a time whatever the velocity. Where obstacles move it grows with the time of
    the run: what changes in the time between two numbers that stand for a time cannot be told from zero."""
    if body.walls.mover.shape[0] == 0:
        return scales.speed
    return scales.speed + TIME_GRID * abs(time) * scales.force
