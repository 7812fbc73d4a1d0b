"""Checks of a scene's start: the workpiece may touch obstacles to the last bits, and must not overlap them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sim.scene_errors import OverlapError

if TYPE_CHECKING:
    from sim.scene import Scene

# An overlap up to this is rounding: relative to the largest coordinate of workpiece and obstacle, world frame. Reason:
# coordinates that are computed in double precision and turned carry a few units in the last place (1e-16), text with 12
# digits carries 1e-12. Consequence: a start that is deeper is refused.
START_TOLERANCE = 1e-12


def compute_start_tolerance(scene: Scene) -> float:
    """Depth up to which a start counts as touching, m."""
    points = [scene.workpiece.pose.transform(scene.workpiece.outline.vertices)]
    points += [obstacle.vertices for obstacle in scene.obstacles]
    return START_TOLERANCE * max(float(np.abs(p).max()) for p in points)


def check_start(scene: Scene, where: str = "scene") -> None:
    """Raise OverlapError if the workpiece overlaps an obstacle by more than rounding: both names, depth and place."""
    part = scene.workpiece.pose.transform(scene.workpiece.outline.vertices)
    low, high = part.min(axis=0), part.max(axis=0)
    for obstacle in scene.obstacles:
        other = obstacle.vertices
        tolerance = START_TOLERANCE * max(float(np.abs(part).max()), float(np.abs(other).max()))
        if (other.min(axis=0) >= high - tolerance).any() or (other.max(axis=0) <= low + tolerance).any():
            continue
        depth, place, how = measure_overlap(part, other)
        if depth > tolerance:
            raise OverlapError(
                f"{where}: workpiece {scene.workpiece.name!r} {how} obstacle {obstacle.name!r} at the start: "
                f"{depth:.6g} m deep at ({place[0]:.6g}, {place[1]:.6g}); move them apart (touching is allowed)"
            )


def measure_overlap(part: np.ndarray, other: np.ndarray) -> tuple[float, np.ndarray, str]:
    """Depth (m) and place of the overlap of two outlines, and the verb for it; depth 0 where they only touch.

    The depth is the largest distance of a corner or edge middle of the overlap from the other body's outline: for a
    corner in a floor, how far it is below the surface.
    """
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
    located = shapely.points(points)
    depth = np.maximum(shapely.distance(located, a.exterior), shapely.distance(located, b.exterior))
    deepest = int(depth.argmax())
    how = "overlaps"
    if shapely.contains(b, a):
        how = "lies wholly inside"
    elif shapely.contains(a, b):
        how = "encloses"
    return float(depth[deepest]), points[deepest] + shift, how
