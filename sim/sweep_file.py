"""The file of a sweep: HDF5 that survives a kill at any moment, and can be read while it is written.

    /            attributes format, format_version, program, kernels, status
    /scene       the TOML text of the scene
    /plan        axes, samples and seed, as JSON
    /rows        one row a cell that has ended, see `sim.sweep_table`; attributes outcomes, units, meanings
    /texts       the texts that rows name by number
    /committed   how many texts and rows count, written last

As a log (`sim.storage`), the file is made under a temporary name, put in place with its first rows, and flushed after
every write: first texts and rows, then `/committed`. What stands beyond `/committed` does not count.
"""

from __future__ import annotations

import json
import os
import secrets
from pathlib import Path
from typing import NamedTuple

import h5py
import numpy as np

from sim import layout
from sim.axes import SweepError
from sim.disk_space import abandon_file, reserve_space
from sim.plan import Plan
from sim.reading import SWEEP_FORMAT
from sim.scene_difference import find_scene_difference
from sim.status import Status
from sim.storage import SPARE_BYTES, WriteError, append_rows, check_target, clean_text, set_attribute, trim_file
from sim.sweep_table import FIELD_NAMES, ROW_FIELDS, Rows, TextList, build_row_dtype, sort_rows

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
        self._partial = self._target.parent / f".stiction-{os.getpid()}-{secrets.token_hex(6)}.partial"
        self._in_place = False
        self.rows = 0
        self._texts = 0
        self.texts = TextList()
        self._file = None
        try:
            self._create(record)
        except (OSError, RuntimeError) as error:
            self._abandon()
            raise WriteError(self.path, error, 0) from error

    def _create(self, record: SweepRecord) -> None:
        self._file = file = h5py.File(self._partial, "x", libver=("v110", "v110"), locking=False)
        plan = json.dumps(record.plan.describe())
        reserve_space(file.id.get_vfd_handle(), self._target, 4 * len(record.text) + len(plan) + 2 * SPARE_BYTES)
        file.attrs["format"], file.attrs["format_version"] = FORMAT, np.int64(FORMAT_VERSION)
        file.attrs["program"], file.attrs["kernels"] = record.program, record.kernels
        file.attrs["status"] = np.int64(Status.RUNNING)
        file.create_dataset("scene", data=record.text, dtype=h5py.string_dtype()).attrs["source"] = clean_text(
            record.source)
        file.create_dataset("plan", data=plan, dtype=h5py.string_dtype())
        options = {"chunks": (CHUNK_ROWS,), "maxshape": (None,)}
        rows = file.create_dataset("rows", (0,), build_row_dtype([axis.name for axis in record.plan.axes]),
                                   **options)
        rows.attrs["outcomes"] = list(map(clean_text, record.outcomes))
        rows.attrs["fields"] = FIELD_NAMES
        rows.attrs["units"] = [unit for _, _, unit, _ in ROW_FIELDS]
        rows.attrs["meanings"] = [meaning for *_, meaning in ROW_FIELDS]
        texts = file.create_dataset("texts", (0,), TEXT_TYPE, chunks=(64,), maxshape=(None,), compression=1)
        self._datasets = texts, rows
        self._committed = file.create_dataset("committed", data=np.zeros(2, np.int64))
        self._committed.attrs["meaning"] = "number of valid texts and rows, written after them"
        file.flush()
        file.swmr_mode = True

    def write(self, rows: Rows) -> None:
        """Append rows and flush them. Raises WriteError, after which only `close` makes sense."""
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
                os.replace(self._partial, self._target)
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
                os.replace(self._partial, self._target)
        except (OSError, RuntimeError) as error:
            self._abandon()
            raise WriteError(self.path, error, self.rows) from error
        self._file = None

    def _abandon(self) -> None:
        """Let go of a file that cannot be completed: what was flushed stays, a file not in place disappears."""
        abandon_file(self._file)
        self._file = None
        if not self._in_place:
            self._partial.unlink(missing_ok=True)


def is_sweep_file(path: str | Path) -> bool:
    """Is this the file of a sweep, and not the log of one run?"""
    try:
        with h5py.File(path, "r", swmr=True, locking=False) as file:
            return file.attrs.get("format") == FORMAT
    except (OSError, KeyError, RuntimeError):
        return False


def read_sweep_file(path: str | Path) -> tuple[SweepRecord, np.ndarray, list[str], Status]:
    """Record, committed rows in the order of their cells (each cell once), texts and status. Raises SweepError."""
    path = Path(path)
    if not path.is_file():
        raise SweepError(f"there is no file {path}; `stiction sweep SCENE ... -o {path}` would write one")
    try:
        with h5py.File(path, "r", swmr=True, locking=False) as file:
            if file.attrs.get("format") == layout.FORMAT:
                raise SweepError(f"{path} is the log of a run, and not the table of a sweep, which `stiction sweep "
                                 f"SCENE ... -o FILE` writes; `stiction replay {path}` shows the motion, "
                                 f"`stiction check {path}` says what is in it")
            if file.attrs.get("format") != FORMAT:
                raise SweepError(f"{path} is not the file of a sweep")
            if int(file.attrs["format_version"]) != FORMAT_VERSION:
                raise SweepError(f"{path} has version {file.attrs['format_version']} of the format; this program reads "
                                 f"{FORMAT_VERSION}")
            n_texts, n_rows = file["committed"][...].tolist()
            table, raw = file["rows"][:n_rows], file["texts"][:n_texts]
            record = SweepRecord(
                file["scene"].asstr()[()], str(file["scene"].attrs["source"]),
                Plan.from_description(json.loads(file["plan"].asstr()[()])), str(file.attrs["program"]),
                str(file.attrs["kernels"]), tuple(map(str, file["rows"].attrs["outcomes"])))
            status = Status(int(file.attrs["status"]))
    except (OSError, KeyError, RuntimeError, json.JSONDecodeError) as error:
        raise SweepError(f"{path} cannot be read: {str(error).splitlines()[0]}") from error
    return record, *sort_rows(table, [text.decode("utf-8", "replace") for text in raw]), status
