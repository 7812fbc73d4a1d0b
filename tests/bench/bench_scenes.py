"""CPU per simulated second of the peer scenes, at the default settings, and what the compiled loop costs without
Python."""

from __future__ import annotations

import time

from sim.run.simulation import simulate
from sim.scene.build import parse_scene
from tests import scene_builders

# name -> (scene text, simulated seconds)
SCENES = {
    "S1": (scene_builders.s1(), 1.0),
    "S2": (scene_builders.s2(), 10.0),
    "S3": (scene_builders.s3(), 2.0),
    "S4": (scene_builders.s4(), 1.0),
    "S5": (scene_builders.s5(), 0.15),
    "S6": (scene_builders.s6(), 1.2),
    "S6 disc": (scene_builders.s6_disc(), 1.2),
    "S7a": (scene_builders.s7a(), 0.32),
    "S7b": (scene_builders.s7b(), 0.60),
}
REPEATS = 15


def run():
    """Yield (name, value, unit): the whole call of simulate, and its compiled part; medians of CPU time."""
    for name, (text, seconds) in SCENES.items():
        scene = parse_scene(text)
        whole, solve, trajectory = [], [], None
        for _ in range(REPEATS):
            began = time.process_time()
            trajectory = simulate(scene, duration=seconds, output_interval=None)
            whole.append(time.process_time() - began)
            solve.append(trajectory.account.wall_solve)
        whole.sort()
        solve.sort()
        middle = REPEATS // 2
        yield f"{name}: simulate, CPU per simulated second", 1e3 * whole[middle] / seconds, "ms/s"
        yield f"{name}: compiled loop, per simulated second", 1e3 * solve[middle] / seconds, "ms/s"
        yield f"{name}: steps", trajectory.account.n_steps, "1"
