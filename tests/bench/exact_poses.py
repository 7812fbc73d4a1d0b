"""The exact poses of the peer scenes at any time, and how far a run is from them over all of its length."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from sim.run.simulation import simulate
from sim.scene.build import parse_scene
from tests import scene_builders
from tests.bench.bench_scenes import SCENES
from tests.sim.engine.test_peer_scenes import build_ladder, solve_s5
from tests.sim.reference import integrate

G = scene_builders.G
LOOKS = 20  # times at which a run is compared


def solve_s1(time: float) -> list[float]:
    a = math.radians(30.0)
    distance, c, s = 0.5 * G * (math.sin(a) - 0.3 * math.cos(a)) * time**2, math.cos(a), math.sin(a)
    return [distance * c + 0.25 * s, -distance * s + 0.25 * c, -a]


def solve_s2(time: float) -> list[float]:
    a = math.radians(15.0)
    return [0.25 * math.sin(a), 0.25 * math.cos(a), -a]


def solve_s3(time: float) -> list[float]:
    time = min(time, 2.0 / (0.4 * G))
    return [2.0 * time - 0.5 * 0.4 * G * time**2, 0.25, 0.0]


def solve_s4(time: float) -> list[float]:
    """A disc of 0.25 m has rolled so far."""
    a = math.radians(20.0)
    distance, c, s = 0.5 * G * math.sin(a) / 1.5 * time**2, math.cos(a), math.sin(a)
    return [distance * c + 0.25 * s, -distance * s + 0.25 * c, -a - distance / 0.25]


def solve_s6(time: float) -> list[float]:
    """Falls 1 m, and comes back with half the speed, again and again."""
    fall = math.sqrt(2.0 / G)
    if time < fall:
        return [0.0, 1.1 - 0.5 * G * time**2, 0.0]
    since, speed = time - fall, 0.5 * G * fall
    while since > 2.0 * speed / G:
        since, speed = since - 2.0 * speed / G, 0.5 * speed
    return [0.0, 0.1 + speed * since - 0.5 * G * since**2, 0.0]


def solve_ladder(mu: float, time: float) -> list[float]:
    ladder = build_ladder(mu)
    th = integrate(ladder.rate, [math.radians(60.0), 0.0], time)[0]
    return [*ladder.place(th), -th]


EXACT: dict[str, Callable] = {
    "S1": solve_s1, "S2": solve_s2, "S3": solve_s3, "S4": solve_s4, "S5": solve_s5,
    "S6": solve_s6, "S6 disc": solve_s6,
    "S7a": lambda time: solve_ladder(0.0, time), "S7b": lambda time: solve_ladder(0.2, time),
}  # fmt: skip


def compute_error(name: str, times, poses) -> float:
    """Largest distance of the centre of mass from where it should be [m]; poses (n, 3)."""
    exact = np.array([EXACT[name](float(time)) for time in times])
    return float(np.hypot(*(np.asarray(poses) - exact)[:, :2].T).max())


def measure_error(name: str) -> float:
    """Largest distance of the centre of mass from where it should be, at LOOKS times of a run and at its end [m]."""
    text, seconds = SCENES[name]
    trajectory = simulate(parse_scene(text), duration=seconds, output_interval=seconds / LOOKS)
    late = trajectory.time > 0.0
    return compute_error(name, trajectory.time[late], trajectory.pose[late])
