"""Changes of a scene that are more than one value: they give a new scene, whose text holds them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sim.scene.build import build_scene, take_scene
from sim.scene.scene import AnyScene, Scene
from sim.scene.scene_errors import SceneError
from sim.scene.toml_edit import rewrite_toml
from sim.scene.toml_text import read_toml
from sim.words.quoting import quote
from sim.words.suggestion import suggest


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
