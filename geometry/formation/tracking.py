"""Following a contact formation while the manipulators move.

Every pose on the way is a closed-form pose of `solve_formation`; following only means to tell which one. Poses that
meet at a branch point come from different signs of det J, so a track keeps its sign. A step is taken if the pose is
much nearer to where the last one was going than any other pose is, and if the way there is the smooth one that the
velocities at both ends tell; else it is halved. So a branch point, at which the pose goes like a square root, is run
into and never stepped over. What a step passes is bounded (`geometry/formation/interval.py`), and the step is split
until nothing can hide in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from geometry.formation.contacts import FormationContact, FormationError, Shape
from geometry.formation.formations import solve_formation
from geometry.formation.interval import SPLIT, evaluate_quintic, is_clear, make_quintic
from geometry.formation.placements import FormationState, Motion, compute_variation, interpolate_motion
from geometry.formation.realised import Realisation, verify_formation
from geometry.tolerances import BRANCH_DETERMINANT, BRANCH_NEAR, PART_JUMP, SMALLEST_STEP, START_POSE

REASONS = ("end", "branch", "edge", "collision", "break", "away", "start")
# Farther than this many of its sizes from the vertices and edges that hold it the part has left: their lines become
# parallel, and the pose on them has no bound.
AWAY = 1e4
NEAR = 0.25  # a pose is the next one if it is this many times nearer to the prediction than any other


class Stop(NamedTuple):
    """Why a track ends.

    reason: "end" of the times; "branch": a branch point; "edge": a contact reached the end of its edge or arc;
    "collision": the part met a manipulator elsewhere; "break": the motion of the manipulators jumps in position,
    or, at one of the given breaks, in velocity; "away": the lines become parallel and the pose leaves beyond all
    bounds; "start": it was started here.
    """

    reason: str
    detail: str  # a sentence
    number: int | None = None  # of the contact ("edge") or of the manipulator ("collision")


@dataclass(frozen=True)
class Track:
    """One branch of a formation over time: rows at the times asked for, and where it stopped.

    At a branch point velocity and acceleration are those of the last regular pose before it (they have no bound there).
    """

    times: np.ndarray  # (n,) s
    poses: np.ndarray  # (n, 3) x, y, theta: m, m, rad; theta continuous, not wrapped
    velocities: np.ndarray  # (n, 3) m/s, m/s, rad/s
    accelerations: np.ndarray  # (n, 3)
    determinants: np.ndarray  # (n,) m; its sign is that of the sheet
    end: Stop
    begin: Stop

    @property
    def reason(self) -> str:
        """Why it ends, one of REASONS."""
        return self.end.reason

    @property
    def detail(self) -> str:
        """The same as a sentence."""
        return self.end.detail


class _StepTooLongError(Exception):
    """Which pose continues the state cannot be told over this step; a shorter one may do."""


class _Follower:
    """What stays the same along a track."""

    def __init__(self, contacts, motion: Motion, part, manipulators):
        self.contacts, self.motion, self.part, self.manipulators = contacts, motion, part, manipulators
        points = [np.hypot(*contact.part_point) for contact in contacts]
        self.length = max(points) if part is None else part.size  # m for a radian
        if self.length == 0.0:
            self.length = 1.0

    def measure(self, difference) -> float:
        return float(np.hypot(np.hypot(difference[0], difference[1]), self.length * difference[2]))

    def make_state(self, time: float, pose) -> FormationState:
        motion = self.motion(time)
        velocity, acceleration, determinant = compute_variation(self.contacts, pose, motion)
        if velocity is None:
            raise FormationError(f"at t = {time!r} s the formation is at a branch point: no velocity follows from it")
        return FormationState(time, np.array(pose, dtype=np.float64), velocity, acceleration, determinant, motion)

    def find_next(self, state: FormationState, time: float) -> FormationState:
        """The pose that continues the state at another time. Raises _StepTooLongError."""
        h = time - state.time
        expected = state.pose + h * (state.velocity + 0.5 * h * state.acceleration)
        best, distance, second = None, np.inf, np.inf
        for pose in solve_formation(*self.contacts, poses=self.motion(time)[0]).poses:
            turn = 2.0 * np.pi * np.round((expected[2] - pose.theta) / (2.0 * np.pi))
            candidate = np.array([pose.x, pose.y, pose.theta + turn])
            away = self.measure(candidate - expected)
            if away < distance:
                second, best, distance = distance, (pose.multiplicity, candidate), away
            else:
                second = min(second, away)
        if best is None or best[0] > 1 or distance > NEAR * min(second, self.length):
            raise _StepTooLongError
        following = self.make_state(time, best[1])
        if following.determinant * state.determinant <= 0.0:
            raise _StepTooLongError
        return following

    def take_step(self, state: FormationState, time: float) -> tuple[FormationState, FormationState | None]:
        """(state at the time, state between), the way there being smooth. Raises _StepTooLongError."""
        following = self.find_next(state, time)
        between = self.split(state, following)
        if between is not None:
            first, last = (np.stack([each.pose, each.velocity, each.acceleration]) for each in (state, following))
            u = (between.time - state.time) / (time - state.time)
            error = evaluate_quintic(make_quintic(first, last, time - state.time), u) - between.pose
            if self.measure(error) > PART_JUMP * self.length:
                raise _StepTooLongError
        return following, between

    def split(self, low: FormationState, high: FormationState) -> FormationState | None:
        """A state between two, None where no time is between. Raises _StepTooLongError."""
        time = low.time + SPLIT * (high.time - low.time)
        return None if time in (low.time, high.time) else self.find_next(low, time)

    def find_stop(self, low: FormationState, high: FormationState, between: FormationState | None):
        """(last realised state, what is wrong after it) on the way from one state to another, to rounding in time; None
        if all of it is realised. Raises _StepTooLongError."""
        if self.part is None:
            return None
        if between is None or is_clear(self.contacts, self.part, self.manipulators, low, high, between):
            wrong = self.check(high)
            if wrong is None:
                return None
            if between is None:
                return low, wrong
        for start, end in ((low, between), (between, high)):
            stop = self.find_stop(start, end, self.split(start, end))
            if stop:
                return stop
        return None

    def check(self, state: FormationState) -> Realisation | None:
        """What is wrong with a pose, None if nothing."""
        if self.part is None:
            return None
        found = verify_formation(self.contacts, state.pose, self.part, self.manipulators, state.motion[0])
        return None if found.realised else found


def track_formation(contacts: Sequence[FormationContact], motion: Callable | ArrayLike, times: ArrayLike,
                    start: Sequence[float] | np.ndarray, *, part: Shape | None = None,
                    manipulators: Sequence[Shape] = (), breaks: Iterable[float] = ()) -> Track:
    """Follow one branch of a formation.

    motion: a function t -> (poses, velocities, accelerations), each (m, 3), or an array (n, m, 3) of the poses at
    `times`, through which a smooth curve is laid (`interpolate_motion`). times: (n,), all rising or all falling.
    start: the pose (x, y, theta) at times[0], to 1e-6. With `part` and `manipulators` each pose must be realised, and
    the track stops at the end of an edge or at a collision, also at one that is over before the next of the times, and
    the stop is located to rounding. Without, the lines that support the edges count. breaks: times at which the
    velocity of the motion jumps; the track stops there. A function is looked at three times a step or more; a twitch
    of it that is over between two looks stays unseen. Raises FormationError: start is no pose of the formation, is a
    branch point, or is not realised.
    """
    times = np.asarray(times, dtype=np.float64)
    step = np.diff(times)
    if times.ndim != 1 or len(times) < 2 or not ((step > 0).all() or (step < 0).all()):
        raise FormationError("times: must be two or more numbers, all rising or all falling")
    if not callable(motion):
        falls = -1 if step[0] < 0 else 1
        motion = interpolate_motion(times[::falls], np.asarray(motion, dtype=np.float64)[::falls])
    follower = _Follower(contacts, motion, part, manipulators)
    state = _find_start(follower, times[0], np.asarray(start[:3], dtype=np.float64))
    rows = [state]
    between = {float(t) for t in breaks if min(times[0], times[-1]) < t < max(times[0], times[-1])}
    for target in sorted({*times[1:].tolist(), *between}, reverse=bool(step[0] < 0)):
        state, end = _advance(follower, state, target, abs(times[-1] - times[0]))
        if end.reason == "end" and target in between:
            end = Stop("break", f"the velocity of the motion jumps at t = {target:.9g} s")
        rows.append(state)
        if end.reason != "end":
            break
    times, poses, velocities, accelerations, determinants = (
        np.array([getattr(row, name) for row in rows])
        for name in ("time", "pose", "velocity", "acceleration", "determinant"))
    return Track(times, poses, velocities, accelerations, determinants, end,
                 Stop("start", f"the start, t = {times[0]:.9g} s"))


def _find_start(follower: _Follower, time: float, start: np.ndarray) -> FormationState:
    found = solve_formation(*follower.contacts, poses=follower.motion(time)[0])
    turns = [2.0 * np.pi * np.round((start[2] - pose.theta) / (2.0 * np.pi)) for pose in found.poses]
    exact = min((np.array([pose.x, pose.y, pose.theta + turn]) for pose, turn in zip(found.poses, turns, strict=True)),
                key=lambda pose: follower.measure(pose - start), default=None)
    if exact is not None and follower.measure(exact - start) <= START_POSE * follower.length:
        state = follower.make_state(time, exact)
        wrong = follower.check(state)
        if wrong:
            raise FormationError(f"the start is not realised: {wrong.reason}")
        return state
    raise FormationError(f"start = {tuple(start.tolist())} is no pose of the formation at t = {float(time)!r} s "
                         f"({found.reason})")


def _advance(follower: _Follower, state: FormationState, target: float, span: float) -> tuple[FormationState, Stop]:
    """(state, stop): at the target ("end"), or where the track stops before it."""
    h = target - state.time
    while state.time != target:
        last = abs(h) >= abs(target - state.time)
        time = target if last else state.time + h
        try:
            following, between = follower.take_step(state, time)
            stop = follower.find_stop(state, following, between)
        except _StepTooLongError:
            h *= 0.5
            if abs(h) > SMALLEST_STEP * span:
                continue
            return _stop(follower, state, time)
        if stop:
            good, wrong = stop
            return good, _name_stop(good.time, wrong)
        state, h = following, 2.0 * h
        places = [contact.placed(state.motion[0]).manipulator_point for contact in follower.contacts]
        if np.hypot(*(state.pose[:2] - np.mean(places, axis=0))) > AWAY * follower.length:
            return state, Stop("away", f"the lines of contact become parallel: the part is far at t = {time:.9g} s")
    return state, Stop("end", f"the end of the times, t = {target:.9g} s")


def _stop(follower: _Follower, state: FormationState, time: float) -> tuple[FormationState, Stop]:
    """A branch point, where det J has all but vanished, or a jump."""
    scale = follower.length
    double = [pose for pose in solve_formation(*follower.contacts, poses=follower.motion(time)[0]).poses
              if pose.multiplicity > 1]
    for pose in double:
        turn = 2.0 * np.pi * np.round((state.pose[2] - pose.theta) / (2.0 * np.pi))
        exact = np.array([pose.x, pose.y, pose.theta + turn])
        if follower.measure(exact - state.pose) < BRANCH_NEAR * scale:
            end = FormationState(time, exact, state.velocity, state.acceleration, 0.0,
                                 follower.motion(time))
            return end, _name_branch(time)
    if abs(state.determinant) < BRANCH_DETERMINANT * scale:
        return state, _name_branch(state.time)
    return state, Stop("break", f"the motion of the manipulators jumps after t = {state.time:.12g} s")


def _name_branch(time: float) -> Stop:
    return Stop("branch", f"branch point at t = {time:.12g} s: the contact normals meet in one point")


def _name_stop(time: float, wrong: Realisation) -> Stop:
    """The stop before a pose that is not realised."""
    if all(wrong.within_edges):
        number = wrong.overlaps[0][0]
        return Stop("collision", f"the part meets manipulator {number} at t = {time:.12g} s", number)
    number = wrong.within_edges.index(False)
    return Stop("edge", f"contact {number} reaches the end of its {wrong.ends[number]} at t = {time:.12g} s", number)
