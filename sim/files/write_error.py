"""A file that cannot be written: one error, with the status that the run has then."""

from __future__ import annotations

import os
import re
from pathlib import Path

from geometry.errors import StictionError
from sim.files.disk_space import NO_ROOM
from sim.rows.status import Status


class WriteError(StictionError, OSError):
    """A log, or the table of one, could not be written; `status` is DISK_FULL or WRITE_FAILED. The rows up to the last
    flush are kept."""

    def __init__(self, path: Path, cause: BaseException, rows_kept: int, what: str = "log"):
        self.status = Status.DISK_FULL if find_errno(cause) in NO_ROOM else Status.WRITE_FAILED
        number = find_errno(cause)
        reason = os.strerror(number) if number else str(cause).splitlines()[0]
        super().__init__(number, reason, str(path))
        self.rows_kept, self.what = rows_kept, what

    def __str__(self) -> str:
        kept = f"; the first {self.rows_kept} steps are kept in it" if self.rows_kept else ""
        return f"cannot write the {self.what} {self.filename}: {self.strerror}{kept}"


def check_target(path: Path, target: Path) -> None:
    """Make the folder of a log and see that a file can be put there, before any work is done."""
    if target.is_dir():
        raise WriteError(path, IsADirectoryError(21, "Is a directory"), 0)
    if target.exists() and not target.is_file():
        raise WriteError(path, ValueError("it is not a regular file"), 0)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteError(path, error, 0) from error


def find_errno(error: BaseException) -> int:
    """The system's error number of a failure; h5py states it in the text of errors of other types. 0 if unknown."""
    if isinstance(error, OSError) and error.errno:
        return error.errno
    match = re.search(r"errno = (\d+)", str(error))
    return int(match.group(1)) if match else 0
