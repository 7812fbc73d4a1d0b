"""Checks of a scene's start: the workpiece may touch obstacles to the last bits, and must not overlap them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from geometry.shapes.overlap import is_apart, measure_overlap
from geometry.tolerances import TOUCH
from sim.scene.scene_errors import OverlapError, SceneError
from sim.tolerances import LEAST_EDGE
from sim.words.quoting import cut, quote

if TYPE_CHECKING:
    from geometry.shapes.polygon import Polygon
    from geometry.shapes.pose import Pose
    from sim.scene.scene import Scene


def compute_start_tolerance(scene: Scene) -> float:
    """Depth up to which a start counts as touching, m."""
    return _compute_tolerance(_place_part(scene), tuple((o.outline, o.pose) for o in scene.obstacles))


def _place_part(scene: Scene) -> tuple[Polygon, Pose]:
    return scene.workpiece.outline, scene.workpiece.pose


# A scene is run again and again with one number changed: what depends on outlines and poses alone is kept.
@lru_cache(maxsize=64)
def _compute_tolerance(part: tuple[Polygon, Pose], placed: tuple[tuple[Polygon, Pose], ...]) -> float:
    return TOUCH * max(float(np.abs(pose.transform(outline.vertices)).max()) for outline, pose in (part, *placed))


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
    _check_start(_place_part(scene), scene.workpiece.name, tuple((o.outline, o.pose, o.name) for o in scene.obstacles),
                 where)


@lru_cache(maxsize=64)  # of those that pass
def _check_start(placed: tuple[Polygon, Pose], own_name: str, obstacles: tuple[tuple[Polygon, Pose, str], ...],
                 where: str) -> None:
    outline, pose = placed
    part = pose.transform(outline.vertices)
    check_resolution(outline.vertices, f"{where}: workpiece.outline about its centre of mass")
    check_resolution(part, f"{where}: workpiece.outline at workpiece.pose")
    others = [(pose.transform(outline.vertices), name) for outline, pose, name in obstacles]
    for i, (other, name) in enumerate(others):
        check_resolution(other, f"{where}: obstacle.{i}.outline ({cut(name)}) at its pose")
    low, high = part.min(axis=0), part.max(axis=0)
    for other, name in others:
        tolerance = TOUCH * max(float(np.abs(part).max()), float(np.abs(other).max()))
        if (other.min(axis=0) >= high - tolerance).any() or (other.max(axis=0) <= low + tolerance).any():
            continue
        if is_apart(part, other, tolerance):
            continue
        depth, place, how = measure_overlap(part, other)
        if depth > tolerance:
            raise OverlapError(
                f"{where}: workpiece {quote(own_name)} {how} obstacle {quote(name)} at the start: "
                f"{depth:.6g} m deep at ({place[0]:.6g}, {place[1]:.6g}); move them apart (touching is allowed)"
            )
