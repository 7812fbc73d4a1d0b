"""Whether edges and arcs meet where they should not: an outline crosses or touches itself nowhere.

Features that are not neighbours must be farther apart than a tolerance, so no decision hangs on rounding. Two
neighbours share their joint, and the other point in which their lines or circles meet follows from the joint without a
square root: it is its mirror image.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from geometry.shapes.cleaning import Loop, describe_feature, show_point
from geometry.shapes.features import (
    Features,
    OutlineError,
    compute_boxes,
    find_on_sweep,
    join_features,
)

_TINY = np.finfo(float).tiny


def check_simple(loops: Sequence[Loop], tolerance: float, names: Sequence[Sequence[str]]) -> None:
    """Raise OutlineError where features of one or of several loops cross, or come within the tolerance (m); names: of
    each feature of each loop."""
    features = join_features([loop.features for loop in loops])
    sizes = [len(loop.label) for loop in loops]
    first = np.cumsum([0, *sizes[:-1]])
    following = np.concatenate([start + np.roll(np.arange(size), -1) for start, size in zip(first, sizes, strict=True)])
    flat = [name for group in names for name in group]
    i, j = _find_pairs(features, tolerance)
    neighbours = (following[i] == j) | (following[j] == i)
    _check_neighbours(features, following, tolerance, flat)
    i, j = i[~neighbours], j[~neighbours]
    distance, place = measure_distances(features.take(i), features.take(j))
    bad = np.flatnonzero(distance <= tolerance)
    if bad.size:
        k = bad[int(distance[bad].argmin())]
        _refuse(features, i[k], j[k], place[k], flat, "crosses" if distance[k] == 0.0 else "touches")


def _refuse(features: Features, i: int, j: int, place, names: Sequence[str], verb: str) -> None:
    one, other = (describe_feature(features, row, names[row]) for row in (i, j))
    raise OutlineError(f"the outline {verb} itself at {show_point(place)} m: {one} and {other}")


def _find_pairs(features: Features, tolerance: float) -> tuple[np.ndarray, np.ndarray]:
    """Pairs i < j whose boxes come within the tolerance."""
    import shapely  # 50 ms: only where an outline is made

    low, high = compute_boxes(features)
    boxes = shapely.box(low[:, 0] - tolerance, low[:, 1] - tolerance, high[:, 0] + tolerance, high[:, 1] + tolerance)
    i, j = shapely.STRtree(boxes).query(boxes)
    ordered = i < j
    return i[ordered], j[ordered]


# ------------------------------------------------------------------------------------------------------- neighbours


def _check_neighbours(features: Features, following: np.ndarray, tolerance: float, names: Sequence[str]) -> None:
    """Refuse neighbours that meet again, away from their joints."""
    i = np.flatnonzero(following != np.arange(len(following)))
    j = following[i]
    one, other = features.take(i), features.take(j)
    again = _mirror_joint(one, other)
    ends = np.stack([one.start, one.end, other.start, other.end])
    # only the joints they share are theirs; where each is the other's neighbour twice, all four ends are joints
    shared = np.stack([following[j] == i, np.ones(len(i), dtype=bool), np.ones(len(i), dtype=bool), following[j] == i])
    away = np.where(shared, np.hypot(*np.moveaxis(ends - again, -1, 0)), np.inf).min(axis=0) > tolerance
    meets = away & reaches(one, again, tolerance) & reaches(other, again, tolerance)
    if meets.any():
        k = int(np.flatnonzero(meets)[0])
        _refuse(features, i[k], j[k], again[k], names, "crosses")
    # a free end of one on the other
    for mate, point, free in ((other, one.start, ~shared[0]), (one, other.end, ~shared[3])):
        distance = np.where(free, measure_points(point, mate), np.inf)
        if (distance <= tolerance).any():
            k = int(distance.argmin())
            _refuse(features, i[k], j[k], point[k], names, "touches")


def _mirror_joint(one: Features, other: Features) -> np.ndarray:
    """The other common point (n, 2) of the lines or circles of neighbours, the joint itself where there is none.

    A line through the joint P with direction d meets a circle round C again at P + 2 (d.(C - P)) d; two circles meet
    again at the mirror image of P in the line through their centres.
    """
    joint = one.end
    line = np.where((one.sign == 0)[:, None], one.end - one.start, other.end - other.start)
    circle = np.where((one.sign == 0)[:, None], other.centre, one.centre)
    between = other.centre - one.centre
    has_line = (one.sign == 0) | (other.sign == 0)
    axis = np.where(has_line[:, None], line, between)
    length = np.hypot(axis[:, 0], axis[:, 1])
    axis = axis / np.maximum(length, _TINY)[:, None]
    normal = np.stack([-axis[:, 1], axis[:, 0]], axis=1)
    arm = circle - joint
    along = joint + 2.0 * (arm * axis).sum(axis=1)[:, None] * axis
    mirrored = joint + 2.0 * ((one.centre - joint) * normal).sum(axis=1)[:, None] * normal
    again = np.where(has_line[:, None], along, mirrored)
    single = ((one.sign == 0) & (other.sign == 0)) | (length == 0.0)
    return np.where(single[:, None], joint, again)


def reaches(features: Features, points: np.ndarray, tolerance: float) -> np.ndarray:
    """Is point i, which is on the line or circle of feature i, on the feature?"""
    chord = features.end - features.start
    length = np.maximum(np.hypot(chord[:, 0], chord[:, 1]), _TINY)
    along = ((points - features.start) * chord).sum(axis=1) / length
    on_edge = (along >= -tolerance) & (along <= length + tolerance)
    return np.where(features.sign == 0, on_edge, find_on_sweep(features, points, tolerance))


# --------------------------------------------------------------------------------------------------------- distance


def measure_distances(one: Features, other: Features) -> tuple[np.ndarray, np.ndarray]:
    """Distance (n,) of feature i of one group from feature i of the other, 0 where they cross, and the place (n, 2).

    The nearest points are ends, or lie on the common normal: the line through both centres, or through the centre and
    square to the edge.
    """
    best, place = np.full(len(one.sign), np.inf), one.start.copy()

    def offer(distance, points):
        nearer = distance < best
        best[nearer], place[nearer] = distance[nearer], points[nearer]

    for point, feature in ((one.start, other), (one.end, other), (other.start, one), (other.end, one)):
        offer(measure_points(point, feature), point)
    for arc, mate in ((one, other), (other, one)):
        # the points of the circle nearest to and farthest from the foot of its centre on the mate's line, or the mate's
        # own centre
        chord = mate.end - mate.start
        square = np.maximum((chord * chord).sum(axis=1), _TINY)
        foot = mate.start + (((arc.centre - mate.start) * chord).sum(axis=1) / square)[:, None] * chord
        aim = np.where((mate.sign == 0)[:, None], foot, mate.centre) - arc.centre
        length = np.hypot(aim[:, 0], aim[:, 1])
        for side in (1.0, -1.0):
            point = arc.centre + (side * arc.radius / np.where(length > 0.0, length, 1.0))[:, None] * aim
            valid = (arc.sign != 0) & (length > 0.0) & find_on_sweep(arc, point)
            offer(np.where(valid, measure_points(point, mate), np.inf), point)
    for points, valid in list_crossings(one, other):
        offer(np.where(valid & reaches(one, points, 0.0) & reaches(other, points, 0.0), 0.0, np.inf), points)
    return best, place


def measure_points(points: np.ndarray, features: Features) -> np.ndarray:
    """Distance (n,) of point i from feature i."""
    chord = features.end - features.start
    square = np.maximum((chord * chord).sum(axis=1), _TINY)
    t = np.clip(((points - features.start) * chord).sum(axis=1) / square, 0.0, 1.0)
    edge = np.hypot(*(points - features.start - t[:, None] * chord).T)
    ends = np.minimum(np.hypot(*(points - features.start).T), np.hypot(*(points - features.end).T))
    ring = np.abs(np.hypot(*(points - features.centre).T) - features.radius)
    arc = np.where(find_on_sweep(features, points), ring, ends)
    return np.where(features.sign == 0, edge, arc)


def list_crossings(one: Features, other: Features):
    """Pairs (points (n, 2), valid (n,)): where the lines or circles of feature i of both groups meet."""
    lines = (one.sign == 0) & (other.sign == 0)
    a, d = one.start, one.end - one.start
    b, g = other.start, other.end - other.start
    cross = d[:, 0] * g[:, 1] - d[:, 1] * g[:, 0]
    skew = lines & (cross != 0.0)
    t = ((b - a)[:, 0] * g[:, 1] - (b - a)[:, 1] * g[:, 0]) / np.where(skew, cross, 1.0)
    yield a + t[:, None] * d, skew
    # a circle, and the chord that the line or the other circle cuts out of it: at `foot`, half as long as `half`
    swap = one.sign == 0
    centre = np.where(swap[:, None], other.centre, one.centre)
    radius = np.where(swap, other.radius, one.radius)
    mixed = (one.sign == 0) != (other.sign == 0)
    begin, chord = np.where(swap[:, None], a, b), np.where(swap[:, None], d, g)
    square = np.maximum((chord * chord).sum(axis=1), _TINY)
    foot = begin + (((centre - begin) * chord).sum(axis=1) / square)[:, None] * chord
    direction = chord / np.sqrt(square)[:, None]
    between = other.centre - one.centre
    distance = np.hypot(between[:, 0], between[:, 1])
    circles = (one.sign != 0) & (other.sign != 0) & (distance > 0.0)
    distance = np.where(circles, distance, 1.0)
    axis = between / distance[:, None]
    along = 0.5 * (distance + (one.radius - other.radius) * (one.radius + other.radius) / distance)
    foot = np.where(mixed[:, None], foot, one.centre + along[:, None] * axis)
    direction = np.where(mixed[:, None], direction, np.stack([-axis[:, 1], axis[:, 0]], axis=1))
    off = np.hypot(*(foot - centre).T)
    valid = (mixed | circles) & (off <= radius)
    half = np.sqrt(np.where(valid, (radius - off) * (radius + off), 0.0))
    for side in (1.0, -1.0):
        yield foot + side * half[:, None] * direction, valid
