"""Changes of a scene that are more than one value: they give a new scene, whose text holds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from geometry.shapes.pose import Pose
from sim.scene.build import build_scene, take_scene
from sim.scene.scene import AnyScene, Scene
from sim.scene.scene_errors import SceneError
from sim.scene.start import check_start
from sim.scene.toml_edit import rewrite_toml
from sim.scene.toml_text import read_toml
from sim.values.quantities import read_angle, read_length
from sim.words.quoting import quote
from sim.words.suggestion import suggest

POSE_KEYS = ("workpiece.pose.x", "workpiece.pose.y", "workpiece.pose.theta")


def set_motion(scene: AnyScene, name: str, waypoints: ArrayLike, interpolation: str = "smooth") -> Scene:
    """The scene with an obstacle that follows waypoints; its text holds them.

    waypoints (n, 4): rows t [s], x, y [m], theta [rad], absolute poses of the obstacle's frame; before the first and
    after the last it stands still. interpolation: "smooth" (the cubic spline that is at rest at both ends) or "linear".
    What the scene said about pose and motion of the obstacle is replaced; a surface speed stays. Raises SceneError.
    """
    scene = take_scene(scene)
    names = [obstacle.name for obstacle in scene.obstacles]
    if name not in names:
        raise SceneError(f"set_motion: there is no obstacle {quote(name)}{suggest(name, names)}")
    try:
        rows = np.asarray(waypoints, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise SceneError(f"set_motion: waypoints must be an array (n, 4) of t, x, y, theta: {error}") from None
    if rows.ndim != 2 or rows.shape[1] != 4:
        raise SceneError(f"set_motion: waypoints must be an array (n, 4) of t, x, y, theta, not of shape {rows.shape}")
    data = read_toml(scene.text)
    obstacle = data["obstacle"][names.index(name)]
    obstacle.pop("pose", None)
    obstacle["motion"] = {"interpolation": interpolation, "waypoints": rows.tolist()}
    return build_scene(data, rewrite_toml(scene.text, data), scene.source or scene.name, scene.source)


def can_be_moved(scene: Scene, text: str) -> bool:
    """Does nothing but the pose of its part depend on the key `workpiece.pose` of the scene with this text?"""
    pose = read_toml(text)["workpiece"].get("pose", [])
    return isinstance(pose, list) and scene.formation is None and not scene.held


def move_part(scene: Scene, text: str, changes: Mapping[str, Any], where: str) -> Scene:
    """The scene with other values of some POSE_KEYS, to the last bit as if its text, which it keeps, were read anew;
    it must be one that `can_be_moved`. Raises SceneError, OverlapError, and ValueError for a value that cannot be."""
    given = read_start(text)
    for place, (key, read) in enumerate(zip(POSE_KEYS, (read_length, read_length, read_angle), strict=True)):
        if key in changes:
            given[place] = read(changes[key])
    workpiece, frame = scene.workpiece, Pose(*given)
    x, y = frame.transform((0.0 - workpiece.origin[0], 0.0 - workpiece.origin[1]))
    moved = replace(scene, workpiece=replace(workpiece, pose=Pose(float(x), float(y), frame.theta)))
    check_start(moved, where)
    return moved


@lru_cache(maxsize=4)
def _read_start(text: str) -> tuple[float, float, float]:
    x, y, theta = read_toml(text)["workpiece"].get("pose", (0.0, 0.0, 0.0))
    return read_length(x), read_length(y), read_angle(theta)


def read_start(text: str) -> list[float]:
    """x, y [m] and theta [rad] of the frame of the outline, as the text of a scene gives them."""
    return list(_read_start(text))
