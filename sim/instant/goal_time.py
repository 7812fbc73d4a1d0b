"""Since when a part has been in the goal that is the outcome of its run, from the rows of the run."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from sim.instant.body import build_body, build_scales
from sim.instant.outcome import is_inside, stand_still
from sim.scene.scene import Goal, Scene

if TYPE_CHECKING:
    from sim.instant.outcome import Ended


def find_goal_time(scene: Scene, trajectory: Ended, outcome: str) -> float:
    """Time [s] from which on a part was in its goal, NaN where the outcome is none: that of the end where the goal
    stops the run; of coming to rest where it asks for rest; else of the first row of those at the end that are in it,
    which the part reached after the row before."""
    goal = next((goal for goal in scene.goals if goal.name == outcome), None)
    if goal is None:
        return math.nan
    if trajectory.events["kind"][-1:].tolist() == ["goal"]:
        return float(trajectory.time[-1])
    off = np.flatnonzero(~_find_there(scene, trajectory, goal))
    first = int(off[-1]) + 1 if len(off) else 0
    return float(trajectory.time[min(first, len(trajectory) - 1)])


def _find_there(scene: Scene, trajectory: Ended, goal: Goal) -> np.ndarray:
    """(n,) rows in which the part stands still, or is in the goal."""
    if not goal.at_rest:
        return is_inside(goal, scene.workpiece.origin, trajectory.pose)
    speed = build_scales(scene, build_body(scene)).speed
    return stand_still(trajectory.velocity, scene.workpiece.outline.reach, speed)
