"""What linear programs, which know nothing of the search, say of its answers: whether the least-norm forces are the
only ones, and whether a part can rest where friction is so large that the edges of a cone are nearly opposed."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from dynamics import find_accelerations
from tests.dynamics.problems import make_floor, make_generic, make_problem

# The state of a contact at an acceleration is read with the search's own tolerance; a force that can change by less
# than CHANGE cannot change.
NEAR, CHANGE = 1e-9, 1e-5


def list_edges(problem, a):
    """Wrenches (m, 3) of the friction edges that the contacts may use at an acceleration, and whose they are (m,)."""
    edges, holder = [], []
    near = NEAR * (np.abs(problem.w).max() + np.abs(a).max() + np.abs(problem.b).max() + np.abs(problem.d).max())
    for i, (n, t, mu) in enumerate(zip(problem.N, problem.T, problem.mu, strict=True)):
        if n @ a + problem.b[i] > near * np.linalg.norm(n):
            continue
        slip = problem.slip[i] or t @ a + problem.d[i]
        slip = np.sign(slip) if abs(slip) > near * np.linalg.norm(t) else 0.0
        for side in {-mu * slip} if slip or mu == 0.0 else {-mu, mu}:
            edges.append(n + side * t)
            holder.append(i)
    return np.array(edges).reshape(-1, 3), holder


def find_change(edges, start, direction) -> float:
    """How far the coefficients of the edges, `start` (m,) >= 0, can go in a direction (m,) with the sum as it is."""
    bounds = [(max(-1.0, -s), 1.0) for s in start]
    program = linprog(-direction, A_eq=edges.T, b_eq=np.zeros(3), bounds=bounds)
    assert program.status == 0, program.message
    return -program.fun


def split_forces(problem, edges, holder, forces):
    """Coefficients (m,) of the edges that make up forces (k, 2)."""
    start = np.zeros(len(holder))
    for i, (fn, ft) in enumerate(forces):
        own = [m for m, h in enumerate(holder) if h == i]
        if len(own) == 1:
            start[own[0]] = fn
        elif own:  # fn = p + q, ft = mu (p - q), the first edge being that of the positive side
            mu = problem.mu[i]
            first = 0 if (edges[own[0]] - edges[own[1]]) @ problem.T[i] > 0.0 else 1
            start[own[first]], start[own[1 - first]] = 0.5 * (fn + ft / mu), 0.5 * (fn - ft / mu)
    return np.maximum(start, 0.0)


def are_unique(problem, a, forces, rng) -> bool:
    """Do no other forces realise an acceleration? A change of the forces has a component along a random direction."""
    edges, holder = list_edges(problem, a)
    if not holder:
        return True
    start = split_forces(problem, edges, holder, forces)
    assert np.abs(start @ edges - (a - problem.w)).max() < 1e-7 * (1.0 + np.abs(start).max())
    direction = rng.normal(size=len(holder))
    return max(find_change(edges, start, direction), find_change(edges, start, -direction)) < CHANGE


def make_rest(rng, k):
    """Contacts at rest with small integers everywhere: forces on the edges of their cones, contacts without force."""
    normals = [(1, 0), (-1, 0), (0, 1), (0, -1)]
    contacts = [(normals[rng.integers(4)], rng.integers(-1, 2, size=2), 0, float(rng.choice([0.5, 1.0, 2.0])))
                for _ in range(k)]
    return make_problem(rng.integers(-2, 3, size=3).astype(float), contacts)


def make_held(rng, k):
    """Contacts at rest whose least-norm forces are known: those nearest, in their cones, to a random dual point."""
    angles, mu = rng.uniform(0.0, 2.0 * np.pi, size=k), rng.choice([0.3, 0.5, 1.0], size=k)
    contacts = [((np.cos(q), np.sin(q)), rng.normal(size=2), 0, m) for q, m in zip(angles, mu, strict=True)]
    rows = make_problem(np.zeros(3), contacts)
    y, w = rng.normal(size=3), np.zeros(3)
    for n, t, m in zip(rows.N, rows.T, mu, strict=True):
        fn, ft = n @ y, t @ y
        if abs(ft) > m * fn:
            side = m * np.sign(ft)
            fn = max(0.0, (fn + side * ft) / (1.0 + m * m))
            ft = side * fn
        w -= fn * n + ft * t
    return make_problem(w, contacts)


def compare_forces(problem, rng):
    """(said, found) for every piece: are its forces the only ones?"""
    for piece in find_accelerations(problem).pieces:
        yield piece.forces_unique, all([are_unique(problem, a, f, rng)
                                        for a, f in zip(piece.vertices, piece.forces, strict=True)])


@pytest.mark.parametrize("make", [make_generic, make_floor, make_rest])
def test_forces_are_unique_where_a_linear_program_finds_no_others(make, rng):
    seen = [pair for _ in range(80) for pair in compare_forces(make(rng, int(rng.integers(1, 6))), rng)]
    assert all(said == found for said, found in seen), seen
    assert 10 < sum(said for said, _ in seen) < len(seen) - 10


def test_forces_said_to_be_unique_are_so(rng):
    """The reverse need not hold where a force lies on the edge of its cone to rounding."""
    seen = [pair for _ in range(80) for pair in compare_forces(make_held(rng, int(rng.integers(2, 5))), rng)]
    assert all(found for said, found in seen if said), seen
    assert sum(said for said, _ in seen) > 10 and sum(not found for _, found in seen) > 10


def test_the_force_of_one_contact_is_unique_also_on_the_edge_of_its_cone(rng):
    seen = [pair for _ in range(20) for pair in compare_forces(make_held(rng, 1), rng)]
    assert seen and all(pair == (True, True) for pair in seen), seen


@pytest.mark.parametrize("mu", [0.5, 20.0, 1e6, 1e12, np.inf])
def test_a_part_rests_where_a_linear_program_finds_forces_that_hold_it(mu, rng):
    """Also where friction is so large that the two edges of a cone nearly oppose each other."""
    rests = 0
    for _ in range(60):
        k = int(rng.integers(1, 4))
        normals = rng.normal(size=(k, 2))
        contacts = [(n / np.linalg.norm(n), rng.normal(size=2), 0, mu) for n in normals]
        problem = make_problem(rng.normal(size=3), contacts)
        edges = np.vstack([problem.N, *(problem.N / mu + side * problem.T for side in (-1.0, 1.0))])
        held = linprog(np.ones(len(edges)), A_eq=edges.T, b_eq=-problem.w).status == 0
        found = find_accelerations(problem)
        here = any(np.abs(vertex).max() < 1e-7 for piece in found.pieces for vertex in piece.vertices)
        assert here == held, (problem, found)
        rests += held
    assert 5 < rests < 55
