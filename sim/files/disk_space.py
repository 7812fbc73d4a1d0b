"""Reserve room in a file before something is written that cannot bear a full disk.

The HDF5 library is left in a broken state when a write fails: it can neither go on nor close the file, and may crash
the process at its end. So the log asks the file system for the room first, and a full disk is found while the file is
sound.
"""

from __future__ import annotations

import errno
import os
import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import h5py

NO_ROOM = (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))


def reserve_space(descriptor: int, path: str | os.PathLike, size: int) -> None:
    """Make sure that the open file can grow to `size` bytes; raises OSError (ENOSPC, EFBIG, EDQUOT) if it cannot.

    Where the system cannot reserve, the free space of the disk is checked instead.
    """
    missing = size - os.fstat(descriptor).st_size
    if missing <= 0:
        return
    if hasattr(os, "posix_fallocate"):
        try:
            os.posix_fallocate(descriptor, size - missing, missing)
            return
        except OSError as error:
            if error.errno in NO_ROOM:
                raise
    if shutil.disk_usage(os.path.dirname(os.path.abspath(path))).free < missing:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def redirect_to_nowhere(descriptor: int) -> None:
    """Let an open file descriptor swallow everything from now on; the file keeps what it has."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


def abandon_file(file: h5py.File | None) -> None:
    """Let go of an HDF5 file that cannot be completed: what was flushed stays, nothing more is written."""
    if file is None:
        return
    if os.name != "nt" and file:  # there, an open descriptor cannot be put elsewhere
        redirect_to_nowhere(file.id.get_vfd_handle())
    try:
        file.close()
    except (OSError, RuntimeError):
        pass  # nothing that could be lost is left to write


def trim_file(descriptor: int) -> None:
    """Give back what was reserved and not used: cut a closed file at the end that its superblock states."""
    superblock = os.pread(descriptor, 36, 0) if hasattr(os, "pread") else b""
    if superblock[8:9] == b"\x03":
        end = int.from_bytes(superblock[28:36], "little")
        if 0 < end < os.fstat(descriptor).st_size:
            os.ftruncate(descriptor, end)
