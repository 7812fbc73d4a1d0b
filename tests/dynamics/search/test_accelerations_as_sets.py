"""The acceleration set against the brute-force twin over all 4^k assignments of letters, as a set."""

from __future__ import annotations

import numpy as np
import pytest

from dynamics import ContactProblem, find_accelerations
from dynamics.search.problem import Problem
from dynamics.search.reactions import solve_forces
from dynamics.sets.certificate import compute_residuals
from dynamics.sets.pieces import is_inside
from dynamics.tolerances import DEFAULT_TOLERANCES
from tests.dynamics.problems import make_corners, make_floor, make_generic, make_lattice
from tests.naive.accelerations import compute_support, find_all

AXES = np.vstack([np.eye(3), -np.eye(3), [(0.6, -0.64, 0.48), (-0.1, 0.9, -0.7)]])
NONE = np.zeros((0, 3))


def holds(answer, point) -> bool:
    """Is a point in one of the pieces?"""
    near = 1e-6 * (1.0 + np.abs(point).max())
    for piece in answer.pieces:
        if piece.dimension == 0:
            if np.abs(piece.vertices[0] - point).max() <= near:
                return True
        elif is_inside(piece.vertices, piece.rays, point[None], NONE, near):
            return True
    return False


def compare(problem, label) -> None:
    """The set, its certificate and its support equal those of the twin."""
    answer = find_accelerations(problem)
    parts = find_all(problem)
    label = f"{label}\n{answer!r}\ntwin: " + "\n".join(f"{''.join(p.letters)} {p.points} {p.directions}" for p in parts)
    points = np.vstack([NONE, *(p.points for p in parts)])
    directions = np.vstack([NONE, *(p.directions for p in parts)])
    mine = np.vstack([NONE, *(p.vertices for p in answer.pieces)])
    my_rays = np.vstack([NONE, *(p.rays for p in answer.pieces)])
    for axis in AXES:
        twin, own = compute_support(points, directions, axis), compute_support(mine, my_rays, axis)
        close = twin == own or abs(twin - own) <= 1e-6 * (1.0 + abs(twin))
        assert close, f"support along {axis}: {own}, {twin}\n{label}"
    for part in parts:
        inside = part.points.mean(axis=0) + part.directions.sum(axis=0)
        for point in (*part.points, inside):
            assert holds(answer, point), f"{point} is missing\n{label}"
    scale = max(1.0, np.abs(problem.w).max(initial=0.0))
    arrays = Problem(*(getattr(problem, name) for name in Problem._fields))
    for piece in answer.pieces:
        for a, residuals in zip(piece.vertices, piece.residuals, strict=True):
            assert residuals.worst <= 1e-7 * max(scale, np.abs(a).max()), f"{residuals}\n{label}"
        inside = piece.vertices.mean(axis=0) + piece.rays.sum(axis=0)
        fn, ft = np.zeros(len(problem)), np.zeros(len(problem))
        solve_forces(arrays, inside, DEFAULT_TOLERANCES, fn, ft)
        residuals = compute_residuals(problem, inside, fn, ft)
        assert residuals.worst <= 1e-7 * max(scale, np.abs(inside).max()), f"inside: {residuals}\n{label}"


@pytest.mark.parametrize("make", [make_generic, make_lattice, make_floor])
@pytest.mark.parametrize(("k", "count"), [(1, 300), (2, 300), (3, 150), (4, 25)])
def test_set_equals_twin(make, k, count):
    for seed in range(count):
        rng = np.random.default_rng([seed, k])
        compare(make(rng, k), f"{make.__name__} seed {seed} k {k}")


@pytest.mark.parametrize(("k", "count"), [(2, 200), (3, 40), (4, 6)])
def test_corner_on_corner_equals_twin(k, count):
    for seed in range(count):
        rng = np.random.default_rng([seed, k, 7])
        compare(make_corners(rng, k), f"make_corners seed {seed} k {k}")


@pytest.mark.parametrize("make", [make_generic, make_lattice, make_floor, make_corners])
def test_search_for_many_contacts_equals_twin(make, monkeypatch):
    """The search for many contacts, on few."""
    monkeypatch.setattr("dynamics.sets.pieces.CROWD", 0)
    for seed in range(100):
        for k in (1, 2, 3)[make is make_corners : 2 if make is make_corners else 3]:
            rng = np.random.default_rng([seed, k, 13])
            compare(make(rng, k), f"{make.__name__} seed {seed} k {k}")


def test_a_segment_too_short_to_measure_holds_its_own_points():
    """Two ends closer than `near` are still a segment; so one met in a problem with mu = 1e9 on opposed contacts."""
    ends = np.array([[0.1, 0.2, 0.3], [0.1, 0.2, 0.3 + 4e-8]])
    nothing = np.zeros((0, 3))
    assert is_inside(ends, nothing, ends[:1], nothing, 1e-7)
    assert not is_inside(ends, nothing, ends[:1] + 1e-6, nothing, 1e-7)
    assert not is_inside(ends, nothing, ends[:1], np.array([[0.0, 0.0, 1.0]]), 1e-7)


def test_opposed_contacts_with_friction_near_infinity():
    problem = ContactProblem(
        w=[-1.0, 1.0, 1.0], N=np.array([[-0.7, 0.0, 1.0], [0.0, -0.7, 0.0], [-0.7, 0.0, 2.0], [-0.7, 0.0, -1.0]]) / 0.7,
        b=np.zeros(4), T=np.array([[0.0, 0.7, 2.0], [-0.7, 0.0, 0.0], [0.0, 0.7, -1.0], [0.0, 0.7, 0.0]]) / 0.7,
        d=np.zeros(4), slip=[1, -1, -1, 0], mu=[0.3, 1e9, 1e9, np.inf])
    found = find_accelerations(problem)
    assert all(r.worst < 1e-6 for piece in found.pieces for r in piece.residuals)
