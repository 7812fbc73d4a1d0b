"""Machine code on disk: how it is written, read, and survives damage and races.

Numba's own cache is an index and data in two files, written one after the other. Here there is one file for each kernel
and signature, in the folder that `code_folder.py` finds: digest, key and code together, written under another name and
then renamed. A reader sees all of it, or nothing; processes that compile at the same time write the same thing twice. A
file that is missing, damaged, for another key, or not this user's own counts as absent: the kernel is compiled again.

Nothing here may stop a run. Where no folder can be written the code is compiled anew in every process, and one warning
says so.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from geometry.compiled import entrances, numba_private, shared_files
from geometry.compiled.code_folder import SUFFIX, find_folder, get_state
from geometry.compiled.kernel import Kernel
from geometry.compiled.shared_files import read_sealed, write_sealed

# How long [s] a process waits for another one that compiles the same kernel; far longer than that takes. Larger: a
# process that was stopped holds up others for longer. Smaller: on a slow machine the same is compiled twice.
MOST_PATIENCE = 120.0


class _Store:
    """The machine code of one kernel; numba asks it before compiling and tells it after."""

    def __init__(self, function: Callable):
        code = function.__code__
        self._function = function
        self._prefix = f"{function.__module__}.{function.__qualname__}-{code.co_firstlineno}-".replace("<locals>", "in")
        self._enabled = True
        self.by_address = False

    def make_another(self, function: Callable) -> _Store:
        """The store of a kernel that stands beside this one."""
        return _Store(function)

    @property
    def cache_path(self):
        return str(find_folder())

    def enable(self):
        self._enabled = True

    def disable(self):
        self._enabled = False

    def flush(self):
        for path in self.list_files():
            path.unlink(missing_ok=True)

    def list_files(self) -> list[Path]:
        folder = find_folder()
        if folder is None:
            return []
        return [path for path in folder.iterdir() if path.name.startswith(self._prefix) and path.suffix == SUFFIX]

    def _path(self, folder: Path, key: bytes) -> Path:
        return folder / f"{self._prefix}{hashlib.sha256(key).hexdigest()[:16]}{SUFFIX}"

    def find_file(self, signature) -> Path | None:
        """Where the machine code for these types lies or will lie; None where none is kept."""
        folder = find_folder()
        if not self._enabled or folder is None:
            return None
        return self._path(folder, numba_private.make_key(self._function, signature))

    def hold_lock(self, signature):
        """While another process compiles this kernel for these types, wait for it (see `MOST_PATIENCE`)."""
        return shared_files.hold_lock(find_folder(), f"{self._prefix}{signature}", MOST_PATIENCE)

    def load_overload(self, signature, target_context):
        folder = find_folder()
        if not self._enabled or folder is None:
            return None
        try:
            key = numba_private.make_key(self._function, signature)
            content = read_sealed(self._path(folder, key))
            return None if content is None else numba_private.unpack(content, key, signature, target_context)
        except Exception:  # whatever is wrong with stored code, compiling again is right
            return None

    def save_overload(self, signature, result):
        folder = find_folder()
        if not self._enabled or folder is None or not get_state().is_current():
            return
        try:
            key = numba_private.make_key(self._function, signature)
            content = numba_private.pack(key, self._function, signature, result, self.by_address)
        except (AttributeError, LookupError, RuntimeError, TypeError, ValueError) as error:  # of another numba
            self.disable()
            numba_private.give_up(numba_private.KEEPING, error)
            return
        if content is None:
            return
        try:
            folder.mkdir(exist_ok=True, mode=0o700)
            write_sealed(self._path(folder, key), content)
        except OSError:
            self.disable()  # a full disk, say: this process goes on with what it compiled


def attach_store(dispatcher: Any) -> None:
    """Let the numba function keep its machine code on disk. Kernels outside our packages are not kept."""
    if numba_private.has(numba_private.KEEPING) and get_state().covers(dispatcher.py_func):
        store = _Store(dispatcher.py_func)
        numba_private.set_store(dispatcher, store)
        numba_private.share_compiling(dispatcher, store.hold_lock)


def call_by_address(dispatcher: Any) -> None:
    """Let callers of this kernel hold a symbol for it instead of a copy of its code."""
    if not numba_private.has(numba_private.BY_ADDRESS):
        return
    store = numba_private.get_store(dispatcher)
    if isinstance(store, _Store):
        store.by_address = True
    numba_private.call_by_address(dispatcher)


def find_file(kernel: Kernel, kinds: tuple, framed: bool = False) -> Path | None:
    """Where what Python needs to call a kernel lies or will lie; None for a kernel of which nothing is kept. framed:
    see `entrances.find_entrance`."""
    if not is_ours(kernel):
        return None
    entrance, own = entrances.find_entrance(kernel, kinds, framed)
    return numba_private.get_store(entrance).find_file(own)


def is_ours(dispatcher: Any) -> bool:
    """Whether a kernel stands in the packages: its code is kept wherever there is a place for it."""
    return isinstance(numba_private.get_store(dispatcher), _Store)
