"""Follow every change along many lines of values, by halving, all lines and all changes one halving at a time.

A line is a sequence of values at which something in words or whole numbers is known, its code: the outcome of a run,
say. Between two values with different codes lies at least one change. Its middle has the code of one end, and the
change is then known twice as well; or it has a third code, and then there are two changes, and both are followed. So
several changes that lie between two values are all found as far as halving shows them, and so are the places where
three codes meet. What lies between two values with EQUAL codes is not looked at: an island there stays unseen. Islands
come in crowds, though, so `look_beside` halves the neighbours of changes as well, some times.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

CHANGE = np.dtype([
    ("line", "i8"),
    ("low", "f8"), ("high", "f8"),  # the change lies between these values
    ("before", "i8"), ("after", "i8"),  # codes at them
])  # fmt: skip
WIDTH_ROUNDING = 1e-9  # widths of one size differ by less, relative; two sizes differ by a factor of two
UNKNOWN = -1  # code of a value at which nothing is known, because a stop came first
DONE, INTERRUPTED, LIMIT = "done", "interrupted", "limit of runs"
INTERRUPTED_EARLY = "interrupted before all boundaries were known"  # while neighbours were halved: begun anew


def find_changes(lines: np.ndarray, values: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """The changes (CHANGE) between neighbouring values of each line; three arrays of one length, in any order."""
    order = np.lexsort((values, lines))
    lines, values, codes = lines[order], values[order], codes[order]
    places = np.flatnonzero((lines[1:] == lines[:-1]) & (codes[1:] != codes[:-1]))
    changes = np.empty(len(places), CHANGE)
    changes["line"] = lines[places]
    changes["low"], changes["high"] = values[places], values[places + 1]
    changes["before"], changes["after"] = codes[places], codes[places + 1]
    return changes


def look_beside(lines: np.ndarray, values: np.ndarray, codes: np.ndarray, evaluate, depth: int):
    """Halve, `depth` times at most, the intervals that hold a change, and those beside one that are no narrower.

    lines, values, codes (n,): what is known, see `find_changes`; evaluate: see `bisect_changes`. Returns the three
    arrays with what was asked for, and whether all that was asked for is known.
    """
    for _ in range(depth):
        order = np.lexsort((values, lines))
        lines, values, codes = lines[order], values[order], codes[order]
        width = np.diff(values)
        joined = lines[1:] == lines[:-1]
        holds = joined & (codes[1:] != codes[:-1])
        room = np.where(holds, width, np.inf)
        beside = np.minimum(np.append(room[1:], np.inf), np.insert(room[:-1], 0, np.inf)) if len(room) else room
        middle = 0.5 * values[:-1] + 0.5 * values[1:]
        wanted = joined & (holds | (beside <= width * (1.0 + WIDTH_ROUNDING)))
        wanted &= (values[:-1] < middle) & (middle < values[1:])
        places = np.flatnonzero(wanted)
        if not len(places):
            break
        found = evaluate(lines[places], middle[places])
        known = found != UNKNOWN
        lines = np.concatenate([lines, lines[places][known]])
        values, codes = np.concatenate([values, middle[places][known]]), np.concatenate([codes, found[known]])
        if not known.all():
            return lines, values, codes, False
    return lines, values, codes, True


def bisect_changes(
    changes: np.ndarray,
    evaluate: Callable[[np.ndarray, np.ndarray], np.ndarray],
    tolerance: float,
    most_runs: int,
    report: Callable[[np.ndarray], None] = lambda changes: None,
) -> tuple[np.ndarray, int, str]:
    """Halve all changes until each is known to `tolerance`, or to neighbouring floats.

    evaluate(lines, values) gives codes, UNKNOWN for what it has left out: then nothing is asked any more. No halving is
    begun that would need more than `most_runs` runs in all. report(changes) is called after each halving.
    Returns the changes by line and value, the number of runs, and DONE, INTERRUPTED or LIMIT.
    """
    runs = 0
    while True:
        middle = 0.5 * changes["low"] + 0.5 * changes["high"]
        wide = (changes["high"] - changes["low"] > tolerance) & (changes["low"] < middle) & (middle < changes["high"])
        places = np.flatnonzero(wide)
        if len(places) == 0:
            return changes, runs, DONE
        if runs + len(places) > most_runs:
            return changes, runs, LIMIT
        codes = evaluate(changes["line"][places], middle[places])
        known = codes != UNKNOWN
        runs += int(known.sum())
        changes = split_changes(changes, places[known], middle[places[known]], codes[known])
        report(changes)
        if not known.all():
            return changes, runs, INTERRUPTED


def split_changes(changes: np.ndarray, places: np.ndarray, middle: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """The changes after a look at the middle of those at `places`: the half that holds the change, or both halves."""
    lower, upper = changes[places], changes[places]
    lower["high"], lower["after"] = middle, codes
    upper["low"], upper["before"] = middle, codes
    halves = np.concatenate([np.delete(changes, places), lower, upper])
    halves = halves[halves["before"] != halves["after"]]
    return halves[np.lexsort((halves["low"], halves["line"]))]
