"""Level seams between surfaces that differ: where a flush face can press, and what a part does that crosses one.

What a seam allows is compared with a slit of 1e-9 m, over which each surface has a corner of its own, and with linear
programs over all assignments of letters (`tests/naive/accelerations.py`).
"""

from __future__ import annotations

import numpy as np
import pytest

from dynamics import find_accelerations
from sim import simulate, sweep
from sim.instant.instant import contact_problem
from sim.rows.status import Status
from sim.scene.build import parse_scene
from sim.study.scene_contacts import find_contact_set
from tests import scene_builders as builders
from tests.naive.accelerations import find_all
from tests.sim.engine.test_moving import check_moving
from tests.sim.motion import get_kinds, get_times, turn_scene

G = builders.G
BOX = builders.standing_box(0.3, 0.1)
STOOL = {"vertices": [[-0.15, 0.0], [-0.12, 0.05], [0.12, 0.05], [0.15, 0.0], [0.15, 0.1], [-0.15, 0.1]]}
BELTS = ({"mu": 0.4}, {"mu": 0.4, "surface_speed": 1.0})


def build(surfaces, x=0.0, speed=0.5, part=BOX, slit=0.0, gap=0.0, **run) -> str:
    """A part of 0.3 m over the seam at x = 0 of two blocks with their tops at y = 0; keys of each in `surfaces`."""
    ends = ((-3.0, -slit), (0.0, 3.0))
    blocks = [{"name": name, "outline": builders.box_outline(end[0], -0.1, end[1], 0.0), **keys}
              for name, end, keys in zip(("left", "right"), ends, surfaces, strict=True)]
    workpiece = {"name": "part", "outline": part, "mass": 1.0, "pose": [x, gap, 0.0], "velocity": [speed, 0.0, 0.0]}
    return builders.build_scene(workpiece, blocks, run={"duration": 1.0, **run})


def find_range(text: str) -> tuple[float, float]:
    """Least and largest acceleration along the floor, after a comparison with the twin."""
    problem, _ = contact_problem(parse_scene(text))
    found = find_accelerations(problem)
    points = np.vstack([piece.vertices for piece in found.pieces])
    twin = np.vstack([part.points for part in find_all(problem)])
    assert (points[:, 0].min(), points[:, 0].max()) == pytest.approx((twin[:, 0].min(), twin[:, 0].max()), abs=1e-7)
    assert max(r.worst for piece in found.pieces for r in piece.residuals) < 1e-8
    return points[:, 0].min(), points[:, 0].max()


# ---- at one instant --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("slit", [0.0, 1e-12, 1e-9, 1e-6])
def test_a_face_over_two_belts_may_press_on_either(slit):
    assert find_range(build(BELTS, slit=slit)) == pytest.approx((-3.097895, 3.097895), abs=1e-4)
    assert find_range(build(BELTS, -0.1, slit=slit)) == pytest.approx((-3.924, 0.676552), abs=1e-4)


SURFACES = [
    ({"mu": 0.2}, {"mu": 0.6}),
    ({"mu": 0.0}, {"mu": 0.5}),
    ({"mu": 0.3, "surface_speed": -0.4}, {"mu": 0.3, "surface_speed": 0.8}),
    ({"mu": 0.3}, {"mu": 0.3, "motion": {"velocity": [0.9, 0.0]}}),
    ({"mu": 0.3, "motion": {"velocity": [-0.2, 0.0]}}, {"mu": 0.5, "motion": {"velocity": [-0.2, 0.0]}}),
    ({"mu": 0.3, "surface_speed": 0.4},
     {"mu": 0.3, "motion": {"sinusoid": [{"amplitude": [0.1, 0.0], "frequency": 2.0}]}}),
]


@pytest.mark.parametrize("surfaces", SURFACES)
@pytest.mark.parametrize("x", [-0.1, 0.03])
def test_no_slit_allows_what_a_narrow_slit_does(surfaces, x):
    ranges = [find_range(build(surfaces, x, slit=slit)) for slit in (0.0, 1e-9)]
    assert ranges[0] == pytest.approx(ranges[1], abs=1e-6)
    assert ranges[0][1] - ranges[0][0] > 0.1


@pytest.mark.parametrize("same", [{"mu": 0.4}, {"mu": 0.4, "e": 0.5}, {"mu": 0.4, "surface_speed": 1.0}])
def test_a_seam_between_surfaces_that_agree_is_none(same):
    _, contacts = contact_problem(parse_scene(build((same, same))))
    assert sorted(contact["type"] for contact in contacts) == ["B", "B"]


def test_a_corner_at_rest_on_a_seam_may_press_on_either():
    """One that moves across is on the surface ahead already, or still behind."""
    surfaces = ({"mu": 0.2}, {"mu": 0.6})
    where = {}
    for speed in (0.0, 0.5, -0.5):
        _, contacts = contact_problem(parse_scene(build(surfaces, 0.15, speed, STOOL)))
        where[speed] = sorted(c["obstacle"] for c in contacts if abs(c["point"][0]) < 1e-9)
    assert where == {0.0: ["left", "right"], 0.5: ["right"], -0.5: ["left"]}


def test_a_ridge_of_two_surfaces_is_a_corner_of_either():
    """Two wedges that meet in a ridge at the origin, under a plate."""
    wedges = [{"name": "left", "mu": 0.2, "outline": {"vertices": [[-1.0, -1.0], [0.0, -1.0], [0.0, 0.0]]}},
              {"name": "right", "mu": 0.7, "outline": {"vertices": [[0.0, -1.0], [1.0, -1.0], [0.0, 0.0]]}}]
    part = {"outline": BOX, "mass": 1.0, "pose": [0.0, 0.0, 0.1]}
    problem, contacts = contact_problem(parse_scene(builders.build_scene(part, wedges)))
    assert sorted(contact["obstacle"] for contact in contacts) == ["left", "right"]
    assert sorted(problem.mu) == [0.2, 0.7]


def test_a_seam_is_a_place_to_approach():
    text = build(({"mu": 0.2}, {"mu": 0.6}), gap=0.01, speed=0.0)
    contacts, places = find_contact_set(parse_scene(text), near=0.02)
    seam = [place["obstacle"] for place in places if abs(place["point"][0]) < 1e-12]
    assert sorted(seam) == ["left", "right"] and len(contacts) == 4


# ---- in motion -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("angle", [0.0, 0.5, -2.0])
@pytest.mark.parametrize("choice", ["continue", "stop"])
def test_feet_change_from_one_friction_to_the_other(angle, choice):
    """Feet at either end slide from mu 0.2 to 0.4: one event for each, no impact, at the times of the closed form."""
    text = turn_scene(build(({"mu": 0.2}, {"mu": 0.4}), -0.5, 2.0, STOOL, choice=choice), angle)
    trajectory = simulate(parse_scene(text))
    check_moving(trajectory)
    assert get_kinds(trajectory) == ["start", "contact", "contact", "stick", "rest"]
    first, second = get_times(trajectory, "contact")
    before = 0.2 * G  # decelerations before, ...
    assert 2.0 * first - 0.5 * before * first**2 == pytest.approx(0.35, abs=1e-9)
    # ... between, when the front foot is on mu 0.4: fn of both from the balance about the centre of mass ...
    height, half = float(trajectory.pose[0] @ [-np.sin(angle), np.cos(angle), 0.0]), 0.15
    front = G * (half + 0.2 * height) / (2.0 * half - 0.2 * height)
    between = 0.2 * (G - front) + 0.4 * front
    v, t = 2.0 - before * first, second - first
    assert v * t - 0.5 * between * t**2 == pytest.approx(0.3, abs=1e-9)
    # ... and after
    v -= between * t
    assert get_times(trajectory, "rest") == pytest.approx([second + v / (0.4 * G)], abs=1e-9)


@pytest.mark.parametrize("surfaces", [
    ({"mu": 0.4, "surface_speed": 1.0}, {"mu": 0.4, "surface_speed": -1.0}),
    ({"mu": 0.2}, {"mu": 0.4}),
    ({"mu": 0.3, "e": 0.0}, {"mu": 0.3, "e": 0.5}),
    ({"mu": 0.3, "motion": {"velocity": [0.2, 0.0]}}, {"mu": 0.2, "motion": {"velocity": [0.2, 0.0]}}),
    ({"mu": 0.3}, {"mu": 0.3, "motion": {"velocity": [-0.2, 0.0]}}),
])
@pytest.mark.parametrize(("part", "slit"), [(BOX, 0.0), (BOX, 1e-9), (STOOL, 0.0)])  # sharp feet drop into a slit
def test_a_part_crosses_without_impact(surfaces, part, slit):
    trajectory = simulate(parse_scene(build(surfaces, -0.3, 1.5, part, slit, duration=3.0)))
    check_moving(trajectory)
    assert "impact" not in get_kinds(trajectory) and len(trajectory.impulses) == 0
    assert np.abs(trajectory.pose[:, 2]).max() < 1e-12
    assert np.ptp(trajectory.pose[:, 1]) < 1e-12


def test_a_box_goes_back_and_forth_between_belts_that_run_against_each_other():
    """It is carried over the seam by one belt, gripped by the other and brought back, without end."""
    belts = ({"mu": 0.4, "surface_speed": 1.0}, {"mu": 0.4, "surface_speed": -1.0})
    trajectory = simulate(parse_scene(build(belts, -0.5, 1.0, duration=3.0)))
    check_moving(trajectory)
    crossings = get_times(trajectory, "contact")
    period = 2.0 / (0.4 * G) + 0.3  # the rear end enters with 1 m/s, comes back with -1 m/s, and all of it crosses
    assert crossings[::2] == pytest.approx(0.35 + period * np.arange(len(crossings[::2])), abs=1e-9)


@pytest.mark.parametrize("surfaces", SURFACES[:2])
def test_a_box_rests_over_a_seam(surfaces):
    trajectory = simulate(parse_scene(build(surfaces, 0.02, 0.0)))
    check_moving(trajectory)
    assert get_kinds(trajectory) == ["start", "rest"]
    np.testing.assert_array_equal(trajectory.pose[-1], trajectory.pose[0])


@pytest.mark.parametrize("e", [(0.0, 0.5), (0.5, 0.0), (0.3, 0.3)])
def test_a_box_dropped_on_a_seam_bounces_as_over_a_narrow_slit(e):
    surfaces = [{"mu": 0.4, "e": value} for value in e]
    ends = [simulate(parse_scene(build(surfaces, 0.05, 0.0, slit=slit, gap=0.1))) for slit in (0.0, 1e-9)]
    for trajectory in ends:
        check_moving(trajectory)
    first, second = (get_times(trajectory, "impact")[:4] for trajectory in ends)
    assert first == pytest.approx(second, abs=1e-8)


def test_the_rule_stop_stops_where_a_face_comes_to_a_seam():
    """A face over two frictions has many motions: the forces on it are not known."""
    trajectory = simulate(parse_scene(build(({"mu": 0.2}, {"mu": 0.4}), -0.5, 2.0, choice="stop")))
    assert trajectory.status == Status.NOT_UNIQUE
    reach = (2.0 - np.sqrt(4.0 - 2.0 * 0.2 * G * 0.35)) / (0.2 * G)
    assert trajectory.time[-1] == pytest.approx(reach, abs=1e-7)


def test_a_sweep_sees_the_seam_where_frictions_differ():
    """Surfaces that agree in the first cell differ in the next."""
    scene = parse_scene(build(({"mu": 0.2}, {"mu": 0.2}), -0.3, 1.5))
    table = sweep(scene, vary={"obstacle.right.mu": [0.2, 0.4]}, workers=1).table
    for row, mu in zip(table, (0.2, 0.4), strict=True):
        alone = simulate(parse_scene(build(({"mu": 0.2}, {"mu": mu}), -0.3, 1.5)))
        assert row["x"] == alone.pose[-1, 0]
        assert row["time_not_unique"] == pytest.approx(alone.account.time_not_unique) and (mu == 0.2) == (
            row["time_not_unique"] == 0.0)
