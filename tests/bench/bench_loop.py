"""The compiled loop alone: what a step or event and a simulated second cost where no Python stands between, how exact
the answer is, what other programs take for the same scene, and what sweeps and calls of `simulate` add to the loop.

Many equal runs go through the kernel of sweeps, `run_cells`, in one thread. It comes back to Python once for thousands
of steps and events, which is less than a hundredth of what is measured. Times are CPU times, the least of some repeats.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from geometry.compiled.record import allocate_table
from sim.engine.many_runs import (
    BUDGET,
    CELL,
    END,
    MODES,
    NEXT,
    RESULT,
    Pairs,
    allocate_work,
    begin_cells,
    run_cells,
)
from sim.engine.state import allocate_tools
from sim.run.model import build_start
from sim.run.simulation import simulate
from sim.scene.build import load_scene, parse_scene
from sim.sweep.setting import make_setting
from sim.sweep.sweep import sweep
from tests import scene_builders
from tests.bench import peers
from tests.bench.bench_scenes import SCENES
from tests.bench.exact_poses import measure_error

RUNS = 2000
CALL_EFFORT = 1_000_000  # of one call: about a tenth of a second
REPEATS = 5
SWEEP_MU = 100_000  # with two values of rho
CALLS = 300


def pack_runs(scene, count: int) -> tuple:
    """The arguments of `run_cells` for so many equal runs of a scene."""
    setting = make_setting(scene)
    cells = allocate_table(CELL, count)
    cells[:] = np.frombuffer(setting.cell, CELL)
    mu, e, law = (np.tile(row, (count, 1)) for row in setting.pairs)
    body = setting.shape.body
    work = allocate_work(build_start(scene), body.walls, allocate_tools(body.part, body.walls))
    return body, setting.shape.options, cells, Pairs(mu, e, law.astype(np.int64)), work, allocate_table(RESULT, count)


def run_all(arguments: tuple) -> np.recarray:
    """Run all runs to their ends; returns their RESULTs."""
    *_, cells, _, work, results = arguments
    progress = work.progress
    begin_cells(work, len(cells))
    progress[BUDGET] = CALL_EFFORT
    while progress[NEXT] < progress[END]:
        progress[MODES] = 0
        run_cells(*arguments)
    return results


def measure_least(call: Callable[[], object], repeats: int = REPEATS) -> float:
    """CPU time of a call [s], the least of some."""
    spent = []
    for _ in range(repeats):
        began = time.process_time()
        call()
        spent.append(time.process_time() - began)
    return min(spent)


def measure_loop(scene) -> tuple[float, np.record]:
    """(CPU time of one run in compiled code [s], its RESULT)."""
    arguments = pack_runs(scene, RUNS)
    result = run_all(arguments)[0].copy()
    return measure_least(lambda: run_all(arguments)) / RUNS, result


def run() -> Iterator[tuple[str, float | str, str]]:
    """Yield (name, value, unit)."""
    print(f"  {peers.WHEN}")
    missing = [name for name in peers.PROGRAMS if importlib.util.find_spec(peers.PROGRAMS[name]) is None]
    if missing:
        print(f"  not installed, so not measured here: {', '.join(missing)}")
    for name, (text, seconds) in SCENES.items():
        scene = parse_scene(text)
        spent, result = measure_loop(scene)
        yield from describe_loop(name, spent, result)
        yield f"{name}: CPU of the loop alone, per simulated second", 1e3 * spent / seconds, "ms/s"
        yield f"{name}: largest error of the pose against the exact answer", measure_error(name), "m"
        program, theirs = peers.STORED[name]
        yield f"{name}: stored figure of the fastest other, {program}, at 1e-3 m", theirs, "ms/s"
        yield f"{name}: stored figure over ours", theirs * seconds / (1e3 * spent), "times"
        for program in peers.PROGRAMS:
            if program not in missing:
                theirs = peers.measure(program, name)
                ratio = "never at 1e-3 m" if theirs is None else theirs * seconds / (1e3 * spent)
                yield f"{name}: {program}, measured here, over ours", ratio, "times"
    scene = load_scene("peg_in_hole")
    spent, result = measure_loop(scene)
    yield from describe_loop("peg_in_hole", spent, result)
    yield "peg_in_hole: CPU of the loop alone, per simulated second", 1e3 * spent / scene.run.duration, "ms/s"
    yield from measure_sweeps()
    yield from measure_calls()


def describe_loop(name: str, spent: float, result: np.record) -> Iterator[tuple[str, float, str]]:
    """Rows on a run that took `spent` seconds."""
    yield f"{name}: steps", int(result.n_steps), "1"
    yield f"{name}: events", int(result.n_events), "1"
    yield f"{name}: loop, a step or event", 1e6 * spent / (int(result.n_steps) + int(result.n_events)), "us"


def measure_sweeps() -> Iterator[tuple[str, float, str]]:
    """Runs a second of whole sweeps with two workers, by the clock on the wall."""
    block = parse_scene(scene_builders.s1())
    for name, scene, axes in ((f"S1, mu and rho: {SWEEP_MU} x 2 cells", block,
                               {"mu": f"0:0.5:{SWEEP_MU}", "rho": "0.2,0.3"}),
                              ("peg_in_hole, mu and rho: 41 x 26 cells", load_scene("peg_in_hole"),
                               {"mu": "0:1:41", "rho": "0.005:0.03:26"})):
        sweep(scene, mu="0:0.5:200", workers=2)
        began = time.perf_counter()
        result = sweep(scene, **axes, workers=2)
        yield f"sweep of {name}, 2 workers", len(result) / (time.perf_counter() - began), "runs/s"


def vary(scene) -> dict[str, list]:
    """Scenes to be run one after the other, by what differs between them."""
    workpiece, step = scene.workpiece, 1e-6
    return {
        "the same scene": [scene] * CALLS,
        "another mu": [replace(scene, obstacles=tuple(replace(o, mu=o.mu + k * step) for o in scene.obstacles))
                       for k in range(CALLS)],
        "another pose": [replace(scene, workpiece=replace(workpiece, pose=workpiece.pose._replace(
            y=workpiece.pose.y + k * step))) for k in range(CALLS)],
    }


def measure_calls() -> Iterator[tuple[str, float, str]]:
    """What a call of `simulate` takes besides the loop, each call with another friction or pose than the one before.
    S2: what does not move needs no step, and a pose higher up one fall."""
    scene = replace(parse_scene(scene_builders.s2()), run=replace(parse_scene(scene_builders.s2()).run, duration=0.01))
    for name, scenes in vary(scene).items():
        for given in scenes[:20]:
            simulate(given)
        whole = []
        for given in scenes:
            began = time.process_time()
            simulate(given)
            whole.append(time.process_time() - began)
        loop = measure_loop(scenes[-1])[0]
        yield f"simulate, {name}: whole call less the loop, median", 1e3 * (float(np.median(whole)) - loop), "ms"
