"""Contact modes: which letters can the contacts of one part at rest have together?

Letters of a place that is touched (Balkcom, Gottlieb and Trinkle 2002, Table 1, in our signs):
    s  separates: N.v > 0       n  rolls: N.v = 0, T.v = 0       r  slides: N.v = 0, T.v > 0      l  N.v = 0, T.v < 0
and of one that is near but not touched (augmented modes):
    a  is approached: N.v < 0   s  is not: N.v >= 0
The paper's tangent is the negative of ours, and so is its sign of v_t; "left" and "right" mean the same. Its text has
"a_t < 0" for left sliding where its tables, rightly, have a_t > 0 along its own tangent.

Motions v of one planar part form R^3. The planes N_i.v = 0, T_i.v = 0 cut it into cells, and on each cell the letters
are fixed, so there are at most O(k^2) modes and not 4^k. Every cell but {0} has in its closure a line in which two of
the planes meet. At such a line the arrangement looks like one of fewer planes in a space of one dimension less, namely
those that hold the line. So: for each line, both ways, take the letters that the line decides and go on with the rest
in the plane orthogonal to it. T_i counts where N_i.v = 0 only, so T_i alone meets N_i alone.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import ArrayLike

from dynamics.cones.contact_set import ContactSet
from dynamics.cones.polyhedral import Cone, cone_from_faces, cross_units
from dynamics.tolerances import ANGLE, EPSILON, ROUNDING, widen
from geometry.errors import InputError

LETTERS = "srlna"
MEANING = {"s": "separates", "n": "rolls (no slip)", "r": "slides, T.v > 0", "l": "slides, T.v < 0", "a": "approaches"}
WILDCARDS = {"*": "srlna", "c": "rln"}
_ITEM = re.compile(r"\[([a-z]+)\]|(.)", re.DOTALL)


# ---- words -----------------------------------------------------------------------------------------------------------


def is_pattern(mode: str) -> bool:
    """Does the text hold a wildcard: `*` (any letter), `c` (contact kept: n, r or l) or a list such as `[nl]`?"""
    return any(mark in mode for mark in "*c[")


def read_mode(contacts: ContactSet, mode: str) -> list[str]:
    """The letters allowed at each contact, from a mode or a pattern. ValueError says what is wrong with it."""
    if not isinstance(mode, str):
        raise InputError(f"mode is {mode!r}: must be a string with one letter for each contact")
    items = [inside or letter for inside, letter in _ITEM.findall(mode)]
    if len(items) != len(contacts):
        raise InputError(f"mode {mode!r} has {len(items)} letters for {len(contacts)} contacts")
    allowed = []
    for i, item in enumerate(items):
        own = "srln" if contacts.closed[i] else "sa"
        letters = WILDCARDS.get(item, item)
        wrong = [letter for letter in letters if letter not in LETTERS]
        if wrong:
            raise InputError(f"mode {mode!r}: {wrong[0]!r} is no letter; valid: s, n, r, l, a, and the wildcards "
                             "* (any), c (contact kept) and lists such as [nl]")
        fitting = "".join(letter for letter in letters if letter in own)
        if not fitting:
            state = "is touched: valid are s, n, r, l" if contacts.closed[i] else "is not touched: valid are a, s"
            raise InputError(f"mode {mode!r}: contact {i} cannot be {item!r}, it {state}")
        allowed.append(fitting)
    return allowed


def find_modes(contacts: ContactSet, pattern: str) -> list[str]:
    """The feasible modes that fit a pattern, in the order of `enumerate_modes`."""
    allowed = read_mode(contacts, pattern)
    return [mode for mode in enumerate_modes(contacts)
            if all(letter in letters for letter, letters in zip(mode, allowed, strict=True))]


# ---- motions of one mode ---------------------------------------------------------------------------------------------


def motion_cone(contacts: ContactSet, mode: str) -> Cone:
    """The motions (vx, vy, rho omega) of a mode, strict where its letters are; `empty` if there is none."""
    if is_pattern(mode):
        raise InputError(f"mode {mode!r} has a wildcard: motions are those of one mode")
    letters = read_mode(contacts, mode)
    N, T = contacts.unit_rows
    faces: list[np.ndarray] = []
    equations: list[np.ndarray] = []
    strict: list[np.ndarray] = []
    for i, letter in enumerate(letters):
        if letter == "s":
            (strict if contacts.closed[i] else faces).append(-N[i])
        elif letter == "a":
            strict.append(N[i])
        else:
            equations.append(N[i])
            if letter == "n":
                equations.append(T[i])
            else:
                strict.append(-T[i] if letter == "r" else T[i])
    return cone_from_faces(*(np.array(rows).reshape(-1, 3) for rows in (faces, equations, strict)))


def spell_motion(contacts: ContactSet, motion: ArrayLike) -> str:
    """The mode of a motion (vx, vy, rho omega). ValueError if it goes into an obstacle."""
    motion = np.asarray(motion, dtype=np.float64)
    if motion.shape != (3,) or not np.isfinite(motion).all():
        raise InputError(f"motion is {motion!r}: must be three finite numbers (vx, vy, rho omega)")
    size = float(np.linalg.norm(motion))
    n, t = (_find_signs(rows @ motion, ANGLE * size) for rows in contacts.unit_rows)
    if (contacts.closed & (n < 0)).any():
        raise InputError(f"the motion goes into the obstacle at contact {int(np.argmax(contacts.closed & (n < 0)))}")
    return _spell(n, t, contacts.closed)


# ---- all modes -------------------------------------------------------------------------------------------------------


def enumerate_modes(contacts: ContactSet) -> list[str]:
    """All kinematically feasible modes, each a string with one letter a contact, in alphabetical order of "srlna".

    Friction plays no part: these are the modes that the geometry allows, each by some motion. All letters s is among
    them exactly if the part can leave all contacts at once.
    """
    N, T = contacts.unit_rows
    k = len(contacts)
    found: dict[bytes, str] = {}
    _walk(N, T, np.zeros((2, k), np.int8), contacts.closed, found)
    return sorted(set(found.values()), key=lambda mode: [LETTERS.index(letter) for letter in mode])


def _walk(N, T, signs, closed, found) -> None:
    """Add the modes of all cells in the d-dimensional space that is left; N, T (k, d) are the rows there.

    signs (2, k) are those of N.v and T.v where they are decided, else 0. Rows with an undecided sign have length one.
    found: the mode by its signs. What is left to do depends on the signs alone, so no signs are followed twice.
    """
    if signs.tobytes() in found:
        return
    n, t = signs
    found[signs.tobytes()] = _spell(n, t, closed)
    free = n == 0
    slipping = free & closed & (t == 0)
    rank, basis = _find_span(np.vstack([N[free], T[slipping]]))
    if rank == 0:
        return
    N, T = N @ basis.T, T @ basis.T
    for line, room in _find_lines(N, T, free, slipping, rank):
        along_n, along_t = _find_signs(N @ line, room[: len(N)]), _find_signs(T @ line, room[len(N) :])
        rest = _find_rest(line)
        for way in (1, -1):
            new_n = np.where(free, way * along_n, n)
            if (closed & (new_n < 0)).any():
                continue
            new_t = np.where(new_n == 0, np.where(slipping, way * along_t, t), 0)
            _walk(N @ rest.T, T @ rest.T, np.array([new_n, new_t]), closed, found)


def _find_lines(N, T, free, slipping, rank):
    """(line, room): directions in which rank - 1 planes meet, one of each pair of opposites.

    room (2 k,): how near to zero N @ line and T @ line count as zero. A line of two planes is known to EPSILON / sine
    only; that moves a row the less, the nearer it is to one of the two.
    """
    rows = np.vstack([N, T])
    exact = np.full(len(rows), ANGLE)
    if rank == 1:
        return [(np.ones(1), exact)]
    indices = np.flatnonzero(free)
    if rank == 2:
        lines = np.column_stack([-N[indices, 1], N[indices, 0]])
        rooms = np.tile(exact, (len(lines), 1))
        own = np.full(len(lines), ANGLE)
    else:
        pairs = np.triu_indices(len(indices), 1)
        slips = np.flatnonzero(slipping)
        first = np.concatenate([indices[pairs[0]], slips])
        second = np.concatenate([indices[pairs[1]], len(N) + slips])
        lines = cross_units(rows[first], rows[second])
        sines = np.linalg.norm(lines, axis=1)
        far = sines > ANGLE
        lines, first, second, sines = lines[far] / sines[far, None], first[far], second[far], sines[far]
        every = np.linalg.norm(cross_units(rows[:, None, :], rows[None, :, :]), axis=2)
        rooms = ANGLE + ROUNDING * EPSILON * np.minimum(every[first], every[second]) / sines[:, None]
        own = widen(sines)
    kept: list[int] = []
    for i in np.argsort(own, kind="stable"):
        chosen = lines[kept]
        apart = np.minimum(np.abs(chosen - lines[i]).max(axis=1), np.abs(chosen + lines[i]).max(axis=1))
        if (apart > own[i] + own[kept]).all():
            kept.append(int(i))
    return [(lines[i], rooms[i]) for i in kept]


def _find_signs(values, room) -> np.ndarray:
    return np.where(np.abs(values) <= room, 0, np.sign(values)).astype(np.int8)


def _find_span(rows):
    """Rank of the rows, and an orthonormal basis (rank, d) of what they span."""
    if rows.size == 0:
        return 0, np.zeros((0, rows.shape[1]))
    _, sizes, basis = np.linalg.svd(rows, full_matrices=False)
    rank = int((sizes > ANGLE * np.sqrt(len(rows))).sum())
    return rank, basis[:rank]


def _find_rest(line) -> np.ndarray:
    """Orthonormal basis (d - 1, d) of the space orthogonal to a unit line (d,)."""
    return np.linalg.svd(line[None, :])[2][1:]


def _spell(n, t, closed) -> str:
    letters = []
    for i in range(len(n)):
        if closed[i]:
            letters.append("s" if n[i] > 0 else "nrl"[t[i]])
        else:
            letters.append("a" if n[i] < 0 else "s")
    return "".join(letters)
