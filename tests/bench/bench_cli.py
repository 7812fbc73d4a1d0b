"""Whole processes, as a user waits for them: --help, a cold first run, when its code is compiled, a warm run."""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

COMMAND = [sys.executable, "-m", "sim.cli"]


def time_command(arguments: list[str], cache: Path, repeats: int) -> float:
    """Median wall time of a command, s; it must succeed."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache), "STICTION_COMPILE": "background"}
    seconds = []
    for _ in range(repeats):
        began = time.perf_counter()
        subprocess.run(COMMAND + arguments, env=environment, check=True, capture_output=True)
        seconds.append(time.perf_counter() - began)
    return statistics.median(seconds)


def wait_for_code(cache: Path) -> float:
    """Seconds until nothing more is asked for and nobody compiles; at most ten minutes."""
    began = time.perf_counter()
    while any(cache.rglob("*wanted-*")) and time.perf_counter() < began + 600.0:
        time.sleep(0.1)
    return time.perf_counter() - began


def run():
    """Yields (name, value, unit)."""
    folder = Path(tempfile.mkdtemp(prefix="stiction-bench-"))
    try:
        log, cache = str(folder / "a.h5"), folder / "cache"
        yield "stiction --help", time_command(["--help"], cache, 9), "s"
        yield "stiction scenes", time_command(["scenes"], cache, 5), "s"
        run_peg = ["run", "peg_in_hole", "-o", log]
        cold = time_command(run_peg, cache, 1)
        yield "stiction run peg_in_hole, cold (interpreted)", cold, "s"
        yield "from its start until a run is handed over to compiled code", cold + wait_for_code(cache), "s"
        yield "stiction run peg_in_hole, warm", time_command(run_peg, cache, 5), "s"
        yield "stiction check LOG", time_command(["check", log], cache, 5), "s"
        gif = str(folder / "a.gif")
        yield "stiction replay LOG --save a.gif", time_command(["replay", log, "--save", gif], cache, 1), "s"
    finally:
        shutil.rmtree(folder)
