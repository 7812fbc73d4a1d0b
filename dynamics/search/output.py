"""Collecting pieces of an acceleration set: points, segments and rays, polygons."""

from __future__ import annotations

from math import inf

from dynamics.search.problem import (
    COUNT,
    DIMENSION,
    OUT_OF_ROOM,
    PIECE_OF_RAY,
    PIECE_OF_VERTEX,
    PIECES,
    RAY,
    RAYS,
    STATUS,
    VERTEX,
    VERTICES,
    inner,
)


@inner
def start_piece(marks, dimension):
    """Open a new piece; returns its index or -1."""
    piece = marks[PIECES, COUNT]
    if piece >= marks.shape[0]:
        marks[STATUS, COUNT] = OUT_OF_ROOM
        return -1
    marks[piece, DIMENSION] = dimension
    marks[PIECES, COUNT] = piece + 1
    return piece


@inner
def put_vertex(table, marks, piece, x, y, z):
    """Append a vertex to a piece."""
    v = marks[VERTICES, COUNT]
    if v >= table.shape[0]:
        marks[STATUS, COUNT] = OUT_OF_ROOM
        return
    table[v, VERTEX], table[v, VERTEX + 1], table[v, VERTEX + 2] = x, y, z
    marks[v, PIECE_OF_VERTEX] = piece
    marks[VERTICES, COUNT] = v + 1


@inner
def put_ray(table, marks, piece, x, y, z):
    """Append a direction in which a piece is unbounded."""
    r = marks[RAYS, COUNT]
    if r >= table.shape[0]:
        marks[STATUS, COUNT] = OUT_OF_ROOM
        return
    table[r, RAY], table[r, RAY + 1], table[r, RAY + 2] = x, y, z
    marks[r, PIECE_OF_RAY] = piece
    marks[RAYS, COUNT] = r + 1


@inner
def add_point(table, marks, point, merge):
    """A member by itself, unless it is there already."""
    x, y, z = point
    near = merge * (1.0 + abs(x) + abs(y) + abs(z))
    for v in range(marks[VERTICES, COUNT]):
        if abs(table[v, VERTEX] - x) + abs(table[v, VERTEX + 1] - y) + abs(table[v, VERTEX + 2] - z) <= near:
            return
    piece = start_piece(marks, 0)
    if piece >= 0:
        put_vertex(table, marks, piece, x, y, z)


@inner
def add_segment(table, marks, point, direction, interval, merge):
    """The members point + c direction for c in the closed interval, which may be infinite; a short one is a point."""
    low, high = interval
    px, py, pz = point
    tx, ty, tz = direction
    if high < inf and low > -inf and high - low <= merge * (1.0 + abs(px) + abs(py) + abs(pz) + abs(low)):
        c = 0.5 * (low + high)
        add_point(table, marks, (px + c * tx, py + c * ty, pz + c * tz), merge)
        return
    piece = start_piece(marks, 1)
    if piece < 0:
        return
    if low > -inf:
        put_vertex(table, marks, piece, px + low * tx, py + low * ty, pz + low * tz)
    if high < inf:
        put_vertex(table, marks, piece, px + high * tx, py + high * ty, pz + high * tz)
    if low == -inf and high == inf:
        put_vertex(table, marks, piece, px, py, pz)
    if low == -inf:
        put_ray(table, marks, piece, -tx, -ty, -tz)
    if high == inf:
        put_ray(table, marks, piece, tx, ty, tz)
