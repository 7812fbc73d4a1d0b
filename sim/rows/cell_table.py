"""The table of the runs in the logs of a sweep: which rows of the other tables are theirs, and how they ended."""

from __future__ import annotations

import numpy as np

from sim.rows.account import ACCOUNT_FIELDS
from sim.rows.branch_table import ACCOUNT_PREFIX, COUNT_FIELDS, FIRST_FIELDS, MESSAGE_BYTES
from sim.rows.records import build_dtype

CELL_FIELDS = (
    ("cell", "i8", "1", "number of the cell in the sweep"),
    *((name, "i8", "1", "first row of the run in /steps, /contacts, /events, /impulses") for name in FIRST_FIELDS),
    *((name, "i8", "1", "number of its rows in /steps, /contacts, /events, /impulses") for name in COUNT_FIELDS),
    ("status", "i8", "1", "code of how it ended, as in a log"),
    ("message", f"S{MESSAGE_BYTES}", "1", "what else there is to say about its end"),
    *((f"{ACCOUNT_PREFIX}{name}", kind, unit, meaning) for name, kind, unit, meaning in ACCOUNT_FIELDS),
)
CELL_DTYPE: np.dtype = build_dtype(CELL_FIELDS)
