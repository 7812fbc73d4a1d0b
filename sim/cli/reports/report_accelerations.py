"""Every acceleration that is possible at one time, as tables."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Console

from sim.cli.reports.console import format_number, make_console, make_table
from sim.rows.records import CONTACT_TYPES, SET_KINDS
from sim.rows.status import Status
from sim.scene.scene import Scene
from sim.scene.scene_errors import SceneError

if TYPE_CHECKING:
    from sim.show.picture_options import PictureFile

HEADLINES = {
    "none": "No acceleration satisfies the laws of rigid bodies with Coulomb friction.",
    "one": "One acceleration is possible.",
    "several": "Several accelerations are possible.",
    "continuum": "A continuum of accelerations is possible; its corners are listed.",
}
SHAPES = ("point", "segment", "polygon")


def print_of_scene(scene: Scene, at: float | None, plot: PictureFile | None = None) -> None:
    """The accelerations at the start, or at the time `at`, for which the scene is run until then; `plot`: a picture."""
    if not at:
        print_state(scene, None, None, 0.0, plot)
        return
    if scene.run.choice == "branch":
        raise SceneError(
            f'{scene.name}: with run.choice = "branch" there are several motions until t = {at!r} s. Run it into a log '
            "and name one (--branch), or follow one motion: --set run.choice=continue"
        )
    from sim import simulate

    trajectory = simulate(scene, duration=at, output_interval=None)
    if not trajectory.status.completed:
        make_console(stderr=True).print(f"The run ended before t = {at!r} s: {trajectory.status.happened}")
    print_row(scene, trajectory, -1, plot)


def print_of_log(path: Path, at: float | None, plot: PictureFile | None = None, branch: int | None = None) -> None:
    """The accelerations at a row of a log; where there is no row at that time, the logged scene is run until then.

    Of a tree: at a row of the motion that ends with `branch`, which must be there. Raises TrajectoryFileError.
    """
    from sim.log.reading import count_branches, read_source

    if branch is not None or count_branches(path):
        print_of_branch(path, at, plot, branch)
        return
    trajectory = read_source(path)
    if len(trajectory) == 0:
        make_console(stderr=True).print(f"{path} has no rows; this is the start of its scene.")
        print_of_scene(find_scene(trajectory, path), at, plot)
        return
    at = float(trajectory.time[0]) if at is None else at
    row = int(np.searchsorted(trajectory.time, at, side="right")) - 1
    if row >= 0 and trajectory.time[row] == at:
        print_row(find_scene(trajectory, path), trajectory, row, plot)
    else:
        make_console(stderr=True).print(f"The log has no row at t = {at!r} s: its scene is run until then.")
        print_of_scene(find_scene(trajectory, path), at, plot)


def find_scene(trajectory, path: Path) -> Scene:
    """The scene that a log holds. Raises TrajectoryFileError where its text cannot be used."""
    from sim.log.reading import TrajectoryFileError

    try:
        return trajectory.scene
    except SceneError as error:
        raise TrajectoryFileError(path, f"holds a scene that cannot be used: {error}") from error


def print_of_branch(path: Path, at: float | None, plot: PictureFile | None, branch: int | None) -> None:
    """The accelerations at a row of one branch of a tree; without a number, of the first leaf that was followed."""
    from sim.log.reading import TrajectoryFileError, read_source, read_tree

    if branch is None:
        branch = read_tree(path).first_leaf
        make_console(stderr=True).print(f"This is branch {branch}; choose another with --branch.")
    trajectory = read_source(path, branch)
    if len(trajectory) == 0:
        raise TrajectoryFileError(path, f"branch {branch} has no rows")
    times = trajectory.time
    at = float(times[0]) if at is None else at
    row = int(np.searchsorted(times, at, side="right")) - 1
    if row < 0 or times[row] != at:
        near = times[max(row, 0) : row + 2]
        words = " and ".join(f"{time!r}" for time in near.tolist())
        raise TrajectoryFileError(
            path,
            f"branch {branch} has no row at t = {at!r} s; the nearest are at {words} s. A smaller run.output_interval "
            "gives more rows",
        )
    print_row(find_scene(trajectory, path), trajectory, row, plot)


def print_row(scene: Scene, trajectory, row: int, plot: PictureFile | None = None) -> None:
    if trajectory.status is Status.JAMMED and SET_KINDS[trajectory.steps["set_kind"][row]] == "none":
        if plot is not None:
            raise SceneError(f"{scene.name} at t = {float(trajectory.time[row])!r} s: the part is jammed, and there is "
                             "no acceleration to draw; `stiction replay LOG --save FILE.png` draws the contacts")
        print_jam(scene, trajectory, row)
        return
    print_state(scene, trajectory.pose[row], trajectory.velocity[row], float(trajectory.time[row]), plot)


def print_state(scene: Scene, pose, velocity, time: float, plot: PictureFile | None = None) -> None:
    """The accelerations of one state; None: that of the start. The path of `plot` has been checked."""
    from dynamics import find_accelerations
    from sim.instant.instant import contact_problem

    problem, contacts = contact_problem(scene, pose, velocity, time)
    found = find_accelerations(problem)
    console = make_console()
    console.print(f"{scene.name} at t = {float(time)!r} s: {HEADLINES[found.kind]}", style="bold")
    if found.kind != "one":
        names = [f"contact {index} ({contact['obstacle']})" for index, contact in enumerate(contacts)]
        for line in found.explain(names, " m/s^2").splitlines()[1 if found.kind == "none" else 0 :]:
            console.print(f"  {line}")  # the headline has said the first line of an empty set
    for doubt in found.doubts:
        console.print(f"  {doubt}")
    if any(contact["gap_rate"] < 0.0 for contact in contacts):
        console.print("  A contact closes with a speed: an impact comes before this acceleration.")
    print_contacts(console, contacts, problem)
    for number, piece in enumerate(found.pieces, start=1):
        print_piece(console, scene, contacts, piece, number)
    if plot is not None:
        from sim.show.plots.acceleration_picture import save_acceleration_picture

        pose = scene.workpiece.pose if pose is None else pose
        written = save_acceleration_picture(plot, scene, pose, time, problem, contacts, found)
        console.print(f"Picture: {shlex.quote(str(written))}")


def print_jam(scene: Scene, trajectory, row: int) -> None:
    """The contacts that prove that there is no motion: with any, one of their gaps would close."""
    console = make_console()
    console.print(f"{scene.name} at t = {float(trajectory.time[row])!r} s: no motion is possible.", style="bold")
    console.print("  The part is jammed: obstacles that move leave it no velocity or acceleration, or none that "
                  "friction lets it take.")
    table = make_table("These contacts prove it; their forces have no bound",
                       ["#", "obstacle", "type", "x [m]", "y [m]", "normal x", "normal y"], words=("obstacle", "type"))
    for index, contact in enumerate(trajectory.contacts_at(row)):
        table.add_row(str(index), scene.obstacles[contact["obstacle"]].name, CONTACT_TYPES[contact["type"]],
                      *(format_number(contact[name]) for name in ("px", "py", "nx", "ny")))
    console.print(table)


def print_contacts(console: Console, contacts: list[dict], problem) -> None:
    """The closed contacts of the state."""
    if not contacts:
        console.print("  No contact is closed.")
        return
    table = make_table("Closed contacts", ["#", "obstacle", "type", "x [m]", "y [m]", "normal x", "normal y", "mu",
                                           "slip [m/s]"], words=("obstacle", "type"))
    for index, contact in enumerate(contacts):
        table.add_row(str(index), contact["obstacle"], contact["type"], *map(format_number, contact["point"]),
                      *map(format_number, contact["normal"]), format_number(problem.mu[index]),
                      format_number(contact["slip"]))
    console.print(table)


def print_piece(console: Console, scene: Scene, contacts: list[dict], piece, number: int) -> None:
    """One piece of the set: its accelerations, and the forces that make each."""
    rho, mass = scene.workpiece.rho, scene.workpiece.mass
    mode = piece.mode or "free flight"
    shape = "" if piece.dimension == 0 else f", a {SHAPES[piece.dimension]}{' without end' if len(piece.rays) else ''}"
    forces = "" if piece.forces_unique or not contacts else "; its forces are not unique, the least are shown"
    columns = ["ax [m/s^2]", "ay [m/s^2]", "alpha [rad/s^2]"]
    for index in range(len(contacts)):
        columns += [f"fn{index} [N]", f"ft{index} [N]"]
    table = make_table(f"{number}: mode {mode}{shape}{forces}", [*columns, "residual"])
    for vertex, force, residuals in zip(piece.vertices, piece.forces, piece.residuals, strict=True):
        acceleration = (vertex[0], vertex[1], vertex[2] / rho)
        table.add_row(*map(format_number, acceleration), *(format_number(mass * value) for value in force.ravel()),
                      f"{residuals.worst:.1e}")
    for ray in piece.rays:
        direction = (f"{format_number(value)} s" for value in (ray[0], ray[1], ray[2] / rho))
        table.add_row(*(f"+ {text}" for text in direction), *["" for _ in range(2 * len(contacts) + 1)])
    console.print(table)
