"""An outline as one table of numbers, which holds every bit of it: what files keep."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from geometry.shapes.features import Features, OutlineError, join_features
from geometry.shapes.outline import Outline, build_outline, trust_features
from geometry.shapes.polygon import Polygon, trust_vertices

COLUMNS = ("x", "y", "centre_x", "centre_y", "radius", "loop")


def tabulate_outline(outline: Outline | Polygon) -> np.ndarray:
    """(n, 6) of each feature: where it starts, its centre (of an edge its start), all m, its radius (0 for an edge,
    negative for a concave arc), and its loop (0 the outer one). It ends where the next one of its loop starts."""
    features = outline.features
    return np.column_stack([features.start, features.centre, features.radius * features.sign, outline.loop])


def read_outline_table(table: ArrayLike) -> Outline | Polygon:
    """The outline of a table of `tabulate_outline`, checked; a Polygon where it is one loop of edges. Raises
    OutlineError."""
    return simplify_outline(build_outline(_split(table)))


def restore_outline(table: ArrayLike) -> Outline | Polygon:
    """The outline of a table of `tabulate_outline`, or of the vertices (n, 2) of a Polygon, bit for bit: as it was when
    a file was written, and not checked again. Raises OutlineError where it is no such table."""
    rows = np.array(table, dtype=np.float64)
    if rows.ndim == 2 and rows.shape[1] == 2 and len(rows) and np.isfinite(rows).all():
        return trust_vertices(rows)
    loops = _split(rows)
    number = np.repeat(np.arange(len(loops), dtype=np.int64), [len(loop.sign) for loop in loops])
    return trust_features(join_features(loops), number, None)


def _split(table: ArrayLike) -> list[Features]:
    """The loops of a table. Raises OutlineError."""
    rows = np.array(table, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] != len(COLUMNS) or not len(rows):
        raise OutlineError(f"a table of features has {len(COLUMNS)} columns ({', '.join(COLUMNS)}), not the shape "
                           f"{rows.shape}")
    if not np.isfinite(rows).all():
        raise OutlineError(f"feature {int(np.flatnonzero(~np.isfinite(rows).all(axis=1))[0])} is not finite")
    number = rows[:, 5].astype(np.int64)
    if number[0] != 0 or not np.isin(np.diff(number), (0, 1)).all() or (number != rows[:, 5]).any():
        raise OutlineError("the loops of a table of features are numbered 0, 1, 2 ..., one after the other")
    loops = []
    for k in range(number[-1] + 1):
        own = rows[number == k]
        radius, sign = np.abs(own[:, 4]), np.sign(own[:, 4]).astype(np.int64)
        loops.append(Features(own[:, :2], np.roll(own[:, :2], -1, axis=0), own[:, 2:4], radius, sign))
    return loops


def simplify_outline(outline: Outline) -> Outline | Polygon:
    """The Polygon that an outline is, where it is one loop of edges, or else the outline itself."""
    if outline.n_loops > 1 or outline.sign.any():
        return outline
    return Polygon(outline.start)
