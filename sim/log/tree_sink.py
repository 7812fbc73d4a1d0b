"""The log of a tree of motions: one HDF5 file with the rows of all branches, see `sim/log/sink.py` for its layout.

The rows of a branch stand one after another in `/steps`, `/contacts`, `/events` and `/impulses`, and its row in
`/branches` says where they begin and how many they are (`first_row` and `n_rows`, a column for each table). Links from
steps to contacts and from events to impulses count from the start of the table, as in the log of one motion.
`sim/log/reading.py` gives each branch with links that count from its own first rows.

A branch is written when it has ended, its parent before it, and is committed at once with all its rows: a killed run, a
full disk or Ctrl-C leave all finished branches.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sim.files.held_interrupt import hold_interrupts
from sim.log import layout
from sim.log.bodies import SceneRecord
from sim.log.sink import H5Sink
from sim.rows.branch_table import NO_PARENT, pack_branch
from sim.rows.status import Status

if TYPE_CHECKING:
    from sim.scene.scene import Scene


class H5TreeSink:
    """Writes the branches of a tree to an HDF5 log, each as it ends. Use it in a `with` block, and `close` it.

    Leaving the block by Ctrl-C closes the log as INTERRUPTED, by another error as FAILED, or as the WriteError says. A
    run that fails before its first branch has ended leaves an older file of that name as it was; `in_place` says
    whether the path holds this log. `rows_hint` is the expected number of steps of all branches; `at_once`: each
    branch is committed as it ends. Raises WriteError.
    """

    def __init__(self, path: str | Path, scene: Scene | SceneRecord, rows_hint: int | None = None,
                 at_once: bool = True):
        self._sink = H5Sink(path, scene, rows_hint, at_once)
        self._numbers: set[int] = set()

    def __enter__(self) -> H5TreeSink:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        self._sink.__exit__(kind, error, trace)

    @property
    def path(self) -> Path:
        """Where the log is."""
        return self._sink.path

    @property
    def in_place(self) -> bool:
        """Does the path hold this log?"""
        return self._sink.in_place

    def __len__(self) -> int:
        """The number of branches written."""
        return len(self._numbers)

    def add(self, branch: Any) -> None:
        """Append a `Branch` that has ended, and flush it. Its parent must have been added before.

        Raises ValueError for a branch out of order or added twice, WriteError if the file cannot be written.
        """
        if branch.number in self._numbers:
            raise ValueError(f"branch {branch.number} is in the log already")
        if branch.parent != NO_PARENT and branch.parent not in self._numbers:
            raise ValueError(f"branch {branch.number} comes before branch {branch.parent}, its parent")
        before = self._sink.rows
        firsts = tuple(before[table] for table in layout.ROW_TABLES)
        account = branch.rows.account if branch.rows is not None else None
        with hold_interrupts():
            steps, contacts, events, impulses = shift_links(branch.rows, firsts)
            self._sink.write(steps, contacts, events, impulses, pack_branch(branch, firsts), account)
            self._numbers.add(branch.number)

    def close(self, status: Status, message: str = "") -> None:
        """Write how the whole run ended and close the file. Closing twice does nothing. Raises WriteError."""
        self._sink.close(status, None, message)  # each branch has an account of its own


def shift_links(rows: Any, firsts: tuple[int, ...]) -> list[np.ndarray]:
    """The four tables of a branch (a Trajectory, or None), with links that count from where the tables begin."""
    if rows is None:
        return [np.zeros(0, layout.TABLE_DTYPES[table]) for table in layout.ROW_TABLES]
    steps, events = np.array(rows.steps), np.array(rows.event_rows)
    steps["first_contact"] += firsts[1]
    events["first_impulse"] += firsts[3]
    return [steps, rows.contacts, events, rows.impulses]
