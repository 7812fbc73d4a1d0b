"""The commands that show what is there: the motion of a log, the numbers of a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sim.cli.completion import complete_log
from sim.cli.reports.cli_words import find_log
from sim.cli.shared_options import BranchOption, SceneArgument, SetOption, app


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
) -> None:
    """Show the log of a run, or a cell of a sweep, in a window, or save it as a page, a movie or a picture.

    A tree of motions is shown with all branches together; with --branch K only the motion that ends with branch K.
    The page of a sweep is a map of its outcomes; a click on a cell plays its run. A cell whose sweep has left no log is
    run once more.
    """
    from sim.cli.reports import report_replay

    report_replay.replay_file(find_log(str(file)), save, speed, fps, branch, cell, cells or [])


@app.command("plot")
def plot_table(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The table of a sweep (.h5).",
                                         autocompletion=complete_log)],
    x: Annotated[str | None, typer.Option("--x", metavar="NAME", help="What varies to the right, such as mu.")] = None,
    y: Annotated[str | None, typer.Option(
        "--y", metavar="NAME", help="What varies upwards; or a column of numbers, for curves.")] = None,
    color: Annotated[str | None, typer.Option(
        "--color", metavar="COLUMN", help="What is shown: outcome (if not given), or any column of the table; numbers "
        "without --y as curves.")] = None,
    where: Annotated[str | None, typer.Option(
        metavar="NAME=VALUE,...", help="Only cells with these values of other axes.")] = None,
    save: Annotated[Path | None, typer.Option(
        metavar="FILE", help="Write a picture (.png, .svg or .pdf) instead of opening a window.")] = None,
) -> None:
    """Show the table of a sweep: a map of outcomes or numbers, or curves; further axes get a panel for each value."""
    path = find_log(str(file))
    from sim.cli.reports import report_plot

    report_plot.plot_sweep(path, x, y, color, where, save)


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
    from sim.cli.reports import report_view

    report_view.view_scene(scene, settings or [], port, opens=not no_open)
