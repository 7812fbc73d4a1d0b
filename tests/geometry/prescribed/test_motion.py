"""Prescribed motion: values and derivatives, how pieces meet, and the compiled evaluation with its bounds."""

import math

import numpy as np
import pytest

from geometry.prescribed.motion import (
    BENT,
    BROKEN,
    SMOOTH,
    Coordinate,
    CurvePiece,
    Motion,
    MotionError,
    Wave,
    judge_pieces,
)
from geometry.prescribed.movers import bound_mover, build_movers, choose_pieces, evaluate_mover
from geometry.shapes.pose import Pose
from sim.scene.prescribed.motions import build_coordinate


def make_coordinate(rng):
    """Constant, moving, or through waypoints, with up to three waves."""
    waves = tuple(Wave(*rng.normal(size=1), *rng.uniform(0.5, 20.0, 1), *rng.uniform(-3.0, 3.0, 1))
                  for _ in range(rng.integers(0, 4)))
    rate = rng.choice([0.0, rng.normal()])
    kind = rng.integers(0, 3)
    if kind == 0:
        return build_coordinate(rng.normal(), rate, waves)
    times = np.cumsum(rng.uniform(0.1, 0.5, rng.integers(2, 6))) - 0.3
    return build_coordinate((times, rng.normal(size=len(times))), rate, waves, ("smooth", "linear")[kind - 1])


def make_motion(rng):
    return Motion(*(make_coordinate(rng) for _ in range(4)), pivot=tuple(rng.normal(size=2)))


def find_quiet_times(motion, rng, n=40, room=1e-3):
    """Times that are not near a place where pieces meet."""
    times = rng.uniform(-1.0, 2.5, n)
    begins = [piece.begin for c in motion.coordinates for piece in c.pieces[1:]]
    return times[[all(abs(time - begin) > room for begin in begins) for time in times]]


@pytest.mark.parametrize("seed", range(20))
def test_derivatives_are_those_of_the_values(seed):
    rng = np.random.default_rng(seed)
    motion = make_motion(rng)
    times, h = find_quiet_times(motion, rng), 1e-5
    for evaluate in (motion.evaluate, motion.evaluate_frame):
        _, rate, bend = evaluate(times)
        before, after = evaluate(times - h), evaluate(times + h)
        scale = 1.0 + np.abs(bend).max()
        np.testing.assert_allclose((after[0] - before[0]) / (2 * h), rate, atol=1e-6 * scale)
        np.testing.assert_allclose((after[1] - before[1]) / (2 * h), bend, atol=1e-5 * scale)


@pytest.mark.parametrize("seed", range(5))
def test_points_are_where_the_pivot_and_the_turn_put_them(seed):
    rng = np.random.default_rng(seed)
    motion, point = make_motion(rng), rng.normal(size=2)
    for time in (-0.5, 0.0, 0.7):
        x, y, theta, _ = motion.evaluate(time)[0]
        expected = np.array([x, y]) + Pose(0.0, 0.0, theta).rotate(point - motion.pivot)
        np.testing.assert_allclose(motion.place(time).transform(point), expected, atol=1e-12)
        start = motion.place(0.0).transform(point)
        np.testing.assert_allclose(motion.follow_start().place(time).transform(start), expected, atol=1e-12)
    np.testing.assert_allclose(motion.follow_start().place(0.0), 0.0, atol=1e-15)


@pytest.mark.parametrize("seed", range(10))
def test_a_shifted_coordinate_is_zero_at_the_start(seed):
    rng = np.random.default_rng(seed)
    coordinate = make_coordinate(rng)
    shifted = coordinate.shift_to_zero()
    times = np.linspace(-1.0, 2.0, 9)
    assert abs(shifted.evaluate(0.0)[0]) < 1e-15
    one = Coordinate((CurvePiece(-math.inf, 0.0, (rng.normal(), rng.normal())),), (Wave(0.3, 2.0, rng.normal()),))
    assert one.shift_to_zero().evaluate(0.0)[0] == 0.0
    apart = coordinate.evaluate(times)[0] - shifted.evaluate(times)[0]
    np.testing.assert_allclose(apart, coordinate.evaluate(0.0)[0], atol=1e-12)


def test_how_pieces_meet():
    def judge(*pieces):
        return [meets for _, meets in judge_pieces(Coordinate(pieces))]

    first = CurvePiece(-math.inf, 0.0, (1.0, 2.0))
    assert judge(first, CurvePiece(1.0, 1.0, (3.0, 2.0))) == [SMOOTH, SMOOTH]
    assert judge(first, CurvePiece(1.0, 1.0, (3.0, 2.0, 1.0))) == [SMOOTH, BENT]
    assert judge(first, CurvePiece(1.0, 1.0, (3.0, 2.5))) == [SMOOTH, BROKEN]
    with pytest.raises(MotionError, match=r"must not jump: at 1\.0 s from 3\.0 to 3\.1"):
        judge(first, CurvePiece(1.0, 1.0, (3.1, 2.0)))
    with pytest.raises(MotionError, match="rising times"):
        judge(first, CurvePiece(1.0, 1.0, (3.0,)), CurvePiece(1.0, 1.0, (3.0,)))


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e6])
def test_rounding_of_a_spline_is_no_break(scale):
    times = np.array([0.1, 0.2, 0.5, 0.55, 1.0])
    for seed in range(20):
        values = scale * np.random.default_rng(seed).normal(size=5)
        meets = [meets for _, meets in judge_pieces(build_coordinate((times, values), 0.3 * scale))]
        assert meets == [SMOOTH, BENT, SMOOTH, SMOOTH, SMOOTH, BENT]


@pytest.mark.parametrize("seed", range(10))
def test_compiled_values_are_those_of_the_motion(seed):
    rng = np.random.default_rng(seed)
    motions = [make_motion(rng) for _ in range(3)]
    mover, piece, wave = build_movers(motions)
    for time in rng.uniform(-1.0, 2.5, 20):
        choose_pieces(mover, piece, time)
        for m, motion in enumerate(motions):
            evaluate_mover(mover, piece, wave, m, time)
            for found, expected in zip((mover[m].value, mover[m].rate, mover[m].bend), motion.evaluate(time),
                                       strict=True):
                np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12 * (1.0 + np.abs(expected).max()))


@pytest.mark.parametrize("seed", range(30))
def test_bounds_hold_over_the_whole_interval(seed):
    rng = np.random.default_rng(seed)
    motion = make_motion(rng)
    mover, piece, wave = build_movers([motion])
    begins = sorted({piece.begin for c in motion.coordinates for piece in c.pieces[1:]})
    for time in rng.uniform(-1.0, 2.0, 10):
        end = min([begin for begin in begins if begin > time], default=math.inf)
        h = min(rng.choice([1e-4, 1e-2, 0.3]), 0.999 * (end - time))
        choose_pieces(mover, piece, time)
        speed, omega, acceleration, alpha, _, _ = bound_mover(mover, piece, wave, 0, time, h)
        _, rate, bend = motion.evaluate(np.linspace(time, time + h, 200))
        room = 1.0 + 1e-9
        assert np.hypot(rate[:, 0], rate[:, 1]).max() <= room * speed + 1e-12
        assert np.abs(rate[:, 2]).max() <= room * omega + 1e-12
        assert np.hypot(bend[:, 0], bend[:, 1]).max() <= room * acceleration + 1e-12
        assert np.abs(bend[:, 2]).max() <= room * alpha + 1e-12
