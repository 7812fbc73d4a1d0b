"""Rows that wait to be written, however many they are."""

from __future__ import annotations

import os
import tempfile

import numpy as np

SPOOL_BYTES = 64 * 2**20  # rows beyond this wait on the disk


class Spool:
    """Keeps copies of rows: the first in memory, further ones in a file without a name, that goes with them.

    Nothing more can be kept after the `with` block; what was kept stays.
    """

    def __init__(self):
        self._bytes, self._file = 0, None

    def __enter__(self) -> Spool:
        return self

    def __exit__(self, *unused) -> None:
        if self._file is not None:
            self._file.close()

    def keep(self, rows: np.ndarray) -> np.ndarray:
        """A copy. Raises OSError where the disk is full."""
        self._bytes += rows.nbytes
        if self._bytes <= SPOOL_BYTES or not len(rows):
            return rows.copy()
        if self._file is None:
            self._file = tempfile.TemporaryFile(prefix="stiction-")
        place = self._file.seek(0, os.SEEK_END)
        self._file.write(rows.tobytes())
        self._file.flush()
        return np.memmap(self._file, rows.dtype, "r", place, rows.shape)
