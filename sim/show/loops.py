"""Outlines as matplotlib draws them: loops of points, with chords too short to be seen in place of arcs, cut to what a
picture shows, and joined to one path in which holes are open."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.path import Path

from geometry.shapes.features import Features, compute_sweeps
from geometry.shapes.polygon import Polygon
from sim.tolerances import DRAWN_CHORD

if TYPE_CHECKING:
    from geometry.shapes.outline import Outline

EVERYWHERE = np.full(2, -np.inf), np.full(2, np.inf)
SMALL_WINDOW = 0.25  # a window smaller than this, in reaches of the part, shows a piece of it
ROUND = 0.02  # share of the radius by which an outline may leave a circle and still not be seen to turn


def find_chord_tolerance(extent: np.ndarray) -> float:
    """How far chords may lie off arcs in a window of width and height `extent` (2,), m."""
    return DRAWN_CHORD * float(np.min(extent))


def trace_loops(outline: Polygon | Outline, tolerance: float, low: np.ndarray = EVERYWHERE[0],
                high: np.ndarray = EVERYWHERE[1]) -> list[np.ndarray]:
    """Points (k, 2) round each loop, holes after the outer one, m. Chords lie at most `tolerance` (m) off their arcs
    where either can be in the box from `low` to `high` (m); elsewhere an arc of any size has a few."""
    if isinstance(outline, Polygon):
        return [outline.vertices]
    points, row = _trace_features(outline.features, tolerance, low, high)
    loop = outline.loop[row]
    return [points[loop == k] for k in range(outline.n_loops)]


def _trace_features(features: Features, tolerance: float, low, high) -> tuple[np.ndarray, np.ndarray]:
    """Points (m, 2) in the order of the features, and the feature (m,) of each: arcs are halved until they are flat or
    out of sight.

    A piece that turns by s has its chord at 2 r sin(s / 4)^2, and lies, chord and all, within r s / 2 of its middle.
    """
    sweeps, arm = compute_sweeps(features), features.start - features.centre

    def turn(row, share):
        angle = (features.sign * sweeps)[row] * share
        c, s = np.cos(angle), np.sin(angle)
        x, y = arm[row].T
        return features.centre[row] + np.stack([c * x - s * y, s * x + c * y], axis=1)

    row, share, width = np.arange(len(sweeps)), np.zeros(len(sweeps)), 1.0
    rows, shares = [row], [share]
    row = np.flatnonzero(features.sign)
    share = np.zeros(len(row))
    while len(row):
        sweep, radius = width * sweeps[row], features.radius[row]
        middle = turn(row, share + 0.5 * width)
        away = np.hypot(*np.maximum(np.maximum(low - middle, middle - high), 0.0).T)
        bent = (2.0 * radius * np.sin(0.25 * sweep) ** 2 > tolerance) & (away <= 0.5 * radius * sweep)
        split = bent | (sweep > 0.5 * math.pi)
        row, share, width = row[split], share[split], 0.5 * width
        rows.append(row)
        shares.append(share + width)
        row, share = np.concatenate([row, row]), np.concatenate([share, share + width])
    row, share = np.concatenate(rows), np.concatenate(shares)
    order = np.lexsort((share, row))
    row, share = row[order], share[order]
    return np.where((share == 0.0)[:, None], features.start[row], turn(row, share)), row


def cut_loops(loops: Sequence[np.ndarray], low: np.ndarray, high: np.ndarray) -> list[np.ndarray]:
    """What is left of loops in a box."""
    pieces = [cut_polygon(loop, low, high) for loop in loops]
    return [piece for piece in pieces if len(piece) > 2]


def cut_polygon(vertices: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The polygon cut to a box (Sutherland and Hodgman); pieces may be joined along the sides of the box.

    Drawing libraries overflow on coordinates far outside the picture, as of a floor of 10 km seen at 10 mm.
    """
    for axis in (0, 1):
        for sign, bound in ((1.0, low[axis]), (-1.0, high[axis])):
            vertices = cut_half_plane(vertices, axis, sign, bound)
    return vertices


def cut_half_plane(vertices: np.ndarray, axis: int, sign: float, bound: float) -> np.ndarray:
    """The part of a polygon with sign * (coordinate - bound) >= 0."""
    if len(vertices) == 0:
        return vertices
    depth = sign * (vertices[:, axis] - bound)
    following = np.roll(vertices, -1, axis=0)
    depth_following = np.roll(depth, -1)
    inside = depth >= 0.0
    crosses = inside != (depth_following >= 0.0)
    fraction = np.divide(depth, depth - depth_following, out=np.zeros_like(depth), where=crosses)
    crossing = vertices + fraction[:, None] * (following - vertices)
    crossing[:, axis] = np.where(crosses, bound, crossing[:, axis])
    both = np.stack((vertices, crossing), axis=1).reshape(-1, 2)
    return both[np.stack((inside, crosses), axis=1).reshape(-1)]


def join_loops(loops: Sequence[np.ndarray], spoke: np.ndarray | None = None) -> Path:
    """One closed path of all loops. Holes run the other way, so that what is behind them is seen; a spoke (2, 2) is
    drawn as a line, and encloses nothing."""
    pieces = [piece for loop in loops for piece in (loop, loop[:1])]
    vertices = np.concatenate(pieces if spoke is None else [*pieces, spoke])
    codes = np.full(len(vertices), Path.LINETO, dtype=Path.code_type)
    ends = np.cumsum([len(loop) + 1 for loop in loops])
    codes[ends - 1] = Path.CLOSEPOLY
    codes[0] = Path.MOVETO
    codes[ends[ends < len(vertices)]] = Path.MOVETO
    return Path(vertices, codes)


def is_round(outline: Polygon | Outline) -> bool:
    """Is the outline nearly a circle, so that it is not seen to turn?"""
    outer = trace_loops(outline, 0.1 * ROUND * outline.size)[0]
    centre = 0.5 * (outer.min(axis=0) + outer.max(axis=0))
    corners = np.hypot(*(outer - centre).T)
    chords = np.hypot(*(0.5 * (outer + np.roll(outer, -1, axis=0)) - centre).T)
    return bool(min(corners.min(), chords.min()) >= (1.0 - ROUND) * corners.max())


def find_spoke(loops: Sequence[np.ndarray]) -> np.ndarray:
    """(2, 2): a line from the first point of a round outline to its centre, or as far as the solid goes."""
    outer = loops[0]
    start, way = outer[0], 0.5 * (outer.min(axis=0) + outer.max(axis=0)) - outer[0]
    end = 1.0
    for hole in loops[1:]:
        away = hole - start
        side, along = way[0] * away[:, 1] - way[1] * away[:, 0], away @ way / (way @ way)
        side_next, along_next = np.roll(side, -1), np.roll(along, -1)
        crosses = np.flatnonzero((side < 0.0) != (side_next < 0.0))
        share = side[crosses] / (side - side_next)[crosses]
        met = along[crosses] + share * (along_next - along)[crosses]
        end = min(end, float(met[met > 0.0].min(initial=1.0)))
    return np.stack([start, start + end * way])


class PartShape:
    """A part as it is drawn at any pose; a round one with a spoke."""

    def __init__(self, outline: Polygon | Outline, tolerance: float):
        """tolerance: how far chords may lie off arcs, m; see `find_chord_tolerance`."""
        self._loops, self._reach = trace_loops(outline, tolerance), outline.reach
        path = join_loops(self._loops, find_spoke(self._loops) if is_round(outline) else None)
        self._points, self._codes = path.vertices, path.codes

    def place(self, pose: np.ndarray, factor: float, window: tuple[np.ndarray, np.ndarray] | None = None) -> Path:
        """The path at a pose x, y [m], theta [rad], in the unit of the axes, which is metres times `factor`.

        window: lower left and upper right corner (m); of a part much larger only what is near is kept, for drawing
        libraries overflow.
        """
        if window is None or float(np.min(window[1] - window[0])) > SMALL_WINDOW * self._reach:
            return Path(place_points(self._points, pose) * factor, self._codes)
        low, high = window
        room = 2.0 * (high - low)
        seen = cut_loops([place_points(loop, pose) for loop in self._loops], low - room, high + room)
        if not seen:
            return Path(np.zeros((1, 2)))
        path = join_loops(seen)
        return Path(path.vertices * factor, path.codes)


def place_points(points: np.ndarray, pose: np.ndarray) -> np.ndarray:
    """(n, 2): points about the origin of a body, placed in the world."""
    c, s = math.cos(pose[2]), math.sin(pose[2])
    return points @ np.array([[c, s], [-s, c]]) + pose[:2]


def make_path(outline: Outline, factor: float) -> Path:
    """All loops as one path, arcs as the cubics that matplotlib makes of them; holes run the other way."""
    pieces = []
    for k in range(outline.n_loops):
        rows = np.flatnonzero(outline.loop == k)
        traces = [trace_feature(outline, int(row), factor) for row in rows]
        vertices = np.concatenate([traces[0].vertices[:1], *(trace.vertices[1:] for trace in traces)])
        codes = np.concatenate([traces[0].codes[:1], *(trace.codes[1:] for trace in traces)])
        pieces.append(Path(np.concatenate([vertices, vertices[:1]]), np.append(codes, Path.CLOSEPOLY)))
    return Path.make_compound_path(*pieces)


def trace_feature(outline: Outline, k: int, factor: float) -> Path:
    """One feature from its start to its end."""
    start, end = outline.start[k] * factor, outline.end[k] * factor
    if outline.sign[k] == 0:
        return Path([start, end], [Path.MOVETO, Path.LINETO])
    # from the angle 0 on, in pieces of at most an eighth of a turn, then turned and mirrored to where the arc is
    sweep = float(outline.sweep[k])
    unit = Path.arc(0.0, math.degrees(sweep), n=max(math.ceil(sweep / (0.25 * math.pi)), 1))
    x, y = unit.vertices.T
    y = y * outline.sign[k]
    arm = (outline.start[k] - outline.centre[k]) * factor
    points = np.stack([arm[0] * x - arm[1] * y, arm[1] * x + arm[0] * y], axis=1) + outline.centre[k] * factor
    points[0], points[-1] = start, end
    return Path(points, unit.codes)
