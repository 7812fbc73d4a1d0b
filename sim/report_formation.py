"""All poses of the contact formation of a scene, as tables and as a picture."""

from __future__ import annotations

import math
from pathlib import Path

from sim.console import format_number, make_console, make_table
from sim.formation import list_poses, name_obstacles, require_formation
from sim.scene import Scene


def print_formation(scene: Scene, plot: Path | None = None) -> None:
    """Print the contacts, the verdict and the poses, and draw them if `plot` is a path. Raises SceneError."""
    formation = require_formation(scene)
    names = [obstacle.name for obstacle in scene.obstacles]
    found, checks = list_poses(formation, scene.workpiece.outline, scene.obstacles)
    console = make_console()
    console.print(f"{scene.name}: contact formation {found.type}", style="bold")
    if scene.moves:
        console.print("  Obstacles or gravity move; this is the scene at t = 0.")
    for number, contact in enumerate(formation.contacts):
        owner = names[contact.manipulator]
        console.print(f"  contact {number} (type {contact.letters}): {contact.describe()} of {owner}")
    console.print(f"Verdict: {found.verdict} - {found.reason}")
    table = make_table("Poses of the centre of mass", ["branch", "x [m]", "y [m]", "theta [rad]", "theta [deg]",
                                                       "det [m]", "realised", "start"],
                       words=("realised", "start"))
    for k, (pose, check) in enumerate(zip(found.poses, checks, strict=True)):
        numbers = (f"{value:.12g}" for value in (pose.x, pose.y, pose.theta))
        table.add_row(str(k), *numbers, format_number(math.degrees(pose.theta)), format_number(pose.determinant),
                      "yes" if check.realised else "no", "here" if pose.pose == scene.workpiece.pose else "")
    console.print(table)
    for k, check in enumerate(checks):
        if not check.realised:
            console.print(f"  branch {k}: {name_obstacles(check.reason, names)}")
    if plot is not None:
        from sim.formation_picture import save_formation_picture

        save_formation_picture(plot, scene, found, checks)
        console.print(f"Drawn: {plot}")
