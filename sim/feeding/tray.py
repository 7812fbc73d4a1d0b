"""A part in a tray that is tilted: what each tilt makes of each pose, by runs, and which poses are the same.

The scene is the plane of the tray: its obstacles are the walls, and its gravity is the part of gravity that lies in
that plane when the tray is tilted. A tilt gives it a direction, and holds it until the part is at rest.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from geometry.errors import InputError
from geometry.prescribed.motion import Coordinate, CurvePiece, WrenchCourse
from geometry.rest.symmetry import find_symmetry
from geometry.shapes.pose import Pose
from sim.scene.build_outline import AnyOutline
from sim.scene.held.holding import TimedLoad
from sim.scene.scene import Scene
from sim.scene.scene_errors import SceneError
from sim.tolerances import SAME_REST, TOUCHING

if TYPE_CHECKING:
    from sim.log.trajectory import Trajectory

TURN = 2.0 * math.pi
# A tilt lasts this many times as long as a fall across the tray. Reason: a part crosses it a few times, turns over
# and rocks; at rest a run costs nothing. Larger: runs that never come to rest take longer. Smaller: others are cut off.
SETTLE = 20.0
# Places along a wall that are followed as one, in sizes of the part (angles: in rad). Reason: what a tilt makes of a
# part that lies along a wall seldom depends on where, and what is not unique would make ever more places. Larger: where
# it does depend on the place, that is overlooked. Smaller: more runs, in proportion.
PLACE = 0.25


class Touching(NamedTuple):
    """One contact of a pose."""

    obstacle: str
    type: str  # of sim.rows.records.CONTACT_TYPES
    part_feature: int  # edge (type A), or vertex or arc
    obstacle_feature: int  # edge (type B), or vertex or arc; row of the walls


@dataclass(frozen=True)
class TiltPose:
    """A pose in which the part may lie after a tilt."""

    number: int  # among those that were met
    pose: tuple[float, float, float]  # of the centre of mass: m, m, rad; up to the symmetry of the part
    contacts: tuple[Touching, ...]  # all that touches, with force or without
    fixed: bool  # do the contacts leave no way to move but off them?

    def describe(self) -> str:
        """ "v0 v1 on wall 7 of tray": what of the part, edges (e), vertices (v) and arcs (a), is where."""
        groups: dict[tuple[str, str, int], list[int]] = {}
        for obstacle, kind, own, other in self.contacts:
            one, more = (own, other) if kind == "A" else (other, own)
            groups.setdefault((kind, obstacle, one), []).append(more)
        return ", ".join(_describe_group(*group, numbers) for group, numbers in groups.items())


def _describe_group(kind: str, obstacle: str, one: int, numbers: list[int]) -> str:
    """Contacts of one type with one edge, as text."""
    if kind == "A":
        return f"e{one} on {'corner' if len(numbers) == 1 else 'corners'} {' '.join(map(str, numbers))} of {obstacle}"
    listed = " ".join(f"{'v' if kind == 'B' else 'a'}{number}" for number in numbers)
    return f"{listed} on {'wall' if kind == 'B' else 'arc'} {one} of {obstacle}"


class Outcomes(NamedTuple):
    """What a tilt makes of a pose."""

    poses: frozenset[int]  # numbers of all poses in which it may end
    trouble: str  # what else may become of it, "" if nothing


class Tray:
    """The runs of a part in a tray, and all poses that were met in them."""

    def __init__(self, scene: Scene, mus: tuple[float, ...] = (), e: float | None = None, rate: float | None = None,
                 place: float = PLACE):
        """mus: friction coefficients, all of which count; those of the scene if none is given. e: restitution; that of
        the scene if None. rate [rad/s]: at which gravity turns from one direction to the next; None: at once. place:
        see PLACE. Raises SceneError."""
        if scene.held or any(scene.load) or any(obstacle.motion is not None for obstacle in scene.obstacles):
            raise SceneError(f"{scene.name}: plans of tilts are for parts that nothing but gravity moves, among "
                             "obstacles that stand still")
        if not scene.obstacles:
            raise SceneError(f"{scene.name}: there is no obstacle, so no tray")
        self.gravity = math.hypot(*scene.gravity)
        if self.gravity == 0.0:
            raise SceneError(f"{scene.name}: gravity is 0; it is what moves the part when the tray is tilted")
        self.size = float(np.hypot(*np.ptp(np.concatenate([o.shape.bounds for o in scene.obstacles]), axis=0)))
        self.settle = SETTLE * math.sqrt(2.0 * self.size / self.gravity)
        self.rate, self.place, self.n_runs = rate, place, 0
        self.poses: list[TiltPose] = []
        self.symmetry = find_symmetry(scene.workpiece.outline)
        run = replace(scene.run, choice="stop", output_interval=None)
        workpiece = replace(scene.workpiece, velocity=(0.0, 0.0, 0.0))
        self.scene = replace(scene, run=run, workpiece=workpiece, goals=(), insertion=None, formation=None,
                             gravity_turn=None)
        self.rubbed = tuple(_set_pairs(self.scene, mu, e) for mu in mus or (None,))
        self._known: dict[tuple, Outcomes] = {}
        self._groups: dict[tuple, list[int]] = {}  # numbers of the poses with the same contacts, by place

    def tilt(self, number: int, angle: float, before: float | None) -> Outcomes:
        """What a tilt of gravity to the direction `angle` makes of a pose that was met; before: the direction of the
        last tilt."""
        return self.release(self.poses[number].pose, angle, before if self.rate is not None else None)

    def release(self, pose: tuple[float, float, float], angle: float, before: float | None = None) -> Outcomes:
        """As `tilt`, of a part that is let go at rest in any pose."""
        return self._follow_all(pose, [angle], before)

    def run_all(self, pose: tuple[float, float, float], angles: list[float]) -> Outcomes:
        """What a sequence of tilts makes of a pose, each friction in one run of the whole sequence."""
        return self._follow_all(pose, angles, None)

    def _follow_all(self, pose: tuple[float, float, float], angles: list[float], before: float | None) -> Outcomes:
        """What tilts make of a pose, with every friction; what is known is not run again."""
        key = pose, tuple(angles), before
        if key not in self._known:
            found: set[int] = set()
            trouble = ""
            for scene in self.rubbed:
                ends, trouble = self._settle(self.make_sequence(scene, pose, angles, before))
                found.update(ends)
                if trouble:
                    break
            self._known[key] = Outcomes(frozenset(found), trouble)
        return self._known[key]

    def make_sequence(self, scene: Scene, pose: tuple[float, float, float], angles: list[float],
                      before: float | None = None) -> Scene:
        """The scene of a sequence of tilts, one after the other. Directions of gravity that jump are a load that does;
        before: the direction that the first one turns from."""
        workpiece = replace(scene.workpiece, pose=Pose(*pose))
        gravity, turn, duration = self._direct(angles, before)
        begin = replace(scene, workpiece=workpiece, gravity=gravity, gravity_turn=turn,
                        run=replace(scene.run, duration=duration))
        if self.rate is not None or len(angles) == 1:
            return begin
        pull = np.array([_point(self.gravity, angle) for angle in angles]) * workpiece.mass
        times = self.settle * np.arange(len(angles))
        load = TimedLoad("tilts", (0.0, 0.0), False, WrenchCourse(*(_step(times, column) for column in pull.T)))
        return replace(begin, gravity=(0.0, 0.0), gravity_turn=None, loads=(load,))

    def _direct(self, angles: list[float], before: float | None
                ) -> tuple[tuple[float, float], Coordinate | None, float]:
        """Gravity at the start, how it turns from there, and how long it takes until all tilts have settled."""
        if self.rate is None:
            return _point(self.gravity, angles[0]), None, self.settle * len(angles)
        first = angles[0] if before is None else before
        pieces, time, turned = [CurvePiece(-inf, 0.0, (0.0,))], 0.0, 0.0
        for angle in angles:
            way = math.remainder(angle - first - turned, TURN)
            way = math.pi if way == -math.pi else way  # of two ways that are as long the counter-clockwise one
            if way:
                pieces.append(CurvePiece(time, time, (turned, math.copysign(self.rate, way))))
                time, turned = time + abs(way) / self.rate, turned + way
                pieces.append(CurvePiece(time, time, (turned,)))
            time += self.settle
        return _point(self.gravity, first), Coordinate(tuple(pieces)) if len(pieces) > 1 else None, time

    def _settle(self, scene: Scene) -> tuple[list[int], str]:
        """Numbers of all poses in which runs of a scene may come to rest, and what else may become of them."""
        from sim.log.trajectory import MemorySink
        from sim.rows.status import Status
        from sim.run.branches import simulate_branches
        from sim.run.simulation import follow

        sink = MemorySink(scene)
        follow(scene, sink)
        self.n_runs += 1
        ends = [sink.trajectory]
        if sink.trajectory is not None and sink.trajectory.status is Status.NOT_UNIQUE:
            tree = simulate_branches(scene)
            ends = [branch.rows for branch in tree.branches if branch.status not in (Status.SPLIT, Status.MERGED)]
        numbers: list[int] = []
        for end in ends:
            if end is None:
                return numbers, "more motions than run.max_branches allows"
            if not _rests(end):
                return numbers, end.outcome or end.status.name
            x, y, theta = end.pose[-1].tolist()
            numbers.append(self.meet((x, y, theta)))
        return numbers, ""

    def meet(self, pose: tuple[float, float, float]) -> int:
        """The number of a pose: that of one met before, if the same features touch in the same place. Of a part that
        is free to move along what it touches all in one place are followed as the first that was met there."""
        x, y, theta = pose
        period = TURN / self.symmetry if self.symmetry else 0.0
        theta = math.remainder(theta, period) if period else 0.0
        theta = theta + period if theta < SAME_REST - 0.5 * period else theta  # one of both ends of the interval
        contacts, fixed = self._list_touching((x, y, theta))
        size = self.scene.workpiece.outline.size
        cell = () if fixed else tuple(math.floor(value / self.place) for value in (x / size, y / size, theta))
        group = self._groups.setdefault((contacts, cell), [])
        for number in group:
            known = self.poses[number].pose
            near = max(abs(known[0] - x), abs(known[1] - y)) <= SAME_REST * size and abs(known[2] - theta) <= SAME_REST
            if near or not fixed:
                return number
        self.poses.append(TiltPose(len(self.poses), (x, y, theta), contacts, fixed))
        group.append(len(self.poses) - 1)
        return group[-1]

    def _list_touching(self, pose: tuple[float, float, float]) -> tuple[tuple[Touching, ...], bool]:
        """Everything that touches in a pose, and whether their normals leave the part no free direction."""
        from dynamics.motion.closed import find_closed
        from dynamics.motion.mode import MotionState
        from sim.rows.records import CONTACT_TYPES

        body, mode, zeros, closed, scratch = self._probe
        if find_closed(body, mode, MotionState(0.0, np.array(pose), np.zeros(3)), zeros, closed, scratch) < 0:
            raise InputError("more contacts are closed at once than there is room for")
        k = int(closed.n)
        names = [self.scene.obstacles[int(body.walls.edge[int(wall)].owner)].name for _, _, wall in closed.triple[:k]]
        contacts = sorted(Touching(name, CONTACT_TYPES[int(kind)], int(own), int(other))
                          for name, (kind, own, other) in zip(names, closed.triple[:k], strict=True))
        needed = 3 if self.symmetry else 2
        rank = int(np.linalg.matrix_rank(closed.normal[:k], tol=SAME_REST)) if k else 0
        return tuple(contacts), rank >= needed

    @cached_property
    def _probe(self) -> tuple:
        """What `find_closed` takes to look at poses of this tray."""
        from dynamics.motion.closed import CLOSED
        from dynamics.motion.mode import MODE
        from dynamics.motion.scales import Zeros
        from geometry.compiled.record import allocate_record
        from geometry.contact.detection import allocate_scratch
        from sim.instant.body import build_body, build_scales

        body = build_body(self.scene)
        zeros = Zeros(TOUCHING * self.scene.workpiece.outline.size, build_scales(self.scene, body).speed)
        return body, allocate_record(MODE), zeros, allocate_record(CLOSED), allocate_scratch(body.part, body.walls)

    def sample_starts(self, n: int, offset: float = 0.0) -> Iterator[tuple[float, float, float]]:
        """n poses over the tray: orientations a whole turn apart by n, places spread evenly where the part is within
        the convex hull of the obstacles, and overlaps none. Raises SceneError where there is no room."""
        import shapely

        outline = self.scene.workpiece.outline
        fine = SAME_REST * self.size
        walls = shapely.union_all([_cut(o.shape, fine) for o in self.scene.obstacles])
        hull = shapely.convex_hull(walls)
        x, y, far_x, far_y = map(float, shapely.bounds(hull))
        found = tried = 0
        while found < n:
            tried += 1
            if tried > MOST_TRIES * n:
                raise SceneError(f"{self.scene.name}: of {tried - 1} places in the tray {found} have room for the part")
            u, v = (offset + tried / PLASTIC) % 1.0, (offset + tried / PLASTIC**2) % 1.0
            pose = Pose(x + u * (far_x - x), y + v * (far_y - y), TURN * (found + offset) / n)
            part = _cut(outline.placed(pose), fine)
            if hull.contains(part) and walls.distance(part) > 2.0 * fine:  # the chords of arcs are off by as much
                found += 1
                yield pose.x, pose.y, pose.theta


def _cut(outline: AnyOutline, fine: float):
    """An outline for shapely, with chords that lie at most `fine` (m) off its arcs."""
    import shapely

    loops = outline.sample(fine)
    return shapely.Polygon(loops[0], loops[1:])


PLASTIC = 1.32471795724474602596  # of x^3 = x + 1: its powers spread points over a square evenly
MOST_TRIES = 200  # places that are looked at for one with room


def _rests(end: Trajectory) -> bool:
    """Has a run come to rest?"""
    if not end.status.completed:
        return False
    if len(end.events) and end.events["kind"][-1] == "rest":
        return True
    return end.outcome in ("at rest", "jammed")


def _set_pairs(scene: Scene, mu: float | None, e: float | None) -> Scene:
    """The scene with other coefficients of all pairs."""
    return replace(scene, obstacles=tuple(
        replace(obstacle, mu=obstacle.mu if mu is None else float(mu), e=obstacle.e if e is None else float(e))
        for obstacle in scene.obstacles))


def _point(size: float, angle: float) -> tuple[float, float]:
    """A vector of a size in a direction; along an axis the other component is 0, not the rounding of pi."""
    from sim.tolerances import ALONG_AXIS

    x, y = (size * (0.0 if abs(c) < ALONG_AXIS else c) for c in (math.cos(angle), math.sin(angle)))
    return x, y


def _step(times: np.ndarray, values: np.ndarray) -> Coordinate:
    """Values that jump at times (n,), the first of which is the start."""
    pieces = [CurvePiece(-inf, 0.0, (float(values[0]),))]
    pieces += [CurvePiece(float(time), float(time), (float(value),))
               for time, before, value in zip(times[1:], values[:-1], values[1:], strict=True) if value != before]
    return Coordinate(tuple(pieces))
