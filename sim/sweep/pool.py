"""Where the batches of a sweep run, and how large they are."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from sim.sweep.batch import Batch, BatchRunner
from sim.sweep.plan import Plan
from sim.sweep.stop import StopSign
from sim.tolerances import CLOCK_TICK

MOST_IN_BATCH = 4096
MOST_BYTES = 32 * 2**20  # of logs in a batch: what sweeps hold in memory stays the same for any number of runs


class ThreadPool:
    """Threads of this process."""

    # A batch takes about this long [s], so that a kill loses little and handing over costs nothing. A run that takes
    # longer is a batch of its own.
    batch_time = 0.2

    def __init__(self, runner: BatchRunner, plan: Plan, stop: StopSign, workers: int):
        self._runner, self._plan, self._stop = runner, plan, stop
        self.in_flight = workers + 1
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="stiction")

    def submit(self, cells: list[int]) -> Future:
        return self._pool.submit(self._runner.run, cells, self._plan.get_table(cells), self._stop.is_set,
                                 self._stop.is_hard)

    def wait(self, pending) -> list[tuple[Future, Batch]]:
        """The batches that have ended, after half a second at most."""
        return [(future, future.result()) for future in wait(pending, 0.5, return_when=FIRST_COMPLETED).done]

    def close(self) -> None:
        """Wait for the threads."""
        self._pool.shutdown()


def run_batches(pool, missing: Iterator[int], stop: StopSign) -> Iterator[Batch]:
    """The batches of all missing cells, as they end; after a stop those that are going on."""
    size, pending = 1, {}
    try:
        while True:
            while not stop.is_set() and len(pending) < pool.in_flight:
                cells = [cell for _, cell in zip(range(size), missing, strict=False)]
                if not cells:
                    break
                pending[pool.submit(cells)] = len(cells)
            if not pending or stop.is_hard():
                return
            for future, batch in pool.wait(pending):
                if pending.pop(future) == size:
                    wanted = round(size * pool.batch_time / max(batch.seconds, CLOCK_TICK))
                    fitting = size * MOST_BYTES // max(batch.n_bytes, 1)
                    size = max(1, min(wanted, fitting, 4 * size, MOST_IN_BATCH))
                yield batch
    except BaseException:
        stop.set_hard()
        raise
    finally:
        pool.close()
