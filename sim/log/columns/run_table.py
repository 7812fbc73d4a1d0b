"""The columns of a run as a table: CSV, a pandas DataFrame, and the contacts with one obstacle."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sim.files.partial_file import PartialFile, prepare_place
from sim.files.write_error import WriteError
from sim.log.columns.run_columns import ColumnError, RunColumn, find_contacts, get_all_columns, list_columns
from sim.log.columns.run_rows import RunRows, word_rows
from sim.rows.records import ROW_WORDS

if TYPE_CHECKING:
    import pandas

EVENTS = "events"  # the column of words
CONTACT_ROW = np.dtype([
    ("time", "f8"), ("step", "i8"), ("fn", "f8"), ("ft", "f8"), ("slip", "f8"), ("gap", "f8"), ("letter", "U1"),
    ("type", "U1"), ("point", "f8", (2,)), ("normal", "f8", (2,)), ("part_feature", "i8"), ("obstacle_feature", "i8")])


def build_contact_table(run: RunRows, obstacle: str) -> np.ndarray:
    """(k,) CONTACT_ROW, a row for each closed contact with an obstacle at each logged time. Raises ColumnError."""
    places, owner = find_contacts(run, obstacle)
    rows = run.contacts[places]
    table = np.zeros(len(rows), CONTACT_ROW)
    table["time"], table["step"] = run.time[owner], owner
    for name in ("fn", "ft", "slip", "gap", "part_feature", "obstacle_feature"):
        table[name] = rows[name]
    for name in ("letter", "type"):
        table[name] = np.array(ROW_WORDS[name])[rows[name]]
    table["point"] = np.column_stack((rows["px"], rows["py"]))
    table["normal"] = np.column_stack((rows["nx"], rows["ny"]))
    table.flags.writeable = False
    return table


def choose_columns(run: RunRows, names: Sequence[str] | None) -> list[RunColumn]:
    """The columns of a table: time, then those of the names, or all that there are. Raises ColumnError, SceneError."""
    if isinstance(names, str):
        names = [names]
    wanted = [name for name, _, _ in list_columns(run)] if names is None else list(names)
    return get_all_columns(run, ["time", *(name for name in wanted if name != EVENTS)])


def build_frame(run: RunRows, names: Sequence[str] | None = None) -> pandas.DataFrame:
    """The rows as a DataFrame over time; see `Trajectory.to_frame`."""
    try:
        import pandas
    except ImportError:
        raise ColumnError("a frame needs pandas: pip install pandas, or 'stiction[notebook]'") from None
    time, *others = choose_columns(run, names)
    data: dict[str, np.ndarray] = {
        column.name: np.array(column.list_values(), dtype=object) if column.words else np.array(column.values)
        for column in others}
    if names is None or EVENTS in names:
        data[EVENTS] = np.array(word_rows(run), dtype=object)
    frame = pandas.DataFrame(data, index=pandas.Index(np.array(time.values), name="time"))
    frame.attrs["units"] = {column.name: column.unit for column in (time, *others)}
    return frame


def write_table(run: RunRows, path: str | Path, names: Sequence[str] | None = None) -> Path:
    """The rows as CSV; see `Trajectory.to_csv`."""
    path = Path(path)
    columns = choose_columns(run, names)
    heads = [column.name if column.unit == "1" else f"{column.name} [{column.unit}]" for column in columns]
    try:
        prepare_place(path)
        with PartialFile(path) as partial:
            with partial.open("w", newline="", encoding="utf-8") as file:
                writer = csv.writer(file)
                writer.writerow([*heads, EVENTS])
                writer.writerows(zip(*(column.list_values() for column in columns), word_rows(run), strict=True))
            partial.publish()
    except OSError as error:
        raise WriteError(path, error, 0, "table") from error
    return path
