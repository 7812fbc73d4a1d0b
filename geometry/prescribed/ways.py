"""Where a motion goes in a time: bounds that hold at every instant of it, not only where one looks.

A polynomial piece lies within its Bernstein coefficients, a wave within its values at the ends and the crests between,
and a point that turns within those of its arc. Sums are bounded by sums: safe, and exact where one of them moves.
"""

from __future__ import annotations

from math import comb, inf, pi

import numpy as np

from geometry.prescribed.motion import Coordinate, Motion


def bound_coordinate(coordinate: Coordinate, begin: float, end: float) -> tuple[float, float]:
    """(low, high) of a coordinate in [begin, end] s."""
    low, high = _bound_pieces(coordinate, begin, end)
    for wave in coordinate.waves:
        angle = wave.frequency * np.array([begin, end]) + wave.phase
        least, most = bound_sine(float(angle.min()), float(angle.max()))
        ends = wave.amplitude * least, wave.amplitude * most
        low, high = low + min(ends), high + max(ends)
    return low, high


def bound_sine(begin: float, end: float) -> tuple[float, float]:
    """(low, high) of the sine of angles in [begin, end] rad."""
    values = np.sin([begin, end])
    crest, trough = (np.ceil((begin - at) / (2.0 * pi)) * 2.0 * pi + at <= end for at in (0.5 * pi, -0.5 * pi))
    return -1.0 if trough else float(values.min()), 1.0 if crest else float(values.max())


def _bound_pieces(coordinate: Coordinate, begin: float, end: float) -> tuple[float, float]:
    """(low, high) of the polynomials in use."""
    starts = np.array([piece.begin for piece in coordinate.pieces])
    first = np.maximum(starts, begin)
    last = np.minimum(np.append(starts[1:], inf), end)
    used = np.flatnonzero((first < last) | (np.arange(len(starts)) == np.searchsorted(starts, begin, "right") - 1))
    n = max(len(piece.coefficients) for piece in coordinate.pieces)
    terms, origin = np.zeros((n, len(used))), np.array([coordinate.pieces[i].origin for i in used])
    for column, i in enumerate(used.tolist()):
        terms[: len(coordinate.pieces[i].coefficients), column] = coordinate.pieces[i].coefficients
    u, span = first[used] - origin, np.maximum(last - first, 0.0)[used]
    # in powers of the share of the span, then its coefficients in Bernstein's basis
    shares = np.stack([sum(comb(k, j) * terms[k] * u ** (k - j) for k in range(j, n)) * span**j for j in range(n)])
    corners = np.stack([sum(comb(i, j) / comb(n - 1, j) * shares[j] for j in range(i + 1)) for i in range(n)])
    return float(corners.min()), float(corners.max())


def bound_places(motion: Motion, points: np.ndarray, begin: float, end: float) -> np.ndarray:
    """(2, 2) m: lowest x and y, highest x and y, in the world, of points (n, 2) [m] of a frame that moves in
    [begin, end] s."""
    (x, y, theta) = (bound_coordinate(coordinate, begin, end) for coordinate in motion.coordinates[:3])
    arm = points - np.array(motion.pivot)
    reach, angle = np.hypot(arm[:, 0], arm[:, 1]), np.arctan2(arm[:, 1], arm[:, 0])
    low, high = np.full(2, inf), np.full(2, -inf)
    for axis, shift in ((0, 0.5 * pi), (1, 0.0)):  # the cosine, and the sine, of the angle of each arm
        for r, a in zip(reach.tolist(), angle.tolist(), strict=True):
            least, most = bound_sine(a + theta[0] + shift, a + theta[1] + shift)
            low[axis], high[axis] = min(low[axis], r * least), max(high[axis], r * most)
    return np.array([low, high]) + np.array([x, y]).T
