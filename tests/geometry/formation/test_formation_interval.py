"""Paths of vertices seen from a body that moves as well, and the quintics that bound them."""

import math

import numpy as np

from geometry.formation.interval import compute_path, evaluate_quintic, make_quintic
from geometry.shapes.pose import Pose


def move(t, amplitude):
    """(pose, velocity, acceleration) of a frame that swings in x, y and theta; amplitude (3,)."""
    w = np.array([1.3, 0.7, 2.1])
    return amplitude * np.sin(w * t), amplitude * w * np.cos(w * t), -amplitude * w * w * np.sin(w * t)


def test_paths_and_their_derivatives(rng):
    for _ in range(20):
        points, first, second = rng.normal(size=(4, 2)), rng.normal(size=3), rng.normal(size=3)

        def see(t, points=points, first=first, second=second):
            world = Pose(*move(t, first)[0]).transform(points)
            return Pose(*move(t, second)[0]).inverse().transform(world)

        t, h = rng.uniform(0.0, 6.0), 1e-3
        path = compute_path(points, move(t, first), move(t, second))
        before, now, after = see(t - h), see(t), see(t + h)
        np.testing.assert_allclose(path[0], now, atol=1e-13)
        np.testing.assert_allclose(path[1], (after - before) / (2.0 * h), atol=1e-4 * (1.0 + np.abs(path).max()))
        np.testing.assert_allclose(path[2], (after - 2.0 * now + before) / h**2, atol=1e-4 * (1.0 + np.abs(path).max()))


def test_the_quintic_has_the_derivatives_of_both_ends_and_the_error_of_its_order():
    ends = lambda t: np.array([math.sin(t), math.cos(t), -math.sin(t)])  # noqa: E731
    error = []
    for h in (0.8, 0.4, -0.4):
        control = make_quintic(ends(0.3), ends(0.3 + h), h)
        error.append(abs(evaluate_quintic(control, 0.5) - math.sin(0.3 + 0.5 * h)))
        for u in (0.0, 1.0):
            assert abs(evaluate_quintic(control, u) - math.sin(0.3 + u * h)) < 1e-15
            slope = (evaluate_quintic(control, u + 1e-5) - evaluate_quintic(control, u - 1e-5)) / (2e-5 * h)
            assert abs(slope - math.cos(0.3 + u * h)) < 1e-8
        inside = [evaluate_quintic(control, u) for u in np.linspace(0.0, 1.0, 101)]
        assert control.min() <= min(inside) and max(inside) <= control.max()
    assert 5.5 < math.log2(error[0] / error[1]) < 6.5 and error[2] < 2.0 * error[1] < 1e-6
