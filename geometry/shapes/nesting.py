"""Which loops lie within which."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from geometry.shapes.features import Features, compute_boxes, compute_winding


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
