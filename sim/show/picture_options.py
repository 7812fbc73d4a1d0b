"""What a user may say about a picture: its title, words for its axes, where it looks, and what it names."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from matplotlib.text import Text

from geometry.errors import StictionError
from sim.show.labels import as_typed
from sim.show.measure import fit_text
from sim.words.quoting import quote
from sim.words.suggestion import suggest

LONGEST_TITLE = 400  # characters of which as many are shown as fit
LONGEST_LABEL = 120
RIGHT = 0.985  # of the width of a figure: how far a title may reach


class PictureError(StictionError, ValueError):
    """A picture cannot be as it was asked for; the message says what was asked and what is valid."""


@dataclass(frozen=True)
class PictureOptions:
    """What a picture of any kind takes; each uses what it has."""

    title: str | None = None  # in place of the one that it would have
    labels: Mapping[str, str] = field(default_factory=dict)  # key, name or column: what stands in its place
    view: tuple[float, float, float, float] | None = None  # left, right, bottom, top [m]
    follow: bool | None = None  # does the view go with the part? None: if the part goes far
    names: bool = False  # do names of obstacles stand on them?

    def put_title(self, text: Text, right: float = RIGHT) -> Text:
        """Give a title, which stands on its figure already, the words of the user, cut where they do not fit.

        right: as far as it may reach, in widths of the figure.
        """
        if self.title is None:
            return text
        figure = text.get_figure(root=True)
        assert figure is not None
        is_left = text.axes is None and text.get_horizontalalignment() == "left"
        room = (right - (text.get_position()[0] if is_left else 1.0 - right)) * figure.get_figwidth() * 72.0
        text.set_text(fit_text(self.title, room, text.get_fontproperties(), LONGEST_TITLE))
        return text

    def check_labels(self, keys: Iterable[str]) -> None:
        """See that all labels are for keys of this picture. Raises PictureError."""
        valid = list(dict.fromkeys(keys))
        for key in self.labels:
            if key not in valid:
                has = suggest(key, valid) if valid else "; there are none"
                raise PictureError(f"--label {quote(key)}: this picture has no axis or column of that name{has}")

    def find_label(self, *keys: str) -> str | None:
        """The user's words for the first of these keys that has some, as matplotlib shows them."""
        return next((as_typed(self.labels[key], LONGEST_LABEL) for key in keys if key in self.labels), None)


PLAIN = PictureOptions()


@dataclass(frozen=True)
class PictureFile:
    """Where a picture goes, and what the user says about it; stands for its path."""

    path: Path
    options: PictureOptions = PLAIN

    @property
    def suffix(self) -> str:
        return self.path.suffix

    def __fspath__(self) -> str:
        return os.fspath(self.path)

    def __str__(self) -> str:
        return str(self.path)
