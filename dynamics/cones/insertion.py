"""Plan an insertion: in which directions must gravity (or a spring) pull so that the part can only do what is wanted?

Source: Balkcom, Gottlieb and Trinkle, "Computing wrench cones for planar contact tasks" and "A sensorless insertion
strategy for rigid planar parts" (2002). A part lies on a tray that is tilted, so that gravity acts along some direction
in the plane, at the centre of mass; or a spring presses on a point of the part. The insertion has stages, poses on the
way, each with the mode that is wanted there. A direction is safe if at every stage the wanted mode claims its wrench,
and no other mode does, for all friction and all centres of mass that may occur.

For given numbers the safe directions are exact: the wrench is linear in (cos, sin) of the direction, so that every
inequality of every cone changes at two directions only, and between two neighbours nothing does. Over the intervals of
friction and centre of mass a grid is taken, ends included; how far the answer still moved when the grid was made twice
as dense is part of the answer (`settled`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import atan2, cos, pi, sin

import numpy as np
from numpy.typing import ArrayLike

from dynamics.cones.contact_set import ContactSet, place_contacts
from dynamics.cones.modes import enumerate_modes, read_mode
from dynamics.cones.polyhedral import Cone
from dynamics.cones.wrench import cone_of_mode
from dynamics.tolerances import SAME_DIRECTION
from geometry.errors import InputError

TURN = 2.0 * pi


@dataclass(frozen=True)
class Stage:
    """A pose on the way: its contacts (with their points), and the mode or pattern of modes that is wanted there.

    angle: orientation of the part (rad); offsets of the centre of mass are given in the frame of the part.
    """

    contacts: ContactSet
    mode: str
    angle: float = 0.0


@dataclass(frozen=True)
class InsertionPlan:
    """Directions of the load (rad, from the x axis, counter-clockwise) that leave only the wanted modes.

    intervals: open, (low, high), low in [-pi, pi), widest first; empty: there is no safe direction.
    stages: the intervals of each stage by itself. rivals: for each stage the other modes that claim directions which
    some wanted mode claims, for some friction and centre of mass. settled: by how much (rad) an end of an interval of
    the plan moved when the grid of friction and centre of mass was made twice as dense; inf if intervals came or went.
    """

    intervals: tuple[tuple[float, float], ...]
    stages: tuple[tuple[tuple[float, float], ...], ...]
    rivals: tuple[frozenset[str], ...]
    settled: float
    samples: int = field(repr=False)

    @property
    def is_safe(self) -> bool:
        """Is there any safe direction?"""
        return bool(self.intervals)

    @property
    def direction(self) -> float:
        """The middle of the widest interval, rad. ValueError if there is none."""
        if not self.intervals:
            raise InputError("there is no safe direction: " + self.explain())
        low, high = self.intervals[0]
        return _wrap(0.5 * (low + high))

    @property
    def margin(self) -> float:
        """How far the direction may be off, rad; 0 if there is none."""
        return 0.5 * (self.intervals[0][1] - self.intervals[0][0]) if self.intervals else 0.0

    def explain(self) -> str:
        """One sentence: what the plan is, or which modes spoil it."""
        if self.intervals:
            return (f"Pull along {np.degrees(self.direction):.6g} deg, give or take {np.degrees(self.margin):.6g} deg: "
                    "then only the wanted modes are possible.")
        for number, (own, rivals) in enumerate(zip(self.stages, self.rivals, strict=True)):
            if not own:
                names = f"; also possible: {' '.join(sorted(rivals))}" if rivals else ""
                return f"at stage {number} no direction gives the wanted mode alone for all friction and centres{names}"
        return "every stage has safe directions, but no direction is safe at all of them"


def plan_insertion(stages: Iterable[Stage], mu: ArrayLike | None = None,
                   centre: Sequence[ArrayLike] = ((0.0, 0.0), (0.0, 0.0)),
                   rho: ArrayLike | None = None, press_at: ArrayLike | None = None, samples: int = 5) -> InsertionPlan:
    """Directions of gravity under which only the wanted mode is consistent, at every stage: an InsertionPlan.

    stages: Stage, at least one. mu (low, high): friction of all contacts; that of the contacts if not given.
    centre ((x low, x high), (y low, y high)): offsets of the centre of mass, in the frame of the part (m).
    rho (low, high): radius of gyration (m); that of the contacts if not given.
    press_at (2,), optional: the load is a force at this point, in the frame of the part, relative to the nominal centre
    of mass, and not at the centre of mass (a spring instead of gravity).
    samples: values taken from each interval that is wider than nothing, at least 3, odd.
    ValueError: no stage, contacts without points, intervals that are none.
    """
    stages = list(stages)
    if not stages:
        raise InputError("stages is empty: give at least one pose with the mode that is wanted there")
    for number, stage in enumerate(stages):
        if stage.contacts.points is None:
            raise InputError(f"the contacts of stage {number} have no points: make them by place_contacts")
    if samples < 3 or samples % 2 == 0:
        raise InputError(f"samples is {samples}: must be odd, and at least 3")
    ranges = [_read_interval("mu", mu, 0.0), _read_interval("centre[0]", centre[0]),
              _read_interval("centre[1]", centre[1]), _read_interval("rho", rho, 0.0)]
    fine = list(product(*(_spread(interval, samples) for interval in ranges)))
    coarse = set(product(*(_spread(interval, samples)[::2] for interval in ranges)))
    whole, own, rivals = [(-pi, pi)], [], []
    rough = whole
    for stage in stages:
        safe, rough_safe, others = [(-pi, pi)], [(-pi, pi)], set()
        modes = enumerate_modes(stage.contacts)  # neither friction nor the centre of mass changes what is feasible
        for values in fine:
            arm = _find_arm(stage, values, press_at)
            found, claims = find_safe_directions(_vary(stage, values), stage.mode, arm, modes)
            safe = intersect_intervals(safe, found)
            if values in coarse:
                rough_safe = intersect_intervals(rough_safe, found)
            others |= claims
        own.append(tuple(_sort(safe)))
        rivals.append(frozenset(others))
        whole, rough = intersect_intervals(whole, safe), intersect_intervals(rough, rough_safe)
    whole, rough = _sort(whole), _sort(rough)
    settled = _compare(whole, rough)
    return InsertionPlan(tuple(whole), tuple(own), tuple(rivals), settled, len(fine))


def list_seat_stages(contacts: ContactSet, angle: float = 0.0) -> list[Stage]:
    """What a seat must do: hold the part (all letters n), and close any one of its contacts that is a little open.

    A contact that is a little open sees the same geometry as a closed one, in the limit, so these stages need no more
    poses. They are what undoes a part that arrives askew: without them it may wedge between the other contacts.
    ValueError: a contact is not closed.
    """
    if not contacts.closed.all():
        raise InputError(f"contact {int(np.argmin(contacts.closed))} is not closed: a seat touches all of its contacts")
    k = len(contacts)
    stages = [Stage(contacts, "n" * k, angle)]
    for i in range(k):
        mode = "".join("a" if j == i else "*" for j in range(k))
        stages.append(Stage(replace(contacts, closed=np.arange(k) != i), mode, angle))
    return stages


def find_safe_directions(contacts: ContactSet, mode: str, arm: Sequence[float] | np.ndarray = (0.0, 0.0),
                         modes: Sequence[str] | None = None) -> tuple[list[tuple[float, float]], set[str]]:
    """Open intervals of directions (rad) whose wrench only the wanted mode claims, and the modes that share some.

    The load is a force of any size along the direction, at `arm` (2,) from the centre of mass. modes: all feasible
    modes, where they are known already.
    """
    modes = enumerate_modes(contacts) if modes is None else modes
    allowed = read_mode(contacts, mode)
    wanted = {name for name in modes if all(letter in own for letter, own in zip(name, allowed, strict=True))}
    cones = {name: cone_of_mode(contacts, name) for name in modes}
    span = np.array([(1.0, 0.0, -arm[1] / contacts.rho), (0.0, 1.0, arm[0] / contacts.rho)])
    borders = _find_borders(cones.values(), span)
    if not borders:
        borders = [-pi]
    ends = [*borders[1:], borders[0] + TURN]
    middles = [0.5 * (low + high) for low, high in zip(borders, ends, strict=True)]
    within, rivals = _find_claims(cones, span, middles, wanted)
    at_border, _ = _find_claims(cones, span, borders, wanted)
    intervals: list[tuple[float, float]] = []
    for low, high, safe, joined in zip(borders, ends, within, at_border, strict=True):
        if not safe:
            continue
        if joined and intervals and abs(intervals[-1][1] - low) <= SAME_DIRECTION:
            intervals[-1] = (intervals[-1][0], high)
        else:
            intervals.append((low, high))
    if len(intervals) > 1 and at_border[0] and within[0] and within[-1]:  # the seam at the end of the turn is none
        first = intervals.pop(0)
        intervals[-1] = (intervals[-1][0], first[1] + TURN)
    return intervals, rivals


def _find_claims(cones: dict[str, Cone], span, angles, wanted) -> tuple[np.ndarray, set[str]]:
    """Which directions only wanted modes claim, (n,) bool, and who else claims one that a wanted mode does."""
    wrenches = np.column_stack([np.cos(angles), np.sin(angles)]) @ span
    members = {name: cone.contains_all(wrenches) for name, cone in cones.items()}
    nobody = np.zeros(len(wrenches), dtype=bool)
    own = np.any([nobody, *(members[name] for name in wanted)], axis=0)
    rivals = {name for name in members if name not in wanted and (members[name] & own).any()}
    others = np.any([nobody, *(members[name] for name in members if name not in wanted)], axis=0)
    return own & ~others, rivals


def _find_borders(cones, span) -> list[float]:
    """Directions in [-pi, pi), sorted, at which an inequality of a cone is an equality."""
    rows = np.vstack([np.zeros((0, 3)), *(np.vstack([c.faces, c.equations, c.strict]) for c in cones)]) @ span.T
    rows = rows[np.hypot(rows[:, 0], rows[:, 1]) > SAME_DIRECTION]
    angles = sorted(_wrap(atan2(x, -y) + half) for x, y in rows for half in (0.0, pi))
    kept: list[float] = []
    for angle in angles:
        if not kept or angle - kept[-1] > SAME_DIRECTION:
            kept.append(angle)
    if len(kept) > 1 and kept[0] + TURN - kept[-1] <= SAME_DIRECTION:
        kept.pop()
    return kept


# ---- friction and centres that may occur -----------------------------------------------------------------------------


def _vary(stage: Stage, values) -> ContactSet:
    mu, x, y, rho = values
    contacts = stage.contacts
    if x == 0.0 and y == 0.0 and rho is None:
        return contacts if mu is None else replace(contacts, mu=np.full(len(contacts), mu))
    offset = _turn((x, y), stage.angle)
    return place_contacts(contacts.points, contacts.normals,  # type: ignore[arg-type]  # plan_insertion asks for both
                          contacts.mu if mu is None else mu, offset,
                          contacts.rho if rho is None else rho, contacts.closed)


def _find_arm(stage: Stage, values, press_at) -> np.ndarray:
    if press_at is None:
        return np.zeros(2)
    return _turn((press_at[0] - values[1], press_at[1] - values[2]), stage.angle)


def _turn(vector, angle: float) -> np.ndarray:
    c, s = cos(angle), sin(angle)
    return np.array([c * vector[0] - s * vector[1], s * vector[0] + c * vector[1]])


def _read_interval(name: str, interval, least: float = -np.inf):
    if interval is None:
        return None
    low, high = (float(value) for value in np.broadcast_to(interval, (2,)))
    if not least <= low <= high < np.inf:
        raise InputError(f"{name} is ({low}, {high}): must be an interval (low, high) of finite numbers"
                         + (f", at least {least:g}" if least > -np.inf else ""))
    return low, high


def _spread(interval, samples: int) -> list:
    """Values of an interval, ends included; one if it has no width, None if it is not given."""
    if interval is None:
        return [None]
    low, high = interval
    return [low] if low == high else [float(value) for value in np.linspace(low, high, samples)]


# ---- intervals on the circle -----------------------------------------------------------------------------------------


def intersect_intervals(first: Iterable[tuple[float, float]],
                        second: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Common part of two lists of open intervals of directions; each may go past pi, none is longer than a turn."""
    found = []
    for a, b in first:
        for c, d in second:
            for turn in (-TURN, 0.0, TURN):
                low, high = max(a, c + turn), min(b, d + turn)
                if high - low > SAME_DIRECTION:
                    start = _wrap(low)
                    found.append((start, start + high - low))
    found.sort()
    return found


def _sort(intervals) -> list[tuple[float, float]]:
    """Joined over the seam at pi, widest first."""
    intervals = sorted(intervals)
    if len(intervals) > 1 and intervals[0][0] == -pi and abs(intervals[-1][1] - pi) <= SAME_DIRECTION:
        first, last = intervals.pop(0), intervals.pop()
        intervals.append((last[0], first[1] + TURN))
    return sorted(intervals, key=lambda interval: interval[0] - interval[1])


def _compare(intervals, rough) -> float:
    """Largest shift of an end between two lists of intervals; inf if there are not as many."""
    if len(intervals) != len(rough):
        return np.inf
    pairs = zip(sorted(intervals), sorted(rough), strict=True)
    return max((abs(x - y) for own, other in pairs for x, y in zip(own, other, strict=True)), default=0.0)


def _wrap(angle: float) -> float:
    """The same direction in [-pi, pi)."""
    wrapped = (angle + pi) % TURN - pi
    return wrapped if wrapped < pi else -pi
