"""The rest poses of the part of a scene, or of a drawing, on a floor of given slope and friction, with energies."""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass, replace
from pathlib import Path

from geometry.errors import InputError
from geometry.rest.rest_poses import RestPose, Way, list_rest_poses
from geometry.shapes.outline import Outline
from sim.files.partial_file import PartialFile
from sim.scene.build_outline import AnyOutline
from sim.scene.scene import Scene
from sim.scene.scene_errors import SceneError

COLUMNS = ("number", "touches", "theta", "span", "height", "support_low", "support_high", "left_angle", "left_lift",
           "left_energy", "right_angle", "right_lift", "right_energy", "share", "alike", "slides")


@dataclass(frozen=True)
class RestListing:
    """All poses in which a part rests on a floor."""

    name: str
    outline: AnyOutline  # the centre of mass at the origin, m
    weight: float | None  # N; None of a drawing, which has no mass
    slope: float  # rad, by which the floor rises to the right
    mu: float | None  # friction of the floor; None where it is not told
    poses: tuple[RestPose, ...]

    @property
    def slides(self) -> bool:
        """Is the friction too small for this slope? Then the part slides in every pose."""
        return self.mu is not None and math.tan(abs(self.slope)) > self.mu

    def get_energy(self, way: Way) -> float | None:
        """Energy to tip, J; infinite where the part never does; None where no mass is known."""
        return None if self.weight is None else self.weight * way.lift

    def merge_alike(self) -> tuple[RestPose, ...]:
        """The poses without those that the part's symmetry makes the same as an earlier one, which takes their share.
        A pose that is none on a level floor stands for itself."""
        merged: dict[int, RestPose] = {}
        for k, pose in enumerate(self.poses):
            key = -1 - k if pose.alike is None else pose.alike
            first = merged.get(key)
            merged[key] = pose if first is None else replace(first, share=first.share + pose.share)
        return tuple(merged.values())

    def write_csv(self, path: str | Path, poses: tuple[RestPose, ...]) -> Path:
        """Write a line a pose, in SI units, numbers with all their digits; empty where there is no value."""
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        with PartialFile(path) as partial:
            with partial.open("w", newline="", encoding="utf-8") as file:
                writer = csv.writer(file)
                writer.writerow(COLUMNS)
                for pose in poses:
                    ways = [value for way in (pose.left, pose.right)
                            for value in (way.angle, way.lift, self.get_energy(way))]
                    writer.writerow((pose.number, pose.describe(), pose.theta, pose.span, pose.height, *pose.support,
                                     *ways, pose.share, pose.alike, "" if self.mu is None else self.slides))
            partial.publish()
        return path


def list_rest_of_scene(scene: Scene, slope: float = 0.0, mu: float | None = None) -> RestListing:
    """The rest poses of the part of a scene; its gravity counts by its size, and points down. Raises SceneError."""
    gravity = math.hypot(*scene.gravity)
    if gravity == 0.0:
        raise SceneError(f"{scene.name}: gravity is 0, so that the part rests in any pose; give gravity, such as "
                         "--set gravity=[0, -9.81]")
    try:
        poses = list_rest_poses(scene.workpiece.outline, slope)
    except InputError as error:
        raise SceneError(f"{scene.name}: {error}") from None
    return RestListing(scene.name, scene.workpiece.outline, scene.workpiece.mass * gravity, slope, mu, poses)


def list_rest_of_drawing(path: Path, layer: str | None = None, unit: str | None = None, slope: float = 0.0,
                         mu: float | None = None) -> RestListing:
    """The rest poses of the part that a drawing holds, of uniform density. Raises InputError."""
    drawn = Outline.from_file(path, layer, unit)
    outline = drawn.translated(*(-drawn.centroid))
    return RestListing(path.name, outline, None, slope, mu, list_rest_poses(outline, slope))
