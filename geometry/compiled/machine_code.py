"""Machine code on disk: how it is written, read, and survives damage and races.

Numba's own cache is an index and data in two files, written one after the other. Here there is one file for each kernel
and signature, in the folder that `_code_folder.py` finds: digest, key and code together, written under another name and
then renamed. A reader sees all of it, or nothing; processes that compile at the same time write the same thing twice. A
file that is missing, damaged, for another key, or not this user's own counts as absent: the kernel is compiled again.

Nothing here may stop a run. Where no folder can be written the code is compiled anew in every process, and one warning
says so.
"""

from __future__ import annotations

import copy
import hashlib
import importlib
import os
import pickle
import re
import stat
import tempfile
from pathlib import Path

import llvmlite.binding
from numba.core import caching, compiler, serialize

from geometry.compiled.code_folder import SUFFIX, find_folder, get_state, is_private


def write_sealed(path: Path, content: bytes) -> None:
    """Write `content` behind its digest, so that readers see all of it or nothing. Raises OSError."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(hashlib.sha256(content).digest() + content)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


# Open a file itself, never what a link names, and never wait for one that is a pipe.
_PLAIN = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def read_sealed(path: Path) -> bytes | None:
    """The content that `write_sealed` wrote, or None if the file is missing or damaged, or could be another user's."""
    try:
        with open(os.open(path, _PLAIN), "rb") as file:
            status = os.fstat(file.fileno())
            if not (stat.S_ISREG(status.st_mode) and is_private(status)):
                return None
            sealed = file.read()
    except OSError:
        return None
    content = sealed[32:]
    return content if hashlib.sha256(content).digest() == sealed[:32] else None


class _Store(caching._Cache):
    """The machine code of one kernel; numba asks it before compiling and tells it after."""

    def __init__(self, function):
        code = function.__code__
        self._function = function
        self._prefix = f"{function.__module__}.{function.__qualname__}-{code.co_firstlineno}-".replace("<locals>", "in")
        self._enabled = True
        self.by_address = False

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

    def _make_key(self, signature, codegen) -> bytes:
        text = repr((str(signature), codegen.magic_tuple(), self._function.__code__.co_code)).encode()
        cells = tuple(cell.cell_contents for cell in self._function.__closure__ or ())
        return text + (serialize.dumps(cells) if cells else b"")

    def _path(self, key: bytes) -> Path:
        return find_folder() / f"{self._prefix}{hashlib.sha256(key).hexdigest()[:16]}{SUFFIX}"

    def load_overload(self, signature, target_context):
        if not self._enabled or find_folder() is None:
            return None
        if target_context not in _refreshed:  # takes milliseconds, and there may be a hundred kernels to load
            target_context.refresh()
            _refreshed.append(target_context)
        try:
            key = self._make_key(signature, target_context.codegen())
            content = read_sealed(self._path(key))
            if content is None:
                return None
            stored_key, stored_signature, callees, parts = pickle.loads(content)
            if stored_key != key or stored_signature != signature:
                return None
            for module, name, arguments in callees:
                _bring(getattr(importlib.import_module(module), name), arguments)
            return compiler.CompileResult._rebuild(target_context, *parts)
        except Exception:  # whatever is wrong with stored code, compiling again is right
            return None

    def save_overload(self, signature, result):
        if not self._enabled or find_folder() is None or not get_state().is_current():
            return
        if result.library.has_dynamic_globals or any(not lifted.can_cache for lifted in result.lifted):
            return  # addresses of this process stand in the code
        key = self._make_key(signature, result.codegen)
        own = _name_symbol(self._function, result.signature.args)
        called = set(_SYMBOL.findall(result.library.get_llvm_str())) - {own}
        callees = [_separate[symbol] for symbol in sorted(called)]
        parts = result._reduce()
        if self.by_address:
            name, kind, (machine_code, bitcode) = parts[0]
            parts = ((name, kind, (machine_code, _keep_names(bitcode, result.fndesc))), *parts[1:])
        content = serialize.dumps((key, signature, callees, parts))
        try:
            self._path(key).parent.mkdir(exist_ok=True, mode=0o700)
            write_sealed(self._path(key), content)
        except OSError:
            self.disable()  # a full disk, say: this process goes on with what it compiled


def _keep_names(bitcode: bytes, described) -> bytes:
    """Bitcode with the entrances of a kernel as empty functions.

    Nobody links a kernel that is called by address, so its bitcode is not needed, only slow to parse at every start.
    But numba looks there for the names that the machine code defines.
    """
    entrances = {described.llvm_func_name, described.llvm_cpython_wrapper_name, described.llvm_cfunc_wrapper_name}
    module = llvmlite.binding.parse_bitcode(bitcode)
    names = [f.name for f in module.functions if f.name in entrances and not f.is_declaration]
    empty = "\n".join(f'define void @"{name}"() {{ ret void }}' for name in names)
    return llvmlite.binding.parse_assembly(empty).as_bitcode()


def _bring(dispatcher, arguments) -> None:
    """Make a kernel that stored code calls ready, as `Dispatcher.compile` does, without the timers that it nests."""
    if arguments in dispatcher.overloads:
        return
    result = dispatcher._cache.load_overload(arguments, dispatcher.targetctx)
    if result is None:
        dispatcher.compile(arguments)
    else:
        dispatcher.targetctx.insert_user_function(result.entry_point, result.fndesc, [result.library])
        dispatcher.add_overload(result)


_refreshed: list = []


def attach_store(dispatcher) -> None:
    """Let the numba function keep its machine code on disk. Kernels outside our packages are not kept."""
    if get_state().covers(dispatcher.py_func):
        dispatcher._cache = _Store(dispatcher.py_func)


# Kernels that are called by address: symbol -> (module, name, argument types).
_separate: dict[str, tuple] = {}
_SYMBOL = re.compile(r"stiction\.kernel\.[0-9a-f]{32}")


def _name_symbol(function, arguments) -> str:
    """A linker symbol that is the same in every process."""
    text = f"{function.__module__}.{function.__qualname__}{tuple(str(a) for a in arguments)}"
    return "stiction.kernel." + hashlib.sha256(text.encode()).hexdigest()[:32]


def call_by_address(dispatcher) -> None:
    """Let callers of this kernel hold a symbol for it instead of a copy of its code.

    The symbol is bound when the kernel is compiled or loaded. Code of a caller on disk lists its symbols, and they are
    bound before it is loaded (`_Store.load_overload`).
    """
    add = dispatcher.add_overload
    if isinstance(dispatcher._cache, _Store):
        dispatcher._cache.by_address = True

    def add_overload(result):
        add(result)
        function, arguments = dispatcher.py_func, result.signature.args
        symbol = _name_symbol(function, arguments)
        _separate[symbol] = (function.__module__, function.__qualname__, arguments)
        address = result.library.get_pointer_to_function(result.fndesc.llvm_func_name)
        llvmlite.binding.add_symbol(symbol, address)
        described = copy.copy(result.fndesc)
        described.mangled_name = symbol
        context = dispatcher.targetctx
        context.remove_user_function(result.entry_point)
        context.insert_user_function(result.entry_point, described, ())

    dispatcher.add_overload = add_overload


def has_stored_code(dispatcher) -> bool:
    """Whether machine code of this kernel lies on disk, for any signature."""
    store = dispatcher._cache
    return isinstance(store, _Store) and bool(store.list_files())


def is_cold(*kernels) -> bool:
    """Whether a call of any of `kernels` would have to compile first, as far as the disk tells. Compiles nothing."""
    return any(not kernel.signatures and not has_stored_code(kernel) for kernel in kernels
               if hasattr(kernel, "signatures"))
