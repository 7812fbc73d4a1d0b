"""Trees of boxes over the edges of the part and of the walls, by which few of them need be looked at.

Edges of fixed walls are split at medians, those of a closed outline (the part, an obstacle that moves) by their
numbers, so that a descent meets them in order. Trees are made level by level, all nodes of a level at once.
"""

from __future__ import annotations

import numpy as np

from geometry.compiled.record import allocate_table, define_record

# One node of the tree over walls: an axis-parallel box and two children > 0, or a leaf (-1 - first place, count). An
# obstacle that moves has a tree of its own, in the frame of its mover. A descent takes the second child first.
WALL_NODE = define_record(
    ("x_min", "f8"), ("y_min", "f8"), ("x_max", "f8"), ("y_max", "f8"), ("first", "i8"), ("second", "i8")
)

# One node of the tree over the part, in its own frame: a box along the chord of successive edges, which for smooth
# outlines is thin (the strip tree of Ballard 1981); children or leaf as above, places being edges.
PART_NODE = define_record(
    ("x", "f8"), ("y", "f8"),  # m, its centre
    ("ux", "f8"), ("uy", "f8"),  # unit vector along it
    ("half_length", "f8"), ("half_width", "f8"),  # m
    ("first", "i8"), ("second", "i8"),
)  # fmt: skip

LEAF_SIZE = 4


def compute_edge_boxes(edge) -> tuple[np.ndarray, np.ndarray]:
    """Lower left and upper right corners (n, 2) of the boxes around edges."""
    start = np.stack([edge.x, edge.y], axis=1)
    end = start + edge.length[:, None] * np.stack([edge.dx, edge.dy], axis=1)
    return np.minimum(start, end), np.maximum(start, end)


def compute_arc_boxes(arc) -> tuple[np.ndarray, np.ndarray]:
    """The same of arcs, by their rows."""
    low = np.full((len(arc), 2), np.inf)
    high = -low
    middle, radius = np.arctan2(arc.dy, arc.dx), np.abs(arc.radius)
    for turn in (-arc.half, arc.half, *(quarter * 0.5 * np.pi - middle for quarter in range(4))):
        turn = np.where(np.abs(turn) == arc.half, turn, (turn + np.pi) % (2.0 * np.pi) - np.pi)
        point = np.stack([arc.x + radius * np.cos(middle + turn), arc.y + radius * np.sin(middle + turn)], axis=1)
        on = (np.abs(turn) <= arc.half)[:, None]
        low, high = np.where(on, np.minimum(low, point), low), np.where(on, np.maximum(high, point), high)
    return low, high


def build_tree(low: np.ndarray, high: np.ndarray, order: np.ndarray) -> np.recarray:
    """Bounding-box tree over boxes (n, 2) by median splits: nodes (m,) WALL_NODE; writes the leaves into `order`
    (n,)."""
    order[:] = np.arange(len(low))
    levels = []
    for begin, size, first, second in _split(len(low)):
        place, own, offset = _spread(begin, size)
        box = np.zeros((len(begin), 4))
        if len(low):
            members = order[place]
            box[:, :2] = np.minimum.reduceat(low[members], offset)
            box[:, 2:] = np.maximum.reduceat(high[members], offset)
            centre = low[members] + high[members]
            extent = np.maximum.reduceat(centre, offset) - np.minimum.reduceat(centre, offset)
            key = np.where(extent.argmax(axis=1)[own] == 0, centre[:, 0], centre[:, 1])
            inner = np.flatnonzero(first[own] >= 0)
            order[place[inner]] = members[inner[np.lexsort((key[inner], own[inner]))]]
        levels.append((*box.T, first, second))
    return _fill(WALL_NODE, levels)


def build_chain_tree(start: np.ndarray, end: np.ndarray) -> np.recarray:
    """Tree over edges from start to end (n, 2), split by their numbers, with axis-parallel boxes: nodes WALL_NODE, met
    in the order of the edges."""
    low, high = np.minimum(start, end), np.maximum(start, end)
    levels = []
    for begin, size, first, second in _split(len(low)):
        place, _, offset = _spread(begin, size)
        inner = first >= 0
        first, second = np.where(inner, second, first), np.where(inner, first, second)
        levels.append((*np.minimum.reduceat(low[place], offset).T, *np.maximum.reduceat(high[place], offset).T,
                       first, second))
    return _fill(WALL_NODE, levels)


def build_strip_tree(vertex: np.ndarray) -> np.recarray:
    """Tree over the edges of a closed outline (n, 2), split by their numbers: nodes PART_NODE."""
    following = np.roll(vertex, -1, axis=0)
    levels = []
    for begin, size, first, second in _split(len(vertex)):
        place, own, offset = _spread(begin, size)
        chord = following[begin + size - 1] - vertex[begin]
        length = np.hypot(chord[:, 0], chord[:, 1])
        along = np.where((length > 0.0)[:, None], chord / np.where(length > 0.0, length, 1.0)[:, None], [1.0, 0.0])
        axes = np.stack([along, np.stack([-along[:, 1], along[:, 0]], axis=1)], axis=1)  # (nodes, 2, 2)
        ends = np.stack([np.einsum("nij,nj->ni", axes[own], points[place]) for points in (vertex, following)])
        low = np.minimum.reduceat(ends.min(axis=0), offset)
        high = np.maximum.reduceat(ends.max(axis=0), offset)
        centre = np.einsum("nij,ni->nj", axes, 0.5 * (low + high))
        levels.append((*centre.T, *along.T, *(0.5 * (high - low)).T, first, second))
    return _fill(PART_NODE, levels)


def _split(n: int):
    """Level by level of a tree over n places: begin and size of each node's range, and its children, or what a leaf has
    instead."""
    begin, size, count = np.zeros(1, dtype=np.int64), np.full(1, n, dtype=np.int64), 1
    while len(begin):
        inner = size > LEAF_SIZE
        number = count + 2 * (np.cumsum(inner) - 1)
        yield begin, size, np.where(inner, number, -1 - begin), np.where(inner, number + 1, size)
        half = size[inner] // 2
        below, count = begin[inner], count + 2 * len(half)
        begin = np.stack([below, below + half], axis=1).ravel()
        size = np.stack([half, size[inner] - half], axis=1).ravel()


def _spread(begin: np.ndarray, size: np.ndarray):
    """All places of some ranges, the range to which each belongs, and where each range begins among them."""
    offset = np.cumsum(size) - size
    own = np.repeat(np.arange(len(begin)), size)
    return np.arange(len(own)) + (begin - offset)[own], own, offset


def _fill(kind: np.dtype, levels) -> np.recarray:
    columns = [np.concatenate(column) for column in zip(*levels, strict=True)]
    node = allocate_table(kind, len(columns[0]))
    for name, column in zip(kind.names or (), columns, strict=True):
        node[name] = column
    return node
