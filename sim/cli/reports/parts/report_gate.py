"""Try every rest pose of a part at a gate, and print which get past, and where."""

from __future__ import annotations

import csv
import shlex
from pathlib import Path

from sim.cli.reports.console import format_number, make_console, make_table
from sim.cli.reports.parts.report_drop import print_cost, watch_drop
from sim.cli.reports.report_refine import shorten
from sim.feeding.gate import Gate, GateRow, gate
from sim.files.partial_file import PartialFile
from sim.scene.scene import Scene

MOST_INTERVALS = 40  # in print; a CSV has all


def print_gate(scene: Scene, vary: dict, goal: str | None, options: dict, files: tuple[Path | None, Path | None]
               ) -> Gate:
    """Find what gets past, with the state of the search on a terminal; files: of CSV and picture, or None. Raises
    PlotError, OSError."""
    table, plot = files
    with watch_drop(scene.name) as show:
        found = gate(scene, vary, goal, **options, progress=show)
    out = make_console()
    axis = found.drop.axis
    out.print(f"{scene.name}: {len(found.poses)} rest poses at the gate, {axis.name} from {format_number(axis.low)} to "
              f"{format_number(axis.high, axis.grid.unit)}; past it is {shorten(found.goal)!r}", style="bold")
    if found.rows:
        _print_poses(out, found)
        _print_intervals(out, found)
    print_cost(out, found.drop)
    if table is not None and found.rows:
        out.print(f"CSV: {shlex.quote(str(write_gate(table, found)))}")
    if plot is not None and found.rows:
        from sim.show.plots.parts.gate_picture import save_gate_picture

        out.print(f"Picture: {shlex.quote(str(save_gate_picture(plot, found, scene)))}")
    out.print(f"Table: {shlex.quote(str(options['output']))}")
    return found


def _print_poses(out, found: Gate) -> None:
    shown = make_table("Poses", ["rest", "touching", "share [%]", f"gets past at {found.drop.axis.name}"],
                       words=("touching", f"gets past at {found.drop.axis.name}"))
    for row in found.rows:
        shown.add_row(str(row.pose.number), row.pose.describe(), f"{100.0 * row.pose.share:.5g}", describe_passes(row))
    out.print(shown)


def describe_passes(row: GateRow) -> str:
    """ "0.1 to 0.23456789, 0.4 to 0.6"."""
    return ", ".join(f"{low:.9g} to {high:.9g}" for low, high in row.passes) or "nowhere"


def _print_intervals(out, found: Gate) -> None:
    unit = f" [{found.drop.axis.grid.unit}]" if found.drop.axis.grid.unit else ""
    names = [f"rest {row.pose.number}" for row in found.rows]
    shown = make_table("What becomes of each pose", [f"from{unit}", f"to{unit}", *names, "gets past [%]"],
                       words=tuple(names))
    intervals = [one for one in found.list_intervals() if one[1] - one[0] > 2.0 * found.drop.width]
    for low, high, words in intervals[:MOST_INTERVALS]:
        shown.add_row(f"{low:.9g}", f"{high:.9g}", *(shorten(word) for word in words),
                      f"{100.0 * found.measure_yield(words):.5g}")
    out.print(shown)
    if len(intervals) > MOST_INTERVALS:
        out.print(f"  and {len(intervals) - MOST_INTERVALS} more intervals; --csv FILE writes all")


def write_gate(path: Path, found: Gate) -> Path:
    """Write a line a pose and interval as CSV, numbers with all their digits."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with PartialFile(path) as partial:
        with partial.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(("rest", "touches", "share", "from", "to", "outcome", "gets_past"))
            for row in found.rows:
                for basin in row.line.basins:
                    writer.writerow((row.pose.number, row.pose.describe(), row.pose.share, basin.low, basin.high,
                                     basin.word, found.gets_past(basin.word)))
        partial.publish()
    return path
