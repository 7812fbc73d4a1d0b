"""Words of a user that are not valid: which valid one may have been meant."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable

from sim.words.quoting import list_words, quote


def suggest(word: str, valid: Iterable) -> str:
    """The end of a message about an unknown word: the nearest valid one, and all valid ones."""
    valid = [str(v) for v in valid]
    near = difflib.get_close_matches(str(word), valid, n=1, cutoff=0.6)
    hint = f"; did you mean {quote(near[0])}?" if near else ""
    return f"{hint} (valid: {list_words(valid)})" if valid else hint


def ask(word: str, valid: Iterable[str], show: Callable[[str], object] = str) -> str:
    """A sentence for the middle of a message, with up to three valid words as `show` shows them, or ""."""
    words = list(valid)
    near = [one for one in words if word and one.startswith(word)][:3] or difflib.get_close_matches(word, words, 3, 0.5)
    return f" Did you mean {' or '.join(str(show(name)) for name in near)}?" if near else ""
