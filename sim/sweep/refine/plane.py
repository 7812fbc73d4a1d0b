"""The search for regions on sheets: split squares, then halve on the rims of the smallest ones, then draw the lines."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sim.sweep.refine.bisection import CHANGE, DONE, UNKNOWN, bisect_changes
from sim.sweep.refine.contours import JUNCTION, PIECE, SEGMENT, Regions, Rims, build_regions
from sim.sweep.refine.lattice import Evaluate, Known, Lattice, split_squares


def find_regions(lattice: Lattice, known: Known, evaluate: Evaluate, tolerance: float, most_runs: int,
                 report: Callable[[str], None] = lambda what: None) -> tuple[Regions, Regions, str]:
    """The regions, those that the level before the last shows, and DONE, INTERRUPTED or LIMIT, without DONE empty.

    known: codes of all points of the grid; evaluate: asked for any others. tolerance: of crossings on the rims of the
    smallest squares, as a share of the span. No round begins that needs more than `most_runs` runs in all.
    report(what) is called after each.
    """
    n_runs = 0

    def count(sheets: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        nonlocal n_runs
        codes = evaluate(sheets, x, y)
        n_runs += int((codes != UNKNOWN).sum())
        return codes

    squares, ended = split_squares(lattice, known, count, most_runs, lambda number: report(f"{number} squares"))
    if ended == DONE:
        rims = Rims(lattice, known)
        edges = rims.list_edges(squares[squares["size"] == 1])
        changes, place = _list_changes(lattice, rims, edges)
        changes, _, ended = bisect_changes(changes, lambda lines, shares: count(*place(lines, shares)), tolerance,
                                           most_runs - n_runs, lambda changes: report(f"{len(changes)} crossings"))
    if ended != DONE:
        return make_none(), make_none(), ended
    rims.keep(changes, edges)
    return *build_regions(lattice, rims, squares), ended


def _list_changes(lattice: Lattice, rims: Rims, edges: np.ndarray):
    """(n,) CHANGE of edges, one each, by share of the span; and where a share of a line is: (sheets, x, y)."""
    sheet, i, j, along = rims.split_edges(edges)
    begin = np.stack([lattice.place_x(i), lattice.place_y(j)], axis=1)
    end = np.stack([lattice.place_x(i + (along == 0)), lattice.place_y(j + (along == 1))], axis=1)
    low, span = lattice.low, lattice.span
    rows = np.arange(len(edges))
    changes = np.zeros(len(edges), CHANGE)
    changes["line"] = rows
    changes["low"] = ((begin - low) / span)[rows, along]
    changes["high"] = ((end - low) / span)[rows, along]
    changes["before"], changes["after"] = rims.find_ends(edges)

    def place(lines: np.ndarray, shares: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        points = begin[lines]
        points[np.arange(len(lines)), along[lines]] = low[along[lines]] + span[along[lines]] * shares
        return sheet[lines], points[:, 0], points[:, 1]

    return changes, place


def make_none() -> Regions:
    """No regions at all."""
    return Regions(np.zeros(0, PIECE), np.zeros((0, 2)), np.zeros(0, SEGMENT), np.zeros(0, JUNCTION))
