"""How cost grows with edges and obstacles: a step of a part of n edges on a floor of m, and the load of big scenes."""

from __future__ import annotations

import time

import numpy as np

from sim.run.simulation import simulate
from sim.scene.build import parse_scene
from tests.scene_builders import box_outline, build_scene

SIZES = ((100, 100), (1_000, 100), (5_000, 4), (100, 10_000), (300, 3_000), (1_000, 10_000), (3_000, 30_000))
EDGES, OBSTACLES = (1_000, 10_000, 100_000), (10, 40, 160, 640, 1_000)
SECONDS = 0.4


def build_floor(m: int, half: float = 4.0) -> dict:
    """A rough floor of m edges, 2 mm deep; of four: a level one."""
    if m == 4:
        return box_outline(-half, -1.0, half, 0.0)
    top = np.random.default_rng(m).uniform(-0.002, 0.0, m - 2)
    rim = np.column_stack([np.linspace(half, -half, m - 2), top])
    return {"vertices": [*rim.tolist(), [-half, -1.0], [half, -1.0]]}


def build_wheel(n: int) -> dict:
    """A wheel of n edges, rough to 0.2 mm."""
    angle = 2.0 * np.pi * np.arange(n) / n
    radius = 0.5 - np.random.default_rng(n).uniform(0.0, 2e-4, n)
    return {"vertices": (radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])).tolist()}


def build_rolling(n: int, m: int) -> str:
    """A wheel that falls a little and rolls over the floor."""
    workpiece = {"outline": build_wheel(n), "mass": 1.0, "pose": [-1.0, 0.51, 0.0], "velocity": [1.0, 0.0, -2.0]}
    return build_scene(workpiece, [{"name": "floor", "outline": build_floor(m)}], friction={"default": 0.3},
                       run={"duration": SECONDS})


def build_heap(n: int) -> str:
    """n blocks that all overlap each other."""
    rng = np.random.default_rng(n)
    obstacles = [{"name": f"block {k}", "outline": box_outline(-0.5, -0.5, 0.5, 0.5),
                  "pose": [*rng.uniform(-0.5, 0.5, 2).tolist(), float(rng.uniform(0.0, 6.0))]} for k in range(n)]
    return build_scene({"outline": box_outline(-0.1, -0.1, 0.1, 0.1), "mass": 1.0, "pose": [0.0, 5.0, 0.0]}, obstacles,
                       friction={"default": 0.3}, run={"duration": 0.1})


def measure_step(text: str) -> tuple[float, int]:
    """(compiled time of one step, s; steps)."""
    trajectory = simulate(parse_scene(text), output_interval=None)
    return trajectory.account.wall_solve / max(trajectory.account.n_steps, 1), trajectory.account.n_steps


def run():
    """Yield (name, value, unit): us a step and its exponent in n m; s from text to the end of the first run."""
    measure_step(build_rolling(8, 10))  # compile
    known = []
    for n, m in SIZES:
        step, steps = measure_step(build_rolling(n, m))
        known.append((n * m, step))
        yield f"n = {n}, m = {m}: {steps} steps, each", 1e6 * step, "us"
    (small, before), (large, after) = known[0], known[-1]
    yield "exponent of a step in n m (1: all pairs)", np.log(after / before) / np.log(large / small), "1"
    for build, name, sizes in ((lambda m: build_rolling(100, m), "edges", EDGES), (build_heap, "blocks", OBSTACLES)):
        for size in sizes:
            text = build(size)
            began = time.perf_counter()
            scene = parse_scene(text)
            read = time.perf_counter()
            simulate(scene, duration=1e-3, output_interval=None)
            yield f"{size} {name}: read, and start and first steps", read - began, "s"
            yield "", time.perf_counter() - read, "s"
