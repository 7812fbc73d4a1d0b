"""Loads that let go, go slack or come taut: when that is, and what then.

Which loads act is in the state of a run; the table `Body.loads` holds a copy, as compiled code reads it.
"""

from __future__ import annotations

from math import inf, sqrt

from dynamics.loads.load import COMMAND, GRIPPER, SPRING, get_switch_scale, has_switch, is_bare, measure_switch
from dynamics.motion.mode import get_load
from dynamics.tolerances import FORCE_ROUNDING
from geometry.compiled.jit import jit, kernel
from geometry.compiled.record import copy_row
from geometry.contact.path import bound_path
from geometry.prescribed.movers import bound_mover
from sim.engine import events
from sim.engine.events import (
    FINER,
    FIRST_STRIDE,
    PASS,
    SAMPLES,
    STRIDE_GROWTH,
    SWITCH,
    Monitor,
    locate_zero,
    measure_monitor,
)
from sim.engine.recorder import EventHeader, write_event
from sim.engine.state import get_present


@kernel
def take_loads(body, state):
    """Let the loads act as the state says, and at the start of a run say what they have stored."""
    for i in range(body.loads.shape[0]):
        load = body.loads[i]
        _set_on(body, load, state.load_on[i])
        if load.kind == COMMAND:
            copy_row(load.given, state.command)
    if state.cause_kind == events.START and body.loads.shape[0] > 0:
        get_load(body, get_present(state))
        for i in range(body.loads.shape[0]):
            state.load_stored[i] = body.loads[i].stored


@jit
def _set_on(body, load, on):
    load.on = on
    if load.kind == GRIPPER:
        body.walls.mover[load.mover].gone = on == 0


@jit
def is_switch(cause):
    """Is an event one of a load?"""
    return cause == events.RELEASE or cause == events.SLACK or cause == events.TAUT


@kernel
def locate_switch(watch, duration):
    """(time, load, is it a spring whose anchor is passed): the first time in [0, duration] of a path at which a load
    lets go, goes slack or comes taut, or its direction jumps; (inf, -1, False) where none does."""
    first, which, passes = inf, -1, False
    for i in range(watch.body.loads.shape[0]):
        load = watch.body.loads[i]
        if has_switch(load):
            time = _locate(watch, Monitor(SWITCH, i), min(duration, first))
            if time < first:
                first, which, passes = time, i, False
        turns = load.kind == SPRING and load.on == 1 and not is_bare(load)
        if turns and not _is_far(watch, load, min(duration, first)):
            time = _locate(watch, Monitor(PASS, i), min(duration, first))
            if time < first:
                first, which, passes = time, i, True
    return first, which, passes


@kernel
def _locate(watch, monitor, duration):
    """The first time in [0, duration] at which the monitor of a load crosses zero, inf if none. It is looked at in
    SAMPLES places, and between two of them more closely where the tension of a spring may have been beyond, and after
    a switch, from which it rises."""
    longest = duration / SAMPLES
    rate = _bound_rate(watch, watch.body.loads[monitor.contact], duration) if monitor.kind == SWITCH else 0.0
    low, value_low = 0.0, measure_monitor(watch, monitor, 0.0)
    stride = longest if value_low > 0.0 else longest * FIRST_STRIDE
    while low < duration:
        high = min(low + stride, duration)
        value = measure_monitor(watch, monitor, high)
        if value < -1.0:
            return locate_zero(watch, monitor, low, high, 0.0)
        if value > 0.0 and value_low > 0.0 and rate * stride > max(value + value_low, 1.0) and stride > FINER * longest:
            stride *= 0.5
            continue
        if value > 0.0 or value_low <= 0.0:
            low, value_low = high, value
        else:
            low = high
        stride = min(STRIDE_GROWTH * stride, longest)
    return inf


@kernel
def _bound_rate(watch, load, duration):
    """Bound of the rate [1/s] of a spring's monitor in [0, duration]; 0 where none is known."""
    if load.kind != SPRING:
        return 0.0
    bounds, walls = bound_path(watch.path, 0.0, duration), watch.body.walls
    arm = sqrt(load.px * load.px + load.py * load.py)
    speed = bounds.speed + bounds.omega * arm
    bend = bounds.acceleration + (bounds.alpha + bounds.omega * bounds.omega) * arm
    if load.mover >= 0:
        wall = bound_mover(walls.mover, walls.piece, walls.wave, load.mover, watch.start, duration)
        arm = sqrt(load.ax * load.ax + load.ay * load.ay)
        speed += wall.speed + wall.omega * arm
        bend += wall.acceleration + (wall.alpha + wall.omega * wall.omega) * arm
    rate, damping = load.stiffness[0, 0] * speed, load.damping[0, 0]
    if damping > 0.0:
        length = load.length[0] - speed * duration
        if load.on == 0 or load.shift == 1 or length <= 0.0:  # its length at the start is not known
            return 0.0
        rate += damping * (bend + speed * speed / length)
    return rate / (FORCE_ROUNDING * get_switch_scale(load, watch.body.mass * watch.scales.force))


@kernel
def _is_far(watch, load, duration):
    """Is a spring longer than the way that its ends can go? Then its anchor is not passed."""
    if load.shift == 1:
        return False
    bounds, walls = bound_path(watch.path, 0.0, duration), watch.body.walls
    speed = bounds.speed + bounds.omega * sqrt(load.px * load.px + load.py * load.py)
    if load.mover >= 0:
        wall = bound_mover(walls.mover, walls.piece, walls.wave, load.mover, watch.start, duration)
        speed += wall.speed + wall.omega * sqrt(load.ax * load.ax + load.ay * load.ay)
    return load.length[0] > speed * duration + load.near


@kernel
def set_switch_cause(body, state, i, passes):
    """Let the event be the switch of load i, or that its anchor is passed."""
    load = body.loads[i]
    state.switched = i
    state.cause_kind = events.RELEASE if load.kind == GRIPPER else (events.SLACK if load.on == 1 else events.TAUT)
    if passes:
        state.cause_kind = events.BREAK
    for c in range(3):
        state.cause[c] = -1


@kernel
def switch_load(body, state, i):
    """Let load i act, or cease to act."""
    state.load_on[i] = 0 if state.load_on[i] == 1 else 1
    _set_on(body, body.loads[i], state.load_on[i])


@kernel
def switch_loads(body, options, state, log):
    """Let loads act as they must at the present velocity, which an impact may have changed, and log each that changes
    besides the one that is the event."""
    if body.loads.shape[0] == 0:
        return
    here, force = get_present(state), body.mass * options.scales.force
    for i in range(body.loads.shape[0]):
        load = body.loads[i]
        if not has_switch(load) or (is_switch(state.cause_kind) and i == state.switched):
            continue
        get_load(body, here)
        if measure_switch(load) >= -FORCE_ROUNDING * get_switch_scale(load, force):
            continue
        kind = events.RELEASE if load.kind == GRIPPER else (events.SLACK if load.on == 1 else events.TAUT)
        switch_load(body, state, i)
        if state.cause_kind != events.START or kind == events.RELEASE:  # being slack from the start is no event
            one, two, three = state.cause[0], state.cause[1], state.cause[2]
            for c in range(3):
                state.cause[c] = -1
            header = EventHeader(state.time, kind, state.set_kind, state.members, 1.0, 0)
            write_event(body, state, log, header, state.velocity, state.velocity)
            state.cause[0], state.cause[1], state.cause[2] = one, two, three


@kernel
def find_release(body, time):
    """The next time [s] at which a gripper lets go as it was told, inf if none does."""
    first = inf
    for i in range(body.loads.shape[0]):
        load = body.loads[i]
        if load.kind == GRIPPER and load.on == 1 and load.until > time:
            first = min(first, load.until)
    return first


@kernel
def lets_go(body, state, time):
    """Does a gripper let go at a time, as it was told? It is then the load that switches."""
    for i in range(body.loads.shape[0]):
        load = body.loads[i]
        if load.kind == GRIPPER and load.on == 1 and load.until == time:
            state.switched = i
            return True
    return False
