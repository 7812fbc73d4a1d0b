"""A start by an obstacle: from a rest pose or a height, and a place on the obstacle, to the pose of the part."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from geometry.rest.rest_poses import RestPose, list_rest_poses
from geometry.shapes.pose import Pose
from geometry.tolerances import ANGLE_TOLERANCE
from sim.scene.build_outline import AnyOutline
from sim.scene.rest_schema import AboveSection, PoseSection
from sim.scene.scene_errors import SceneError
from sim.words.quoting import cut, quote
from sim.words.suggestion import suggest

if TYPE_CHECKING:
    from sim.scene.scene import Obstacle

MOST_LISTED = 24  # rest poses in a message


@lru_cache(maxsize=64)
def list_level_poses(outline: AnyOutline) -> tuple[RestPose, ...]:
    """The rest poses of a part on a level floor; a sweep asks for those of one outline again and again."""
    return list_rest_poses(outline)


class Place(NamedTuple):
    """A place on an edge of an obstacle, seen with the free side up."""

    edge: int
    left: np.ndarray  # (2,) m, the left end of the edge
    along: np.ndarray  # (2,) unit vector from there on
    length: float  # m, of the edge
    at: float  # m from the left end

    def stand(self, height: float, theta: float) -> Pose:
        """The pose over this place, at a height above it."""
        x, y = self.left + self.at * self.along + height * np.array([-self.along[1], self.along[0]])
        return Pose(float(x), float(y), theta)

    @property
    def slope(self) -> float:
        return math.atan2(self.along[1], self.along[0])


def place_by_obstacle(section: PoseSection, outline: AnyOutline, obstacles: Sequence[Obstacle],
                      gravity: tuple[float, float], where: str) -> Pose:
    """Pose of the centre of mass; outline: of the part about it; gravity: at t = 0. A part at rest lies on the edge as
    it lies on a level floor, also where the edge slopes. Raises SceneError."""
    key = f"{where}: workpiece.pose"
    if isinstance(section, AboveSection):
        place = _find_place(section, section.above, ("above", obstacles), gravity, key)
        lowest = float(outline.rotated(section.theta - place.slope).bounds[0, 1])
        return place.stand(section.height - lowest, section.theta)
    poses = list_level_poses(outline)
    if section.rest >= len(poses):
        lines = "".join(f"\n  rest {pose.number}: {pose.describe()}, theta = {math.degrees(pose.theta):.6g} deg"
                        for pose in poses[:MOST_LISTED])
        many = f"the part has {len(poses)} rest pose{'' if len(poses) == 1 else 's'}, counted from 0"
        raise SceneError(f"{key}.rest = {section.rest}: {many}{lines}")
    rest = poses[section.rest]
    place = _find_place(section, section.on, ("on", obstacles), gravity, key)
    _check_support(rest, place.at, place.length, f"{key}.at = {place.at:.9g} m")
    return place.stand(rest.height, place.slope + rest.theta)


def _find_place(section: PoseSection, name: str, among: tuple[str, Sequence[Obstacle]], gravity, key: str) -> Place:
    """The place that a section names; among: the word by which it does, and the obstacles."""
    word, obstacles = among
    names = [obstacle.name for obstacle in obstacles]
    if name not in names:
        raise SceneError(f"{key}.{word} = {quote(name)}: there is no obstacle of this name{suggest(name, names)}")
    shape = obstacles[names.index(name)].shape
    edge = _choose_edge(shape, gravity, f"{key} {word} {cut(name)}") if section.edge is None else section.edge
    features = shape.features
    if edge >= len(features.sign) or features.sign[edge]:
        edges = np.flatnonzero(features.sign == 0)
        valid = f"valid are its edges, from {edges[0]} to {edges[-1]}" if len(edges) else "it has no edge"
        raise SceneError(f"{key}.edge = {edge}: is no edge of {quote(name)}; {valid}")
    # the solid is on the left of an edge: seen with the free side up, it begins on the right
    left, right = features.end[edge], features.start[edge]
    length = math.dist(left, right)
    at = 0.5 * length if section.at is None else section.at
    if not 0.0 <= at <= length:
        raise SceneError(f"{key}.at = {at:.9g} m: edge {edge} of {quote(name)} is {length:.9g} m long")
    return Place(edge, left, (right - left) / length, length, at)


def _check_support(rest: RestPose, at: float, length: float, key: str) -> None:
    """Refuse a place where corners or arcs that carry the part would touch nothing. An edge may stand out over an end:
    it carries the part as long as the centre of mass is over the edge that it lies on."""
    low, high = rest.support
    if any(word == "edge" for word, _ in rest.touches) or (0.0 <= at + low and at + high <= length):
        return
    valid = (f"valid is {-low:.9g} m to {length - high:.9g} m" if high - low <= length
             else f"the edge is {length:.9g} m long, too short for it")
    raise SceneError(f"{key}: rest {rest.number} touches with {rest.describe()}, of which one would be beyond the end "
                     f"of the edge; {valid}")


def _choose_edge(shape: AnyOutline, gravity: tuple[float, float], key: str) -> int:
    """The edge whose free side looks up most; of several the highest. Raises SceneError where that is not one."""
    size = math.hypot(*gravity)
    if size == 0.0:
        raise SceneError(f"{key}: gravity is 0, so that no edge is on top; give edge, its number")
    up = -np.array(gravity) / size
    features = shape.features
    chord = features.end - features.start
    edges = np.flatnonzero(features.sign == 0)
    if not len(edges):
        raise SceneError(f"{key}: it has no edge to rest on")
    along = chord[edges] / np.hypot(*chord[edges].T)[:, None]
    tilt = np.arccos(np.clip(along[:, 1] * up[0] - along[:, 0] * up[1], -1.0, 1.0))
    edges = edges[tilt <= tilt.min() + ANGLE_TOLERANCE]
    height = features.start[edges] @ up
    edges = edges[height >= height.max() - ANGLE_TOLERANCE * shape.size]
    if len(edges) > 1:
        raise SceneError(f"{key}: edges {', '.join(map(str, edges.tolist()))} are on top alike; give edge, one of them")
    return int(edges[0])
