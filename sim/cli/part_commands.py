"""The commands that look at a part alone: its drawing, and the poses in which it rests."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sim.cli.reports.cli_words import (
    EXIT_DONE,
    EXIT_NOT_WELL,
    UserError,
    check_plot,
    decode_word,
    is_drawing,
    open_scene,
    refuse_overrides,
    split_overrides,
)
from sim.cli.shared_options import PlotOption, SetOption, TitleOption, app

if TYPE_CHECKING:
    from sim.show.picture_options import PictureFile


@app.command("outline")
def describe_outline(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A drawing of a part (.dxf or .svg).")],
    layer: Annotated[str | None, typer.Option(metavar="NAME", help="Only what is on this layer.")] = None,
    unit: Annotated[str | None, typer.Option(metavar="UNIT", help="Of the drawing: m, cm, mm, um or in.")] = None,
    tolerance: Annotated[float | None, typer.Option(help="How far arcs may lie off curves, in this unit.")] = None,
    plot: PlotOption = None,
    title: TitleOption = None,
) -> None:
    """List the edges and arcs of a drawing, its area and radius of gyration, and what reading it has changed."""
    picture = check_plot(plot, title)
    from sim.cli.reports.parts import report_outline

    report_outline.print_outline(file, layer, unit, tolerance, picture)


@app.command("rest")
def list_rest(
    source: Annotated[str, typer.Argument(metavar="SCENE|PART", help="A scene, whose part is asked of, or the drawing "
                                          "of a part (.dxf or .svg) of uniform density.")],
    here: Annotated[bool, typer.Option("--here", help="Among the obstacles of the scene, under its gravity, without "
                                       "friction: in a groove, a corner, a nest, a tray.")] = False,
    slope: Annotated[str, typer.Option(metavar="ANGLE", help='By which the floor rises to the right, such as "5 deg"; '
                                       "the gravity that counts points down.")] = "0",
    mu: Annotated[float | None, typer.Option(help="Friction of the floor, to tell where the part slides.")] = None,
    merge: Annotated[bool, typer.Option("--merge-symmetric", help="Take poses together that the part's symmetry makes "
                                        "alike.")] = False,
    layer: Annotated[str | None, typer.Option(metavar="NAME", help="Of a drawing: only what is on this layer.")] = None,
    unit: Annotated[str | None, typer.Option(metavar="UNIT", help="Of a drawing: m, cm, mm, um or in.")] = None,
    table: Annotated[Path | None, typer.Option(
        "--csv", metavar="FILE", help="Write a line for each pose as CSV.")] = None,
    plot: PlotOption = None,
    title: TitleOption = None,
    overrides: SetOption = None,
) -> None:
    """List every pose in which the part rests on a floor, or with --here among the obstacles of its scene: what
    touches, how far from tipping, how probable.

    The share is that of all starting angles from which the part, let go just above the floor, not bouncing and not
    slipping, comes to rest so. Ends with exit code 1 where there is no such pose, or the part slides in all of them.
    """
    picture = check_plot(plot, title)
    if here:
        _refuse_floor(source, slope, mu, layer or unit)
        _list_rest_here(source, merge, table, picture, overrides)
    from sim.cli.reports.parts import report_rest
    from sim.scene.toml_text import parse_value
    from sim.study.rest_listing import list_rest_of_drawing, list_rest_of_scene
    from sim.values.quantities import read_angle, read_friction

    try:
        floor = read_angle(parse_value(decode_word(slope))), None if mu is None else read_friction(mu)
    except ValueError as error:
        raise UserError(f"--slope {slope}{'' if mu is None else f' --mu {mu}'}: {error}") from None
    if is_drawing(source):
        refuse_overrides(overrides, "a drawing has no values of a scene")
        layer, unit = (None if word is None else decode_word(word) for word in (layer, unit))
        listing = list_rest_of_drawing(Path(source), layer, unit, *floor)
    elif layer or unit:
        raise UserError("--layer and --unit are for drawings; a scene says them with its outline")
    else:
        listing = list_rest_of_scene(open_scene(source, split_overrides(overrides or [])), *floor)
    report_rest.print_rest(listing, merge, table, picture)
    raise typer.Exit(EXIT_DONE if listing.poses and not listing.slides else EXIT_NOT_WELL)


def _refuse_floor(source: str, slope: str, mu: float | None, drawing: str | None) -> None:
    """What says something about a floor or a drawing makes no sense with --here. Raises UserError."""
    if is_drawing(source):
        raise UserError("--here asks for the obstacles of a scene, and a drawing has none")
    if slope != "0":
        raise UserError("--slope is for the floor of its own that a part is put on; --here takes the obstacles and the "
                        "gravity of the scene")
    if mu is not None:
        raise UserError("--mu is for the floor of its own that a part is put on; --here finds poses that need no "
                        "friction")
    if drawing:
        raise UserError("--layer and --unit are for drawings; a scene says them with its outline")


def _list_rest_here(source: str, merge: bool, table: Path | None, plot: PictureFile | None,
                    overrides: list[str] | None) -> None:
    from sim.cli.reports.parts import report_rest_here
    from sim.study.rest_here import list_rest_here

    listing = list_rest_here(open_scene(source, split_overrides(overrides or [])))
    report_rest_here.print_rest_here(listing, merge, table, plot)
    raise typer.Exit(EXIT_DONE if listing.poses else EXIT_NOT_WELL)
