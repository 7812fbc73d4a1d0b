"""Which cells a sweep has: every combination of the values of its axes, and samples of the random ones.

Axes that go together (`SweepAxis.leader`) take their values one by one with each other, and count as one.

Cells are numbered: the last axis varies fastest, and of random axes the samples fastest of all. Every combination of
grid values meets the same samples, so that neighbours in the grid differ in nothing else. Without random axes `samples`
takes that many combinations at random.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sim.sweep.axes import SweepAxis, SweepError, get_identity

MOST_CELLS = 10_000_000
SHOWN_DIGITS = 6  # of numbers in print


@dataclass(frozen=True, eq=False)
class Plan:
    """The cells of a sweep."""

    axes: tuple[SweepAxis, ...]
    samples: int | None = None
    seed: int = 0

    def __post_init__(self):
        check_ties(self.axes)
        keys = [axis.key for axis in self.axes]
        for axis in self.axes:
            if keys.count(axis.key) > 1:
                raise SweepError(f"{axis.key} varies twice; give each key once")
        if self.samples is not None and (isinstance(self.samples, bool) or self.samples < 1):
            raise SweepError(f"samples = {self.samples}: must be a whole number, one or more")
        if isinstance(self.seed, bool) or not isinstance(self.seed, int) or self.seed < 0:
            raise SweepError(f"seed = {self.seed!r}: must be a whole number, zero or more")
        random = [axis.name for axis in self.axes if axis.is_random]
        if random and self.samples is None:
            raise SweepError(f"{random[0]} is random: say how many samples (--samples N)")
        if not self.axes:
            raise SweepError("nothing varies: give mu, rho, or another key with its values")
        if len(self) > MOST_CELLS:
            raise SweepError(f"{len(self)} cells are too many; at most {MOST_CELLS}")

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of values of each axis, 1 for random ones; of axes that go together once."""
        return tuple(len(axis) for axis in self.axes if not axis.leader)

    @cached_property
    def dimensions(self) -> list[int]:
        """The place of each axis in `shape`; axes that go together have one."""
        names = [axis.name for axis in self.axes if not axis.leader]
        return [names.index(axis.leader or axis.name) for axis in self.axes]

    @property
    def has_random(self) -> bool:
        return any(axis.is_random for axis in self.axes)

    def __len__(self) -> int:
        full = math.prod(self.shape)
        if self.samples is None:
            return full
        return full * self.samples if self.has_random else min(full, self.samples)

    @cached_property
    def _draws(self) -> list[np.ndarray | None]:
        return [axis.draw(self.samples, self.seed) if axis.is_random else None for axis in self.axes]

    @cached_property
    def _chosen(self) -> np.ndarray | None:
        """The combinations taken at random, in their order; None for all."""
        full = math.prod(self.shape)
        if self.samples is None or self.has_random or self.samples >= full:
            return None
        return np.sort(np.random.default_rng(self.seed).choice(full, size=self.samples, replace=False))

    def get_values(self, cell: int) -> tuple[float, ...]:
        """The value of each axis in a cell. Raises SweepError."""
        return tuple(self.get_table([cell])[0].tolist())

    def get_table(self, cells) -> np.ndarray:
        """(n, axes) the values of some cells. Raises SweepError for a cell that there is not."""
        cells = np.asarray(cells, dtype=np.int64)
        for cell in cells[(cells < 0) | (cells >= len(self))]:
            raise SweepError(f"there is no cell {cell}; valid: 0 to {len(self) - 1}")
        places, samples = cells, cells
        if self.has_random:
            places, samples = np.divmod(cells, self.samples)
        elif self._chosen is not None:
            places = self._chosen[cells]
        return self._fill(np.stack(np.unravel_index(places, self.shape), axis=1)[:, self.dimensions], samples)

    def _fill(self, places: np.ndarray, samples: np.ndarray) -> np.ndarray:
        """(n, axes) the values at places (n, axes) among those of each axis."""
        columns = [axis.values[places[:, i]] if draws is None else draws[samples]
                   for i, (axis, draws) in enumerate(zip(self.axes, self._draws, strict=True))]
        return np.stack(columns, axis=1)

    def locate(self, cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(n, axes) place of cells among the values of each axis, and (n,) numbers of their samples, 0 without any."""
        places = np.asarray(cells, dtype=np.int64)
        samples = np.zeros_like(places)
        if self.has_random:
            places, samples = np.divmod(places, self.samples)
        elif self._chosen is not None:
            places = self._chosen[places]
        return np.stack(np.unravel_index(places, self.shape), axis=1)[:, self.dimensions], samples

    def tabulate(self, cells: np.ndarray) -> np.ndarray:
        """(n, axes) the values of `get_values` for many cells at once."""
        return self._fill(*self.locate(cells))

    def find_cell(self, words: Iterable[tuple[str, str]]) -> int:
        """The cell of (name, value) pairs, one for each axis that is not random; with random ones also `sample`. Of
        axes that go together, one is enough where its value occurs once.

        Raises SweepError: a name or value that the sweep does not have, or one that is missing.
        """
        given = dict(words)
        place = [self._find_place([axis for axis, own in zip(self.axes, self.dimensions, strict=True)
                                   if own == dimension], given) for dimension in range(len(self.shape))]
        cell = int(np.ravel_multi_index(place, self.shape))
        if self.has_random:
            text = str(given.pop("sample", "")).strip()
            if not text.isdigit() or int(text) >= self.samples:
                raise SweepError(f"sample = {text or '(missing)'}: must be from 0 to {self.samples - 1}")
            cell = cell * self.samples + int(text)
        elif self._chosen is not None:
            index = int(np.searchsorted(self._chosen, cell))
            if index == len(self._chosen) or self._chosen[index] != cell:
                raise SweepError("this combination is not among those that the sweep took at random")
            cell = index
        if given:
            raise SweepError(f"{', '.join(given)}: the sweep does not vary this; valid: {', '.join(self.list_names())}")
        return cell

    def _find_place(self, axes: list[SweepAxis], given: dict[str, str]) -> int:
        """The place of the values that are given (and taken out) of axes that go together. Raises SweepError."""
        if axes[0].is_random:
            return 0
        found, said = set(range(len(axes[0]))), []
        for axis in axes:
            name = next((name for name in (axis.name, axis.key) if name in given), None)
            if name is not None:
                said.append(f"{axis.name} = {given[name]}")
                found &= set(find_indices(axis, given.pop(name)))
        if not said:
            raise SweepError(f"which {axes[0].name}? Give a value of each of: {', '.join(self.list_names())}")
        if not found:
            raise SweepError(f"{', '.join(said)}: these values do not go together in the sweep")
        if len(found) > 1:
            others = [axis.name for axis in axes if f"{axis.name} =" not in " ".join(said)]
            raise SweepError(f"{', '.join(said)}: {len(found)} cells have this; give {', '.join(others)} as well")
        return found.pop()

    def list_names(self) -> list[str]:
        """What tells cells apart."""
        return ([axis.name for axis in self.axes if not axis.is_random and not axis.leader]
                + ["sample"] * self.has_random)

    def describe(self) -> dict:
        """What a file keeps, and a second sweep must repeat: plain values."""
        return {"axes": [axis.describe() for axis in self.axes], "samples": self.samples, "seed": self.seed}

    @staticmethod
    def from_description(data: dict) -> Plan:
        """The plan of `describe`."""
        return Plan(tuple(map(SweepAxis.from_description, data["axes"])), data["samples"], data["seed"])


def check_ties(axes: tuple[SweepAxis, ...]) -> None:
    """See that axes that go together can. Raises SweepError."""
    leaders = {axis.name: axis for axis in axes if not axis.leader}
    for axis in axes:
        leader = leaders.get(axis.leader, axis)
        if axis.is_random != leader.is_random or (axis.is_random and axis.kind != leader.kind):
            raise SweepError(f"{leader.name} and {axis.name} cannot vary together: one is {leader.kind}, the other "
                             f"{axis.kind}; give both as uniform(A, B), both as normal(M, D), or neither at random")
        if len(axis) != len(leader):
            raise SweepError(f"{leader.name} and {axis.name} vary together, value by value, and {leader.name} has "
                             f"{len(leader)}, {axis.name} {len(axis)}; give both as many")


def find_indices(axis: SweepAxis, value) -> list[int]:
    """The places of a value in a grid or list: one, or several of an axis that goes with others. Raises SweepError,
    naming the nearest.

    A value is the one that it is equal to, or that shows these very digits where numbers are shown with six or more:
    0.333333 is 1/3, but 0.33 is not.
    """
    number = axis.find_value(value)
    digits = max(count_digits(str(value)), SHOWN_DIGITS)
    for write in (get_identity, lambda number: f"{float(number) + 0.0:.{digits - 1}e}"):
        found = [index for index, own in enumerate(axis.values) if write(own) == write(number)]
        if found and len({get_identity(axis.values[index]) for index in found}) == 1:
            return found
    nearest = sorted(axis.values[np.argsort(np.abs(axis.values - number), kind="stable")[:2]].tolist())
    unit = f" {axis.unit}" if axis.unit else ""
    raise SweepError(f"{axis.name} = {value}: the sweep has no such value; the nearest: "
                     + ", ".join(f"{own!r}{unit}" for own in nearest))


def count_digits(text: str) -> int:
    """Significant digits of a decimal number as it was written."""
    mantissa = re.match(r"[-+\d_.]*", text.strip())[0]
    return len(re.sub(r"\D", "", mantissa).lstrip("0"))
