"""Pose: points and poses from one frame to another."""

import math

import numpy as np
import pytest

from geometry.shapes.pose import Pose


def build_matrix(pose):
    c, s = math.cos(pose.theta), math.sin(pose.theta)
    return np.array([[c, -s, pose.x], [s, c, pose.y], [0.0, 0.0, 1.0]])


@pytest.mark.parametrize("seed", range(10))
def test_poses_are_the_group_of_rigid_motions(seed):
    rng = np.random.default_rng(seed)
    a, b = (Pose(*rng.uniform(-3, 3, 3)) for _ in range(2))
    points = rng.uniform(-2, 2, (7, 2))
    np.testing.assert_allclose(build_matrix(a.compose(b)), build_matrix(a) @ build_matrix(b), atol=1e-14)
    np.testing.assert_allclose(build_matrix(a.inverse()), np.linalg.inv(build_matrix(a)), atol=1e-14)
    np.testing.assert_allclose(a.inverse().transform(a.transform(points)), points, atol=1e-14)
    homogeneous = np.concatenate([points, np.ones((7, 1))], axis=1)
    np.testing.assert_allclose(a.transform(points), (homogeneous @ build_matrix(a).T)[:, :2], atol=1e-14)
    np.testing.assert_allclose(a.rotate(points), a.transform(points) - [a.x, a.y], atol=1e-14)


def test_counter_clockwise_and_shapes():
    np.testing.assert_allclose(Pose(1.0, 2.0, math.pi / 2).transform([1.0, 0.0]), [1.0, 3.0], atol=1e-15)
    assert Pose().transform(np.zeros((0, 2))).shape == (0, 2)
    assert Pose(1.0, 2.0, 0.0).transform([[[3.0, 4.0]]]).shape == (1, 1, 2)


def test_the_identity_keeps_every_bit(rng):
    points = rng.normal(size=(20, 2)) * 10.0 ** rng.integers(-8, 8, (20, 1))
    np.testing.assert_array_equal(Pose().transform(points), points)
