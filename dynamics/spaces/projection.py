"""Dual-space projections of contact: forces into what contacts carry and what moves, motions likewise. Any dimension.

Source: Featherstone, Sonck and Khatib, "A general contact model for dynamically-decoupled force/motion control";
equation numbers are theirs. Motions v and forces f are vectors of two spaces of dimension n (3 in the plane, 6 in
space), with f.v their power. A contact that is kept has r columns N (n, r) of forces it can exert, and n - r columns T
of motions it allows, N^T T = 0. With any positive definite A (motion to force, as an inertia) and B (force to motion):

    Omega_f(A) = N (N^T A^-1 N)^-1 N^T A^-1    (12)        complement  1 - Omega_f(A)    (13)
    Omega_m(B) = T (T^T B^-1 T)^-1 T^T B^-1    (14)        complement  1 - Omega_m(B)    (15)

Omega_f(A) f is the part of a force that the contact takes; with A the inertia that decomposition is the one that
happens. It depends on A; that it has no power along T does not.

In the plane, in (x, y, rho theta), the inertia is m times the identity, so there Omega_f(m 1) is the orthogonal
projection: with one contact n n^T, where n is Erdmann's unit normal N / |N| of the constraint surface, and for a part
at rest the reaction to an applied force F is -Omega_f F as long as the contact presses. His rule of projecting forces
orthogonally in configuration space is this paper's Omega_f for the right A. In (x, y, theta) it is not orthogonal.

Nearly dependent contacts: bases come from a singular value decomposition of unit columns in the metric of A, with the
rank decided there and reported; nothing is inverted but the triangular root of A.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dynamics.tolerances import RANK, RANK_WARNING, SYMMETRIC
from geometry.errors import InputError


@dataclass(frozen=True, eq=False)
class ContactSpaces:
    """The forces N (n, r) that a kept contact can exert and the motions T (n, n - r) that it allows; N^T T = 0.

    columns: as given, of N or of T, as `given` says. singular_values: of these columns at unit length, in the metric;
    those up to RANK count as 0.
    """

    N: np.ndarray
    T: np.ndarray
    columns: np.ndarray = field(repr=False)
    given: str
    singular_values: np.ndarray

    @property
    def dimension(self) -> int:
        return self.N.shape[0]

    @property
    def rank(self) -> int:
        """Degree of motion constraint, r."""
        return self.N.shape[1]

    @property
    def condition(self) -> float:
        """Largest over smallest singular value that counts; 1 without any."""
        kept = self.singular_values[self.singular_values > RANK]
        return float(kept.max() / kept.min()) if len(kept) else 1.0

    @property
    def is_near_singular(self) -> bool:
        """Are some of the columns nearly, but not quite, dependent: would data off by RANK_WARNING change the rank?"""
        return bool(((self.singular_values > RANK) & (self.singular_values < RANK_WARNING)).any())

    def omega_f(self, A: ArrayLike) -> np.ndarray:
        """(n, n): Omega_f(A), Eq 12. A (n, n): symmetric positive definite, motion to force."""
        root = _find_root("A", A, self.dimension)
        basis = _orthonormalise(np.linalg.solve(root, self.N))
        return root @ basis @ np.linalg.solve(root.T, basis).T

    def omega_f_complement(self, A: ArrayLike) -> np.ndarray:
        """(n, n): 1 - Omega_f(A), Eq 13."""
        return np.eye(self.dimension) - self.omega_f(A)

    def omega_m(self, B: ArrayLike) -> np.ndarray:
        """(n, n): Omega_m(B) = T (T^T B^-1 T)^-1 T^T B^-1, Eq 14. B (n, n): positive definite, force to motion."""
        root = _find_root("B", B, self.dimension)
        basis = _orthonormalise(np.linalg.solve(root, self.T))
        return root @ basis @ np.linalg.solve(root.T, basis).T

    def omega_m_complement(self, B: ArrayLike) -> np.ndarray:
        """(n, n): 1 - Omega_m(B), Eq 15."""
        return np.eye(self.dimension) - self.omega_m(B)


def build_contact_spaces(N: ArrayLike | None = None, T: ArrayLike | None = None,
                         metric: ArrayLike | None = None) -> ContactSpaces:
    """Contact spaces from the columns of N (n, any) or of T (n, any): either is given, the other derived.

    Columns may have any length and may be dependent: the rank is decided, and reported in the answer. metric (n, n):
    an inertia that says what is large and small where units are mixed; the identity if not given. It decides near
    dependence only. ValueError: both or none are given, shapes or numbers are wrong, the metric is not positive
    definite.
    """
    if (N is None) == (T is None):
        raise InputError("give N or T, one of the two: the other follows")
    name, columns = ("N", N) if T is None else ("T", T)
    columns = np.array(columns, dtype=np.float64)
    if columns.ndim != 2 or columns.shape[0] == 0 or not np.isfinite(columns).all():
        raise InputError(f"{name} has shape {columns.shape}: must be (n, r), finite numbers, one column each")
    n = columns.shape[0]
    root = _find_root("metric", np.eye(n) if metric is None else metric, n)
    white = np.linalg.solve(root, columns) if T is None else root.T @ columns
    sizes = np.linalg.norm(white, axis=0)
    white = white[:, sizes > 0.0] / sizes[sizes > 0.0]
    basis, values, _ = np.linalg.svd(white) if white.size else (np.eye(n), np.zeros(0), None)
    rank = int((values > RANK).sum())
    own, rest = basis[:, :rank], basis[:, rank:]
    normals, tangents = (own, rest) if T is None else (rest, own)
    return ContactSpaces(root @ normals, np.linalg.solve(root.T, tangents), columns, name, values)


def spaces_of_contacts(contacts: Any, mode: str | None = None) -> ContactSpaces:
    """Contact spaces in (x, y, rho theta) of the closed contacts of a `ContactSet`.

    Without a mode all closed contacts keep their gap, without friction. With a mode those with letter r or l do, those
    with n keep their place as well, and those with s count no more.
    """
    letters = ["r" if closed else "s" for closed in contacts.closed]
    if mode is not None:
        from dynamics.cones.modes import read_mode

        letters = read_mode(contacts, mode)
        if any(len(allowed) > 1 for allowed in letters):
            raise InputError(f"mode {mode!r} has a wildcard: contact spaces are those of one mode")
    rows = [contacts.N[i] for i, letter in enumerate(letters) if letter in "nrl"]
    rows += [contacts.T[i] for i, letter in enumerate(letters) if letter == "n"]
    return build_contact_spaces(N=np.array(rows).reshape(-1, 3).T)


def project_along(N: np.ndarray, T_prime: np.ndarray) -> np.ndarray:
    """Omega_f = N (T'^T N)^-1 T'^T, Eq 10: onto range(N) along the forces without power on T' (n, r)."""
    N, T_prime = np.asarray(N, float), np.asarray(T_prime, float)
    return N @ np.linalg.solve(T_prime.T @ N, T_prime.T)


# ---- dynamics of the contact, Eqs 20 to 32 ---------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ContactMotion:
    """What a net force does while contacts are kept: relative_acceleration (n,) = T beta, contact_force (n,) = N alpha.

    contact_force acts from the body on its environment, as in Eq 20. forces: least-norm amounts along the columns that
    the contact spaces were given as forces; None if they were given as motions.
    """

    relative_acceleration: np.ndarray
    contact_force: np.ndarray
    beta: np.ndarray
    alpha: np.ndarray
    forces: np.ndarray | None


def compute_net_force(force: ArrayLike, inertia: ArrayLike, velocity_terms: float | np.ndarray = 0.0,
                      gravity_terms: float | np.ndarray = 0.0, moving_contact: ArrayLike = 0.0,
                      environment_bias: float | np.ndarray = 0.0) -> np.ndarray:
    """f' = f - mu_p - p_0 - A_0 (T' beta + b_e), all (n,): the force that is left for Eqs 24 to 27.

    velocity_terms: mu_p; gravity_terms: p_0; moving_contact: (dT/dt) beta; environment_bias: b_e.
    """
    bias = np.asarray(moving_contact, float) + environment_bias
    return np.asarray(force, float) - velocity_terms - gravity_terms - np.asarray(inertia, float) @ (
        bias + np.zeros(len(np.atleast_1d(force))))


def compute_relative_inertia(inertia: ArrayLike, environment: ArrayLike | None = None) -> np.ndarray:
    """A_rel = (A_0^-1 + Phi_e)^-1 (n, n), from contact force to relative acceleration.

    environment: Phi_e, the inverse inertia of the environment, positive semidefinite; None: it is fixed.
    """
    A0 = _read_square("inertia", inertia)
    _find_root("inertia", A0, len(A0))
    if environment is None:
        return A0
    Phi = _read_square("environment", environment)
    if Phi.shape != A0.shape:
        raise InputError(f"environment has shape {Phi.shape}: must be {A0.shape}")
    # (A^-1 + Phi)^-1 = A (1 + Phi A)^-1 needs no inverse of an ill-conditioned Phi
    found = np.linalg.solve(np.eye(len(A0)) + A0 @ Phi, A0)
    return 0.5 * (found + found.T)


def solve_contact(spaces: ContactSpaces, inertia: ArrayLike, net_force: ArrayLike,
                  environment: ArrayLike | None = None) -> ContactMotion:
    """Relative acceleration and contact force under a net force f' (n,), Eqs 24 to 27."""
    A0 = _read_square("inertia", inertia)
    relative = compute_relative_inertia(A0, environment)
    drive = relative @ np.linalg.solve(A0, np.asarray(net_force, dtype=np.float64))
    contact_force = spaces.omega_f(relative) @ drive
    acceleration = np.linalg.solve(relative, drive - contact_force)
    alpha = np.linalg.lstsq(spaces.N, contact_force, rcond=None)[0]
    beta = np.linalg.lstsq(spaces.T, acceleration, rcond=None)[0]
    forces = None
    if spaces.given == "N":
        forces = np.linalg.lstsq(spaces.columns, contact_force, rcond=RANK)[0]
    return ContactMotion(acceleration, contact_force, beta, alpha, forces)


def combine_commands(inertia: ArrayLike, acceleration: ArrayLike, contact_force: ArrayLike,
                     environment: ArrayLike | None = None) -> np.ndarray:
    """The net force f' that asks for a relative acceleration and a contact force, Eq 28 (n,)."""
    A0 = _read_square("inertia", inertia)
    relative = compute_relative_inertia(A0, environment)
    return A0 @ (np.asarray(acceleration, float) + np.linalg.solve(relative, np.asarray(contact_force, float)))


def decouple_commands(spaces: ContactSpaces, inertia: ArrayLike, acceleration: ArrayLike, contact_force: ArrayLike,
                      A: ArrayLike | None = None, B: ArrayLike | None = None,
                      environment: ArrayLike | None = None) -> np.ndarray:
    """As `combine_commands`, of commands that are filtered first: the net force f' (n,) of Eqs 28, 31 and 32.

    Under it the relative acceleration is Omega_m(B) acceleration and the contact force Omega_f(A) contact_force, for
    any positive definite A and B (the identity if not given), which need not know the dynamics.
    """
    n = spaces.dimension
    A, B = (np.eye(n) if matrix is None else matrix for matrix in (A, B))
    return combine_commands(inertia, spaces.omega_m(B) @ np.asarray(acceleration, float),
                            spaces.omega_f(A) @ np.asarray(contact_force, float), environment)


# ---- numbers ---------------------------------------------------------------------------------------------------------


def _orthonormalise(columns: np.ndarray) -> np.ndarray:
    """Orthonormal columns with the same range; the columns are independent (they come from `ContactSpaces`)."""
    return np.linalg.qr(columns)[0]


def _read_square(name: str, matrix) -> np.ndarray:
    array = np.array(matrix, dtype=np.float64)
    if array.ndim != 2 or array.shape[0] != array.shape[1] or not np.isfinite(array).all():
        raise InputError(f"{name} has shape {array.shape}: must be (n, n), finite numbers")
    return array


def _find_root(name: str, matrix, n: int) -> np.ndarray:
    """Lower triangular L with L L^T = matrix. ValueError if it is not symmetric positive definite."""
    array = _read_square(name, matrix)
    if len(array) != n:
        raise InputError(f"{name} has shape {array.shape}: must be ({n}, {n})")
    if np.abs(array - array.T).max(initial=0.0) > SYMMETRIC * np.abs(array).max(initial=0.0):
        raise InputError(f"{name} is not symmetric")
    try:
        return np.linalg.cholesky(array)
    except np.linalg.LinAlgError:
        raise InputError(f"{name} is not positive definite") from None
