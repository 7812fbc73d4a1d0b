"""Plans that bring a part into one pose by tilting its tray, without a sensor (Erdmann & Mason 1988).

A breadth-first search over sets of poses: from all poses in which the part may lie, a tilt leads to all in which it may
lie then. What a tilt makes of one pose is the end of a run with exact contacts, from rest, for every friction that is
asked for; where a motion is not unique all of them are followed. A tilt after which the part may be anywhere else than
at rest (still moving, out of the tray, without a solution) is not taken.

M. A. Erdmann, M. T. Mason, "An exploration of sensorless manipulation", IEEE J. Robotics and Automation 4 (1988),
369-379. There a tray is tilted again and again, and each tilt begins with the part at rest, as here. They work out what
may happen from a quasi-static model; here it is computed, with inertia and impacts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from geometry.errors import InputError
from sim.feeding.tray import PLACE, Outcomes, TiltPose, Tray
from sim.scene.build import take_scene
from sim.scene.scene import AnyScene, Scene

STARTS = 72  # poses over the tray at which a plan begins, if nothing else is asked for
MOST_TILTS = 8  # of a plan, if nothing else is asked for
HALVINGS = 2  # of PLACE, where a plan does not hold because of it
CHECKED_OFFSET = 0.25  # of the starts from which a plan is followed before it is given
IN_BETWEEN = 3  # friction coefficients of an interval that are looked at, both ends among them


@dataclass(frozen=True)
class Tilt:
    """One tilt of a plan, and what is known of the part after it."""

    angle: float  # rad, direction of gravity in the plane of the tray
    poses: tuple[TiltPose, ...]  # all in which the part may lie then


@dataclass(frozen=True)
class TiltPlan:
    """Tilts after which a part lies in one pose, wherever in the tray it was before."""

    scene: Scene
    tilts: tuple[Tilt, ...]
    mus: tuple[float, ...]  # friction coefficients for which it was computed; () for those of the scene
    e: float | None  # restitution; None for that of the scene
    rate: float | None  # rad/s at which gravity turns between two tilts; None: at once
    starts: tuple[tuple[float, float, float], ...]  # poses of the centre of mass from which it was computed: m, m, rad
    n_runs: int  # that it took

    @property
    def angles(self) -> list[float]:
        """The directions of gravity, rad."""
        return [tilt.angle for tilt in self.tilts]

    @property
    def pose(self) -> TiltPose:
        """Where the part ends."""
        return self.tilts[-1].poses[0]


class NoPlanError(InputError):
    """There is no plan of tilts; the message says what came nearest."""


class _Node(NamedTuple):
    """A set of poses in the search, and the tilts that lead there."""

    poses: frozenset[int]
    way: tuple[tuple[float, frozenset[int]], ...]


def plan_tilts(scene: AnyScene, angles: Sequence[float], *, mu: float | tuple[float, float] | None = None,
               e: float | None = None, rate: float | None = None, starts: int = STARTS, most_tilts: int = MOST_TILTS,
               progress: Callable[[int], None] | None = None) -> TiltPlan:
    """The shortest sequence of tilts after which the part of a scene lies in one pose among the obstacles.

    scene: part and tray, or its name or file; the size of its gravity counts, not its direction. angles [rad]: the
    directions of gravity in the plane of the tray that are allowed. mu: friction of all pairs, or an interval, at both
    ends and in the middle of which the plan must hold; e: restitution; those of the scene if not given. rate [rad/s]:
    at which gravity turns from one direction to the next, the shorter way round; at once if None. most_tilts: of a
    plan. `progress(runs)` is told the number of runs so far. Poses that the part's symmetry makes the same are one.

    The part begins anywhere in the tray: at `starts` poses, orientations and places spread evenly. A plan is then
    followed from as many others, all tilts in one run. Those that end elsewhere become starts as well, and if that does
    not help, places along walls are told apart more finely.

    Raises NoPlanError where there is none, SceneError for a scene that is not of this kind.
    """
    scene = take_scene(scene)
    mus = _list_mus(mu)
    if not len(angles) or not all(map(math.isfinite, angles)):
        raise InputError("the angles of tilts are one finite number or more, in rad")
    if rate is not None and not (math.isfinite(rate) and rate > 0.0):
        raise InputError(f"the rate at which gravity turns must be positive, not {rate!r} rad/s")
    if starts < 1 or most_tilts < 1:
        raise InputError(f"starts and most_tilts must be 1 or more, not {starts} and {most_tilts}")
    allowed = tuple(dict.fromkeys(float(angle) for angle in angles))
    n_runs, place = 0, PLACE
    for _ in range(HALVINGS + 1):
        tray = Tray(scene, mus, e, rate, place)
        begins, others = tuple(tray.sample_starts(starts)), tuple(tray.sample_starts(starts, CHECKED_OFFSET))
        while True:
            way = _TiltSearch(tray, allowed, progress).find(begins, most_tilts)
            sequence = [angle for angle, _ in way]
            astray = [start for start in others if tray.run_all(start, sequence) != Outcomes(way[-1][1], "")]
            if not astray:
                tilts = tuple(Tilt(angle, tuple(tray.poses[k] for k in sorted(poses))) for angle, poses in way)
                return TiltPlan(scene, tilts, mus, e, rate, begins, n_runs + tray.n_runs)
            if set(astray) <= set(begins):
                break
            begins = tuple(dict.fromkeys((*begins, *astray)))
        n_runs, place = n_runs + tray.n_runs, 0.5 * place
    raise NoPlanError(f"the tilts {_list_degrees(sequence)} deg lead to one pose one by one, but from {len(astray)} "
                      "starts not one after the other: much hangs on where along a wall the part lies")


def replay_tilts(plan: TiltPlan, starts: int = STARTS, offset: float = 0.5) -> tuple[TiltPose, ...]:
    """The poses in which a plan ends from other starts, in one run of the whole sequence for each start and friction:
    one, if it holds. offset: by how much, from 0 to 1, the starts lie between those of the plan. Raises NoPlanError
    where a run does not come to rest."""
    tray = Tray(plan.scene, plan.mus, plan.e, plan.rate)
    ends: set[int] = set()
    for start in tray.sample_starts(starts, offset):
        outcomes = tray.run_all(start, plan.angles)
        if outcomes.trouble:
            raise NoPlanError(f"from x = {start[0]:.9g} m, y = {start[1]:.9g} m, theta = {start[2]:.9g} rad the plan "
                              f"does not end at rest: {outcomes.trouble}")
        ends |= outcomes.poses
    return tuple(tray.poses[number] for number in sorted(ends))


def _list_degrees(angles: Sequence[float]) -> str:
    return ", ".join(f"{math.degrees(angle):.6g}" for angle in angles)


def _list_mus(mu: float | tuple[float, float] | None) -> tuple[float, ...]:
    """The friction coefficients that count."""
    if mu is None:
        return ()
    low, high = (mu, mu) if isinstance(mu, int | float) else mu
    if not (math.isfinite(low) and math.isfinite(high) and 0.0 <= low <= high):
        raise InputError(f"friction is a number from 0 on, or an interval (low, high) of such, not {mu!r}")
    share = [k / (IN_BETWEEN - 1) for k in range(IN_BETWEEN)]
    return tuple(dict.fromkeys(float(low + (high - low) * s) for s in share))


class _TiltSearch:
    """The breadth-first search over sets of poses."""

    def __init__(self, tray: Tray, angles: tuple[float, ...], progress: Callable[[int], None] | None):
        self.tray, self.angles, self.progress = tray, angles, progress
        self.seen: list[tuple[frozenset[int], float | None]] = []
        self.nearest: frozenset[int] | None = None
        self.troubles: dict[float, str] = {}

    def find(self, starts: tuple, most_tilts: int) -> tuple[tuple[float, frozenset[int]], ...]:
        """The angles of the shortest plan, and the poses that are possible after each. Raises NoPlanError."""
        front: list[_Node] = []
        for angle in self.angles:
            front += self._take(angle, (), (self.tray.release(start, angle) for start in starts))
        for n in range(1, most_tilts + 1):
            for node in front:
                if len(node.poses) == 1 and self.tray.poses[min(node.poses)].fixed:
                    return node.way
            front = self._go_on(front) if n < most_tilts else front
        raise NoPlanError(self._explain(most_tilts, bool(front)))

    def _go_on(self, front: list[_Node]) -> list[_Node]:
        """All sets one tilt on."""
        following: list[_Node] = []
        for node in sorted(front, key=lambda node: len(node.poses)):  # small sets first: they rule out larger ones
            for angle in self.angles:
                outcomes = (self.tray.tilt(number, angle, node.way[-1][0]) for number in sorted(node.poses))
                following += self._take(angle, node.way, outcomes)
        return following

    def _take(self, angle: float, way: tuple, outcomes) -> list[_Node]:
        """The set that a tilt leads to, if it is one that is worth going on from."""
        found: set[int] = set()
        for each in outcomes:
            if self.progress is not None:
                self.progress(self.tray.n_runs)
            if each.trouble:
                self.troubles.setdefault(angle, each.trouble)
                return []
            found |= each.poses
        before = None if self.tray.rate is None else angle
        poses = frozenset(found)
        # whatever brings a set into one pose does so with all that it holds: a larger set is no nearer
        if any(other <= poses for other, last in self.seen if last == before):
            return []
        self.seen.append((poses, before))
        if self.nearest is None or len(poses) < len(self.nearest):
            self.nearest = poses
        return [_Node(poses, (*way, (angle, poses)))]

    def _explain(self, most_tilts: int, goes_on: bool) -> str:
        more = f"of up to {most_tilts} tilts" if goes_on else "of any number of tilts"
        lines = [f"there is no plan {more} in these directions"]
        if self.nearest is not None:
            poses = [self.tray.poses[number] for number in sorted(self.nearest)]
            what = f"{len(poses)} poses" if len(poses) > 1 else "1 pose, in which it can be moved along what it touches"
            lines.append(f"the fewest poses that are left are {what}: "
                         + "; ".join(pose.describe() for pose in poses[:MOST_TOLD]))
        lines += [f"a tilt to {math.degrees(angle):.6g} deg is not taken, for of the part may become: {trouble}"
                  for angle, trouble in self.troubles.items()]
        return "\n  ".join(lines)


MOST_TOLD = 6  # poses in a message
