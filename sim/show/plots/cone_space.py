"""What is drawn of a contact problem in configuration space: cones, their sum, -F_A, the line, the answers.

Everything is a generalized force (Fx, Fy, torque / rho) in newtons, as in Erdmann, "Multiple-point contact with
friction" (1993): a reaction F_R balances the load where F_R = -F_A, and F_A + F_R = m a. An acceleration a of the set
stands at F_R = m (a - w).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement

import numpy as np

from dynamics.cones.cone import find_intervals
from dynamics.sets.acceleration_set import AccelerationSet
from dynamics.sets.contact_problem import ContactProblem
from sim.tolerances import DRAWN_CLOSED, DRAWN_FLAT, DRAWN_MET, DRAWN_PARALLEL, DRAWN_RANK

ROOM = 1.25  # cones are drawn this much larger than the points they are compared with
MOST_STRETCH = 5.0  # cones are cut at one normal force unless their edges differ in length by more than this


@dataclass(frozen=True)
class Answer:
    """One piece of the acceleration set, as reactions."""

    number: int  # 1, 2, ... in the order of the set
    mode: str
    vertices: np.ndarray  # (nv, 3) F_R of each vertex, N
    rays: np.ndarray  # (nr, 3) unit directions without end
    dimension: int


@dataclass(frozen=True)
class Line:
    """F_R(c) = point + c t_c: the reactions that keep all contacts of a two-dimensional normal space closed."""

    point: np.ndarray  # (3,) -F_A - m h', N; h' of least norm with N h' = b (B, Eqs 6 and 7, sign of 5.5.3 corrected)
    direction: np.ndarray  # (3,) unit t_c
    intervals: tuple  # per contact (I+, I-), closed intervals of c in N or None (B, Table 1)
    legal: tuple[tuple[float, float], ...]  # intervals of c that are answers, N
    is_met: bool  # has the line a point that is a sum of edges that can act, whether they may at its c or not?


@dataclass(frozen=True)
class ConeSpace:
    """The picture of one contact problem, N."""

    edges: np.ndarray  # (k, 2, 3) N + mu T and N - mu T: force per newton of normal force
    acts: np.ndarray  # (k, 2) can this edge act? At a contact that slips only the one against the slip can
    tips: np.ndarray  # (k, 2, 3) where the edges are cut
    facets: np.ndarray  # (f, 2, 3) pairs of tips that span the faces of the sum of all edges that can act
    fills_space: bool  # is that sum all of space?
    minus_load: np.ndarray  # (3,) -F_A
    answers: tuple[Answer, ...]
    line: Line | None  # None if the normals do not span two dimensions, or no h' exists
    size: float  # half width of the picture


def build_cone_space(problem: ContactProblem, found: AccelerationSet, mass: float) -> ConeSpace:
    """Collect what is drawn of a problem and its answer; mass in kg."""
    mu = np.where(np.isfinite(problem.mu), problem.mu, 0.0)
    base = np.where(np.isfinite(problem.mu)[:, None], problem.N, 0.0)  # without a limit the edges are +-T
    side = np.where(np.isfinite(problem.mu), mu, 1.0)[:, None] * problem.T
    edges = np.stack([base + side, base - side], axis=1)
    acts = np.stack([problem.slip <= 0, problem.slip >= 0], axis=1)
    minus_load = -mass * problem.w
    answers = tuple(
        Answer(i, piece.mode, mass * (piece.vertices - problem.w), piece.rays, piece.dimension)
        for i, piece in enumerate(found.pieces, start=1)
    )
    points = np.vstack([minus_load, *(answer.vertices for answer in answers)])
    reach = float(np.linalg.norm(points, axis=1).max()) or mass
    tips = cut_edges(edges, ROOM * reach)
    size = max(float(np.abs(np.vstack([points, tips.reshape(-1, 3)])).max()), reach)
    line = find_line(problem, found, mass, edges[acts])
    return ConeSpace(edges, acts, tips, *find_facets(tips[acts]), minus_load, answers, line, size)


def cut_edges(edges: np.ndarray, reach: float) -> np.ndarray:
    """(k, 2, 3): edges scaled so that the longest is `reach`: all by one factor, or where that leaves some too short to
    see, each cone by its own."""
    if len(edges) == 0:
        return np.zeros((0, 2, 3))
    lengths = np.linalg.norm(edges, axis=2).max(axis=1)
    if lengths.max() <= MOST_STRETCH * lengths.min():
        lengths = np.full(len(edges), lengths.max())
    return edges * (reach / lengths)[:, None, None]


def find_facets(tips: np.ndarray) -> tuple[np.ndarray, bool]:
    """The faces of the sum of rays given by their tips (..., 3), and whether the sum is all of space.

    The faces are (f, 2, 3): pairs of neighbouring tips on each plane that has all rays on one side. A sum without
    thickness, as that of one cone, has no faces.
    """
    rays = tips.reshape(-1, 3)
    rays = rays[np.linalg.norm(rays, axis=1) > 0.0]
    units = rays / np.linalg.norm(rays, axis=1)[:, None]
    rays = rays[[i for i in range(len(units)) if not (units[:i] @ units[i] > 1.0 - DRAWN_PARALLEL).any()]]
    units = rays / np.linalg.norm(rays, axis=1)[:, None]
    if len(units) == 0 or np.linalg.matrix_rank(units, tol=DRAWN_FLAT) < 3:
        return np.zeros((0, 2, 3)), False
    normals: list[np.ndarray] = []
    pairs = []
    for i, j in combinations(range(len(units)), 2):
        normal = np.cross(units[i], units[j])
        if np.linalg.norm(normal) <= DRAWN_PARALLEL:
            continue
        normal = normal / np.linalg.norm(normal)
        height = units @ normal
        if height.max() > DRAWN_PARALLEL and height.min() < -DRAWN_PARALLEL:
            continue
        if any(abs(normal @ other) > 1.0 - DRAWN_PARALLEL for other in normals):
            continue
        normals.append(normal)
        pairs += _pair_neighbours(rays[np.abs(height) <= DRAWN_PARALLEL], normal)
    return np.array(pairs).reshape(-1, 2, 3), not normals


def _pair_neighbours(rays: np.ndarray, normal: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Pairs of neighbouring rays of a plane cone, in order of their angle; not over the gap outside the cone."""
    along = rays[0] / np.linalg.norm(rays[0])
    across = np.cross(normal, along)
    angles = np.arctan2(rays @ across, rays @ along)
    order = np.argsort(angles)
    gaps = np.diff(angles[order], append=angles[order[0]] + 2.0 * np.pi)
    following = np.roll(order, -1)
    return [(rays[order[i]], rays[following[i]]) for i in np.flatnonzero(gaps < np.pi - DRAWN_PARALLEL)]


def find_line(problem: ContactProblem, found: AccelerationSet, mass: float, acting: np.ndarray) -> Line | None:
    """The line F_R(c) of all contacts, if their normals span exactly two dimensions and N h' = b can be met; acting
    (n, 3): the edges that can act."""
    if len(problem) < 2 or np.linalg.matrix_rank(problem.N, tol=DRAWN_RANK) != 2:
        return None
    h, *_ = np.linalg.lstsq(problem.N, problem.b, rcond=None)
    scale = np.abs(problem.b).max(initial=0.0) + np.abs(problem.w).max(initial=0.0)
    if np.abs(problem.N @ h - problem.b).max() > DRAWN_MET * scale:
        return None
    direction = np.linalg.svd(problem.N)[2][2]
    direction = direction * (1.0 if direction[np.abs(direction).argmax()] > 0.0 else -1.0)
    intervals = tuple(
        tuple(None if interval is None else (mass * interval[0], mass * interval[1]) for interval in pair)
        for pair in find_intervals(problem, -h, direction)
    )
    point = -mass * (problem.w + h)
    return Line(point, direction, intervals, _find_legal(problem, found, mass, point, direction, scale),
                _is_sum(acting - np.outer(acting @ direction, direction), point - (point @ direction) * direction))


def _is_sum(rays: np.ndarray, point: np.ndarray) -> bool:
    """Is a point of a plane in the cone of rays (n, 3) of that plane? Of a cone in a plane two rays give each point."""
    size = float(np.linalg.norm(point))
    lengths = np.linalg.norm(rays, axis=1)
    units = rays[lengths > 0.0] / lengths[lengths > 0.0, None]
    if size == 0.0:
        return True
    for one, other in combinations_with_replacement(units, 2):
        pair = np.stack([one, other], axis=1)
        shares = np.linalg.lstsq(pair, point / size)[0]
        if (shares >= -DRAWN_MET).all() and np.abs(pair @ shares - point / size).max() <= DRAWN_MET:
            return True
    return False


def _find_legal(problem, found, mass, point, direction, scale) -> tuple[tuple[float, float], ...]:
    """The c-intervals of the answers that keep every gap closed."""
    legal = []
    for piece in found.pieces:
        gaps = np.abs(piece.vertices @ problem.N.T + problem.b).max()
        opening = np.abs(piece.rays @ problem.N.T).max(initial=0.0)
        if gaps > DRAWN_CLOSED * max(scale, np.abs(piece.vertices).max()) or opening > DRAWN_CLOSED:
            continue
        c = (mass * (piece.vertices - problem.w) - point) @ direction
        ends = [-np.inf if ray < 0.0 else np.inf for ray in piece.rays @ direction]
        legal.append((float(min([*c, *ends])), float(max([*c, *ends]))))
    return tuple(sorted(legal))
