"""A part that is jammed: the obstacles that move leave it no velocity, or no acceleration, at which all gaps stay open.

Then no forces help, however large, and there is no motion of rigid bodies. By Farkas' lemma some of the contacts prove
it: a combination of their normals with positive factors gives no wrench and yet would have to do work. Forces along it
grow beyond all bounds.
"""

from __future__ import annotations

import numpy as np

from dynamics.motion.closed import copy_contact, make_problem
from dynamics.motion.mode import LETTER_N
from dynamics.search.members import find_members
from dynamics.search.problem import VERTICES
from geometry.compiled.jit import kernel
from geometry.compiled.record import copy_row


@kernel
def find_jam(closed, w, tolerances, buffer, spare):
    """Leave in `closed` a smallest set of contacts for which N.a + b >= 0 has no solution, with unbounded normal
    forces; returns their number, and 0 (with `closed` as it was) if there is a solution. spare: another CLOSED, for
    work.

    Without friction a contact problem has a solution whenever the inequalities have one, which is how it is told.
    """
    n, kept = closed.n, closed.mark
    for k in range(n):
        kept[k] = 1
    if n == 0 or not _is_blocked(closed, w, tolerances, buffer, spare):
        return 0
    for k in range(n):
        kept[k] = 0
        if not _is_blocked(closed, w, tolerances, buffer, spare):
            kept[k] = 1
    count = 0
    for k in range(n):
        if kept[k] == 1:
            copy_contact(closed, k, count)
            closed.fn[count], closed.ft[count], closed.letter[count] = np.inf, 0.0, LETTER_N
            count += 1
    closed.n = count
    return count


@kernel
def _is_blocked(closed, w, tolerances, buffer, spare):
    """Have the inequalities of the contacts that are marked no solution?"""
    row = 0
    for k in range(closed.n):
        if closed.mark[k] == 1:
            copy_row(spare.normal[row], closed.normal[k])
            copy_row(spare.tangent[row], closed.tangent[k])
            spare.b[row], spare.d[row], spare.mu[row] = closed.b[k], 0.0, 0.0
            spare.slip[row], spare.partner[row] = 0, -1
            row += 1
    spare.n = row
    find_members(make_problem(spare, w), tolerances, buffer)
    return buffer.found.counts[VERTICES] == 0
