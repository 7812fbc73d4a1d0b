"""What cannot hold the part is refused with file, key, value and what is valid."""

import pytest

from dynamics.codes import MOST_LOADS
from sim.scene.build import parse_scene
from sim.scene.scene_errors import SceneError

PART = """\
[workpiece]
outline = {box = [40, 20], unit = "mm"}
mass = 2
[[obstacle]]
name = "floor"
outline = {box = [1, 0.1]}
pose = [0, -1, 0]
mu = 0.3
"""
K = "[gripper]\nstiffness = [1, 2, 3]\n"
S = "[[spring]]\nanchor = [1, 0]\n"


def refuse(text, overrides=None):
    with pytest.raises(SceneError) as caught:
        parse_scene(PART + text, overrides=overrides, source="a.toml")
    return str(caught.value)


@pytest.mark.parametrize("text, message", [
    ("[gripper]\ncenter = [0, 0]", "gripper.stiffness is missing"),
    ("[gripper]\nstiffness = [1, 2]", "gripper.stiffness = [1, 2]: must be [x, y, theta], such as"),
    ("[gripper]\nstiffness = [1, -2, 3]", "gripper.stiffness = [1, -2, 3]: y is -2: must be zero or positive"),
    ("[gripper]\nstiffness = [[1, 0, 0], [0, 1, 2], [0, 2, 1]]", "y and theta alone have the eigenvalue -1"),
    ("[gripper]\nstiffness = [[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]", "must be symmetric, and x, y is 0.5"),
    (K + "damping = [1, '2 N/m', 3]", "gripper.damping = [1, '2 N/m', 3]: y is '2 N/m': must be a number in N s/m"),
    (K + "damping_ratio = -1", "gripper.damping_ratio = -1: a damping ratio must be zero or positive"),
    (K + "damping_ratio = 'much'", "gripper.damping_ratio = 'much': must be a number"),
    (K + "damping_ratio = 1\ndamping = [0, 0, 0]", "damping and damping_ratio both say how it is damped; keep one"),
    (K + "center = [1]", "gripper.center = [1]: must be [x, y]"),
    (K + "centre = [1, 2]", "gripper.centre: unknown key; did you mean 'center'?"),
    (K + "axes = 'part'", "gripper.axes = 'part': valid: 'world' or 'gripper'"),
    (K + "pose = [1, 2]", "gripper.pose = [1, 2]: must be [x, y, theta]"),
    (K + "preload = [1, 2]", "gripper.preload = [1, 2]: must be [fx, fy, torque]"),
    (K + "preload = [1, 2, '3 N']", "gripper.preload.torque = '3 N': must be a number in N m"),
    (K + "release = {}", "gripper.release = {}: needs a time, a force, or both"),
    (K + "release = {time = 0}", "gripper.release.time = 0: must be positive"),
    (K + "release = {force = '1 m'}", "gripper.release.force = '1 m': must be a number in N"),
    (K + "motion = {about = [0, 0]}", "motion.about is for obstacles; a gripper turns about the origin of its frame"),
    (K + "pose = [0, 0, 0]\nmotion = {waypoints = [[0, 0, 0, 0], [1, 1, 0, 0]]}",
     "pose and motion.waypoints both say where it is; keep one"),
    (K + "motion = {sinusoid = [{amplitude = [1e15, 0], frequency = 1e15}, {amplitude = [1, 0], frequency = -1}]}",
     "gripper.motion.sinusoid.1.frequency = -1: must be positive"),
    ("[[gripper]]\nstiffness = [1, 2, 3]", "gripper = [{'stiffness': [1, 2, 3]}]: must be a table"),
    ("[[spring]]\nstiffness = 3", "spring.0.anchor is missing"),
    ("[spring]\nstiffness = 3", "must be a list ([[...]] in TOML)"),
    (S + "name = 'cord'\nstiffness = -1", "spring.0.stiffness (cord) = -1: must be zero or positive"),
    (S + "rest_length = '-1 m'", "spring.0.rest_length = '-1 m': must be zero or positive"),
    (S + "damping = '1 N'", "spring.0.damping = '1 N': must be a number in N s/m"),
    (S + "pull_only = 1", "spring.0.pull_only = 1: "),
    (S + "obstacle = 'flor'", "spring.0.obstacle = 'flor': there is no obstacle of this name; did you mean 'floor'?"),
    (S + "name = 'a'\n" + S + "name = 'a'", "spring.1.name = 'a': spring.0 has this name already"),
    (S + S + "name = 'spring_0'", "spring.1.name = 'spring_0': spring.0 has this name already"),
    ("[[spring]]\nanchor = [0, 0]\ndamping = 1", "spring.0 (spring_0): its ends are at one place at the start"),
    ("[[spring]]\nanchor = [1e-12, 0]\nrest_length = 1", "spring.0 (spring_0): its ends are at one place at the start"),
    ("[drag]\nlinear = -1", "drag.linear = -1: must be zero or positive"),
    ("[drag]\nrotational = '1 kg/s'", "drag.rotational = '1 kg/s': must be a number in N m s"),
    ("[drag]\nangular = 1", "drag.angular: unknown key"),
    ("[[load]]\nname = 'a'\n[[load]]\nname = 'a'\nat = [0, 0]", "load.1.name = 'a': load.0 has this name already"),
    ("[[load]]\naxes = 'gripper'", "load.0.axes = 'gripper': valid: 'world' or 'part'"),
    ("[[load]]\nramp = {end = 0, force = [1, 0]}", "must end after its start: start is 0.0 s, end 0.0 s"),
    ("[[load]]\nramp = {force = [1, 0]}", "load.0.ramp.end is missing"),
    ("[[load]]\ninterpolation = 'step'", "interpolation says how to go from one row of the table to the next; there"),
    ("[[load]]\ntable = [[0, 1, 2]]", "must be a list of two or more rows [t, fx, fy] or [t, fx, fy, torque]"),
    ("[[load]]\ntable = [[0, 1, 2], [1, 2]]", "row 1 is [1, 2]; valid: [t, fx, fy] or [t, fx, fy, torque]"),
    ("[[load]]\ntable = [[0, 1, 2], [1, 2, 3, 4, 5]]", "row 1 is [1, 2, 3, 4, 5]; valid: [t, fx, fy]"),
    ("[[load]]\ntable = [[0, 1, 2], [0, 1, 2]]", "the times must rise: row 1 is at 0.0 s, the row before at 0.0 s"),
    ("[[load]]\ntable = [[0, 1, 2], [1, '1 m', 2]]", "row 1 is [1, '1 m', 2]: must be a number in N"),
    ("[[load]]\ntable = [[0, 1, 2], [1, 2, 3]]\ninterpolation = 'cubic'",
     "load.0.interpolation = 'cubic': valid: 'linear', 'smooth' or 'step'"),
    ("[[load]]\nname = 'hum'\nsinusoid = [{amplitude = [1], frequency = 1}]",
     "load.0.sinusoid.0.amplitude (hum) = [1]: must be [fx, fy] or [fx, fy, torque]"),
])
def test_what_is_wrong_is_said(text, message):
    told = refuse(text)
    assert told.startswith("a.toml: ") and message in told


def test_forces_and_motions_stay_finite():
    rows = [[0, -1e15, 0], [1e-99, 1e15, 0]]
    told = refuse(f"[[load]]\nname = 'bang'\ntable = {rows}\ninterpolation = 'smooth'")
    assert told.startswith("a.toml: load.0 (bang): its values and their first and second derivatives must stay finite")
    told = refuse(K + "[gripper.motion]\nwaypoints = [[0, -1e15, 0, 0], [1e-99, 1e15, 0, 0]]")
    assert told.startswith("a.toml: gripper.motion: its values and their")


@pytest.mark.parametrize("path, members", [
    ("gripper.pose", "x, y, theta"), ("gripper.center", "x, y"), ("spring.0.point", "x, y"), ("load.0.at", "x, y"),
    ("obstacle.floor.motion.about", "x, y"),
])
def test_what_is_not_given_has_no_single_value_to_change(path, members):
    told = refuse(K + S, {f"{path}.x": 1})
    assert told == f"a.toml: override {path}.x: {path} is not given; set it as a whole, {path}=[{members}]"


def test_there_are_no_more_than_compiled_code_adds_up():
    constant = "[[load]]\nforce = [1, 0]\n" * 40
    most = constant + K + "[drag]\n" + S * 20 + "[[load]]\nat = [0, 0]\n" * (MOST_LOADS - 22)
    scene = parse_scene(PART + most)
    assert len(scene.springs) + len(scene.loads) == MOST_LOADS - 2 and scene.load == (40.0, 0.0, 0.0)
    told = refuse(most + S)
    assert "33 springs, loads that are not constant, grippers, drags and controllers; " in told
    assert "valid: up to 32 of all kinds together" in told
