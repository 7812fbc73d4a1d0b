"""Area, centroid and polar second moment of what edges and arcs enclose, in closed form.

A loop is the polygon of its chords and, for every arc, the segment of the circle between chord and arc. With the sweep
2t, the radius r, the middle M of the chord and the unit vector u from the centre towards the middle of the arc, the
segment has

    area                                   r^2 (2t - sin 2t) / 2
    first moment about M, along u          r^3 (3/4 sin t + 1/12 sin 3t - t cos t)
    polar second moment about M            r^4 (t - 3/4 sin 2t + t/2 cos 2t)

(from the sector less the triangle, by the theorem of parallel axes). All three are differences of nearly equal terms
where the arc is flat: there their power series are summed.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from geometry.shapes.features import Features, compute_boxes, compute_sweeps, is_circle

_TERMS = 16  # of the series: at t = 1 the next is below 1e-35


class Moments(NamedTuple):
    """Of a region of uniform density."""

    area: float  # m^2; negative for loops that run clockwise
    centroid: tuple[float, float]  # m
    polar: float  # m^4, second moment about the centroid


def _make_series(power, coefficient):
    """Coefficients of t^(power + 2k), from the k-th term of the Taylor series."""
    return np.array([coefficient(k) for k in range(_TERMS)]), power


def _odd(k: int) -> float:
    return (-1) ** k / math.factorial(2 * k + 1)


def _even(k: int) -> float:
    return (-1) ** k / math.factorial(2 * k)


# The terms that cancel (the lowest one or two) are exact zeros here, as sums of fractions with small denominators.
_AREA = _make_series(3, lambda k: -0.5 * 2.0 ** (2 * k + 3) * _odd(k + 1))
_FIRST = _make_series(5, lambda k: (0.75 + 3.0 ** (2 * k + 5) / 12.0) * _odd(k + 2) - _even(k + 2))
_POLAR = _make_series(5, lambda k: -0.75 * 2.0 ** (2 * k + 5) * _odd(k + 2) + 0.5 * 2.0 ** (2 * k + 4) * _even(k + 2))


def _sum_series(series, t: np.ndarray) -> np.ndarray:
    coefficients, power = series
    return t**power * np.polynomial.polynomial.polyval(t * t, coefficients)


def compute_segment_factors(sweep: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Area / r^2, first moment / r^3 and polar second moment / r^4 of the segments of these sweeps (n,), rad."""
    t = 0.5 * sweep
    flat = t < 1.0
    small = np.where(flat, t, 0.0)
    exact = (0.5 * (2.0 * t - np.sin(2.0 * t)),
             0.75 * np.sin(t) + np.sin(3.0 * t) / 12.0 - t * np.cos(t),
             t - 0.75 * np.sin(2.0 * t) + 0.5 * t * np.cos(2.0 * t))
    area, first, polar = (np.where(flat, _sum_series(series, small), full)
                          for series, full in zip((_AREA, _FIRST, _POLAR), exact, strict=True))
    return area, first, polar


def compute_moments(features: Features) -> Moments:
    """Moments of the region that loops of features enclose; loops that run clockwise are subtracted.

    Taken about the centre of the bounding box, since far from the origin the sums would cancel, and added without
    rounding. An outline that is symmetric about its centre gets its centroid there.
    """
    low, high = compute_boxes(features)
    origin = 0.5 * (low.min(axis=0) + high.max(axis=0))
    x0, y0 = (features.start - origin).T
    x1, y1 = (features.end - origin).T
    cross = x0 * y1 - x1 * y0
    areas, first_x, first_y = 0.5 * cross, (x0 + x1) * cross / 6.0, (y0 + y1) * cross / 6.0
    polar = (x0 * x0 + x0 * x1 + x1 * x1 + y0 * y0 + y0 * y1 + y1 * y1) * cross / 12.0

    arcs = features.take(features.sign != 0)
    sweep = compute_sweeps(arcs)
    area, first, second = compute_segment_factors(sweep)
    c, s = np.cos(0.5 * sweep), np.sin(0.5 * sweep) * arcs.sign
    arm = (arcs.start - arcs.centre) / arcs.radius[:, None]
    u = np.stack([c * arm[:, 0] - s * arm[:, 1], s * arm[:, 0] + c * arm[:, 1]], axis=1)
    middle = 0.5 * (arcs.start + arcs.end) - origin
    whole = is_circle(arcs)  # has its centroid in its centre to the last bit
    middle[whole] = arcs.centre[whole] - origin
    area[whole], first[whole], second[whole] = math.pi, 0.0, 0.5 * math.pi
    area, first, second = (arcs.sign * arcs.radius**power * factor
                           for power, factor in ((2, area), (3, first), (4, second)))
    terms = area, *(area[:, None] * middle + first[:, None] * u).T, (
        second + 2.0 * first * (middle * u).sum(axis=1) + area * (middle * middle).sum(axis=1))
    total, cx, cy, about = (math.fsum([*chords, *segments]) for chords, segments in
                            zip((areas, first_x, first_y, polar), terms, strict=True))
    if total == 0.0:
        return Moments(0.0, (float(origin[0]), float(origin[1])), 0.0)
    cx, cy = cx / total, cy / total
    return Moments(total, (float(origin[0] + cx), float(origin[1] + cy)), about - total * (cx * cx + cy * cy))
