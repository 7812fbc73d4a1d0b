"""What a run has led to, in a word: a goal of the scene, or where else it ended.

    a goal            the run ended in the region of poses of a `[[goal]]`; the first that holds counts
    jammed            at rest, held by contacts that could hold it against every load (force closure with friction),
                      or squeezed by obstacles that move and leave it no room
    at rest on ...    at rest in one of the rest poses of the part (`stiction rest`), by what touches: on "edge 0"
    at rest           at rest elsewhere: it does not move at the end, and may stay as it is
    wedged            of an `[insertion]`: it stands on its way in, and its contacts could hold it against every load
    inserted          of an `[insertion]`: it is as deep as it should be
    refused           of an `[insertion]`: it is not in the mouth at the end, and touches something
    left the scene    in free flight, and wholly outside the box around the start and all obstacles on their ways
    not unique        several motions were possible, and the rule of choice is to stop
    no solution       no motion is possible (Painlevé), or no velocity after an impact
    timed out         still moving at the end time, or at the limit of steps
    overlap           the part would start inside an obstacle: there was no run
    invalid           the values of the cell are none of the scene: there was no run
    failed            the run ended otherwise; its status says how

Where the scene has an `[insertion]`, "jammed" has the meaning that it has there: the part stands on its way in, held by
contacts under this load, and another load could move it. To stand is to have no velocity at the end, whatever presses
on: what rolls on two contacts or more cannot move.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from dynamics.tolerances import SPEED_ROUNDING
from sim.instant.depth import measure_depth
from sim.instant.goals import find_reached
from sim.instant.lying import find_bed, list_lying, number_outcomes
from sim.instant.scene_box import find_box
from sim.rows.ending_codes import AWAY, REACHED, TIME
from sim.rows.records import CONTACT_DTYPE
from sim.rows.status import Status
from sim.scene.scene import Goal, Scene
from sim.scene.schema import OUTCOMES
from sim.tolerances import DEPTH_ROUNDING, STILL

(AT_REST, JAMMED, WEDGED, INSERTED, REFUSED, LEFT, NOT_UNIQUE, NO_SOLUTION, TIMED_OUT, OVERLAP, INVALID,
 FAILED) = range(len(OUTCOMES))  # fmt: skip
GOAL = len(OUTCOMES)  # the first goal; the others follow
_BY_STATUS = {
    Status.NOT_UNIQUE: NOT_UNIQUE, Status.NO_SOLUTION: NO_SOLUTION, Status.NO_IMPACT_SOLUTION: NO_SOLUTION,
    Status.STEP_LIMIT: TIMED_OUT, Status.JAMMED: JAMMED,
}  # fmt: skip


def list_outcomes(scene: Scene) -> tuple[str, ...]:
    """The words of the codes 0, 1, ... : the outcomes of every sweep, the goals of the scene, and its rest poses."""
    return (*OUTCOMES, *(goal.name for goal in scene.goals), *list_lying(scene))


class Judge:
    """What the outcome of the runs of one scene depends on; scenes that differ in numbers only may share it."""

    def __init__(self, scene: Scene):
        workpiece = scene.workpiece
        left, bottom, right, top = find_box(scene)
        self.low, self.high = np.array([left, bottom]), np.array([right, top])
        self.radius = workpiece.outline.reach
        self.goals, self.origin = scene.goals, workpiece.origin
        self.way = None if scene.insertion is None else (scene.insertion, workpiece.outline)
        self.bed = find_bed(scene)


class Judges:
    """Finds the outcomes of runs of some scenes; outcomes: all words of the sweep, whose places are the codes."""

    def __init__(self, judges: list[Judge], outcomes: tuple[str, ...]):
        self._outcomes = outcomes
        self._boxes = np.array([(judge.low, judge.high) for judge in judges])  # (m, 2, 2)
        self._radius = np.array([judge.radius for judge in judges])
        regions: dict[tuple, int] = {}
        self._region = np.array([regions.setdefault((judge.goals, judge.origin, judge.way, judge.bed), len(regions))
                                 for judge in judges])
        self._regions = list(regions)

    def find_outcomes(self, which: np.ndarray, status: np.ndarray, time: np.ndarray, pose: np.ndarray,
                      at_rest: np.ndarray, n_contacts: np.ndarray, held: np.ndarray,
                      stands: np.ndarray | None = None, ending: np.ndarray | int = TIME) -> np.ndarray:
        """(n,) codes of the outcomes. which: the judge of each run; time: of the end, s; pose (n, 3): of the centre of
        mass then;
        n_contacts: closed at the end; held: whether these could hold a part at rest against every load, see `is_held`;
        stands: whether it does not move at the end, see `stand_still`; at_rest if not given; ending: what has ended
        the run, see `sim.rows.ending_codes`.
        """
        stands = at_rest if stands is None else at_rest | stands
        place, radius = pose[:, :2], self._radius[which, None]
        low, high = self._boxes[which].swapaxes(0, 1)
        outside = ((place + radius < low) | (place - radius > high)).any(axis=1)
        codes = np.where((outside & (n_contacts == 0)) | (ending == AWAY), LEFT, TIMED_OUT)
        codes = np.where(at_rest, np.where(held, JAMMED, AT_REST), codes)
        for number, (goals, origin, way, bed) in enumerate(self._regions):
            own = (self._region[which] == number) & (status == Status.COMPLETED)
            if way is not None and own.any():
                codes[own] = find_progress(way, pose[own], codes[own], n_contacts[own] > 0, stands[own], held[own])
            lying = np.flatnonzero(own & (codes == AT_REST))
            if len(lying):
                codes[lying] = number_outcomes(bed, self._outcomes, AT_REST)[bed.find_poses(pose[lying], time[lying])]
            for index, goal in reversed(list(enumerate(goals))):  # the first that holds counts
                reached = own & (at_rest | (not goal.at_rest))
                reached[reached] = is_inside(goal, origin, pose[reached])
                codes[reached] = GOAL + index
        codes = np.where(ending >= REACHED, GOAL + ending - REACHED, codes)
        others = np.flatnonzero(status != Status.COMPLETED)
        codes[others] = [_BY_STATUS.get(Status(code), FAILED) for code in status[others].tolist()]
        return codes


def find_progress(way, pose: np.ndarray, codes: np.ndarray, touches, stands, held) -> np.ndarray:
    """(n,) codes of runs of an insertion that came to their ends; `codes`: what they are without it.

    way: the Insertion and the outline of the part; pose (n, 3): of the centre of mass; touches, stands, held (n,) bool.
    """
    insertion, outline = way
    depth, rounding = measure_depth(insertion, outline, pose), DEPTH_ROUNDING * outline.size
    return np.select([depth >= insertion.depth - rounding, touches & (depth <= rounding), touches & stands & held,
                      touches & stands], [INSERTED, REFUSED, WEDGED, JAMMED], codes)


def stand_still(velocity: np.ndarray, reach: float, speed: np.ndarray | float) -> np.ndarray:
    """(n,) bool: is the part as good as without velocity (n, 3)? reach: of its outline from the centre of mass, m;
    speed: what is zero to rounding in its scene, m/s."""
    fastest = (np.abs(velocity) * np.array([1.0, 1.0, reach])).max(axis=1)
    return fastest <= STILL * (speed / SPEED_ROUNDING)


def is_inside(goal: Goal, origin: tuple[float, float], pose: np.ndarray) -> np.ndarray:
    """(n,) are poses (n, 3) of the centre of mass in the region of a goal? origin: of the outline, seen from there."""
    x, y, theta = pose.T
    c, s, (ox, oy) = np.cos(theta), np.sin(theta), origin
    inside = np.ones(len(pose), bool)
    for interval, value in ((goal.x, x + c * ox - s * oy), (goal.y, y + s * ox + c * oy)):
        if interval is not None:
            inside &= (interval[0] <= value) & (value <= interval[1])
    if goal.theta is not None:
        low, high = goal.theta
        inside &= (high - low >= 2.0 * math.pi) | ((theta - low) % (2.0 * math.pi) <= high - low)
    return inside


def lies_still(scene: Scene, pose, velocity, time: float) -> bool:
    """Does the part not move at a time [s], and may it stay as it is from then on? pose, velocity (3,): of the centre
    of mass. The engine knows rest for good; this holds as well where obstacles that move have just come to their last
    waypoints, or move elsewhere, and of a part that has swung to rest in a gripper or on springs."""
    from dynamics.sets.acceleration_set import find_accelerations
    from sim.instant.body import build_body, build_scales
    from sim.instant.instant import contact_problem

    scales = build_scales(scene, build_body(scene))
    reach = np.array([1.0, 1.0, scene.workpiece.outline.reach])
    if not (np.abs(velocity) * reach).max() <= STILL * scales.speed / SPEED_ROUNDING:
        return False
    problem, contacts = contact_problem(scene, pose, np.zeros(3), time)
    if any(contact["gap_rate"] < 0.0 for contact in contacts):
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
    *before, last = ["", "", *trajectory.events["kind"][-2:].tolist()]
    completed, rests = trajectory.status is Status.COMPLETED, "rest" in (last, before[-1] if last == "goal" else "")
    at_rest = completed and (rests or lies_still(scene, pose, trajectory.velocity[-1], end))
    reached = find_reached(scene, pose, rests) if last == "goal" else -1
    ending = AWAY if last == "left" else REACHED + reached if reached >= 0 else TIME
    judge = Judge(replace(scene, run=replace(scene.run, duration=end)))
    stands = at_rest or (completed and scene.insertion is not None and _stands(scene, trajectory.velocity[-1]))
    held = stands and is_held(contacts, pose, [obstacle.mu for obstacle in scene.obstacles], scene.workpiece.rho)
    words = list_outcomes(scene)
    code = Judges([judge], words).find_outcomes(*(np.array([value]) for value in (
        0, int(trajectory.status), end, pose, at_rest, len(contacts), held, stands, ending)))[0]
    return words[code]


def _stands(scene: Scene, velocity) -> bool:
    from sim.instant.body import build_body, build_scales

    speed = build_scales(scene, build_body(scene)).speed
    return bool(stand_still(velocity[None, :], scene.workpiece.outline.reach, speed)[0])


def is_held(contacts: np.ndarray, pose, mu, rho: float) -> bool:
    """Do the friction cones of the contacts span all loads (force closure)? contacts: rows of the contact table; pose
    (3,): of the centre of mass; mu: friction of each obstacle."""
    from dynamics.cones.closure import check_closure

    rows = np.array(contacts, CONTACT_DTYPE)
    return bool(check_closure(rows, 0, len(rows), np.array(pose, np.float64), np.array(mu, np.float64), float(rho),
                              np.zeros((2 * len(rows), 3))))
