"""How deep two outlines overlap."""

from __future__ import annotations

import numpy as np


def compute_sides(vertices: np.ndarray) -> np.ndarray:
    """(n, 2): from each vertex of a closed outline to the next."""
    return np.concatenate([vertices[1:], vertices[:1]]) - vertices


def is_apart(part: np.ndarray, other: np.ndarray, tolerance: float) -> bool:
    """Do two outlines lie on the two sides of an edge of one of them, up to a tolerance (m)? Then `measure_overlap`,
    which takes ten times as long, finds at most that. False says nothing."""
    part, other = (o if isinstance(o, np.ndarray) else o.sample(1e-6 * o.size)[0] for o in (part, other))
    for own, far in ((part, other), (other, part)):
        along = compute_sides(own)
        normals = along[:, ::-1] * (1.0, -1.0) / np.hypot(along[:, 0], along[:, 1])[:, None]
        middle = own.mean(axis=0)  # so that outlines far from the origin lose no digits
        gaps = ((far - middle) @ normals.T).min(axis=0) - ((own - middle) @ normals.T).max(axis=0)
        if gaps.max() >= -tolerance:
            return True
    return False


def measure_overlap(part: np.ndarray, other: np.ndarray) -> tuple[float, np.ndarray, str]:
    """Depth (m) and place of the overlap of two outlines, and the verb for it; depth 0 where they only touch.

    The depth is the largest distance of a corner or edge middle of the overlap from the other body's outline: for a
    corner in a floor, how far it is below the surface.
    """
    import shapely

    part, other = (o if isinstance(o, np.ndarray) else o.sample(1e-6 * o.size)[0] for o in (part, other))
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
