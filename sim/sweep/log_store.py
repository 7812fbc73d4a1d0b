"""The logs of a sweep: the rows of all runs in few files, a *part* for each time that the sweep was begun or resumed.

    NAME.logs/part_000.h5
        /             attributes format, format_version, program, kernels, status
        /scene        the TOML text of the scene
        /plan         axes, samples and seed, as JSON
        /cells/...    one row a run: its cell, where its rows begin and how many they are, how it ended, its account
        /cells/values, /cells/obstacle_work     the value of each axis; J done by each obstacle that moves
        /steps/..., /contacts/..., /events/..., /impulses/...     as in the log of one run, see `sim/log/layout.py`
        /committed    how many rows of the five tables count, written last

Links from steps to contacts and from events to impulses count from the first rows of each run, so that the rows of a
run are those of its own log. Batches are committed as a whole, before their rows are in the table of the sweep: a row
of the table that should have a log has one, whatever happens. How it is written: `sim/files/growing_file.py`.

Before there were parts, each run had a log of its own here (`cell_0000012.h5`); these are read as well.
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import TYPE_CHECKING

import h5py
import numpy as np

from sim.files.columns import FILTERS
from sim.files.fixed_text import fix_text, fix_texts
from sim.files.growing_file import GrowingFile
from sim.files.opening import decode_text, read_file
from sim.log import layout
from sim.log.log_header import create_table
from sim.log.reading import CELL_LOGS_FORMAT, TrajectoryFileError, check_links, load_slice
from sim.log.trajectory import Trajectory
from sim.rows.branch_table import COUNT_FIELDS, FIRST_FIELDS, ROW_TABLES, unpack_status
from sim.rows.status import Status

if TYPE_CHECKING:
    from sim.scene.scene import Scene
    from sim.sweep.logged_cells import CellLogs
    from sim.sweep.sweep_file import SweepRecord

FORMAT_VERSION = 1
TABLES = (*ROW_TABLES, "cells")
CHUNK_ROWS = {"steps": 16384, "contacts": 16384, "events": 512, "impulses": 512, "cells": 64}
PART = "part_*.h5"


class LogStore:
    """Writes the logs of a sweep, to a file that is made with the first of them. Close it at the end."""

    def __init__(self, output: Path, record: SweepRecord, resumed: bool):
        """output: of the sweep. The parts of an older sweep go where this one is not `resumed`, with its first logs."""
        self._folder, self._record, self._resumed = find_folder(output), record, resumed
        self._file: GrowingFile | None = None
        self._n_axes = len(record.plan.axes)

    @property
    def waits(self) -> bool:
        """Are there logs that are not committed yet?"""
        return self._file is not None and any(self._file.pending.values())

    def commit(self) -> None:
        """Commit all logs. Raises WriteError."""
        if self.waits:
            with self._file.writing(0):  # rows that wait have their room
                self._file.commit()

    def write(self, logs: CellLogs) -> None:
        """Append the rows of some runs; they are committed when others have not been for COMMIT_AFTER seconds. Raises
        WriteError."""
        if not len(logs):
            return
        if self._file is None:
            self._file = self._create(logs.works.shape[1])
        file = self._file
        there = {name: file.rows[name] + file.pending[name] for name in TABLES}
        new = {name: sum(len(piece[k]) for piece in logs.pieces) for k, name in enumerate(ROW_TABLES)}
        new["cells"] = len(logs)
        cells = logs.cells.copy()
        for field, name in zip(FIRST_FIELDS, ROW_TABLES, strict=True):
            cells[field] += there[name]
        extra = (self._n_axes + logs.works.shape[1]) * 8 * CHUNK_ROWS["cells"]
        with file.writing(extra + sum(layout.count_chunk_bytes(name, CHUNK_ROWS[name], there[name], count)
                                      for name, count in new.items())):
            for piece in logs.pieces:
                for name, table in zip(ROW_TABLES, piece, strict=True):
                    self._append(name, table)
            self._append("cells", cells)
            file.append_columns("cells/values", logs.values)
            if logs.works.shape[1]:
                file.append_columns("cells/obstacle_work", logs.works)
            file.count(new)
            if file.is_due:
                file.commit()

    def _append(self, name: str, table: np.ndarray) -> None:
        for spec in layout.LAYOUTS[name] if len(table) else ():
            self._file.append_columns(f"{name}/{spec.name}", [table[field] for field in spec.fields])

    def close(self, status: Status) -> None:
        """Write how the sweep ended and close the file. Closing twice does nothing."""
        if self._file is not None:
            self._file.close({"status": np.int64(status)})

    def _create(self, n_works: int) -> GrowingFile:
        self._folder.mkdir(parents=True, exist_ok=True)
        parts = find_parts(self._folder)
        if not self._resumed:
            for part in parts:
                part.unlink()
            parts = []
        number = 1 + max((int(part.stem.removeprefix("part_")) for part in parts), default=-1)
        growing, record = GrowingFile(self._folder / f"part_{number:03d}.h5", TABLES, "cells"), self._record
        plan = json.dumps(record.plan.describe())
        with growing.creating(4 * len(record.text) + len(plan)) as file:
            file.attrs["format"], file.attrs["format_version"] = fix_text(CELL_LOGS_FORMAT), np.int64(FORMAT_VERSION)
            file.attrs["program"], file.attrs["kernels"] = fix_text(record.program), fix_text(record.kernels)
            file.attrs["status"] = np.int64(Status.RUNNING)
            file.create_dataset("scene", data=fix_text(record.text)).attrs["source"] = fix_text(record.source)
            file.create_dataset("plan", data=fix_text(plan))
            for name in TABLES:
                create_table(file, name, CHUNK_ROWS)
            values = _create_block(file, "cells/values", self._n_axes, "value of each axis of the sweep", "as in /plan")
            values.attrs["columns"] = fix_texts(axis.name if axis.is_factor else axis.key
                                                     for axis in record.plan.axes)
            if n_works:
                _create_block(file, "cells/obstacle_work", n_works, "work done by each obstacle that moves", "J")
            file["committed"].attrs["columns"] = fix_texts(TABLES)
            file["committed"].attrs["meaning"] = fix_text("number of valid rows of each table, written after the rows")
        return growing


def _create_block(file: h5py.File, name: str, width: int, meaning: str, unit: str) -> h5py.Dataset:
    dataset = file.create_dataset(name, (0, width), "f8", maxshape=(None, width), chunks=(CHUNK_ROWS["cells"], width),
                                  **FILTERS)  # fmt: skip
    dataset.attrs["unit"], dataset.attrs["meaning"] = fix_text(unit), fix_text(meaning)
    return dataset


def find_folder(output: Path) -> Path:
    """Where the logs of a sweep lie."""
    return output.with_name(f"{output.stem}.logs")


def find_parts(folder: Path) -> list[Path]:
    """The files of a store, in the order in which they were written."""
    return sorted(folder.glob(PART))


def find_log(output: Path, record: SweepRecord, cell: int, scene: Scene) -> tuple[Trajectory | None, Path | None, str]:
    """The log of a cell in the parts of a sweep, with the file that has it; and a note, "" for none.

    scene: of the cell.
    """
    note = ""
    for part in reversed(find_parts(find_folder(output))):
        try:
            found = read_file(part, lambda file, part=part: _load(file, part, record, cell, scene), TrajectoryFileError)
        except TrajectoryFileError as error:
            note = note or f"its log cannot be used: {error}"
            continue
        if isinstance(found, Trajectory):
            return found, part, ""
        note = note or found
    return None, None, note


def list_logged(output: Path, record: SweepRecord) -> list[int]:
    """The cells of a sweep that its parts have logs of, rising. Parts of another sweep, or that cannot be read, have
    none."""
    found: set[int] = set()
    for part in find_parts(find_folder(output)):
        try:
            cells = read_file(part, lambda file, part=part: _list_cells(file, part, record), TrajectoryFileError)
        except TrajectoryFileError:
            continue
        found.update(cells)
    return sorted(found)


def _list_cells(file: h5py.File, part: Path, record: SweepRecord) -> list[int]:
    if _check_part(file, part, record):
        return []
    count = dict(zip(TABLES, file["committed"][...].tolist(), strict=True))["cells"]
    return file["cells/cell"][:count].tolist()


def _check_part(file: h5py.File, part: Path, record: SweepRecord) -> str:
    """Why a part is not of this sweep, "" if it is. Raises TrajectoryFileError."""
    if decode_text(file.attrs.get("format", "")) != CELL_LOGS_FORMAT:
        raise TrajectoryFileError(part, f"is HDF5, but not {CELL_LOGS_FORMAT}")
    version = int(file.attrs["format_version"])
    if version != FORMAT_VERSION:
        raise TrajectoryFileError(part, f"has version {version} of the format; this program reads {FORMAT_VERSION}")
    plan = json.loads(decode_text(file["plan"][()]))
    if decode_text(file["scene"][()]) != record.text or plan != json.loads(json.dumps(record.plan.describe())):
        return f"{part} has the logs of another scene, left by another sweep"
    return ""


def _load(file: h5py.File, part: Path, record: SweepRecord, cell: int, scene: Scene) -> Trajectory | str:
    """The run of a cell, or why it is not there."""
    other = _check_part(file, part, record)
    if other:
        return other
    counts = dict(zip(TABLES, file["committed"][...].tolist(), strict=True))
    places = np.flatnonzero(file["cells/cell"][: counts["cells"]] == cell)
    if not len(places):
        return ""
    place = int(places[-1])
    row = load_slice(file, "cells", layout.LAYOUTS["cells"], place, 1)[0]
    rows = {}
    for name, first, number in zip(ROW_TABLES, FIRST_FIELDS, COUNT_FIELDS, strict=True):
        begin, n = int(row[first]), int(row[number])
        if not 0 <= begin <= begin + n <= counts[name]:
            raise TrajectoryFileError(part, f"is damaged: cell {cell} has rows that are not there")
        rows[name] = load_slice(file, name, layout.LAYOUTS[name], begin, n)
    check_links(rows, part)
    status, account, message = unpack_status(row)
    if account is not None and "obstacle_work" in file["cells"]:
        works = file["cells/obstacle_work"][place]
        known = () if np.isnan(works).any() else tuple(map(float, works))
        account = dataclasses.replace(account, obstacle_work=known)
    steps, contacts, events, impulses = rows.values()
    return Trajectory(scene, steps, contacts, events, impulses, status, account, message)
