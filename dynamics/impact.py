"""Velocities after an impact: the contact problem at the level of impulses.

The same core as for accelerations, with other meanings: w is the velocity before, a the velocity after, both in
(x, y, rho theta); forces are impulses per mass; b_i = e_i min(N_i.v, 0) states Newton's restitution for every contact
that closes, d = 0, and friction opposes the slip after the impact. All closed contacts take part.

With friction, Newton's law can make kinetic energy grow (ground truth: one rod at 45 degrees gains 8 %), and at several
contacts it can have no solution at all. Then the restitutions of all contacts are multiplied by a common factor in
[0, 1], found by bisection, at which there is a solution and energy does not grow. At 0 there always is one, and energy
never grows, since then every force works against a velocity that is zero or opposed to it. The factor is returned.
"""

from __future__ import annotations

import numpy as np

from dynamics.accelerations import find_members
from dynamics.choose import UNKNOWN_LETTER, choose_member
from dynamics.closed import make_problem
from dynamics.problem import VERTICES
from dynamics.reactions import compute_letters
from geometry._jit import kernel

# Growth of kinetic energy that counts as rounding, relative.
ENERGY_ROUNDING = 1e-12


@kernel
def pick_member(closed, w, rule, tolerances, buffer):
    """Solve the contact problem of the closed contacts and choose: (kind of the set, number of vertices, index).

    Leaves the letters of the chosen member in `closed.letter`; its value is `buffer.found.vertices[index]`.
    """
    problem = make_problem(closed, w)
    kind = find_members(problem, tolerances, buffer)
    m = buffer.found.counts[VERTICES]
    if kind <= 0 or m == 0:
        return kind, 0, -1
    k = closed.n
    letters = np.empty((m, k), dtype=np.int64)
    for v in range(m):
        compute_letters(problem, buffer.found.vertices[v], tolerances, letters[v])
    index = 0
    if m > 1:
        index = choose_member(buffer.found.vertices[:m], letters, closed.previous[:k], rule)
    for i in range(k):
        closed.letter[i] = letters[index, i]
    return kind, m, index


@kernel
def _solve_scaled(closed, before, e, scale, choice, after):
    """Post-impact velocity with every restitution times `scale`; (kind, members, kinetic energy per mass doubled)."""
    rule, tolerances, buffer = choice
    for k in range(closed.n):
        closed.b[k] = scale * e[k] * min(closed.rate[k], 0.0)
        closed.d[k] = 0.0
        closed.slip[k] = 0
        closed.previous[k] = UNKNOWN_LETTER
    kind, members, index = pick_member(closed, before, rule, tolerances, buffer)
    if index < 0:
        return kind, members, np.inf
    for c in range(3):
        after[c] = buffer.found.vertices[index, c]
    return kind, members, after[0] * after[0] + after[1] * after[1] + after[2] * after[2]


@kernel
def solve_impact(closed, before, e, choice, after):
    """Velocity after an impact of the closed contacts with velocity `before` (3,) in (x, y, rho theta).

    e (k,): restitution of each contact; choice = (rule, tolerances, buffer). Writes `after` (3,) and, in
    `closed.letter`, the letters after. Returns (kind of the set, number of members, factor applied to the
    restitutions).
    """
    energy = before[0] * before[0] + before[1] * before[1] + before[2] * before[2]
    limit = energy * (1.0 + ENERGY_ROUNDING)
    kind, members, result = _solve_scaled(closed, before, e, 1.0, choice, after)
    if members > 0 and result <= limit:
        return kind, members, 1.0
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        _, members, result = _solve_scaled(closed, before, e, middle, choice, after)
        if members > 0 and result <= energy:
            low = middle
        else:
            high = middle
    kind, members, _ = _solve_scaled(closed, before, e, low, choice, after)
    return kind, members, low
