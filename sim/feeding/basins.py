"""Basins of one start parameter: in which intervals of it the part comes to which outcome, and their measures.

Of every line of a refined sweep the boundaries are known, each within an interval no wider than its tolerance. Between
them lie the basins. Boundaries that stand closer together than the tolerance, or meet at one value, are one stretch in
which outcomes alternate: its measure belongs to no basin, and it says what was seen in it.

    share of an outcome = measure of its basins, each from the middle of one boundary to the middle of the next
    bound               = half the width of these boundaries, and the stretches that hold the outcome
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from sim.sweep.refine.refinement import Refinement
from sim.sweep.sweep_result import Sweep

Measure = Callable[[np.ndarray], np.ndarray]  # of all starts, the part with values up to one, from 0 to 1


class Basin(NamedTuple):
    """An interval of the start parameter with one outcome; round a turn it may begin above its end."""

    word: str
    low: float  # in the unit of the axis; the middle of a boundary, or an end of the range
    high: float
    share: float
    bound: float  # how much larger or smaller the share may be


class Alternation(NamedTuple):
    """An interval in which outcomes alternate more finely than boundaries are told apart."""

    words: tuple[str, ...]  # seen at its ends and in it
    low: float
    high: float
    share: float


class Share(NamedTuple):
    """Of all starts, how many lead to an outcome: between value - bound and value + bound."""

    value: float
    bound: float


class BasinLine(NamedTuple):
    """The basins along one line: one combination of the values of all other axes."""

    others: dict[str, float]
    basins: tuple[Basin, ...]
    stretches: tuple[Alternation, ...]
    shares: dict[str, Share]  # the largest first

    @property
    def unresolved(self) -> float:
        """Measure of all starts that are in no basin."""
        return math.fsum(stretch.share for stretch in self.stretches)


class _Piece(NamedTuple):
    """A boundary or a stretch, on the way."""

    low: float
    high: float
    words: tuple[str, ...]


def find_lines(sweep: Sweep, found: Refinement, measure: Measure, is_round: bool) -> list[BasinLine]:
    """The basins along each line of a sweep that was refined; is_round: the range is a whole turn, and its ends are one
    start."""
    names = [axis.name for axis in sweep.plan.axes]
    others = [name for name in names if name != found.axis]
    table, codes = sweep.table, np.array(list(map(str, sweep[found.of])), dtype=object)
    keys = np.array([table[name] for name in others]).T.reshape(len(table), len(others))
    marks = np.array([found.boundaries[name] for name in others]).T.reshape(len(found), len(others))
    order = np.unique(keys, axis=0) if others else np.zeros((1, 0))
    lines = []
    for key in order:
        rows, boundaries = (keys == key).all(axis=1), (marks == key).all(axis=1)
        values = table[found.axis][rows]
        first = codes[rows][np.argmin(values)]
        ends = float(values.min()), float(values.max())
        pieces = [_Piece(float(b["low"]), float(b["high"]), (found.words[b["before"]], found.words[b["after"]]))
                  for b in np.sort(found.boundaries[boundaries], order="low")]
        lines.append(_make_line(dict(zip(others, map(float, key), strict=True)), ends, str(first),
                                _join(pieces, found.tolerance), measure, is_round))
    return lines


def _join(pieces: list[_Piece], tolerance: float) -> list[_Piece]:
    """Boundaries with no more than the tolerance between them as one stretch."""
    joined: list[_Piece] = []
    for piece in pieces:
        if joined and piece.low - joined[-1].high <= tolerance:
            last = joined.pop()
            joined.append(_Piece(last.low, piece.high, (*last.words, *piece.words)))
        else:
            joined.append(piece)
    return joined


def _make_line(others: dict[str, float], ends: tuple[float, float], first: str, pieces: list[_Piece],
               measure: Measure, is_round: bool) -> BasinLine:
    borders, widths, stretches = [(ends[0], ends[0])], [0.0], []
    words = [first]
    for piece in pieces:
        low, high = measure(np.array([piece.low, piece.high])).tolist()
        if len(piece.words) > 2:
            stretches.append(Alternation(tuple(dict.fromkeys(piece.words)), piece.low, piece.high, high - low))
            borders.append((piece.low, piece.high))
            widths.append(0.0)
        else:
            middle = 0.5 * piece.low + 0.5 * piece.high
            borders.append((middle, middle))
            widths.append(0.5 * (high - low))
        words.append(piece.words[-1])
    borders.append((ends[1], ends[1]))
    widths.append(0.0)
    basins = []
    for k, word in enumerate(words):
        low, high = borders[k][1], borders[k + 1][0]
        part = float(np.diff(measure(np.array([low, high])))[0])
        basins.append(Basin(word, low, high, part, widths[k] + widths[k + 1]))
    if is_round and len(basins) > 1 and basins[0].word == basins[-1].word:
        last, start = basins.pop(), basins[0]
        basins[0] = Basin(start.word, last.low, start.high, last.share + start.share, last.bound + start.bound)
    return BasinLine(others, tuple(basins), tuple(stretches), _sum_shares(basins, stretches))


def _sum_shares(basins: list[Basin], stretches: list[Alternation]) -> dict[str, Share]:
    found: dict[str, Share] = {}
    for word in dict.fromkeys([*(basin.word for basin in basins), *(w for s in stretches for w in s.words)]):
        own = [basin for basin in basins if basin.word == word]
        hidden = [stretch.share for stretch in stretches if word in stretch.words]
        found[word] = Share(math.fsum(basin.share for basin in own),
                            math.fsum([*(basin.bound for basin in own), *hidden]))
    return dict(sorted(found.items(), key=lambda pair: -pair[1].value))


def gather_curves(lines: list[BasinLine], name: str) -> Mapping[str, np.ndarray]:
    """(lines, 3) value of another axis, share and bound of each outcome, by outcome."""
    words = dict.fromkeys(word for line in lines for word in line.shares)
    none = Share(0.0, 0.0)
    return {word: np.array([(line.others[name], *line.shares.get(word, none)) for line in lines]) for word in words}
