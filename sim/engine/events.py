"""Kinds of events, the conditions that end a mode, and their location in time.

A mode lasts while every *monitor* is nonnegative: normal forces, the room left in the friction cones of rolling
contacts, the slip of sliding contacts in their direction, the distance to the ends of the edges, the gap of redundant
contacts, the angle between the rows of two sliding contacts. Each monitor is divided by what counts as rounding for it,
so that -1 is the threshold for all; the event itself is located where the monitor is zero.
"""

from __future__ import annotations

import numpy as np

from dynamics.motion.carried import measure_margin
from dynamics.motion.constrained import compute_sine, evaluate_mode
from dynamics.motion.mode import (
    CARRIED,
    LETTER_N,
    LETTER_R,
    ROLLING,
    SLIDING_TWICE,
    STATIC,
    compute_frame,
    get_mu,
    set_time,
)
from dynamics.motion.scales import find_least_speed
from dynamics.tolerances import DEPENDENT, FORCE_ROUNDING
from geometry.compiled.jit import jit, kernel
from geometry.compiled.record import define_record
from geometry.contact.contacts import compute_contact, compute_edge_length
from geometry.contact.path import evaluate_path
from geometry.tolerances import SUNK
from sim.rows.records import EVENT_KINDS
from sim.tolerances import CREEP_SPEED, END_REACH, END_ROUNDING, EVENT_BRACKET, LOST_GAP, SINK_SLOPE

(START, CONTACT, IMPACT, SEPARATION, SLIP, STICK, EDGE_END, MODE_LOST, UNIQUENESS, ACCUMULATION, REST, JAM,
 BREAK, BRIDGE) = range(len(EVENT_KINDS))  # fmt: skip

NO_MONITOR = -1

# The monitor of the angle between two rows: where it ends a mode, the event is MODE_LOST.
MERGE = -2
# The monitor of the force on a part that is carried. Where it ends a mode, the event is SEPARATION or SLIP as
# `dynamics.motion.carried.measure_margin` tells, kept as MARGIN - FORCE_LOST or MARGIN - GRIP_LOST.
MARGIN = -3

# Monitors of an idle contact, which touches and holds nothing. PRESS: its gap would close (gap'' < 0), SINK: it has
# closed; both are the event CONTACT. CREEP: one that rolled begins to slip; the event is MODE_LOST.
PRESS, SINK, CREEP = 20, 21, 22

# Strides in which the time after an event is searched: the first, relative to the rest of the step, and their growth.
FIRST_STRIDE, STRIDE_GROWTH = 2.0**-40, 4.0

# Places of a step where the monitors are looked at. The error control keeps steps short against the time in which a
# monitor can turn twice: the local error is 1e-11 where the monitors change by 1e-2.
SAMPLES = 3

NOT_KNOWN = -np.inf


# A point on the path: pose, velocity, acceleration (ax, ay, alpha) and force of the basis there.
PROBE = define_record(
    ("pose", "f8", (3,)), ("velocity", "f8", (3,)), ("acceleration", "f8", (3,)), ("force", "f8", (4,))
)


@kernel
def compute_monitor(body, mode, scales, monitor, probe):
    """One monitor (kind, contact) at a point of the path."""
    kind, k = monitor
    pose, velocity, force, triple = probe.pose, probe.velocity, probe.force, mode.triple[k]
    if kind <= MARGIN:
        margin, _, _ = measure_margin(body, mode, pose, velocity, probe.acceleration)
        return margin / (FORCE_ROUNDING * scales.force)
    if kind == MERGE:
        return (compute_sine(body, mode, pose) / DEPENDENT - 1.0) / FORCE_ROUNDING
    if kind == SEPARATION or kind == SLIP:
        offset = 2 if k == mode.second and mode.kind == SLIDING_TWICE else 0
        fn = force[offset]
        if kind == SLIP:
            fn = get_mu(body, triple) * fn - abs(force[offset + 1])
        return fn / (FORCE_ROUNDING * scales.force)
    nx, ny, nq, _, b, _, slip, _, _ = compute_frame(body, triple, pose, velocity)
    if kind == PRESS:
        a = probe.acceleration
        return (nx * a[0] + ny * a[1] + nq * a[2] * body.rho + b) / (FORCE_ROUNDING * scales.force)
    if kind == STICK:
        return (slip if mode.letter[k] == LETTER_R else -slip) / find_least_speed(body, scales)
    if kind == CREEP:
        return CREEP_SPEED - abs(slip) / find_least_speed(body, scales)
    gap, along, _, _, _, _ = compute_contact(body.part, body.walls, triple, pose)
    if kind == SINK:
        return SINK_SLOPE * (gap / scales.touch + SUNK)
    if kind == EDGE_END:
        length = compute_edge_length(body.part, body.walls, triple)
        return (min(along, length - along) + END_REACH * scales.touch) / (END_ROUNDING * scales.touch)
    return (LOST_GAP * scales.touch - abs(gap)) / scales.touch


@kernel
def find_least_monitor(body, mode, scales, probe, muted):
    """(value, kind, contact) of the smallest monitor at a point of the path; (inf, NO_MONITOR, -1) where there is none.
    With `muted` forces are skipped."""
    basis = mode.kind
    least = (np.inf, NO_MONITOR, -1)
    if basis == STATIC:
        return least
    carried = basis == CARRIED
    if carried and not muted:
        least = (compute_monitor(body, mode, scales, (MARGIN, 0), probe), MARGIN, 0)
    if basis == SLIDING_TWICE:
        least = (compute_monitor(body, mode, scales, (MERGE, mode.second), probe), MERGE, mode.second)
    for k in range(mode.n):
        second = basis == SLIDING_TWICE and k == mode.second
        idle = mode.idle[k] == 1
        in_basis = (second or k == mode.first) and not carried and not idle
        if in_basis and not muted:
            least = _take_least(body, mode, scales, (SEPARATION, k), probe, least)
            if basis == ROLLING:
                least = _take_least(body, mode, scales, (SLIP, k), probe, least)
        rolls, runs = mode.letter[k] == LETTER_N, body.walls.edge[mode.triple[k, 2]].mover >= 0
        if rolls and in_basis and not runs:
            continue
        if not rolls:
            least = _take_least(body, mode, scales, (STICK, k), probe, least)
        if idle:
            least = _take_least(body, mode, scales, (PRESS, k), probe, least)
            least = _take_least(body, mode, scales, (SINK, k), probe, least)
            if rolls:
                least = _take_least(body, mode, scales, (CREEP, k), probe, least)
        if not rolls or runs or idle:  # a surface that runs takes a rolling contact along
            least = _take_least(body, mode, scales, (EDGE_END, k), probe, least)
        if not in_basis:
            least = _take_least(body, mode, scales, (MODE_LOST, k), probe, least)
    return least


@jit
def _take_least(body, mode, scales, monitor, probe, least):
    """The smaller one of the least monitor so far and another."""
    value = compute_monitor(body, mode, scales, monitor, probe)
    return (value, monitor[0], monitor[1]) if value < least[0] else least


@kernel
def _probe(body, mode, path, tau, probe):
    evaluate_path(path, tau, probe.pose, probe.velocity)
    if body.walls.mover.shape[0] > 0:
        set_time(body, body.walls.mover[0].start + tau)
    evaluate_mode(body, mode, probe.pose, probe.velocity, probe.acceleration, probe.force)


@kernel
def find_least_at(body, mode, scales, path, tau, probe_muted):
    """`find_least_monitor` at time tau of a path; `probe_muted` is (probe, muted)."""
    probe, muted = probe_muted
    _probe(body, mode, path, tau, probe)
    return find_least_monitor(body, mode, scales, probe, muted)


@kernel
def locate_end_of_mode(body, mode, scales, path, span, probe_muted):
    """First time in [0, duration] at which a monitor crosses zero on its way below -1; span = (duration, start).

    Returns (time, kind, contact, least monitor at the end), or (inf, NO_MONITOR, -1, ...). Looks at SAMPLES places;
    `start` is the least monitor at time 0, which the last step knows, or NOT_KNOWN.
    """
    duration, start = span
    low, value, value_low = 0.0, start, start
    if start == NOT_KNOWN:
        value_low, _, _ = find_least_at(body, mode, scales, path, 0.0, probe_muted)
    for part in range(1, SAMPLES + 1):
        high = duration * part / SAMPLES
        value, kind, contact = find_least_at(body, mode, scales, path, high, probe_muted)
        if value < -1.0:
            for _ in range(16):
                time = _locate_zero(body, mode, scales, path, (kind, contact, low, high, 0.0), probe_muted[0])
                value, other, other_contact = find_least_at(body, mode, scales, path, time, probe_muted)
                if value >= -1.0 or (other == kind and other_contact == contact) or time <= low:
                    break
                kind, contact, high = other, other_contact, time
            return time, kind, contact, value
        if value > 0.0 or value_low <= 0.0:
            low, value_low = high, value
    return np.inf, NO_MONITOR, -1, value


@kernel
def _measure(body, mode, scales, path, where, probe):
    """A monitor at a time of the path; where = (kind, contact, time)."""
    kind, contact, tau = where
    _probe(body, mode, path, tau, probe)
    return compute_monitor(body, mode, scales, (kind, contact), probe)


@kernel
def locate_level(body, mode, scales, path, search, probe):
    """Time after `low` at which the monitor first falls to `level`, or where it is least if it does not until `high`;
    search = (kind, contact, low, high, level). Used to look ahead of an event until the old mode is clearly violated.

    Looks outwards from the event in growing strides: a force that passes through a pole comes back soon after.
    """
    kind, contact, low, high, level = search
    before, best, least, stride = low, high, np.inf, (high - low) * FIRST_STRIDE
    while before < high:
        time = min(low + stride, high)
        stride *= STRIDE_GROWTH
        if time <= before:
            continue
        value = _measure(body, mode, scales, path, (kind, contact, time), probe)
        if value <= level:
            return _locate_zero(body, mode, scales, path, (kind, contact, before, time, level), probe)
        if value < least:
            best, least = time, value
        before = time
    return best


@kernel
def _locate_zero(body, mode, scales, path, search, probe):
    """Root of monitor - level between low and high (Illinois variant of the secant method, with bisection)."""
    kind, contact, low, high, level = search
    f_low = _measure(body, mode, scales, path, (kind, contact, low), probe) - level
    if kind == STICK and level == 0.0 and -1.0 < f_low <= 0.0:
        level, f_low = -1.0, f_low + 1.0  # a slip that begins with zero, give or take its rounding
    if f_low <= 0.0:
        return low
    f_high = _measure(body, mode, scales, path, (kind, contact, high), probe) - level
    side = 0
    for k in range(200):
        width = high - low
        middle = low + width * f_low / (f_low - f_high)
        if k % 4 == 3 or not low < middle < high:
            middle = low + 0.5 * width
        if width <= EVENT_BRACKET * high or middle == low or middle == high:
            return high
        f = _measure(body, mode, scales, path, (kind, contact, middle), probe) - level
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
