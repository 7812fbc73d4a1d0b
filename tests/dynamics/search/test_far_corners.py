"""A part squeezed between two sliding contacts may have any acceleration on a ray; where another contact, nearly
parallel to the ray, ends it far away, the set says where."""

from __future__ import annotations

import numpy as np
import pytest

from dynamics import ContactProblem, find_accelerations


def squeeze(*others):
    """The piece of the ray from 0 to +x. Two opposed contacts in the plane y = 0, both sliding, push along x as hard as
    they like; others: (normal, bias) of contacts without friction, which hold nothing there."""
    normals = [(0.0, 1.0, 0.0), (0.0, -1.0, 0.0), *(normal for normal, _ in others)]
    biases = [0.0, 0.0, *(bias for _, bias in others)]
    k, back = len(normals), (-1.0, 0.0, 0.0)
    tangents, mu = [back, back, *[(0.0, 1.0, 0.0)] * len(others)], [1.0, 1.0, *[0.0] * len(others)]
    found = find_accelerations(ContactProblem(np.zeros(3), normals, biases, tangents, np.zeros(k), [1] * k, mu))
    (piece,) = [piece for piece in found.pieces if piece.mode == "rr" + "s" * len(others)]
    assert piece.dimension == 1 and min(abs(piece.vertices).max(axis=1)) == 0.0
    return piece


def test_nothing_ends_the_ray():
    piece = squeeze()
    assert len(piece.vertices) == 1 and piece.rays == pytest.approx(np.array([[1.0, 0.0, 0.0]]))


@pytest.mark.parametrize("slope", [1e-2, 1e-5, 1e-7, 1e-8])
def test_a_plane_that_is_nearly_parallel_ends_the_ray(slope):
    """z >= slope x - 1 holds on it up to x = 1 / slope."""
    piece = squeeze(((-slope, 0.0, 1.0), 1.0))
    assert len(piece.rays) == 0
    assert piece.vertices[piece.vertices[:, 0].argmax()] == pytest.approx([1.0 / slope, 0.0, 0.0], rel=1e-6)
