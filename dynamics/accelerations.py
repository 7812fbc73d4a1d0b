"""The complete set of accelerations of one contact problem: compiled entry points."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.faces import walk_faces
from dynamics.problem import (
    KIND,
    MAX_CORNERS,
    NOT_FINITE,
    OK,
    PIECES,
    RAYS,
    SEEN,
    STATUS,
    TOO_MANY_CORNERS,
    VERTICES,
    Found,
    Problem,
    Work,
    compute_scale,
    count_corners,
    group_planes,
    prepare_rows,
    set_corners,
)
from dynamics.reactions import compute_letters, solve_forces
from geometry._jit import jit

NONE, ONE, SEVERAL, CONTINUUM = 0, 1, 2, 3


class SetBuffer(NamedTuple):
    """Room for one acceleration set. Made once by `allocate_set_buffer`, filled again and again.

    Read after a call: `found.counts` (pieces, vertices, rays, status), `found.vertices[:n]` in units of the problem,
    `found.piece_of_vertex`, `found.rays` (unit directions), `found.piece_of_ray`, `found.dimension` of each piece, and
    (from `solve_acceleration_set` only) `fn`, `ft` per vertex and `unique`.
    """

    found: Found
    work: Work
    fn: np.ndarray  # (M, k) normal forces per unit mass that realise each vertex
    ft: np.ndarray  # (M, k) friction forces per unit mass
    unique: np.ndarray  # (M,) int64: 1 unique, 0 not, -1 no forces found


def allocate_set_buffer(k_max: int, vertices_max: int = 64) -> SetBuffer:
    """Room for problems of up to `k_max` contacts and sets of up to `vertices_max` vertices."""
    k = max(int(k_max), 1)
    m = max(int(vertices_max), 8)
    found = Found(
        counts=np.zeros(8, np.int64),
        vertices=np.zeros((m, 3)),
        piece_of_vertex=np.zeros(m, np.int64),
        rays=np.zeros((m, 3)),
        piece_of_ray=np.zeros(m, np.int64),
        dimension=np.zeros(m, np.int64),
    )
    work = Work(
        rows=np.zeros((k, 16)),
        info=np.zeros((k, 8), np.int64),
        planes=np.zeros((k, 4)),
        plane_info=np.zeros((k, 4), np.int64),
        cone=np.zeros((3 * k + 6, 3)),
        facets=np.zeros((6 * k + 64, 3)),
        active=np.zeros((2, k + 2), np.int64),
        breaks=np.zeros(k + 2),
        seen=np.zeros((4 * k + 64, 3)),
        polygons=np.zeros((min(k, 29) + 4, min(4 * k, 512) + 64, 3)),
    )
    return SetBuffer(found, work, np.zeros((m, k)), np.zeros((m, k)), np.zeros(m, np.int64))


@jit
def find_members(problem, tolerances, buffer):
    """Find all accelerations, without forces: fills `buffer.found`, returns the kind (0 none, 1 one, 2 several, 3
    continuum); `buffer.found.counts[3]` is the status (0 if all is well).
    """
    found, work = buffer.found, buffer.work
    for i in range(found.counts.shape[0]):
        found.counts[i] = 0
    k = problem.b.shape[0]
    corners = count_corners(problem.corner)
    scale = compute_scale(problem)
    if not scale < np.inf or corners > MAX_CORNERS or k > work.rows.shape[0]:
        found.counts[STATUS] = NOT_FINITE if not scale < np.inf else TOO_MANY_CORNERS
        return NONE
    if scale == 0.0:
        scale = 1.0
    w = (problem.w[0] / scale, problem.w[1] / scale, problem.w[2] / scale)
    prepare_rows(problem, scale, work.rows, work.info)
    for combination in range(4**corners):
        if corners > 0:
            set_corners(problem, combination, work.info)
        p = group_planes(work, k, tolerances.angle)
        found.counts[SEEN] = 0
        walk_faces(work, p, w, found, tolerances)
    for v in range(found.counts[VERTICES]):
        for c in range(3):
            found.vertices[v, c] *= scale
    kind = NONE
    for piece in range(found.counts[PIECES]):
        if found.dimension[piece] > 0:
            kind = CONTINUUM
    if kind == NONE:
        kind = min(found.counts[PIECES], SEVERAL)
    found.counts[KIND] = kind
    return kind


@jit
def solve_acceleration_set(problem, tolerances, buffer):
    """As `find_members`, and least-norm forces for every vertex (`buffer.fn`, `buffer.ft`, `buffer.unique`)."""
    kind = find_members(problem, tolerances, buffer)
    for v in range(buffer.found.counts[VERTICES]):
        status, unique = solve_forces(problem, buffer.found.vertices[v], tolerances, buffer.fn[v], buffer.ft[v])
        buffer.unique[v] = unique if status == OK else -1
    return kind
