"""Calls of kernels from Python: what answers them, and the entrance that a kernel gets when Python first calls it.

A kernel is compiled without what numba makes for calls from Python, for most are called by other kernels alone.
"""

from __future__ import annotations

import importlib
import pickle
from collections.abc import Callable
from typing import Any

from geometry.compiled.kernel import Kernel


def answer_calls(kernel: Kernel, dispatcher, find: Callable[[Any, tuple], Callable]) -> None:
    """Let `find(kernel, arguments)` say what runs when Python calls a kernel that has no entrance for these yet.
    Other calls stay what they are."""
    from geometry.compiled import numba_private

    if numba_private.has(numba_private.ANSWERING):
        dispatcher._compile_for_args = lambda *arguments: find(kernel, arguments)


def compile_for_call(kernel: Kernel, arguments: tuple) -> Callable:
    """Compile or load what Python needs to call a kernel with these arguments; returns it."""
    import numba

    from geometry.compiled import numba_private

    entrance = get_entrance(kernel)
    entry = type(entrance)._compile_for_args(entrance, *arguments)
    if not numba_private.has(numba_private.BARE):
        return entry
    if not kernel.stiction_counted:
        for result in entrance.overloads.values():
            if "array(" in str(result.signature.return_type):  # Python would give back a reference that nobody counted
                raise TypeError(f"{kernel.py_func.__qualname__} hands out arrays of its caller: from Python, call "
                                "its function (`get_function`)")
    kernel.dispatcher._insert([numba.typeof(argument)._code for argument in arguments], entry, False)
    return entry


def get_entrance(kernel: Kernel) -> Any:
    """The numba function that Python calls in the place of a kernel: it has what numba makes for calls from Python."""
    from geometry.compiled import numba_private

    if not numba_private.has(numba_private.BARE):
        return kernel.dispatcher
    if kernel.entrance is None:
        names = _list_names(kernel)
        text = f"def entrance({names}): return kernel({names})"
        kernel.entrance = numba_private.declare_beside(kernel, "entrance", text, {}, nogil=True, no_cfunc_wrapper=True)
    return kernel.entrance


def can_frame() -> bool:
    """Whether kernels can be called by the address of a frame."""
    from geometry.compiled import numba_private as numba

    return all(map(numba.has, (numba.FRAMING, numba.KEEPING, numba.BY_ADDRESS, numba.BARE, numba.COUNTING)))


def find_entrance(kernel: Kernel, kinds: tuple, framed: bool) -> tuple[Any, tuple]:
    """The numba function by which Python calls a kernel, and the types that it takes then; framed: by the address of a
    frame, see `numba_frame.py`."""
    if not framed:
        return get_entrance(kernel), kinds
    from geometry.compiled import numba_frame

    return numba_frame.get_entrance(kernel), numba_frame.make_kinds(kinds)


def _list_names(kernel: Kernel) -> str:
    code = kernel.py_func.__code__
    return ", ".join(code.co_varnames[: code.co_argcount])


def get_types(arguments: tuple) -> tuple | None:
    """numba's types of values, None if one has none."""
    import numba

    try:
        return tuple(map(numba.typeof, arguments))
    except (TypeError, ValueError):
        return None


# How what is asked for is called: by other kernels, by Python, by Python with a frame.
INSIDE, CALLED, FRAMED = 0, 1, 2


def pack_request(kernel: Kernel, kinds: tuple, called: int) -> bytes:
    """A kernel and types to compile it for, for another process; called: INSIDE, CALLED or FRAMED."""
    from geometry.compiled import numba_private

    return numba_private.dump((kernel.py_func.__module__, kernel.py_func.__qualname__, kinds, called))


def fulfil(request: bytes) -> None:
    """Compile what `pack_request` asked for. May raise anything."""
    module, name, kinds, called = pickle.loads(request)
    function = kernel = getattr(importlib.import_module(module), name)
    if called != INSIDE:
        function, kinds = find_entrance(kernel, kinds, called == FRAMED)
    function.compile(kinds)
