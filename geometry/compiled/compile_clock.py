"""How long compiling takes, and the moment it begins."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

from geometry.compiled.kernel import when_numba_is_loaded

# The compiler makes millions of objects that live on: looking through them for garbage takes a tenth of its time.
COLLECT_SELDOM = 200_000


class CompileClock:
    """Measures the wall time spent compiling inside a `with` block, and tells when compiling begins.

    `on_start`, if given, is called once, with no argument, when the first kernel is found to need compiling: a run that
    finds all machine code on disk never calls it. `seconds` is 0 in that case. Not for use in two threads at once.
    """

    def __init__(self, on_start: Callable[[], None] | None = None):
        self.seconds = 0.0
        self._on_start = on_start
        self._depth = 0
        self._began = 0.0
        self._thresholds = gc.get_threshold()
        self._end_watch: Callable[[], None]

    def _start(self, event: object) -> None:
        # A kernel that calls others compiles them within its own compilation: only the outermost is timed.
        if self._depth == 0:
            self._began = time.perf_counter()
            gc.set_threshold(COLLECT_SELDOM, *self._thresholds[1:])
            if self._on_start is not None:
                report, self._on_start = self._on_start, None
                report()
        self._depth += 1

    def _end(self, event: object) -> None:
        self._depth -= 1
        if self._depth == 0:
            gc.set_threshold(*self._thresholds)
            self.seconds += time.perf_counter() - self._began

    def _watch(self) -> Callable[[], None]:
        from geometry.compiled.numba_private import watch_compiler

        return watch_compiler(self._start, self._end)

    def __enter__(self) -> CompileClock:
        self._end_watch = when_numba_is_loaded(self._watch)
        return self

    def __exit__(self, *unused) -> None:
        self._end_watch()
