"""Refine a sweep under the eyes of a user, and say what came out."""

from __future__ import annotations

import shlex
from pathlib import Path

from rich.progress import SpinnerColumn

from sim.cli.reports.console import format_number, make_bar, make_console
from sim.cli.reports.report_run import describe_code, watch_code
from sim.sweep.axes import go_together
from sim.sweep.refine.bisection import INTERRUPTED, INTERRUPTED_EARLY, LIMIT
from sim.sweep.refine.refine import refine
from sim.sweep.refine.refinement import Refinement
from sim.sweep.sweep_result import Sweep, read_sweep

MOST_PAIRS = 20  # kinds of boundaries that are printed
MOST_PLACES = 12  # boundaries whose place is printed
WORD_LENGTH = 48  # of what is at a side, in print


def print_refinement(path: Path, axis: str, tolerance: float, of: str, beside: int, workers: int | None,
                     most_runs: int) -> Refinement:
    """Refine, with the state of the search on a terminal, and print the boundaries and what they cost."""
    console = make_console(stderr=True)
    bar = make_bar(console, SpinnerColumn())
    task = bar.add_task("looking for boundaries")
    with bar, watch_code(console):
        found = refine(path, axis, tolerance, of=of, beside=beside, workers=workers, most_runs=most_runs,
                       progress=lambda runs, number, width: bar.update(
                           task, description=f"{number} boundaries within {width:.2g}, {runs} runs{describe_code()}"))
    whole = read_sweep(path)
    for line in describe_refinement(found, whole):
        make_console().print(line)
    make_console().print(f"See it: stiction plot {shlex.quote(str(path))} {name_axes(found, whole)}")
    return found


def name_axes(found: Refinement, whole: Sweep) -> str:
    """The options of a picture that shows the boundaries: the refined axis, and another one that varies, if any."""
    refined = next(axis for axis in whole.plan.axes if axis.name == found.axis)
    others = [axis.name for axis in whole.plan.axes if len(axis) > 1 and not go_together(axis, refined)]
    column = "" if found.of == "outcome" else f" --color {found.of}"
    return f"--x {shlex.quote(found.axis)}" + (f" --y {shlex.quote(others[0])}" if others else "") + column


def describe_refinement(found: Refinement, sweep) -> list[str]:
    """Lines of text: how many boundaries between what, where they are if they are few, and the number of runs."""
    unit = next(axis.unit for axis in sweep.plan.axes if axis.name == found.axis)
    lines = [describe_number(found, unit)]
    pairs = list(found.count().items())
    for (before, after), number in pairs[:MOST_PAIRS]:
        lines.append(f"  {number:>8}  {shorten(before)} | {shorten(after)}")
    if len(pairs) > MOST_PAIRS:
        lines.append(f"  {'':>8}  and {len(pairs) - MOST_PAIRS} more kinds")
    if len(found) <= MOST_PLACES:
        lines += [f"  {describe_place(found, row)}" for row in range(len(found))]
    missing = len(sweep.plan) - found.n_cells
    if missing:
        lines.append(f"  {missing} cells of the sweep have not run: boundaries were sought between those that have.")
    if found.ended in (INTERRUPTED, INTERRUPTED_EARLY):
        lines.append("  Interrupted: the same command goes on from here.")
    if found.ended == LIMIT:
        lines.append("  The next halving would exceed the limit of runs: --most-runs N allows N more from here.")
    lines.append(f"{found.n_cells} + {found.n_runs} runs; a grid of this resolution needs {found.n_grid_runs:.4g}, "
                 f"{found.ratio:.3g} times as many")
    return lines


def describe_number(found: Refinement, unit: str) -> str:
    """How many boundaries there are, and how well each is known."""
    if len(found) == 0:
        return f"no boundary of {found.of} along {found.axis}: neighbours in the sweep have the same everywhere"
    number = "1 boundary" if len(found) == 1 else f"{len(found)} boundaries"
    return f"{number} of {found.of} along {found.axis}, each within {format_number(found.width, unit)}"


def describe_place(found: Refinement, row: int) -> str:
    """One boundary: its interval, the other values, and what is on both sides."""
    boundary = found.boundaries[row]
    others = [f"{name} = {format_number(boundary[name])}" for name in found.boundaries.dtype.names[:-4]
              if name != found.axis]
    where = f"{found.axis} = {float(boundary[found.axis])!r}" + (f" at {', '.join(others)}" if others else "")
    return f"{where}: {shorten(found['before'][row])} | {shorten(found['after'][row])}"


def shorten(word: str) -> str:
    return word if len(word) <= WORD_LENGTH else word[: WORD_LENGTH - 3] + "..."
