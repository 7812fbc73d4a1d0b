"""Twins of `wrench_cone`: the matrices of Balkcom, Gottlieb and Trinkle (2002), and a linear program.

The paper's route gives the closure only. Its printed matrix S has the signs of S_l and S_r interchanged; here they are
right: c_t = -mu c_n for l and +mu c_n for r, along the paper's tangent, which is the negative of ours.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

from tests.naive.modes import read_laws


def compute_jacobian(contacts) -> np.ndarray:
    """(3, 2n): columns n_1 .. n_n, t_1 .. t_n."""
    return np.column_stack([*contacts.N, *(-contacts.T)])


def compute_matrices(contacts, mode):
    """K and P of K z = P g, z >= 0 (Eqs 13 and 15), and C, B before anything is eliminated (Eq 7)."""
    n = len(contacts)
    J = compute_jacobian(contacts)
    B = J.T
    C = np.hstack([np.eye(2 * n), -J.T @ J])
    free, negative, zero, rolling, left, right = [], [], [], [], [], []  # the paper's index sets, from 0
    a_n, a_t, c_n, c_t = (lambda i, j=j: i + j * n for j in range(4))
    for i, letter in enumerate(mode):
        if letter in "as":
            free.append(a_t(i))
            zero += [c_n(i), c_t(i)]
            if letter == "a":
                negative.append(a_n(i))
        else:
            zero.append(a_n(i))
            if letter == "n":
                zero.append(a_t(i))
                rolling.append(c_t(i))
            else:
                (left if letter == "l" else right).append(c_t(i))
                if letter == "r":
                    negative.append(a_t(i))
    E = np.delete(np.eye(2 * n), free, axis=0)
    Nm, R, S = np.eye(4 * n), np.eye(4 * n), np.eye(4 * n)
    for i in negative:
        Nm[i, i] = -1.0
    for i in rolling:
        mu = contacts.mu[i - 3 * n]
        R[i, i], R[i - n, i], R[i, i - n] = mu, 1.0, -mu
    for i in left:
        S[i, i - n] = -contacts.mu[i - 3 * n]
    for i in right:
        S[i, i - n] = contacts.mu[i - 3 * n]
    V = np.delete(np.eye(4 * n), sorted(set(zero + left + right + free)), axis=1)
    return E @ C @ Nm @ R @ S @ V, E @ B, C, B


def measure_residual(columns, g) -> float:
    """The least sum of |columns z - g| over z >= 0, by a linear program: 0 exactly if g is in the cone of the columns.

    (A program and not nonnegative least squares: scipy's fails on pairs of opposed columns.)
    """
    m, n = columns.shape
    if m == 0:
        return 0.0
    found = linprog(np.concatenate([np.zeros(n), np.ones(2 * m)]), A_eq=np.hstack([columns, np.eye(m), -np.eye(m)]),
                    b_eq=g)
    if found.status != 0:
        raise RuntimeError(found.message)
    return float(found.fun)


def find_slack(contacts, mode, g):
    """The largest d such that w = a - sum f holds with strict laws met by d (at most 1); -inf if there is none at all.

    Positive: the wrench is consistent with the mode. 0: it is in the closure only.
    """
    equal, weak, strict = read_laws(contacts, mode)
    forces = []
    for i, letter in enumerate(mode):
        edges = [contacts.N[i] + sign * contacts.mu[i] * contacts.T[i] for sign in (-1.0, 1.0)]
        forces += {"r": edges[:1], "l": edges[1:], "n": edges}.get(letter, [])
    forces = np.array(forces).reshape(-1, 3)
    m = len(forces)

    def pad(rows, last):
        return np.hstack([rows, np.zeros((len(rows), m)), np.full((len(rows), 1), last)])

    upper = np.vstack([pad(-strict, 1.0), pad(-weak, 0.0)])
    balance = np.hstack([np.eye(3), -forces.T, np.zeros((3, 1))])
    a_eq = np.vstack([pad(equal, 0.0), balance])
    b_eq = np.concatenate([np.zeros(len(equal)), g])
    found = linprog([0.0] * (3 + m) + [-1.0], A_ub=upper if len(upper) else None, b_ub=np.zeros(len(upper)), A_eq=a_eq,
                    b_eq=b_eq, bounds=[(None, None)] * 3 + [(0, None)] * m + [(None, 1.0)])
    if found.status == 2 or (found.status == 0 and -found.fun < -1e-9):
        return -np.inf
    if found.status != 0:
        raise RuntimeError(found.message)
    return -found.fun
