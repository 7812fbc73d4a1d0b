"""What tracing has found: the regions of a plane over two axes of a sweep, their boundaries and their shares."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sim.sweep.axes import SweepError
from sim.sweep.refine.contours import Regions
from sim.sweep.refine.lattice import Lattice

Measure = Callable[[np.ndarray], np.ndarray]  # (n,) shares, from 0 to 1, of all that have a smaller value


class RegionShare(NamedTuple):
    """The share of a region of its sheet."""

    value: float
    bound: float  # it may be wrong by no more, if no island was missed: what squares with a boundary in them allow
    change: float  # by the last halving of squares: of smooth boundaries about three times the error that is left


@dataclass(frozen=True, eq=False)
class Tracing:
    """The regions of a column of a sweep over two of its axes, on each sheet: one for all values of the other axes.

    Arrays name words by their places in `words`, and are in the units of the axes.
    """

    axes: tuple[str, str]  # names
    of: str  # the column
    resolution: float  # shares of the span of each axis: of the finest squares,
    tolerance: float  # and of boundaries on their rims
    words: tuple[str, ...]
    x: np.ndarray  # (n,) rising values of the grid along the first axis
    y: np.ndarray
    n_levels: int  # how often its squares were halved
    others: tuple[str, ...]  # names of the other axes
    sheets: np.ndarray  # (sheets, others) their values
    regions: Regions
    coarse: Regions  # of the squares of twice the finest size through which boundaries pass, with what their rims show
    points: np.ndarray  # (n, axes of the sweep) values of all runs, in the order in which they were asked for
    codes: np.ndarray  # (n,) what came out of them
    n_cells: int  # rows of the sweep
    ended: str  # DONE, INTERRUPTED or LIMIT of `sim.sweep.refine.bisection`; without DONE there are no regions

    @property
    def n_runs(self) -> int:
        """Beyond those of the sweep."""
        return len(self.points)

    @property
    def lattice(self) -> Lattice:
        return Lattice(self.x, self.y, len(self.sheets), self.n_levels)

    @property
    def n_grid_runs(self) -> int:
        """Runs of a grid as fine as the finest squares, on the same sheets; it would not know where within a square a
        boundary passes."""
        return self.lattice.n_points

    @property
    def ratio(self) -> float:
        """How many times fewer runs there were, those of the sweep included."""
        return self.n_grid_runs / max(self.n_cells + self.n_runs, 1)

    @property
    def segments(self) -> np.ndarray:
        """(n, 2, 2) the boundaries as chords: ends, each (first axis, second axis)."""
        own = self.regions.segments
        return np.stack([own[name] for name in ("x0", "y0", "x1", "y1")], axis=1).reshape(-1, 2, 2)

    def __getitem__(self, side: str) -> np.ndarray:
        """(n,) words: what is "left" or "right" of each segment, seen from its first end, with the first axis to the
        right and the second up."""
        if side not in ("left", "right"):
            raise SweepError(f"there is no side {side!r}; valid: left, right")
        return np.array(self.words, dtype=object)[self.regions.segments[side]]

    def find_sheet(self, values: dict[str, float]) -> int | None:
        """The sheet with these values of the other axes."""
        wanted = [values.get(name, math.nan) for name in self.others]
        found = np.flatnonzero((self.sheets == wanted).all(axis=1))
        return int(found[0]) if len(found) else None

    def list_polygons(self, sheet: int) -> list[tuple[str, np.ndarray]]:
        """Word and (n, 2) vertices of polygons that tile a sheet, each star-shaped and counter-clockwise."""
        pieces, ends = self.regions.pieces, np.cumsum(self.regions.pieces["n"])
        return [(self.words[pieces["code"][k]], self.regions.vertices[ends[k] - pieces["n"][k] : ends[k]])
                for k in np.flatnonzero((pieces["sheet"] == sheet) & (pieces["n"] > 2))]

    def measure_shares(self, sheet: int = 0, measures: tuple[Measure, Measure] | None = None) -> dict[str, RegionShare]:
        """The share of each word of a sheet, the largest first.

        measures: how values along the axes are distributed, see Measure; as many everywhere if not given.
        """
        low, span = self.lattice.low, self.lattice.span
        if measures is None:
            measures = (lambda x: (x - low[0]) / span[0]), (lambda y: (y - low[1]) / span[1])
        pieces, areas = _measure_areas(self.regions, sheet, measures)
        coarse, coarse_areas = _measure_areas(self.coarse, sheet, measures)
        value = np.bincount(pieces["code"], areas, len(self.words))
        change = np.bincount(coarse["code"], coarse_areas, len(self.words))
        inside = pieces["parent"] >= 0
        change -= np.bincount(pieces["code"][inside], areas[inside], len(self.words))
        crossed = pieces["square"] >= 0
        squares = np.bincount(pieces["square"][crossed], areas[crossed])
        shares = {}
        for code, word in enumerate(self.words):
            own = crossed & (pieces["code"] == code)
            if not (pieces["code"] == code).any():
                continue
            room, part = math.fsum(squares[np.unique(pieces["square"][own])]), math.fsum(areas[own])
            shares[word] = RegionShare(float(value[code]), max(part, room - part), abs(float(change[code])))
        return dict(sorted(shares.items(), key=lambda pair: (-pair[1].value, pair[0])))


def _measure_areas(regions: Regions, sheet: int, measures: tuple[Measure, Measure]) -> tuple[np.ndarray, np.ndarray]:
    """(n,) the pieces of a sheet and their areas in the unit square."""
    pieces = regions.pieces
    if not len(pieces):
        return pieces, np.zeros(0)
    begin = np.cumsum(pieces["n"]) - pieces["n"]
    x, y = (measure(regions.vertices[:, axis]) for axis, measure in enumerate(measures))
    after = np.arange(len(x)) + 1
    after[begin + pieces["n"] - 1] = begin
    first = np.repeat(begin, pieces["n"])  # about a vertex of its own: far from the origin digits would be lost
    x, y = x - x[first], y - y[first]
    areas = 0.5 * np.add.reduceat(x * y[after] - x[after] * y, begin)
    own = pieces["sheet"] == sheet
    return pieces[own], areas[own]
