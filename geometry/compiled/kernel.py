"""A kernel as Python sees it. Knows numba only where one has to be compiled, loaded, or called by itself.

numba takes a third of a second to import, and what it makes of all kernels of a run another tenth. A run whose machine
code lies on disk as one program (`program.py`) needs neither: so a kernel is its function at first, and becomes a numba
function when somebody asks for what only that has.
"""

from __future__ import annotations

import functools
import os
import sys
import threading
from collections.abc import Callable
from pkgutil import resolve_name
from typing import Any

SETTINGS_FILE = ".numba_config.yaml"  # which numba reads in the working folder

_making = threading.RLock()
_when_loaded: list[Callable[[], None]] = []
_loaded = [False]


class Kernel:
    """A function to be compiled: calls, and attributes that it lacks, are those of the numba function.

    make: called once with the kernel, returns the numba function.
    """

    def __init__(self, function: Callable, make: Callable[[Kernel], Any]):
        functools.update_wrapper(self, function)
        self.py_func = function
        self._make = make
        self.entrance: Any = None  # what Python calls in its place, see `entrances.py`
        self.framed: Any = None  # and what takes the address of a frame, see `numba_frame.py`

    @functools.cached_property
    def dispatcher(self) -> Any:
        """The numba function."""
        with _making:
            if "dispatcher" not in self.__dict__:
                self.__dict__["dispatcher"] = self._make(self)
            return self.__dict__["dispatcher"]

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self.dispatcher(*arguments, **named)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # copies, signatures and the like ask for names that numba functions lack too
            raise AttributeError(name)
        return getattr(self.dispatcher, name)

    def __repr__(self) -> str:
        return f"<kernel {self.py_func.__module__}.{self.py_func.__qualname__}>"

    def __reduce__(self) -> tuple:
        return resolve_name, (f"{self.py_func.__module__}:{self.py_func.__qualname__}",)


def is_kernel(value: Any) -> bool:
    return isinstance(value, Kernel)


def get_function(kernel: Any) -> Any:
    """The function of a kernel; the kernel itself where nothing is compiled."""
    return getattr(kernel, "py_func", kernel)


def is_disabled() -> bool:
    """Whether functions run uncompiled (NUMBA_DISABLE_JIT)."""
    if "numba" not in sys.modules and not os.environ.get("NUMBA_DISABLE_JIT") and not os.path.exists(SETTINGS_FILE):
        return False
    from numba import config

    return bool(config.DISABLE_JIT)


def when_numba_is_loaded(act: Callable[[], Callable[[], None]]) -> Callable[[], None]:
    """Call `act` as soon as this process has imported numba, which may be never; returns what ends its effect: what
    `act` has returned, or that it is not called any more."""
    if _loaded[0]:
        return act()
    ends: list[Callable[[], None]] = []

    def begin() -> None:
        ends.append(act())

    def end() -> None:
        if begin in _when_loaded:
            _when_loaded.remove(begin)
        for stop in ends:
            stop()

    _when_loaded.append(begin)
    return end


def is_numba_loaded() -> bool:
    """Whether this process has what compiles and calls kernels."""
    return _loaded[0]


def tell_numba_is_loaded() -> None:
    """Of `numba_private.py`, when it is ready."""
    _loaded[0] = True
    while _when_loaded:
        _when_loaded.pop(0)()
