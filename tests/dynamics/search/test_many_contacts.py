"""The search for many contacts against the one for few, as sets, on problems in which faces, edges and vertices of Q
are shared in every way; and against its own certificate where no twin can follow."""

from __future__ import annotations

import numpy as np
import pytest

from dynamics import ContactProblem, find_accelerations
from dynamics.search.members import allocate_set_buffer, find_members, find_members_of_crowd
from dynamics.search.problem import OK, STATUS, Problem
from dynamics.sets.pieces import is_inside
from dynamics.tolerances import DEFAULT_TOLERANCES
from tests.dynamics.problems import make_floor, make_generic, make_lattice

NO_RAYS = np.zeros((0, 3))


def make_rows(rng, N, b, rest=False) -> ContactProblem:
    k = len(b)
    T = np.column_stack([N[:, 1], -N[:, 0], rng.normal(size=k)])
    d, slip = (np.zeros(k), np.zeros(k, int)) if rest else (rng.normal(size=k), rng.integers(-1, 2, size=k))
    return ContactProblem(2.0 * rng.normal(size=3), N, b, T, d, slip, np.full(k, 0.5))


def make_around(rng, k) -> ContactProblem:
    """Every plane is a face of Q."""
    N = rng.normal(size=(k, 3))
    return make_rows(rng, N, np.linalg.norm(N, axis=1))


def make_few_faces(rng, k) -> ContactProblem:
    """Most planes lie outside Q, which may be empty or unbounded."""
    return make_rows(rng, rng.normal(size=(k, 3)), rng.normal(size=k) + rng.choice([0.0, 2.0]))


def make_cone(rng, k) -> ContactProblem:
    """All planes meet at the origin, each of them a face there, or only some."""
    around = rng.uniform(0.0, 2.0 * np.pi, size=k)
    N = np.column_stack([0.5 * np.cos(around), np.ones(k), 0.5 * np.sin(around)])
    return make_rows(rng, N if rng.random() < 0.5 else rng.normal(size=(k, 3)), np.zeros(k), rest=True)


def make_prism(rng, k) -> ContactProblem:
    """All planes are parallel to one direction, of the axes or any."""
    around = rng.uniform(0.0, 2.0 * np.pi, size=k)
    axes = np.eye(3) if rng.random() < 0.5 else np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return make_rows(rng, np.cos(around)[:, None] * axes[0] + np.sin(around)[:, None] * axes[1], np.ones(k))


def make_shared(rng, k) -> ContactProblem:
    """Each plane has several contacts, with tangents and frictions of their own."""
    few = make_around(rng, max(k // 3, 1))
    rows = rng.integers(0, len(few), size=k)
    return ContactProblem(few.w, few.N[rows], few.b[rows], few.T[rows], few.d[rows], rng.integers(-1, 2, size=k),
                          rng.choice([0.0, 0.3, 2.0], size=k))


def make_integers(rng, k) -> ContactProblem:
    """Vertices at which many planes meet, edges that many share."""
    N = rng.integers(-2, 3, size=(k, 3)).astype(float)
    N[(N == 0.0).all(axis=1), 0] = 1.0
    return make_rows(rng, N, rng.integers(0, 3, size=k).astype(float))


def make_with_corners(rng, k) -> ContactProblem:
    """One or two corners on a corner among other contacts."""
    plain = make_lattice(rng, k) if rng.random() < 0.5 else make_generic(rng, k)
    corner = np.full(k, -1)
    for i in range(0, min(k - 1, int(rng.integers(1, 4))), 2):
        corner[i], corner[i + 1] = i + 1, i
    return ContactProblem(plain.w, plain.N, plain.b, plain.T, plain.d, plain.slip, plain.mu, corner)


MAKERS = [make_generic, make_lattice, make_floor, make_around, make_few_faces, make_cone, make_prism, make_shared,
          make_integers, make_with_corners]


def find_set(problem: ContactProblem, search):
    """(kind, pieces): vertices, rays and dimension of each."""
    arrays = Problem(*(getattr(problem, name) for name in Problem._fields))
    buffer = allocate_set_buffer(len(problem), 1 << 11)
    kind = search(arrays, DEFAULT_TOLERANCES, buffer)
    found, (pieces, vertices, rays) = buffer.found, buffer.found.counts[:3]
    assert found.counts[STATUS] == OK
    return kind, [(found.vertices[:vertices][found.labels[:vertices, 0] == i].copy(),
                   found.rays[:rays][found.labels[:rays, 1] == i].copy(), found.labels[i, 2]) for i in range(pieces)]


def holds(pieces, point) -> bool:
    near = 1e-6 * (1.0 + np.abs(point).max())
    return any(np.abs(vertices[0] - point).max() <= near if dimension == 0
               else is_inside(vertices, rays, point[None], NO_RAYS, near) for vertices, rays, dimension in pieces)


def check_same(problem, label) -> None:
    """Each set holds the vertices, the middle and a point far out of each piece of the other."""
    kind, pieces = find_set(problem, find_members)
    own_kind, own = find_set(problem, find_members_of_crowd)
    assert own_kind == kind, label
    for one, other in ((pieces, own), (own, pieces)):
        for vertices, rays, _ in one:
            for point in (*vertices, vertices.mean(axis=0) + rays.sum(axis=0)):
                assert holds(other, point), f"{point} is missing, {label}"


@pytest.mark.parametrize("make", MAKERS)
def test_set_is_that_of_the_search_for_few(make):
    for seed in range(300):
        rng = np.random.default_rng([seed, 29])
        k = int(rng.integers(1, 10))
        check_same(make(rng, max(k, 2)), f"{make.__name__}, seed {seed}")


@pytest.mark.parametrize("make", [make_around, make_few_faces, make_cone, make_prism, make_integers])
def test_sixty_four_contacts_agree_with_the_search_for_few(make):
    for seed in range(4):
        check_same(make(np.random.default_rng([seed, 31]), 64), f"{make.__name__}, seed {seed}")


@pytest.mark.parametrize("seed", range(2))
def test_four_thousand_contacts_are_certified(seed):
    """...and so is each answer of the contacts that push in it, alone: what the rest forbids was asked of all."""
    problem = make_around(np.random.default_rng([seed, 37]), 4096)
    answer = find_accelerations(problem)
    assert answer.kind != "none"
    for piece in answer.pieces:
        assert all(residuals.worst <= 1e-8 for residuals in piece.residuals), f"seed {seed}: {piece!r}"
        closed = [i for i, letter in enumerate(piece.mode) if letter != "s"]
        part = ContactProblem(problem.w, problem.N[closed], problem.b[closed], problem.T[closed], problem.d[closed],
                              problem.slip[closed], problem.mu[closed])
        pieces = find_set(part, find_members)[1]
        assert all(holds(pieces, vertex) for vertex in piece.vertices), f"seed {seed}: {piece!r}"
