"""Random contact problems and small helpers that the tests of the contact problem share."""

from __future__ import annotations

import numpy as np

from dynamics import ContactProblem
from dynamics.cones.cone import compute_rows


def make_problem(w, contacts, rho=1.0, corner=None) -> ContactProblem:
    """contacts: (normal, r, slip, mu[, b[, d]]) each."""
    rows = [compute_rows(c[0], c[1], rho) for c in contacts]
    fields = [[*c, 0.0, 0.0][:6] if len(c) < 6 else c for c in contacts]
    return ContactProblem(
        w, [r[0] for r in rows], [c[4] for c in fields], [r[1] for r in rows], [c[5] for c in fields],
        [c[2] for c in fields], [c[3] for c in fields], corner,
    )


def make_generic(rng, k) -> ContactProblem:
    """Random directions, arms, velocities; half of the problems at rest."""
    rest = rng.random() < 0.5
    contacts = []
    for _ in range(k):
        angle = rng.uniform(0, 2 * np.pi)
        slip = 0 if rest else int(rng.integers(-1, 2))
        b, d = (0.0, 0.0) if rest else rng.normal(size=2)
        mu = rng.choice([0.0, 0.2, 0.7, 1.5, 4.0]) * rng.uniform(0.8, 1.2)
        contacts.append(((np.cos(angle), np.sin(angle)), rng.normal(size=2), slip, mu, b, d))
    return make_problem(rng.normal(size=3), contacts, rng.uniform(0.3, 2.0))


def make_lattice(rng, k) -> ContactProblem:
    """Small integers everywhere: opposed, parallel and coincident contacts, forces and biases on boundaries."""
    normals = [(1, 0), (-1, 0), (0, 1), (0, -1)]
    contacts = []
    for _ in range(k):
        b, d = rng.choice([0, 0, 0, 1, -1], size=2)
        contacts.append((
            normals[rng.integers(4)], rng.integers(-1, 2, size=2), int(rng.choice([0, 0, -1, 1])),
            float(rng.choice([0, 0.5, 1, 2])), float(b), float(d),
        ))
    if k > 1 and rng.random() < 0.3:
        contacts[1] = (*contacts[0][:3], float(rng.choice([0, 0.5, 1, 2])), *contacts[0][4:])
    return make_problem(rng.integers(-2, 3, size=3).astype(float), contacts)


def make_floor(rng, k) -> ContactProblem:
    """Contacts of one floor, some of them at one place, at rest or sliding together."""
    slip = int(rng.integers(-1, 2))
    w = np.array([rng.normal(), -1.0, rng.normal()])
    if rng.random() < 0.3:
        w = rng.integers(-2, 3, size=3).astype(float)
    mu = rng.choice([0.25, 0.5, 1.0, 3.0])
    places = rng.choice([-1.0, -0.5, 0.0, 1.0], size=k) if rng.random() < 0.5 else rng.normal(size=k)
    return make_problem(w, [((0, 1), (x, 1.0), slip, mu) for x in places])


def make_corners(rng, k) -> ContactProblem:
    """Contacts of which the first two (and, of four, the last two) are the normals of one corner on a corner."""
    plain = make_lattice(rng, k) if rng.random() < 0.5 else make_generic(rng, k)
    corner = [1, 0, 3, 2] if k == 4 else [1, 0, -1][:k]
    return ContactProblem(plain.w, plain.N, plain.b, plain.T, plain.d, plain.slip, plain.mu, corner)
