"""The outline of the union of all fixed obstacles, as directed edges and arcs with the solid on their left.

Obstacles may touch and overlap. What a part can touch is the boundary of their union: a level seam between two blocks
is no corner (it is told, since two surfaces meet there), a block that stands on another makes two inner corners, a
covered edge is not there. The plan is the usual one of an overlay, with one tolerance in place of exact coordinates:

1. nodes    vertices within the tolerance of each other are one; an edge or arc that passes within the tolerance of a
            vertex of another obstacle, or crosses or touches one of its edges or arcs, is split there (`cutting`);
2. pieces   a piece stays if its middle is inside no other obstacle, and no other piece lies on it: two faces in
            opposite directions cancel, of several in one direction the first stays;
3. loops    every piece is linked to the one that follows it round the free space.

After step 1 two pieces either share both ends or are apart by about the tolerance in their middle, so step 2 never
decides on a rounding error. Those that share both ends lie on each other if their middles do. An obstacle that is clear
of all others keeps its vertices bit for bit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from geometry.errors import StictionError
from geometry.shapes.features import (
    Features,
    compute_curvatures,
    compute_lengths,
    compute_sweeps,
    compute_tangents,
    compute_turns,
    join_features,
)
from geometry.shapes.nesting import find_inside
from geometry.shapes.outline import Outline
from geometry.shapes.union.cutting import (
    Arrangement,
    Pieces,
    Sides,
    collect_sides,
    cut,
    find_middles,
    halve_circles,
    is_convex,
    make_boxes,
    take_pieces,
)
from geometry.shapes.union.heap import HEAPED, Heap, build_heap, is_deep
from geometry.tolerances import SAME_CURVE, SEAM_TOLERANCE, SEAM_ULPS, SMOOTH_TURN


class Boundary(NamedTuple):
    """Directed edges and arcs of the outline of the union; row i runs from start[i] to end[i], the solid is on its
    left. An arc that starts where it ends is a whole circle."""

    start: np.ndarray  # (n, 2) m, world
    end: np.ndarray  # (n, 2) m, world
    owner: np.ndarray  # (n,) int64, index of the obstacle
    feature: np.ndarray  # (n,) int64, index of the edge or arc in the owner's outline
    previous: np.ndarray  # (n,) int64, row that ends where this one starts
    next: np.ndarray  # (n,) int64, row that starts where this one ends
    convex: np.ndarray  # (n,) bool, the start of the row is a strictly convex corner of the solid
    level: np.ndarray  # (n,) bool, the start of the row is a level seam: it goes straight on from the one before it
    centre: np.ndarray  # (n, 2) m, of arcs
    radius: np.ndarray  # (n,) m, 0 for an edge
    sign: np.ndarray  # (n,) int64: +1 a convex arc, -1 a concave one, 0 an edge
    smooth: np.ndarray  # (n,) bool: an edge and an arc, or two arcs, have one tangent at the start of the row


class BoundaryError(StictionError, ValueError):
    """The obstacles overlap in a way that the tolerance cannot sort out; the message names them."""


def compute_boundary_tolerance(outlines: Sequence[Any]) -> float:
    """Distance below which two obstacles are in contact, m: see SEAM_TOLERANCE and SEAM_ULPS."""
    if not len(outlines):
        return 0.0
    bounds = [_find_bounds(outline) for outline in outlines]
    size = max(float(np.hypot(*(high - low))) for low, high in bounds)
    largest = max(float(np.abs(bound).max()) for bound in bounds)
    return SEAM_TOLERANCE * size + SEAM_ULPS * float(np.spacing(largest))


def _find_bounds(outline: Any) -> tuple[np.ndarray, np.ndarray]:
    low, high = outline.bounds if isinstance(outline, Outline) else (np.min(outline, axis=0), np.max(outline, axis=0))
    return low, high


def compute_boundary(outlines: Sequence[Any], tolerance: float | None = None) -> Boundary:
    """Boundary of the union of obstacles.

    outlines: list of (n, 2) world vertex arrays of simple polygons, counter-clockwise, m, or `Outline`s where they are
    in the world, or both; tolerance: m (default `compute_boundary_tolerance`). O(n log n) in the number of edges and
    arcs plus crossings. Raises BoundaryError where outlines overlap within a few tolerances in such a way that no
    consistent boundary is found.
    """
    outlines = [outline if isinstance(outline, Outline) else
                np.ascontiguousarray(outline, dtype=np.float64).reshape(-1, 2) for outline in outlines]
    if tolerance is None:
        tolerance = compute_boundary_tolerance(outlines)
    sides = collect_sides(outlines)
    bounds = [_find_bounds(outline) for outline in outlines]
    near, meetings = _find_neighbours(bounds, tolerance)
    if not near.any():
        return _pass_through(sides)
    sides = halve_circles(sides)
    polygons = [outline for outline in outlines if not isinstance(outline, Outline)]
    heap = build_heap(polygons) if polygons and meetings > HEAPED * near.sum() else None
    deep = is_deep(heap, np.stack([sides.start, sides.end], axis=1)) & (sides.sign == 0)
    # Widening the tolerance resolves outlines that differ by just about the tolerance.
    for widened in (tolerance, 4.0 * tolerance, 16.0 * tolerance):
        found = cut(sides, near[sides.owner] & ~deep, widened)
        if found is None:
            continue
        kept = _select(bounds, sides, found, heap, widened)
        pieces = Pieces(*(column[kept] for column in found.pieces))
        following = _link(found.nodes, pieces, take_pieces(sides, found.nodes, pieces))
        if following is not None:
            return _assemble(sides, found, pieces, following, widened)
    names = ", ".join(str(i) for i in np.flatnonzero(near))
    raise BoundaryError(f"obstacles (of index {names}) overlap by about the tolerance {tolerance:.3g} m in a way that "
                        "leaves no consistent outline; move them apart or let them overlap by more")


def _pass_through(sides: Sides) -> Boundary:
    previous = np.empty_like(sides.successor)
    previous[sides.successor] = np.arange(len(previous))
    level = np.zeros(len(previous), dtype=bool)  # every obstacle is by itself
    return Boundary(sides.start, sides.end.copy(), sides.owner, sides.feature, previous, sides.successor, sides.convex,
                    level, *_describe_arcs(sides.features), sides.smooth)


def _describe_arcs(features: Features) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Centre, radius and sign, all zero for an edge."""
    return np.where((features.sign == 0)[:, None], 0.0, features.centre), features.radius, features.sign


def _find_neighbours(bounds, tolerance: float) -> tuple[np.ndarray, int]:
    """Which outlines have a bounding box that meets another's, and how many times that happens."""
    near = np.zeros(len(bounds), dtype=bool)
    if len(bounds) < 2:
        return near, 0
    import shapely

    boxes = make_boxes(bounds, tolerance)
    i, j = shapely.STRtree(boxes).query(boxes)
    near[i[i != j]] = True
    return near, int((i != j).sum())


# ----------------------------------------------------------------------------------------------------------- pieces


def _select(bounds, sides: Sides, found: Arrangement, heap: Heap | None, tolerance: float) -> np.ndarray:
    """Indices of the pieces on the boundary of the union."""
    pieces = found.pieces
    owner = sides.owner[pieces.side]
    features = take_pieces(sides, found.nodes, pieces)
    middle = find_middles(features)
    q = len(found.nodes)
    curve = _tell_curves(np.minimum(pieces.tail, pieces.head) * q + np.maximum(pieces.tail, pieces.head), middle,
                         SAME_CURVE * tolerance)
    covered = is_deep(heap, middle)
    covered[_find_covered(bounds, features, owner, curve, middle, np.flatnonzero(~covered))] = True
    forward = 2 * curve + (pieces.tail < pieces.head)
    opposed = np.isin(forward, 2 * curve + (pieces.tail > pieces.head))
    _, first = np.unique(forward, return_index=True)  # pieces are sorted by side, so this is the first owner
    unique = np.zeros(len(owner), dtype=bool)
    unique[first] = True
    return np.flatnonzero(unique & ~opposed & ~covered)


def _tell_curves(ends: np.ndarray, middle: np.ndarray, tolerance: float) -> np.ndarray:
    """A number (p,) for each piece, the same for those that share both ends, and their middles to the tolerance."""
    order = np.argsort(ends, kind="stable")
    group = np.cumsum(np.diff(ends[order], prepend=ends[order][:1]) != 0)
    curve = np.full(len(ends), -1, dtype=np.int64)
    left, count = np.arange(len(ends)), 0
    while len(left):  # each time the first one left of each group, and those on it
        _, leader, number = np.unique(group[left], return_index=True, return_inverse=True)
        away = middle[order[left]] - middle[order[left[leader]]][number]
        same = np.hypot(away[:, 0], away[:, 1]) <= tolerance
        same[leader] = True
        curve[order[left[same]]] = count + number[same]
        count, left = count + len(leader), left[~same]
    return curve


def _find_covered(bounds, features: Features, owner: np.ndarray, curve: np.ndarray, middle: np.ndarray,
                  asked: np.ndarray) -> np.ndarray:
    """Which (k,) of the pieces asked for have their middle inside another obstacle (as cut), and do not lie on its
    outline."""
    import shapely

    group, found = shapely.STRtree(shapely.points(middle[asked])).query(make_boxes(bounds, 0.0))
    found = asked[found]
    covered: list[np.ndarray] = [np.empty(0, dtype=np.int64)]
    first = np.searchsorted(owner, np.arange(len(bounds) + 1))
    near = np.searchsorted(group, np.arange(len(bounds) + 1))
    for index in range(len(bounds)):
        inside = found[near[index] : near[index + 1]]
        inside = inside[owner[inside] != index]
        own = slice(first[index], first[index + 1])
        inside = inside[~np.isin(curve[inside], curve[own])]
        if len(inside):
            covered.append(inside[find_inside(features.take(own), middle[inside])])
    return np.concatenate(covered)


# ------------------------------------------------------------------------------------------------------------ loops


def _link(nodes: np.ndarray, pieces: Pieces, features: Features) -> np.ndarray | None:
    """The piece that follows each piece, or None where the pieces do not form loops.

    Where more than two pieces meet, a piece is followed by the first one met when turning counter-clockwise from its
    reverse: the sector swept is free space, so that each free corner gets its own two edges. Curves that have one
    tangent there turn away from each other: they are told apart on a circle round the node, half as large as all reach.
    """
    q = len(nodes)
    if not np.array_equal(np.bincount(pieces.tail, minlength=q), np.bincount(pieces.head, minlength=q)):
        return None
    by_tail, by_head = np.argsort(pieces.tail, kind="stable"), np.argsort(pieces.head, kind="stable")
    following = np.empty(len(pieces.tail), dtype=np.int64)
    following[by_head] = by_tail
    meeting, ending = pieces.tail[by_tail], pieces.head[by_head]
    crowded = np.unique(meeting[1:][meeting[1:] == meeting[:-1]])
    direction = nodes[pieces.head] - nodes[pieces.tail]
    reach = np.hypot(direction[:, 0], direction[:, 1])
    angle = np.arctan2(direction[:, 1], direction[:, 0])
    leave, arrive, bend = angle, angle + math.pi, compute_curvatures(features)
    bent = np.flatnonzero(features.sign)
    if len(bent):
        arcs = features.take(bent)
        first, last = compute_tangents(arcs)
        leave, arrive = leave.copy(), arrive.copy()
        leave[bent], arrive[bent] = np.arctan2(first[:, 1], first[:, 0]), np.arctan2(-last[:, 1], -last[:, 0])
        reach[bent] = np.where(compute_sweeps(arcs) < math.pi, reach[bent], 2.0 * arcs.radius)
    for node in crowded.tolist():
        leaving = by_tail[np.searchsorted(meeting, node) : np.searchsorted(meeting, node, side="right")]
        arriving = by_head[np.searchsorted(ending, node) : np.searchsorted(ending, node, side="right")]
        around = 0.25 * min(reach[leaving].min(), reach[arriving].min())
        out = leave[leaving] + np.arcsin(np.clip(around * bend[leaving], -1.0, 1.0))
        back = arrive[arriving] - np.arcsin(np.clip(around * bend[arriving], -1.0, 1.0))
        turn = np.mod(out[None, :] - back[:, None], 2.0 * math.pi)
        choice = turn.argmin(axis=1)
        if len(np.unique(choice)) != len(choice):
            return None
        following[arriving] = leaving[choice]
    return following


def _assemble(sides: Sides, found: Arrangement, pieces: Pieces, following, tolerance: float) -> Boundary:
    """Join pieces of one edge or arc that follow each other again, and mark the convex corners and the level seams."""
    whole = sides.whole[pieces.side]
    joined = whole == whole[following]
    # a circle that nothing cuts begins where it began
    closed = np.bincount(whole)[whole] == np.bincount(whole[joined], minlength=len(sides.whole))[whole]
    first = np.diff(sides.whole, prepend=-1)[pieces.side] != 0
    joined &= ~(closed & first & (pieces.tail == found.node[pieces.side]))[following]
    continues = np.zeros(len(following), dtype=bool)
    continues[following[joined]] = True
    final = np.arange(len(following))  # the last piece of the row that begins with this one
    for k in np.flatnonzero(~continues & joined).tolist():
        last = k
        while joined[last]:
            last = int(following[last])
        final[k], following[k] = last, following[last]
    kept = np.flatnonzero(~continues)
    position = np.full(len(following), -1, dtype=np.int64)
    position[kept] = np.arange(len(kept))
    follow = position[following[kept]]
    previous = np.empty_like(follow)
    previous[follow] = np.arange(len(follow))
    row = Pieces(pieces.tail[kept], pieces.head[final[kept]], pieces.side[kept])
    features = take_pieces(sides, found.nodes, row)
    convex, level = _judge_edges(features, previous, found.shared[row.tail], tolerance)
    smooth = np.zeros(len(kept), dtype=bool)
    joint = (sides.successor[pieces.side[final[kept]]][previous] == row.side) & (row.tail == found.node[row.side])
    own = joint & sides.outlined[row.side]
    convex[own], level[own], smooth[own] = sides.convex[row.side[own]], False, sides.smooth[row.side[own]]
    bent = np.flatnonzero(~own & ((features.sign != 0) | (features.sign[previous] != 0)))
    convex[bent], level[bent] = _judge_arcs(features, previous, bent, tolerance)
    smooth[bent] = level[bent]
    return Boundary(features.start, features.end, sides.owner[row.side], sides.feature[row.side], previous, follow,
                    convex, level, *_describe_arcs(features), smooth)


def _judge_edges(features: Features, previous, shared, tolerance: float) -> tuple[np.ndarray, np.ndarray]:
    """(convex corner, level seam) of the starts of edges after edges; shared: where obstacles meet."""
    before, start, end = features.start[previous], features.start, features.end
    a, b = start - before, end - start
    height = np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]) / np.maximum(np.hypot(*(end - before).T), tolerance)
    flat = shared & (height <= 4.0 * tolerance)
    return is_convex(before, start, end) & ~flat, flat & ((a * b).sum(axis=1) > 0.0)


def _judge_arcs(features: Features, previous, asked, tolerance: float) -> tuple[np.ndarray, np.ndarray]:
    """The same of joints with an arc where obstacles meet; how arcs bend tells what is between them at a cusp."""
    one, other = features.take(previous[asked]), features.take(asked)
    pair = np.arange(2 * len(asked))
    turn = compute_turns(join_features([one, other]), pair - len(asked))[len(asked) :]
    blunt = np.minimum(*(np.minimum(compute_lengths(side), np.where(side.sign == 0, math.inf, side.radius))
                         for side in (one, other)))
    allowed = np.maximum(SMOOTH_TURN, 4.0 * tolerance / blunt)
    bend = compute_curvatures(one) + compute_curvatures(other)
    flat = np.abs(turn) <= allowed
    convex = np.where(np.abs(turn) >= math.pi - allowed, bend < 0.0, turn > 0.0)
    return convex & ~flat, flat
