"""One loop of edges and arcs as an outline keeps it: nothing of no length, no joint inside an edge or an arc.

Every function passes on `label` (n,), the number that each feature had in what was given, for messages.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from geometry.shapes.features import (
    Features,
    OutlineError,
    build_circle,
    build_features,
    compute_bulges,
    compute_curvatures,
    compute_lengths,
    compute_sweeps,
    compute_turns,
    join_features,
)
from geometry.tolerances import STRAIGHT_BACK


class Loop(NamedTuple):
    """A closed chain of features, and the number that each had in what was given."""

    features: Features
    label: np.ndarray  # (n,)


def show_point(point) -> str:
    return f"({point[0] + 0.0:.9g}, {point[1] + 0.0:.9g})"


def describe_feature(features: Features, row: int, name: str) -> str:
    """'feature 3 (the arc from (0, 1) to (1, 0))', in metres; `name` stands for it."""
    if not features.sign[row]:
        what = "edge"
    elif (features.start[row] == features.end[row]).all():
        return f"{name} (the circle round {show_point(features.centre[row])} m)"
    else:
        what = "arc"
    return f"{name} (the {what} from {show_point(features.start[row])} to {show_point(features.end[row])} m)"


def clean_loop(features: Features, tolerance: float, name: str = "feature") -> Loop:
    """A loop without features shorter than the tolerance (m), with arcs flatter than it made edges, and with edges in
    one line and arcs of one circle joined. Raises OutlineError."""
    loop = Loop(features, np.arange(len(features.sign)))
    loop = _drop_short(_flatten(loop, tolerance), tolerance)
    if not len(loop.label):
        raise OutlineError("the outline has no size: all its points are one")
    _check_radii(loop, tolerance, name)
    loop = _join_arcs(loop, tolerance)
    loop = _join_edges(loop, tolerance, name)
    _check_cusps(loop, tolerance, name)
    return loop


def _drop_short(loop: Loop, tolerance: float) -> Loop:
    """Drop features shorter than the tolerance, and those that make way together; their neighbours meet instead."""
    features, label = loop
    long = compute_lengths(features) > tolerance
    if long.all():
        return loop
    rows = np.flatnonzero(long)
    if not rows.size:
        return Loop(features.take(rows), label[rows])
    # each kept feature ends where the next one kept starts
    kept = features.take(rows)
    end = kept.end if len(rows) == 1 and compute_sweeps(kept)[0] > math.pi else np.roll(kept.start, -1, axis=0)
    moved = (end != kept.end).any(axis=1) & (kept.sign != 0)
    rebuilt = build_features(kept.start, end, compute_bulges(kept))
    pick = moved[:, None]
    return Loop(Features(kept.start, end, np.where(pick, rebuilt.centre, kept.centre),
                         np.where(moved, rebuilt.radius, kept.radius), kept.sign), label[rows])


def _flatten(loop: Loop, tolerance: float) -> Loop:
    """Make edges of arcs that are nowhere farther than the tolerance from their chords."""
    features, label = loop
    sweep = compute_sweeps(features)
    height = 2.0 * features.radius * np.sin(0.25 * sweep) ** 2  # r (1 - cos(sweep / 2))
    flat = (features.sign != 0) & (height <= tolerance) & (sweep < math.pi)
    return Loop(Features(features.start, features.end, np.where(flat[:, None], features.start, features.centre),
                         np.where(flat, 0.0, features.radius), np.where(flat, 0, features.sign)), label)


def _check_radii(loop: Loop, tolerance: float, name: str) -> None:
    """Refuse a radius that rounding of the coordinates swallows."""
    small = np.flatnonzero((loop.features.sign != 0) & (loop.features.radius <= tolerance))
    if small.size:
        row = small[0]
        what = describe_feature(loop.features, row, f"{name} {loop.label[row]}")
        raise OutlineError(f"{what} has a radius of {loop.features.radius[row]:.3g} m, which is below the rounding of "
                           "an "
                           f"outline of this size; valid are radii above {tolerance:.3g} m, or a sharp corner")


def _join_arcs(loop: Loop, tolerance: float) -> Loop:
    """Make one arc of neighbours on one circle that turn the same way; a circle all round is one feature."""
    features, label = loop
    n = len(label)
    following = np.roll(np.arange(n), -1)
    same = ((features.sign != 0) & (features.sign == features.sign[following])
            & (np.hypot(*(features.centre - features.centre[following]).T) <= tolerance)
            & (np.abs(features.radius - features.radius[following]) <= tolerance))
    if same.all():
        row = int(features.radius.argmax())
        total = float(compute_sweeps(features).sum())
        if total > 3.0 * math.pi:
            raise OutlineError(f"the outline runs round the circle of {describe_feature(features, row, 'its arcs')} "
                               "more "
                               "than once")
        circle = build_circle(features.centre[row], float(features.radius[row]), int(features.sign[row]))
        return Loop(circle, label[row : row + 1])
    if not same.any():
        return loop
    return _join_runs(loop, same, _merge_arcs)


def _merge_arcs(run: Features) -> Features:
    """One arc in place of several of one circle: that of the longest."""
    row = int(compute_sweeps(run).argmax())
    return Features(run.start[:1], run.end[-1:], run.centre[row : row + 1], run.radius[row : row + 1], run.sign[:1])


def _merge_edges(run: Features) -> Features:
    return Features(run.start[:1], run.end[-1:], run.start[:1], run.radius[:1], run.sign[:1])


def _join_runs(loop: Loop, same: np.ndarray, merge) -> Loop:
    """Merge every run of features each of which goes on (`same`) in the next; not all of them do."""
    features, label = loop
    n = len(label)
    first = int(np.flatnonzero(~same)[0]) + 1  # begin after an end, so that no run goes over the seam
    order = (np.arange(n) + first) % n
    runs = np.split(order, np.flatnonzero(~same[order])[:-1] + 1)
    merged = [features.take(run) if len(run) == 1 else merge(features.take(run)) for run in runs]
    labels = np.array([label[run[0]] for run in runs])
    back = int(np.argmin(labels))  # the loop still starts where it did
    rows = (np.arange(len(runs)) + back) % len(runs)
    return Loop(join_features(merged).take(rows), labels[rows])


def _join_edges(loop: Loop, tolerance: float, name: str) -> Loop:
    """Drop vertices between two edges that lie within the tolerance of the line through their neighbours."""
    features, label = loop
    following = np.roll(np.arange(len(label)), -1)
    both = (features.sign == 0) & (features.sign[following] == 0)
    suspect = both & (_height(features.start, features.end, features.end[following]) <= 2.0 * tolerance)
    if not suspect.any():
        return loop
    if suspect.all():
        raise OutlineError(f"the outline has no area: its edges lie on one line, from {show_point(features.start[0])} "
                           "m")
    same = np.zeros(len(label), dtype=bool)
    first = int(np.flatnonzero(~suspect)[0]) + 1
    begin = features.start[first % len(label)]
    for row in (np.arange(len(label) - 1) + first) % len(label):
        point, after = features.end[row], features.end[following[row]]
        same[row] = both[row] and _height(begin, point, after) <= tolerance
        if not same[row]:
            begin = point
        elif np.dot(point - begin, after - point) < 0.0:
            raise OutlineError(f"the outline turns straight back at {show_point(point)} m, from {name} {label[row]} to "
                               f"{name} {label[following[row]]}: it has no area there")
    return _join_runs(loop, same, _merge_edges) if same.any() else loop


def _height(a: np.ndarray, b: np.ndarray, c: np.ndarray):
    """Distance of b from the line through a and c; 0 where c is a."""
    d, e = c - a, b - a
    length = np.hypot(d[..., 0], d[..., 1])
    cross = np.abs(d[..., 0] * e[..., 1] - d[..., 1] * e[..., 0])
    return np.where(length > 0.0, cross / np.where(length > 0.0, length, 1.0), 0.0)


def _check_cusps(loop: Loop, tolerance: float, name: str) -> None:
    """Refuse a joint from which the outline goes back as it came: nothing is between its two sides.

    Where at least one of them is curved, as at the end of a scoop that is half round, something is.
    """
    features, label = loop
    previous = np.roll(np.arange(len(label)), 1)
    turn = compute_turns(features, previous)
    bend = compute_curvatures(features)
    length = compute_lengths(features)
    shorter = np.minimum(length, length[previous])
    between = 0.5 * np.abs(bend + bend[previous]) * shorter * shorter
    bad = np.flatnonzero((np.abs(turn) > math.pi - STRAIGHT_BACK) & (between <= tolerance))
    if bad.size:
        row = int(bad[0])
        before = describe_feature(features, previous[row], f"{name} {label[previous[row]]}")
        after = describe_feature(features, row, f"{name} {label[row]}")
        raise OutlineError(f"the outline turns straight back at {show_point(features.start[row])} m, from {before} to "
                           f"{after}: it has no area there")
