"""A sweep on the workers of a dask.distributed cluster.

A worker gets the scene, the keys that vary and the values of a batch of cells, and gives back their rows and logs as
arrays, so that no folder need be shared; all are written here. When a worker dies, the scheduler gives its
batches to another one, and since a row depends on nothing but its values, the table is the same.

How large a batch is: it takes at least a second, and a hundredth of a second for each thread of the cluster if that is
more. So all threads together hand over a hundred batches a second at most, where a scheduler manages about a thousand.
Every thread has one batch and another that waits.
"""

from __future__ import annotations

import dataclasses
import pickle
import queue
import secrets
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import numpy as np

from sim.sweep.axes import SweepError
from sim.sweep.batch import Batch, BatchRunner
from sim.sweep.cells import CellRunner, Study
from sim.sweep.plan import Plan

LEAST_TIME, TIME_PER_THREAD = 1.0, 0.01  # s
PATIENCE = 10  # s to wait for a scheduler, and for its first worker

_building = threading.Lock()


def pack_study(study: Study, sound, kernels: str) -> bytes:
    """What a worker must know before it gets batches. Values come with these, so the axes need none.

    sound: the values of a cell that can be run; kernels: hash of the sources that rows depend on.
    """
    bare = tuple(dataclasses.replace(axis, values=np.zeros(0)) for axis in study.axes)
    return zlib.compress(pickle.dumps((dataclasses.replace(study, axes=bare), tuple(sound), kernels)))


@contextmanager
def connect(client: Any) -> Iterator[Any]:
    """A dask.distributed.Client from one, which stays open, or from the address of a scheduler. Raises SweepError."""
    try:
        import distributed
    except ImportError:
        raise SweepError('a cluster needs dask.distributed, which is not installed: pip install "stiction[cluster]"'
                         ) from None
    if isinstance(client, distributed.Client):
        if client.asynchronous:
            raise SweepError("client: an asynchronous Client cannot be waited for; give one with asynchronous=False")
        yield client
        return
    if not isinstance(client, str) or "://" not in client:
        raise SweepError(f"cluster = {client!r}: must be the address of a scheduler, such as tcp://host:8786, or a "
                         "dask.distributed.Client")
    try:
        own = distributed.Client(client, timeout=PATIENCE, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise SweepError(f"cluster = {client}: no scheduler answers there ({error}); start one with `dask scheduler`, "
                         "and workers with `dask worker`") from None
    with own:
        yield own


class ClusterPool:
    """The workers of a cluster, as a place for batches."""

    def __init__(self, client, payload: bytes, plan: Plan, log: str):
        """payload: of `pack_study`. Raises SweepError where the cluster has no workers."""
        from distributed import TimeoutError as TooLate

        self._client, self._payload, self._plan, self._log = client, payload, plan, log
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except (TooLate, TimeoutError):
            raise SweepError(f"the cluster at {client.scheduler.address} has no workers; start some with `dask worker "
                             f"{client.scheduler.address}`") from None
        threads = max(1, sum(client.nthreads().values()))
        self.batch_time = max(LEAST_TIME, TIME_PER_THREAD * threads)
        self.in_flight = 2 * threads
        self._futures: set = set()
        self._ended: queue.SimpleQueue = queue.SimpleQueue()

    def submit(self, cells: list[int]):
        # A key of its own: nobody else's batches are mistaken for it.
        future = self._client.submit(run_remote, self._payload, cells, self._plan.get_table(cells), self._log,
                                     key=f"stiction-{cells[0]}-{secrets.token_hex(8)}", pure=False)
        self._futures.add(future)
        future.add_done_callback(self._ended.put)
        return future

    def wait(self, pending) -> list[tuple[Any, Batch]]:
        """A batch that has ended, or nothing after half a second. Raises SweepError, WriteError."""
        self.in_flight = 2 * max(1, sum(self._client.nthreads().values()))
        try:
            future = self._ended.get(timeout=0.5)
        except queue.Empty:
            return []
        return [(future, self._take(future))]

    def _take(self, future) -> Batch:
        batch = self._fetch(future)
        self._futures.discard(future)
        future.release()
        return batch

    def _fetch(self, future) -> Batch:
        from concurrent.futures import CancelledError

        from distributed import KilledWorker

        try:
            return future.result()
        except KilledWorker as error:
            raise SweepError(f"workers died again and again in the same batch ({error}); the rows that came are kept, "
                             "go on with resume (--resume)") from error
        except CancelledError as error:
            raise SweepError("the scheduler has gone; the rows that came are kept, go on with resume (--resume)"
                             ) from error
        except ModuleNotFoundError as error:
            raise SweepError(f"a worker cannot run cells: {error}; install this version of stiction there") from error

    def close(self) -> None:
        """Let go of batches that nobody waits for."""
        if self._futures:
            self._client.cancel(list(self._futures))


# ---- in a worker -----------------------------------------------------------------------------------------------------


def run_remote(payload: bytes, cells: list[int], values: np.ndarray, log: str) -> Batch:
    """A batch. Raises SweepError where this is another version."""
    with _building:  # of several threads one makes the runner
        runner = _make_runner(payload, log)
    return runner.run(cells, values)


@lru_cache(maxsize=4)
def _make_runner(payload: bytes, log: str) -> BatchRunner:
    from geometry.compiled.code_folder import compute_source_hash, get_state

    study, sound, kernels = pickle.loads(zlib.decompress(payload))
    own = compute_source_hash(get_state().root, get_state().archive)
    if own != kernels:
        raise SweepError(f"a worker has another version of the program ({own[:12]}, here {kernels[:12]}); install this "
                         "one there")
    runner = CellRunner(study, sound)
    runner.warm_up()
    return BatchRunner(runner, log)
