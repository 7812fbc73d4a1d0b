"""Squares that are split where their rims are mixed, until those that a boundary crosses are as small as wanted.

Sheets are planes over two axes, one for each combination of the values of the others. A square of the grid of a sweep
is split into four where two points of its rim are known to have different codes, so are these, and so on. Points are
whole numbers of the finest lattice, so that neighbours share them: a point that a square asks for lies on the rim of
its neighbour as well, and may make that one mixed. The squares that are left are the same in whatever order they are
split.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from sim.sweep.refine.bisection import DONE, INTERRUPTED, LIMIT, UNKNOWN
from sim.tolerances import LEVEL_ROUNDING

SQUARE = np.dtype([("sheet", "i8"), ("i", "i8"), ("j", "i8"), ("size", "i8")])  # lower left corner, in finest squares
ABSENT = -2  # code of a point that nobody has asked for
CORNERS = np.array([(0, 0), (1, 0), (1, 1), (0, 1)])  # of a square of size 1, counter-clockwise

Evaluate = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]  # codes of (sheets, x, y), UNKNOWN for some


class Lattice(NamedTuple):
    """The points of the finest squares of every sheet."""

    x: np.ndarray  # (n,) rising values of the grid
    y: np.ndarray
    n_sheets: int
    n_levels: int  # how often a square of the grid can be halved

    @property
    def shape(self) -> tuple[int, int]:
        """Finest squares of a sheet along x and y."""
        return (len(self.x) - 1) << self.n_levels, (len(self.y) - 1) << self.n_levels

    @property
    def n_points(self) -> int:
        """Of all sheets."""
        return self.n_sheets * (self.shape[0] + 1) * (self.shape[1] + 1)

    @property
    def low(self) -> np.ndarray:
        """(2,) lower left corner of a sheet, in the units of the axes."""
        return np.array([self.x[0], self.y[0]])

    @property
    def span(self) -> np.ndarray:
        """(2,) size of a sheet, in the units of the axes."""
        return np.array([self.x[-1] - self.x[0], self.y[-1] - self.y[0]])

    def get_keys(self, sheet, i, j) -> np.ndarray:
        """(n,) one number for each point."""
        return (np.asarray(sheet) * (self.shape[0] + 1) + i) * (self.shape[1] + 1) + j

    def split_keys(self, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(sheet, i, j) of keys (n,)."""
        rest, j = np.divmod(keys, self.shape[1] + 1)
        sheet, i = np.divmod(rest, self.shape[0] + 1)
        return sheet, i, j

    def place_x(self, i) -> np.ndarray:
        return _place(self.x, i, self.n_levels)

    def place_y(self, j) -> np.ndarray:
        return _place(self.y, j, self.n_levels)


def _place(values: np.ndarray, index, n_levels: int) -> np.ndarray:
    """Values at whole numbers of finest squares; those of the grid to the bit."""
    index = np.asarray(index)
    cell, part = index >> n_levels, index & ((1 << n_levels) - 1)
    after = np.minimum(cell + 1, len(values) - 1)
    return np.where(part == 0, values[cell], values[cell] + (values[after] - values[cell]) * (part / (1 << n_levels)))


class Known:
    """Codes of points, by their keys."""

    def __init__(self, keys: np.ndarray, codes: np.ndarray):
        order = np.argsort(keys)
        self.keys, self.codes = keys[order], codes[order]

    def find(self, keys: np.ndarray) -> np.ndarray:
        """Codes of points, ABSENT for some; any shape."""
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[places] == keys, self.codes[places], ABSENT)

    def add(self, keys: np.ndarray, codes: np.ndarray) -> None:
        """Of points that are not there yet."""
        self.__init__(np.concatenate([self.keys, keys]), np.concatenate([self.codes, codes]))  # type: ignore[misc]


def split_squares(lattice: Lattice, known: Known, evaluate: Evaluate, most_runs: int,
                  report: Callable[[int], None] = lambda number: None) -> tuple[np.ndarray, str]:
    """The squares (SQUARE) that are left when none is mixed but the smallest, and DONE, INTERRUPTED or LIMIT.

    known: at least all points of the grid; gets what was asked for. No round of splitting begins that would need more
    than `most_runs` runs in all. report(n) is called after each round with the number of squares.
    """
    side = 1 << lattice.n_levels
    sheet, i, j = (part.ravel() for part in np.indices((lattice.n_sheets, len(lattice.x) - 1, len(lattice.y) - 1)))
    squares = _make_squares(sheet, i * side, j * side, np.full(len(sheet), side))
    left = most_runs
    while True:
        mixed = (squares["size"] > 1) & find_mixed(lattice, known, squares)
        if not mixed.any():
            return squares[np.lexsort((squares["j"], squares["i"], squares["sheet"]))], DONE
        split = squares[mixed]
        half = split["size"] // 2
        keys = np.concatenate([lattice.get_keys(split["sheet"], split["i"] + a * half, split["j"] + b * half)
                               for a, b in ((1, 0), (0, 1), (1, 1), (2, 1), (1, 2))])
        keys = np.unique(keys)
        keys = keys[known.find(keys) == ABSENT]
        if len(keys) > left:
            return squares, LIMIT
        if len(keys):
            at, column, row = lattice.split_keys(keys)
            codes = evaluate(at, lattice.place_x(column), lattice.place_y(row))
            if (codes == UNKNOWN).any():
                return squares, INTERRUPTED
            known.add(keys, codes)
            left -= len(keys)
        children = [_make_squares(split["sheet"], split["i"] + a * half, split["j"] + b * half, half)
                    for a, b in CORNERS]
        squares = np.concatenate([squares[~mixed], *children])
        report(len(squares))


def _make_squares(sheet, i, j, size) -> np.ndarray:
    squares = np.zeros(len(sheet), SQUARE)
    for name, value in (("sheet", sheet), ("i", i), ("j", j), ("size", size)):
        squares[name] = value
    return squares


def find_corners(lattice: Lattice, known: Known, squares: np.ndarray) -> np.ndarray:
    """(n, 4) codes of the corners, counter-clockwise from the lower left one."""
    return np.stack([known.find(lattice.get_keys(squares["sheet"], squares["i"] + a * squares["size"],
                                                 squares["j"] + b * squares["size"])) for a, b in CORNERS], axis=1)


def find_mixed(lattice: Lattice, known: Known, squares: np.ndarray) -> np.ndarray:
    """(n,) has the rim of a square points with different codes?

    A point between the ends of a side is there only if the neighbour was split, and then the middle is there.
    """
    corners = find_corners(lattice, known, squares)
    first = corners[:, 0]
    mixed = (corners != first[:, None]).any(axis=1)
    place = np.repeat(np.flatnonzero(~mixed), 4)
    number = np.tile(np.arange(4), len(place) // 4)
    size = squares["size"][place]
    begin = np.stack([squares["i"][place], squares["j"][place]], axis=1) + CORNERS[number] * size[:, None]
    step = (np.roll(CORNERS, -1, axis=0) - CORNERS)[number]
    while len(place):
        halves = size > 1
        place, begin, step, size = place[halves], begin[halves], step[halves], size[halves] // 2
        middle = begin + step * size[:, None]
        codes = known.find(lattice.get_keys(squares["sheet"][place], middle[:, 0], middle[:, 1]))
        there = codes != ABSENT
        mixed[place[there & (codes != first[place])]] = True
        place, begin, middle, step, size = place[there], begin[there], middle[there], step[there], size[there]
        place, step, size = np.tile(place, 2), np.tile(step, (2, 1)), np.tile(size, 2)
        begin = np.concatenate([begin, middle])
    return mixed


def count_levels(x: np.ndarray, y: np.ndarray, resolution: float) -> int:
    """How often the squares of a grid are halved until none is wider than the share `resolution` of its axis; at least
    once, so that there is a level before the last."""
    widest = max(float(np.max(np.diff(values))) / float(values[-1] - values[0]) for values in (x, y))
    return max(1, int(np.ceil(np.log2(widest / resolution) - LEVEL_ROUNDING)))

