"""A tree of motions in a page: its branches, how each ends, their colours; a run for each branch that has rows."""

from __future__ import annotations

from typing import Any

from sim.log.tree import Branch, Tree
from sim.rows.branch_table import NO_PARENT
from sim.rows.status import Status
from sim.show.page.columns import Columns
from sim.show.page.run_data import describe_ending, describe_run
from sim.show.palette import BRANCH_COLOURS, BRANCH_LINES, pick_branch_style
from sim.show.replay.tree_frames import TreeMotion, find_end
from sim.show.replay.tree_timeline import place_lanes


def describe_tree(motion: TreeMotion, columns: Columns) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The runs, one for each branch that has rows, and the tree that they make."""
    tree = motion.tree
    runs = [{"scene": 0, **describe_run(motion.extend(branch), columns)} for branch in motion.branches]
    places = {branch.number: place for place, branch in enumerate(motion.branches)}
    styles, lanes = pick_styles(tree), place_lanes(tree)
    branches = [describe_branch(branch, places.get(branch.number, -1)) | styles.get(branch.number, {})
                | {"lane": lanes[branch.number]} for branch in tree.branches]
    return runs, {"branches": branches, "first": tree.first_leaf, "leaves": len(tree.leaves)}


def describe_branch(branch: Branch, run: int) -> dict[str, Any]:
    """One branch; run: its place among the runs, -1 if it has none."""
    found: dict[str, Any] = {
        "number": branch.number, "parent": branch.parent, "time": float(branch.time), "end": find_end(branch),
        "taken": branch.taken, "sample": bool(branch.sample), "children": list(branch.children), "run": run,
        "status": branch.status.name, "happened": branch.status.happened}
    if branch.rows is not None:
        found |= describe_ending(branch.rows)
    if branch.merged_into != NO_PARENT:
        found["merged"] = branch.merged_into
    return found


def pick_styles(tree: Tree) -> dict[int, dict[str, Any]]:
    """Colour of each leaf that was followed, and the dashes of its line where eight colours are not enough."""
    followed = [number for number in tree.leaves if tree.branches[number].status is not Status.NOT_FOLLOWED]
    styles = {}
    for index, number in enumerate(followed):
        colour, line = pick_branch_style(index)
        dashes = [] if line == BRANCH_LINES[0] else [3.0 * step for step in line[1]]
        styles[number] = {"colour": "ink" if colour == BRANCH_COLOURS[6] else colour, "dash": dashes}
    return styles
