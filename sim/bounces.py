"""The end of infinitely many impacts in finite time."""

from __future__ import annotations

from math import sqrt

import numpy as np

from dynamics.closed import (
    compute_gap_accelerations,
    copy_contact,
    fill_row,
    find_closed,
    keep_contacts,
    pair_corners,
)
from dynamics.mode import INDEPENDENT, LETTER_N, set_time
from geometry._jit import jit, kernel
from geometry._record import copy_row
from geometry.contacts import compute_contact
from geometry.next_contact import find_next_contact
from geometry.path import fill_path
from sim import events
from sim.impacts import get_speed_zero, strike
from sim.status_codes import GO_ON

# Height of a bounce, relative to the touch distance, below which the remaining bounces are summed as a geometric
# series. The error of the sum is of the order of that height: a larger value would be seen in the motion; bounces lower
# than the touch distance cannot be told from contact.
BOUNCE_HEIGHT = 4.0


@kernel
def sum_bounces(body, options, state, tools, log, index):
    """End an infinite sequence of ever smaller bounces; returns (code, must the member be picked anew).

    After an impact some contacts open with velocity v and gap'' = -a. If every such bounce is lower than BOUNCE_HEIGHT
    times the touch distance, the remaining flights form a geometric series (ratio e, or that of the last two flights):
    their total time passes, with the total impulse of the load, and one plastic impact closes the contacts. Friction
    then gets the sum of the normal impulses, as in the limit. Contacts that are as near take part: a part that bounces
    on two corners by turns ends on both. Where the part would meet something else on the way, it bounces on.
    """
    struck, here = tools.desk.struck, (state.pose, state.velocity)
    speed_zero = get_speed_zero(body, options, state.velocity)
    a = tools.desk.other
    for c in range(3):
        a[c] = tools.buffer.found.vertices[index, c]
    near = 4.0 * BOUNCE_HEIGHT * options.scales.touch
    if find_closed(body, state.mode, here, near, speed_zero, struck, tools.scratch) < 0:
        return GO_ON, False
    interval, state.last_impact = state.time - state.last_impact, state.time
    flight, restitution, guessed = _measure_flight(body, struck, a, speed_zero, (0.25 * near, interval))
    previous, state.last_flight = state.last_flight, abs(flight)
    ratio = max(restitution, flight / previous if previous > 0.0 else 0.0)
    rest = flight / (1.0 - ratio) if ratio < 1.0 else np.inf
    if guessed:  # the acceleration of the moment does not last
        rest, a[0], a[1], a[2] = flight, 0.0, 0.0, 0.0
    if flight <= 0.0 or ratio <= 0.0 or state.time + rest >= options.duration:
        return GO_ON, False
    counts, start, pushed, turned = log.counts.copy(), tools.desk.start, state.pushed, state.turned
    for m in range(body.walls.mover.shape[0]):
        body.walls.mover[m].work_start = body.walls.mover[m].work
    events_before, impacts_before, impact, time = state.events, state.impacts, state.impact, state.time
    cause = (state.cause[0], state.cause[1], state.cause[2])
    for c in range(3):
        start[c], start[3 + c] = state.pose[c], state.velocity[c]
    rounding = 4.0 * near * (abs(body.w[0]) + abs(body.w[1]) + abs(body.w[2]))  # what closing the gaps may lift
    for _ in range(2):
        if _settle(body, options, state, tools, log, (a, rest)) and state.impact <= impact + rounding:
            return GO_ON, True
        copy_row(log.counts, counts)
        state.events, state.impacts, state.impact, state.time = events_before, impacts_before, impact, time
        _restore_work(body, state, pushed, turned)
        state.cause[0], state.cause[1], state.cause[2] = cause
        for c in range(3):
            state.pose[c], state.velocity[c] = start[c], start[3 + c]
        # Energy came from nowhere: the acceleration of the moment does not last. Then without it.
        rest, a[0], a[1], a[2] = flight, 0.0, 0.0, 0.0
    closed = tools.desk.closed
    find_closed(body, state.mode, here, options.scales.touch, speed_zero, closed, tools.scratch)
    keep_contacts(closed, speed_zero)
    return GO_ON, True


@kernel
def _restore_work(body, state, pushed, turned):
    """Back to the walls and the works before bounces that could not be summed."""
    set_time(body, state.time)
    state.pushed, state.turned = pushed, turned
    for m in range(body.walls.mover.shape[0]):
        body.walls.mover[m].work = body.walls.mover[m].work_start


@kernel
def _measure_flight(body, struck, a, speed_zero, limits):
    """(time of the longest flight, largest restitution, was a fall guessed) of the contacts that open; limits =
    (height, time since the last impact).

    A contact that bounces higher than the limit is dropped from `struck`: the others may come to an end before it is
    back. The time is negative if a contact closes faster than from the limit. A contact that falls back only when
    others have stopped to slip is expected back after as long as the last time.
    """
    height, interval = limits
    speeds = np.empty(struck.n)
    copy_row(speeds, struck.rate)
    compute_gap_accelerations(struck, a)
    flight, low, restitution, fastest, guessed, kept = 0.0, True, 0.0, 0.0, False, 0
    for k in range(struck.n):
        if speeds[k] > speed_zero:
            fall, guess = struck.rate[k], False
            if fall >= 0.0 and interval > 0.0:
                fall, guess = -2.0 * speeds[k] / interval, True
            if fall >= 0.0 or speeds[k] * speeds[k] > -2.0 * fall * height:
                continue
            guessed = guessed or guess
            flight = max(flight, -2.0 * speeds[k] / fall)
            fastest = max(fastest, -8.0 * fall * height)
            restitution = max(restitution, body.walls.edge[struck.triple[k, 2]].e)
        copy_contact(struck, k, kept)
        speeds[kept] = speeds[k]
        kept += 1
    struck.n = kept
    for k in range(struck.n):
        low = low and (speeds[k] >= -speed_zero or speeds[k] * speeds[k] <= fastest)
    return (flight if low else -flight), restitution, guessed


@kernel
def _settle(body, options, state, tools, log, series):
    """Let the time of the remaining bounces pass and close the contacts in `tools.desk.struck`; False if that fails.

    series = (acceleration, time). Leaves the new contacts in `tools.desk.closed`.
    """
    a, rest = series
    struck, closed, v, rho = tools.desk.struck, tools.desk.closed, state.velocity, body.rho
    speed_zero = get_speed_zero(body, options, v)
    impact, energy, work = state.impact + state.pushed, _get_energy(v, rho), _get_work(body, state.pose)
    v[0], v[1], v[2] = v[0] + a[0] * rest, v[1] + a[1] * rest, v[2] + a[2] / rho * rest
    state.time += rest
    set_time(body, state.time)
    for k in range(struck.n):
        fill_row(body, struck, k, state.pose, v, speed_zero)
    pair_corners(struck)
    copy_row(state.cause, struck.triple[0])
    if strike(body, options, state, tools, log, (struck, events.ACCUMULATION, 0.0)) != GO_ON:
        return False
    for c in range(3):
        state.pose[c] += v[c] * rest
    if not _close_gaps(body, options, struck, state.pose) or not _is_clear(body, options, state, tools, rest):
        return False
    shift = np.empty(3)
    for k in range(struck.n):  # the contacts have moved on
        fill_row(body, struck, k, state.pose, v, speed_zero)
    # A rocking part, unlike a bouncing one, does not stop in a plastic impact: it stops because the impacts follow each
    # other without end. So nothing opens any more, and what rolls does not slip.
    speed = np.array([v[0], v[1], v[2] * rho])
    _find_shift(struck, struck.rate, speed, (INDEPENDENT, True), shift)
    v[0], v[1], v[2] = v[0] + shift[0], v[1] + shift[1], v[2] + shift[2] / rho
    # The load worked along the way the part has moved, not along the flights that were summed.
    work = _get_work(body, state.pose) - work
    state.turned += work
    state.impact = impact - state.pushed + _get_energy(v, rho) - energy - work
    find_closed(body, state.mode, (state.pose, v), options.scales.touch, speed_zero, closed, tools.scratch)
    keep_contacts(closed, get_speed_zero(body, options, v))
    return True


@kernel
def _is_clear(body, options, state, tools, rest):
    """Does the part meet nothing but the struck contacts on its way from the pose in `tools.desk.start`?"""
    start, end, struck = tools.desk.start, tools.desk.end, tools.desk.struck
    for c in range(3):
        end[c], end[6 + c], start[6 + c] = state.pose[c], 0.0, 0.0
        end[3 + c] = (end[c] - start[c]) / rest
    keep = (start[3], start[4], start[5])
    start[3], start[4], start[5] = end[3], end[4], end[5]
    fill_path(state.path, rest, start, end)
    start[3], start[4], start[5] = keep
    active = struck.triple[: struck.n]
    touch = options.scales.touch
    if body.walls.mover.shape[0] > 0:
        body.walls.mover[0].start = state.time - rest
    clear = find_next_contact(body.part, body.walls, state.path, rest, active, touch, tools.scratch) == np.inf
    set_time(body, state.time)
    return clear


@jit
def _get_energy(v, rho):
    """Kinetic energy per mass."""
    return 0.5 * (v[0] * v[0] + v[1] * v[1] + rho * rho * v[2] * v[2])


@jit
def _get_work(body, pose):
    """Work of the load per mass, up to a constant."""
    return body.w[0] * pose[0] + body.w[1] * pose[1] + body.w[2] * body.rho * pose[2]


@kernel
def _find_shift(struck, gaps, speed, how, shift):
    """Shortest shift d with N.d = -gap for every struck contact and, where rolling counts, T.(speed + d) = 0.

    how = (sine below which a row counts as dependent on earlier ones and is left out, whether rolling counts).
    """
    independent, rolling = how
    basis, row = np.zeros((3, 3)), np.zeros(3)
    rank = 0
    shift[:] = 0.0
    for k in range(struck.n):
        for which in range(2 if rolling and struck.letter[k] == LETTER_N else 1):
            value = gaps[k] if which == 0 else -struck.drag[k]
            for c in range(3):
                row[c] = struck.normal[k, c] if which == 0 else struck.tangent[k, c]
                value += row[c] * (shift[c] if which == 0 else shift[c] + speed[c])
            length = sqrt(row[0] * row[0] + row[1] * row[1] + row[2] * row[2])
            for m in range(2 * rank):  # twice is enough for orthogonality to rounding
                unit = basis[m % rank]
                dot = row[0] * unit[0] + row[1] * unit[1] + row[2] * unit[2]
                for c in range(3):
                    row[c] -= dot * unit[c]
            size = sqrt(row[0] * row[0] + row[1] * row[1] + row[2] * row[2])
            if rank < 3 and size > independent * length:
                for c in range(3):
                    basis[rank, c] = row[c] / size
                    shift[c] -= value / size * basis[rank, c]
                rank += 1


@kernel
def _close_gaps(body, options, struck, pose):
    """Move the pose to gap 0 at the struck contacts, by the shortest way; False if some gap stays open."""
    gaps, shift, nothing, widest = np.empty(struck.n), np.empty(3), np.zeros(3), 0.0
    for _ in range(4):
        widest = 0.0
        for k in range(struck.n):
            fill_row(body, struck, k, pose, nothing, 0.0)
            gaps[k], _, _, _, _, _ = compute_contact(body.part, body.walls, struck.triple[k], pose)
            widest = max(widest, abs(gaps[k]))
        if widest <= 1e-2 * options.scales.touch:
            return True
        _find_shift(struck, gaps, nothing, (1e-4, False), shift)
        pose[0], pose[1], pose[2] = pose[0] + shift[0], pose[1] + shift[1], pose[2] + shift[2] / body.rho
    return widest <= 0.5 * options.scales.touch
