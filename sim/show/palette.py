"""Colours: those that tell branches and outcomes apart, and the 256 of a GIF or of a page, the same for all frames.

Pillow's own mapping to a given palette works on rounded colours and turns white paper grey; here the frequent colours
are kept exactly, and each colour is looked up in a table that is filled when it is first met.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from PIL import Image

COLOURS = 256
RGB_MASK = 0xFFFFFF

# After Okabe and Ito, which most colour-blind people can tell apart; yellow is darker, to be seen on white.
BRANCH_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#A89F00")
BRANCH_LINES = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (5, 2, 1, 2)))


def pick_branch_style(index: int) -> tuple[str, str | tuple]:
    """Colour and line style of the leaf of this index: eight colours, then the same with other lines."""
    return (BRANCH_COLOURS[index % len(BRANCH_COLOURS)],
            BRANCH_LINES[index // len(BRANCH_COLOURS) % len(BRANCH_LINES)])


# Outcomes of sweeps: the same word has the same colour in every picture. What maps of solutions show as well has the
# colour that it has there; cells without a run are grey.
OUTCOME_COLOURS = {
    "at rest": "#56B4E9", "jammed": "#E69F00", "wedged": "#6E2457", "inserted": "#88DD88", "refused": "#D7B5D8",
    "left the scene": "#0072B2", "timed out": "#E9E5DA",
    "not unique": "#B0508A", "no solution": "#D55E00", "overlap": "#5A5A5A", "invalid": "#A8A39A", "failed": "#7B1E1E",
}  # fmt: skip
WORD_COLOURS = ("#009E73", "#F0E442", "#D7B5D8", "#8FD9BF", "#7A5C00", "#6E2457", "#56B4E9", "#D55E00", "#0072B2",
                "#E69F00", "#E9E5DA", "#2B2B2B")  # of goals, and of all other words
OTHER_COLOUR = "#C9C5BC"  # of all words beyond those


def pick_word_colours(words: Sequence[str], fixed: Mapping[str, str] | None = None) -> list[str]:
    """One colour a word: that of `fixed`, or the next of WORD_COLOURS that is left. More words than those are grey."""
    fixed = fixed or {}
    rest = iter(colour for colour in WORD_COLOURS if colour not in fixed.values())
    return [fixed[word] if word in fixed else next(rest, OTHER_COLOUR) for word in words]


class Palette:
    """Colours for the frames of a movie, chosen from samples; small files, and no flicker from frame to frame."""

    def __init__(self, samples: Iterable[np.ndarray]):
        """`samples` are (height, width, 4) uint8 images that hold the colours of the movie."""
        codes, counts = np.unique(np.concatenate([pack_colours(frame) for frame in samples]), return_counts=True)
        colours = unpack_colours(codes[np.argsort(-counts, kind="stable")])
        exact, others = colours[: COLOURS // 2], colours[COLOURS // 2 :]
        if len(others):
            shades = Image.fromarray(others[None, :, :]).quantize(COLOURS // 2, method=Image.Quantize.MAXCOVERAGE)
            found = np.array(shades.getpalette(), dtype=np.uint8).reshape(-1, 3)[: COLOURS // 2]
            exact = np.concatenate((exact, found))
        self._table = exact
        self._index = np.full(RGB_MASK + 1, -1, dtype=np.int16)

    def apply(self, frame: np.ndarray) -> Image.Image:
        """A frame in the colours of the palette."""
        codes = pack_colours(frame)
        indices = self._index[codes]
        if np.any(indices < 0):
            new = np.unique(codes[indices < 0])
            self._index[new] = self._find_nearest(unpack_colours(new))
            indices = self._index[codes]
        height, width = frame.shape[:2]
        image = Image.frombytes("P", (width, height), indices.astype(np.uint8).tobytes())
        image.putpalette(self._table.tobytes())
        return image

    def _find_nearest(self, colours: np.ndarray) -> np.ndarray:
        distances = np.sum((colours[:, None, :].astype(int) - self._table[None, :, :]) ** 2, axis=2)
        return np.argmin(distances, axis=1)


def pack_colours(frame: np.ndarray) -> np.ndarray:
    """One integer for each pixel of an RGBA image."""
    return np.ascontiguousarray(frame).view("<u4").reshape(-1) & RGB_MASK


def unpack_colours(codes: np.ndarray) -> np.ndarray:
    """(n, 3) uint8: the inverse of `pack_colours`."""
    return np.column_stack((codes & 255, codes >> 8 & 255, codes >> 16)).astype(np.uint8)
