"""Which style an element of an SVG file has: its attributes, the rules of style sheets, its style attribute."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

KNOWN = ("display", "visibility", "fill", "fill-rule", "stroke", "transform")
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_SELECTOR = re.compile(r"(\*|[\w-]+)?((?:[.#][\w-]+)*)")


class Style(NamedTuple):
    """What is inherited of it, and whether it is shown."""

    visible: bool = True
    filled: bool = True
    stroked: bool = False
    rule: str = "nonzero"


class StyleSheet:
    """Rules for names of elements, classes and ids, in order of precedence; others are listed in `unread`."""

    def __init__(self, texts: list[str]):
        self.rules: list[tuple[tuple[int, int], str, set[str], dict[str, str]]] = []
        self.unread: list[str] = []
        for text in texts:
            for heads, body in _RULE.findall(re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)):
                self._add(heads, read_declarations(body))
        self.rules.sort(key=lambda rule: rule[0])

    def _add(self, heads: str, declarations: dict[str, str]) -> None:
        for head in heads.split(","):
            match = _SELECTOR.fullmatch(head.strip())
            if match:
                marks = set(re.findall(r"[.#][\w-]+", match[2]))
                weight = 100 * sum(mark[0] == "#" for mark in marks) + 10 * len(marks) + (match[1] not in (None, "*"))
                self.rules.append(((weight, len(self.rules)), match[1] or "*", marks, declarations))
            elif declarations.keys() & set(KNOWN):
                self.unread.append(" ".join(head.split()))

    def find(self, element: Any, tag: str) -> dict[str, str]:
        """What holds for an element: attributes first, then rules, then its own style."""
        found = {name: element.get(name).strip() for name in KNOWN if element.get(name) and name != "transform"}
        own = {f".{name}" for name in (element.get("class") or "").split()}
        if element.get("id"):
            own.add(f"#{element.get('id')}")
        for _, name, marks, declarations in self.rules:
            if name in ("*", tag) and marks <= own:
                found |= declarations
        return found | read_declarations(element.get("style") or "")


def read_declarations(text: str) -> dict[str, str]:
    """{property: value} of 'fill: none; stroke: red !important'."""
    found = {}
    for part in text.split(";"):
        name, colon, value = part.partition(":")
        if colon:
            found[name.strip().lower()] = value.replace("!important", "").strip()
    return found


def inherit_style(style: Style, found: dict[str, str]) -> Style:
    """The style of an element inside one of that style."""
    visibility, fill, stroke, rule = (found.get(name) for name in ("visibility", "fill", "stroke", "fill-rule"))
    if visibility not in (None, "inherit"):
        style = style._replace(visible=visibility == "visible")
    if fill not in (None, "inherit"):
        style = style._replace(filled=fill not in ("none", "transparent"))
    if stroke not in (None, "inherit"):
        style = style._replace(stroked=stroke not in ("none", "transparent"))
    if rule in ("nonzero", "evenodd"):
        style = style._replace(rule=rule)
    return style
