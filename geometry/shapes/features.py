"""The edges and arcs that outlines are made of, as arrays: ends, centres, tangents, sweeps, extents.

A feature runs from its start to its end with the solid on its left. An arc that turns left bulges out of the solid and
is convex (sign +1), one that turns right is concave (sign -1), an edge has sign 0. The loop round the outside runs
counter-clockwise, those round holes clockwise. An arc whose start is its end is a whole circle.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from geometry.errors import InputError
from geometry.tolerances import STRAIGHT_BACK, VERTEX_TOLERANCE, VERTEX_ULPS


class OutlineError(InputError):
    """An outline of edges and arcs cannot be one; the message names the features, their place, and what is valid."""


class Features(NamedTuple):
    """Edges and arcs, one a row; all in metres, in one frame."""

    start: np.ndarray  # (n, 2)
    end: np.ndarray  # (n, 2)
    centre: np.ndarray  # (n, 2) of the circle of an arc; of an edge its start
    radius: np.ndarray  # (n,) 0 for an edge
    sign: np.ndarray  # (n,) int64: +1 turns left (convex), -1 turns right (concave), 0 an edge

    def take(self, rows: Any) -> Features:
        """These rows, in this order."""
        return Features(*(column[rows] for column in self))


def join_features(groups: Iterable[Features]) -> Features:
    """The rows of several groups, one after the other."""
    return Features(*(np.concatenate(columns) for columns in zip(*groups, strict=True)))


def build_features(start: np.ndarray, end: np.ndarray, bulge: np.ndarray) -> Features:
    """Features from their ends (n, 2) and bulges (n,), tan(sweep / 4), positive to the left.

    With the chord of length c, the radius is c (1 + b^2) / (4 |b|), and the centre lies (1 - b^2) / (4 b) chords to the
    left of the middle of the chord.
    """
    chord = end - start
    is_arc = np.abs(bulge) > 2.0 * VERTEX_TOLERANCE  # else it is nowhere farther than that from its chord
    b = np.where(is_arc, bulge, 1.0)
    radius = np.where(is_arc, np.hypot(chord[:, 0], chord[:, 1]) * (1.0 + b * b) / (4.0 * np.abs(b)), 0.0)
    left = np.stack([-chord[:, 1], chord[:, 0]], axis=1)
    # (1 - b)(1 + b): the square would lose digits near b = 1, where the centre lies on the chord
    centre = 0.5 * (start + end) + left * ((1.0 - b) * (1.0 + b) / (4.0 * b))[:, None]
    sign = np.sign(np.where(is_arc, bulge, 0.0)).astype(np.int64)
    return Features(start, end, np.where(is_arc[:, None], centre, start), radius, sign)


def build_circle(centre: ArrayLike, radius: float, sign: int) -> Features:
    """A whole circle as one feature, which starts and ends on the right."""
    middle = np.array([centre], dtype=np.float64)
    point = middle + np.array([radius, 0.0])
    return Features(point, point.copy(), middle, np.array([float(radius)]),
                    np.array([sign], dtype=np.int64))


def reverse_features(features: Features) -> Features:
    """The same loop the other way round; its first feature ends where the first one started."""
    back = features.take(slice(None, None, -1))
    centre = np.where((back.sign == 0)[:, None], back.end, back.centre)
    return Features(back.end, back.start, centre, back.radius, -back.sign)


def compute_sweeps(features: Features) -> np.ndarray:
    """Angle (n,) that each arc turns through, in (0, 2 pi] rad, whichever way; 0 for an edge."""
    a, b = features.start - features.centre, features.end - features.centre
    cross = features.sign * (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])
    angle = np.arctan2(cross, (a * b).sum(axis=1))
    angle = np.where((angle < 0.0) | is_circle(features), angle + 2.0 * math.pi, angle)
    return np.where(features.sign == 0, 0.0, angle)


def is_circle(features: Features) -> np.ndarray:
    """(n,) bool: the arcs that end where they start."""
    return (features.sign != 0) & (features.start == features.end).all(axis=1)


def compute_lengths(features: Features) -> np.ndarray:
    """Length (n,) of each feature, m."""
    chord = np.hypot(*(features.end - features.start).T)
    return np.where(features.sign == 0, chord, features.radius * compute_sweeps(features))


def compute_bulges(features: Features) -> np.ndarray:
    """tan(sweep / 4) (n,), positive to the left; of a whole circle a number too large to be used."""
    return features.sign * np.tan(0.25 * compute_sweeps(features))


def compute_tangents(features: Features) -> tuple[np.ndarray, np.ndarray]:
    """Unit directions of travel (n, 2) at the starts and at the ends."""
    chord = features.end - features.start
    length = np.hypot(chord[:, 0], chord[:, 1])
    straight = chord / np.where(length > 0.0, length, 1.0)[:, None]

    def tangents(points):
        arm = (points - features.centre) / np.where(features.sign == 0, 1.0, features.radius)[:, None]
        arm = arm / np.maximum(np.hypot(arm[:, 0], arm[:, 1]), np.finfo(float).tiny)[:, None]
        turned = np.stack([-arm[:, 1], arm[:, 0]], axis=1) * features.sign[:, None]
        return np.where((features.sign == 0)[:, None], straight, turned)

    return tangents(features.start), tangents(features.end)


def compute_joint_tangents(features: Features, previous: np.ndarray, smooth: np.ndarray
                           ) -> tuple[np.ndarray, np.ndarray]:
    """`compute_tangents`, to the last bit the same on both sides of a smooth joint: that of the edge, if one is one,
    or the middle of both. previous (n,): the feature before; smooth (n,) bool: is the joint at its start smooth?"""
    leaving, arriving = compute_tangents(features)
    before = arriving[previous]
    middle = leaving + before
    middle = middle / np.maximum(np.hypot(middle[:, 0], middle[:, 1]), np.finfo(float).tiny)[:, None]
    common = np.where((features.sign == 0)[:, None], leaving,
                      np.where((features.sign[previous] == 0)[:, None], before, middle))
    leaving = np.where(smooth[:, None], common, leaving)
    rows = np.flatnonzero(smooth)
    arriving[previous[rows]] = leaving[rows]
    return leaving, arriving


def compute_turns(features: Features, previous: np.ndarray) -> np.ndarray:
    """Angle (n,) in [-pi, pi] by which the direction jumps at the start of each feature: positive at a convex corner.
    `previous` (n,) is the feature that ends there.

    At a cusp the direction turns back, and rounding would tell its sign. With the curvatures k (positive to the left)
    the way back lies on the solid's side of the way there, a knife edge, where the sum of both is negative; where it is
    positive, a slit is between them.
    """
    first, last = compute_tangents(features)
    before = last[previous]
    cross = before[:, 0] * first[:, 1] - before[:, 1] * first[:, 0]
    turn = np.arctan2(cross, (before * first).sum(axis=1))
    bend = compute_curvatures(features)
    bend = bend + bend[previous]
    return np.where((np.abs(turn) > math.pi - STRAIGHT_BACK) & (bend != 0.0), -np.sign(bend) * math.pi, turn)


def compute_curvatures(features: Features) -> np.ndarray:
    """Reciprocal radius (n,), 1/m, positive where the feature turns left; 0 for an edge."""
    return features.sign / np.where(features.sign == 0, 1.0, features.radius)


def find_on_sweep(features: Features, points: np.ndarray, room: float = 0.0) -> np.ndarray:
    """(n,) bool: does the ray from the centre of arc i through point i (n, 2) meet the arc, or pass within `room` (m,
    along the circle) of its ends?"""
    a, p = features.start - features.centre, points - features.centre
    cross = features.sign * (a[:, 0] * p[:, 1] - a[:, 1] * p[:, 0])
    angle = np.arctan2(cross, (a * p).sum(axis=1))
    more = room / np.where(features.sign == 0, 1.0, features.radius)
    angle = np.where(angle < -more, angle + 2.0 * math.pi, angle)
    return (features.sign != 0) & (angle <= compute_sweeps(features) + more)


def compute_boxes(features: Features) -> tuple[np.ndarray, np.ndarray]:
    """Lowest and highest coordinates (n, 2) of each feature."""
    low, high = np.minimum(features.start, features.end), np.maximum(features.start, features.end)
    bent = np.flatnonzero(features.sign)
    if len(bent):
        arcs = features.take(np.tile(bent, 4))
        way = np.repeat(np.array([(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)]), len(bent), axis=0)
        extreme = arcs.centre + arcs.radius[:, None] * way
        reached = find_on_sweep(arcs, extreme)[:, None]
        low[bent] = np.minimum(low[bent], np.where(reached, extreme, np.inf).reshape(4, -1, 2).min(axis=0))
        high[bent] = np.maximum(high[bent], np.where(reached, extreme, -np.inf).reshape(4, -1, 2).max(axis=0))
    return low, high


def compute_reach(features: Features) -> float:
    """Largest distance of a point of the features from the origin, m: of an end, or where an arc is farthest."""
    away = np.hypot(*features.centre.T)
    far = features.centre * (1.0 + features.radius / np.where(away > 0.0, away, 1.0))[:, None]
    on = find_on_sweep(features, far) & (away > 0.0)
    arcs = np.where(on | ((away == 0.0) & (features.sign != 0)), away + features.radius, 0.0)
    return float(max(np.hypot(*features.start.T).max(), np.hypot(*features.end.T).max(), arcs.max()))


def compute_rounding(features: Features) -> float:
    """Distance below which two points of an outline are one, m: see VERTEX_TOLERANCE and VERTEX_ULPS."""
    low, high = compute_boxes(features)
    low, high = low.min(axis=0), high.max(axis=0)
    largest = float(max(np.abs(low).max(), np.abs(high).max()))
    return VERTEX_TOLERANCE * float(np.hypot(*(high - low))) + VERTEX_ULPS * float(np.spacing(largest))


def sample_features(features: Features, tolerance: float) -> np.ndarray:
    """Points (m, 2) along one loop, each start among them, between which chords are at most `tolerance` (m) off."""
    points = []
    for row, sweep in enumerate(compute_sweeps(features)):
        radius = features.radius[row]
        points.append(features.start[row : row + 1])
        if features.sign[row]:
            widest = 2.0 * math.acos(max(1.0 - tolerance / radius, 0.0))
            n = max(math.ceil(sweep / widest), 2)
            angle = features.sign[row] * sweep * np.arange(1, n) / n
            arm = features.start[row] - features.centre[row]
            c, s = np.cos(angle), np.sin(angle)
            turned = np.stack([c * arm[0] - s * arm[1], s * arm[0] + c * arm[1]], axis=1)
            points.append(features.centre[row] + turned)
    return np.concatenate(points)


def compute_winding(features: Features, point: ArrayLike) -> int:
    """How often a loop, closed by its features, runs round a point that does not lie on it.

    Chords turn the view by less than half a circle each; where the point lies between an arc and its chord, the arc
    turns it by a whole circle more.
    """
    a, b = features.start - point, features.end - point
    angle = np.arctan2(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0], (a * b).sum(axis=1))
    chord = features.end - features.start
    beside = features.sign * (chord[:, 0] * -a[:, 1] + chord[:, 1] * a[:, 0]) <= 0.0  # on the side of the arc
    inside = np.hypot(*(point - features.centre).T) < features.radius
    round_arc = inside & (beside | is_circle(features)) & (features.sign != 0)
    return round((math.fsum(angle) / (2.0 * math.pi)) + int((features.sign * round_arc).sum()))
