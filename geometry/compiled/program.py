"""A kernel with all that it calls as one file of machine code, loaded by LLVM alone.

Loading two hundred kernels one by one through numba takes half a second, of which a fiftieth is LLVM's. So when a
kernel has been compiled or loaded by numba, its machine code and that of all kernels below it are written into one
file. The next process loads that, and does not import numba at all.

numba also reads nested tuples of eighty arrays anew at every call, by calls of Python. So a kernel that is a program
takes the address of a *frame*: words that are written once, and later only where an argument is another object than the
time before. A number is one word, a record its address; an array is (size, bytes of an item, address, shape, strides);
a tuple is what it holds, in order.

A symbol that cannot be resolved ends a process. So a file is first loaded by another process, and kept if that lives.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from geometry.compiled.shared_files import read_sealed, write_sealed

# How long [s] another process may take to load a program, several hundred times what it needs.
LONGEST_TRIAL = 60.0

# ---- arguments -------------------------------------------------------------------------------------------------------


class OtherTypes(Exception):
    """Arguments of other types than those a frame was made for."""


class _Part:
    """One argument, or part of one: where it stands, and what stands there."""

    def __init__(self, value: Any, at: int):
        self.at, self.last, self.kind = at, _NOTHING, type(value)
        self.parts: list[_Part] = []
        self.end: int
        if isinstance(value, tuple):
            self.end = at
            for part in value:
                self.parts.append(_Part(part, self.end))
                self.end = self.parts[-1].end
        elif isinstance(value, np.ndarray):
            self.dtype, self.ndim, self.writeable = value.dtype, value.ndim, value.flags.writeable
            self.kind = np.ndarray
            self.end = at + 3 + 2 * value.ndim
        elif isinstance(value, np.record):
            self.dtype, self.kind = value.dtype, np.record
            self.end = at + 1
        elif isinstance(value, bool | int | float):
            self.end = at + 1
        else:
            raise OtherTypes(f"{type(value).__name__} has no place in a frame")

    def describe(self) -> str:
        """The types, as a text that is the same in every process with the same sources."""
        if self.kind is np.ndarray:
            return f"{self.dtype.str}{self.dtype.names}{self.ndim}{self.writeable}"
        if self.kind is np.record:
            return f"{self.dtype.str}{self.dtype.names}"
        return f"{self.kind.__qualname__}({','.join(part.describe() for part in self.parts)})"

    def fill(self, value: Any, words: np.ndarray, numbers: np.ndarray) -> None:
        """Write a value that is another object than the last one. Raises OtherTypes."""
        if value is self.last:
            return
        if self.kind is np.ndarray:
            flags = value.flags
            if not (value.dtype == self.dtype and value.ndim == self.ndim and flags.c_contiguous
                    and flags.writeable == self.writeable):
                raise OtherTypes
            words[self.at : self.end] = (value.size, value.itemsize, value.ctypes.data,
                                         *value.shape, *value.strides)
        elif type(value) is not self.kind:
            raise OtherTypes
        elif self.kind is np.record:
            if value.dtype != self.dtype:
                raise OtherTypes
            words[self.at] = np.frombuffer(value, np.uint8).ctypes.data
        elif self.kind is float:
            numbers[self.at] = value
        elif self.parts:
            for part, given in zip(self.parts, value, strict=True):
                part.fill(given, words, numbers)
        else:
            words[self.at] = value
        self.last = value  # which also keeps an array where it is


_NOTHING = object()


class CallFrame:
    """A frame for arguments of the types that these have. Not for two threads at once. Raises OtherTypes."""

    def __init__(self, arguments: tuple):
        self._whole = _Part(arguments, 0)
        self._words = np.zeros(self._whole.end, np.int64)
        self._numbers = self._words.view(np.float64)
        self.address = self._words.ctypes.data
        self.name = hashlib.sha256(self._whole.describe().encode()).hexdigest()[:16]

    def fill(self, arguments: tuple) -> None:
        """Let the frame hold these. Raises OtherTypes."""
        self._whole.fill(arguments, self._words, self._numbers)


# ---- calls -----------------------------------------------------------------------------------------------------------


OK = 0
_Entry = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p)


class _Raised(ctypes.Structure):
    """How compiled code says what it raises: a pickle, and fields for what is not known beforehand."""

    _fields_ = (("text", ctypes.c_void_p), ("size", ctypes.c_int32))


class Program:
    """Machine code that takes a frame by its address and returns an integer. Raises what a kernel raises."""

    def __init__(self, address: int, owner: Any):
        self._entry, self._owner = _Entry(address), owner  # the code lives as long as its owner

    def __call__(self, frame: int) -> int:
        result, raised = ctypes.c_int64(), ctypes.POINTER(_Raised)()
        if self._entry(ctypes.addressof(result), ctypes.addressof(raised), frame, None) == OK:
            return result.value
        raise _read_error(raised)


def _read_error(raised: Any) -> Exception:
    with contextlib.suppress(Exception):  # of a numba that says it otherwise
        kind, arguments, *_ = pickle.loads(ctypes.string_at(raised[0].text, raised[0].size))
        if issubclass(kind, Exception):
            return kind(*(arguments or ()))
    return RuntimeError("compiled code has raised an error")


# ---- from and to a file ----------------------------------------------------------------------------------------------


def load(path: Path) -> Program | None:
    """The program of a file, None if there is none that is whole."""
    content = read_sealed(path)
    return None if content is None else _load(pickle.loads(content))


def _load(pieces: list[tuple[str, str, bytes]]) -> Program:
    """pieces: (symbol by which others call it, name in the machine code, machine code), callees first; the last one is
    the entry."""
    import llvmlite.binding as binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    machine = binding.Target.from_triple(binding.get_process_triple()).create_target_machine(jit=True)
    engine = binding.create_mcjit_compiler(binding.parse_assembly(""), machine)
    address = 0
    for symbol, name, code in pieces:
        engine.add_object_file(binding.ObjectFileRef.from_data(code))
        address = engine.get_function_address(name)
        binding.add_symbol(symbol, address)
    return Program(address, engine)


def save(path: Path, pieces: list[tuple[str, str, bytes]], start: Callable = subprocess.run) -> bool:
    """Write a program if another process can load it; returns whether it was written."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    os.close(handle)
    trial = Path(name)
    try:
        write_sealed(trial, pickle.dumps(pieces))
        text = (f"import sys; sys.path[:] = {sys.path!r}; from pathlib import Path; "
                f"from geometry.compiled.program import load; sys.exit(load(Path({name!r})) is None)")
        done = start([sys.executable, "-P", "-c", text], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                     stderr=subprocess.DEVNULL, timeout=LONGEST_TRIAL)
        if done.returncode != 0:
            return False
        os.replace(trial, path)
        return True
    except (OSError, subprocess.SubprocessError):  # a full disk, no more processes: every start loads the long way
        return False
    finally:
        trial.unlink(missing_ok=True)
