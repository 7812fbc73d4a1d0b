"""Joints of arcs that a file has rounded get back the one tangent that they were drawn with.

The direction jumps at a joint by the angle between the tangents, with the angles psi of the chords and the bulges b

    turn_i = psi_i - 2 atan b_i - psi_i-1 - 2 atan b_i-1 .

Of all small moves of vertices and of the middles of arcs that make these turns zero, the smallest is taken, by Newton's
method: there are fewer joints than numbers to move.
"""

from __future__ import annotations

import math

import numpy as np

from geometry.shapes.features import Features, build_features, compute_bulges, compute_lengths, compute_turns
from geometry.tolerances import SMOOTH_TURN, TANGENT_TURN

_ROUNDS = 6  # Newton's method squares the error: from 1e-3 to rounding in four


def make_tangent(features: Features, gap: float) -> tuple[Features, int, float]:
    """A loop whose nearly smooth joints are smooth, how many were mended, and how far anything was moved (m).

    gap: how far a vertex, or the middle of an arc, may be moved, m; where more is needed the loop stays as it is.
    """
    n = len(features.sign)
    if n < 2 or not features.sign.any():
        return features, 0, 0.0
    before = np.roll(np.arange(n), 1)
    turn = compute_turns(features, before)
    length = compute_lengths(features)
    near = np.abs(turn) * np.minimum(length, length[before]) <= 2.0 * gap
    beside_arc = (features.sign != 0) | (features.sign[before] != 0)
    joints = np.flatnonzero(near & beside_arc & (np.abs(turn) <= TANGENT_TURN))
    rounded = int((np.abs(turn[joints]) > SMOOTH_TURN).sum())
    if not rounded:
        return features, 0, 0.0
    vertices, bulges, arcs = features.start.copy(), compute_bulges(features), features.sign != 0
    first_vertices, first_bulges = vertices.copy(), bulges.copy()
    for _ in range(_ROUNDS):
        step, bend = _solve(vertices, bulges, arcs, joints)
        vertices, bulges = vertices + step, bulges + bend
    chord = np.hypot(*(np.roll(first_vertices, -1, axis=0) - first_vertices).T)
    moved = max(float(np.hypot(*(vertices - first_vertices).T).max()),
                float((0.5 * chord * np.abs(bulges - first_bulges)).max()))
    if not moved <= gap:
        return features, 0, 0.0
    return build_features(vertices, np.roll(vertices, -1, axis=0), bulges), rounded, moved


def _solve(vertices, bulges, arcs, joints) -> tuple[np.ndarray, np.ndarray]:
    """The smallest step of vertices (n, 2) and bulges (n,) that makes the turns at the joints zero to first order."""
    from scipy.sparse import coo_array
    from scipy.sparse.linalg import lsqr

    n = len(vertices)
    following = np.roll(np.arange(n), -1)
    before = (joints - 1) % n
    chord = vertices[following] - vertices
    length = np.hypot(chord[:, 0], chord[:, 1])
    psi = np.arctan2(chord[:, 1], chord[:, 0])
    half = 2.0 * np.arctan(bulges)
    turn = psi[joints] - half[joints] - psi[before] - half[before]
    turn -= 2.0 * math.pi * np.round(turn / (2.0 * math.pi))
    # d psi = (-sin, cos) . d(end - start) / length; of an arc the shift of its middle is unknown, length * bulge / 2
    normal = np.stack([-chord[:, 1], chord[:, 0]], axis=1) / (length * length)[:, None]
    slope = np.where(arcs, 4.0 / ((1.0 + bulges * bulges) * length), 0.0)
    weight = np.minimum(length[joints], length[before])
    rows, columns, values = [], [], []
    count = np.arange(len(joints))
    for side, feature in ((1.0, joints), (-1.0, before)):
        for end, sign in ((feature, -1.0), (following[feature], 1.0)):
            for axis in (0, 1):
                rows.append(count)
                columns.append(2 * end + axis)
                values.append(side * sign * weight * normal[feature, axis])
        rows.append(count)
        columns.append(2 * n + feature)
        values.append(-weight * slope[feature])
    matrix = coo_array((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))),
                       shape=(len(joints), 3 * n)).tocsr()
    exact = np.finfo(float).eps
    found = lsqr(matrix, -weight * turn, atol=exact, btol=exact, conlim=0.0, iter_lim=20 * (len(joints) + 10))[0]
    return found[: 2 * n].reshape(n, 2), np.where(arcs, 2.0 * found[2 * n :] / length, 0.0)
