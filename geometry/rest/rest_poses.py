"""Every pose in which a part can rest on a straight floor: where its centre of mass is lowest while it turns there.

The part rolls on the floor without slip. With the hull (see `geometry.rest.hull`), the centre of mass at the origin of
the outline and a floor that rises by the angle a to the right, gravity points along g = u(phi - a) in the part's frame,
the touching point is P = c + r u(phi), and the height V of the centre of mass over a level line follows from

    V'(phi) = g x P = |c| sin(gamma + a - phi) + r sin a ,     c = |c| u(gamma)
    V(phi)  = c.u(phi - a) + phi r sin a + constant

so within a piece of the hull V has its extrema in closed form, and where the part lies on an edge of the hull, V' jumps
upwards. A rest pose is a minimum of V; where V' is 0 over an interval (a round side about the centre of mass) all poses
of the interval are at rest. On a level floor V is the support h itself, the radius function. The maxima, where the
centre of mass stands over what touches, bound the basins: the starting angles from which the part, let go just above
the floor, not bouncing and not slipping, comes to rest in a pose.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from geometry.errors import InputError
from geometry.rest.hull import TURN, Hull, compute_hull, take_outer_loop
from geometry.rest.symmetry import find_symmetry
from geometry.shapes.features import compute_rounding, find_on_sweep, is_circle
from geometry.shapes.outline import Outline
from geometry.shapes.polygon import Polygon
from geometry.tolerances import ANGLE_TOLERANCE, LEAST_TIP, NEUTRAL


class Way(NamedTuple):
    """How far a pose is from tipping over to one side, or from leaving it at all; infinite where it never does."""

    angle: float  # rad to turn until the centre of mass stands over what touches
    lift: float  # m by which it rises on the way: the energy over the weight


@dataclass(frozen=True)
class RestPose:
    """One pose, or a range of poses, in which a part rests on a floor."""

    number: int | None  # among those on a level floor, by rising angle; None of one that is none there
    theta: float  # rad, above -pi and up to pi; of a range its middle
    span: float  # rad, width of the range; 0 of a single pose
    height: float  # m, of the centre of mass above the floor, along the floor's normal
    touches: tuple[tuple[str, int], ...]  # ("edge" | "vertex" | "arc", number in the outline) of what touches
    support: tuple[float, float]  # m along the floor, of the outermost touching points, from the foot of the centre
    left: Way  # to tip by turning counter-clockwise
    right: Way  # ... clockwise
    share: float  # of all starting angles, that of those from which the part comes here
    alike: int | None = None  # number of the first pose that the part's symmetry makes the same; its own if none is

    @property
    def margin(self) -> Way:
        """The nearer way of both."""
        return min(self.left, self.right)

    def describe(self) -> str:
        """ "edge 0", "vertex 2, vertex 4"."""
        return ", ".join(f"{word} {number}" for word, number in self.touches)


@dataclass
class _Run:
    """Directions over which V falls (sign -1), stays (0) or rises (1) while phi rises."""

    begin: float
    end: float
    sign: int
    rise: float  # of V, m
    middles: list[float] = field(default_factory=list)  # of the pieces of the hull in it

    @property
    def length(self) -> float:
        return self.end - self.begin


def list_rest_poses(outline: Polygon | Outline, slope: float = 0.0) -> tuple[RestPose, ...]:
    """All rest poses on a floor that rises by `slope` (rad, less than a right angle either way) to the right, gravity
    pointing down; the origin of the outline is the centre of mass.

    They are those of enough friction: at a friction coefficient below |tan slope| the part slides in each of them. In
    the order of rising angle from the orientation of the outline on; on a level floor that is their `number`. None on a
    slope where the part rolls for ever. Raises InputError.
    """
    if not (math.isfinite(slope) and abs(slope) < 0.5 * math.pi):
        raise InputError(f"the slope of a floor must lie between -90 and 90 deg, not {math.degrees(slope):.9g} deg")
    level = _name_alike(outline, [replace(pose, number=k) for k, pose in enumerate(_find_poses(outline, 0.0))])
    if slope == 0.0:
        return level
    known = {pose.touches: (pose.number, pose.alike) for pose in level}
    numbered = [(pose, *known.get(pose.touches, (None, None))) for pose in _find_poses(outline, slope)]
    return tuple(replace(pose, number=number, alike=alike) for pose, number, alike in numbered)


def list_flat_poses(outline: Polygon | Outline) -> tuple[RestPose, ...]:
    """All poses in which the part lies on an edge of its hull, also those that are none of rest on a level floor: on a
    slope, or among other obstacles, they may be. Without number, share and margin."""
    hull, underside = compute_hull(outline), Underside(outline)
    u = np.stack([np.cos(hull.begin), np.sin(hull.begin)], axis=1)
    points = hull.centre + hull.radius[:, None] * u
    before = np.roll(hull.centre, 1, axis=0) + np.roll(hull.radius, 1)[:, None] * u
    flat = np.hypot(*(points - before).T) > compute_rounding(outline.features)
    return tuple(replace(_describe_pose(underside, hull, 0.0, _Run(phi, phi, 0, 0.0, [phi]), ()), share=0.0)
                 for phi in hull.begin[flat].tolist())


def _name_alike(outline: Polygon | Outline, poses: list[RestPose]) -> tuple[RestPose, ...]:
    """Each pose with the first that the symmetry of the part makes the same."""
    order = find_symmetry(outline)
    named: list[RestPose] = []
    for pose in poses:
        turns = [(pose.theta - other.theta) * order / TURN for other in named]
        alike = next((other.number for other, turn in zip(named, turns, strict=True)
                      if abs(turn - round(turn)) * TURN <= ANGLE_TOLERANCE * max(order, 1)), pose.number)
        named.append(replace(pose, alike=alike))
    return tuple(named)


def _find_poses(outline: Polygon | Outline, slope: float) -> list[RestPose]:
    hull, underside = compute_hull(outline), Underside(outline)
    runs = join_runs(list_runs(hull, slope, NEUTRAL * outline.size))
    if len(runs) == 1:
        return [_describe_pose(underside, hull, slope, runs[0], runs)] if runs[0].sign == 0 else []
    poses = []
    for k, run in enumerate(runs):
        before, after = runs[k - 1], runs[(k + 1) % len(runs)]
        if run.sign == 0:
            poses.append(_describe_pose(underside, hull, slope, run, (before, run, after)))
        elif run.sign < 0 and after.sign > 0:
            point = _Run(run.end, run.end, 0, 0.0, [run.end])
            poses.append(_describe_pose(underside, hull, slope, point, (run, point, after)))
    # by the angle from the floor on; one that is there to rounding counts as there
    room = ANGLE_TOLERANCE
    return sorted(poses, key=lambda pose: (pose.theta - slope + room) % TURN)


def list_runs(hull: Hull, slope: float, neutral: float) -> list[_Run]:
    """The pieces of the hull, cut where V' is 0; neutral: length below which an arm of gravity is none, m."""
    runs = []
    for begin, end, centre, radius in zip(*hull, strict=True):
        away, turned = math.hypot(*centre), float(radius) * math.sin(slope)
        toward = math.atan2(centre[1], centre[0]) + slope
        cuts = [begin, end]
        if abs(turned) < away:
            first = math.asin(turned / away)
            zeros = begin + np.remainder(np.array([toward + first, toward + math.pi - first]) - begin, TURN)
            cuts = sorted([*cuts, *(float(zero) for zero in zeros if begin < zero < end)])
        for low, high in pairwise(cuts):
            middle = 0.5 * (low + high)
            tilt = away * math.sin(toward - middle) + turned
            sign = 0 if away + abs(turned) <= neutral else int(np.sign(tilt))
            rise = away * (math.cos(toward - high) - math.cos(toward - low)) + turned * (high - low)
            runs.append(_Run(float(low), float(high), sign, float(rise) if sign else 0.0, [float(middle)]))
    return runs


def join_runs(runs: list[_Run]) -> list[_Run]:
    """Neighbours of one sign as one, round the turn; what is shorter than LEAST_TIP goes to the one before it."""
    joined: list[_Run] = []
    for run in (run for run in runs if run.length >= LEAST_TIP):
        if joined and joined[-1].sign == run.sign:
            joined[-1] = _Run(joined[-1].begin, run.end, run.sign, joined[-1].rise + run.rise,
                              joined[-1].middles + run.middles)
        else:
            joined.append(run)
    if len(joined) > 1 and joined[0].sign == joined[-1].sign:
        last = joined.pop()
        joined[0] = _Run(last.begin - TURN, joined[0].end, last.sign, last.rise + joined[0].rise,
                         last.middles + joined[0].middles)
    return joined


def _describe_pose(underside: Underside, hull: Hull, slope: float, own: _Run, around: Sequence[_Run]) -> RestPose:
    """The pose at the directions `own`; around: the runs before, of and after it, or the only one there is."""
    whole = own.length >= TURN - LEAST_TIP  # as drawn
    phi = -0.5 * math.pi if whole else 0.5 * (own.begin + own.end)
    left = right = Way(math.inf, math.inf)
    flowing = own.length
    if len(around) == 3:
        before, _, after = around
        left = Way(before.length, -before.rise) if before.sign < 0 else Way(0.0, 0.0)
        right = Way(after.length, after.rise) if after.sign > 0 else Way(0.0, 0.0)
        flowing += left.angle + right.angle
    touches = {name: None for middle in own.middles for name in underside.find_touching(middle)}
    theta = (slope - 0.5 * math.pi - phi) % TURN
    heights, arms = _support(hull, phi)
    return RestPose(None, theta if theta <= math.pi else theta - TURN, own.length, float(heights.max()),
                    tuple(touches), (float(arms.min()), float(arms.max())), left, right, flowing / TURN)


def _support(hull: Hull, phi: float) -> tuple[np.ndarray, np.ndarray]:
    """Heights over and arms along the floor of the pieces that touch it at the direction phi, m."""
    near = np.abs(np.remainder(np.concatenate([hull.begin, hull.end]) - phi + math.pi, TURN) - math.pi) <= LEAST_TIP
    near = near[: len(hull.begin)] | near[len(hull.begin):]
    near |= np.remainder(phi - hull.begin, TURN) <= hull.end - hull.begin
    u = np.array([math.cos(phi), math.sin(phi)])
    return hull.centre[near] @ u + hull.radius[near], hull.centre[near] @ np.array([-u[1], u[0]])


class Underside:
    """What of an outline touches a floor, in any direction."""

    def __init__(self, outline: Polygon | Outline):
        self._rows, features = np.flatnonzero(outline.loop == 0), take_outer_loop(outline)
        self._features, self._circles = features, is_circle(features)
        self._room = compute_rounding(features)
        self._following = np.roll(np.arange(len(features.sign)), -1)

    def find_touching(self, phi: float) -> list[tuple[str, int]]:
        """What touches a floor in the direction phi (rad) of the part's frame: edges that lie on it, arcs between
        their ends, and vertices of neither; word and number, as scenes name them."""
        features, room, circles = self._features, self._room, self._circles
        u = np.array([math.cos(phi), math.sin(phi)])
        reach = features.start @ u
        floor, within = float(reach.max()), np.zeros(len(reach), bool)
        if (features.sign > 0).any():
            lowest = features.centre + features.radius[:, None] * u
            convex = (features.sign > 0) & find_on_sweep(features, lowest)
            floor = max(floor, (lowest @ u)[convex].max(initial=-np.inf))
            within = convex & (lowest @ u >= floor - room)
            for end in (features.start, features.end):
                within &= (np.hypot(*(lowest - end).T) > room) | circles
        is_low = reach >= floor - room
        edges = (features.sign == 0) & is_low & is_low[self._following]
        taken = edges | within | np.roll(edges | within, 1)
        single = is_low & ~taken & ~circles
        found = [(int(k), word) for word, those in (("edge", edges), ("arc", within), ("vertex", single))
                 for k in np.flatnonzero(those)]
        return [(word, int(self._rows[k])) for k, word in sorted(found)]
