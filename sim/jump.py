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
    """End an infinite sequence of ever smaller bounces; returns (code, whether it did).

    After an impact some contacts open with velocity v and gap'' = -a. If every such bounce is lower than BOUNCE_HEIGHT
    times the touch distance, the remaining flights form a geometric series (ratio e, or that of the last two flights):
    their total time passes, with the total impulse of the load, and one plastic impact closes the contacts. Friction
    then gets the sum of the normal impulses, as in the limit.
    """
    closed, struck, here = tools.desk.closed, tools.desk.struck, (state.pose, state.velocity)
    speed_zero = get_speed_zero(body, options, state.velocity)
    a = tools.desk.other
    for c in range(3):
        a[c] = tools.buffer.found.vertices[index, c]
    find_closed(body, state.mode, here, options.scales.touch, speed_zero, struck, tools.scratch)
    speeds = np.empty(struck.n)
    speeds[:] = struck.rate[: struck.n]
    compute_gap_accelerations(struck, a)
    flight, low, restitution = 0.0, True, 0.0
    for k in range(struck.n):
        if speeds[k] > speed_zero:
            fall = struck.rate[k]
            low = low and fall < 0.0 and speeds[k] * speeds[k] <= -2.0 * fall * BOUNCE_HEIGHT * options.scales.touch
            if fall < 0.0:
                flight = max(flight, -2.0 * speeds[k] / fall)
            restitution = max(restitution, body.walls.edge[struck.triple[k, 2]].e)
    previous, state.last_flight = state.last_flight, flight
    ratio = flight / previous if previous > 0.0 else restitution
    rest = flight / (1.0 - ratio) if ratio < 1.0 else np.inf
    if flight == 0.0 or not low or ratio <= 0.0 or state.time + rest >= options.duration:
        return GO_ON, False
    v, rho = state.velocity, body.rho
    impact, energy, work = state.impact, _get_energy(v, rho), _get_work(body, state.pose)
    v[0], v[1], v[2] = v[0] + a[0] * rest, v[1] + a[1] * rest, v[2] + a[2] / rho * rest
    state.time += rest
    for k in range(struck.n):
        fill_row(body, struck, k, state.pose, v, speed_zero)
    pair_corners(struck)
    state.cause[:] = struck.triple[0]
    code = _strike(body, options, state, tools, log, (struck, events.ACCUMULATION, 0.0))
    for c in range(3):
        state.pose[c] += v[c] * rest
    _close_gaps(body, struck, state.pose)
    for k in range(struck.n):  # the contacts have moved on
        fill_row(body, struck, k, state.pose, v, speed_zero)
    _keep_closed(struck, v, rho)
    # The load worked along the way the part has moved, not along the flights that were summed.
    state.impact = impact + _get_energy(v, rho) - energy - (_get_work(body, state.pose) - work)
    find_closed(body, state.mode, here, options.scales.touch, speed_zero, closed, tools.scratch)
    keep_contacts(closed, get_speed_zero(body, options, v))
    return code, True


@jit
def _get_energy(v, rho):
    """Kinetic energy per mass."""
    return 0.5 * (v[0] * v[0] + v[1] * v[1] + rho * rho * v[2] * v[2])


@jit
def _get_work(body, pose):
    """Work of the load per mass, up to a constant."""
    return body.w[0] * pose[0] + body.w[1] * pose[1] + body.w[2] * body.rho * pose[2]


@kernel
def _keep_closed(struck, v, rho):
    """Remove what opens a contact, and what makes a rolling one slip, from the velocity at the end of all bounces.

    A rocking part, unlike a bouncing one, does not stop in a plastic impact: it stops because the impacts follow each
    other without end.
    """
    basis = np.zeros((3, 3))
    row = np.zeros(3)
    rank = 0
    for k in range(struck.n):
        for which in range(2 if struck.letter[k] == LETTER_N else 1):
            for c in range(3):
                row[c] = struck.normal[k, c] if which == 0 else struck.tangent[k, c]
            length = sqrt(row[0] * row[0] + row[1] * row[1] + row[2] * row[2])
            for m in range(2 * rank):  # twice is enough for orthogonality to rounding
                unit = basis[m % rank]
                dot = row[0] * unit[0] + row[1] * unit[1] + row[2] * unit[2]
                for c in range(3):
                    row[c] -= dot * unit[c]
            size = sqrt(row[0] * row[0] + row[1] * row[1] + row[2] * row[2])
            if rank < 3 and size > INDEPENDENT * length:
                for c in range(3):
                    basis[rank, c] = row[c] / size
                rank += 1
    for m in range(rank):
        unit = basis[m]
        dot = v[0] * unit[0] + v[1] * unit[1] + v[2] * rho * unit[2]
        v[0] -= dot * unit[0]
        v[1] -= dot * unit[1]
        v[2] -= dot * unit[2] / rho


@kernel
def _close_gaps(body, struck, pose):
    """Move the pose to gap 0 at all given contacts, one after the other, until nothing moves."""
    rho = body.rho
    for _ in range(50):
        moved = 0.0
        for k in range(struck.n):
            gap, _, nx, ny, rx, ry = compute_contact(body.part, body.walls, struck.triple[k], pose)
            nq = (nx * ry - ny * rx) / rho
            scale = -gap / (1.0 + nq * nq)
            pose[0] += scale * nx
            pose[1] += scale * ny
            pose[2] += scale * nq / rho
            moved = max(moved, abs(gap))
        if moved <= 1e-16 * body.part.radius:
            return


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
