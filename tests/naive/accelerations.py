"""The slow, obvious twin of `dynamics.find_accelerations`: every assignment of letters to contacts, 4^k of them.

For one assignment the laws are linear in the forces f along the friction edges: a polyhedron, whose vertices and
extreme directions are found by trying every set of constraints that could be tight. Its image a = w + E f is the part
of the acceleration set that belongs to the assignment. Nothing here knows of faces, cells or cones.
"""

from __future__ import annotations

from itertools import combinations, product
from typing import NamedTuple

import numpy as np

TIGHT = 1e-9


class Part(NamedTuple):
    """The accelerations of one assignment of letters: hull of points plus directions."""

    letters: tuple
    points: np.ndarray
    directions: np.ndarray


def find_all(problem) -> list[Part]:
    """One part for each choice among the alternatives of corner contacts and each feasible assignment of letters."""
    parts = []
    pairs = [(i, int(j)) for i, j in enumerate(problem.corner) if j > i]
    for choice in product(range(4), repeat=len(pairs)):
        rules = [list("snrl")] * len(problem.b)
        for (i, j), alternative in zip(pairs, choice, strict=True):
            if alternative == 0:  # first normal holds, second must not open
                rules[j] = ["-"]
            elif alternative == 1:
                rules[i] = ["-"]
            elif alternative == 2:  # both hold
                rules[i] = rules[j] = list("nrl")
            else:  # open: either half-space will do; each is listed
                rules[i], rules[j] = ["s", "f"], ["s", "f"]
        for letters in product(*rules):
            if any(letters[i] == letters[j] == "f" for i, j in pairs):
                continue
            part = _find_part(problem, letters)
            if part is not None:
                parts.append(part)
    return parts


def _find_part(problem, letters):
    edges, equal, above = [], [], []
    for i, letter in enumerate(letters):
        n, t, b, d = problem.N[i], problem.T[i], problem.b[i], problem.d[i]
        slip, mu = problem.slip[i], problem.mu[i]
        if letter == "s":
            above.append((n, b))
        elif letter == "-":
            above.append((-n, -b))
        elif letter == "f":
            continue
        else:
            equal.append((n, b))
            if (letter == "n" and slip != 0) or (letter == "r" and slip < 0) or (letter == "l" and slip > 0):
                return None
            if letter in "nr":
                edges.append(n - mu * t)
            if letter in "nl":
                edges.append(n + mu * t)
            if slip == 0:
                if letter == "n":
                    equal.append((t, d))
                else:
                    above.append((t, d) if letter == "r" else (-t, -d))
    points, directions = _find_corners(problem.w, np.array(edges).reshape(-1, 3), equal, above)
    if len(points) == 0:
        return None
    return Part(letters, points, directions)


def _find_corners(w, edges, equal, above):
    """Vertices and extreme directions of {w + E f}, through the cone of (f, h) with h the homogeneous coordinate."""
    m = len(edges)
    lift = np.column_stack([edges.T, w])  # a = lift (f, h) / h
    equations = np.array([np.append(row @ lift[:, :m], row @ w + b) for row, b in equal]).reshape(-1, m + 1)
    bounds = np.vstack([np.eye(m + 1), *(np.append(row @ lift[:, :m], row @ w + b)[None] for row, b in above)])
    _, sizes, right = np.linalg.svd(equations, full_matrices=True)
    rank = int((sizes > TIGHT).sum())
    free = right[rank:]  # (q, m + 1): basis of the solutions of the equations
    q = len(free)
    if q == 0:
        return np.zeros((0, 3)), np.zeros((0, 3))
    sides = bounds @ free.T
    sizes = np.linalg.norm(sides, axis=1)
    sides = sides[sizes > TIGHT] / sizes[sizes > TIGHT, None]
    rays = _find_extreme(sides, q) @ free
    points, directions = [], []
    for ray in rays:
        a = lift[:, :m] @ ray[:m]
        if ray[m] > 1e-8:
            points.append(w + a / ray[m])
        elif np.linalg.norm(a) > 1e-8:
            directions.append(a / np.linalg.norm(a))
    return np.array(points).reshape(-1, 3), np.array(directions).reshape(-1, 3)


def _find_extreme(sides, q):
    """Extreme rays z of {sides z >= 0} in R^q: directions orthogonal to q - 1 independent sides."""
    if q == 1:
        candidates = np.ones((1, 1))
    else:
        subsets = np.array(list(combinations(range(len(sides)), q - 1)), int).reshape(-1, q - 1)
        if len(subsets) == 0:
            return np.zeros((0, q))
        _, sizes, right = np.linalg.svd(sides[subsets], full_matrices=True)
        candidates = right[sizes[:, -1] > TIGHT, -1]
    candidates = np.vstack([candidates, -candidates])
    kept = candidates[(candidates @ sides.T >= -TIGHT).all(axis=1)]
    distinct = []
    for z in kept:
        if all(np.abs(z - other).max() > 1e-9 for other in distinct):
            distinct.append(z)
    return np.array(distinct).reshape(-1, q)


def compute_support(points, directions, axis) -> float:
    """Largest value of axis.a on the set: -inf if it is empty, inf if it has no end."""
    if len(points) == 0:
        return -np.inf
    if len(directions) and (directions @ axis).max() > 1e-7:
        return np.inf
    return float((points @ axis).max())
