"""How fast rows are appended to a log and read back; appending must stay linear up to a million rows."""

import tempfile
import time
from pathlib import Path

import numpy as np

from sim.log.reading import read_trajectory
from sim.log.sink import H5Sink
from sim.rows.account import Account
from sim.rows.status import Status
from tests.sim.synthetic import make_record, make_rows

ROWS = 1_000_000
CHUNK = 5_000


def run():
    """Yield (name, value, unit)."""
    blocks = make_rows(0, CHUNK, np.random.default_rng(0))
    steps, contacts, events, impulses = blocks
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.h5"
        start = time.perf_counter()
        marks = [time.process_time()]
        with H5Sink(path, make_record(), rows_hint=ROWS) as sink:
            for first in range(0, ROWS, CHUNK):
                steps["first_contact"] = np.arange(first, first + CHUNK) * 2
                sink.write(steps, contacts, events, impulses)
                if (first + CHUNK) % (ROWS // 10) == 0:
                    marks.append(time.process_time())
            sink.close(Status.COMPLETED, Account())
        tenths = np.diff(marks)
        yield "storage: append 1e6 steps with 2e6 contacts", time.perf_counter() - start, "s"
        yield "storage: CPU of last half / first half (linear: 1)", tenths[5:].sum() / tenths[:5].sum(), "1"
        yield "storage: size of that log", path.stat().st_size / 2**20, "MiB"
        start = time.perf_counter()
        read_trajectory(path)
        yield "storage: read it back", time.perf_counter() - start, "s"
        start = time.perf_counter()
        with H5Sink(Path(folder) / "small.h5", make_record()) as sink:
            for first in range(20):
                sink.write(*make_rows(first * 50, 50, np.random.default_rng(first)))
            sink.close(Status.COMPLETED, Account())
        yield "storage: small log, 20 flushes of 50 steps", time.perf_counter() - start, "s"
        yield "storage: size of the small log", (Path(folder) / "small.h5").stat().st_size / 2**20, "MiB"


if __name__ == "__main__":
    for name, value, unit in run():
        print(f"{name:<50} {value:10.4g} {unit}")
