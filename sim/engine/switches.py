"""Loads that let go, go slack or come taut: when that is, and what then.

Which loads act is in the state of a run; the table `Body.loads` holds a copy, as compiled code reads it.
"""

from __future__ import annotations

from math import inf

from dynamics.loads.load import COMMAND, GRIPPER, has_switch, measure_switch
from dynamics.motion.mode import get_load
from dynamics.tolerances import FORCE_ROUNDING
from geometry.compiled.jit import jit, kernel
from geometry.compiled.record import copy_row
from sim.engine import events
from sim.engine.events import SAMPLES, SWITCH, Monitor, locate_zero, measure_monitor
from sim.engine.recorder import EventHeader, write_event
from sim.engine.state import get_present


@kernel
def take_loads(body, state):
    """Let the loads act as the state says."""
    for i in range(body.loads.shape[0]):
        load = body.loads[i]
        _set_on(body, load, state.load_on[i])
        if load.kind == COMMAND:
            copy_row(load.given, state.command)


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
    """(time, load): the first time in [0, duration] of a path at which a load lets go, goes slack or comes taut, by
    SAMPLES places; (inf, -1) where none does."""
    first, which = inf, -1
    for i in range(watch.body.loads.shape[0]):
        if not has_switch(watch.body.loads[i]):
            continue
        monitor, low, value_low = Monitor(SWITCH, i), 0.0, measure_monitor(watch, Monitor(SWITCH, i), 0.0)
        for part in range(1, SAMPLES + 1):
            high = min(duration, first) * part / SAMPLES
            value = measure_monitor(watch, monitor, high)
            if value < -1.0:
                time = locate_zero(watch, monitor, low, high, 0.0)
                if time < first:
                    first, which = time, i
                break
            if value > 0.0 or value_low <= 0.0:
                low, value_low = high, value
    return first, which


@kernel
def set_switch_cause(body, state, i):
    """Let the event be the switch of load i."""
    load = body.loads[i]
    state.switched = i
    state.cause_kind = events.RELEASE if load.kind == GRIPPER else (events.SLACK if load.on == 1 else events.TAUT)
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
    here, limit = get_present(state), FORCE_ROUNDING * options.scales.force
    for i in range(body.loads.shape[0]):
        load = body.loads[i]
        if not has_switch(load) or (is_switch(state.cause_kind) and i == state.switched):
            continue
        get_load(body, here)
        if measure_switch(load) >= -limit:
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
