"""Scenes that hold the part: what is read, in which units and frames, what is left out, what can be changed."""

import math
from dataclasses import fields, replace

import numpy as np
import pytest

from geometry.shapes.pose import Pose
from sim.cli.reports.report_check import print_scene
from sim.cli.reports.report_held import describe_held
from sim.scene.build import parse_scene
from sim.scene.difference import find_scene_difference
from sim.scene.held.holding import WORLD
from sim.scene.held.matrices import build_mass_matrix, damp_by_ratio
from sim.scene.notes import NO_WEIGHT, list_notes
from sim.scene.toml_text import dump_toml, read_toml
from sim.sweep.axes import parse_sweep_axis
from sim.sweep.setting import Study, make_setting

PART = """\
# A part that is held.
gravity = [0, 0]

[workpiece]
outline = {vertices = [[0, 0], [40, 0], [40, 20], [0, 20]], unit = "mm"}
mass = 2
rho = 0.02
center_of_mass = [10, 10]
pose = [0.5, 0.2, "30 deg"]

[[obstacle]]
name = "floor"
outline = {box = [2000, 100], unit = "mm"}
pose = [0, -1, "90 deg"]
mu = 0.3
"""
TEXT = PART + """\

[gripper]
stiffness = ["20 N/mm", 2000, "30 N m/rad"]       # of the wrist
damping_ratio = 0.5
center = [40, "1 cm"]
axes = "gripper"
pose = [0.5, "200 mm", "20 deg"]
preload = [1, "-5 mN", "2 N mm"]
release = {time = "800 ms", force = "0.2 kN"}

[gripper.motion]
velocity = [0.1, 0]
angular_velocity = "10 deg/s"
sinusoid = [{amplitude = ["1 mm", 0, "3 deg"], frequency = 5, phase = "90 deg"}]

[[spring]]
name = "cord"
point = [0, 0]
obstacle = "floor"
anchor = [1000, 50]
stiffness = "0.5 N/mm"
damping = "2 N s/m"
pull_only = true

[[spring]]
anchor = ["100 mm", 0]
rest_length = "5 cm"

[drag]
linear = "5 kg/s"
rotational = "10 N mm s"

[[load]]
force = [1, 2]
torque = 3

[[load]]
force = [10, 20]

[[load]]
name = "hammer"
at = ["40 mm", 20]
axes = "part"
table = [
    [0.0, 0, 0],
    [0.1, 0, "-20 N", 1],
]

[[load]]
axes = "part"
"""


def read(overrides=None, text=TEXT):
    return parse_scene(text, overrides=overrides, source="a.toml")


def read_more(more, overrides=None):
    return read(overrides, PART + more)


# ---- what is read ----------------------------------------------------------------------------------------------------


def test_a_scene_without_the_tables_holds_nothing():
    scene = read(text=PART)
    assert not scene.held and (scene.gripper, scene.springs, scene.drag, scene.loads) == (None, (), None, ())
    assert scene.load == (0.0, 0.0, 0.0)
    assert read().held and read_more("[drag]\n").held


def test_a_gripper_in_si_units_about_the_centre_of_mass():
    gripper = read().gripper
    assert gripper.stiffness == ((20000.0, 0.0, 0.0), (0.0, 2000.0, 0.0), (0.0, 0.0, 30.0))
    assert gripper.center == (pytest.approx(0.03), 0.0) and gripper.turned
    assert gripper.preload == (1.0, -0.005, 0.002)
    assert (gripper.release_time, gripper.release_force) == (0.8, 200.0)
    assert gripper.motion.pivot == (0.0, 0.0)
    value = gripper.motion.evaluate(0.25)[0]
    swing = math.sin(2.0 * math.pi * 5.0 * 0.25 + math.pi / 2.0)
    np.testing.assert_allclose(value, [0.525 + 0.001 * swing, 0.2, math.radians(22.5 + 3.0 * swing), 0.0], atol=1e-15)


def test_what_a_gripper_does_not_say():
    scene = read_more("[gripper]\nstiffness = [1, 2, 3]")
    gripper = scene.gripper
    assert gripper.damping == ((0.0, 0.0, 0.0),) * 3 and gripper.center == (0.0, 0.0) and not gripper.turned
    assert gripper.preload == (0.0, 0.0, 0.0) and gripper.motion.still
    assert gripper.release_time == gripper.release_force == math.inf
    np.testing.assert_allclose(gripper.motion.place(0.0), scene.workpiece.pose, atol=1e-16)


@pytest.mark.parametrize("motion", ["", "motion = {velocity = [1, 0]}"])
def test_without_a_pose_it_starts_on_the_centre_of_compliance(motion):
    gripper = read_more(f"[gripper]\nstiffness = [1, 2, 3]\ncenter = [40, 20]\n{motion}").gripper
    place = Pose(0.5, 0.2, math.pi / 6.0).transform([0.04, 0.02])
    np.testing.assert_allclose(gripper.motion.place(0.0), [*place, math.pi / 6.0], atol=1e-15)


def test_without_a_pose_it_starts_where_a_formation_puts_the_part():
    from sim.scene.build import load_scene

    scene = load_scene("three_fingers", overrides={"gripper.stiffness": [1, 2, 3]})
    np.testing.assert_allclose(scene.gripper.motion.place(0.0), scene.workpiece.pose, atol=1e-15)


def test_waypoints_are_poses_of_the_frame():
    gripper = read_more("[gripper]\nstiffness = [1, 2, 3]\n[gripper.motion]\n"
                        "waypoints = [[0, 0.5, 0.2, 0], [1, 0.7, 0.2, 1]]").gripper
    np.testing.assert_allclose(gripper.motion.evaluate(1.0)[0], [0.7, 0.2, 1.0, 0.0], atol=1e-15)


def test_damping_is_given_or_follows_from_a_ratio():
    assert read_more("[gripper]\nstiffness = [1, 2, 3]\ndamping = [1, '2 kg/s', '3 N mm s']").gripper.damping == (
        (1.0, 0.0, 0.0), (0.0, 2.0, 0.0), (0.0, 0.0, 0.003))
    for axes, angle in (("world", 30.0), ("gripper", 30.0 - 23.0)):  # the sinusoid adds 3 deg at t = 0
        scene = read({"gripper.axes": axes})
        mass = build_mass_matrix(2.0, 0.02, scene.gripper.center, math.radians(angle))
        expected = damp_by_ratio(scene.gripper.stiffness, 0.5, mass)
        np.testing.assert_allclose(scene.gripper.damping, expected, rtol=1e-12, atol=1e-12)


def test_springs_to_an_obstacle_and_to_the_world():
    cord, other = read().springs
    assert (cord.name, other.name) == ("cord", "spring_1")
    assert cord.obstacle == 0 and cord.anchor == (1.0, 0.05)  # its frame, the unit of its outline
    np.testing.assert_allclose(cord.point, (-0.01, -0.01), atol=1e-17)
    assert cord.rest_length == pytest.approx(math.hypot(0.5 + 0.05, 0.2), rel=1e-12)  # to (0, -1) + R(90 deg) anchor
    assert (cord.stiffness, cord.damping, cord.pull_only) == (500.0, 2.0, True)
    assert other.obstacle == WORLD and other.anchor == (0.1, 0.0) and other.point == (0.0, 0.0)
    assert (other.stiffness, other.rest_length, other.damping, other.pull_only) == (0.0, 0.05, 0.0, False)


def test_ends_at_one_place_have_a_rest_length_of_zero():
    (spring,) = read_more("[[spring]]\npoint = [0, 0]\nanchor = [0.5, 0.2]\nstiffness = 3").springs
    assert spring.rest_length == 0.0


def test_drag():
    assert (read().drag.linear, read().drag.rotational) == (5.0, 0.01)
    assert (read_more("[drag]").drag.linear, read_more("[drag]").drag.rotational) == (0.0, 0.0)


def test_constant_loads_at_the_centre_of_mass_are_added_up_and_the_others_are_not():
    scene = read()
    assert scene.load == (11.0, 22.0, 3.0)
    hammer, other = scene.loads
    assert (hammer.name, hammer.point, hammer.turned) == ("hammer", (pytest.approx(0.03), pytest.approx(0.01)), True)
    assert hammer.wrench.evaluate(0.05)[0].tolist() == [0.0, -10.0, 0.5, 0.0]
    assert (other.name, other.turned, other.wrench.still) == ("load_3", True, True)


# ---- texts and changes -----------------------------------------------------------------------------------------------

CHANGES = {
    "gripper.stiffness.x": 5, "gripper.stiffness.theta": "3 N m/rad", "gripper.damping_ratio": 1, "gripper.center.x": 3,
    "gripper.pose.theta": "5 deg", "gripper.preload.torque": 1, "gripper.release.force": 7, "gripper.damping.y": 3,
    "gripper.motion.velocity.vy": 1, "gripper.motion.sinusoid.0.amplitude.theta": 0.1, "spring.cord.stiffness": 9,
    "spring.1.rest_length": 2, "spring.cord.point.x": 1, "spring.cord.anchor.y": 2, "drag.linear": "3 N s/m",
    "drag.rotational": 2, "load.hammer.at.x": 1, "load.hammer.table.1.fy": 2, "load.hammer.table.1.torque": 2,
    "load.hammer.ramp": {"end": 1, "force": [1, 0]}, "load.hammer.interpolation": "step", "load.0.force.fy": 4,
    "load.0.sinusoid": [{"amplitude": [1, 2], "frequency": 3}], "gripper.axes": "world",
}


def get_meaning(scene):
    return [getattr(scene, field.name) for field in fields(scene) if field.name not in ("summary", "text", "source")]


@pytest.mark.parametrize("key", CHANGES)
def test_a_change_is_one_and_the_text_holds_it(key):
    before, after = read(), read({key: CHANGES[key]})
    assert get_meaning(before) != get_meaning(after) and before.workpiece == after.workpiece
    assert "# of the wrist" in after.text or key.startswith("gripper.stiffness")
    for text in (after.text, dump_toml(read_toml(after.text))):
        assert get_meaning(parse_scene(text, source="a.toml")) == get_meaning(after)
    assert find_scene_difference(before.text, after.text)
    assert find_scene_difference(after.text, dump_toml(read_toml(after.text))) == ""


def test_changes_where_nothing_was():
    scene = read({"gripper.stiffness": [1, 2, 3], "gripper.damping.theta": 4, "gripper.preload.fx": 2, "drag.linear": 5,
                  "gripper.release.time": 1, "load.0.sinusoid.0.amplitude.torque": 1,
                  "load.0.sinusoid.0.frequency": 2, "load.0.ramp.end": 2}, PART)
    assert scene.gripper.damping[2] == (0.0, 0.0, 4.0) and scene.gripper.preload == (2.0, 0.0, 0.0)
    assert scene.drag.linear == 5.0 and scene.gripper.release_time == 1.0 and len(scene.loads) == 1
    assert get_meaning(parse_scene(scene.text, source="a.toml")) == get_meaning(scene)


def test_damping_and_its_ratio_take_the_place_of_each_other():
    text = read({"gripper.damping": [1, 2, 3]}).text
    assert "damping_ratio" not in text
    assert "damping = [" not in read({"gripper.damping_ratio": 1}, text).text
    waypoints = [[0, 0.5, 0.2, 0], [1, 0.7, 0.2, 1]]
    assert "pose" not in read_toml(read({"gripper.motion.waypoints": waypoints}).text)["gripper"]


def test_a_row_of_a_matrix_is_set_by_the_names_of_its_members():
    text = PART + "[gripper]\nstiffness = [[2, 1, 0], [1, 2, 0], [0, 0, 3]]"
    assert read({"gripper.stiffness.x.x": 7}, text).gripper.stiffness[0] == (7.0, 1.0, 0.0)
    assert read({"gripper.stiffness.theta.theta": "1 N m/rad"}, text).gripper.stiffness[2] == (0.0, 0.0, 1.0)


# ---- sweeps ----------------------------------------------------------------------------------------------------------

AXES = ["gripper.stiffness.x=1:20 N/mm:3", "gripper.stiffness.theta=1:3 N m/rad:3", "gripper.damping_ratio=0:1:3",
        "gripper.center.x=1:3:3", "gripper.pose.theta=0:10 deg:3", "gripper.release.force=1:3 N:3",
        "gripper.motion.velocity.vx=0:1 m/s:3", "spring.cord.stiffness=1:3 N/mm:3", "spring.cord.rest_length=1:3 cm:3",
        "drag.linear=0:5 kg/s:3", "load.hammer.table.1.fy=-3:3 N:3", "workpiece.mass=1:2 kg:3",
        "workpiece.rho=10:20 mm:3"]  # fmt: skip


@pytest.mark.parametrize("text", AXES)
def test_cells_of_different_holdings_do_not_share_arrays(text):
    axis = parse_sweep_axis(text)
    study = Study(TEXT, None, (axis,))
    scenes = [study.build_scene([value]) for value in axis.values]
    first = make_setting(scenes[0])
    assert make_setting(scenes[0], first.shape).shape is first.shape
    for scene in scenes[1:]:
        assert make_setting(scene, first.shape).shape is not first.shape


def test_a_sweep_of_rho_damps_each_cell_by_its_own():
    from sim.sweep.setting import SettingMaker

    study = Study(TEXT, None, (parse_sweep_axis("workpiece.rho=10:20 mm:2"),))
    maker = SettingMaker(study, [0.01])
    for rho in (0.01, 0.02):
        (group,) = maker.make(np.array([[rho]]))
        assert any(study.build_scene([rho]).gripper in part for part in group.shape.key if isinstance(part, tuple))


# ---- in words --------------------------------------------------------------------------------------------------------


def test_the_check_of_a_scene_says_what_holds_the_part(capsys):
    words = dict(describe_held(read({"gripper.stiffness": [[1, 0.5, 0], [0.5, 2, 0], [0, 0, 3]]})))
    assert list(words) == ["gripper", "spring cord", "spring spring_1", "drag", "load hammer", "load load_3"]
    for part in ("stiffness x 1 N/m, y 2 N/m, theta 3 N m/rad, x with y 0.5 N/m;", "in its own axes, about the point",
                 "preload 1, -0.005 N, 0.002 N m", "lets go at 0.8 s or above 200 N", "moves: velocity 0.1, 0 m/s"):
        assert part in words["gripper"]
    assert "m of floor, stiffness 500 N/m" in words["spring cord"] and words["spring cord"].endswith("pulls only")
    assert "to 0.1, 0 m of the world" in words["spring spring_1"]
    assert words["drag"] == "5 N s/m at the centre of mass, 0.01 N m s against the turn"
    assert "in the axes of the part: fy 0 N until 0 s, -20 N from 0.1 s on, torque 0 N m" in words["load hammer"]
    assert words["load load_3"].endswith(": nothing")
    assert print_scene(read()) and "gripper: stiffness" in capsys.readouterr().out
    assert not list(describe_held(read(text=PART)))


def test_what_presses_is_told_from_what_brakes():
    assert list_notes(read(text=PART)) == [NO_WEIGHT] == list_notes(read_more("[drag]\nlinear = 3"))
    assert list_notes(read_more("[gripper]\nstiffness = [1, 2, 3]")) == []
    assert list_notes(read_more("[[spring]]\nanchor = [0, 0]")) == []
    assert list_notes(replace(read(), gripper=None, springs=(), load=(0.0, 0.0, 0.0))) == []
