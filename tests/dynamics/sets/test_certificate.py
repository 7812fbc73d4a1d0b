"""The certificate convicts: each law broken alone shows in its own residual, with the right size."""

from __future__ import annotations

import numpy as np
import pytest

from dynamics.sets.certificate import compute_residuals
from tests.dynamics.problems import make_problem

UP = (0.0, 1.0)


def certify(a, forces, w=(0, -1, 0), slip=0, mu=0.5, **more):
    problem = make_problem(w, [(UP, (0, 1), slip, mu)] * len(forces), **more)
    return compute_residuals(problem, a, *np.transpose(np.array(forces, float).reshape(-1, 2)))


def test_perfect_answer_has_no_residual():
    assert certify((0, 0, 0), [(1, 0)]).worst == 0.0


@pytest.mark.parametrize(("a", "forces", "law", "size"), [
    ((0, 0, 0), [(0.9, 0)], "balance", 0.1), ((0, -0.2, 0), [(0.8, 0)], "gap", 0.2),
    ((0, -2, 0), [(-1, 0)], "cone", 1.0), ((0.7, 0, 0.7), [(1, 0.7)], "cone", 0.2 / np.sqrt(1.25)),
    ((0, 0.3, 0), [(1.3, 0)], "complementarity", 0.3),
])
def test_each_law_at_rest(a, forces, law, size):
    assert np.isclose(getattr(certify(a, forces), law), size, atol=1e-12)


def test_direction_of_a_sliding_contact():
    good, bad = certify((-0.5, 0, -0.5), [(1, -0.5)], slip=1), certify((0.5, 0, 0.5), [(1, 0.5)], slip=1)
    assert good.worst <= 1e-15
    assert np.isclose(bad.direction, 1.0 / np.sqrt(1.25)) and bad.balance <= 1e-15
    assert certify((0.1, 0, 0.1), [(1, 0.1)], slip=0).direction > 0.05  # slips to the right, pushed to the right


def test_infinite_friction_allows_tangential_force_alone():
    assert certify((-1, -1, -1), [(0, -1)], slip=1, mu=np.inf).direction <= 1e-15
    assert certify((-1, 0, -1), [(1, -1)], slip=1, mu=np.inf).direction >= 0.9


def test_corner_on_corner_pushes_only_where_both_hold():
    h = np.sqrt(0.5)
    problem = make_problem((0, -1, 0), [((h, h), (0, 1), 0, 0.5), ((-h, h), (0, 1), 0, 0.5)], corner=[1, 0])
    both = compute_residuals(problem, (0, 0, 0), [h, h], [0, 0])
    assert both.gap == 0 and both.complementarity == 0 and both.balance <= 1e-15
    free = compute_residuals(problem, (1, 0, 0), [1.0, 0], [0, 0])
    assert free.gap == 0 and np.isclose(free.complementarity, h)  # the first normal has opened
    into = compute_residuals(problem, (0, -1, 0), [0, 0], [0, 0])
    assert np.isclose(into.gap, h)
