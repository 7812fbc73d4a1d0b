"""The pieces of an acceleration set: found by the compiled search, with forces and a certificate for every vertex."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from dynamics.codes import CONTACT_LETTERS, SET_KINDS
from dynamics.search.members import allocate_set_buffer, find_members, find_members_of_crowd
from dynamics.search.problem import (
    CROWD,
    MAX_CORNERS,
    NOT_FINITE,
    OK,
    STATUS,
    TOO_MANY_CORNERS,
    VERTICES,
    Problem,
)
from dynamics.search.reactions import compute_letters, solve_forces
from dynamics.sets.certificate import Residuals, compute_residuals
from dynamics.sets.contact_problem import ContactProblem, show_vector
from dynamics.sets.doubts import is_certified, measure_unit
from dynamics.tolerances import DEFAULT_TOLERANCES, Tolerances
from geometry.errors import InputError

SHAPES = ("point", "segment", "polygon")


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
    certified: bool = True  # do all certificates hold, to the limit of `dynamics.sets.doubts`?

    def __repr__(self) -> str:
        shape = SHAPES[self.dimension] if len(self.rays) == 0 else f"unbounded {SHAPES[self.dimension]}"
        text = f"{self.mode or 'free'}: {shape} " + " ".join(show_vector(v) for v in self.vertices)
        text += "" if self.certified else " (not certain)"
        return text + "".join(f" + t {show_vector(r)}" for r in self.rays)


def find_pieces(problem: ContactProblem, tolerances: Tolerances = DEFAULT_TOLERANCES) -> tuple[str, tuple[Piece, ...]]:
    """The kind of the set, one of SET_KINDS, and its pieces; see `find_accelerations`. Raises InputError."""
    arrays = Problem(*(getattr(problem, name) for name in Problem._fields))
    room = 64
    while True:
        buffer = allocate_set_buffer(len(problem), room)
        search = find_members_of_crowd if len(problem) > CROWD else find_members
        kind = search(arrays, tolerances, buffer)
        status = buffer.found.counts[STATUS]
        if status == TOO_MANY_CORNERS:
            raise InputError(f"corner: at most {MAX_CORNERS} corner-on-corner contacts at once")
        if status == NOT_FINITE:
            raise InputError("the problem holds numbers too large to square")
        if status == OK or room > 1 << 16:
            break
        room *= 8
    if status != OK:
        raise InputError("the set has more pieces than fit in memory")
    for v in range(buffer.found.counts[VERTICES]):
        solved, unique = solve_forces(arrays, buffer.found.vertices[v], tolerances, buffer.fn[v], buffer.ft[v])
        buffer.unique[v] = unique if solved == OK else -1
    return SET_KINDS[kind], _collect_pieces(problem, arrays, buffer, tolerances)


def _collect_pieces(problem, arrays, buffer, tolerances) -> tuple[Piece, ...]:
    """Pieces of a filled buffer, largest dimension first, without those that lie in another."""
    found = buffer.found
    pieces, vertices, rays = (int(n) for n in found.counts[:3])
    shapes: list[tuple] = []
    scale = max(np.abs(problem.w).max(), np.abs(found.vertices[:vertices]).max(initial=0.0)) or 1.0
    for piece in sorted(range(pieces), key=lambda i: -found.labels[i, 2]):
        index = np.flatnonzero(found.labels[:vertices, 0] == piece)
        v, r = found.vertices[index], found.rays[:rays][found.labels[:rays, 1] == piece]
        near = 10.0 * tolerances.merge
        if any(d > 0 and is_inside(sv / scale, sr, v / scale, r, near) for _, sv, sr, d in shapes):
            continue
        shapes.append((index, v, r, int(found.labels[piece, 2])))
    unit = measure_unit(problem)
    return tuple(_make_piece(problem, arrays, buffer, tolerances, unit, *shape) for shape in shapes)


def _make_piece(problem, arrays, buffer, tolerances, unit, index, vertices, rays, dimension) -> Piece:
    letters = np.zeros(len(problem), np.int64)
    stride = max(np.abs(vertices).max(), np.abs(problem.w).max()) or 1.0
    inside = vertices.mean(axis=0) + rays.sum(axis=0) * stride
    compute_letters(arrays, inside, tolerances, letters)
    forces = np.stack([buffer.fn[index], buffer.ft[index]], axis=2)[:, : len(problem)] + 0.0
    residuals = tuple(compute_residuals(problem, a, f[:, 0], f[:, 1]) for a, f in zip(vertices, forces, strict=True))
    unique = bool((buffer.unique[index] == 1).all())
    mode, certified = "".join(CONTACT_LETTERS[i] for i in letters), is_certified(unit, vertices, forces, residuals)
    return Piece(vertices, rays, dimension, mode, forces, unique, residuals, certified)


def is_inside(piece_vertices: np.ndarray, piece_rays: np.ndarray, vertices: np.ndarray, rays: np.ndarray,
              near: float) -> bool:
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
