"""Collecting pieces of an acceleration set: points, segments and rays, polygons."""

from __future__ import annotations

from math import inf

from dynamics.problem import OUT_OF_ROOM, PIECES, RAYS, STATUS, VERTICES
from geometry._jit import jit


@jit
def start_piece(found, dimension):
    """Open a new piece; returns its index or -1."""
    piece = found.counts[PIECES]
    if piece >= found.dimension.shape[0]:
        found.counts[STATUS] = OUT_OF_ROOM
        return -1
    found.dimension[piece] = dimension
    found.counts[PIECES] = piece + 1
    return piece


@jit
def put_vertex(found, piece, x, y, z):
    """Append a vertex to a piece."""
    v = found.counts[VERTICES]
    if v >= found.vertices.shape[0]:
        found.counts[STATUS] = OUT_OF_ROOM
        return
    found.vertices[v, 0], found.vertices[v, 1], found.vertices[v, 2] = x, y, z
    found.piece_of_vertex[v] = piece
    found.counts[VERTICES] = v + 1


@jit
def put_ray(found, piece, x, y, z):
    """Append a direction in which a piece is unbounded."""
    r = found.counts[RAYS]
    if r >= found.rays.shape[0]:
        found.counts[STATUS] = OUT_OF_ROOM
        return
    found.rays[r, 0], found.rays[r, 1], found.rays[r, 2] = x, y, z
    found.piece_of_ray[r] = piece
    found.counts[RAYS] = r + 1


@jit
def add_point(found, point, merge):
    """A member by itself, unless it is there already."""
    x, y, z = point
    near = merge * (1.0 + abs(x) + abs(y) + abs(z))
    for v in range(found.counts[VERTICES]):
        q = found.vertices[v]
        if abs(q[0] - x) + abs(q[1] - y) + abs(q[2] - z) <= near:
            return
    piece = start_piece(found, 0)
    if piece >= 0:
        put_vertex(found, piece, x, y, z)


@jit
def add_segment(found, point, direction, interval, merge):
    """The members point + c direction for c in the closed interval, which may be infinite; a short one is a point."""
    low, high = interval
    px, py, pz = point
    tx, ty, tz = direction
    if high < inf and low > -inf and high - low <= merge * (1.0 + abs(px) + abs(py) + abs(pz) + abs(low)):
        c = 0.5 * (low + high)
        add_point(found, (px + c * tx, py + c * ty, pz + c * tz), merge)
        return
    piece = start_piece(found, 1)
    if piece < 0:
        return
    if low > -inf:
        put_vertex(found, piece, px + low * tx, py + low * ty, pz + low * tz)
    if high < inf:
        put_vertex(found, piece, px + high * tx, py + high * ty, pz + high * tz)
    if low == -inf and high == inf:
        put_vertex(found, piece, px, py, pz)
    if low == -inf:
        put_ray(found, piece, -tx, -ty, -tz)
    if high == inf:
        put_ray(found, piece, tx, ty, tz)
