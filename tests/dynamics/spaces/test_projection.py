"""Projections of contact: the paper's identities in all shapes, published numbers, a direct solve of the dynamics."""

import numpy as np
import pytest

from dynamics.cones.cone import compute_frame, project_force
from dynamics.cones.contact_set import place_contacts
from dynamics.spaces.projection import (
    build_contact_spaces,
    combine_commands,
    compute_net_force,
    compute_relative_inertia,
    decouple_commands,
    project_along,
    solve_contact,
    spaces_of_contacts,
)
from dynamics.spaces.transform import Transform, planar_transform, spatial_transform

SHAPES = [(3, 1), (3, 2), (6, 1), (6, 2), (6, 3), (6, 5), (4, 2), (3, 0), (3, 3)]


def random_metric(rng, n):
    root = rng.normal(size=(n, n))
    return root @ root.T + 0.3 * np.eye(n)


def close(a, b, tolerance=1e-8):
    np.testing.assert_allclose(a, b, rtol=0, atol=tolerance * max(1.0, np.abs(b).max(initial=0.0)))


@pytest.mark.parametrize("n, r", SHAPES)
def test_equations_10_to_19(n, r, rng):
    for _ in range(5):
        spaces = build_contact_spaces(N=rng.normal(size=(n, r)))
        N, T = spaces.N, spaces.T
        assert spaces.rank == r and T.shape == (n, n - r) and spaces.dimension == n
        close(N.T @ T, 0)
        A1, A2, B1, B2 = (random_metric(rng, n) for _ in range(4))
        one, inverse = np.eye(n), np.linalg.inv
        F, M = spaces.omega_f, spaces.omega_m
        if r:
            close(F(A1), N @ inverse(N.T @ inverse(A1) @ N) @ N.T @ inverse(A1))  # 12
            close(F(A1), project_along(N, inverse(A1) @ N))  # 10
            close(spaces.omega_m_complement(B1), project_along(B1 @ N, N))  # 15: Omega_m' = B N (N^T B N)^-1 N^T
        if r < n:
            close(M(B1), T @ inverse(T.T @ inverse(B1) @ T) @ T.T @ inverse(B1))  # 14
            close(spaces.omega_f_complement(A1), project_along(A1 @ T, T))  # 13: A T (T^T A T)^-1 T^T
        close(F(A1) @ F(A2), F(A2))  # 16
        close(spaces.omega_f_complement(A1) @ F(A2), 0)  # 17
        close(M(B1) @ M(B2), M(B2))  # 18
        close(spaces.omega_m_complement(B1) @ M(B2), 0)  # 19
        close(F(A1) @ F(A1), F(A1))
        assert abs(np.trace(F(A1)) - r) < 1e-9
        close(F(A1).T, one - M(inverse(A1)))
        close(one - F(A1), A1 @ M(inverse(A1)) @ inverse(A1))
        if 0 < r < n:
            assert np.abs(F(A1) - F(A2)).max() > 1e-3  # it does depend on A
        f, v = rng.normal(size=n), T @ rng.normal(size=n - r)
        assert abs(v @ F(A1) @ f) < 1e-9  # a kept contact has no power, for any A


@pytest.mark.parametrize("n, r", SHAPES)
def test_bases_do_not_matter_and_t_gives_the_same_as_n(n, r, rng):
    columns = rng.normal(size=(n, r))
    spaces = build_contact_spaces(N=columns)
    A = random_metric(rng, n)
    others = [build_contact_spaces(N=columns, metric=random_metric(rng, n)), build_contact_spaces(T=spaces.T),
              build_contact_spaces(T=spaces.T, metric=random_metric(rng, n))]
    if r:
        others.append(build_contact_spaces(N=columns @ rng.normal(size=(r, r + 2))))  # mixed, and two too many
    for other in others:
        assert other.rank == r
        close(other.omega_f(A), spaces.omega_f(A))
        close(other.omega_m(A), spaces.omega_m(A))


def test_published_planar_numbers():
    """One contact at (.3, -.1) below the centre, normal up, and two at x = +-.3; inertia diag(2, 2, .06)."""
    A = np.diag([2.0, 2.0, 0.06])
    one = build_contact_spaces(N=[[0.0], [1.0], [0.3]])
    close(one.omega_f(A), [[0, 0, 0], [0, 0.25, 2.5], [0, 0.075, 0.75]], 1e-12)
    close(one.omega_f(A) @ [1, 2, 3], [0, 8, 2.4], 1e-12)
    close(one.omega_m(np.linalg.inv(A)) @ [1, 2, 3], [1, 1.275, -4.25], 1e-12)
    two = build_contact_spaces(N=np.array([[0, 0], [1, 1], [0.3, -0.3]]))
    close(two.omega_f(A), np.diag([0, 1, 1]), 1e-12)
    close(two.omega_m(A), np.diag([1, 0, 0]), 1e-12)


ROD_N = np.array([[0, 0.3, 0, 0, 0, 1], [0, 0, 0.3, 0, 1, 0]]).T  # contacts at x = -.3 (n = z) and x = .3 (n = y)
ROD_A = np.diag([0.001, 0.036, 0.036, 1.2, 1.2, 1.2])


def test_published_rod_in_space():
    """Two skew contacts on a rod, in the manner of the paper's Figures 1 and 3; order couple, force."""
    spaces = build_contact_spaces(N=ROD_N, metric=ROD_A)
    expected = np.zeros((6, 6))
    for (i, j), value in {(2, 2): 0.75, (3, 3): 0.75, (2, 6): 0.075, (3, 5): 0.075, (5, 3): 2.5, (6, 2): 2.5,
                          (5, 5): 0.25, (6, 6): 0.25}.items():
        expected[i - 1, j - 1] = value
    close(spaces.omega_f(ROD_A), expected, 1e-12)
    close(ROD_N.T @ np.linalg.inv(ROD_A) @ ROD_N, np.eye(2) * 10 / 3, 1e-12)
    found = solve_contact(spaces, ROD_A, [0.1, -0.2, 0.3, 1, 2, 3])
    close(found.forces, [0.25, 1.25], 1e-12)
    close(found.contact_force, [0, 0.075, 0.375, 0, 1.25, 0.25], 1e-12)


def test_power_through_the_contacts_of_the_rod_is_zero_while_they_hold(rng):
    """As in the paper's Figure 5; when a contact is broken there is power (Figure 6)."""
    spaces = build_contact_spaces(N=ROD_N)
    for _ in range(20):
        v, f, A = spaces.T @ rng.normal(size=4), rng.normal(size=6), random_metric(rng, 6)
        assert abs(v @ spaces.omega_f(A) @ f) < 1e-12 * (1 + np.abs(spaces.omega_f(A)).max()) * 100
        assert abs(v @ f) > 1e-6
        assert abs((v + 0.1 * ROD_N[:, 0]) @ spaces.omega_f(A) @ f) > 1e-9


@pytest.mark.parametrize("n, r", [(3, 1), (3, 2), (6, 2), (6, 5)])
@pytest.mark.parametrize("moves", [False, True])
def test_dynamics_equal_a_direct_solve(n, r, moves, rng):
    """Eqs 20 to 27: A_0 a + f_c = f', a_e = Phi_e f_c, a - a_e = T beta, f_c = N alpha, as one linear system."""
    spaces = build_contact_spaces(N=rng.normal(size=(n, r)))
    A0 = random_metric(rng, n)
    low = rng.normal(size=(n, max(1, n - 2)))
    Phi = low @ low.T if moves else None  # semidefinite: not all directions give way
    net = rng.normal(size=n)
    N, T = spaces.N, spaces.T
    system = np.zeros((2 * n, n + n))
    system[:n, :n] = A0
    system[:n, n : n + r] = N
    system[n:, :n] = np.eye(n)
    system[n:, n : n + r] = -(Phi @ N if moves else 0.0)
    system[n:, n + r :] = -T
    solution = np.linalg.solve(system, np.concatenate([net, np.zeros(n)]))
    found = solve_contact(spaces, A0, net, Phi)
    close(found.alpha, solution[n : n + r])
    close(found.beta, solution[n + r :])
    close(found.contact_force, N @ found.alpha)
    close(found.relative_acceleration, T @ found.beta)
    relative = compute_relative_inertia(A0, Phi)
    close(relative, np.linalg.inv(np.linalg.inv(A0) + (Phi if moves else 0.0)))
    # Eq 24 and 25 as printed
    drive = relative @ np.linalg.inv(A0) @ net
    close(found.beta, np.linalg.solve(T.T @ relative @ T, T.T @ drive))
    close(found.alpha, np.linalg.solve(N.T @ np.linalg.inv(relative) @ N, N.T @ np.linalg.inv(relative) @ drive))


@pytest.mark.parametrize("moves", [False, True])
def test_commands_are_decoupled_whatever_a_and_b(moves, rng):
    """Eqs 28 to 32."""
    for n, r in [(3, 1), (6, 2)]:
        spaces = build_contact_spaces(N=rng.normal(size=(n, r)))
        A0, A, B = (random_metric(rng, n) for _ in range(3))
        Phi = 0.4 * random_metric(rng, n) if moves else None
        a, f = rng.normal(size=n), rng.normal(size=n)
        found = solve_contact(spaces, A0, decouple_commands(spaces, A0, a, f, A, B, Phi), Phi)
        close(found.relative_acceleration, spaces.omega_m(B) @ a)  # 31
        close(found.contact_force, spaces.omega_f(A) @ f)  # 32
        raw = solve_contact(spaces, A0, combine_commands(A0, a, f, Phi), Phi)
        relative = compute_relative_inertia(A0, Phi)
        inverse = np.linalg.inv(relative)
        crossed = inverse @ spaces.omega_f_complement(relative) @ f
        close(raw.relative_acceleration, spaces.omega_m(inverse) @ a + crossed)
        close(raw.contact_force, spaces.omega_f(relative) @ f + relative @ spaces.omega_m_complement(inverse) @ a)
        assert np.abs(raw.contact_force - spaces.omega_f(A) @ f).max() > 1e-3  # unfiltered, they are coupled


def test_net_force():
    A0 = np.diag([2.0, 2.0, 1.0])
    close(compute_net_force([1, 2, 3], A0), [1, 2, 3])
    found = compute_net_force([1, 2, 3], A0, [0.1, 0, 0], [0, 0.2, 0], [0, 0, 1.0], [1.0, 0, 0])
    close(found, [1 - 0.1 - 2.0, 2 - 0.2, 3 - 1.0])


def test_erdmanns_projection_is_the_dynamically_right_one(rng):
    """In (x, y, rho theta) the inertia is m 1, and Omega_f the orthogonal projection onto his normal n."""
    for _ in range(20):
        angle, arm, rho, mass = rng.uniform(0, 6.28), rng.normal(size=2), rng.uniform(0.3, 2), rng.uniform(0.1, 5)
        normal = np.array([np.cos(angle), np.sin(angle)])
        contacts = place_contacts([-arm], [normal], 0.0, rho=rho)
        spaces = spaces_of_contacts(contacts)
        frame = compute_frame(normal, arm, rho, 0.0)
        omega = spaces.omega_f(mass * np.eye(3))
        close(omega, np.outer(frame.n, frame.n), 1e-12)
        force = rng.normal(size=3)
        if force @ frame.n < 0:
            close(project_force(frame, force), -omega @ force, 1e-12)
        # in (x, y, theta) the same projection has the same meaning, but is not orthogonal any more
        change = Transform(np.diag([1.0, 1.0, 1.0 / rho]))
        plain = build_contact_spaces(N=change.force(spaces.N))
        close(plain.omega_f(mass * np.diag([1, 1, rho**2])), change.force_map(omega), 1e-10)


def test_kept_contacts_of_a_mode():
    contacts = place_contacts([(-1, 0), (1, 0), (0, 2)], [(0, 1), (0, 1), (0, -1)], 0.3, closed=[True, True, False])
    assert spaces_of_contacts(contacts).rank == 2
    assert spaces_of_contacts(contacts, "nss").rank == 2 and spaces_of_contacts(contacts, "rss").rank == 1
    assert spaces_of_contacts(contacts, "nns").rank == 3 and spaces_of_contacts(contacts, "ssa").rank == 0
    with pytest.raises(ValueError, match="wildcard"):
        spaces_of_contacts(contacts, "*ss")


@pytest.mark.parametrize("gap, rank, near", [(1e-3, 2, False), (1e-7, 2, True), (1e-9, 2, True), (1e-12, 1, False)])
def test_nearly_dependent_contacts(gap, rank, near, rng):
    spaces = build_contact_spaces(N=np.array([[0.0, 0.0], [1.0, 1.0], [0.5, 0.5 + gap]]))
    assert spaces.rank == rank and spaces.is_near_singular == near
    assert spaces.condition == pytest.approx(1.0 if rank == 1 else 2.0 / (gap / 1.25), rel=1e-3)
    A = random_metric(rng, 3)
    omega = spaces.omega_f(A)
    close(omega @ omega, omega, 1e-12)
    close(spaces.N.T @ spaces.T, 0, 1e-15)
    if rank == 2:  # together they hold all of y and theta, however small the gap
        close(build_contact_spaces(N=np.eye(3)[:, 1:]).omega_f(A), omega, 1e-6)
        # the normal equations of the printed formula lose this at a gap of 1e-9
        close(omega @ spaces.columns, spaces.columns, 1e-9)


@pytest.mark.parametrize("n", [3, 6])
def test_coordinates_do_not_matter(n, rng):
    spaces = build_contact_spaces(N=rng.normal(size=(n, 2)))
    A, B = random_metric(rng, n), random_metric(rng, n)
    v, f = rng.normal(size=n), rng.normal(size=n)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    turn *= np.sign(np.linalg.det(turn))
    changes = [Transform(rng.normal(size=(n, n)))]
    changes.append(planar_transform(0.7, (0.3, -0.2)) if n == 3 else spatial_transform(turn, rng.normal(size=3)))
    for change in changes:
        assert abs(change.force(f) @ change.motion(v) - f @ v) < 1e-9  # Eq 3
        close(change.inverse.motion(change.motion(v)), v)
        close(change.inertia(A) @ change.motion(v), change.force(A @ v))
        close(change.inverse_inertia(B) @ change.force(f), change.motion(B @ f))
        other = build_contact_spaces(N=change.force(spaces.N))
        close(other.omega_f(change.inertia(A)), change.force_map(spaces.omega_f(A)), 1e-7)
        close(other.omega_m(change.inverse_inertia(B)), change.motion_map(spaces.omega_m(B)), 1e-7)


def test_transforms_of_rigid_bodies(rng):
    """A force on a line has the same moment there, whatever the origin; the velocity is that of the new origin."""
    change = planar_transform(np.pi / 2, (2.0, 0.0))
    close(change.motion([0, 0, 1.0]), [2.0, 0.0, 1.0])  # turning about P moves (2, 0) along y, the x axis of Q
    close(change.force([0, 1.0, 2.0]), [1.0, 0.0, 0.0])  # a force up through (2, 0)
    space = spatial_transform(None, (2.0, 0.0, 0.0))
    close(space.motion([0, 0, 1.0, 0, 0, 0]), [0, 0, 1, 0, 2, 0])
    close(space.force([0, 0, 2.0, 0, 1.0, 0]), [0, 0, 0, 0, 1, 0])


def test_input_that_is_none():
    spaces = build_contact_spaces(N=np.eye(3)[:, :1])
    for call, message in [
        (lambda: build_contact_spaces(), "give N or T"),
        (lambda: build_contact_spaces(N=[1, 2, 3]), "N has shape (3,): must be (n, r)"),
        (lambda: build_contact_spaces(T=[[np.nan]]), "T has shape (1, 1)"),
        (lambda: spaces.omega_f(np.diag([1, 1, 0])), "A is not positive definite"),
        (lambda: spaces.omega_m(np.eye(2)), "B has shape (2, 2): must be (3, 3)"),
        (lambda: spaces.omega_f([[1, 1, 0], [0, 1, 0], [0, 0, 1]]), "A is not symmetric"),
        (lambda: compute_relative_inertia(np.eye(3), np.eye(2)), "environment has shape (2, 2)"),
        (lambda: Transform(np.zeros((2, 2))), "X is singular"),
        (lambda: spatial_transform(2.0 * np.eye(3)), "must be a rotation matrix"),
    ]:
        with pytest.raises(ValueError) as caught:
            call()
        assert message in str(caught.value)
