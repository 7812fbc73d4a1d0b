"""One HTML page of data, style and scripts, which asks nobody for anything.

Data stand in an element that is no script, with `<`, `>` and `&` written as \\u003c and so on, so that no name of a
user can end it. A Content-Security-Policy forbids every request, and every script but that of the page, told by its
hash.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from functools import cache
from importlib.resources import files
from typing import Any

SCRIPTS = ("columns", "words", "camera", "bodies", "contacts", "motion", "stage", "player", "timeline", "panels",
           "trees", "sweeps", "main")
HIDDEN = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}


def build_page(data: dict[str, Any], title: str) -> str:
    """The page of the data, which are texts and finite numbers in dicts and lists."""
    style, script = strip_lines(read_asset("page.css").splitlines()), build_script()
    values = {"TITLE": html.escape(title), "POLICY": build_policy(style, script), "STYLE": style, "SCRIPT": script,
              "DATA": encode_json(data)}
    pieces = read_asset("page.html").split("@")  # @NAME@: what stands at odd places is a name
    return "".join(values[piece] if place % 2 else piece for place, piece in enumerate(pieces))


def build_script() -> str:
    """All scripts, in one function, so that no name of theirs is seen outside; without comments and indents, which are
    a fifth of them. No text of a script goes over more than one line."""
    lines = [line for name in SCRIPTS for line in read_asset(f"{name}.js").splitlines()]
    return strip_lines(["(() => {", '"use strict";', *lines, "})();"])


def strip_lines(lines: list[str]) -> str:
    """Lines without indents, and without those that hold a comment or nothing."""
    stripped = (line.strip() for line in lines)
    return "\n".join([line for line in stripped if line and not line.startswith("//")] + [""])


def build_policy(style: str, script: str) -> str:
    """What the page may do: nothing but its own style and script."""
    return (f"default-src 'none'; img-src data:; style-src {hash_source(style)}; script-src {hash_source(script)}; "
            "base-uri 'none'; form-action 'none'")


def hash_source(text: str) -> str:
    """The name of an inline source in a policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}'"


def encode_json(data: dict[str, Any]) -> str:
    """JSON in which nothing has a meaning in HTML. Raises ValueError for infinities and NaN: they belong in columns."""
    return json.dumps(data, allow_nan=False, separators=(",", ":")).translate(HIDDEN)


@cache
def read_asset(name: str) -> str:
    """A file of `assets/`."""
    return files("sim.show.page").joinpath("assets", name).read_text(encoding="utf-8")
