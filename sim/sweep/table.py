"""The table of a sweep: one row a cell. Fields, units and meanings stand here and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from sim.rows.status import find_status

NOT_STARTED = -1  # status of a cell whose scene cannot be built

# (field, type, unit, meaning); the value of each axis stands between `cell` and `outcome`
ROW_FIELDS = (
    ("cell", "i8", "1", "number of the cell; rows are in the order in which runs ended"),
    ("outcome", "i8", "1", "index into the attribute `outcomes`"),
    ("status", "i8", "1", "code of the status of the run, -1 where there was no run"),
    ("end_time", "f8", "s", "time at the end"),
    ("goal_time", "f8", "s", "time from which on the part was in the goal that is its outcome: that of the end where "
     "the goal stops the run, of coming to rest for good where it asks for rest, else of coming in last; NaN without "
     "a goal"),
    ("x", "f8", "m", "centre of mass at the end"),
    ("y", "f8", "m", "centre of mass at the end"),
    ("theta", "f8", "rad", "orientation at the end, above -pi and up to pi"),
    ("turns", "i8", "1", "whole turns beyond that: the part has turned to theta + 2 pi turns"),
    ("vx", "f8", "m/s", "velocity of the centre of mass at the end"),
    ("vy", "f8", "m/s", "velocity of the centre of mass at the end"),
    ("omega", "f8", "rad/s", "angular velocity at the end"),
    ("mean_velocity", "f8", "m/s", "mean velocity of the centre of mass along x, from the start to the end; NaN where "
     "the run ended at once"),
    ("largest_fn", "f8", "N", "largest normal force of a contact, at the start, at events and at the end; with a "
     "gripper at output times too"),
    ("largest_gripper_force", "f8", "N", "largest force of the gripper, at the start, at events, at output times and "
     "at the end; 0 without one"),
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

# Columns of words that follow from a row:
#   merged_outcome   the outcome, where rest poses that the part's symmetry makes alike are one
#   basin            the outcome, and whether the run met a time at which the rule of choice chose one motion of many
#   merged_basin     both
MERGED = ("merged_outcome", "merged_basin")
DERIVED = ("merged_outcome", "basin", "merged_basin")
SIDES = ("outcome", "status", "modes", "n_events", "n_impacts", *DERIVED)  # columns whose changes can be followed
BY_CHOICE = ", by choice"


def split_turns(angle) -> tuple[np.ndarray, np.ndarray]:
    """(theta, turns) of angles (n,) [rad]: theta in (-pi, pi] and whole turns; an angle in there stays to the bit."""
    angle = np.asarray(angle, dtype=np.float64)
    turns = np.ceil((np.where(np.isfinite(angle), angle, 0.0) - np.pi) / (2.0 * np.pi))
    theta = angle - 2.0 * np.pi * turns
    for step in (1.0, -1.0):  # of a theta that rounding has put beyond an end
        beyond = theta > np.pi if step > 0.0 else theta <= -np.pi
        turns, theta = turns + step * beyond, theta - 2.0 * np.pi * step * beyond
    return np.where(turns == 0.0, angle, np.clip(theta, np.nextafter(-np.pi, 0.0), np.pi)), turns.astype(np.int64)


def build_row_dtype(names) -> np.dtype:
    """The type of a row, with a float64 for the value of each axis of these names."""
    first, *others = [(name, kind) for name, kind, *_ in ROW_FIELDS]
    return np.dtype([first, *((name, "f8") for name in names), *others])


class Rows(NamedTuple):
    """Rows of some cells, on their way to the table: what a batch of runs gives."""

    table: np.ndarray  # (n,) of `build_row_dtype`; its texts are places in `texts`
    texts: list[str]


class TextList:
    """Texts, each once, in the order in which they came; the first is empty."""

    def __init__(self, texts: list[str] | None = None):
        self.texts = list(texts) if texts else [""]
        self._numbers = {text: number for number, text in enumerate(self.texts)}

    def number(self, text: str) -> int:
        """The place of a text, which is appended if it is new."""
        number = self._numbers.setdefault(text, len(self.texts))
        if number == len(self.texts):
            self.texts.append(text)
        return number

    def take(self, rows: Rows) -> np.ndarray:
        """(n,) the rows with the places of their texts here."""
        places = np.array([self.number(text) for text in rows.texts], dtype=np.int64)
        table = rows.table.copy()
        for name in TEXT_FIELDS:
            table[name] = places[table[name]]
        return table


def join_rows(parts: list[Rows]) -> Rows:
    """The rows of one batch or more as those of one."""
    texts = TextList()
    tables = [texts.take(rows) for rows in parts]
    return Rows(np.concatenate(tables), texts.texts)


def sort_rows(table: np.ndarray, texts: list[str]) -> tuple[np.ndarray, list[str]]:
    """Rows in the order of their cells, each cell once, and texts in the order in which these rows name them: the same
    bits whatever the order in which the runs ended."""
    table = table[np.unique(table["cell"], return_index=True)[1]]
    sorted_texts = TextList()
    used, first = np.unique(np.stack([table[name] for name in TEXT_FIELDS], axis=1), return_index=True)
    places = np.zeros(len(texts), dtype=np.int64)
    for text in used[np.argsort(first)].tolist():
        places[text] = sorted_texts.number(texts[text])
    for name in TEXT_FIELDS:
        table[name] = places[table[name]]
    return table, sorted_texts.texts


def describe_status(code: int) -> str:
    """The name of a status of the table."""
    return "NOT_STARTED" if code == NOT_STARTED else find_status(code).name


class Teller:
    """Tells the word of one of SIDES from the row of a run."""

    def __init__(self, of: str, fields: Sequence[str], outcomes: Sequence[str], alike: Mapping[str, str]):
        """fields: of the row; outcomes: words of its codes; alike: outcomes that are another one if they are merged."""
        self._of, self._outcomes, self._alike = of, outcomes, alike if of in MERGED else {}
        self._is_outcome = of == "outcome" or of in DERIVED
        self._place, self._choice = fields.index("outcome" if of in DERIVED else of), fields.index("time_not_unique")

    def tell(self, row: tuple) -> str:
        """The word; texts of the row as text."""
        value = row[self._place]
        if not self._is_outcome:
            return describe_status(value) if self._of == "status" else str(value)
        word = self._outcomes[value]
        word = self._alike.get(word, word)
        return word + BY_CHOICE if self._of.endswith("basin") and row[self._choice] > 0.0 else word
