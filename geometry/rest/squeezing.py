"""Plans that orient a part by squeezes between frictionless parallel jaws, without a sensor (Goldberg 1993).

Two parallel jaws close along a line of direction alpha; the part between them is free to turn and to slip, and turns
until its width along that line is least. With the support h of the hull (`geometry.rest.hull`) the width in the
direction phi of the part's frame is

    w(phi) = h(phi) + h(phi + pi) ,     phi = alpha - theta ,

the support function of the hull and its mirror image added: within a piece of it, that of two circles with centres
c_i, c_j and radii r_i, r_j, w = (c_i - c_j).u + r_i + r_j. Its minima m are the stable squeezes, its maxima M bound the
intervals that flow into them: the squeeze function s is a staircase with the period T.

Goldberg's algorithm goes backwards. It keeps the widest interval of orientations from which the squeezes found so far
lead to one: first the widest stair; then, of all intervals between two maxima whose image under s is narrower than the
last interval, the widest; until that is a whole period. No plan is shorter. Between two squeezes the jaws are turned so
that the image lies in the middle of the interval it must fall into: what is left on either side is the slack.

K. Y. Goldberg, "Orienting polygonal parts without sensors", Algorithmica 10 (1993), 201-225.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from geometry.errors import InputError
from geometry.rest.hull import TURN, Hull, compute_hull
from geometry.rest.rest_poses import join_runs, list_runs
from geometry.rest.symmetry import find_symmetry
from geometry.shapes.outline import Outline
from geometry.shapes.polygon import Polygon
from geometry.tolerances import ANGLE_TOLERANCE, LEAST_SLACK, NEUTRAL

HALVINGS = 60  # of the interval in which the largest slack lies: until two doubles are next to each other


@dataclass(frozen=True)
class Squeeze:
    """One squeeze of a plan, and what is known of the part after it."""

    angle: float  # rad, from 0 to below pi: of the line along which the jaws close; 0, the x axis, of the first
    turn: float  # rad by which the jaws turn before it, since the squeeze before; 0 of the first
    slack: float  # rad by which that turn may be off, either way, and nothing changes; infinite of the first
    thetas: tuple[float, ...]  # rad, from 0 to below `period`: the orientations of the part that are possible after it


@dataclass(frozen=True)
class SqueezePlan:
    """Squeezes after which a part has one orientation, up to `period`, whatever it had before."""

    squeezes: tuple[Squeeze, ...]
    period: float  # rad: parallel jaws do not tell orientations apart that differ by it; a half turn or a part of it
    symmetry: int  # a turn by 2 pi / symmetry leaves the part as it is
    thetas: tuple[float, ...]  # rad, from 0: the orientations at the end that are not the same by this symmetry

    @property
    def slack(self) -> float:
        """The smallest of all slacks, rad."""
        return min(squeeze.slack for squeeze in self.squeezes)


class SqueezeFunction(NamedTuple):
    """The staircase over one period: from maxima[k] to maxima[k + 1] the part turns to minima[k]."""

    maxima: np.ndarray  # (k + 1,) rad, of the width; the last is maxima[0] + period
    minima: np.ndarray  # (k,) rad
    period: float  # rad


class _Spans(NamedTuple):
    """All intervals between two maxima: row i begins at maxima[i], column c has c + 1 stairs."""

    length: np.ndarray  # (k, k) rad
    image: np.ndarray  # (k, k) rad, from its first minimum to its last


def find_squeeze_plan(outline: Polygon | Outline, slack: float = 0.0) -> SqueezePlan:
    """The shortest plan for a part in which no slack is smaller than `slack` (rad); of all such plans that whose
    smallest slack is largest. Raises InputError for a part that squeezes do not orient, and where there is no plan with
    so much slack."""
    if not (math.isfinite(slack) and slack >= 0.0):
        raise InputError(f"the slack of a plan must be zero or positive, not {math.degrees(slack):.9g} deg")
    outline = outline.translated(*(-outline.centroid))
    stairs = compute_squeeze_function(outline)
    spans = _measure_spans(stairs)
    found = _go_backwards(spans, slack)
    low, high = slack, 0.5 * stairs.period
    if not found:
        raise InputError(f"there is no plan whose turns may all be off by {math.degrees(slack):.6g} deg; the most is "
                         f"{math.degrees(_find_most_slack(spans, 0.0, high, None)):.6g} deg")
    found = _go_backwards(spans, _find_most_slack(spans, low, high, len(found)))
    squeezes = _turn_to_middles(stairs, spans, found)
    order = find_symmetry(outline)
    copies = round(TURN / stairs.period / order)
    first = squeezes[-1].thetas[0]
    return SqueezePlan(squeezes, stairs.period, order, tuple(first + k * stairs.period for k in range(copies)))


def compute_squeeze_function(outline: Polygon | Outline) -> SqueezeFunction:
    """The squeeze function of a part over one period. Raises InputError where its width is the same over a range."""
    width = _add_mirror_image(compute_hull(outline))
    runs = join_runs(list_runs(width, 0.0, NEUTRAL * outline.size))
    if any(run.sign == 0 for run in runs):
        spread = math.degrees(max(run.length for run in runs if run.sign == 0))
        raise InputError(f"over {min(spread, 360.0):.6g} deg the width of the part is the same, so that jaws do not "
                         "turn it there: squeezes leave its orientation open")
    maxima = np.array([run.end for run in runs if run.sign > 0])
    minima = np.array([run.end for run in runs if run.sign < 0])
    maxima, minima = np.sort(np.remainder(maxima, TURN)), np.sort(np.remainder(minima, TURN))
    # each minimum in the stair that begins at the maximum before it
    minima = np.roll(minima, -int(np.searchsorted(minima, maxima[0])))
    minima = np.where(minima < maxima[0], minima + TURN, minima)
    n = len(maxima)
    k = next(k for k in range(1, n + 1) if n % k == 0 and all(_has_period(angles, k) for angles in (maxima, minima)))
    period = TURN * k / n
    return SqueezeFunction(np.append(maxima[:k], maxima[0] + period), minima[:k], period)


def _add_mirror_image(hull: Hull) -> Hull:
    """The hull and its image turned by a half turn, added: its support is the width."""
    start = float(hull.begin[0])
    begin = np.sort(start + np.remainder(np.concatenate([hull.begin, hull.begin + math.pi]) - start, TURN))
    end = np.append(begin[1:], start + TURN)
    middle = 0.5 * (begin + end)
    near, far = (np.searchsorted(hull.begin, start + np.remainder(phi - start, TURN), side="right") - 1
                 for phi in (middle, middle + math.pi))
    return Hull(begin, end, hull.centre[near] - hull.centre[far], hull.radius[near] + hull.radius[far])


def _has_period(angles: np.ndarray, k: int) -> bool:
    """Are the angles (n,), sorted over a turn, the same k places on, up to the turn TURN k / n?"""
    ahead = np.roll(angles, -k) - angles - TURN * k / len(angles)
    return bool((np.abs(np.remainder(ahead + math.pi, TURN) - math.pi) <= ANGLE_TOLERANCE).all())


def _measure_spans(stairs: SqueezeFunction) -> _Spans:
    k = len(stairs.minima)
    maxima = np.append(stairs.maxima, stairs.maxima[1:] + stairs.period)
    minima = np.append(stairs.minima, stairs.minima + stairs.period)
    first, n = np.arange(k)[:, None], np.arange(k)[None, :]
    length = maxima[first + n + 1] - maxima[first]
    length[:, -1] = stairs.period
    return _Spans(length, minima[first + n] - minima[first])


def _go_backwards(spans: _Spans, slack: float) -> list[tuple[int, int]]:
    """The intervals of the shortest plan with at least this slack, the last squeeze first, as places in `spans`; empty
    if there is none. Of intervals of one length that with the narrowest image is taken: it has the most slack."""
    k = len(spans.length)
    found = [(int(np.argmax(spans.length[:, 0])), 0)]
    while found[-1][1] < k - 1:
        room = spans.length[found[-1]]
        fits = (spans.image + 2.0 * max(slack, LEAST_SLACK) <= room) & (spans.length > room)
        if not fits.any():
            return []
        widest = fits & (spans.length == spans.length[fits].max())
        place = int(np.argmin(np.where(widest, spans.image, np.inf)))
        found.append((place // k, place % k))
    return found


def _find_most_slack(spans: _Spans, low: float, high: float, n: int | None) -> float:
    """The largest slack, from low to high, with which there is a plan of n squeezes (None: of any number)."""
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        found = _go_backwards(spans, middle)
        if found and (n is None or len(found) == n):
            low = middle
        else:
            high = middle
    return low


def _turn_to_middles(stairs: SqueezeFunction, spans: _Spans, found: list[tuple[int, int]]) -> tuple[Squeeze, ...]:
    """The squeezes of a plan, in the order in which they are made."""
    k, period = len(stairs.minima), stairs.period
    angle, phis = 0.0, stairs.minima
    squeezes = [_describe_squeeze(0.0, 0.0, math.inf, phis, period)]
    for (i, n), (j, m) in zip(found[:0:-1], found[-2::-1], strict=True):
        image, room = spans.image[i, n], spans.length[j, m]
        turn = stairs.maxima[j] + 0.5 * room - (stairs.minima[i] + 0.5 * image)
        turn = float(turn - period * round(turn / period))
        angle += turn
        ahead = stairs.maxima[0] + np.remainder(phis + turn - stairs.maxima[0], period)
        phis = stairs.minima[np.minimum(np.searchsorted(stairs.maxima, ahead, side="right") - 1, k - 1)]
        squeezes.append(_describe_squeeze(angle, turn, 0.5 * float(room - image), phis, period))
    return tuple(squeezes)


def _describe_squeeze(angle: float, turn: float, slack: float, phis: np.ndarray, period: float) -> Squeeze:
    thetas = np.remainder(angle - phis, period)
    thetas = np.where(period - thetas <= ANGLE_TOLERANCE, 0.0, thetas)  # to rounding none below the whole period
    distinct: list[float] = []
    for theta in np.sort(thetas).tolist():
        if not distinct or theta - distinct[-1] > ANGLE_TOLERANCE:
            distinct.append(theta)
    return Squeeze(angle % math.pi, turn, slack, tuple(distinct))
