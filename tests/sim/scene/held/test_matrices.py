"""Stiffness and damping over (x, y, theta): what is read, what is refused, and damping from a ratio."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.scene.held.matrices import build_mass_matrix, check_matrix, damp_by_ratio, read_matrix


def test_a_diagonal_and_a_whole_matrix_with_their_units():
    assert (read_matrix(["20 N/mm", 3, "30 N m/rad"], "stiffness") == np.diag([20000.0, 3.0, 30.0])).all()
    whole = [["1 N/mm", "2 N/m", "3 N"], [2, "4 N/m", "5 mN"], ["3 N", 0.005, "6 N mm/rad"]]
    assert read_matrix(whole, "stiffness").tolist() == [[1000.0, 2.0, 3.0], [2.0, 4.0, 0.005], [3.0, 0.005, 0.006]]
    whole = [["1 kg/s", 0, "3 N s"], [0, "4 N s/mm", 0], [3, 0, "6 N m s"]]
    assert read_matrix(whole, "damping").tolist() == [[1.0, 0.0, 3.0], [0.0, 4000.0, 0.0], [3.0, 0.0, 6.0]]


@pytest.mark.parametrize("value, message", [
    (3, r"must be \[x, y, theta\], such as \[\"20 N/mm\", \"20 N/mm\", \"30 N m/rad\"\], or a 3 x 3 matrix"),
    ([1, 2], r"must be \[x, y, theta\]"),
    ([1, 2, [3]], r"must be \[x, y, theta\]"),
    ([[1, 2], [3, 4], [5, 6]], r"must be \[x, y, theta\]"),
    ([1, -2, 3], "y is -2: must be zero or positive on the diagonal"),
    ([1, "2 N m", 3], "y is '2 N m': must be a number in N/m .*; N m is the unit of a torque; valid units: N/m"),
    ([[1, 0, "1 N/m"], [0, 1, 0], [0, 0, 1]], "x, theta is '1 N/m': must be a number in N or a string"),
    ([1, 2, True], "theta is True: must be a number in N m/rad"),
    ([1, math.inf, 2], "y is inf: must be finite"),
])
def test_what_is_no_matrix(value, message):
    with pytest.raises(ValueError, match=message):
        read_matrix(value, "stiffness")


@pytest.mark.parametrize("rows, message", [
    ([[1, 0.5, 0], [0.4, 1, 0], [0, 0, 1]], "must be symmetric, and x, y is 0.5, but y, x is 0.4"),
    ([[1, 0, 0], [0, 1, 2], [0, 2, 1]], "y and theta alone have the eigenvalue -1 in SI units; y, theta can be 1 at"),
    ([[1, 0, 0], [0, 0, 1e-9], [0, 1e-9, 1]], "y and theta alone have the eigenvalue -1e-18 .*; y, theta can be 0 at"),
    ([[1, -0.9, -0.9], [-0.9, 1, -0.9], [-0.9, -0.9, 1]], "scaled to 1 on its diagonal it has the eigenvalue -0.8"),
    # the same in other units
    ([[1e6, -900, -0.9], [-900, 1, -9e-4], [-0.9, -9e-4, 1e-6]], "scaled to 1 on its diagonal .* eigenvalue -0.8"),
])
def test_what_would_drive_the_part_is_refused(rows, message):
    with pytest.raises(ValueError, match=message):
        check_matrix(np.array(rows, dtype=float))


@given(st.integers(0, 2**32 - 1), st.integers(0, 3), st.floats(-4.0, 4.0))
def test_semidefinite_matrices_of_any_rank_are_taken_and_become_symmetric(seed, rank, power):
    rng = np.random.default_rng(seed)
    scale = 10.0 ** np.array([power, power, -power])
    half = scale[:, None] * rng.normal(size=(3, rank))
    matrix = half @ half.T * (1.0 + 1e-15 * rng.normal(size=(3, 3)))
    kept = np.array(check_matrix(matrix))
    assert (kept == kept.T).all()
    np.testing.assert_allclose(kept, matrix, atol=1e-13 * np.outer(scale, scale).max())


def make_body(rng):
    return rng.uniform(0.1, 10.0), rng.uniform(0.01, 1.0), tuple(rng.normal(scale=0.3, size=2)), rng.uniform(-4.0, 4.0)


@given(st.integers(0, 2**32 - 1))
def test_the_mass_matrix_gives_the_kinetic_energy(seed):
    rng = np.random.default_rng(seed)
    mass, rho, center, angle = make_body(rng)
    vx, vy, omega = rng.normal(size=3)
    c, s = math.cos(angle), math.sin(angle)
    arm = np.array([c * center[0] - s * center[1], s * center[0] + c * center[1]])  # to the centre of compliance
    own = np.array([vx, vy]) - omega * np.array([-arm[1], arm[0]])  # of the centre of mass
    energy = 0.5 * mass * (own @ own + (rho * omega) ** 2)
    q = np.array([vx, vy, omega])
    assert 0.5 * q @ build_mass_matrix(mass, rho, center, angle) @ q == pytest.approx(energy, rel=1e-12)


@given(st.integers(0, 2**32 - 1), st.floats(0.05, 3.0))
def test_every_mode_has_the_damping_ratio(seed, ratio):
    """Eigenvalues of M q'' + D q' + K q = 0: -(z +- sqrt(z^2 - 1)) w for each w^2 of K, M."""
    rng = np.random.default_rng(seed)
    mass = build_mass_matrix(*make_body(rng))
    half = rng.normal(size=(3, 3)) + 2.0 * np.eye(3)
    stiffness = check_matrix(half @ half.T)
    damping = np.array(damp_by_ratio(stiffness, ratio, mass))
    assert (damping == damping.T).all() and np.linalg.eigvalsh(damping)[0] > -1e-12 * np.abs(damping).max()
    w = np.sqrt(np.linalg.eigvals(np.linalg.solve(mass, np.array(stiffness))).real)
    for frequency in w:
        for sign in (1.0, -1.0):
            r = complex(-ratio * frequency) + sign * frequency * np.sqrt(complex(ratio * ratio - 1.0))
            pencil = r * r * mass + r * damping + np.array(stiffness)
            size = abs(r) ** 2 * np.abs(mass) + abs(r) * np.abs(damping) + np.abs(stiffness)
            assert np.linalg.svd(pencil, compute_uv=False)[-1] <= 1e-9 * np.linalg.norm(size)
    # the modes are decoupled: the damped system has no other eigenvalues, and their sum is the trace
    assert np.trace(np.linalg.solve(mass, damping)) == pytest.approx(2.0 * ratio * w.sum(), rel=1e-9)


def test_a_free_direction_is_not_damped():
    mass = build_mass_matrix(2.0, 0.1, (0.0, 0.0), 0.3)
    assert damp_by_ratio(check_matrix(np.diag([8.0, 0.0, 0.0])), 1.0, mass) == (
        (pytest.approx(8.0), 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


def test_a_turn_without_stiffness_about_a_distant_centre_is_not_damped():
    mass = build_mass_matrix(9.0, 0.1, (0.07, 0.16), 0.4)
    damping = np.array(damp_by_ratio(check_matrix(np.diag([16910.7, 261.1, 0.0])), 1.0, mass))
    assert np.abs(damping[2]).max() <= 1e-14 * np.abs(damping).max()
