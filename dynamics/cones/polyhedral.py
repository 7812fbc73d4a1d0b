"""Polyhedral cones in R^3 in span form and face form, both minimal, with strict and weak boundaries.

A cone here is a set of wrenches (any vectors of R^3) closed under positive factors:

    span form   { L a + R z : a any, z >= 0 }                     (lines L, rays R)
    face form   { w : E w = 0,  F w <= 0,  S w < 0 }              (equations E, faces F, strict S)

The span form describes the closure. `strict` tells which parts of the boundary do not belong to the cone: a strict
inequality is either one of the faces, or a supporting plane that takes away one edge, or the apex, only.

Conversion between the forms goes through the polar cone (Goldman and Tucker 1956): the rays and lines of { F w <= 0 }
are the faces and equations of the cone that the rows of F span. So one routine, `find_faces`, serves both ways. All
special cases are cones like any other: {0} (three equations), rays, lines, planes, half-spaces, wedges, R^3 (three
lines). A set without any member is `empty`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from dynamics.tolerances import ANGLE, EPSILON, MEMBER, ROUNDING, widen
from geometry.errors import InputError, StictionError

NOTHING = np.zeros((0, 3))


class ConeError(StictionError, ValueError):
    """The data of a cone lie so close to several cones of different kinds that none of them is the answer."""


@dataclass(frozen=True, eq=False)
class Cone:
    """A convex polyhedral cone in R^3, made by `cone_from_span` or `cone_from_faces`. Arrays are read-only.

    lines (l, 3): orthonormal basis of the lineality space. rays (r, 3): unit extreme rays, orthogonal to the lines.
    equations (e, 3): orthonormal, E w = 0. faces (f, 3): unit outward normals, orthogonal to the equations, F w <= 0.
    strict (s, 3): unit, S w < 0. empty: no wrench at all belongs to it (then all arrays are empty).
    """

    lines: np.ndarray
    rays: np.ndarray
    equations: np.ndarray
    faces: np.ndarray
    strict: np.ndarray
    empty: bool = False

    def __post_init__(self):
        for array in (self.lines, self.rays, self.equations, self.faces, self.strict):
            array.setflags(write=False)

    @property
    def dimension(self) -> int:
        """Dimension of the linear hull, 0 to 3; -1 of the empty set."""
        return -1 if self.empty else 3 - len(self.equations)

    @property
    def is_whole_space(self) -> bool:
        """Is every vector a member?"""
        return len(self.lines) == 3

    @property
    def generators(self) -> np.ndarray:
        """(n, 3): rays, then each line in both directions."""
        return np.vstack([self.rays, self.lines, -self.lines])

    @property
    def face_is_strict(self) -> np.ndarray:
        """(f,) bool: is the face left out of the cone?"""
        near = np.abs(self.faces[:, None, :] - self.strict[None, :, :]).max(axis=2) <= ANGLE
        return near.any(axis=1)

    @property
    def closure(self) -> Cone:
        """The cone with all of its boundary."""
        return Cone(self.lines, self.rays, self.equations, self.faces, NOTHING, self.empty)

    @property
    def share(self) -> float:
        """The share of all directions that lie in the cone, 0 to 1: its solid angle over 4 pi.

        The angle of a spherical polygon with n corners is the sum of its inner angles less (n - 2) pi.
        """
        if self.empty or len(self.equations):
            return 0.0
        if len(self.lines) > 1:
            return 0.5 if len(self.lines) == 2 else 1.0
        if len(self.lines) == 1:
            return float(np.arccos(np.clip(self.rays[0] @ self.rays[1], -1.0, 1.0))) / (2.0 * np.pi)
        holds = np.abs(self.faces @ self.rays.T) <= ANGLE
        pairs = [self.faces[np.flatnonzero(tight)[[0, -1]]] for tight in holds.T]
        inner = sum(np.pi - np.arccos(np.clip(a @ b, -1.0, 1.0)) for a, b in pairs)
        return float(inner - (len(self.rays) - 2) * np.pi) / (4.0 * np.pi)

    def margin(self, wrench: ArrayLike) -> float:
        """How far inside the boundary a wrench is, in its own unit: negative outside, -inf for the empty set.

        The smallest slack of all faces and equations; inside, that is the distance to the boundary. A cone of lower
        dimension is all boundary: its margin is never positive. R^3 has no boundary: inf.
        """
        if self.empty:
            return -np.inf
        wrench = _read_wrench(wrench)
        slack = np.concatenate([-self.faces @ wrench, -np.abs(self.equations @ wrench)])
        return float(slack.min()) if len(slack) else np.inf

    def contains(self, wrench: ArrayLike, tolerance: float = MEMBER) -> bool:
        """Is the wrench a member? What lies within tolerance |wrench| of a boundary lies on it."""
        return bool(self.contains_all(_read_wrench(wrench)[None, :], tolerance)[0])

    def contains_all(self, wrenches: ArrayLike, tolerance: float = MEMBER) -> np.ndarray:
        """(n,) bool: as `contains`, for wrenches (n, 3)."""
        wrenches = _read_rows(wrenches, "wrenches").T
        room = tolerance * np.sqrt(np.einsum("ij,ij->j", wrenches, wrenches))
        inside = (self.faces @ wrenches <= room).all(axis=0) & (np.abs(self.equations @ wrenches) <= room).all(axis=0)
        return inside & (self.strict @ wrenches < -room).all(axis=0) & (not self.empty)

    def find_nearest(self, wrench: ArrayLike) -> np.ndarray:
        """The member of the closure nearest to a wrench: its orthogonal projection (3,).

        In coordinates (Fx, Fy, torque / rho) that is nearest in the kinetic metric.
        """
        if self.empty:
            raise InputError("the cone is empty: it has no nearest member")
        wrench = _read_wrench(wrench)
        best, near = np.zeros(3), np.inf
        for basis in self._find_face_bases():
            point = basis.T @ (basis @ wrench)
            far = float(np.linalg.norm(wrench - point))
            if far < near and self.margin(point) >= -MEMBER * float(np.linalg.norm(wrench)):
                best, near = point, far
        return best

    def distance(self, wrench: ArrayLike) -> float:
        """Distance to the boundary, in the unit of the wrench: positive inside, negative outside, 0 on it.

        Outside, minus the distance to the nearest member. inf for R^3, -inf for the empty set.
        """
        if self.empty or self.is_whole_space:
            return self.margin(wrench)
        inside = self.margin(wrench)
        return inside if inside > 0.0 else -float(np.linalg.norm(_read_wrench(wrench) - self.find_nearest(wrench)))

    def _find_face_bases(self):
        """Orthonormal bases of the linear hulls of all faces of the closure, the cone itself included."""
        yield _complete(self.equations)
        for face in self.faces:
            yield _complete(np.vstack([self.equations, face]))
        for ray in self.rays:
            yield np.vstack([self.lines, ray])
        yield self.lines

    def __repr__(self) -> str:
        if self.empty:
            return "Cone, empty"
        parts = [f"line {_show(v)}" for v in self.lines] + [f"ray {_show(v)}" for v in self.rays]
        return f"Cone of dimension {self.dimension}: " + ", ".join(parts or ["only 0"])


def cone_from_span(generators: ArrayLike) -> Cone:
    """The closed cone of all nonnegative combinations of generators (n, 3), any n, any length; zeros are left out."""
    faces, equations = find_faces(_normalise(generators, "generators"))
    rays, lines = find_faces(np.vstack([faces, equations, -equations]))
    lines, rays, equations, faces = _settle(lines, rays, equations, faces)
    return Cone(lines, rays, equations, faces, NOTHING)


def cone_from_faces(faces: ArrayLike = NOTHING, equations: ArrayLike = NOTHING, strict: ArrayLike = NOTHING) -> Cone:
    """The cone { w : equations w = 0, faces w <= 0, strict w < 0 }; rows of any length, any number.

    Zero rows of faces and equations say nothing; a zero strict row (0 < 0) leaves nothing.
    """
    faces, equations = _normalise(faces, "faces"), _normalise(equations, "equations")
    given = _read_rows(strict, "strict")
    strict = _normalise(given, "strict")
    rays, lines = find_faces(np.vstack([faces, strict, equations, -equations]))
    generators = np.vstack([rays, lines, -lines])
    # the mean of the generators is inside all strict inequalities, if any point is
    reached = (generators @ strict.T < -ANGLE).any(axis=0) if len(generators) else np.zeros(len(strict), bool)
    if len(strict) < len(given) or not reached.all():
        return EMPTY
    faces, equations = find_faces(generators)
    lines, rays, equations, faces = _settle(lines, rays, equations, faces)
    return Cone(lines, rays, equations, faces, find_strict(rays, faces, np.abs(strict @ rays.T) <= ANGLE))


def _settle(lines, rays, equations, faces) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Both forms with as many rays as faces, as every cone in R^3 has modulo its lines.

    Where directions differ by about ANGLE, one form may hold a ray or a face that the other takes for part of a
    neighbour. Then each is found from the other once more, which moves nothing by more than that.
    ConeError if that does not settle it.
    """
    for _ in range(4):
        proper = 3 - len(equations) - len(lines)  # dimension of the cone modulo its lines
        if len(rays) == len(faces) and (len(rays) >= 3 if proper == 3 else len(rays) == proper):
            return lines, rays, equations, faces
        faces, equations = find_faces(np.vstack([rays, lines, -lines]))
        rays, lines = find_faces(np.vstack([faces, equations, -equations]))
    raise ConeError("directions of this cone nearly coincide, nearly oppose each other or nearly lie in a plane, "
                    f"all within about {ANGLE:g}: which it is cannot be decided")


def find_strict(rays: np.ndarray, faces: np.ndarray, tight: Sequence[np.ndarray] | np.ndarray) -> np.ndarray:
    """The strict inequalities (s, 3) of a cone that lacks the faces given by `tight` (n, r).

    tight[i] marks the rays that span face i of the closure (no ray: the lineality space). A face within another one
    that is lacking too says nothing new. The inequality of a face is the sum of the facet normals that hold it.
    """
    holds = np.abs(faces @ rays.T) <= ANGLE  # (f, r)
    found: list[np.ndarray] = []
    rows: list[np.ndarray] = []
    for mark in sorted(tight, key=lambda m: -int(m.sum())):
        if any((mark <= larger).all() for larger in found):
            continue
        found.append(mark)
        normal = faces[(holds >= mark).all(axis=1)].sum(axis=0)
        rows.append(normal / np.linalg.norm(normal))
    return np.array(rows).reshape(-1, 3)


def intersect(*cones: Cone) -> Cone:
    """The wrenches that belong to every one of the cones; R^3 without any."""
    if any(cone.empty for cone in cones):
        return EMPTY
    if len(cones) == 1:
        return cones[0]
    names = ("faces", "equations", "strict")
    return cone_from_faces(*(np.vstack([NOTHING, *(getattr(cone, name) for cone in cones)]) for name in names))


def add(first: Cone, second: Cone) -> Cone:
    """Closure of the Minkowski sum of two cones; empty if one of them is."""
    if first.empty or second.empty:
        return EMPTY
    return cone_from_span(np.vstack([first.generators, second.generators]))


def subtract(first: Cone, second: Cone) -> list[Cone]:
    """The members of the first cone that are not in the second: disjoint convex cones, none of them empty.

    Not E w = 0 is E w < 0 or E w > 0; not F w <= 0 is F w > 0; not S w < 0 is S w >= 0. One piece for each inequality,
    within all inequalities before it.
    """
    if second.empty or first.empty:
        return [] if first.empty else [first]
    pieces = []
    rest = first
    for row in second.equations:
        pieces += [_cut(rest, strict=row), _cut(rest, strict=-row)]
        rest = _cut(rest, equation=row)
    for row, strict in zip(second.faces, second.face_is_strict, strict=True):
        pieces.append(_cut(rest, face=-row) if strict else _cut(rest, strict=-row))
        rest = _cut(rest, strict=row) if strict else _cut(rest, face=row)
    for row in second.strict:  # those that take away an edge or the apex
        pieces.append(_cut(rest, face=-row))
        rest = _cut(rest, strict=row)
    return [piece for piece in pieces if not piece.empty]


def is_subset(first: Cone, second: Cone) -> bool:
    """Is every member of the first cone one of the second?"""
    return not subtract(first, second)


def _cut(cone: Cone, face=None, equation=None, strict=None) -> Cone:
    if cone.empty:
        return cone
    return cone_from_faces(
        cone.faces if face is None else np.vstack([cone.faces, face]),
        cone.equations if equation is None else np.vstack([cone.equations, equation]),
        cone.strict if strict is None else np.vstack([cone.strict, strict]),
    )


# ---- span form to face form ------------------------------------------------------------------------------------------


def find_faces(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Faces (f, 3) and equations (e, 3) of the cone that unit rows (n, 3) span; see `Cone`.

    A facet of a cone of full dimension goes through two of its generators, and has all others on one side.
    """
    rows = _drop_equal(rows)
    rank, basis = _find_basis(rows)
    equations = basis[rank:]
    if rank == 0:
        return NOTHING, equations
    if rank == 1:
        along = rows @ basis[0]
        ends = [sign for sign in (1.0, -1.0) if (sign * along > 0.0).all()]
        return np.array([-sign * basis[0] for sign in ends]).reshape(-1, 3), equations
    if rank == 2:
        flat = rows @ basis[:2].T
        normals = np.column_stack([-flat[:, 1], flat[:, 0]]) @ basis[:2]
        return _keep_supporting(rows, normals, np.ones(len(rows)), np.full((len(rows), len(rows)), ANGLE)), equations
    first, second = _list_pairs(len(rows))
    normals = cross_units(rows[first], rows[second])
    sines = np.zeros((len(rows), len(rows)))
    sines[first, second] = sines[second, first] = np.linalg.norm(normals, axis=1)
    keep = sines[first, second] > ANGLE
    first, second = first[keep], second[keep]
    own = sines[first, second]
    # a plane through two near directions may be tilted by EPSILON / sine, which moves it most where it is far from both
    room = ANGLE + ROUNDING * EPSILON * np.minimum(sines[first], sines[second]) / own[:, None]
    return _keep_supporting(rows, normals[keep] / own[:, None], own, room), equations


def cross_units(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Cross products (..., 3) of unit rows, with a relative error of rounding however small they are.

    a x b = a x (b - a) = a x (b + a): of nearly parallel or opposed rows the difference or the sum is exact.
    """
    near = np.where((first * second).sum(axis=-1) > 0.0, -1.0, 1.0)
    other = second + near[..., None] * first
    ax, ay, az = first[..., 0], first[..., 1], first[..., 2]
    bx, by, bz = other[..., 0], other[..., 1], other[..., 2]
    return np.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], axis=-1)


@lru_cache(maxsize=64)
def _list_pairs(n: int) -> tuple[np.ndarray, np.ndarray]:
    return np.triu_indices(n, 1)


def _keep_supporting(rows, normals, sines, room) -> np.ndarray:
    """Of normals (m, 3) and their negatives, those with all rows (n, 3) on the negative side, but for `room` (m, n).

    One for each plane: the one from the two directions that are farthest apart.
    """
    side = normals @ rows.T
    both = np.vstack([(side <= room).all(axis=1), (-side <= room).all(axis=1)])
    found = np.vstack([normals[both[0]], -normals[both[1]]])
    known = widen(np.concatenate([sines[both[0]], sines[both[1]]]))
    kept: list[int] = []
    for i in np.argsort(known, kind="stable"):
        if (np.abs(found[kept] - found[i]).max(axis=1, initial=0.0) > known[kept] + known[i]).all():
            kept.append(int(i))
    return found[sorted(kept)]


def _drop_equal(rows: np.ndarray) -> np.ndarray:
    """Rows without those that equal an earlier one."""
    if len(rows) < 2:
        return rows
    equal = np.abs(rows[:, None, :] - rows[None, :, :]).max(axis=2) <= ANGLE
    return rows[~np.tril(equal, -1).any(axis=1)]


def _find_basis(rows: np.ndarray) -> tuple[int, np.ndarray]:
    """Rank, and an orthonormal basis (3, 3) of R^3 of which the first `rank` rows span the rows."""
    if len(rows) == 0:
        return 0, np.eye(3)
    _, sizes, basis = np.linalg.svd(rows)
    return int((sizes > ANGLE * np.sqrt(len(rows))).sum()), basis


def _complete(rows: np.ndarray) -> np.ndarray:
    """Orthonormal basis of the space orthogonal to the rows."""
    rank, basis = _find_basis(rows)
    return basis[rank:]


def _normalise(rows, name: str) -> np.ndarray:
    rows = _read_rows(rows, name)
    sizes = np.linalg.norm(rows, axis=1)
    return rows[sizes > 0.0] / sizes[sizes > 0.0, None]


def _read_rows(rows, name: str) -> np.ndarray:
    array = np.array(rows, dtype=np.float64)
    array = array.reshape(-1, 3) if array.size == 0 else np.atleast_2d(array)
    if array.ndim != 2 or array.shape[1] != 3:
        raise InputError(f"{name} has shape {np.shape(rows)}: must be (n, 3)")
    if not np.isfinite(array).all():
        raise InputError(f"{name} holds {array[~np.isfinite(array)][0]}: must be finite numbers")
    return array


def _read_wrench(wrench) -> np.ndarray:
    array = np.asarray(wrench, dtype=np.float64)
    if array.shape != (3,) or not np.isfinite(array).all():
        raise InputError(f"wrench is {wrench!r}: must be three finite numbers (Fx, Fy, torque / rho)")
    return array


def _show(vector) -> str:
    return "(" + ", ".join(f"{x:.6g}" for x in np.where(np.abs(vector) < ROUNDING * EPSILON, 0.0, vector)) + ")"


EMPTY = Cone(NOTHING.copy(), NOTHING.copy(), NOTHING.copy(), NOTHING.copy(), NOTHING.copy(), True)
WHOLE_SPACE = cone_from_faces()
