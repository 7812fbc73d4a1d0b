"""Files that appear when they are complete: written under a hidden name beside their place, then renamed.

A process that is killed leaves its hidden file behind, and the next one that writes in that folder removes it. A file
whose writer is alive is never touched: the writer holds a lock on it, which ends with the process however it ends and
reaches other machines and containers as well; and its name has the number of the process.
"""

from __future__ import annotations

import os
import re
import secrets
import time
from pathlib import Path
from typing import IO, Any

try:
    import fcntl
except ImportError:  # Windows, where a file that is open cannot be renamed, so none is held open
    fcntl = None

NAME = re.compile(r"\.stiction-(\d+)-[0-9a-f]{12}\.\w+")
OLD = 86400.0  # s, after which the number of the process says nothing any more: it may be another one's
LOOK_SHARE = 20.0  # looking for files that were left takes at most about this part of the time
_next_look: dict[Path, float] = {}


class PartialFile:
    """An empty file of its own at `path`, that `publish` puts at the target, in place of an older one, in one step.

    Leaving the `with` block, or `discard`, removes it where it was not published.
    """

    def __init__(self, target: Path, suffix: str = ".partial"):
        remove_left_files(target.parent)
        self.target = target
        self.path = target.parent / f".stiction-{os.getpid()}-{secrets.token_hex(6)}{suffix}"
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
        self._lock = descriptor if fcntl is not None else None
        if fcntl is None:
            os.close(descriptor)
            return
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            pass  # a file system without locks, where nobody can get the lock that removing takes

    def __enter__(self) -> PartialFile:
        return self

    def __exit__(self, *unused) -> None:
        self.discard()

    def open(self, mode: str = "wb", **options) -> IO[Any]:
        """The file, to be written with Python's means. Raises OSError."""
        return open(self.path, mode, **options)

    def publish(self) -> None:
        """Rename the file to its target; from then on nothing is locked, so that readers with locks get in. Raises
        OSError."""
        os.replace(self.path, self.target)
        self._release()

    def discard(self) -> None:
        """Remove the file if it was not published."""
        if self._release() or fcntl is None:
            self.path.unlink(missing_ok=True)

    def _release(self) -> bool:
        """Let go of the lock; returns whether it was held."""
        held, self._lock = self._lock, None
        if held is not None:
            os.close(held)
        return held is not None


def prepare_place(path: Path) -> None:
    """Make the folder of a file and see that a file can be put there, before the work for it. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    PartialFile(path).discard()


def remove_left_files(folder: Path) -> None:
    """Remove the hidden files in a folder whose writers are gone. What cannot be told, or removed, stays."""
    began = time.perf_counter()
    if fcntl is None or began < _next_look.get(folder, 0.0):
        return
    try:
        left = [Path(entry.path) for entry in os.scandir(folder) if NAME.fullmatch(entry.name)]
    except OSError:
        return
    for path in left:
        try:
            if not is_running(int(NAME.fullmatch(path.name)[1])) or time.time() - path.stat().st_mtime > OLD:
                _remove_unlocked(path)
        except OSError:
            continue  # its writer is alive, on this machine or another, or it is not ours to remove
    ended = time.perf_counter()
    _next_look[folder] = ended + LOOK_SHARE * (ended - began)


def _remove_unlocked(path: Path) -> None:
    """Remove a file on which nobody has a lock. Raises OSError."""
    descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.unlink()
    finally:
        os.close(descriptor)


def is_running(process: int) -> bool:
    """Is there a process with this number on this machine?"""
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
