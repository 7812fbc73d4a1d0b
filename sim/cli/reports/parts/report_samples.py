"""Sample the starts of a drop under the eyes of a user, and print shares with their intervals."""

from __future__ import annotations

import csv
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from sim.cli.reports.console import format_number, make_console, make_table
from sim.cli.reports.parts.report_drop import watch_drop
from sim.cli.reports.report_refine import shorten
from sim.feeding.distributions import EMPIRICAL, Distribution
from sim.feeding.sampled_drop import SampledDrop, drop_samples
from sim.files.partial_file import PartialFile
from sim.scene.scene import Scene

if TYPE_CHECKING:
    from sim.show.picture_options import PictureFile


def print_samples(scene: Scene, vary: dict, options: dict, table: Path | None, plot: PictureFile | None) -> SampledDrop:
    """Sample, with the state of the search on a terminal, and print shares. Raises PlotError, OSError."""
    with watch_drop(scene.name) as show:
        found = drop_samples(scene, vary, **options, progress=show)
    out = make_console()
    out.print(f"{scene.name}: {', '.join(map(describe_distribution, found.distributions))}", style="bold")
    shown = make_table("Shares", ["outcome", "share [%]", "from [%]", "to [%]"], words=("outcome",))
    for word, share in found.shares.items():
        shown.add_row(shorten(word), *(f"{100.0 * value:.4g}" for value in share))
    out.print(shown)
    _print_cost(out, found)
    if table is not None and found.shares:
        out.print(f"CSV: {shlex.quote(str(write_shares(table, found)))}")
    if plot is not None and found.shares:
        from sim.show.plots.parts.sample_picture import save_sample_picture

        out.print(f"Picture: {shlex.quote(str(save_sample_picture(plot, found)))}")
    out.print(f"Table: {shlex.quote(str(options['output']))}")
    return found


def describe_distribution(one: Distribution) -> str:
    """The key, and how it is distributed."""
    if one.kind == EMPIRICAL:
        return f"{one.name}: {len(one.values)} numbers of {one.text}"
    first, second = map(format_number, one.values)
    return f"{one.name}: {one.kind}({first}, {second}{' ' + one.unit if one.unit else ''})"


def _print_cost(out, found: SampledDrop) -> None:
    if not found.codes.size:
        out.print(f"Interrupted after {len(found.sweep)} runs: the same command with --resume goes on.")
        return
    if found.is_list:
        out.print(f"{found.n_runs} runs, one for each number; intervals of 95 %, if these are independent.")
    else:
        narrower = "all narrower" if found.is_whole else "not all narrower"
        out.print(f"{found.n_runs} runs: {len(found.codes)} sequences of {found.codes.shape[1]}; intervals of 95 %, "
                  f"{narrower} than {100.0 * found.width:g} %.")
        out.print(f"  Outcomes that never came have {100.0 * found.unseen:.2g} % at most.")
    if found.hit_limit:
        out.print("  The next doubling would exceed the limit of runs: --most-runs N --resume goes on from here.")
    elif not found.is_whole:
        out.print("  Interrupted: the same command with --resume goes on from here.")


def write_shares(path: Path, found: SampledDrop) -> Path:
    """Write a line for each outcome as CSV, numbers with all their digits."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with PartialFile(path) as partial:
        with partial.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(("outcome", "share", "low", "high"))
            writer.writerows((word, *share) for word, share in found.shares.items())
        partial.publish()
    return path
