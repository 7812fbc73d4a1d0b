"""When a moving part makes the next contact: located on its path by steps that provably jump over no contact.

Times of a path count from its start.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from geometry.compiled.jit import jit, kernel
from geometry.compiled.record import copy_row
from geometry.contact.contacts import (
    TYPE_C,
    Part,
    Walls,
    compute_contact,
    compute_edge_length,
    compute_gap_rate,
    compute_room,
)
from geometry.contact.crossing import (
    Distances,
    WallBounds,
    bound_crossing,
    bound_curvature,
    bound_entry,
    bound_jerk,
    stretch_crossing,
)
from geometry.contact.detection import (
    Scratch,
    compute_distance,
    find_near_end,
    has_arc,
    is_active,
    may_touch,
)
from geometry.contact.joints import continues
from geometry.contact.moving import bound_walls, find_distance, is_moving, place_walls
from geometry.contact.nearby import find_facing_edges, find_near_walls, place_frame, place_part
from geometry.contact.path import bound_path, evaluate_path
from geometry.contact.separation import measure_separation
from geometry.prescribed.movers import MotionBounds, bound_mover
from geometry.tolerances import LEAVING, LOCATED_GAP, ROUGH, SUNK

# Steps of one march. Convergence is quadratic at a crossing and linear at a graze, where about a hundred suffice.
MARCH_LIMIT = 100_000

# Places of a path after which a search ends, at the next seam between two pieces, and says how far it has come. So no
# call takes longer than about a tenth of a second, however long the path.
LOOK_LIMIT = 50_000
GIVEN_UP, NO_LIMIT = -1.0, 2**62

# Pairs of edges held against each other that take as long as one such place.
PAIRS_OF_A_LOOK = 8


class Search(NamedTuple):
    """What is searched for the next contact."""

    part: Part
    walls: Walls
    path: np.record  # PATH, see `geometry.contact.path`
    start: float  # s: time of the run at which the path begins
    duration: float  # s: length of the path
    active: np.ndarray  # (n, 3) int64: closed contacts, to be left out
    touch: float  # m
    scratch: Scratch


class Interval(NamedTuple):
    """Where on its path a pair is followed."""

    begin: float  # s
    end: float  # s
    last: float  # s: up to here the bounds on speed and acceleration are valid


class Depth(NamedTuple):
    """Between which times a vertex sinks below which level."""

    low: float  # s
    high: float  # s
    level: float  # m
    beside: bool  # is it beside its edge, behind an inner corner, where it counts from where it passed the end?


@kernel
def find_next_contact(part, walls, path, start, duration, active, touch, scratch):
    """Earliest time in (0, duration] at which a pair that is not active comes into contact.

    path (PATH): begins at the time `start` of the run [s]; duration: its length [s]; active (n, 3): the closed
    contacts, to be left out. Returns that time, counted from the start of the path, with the contact in
    `scratch.spot.hit`, or infinity. The interval is cut into pieces in which the part travels, as seen from any wall,
    at most about its own radius; each has bounds of its own on speed and acceleration, and needs only the walls near
    it. Far from all walls a piece lasts until they can be reached. `scratch.spot.seen` says up to which time the path
    was searched: to its end, but for very long ones.
    """
    search = Search(part, walls, path, start, duration, active, touch, scratch)
    spot, radius = scratch.spot, part.radius
    whole = bound_path(path, 0.0, duration)
    wall = bound_walls(walls, start, duration) if is_moving(walls) else 0.0
    earliest, end, enough = np.inf, 0.0, spot.looks + LOOK_LIMIT
    spot.seen, spot.tau = duration, np.nan
    while end < duration:
        begin = end
        if spot.looks > enough and begin > 0.0:
            spot.seen = begin
            return np.inf
        _look(walls, path, start, begin, spot)
        v = spot.velocity
        away = find_distance(walls, spot.pose[0], spot.pose[1], scratch.stack) - radius - touch
        rate = sqrt(v[0] * v[0] + v[1] * v[1]) + wall
        travel = _bound_time(radius, rate + abs(v[2]) * radius, whole.acceleration + whole.alpha * radius)
        if away > 0.0 and _bound_time(away, rate, whole.acceleration) > travel:
            end = begin + _bound_time(away, rate, whole.acceleration)
            continue
        end = min(begin + travel, duration)
        if end <= begin:
            end = duration
        time = _search_piece(search, begin, end, wall, spot.looks + LOOK_LIMIT)
        while time < 0.0:  # too crowded: half of it, with fewer pairs
            middle = 0.5 * (begin + end)
            last = not begin < middle < end
            end = end if last else middle
            time = _search_piece(search, begin, end, wall, NO_LIMIT if last else spot.looks + LOOK_LIMIT)
        if time < earliest:
            return time
    return earliest


@jit
def _bound_time(distance, speed, acceleration):
    """Time in which no point gets further than a distance, from its speed and the bound of its acceleration."""
    root = speed + sqrt(speed * speed + 2.0 * acceleration * distance)
    return 2.0 * distance / root if root > 0.0 else np.inf


@kernel
def _search_piece(search, begin, end, wall, enough):
    """Earliest contact in the piece [begin, end] of the path, or infinity; wall: bound of the speed of the walls.

    For a part of many edges, GIVEN_UP once there were `enough` looks: the piece is too long for so many pairs.
    """
    part, walls, touch, scratch = search.part, search.walls, search.touch, search.scratch
    spot, earliest = scratch.spot, np.inf
    bounds = bound_path(search.path, begin, end)
    reach = part.radius + (bounds.speed + wall) * (end - begin) + 2.0 * touch
    span = (bounds.speed + wall + bounds.omega * part.radius) * (end - begin) + touch
    n_near = find_near_walls(part, walls, spot.pose, reach, span, scratch)
    if n_near == 0:
        return np.inf
    frame = place_frame(spot.pose)
    place_part(part, spot.pose, scratch.world)
    for k in range(n_near):
        j = scratch.nearby[k]
        n_facing = find_facing_edges(part, walls, j, frame, span, scratch)
        if part.node.shape[0] > 0:
            spot.looks += 1 + n_facing // PAIRS_OF_A_LOOK
            if spot.looks > enough:
                return GIVEN_UP
        for f in range(n_facing):
            i = scratch.facing[f]
            for kind in range(3 if has_arc(part, walls, i, j) else 2):
                if not may_touch(part, walls, kind, i, j, span, scratch.world):
                    continue
                triple = spot.triple
                triple[0], triple[1], triple[2] = kind, i, j
                if _is_held(search, triple):
                    continue
                time = _march(search, Interval(begin, min(end, earliest), end), bounds)
                if time < earliest:
                    earliest = time
                    copy_row(spot.hit, triple)
                _look(walls, search.path, search.start, begin, spot)
    return earliest


@jit
def _is_held(search, triple):
    """Is a contact active, or one that an active contact goes over into?"""
    part, walls, active = search.part, search.walls, search.active
    if is_active(active, active.shape[0], triple):
        return True
    if has_arc(part, walls, triple[1], triple[2]):
        for k in range(active.shape[0]):
            if continues(part, walls, active[k], triple):
                return True
    return False


@kernel
def _look(walls, path, start, tau, spot):
    """Part and walls at time tau of the path; where they stand there already nothing is done."""
    spot.looks += 1
    if spot.tau == tau:
        return
    spot.tau = tau
    evaluate_path(path, tau, spot.pose, spot.velocity)
    if walls.mover.shape[0] > 0:
        place_walls(walls, start + tau)


@jit
def _is_carried(walls, j):
    """May the shape that wall edge j is of move?"""
    m = walls.edge[j].mover
    return m >= 0 and walls.mover[m].n_edges > 0


@kernel
def _bound_wall(search, j, begin, end):
    """WallBounds of the wall of edge j over the piece [begin, end] of the path."""
    walls = search.walls
    m = walls.edge[j].mover
    if not _is_carried(walls, j):
        return WallBounds(0.0, 0.0, 0.0, 0.0)
    radius = walls.mover[m].radius
    frame = bound_mover(walls.mover, walls.piece, walls.wave, m, search.start + begin, end - begin)
    bend = frame.alpha + frame.omega * frame.omega
    return WallBounds(frame.speed + frame.omega * radius, frame.omega, frame.acceleration + bend * radius, bend)


@kernel
def _march(search, interval, bounds):
    """First time at which the pair `scratch.spot.triple` closes, by steps that cannot jump over it; bounds:
    MotionBounds of the part.

    With D the distance, S a bound of its rate, g the gap to the supporting line and M a bound of |g''|: no contact can
    happen before D/S, nor (in front of the line) before the root of g + g' x - M x^2/2, nor (behind it) before g can
    become positive. Near a transversal root the second bound is Newton's step, so the convergence is quadratic.
    Where both are short, g'' itself and a bound of the next derivative may reach further.

    A pair that touches at the start of the path (not `armed`) without being active is on its way out: it counts again
    once it has left the touch distance, or if it sinks. Sunk is a pair that bounces, though lower than the touch
    distance, where it is back at the gap that it left; one that leaves slower than that, at half the touch distance.
    """
    part, walls, path, start = search.part, search.walls, search.path, search.start
    touch, spot = search.touch, search.scratch.spot
    begin, end, last = interval
    triple, armed = spot.triple, begin > 0.0
    wall = _bound_wall(search, triple[2], begin, last)
    seen = MotionBounds(bounds.speed + wall.speed, bounds.omega, bounds.acceleration + wall.acceleration, bounds.alpha,
                        bounds.jerk, bounds.angular_jerk)
    rate = seen.speed + seen.omega * part.radius
    exact = LOCATED_GAP * touch
    tau, doubling, previous, level, last_gap = begin, 1.0, begin, -touch, -1.0
    for _ in range(MARCH_LIMIT):
        if tau > end:
            if armed or previous >= end:
                return np.inf
            tau = end  # a pair that touched may have sunk in since the last look
        _look(walls, path, start, tau, spot)
        gap, gap_rate, along, length, distance = _see(search)
        if distance > touch and (gap > 0.0 or tau == begin or _is_beside(search, along, length)):
            armed = True
        elif armed and distance <= touch and gap <= exact and gap_rate <= touch / search.duration:
            return tau
        elif armed and last_gap > 0.0 and -ROUGH * touch < gap < -touch:
            if 0.0 <= along <= length:  # the path is rounded more than contacts are: the crossing cannot be resolved
                return tau
        last_gap = gap if 0.0 <= along <= length else -1.0
        delta, curvature = _bound_approach(search, interval, (seen, wall, rate), (gap, gap_rate, distance), tau)
        floor = exact / rate if rate > 0.0 else np.inf
        if not armed:
            if tau == begin and gap_rate > 0.0 and gap_rate * gap_rate > LEAVING * touch * curvature:
                level = min(gap, 0.0)
            if gap < level and _has_sunk(search, gap, along, length):
                depth = level if level > -touch else -SUNK * touch
                time = _locate_depth(search, Depth(previous, tau, depth, not 0.0 <= along <= length))
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


class Seen(NamedTuple):
    """A pair at a place of the path. An arc faces the other where `along` is not negative: it is the room to its end,
    and `length` infinite."""

    gap: float  # m
    gap_rate: float  # m/s
    along: float  # m
    length: float  # m
    distance: float  # m


@kernel
def _see(search):
    """The pair `scratch.spot.triple` where part and walls stand: Seen."""
    part, walls, spot = search.part, search.walls, search.scratch.spot
    triple = spot.triple
    gap, gap_rate, along = compute_gap_rate(part, walls, triple, spot.pose, spot.velocity)
    if has_arc(part, walls, triple[1], triple[2]):
        room = compute_room(part, walls, triple, spot.pose, compute_contact(part, walls, triple, spot.pose))
        return Seen(gap, gap_rate, room, np.inf, measure_separation(part, walls, triple, spot.pose, gap, room))
    length = compute_edge_length(part, walls, triple)
    return Seen(gap, gap_rate, along, length, compute_distance(gap, along, length))


@jit
def _bound_approach(search, interval, bounds, place, tau):
    """(time before which the pair `scratch.spot.triple` cannot touch, bound of |gap''|) from its place at a time: gap,
    gap' and distance. bounds: MotionBounds as seen from the wall, WallBounds, largest speed."""
    part, spot, (begin, end, last) = search.part, search.scratch.spot, interval
    (seen, wall, rate), (gap, gap_rate, distance) = bounds, place
    triple = spot.triple
    far = Distances(part.radius, compute_edge_length(part, search.walls, triple), distance, last - begin)
    curvature = bound_curvature(triple[0], seen, rate, wall, far)
    span, centres = np.inf, triple[0] == TYPE_C
    if centres:  # their line turns, the faster the nearer they are: at half their distance no faster than so
        span = abs(gap + part.edge[triple[1]].radius + search.walls.edge[triple[2]].radius)
        curvature += 2.0 * rate * rate / span if span > 0.0 else 0.0
    bent = has_arc(part, search.walls, triple[1], triple[2])
    closing = _bound_closing(gap, gap_rate, curvature, distance, search.touch)
    if rate > 0.0:
        closing = min(closing, 0.5 * span / rate)
    delta = max(distance / rate if rate > 0.0 else np.inf, closing)
    if closing == 0.0 and distance > search.touch and not bent:
        delta = max(delta, bound_entry(part, search.walls, spot, curvature))
    elif not centres and closing > 0.0 and tau + delta < end and not _is_carried(search.walls, triple[2]):
        jerk = bound_jerk(triple[0], seen, part.radius + distance + seen.speed * (last - begin), part.radius)
        stretched = stretch_crossing(part, search.walls, triple, spot, search.path, tau, jerk, end - tau)
        delta = max(delta, stretched)
    return delta, curvature


@kernel
def _is_beside(search, along, length):
    """Is the vertex beyond a convex end of its edge, and so outside the other body even if it is behind the line?"""
    if 0.0 <= along <= length:
        return False
    spot = search.scratch.spot
    if has_arc(search.part, search.walls, spot.triple[1], spot.triple[2]):
        return True
    _, convex = find_near_end(search.part, search.walls, spot.triple, along, spot.neighbour)
    return convex


@kernel
def _has_sunk(search, gap, along, length):
    """Is the vertex, behind the line of its edge, inside the other body?

    Beside the edge it is only behind an inner corner. Beyond the other edge of a convex corner, or on it, it is
    outside.
    """
    part, walls, spot = search.part, search.walls, search.scratch.spot
    if has_arc(part, walls, spot.triple[1], spot.triple[2]):
        return along >= 0.0
    _, convex = find_near_end(part, walls, spot.triple, along, spot.neighbour)
    if not 0.0 <= along <= length:
        return not convex
    if not convex or gap >= -search.touch:
        return True
    return compute_contact(part, walls, spot.neighbour, spot.pose).gap < -search.touch


@kernel
def _locate_depth(search, depth):
    """Time at which `scratch.spot.triple` has sunk to a Depth. Infinity where it was far below the level before it
    sank: then it has gone round the end of the edge and in through another."""
    low, high, level, beside = depth
    walls, spot = search.walls, search.scratch.spot
    for _ in range(100):
        middle = 0.5 * (low + high)
        if middle <= low or middle >= high:
            break
        _look(walls, search.path, search.start, middle, spot)
        gap, _, along, length, _ = _see(search)
        deep = gap < level or (beside and min(along, length - along) < level)
        if deep and _has_sunk(search, gap, along, length):
            high = middle
        else:
            low = middle
    _look(walls, search.path, search.start, low, spot)
    gap, _, along, length, _ = _see(search)
    around = gap < level - search.touch and not (beside and min(along, length - along) >= level - search.touch)
    return np.inf if around else high


@jit
def _bound_closing(gap, gap_rate, curvature, distance, touch):
    """Time before which the gap cannot come to where a contact begins: 0 for a vertex in the line of its edge, which
    comes from beside though its gap never changes sign."""
    if distance > touch and -touch <= gap <= LOCATED_GAP * touch:
        return 0.0
    return bound_crossing(gap, gap_rate, curvature)
