"""Read log files, also those that are being written or were killed, and say clearly what is wrong with others.

Files of older versions are read as well: what they did not have yet is 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from geometry.errors import StictionError
from geometry.shapes.outline_table import restore_outline
from sim.files.opening import decode_text, read_file
from sim.log import layout
from sim.log.bodies import BodyRecord, SceneRecord
from sim.log.obstacle_log import load_load_work, load_motions, load_names, load_work
from sim.log.trajectory import NO_ACCOUNT, Trajectory
from sim.log.tree import Branch, Tree
from sim.rows.account import Account, unpack_account
from sim.rows.branch_table import COUNT_FIELDS, FIRST_FIELDS, NO_PARENT, unpack_status
from sim.rows.status import Status, find_status

BROKEN_OFF = (Status.RUNNING, Status.INTERRUPTED, Status.DISK_FULL, Status.WRITE_FAILED, Status.FAILED)
BODY_NUMBERS = ("mu", "e", "mass", "rho", "surface_speed")  # what the attributes of a body hold
SWEEP_FORMAT = "stiction sweep"  # of `sim.sweep.sweep_file`
CELL_LOGS_FORMAT = "stiction sweep logs"  # of `sim.sweep.log_store`


class TrajectoryFileError(StictionError, ValueError):
    """A file is not a log that can be read; `path` names it, the message says why."""

    def __init__(self, path: str | Path, reason: str):
        super().__init__(f"{path}: {reason}")
        self.path = Path(path)
        self.reason = reason


def read_trajectory(path: str | Path, branch: int | None = None) -> Trajectory:
    """Read a log. A run that is still going on, or was killed, comes back with status RUNNING and all committed rows.

    Of a tree: the whole motion from the start to the end of `branch`; without a number, of the first leaf that was
    followed. Raises FileNotFoundError, or TrajectoryFileError if the file is no log, is damaged, comes from a newer
    version, or has no such branch.
    """
    return read_log(path, lambda file, path: load_trajectory(file, path, branch))


def read_source(path: str | Path, branch: int | None = None) -> Trajectory | Tree:
    """What a log holds, to be shown or judged: one motion, or a tree if no branch of it is asked for.

    Raises as `read_trajectory` does, and where numbers that stand for words or bodies stand for none.
    """
    if branch is None and count_branches(path):
        tree = read_tree(path)
        for each in tree.branches:
            if each.rows is not None:
                check_meaning(each.rows, path)
        return tree
    return check_meaning(read_trajectory(path, branch), path)


def read_tree(path: str | Path) -> Tree:
    """Read the log of a tree. Of one that is still growing, or was killed: all finished branches, status RUNNING;
    branches that had begun and not ended come back without rows.

    Raises FileNotFoundError, or TrajectoryFileError as `read_trajectory` does, and if the log is that of one motion.
    """
    return read_log(path, load_tree)


def count_branches(path: str | Path) -> int:
    """The number of branches in a log that have ended; 0 if it is that of one motion. Raises as `read_trajectory`."""
    return read_log(path, lambda file, path: load_counts(file, path)["branches"])


def read_trajectories(paths: Iterable[str | Path]) -> Iterator[tuple[Path, Trajectory | Exception]]:
    """Read many logs: yields each path with its trajectory, or with the error that names what is wrong with it."""
    for path in paths:
        try:
            yield Path(path), read_trajectory(path)
        except (TrajectoryFileError, OSError) as error:
            yield Path(path), error


def describe_file(path: str | Path) -> list[str]:
    """A few lines about what a log holds, without reading its rows."""
    return read_log(path, load_description)


def read_log(path: str | Path, load: Callable[[h5py.File, str | Path], Any]) -> Any:
    """`load(file, path)` of a log."""
    def check_and_load(file: h5py.File):
        check_format(file, path)
        return load(file, path)

    return read_file(path, check_and_load, TrajectoryFileError)


def check_format(file: h5py.File, path: str | Path) -> None:
    """Is this one of our logs, of a version that can be read?"""
    name, number = decode_text(file.attrs.get("format", "")), file.attrs.get("format_version", 0)
    if name == SWEEP_FORMAT:
        raise TrajectoryFileError(path, f"is the table of a sweep, and not the log of a run: `stiction plot {path}` "
                                        "shows it, `stiction replay --cell` one of its runs")
    if name == CELL_LOGS_FORMAT:
        raise TrajectoryFileError(path, "holds the logs of the runs of a sweep: `stiction replay SWEEP.h5 --cell` "
                                        "shows one of them")
    if name != layout.FORMAT:
        raise TrajectoryFileError(path, f"is HDF5, but not a {layout.FORMAT} (no such `format` attribute)")
    if int(number) > layout.FORMAT_VERSION:
        raise TrajectoryFileError(
            path,
            f"was written by a newer version ({decode_text(file.attrs.get('program', '?'))}, format {int(number)}; "
            f"this one reads formats up to {layout.FORMAT_VERSION})",
        )


def load_trajectory(file: h5py.File, path: str | Path, branch: int | None = None) -> Trajectory:
    """All that a log holds, or one path of a tree."""
    counts = load_counts(file, path)
    if counts["branches"]:
        tree = load_tree(file, path)
        number = tree.first_leaf if branch is None else branch
        if not 0 <= number < len(tree):
            raise TrajectoryFileError(path, f"has no branch {number}; valid are 0 to {len(tree) - 1}")
        return tree.trajectory(number)
    if branch is not None:
        raise TrajectoryFileError(path, f"has no branch {branch}: it is the log of one motion, without branches")
    status, account, message = load_end(file)
    steps, contacts, events, impulses = load_rows(file, path, counts).values()
    return Trajectory(None, steps, contacts, events, impulses, status, account, message,
                      load_record(file, counts["steps"]))


def load_rows(file: h5py.File, path: str | Path, counts: dict[str, int]) -> dict[str, np.ndarray]:
    """The four tables of rows, their links checked."""
    tables = {name: load_table(file, name, counts[name]) for name in layout.ROW_TABLES}
    check_links(tables, path)
    return tables


def load_tree(file: h5py.File, path: str | Path) -> Tree:
    """All branches of a tree."""
    counts = load_counts(file, path)
    if counts["branches"] == 0:
        raise TrajectoryFileError(path, "is the log of one motion, not of a tree: use read_trajectory")
    status, _, message = load_end(file)
    tables, record = load_rows(file, path, counts), load_record(file, counts["steps"])
    branches: dict[int, Branch] = {}
    for row in load_table(file, "branches", counts["branches"]):
        number, parent = int(row["number"]), int(row["parent"])
        if number in branches or (parent == NO_PARENT) != (number == 0) or (number and parent not in branches):
            raise TrajectoryFileError(path, f"is damaged: /branches has no place for branch {number}")
        children = range(row["first_child"], row["first_child"] + row["n_children"])
        member = float(row["member_x"]), float(row["member_y"]), float(row["member_q"])
        works = {"obstacle_work": load_work(file, len(branches)), "load_work": load_load_work(file, len(branches))}
        branches[number] = Branch(
            number, parent, int(row["depth"]), float(row["time"]), row["taken"].decode("utf-8", "replace"),
            bool(row["sample"]), member if row["has_member"] else None,
            cut_branch(tables, row, record, path, works) if row["followed"] else None,
            int(row["merged_into"]), list(children),
        )  # fmt: skip
    add_unfinished(branches)
    if sorted(branches) != list(range(len(branches))):
        raise TrajectoryFileError(path, "is damaged: /branches does not have all numbers")
    return Tree(None, [branches[number] for number in range(len(branches))], status, message)


def cut_branch(tables: dict[str, np.ndarray], row: np.void, record: SceneRecord, path: str | Path,
               works: dict[str, Any]) -> Trajectory:
    """The rows of one branch, with links that count from its own first rows. works: those entries of its account."""
    firsts, numbers = ([int(row[name]) for name in names] for names in (FIRST_FIELDS, COUNT_FIELDS))
    own = []
    for table, first, number in zip(tables.values(), firsts, numbers, strict=True):
        if not 0 <= first <= first + number <= len(table):
            raise TrajectoryFileError(path, f"is damaged: branch {row['number']} has rows that are not there")
        own.append(table[first : first + number].copy())
    steps, contacts, events, impulses = own
    steps["first_contact"] -= firsts[1]
    events["first_impulse"] -= firsts[3]
    check_links(dict(zip(layout.ROW_TABLES, own, strict=True)), path)
    status, account, message = unpack_status(row)
    account = account and replace(account, **works)
    return Trajectory(None, steps, contacts, events, impulses, status, account, message, record)


def add_unfinished(branches: dict[int, Branch]) -> None:
    """Branches that had begun and not ended when the log broke off: only their parents are known."""
    for parent in list(branches.values()):
        for number in parent.children:
            if number not in branches:
                rows = parent.get_rows()
                time = max([parent.time, *rows.time[-1:], *rows.event_rows["time"][-1:]])
                branches[number] = Branch(number, parent.number, parent.depth + 1, float(time), "", False, None)


def load_end(file: h5py.File) -> tuple[Status, Account | None, str]:
    """How the run ended; its account, None where it is missing."""
    status, message = find_status(file.attrs["status"]), decode_text(file.attrs["status_message"])
    if status is not Status.RUNNING and status != int(file.attrs["status"]):
        message = f"{decode_text(file.attrs['status_name'])}: {message}"
    account = unpack_account(file.attrs["account"])
    if status in BROKEN_OFF and account == Account():  # what former versions wrote where they did not know
        account = None
    works: dict[str, Any] = {"obstacle_work": load_work(file), "load_work": load_load_work(file)}
    return status, account and replace(account, **works), message


def load_counts(file: h5py.File, path: str | Path) -> dict[str, int]:
    """The number of committed rows of each table, checked against what the datasets hold."""
    version = int(file.attrs["format_version"])
    tables = [table for table in layout.TABLES if layout.is_in_version(version, table)]
    counts = dict.fromkeys(layout.TABLES, 0)
    counts |= zip(tables, (int(count) for count in file["committed"][...]), strict=True)
    for table in tables:
        count = counts[table]
        shortest = min(len(file[table][spec.name]) for spec in list_datasets(file, table))
        if shortest < count:
            raise TrajectoryFileError(path, f"is damaged: /{table} holds {shortest} of {count} rows")
    return counts


def load_table(file: h5py.File, table: str, count: int) -> np.ndarray:
    """The first `count` rows of a table."""
    return load_slice(file, table, list_datasets(file, table) if count else (), 0, count)


def load_slice(file: h5py.File, table: str, specs: Iterable[layout.DatasetSpec], first: int, count: int) -> np.ndarray:
    """Some rows of a table, from the datasets `specs`."""
    rows = np.zeros(count, layout.TABLE_DTYPES[table])
    for spec in specs if count else ():
        dataset = file[table][spec.name]
        columns = tuple(map(decode_text, dataset.attrs.get("columns", spec.fields)))
        layout.unpack_columns(dataset[first : first + count], columns, rows)
    return rows


def list_datasets(file: h5py.File, table: str) -> list[layout.DatasetSpec]:
    """The datasets that a table of this file must have; of an older version, also such as it was ahead with."""
    version, group = int(file.attrs["format_version"]), file[table]
    return [spec for spec in layout.LAYOUTS[table]
            if layout.is_in_version(version, table, spec.name) or spec.name in group]


def check_links(tables: dict[str, np.ndarray], path: str | Path) -> None:
    """Do the rows that steps and events point at exist?"""
    for table, child, first, number in (
        ("steps", "contacts", "first_contact", "n_contacts"),
        ("events", "impulses", "first_impulse", "n_impulses"),
    ):
        if len(tables[table]) and tables[table][number].min() < 0:
            raise TrajectoryFileError(path, f"is damaged: /{table} has a negative {number}")
        ends = tables[table][first] + tables[table][number]
        if len(ends) and (ends.max() > len(tables[child]) or tables[table][first].min() < 0):
            raise TrajectoryFileError(path, f"is damaged: /{table} points past the end of /{child}")


def check_meaning(trajectory: Trajectory, path: str | Path) -> Trajectory:
    """The same trajectory, of a log of which more is wanted than its numbers: time goes on, and every number that
    stands for a word or a body stands for one. Raises TrajectoryFileError."""
    times, n_obstacles = trajectory.time, len(trajectory.record.obstacles)
    if not (np.isfinite(times).all() and (np.diff(times) >= 0.0).all()):
        raise TrajectoryFileError(path, "is damaged: the times of its rows do not go on")
    for table in layout.ROW_TABLES:
        rows = trajectory.event_rows if table == "events" else getattr(trajectory, table)
        names = rows.dtype.names or ()
        limits = {field: len(values) for field in names if (values := layout.find_values(table, field))}
        limits |= {"obstacle": n_obstacles} if "obstacle" in names else {}
        least = dict.fromkeys(limits, 0) | ({"obstacle": -1, "type": -1} if table == "events" else {})
        for field, end in limits.items():
            wrong = rows[field][(rows[field] < least[field]) | (rows[field] >= end)]
            if len(wrong):
                valid = f"; valid: 0 to {end - 1}" if end else ", and there is none"
                raise TrajectoryFileError(path, f"is damaged: /{table} has {field} {wrong[0]}{valid}")
    return trajectory


def load_record(file: h5py.File, n_steps: int) -> SceneRecord:
    """Scene text, outlines, and how obstacles move."""
    scene = file["scene"]
    workpiece, obstacles = None, {}
    motions = load_motions(file, n_steps, decode_text(scene[()]))
    for dataset in file["bodies"].values():
        attributes = dataset.attrs
        numbers: dict = {key: float(attributes[key]) for key in BODY_NUMBERS if key in attributes}
        words: dict = {key: decode_text(attributes[key]) for key in ("drawing", "sha256") if key in attributes}
        body = BodyRecord(
            decode_text(attributes["name"]), restore_outline(dataset[...]), **numbers, **words,
            motion=motions.get(int(attributes["index"])) if decode_text(attributes["role"]) == "obstacle" else None,
        )
        if decode_text(attributes["role"]) == "workpiece":
            workpiece = body
        else:
            obstacles[int(attributes["index"])] = body
    if workpiece is None:
        raise KeyError("no workpiece in /bodies")
    if sorted(obstacles) != list(range(len(obstacles))):  # rows point at obstacles by their places
        raise KeyError(f"the obstacles in /bodies have the numbers {sorted(obstacles)}")
    ordered = tuple(obstacles[index] for index in range(len(obstacles)))
    name, summary, source = (decode_text(scene.attrs[key]) for key in ("name", "summary", "source"))
    return SceneRecord(name, summary, decode_text(scene[()]), source, workpiece, ordered, load_names(file))


def load_description(file: h5py.File, path: str | Path) -> list[str]:
    """The lines of `describe_file`."""
    status, account, message = load_end(file)
    counts = load_counts(file, path)
    attributes, scene = file.attrs, file["scene"].attrs
    lines = [
        f"file       {path}",
        f"format     {layout.FORMAT}, version {int(attributes['format_version'])}, "
        f"written by {decode_text(attributes['program'])}",
        f"scene      {decode_text(scene['name']) or '(without a name)'}: {decode_text(scene['summary'])}".rstrip(": "),
        f"bodies     {', '.join(decode_text(body.attrs['name']) for body in file['bodies'].values())}",
        "rows       " + ", ".join(f"{counts[table]} {table}" for table in layout.TABLES),
    ]
    if counts["steps"]:
        times = file["steps/time"]
        lines.append(f"time       {times[0]:.9g} s to {times[counts['steps'] - 1]:.9g} s")
    lines.append(f"status     {status}: {status.happened}")
    if message:
        lines.append(f"message    {message}")
    if counts["branches"]:
        lines.append("account    each branch has its own")
    elif account is None:
        lines.append(f"account    {NO_ACCOUNT}")
    else:
        lines.extend(f"account    {line}" for line in account.describe())
    return lines
