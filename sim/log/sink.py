"""The log file: HDF5 that survives a kill, a full disk and Ctrl-C, and can be read while it is written.

    /                 attributes format, format_version, program, status, status_name, status_message, account
    /scene            the TOML text of the scene, enough to run it again; attributes name, summary, source
    /bodies/NAME      vertices, or edges and arcs, of the workpiece (about its centre of mass) and of each obstacle
                      (world, t = 0)
    /steps/...        one row a logged time
    /contacts/...     one row for each closed contact of each step, see /steps/first_contact and n_contacts
    /events/...       one row an event
    /impulses/...     one row for each contact of each event, see /events/first_impulse and n_impulses
    /branches/...     one row for each branch of a tree, see `sim/log/tree_sink.py`; empty for one motion
    /obstacle_...     where obstacles that move are, and the work that they do, see `sim/log/obstacle_log.py`
    /committed        how many rows of the five tables are valid, written last

How it is written: `sim/files/growing_file.py`, chunk by chunk compressed. A process killed at any moment leaves a file
with status RUNNING, that holds every row but those of its last second.

`RUNNING` files carry HDF5's mark of an open file. `read_trajectory` reads them; with h5py use `h5py.File(path, "r",
swmr=True)`; `read_trajectory(path).save(other)` makes a plain closed file of one.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sim.files.fixed_text import fix_text, fix_texts
from sim.files.growing_file import GrowingFile
from sim.log import layout
from sim.log.bodies import SceneRecord, build_scene_record
from sim.log.log_header import create_table, write_root, write_scene
from sim.log.obstacle_log import count_pose_bytes, create_load_work, create_poses, create_work
from sim.rows.account import Account, pack_account
from sim.rows.branch_table import BRANCH_DTYPE
from sim.rows.records import number_events
from sim.rows.status import Status, describe_failure

if TYPE_CHECKING:
    from sim.scene.scene import Scene

DEFAULT_CHUNK_ROWS = 2048
MAX_CHUNK_ROWS = 8192  # 64 KiB of one field
MIN_CHUNK_ROWS = 32
NO_BRANCHES = np.zeros(0, BRANCH_DTYPE)


class H5Sink:
    """Writes the chunks of a run to an HDF5 log. Use it in a `with` block, or call `close` at the end.

    Leaving the block by Ctrl-C closes the log as INTERRUPTED, by another error as FAILED, and without an account: only
    who followed the motion knows it, and closes the log with it (`simulate` does). Ctrl-C never falls into a write; it
    comes after it. A run that fails before its first row leaves an older file of that name as it was; `in_place` says
    whether the path holds this log. `rows_hint` is the expected number of steps, for the sizes of HDF5's chunks;
    `at_once`: the first rows, and each branch of a tree, are committed as they come, and not after a while as others.
    """

    def __init__(self, path: str | Path, scene: Scene | SceneRecord, rows_hint: int | None = None,
                 at_once: bool = True):
        record = scene if isinstance(scene, SceneRecord) else build_scene_record(scene)
        self.path = Path(path)
        self._chunk_rows = choose_chunk_rows(rows_hint)
        self._file = GrowingFile(path, layout.TABLES, "steps")
        outlines = sum(48 * len(body.outline) for body in (record.workpiece, *record.obstacles))
        with self._file.creating(outlines + 4 * len(record.text) + 4096 * len(record.obstacles)) as file:
            write_root(file)
            names = write_scene(file, record)
            for name in layout.TABLES:
                create_table(file, name, self._chunk_rows)
            self._obstacles = record.obstacles
            self._poses = create_poses(file, names, record, self._chunk_rows["steps"])
            self._n_works, self._n_loads = create_work(file, record), create_load_work(file, record)
            file["committed"].attrs["columns"] = fix_texts(layout.TABLES)
            file["committed"].attrs["meaning"] = fix_text("number of valid rows of each table, written after the rows")
        self._at_once = at_once
        if not at_once:
            self._file.wait()

    def __enter__(self) -> H5Sink:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if not self._file.is_open:
            return
        if not any(self.rows.values()) and error is not None:
            self._file.abandon()
        elif error is not None:
            status, message = describe_failure(error)
            self.close(status, None, message)
        else:
            self.close(Status.FAILED, None, "the log was left without being closed")

    @property
    def in_place(self) -> bool:
        """Does the path hold this log?"""
        return self._file.in_place

    @property
    def rows(self) -> dict[str, int]:
        """The number of rows in the file, of each table, those that wait to be committed with them."""
        if self._file.broken:
            return dict(self._file.rows)
        return {name: count + self._file.pending[name] for name, count in self._file.rows.items()}

    @property
    def committed(self) -> dict[str, int]:
        """The number of rows, of each table, that stay whatever happens."""
        return dict(self._file.rows)

    def write(self, steps: np.ndarray, contacts: np.ndarray, events: np.ndarray, impulses: np.ndarray,
              branches: np.ndarray = NO_BRANCHES, account: Account | None = None) -> None:
        """Append rows of each table; raises WriteError, after which only `close` makes sense. They are committed when
        others have not been for COMMIT_AFTER seconds.

        account: with the row of a branch, its account, whose works of obstacles and loads have datasets of their own;
        None if it was not followed.
        """
        tables = dict(zip(layout.TABLES, (steps, contacts, number_events(events), impulses, branches), strict=True))
        with self._file.writing(self._count_bytes({name: len(table) for name, table in tables.items()})):
            if len(branches):
                for name, block in self._pack_works(account):
                    self._file.append_columns(name, block)
            self._append(tables)
            if self._file.is_due or (self._at_once and len(branches)):
                self._file.commit()

    def close(self, status: Status, account: Account | None, message: str = "") -> None:
        """Write how the run ended and close the file. Closing twice does nothing.

        account: that of the rows that were written; None if it is not known.
        """
        account = None if self._file.torn else account
        attributes = {
            "status": int(status),
            "status_name": fix_text(Status(status).name, layout.STATUS_BYTES),
            "status_message": fix_text(message, layout.MESSAGE_BYTES),
            "account": pack_account(account),
        }
        known = account is not None and bool(account.obstacle_work or account.load_work)
        self._file.close(attributes, self._pack_works(account) if known else [],
                         keep=status is Status.COMPLETED or not self._file.target.exists())

    def _count_bytes(self, new_rows: dict[str, int]) -> int:
        """The room that new rows take at most."""
        size = sum(layout.count_chunk_bytes(name, self._chunk_rows[name], self.rows[name], count)
                   for name, count in new_rows.items())
        rows, there = self._chunk_rows["steps"], self.rows["steps"]
        chunks = -(-(there + new_rows["steps"]) // rows) - there // rows
        return size + chunks * count_pose_bytes(self._obstacles, rows, layout.BYTES_PER_CHUNK_ENTRY)

    def _append(self, tables: dict[str, np.ndarray]) -> None:
        for motion, name in self._poses if len(tables["steps"]) else ():
            self._file.append_columns(name, motion.evaluate_frame(tables["steps"]["time"])[0])
        for name, table in tables.items():
            for spec in layout.LAYOUTS[name] if len(table) else ():
                self._file.append_columns(f"{name}/{spec.name}", [table[field] for field in spec.fields])
        self._file.count({name: len(table) for name, table in tables.items()})

    def _pack_works(self, account: Account | None) -> list[tuple[str, np.ndarray]]:
        """The works of a run or branch, to be appended; NaN where they are not known, none where nothing moves."""
        blocks = []
        if self._n_works:
            works = account.obstacle_work if account is not None else ()
            blocks.append(("obstacle_work", np.array([works or [np.nan] * self._n_works])))
        if self._n_loads:
            loads = account.load_work if account is not None else ()
            blocks.append(("load_work", np.array([loads or [[np.nan] * 3] * self._n_loads]).reshape(1, -1)))
        return blocks


def choose_chunk_rows(rows_hint: int | None) -> dict[str, int]:
    """Rows in a chunk of each table: large for long runs, small where most of a chunk would stay empty."""
    steps = DEFAULT_CHUNK_ROWS if rows_hint is None else 1 << max(int(rows_hint) - 1, 0).bit_length()
    steps = min(max(steps, MIN_CHUNK_ROWS), MAX_CHUNK_ROWS)
    rare = max(steps // 8, MIN_CHUNK_ROWS)
    return {"steps": steps, "contacts": steps, "events": rare, "impulses": rare, "branches": MIN_CHUNK_ROWS}
