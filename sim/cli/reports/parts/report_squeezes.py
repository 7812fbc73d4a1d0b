"""A plan of squeezes, as a table and as a picture."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from geometry.rest.squeezing import SqueezePlan, find_squeeze_plan
from sim.cli.reports.console import format_number, make_console, make_table
from sim.scene.build_outline import AnyOutline

if TYPE_CHECKING:
    from sim.show.picture_options import PictureFile

MOST_THETAS = 8  # orientations in a row of the table


def print_squeezes(name: str, outline: AnyOutline, slack: float, plot: PictureFile | None) -> None:
    """Plan for a part, print the plan, and draw it. Raises InputError, PlotError."""
    plan = find_squeeze_plan(outline, slack)
    console = make_console()
    n = len(plan.squeezes)
    console.print(f"{name}: {n} squeeze{'' if n == 1 else 's'} between frictionless parallel jaws", style="bold")
    shown = make_table("What is known of the part after each, whatever its orientation was before",
                       ["squeeze", "angle [deg]", "turn [deg]", "slack [deg]", "slack [rad]", "left", "theta [deg]"],
                       words=("theta [deg]",))
    for k, squeeze in enumerate(plan.squeezes, start=1):
        slacks = ("any", "any") if math.isinf(squeeze.slack) else tuple(
            format_number(value) for value in (math.degrees(squeeze.slack), squeeze.slack))
        shown.add_row(str(k), _show(squeeze.angle), _show(squeeze.turn), *slacks, str(len(squeeze.thetas)),
                      _list_angles(squeeze.thetas))
    console.print(shown)
    console.print(f"  angle: of the line along which the jaws close; theta: of the part, up to {_show(plan.period)} "
                  "deg.")
    console.print(f"  {_describe_end(plan)}")
    if plot is not None:
        from sim.show.plots.parts.squeeze_picture import save_squeeze_picture

        save_squeeze_picture(plot, plan, outline, name)
        console.print(f"Drawn: {plot}")


def _show(angle: float) -> str:
    return format_number(math.degrees(angle))


def _list_angles(thetas: tuple[float, ...]) -> str:
    words = [_show(theta) for theta in thetas[:MOST_THETAS]]
    return ", ".join(words if len(thetas) <= MOST_THETAS else [*words, "..."])


def _describe_end(plan: SqueezePlan) -> str:
    """Which orientations are left, and how far the turns may be off."""
    end = _list_angles(plan.thetas)
    left = f"The part ends at theta = {end} deg"
    if len(plan.thetas) > 1:
        left = f"The part ends at theta = {end} deg, which parallel jaws do not tell apart"
    if plan.symmetry > 1:
        left += f", up to its symmetry of {_show(math.tau / plan.symmetry)} deg"
    off = "" if math.isinf(plan.slack) else f" Every turn may be off by {_show(plan.slack)} deg, {plan.slack:.4g} rad."
    return f"{left}.{off}"
