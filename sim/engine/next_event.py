"""The first event in a step: found on the path of the step, and put right on the constraints of the mode."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.motion.carried import measure_margin
from dynamics.motion.constrained import evaluate_mode, measure_stiffness
from dynamics.motion.mode import CAPACITY, compute_place, find_in_mode
from dynamics.tolerances import TIME_GRID
from geometry.compiled.jit import kernel
from geometry.compiled.record import copy_row
from geometry.contact.detection import compute_clearance
from geometry.contact.moving import bound_walls, is_moving, place_walls
from geometry.contact.next_contact import find_next_contact
from geometry.contact.path import bound_path, evaluate_path
from sim.engine import events
from sim.engine.events import (
    MARGIN,
    MODE_LOST,
    NO_MONITOR,
    PASS,
    SAMPLES,
    SWITCH,
    Monitor,
    Watch,
    compute_monitor,
    get_probed,
    locate_end_of_mode,
    locate_level,
    place_probe,
)
from sim.engine.jump import is_held
from sim.engine.lasting import is_proved_to_last
from sim.engine.recorder import get_friction_work, integrate_work
from sim.engine.state import JUMP
from sim.engine.step import place_at
from sim.engine.switches import is_switch, locate_switch, set_switch_cause
from sim.tolerances import AHEAD_SHARE, AT_SINGULAR_POINT, LARGEST_CORRECTION, LOCATED, LOOK_AHEAD, SECANT_STEP


class StepEnd(NamedTuple):
    """Where a step ends."""

    time: float  # s after its start
    found: bool  # is there an event?


@kernel
def find_event(body, options, state, tools, h):
    """The end of the step, or the first event in it: StepEnd. Sets the cause."""
    mode, scratch, path = state.mode, tools.scratch, state.path
    contact_time = np.inf
    bounds = bound_path(path, 0.0, h)
    wall = bound_walls(body.walls, state.path_start, h) if is_moving(body.walls) else 0.0
    travel = (bounds.speed + wall + bounds.omega * body.part.radius) * h
    active = mode.triple[: mode.n]
    if travel >= state.clearance:
        place_walls(body.walls, state.path_start)
        margin = max(body.part.radius, 2.0 * min(travel, body.part.radius))
        clear = compute_clearance(body.part, body.walls, state.pose, active, active.shape[0], margin, scratch)
        state.clearance = clear
    if travel >= state.clearance:
        start, touch = state.path_start, options.scales.touch
        contact_time = find_next_contact(body.part, body.walls, path, start, h, active, touch, scratch)
        state.clearance = 0.0
        h = min(h, scratch.spot.seen)
    else:
        state.clearance -= travel
    muted = state.muted == 1
    watch = Watch(body, mode, options.scales, path, state.path_start, tools.desk.probe, muted)
    until = min(h, contact_time)
    if state.collocated == 0 and is_proved_to_last(watch, state.pose, tools.desk.series, until):
        mode_time, kind, contact = np.inf, NO_MONITOR, -1
    else:
        mode_time, kind, contact = locate_end_of_mode(watch, until)
    if body.loads.shape[0] > 0:
        switch_time, load, passes = locate_switch(watch, min(until, mode_time))
        if load >= 0:
            set_switch_cause(body, state, load, passes)
            return StepEnd(switch_time, True)
    lost = _find_unrealised(body, options, state, tools, min(until, mode_time)) if muted else np.inf
    if lost < np.inf:
        mode_time, kind, contact = lost, MODE_LOST, 0
    if kind == NO_MONITOR and contact_time == np.inf:
        return StepEnd(h, False)
    if contact_time <= mode_time:
        state.cause_kind = events.CONTACT
        copy_row(state.cause, scratch.spot.hit)
        return StepEnd(contact_time, True)
    if kind == MARGIN:
        kind, contact = _tell_loss(body, state, tools, mode_time)
    state.cause_kind = kind
    copy_row(state.cause, mode.triple[contact])
    if lost < np.inf:
        _look_ahead(state, min(lost + AHEAD_SHARE * h, h))
    if kind == events.SEPARATION or kind == events.SLIP or kind == events.PRESS or kind <= MARGIN:
        _look_ahead(state, locate_level(watch, Monitor(kind, contact), mode_time, min(h, contact_time), -LOOK_AHEAD))
        if kind == events.SEPARATION and _is_at_singular_point(body, state, tools, mode_time):
            state.singular, state.cause_kind, state.ahead = 1, events.JAM, 0
    return StepEnd(mode_time, True)


@kernel
def _tell_loss(body, state, tools, tau):
    """What a part that is carried loses at time tau of the path: (kind of the cause, contact)."""
    probe = tools.desk.probe
    at = place_probe(probe, state.path, state.path_start, tau)
    evaluate_mode(body, state.mode, at, probe.acceleration, probe.force)
    _, what, contact = measure_margin(body, state.mode, at, probe.acceleration)
    return MARGIN - what, contact


@kernel
def _look_ahead(state, tau):
    """Let the next mode be chosen at time tau of the path."""
    evaluate_path(state.path, tau, state.ahead_pose, state.ahead_velocity)
    state.ahead, state.ahead_time = 1, state.path_start + tau


@kernel
def _is_at_singular_point(body, state, tools, tau):
    """Is a normal force lost at time tau of the path because the equation for it is singular there, and not because it
    falls to zero?

    So a contact slides into Genot & Brogliato's point with a force that may stay finite; beyond it the same equation
    gives a force of the other sign.
    """
    at = place_probe(tools.desk.probe, state.path, state.path_start, tau)
    return abs(measure_stiffness(body, state.mode, at.time, at.pose)) < AT_SINGULAR_POINT


@kernel
def _is_realised(body, options, state, tools, tau):
    """Are there legal forces, of all closed contacts together, for the motion of the mode at time tau of the path?"""
    at = place_probe(tools.desk.probe, state.path, state.path_start, tau)
    return is_held(body, options, state, tools, at)


@kernel
def _find_unrealised(body, options, state, tools, duration):
    """First time at which `_is_realised` does not hold, or infinity; looks at SAMPLES places, then by bisection."""
    low, high, holds = 0.0, 0.0, True
    for part in range(1, SAMPLES + 1):
        high = duration * part / SAMPLES
        holds = _is_realised(body, options, state, tools, high)
        if not holds:
            break
        low = high
    if holds:
        return np.inf
    if low == 0.0 and not _is_realised(body, options, state, tools, low):
        return low
    for _ in range(60):
        middle = 0.5 * (low + high)
        if middle <= low or middle >= high:
            break
        if _is_realised(body, options, state, tools, middle):
            low = middle
        else:
            high = middle
    return high


@kernel
def _value_at(body, options, state, tools, tau):
    """The event function at time tau of the path, on the constraints: the gap of a new contact, or the monitor of the
    cause."""
    cause, probe = state.cause_kind, tools.desk.probe
    probe.time = state.path_start + tau
    place_at(body, state, tau, probe.pose, probe.velocity)
    if cause == events.CONTACT:
        return compute_place(body, state.cause, probe.time, probe.pose).gap / options.scales.touch
    evaluate_mode(body, state.mode, get_probed(probe), probe.acceleration, probe.force)
    watch = Watch(body, state.mode, options.scales, state.path, state.path_start, probe, False)
    if is_switch(cause):
        return compute_monitor(watch, Monitor(SWITCH, state.switched))
    if cause == events.BREAK:
        return compute_monitor(watch, Monitor(PASS, state.switched))
    return compute_monitor(watch, Monitor(cause, max(find_in_mode(state.mode, state.cause), 0)))


@kernel
def _correct(body, options, state, tools, tau):
    """Time of an event on the constraints, from that on the path, which is off them by the error of the step: a few
    steps of the secant method."""
    value = _value_at(body, options, state, tools, tau)
    if abs(value) < LOCATED:
        return tau
    other = tau * (1.0 - SECANT_STEP)
    other_value = _value_at(body, options, state, tools, other)
    for _ in range(4):
        if value == other_value or abs(value) < LOCATED:
            break
        change = value * (tau - other) / (value - other_value)
        if abs(change) > LARGEST_CORRECTION * tau:
            break
        other, other_value = tau, value
        tau -= change
        value = _value_at(body, options, state, tools, tau)
        if abs(change) <= TIME_GRID * (state.time + tau):
            break
    return tau


@kernel
def _locate(body, options, state, tools, tau):
    """Time of an event on the constraints. Where that is so much later that another contact may have come before, the
    first such contact is the event: a graze is put right by a long way, on which a part rocks into what it stands on.
    """
    late = _correct(body, options, state, tools, tau)
    path, mode, touch = state.path, state.mode, options.scales.touch
    bounds = bound_path(path, 0.0, late)
    wall = bound_walls(body.walls, state.path_start, late) if is_moving(body.walls) else 0.0
    if (late - tau) * (bounds.speed + wall + bounds.omega * body.part.radius) <= touch:
        return late
    known = mode.n
    if state.cause_kind == events.CONTACT and known < CAPACITY:
        copy_row(mode.triple[known], state.cause)
        known += 1
    time = find_next_contact(body.part, body.walls, path, state.path_start, late, mode.triple[:known], touch,
                             tools.scratch)
    if time >= late:
        return late
    state.cause_kind = events.CONTACT
    copy_row(state.cause, tools.scratch.spot.hit)
    return time


@kernel
def accept(body, options, state, tools, step_end):
    """Move the state to a StepEnd."""
    tau, found = step_end
    if found and tau > 0.0 and state.cause_kind != events.GOAL:  # which is located there
        tau = _locate(body, options, state, tools, tau)
    if not (found and tau <= 0.0):
        place_at(body, state, tau, state.pose, state.velocity)
        state.time = state.path_start + tau
        if body.walls.mover.shape[0] == 0:
            state.friction = state.friction_start + get_friction_work(state, tau)
        else:
            work_done = integrate_work(body, options, state, tools, tau, True)
            state.friction = state.friction_start + work_done.friction
            state.pushed = state.pushed_start + work_done.obstacles
            state.turned = state.turned_start + work_done.load
            state.lost = state.lost_start + work_done.lost
    state.path_length = tau


@kernel
def go_back(body, options, state, tools):
    """From the end of the step to the end of the path, which has become shorter, for a jump there."""
    accept(body, options, state, tools, StepEnd(state.path_length, False))
    state.cause_kind, state.after_ticks, state.singular = events.UNIQUENESS, JUMP, 0
    for c in range(3):
        state.cause[c] = -1
