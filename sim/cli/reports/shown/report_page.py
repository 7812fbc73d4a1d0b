"""Save a sweep as a page: a map of its outcomes, and the runs that play when a cell is clicked."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from rich.progress import BarColumn, TextColumn, TimeRemainingColumn

from sim.cli.reports.console import make_bar, make_console
from sim.log.trajectory import Trajectory
from sim.rows.status import Status
from sim.show.page.save_page import save_page
from sim.show.page.sweep_data import choose_cells
from sim.show.picture_options import PLAIN, PictureOptions
from sim.show.replay.frames import ReplayError
from sim.sweep.axes import SweepError
from sim.sweep.cell_replay import get_cell, read_log, run_cell
from sim.sweep.sweep_result import Sweep, read_sweep
from sim.sweep.table import NOT_STARTED

ALL = "all"
MOST_LOGGED = 200  # runs that come in unasked: some megabytes
MOST_ASKED = 2000  # runs of a page: more than that no browser opens with pleasure


def save_map(path: Path, save: Path, speed: float | None, asked: Sequence[str],
             options: PictureOptions = PLAIN) -> None:
    """Write the page of a sweep with the runs that it has logged, and those of the cells that are asked for.

    Raises SweepError, ReplayError; KeyboardInterrupt where a run is broken off: then no page is written.
    """
    sweep, console = read_sweep(path), make_console(stderr=True)
    wanted, logged = find_asked(sweep, asked), sweep.list_logged()
    chosen = choose_cells(logged, MOST_LOGGED)
    runs, notes = collect_runs(sweep, sorted({*wanted, *chosen}), set(wanted))
    for note in notes:
        console.print(f"Note: {note}.", style="bold")
    words = f"{len(runs)} of {len(sweep.plan)} runs are in this page"
    if len(chosen) < len(logged):
        words += f", {len(chosen)} of {len(logged)} that were logged among them, evenly spread"
        console.print(f"Note: {words}; --cells brings in others.")
    note = f"{words}: click a cell that has one." if runs else (
        "No run is in this page: a click on a cell tells the command that brings its run in.")
    written = save_page(sweep, save, speed, runs=runs, note=note, options=options)
    console.print(f"{words}.")
    make_console().print(f"Page: {shlex.quote(str(written))}", soft_wrap=True)


def find_asked(sweep: Sweep, asked: Sequence[str]) -> list[int]:
    """The cells that are asked for, by values or as all that can be run. Raises SweepError."""
    from sim.cli.reports.shown.report_plot import split_pairs

    if ALL in (words.strip() for words in asked):
        known = sweep.table["cell"][sweep.table["status"] == NOT_STARTED].tolist()
        found = sorted({*range(len(sweep.plan))} - {*known})
    else:
        found = [get_cell(sweep, sweep.plan.find_cell(split_pairs(words, "--cells"))).number for words in asked]
    if len(found) > MOST_ASKED:
        raise SweepError(f"--cells: {len(found)} runs are too many for a page, at most {MOST_ASKED}; name some of them")
    return found


def collect_runs(sweep: Sweep, cells: Sequence[int], wanted: set[int]) -> tuple[dict[int, Trajectory], list[str]]:
    """The runs of cells: from their logs, or, of those that are wanted, run once more; and what there is to note."""
    runs: dict[int, Trajectory] = {}
    notes: list[str] = []
    bar = make_bar(make_console(stderr=True), BarColumn(), TextColumn("run {task.completed} of {task.total}"),
                   TimeRemainingColumn())
    task = bar.add_task("runs", total=len(cells))
    with bar:
        for number in cells:
            cell = get_cell(sweep, number)
            trajectory, _, note = read_log(cell)
            if trajectory is None and number in wanted:
                from sim.cli.reports.report_run import watch_code

                with watch_code(bar.console):
                    trajectory, note = run_cell(cell)
                if trajectory.status is Status.INTERRUPTED:
                    raise KeyboardInterrupt
            if note:
                notes.append(f"cell {number} ({cell.describe()}): {note}")
            if trajectory is not None and len(trajectory):
                runs[number] = trajectory
            bar.advance(task)
    if wanted and not runs:
        raise ReplayError("no cell that was asked for has a run with rows")
    return runs, notes
