"""The poses in which a part rests, as a table, as CSV and as a picture."""

from __future__ import annotations

import math
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from geometry.rest.rest_poses import RestPose, Way
from sim.cli.reports.console import format_number, make_console, make_table
from sim.study.rest_listing import RestListing

if TYPE_CHECKING:
    from sim.show.picture_options import PictureFile


def print_rest(listing: RestListing, merge: bool, table: Path | None, plot: PictureFile | None) -> None:
    """Print the poses of a listing; with `merge` those that are alike once. Raises PlotError, OSError."""
    poses = listing.merge_alike() if merge else listing.poses
    console = make_console()
    many = f"{len(poses)} rest pose{'' if len(poses) == 1 else 's'}"
    console.print(f"{listing.name}: {many} on a floor {_describe_floor(listing)}", style="bold")
    if poses:
        _print_poses(console, listing, poses)
    elif listing.slope:
        console.print("  In every pose the centre of mass is beside what touches: the part rolls down for ever.")
    if listing.slides:
        console.print(f"  The part slides in every pose: tan(slope) = {format_number(math.tan(abs(listing.slope)))} is "
                      "more than the friction.")
    elif poses and listing.slope and listing.mu is None:
        console.print(f"  It slides where friction is less than tan(slope) = "
                      f"{format_number(math.tan(abs(listing.slope)))}.")
    if not merge:
        _print_alike(console, poses)
    if table is not None:
        console.print(f"CSV: {shlex.quote(str(listing.write_csv(table, poses)))}")
    if plot is not None:
        from sim.show.plots.parts.rest_picture import save_rest_picture

        save_rest_picture(plot, listing, poses)
        console.print(f"Drawn: {plot}")


def _describe_floor(listing: RestListing) -> str:
    slope = "that is level"
    if listing.slope:
        slope = f"that rises by {format_number(math.degrees(listing.slope))} deg to the right"
    return slope if listing.mu is None else f"{slope}, friction {format_number(listing.mu)}"


def _print_poses(console, listing: RestListing, poses: tuple[RestPose, ...]) -> None:
    energy = [] if listing.weight is None else ["energy [J]"]
    shown = make_table("Poses, and how far they are from tipping to the left and to the right",
                       ["rest", "touching", "theta [deg]", "height [m]", "left [deg]", "right [deg]", "lift [m]",
                        *energy, "share"], words=("touching",))
    for pose in poses:
        theta = format_number(math.degrees(pose.theta))
        if pose.span:
            theta += f" +- {format_number(math.degrees(0.5 * pose.span))}"
        lift = min(pose.left.lift, pose.right.lift)
        least = [] if listing.weight is None else [_show(listing.weight * lift)]
        shown.add_row("-" if pose.number is None else str(pose.number), pose.describe(), theta,
                      format_number(pose.height), _show_angle(pose.left), _show_angle(pose.right), _show(lift), *least,
                      format_number(pose.share))
    console.print(shown)
    if any(pose.number is None for pose in poses):
        console.print("  -: no rest pose of a level floor, so it has no number.")


def _show(value: float) -> str:
    return "never" if math.isinf(value) else format_number(value)


def _show_angle(way: Way) -> str:
    return _show(math.degrees(way.angle))


def _print_alike(console, poses: tuple[RestPose, ...]) -> None:
    groups: dict[int, list[int]] = {}
    for pose in poses:
        if pose.number is not None and pose.alike is not None:
            groups.setdefault(pose.alike, []).append(pose.number)
    for numbers in groups.values():
        if len(numbers) > 1:
            console.print(f"  Alike by the part's symmetry: {', '.join(map(str, numbers))} (--merge-symmetric takes "
                          "them together).")
