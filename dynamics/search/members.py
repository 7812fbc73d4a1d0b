"""The complete set of accelerations of one contact problem, compiled: `find_members` (`find_members_of_crowd` for many
contacts) fills a buffer of `allocate_set_buffer`; `solve_acceleration_set` adds forces.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.codes import CONTINUUM, NONE, SEVERAL
from dynamics.search.crowd import walk_crowd
from dynamics.search.faces import walk_faces
from dynamics.search.problem import (
    COUNT,
    DIMENSION,
    FLOATS,
    INTEGERS,
    KIND,
    MAX_CORNERS,
    NOT_FINITE,
    OK,
    OUT_OF_ROOM,
    PIECE_OF_RAY,
    PIECE_OF_VERTEX,
    PIECES,
    RAY,
    RAYS,
    SEEN,
    STATUS,
    TOO_MANY_CORNERS,
    VERTEX,
    VERTICES,
    compute_scale,
    count_corners,
    entrance,
    group_many,
    group_planes,
    inner,
    merged,
    prepare_rows,
    set_corners,
)
from dynamics.search.reactions import solve_forces


class Found(NamedTuple):
    """An acceleration set as compiled code hands it over, in the units of the problem."""

    counts: np.ndarray  # (8,) int64: pieces, vertices, rays, status, -, kind
    vertices: np.ndarray  # (M, 3)
    rays: np.ndarray  # (M, 3) unit directions
    labels: np.ndarray  # (M, 3) int64: piece of vertex m, piece of ray m, dimension of piece m


class SetBuffer(NamedTuple):
    """Room for one acceleration set. Made once by `allocate_set_buffer`, filled again and again."""

    found: Found
    table: np.ndarray  # work of the search, see `dynamics.search.problem`
    marks: np.ndarray
    stack: np.ndarray  # (levels, corners, 3) polygons
    fn: np.ndarray  # (M, k) normal forces per unit mass that realise each vertex
    ft: np.ndarray  # (M, k) friction forces per unit mass
    unique: np.ndarray  # (M,) int64: 1 unique, 0 not, -1 no forces found
    letters: np.ndarray  # (M, k) int64: of each vertex, for whoever chooses one


def allocate_set_buffer(k_max: int, vertices_max: int = 64) -> SetBuffer:
    """Room for problems of up to `k_max` contacts and sets of up to `vertices_max` vertices."""
    k = max(int(k_max), 1)
    m = max(int(vertices_max), 16)
    found = Found(np.zeros(8, np.int64), np.zeros((m, 3)), np.zeros((m, 3)), np.zeros((m, 3), np.int64))
    length = max(6 * k + 64, m)
    return SetBuffer(
        found,
        np.zeros((length, FLOATS)),
        np.zeros((length, INTEGERS), np.int64),
        np.zeros((min(k, 28) + 4, 2 * k + 64, 4)),
        np.zeros((m, k)),
        np.zeros((m, k)),
        np.zeros(m, np.int64),
        np.zeros((m, k), np.int64),
    )


@inner
def export(found, table, marks, scale):
    """Copy the result of the search, in units of the problem; returns its kind."""
    kind = NONE
    for piece in range(marks[PIECES, COUNT]):
        if marks[piece, DIMENSION] > 0:
            kind = CONTINUUM
    if kind == NONE:
        kind = min(marks[PIECES, COUNT], SEVERAL)
    room = found.vertices.shape[0]
    for i in range(3):
        if marks[i, COUNT] > room:
            marks[i, COUNT] = room
            marks[STATUS, COUNT] = OUT_OF_ROOM
    for v in range(marks[VERTICES, COUNT]):
        found.labels[v, 0] = marks[v, PIECE_OF_VERTEX]
        for c in range(3):
            found.vertices[v, c] = table[v, VERTEX + c] * scale + 0.0
    for r in range(marks[RAYS, COUNT]):
        found.labels[r, 1] = marks[r, PIECE_OF_RAY]
        for c in range(3):
            found.rays[r, c] = table[r, RAY + c]
    for piece in range(marks[PIECES, COUNT]):
        found.labels[piece, 2] = marks[piece, DIMENSION]
    for i in range(KIND):
        found.counts[i] = marks[i, COUNT]
    found.counts[KIND] = kind
    return kind


@merged
def _open(problem, buffer):
    """Check and scale a problem: fills the rows of `buffer`; returns the unit of acceleration, or 0 (see status)."""
    table, marks = buffer.table, buffer.marks
    scale = compute_scale(problem)
    for i in range(8):
        marks[i, COUNT] = 0
        buffer.found.counts[i] = 0
    if not scale < np.inf:
        buffer.found.counts[STATUS] = NOT_FINITE
        return 0.0
    if 6 * problem.b.shape[0] + 64 > table.shape[0]:
        buffer.found.counts[STATUS] = OUT_OF_ROOM
        return 0.0
    if count_corners(problem.corner) > MAX_CORNERS:
        buffer.found.counts[STATUS] = TOO_MANY_CORNERS
        return 0.0
    if scale == 0.0:
        scale = 1.0
    prepare_rows(problem, scale, table, marks)
    return scale


@merged
def _take_combination(problem, tolerances, buffer, combination):
    """Set one of the alternatives of the corner contacts (there is one, 0, without any) and group the planes."""
    marks = buffer.marks
    if combination > 0 or count_corners(problem.corner) > 0:
        set_corners(problem, combination, marks)
    group_planes(buffer.table, marks, problem.b.shape[0], tolerances.angle)
    marks[SEEN, COUNT] = 0


@entrance
def find_members(problem, tolerances, buffer):
    """Find all accelerations, without forces: fills `buffer.found`, returns the kind (0 none, 1 one, 2 several, 3
    continuum); `buffer.found.counts[3]` is the status (0 if all is well).
    """
    scale = _open(problem, buffer)
    if scale == 0.0:
        return NONE
    w = (problem.w[0] / scale, problem.w[1] / scale, problem.w[2] / scale)
    for combination in range(1 << (2 * count_corners(problem.corner))):
        _take_combination(problem, tolerances, buffer, combination)
        walk_faces(buffer.table, buffer.marks, buffer.stack, w, tolerances)
    return export(buffer.found, buffer.table, buffer.marks, scale)


@entrance
def find_members_of_crowd(problem, tolerances, buffer):
    """As `find_members`, in near k log k: faster with more than some CROWD contacts. Apart, because it is seldom needed
    and takes long to compile."""
    scale = _open(problem, buffer)
    if scale == 0.0:
        return NONE
    w = (problem.w[0] / scale, problem.w[1] / scale, problem.w[2] / scale)
    for combination in range(1 << (2 * count_corners(problem.corner))):
        if count_corners(problem.corner) > 0:
            set_corners(problem, combination, buffer.marks)
        group_many(buffer.table, buffer.marks, problem.b.shape[0], tolerances.angle)
        walk_crowd(buffer.table, buffer.marks, buffer.stack, w, tolerances)
    return export(buffer.found, buffer.table, buffer.marks, scale)


@entrance
def solve_acceleration_set(problem, tolerances, buffer):
    """As `find_members`, and least-norm forces for every vertex (`buffer.fn`, `buffer.ft`, `buffer.unique`)."""
    kind = find_members(problem, tolerances, buffer)
    for v in range(buffer.found.counts[VERTICES]):
        status, unique = solve_forces(problem, buffer.found.vertices[v], tolerances, buffer.fn[v], buffer.ft[v])
        buffer.unique[v] = unique if status == OK else -1
    return kind
