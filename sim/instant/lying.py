"""In which rest pose a part lies that has come to rest: told by what touches an edge that looks up, up to whole turns.

The poses are those of a level floor (`stiction rest`) and all others in which the part lies flat, so that a part has
few of them, and their names are the same in all its scenes; they are recognised on edges that slope as well, and of
obstacles that move, at the end of the run.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from geometry.rest.rest_poses import TURN, RestPose, list_flat_poses
from geometry.shapes.pose import Pose
from sim.scene.rest_start import list_level_poses
from sim.scene.scene import Scene
from sim.tolerances import LYING

if TYPE_CHECKING:
    from geometry.prescribed.motion import Coordinate, Motion
    from sim.scene.build_outline import AnyOutline

NO_POSE = -1
MOST_NAMED = 256  # features round the outside of a part whose poses have names


class BedObstacle(NamedTuple):
    """What a bed is of an obstacle."""

    outline: AnyOutline
    pose: Pose
    motion: Motion | None


class _Edges(NamedTuple):
    """Straight edges of obstacles that look up at a time; the solid is on the left of an edge."""

    end: np.ndarray  # (m, 2) m: the left end, seen with the free side up
    along: np.ndarray  # (m, 2) unit vector from there on
    length: np.ndarray  # (m,) m
    angle: np.ndarray  # (m,) rad of `along`
    lean: np.ndarray  # (m,) along the edge, for each unit of height above it, where gravity points


@lru_cache(maxsize=64)
def list_lying_poses(outline: AnyOutline) -> tuple[RestPose, ...]:
    """The poses that are recognised: the rest poses of a level floor, then all others in which the part lies flat, as
    it may on a slope. None of a part with too many features, of which each pose would be one of a multitude."""
    if int((outline.loop == 0).sum()) > MOST_NAMED:
        return ()
    level = list_level_poses(outline)
    known = {pose.touches for pose in level}
    return (*level, *(pose for pose in list_flat_poses(outline) if pose.touches not in known))


def describe_lying(pose: RestPose) -> str:
    """The outcome of a part that lies in a rest pose: "at rest on edge 0"."""
    return f"at rest on {pose.describe()}"


def list_lying(scene: Scene) -> tuple[str, ...]:
    """The outcomes of a part that lies in one of its rest poses, in their order; none without gravity."""
    if math.hypot(*scene.gravity) == 0.0:
        return ()
    return tuple(describe_lying(pose) for pose in list_lying_poses(scene.workpiece.outline))


def find_alike(scene: Scene) -> dict[str, str]:
    """Of each of these outcomes that the symmetry of the part makes the same as others: their common word, "at rest on
    edge 0 or alike"."""
    if math.hypot(*scene.gravity) == 0.0:
        return {}
    poses = list_lying_poses(scene.workpiece.outline)
    groups = Counter(pose.alike for pose in poses)
    return {describe_lying(pose): f"{describe_lying(poses[pose.alike])} or alike" for pose in poses
            if pose.alike is not None and groups[pose.alike] > 1}


class Bed:
    """What rest poses of one part are recognised by: its outline, all edges, and gravity."""

    def __init__(self, outline: AnyOutline, placed: tuple[BedObstacle, ...], gravity: tuple[float, float],
                 turn: Coordinate | None):
        self.poses = list_lying_poses(outline) if math.hypot(*gravity) > 0.0 else ()
        self._size, self._placed, self._gravity, self._turn = outline.size, placed, np.array(gravity), turn
        moves = turn is not None or any(one.motion is not None for one in placed)
        self._still = None if moves else self._list_edges(0.0)

    def find_poses(self, pose: np.ndarray, time: np.ndarray) -> np.ndarray:
        """(n,) place among `poses` of that in which each part lies, NO_POSE where it lies in none; pose (n, 3): of the
        centre of mass; time (n,): of the end, s."""
        if not self.poses:
            return np.full(len(pose), NO_POSE)
        if self._still is not None:
            return self._find(pose, self._still)
        return np.array([self._find(row[None, :], self._list_edges(float(t)))[0]
                         for row, t in zip(pose, time, strict=True)], dtype=np.int64)

    def _find(self, pose: np.ndarray, edges: _Edges) -> np.ndarray:
        found = np.full(len(pose), NO_POSE)
        seen = pose[:, None, :2] - edges.end  # (n, m, 2)
        foot = (seen * edges.along).sum(axis=2)
        height = seen[..., 1] * edges.along[:, 0] - seen[..., 0] * edges.along[:, 1]
        turned = pose[:, 2, None] - edges.angle
        room = LYING * self._size
        for place, rest in reversed(list(enumerate(self.poses))):
            off = np.abs(np.remainder(turned - rest.theta + 0.5 * TURN, TURN) - 0.5 * TURN)
            touches = (foot + rest.support[0] <= edges.length + room) & (foot + rest.support[1] >= -room)
            lies = (off <= 0.5 * rest.span + LYING) & (np.abs(height - rest.height) <= room) & touches
            lies &= _is_carried(edges.lean * rest.height, rest.support, room)
            found[lies.any(axis=1)] = place
        return found

    def _list_edges(self, time: float) -> _Edges:
        ends, starts = [np.zeros((0, 2))], [np.zeros((0, 2))]
        for outline, pose, motion in self._placed:
            features = outline.placed(pose if motion is None else motion.place(time)).features
            straight = features.sign == 0
            ends.append(features.end[straight])
            starts.append(features.start[straight])
        end, along = np.concatenate(ends), np.concatenate(starts) - np.concatenate(ends)
        length = np.hypot(*along.T)
        along = along / length[:, None]
        up = -self._gravity
        if self._turn is not None:
            angle = float(self._turn.evaluate(time)[0])
            c, s = math.cos(angle), math.sin(angle)
            up = np.array([c * up[0] - s * up[1], s * up[0] + c * up[1]])
        above = along[:, 0] * up[1] - along[:, 1] * up[0] > 0.0
        end, along, length = end[above], along[above], length[above]
        lean = -(along @ up) / (along[:, 0] * up[1] - along[:, 1] * up[0])
        return _Edges(end, along, length, np.arctan2(along[:, 1], along[:, 0]), lean)


def _is_carried(over: np.ndarray, support: tuple[float, float], room: float) -> np.ndarray:
    """(m,) bool: is the centre of mass over what touches? over: where it stands along the edge, from its foot. On the
    very end of what touches another obstacle must hold the part: it leans, in a groove, and lies on neither side."""
    low, high = support
    if high - low <= 2.0 * room:
        return np.abs(over - 0.5 * (low + high)) <= room
    return (low + room < over) & (over < high - room)


@lru_cache(maxsize=64)
def _make_bed(outline: AnyOutline, placed: tuple[BedObstacle, ...], gravity: tuple[float, float],
              turn: Coordinate | None) -> Bed:
    return Bed(outline, placed, gravity, turn)


def find_bed(scene: Scene) -> Bed:
    """The bed of a scene; scenes that differ in nothing that counts have the same one."""
    placed = tuple(BedObstacle(one.outline, one.pose, one.motion) for one in scene.obstacles)
    return _make_bed(scene.workpiece.outline, placed, scene.gravity, scene.gravity_turn)


def number_outcomes(bed: Bed, outcomes: Sequence[str], otherwise: int) -> np.ndarray:
    """(poses + 1,) places among the words of a sweep for each pose of a bed; `otherwise` for one that is not among
    them, since the part varies, and for NO_POSE, which comes last."""
    known = {word: place for place, word in enumerate(outcomes)}
    return np.array([*(known.get(describe_lying(pose), otherwise) for pose in bed.poses), otherwise])
