"""What a refinement has found: boundaries between words along one axis of a sweep."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from sim.sweep.axes import SweepError


@dataclass(frozen=True, eq=False)
class Refinement:
    """The boundaries that were found along one axis of a sweep."""

    axis: str  # its name
    of: str  # the column that changes
    tolerance: float  # in the unit of the axis
    words: tuple[str, ...]  # what `before` and `after` mean
    boundaries: np.ndarray  # one row a boundary, see `build_boundary_dtype`
    n_cells: int  # rows of the sweep that it was begun with
    n_lines: int  # lines along the axis in them: combinations of the other values
    span: float  # from the first to the last value of the axis
    n_runs: int  # beyond those of the sweep
    ended: str  # DONE, INTERRUPTED or LIMIT of `sim.sweep.refine.bisection`

    def __len__(self) -> int:
        return len(self.boundaries)

    def __getitem__(self, side: str) -> np.ndarray:
        """(n,) words: what is "before" or "after" each boundary, towards smaller or larger values of the axis."""
        if side not in ("before", "after"):
            raise SweepError(f"there is no side {side!r}; valid: before, after")
        return np.array(self.words, dtype=object)[self.boundaries[side]]

    @property
    def width(self) -> float:
        """The largest interval within which a boundary is known; 0 where there is none."""
        return float(np.max(self.boundaries["high"] - self.boundaries["low"], initial=0.0))

    @property
    def n_grid_runs(self) -> int:
        """Runs of a grid with the resolution that was reached, on the same lines."""
        resolution = self.width or self.tolerance
        return self.n_lines * (math.ceil(self.span / resolution) + 1) if resolution else 0

    @property
    def ratio(self) -> float:
        """How many times fewer runs there were, those of the sweep included."""
        return self.n_grid_runs / max(self.n_cells + self.n_runs, 1)

    def count(self) -> dict[tuple[str, str], int]:
        """How many boundaries lie between which two words, the most frequent first."""
        pairs, counts = np.unique(self.boundaries[["before", "after"]], return_counts=True)
        order = np.argsort(-counts, kind="stable")
        return {(self.words[pairs["before"][i]], self.words[pairs["after"][i]]): int(counts[i]) for i in order}


def build_boundary_dtype(names: Iterable[str]) -> np.dtype:
    """A row of boundaries: the value of each axis (of the refined one, the middle of the interval), the ends of the
    interval, and what is at them, as places in `words`."""
    return np.dtype([*((name, "f8") for name in names), ("low", "f8"), ("high", "f8"),
                     ("before", "i8"), ("after", "i8")])  # fmt: skip
