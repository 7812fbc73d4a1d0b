"""Drop a part from every start under the eyes of a user, and print its basins and their shares."""

from __future__ import annotations

import csv
import math
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rich.progress import BarColumn, TextColumn

from sim.cli.reports.console import format_number, make_bar, make_console, make_table
from sim.cli.reports.report_refine import shorten
from sim.cli.reports.report_run import describe_code, watch_code
from sim.feeding.basins import BasinLine
from sim.feeding.drop import Drop, drop, measure_widest_gap
from sim.files.partial_file import PartialFile
from sim.scene.scene import Scene

if TYPE_CHECKING:
    from sim.show.picture_options import PictureFile

MOST_BASINS = 40  # of a line, in print; a CSV has all
MOST_LINES = 40


def print_drop(scene: Scene, vary: dict, over: dict, options: dict, table: Path | None,
               plot: PictureFile | None) -> Drop:
    """Find the basins, with the state of the search on a terminal, and print them. Raises PlotError, OSError."""
    with watch_drop(scene.name) as show:
        found = drop(scene, vary, over, **options, progress=show)
    out = make_console()
    _print_head(out, scene, found)
    for line in found.lines[:MOST_LINES]:
        _print_line(out, found, line)
    if len(found.lines) > MOST_LINES:
        out.print(f"  and {len(found.lines) - MOST_LINES} more lines; --csv FILE writes all")
    print_cost(out, found)
    if table is not None and found.lines:
        out.print(f"CSV: {shlex.quote(str(write_basins(table, found)))}")
    if plot is not None and found.lines:
        from sim.show.plots.parts.drop_picture import save_drop_picture

        out.print(f"Picture: {shlex.quote(str(save_drop_picture(plot, found)))}")
    out.print(f"Table: {shlex.quote(str(options['output']))}")
    return found


@contextmanager
def watch_drop(name: str) -> Iterator[Callable[[str, int, int], None]]:
    """Show the state of a search on a terminal; gives what is to be called with it."""
    console = make_console(stderr=True)
    bar = make_bar(console, BarColumn(), TextColumn("{task.fields[count]}"))
    task = bar.add_task(name, total=None, count="")

    def show(what: str, done: int, total: int) -> None:
        count = f"{done} of {total} {what}" if "grid" in what else f"{done} {what}, {total} boundaries"
        bar.update(task, completed=done, total=total if "grid" in what else None, count=count + describe_code())

    with bar, watch_code(console):
        yield show


def _print_head(out, scene: Scene, found: Drop) -> None:
    number = sum(len(line.basins) for line in found.lines)
    basins = f"{number} basin{'' if number == 1 else 's'}" if found.lines else "no basins yet"
    axis, unit = found.axis, found.axis.unit
    lines = f", on {len(found.lines)} lines" if len(found.lines) > 1 else ""
    spread = "" if axis.mean is None else f", normal({axis.mean:g}, {axis.deviation:g})"
    out.print(f"{scene.name}: {basins} of {axis.name} from {format_number(axis.low)} to "
              f"{format_number(axis.high, unit)}{spread}{lines}", style="bold")


def wrap(found: Drop, value: float) -> float:
    """A value of a whole turn between minus half a turn and half a turn; others as they are."""
    if not found.axis.is_round:
        return value
    turn = found.axis.high - found.axis.low
    return value - turn * math.ceil(value / turn - 0.5)


def _print_line(out, found: Drop, line: BasinLine) -> None:
    unit = found.axis.unit
    head = f" [{unit}]" if unit else ""
    where = ", ".join(f"{name} = {format_number(value)}" for name, value in line.others.items())
    shown = make_table(f"Shares{' at ' + where if where else ''}", ["outcome", "share [%]", "+- [%]", "basins"],
                       words=("outcome",))
    for word, share in line.shares.items():
        own = sum(basin.word == word for basin in line.basins)
        shown.add_row(shorten(word), f"{100.0 * share.value:.9g}", f"{100.0 * share.bound:.2g}", str(own))
    out.print(shown)
    if line.others and len(found.lines) > 1:
        return
    shown = make_table("Basins", ["outcome", f"from{head}", f"to{head}", "share [%]"], words=("outcome",))
    for basin in line.basins[:MOST_BASINS]:
        shown.add_row(shorten(basin.word), *(f"{wrap(found, end):.9f}" for end in (basin.low, basin.high)),
                      f"{100.0 * basin.share:.7g}")
    out.print(shown)
    if len(line.basins) > MOST_BASINS:
        out.print(f"  and {len(line.basins) - MOST_BASINS} more basins; --csv FILE writes all")
    for stretch in line.stretches:
        out.print(f"  unresolved: {wrap(found, stretch.low):.9f} to {wrap(found, stretch.high):.9f}{' ' + unit}, "
                  f"{100.0 * stretch.share:.2g} % of all starts: {' | '.join(map(shorten, stretch.words))} alternate")


def print_cost(out, found: Drop) -> None:
    """What the search has cost, what it cannot see, and how it goes on where it has not ended."""
    if found.found is None:
        out.print(f"Interrupted after {found.n_runs} runs of the grid: the same command with --resume goes on.")
        return
    unit = found.axis.unit
    out.print(f"{len(found.found)} boundaries, each within {format_number(found.width, unit)}; {found.n_runs} "
              f"runs, where an even grid as good takes {found.n_grid_runs:.4g}")
    out.print(f"  What begins and ends between two starts with one outcome is not seen: they are "
              f"{format_number(found.step, unit)} apart at most, {100.0 * measure_widest_gap(found):.2g} % of all.")
    if found.hit_limit:
        out.print("  The next halving would exceed the limit of runs: --most-runs N --resume goes on from here.")
    elif not found.is_whole:
        out.print("  Interrupted: the same command with --resume goes on from here.")


def write_basins(path: Path, found: Drop) -> Path:
    """Write a line a basin and a stretch as CSV, numbers with all their digits."""
    path.parent.mkdir(parents=True, exist_ok=True)
    others = [axis.name for axis in found.sweep.plan.axes if axis.name != found.axis.name]
    with PartialFile(path) as partial:
        with partial.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow((*others, "kind", "outcome", "from", "to", "share", "bound"))
            for line in found.lines:
                fixed = [line.others[name] for name in others]
                for basin in line.basins:
                    writer.writerow((*fixed, "basin", basin.word, wrap(found, basin.low), wrap(found, basin.high),
                                     basin.share, basin.bound))
                for stretch in line.stretches:
                    writer.writerow((*fixed, "unresolved", " | ".join(stretch.words), wrap(found, stretch.low),
                                     wrap(found, stretch.high), stretch.share, 0.0))
        partial.publish()
    return path
