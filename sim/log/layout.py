"""The format of a log file: which dataset holds which fields of which table.

Fields that belong together (pose, velocity, point, ...) share one dataset of shape (n, 2) or (n, 3); every other field
has a dataset of its own. Names, units and meanings come from `records` and `branch_table` in `sim/rows` alone.

Version 2 added `/branches` and `/events/impact_class`; version 3 `/steps/work_obstacles`, `/obstacle_poses` and
`/obstacle_work`; version 4 compresses the rows, and integers of rows are as narrow as they can be; version 5 added what
grippers, springs and controllers do. What a version did not have yet reads as 0.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import h5py
import numpy as np

from sim.log.columns.step_groups import STEP_GROUPS
from sim.rows import branch_table, cell_table, records

FORMAT = "stiction trajectory"
FORMAT_VERSION = 5
MESSAGE_BYTES, STATUS_BYTES = 1024, 32  # room for the message of a run and the name of its status in root attributes
BYTES_PER_CHUNK_ENTRY = 64  # generous size of one entry in HDF5's index of chunks
ROW_TABLES = branch_table.ROW_TABLES
TABLES = (*ROW_TABLES, "branches")
# table or dataset: the version that brought it
ADDED = {"branches": 2, "events/impact_class": 2, "steps/work_obstacles": 3, "steps/gripper": 5, "steps/command": 5,
         "steps/wrist": 5, "steps/spring_energy": 5, "steps/damper_work": 5}
TABLE_FIELDS = {
    "steps": records.STEP_FIELDS,
    "contacts": records.CONTACT_FIELDS,
    "events": records.EVENT_FIELDS,
    "impulses": records.CONTACT_FIELDS,
    "branches": branch_table.BRANCH_FIELDS,
    "cells": cell_table.CELL_FIELDS,  # of the logs of a sweep, see `sim/sweep/log_store.py`
}
TABLE_DTYPES = {
    "steps": records.STEP_DTYPE,
    "contacts": records.CONTACT_DTYPE,
    "events": records.EVENT_DTYPE,
    "impulses": records.CONTACT_DTYPE,
    "branches": branch_table.BRANCH_DTYPE,
    "cells": cell_table.CELL_DTYPE,
}
SHARED_DATASETS = {  # dataset: the fields that are its columns
    **STEP_GROUPS,
    "point": ("px", "py"),
    "normal": ("nx", "ny"),
    "velocity_before": ("vx_before", "vy_before", "omega_before"),
    "velocity_after": ("vx_after", "vy_after", "omega_after"),
    "member": branch_table.MEMBER_FIELDS,
    "first_row": branch_table.FIRST_FIELDS,
    "n_rows": branch_table.COUNT_FIELDS,
    "account": tuple(name for name in branch_table.BRANCH_DTYPE.names if name.startswith(branch_table.ACCOUNT_PREFIX)),
}
# Types in the file of integers of rows, where they are not "i8": codes that stand for words, and small numbers.
NARROW = {
    **dict.fromkeys(("set_kind", "type", "letter", "kind", "impact_class"), "i1"),
    **dict.fromkeys(("obstacle", "part_feature", "obstacle_feature", "alternatives", "n_contacts", "n_impulses"), "i4"),
}


class DatasetSpec(NamedTuple):
    """One dataset of a table."""

    name: str
    fields: tuple[str, ...]  # its columns, in order
    kind: str  # "f8", "i8" or "S" and a number of bytes (UTF-8)
    unit: str
    meaning: str
    values: tuple[str, ...]  # words for the integers 0, 1, ... ; empty if the integers are numbers


def find_values(table: str, field: str) -> tuple[str, ...]:
    """The words that the integers of a field stand for."""
    return (records.EVENT_WORDS if table == "events" else records.ROW_WORDS).get(field, ())


def build_layout(table: str) -> tuple[DatasetSpec, ...]:
    """The datasets of a table, in the order of its fields."""
    entries = {name: (kind, unit, meaning) for name, kind, unit, meaning in TABLE_FIELDS[table]}
    owner = {field: name for name, fields in SHARED_DATASETS.items() if fields[0] in entries for field in fields}
    specs = {}
    for field in entries:
        name = owner.get(field, field)
        fields = SHARED_DATASETS[name] if field in owner else (field,)
        units = [entries[each][1] for each in fields]
        meanings = list(dict.fromkeys(entries[each][2] for each in fields))
        specs[name] = DatasetSpec(
            name, fields, entries[field][0], join_units(units), "; ".join(meanings), find_values(table, field)
        )
    return tuple(specs.values())


def join_units(units: list[str]) -> str:
    """One unit where all columns share it, else one for each column: "m, m, rad"."""
    return units[0] if len(set(units)) == 1 else ", ".join(units)


LAYOUTS = {table: build_layout(table) for table in TABLE_FIELDS}


@lru_cache(maxsize=1024)
def find_type(spec: DatasetSpec) -> np.dtype:
    """The type of a dataset in the file."""
    if spec.kind[0] == "S":
        return h5py.string_dtype("utf-8", int(spec.kind[1:]))
    return np.dtype(NARROW.get(spec.name, spec.kind))


def count_row_bytes(table: str) -> int:
    """The room of one row of a table, not compressed."""
    return sum(find_type(spec).itemsize * len(spec.fields) for spec in LAYOUTS[table])


ROW_BYTES = {table: count_row_bytes(table) for table in TABLE_FIELDS}


def count_chunk_bytes(table: str, chunk_rows: int, there: int, new: int) -> int:
    """The room that new rows take at most, behind those that are there: whole chunks, and their entries."""
    chunks = -(-(there + new) // chunk_rows) - there // chunk_rows
    return chunks * (chunk_rows * ROW_BYTES[table] + len(LAYOUTS[table]) * BYTES_PER_CHUNK_ENTRY)


def is_in_version(version: int, table: str, dataset: str | None = None) -> bool:
    """Did files of this version have the table, or the dataset in it?"""
    newest = ADDED.get(table, 1) if dataset is None else max(ADDED.get(table, 1), ADDED.get(f"{table}/{dataset}", 1))
    return version >= newest


def unpack_columns(block: np.ndarray, fields: tuple[str, ...], table: np.ndarray) -> None:
    """Fill the fields of a table from the columns of a block, but for unknown ones."""
    for column, field in enumerate(fields):
        if field in table.dtype.names:
            table[field] = block if block.ndim == 1 else block[:, column]
