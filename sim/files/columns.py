"""Columns of a file that grows: rows are gathered to whole chunks, and each chunk is written once, compressed.

A chunk that must be in the file before it is full is written compressed as well, and again when it is full, to another
place: while others may read, HDF5 does not use again the room that a chunk had, so a kill in the middle of a write
leaves the rows that count, and that room is lost. Where a chunk must be there a second time before it is full, its rows
come slowly: it gets the room of a chunk that is not compressed, and its later rows go into that room too, where what
was committed is never written differently. So no more room is lost than one chunk takes compressed.
"""

from __future__ import annotations

from collections.abc import Sequence

import h5py
import numpy as np

from sim.files.chunk_code import LEVEL, encode_chunk

FILTERS = {"shuffle": True, "compression": "gzip", "compression_opts": LEVEL}  # of a dataset that is written so
_AS_IT_IS = 0b11  # leave out both filters


class ColumnWriter:
    """Appends rows to a dataset that was made with FILTERS. Rows are in the file after `flush` or `finish`."""

    def __init__(self, dataset: h5py.Dataset):
        self._id, self._name = dataset.id, dataset.name.rpartition("/")[2]
        self._chunk = np.zeros(dataset.chunks, dataset.dtype)
        self._rows = 0  # appended
        self._extent = 0  # of the dataset
        self._has_room = False  # is there room in the file for the chunk as it is?
        self._length = 0  # bytes of the chunk that are in the file, compressed

    def move(self, dataset: h5py.Dataset) -> None:  # pragma: no cover  (where an open file cannot be renamed)
        """Go on in the same dataset of a file that was opened again."""
        self._id = dataset.id

    def append(self, columns: Sequence[np.ndarray]) -> None:
        """Add rows behind those that are there; chunks that become full are written. columns: (n,) each, of a dataset
        (n, columns), or the one of a dataset (n,). Raises ValueError for a number that the dataset cannot hold."""
        size, start, end = len(self._chunk), 0, len(columns[0])
        chunk = self._chunk.reshape(size, -1)
        while start < end:
            place = self._rows % size
            n = min(size - place, end - start)
            for index, column in enumerate(columns):
                target, source = chunk[place : place + n, index], column[start : start + n]
                target[...] = source
                if target.dtype.kind == "i" and target.dtype != source.dtype and (target != source).any():
                    raise ValueError(f"{self._name} {source[target != source][0]} is no number that a log can hold")
            self._rows += n
            start += n
            if self._rows % size == 0:
                self._write(is_last=True)
                self._has_room, self._length = False, 0

    def _is_zero(self) -> bool:
        return not self._chunk[0].tobytes().strip(b"\0") and not self._chunk.view(np.uint8).any()

    def flush(self) -> None:
        """Hand all rows to HDF5, while more may come."""
        if self._extent < self._rows:
            self._write(is_last=False)

    def finish(self) -> None:
        """Hand all rows to HDF5, for the last time."""
        if self._extent < self._rows:
            self._write(is_last=True)

    def _write(self, is_last: bool) -> None:
        """Write the chunk; is_last: for the last time."""
        self._id.set_extent((self._rows, *self._chunk.shape[1:]))
        self._extent = self._rows
        filled = (self._rows - 1) % len(self._chunk) + 1
        self._chunk[filled:] = np.zeros((), self._chunk.dtype)
        if not self._has_room and not self._length and self._is_zero():
            return  # HDF5 reads zeros where no chunk was written
        first = ((self._rows - 1) // len(self._chunk) * len(self._chunk), *(0 for _ in self._chunk.shape[1:]))
        code = encode_chunk(self._chunk) if not self._has_room and (is_last or not self._length) else None
        if code is not None and len(code) != self._length:  # one of the same length would go to the same place
            self._id.write_direct_chunk(first, code)
            self._length = len(code)
            return
        self._id.write_direct_chunk(first, self._chunk.view(np.uint8), _AS_IT_IS)
        self._has_room = True
