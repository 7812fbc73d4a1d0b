"""The box around the start and all obstacles on their ways: outside of it there is nothing to touch."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from geometry.prescribed.ways import bound_places
from geometry.shapes.polygon import Polygon

if TYPE_CHECKING:
    from geometry.prescribed.motion import Motion
    from geometry.shapes.pose import Pose
    from sim.scene.build_outline import AnyOutline
    from sim.scene.scene import Scene


def find_box(scene: Scene) -> np.ndarray:
    """(2, 2) m: lowest x and y, highest x and y, of the part at the start and of every obstacle during the run."""
    workpiece, duration = scene.workpiece, scene.run.duration
    boxes = [_bound_place(workpiece.outline, workpiece.pose), *(
        _bound_place(obstacle.outline, obstacle.pose) if obstacle.motion is None or obstacle.motion.shape_still
        else _bound_way(obstacle.outline, obstacle.motion, duration) for obstacle in scene.obstacles)]
    return np.array([np.min([low for low, _ in boxes], axis=0), np.max([high for _, high in boxes], axis=0)])


def is_left_for_good(scene: Scene) -> bool:
    """May a part that is outside the box and flies away from it be said to never come back? Then what acts on it there
    is constant, and there are obstacles that it has left."""
    return bool(scene.obstacles) and scene.gravity_turn is None and not scene.held


# The scenes of a study share outlines and motions.
@lru_cache(maxsize=256)
def _bound_place(outline: AnyOutline, pose: Pose) -> np.ndarray:
    return outline.placed(pose).bounds


@lru_cache(maxsize=256)
def _bound_way(outline: AnyOutline, motion: Motion, duration: float) -> np.ndarray:
    """A polygon by its vertices, another outline by the corners of its bounding box."""
    if isinstance(outline, Polygon):
        points = outline.vertices
    else:
        (left, bottom), (right, top) = outline.bounds
        points = np.array([[left, bottom], [right, bottom], [right, top], [left, top]])
    return bound_places(motion, points, 0.0, duration)
