"""The twin of `tests/naive/accelerations.py` in rational numbers: what the laws allow for the doubles of a problem.

For one assignment of letters the laws are linear in the forces f along the friction edges and a homogeneous coordinate
h: a polyhedral cone. Its extreme rays, found by trying every set of constraints that could be tight, are the vertices
(h > 0) of the part of the set that belongs to the assignment. Slow: for two or three contacts.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product


def find_exact_vertices(problem) -> list[tuple[list[float], float]]:
    """(acceleration, largest force along an edge) of every vertex of every assignment of letters."""
    rows = [[[Fraction(x) for x in row] for row in table.tolist()] for table in (problem.N, problem.T)]
    numbers = [[Fraction(x) for x in column.tolist()] for column in (problem.b, problem.d, problem.mu, problem.w)]
    vertices = {}
    for letters in product("snrl", repeat=len(problem)):
        for point, force in _find_vertices(rows, numbers, problem.slip.tolist(), letters):
            vertices[point] = min(force, vertices.get(point, force))
    return [([float(x) for x in point], float(force)) for point, force in vertices.items()]


def _find_vertices(rows, numbers, slips, letters):
    edges, equal, above = [], [], []
    b, d, mu, w = numbers
    for i, letter in enumerate(letters):
        n, t = rows[0][i], rows[1][i]
        if letter == "s":
            above.append((n, b[i]))
            continue
        if (letter == "n" and slips[i]) or (letter == "r" and slips[i] < 0) or (letter == "l" and slips[i] > 0):
            return
        equal.append((n, b[i]))
        edges += [_add(n, t, -mu[i])] * (letter in "nr") + [_add(n, t, mu[i])] * (letter in "nl")
        if slips[i] == 0 and letter == "n":
            equal.append((t, d[i]))
        elif slips[i] == 0:
            above.append((t, d[i]) if letter == "r" else ([-x for x in t], -d[i]))

    def lift(row, bias):
        return [*(_dot(row, edge) for edge in edges), _dot(row, w) + bias]

    free = _find_null_space([lift(*law) for law in equal], len(edges) + 1)
    bounds = [[Fraction(int(i == j)) for j in range(len(edges) + 1)] for i in range(len(edges) + 1)]
    bounds += [lift(*law) for law in above]
    for ray in _find_extreme([[_dot(bound, vector) for vector in free] for bound in bounds], len(free)):
        f = [sum(z * vector[i] for z, vector in zip(ray, free, strict=True)) for i in range(len(edges) + 1)]
        if f[-1] > 0:
            a = [w[c] + sum(share * edge[c] for share, edge in zip(f, edges, strict=False)) / f[-1] for c in range(3)]
            yield tuple(a), max([share / f[-1] for share in f[:-1]], default=Fraction(0))


def _find_extreme(sides, q):
    """Extreme rays z of {sides z >= 0} in Q^q."""
    sides = [side for side in sides if any(side)]
    subsets = combinations(sides, q - 1) if q > 1 else [()] * q
    for subset in subsets:
        null = _find_null_space(list(subset), q)
        if len(null) == 1:
            for sign in (1, -1):
                ray = [sign * z for z in null[0]]
                if all(_dot(side, ray) >= 0 for side in sides):
                    yield ray


def _find_null_space(rows, m):
    """A basis of {x in Q^m : rows x = 0}, by Gauss and Jordan's elimination."""
    rows, pivots = [list(row) for row in rows], []
    for column in range(m):
        place = next((i for i in range(len(pivots), len(rows)) if rows[i][column]), None)
        if place is None:
            continue
        r = len(pivots)
        rows[r], rows[place] = rows[place], rows[r]
        rows[r] = [x / rows[r][column] for x in rows[r]]
        for i, row in enumerate(rows):
            if i != r and row[column]:
                rows[i] = _add(row, rows[r], -row[column])
        pivots.append(column)
    basis = []
    for column in sorted(set(range(m)) - set(pivots)):
        vector = [Fraction(int(i == column)) for i in range(m)]
        for r, pivot in enumerate(pivots):
            vector[pivot] = -rows[r][column]
        basis.append(vector)
    return basis


def _add(a, b, factor):
    return [x + factor * y for x, y in zip(a, b, strict=True)]


def _dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))
