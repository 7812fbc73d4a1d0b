"""Run a sweep under the eyes of a user, and say what came out."""

from __future__ import annotations

import shlex
from pathlib import Path

from rich.progress import BarColumn, ProgressColumn, TextColumn, TimeRemainingColumn
from rich.text import Text

from sim.cli.reports.console import make_bar, make_console
from sim.cli.reports.report_run import describe_code, watch_code
from sim.scene.scene import Scene
from sim.sweep.axes import parse_axes, scale_axis
from sim.sweep.sweep import sweep


class SpeedColumn(ProgressColumn):
    """Runs a second."""

    def render(self, task) -> Text:
        return Text(f"{task.speed:.0f}/s" if task.speed else "")


def print_sweep(scene: Scene, mu, rho, varied: tuple[list[str], list[str]], shown: tuple[Path | None, bool],
                options: dict) -> bool:
    """Run, with a progress bar on a terminal, and print the outcomes; returns whether all cells are there.

    varied: the texts of --vary and of --scale. shown: the CSV file, and whether outcomes that are alike are one.
    """
    table, merge = shown
    axes = [axis for text in varied[0] for axis in parse_axes(text)]
    axes += [scale_axis(axis) for text in varied[1] for axis in parse_axes(text)]
    console = make_console(stderr=True)
    bar = make_bar(console, BarColumn(), TextColumn("{task.completed} of {task.total} runs"), SpeedColumn(),
                   TimeRemainingColumn())
    task = bar.add_task(scene.name, total=None)
    with bar, watch_code(console):
        result = sweep(scene, mu, rho, axes, **options,
                       progress=lambda done, total: bar.update(
                           task, completed=done, total=total, description=scene.name + describe_code()))
    out = make_console()
    out.print(f"{scene.name}: {len(result)} of {len(result.plan)} cells", style="bold")
    if options["resume"]:
        out.print(f"  {result.n_reused} of them were there already, {len(result) - result.n_reused} were run now")
    for word, number in result.count("merged_outcome" if merge else "outcome").items():
        out.print(f"  {number:>8}  {word}")
        if word in ("invalid", "failed"):  # by no cause that the word tells
            out.print(f"{'':12}the first: {next(filter(None, result['message'][result['outcome'] == word]), '')}",
                      style="dim")
    out.print(f"Table: {shlex.quote(str(options['output']))}")
    if table is not None:
        out.print(f"CSV:   {shlex.quote(str(result.write_csv(table, merge)))}")
    if len(result) < len(result.plan):
        out.print("Interrupted: the same command with --resume runs the rest.")
    return len(result) == len(result.plan)
