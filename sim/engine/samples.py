"""Samples of a controller: when they are, what it measures, and the wrench that it gives.

Sample k is at k periods, the first at the start. What is measured is as it was just before: contacts and forces of the
mode that ends there, under the wrench that was held. At the start nothing has been measured yet. References are taken
as they go on from there.
"""

from __future__ import annotations

from math import inf

from dynamics.loads.control import (
    HYBRID,
    IMPEDANCE,
    OUTSIDE,
    combine,
    fill_amounts,
    fill_bias,
    fill_push,
    follow_reference,
    measure_force,
    yield_to,
)
from dynamics.motion.closed import BY_LETTERS, fill_row, find_closed, keep_contacts
from dynamics.motion.mode import get_load
from dynamics.motion.scales import find_zeros
from geometry.compiled.jit import jit, kernel
from geometry.compiled.record import copy_row
from sim.engine import events
from sim.engine.recorder import EventHeader, compute_gravity, compute_wrist, fill_forces, write_event
from sim.engine.state import get_present
from sim.engine.switches import take_loads
from sim.rows.status_codes import CAPACITY_FULL, GO_ON


@jit
def find_sample(body, state):
    """Time of the next sample [s], inf where there is no controller."""
    return state.sample * body.control[0].period if body.control.shape[0] > 0 else inf


@jit
def is_due(body, state):
    """Is the jump one at which the controller samples? One that follows an event of the motion comes first."""
    if body.control.shape[0] == 0 or state.ahead == 1 or find_sample(body, state) > state.time:
        return False
    cause = state.cause_kind
    return cause == events.SAMPLE or cause == events.START or cause == events.BREAK or cause == events.RELEASE


@jit
def must_ask(body, state):
    """Must somebody outside give the wrench before the jump?"""
    return is_due(body, state) and body.control[0].kind == OUTSIDE and state.answered == 0


@kernel
def measure_sample(body, options, state, tools):
    """Measure: contacts with their forces into `closed`, and the wrench in the wrist."""
    sample, a = tools.desk.sample, tools.desk.acceleration
    here, closed = get_present(state), tools.desk.closed
    if state.cause_kind == events.START:
        closed.n = 0
        return
    fill_forces(body, options, state, tools, here, closed, a)
    w, m, old = get_load(body, here), body.mass, state.command
    fx, fy, torque = compute_wrist(body, (old[0], old[1], old[2]), a)
    sample.wrist[0], sample.wrist[1], sample.wrist[2] = fx, fy, torque / body.rho
    gx, gy = compute_gravity(body)
    hand = body.control[0].hand_mass
    sample.carried[0] = m * w[0] - old[0] - hand * gx
    sample.carried[1] = m * w[1] - old[1] - hand * gy
    sample.carried[2] = m * w[2] - old[2] / body.rho


@kernel
def take_sample(body, options, state, tools):
    """Let the controller give its wrench, and count the sample; returns GO_ON or the code that ends the run."""
    control, code = body.control[0], GO_ON
    if control.kind != OUTSIDE:
        code = _find_space(body, options, state, tools)
        if code == GO_ON:
            _give_wrench(body, state, tools)
    state.answered = 0
    state.sample += 1
    take_loads(body, state)
    return code


@kernel
def _find_space(body, options, state, tools):
    """Fill `closed` with the contacts that make the contact space."""
    control, closed, here = body.control[0], tools.desk.closed, get_present(state)
    if control.named:
        closed.n = control.n
        for k in range(control.n):
            copy_row(closed.triple[k], control.triple[k])
            fill_row(body, closed, k, here, BY_LETTERS)
        return GO_ON
    zeros = find_zeros(body, options.scales, here)
    if find_closed(body, state.mode, here, zeros, closed, tools.scratch) < 0:
        return CAPACITY_FULL
    keep_contacts(closed, zeros.speed)
    return GO_ON


@kernel
def _give_wrench(body, state, tools):
    """The wrench of the law, from what was measured and the contact space in `closed`."""
    control, sample, closed, here = body.control[0], tools.desk.sample, tools.desk.closed, get_present(state)
    command, m, mover = state.command, body.mass, body.walls.mover
    w = get_load(body, here)
    sample.other[0], sample.other[1] = w[0] - command[0] / m, w[1] - command[1] / m
    sample.other[2] = w[2] - command[2] / (m * body.rho)
    knows = state.cause_kind != events.START
    fill_bias(control, closed, sample)
    if knows:
        hand = control.hand
        measure_force(control, closed, sample, (m - hand[0], m - hand[1], m - hand[2]))
    else:
        for c in range(3):
            sample.measured[c] = 0.0
    if control.kind == HYBRID:
        if knows:
            fill_amounts(control, closed, sample)
        fill_push(control, closed, mover, state.integral, knows, sample)
        follow_reference(control, mover, here, body.rho, sample)
        combine(control, closed, sample, m, command)
    elif control.kind == IMPEDANCE:
        follow_reference(control, mover, here, body.rho, sample)
        yield_to(control, sample, m, command)
    command[2] *= body.rho


@kernel
def log_sample(body, state, log):
    """A row of /events where the sample is not the event that the jump is told by."""
    if state.cause_kind == events.SAMPLE:
        return
    one, two, three = state.cause[0], state.cause[1], state.cause[2]
    for c in range(3):
        state.cause[c] = -1
    header = EventHeader(state.time, events.SAMPLE, state.set_kind, state.members, 1.0, 0)
    write_event(body, state, log, header, state.velocity, state.velocity)
    state.cause[0], state.cause[1], state.cause[2] = one, two, three
