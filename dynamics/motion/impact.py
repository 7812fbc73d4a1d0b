"""Velocities after an impact: the contact problem at the level of impulses.

The same core as for accelerations, with other meanings: w is the velocity before, a the velocity after, both in
(x, y, rho theta); forces are impulses per mass; b_i = e_i min(g_i, 0) - n.Vm, with the gap rate g_i before, states
Newton's restitution for every contact that closes, d = -t.Vm with the velocity Vm of the obstacle's surface, and
friction opposes the slip after the impact. All closed contacts take part.

A single contact has a law of its own, see `routh.py`; here are the others, and there the order of events inside the
impact, which Poisson's and Stronge's laws ask for, is not determined by rigid-body mechanics: every law of a pair
states the same restitution.

With friction, Newton's law can make kinetic energy grow (ground truth: one rod at 45 degrees gains 8 %), and at several
contacts it can have no solution at all. Then the restitutions of all contacts are multiplied by a common factor in
[0, 1], found by bisection, at which there is a solution and energy does not grow. At 0 there always is one, and energy
never grows, since then every force works against a velocity that is zero or opposed to it. The factor is returned.
Obstacles that move do work in an impact; the energy that must not grow is what is left when that is taken away. They
can also leave the part no velocity at all: it is jammed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.motion.choose import RANDOM, UNKNOWN_LETTER, choose_member, draw_index
from dynamics.motion.closed import make_problem
from dynamics.search.members import SetBuffer, find_members
from dynamics.search.problem import VERTICES
from dynamics.search.reactions import compute_letters, solve_forces
from dynamics.tolerances import IMPACT_ENERGY_ROUNDING, Tolerances
from geometry.compiled.jit import jit, kernel
from geometry.compiled.record import copy_row


class Choice(NamedTuple):
    """How members of a set are found, and how one is chosen."""

    rule: int  # index into dynamics.codes.RULES
    random: np.ndarray  # (1,) int64: state of the generator
    tolerances: Tolerances
    buffer: SetBuffer  # room for the members


@kernel
def pick_member(closed, w, choice):
    """Solve the contact problem of the closed contacts and choose: (kind of the set, number of vertices, index).

    choice: Choice. Leaves the letters of the chosen member in `closed.letter`; its value is
    `choice.buffer.found.vertices[index]`.
    """
    tolerances, buffer = choice.tolerances, choice.buffer
    problem = make_problem(closed, w)
    kind = find_members(problem, tolerances, buffer)
    m = buffer.found.counts[VERTICES]
    if kind <= 0 or m == 0:
        return kind, 0, -1
    k = closed.n
    letters = buffer.letters
    for v in range(m):
        compute_letters(problem, buffer.found.vertices[v], tolerances, letters[v, :k])
    index = 0
    if m > 1 and choice.rule == RANDOM:
        index = draw_index(choice.random, m)
    elif m > 1:
        index = choose_member(buffer.found.vertices[:m], letters[:, :k], closed.previous[:k], choice.rule)
    for i in range(k):
        closed.letter[i] = letters[index, i]
    return kind, m, index


@kernel
def _solve_scaled(closed, before, e, scale, choice, after):
    """Post-impact velocity with every restitution times `scale`; (kind, members, kinetic energy per mass gained but for
    the work of the obstacles)."""
    for k in range(closed.n):
        closed.b[k] = scale * e[k] * min(closed.rate[k], 0.0) - closed.push[k]
        closed.d[k] = -closed.drag[k]
        closed.slip[k] = 0
        closed.previous[k] = UNKNOWN_LETTER
    kind, members, index = pick_member(closed, before, choice)
    if index < 0:
        return kind, members, np.inf
    for c in range(3):
        after[c] = choice.buffer.found.vertices[index, c]
    gain = 0.0
    for c in range(3):
        gain += 0.5 * (after[c] - before[c]) * (after[c] + before[c])
    if _is_moved(closed):
        solve_forces(make_problem(closed, before), after, choice.tolerances, closed.fn, closed.ft)
        gain -= compute_impact_work(closed)
    return kind, members, gain


@jit
def _is_moved(closed):
    """Does any obstacle move?"""
    for k in range(closed.n):
        if closed.push[k] != 0.0 or closed.drag[k] != 0.0:
            return True
    return False


@kernel
def compute_impact_work(closed):
    """Work per mass that the moving obstacles do by the impulses in `closed` (fn, ft)."""
    work = 0.0
    for k in range(closed.n):
        work += closed.fn[k] * closed.push[k] + closed.ft[k] * closed.drag[k]
    return work


@kernel
def solve_impact(closed, before, e, choice, after):
    """Velocity after an impact of the closed contacts with velocity `before` (3,) in (x, y, rho theta).

    e (k,): restitution of each contact; choice: Choice. Writes `after` (3,) and, in
    `closed.letter`, the letters after. Returns (kind of the set, number of members, factor applied to the
    restitutions).
    """
    energy = 0.5 * (before[0] * before[0] + before[1] * before[1] + before[2] * before[2])
    for k in range(closed.n):
        energy += 0.5 * (closed.push[k] * closed.push[k] + closed.drag[k] * closed.drag[k])
    kind, members, gain = _solve_scaled(closed, before, e, 1.0, choice, after)
    if members > 0 and gain <= energy * IMPACT_ENERGY_ROUNDING:
        return kind, members, 1.0
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        _, members, gain = _solve_scaled(closed, before, e, middle, choice, after)
        if members > 0 and gain <= 0.0:
            low = middle
        else:
            high = middle
    kind, members, _ = _solve_scaled(closed, before, e, low, choice, after)
    return kind, members, low


@kernel
def take_member(closed, w, tolerances, value):
    """Leave in `closed.letter` the letters of a member that was chosen elsewhere."""
    k = closed.n
    compute_letters(make_problem(closed, w), value, tolerances, closed.letter[:k])


@kernel
def solve_jam(closed, before, choice, after):
    """Velocity after an impulse without collision, that of contacts which neither open nor close but have no
    acceleration: (kind of the set, number of members); 0 members if the velocities before are the only one.

    The set at the level of impulses without restitution holds the velocity before itself (no impulse at all) and those
    that the impulse can lead to. Only these count. Arguments as in `solve_impact`.
    """
    tolerances = choice.tolerances
    for k in range(closed.n):
        closed.b[k], closed.d[k] = -closed.push[k], -closed.drag[k]
        closed.slip[k], closed.previous[k] = 0, UNKNOWN_LETTER
    problem = make_problem(closed, before)
    find_members(problem, tolerances, choice.buffer)
    found = choice.buffer.found
    size = max(abs(before[0]), abs(before[1]), abs(before[2]))
    kept = 0
    for v in range(found.counts[VERTICES]):
        away = max(abs(found.vertices[v, 0] - before[0]), abs(found.vertices[v, 1] - before[1]))
        away = max(away, abs(found.vertices[v, 2] - before[2]))
        if away > 100.0 * tolerances.merge * size:
            copy_row(found.vertices[kept], found.vertices[v])
            kept += 1
    if kept == 0:
        return 0, 0
    n, letters = closed.n, choice.buffer.letters
    for v in range(kept):
        compute_letters(problem, found.vertices[v], tolerances, letters[v, :n])
    index = draw_index(choice.random, kept) if choice.rule == RANDOM else choose_member(
        found.vertices[:kept], letters[:, :n], closed.previous[:n], choice.rule)
    for k in range(n):
        closed.letter[k] = letters[index, k]
    copy_row(after, found.vertices[index])
    return min(kept, 2), kept
