"""How deep two outlines of edges and arcs overlap, to rounding.

Each outline is cut where it meets the other, so that each piece lies on one side of the other outline. What lies inside
is told by the joints and the middles of the pieces: where two features barely overlap, which is where it matters, one
of them is the deepest point.
"""

from __future__ import annotations

import math

import numpy as np

from geometry.shapes.features import Features, compute_sweeps, find_on_sweep, is_circle
from geometry.tolerances import TINY


def measure_depth(one: Features, other: Features, tolerance: float) -> float:
    """The largest distance (m) of a joint or a middle of a piece inside the other outline from its edges and arcs; 0
    where none is deeper than the tolerance (m). Both in one frame; holes are loops that run the other way."""
    middle = one.start.mean(axis=0)  # so that outlines far from the origin lose no digits
    one, other = (Features(group.start - middle, group.end - middle, group.centre - middle, group.radius, group.sign)
                  for group in (one, other))
    deepest = 0.0
    for own, far in ((one, other), (other, one)):
        points = np.concatenate([own.start, _list_middles(own, far, tolerance)])
        depth = _measure_distances(points, far).min(axis=1)
        points, depth = points[depth > tolerance], depth[depth > tolerance]
        if len(points):
            deepest = max(deepest, float(depth[_find_winding(far, points) > 0].max(initial=0.0)))
    return deepest


def _list_middles(own: Features, far: Features, tolerance: float) -> np.ndarray:
    """Middles (k, 2) of the pieces into which `far` cuts the edges and arcs of `own`."""
    n, m = len(own.sign), len(far.sign)
    i, j = np.repeat(np.arange(n), m), np.tile(np.arange(m), n)
    first, second = own.take(i), far.take(j)
    rows, shares = [np.arange(n), np.arange(n)], [np.zeros(n), np.ones(n)]
    for points in _meet(first, second):
        with np.errstate(invalid="ignore"):
            share = _compute_shares(first, points)
            near = _measure_pairs(points, second)
            good = np.flatnonzero((share > 0.0) & (share < 1.0) & (near <= tolerance))
        rows.append(i[good])
        shares.append(share[good])
    row, share = np.concatenate(rows), np.concatenate(shares)
    order = np.lexsort([share, row])
    row, share = row[order], share[order]
    inner = row[1:] == row[:-1]
    return _place_shares(own.take(row[1:][inner]), 0.5 * (share[1:] + share[:-1])[inner])


def _meet(one: Features, other: Features) -> list[np.ndarray]:
    """Where the lines and circles of row i of both meet: two arrays (n, 2), NaN where they do not."""
    flat, flat_other = one.sign == 0, other.sign == 0
    along, along_other = one.end - one.start, other.end - other.start
    cross = along[:, 0] * along_other[:, 1] - along[:, 1] * along_other[:, 0]
    skew = flat & flat_other & (cross != 0.0)
    away = other.start - one.start
    share = (away[:, 0] * along_other[:, 1] - away[:, 1] * along_other[:, 0]) / np.where(skew, cross, 1.0)
    crossing = np.where(skew[:, None], one.start + share[:, None] * along, np.nan)
    # a circle and a line, or a circle and the line on which both circles have the same power
    between = other.centre - one.centre
    distance = np.hypot(between[:, 0], between[:, 1])
    circles = ~flat & ~flat_other & (distance > 0.0)
    axis = between / np.where(circles, distance, 1.0)[:, None]
    offset = 0.5 * (distance + (one.radius - other.radius) * (one.radius + other.radius)
                    / np.where(circles, distance, 1.0))
    centre = np.where(flat[:, None], other.centre, one.centre)
    radius = np.where(flat, other.radius, one.radius)
    begin, line = np.where(flat[:, None], one.start, other.start), np.where(flat[:, None], along, along_other)
    line = line / np.maximum(np.hypot(line[:, 0], line[:, 1]), TINY)[:, None]
    normal = np.where(circles[:, None], axis, np.stack([-line[:, 1], line[:, 0]], axis=1))
    offset = np.where(circles, offset, ((begin - centre) * normal).sum(axis=1))
    cut = (circles | (flat != flat_other)) & (np.abs(offset) <= radius)
    half = np.sqrt(np.where(cut, (radius - offset) * (radius + offset), 0.0))
    side = np.stack([-normal[:, 1], normal[:, 0]], axis=1)
    foot = np.where(cut[:, None], centre + offset[:, None] * normal, crossing)
    return [foot + half[:, None] * side, foot - half[:, None] * side]


def _compute_shares(features: Features, points: np.ndarray) -> np.ndarray:
    """How far along feature i point i (n, 2) is, from 0 at its start to 1 at its end."""
    along = features.end - features.start
    square = (along * along).sum(axis=1)
    straight = ((points - features.start) * along).sum(axis=1) / np.where(square > 0.0, square, 1.0)
    a, p = features.start - features.centre, points - features.centre
    turn = features.sign * np.arctan2(a[:, 0] * p[:, 1] - a[:, 1] * p[:, 0], (a * p).sum(axis=1))
    turn = np.where(turn < 0.0, turn + 2.0 * math.pi, turn)
    return np.where(features.sign == 0, straight, turn / np.where(features.sign == 0, 1.0, compute_sweeps(features)))


def _place_shares(features: Features, share: np.ndarray) -> np.ndarray:
    """The points (n, 2) this far along features."""
    straight = features.start + share[:, None] * (features.end - features.start)
    turn = features.sign * share * compute_sweeps(features)
    c, s = np.cos(turn), np.sin(turn)
    x, y = (features.start - features.centre).T
    return np.where((features.sign == 0)[:, None], straight,
                    features.centre + np.stack([c * x - s * y, s * x + c * y], axis=1))


def _measure_pairs(points: np.ndarray, features: Features) -> np.ndarray:
    """Distance (n,) of point i (n, 2) from feature i, m; NaN of a point that is none."""
    along = features.end - features.start
    square = (along * along).sum(axis=1)
    share = ((points - features.start) * along).sum(axis=1) / np.where(square > 0.0, square, 1.0)
    foot = features.start + np.clip(share, 0.0, 1.0)[:, None] * along
    straight = np.hypot(*(points - foot).T)
    ends = np.minimum(np.hypot(*(points - features.start).T), np.hypot(*(points - features.end).T))
    round_ = np.abs(np.hypot(*(points - features.centre).T) - features.radius)
    return np.where(features.sign == 0, straight, np.where(find_on_sweep(features, points), round_, ends))


def _measure_distances(points: np.ndarray, features: Features) -> np.ndarray:
    """Distances (k, n) of points (k, 2) from all features, m."""
    k, n = len(points), len(features.sign)
    rows = np.tile(np.arange(n), k)
    return _measure_pairs(np.repeat(points, n, axis=0), features.take(rows)).reshape(k, n)


def _find_winding(features: Features, points: np.ndarray) -> np.ndarray:
    """How often the loops of an outline run round points (k, 2) that do not lie on it: as
    `geometry.shapes.features.compute_winding`, of many points."""
    a, b = (end[None] - points[:, None] for end in (features.start, features.end))
    angle = np.arctan2(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0], (a * b).sum(axis=-1))
    chord = features.end - features.start
    beside = features.sign * (chord[:, 1] * a[..., 0] - chord[:, 0] * a[..., 1]) <= 0.0
    away = points[:, None] - features.centre
    inside = np.hypot(away[..., 0], away[..., 1]) < features.radius
    round_arc = inside & (beside | is_circle(features)) & (features.sign != 0)
    return np.rint(angle.sum(axis=1) / (2.0 * math.pi)).astype(int) + (features.sign * round_arc).sum(axis=1)
