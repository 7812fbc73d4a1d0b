"""Erdmann's frame and rules for one contact, against the general core and the printed numbers."""

from __future__ import annotations

import numpy as np
import pytest

from dynamics import ContactProblem, find_accelerations
from dynamics.cones.cone import (
    check_equilibrium,
    compute_frame,
    compute_reaction,
    compute_rows,
    find_dipping,
    find_intervals,
    project_force,
)
from tests.dynamics.problems import make_problem


def make_frames(rng, count, mu=None):
    for _ in range(count):
        angle = rng.uniform(0, 2 * np.pi)
        yield compute_frame((np.cos(angle), np.sin(angle)), rng.normal(size=2), rng.uniform(0.2, 3),
                            rng.uniform(0.05, 3) if mu is None else mu)


def test_frame_is_orthonormal(rng):
    for f in make_frames(rng, 500):
        axes = np.array([f.n, f.t_r, f.t_r_perp])
        assert np.abs(axes @ axes.T - np.eye(3)).max() <= 1e-12
        assert abs(f.v_f @ f.t_r) <= 1e-12 and abs(f.n @ f.t_s) <= 1e-12
        assert f.t_r_perp @ f.n0 >= 0 and f.t_r_perp @ f.t_s > 0 and f.t_r_perp @ f.v_f > 0


def test_edges_are_the_lines_of_k1_and_k2(rng):
    for f in make_frames(rng, 500):
        plus, minus = f.edges
        assert abs(plus @ f.t_r) <= 1e-12 and abs(minus @ f.t_r) <= 1e-12
        for edge, k in ((plus, f.k1), (minus, f.k2)):
            assert abs(edge @ f.n - k * (edge @ f.t_r_perp)) <= 1e-9 * (1 + abs(k))
        assert f.k2 < 0


def test_dipping_test_is_the_sign_of_k1(rng):
    seen = set()
    for f in make_frames(rng, 1000):
        lowest = min(f.edges @ f.n)
        assert f.dips == (f.k1 < 0) == (lowest < 0)
        rows = np.array([f.n * f.delta, f.v_f])
        problem = ContactProblem((0, 0, 0), rows[:1], [0], rows[1:], [0], [0], [f.mu])
        assert (len(find_dipping(problem)) == 1) == f.dips
        seen.add(f.dips)
    assert seen == {True, False}


def test_rows_are_erdmanns_vectors(rng):
    for f in make_frames(rng, 200):
        n, t = compute_rows(f.n0[:2], f.r[:2], f.rho)
        assert np.allclose(n, f.delta * f.n) and (np.allclose(t, f.v_f) or np.allclose(t, -f.v_f))
        crossed = n[2] * f.rho * (f.n0[0] * f.r[0] + f.n0[1] * f.r[1])
        assert np.allclose(t, -f.v_f) == (crossed > 0)  # the papers turn t when n_q v_q > 0


def test_frictionless_cone_is_its_normal():
    f = compute_frame((0, 1), (0.3, 1), 1.0, 0.0)
    assert f.k1 == np.inf and f.k2 == -np.inf and not f.dips and np.allclose(f.edges, f.delta * f.n)


@pytest.mark.parametrize(("r", "edges"), [
    ((1, 1), [(0.25, 1, -0.75), (-0.25, 1, -1.25)]), ((-1, 1), [(0.25, 1, 1.25), (-0.25, 1, 0.75)]),
    ((0, 1), [(0.25, 1, 0.25), (-0.25, 1, -0.25)]),
])
def test_edges_of_figure_6(r, edges):
    mine = compute_frame((0, 1), r, 1.0, 0.25).edges
    assert np.allclose(sorted(map(tuple, mine)), sorted(edges))


def rest_problem(f, force):
    n, t = compute_rows(f.n0[:2], f.r[:2], f.rho)
    return ContactProblem(force, [n], [0], [t], [0], [0], [f.mu])


def test_equilibrium_is_membership_of_zero(rng):
    verdicts = []
    for f in make_frames(rng, 300):
        weights = rng.uniform(-0.3, 1, size=2)
        force = -weights @ f.edges
        verdict, violation = check_equilibrium(f, force)
        assert verdict == (weights >= 0).all(), (weights, violation)
        answer = find_accelerations(rest_problem(f, force))
        assert any(np.abs(p.vertices).max() < 1e-9 for p in answer.pieces) == verdict
        assert not check_equilibrium(f, force + 0.1 * f.t_r)[0]
        verdicts.append(verdict)
    assert 20 < sum(verdicts) < 280


def test_projection_at_rest_equals_the_core(rng):
    count = 0
    for f in make_frames(rng, 300):
        if f.dips:
            with pytest.raises(ValueError, match="dips"):
                project_force(f, (0, -1, 0))
            continue
        force = rng.normal(size=3)
        answer = find_accelerations(rest_problem(f, force))
        assert answer.kind == "one"
        assert np.allclose(force + project_force(f, force), answer.pieces[0].vertices[0], atol=1e-9)
        count += 1
    assert count > 100


def test_reaction_in_motion_equals_the_core(rng):
    """Section 5.6 against the general core, both contact types, sliding or not, mass 2."""
    mass = 2.0
    for f in make_frames(rng, 300, mu=0.3):
        if f.dips:
            continue
        omega, slip = rng.normal(), float(rng.integers(-1, 2))
        n, _ = compute_rows(f.n0[:2], f.r[:2], f.rho)
        b = omega**2 * (f.n0 @ f.r) if slip == 0 else rng.normal()  # without slip both types agree
        d = omega**2 * (f.t_s @ f.r)
        force = rng.normal(size=3)
        reaction = compute_reaction(f, force, mass, b / f.delta, omega, slip)
        problem = ContactProblem(force / mass, [n], [b], [f.v_f], [d], [int(slip)], [f.mu])
        answer = find_accelerations(problem)
        assert answer.kind == "one"
        assert np.allclose((force + reaction) / mass, answer.pieces[0].vertices[0], atol=1e-8)


def test_intervals_of_table_1():
    """The peg of height 1 between two walls: Table 1's intervals on the line of sliding."""
    contacts = [((1, 0), (1, -0.5), 0, 0.75), ((-1, 0), (-1, 0.5), 0, 0.75)]
    problem = make_problem((0, -10, 4), contacts)
    left, right = find_intervals(problem, np.zeros(3), np.array([0.0, 1.0, 0.0]))
    # t of the left wall is (0, -1), against the papers' choice for t_c = (0, 1, 0): I+ and I- stand as printed
    assert left == ((0.0, np.inf), (-np.inf, 0.0)) and right == ((-np.inf, 0.0), (0.0, np.inf))


@pytest.mark.parametrize(("slip", "slope", "value", "expected"), [
    (1, 1, 0, (None, (-np.inf, np.inf))), (-1, 1, 0, ((-np.inf, np.inf), None)),
    (0, 1, -2, ((-np.inf, 2), (2, np.inf))), (0, -1, -2, ((-2, np.inf), (-np.inf, -2))),
    (0, 0, 1, (None, (-np.inf, np.inf))), (0, 0, -1, ((-np.inf, np.inf), None)),
    (0, 0, 0, ((-np.inf, np.inf), (-np.inf, np.inf))),
])
def test_every_row_of_table_1(slip, slope, value, expected):
    problem = ContactProblem((0, 0, 0), [(0, 1, 0)], [0], [(1, 0, 0)], [value], [slip], [0.5])
    assert find_intervals(problem, np.zeros(3), np.array([slope, 0, 0])) == [expected]
