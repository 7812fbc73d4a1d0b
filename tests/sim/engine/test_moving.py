"""Motions on obstacles that move, against closed forms: carried, thrown, caught, conveyed, pushed and jammed parts."""

from __future__ import annotations

import math
from dataclasses import replace
from math import inf

import numpy as np
import pytest
from scipy.optimize import brentq

from geometry.prescribed.motion import Coordinate, CurvePiece, Motion
from sim import load_scene, simulate
from sim.rows.status import Status
from sim.scene.build import parse_scene
from tests import scene_builders as builders
from tests.sim.engine.test_random_scenes import build_random
from tests.sim.motion import get_kinds, get_times, run

G = 9.81


def build_carrier(mu: float, duration: float = 1.0, height: float = 0.0, e: float = 0.0, **obstacle) -> str:
    """A box of 0.2 m by 0.1 m, 1 kg, over a plate whose top is at y = 0; more keys of the plate in `obstacle`."""
    plate = {"name": "plate", "outline": builders.box_outline(-4.0, -1.0, 4.0, 0.0), **obstacle}
    part = {"outline": builders.standing_box(0.2, 0.1), "mass": 1.0, "pose": [0.0, height, 0.0]}
    return builders.build_scene(part, [plate], friction={"default": mu}, restitution={"default": e},
                                run={"duration": duration})


def move(scene, *coordinates, name="plate"):
    """The scene with the motion x, y, theta (Coordinates) of an obstacle."""
    obstacles = tuple(replace(o, motion=Motion(*coordinates)) if o.name == name else o for o in scene.obstacles)
    return replace(scene, obstacles=obstacles)


def polynomial(*coefficients):
    return Coordinate((CurvePiece(-inf, 0.0, tuple(map(float, coefficients))),))


def check_moving(trajectory, energy: float = 1e-9, status: Status = Status.COMPLETED):
    """The account of a run with obstacles that move: every law holds, and works add up in every row."""
    account = trajectory.account
    assert trajectory.status == status, trajectory.describe()
    assert account.balance_residual < 1e-9 and account.cone_residual < 1e-9, account
    assert account.energy_residual < energy, account
    size = 2.0 * trajectory.scene.workpiece.outline.reach
    assert account.penetration <= 1e-9 * size and account.gap_residual <= 1e-9 * size, account
    steps = trajectory.steps
    scale = max(steps["kinetic"].max(), *(np.abs(steps[name]).max() for name in ("work_load", "work_obstacles")), 1e-9)
    for name in ("work_friction", "work_impact"):
        assert (np.diff(steps[name], prepend=0.0) <= energy * scale).all(), name
    works = steps["work_load"] + steps["work_friction"] + steps["work_impact"] + steps["work_obstacles"]
    assert np.abs(steps["kinetic"] - account.energy_start - works).max() <= energy * scale
    total = sum(trajectory.obstacle_work.values())
    assert total == pytest.approx(account.work_obstacles, abs=1e-9 * scale)


# ---- belts and platforms ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("obstacle", [{"surface_speed": 1.0}, {"motion": {"velocity": [1.0, 0.0]}}])
def test_a22_a_belt_or_a_plate_takes_a_box_along(obstacle):
    """Slips under mu g until it has the speed of the surface, at 1 / (mu g) after half of that way, then rides."""
    trajectory = run(build_carrier(0.2, **obstacle))
    check_moving(trajectory)
    assert get_times(trajectory, "stick") == pytest.approx([1.0 / (0.2 * G)], abs=1e-12)
    stick = trajectory.events[-1]
    assert stick["x"] == pytest.approx(0.5 / (0.2 * G), abs=1e-12)
    assert trajectory.velocity[-1] == pytest.approx([1.0, 0.0, 0.0], abs=1e-14)
    assert trajectory.pose[-1][0] == pytest.approx(1.0 - 0.5 / (0.2 * G), abs=1e-12)
    # the surface works m g mu v t while the part slips, twice what the part gets
    assert trajectory.obstacle_work == pytest.approx({"plate": 1.0}, abs=1e-12)
    assert trajectory.account.work_friction == pytest.approx(-0.5, abs=1e-12)


@pytest.mark.parametrize(("acceleration", "x", "v", "slip"), [(2.0, 1.0, 2.0, 0.0), (6.0, 2.4525, 4.905, 0.5475)])
def test_a22_an_accelerating_platform(acceleration, x, v, slip):
    scene = move(parse_scene(build_carrier(0.5)), polynomial(0, 0, acceleration / 2))
    trajectory = simulate(scene)
    check_moving(trajectory)
    assert trajectory.pose[-1][0] == pytest.approx(x, abs=1e-12)
    assert trajectory.velocity[-1][0] == pytest.approx(v, abs=1e-12)
    assert acceleration / 2 - trajectory.pose[-1][0] == pytest.approx(slip, abs=1e-12)


def test_a22_a_platform_that_sinks_catches_a_box():
    trajectory = run(build_carrier(0.5, height=0.5, motion={"velocity": [0.0, -1.0]}))
    check_moving(trajectory)
    meet = (1.0 + math.sqrt(1.0 + 2.0 * G * 0.5)) / G
    assert get_times(trajectory, "impact") == pytest.approx([meet], abs=1e-12)
    assert trajectory.velocity[-1] == pytest.approx([0.0, -1.0, 0.0], abs=1e-14)


def test_a_shaken_plate_begins_to_slip_where_its_acceleration_says():
    """Starting at rest, x = -A cos w t: sticks while A w^2 cos w t <= mu g, so from t = 0 where mu is large enough."""
    a, w, mu = 0.01, 30.0, 0.5
    frequency = w / (2.0 * math.pi)
    wave = {"amplitude": [a, 0.0], "frequency": frequency}  # x = A sin w t
    scene = parse_scene(build_carrier(mu, 0.05, motion={"sinusoid": [wave], "velocity": [-a * w, 0.0]}))
    trajectory = simulate(scene)  # the velocity cancels that of the wave at t = 0
    check_moving(trajectory)
    assert get_times(trajectory, "slip")[0] == pytest.approx(math.asin(mu * G / (a * w * w)) / w, abs=1e-11)


@pytest.mark.parametrize("e", [0.0, 0.4])
def test_a_plate_throws_a_part_and_catches_it(e):
    """y = A (1 - cos w t): the part leaves where A w^2 cos w t = -g and lands where its parabola meets the plate."""
    a, w = 0.02, 30.0
    wave = {"amplitude": [0.0, a], "frequency": w / (2.0 * math.pi), "phase": -math.pi / 2.0}
    trajectory = run(build_carrier(0.5, 0.35, e=e, pose=[0.0, a, 0.0], motion={"sinusoid": [wave]}))
    check_moving(trajectory)
    leave = math.acos(-G / (a * w * w)) / w
    def plate(t):
        return a * (1.0 - math.cos(w * t))
    v = a * w * math.sin(w * leave)
    def gap(t):
        return plate(leave) + v * (t - leave) - 0.5 * G * (t - leave) ** 2 - plate(t)
    grid = np.linspace(leave + 1e-2, 0.35, 4000)
    first = next(t for t in grid if gap(t) < 0.0)
    land = brentq(gap, first - (grid[1] - grid[0]), first, xtol=1e-15)
    assert get_times(trajectory, "separation")[0] == pytest.approx(leave, abs=1e-11)
    assert get_times(trajectory, "impact")[0] == pytest.approx(land, abs=1e-10)
    row = trajectory.events[trajectory.events["kind"] == "impact"][0]
    before = v - G * (land - leave)
    moves = a * w * math.sin(w * land)
    assert row["vy_after"] == pytest.approx(moves - e * (before - moves), abs=1e-9)


def test_a_tray_that_stops_throws_its_part():
    """Linear waypoints: up at 1 m/s for 0.5 s, then still. The part flies on and lands 2 v / g later."""
    rows = [[0.0, 0, 0, 0], [0.5, 0, 0.5, 0], [2.0, 0, 0.5, 0]]
    trajectory = run(build_carrier(0.5, 1.0, motion={"waypoints": rows, "interpolation": "linear"}))
    check_moving(trajectory)
    assert get_times(trajectory, "impact")[0] == 0.0  # the plate starts with a jerk
    assert get_times(trajectory, "break") == pytest.approx([0.5])
    assert get_times(trajectory, "impact")[1] == pytest.approx(0.5 + 2.0 / G, abs=1e-12)
    assert get_kinds(trajectory) == ["impact", "start", "break", "impact"]
    assert trajectory.velocity[-1] == pytest.approx([0, 0, 0], abs=1e-15)


def test_a_break_that_closes_a_gap_is_an_impact():
    """The plate stands, then moves up at once at 2 m/s: with e = 0.5 the part gets 3 m/s."""
    rows = [[0.0, 0, 0, 0], [0.25, 0, 0, 0], [1.0, 0, 1.5, 0]]
    trajectory = run(build_carrier(0.5, 0.3, e=0.5, motion={"waypoints": rows, "interpolation": "linear"}))
    check_moving(trajectory)
    assert get_kinds(trajectory) == ["start", "break", "impact"]
    hit = trajectory.events[trajectory.events["kind"] == "impact"][-1]
    assert hit["time"] == 0.25 and hit["vy_after"] == pytest.approx(3.0, abs=1e-12)


def test_a_turntable_carries_a_box_until_friction_gives_way():
    """A plate turns about a point below its top at constant speed: the force that the box needs leaves the cone where
    |f.t| = mu f.n, or where it passes an end of the base."""
    rate, mu, depth, half, high = 2.0, 0.6, 0.5, 0.1, 0.05
    text = build_carrier(mu, 0.3, motion={"angular_velocity": rate, "about": [0.0, -depth]})
    trajectory = simulate(parse_scene(text, {"workpiece.velocity": [-rate * (depth + high), 0.0, rate]}))
    check_moving(trajectory)

    def rooms(t):
        angle = rate * t
        n, tangent = np.array([-math.sin(angle), math.cos(angle)]), np.array([math.cos(angle), math.sin(angle)])
        arm = depth + high
        f = -rate * rate * arm * n + np.array([0.0, G])
        normal, along = f @ n, f @ tangent
        # moment about an end of the base: along presses down at the height of the centre
        return min(mu * normal - abs(along), half * normal - abs(along) * high)

    lost = brentq(rooms, 0.0, 0.7, xtol=1e-15)
    assert trajectory.events["time"][1] == pytest.approx(lost, abs=1e-11)
    assert get_kinds(trajectory)[1] == "slip"


# ---- gravity that turns ----------------------------------------------------------------------------------------------


def test_free_flight_where_gravity_turns():
    """Gravity turns at a constant rate: x'' = g sin, y'' = -g cos, integrated twice."""
    rate = 3.0
    part = {"outline": builders.standing_box(0.2, 0.1), "mass": 1.0, "velocity": [0.3, 0.2, 1.0]}
    floor = {"name": "far", "outline": builders.box_outline(-1.0, -101.0, 1.0, -100.0)}
    gravity = {"magnitude": G, "angle": "-90 deg", "angular_velocity": rate}
    trajectory = run(builders.build_scene(part, [floor], gravity=gravity, friction={"default": 0.0},
                                          run={"duration": 2.0}))
    check_moving(trajectory)
    t = trajectory.time[-1]
    start = trajectory.pose[0]
    x = start[0] + 0.3 * t + G / rate * (t - math.sin(rate * t) / rate)
    y = start[1] + 0.2 * t - G / rate**2 * (1.0 - math.cos(rate * t))
    assert trajectory.pose[-1] == pytest.approx([x, y, t], abs=1e-9)


def test_a_part_slips_when_gravity_has_turned_by_its_angle_of_friction():
    gravity = {"magnitude": G, "angle": "-90 deg", "angular_velocity": 0.5}
    text = build_carrier(0.3, 1.0)
    scene = parse_scene(text, {"gravity": gravity})
    trajectory = simulate(scene)
    check_moving(trajectory)
    assert get_times(trajectory, "slip")[0] == pytest.approx(math.atan(0.3) / 0.5, abs=1e-11)


# ---- pushers ---------------------------------------------------------------------------------------------------------


def build_pusher(duration: float, wall: float | None, finger: dict, mu: float = 0.3) -> str:
    """A block of 0.1 m on a floor, a finger at its left, a wall at x = `wall` on its right side."""
    obstacles = [
        {"name": "floor", "outline": builders.box_outline(-1.0, -0.1, 2.0, 0.0)},
        {"name": "finger", "outline": builders.box_outline(-0.2, -0.05, -0.05, 0.06), "mu": 0.0, **finger},
    ]
    if wall is not None:
        obstacles.append({"name": "wall", "outline": builders.box_outline(wall, -0.1, wall + 0.1, 0.3)})
    part = {"outline": builders.standing_box(0.1, 0.1), "mass": 0.5}
    return builders.build_scene(part, obstacles, friction={"default": mu}, run={"duration": duration})


def test_a_finger_pushes_a_block_and_its_work_is_its_own():
    trajectory = run(build_pusher(2.0, None, {"motion": {"velocity": [0.25, 0.0]}}))
    check_moving(trajectory)
    assert trajectory.velocity[-1] == pytest.approx([0.25, 0.0, 0.0], abs=1e-15)
    friction, start = 0.3 * 0.5 * G * 0.5, 0.5 * 0.25**2  # the finger starts with a jerk: m v^2, half of it lost
    assert trajectory.obstacle_work == pytest.approx({"finger": friction + start}, rel=1e-12)


def test_a_block_between_a_finger_and_a_wall_is_jammed():
    """The run ends where the block meets the wall, and the last row names those that squeeze it."""
    trajectory = run(build_pusher(2.0, 0.15, {"motion": {"velocity": [0.1, 0.0]}}))
    check_moving(trajectory, status=Status.JAMMED)
    assert trajectory.time[-1] == pytest.approx(1.0, abs=1e-12)
    last = trajectory.contacts_at(-1)
    names = {trajectory.scene.obstacles[i].name for i in last["obstacle"]}
    assert names == {"finger", "wall"} and (last["fn"] == inf).all()
    assert np.isfinite(trajectory.pose).all() and np.isfinite(trajectory.velocity).all()
    assert get_kinds(trajectory)[-1] == "contact"


def test_a_finger_that_slows_down_jams_the_block_without_an_impact():
    """It reaches the wall with velocity zero and would go on: the gaps cannot both accelerate."""
    scene = parse_scene(build_pusher(2.0, 0.15, {}))
    scene = move(scene, polynomial(0, 0.2, -0.15, 0.05), name="finger")  # at t = 1: x = 0.1, x' = 0.05
    trajectory = simulate(scene)
    check_moving(trajectory, status=Status.JAMMED)
    assert trajectory.time[-1] == pytest.approx(1.0, abs=1e-10)


def test_a_finger_that_stops_where_the_block_touches_jams_just_before():
    """The gap to the wall is zero to rounding a little before the finger comes to rest, and the block has no room."""
    rows = [[0.0, 0, 0, 0], [1.0, 0.1, 0, 0]]
    trajectory = run(build_pusher(2.0, 0.15, {"motion": {"waypoints": rows}}))
    check_moving(trajectory, status=Status.JAMMED)
    assert 1.0 - 1e-6 < trajectory.time[-1] < 1.0
    assert trajectory.pose[-1] == pytest.approx([0.1, 0.05, 0.0], abs=1e-12)


@pytest.mark.parametrize("speed", [10.0, 1e3, 1e5])
def test_a_plate_that_flies_past_strikes(speed):
    """A plate of 2 mm at any speed meets a box that floats: e = 1 doubles its speed, and the time is exact."""
    part = {"outline": builders.box_outline(-0.05, -0.05, 0.05, 0.05), "mass": 1.0}
    plate = {"name": "plate", "outline": builders.box_outline(-10.002, -0.01, -10.0, 0.01),
             "motion": {"velocity": [speed, 0.0]}}
    trajectory = run(builders.build_scene(part, [plate], gravity=[0.0, 0.0], restitution={"default": 1.0},
                                          friction={"default": 0.0},
                                          run={"duration": 10.0 / speed}))
    check_moving(trajectory)
    assert get_times(trajectory, "impact") == pytest.approx([9.95 / speed], rel=1e-12)
    assert trajectory.velocity[-1] == pytest.approx([2.0 * speed, 0.0, 0.0], rel=1e-12)


# ---- whole kinds -----------------------------------------------------------------------------------------------------


def ride(scene, velocity, acceleration=(0.0, 0.0)):
    """The same scene seen from a frame that moves: every obstacle and the part get the motion of the frame."""
    obstacles = tuple(
        replace(o, motion=Motion(polynomial(o.pose.x, velocity[0], acceleration[0] / 2),
                                 polynomial(o.pose.y, velocity[1], acceleration[1] / 2), polynomial(o.pose.theta)))
        for o in scene.obstacles)
    part, gravity = scene.workpiece, scene.gravity
    part = replace(part, velocity=(part.velocity[0] + velocity[0], part.velocity[1] + velocity[1], part.velocity[2]))
    return replace(scene, obstacles=obstacles, workpiece=part,
                   gravity=(gravity[0] + acceleration[0], gravity[1] + acceleration[1]))


@pytest.mark.parametrize("acceleration", [(0.0, 0.0), (3.0, -2.0)])
@pytest.mark.parametrize("seed", range(0, 48, 3))
def test_motion_does_not_depend_on_the_frame(seed, acceleration):
    """Galilei, and Einstein's lift: the first five events are the same in a frame that moves, or falls."""
    scene = parse_scene(build_random(seed, 1.0))
    plain, riding = simulate(scene), simulate(ride(scene, (0.7, -0.4), acceleration))
    check_moving(riding, energy=1e-8)
    shared = [e for e in plain.events if e["kind"] not in ("rest", "edge end")][:5]
    others = [e for e in riding.events if e["kind"] not in ("rest", "edge end")][:5]
    assert len(shared) == len(others) or plain.events["kind"][-1] == "rest"
    for i, (a, b) in enumerate(zip(shared, others, strict=False)):
        t = a["time"]
        assert a["kind"] == b["kind"], (seed, i)
        assert b["time"] == pytest.approx(t, abs=1e-8), (seed, i)
        assert b["x"] - 0.7 * t - acceleration[0] * t * t / 2 == pytest.approx(a["x"], abs=1e-7), (seed, i)
        assert b["y"] + 0.4 * t - acceleration[1] * t * t / 2 == pytest.approx(a["y"], abs=1e-7), (seed, i)
        assert b["theta"] == pytest.approx(a["theta"], abs=1e-7), (seed, i)


@pytest.mark.parametrize("seed", range(40))
def test_random_scenes_whose_obstacles_shake(seed):
    """Every obstacle swings and turns at random; a part between two of them may be jammed."""
    rng = np.random.default_rng(1000 + seed)
    scene = parse_scene(build_random(seed, 1.0))
    from geometry.prescribed.motion import Wave

    def swing(value, size):
        waves = tuple(Wave(float(rng.normal() * size / w), float(w), 0.0) for w in rng.uniform(3.0, 40.0, 2))
        return Coordinate((CurvePiece(-inf, 0.0, (float(value),)),), waves)

    obstacles = tuple(replace(o, motion=Motion(swing(o.pose.x, 0.5), swing(o.pose.y, 0.5), swing(o.pose.theta, 0.3)))
                      for o in scene.obstacles)
    trajectory = simulate(replace(scene, obstacles=obstacles))
    check_moving(trajectory, energy=1e-8,
                 status=Status.JAMMED if trajectory.status == Status.JAMMED else Status.COMPLETED)


@pytest.mark.parametrize("mu", [0.1, 0.3, 0.6])
def test_vibratory_track_against_a_scalar_model(mu):
    """Where the part is on the built-in track: one coordinate, in closed form between slip and stick."""
    trajectory = simulate(load_scene("vibratory_track", {"friction.default": mu, "run.duration": 0.4}))
    check_moving(trajectory)
    assert trajectory.pose[-1][0] == pytest.approx(convey(8e-5, 6e-5, 100.0 * math.pi, mu, 0.4), abs=1e-11)
    if mu == 0.3:
        def rest(t):
            return mu * (G * t + 6e-5 * 100.0 * math.pi * math.sin(w * t)) - 8e-5 * w * math.sin(w * t)
        w = 100.0 * math.pi
        first = brentq(rest, 3e-3, 9e-3, xtol=1e-16)
        assert trajectory.events["time"][1] == pytest.approx(first, abs=1e-12)
        assert first == pytest.approx(0.0061736, abs=1e-7)


def convey(a, b, w, mu, duration):
    """x of a part on a track that moves by -a cos wt, -b cos wt, from rest; it stays on the track."""
    def find(f, begin, step=1e-5):
        """First sign change of f after begin."""
        t = begin + step
        while t < duration and f(t) * f(t + step) > 0.0:
            t += step
        return brentq(f, t, t + step, xtol=1e-17) if t < duration else duration

    def excess(t):
        return abs(a * w * w * math.cos(w * t)) - mu * (G + b * w * w * math.cos(w * t))

    t, x, v = 0.0, 0.0, 0.0
    while t < duration:
        if excess(t + 1e-9) < 0.0:  # sticks
            end = min(find(excess, t), duration)
            x += a * (math.cos(w * t) - math.cos(w * end))
            t, v = end, a * w * math.sin(w * end)
            continue
        sign = -math.copysign(1.0, math.cos(w * (t + 1e-9)))  # of the slip

        def speed(at, t=t, v=v, sign=sign):
            return v - sign * mu * (G * (at - t) + b * w * (math.sin(w * at) - math.sin(w * t)))

        end = min(find(lambda at, speed=speed: speed(at) - a * w * math.sin(w * at), t), duration)
        span = end - t
        x += v * span - sign * mu * (
            0.5 * G * span**2 + b * (math.cos(w * t) - math.cos(w * end)) - b * w * math.sin(w * t) * span)
        t, v = end, speed(end)
    return x


def test_three_fingers_move_the_triangle_as_its_formation_says():
    """The contacts alone tell the pose while they hold; the simulation with friction finds the same to rounding."""
    from geometry.formation.tracking import track_formation
    from sim.scene.formation_start import build_obstacle_motion

    scene = load_scene("three_fingers")
    trajectory = simulate(scene)
    check_moving(trajectory)
    start = trajectory.pose[0]
    track = track_formation(scene.formation.contacts, build_obstacle_motion(scene), trajectory.time, start,
                            part=scene.workpiece.outline, manipulators=[o.outline for o in scene.obstacles])
    assert track.reason == "end" and len(track.times) == len(trajectory)
    assert np.abs(track.poses - trajectory.pose).max() < 1e-12
    assert np.abs(track.velocities - trajectory.velocity).max() < 1e-11
    assert all(len(trajectory.mode_at(i)) == 3 for i in range(len(trajectory)))


def test_a_wedge_driven_between_two_obstacles_is_jammed():
    """There is room, but friction on both sides lets the part go no way: no velocity after it obeys the laws."""
    plate = {"name": "plate", "outline": {"box": [1.0, 0.1]}, "pose": [0.0, -0.05, 0.0],
             "motion": {"sinusoid": [{"amplitude": [0.02, 0.0], "frequency": 4.0, "phase": "90 deg"}]}}
    belt = {"name": "belt", "outline": {"box": [1.0, 0.1]}, "pose": [1.05, -0.05, 0.0], "surface_speed": 0.3}
    pusher = {"name": "pusher", "outline": {"box": [0.1, 0.3]},
              "motion": {"waypoints": [[0.1, -0.6, 0.12, 0], [1.2, 0.5, 0.12, 0], [1.5, 0.5, 0.12, 0.2]]}}
    part = {"outline": {"box": [0.1, 0.1]}, "mass": 1.0, "pose": [0.0, 0.05, 0.0]}
    trajectory = run(builders.build_scene(part, [plate, belt, pusher], friction={"default": 0.3},
                                          run={"duration": 2.0, "output_interval": 0.02}))
    check_moving(trajectory, status=Status.JAMMED)
    assert {trajectory.scene.obstacles[i].name for i in trajectory.contacts_at(-1)["obstacle"]} == {"belt", "pusher"}


@pytest.mark.parametrize(("height", "mu"), [(0.6, 0.33333333507180213), (1.0, 0.2 + 1e-9), (1.0, 0.2 + 2.98e-9),
                                            (1.0, 0.5136956214904785), (1.0, 0.51369571417), (1.0, 0.5136957142)])
def test_at_the_very_edge_of_a_mode_a_run_goes_on(height, mu):
    """A block on a slope of 60 degrees where tipping begins, and where its lower corner begins to hold: as near to the
    edge as rounding, runs ended STALLED or took steps without end."""
    text = builders.slope_block(builders.standing_box(0.2, height), 60.0, mu, duration=0.01)
    trajectory = run(text)
    assert trajectory.status == Status.COMPLETED and len(trajectory.events) < 10
    assert trajectory.account.energy_residual < 1e-9
