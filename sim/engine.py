"""The time loop: advance, locate, jump, choose, record. All of it is compiled and called once a filled buffer."""

from __future__ import annotations

from math import sqrt

import numpy as np

from dynamics.closed import fill_from_mode, make_problem
from dynamics.constrained import FREE, OK
from dynamics.accelerations import find_members
from dynamics.problem import VERTICES
from geometry._jit import jit
from geometry.contacts import compute_gap_rate
from geometry.detection import compute_clearance, find_next_contact
from geometry.path import bound_path, evaluate_path, fill_constant_path, fill_path
from sim import events
from sim.events import NO_MONITOR, compute_monitor, locate_end_of_mode, locate_level
from sim.jump import jump, tally_uniqueness
from sim.recorder import account_contacts, has_room, write_event, write_row
from sim.state import (
    AFTER_TICKS,
    AHEAD,
    AT_REST,
    CAUSE,
    CLEARANCE,
    DONE,
    EVALUATIONS,
    FRICTION,
    FRICTION_START,
    JUMP,
    LAST_ROW,
    MEMBERS,
    MUTED,
    NEXT_STEP,
    NEXT_TICK,
    PATH_LENGTH,
    PATH_START,
    PHASE,
    POWER_END,
    POWER_START,
    REJECTED,
    SET_KIND,
    STEP,
    STEPS,
    TICKS,
    TIME,
)
from sim.status_codes import COMPLETED, GO_ON, PAUSED, STEP_LIMIT, STEP_TOO_SMALL
from sim.step import ORDER, advance, evaluate_rate

# Phases of the loop between two looks at the keyboard.
PAUSE_AFTER = 20_000

# How clearly the old mode must be violated where the next one is chosen, in units of the rounding of a monitor. The search
# for accelerations blurs by about a tenth of one unit; the larger, the further ahead the choice is made.
LOOK_AHEAD = 1000.0


@jit
def run_chunk(body, options, state, tools, log):
    """Run until the buffers are full, the run ends, or it is time to look at the keyboard; returns a status code."""
    for _ in range(PAUSE_AFTER):
        if not has_room(log):
            return PAUSED
        phase = state.counter[PHASE]
        code = GO_ON
        if phase == JUMP:
            code = jump(body, options, state, tools, log)
            if code == GO_ON:
                write_row(body, options, state, tools, log, _now(state))
        elif phase == STEP:
            code = _step(body, options, state, tools, log)
        elif phase == TICKS:
            _write_ticks(body, options, state, tools, log)
        else:
            if state.clock[LAST_ROW] < state.clock[TIME]:
                write_row(body, options, state, tools, log, _now(state))
            tally_uniqueness(state, state.clock[TIME])
            code = COMPLETED
        if code != GO_ON:
            return code
    return PAUSED


@jit
def _now(state):
    return state.clock[TIME], state.pose, state.velocity, state.work[FRICTION]


@jit
def _step(body, options, state, tools, log):
    """One step in the present mode, up to the first event in it."""
    clock, counter = state.clock, state.counter
    left = options.duration - clock[TIME]
    if left <= 0.0:
        counter[PHASE] = DONE
        return GO_ON
    clock[PATH_START] = clock[TIME]
    state.work[FRICTION_START] = state.work[FRICTION]
    if counter[AT_REST] == 1:
        fill_constant_path(state.path, state.pose)
        state.work[POWER_START], state.work[POWER_END] = 0.0, 0.0
        clock[PATH_LENGTH] = left
        clock[TIME] = options.duration
        counter[PHASE], counter[AFTER_TICKS] = TICKS, DONE
        return GO_ON
    if counter[STEPS] >= options.max_steps:
        return STEP_LIMIT
    code, h = _integrate(body, options, state, tools, left)
    if code != GO_ON:
        return code
    fill_path(state.path, h, tools.start, tools.end)
    state.work[POWER_START], state.work[POWER_END] = tools.step.stage[0, 6], tools.step.stage[6, 6]
    found, time = _find_event(body, options, state, tools, h)
    if not found:
        time = h
    counter[STEPS] += 1
    _accept(body, options, state, tools, (time, found))
    if not found and time == left:
        clock[TIME] = options.duration
    counter[PHASE] = TICKS
    counter[AFTER_TICKS] = JUMP if found else STEP
    if not found and state.mode.counts[0] > 0:
        _survey(body, options, state, tools, log)
    account_contacts(body, state)
    return GO_ON


@jit
def _load_start(body, state, tools):
    work = tools.step
    for c in range(3):
        work.start[c], work.start[3 + c] = state.pose[c], state.velocity[c]
    work.start[6] = state.work[FRICTION]
    status = evaluate_rate(body, state.mode, work.start, work.stage[0], work.force)
    _put_ends(tools.start, work.start, work.stage[0])
    return status


@jit
def _put_ends(target, y, rate):
    for c in range(6):
        target[c] = y[c]
    for c in range(3):
        target[6 + c] = rate[3 + c]


@jit
def _integrate(body, options, state, tools, left):
    """Take one step whose error is small enough, into `tools.start` and `tools.end`; returns (code, its length)."""
    counter, clock, work = state.counter, state.clock, tools.step
    if _load_start(body, state, tools) != OK:
        return STEP_TOO_SMALL, 0.0
    size = body.part.radius
    load = abs(body.w[0]) + abs(body.w[1]) + abs(body.w[2])
    v, a = tools.start[3:6], tools.start[6:9]
    speed = max(abs(v[0]) + abs(v[1]) + abs(v[2]) * body.rho, sqrt(load * size))
    pull = abs(a[0]) + abs(a[1]) + abs(a[2]) * body.rho
    if options.step > 0.0:
        h = min(options.step, left)
    elif state.mode.counts[1] == FREE:
        h = left
    else:
        h = clock[NEXT_STEP]
        if h <= 0.0:  # a fraction of the time in which the part moves by its own size
            h = 0.03 * size / max(speed, sqrt(pull * size)) if speed + pull > 0.0 else left
        h = min(h, left)
    while True:
        status, position, velocity = advance(body, state.mode, h, work)
        counter[EVALUATIONS] += 6
        error = max(position / size, velocity / speed if speed > 0.0 else 0.0) / options.tolerance
        if status == OK and (options.step > 0.0 or error <= 1.0 or state.mode.counts[1] == FREE):
            break
        counter[REJECTED] += 1
        h *= max(0.1, 0.9 * error ** (-1.0 / ORDER)) if status == OK and error < np.inf else 0.1
        if clock[TIME] + h <= clock[TIME] or h < 1e-14 * options.duration:
            return STEP_TOO_SMALL, 0.0
    growth = min(8.0, 0.9 * error ** (-1.0 / ORDER)) if error > 0.0 else 8.0
    if h < left:
        clock[NEXT_STEP] = h * growth
    _put_ends(tools.end, work.end, work.stage[6])
    return GO_ON, h


@jit
def _find_event(body, options, state, tools, h):
    """First event in the step: (was there one, its time after the start of the step). Sets the cause."""
    mode, scratch, path = state.mode, tools.scratch, state.path
    contact_time = np.inf
    speed, omega, _, _ = bound_path(path, h)
    travel = (speed + omega * body.part.radius) * h
    active = mode.triple[: mode.counts[0]]
    if travel >= state.clock[CLEARANCE]:
        margin = max(body.part.radius, 2.0 * min(travel, body.part.radius))
        clear = compute_clearance(body.part, body.walls, tools.start, active, active.shape[0], margin, scratch)
        state.clock[CLEARANCE] = clear
    if travel >= state.clock[CLEARANCE]:
        contact_time = find_next_contact(body.part, body.walls, path, h, active, options.scales.touch, scratch)
        state.clock[CLEARANCE] = 0.0
    else:
        state.clock[CLEARANCE] -= travel
    muted = state.counter[MUTED] == 1
    look = (tools.probe, muted)
    mode_time, kind, contact = locate_end_of_mode(body, mode, options.scales, path, h, look)
    if kind == NO_MONITOR and contact_time == np.inf:
        return False, h
    if contact_time <= mode_time:
        state.counter[CAUSE] = events.CONTACT
        state.cause[:] = scratch.hit
        return True, contact_time
    state.counter[CAUSE] = kind
    state.cause[:] = mode.triple[contact]
    if kind == events.SEPARATION or kind == events.SLIP:
        limit = min(h, contact_time)
        search = (kind, contact, mode_time, limit, -LOOK_AHEAD)
        ahead = locate_level(body, mode, options.scales, path, search, tools.probe)
        evaluate_path(path, ahead, state.ahead_pose, state.ahead_velocity)
        state.counter[AHEAD] = 1
    return True, mode_time


@jit
def _value_at(body, options, state, tools, tau):
    """Step to tau and return the event function there: the gap of a new contact, or the monitor of the cause."""
    work = tools.step
    advance(body, state.mode, tau, work)
    state.counter[EVALUATIONS] += 6
    pose, velocity = work.end[0:3], work.end[3:6]
    cause = state.counter[CAUSE]
    if cause == events.CONTACT:
        gap, _, _ = compute_gap_rate(body.part, body.walls, state.cause, pose, velocity)
        return gap / options.scales.touch
    index = 0
    for k in range(state.mode.counts[0]):
        t = state.mode.triple[k]
        if t[0] == state.cause[0] and t[1] == state.cause[1] and t[2] == state.cause[2]:
            index = k
    return compute_monitor(body, state.mode, options.scales, (cause, index), pose, velocity, work.force)


@jit
def _accept(body, options, state, tools, outcome):
    """Move the state to the end of the step, or to the event in it, located anew with steps of the method itself.

    The path is accurate to the error of its interpolation, a step to the event to that of the method: a few secant steps
    from the former end in the latter.
    """
    tau, found = outcome
    work, clock, h = tools.step, state.clock, tools.end
    length = state.clock[PATH_LENGTH]
    if found and tau > 0.0:
        value = _value_at(body, options, state, tools, tau)
        other = tau * (1.0 - 1e-4)
        other_value = _value_at(body, options, state, tools, other)
        for _ in range(4):
            if value == other_value or abs(value) < 1e-3:
                break
            change = value * (tau - other) / (value - other_value)
            if abs(change) > 1e-3 * tau:
                break
            other, other_value = tau, value
            tau -= change
            value = _value_at(body, options, state, tools, tau)
            if abs(change) <= 1e-15 * (clock[TIME] + tau):
                break
        advance(body, state.mode, tau, work)
        _put_ends(tools.end, work.end, work.stage[6])
        fill_path(state.path, tau, tools.start, tools.end)
        state.work[POWER_END] = work.stage[6, 6]
    length = tau
    if not (found and tau <= 0.0):
        for c in range(3):
            state.pose[c], state.velocity[c], state.acceleration[c] = h[c], h[3 + c], h[6 + c]
        state.work[FRICTION] = work.end[6]
        clock[TIME] += tau
    clock[PATH_LENGTH] = length


@jit
def _count_kind(body, options, state, tools, tau):
    """Kind of the acceleration set at time tau of the path."""
    evaluate_path(state.path, tau, tools.probe.pose, tools.probe.velocity)
    where = (tools.probe.pose, tools.probe.velocity)
    fill_from_mode(body, state.mode, where, options.scales.speed, tools.closed)
    problem = make_problem(tools.closed, body.w)
    return find_members(problem, options.tolerances, tools.buffer)


@jit
def _survey(body, options, state, tools, log):
    """Look whether another acceleration became possible during the step, or ceased to be, and log when."""
    counter, clock = state.counter, state.clock
    h = clock[PATH_LENGTH]
    kind = _count_kind(body, options, state, tools, h)
    members = tools.buffer.found.counts[VERTICES]
    if kind == counter[SET_KIND]:
        return
    low, high = 0.0, h
    for _ in range(60):
        middle = 0.5 * (low + high)
        if middle <= low or middle >= high:
            break
        if _count_kind(body, options, state, tools, middle) == counter[SET_KIND]:
            low = middle
        else:
            high = middle
    time = clock[PATH_START] + high
    tally_uniqueness(state, time)
    counter[SET_KIND], counter[MEMBERS] = kind, members
    state.cause[:] = -1
    write_event(body, state, log, (time, events.UNIQUENESS, kind, members, 1.0), state.velocity, state.velocity)


@jit
def _write_ticks(body, options, state, tools, log):
    """Rows at the output times that the path covers, then on to the next phase."""
    counter, clock, work = state.counter, state.clock, state.work
    start, length = clock[PATH_START], clock[PATH_LENGTH]
    pose, velocity = tools.probe.pose, tools.probe.velocity
    while options.interval > 0.0:
        time = counter[NEXT_TICK] * options.interval
        if time > clock[TIME] or time > options.duration:
            break
        if not has_room(log):
            return
        counter[NEXT_TICK] += 1
        if time <= clock[LAST_ROW]:
            continue
        tau = min(time - start, length)
        evaluate_path(state.path, tau, pose, velocity)
        s = tau / length if length > 0.0 else 1.0
        # cubic Hermite: the work is known with its rate at both ends
        gain = work[FRICTION] - work[FRICTION_START]
        friction = work[FRICTION_START] + s * s * (3.0 - 2.0 * s) * gain
        friction += length * s * (1.0 - s) * ((1.0 - s) * work[POWER_START] - s * work[POWER_END])
        if counter[AT_REST] == 1 or tau > 0.0:
            write_row(body, options, state, tools, log, (time, pose, velocity, friction))
    counter[PHASE] = counter[AFTER_TICKS]
