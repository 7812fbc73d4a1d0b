"""The commands that plan without sensors: `stiction plan squeezes` and `stiction plan tilts`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sim.cli.reports.cli_words import (
    UserError,
    check_plot,
    decode_word,
    is_drawing,
    open_scene,
    refuse_overrides,
    split_overrides,
)
from sim.cli.shared_options import PlotOption, SetOption, app

plan_app = typer.Typer(name="plan", no_args_is_help=True, rich_markup_mode=None,
                       help="Plan actions that bring the part into one pose whatever it had before, without a sensor.")
app.add_typer(plan_app, name="plan")


def read_angle_word(option: str, word: str) -> float:
    """An angle of the command line, in rad. Raises UserError."""
    from sim.scene.toml_text import parse_value
    from sim.values.quantities import read_angle

    try:
        return read_angle(parse_value(decode_word(word)))
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
    overrides: SetOption = None,
) -> None:
    """Plan squeezes between frictionless parallel jaws that orient the part, up to symmetry and a half turn."""
    plot = check_plot(plot)
    from geometry.shapes.outline import Outline
    from sim.cli.reports.parts import report_squeezes
    from sim.feeding.squeeze_plan import take_outline

    least = read_angle_word("--slack", slack)
    if is_drawing(source):
        refuse_overrides(overrides, "a drawing has no values of a scene")
        layer, unit = (None if word is None else decode_word(word) for word in (layer, unit))
        name, outline = Path(source).name, Outline.from_file(Path(source), layer, unit)
    elif layer or unit:
        raise UserError("--layer and --unit are for drawings; a scene says them with its outline")
    else:
        scene = open_scene(source, split_overrides(overrides or []))
        name, outline = scene.name, take_outline(scene)
    report_squeezes.print_squeezes(name, outline, least, plot)
