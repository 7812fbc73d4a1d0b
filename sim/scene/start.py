"""Checks of a scene's start: the workpiece may touch obstacles to the last bits, and must not overlap them."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from geometry.shapes.features import compute_lengths
from geometry.shapes.polygon import Polygon
from geometry.shapes.union.overlap import is_apart, measure_overlap
from geometry.tolerances import TOUCH
from sim.scene.scene_errors import OverlapError, SceneError
from sim.tolerances import LEAST_EDGE, ONE_RADIUS
from sim.words.quoting import cut, quote

if TYPE_CHECKING:
    from geometry.shapes.pose import Pose
    from sim.scene.build_outline import AnyOutline
    from sim.scene.scene import Scene


def compute_start_tolerance(scene: Scene) -> float:
    """Depth up to which a start counts as touching, m."""
    return _compute_tolerance(_place_part(scene), tuple((o.outline, o.pose) for o in scene.obstacles))


def _place_part(scene: Scene) -> tuple[AnyOutline, Pose]:
    return scene.workpiece.outline, scene.workpiece.pose


# A scene is run again and again with one number changed: what depends on outlines and poses alone is kept.
@lru_cache(maxsize=64)
def _compute_tolerance(part: tuple[AnyOutline, Pose], placed: tuple[tuple[AnyOutline, Pose], ...]) -> float:
    return TOUCH * max(place_body(*body).largest for body in (part, *placed))


class PlacedBody(NamedTuple):
    """An outline where it stands."""

    outline: AnyOutline
    low: np.ndarray  # (2,) m
    high: np.ndarray  # (2,) m
    largest: float  # coordinate, without its sign, m


@lru_cache(maxsize=256)
def place_body(outline: AnyOutline, pose: Pose) -> PlacedBody:
    """An outline in the world; kept, for a scene is run again and again with one number changed."""
    placed = outline.placed(pose)
    low, high = placed.bounds
    return PlacedBody(placed, low, high, max(map(abs, (*low.tolist(), *high.tolist()))))


def check_resolution(outline: AnyOutline, place: str) -> None:
    """Raise SceneError if a double cannot tell the ends of an edge or arc, or an arc and its centre, apart where they
    are; `place` is named in the message."""
    largest, shortest = float(np.abs(outline.bounds).max()), _measure_shortest(outline)
    if shortest <= LEAST_EDGE * float(np.spacing(largest)):
        raise SceneError(f"{place}: an edge or arc of {shortest:.3g} m vanishes among coordinates up to {largest:.3g} "
                         "m, which a double knows to 16 digits; move it nearer to the origin, or make it larger")


def check_start(scene: Scene, where: str = "scene") -> None:
    """Raise OverlapError if the workpiece overlaps an obstacle by more than rounding: both names, depth and place.

    Before that, SceneError if a body is lost to rounding where it stands.
    """
    if _last[0] is scene and _last[1] == where:
        return
    _check_start(_place_part(scene), scene.workpiece.name, tuple((o.outline, o.pose, o.name) for o in scene.obstacles),
                 where)
    _last[:] = scene, where


_last: list = [None, ""]  # that passed


@lru_cache(maxsize=64)  # of those that pass
def _check_start(placed: tuple[AnyOutline, Pose], own_name: str, obstacles: tuple[tuple[AnyOutline, Pose, str], ...],
                 where: str) -> None:
    part = place_body(*placed)
    _check_outline(placed[0], where)
    # each coordinate is rounded by less than four last digits where it is placed
    if _measure_shortest(placed[0]) <= (LEAST_EDGE + 8) * math.ulp(part.largest):
        check_resolution(part.outline, f"{where}: workpiece.outline at workpiece.pose")
    _check_obstacles(obstacles, where)
    for outline, _, name in obstacles:
        _check_radii(placed[0], outline, f"{where}: workpiece {quote(own_name)} and obstacle {quote(name)}")
    for outline, pose, name in obstacles:
        other = place_body(outline, pose)
        tolerance = TOUCH * max(part.largest, other.largest)
        if (other.low >= part.high - tolerance).any() or (other.high <= part.low + tolerance).any():
            continue
        bodies = get_shape(part.outline), get_shape(other.outline)
        if is_apart(*bodies, tolerance):
            continue
        depth, place, how = measure_overlap(*bodies)
        if depth > tolerance:
            raise OverlapError(
                f"{where}: workpiece {quote(own_name)} {how} obstacle {quote(name)} at the start: "
                f"{depth:.6g} m deep at ({place[0]:.6g}, {place[1]:.6g}); move them apart (touching is allowed)"
            )


@lru_cache(maxsize=256)
def _check_radii(part: AnyOutline, other: AnyOutline, bodies: str) -> None:
    """Raise SceneError where an arc of one body bulges out with the radius with which one of the other bends in: face
    to face they would press anywhere along it, which is no contact in a point."""
    for convex, concave, first in ((part, other, True), (other, part, False)):
        out, hollow = convex.features, concave.features
        i, j = np.flatnonzero(out.sign > 0), np.flatnonzero(hollow.sign < 0)
        if not len(i) or not len(j):
            continue
        j = j[np.argsort(hollow.radius[j])]
        radius = out.radius[i]
        place = np.searchsorted(hollow.radius[j], radius * (1.0 - ONE_RADIUS))
        near = (place < len(j)) & (hollow.radius[j][np.minimum(place, len(j) - 1)] <= radius * (1.0 + ONE_RADIUS))
        if near.any():
            k = int(np.flatnonzero(near)[0])
            numbers = (int(i[k]), int(j[place[k]])) if first else (int(j[place[k]]), int(i[k]))
            raise SceneError(
                f"{bodies}: arc {numbers[0]} of the one and arc {numbers[1]} of the other have one radius, "
                f"{radius[k]:.9g} m, and one bulges out where the other bends in: face to face they would press "
                "anywhere along the arc, so forces are not those of points; make the one that bulges out smaller"
            )


def get_shape(outline: AnyOutline):
    """The vertices (n, 2) of a polygon, or the Outline: as `geometry.shapes.union.boundary` and `overlap` take them."""
    return outline.vertices if isinstance(outline, Polygon) else outline


@lru_cache(maxsize=64)
def _measure_shortest(outline: AnyOutline) -> float:
    """The shortest edge, arc or radius, m."""
    features = outline.features
    radius = features.radius[features.sign != 0]
    return float(min(compute_lengths(features).min(), radius.min(initial=np.inf)))


@lru_cache(maxsize=64)
def _check_outline(outline: AnyOutline, where: str) -> None:
    check_resolution(outline, f"{where}: workpiece.outline about its centre of mass")


@lru_cache(maxsize=64)
def _check_obstacles(obstacles: tuple[tuple[AnyOutline, Pose, str], ...], where: str) -> None:
    for i, (outline, pose, name) in enumerate(obstacles):
        check_resolution(place_body(outline, pose).outline, f"{where}: obstacle.{i}.outline ({cut(name)}) at its pose")
