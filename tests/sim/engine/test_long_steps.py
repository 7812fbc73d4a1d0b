"""Which step is taken where a stiff gripper holds the part: one of its own period while it swings, else a long one."""

from __future__ import annotations

from math import pi, sqrt

import numpy as np
import pytest

from sim import simulate
from sim.scene.build import parse_scene

OMEGA = sqrt(1e6 / 0.05)  # rad/s of 1e6 N/m on 50 g
DRIFT, WAVE, RATE = 0.01, 0.001, 2.0 * pi * 0.8  # m/s, m, rad/s: how the gripper goes along x


def hold(ratio: float, velocity: float, **run):
    """A box of 50 g in a gripper of 1e6 N/m that goes along x, with a velocity along x at the start."""
    settings = "\n".join(f"{key} = {value}" for key, value in run.items())
    return parse_scene(f"""
gravity = [0, 0]
[workpiece]
outline = {{ box = [0.04, 0.02] }}
mass = 0.05
velocity = [{velocity!r}, 0, 0]
[gripper]
stiffness = [1e6, 1e6, 100]
damping_ratio = {ratio}
pose = [{-WAVE}, 0, 0]
motion = {{ velocity = [{DRIFT}, 0], sinusoid = [{{ amplitude = [{WAVE}, 0], frequency = 0.8, phase = "90 deg" }}] }}
[run]
{settings}
""")


def follow(ratio: float, push: float, times: np.ndarray) -> np.ndarray:
    """x of the box by the closed form: e'' = -2 z w e' - w^2 e - q_g'' for e = q - q_g, with q_g'' = -W R^2 cos R t."""
    drive = WAVE * RATE**2
    # the forced part a cos R t + b sin R t of e
    p, q = OMEGA**2 - RATE**2, 2.0 * ratio * OMEGA * RATE
    a, b = drive * p / (p * p + q * q), drive * q / (p * p + q * q)
    e0, u0 = -a, push - b * RATE
    if ratio == 0.0:
        own = e0 * np.cos(OMEGA * times) + u0 / OMEGA * np.sin(OMEGA * times)
    else:
        fall, turn = ratio * OMEGA, OMEGA * sqrt(1.0 - ratio * ratio)
        own = np.exp(-fall * times) * (e0 * np.cos(turn * times) + (u0 + fall * e0) / turn * np.sin(turn * times))
    forced = a * np.cos(RATE * times) + b * np.sin(RATE * times)
    return own + forced + DRIFT * times + WAVE * (np.cos(RATE * times) - 1.0)


@pytest.mark.parametrize("ratio", [0.3, 0.9])
def test_a_part_at_rest_on_a_moving_frame_costs_no_steps_of_its_own_period(ratio):
    """It begins with a swing of 0.5 um, which dies away; the rest of the 5 s are a few steps a second."""
    trajectory = simulate(hold(ratio, DRIFT, duration=5.0, output_interval=0.05))
    x = follow(ratio, 0.0, trajectory.time)
    assert np.abs(trajectory.pose[:, 0] - x).max() < 2e-12
    assert trajectory.account.n_steps < 400 < 0.05 * 5.0 * OMEGA
    late = trajectory.time > 0.5
    assert np.abs(trajectory.steps["gripper_fx"][late] / 0.05 + WAVE * RATE**2 * np.cos(RATE * trajectory.time[late])
                  ).max() < 1e-5 * WAVE * RATE**2 + 1e6 / 0.05 * 1e-12


def test_what_swings_and_dies_away_is_followed_by_both():
    """Steps of its period until it has died away, in about 0.05 s here, then long ones."""
    trajectory = simulate(hold(0.1, DRIFT + 0.01, duration=0.5, output_interval=0.001))
    assert np.abs(trajectory.pose[:, 0] - follow(0.1, 0.01, trajectory.time)).max() < 2e-12
    first = simulate(hold(0.1, DRIFT + 0.01, duration=0.05))
    assert first.account.n_steps > 0.05 * OMEGA / 12.0
    assert trajectory.account.n_steps < first.account.n_steps + 60


def test_what_swings_for_ever_is_not_damped():
    trajectory = simulate(hold(0.0, DRIFT + 0.01, duration=0.05, output_interval=0.001))
    assert np.abs(trajectory.pose[:, 0] - follow(0.0, 0.01, trajectory.time)).max() < 2e-12
    assert trajectory.account.n_rejected <= 1
    assert trajectory.account.n_steps > 0.05 * OMEGA / 12.0
    energy = trajectory.steps["kinetic"] + trajectory.steps["spring_energy"]
    swing = 0.5 * 0.05 * 0.01**2
    push = trajectory.load_work["gripper"][0] + trajectory.load_work["gripper"][1]  # the frame's
    assert abs(energy[-1] - energy[0] - push) < 1e-9 * swing + 1e-15
