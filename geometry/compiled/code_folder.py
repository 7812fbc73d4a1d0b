"""The folder of compiled code: what machine code depends on, and where there is a place for it.

Numba's own cache stamps a kernel with the file it stands in and nothing else. Machine code however contains every
kernel that was called, so an edit in another module would keep the old code; and it contains or lacks bounds checks. So
the folder is named by a hash of the whole *state*: all sources a kernel can depend on, the versions of Python, numpy,
numba and LLVM, the processor and its features, and numba's settings. Another state never sees the folder.
"""

from __future__ import annotations

import errno
import hashlib
import os
import platform
import re
import stat
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy

from geometry.compiled import known_state, shared_files
from geometry.compiled.kernel import SETTINGS_FILE
from geometry.compiled.shared_files import is_private

PACKAGES = ("geometry", "dynamics", "sim")
SUFFIX = ".kernel"
FOLDER_PATTERN = re.compile(r"kernels-[0-9a-f]{24}")
KEPT_FOLDERS = 20
KEPT_SECONDS = 30 * 86400.0
MOST_PARTS = 1000  # of a path with all its links; more are a circle
# Settings of numba that change no machine code; every other setting is part of the state.
INDIFFERENT_SETTINGS = re.compile(
    r"CACHE_DIR|CACHE_LOCATOR_CLASSES|DEBUG_CACHE|DISABLE_JIT|COLOR_SCHEME|CUDA_.*|DUMP_.*|NUMBA_.*|THREADING_LAYER.*|"
    r"SHOW_HELP|.*_TRACE|TRACE|HTML|ANNOTATE")
DECORATOR = "geometry.compiled.jit"
_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]*(\([^)]*\)|[^\n(#]+)|import[ \t]+([^\n#]+))", re.MULTILINE)


# ---- what machine code depends on ------------------------------------------------------------------------------------


def find_kernel_sources(root: Path) -> list[Path]:
    """The files of the packages under `root` that machine code can depend on, sorted.

    These are the files that import the decorator, and all that they import, directly or not, for a constant of another
    module is frozen into the code. Imports inside functions count; those of `__init__` files count for what they name.
    """
    texts = {path: path.read_text(encoding="utf-8") for package in PACKAGES for path in (root / package).rglob("*.py")}
    todo = [path for path, text in texts.items() if DECORATOR in text and DECORATOR in _list_imports(text)]
    found, seen = set(todo), set()
    while todo:
        names = _list_imports(texts[todo.pop()]) - seen
        seen |= names
        fresh = {path for name in names for path in _find_files(root, name)} & texts.keys()
        todo.extend(fresh - found)
        found |= fresh
    return sorted(found)


def _list_imports(text: str) -> set[str]:
    """The dotted names that a file imports; of `from a import b` both a and a.b, for b may be a module."""
    names = set()
    for home, given, plain in _IMPORT.findall(text):
        words = [part.split()[0] for part in (given or plain).strip("() \n").split(",") if part.strip()]
        names |= {f"{home}.{word}" for word in words} | {home} if home else set(words)
    return names


def _find_files(root: Path, name: str) -> Iterator[Path]:
    """The files that importing a dotted name may run: its own, and those of the packages around it."""
    parts = name.split(".")
    if parts[0] in PACKAGES:
        yield root.joinpath(*parts[:-1], f"{parts[-1]}.py")
        for count in range(1, len(parts) + 1):
            yield root.joinpath(*parts[:count], "__init__.py")


def compute_source_hash(root: Path, archive: str | None = None, sources: list[Path] | None = None) -> str:
    """Hash of the names and contents of all kernel sources under `root`; of the archive of a zipped install. sources:
    of `find_kernel_sources`, if they are known."""
    digest = hashlib.sha256()
    if archive is not None:
        digest.update(Path(archive).read_bytes())
        return digest.hexdigest()
    for path in find_kernel_sources(root) if sources is None else sources:
        content = path.read_bytes()
        digest.update(f"{path.relative_to(root).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def describe_machine() -> str:
    """Everything outside our sources that machine code depends on, as text."""
    versions = (platform.python_implementation(), sys.version, numpy.__version__)
    from geometry.compiled.numba_private import describe_compiler

    return repr((versions, describe_compiler(INDIFFERENT_SETTINGS)))


def _name_folder(source_hash: str) -> str:
    return "kernels-" + hashlib.sha256((source_hash + describe_machine()).encode()).hexdigest()[:24]


class State:
    """Root, hash and file stamps of the sources as they were when the first kernel was declared."""

    def __init__(self):
        self.root = Path(__file__).parents[2]
        self.archive = getattr(globals().get("__loader__"), "archive", None)
        self.folder_name = None
        self.mark = None  # under which the name is to be remembered
        self.sources: list[str] = []
        try:
            if self.archive:
                self._take_stamps([Path(self.archive)])
                self.folder_name = _name_folder(compute_source_hash(self.root, self.archive))
            elif not self._recall():
                sources = find_kernel_sources(self.root)
                self._take_stamps(sources)
                self.folder_name = _name_folder(compute_source_hash(self.root, None, sources))
        except (OSError, UnicodeError):
            return  # sources out of reach: nothing is known about the code, so none is kept

    def _take_stamps(self, paths: list[Path]) -> None:
        self.sources = [str(path.relative_to(self.root)) for path in paths if not self.archive]
        self.stamps = [(str(path), status.st_mtime_ns, status.st_size) for path in paths for status in (path.stat(),)]

    def _recall(self) -> bool:
        """Take the name of the folder from where it was remembered. Raises OSError."""
        paths = [Path(folder, name) for package in PACKAGES for folder, _, names in os.walk(self.root / package)
                 for name in names if name.endswith(".py")]
        self._take_stamps(paths)
        stamps = dict(zip(self.sources, self.stamps, strict=True))
        self.mark = known_state.compute_mark(
            {name: path.read_bytes() for name, path in zip(self.sources, paths, strict=True)})
        for base in list_base_folders() if self.mark else ():
            known = known_state.recall(base, self.mark)
            if known is not None and not find_intruder(base):
                self.folder_name, self.sources, self.mark = *known, None
                self.stamps = [stamps[name] for name in self.sources]
                return True
        return False

    def remember(self, base: Path) -> None:
        """Let later processes find the name of the folder sooner."""
        from geometry.compiled.numba_private import uses_vectors

        if self.mark and self.folder_name and self.is_current() and not uses_vectors():
            known_state.remember(base, self.mark, self.folder_name, self.sources)
            self.mark = None

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


def _find_chosen_folder() -> str:
    """NUMBA_CACHE_DIR, "" if it is not set."""
    if "numba" not in sys.modules and not os.path.exists(SETTINGS_FILE):
        return os.environ.get("NUMBA_CACHE_DIR", "")
    from numba import config

    return config.CACHE_DIR


def list_base_folders() -> list[Path]:
    """Places for machine code, the best first. None of them need exist or be writable."""
    bases = []
    if chosen := _find_chosen_folder():
        bases.append(Path(chosen) / "stiction")
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


def find_intruder(path: Path) -> str:
    """Why somebody else could put files at a path, "" if nobody can: loading machine code means running it.

    Everything on the way counts, links too, for who can write to a folder can put another one in the place of what is
    in it. In a folder with the sticky bit, such as /tmp, that takes the owner of what is in it. What does not exist yet
    is not on the way. Raises OSError for a path that cannot be followed.
    """
    if not hasattr(os, "geteuid"):
        return ""
    for place, status in _follow(path):
        if status.st_uid not in (0, os.geteuid()):
            return f"{place} belongs to another user"
        if stat.S_ISDIR(status.st_mode) and status.st_mode & 0o022 and not status.st_mode & stat.S_ISVTX:
            return f"others can write to {place}"
    return ""


def _follow(path: Path):
    """Yields (path, status) of every folder and link that the system passes on its way, as far as they exist."""
    absolute = Path.cwd() / path
    here, parts = Path(absolute.anchor), list(absolute.parts[:0:-1])
    yield here, here.lstat()
    for _ in range(MOST_PARTS):
        if not parts:
            return
        part = parts.pop()
        step = here.parent if part == ".." else here / part
        try:
            status = step.lstat()
        except FileNotFoundError:
            return
        yield step, status
        if stat.S_ISLNK(status.st_mode):
            target = Path(os.readlink(step))
            here = Path(target.anchor) if target.is_absolute() else here
            parts += reversed(target.parts[1:] if target.is_absolute() else target.parts)
        else:
            here = step
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))


def open_folder(name: str, bases: list[Path]) -> tuple[Path | None, list[str]]:
    """The folder `name` in the first of `bases` where it can be made and written and others cannot write, or None; and
    why bases were refused because others can."""
    refused = []
    for base in bases:
        folder = base / name
        try:
            why = find_intruder(folder)
            if not why:
                base.mkdir(parents=True, exist_ok=True, mode=0o700)
                is_new = not folder.exists()
                folder.mkdir(exist_ok=True, mode=0o700)
                why = find_intruder(folder) or ("" if is_private(folder.stat()) else f"others can write to {folder}")
            if why:
                refused.append(f"{base}: {why}")
                continue
            with tempfile.TemporaryFile(dir=folder):
                pass
            os.utime(folder)
        except (OSError, ValueError):
            continue
        if is_new:
            prune_folders(base, keep=folder)
        return folder, refused
    return None, refused


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
            for path in [*folder.glob("*" + SUFFIX + "*"), folder / shared_files.LOCKS]:
                path.unlink(missing_ok=True)
            folder.rmdir()
        except OSError:
            continue


# ---- the one of this process -----------------------------------------------------------------------------------------


_current: list[State] = []
_folder: list[Path | None] = []


def get_state() -> State:
    if not _current:
        _current.append(State())
    return _current[0]


def find_folder() -> Path | None:
    """Where machine code is kept, None where there is no place for it; warns once of what the user should know."""
    if not _folder:
        name = get_state().folder_name
        folder, refused = open_folder(name, list_base_folders()) if name else (None, [])
        _folder.append(folder)
        if folder is not None and get_state().mark:
            get_state().remember(folder.parent)
        told = "".join(f"; not used, for others could have put code there: {why}" for why in refused[:1])
        if folder is None:
            warnings.warn("no folder for compiled code can be written, so every start compiles anew; "
                          f"set NUMBA_CACHE_DIR to a folder that can{told}", RuntimeWarning, stacklevel=2)
        elif refused:
            warnings.warn(f"compiled code is kept in {folder}{told}", RuntimeWarning, stacklevel=2)
    return _folder[0]
