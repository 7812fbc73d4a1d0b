"""The table of a sweep: one row a cell. Fields, units and meanings stand here and nowhere else."""

from __future__ import annotations

import numpy as np

NOT_STARTED = -1  # status of a cell whose scene cannot be built

# (field, type, unit, meaning); the value of each axis stands between `cell` and `outcome`
ROW_FIELDS = (
    ("cell", "i8", "1", "number of the cell; rows are in the order in which runs ended"),
    ("outcome", "i8", "1", "index into the attribute `outcomes`"),
    ("status", "i8", "1", "code of the status of the run, -1 where there was no run"),
    ("end_time", "f8", "s", "time at the end"),
    ("x", "f8", "m", "centre of mass at the end"),
    ("y", "f8", "m", "centre of mass at the end"),
    ("theta", "f8", "rad", "orientation at the end"),
    ("vx", "f8", "m/s", "velocity of the centre of mass at the end"),
    ("vy", "f8", "m/s", "velocity of the centre of mass at the end"),
    ("omega", "f8", "rad/s", "angular velocity at the end"),
    ("largest_fn", "f8", "N", "largest normal force of a contact, at the start, at events and at the end"),
    ("time_not_unique", "f8", "s", "time during which more than one acceleration was possible"),
    ("modes", "i8", "1", "modes in their order: index into /texts"),
    ("message", "i8", "1", "what there is to say of the run: index into /texts"),
    ("n_events", "i8", "1", "events"),
    ("n_impacts", "i8", "1", "impacts"),
    ("n_steps", "i8", "1", "integration steps"),
    ("penetration", "f8", "m", "largest depth of a vertex of one body inside another"),
    ("gap_residual", "f8", "m", "largest distance of a closed contact from gap 0"),
    ("slip_residual", "f8", "m/s", "largest slip velocity of a rolling contact"),
    ("balance_residual", "f8", "1", "largest violation of m a = sum of forces, relative to the forces"),
    ("cone_residual", "f8", "1", "largest violation of |ft| <= mu fn, relative to the forces"),
    ("energy_residual", "f8", "1", "energy that no work explains, relative"),
)
TEXT_FIELDS = ("modes", "message")
FIELD_NAMES = tuple(name for name, *_ in ROW_FIELDS)


def build_row_dtype(names) -> np.dtype:
    """The type of a row, with a float64 for the value of each axis of these names."""
    first, *others = [(name, kind) for name, kind, *_ in ROW_FIELDS]
    return np.dtype([first, *((name, "f8") for name in names), *others])


class RowMaker:
    """Turns the rows of runs into records: texts are kept once, and rows hold their number."""

    def __init__(self, names, texts: list[str] | None = None):
        self.dtype = build_row_dtype(names)
        self.texts = [""] if texts is None else list(texts)
        self._numbers = {text: number for number, text in enumerate(self.texts)}

    def make(self, rows: list[tuple]) -> np.ndarray:
        """(n,) records from rows as `sim.cell_runner` makes them."""
        table = np.zeros(len(rows), self.dtype)
        for record, row in zip(table, rows, strict=True):
            for name, value in zip(self.dtype.names, row, strict=True):
                record[name] = self._number(value) if name in TEXT_FIELDS else value
        return table

    def _number(self, text: str) -> int:
        number = self._numbers.setdefault(text, len(self.texts))
        if number == len(self.texts):
            self.texts.append(text)
        return number
