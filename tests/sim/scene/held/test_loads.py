"""Loads over time: sinusoids, ramps, tables and their sum, jumps and how a run is told of them."""

import math

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from geometry.prescribed.motion import BROKEN, SMOOTH, Coordinate, CurvePiece, Motion, MotionError, WrenchCourse
from geometry.prescribed.movers import build_movers, choose_pieces, evaluate_mover, find_next_break
from sim.scene.held.build_load import build_wrench, shift_terms
from sim.scene.held.held_schema import LoadSection

TIMES = np.array([-1.0, 0.0, 0.05, 0.1, 0.15, 0.2, 0.29, 0.3, 0.45, 0.5, 0.77, 3.0])
ROWS = [[0.1, 0, 1], [0.3, 4, 1, 0.5], [0.5, 4, -2, 0.25]]


def build(**load):
    return build_wrench(LoadSection.model_validate(load))


def evaluate(**load):
    value = build(**load).evaluate(TIMES)[0]
    assert (value[:, 3] == 0.0).all()
    return value[:, :3]


def test_a_ramp_rises_between_its_ends_and_stays():
    share = np.clip((TIMES - 0.1) / 0.2, 0.0, 1.0)
    expected = np.outer(share, [5.0, 0.0, -0.2]) + np.array([1.0, 2.0, 0.0])
    np.testing.assert_allclose(evaluate(force=[1, 2], ramp={"start": 0.1, "end": "300 ms", "force": [5, 0],
                                                            "torque": -0.2}), expected, atol=1e-14)
    assert build(ramp={"end": 1, "force": [5, 0]}).evaluate(0.5)[0][0] == 2.5  # starts at 0 s


def test_a_sinusoid_is_added():
    angle = 2.0 * math.pi * 7.0 * TIMES + 0.5
    np.testing.assert_allclose(evaluate(torque=3, sinusoid=[{"amplitude": [1, 2, "4 N mm"], "frequency": 7,
                                                             "phase": 0.5}]),
                               np.outer(np.sin(angle), [1.0, 2.0, 0.004]) + np.array([0.0, 0.0, 3.0]), atol=1e-14)


def test_a_table_is_linear_unless_it_says_otherwise():
    rows = np.array([[*row, 0.0][:4] for row in ROWS])
    expected = np.column_stack([np.interp(TIMES, rows[:, 0], rows[:, k]) for k in (1, 2, 3)])
    np.testing.assert_allclose(evaluate(table=ROWS), expected, atol=1e-14)
    assert build(table=ROWS) == build(table=ROWS, interpolation="linear")
    spline = CubicSpline(rows[:, 0], rows[:, 1:], bc_type="clamped")
    expected = spline(np.clip(TIMES, 0.1, 0.5))
    np.testing.assert_allclose(evaluate(table=ROWS, interpolation="smooth"), expected, atol=1e-14)


def test_a_step_is_made_at_the_time_of_its_row():
    expected = [[0, 1, 0] if t < 0.3 else [4, 1, 0.5] if t < 0.5 else [4, -2, 0.25] for t in TIMES]
    assert evaluate(table=ROWS, interpolation="step").tolist() == expected
    wrench = build(table=ROWS, interpolation="step")
    assert wrench.breaks == (0.3, 0.5) and [len(c.pieces) for c in wrench.coordinates] == [2, 2, 3, 1]


@pytest.mark.parametrize("interpolation", ["linear", "smooth", "step"])
def test_the_sum_is_that_of_its_parts(interpolation):
    table = {"table": ROWS, "interpolation": interpolation}
    ramp = {"ramp": {"start": 0.05, "end": 0.4, "force": [3, -1], "torque": 2}}
    swing = {"sinusoid": [{"amplitude": [1, 2], "frequency": 3}, {"amplitude": [0, 1, 1], "frequency": 5}]}
    constant = {"force": [0.3, 0.7], "torque": -1}
    expected = sum(evaluate(**part) for part in (table, ramp, swing, constant))
    np.testing.assert_allclose(evaluate(**table, **ramp, **swing, **constant), expected, atol=1e-13)


def test_only_a_jump_of_the_value_is_a_break():
    assert build(ramp={"end": 1, "force": [5, 0]}, table=ROWS).breaks == ()
    assert build(table=ROWS, interpolation="smooth").breaks == ()
    course = build(ramp={"end": 1, "force": [5, 0]}, table=ROWS, interpolation="step")
    assert course.breaks == (0.3, 0.5)
    assert not course.still and build(force=[1, 2], at=[0, 0]).still


def test_positions_must_not_jump_as_before():
    jump = Coordinate((CurvePiece(-math.inf, 0.0, (0.0,)), CurvePiece(1.0, 1.0, (2.0,))))
    assert WrenchCourse(y=jump).breaks == (1.0,)
    for name in ("x", "y", "theta", "surface"):
        with pytest.raises(MotionError, match="must not jump"):
            Motion(**{name: jump})
    back = Coordinate((*jump.pieces, CurvePiece(1.0, 1.0, (0.0,))))
    with pytest.raises(MotionError, match="rising times"):
        WrenchCourse(x=back)


def test_compiled_code_sees_loads_beside_motions():
    course = build(ramp={"end": 0.2, "force": [5, 0]}, table=ROWS, interpolation="step",
                   sinusoid=[{"amplitude": [1, 2, 3], "frequency": 3}])
    mover, piece, wave = build_movers([Motion(), course])
    meets = {row["begin"]: row["meets"] for row in piece[np.isfinite(piece["begin"])]}
    assert meets == {0.0: SMOOTH, 0.2: SMOOTH, 0.3: BROKEN, 0.5: BROKEN}
    for time in TIMES:
        choose_pieces(mover, piece, time)
        evaluate_mover(mover, piece, wave, 1, time)
        for found, expected in zip((mover[1].value, mover[1].rate, mover[1].bend), course.evaluate(time), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12 * (1.0 + np.abs(expected).max()))
    choose_pieces(mover, piece, 0.25)
    assert find_next_break(mover, piece) == (0.3, BROKEN)


@pytest.mark.parametrize("seed", range(5))
def test_shifted_polynomials_are_the_same(seed):
    rng = np.random.default_rng(seed)
    terms, shift, u = tuple(rng.normal(size=6)), rng.normal(), rng.normal(size=8)
    np.testing.assert_allclose(np.polyval(shift_terms(terms, shift)[::-1], u - shift), np.polyval(terms[::-1], u),
                               atol=1e-10)
    assert tuple(shift_terms(terms, 0.0)) == terms
