"""Quasi-random samples, and what they say of shares: a mean, and an interval that holds it 95 times of 100.

Sobol's sequence fills a cube more evenly than random points do, so that shares are known better; but one sequence does
not tell how well. So there are SEQUENCES of it, each scrambled at random on its own (Owen, by way of Matousek's linear
scramble): their shares are independent and have the right mean, and Student's t tells how far off the mean of all is.

Where all sequences agree the variance is zero, and would claim to know everything. An interval reaches at least as far
to each side as Wilson's does of an outcome that did not come in N samples, z^2 / (N + z^2).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtri, stdtrit
from scipy.stats import qmc

SEQUENCES = 16
BITS = 30  # of a coordinate; half a step is added, so that none is 0 or 1
LEVEL = 0.95  # of intervals


class SampledShare(NamedTuple):
    """The share of an outcome, and its interval."""

    value: float
    low: float
    high: float

    @property
    def width(self) -> float:
        return self.high - self.low


def draw_points(dimension: int, number: int, seed: int, sequences: int = SEQUENCES) -> np.ndarray:
    """(sequences, number, dimension) points within the unit cube. number: a power of two; more points leave the first
    ones of each sequence as they are."""
    drawn = [qmc.Sobol(dimension, scramble=True, bits=BITS, seed=np.random.default_rng([seed, sequence])).random(number)
             for sequence in range(sequences)]
    return np.stack(drawn) + 0.5 ** (BITS + 1)


def find_floor(number: int) -> float:
    """The share up to which an outcome may have that did not come in so many samples, by Wilson's interval."""
    square = float(ndtri(0.5 + 0.5 * LEVEL)) ** 2
    return square / (number + square)


def estimate_shares(codes: np.ndarray, n_words: int) -> list[SampledShare]:
    """The share of each word from codes (sequences, n), two sequences or more."""
    sequences, number = codes.shape
    shares = np.stack([np.bincount(row, minlength=n_words) for row in codes]) / number
    mean = shares.mean(axis=0)
    error = shares.std(axis=0, ddof=1) / np.sqrt(sequences)
    reach = np.maximum(float(stdtrit(sequences - 1, 0.5 + 0.5 * LEVEL)) * error, find_floor(codes.size))
    return [SampledShare(float(value), float(low), float(high)) for value, low, high in
            zip(mean, np.maximum(mean - reach, 0.0), np.minimum(mean + reach, 1.0), strict=True)]


def count_shares(codes: np.ndarray, n_words: int) -> list[SampledShare]:
    """The share of each word from independent codes (n,), with Wilson's interval."""
    n, square = len(codes), float(ndtri(0.5 + 0.5 * LEVEL)) ** 2
    found = []
    for count in np.bincount(codes, minlength=n_words).tolist():
        middle = (count + 0.5 * square) / (n + square)
        reach = np.sqrt(square * (count * (n - count) / n + 0.25 * square)) / (n + square)
        found.append(SampledShare(count / n, max(0.0, float(middle - reach)), min(1.0, float(middle + reach))))
    return found
