"""Every pose in which a part rests among fixed obstacles, without friction: where its centre of mass is lowest.

At each orientation the part has lowest places (`geometry.rest.slice_minima`). Followed from orientation to orientation
they are branches V(theta), one or more in each pocket of the obstacles; a rest pose is a minimum of V: two contacts
whose normals meet on the vertical through the centre of mass (the three-force theorem), or a kink, where three contacts
or a flush edge hold the part. On a branch, slopes of V are exact on both sides of each orientation; between two
neighbours where their signs differ the extremum is halved down to the last digit.

Orientations are all those at which edges are flush or level, and steps of at most STEP between: a pose that is left by
turning by less than this either way, and in which nothing is flush, may be passed over; no other is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from geometry.rest.contact_curves import TURN
from geometry.rest.rest_poses import Way
from geometry.rest.slice_minima import LowestPlace, Slices
from geometry.shapes.outline import Outline
from geometry.tolerances import ANGLE_TOLERANCE, NEUTRAL

# Orientations are at most this far apart [rad]. Larger: faster, and poses with wider basins may be passed over.
STEP = math.radians(2.0)
# A branch that ends between two orientations does so within this [rad]. Larger: margins of parts that fall there are
# wrong by as much. Smaller: more orientations, at which an edge that is turned so little touches to TOUCHING.
END = 1e-7
# Two places with different contacts are of one branch only if the angle between them is less than this [rad]. Larger:
# one branch that ends where another begins beside it is taken for one. Smaller: more orientations.
NEAR = 2e-3
# ... and no place is farther from the next than this many times that angle, in sizes of the part. Reason: the origin in
# a groove moves by the size over the sine of half its angle. Larger: as NEAR. Smaller: branches end in slender wedges.
SPEED = 8.0
# Steps to an extremum, of which each third halves the interval: from STEP until two doubles are next to each other.
MOST_STEPS = 180
# Steps of Newton's method from a place where three contacts touch to TOUCHING: their error is squared in each.
POLISHING = 4
# A flat that a third contact closes is as good as closed where it is this narrow, in lengths of TOUCHING. Reason: it is
# left by halving angles, at an angle of two contacts. Larger: a part that can slide is told as one that cannot.
NARROW = 100.0


@dataclass(frozen=True)
class PocketPose:
    """One pose, or a range of poses, in which a part rests among obstacles; gravity along -y."""

    x: float  # m, of the centre of mass; of a range its middle
    height: float  # m, its y
    theta: float  # rad, above -pi and up to pi; of a range one near its middle
    span: float  # rad, width of the range of theta; 0 of a single pose
    slides: tuple[float, float]  # m, the range of x in which it rests; both are x where it cannot slide
    closed: tuple[bool, bool]  # is the part stopped at the left and at the right end of that range
    contacts: tuple[tuple[str, int, str, int], ...]  # (word, row of the part, word, row of the boundary)
    left: Way | None  # to the next maximum of V counter-clockwise; None where it slides away instead
    right: Way | None  # ... clockwise
    share: float  # of all angles, that of those from which V falls to this pose all the way
    pocket: int  # number of the branch of V, from left to right


class _Cell(NamedTuple):
    """An interval of a branch over which V falls (sign -1), stays (0) or rises (1)."""

    begin: LowestPlace
    end: LowestPlace
    sign: int

    @property
    def angle(self) -> float:
        return self.end.theta - self.begin.theta


class _Branch(NamedTuple):
    """V over an interval, or over whole turns."""

    places: list[LowestPlace]
    closed: bool  # the last place is the first, a turn or more on


def list_pocket_poses(part: Outline, obstacles: Sequence[Outline]) -> tuple[tuple[PocketPose, ...], Slices]:
    """All rest poses, by pocket and rising theta, and the obstacles as they were taken together.

    part: the centre of mass at the origin; obstacles: in the world, gravity along -y. Raises InputError.
    """
    slices = Slices(part, obstacles)
    found = [_read_branch(slices, branch) for branch in _join(_list_rows(slices))]
    found = sorted((poses for poses in found if poses), key=lambda poses: min((p.slides[0], p.theta) for p in poses))
    return tuple(replace(pose, pocket=number) for number, poses in enumerate(found)
                 for pose in sorted(poses, key=lambda pose: pose.theta)), slices


# ---- branches --------------------------------------------------------------------------------------------------------

_Row = tuple[list[LowestPlace], dict[int, int]]  # places, and the index in the next row that each leads to


def _list_rows(slices: Slices) -> list[_Row]:
    """Lowest places at rising orientations over a turn; the next row of the last one is the first."""
    turns = slices.pairs.list_turns()
    turns = turns[np.append(True, np.diff(turns) > ANGLE_TOLERANCE)] if len(turns) else np.zeros(1)
    if len(turns) > 1 and turns[0] + TURN - turns[-1] <= ANGLE_TOLERANCE:
        turns = turns[:-1]
    thetas = [theta for a, b in pairwise([*turns.tolist(), float(turns[0]) + TURN])
              for theta in np.linspace(a, b, max(math.ceil((b - a) / STEP), 1), endpoint=False).tolist()]
    rows = [(theta, slices.find_places(theta)) for theta in thetas]
    first = rows[0][0] + TURN
    rows.append((first, [place._replace(theta=first) for place in rows[0][1]]))
    linked, waiting = [], rows[:0:-1]
    theta, places = rows[0]
    while waiting:
        ahead, following = waiting[-1]
        links = _match(slices, places, following, ahead - theta)
        if min(len(places), len(following)) and len(links) < max(len(places), len(following)) and ahead - theta > END:
            middle = 0.5 * (theta + ahead)
            waiting.append((middle, slices.find_places(middle)))
            continue
        linked.append((places, links))
        theta, places = waiting.pop()
    return linked


def _match(slices: Slices, before: list[LowestPlace], after: list[LowestPlace], angle: float) -> dict[int, int]:
    """Which place of one orientation is on the branch of which of another: the nearest of each other."""
    if not before or not after:
        return {}
    reach = SPEED * angle * slices.reach + 4.0 * slices.room
    away = np.full((len(before), len(after)), np.inf)
    for i, one in enumerate(before):
        for j, other in enumerate(after):
            nested = one.reached <= other.reached or other.reached <= one.reached
            beside = max(one.low - other.high, other.low - one.high, 0.0)
            far = math.hypot(beside, one.y - other.y)
            if math.inf in (one.ahead, other.back):
                continue  # it cannot turn that way
            steep = max(slices.reach, abs(one.ahead), abs(other.back))
            if (nested and abs(one.y - other.y) <= 2.0 * steep * angle) or (
                    far <= reach and (angle <= END or (angle <= NEAR and one.reached & other.reached))):
                away[i, j] = far
    nearest, back = away.argmin(axis=1).tolist(), away.argmin(axis=0).tolist()
    return {i: j for i, j in enumerate(nearest) if away[i, j] < math.inf and back[j] == i}


def _join(rows: list[_Row]) -> list[_Branch]:
    """The branches: first those that begin somewhere, then those that go round."""
    n = len(rows)
    nodes = [(k, i) for k, (places, _) in enumerate(rows) for i in range(len(places))]
    following = {(k, i): ((k + 1) % n, j) for k, (_, links) in enumerate(rows) for i, j in links.items()}
    reached, seen, branches = set(following.values()), set(), []
    for start in [*(node for node in nodes if node not in reached), *nodes]:
        if start in seen:
            continue
        places: list[LowestPlace] = []
        node, turned = start, 0.0
        while node is not None and node not in seen:
            seen.add(node)
            turned += TURN if places and node[0] == 0 else 0.0
            place = rows[node[0]][0][node[1]]
            places.append(place._replace(theta=place.theta + turned))
            node = following.get(node)
        if node is not None:
            turned += TURN if start[0] == 0 else 0.0
            places.append(places[0]._replace(theta=places[0].theta + turned))
        branches.append(_Branch(places, node is not None))
    return branches


# ---- extrema ---------------------------------------------------------------------------------------------------------


def _cut_at_extrema(slices: Slices, branch: _Branch) -> list[_Cell]:
    cells = []
    for a, b in pairwise(branch.places):
        first, last = _tell_sign(slices, a.ahead), -_tell_sign(slices, b.back)
        if first * last >= 0:
            cells.append(_Cell(a, b, first or last))
        else:
            middle = _find_extremum(slices, a, b, first)
            cells += [_Cell(a, middle, first), _Cell(middle, b, last)]
    return cells


def _tell_sign(slices: Slices, slope: float) -> int:
    if abs(slope) <= NEUTRAL * slices.reach:
        return 0
    return 1 if slope > 0.0 else -1


def _find_extremum(slices: Slices, a: LowestPlace, b: LowestPlace, first: int) -> LowestPlace:
    """The minimum (V' has the sign first = -1 at a) or maximum between two places of a branch: where both have the same
    contacts by the secant of V', else where the tangents at both meet; each third step halves."""
    for step in range(MOST_STEPS):
        s, t, width = a.ahead, -b.back, b.theta - a.theta
        share = 0.5
        if step % 3 != 2 and math.isfinite(s) and math.isfinite(t):
            share = s / (s - t) if a.touching == b.touching else (b.y - a.y - t * width) / ((s - t) * width)
        middle = a.theta + width * (share if 0.0 < share < 1.0 else 0.5)
        if not a.theta < middle < b.theta:
            middle = 0.5 * (a.theta + b.theta)
        if not a.theta < middle < b.theta:
            break
        place = _find_between(slices, a, b, middle)
        if place is None:
            break
        ahead, back = (_tell_sign(slices, slope) for slope in (place.ahead, place.back))
        if ahead == first:
            a = place
        elif back == first:
            b = place
        else:
            return _polish(slices, place)
    return _polish(slices, (a if first * (a.y - b.y) > 0.0 else b)._replace(reached=a.reached | b.reached))


def _find_between(slices: Slices, a: LowestPlace, b: LowestPlace, theta: float) -> LowestPlace | None:
    """The place of the branch of two others at an orientation between them."""
    share = (theta - a.theta) / (b.theta - a.theta)
    x, y = a.x + share * (b.x - a.x), a.y + share * (b.y - a.y)
    near = [place for place in slices.find_places(theta) if place.reached & (a.reached | b.reached)]
    return min(near, key=lambda place: math.hypot(max(place.low - x, x - place.high, 0.0), place.y - y), default=None)


def _polish(slices: Slices, place: LowestPlace) -> LowestPlace:
    """A place where at least three contacts touch up to TOUCHING, where they touch exactly, by Newton's method."""
    if len(place.reached) < 3 or place.high - place.low > NARROW * slices.room:
        return place
    at = np.array([place.x, place.y, place.theta])
    for _ in range(POLISHING):
        gaps, rows = slices.linearise(float(at[2]), at[:2], place.reached)
        if np.linalg.matrix_rank(rows, slices.level) < 3:
            return place
        at = at - np.linalg.lstsq(rows, gaps, rcond=None)[0]
    moved = np.abs(at - [place.x, place.y, place.theta]) * [1.0, 1.0, slices.reach]
    if moved.max() > NARROW * slices.room:
        return place
    x, y, theta = at.tolist()
    return place._replace(theta=theta, x=x, y=y, low=x, high=x, closed=(True, True), touching=place.reached)


# ---- rest poses ------------------------------------------------------------------------------------------------------


def _read_branch(slices: Slices, branch: _Branch) -> list[PocketPose]:
    """The minima of V on a branch; its pocket is not numbered yet."""
    cells, first, last = _cut_at_extrema(slices, branch), branch.places[0], branch.places[-1]
    signs = [cell.sign for cell in cells]
    if branch.closed and not any(signs):
        never = Way(math.inf, math.inf)
        return [_describe(slices, branch.places, never, never, last.theta - first.theta)]
    before, after = (max(_tell_sign(slices, slope), 0) for slope in (first.back, last.ahead))
    if branch.closed:  # begin at a maximum
        k = next((k for k in range(len(cells)) if signs[k] < 0 and _look_back(signs, k) > 0), None)
        if k is None:
            return []
        cells, signs, before, after = cells[k:] + cells[:k], signs[k:] + signs[:k], 0, 0
    poses, falling, k = [], -before, 0
    while True:
        stay = k
        while k < len(cells) and signs[k] == 0:
            k += 1
        if falling < 0 < (signs[k] if k < len(cells) else after):
            right, fall = _measure_way([(cell.end, cell.begin) for cell in cells[:stay][::-1]],
                                      [-sign for sign in signs[:stay][::-1]], None if branch.closed else first.back)
            left, rise = _measure_way([(cell.begin, cell.end) for cell in cells[k:]], signs[k:],
                                       None if branch.closed else last.ahead)
            neutral = [cell.begin for cell in cells[stay:k]]
            places = [*neutral, cells[k].begin if k < len(cells) else last]
            poses.append(_describe(slices, places, left, right, fall + rise + places[-1].theta - places[0].theta))
        if k == len(cells):
            return poses
        falling = signs[k]
        while k < len(cells) and signs[k] == falling:
            k += 1


def _look_back(signs: list[int], k: int) -> int:
    """The last sign before k, round the branch, that is not 0."""
    return next((signs[k - i] for i in range(1, len(signs) + 1) if signs[k - i]), 0)


def _measure_way(cells: list[tuple[LowestPlace, LowestPlace]], signs: list[int], slope: float | None
                 ) -> tuple[Way | None, float]:
    """From a minimum over cells, seen from there, to the next maximum, and the angle to it; slope: of V beyond the last
    cell, None where that ends at a maximum."""
    n = next((k for k, sign in enumerate(signs) if sign <= 0), len(signs))
    angle = math.fsum(abs(end.theta - begin.theta) for begin, end in cells[:n])
    if n == len(cells) and slope == math.inf:
        return Way(math.inf, math.inf), angle
    return (Way(angle, cells[n - 1][1].y - cells[0][0].y) if n else None), angle


def _describe(slices: Slices, places: list[LowestPlace], left: Way | None, right: Way | None,
              basin: float) -> PocketPose:
    """The pose of a minimum, or of the neutral range of all these places."""
    place = places[len(places) // 2]
    span = places[-1].theta - places[0].theta
    theta = math.remainder(place.theta, TURN)
    common = frozenset.intersection(*(other.touching for other in places))
    names = slices.pairs.name_all(common or place.touching, place.theta)
    return PocketPose(place.x, place.y, theta if theta > -math.pi else math.pi, span, (place.low, place.high),
                      place.closed, names, left, right, basin / TURN, -1)
