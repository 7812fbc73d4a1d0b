"""Scenes of feeders: wiper, step, gap, groove, stop, track and tray, each against what is known of it exactly."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from sim import load_scene, simulate
from sim.scene.rest_start import list_level_poses
from sim.sweep.refine.refine import refine
from sim.sweep.sweep import sweep
from tests.naive.vibrating_track import Track, convey

G = 9.81


def find_height(outline, theta):
    """Height [m] of a polygon that is turned by an angle."""
    return float(np.ptp(outline.vertices @ [math.sin(theta), math.cos(theta)]))


@pytest.mark.parametrize("rest", range(5))
def test_a_wiper_stops_what_is_higher_by_a_nanometre(rest):
    """What is lower rides under it and touches nothing, what is higher stays before it."""
    pose = list_level_poses(load_scene("wiper").workpiece.outline)[rest]
    height = find_height(load_scene("wiper").workpiece.outline, pose.theta)
    for gap in (height + 1e-9, height - 1e-9):
        run = simulate(load_scene("wiper", {"workpiece.pose.rest": rest, "obstacle.wiper.pose.y": gap}))
        touched = bool((run.contacts["obstacle"] == 1).any())
        assert (run.outcome.split(" on ")[0], touched) == (("passed", False) if gap > height else ("at rest", True))
        if gap > height:
            assert run.pose[-1][0] == pytest.approx(run.pose[0][0] + 0.05 * 1.5, abs=1e-12)


def test_a_box_tips_over_the_end_of_a_slow_belt_when_its_centre_is_over_the_edge():
    """And then turns about the edge at the speed of the belt: a path in one angle, integrated here on its own."""
    run = simulate(load_scene("step_down", {"run.duration": 0.7}))
    tips = run.events[run.events["kind"] == "separation"]["time"][0]
    assert tips == pytest.approx(0.6, abs=1e-12)
    v, h, rho2 = 0.05, 0.01, (0.04**2 + 0.02**2) / 12.0

    def turn(t, state):
        """(r x r'' + rho^2 theta'') = -g x: r from the edge to the centre, which is s = v t along the face."""
        theta, omega = state
        s = v * t
        return omega, -(2.0 * v * s * omega + G * (s * math.cos(theta) - h * math.sin(theta))) / (rho2 + s * s + h * h)

    path = solve_ivp(turn, (0.0, 0.1), (0.0, 0.0), method="DOP853", rtol=1e-13, atol=1e-16)
    theta, s = path.y[0, -1], 0.1 * v
    assert run.pose[-1] == pytest.approx([s * math.cos(theta) - h * math.sin(theta),
                                          s * math.sin(theta) + h * math.cos(theta), theta], abs=1e-9)
    assert theta < math.radians(-10.0)


def find_drop(v, half=0.02, h=0.005, width=0.03):
    """How far the front corner of the block of `gap` is below the first edge when it has come to the second one."""
    rho2 = (half**2 + h**2) / 3.0

    def move(t, state):
        """Lagrange's equations in s, along the face from the edge to the foot of the centre, and theta; u = s' - h w"""
        s, u, theta, omega = state
        rate = omega * omega * s - G * math.sin(theta)
        pull = G * (s * math.cos(theta) - h * math.sin(theta))
        return u + h * omega, rate, omega, (h * rate - 2.0 * s * (u + h * omega) * omega - pull) / (s * s + rho2)

    def arrive(t, state):
        return (state[0] + half) * math.cos(state[2]) - width

    arrive.terminal = True
    path = solve_ivp(move, (0.0, 1.0), (0.0, v, 0.0, 0.0), method="DOP853", rtol=1e-13, atol=1e-16, events=arrive)
    return -(path.y[0, -1] + half) * math.sin(path.y[2, -1])


def test_a_block_gets_over_a_gap_above_a_speed():
    critical = brentq(lambda v: find_drop(v) - 1e-3, 0.3, 1.0, xtol=1e-13)
    assert critical == pytest.approx(0.508119449, abs=1e-9)
    found = refine(sweep("gap", vary={"workpiece.velocity.vx": "0.3:0.7:5"}), "workpiece.velocity.vx", 1e-9)
    assert found["after"].tolist() == ["over"] and found.boundaries["low"] == pytest.approx(critical, abs=5e-9)


@pytest.mark.parametrize("mu, flush", [(0.0, 9), (0.1, 7), (0.5, 3)])
def test_a_square_in_a_groove_has_four_poses_and_stays_within_the_angle_of_friction(mu, flush):
    """Its centre is always over the bottom; two corners hold it where tan of the turn from a quarter is below mu."""
    table = sweep("v_groove", mu=[mu], vary={"workpiece.pose.theta": "5:355 deg:36"})
    start, end = table["workpiece.pose.theta"], np.degrees(table["theta"]) % 360.0
    stays = np.abs((start + 45.0) % 90.0 - 45.0) < math.degrees(math.atan(mu))
    assert (table.outcome == "at rest").all() and end[stays] == pytest.approx(start[stays], abs=1e-9)
    slid = end[~stays]
    assert slid == pytest.approx(90.0 * (start[~stays] // 90.0) + 45.0, abs=1e-9)
    assert [int((abs(slid - pose) < 1.0).sum()) for pose in (45, 135, 225, 315)] == [flush] * 4
    assert table["y"][~stays] == pytest.approx(0.02 / math.sqrt(2.0), abs=1e-12)
    if mu == 0.1:
        found = refine(sweep("v_groove", vary={"workpiece.pose.theta": "2,10 deg"}), "workpiece.pose.theta", 1e-9,
                       of="n_impacts")
        assert found.boundaries["low"] == pytest.approx(math.degrees(math.atan(mu)), abs=1e-6)


def test_a_part_topples_over_a_stop_beyond_a_length_of_the_ramp():
    """Sliding, an impact at the toe that keeps the angular momentum about it, and energy up to the unstable balance."""
    scene = load_scene("ramp_and_stop")
    part, slope = scene.workpiece, math.radians(30.0)
    b, h = 0.025 + part.origin[0], -part.origin[1]
    R, H = math.hypot(b, h), h * math.cos(slope) + b * math.sin(slope)
    pull = math.sin(slope) - 0.4 * math.cos(slope)
    critical = (R - H) * (part.rho**2 + R * R) / (h * h * pull)
    assert critical == pytest.approx(0.015157058, abs=1e-9)
    strikes = simulate(scene).events[1]
    assert strikes["kind"] == "impact" and strikes["time"] == pytest.approx(math.sqrt(0.04 / (G * pull)), abs=1e-12)
    at = [0.2 - b - critical + side for side in (-1e-6, -2e-9, 2e-9, 1e-6)]
    outcomes = sweep(scene, vary={"workpiece.pose.at": at, "run.duration": [1.5]}).outcome.tolist()
    assert outcomes == ["toppled"] * 2 + ["at rest on edge 0"] * 2


TRACKS = (  # along and up [mm], phase along [deg], friction: forwards and backwards, in contact and with hops
    (0.2, 0.12, -30, 0.3, 1, True), (0.2, 0.12, -120, 0.3, -1, True), (0.2, 0.3, -120, 0.3, 1, True),
    (0.2, 0.08, -30, 0.3, 1, False), (0.2, 0.08, -120, 0.3, -1, False), (0.08, 0.08, 30, 0.8, -1, False),
)


@pytest.mark.parametrize("along, up, phase, mu, way, hops", TRACKS)
def test_a_track_conveys_as_a_point_that_slips_sticks_and_hops(along, up, phase, mu, way, hops):
    """Mean velocity against closed forms from event to event, which share nothing with the engine."""
    sinusoid = "obstacle.track.motion.sinusoid"
    run = simulate(load_scene("vibratory_bowl_track", {
        f"{sinusoid}.0.amplitude.y": f"{up} mm", "obstacle.track.pose.y": f"{up} mm", "friction.default": mu,
        f"{sinusoid}.1.amplitude.x": f"{along} mm", f"{sinusoid}.1.phase": f"{phase} deg"}))
    track = Track(along * 1e-3, up * 1e-3, 100.0 * math.pi, math.radians(phase))
    x, taken_off, stuck = convey(track, mu, 0.4)
    assert run.pose[-1][0] == pytest.approx(x, abs=1e-11) and run.pose[-1][2] == pytest.approx(0.0, abs=1e-12)
    assert np.sign(x) == way and bool(taken_off) == hops and (stuck > 0.0) == (mu == 0.8)
    left = run.events["time"][run.events["kind"] == "separation"]
    assert left == pytest.approx(taken_off, abs=1e-11)
    if hops:
        assert taken_off[0] == pytest.approx(math.acos(-G / (track.b * track.w**2)) / track.w, abs=1e-12)
    if (along, up, phase) == (0.2, 0.12, -30):
        assert x == pytest.approx(17.223454e-3, abs=1e-9) and taken_off[0] == pytest.approx(0.0081069, abs=1e-7)


def test_a_tray_that_is_tilted_brings_a_part_from_any_start_to_one_pose():
    """Its upper edge flush on the right wall, its next corner on the floor."""
    table = sweep("tray_tilt", vary={"workpiece.pose.theta": "5:345 deg:18"})
    assert table.count() == {"in the corner": 18}
    ends = np.stack([table[name] for name in ("x", "y", "theta")], axis=1)
    x, y = load_scene("tray_tilt").workpiece.origin  # which ends 20 mm from the wall, 50 mm above the floor
    assert ends == pytest.approx(np.tile([0.04 - y, -0.01 + x, -0.5 * math.pi], (18, 1)), abs=1e-12)
