"""All poses of the contact formation of a scene, and the sheets of its cell, as tables and as a picture."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from geometry.formation.tracking import Stop, Track
from sim.cli.reports.console import format_number, make_console, make_table
from sim.scene.formation_start import FormationListing, name_obstacles
from sim.study.formation_sheets import Sheet, SheetMotion, choose_motion, find_branch_rows, find_sheets, parse_motion

if TYPE_CHECKING:
    from sim.show.picture_options import PictureFile

STOPS = {"end": "end of the range", "start": "end of the range", "branch": "branch point",
         "away": "beyond all bounds: the lines become parallel", "break": "a jump"}


METHODS = {"closed form": "in closed form", "solved": "round on round: solved, all roots of a polynomial"}


def print_formation(listing: FormationListing, move: str | None = None, plot: PictureFile | None = None) -> None:
    """Print the contacts, the verdict and the poses; with `move` (KEY=A:B:N) or `plot` (a picture of all) the sheets of
    the cell as well. Raises SceneError, PlotError."""
    console = make_console()
    motion = None
    if move is not None or plot is not None:
        motion = choose_motion(listing) if move is None else parse_motion(move, listing)
    names = [obstacle.name for obstacle in listing.obstacles]
    console.print(f"{listing.name}: contact formation {listing.found.type}", style="bold")
    if any(obstacle.motion is not None for obstacle in listing.obstacles):
        console.print("  Obstacles move; this is the scene at t = 0.")
    for number, contact in enumerate(listing.formation.contacts):
        owner = names[contact.manipulator]
        console.print(f"  contact {number} (type {contact.letters}): {contact.describe()} of {owner}")
    console.print(f"Verdict: {listing.found.verdict} - {listing.found.reason}")
    if listing.found.poses:
        largest = max(pose.residual for pose in listing.found.poses)
        console.print(f"  {METHODS[listing.found.method]}; the contacts hold to {largest:.1g} m")
        _print_poses(console, listing, names)
    if listing.problem:
        console.print(f"No start: {listing.problem}")
    sheets = [] if motion is None else find_sheets(listing, motion)
    if motion is not None:
        _print_sheets(console, listing, motion, sheets)
    if plot is not None:
        from sim.show.plots.formation_picture import save_formation_picture

        save_formation_picture(plot, listing, motion, sheets)
        console.print(f"Drawn: {plot}")


def _print_poses(console, listing: FormationListing, names: list[str]) -> None:
    table = make_table("Poses of the centre of mass", ["branch", "x [m]", "y [m]", "theta [rad]", "theta [deg]",
                                                       "det [m]", "realised", "start"],
                       words=("realised", "start"))
    for k, (pose, check) in enumerate(zip(listing.found.poses, listing.checks, strict=True)):
        numbers = (f"{value:.12g}" for value in (pose.x, pose.y, pose.theta))
        table.add_row(str(k), *numbers, format_number(math.degrees(pose.theta)), format_number(pose.determinant),
                      "yes" if check.realised else "no", "here" if pose.pose == listing.start else "")
    console.print(table)
    for k, check in enumerate(listing.checks):
        if not check.realised:
            console.print(f"  branch {k}: {name_obstacles(check.reason, names)}")


def _print_sheets(console, listing: FormationListing, motion: SheetMotion, sheets: list[Sheet]) -> None:
    ends = f"{format_number(motion.values[0])} to {format_number(motion.values[-1], motion.unit)}"
    console.print(f"Sheets of the cell, {motion.key} from {ends} (in the scene {format_number(motion.present)}):"
                  f"{'' if sheets else ' none'}", style="bold")
    for number, sheet in enumerate(sheets):
        branch = "" if sheet.branch is None else f" (branch {sheet.branch} of the scene)"
        console.print(f"  sheet {number}{branch}: {_describe_way(sheet.track, motion.unit, listing)}")
        for row in find_branch_rows(sheet.track):
            x, y, theta = sheet.track.poses[row]
            console.print(f"    branch point at {sheet.track.times[row]:.9g} {motion.unit}: "
                          f"x = {x:.9g} m, y = {y:.9g} m, theta = {theta:.9g} rad")
        for part in sheet.realised:
            console.print(f"    realised {_describe_way(part, motion.unit, listing)}")
        if not sheet.realised:
            console.print("    nowhere realised")


def _describe_way(track: Track, unit: str, listing: FormationListing) -> str:
    first, last = (f"{value:.9g} {unit} ({_describe_stop(stop, listing)})"
                   for value, stop in ((track.times[0], track.begin), (track.times[-1], track.end)))
    return f"from {first} to {last}"


def _describe_stop(stop: Stop, listing: FormationListing) -> str:
    if stop.reason == "edge":
        return f"contact {stop.number} at the end of its edge or arc"
    if stop.reason == "collision":
        return f"the part meets {listing.obstacles[stop.number].name!r}"
    return STOPS[stop.reason]
