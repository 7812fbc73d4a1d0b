"""Kernels without machine code: the same functions, run by Python, to the same bits.

A kernel sees other kernels as globals of its module. Its twin is the same code on globals in which every kernel is
replaced by its twin, so that a call runs no machine code at all, and nothing changes under it when some becomes ready.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from types import CellType, FunctionType, ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from geometry.compiled.kernel import get_function, is_kernel

_building = threading.RLock()


class Interpreter:
    """The twins of kernels.

    constants: {kernel: {name: value}}, constants of the modules of kernels that shall be others in the twins, such as
    after how much work a call comes back. Raises NameError for one that the kernel does not use.
    """

    def __init__(self, constants: Mapping[Any, Mapping[str, Any]] | None = None):
        self._twins: dict[int, Callable] = {}
        self._globals: dict[int, dict] = {}
        self._spaces: dict[int, SimpleNamespace] = {}
        self._kept: list = []  # what is known by its id lives on
        for kernel, values in (constants or {}).items():
            function = get_function(kernel)
            for name in values.keys() - set(function.__code__.co_names):
                raise NameError(f"{function.__name__} uses no {name}")
            self._take_globals(function.__globals__).update(values)

    def get_twin(self, kernel: Any) -> Callable:
        """The function of a kernel, with all kernels below it as functions too. Python's arithmetic on NumPy's numbers
        goes on after an overflow, as compiled code does, and raises where that raises, for a division by zero."""
        twin = self._get_twin(kernel)

        def call(*arguments):
            with np.errstate(divide="raise", invalid="raise", over="ignore", under="ignore"):
                return twin(*arguments)

        return call

    def _get_twin(self, kernel: Any) -> Callable:
        with _building:
            if id(kernel) not in self._twins:
                function = get_function(kernel)
                cells = tuple(CellType(self._replace(cell.cell_contents)) for cell in function.__closure__ or ())
                twin = FunctionType(function.__code__, self._take_globals(function.__globals__), function.__name__,
                                    function.__defaults__, cells)
                twin.__kwdefaults__ = function.__kwdefaults__
                self._twins[id(kernel)] = twin
                self._kept.append(kernel)
            return self._twins[id(kernel)]

    def _take_globals(self, names: dict) -> dict:
        if id(names) not in self._globals:
            twins = self._globals[id(names)] = dict(names)
            self._kept.append(names)
            for name, value in names.items():
                twins[name] = self._replace(value)
        return self._globals[id(names)]

    def _replace(self, value: Any) -> Any:
        if is_kernel(value):
            return self._get_twin(value)
        if isinstance(value, ModuleType) and any(is_kernel(part) for part in vars(value).values()):
            if id(value) not in self._spaces:
                space = self._spaces[id(value)] = SimpleNamespace()
                self._kept.append(value)
                space.__dict__.update(self._take_globals(vars(value)))
            return self._spaces[id(value)]
        return value


_plain = Interpreter()


def get_twin(kernel: Any) -> Callable:
    """See `Interpreter.get_twin`; without other constants."""
    return _plain.get_twin(kernel)
