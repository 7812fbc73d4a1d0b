"""The lowest places of a part among fixed obstacles while its orientation is held: gravity points down, along -y.

At a fixed theta the part can go down no further where gravity is held by the normals of what touches: two curves of
`geometry.rest.contact_curves` that cross with the upward direction between their normals, the bottom of a round one, or
a level line, on which the part is free to slide: a flat. Of all such places those count in which nothing overlaps.

How V, the height of that place, changes while the part turns by omega = +1 or -1 is a small linear program, min v_y
over all n_k.v + omega tau_k >= 0 of the contacts k with the torques tau_k, and by its dual

    max -omega sum(l_k tau_k)   over all   l_k >= 0 ,  sum(l_k n_k) = (0, 1)

whose vertices have one or two contacts; it has no bound where the part cannot turn that way at all.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from geometry.rest.contact_curves import (
    CurvePairs,
    Curves,
    compute_normals,
    cross,
    find_holding,
    find_touching,
    is_within,
)
from geometry.shapes.outline import Outline
from geometry.shapes.pose import Pose
from geometry.shapes.union.boundary import compute_boundary

# Contacts touch, places are one and overlaps are none up to this, relative to the larger of part and obstacles. Reason:
# crossings of curves at a slender angle carry 1e-16 over that angle, coordinates given as text 1e-12. Larger: an edge
# that is turned a little still counts as flush. Smaller: a part in a nest that fits it is said to overlap it.
TOUCHING = 1e-11
# ... plus this many units in the last place of the largest coordinate, for scenes far from the origin.
TOUCHING_ULPS = 32
# Two normals are parallel, and one is level, below this sine. Reason: as ANGLE_TOLERANCE. Larger: walls that are nearly
# level hold nothing. Smaller: their crossing is rounding.
PARALLEL = 1e-9
# Arcs are drawn as chords at most this far off, relative to the same size, where overlaps are looked for; of shallower
# ones the curves tell. Larger: a part on the far side of a wall as thin as that counts as inside. Smaller: more chords.
CHORD = 1e-6


class LowestPlace(NamedTuple):
    """A lowest place at one orientation."""

    theta: float  # rad
    x: float  # m; of a flat the middle of its range
    y: float  # m
    low: float  # m, the range of x; low = high where the part cannot slide. Of a flat on which the part stands flush
    high: float  # ... only that on which it does not tip over
    closed: tuple[bool, bool]  # does something stop it at the left and the right end of the range
    touching: frozenset[int]  # keys of all contacts that hold it, somewhere in the range
    reached: frozenset[int]  # ... and of those that stop it
    ahead: float  # m/rad: V' for theta that rises; infinite where the part cannot turn
    back: float  # ... that falls: the change of V per angle turned


class Slices:
    """A part among obstacles, at one orientation after the other."""

    def __init__(self, part: Outline, obstacles: Sequence[Outline]):
        """part: the centre of mass at the origin; obstacles: in the world, gravity along -y. Raises InputError."""
        self._part, self._obstacles = part, obstacles
        self.boundary = compute_boundary(obstacles)
        bounds = np.concatenate([outline.bounds for outline in obstacles])
        self.size = max(part.size, float(np.hypot(*np.ptp(bounds, axis=0))))
        self.room = TOUCHING * self.size + TOUCHING_ULPS * float(np.spacing(np.abs(bounds).max()))
        self.reach = part.reach
        self.level = TOUCHING * part.size  # m: an arm of gravity that is none
        self.pairs = CurvePairs(part, self.boundary, self.room)
        self._round = bool((part.sign != 0).any() or (self.boundary.sign != 0).any())
        self._prepare()

    def _prepare(self) -> None:
        """The obstacles, and the part a little smaller, as polygons."""
        import shapely

        chord = CHORD * self.size
        solids = []
        for outline in (self._part, *self._obstacles):
            rings = outline.sample(chord)
            solids.append(shapely.Polygon(rings[0], rings[1:]))
        shrunk = shapely.buffer(solids[0], -(self.room + (2.0 * chord if self._round else 0.0)), join_style="mitre")
        self._cores = [(shapely.get_coordinates(piece.exterior), [shapely.get_coordinates(hole) for hole
                                                                 in piece.interiors])
                       for piece in shapely.get_parts(shrunk) if not piece.is_empty]
        self._solid = shapely.union_all(solids[1:])
        shapely.prepare(self._solid)

    def find_free(self, theta: float, points: np.ndarray, curves: Curves) -> np.ndarray:
        """(m,) bool: does the part, its origin at a point (m, 2), overlap no obstacle, up to TOUCHING?"""
        import shapely

        free = np.ones(len(points), dtype=bool)
        turn = Pose(0.0, 0.0, theta)
        for ring, holes in self._cores:
            turned = turn.rotate(ring)
            placed = shapely.linearrings(turned[None] + points[:, None])
            if holes:
                inner = [shapely.linearrings(turn.rotate(hole)[None] + points[:, None]) for hole in holes]
                placed = shapely.polygons(placed, holes=np.stack(inner, axis=1))
            else:
                placed = shapely.polygons(placed)
            free &= ~shapely.intersects(self._solid, placed)
        if self._round:
            depth = _measure_depths(curves, points)
            free &= ~((depth > self.room) & (depth <= 4.0 * CHORD * self.size)).any(axis=1)
        return free

    def find_places(self, theta: float) -> list[LowestPlace]:
        """All lowest places at an orientation, from left to right."""
        curves = self.pairs.place(theta)
        points = np.concatenate([_cross_curves(curves), _find_bottoms(curves)])
        points = self._merge(points[_is_held(curves, points, find_touching(curves, points, self.room))])
        points = points[_is_held(curves, points, find_holding(curves, points, self.room))]
        points = points[self.find_free(theta, points, curves)] if len(points) else points
        level = self._find_level(curves)
        places, ranges = self._find_flats(theta, curves, level)
        touching, normals = find_holding(curves, points, self.room), compute_normals(curves, points)
        for point, touches, normal in zip(points, touching, normals, strict=True):
            x, y = point.tolist()
            if not any(abs(y - height) <= self.room and low - self.room <= x <= high + self.room
                       for low, high, height in ranges):
                keys = frozenset(curves.key[touches].tolist())
                slopes = _compute_slopes(curves, point, touches, normal)
                places.append(LowestPlace(theta, x, y, x, x, (True, True), keys, keys, *slopes))
        return sorted(places, key=lambda place: (place.x, place.y))

    def linearise(self, theta: float, point: np.ndarray, keys: frozenset[int]) -> tuple[np.ndarray, np.ndarray]:
        """Gaps (k,) m of contacts at a pose, and their derivatives (k, 3) by x, y and theta."""
        curves = self.pairs.place(theta)
        rows = np.flatnonzero(np.isin(curves.key, list(keys)))
        normals = compute_normals(curves, point[None])[0]
        away = curves.way * (np.hypot(*(point - curves.middle).T) - curves.radius)
        gaps = np.concatenate([curves.normal @ point - curves.height, away])
        torques = cross(curves.arm - np.where(curves.pinned[:, None], point, 0.0), normals)
        return gaps[rows], np.column_stack([normals, torques])[rows]

    def _merge(self, points: np.ndarray) -> np.ndarray:
        """Points without those that are an earlier one, to rounding."""
        points = points[np.lexsort(points.T)]
        same = (np.abs(points[:, None] - points) <= self.room).all(axis=2)
        return points[~np.tril(same, -1).any(axis=1)]

    def _find_level(self, curves: Curves) -> np.ndarray:
        """Rows of the level lines that bear the part."""
        level = (np.abs(curves.normal[:, 0]) <= PARALLEL) & (curves.normal[:, 1] > 0.0)
        return np.flatnonzero(level & (curves.high - curves.low > self.room))

    def _find_flats(self, theta: float, curves: Curves, level: np.ndarray
                    ) -> tuple[list[LowestPlace], list[tuple[float, float, float]]]:
        """The flats, and of each the whole range of x, also where the part tips over, and its height."""
        n, flats, ranges = len(curves.height), [], []
        if not len(level):
            return flats, ranges
        heights = curves.height[level]  # n = (0, 1): s = (1, 0)
        for height in self._merge(np.stack([heights, heights], axis=1))[:, 0]:
            on = level[np.abs(heights - height) <= self.room]
            cuts = np.concatenate([curves.low[on], curves.high[on], _cross_level(curves, float(height))])
            cuts = cuts[(cuts >= curves.low[on].min() - self.room) & (cuts <= curves.high[on].max() + self.room)]
            cuts = np.sort(cuts)
            cuts = cuts[np.append(True, np.diff(cuts) > self.room)]
            middle = np.stack([0.5 * (cuts[1:] + cuts[:-1]), np.full(len(cuts) - 1, height)], axis=1)
            if not len(middle):
                continue
            touching = find_touching(curves, middle, self.room)
            held = touching[:, on].any(axis=1)
            held[held] = self.find_free(theta, middle[held], curves)
            touching[:, :n] &= np.abs(curves.normal[:, 0]) <= PARALLEL  # what stops it counts at the ends
            for group in _group(held):
                flats.append(self._describe_flat(theta, curves, cuts, middle, touching, group))
                ranges.append((float(cuts[group[0]]), float(cuts[group[-1] + 1]), float(height)))
        return flats, ranges

    def _describe_flat(self, theta: float, curves: Curves, cuts, middle, touching, group: range) -> LowestPlace:
        """The flat of the intervals `group` between cuts, each with what touches in its middle."""
        height = float(middle[group[0], 1])
        whole = float(cuts[group[0]]), float(cuts[group[-1] + 1])
        low, high = self._find_upright(curves, cuts, middle, touching, group) or whole
        inside = [k for k in group if cuts[k + 1] > low + self.room and cuts[k] < high - self.room]
        at = inside[len(inside) // 2]
        x = 0.5 * (max(low, float(cuts[at])) + min(high, float(cuts[at + 1])))
        point, ends = np.array([[x, height]]), np.array([[low, height], [high, height]])
        slopes = _compute_slopes(curves, point[0], touching[at], compute_normals(curves, point)[0])
        at_ends, normals = find_holding(curves, ends, self.room), compute_normals(curves, ends)
        stops = [at_ends[k] & (side * normals[k, :, 0] > PARALLEL) for k, side in ((0, 1.0), (1, -1.0))]
        keys = frozenset(int(key) for k in inside for key in curves.key[touching[k]])
        reached = keys.union(*(curves.key[stop].tolist() for stop in stops))
        closed = bool(stops[0].any()), bool(stops[1].any())
        return LowestPlace(theta, 0.5 * (low + high), height, low, high, closed, keys, reached, *slopes)

    def _find_upright(self, curves: Curves, cuts, middle, touching, group: range) -> tuple[float, float] | None:
        """The widest part of a flat on which V falls neither way. Between two cuts its slopes are linear in x: the
        limits are where one is zero."""
        best: tuple[float, float] | None = None
        run: tuple[float, float] | None = None
        for k in group:
            low, high = begin, end = float(cuts[k]), float(cuts[k + 1])
            at = np.array([[begin, middle[k, 1]], [end, middle[k, 1]]])
            normals = compute_normals(curves, at)
            slopes = [_compute_slopes(curves, at[0], touching[k], normals[0])]
            if curves.pinned[touching[k]].any():  # else the part takes with it what touches
                slopes.append(_compute_slopes(curves, at[1], touching[k], normals[1]))
            for a, b in zip(slopes[0], slopes[-1], strict=True):  # ahead, then back
                if max(a, b) < -self.level:
                    low, high = end, begin
                elif a < -self.level:
                    low = max(low, begin + (end - begin) * a / (a - b))
                elif b < -self.level:
                    high = min(high, begin + (end - begin) * a / (a - b))
            if high - low > self.room:
                run = (run[0], high) if run is not None and low - run[1] <= self.room else (low, high)
                best = run if best is None or run[1] - run[0] > best[1] - best[0] else best
        return best


def _group(held: np.ndarray) -> list[range]:
    """Runs of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], held, [False]]).astype(np.int64)))
    return [range(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


def _cross_curves(curves: Curves) -> np.ndarray:
    """(m, 2): where two curves cross, ends aside."""
    n, points = curves.normal, []
    i, j = np.triu_indices(len(n), 1)
    # one leans to the left and one to the right, or one is level, or they hold nothing
    level = (np.abs(n[:, 0]) <= PARALLEL) & (n[:, 1] > 0.0)
    kept = (n[i, 0] * n[j, 0] < 0.0) | level[i] | level[j]
    i, j = i[kept], j[kept]
    det = cross(n[i], n[j])
    kept = np.abs(det) > PARALLEL
    i, j, det = i[kept], j[kept], det[kept]
    a, b = curves.height[i], curves.height[j]
    points.append(np.stack([a * n[j, 1] - b * n[i, 1], b * n[i, 0] - a * n[j, 0]], axis=1) / det[:, None])
    i, j = (grid.ravel() for grid in np.indices((len(n), len(curves.radius))))
    if len(j):
        away = curves.height[i] - (n[i] * curves.middle[j]).sum(axis=1)
        square = curves.radius[j] ** 2 - away**2
        i, j, away, root = (column[square >= 0.0] for column in (i, j, away, np.sqrt(np.maximum(square, 0.0))))
        foot, along = curves.middle[j] + away[:, None] * n[i], np.stack([n[i, 1], -n[i, 0]], axis=1)
        points += [foot + root[:, None] * along, foot - root[:, None] * along]
        i, j = np.triu_indices(len(curves.radius), 1)
        apart = curves.middle[j] - curves.middle[i]
        far = np.hypot(apart[:, 0], apart[:, 1])
        kept = far > 0.0
        i, j, apart, far = i[kept], j[kept], apart[kept], far[kept]
        share = 0.5 * (far + (curves.radius[i] ** 2 - curves.radius[j] ** 2) / far)
        square = curves.radius[i] ** 2 - share**2
        kept = square >= 0.0
        i, share, root = i[kept], share[kept], np.sqrt(square[kept])
        way = apart[kept] / far[kept, None]
        foot, along = curves.middle[i] + share[:, None] * way, np.stack([-way[:, 1], way[:, 0]], axis=1)
        points += [foot + root[:, None] * along, foot - root[:, None] * along]
    return np.concatenate(points)


def _find_bottoms(curves: Curves) -> np.ndarray:
    """(m, 2): the lowest points of the circles that hold the part from outside."""
    hollow = curves.way < 0.0
    return curves.middle[hollow] - np.stack([np.zeros(hollow.sum()), curves.radius[hollow]], axis=1)


def _cross_level(curves: Curves, height: float) -> np.ndarray:
    """x (m,) where curves cross a level line."""
    steep = np.abs(curves.normal[:, 0]) > PARALLEL
    lines = (curves.height[steep] - height * curves.normal[steep, 1]) / curves.normal[steep, 0]
    square = curves.radius**2 - (height - curves.middle[:, 1]) ** 2
    root, middle = np.sqrt(square[square >= 0.0]), curves.middle[square >= 0.0, 0]
    return np.concatenate([lines, middle - root, middle + root])


def _measure_depths(curves: Curves, points: np.ndarray) -> np.ndarray:
    """How far (m, k + c) points (m, 2) are behind the curves, between their ends, m; 0 elsewhere."""
    depth = curves.height - points @ curves.normal.T
    along = points @ np.stack([curves.normal[:, 1], -curves.normal[:, 0]], axis=1).T
    lines = np.where((along > curves.low) & (along < curves.high), depth, 0.0)
    away = points[:, None, :] - curves.middle
    angle = np.arctan2(away[..., 1] * curves.way, away[..., 0] * curves.way)
    on = is_within(angle, curves.fans[:, 0], curves.fans[:, 1]) & is_within(angle, curves.fans[:, 2], curves.fans[:, 3])
    circles = np.where(on, curves.way * (curves.radius - np.hypot(away[..., 0], away[..., 1])), 0.0)
    return np.concatenate([lines, circles], axis=1)


def _is_held(curves: Curves, points: np.ndarray, touching: np.ndarray) -> np.ndarray:
    """(m,) bool: do the curves that touch at a point have the upward direction in the cone of their normals?"""
    normals = compute_normals(curves, points)
    # all angles from the upward direction: some to the left, some to the right, together less than a half turn
    angle = np.arctan2(-normals[..., 0], normals[..., 1])
    upright = np.abs(angle) <= PARALLEL
    left = np.where(touching & (angle > PARALLEL), angle, np.inf).min(axis=1, initial=np.inf)
    right = np.where(touching & (angle < -PARALLEL), -angle, np.inf).min(axis=1, initial=np.inf)
    return (touching & upright).any(axis=1) | (left + right < math.pi - PARALLEL)


def _compute_slopes(curves: Curves, point: np.ndarray, touching: np.ndarray, normals: np.ndarray
                    ) -> tuple[float, float]:
    """V' per angle turned counter-clockwise and clockwise, by the dual."""
    rows = np.flatnonzero(touching)
    n = normals[rows]
    tau = cross(curves.arm[rows] - np.where(curves.pinned[rows, None], point, 0.0), n)
    torques = []
    upright = (np.abs(n[:, 0]) <= PARALLEL) & (n[:, 1] > 0.0)
    torques += tau[upright].tolist()
    for i in range(len(rows)):
        for j in range(i):
            det = float(cross(n[i], n[j]))
            if abs(det) > PARALLEL and not (upright[i] or upright[j]):
                a, b = -float(n[j, 0]) / det, float(n[i, 0]) / det
                if a >= 0.0 and b >= 0.0:
                    torques.append(a * float(tau[i]) + b * float(tau[j]))
    if not torques:
        return -math.inf, -math.inf
    right, left = max(-t for t in torques), max(torques)
    spread = _find_pure_torques(n, tau)
    scale = PARALLEL * float(np.abs(tau).max(initial=0.0))
    return (math.inf if min(spread, default=0.0) < -scale else right,
            math.inf if max(spread, default=0.0) > scale else left)


def _find_pure_torques(n: np.ndarray, tau: np.ndarray) -> list[float]:
    """Torques of forces along normals that cancel: of two that are opposite, and of three around."""
    found = []
    m = len(n)
    for i in range(m):
        for j in range(i):
            det = float(cross(n[i], n[j]))
            if abs(det) <= PARALLEL:
                if float(n[i] @ n[j]) < 0.0:
                    found.append(float(tau[i] + tau[j]))
                continue
            for k in range(m):
                a, b = -float(cross(n[k], n[j])) / det, -float(cross(n[i], n[k])) / det
                if k not in (i, j) and a > PARALLEL and b > PARALLEL:
                    found.append(float(a * tau[i] + b * tau[j] + tau[k]))
    return found


