"""The command line: reads words, calls the library, prints. Nothing else imports it."""

from __future__ import annotations

import sys
from typing import Any

INTERRUPTED = 130  # the exit code of `cli_words.EXIT_INTERRUPTED`, while nobody knows that


def main(arguments: list[str] | None = None) -> None:
    """Entry point of the command `stiction`; always ends by SystemExit."""
    try:
        from sim.cli import command_line  # a tenth of a second, into which Ctrl-C may fall
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)
    command_line.main(arguments)


def __getattr__(name: str) -> Any:
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from sim.cli import command_line

    return command_line.app
