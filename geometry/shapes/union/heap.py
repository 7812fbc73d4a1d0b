"""Obstacles in a heap, each of which overlaps many others: what lies deep inside is left out of their boundary early.

The boundary is found by cutting edges where others cross them, and a heap of n blocks has about n^2 crossings, of which
some n are seen from outside. Here shapely finds about where that is; what lies near it is cut and judged as ever.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from geometry.tolerances import DEEP

# Neighbours of an outline, on average, from which on edges deep in the union are left out. Of n blocks in one heap each
# crosses all others, while the outline of the heap has about n edges.
HEAPED = 8


class Heap(NamedTuple):
    """The sides of the outline of the union, as shapely finds it."""

    sides: Any  # STRtree
    centre: np.ndarray  # (2,) m, their origin
    depth: float  # m: what is farther from them is deep inside


def build_heap(outlines) -> Heap | None:
    """The heap of all outlines; None where one touches itself to rounding, then nothing is known to be deep."""
    import shapely

    low, high = np.concatenate(outlines).min(axis=0), np.concatenate(outlines).max(axis=0)
    centre = 0.5 * (low + high)
    try:
        union = shapely.union_all([shapely.Polygon(outline - centre) for outline in outlines])
    except shapely.GEOSException:
        return None
    rings = [shapely.get_coordinates(ring) for ring in shapely.get_rings(shapely.get_parts(union))]
    sides = shapely.linestrings(np.concatenate([np.stack([ring[:-1], ring[1:]], axis=1) for ring in rings]))
    return Heap(shapely.STRtree(sides), centre, DEEP * float((high - low).max()))


def is_deep(heap: Heap | None, points: np.ndarray) -> np.ndarray:
    """Which points of edges (n, 2), or edges (n, 2, 2), lie deep in the heap: nothing of them, and nothing that crosses
    them there, is seen from outside."""
    deep = np.full(len(points), heap is not None)
    if heap is not None:
        import shapely

        shapes = (shapely.points if points.ndim == 2 else shapely.linestrings)(points - heap.centre)
        deep[heap.sides.query(shapes, predicate="dwithin", distance=heap.depth)[0]] = False
    return deep
