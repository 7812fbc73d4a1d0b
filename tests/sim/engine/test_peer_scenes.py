"""The scenes S1 to S7b of the comparison with other programs: exact answers at the default settings."""

import math

import numpy as np
import pytest

from dynamics.motion.mode_series import find_order
from sim.scene.build import parse_scene
from tests import scene_builders as builders
from tests.sim.motion import (
    check_laws,
    get_kinds,
    get_times,
    mirror_scene,
    relabel_scene,
    run,
    scale_scene,
    turn_part_frame,
    turn_scene,
)
from tests.sim.reference import Ladder, Pivot, integrate

G = builders.G
POSITION, EVENT = 1e-8, 1e-9


def check_pose(trajectory, expected, position=POSITION):
    np.testing.assert_allclose(trajectory.pose[-1], expected, rtol=0, atol=position)


def test_s1_slides():
    trajectory = run(builders.s1())
    check_laws(trajectory)
    a = math.radians(30.0)
    distance = 0.5 * G * (math.sin(a) - 0.3 * math.cos(a))
    c, s = math.cos(a), math.sin(a)
    check_pose(trajectory, [distance * c + 0.25 * s, -distance * s + 0.25 * c, -a], 1e-12)
    assert trajectory.mode_at(-1) == "rr"


def test_s2_does_not_move():
    trajectory = run(builders.s2())
    check_laws(trajectory)
    assert np.ptp(trajectory.pose, axis=0).max() == 0.0


def test_s3_stops():
    trajectory = run(builders.s3())
    check_laws(trajectory)
    check_pose(trajectory, [4.0 / (2 * 0.4 * G), 0.25, 0.0], 1e-12)
    np.testing.assert_allclose(get_times(trajectory, "rest"), [2.0 / (0.4 * G)], rtol=0, atol=1e-12)
    assert np.all(trajectory.velocity[-1] == 0.0)


def test_s4_rolls():
    trajectory = run(builders.s4())
    a, c, s = math.radians(20.0), math.cos(math.radians(20.0)), math.sin(math.radians(20.0))
    distance = 0.5 * G * math.sin(a) / 1.5
    check_pose(trajectory, [distance * c + 0.25 * s, -distance * s + 0.25 * c, -a - distance / 0.25], 1e-12)
    assert trajectory.mode_at(-1) == "n" and trajectory.account.n_steps == 1


def solve_s5(duration: float) -> np.ndarray:
    """Pose of S5: the block turns about its lower corner."""
    slope, scene = math.radians(25.0), parse_scene(builders.s5())
    pivot = Pivot(scene.workpiece.rho, math.hypot(0.1, 0.5))
    start = slope - math.atan2(0.1, 0.5)
    y = integrate(pivot.rate, [start, 0.0], duration)
    corner = 0.1 * np.array([math.cos(slope), -math.sin(slope)])
    return np.array([*(corner + pivot.place(y)), -slope - (y[0] - start)])


def test_s5_tips():
    trajectory = run(builders.s5())
    check_laws(trajectory)
    check_pose(trajectory, solve_s5(0.15))
    assert trajectory.mode_at(0) == trajectory.mode_at(-1) == "n"


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_s6_bounces(e):
    trajectory = run(builders.s6(e))
    check_laws(trajectory)
    fall = math.sqrt(2.0 / G)
    expected = fall * np.cumsum([1.0, 2 * e, 2 * e * e])
    expected = expected[expected < 1.2][: 1 if e == 0.0 else 3]
    np.testing.assert_allclose(get_times(trajectory, "impact"), expected, rtol=0, atol=EVENT)
    since = 1.2 - expected[-1]
    speed = e ** len(expected) * G * fall
    height = speed * since - 0.5 * G * since**2 if e > 0.0 else 0.0
    check_pose(trajectory, [0.0, 0.1 + height, 0.0], 1e-11)


def build_ladder(mu: float) -> Ladder:
    return Ladder(parse_scene(builders.s7a()).workpiece.rho, 1.0, 0.01, mu)


@pytest.mark.parametrize("mu, duration", [(0.0, 0.32), (0.2, 0.60)])
def test_s7_ladder(mu, duration):
    trajectory = run(builders.s7(mu, duration))
    check_laws(trajectory)
    ladder = build_ladder(mu)
    th, _ = integrate(ladder.rate, [math.radians(60.0), 0.0], duration)
    check_pose(trajectory, [*ladder.place(th), -th])
    assert sorted(trajectory.mode_at(-1)) == ["l", "r"] or trajectory.mode_at(-1) in ("rr", "ll")


def test_s7a_leaves_the_wall_and_falls_flat():
    ladder = build_ladder(0.0)
    leave, y = integrate(ladder.rate, [math.radians(60.0), 0.0], 1.0, ladder.wall_force)
    trajectory = run(builders.s7(0.0, 1.0))
    check_laws(trajectory)
    np.testing.assert_allclose(get_times(trajectory, "separation"), [leave], rtol=0, atol=EVENT)
    assert 0.32 < leave < 0.36
    flat, end = integrate(ladder.fall_rate, y, 1.0, lambda _, y: y[0])
    assert abs(get_times(trajectory, "impact")[0] - leave - flat) < EVENT
    impact = trajectory.events[trajectory.events["kind"] == "impact"][0]
    assert abs(impact["omega_before"] + end[1]) < 1e-8 and abs(impact["theta"]) < 1e-11
    x = ladder.place(y[0])[0] + ladder.place_rate(y[0])[0] * y[1] * flat
    assert abs(impact["x"] - x) < POSITION and abs(impact["y"] - 0.01) < POSITION


def test_s7b_event():
    """With friction on both ends: the time at which the wall lets go."""
    ladder = build_ladder(0.2)
    leave, _ = integrate(ladder.rate, [math.radians(60.0), 0.0], 2.0, ladder.wall_force)
    trajectory = run(builders.s7(0.2, float(leave) + 0.02))
    check_laws(trajectory)
    np.testing.assert_allclose(get_times(trajectory, "separation"), [leave], rtol=0, atol=EVENT)


# -------------------------------------------------------------------------------------- the same scenes, seen otherwise

SCENES = {
    "s1": builders.s1, "s3": builders.s3, "s5": builders.s5, "s6": builders.s6,
    "s7a": lambda: builders.s7(0.0, 0.5), "s7b": builders.s7b,
}  # fmt: skip


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("angle", [0.1, math.pi / 2, 2.5, -math.pi])
def test_turned_scenes_move_alike(name, angle):
    plain, turned = run(SCENES[name]()), run(turn_scene(SCENES[name](), angle))
    check_laws(turned)
    c, s = math.cos(angle), math.sin(angle)
    x, y, theta = plain.pose[-1]
    check_pose(turned, [c * x - s * y, s * x + c * y, theta + angle])
    assert get_kinds(turned) == get_kinds(plain)
    np.testing.assert_allclose(turned.events["time"], plain.events["time"], rtol=0, atol=EVENT)


@pytest.mark.parametrize("name", SCENES)
def test_mirrored_scenes_move_alike(name):
    plain, mirrored = run(SCENES[name]()), run(mirror_scene(SCENES[name]()))
    check_laws(mirrored)
    check_pose(mirrored, plain.pose[-1] * [-1, 1, -1], 1e-11)
    swap = str.maketrans("rl", "lr")
    assert sorted(mirrored.mode_at(-1)) == sorted(plain.mode_at(-1).translate(swap))
    np.testing.assert_allclose(mirrored.events["time"], plain.events["time"], rtol=0, atol=1e-11)


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("factor", [1e-6, 1e-3, 1e3])
def test_scaled_scenes_move_alike(name, factor):
    plain, scaled = run(SCENES[name]()), run(scale_scene(SCENES[name](), factor))
    check_laws(scaled)
    np.testing.assert_allclose(scaled.pose[-1] / [factor, factor, 1.0], plain.pose[-1], rtol=0, atol=POSITION)
    assert get_kinds(scaled) == get_kinds(plain)
    np.testing.assert_allclose(scaled.events["time"] / math.sqrt(factor), plain.events["time"], rtol=0, atol=EVENT)


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("start", [1, 2, 3])
def test_relabelled_scenes_move_alike(name, start):
    plain = run(SCENES[name]())
    for text in (relabel_scene(SCENES[name](), start), turn_part_frame(SCENES[name](), 0.5 * start)):
        other = run(text)
        check_laws(other)
        travel = other.pose[-1] - other.pose[0]
        np.testing.assert_allclose(travel, plain.pose[-1] - plain.pose[0], rtol=0, atol=1e-9)


# -------------------------------------------------------------------------------------------------- order of the method


def fit_order(steps, errors) -> float:
    return float(np.polyfit(np.log(steps), np.log(errors), 1)[0])


# The degree of a path fits the tolerance, and the order of the method is one less: 7 at 1e-2, where it can be measured.
# At 1e-11 a step is exact to rounding.


def test_degree_fits_the_tolerance():
    assert [find_order(tolerance) for tolerance in (1e-2, 1e-6, 1e-11, 1e-14)] == [8, 10, 16, 20]


def test_order_on_s5():
    exact = solve_s5(0.15)
    steps = 0.15 / np.array([6, 8, 10, 12])
    errors = [abs(run(builders.s5(), step=float(h), tolerance=1e-2).pose[-1] - exact).max() for h in steps]
    assert 6.5 < fit_order(steps, errors) < 7.5, errors


def test_order_on_s7a():
    ladder = build_ladder(0.0)
    th, _ = integrate(ladder.rate, [math.radians(60.0), 0.0], 0.32)
    exact = np.array([*ladder.place(th), -th])
    steps = 0.32 / np.array([12, 16, 20, 24])
    errors = [abs(run(builders.s7a(), step=float(h), tolerance=1e-2).pose[-1] - exact).max() for h in steps]
    assert 6.3 < fit_order(steps, errors) < 7.5, errors


def test_order_of_event_times():
    """The wall lets go at a time that converges as fast as the motion."""
    ladder = build_ladder(0.0)
    leave, _ = integrate(ladder.rate, [math.radians(60.0), 0.0], 1.0, ladder.wall_force)
    steps = 0.4 / np.array([8, 12, 16, 24])
    runs = [run(builders.s7(0.0, 0.4), step=float(h), tolerance=1e-2) for h in steps]
    errors = [abs(get_times(trajectory, "separation")[0] - leave) for trajectory in runs]
    assert fit_order(steps, errors) > 6.0, errors


@pytest.mark.parametrize("build, steps", [(builders.s5, 3), (builders.s7a, 10), (builders.s7b, 16)])
def test_steps_at_the_default_tolerance(build, steps):
    """A fifth of what a pair of order five needs at 1e-11: 18, 50 and 82."""
    assert run(build()).account.n_steps <= steps
