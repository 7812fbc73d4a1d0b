"""How deep two outlines overlap, with edges and arcs and holes; holes are free space."""

from __future__ import annotations

import numpy as np

from geometry.shapes.crossings import list_crossings, measure_points, reaches
from geometry.shapes.features import (
    Features,
    build_features,
    compute_boxes,
    compute_rounding,
    compute_sweeps,
    find_on_sweep,
    join_features,
)
from geometry.shapes.nesting import find_inside
from geometry.shapes.outline import Outline
from geometry.tolerances import TINY


def compute_sides(vertices: np.ndarray) -> np.ndarray:
    """(n, 2): from each vertex of a closed outline to the next."""
    return np.concatenate([vertices[1:], vertices[:1]]) - vertices


def is_apart(part: np.ndarray | Outline, other: np.ndarray | Outline, tolerance: float) -> bool:
    """Do two outlines lie on the two sides of an edge of one of them, up to a tolerance (m)? Then `measure_overlap`,
    which takes ten times as long, finds at most that. False says nothing.

    part, other: vertices (n, 2) or an Outline in the world. With arcs the line of the centres of both boxes is asked,
    too."""
    round_ = isinstance(part, Outline) or isinstance(other, Outline)
    for own, far in ((part, other), (other, part)):
        along = own.end - own.start if isinstance(own, Outline) else compute_sides(own)
        if isinstance(own, Outline):
            along = along[(own.sign == 0) & (own.loop == 0)]
        if round_:
            aim = _find_centre(far) - _find_centre(own)
            along = np.concatenate([along, [[-aim[1], aim[0]]]]) if aim.any() else along
        if not len(along):
            continue
        normals = along[:, ::-1] * (1.0, -1.0) / np.hypot(along[:, 0], along[:, 1])[:, None]
        middle = own.start.mean(axis=0) if isinstance(own, Outline) else own.mean(axis=0)  # far away no digit is lost
        gaps = -_find_reach(far, -normals, middle) - _find_reach(own, normals, middle)
        if gaps.max() >= -tolerance:
            return True
    return False


def _find_centre(outline: np.ndarray | Outline) -> np.ndarray:
    low, high = outline.bounds if isinstance(outline, Outline) else (outline.min(axis=0), outline.max(axis=0))
    return 0.5 * (low + high)


def _find_reach(outline: np.ndarray | Outline, normals: np.ndarray, middle: np.ndarray) -> np.ndarray:
    """How far (k,) an outline reaches from a point along normals (k, 2)."""
    if not isinstance(outline, Outline):
        return ((outline - middle) @ normals.T).max(axis=0)
    reach = ((outline.start - middle) @ normals.T).max(axis=0)
    arcs = outline.features.take(outline.sign > 0)
    for row in range(len(arcs.sign)):
        arc = arcs.take(np.full(len(normals), row))
        far = (arc.centre - middle) @ normals.T
        far = np.diagonal(far) + arc.radius
        on = find_on_sweep(arc, arc.centre + arc.radius[:, None] * normals)
        reach = np.where(on, np.maximum(reach, far), reach)
    return reach


def measure_overlap(part: np.ndarray | Outline, other: np.ndarray | Outline) -> tuple[float, np.ndarray, str]:
    """Depth (m) and place of the overlap of two outlines, and the verb for it; depth 0 where they only touch.

    part, other: vertices (n, 2) or an Outline in the world. The depth is the largest distance of a corner or edge
    middle of the overlap, or of the deepest point of an arc, from the other body's outline: for a corner in a floor,
    how far it is below the surface. "lies wholly inside" and "encloses" are said where one is in the other's solid; one
    that stands free in a hole does not overlap.
    """
    if isinstance(part, Outline) or isinstance(other, Outline):
        return _measure_outlines(_read(part), _read(other))
    import shapely

    # About a common centre, so that a scene far from the origin loses no digits.
    shift = part.mean(axis=0)
    a, b = shapely.Polygon(part - shift), shapely.Polygon(other - shift)
    overlap = shapely.intersection(a, b)
    pieces = [piece for piece in shapely.get_parts(overlap) if piece.geom_type == "Polygon" and piece.area > 0.0]
    if not pieces:
        return 0.0, np.zeros(2), "touches"
    rings = [shapely.get_coordinates(piece.exterior)[:-1] for piece in pieces]
    points = np.concatenate([np.concatenate([ring, 0.5 * (ring + np.roll(ring, -1, axis=0))]) for ring in rings])
    depth = np.maximum(_measure_distances(points, a.exterior), _measure_distances(points, b.exterior))
    deepest = int(depth.argmax())
    how = "overlaps"
    if shapely.contains(b, a):
        how = "lies wholly inside"
    elif shapely.contains(a, b):
        how = "encloses"
    return float(depth[deepest]), points[deepest] + shift, how


def _measure_distances(points: np.ndarray, ring) -> np.ndarray:
    """Distance (n,) of points (n, 2) from a ring, by a tree over its sides."""
    import shapely

    corners = shapely.get_coordinates(ring)
    sides = shapely.linestrings(np.stack([corners[:-1], corners[1:]], axis=1))
    (nearest, _), distance = shapely.STRtree(sides).query_nearest(
        shapely.points(points), return_distance=True, all_matches=False)
    found = np.empty(len(points))
    found[nearest] = distance
    return found


# ------------------------------------------------------------------------------------------------------------- arcs


def _read(outline: np.ndarray | Outline) -> Features:
    if isinstance(outline, Outline):
        return outline.features
    return build_features(outline, np.roll(outline, -1, axis=0), np.zeros(len(outline)))


def _measure_outlines(part: Features, other: Features) -> tuple[float, np.ndarray, str]:
    """`measure_overlap`: points of each outline are asked whether they are inside the other, and how deep."""
    shift = part.start.mean(axis=0)
    a, b = (Features(f.start - shift, f.end - shift, f.centre - shift, f.radius, f.sign) for f in (part, other))
    rounding = compute_rounding(join_features([a, b]))
    depths, places, inside = [], [], []
    for own, far in ((a, b), (b, a)):
        points = np.concatenate([_list_probes(own, far), _find_inner_point(own)])
        within = find_inside(far, points)
        depth = _find_distances(points, far)
        depths.append(np.where(within, depth, 0.0))
        places.append(points)
        inside.append((within | (depth <= rounding)).all())
    k = int(depths[1].max() > depths[0].max())
    deepest = int(depths[k].argmax())
    depth = float(depths[k][deepest])
    if depth == 0.0:
        return 0.0, np.zeros(2), "touches"
    how = "overlaps"
    if inside[0] and not (depths[1] > rounding)[:-1].any():
        how = "lies wholly inside"
    elif inside[1] and not (depths[0] > rounding)[:-1].any():
        how = "encloses"
    return depth, places[k][deepest] + shift, how


def _list_probes(own: Features, far: Features) -> np.ndarray:
    """Points (k, 2) of one outline that can be the deepest in another: starts, middles between crossings, and points
    whose normal is one of the other outline."""
    import shapely

    boxes = [shapely.box(*low.T, *high.T) for low, high in map(compute_boxes, (own, far))]
    i, j = shapely.STRtree(boxes[1]).query(boxes[0])
    one, mate = own.take(i), far.take(j)
    rows = np.arange(len(own.sign))
    points, cuts = [own.start], [np.stack([rows, np.full(len(rows), end)]) for end in (0.0, 1.0)]
    for place, valid in list_crossings(one, mate):
        on = np.flatnonzero(valid & reaches(one, place, 0.0) & reaches(mate, place, 0.0))
        cuts.append(np.stack([i[on], _locate_share(one.take(on), place[on])]))
    row, share = np.concatenate(cuts, axis=1)
    order = np.lexsort((share, row))
    row, share = row[order].astype(np.int64), share[order]
    pair = np.flatnonzero(row[1:] == row[:-1])
    points.append(_find_points(own.take(row[pair]), 0.5 * (share[pair] + share[pair + 1])))
    # the foot of the mate's centre on an edge; of an arc the point on the line of both centres, or square to the edge
    bent = one.sign != 0
    foot = _drop(mate.centre, one)
    on = ~bent & (mate.sign != 0) & reaches(one, foot, 0.0)
    points.append(foot[on])
    aim = np.where((mate.sign == 0)[:, None], _drop(one.centre, mate), mate.centre) - one.centre
    aim = np.where((aim == 0.0).all(axis=1)[:, None], one.start - one.centre, aim)  # all directions are alike
    aim /= np.maximum(np.hypot(aim[:, 0], aim[:, 1]), TINY)[:, None]
    for side in (1.0, -1.0):
        place = one.centre + side * one.radius[:, None] * aim
        points.append(place[bent & find_on_sweep(one, place)])
    return np.concatenate(points)


def _drop(points: np.ndarray, edges: Features) -> np.ndarray:
    """Feet (n, 2) of points on the lines of edges."""
    chord = edges.end - edges.start
    square = np.maximum((chord * chord).sum(axis=1), TINY)
    return edges.start + (((points - edges.start) * chord).sum(axis=1) / square)[:, None] * chord


def _locate_share(features: Features, points: np.ndarray) -> np.ndarray:
    """Which share (n,) of each feature is before a point on it."""
    chord, away = features.end - features.start, points - features.start
    straight = (away * chord).sum(axis=1) / np.maximum((chord * chord).sum(axis=1), TINY)
    a, p = features.start - features.centre, points - features.centre
    angle = np.arctan2(features.sign * (a[:, 0] * p[:, 1] - a[:, 1] * p[:, 0]), (a * p).sum(axis=1))
    bent = np.mod(angle, 2.0 * np.pi) / np.where(features.sign == 0, 1.0, compute_sweeps(features))
    return np.clip(np.where(features.sign == 0, straight, bent), 0.0, 1.0)


def _find_points(features: Features, share: np.ndarray) -> np.ndarray:
    """The points (n, 2) at these shares of the features."""
    angle = features.sign * compute_sweeps(features) * share
    c, s = np.cos(angle), np.sin(angle)
    x, y = (features.start - features.centre).T
    turned = features.centre + np.stack([c * x - s * y, s * x + c * y], axis=1)
    straight = features.start + share[:, None] * (features.end - features.start)
    return np.where((features.sign == 0)[:, None], straight, turned)


def _find_inner_point(own: Features) -> np.ndarray:
    """A point (1, 2) in the solid, half way from a point of a feature to what is opposite: two outlines that are the
    same have no other in which they overlap. A ray that meets the outline in a vertex may miss it: then another one
    is sent. Where all of them miss, a vertex, which is asked anyway."""
    low, high = compute_boxes(own)
    longest = own.take([int(np.hypot(*(high - low).T).argmax())])
    span = float(np.hypot(*(high.max(axis=0) - low.min(axis=0))))
    for share in (0.5, 0.391, 0.632, 0.267, 0.743):
        point = _send_ray(own, longest, share, span)
        if find_inside(own, point).all():
            return point
    return own.start[:1]


def _send_ray(own: Features, longest: Features, share: float, span: float) -> np.ndarray:
    """The middle (1, 2) of the way into the solid, from this share of a feature to the first place opposite."""
    begin, ahead = _find_points(longest, np.array([share])), _find_points(longest, np.array([share + 1.0 / 64.0]))
    if longest.sign[0]:
        way = longest.sign[0] * (longest.centre - begin)
    else:
        way = (ahead - begin)[:, ::-1] * (-1.0, 1.0)
    way *= 2.0 * span / np.hypot(*way[0])
    ray = build_features(begin, begin + way, np.zeros(1)).take(np.zeros(len(own.sign), dtype=np.int64))
    shares = [_locate_share(ray, place)[valid & reaches(ray, place, 0.0) & reaches(own, place, 0.0)]
              for place, valid in list_crossings(ray, own)]
    met = np.concatenate(shares)
    met = met[met > compute_rounding(own) / span]
    return begin + 0.5 * met.min(initial=1.0) * way


def _find_distances(points: np.ndarray, features: Features) -> np.ndarray:
    """Distance (k,) of points from an outline, by a tree over the boxes of its features."""
    import shapely

    low, high = compute_boxes(features)
    located = shapely.points(points)
    _, most = shapely.STRtree(shapely.points(features.start)).query_nearest(
        located, return_distance=True, all_matches=False)
    # no feature whose box is farther away than the nearest vertex is the nearest
    i, j = shapely.STRtree(shapely.box(*low.T, *high.T)).query(
        located, predicate="dwithin", distance=most * (1.0 + np.finfo(float).eps) + TINY)
    found = most.copy()
    np.minimum.at(found, i, measure_points(points[i], features.take(j)))
    return found
