"""Arcs with one tangent at their joints in place of curves, within a tolerance that is measured, not assumed.

A biarc joins two points with given tangents by two arcs. Of all that do, the one whose tangents meet at equal distances
d from the ends is taken: with v from point to point, t0 and t1 the tangents,

    d = v.v / (v.(t0 + t1) + sqrt((v.(t0 + t1))^2 + 2 (1 - t0.t1) v.v)) ,   joint = (p0 + p1 + d (t0 - t1)) / 2 .

The bulge of an arc is the tangent of half the angle between its chord and its tangent.
"""

from __future__ import annotations

import math

import numpy as np

from geometry.drawings.drawing import Curve, DrawingError, Stretch, show_place
from geometry.tolerances import DEVIATION_POINTS, MOST_HALVINGS


def convert_curve(curve: Curve, tolerance: float) -> tuple[list[Stretch], float]:
    """Arcs that lie at most `tolerance` off a curve, and how far they do, measured at DEVIATION_POINTS of each biarc.

    Intervals between breaks are halved until they do. Raises DrawingError where that does not end: at a cusp.
    """
    stretches: list[Stretch] = []
    worst = 0.0
    for first, last in zip(curve.breaks[:-1], curve.breaks[1:], strict=True):
        pending = [(first, last, MOST_HALVINGS)]
        while pending:
            a, b, left = pending.pop()
            found, deviation = _fit(curve, a, b)
            if found and deviation <= tolerance:
                stretches += found
                worst = max(worst, deviation)
                continue
            middle = 0.5 * (a + b)
            if not left:
                raise DrawingError(f"a {curve.kind} cannot be followed by arcs at "
                                   f"{show_place(curve.point([middle])[0])}: "
                                   "it has a cusp there, or the tolerance is below rounding")
            pending += [(middle, b, left - 1), (a, middle, left - 1)]
    return stretches, worst


def _fit(curve: Curve, a: float, b: float) -> tuple[list[Stretch], float]:
    """One biarc from parameter a to b, and the largest distance of the curve from it; nothing where there is none."""
    ends = curve.point(np.array([a, b]))
    start = np.array(curve.start) if a == curve.breaks[0] else ends[0]
    end = np.array(curve.end) if b == curve.breaks[-1] else ends[1]
    slopes = curve.direction(np.array([a, b]))
    lengths = np.hypot(slopes[:, 0], slopes[:, 1])
    if not lengths.all():
        return [], math.inf
    stretches = _join(start, end, *(slopes / lengths[:, None]))
    if not stretches:
        return [], math.inf
    points = curve.point(a + (b - a) * np.arange(1, DEVIATION_POINTS) / DEVIATION_POINTS)
    distance = np.min([measure_distances(points, stretch) for stretch in stretches], axis=0)
    return stretches, float(distance.max())


def _join(start, end, ahead, behind) -> list[Stretch]:
    """The biarc between two points with unit tangents; nothing where it would run round the back."""
    v, t = end - start, ahead + behind
    along, square = float(v @ t), float(v @ v)
    root = math.sqrt(max(along * along + 2.0 * (1.0 - float(ahead @ behind)) * square, 0.0))
    if square == 0.0 or along + root <= 0.0 or float(v @ ahead) <= 0.0 or float(v @ behind) <= 0.0:
        return []
    joint = 0.5 * (start + end + square / (along + root) * (ahead - behind))
    first, last = joint - start, end - joint
    bulges = math.tan(0.5 * _angle(ahead, first)), math.tan(0.5 * _angle(last, behind))
    corners = [(float(x), float(y)) for x, y in (start, joint, end)]
    return [Stretch(corners[0], corners[1], bulges[0]), Stretch(corners[1], corners[2], bulges[1])]


def _angle(one, other) -> float:
    """From one direction to the other, counter-clockwise, in [-pi, pi]."""
    return math.atan2(one[0] * other[1] - one[1] * other[0], one[0] * other[0] + one[1] * other[1])


def measure_distances(points: np.ndarray, stretch: Stretch) -> np.ndarray:
    """Distance (n,) of points (n, 2) from an edge or an arc of less than half a turn."""
    start, end = np.array(stretch.start), np.array(stretch.end)
    chord = end - start
    length = float(np.hypot(*chord))
    ends = np.minimum(np.hypot(*(points - start).T), np.hypot(*(points - end).T))
    if length == 0.0:
        return ends
    along, left = chord / length, np.array([-chord[1], chord[0]]) / length
    x, y = (points - start) @ along, (points - start) @ left
    b = stretch.bulge
    if b == 0.0:
        return np.where((x >= 0.0) & (x <= length), np.abs(y), ends)
    # in the frame of the chord: | |p - c|^2 - r^2 | / (|p - c| + r), which stays exact for flat arcs
    radius = length * (1.0 + b * b) / (4.0 * abs(b))
    height = length * (1.0 - b) * (1.0 + b) / (4.0 * b)
    reach = np.hypot(x - 0.5 * length, y - height)
    off = np.abs((x - length) * x + (y - 2.0 * height) * y) / (reach + radius)
    # within the sweep: on the arc's side of both radii
    side = math.copysign(1.0, b)
    after = side * (-0.5 * length * (y - height) + height * (x - 0.5 * length)) >= 0.0
    before = side * ((x - 0.5 * length) * -height - (y - height) * 0.5 * length) >= 0.0
    return np.where(after & before, off, ends)
