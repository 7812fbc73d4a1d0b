"""A contact problem as users state it, and the set of accelerations they get back."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from dynamics.certificate import Residuals

KINDS = ("none", "one", "several", "continuum")
LETTERS = "snrl"
SHAPES = ("point", "segment", "polygon")


class ContactProblem:
    """Which accelerations does rigid-body mechanics allow? The data of that question (DESIGN section 3).

        a = w + sum_i (fn_i N_i + ft_i T_i),  fn_i >= 0,  |ft_i| <= mu_i fn_i
        N_i.a + b_i >= 0, fn_i > 0 only where it is 0; friction opposes slip_i, or T_i.a + d_i where slip_i = 0

    w (3,): acceleration without reaction, in (x, y, rho theta). N, T (k, 3): rows of normal and tangent, as from
    `dynamics.cone.compute_rows`. b, d (k,): their biases. slip (k,): sign of the slip velocity, -1, 0 or 1.
    mu (k,): friction; infinity is the limit of ever larger friction. corner (k,), optional: -1, or for a convex corner
    on a convex corner the row that holds the other normal of the same contact.
    Any consistent units; arrays are copied. ValueError if data do not fit together or are not numbers.
    """

    __slots__ = ("N", "T", "b", "corner", "d", "mu", "slip", "w")

    def __init__(self, w, N, b, T, d, slip, mu, corner=None):
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
            raise ValueError(f"slip[{i}] is {self.slip[i]}: must be -1, 0 or 1, the sign of the slip velocity")
        if self.mu[i] < 0.0:
            raise ValueError(f"mu[{i}] is {self.mu[i]}: friction cannot be negative")
        if not self.N[i].any():
            raise ValueError(f"N[{i}] is zero: a contact needs a normal")
        if not self.T[i].any():
            raise ValueError(f"T[{i}] is zero: a contact needs a tangent")
        j = self.corner[i]
        if j != -1 and (not 0 <= j < k or j == i or self.corner[j] != i):
            raise ValueError(f"corner[{i}] is {j}: must be -1 or another row whose own corner is {i}")

    def __len__(self) -> int:
        return len(self.b)

    def __repr__(self) -> str:
        return f"ContactProblem({len(self)} contacts, w = {_show(self.w)})"


def _read(name: str, value, shape: tuple, infinite: bool = False) -> np.ndarray:
    try:
        array = np.array(value, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be an array of numbers: {error}") from None
    if array.size == 0:
        array = array.reshape([0 if n is None else n for n in shape] if 0 in shape or None in shape else array.shape)
    wanted = tuple("k" if n is None else n for n in shape)
    if array.ndim != len(shape) or any(n is not None and n != m for n, m in zip(shape, array.shape, strict=True)):
        raise ValueError(f"{name} has shape {array.shape}: must be {wanted}")
    bad = np.isnan(array) if infinite else ~np.isfinite(array)
    if bad.any():
        place = ", ".join(str(int(i)) for i in np.argwhere(bad)[0])
        raise ValueError(f"{name}[{place}] is {array[tuple(np.argwhere(bad)[0])]}: must be a finite number")
    return array


def _read_integers(name: str, value, k: int) -> np.ndarray:
    array = _read(name, value, (k,))
    for i, entry in enumerate(array):
        if entry != int(entry):
            raise ValueError(f"{name}[{i}] is {entry}: must be a whole number")
    return array.astype(np.int64)


def _show(vector) -> str:
    return "(" + ", ".join(f"{x:.6g}" for x in np.asarray(vector) + 0.0) + ")"


@dataclass(frozen=True)
class Piece:
    """One piece of an acceleration set: the convex hull of its vertices plus nonnegative multiples of its rays."""

    vertices: np.ndarray  # (nv, 3), at least one
    rays: np.ndarray  # (nr, 3), unit directions in which the piece has no end
    dimension: int  # 0 point, 1 segment, ray or line, 2 part of a plane
    mode: str  # one letter a contact (s, n, r, l) in the inside of the piece
    forces: np.ndarray  # (nv, k, 2): least-norm (fn, ft) per unit mass that realise each vertex
    forces_unique: bool  # do no other forces realise a vertex?
    residuals: tuple[Residuals, ...] = field(repr=False)  # certificate of each vertex
    certified: bool = True  # do all certificates hold, to the limit of `dynamics.doubts`?

    def __repr__(self) -> str:
        shape = SHAPES[self.dimension] if len(self.rays) == 0 else f"unbounded {SHAPES[self.dimension]}"
        text = f"{self.mode or 'free'}: {shape} " + " ".join(_show(v) for v in self.vertices)
        text += "" if self.certified else " (not certain)"
        return text + "".join(f" + t {_show(r)}" for r in self.rays)


@dataclass(frozen=True)
class AccelerationSet:
    """Every acceleration that Newton's and Coulomb's laws allow. `kind` counts accelerations, not modes.

    doubts: sentences on what double precision does not decide, where there is such a thing: contacts whose planes are
    neither one nor clearly two (1e-12 to 1e-7 rad), and members whose certificate does not hold. Without doubts the set
    is complete, and each certificate holds to 1e-8 of the accelerations plus 1e-14 of the forces.
    """

    problem: ContactProblem = field(repr=False)
    kind: str  # "none", "one", "several" or "continuum"
    pieces: tuple[Piece, ...]
    doubts: tuple[str, ...] = ()

    def __repr__(self) -> str:
        lines = [f"  {line}" for line in (*map(repr, self.pieces), *self.doubts)]
        return "\n".join([f"AccelerationSet, {self.kind}", *lines])

    def explain(self, names: list[str] | None = None, unit: str = "") -> str:
        """Lines of text on why the set is empty or has several members; see `dynamics.explanation.explain_set`."""
        from dynamics.explanation import explain_set

        return explain_set(self, names, unit)


def is_inside(piece_vertices, piece_rays, vertices, rays, near: float) -> bool:
    """Does the piece (hull of vertices plus rays, dimension 1 or 2) hold all given vertices and rays?

    Coordinates are of order one, so that `near` means the same for vertices and for rays.
    """
    base = piece_vertices[0]
    spread = np.vstack([piece_vertices - base, piece_rays])
    _, sizes, frame = np.linalg.svd(spread)
    rank = min(max(int((sizes > near).sum()), 1), 2)  # a segment shorter than `near` keeps its direction
    frame = frame[:rank]

    def flatten(points, weight):
        shifted = points - base if weight else points
        flat = shifted @ frame.T
        off = np.abs(shifted - flat @ frame).max(initial=0.0)
        return np.column_stack([flat, np.full(len(points), float(weight))]), off

    own = np.vstack([flatten(piece_vertices, 1)[0], flatten(piece_rays, 0)[0]])
    points, off = flatten(vertices, 1)
    directions, off_rays = flatten(rays, 0)
    if off > near or off_rays > near:
        return False
    tested = np.vstack([points, directions])
    for normal in _find_sides(own, rank):
        if (own @ normal >= -near).all() and (tested @ normal < -near).any():
            return False
    return True


def _find_sides(generators: np.ndarray, rank: int) -> list[np.ndarray]:
    """Candidate inequalities of the cone of homogeneous generators (n, rank + 1), both signs."""
    if rank == 1:
        sides = [np.array([-g[1], g[0]]) for g in generators]
    else:
        sides = [np.cross(generators[i], generators[j]) for i in range(len(generators)) for j in range(i)]
    sides = [s / np.linalg.norm(s) for s in sides if np.linalg.norm(s) > 0.0]
    return [*sides, *(-s for s in sides)]
