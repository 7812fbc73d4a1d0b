"""The file of a sweep: HDF5 that survives a kill at any moment, and can be read while it is written.

    /            attributes format, format_version, program, kernels, status
    /scene       the TOML text of the scene
    /plan        axes, samples and seed, as JSON
    /rows        one row a cell that has ended, see `sim.sweep.table`; attributes outcomes, units, meanings
    /texts       the texts that rows name by number
    /committed   how many texts and rows count, written last

How it is written: `sim/files/growing_file.py`. What stands beyond `/committed` does not count.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import h5py
import numpy as np

from sim.files.fixed_text import clean_text, fix_text, fix_texts
from sim.files.growing_file import GrowingFile
from sim.files.held_interrupt import hold_interrupts
from sim.files.opening import decode_text, read_file
from sim.files.write_error import WriteError
from sim.log import layout
from sim.log.reading import SWEEP_FORMAT
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

FORMAT, FORMAT_VERSION = SWEEP_FORMAT, 4
FIRST_VERSION = 2  # that is read
ADDED = {3: ("largest_gripper_force",), 4: ("goal_time", "mean_velocity")}  # columns, by the version that brought them
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
            before = [old for old in theirs["axes"] if (old["key"], old["name"]) == (axis["key"], axis["name"])]
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
    together = f", together with {axis['leader']}" if axis.get("leader") else ""
    return f"{axis['name']} = {shown}{' ' + axis['unit'] if axis['unit'] else ''} ({axis['kind']}{together})"


class SweepFile:
    """Writes the rows of a sweep. Close it at the end, whatever happens in between."""

    def __init__(self, path: str | Path, record: SweepRecord):
        self.texts = TextList()
        self._file = GrowingFile(path, ("texts", "rows"), "rows")
        plan = json.dumps(record.plan.describe())
        with self._file.creating(4 * len(record.text) + len(plan)) as file:
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
            file.create_dataset("texts", (0,), TEXT_TYPE, chunks=(64,), maxshape=(None,), compression=1)
            file["committed"].attrs["meaning"] = fix_text("number of valid texts and rows, written after them")

    def write(self, rows: Rows) -> None:
        """Append rows and flush them. Raises WriteError, and then nothing more can be written."""
        with hold_interrupts():  # the texts that are numbered are those that are written
            table, written = self.texts.take(rows), self._file.rows["texts"]
            texts = np.array([clean_text(text).encode()[:256] for text in self.texts.texts[written:]], TEXT_TYPE)
            try:
                with self._file.writing(2 * table.nbytes + 2 * texts.nbytes + CHUNK_ROWS * table.itemsize):
                    self._file.append("texts", texts, "texts")
                    self._file.append("rows", table, "rows")
                    self._file.commit({"texts": len(texts), "rows": len(table)})
            except WriteError:
                self._file.abandon()
                raise

    def close(self, status: Status) -> None:
        """Write how the sweep ended and close the file. Closing twice does nothing."""
        self._file.close({"status": np.int64(status)}, keep=status is Status.COMPLETED)


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
        if not FIRST_VERSION <= version <= FORMAT_VERSION:
            raise SweepFileError(path, f"has version {version} of the format; this program reads {FIRST_VERSION} to "
                                       f"{FORMAT_VERSION}")
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
    table = _add_columns(table, int(file.attrs["format_version"]), [axis.name for axis in record.plan.axes])
    _check_rows(table, record, len(texts))
    return record, *sort_rows(table, texts), Status(int(file.attrs["status"]))


def _add_columns(table: np.ndarray, version: int, names: list[str]) -> np.ndarray:
    """A table of a former version with the columns that it does not have, which are not known: NaN."""
    missing = [name for since, columns in ADDED.items() if since > version for name in columns]
    full = build_row_dtype(names)
    if not missing or table.dtype.names != tuple(name for name in full.names or () if name not in missing):
        return table
    wide = np.zeros(len(table), full)
    for name in full.names or ():
        wide[name] = np.nan if name in missing else table[name]
    return wide


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
