"""The log file: HDF5 that survives a kill, a full disk and Ctrl-C, and can be read while it is written.

    /                 attributes format, format_version, program, status, status_name, status_message, account
    /scene            the TOML text of the scene, enough to run it again; attributes name, summary, source
    /bodies/NAME      (n, 2) vertices of the workpiece (about its centre of mass) and of each obstacle (world, t = 0)
    /steps/...        one row a logged time
    /contacts/...     one row for each closed contact of each step, see /steps/first_contact and n_contacts
    /events/...       one row an event
    /impulses/...     one row for each contact of each event, see /events/first_impulse and n_impulses
    /branches/...     one row for each branch of a tree, see `sim/log/tree_sink.py`; empty for one motion
    /obstacle_...     where obstacles that move are, and the work that they do, see `sim/log/obstacle_log.py`
    /committed        how many rows of the five tables are valid, written last

Everything is created first under a temporary name beside the target; the first chunk of rows puts it in place of an
older file in one step. From then on the file is in HDF5's single-writer-multiple-readers mode: every chunk ends with a
flush, first of the rows, then of `/committed`. So a process killed at any moment leaves a file that holds every row up
to the last flush, with status RUNNING. Rows past `/committed` do not count.

`RUNNING` files carry HDF5's mark of an open file. `read_trajectory` reads them; with h5py use `h5py.File(path, "r",
swmr=True)`; `read_trajectory(path).save(other)` makes a plain closed file of one.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import h5py
import numpy as np

from geometry.errors import StictionError
from sim.files.disk_space import NO_ROOM, abandon_file, reserve_space
from sim.files.fixed_text import fix_text, fix_texts
from sim.files.held_interrupt import hold_interrupts
from sim.files.partial_file import PartialFile
from sim.log import layout
from sim.log.bodies import SceneRecord, build_scene_record
from sim.log.log_header import create_table, open_table, write_root, write_scene
from sim.log.obstacle_log import count_pose_bytes, create_poses, create_work
from sim.rows.account import Account, pack_account
from sim.rows.branch_table import BRANCH_DTYPE
from sim.rows.records import number_events
from sim.rows.status import Status, describe_failure

if TYPE_CHECKING:
    from sim.scene.scene import Scene

DEFAULT_CHUNK_ROWS = 1024
MAX_CHUNK_ROWS = 8192  # 64 KiB of one field
MIN_CHUNK_ROWS = 32
SPARE_BYTES = 256 * 1024  # reserved for HDF5's own bookkeeping with every chunk of rows
NO_BRANCHES = np.zeros(0, BRANCH_DTYPE)
BYTES_PER_CHUNK_ENTRY = 64  # generous size of one entry in HDF5's index of chunks


class WriteError(StictionError, OSError):
    """A log could not be written; `status` is DISK_FULL or WRITE_FAILED. The rows up to the last flush are kept."""

    def __init__(self, path: Path, cause: BaseException, rows_kept: int):
        self.status = Status.DISK_FULL if find_errno(cause) in NO_ROOM else Status.WRITE_FAILED
        number = find_errno(cause)
        reason = os.strerror(number) if number else str(cause).splitlines()[0]
        super().__init__(number, reason, str(path))
        self.rows_kept = rows_kept

    def __str__(self) -> str:
        kept = f"; the first {self.rows_kept} steps are kept in it" if self.rows_kept else ""
        return f"cannot write the log {self.filename}: {self.strerror}{kept}"


class H5Sink:
    """Writes the chunks of a run to an HDF5 log. Use it in a `with` block, or call `close` at the end.

    Leaving the block by Ctrl-C closes the log as INTERRUPTED, by another error as FAILED, and without an account: only
    who followed the motion knows it, and closes the log with it (`simulate` does). Ctrl-C never falls into a write; it
    comes after it. A run that fails before its first row leaves an older file of that name as it was; `in_place` says
    whether the path holds this log. `rows_hint` is the expected number of steps, for the sizes of HDF5's chunks.
    """

    def __init__(self, path: str | Path, scene: Scene | SceneRecord, rows_hint: int | None = None):
        self.path = Path(path)
        self._target = Path(os.path.realpath(self.path))
        self._rows = dict.fromkeys(layout.TABLES, 0)
        self._chunk_rows = choose_chunk_rows(rows_hint)
        self._file: Any = None  # an h5py.File, while it is open
        self._broken = False  # HDF5 has failed within a write, and can do nothing more with the file
        self._torn = False  # a write was broken off: nobody knows whether an account is that of the rows
        self.in_place = False
        record = scene if isinstance(scene, SceneRecord) else build_scene_record(scene)
        check_target(self.path, self._target)
        self._partial: Any = None  # a PartialFile, as soon as there is one
        try:
            self._partial = PartialFile(self._target)
            self._create(record)
        except (OSError, RuntimeError) as error:
            self._abandon()
            raise WriteError(self.path, error, 0) from error
        except BaseException:
            self._abandon()
            raise

    def __enter__(self) -> H5Sink:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if self._file is None:
            return
        if not self.in_place and error is not None:
            self._abandon()
        elif error is not None:
            status, message = describe_failure(error)
            self.close(status, None, message)
        else:
            self.close(Status.FAILED, None, "the log was left without being closed")

    @property
    def rows(self) -> dict[str, int]:
        """The number of rows in the file, of each table."""
        return dict(self._rows)

    def write(self, steps: np.ndarray, contacts: np.ndarray, events: np.ndarray, impulses: np.ndarray,
              branches: np.ndarray = NO_BRANCHES, works: tuple[float, ...] = ()) -> None:
        """Append one chunk of each table and flush it; raises WriteError, after which only `close` makes sense.

        works: with the row of a branch, the work [J] of each obstacle that moves; () if it was not followed.
        """
        if self._file is None or self._broken:
            raise ValueError(f"the log {self.path} is closed")
        tables = dict(zip(layout.TABLES, (steps, contacts, number_events(events), impulses, branches), strict=True))
        with hold_interrupts():
            try:
                self._reserve({name: len(table) for name, table in tables.items()})
            except OSError as error:
                raise WriteError(self.path, error, self._rows["steps"]) from error
            try:
                if len(branches):
                    self._add_work(works)
                self._append(tables)
                self._publish()
            except (OSError, RuntimeError) as error:
                self._broken = True
                raise WriteError(self.path, error, self._rows["steps"]) from error
            except BaseException:
                self._torn = True
                raise

    def close(self, status: Status, account: Account | None, message: str = "") -> None:
        """Write how the run ended and close the file. Closing twice does nothing.

        account: that of the rows that were written; None if it is not known.
        """
        with hold_interrupts():
            if self._file is not None:
                self._close(status, None if self._torn else account, message)

    def _close(self, status: Status, account: Account | None, message: str) -> None:
        keeps_older = not self.in_place and status is not Status.COMPLETED and self._target.exists()
        if self._broken or keeps_older:
            self._abandon()
            return
        try:
            if account is not None and account.obstacle_work:
                self._add_work(account.obstacle_work)
            set_attribute(self._file, "status", int(status))
            set_attribute(self._file, "status_name", fix_text(Status(status).name, layout.STATUS_BYTES))
            set_attribute(self._file, "status_message", fix_text(message, layout.MESSAGE_BYTES))
            set_attribute(self._file, "account", pack_account(account))
            self._file.flush()
            self._publish()
            descriptor = os.dup(self._file.id.get_vfd_handle())
            try:
                self._file.close()
                trim_file(descriptor)
            finally:
                os.close(descriptor)
        except (OSError, RuntimeError) as error:
            self._abandon()
            raise WriteError(self.path, error, self._rows["steps"]) from error
        self._file = None

    def _create(self, record: SceneRecord) -> None:
        """Make the whole file, without rows, under the temporary name."""
        self._file = h5py.File(self._partial.path, "w", libver=("v110", "v110"), locking=False)
        vertices = sum(body.vertices.nbytes for body in (record.workpiece, *record.obstacles))
        self._reserve({}, vertices + 4 * len(record.text) + 4096 * len(record.obstacles) + 2 * SPARE_BYTES)
        write_root(self._file)
        names = write_scene(self._file, record)
        self._datasets = {name: create_table(self._file, name, self._chunk_rows) for name in layout.TABLES}
        self._obstacles = record.obstacles
        self._poses = create_poses(self._file, names, record, self._chunk_rows["steps"])
        self._work = create_work(self._file, record)
        self._committed = self._file.create_dataset("committed", data=np.zeros(len(layout.TABLES), np.int64))
        self._committed.attrs["columns"] = fix_texts(layout.TABLES)
        self._committed.attrs["meaning"] = fix_text("number of valid rows of each table, written after the rows")
        self._file.flush()
        self._file.swmr_mode = True

    def _reserve(self, new_rows: dict[str, int], other: int = 0) -> None:
        """Reserve the room that the new rows take at most."""
        size = other + SPARE_BYTES
        for name, count in new_rows.items():
            rows = self._chunk_rows[name]
            before, after = (-(-total // rows) for total in (self._rows[name], self._rows[name] + count))
            row_bytes = sum(layout.find_type(spec).itemsize * len(spec.fields) for spec in layout.LAYOUTS[name])
            entries = len(layout.LAYOUTS[name]) * BYTES_PER_CHUNK_ENTRY
            size += (after - before) * (rows * row_bytes + entries)
            if name == "steps":
                size += (after - before) * count_pose_bytes(self._obstacles, rows, BYTES_PER_CHUNK_ENTRY)
        identifier = self._file.id
        reserve_space(identifier.get_vfd_handle(), self._target, identifier.get_filesize() + size)

    def _append(self, tables: dict[str, np.ndarray]) -> None:
        for motion, dataset in self._poses if len(tables["steps"]) else ():
            append_rows(dataset.id, self._rows["steps"], motion.evaluate_frame(tables["steps"]["time"])[0])
        for name, table in tables.items():
            if len(table) == 0:
                continue
            for spec, dataset in zip(layout.LAYOUTS[name], self._datasets[name], strict=True):
                append_rows(dataset.id, self._rows[name], layout.pack_columns(table, spec))
        self._file.flush()
        rows = {name: self._rows[name] + len(table) for name, table in tables.items()}
        self._committed[...] = [rows[name] for name in layout.TABLES]
        self._committed.flush()
        self._rows = rows

    def _add_work(self, works: tuple[float, ...]) -> None:
        """Append the works of a run or branch; NaN where they are not known."""
        if self._work is not None:
            row = np.array([works or [np.nan] * self._work.shape[1]])
            append_rows(self._work.id, len(self._work), row)

    def _publish(self) -> None:
        """Put the file in place of an older one, in one step."""
        if self.in_place:
            return
        if os.name == "nt":  # pragma: no cover  (an open file cannot be renamed there)
            names = [(motion, dataset.name) for motion, dataset in self._poses]
            self._file.close()
            self._partial.publish()
            self._file = h5py.File(self._target, "r+", libver=("v110", "v110"), locking=False)
            self._file.swmr_mode = True
            self._datasets = {name: open_table(self._file, name) for name in layout.TABLES}
            self._committed = self._file["committed"]
            self._poses = [(motion, self._file[name]) for motion, name in names]
            self._work = self._file.get("obstacle_work")
        else:
            self._partial.publish()
        self.in_place = True

    def _abandon(self) -> None:
        """Let go of a file that cannot be completed: rows that were flushed stay, an unpublished file disappears."""
        abandon_file(self._file)
        self._file = None
        if not self.in_place and self._partial is not None:
            self._partial.discard()


def choose_chunk_rows(rows_hint: int | None) -> dict[str, int]:
    """Rows in a chunk of each table: large for long runs, small where most of a chunk would stay empty."""
    steps = DEFAULT_CHUNK_ROWS if rows_hint is None else 1 << max(int(rows_hint) - 1, 0).bit_length()
    steps = min(max(steps, MIN_CHUNK_ROWS), MAX_CHUNK_ROWS)
    rare = max(steps // 8, MIN_CHUNK_ROWS)
    return {"steps": steps, "contacts": steps, "events": rare, "impulses": rare, "branches": MIN_CHUNK_ROWS}


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


def trim_file(descriptor: int) -> None:
    """Give back what was reserved and not used: cut a closed file at the end that its superblock states."""
    superblock = os.pread(descriptor, 36, 0) if hasattr(os, "pread") else b""
    if superblock[8:9] == b"\x03":
        end = int.from_bytes(superblock[28:36], "little")
        if 0 < end < os.fstat(descriptor).st_size:
            os.ftruncate(descriptor, end)


def find_errno(error: BaseException) -> int:
    """The system's error number of a failure; h5py states it in the text of errors of other types. 0 if unknown."""
    if isinstance(error, OSError) and error.errno:
        return error.errno
    match = re.search(r"errno = (\d+)", str(error))
    return int(match.group(1)) if match else 0
