"""How fast rows are appended to a log and read back, and how large it is: a million rows of runs; appending must stay
linear."""

import tempfile
import time
from pathlib import Path

import numpy as np

from sim.log.reading import read_trajectory
from sim.log.sink import H5Sink
from sim.rows.account import Account
from sim.rows.records import CONTACT_DTYPE, EVENT_DTYPE
from sim.rows.status import Status
from sim.run.simulation import simulate
from sim.scene.build import load_scene
from tests.sim.synthetic import make_record, make_rows

ROWS = 1_000_000
OWN = 20_000  # rows of a run, that are written again and again
CHUNK = 1022  # rows that a run hands over at once
NOTHING = np.zeros(0, EVENT_DTYPE), np.zeros(0, CONTACT_DTYPE)


def run():
    """Yield (name, value, unit)."""
    with tempfile.TemporaryDirectory() as folder:
        for name, words in (("peg_in_hole", "a peg goes in and rests"), ("bouncing_block", "free flight, mostly"),
                            ("block_on_incline", "a block slides on two points")):
            yield from measure(Path(folder) / "bench.h5", load_scene(name), words)
        steps, contacts = make_rows(0, CHUNK, np.random.default_rng(0), contacts_a_step=4)[:2]
        yield from measure_rows(Path(folder) / "bench.h5", steps, contacts, "4 contacts, every bit random")
        start = time.perf_counter()
        with H5Sink(Path(folder) / "small.h5", make_record()) as sink:
            for first in range(20):
                sink.write(*make_rows(first * 50, 50, np.random.default_rng(first)))
            sink.close(Status.COMPLETED, Account())
        yield "small log, 20 writes of 50 steps", time.perf_counter() - start, "s"
        yield "  size", (Path(folder) / "small.h5").stat().st_size / 1e6, "MB"


def measure(path, scene, words):
    """A log of the rows of a run."""
    found = simulate(scene, output_interval=scene.run.duration / OWN)
    yield from measure_rows(path, found.steps, found.contacts, words)


def measure_rows(path, steps, contacts, words):
    """A log of ROWS rows: these, one time after the other."""
    start, marks, written, n_contacts, own = time.perf_counter(), [time.process_time()], 0, 0, 0
    with H5Sink(path, make_record(), rows_hint=ROWS) as sink:
        while written < ROWS:
            block = steps[own : own + CHUNK].copy()
            first, end = block["first_contact"][0], block["first_contact"][-1] + block["n_contacts"][-1]
            block["first_contact"] += n_contacts - first
            sink.write(block, contacts[first:end], *NOTHING)
            n_contacts += end - first
            if (written + len(block)) * 10 // ROWS > written * 10 // ROWS:
                marks.append(time.process_time())
            written += len(block)
            own = own + CHUNK if own + CHUNK < len(steps) else 0
        sink.close(Status.COMPLETED, Account())
    tenths = np.diff(marks)
    yield f"1e6 rows, {n_contacts / written:.2g} contacts each: {words}", path.stat().st_size / 1e6, "MB"
    yield "  append", time.perf_counter() - start, "s"
    yield "  CPU of last half / first half (linear: 1)", tenths[5:].sum() / tenths[:5].sum(), "1"
    start = time.perf_counter()
    read_trajectory(path)
    yield "  read it back", time.perf_counter() - start, "s"


if __name__ == "__main__":
    for name, value, unit in run():
        print(f"{name:<64} {value:10.4g} {unit}")
