"""Impact of a single contact: Routh's construction, integrated exactly.

During an impact the velocities of the contact change in proportion to the impulses. With the normal impulse p as time,

    slip to one side (sign s):  dvn/dp = N.N - s mu N.T ,  dvt/dp = N.T - s mu T.T ,  dPt/dp = -s mu
    stick:                      dvn/dp = N.N - (N.T)^2 / T.T ,  dvt/dp = 0 ,          dPt/dp = -N.T / T.T

so the path (vn, vt) is a chain of straight pieces with corners where slip stops. It then sticks if mu >= mu_s = |N.T| /
T.T and otherwise goes on to the other side. Compression ends where vn = 0; the law of impact says how far restitution
goes from there:

    Newton   vn = -e vn before
    Poisson  the impulse of restitution is e times that of compression
    Stronge  the normal work of restitution is e^2 times that of compression

The classes are those of Wang & Mason (J. Appl. Mech. 59, 1992), and `jam`: where s mu N.T > N.N the normal velocity
falls while the contact slips, and compression grows until slip stops. A jam can begin with vn = 0: the impulse without
collision that ends an inconsistent state (Painleve).

Poisson and Stronge never add energy. Newton can, where slip stops; then the largest smaller coefficient that does not
is used (found by bisection), and the factor is returned.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from dynamics.codes import IMPACT_CLASSES, LAWS
from dynamics.tolerances import ROUTH_ENERGY_ROUNDING
from geometry.compiled.jit import jit, kernel

NEWTON, POISSON, STRONGE = range(len(LAWS))

(NONE, SLIDING, C_STICKING, R_STICKING, C_REVERSED, R_REVERSED, STICK, SLIP_FROM_REST,
 JAM) = range(len(IMPACT_CLASSES))  # fmt: skip

# A chain has at most this many pieces: slip, stop, the end of compression, the end of restitution.
PIECES = 8


class ImpactRows(NamedTuple):
    """What the rows of one contact say to each other, in the kinetic metric, and its friction."""

    nn: float  # N.N
    nt: float  # N.T
    tt: float  # T.T
    mu: float


class Law(NamedTuple):
    """Law of impact of a pair."""

    kind: int  # index into LAWS
    e: float  # restitution


class Limits(NamedTuple):
    """What rounding decides in an impact."""

    slip_zero: float  # m/s: size of vt that counts as no slip
    jams: bool  # does the contact jam, though s mu N.T < N.N by rounding?


@kernel
def solve_routh(rows, velocity, pair, limits):
    """Impulses of one contact: (Pn, Pt per mass, class, factor applied to e).

    rows: ImpactRows; velocity = (vn, vt) before, vn <= 0; pair: Law; limits: Limits. Class NONE where there is no
    impact: nothing closes and nothing jams.
    """
    law, e = pair
    pn, pt, kind = _follow(rows, velocity, law, e, limits)
    if law != NEWTON or _compute_gain(rows, velocity, pn, pt) <= 0.0:
        return pn, pt, kind, 1.0
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        pn, pt, kind = _follow(rows, velocity, law, middle * e, limits)
        if _compute_gain(rows, velocity, pn, pt) <= 0.0:
            low = middle
        else:
            high = middle
    pn, pt, kind = _follow(rows, velocity, law, low * e, limits)
    return pn, pt, kind, low


@jit
def _compute_gain(rows, velocity, pn, pt):
    """Kinetic energy per mass gained, twice; rounding counts as nothing."""
    nn, nt, tt, _ = rows
    vn, vt = velocity
    work = 2.0 * (vn * pn + vt * pt)
    size = nn * pn * pn + 2.0 * abs(nt * pn * pt) + tt * pt * pt
    return work + nn * pn * pn + 2.0 * nt * pn * pt + tt * pt * pt - ROUTH_ENERGY_ROUNDING * size


@jit
def _choose_piece(rows, vt, stopped):
    """Sign of the slip on the next piece, 0 where it sticks."""
    _, nt, tt, mu = rows
    if not stopped:
        return 1.0 if vt > 0.0 else -1.0
    if mu * tt >= abs(nt):
        return 0.0
    return 1.0 if nt > 0.0 else -1.0


@kernel
def _follow(rows, velocity, law, e, limits):
    """The path of one impact: (Pn, Pt, class)."""
    nn, nt, tt, mu = rows
    vn, vt = velocity
    first = vn
    stopped = abs(vt) <= limits.slip_zero
    sign = _choose_piece(rows, vt, stopped)
    jams = not stopped and (limits.jams or nn - sign * mu * nt < 0.0)
    kind = (STICK if sign == 0.0 else SLIP_FROM_REST) if stopped else SLIDING
    if vn >= 0.0 and not jams:
        return 0.0, 0.0, NONE
    pn, pt, work = 0.0, 0.0, 0.0  # work: normal work of compression, negative
    impulse_goal, work_left, compressing = np.inf, 0.0, True
    for _ in range(PIECES):
        if sign == 0.0:
            rate, turn, friction = nn - nt * nt / tt, 0.0, -nt / tt
        else:
            rate, turn, friction = nn - sign * mu * nt, nt - sign * mu * tt, -sign * mu
        to_stop = -vt / turn if not stopped and turn * sign < 0.0 else np.inf
        if compressing:
            step = -vn / rate if rate > 0.0 and (stopped or not jams) else np.inf
        elif law == NEWTON:
            step = (-e * min(first, 0.0) - vn) / rate
        elif law == POISSON:
            step = impulse_goal - pn
        else:
            step = (sqrt(vn * vn + 2.0 * rate * work_left) - vn) / rate
        ends = step <= to_stop
        if not min(step, to_stop) < np.inf:
            return 0.0, 0.0, NONE  # N and T are one row to rounding: no impulse ends the impact
        step = max(step if ends else to_stop, 0.0)
        gained = step * (vn + 0.5 * rate * step)
        pn, pt, vn, vt = pn + step, pt + friction * step, vn + rate * step, vt + turn * step
        if compressing:
            work += gained
        else:
            work_left -= gained
        if ends and not compressing:
            break
        if ends:
            compressing, vn = False, 0.0
            impulse_goal, work_left = (1.0 + e) * pn, -e * e * work
        else:
            stopped, vt = True, 0.0
            sign = _choose_piece(rows, vt, True)
            if sign == 0.0:
                kind = C_STICKING if compressing else R_STICKING
            else:
                kind = C_REVERSED if compressing else R_REVERSED
    return pn, pt, JAM if jams else kind
