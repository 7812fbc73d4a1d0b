"""Is a pose of a contact formation realised? Contacts within the actual edges, and no overlap with any manipulator.

The cells of Farahat, Stiller and Trinkle use the lines that support the edges ("the line supporting the edge, not the
actual physical edge"); a pose on the lines may have a contact beyond the end of its edge, or the part inside a finger.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from geometry.formation.formations import FormationContact, FormationError
from geometry.shapes.overlap import measure_overlap
from geometry.shapes.polygon import Polygon
from geometry.shapes.pose import Pose
from geometry.tolerances import TOUCH


class Realisation(NamedTuple):
    """Where the contacts of one pose are, and whether the part can be there."""

    realised: bool  # contacts within their edges, no overlap
    within_edges: tuple[bool, ...]  # for each contact; always true for one that does not know its edge
    along: tuple[float, ...]  # m from the start of the edge to the contact; NaN for one that does not know its edge
    points: np.ndarray  # (n, 2) m, contact points, world
    overlaps: tuple[tuple[int, float], ...]  # (manipulator, depth in m)
    reason: str  # a sentence


def find_extent(contact: FormationContact, part: Polygon, manipulators: Sequence[Polygon]) -> tuple[np.ndarray,
                np.ndarray] | None:
    """(start, end) of the edge of a contact, in its frame, m; None for a contact without numbered features."""
    feature = contact.part_feature if contact.kind == "A" else contact.manipulator_feature
    if feature is None:
        return None
    if contact.kind == "B" and not 0 <= contact.manipulator < len(manipulators):
        raise FormationError(f"manipulator = {contact.manipulator}: there are {len(manipulators)} manipulators")
    polygon = part if contact.kind == "A" else manipulators[contact.manipulator]
    return polygon.vertices[feature], polygon.vertices[(feature + 1) % len(polygon)]


def compute_along(contact: FormationContact, pose: Pose, manipulator: Pose,
                  extent: tuple[np.ndarray, np.ndarray]) -> tuple[float, float]:
    """(m from the start of the edge to the contact, m from the contact to its end)."""
    if contact.kind == "A":
        point = pose.inverse().transform(manipulator.transform(contact.manipulator_point))
    else:
        point = manipulator.inverse().transform(pose.transform(contact.part_point))
    start, end = extent
    length = math.dist(start, end)
    along = float(np.dot(point - start, end - start)) / length
    return along, length - along


def verify_formation(contacts: Sequence[FormationContact], pose: Sequence[float] | np.ndarray, part: Polygon,
                     manipulators: Sequence[Polygon], poses: Sequence[Any] | np.ndarray,
                     *, edges: bool = True, overlap: bool = True) -> Realisation:
    """Whether one pose (x, y, theta) of a formation is realised.

    poses: (m, 3), x, y, theta of the manipulators; `edges` asks for contacts within their edges, `overlap` for a part
    that is in no manipulator. With both off every pose on the supporting lines counts.
    """
    pose = Pose(*pose[:3])
    placed = [Pose(*each) for each in poses]
    size = measure_size(pose, part, manipulators, poses)
    within, along, points, words = [], [], [], []
    for number, contact in enumerate(contacts):
        frame = placed[contact.manipulator] if contact.manipulator >= 0 else Pose()
        points.append(frame.transform(contact.manipulator_point) if contact.kind == "A"
                      else pose.transform(contact.part_point))
        extent = find_extent(contact, part, manipulators)
        before, after = (math.nan, math.nan) if extent is None else compute_along(contact, pose, frame, extent)
        within.append(extent is None or min(before, after) >= -TOUCH * size)
        along.append(before)
        if edges and not within[-1]:
            words.append(f"contact {number} is {-min(before, after):.6g} m beyond the end of its edge")
    overlaps = find_overlaps(pose, part, manipulators, placed, TOUCH * size) if overlap else ()
    words += [f"the part is {depth:.6g} m deep in manipulator {index}" for index, depth in overlaps]
    return Realisation(not words, tuple(within), tuple(along), np.array(points), overlaps,
                       "; ".join(words) or "realised")


def measure_size(pose: Sequence[float] | np.ndarray, part: Polygon, manipulators: Sequence[Polygon],
                 poses: Sequence[Any] | np.ndarray) -> float:
    """The largest coordinate of the bodies in the world, m: what rounding and TOUCH are relative to."""
    placed = [(pose, part), *zip(poses, manipulators, strict=True)]
    return max(float(np.abs(Pose(*frame).transform(polygon.vertices)).max()) for frame, polygon in placed)


def find_overlaps(pose: Pose, part: Polygon, manipulators: Sequence[Polygon], placed: Sequence[Pose],
                  tolerance: float) -> tuple[tuple[int, float], ...]:
    """(manipulator, depth in m) of every manipulator that the part overlaps by more than the tolerance (m)."""
    outline = pose.transform(part.vertices)
    low, high = outline.min(axis=0), outline.max(axis=0)
    found = []
    for index, (polygon, frame) in enumerate(zip(manipulators, placed, strict=True)):
        other = frame.transform(polygon.vertices)
        if (other.min(axis=0) >= high - tolerance).any() or (other.max(axis=0) <= low + tolerance).any():
            continue
        depth = measure_overlap(outline, other)[0]
        if depth > tolerance:
            found.append((index, depth))
    return tuple(found)
