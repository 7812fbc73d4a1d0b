"""The page of the live view: its style and scripts in one text, and what it is told of the scene."""

from __future__ import annotations

import html
from functools import cache
from importlib.resources import files
from typing import Any

from sim.show.live.live_scene import LiveScene
from sim.show.page.build_page import hash_source, read_asset, strip_lines

# What draws, of the pages of runs; and what is of this page alone.
SHARED = ("columns", "words", "camera", "bodies", "contacts", "motion", "stage", "player")
OWN = ("server", "numbers", "sliders", "picture", "space", "answers", "runs", "main")


@cache
def build_live_page(title: str) -> tuple[str, str]:
    """The page, and the Content-Security-Policy it is sent with. Names of users come later, as data, but for the title.
    """
    style, script = strip_lines((read_asset("page.css") + _read("live.css")).splitlines()), _build_script()
    values = {"TITLE": html.escape(title), "CSS": style, "SCRIPT": script}
    pieces = _read("live.html").split("@")  # @NAME@: what stands at odd places is a name
    page = "".join(values[piece] if place % 2 else piece for place, piece in enumerate(pieces))
    policy = (f"default-src 'none'; connect-src 'self'; img-src data:; style-src {hash_source(style)}; "
              f"script-src {hash_source(script)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
    return page, policy


def _build_script() -> str:
    """All scripts in one function, so that no name of theirs is seen outside."""
    parts = [*(read_asset(f"{name}.js") for name in SHARED), *(_read(f"{name}.js") for name in OWN)]
    return strip_lines(["(() => {", '"use strict";', *(line for part in parts for line in part.splitlines()), "})();"])


@cache
def _read(name: str) -> str:
    return files("sim.show.live").joinpath("assets", name).read_text(encoding="utf-8")


def describe_live_scene(live: LiveScene) -> dict[str, Any]:
    """What the page is told once: the scene as it was opened, and its numbers."""
    from sim.show.live.live_worker import describe_scene_bodies

    scene = live.scene
    return {"name": scene.name, "summary": scene.summary, "source": scene.source or "",
            "bodies": describe_scene_bodies(scene), "size": scene.workpiece.outline.size,
            "numbers": [number.describe() for number in live.numbers.values()]}
