"""Checks of a scene's start: the workpiece may touch obstacles to the last bits, and must not overlap them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from geometry.shapes.overlap import measure_overlap
from geometry.tolerances import TOUCH
from sim.scene.scene_errors import OverlapError, SceneError
from sim.tolerances import LEAST_EDGE
from sim.words.quoting import cut, quote

if TYPE_CHECKING:
    from sim.scene.scene import Scene


def compute_start_tolerance(scene: Scene) -> float:
    """Depth up to which a start counts as touching, m."""
    points = [scene.workpiece.pose.transform(scene.workpiece.outline.vertices)]
    points += [obstacle.vertices for obstacle in scene.obstacles]
    return TOUCH * max(float(np.abs(p).max()) for p in points)


def check_resolution(vertices: np.ndarray, place: str) -> None:
    """Raise SceneError if a double cannot tell the vertices (n, 2) of an outline apart where they are; `place` is named
    in the message."""
    largest = float(np.abs(vertices).max())
    edges = np.hypot(*(np.roll(vertices, -1, axis=0) - vertices).T)
    if edges.min() <= LEAST_EDGE * float(np.spacing(largest)):
        raise SceneError(f"{place}: an edge of {edges.min():.3g} m vanishes among coordinates up to {largest:.3g} m, "
                         "which a double knows to 16 digits; move it nearer to the origin, or make it larger")


def check_start(scene: Scene, where: str = "scene") -> None:
    """Raise OverlapError if the workpiece overlaps an obstacle by more than rounding: both names, depth and place.

    Before that, SceneError if a body is lost to rounding where it stands.
    """
    part = scene.workpiece.pose.transform(scene.workpiece.outline.vertices)
    check_resolution(scene.workpiece.outline.vertices, f"{where}: workpiece.outline about its centre of mass")
    check_resolution(part, f"{where}: workpiece.outline at workpiece.pose")
    for i, obstacle in enumerate(scene.obstacles):
        check_resolution(obstacle.vertices, f"{where}: obstacle.{i}.outline ({cut(obstacle.name)}) at its pose")
    low, high = part.min(axis=0), part.max(axis=0)
    for obstacle in scene.obstacles:
        other = obstacle.vertices
        tolerance = TOUCH * max(float(np.abs(part).max()), float(np.abs(other).max()))
        if (other.min(axis=0) >= high - tolerance).any() or (other.max(axis=0) <= low + tolerance).any():
            continue
        depth, place, how = measure_overlap(part, other)
        if depth > tolerance:
            raise OverlapError(
                f"{where}: workpiece {quote(scene.workpiece.name)} {how} obstacle {quote(obstacle.name)} at the start: "
                f"{depth:.6g} m deep at ({place[0]:.6g}, {place[1]:.6g}); move them apart (touching is allowed)"
            )
