"""Where the origin of a part can be while one of its features touches one of the obstacles, at one orientation.

At a fixed theta each pair of features that can touch there keeps the origin p of the part on a curve (the boundary of
the configuration space obstacle, Lozano-Perez 1983). n: unit normal of the obstacle towards the part, s = (n_y, -n_x),
R: the rotation by theta. A vertex is round of radius 0, with a fan of normals:

    part's round (c, r) on obstacle's edge through a     n.p = n.a + r - n.Rc ,           s.p + s.Rc within the edge
    part's edge through a on obstacle's round (C, r)     n.p = n.C + r - n.Ra ,           s.C - s.p within the edge
    round (c, r) on round (C, q), not both sharp         p = C - Rc + (r + q) n
    ... one of them concave, of radius q > r             p = C - Rc - (q - r) n

with n, and -n turned back by theta, in the fans of both. While p stays and the part turns, the gap grows by the torque
(P - p) x n per angle, P the touching point. A corner on a corner holds nothing, and makes no curve.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from geometry.errors import InputError
from geometry.shapes.features import Features, compute_sweeps, compute_tangents, is_circle
from geometry.shapes.outline import Outline
from geometry.shapes.union.boundary import Boundary
from geometry.tolerances import ANGLE_TOLERANCE

TURN = 2.0 * math.pi


class StraightSides(NamedTuple):
    """Straight edges of a body."""

    start: np.ndarray  # (n, 2) m
    end: np.ndarray  # (n, 2) m
    normal: np.ndarray  # (n, 2) out of the solid
    row: np.ndarray  # (n,) int64, row of the edge in the body


class RoundFeatures(NamedTuple):
    """Convex corners, and arcs, of a body."""

    centre: np.ndarray  # (n, 2) m
    radius: np.ndarray  # (n,) m, 0 of a corner
    low: np.ndarray  # (n,) rad: its normals out of the solid turn from here ...
    span: np.ndarray  # (n,) ... counter-clockwise by this, rad
    concave: np.ndarray  # (n,) bool
    row: np.ndarray  # (n,) int64, row of the arc, or of the feature that starts at the corner


class Curves(NamedTuple):
    """All curves at one orientation, lines first: n.p = height for those, |p - middle| = radius for circles."""

    normal: np.ndarray  # (k, 2) of lines
    height: np.ndarray  # (k,) m
    low: np.ndarray  # (k,) m, of s.p
    high: np.ndarray  # (k,) m
    middle: np.ndarray  # (c, 2) m, of circles
    radius: np.ndarray  # (c,) m
    way: np.ndarray  # (c,) +1: n points from the middle to p; -1: back
    fans: np.ndarray  # (c, 4) rad: low and span of n by the obstacle, and by the part
    arm: np.ndarray  # (k + c, 2) m, P - p up to a multiple of n; from the world's origin where `pinned`
    pinned: np.ndarray  # (k + c,) bool: the touching point is one of the obstacle
    offset: np.ndarray  # (k + c,) m: that multiple of n
    key: np.ndarray  # (k + c,) int64: the same for the same pair at all orientations
    corners: tuple[np.ndarray, np.ndarray]  # (u, 2), (v, 2) m: sharp corners of the part from p, of the obstacles


def read_sides(outline: Outline | Boundary) -> StraightSides:
    """The edges of a part, or of all obstacles."""
    rows = np.flatnonzero(outline.sign == 0)
    along = outline.end[rows] - outline.start[rows]
    along = along / np.hypot(along[:, 0], along[:, 1])[:, None]
    return StraightSides(outline.start[rows], outline.end[rows], np.stack([along[:, 1], -along[:, 0]], axis=1), rows)


def read_rounds(features: Features, corner: np.ndarray, previous: np.ndarray) -> RoundFeatures:
    """Corners (those of `corner` (n,) bool) and arcs of rows; previous (n,): the row that ends where a row starts."""
    leaving, arriving = compute_tangents(features)
    corners, arcs = np.flatnonzero(corner & ~is_circle(features)), np.flatnonzero(features.sign != 0)
    before, after = _turn_out(arriving[previous[corners]]), _turn_out(leaving[corners])
    first, last = _turn_out(leaving[arcs]), _turn_out(arriving[arcs])
    sweeps, concave = compute_sweeps(features)[arcs], features.sign[arcs] < 0
    return RoundFeatures(np.concatenate([features.start[corners], features.centre[arcs]]),
                  np.concatenate([np.zeros(len(corners)), features.radius[arcs]]),
                  np.concatenate([before, np.where(concave, last, first)]),
                  np.concatenate([np.remainder(after - before, TURN), sweeps]),
                  np.concatenate([np.zeros(len(corners), dtype=bool), concave]), np.concatenate([corners, arcs]))


def _turn_out(tangents: np.ndarray) -> np.ndarray:
    """Angles (n,) of the normals out of the solid, which is on the left."""
    return np.arctan2(-tangents[:, 0], tangents[:, 1])


def is_within(angle: np.ndarray, low: np.ndarray, span: np.ndarray) -> np.ndarray:
    """Is an angle in a fan, up to ANGLE_TOLERANCE?"""
    return np.remainder(angle - low + ANGLE_TOLERANCE, TURN) <= span + 2.0 * ANGLE_TOLERANCE


class CurvePairs:
    """All pairs of features of a part and of obstacles, and their curves at any orientation."""

    def __init__(self, part: Outline, boundary: Boundary, room: float):
        """room: m, the difference of radii below which two arcs are the same. Raises InputError."""
        self._part, self._boundary = part, boundary
        self.edges, self.walls = read_sides(part), read_sides(boundary)
        self.rounds = read_rounds(part.features, part.turn > 0.0, part.previous)
        rows = Features(boundary.start, boundary.end, boundary.centre, boundary.radius, boundary.sign)
        self.posts = read_rounds(rows, boundary.convex, boundary.previous)
        self._list_circles(room)
        self._n_rounds, self._n_posts = len(self.rounds.row), len(self.posts.row)
        self._first_a = self._n_rounds * len(self.walls.row)
        self._first_c = self._first_a + self._n_posts * len(self.edges.row)

    def _list_circles(self, room: float) -> None:
        i, j = (grid.ravel() for grid in np.indices((len(self.rounds.row), len(self.posts.row))))
        own, far = self.rounds.radius[i], self.posts.radius[j]
        hollow, dent = self.rounds.concave[i], self.posts.concave[j]
        radius = np.where(dent, far - own, np.where(hollow, own - far, own + far))
        same = np.flatnonzero((hollow != dent) & (np.abs(radius) <= room))
        if len(same):
            raise InputError(f"arc {self.rounds.row[i[same[0]]]} of the part and an arc of the obstacles have one "
                             f"radius, {own[same[0]]:.6g} m, and touch all along: rest poses there are not computed")
        kept = (radius > 0.0) & ~(hollow & dent)
        self._pair = i[kept], j[kept]
        self._radius, self._way = radius[kept], np.where((hollow | dent)[kept], -1.0, 1.0)

    def name(self, key: int) -> tuple[str, int, str, int]:
        """(word, row of the part, word, row of the obstacles) of a pair."""
        if key < self._first_a:
            wall, own = divmod(key, self._n_rounds)
            return *_name_round(self.rounds, own), "edge", int(self.walls.row[wall])
        if key < self._first_c:
            edge, post = divmod(key - self._first_a, self._n_posts)
            return "edge", int(self.edges.row[edge]), *_name_round(self.posts, post)
        own, post = (int(index[key - self._first_c]) for index in self._pair)
        return *_name_round(self.rounds, own), *_name_round(self.posts, post)

    def name_all(self, keys: Iterable[int], theta: float) -> tuple[tuple[str, int, str, int], ...]:
        """The names of contacts at an orientation, sorted; two or more by which edges are flush are one."""
        named = {key: self.name(key) for key in sorted(keys)}
        flush: dict[tuple[str, int, str, int], set[int]] = {}
        for key, (own, row, far, wall) in named.items():
            for edge in _list_beside(self._part, own, row):
                for other in _list_beside(self._boundary, far, wall):
                    if self._is_flush(edge, other, theta):
                        flush.setdefault(("edge", edge, "edge", other), set()).add(key)
        wide = {name: those for name, those in flush.items() if len(those) > 1}
        taken = set().union(*wide.values())
        return tuple(sorted({*wide, *(name for key, name in named.items() if key not in taken)}))

    def _is_flush(self, edge: int, wall: int, theta: float) -> bool:
        own = self.edges.normal[np.searchsorted(self.edges.row, edge)]
        far = self.walls.normal[np.searchsorted(self.walls.row, wall)]
        angle = math.atan2(own[1], own[0]) + theta + math.pi - math.atan2(far[1], far[0])
        return abs(math.remainder(angle, TURN)) <= 2.0 * ANGLE_TOLERANCE

    def list_turns(self) -> np.ndarray:
        """Orientations, rad, at which an edge of the part is flush with one of the obstacles, or level, or an end of a
        fan passes an edge: between two of them the same pairs are possible. In [0, 2 pi), sorted, with repeats."""
        walls = np.append(np.arctan2(self.walls.normal[:, 1], self.walls.normal[:, 0]), [0.5 * math.pi, -0.5 * math.pi])
        posts = np.concatenate([walls, self.posts.low, self.posts.low + self.posts.span])
        edges = np.arctan2(self.edges.normal[:, 1], self.edges.normal[:, 0])
        fans = np.concatenate([edges, self.rounds.low, self.rounds.low + self.rounds.span])
        turns = np.concatenate([(walls[:, None] - fans).ravel(), (posts[:, None] - edges).ravel()]) + math.pi
        return np.sort(np.remainder(turns, TURN))

    def place(self, theta: float) -> Curves:
        """The curves at an orientation."""
        c, s = math.cos(theta), math.sin(theta)
        turn = np.array([[c, s], [-s, c]])  # of rows
        centre = self.rounds.centre @ turn
        normal_b, height_b, ends_b, arm_b, key_b, offset_b = self._place_on_walls(theta, centre)
        normal_a, height_a, ends_a, arm_a, key_a, offset_a = self._place_on_posts(turn)
        own, post = self._pair
        fans = np.stack([self.posts.low[post], self.posts.span[post], self.rounds.low[own] + theta + math.pi,
                         self.rounds.span[own]], axis=1)
        ends = np.concatenate([ends_b, ends_a])
        n_circles = len(own)
        offset = np.where(self.rounds.concave[own], 1.0, -1.0) * self.rounds.radius[own]
        pinned = np.concatenate([np.zeros(len(key_b), bool), np.ones(len(key_a), bool), np.zeros(n_circles, bool)])
        return Curves(np.concatenate([normal_b, normal_a]), np.concatenate([height_b, height_a]), ends.min(axis=1),
                      ends.max(axis=1), self.posts.centre[post] - centre[own], self._radius, self._way, fans,
                      np.concatenate([arm_b, arm_a, centre[own]]), pinned,
                      np.concatenate([offset_b, offset_a, offset]),
                      np.concatenate([key_b, key_a, self._first_c + np.arange(n_circles)]),
                      (centre[self.rounds.radius == 0.0], self.posts.centre[self.posts.radius == 0.0]))

    def _place_on_walls(self, theta: float, centre: np.ndarray):
        walls, rounds = self.walls, self.rounds
        back = np.arctan2(-walls.normal[:, 1], -walls.normal[:, 0]) - theta
        wall, own = np.nonzero(is_within(back[:, None], rounds.low, rounds.span) & ~rounds.concave)
        normal, arm = walls.normal[wall], centre[own]
        along = np.stack([normal[:, 1], -normal[:, 0]], axis=1)
        height = _dot(normal, walls.start[wall] - arm) + rounds.radius[own]
        ends = np.stack([_dot(along, points[wall] - arm) for points in (walls.start, walls.end)], axis=1)
        return normal, height, ends, arm, wall * self._n_rounds + own, -rounds.radius[own]

    def _place_on_posts(self, turn: np.ndarray):
        edges, posts = self.edges, self.posts
        out = -edges.normal @ turn
        angle = np.arctan2(out[:, 1], out[:, 0])
        edge, post = np.nonzero(is_within(angle[:, None], posts.low, posts.span) & ~posts.concave)
        normal, centre = out[edge], posts.centre[post]
        along = np.stack([normal[:, 1], -normal[:, 0]], axis=1)
        start, end = (points[edge] @ turn for points in (edges.start, edges.end))
        height = _dot(normal, centre - start) + posts.radius[post]
        ends = np.stack([_dot(along, centre - points) for points in (start, end)], axis=1)
        return normal, height, ends, centre, self._first_a + edge * self._n_posts + post, posts.radius[post]


def _list_beside(body: Outline | Boundary, word: str, row: int) -> list[int]:
    """The edges that begin or end in a round feature, or the edge itself."""
    if word == "edge":
        return [row]
    rows = {int(body.previous[row]), int(body.next[row]) if word == "arc" else row}
    return sorted(other for other in rows if body.sign[other] == 0)


def _name_round(rounds: RoundFeatures, index: int) -> tuple[str, int]:
    return "arc" if rounds.radius[index] else "vertex", int(rounds.row[index])


def _dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (a * b).sum(axis=-1)


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The component of a x b, of rows."""
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def compute_normals(curves: Curves, points: np.ndarray) -> np.ndarray:
    """Normals (m, k + c, 2) of all curves at points (m, 2)."""
    lines = np.broadcast_to(curves.normal, (len(points), *curves.normal.shape))
    away = (points[:, None, :] - curves.middle) * curves.way[:, None]
    far = np.hypot(away[..., 0], away[..., 1])
    return np.concatenate([lines, away / np.where(far > 0.0, far, 1.0)[..., None]], axis=1)


def find_holding(curves: Curves, points: np.ndarray, room: float) -> np.ndarray:
    """(m, k + c) bool: `find_touching` without corners on corners: there the part may pass on either side, so that none
    of the normals holds it, unless all are the same."""
    touching = find_touching(curves, points, room)
    own, far = curves.corners
    away = points[:, None, None, :] + own[:, None] - far
    meets = (np.abs(away) <= room).all(axis=3).any(axis=1)
    for row in np.flatnonzero(meets.any(axis=1)):
        normals = compute_normals(curves, points[row : row + 1])[0]
        at = curves.arm + curves.offset[:, None] * normals + np.where(curves.pinned[:, None], 0.0, points[row])
        for corner in far[meets[row]]:
            here = np.flatnonzero(touching[row] & (np.abs(at - corner).max(axis=1) <= 2.0 * room))
            if len(here) and (np.abs(cross(normals[here], normals[here[0]])) > ANGLE_TOLERANCE).any():
                touching[row, here] = False
    return touching


def find_touching(curves: Curves, points: np.ndarray, room: float) -> np.ndarray:
    """(m, k + c) bool: does a point lie on a curve, between its ends, up to `room` (m)?"""
    gaps = points @ curves.normal.T - curves.height
    along = points @ np.stack([curves.normal[:, 1], -curves.normal[:, 0]], axis=1).T
    lines = (np.abs(gaps) <= room) & (along >= curves.low - room) & (along <= curves.high + room)
    away = points[:, None, :] - curves.middle
    angle = np.arctan2(away[..., 1] * curves.way, away[..., 0] * curves.way)
    circles = np.abs(np.hypot(away[..., 0], away[..., 1]) - curves.radius) <= room
    for column in (0, 2):
        circles = circles & is_within(angle, curves.fans[:, column], curves.fans[:, column + 1])
    return np.concatenate([lines, circles], axis=1)

