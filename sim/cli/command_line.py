"""The frame around all commands: preparation, errors, and exit codes."""

from __future__ import annotations

import copy
import os
import sys
import warnings

import typer

from geometry.errors import StictionError
from sim.cli import commands as commands  # these put their commands into the program, in this order
from sim.cli import feeding_commands as feeding_commands
from sim.cli import part_commands as part_commands
from sim.cli import plan_commands as plan_commands
from sim.cli import show_commands as show_commands
from sim.cli.reports.cli_words import EXIT_DONE, EXIT_INTERRUPTED, EXIT_WRONG
from sim.cli.shared_options import app

KNOWN_ERRORS = (StictionError, OSError)  # their messages are meant for the user; all others are defects


def accept_all_characters() -> None:
    """Let a console whose encoding lacks a character (cp1252, ASCII) show it as \\u2264, in place of an error."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def prepare_libraries() -> None:
    """Leave out what libraries do when they are imported, and no command needs. What the user has set stays."""
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # it looks through all that is installed for some
    # NumPy's BLAS begins threads that wait for large matrices: a third of the time that its import takes
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def prepare_app(words: list[str]) -> typer.Typer:
    """The program with the one command that is asked for, if that is the first word: to prepare all the others takes
    longer than some commands."""
    one = copy.copy(app)
    one.registered_commands = [each for each in app.registered_commands if each.name in words[:1]]
    one.registered_groups = [each for each in app.registered_groups if each.name in words[:1]]
    return one if one.registered_commands or one.registered_groups else app


def main(arguments: list[str] | None = None) -> None:
    """Entry point of the command `stiction`; always ends by SystemExit."""
    accept_all_characters()
    prepare_libraries()
    words = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in words
    words = [word for word in words if word != "--debug"]
    if not debug:  # warnings of libraries say nothing to a user: what is wrong is said by status, account and checks
        warnings.filterwarnings("ignore", category=RuntimeWarning)
    try:
        prepare_app(words)(args=words, prog_name="stiction")
    except KeyboardInterrupt:
        typer.echo("interrupted", err=True)
        sys.exit(EXIT_INTERRUPTED)
    except SystemExit as end:
        if isinstance(getattr(end.__context__, "__cause__", None), KeyboardInterrupt):  # typer says nothing of it
            typer.echo("interrupted", err=True)
        raise
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output went away, as `head` does
        sys.exit(EXIT_DONE)
    except Exception as error:
        if debug:
            raise
        known = isinstance(error, KNOWN_ERRORS)
        message = str(error) or type(error).__name__
        typer.echo(f"Error: {message}", err=True)
        if not known:
            typer.echo(f"This is a defect of Stiction ({type(error).__name__}); add --debug to see where it arose.",
                       err=True)
        sys.exit(EXIT_WRONG)
