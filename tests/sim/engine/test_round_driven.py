"""Round parts and round obstacles that are driven: drums, rollers, belt wheels, cams, and other frames."""

from __future__ import annotations

from math import asin, atan, cos, pi, sin, sqrt

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import ellipk

from sim import simulate
from sim.scene.build import parse_scene
from tests import scene_builders as builders
from tests.sim.engine.test_moving import move, polynomial, ride
from tests.sim.engine.test_round_parts import ROUGH, check_round, disc_obstacle, roll
from tests.sim.motion import get_kinds, get_times
from tests.sim.reference import G, integrate

# ---- a disc in a drum ------------------------------------------------------------------------------------------------

DRUM, DISC = 1.0, 0.2
LENGTH = DRUM - DISC
OUTSIDES = {"box": {"box": [4.0, 4.0]}, "disc": {"disc": 1.3}}


def build_drum(angle, mu, duration, omega=None, rate=2.0, outside="box"):
    """A disc in the round hole of a drum that turns at `rate`: its centre at rest, at an angle from the lowest place;
    it turns with `omega`, or so that it does not slip."""
    omega = DRUM * rate / DISC if omega is None else omega
    drum = {"name": "drum", "outline": {**OUTSIDES[outside], "holes": [{"disc": DRUM}]},
            "motion": {"angular_velocity": rate}}
    part = {"outline": {"disc": DISC}, "mass": 1.0, "pose": [LENGTH * sin(angle), -LENGTH * cos(angle), 0.0],
            "velocity": [0.0, 0.0, omega]}
    return parse_scene(builders.build_scene(part, [drum], friction={"default": mu},
                                            run={"duration": float(duration), "output_interval": duration / 16}))


@pytest.mark.parametrize("outside", OUTSIDES)
def test_a_disc_rolls_at_the_bottom_of_a_drum_that_turns_evenly(outside):
    trajectory = simulate(build_drum(0.0, 0.5, 10.0, outside=outside))
    check_round(trajectory)
    assert trajectory.pose[-1] == pytest.approx([0.0, -LENGTH, 2.0 * DRUM / DISC * 10.0], abs=1e-11)
    assert trajectory.account.work_friction == pytest.approx(0.0, abs=1e-12) and get_kinds(trajectory) == ["start"]


@pytest.mark.parametrize("rate", [0.0, 2.0, -5.0])
@pytest.mark.parametrize("start", [0.1, 1.0])
def test_in_the_drum_a_disc_swings_as_if_the_drum_stood(rate, start):
    """(R - r)(1 + rho^2 / r^2) s'' = -g sin(s) at any constant rate: the drum alone turns it, 1.5 (R - r) long."""
    period = 4.0 * sqrt(1.5 * LENGTH / G) * ellipk(sin(0.5 * start) ** 2)
    trajectory = simulate(build_drum(start, ROUGH, period, rate=rate))
    check_round(trajectory)
    assert trajectory.pose[-1] == pytest.approx(
        [LENGTH * sin(start), -LENGTH * cos(start), rate * DRUM / DISC * period], abs=1e-11)
    assert trajectory.velocity[-1] == pytest.approx([0.0, 0.0, rate * DRUM / DISC], abs=1e-10)


@pytest.mark.parametrize("mu", [0.2, 0.5])
def test_a_disc_is_put_into_a_drum_that_turns(mu):
    """Without spin at tan(s) = mu it stays there while the drum spins it up by 2 mu g cos(s) / r, and then swings."""
    s, rate = atan(mu), 2.0
    time = rate * DRUM * DISC / (2.0 * mu * G * cos(s) * DISC)
    period = 4.0 * sqrt(1.5 * LENGTH / G) * ellipk(sin(0.5 * s) ** 2)
    trajectory = simulate(build_drum(s, mu, time + 0.5 * period, omega=0.0, rate=rate))
    check_round(trajectory)
    assert get_kinds(trajectory) == ["start", "stick"]
    assert get_times(trajectory, "stick") == pytest.approx([time], abs=1e-12)
    event = trajectory.events[1]
    assert (event["x"], event["y"]) == pytest.approx((LENGTH * sin(s), -LENGTH * cos(s)), abs=1e-12)
    assert trajectory.pose[-1][:2] == pytest.approx((-LENGTH * sin(s), -LENGTH * cos(s)), abs=1e-10)
    # from the lowest place to the other side the disc has turned with the drum, and back by what it has swung
    turn = 0.5 * rate * DRUM / DISC * time + rate * DRUM / DISC * 0.5 * period + LENGTH * 2.0 * s / DISC
    assert trajectory.pose[-1][2] == pytest.approx(turn, abs=1e-10)


@pytest.mark.parametrize("gain", [3.0, -8.0])
def test_in_a_drum_that_speeds_up_a_disc_sits_at_an_angle(gain):
    """Friction rho^2 / r^2 times gain R spins it up: sin(s) = gain R / (2 g)."""
    s = asin(gain * DRUM / (2.0 * G))
    scene = move(build_drum(s, 1.0, 2.0, rate=0.0), polynomial(0), polynomial(0), polynomial(0, 0, 0.5 * gain),
                 name="drum")
    trajectory = simulate(scene)
    check_round(trajectory)
    assert trajectory.pose[-1] == pytest.approx(
        [LENGTH * sin(s), -LENGTH * cos(s), gain * DRUM / DISC * 2.0], abs=1e-11)
    assert trajectory.velocity[-1] == pytest.approx([0.0, 0.0, 2.0 * gain * DRUM / DISC], abs=1e-11)
    assert trajectory.contacts_at(1)["fn"] == pytest.approx([G * cos(s)], abs=1e-11)
    # released at the lowest place: 1.5 (R - r) s'' = gain R / 2 - g sin(s)
    def rate(_, y):
        return [y[1], (0.5 * gain * DRUM - G * sin(y[0])) / (1.5 * LENGTH)]
    y = integrate(rate, [0.0, 0.0], 2.0)
    swings = simulate(move(build_drum(0.0, ROUGH, 2.0, rate=0.0), polynomial(0), polynomial(0),
                           polynomial(0, 0, 0.5 * gain), name="drum"))
    check_round(swings)
    assert swings.pose[-1] == pytest.approx(
        [LENGTH * sin(y[0]), -LENGTH * cos(y[0]), (2.0 * gain * DRUM - LENGTH * y[0]) / DISC], abs=1e-10)


# ---- rollers and belt wheels -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("driven", ["motion", "surface_speed"])
def test_a_plate_swings_on_two_rollers_that_turn_against_each_other(driven):
    """x'' = -mu g x / (d - mu c) for rollers at +-d and a centre c above them, as long as they slip."""
    d, c, mu, radius, speed, start = 0.5, 0.05, 0.3, 0.2, 3.0, 0.1
    def drive(sign):  # at the top to the right: clockwise
        if driven == "motion":
            return {"motion": {"angular_velocity": -sign * speed / radius}}
        return {"surface_speed": sign * speed}
    rollers = [disc_obstacle(radius, "left", pose=[-d, -radius, 0.0], **drive(1.0)),
               disc_obstacle(radius, "right", pose=[d, -radius, 0.0], **drive(-1.0))]
    trajectory = roll({"box": [2.0, 2.0 * c]}, (start, c, 0.0), rollers, mu, 5.0)
    w = sqrt(mu * G / (d - mu * c))
    for i in range(len(trajectory)):
        t = trajectory.time[i]
        assert trajectory.pose[i] == pytest.approx([start * cos(w * t), c, 0.0], abs=1e-11)
        assert trajectory.velocity[i] == pytest.approx([-start * w * sin(w * t), 0.0, 0.0], abs=1e-11)
    assert set(get_kinds(trajectory)) == {"start"}


@pytest.mark.parametrize("mu", [0.1, 0.4])
@pytest.mark.parametrize("driven", ["motion", "surface_speed"])
def test_a_disc_is_spun_up_between_two_rollers(mu, driven):
    """It stays in its place: N1 (n1 + mu t1) + N2 (n2 + mu t2) carries it, and spins it until it rolls."""
    r, radius, beta, speed = 0.3, 0.2, 0.6, 1.5
    place = (r + radius) * sin(beta)
    keys = {"surface_speed": speed} if driven == "surface_speed" else {"motion": {"angular_velocity": -speed / radius}}
    rollers = [disc_obstacle(radius, "left", pose=[-place, 0.0, 0.0], **keys),
               disc_obstacle(radius, "right", pose=[place, 0.0, 0.0], **keys)]
    n = np.array([[sin(beta), cos(beta)], [-sin(beta), cos(beta)]])
    t = np.stack([n[:, 1], -n[:, 0]], axis=1)
    forces = np.linalg.solve((n + mu * t).T, [0.0, G])
    time = speed / r / (2.0 * mu * forces.sum() / r)
    height = (r + radius) * cos(beta)
    trajectory = roll({"disc": r}, (0.0, height, 0.0), rollers, mu, 2.0 * time)
    assert trajectory.contacts_at(0)["fn"] == pytest.approx(forces, abs=1e-12)
    assert get_times(trajectory, "stick")[0] == pytest.approx(time, abs=1e-12)
    assert trajectory.pose[-1] == pytest.approx([0.0, height, speed / r * 1.5 * time], abs=1e-11)
    assert trajectory.velocity[-1] == pytest.approx([0.0, 0.0, speed / r], abs=1e-12)
    work = speed * mu * forces.sum() * time  # of the surfaces: half of it is lost
    assert sum(trajectory.obstacle_work.values()) == pytest.approx(work, rel=1e-11)
    assert trajectory.account.work_friction == pytest.approx(-0.5 * work, rel=1e-11)


def test_a_disc_rolls_off_a_roller_that_turns():
    """On top of a roller that turns evenly a disc rolls off as from one that stands: its spin alone differs."""
    big, r, rate, start = 1.0, 0.25, -3.0, 0.05
    length = big + r
    pose = (length * sin(start), length * cos(start), 0.0)
    runs = [roll({"disc": r}, pose, [disc_obstacle(big, "roller", motion={"angular_velocity": w})], 0.8, 2.5,
                 velocity=(0.0, 0.0, -w * big / r)) for w in (0.0, rate)]
    for one, other in zip(*(run.events for run in runs), strict=True):
        assert one["kind"] == other["kind"] and other["time"] == pytest.approx(one["time"], abs=1e-11)
        assert (other["x"], other["y"]) == pytest.approx((one["x"], one["y"]), abs=1e-11)
        assert other["theta"] == pytest.approx(one["theta"] - rate * big / r * one["time"], abs=1e-10)
    assert get_kinds(runs[0]) == ["start", "slip", "separation"]


# ---- cams ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("guides", [1, 2])
def test_a_cam_lifts_a_disc_in_a_guide(guides):
    """Without friction y = sqrt((R + r)^2 - x^2) as the cam comes with even speed; a wall on one side, or a slot."""
    big, r, speed, start = 0.5, 0.2, 0.4, -0.35
    length = big + r
    def height(x):
        return sqrt(length**2 - x * x)
    cam = {"name": "cam", "outline": {"vertices": [[-big, 0.0], [big, 0.0]], "bulge": [0.0, 1.0]},
           "pose": [start, 0.0, 0.0], "motion": {"velocity": [speed, 0.0]}}
    walls = [{"name": "right", "outline": builders.box_outline(r, 0.4, 1.0, 2.0)},
             {"name": "left", "outline": builders.box_outline(-1.0, 0.4, -r, 2.0)}][:guides]
    first = -start * speed / height(start)
    end = 0.8 if guides == 1 else 1.6  # the top is passed at 0.875 s
    trajectory = roll({"disc": r}, (0.0, height(start), 0.0), [cam, *walls], 0.0, end, velocity=(0.0, first, 0.0))
    for i in range(len(trajectory)):
        x = start + speed * trajectory.time[i]
        assert trajectory.pose[i] == pytest.approx([0.0, height(x), 0.0], abs=1e-12)
        assert trajectory.velocity[i] == pytest.approx([0.0, -x * speed / height(x), 0.0], abs=1e-12)
    push = (G - (speed * length) ** 2 / height(start) ** 3) * length / height(start)
    names = [trajectory.scene.obstacles[i].name for i in trajectory.contacts_at(0)["obstacle"]]
    forces = dict(zip(names, trajectory.contacts_at(0)["fn"], strict=True))
    assert forces["cam"] == pytest.approx(push, abs=1e-11)
    assert forces["right"] == pytest.approx(-push * start / length, abs=1e-11)


def test_the_guide_lets_go_of_a_disc_that_then_slides_down_the_back_of_the_cam():
    """A force presses it against the wall until the cam pushes harder; on the cam it leaves as on a hill that stands,
    under that force."""
    big, r, speed, start, force = 0.5, 0.2, 0.4, -0.35, 2.0
    length = big + r

    def height(x):
        return sqrt(length**2 - x * x)

    def wall(x):
        return force - (G - (speed * length) ** 2 / height(x) ** 3) * x / height(x)
    cam = disc_obstacle(big, "cam", pose=[start, 0.0, 0.0], motion={"velocity": [speed, 0.0]})
    guide = {"name": "guide", "outline": builders.box_outline(r, 0.4, 1.0, 2.0)}
    trajectory = roll({"disc": r}, (0.0, height(start), 0.0), [cam, guide], 0.0, 2.5,
                      velocity=(0.0, -start * speed / height(start), 0.0), load=[{"force": [force, 0.0]}])
    x = brentq(wall, 0.0, 0.3, xtol=1e-16)
    free, off = trajectory.events[trajectory.events["kind"] == "separation"]
    assert free["time"] == pytest.approx((x - start) / speed, abs=1e-11)
    first, swift = -asin(x / length), speed * length / height(x)

    def square(s):
        return swift**2 + 2.0 * length * (force * (sin(s) - sin(first)) - G * (cos(s) - cos(first)))
    leave = brentq(lambda s: square(s) / length - G * cos(s) + force * sin(s), first, -1.5, xtol=1e-16)
    time = quad(lambda s: length / sqrt(square(s)), leave, first, epsabs=1e-14, epsrel=1e-13)[0]
    assert off["time"] == pytest.approx(free["time"] + time, abs=1e-10)
    beside = start + speed * off["time"]
    assert (off["x"] - beside, off["y"]) == pytest.approx((length * sin(leave), length * cos(leave)), abs=1e-10)


def build_eccentric(follower, height, velocity, rate, duration):
    """A disc of 0.3 m that turns about a point 0.1 m beside its centre, under a part in a smooth slot 0.4 m wide."""
    cam = disc_obstacle(0.3, "cam", pose=[0.1, 0.0, 0.0], motion={"angular_velocity": rate, "about": [0.0, 0.0]})
    walls = [{"name": "right", "outline": builders.box_outline(0.2, 0.35, 1.0, 3.0)},
             {"name": "left", "outline": builders.box_outline(-1.0, 0.35, -0.2, 3.0)}]
    return roll(follower, (0.0, height, 0.0), [cam, *walls], 0.0, duration, velocity=(0.0, velocity, 0.0))


def test_an_eccentric_disc_lifts_a_flat_follower():
    """y = R + a sin(w t): a pure wave, and the force m (g + y'')."""
    a, big, half, rate = 0.1, 0.3, 0.2, 6.0
    trajectory = build_eccentric({"box": [0.4, 2.0 * half]}, big + half, a * rate, rate, 2.0)
    for i in range(len(trajectory)):
        s = rate * trajectory.time[i]
        assert trajectory.pose[i] == pytest.approx([0.0, big + half + a * sin(s), 0.0], abs=1e-12)
        names = [trajectory.scene.obstacles[j].name for j in trajectory.contacts_at(i)["obstacle"]]
        push = sum(f for f, name in zip(trajectory.contacts_at(i)["fn"], names, strict=True) if name == "cam")
        assert push == pytest.approx(G - a * rate**2 * sin(s), abs=1e-10)
    assert "impact" not in get_kinds(trajectory)


@pytest.mark.parametrize("rate", [5.0, 15.0])
def test_an_eccentric_disc_throws_a_round_follower_where_it_is_too_fast(rate):
    """y = a sin + sqrt((R + r)^2 - a^2 cos^2): it leaves where y'' = -g, and is met again by its parabola."""
    a, r, length = 0.1, 0.2, 0.5

    def place(t):
        s = rate * t
        x, y = a * cos(s), a * sin(s)
        root = sqrt(length**2 - x * x)
        return y + root, rate * (x + x * y / root)

    def push(t):  # y'' + g
        s = rate * t
        x, y = a * cos(s), a * sin(s)
        root = sqrt(length**2 - x * x)
        return G + rate**2 * (-y + (x * x - y * y) / root - (x * y) ** 2 / root**3)
    start = place(0.0)
    if rate < 10.0:
        trajectory = build_eccentric({"disc": r}, *start, rate, 2.0)
        for i in range(len(trajectory)):
            assert trajectory.pose[i] == pytest.approx([0.0, place(trajectory.time[i])[0], 0.0], abs=1e-12)
        return
    leave = brentq(push, 0.0, 0.5 * pi / rate, xtol=1e-16)
    y, v = place(leave)

    def gap(t):
        return y + v * (t - leave) - 0.5 * G * (t - leave) ** 2 - place(t)[0]
    grid = np.linspace(leave + 1e-3, leave + 1.0, 5000)
    later = next(t for t in grid if gap(t) < 0.0)
    land = brentq(gap, later - (grid[1] - grid[0]), later, xtol=1e-16)
    trajectory = build_eccentric({"disc": r}, *start, rate, land + 0.01)
    away = trajectory.events[trajectory.events["kind"] == "separation"][0]
    assert away["time"] == pytest.approx(leave, abs=1e-11)
    assert (away["y"], away["vy_before"]) == pytest.approx((y, v), abs=1e-10)
    hit = trajectory.events[trajectory.events["kind"] == "impact"][0]
    assert hit["time"] == pytest.approx(land, abs=1e-11)
    # the walls hold it: its velocity becomes that of the cam's follower
    assert hit["vy_after"] == pytest.approx(place(land)[1], abs=1e-9)


# ---- other frames ----------------------------------------------------------------------------------------------------

HILLS = {"name": "hills", "outline": {
    "vertices": [[-2.0, -1.0], [2.0, -1.0], [2.0, 0.0], [1.0, 0.0], [0.4, 0.0], [-0.4, 0.0], [-2.0, 0.0]],
    "bulge": [0.0, 0.0, 0.0, 0.4, 0.0, -0.4, 0.0]}}
PARTS = {
    "disc": ({"disc": 0.1}, 0.1), "capsule": ({"capsule": {"length": 0.3, "radius": 0.08}}, 0.1),
    "half disc": ({"vertices": [[-0.15, 0.0], [0.15, 0.0]], "bulge": [1.0, 0.0]}, 0.15),
    "block": ({"box": [0.3, 0.2], "fillet": 0.04}, 0.2), "ring": ({"disc": 0.2, "holes": [{"disc": 0.15}]}, 0.2),
}


@pytest.mark.parametrize("acceleration", [(0.0, 0.0), (3.0, -2.0)])
@pytest.mark.parametrize("x", [-0.3, 0.75, 1.3])
@pytest.mark.parametrize("name", PARTS)
def test_round_parts_move_alike_in_frames_that_move(name, x, acceleration):
    """Galilei, and Einstein's lift, over a hump and a hollow; the first events."""
    outline, height = PARTS[name]
    part = {"outline": outline, "mass": 1.0, "pose": [x, height + 0.3, 0.2], "velocity": [0.3, 0.0, 1.0]}
    scene = parse_scene(builders.build_scene(part, [HILLS], friction={"default": 0.4}, restitution={"default": 0.3},
                                             run={"duration": 0.7, "output_interval": 0.02}))
    plain, riding = simulate(scene), simulate(ride(scene, (0.7, -0.4), acceleration))
    check_round(plain)
    check_round(riding)
    shared, others = ([e for e in t.events if e["kind"] not in ("rest", "edge end")][:5] for t in (plain, riding))
    assert len(shared) == len(others) >= 2
    for a, b in zip(shared, others, strict=True):
        t = a["time"]
        assert a["kind"] == b["kind"] and b["time"] == pytest.approx(t, abs=1e-9)
        assert b["x"] - 0.7 * t - acceleration[0] * t * t / 2 == pytest.approx(a["x"], abs=1e-9)
        assert b["y"] + 0.4 * t - acceleration[1] * t * t / 2 == pytest.approx(a["y"], abs=1e-9)
        assert b["theta"] == pytest.approx(a["theta"], abs=1e-9)
