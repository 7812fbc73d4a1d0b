"""A tree of balls over the half-spaces N.x + b >= 0: which of them come near a point?

The half-spaces (N, b) are points of R^4. The value of one at a point x is N.x + b; a ball with centre c and radius r
holds none with a value below c.(x, 1) - r |(x, 1)|. The tree also puts half-spaces that look alike next to each other.
"""

from __future__ import annotations

from math import inf, sqrt

from dynamics.search.problem import (
    BALL,
    CHILD,
    COUNT,
    EQUATION,
    HIGH,
    ITEM,
    LOW,
    PLACE,
    PLANE_SIDES,
    PLANES,
    inner,
    merged,
)
from dynamics.tolerances import BALL_GROWTH

LEAF = 8


@inner
def item_coordinate(table, item, axis):
    """One of the four coordinates (N, b) of a half-space."""
    value = table[item >> 1, EQUATION + axis]
    return -value if item & 1 else value


@merged
def fit_ball(table, marks, node):
    """Centre and radius of a ball around the half-spaces of a node; returns the axis along which they spread most."""
    low, high = marks[node, LOW], marks[node, HIGH]
    widest, axis = -1.0, 0
    for c in range(4):
        least, most = inf, -inf
        for i in range(low, high):
            value = item_coordinate(table, marks[i, ITEM], c)
            least, most = min(least, value), max(most, value)
        table[node, BALL + c] = 0.5 * (least + most)
        if most - least > widest:
            widest, axis = most - least, c
    radius = 0.0
    for i in range(low, high):
        size = 0.0
        for c in range(4):
            size += (item_coordinate(table, marks[i, ITEM], c) - table[node, BALL + c]) ** 2
        radius = max(radius, size)
    table[node, BALL + 4] = sqrt(radius) * (1.0 + BALL_GROWTH)
    return axis


@merged
def split_items(table, marks, low, high, axis):
    """Order the half-spaces low:high so that the lower half along an axis comes first (Hoare's selection)."""
    middle = (low + high) // 2
    high -= 1
    while low < high:
        pivot = item_coordinate(table, marks[(low + high) // 2, ITEM], axis)
        i, j = low, high
        while i <= j:
            while item_coordinate(table, marks[i, ITEM], axis) < pivot:
                i += 1
            while item_coordinate(table, marks[j, ITEM], axis) > pivot:
                j -= 1
            if i <= j:
                marks[i, ITEM], marks[j, ITEM] = marks[j, ITEM], marks[i, ITEM]
                i += 1
                j -= 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            return


@inner
def build_tree(table, marks):
    """Put the half-spaces of all planes into a tree of balls, in the columns LOW, HIGH, CHILD and BALL.

    Returns how many half-spaces there are; PLACE tells where in their order those of a plane stand.
    """
    count = 0
    for p in range(marks[PLANES, COUNT]):
        for side in range(2):
            if marks[p, PLANE_SIDES] & (1 + side):
                marks[count, ITEM] = 2 * p + side
                count += 1
    marks[0, LOW], marks[0, HIGH], marks[0, CHILD] = 0, count, -1
    node, nodes = 0, 1
    while node < nodes:
        axis = fit_ball(table, marks, node)
        low, high = marks[node, LOW], marks[node, HIGH]
        marks[node, CHILD] = -1
        if high - low > LEAF:
            split_items(table, marks, low, high, axis)
            marks[node, CHILD] = nodes
            marks[nodes, LOW], marks[nodes, HIGH] = low, (low + high) // 2
            marks[nodes + 1, LOW], marks[nodes + 1, HIGH] = (low + high) // 2, high
            nodes += 2
        node += 1
    for i in range(count):
        marks[marks[i, ITEM] >> 1, PLACE] = i
    return count


@inner
def is_far(table, node, point, reach):
    """Has every half-space of the node a value above `reach` at the point?"""
    x, y, z = point
    value = table[node, BALL] * x + table[node, BALL + 1] * y + table[node, BALL + 2] * z + table[node, BALL + 3]
    return value - table[node, BALL + 4] * sqrt(x * x + y * y + z * z + 1.0) > reach


@inner
def measure_away(table, node, plane):
    """Square of the distance in R^4 between the centre of a node and a plane, whichever way that faces."""
    direct, turned = 0.0, 0.0
    for c in range(4):
        direct += (table[node, BALL + c] - table[plane, EQUATION + c]) ** 2
        turned += (table[node, BALL + c] + table[plane, EQUATION + c]) ** 2
    return min(direct, turned)


@inner
def measure_gap(table, plane, other):
    """Square of the distance in R^4 between two planes, whichever way they face."""
    direct, turned = 0.0, 0.0
    for c in range(4):
        direct += (table[other, EQUATION + c] - table[plane, EQUATION + c]) ** 2
        turned += (table[other, EQUATION + c] + table[plane, EQUATION + c]) ** 2
    return min(direct, turned)
