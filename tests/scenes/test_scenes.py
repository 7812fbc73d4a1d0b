"""The built-in scenes and the scenes of the tests: each can be read and holds the numbers that it promises."""

import math

import numpy as np
import pytest

import scenes
from dynamics import find_accelerations
from geometry.shapes.outline import Outline
from geometry.shapes.union.boundary import compute_boundary
from sim.instant.instant import contact_problem
from sim.scene.build import load_scene, parse_scene
from sim.scene.scene_errors import SceneError
from tests import scene_builders as builders


def refuse(text, overrides=None):
    """Message of the refusal of a scene from the file a.toml."""
    with pytest.raises(SceneError) as caught:
        parse_scene(text, overrides=overrides, source="a.toml")
    return str(caught.value)


def test_names_of_the_built_in_scenes():
    assert scenes.names() == [
        "block_on_incline",
        "block_tips",
        "bouncing_block",
        "bracket_from_dxf",
        "cam_follower",
        "chamfered_peg",
        "compliant_peg",
        "conveyor",
        "disc_on_slope",
        "erdmann_figure_4",
        "erdmann_figure_5",
        "erdmann_figure_6",
        "force_controlled_rod",
        "gap",
        "hook_over_post",
        "ladder",
        "painleve_rod",
        "part_in_tray_corner",
        "pawl_fixture",
        "peg_in_hole",
        "pin_in_bush",
        "pusher_to_wall",
        "ramp_and_stop",
        "rcc_peg",
        "rocking_block",
        "rounded_peg",
        "shaken_plate",
        "spring_press",
        "step_down",
        "three_fingers",
        "three_point_block",
        "tilting_tray",
        "tray_tilt",
        "v_groove",
        "vibratory_bowl_track",
        "vibratory_track",
        "wedge_in_slot",
        "wiper",
    ]
    with pytest.raises(KeyError, match="no built-in scene 'x'"):
        scenes.path("x")


@pytest.mark.parametrize("name", scenes.names())
def test_built_in_scenes(name):
    scene = load_scene(name)
    assert scene.name == name and 20 < len(scene.summary) <= 118 and scene.summary.endswith((".", "?"))
    assert "# Known exactly: " in scene.text
    assert scene.run.duration > 0 and scene.run.output_interval
    shapes = [obstacle.shape for obstacle in scene.obstacles]
    boundary = compute_boundary([shape if isinstance(shape, Outline) else shape.vertices for shape in shapes])
    assert len(boundary.start) >= min(map(len, shapes))


@pytest.mark.parametrize(
    "name, height",
    [
        ("block_on_incline", 0.25),
        ("block_tips", 0.5),
        ("three_point_block", 1.0),
        ("part_in_tray_corner", 0.03),
        ("painleve_rod", 0.5 * math.sin(math.radians(60)) * 1.0),
    ],
)
def test_scenes_that_start_in_contact_touch_to_the_last_bits(name, height):
    scene = load_scene(name)
    part = scene.workpiece.pose.transform(scene.workpiece.outline.vertices)
    obstacle = scene.obstacles[0]
    inverse = obstacle.pose.inverse()
    assert abs(inverse.transform(part)[:, 1].min()) < 1e-15
    assert abs(inverse.transform(np.array(scene.workpiece.pose[:2]))[1] - height) < 1e-15


def test_numbers_that_the_built_in_scenes_promise():
    peg = load_scene("peg_in_hole")
    assert abs(np.ptp(peg.workpiece.outline.vertices[:, 0]) - 0.01) < 1e-17 and peg.workpiece.mass == 0.05
    hole = peg.obstacles[0].shape.vertices
    assert abs(hole[4, 1] + 0.03) < 1e-17 and abs(hole[3, 0] - hole[6, 0] - 0.01002) < 1e-17
    x, y, theta = -3e-6, 2e-3, math.radians(2.0)  # of the middle of the lower face
    below = 5e-3 * math.sin(theta) - (x - 5e-3 * math.cos(theta) + 5.01e-3) / math.tan(theta)  # left side on the corner
    assert abs(math.sqrt(2.0 * (y - below) / 9.81) - 0.020756235) < 5e-10 and "at 0.020756235 s" in peg.text
    assert abs(peg.workpiece.pose.transform(peg.workpiece.origin) - [x, y]).max() < 1e-17
    three = load_scene("three_point_block").workpiece
    assert three.rho == three.mass == 1.0 and sum(abs(three.outline.vertices[:, 1] + 1.0) < 1e-15) == 3
    rocking = load_scene("rocking_block").workpiece.outline
    assert abs(rocking.reach - 1.0) < 1e-15
    width, height = np.ptp(rocking.vertices, axis=0)
    assert abs(math.atan2(width, height) - 0.2) < 1e-15
    rod = load_scene("painleve_rod").workpiece
    np.testing.assert_allclose(rod.velocity, [-3.5980762, 1.5, 6.0], atol=1e-7)
    assert abs(rod.rho - 0.204134) < 5e-7
    ladder = load_scene("ladder").workpiece
    world = ladder.pose.transform(ladder.outline.vertices)
    assert abs(world[:, 0].min()) < 1e-15 and abs(world[:, 1].min()) < 1e-15


@pytest.mark.parametrize("name, edges, accelerations", [  # edges at 1 N of normal force, from left to right
    ("erdmann_figure_4", [(0.5, 1, -0.4), (-0.5, 1, -2)], [(1.0624, -0.7968, -0.664)]),
    ("erdmann_figure_5", [(4, 1, 3), (-4, 1, -5), (4, 1, 4), (-4, 1, -4), (4, 1, 5), (-4, 1, -3)],
     [(-4, 1, 0), (-5 / 3, 5 / 3, 5 / 3), (-2, 1.5, 1.5)]),
    ("erdmann_figure_6", [(0.25, 1, -0.75), (-0.25, 1, -1.25), (0.25, 1, 0.25), (-0.25, 1, -0.25), (0.25, 1, 1.25),
                          (-0.25, 1, 0.75)], [(0.25, 0, 0)]),
])
def test_numbers_that_the_figures_of_erdmann_promise(name, edges, accelerations):
    problem, _ = contact_problem(load_scene(name))
    side = problem.mu[:, None] * problem.T
    np.testing.assert_allclose(np.stack([problem.N + side, problem.N - side], axis=1).reshape(-1, 3), edges, atol=1e-14)
    found = [tuple(np.round(piece.vertices[0], 9)) for piece in find_accelerations(problem).pieces]
    assert sorted(found) == sorted(tuple(np.round(a, 9)) for a in np.array(accelerations))


@pytest.mark.parametrize("variant", builders.A19_ACCEPTED)
def test_a19_variants_start_the_same_motion(variant):
    plain, scene = (parse_scene(builders.a19(v)).workpiece for v in ("plain", variant))
    np.testing.assert_allclose(scene.pose, plain.pose, rtol=0, atol=1e-17)
    assert abs(scene.rho - plain.rho) < 1e-17 and len(scene.outline) == 4


@pytest.mark.parametrize("variant", builders.A19_REFUSED)
def test_a19_refused_names_the_outline(variant):
    assert refuse(builders.a19(variant)).startswith("a.toml: workpiece.outline")


@pytest.mark.parametrize(
    "mu, message", [(math.inf, "infinite friction"), (math.nan, "must be finite"), (-0.1, "must be zero or positive")]
)
def test_a07_invalid_friction_is_refused_by_name(mu, message):
    assert refuse(builders.a07(mu)).startswith("a.toml: friction.default = ") and message in refuse(builders.a07(mu))
    assert parse_scene(builders.a07(1e12)).obstacles[0].mu == 1e12


def test_every_builder_makes_a_scene():
    texts = [
        builders.s1(),
        builders.s2(),
        builders.s3(),
        builders.s5(),
        builders.s6(),
        builders.s7a(),
        builders.s7b(),
        builders.a01(20, 0.4),
        builders.a03(4.9),
        *(builders.a05(part, 18.0) for part in builders.A05),
        builders.a07(1e12, 30.0),
        *(builders.a09(variant) for variant in builders.A09),
        builders.a10(0.3, 1e-12),
        builders.a10(dropped=True),
        builders.a12(),
        builders.a13(),
        builders.a15a(),
        builders.a15b(),
        builders.a17(0.0),
        builders.a24(),
        builders.a28(1e-9),
        builders.three_feet((1.0, 0.0), 0.5),
        builders.rocking_block(0.3, 0.15),
    ]
    for text in texts:
        scene = parse_scene(text)
        assert parse_scene(scene.text) == scene


@pytest.mark.parametrize("name", scenes.names())
def test_the_text_gives_the_scene_again(name):
    value = 0.1 + 0.2  # a double that needs all its digits
    overrides = {"workpiece.mass": value, "run.duration": 1e-7}
    if "left jaw" not in scenes.path(name).read_text(encoding="utf-8"):
        overrides["friction.default"] = value
    if "hand = {" in scenes.path(name).read_text(encoding="utf-8"):
        overrides["control.hand.mass"] = 0.1  # a part of the mass
    scene = load_scene(name, overrides=overrides)
    again = parse_scene(scene.text, source=scene.source)
    assert again == scene and scene.workpiece.mass == value
    assert scene.text.startswith("# ") and scene.summary == load_scene(name).summary
