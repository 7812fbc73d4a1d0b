"""Kinds of events, the conditions that end a mode, and their location in time.

A mode lasts while every *monitor* is nonnegative: normal forces, the room left in the friction cones of rolling
contacts, the slip of sliding contacts in their direction, the distance to the ends of the edges, the gap of redundant
contacts, the angle between the rows of two sliding contacts. Each monitor is divided by what counts as rounding for it,
so that -1 is the threshold for all; the event itself is located where the monitor is zero.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.loads.load import get_switch_scale, measure_switch
from dynamics.motion.carried import measure_margin
from dynamics.motion.constrained import compute_sine, evaluate_mode
from dynamics.motion.mode import (
    CARRIED,
    LETTER_N,
    LETTER_R,
    ROLLING,
    SLIDING_TWICE,
    STATIC,
    Body,
    MotionState,
    compute_frame,
    get_load,
    get_mu,
)
from dynamics.motion.scales import Scales, find_least_speed
from dynamics.tolerances import DEPENDENT, FORCE_ROUNDING
from geometry.compiled.jit import jit, kernel
from geometry.compiled.record import define_record
from geometry.contact.contacts import compute_contact
from geometry.contact.joints import compute_passage, has_passage
from geometry.contact.path import evaluate_path
from geometry.tolerances import SUNK
from sim.rows.records import EVENT_KINDS
from sim.tolerances import CREEP_SPEED, END_REACH, END_ROUNDING, EVENT_BRACKET, LOST_GAP, ROUND_ENDS, SINK_SLOPE

(START, CONTACT, IMPACT, SEPARATION, SLIP, STICK, EDGE_END, MODE_LOST, UNIQUENESS, ACCUMULATION, REST, JAM,
 BREAK, BRIDGE, RELEASE, SLACK, TAUT, SAMPLE, GOAL, LEFT) = range(len(EVENT_KINDS))  # fmt: skip

NO_MONITOR = -1

# The monitor of the angle between two rows: where it ends a mode, the event is MODE_LOST.
MERGE = -2
# The monitor of the force on a part that is carried. Where it ends a mode, the event is SEPARATION or SLIP as
# `dynamics.motion.carried.measure_margin` tells, kept as MARGIN - FORCE_LOST or MARGIN - GRIP_LOST.
MARGIN = -3

# Monitors of an idle contact, which touches and holds nothing. PRESS: its gap would close (gap'' < 0), SINK: it has
# closed; both are the event CONTACT. CREEP: one that rolled begins to slip; the event is MODE_LOST.
PRESS, SINK, CREEP = 30, 31, 32
# Monitors of a load (in place of a contact) that lets go, goes slack or comes taut, and of a spring whose anchor is
# passed, where its direction jumps; see `sim.engine.switches`.
SWITCH, PASS = 33, 34

# Strides in which the time after an event is searched: the first, relative to the rest of the step, and their growth.
FIRST_STRIDE, STRIDE_GROWTH = 2.0**-40, 4.0

# Places of a step where monitors are looked at that are not proved to stay above zero. A step is at most about a third
# of the radius of convergence of its series long, so a monitor does not turn twice between two of them.
SAMPLES = 8

# Between two such places of a spring's tension it is looked at in more, until none is left where it can be beyond zero,
# but not more closely than this part of their distance.
FINER = 2.0**-8


# A point on the path: time, pose, velocity, acceleration (ax, ay, alpha) and force of the basis there.
PROBE = define_record(
    ("time", "f8"), ("pose", "f8", (3,)), ("velocity", "f8", (3,)), ("acceleration", "f8", (3,)), ("force", "f8", (4,))
)


class Watch(NamedTuple):
    """A mode that is watched along a path."""

    body: Body
    mode: np.record  # MODE
    scales: Scales
    path: np.record  # PATH, see `geometry.contact.path`
    start: float  # s: time of the run at which the path begins
    probe: np.record  # PROBE: the point that was looked at last
    muted: bool  # are the monitors of forces left out?


class Monitor(NamedTuple):
    """What is watched, and of which contact of the mode."""

    kind: int
    contact: int


class LeastMonitor(NamedTuple):
    """The smallest monitor at a point of the path; (inf, NO_MONITOR, -1) where there is none."""

    value: float
    kind: int
    contact: int


class ModeEnd(NamedTuple):
    """Where a mode ends on its path, by which monitor; (inf, NO_MONITOR, -1) where it lasts."""

    time: float  # s after the start of the path
    kind: int
    contact: int


@jit
def place_probe(probe, path, start, tau):
    """Move the probe to time tau of a path that begins at `start`; returns its MotionState."""
    evaluate_path(path, tau, probe.pose, probe.velocity)
    probe.time = start + tau
    return get_probed(probe)


@jit
def get_probed(probe):
    """The MotionState of a probe."""
    return MotionState(probe.time, probe.pose, probe.velocity)


@kernel
def compute_monitor(watch, monitor):
    """One monitor at the point of the probe."""
    body, mode, scales, probe = watch.body, watch.mode, watch.scales, watch.probe
    kind, k = monitor
    at, force = get_probed(probe), probe.force
    if kind == SWITCH:
        get_load(body, at)
        load = body.loads[k]
        return measure_switch(load) / (FORCE_ROUNDING * get_switch_scale(load, body.mass * scales.force))
    if kind == PASS:
        get_load(body, at)
        return body.loads[k].ahead / scales.touch
    triple = mode.triple[k]
    if kind <= MARGIN:
        margin, _, _ = measure_margin(body, mode, at, probe.acceleration)
        return margin / (FORCE_ROUNDING * scales.force)
    if kind == MERGE:
        return (compute_sine(body, mode, at.time, at.pose) / DEPENDENT - 1.0) / FORCE_ROUNDING
    if kind == SEPARATION or kind == SLIP:
        offset = 2 if k == mode.second and mode.kind == SLIDING_TWICE else 0
        fn = force[offset]
        if kind == SLIP:
            fn = get_mu(body, triple) * fn - abs(force[offset + 1])
        return fn / (FORCE_ROUNDING * scales.force)
    nx, ny, nq, _, b, _, slip, _, _ = compute_frame(body, triple, at)
    if kind == PRESS:
        a = probe.acceleration
        return (nx * a[0] + ny * a[1] + nq * a[2] * body.rho + b) / (FORCE_ROUNDING * scales.force)
    if kind == STICK:
        return (slip if mode.letter[k] == LETTER_R else -slip) / find_least_speed(body, scales, at.time)
    if kind == CREEP:
        return CREEP_SPEED - abs(slip) / find_least_speed(body, scales, at.time)
    place = compute_contact(body.part, body.walls, triple, at.pose)  # at the time of the row
    gap = place.gap
    if kind == SINK:
        return SINK_SLOPE * (gap / scales.touch + SUNK)
    if kind == EDGE_END:
        room = compute_passage(body.part, body.walls, triple, at.pose, place, END_REACH * scales.touch)
        rounding = ROUND_ENDS * (abs(body.part.edge[triple[1]].radius) + abs(body.walls.edge[triple[2]].radius))
        return room / (END_ROUNDING * scales.touch + rounding)
    return (LOST_GAP * scales.touch - abs(gap)) / scales.touch


@kernel
def find_least_monitor(watch):
    """LeastMonitor at the point of the probe."""
    body, mode, muted = watch.body, watch.mode, watch.muted
    basis = mode.kind
    least = LeastMonitor(np.inf, NO_MONITOR, -1)
    if basis == STATIC:
        return least
    carried = basis == CARRIED
    if carried and not muted:
        least = LeastMonitor(compute_monitor(watch, Monitor(MARGIN, 0)), MARGIN, 0)
    if basis == SLIDING_TWICE:
        least = LeastMonitor(compute_monitor(watch, Monitor(MERGE, mode.second)), MERGE, mode.second)
    for k in range(mode.n):
        second = basis == SLIDING_TWICE and k == mode.second
        idle = mode.idle[k] == 1
        in_basis = (second or k == mode.first) and not carried and not idle
        if in_basis and not muted:
            least = _take_least(watch, Monitor(SEPARATION, k), least)
            if basis == ROLLING:
                least = _take_least(watch, Monitor(SLIP, k), least)
        rolls = mode.letter[k] == LETTER_N
        # a surface that runs takes a rolling contact along, and an arc rolls off
        runs = body.walls.edge[mode.triple[k, 2]].mover >= 0 or has_passage(body.part, body.walls, mode.triple[k])
        if rolls and in_basis and not runs:
            continue
        if not rolls:
            least = _take_least(watch, Monitor(STICK, k), least)
        if idle:
            least = _take_least(watch, Monitor(PRESS, k), least)
            least = _take_least(watch, Monitor(SINK, k), least)
            if rolls:
                least = _take_least(watch, Monitor(CREEP, k), least)
        if not rolls or runs or idle:
            least = _take_least(watch, Monitor(EDGE_END, k), least)
        if not in_basis:
            least = _take_least(watch, Monitor(MODE_LOST, k), least)
    return least


@jit
def _take_least(watch, monitor, least):
    """The smaller one of the least monitor so far and another."""
    value = compute_monitor(watch, monitor)
    return LeastMonitor(value, monitor.kind, monitor.contact) if value < least.value else least


@kernel
def _look(watch, tau):
    """Move the probe to time tau of the path, and fill its acceleration and force."""
    probe = watch.probe
    at = place_probe(probe, watch.path, watch.start, tau)
    evaluate_mode(watch.body, watch.mode, at, probe.acceleration, probe.force)


@kernel
def find_least_at(watch, tau):
    """`find_least_monitor` at time tau of the path."""
    _look(watch, tau)
    return find_least_monitor(watch)


@kernel
def locate_end_of_mode(watch, duration):
    """ModeEnd: the first time in [0, duration] at which a monitor crosses zero on its way below -1, by SAMPLES places.
    """
    low, value_low = 0.0, find_least_at(watch, 0.0).value
    for part in range(1, SAMPLES + 1):
        high = duration * part / SAMPLES
        value, kind, contact = find_least_at(watch, high)
        if value < -1.0:
            for _ in range(16):
                time = locate_zero(watch, Monitor(kind, contact), low, high, 0.0)
                value, other, other_contact = find_least_at(watch, time)
                if value >= -1.0 or (other == kind and other_contact == contact) or time <= low:
                    break
                kind, contact, high = other, other_contact, time
            return ModeEnd(time, kind, contact)
        if value > 0.0 or value_low <= 0.0:
            low, value_low = high, value
    return ModeEnd(np.inf, NO_MONITOR, -1)


@kernel
def measure_monitor(watch, monitor, tau):
    """A monitor at time tau of the path."""
    _look(watch, tau)
    return compute_monitor(watch, monitor)


@kernel
def locate_level(watch, monitor, low, high, level):
    """Time after `low` at which the monitor first falls to `level`, or where it is least if it does not until `high`.
    Used to look ahead of an event until the old mode is clearly violated.

    Looks outwards from the event in growing strides: a force that passes through a pole comes back soon after.
    """
    before, best, least, stride = low, high, np.inf, (high - low) * FIRST_STRIDE
    while before < high:
        time = min(low + stride, high)
        stride *= STRIDE_GROWTH
        if time <= before:
            continue
        value = measure_monitor(watch, monitor, time)
        if value <= level:
            return locate_zero(watch, monitor, before, time, level)
        if value < least:
            best, least = time, value
        before = time
    return best


@kernel
def locate_zero(watch, monitor, low, high, level):
    """Root of monitor - level between low and high (Illinois variant of the secant method, with bisection)."""
    f_low = measure_monitor(watch, monitor, low) - level
    if (monitor.kind == STICK or monitor.kind == EDGE_END) and level == 0.0 and -1.0 < f_low <= 0.0:
        level, f_low = -1.0, f_low + 1.0  # a slip, or a way from a joint, that begins with zero, but for its rounding
    if f_low <= 0.0:
        return low
    f_high = measure_monitor(watch, monitor, high) - level
    side = 0
    for k in range(200):
        width = high - low
        middle = low + width * f_low / (f_low - f_high)
        if k % 4 == 3 or not low < middle < high:
            middle = low + 0.5 * width
        if width <= EVENT_BRACKET * high or middle == low or middle == high:
            return high
        f = measure_monitor(watch, monitor, middle) - level
        if f > 0.0:
            low, f_low = middle, f
            f_high = 0.5 * f_high if side == 1 else f_high
            side = 1
        else:
            high, f_high = middle, f
            f_low = 0.5 * f_low if side == -1 else f_low
            side = -1
        if f == 0.0:
            return middle
    return high
