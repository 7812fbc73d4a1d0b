"""Compute a map of solutions under the eyes of a user, and print it."""

from __future__ import annotations

import math
import shlex
from typing import TYPE_CHECKING

from rich.progress import BarColumn, TextColumn, TimeRemainingColumn

from dynamics.codes import SEVERAL
from sim.cli.reports.console import format_number, make_bar, make_console
from sim.cli.reports.report_run import watch_code
from sim.scene.scene import Scene
from sim.study.solution_map import FREE, IMPACT, KINDS, OVERLAP, Axis, SolutionMap, compute_map

if TYPE_CHECKING:
    from sim.show.picture_options import PictureFile

SYMBOLS = {"none": "!", "one": "1", "several": "2", "continuum": "~", "free": ".", "impact": "x", "overlap": "#"}
WORDS = {
    "none": "no acceleration",
    "one": "one acceleration",
    "several": "several accelerations (their number, + above 9)",
    "continuum": "a continuum of accelerations",
    "free": "one acceleration: free flight, no closed contact",
    "impact": "a contact closes with a speed: an impact comes first",
    "overlap": "the part overlaps an obstacle",
}
MOST_COLUMNS, MOST_ROWS = 96, 48  # of the printed map
LOST = 0.5  # share of cells without a contact from which the way to keep it is told


def print_map(scene: Scene, x: Axis, y: Axis, hold: int | None, plot: PictureFile | None) -> None:
    """Compute, print and perhaps draw a map; a progress bar on a terminal."""
    solutions = compute_with_progress(scene, x, y, hold)
    console = make_console()
    console.print(f"{scene.name}: accelerations possible at the start (t = 0)", style="bold")
    for line in format_map(solutions):
        console.print(line)
    for kind, number in solutions.count().items():
        console.print(f"  {SYMBOLS[kind]}  {number:>7}  {WORDS[kind]}")
    lost = sum(int((solutions.kinds == kind).sum()) for kind in (FREE, IMPACT, OVERLAP))
    if hold is None and lost > LOST * solutions.kinds.size and has_contact(scene):
        console.print("  Most cells lose the contacts of the scene; --hold 0 keeps contact 0 closed and in its place.")
    if plot is not None:
        from sim.show.plots.draw_map import save_map

        console.print(f"Picture: {shlex.quote(str(save_map(plot, solutions)))}")


def compute_with_progress(scene: Scene, x: Axis, y: Axis, hold: int | None) -> SolutionMap:
    """The map, with a bar on a terminal and a word when kernels are interpreted or compiled."""
    console = make_console(stderr=True)
    bar = make_bar(console, BarColumn(), TextColumn("{task.completed} of {task.total} cells"), TimeRemainingColumn())
    task = bar.add_task(scene.name, total=len(x.values) * len(y.values))
    with bar, watch_code(console):
        return compute_map(scene, x, y, hold, progress=lambda done, total: bar.update(task, completed=done))


def has_contact(scene: Scene) -> bool:
    """Is a contact closed at the start?"""
    from sim.instant.instant import contact_problem

    return len(contact_problem(scene)[1]) > 0


def format_map(solutions: SolutionMap) -> list[str]:
    """Lines of the map, largest y on top; of a map too large for a page every second, third, ... row or column."""
    rows, columns = solutions.kinds.shape
    row_step, column_step = math.ceil(rows / MOST_ROWS), math.ceil(columns / MOST_COLUMNS)
    shown = range(0, rows, row_step)
    labels = {row: _format_value(solutions.y, row) for row in shown}
    width = max(map(len, labels.values()))
    lines = [f"  {solutions.y.key}"]
    for place, row in reversed(list(enumerate(shown))):
        label = labels[row] if place % 4 == 0 or row == shown[-1] else ""
        cells = "".join(_get_symbol(solutions, row, column) for column in range(0, columns, column_step))
        lines.append(f"  {label:>{width}} {cells}")
    first, last = _format_value(solutions.x, 0), _format_value(solutions.x, range(0, columns, column_step)[-1])
    span = len(range(0, columns, column_step))
    lines.append(f"  {'':>{width}} {first}{last:>{max(span - len(first), len(last) + 2)}}  {solutions.x.key}")
    if row_step > 1 or column_step > 1:
        lines.append(f"  Shown: every {_number(row_step)}row, every {_number(column_step)}column.")
    return lines


def _get_symbol(solutions: SolutionMap, row: int, column: int) -> str:
    kind = int(solutions.kinds[row, column])
    if kind != SEVERAL:
        return SYMBOLS[KINDS[kind]]
    members = int(solutions.members[row, column])
    return str(members) if members <= 9 else "+"


def _format_value(axis: Axis, index: int) -> str:
    return f"{format_number(float(axis.values[index]))}{' ' + axis.unit if axis.unit else ''}"


def _number(step: int) -> str:
    return {1: "", 2: "second ", 3: "third "}.get(step, f"{step}th ")
