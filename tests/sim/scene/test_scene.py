"""Scenes: what is read, what is refused and with which words, and overrides."""

import math
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from geometry.shapes.polygon import Polygon
from sim.scene.build import load_scene, parse_scene
from sim.scene.scene_errors import SceneError
from tests import scene_builders as builders

ROOT = Path(__file__).parents[3]
TEXT = """\
# A plate on a floor, pushed.
# Second line.
gravity = [0, -10]

[workpiece]
name = "Führung-β"
outline = { box = [100, 50], unit = "mm" }
mass = 2
pose = ["10 mm", 0.025, "0 deg"]
velocity = [1, 0, 0]

[[obstacle]]
name = "floor"
outline = { box = [2, 1] }
pose = [0, -0.5, 0]

[[obstacle]]
name = "post.1"
outline = { regular = { n = 6, circumradius = 10 }, unit = "mm" }
pose = [0.5, 0.2, "30 deg"]
mu = 1
e = 0.25

[friction]
default = 0.3

[restitution]
floor = 0.5

[[load]]
force = [1, 0]

[[load]]
force = [2, 3]
torque = -0.5

[run]
duration = 2
choice = "stick"
"""


def refuse(text=TEXT, overrides=None):
    """Message of the refusal of a scene from the file a.toml."""
    with pytest.raises(SceneError) as caught:
        parse_scene(text, overrides=overrides, source="a.toml")
    return str(caught.value)


def test_everything_becomes_si_numbers():
    scene = parse_scene(TEXT, source="dir/plate.toml")
    part = scene.workpiece
    assert (scene.name, scene.summary, scene.source) == ("plate", "A plate on a floor, pushed.", "dir/plate.toml")
    assert part.name == "Führung-β" and part.mass == 2.0 and isinstance(part.mass, float)
    assert tuple(part.pose) == (0.01, 0.025, 0.0) and part.velocity == (1.0, 0.0, 0.0) and part.origin == (0.0, 0.0)
    assert part.outline == Polygon.box(0.1, 0.05) and abs(part.rho - math.hypot(0.1, 0.05) / math.sqrt(12)) < 1e-17
    floor, post = scene.obstacles
    assert (floor.name, floor.mu, floor.e) == ("floor", 0.3, 0.5)
    assert (post.name, post.mu, post.e) == ("post.1", 1.0, 0.25)
    np.testing.assert_array_equal(floor.shape.vertices, [[-1, -1], [1, -1], [1, 0], [-1, 0]])
    assert floor.shape.vertices.flags.c_contiguous and not floor.shape.vertices.flags.writeable
    np.testing.assert_allclose(post.shape.vertices[0], [0.5 + 0.01 * math.cos(math.radians(-30)), 0.195], atol=1e-15)
    assert scene.gravity == (0.0, -10.0) and scene.load == (3.0, 3.0, -0.5)
    assert (scene.run.duration, scene.run.choice, scene.run.output_interval) == (2.0, "stick", None)
    numbers = [*part.pose, *part.velocity, part.rho, floor.mu, *scene.gravity, *scene.load, scene.run.duration]
    assert all(type(number) is float for number in numbers)


def test_what_a_scene_leaves_out():
    text = (
        "[workpiece]\noutline = {box = [1, 1]}\nmass = 1\n[[obstacle]]\noutline = {box = [1, 1]}\nmu = 0\npose=[3,0,0]"
    )
    scene = parse_scene(text)
    assert (scene.name, scene.summary, scene.source) == ("scene", "", None)
    assert scene.gravity == (0.0, -9.81) and scene.load == (0.0, 0.0, 0.0)
    assert scene.workpiece.name == "workpiece" and scene.obstacles[0].name == "obstacle_0" and scene.obstacles[0].e == 0
    run = scene.run
    assert (run.duration, run.output_interval, run.choice, run.step, run.tolerance) == (
        1.0,
        None,
        "continue",
        None,
        1e-11,
    )


def test_the_pose_places_the_outline_and_the_log_gives_the_centre_of_mass():
    outline = {"vertices": [[0, 0], [2, 0], [2, 1], [0, 1]]}
    part = {"outline": outline, "mass": 1, "pose": [5.0, 0.0, math.pi / 2], "velocity": [0, 0, 3]}
    scene = parse_scene(builders.build_scene(part, []))
    np.testing.assert_allclose(scene.workpiece.pose, [4.5, 1.0, math.pi / 2], atol=1e-15)
    np.testing.assert_allclose(scene.workpiece.origin, [-1.0, -0.5], atol=1e-15)
    world = scene.workpiece.pose.transform(scene.workpiece.outline.vertices)
    np.testing.assert_allclose(world, [[5, 0], [5, 2], [4, 2], [4, 0]], atol=1e-15)
    np.testing.assert_allclose(scene.workpiece.pose.transform(scene.workpiece.origin), [5.0, 0.0], atol=1e-15)


def test_a_centre_of_mass_beside_the_centroid_needs_rho():
    part = {"outline": {"box": [20, 10], "unit": "mm"}, "mass": 1, "center_of_mass": [5, 0], "rho": "7 mm"}
    scene = parse_scene(builders.build_scene(part, []))
    assert scene.workpiece.rho == 0.007 and tuple(scene.workpiece.pose) == (0.005, 0.0, 0.0)
    del part["rho"]
    assert "workpiece.rho is missing: the centre of mass is not the centroid" in refuse(builders.build_scene(part, []))
    part["center_of_mass"] = [0, 0]
    assert parse_scene(builders.build_scene(part, [])).workpiece.rho == Polygon.box(0.02, 0.01).rho


@pytest.mark.parametrize(
    "value, expected",
    [
        ('{magnitude = 9.81, angle = "-90 deg"}', (0.0, -9.81)),
        ('{magnitude = 2, angle = "30 deg"}', (math.sqrt(3.0), 1.0)),
        ("{magnitude = 2, angle = 0}", (2.0, 0.0)),
        ("[0, 0]", (0.0, 0.0)),
    ],
)
def test_gravity(value, expected):
    gravity = parse_scene(TEXT, {"gravity": value}).gravity
    np.testing.assert_allclose(gravity, expected, rtol=1e-15)
    assert [g == 0.0 for g in gravity] == [g == 0.0 for g in expected]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("20 deg", math.radians(20)),
        ("-20deg", -math.radians(20)),
        ("0.5 rad", 0.5),
        (0.5, 0.5),
        ("1e1 °", math.radians(10)),
    ],
)
def test_angles(text, expected):
    assert parse_scene(TEXT, {"workpiece.pose": [0.0, 0.5, text]}).workpiece.pose.theta == expected


@pytest.mark.parametrize(
    "text, expected",
    [("10 mm", 0.01), ("10.02 mm", 0.01002), ("2 in", 0.0508), ("3 um", 3e-6), ("1cm", 0.01), ("-1 m", -1.0)],
)
def test_lengths(text, expected):
    x = parse_scene(TEXT, {"workpiece.pose": [text, 0.5, 0.0]}).workpiece.pose.x
    assert x == expected


@pytest.mark.parametrize(
    "overrides, message",
    [
        (
            {"friction.default": "nan"},
            "a.toml: friction.default = nan: must be finite; valid: a number, zero or positive",
        ),
        (
            {"friction.default": -0.1},
            "a.toml: friction.default = -0.1: a friction coefficient must be zero or positive",
        ),
        ({"friction.default": "inf"}, "a.toml: friction.default = inf: infinite friction is not a Coulomb law"),
        ({"obstacle.1.mu": math.nan}, "a.toml: obstacle.1.mu (post.1) = nan: must be finite"),
        ({"frction.default": 0.1}, "a.toml: frction: unknown key; did you mean 'friction'? (valid: name, gravity,"),
        ({"workpiece.mas": 1}, "a.toml: workpiece.mas: unknown key; did you mean 'mass'? (valid: name, outline, mass,"),
        (
            {"obstacle.floor.restitution": 1},
            "a.toml: obstacle.0.restitution (floor): unknown key (valid: name, outline, ",
        ),
        ({"workpiece.outline.bx": [1, 2]}, "a.toml: workpiece.outline.bx: unknown key; did you mean 'box'?"),
        ({"run.output_intervall": 1}, "a.toml: run.output_intervall: unknown key; did you mean 'output_interval'?"),
        ({"motion": 1}, "a.toml: motion: unknown key; did you mean 'formation'? (valid: name, gravity, workpiece,"),
        ({"goals": []}, "a.toml: goals: unknown key"),
        ({"workpiece.mass": 0}, "a.toml: workpiece.mass = 0: must be positive"),
        ({"workpiece.mass": "'heavy'"}, "a.toml: workpiece.mass = 'heavy': must be a positive number"),
        ({"workpiece.mass": True}, "a.toml: workpiece.mass = True: must be a positive number"),
        ({"workpiece.rho": "0 mm"}, "a.toml: workpiece.rho = '0 mm': must be positive"),
        ({"workpiece.pose": [1, 2]}, "a.toml: workpiece.pose = [1, 2]: must be [x, y, theta]"),
        ({"workpiece.pose": [1, 2, 3, 4]}, "a.toml: workpiece.pose = [1, 2, 3, 4]: must be [x, y, theta]"),
        ({"workpiece.pose": 3}, "a.toml: workpiece.pose = 3: must be [x, y, theta]"),
        ({"workpiece.pose.x": "1 km"}, "a.toml: workpiece.pose.x = '1 km': must be a length: a number in metres or a"),
        ({"workpiece.pose.theta": "1 grad"}, "a.toml: workpiece.pose.theta = '1 grad': must be an angle: a number in "),
        ({"workpiece.velocity.vx": math.inf}, "a.toml: workpiece.velocity.vx = inf: must be finite"),
        (
            {"workpiece.outline.unit": "km"},
            "a.toml: workpiece.outline.unit = 'km': valid: 'm', 'cm', 'mm', 'um' or 'in'",
        ),
        (
            {"workpiece.outline": {}},
            "a.toml: workpiece.outline = {}: needs exactly one of box, regular, vertices, disc, capsule, file",
        ),
        (
            {"workpiece.outline.vertices": [[0, 0]]},
            "needs exactly one of box, regular, vertices, disc, capsule, file; given: box and vertices",
        ),
        (
            {"workpiece.outline.box": [1, 0]},
            "a.toml: workpiece.outline: the height of a box must be positive and finite",
        ),
        (
            {"obstacle.1.outline.regular.n": 2},
            "a.toml: obstacle.1.outline.regular.n (post.1) = 2: Input should be greater",
        ),
        (
            {"obstacle.1.outline.regular.n": 2.5},
            "a.toml: obstacle.1.outline.regular.n (post.1) = 2.5: must be a whole number",
        ),
        (
            {"obstacle.0.outline": {"vertices": [[0, 0], [1, 1], [1, 0], [0, 1]]}},
            "a.toml: obstacle.0.outline (floor): the outline crosses itself at (0.5, 0.5)",
        ),
        (
            {"obstacle.0.outline": {"vertices": [[0, 0], [1, "x"]]}},
            "vertex 1 is [1, 'x']; valid: a pair [x, y] of numbers",
        ),
        ({"obstacle.1.name": "floor"}, "a.toml: obstacle.1.name = 'floor': obstacle.0 has this name already"),
        ({"workpiece.name": "floor"}, "a.toml: obstacle.0.name = 'floor': the workpiece has this name already"),
        (
            {"obstacle.0.name": "default"},
            "a.toml: obstacle.0.name = 'default': the tables of pairs keep this name",
        ),
        ({"restitution.flor": 1}, "a.toml: restitution.flor: there is no obstacle of this name; did you mean 'floor'?"),
        ({"obstacle.floor.e": 0}, "a.toml: restitution.floor and obstacle.0.e both give e of 'floor'; keep one"),
        (
            {"restitution.floor": 1.5},
            "a.toml: restitution.floor = 1.5: a coefficient of restitution must be from 0 to 1",
        ),
        ({"friction": {}}, "a.toml: obstacle.0 (floor) has no friction: give friction.default, friction.floor or "),
        (
            {"run.choice": "both"},
            "a.toml: run.choice = 'both': valid: 'continue', 'stick', 'separate', 'stop', 'random' or 'branch'",
        ),
        ({"impact.default": "hertz"}, "a.toml: impact.default = 'hertz': valid: 'newton', 'poisson' or 'stronge'"),
        ({"run.duration": -1}, "a.toml: run.duration = -1: must be zero or positive"),
        ({"run.output_interval": 0}, "a.toml: run.output_interval = 0: must be positive"),
        ({"run.tolerance": 1}, "a.toml: run.tolerance = 1: must be from 1e-14 to 1e-2"),
        ({"gravity": [1]}, "a.toml: gravity = [1]: must be [gx, gy] in m/s^2, or {magnitude = 9.81,"),
        ({"load.0.force": [1]}, "a.toml: load.0.force = [1]: must be [fx, fy]"),
        ({"obstacle": {"mu": 1}}, "a.toml: obstacle = {'mu': 1}: must be a list ([[...]] in TOML)"),
        ({"workpiece": [1]}, "a.toml: workpiece = [1]: must be a table"),
        (
            {"obstacle.wall.mu": 1},
            "a.toml: override obstacle.wall.mu: obstacle has no member 'wall'; valid: 0, 1, floor, post",
        ),
        (
            {"workpiece.pose.z": 1},
            "a.toml: override workpiece.pose.z: workpiece.pose has no member 'z'; valid: x, y, theta",
        ),
        ({"workpiece.mass.x": 1}, "a.toml: override workpiece.mass.x: workpiece.mass = 2 has no key 'x'"),
        ({"friction..default": 1}, "a.toml: override friction..default: is no dotted path such as friction.default"),
    ],
)
def test_messages_name_file_key_value_and_what_is_valid(overrides, message):
    assert message in refuse(overrides=overrides)


def test_all_errors_are_told_at_once():
    message = refuse(overrides={"workpiece.mass": -1, "friction.default": "nan", "run.sped": 1})
    assert len(message.splitlines()) == 3
    assert "workpiece.mass" in message and "friction.default" in message and "run.sped" in message


def test_files_that_cannot_be_read(tmp_path):
    for name, message in [
        (str(tmp_path / "none.toml"), "there is no such file"),
        (str(tmp_path), "cannot be read: Is a directory"),
        ("peg_in_hol", "neither a built-in scene nor a file; did you mean 'peg_in_hole'? (valid: block_on_incline,"),
    ]:
        with pytest.raises(SceneError, match=re.escape(message)):
            load_scene(name)
    (tmp_path / "latin.toml").write_bytes("# Prüfstand".encode("latin-1"))
    with pytest.raises(SceneError, match=r"is not UTF-8 text \(byte 4\)"):
        load_scene(tmp_path / "latin.toml")
    assert refuse("x =").startswith("a.toml: is not valid TOML: ")
    assert refuse("") == "a.toml: workpiece is missing"


def test_non_ascii_paths_and_byte_order_mark(tmp_path):
    file = tmp_path / "Prüfstand" / "日本.toml"
    file.parent.mkdir()
    file.write_text(TEXT, encoding="utf-8-sig")
    scene = load_scene(file)
    assert scene.name == "日本" and scene.workpiece.name == "Führung-β" and scene.source == str(file)
    assert scene.summary == "A plate on a floor, pushed." and scene.text == TEXT


def test_overrides_by_path():
    scene = parse_scene(
        TEXT,
        {
            "friction.default": "0.2",
            "obstacle.floor.pose.y": -0.6,
            'obstacle."post.1".mu': 0.7,
            "workpiece.rho": "'5 mm'",
            "workpiece.pose.theta": "20 deg",
            "workpiece.pose.1": 0.1,
            "workpiece.velocity.omega": 3,
            "gravity.gy": -1,
            "load.1.torque": "4",
            "run.duration": "3",
            "restitution": {"default": 0.1},
            "name": "trial",
        },
    )
    assert [o.mu for o in scene.obstacles] == [0.2, 0.7] and [o.e for o in scene.obstacles] == [0.1, 0.25]
    assert scene.workpiece.pose == (0.01, 0.1, math.radians(20)) and scene.workpiece.velocity == (1.0, 0.0, 3.0)
    assert scene.gravity == (0.0, -1.0) and scene.load == (3.0, 3.0, 4.0) and scene.run.duration == 3.0
    assert scene.obstacles[0].pose.y == -0.6 and scene.workpiece.rho == 0.005 and scene.name == "trial"


def test_overrides_of_what_the_text_leaves_out():
    text = builders.build_scene({"outline": {"box": [1, 1]}, "mass": 1}, [])
    scene = parse_scene(
        text, {"workpiece.pose.theta": 0.5, "workpiece.velocity.vy": 2, "gravity.gx": 1, "run.step": 1e-3}
    )
    assert scene.workpiece.pose == (0.0, 0.0, 0.5) and scene.workpiece.velocity == (0.0, 2.0, 0.0)
    assert scene.gravity == (1.0, -9.81) and scene.run.step == 1e-3


def test_the_text_is_kept_as_it_is_without_overrides():
    assert parse_scene(TEXT).text == TEXT


def test_five_thousand_vertices_are_read(tmp_path):
    angle = np.arange(5000) * 2.0 * math.pi / 5000
    vertices = np.stack([np.cos(angle), np.sin(angle)], axis=1).tolist()
    scene = parse_scene(builders.build_scene({"outline": {"vertices": vertices, "unit": "mm"}, "mass": 1}, []))
    assert len(scene.workpiece.outline) == 5000 and parse_scene(scene.text) == scene


def test_reading_a_scene_does_not_load_the_compiler_or_a_plotter():
    code = (
        "import sys; from sim.scene.build import load_scene; load_scene('peg_in_hole'); "
        "print(sorted({'numba', 'llvmlite', 'matplotlib', 'h5py', 'typer'} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert result.stdout.strip() == "[]", result.stdout + result.stderr
