"""Runs that a search asks for, at any values of the axes of a sweep: in threads, and the same words each time."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from sim.sweep.axes import SweepError
from sim.sweep.cells import Study
from sim.sweep.refine.bisection import UNKNOWN
from sim.sweep.resume import make_record
from sim.sweep.stop import StopSign
from sim.sweep.sweep import count_workers, make_runner
from sim.sweep.sweep_result import Sweep
from sim.sweep.table import TEXT_FIELDS

BATCHES = 8  # for each thread, of the runs that are asked for at once


class Asker:
    """A `with` block in which runs of a sweep's scene can be asked for; after Ctrl-C what is left is UNKNOWN.

    words: those that are known from the start; codes are places among them, and new ones are appended.
    """

    def __init__(self, sweep: Sweep, of: str, words=(), workers: int | None = None):
        """Raises SweepError for a sweep that this version of the program has not made."""
        self.words = list(words)
        self._codes = {word: code for code, word in enumerate(self.words)}
        self._workers = count_workers(workers)
        record, plan = sweep.record, sweep.plan
        study = Study(record.text, record.source or None, plan.axes)
        self._runner = make_runner(study, plan)
        difference = make_record(study, plan, self._runner).find_difference(record)
        if difference:
            raise SweepError(f"cannot refine: {difference}. Run the sweep again first")
        self.n_runs = 0
        self._is_warm = False
        self._teller = sweep.make_teller(of, self._runner.outcomes)
        self.known = self.encode(map(str, sweep[of]))  # (n,) codes of the rows of the sweep

    def __enter__(self) -> Asker:
        self._runner.warm_up()
        self._stop = StopSign()
        self._stop.__enter__()
        self._pool = ThreadPoolExecutor(self._workers, thread_name_prefix="stiction")
        return self

    def __exit__(self, kind, *unused) -> None:
        if kind is not None:
            self._stop.set_hard()
        self._pool.shutdown()
        self._stop.__exit__()

    def ask(self, points: np.ndarray) -> np.ndarray:
        """(n,) codes at points (n, axes), in the order asked for whatever thread had them: the words get the same
        numbers each time. UNKNOWN where a stop came first."""
        raw = [] if self._is_warm else self._run(points[:1].tolist())  # compiles, alone
        self._is_warm, rest = True, points[len(raw) :]
        size = max(1, math.ceil(len(rest) / (BATCHES * self._workers)))
        batches = [rest[first : first + size].tolist() for first in range(0, len(rest), size)]
        raw += [word for batch in self._pool.map(self._run, batches) for word in batch]
        codes = self.encode(raw)
        self.n_runs += int((codes != UNKNOWN).sum())
        return codes

    def encode(self, words) -> np.ndarray:
        """(n,) codes of words; of None UNKNOWN."""
        codes = []
        for word in words:
            if word is not None and word not in self._codes:
                self._codes[word] = len(self.words)
                self.words.append(word)
            codes.append(UNKNOWN if word is None else self._codes[word])
        return np.array(codes, dtype=np.int64)

    def _run(self, points: list[list[float]]) -> list:
        """Words of some runs, None for those that a stop leaves out; all in one call of compiled code."""
        table, texts = self._runner.run_batch(range(len(points)), np.array(points), self._stop.is_set,
                                              self._stop.is_hard)
        found: list[str | None] = [None] * len(points)
        names = table.dtype.names or ()
        for row in table.tolist():
            found[row[0]] = self._teller.tell(tuple(
                texts[value] if name in TEXT_FIELDS else value for name, value in zip(names, row, strict=True)))
        return found
