"""The pose between two instants: a quintic Hermite polynomial in time.

`path` is an array (3, 6): coefficients of x, y, theta in powers of the time tau since the start of the interval. It
matches pose, velocity and acceleration at both ends, so it is exact for constant acceleration and of order six in
the length of the interval otherwise.
"""

from __future__ import annotations

from math import sqrt

from geometry.compiled.jit import jit, kernel
from geometry.prescribed.movers import MotionBounds


@kernel
def fill_path(path, duration, start, end):
    """Set the coefficients from `start` and `end`: arrays (9,) pose, velocity, acceleration."""
    h = duration
    for k in range(3):
        q0, v0, a0 = start[k], start[3 + k], start[6 + k]
        q1, v1, a1 = end[k], end[3 + k], end[6 + k]
        # What constant acceleration a0 leaves unexplained at the end, in units of length.
        dq = q1 - q0 - h * (v0 + 0.5 * h * a0)
        dv = h * (v1 - v0 - h * a0)
        da = h * h * (a1 - a0)
        path[k, 0], path[k, 1], path[k, 2] = q0, v0, 0.5 * a0
        path[k, 3] = (10.0 * dq - 4.0 * dv + 0.5 * da) / (h * h * h)
        path[k, 4] = (-15.0 * dq + 7.0 * dv - da) / (h * h * h * h)
        path[k, 5] = (6.0 * dq - 3.0 * dv + 0.5 * da) / (h * h * h * h * h)


@kernel
def fill_constant_path(path, pose):
    """A part at rest."""
    for k in range(3):
        path[k, 0] = pose[k]
        for j in range(1, 6):
            path[k, j] = 0.0


@kernel
def evaluate_path(path, tau, pose, velocity):
    """Write pose (3,) and velocity (3,) at time tau."""
    for k in range(3):
        c = path[k]
        pose[k] = c[0] + tau * (c[1] + tau * (c[2] + tau * (c[3] + tau * (c[4] + tau * c[5]))))
        velocity[k] = c[1] + tau * (2.0 * c[2] + tau * (3.0 * c[3] + tau * (4.0 * c[4] + tau * 5.0 * c[5])))


@kernel
def bound_path(path, begin, end):
    """MotionBounds of the centre of mass over an interval."""
    vx, ax = _bound(path[0], begin, end - begin)
    vy, ay = _bound(path[1], begin, end - begin)
    omega, alpha = _bound(path[2], begin, end - begin)
    return MotionBounds(sqrt(vx * vx + vy * vy), omega, sqrt(ax * ax + ay * ay), alpha)


@jit
def _bound(c, u, h):
    """Upper bounds of the first and the second derivative of a polynomial over [u, u + h]."""
    first = c[1] + u * (2.0 * c[2] + u * (3.0 * c[3] + u * (4.0 * c[4] + u * 5.0 * c[5])))
    second = 2.0 * c[2] + u * (6.0 * c[3] + u * (12.0 * c[4] + u * 20.0 * c[5]))
    third = abs(6.0 * c[3] + u * (24.0 * c[4] + u * 60.0 * c[5]))
    fourth, fifth = abs(24.0 * c[4] + u * 120.0 * c[5]), abs(120.0 * c[5])
    # The linear part of the velocity attains its extremes at the ends; the rest is small for a resolved step.
    rate = max(abs(first), abs(first + second * h)) + h * h * (third / 2.0 + h * (fourth / 6.0 + h * fifth / 24.0))
    return rate, abs(second) + h * (third + h * (fourth / 2.0 + h * fifth / 6.0))
