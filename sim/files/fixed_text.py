"""Texts in HDF5 files, all of fixed length.

HDF5 keeps texts of any length in heaps without checksums, and a damaged one sends it round in a circle for ever. A text
of fixed length stands where its dataset or attribute does, and is read in one go. h5py gives it as bytes: UTF-8.
"""

from __future__ import annotations

from collections.abc import Iterable

import h5py
import numpy as np


def fix_text(text: str, size: int | None = None) -> np.ndarray:
    """A text as UTF-8 of its own length; or of a given size, cut at the end of a character if it is too long."""
    encoded = clean_text(text).encode()
    if size is not None:
        encoded = encoded[:size].decode(errors="ignore").encode()
    return np.array(encoded, dtype=h5py.string_dtype("utf-8", max(1, len(encoded)) if size is None else size))


def fix_texts(texts: Iterable[str]) -> np.ndarray:
    """(n,) texts as UTF-8 of the length of the longest."""
    encoded = [clean_text(text).encode() for text in texts]
    return np.array(encoded, dtype=h5py.string_dtype("utf-8", max([1, *map(len, encoded)])))


def clean_text(text: str) -> str:
    """Text that HDF5 can hold: without NUL, with undecodable bytes of file names replaced."""
    return str(text).replace("\0", " ").encode("utf-8", "surrogateescape").decode("utf-8", "replace")
