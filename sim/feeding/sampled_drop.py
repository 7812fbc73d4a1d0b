"""Shares of outcomes over any number of start parameters, by sampling, with intervals.

    from stiction import drop_samples
    found = drop_samples("l_drop.toml", {"workpiece.pose.theta": "0:360 deg", "workpiece.pose.y": "normal(0.07, 0.01)",
                                         "friction.default": "uniform(0.2, 0.4)"}, width=0.02)
    found.shares, found.n_runs

Samples are doubled until every interval is narrow enough. The first ones are a sweep whose axes vary together; the
others stand beside its table in its file, and a search that was interrupted goes on to the same bits. A single
parameter with the numbers of a file is run once for each of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sim.feeding.distributions import EMPIRICAL, Distribution, make_distribution
from sim.feeding.sampling import SEQUENCES, SampledShare, count_shares, draw_points, estimate_shares, find_floor
from sim.rows.status import Status
from sim.scene.build import take_scene
from sim.sweep.axes import SweepAxis, SweepError, tie_axes
from sim.sweep.refine.asking import Asker
from sim.sweep.refine.bisection import DONE, INTERRUPTED, LIMIT, UNKNOWN
from sim.sweep.refine.refine import MOST_RUNS
from sim.sweep.refine.sample_file import Samples, read_samples, write_samples
from sim.sweep.sweep import sweep
from sim.sweep.sweep_result import Sweep

if TYPE_CHECKING:
    from sim.scene.scene import AnyScene

WIDTH = 0.01  # of an interval, unless another one is asked for
FIRST = 16  # samples of each sequence to begin with


@dataclass(frozen=True, eq=False)
class SampledDrop:
    """What came out of starts that were sampled."""

    distributions: tuple[Distribution, ...]
    sweep: Sweep  # of the first samples
    words: tuple[str, ...]
    points: np.ndarray  # (sequences, n, parameters) values, in the units of the distributions
    codes: np.ndarray  # (sequences, n) places in `words`
    width: float  # that was asked for
    ended: str  # DONE, INTERRUPTED or LIMIT

    @property
    def is_whole(self) -> bool:
        return self.ended == DONE

    @property
    def hit_limit(self) -> bool:
        """Has the search ended since it would have needed more runs than it may?"""
        return self.ended == LIMIT

    @property
    def n_runs(self) -> int:
        return self.codes.size

    @property
    def is_list(self) -> bool:
        """Was each number of a file run once, instead of samples?"""
        return len(self.codes) == 1

    @cached_property
    def shares(self) -> dict[str, SampledShare]:
        """How many of all starts lead to each outcome, the largest first, with intervals of 95 %."""
        if not self.codes.size:
            return {}
        found = (count_shares(self.codes[0], len(self.words)) if self.is_list
                 else estimate_shares(self.codes, len(self.words)))
        return dict(sorted(zip(self.words, found, strict=True), key=lambda pair: (-pair[1].value, pair[0])))

    @property
    def unseen(self) -> float:
        """Outcomes that never came may have together up to this share."""
        return find_floor(self.codes.size) if self.codes.size else 1.0


def drop_samples(
    scene: AnyScene,
    vary: Mapping[str, Any],
    *,
    width: float = WIDTH,
    seed: int = 0,
    merge: bool = False,
    output: str | Path | None = None,
    resume: bool = False,
    workers: int | None = None,
    most_runs: int = MOST_RUNS,
    progress: Callable[[str, int, int], None] | None = None,
) -> SampledDrop:
    """Sample the start parameters of a drop: how many of all starts lead to which outcome, with intervals.

    vary: keys and distributions, see `sim.feeding.distributions`. width: samples are doubled until every interval of 95
    % is narrower. seed: of the samples; more of them leave the first as they are. merge: rest poses that the part's
    symmetry makes alike are one outcome. output, resume, workers: see `sim.sweep.sweep.sweep`. most_runs: no doubling
    begins that would need more runs in all. progress(what, done, all): called now and then.

    Raises SweepError, SceneError, WriteError. Ctrl-C keeps what is known.
    """
    if not 0.0 < width < 1.0:
        raise SweepError(f"width = {width!r}: must be a share, between 0 and 1")
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise SweepError(f"seed = {seed!r}: must be a whole number, zero or more")
    if not vary:
        raise SweepError("there is no start parameter: give keys and their distributions")
    of = "merged_basin" if merge else "basin"
    path = None if output is None else Path(output)
    kept = read_samples(path) if path is not None and resume and path.exists() else None
    distributions = _find_distributions(vary, kept)
    source = _Source(distributions, seed)
    start = source.draw(FIRST)
    first = sweep(take_scene(scene), vary=_make_axes(distributions, start), output=output, resume=resume,
                  workers=workers, progress=None if progress is None else lambda done, total: progress(
                      "runs of the grid", done, total))
    if first.status is not Status.COMPLETED:
        return SampledDrop(distributions, first, (), start[:, :0], np.zeros((len(start), 0), np.int64), width,
                           INTERRUPTED)
    return _Sampling(first, source, of, path, kept, workers).run(width, most_runs, progress)


def _find_distributions(vary: Mapping[str, Any], kept: Samples | None) -> tuple[Distribution, ...]:
    """Those of a file that goes on, if they were given as the same texts, so that files of numbers are not needed."""
    if kept is not None:
        before = tuple(map(Distribution.from_description, json.loads(kept.description)["distributions"]))
        if {one.name: one.text for one in before} == {name: str(text).strip() for name, text in vary.items()}:
            return before
    return tuple(make_distribution(name, text) for name, text in vary.items())


def _make_axes(distributions: tuple[Distribution, ...], points: np.ndarray) -> list[SweepAxis]:
    """Axes that vary together: a cell for each point."""
    columns = points.reshape(-1, points.shape[-1]).T
    axes = [one.make_axis(values) for one, values in zip(distributions, columns, strict=True)]
    return axes if len(axes) == 1 else tie_axes(axes)


class _Source:
    """Where starts come from: sampled, or all numbers of one file."""

    def __init__(self, distributions: tuple[Distribution, ...], seed: int):
        self.distributions, self._seed = distributions, seed
        self.is_list = len(distributions) == 1 and distributions[0].kind == EMPIRICAL
        self.description = json.dumps({"distributions": [one.describe() for one in distributions], "seed": seed,
                                       "sequences": 1 if self.is_list else SEQUENCES})

    def draw(self, number: int) -> np.ndarray:
        """(sequences, n, parameters) values of the first so many points of each sequence; of a file all there are."""
        if self.is_list:
            return self.distributions[0].values[None, :, None]
        shares = draw_points(len(self.distributions), number, self._seed)
        return np.stack([one.find_values(shares[..., place]) for place, one in enumerate(self.distributions)], axis=-1)


class _Sampling:
    """Doubles samples until their intervals are narrow."""

    def __init__(self, first: Sweep, source: _Source, of: str, path: Path | None, kept: Samples | None,
                 workers: int | None):
        self._first, self._source, self._of, self._path, self._kept = first, source, of, path, kept
        self._asker = Asker(first, of, (), workers)
        self._words: dict[str, int] = {}
        if kept is not None and (kept.of, kept.description) != (of, source.description):
            self._kept = None

    def run(self, width: float, most_runs: int, progress) -> SampledDrop:
        n = FIRST
        points = self._source.draw(n)
        codes = self._encode(list(map(str, self._first[self._of]))).reshape(points.shape[:2])
        ended = ""
        with self._asker:
            while not ended:
                found = SampledDrop(self._source.distributions, self._first, tuple(self._words), points, codes, width,
                                    DONE)
                if found.is_list or max(found.unseen, *(share.width for share in found.shares.values())) < width:
                    ended = DONE
                elif 2 * codes.size > most_runs:
                    ended = LIMIT
                else:
                    n *= 2
                    points = self._source.draw(n)
                    new = self._ask(points[:, n // 2 :], n // 2)
                    self._save(points, np.concatenate([codes, new], axis=1))
                    if (new == UNKNOWN).any():
                        ended = INTERRUPTED
                        continue
                    codes = np.concatenate([codes, new], axis=1)
                    if progress is not None:
                        progress("runs of the samples", codes.size, len(self._words))
        if self._kept is None:
            self._save(found.points, found.codes)
        return SampledDrop(found.distributions, self._first, found.words, found.points, found.codes, width, ended)

    def _ask(self, points: np.ndarray, begin: int) -> np.ndarray:
        """(sequences, n) codes at points, the `begin`th of each sequence and those after it."""
        sequences, number, _ = points.shape
        words = np.full((sequences, number), None, dtype=object)
        if self._kept is not None:
            part = slice(begin, begin + number)
            before, codes = self._kept.points[:, part], self._kept.codes[:, part]
            if not np.array_equal(before, points[:, : before.shape[1]]):
                raise SweepError(f"{self._path}: another version of scipy has drawn other samples for this seed; begin "
                                 "anew without --resume")
            for place in np.argwhere(codes != UNKNOWN):
                words[tuple(place)] = self._kept.words[codes[tuple(place)]]
        missing = np.array([word is None for word in words.ravel()]).reshape(words.shape)
        if missing.any():
            found = self._asker.ask(points[missing])
            words[missing] = [None if code == UNKNOWN else self._asker.words[code] for code in found.tolist()]
        return self._encode(words.ravel().tolist()).reshape(words.shape)

    def _encode(self, words: list[str | None]) -> np.ndarray:
        """(n,) codes, in the order in which words first came."""
        return np.array([UNKNOWN if word is None else self._words.setdefault(word, len(self._words))
                         for word in words], dtype=np.int64)

    def _save(self, points: np.ndarray, codes: np.ndarray) -> None:
        """Into the file, unless it knows more already."""
        known = 0 if self._kept is None else int((self._kept.codes != UNKNOWN).sum())
        if self._path is None or (codes != UNKNOWN).sum() <= known:
            return
        self._kept = Samples(self._of, self._source.description, tuple(self._words), points, codes)
        write_samples(self._path, self._kept)
