"""The end of infinitely many impacts in finite time, and other short times that are passed over in one step.

Where contacts open and close again more often than can be told apart, the time of all that passes in one step at the
level of velocities: the load adds its impulse, then all contacts that are struck have one plastic impact, whose
impulses are the sums of all that they would have had. Friction gets its share, as in the limit.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from dynamics.motion.closed import (
    compute_gap_accelerations,
    copy_contact,
    fill_row,
    find_closed,
    is_closing,
    keep_contacts,
    pair_corners,
)
from dynamics.motion.mode import LETTER_L, LETTER_N, LETTER_R, MotionState, compute_place, get_load
from dynamics.motion.routh import NONE
from dynamics.motion.scales import Zeros, find_zero_speed, find_zeros
from dynamics.tolerances import INDEPENDENT
from geometry.compiled.jit import jit, kernel
from geometry.compiled.record import copy_row
from geometry.contact.next_contact import find_next_contact
from geometry.contact.path import fill_path
from sim.engine import events
from sim.engine.impacts import Strike, commit_strike, fill_before, find_strike, make_collision
from sim.engine.recorder import add_short_work
from sim.engine.state import get_present
from sim.rows.status_codes import GO_ON
from sim.tolerances import (
    BOUNCE_HEIGHT,
    BOUNCE_REACH,
    BRIDGE_TIME,
    GAP_CLOSED,
    GAP_STAYS,
    INDEPENDENT_GAPS,
    LONGEST_REST,
)

# A bridge over events that pile up at one instant: how it grows from try to try, from BRIDGE_TIME, and how many there
# are. A longer one would be seen in the motion.
BRIDGE_GROWTH, BRIDGE_TRIES = 4.0, 10
# A bridge that is needed as soon as this, in lengths of the last one, grows from that.
BRIDGE_SOON = 100.0

# What became of bounces that might have been summed.
NO_BOUNCE, REFUSED, PASSED = 0, 1, 2


class PassOver(NamedTuple):
    """A short time that passes in one step."""

    struck: np.record  # CLOSED: the contacts that close
    closed: np.record  # CLOSED: gets those of the state after it
    rest: float  # s, its length
    event: int  # its kind


@kernel
def sum_bounces(body, options, state, tools, log, closed, index, impacts):
    """End an infinite sequence of ever smaller bounces; returns NO_BOUNCE, or what `pass_over` does. closed:
    gets the contacts after it; index: of the chosen member of the set; impacts: was there an impact?

    Some contacts open with velocity v and gap'' = -a (that of the member). If every such bounce is
    lower than BOUNCE_HEIGHT times the touch distance, the remaining flights form a geometric series (ratio e, or that
    of the last two flights), and their total time passes in one step. Contacts that are as near take part: a part that
    bounces on two corners by turns ends on both. Where the part would meet something else on the way, it bounces on.
    """
    struck, here, touch = tools.desk.struck, get_present(state), options.scales.touch
    longest = LONGEST_REST * sqrt(touch / options.scales.force)
    if not impacts and body.walls.mover.shape[0] == 0 and state.time - state.last_impact > longest:
        return NO_BOUNCE  # what is in flight since then is back later than bounces that are summed
    speed_zero = find_zero_speed(body, options.scales, here)
    if find_closed(body, state.mode, here, Zeros(BOUNCE_REACH * touch, speed_zero), struck, tools.scratch) < 0:
        return NO_BOUNCE
    interval = 0.0
    if impacts:
        interval, state.last_impact = state.time - state.last_impact, state.time
    a = tools.buffer.found.vertices[index]
    flight, restitution = _measure_flight(body, struck, a, Zeros(BOUNCE_HEIGHT * touch, speed_zero), interval)
    ratio = restitution
    if impacts:
        previous, state.last_flight = state.last_flight, abs(flight)
        ratio = max(restitution, flight / previous if previous > 0.0 else 0.0)
    if flight <= 0.0:
        return NO_BOUNCE
    rest = flight / (1.0 - ratio) if ratio < 1.0 else flight
    if rest > longest:
        return NO_BOUNCE
    return pass_over(body, options, state, tools, log, PassOver(struck, closed, rest, events.ACCUMULATION))


@kernel
def _measure_flight(body, struck, a, zeros, interval):
    """(time of the longest flight, largest restitution) of the contacts that open; zeros: heights and speeds of bounces
    that are none; interval: time since the last impact.

    A contact that bounces higher than the limit is dropped from `struck`: the others may come to an end before it is
    back. The time is negative if a contact closes faster than from the limit. A contact that falls back only when
    others have stopped to slip is expected back after as long as the last time.
    """
    height, speed_zero = zeros
    speeds = struck.gap
    for k in range(struck.n):
        speeds[k] = struck.rate[k]
    compute_gap_accelerations(struck, a)
    flight, low, restitution, fastest, kept = 0.0, True, 0.0, 0.0, 0
    for k in range(struck.n):
        if speeds[k] > speed_zero:
            fall = struck.rate[k]
            if fall >= 0.0 and interval > 0.0:
                fall = -2.0 * speeds[k] / interval
            if fall >= 0.0 or speeds[k] * speeds[k] > -2.0 * fall * height:
                continue
            flight = max(flight, -2.0 * speeds[k] / fall)
            fastest = max(fastest, -8.0 * fall * height)
            restitution = max(restitution, body.walls.edge[struck.triple[k, 2]].e)
        copy_contact(struck, k, kept)
        speeds[kept] = speeds[k]
        kept += 1
    struck.n = kept
    for k in range(struck.n):
        low = low and (speeds[k] >= -speed_zero or speeds[k] * speeds[k] <= fastest)
    return (flight if low else -flight), restitution


@kernel
def bridge(body, options, state, tools, log):
    """Pass over a short time at which events pile up, the shortest that works; False where none does."""
    touch, time, struck = options.scales.touch, state.time, tools.desk.struck
    length = BRIDGE_TIME * sqrt(body.part.radius / options.scales.force)
    if state.bridges > 0 and time - state.last_bridge <= BRIDGE_SOON * max(length, state.bridge_length):
        length = max(length, BRIDGE_GROWTH * state.bridge_length)  # the last one was too short
    for _ in range(BRIDGE_TRIES):
        here = get_present(state)
        zeros = Zeros(BOUNCE_REACH * touch, find_zero_speed(body, options.scales, here))
        if find_closed(body, state.mode, here, zeros, struck, tools.scratch) < 0:
            return False
        impact = state.impact
        rest = min(length, options.duration - time)
        step = PassOver(struck, tools.desk.closed, rest, events.BRIDGE)
        if pass_over(body, options, state, tools, log, step) == PASSED:
            state.bridges += 1
            state.last_bridge, state.bridge_length = state.time, rest
            state.bridged += rest
            state.bridge_work += state.impact - impact
            return True
        length *= BRIDGE_GROWTH
    return False


@kernel
def pass_over(body, options, state, tools, log, step):
    """Let a short time pass in one step; step: PassOver.

    Returns PASSED, or REFUSED, with the state as it was but not the set of accelerations: where the run would end
    before, where the impact has no solution, where the gaps cannot be closed, or where the part would meet something
    else on the way.
    """
    struck, closed, rest, event = step.struck, step.closed, step.rest, step.event
    desk, v, rho = tools.desk, state.velocity, body.rho
    begin, way = state.time, tools.desk.way
    early = begin + rest < options.duration or event == events.BRIDGE
    if not early or begin + rest <= begin or (struck.n == 0 and event != events.BRIDGE):
        return REFUSED
    for c in range(3):
        desk.saved_pose[c], desk.saved_velocity[c] = state.pose[c], v[c]
    before = _get_energy(v, rho)
    _find_way(body, struck, desk, way)
    w = get_load(body, get_present(state))
    v[0], v[1], v[2] = v[0] + w[0] * rest, v[1] + w[1] * rest, v[2] + w[2] / rho * rest
    state.time = begin + rest
    for c in range(3):
        state.pose[c] += way[c] * rest
    here, collision = get_present(state), make_collision(struck, event, 0.0, tools.desk)
    speed_zero = find_zero_speed(body, options.scales, here)
    for k in range(struck.n):  # where they will be, about
        fill_row(body, struck, k, here, speed_zero)
    pair_corners(struck)
    code, found, clear = GO_ON, Strike(1, 1, 1.0, NONE), False
    if event != events.BRIDGE or is_closing(struck, speed_zero):
        code, found = find_strike(body, options, state, tools, collision)
    else:
        _strike_nothing(body, state, collision)
    if code == GO_ON:
        after = collision.after
        v[0], v[1], v[2] = after[0], after[1], after[2] / rho
        for c in range(3):
            state.pose[c] += 0.5 * (v[c] - way[c]) * rest
        if event == events.BRIDGE:
            _drop_opening(struck, after, speed_zero)
        clear = _close_gaps(body, options, struck, desk, here.time, here.pose)
        clear = clear and _is_clear(body, options, state, tools, struck, rest)
    if code != GO_ON or not clear:
        state.time = begin
        for c in range(3):
            state.pose[c], v[c] = desk.saved_pose[c], desk.saved_velocity[c]
        return REFUSED
    _commit(body, options, state, tools, log, closed, collision, found, before)
    return PASSED


@kernel
def _commit(body, options, state, tools, log, closed, collision, found, kinetic):
    """Log the step, remove what opens after it, and keep the account; closed: gets the contacts after it; found:
    Strike; kinetic: the energy per mass before the step."""
    struck, here = collision.struck, get_present(state)
    v, rho, before = here.velocity, body.rho, state.impact + state.pushed
    if struck.n > 0:
        copy_row(state.cause, struck.triple[0])
    commit_strike(body, state, log, collision, found)
    zeros = find_zeros(body, options.scales, here)
    for k in range(struck.n):  # the contacts have moved on
        fill_row(body, struck, k, here, zeros.speed)
    # A rocking part, unlike a bouncing one, does not stop in a plastic impact: it stops because the impacts follow each
    # other without end. So nothing opens any more, and what rolls does not slip.
    speed, shift = tools.desk.speed, tools.desk.shift
    speed[0], speed[1], speed[2] = v[0], v[1], v[2] * rho
    _find_shift(struck, struck.rate, tools.desk, INDEPENDENT, True)
    v[0], v[1], v[2] = v[0] + shift[0], v[1] + shift[1], v[2] + shift[2] / rho
    # The contacts now move as the surfaces do, so this is the work of the obstacles by the impulses behind the shift.
    _share_work(body, state, struck, shift[0] * v[0] + shift[1] * v[1] + shift[2] * v[2] * rho)
    # The load worked along the way the part has moved, not along the flights that were summed.
    work = add_short_work(body, state, tools.desk.saved_pose, here)
    state.impact = before - state.pushed + _get_energy(v, rho) - kinetic - work
    find_closed(body, state.mode, here, zeros, closed, tools.scratch)
    keep_contacts(closed, find_zero_speed(body, options.scales, here))


@kernel
def _find_way(body, struck, desk, way):
    """The velocity that was saved, without what opens and closes the contacts struck (vx, vy, omega): the mean of this
    and of the velocity after is that of the part."""
    v = desk.saved_velocity
    x, y, q = v[0], v[1], v[2] * body.rho
    for k in range(struck.n):
        n = struck.normal[k]
        struck.gap[k] = n[0] * x + n[1] * y + n[2] * q - struck.push[k]
    _find_shift(struck, struck.gap, desk, INDEPENDENT, False)
    way[0], way[1], way[2] = x + desk.shift[0], y + desk.shift[1], (q + desk.shift[2]) / body.rho


@kernel
def _strike_nothing(body, state, collision):
    """Write the result of an impact in which nothing closes."""
    struck = collision.struck
    fill_before(body, state, collision.before)
    copy_row(collision.after, collision.before)
    for k in range(struck.n):
        struck.fn[k], struck.ft[k] = 0.0, 0.0
        struck.letter[k] = LETTER_N if struck.slip[k] == 0 else (LETTER_R if struck.slip[k] > 0 else LETTER_L)


@kernel
def _drop_opening(struck, after, speed_zero):
    """Keep the contacts that do not open with a velocity (3,) in (x, y, rho theta); a corner on a corner opens where
    either of its sides does."""
    opens, kept = struck.mark, 0
    for k in range(struck.n):
        opens[k] = 0
    for k in range(struck.n):
        n = struck.normal[k]
        if n[0] * after[0] + n[1] * after[1] + n[2] * after[2] - struck.push[k] > speed_zero:
            opens[k] = 1
            if struck.partner[k] >= 0:
                opens[struck.partner[k]] = 1
    for k in range(struck.n):
        if opens[k] == 1:
            continue
        fn, ft, letter = struck.fn[k], struck.ft[k], struck.letter[k]
        copy_contact(struck, k, kept)
        struck.fn[kept], struck.ft[kept], struck.letter[kept] = fn, ft, letter
        kept += 1
    struck.n = kept
    pair_corners(struck)


@kernel
def _share_work(body, state, struck, work):
    """Add work per mass of obstacles that move to the account, in equal shares of the contacts with them."""
    walls, count = body.walls, 0
    for k in range(struck.n):
        count += 1 if walls.edge[struck.triple[k, 2]].mover >= 0 else 0
    if count == 0:
        return
    state.pushed += work
    for k in range(struck.n):
        m = walls.edge[struck.triple[k, 2]].mover
        if m >= 0:
            walls.mover[m].work += work / count


@kernel
def _is_clear(body, options, state, tools, struck, rest):
    """Does the part meet nothing but the struck contacts on its way from the pose that was saved?"""
    start, way, nothing = tools.desk.saved_pose, tools.desk.way, tools.desk.acceleration
    for c in range(3):
        way[c], nothing[c] = (state.pose[c] - start[c]) / rest, 0.0
    fill_path(state.path, start, way, nothing)
    active, begin, touch = struck.triple[: struck.n], state.time - rest, options.scales.touch
    time = find_next_contact(body.part, body.walls, state.path, begin, rest, active, touch, tools.scratch)
    return time == np.inf


@jit
def _get_energy(v, rho):
    """Kinetic energy per mass."""
    return 0.5 * (v[0] * v[0] + v[1] * v[1] + rho * rho * v[2] * v[2])


@kernel
def _find_shift(struck, gaps, desk, independent, rolling):
    """Shortest `desk.shift` d with N.d = -gap for every struck contact and, where `rolling`, T.(speed + d) = 0.

    independent: sine below which a row counts as dependent on earlier ones and is left out.
    """
    basis, row, shift, speed, rank = desk.basis, desk.row, desk.shift, desk.speed, 0
    shift[:] = 0.0
    for k in range(struck.n):
        for which in range(2 if rolling and struck.letter[k] == LETTER_N else 1):
            value = gaps[k] if which == 0 else -struck.drag[k]
            for c in range(3):
                row[c] = struck.normal[k, c] if which == 0 else struck.tangent[k, c]
                value += row[c] * (shift[c] if which == 0 else shift[c] + speed[c])
            length = sqrt(row[0] * row[0] + row[1] * row[1] + row[2] * row[2])
            for m in range(2 * rank):  # twice is enough for orthogonality to rounding
                unit = basis[m % rank]
                dot = row[0] * unit[0] + row[1] * unit[1] + row[2] * unit[2]
                for c in range(3):
                    row[c] -= dot * unit[c]
            size = sqrt(row[0] * row[0] + row[1] * row[1] + row[2] * row[2])
            if rank < 3 and size > independent * length:
                for c in range(3):
                    basis[rank, c] = row[c] / size
                    shift[c] -= value / size * basis[rank, c]
                rank += 1


@kernel
def _close_gaps(body, options, struck, desk, time, pose):
    """Move the pose to gap 0 at the struck contacts at a time, by the shortest way; False if some gap stays open."""
    gaps, shift, widest = struck.gap, desk.shift, 0.0
    desk.speed[0], desk.speed[1], desk.speed[2] = 0.0, 0.0, 0.0
    still = MotionState(time, pose, desk.speed)
    for _ in range(4):
        widest = 0.0
        for k in range(struck.n):
            fill_row(body, struck, k, still, 0.0)
            gaps[k] = compute_place(body, struck.triple[k], time, pose).gap
            widest = max(widest, abs(gaps[k]))
        if widest <= GAP_CLOSED * options.scales.touch:
            return True
        _find_shift(struck, gaps, desk, INDEPENDENT_GAPS, False)
        pose[0], pose[1], pose[2] = pose[0] + shift[0], pose[1] + shift[1], pose[2] + shift[2] / body.rho
    return widest <= GAP_STAYS * options.scales.touch
