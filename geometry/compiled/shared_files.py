"""Files that the processes of a machine share: such as are whole or absent and nobody else's (a digest with the content
behind it), and locks on bytes of one file, of which a process that dies leaves none behind."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

try:
    import fcntl
except ImportError:
    fcntl = None  # Windows
    import msvcrt

# ---- sealed files ----------------------------------------------------------------------------------------------------


def is_private(status: os.stat_result) -> bool:
    """Whether a file or folder is this user's own and nobody else can write to it."""
    return not hasattr(os, "geteuid") or (status.st_uid == os.geteuid() and not status.st_mode & 0o022)


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


# ---- locks -----------------------------------------------------------------------------------------------------------

LOCKS = "locks"
FIRST_NAMED = 1 << 16  # bytes before it are numbered, those after it belong to names
LAST_NAMED = 1 << 30
POLL = 0.02  # s

_files: dict[Path, int] = {}  # open for good: closing one file would give up all locks of the process in it


class NoLocks(Exception):
    """This folder lies where files cannot be locked."""


def _open(folder: Path) -> int:
    if folder not in _files:
        try:
            _files[folder] = os.open(folder / LOCKS, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
        except OSError as error:
            raise NoLocks from error
    return _files[folder]


def take_lock(folder: Path, place: int) -> bool:
    """Take the lock on a byte, unless another process has it. Raises NoLocks."""
    handle = _open(folder)
    try:
        if fcntl is not None:
            fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
        else:
            os.lseek(handle, place, os.SEEK_SET)
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    except (BlockingIOError, PermissionError):
        return False
    except OSError as error:
        raise NoLocks from error
    return True


def give_back_lock(folder: Path, place: int) -> None:
    handle = _open(folder)
    with contextlib.suppress(OSError):
        if fcntl is not None:
            fcntl.lockf(handle, fcntl.LOCK_UN, 1, place)
        else:
            os.lseek(handle, place, os.SEEK_SET)
            msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)


@contextlib.contextmanager
def hold_lock(folder: Path | None, name: str, patience: float) -> Iterator[None]:
    """Wait until no other process holds the lock of a name, for `patience` seconds at most, and hold it meanwhile.

    It saves work that is done twice, and no more: where there are no locks, or none comes free, all goes on without.
    """
    place = FIRST_NAMED + int.from_bytes(hashlib.sha256(name.encode()).digest()[:7]) % (LAST_NAMED - FIRST_NAMED)
    held, end = False, time.monotonic() + patience
    if folder is not None:
        with contextlib.suppress(NoLocks):
            held = take_lock(folder, place)
            while not held and time.monotonic() < end:
                time.sleep(POLL)
                held = take_lock(folder, place)
    try:
        yield
    finally:
        if held:
            give_back_lock(folder, place)
