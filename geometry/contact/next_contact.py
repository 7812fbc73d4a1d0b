"""When a moving part makes the next contact: located on its path by steps that provably jump over no contact.

Times of a path count from the start of the present step, which the first mover knows (`geometry.prescribed.motion.MOVER`).
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from geometry.compiled.jit import jit, kernel
from geometry.compiled.record import copy_row
from geometry.contact.contacts import TYPE_B, compute_contact, compute_gap_rate
from geometry.contact.detection import (
    compute_distance,
    find_near_end,
    find_nearby_walls,
    is_active,
    may_touch,
    place_part,
)
from geometry.contact.moving import bound_walls, find_distance, is_moving, place_walls
from geometry.contact.path import bound_path, evaluate_path
from geometry.prescribed.movers import bound_mover

# Steps of one march. Convergence is quadratic at a crossing and linear at a graze, where about a hundred suffice.
MARCH_LIMIT = 100_000

# Places of a path after which a search ends, at the next seam between two pieces, and says how far it has come. So no
# call takes longer than about a tenth of a second, however long the path.
LOOK_LIMIT = 50_000

# Depth, in touch distances, up to which a crossing that no step showed is put down to the rounding of a very long path.
ROUGH = 1e6


@kernel
def find_next_contact(part, walls, path, duration, active, touch, scratch):
    """Earliest time in (0, duration] at which a pair that is not active comes into contact.

    `active` (n, 3) holds the closed contacts, to be left out. Returns that time, with the contact in
    `scratch.spot.hit`, or infinity. The interval is cut into pieces in which the part travels, as seen from any wall,
    at most about its own radius; each has bounds of its own on speed and acceleration, and needs only the walls near
    it. Far from all walls a piece lasts until they can be reached. `scratch.spot.seen` says up to which time the path
    was searched: to its end, but for very long ones.
    """
    spot, radius = scratch.spot, part.radius
    _, _, acceleration, alpha = bound_path(path, 0.0, duration)
    wall = bound_walls(walls, walls.mover[0].start, duration) if is_moving(walls) else 0.0
    earliest, end, enough = np.inf, 0.0, spot.looks + LOOK_LIMIT
    spot.seen = duration
    while end < duration:
        begin = end
        if spot.looks > enough and begin > 0.0:
            spot.seen = begin
            return np.inf
        _look(walls, path, begin, scratch)
        v = spot.velocity
        away = find_distance(walls, spot.pose[0], spot.pose[1], scratch.stack) - radius - touch
        rate = sqrt(v[0] * v[0] + v[1] * v[1]) + wall
        travel = _bound_time(radius, rate + abs(v[2]) * radius, acceleration + alpha * radius)
        if away > 0.0 and _bound_time(away, rate, acceleration) > travel:
            end = begin + _bound_time(away, rate, acceleration)
            continue
        end = min(begin + travel, duration)
        if end <= begin:
            end = duration
        time = _search_piece(part, walls, path, (begin, end, duration, wall), active, touch, scratch)
        if time < earliest:
            return time
    return earliest


@jit
def _bound_time(distance, speed, acceleration):
    """Time in which no point gets further than a distance, from its speed and the bound of its acceleration."""
    root = speed + sqrt(speed * speed + 2.0 * acceleration * distance)
    return 2.0 * distance / root if root > 0.0 else np.inf


@kernel
def _search_piece(part, walls, path, piece, active, touch, scratch):
    """Earliest contact in a piece = (begin, end, length of the path, speed of the walls) of the path, or infinity."""
    begin, end, duration, wall = piece
    spot, earliest = scratch.spot, np.inf
    speed, omega, acceleration, alpha = bound_path(path, begin, end)
    reach = part.radius + (speed + wall) * (end - begin) + touch
    n_near = find_nearby_walls(walls, spot.pose[0], spot.pose[1], reach, scratch)
    if n_near == 0:
        return np.inf
    place_part(part, spot.pose, scratch.world)
    span = (speed + wall + omega * part.radius) * (end - begin) + touch
    for k in range(n_near):
        j = scratch.nearby[k]
        for i in range(part.edge.shape[0]):
            for kind in range(2):
                if not may_touch(part, walls, kind, i, j, span, scratch.world):
                    continue
                triple = spot.triple
                triple[0], triple[1], triple[2] = kind, i, j
                if is_active(active, active.shape[0], triple):
                    continue
                interval = (begin, min(end, earliest), duration, end)
                time = _march(part, walls, path, interval, (speed, omega, acceleration, alpha), touch, scratch)
                if time < earliest:
                    earliest = time
                    copy_row(spot.hit, triple)
                _look(walls, path, begin, scratch)
    return earliest


@kernel
def _look(walls, path, tau, scratch):
    """Part and walls at time tau of the path."""
    scratch.spot.looks += 1
    evaluate_path(path, tau, scratch.spot.pose, scratch.spot.velocity)
    if walls.mover.shape[0] > 0:
        place_walls(walls, walls.mover[0].start + tau)


@kernel
def _bound_wall(walls, j, begin, end):
    """Bounds over a piece of the path for the wall of edge j: (speed of its points, |omega|, |acceleration| of its
    points, |Om'| + Om^2); all 0 where it stands still."""
    m = walls.edge[j].mover
    if m < 0 or walls.mover[m].n_edges == 0:
        return 0.0, 0.0, 0.0, 0.0
    radius = walls.mover[m].radius
    interval = (walls.mover[0].start + begin, end - begin)
    speed, omega, acceleration, alpha = bound_mover(walls.mover, walls.piece, walls.wave, m, interval)
    bend = alpha + omega * omega
    return speed + omega * radius, omega, acceleration + bend * radius, bend


@jit
def _bound_curvature(kind, bounds, wall, sizes):
    """Bound of |gap''|. bounds = (speed, |omega|, |a|, |alpha|, speed of any point), seen from the wall; wall as from
    `_bound_wall`; sizes = (radius of the part, length of the edge, distance, time).

    With D from a point of the body that has the edge to the vertex: gap'' = n''.D + 2 n'.D' + n.D''.
    """
    speed, omega, acceleration, alpha, rate = bounds
    radius, length, distance, time = sizes
    if kind == TYPE_B:
        curvature = acceleration + (alpha + omega * omega) * radius
        return curvature + 2.0 * wall[1] * rate + wall[3] * (length + distance + rate * time)
    return acceleration + 2.0 * omega * speed + (alpha + omega * omega) * (radius + distance + speed * time)


@kernel
def _march(part, walls, path, interval, bounds, touch, scratch):
    """First time at which the pair `scratch.spot.triple` closes, by steps that cannot jump over it. interval = (begin,
    end, length of the path, end of the piece that the bounds are for); bounds = (speed, |omega|, |a|, |alpha|).

    With D the distance, S a bound of its rate, g the gap to the supporting line and M a bound of |g''|: no contact can
    happen before D/S, nor (in front of the line) before the root of g + g' x - M x^2/2, nor (behind it) before g can
    become positive. Near a transversal root the second bound is Newton's step, so the convergence is quadratic.

    A pair that touches at the start of the path (not `armed`) without being active is on its way out: it counts again
    once it has left the touch distance, or if it sinks. Sunk is a pair that bounces, though lower than the touch
    distance, where it is back at the gap that it left; one that leaves slower than that, at half the touch distance.
    """
    begin, end, duration, last = interval
    triple, armed = scratch.spot.triple, begin > 0.0
    speed, omega, acceleration, alpha = bounds
    wall = _bound_wall(walls, triple[2], begin, last)
    speed, acceleration = speed + wall[0], acceleration + wall[2]
    rate = speed + omega * part.radius
    exact = 1e-3 * touch
    length = walls.edge[triple[2]].length if triple[0] == TYPE_B else part.edge[triple[1]].length
    tau, doubling, previous, level, last_gap = begin, 1.0, begin, -touch, -1.0
    for _ in range(MARCH_LIMIT):
        if tau > end:
            if armed or previous >= end:
                return np.inf
            tau = end  # a pair that touched may have sunk in since the last look
        _look(walls, path, tau, scratch)
        gap, gap_rate, along = compute_gap_rate(part, walls, triple, scratch.spot.pose, scratch.spot.velocity)
        distance = compute_distance(gap, along, length)
        if distance > touch and (gap > 0.0 or tau == begin or _is_beside(part, walls, along, length, scratch)):
            armed = True
        elif armed and distance <= touch and gap <= exact and gap_rate <= touch / duration:
            return tau
        elif armed and last_gap > 0.0 and -ROUGH * touch < gap < -touch:
            if 0.0 <= along <= length:  # the path is rounded more than contacts are: the crossing cannot be resolved
                return tau
        last_gap = gap if 0.0 <= along <= length else -1.0
        sizes = (part.radius, length, distance, last - begin)
        curvature = _bound_curvature(triple[0], (speed, omega, acceleration, alpha, rate), wall, sizes)
        delta = max(distance / rate if rate > 0.0 else np.inf, _bound_crossing(gap, gap_rate, curvature))
        floor = exact / rate if rate > 0.0 else np.inf
        if not armed:
            if tau == begin and gap_rate > 0.0 and gap_rate * gap_rate > 0.1 * touch * curvature:
                level = min(gap, 0.0)
            if gap < level and _has_sunk(part, walls, gap, along, length, touch, scratch):
                depth = level if level > -touch else -0.5 * touch
                search = (previous, tau, depth, not 0.0 <= along <= length)
                time = _locate_depth(part, walls, path, search, touch, scratch)
                if time < np.inf:
                    return time
                armed = True  # it came in through another edge, which is for that pair to tell
            elif gap < level:
                armed = gap < -touch
        if not armed and curvature > 0.0:
            # Not over the whole flight: it may end in the contact it began with.
            delta = min(delta, 0.5 * abs(gap_rate) / curvature)
            floor = max(floor, doubling * sqrt(touch / curvature))
            doubling *= 2.0
        previous, tau = tau, tau + max(delta, floor)
    return tau  # closer and closer without an end: let the caller look at the contacts here


@kernel
def _is_beside(part, walls, along, length, scratch):
    """Is the vertex beyond a convex end of its edge, and so outside the other body even if it is behind the line?"""
    if 0.0 <= along <= length:
        return False
    _, convex = find_near_end(part, walls, scratch.spot.triple, along, scratch.spot.neighbour)
    return convex


@kernel
def _has_sunk(part, walls, gap, along, length, touch, scratch):
    """Is the vertex, behind the line of its edge, inside the other body?

    Beside the edge it is only behind an inner corner. Beyond the other edge of a convex corner, or on it, it is
    outside.
    """
    other = scratch.spot.neighbour
    _, convex = find_near_end(part, walls, scratch.spot.triple, along, other)
    if not 0.0 <= along <= length:
        return not convex
    if not convex or gap >= -touch:
        return True
    beyond, _, _, _, _, _ = compute_contact(part, walls, other, scratch.spot.pose)
    return beyond < -touch


@kernel
def _locate_depth(part, walls, path, search, touch, scratch):
    """Time between low and high at which `scratch.spot.triple` has sunk below a level; search = (low, high, level,
    beside). Beside its edge, behind an inner corner, the vertex counts from where it passed the end. Infinity where it
    was far below the level before it sank: then it has gone round the end of the edge and in through another."""
    low, high, level, beside = search
    triple = scratch.spot.triple
    length = walls.edge[triple[2]].length if triple[0] == TYPE_B else part.edge[triple[1]].length
    for _ in range(100):
        middle = 0.5 * (low + high)
        if middle <= low or middle >= high:
            break
        _look(walls, path, middle, scratch)
        gap, _, along = compute_gap_rate(part, walls, triple, scratch.spot.pose, scratch.spot.velocity)
        deep = gap < level or (beside and min(along, length - along) < level)
        if deep and _has_sunk(part, walls, gap, along, length, touch, scratch):
            high = middle
        else:
            low = middle
    _look(walls, path, low, scratch)
    gap, _, along = compute_gap_rate(part, walls, triple, scratch.spot.pose, scratch.spot.velocity)
    around = gap < level - touch and not (beside and min(along, length - along) >= level - touch)
    return np.inf if around else high


@jit
def _bound_crossing(gap, gap_rate, curvature):
    """Time before which the gap cannot change sign, for |gap''| <= curvature."""
    if gap < 0.0:
        gap, gap_rate = -gap, -gap_rate
    root = sqrt(gap_rate * gap_rate + 2.0 * curvature * gap)
    if gap_rate < 0.0:  # the form without cancellation, for a curvature of rounding size
        return 2.0 * gap / (root - gap_rate)
    return (gap_rate + root) / curvature if curvature > 0.0 else np.inf
