"""Words and values of a user, quoted in a message: as they were given, but never longer than a line."""

from __future__ import annotations

import unicodedata
from typing import Any

LONGEST_QUOTE = 80  # characters
MOST_LISTED = 20  # words of a list


# Categories of characters that cannot be seen: they break lines, steer terminals, or turn the text around them.
_HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")


def show_hidden(text: str) -> str:
    """A text in which characters that cannot be seen stand as TOML writes them, a line break as \\n."""
    if text.isprintable():
        return text
    return "".join(character.encode("unicode_escape").decode("ascii")
                   if unicodedata.category(character) in _HIDDEN else character for character in text)


def cut(text: str, longest: int = LONGEST_QUOTE) -> str:
    """A text on one line, cut where it is too long."""
    text = show_hidden(text if len(text) <= 2 * longest else text[: 2 * longest])
    return text if len(text) <= longest else text[: longest - 3] + "..."


def quote(value: Any, longest: int = LONGEST_QUOTE) -> str:
    """A value as Python writes it, cut where it is too long."""
    try:
        return cut(repr(value), longest)
    except ValueError:
        return "(a whole number of thousands of digits)"  # Python writes no such number in decimal
    except RecursionError:
        return "(lists in lists in lists ...)"


def list_words(words) -> str:
    """Words with commas between; of very many only the first."""
    shown = [cut(str(word)) for word in words]
    more = len(shown) - MOST_LISTED
    return ", ".join(shown if more <= 0 else [*shown[:MOST_LISTED], f"... and {more} more"])
