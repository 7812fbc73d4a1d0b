"""A convex corner on a convex corner: two candidate normals, any between them may push, left and right are alike."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from dynamics import find_accelerations
from sim.instant.instant import contact_problem
from sim.run.simulation import simulate
from sim.scene.build import parse_scene
from tests import scene_builders as builders
from tests.sim.motion import check_laws, get_kinds, mirror_scene, place_points, run

HALF = 0.05 * sqrt(2.0)


def tip_on_tip(push=0.0, mu=0.5, x=0.0, speed=0.0, duration=0.3, theta=np.pi / 4):
    """A square of 0.1 m stands with a corner on the tip of a wedge."""
    return parse_scene(f"""
gravity = [{push!r}, -9.81]
[workpiece]
outline = {{ box = [0.1, 0.1] }}
mass = 1.0
pose = [{x!r}, {HALF!r}, {theta!r}]
velocity = [{speed!r}, 0.0, 0.0]
[[obstacle]]
name = "post"
outline = {{ vertices = [[0.0, 0.0], [-0.05, -0.1], [0.05, -0.1]] }}
[friction]
default = {mu!r}
[run]
duration = {duration!r}
output_interval = 0.01
""")


def test_it_is_reported_as_one_contact_with_two_normals():
    problem, contacts = contact_problem(tip_on_tip())
    assert list(problem.corner) == [1, 0]
    normals = sorted(contact["normal"] for contact in contacts)
    assert normals == [pytest.approx((-sqrt(0.5), sqrt(0.5))), pytest.approx((sqrt(0.5), sqrt(0.5)))]


def test_the_set_is_symmetric():
    """Balanced, it can stay or slide off to either side: mirror images."""
    found = find_accelerations(contact_problem(tip_on_tip())[0])
    assert found.kind == "several"
    vertices = np.array(sorted((tuple(v) for piece in found.pieces for v in piece.vertices), key=lambda v: v[0]))
    assert vertices[1] == pytest.approx((0.0, 0.0, 0.0), abs=1e-9)
    assert vertices[0] * [-1.0, 1.0, -1.0] == pytest.approx(vertices[2])


def test_balanced_it_stays():
    trajectory = simulate(tip_on_tip(duration=10.0))
    assert (trajectory.pose == trajectory.pose[0]).all()


@pytest.mark.parametrize("mu", [0.0, 0.5])
def test_pushes_to_either_side_are_mirror_images(mu):
    right, left = (simulate(tip_on_tip(push=sign, mu=mu)) for sign in (1.0, -1.0))
    assert right.status.name == left.status.name == "COMPLETED"
    assert right.pose[-1, 0] > 0.02
    mirrored = left.pose[-1] * [-1.0, 1.0, -1.0] + [0.0, 0.0, np.pi / 2]
    assert right.pose[-1] == pytest.approx(mirrored, abs=1e-8)
    assert right.account.energy_residual < 1e-9


def test_passing_over_the_tip_is_no_impact():
    """A corner that slides sideways off a tip is free at once."""
    trajectory = simulate(tip_on_tip(speed=0.1, duration=0.015))
    assert not any(trajectory.events["n_impulses"])
    assert trajectory.pose[-1] == pytest.approx([0.1 * 0.015, HALF - 0.5 * 9.81 * 0.015**2, np.pi / 4], abs=1e-12)


@pytest.mark.parametrize("angle", [3.0, 10.0, 29.0, 31.0, 60.0, 88.0, 150.0])
@pytest.mark.parametrize("mirrored", [False, True])
def test_a_slender_corner_slides_off_an_edge_without_an_impact(angle, mirrored):
    """A flat triangle slides over the end of a table, its corner ahead, until its centre of mass is over the end."""
    a = np.radians(angle)
    tip = np.array([[0.0, 0.0], [0.3, 0.0], [0.2 * np.cos(a), 0.2 * np.sin(a)]])
    centre = tip.mean(axis=0)
    text = builders.build_scene(
        {"outline": {"vertices": tip.tolist()}, "mass": 1.0, "pose": [0.02, 0.0, 0.0], "velocity": [-1.0, 0.0, 0.0]},
        [{"name": "table", "outline": builders.box_outline(0.0, -0.1, 2.0, 0.0)}],
        friction={"default": 0.0}, run={"duration": 0.02 + 0.9 * centre[0], "output_interval": 0.01},
    )  # fmt: skip
    trajectory = run(mirror_scene(text) if mirrored else text)
    check_laws(trajectory)
    assert get_kinds(trajectory)[:2] == ["start", "contact"] and trajectory.account.n_impacts == 0
    np.testing.assert_allclose(trajectory.velocity, np.tile([trajectory.velocity[0, 0], 0, 0], (len(trajectory), 1)),
                               rtol=0, atol=1e-9)


@pytest.mark.parametrize("angle", [2.0, 10.0, 29.0, 60.0, 80.0])
@pytest.mark.parametrize("e", [0.0, 0.5])
def test_a_vertex_in_a_slender_inner_corner_stays_there(angle, e):
    """A triangle is thrown, tip ahead, along the floor into the wedge under a slanted wall."""
    a = np.radians(angle)
    wall = [[0.0, 0.0], [-2.0 * np.cos(a), 2.0 * np.sin(a)], [0.5, 3.0], [0.5, 0.0]]
    part = [[0.0, 0.0], [-0.3, 0.3 * np.tan(0.25 * a)], [-0.3, 0.0]]
    text = builders.build_scene(
        {"outline": {"vertices": part}, "mass": 1.0, "pose": [-0.2, 0.0, 0.0], "velocity": [1.0, 0.0, 0.0]},
        [{"name": "floor", "outline": builders.box_outline(-3.0, -1.0, 1.0, 0.0)},
         {"name": "wall", "outline": {"vertices": wall}}],
        friction={"default": 0.0}, restitution={"default": e}, run={"duration": 0.5, "output_interval": 0.01},
    )  # fmt: skip
    trajectory = run(text)
    check_laws(trajectory)
    assert trajectory.account.n_impacts > 0 and place_points(trajectory, part, -1)[0, 0] <= 1e-9
