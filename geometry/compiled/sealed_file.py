"""Files that are whole or absent, and nobody else's: each is a digest with the content behind it."""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from pathlib import Path


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
