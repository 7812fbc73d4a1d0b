"""Every number of a scene that measures something takes a unit; a unit of another dimension is refused by name."""

import math

import pytest

from sim.run.simulation import override_run
from sim.scene.build import parse_scene
from sim.scene.scene_errors import SceneError
from sim.scene.toml_text import apply_override
from sim.sweep.axes import parse_sweep_axis
from sim.values import dimensions

PLAIN = """
gravity = {magnitude = 9.81, angle = -1.5, angular_velocity = 0.5, sinusoid = [{amplitude = 0.1, frequency = 2.0}]}
[workpiece]
outline = {box = [60, 30], unit = "mm"}
center_of_mass = [1, 2]
mass = 0.005
rho = 0.02
pose = [0.1, 0.5, 0.25]
velocity = [0.03, -0.3, 0.5]
[[obstacle]]
name = "a"
outline = {regular = {n = 6, circumradius = 0.05}}
surface_speed = 0.25
[obstacle.motion]
velocity = [0.001, 0.0]
angular_velocity = 0.5
about = [0.01, 0.02]
sinusoid = [{amplitude = [0.002, 0.001, 0.1], frequency = 20.0, phase = 0.5}]
waypoints = [[0.0, 0, 0, 0], [0.5, 0.01, 0.02, 0.5]]
[[obstacle]]
name = "b"
outline = {vertices = [[-1, -0.2], [1, -0.2], [1, -0.1], [-1, -0.1]]}
[friction]
default = 0.3
[[load]]
force = [0.002, 3.0]
torque = 0.004
[[goal]]
name = "there"
x = [0.0, 0.5]
theta = [-0.5, 0.5]
[run]
duration = 0.05
output_interval = 0.002
step = 0.0005
"""
WITH_UNITS = """\
gravity = {magnitude = "9810 mm/s^2", angle = "-1500 mrad", angular_velocity = "500e-3 rad/s", \
           sinusoid = [{amplitude = "100 mrad", frequency = "2 Hz"}]}
[workpiece]
outline = {box = ["6 cm", "0.03 m"], unit = "in"}
center_of_mass = ["1 mm", "2 mm"]
mass = "5 g"
rho = "2 cm"
pose = ["100 mm", "50 cm", "0.25 rad"]
velocity = ["30 mm/s", "-30 cm/s", "0.5 rad/s"]
[[obstacle]]
name = "a"
outline = {regular = {n = 6, circumradius = "5 cm"}, unit = "mm"}
surface_speed = "25 cm/s"
[obstacle.motion]
velocity = ["1 mm/s", "0 m/s"]
angular_velocity = "0.5 rad/s"
about = ["10 mm", "20 mm"]
sinusoid = [{amplitude = ["2 mm", "1 mm", "100 mrad"], frequency = "0.02 kHz", phase = "500 mrad"}]
waypoints = [["0 s", 0, 0, 0], ["500 ms", "10 mm", "20 mm", "500 mrad"]]
[[obstacle]]
name = "b"
outline = {vertices = [["-1 m", "-20 cm"], ["100 cm", -200], [1000, "-100 mm"], [-1000, -100]], unit = "mm"}
[friction]
default = 0.3
[[load]]
force = ["2 mN", "0.003 kN"]
torque = "4 N mm"
[[goal]]
name = "there"
x = ["0 mm", "50 cm"]
theta = ["-500 mrad", "500 mrad"]
[run]
duration = "50 ms"
output_interval = "2 ms"
step = "500 us"
"""
# dotted path: what is asked for, and a unit of another dimension
WRONG = {
    "workpiece.mass": ("kg", "5 mm"), "workpiece.rho": ("a length", "5 g"), "workpiece.pose.x": ("a length", "1 deg"),
    "workpiece.pose.theta": ("an angle", "1 m"), "workpiece.velocity.vx": ("m/s", "1 m"),
    "workpiece.velocity.omega": ("rad/s", "1 deg"), "workpiece.outline.box.width": ("a length", "1 s"),
    "workpiece.center_of_mass.x": ("a length", "1 N"), "obstacle.a.surface_speed": ("m/s", "1 m/s^2"),
    "obstacle.a.motion.velocity.vx": ("m/s", "1 Hz"), "obstacle.a.motion.angular_velocity": ("rad/s", "1 m/s"),
    "obstacle.a.motion.about.x": ("a length", "1 kg"), "obstacle.a.motion.sinusoid.0.frequency": ("Hz", "1 s"),
    "obstacle.a.motion.sinusoid.0.phase": ("an angle", "1 Hz"),
    "obstacle.a.motion.waypoints.1.t": ("number in s", "1 m"), "gravity.magnitude": ("m/s^2", "1 N"),
    "gravity.sinusoid.0.frequency": ("Hz", "1 rad/s"), "load.0.force.fx": ("number in N", "1 N m"),
    "load.0.torque": ("N m", "1 N"), "run.duration": ("number in s", "1 Hz"),
    "run.output_interval": ("number in s", "1 mm"), "run.step": ("number in s", "1 kg"),
}  # fmt: skip


def test_units_mean_the_same_as_plain_numbers():
    plain, other = parse_scene(PLAIN), parse_scene(WITH_UNITS)
    for name in ("workpiece", "obstacles", "gravity", "gravity_turn", "load", "run", "goals"):
        assert repr(getattr(plain, name)) == repr(getattr(other, name)), name
    assert (plain.workpiece.outline.vertices == other.workpiece.outline.vertices).all()
    assert (plain.obstacles[1].shape.vertices == other.obstacles[1].shape.vertices).all()


@pytest.mark.parametrize("path", WRONG)
def test_a_unit_of_another_dimension_is_refused_with_what_is_valid(path):
    wanted, given = WRONG[path]
    with pytest.raises(SceneError) as caught:
        parse_scene(PLAIN, overrides={path: given}, source="a.toml")
    message = str(caught.value)
    assert message.startswith("a.toml: ") and given in message and "valid units: " in message and wanted in message
    with pytest.raises(SceneError, match="no unit that is known"):
        parse_scene(PLAIN, overrides={path: "1 parsec"})


def test_every_unit_and_its_spellings():
    for dimension in dimensions.DIMENSIONS:
        assert dimensions.convert(3.0, dimension.si, dimension) == 3.0
        for unit in dimension.units:
            assert dimensions.find_dimensions(unit) == [dimension], unit
            assert math.isfinite(dimensions.convert(1.0, unit, dimension))
    for spelling, usual in (("m/s²", "m/s^2"), ("m/s2", "m/s^2"), ("Nm", "N m"), ("N·m", "N m"), ("N*mm", "N mm"),
                            ("µm", "um"), ("°", "deg"), ("°/s", "deg/s"), ("µs", "us"), ("N·s/m", "N s/m"),
                            ("Ns/mm", "N s/mm"), ("Nms", "N m s"), ("Nm/rad", "N m/rad"), ("Nmm/rad", "N mm/rad")):
        assert dimensions.normalise_unit(spelling) == usual


def test_units_in_changes_and_axes():
    scene = parse_scene(PLAIN, overrides={"workpiece.mass": "7 g", "run.duration": "20 ms",
                                          "obstacle.a.motion.waypoints.1.t": "600 ms"})
    assert scene.workpiece.mass == 0.007 and scene.run.duration == 0.02
    assert override_run(scene, "30 ms", {"output_interval": "1 ms"}).duration == 0.03
    for text, unit in (("workpiece.mass=1:5 g:3", "g"), ("run.duration=1,2 ms", "ms"), ("a=0:20 deg/s:3", "deg/s"),
                       ("gravity.magnitude=uniform(1, 9 m/s^2)", "m/s^2"), ("load.0.torque=1,2 N mm", "N mm")):
        assert parse_sweep_axis(text).unit == unit
    assert dimensions.find_plain_unit("obstacle.a.motion.sinusoid.0.frequency") == "Hz"
    assert dimensions.find_plain_unit("workpiece.outline.box.x") == ""
    for key, unit in (("gripper.stiffness.x", "N/m"), ("gripper.stiffness.theta", "N m/rad"),
                      ("gripper.stiffness.x.theta", "N"), ("gripper.stiffness.2.x", "N"),
                      ("gripper.damping.y", "N s/m"),
                      ("gripper.damping.theta", "N m s"), ("gripper.damping.theta.y", "N s"), ("gripper.center.x", ""),
                      ("gripper.pose.x", "m"), ("gripper.damping_ratio", ""), ("gripper.release.time", "s"),
                      ("gripper.release.force", "N"), ("gripper.preload.torque", "N m"), ("spring.a.stiffness", "N/m"),
                      ("spring.a.rest_length", "m"), ("spring.a.damping", "N s/m"), ("spring.a.anchor.x", ""),
                      ("drag.linear", "N s/m"), ("drag.rotational", "N m s"), ("load.a.at.y", ""),
                      ("load.a.ramp.end", "s"), ("load.a.table.1.fy", "N"), ("load.a.sinusoid.0.amplitude.fx", "N"),
                      ("obstacle.center.pose.x", "m"), ("obstacle.stiffness.pose.theta", "rad")):
        assert dimensions.find_plain_unit(key) == unit, key


def test_gravity_with_units_can_be_set_by_its_angle():
    data = {"gravity": ["0 m/s^2", "-9810 mm/s^2"]}
    apply_override(data, "gravity.angle", "-80 deg")
    assert data == {"gravity": {"magnitude": 9.81, "angle": "-80 deg"}}
