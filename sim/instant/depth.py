"""How deep a part is in a hole: how far its tip, along the direction of going in, lies beyond the mouth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from geometry.shapes.outline import Outline
from geometry.shapes.polygon import Polygon
from sim.tolerances import ALONG_AXIS

if TYPE_CHECKING:
    from sim.scene.scene import Insertion


def compute_axes(insertion: Insertion) -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors (2,) of going in, and to the right of it as one sees the hole with the mouth on top."""
    along = np.array([np.cos(insertion.direction), np.sin(insertion.direction)])
    along[np.abs(along) < ALONG_AXIS] = 0.0
    return along, np.array([-along[1], along[0]])


def measure_depth(insertion: Insertion, outline: Polygon | Outline, pose: ArrayLike) -> np.ndarray:
    """(n,) depth [m], negative before the mouth, at poses (n, 3) of the frame of the outline [m, m, rad]; for the part
    of a scene these are poses of its centre of mass."""
    x, y, theta = np.asarray(pose, dtype=np.float64).reshape(-1, 3).T
    along, _ = compute_axes(insertion)
    c, s = np.cos(theta), np.sin(theta)
    ax, ay = c * along[0] + s * along[1], c * along[1] - s * along[0]  # the direction as the part sees it
    directions = np.stack([ax, ay], axis=1)
    farthest = _find_farthest(outline, directions) if insertion.tip is None else directions @ np.array(insertion.tip)
    return farthest + along[0] * (x - insertion.mouth[0]) + along[1] * (y - insertion.mouth[1])


def _find_farthest(outline: Polygon | Outline, directions: np.ndarray) -> np.ndarray:
    """(n,) the support function of an outline in unit directions (n, 2).

    It is that of the vertices, or of an arc that bulges out, where its sweep holds the direction.
    """
    if isinstance(outline, Polygon):
        return (directions @ outline.vertices.T).max(axis=1)
    features = outline.features
    best = (directions @ features.start.T).max(axis=1)
    for row in np.flatnonzero(features.sign > 0):
        arm = features.start[row] - features.centre[row]
        turn = np.arctan2(directions[:, 1], directions[:, 0]) - np.arctan2(arm[1], arm[0])
        out = directions @ features.centre[row] + features.radius[row]
        best = np.where(turn % (2.0 * np.pi) <= outline.sweep[row], np.maximum(best, out), best)
    return best
