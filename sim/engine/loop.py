"""The time loop: advance, locate, jump, choose, record. All of it is compiled and called once a filled buffer."""

from __future__ import annotations

from math import sqrt

from dynamics.motion.constrained import is_singular
from dynamics.motion.mode import begin_loads
from geometry.compiled.jit import jit, kernel
from geometry.compiled.record import copy_row
from geometry.contact.path import evaluate_path, fill_constant_path
from geometry.prescribed.motion import SMOOTH
from geometry.prescribed.movers import find_next_break
from sim.engine import events
from sim.engine.endings import find_leaving, follow_goals, locate_goal, log_ending, reaches_goal
from sim.engine.events import get_probed
from sim.engine.jump import jump, tally_uniqueness
from sim.engine.next_event import StepEnd, accept, find_event, go_back
from sim.engine.recorder import WorkDone, account_contacts, get_friction_work, has_room, integrate_work, write_row
from sim.engine.samples import find_sample, measure_sample, must_ask
from sim.engine.state import DONE, JAM, JUMP, STEP, TICKS, UNDECIDED, get_present
from sim.engine.step import place_at, take_step
from sim.engine.survey import survey
from sim.engine.switches import find_release, lets_go, take_loads
from sim.rows.ending_codes import AWAY, TIME
from sim.rows.status_codes import (
    ASKED,
    COMPLETED,
    GO_ON,
    JAMMED,
    NO_IMPACT_SOLUTION,
    NO_SOLUTION,
    PAUSED,
    SPLIT,
    STALLED,
    STEP_LIMIT,
    STEP_TOO_SMALL,
)

# Work between two looks at the keyboard, in places of paths that are looked at; a phase of the loop counts for many.
# About a fifth of a second.
PAUSE_AFTER = 200_000
PHASE_EFFORT = 80

# When a run does not get on. Either: in LONG_EFFORT (a few seconds) its time has got on by less than LEAST_SHARE of the
# duration, so that the whole would take many hours. Or: in MANY steps and events by less than FALLS times that in which
# the part falls by its own size, or FEW_FALLS of the duration where that is less; so much happens only where a part
# rattles for ever at heights that nobody sees. Bounces with a restitution of 0.9999 still come to an end.
LONG_EFFORT, LEAST_SHARE = 2_000_000, 1e-4
# Or: so many places were looked at without any event, on a way of millions of sizes of the part, or turns, among walls.
LONGEST_FLIGHT = 5_000_000
MANY, FALLS, FEW_FALLS = 30_000, 100.0, 0.05


@kernel
def run_chunk(body, options, state, tools, log):
    """Run until the buffers are full, the run ends, or it is time to look at the keyboard; returns a status code."""
    enough = state.effort + PAUSE_AFTER
    take_loads(body, state)
    while state.effort < enough:
        if not has_room(log):
            return PAUSED
        looks = tools.scratch.spot.looks
        if not _gets_on(body, options, state):
            _write_last_row(body, options, state, tools, log, STALLED)
            return STALLED
        phase = state.phase
        code = GO_ON
        if phase == JUMP:
            if must_ask(body, state):
                measure_sample(body, options, state, tools)
                return ASKED
            code = jump(body, options, state, tools, log)
            if code == GO_ON:
                _write_present(body, options, state, tools, log)
        elif phase == STEP:
            code = _step(body, options, state, tools, log)
        elif phase == TICKS:
            _write_ticks(body, options, state, tools, log)
        else:
            if state.last_row < state.time:
                _write_present(body, options, state, tools, log)
            if state.ending != TIME:
                log_ending(body, state, log)
            tally_uniqueness(state, state.time)
            code = COMPLETED
        if code != GO_ON:
            if code != COMPLETED:
                _write_last_row(body, options, state, tools, log, code)
            return code
        state.looks = 0 if state.phase == JUMP else state.looks + tools.scratch.spot.looks - looks
        state.effort += PHASE_EFFORT + tools.scratch.spot.looks - looks
    return PAUSED


@kernel
def _gets_on(body, options, state):
    """Has the time got on, while much work was done or much happened?"""
    if state.looks > LONGEST_FLIGHT:
        return False
    if state.effort - state.mark_effort >= LONG_EFFORT:
        gets_on = state.time - state.mark_time >= LEAST_SHARE * options.duration
        state.mark_effort, state.mark_time = state.effort, state.time
        if not gets_on:
            return False
    count = state.steps + state.events - 2 * state.sample  # a sample is one of each, and is no sign of a stall
    if count - state.mark_count >= MANY:
        fall = sqrt(body.part.radius / options.scales.force)
        advance, before = state.time - state.mark_since, state.mark_advance
        state.mark_count, state.mark_since, state.mark_advance = count, state.time, advance
        if advance < min(FALLS * fall, FEW_FALLS * options.duration):
            return advance < 0.5 * before  # bounces that become shorter come to an end
    return True


@kernel
def _write_last_row(body, options, state, tools, log, code):
    """The state in which a run ends early; without contacts and acceleration where none was chosen."""
    if code == SPLIT:
        return  # the branches begin with this state
    if code == JAMMED:
        state.undecided, state.set_kind, state.members = JAM, 0, 0
    elif code != STALLED and code != STEP_LIMIT and code != STEP_TOO_SMALL:
        state.undecided = UNDECIDED
        if code == NO_SOLUTION or code == NO_IMPACT_SOLUTION:
            state.set_kind, state.members = 0, 0
    if state.undecided != 0 or state.last_row < state.time:
        _write_present(body, options, state, tools, log)


@jit
def _write_present(body, options, state, tools, log):
    done = WorkDone(state.friction, state.pushed, state.turned, state.lost)
    write_row(body, options, state, tools, log, get_present(state), done)


@kernel
def _step(body, options, state, tools, log):
    """One step in the present mode, up to the first event in it."""
    if options.goals.shape[0] > 0 and reaches_goal(body, options, state):
        state.phase = DONE
        return GO_ON
    left, end, cause = _find_end(body, options, state)
    if left <= 0.0:
        state.phase = DONE
        if cause == events.LEFT:
            state.ending = AWAY
        if cause == events.SAMPLE:  # at the time of an event that has just been treated
            state.phase, state.cause_kind = JUMP, cause
            _forget_contact(state)
        return GO_ON
    state.path_start = state.time
    state.friction_start, state.pushed_start, state.turned_start = state.friction, state.pushed, state.turned
    state.lost_start = state.lost
    for i in range(body.loads.shape[0]):
        state.load_work_start[i], state.load_lost_start[i] = state.load_work[i], state.load_lost[i]
    if state.at_rest == 1:
        fill_constant_path(state.path, state.pose)
        state.path_length = left
        state.time = options.duration
        state.phase, state.after_ticks = TICKS, DONE
        return GO_ON
    if state.steps >= options.max_steps:
        return STEP_LIMIT
    code, h = take_step(body, options, state, tools, left)
    if code == STEP_TOO_SMALL and is_singular(body, state.mode, state.time, state.pose):
        state.singular, state.cause_kind, state.phase = 1, events.JAM, JUMP
        copy_row(state.cause, state.mode.triple[state.mode.first])
        return GO_ON
    if code != GO_ON:
        return code
    step_end = find_event(body, options, state, tools, h)
    if options.goals.shape[0] > 0:
        step_end = _stop_at_goal(body, options, state, tools, step_end)
    time, found = step_end
    state.steps += 1
    accept(body, options, state, tools, step_end)
    jumps = found and state.cause_kind != events.GOAL
    state.phase, state.after_ticks = TICKS, JUMP if jumps else STEP
    if options.goals.shape[0] > 0:
        follow_goals(body, options, state, tools)
    if not found and time == left:
        state.time = end
        if cause == events.LEFT:
            state.ending, state.after_ticks = AWAY, DONE
        elif cause != events.NO_MONITOR:
            state.cause_kind, state.after_ticks = cause, JUMP
            if lets_go(body, state, end):
                state.cause_kind = events.RELEASE
            _forget_contact(state)
    if state.mode.n > 0 and options.survey and survey(body, options, state, tools, log, jumps):
        go_back(body, options, state, tools)
    account_contacts(body, state)
    return GO_ON


@kernel
def _stop_at_goal(body, options, state, tools, step_end):
    """The end of the step, or where in it the part comes into a goal at which the run stops. Once it is there, the next
    step ends the run."""
    time = locate_goal(body, options, state, tools, step_end.time)
    if time > step_end.time:
        return step_end
    state.cause_kind, state.ahead, state.singular = events.GOAL, 0, 0
    _forget_contact(state)
    return StepEnd(time, True)


@kernel
def _find_end(body, options, state):
    """(longest time of a step, when it ends, what happens then), as `_find_break`, or LEFT where the part is out of the
    scene for good."""
    left, end, cause = _find_break(body, options, state)
    if state.mode.n == 0 and not body.varying:
        leaving = find_leaving(body, options, state)
        if leaving <= left:
            return leaving, state.time + leaving, events.LEFT
    return left, end, cause


@kernel
def _find_break(body, options, state):
    """(longest time of a step, when it ends, what happens then: BREAK where the velocity or the acceleration of an
    obstacle or a load jumps, SAMPLE where nothing does and a controller samples, else NO_MONITOR)."""
    walls = body.walls
    if walls.mover.shape[0] == 0:
        return options.duration - state.time, options.duration, events.NO_MONITOR
    for m in range(walls.mover.shape[0]):
        walls.mover[m].work_start = walls.mover[m].work
    time, meets = find_next_break(walls.mover, walls.piece)
    if time <= state.time:  # of a smooth motion: nothing happens there
        begin_loads(body, state.time)
        time, meets = find_next_break(walls.mover, walls.piece)
    cause, release = events.BREAK if meets != SMOOTH else events.NO_MONITOR, find_release(body, state.time)
    if release <= time:
        time, cause = release, events.BREAK
    sample = find_sample(body, state)
    if sample < time or (sample == time and cause == events.NO_MONITOR):
        time, cause = sample, events.SAMPLE
    end = min(time, options.duration)
    return end - state.time, end, cause if time == end and end < options.duration else events.NO_MONITOR


@jit
def _forget_contact(state):
    """Let the event be one of no contact."""
    for c in range(3):
        state.cause[c] = -1


@kernel
def _write_ticks(body, options, state, tools, log):
    """Rows at the output times that the path covers, then on to the next phase."""
    start, length = state.path_start, state.path_length
    probe = tools.desk.probe
    while options.interval > 0.0:
        time = state.next_tick * options.interval
        if time > state.time or time > options.duration:
            break
        if not has_room(log):
            return
        state.next_tick += 1
        if time <= state.last_row:
            continue
        tau = min(time - start, length)
        if body.walls.mover.shape[0] == 0:
            more = WorkDone(get_friction_work(state, tau), 0.0, 0.0, 0.0)
        else:
            more = integrate_work(body, options, state, tools, tau, False)
        done = WorkDone(state.friction_start + more.friction, state.pushed_start + more.obstacles,
                        state.turned_start + more.load, state.lost_start + more.lost)
        probe.time = time
        at = get_probed(probe)
        if time == state.time:
            copy_row(probe.pose, state.pose)
            copy_row(probe.velocity, state.velocity)
        elif state.at_rest == 1:
            evaluate_path(state.path, tau, probe.pose, probe.velocity)
        else:  # the path is off by the error of the step: a row is where the contacts are closed
            place_at(body, state, tau, probe.pose, probe.velocity)
        if state.at_rest == 1 or tau > 0.0:
            write_row(body, options, state, tools, log, at, done)
    state.phase = state.after_ticks
