"""Serve the live view of a scene, and open it in the browser."""

from __future__ import annotations

import os
import sys
import webbrowser

from sim.cli.reports.cli_words import UserError, open_scene, split_overrides
from sim.cli.reports.console import make_console


def view_scene(source: str, settings: list[str], port: int, opens: bool) -> None:
    """Serve until Ctrl-C, which is how it ends well. Raises UserError, SceneError, ServerError."""
    scene = open_scene(source, split_overrides(settings))
    try:
        from sim.show.live.live_server import LiveServer
    except ModuleNotFoundError as error:
        if error.name not in ("starlette", "uvicorn", "anyio", "h11"):
            raise
        raise UserError(f"the live view needs {error.name}, which is not installed: pip install 'stiction[view]', or "
                        "pip install starlette uvicorn") from None
    words = [word for setting in settings for word in ("--set", setting)]
    server = LiveServer(scene, port, ["stiction", "view", source, *words])
    print(f"{scene.name}: {server.address}", flush=True)  # not by rich, which would fold a long line
    make_console(stderr=True).print("Ctrl-C ends it. Only this machine can reach the page, with the token in its "
                                    "address.")
    if opens and has_display():
        webbrowser.open(server.address)
    try:
        server.run()
    except KeyboardInterrupt:
        print("ended", file=sys.stderr, flush=True)


def has_display() -> bool:
    """Can a browser show a window? A browser in the terminal would take the terminal."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
