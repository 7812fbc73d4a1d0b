"""A plan of tilts, as a table and as a picture, and what becomes of other starts."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from rich.progress import TextColumn

from sim.cli.reports.console import format_number, make_bar, make_console, make_table
from sim.feeding.tilt_plan import TiltPlan, plan_tilts, replay_tilts
from sim.feeding.tray import TiltPose
from sim.scene.scene import Scene

MOST_LISTED = 12  # poses of one tilt in the table


def print_tilts(scene: Scene, angles: list[float], settings: dict[str, Any], replay: int, plot: Path | None) -> bool:
    """Plan, print the plan, draw it, and follow it from `replay` other starts: do all end in its pose?
    settings: see `plan_tilts`. Raises NoPlanError, SceneError, PlotError."""
    console = make_console()
    with make_bar(make_console(stderr=True), TextColumn("{task.completed} runs")) as bar:
        task = bar.add_task("planning", total=None)
        plan = plan_tilts(scene, angles, **settings, progress=lambda runs: bar.update(task, completed=runs))
    n = len(plan.tilts)
    console.print(f"{scene.name}: {n} tilt{'' if n == 1 else 's'} bring {scene.workpiece.name} into one pose",
                  style="bold")
    console.print(f"  {_describe_runs(plan)}")
    shown = make_table("Where it may lie after each", ["tilt", "gravity [deg]", "left", "x [m]", "y [m]", "theta [deg]",
                                                       "touching"], words=("touching",))
    for k, tilt in enumerate(plan.tilts, start=1):
        for place, pose in enumerate(tilt.poses[:MOST_LISTED]):
            first = (str(k), format_number(math.degrees(tilt.angle)), str(len(tilt.poses))) if not place else ("",) * 3
            shown.add_row(*first, *_list_pose(pose))
        if len(tilt.poses) > MOST_LISTED:
            shown.add_row("", "", "", "...", "", "", f"{len(tilt.poses) - MOST_LISTED} more")
    console.print(shown)
    if plot is not None:
        from sim.show.plots.parts.tilt_picture import save_tilt_picture

        save_tilt_picture(plot, plan)
        console.print(f"Drawn: {plot}")
    ends = replay_tilts(plan, replay)
    same = len(ends) == 1 and ends[0].contacts == plan.pose.contacts
    console.print(f"  Followed from {replay} other starts, all tilts in one run: " + (
        "all end in this pose." if same else "they end in " + "; ".join(end.describe() for end in ends) + "."))
    return same


def _describe_runs(plan: TiltPlan) -> str:
    mu = "friction of the scene" if not plan.mus else f"friction {', '.join(map(format_number, plan.mus))}"
    e = "" if plan.e is None else f", restitution {format_number(plan.e)}"
    turn = "at once" if plan.rate is None else f"at {format_number(math.degrees(plan.rate))} deg/s"
    return f"{plan.n_runs} runs from {len(plan.starts)} starts, {mu}{e}; gravity turns {turn}"


def _list_pose(pose: TiltPose) -> tuple[str, str, str, str]:
    x, y, theta = pose.pose
    return format_number(x), format_number(y), format_number(math.degrees(theta)), pose.describe()
