"""Calls of kernels from Python: what answers them, and the entrance that a kernel gets when Python first calls it.

A kernel is compiled without what numba makes for calls from Python, for most are called by other kernels alone.
"""

from __future__ import annotations

import importlib
import pickle
from collections.abc import Callable
from typing import Any

import numba

from geometry.compiled import numba_private


def answer_calls(dispatcher, find: Callable[[Any, tuple], Callable]) -> None:
    """Let `find(dispatcher, arguments)` say what runs when Python calls a kernel that has no entrance for these yet.
    Other calls stay what they are."""
    if numba_private.has(numba_private.ANSWERING):
        dispatcher._compile_for_args = lambda *arguments: find(dispatcher, arguments)


def compile_for_call(dispatcher, arguments: tuple) -> Callable:
    """Compile or load what Python needs to call a kernel with these arguments; returns it."""
    if not numba_private.has(numba_private.BARE):
        return type(dispatcher)._compile_for_args(dispatcher, *arguments)
    entry = type(dispatcher)._compile_for_args(get_entrance(dispatcher), *arguments)
    if not dispatcher.stiction_counted:
        for result in get_entrance(dispatcher).overloads.values():
            if "array(" in str(result.signature.return_type):  # Python would give back a reference that nobody counted
                raise TypeError(f"{dispatcher.py_func.__qualname__} hands out arrays of its caller: from Python, call "
                                "its function (`get_function`)")
    dispatcher._insert([numba.typeof(argument)._code for argument in arguments], entry, False)
    return entry


def get_entrance(dispatcher) -> Any:
    """The kernel that Python calls in the place of another: it has what numba makes for calls from Python."""
    if not numba_private.has(numba_private.BARE):
        return dispatcher
    if not hasattr(dispatcher, "stiction_entrance"):
        function = dispatcher.py_func
        names = ", ".join(function.__code__.co_varnames[: function.__code__.co_argcount])
        text = f"def entrance({names}): return kernel({names})"
        space = {"kernel": dispatcher, "__name__": function.__module__}
        exec(compile(text, function.__code__.co_filename, "exec"), space)
        space["entrance"].__qualname__ = function.__qualname__ + ".entrance"
        entrance = numba.njit(nogil=True, no_cfunc_wrapper=True)(space["entrance"])
        if hasattr(store := numba_private.get_store(dispatcher), "make_another"):
            numba_private.set_store(entrance, store.make_another(space["entrance"]))
        dispatcher.stiction_entrance = entrance
    return dispatcher.stiction_entrance


def get_types(arguments: tuple) -> tuple | None:
    """numba's types of values, None if one has none."""
    try:
        return tuple(map(numba.typeof, arguments))
    except (TypeError, ValueError):
        return None


def pack_request(dispatcher, kinds: tuple, called: bool) -> bytes:
    """A kernel and types to compile it for, for another process; called: by Python."""
    function = dispatcher.py_func
    return numba_private.dump((function.__module__, function.__qualname__, kinds, called))


def fulfil(request: bytes) -> None:
    """Compile what `pack_request` asked for. May raise anything."""
    module, name, kinds, called = pickle.loads(request)
    dispatcher = getattr(importlib.import_module(module), name)
    (get_entrance(dispatcher) if called else dispatcher).compile(kinds)
