"""Reports of users of other programs as tests: tunnelling through thin walls, restitution, slow bounces."""

import math

import numpy as np
import pytest

from dynamics.motion.routh import LAWS
from tests import scene_builders as builders
from tests.sim.motion import check_laws, get_kinds, get_times, mirror_scene, run, turn_scene

G = builders.G


@pytest.mark.parametrize("interval", [1e-3, 0.1])
@pytest.mark.parametrize("angle", [0.0, 0.5, math.pi / 2, 3.0])
def test_a13_a_fast_part_is_stopped_by_a_thin_wall(interval, angle):
    trajectory = run(turn_scene(builders.a13(interval), angle))
    check_laws(trajectory)
    np.testing.assert_allclose(get_times(trajectory, "impact"), [0.00995], rtol=0, atol=1e-12)
    along = trajectory.pose[:, 0] * math.cos(angle) + trajectory.pose[:, 1] * math.sin(angle)
    assert along.max() + 0.005 < 1.0 + 1e-12 and abs(trajectory.velocity[-1]).max() < 1e-10
    after = trajectory.events[trajectory.events["kind"] == "impact"][0]
    assert max(abs(after["vx_after"]), abs(after["vy_after"]), abs(after["omega_after"])) < 1e-9


@pytest.mark.parametrize("speed", [1.0, 1e3, 1e6])
@pytest.mark.parametrize("tilt", [0.0, 0.3, math.pi / 4])
@pytest.mark.parametrize("omega", [0.0, 1e3, 1e4])
def test_a13_no_speed_or_spin_jumps_over_a_foil(speed, tilt, omega):
    part = {"name": "bullet", "outline": {"box": [0.01, 0.01]}, "mass": 0.01, "pose": [0.0, 0.0, tilt],
            "velocity": [speed, 0.0, omega]}  # fmt: skip
    foil = {"name": "foil", "outline": builders.box_outline(1.0, -0.5, 1.000001, 0.5)}
    text = builders.build_scene(part, [foil], gravity=[0.0, 0.0], friction={"default": 0.3},
                                restitution={"default": 0.5}, run={"duration": 2.0 / speed})  # fmt: skip
    trajectory = run(text)
    check_laws(trajectory)
    assert trajectory.pose[-1, 0] < 1.0 and get_times(trajectory, "impact").size >= 1
    reach = 0.005 * math.sqrt(2.0)
    assert (1.0 - reach) / speed - 1e-12 <= get_times(trajectory, "impact")[0] <= (1.0 - 0.005) / speed + 1e-12


def test_a15_elastic_bounces_keep_their_height():
    trajectory = run(builders.a15a())
    check_laws(trajectory)
    times = get_times(trajectory, "impact")
    expected = (2.0 * np.arange(1, 21) - 1.0) * math.sqrt(20.0 / G)
    assert len(times) == 20 and abs(expected[-1] - 55.685881794) < 1e-9
    np.testing.assert_allclose(times, expected, rtol=0, atol=1e-9)
    impacts = trajectory.events[trajectory.events["kind"] == "impact"]
    apex = (impacts["vy_after"] ** 2) / (2.0 * G)
    assert abs(apex - 10.0).max() < 1e-9 and apex.max() <= 10.0 * (1 + 1e-12)
    assert abs(trajectory.pose[:, 2]).max() < 1e-12 and abs(trajectory.pose[:, 0]).max() < 1e-12


@pytest.mark.parametrize("speed", [0.02, 1e-6, 1e-12])
def test_a15_slow_bounces_do_not_stick(speed):
    duration = 1.0 / speed
    text = builders.a15b().replace("0.02", repr(speed))
    trajectory = run(text, duration)
    check_laws(trajectory)
    np.testing.assert_allclose(get_times(trajectory, "impact"), [0.95 / speed], rtol=1e-12)
    assert trajectory.velocity[-1].tolist() == [-speed, 0.0, 0.0]


@pytest.mark.parametrize("e", [0.3, 0.5, 0.9])
@pytest.mark.parametrize("mirrored", [False, True])
def test_bounces_that_pile_up_end_at_the_right_time(e, mirrored):
    text = builders.s6(e=e, height=1.0, duration=20.0)
    trajectory = run(mirror_scene(text) if mirrored else text)
    check_laws(trajectory)
    first = math.sqrt(2.0 / G)
    times = get_times(trajectory, "impact")
    expected = first * (1.0 + 2.0 * np.cumsum(np.concatenate(([0.0], e ** np.arange(1, len(times))))))
    np.testing.assert_allclose(times, expected, rtol=0, atol=1e-9)
    end = get_times(trajectory, "rest")
    assert len(end) == 1 and abs(end[0] - first * (1.0 + e) / (1.0 - e)) < 1e-9
    np.testing.assert_allclose(trajectory.pose[-1], [0.0, 0.1, 0.0], rtol=0, atol=1e-12)
    assert "accumulation" in get_kinds(trajectory)


def test_bounces_that_pile_up_while_sliding_lose_the_right_momentum():
    """A flat block thrown along a rough floor loses mu times the normal impulse, whether it bounces or slides."""
    e, mu, height, speed = 0.5, 0.1, 0.2, 3.0
    text = builders.slope_block(builders.standing_box(0.2, 0.2), 0.0, mu, 2.0, speed=speed, e=e, height=height)
    trajectory = run(text)
    check_laws(trajectory)
    assert abs(trajectory.pose[:, 2]).max() < 1e-9
    # From the throw at rest height to the end of bouncing the normal impulse is that of the weight in all that time.
    fall = math.sqrt(2.0 * height / G)
    stop = speed / (mu * G)
    assert stop > fall * (1 + e) / (1 - e)
    bounce_end = get_times(trajectory, "accumulation")[0]
    assert abs(bounce_end - fall * (1 + e) / (1 - e)) < 1e-9
    row = int(np.searchsorted(trajectory.time, bounce_end))
    assert abs(trajectory.velocity[row, 0] - (speed - mu * G * bounce_end)) < 1e-9


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("mu", [0.0, 0.4])
@pytest.mark.parametrize("tilt", [0.0, 0.3])
def test_bounces_in_a_corner_end_in_it(law, mu, tilt):
    """A box thrown into a corner that leans over, e = .5: infinitely many impacts on two walls, then rest on both."""
    walls = [{"name": "floor", "outline": builders.box_outline(-1.0, -1.0, 5.0, 0.0)},
             {"name": "wall", "outline": builders.box_outline(-1.0, -1.0, 0.0, 5.0)}]
    part = {"outline": {"box": [0.2, 0.1]}, "mass": 1.0, "pose": [0.6, 0.3, tilt], "velocity": [-1.5, 0.5, 1.0]}
    text = builders.build_scene(part, walls, gravity=[-7.0, -7.0], friction={"default": mu}, impact={"default": law},
                                restitution={"default": 0.5}, run={"duration": 20.0, "output_interval": 0.05})
    trajectory = run(text)
    check_laws(trajectory)
    assert get_kinds(trajectory)[-1] == "rest" and "accumulation" in get_kinds(trajectory)
    assert set(trajectory.contacts_at(-1)["obstacle"]) == {0, 1} and len(trajectory.contacts_at(-1)) == 4
