"""Records: fixed sets of named numbers and small arrays that compiled code takes as one pointer.

A NamedTuple of thirty arrays costs the compiler about a second in every function that takes it, a record with thirty
fields nothing that can be measured, and both are read by name. So what has a fixed size is a record, and a table with
one row for each edge is an array of records.
"""

from __future__ import annotations

import numpy as np

from geometry.compiled.jit import jit


def define_record(*fields) -> np.dtype:
    """The type of a record from (name, type[, shape]) entries; types may be records themselves."""
    return np.dtype((np.record, list(fields)), align=True)


def allocate_record(dtype: np.dtype):
    """One record, all zero."""
    return np.zeros(1, dtype).view(np.recarray)[0]


def allocate_table(dtype: np.dtype, rows: int) -> np.recarray:
    """An array of records, all zero."""
    return np.zeros(rows, dtype).view(np.recarray)


@jit
def copy_row(target, source):
    """target[:] = source, which the compiler takes five seconds for (it brings the text of its error message)."""
    for c in range(target.shape[0]):
        target[c] = source[c]
