"""Locks between the processes of a machine, on bytes of one file. A process that dies leaves none behind."""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

try:
    import fcntl
except ImportError:
    fcntl = None  # Windows
    import msvcrt

NAME = "locks"
FIRST_NAMED = 1 << 16  # bytes before it are numbered, those after it belong to names
LAST_NAMED = 1 << 30
POLL = 0.02  # s

_files: dict[Path, int] = {}  # open for good: closing one file would give up all locks of the process in it


class NoLocks(Exception):
    """This folder lies where files cannot be locked."""


def _open(folder: Path) -> int:
    if folder not in _files:
        try:
            _files[folder] = os.open(folder / NAME, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
        except OSError as error:
            raise NoLocks from error
    return _files[folder]


def take(folder: Path, place: int) -> bool:
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


def give_back(folder: Path, place: int) -> None:
    handle = _open(folder)
    with contextlib.suppress(OSError):
        if fcntl is not None:
            fcntl.lockf(handle, fcntl.LOCK_UN, 1, place)
        else:
            os.lseek(handle, place, os.SEEK_SET)
            msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)


@contextlib.contextmanager
def hold(folder: Path | None, name: str, patience: float) -> Iterator[None]:
    """Wait until no other process holds the lock of a name, for `patience` seconds at most, and hold it meanwhile.

    It saves work that is done twice, and no more: where there are no locks, or none comes free, all goes on without.
    """
    place = FIRST_NAMED + int.from_bytes(hashlib.sha256(name.encode()).digest()[:7]) % (LAST_NAMED - FIRST_NAMED)
    held, end = False, time.monotonic() + patience
    if folder is not None:
        with contextlib.suppress(NoLocks):
            held = take(folder, place)
            while not held and time.monotonic() < end:
                time.sleep(POLL)
                held = take(folder, place)
    try:
        yield
    finally:
        if held:
            give_back(folder, place)
