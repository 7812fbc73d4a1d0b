"""The program: its name, what all its commands share, and the options before a command."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from geometry.packages import __version__
from sim.cli.completion import complete_either, complete_key, complete_scene

app = typer.Typer(
    name="stiction", no_args_is_help=True, rich_markup_mode=None,
    help="Every motion that Newton and Coulomb allow, for one rigid planar part against polygons.",
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
