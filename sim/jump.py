"""What happens at an event: impacts, the set of accelerations, the choice, the next mode."""

from __future__ import annotations

from math import sqrt

import numpy as np

from dynamics.choose import CONTINUE, STOP
from dynamics.closed import (
    compute_gap_accelerations,
    drop_separating,
    fill_from_mode,
    fill_row,
    find_closed,
    is_closing,
    keep_contacts,
    make_problem,
    pair_corners,
)
from dynamics.constrained import INDEPENDENT, LETTER_N, STATIC, choose_basis, project_pose, project_velocity
from dynamics.impact import pick_member, solve_impact
from dynamics.reactions import solve_forces
from geometry._jit import jit, kernel
from geometry.contacts import compute_contact
from geometry.detection import find_next_contact
from geometry.path import fill_path
from sim import events
from sim.recorder import write_event, write_impulses
from sim.state import STEP
from sim.status_codes import (
    CAPACITY_FULL,
    CONSTRAINT_LOST,
    GO_ON,
    NO_IMPACT_SOLUTION,
    NO_SOLUTION,
    NOT_UNIQUE_STOP,
    STALLED,
)

# Height of a bounce, relative to the touch distance, below which the remaining bounces are summed as a geometric
# series. The error of the sum is of the order of that height: a larger value would be seen in the motion; bounces lower
# than the touch distance cannot be told from contact.
BOUNCE_HEIGHT = 4.0

# Events at one instant before the run is called stalled; real ties need a handful.
STALL_LIMIT = 60

# A velocity and an acceleration below this, relative to sqrt(load * size) and to the load, are zero: the part is at
# rest.
REST_SPEED = 1e-11
REST_ACCELERATION = 1e-11


@jit
def get_speed_zero(body, options, velocity):
    """Velocity that is zero to rounding at the present speed [m/s]."""
    speed = abs(velocity[0]) + abs(velocity[1]) + abs(velocity[2]) * body.part.radius
    return 1e-11 * speed + options.scales.speed


@kernel
def tally_uniqueness(state, time):
    """Add the time since the last call during which the motion was not unique."""
    if state.set_kind >= 2:
        state.not_unique += time - state.tally
    state.tally = time


@kernel
def jump(body, options, state, tools, log):
    """Treat the event at the present state and set the next mode; returns GO_ON or the code that ends the run."""
    time = state.time
    tally_uniqueness(state, time)
    if time - state.last_event <= 1e-14 * max(time, 1e-300):
        state.stalls += 1
        if state.stalls > STALL_LIMIT:
            return STALLED
    else:
        state.stalls = 0
    state.last_event = time
    impacts = False
    if state.ahead == 1:
        pose, velocity = state.ahead_pose, state.ahead_velocity
        fill_from_mode(body, state.mode, (pose, velocity), options.scales.speed, tools.desk.closed)
    else:
        pose, velocity = state.pose, state.velocity
        code, impacts = _meet(body, options, state, tools, log)
        if code != GO_ON:
            return code
    closed, buffer = tools.desk.closed, tools.buffer
    kind, members, index = pick_member(closed, body.w, options.rule, options.tolerances, buffer)
    if index >= 0 and impacts:
        code, settled = _sum_bounces(body, options, state, tools, log, index)
        if code != GO_ON:
            return code
        if settled:
            kind, members, index = pick_member(closed, body.w, options.rule, options.tolerances, buffer)
    state.set_kind, state.members = max(kind, 0), members
    if index < 0:
        _log_cause(body, options, state, log, impacts)
        return NO_SOLUTION
    if options.rule == STOP and kind > 1:
        _log_cause(body, options, state, log, impacts)
        return NOT_UNIQUE_STOP
    target = tools.desk.vector
    for c in range(3):
        target[c] = tools.buffer.found.vertices[index, c]
    code = _set_mode(body, options, state, tools, (pose, velocity))
    _log_cause(body, options, state, log, impacts)
    state.phase = STEP
    state.ahead = 0
    return code


@kernel
def _meet(body, options, state, tools, log):
    """Find the closed contacts of the present state and let impacts happen; (code, was there an impact)."""
    closed, scales = tools.desk.closed, options.scales
    speed_zero = get_speed_zero(body, options, state.velocity)
    here = (state.pose, state.velocity)
    if find_closed(body, state.mode, here, scales.touch, speed_zero, closed, tools.scratch) < 0:
        return CAPACITY_FULL, False
    closing = is_closing(closed, speed_zero)
    if closing:  # all closed contacts take part, also those that open now: the others may push them shut
        pair_corners(closed)
        code = _strike(body, options, state, tools, log, (closed, events.IMPACT, 1.0))
        if code != GO_ON:
            return code, True
        speed_zero = get_speed_zero(body, options, state.velocity)
        find_closed(body, state.mode, here, scales.touch, speed_zero, closed, tools.scratch)
    elif state.cause_kind == events.STICK:
        # The contact whose slip was followed to zero has no slip, whatever the last bits say.
        for k in range(closed.n):
            same = closed.triple[k, 0] == state.cause[0] and closed.triple[k, 1] == state.cause[1]
            if same and closed.triple[k, 2] == state.cause[2]:
                closed.slip[k] = 0
    keep_contacts(closed, speed_zero)
    return GO_ON, closing


@kernel
def _strike(body, options, state, tools, log, how):
    """Change the velocity by an impact of the contacts `struck`; how = (struck, kind of event, restitution factor)."""
    struck, event, factor = how
    k, rho = struck.n, body.rho
    before, after, e = np.empty(3), np.empty(3), np.empty(k)
    for i in range(k):
        e[i] = factor * body.walls.edge[struck.triple[i, 2]].e
    v = state.velocity
    before[0], before[1], before[2] = v[0], v[1], v[2] * rho
    old = np.array([v[0], v[1], v[2]])
    rule = CONTINUE if options.rule == STOP else options.rule
    choice = (rule, options.tolerances, tools.buffer)
    kind, members, scale = solve_impact(struck, before, e, choice, after)
    if members == 0:
        return NO_IMPACT_SOLUTION
    if options.rule == STOP and kind > 1:
        state.set_kind, state.members = kind, members
        return NOT_UNIQUE_STOP
    solve_forces(make_problem(struck, before), after, options.tolerances, struck.fn, struck.ft)
    v[0], v[1], v[2] = after[0], after[1], after[2] / rho
    state.impact += 0.5 * (
        (after[0] - before[0]) * (after[0] + before[0])
        + (after[1] - before[1]) * (after[1] + before[1])
        + (after[2] - before[2]) * (after[2] + before[2])
    )
    cause = state.cause
    involved = False
    for i in range(k):
        t = struck.triple[i]
        involved = involved or (t[0] == cause[0] and t[1] == cause[1] and t[2] == cause[2])
    if not involved:
        cause[:] = struck.triple[0]
    write_event(body, state, log, (state.time, event, kind, members, scale), old, v)
    write_impulses(body, state, tools, log, struck)
    return GO_ON


@kernel
def _sum_bounces(body, options, state, tools, log, index):
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
    flight, restitution = _measure_flight(body, struck, a, speed_zero, (0.25 * near, interval))
    previous, state.last_flight = state.last_flight, abs(flight)
    ratio = max(restitution, flight / previous if previous > 0.0 else 0.0)
    rest = flight / (1.0 - ratio) if ratio < 1.0 else np.inf
    if flight <= 0.0 or ratio <= 0.0 or state.time + rest >= options.duration:
        return GO_ON, False
    counts, start = log.counts.copy(), tools.desk.start
    events_before, impacts_before, impact, time = state.events, state.impacts, state.impact, state.time
    cause = (state.cause[0], state.cause[1], state.cause[2])
    for c in range(3):
        start[c], start[3 + c] = state.pose[c], state.velocity[c]
    if _settle(body, options, state, tools, log, (a, rest)):
        return GO_ON, True
    log.counts[:] = counts
    state.events, state.impacts, state.impact, state.time = events_before, impacts_before, impact, time
    state.cause[0], state.cause[1], state.cause[2] = cause
    for c in range(3):
        state.pose[c], state.velocity[c] = start[c], start[3 + c]
    return GO_ON, True


@kernel
def _measure_flight(body, struck, a, speed_zero, limits):
    """(time of the longest flight, largest restitution) of the contacts that open; limits = (height, time since the
    last impact).

    The time is negative if a bounce is higher than the limit or a contact closes faster than from there. A contact that
    falls back only when others have stopped to slip is expected back after as long as the last time.
    """
    height, interval = limits
    speeds = np.empty(struck.n)
    speeds[:] = struck.rate[: struck.n]
    compute_gap_accelerations(struck, a)
    flight, low, restitution, fastest = 0.0, True, 0.0, 0.0
    for k in range(struck.n):
        if speeds[k] > speed_zero:
            fall = struck.rate[k] if struck.rate[k] < 0.0 or interval <= 0.0 else -2.0 * speeds[k] / interval
            low = low and fall < 0.0 and speeds[k] * speeds[k] <= -2.0 * fall * height
            if fall < 0.0:
                flight = max(flight, -2.0 * speeds[k] / fall)
                fastest = max(fastest, -8.0 * fall * height)
            restitution = max(restitution, body.walls.edge[struck.triple[k, 2]].e)
    for k in range(struck.n):
        low = low and (speeds[k] >= -speed_zero or speeds[k] * speeds[k] <= fastest)
    return (flight if low else -flight), restitution


@kernel
def _settle(body, options, state, tools, log, series):
    """Let the time of the remaining bounces pass and close the contacts in `tools.desk.struck`; False if that fails.

    series = (acceleration, time). Leaves the new contacts in `tools.desk.closed`.
    """
    a, rest = series
    struck, closed, v, rho = tools.desk.struck, tools.desk.closed, state.velocity, body.rho
    speed_zero = get_speed_zero(body, options, v)
    impact, energy, work = state.impact, _get_energy(v, rho), _get_work(body, state.pose)
    v[0], v[1], v[2] = v[0] + a[0] * rest, v[1] + a[1] * rest, v[2] + a[2] / rho * rest
    state.time += rest
    for k in range(struck.n):
        fill_row(body, struck, k, state.pose, v, speed_zero)
    pair_corners(struck)
    state.cause[:] = struck.triple[0]
    if _strike(body, options, state, tools, log, (struck, events.ACCUMULATION, 0.0)) != GO_ON:
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
    state.impact = impact + _get_energy(v, rho) - energy - (_get_work(body, state.pose) - work)
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
    return find_next_contact(body.part, body.walls, state.path, rest, active, touch, tools.scratch) == np.inf


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
            value = gaps[k] if which == 0 else 0.0
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


@kernel
def _set_mode(body, options, state, tools, where):
    """Set the mode from the letters in `tools.desk.closed` and the acceleration in `tools.desk.vector`, both found at
    `where`."""
    closed, mode, target = tools.desk.closed, state.mode, tools.desk.vector
    size = abs(body.w[0]) + abs(body.w[1]) + abs(body.w[2])
    compute_gap_accelerations(closed, target)
    drop_separating(closed, 1e-9 * (size + abs(target[0]) + abs(target[1]) + abs(target[2])))
    same = state.ahead == 1 and mode.n == closed.n
    old = (mode.kind, mode.first, mode.second)
    n = closed.n
    mode.n = n
    for k in range(n):
        same = same and mode.letter[k] == closed.letter[k]
        mode.triple[k] = closed.triple[k]
        mode.corner[k] = closed.corner[k]
        mode.letter[k] = closed.letter[k]
    deviation = choose_basis(body, mode, where, target, (tools.desk.step.stage[0, 0:3], tools.desk.step.force))
    if deviation < 0.0:
        return CONSTRAINT_LOST
    same = same and old[0] == mode.kind and old[1] == mode.first and old[2] == mode.second
    state.muted = 1 if same else 0
    state.next_step, state.clearance = 0.0, 0.0
    for k in range(n):
        _, mode.pin[k], _, _, _, _ = compute_contact(body.part, body.walls, mode.triple[k], state.pose)
    if mode.kind != STATIC:
        project_pose(body, mode, state.pose)
        project_velocity(body, mode, state.pose, state.velocity)
    return _check_rest(body, options, state, tools, target)


@kernel
def _check_rest(body, options, state, tools, target):
    """A part without velocity and acceleration stays so: its forces are computed once."""
    v, part = state.velocity, body.part
    size = max(abs(body.w[0]), abs(body.w[1]), abs(body.w[2]))
    speed = max(abs(v[0]), abs(v[1]), abs(v[2]) * body.rho)
    pull = max(abs(target[0]), abs(target[1]), abs(target[2]))
    static = state.mode.kind == STATIC
    slow = speed <= max(REST_SPEED * sqrt(size * part.radius), 100.0 * options.scales.speed)
    state.at_rest = 0
    if static and not slow:
        return CONSTRAINT_LOST
    force = size if size > 0.0 else options.scales.force
    if not static and not (slow and pull <= REST_ACCELERATION * force):
        return GO_ON
    v[:] = 0.0
    n = fill_from_mode(body, state.mode, (state.pose, v), options.scales.speed, tools.desk.closed)
    target[:] = 0.0
    closed = tools.desk.closed
    solve_forces(make_problem(closed, body.w), target, options.tolerances, closed.fn, closed.ft)
    for k in range(n):
        state.rest_force[k, 0], state.rest_force[k, 1] = tools.desk.closed.fn[k], tools.desk.closed.ft[k]
    state.at_rest = 1
    return GO_ON


@kernel
def _log_cause(body, options, state, log, impacts):
    """Log the event that led here, unless an impact has said it all."""
    cause = state.cause_kind
    if not (impacts and (cause == events.CONTACT or cause == events.EDGE_END)):
        if cause == events.STICK and not _rolls(state):
            cause = events.SLIP
        header = (state.time, cause, state.set_kind, state.members, 1.0)
        write_event(body, state, log, header, state.velocity, state.velocity)
    if state.at_rest == 1:
        state.cause[:] = -1
        header = (state.time, events.REST, state.set_kind, state.members, 1.0)
        write_event(body, state, log, header, state.velocity, state.velocity)


@jit
def _rolls(state):
    """Does the contact that caused the event roll now?"""
    mode, cause = state.mode, state.cause
    for k in range(mode.n):
        t = mode.triple[k]
        if t[0] == cause[0] and t[1] == cause[1] and t[2] == cause[2]:
            return mode.letter[k] == LETTER_N
    return False
