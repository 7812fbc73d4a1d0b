"""Edges, arcs, ellipses, Bezier curves and splines, under an affine map."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from geometry.drawings.affine import Affine
from geometry.drawings.drawing import Curve, DrawingError, Stretch
from geometry.tolerances import CIRCULAR, LARGEST_BULGE, SAME_END

Parts = list[Stretch | Curve]


def _pair(point) -> tuple[float, float]:
    return float(point[0]), float(point[1])


def make_line(start, end, affine: Affine) -> Parts:
    """An edge; nothing where it has no length."""
    a, b = affine.apply([start, end])
    return [] if (a == b).all() else [Stretch(_pair(a), _pair(b))]


def make_bulges(points: Sequence, bulges: Sequence[float], affine: Affine) -> Parts:
    """Edges and arcs from point to point; the last bulge is that back to the first point, left out where there is one
    bulge less than points."""
    parts: Parts = []
    for k, bulge in enumerate(bulges):
        start, end = points[k], points[(k + 1) % len(points)]
        if not abs(bulge) <= LARGEST_BULGE:
            raise DrawingError(f"the bulge of vertex {k} is {bulge:.6g}; valid are bulges up to {LARGEST_BULGE:g} in "
                               f"size")
        if bulge == 0.0 or start == end:
            parts += make_line(start, end, affine)
            continue
        x, y = end[0] - start[0], end[1] - start[1]
        shift = (1.0 - bulge) * (1.0 + bulge) / (4.0 * bulge)
        centre = (0.5 * (start[0] + end[0]) - y * shift, 0.5 * (start[1] + end[1]) + x * shift)
        arm = (start[0] - centre[0], start[1] - centre[1])
        parts += make_conic(centre, arm, (-arm[1], arm[0]), 0.0, 4.0 * math.atan(bulge), affine, (start, end))
    return parts


def make_conic(centre, a, b, first: float, last: float, affine: Affine, ends=None) -> Parts:
    """The arc centre + a cos t + b sin t, from t = first to last [rad], of an ellipse or a circle.

    ends: its ends, if they are known better than that. Where the map leaves a circle, arcs of less than half a turn
    each; else a curve. A whole turn ends where it starts.
    """
    sweep = min(max(last - first, -2.0 * math.pi), 2.0 * math.pi)
    whole = abs(sweep) >= 2.0 * math.pi * (1.0 - CIRCULAR)
    centre, (a, b) = affine.apply(centre), affine.turn([a, b])

    def point(t):
        t = np.asarray(t, dtype=np.float64)[:, None]
        return centre + a * np.cos(t) + b * np.sin(t)

    def direction(t):
        t = np.asarray(t, dtype=np.float64)[:, None]
        return math.copysign(1.0, sweep) * (b * np.cos(t) - a * np.sin(t))

    start, end = point([first, first + sweep]) if ends is None else affine.apply(ends)
    if whole:
        end = start
    if sweep == 0.0:
        return []
    square_a, square_b, mixed = float(a @ a), float(b @ b), float(a @ b)
    size = max(square_a, square_b)
    if not math.isfinite(size):
        raise DrawingError("its coordinates are not finite, or too large")
    if abs(square_a - square_b) <= CIRCULAR * size and abs(mixed) <= CIRCULAR * size:
        return _divide_arc(point, start, end, first, sweep, math.copysign(1.0, a[0] * b[1] - a[1] * b[0]))
    if abs(a[0] * b[1] - a[1] * b[0]) <= CIRCULAR * size:
        raise DrawingError("an ellipse is flat: one of its axes is zero")
    # the axes of the ellipse, where its curvature is symmetric
    axis = 0.5 * math.atan2(2.0 * mixed, square_a - square_b)
    low, high = sorted((first, first + sweep))
    k = np.arange(math.floor((low - axis) / (0.5 * math.pi)), math.ceil((high - axis) / (0.5 * math.pi)) + 1)
    inner = axis + 0.5 * math.pi * k
    room = SAME_END * (high - low)
    inner = inner[(inner > low + room) & (inner < high - room)]
    breaks = (low, *map(float, inner), high) if sweep > 0.0 else (high, *map(float, inner[::-1]), low)
    return [Curve("ellipse", point, direction, breaks, _pair(start), _pair(end))]


def _divide_arc(point, start, end, first: float, sweep: float, side: float) -> Parts:
    """Arcs of at most half a turn each: their bulges are at most 1."""
    n = max(math.ceil(abs(sweep) / math.pi * (1.0 - CIRCULAR)), 1)
    inner = point([first + sweep * k / n for k in range(1, n)]) if n > 1 else np.empty((0, 2))
    points = [_pair(start), *map(_pair, inner), _pair(end)]
    bulge = side * math.tan(0.25 * sweep / n) if abs(sweep / n) < math.pi else math.copysign(1.0, side * sweep)
    return [Stretch(p, q, bulge) for p, q in pairwise(points)]


def make_bezier(points: Sequence, affine: Affine, weights: Sequence[float] | None = None,
                kind: str = "Bezier curve") -> Parts:
    """The Bezier curve of any degree with these control points (and weights, all positive)."""
    control = affine.apply(points)
    apart = np.flatnonzero((control != control[0]).any(axis=1))
    if not apart.size:
        return []
    ahead = control[apart[0]] - control[0]
    behind = control[-1] - control[np.flatnonzero((control != control[-1]).any(axis=1))[-1]]
    weight = np.ones(len(control)) if weights is None else np.array(weights, dtype=np.float64)
    if len(control) == 2:
        return [Stretch(_pair(control[0]), _pair(control[1]))]
    lifted = np.column_stack([control * weight[:, None], weight])

    def evaluate(values, t):
        """De Casteljau: the points (n, 3), and the last differences, along the derivative."""
        t = np.asarray(t, dtype=np.float64)[:, None]
        level = [np.broadcast_to(value, (len(t), 3)) for value in values]
        while len(level) > 2:
            level = [(1.0 - t) * p + t * q for p, q in pairwise(level)]
        return (1.0 - t) * level[0] + t * level[1], level[1] - level[0]

    def point(t):
        value, _ = evaluate(lifted, t)
        return value[:, :2] / value[:, 2:]

    def direction(t):
        value, slope = evaluate(lifted, t)
        found = slope[:, :2] * value[:, 2:] - value[:, :2] * slope[:, 2:]
        t = np.asarray(t)
        found[t == 0.0], found[t == 1.0] = ahead, behind  # also where control points lie on each other
        return found

    return [Curve(kind, point, direction, (0.0, 1.0), _pair(control[0]), _pair(control[-1]))]


def make_spline(degree: int, knots: Sequence[float], points: Sequence, weights: Sequence[float] | None,
                affine: Affine) -> Parts:
    """The B-spline, rational or not, as its Bezier curves: every knot is inserted until it stands `degree` times."""
    knots = [float(knot) for knot in knots]
    if len(knots) != len(points) + degree + 1 or degree < 1 or any(np.diff(knots) < 0.0):
        raise DrawingError(f"a spline of degree {degree} with {len(points)} control points has {len(knots)} knots; "
                           "valid "
                           f"are {len(points) + degree + 1}, in order")
    weight = np.ones(len(points)) if not weights else np.array(weights, dtype=np.float64)
    if len(weight) != len(points) or not (weight > 0.0).all():
        raise DrawingError("the weights of a spline must be positive, one for each control point")
    lifted = [np.array([*(np.array(p, dtype=np.float64)[:2] * w), w]) for p, w in zip(points, weight, strict=True)]
    low, high = knots[degree], knots[-degree - 1]
    room = SAME_END * (high - low)
    if not high > low:
        raise DrawingError("a spline has no length: its knots are all one")
    for knot in sorted({knot for knot in knots if low <= knot <= high}):
        while sum(knot == other for other in knots) < degree:
            knots, lifted = _insert_knot(knots, lifted, degree, knot)
    parts: Parts = []
    inner = sorted({knot for knot in knots if low <= knot <= high})
    for left, right in pairwise(inner):
        if right - left <= room:
            continue
        last = max(k for k, knot in enumerate(knots) if knot == left)
        span = np.array(lifted[last - degree : last + 1])
        parts += make_bezier(span[:, :2] / span[:, 2:], affine, span[:, 2], "spline span")
    return parts


def _insert_knot(knots: list[float], points: list, degree: int, knot: float) -> tuple[list[float], list]:
    """Boehm: one more knot, one more control point, the same spline."""
    span = max(k for k in range(len(knots) - 1) if knots[k] <= knot) if knot < knots[-1] else len(knots) - 1
    while span + 1 < len(knots) and knots[span + 1] == knot:
        span += 1
    multiplicity = sum(knot == other for other in knots)
    new = list(points[: span - degree + 1])
    for i in range(span - degree + 1, span - multiplicity + 1):
        share = (knot - knots[i]) / (knots[i + degree] - knots[i])
        new.append((1.0 - share) * points[i - 1] + share * points[i])
    new += points[span - multiplicity :]
    return [*knots[: span + 1], knot, *knots[span + 1 :]], new
