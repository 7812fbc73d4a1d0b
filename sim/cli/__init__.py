"""The command line: reads words, calls the library, prints. Nothing else imports it."""

from sim.cli.commands import app, main

__all__ = ["app", "main"]
