"""Drop a part from every start of a plane under the eyes of a user, and print its regions and their shares."""

from __future__ import annotations

import csv
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from sim.cli.reports.console import format_number, make_console
from sim.cli.reports.parts.report_drop import watch_drop
from sim.cli.reports.report_trace import make_share_table, print_junctions
from sim.feeding.regions import RegionDrop, drop_regions
from sim.files.partial_file import PartialFile
from sim.scene.scene import Scene

if TYPE_CHECKING:
    from sim.show.picture_options import PictureFile

MOST_SHEETS = 40


def print_regions(scene: Scene, vary: dict, over: dict, options: dict, table: Path | None,
                  plot: PictureFile | None) -> RegionDrop:
    """Find the regions, with the state of the search on a terminal, and print them. Raises PlotError, OSError."""
    with watch_drop(scene.name) as show:
        found = drop_regions(scene, vary, over, **options, progress=show)
    out = make_console()
    first, second = found.axes
    out.print(f"{scene.name}: regions of {first.name} from {format_number(first.low)} to "
              f"{format_number(first.high, first.grid.unit)} and {second.name} from {format_number(second.low)} to "
              f"{format_number(second.high, second.grid.unit)}", style="bold")
    for sheet in range(min(found.n_sheets, MOST_SHEETS)):
        where = ", ".join(f"{name} = {format_number(value)}" for name, value in found.get_others(sheet).items())
        out.print(make_share_table(f"Shares{' at ' + where if where else ''}", found.measure_shares(sheet)))
    if found.n_sheets > MOST_SHEETS:
        out.print(f"  and {found.n_sheets - MOST_SHEETS} more sheets; --csv FILE writes all")
    _print_cost(out, found)
    if table is not None and found.n_sheets:
        out.print(f"CSV: {shlex.quote(str(write_regions(table, found)))}")
    if plot is not None and found.n_sheets:
        from sim.show.plots.parts.region_picture import save_region_picture

        out.print(f"Picture: {shlex.quote(str(save_region_picture(plot, found)))}")
    out.print(f"Table: {shlex.quote(str(options['output']))}")
    return found


def _print_cost(out, found: RegionDrop) -> None:
    if found.found is None:
        out.print(f"Interrupted after {found.n_runs} runs of the grid: the same command with --resume goes on.")
        return
    print_junctions(out, found.found)
    out.print(f"{len(found.found.segments)} chords of boundaries, each end within "
              f"{format_number(found.found.tolerance)} of the range; {found.n_runs} runs, where a grid of the finest "
              f"squares takes {found.found.n_grid_runs:.4g}")
    out.print("  A region within squares of the first grid whose rims have one outcome is not seen.")
    if found.hit_limit:
        out.print("  The next round would exceed the limit of runs: --most-runs N --resume goes on from here.")
    elif not found.is_whole:
        out.print("  Interrupted: the same command with --resume goes on from here.")


def write_regions(path: Path, found: RegionDrop) -> Path:
    """Write a line for each outcome of each sheet as CSV, numbers with all their digits."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with PartialFile(path) as partial:
        with partial.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow((*found.get_others(0), "outcome", "share", "bound", "change"))
            for sheet in range(found.n_sheets):
                fixed = found.get_others(sheet).values()
                for word, share in found.measure_shares(sheet).items():
                    writer.writerow((*fixed, word, *share))
        partial.publish()
    return path
