"""Runs a second of a sweep of scene S1 (a block slides down a slope for a second): with one worker and with two, over
values that are put into arrays and others, with a log of 1000 rows a run; and whether memory stays flat.

Wall times tell of the machine and of what else it does; CPU times of a run hardly do.
"""

from __future__ import annotations

import math
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from sim.scene.build import parse_scene
from sim.sweep.log_store import find_folder
from sim.sweep.sweep import sweep
from tests import scene_builders

CELLS, LOGGED, MANY = 8000, 1000, 100_000
REPEATS = 3
# Memory of a process of its own: after the first thousands of runs, when all work arrays are there, and at the end.
MEMORY = """
import resource, sys
from sim import sweep
from sim.scene.build import parse_scene
from tests import scene_builders
first = []
def look(done, total):
    if done >= total // 10 and not first:
        first.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
scene = parse_scene(scene_builders.s1(), overrides={{"run.output_interval": {interval}}})
sweep(scene, mu="0:0.5:{half}", rho="0.2,0.3", output=sys.argv[1], progress=look, log="{log}")
print(first[0], resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def run():
    """Yield (name, value, unit)."""
    text = scene_builders.s1()
    scene = parse_scene(text)
    axis = f"0:0.5:{CELLS}"
    sweep(scene, mu="0:0.5:200", workers=2)
    rates, cpu = {1: [], 2: []}, {1: [], 2: []}
    for _ in range(REPEATS):
        for workers in (1, 2):
            began, began_cpu = time.perf_counter(), time.process_time()
            result = sweep(scene, mu=axis, workers=workers)
            rates[workers].append(CELLS / (time.perf_counter() - began))
            cpu[workers].append((time.process_time() - began_cpu) / CELLS * 1e6)
    yield "S1 over mu, largest error of the final place", measure_error(result), "m"
    for workers in (1, 2):
        yield f"S1 over mu, {workers} worker(s), best of {REPEATS}", max(rates[workers]), "runs/s"
        yield f"S1 over mu, {workers} worker(s), CPU, least of {REPEATS}", min(cpu[workers]), "us/run"
    yield "two workers against one, best of pairs", max(b / a for a, b in zip(*rates.values(), strict=True)), "times"
    for name, axes in (("rho, random", {"rho": "uniform(0.2, 0.4)"}),
                       ("speed, random", {"vary": {"workpiece.velocity.vx": "uniform(0, 0.1)"}}),
                       ("place, random", {"vary": {"workpiece.pose.y": "uniform(0.1, 0.2)"}})):
        began = time.process_time()
        sweep(scene, **axes, samples=CELLS // 8, workers=2)
        yield f"S1 over {name}, CPU", (time.process_time() - began) / (CELLS // 8) * 1e6, "us/run"
    yield from measure_logs(text)
    yield from measure_memory()


def measure_error(result) -> float:
    """Distance of the final place from the exact one [m]."""
    slope = math.radians(30.0)
    away = 0.5 * 9.81 * np.maximum(math.sin(slope) - result["mu"] * math.cos(slope), 0.0)
    start = result.build_scene(0).workpiece.pose
    return float(np.hypot(result["x"] - start.x - away * math.cos(slope),
                          result["y"] - start.y + away * math.sin(slope)).max())


def measure_logs(text: str):
    """With a log of 1000 rows a run."""
    scene = parse_scene(text, overrides={"run.output_interval": 0.001})
    with tempfile.TemporaryDirectory() as folder:
        for workers in (1, 2):
            began, began_cpu = time.perf_counter(), time.process_time()
            path = Path(folder) / f"{workers}.h5"
            sweep(scene, mu=f"0:0.5:{LOGGED}", workers=workers, output=path, log="all")
            rate = LOGGED / (time.perf_counter() - began)
            yield f"S1, every run logged with 1000 rows, {workers} worker(s)", rate, "runs/s"
            yield "  CPU", (time.process_time() - began_cpu) / LOGGED * 1e3, "ms/run"
            parts = list(find_folder(path).iterdir())
            yield f"  logs, {len(parts)} file(s)", sum(part.stat().st_size for part in parts) / LOGGED / 1e3, "kB/run"


def measure_memory():
    """Largest memory of a sweep of many runs into a file, without and with logs of 1000 rows."""
    for cells, log, interval in ((MANY, "none", 1.0), (2 * LOGGED, "all", 0.001)):
        yield from measure_memory_of(cells, log, interval)


def measure_memory_of(cells: int, log: str, interval: float):
    """Largest memory of a sweep."""
    with tempfile.TemporaryDirectory() as folder:
        program = MEMORY.format(half=cells // 2, log=log, interval=interval)
        began = time.perf_counter()
        done = subprocess.run([sys.executable, "-c", program, str(Path(folder) / "s.h5")], capture_output=True,
                              text=True, check=True, cwd=Path(__file__).parents[2])
        first, last = map(int, done.stdout.split())
        rate = cells / (time.perf_counter() - began)
        yield f"{cells} runs into a file, log {log}, start of Python included", rate, "runs/s"
        yield "  memory after a tenth of them", first / 1024, "MB"
        yield "  memory after all", last / 1024, "MB"
