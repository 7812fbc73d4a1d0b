"""A movie whose frames hide a vibration says so, and how it becomes visible."""

import math

import numpy as np
import pytest

from sim.run.simulation import simulate
from sim.scene.build import load_scene, parse_scene
from sim.show.frame_rate import find_hidden, find_own, list_vibrations
from tests import scene_builders as builders


@pytest.fixture(scope="module")
def bowl():
    return simulate(load_scene("vibratory_bowl_track", {"run.duration": 0.1}))


def test_the_vibration_of_a_bowl_is_hidden_at_25_frames_a_second_and_seen_as_it_is_said(bowl):
    (note,) = find_hidden(bowl, 25.0, 1.0)
    assert note.startswith("obstacle track vibrates with a period of 20 ms, and a frame stands for 40 ms")
    assert note.endswith("--speed 0.062 does, or --fps 400")
    assert find_hidden(bowl, 25.0, 1.0, 50.0)[0].endswith("--speed 0.062 does")
    assert find_hidden(bowl, 25.0, 0.0625) == [] and find_hidden(bowl, 400.0, 1.0) == []


def test_the_part_hops_with_the_bowl_and_is_not_told_twice(bowl):
    assert find_own(bowl) == pytest.approx(0.02, rel=0.05)
    assert [one.what for one in list_vibrations(bowl)] == ["obstacle track vibrates"]


def test_a_part_on_a_spring_swings_by_itself_and_a_load_is_told_by_its_name():
    box = {"name": "box", "mass": 1.0, "outline": {"box": [0.02, 0.02]}, "velocity": [1.0, 0.0, 0.0]}
    scene = builders.build_scene(box, [{"name": "far", "outline": builders.box_outline(-1.0, -3.0, 1.0, -2.0)}], friction={"default": 0.1}, gravity=[0.0, 0.0])
    omega = 2.0 * math.pi * 100.0
    scene["spring"] = [{"name": "coil", "anchor": [0.0, 0.0], "point": [0.0, 0.0], "stiffness": omega**2,
                        "rest_length": 0.0}]
    motion = simulate(parse_scene(scene), duration=0.1, output_interval=0.001)
    assert find_own(motion) == pytest.approx(0.01, rel=0.1)
    assert any(note.startswith("the part swings") for note in find_hidden(motion, 25.0, 1.0))


def test_rest_is_no_vibration():
    still = simulate(load_scene("block_on_incline", {"friction.default": 2.0, "run.duration": 0.2}))
    assert find_own(still) is None and find_hidden(still, 25.0, 1.0) == []
    assert np.isfinite(still.time).all()
