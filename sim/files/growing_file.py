"""The one writer of HDF5: files that survive a kill, a full disk and Ctrl-C, and can be read while they grow.

A file that grows holds datasets to which rows are added, and /committed, which counts those of each table that are
valid. Everything is created first under a hidden name beside the target; the first rows put it in place of an older
file in one step. From then on the file is in HDF5's single-writer-multiple-readers mode, and rows are committed: first
they are flushed, then /committed is. So a process killed at any moment leaves a file that holds every row up to the
last commit. Rows past /committed do not count.

Rows of datasets that are compressed (`append_columns`) are committed COMMIT_AFTER seconds after those before them, or
later where nothing is written: see `columns.py`.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import h5py
import numpy as np

from sim.files.columns import ColumnWriter
from sim.files.disk_space import abandon_file, reserve_space, trim_file
from sim.files.held_interrupt import hold_interrupts
from sim.files.partial_file import PartialFile
from sim.files.write_error import WriteError, check_target
from sim.tolerances import COMMIT_AFTER

SPARE_BYTES = 256 * 1024  # reserved for HDF5's own bookkeeping with every write
OPTIONS = {"libver": ("v110", "v110"), "locking": False}
# The system writes page by page, and a process may be killed between two: then what HDF5 keeps its way by is half old
# and half new, and its checksum is that of neither. So nothing of it that fits into a page lies across two.
PAGES = {"fs_strategy": "page", "fs_page_size": 4096}


class GrowingFile:
    """An HDF5 file that grows by rows. Fill it within `creating`, add rows within `writing`, then `close` it.

    tables: what /committed counts, in its order; told: the one of which errors say how many rows are kept. `rows` are
    the numbers of rows committed; `in_place` says whether the path holds this file. `broken`: HDF5 has failed within a
    write, and can do nothing more with the file; `torn`: a write was broken off, and nobody knows what it wrote.
    """

    def __init__(self, path: str | Path, tables: Iterable[str], told: str):
        self.path = Path(path)
        self.target = Path(os.path.realpath(self.path))
        self.rows = dict.fromkeys(tables, 0)
        self.pending = dict.fromkeys(tables, 0)
        self.in_place = self.broken = self.torn = False
        self._told = told
        self._partial: PartialFile | None = None
        self._file: h5py.File | None = None
        self._datasets: dict[str, h5py.Dataset] = {}
        self._columns: dict[str, ColumnWriter] = {}
        self._committed = -math.inf  # s, when rows were committed last
        check_target(self.path, self.target)

    @property
    def is_open(self) -> bool:
        """Can anything more be written, if only how it ended?"""
        return self._file is not None

    @contextmanager
    def creating(self, room: int) -> Iterator[h5py.File]:
        """A block that makes all that the file has without rows, in `room` bytes at most; /committed is there already.

        Raises WriteError. Whatever fails within it leaves nothing behind.
        """
        try:
            self._partial = PartialFile(self.target)
            self._file = make_file(self._partial.path)
            reserve_room(self._file, self.target, room + 2 * SPARE_BYTES)
            self._file.create_dataset("committed", data=np.zeros(len(self.rows), np.int64))
            yield self._file
            self._file.flush()
            self._file.swmr_mode = True
        except (OSError, RuntimeError) as error:
            self.abandon()
            raise WriteError(self.path, error, 0) from error
        except BaseException:
            self.abandon()
            raise

    @contextmanager
    def writing(self, room: int) -> Iterator[None]:
        """A block of `append` and `commit`, for which `room` bytes are reserved; Ctrl-C comes after it.

        Raises ValueError where the file is closed, and WriteError, after which only `close` makes sense.
        """
        if self._file is None or self.broken:
            raise ValueError(f"the log {self.path} is closed")
        with hold_interrupts():
            try:
                reserve_room(self._file, self.target, room)
            except OSError as error:  # rows that wait have their room
                raise WriteError(self.path, error, self.rows[self._told] + self.pending[self._told]) from error
            try:
                yield
                if any(self.rows.values()):
                    self._publish()
            except (OSError, RuntimeError) as error:
                self.broken = True
                raise WriteError(self.path, error, self.rows[self._told]) from error
            except BaseException:
                self.torn = True
                raise

    def append(self, name: str, block: np.ndarray, table: str) -> None:
        """Write a block into a dataset, behind the committed rows of its table."""
        if len(block):
            append_rows(self._open(name).id, self.rows[table], block)

    def append_columns(self, name: str, columns: np.ndarray | Sequence[np.ndarray]) -> None:
        """Add rows to a dataset made with `columns.FILTERS`, behind all that were added: a block, or its columns."""
        if isinstance(columns, np.ndarray):
            columns = [columns] if columns.ndim == 1 else list(columns.T)
        if len(columns) and len(columns[0]):
            if name not in self._columns:
                self._columns[name] = ColumnWriter(self._file[name])
            self._columns[name].append(columns)

    def count(self, new: dict[str, int]) -> None:
        """So many new rows of each table wait to be committed."""
        for name, count in new.items():
            self.pending[name] += count

    @property
    def is_due(self) -> bool:
        """Is it time to commit what waits?"""
        return time.monotonic() - self._committed >= COMMIT_AFTER

    def wait(self) -> None:
        """Let the first rows wait as others do."""
        self._committed = time.monotonic()

    def commit(self, new: dict[str, int] | None = None, last: bool = False) -> None:
        """Flush what was appended, and then that so many new rows of each table, and all that wait, count.

        last: is nothing more to come?
        """
        for column in self._columns.values():
            if last:
                column.finish()
            else:
                column.flush()
        self._file.flush()
        self.count(new or {})
        rows = {name: count + self.pending[name] for name, count in self.rows.items()}
        committed = self._open("committed")
        committed[...] = list(rows.values())
        committed.flush()
        self.rows, self.pending = rows, dict.fromkeys(rows, 0)
        self._committed = time.monotonic()

    def close(self, attributes: dict[str, object], last: Iterable[tuple] = (), keep: bool = True) -> None:
        """Append what is `last` (arguments of `append_columns`), commit all, rewrite root attributes in place and close
        the file.

        keep: may it take the place of an older file, if it did not do so with rows? A file that may not, or that is
        broken, is abandoned. Closing twice does nothing. Raises WriteError.
        """
        with hold_interrupts():
            if self._file is None:
                return
            if self.broken or not (keep or self.in_place or any(self.pending.values())):
                self.abandon()
                return
            try:
                for arguments in last:
                    self.append_columns(*arguments)
                self.commit(last=True)
                for name, value in attributes.items():
                    set_attribute(self._file, name, value)
                self._file.flush()
                self._publish()
                close_file(self._file)
            except (OSError, RuntimeError) as error:
                self.abandon()
                raise WriteError(self.path, error, self.rows[self._told]) from error
            self._file = None

    def abandon(self) -> None:
        """Let go of a file that cannot be completed: rows that were flushed stay, an unpublished file disappears."""
        abandon_file(self._file)
        self._file = None
        self._columns.clear()
        if not self.in_place and self._partial is not None:
            self._partial.discard()

    def _open(self, name: str) -> h5py.Dataset:
        if name not in self._datasets:
            self._datasets[name] = self._file[name]
        return self._datasets[name]

    def _publish(self) -> None:
        """Put the file in place of an older one, in one step."""
        if self.in_place:
            return
        if os.name == "nt":  # pragma: no cover  (an open file cannot be renamed there)
            self._datasets.clear()
            self._file.close()
            self._partial.publish()
            self._file = h5py.File(self.target, "r+", **OPTIONS)
            self._file.swmr_mode = True
            for name, column in self._columns.items():
                column.move(self._file[name])
        else:
            self._partial.publish()
        self.in_place = True


@contextmanager
def create_whole(target: Path, room: int) -> Iterator[h5py.File]:
    """A block that fills an HDF5 file of about `room` bytes, which takes the place of an older one when the block has
    ended, and never where it fails. Raises OSError, RuntimeError."""
    with PartialFile(target) as partial:
        file = make_file(partial.path)
        try:
            reserve_room(file, target, room)
            yield file
            close_file(file)
        except BaseException:
            abandon_file(file)
            raise
        partial.publish()


def make_file(path: Path) -> h5py.File:
    """An empty file. No locks: they would keep readers out."""
    return h5py.File(path, "w", **OPTIONS, **PAGES)


def reserve_room(file: h5py.File, target: Path, room: int) -> None:
    """See that the file can grow by `room` bytes and HDF5's bookkeeping. Raises OSError."""
    reserve_space(file.id.get_vfd_handle(), target, file.id.get_filesize() + room + SPARE_BYTES)


def close_file(file: h5py.File) -> None:
    """Close a file and give back what was reserved and not used."""
    descriptor = os.dup(file.id.get_vfd_handle())
    try:
        file.close()
        trim_file(descriptor)
    finally:
        os.close(descriptor)


def append_rows(dataset: h5py.h5d.DatasetID, first: int, block: np.ndarray) -> None:
    """Write a block from row `first` on. By HDF5's own calls: the short form of h5py takes several times as long."""
    origin = (first, *(0 for _ in block.shape[1:]))
    dataset.set_extent((first + len(block), *block.shape[1:]))
    place = dataset.get_space()
    place.select_hyperslab(origin, block.shape)
    dataset.write(h5py.h5s.create_simple(block.shape), place, block)


def set_attribute(file: h5py.File, name: str, value: object) -> None:
    """Overwrite a root attribute in place: in this mode of HDF5 no attribute may be made or resized."""
    attribute = h5py.h5a.open(file.id, name.encode())
    attribute.write(np.asarray(value, dtype=getattr(value, "dtype", None)))
