"""The program: its name, what all its commands share, and the options before a command."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from geometry.packages import __version__
from sim.cli.completion import complete_either, complete_key, complete_scene

app = typer.Typer(
    name="stiction", no_args_is_help=True, rich_markup_mode=None,
    help="Every motion that Newton and Coulomb allow, for one rigid planar part among obstacles.",
    epilog="SCENE is the name of a built-in scene (see `stiction scenes`) or a TOML file; FILE is a log of a run.",
)

SceneArgument = Annotated[str, typer.Argument(metavar="SCENE", help="A built-in scene or a TOML file.",
                                          autocompletion=complete_scene)]
EitherArgument = Annotated[str, typer.Argument(metavar="SCENE|FILE", help="A scene, or the log of a run (.h5).",
                                           autocompletion=complete_either)]
SetOption = Annotated[list[str] | None, typer.Option(
    "--set", metavar="KEY=VALUE", help="Change a value of the scene, such as friction.default=0.2. May be repeated.",
    autocompletion=complete_key)]
BranchOption = Annotated[int | None, typer.Option(
    "--branch", metavar="K", help="Of a log that holds a tree of motions: the one that ends with branch K.")]
PlotOption = Annotated[Path | None, typer.Option(
    "--plot", metavar="FILE", help="Draw a picture as well (.png, .svg or .pdf).")]

TitleOption = Annotated[str | None, typer.Option("--title", metavar="TEXT", help="The title of the picture.")]
LabelOption = Annotated[list[str] | None, typer.Option(
    "--label", metavar="KEY=TEXT", help="What stands in the picture for a key or column, such as mu=friction. May be "
    "repeated.")]
ViewOption = Annotated[str | None, typer.Option(
    "--view", metavar="X0,X1,Y0,Y1", help='Of the picture: from X0 to X1 and from Y0 to Y1 at least, such as '
    '"-8, 8, -2, 6 mm"; in metres without a unit.')]
FollowOption = Annotated[bool | None, typer.Option(
    "--follow/--no-follow", help="Does the picture go with the part? If not given, where the part goes far.")]
NamesOption = Annotated[bool, typer.Option("--names", help="Write their names on the obstacles.")]


def print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"stiction {__version__}")
        raise typer.Exit


@app.callback()
def describe_program(
    version: Annotated[bool, typer.Option("--version", callback=print_version, is_eager=True,
                                          help="Print the version and end.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show where in the program an error arose.")] = False,
) -> None:
    pass  # --debug is read in `main`, where it may stand anywhere
