"""Scenes with obstacles that move, belts and gravity that turns: what is read, what is refused, what can be changed."""

import math
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from geometry.prescribed.motion import BENT, BROKEN, SMOOTH, judge_pieces
from geometry.shapes.pose import Pose
from sim import set_motion
from sim.scene.build import parse_scene
from sim.scene.formation_start import build_obstacle_motion
from sim.scene.scene_errors import SceneError

TEXT = """\
# A part over a plate, beside a belt.
gravity = {magnitude = 10, angle = "-90 deg", sinusoid = [{amplitude = "10 deg", frequency = 2}]}

[workpiece]
outline = {box = [0.1, 0.1]}
mass = 1
pose = [0, 5, 0]

[[obstacle]]
name = "plate"
outline = {box = [1, 0.2]}
mu = 0.3
pose = [0.5, -0.5, "20 deg"]

[obstacle.motion]
velocity = [0.1, 0.2]
angular_velocity = "30 deg/s"
about = [1, 0.25]

[[obstacle.motion.sinusoid]]
amplitude = ["2 mm", 0.001]
frequency = 5
phase = "90 deg"

[[obstacle.motion.sinusoid]]
amplitude = [0, 0, "3 deg"]
frequency = 7

[[obstacle]]
name = "belt"
outline = {box = [1, 0.2]}
mu = 0.3
pose = [3, 0, 0]
surface_speed = -0.4

[[obstacle]]
name = "finger"
outline = {box = [0.1, 0.1]}
mu = 0.3

[obstacle.motion]
waypoints = [[0.5, "10 mm", -3, 0], [1, 0.5, -3.5, "90 deg"], [2, 1, -3, 0.5]]

[[obstacle]]
name = "wall"
outline = {box = [1, 1]}
mu = 0.3
pose = [-3, 0, 0]
"""
PLATE, BELT, FINGER, WALL = range(4)


def read(overrides=None):
    return parse_scene(TEXT, overrides=overrides, source="a.toml")


def test_what_stands_still_has_no_motion():
    scene = read({"obstacle.belt.surface_speed": 0})
    assert scene.obstacles[WALL].motion is None and scene.obstacles[BELT].motion is None and scene.moves
    rest = read({"obstacle.wall.motion.velocity": [0, 0], "obstacle.wall.motion.sinusoid": [
        {"amplitude": [0, 0], "frequency": 3}]})
    assert rest.obstacles[WALL].motion is None


def test_a_motion_is_the_sum_of_its_terms_about_a_point_that_moves_along():
    plate = read().obstacles[PLATE]
    start = Pose(0.5 + 0.002, -0.5 + 0.001, math.radians(20))
    for t in (0.0, 0.3, 1.7):
        wave = math.sin(2 * math.pi * 5 * t + math.pi / 2)
        pivot = np.array([1 + 0.1 * t + 0.002 * (wave - 1), 0.25 + 0.2 * t + 0.001 * (wave - 1)])
        turn = math.radians(30) * t + math.radians(3) * math.sin(2 * math.pi * 7 * t)
        arm = np.array([0.5, -0.5]) - np.array([1 - 0.002, 0.25 - 0.001])
        expected = pivot + Pose(0, 0, turn).rotate(arm)
        np.testing.assert_allclose(plate.motion.place(t), [*expected, math.radians(20) + turn], atol=1e-14)
    np.testing.assert_allclose(plate.pose, start, atol=1e-15)
    np.testing.assert_allclose(plate.shape.vertices, plate.pose.transform(plate.outline.vertices), atol=1e-15)
    np.testing.assert_allclose(plate.place(0.3).vertices, plate.motion.place(0.3).transform(plate.outline.vertices))


def test_without_a_point_an_obstacle_turns_about_the_origin_of_its_frame():
    motion = parse_scene(TEXT.replace("about = [1, 0.25]\n", ""), {"obstacle.plate.motion.sinusoid": []}).obstacles[0]
    np.testing.assert_allclose(motion.motion.place(2.0), [0.7, -0.1, math.radians(80)], atol=1e-15)
    assert tuple(motion.pose) == (0.5, -0.5, math.radians(20))


def test_a_belt_stands_and_its_surface_runs():
    belt = read().obstacles[BELT]
    assert belt.motion.shape_still and tuple(belt.pose) == (3.0, 0.0, 0.0)
    np.testing.assert_allclose(belt.motion.evaluate(2.0)[1], [0, 0, 0, -0.4])


def test_smooth_waypoints_are_a_spline_at_rest_at_both_ends():
    motion = read().obstacles[FINGER].motion
    times = np.array([0.5, 1.0, 2.0])
    poses = np.array([[0.01, -3, 0], [0.5, -3.5, math.pi / 2], [1, -3, 0.5]])
    between = np.linspace(0.5, 2.0, 50)
    values, rates, bends = (part[:, :3] for part in motion.evaluate(between))
    for order, found in enumerate((values, rates, bends)):
        np.testing.assert_allclose(found[:-1], CubicSpline(times, poses, bc_type="clamped")(between[:-1], order),
                                   atol=1e-12)
    np.testing.assert_allclose(motion.evaluate(times)[0][:, :3], poses, atol=1e-14)
    outside = np.array([-1.0, 0.0, 2.5])
    np.testing.assert_array_equal(motion.evaluate(outside)[0][:, :3], poses[[0, 0, 2]])
    assert not np.any(motion.evaluate(outside)[1]) and not np.any(rates[0]) and np.abs(rates[-1]).max() < 1e-12
    assert [meets for _, meets in judge_pieces(motion.x)] == [SMOOTH, BENT, SMOOTH, BENT]
    assert motion.breaks == (0.5, 2.0)


def test_linear_waypoints_break_at_each():
    motion = read({"obstacle.finger.motion.interpolation": "linear"}).obstacles[FINGER].motion
    np.testing.assert_allclose(motion.evaluate(0.75)[0][:2], [0.255, -3.25], atol=1e-15)
    np.testing.assert_allclose(motion.evaluate(0.75)[1][:3], [0.98, -1.0, math.pi], atol=1e-14)
    assert motion.breaks == (0.5, 1.0, 2.0)
    assert [meets for _, meets in judge_pieces(motion.x)] == [SMOOTH, BROKEN, BROKEN, BROKEN]


def test_other_terms_add_to_waypoints_before_and_after_them_too():
    still = read().obstacles[FINGER].motion
    more = {"obstacle.finger.motion.velocity": [1, 0], "obstacle.finger.motion.angular_velocity": 0.5,
            "obstacle.finger.motion.sinusoid": [{"amplitude": [0, 0.1], "frequency": 1}]}
    moving = read(more).obstacles[FINGER].motion
    for t in (-1.0, 0.2, 0.8, 1.5, 3.0):
        apart = np.subtract(moving.place(t), still.place(t))
        np.testing.assert_allclose(apart, [t, 0.1 * math.sin(2 * math.pi * t), 0.5 * t], atol=1e-14)


@pytest.mark.parametrize("kind", ["smooth", "linear"])
@pytest.mark.parametrize("shift", [0.0, 0.75])
def test_waypoints_with_a_point_to_turn_about(kind, shift):
    """The frame is at each waypoint, and the point is where it was said to be at t = 0, also between waypoints."""
    rows = [[0.5 - shift, 0.01, -3, 0.2], [1 - shift, 0.5, -3.5, 1.2], [2 - shift, 1, -3, 0.5]]
    scene = read({"obstacle.finger.motion": {"waypoints": rows, "about": [0.4, -3.2], "interpolation": kind}})
    motion = scene.obstacles[FINGER].motion
    for t, *pose in rows:
        np.testing.assert_allclose(motion.place(t), pose, atol=1e-13)
    np.testing.assert_allclose(motion.evaluate(0.0)[0][:2], [0.4, -3.2], atol=1e-13)
    np.testing.assert_allclose(motion.place(0.0).transform(motion.pivot), [0.4, -3.2], atol=1e-13)


def test_gravity_turns():
    scene = read()
    assert scene.gravity == (0.0, -10.0)
    t = np.array([0.0, 0.1, 0.35])
    expected = math.radians(10) * np.sin(4 * math.pi * t)
    np.testing.assert_allclose(scene.gravity_turn.evaluate(t)[0], expected, atol=1e-15)
    scene = read({"gravity.sinusoid.0.phase": "50 deg", "gravity.angular_velocity": "20 deg/s"})
    assert scene.gravity_turn.evaluate(0.0)[0] == 0.0
    assert math.atan2(*scene.gravity[::-1]) == pytest.approx(math.radians(-90 + 10 * math.sin(math.radians(50))))
    scene = read({"gravity": {"magnitude": 2, "waypoints": [[-1, 0], [1, "90 deg"]], "interpolation": "linear"}})
    np.testing.assert_allclose(scene.gravity, [math.sqrt(2), math.sqrt(2)])
    np.testing.assert_allclose(scene.gravity_turn.evaluate(np.array([0.0, 0.5, 3.0]))[0], [0, math.pi / 8, math.pi / 4])
    assert read({"gravity": [0, -9]}).gravity_turn is None
    assert read({"gravity.sinusoid.0.amplitude": 0}).gravity_turn is None


@pytest.mark.parametrize("overrides", [
    {}, {"obstacle.plate.motion.sinusoid.0.frequency": 11}, {"obstacle.belt.surface_speed": 3},
    {"obstacle.plate.motion.velocity.vy": 7}, {"obstacle.plate.motion.about.x": 0.1},
    {"obstacle.plate.motion.sinusoid.1.amplitude.theta": "1 deg"}, {"obstacle.finger.motion.waypoints.1.y": -4},
    {"obstacle.finger.motion.waypoints.2.t": 5}, {"gravity.sinusoid.0.frequency": 9}, {"gravity.angle": 1},
    {"obstacle.wall.motion.velocity.vx": 1}, {"obstacle.wall.motion.angular_velocity": "1 deg/s"},
    {"obstacle.plate.motion.waypoints": np.array([[0, 1, -3, 0], [1, 2, -3, 0.5]])},
    {"gravity.waypoints": [[0, 0], [2, 1]]},
], ids=str)  # fmt: skip
def test_the_text_gives_the_scene_again(overrides):
    scene = read(overrides)
    again = parse_scene(scene.text)
    assert again.obstacles == scene.obstacles and again.gravity_turn == scene.gravity_turn
    assert not overrides or (scene.obstacles, scene.gravity, scene.gravity_turn) != (
        read().obstacles, read().gravity, read().gravity_turn)


def test_overrides_of_what_the_text_leaves_out():
    scene = parse_scene(TEXT.replace('gravity = {magnitude = 10, angle = "-90 deg", sinusoid = [{amplitude = "10 deg", '
                                     'frequency = 2}]}', ""), {
        "gravity.sinusoid.0": {"amplitude": 0.1, "frequency": 1}, "obstacle.wall.motion.sinusoid.0.frequency": 2,
        "obstacle.wall.motion.sinusoid.0.amplitude.y": "3 mm", "obstacle.wall.motion.velocity.vx": 1})  # fmt: skip
    assert scene.gravity == (0.0, -9.81) and scene.gravity_turn.waves[0].amplitude == 0.1
    motion = scene.obstacles[WALL].motion
    np.testing.assert_allclose(motion.evaluate(0.0)[1], [1.0, 0.012 * math.pi, 0, 0])


@pytest.mark.parametrize(("path", "value", "words"), [
    ("plate.motion.waypoints", [[0, 1, 2, 3]], "obstacle.0.motion.waypoints (plate) = [[0, 1, 2, 3]]: must be a list"),
    ("plate.motion.waypoints", [[1, 1, 2, 3], [1, 1, 2, 3]], "the times must rise: row 1 is at 1.0 s"),
    ("plate.motion.waypoints", [[0, 1, 2, 3], [1, 1, 2]], "row 1 is [1, 1, 2]; valid: [t, x, y, theta]"),
    ("plate.motion.waypoints", [[0, 1, 2, math.inf], [1, 1, 2, 3]], "row 0 is [0, 1, 2, inf]: must be finite"),
    ("plate.motion.velocity", [1, 2, 3], "obstacle.0.motion.velocity = [1, 2, 3]: must be [vx, vy]"),
    ("plate.motion.velocity", [1, math.nan], "obstacle.0.motion.velocity.vy (plate) = nan: must be finite"),
    ("plate.motion.speed", 1, "obstacle.0.motion.speed (plate): unknown key"),
    ("plate.motion.sinusoid.0.frequenzy", 1, "frequenzy (plate): unknown key; did you mean 'frequency'?"),
    ("plate.motion.sinusoid.0.frequency", 0, "obstacle.0.motion.sinusoid.0.frequency (plate) = 0: must be positive"),
    ("plate.motion.sinusoid.0.amplitude", [1], "must be [x, y] or [x, y, theta]"),
    ("plate.motion.interpolation", "linear", "there are no waypoints"),
    ("finger.motion.interpolation", "cubic", "valid: 'smooth' or 'linear'"),
    ("plate.motion.angular_velocity", "3 deg", "must be an angular velocity"),
    ("plate.motion.about", [1], "obstacle.0.motion.about = [1]: must be [x, y]"),
    ("plate.motion", 3, "obstacle.0.motion (plate) = 3: must be a table"),
    ("finger.pose", [0, 0, 0], "pose and motion.waypoints both say where it is"),
    ("belt.surface_speed", "1 mm", "obstacle.1.surface_speed (belt) = '1 mm': must be a number"),
])
def test_messages(path, value, words):
    with pytest.raises(SceneError) as caught:
        read({f"obstacle.{path}": value})
    assert str(caught.value).startswith("a.toml: ") and words in str(caught.value)


@pytest.mark.parametrize(("value", "words"), [
    (3, "gravity = 3: must be [gx, gy] in m/s^2, or {magnitude = 9.81"),
    ({"magnitude": 1}, "its direction is an angle or a list of waypoints; neither is given"),
    ({"magnitude": 1, "angle": 0, "waypoints": [[0, 0], [1, 1]]}, "both are given"),
    ({"magnitude": 1, "angel": 0}, "gravity.angel: unknown key; did you mean 'angle'?"),
    ({"magnitude": 1, "angle": 0, "sinusoid": [{"amplitude": [1, 2], "frequency": 1}]}, "amplitude = [1, 2]: must be"),
    ({"magnitude": 1, "waypoints": [[0, 0, 0], [1, 1, 1]]}, "valid: [t, angle]"),
])
def test_messages_about_gravity(value, words):
    with pytest.raises(SceneError) as caught:
        read({"gravity": value})
    assert words in str(caught.value)


def test_a_point_that_names_none_is_refused():
    rows = [[-1, 0, -3, 0], [1, 0, -3, math.pi]]
    with pytest.raises(SceneError, match=r"obstacle.2.motion \(finger\): about is where the pivot is at t = 0"):
        read({"obstacle.finger.motion": {"waypoints": rows, "about": [0, 0], "interpolation": "linear"}})


def test_an_overlap_is_judged_where_obstacles_are_at_the_start():
    with pytest.raises(SceneError, match="'finger' at the start"):
        read({"obstacle.finger.motion.waypoints": [[0.5, 0.03, 5, 0], [1, 0, 6, 0]]})
    read({"obstacle.finger.motion.waypoints": [[-1, 0.03, 5, 0], [0, 0, 6, 0]]})  # gone before the start


def test_set_motion():
    rows = np.array([[0.0, 1.0, -3.0, 0.1], [0.1, 1.0 / 3.0, -3.0, 0.2]])
    scene = set_motion(read(), "plate", rows, interpolation="linear")
    for found in (scene, parse_scene(scene.text)):
        plate = found.obstacles[PLATE]
        np.testing.assert_array_equal([plate.motion.place(t) for t in rows[:, 0]], rows[:, 1:])
        assert plate.motion.breaks == (0.0, 0.1) and not any(c.waves for c in plate.motion.coordinates)
    assert scene.text.startswith("# A part over a plate, beside a belt.\n")
    assert "\n[obstacle.motion]\n" in scene.text and "waypoints = [\n    [0.0, 1.0, -3.0, 0.1],\n" in scene.text
    assert tomllib.loads(scene.text)["obstacle"][PLATE]["motion"]["waypoints"] == rows.tolist()
    assert set_motion(scene, "belt", rows).obstacles[BELT].motion.surface == read().obstacles[BELT].motion.surface
    with pytest.raises(SceneError, match="there is no obstacle 'plat'; did you mean 'plate'"):
        set_motion(scene, "plat", rows)
    with pytest.raises(SceneError, match=r"must be an array \(n, 4\) of t, x, y, theta, not of shape \(2, 3\)"):
        set_motion(scene, "plate", rows[:, :3])
    with pytest.raises(SceneError, match="must be finite"):
        set_motion(scene, "plate", rows * np.nan)


def test_motion_of_a_formation():
    scene = read()
    motion, h = build_obstacle_motion(scene), 1e-5
    for t in (0.0, 0.7):
        poses, velocities, accelerations = motion(t)
        np.testing.assert_allclose(poses[PLATE], scene.obstacles[PLATE].motion.place(t))
        np.testing.assert_array_equal(poses[WALL], [-3, 0, 0])
        assert not velocities[[BELT, WALL]].any() and poses.shape == velocities.shape == accelerations.shape == (4, 3)
        np.testing.assert_allclose((motion(t + h)[0] - motion(t - h)[0]) / (2 * h), velocities, atol=1e-6)
        np.testing.assert_allclose((motion(t + h)[1] - motion(t - h)[1]) / (2 * h), accelerations, atol=1e-4)


def test_reading_a_motion_imports_neither_numba_nor_scipy_without_waypoints():
    code = ("import sys; from sim import load_scene; from sim.scene.build import parse_scene; "
            f"parse_scene({TEXT.split('[[obstacle]]' + chr(10) + 'name = ' + chr(34) + 'finger')[0]!r}); "
            "assert not {'numba', 'scipy'} & set(sys.modules)")
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[3])
