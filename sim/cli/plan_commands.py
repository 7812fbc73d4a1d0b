"""The commands that plan without sensors: `stiction plan squeezes` and `stiction plan tilts`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

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
from sim.cli.shared_options import PlotOption, SceneArgument, SetOption, TitleOption, app

plan_app = typer.Typer(name="plan", no_args_is_help=True, rich_markup_mode=None,
                       help="Plan actions that bring the part into one pose whatever it had before, without a sensor.")
app.add_typer(plan_app, name="plan")


def read_word(option: str, word: str, read):
    """A quantity of the command line. Raises UserError."""
    from sim.scene.toml_text import parse_value

    try:
        return read(parse_value(decode_word(word)))
    except ValueError as error:
        raise UserError(f"{option} {word}: {error}") from None


@plan_app.command("squeezes")
def plan_squeezes_of(
    source: Annotated[str, typer.Argument(metavar="SCENE|PART", help="A scene, whose part is oriented, or the drawing "
                                          "of a part (.dxf or .svg).")],
    slack: Annotated[str, typer.Option(metavar="ANGLE", help="By which each turn of the jaws may be off at least, such "
                                       'as "2 deg".')] = "0",
    layer: Annotated[str | None, typer.Option(metavar="NAME", help="Of a drawing: only what is on this layer.")] = None,
    unit: Annotated[str | None, typer.Option(metavar="UNIT", help="Of a drawing: m, cm, mm, um or in.")] = None,
    plot: PlotOption = None,
    title: TitleOption = None,
    overrides: SetOption = None,
) -> None:
    """Plan squeezes between frictionless parallel jaws that orient the part, up to symmetry and a half turn."""
    picture = check_plot(plot, title)
    from geometry.shapes.outline import Outline
    from sim.cli.reports.parts import report_squeezes
    from sim.feeding.squeeze_plan import take_outline
    from sim.values.quantities import read_angle

    least = read_word("--slack", slack, read_angle)
    if is_drawing(source):
        refuse_overrides(overrides, "a drawing has no values of a scene")
        layer, unit = (None if word is None else decode_word(word) for word in (layer, unit))
        name, outline = Path(source).name, Outline.from_file(Path(source), layer, unit)
    elif layer or unit:
        raise UserError("--layer and --unit are for drawings; a scene says them with its outline")
    else:
        scene = open_scene(source, split_overrides(overrides or []))
        name, outline = scene.name, take_outline(scene)
    report_squeezes.print_squeezes(name, outline, least, picture)


@plan_app.command("tilts")
def plan_tilts_of(
    source: SceneArgument,
    angles: Annotated[str, typer.Option(metavar="A,B,...", help="Directions of gravity in the plane of the tray that "
                                        'are allowed, with a comma between, such as "-90 deg, 0 deg".')
                      ] = "-90 deg, 0 deg, 90 deg, 180 deg",
    mu: Annotated[str | None, typer.Option(metavar="LOW[:HIGH]", help="Friction of all pairs, or an interval of it, in "
                                           "all of which the plan shall hold; that of the scene if not given.")] = None,
    restitution: Annotated[float | None, typer.Option("--e", metavar="E", help="Restitution of all pairs; that of the "
                                                      "scene if not given.")] = None,
    rate: Annotated[str | None, typer.Option(metavar="SPEED", help='At which gravity turns from tilt to tilt, such as '
                                             '"30 deg/s"; at once if not given.')] = None,
    starts: Annotated[int, typer.Option(metavar="N", help="Poses over the tray that the part may begin in.")] = 72,
    most: Annotated[int, typer.Option("--most-tilts", metavar="N", help="Of a plan.")] = 8,
    replay: Annotated[int, typer.Option(metavar="N", help="Other starts from which the plan is followed.")] = 72,
    plot: PlotOption = None,
    title: TitleOption = None,
    overrides: SetOption = None,
) -> None:
    """Plan tilts of a tray after which the part lies in one pose wherever in the tray it was before.

    The scene is the plane of the tray: its obstacles are the walls, and its gravity is what pulls along that plane when
    the tray is tilted. Ends with exit code 1 where there is no plan, or other starts end elsewhere.
    """
    picture = check_plot(plot, title)
    from sim.cli.reports.parts import report_tilts
    from sim.feeding.tilt_plan import NoPlanError
    from sim.values import dimensions
    from sim.values.quantities import read_angle, read_friction, read_quantity

    ways = [read_word("--angles", word.strip(), read_angle) for word in angles.split(",")]
    rubs = None if mu is None else tuple(read_word("--mu", word, read_friction) for word in mu.split(":"))
    if rubs is not None and len(rubs) > 2:
        raise UserError(f"--mu {mu}: write a number, or LOW:HIGH")
    speed = None if rate is None else read_word(
        "--rate", rate, lambda value: read_quantity(value, dimensions.ANGULAR_VELOCITY))
    if replay < 1:
        raise UserError(f"--replay {replay}: must be 1 or more")
    scene = open_scene(source, split_overrides(overrides or []))
    settings = {"mu": None if rubs is None else (rubs[0], rubs[-1]), "e": restitution, "rate": speed, "starts": starts,
                "most_tilts": most}
    try:
        holds = report_tilts.print_tilts(scene, ways, settings, replay, picture)
    except NoPlanError as error:
        typer.echo(f"{scene.name}: {error}")
        raise typer.Exit(EXIT_NOT_WELL) from None
    raise typer.Exit(EXIT_DONE if holds else EXIT_NOT_WELL)
