"""The rest poses of the part of a scene among the obstacles of that scene, with energies."""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from geometry.errors import StictionError
from geometry.rest.pocket_poses import PocketPose, list_pocket_poses
from geometry.rest.rest_poses import Way
from geometry.rest.symmetry import find_symmetry
from geometry.shapes.outline import Outline, trust_features
from geometry.shapes.polygon import Polygon
from geometry.shapes.pose import Pose
from geometry.shapes.union.boundary import Boundary, compute_boundary_tolerance
from geometry.tolerances import ANGLE_TOLERANCE
from sim.files.partial_file import PartialFile
from sim.scene.scene import Scene
from sim.scene.scene_errors import SceneError

COLUMNS = ("number", "pocket", "touches", "x", "y", "theta", "span", "height", "slide_left", "slide_right",
           "open_left", "open_right", "left_angle", "left_lift", "left_energy", "right_angle", "right_lift",
           "right_energy", "share", "alike")
# Poses are alike where the part's symmetry makes them so and the centre of mass is in one place up to this, relative to
# the size of the part. Reason: both are located to rounding over the angle of a groove. Larger: two places count as
# one. Smaller: poses that are the same are told as two.
SAME_PLACE = 1e-7


@dataclass(frozen=True)
class HerePose:
    """One pose, or a range of poses, of the part at rest in the world."""

    number: int
    pose: Pose  # of the centre of mass
    height: float  # m, of the centre of mass against gravity, from the world's origin
    touches: str  # "edge 0 on groove edge 2, vertex 3 on groove edge 1"
    slide: tuple[float, float]  # m, how far it can slide to the left and to the right, seen with gravity down
    open: tuple[bool, bool]  # ... and does it leave there, as nothing stops it
    found: PocketPose  # as found, gravity along -y
    alike: int  # number of the first pose that the part's symmetry makes the same; its own if none is
    share: float  # of all angles, that of those from which it comes here; of alike poses that were merged their sum


@dataclass(frozen=True)
class HereListing:
    """All poses in which a part rests among the obstacles of its scene."""

    scene: Scene
    outline: Outline  # the centre of mass at the origin, m
    weight: float  # N
    down: float  # rad, direction of gravity
    poses: tuple[HerePose, ...]
    notes: tuple[str, ...]  # what of the scene does not count

    def get_energy(self, way: Way | None) -> float | None:
        """Energy to the next maximum, J; infinite where there is none; None where the part slides away instead."""
        return None if way is None else self.weight * way.lift

    def merge_alike(self) -> tuple[HerePose, ...]:
        """The poses without those that are alike to an earlier one, which takes their share."""
        merged: dict[int, HerePose] = {}
        for pose in self.poses:
            first = merged.get(pose.alike)
            merged[pose.alike] = pose if first is None else replace(first, share=first.share + pose.share)
        return tuple(merged.values())

    def write_csv(self, path: str | Path, poses: tuple[HerePose, ...]) -> Path:
        """Write a line a pose, in SI units, numbers with all their digits; empty where there is no value."""
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        with PartialFile(path) as partial:
            with partial.open("w", newline="", encoding="utf-8") as file:
                writer = csv.writer(file)
                writer.writerow(COLUMNS)
                for pose in poses:
                    ways = [value for way in (pose.found.left, pose.found.right)
                            for value in (None if way is None else way.angle, None if way is None else way.lift,
                                          self.get_energy(way))]
                    writer.writerow((pose.number, pose.found.pocket, pose.touches, *pose.pose, pose.found.span,
                                     pose.height, *pose.slide, *pose.open, *ways, pose.share, pose.alike))
            partial.publish()
        return path


def list_rest_here(scene: Scene) -> HereListing:
    """The rest poses of the part among the obstacles of its scene as at t = 0, without friction. Raises SceneError."""
    gravity = math.hypot(*scene.gravity)
    if gravity == 0.0:
        raise SceneError(f"{scene.name}: gravity is 0, so that the part rests in any pose; give gravity, such as "
                         "--set gravity=[0, -9.81]")
    if not scene.obstacles:
        raise SceneError(f"{scene.name}: there are no obstacles, so that nothing holds the part")
    down = math.atan2(scene.gravity[1], scene.gravity[0])
    turn = Pose(0.0, 0.0, -0.5 * math.pi - down)
    part = as_outline(scene.workpiece.outline)
    shapes = [as_outline(obstacle.shape) for obstacle in scene.obstacles]
    try:
        found, slices = list_pocket_poses(part, [shape.placed(turn) for shape in shapes])
    except StictionError as error:
        raise SceneError(f"{scene.name}: {error}") from None
    names = _Names(scene, [shape.placed(turn) for shape in shapes], slices.boundary)
    poses = [_place(number, pose, turn, names) for number, pose in enumerate(found)]
    return HereListing(scene, part, scene.workpiece.mass * gravity, down, _name_alike(part, poses), _list_notes(scene))


def as_outline(outline: Polygon | Outline) -> Outline:
    """The same rows as an Outline."""
    if isinstance(outline, Outline):
        return outline
    return trust_features(outline.features, np.zeros(len(outline.vertices), dtype=np.int64), None)


class _Names:
    """What scenes call the rows of the boundary of all obstacles."""

    def __init__(self, scene: Scene, shapes: list[Outline], boundary: Boundary):
        self._names = [obstacle.name for obstacle in scene.obstacles]
        self._shapes, self._boundary = shapes, boundary
        self._room = 4.0 * compute_boundary_tolerance(shapes)

    def describe(self, contact: tuple[str, int, str, int]) -> str:
        own, row, far, wall = contact
        owner, feature = int(self._boundary.owner[wall]), int(self._boundary.feature[wall])
        if far == "vertex":
            # where an edge that others cut begins is no vertex of its own
            away = np.hypot(*(self._shapes[owner].start - self._boundary.start[wall]).T)
            if away.min() > self._room:
                return f"{own} {row} on {self._names[owner]} seam"
            feature = int(away.argmin())
        return f"{own} {row} on {self._names[owner]} {far} {feature}"


def _place(number: int, found: PocketPose, turn: Pose, names: _Names) -> HerePose:
    x, y, theta = turn.inverse().compose(Pose(found.x, found.height, found.theta))
    theta = math.remainder(theta, 2.0 * math.pi)
    slide = max(found.x - found.slides[0], 0.0), max(found.slides[1] - found.x, 0.0)
    leaves = slide[0] + slide[1] > 0.0
    touches = ", ".join(dict.fromkeys(names.describe(contact) for contact in found.contacts))
    return HerePose(number, Pose(x, y, theta if theta > -math.pi else math.pi), found.height, touches, slide,
                    (leaves and not found.closed[0], leaves and not found.closed[1]), found, number, found.share)


def _name_alike(part: Outline, poses: list[HerePose]) -> tuple[HerePose, ...]:
    order = find_symmetry(part)
    named: list[HerePose] = []
    for pose in poses:
        alike = pose.number
        for other in named:
            away = math.hypot(pose.pose.x - other.pose.x, pose.pose.y - other.pose.y)
            turn = (pose.pose.theta - other.pose.theta) * order / (2.0 * math.pi)
            if away <= SAME_PLACE * part.size and abs(turn - round(turn)) <= ANGLE_TOLERANCE * max(order, 1):
                alike = other.alike
                break
        named.append(replace(pose, alike=alike))
    return tuple(named)


def _list_notes(scene: Scene) -> tuple[str, ...]:
    notes = []
    if scene.gravity_turn is not None:
        notes.append("Gravity turns; it counts as it is at t = 0.")
    moving = [obstacle.name for obstacle in scene.obstacles if obstacle.motion is not None]
    if moving:
        notes.append(f"{', '.join(moving)}: moves; the poses are those where it stands at t = 0.")
    if scene.gripper or scene.springs or scene.loads or scene.control or any(scene.load):
        notes.append("Only gravity counts, not the other loads on the part.")
    return tuple(notes)
