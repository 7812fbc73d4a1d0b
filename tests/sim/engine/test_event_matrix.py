"""Every kind of event, where it may lie: true at the start, in the very first step, later, many in one step, never,
and from either side. Each scene says when its event happens, in closed form; nothing else happens at another time."""

from __future__ import annotations

import math

import pytest

from tests import scene_builders as builders
from tests.sim.engine.test_moving import build_carrier, check_moving
from tests.sim.motion import check_laws, get_kinds, get_times, mirror_scene, run, turn_scene

G, NEVER = 9.81, math.inf
A, W = 0.02, 30.0  # amplitude and angular frequency of plates: A W^2 = 18 m/s^2
DURATION = 0.2


def shake(time: float, share: float, vertical: bool, mu: float, side: float = 1.0) -> str:
    """A plate whose acceleration, A W^2 sin(W t + phase) downwards or to -x (side -1: x), is `share` of A W^2 at
    `time`, and grows; the box moves with it at the start."""
    amplitude = side * (A if time < NEVER else 0.9 * share * A)
    phase = math.asin(share) - W * (time if time < NEVER else 0.0)
    wave = {"amplitude": [0.0, amplitude] if vertical else [amplitude, 0.0], "frequency": W / (2.0 * math.pi),
            "phase": phase}
    start = amplitude * W * math.cos(phase)
    motion = {"sinusoid": [wave], "velocity": [0.0, -start] if vertical else [-start, 0.0]}
    height = amplitude * math.sin(phase) if vertical else 0.0
    return build_carrier(mu, DURATION if time == NEVER else time + 0.01, height, motion=motion)


def leave(time: float, side: float) -> str:
    """The plate falls away with g; side -1: with less friction."""
    return shake(time, G / (A * W * W), True, 0.5 if side > 0.0 else 0.01)


def slip(time: float, side: float) -> str:
    """The plate is pulled away with mu g."""
    return shake(time, 0.5 * G / (A * W * W), False, 0.5, side)


def jolt(time: float, side: float) -> str:
    """The plate stands, and moves at 1 m/s from one moment to the next."""
    rows = [[0.0, 0.0, 0.0, 0.0], [time, 0.0, 0.0, 0.0], [time + 1.0, side, 0.0, 0.0]]
    motion = {"waypoints": rows[0 if time > 0.0 else 1:], "interpolation": "linear"} if time < NEVER else {}
    return build_carrier(0.5, DURATION, motion=motion or {"velocity": [side, 0.0]})


def fly(time: float, side: float) -> str:
    """A box flies at a wall at 1 m/s, and back."""
    gap = time if time < NEVER else 1.0
    part = {"outline": builders.box_outline(-0.1, -0.05, 0.0, 0.05), "mass": 1.0, "pose": [-gap, 0.0, 0.0],
            "velocity": [1.0, 0.0, 0.0]}
    wall = {"name": "wall", "outline": builders.box_outline(0.0, -1.0, 1.0, 1.0)}
    text = builders.build_scene(part, [wall], gravity=[0.0, 0.0], friction={"default": 0.0},
                                restitution={"default": 1.0}, run={"duration": DURATION})
    return text if side > 0.0 else mirror_scene(text)


def stop(time: float, side: float) -> str:
    """A box slides until friction has stopped it."""
    mu, speed = (0.4, 0.4 * G * time) if time < NEVER else (0.0, 1.0)
    return builders.slope_block(builders.standing_box(1.0, 0.5), mu=mu, speed=side * speed, duration=DURATION)


def overhang(time: float, side: float) -> str:
    """A box slides at 1 m/s; its front corner leaves the table."""
    ahead = time if time < NEVER else 0.8
    part = {"outline": builders.standing_box(0.6, 0.1), "mass": 1.0, "pose": [-0.3 - ahead, 0.0, 0.0],
            "velocity": [1.0, 0.0, 0.0]}
    table = {"name": "table", "outline": builders.box_outline(-1.5, -0.1, 0.0, 0.0)}
    text = builders.build_scene(part, [table], gravity=[0.0, -G], friction={"default": 0.0},
                                run={"duration": DURATION})
    return text if side > 0.0 else mirror_scene(text)


CASES = {  # kind of the event: (scene, how exact its time is, kinds of all events of the run)
    "separation": (leave, 1e-9, ["start", "separation"]),
    "slip": (slip, 1e-9, ["start", "slip"]),
    "break": (jolt, 1e-15, ["start", "break"]),
    "impact": (fly, 1e-14, ["start", "impact"]),
    "stick": (stop, 1e-13, ["start", "stick", "rest"]),
    "rest": (stop, 1e-13, ["start", "stick", "rest"]),
    "edge end": (overhang, 1e-11, ["start", "contact", "edge end"]),
}


@pytest.mark.parametrize("step", [None, DURATION, 0.001])
@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("time", [1e-7, 1e-4, 0.0171, NEVER])
@pytest.mark.parametrize("kind", CASES)
def test_one_event(kind, time, side, step):
    """Within the first step for the shorter times, and with all of the run in one step."""
    if kind == "separation" and step == DURATION:
        step = 0.002  # the plate turns in a tenth of the whole, and the friction of the box with it
    build, near, kinds = CASES[kind]
    trajectory = run(build(time, side), **({} if step is None else {"step": step}))
    check_moving(trajectory, energy=1e-8 if step is None else math.inf)
    assert get_kinds(trajectory) == (kinds if time < NEVER else ["start"])
    assert get_times(trajectory, kind) == pytest.approx([time] if time < NEVER else [], abs=near)


@pytest.mark.parametrize("mu", [0.0, 1e-15, 1e-12, 1e-9, 0.3])
def test_a_plate_without_friction_is_left_like_any_other(mu):
    """Without friction the composite cone of the contacts is flat, and ends at its outermost edges."""
    trajectory = run(shake(0.0171, G / (A * W * W), True, mu))
    assert get_times(trajectory, "separation") == pytest.approx([0.0171], abs=1e-9)


@pytest.mark.parametrize("turn", [0.0, 0.5 * math.pi, math.pi, 2.0])
@pytest.mark.parametrize("mu", [0.0, 0.3])
def test_a_part_that_is_left_behind_separates_whichever_way_is_up(turn, mu):
    """Where its plate falls away as it does, no contact has a force: that is no slip."""
    trajectory = run(turn_scene(shake(0.0171, G / (A * W * W), True, mu), turn))
    assert get_kinds(trajectory)[:2] == ["start", "separation"]


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("build", [leave, slip, jolt, fly, stop, overhang])
def test_what_is_true_at_the_start_is_what_is_true_soon_after(build, side):
    """No event of its own is needed at t = 0: the run begins as it goes on after an event at 1e-7 s. A contact that
    holds nothing may be told to open when its gap shows, a little later."""
    soon = 1e-7
    at_once, after = run(build(0.0, side), 0.01), run(build(soon, side), 0.01)
    check_moving(at_once, energy=1e-8)
    assert (at_once.events["time"] < 1e-4).all()
    assert at_once.pose[-1] == pytest.approx(after.pose[-1], abs=5.0 * soon)
    assert at_once.velocity[-1] == pytest.approx(after.velocity[-1], abs=50.0 * soon)


@pytest.mark.parametrize("step", [None, 1.0, 0.05])
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_many_impacts_in_one_step(side, step):
    """A box flies to and fro between two walls, 0.1 m wider than it; also where a step ends in an impact."""
    part = {"outline": builders.box_outline(-0.05, -0.05, 0.05, 0.05), "mass": 1.0, "pose": [-side * 0.05, 0.0, 0.0],
            "velocity": [side, 0.0, 0.0]}
    walls = [{"name": name, "outline": builders.box_outline(x, -1.0, x + 1.0, 1.0)}
             for name, x in (("left", -1.1), ("right", 0.1))]
    text = builders.build_scene(part, walls, gravity=[0.0, 0.0], friction={"default": 0.0},
                                restitution={"default": 1.0}, run={"duration": 1.03})
    trajectory = run(text, **({} if step is None else {"step": step}))
    check_laws(trajectory)
    assert get_kinds(trajectory) == ["start"] + ["impact"] * 10
    assert get_times(trajectory, "impact") == pytest.approx([0.1 * k for k in range(1, 11)], abs=1e-10)
    assert get_obstacles(trajectory) == (["right", "left"] if side > 0.0 else ["left", "right"]) * 5


def get_obstacles(trajectory) -> list[str]:
    """Names of the obstacles that the part struck, in order."""
    struck = trajectory.events[trajectory.events["kind"] == "impact"]
    return [trajectory.scene.obstacles[i].name for i in struck["obstacle"]]
