"""The poses in which a part rests among the obstacles of its scene, as a table, as CSV and as a picture."""

from __future__ import annotations

import math
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from geometry.rest.pocket_poses import STEP
from geometry.rest.rest_poses import Way
from sim.cli.reports.console import format_number, make_console, make_table
from sim.study.rest_here import HereListing, HerePose

if TYPE_CHECKING:
    from sim.show.picture_options import PictureFile

DIGITS = 12  # after the point, of a length that is shown, m


def print_rest_here(listing: HereListing, merge: bool, table: Path | None, plot: PictureFile | None) -> None:
    """Print the poses of a listing; with `merge` those that are alike once. Raises PlotError, OSError."""
    poses = listing.merge_alike() if merge else listing.poses
    console = make_console()
    many = f"{len(poses)} rest pose{'' if len(poses) == 1 else 's'}"
    console.print(f"{listing.scene.name}: {many} among its obstacles, without friction", style="bold")
    if poses:
        _print_poses(console, listing, poses)
    else:
        console.print("  Nothing holds the part: it slides or tips down and away from every pose.")
    for note in listing.notes:
        console.print(f"  {note}")
    if not merge:
        _print_alike(console, poses)
    if table is not None:
        console.print(f"CSV: {shlex.quote(str(listing.write_csv(table, poses)))}")
    if plot is not None:
        from sim.show.plots.parts.rest_here_picture import save_rest_here_picture

        save_rest_here_picture(plot, listing, poses)
        console.print(f"Drawn: {plot}")


def _print_poses(console, listing: HereListing, poses: tuple[HerePose, ...]) -> None:
    shown = make_table("Poses by pocket", ["rest", "pocket", "touching", "theta [deg]", "x [m]", "y [m]", "slides [m]"],
                       words=("touching", "slides [m]"))
    margins = make_table("How far they are from leaving by a turn to the left and to the right",
                         ["rest", "height [m]", "left [deg]", "right [deg]", "lift [m]", "energy [J]", "share"])
    for pose in poses:
        found = pose.found
        theta = format_number(math.degrees(pose.pose.theta))
        if found.span:
            theta += f", {format_number(math.degrees(found.span))} wide"
        # what is nothing to rounding is shown as nothing
        x, y, height = (format_number(round(value, DIGITS) + 0.0) for value in (*pose.pose[:2], pose.height))
        shown.add_row(str(pose.number), str(found.pocket), pose.touches, theta, x, y, describe_slide(pose))
        ways = found.left, found.right
        lift = None if None in ways else min(way.lift for way in ways)
        margins.add_row(str(pose.number), height, _show_angle(found.left), _show_angle(found.right), _show(lift),
                        _show(None if lift is None else listing.weight * lift), format_number(pose.share))
    console.print(shown)
    console.print(margins)
    console.print(f"  A pose that no flush edge holds is found if it bears a turn of {math.degrees(STEP):.3g} deg.")
    if any(None in (pose.found.left, pose.found.right) for pose in poses):
        console.print("  -: turned that way, however little, it slides down and away.")
    if any(any(pose.slide) for pose in poses):
        console.print("  slides: from there to the left and to the right; +: nothing stops it there, and it leaves.")


def describe_slide(pose: HerePose) -> str:
    """ "-0.02 to 0.01+", or "-" of one that cannot slide."""
    if not any(pose.slide):
        return "-"
    left, right = ("+" if leaves else "" for leaves in pose.open)
    return f"{format_number(-pose.slide[0])}{left} to {format_number(pose.slide[1])}{right}"


def _show(value: float | None) -> str:
    if value is None:
        return "-"
    return "never" if math.isinf(value) else format_number(value)


def _show_angle(way: Way | None) -> str:
    return _show(None if way is None else math.degrees(way.angle))


def _print_alike(console, poses: tuple[HerePose, ...]) -> None:
    groups: dict[int, list[int]] = {}
    for pose in poses:
        groups.setdefault(pose.alike, []).append(pose.number)
    for numbers in groups.values():
        if len(numbers) > 1:
            console.print(f"  Alike by the part's symmetry: {', '.join(map(str, numbers))} (--merge-symmetric takes "
                          "them together).")
