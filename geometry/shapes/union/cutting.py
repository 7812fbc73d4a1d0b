"""The edges and arcs of several obstacles, cut into pieces where they meet; see `boundary`.

Two curves that touch without crossing, to the tolerance, meet in one node: the point of common tangent. Else a disc
that stands on a floor would be cut by rounding, a thousand tolerances to either side of that point. Two that run along
each other to the tolerance have nodes at their ends only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from geometry.shapes.crossings import list_crossings, measure_distances, measure_points, reaches
from geometry.shapes.features import Features, compute_boxes, compute_sweeps, compute_tangents, is_circle
from geometry.shapes.outline import Outline
from geometry.tolerances import FLAT_TURN


class Sides(NamedTuple):
    """All edges and arcs of all obstacles; the one with index i starts at vertex i."""

    start: np.ndarray  # (m, 2)
    end: np.ndarray  # (m, 2)
    owner: np.ndarray  # (m,)
    feature: np.ndarray  # (m,)
    successor: np.ndarray  # (m,) index of the next one of the same loop
    centre: np.ndarray  # (m, 2) of an arc; of an edge its start
    radius: np.ndarray  # (m,)
    sign: np.ndarray  # (m,)
    convex: np.ndarray  # (m,) bool, the joint at its start is a strictly convex corner of its obstacle
    smooth: np.ndarray  # (m,) bool, there is no corner; False between edges of a polygon
    outlined: np.ndarray  # (m,) bool, of an Outline, which says of its own joints what they are
    whole: np.ndarray  # (m,) the same number for the halves of one circle

    @property
    def features(self) -> Features:
        return Features(self.start, self.end, self.centre, self.radius, self.sign)


class Pieces(NamedTuple):
    """Edges and arcs cut at nodes."""

    tail: np.ndarray  # (p,) node
    head: np.ndarray  # (p,) node
    side: np.ndarray  # (p,) index into Sides


def collect_sides(outlines: Sequence[Any]) -> Sides:
    """Sides of polygons (n, 2) and outlines."""
    columns: list[tuple] = [_list_columns(outline) for outline in outlines]
    if not columns:
        columns = [_list_columns(np.empty((0, 2)))]
    sizes = [len(group[0]) for group in columns]
    start, end, centre, radius, sign, successor, convex, smooth, outlined = (
        np.concatenate(column) for column in zip(*columns, strict=True))
    owner = np.repeat(np.arange(len(columns), dtype=np.int64), sizes)
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
    count = np.arange(len(start), dtype=np.int64)
    return Sides(start, end, owner, count - first[owner], successor + first[owner], centre, radius, sign, convex,
                 smooth, outlined, count)


def _list_columns(outline) -> tuple:
    n = len(outline)
    if isinstance(outline, Outline):
        return (*outline.features, outline.next, outline.turn > 0.0, outline.turn == 0.0, np.ones(n, dtype=bool))
    end = np.roll(outline, -1, axis=0)
    nothing, none = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=bool)
    return (outline, end, outline, np.zeros(n), nothing, np.roll(np.arange(n, dtype=np.int64), -1),
            is_convex(np.roll(outline, 1, axis=0), outline, end), none, none)


def is_convex(before: np.ndarray, corner: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Strict left turn at `corner`, beyond rounding."""
    a, b = corner - before, after - corner
    cross = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    return cross > FLAT_TURN * np.hypot(a[:, 0], a[:, 1]) * np.hypot(b[:, 0], b[:, 1])


def halve_circles(sides: Sides) -> Sides:
    """The same, whole circles in two: so no side ends where it starts."""
    circle = is_circle(sides.features)
    if not circle.any():
        return sides
    rows = np.repeat(np.arange(len(circle)), 1 + circle)
    place = np.cumsum(1 + circle) - 1 - circle  # where each one is, or its first half
    halved = Sides(*(column[rows] for column in sides))
    first = place[circle]
    opposite = 2.0 * sides.centre[circle] - sides.start[circle]
    halved.end[first], halved.start[first + 1] = opposite, opposite
    halved.successor[:] = place[halved.successor]
    halved.successor[first] = first + 1
    halved.convex[first + 1], halved.smooth[first + 1] = False, True
    return halved


def take_pieces(sides: Sides, nodes: np.ndarray, pieces: Pieces) -> Features:
    """The pieces as edges and arcs, which end in their nodes and lie on the lines and circles of their sides."""
    start = nodes[pieces.tail]
    straight = (sides.sign[pieces.side] == 0)[:, None]
    return Features(start, nodes[pieces.head], np.where(straight, start, sides.centre[pieces.side]),
                    sides.radius[pieces.side], sides.sign[pieces.side])


def find_middles(features: Features) -> np.ndarray:
    """The point (n, 2) in the middle of each edge or arc."""
    middle = 0.5 * (features.start + features.end)
    bent = np.flatnonzero(features.sign)
    if len(bent):
        arcs = features.take(bent)
        angle = 0.5 * arcs.sign * compute_sweeps(arcs)
        tangent, _ = compute_tangents(arcs)
        arm = np.stack([tangent[:, 1], -tangent[:, 0]], axis=1) * arcs.sign[:, None]
        c, s = np.cos(angle), np.sin(angle)
        turned = np.stack([c * arm[:, 0] - s * arm[:, 1], s * arm[:, 0] + c * arm[:, 1]], axis=1)
        middle[bent] = arcs.centre + arcs.radius[:, None] * turned
    return middle


# ------------------------------------------------------------------------------------------------------------ nodes


class Arrangement(NamedTuple):
    """Sides cut at nodes."""

    nodes: np.ndarray  # (q, 2) the first ones are the starts of the sides
    pieces: Pieces  # sorted by side, along it
    shared: np.ndarray  # (q,) bool, nodes of more than one obstacle
    node: np.ndarray  # (m,) the node of the start of each side


def cut(sides: Sides, candidate: np.ndarray, tolerance: float) -> Arrangement | None:
    """Cut sides where those of different obstacles meet; only candidates (m,) meet others. None where points of an
    arc, all to the tolerance, have no order."""
    e, f = _find_close_sides(sides, np.flatnonzero(candidate), tolerance)
    vertex, side = _find_incidences(sides, e, f, tolerance)
    crossing_sides, crossing_points = _find_crossings(sides, e, f, vertex, side, tolerance)
    n = len(sides.start)
    points = np.concatenate([sides.start, crossing_points])
    node = _merge_points(points, sides.owner, tolerance, np.concatenate([vertex, np.arange(n, len(points))]))
    # (side, node) of every cut, ends included
    cut_side = np.concatenate([np.arange(n), np.arange(n), side, crossing_sides.ravel()])
    crossing = np.repeat(np.arange(n, len(points)), 2)
    cut_node = node[np.concatenate([np.arange(n), sides.successor, vertex, crossing])]
    rank = np.concatenate([np.full(n, 0), np.full(n, 2), np.full(len(side) + len(crossing), 1)])
    position = _locate(sides, cut_side, points[cut_node])
    order = np.lexsort((position, rank, cut_side))
    cut_side, cut_node, position = cut_side[order], cut_node[order], position[order]
    same = cut_side[:-1] == cut_side[1:]
    long_enough = cut_node[:-1] != cut_node[1:]
    found = np.flatnonzero(same & long_enough)
    pieces = Pieces(cut_node[:-1][found], cut_node[1:][found], cut_side[:-1][found])
    bent = np.flatnonzero(sides.sign[pieces.side])
    sweep = compute_sweeps(take_pieces(sides, points, Pieces(*(column[bent] for column in pieces))))
    if (np.abs(sweep - (position[1:] - position[:-1])[found[bent]]) > math.pi).any():
        return None
    shared = np.zeros(len(points), dtype=bool)
    shared[node[vertex]] = True
    shared[n:] = True
    return Arrangement(points, pieces, shared, node[:n])


def _locate(sides: Sides, side: np.ndarray, points: np.ndarray) -> np.ndarray:
    """What grows along a side, at a point on it: of an arc the angle from its start, rad."""
    along = sides.end[side] - sides.start[side]
    position = ((points - sides.start[side]) * along).sum(axis=1)
    bent = np.flatnonzero(sides.sign[side])
    arcs = sides.features.take(side[bent])
    a, p = arcs.start - arcs.centre, points[bent] - arcs.centre
    angle = np.arctan2(arcs.sign * (a[:, 0] * p[:, 1] - a[:, 1] * p[:, 0]), (a * p).sum(axis=1))
    # to one side or the other of the middle of what is not on the arc
    last = 0.5 * compute_sweeps(arcs) + math.pi
    position[bent] = last - np.mod(last - angle, 2.0 * math.pi)
    return position


def _find_close_sides(sides: Sides, candidates: np.ndarray, tolerance: float) -> tuple[np.ndarray, np.ndarray]:
    """Pairs e < f of sides of different obstacles within the tolerance of each other, in order.

    Obstacle by obstacle, each against the sides of later ones near its box: those of one long outline may lie in each
    other's boxes by the thousand.
    """
    import shapely

    lines = shapely.linestrings(np.stack([sides.start[candidates], sides.end[candidates]], axis=1))
    low, high = compute_boxes(sides.features.take(candidates))
    bent = np.flatnonzero(sides.sign[candidates])
    lines[bent] = shapely.box(*low[bent].T, *high[bent].T)
    owner = sides.owner[candidates]
    first = np.flatnonzero(np.diff(owner, prepend=-1))
    spans = list(zip(first.tolist(), [*first[1:].tolist(), len(owner)], strict=True))
    boxes = [(low[a:b].min(axis=0), high[a:b].max(axis=0)) for a, b in spans]
    group, line = shapely.STRtree(lines).query(make_boxes(boxes, tolerance))
    pairs = [np.empty((2, 0), dtype=np.int64)]
    bounds = np.searchsorted(group, np.arange(len(spans) + 1))
    for k, (a, b) in enumerate(spans):
        others = line[bounds[k] : bounds[k + 1]]
        others = others[others >= b]
        if len(others):
            i, j = shapely.STRtree(lines[a:b]).query(lines[others], predicate="dwithin", distance=tolerance)
            pairs.append(np.stack([a + j, others[i]]))
    e, f = candidates[np.concatenate(pairs, axis=1)]
    bent = np.flatnonzero((sides.sign[e] != 0) | (sides.sign[f] != 0))  # by their boxes, so far
    distance, _ = measure_distances(sides.features.take(e[bent]), sides.features.take(f[bent]))
    far = bent[distance > tolerance]
    e, f = np.delete(e, far), np.delete(f, far)
    order = np.lexsort((f, e))
    return e[order], f[order]


def make_boxes(bounds: Sequence[tuple[np.ndarray, np.ndarray]], margin: float):
    """Boxes of shapely from pairs of lowest and highest coordinates."""
    import shapely

    low, high = (np.array([pair[k] for pair in bounds]).reshape(-1, 2) for k in (0, 1))
    return shapely.box(low[:, 0] - margin, low[:, 1] - margin, high[:, 0] + margin, high[:, 1] + margin)


def _find_incidences(sides: Sides, e: np.ndarray, f: np.ndarray, tolerance: float):
    """Pairs (vertex, side): a vertex within the tolerance of a side of another obstacle."""
    vertex = np.concatenate([e, sides.successor[e], f, sides.successor[f]])
    side = np.concatenate([f, f, e, e])
    distance = measure_points(sides.start[vertex], sides.features.take(side))
    pairs = np.unique(np.stack([vertex, side], axis=1)[distance <= tolerance], axis=0)
    return pairs[:, 0], pairs[:, 1]


def _find_crossings(sides: Sides, e, f, vertex, side, tolerance: float) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of sides (c, 2) that cross or touch away from each other's ends, and the points (c, 2) where they do."""
    bent = (sides.sign[e] != 0) | (sides.sign[f] != 0)
    pairs, points = _cross_edges(sides, e[~bent], f[~bent], vertex, side)
    more, places = _cross_arcs(sides, e[bent], f[bent], tolerance)
    return np.concatenate([pairs, more]), np.concatenate([points, places])


def _cross_edges(sides: Sides, e, f, vertex, side) -> tuple[np.ndarray, np.ndarray]:
    """Two close edges with no end of one on the other can only cross."""
    m = len(sides.start)
    touching = np.unique(vertex * m + side)

    def touches(v, g):
        return np.isin(v * m + g, touching)

    ends = touches(e, f) | touches(sides.successor[e], f) | touches(f, e) | touches(sides.successor[f], e)
    e, f = e[~ends], f[~ends]
    a, d = sides.start[e], sides.end[e] - sides.start[e]
    b, g = sides.start[f], sides.end[f] - sides.start[f]
    cross = d[:, 0] * g[:, 1] - d[:, 1] * g[:, 0]
    away = np.abs(cross) > 0.0  # parallel and close, yet no end on the other: rounding only; not a crossing
    e, f, a, d, b, g, cross = e[away], f[away], a[away], d[away], b[away], g[away], cross[away]
    t = ((b - a)[:, 0] * g[:, 1] - (b - a)[:, 1] * g[:, 0]) / cross
    return np.stack([e, f], axis=1), a + np.clip(t, 0.0, 1.0)[:, None] * d


def _cross_arcs(sides: Sides, e, f, tolerance: float) -> tuple[np.ndarray, np.ndarray]:
    """Where an arc crosses or touches an edge or an arc.

    Their ends may lie on each other as well: then both points are nodes, and what is between them is shared.
    """
    one, other = sides.features.take(e), sides.features.take(f)
    mixed = (one.sign == 0) != (other.sign == 0)
    swap = one.sign == 0
    centre = np.where(swap[:, None], other.centre, one.centre)
    radius = np.where(swap, other.radius, one.radius)
    begin = np.where(swap[:, None], one.start, other.start)
    chord = np.where(swap[:, None], one.end, other.end) - begin
    length = np.hypot(chord[:, 0], chord[:, 1])
    normal = np.stack([chord[:, 1], -chord[:, 0]], axis=1) / np.where(length > 0.0, length, 1.0)[:, None]
    height = ((begin - centre) * normal).sum(axis=1)  # of the edge over the centre of the arc
    between = other.centre - one.centre
    distance = np.where(mixed, np.abs(height), np.hypot(between[:, 0], between[:, 1]))
    aim = np.where(mixed[:, None], normal * np.sign(height)[:, None],
                   between / np.where(distance > 0.0, distance, 1.0)[:, None])
    less = one.radius - other.radius  # of circles
    outer = distance - np.where(mixed, radius, one.radius + other.radius)
    inner = np.where(mixed, -math.inf, np.abs(less) - distance)
    along = ~mixed & (distance + np.abs(less) <= tolerance)  # one circle, to the tolerance
    touch_out = ~along & (np.abs(outer) <= tolerance)
    touch_in = ~along & ~touch_out & (np.abs(inner) <= tolerance)
    # where the smaller one is in the larger, they touch on its far side, seen from the larger's centre
    back = np.where(touch_in & (less < 0.0), -1.0, 1.0)
    tangent = centre + (back * radius)[:, None] * aim
    touches = touch_out | touch_in
    crosses = ~along & ~touches
    pairs, places = [], []
    for points, valid in ((tangent, touches), *((p, v & crosses) for p, v in list_crossings(one, other))):
        on = valid & reaches(one, points, 0.0) & reaches(other, points, 0.0)
        pairs.append(np.stack([e[on], f[on]], axis=1))
        places.append(points[on])
    return np.concatenate(pairs), np.concatenate(places)


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
