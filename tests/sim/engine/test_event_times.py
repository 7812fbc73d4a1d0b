"""Where events lie in the steps of a run does not matter: none, at the start, in the first step, two in one step, on
the boundary of two steps, in either direction. All times are known in closed form."""

from __future__ import annotations

import math

import pytest

from tests import scene_builders as builders
from tests.sim.engine.test_moving import build_carrier, check_moving
from tests.sim.motion import check_laws, get_kinds, get_times, mirror_scene, run, turn_scene

G = 9.81
STEPS = [None, 1.0, 0.5, 0.275, 0.225, 0.25, 0.1, 0.013]


def run_in_steps(text: str, step: float | None, **options):
    return run(text, **({} if step is None else {"step": step}), **options)


@pytest.mark.parametrize("step", STEPS)
def test_none(step):
    trajectory = run_in_steps(builders.s1(), step)
    check_laws(trajectory)
    assert get_kinds(trajectory) == ["start"]
    way = 0.5 * G * (0.5 - 0.3 * math.cos(math.radians(30.0)))
    moved = trajectory.pose[-1] - trajectory.pose[0]
    assert moved == pytest.approx([way * math.cos(math.radians(30.0)), -0.5 * way, 0.0], abs=1e-12)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("way", [lambda text: text, mirror_scene, lambda text: turn_scene(text, 2.0)])
def test_two_in_one_step(step, way):
    """A box of 0.1 m slides at 2 m/s from x = -0.5: it reaches the seam x = 0 at 0.225 s, and has passed at 0.275 s."""
    trajectory = run_in_steps(way(builders.a10()), step)
    check_laws(trajectory)
    for time in (0.225, 0.275):
        assert abs(trajectory.events["time"] - time).min() < 1e-10
    inside = (trajectory.events["time"] > 1e-9) & (abs(trajectory.events["time"] - 0.225) > 1e-9)
    assert (abs(trajectory.events["time"][inside] - 0.275) < 1e-9).all()
    assert not trajectory.account.n_impacts and trajectory.account.n_bridges == 0
    assert math.hypot(*(trajectory.pose[-1] - trajectory.pose[0])[:2]) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_slip_that_ends_in_either_direction(step, sign):
    """v / (mu g) after the start, also where that is the end of a step."""
    speed = 0.4 * G * 0.25
    trajectory = run_in_steps(builders.slope_block(builders.standing_box(1.0, 0.5), mu=0.4, speed=sign * speed), step)
    check_laws(trajectory)
    assert get_times(trajectory, "stick") == pytest.approx([0.25], abs=1e-12)
    assert get_kinds(trajectory) == ["start", "stick", "rest"]
    assert trajectory.pose[-1, 0] == pytest.approx(sign * 0.5 * speed * 0.25, abs=1e-12)


@pytest.mark.parametrize("delay", [0.0, 1e-9, 1e-7, 1e-4])
@pytest.mark.parametrize("step", [None, 0.5, 0.01])
@pytest.mark.parametrize("e", [0.0, 1.0])
def test_a_contact_at_the_start_or_just_after(delay, step, e):
    """A box that flies at a wall at 1 m/s touches it after the delay."""
    part = {"outline": builders.box_outline(-0.1, -0.05, 0.0, 0.05), "mass": 1.0, "pose": [-delay, 0.0, 0.0],
            "velocity": [1.0, 0.0, 0.0]}
    wall = {"name": "wall", "outline": builders.box_outline(0.0, -1.0, 1.0, 1.0)}
    text = builders.build_scene(part, [wall], gravity=[0.0, 0.0], friction={"default": 0.0}, restitution={"default": e},
                                run={"duration": 1.0})
    trajectory = run_in_steps(text, step)
    check_laws(trajectory)
    assert get_times(trajectory, "impact") == pytest.approx([delay], abs=1e-14)
    assert trajectory.velocity[-1] == pytest.approx([-e, 0.0, 0.0], abs=1e-14)
    assert trajectory.pose[-1, 0] == pytest.approx(-0.05 - e * (1.0 - delay), abs=1e-12)


@pytest.mark.parametrize("excess", [-1e-3, -1e-7, 1e-7, 1e-3])
def test_slip_that_begins_at_the_start_or_never(excess):
    """A force just below what friction holds moves nothing; one just above moves the box from the start."""
    trajectory = run(builders.a03(4.905 * (1.0 + excess), 1.0))
    check_laws(trajectory)
    assert get_kinds(trajectory) == (["start"] if excess > 0.0 else ["start", "rest"])
    assert trajectory.pose[-1, 0] == pytest.approx(max(0.0, 0.5 * 4.905 * excess), abs=1e-13)


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("phase", [0.0, math.pi])
def test_slip_that_begins_in_either_direction(mirrored, phase):
    """On a plate A sin wt it begins where A w^2 |sin wt| = mu g, and turns or ends ever after, twice a period."""
    a, w, mu = 0.01, 30.0, 0.5
    wave = {"amplitude": [a, 0.0], "frequency": w / (2.0 * math.pi), "phase": phase}
    start = a * w * math.cos(phase)
    text = build_carrier(mu, 0.05, motion={"sinusoid": [wave], "velocity": [-start, 0.0]})
    if mirrored:
        wave["phase"], start = phase + math.pi, -start
        text = build_carrier(mu, 0.05, motion={"sinusoid": [wave], "velocity": [-start, 0.0]})
    trajectory = run(text)
    check_moving(trajectory)
    begins = math.asin(mu * G / (a * w * w)) / w
    assert get_times(trajectory, "slip")[0] == pytest.approx(begins, abs=1e-11)
    row = int((trajectory.time <= begins + 1e-9).sum()) - 1
    pulled = -math.copysign(1.0, math.cos(wave["phase"]))  # the way the plate is accelerated, and takes the box along
    assert trajectory.acceleration[row, 0] == pytest.approx(pulled * mu * G, rel=1e-6)


@pytest.mark.parametrize("share", [0.5, 0.999999, 1.0])
def test_a_monitor_that_leaves_its_limit_is_no_event(share):
    """A box is pushed by so much of what friction holds, and gravity turns against the push: it never slips."""
    gravity = {"magnitude": G, "angle": "-90 deg", "angular_velocity": 0.5}
    text = builders.slope_block(builders.standing_box(0.4, 0.1), mu=0.3, duration=0.2, gravity=gravity,
                                load=[{"force": [-share * 0.3 * G, 0.0]}])
    trajectory = run(text)
    check_moving(trajectory)
    assert "slip" not in get_kinds(trajectory)
    assert abs(trajectory.pose[-1] - trajectory.pose[0]).max() < 1e-14
