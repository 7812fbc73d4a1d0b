"""Machine code on disk: where it lies, what it depends on, and how it survives damage and races.

Numba's own cache stamps a kernel with the file it stands in and nothing else. Machine code however contains every
kernel that was called, so an edit in another module would keep the old code; it contains or lacks bounds checks; and
its index and data are two files, written one after the other. So the store here is another one:

* One folder for each *state*: a hash of all sources a kernel can depend on, the versions of Python, numpy, numba and
  LLVM, the processor and its features, and numba's settings. Another state never sees the folder.
* One file for each kernel and signature: digest, key and code together, written under another name and then renamed.
  A reader sees all of it, or nothing; processes that compile at the same time write the same thing twice.
* A file that is missing, damaged, or for another key counts as absent: the kernel is compiled again.

Nothing here may stop a run. Where no folder can be written the code is compiled anew in every process, and one warning
says so.
"""

from __future__ import annotations

import copy
import hashlib
import importlib
import os
import pickle
import platform
import re
import sys
import tempfile
import time
import warnings
from pathlib import Path

import llvmlite.binding
import numba
import numpy
from numba.core import caching, compiler, config, serialize

PACKAGES = ("geometry", "dynamics", "sim")
SUFFIX = ".kernel"
FOLDER_PATTERN = re.compile(r"kernels-[0-9a-f]{24}")
KEPT_FOLDERS = 20
KEPT_SECONDS = 30 * 86400.0
# Settings of numba that change no machine code; every other setting is part of the state.
INDIFFERENT_SETTINGS = re.compile(
    r"CACHE_DIR|CACHE_LOCATOR_CLASSES|DEBUG_CACHE|DISABLE_JIT|COLOR_SCHEME|CUDA_.*|DUMP_.*|NUMBA_.*|THREADING_LAYER.*|"
    r"SHOW_HELP|.*_TRACE|TRACE|HTML|ANNOTATE")
_IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+[.\w]+[ \t]+import|import)\b[^\n(]*(?:\([^)]*\))?", re.MULTILINE)
_WORD = re.compile(r"\w+")


# ---- what machine code depends on ------------------------------------------------------------------------------------


def find_kernel_sources(root: Path) -> list[Path]:
    """The files of the packages under `root` that machine code can depend on, sorted.

    These are the files that mention this decorator, and all that they import, directly or not, for a constant of
    another module is frozen into the code. A word of an import statement that is the name of a file counts as an import
    of it: that may find a file too many, never one too few.
    """
    texts = {path: path.read_text(encoding="utf-8") for package in PACKAGES for path in (root / package).rglob("*.py")}
    named: dict[str, list[Path]] = {}
    for path in texts:
        named.setdefault(path.parent.name if path.name == "__init__.py" else path.stem, []).append(path)
    todo = [path for path, text in texts.items() if "_jit" in text and any("_jit" in line for line in _imports(text))]
    found = set(todo)
    while todo:
        words = {word for line in _imports(texts[todo.pop()]) for word in _WORD.findall(line)}
        fresh = {path for word in words & named.keys() for path in named[word]} - found
        found |= fresh
        todo.extend(fresh)
    return sorted(found)


def _imports(text: str) -> list[str]:
    return _IMPORT.findall(text)


def compute_source_hash(root: Path, archive: str | None = None) -> str:
    """Hash of the names and contents of all kernel sources under `root`; of the archive of a zipped install."""
    digest = hashlib.sha256()
    if archive is not None:
        digest.update(Path(archive).read_bytes())
        return digest.hexdigest()
    for path in find_kernel_sources(root):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(root).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def describe_machine() -> str:
    """Everything outside our sources that machine code depends on, as text."""
    settings = {name: repr(getattr(config, name)) for name in dir(config)
                if name.isupper() and not INDIFFERENT_SETTINGS.fullmatch(name)}
    features = llvmlite.binding.get_host_cpu_features().flatten()
    versions = (platform.python_implementation(), sys.version, numpy.__version__, numba.__version__,
                llvmlite.__version__, llvmlite.binding.llvm_version_info)
    return repr((versions, llvmlite.binding.get_default_triple(), llvmlite.binding.get_host_cpu_name(), features,
                 sorted(settings.items())))


class _State:
    """Root, hash and file stamps of the sources as they were when the first kernel was declared."""

    def __init__(self):
        self.root = Path(__file__).parent.parent
        self.archive = getattr(globals().get("__loader__"), "archive", None)
        self.folder_name = None
        try:
            self.stamps = self._read_stamps()
            text = compute_source_hash(self.root, self.archive) + describe_machine()
        except (OSError, UnicodeError):
            return  # sources out of reach: nothing is known about the code, so none is kept
        self.folder_name = "kernels-" + hashlib.sha256(text.encode()).hexdigest()[:24]

    def _read_stamps(self) -> list:
        paths = [Path(self.archive)] if self.archive else find_kernel_sources(self.root)
        return [(str(path), status.st_mtime_ns, status.st_size) for path in paths for status in (path.stat(),)]

    def is_current(self) -> bool:
        """Whether the sources still are what was hashed; code compiled around an edit must not be kept."""
        try:
            return all((status.st_mtime_ns, status.st_size) == (stamp, size)
                       for path, stamp, size in self.stamps for status in (os.stat(path),))
        except OSError:
            return False

    def covers(self, function) -> bool:
        """Whether the hash speaks of `function`: it does not of kernels that stand outside the packages."""
        path = Path(function.__code__.co_filename)
        return path.is_relative_to(self.root) and path.relative_to(self.root).parts[0] in PACKAGES


# ---- where it lies ---------------------------------------------------------------------------------------------------


def list_base_folders() -> list[Path]:
    """Places for machine code, the best first. None of them need exist or be writable."""
    bases = []
    if config.CACHE_DIR:
        bases.append(Path(config.CACHE_DIR) / "stiction")
    if sys.platform == "win32" and os.environ.get("LOCALAPPDATA"):
        bases.append(Path(os.environ["LOCALAPPDATA"]) / "stiction")
    elif os.environ.get("XDG_CACHE_HOME"):
        bases.append(Path(os.environ["XDG_CACHE_HOME"]) / "stiction")
    else:
        try:
            home = Path.home()
        except RuntimeError:  # no HOME and no such user
            pass
        else:
            bases.append(home / ("Library/Caches" if sys.platform == "darwin" else ".cache") / "stiction")
    bases.append(Path(__file__).parent / "__pycache__")
    user = os.getuid() if hasattr(os, "getuid") else "user"
    bases.append(Path(tempfile.gettempdir()) / f"stiction-{user}")
    return bases


def _is_private(folder: Path) -> bool:
    """Whether nobody else can have put files there: loading machine code means running it."""
    if not hasattr(os, "getuid"):
        return True
    status = folder.lstat()
    return status.st_uid == os.getuid() and not status.st_mode & 0o022 and not folder.is_symlink()


def open_folder(name: str, bases: list[Path]) -> Path | None:
    """The folder `name` in the first of `bases` where it can be made and written, or None."""
    for base in bases:
        folder = base / name
        try:
            base.mkdir(parents=True, exist_ok=True, mode=0o700)
            shared_place = base.parent == Path(tempfile.gettempdir())
            if shared_place and not _is_private(base):
                continue
            is_new = not folder.exists()
            folder.mkdir(exist_ok=True, mode=0o700)
            with tempfile.TemporaryFile(dir=folder):
                pass
            os.utime(folder)
        except (OSError, ValueError):
            continue
        if is_new:
            prune_folders(base, keep=folder)
        return folder
    return None


def prune_folders(base: Path, keep: Path, now: float | None = None) -> None:
    """Remove folders of other states that were not used for long, or are many. Only our own files are touched."""
    now = time.time() if now is None else now
    try:
        aged = sorted(((folder.stat().st_mtime, folder) for folder in base.iterdir()
                       if FOLDER_PATTERN.fullmatch(folder.name) and folder != keep), reverse=True)
    except OSError:
        return
    for rank, (used, folder) in enumerate(aged, start=1):
        if rank < KEPT_FOLDERS and now - used < KEPT_SECONDS:
            continue
        try:
            for path in folder.glob("*" + SUFFIX + "*"):
                path.unlink(missing_ok=True)
            folder.rmdir()
        except OSError:
            continue


# ---- the store -------------------------------------------------------------------------------------------------------


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


def read_sealed(path: Path) -> bytes | None:
    """The content that `write_sealed` wrote, or None if the file is missing or damaged."""
    try:
        sealed = path.read_bytes()
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
        return str(_find_folder())

    def enable(self):
        self._enabled = True

    def disable(self):
        self._enabled = False

    def flush(self):
        for path in self.list_files():
            path.unlink(missing_ok=True)

    def list_files(self) -> list[Path]:
        folder = _find_folder()
        if folder is None:
            return []
        return [path for path in folder.iterdir() if path.name.startswith(self._prefix) and path.suffix == SUFFIX]

    def _make_key(self, signature, codegen) -> bytes:
        text = repr((str(signature), codegen.magic_tuple(), self._function.__code__.co_code)).encode()
        cells = tuple(cell.cell_contents for cell in self._function.__closure__ or ())
        return text + (serialize.dumps(cells) if cells else b"")

    def _path(self, key: bytes) -> Path:
        return _find_folder() / f"{self._prefix}{hashlib.sha256(key).hexdigest()[:16]}{SUFFIX}"

    def load_overload(self, signature, target_context):
        if not self._enabled or _find_folder() is None:
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
        if not self._enabled or _find_folder() is None or not _state().is_current():
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
_current: list[_State] = []
_folder: list[Path | None] = []


def _state() -> _State:
    if not _current:
        _current.append(_State())
    return _current[0]


def _find_folder() -> Path | None:
    if not _folder:
        name = _state().folder_name
        _folder.append(open_folder(name, list_base_folders()) if name else None)
        if _folder[0] is None:
            warnings.warn("no folder for compiled code can be written, so every start compiles anew; "
                          "set NUMBA_CACHE_DIR to a folder that can", RuntimeWarning, stacklevel=2)
    return _folder[0]


def attach_store(dispatcher) -> None:
    """Let the numba function keep its machine code on disk. Kernels outside our packages are not kept."""
    if _state().covers(dispatcher.py_func):
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
