"""Every tolerance of the contact problem, in one place.

The search first makes the problem dimensionless: normals, tangents and friction edges get length one, and every
acceleration is divided by `scale`, the largest of |w|, |b_i|/|N_i| and |d_i|/|T_i|. The numbers below are relative to
that, so a part of a millimetre and one of a kilometre, a force of a nanonewton and one of a giganewton, behave alike.
Rounding leaves errors of about 1e-15 times the condition of the contact geometry (1 to 1e4 in practice).
"""

from __future__ import annotations

from typing import NamedTuple


class Tolerances(NamedTuple):
    """Thresholds of the search; all dimensionless (see the module's text).

    accept: how far an acceleration may violate a constraint (gap, slip sign, edge of the friction cone) and still be a
        member. Larger: answers that are not exact are let in, and thresholds such as tan(slope) = mu blur by as much.
        Smaller: members that sit exactly on a boundary are lost to rounding.
    angle: below this sine two directions are parallel, and a direction lies in a plane. Larger: contacts closer than
        angle * rho become one plane. Smaller: the common line of two nearly equal planes is noise.
    merge: two accelerations closer than this are one. It exceeds `accept`, because the condition of the contact
        geometry stands between a violated constraint and a shifted acceleration. Larger: two answers close to the
        point where they meet are counted as one. Smaller: one answer is counted twice.
    letter: a gap or slip acceleration below this is zero when a member gets its letters (s, n, r, l).
    force: residual of the force balance at which the least-norm forces are accepted, relative to |a - w|.
    """

    accept: float = 1e-10
    angle: float = 1e-10
    merge: float = 1e-8
    letter: float = 1e-9
    force: float = 1e-9


DEFAULT_TOLERANCES = Tolerances()
