"""Trace the regions of a sweep over two axes under the eyes of a user, and say what came out."""

from __future__ import annotations

import shlex
from pathlib import Path

from rich.progress import SpinnerColumn

from sim.cli.reports.console import format_number, make_bar, make_console, make_table
from sim.cli.reports.report_refine import shorten
from sim.cli.reports.report_run import describe_code, watch_code
from sim.sweep.refine.bisection import INTERRUPTED, LIMIT
from sim.sweep.refine.trace import trace
from sim.sweep.refine.tracing import RegionShare, Tracing

MOST_SHEETS = 8  # tables of shares that are printed
MOST_JUNCTIONS = 8  # places that are printed


def print_tracing(path: Path, axes: tuple[str, str], options: dict) -> Tracing:
    """Trace, with the state of the search on a terminal, and print shares and junctions and what they cost."""
    console = make_console(stderr=True)
    bar = make_bar(console, SpinnerColumn())
    task = bar.add_task("looking for boundaries")
    with bar, watch_code(console):
        found = trace(path, axes, **options, progress=lambda runs, what: bar.update(
            task, description=f"{what}, {runs} runs{describe_code()}"))
    out = make_console()
    out.print(f"{found.of} over {' and '.join(found.axes)}: {len(found.segments)} chords of boundaries, each end "
              f"within {format_number(found.tolerance)} of the span", style="bold")
    if found.ended == "done":
        for sheet in range(min(len(found.sheets), MOST_SHEETS)):
            where = ", ".join(f"{name} = {format_number(value)}"
                              for name, value in zip(found.others, found.sheets[sheet], strict=True))
            out.print(make_share_table(f"Shares{' at ' + where if where else ''}", found.measure_shares(sheet)))
        if len(found.sheets) > MOST_SHEETS:
            out.print(f"  and {len(found.sheets) - MOST_SHEETS} more sheets")
        print_junctions(out, found)
    for line in describe_cost(found):
        out.print(line)
    column = "" if found.of == "outcome" else f" --color {found.of}"
    out.print(f"See it: stiction plot {shlex.quote(str(path))} --x {found.axes[0]} --y {found.axes[1]}{column}")
    return found


def make_share_table(title: str, shares: dict[str, RegionShare]):
    """A table of shares, their bounds, and what the last halving changed."""
    shown = make_table(title, ["outcome", "share [%]", "+- at most [%]", "last halving [%]"], words=("outcome",))
    for word, share in shares.items():
        shown.add_row(shorten(word), f"{100.0 * share.value:.6g}", f"{100.0 * share.bound:.2g}",
                      f"{100.0 * share.change:.2g}")
    return shown


def print_junctions(out, found: Tracing) -> None:
    """Where three boundaries or more meet."""
    junctions = found.regions.junctions
    for junction in junctions[:MOST_JUNCTIONS].tolist():
        sheet, x, y, n = junction
        where = "".join(f", {name} = {format_number(value)}"
                        for name, value in zip(found.others, found.sheets[sheet], strict=True))
        out.print(f"  {n} boundaries meet at {found.axes[0]} = {x:.7g}, {found.axes[1]} = {y:.7g}{where}")
    if len(junctions) > MOST_JUNCTIONS:
        out.print(f"  and {len(junctions) - MOST_JUNCTIONS} more junctions")


def describe_cost(found: Tracing) -> list[str]:
    """Lines of text: runs, and what has not been done."""
    lines = [f"{found.n_cells} + {found.n_runs} runs; a grid of the finest squares needs {found.n_grid_runs:.4g}, "
             f"{found.ratio:.3g} times as many"]
    if found.ended == INTERRUPTED:
        lines.append("  Interrupted: the same command goes on from here.")
    if found.ended == LIMIT:
        lines.append("  The next round would exceed the limit of runs: --most-runs with a larger N goes on from here.")
    return lines
