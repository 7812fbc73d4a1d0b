"""What happens at an event: impacts, the set of accelerations, the choice, the next mode."""

from __future__ import annotations

from math import sqrt

from dynamics.motion.carried import FORCE_LOST
from dynamics.motion.choose import BRANCH, STOP
from dynamics.motion.closed import (
    BY_LETTERS,
    compute_gap_accelerations,
    drop_separating,
    fill_from_mode,
    find_closed,
    is_closing,
    keep_contacts,
    make_problem,
    pair_corners,
)
from dynamics.motion.constrained import (
    choose_basis,
    evaluate_mode,
    measure_basis_margin,
    project_pose,
    project_velocity,
)
from dynamics.motion.impact import Choice, pick_member, take_member
from dynamics.motion.mode import LETTER_N, STATIC, begin_loads, compute_travel, find_in_mode, get_load
from dynamics.motion.scales import find_zero_speed, find_zeros
from dynamics.search.reactions import solve_forces
from dynamics.tolerances import FORCE_ROUNDING
from geometry.compiled.jit import jit, kernel
from geometry.compiled.record import copy_row
from geometry.contact.contacts import is_same_contact
from geometry.contact.moving import is_moving
from sim.engine import events
from sim.engine.bounces import NO_BOUNCE, REFUSED, bridge, sum_bounces
from sim.engine.impacts import is_jammed, make_collision, strike
from sim.engine.recorder import EventHeader, write_event
from sim.engine.samples import is_due, log_sample, measure_sample, take_sample
from sim.engine.state import ACCELERATION, NOTHING, STEP, VELOCITY, get_ahead, get_present
from sim.engine.switches import is_switch, switch_load, switch_loads
from sim.engine.ties import keep_grip, lose_contact
from sim.rows.status_codes import (
    CAPACITY_FULL,
    CONSTRAINT_LOST,
    GO_ON,
    JAMMED,
    NO_SOLUTION,
    NOT_UNIQUE_STOP,
    SPLIT,
    STALLED,
)
from sim.tolerances import IDLE, PILE_TIME, REST_ACCELERATION, REST_ROUNDINGS, REST_SPEED

# Events at one instant before they are bridged; real ties need a handful.
STALL_LIMIT = 60

# Impulses without collision, and sums of bounces, that may follow each other at one event; real ones need two or three.
ROUNDS = 8


@kernel
def tally_uniqueness(state, time):
    """Add the time since the last call during which the motion was not unique."""
    if state.set_kind >= 2:
        state.not_unique += time - state.tally
    state.tally = time


@kernel
def jump(body, options, state, tools, log):
    """Treat the event at the present state and set the next mode; returns GO_ON or the code that ends the run."""
    time, due = state.time, is_due(body, state)
    if due:
        measure_sample(body, options, state, tools)
    if is_switch(state.cause_kind):
        switch_load(body, state, state.switched)
    begin_loads(body, time)
    if due:
        code = take_sample(body, options, state, tools)
        if code != GO_ON:
            return code
    tally_uniqueness(state, time)
    if time - state.last_event <= PILE_TIME * max(time, sqrt(body.part.radius / options.scales.force)):
        state.stalls += 1
    else:
        state.stalls = 0
    state.last_event = time
    if state.stalls > 2 * STALL_LIMIT:
        return STALLED
    if state.stalls > STALL_LIMIT and bridge(body, options, state, tools, log):
        state.stalls, state.cause_kind, state.ahead, state.singular, state.struck = 0, events.JAM, 0, 0, 0
    closed, target = tools.desk.closed, tools.desk.target
    code, impacts, kind, members, index = _find_member(body, options, state, tools, log, closed)
    if code != GO_ON:
        return code
    state.set_kind, state.members, state.struck, state.kind_time = max(kind, 0), members, 0, 0.0
    if index < 0:
        return NO_SOLUTION
    if options.rule == STOP and kind > 1:
        _log_cause(body, options, state, log, impacts)
        return NOT_UNIQUE_STOP
    copy_row(target, tools.buffer.found.vertices[index])
    code = _set_mode(body, options, state, tools, get_ahead(state), closed, target)
    _log_cause(body, options, state, log, impacts)
    if due:
        log_sample(body, state, log)
    state.phase = STEP
    state.ahead = 0
    return code


@kernel
def _find_member(body, options, state, tools, log, closed):
    """Let impacts happen, and impulses without collision, and bounces that end, until there is an acceleration to go on
    with: (code, was there an impact, kind of the set, number of its members, index of the chosen one). The contacts and
    their letters go into `closed`."""
    impacts = False
    if state.ahead == 1:
        at = get_ahead(state)
        fill_from_mode(body, state.mode, at, find_zero_speed(body, options.scales, at), closed)
    else:
        code, impacts = _meet(body, options, state, tools, log, closed)
        if code != GO_ON:
            if code == JAMMED:
                _log_cause(body, options, state, log, False)
            return code, impacts, 0, 0, -1
    if state.ahead == 0:
        switch_loads(body, options, state, log)
    kind, members, index = _pick(body, options, state, tools, closed)
    for _ in range(ROUNDS):
        if index < 0 or state.singular == 1:
            state.ahead = 0
            if is_jammed(body, options, tools, closed, get_load(body, get_present(state))):
                _log_cause(body, options, state, log, impacts)
                return JAMMED, impacts, 0, 0, -1
            code = _end_slip(body, options, state, tools, log, closed)
            if code != GO_ON:
                return code, impacts, 0, 0, -1
            impacts = True
        else:
            if state.fork != NOTHING:
                return SPLIT, impacts, kind, members, index
            if state.ahead == 1:
                break
            outcome = sum_bounces(body, options, state, tools, log, closed, index, impacts)
            if outcome == NO_BOUNCE:
                break
            if outcome == REFUSED:
                kind, members, index = _pick(body, options, state, tools, closed)
                break
            impacts, state.struck = True, 0
            if state.cause_kind != events.START:  # the row of the bounces tells it
                state.cause_kind = events.JAM
        switch_loads(body, options, state, log)
        kind, members, index = _pick(body, options, state, tools, closed)
    return GO_ON, impacts, kind, members, index


@kernel
def _meet(body, options, state, tools, log, closed):
    """Find the closed contacts of the present state and let impacts happen; (code, was there an impact)."""
    here = get_present(state)
    zeros = find_zeros(body, options.scales, here)
    struck_before = state.struck == 1
    if find_closed(body, state.mode, here, zeros, closed, tools.scratch) < 0:
        return CAPACITY_FULL, False
    closing = is_closing(closed, zeros.speed)
    if closing:  # all closed contacts take part, also those that open now: the others may push them shut
        pair_corners(closed)
        if state.cause_kind == events.BREAK:
            header = EventHeader(state.time, events.BREAK, 0, 0, 1.0, 0)
            write_event(body, state, log, header, state.velocity, state.velocity)
        collision = make_collision(closed, events.IMPACT, 1.0, tools.desk)
        code = strike(body, options, state, tools, log, collision)
        if code != GO_ON:
            return code, True
        state.struck = 1
        zeros = find_zeros(body, options.scales, here)
        find_closed(body, state.mode, here, zeros, closed, tools.scratch)
    elif state.cause_kind == events.STICK:
        # The contact whose slip was followed to zero has no slip, whatever the last bits say.
        for k in range(closed.n):
            if is_same_contact(closed.triple[k], state.cause):
                closed.slip[k] = 0
    keep_contacts(closed, zeros.speed)
    return GO_ON, closing or struck_before


@kernel
def _pick(body, options, state, tools, closed):
    """Choose a member of the acceleration set: (kind, number of members, index), as `pick_member`.

    Under the rule of branches the member is given from outside; where it has not been given, `state.fork` says so.
    """
    buffer, w = tools.buffer, get_load(body, get_ahead(state))
    choice = Choice(options.rule, state.random, options.tolerances, buffer)
    kind, members, index = pick_member(closed, w, choice)
    state.fork = NOTHING
    if state.forced == ACCELERATION and index >= 0:
        state.forced = NOTHING
        copy_row(buffer.found.vertices[0], state.forced_value)
        take_member(closed, w, options.tolerances, state.forced_value)
        index = 0
    elif options.rule == BRANCH and kind > 1:
        state.set_kind, state.members, state.fork = kind, members, ACCELERATION
    return kind, members, index


@kernel
def _end_slip(body, options, state, tools, log, closed):
    """Where no acceleration is possible, an impulse without collision ends the slip (Painleve's paradox)."""
    here = get_present(state)
    zeros = find_zeros(body, options.scales, here)
    find_closed(body, state.mode, here, zeros, closed, tools.scratch)
    keep_contacts(closed, zeros.speed)
    state.set_kind, state.members = 0, 0
    if state.forced != VELOCITY:  # else it was logged before the branches split
        _log_cause(body, options, state, log, False)
    if options.rule == STOP or closed.n == 0:
        return NO_SOLUTION
    state.cause_kind = events.JAM
    collision = make_collision(closed, events.JAM, 1.0, tools.desk)
    code = strike(body, options, state, tools, log, collision)
    if code != GO_ON:
        return code
    state.singular, state.struck = 0, 1
    zeros = find_zeros(body, options.scales, here)
    find_closed(body, state.mode, here, zeros, closed, tools.scratch)
    keep_contacts(closed, zeros.speed)
    return GO_ON


@kernel
def _set_mode(body, options, state, tools, at, closed, target):
    """Set the mode from the letters of the contacts `closed` and the acceleration `target`, found at a MotionState."""
    mode, desk, w = state.mode, tools.desk, get_load(body, at)
    size = abs(w[0]) + abs(w[1]) + abs(w[2])
    compute_gap_accelerations(closed, target)
    drop_separating(closed, FORCE_ROUNDING * (size + abs(target[0]) + abs(target[1]) + abs(target[2])))
    solve_forces(make_problem(closed, w), target, options.tolerances, closed.fn, closed.ft)
    same = mode.n == closed.n and state.cause_kind != events.UNIQUENESS
    old = (mode.kind, mode.first, mode.second)
    n = closed.n
    mode.n = n
    for k in range(n):
        idle = 1 if closed.fn[k] + abs(closed.ft[k]) <= IDLE * FORCE_ROUNDING * options.scales.force else 0
        same = same and mode.letter[k] == closed.letter[k] and mode.idle[k] == idle
        copy_row(mode.triple[k], closed.triple[k])
        copy_row(mode.corner[k], closed.corner[k])
        mode.letter[k], mode.idle[k] = closed.letter[k], idle
    a, force = desk.trial, desk.force
    if choose_basis(body, mode, at, target, a, force) < 0.0:
        return CONSTRAINT_LOST
    same = same and old[0] == mode.kind and old[1] == mode.first and old[2] == mode.second
    held = same and keep_grip(body, options, state, desk, at, target)
    same = same and state.ahead == 1
    if same and not is_held(body, options, state, tools, at) and lose_contact(body, state, desk, at, target):
        same, n = False, mode.n
    evaluate_mode(body, mode, at, a, force)
    shared = measure_basis_margin(body, mode, force) < -FORCE_ROUNDING * options.scales.force
    preloaded = mode.preload[0] != 0.0 or mode.preload[1] != 0.0 or mode.preload[2] != 0.0
    state.muted = 1 if same or held or preloaded or (shared and n > 1) else 0
    state.next_step, state.clearance = 0.0, 0.0
    here = get_present(state)
    for k in range(n):
        mode.pin[k] = compute_travel(body, mode.triple[k], here.time, here.pose, 0.0)
    if mode.kind != STATIC:
        project_pose(body, mode, here.time, here.pose)
        project_velocity(body, mode, here)
    return _check_rest(body, options, state, closed, target)


@kernel
def is_held(body, options, state, tools, at):
    """Do the contacts together have legal forces for the motion of the mode at a MotionState?"""
    closed, mode, target = tools.desk.closed, state.mode, tools.desk.wanted
    a, force = tools.desk.probe.acceleration, tools.desk.probe.force  # those of the step are still needed
    fill_from_mode(body, mode, at, BY_LETTERS, closed)
    evaluate_mode(body, mode, at, a, force)
    target[0], target[1], target[2] = a[0], a[1], a[2] * body.rho
    problem = make_problem(closed, get_load(body, at))
    status, _ = solve_forces(problem, target, options.tolerances, closed.fn, closed.ft)
    return status == 0


@kernel
def _check_rest(body, options, state, closed, target):
    """A part without velocity and acceleration stays so: its forces are computed once."""
    here, part = get_present(state), body.part
    v, w = here.velocity, get_load(body, here)
    size = max(abs(w[0]), abs(w[1]), abs(w[2]))
    speed = max(abs(v[0]), abs(v[1]), abs(v[2]) * body.rho)
    pull = max(abs(target[0]), abs(target[1]), abs(target[2]))
    static = state.mode.kind == STATIC
    slow = speed <= max(REST_SPEED * sqrt(size * part.radius), REST_ROUNDINGS * options.scales.speed)
    state.at_rest = 0
    if static and not slow:
        return CONSTRAINT_LOST
    if is_moving(body.walls):
        return GO_ON
    force = size if size > 0.0 and body.loads.shape[0] == 0 else options.scales.force  # springs may hold each other
    if not static and not (slow and pull <= REST_ACCELERATION * force):
        return GO_ON
    v[:] = 0.0
    n = fill_from_mode(body, state.mode, here, find_zero_speed(body, options.scales, here), closed)
    target[:] = 0.0
    solve_forces(make_problem(closed, w), target, options.tolerances, closed.fn, closed.ft)
    for k in range(n):
        state.rest_force[k, 0], state.rest_force[k, 1] = closed.fn[k], closed.ft[k]
    state.at_rest = 1
    return GO_ON


@kernel
def _log_cause(body, options, state, log, impacts):
    """Log the event that led here, unless an impact has said it all."""
    cause = state.cause_kind
    if cause == events.BREAK and impacts:
        cause = events.JAM  # the break has been logged before its impact
    if cause != events.JAM and not (impacts and (cause == events.CONTACT or cause == events.EDGE_END)):
        if cause == events.STICK and not _rolls(state):
            cause = events.SLIP
        elif cause == events.MERGE or cause == events.MARGIN or cause == events.CREEP:
            cause = events.MODE_LOST
        elif cause == events.PRESS or cause == events.SINK:
            cause = events.CONTACT
        elif cause < events.MARGIN:
            cause = events.SEPARATION if cause == events.MARGIN - FORCE_LOST else events.SLIP
        header = EventHeader(state.time, cause, state.set_kind, state.members, 1.0, 0)
        write_event(body, state, log, header, state.velocity, state.velocity)
    if state.at_rest == 1:
        state.cause[:] = -1
        header = EventHeader(state.time, events.REST, state.set_kind, state.members, 1.0, 0)
        write_event(body, state, log, header, state.velocity, state.velocity)


@jit
def _rolls(state):
    """Does the contact that caused the event roll now?"""
    index = find_in_mode(state.mode, state.cause)
    return index >= 0 and state.mode.letter[index] == LETTER_N
