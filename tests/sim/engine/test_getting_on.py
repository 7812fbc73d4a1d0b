"""A run always gets on: scenes that once stalled, rattled without end or took a wrong turn, with numbers known from
elsewhere. The scenes are in tests/sim/engine/cases."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq

from sim.log.check_log import check_log
from sim.rows.status import Status
from tests import scene_builders as builders
from tests.sim.engine.test_moving import check_moving
from tests.sim.motion import check_laws, get_kinds, get_times, measure_depth, mirror_scene, run, turn_scene
from tests.sim.reference import integrate

G = 9.81
CASES = Path(__file__).parent / "cases"


def read_case(name: str) -> str:
    return (CASES / f"{name}.toml").read_text()


def check_sound(trajectory):
    """The log is that of a motion, by its rows alone, and nothing was passed over to get there."""
    assert [verdict for verdict in check_log(trajectory) if not verdict.holds] == []
    assert trajectory.account.n_bridges == 0 and trajectory.account.time_bridged == 0.0


# ---- a contact that touches and holds nothing ------------------------------------------------------------------------

HEIGHTS = [-0.26, -0.25, -0.23, -0.21, -0.2, -0.19, -0.1, 0.0, 0.1234, 0.3, 0.94, 0.97]


def build_peg(height: float, mu: float = 0.5) -> str:
    """A peg of 20 mm by 60 mm whose side touches the wall x <= 0, which ends 0.2 m below the origin."""
    part = {"name": "peg", "outline": {"unit": "mm", **builders.standing_box(20.0, 60.0)}, "mass": 0.1,
            "pose": [0.01, height, 0.0]}
    wall = {"name": "wall", "outline": builders.box_outline(-1.0, -0.2, 0.0, 1.0)}
    return builders.build_scene(part, [wall], friction={"default": mu}, run={"duration": 0.5})


@pytest.mark.parametrize("degrees", [0.0, 30.0, 90.0, 211.0])
@pytest.mark.parametrize("height", HEIGHTS)
def test_a_peg_that_touches_a_wall_falls_freely(height, degrees):
    """Nothing presses it against the wall, so no force does anything: g t^2 / 2 = 1.22625 m in 0.5 s."""
    angle = math.radians(degrees)
    trajectory = run(turn_scene(build_peg(height), angle))
    check_laws(trajectory, depth=1e-12)
    check_sound(trajectory)
    way = trajectory.pose[-1] - trajectory.pose[0]
    assert way == pytest.approx([1.22625 * math.sin(angle), -1.22625 * math.cos(angle), 0.0], abs=1e-13)
    assert np.abs(trajectory.pose[:, 2] - angle).max() < 1e-13 and np.abs(trajectory.velocity[:, 2]).max() < 1e-13
    assert len(trajectory.impulses) == 0 and trajectory.account.n_impacts == 0
    for name in ("fn", "ft"):
        assert np.abs(trajectory.contacts[name]).max(initial=0.0) <= 1e-9 * 0.1 * G, name
    assert trajectory.account.energy_end == pytest.approx(0.1 * G * 1.22625, rel=1e-13)
    assert trajectory.account.work_friction == trajectory.account.work_impact == 0.0
    assert trajectory.account.energy_residual == 0.0
    if height > -0.2:  # both corners pass the end of the wall: the lower one, then the upper one
        passed = [math.sqrt(2.0 * way / G) for way in (height + 0.2, height + 0.26)]
        assert len(trajectory.contacts_at(0)) >= 2
        assert (trajectory.mode_at(-1) == "") == (passed[1] < 0.5)
        times = trajectory.events["time"][1:]
        assert all(np.abs(times - time).min() < 1e-10 for time in passed if time < 0.5), (times, passed)


# ---- a box that slides over a knee without friction ------------------------------------------------------------------


def build_knee(half: float, high: float, degrees: float, speed: float, duration: float) -> str:
    """A box (half width, half height) slides from x = -10 half over the knee x = 0 of a floor that falls beyond it."""
    box = {"name": "box", "mass": 1.0, "outline": builders.box_outline(-half, -high, half, high),
           "pose": [-10.0 * half, high, 0.0], "velocity": [speed, 0.0, 0.0]}
    drop = 40.0 * half * math.tan(math.radians(degrees))
    floor = {"name": "floor", "outline": {"vertices": [[-40 * half, 0.0], [-40 * half, -60 * half],
                                                       [40 * half, -60 * half], [40 * half, -drop], [0.0, 0.0]]}}
    return builders.build_scene(box, [floor], friction={"default": 0.0}, run={"duration": duration})


def tip_over_knee(half: float, high: float, degrees: float, speed: float):
    """How the box goes on from where its centre is over the knee: (time since then, what ends it, its state then).

    The state is s, theta, s', theta'. Its lower face slides and turns on the knee, the origin, and its middle is s
    further on. It lasts until the hind corner arrives, the load is lost, or the face lies on the floor beyond.
    Lagrange's equations in s and theta.
    """
    inertia = (half**2 + high**2) / 3.0

    def rate(_, y):
        s, th, u, w = y
        turn = -s * (2.0 * u * w - high * w * w + G * math.cos(th)) / (inertia + s * s)
        return [u, w, -G * math.sin(th) + s * w * w + high * turn, turn]

    def load(t, y):
        return y[0] * rate(t, y)[3] + 2.0 * y[2] * y[3] - high * y[3] ** 2 + G * math.cos(y[1])

    ends = {"corner": lambda t, y: half - y[0], "load": load, "slope": lambda t, y: y[1] + math.radians(degrees)}
    found = []
    for name, end in ends.items():
        try:
            found.append((*integrate(rate, [0.0, 0.0, speed, 0.0], 4.0 * half / speed, end), name))
        except AssertionError:  # it does not happen
            continue
    time, state, name = min(found, key=lambda each: each[0])
    return time, name, state


def check_knee(trajectory, half, high, degrees, speed, angle=0.0):
    check_laws(trajectory, depth=1e-12)
    check_sound(trajectory)
    over = 10.0 * half / speed  # when the centre is over the knee
    before = trajectory.time < over * (1.0 - 1e-9)
    c, s = math.cos(angle), math.sin(angle)
    along = trajectory.velocity[:, 0] * c + trajectory.velocity[:, 1] * s
    across = trajectory.velocity[:, 1] * c - trajectory.velocity[:, 0] * s
    assert before.sum() >= 3
    assert np.abs(along[before] - speed).max() < 1e-12 * speed and np.abs(across[before]).max() < 1e-12 * speed
    assert np.abs(trajectory.velocity[before, 2]).max() < 1e-10 * speed / half
    assert np.abs(trajectory.acceleration[before]).max() < 1e-9 * G / half
    impacts = get_times(trajectory, "impact")
    time, name, (way, th, u, w) = tip_over_knee(half, high, degrees, speed)
    assert not (impacts < over + time * (1.0 - 1e-6)).any()
    events = trajectory.events[np.abs(trajectory.events["time"] - over - time) < 1e-9 * over]
    assert len(events) >= 1, (name, over, time, trajectory.events["time"])
    event = events[0]
    x, y = way * math.cos(th) - high * math.sin(th), way * math.sin(th) + high * math.cos(th)
    vx, vy = u - high * w, way * w  # along and across the lower face
    vx, vy = vx * math.cos(th) - vy * math.sin(th), vx * math.sin(th) + vy * math.cos(th)
    assert [event["x"], event["y"]] == pytest.approx([x * c - y * s, x * s + y * c], abs=1e-9 * half)
    assert event["theta"] - angle == pytest.approx(th, abs=1e-9)
    assert [event["vx_before"], event["vy_before"], event["omega_before"] * half] == pytest.approx(
        [vx * c - vy * s, vx * s + vy * c, w * half], abs=1e-8 * speed)
    return name


@pytest.mark.parametrize("degrees", [0.0, 30.0, 37.0, 120.0])
def test_a_box_slides_over_a_knee(degrees):
    """At 2 m/s its centre is over the knee at 0.25 s; then it tips, until its hind corner has arrived 25 ms later."""
    angle = math.radians(degrees)
    trajectory = run(turn_scene(read_case("knee"), angle))
    assert check_knee(trajectory, 0.05, 0.05, 10.0, 2.0, angle) == "corner"
    assert get_times(trajectory, "separation") == pytest.approx([0.25], abs=1e-10)
    # then it flies, until the same corner strikes the floor beyond
    fly = trajectory.events[np.abs(trajectory.events["time"] - 0.2754352100682144) < 1e-9][0]
    row = int(np.searchsorted(trajectory.time, fly["time"]))
    assert trajectory.mode_at(row) == ""
    back = turn_state(fly, -angle)

    def gap(t):
        th = back[2] + back[5] * t
        x = back[0] + back[3] * t - 0.05 * math.cos(th) + 0.05 * math.sin(th)
        y = back[1] + back[4] * t - 0.5 * G * t * t - 0.05 * math.sin(th) - 0.05 * math.cos(th)
        slope = math.radians(10.0)
        return y * math.cos(slope) + x * math.sin(slope)

    land = brentq(gap, 0.01, 0.2, xtol=1e-15)
    assert get_times(trajectory, "impact")[0] == pytest.approx(fly["time"] + land, abs=1e-10)


def turn_state(event, angle):
    """x, y, theta and the velocity before an event, turned about the origin."""
    c, s = math.cos(angle), math.sin(angle)
    x, y, vx, vy = (float(event[name]) for name in ("x", "y", "vx_before", "vy_before"))
    return c * x - s * y, s * x + c * y, event["theta"] + angle, c * vx - s * vy, s * vx + c * vy, event["omega_before"]


@pytest.mark.parametrize("seed", range(20))
def test_a_box_slides_over_a_random_knee(seed):
    rng = np.random.default_rng(700 + seed)
    print(f"seed {700 + seed}")
    half = float(10.0 ** rng.uniform(-3.0, 0.0))
    high, degrees = half * float(rng.uniform(0.2, 1.5)), float(rng.uniform(1.0, 40.0))
    speed = math.sqrt(G * half) * float(rng.uniform(0.5, 4.0))
    angle = float(rng.choice([0.0, *np.radians([30.0, 37.0, 120.0])]))
    text = build_knee(half, high, degrees, speed, 16.0 * half / speed)
    check_knee(run(turn_scene(text, angle)), half, high, degrees, speed, angle)


# ---- floors that move ------------------------------------------------------------------------------------------------


def test_on_a_floor_that_sinks_all_is_as_on_one_at_rest():
    """Box and floor both sink at 0.5 m/s: who rides on the floor sees a box that is let go at rest."""
    text = read_case("stalled_down")
    moving = run(text)
    check_moving(moving)
    check_sound(moving)
    still = text.replace("[obstacle.motion]\nvelocity = [0.0, -0.5]", "").replace("[0.0, -0.5, 0.0]", "[0.0, 0.0, 0.0]")
    assert "motion" not in still and "velocity = [0.0, 0.0, 0.0]" in still
    still = run(still)
    check_laws(still)
    shift = -0.5 * moving.time[-1]
    np.testing.assert_allclose(moving.pose[-1] - [0.0, shift, 0.0], still.pose[-1], rtol=0, atol=1e-9)
    assert moving.pose[-1, 1] - shift == pytest.approx(0.2, abs=1e-9)  # flat on the floor
    assert moving.velocity[-1] == pytest.approx([moving.velocity[-1, 0], -0.5, 0.0], abs=1e-12)
    first = brentq(lambda t: 0.75 - 0.5 * G * t * t - 0.5 * math.sin(0.5) - 0.2 * math.cos(0.5), 0.0, 1.0, xtol=1e-15)
    for trajectory in (moving, still):
        assert get_times(trajectory, "impact")[0] == pytest.approx(first, abs=1e-12)


@pytest.mark.parametrize("name", ["stalled_sin_y", "stalled_turn"])
def test_on_a_floor_that_swings_or_turns_a_run_gets_on(name):
    trajectory = run(read_case(name))
    check_moving(trajectory)
    check_sound(trajectory)
    assert len(trajectory.events) < 60


@pytest.mark.parametrize("seed", range(20))
def test_a_box_dropped_on_a_floor_that_rises(seed):
    """Seen from the floor it is dropped with the speed of the floor in addition."""
    rng = np.random.default_rng(800 + seed)
    print(f"seed {800 + seed}")
    speed, tilt, e = float(rng.uniform(0.05, 1.0)), float(rng.uniform(-1.2, 1.2)), float(rng.uniform(0.0, 0.4))
    velocity = [float(rng.normal(0.0, 0.3)), float(rng.normal(0.0, 0.3)), float(rng.normal(0.0, 2.0))]
    floor = builders.build_floor(half_length=20.0)
    size = rng.uniform(0.1, 0.5, 2)

    def drop(vy, obstacle):
        box = {"name": "box", "mass": 1.0, "outline": {"box": (2.0 * size).tolist()}, "pose": [0.0, 1.0, tilt],
               "velocity": [velocity[0], vy, velocity[2]]}
        return run(builders.build_scene(box, [obstacle], friction={"default": 0.3}, restitution={"default": e},
                                        run={"duration": 1.0}))

    moving = drop(velocity[1], {**floor, "motion": {"velocity": [0.0, speed]}})
    still = drop(velocity[1] - speed, floor)
    check_moving(moving)
    check_laws(still)
    check_sound(moving)
    assert len(moving.events) < 100
    shared = [(a, b) for a, b in zip(moving.events, still.events, strict=False)]
    for a, b in shared:
        if "rest" in (a["kind"], b["kind"]):
            break
        assert a["kind"] == b["kind"] and a["time"] == pytest.approx(b["time"], abs=1e-8)
    shift = [0.0, speed * moving.time[-1], 0.0]
    np.testing.assert_allclose(moving.pose[-1] - shift, still.pose[-1], rtol=0, atol=1e-8)


def test_a_part_that_is_dropped_flat_comes_to_rest_when_the_sum_of_its_bounces_says():
    """sqrt(2 h / g) (1 + 2 e / (1 - e)), here 1.5 sqrt(2 h / g), flat on the side that it fell on."""
    trajectory = run(read_case("drop_L"))
    check_laws(trajectory)
    check_sound(trajectory)
    assert get_times(trajectory, "rest") == pytest.approx([1.5 * math.sqrt(0.14 / G)], abs=1e-9)
    assert trajectory.pose[-1, 2] == pytest.approx(0.0, abs=1e-12) and not trajectory.velocity[-1].any()


# ---- grooves ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["repro_endless_groove", "repro_stalled_groove", "mini_209"])
@pytest.mark.parametrize("way", [lambda text: text, mirror_scene, lambda text: turn_scene(text, 0.7)])
def test_a_part_in_a_groove_gets_on(name, way):
    trajectory = run(way(read_case(name)))
    check_laws(trajectory)
    check_sound(trajectory)
    assert len(trajectory.events) < 50


def test_the_motion_up_to_a_time_does_not_depend_on_how_long_the_run_lasts():
    text = read_case("mini_209")
    runs = [run(text, duration) for duration in (0.3, 0.6, 1.0096375546923044, 1.5, 40.0)]
    for short, long in pairwise(runs):
        for name in ("time", "x", "y", "theta", "vx_after", "vy_after", "omega_after"):
            n = int((short.events["time"] < 0.999 * short.time[-1]).sum())
            np.testing.assert_allclose(long.events[name][:n], short.events[name][:n], rtol=1e-12, atol=1e-12)
        assert get_kinds(long)[:n] == get_kinds(short)[:n]
        ticks = 0.050481877734615224 * np.arange(1, int(short.time[-1] / 0.0505) + 1)
        rows = [each.pose[np.searchsorted(each.time, ticks - 1e-12)] for each in (short, long)]
        np.testing.assert_allclose(rows[0], rows[1], rtol=0, atol=1e-11)
    assert len(runs[2].events) >= 4


def test_a_part_that_rattles_in_a_groove_comes_to_rest():
    """Its energy is that of a height of 1e-16 m, less than can be told from contact."""
    trajectory = run(read_case("repro_rattle"))
    assert trajectory.status is Status.COMPLETED and trajectory.account.n_bridges == 0
    assert get_kinds(trajectory)[-1] == "rest" and len(trajectory.events) < 50
    assert not trajectory.velocity[-1].any() and not trajectory.acceleration[-1].any()
    energy = trajectory.steps["kinetic"] - trajectory.steps["work_load"]
    outline = trajectory.scene.workpiece.outline
    assert (energy - energy[0] <= 1e-9 * trajectory.scene.workpiece.mass * G * outline.reach).all()
    assert max(measure_depth(trajectory, i) for i in range(len(trajectory))) < 1e-9 * outline.reach


def test_the_log_of_a_part_that_rattles_is_sound():
    check_sound(run(read_case("repro_rattle")))
