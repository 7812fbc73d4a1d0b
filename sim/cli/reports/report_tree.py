"""Run a scene along every motion, and say what the branches are, where they end and how far apart."""

from __future__ import annotations

import math
import shlex
from pathlib import Path

import numpy as np
from rich.console import Console

from sim.cli.reports.console import format_number, make_console, make_table, print_fields
from sim.cli.reports.report_run import show_progress
from sim.log.check_log import Verdict, check_account, check_log
from sim.log.reading import read_tree
from sim.log.trajectory import NO_ACCOUNT
from sim.log.tree import Branch, Tree
from sim.log.tree_sink import H5TreeSink
from sim.rows.branch_table import NO_PARENT
from sim.rows.status import Status
from sim.scene.scene import Scene

MOST_BRANCHES = 200  # rows of a printed table
RESIDUALS = (("penetration", "m"), ("gap_residual", "m"), ("slip_residual", "m/s"), ("balance_residual", ""),
             ("cone_residual", ""), ("energy_residual", ""))  # fmt: skip


def run_tree_with_progress(scene: Scene, path: Path) -> Tree:
    """Follow every motion of `scene` into the log `path`, with a progress bar on a terminal; returns what it holds.

    Ctrl-C ends the run; the log keeps all that was computed. The log is opened first: a folder that cannot be written
    is reported before anything is compiled or computed. Raises WriteError.
    """
    with H5TreeSink(path, scene) as sink:
        from sim.run.branches import simulate_branches

        with show_progress(scene, lambda: f"{scene.name}, {len(sink)} branches done") as progress:
            try:
                tree = simulate_branches(scene, sink=sink, progress=progress)
            except KeyboardInterrupt:
                sink.__exit__(KeyboardInterrupt, KeyboardInterrupt(), None)
                if not sink.in_place:
                    raise  # no branch had ended: no log was made, and an older one is still there
            else:
                sink.close(tree.status)
    return read_tree(path)


def print_tree(tree: Tree, path: Path) -> None:
    """The account of a run that followed every motion: its branches, its outcomes, and what to do next."""
    console = make_console()
    completed = tree.status.completed
    console.print(f"{tree.record.name}: {count_words(tree)}", style="bold" if completed else "bold red")
    print_end(console, tree)
    print_branches(console, tree)
    print_outcomes(console, tree)
    print_fields(console, describe_tree(tree))
    name = shlex.quote(str(path))
    console.print(f"Log: {name}")
    console.print(f"See it:   stiction replay {name}")
    console.print(f"One branch:   stiction replay {name} --branch {tree.first_leaf}")


def count_words(tree: Tree) -> str:
    """"4 branches, 3 leaves, 3 outcomes"."""
    counts = ((len(tree), "branch", "branches"), (len(tree.leaves), "leaf", "leaves"),
              (len(tree.outcomes()), "outcome", "outcomes"))  # fmt: skip
    return ", ".join(f"{count} {one if count == 1 else many}" for count, one, many in counts)


def print_end(console: Console, tree: Tree) -> None:
    """How the whole ended, and what to do about it."""
    if tree.status.completed:
        console.print("  Every motion was followed to its end.")
    else:
        console.print(f"  {tree.status}: {tree.status.happened}")
        if tree.message:
            console.print(f"  {tree.message}")
        console.print(f"  {tree.status.advice}")


def print_branches(console: Console, tree: Tree) -> None:
    """One row a branch."""
    columns = ["branch", "of", "split [s]", "takes", "sample", "ends", "at [s]", "x [m]", "y [m]", "theta [rad]"]
    table = make_table("Branches", columns, words=("takes", "sample", "ends"))
    for branch in tree.branches[:MOST_BRANCHES]:
        parent = "" if branch.parent == NO_PARENT else str(branch.parent)
        end = [""] * 4
        if branch.rows is not None and len(branch.rows):
            end = [format_number(value) for value in (branch.rows.time[-1], *branch.rows.pose[-1])]
        table.add_row(str(branch.number), parent, format_number(branch.time), branch.taken or "the start",
                      "of a continuum" if branch.sample else "", describe_branch_end(branch), *end)  # fmt: skip
    console.print(table)
    if len(tree) > MOST_BRANCHES:
        console.print(f"  ... and {len(tree) - MOST_BRANCHES} more branches, in the log")


def describe_branch_end(branch: Branch) -> str:
    """"SPLIT into 1, 2", "MERGED into 3", "COMPLETED"."""
    if branch.merged_into != NO_PARENT:
        return f"{branch.status} into {branch.merged_into}"
    if branch.children:
        return f"{branch.status} into {', '.join(map(str, branch.children))}"
    return str(branch.status)


def print_outcomes(console: Console, tree: Tree) -> None:
    """The leaves grouped by where they end, and how far that is from the first outcome."""
    groups = tree.outcomes()
    if not groups:
        console.print("No branch was followed to an end of its own.")
        return
    columns = ["outcome", "leaves", "ends", "x [m]", "y [m]", "theta [rad]", "from 1 [m]", "turned from 1 [rad]"]
    table = make_table("Outcomes", columns, words=("leaves", "ends"))
    first = tree.branches[groups[0][0]].rows.pose[-1]
    for index, group in enumerate(groups[:MOST_BRANCHES], start=1):
        rows = tree.branches[group[0]].rows
        pose = rows.pose[-1]
        table.add_row(str(index), ", ".join(map(str, group)), str(rows.status), *map(format_number, pose),
                      format_number(math.dist(pose[:2], first[:2])), format_number(pose[2] - first[2]))  # fmt: skip
    console.print(table)
    if len(groups) > MOST_BRANCHES:
        console.print(f"  ... and {len(groups) - MOST_BRANCHES} more outcomes, in the log")


def describe_tree(tree: Tree) -> list[tuple[str, str]]:
    """(name, text) of what holds for the whole tree."""
    followed = [branch for branch in tree.branches if branch.rows is not None]
    accounts = [branch.rows.account for branch in followed if branch.rows.account is not None]
    worst = (f"{name.replace('_residual', '')} {max(getattr(account, name) for account in accounts):.1e}"
             f"{' ' + unit if unit else ''}" for name, unit in RESIDUALS if accounts)  # fmt: skip
    fields = [("ends apart", describe_spreads(tree)), ("not unique", describe_not_unique(tree))]
    samples = [str(branch.number) for branch in tree.branches if branch.sample]
    if samples:
        fields.append(("continuum", f"branches {', '.join(samples)} are a sample of infinitely many motions: those "
                                    "between them were not followed"))
    left = sum(branch.rows is None for branch in tree.branches)
    if left:
        fields.append(("not followed", f"{left} branches"))
    unknown = [str(branch.number) for branch in followed if branch.rows.account is None]
    if unknown:
        fields.append(("account", f"of branches {', '.join(unknown)} {NO_ACCOUNT}"))
    steps = sum(len(branch.rows) for branch in followed)
    laws = f"largest {', '.join(worst)}" if accounts else NO_ACCOUNT
    return [*fields, ("laws", laws), ("rows", f"{steps} in {len(followed)} branches")]


def describe_spreads(tree: Tree) -> str:
    """How far the outcomes differ: largest distance of the centres of mass, largest difference of the angles."""
    poses = np.array([tree.branches[group[0]].rows.pose[-1] for group in tree.outcomes()])
    if len(poses) < 2:
        return "one outcome only" if len(poses) else "no outcome"
    apart = max(math.dist(a[:2], b[:2]) for a in poses for b in poses)
    return f"up to {format_number(apart, 'm')} and {format_number(float(np.ptp(poses[:, 2])), 'rad')}"


def describe_not_unique(tree: Tree) -> str:
    """When several accelerations were possible in some branch, and for how long; when it split."""
    splits = sorted({branch.time for branch in tree.branches if branch.parent != NO_PARENT})
    spans = tree.not_unique
    text = "never"
    if len(spans):
        total = float(np.sum(spans[:, 1] - spans[:, 0]))
        text = f"{format_number(total, 's')} in {len(spans)} interval(s), first at t = {spans[0, 0]:.6g} s"
    if splits:
        shown = ", ".join(f"{time:.6g}" for time in splits[:8]) + (", ..." if len(splits) > 8 else "")
        text += f"; split at t = {shown} s"
    return text


def print_tree_log(path: Path, tree: Tree) -> bool:
    """Describe a tree and check the laws along every branch; returns whether all hold and the run has ended."""
    verdicts = check_tree(tree)
    ended = tree.status is not Status.RUNNING
    sound = ended and all(verdict.holds for verdict, _ in verdicts)
    console = make_console()
    console.print(f"{shlex.quote(str(path))}: {'a sound log' if sound else 'NOT a sound log'}",
                  style="bold" if sound else "bold red")  # fmt: skip
    source = f", from {tree.record.source}" if tree.record.source else ""
    console.print(f"  {tree.record.name}{source}: {count_words(tree)}")
    print_end(console, tree)
    print_branches(console, tree)
    print_outcomes(console, tree)
    print_fields(console, describe_tree(tree))
    table = make_table("Laws, checked again from the rows of every branch",
                       ["law", "largest violation", "in branch", "limit", ""], words=("law", ""))  # fmt: skip
    for verdict, number in verdicts:
        table.add_row(verdict.law, f"{verdict.residual:.1e}", str(number), f"{verdict.limit:.0e}",
                      "holds" if verdict.holds else "VIOLATED")  # fmt: skip
    console.print(table)
    return sound


def check_tree(tree: Tree) -> list[tuple[Verdict, int]]:
    """The checks of `check_log` and `check_account` along every path through the tree: of each law the worst verdict,
    and its branch."""
    worst: dict[str, tuple[Verdict, int]] = {}
    for branch in tree.branches:
        goes_on = any(tree.branches[child].rows is not None for child in branch.children)
        if branch.rows is None or goes_on:
            continue
        path = tree.trajectory(branch.number)
        for verdict in check_log(path) + check_account(path):
            known = worst.get(verdict.law)
            if known is None or not verdict.residual <= known[0].residual:  # NaN is worst
                worst[verdict.law] = (verdict, branch.number)
    return list(worst.values())
