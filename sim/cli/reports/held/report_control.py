"""Pictures of force and motion control: of a log, of a scene that is run, and over friction."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sim.cli.reports.cli_words import UserError
from sim.cli.reports.console import format_number, make_console, make_table
from sim.cli.reports.report_run import show_progress
from sim.show.plot_file import check_plot_file, save_figure

if TYPE_CHECKING:
    from sim.log.trajectory import Trajectory
    from sim.scene.scene import Scene
    from sim.show.picture_options import PictureFile
    from sim.study.control_study import Coupling


def print_log(path: Path, mu: str | None, save: PictureFile | Path) -> None:
    """The figure of a log. Raises UserError, NoControlError, TrajectoryFileError."""
    from sim.log.reading import read_trajectory

    if mu is not None:
        raise UserError(f"--mu {mu}: friction changes the motion, and a log holds one; give a scene")
    print_control(read_trajectory(path), check_plot_file(save))


def print_scene(scene: Scene, mu: str | None, save: PictureFile | Path) -> None:
    """The figure of a scene, which is run and not kept, or that over friction. Raises UserError, NoControlError."""
    from sim.sweep.axes import parse_span

    if scene.run.choice == "branch":
        raise UserError('run.choice = "branch" gives many motions: --set run.choice=continue')
    file = check_plot_file(save)
    if mu is None:
        from sim.run.simulation import simulate

        with show_progress(scene) as progress:
            trajectory = simulate(scene, progress=progress)
        print_control(trajectory, file)
        return
    span = parse_span(mu)
    if span is None or span[1]:
        raise UserError(f"--mu {mu}: must be A:B:N, N frictions from A to B, such as 0:0.5:11")
    print_coupling(scene, span[0].tolist(), file)


def print_control(trajectory: Trajectory, file: PictureFile) -> None:
    """The figure of a log, and its numbers."""
    from sim.show.plots.control_picture import draw_control
    from sim.study.control_curves import compute_control_curves

    curves = compute_control_curves(trajectory)
    table = make_table("control of force and motion", ["contact", "desired", "normal force", "error, mean square"])
    for contact in curves.contacts:
        asked = contact.desired
        table.add_row(contact.name, "-" if asked is None else _describe_range(asked), _describe_range(contact.real),
                      "-" if asked is None else format_number(curves.find_mean(contact.real - asked), "N"))
    console = make_console()
    console.print(table)
    whole, projected = (format_number(float(abs(power).max()), "W") for power in (curves.power, curves.projected))
    console.print(f"power of the wrench {whole} at most, of its projection into the contact space {projected}; "
                  f"{len(curves.impacts)} impacts")
    if curves.error is not None:
        console.print(f"distance from the reference {format_number(1e3 * curves.error.max(), 'mm')} at most")
    figure = draw_control(curves, trajectory.scene.name, file.options)
    console.print(f"Picture: {shlex.quote(str(save_figure(figure, file, dpi=110.0)))}")


def _describe_range(values) -> str:
    """From the smallest to the largest of some forces."""
    return f"{format_number(values.min())} to {format_number(values.max(), 'N')}"


def print_coupling(scene: Scene, values: Sequence[float], file: PictureFile) -> None:
    """The figure over friction, and its numbers."""
    from sim.show.plots.control_picture import save_coupling_picture
    from sim.study.control_study import study_friction

    with show_progress(scene) as progress:
        couplings: list[Coupling] = study_friction(scene, values, progress)
    table = make_table("errors, as roots of mean squares", ["mu", "projections", "normal forces", "motion", "ended"])
    for one in couplings:
        table.add_row(format_number(one.mu), "yes" if one.projection else "no", format_number(one.force, "N"),
                      format_number(1e3 * one.motion, "mm"), "completed" if one.completed else "early")
    console = make_console()
    console.print(table)
    console.print(f"Picture: {shlex.quote(str(save_coupling_picture(file, couplings, scene.name)))}")
