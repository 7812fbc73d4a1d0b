"""The commands that show what is there: the motion of a log, the numbers of a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sim.cli.completion import complete_log
from sim.cli.reports.cli_words import UserError, find_log, read_picture_options
from sim.cli.shared_options import (
    BranchOption,
    FollowOption,
    LabelOption,
    NamesOption,
    SceneArgument,
    SetOption,
    TitleOption,
    ViewOption,
    app,
)


@app.command("replay")
def replay_log(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The log of a run, or the table of a sweep (.h5).",
                                         autocompletion=complete_log)],
    save: Annotated[Path | None, typer.Option(
        metavar="FILE", help="Write a page that shows the motion in any browser (.html), a movie (.gif, .mp4) or a "
        "picture of the end (.png, .svg, .pdf), instead of opening a window.")] = None,
    speed: Annotated[float | None, typer.Option(
        help="Speed of the replay; 0.5 is half speed. 1 if not given; a page then begins at one at which the motion "
        "takes some seconds.")] = None,
    fps: Annotated[float | None, typer.Option(help="Frames a second, of a movie or in the window.")] = None,
    branch: BranchOption = None,
    cell: Annotated[str | None, typer.Option(
        metavar="NAME=VALUE,...", help="Of a sweep: the run with these values, such as mu=0.3,rho=0.012.")] = None,
    cells: Annotated[list[str] | None, typer.Option(
        metavar="NAME=VALUE,...", help="Of a sweep that is saved as a page: a run that comes in beside those that were "
        "logged; all for every cell. May be repeated.")] = None,
    title: TitleOption = None,
    view: ViewOption = None,
    follow: FollowOption = None,
    names: NamesOption = False,
) -> None:
    """Show the log of a run, or a cell of a sweep, in a window, or save it as a page, a movie or a picture.

    A tree of motions is shown with all branches together; with --branch K only the motion that ends with branch K.
    The page of a sweep is a map of its outcomes; a click on a cell plays its run. A cell whose sweep has left no log is
    run once more.
    """
    from sim.cli.reports.shown import report_replay

    options = read_picture_options(title, view=view, follow=follow, names=names)
    report_replay.replay_file(find_log(str(file)), save, speed, fps, branch, cell, cells or [], options)


@app.command("plot")
def plot_files(
    files: Annotated[list[Path], typer.Argument(
        metavar="FILE...", help="The log of a run (.h5), or several for one picture; or the table of a sweep.",
        autocompletion=complete_log)],
    x: Annotated[str | None, typer.Option(
        "--x", metavar="NAME", help="What varies to the right. Of a log: time (if not given), or any column, such as "
        "depth. Of a sweep: an axis, such as mu.")] = None,
    y: Annotated[list[str] | None, typer.Option(
        "--y", metavar="NAME,...", help="What varies upwards. Of a log: y,contact.fn,energy (if not given), or other "
        "columns, see --list. Of a sweep: an axis; or a column of numbers, or arithmetic over columns such as "
        "largest_fn/9.81, for curves.")] = None,
    listing: Annotated[bool, typer.Option("--list", help="List the columns that there are, and end.")] = False,
    events: Annotated[list[str] | None, typer.Option(
        "--events", metavar="WORD,...", help="Of logs: which events to mark, such as impact,slip; all or none."),
    ] = None,
    branch: BranchOption = None,
    cell: Annotated[list[str] | None, typer.Option(
        "--cell", metavar="NAME=VALUE,...", help="Of a sweep: curves of the run with these values. May be repeated."),
    ] = None,
    color: Annotated[str | None, typer.Option(
        "--color", metavar="COLUMN", help="Of a sweep, what is shown: outcome (if not given), any column of the table, "
        "or arithmetic over columns; numbers without --y as curves.")] = None,
    where: Annotated[str | None, typer.Option(
        metavar="NAME=VALUE,...", help="Of a sweep: only cells with these values of other axes.")] = None,
    save: Annotated[Path | None, typer.Option(
        metavar="FILE", help="Write a picture (.png, .svg or .pdf), or of a log a table (.csv), instead of opening a "
        "window.")] = None,
    title: TitleOption = None,
    label: LabelOption = None,
    contours: Annotated[str | None, typer.Option(
        metavar="N|V,V,...", help="Of a map of numbers: lines of equal numbers, about N or at these levels.")] = None,
) -> None:
    """Show curves of a run, or of several in one picture: positions, velocities, forces, energies over time.

    Of the table of a sweep: a map of outcomes or numbers, or curves; further axes get a panel for each value.
    """
    from sim.sweep.sweep_file import is_sweep_file

    paths = [find_log(str(file)) for file in files]
    sweeps = [path for path in paths if is_sweep_file(path)]
    options = read_picture_options(title, label)
    if sweeps and not cell:
        refuse(f"{sweeps[0]} is the table of a sweep", {
            "--events": events, "--branch": branch is not None, "a second file": len(paths) > 1,
            "a second --y": len(y or []) > 1})
        from sim.cli.reports.shown import report_plot

        if listing:
            report_plot.print_columns(paths[0])
            return
        report_plot.plot_sweep(paths[0], x, y[0] if y else None, color, where, save, options, contours)
        return
    refuse("of curves of a run" if sweeps else f"{paths[0]} is the log of a run",
           {"--color": color, "--where": where, "--contours": contours})
    from sim.cli.reports.curves import report_curves

    if listing:
        report_curves.print_columns(paths, branch, cell or [])
    else:
        report_curves.plot_logs(paths, x, y or [], events or [], branch, cell or [], save, options)


def refuse(why: str, given: dict[str, object]) -> None:
    """Options that do not belong to what is shown. Raises UserError."""
    for name, value in given.items():
        if value:
            raise UserError(f"{name} cannot be used: {why}; see `stiction plot --help`")


@app.command("view")
def view_scene(
    scene: SceneArgument,
    settings: SetOption = None,
    port: Annotated[int, typer.Option(
        min=0, max=65535, help="Port of the page on this machine; 0: any that is free.")] = 0,
    no_open: Annotated[bool, typer.Option("--no-open", help="Print the address only, and open no browser.")] = False,
) -> None:
    """Open a page with sliders for the numbers of a scene, until Ctrl-C.

    While one is dragged the page shows every acceleration that is possible, with modes, forces and cones; when it is
    let go, the motion is followed and can be played. Only this machine can reach the page, with the token in its
    address.
    """
    from sim.cli.reports.shown import report_view

    report_view.view_scene(scene, settings or [], port, opens=not no_open)
