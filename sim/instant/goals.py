"""Goals as compiled code reads them: regions of poses, in which the same pose is on every side to the last bit."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from geometry.compiled.kernel import get_function
from geometry.compiled.record import allocate_record
from geometry.shapes.pose_region import REGION, is_in_region
from sim.scene.scene import Goal, Scene


def fill_region(region: Any, goal: Goal, origin: tuple[float, float]) -> None:
    """Write the REGION of a goal; origin [m]: of the frame of the outline, seen from the centre of mass."""
    for k, interval in enumerate((goal.x, goal.y, goal.theta)):
        region.low[k], region.high[k] = (-inf, inf) if interval is None else interval
    region.origin[:], region.reach = origin, float(np.hypot(*origin))


def find_reached(scene: Scene, pose: np.ndarray, at_rest: bool) -> int:
    """The number of the goal in which a run has stopped at a pose (3,) of the centre of mass; -1 if in none."""
    for number, goal in enumerate(scene.goals):
        region = allocate_record(REGION)
        fill_region(region, goal, scene.workpiece.origin)
        if goal.stop and (at_rest or not goal.at_rest) and get_function(is_in_region)(region, pose):
            return number
    return -1
