"""What a picture of a tree shows at one time: where the part is in each branch that is going on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sim.log.bodies import SceneRecord
from sim.log.trajectory import Trajectory
from sim.log.tree import Branch, Tree
from sim.rows.branch_table import NO_PARENT
from sim.show.replay.frames import FrameState, ReplayError, compute_state


@dataclass(frozen=True)
class Strand:
    """A branch at one time."""

    branch: Branch
    state: FrameState
    ended: bool  # has its motion come to its end before? Then it stays where it was


class TreeMotion:
    """A tree as pictures need it: with a time axis of its own, like a trajectory. Raises ReplayError without rows."""

    def __init__(self, tree: Tree):
        self.tree = tree
        self.branches = [branch for branch in tree.branches if branch.rows is not None and len(branch.rows)]
        if not self.branches:
            raise ReplayError("there is nothing to show: no branch has rows")

    @property
    def record(self) -> SceneRecord:
        """Name, text and outlines of the scene."""
        return self.tree.record

    @cached_property
    def time(self) -> np.ndarray:
        """(n,) s: the times of the rows of all branches, each once."""
        return np.unique(np.concatenate([branch.rows.time for branch in self.branches]))

    @cached_property
    def not_unique(self) -> np.ndarray:
        """(k, 2): as of the tree."""
        return self.tree.not_unique

    def __len__(self) -> int:
        return len(self.time)

    def find_strands(self, time: float) -> list[Strand]:
        """The branches to draw at `time`: those that go on, and leaves at their end.

        From a split on its children count, before it the branch that splits, once; a merged branch is gone when it has
        merged.
        """
        strands = []
        for branch in self.branches:
            rows, heir = self._rows[branch.number], self._find_heir(branch)
            if time < branch.time or time < rows.time[0]:
                continue
            if (heir is not None and time >= heir.time) or (branch.merged_into != NO_PARENT and time > rows.time[-1]):
                continue
            strands.append(Strand(branch, compute_state(rows, time), bool(time > rows.time[-1])))
        return strands

    @cached_property
    def _rows(self) -> dict[int, Trajectory]:
        """The rows of each branch, as `extend` gives them."""
        return {branch.number: self.extend(branch) for branch in self.branches}

    def extend(self, branch: Branch) -> Trajectory:
        """The rows of a branch; of one that goes on, with the first row after its split, to move on until there."""
        heir = self._find_heir(branch)
        return branch.get_rows() if heir is None else add_row(branch.get_rows(), heir.get_rows())

    def _find_heir(self, branch: Branch) -> Branch | None:
        """The first child that has rows."""
        children = (self.tree.branches[number] for number in branch.children)
        return next((child for child in children if child.rows is not None and len(child.rows)), None)


def add_row(rows: Trajectory, following: Trajectory) -> Trajectory:
    """A trajectory with one more row, without contacts: the first of the one that follows. How the motion arrives there
    is known where that begins with an event; else velocity and acceleration of the row are NaN."""
    steps, events = np.append(rows.steps, following.steps[:1]), following.event_rows[:1]
    known = len(events) > 0 and events["time"][0] == steps["time"][-1]
    for name in ("vx", "vy", "omega"):
        steps[name][-1] = events[f"{name}_before"][0] if known else np.nan
    for name in ("ax", "ay", "alpha"):
        steps[name][-1] = np.nan
    steps["first_contact"][-1], steps["n_contacts"][-1] = len(rows.contacts), 0
    return Trajectory(None, steps, rows.contacts, rows.event_rows, rows.impulses, rows.status, rows.account,
                      rows.message, rows.record)  # fmt: skip


def find_end(branch: Branch) -> float:
    """The time [s] at which a branch ends: of its last row or event; of its split if it was not followed."""
    if branch.rows is None:
        return branch.time
    return float(max([branch.time, *branch.rows.time[-1:], *branch.rows.event_rows["time"][-1:]]))
