"""A plan of tilts, as a table and as a picture, and what becomes of other starts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rich.progress import TextColumn

from sim.cli.reports.console import format_number, make_bar, make_console, make_table
from sim.feeding.tilt_plan import TiltPlan, plan_tilts, replay_tilts
from sim.feeding.tray import TiltPose
from sim.scene.scene import Scene
from sim.show.replay.view import choose_unit

if TYPE_CHECKING:
    from sim.show.picture_options import PictureFile

DIGITS = 9  # behind the point: what is rounding of a pose is not shown


def print_tilts(scene: Scene, angles: list[float], settings: dict[str, Any], replay: int,
                plot: PictureFile | None) -> bool:
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
    factor, unit = choose_unit(scene.workpiece.outline.size)
    shown = make_table("Where it may lie after each", ["tilt", "gravity", "places", f"x [{unit}]", f"y [{unit}]",
                                                       "theta [deg]", "touching"], words=("touching",))
    for k, tilt in enumerate(plan.tilts, start=1):
        head = (str(k), f"{format_number(math.degrees(tilt.angle))} deg")
        for touching, poses in _group(tilt.poses).items():
            columns = [[pose.pose[c] * scale for pose in poses]
                       for c, scale in enumerate((factor, factor, math.degrees(1.0)))]
            shown.add_row(*head, str(len(poses)), *map(_span, columns), touching)
            head = ("", "")
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


def _group(poses: tuple[TiltPose, ...]) -> dict[str, list[TiltPose]]:
    """The poses by what touches."""
    groups: dict[str, list[TiltPose]] = {}
    for pose in poses:
        groups.setdefault(pose.describe(), []).append(pose)
    return groups


def _span(values: list[float]) -> str:
    """The lowest and the highest, or the one value that all have to what is shown."""
    words = [f"{round(value, DIGITS) + 0.0:.3g}" for value in (min(values), max(values))]
    return " to ".join(dict.fromkeys(words))
