"""The outline of the union of all fixed obstacles, as directed edges with the solid on their left.

Obstacles may touch and overlap. What a part can touch is the boundary of their union: a level seam between two blocks
is no corner (it is told, since two surfaces meet there), a block that stands on another makes two inner corners, a
covered edge is not there. The plan is the usual one of an overlay, with one tolerance in place of exact coordinates:

1. nodes    vertices within the tolerance of each other are one; an edge that passes within the tolerance of a vertex of
            another obstacle, or crosses one of its edges, is split there;
2. pieces   a piece stays if its middle is inside no other obstacle, and no other piece lies on it: two faces in
            opposite directions cancel, of several in one direction the first stays;
3. loops    every piece is linked to the one that follows it round the free space.

After step 1 two pieces either share both ends or are apart by about the tolerance in their middle, so step 2 never
decides on a rounding error. An obstacle that is clear of all others keeps its vertices bit for bit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from geometry.errors import StictionError
from geometry.shapes.heap import HEAPED, Heap, build_heap, is_deep
from geometry.tolerances import FLAT_TURN, SEAM_TOLERANCE, SEAM_ULPS


class Boundary(NamedTuple):
    """Directed edges of the outline of the union; edge i runs from start[i] to end[i], the solid is on its left."""

    start: np.ndarray  # (n, 2) m, world
    end: np.ndarray  # (n, 2) m, world
    owner: np.ndarray  # (n,) int64, index of the obstacle
    feature: np.ndarray  # (n,) int64, index of the edge in the owner's outline
    previous: np.ndarray  # (n,) int64, edge that ends where this one starts
    next: np.ndarray  # (n,) int64, edge that starts where this one ends
    convex: np.ndarray  # (n,) bool, the start of the edge is a strictly convex corner of the solid
    level: np.ndarray  # (n,) bool, the start of the edge is a level seam: it goes straight on from the one before it
    centre: np.ndarray  # (n, 2) m, of arcs
    radius: np.ndarray  # (n,) m, 0 for an edge
    sign: np.ndarray  # (n,) int64: +1 a convex arc, -1 a concave one, 0 an edge
    smooth: np.ndarray  # (n,) bool: the direction does not jump at the start of the edge or arc


class BoundaryError(StictionError, ValueError):
    """The obstacles overlap in a way that the tolerance cannot sort out; the message names them."""


class _Edges(NamedTuple):
    """All edges of all outlines; the edge with index i starts at vertex i."""

    start: np.ndarray  # (m, 2)
    end: np.ndarray  # (m, 2)
    owner: np.ndarray  # (m,)
    feature: np.ndarray  # (m,)
    successor: np.ndarray  # (m,) index of the next edge of the same outline


class _Pieces(NamedTuple):
    """Edges cut at nodes."""

    tail: np.ndarray  # (p,) node
    head: np.ndarray  # (p,) node
    edge: np.ndarray  # (p,) index into _Edges


def compute_boundary_tolerance(outlines: Sequence[Any]) -> float:
    """Distance below which two obstacles are in contact, m: see SEAM_TOLERANCE and SEAM_ULPS."""
    if not len(outlines):
        return 0.0
    size = max(float(np.hypot(*np.ptp(outline, axis=0))) for outline in outlines)
    largest = max(float(np.abs(outline).max()) for outline in outlines)
    return SEAM_TOLERANCE * size + SEAM_ULPS * float(np.spacing(largest))


def compute_boundary(outlines: Sequence[Any], tolerance: float | None = None) -> Boundary:
    """Boundary of the union of simple outlines.

    outlines: list of (n, 2) world vertex arrays, counter-clockwise, m; tolerance: m (default
    `compute_boundary_tolerance`). O(n log n) in the number of edges plus crossings. Raises BoundaryError where outlines
    overlap within a few tolerances in such a way that no consistent boundary is found.
    """
    outlines = [np.ascontiguousarray(outline, dtype=np.float64).reshape(-1, 2) for outline in outlines]
    if tolerance is None:
        tolerance = compute_boundary_tolerance(outlines)
    edges = _collect_edges(outlines)
    near, meetings = _find_neighbours(outlines, tolerance)
    if not near.any():
        return _pass_through(edges)
    heap = build_heap(outlines) if meetings > HEAPED * near.sum() else None
    candidate = near[edges.owner] & ~is_deep(heap, np.stack([edges.start, edges.end], axis=1))
    # Widening the tolerance resolves outlines that differ by just about the tolerance.
    for widened in (tolerance, 4.0 * tolerance, 16.0 * tolerance):
        nodes, pieces, shared = _cut(edges, candidate, widened)
        kept = _select(outlines, edges, nodes, pieces, heap)
        following = _link(nodes, _Pieces(*(column[kept] for column in pieces)))
        if following is not None:
            pieces = _Pieces(*(column[kept] for column in pieces))
            return _assemble(edges, nodes, pieces, following, shared, widened)
    names = ", ".join(str(i) for i in np.flatnonzero(near))
    raise BoundaryError(f"obstacles (of index {names}) overlap by about the tolerance {tolerance:.3g} m in a way that "
                        "leaves no consistent outline; move them apart or let them overlap by more")


def _collect_edges(outlines) -> _Edges:
    sizes = [len(outline) for outline in outlines]
    start = np.concatenate(outlines) if outlines else np.empty((0, 2))
    owner = np.repeat(np.arange(len(outlines), dtype=np.int64), sizes)
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64) if outlines else np.empty(0, np.int64)
    feature = np.arange(len(start), dtype=np.int64) - first[owner]
    successor = np.arange(1, len(start) + 1, dtype=np.int64)
    for begin, size in zip(first, sizes, strict=True):
        successor[begin + size - 1] = begin
    return _Edges(start, start[successor], owner, feature, successor)


def _pass_through(edges: _Edges) -> Boundary:
    previous = np.empty_like(edges.successor)
    previous[edges.successor] = np.arange(len(previous))
    convex = _is_convex(edges.start[previous], edges.start, edges.end)
    level = np.zeros(len(previous), dtype=bool)  # every obstacle is by itself
    return Boundary(edges.start, edges.end.copy(), edges.owner, edges.feature, previous, edges.successor, convex, level,
                    *_describe_edges(len(convex)))


def _describe_edges(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """What a Boundary says of arcs, where there are n edges and no arc."""
    return np.zeros((n, 2)), np.zeros(n), np.zeros(n, dtype=np.int64), np.zeros(n, dtype=bool)


def _is_convex(before: np.ndarray, corner: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Strict left turn at `corner`, beyond rounding."""
    a, b = corner - before, after - corner
    cross = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    return cross > FLAT_TURN * np.hypot(a[:, 0], a[:, 1]) * np.hypot(b[:, 0], b[:, 1])


def _find_neighbours(outlines, tolerance: float) -> tuple[np.ndarray, int]:
    """Which outlines have a bounding box that meets another's, and how many times that happens."""
    near = np.zeros(len(outlines), dtype=bool)
    if len(outlines) < 2:
        return near, 0
    import shapely

    boxes = _boxes(outlines, tolerance)
    i, j = shapely.STRtree(boxes).query(boxes)
    near[i[i != j]] = True
    return near, int((i != j).sum())


def _boxes(outlines, margin: float):
    import shapely

    low, high = (np.array([reduce(o, axis=0) for o in outlines]).reshape(-1, 2) for reduce in (np.min, np.max))
    return shapely.box(low[:, 0] - margin, low[:, 1] - margin, high[:, 0] + margin, high[:, 1] + margin)


# ------------------------------------------------------------------------------------------------------------ nodes


def _cut(edges: _Edges, candidate: np.ndarray, tolerance: float) -> tuple[np.ndarray, _Pieces, np.ndarray]:
    """Nodes (q, 2), the edges cut at them, and which nodes belong to more than one obstacle. Only edges that are
    candidates (m,) meet others."""
    e, f = _find_close_edges(edges, np.flatnonzero(candidate), tolerance)
    vertex, edge = _find_incidences(edges, e, f, tolerance)
    crossing_edges, crossing_points = _find_crossings(edges, e, f, vertex, edge)
    n = len(edges.start)
    points = np.concatenate([edges.start, crossing_points])
    node = _merge_points(points, edges.owner, tolerance, np.concatenate([vertex, np.arange(n, len(points))]))
    # (edge, node) of every cut, ends included
    cut_edge = np.concatenate([np.arange(n), np.arange(n), edge, crossing_edges.ravel()])
    crossing = np.repeat(np.arange(n, len(points)), 2)
    cut_node = node[np.concatenate([np.arange(n), edges.successor, vertex, crossing])]
    rank = np.concatenate([np.full(n, 0), np.full(n, 2), np.full(len(edge) + len(crossing), 1)])
    along = edges.end[cut_edge] - edges.start[cut_edge]
    position = ((points[cut_node] - edges.start[cut_edge]) * along).sum(axis=1)
    order = np.lexsort((position, rank, cut_edge))
    cut_edge, cut_node = cut_edge[order], cut_node[order]
    same = cut_edge[:-1] == cut_edge[1:]
    tail, head, piece_edge = cut_node[:-1][same], cut_node[1:][same], cut_edge[:-1][same]
    long_enough = tail != head
    shared = np.zeros(len(points), dtype=bool)
    shared[node[vertex]] = True
    shared[n:] = True
    return points, _Pieces(tail[long_enough], head[long_enough], piece_edge[long_enough]), shared


def _find_close_edges(edges: _Edges, candidates: np.ndarray, tolerance: float) -> tuple[np.ndarray, np.ndarray]:
    """Pairs e < f of edges of different obstacles within the tolerance of each other, in order.

    Obstacle by obstacle, each against the edges of later ones near its box: those of one long outline may lie in each
    other's boxes by the thousand.
    """
    import shapely

    lines = shapely.linestrings(np.stack([edges.start[candidates], edges.end[candidates]], axis=1))
    owner = edges.owner[candidates]
    first = np.flatnonzero(np.diff(owner, prepend=-1))
    spans = list(zip(first.tolist(), [*first[1:].tolist(), len(owner)], strict=True))
    ends = [np.concatenate([edges.start[candidates[a:b]], edges.end[candidates[a:b]]]) for a, b in spans]
    group, line = shapely.STRtree(lines).query(_boxes(ends, tolerance))
    pairs = [np.empty((2, 0), dtype=np.int64)]
    bounds = np.searchsorted(group, np.arange(len(spans) + 1))
    for k, (a, b) in enumerate(spans):
        others = line[bounds[k] : bounds[k + 1]]
        others = others[others >= b]
        if len(others):
            i, j = shapely.STRtree(lines[a:b]).query(lines[others], predicate="dwithin", distance=tolerance)
            pairs.append(np.stack([a + j, others[i]]))
    e, f = candidates[np.concatenate(pairs, axis=1)]
    order = np.lexsort((f, e))
    return e[order], f[order]


def _find_incidences(edges: _Edges, e: np.ndarray, f: np.ndarray, tolerance: float):
    """Pairs (vertex, edge): a vertex within the tolerance of an edge of another obstacle."""
    vertex = np.concatenate([e, edges.successor[e], f, edges.successor[f]])
    edge = np.concatenate([f, f, e, e])
    a, p = edges.start[edge], edges.start[vertex]
    d = edges.end[edge] - a
    length2 = np.maximum((d * d).sum(axis=1), np.finfo(float).tiny)
    t = np.clip(((p - a) * d).sum(axis=1) / length2, 0.0, 1.0)
    distance = np.hypot(*(p - a - t[:, None] * d).T)
    pairs = np.unique(np.stack([vertex, edge], axis=1)[distance <= tolerance], axis=0)
    return pairs[:, 0], pairs[:, 1]


def _find_crossings(edges: _Edges, e, f, vertex, edge) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of edges (c, 2) that cross away from each other's ends, and the crossing points (c, 2).

    Two close edges with no end of one on the other can only cross.
    """
    m = len(edges.start)
    touching = np.unique(vertex * m + edge)

    def touches(v, g):
        return np.isin(v * m + g, touching)

    ends = touches(e, f) | touches(edges.successor[e], f) | touches(f, e) | touches(edges.successor[f], e)
    e, f = e[~ends], f[~ends]
    a, d = edges.start[e], edges.end[e] - edges.start[e]
    b, g = edges.start[f], edges.end[f] - edges.start[f]
    cross = d[:, 0] * g[:, 1] - d[:, 1] * g[:, 0]
    away = np.abs(cross) > 0.0  # parallel and close, yet no end on the other: rounding only; not a crossing
    e, f, a, d, b, g, cross = e[away], f[away], a[away], d[away], b[away], g[away], cross[away]
    t = ((b - a)[:, 0] * g[:, 1] - (b - a)[:, 1] * g[:, 0]) / cross
    return np.stack([e, f], axis=1), a + np.clip(t, 0.0, 1.0)[:, None] * d


def _merge_points(points: np.ndarray, owner: np.ndarray, tolerance: float, active: np.ndarray) -> np.ndarray:
    """Node of every point: points of `active` within the tolerance of each other share the first one's index.

    Two vertices of one outline are not merged for themselves, only through a third point.
    """
    import shapely

    parent = np.arange(len(points))
    active = np.unique(active)
    if not len(active):
        return parent
    located = shapely.points(points[active])
    i, j = shapely.STRtree(located).query(located, predicate="dwithin", distance=tolerance)
    i, j = active[i], active[j]
    group = np.concatenate([owner, -1 - np.arange(len(points) - len(owner))])
    different = (i < j) & (group[i] != group[j])

    def root(k: int) -> int:
        while parent[k] != k:
            parent[k] = parent[parent[k]]
            k = parent[k]
        return k

    for a, b in zip(i[different].tolist(), j[different].tolist(), strict=True):
        a, b = root(a), root(b)
        parent[max(a, b)] = min(a, b)
    for k in active.tolist():
        parent[k] = root(k)
    return parent


# ----------------------------------------------------------------------------------------------------------- pieces


def _select(outlines, edges: _Edges, nodes: np.ndarray, pieces: _Pieces, heap: Heap | None) -> np.ndarray:
    """Indices of the pieces on the boundary of the union."""
    owner = edges.owner[pieces.edge]
    middle = 0.5 * (nodes[pieces.tail] + nodes[pieces.head])
    covered = is_deep(heap, middle)
    covered[_find_covered(outlines, nodes, pieces, owner, middle, np.flatnonzero(~covered))] = True
    q = len(nodes)
    forward, backward = pieces.tail * q + pieces.head, pieces.head * q + pieces.tail
    opposed = np.isin(forward, backward)
    _, first = np.unique(forward, return_index=True)  # pieces are sorted by edge, so this is the first owner
    unique = np.zeros(len(owner), dtype=bool)
    unique[first] = True
    return np.flatnonzero(unique & ~opposed & ~covered)


def _find_covered(outlines, nodes, pieces: _Pieces, owner: np.ndarray, middle: np.ndarray, asked: np.ndarray):
    """Which (k,) of the pieces asked for have their middle inside another obstacle (as cut), and do not lie on its
    outline."""
    import shapely

    group, found = shapely.STRtree(shapely.points(middle[asked])).query(_boxes(outlines, 0.0))
    found = asked[found]
    low, high = np.minimum(pieces.tail, pieces.head), np.maximum(pieces.tail, pieces.head)
    key = low * len(nodes) + high
    covered: list[np.ndarray] = [np.empty(0, dtype=np.int64)]
    bounds = np.searchsorted(owner, np.arange(len(outlines) + 1))
    near = np.searchsorted(group, np.arange(len(outlines) + 1))
    for index in range(len(outlines)):
        inside = found[near[index] : near[index + 1]]
        inside = inside[owner[inside] != index]
        own = slice(bounds[index], bounds[index + 1])
        inside = inside[~np.isin(key[inside], key[own])]
        ring = nodes[pieces.tail[own]]
        if not len(inside) or len(ring) < 3:
            continue
        shape = shapely.Polygon(ring)
        shapely.prepare(shape)
        covered.append(inside[shapely.contains_xy(shape, middle[inside])])
    return np.concatenate(covered)


# ------------------------------------------------------------------------------------------------------------ loops


def _link(nodes: np.ndarray, pieces: _Pieces) -> np.ndarray | None:
    """The piece that follows each piece, or None where the pieces do not form loops.

    Where more than two pieces meet, a piece is followed by the first one met when turning counter-clockwise from its
    reverse: the sector swept is free space, so that each free corner gets its own two edges.
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
    angle = np.arctan2(direction[:, 1], direction[:, 0])
    for node in crowded.tolist():
        leaving = by_tail[np.searchsorted(meeting, node) : np.searchsorted(meeting, node, side="right")]
        arriving = by_head[np.searchsorted(ending, node) : np.searchsorted(ending, node, side="right")]
        turn = np.mod(angle[leaving][None, :] - (angle[arriving][:, None] + math.pi), 2.0 * math.pi)
        choice = turn.argmin(axis=1)
        if len(np.unique(choice)) != len(choice):
            return None
        following[arriving] = leaving[choice]
    return following


def _assemble(edges, nodes, pieces: _Pieces, following, shared, tolerance: float) -> Boundary:
    """Join pieces of one edge that follow each other again, and mark the convex corners and the level seams."""
    joined = pieces.edge == pieces.edge[following]
    n = len(edges.start)
    continues = np.zeros(len(following), dtype=bool)
    continues[following[joined]] = True
    head = pieces.head.copy()
    for k in np.flatnonzero(~continues & joined).tolist():
        last = k
        while joined[last]:
            last = int(following[last])
        head[k], following[k] = pieces.head[last], following[last]
    kept = np.flatnonzero(~continues)
    position = np.full(len(following), -1, dtype=np.int64)
    position[kept] = np.arange(len(kept))
    follow = position[following[kept]]
    previous = np.empty_like(follow)
    previous[follow] = np.arange(len(follow))
    tail, edge = pieces.tail[kept], pieces.edge[kept]
    start, end = nodes[tail], nodes[head[kept]]
    before = start[previous]
    convex = _is_convex(before, start, end)
    seam = shared[tail] | (tail >= n)
    a, b = start - before, end - start
    height = np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]) / np.maximum(np.hypot(*(end - before).T), tolerance)
    flat = seam & (height <= 4.0 * tolerance)
    level = flat & ((a * b).sum(axis=1) > 0.0)
    return Boundary(start, end, edges.owner[edge], edges.feature[edge], previous, follow, convex & ~flat, level,
                    *_describe_edges(len(edge)))
