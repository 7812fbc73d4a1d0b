"""Which step is taken where a stiff load holds the part: one of its own period while it swings, else a long one.

Springs are put into the kernels, which run as plain Python for that: see `tests/dynamics/motion/test_collocation.py`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from math import factorial
from pathlib import Path

import numpy as np
import pytest

from dynamics.motion.mode import OK
from geometry.compiled.kernel import is_disabled
from sim import simulate
from sim.engine import step
from sim.instant.body import build_body
from sim.run import model
from sim.scene.build import parse_scene
from tests import scene_builders as builders
from tests.dynamics.motion.test_collocation import AMPLITUDE, DRIFT, SQUARED, WAVE, Held

plain = pytest.mark.skipif(not is_disabled(), reason="the load is put in where kernels are plain Python")

OMEGA = np.sqrt(1.3 * SQUARED)  # of the stiffest direction, by the sums of the rows


def hold(monkeypatch, damping: float) -> Held:
    """Let springs and dampers hold every part of a run."""
    held = Held(monkeypatch, damping)

    def fill_series(body, mode, at, order, path, series):
        """The power series of a free part on springs and dampers."""
        path.degree, series.terms = order, order - 1
        unit, turn = held.unit, AMPLITUDE * np.exp(1j * WAVE * at.time)
        frame = np.array([(turn * (1j * WAVE) ** k).real / factorial(k) for k in range(order + 1)])
        frame[0] += DRIFT * at.time
        frame[1] += DRIFT
        c = np.zeros((order + 1, 3))
        c[0], c[1] = unit * at.pose, unit * at.velocity
        for k in range(order - 1):
            w = held.stiffness @ (frame[k] - c[k]) + (k + 1) * held.damping @ (frame[k + 1] - c[k + 1])
            c[k + 2] = (w + (held.weight if k == 0 else 0.0)) / ((k + 1) * (k + 2))
        path.c[:, : order + 1] = (c / unit).T
        return OK

    # a load that turns, by nothing: so a free part is no flight whose steps are exact at any length
    monkeypatch.setattr(model, "build_body", lambda scene: build_body(scene)._replace(turning=True))
    monkeypatch.setattr(step, "fill_mode_series", fill_series)
    monkeypatch.setattr(step, "measure_stiffness_of_load", lambda body: OMEGA * max(1.0, 2.0 * damping * np.sqrt(1.3)))
    return held


def run(held, duration: float, push: float = 0.0):
    """The run of a box from the slow motion, with a push [m/s] along x, beside a wall that moves far away."""
    part = {"outline": builders.standing_box(0.04, 0.02), "mass": 0.05}
    far = {"name": "far", "outline": builders.box_outline(5.0, 5.0, 5.1, 5.1), "motion": {"velocity": [0.0, 0.01]}}
    scene = parse_scene(builders.build_scene(part, [far], friction={"default": 0.2}, run={"duration": duration}))
    held.unit = np.array([1.0, 1.0, scene.workpiece.rho])
    q, v = held.compute_slow(0.0)
    q, v = q / held.unit, (v + push * np.array([1.0, 0.0, 0.0])) / held.unit
    pose = scene.workpiece.pose._replace(x=float(q[0]), y=float(q[1]), theta=float(q[2]))
    scene = replace(scene, workpiece=replace(scene.workpiece, pose=pose, velocity=tuple(v.tolist())))
    trajectory = simulate(scene)
    assert trajectory.time[-1] == duration  # the account knows nothing of the springs
    return trajectory


def measure_distance(held, trajectory) -> float:
    """How far the part ends from the slow motion, m."""
    return np.abs(trajectory.pose[-1] * held.unit - held.compute_slow(trajectory.time[-1])[0]).max()


@plain
@pytest.mark.parametrize("damping", [0.0, 0.1, 5.0])
def test_a_part_at_rest_on_a_moving_frame_costs_no_steps_of_its_own_period(monkeypatch, damping):
    held = hold(monkeypatch, damping)
    trajectory = run(held, 1.0)
    assert trajectory.account.n_steps < 50 and trajectory.account.n_rejected < 10
    assert measure_distance(held, trajectory) < 1e-12
    monkeypatch.setattr(step, "measure_stiffness_of_load", lambda body: 0.0)
    short = run(held, 0.01)
    assert short.account.n_steps > 0.01 * OMEGA / 12.0 and short.account.n_rejected == 0


@plain
def test_what_swings_and_dies_away_is_followed_by_both(monkeypatch):
    """Steps of its period until it has died away, in about 0.1 s here, then long ones."""
    held = hold(monkeypatch, 0.1)
    trajectory = run(held, 0.3, push=0.01)
    assert 30 < trajectory.account.n_steps < 160 and trajectory.account.n_rejected < 20
    assert measure_distance(held, trajectory) < 1e-12
    monkeypatch.setattr(step, "measure_stiffness_of_load", lambda body: 0.0)
    early = run(held, 0.042, push=0.01)  # it swings by some 1e-9 m/s then, hundreds of tolerances
    held = hold(monkeypatch, 0.1)
    other = run(held, 0.042, push=0.01)
    assert np.abs(other.pose[-1] - early.pose[-1]).max() < 1e-14
    assert np.abs(other.velocity[-1] - early.velocity[-1]).max() < 2e-11


@plain
def test_what_swings_for_ever_is_not_damped(monkeypatch):
    """Without dampers no long step is taken, and hardly one is tried."""
    held = hold(monkeypatch, 0.0)
    trajectory = run(held, 0.02, push=0.01)
    monkeypatch.setattr(step, "measure_stiffness_of_load", lambda body: 0.0)
    other = run(held, 0.02, push=0.01)
    assert trajectory.account.n_rejected <= 1
    assert trajectory.account.n_steps == other.account.n_steps and (trajectory.pose == other.pose).all()
    assert trajectory.account.n_evaluations >= trajectory.account.n_steps


@pytest.mark.skipif(is_disabled(), reason="this is such a process")
def test_springs_in_a_process_without_compilation():
    tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__]
    result = subprocess.run(tests, cwd=Path(__file__).parents[3], env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
                            capture_output=True, text=True, timeout=300)
    assert result.returncode == 0 and "5 passed" in result.stdout, result.stdout + result.stderr
