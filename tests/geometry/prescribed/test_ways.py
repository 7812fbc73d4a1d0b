"""Bounds of where a motion goes hold at every instant, and are exact where one thing moves."""

from math import inf, pi

import numpy as np
import pytest

from geometry.prescribed.motion import Coordinate, CurvePiece, Motion, Wave
from geometry.prescribed.ways import bound_coordinate, bound_places, bound_sine


def test_random_coordinates_stay_within_their_bounds(rng):
    for _ in range(100):
        begins = np.concatenate([[-inf], np.sort(rng.uniform(0.0, 2.0, rng.integers(0, 4)))])
        pieces = tuple(CurvePiece(float(begin), float(rng.uniform(-1.0, 2.0)),
                                  tuple(rng.normal(size=rng.integers(1, 7)).tolist())) for begin in begins)
        coordinate = Coordinate(pieces, tuple(Wave(*rng.normal(size=3).tolist()) for _ in range(rng.integers(0, 3))))
        low, high = bound_coordinate(coordinate, 0.0, 1.7)
        values = coordinate.evaluate(np.linspace(0.0, 1.7 - 1e-12, 2000))[0]
        size = np.abs(values).max()
        assert low <= values.min() + 1e-12 * size and high >= values.max() - 1e-12 * size


@pytest.mark.parametrize("begin, end, low, high", [
    (0.0, 0.5 * pi, 0.0, 1.0), (0.1, 0.2, np.sin(0.1), np.sin(0.2)), (3.0, 6.0, -1.0, np.sin(3.0)),
    (-0.5 * pi, -0.5 * pi, -1.0, -1.0), (100.0, 107.0, -1.0, 1.0),
])
def test_the_sine_is_bounded_by_its_ends_and_the_crests_between(begin, end, low, high):
    assert bound_sine(begin, end) == pytest.approx((low, high), abs=1e-15)


def test_a_crest_between_two_looks_is_not_missed():
    """The wave turns round between any two of 200 even times, and is at its crest at none of them."""
    wave = Coordinate(waves=(Wave(0.3, 2.0 * pi * 200.0, 0.1),))
    assert bound_coordinate(wave, 0.0, 1.0) == (-0.3, 0.3)


def test_a_rest_to_rest_quintic_and_a_turn_are_exact():
    quintic = Coordinate((CurvePiece(-inf, 0.0, (0.0, 0.0, 0.0, 10.0, -15.0, 6.0)), CurvePiece(1.0, 1.0, (1.0,))))
    assert bound_coordinate(quintic, 0.0, 1.0) == pytest.approx((0.0, 1.0), abs=1e-15)
    assert bound_coordinate(quintic, 0.0, 0.5) == pytest.approx((0.0, 0.5), abs=1e-15)
    turning = Motion(theta=Coordinate((CurvePiece(-inf, 0.0, (0.0, 1.0)),)), pivot=(0.5, 0.0))
    low, high = bound_places(turning, np.array([[1.5, 0.0]]), 0.0, 0.75 * pi)  # an arm of 1 m, through 135 degrees
    np.testing.assert_allclose([low, high], [[-np.sqrt(0.5), 0.0], [1.0, 1.0]], atol=1e-15)
