"""The 256 colours of a GIF or of the frames of a page, the same for all frames.

Pillow's own mapping to a given palette works on rounded colours and turns white paper grey; here the frequent colours
are kept exactly, and each colour is looked up in a table that is filled when it is first met.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from PIL import Image

COLOURS = 256
RGB_MASK = 0xFFFFFF


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
