"""The convex hull of an outline of edges and arcs, as what touches a straight floor while the part turns on it.

Of a direction u = (cos phi, sin phi), the floor's side of the part, the support is h(phi) = max p.u over all points p.
What holds it is a vertex or a convex arc, each a circle of centre c and radius r (0: a vertex): h = c.u + r there, and
the touching point is c + r u. While phi rises the part rolls clockwise, and one circle takes over from another:

    (c_j - c_i).u = r_i - r_j ,   rising:   phi = angle of (c_j - c_i) - arccos((r_i - r_j) / |c_j - c_i|)

The next one is that of the smallest such phi ahead, as a sheet that is wrapped round (Jarvis' march, with arcs).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from geometry.shapes.features import Features, compute_sweeps, is_circle
from geometry.shapes.outline import Outline
from geometry.shapes.polygon import Polygon
from geometry.tolerances import ANGLE_TOLERANCE

TURN = 2.0 * math.pi
START = -2.0  # rad, where the march begins: at a direction that few parts have an edge in


class Hull(NamedTuple):
    """What touches the floor over one turn, in the order of rising phi; piece k + 1 begins where piece k ends."""

    begin: np.ndarray  # (k,) rad
    end: np.ndarray  # (k,) rad; the last is begin[0] + 2 pi
    centre: np.ndarray  # (k, 2) m
    radius: np.ndarray  # (k,) m, 0 of a vertex


class _Circles(NamedTuple):
    """Vertices and convex arcs of the outer loop."""

    centre: np.ndarray  # (m, 2)
    radius: np.ndarray  # (m,)
    low: np.ndarray  # (m,) direction in which the arc begins, rad; 0 of a vertex
    span: np.ndarray  # (m,) angle it covers; a turn of a vertex
    first: np.ndarray  # (m,) int64: the vertex at which an arc begins, -1 of a vertex and of a disc
    last: np.ndarray  # (m,) int64: ... and ends


def take_outer_loop(outline: Polygon | Outline) -> Features:
    """The rows of the loop round the outside, which are the first of all."""
    return outline.features.take(np.flatnonzero(outline.loop == 0))


def compute_hull(outline: Polygon | Outline) -> Hull:
    """The hull of an outline, in its own frame; holes do not count."""
    circles = _list_circles(take_outer_loop(outline))
    at, phi = _find_first(circles, START), START
    begin, which = [], []
    for _ in range(4 * len(circles.radius) + 4):
        begin.append(phi)
        which.append(at)
        at, phi = _find_next(circles, at, phi)
        if phi >= START + TURN:
            break
    else:
        raise AssertionError("the hull of an outline does not close")
    ends = np.append(begin[1:], START + TURN)
    return Hull(np.array(begin), ends, circles.centre[which], circles.radius[which])


def _list_circles(features: Features) -> _Circles:
    n = len(features.sign)
    whole = is_circle(features)
    vertices = np.flatnonzero(~whole)
    place = np.full(n, -1)
    place[vertices] = np.arange(len(vertices))
    arcs = np.flatnonzero(features.sign > 0)
    arm = features.start[arcs] - features.centre[arcs]
    following = np.roll(np.arange(n), -1)
    none = np.full(len(vertices), -1)
    return _Circles(
        np.concatenate([features.start[vertices], features.centre[arcs]]),
        np.concatenate([np.zeros(len(vertices)), features.radius[arcs]]),
        np.concatenate([np.zeros(len(vertices)), np.arctan2(arm[:, 1], arm[:, 0])]),
        np.concatenate([np.full(len(vertices), TURN), compute_sweeps(features)[arcs]]),
        np.concatenate([none, place[arcs]]), np.concatenate([none, place[following[arcs]]]))


def _is_covered(circles: _Circles, phi: np.ndarray | float) -> np.ndarray:
    """(m,) bool: does circle i hold the direction phi (m,), up to ANGLE_TOLERANCE?"""
    return np.remainder(phi - circles.low + ANGLE_TOLERANCE, TURN) <= circles.span + 2.0 * ANGLE_TOLERANCE


def _find_first(circles: _Circles, phi: float) -> int:
    u = np.array([math.cos(phi), math.sin(phi)])
    height = np.where(_is_covered(circles, phi), circles.centre @ u + circles.radius, -np.inf)
    return int(np.argmax(height))


def _find_next(circles: _Circles, at: int, phi: float) -> tuple[int, float]:
    """The circle that takes over from circle `at`, and the direction from which on, at least phi.

    One that should have taken over just before phi, and is still gaining, does so now: that is rounding.
    """
    d = circles.centre - circles.centre[at]
    far = np.hypot(d[:, 0], d[:, 1])
    apart = far > 0.0
    ratio = (circles.radius[at] - circles.radius) / np.where(apart, far, 1.0)
    valid = apart & (np.abs(ratio) <= 1.0)
    gaining = np.arccos(np.clip(ratio, -1.0, 1.0))  # for this angle after the takeover the distance grows
    takeover = np.arctan2(d[:, 1], d[:, 0]) - gaining
    # at the joints of an arc the root is double: the angle is known, and there is no way back
    valid[(circles.last == at) & (circles.last >= 0)] = False
    starts = np.flatnonzero((circles.first == at) & (circles.first >= 0))
    takeover[starts], gaining[starts], valid[starts] = circles.low[starts], 0.5 * circles.span[starts], True
    if circles.first[at] >= 0:
        valid[circles.first[at]] = False
        last = circles.last[at]
        takeover[last], gaining[last], valid[last] = circles.low[at] + circles.span[at], 0.5 * math.pi, True
    ahead = np.remainder(takeover - phi, TURN)
    ahead = np.where(TURN - ahead < gaining, 0.0, ahead)
    ahead = np.where(valid & _is_covered(circles, phi + ahead), ahead, np.inf)
    best = int(np.argmin(ahead))
    return best, phi + float(ahead[best])
