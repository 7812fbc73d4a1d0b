"""The tree of all motions of a scene: branches from one split to the next, and what they come to."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from sim.log.columns.html_summary import build_summary, draw_bodies
from sim.log.trajectory import Trajectory
from sim.log.tree_sink import H5TreeSink
from sim.rows.branch_table import NO_PARENT
from sim.rows.status import Status
from sim.tolerances import SAME_STATE

if TYPE_CHECKING:
    from sim.log.bodies import SceneRecord
    from sim.log.trajectory import Figure
    from sim.scene.scene import Scene

MOST_LEAVES = 20  # that a notebook names


@dataclass
class Branch:
    """A piece of the tree: from one split to the next, or to an end."""

    number: int
    parent: int  # NO_PARENT for the first
    depth: int  # splits before it
    time: float  # s, of the split that it begins with
    taken: str  # what it does there: "acceleration nl", "velocity n", ..., "" for the first
    sample: bool  # is it one of infinitely many (a continuum)
    member: tuple[float, float, float] | None  # the acceleration (m/s^2) or velocity (m/s) taken, (x, y, rho theta)
    rows: Trajectory | None = None  # its own rows, account since the start; None if it was not followed
    merged_into: int = NO_PARENT
    children: list[int] = field(default_factory=list)

    @property
    def status(self) -> Status:
        """How it ended."""
        return Status.NOT_FOLLOWED if self.rows is None else self.rows.status

    def get_rows(self) -> Trajectory:
        """The rows of a branch that was followed. Raises ValueError for one that was not."""
        if self.rows is None:
            raise ValueError(f"branch {self.number} was not followed: it has no rows")
        return self.rows


class Tree:
    """All branches of a run; `branches[0]` begins at the start, and `branches[k].number` is k.

    `scene` is the scene that was run; None for a tree from a log (`record` has its text and outlines). `ended` is how
    the whole ended, or its log; None where that is what its leaves say.
    """

    def __init__(self, scene: Scene | None, branches: list[Branch], ended: Status | None = None, message: str = ""):
        self.branches = branches
        self.scene = scene
        self.message = message
        self._ended = ended

    def __len__(self) -> int:
        return len(self.branches)

    def __repr__(self) -> str:
        return f"<Tree of {len(self)} branches, {len(self.leaves)} of them leaves: {self.status}>"

    @property
    def record(self) -> SceneRecord:
        """Name, text and outlines of the scene."""
        return self.branches[0].get_rows().record

    @property
    def status(self) -> Status:
        """How the whole ended: COMPLETED if every leaf reached the end time or merged; else what a leaf says first.

        INTERRUPTED goes before all others, NOT_FOLLOWED after them. A log that broke off says so: RUNNING, DISK_FULL.
        """
        if self._ended is not None:
            return self._ended
        found = [self.branches[number].status for number in self.leaves]
        if Status.INTERRUPTED in found:
            return Status.INTERRUPTED
        fine = (Status.COMPLETED, Status.MERGED)
        bad = [status for status in found if status not in fine]
        bad.sort(key=lambda status: status is Status.NOT_FOLLOWED)
        return bad[0] if bad else Status.COMPLETED

    @property
    def not_unique(self) -> np.ndarray:
        """(k, 2): start and end [s] of the intervals in which some branch allowed several accelerations, joined."""
        spans = [branch.rows.not_unique for branch in self.branches if branch.rows is not None]
        found = np.concatenate([np.zeros((0, 2)), *spans])
        joined: list[list[float]] = []
        for start, end in found[np.argsort(found[:, 0], kind="stable")]:
            if joined and start <= joined[-1][1]:
                joined[-1][1] = max(joined[-1][1], end)
            else:
                joined.append([start, end])
        return np.array(joined).reshape(-1, 2)

    @property
    def leaves(self) -> list[int]:
        """The branches that do not split, in the order of the tree."""
        return [branch.number for branch in self.branches if not branch.children]

    @property
    def first_leaf(self) -> int:
        """The first leaf that was followed; the first branch if there is none."""
        return next((number for number in self.leaves if self.branches[number].rows is not None), 0)

    def path(self, number: int) -> list[Branch]:
        """The branches from the start to this one."""
        found = [self.branches[number]]
        while found[0].parent != NO_PARENT:
            found.insert(0, self.branches[found[0].parent])
        return found

    def trajectory(self, number: int) -> Trajectory:
        """The whole motion from the start to the end of a branch, as an ordinary trajectory.

        Of a branch that was not followed: up to the split that it would begin with. Raises IndexError.
        """
        if not 0 <= number < len(self):
            raise IndexError(f"there is no branch {number}; this tree has {len(self)}, numbered from 0")
        pieces = [branch.rows for branch in self.path(number) if branch.rows is not None]
        return join_pieces(pieces, self.branches[number].status)

    def outcomes(self) -> list[list[int]]:
        """The leaves that were followed to an end of their own, grouped by where the part is there and how it ended."""
        groups: list[list[int]] = []
        for number in self.leaves:
            rows = self.branches[number].rows
            if rows is None or rows.status is Status.MERGED or not len(rows):
                continue
            for group in groups:
                other = self.branches[group[0]].get_rows()
                if other.status is rows.status and is_same(rows, rows.pose[-1], other.pose[-1]):
                    group.append(number)
                    break
            else:
                groups.append([number])
        return groups

    def plot(self, *names: str, x: str = "time") -> Figure:
        """Curves of columns over another, one for each branch; see `Trajectory.plot`. Raises ColumnError."""
        from sim import plot_runs

        return plot_runs(self, *names, x=x)

    def _repr_html_(self) -> str:
        """What a notebook shows: the leaves with what they take and how they end, and where the part is there."""
        ends = [rows for rows in (self.branches[number].rows for number in self.leaves) if rows is not None]
        lines = [("scene", self.record.name), ("status", f"{self.status}: {self.status.happened}"),
                 ("branches", f"{len(self)}, {len(self.leaves)} of them leaves")]
        lines += [(f"branch {number}", f"{branch.taken or 'the start'}: {branch.status}") for number, branch in (
            (number, self.branches[number]) for number in self.leaves[:MOST_LEAVES])]
        if len(self.leaves) > MOST_LEAVES:
            lines.append(("...", f"and {len(self.leaves) - MOST_LEAVES} more"))
        ends = [rows for rows in ends if len(rows)][:MOST_LEAVES]
        picture = draw_bodies(self.record, np.array([rows.pose[-1] for rows in ends]),
                              max(float(rows.time[-1]) for rows in ends)) if ends else ""
        return build_summary("Tree", lines, picture)

    def save(self, path: str | Path) -> Path:
        """Write the tree to an HDF5 log; missing folders are made, an older file is replaced at once or not.

        Raises WriteError.
        """
        n_rows = sum(len(b.rows) for b in self.branches if b.rows)
        with H5TreeSink(path, self.record, rows_hint=n_rows, at_once=False) as sink:
            for branch in self.branches:
                sink.add(branch)
            sink.close(self.status, self.message)
        return Path(path)


def join_pieces(pieces: list[Trajectory], status: Status) -> Trajectory:
    """One trajectory from consecutive ones: the links from steps to contacts and from events to impulses are moved."""
    steps, contacts, events, impulses = [], [], [], []
    n_contacts = n_impulses = 0
    for piece in pieces:
        own_steps, own_events = np.array(piece.steps), np.array(piece.event_rows)
        own_steps["first_contact"] += n_contacts
        own_events["first_impulse"] += n_impulses
        n_contacts, n_impulses = n_contacts + len(piece.contacts), n_impulses + len(piece.impulses)
        steps.append(own_steps)
        events.append(own_events)
        contacts.append(piece.contacts)
        impulses.append(piece.impulses)
    last = pieces[-1]
    return Trajectory(None, np.concatenate(steps), np.concatenate(contacts), np.concatenate(events),
                      np.concatenate(impulses), status, last.account, last.message, last.record)


def is_same(rows: Trajectory, pose: ArrayLike, other: ArrayLike) -> bool:
    """Are two poses, or two velocities per unit time, the same to the error of the integration?"""
    size = float(np.abs(rows.record.workpiece.outline.bounds).max())
    scale = np.array([size, size, 1.0])
    return bool((np.abs(np.asarray(pose) - np.asarray(other)) <= SAME_STATE * (scale + np.abs(pose))).all())


def describe_spread(tree: Tree) -> float:
    """Largest distance between the centres of mass of two outcomes [m]; 0 for one."""
    ends = [tree.branches[group[0]].get_rows().pose[-1][:2] for group in tree.outcomes()]
    return max((math.dist(a, b) for a in ends for b in ends), default=0.0)
