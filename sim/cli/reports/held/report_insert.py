"""An insertion in words: which contacts are closed at which depth, and what force and moment it takes."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Console

from sim.cli.reports.console import format_number, make_console
from sim.cli.reports.report_run import show_progress
from sim.log.trajectory import Trajectory
from sim.scene.scene import Scene
from sim.study.insertion_run import InsertionRun, analyse_insertion, check_insertion
from sim.words.quoting import cut

if TYPE_CHECKING:
    from sim.show.picture_options import PictureFile

MOST_SPANS = 40  # that are printed
OF_FORCES = {"gripper": "the gripper, about the centre of compliance", "load": "the load, about the centre of mass"}
ENDS = {
    "inserted": "It is in.",
    "wedged": "It is wedged: its contacts hold it against every load; pushing harder is no use.",
    "jammed": "It is jammed: its contacts hold it under this load; a push in another place or direction can free it.",
    "refused": "It is refused at the mouth.",
}


def run_insertion(scene: Scene, plot: PictureFile | None, table: Path | None) -> bool:
    """Run a scene and print how its part goes in; returns whether the run ended well."""
    from sim.run.simulation import simulate

    check_insertion(scene)
    if scene.run.output_interval is None:
        make_console(stderr=True).print("Note: the scene has no run.output_interval; there are rows at events only.")
    with show_progress(scene) as progress:
        trajectory = simulate(scene, progress=progress)
    return print_insertion(trajectory, plot, table)


def print_insertion(trajectory: Trajectory, plot: PictureFile | None, table: Path | None) -> bool:
    """Print how the part of a run goes in, and write what is asked for; returns whether the run ended well."""
    run, console = analyse_insertion(trajectory), make_console()
    status = trajectory.status
    end = trajectory.outcome or status.happened
    console.print(f"{cut(run.scene.name)}: {end}, {_format_length(run.depth[-1])} deep",
                  style="bold" if status.completed else "bold red")
    if not status.completed:
        console.print(f"  {status.happened} {status.advice}")
    elif trajectory.outcome in ENDS:
        console.print(f"  {ENDS[trajectory.outcome]}")
    _print_spans(console, run)
    row = run.peak
    console.print(f"Largest force of the {run.source}: {format_number(run.force[row], 'N')} at a depth of "
                  f"{_format_length(run.depth[row])}: push {format_number(run.push[row], 'N')}, side "
                  f"{format_number(run.side[row], 'N')}, moment {format_number(run.moment[row], 'N m')}")
    for line in describe_wedging(run):
        console.print(line)
    if plot is not None:
        from sim.show.plots.insertion_picture import save_insertion_picture

        console.print(f"Picture: {shlex.quote(str(save_insertion_picture(plot, run)))}")
    if table is not None:
        console.print(f"CSV: {shlex.quote(str(run.write_csv(table)))}")
    return status.completed


def _print_spans(console: Console, run: InsertionRun) -> None:
    console.print(f"Force on the part of {OF_FORCES[run.source]}; push is along the way in, side to the right of it:")
    for span in run.spans[:MOST_SPANS]:
        depth = f"{_format_number(1e3 * run.depth[span.first])} to {_format_number(1e3 * run.depth[span.last])} mm"
        forces = ", ".join(f"{name} {_format_number(values[span.first])} to {_format_number(values[span.last])} {unit}"
                           for name, values, unit in (("push", run.push, "N"), ("side", run.side, "N"),
                                                      ("moment", run.moment, "N m")))
        console.print(f"  {depth:<20} {span.state:<11} {forces}")
        for place in span.contacts:
            console.print(f"{'':23}{place.describe()}, {_format_length(place.depth)} deep; {place.motion}")
    if len(run.spans) > MOST_SPANS:
        console.print(f"  ... and {len(run.spans) - MOST_SPANS} more; --csv holds all rows.")


def describe_wedging(run: InsertionRun) -> list[str]:
    """Where two contacts could wedge the part: what friction that takes, and whether there is as much."""
    facing = np.flatnonzero(np.isfinite(run.wedges_at))
    if not len(facing):
        return ["Wedging: nowhere do two contacts face each other."]
    easiest = facing[np.argmin(run.wedges_at[facing])]
    closed = [row for row in facing if run.is_wedged(int(row))]
    words = f"Wedging: two contacts can hold any load for mu from {_tell_friction(run, int(easiest))} on"
    if facing[-1] != easiest:
        words += f", from {_tell_friction(run, int(facing[-1]))}"
    if not closed:
        return [f"{words}. There is less everywhere."]
    low, high = run.depth[closed[0]], run.depth[closed[-1]]
    return [f"{words}.",
            f"  There is as much from {_format_length(low)} to {_format_length(high)}: stopped there, it is wedged."]


def _tell_friction(run: InsertionRun, row: int) -> str:
    return f"{format_number(run.wedges_at[row])} at {_format_length(run.depth[row])}"


def _format_length(value: float) -> str:
    return f"{_format_number(1e3 * value)} mm"


def _format_number(value: float) -> str:
    """Four digits, no negative zero."""
    return f"{float(value) + 0.0:.4g}"
