"""The file of a sweep: HDF5 that survives a kill at any moment, and can be read while it is written.

    /            attributes format, format_version, program, kernels, status
    /scene       the TOML text of the scene
    /plan        axes, samples and seed, as JSON
    /rows        one row a cell that has ended, see `sim.sweep.table`; attributes outcomes, units, meanings
    /texts       the texts that rows name by number
    /committed   how many texts and rows count, written last

As a log (`sim.log.sink`), the file is made under a temporary name, put in place with its first rows, and flushed after
every write: first texts and rows, then `/committed`. What stands beyond `/committed` does not count.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import h5py
import numpy as np

from sim.files.disk_space import abandon_file, reserve_space
from sim.files.fixed_text import clean_text, fix_text, fix_texts
from sim.files.held_interrupt import hold_interrupts
from sim.files.opening import decode_text, read_file
from sim.files.partial_file import PartialFile
from sim.log import layout
from sim.log.reading import SWEEP_FORMAT
from sim.log.sink import SPARE_BYTES, WriteError, append_rows, check_target, set_attribute, trim_file
from sim.rows.status import Status
from sim.scene.difference import find_scene_difference
from sim.scene.scene_errors import SceneError
from sim.sweep.axes import SweepError
from sim.sweep.plan import Plan
from sim.sweep.table import (
    FIELD_NAMES,
    NOT_STARTED,
    ROW_FIELDS,
    TEXT_FIELDS,
    Rows,
    TextList,
    build_row_dtype,
    sort_rows,
)

FORMAT, FORMAT_VERSION = SWEEP_FORMAT, 2
TEXT_TYPE = np.dtype("S256")
CHUNK_ROWS = 1024


class SweepRecord(NamedTuple):
    """What a sweep is a sweep of: two sweeps with equal records have equal tables."""

    text: str  # TOML of the scene
    source: str
    plan: Plan
    program: str
    kernels: str  # hash of all sources that the motion depends on
    outcomes: tuple[str, ...]

    def find_difference(self, other: SweepRecord) -> str:
        """The first thing in which another record differs, "" if nothing does."""
        if (self.program, self.kernels) != (other.program, other.kernels):
            return (f"the program has changed: the file was written by {other.program} ({other.kernels[:12]}), this is "
                    f"{self.program} ({self.kernels[:12]})")
        difference = find_scene_difference(other.text, self.text)
        if difference:
            return f"the scene has changed: {difference}"
        mine, theirs = self.plan.describe(), other.plan.describe()
        if mine == theirs:
            return ""
        for axis in mine["axes"]:
            before = [old for old in theirs["axes"] if old["key"] == axis["key"]]
            if not before:
                return f"the grid has changed: {axis['name']} did not vary before"
            if before[0] != axis:
                return f"the grid has changed: {describe_axis(before[0])} before, {describe_axis(axis)} now"
        return f"the grid has changed: {describe_plan(theirs)} before, {describe_plan(mine)} now"


def describe_plan(plan: dict) -> str:
    names = ", ".join(axis["name"] for axis in plan["axes"])
    return f"axes {names} with samples {plan['samples']}, seed {plan['seed']}"


def describe_axis(axis: dict) -> str:
    values = axis["words"] or axis["values"]
    shown = f"{values[0]} to {values[-1]}, {len(values)} values" if len(values) > 3 else ", ".join(map(str, values))
    return f"{axis['name']} = {shown}{' ' + axis['unit'] if axis['unit'] else ''} ({axis['kind']})"


class SweepFile:
    """Writes the rows of a sweep. Close it at the end, whatever happens in between."""

    def __init__(self, path: str | Path, record: SweepRecord):
        self.path = Path(path)
        self._target = Path(os.path.realpath(self.path))
        check_target(self.path, self._target)
        self._partial: Any = None  # a PartialFile, as soon as there is one
        self._in_place = False
        self.rows = 0
        self._texts = 0
        self.texts = TextList()
        self._file: Any = None  # an h5py.File, while it is open
        try:
            self._partial = PartialFile(self._target)
            self._create(record)
        except (OSError, RuntimeError) as error:
            self._abandon()
            raise WriteError(self.path, error, 0) from error

    def _create(self, record: SweepRecord) -> None:
        self._file = file = h5py.File(self._partial.path, "w", libver=("v110", "v110"), locking=False)
        plan = json.dumps(record.plan.describe())
        reserve_space(file.id.get_vfd_handle(), self._target, 4 * len(record.text) + len(plan) + 2 * SPARE_BYTES)
        file.attrs["format"], file.attrs["format_version"] = fix_text(FORMAT), np.int64(FORMAT_VERSION)
        file.attrs["program"], file.attrs["kernels"] = fix_text(record.program), fix_text(record.kernels)
        file.attrs["status"] = np.int64(Status.RUNNING)
        file.create_dataset("scene", data=fix_text(record.text)).attrs["source"] = fix_text(record.source)
        file.create_dataset("plan", data=fix_text(plan))
        options = {"chunks": (CHUNK_ROWS,), "maxshape": (None,)}
        rows = file.create_dataset("rows", (0,), build_row_dtype([axis.name for axis in record.plan.axes]),
                                   **options)
        rows.attrs["outcomes"] = fix_texts(record.outcomes)
        rows.attrs["fields"] = fix_texts(FIELD_NAMES)
        rows.attrs["units"] = fix_texts(unit for _, _, unit, _ in ROW_FIELDS)
        rows.attrs["meanings"] = fix_texts(meaning for *_, meaning in ROW_FIELDS)
        texts = file.create_dataset("texts", (0,), TEXT_TYPE, chunks=(64,), maxshape=(None,), compression=1)
        self._datasets = texts, rows
        self._committed = file.create_dataset("committed", data=np.zeros(2, np.int64))
        self._committed.attrs["meaning"] = fix_text("number of valid texts and rows, written after them")
        file.flush()
        file.swmr_mode = True

    def write(self, rows: Rows) -> None:
        """Append rows and flush them. Raises WriteError, after which only `close` makes sense."""
        with hold_interrupts():
            self._write(rows)

    def _write(self, rows: Rows) -> None:
        table = self.texts.take(rows)
        texts = np.array([clean_text(text).encode()[:256] for text in self.texts.texts[self._texts :]], TEXT_TYPE)
        try:
            size = 2 * table.nbytes + 2 * texts.nbytes + SPARE_BYTES + CHUNK_ROWS * table.itemsize
            reserve_space(self._file.id.get_vfd_handle(), self._target, self._file.id.get_filesize() + size)
            if len(texts):
                append_rows(self._datasets[0].id, self._texts, texts)
            if len(table):
                append_rows(self._datasets[1].id, self.rows, table)
            self._file.flush()
            self._committed[...] = [self._texts + len(texts), self.rows + len(table)]
            self._committed.flush()
            if not self._in_place:
                self._partial.publish()
                self._in_place = True
        except (OSError, RuntimeError) as error:
            self._abandon()
            raise WriteError(self.path, error, self.rows) from error
        self._texts += len(texts)
        self.rows += len(table)

    def close(self, status: Status) -> None:
        """Write how the sweep ended and close the file. Closing twice does nothing."""
        if self._file is None:
            return
        if not self._in_place and status is not Status.COMPLETED:
            self._abandon()
            return
        try:
            set_attribute(self._file, "status", np.int64(status))
            self._file.flush()
            descriptor = os.dup(self._file.id.get_vfd_handle())
            try:
                self._file.close()
                trim_file(descriptor)
            finally:
                os.close(descriptor)
            if not self._in_place:
                self._partial.publish()
        except (OSError, RuntimeError) as error:
            self._abandon()
            raise WriteError(self.path, error, self.rows) from error
        self._file = None

    def _abandon(self) -> None:
        """Let go of a file that cannot be completed: what was flushed stays, a file not in place disappears."""
        abandon_file(self._file)
        self._file = None
        if not self._in_place and self._partial is not None:
            self._partial.discard()


class SweepFileError(SweepError):
    """A file is not that of a sweep, or cannot be read; the message names it and says why."""

    def __init__(self, path: str | Path, reason: str):
        super().__init__(f"{path} {reason}")


def is_sweep_file(path: str | Path) -> bool:
    """Is this the file of a sweep, and not the log of one run?"""
    try:
        return read_file(path, lambda file: decode_text(file.attrs.get("format", "")) == FORMAT, SweepFileError)
    except (OSError, SweepFileError):
        return False


@contextmanager
def blame_file(path: str | Path) -> Iterator[None]:
    """What is wrong with the scene in a file is said of the file. Raises SweepFileError for SceneError."""
    try:
        yield
    except SceneError as error:
        raise SweepFileError(path, f"holds a scene that cannot be used: {error}") from error


def read_from_sweep(path: str | Path, load: Callable[[h5py.File], Any]) -> Any:
    """`load(file)` of the file of a sweep. Raises SweepError for whatever is wrong with it."""
    def check_and_load(file: h5py.File) -> Any:
        name = decode_text(file.attrs.get("format", ""))
        if name == layout.FORMAT:
            raise SweepFileError(path, f"is the log of a run, and not the table of a sweep, which `stiction sweep "
                                       f"SCENE ... -o FILE` writes; `stiction replay {path}` shows the motion, "
                                       f"`stiction check {path}` says what is in it")
        if name != FORMAT:
            raise SweepFileError(path, "is not the file of a sweep")
        version = int(file.attrs["format_version"])
        if version != FORMAT_VERSION:
            raise SweepFileError(path, f"has version {version} of the format; this program reads {FORMAT_VERSION}")
        return load(file)

    try:
        return read_file(path, check_and_load, SweepFileError)
    except FileNotFoundError:
        raise SweepError(f"there is no file {path}; `stiction sweep SCENE ... -o {path}` would write one") from None
    except PermissionError as error:
        raise SweepFileError(path, f"cannot be read: {error.strerror}") from error


def read_sweep_file(path: str | Path) -> tuple[SweepRecord, np.ndarray, list[str], Status]:
    """Record, committed rows in the order of their cells (each cell once), texts and status. Raises SweepError."""
    return read_from_sweep(path, _load_sweep)


def _load_sweep(file: h5py.File) -> tuple[SweepRecord, np.ndarray, list[str], Status]:
    n_texts, n_rows = file["committed"][...].tolist()
    if not (0 <= n_texts <= len(file["texts"]) and 0 <= n_rows <= len(file["rows"])):
        raise ValueError("rows or texts are not all there")
    table, raw = file["rows"][:n_rows], file["texts"][:n_texts]
    outcomes = tuple(map(decode_text, file["rows"].attrs["outcomes"]))
    record = SweepRecord(
        decode_text(file["scene"][()]), decode_text(file["scene"].attrs["source"]),
        Plan.from_description(json.loads(decode_text(file["plan"][()]))), decode_text(file.attrs["program"]),
        decode_text(file.attrs["kernels"]), outcomes)
    texts = [text.decode("utf-8", "replace") for text in raw]
    _check_rows(table, record, len(texts))
    return record, *sort_rows(table, texts), Status(int(file.attrs["status"]))


def _check_rows(table: np.ndarray, record: SweepRecord, n_texts: int) -> None:
    """Does every row name a cell, an outcome, a status and texts that there are? Raises ValueError."""
    if table.dtype != build_row_dtype([axis.name for axis in record.plan.axes]):
        raise ValueError("the columns of /rows are not those of the plan")
    limits = {"cell": (0, len(record.plan)), "outcome": (0, len(record.outcomes)),
              "status": (NOT_STARTED, max(Status) + 1), **dict.fromkeys(TEXT_FIELDS, (0, n_texts))}
    for name, (least, end) in limits.items():
        wrong = table[name][(table[name] < least) | (table[name] >= end)]
        if len(wrong):
            raise ValueError(f"/rows has {name} {wrong[0]}; valid: {least} to {end - 1}")
