"""The slow, obvious twin of `dynamics.cones.modes`: every word of letters, each tried by a linear program."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import numpy as np
from scipy.optimize import linprog

CERTAIN = 1e-7  # a strict inequality of unit rows holds by this much, or not at all, in the problems of the tests


def read_laws(contacts, mode):
    """Rows of a motion v: equal (E v = 0), weak (W v >= 0), strict (S v > 0), unit length."""
    N, T = contacts.unit_rows
    equal, weak, strict = [], [], []
    for i, letter in enumerate(mode):
        if letter == "a":
            strict.append(-N[i])
        elif letter == "s":
            (strict if contacts.closed[i] else weak).append(N[i])
        else:
            equal.append(N[i])
            if letter == "n":
                equal.append(T[i])
            else:
                strict.append(T[i] if letter == "r" else -T[i])
    return tuple(np.array(rows).reshape(-1, 3) for rows in (equal, weak, strict))


def is_feasible(contacts, mode) -> bool:
    """Is there a motion with these letters? The largest d with S v >= d, |v| <= 1 is positive."""
    equal, weak, strict = read_laws(contacts, mode)
    if len(strict) == 0:
        return True
    upper = np.vstack([np.column_stack([-strict, np.ones(len(strict))]), np.column_stack([-weak, np.zeros(len(weak))])])
    equal = np.column_stack([equal, np.zeros(len(equal))])
    found = linprog([0, 0, 0, -1], A_ub=upper, b_ub=np.zeros(len(upper)), A_eq=equal, b_eq=np.zeros(len(equal)),
                    bounds=[(-1, 1)] * 3 + [(None, 1)])
    return found.status == 0 and -found.fun > CERTAIN


def list_words(contacts):
    """All words of the letters that each contact can have."""
    return ["".join(word) for word in product(*("srln" if closed else "sa" for closed in contacts.closed))]


def enumerate_modes(contacts) -> set[str]:
    """The words that are feasible."""
    return {word for word in list_words(contacts) if is_feasible(contacts, word)}


def enumerate_exactly(contacts) -> set[str]:
    """The feasible words in rational arithmetic, for rows of rank 3: no tolerance, whatever nearly coincides.

    Every cell of the arrangement of all planes has the sum of at most three of its rays inside, and a ray lies in two
    of the planes. So the words of all sums of up to three rays are all words.
    """
    k = len(contacts)
    rows = [[Fraction(float(x)) for x in row] for row in (*contacts.N, *contacts.T)]
    values = set()
    for (a, b, c), (d, e, f) in combinations(rows, 2):
        ray = (b * f - c * e, c * d - a * f, a * e - b * d)
        size = max(abs(x) for x in ray)
        if size:
            along = tuple(sum(x * y for x, y in zip(row, ray, strict=True)) / size for row in rows)
            values |= {along, tuple(-x for x in along)}
    words = set()
    for count in range(4):
        for some in combinations(values, count):
            word = _spell([sum(column) for column in zip(*some, strict=True)] or [0] * (2 * k), contacts.closed)
            words |= {word} if word else set()
    return words


def _spell(along, closed):
    """The word of a motion with these values of N.v and T.v; None if it goes into an obstacle."""
    word, k = "", len(closed)
    for i in range(k):
        n, t = along[i], along[k + i]
        if closed[i] and n < 0:
            return None
        word += "a" if n < 0 else "s" if n > 0 or not closed[i] else "n" if t == 0 else "r" if t > 0 else "l"
    return word
