"""A contact problem as users state it: numbers of any array type, checked and copied."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from geometry.errors import InputError


class ContactProblem:
    """Which accelerations does rigid-body mechanics allow? The data of that question (see `dynamics/README.md`).

        a = w + sum_i (fn_i N_i + ft_i T_i),  fn_i >= 0,  |ft_i| <= mu_i fn_i
        N_i.a + b_i >= 0, fn_i > 0 only where it is 0; friction opposes slip_i, or T_i.a + d_i where slip_i = 0

    w (3,): acceleration without reaction, in (x, y, rho theta). N, T (k, 3): rows of normal and tangent, as from
    `dynamics.cones.cone.compute_rows`. b, d (k,): their biases. slip (k,): sign of the slip velocity, -1, 0 or 1.
    mu (k,): friction; infinity is the limit of ever larger friction. corner (k,), optional: -1, or for a convex corner
    on a convex corner the row that holds the other normal of the same contact.
    Any consistent units; arrays are copied. ValueError if data do not fit together or are not numbers.
    """

    __slots__ = ("N", "T", "b", "corner", "d", "mu", "slip", "w")

    def __init__(self, w: ArrayLike, N: ArrayLike, b: ArrayLike, T: ArrayLike, d: ArrayLike, slip: ArrayLike,
                 mu: ArrayLike, corner: ArrayLike | None = None):
        self.w = _read("w", w, (3,))
        self.b = _read("b", b, (None,))
        k = len(self.b)
        self.N = _read("N", N, (k, 3))
        self.d = _read("d", d, (k,))
        self.T = _read("T", T, (k, 3))
        self.mu = _read("mu", mu, (k,), infinite=True)
        self.slip = _read_integers("slip", slip, k)
        self.corner = _read_integers("corner", np.full(k, -1) if corner is None else corner, k)
        for i in range(k):
            self._check_row(i)

    def _check_row(self, i: int) -> None:
        k = len(self.b)
        if self.slip[i] not in (-1, 0, 1):
            raise InputError(f"slip[{i}] is {self.slip[i]}: must be -1, 0 or 1, the sign of the slip velocity")
        if self.mu[i] < 0.0:
            raise InputError(f"mu[{i}] is {self.mu[i]}: friction cannot be negative")
        if not self.N[i].any():
            raise InputError(f"N[{i}] is zero: a contact needs a normal")
        if not self.T[i].any():
            raise InputError(f"T[{i}] is zero: a contact needs a tangent")
        j = self.corner[i]
        if j != -1 and (not 0 <= j < k or j == i or self.corner[j] != i):
            raise InputError(f"corner[{i}] is {j}: must be -1 or another row whose own corner is {i}")

    def __len__(self) -> int:
        return len(self.b)

    def __repr__(self) -> str:
        return f"ContactProblem({len(self)} contacts, w = {show_vector(self.w)})"


def _read(name: str, value, shape: tuple, infinite: bool = False) -> np.ndarray:
    try:
        array = np.array(value, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must be an array of numbers: {error}") from None
    if array.size == 0:
        array = array.reshape([0 if n is None else n for n in shape] if 0 in shape or None in shape else array.shape)
    wanted = tuple("k" if n is None else n for n in shape)
    if array.ndim != len(shape) or any(n is not None and n != m for n, m in zip(shape, array.shape, strict=True)):
        raise InputError(f"{name} has shape {array.shape}: must be {wanted}")
    bad = np.isnan(array) if infinite else ~np.isfinite(array)
    if bad.any():
        place = ", ".join(str(int(i)) for i in np.argwhere(bad)[0])
        raise InputError(f"{name}[{place}] is {array[tuple(np.argwhere(bad)[0])]}: must be a finite number")
    return array


def _read_integers(name: str, value, k: int) -> np.ndarray:
    array = _read(name, value, (k,))
    for i, entry in enumerate(array):
        if entry != int(entry):
            raise InputError(f"{name}[{i}] is {entry}: must be a whole number")
    return array.astype(np.int64)


def show_vector(vector: np.ndarray) -> str:
    return "(" + ", ".join(f"{x:.6g}" for x in np.asarray(vector) + 0.0) + ")"
