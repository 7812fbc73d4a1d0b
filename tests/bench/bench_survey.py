"""What it costs to look for other accelerations after every step, against looking at events only."""

from __future__ import annotations

from sim.run.simulation import simulate
from sim.scene.build import parse_scene
from tests.bench.bench_scenes import SCENES

REPEATS = 60


def run():
    """Yield (name, value, unit): time of the compiled loop with, over that without; medians of alternating runs."""
    for name in ("S1", "S5", "S7a", "S7b"):
        text, seconds = SCENES[name]
        scene = parse_scene(text)
        times = {True: [], False: []}
        for _ in range(REPEATS):
            for survey in times:
                trajectory = simulate(scene, duration=seconds, output_interval=None, survey=survey)
                times[survey].append(trajectory.account.wall_solve)
        with_survey, without = (sorted(values)[REPEATS // 2] for values in times.values())
        yield f"{name}: set at every step over set at events", with_survey / without, "1"
