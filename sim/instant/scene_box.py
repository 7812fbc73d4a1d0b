"""The box around the start and all obstacles on their ways: outside of it there is nothing to touch."""

from __future__ import annotations

from functools import lru_cache
from math import hypot, inf
from typing import TYPE_CHECKING

import numpy as np

from geometry.prescribed.ways import bound_places
from geometry.shapes.polygon import Polygon
from sim.scene.start import place_body

if TYPE_CHECKING:
    from geometry.prescribed.motion import Motion
    from geometry.shapes.pose import Pose
    from sim.scene.build_outline import AnyOutline
    from sim.scene.scene import Scene

Bounds = tuple[float, float, float, float]  # m: left, bottom, right, top


def find_box(scene: Scene) -> Bounds:
    """Around the part at the start and every obstacle during the run."""
    part, duration = scene.workpiece, scene.run.duration
    boxes = [_bound_place(part.outline, part.pose)]
    for obstacle in scene.obstacles:
        motion = obstacle.motion
        boxes.append(_bound_place(obstacle.outline, obstacle.pose) if motion is None or motion.shape_still
                     else _bound_way(obstacle.outline, motion, duration))
    left, bottom, right, top = zip(*boxes, strict=True)
    return min(left), min(bottom), max(right), max(top)


def find_limits(scene: Scene) -> Bounds:
    """The box with all poses of the part, as a circle, in goals that it need not be at rest in: outside of it nothing
    can happen any more to a part that flies away.

    Infinite where that is not known: where there are no obstacles, and where what acts on a part that flies may change,
    so that it may come back.
    """
    if not scene.obstacles or scene.gravity_turn is not None or scene.held:
        return -inf, -inf, inf, inf
    left, bottom, right, top = find_box(scene)
    arm = hypot(*scene.workpiece.origin)
    for goal in scene.goals:
        if not goal.at_rest:
            (x, x_end), (y, y_end) = goal.x or (-inf, inf), goal.y or (-inf, inf)
            left, bottom = min(left, x - arm), min(bottom, y - arm)
            right, top = max(right, x_end + arm), max(top, y_end + arm)
    return left, bottom, right, top


# The scenes of a study share outlines and motions.
@lru_cache(maxsize=256)
def _bound_place(outline: AnyOutline, pose: Pose) -> Bounds:
    placed = place_body(outline, pose)
    return (*placed.low.tolist(), *placed.high.tolist())


@lru_cache(maxsize=256)
def _bound_way(outline: AnyOutline, motion: Motion, duration: float) -> Bounds:
    """A polygon by its vertices; another outline by the corners of its bounding box, and by a circle about the pivot:
    so what is round is as large when it turns."""
    if isinstance(outline, Polygon):
        low, high = bound_places(motion, outline.vertices, 0.0, duration).tolist()
        return (*low, *high)
    (left, bottom), (right, top) = outline.bounds
    corners = np.array([[left, bottom], [right, bottom], [right, top], [left, top]])
    low, high = bound_places(motion, corners, 0.0, duration)
    pivot, reach = np.array(motion.pivot), outline.reach + hypot(*motion.pivot)
    middle = bound_places(motion, pivot[None, :], 0.0, duration)
    return (*np.maximum(low, middle[0] - reach).tolist(), *np.minimum(high, middle[1] + reach).tolist())
