"""The one decorator for compiled code.

`jit` is `numba.njit` with machine code kept on disk (see `_machine_code.py`) and these choices:

* `nogil=True`: independent runs may share a process in threads.
* `error_model="python"` (numba's default): a division by zero raises, compiled or not. Kernels promise to return a
  status instead of a NaN or an infinity, so a division by zero is a bug; under the other model, "numpy", compiled code
  would go on with an infinity while the same kernel raises under `NUMBA_DISABLE_JIT=1`. The price is one predictable
  branch a division.
* no `fastmath`, no `parallel`: the same bits in every run, process and thread.

With `NUMBA_DISABLE_JIT=1` `jit` returns the function itself, as `njit` does.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numba
from numba.core import config, types
from numba.core import event as numba_event

from geometry import _machine_code


def jit(function: Callable | None = None, **options):
    """Compile `function` at its first call and keep the machine code for later processes. Usable as `@jit`."""
    if function is None:
        return lambda decorated: jit(decorated, **options)
    dispatcher = numba.njit(nogil=True, **options)(function)
    if not config.DISABLE_JIT:
        _ignore_literals(dispatcher)
        _machine_code.attach_store(dispatcher)
    return dispatcher


def kernel(function: Callable):
    """As `jit`, but callers call by address instead of taking the code into theirs.

    numba otherwise compiles every function again within each of its callers, in their callers, and so on, so that a deep
    program compiles ten times slower than its size asks for. Use it for all but small helpers, which gain from being
    inlined. A call costs about two nanoseconds.
    """
    dispatcher = jit(function)
    if not config.DISABLE_JIT:
        _machine_code.call_by_address(dispatcher)
    return dispatcher


def _ignore_literals(dispatcher) -> None:
    """Compile one kernel for all integers, not one more for every literal 0, 1, 2 ... it is called with.

    Without this, `f(table, 0)` and `f(table, i)` are two specialisations, and so are all kernels below: compile time
    doubles and no kernel gains from it.
    """
    template = dispatcher.get_call_template
    dispatcher.get_call_template = lambda args, kws: template(
        tuple(types.unliteral(a) for a in args), {name: types.unliteral(a) for name, a in kws.items()}
    )


def is_cold(*kernels) -> bool:
    """Whether a call of any of `kernels` would have to compile first, as far as the disk tells. Compiles nothing."""
    return any(not kernel.signatures and not _machine_code.has_stored_code(kernel) for kernel in kernels
               if hasattr(kernel, "signatures"))


class CompileClock(numba_event.Listener):
    """Measures the wall time spent compiling inside a `with` block, and tells when compiling begins.

    `on_start`, if given, is called once, with no argument, when the first kernel is found to need compiling: a run that
    finds all machine code on disk never calls it. `seconds` is 0 in that case. Not for use in two threads at once.
    """

    def __init__(self, on_start: Callable[[], None] | None = None):
        self.seconds = 0.0
        self._on_start = on_start
        self._depth = 0
        self._began = 0.0

    def on_start(self, event):
        # A kernel that calls others compiles them within its own compilation: only the outermost is timed.
        if self._depth == 0:
            self._began = time.perf_counter()
            if self._on_start is not None:
                report, self._on_start = self._on_start, None
                report()
        self._depth += 1

    def on_end(self, event):
        self._depth -= 1
        if self._depth == 0:
            self.seconds += time.perf_counter() - self._began

    def __enter__(self) -> CompileClock:
        numba_event.register("numba:compile", self)
        return self

    def __exit__(self, *unused) -> None:
        numba_event.unregister("numba:compile", self)
