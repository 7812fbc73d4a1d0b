"""Which loops, and which points, lie within which loops."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from geometry.shapes.features import Features, compute_boxes, compute_winding, is_circle


def find_enclosing(loops: Sequence[Features]) -> list[set[int]]:
    """For each loop the numbers of those that it lies within; no two of them meet."""
    import shapely  # 50 ms: only where an outline is made

    boxes = [compute_boxes(loop) for loop in loops]
    low = np.array([box[0].min(axis=0) for box in boxes])
    high = np.array([box[1].max(axis=0) for box in boxes])
    shapes = shapely.box(low[:, 0], low[:, 1], high[:, 0], high[:, 1])
    inner, outer = shapely.STRtree(shapes).query(shapes)
    within = (inner != outer) & (low[outer] <= low[inner]).all(axis=1) & (high[inner] <= high[outer]).all(axis=1)
    found: list[set[int]] = [set() for _ in loops]
    for k, j in zip(inner[within].tolist(), outer[within].tolist(), strict=True):
        if compute_winding(loops[j], loops[k].start[0]) != 0:
            found[k].add(j)
    return found


def find_inside(features: Features, points: np.ndarray) -> np.ndarray:
    """Which (k,) of the points (k, 2), none of them on the loops of features, are in the solid on their left.

    A ray to the right counts the chords that it crosses, up or down. A point between an arc and its chord is one time
    more, or less, inside. A point on a chord is put to one side of it, for both counts.
    """
    import shapely

    low, high = compute_boxes(features)
    right = np.maximum(points[:, 0], high[:, 0].max())
    rays = shapely.linestrings(np.stack([points, np.stack([right, points[:, 1]], axis=1)], axis=1))
    i, k = shapely.STRtree(shapely.box(low[:, 0], low[:, 1], high[:, 0], high[:, 1])).query(rays)
    a, p, chord, sign = features.start[k], points[i], (features.end - features.start)[k], features.sign[k]
    up = (a[:, 1] <= p[:, 1]).astype(np.int64) - (features.end[k, 1] <= p[:, 1])
    side = chord[:, 0] * (p - a)[:, 1] - chord[:, 1] * (p - a)[:, 0]
    left = np.where(side == 0.0, chord[:, 0], side) > 0.0  # else as one that is a little higher
    count = np.where(left, np.maximum(up, 0), np.minimum(up, 0))
    arm = p - features.centre[k]
    beside = (sign != 0) & (left != (sign > 0)) | is_circle(features)[k]
    count += np.where(beside & (np.hypot(arm[:, 0], arm[:, 1]) < features.radius[k]), sign, 0)
    return np.bincount(i, weights=count, minlength=len(points)) > 0.5
