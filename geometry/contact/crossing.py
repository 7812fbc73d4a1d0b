"""Until when a gap cannot change its sign: from its value and derivatives at a time, and a bound of the next one."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from geometry.compiled.jit import jit, kernel
from geometry.contact.contacts import TYPE_A, TYPE_B, compute_contact, compute_edge_length, compute_wall_velocity
from geometry.contact.path import evaluate_acceleration


class WallBounds(NamedTuple):
    """Upper bounds of the motion of a wall over an interval of time; all 0 where it stands still."""

    speed: float  # m/s, of its points
    omega: float  # rad/s
    acceleration: float  # m/s^2, of its points
    bend: float  # rad/s^2, of |Om'| + Om^2


class Distances(NamedTuple):
    """How far away what turns may be from what it turns about."""

    radius: float  # m, of the part
    length: float  # m, of the edge
    distance: float  # m, of the vertex from the edge
    time: float  # s in which that may grow


@jit
def bound_crossing(gap, gap_rate, curvature):
    """Time before which the gap cannot change sign, for |gap''| <= curvature."""
    if gap < 0.0:
        gap, gap_rate = -gap, -gap_rate
    root = sqrt(gap_rate * gap_rate + 2.0 * curvature * gap)
    if gap_rate < 0.0:  # the form without cancellation, for a curvature of rounding size
        return 2.0 * gap / (root - gap_rate)
    return (gap_rate + root) / curvature if curvature > 0.0 else np.inf


@jit
def bound_curvature(kind, seen, rate, wall, far):
    """Bound of |gap''|. seen: MotionBounds of the part as seen from the wall; rate: bound of the speed of any of its
    points, as seen from there; wall: WallBounds; far: Distances.

    With D from a point of the body that has the edge to the vertex: gap'' = n''.D + 2 n'.D' + n.D''.
    """
    turn = seen.alpha + seen.omega * seen.omega
    if kind == TYPE_B:
        curvature = seen.acceleration + turn * far.radius
        return curvature + 2.0 * wall.omega * rate + wall.bend * (far.length + far.distance + rate * far.time)
    arm = far.radius + far.distance + seen.speed * far.time
    return seen.acceleration + 2.0 * seen.omega * seen.speed + turn * arm


@kernel
def bound_entry(part, walls, spot, curvature):
    """Time before which a vertex in the line of its edge, and beside it, cannot come to the end of the edge: spot has
    the pair, pose and velocity. The bound of |gap''| holds for the second derivative of its way along the edge too."""
    triple, v = spot.triple, spot.velocity
    _, along, nx, ny, rx, ry, _ = compute_contact(part, walls, triple, spot.pose)
    length = compute_edge_length(part, walls, triple)
    rate = nx * v[1] - ny * v[0] - (nx * rx + ny * ry) * v[2]  # of `along`
    m = walls.edge[triple[2]].mover
    if m >= 0:
        ux, uy = compute_wall_velocity(walls.mover[m], spot.pose[0] - rx, spot.pose[1] - ry)
        rate -= nx * uy - ny * ux
    if along < 0.0:
        return bound_crossing(-along, -rate, curvature)
    return bound_crossing(along - length, rate, curvature) if along > length else 0.0


@jit
def bound_jerk(kind, seen, arm, radius):
    """Bound of the third derivative of a gap at a wall that stands still. seen: MotionBounds of the part; arm: bound of
    the distance of the vertex from the centre of mass (type A) [m].

    Type B: that of a point of the part. Type A, with d from the centre of mass to the vertex and the normal turning
    with the part: n''' d + 3 n'' d' + 3 n' d'' + n d'''.
    """
    turn = seen.angular_jerk + 3.0 * seen.alpha * seen.omega + seen.omega * seen.omega * seen.omega
    if kind == TYPE_B:
        return seen.jerk + turn * radius
    bend = seen.alpha + seen.omega * seen.omega
    return seen.jerk + 3.0 * seen.omega * seen.acceleration + 3.0 * bend * seen.speed + turn * arm


@kernel
def stretch_crossing(part, walls, triple, spot, path, tau, jerk, most):
    """Time, at most `most` [s], before which the gap of a pair at a wall that stands still cannot change sign, with
    `jerk` a bound of its third derivative; spot: pose and velocity at time tau of the path. Within a factor of two; 0
    if there is none.

    Gravity bends a path much more than the gap at a wall along which the part moves: so the second derivative itself
    tells more than a bound of it.
    """
    v = spot.velocity
    gap, _, nx, ny, rx, ry, offset = compute_contact(part, walls, triple, spot.pose)
    ax, ay, alpha = evaluate_acceleration(path, tau)
    cross, dot, omega = nx * ry - ny * rx, nx * rx + ny * ry - offset, v[2]  # dot: of the centre of an arc
    rate = nx * v[0] + ny * v[1] + cross * omega
    bend = nx * ax + ny * ay + cross * alpha + omega * omega * dot
    if triple[0] == TYPE_A:
        bend -= 2.0 * omega * (ny * v[0] - nx * v[1] + dot * omega)
    if gap < 0.0:
        gap, rate, bend = -gap, -rate, -bend
    turning = bend * bend + 2.0 * jerk * rate
    if rate < 0.0 and bend > 0.0 and turning >= 0.0:
        dip = -2.0 * rate / (bend + sqrt(turning))  # where the bound below is least before it rises
        if _bound_gap(gap, rate, bend, jerk, dip) <= 0.0:
            most = min(most, 0.5 * dip)
    for _ in range(60):
        if _bound_gap(gap, rate, bend, jerk, most) > 0.0:
            return most
        most *= 0.5
    return 0.0


@jit
def _bound_gap(gap, rate, bend, jerk, x):
    """The least that the gap can be after a time x."""
    return gap + x * (rate + x * (0.5 * bend - jerk * x / 6.0))
