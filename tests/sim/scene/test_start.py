"""The start of a scene: touching is accepted, overlap is refused with bodies, depth and place."""

import re

import numpy as np
import pytest

from geometry.shapes.union.boundary import compute_boundary
from sim.scene.build import parse_scene
from sim.scene.scene_errors import SceneError
from sim.scene.start import compute_start_tolerance, measure_overlap
from tests import scene_builders as builders


def refuse(text, overrides=None):
    """Message of the refusal of a scene from the file a.toml."""
    with pytest.raises(SceneError) as caught:
        parse_scene(text, overrides=overrides, source="a.toml")
    return str(caught.value)


def test_a17_overlap_is_refused_with_both_bodies_depth_and_place():
    message = refuse(builders.a17(-0.001))
    found = re.search(
        r"workpiece 'box' overlaps obstacle 'floor' at the start: (\S+) m deep at \((\S+), (\S+)\)", message
    )
    assert float(found[1]) == 0.001 and float(found[3]) == -0.001 and abs(abs(float(found[2])) - 0.05) < 1e-12
    assert "workpiece 'box' lies wholly inside obstacle 'floor'" in refuse(builders.a17(-0.5))
    around = builders.build_scene(
        {"name": "ring", "outline": {"box": [2, 2]}, "mass": 1},
        [{"name": "pin", "outline": {"box": [0.1, 0.1]}, "mu": 0}],
    )
    assert "workpiece 'ring' encloses obstacle 'pin'" in refuse(around)


def test_bars_that_cross_are_refused_although_no_corner_is_inside():
    text = builders.build_scene({"outline": {"box": [4, 0.2]}, "mass": 1}, [{"outline": {"box": [0.2, 4]}, "mu": 0}])
    assert "'workpiece' overlaps obstacle 'obstacle_0' at the start: 0.1 m deep" in refuse(text)


@pytest.mark.parametrize("depth", [1e-9, 1e-6, 1e-3])
def test_a_tip_in_a_floor_is_as_deep_as_it_is_below(depth):
    spike = np.array([[0.0, -depth], [0.3, 1.0], [-0.3, 1.0]])
    floor = np.array([[-2.0, -1.0], [2.0, -1.0], [2.0, 0.0], [-2.0, 0.0]])
    found, place, how = measure_overlap(spike, floor)
    assert abs(found / depth - 1.0) < 1e-6 and how == "overlaps"
    np.testing.assert_allclose(place, [0.0, -depth], atol=1e-12)


@pytest.mark.parametrize("degrees", [0.0, 1.0, 20.0, 30.0, 45.0, 77.0])
@pytest.mark.parametrize("gap, accepted", [(0.0, True), (1e-13, True), (1e-6, True), (-1e-13, True), (-1e-8, False)])
def test_touching_to_the_last_bits_is_accepted(degrees, gap, accepted):
    text = builders.slope_block(builders.standing_box(0.2, 0.1), degrees, 0.5, height=gap)
    if accepted:
        parse_scene(text)
    else:
        assert re.search("workpiece 'block' overlaps obstacle '(slope|floor)' at the start: 1e-08 m deep", refuse(text))


def test_touching_is_accepted_far_from_the_origin():
    part = {"outline": builders.standing_box(0.2, 0.1), "mass": 1.0, "pose": [1e6 + 0.3, 1e6, 0.7]}
    floor = {**builders.build_floor(theta=0.7), "pose": [1e6 + 0.3, 1e6, 0.7], "mu": 0}
    scene = parse_scene(builders.build_scene(part, [floor]))
    assert 1e-6 <= compute_start_tolerance(scene) < 2e-6


def test_obstacles_may_overlap_each_other():
    scene = parse_scene(
        builders.build_scene(
            {"outline": builders.standing_box(0.2, 0.1), "mass": 1.0},
            [builders.build_floor(), {"name": "wall", "outline": builders.box_outline(0.1, -0.5, 0.2, 0.5)}],
            friction={"default": 0.5},
        )
    )
    boundary = compute_boundary([obstacle.shape.vertices for obstacle in scene.obstacles])
    assert (~boundary.convex).sum() == 2


def test_a24_any_clearance_and_an_exact_fit_may_start():
    for clearance in (0.02, 0.002, 0.0):
        parse_scene(builders.a24(clearance))
        parse_scene(builders.a24(clearance), {"workpiece.pose.y": -0.01})
    assert "overlaps obstacle 'left'" in refuse(builders.a24(-0.001), {"workpiece.pose.y": -0.01})
    assert "overlaps obstacle 'right'" in refuse(builders.a24(0.0, 1e-6), {"workpiece.pose.y": -0.01})
