"""Is a pose of a contact formation realised? Contacts within the actual edges and arcs, and no overlap.

The cells of Farahat, Stiller and Trinkle use the lines that support the edges ("the line supporting the edge, not the
actual physical edge"), and here also the circles that support the arcs; a pose on them may have a contact beyond the
end of its edge or arc, or the part inside a finger.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from geometry.formation.formation_contacts import FormationContact, FormationError, Shape
from geometry.shapes.features import compute_sweeps
from geometry.shapes.polygon import Polygon
from geometry.shapes.pose import Pose
from geometry.shapes.union.overlap import measure_overlap
from geometry.tolerances import TOUCH


class Realisation(NamedTuple):
    """Where the contacts of one pose are, and whether the part can be there."""

    realised: bool  # contacts within their edges and arcs, no overlap
    within_edges: tuple[bool, ...]  # for each contact; always true for one that does not know its features
    along: tuple[float, ...]  # m from the start of the edge to the contact; NaN where no edge is known
    points: np.ndarray  # (n, 2) m, contact points, world
    overlaps: tuple[tuple[int, float], ...]  # (manipulator, depth in m)
    reason: str  # a sentence
    ends: tuple[str, ...]  # for each contact: "edge" or "arc", of which the nearest end is


class _Spot(NamedTuple):
    """One contact at one pose."""

    point: np.ndarray  # (2,) m, world
    along: float  # m, from the start of its edge
    room: float  # m, to the nearest end of its edge or arcs, along them; negative beyond; inf where none is known
    feature: str  # "edge" or "arc": what ends there


def verify_formation(contacts: Sequence[FormationContact], pose: Sequence[float] | np.ndarray, part: Shape,
                     manipulators: Sequence[Shape], poses: Sequence[Any] | np.ndarray,
                     *, edges: bool = True, overlap: bool = True) -> Realisation:
    """Whether one pose (x, y, theta) of a formation is realised.

    poses: (m, 3), x, y, theta of the manipulators; `edges` asks for contacts within their edges and arcs, `overlap` for
    a part that is in no manipulator. With both off every pose on the supporting lines and circles counts.
    """
    pose = Pose(*pose[:3])
    placed = [Pose(*each) for each in poses]
    size = measure_size(pose, part, manipulators, poses)
    places, words = [], []
    for number, contact in enumerate(contacts):
        frame = placed[contact.manipulator] if contact.manipulator >= 0 else Pose()
        place = _locate_contact(contact, pose, frame, part, manipulators)
        places.append(place)
        if edges and place.room < -TOUCH * size:
            words.append(f"contact {number} is {-place.room:.6g} m beyond the end of its {place.feature}")
    overlaps = find_overlaps(pose, part, manipulators, placed, TOUCH * size) if overlap else ()
    words += [f"the part is {depth:.6g} m deep in manipulator {index}" for index, depth in overlaps]
    return Realisation(not words, tuple(place.room >= -TOUCH * size for place in places),
                       tuple(place.along for place in places), np.array([place.point for place in places]), overlaps,
                       "; ".join(words) or "realised", tuple(place.feature for place in places))


def _locate_contact(contact: FormationContact, pose: Pose, frame: Pose, part: Shape,
                    manipulators: Sequence[Shape]) -> _Spot:
    """Where a contact is; `frame` is the pose of its manipulator. With n out of the manipulator the point lies at r n
    behind the centre of what is round of the part, at R n before that of the manipulator."""
    if contact.manipulator_feature is not None and not 0 <= contact.manipulator < len(manipulators):
        raise FormationError(f"manipulator = {contact.manipulator}: there are {len(manipulators)} manipulators")
    own, other = contact.part_radius, contact.manipulator_radius
    n = find_normal(contact, pose, frame)
    if contact.kind == "A":
        point = frame.transform(contact.manipulator_point) + other * n
    else:
        point = pose.transform(contact.part_point) - own * n
    ends = [(math.inf, "edge")]
    along = math.nan
    edge = contact.part_feature if contact.kind == "A" else contact.manipulator_feature
    if contact.kind != "C" and edge is not None:
        if contact.kind == "A":
            shape, local = part, pose.inverse().transform(frame.transform(contact.manipulator_point))
        else:
            shape = manipulators[contact.manipulator]
            local = frame.inverse().transform(pose.transform(contact.part_point))
        features = shape.features
        start, end = features.start[edge], features.end[edge]
        length = math.dist(start, end)
        along = float(np.dot(local - start, end - start)) / length
        ends.append((min(along, length - along), "edge"))
    if own and contact.part_feature is not None:
        ends.append((_measure_room(part, contact.part_feature, pose.inverse().rotate(-n)), "arc"))
    if other and contact.manipulator_feature is not None:
        room = _measure_room(manipulators[contact.manipulator], contact.manipulator_feature, frame.inverse().rotate(n))
        ends.append((room, "arc"))
    room, feature = min(ends, key=lambda each: each[0])
    return _Spot(point, along, room, feature)


def find_normal(contact: FormationContact, pose: Pose, frame: Pose) -> np.ndarray:
    """Unit normal (2,) of a contact, world, out of the manipulator, whose pose is `frame`."""
    if contact.kind == "A":
        return -pose.rotate(contact.normal)
    if contact.kind == "B":
        return frame.rotate(contact.normal)
    away = pose.transform(contact.part_point) - frame.transform(contact.manipulator_point)
    inside = contact.part_radius + contact.manipulator_radius < 0.0
    return away / (-math.hypot(*away) if inside else math.hypot(*away))


def _measure_room(shape: Shape, arc: int, normal: np.ndarray) -> float:
    """How far inside an arc the point is whose outward normal (2,) is given, along it, m; negative beyond its ends."""
    row = shape.features.take([arc])
    sweep, sign = float(compute_sweeps(row)[0]), int(row.sign[0])
    if sweep >= 2.0 * math.pi:
        return math.inf
    spoke, point = row.start[0] - row.centre[0], sign * normal
    turn = sign * math.atan2(spoke[0] * point[1] - spoke[1] * point[0], float(spoke @ point))
    return float(row.radius[0]) * (0.5 * sweep - abs(math.remainder(turn - 0.5 * sweep, 2.0 * math.pi)))


def measure_size(pose: Sequence[float] | np.ndarray, part: Shape, manipulators: Sequence[Shape],
                 poses: Sequence[Any] | np.ndarray) -> float:
    """The largest coordinate of the bodies in the world, m, centres and radii of arcs included: what rounding and TOUCH
    are relative to."""
    largest = 0.0
    for frame, shape in [(pose, part), *zip(poses, manipulators, strict=True)]:
        features, place = shape.features, Pose(*frame)
        largest = max(largest, float(np.abs(place.transform(features.start)).max()))
        arcs = features.sign != 0
        if arcs.any():
            reach = np.abs(place.transform(features.centre[arcs])) + features.radius[arcs, None]
            largest = max(largest, float(reach.max()))
    return largest


def find_overlaps(pose: Pose, part: Shape, manipulators: Sequence[Shape], placed: Sequence[Pose],
                  tolerance: float) -> tuple[tuple[int, float], ...]:
    """(manipulator, depth in m) of every manipulator that the part overlaps by more than the tolerance (m)."""
    own = part.placed(pose)
    low, high = own.bounds
    found = []
    for index, (shape, frame) in enumerate(zip(manipulators, placed, strict=True)):
        other = shape.placed(frame)
        other_low, other_high = other.bounds
        if (other_low >= high - tolerance).any() or (other_high <= low + tolerance).any():
            continue
        depth = measure_overlap(*(o.vertices if isinstance(o, Polygon) else o for o in (own, other)))[0]
        if depth > tolerance:
            found.append((index, depth))
    return tuple(found)
