"""The one decorator for compiled code.

`jit` is `numba.njit` with machine code kept on disk (see `machine_code.py`) and these choices:

* `nogil=True`: independent runs may share a process in threads.
* `error_model="python"` (numba's default): a division by zero raises, compiled or not. Kernels promise to return a
  status instead of a NaN or an infinity, so a division by zero is a bug; under the other model, "numpy", compiled code
  would go on with an infinity while the same kernel raises under `NUMBA_DISABLE_JIT=1`. The price is one predictable
  branch a division.
* no `fastmath`, no `parallel`: the same bits in every run, process and thread.

A call from Python for which there is no machine code yet does not wait for any, see `cold_code.py`.

With `NUMBA_DISABLE_JIT=1` `jit` returns the function itself, as `njit` does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, overload

from geometry.compiled.code_folder import get_state
from geometry.compiled.kernel import Kernel, is_disabled

F = TypeVar("F", bound=Callable)


@overload
def jit(function: F) -> F: ...
@overload
def jit(*, private: bool | None = None, merged: bool = False, counted: bool = False) -> Callable[[F], F]: ...
def jit(function: Callable | None = None, *, private: bool | None = None, merged: bool = False,
        counted: bool = False) -> Any:
    """Compile `function` when it is needed and keep the machine code for later processes. Usable as `@jit`.

    One that is `merged` becomes part of its callers and is not compiled by itself. `private` says to readers that
    compiled code alone calls it: an entrance for Python is made only for a kernel that Python calls. A kernel makes no
    array: work memory is handed in, and so nobody need count references to it. An atomic count up and down for each
    array of each call took half the time of a run, whose kernels are small and many. One that makes arrays all the same
    is `counted`.
    """
    if function is None:
        return lambda decorated: _declare(decorated, merged, counted)
    return _declare(function, merged, counted)


def _declare(function: Callable, merged: bool, counted: bool, by_address: bool = False) -> Any:
    if is_disabled():
        return function
    get_state()  # what is imported from now on is what the machine code is of

    def make(kernel: Kernel) -> Any:
        from geometry.compiled import arguments, cold_code, entrances, machine_code, numba_private

        dispatcher = numba_private.declare(function, merged, counted)
        arguments.unify_arguments(dispatcher)
        arguments.check_returned(dispatcher)
        machine_code.attach_store(dispatcher)
        entrances.answer_calls(kernel, dispatcher, cold_code.find_code)
        if by_address:
            machine_code.call_by_address(dispatcher)
        return dispatcher

    return Kernel(function, make)


@overload
def kernel(function: F) -> F: ...
@overload
def kernel(*, counted: bool) -> Callable[[F], F]: ...
def kernel(function: Callable | None = None, *, counted: bool = False) -> Any:
    """As `jit`, but callers call by address instead of taking the code into theirs.

    numba otherwise compiles every function again within each of its callers, in their callers, and so on, so that a
    deep program compiles ten times slower than its size asks for. Use it for all but small helpers, which gain from
    being inlined. A call costs about two nanoseconds. `counted`: as for `jit`.
    """
    if function is None:
        return lambda decorated: _declare(decorated, False, counted, by_address=True)
    return _declare(function, False, counted, by_address=True)
