"""Impacts at an event, and impulses without collision."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.motion.choose import BRANCH, CONTINUE, STOP
from dynamics.motion.closed import make_problem
from dynamics.motion.impact import Choice, compute_impact_work, solve_impact, solve_jam, take_member
from dynamics.motion.jam import find_jam
from dynamics.motion.mode import LETTER_L, LETTER_N, LETTER_R
from dynamics.motion.routh import NONE, ImpactRows, Limits, PairLaw, solve_routh
from dynamics.motion.scales import find_zero_speed
from dynamics.search.reactions import solve_forces
from geometry.compiled.jit import jit, kernel
from geometry.compiled.record import copy_row
from geometry.contact.contacts import is_same_contact
from geometry.contact.moving import is_moving
from sim.engine import events
from sim.engine.recorder import EventHeader, write_event, write_impulses
from sim.engine.state import NOTHING, VELOCITY, get_present
from sim.rows.status_codes import GO_ON, JAMMED, NO_IMPACT_SOLUTION, NO_SOLUTION, NOT_UNIQUE_STOP, SPLIT


@kernel
def is_jammed(body, options, tools, closed, w):
    """Do the obstacles that move leave the part no velocity (of an impact) or acceleration? The contacts that prove it
    are then left in `closed`; `w` as in the contact problem."""
    return is_moving(body.walls) and find_jam(closed, w, options.tolerances, tools.buffer, tools.desk.spare) > 0


@kernel
def _is_wedged(body, struck):
    """Where an impact of obstacles that move has no solution though there is room: friction lets the part take no way
    that is left, as a wedge driven between two of them. All its contacts are left with forces without bound."""
    if not is_moving(body.walls):
        return False
    for k in range(struck.n):
        struck.fn[k], struck.ft[k], struck.letter[k] = np.inf, 0.0, LETTER_N
    return True


class Strike(NamedTuple):
    """What an impact was chosen from, and how."""

    kind: int  # of the set of velocities
    members: int
    scale: float  # factor of the restitutions
    impact_class: int  # of a single contact


class Collision(NamedTuple):
    """Which contacts meet, and how."""

    struck: np.record  # CLOSED; gets the impulses per mass
    event: int  # its kind
    factor: float  # of the restitutions
    before: np.ndarray  # (3,) gets the velocity before, in (x, y, rho theta)
    after: np.ndarray  # (3,) gets the velocity after
    old: np.ndarray  # (3,) gets the velocity before, as (vx, vy, omega)


@jit(private=True, merged=True)
def make_collision(struck, event, factor, desk):
    """A Collision whose velocities are those of the DESK."""
    return Collision(struck, event, factor, desk.before, desk.after, desk.old)


@jit
def fill_before(body, state, before):
    """Write the present velocity in (x, y, rho theta)."""
    v = state.velocity
    before[0], before[1], before[2] = v[0], v[1], v[2] * body.rho


@kernel
def strike(body, options, state, tools, log, collision):
    """Change the velocity by an impact."""
    code, found = find_strike(body, options, state, tools, collision)
    if code == GO_ON:
        commit_strike(body, state, log, collision, found)
    return code


@kernel
def find_strike(body, options, state, tools, collision):
    """Write the velocities of an impact and the impulses into the Collision; returns (code, Strike).

    A single contact follows the law of its pair; several at once have the set of `motion.impact`. With the kind JAM
    it is an impulse without collision.
    """
    struck, event, factor = collision.struck, collision.event, collision.factor
    before, after = collision.before, collision.after
    fill_before(body, state, before)
    k, e = struck.n, struck.e
    for i in range(k):
        e[i] = factor * body.walls.edge[struck.triple[i, 2]].e
    if k == 1:
        law = PairLaw(body.walls.edge[struck.triple[0, 2]].law, e[0])
        limits = Limits(find_zero_speed(body, options.scales, get_present(state)), event == events.JAM)
        scale, impact_class = strike_one(struck, before, law, limits, after)
        found = Strike(1, 1, scale, impact_class)
        if impact_class == NONE:
            return (NO_SOLUTION if event == events.JAM else NO_IMPACT_SOLUTION), found
        return GO_ON, found
    rule = CONTINUE if options.rule == STOP or options.rule == BRANCH else options.rule
    choice, scale = Choice(rule, state.random, options.tolerances, tools.buffer), 1.0
    if event == events.JAM:
        kind, members = solve_jam(struck, before, choice, after)
    else:
        kind, members, scale = solve_impact(struck, before, e, choice, after)
    found = Strike(kind, members, scale, NONE)
    if members == 0:
        if is_jammed(body, options, tools, struck, before) or _is_wedged(body, struck):
            return JAMMED, found
        return (NO_SOLUTION if event == events.JAM else NO_IMPACT_SOLUTION), found
    if options.rule == STOP and kind > 1:
        state.set_kind, state.members = kind, members
        return NOT_UNIQUE_STOP, found
    if state.forced == VELOCITY:
        state.forced = NOTHING
        copy_row(after, state.forced_value)
        take_member(struck, before, options.tolerances, after)
    elif options.rule == BRANCH and kind > 1 and event != events.ACCUMULATION:
        state.set_kind, state.members, state.fork = kind, members, VELOCITY
        return SPLIT, found
    solve_forces(make_problem(struck, before), after, options.tolerances, struck.fn, struck.ft)
    return GO_ON, found


@kernel
def commit_strike(body, state, log, collision, found):
    """Take the velocity that `find_strike` found, a Strike, keep the account and log the event."""
    struck, event = collision.struck, collision.event
    before, after, old = collision.before, collision.after, collision.old
    v, walls = state.velocity, body.walls
    old[0], old[1], old[2] = before[0], before[1], before[2] / body.rho
    v[0], v[1], v[2] = after[0], after[1], after[2] / body.rho
    work = compute_impact_work(struck)
    cause, involved = state.cause, False
    for i in range(struck.n):
        m = walls.edge[struck.triple[i, 2]].mover
        if m >= 0:
            walls.mover[m].work += struck.fn[i] * struck.push[i] + struck.ft[i] * struck.drag[i]
        involved = involved or is_same_contact(struck.triple[i], cause)
    if not involved:
        copy_row(cause, struck.triple[0])
    state.pushed += work
    state.impact += 0.5 * (
        (after[0] - before[0]) * (after[0] + before[0])
        + (after[1] - before[1]) * (after[1] + before[1])
        + (after[2] - before[2]) * (after[2] + before[2])
    ) - work
    header = EventHeader(state.time, event, found.kind, found.members, found.scale, found.impact_class)
    write_event(body, state, log, header, old, v)
    write_impulses(body, state, log, struck)


@kernel
def strike_one(struck, before, law, limits, after):
    """Impact of a single contact: writes `after`, the impulses and the letter; (factor of the restitution, class)."""
    n, t = struck.normal[0], struck.tangent[0]
    nn = n[0] * n[0] + n[1] * n[1] + n[2] * n[2]
    nt = n[0] * t[0] + n[1] * t[1] + n[2] * t[2]
    tt = t[0] * t[0] + t[1] * t[1] + t[2] * t[2]
    vn = min(struck.rate[0], 0.0)
    vt = t[0] * before[0] + t[1] * before[1] + t[2] * before[2] - struck.drag[0]
    pn, pt, kind, factor = solve_routh(ImpactRows(nn, nt, tt, struck.mu[0]), (vn, vt), law, limits)
    for c in range(3):
        after[c] = before[c] + pn * n[c] + pt * t[c]
    struck.fn[0], struck.ft[0] = pn, pt
    vt += pn * nt + pt * tt
    slips = abs(vt) > limits.slip_zero
    struck.letter[0] = (LETTER_R if vt > 0.0 else LETTER_L) if slips else LETTER_N
    return factor, kind
