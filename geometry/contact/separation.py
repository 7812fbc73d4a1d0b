"""How far apart a pair of features is of which one is an arc at least: exactly, and whether they face each other.

The shortest way between an arc and an edge, or another arc, either is along a normal of both, or begins at an end of
one of them.
"""

from __future__ import annotations

from math import atan2, cos, inf, pi, sin, sqrt
from typing import NamedTuple

from geometry.compiled.jit import jit, kernel
from geometry.contact.contacts import TYPE_A, TYPE_B


class Feature(NamedTuple):
    """An arc, an edge (half of its length in `half`, radius 0) or a vertex (half 0, radius 0), in the world."""

    x: float  # m, centre of an arc, middle of an edge
    y: float
    mx: float  # unit vector to the middle of an arc, or along an edge
    my: float
    half: float  # rad or m
    radius: float  # m, absolute; 0 for an edge


@jit
def _place_part_arc(edge, pose):
    c, s = cos(pose[2]), sin(pose[2])
    x, y = pose[0] + c * edge.x - s * edge.y, pose[1] + s * edge.x + c * edge.y
    if edge.radius == 0.0:
        return Feature(x, y, 1.0, 0.0, 0.0, 0.0)
    return Feature(x, y, c * edge.dx - s * edge.dy, s * edge.dx + c * edge.dy, edge.half, abs(edge.radius))


@jit
def _place_part_edge(edge, pose):
    c, s, half = cos(pose[2]), sin(pose[2]), 0.5 * edge.length
    x, y = edge.x + half * edge.dx, edge.y + half * edge.dy
    return Feature(pose[0] + c * x - s * y, pose[1] + s * x + c * y, c * edge.dx - s * edge.dy,
                 s * edge.dx + c * edge.dy, half, 0.0)


@jit
def _take_wall(edge):
    if edge.radius != 0.0:
        return Feature(edge.x, edge.y, edge.dx, edge.dy, edge.half, abs(edge.radius))
    half = 0.5 * edge.length
    return Feature(edge.x + half * edge.dx, edge.y + half * edge.dy, edge.dx, edge.dy, half, 0.0)


@kernel
def measure_separation(part, walls, triple, pose, gap, room):
    """Distance [m] of a pair with an arc; gap and room are those of its contact."""
    kind, i, j = triple[0], triple[1], triple[2]
    one = _place_part_edge(part.edge[i], pose) if kind == TYPE_A else _place_part_arc(part.edge[i], pose)
    wall = walls.edge[j]
    other = _take_wall(wall)
    if kind != TYPE_B and wall.radius == 0.0:
        other = Feature(wall.x, wall.y, 1.0, 0.0, 0.0, 0.0)
    if room >= 0.0:
        return abs(gap)
    return min(_measure_from_ends(one, other), _measure_from_ends(other, one))


@jit
def _measure_from_ends(one, other):
    """Distance of the nearer end of a curve from another curve; infinite where it has none."""
    if one.radius == 0.0:
        dx, dy = one.half * one.mx, one.half * one.my
        near = _measure_point(other, one.x - dx, one.y - dy)
        return near if one.half == 0.0 else min(near, _measure_point(other, one.x + dx, one.y + dy))
    if one.half >= pi:
        return inf
    c, s = one.radius * cos(one.half), one.radius * sin(one.half)
    ax, ay, bx, by = c * one.mx, c * one.my, -s * one.my, s * one.mx
    return min(_measure_point(other, one.x + ax + bx, one.y + ay + by),
               _measure_point(other, one.x + ax - bx, one.y + ay - by))


@jit
def _measure_point(curve, x, y):
    """Distance of a point from a curve."""
    dx, dy = x - curve.x, y - curve.y
    if curve.radius == 0.0:
        along = dx * curve.mx + dy * curve.my
        along = min(max(along, -curve.half), curve.half)
        dx, dy = dx - along * curve.mx, dy - along * curve.my
        return sqrt(dx * dx + dy * dy)
    turn = abs(atan2(curve.mx * dy - curve.my * dx, curve.mx * dx + curve.my * dy))
    if turn <= curve.half:
        return abs(sqrt(dx * dx + dy * dy) - curve.radius)
    c, s = curve.radius * cos(curve.half), curve.radius * sin(curve.half)
    ax, ay, bx, by = c * curve.mx, c * curve.my, -s * curve.my, s * curve.mx
    px, py, qx, qy = dx - ax - bx, dy - ay - by, dx - ax + bx, dy - ay + by
    return sqrt(min(px * px + py * py, qx * qx + qy * qy))
