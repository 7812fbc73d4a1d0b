"""The closed contacts of a state, and the rows of the contact problem they make.

A contact enters the acceleration problem if its gap and its gap rate are zero to rounding. A convex corner on a convex
corner has two candidate normals and the constraint "either gap rate is nonnegative": where one of them is positive the
contact is open, where one is negative the other alone counts, and only where both are zero the whole fan may push.
"""

from __future__ import annotations

from dynamics.motion.choose import UNKNOWN_LETTER
from dynamics.motion.mode import CAPACITY, LETTER_L, LETTER_R, LETTER_S, compute_frame, find_in_mode, get_mu
from dynamics.motion.seams import is_left_behind
from dynamics.motion.smooth_joints import is_passed_on
from dynamics.search.problem import Problem
from dynamics.tolerances import UNIQUE_MINOR
from geometry.compiled.jit import jit, kernel
from geometry.compiled.record import copy_row, define_record
from geometry.contact.detection import find_contacts
from geometry.contact.moving import place_walls

CLOSED = define_record(
    ("n", "i8"),  # contacts
    ("triple", "i8", (CAPACITY, 3)),
    ("corner", "i8", (CAPACITY, 3)),  # see `find_contacts`
    ("rate", "f8", (CAPACITY,)),  # m/s, gap rate
    ("push", "f8", (CAPACITY,)), ("drag", "f8", (CAPACITY,)),  # m/s, velocity of the obstacle's surface along n and t
    ("previous", "i8", (CAPACITY,)),  # letter before, UNKNOWN_LETTER for a new contact
    ("letter", "i8", (CAPACITY,)),
    ("normal", "f8", (CAPACITY, 3)), ("b", "f8", (CAPACITY,)),
    ("tangent", "f8", (CAPACITY, 3)), ("d", "f8", (CAPACITY,)),
    ("slip", "i8", (CAPACITY,)), ("mu", "f8", (CAPACITY,)),
    ("partner", "i8", (CAPACITY,)),  # the other row of a corner contact, -1 if none
    ("fn", "f8", (CAPACITY,)), ("ft", "f8", (CAPACITY,)),  # forces or impulses per mass
    # room for a number a contact: its restitution, a gap or a gap rate [m, m/s] to be closed, a mark
    ("e", "f8", (CAPACITY,)), ("gap", "f8", (CAPACITY,)), ("mark", "i8", (CAPACITY,)),
)  # fmt: skip


@jit
def make_problem(closed, w):
    """The contact problem of the closed contacts, as views."""
    k = closed.n
    return Problem(
        w, closed.normal[:k], closed.b[:k], closed.tangent[:k], closed.d[:k], closed.slip[:k], closed.mu[:k],
        closed.partner[:k]
    )


@kernel
def fill_row(body, closed, k, at, speed_zero):
    """Rows, biases, slip sign, friction and gap rate of contact k at a MotionState."""
    nx, ny, nq, vq, b, d, slip, push, drag = compute_frame(body, closed.triple[k], at)
    velocity = at.velocity
    closed.normal[k, 0], closed.normal[k, 1], closed.normal[k, 2] = nx, ny, nq
    closed.tangent[k, 0], closed.tangent[k, 1], closed.tangent[k, 2] = ny, -nx, vq
    closed.b[k], closed.d[k] = b, d
    closed.mu[k] = get_mu(body, closed.triple[k])
    closed.slip[k] = 0 if abs(slip) <= speed_zero else (1 if slip > 0.0 else -1)
    closed.rate[k] = nx * velocity[0] + ny * velocity[1] + nq * body.rho * velocity[2] - push
    closed.push[k], closed.drag[k] = push, drag


@kernel
def find_closed(body, mode, at, zeros, closed, scratch):
    """Find the contacts at a MotionState and fill their rows; returns how many, or TOO_MANY_CONTACTS. zeros: Zeros.

    Contacts that the mode holds keep their letter as `previous`. At a seam between surfaces that differ, a corner that
    moves across touches only the one ahead.
    """
    place_walls(body.walls, at.time)
    n = find_contacts(body.part, body.walls, at.pose, zeros.touch, closed.triple, closed.corner, scratch)
    closed.n = max(n, 0)
    for k in range(n):
        fill_row(body, closed, k, at, zeros.speed)
        closed.partner[k] = -1
        m = find_in_mode(mode, closed.triple[k])
        closed.previous[k] = mode.letter[m] if m >= 0 else UNKNOWN_LETTER
    return n if n < 0 else _drop_left_behind(body, closed, at, zeros)


@kernel
def _drop_left_behind(body, closed, at, zeros):
    """Drop contacts with a surface that a corner just leaves for another across a seam; returns how many are left."""
    kept = 0
    for k in range(closed.n):
        if not is_left_behind(body, closed, k, kept, at, zeros) and not is_passed_on(body, closed, k, kept, at, zeros):
            copy_contact(closed, k, kept)
            kept += 1
    closed.n = kept
    return kept


# In place of the zero of a slip velocity, for `fill_from_mode`.
BY_LETTERS = -1.0


@kernel
def fill_from_mode(body, mode, at, speed_zero, closed):
    """Fill the rows with the contacts of a mode at a MotionState beside the event. A slip that is not zero has
    the sign that its letter says; with BY_LETTERS none is zero but those of rolling contacts."""
    n = mode.n
    closed.n = n
    for k in range(n):
        copy_row(closed.triple[k], mode.triple[k])
        copy_row(closed.corner[k], mode.corner[k])
        fill_row(body, closed, k, at, speed_zero)
        letter = mode.letter[k]
        closed.previous[k] = letter
        if closed.slip[k] != 0:  # one that is zero may stay so, whatever the letter says that it was to become
            closed.slip[k] = 1 if letter == LETTER_R else (-1 if letter == LETTER_L else 0)
    _set_partners(closed)
    return n


@kernel
def copy_contact(closed, source, target):
    """Row `target` becomes a copy of row `source`."""
    if source == target:
        return
    copy_row(closed.triple[target], closed.triple[source])
    copy_row(closed.corner[target], closed.corner[source])
    closed.rate[target] = closed.rate[source]
    closed.push[target], closed.drag[target] = closed.push[source], closed.drag[source]
    closed.previous[target] = closed.previous[source]
    copy_row(closed.normal[target], closed.normal[source])
    closed.b[target] = closed.b[source]
    copy_row(closed.tangent[target], closed.tangent[source])
    closed.d[target] = closed.d[source]
    closed.slip[target] = closed.slip[source]
    closed.mu[target] = closed.mu[source]
    closed.partner[target] = closed.partner[source]


@jit
def _get_side_rate(closed, k, side):
    """Gap rate along the normal of the given side of the corner that contact k belongs to."""
    for m in range(closed.n):
        c, own = closed.corner[m], closed.corner[k]
        if c[0] == own[0] and c[1] == own[1] and c[2] == side:
            return closed.rate[m]
    return 0.0


@kernel
def is_closing(closed, speed_zero):
    """Must there be an impact? So it is if a gap closes; at a corner contact, if it closes along both normals."""
    for k in range(closed.n):
        if closed.rate[k] < -speed_zero:
            side = closed.corner[k, 2]
            if side < 0 or _get_side_rate(closed, k, 1 - side) < -speed_zero:
                return True
    return False


# Marks of a contact that cannot push, and of one side of a corner that counts alone; both may hold.
DROP, ALONE = 1, 2


@kernel
def keep_contacts(closed, speed_zero):
    """Keep what can push without an impact: drop opening contacts, and the sides of a corner that do not count.

    A corner contact is open where either side opens, and follows one side alone where the other closes.
    """
    n, mark = closed.n, closed.mark
    for k in range(n):
        drop, alone, side = abs(closed.rate[k]) > speed_zero, False, closed.corner[k, 2]
        if side >= 0:
            other = _get_side_rate(closed, k, 1 - side)
            drop, alone = drop or other > speed_zero, other < -speed_zero
        mark[k] = (DROP if drop else 0) + (ALONE if alone else 0)
    kept = 0
    for k in range(n):
        if mark[k] >= ALONE:
            closed.corner[k, 2] = -1
        if mark[k] % ALONE != DROP:
            copy_contact(closed, k, kept)
            kept += 1
    closed.n = kept
    pair_corners(closed)


@kernel
def pair_corners(closed):
    """One row per side of each corner contact (a flush A and B contact of one side are the same row), paired."""
    n = closed.n
    kept = 0
    for k in range(n):
        duplicate = False
        if closed.corner[k, 2] >= 0:
            for m in range(kept):
                same = closed.corner[m, 0] == closed.corner[k, 0] and closed.corner[m, 1] == closed.corner[k, 1]
                duplicate = duplicate or (same and closed.corner[m, 2] == closed.corner[k, 2])
        if not duplicate:
            copy_contact(closed, k, kept)
            kept += 1
    closed.n = kept
    _set_partners(closed)


@kernel
def _set_partners(closed):
    """Point the two rows of each corner contact at each other."""
    for k in range(closed.n):
        closed.partner[k] = -1
    for k in range(closed.n):
        for m in range(closed.n):
            if closed.corner[k, 2] == 0 and closed.corner[m, 2] == 1:
                if closed.corner[m, 0] == closed.corner[k, 0] and closed.corner[m, 1] == closed.corner[k, 1]:
                    closed.partner[k], closed.partner[m] = m, k


@kernel
def drop_separating(closed, opening):
    """Keep the contacts that stay closed under the chosen acceleration.

    A contact with letter s goes; so does the row of a corner contact whose gap would close while its partner holds.
    """
    kept = 0
    for k in range(closed.n):
        if closed.letter[k] == LETTER_S or (closed.partner[k] >= 0 and closed.rate[k] < -opening):
            continue
        letter = closed.letter[k]
        copy_contact(closed, k, kept)
        closed.letter[kept] = letter
        kept += 1
    closed.n = kept
    _set_partners(closed)


@jit
def _compute_coupling(closed, i, j):
    """N_i.G_j with G = N - mu sign(slip) T, the edge along which a sliding contact pushes."""
    n, m, t = closed.normal[i], closed.normal[j], closed.tangent[j]
    factor = -closed.mu[j] * closed.slip[j]
    return (
        n[0] * (m[0] + factor * t[0]) + n[1] * (m[1] + factor * t[1]) + n[2] * (m[2] + factor * t[2])
    )  # fmt: skip


@kernel
def is_unique(closed):
    """Is exactly one acceleration possible for every load, as far as one or two contacts tell at once?

    One contact without slip: its cone does not dip below its tangent plane (Erdmann 1991). Sliding contacts make a
    linear complementarity problem, with one solution for every load if and only if all principal minors are positive.
    False only says that a search has to tell.
    """
    if closed.n == 1 and closed.slip[0] == 0:
        n, t = closed.normal[0], closed.tangent[0]
        nn = n[0] * n[0] + n[1] * n[1] + n[2] * n[2]
        nt = n[0] * t[0] + n[1] * t[1] + n[2] * t[2]
        return closed.mu[0] * abs(nt) < nn
    if closed.n == 1:
        return _compute_coupling(closed, 0, 0) > 0.0
    if closed.n != 2 or closed.slip[0] == 0 or closed.slip[1] == 0 or closed.partner[0] >= 0:
        return False
    a, d = _compute_coupling(closed, 0, 0), _compute_coupling(closed, 1, 1)
    cross = _compute_coupling(closed, 0, 1) * _compute_coupling(closed, 1, 0)
    return a > 0.0 and d > 0.0 and a * d - cross > UNIQUE_MINOR * (a * d + abs(cross))


@kernel
def compute_gap_accelerations(closed, a):
    """Write gap'' = N.a + b of every contact into `rate`."""
    for k in range(closed.n):
        n = closed.normal[k]
        closed.rate[k] = n[0] * a[0] + n[1] * a[1] + n[2] * a[2] + closed.b[k]
