"""The contacts of a part at rest, touching or about to touch: what contact modes and wrench cones are computed from."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dynamics.cones.cone import compute_rows
from geometry.errors import InputError


@dataclass(frozen=True, eq=False)
class ContactSet:
    """k contacts of a part at rest. Arrays are copied and read-only; ValueError names what does not fit.

    N, T (k, 3): rows of normal and tangent in (x, y, rho theta), as from `cone.compute_rows`; for a motion v
    (a velocity from rest, or an acceleration) N.v opens the gap and T.v slips along t = (n_y, -n_x).
    mu (k,): friction, finite. closed (k,): False for a place that the part does not touch yet, but may approach.
    rho: radius of gyration, by which the third component of a wrench (torque / rho) becomes a torque.
    points, normals (k, 2), optional: where the contacts are, relative to the centre of mass; for pictures only.
    """

    N: np.ndarray
    T: np.ndarray
    mu: np.ndarray
    closed: np.ndarray
    rho: float = 1.0
    points: np.ndarray | None = field(default=None, repr=False)
    normals: np.ndarray | None = field(default=None, repr=False)

    def __post_init__(self):
        k = len(np.atleast_1d(self.mu))
        shapes = {"N": (k, 3), "T": (k, 3), "mu": (k,), "points": (k, 2), "normals": (k, 2)}
        for name, shape in shapes.items():
            if getattr(self, name) is not None:
                self._set(name, _read_array(name, getattr(self, name), shape))
        closed = np.array(self.closed, dtype=bool)
        if closed.shape != (k,):
            raise InputError(f"closed has shape {closed.shape}: must be ({k},)")
        self._set("closed", closed)
        for i in range(k):
            if self.mu[i] < 0.0:
                raise InputError(f"mu[{i}] is {self.mu[i]}: friction cannot be negative")
            for name in ("N", "T"):
                if not getattr(self, name)[i].any():
                    raise InputError(f"{name}[{i}] is zero: must be a row of a contact")
        if not 0.0 < float(self.rho) < np.inf:
            raise InputError(f"rho is {self.rho}: a radius of gyration must be positive and finite")

    def _set(self, name: str, array: np.ndarray) -> None:
        array.setflags(write=False)
        object.__setattr__(self, name, array)

    def __len__(self) -> int:
        return len(self.mu)

    @property
    def unit_rows(self) -> tuple[np.ndarray, np.ndarray]:
        """N and T with rows of length one."""
        N, T = (rows / np.linalg.norm(rows, axis=1)[:, None] if len(rows) else rows for rows in (self.N, self.T))
        return N, T

    @property
    def edges(self) -> tuple[np.ndarray, np.ndarray]:
        """(k, 3) each: N - mu T and N + mu T, the forces on the part that slides with T.v > 0 (r) and < 0 (l)."""
        friction = self.mu[:, None] * self.T
        return self.N - friction, self.N + friction

    def take(self, indices: ArrayLike) -> ContactSet:
        """The contacts with these indices, in this order."""
        picked: dict[str, Any] = {name: None if getattr(self, name) is None else getattr(self, name)[indices]
                                  for name in ("N", "T", "mu", "closed", "points", "normals")}
        return replace(self, **picked)


def place_contacts(points: ArrayLike, normals: ArrayLike, mu: ArrayLike, centre: ArrayLike = (0.0, 0.0),
                   rho: float = 1.0, closed: ArrayLike = True) -> ContactSet:
    """Contacts from points (k, 2) and normals (k, 2) in one frame.

    A normal points from the obstacle to the part, any length but zero; mu and closed: one value, or one for each.
    centre (2,): the centre of mass in that frame; rho: radius of gyration.
    """
    at, outward = (np.array(a, dtype=np.float64).reshape(-1, 2) for a in (points, normals))
    if len(at) != len(outward):
        raise InputError(f"there are {len(at)} points and {len(outward)} normals: must be as many")
    sizes = np.linalg.norm(outward, axis=1)
    if not ((sizes > 0.0) & (sizes < np.inf)).all():
        raise InputError(f"normals[{int(np.argmin((sizes > 0.0) & (sizes < np.inf)))}] has no direction")
    outward = outward / sizes[:, None]
    arms = at - np.asarray(centre, dtype=np.float64)
    rows = [compute_rows(n, -arm, rho) for n, arm in zip(outward, arms, strict=True)]
    stack = np.array(rows).reshape(-1, 2, 3)
    k = len(at)
    return ContactSet(stack[:, 0], stack[:, 1], np.broadcast_to(np.asarray(mu, float), (k,)),
                      np.broadcast_to(np.asarray(closed, bool), (k,)), float(rho), arms, outward)


def read_problem(problem: Any, rho: float = 1.0) -> ContactSet:
    """The closed contacts of a `ContactProblem` of a part at rest; rho only scales torques that are printed.

    ValueError where wrench cones do not apply: the part moves (a slip, or a bias that is not zero), a convex corner
    rests on a convex corner (such a contact has no single normal), or friction is infinite.
    """
    moving = (problem.slip != 0) | (problem.b != 0.0) | (problem.d != 0.0)
    if moving.any():
        raise InputError(f"contact {int(np.argmax(moving))} slips, or its gap has a bias: wrench cones are those of a "
                         "part at rest; use dynamics.find_accelerations for one that moves")
    if (problem.corner >= 0).any():
        raise InputError(f"contact {int(np.argmax(problem.corner >= 0))} is a corner on a corner: it has no single "
                         "normal and no contact mode; move the part a little, or use dynamics.find_accelerations")
    return ContactSet(problem.N, problem.T, problem.mu, np.ones(len(problem.mu), bool), rho)


def _read_array(name: str, value, shape: tuple[int, ...]) -> np.ndarray:
    array = np.array(value, dtype=np.float64)
    if array.shape != shape:
        raise InputError(f"{name} has shape {array.shape}: must be {shape}")
    if not np.isfinite(array).all():
        raise InputError(f"{name} holds {array[~np.isfinite(array)][0]}: must be finite numbers")
    return array
