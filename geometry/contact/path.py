"""The pose between two instants: polynomials in the time tau since the start of an interval.

A path is a record PATH: coefficients of x, y, theta in rising powers of tau, and the degree up to which they count.
"""

from __future__ import annotations

from math import sqrt

from geometry.compiled.jit import jit, kernel
from geometry.compiled.record import allocate_record, define_record
from geometry.prescribed.movers import MotionBounds

# The largest degree, and the number of coefficients that it needs.
MAX_DEGREE = 20
TERMS = MAX_DEGREE + 1

PATH = define_record(("c", "f8", (3, TERMS)), ("degree", "i8"))  # m or rad over s^k


def allocate_path():
    """A path that stays at the origin."""
    return allocate_record(PATH)


@kernel
def fill_path(path, pose, velocity, acceleration):
    """A path of constant acceleration; the arguments are those at its start, each (3,)."""
    path.degree = 2
    for k in range(3):
        path.c[k, 0], path.c[k, 1], path.c[k, 2] = pose[k], velocity[k], 0.5 * acceleration[k]


@kernel
def fill_constant_path(path, pose):
    """A part at rest."""
    path.degree = 0
    for k in range(3):
        path.c[k, 0] = pose[k]


@kernel
def evaluate_path(path, tau, pose, velocity):
    """Write pose (3,) and velocity (3,) at time tau."""
    n = path.degree
    for k in range(3):
        value, rate = path.c[k, n], 0.0
        for j in range(n - 1, -1, -1):
            rate = rate * tau + value
            value = value * tau + path.c[k, j]
        pose[k], velocity[k] = value, rate


@kernel
def evaluate_acceleration(path, tau):
    """(ax, ay, alpha) at time tau."""
    return _bend(path, 0, tau), _bend(path, 1, tau), _bend(path, 2, tau)


@jit
def _bend(path, k, tau):
    bend = 0.0
    for j in range(path.degree, 1, -1):
        bend = bend * tau + j * (j - 1.0) * path.c[k, j]
    return bend


@kernel
def bound_path(path, begin, end):
    """MotionBounds of the centre of mass over an interval."""
    vx, ax, jx = _bound(path, 0, begin, end)
    vy, ay, jy = _bound(path, 1, begin, end)
    omega, alpha, angular_jerk = _bound(path, 2, begin, end)
    speed, acceleration = sqrt(vx * vx + vy * vy), sqrt(ax * ax + ay * ay)
    return MotionBounds(speed, omega, acceleration, alpha, sqrt(jx * jx + jy * jy), angular_jerk)


@jit
def _bound(path, k, begin, end):
    """Upper bounds of the first three derivatives of coordinate k over [begin, end]."""
    n, h = path.degree, end - begin
    value, first, half_second, third = 0.0, 0.0, 0.0, 0.0
    for j in range(n, -1, -1):
        half_second = half_second * begin + first
        first = first * begin + value
        value = value * begin + path.c[k, j]
    second = 2.0 * half_second
    for j in range(n, 2, -1):  # of |third derivative| up to the end
        third = third * end + j * (j - 1.0) * (j - 2.0) * abs(path.c[k, j])
    # The linear part of the velocity attains its extremes at the ends.
    return max(abs(first), abs(first + second * h)) + 0.5 * third * h * h, abs(second) + third * h, third
