"""The contact formation in which a scene starts: from names and numbers of features to the exact pose of the part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from geometry.formation.formations import (
    FormationError,
    FormationPose,
    FormationPoses,
    contact_of_features,
    find_type,
    solve_formation,
)
from geometry.formation.realised import Realisation, verify_formation
from geometry.shapes.pose import Pose
from sim.scene.build_outline import AnyOutline
from sim.scene.scene import Formation, Obstacle, Scene
from sim.scene.scene_errors import SceneError
from sim.words.quoting import quote
from sim.words.suggestion import suggest

if TYPE_CHECKING:
    from sim.scene.schema import FormationSection


def build_formation(section: FormationSection, outline: AnyOutline, obstacles: tuple[Obstacle, ...],
                    where: str) -> Formation:
    """The formation of a scene; `outline` is that of the workpiece. Raises SceneError."""
    names = [obstacle.name for obstacle in obstacles]
    contacts = []
    for i, given in enumerate(section.contact):
        key = f"{where}: formation.contact.{i}"
        if given.obstacle not in names:
            raise SceneError(f"{key}.obstacle = {quote(given.obstacle)}: there is no obstacle of this name"
                             f"{suggest(given.obstacle, names)}")
        index = names.index(given.obstacle)
        try:
            contacts.append(contact_of_features(outline, given.own, obstacles[index].outline, given.other, index,
                                                given.at))
        except FormationError as error:
            raise SceneError(f"{key} ({given.obstacle}): "
                             f"{str(error).replace('manipulator', 'obstacle')}") from None
    try:
        found = find_type(contacts)
    except FormationError as error:
        raise SceneError(f"{where}: formation.contact: {error}") from None
    if found != section.type:
        raise SceneError(f"{where}: formation.type = {section.type!r}: the contacts are those of type {found}")
    return Formation(found, tuple(contacts), section.branch)


def list_poses(formation: Formation, outline: AnyOutline, obstacles) -> tuple[FormationPoses, list[Realisation]]:
    """All poses of the formation, and for each whether it is realised."""
    placed = np.array([obstacle.pose for obstacle in obstacles], dtype=np.float64)
    outlines = [obstacle.outline for obstacle in obstacles]
    found = solve_formation(*formation.contacts, poses=placed)
    return found, [verify_formation(formation.contacts, pose, outline, outlines, placed) for pose in found.poses]


@dataclass(frozen=True)
class FormationListing:
    """All that the formation of a scene allows, also of a scene that has no start because of it."""

    name: str  # of the scene
    formation: Formation
    outline: AnyOutline  # of the workpiece
    obstacles: tuple[Obstacle, ...]
    found: FormationPoses
    checks: list[Realisation]
    start: Pose | None  # of the workpiece
    problem: str = ""  # why there is no start

    @property
    def is_usable(self) -> bool:
        """Whether a scene can start in it: in the branch that it names, or in any if it names none."""
        return self.start is not None or (self.formation.branch is None and any(c.realised for c in self.checks))


class NoStartError(SceneError):
    """No start pose follows from the formation of a scene; `listing` holds the poses there are."""

    def __init__(self, message: str, listing: FormationListing):
        super().__init__(message)
        self.listing = listing


def choose_pose(formation: Formation, outline: AnyOutline, obstacles, where: str) -> FormationPose:
    """The pose in which the scene starts. Raises NoStartError: none, infinitely many, no such branch, not realised."""
    found, checks = list_poses(formation, outline, obstacles)
    realised = [k for k, check in enumerate(checks) if check.realised]
    key, branch = "formation", formation.branch
    if not found.poses:
        problem = f"no start pose follows from it: {found.reason}"
    elif branch is None and len(realised) == 1:
        return found.poses[realised[0]]
    elif branch is None:
        problem = (f"{len(realised)} of its poses are realised; choose one by formation.branch" if realised
                   else "none of its poses is realised")
    elif branch in realised:
        return found.poses[branch]
    else:
        key = f"formation.branch = {branch}"
        problem = "this pose is not realised" if branch < len(found) else f"valid: 0 to {len(found) - 1}"
    names = [obstacle.name for obstacle in obstacles]
    lines = "".join(f"\n  branch {k}: x = {pose.x:.9g} m, y = {pose.y:.9g} m, theta = {pose.theta:.9g} rad: "
                    f"{name_obstacles(check.reason, names)}"
                    for k, (pose, check) in enumerate(zip(found.poses, checks, strict=True)))
    problem = f"{key}: {problem}"
    raise NoStartError(f"{where}: {problem}{lines}", FormationListing(
        Path(where).stem, formation, outline, tuple(obstacles), found, checks, None, problem))


def survey_formation(load: Callable[[], Scene]) -> FormationListing:
    """The listing of the scene that `load` returns, or would return if its formation had a usable pose.

    Raises SceneError: the scene is wrong for another reason, or has no formation.
    """
    try:
        scene = load()
    except NoStartError as error:
        return error.listing
    formation = require_formation(scene)
    found, checks = list_poses(formation, scene.workpiece.outline, scene.obstacles)
    return FormationListing(scene.name, formation, scene.workpiece.outline, scene.obstacles, found, checks,
                            scene.workpiece.pose)


def name_obstacles(reason: str, names: list[str]) -> str:
    """The sentence of a Realisation, with the names of the obstacles."""
    for index in reversed(range(len(names))):
        reason = reason.replace(f"manipulator {index}", repr(names[index]))
    return reason


def build_obstacle_motion(scene: Scene) -> Callable[[float], tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """The motion t [s] -> (poses, velocities, accelerations) that `track_formation` and `list_sheets` follow.

    Each is (m, 3), a row x, y [m], theta [rad] for each obstacle, of its frame; fixed obstacles have rates 0.
    """
    fixed = np.array([obstacle.pose for obstacle in scene.obstacles], dtype=np.float64).reshape(-1, 3)
    moving = [(k, obstacle.motion) for k, obstacle in enumerate(scene.obstacles) if obstacle.motion is not None]

    def motion(time: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        values = fixed.copy(), np.zeros_like(fixed), np.zeros_like(fixed)
        for k, own in moving:
            for table, row in zip(values, own.evaluate_frame(float(time)), strict=True):
                table[k] = row
        return values

    return motion


def require_formation(scene: Scene) -> Formation:
    """The formation of a scene. Raises SceneError where it has none."""
    if scene.formation is None:
        raise SceneError(f"{scene.name}: the scene has no table [formation]; it names a type and the contacts in which "
                         "the part starts, see the built-in scene three_fingers")
    return scene.formation
