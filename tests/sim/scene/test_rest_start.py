"""A start at rest: exact places on level and sloping edges, sweeps over all poses, refusals that say what is valid."""

import math

import numpy as np
import pytest

from sim.instant.instant import contact_problem
from sim.scene.build import parse_scene
from sim.scene.scene_errors import SceneError
from sim.sweep.axes import count_all, make_axis
from sim.sweep.sweep import sweep

SCENE = """# An L on a track
[workpiece]
outline = {vertices = [[0, 0], [40, 0], [40, 10], [10, 10], [10, 40], [0, 40]], unit = "mm"}
mass = 0.05
pose = {rest = 2, on = "track", at = "30 mm"}

[[obstacle]]
name = "track"
outline = {vertices = [[-100, -20], [100, -20], [100, 0], [-100, 0]], unit = "mm"}
mu = 0.5
"""


def load(**changes):
    return parse_scene(SCENE, overrides={f"workpiece.pose.{key}": value for key, value in changes.items()})


@pytest.mark.parametrize("rest, theta, height, corners", [
    (0, 0.0, 95 / 7, 2), (1, 90.0, 95 / 7, 2), (2, -135.0, (50 - 190 / 7) / math.sqrt(2), 2)])
def test_the_part_touches_the_track_where_it_should(rest, theta, height, corners):
    scene = load(rest=rest)
    assert scene.workpiece.pose == pytest.approx((-0.07, height * 1e-3, math.radians(theta)), abs=1e-15)
    contacts = contact_problem(scene)[1]
    assert len(contacts) == corners
    assert parse_scene(scene.text).workpiece.pose == scene.workpiece.pose


def test_without_a_place_it_is_the_middle_and_edges_have_numbers():
    text = SCENE.replace(', at = "30 mm"', "")
    assert parse_scene(text).workpiece.pose.x == pytest.approx(0.0, abs=1e-15)
    low = parse_scene(text, overrides={"workpiece.pose.edge": 0}).workpiece.pose  # the lower side: upside down
    assert (low.y, abs(low.theta + math.radians(135.0))) == pytest.approx(
        (-0.02 - (50e-3 - 190e-3 / 7) / math.sqrt(2), math.pi), abs=1e-14)


@pytest.mark.parametrize("angle", [-12.0, 7.0])
def test_on_a_slope_it_is_turned_with_the_edge(angle):
    slope = math.radians(angle)
    scene = parse_scene(SCENE, overrides={"obstacle.track.pose": [0.01, 0.02, f"{angle} deg"]})
    along, up = np.array([math.cos(slope), math.sin(slope)]), np.array([-math.sin(slope), math.cos(slope)])
    pose = scene.workpiece.pose
    assert pose[:2] == pytest.approx([0.01, 0.02] - 0.07 * along + (50e-3 - 190e-3 / 7) / math.sqrt(2) * up, abs=1e-15)
    assert pose.theta == pytest.approx(slope - 0.75 * math.pi, abs=1e-15)
    assert len(contact_problem(scene)[1]) == 2


def test_a_round_part_rests_below_its_centre():
    text = SCENE.replace('{vertices = [[0, 0], [40, 0], [40, 10], [10, 10], [10, 40], [0, 40]], unit = "mm"}',
                         '{vertices = [[-20, 0], [20, 0]], bulge = [0, 1], unit = "mm"}')
    pose = parse_scene(text, overrides={"workpiece.pose.rest": 1}).workpiece.pose
    assert pose[1:] == pytest.approx((0.02 - 0.08 / (3 * math.pi), math.pi), abs=1e-15)


def test_a_sweep_over_all_rest_poses_has_each_once():
    axis = count_all(make_axis("workpiece.pose.rest", "all"), load().workpiece.outline)
    assert axis.values.tolist() == [0.0, 1.0, 2.0] and [axis.make_override(value) for value in axis.values] == [0, 1, 2]
    other = make_axis("run.choice", "all")
    assert count_all(other, load().workpiece.outline) is other


def test_a_part_that_starts_at_rest_stays_there():
    scene = parse_scene(SCENE, overrides={"run.duration": 0.01})
    result = sweep(scene, vary={"workpiece.pose.rest": "all"}, workers=1)
    assert result.count() == {f"at rest on {place}": 1 for place in ("edge 0", "edge 5", "vertex 2, vertex 4")}
    for row, number in zip(result.table, range(3), strict=True):
        assert (row["x"], row["y"], row["theta"]) == load(rest=number).workpiece.pose


@pytest.mark.parametrize("changes, message", [
    ({"rest": 3}, r"pose\.rest = 3: the part has 3 rest poses, counted from 0\n  rest 0: edge 0, theta = 0 deg"),
    ({"on": "trak"}, r"pose\.on = 'trak': there is no obstacle of this name.*track"),
    ({"at": "21 cm"}, r"pose\.at = 0\.21 m: edge 2 of 'track' is 0\.2 m long"),
    ({"at": "20 mm"}, r"rest 2 touches with vertex 2, vertex 4, .* valid is 0\.0212132034 m to 0\.17878679\d+ m"),
    ({"at": "-1 mm"}, r"pose\.at = -0\.001 m"),
    ({"edge": 4}, r"pose\.edge = 4: is no edge of 'track'; valid are its edges, from 0 to 3"),
    ({"rest": -1}, r"workpiece\.pose\.rest"),
    ({"rest": 1.5}, r"workpiece\.pose\.rest"),
    ({"onto": "track"}, r"workpiece\.pose\.onto: unknown key"),
])
def test_refusals(changes, message):
    with pytest.raises(SceneError, match=message):
        load(**changes)


def test_two_tops_and_no_gravity_need_an_edge():
    text = SCENE.replace("[[-100, -20], [100, -20], [100, 0], [-100, 0]]",
                         "[[-100, -20], [100, -20], [100, 0], [50, 0], [50, -5], [-50, -5], [-50, 0], [-100, 0]]")
    with pytest.raises(SceneError, match="edges 2, 6 are on top alike; give edge"):
        parse_scene(text)
    with pytest.raises(SceneError, match="gravity is 0, so that no edge is on top"):
        parse_scene(SCENE, overrides={"gravity": [0.0, 0.0]})
