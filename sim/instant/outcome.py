"""What a run has led to, in a word: a goal of the scene, or where else it ended.

    a goal            the run ended in the region of poses of a `[[goal]]`; the first that holds counts
    jammed            at rest, held by contacts that could hold it against every load (force closure with friction),
                      or squeezed by obstacles that move and leave it no room
    at rest           at rest elsewhere: it does not move at the end, and may stay as it is
    left the scene    in free flight, and wholly outside the box around the start and all obstacles on their ways
    not unique        several motions were possible, and the rule of choice is to stop
    no solution       no motion is possible (Painlevé), or no velocity after an impact
    timed out         still moving at the end time, or at the limit of steps
    overlap           the part would start inside an obstacle: there was no run
    invalid           the values of the cell are none of the scene: there was no run
    failed            the run ended otherwise; its status says how
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from dynamics.tolerances import SPEED_ROUNDING
from geometry.prescribed.motion import spread_times
from sim.rows.status import Status
from sim.scene.scene import Goal, Scene
from sim.scene.schema import OUTCOMES
from sim.tolerances import STILL

AT_REST, JAMMED, LEFT, NOT_UNIQUE, NO_SOLUTION, TIMED_OUT, OVERLAP, INVALID, FAILED = range(len(OUTCOMES))
LOOKS = 200  # times at which obstacles that move are looked at, for the box around all
GOAL = len(OUTCOMES)  # the first goal; the others follow
_BY_STATUS = {
    Status.NOT_UNIQUE: NOT_UNIQUE, Status.NO_SOLUTION: NO_SOLUTION, Status.NO_IMPACT_SOLUTION: NO_SOLUTION,
    Status.STEP_LIMIT: TIMED_OUT, Status.JAMMED: JAMMED,
}  # fmt: skip


def list_outcomes(scene: Scene) -> tuple[str, ...]:
    """The words of the codes 0, 1, ... : the outcomes of every sweep, then the goals of the scene."""
    return (*OUTCOMES, *(goal.name for goal in scene.goals))


class Judge:
    """Finds the outcome of the runs of one scene; scenes that differ in numbers only may share it."""

    def __init__(self, scene: Scene):
        workpiece = scene.workpiece
        start = workpiece.pose.transform(workpiece.outline.vertices)
        times = spread_times(0.0, scene.run.duration, LOOKS)
        places = (obstacle.place(time) for obstacle in scene.obstacles
                  for time in (times if obstacle.motion is not None else times[:1]))
        points = np.concatenate([start, *places])
        self._low, self._high = points.min(axis=0).tolist(), points.max(axis=0).tolist()
        self._radius = float(np.hypot(*workpiece.outline.vertices.T).max())
        self._goals = scene.goals
        self._origin = workpiece.origin

    def find_outcome(self, status: int, pose, at_rest: bool, n_contacts: int, is_held: Callable[[], bool]) -> int:
        """The code of the outcome. pose (3,): of the centre of mass at the end; n_contacts: closed at the end; is_held:
        asked where the answer counts, see `is_held`."""
        if status != Status.COMPLETED:
            return _BY_STATUS.get(status, FAILED)
        for index, goal in enumerate(self._goals):
            if (at_rest or not goal.at_rest) and self._is_inside(goal, pose):
                return GOAL + index
        if at_rest:
            return JAMMED if is_held() else AT_REST
        x, y, r = pose[0], pose[1], self._radius
        outside = x + r < self._low[0] or x - r > self._high[0] or y + r < self._low[1] or y - r > self._high[1]
        return LEFT if outside and n_contacts == 0 else TIMED_OUT

    def _is_inside(self, goal: Goal, pose) -> bool:
        x, y, theta = pose
        c, s = math.cos(theta), math.sin(theta)
        ox, oy = self._origin
        for interval, value in ((goal.x, x + c * ox - s * oy), (goal.y, y + s * ox + c * oy)):
            if interval is not None and not interval[0] <= value <= interval[1]:
                return False
        if goal.theta is None:
            return True
        low, high = goal.theta
        return high - low >= 2.0 * math.pi or (theta - low) % (2.0 * math.pi) <= high - low


def lies_still(scene: Scene, pose, velocity, time: float) -> bool:
    """Does the part not move at a time [s], and may it stay as it is from then on? pose, velocity (3,): of the centre
    of mass. The engine knows rest for good; this holds as well where obstacles that move have just come to their last
    waypoints, or move elsewhere."""
    from dynamics.sets.acceleration_set import find_accelerations
    from sim.instant.body import build_body, build_scales
    from sim.instant.instant import contact_problem

    scales = build_scales(scene, build_body(scene))
    reach = np.array([1.0, 1.0, scene.workpiece.outline.radius])
    if not (np.abs(velocity) * reach).max() <= STILL * scales.speed / SPEED_ROUNDING:
        return False
    problem, contacts = contact_problem(scene, pose, np.zeros(3), time)
    if not contacts or any(contact["gap_rate"] < 0.0 for contact in contacts):
        return False
    vertices = [vertex for piece in find_accelerations(problem).pieces for vertex in piece.vertices]
    return any(np.abs(vertex).max() <= STILL * scales.force for vertex in vertices)


class Ended(Protocol):
    """What is asked of a run that has ended: a `Trajectory`."""

    @property
    def status(self) -> Status: ...
    @property
    def time(self) -> np.ndarray: ...
    @property
    def pose(self) -> np.ndarray: ...
    @property
    def velocity(self) -> np.ndarray: ...
    @property
    def events(self) -> Any: ...

    def __len__(self) -> int: ...

    def contacts_at(self, row: int) -> np.ndarray: ...


def find_outcome(scene: Scene, trajectory: Ended) -> str:
    """The outcome of a run, in a word, as a sweep finds it; "" of one that has no rows or has not ended."""
    if not len(trajectory) or trajectory.status is Status.RUNNING:
        return ""
    end, pose, contacts = float(trajectory.time[-1]), trajectory.pose[-1], trajectory.contacts_at(-1)
    events, completed = trajectory.events, trajectory.status is Status.COMPLETED
    at_rest = completed and (bool(len(events) and events["kind"][-1] == "rest")
                             or lies_still(scene, pose, trajectory.velocity[-1], end))
    judge = Judge(replace(scene, run=replace(scene.run, duration=end)))
    mu = [obstacle.mu for obstacle in scene.obstacles]
    code = judge.find_outcome(trajectory.status, pose, at_rest, len(contacts),
                              lambda: is_held(contacts, pose, mu, scene.workpiece.rho))
    return list_outcomes(scene)[code]


def is_held(contacts: np.ndarray, pose, mu, rho: float) -> bool:
    """Do the friction cones of the contacts span all loads (force closure)? contacts: rows of the contact table; pose
    (3,): of the centre of mass; mu: friction of each obstacle."""
    from dynamics.cones.contact_set import place_contacts
    from dynamics.cones.statics import check_force_closure

    places = {}
    for row in contacts:  # of points on one straight edge only the outermost count
        key = (int(row["obstacle"]), round(float(row["nx"]), 9), round(float(row["ny"]), 9))
        along = float(row["ny"] * row["px"] - row["nx"] * row["py"])
        near = places.setdefault(key, [(along, row), (along, row)])
        near[0] = min(near[0], (along, row), key=lambda place: place[0])
        near[1] = max(near[1], (along, row), key=lambda place: place[0])
    if len(places) < 2:
        return False  # all contacts press the same way
    rows = [row for ends in places.values() for _, row in (ends[:1] if ends[0][0] == ends[1][0] else ends)]
    found = place_contacts([(row["px"], row["py"]) for row in rows], [(row["nx"], row["ny"]) for row in rows],
                           [mu[int(row["obstacle"])] for row in rows], (pose[0], pose[1]), rho, [True] * len(rows))
    return bool(check_force_closure(found)[0])
