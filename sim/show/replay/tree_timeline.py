"""The picture of a tree: time to the right, a lane for each leaf, splits, merges and ends, and where we are."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from sim.log.tree import Branch, Tree
from sim.rows.branch_table import NO_PARENT
from sim.rows.status import Status
from sim.show.replay.painter import FAINT, TEXT
from sim.show.replay.tree_frames import TreeMotion, find_end
from sim.show.replay.view import TIME_UNITS, choose_unit

MOST_LABELS = 16  # lanes that are named; more would be a smear
END_MARKS = {Status.COMPLETED: "o", Status.MERGED: "", Status.SPLIT: "", Status.NOT_FOLLOWED: "|"}  # others: "X"


def place_lanes(tree: Tree) -> dict[int, float]:
    """The height of each branch: leaves at 0, 1, 2, ... from the top, in the order of the tree, others amid theirs."""
    lanes: dict[int, float] = {}
    order, count = [0], 0
    visited: list[int] = []
    while order:  # depth first; no recursion, a tree may be deep
        number = order.pop()
        visited.append(number)
        children = tree.branches[number].children
        if not children:
            lanes[number], count = float(count), count + 1
        order.extend(reversed(children))
    for number in reversed(visited):
        children = tree.branches[number].children
        if children:
            lanes[number] = 0.5 * (lanes[children[0]] + lanes[children[-1]])
    return lanes


class TreeTimeline:
    """Draws the whole tree onto narrow axes once; `move(time)` shifts the cursor."""

    def __init__(self, axes: Axes, motion: TreeMotion, styles: dict[int, tuple], speed: float = 1.0):
        self.axes = axes
        self.styles = styles
        tree, times = motion.tree, motion.time
        start, end = float(times[0]), float(times[-1])
        self.factor, self.unit = choose_unit(end - start, TIME_UNITS)
        self.lanes = place_lanes(tree)
        for branch in tree.branches:
            self._draw_branch(tree, branch)
        self.cursor = axes.axvline(start * self.factor, color=TEXT, linewidth=1.4, zorder=6)
        span = (end - start) * self.factor or 1.0
        axes.set_xlim(start * self.factor - 0.015 * span, start * self.factor + 1.02 * span)
        axes.set_ylim(max(self.lanes.values()) + 0.6, -0.6)
        pace = "" if speed == 1.0 else f", shown at {speed:g} × real speed"
        axes.set_xlabel(f"time ({self.unit}){pace}", color=FAINT, fontsize=9, labelpad=1.0)
        axes.tick_params(colors=FAINT, labelsize=8, length=3)
        for name, spine in axes.spines.items():
            spine.set_visible(name == "bottom")
            spine.set_color("#C9C5BC")
        self._name_lanes(tree)

    def move(self, time: float) -> None:
        """Put the cursor at a time."""
        self.cursor.set_xdata([time * self.factor, time * self.factor])

    def add_handle(self) -> None:
        """Show that the cursor can be dragged."""
        self.cursor.set(marker="v", markersize=9, markevery=[1], markeredgecolor="white", clip_on=False)

    def _draw_branch(self, tree: Tree, branch: Branch) -> None:
        """The line of a branch, the way from the lane of its parent, and its end."""
        (colour, line), lane = self.styles[branch.number], self.lanes[branch.number]
        start, end = branch.time * self.factor, find_end(branch) * self.factor
        self.axes.add_line(Line2D([start, end], [lane, lane], color=colour, linestyle=line, linewidth=2.0, zorder=3,
                                  solid_capstyle="butt"))  # fmt: skip
        if branch.parent != NO_PARENT:
            above = self.lanes[branch.parent]
            self.axes.add_line(Line2D([start, start], [above, lane], color=colour, linewidth=1.2, zorder=2))
            self.axes.add_line(Line2D([start], [above], color=TEXT, marker="D", markersize=4, zorder=5))
        if branch.merged_into != NO_PARENT:
            other = self.lanes[branch.merged_into]
            self.axes.annotate("", (end, other), (end, lane), zorder=4, arrowprops={
                "arrowstyle": "-|>", "color": colour, "linewidth": 1.2, "shrinkA": 0.0, "shrinkB": 0.0})  # fmt: skip
        elif mark := END_MARKS.get(branch.status, "X"):
            self.axes.add_line(Line2D([end], [lane], color=colour, marker=mark, markersize=6, markeredgecolor=colour,
                                      zorder=5, clip_on=False))  # fmt: skip

    def _name_lanes(self, tree: Tree) -> None:
        """The numbers of the leaves at the left, in their colours."""
        leaves = tree.leaves if len(tree.leaves) <= MOST_LABELS else []
        self.axes.set_yticks(np.array([self.lanes[number] for number in leaves]), [str(number) for number in leaves])
        self.axes.tick_params(axis="y", length=0)
        for number, label in zip(leaves, self.axes.get_yticklabels(), strict=True):
            label.set(color=self.styles[number][0], fontsize=min(8.5, 80.0 / len(leaves)), fontweight="bold")
        self.axes.set_ylabel("leaf" if leaves else f"{len(tree.leaves)} leaves", color=FAINT, fontsize=8.5)
