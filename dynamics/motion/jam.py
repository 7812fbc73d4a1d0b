"""A part that is jammed: the obstacles that move leave it no velocity, or no acceleration, at which all gaps stay open.

Then no forces help, however large, and there is no motion of rigid bodies. By Farkas' lemma some of the contacts prove
it: a combination of their normals with positive factors gives no wrench and yet would have to do work. Forces along it
grow beyond all bounds.
"""

from __future__ import annotations

import numpy as np

from dynamics.motion.closed import copy_contact
from dynamics.motion.mode import LETTER_N
from dynamics.search.members import find_members
from dynamics.search.problem import VERTICES, Problem
from geometry.compiled.jit import kernel


@kernel(counted=True)
def find_jam(closed, w, tolerances, buffer):
    """Leave in `closed` a smallest set of contacts for which N.a + b >= 0 has no solution, with unbounded normal
    forces; returns their number, and 0 (with `closed` as it was) if there is a solution.

    Without friction a contact problem has a solution whenever the inequalities have one, which is how it is told.
    """
    n = closed.n
    kept = np.ones(n, dtype=np.bool_)
    if n == 0 or not _is_blocked(closed, w, kept, tolerances, buffer):
        return 0
    for k in range(n):
        kept[k] = False
        if not _is_blocked(closed, w, kept, tolerances, buffer):
            kept[k] = True
    count = 0
    for k in range(n):
        if kept[k]:
            copy_contact(closed, k, count)
            closed.fn[count], closed.ft[count], closed.letter[count] = np.inf, 0.0, LETTER_N
            count += 1
    closed.n = count
    return count


@kernel(counted=True)
def _is_blocked(closed, w, kept, tolerances, buffer):
    """Have the inequalities of the contacts kept no solution?"""
    n = 0
    for k in range(closed.n):
        n += 1 if kept[k] else 0
    normal, tangent, b, d = np.empty((n, 3)), np.empty((n, 3)), np.empty(n), np.zeros(n)
    slip, partner, row = np.zeros(n, dtype=np.int64), np.full(n, -1, dtype=np.int64), 0
    for k in range(closed.n):
        if kept[k]:
            for c in range(3):
                normal[row, c], tangent[row, c] = closed.normal[k, c], closed.tangent[k, c]
            b[row] = closed.b[k]
            row += 1
    problem = Problem(w, normal, b, tangent, d, slip, np.zeros(n), partner)
    find_members(problem, tolerances, buffer)
    return buffer.found.counts[VERTICES] == 0
