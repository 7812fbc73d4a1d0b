"""The one way to open an HDF5 file of ours for reading: a log, a tree, a sweep and what was refined of it.

A file may be growing, cut short, damaged, or something else altogether. It is read without locks, through `SafeFile`;
where it was not closed, several times if need be, for a file that is being written may show half of a change. Whatever
is wrong with it comes as one error, that names the file.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import h5py

from sim.files.unfinished import SIGNATURE, SafeFile

if TYPE_CHECKING:
    from collections.abc import Callable

ATTEMPTS = 5  # at a file that is not closed
RETRY_AFTER = 0.02  # s
REASON_LENGTH = 200  # of what HDF5 says


def read_file(path: str | Path, load: Callable[[h5py.File], Any], error_type: type[Exception]) -> Any:
    """Open a file and return `load(file)`. Raises FileNotFoundError and PermissionError, and for all else that is wrong
    with it error_type(path, reason)."""
    path = Path(path)
    if path.is_dir():
        raise error_type(path, "is a folder, not an HDF5 file")
    if path.exists() and not path.is_file():
        raise error_type(path, "is not a regular file")  # a pipe, say, at which a reader would wait
    for attempt in range(ATTEMPTS):
        unfinished = False
        try:
            with SafeFile(path) as raw:
                unfinished = raw.unfinished
                if not raw.start:
                    raise error_type(path, "is empty")
                if not raw.start.startswith(SIGNATURE):
                    raise error_type(path, "is not an HDF5 file")
                with h5py.File(raw, "r") as file:
                    return load(file)
        except (FileNotFoundError, PermissionError):
            raise
        except Exception as error:  # HDF5, h5py and numpy answer damage with errors of many types
            if unfinished and attempt < ATTEMPTS - 1:
                time.sleep(RETRY_AFTER)
                continue
            if isinstance(error, error_type):
                raise
            cause = describe_cause(error)
            if "truncated" in cause:
                raise error_type(path, "is cut short: part of it is missing, copy it again") from error
            raise error_type(path, f"is damaged or cut short ({cause})") from error
    raise AssertionError("not reached")


def describe_cause(error: Exception) -> str:
    """One short line."""
    lines = (str(error) or type(error).__name__).splitlines()
    return lines[0][:REASON_LENGTH]


def decode_text(value: object) -> str:
    """Text from HDF5 as str, whatever string type it was stored with."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
