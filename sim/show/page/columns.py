"""Columns of numbers in a page: all of them as one text, exact to the last bit, infinities and NaN among them.

A column is told as [first byte, count, type]. The bytes of its numbers (little endian) are put in planes, first bytes
first: neighbours of a column are alike, and so compress. All columns together are deflated and written in base64, which
`assets/columns.js` undoes.
"""

from __future__ import annotations

import base64
import zlib

import numpy as np

TYPES = {"f8": "<f8", "i4": "<i4", "u1": "u1"}
COMPRESSION = 9

ColumnPlace = list  # [first byte, count, type]


class Columns:
    """Collects the columns of a page."""

    def __init__(self) -> None:
        self._planes: list[bytes] = []
        self._size = 0

    def add(self, values: np.ndarray | list, kind: str = "f8") -> ColumnPlace:
        """Keep values of any shape, row by row; returns what the page says of the column."""
        array = np.ascontiguousarray(values)
        flat = array.reshape(-1).astype(TYPES[kind])
        if kind != "f8" and not np.array_equal(flat, array.reshape(-1)):
            raise OverflowError(f"a column of {kind} cannot hold {array.min()} to {array.max()}")
        planes = flat.view(np.uint8).reshape(len(flat), -1).T.tobytes() if len(flat) else b""
        place: ColumnPlace = [self._size, len(flat), kind]
        self._planes.append(planes)
        self._size += len(planes)
        return place

    def pack(self) -> str:
        """All columns, deflated, in base64."""
        return base64.b64encode(zlib.compress(b"".join(self._planes), COMPRESSION)).decode("ascii")
