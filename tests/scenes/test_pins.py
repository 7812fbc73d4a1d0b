"""A run of each built-in scene is as pinned in `pins.toml`, and the same to the last bit in threads, in sweeps by any
number of workers, without compiled code, and when it goes on in compiled code in its middle. To renew the table:
`python -m tests.scenes.pins --renew`."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np
import pytest

import scenes
from sim import simulate
from sim.run import cold_start
from sim.sweep.sweep import sweep
from tests.scenes.pins import describe_machine, digest_rows, list_changes, read_pins

COMPILED = not numba.config.DISABLE_JIT
SLOW = ("conveyor", "peg_in_hole", "shaken_plate", "step_down", "tilting_tray", "tray_tilt", "vibratory_bowl_track",
        "vibratory_track", "wiper")  # to be interpreted
QUICK = [name for name in scenes.names() if COMPILED or name not in SLOW]


@functools.cache
def run_scene(name):
    return simulate(name)


def test_every_scene_is_pinned():
    pins = read_pins()
    assert sorted(pins["run"]) == scenes.names()
    assert pins["digest"] and all(sorted(digests) == scenes.names() for digests in pins["digest"].values())


@pytest.mark.parametrize("name", QUICK)
def test_a_run_is_as_pinned(name):
    """Its end to 1e-9, its numbers of steps and events; and every row to the last bit, on a kind of machine that has
    pinned them."""
    assert list_changes(name, run_scene(name), read_pins()) == []


def test_this_kind_of_machine_has_pinned_the_last_bits():
    if describe_machine() not in read_pins()["digest"]:
        pytest.skip(f"no digests are pinned on this kind of machine: {describe_machine()}")


def test_runs_in_threads_are_the_same_to_the_last_bit():
    alone = [digest_rows(run_scene(name)) for name in QUICK]
    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(lambda name: digest_rows(simulate(name)), QUICK)) == alone


@pytest.mark.parametrize("name", ["bouncing_block", "ladder", "part_in_tray_corner", "conveyor", "tilting_tray"])
def test_a_sweep_is_the_same_for_any_number_of_workers(name):
    duration = run_scene(name).scene.run.duration
    axes = {"workpiece.mass": [0.1, 0.3, 1.0], "run.duration": [0.04 * duration * k for k in range(1, 6)]}
    tables = [sweep(name, vary=axes, workers=workers).table for workers in (1, 2, 3)]
    assert len(tables[0]) == 15 and np.isfinite(tables[0]["x"]).all()
    assert tables[0].tobytes() == tables[1].tobytes() == tables[2].tobytes()


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled here")
def test_runs_without_compiled_code_are_the_same_to_the_last_bit():
    """Compiled code reorders no sum, fuses no product with a sum and takes sines from the same library."""
    names = ["block_tips", "bouncing_block", "erdmann_figure_5", "ladder", "painleve_rod", "part_in_tray_corner"]
    plain = subprocess.run([sys.executable, "-m", "tests.scenes.pins", "--digests", *names], text=True, check=True,
                           capture_output=True, env={**os.environ, "NUMBA_DISABLE_JIT": "1"})
    assert plain.stdout.split() == [digest_rows(run_scene(name)) for name in names]


class Seams:
    """Lets calls of the engine be interpreted, one phase each, and compiled, by turns."""

    def __init__(self, monkeypatch, pattern):
        self.pattern, self.calls, self.interpreted = pattern, 0, 0
        monkeypatch.setattr(cold_start, "INTERPRETED_TIME", 0.0)
        monkeypatch.setattr(cold_start, "is_ready", self.is_ready)

    def is_ready(self, kernel, arguments, run):
        ready = self.pattern(self.calls)
        self.calls += 1
        self.interpreted += not ready
        return ready


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled here")
@pytest.mark.parametrize("name", scenes.names())
def test_a_run_that_is_handed_over_is_the_same_to_the_last_bit(name, monkeypatch):
    """The first phases are interpreted, and the rest compiled: the seam after 1, 4 and 20 of them."""
    whole = digest_rows(run_scene(name))
    account = vars(run_scene(name).account)
    for seam in (1, 4, 20):
        seams = Seams(monkeypatch, lambda call, seam=seam: call >= seam)
        trajectory = simulate(name)
        assert digest_rows(trajectory) == whole, f"handed over after {seam} phases"
        assert all(value == account[key] for key, value in vars(trajectory.account).items() if "wall" not in key)
        assert seams.interpreted == min(seam, seams.calls)
