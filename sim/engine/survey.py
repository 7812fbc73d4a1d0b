"""Look whether other accelerations become possible while a mode lasts, or cease to be."""

from __future__ import annotations

from dynamics.codes import ONE
from dynamics.motion.choose import BRANCH, STOP
from dynamics.motion.closed import fill_from_mode, is_unique, make_problem
from dynamics.motion.mode import get_load
from dynamics.motion.scales import find_zero_speed
from dynamics.search.members import find_members
from dynamics.search.problem import VERTICES
from geometry.compiled.jit import kernel
from geometry.compiled.record import copy_row
from geometry.contact.path import evaluate_path
from sim.engine import events
from sim.engine.events import place_probe
from sim.engine.jump import tally_uniqueness
from sim.engine.recorder import EventHeader, write_event
from sim.tolerances import AHEAD_SHARE


@kernel
def _count_kind(body, options, state, tools, tau):
    """Kind of the acceleration set at time tau of the path."""
    at, closed = place_probe(tools.desk.probe, state.path, state.path_start, tau), tools.desk.closed
    fill_from_mode(body, state.mode, at, find_zero_speed(body, options.scales, at), closed)
    if is_unique(closed):
        tools.buffer.found.counts[VERTICES] = 1
        return ONE
    return find_members(make_problem(closed, get_load(body, at)), options.tolerances, tools.buffer)


@kernel
def _log_change(body, state, tools, log, tau):
    """Log that the kind of the set has changed at time tau of the path, where the part was then."""
    probe = tools.desk.probe
    x, y, theta = state.pose[0], state.pose[1], state.pose[2]
    place_probe(probe, state.path, state.path_start, tau)
    copy_row(state.pose, probe.pose)
    header = EventHeader(probe.time, events.UNIQUENESS, state.set_kind, state.members, 1.0, 0)
    write_event(body, state, log, header, probe.velocity, probe.velocity)
    state.pose[0], state.pose[1], state.pose[2] = x, y, theta


@kernel
def survey(body, options, state, tools, log, found):
    """Look whether another acceleration became possible during the step, or ceased to be, and log when.

    Looks at its end; where an event was `found` there, and so all may be different, in its middle. True if branches
    are followed and must split there, or if the run is to stop; the path then ends at that time.
    """
    h = state.path_length
    low, high = 0.0, 0.5 * h if found else h
    kind = _count_kind(body, options, state, tools, high)
    members = tools.buffer.found.counts[VERTICES]
    if kind == state.set_kind:
        return False
    for _ in range(60):
        middle = 0.5 * (low + high)
        if middle <= low or middle >= high:
            break
        if _count_kind(body, options, state, tools, middle) == state.set_kind:
            low = middle
        else:
            high = middle
    time = state.path_start + high
    if (options.rule == BRANCH or options.rule == STOP) and kind > state.set_kind:
        ahead = min(high + AHEAD_SHARE * h, h)
        evaluate_path(state.path, ahead, state.ahead_pose, state.ahead_velocity)
        state.ahead, state.ahead_time, state.path_length = 1, state.path_start + ahead, high
        return True
    tally_uniqueness(state, time)
    state.kind_time, state.kind_before = time, state.set_kind
    state.set_kind, state.members = kind, members
    one, two, three = state.cause[0], state.cause[1], state.cause[2]
    state.cause[:] = -1
    _log_change(body, state, tools, log, high)
    state.cause[0], state.cause[1], state.cause[2] = one, two, three  # of the event at the end of the step
    return False
