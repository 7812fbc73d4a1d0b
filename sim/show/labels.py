"""Words of a user in pictures: names of scenes, parts, obstacles, goals, keys and values, shown as they were typed.

matplotlib takes what stands between two dollar signs for mathematics, leaves out of legends what begins with an
underscore, and warns of characters that its font does not have. So every text that holds words of a user goes through
`as_typed` on its way into a picture.
"""

from __future__ import annotations

from functools import lru_cache

from sim.words.quoting import show_hidden

LONGEST = 60  # characters of a name that are shown
BOX = "\u25a1"  # in place of a character that the font does not have
# Before a first underscore: takes no room, and is not cleared away as white space is.
NOTHING = "\u200b"


def as_typed(text: object, longest: int = LONGEST) -> str:
    """A text for matplotlib that shows these very characters; too long a one is cut.

    What cannot be seen is shown as TOML writes it, a line break as \\n; what the font cannot draw is a box.
    """
    text = str(text)
    text = text if len(text) <= longest else text[: longest - 1] + "…"
    shown = "".join(character if character.isascii() or _has_glyph(character) else BOX
                    for character in show_hidden(text)).replace("$", r"\$")
    return NOTHING + shown if shown.startswith("_") else shown


def _has_glyph(character: str) -> bool:
    """Can the fonts that matplotlib is set to draw it, in plain and in bold?"""
    import matplotlib

    return all(any(ord(character) in glyphs for glyphs in fonts)
               for fonts in _list_glyphs(tuple(matplotlib.rcParams["font.family"])))


@lru_cache(maxsize=4)
def _list_glyphs(families: tuple[str, ...]) -> tuple[list[frozenset[int]], ...]:
    """Code points of each font of the families: of the plain ones, and of the bold ones."""
    from matplotlib.font_manager import FontProperties, findfont, get_font

    return tuple([frozenset(get_font(findfont(FontProperties(family=family, weight=weight))).get_charmap())
                  for family in families] for weight in ("normal", "bold"))
