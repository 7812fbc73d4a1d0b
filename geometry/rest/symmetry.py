"""The turns about the origin that leave an outline as it is."""

from __future__ import annotations

import math

import numpy as np

from geometry.shapes.features import compute_rounding, is_circle
from geometry.shapes.outline import Outline
from geometry.shapes.polygon import Polygon
from geometry.shapes.pose import Pose


def find_symmetry(outline: Polygon | Outline) -> int:
    """The order n of the symmetry about the origin: turns by 2 pi / n leave the outline, holes included, as it is, up
    to the rounding of its coordinates. 1: only a whole turn does; 0: every angle does. Mirror images do not count: no
    motion in the plane leads there.

    Features count as they are given: an edge or arc that is broken in two by a joint is two.
    """
    features = outline.features
    circles = is_circle(features)
    room = compute_rounding(features)
    off_centre = ~circles | (np.hypot(*features.centre.T) > room)
    if not off_centre.any():
        return 0
    # each loop of n copies has n copies or is mapped on itself: n divides the number of features that a turn moves
    moved = int(off_centre.sum())
    return next(n for n in range(moved, 0, -1) if moved % n == 0 and _is_symmetric(outline, 2.0 * math.pi / n, room))


def _is_symmetric(outline: Polygon | Outline, angle: float, room: float) -> bool:
    """Does each feature, turned, lie on one of the same kind? A whole circle may start anywhere."""
    features, circles = outline.features, is_circle(outline.features)
    turn = Pose(0.0, 0.0, angle)
    start, end, centre = (turn.rotate(points) for points in (features.start, features.end, features.centre))
    for k in range(len(features.sign)):
        same = (features.sign == features.sign[k]) & (np.abs(features.radius - features.radius[k]) <= room)
        same &= (circles == circles[k]) & (np.hypot(*(features.centre - centre[k]).T) <= room)
        if not circles[k]:
            same &= np.hypot(*(features.start - start[k]).T) <= room
            same &= np.hypot(*(features.end - end[k]).T) <= room
        if not same.any():
            return False
    return True
