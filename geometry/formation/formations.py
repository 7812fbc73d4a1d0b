"""Contact formations: three contact constraints that fix the pose of the part, and all poses that satisfy them.

    solve_formation(edge_on_vertex(...), edge_on_vertex(...), vertex_on_edge(...))           # a 2AB

Farahat, Stiller and Trinkle, on contact formation cells: with the manipulators held, a formation of type 3A, 3B, ARA,
ARB, BRA or BRB has at most two poses, one of type 2AB or 2BA at most four. They come in closed form
(`geometry/formation/kernels.py`). The paper works out type 3A; the derivation for the other seven types is ours.

Contacts are on the lines that support the edges, as in the paper; whether a pose is *realised* (contact within the
edges, no overlap) is the subject of `geometry/formation/realised.py`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from geometry.errors import StictionError
from geometry.formation.formation_types import TYPES
from geometry.shapes.polygon import Polygon
from geometry.shapes.pose import Pose
from geometry.tolerances import UNIT_LENGTH

_LAYOUT = {"3A": (0, "AAA"), "3B": (1, "BBB"), "2AB": (2, "AAB"), "2BA": (3, "BBA"), "ARA": (4, "A"), "ARB": (5, "B"),
           "BRA": (4, "A"), "BRB": (5, "B")}
WORLD = -1  # as `manipulator`: the features of the manipulator are given in the world frame

_EXCEPTIONS = {  # codes of formation_kernels.solve
    -1: ("infinite", "every theta has a pose (G = H = I = 0): the part turns freely, one contact is redundant"),
    -2: ("none", "no theta has a pose (G = H = 0, but not I)"),
    -3: ("infinite", "the lines of contact are parallel: the part can be translated along them"),
    -4: ("none", "the lines of contact are parallel, and no theta suits all of them"),
    -5: ("infinite", "two contacts are one and the same constraint: two constraints do not fix three coordinates"),
}


class FormationError(StictionError, ValueError):
    """The contacts are not a contact formation; the message says what is wrong and what is valid."""


@dataclass(frozen=True)
class FormationContact:
    """One contact of a formation, on the line that supports the edge.

    Part features are in the frame of the part, manipulator features in the frame of `manipulator` (an index into the
    poses given to `placed`) or in the world frame (WORLD). Lengths in m.
    """

    kind: str  # "A": edge of the part on a vertex of the manipulator; "B": vertex of the part on an edge of it
    part_point: tuple[float, float]  # A: a point of the edge; B: the vertex; rolling: the point that is held
    manipulator_point: tuple[float, float]  # A: the vertex; B: a point of the edge; rolling: the point it is held at
    normal: tuple[float, float]  # outward unit normal of the edge: A of the part (its frame), B of the manipulator
    rolling: bool = False  # does not slide: the two points stay together
    manipulator: int = WORLD
    part_feature: int | None = None  # index of the edge (A) or vertex (B) of the part, if it comes from a polygon
    manipulator_feature: int | None = None  # index of the vertex (A) or edge (B)

    def __post_init__(self):
        if self.kind not in ("A", "B"):
            raise FormationError(f"kind = {self.kind!r}: valid: 'A' (edge of the part on a vertex), "
                                 "'B' (vertex of the part on an edge)")
        for name in ("part_point", "manipulator_point", "normal"):
            pair = np.asarray(getattr(self, name), dtype=np.float64)
            if pair.shape != (2,) or not np.isfinite(pair).all():
                raise FormationError(f"{name} = {getattr(self, name)!r}: must be two finite numbers")
            object.__setattr__(self, name, (float(pair[0]), float(pair[1])))
        if abs(math.hypot(*self.normal) - 1.0) > UNIT_LENGTH:
            raise FormationError(f"normal = {self.normal}: must have length 1, not {math.hypot(*self.normal)!r}")

    def placed(self, poses: Sequence[Any] | np.ndarray) -> FormationContact:
        """The contact with manipulator features in the world: poses (m, 3), x, y, theta of the manipulators."""
        if self.manipulator == WORLD:
            return self
        if not 0 <= self.manipulator < len(poses):
            raise FormationError(f"manipulator = {self.manipulator}: there are poses of {len(poses)} manipulators")
        pose = Pose(*poses[self.manipulator])
        normal = tuple(pose.rotate(self.normal)) if self.kind == "B" else self.normal
        return replace(self, manipulator_point=tuple(pose.transform(self.manipulator_point)), normal=normal,
                       manipulator=WORLD)

    @property
    def letters(self) -> str:
        return self.kind + ("R" if self.rolling else "")

    def describe(self) -> str:
        """`edge 1 on vertex 3`, as far as the features have numbers."""
        words = ("edge", "vertex") if self.kind == "A" else ("vertex", "edge")
        part, wall = (f"{word} {'' if i is None else i}".strip() for word, i in zip(
            words, (self.part_feature, self.manipulator_feature), strict=True))
        return f"{part} {'rolls' if self.rolling else 'slides'} on {wall}"


# ---- contacts from lines and points, and from polygons ---------------------------------------------------------------


def edge_on_vertex(angle: float, offset: float, vertex: tuple[float, float],
                   manipulator: int = WORLD) -> FormationContact:
    """Type A: the line nu.x = offset of the part, nu = (cos angle, sin angle) outward, on a vertex (2,)."""
    normal = (math.cos(angle), math.sin(angle))
    return FormationContact("A", (offset * normal[0], offset * normal[1]), vertex, normal, manipulator=manipulator)


def vertex_on_edge(vertex: tuple[float, float], angle: float, offset: float,
                   manipulator: int = WORLD) -> FormationContact:
    """Type B: a vertex (2,) of the part on the line N.x = offset, N = (cos angle, sin angle) out of the manipulator."""
    normal = (math.cos(angle), math.sin(angle))
    return FormationContact("B", vertex, (offset * normal[0], offset * normal[1]), normal, manipulator=manipulator)


def pin(kind: str, part_point: tuple[float, float], point: tuple[float, float],
        normal: tuple[float, float] = (0.0, 1.0), manipulator: int = WORLD) -> FormationContact:
    """Rolling contact: the point (2,) of the part is held at a point (2,); `normal` is that of the edge, if any."""
    return FormationContact(kind, part_point, point, normal, rolling=True, manipulator=manipulator)


def contact_of_edge(part: Polygon, edge: int, manipulator: Polygon, vertex: int, index: int,
                    at: float | None = None) -> FormationContact:
    """Type A: edge `edge` of the part on vertex `vertex` of the polygon of manipulator `index`, in its frame.

    at: m from the start of the edge, where the vertex is held; rolling if given. Raises FormationError.
    """
    point, normal = _find_edge_point(part, edge, at, "part")
    _check_index(manipulator, vertex, "vertex", "manipulator")
    corner = tuple(manipulator.vertices[vertex])
    return FormationContact("A", point, corner, normal, at is not None, index, edge, vertex)


def contact_of_vertex(part: Polygon, vertex: int, manipulator: Polygon, edge: int, index: int,
                      at: float | None = None) -> FormationContact:
    """Type B: vertex `vertex` of the part on edge `edge` of the polygon of manipulator `index`; see contact_of_edge."""
    _check_index(part, vertex, "vertex", "part")
    point, normal = _find_edge_point(manipulator, edge, at, "manipulator")
    return FormationContact("B", tuple(part.vertices[vertex]), point, normal, at is not None, index, vertex, edge)


def _check_index(polygon: Polygon, index: int, what: str, whose: str) -> None:
    if not 0 <= index < len(polygon):
        raise FormationError(f"{what} {index} of the {whose}: valid: 0 to {len(polygon) - 1}")


def _find_edge_point(polygon: Polygon, edge: int, at: float | None, whose: str):
    """A point of the edge (its middle, unless `at` metres from its start are asked for), and its outward normal."""
    _check_index(polygon, edge, "edge", whose)
    start, end = polygon.vertices[edge], polygon.vertices[(edge + 1) % len(polygon)]
    length = math.dist(start, end)
    along = (end - start) / length
    if at is not None and not 0.0 <= at <= length:
        raise FormationError(f"at = {at!r} m on edge {edge} of the {whose}: valid: 0 to {length:.9g} m")
    point = 0.5 * (start + end) if at is None else start + at * along
    return tuple(point), (along[1], -along[0])


# ---- all poses -------------------------------------------------------------------------------------------------------


class FormationPose(NamedTuple):
    """One pose that satisfies the three constraints."""

    x: float  # m
    y: float  # m
    theta: float  # rad, in (-pi, pi]
    multiplicity: int  # 1 regular; 2 a branch point, where two poses meet; 3 an inflection, where three do
    determinant: float  # m: det of the wrench matrix of the contact normals; 0 where they meet in one point

    @property
    def pose(self) -> Pose:
        return Pose(self.x, self.y, self.theta)


@dataclass(frozen=True)
class FormationPoses:
    """All real poses of a formation for one placement of the manipulators, by rising theta.

    verdict: "generic" - as many poses for all placements near by; "branch" - two poses (or three) have met; "none";
    "infinite" - a whole family, which is not listed. `is_generic` tells the two kinds of "none" apart: out of reach,
    which holds near by as well, and lines that are parallel or G = H = 0, which is an accident. `reason` is a sentence.
    """

    type: str
    verdict: str
    is_generic: bool
    poses: tuple[FormationPose, ...]
    reason: str

    def __len__(self) -> int:
        return len(self.poses)


def find_type(contacts: Sequence[FormationContact]) -> str:
    """The type of a formation, one of TYPES. Raises FormationError."""
    rolling = [contact for contact in contacts if contact.rolling]
    sliding = "".join(sorted(contact.kind for contact in contacts if not contact.rolling))
    if len(rolling) == 1 and len(sliding) == 1:
        return f"{rolling[0].kind}R{sliding}"
    names = {"AAA": "3A", "BBB": "3B", "AAB": "2AB", "ABB": "2BA"}
    if not rolling and sliding in names:
        return names[sliding]
    said = ", ".join(contact.letters for contact in contacts) or "none"
    raise FormationError(f"contacts {said} are no contact formation: valid: three that slide, or one that rolls and "
                         f"one that slides (types {', '.join(TYPES)})")


def _arrange(contacts: Sequence[FormationContact]) -> tuple[str, int, list[FormationContact]]:
    """(type, code, contacts in the order of the rows of `formation_kernels`)."""
    type_name = find_type(contacts)
    code, order = _LAYOUT[type_name]
    rest = [contact for contact in contacts if not contact.rolling]
    return type_name, code, [*(contact for contact in contacts if contact.rolling),
                             *(contact for kind in dict.fromkeys(order) for contact in rest if contact.kind == kind)]


def pack_formation(contacts: Sequence[FormationContact], poses: Sequence[Any] | np.ndarray | None = None) -> tuple[str,
                   int, np.ndarray]:
    """(type, code, rows (3, 6)) for `formation_kernels`; manipulator features placed by `poses` (m, 3)."""
    type_name, code, arranged = _arrange(contacts)
    rows = np.zeros((3, 6))
    for row, contact in zip(rows, arranged, strict=False):
        placed = contact.placed(poses if poses is not None else ())
        row[:] = (*placed.part_point, *placed.manipulator_point, *placed.normal)
    return type_name, code, rows


def solve_formation(*contacts: FormationContact, poses: Sequence[Any] | np.ndarray | None = None) -> FormationPoses:
    """All real poses (x, y, theta) of the part, world frame, that satisfy the contacts, in closed form.

    contacts: three that slide, or one that rolls and one that slides, in any order; poses (m, 3): x, y, theta of the
    manipulators, for contacts that are given in their frames. Every regular pose satisfies its constraints to rounding
    (Newton steps on the constraints as given). The verdict is that of Propositions 1 to 4 and Theorem 3 of the paper
    for all types, with the tolerances of formations in `geometry/tolerances.py`. Raises FormationError.
    """
    from geometry.formation import kernels

    type_name, code, rows = pack_formation(contacts, poses)
    found, multiplicity, work = np.zeros((4, 3)), np.zeros(4), np.zeros((14, 6))
    count = kernels.solve(code, rows, found, multiplicity, work)
    if count < 0:
        verdict, reason = _EXCEPTIONS[count]
        return FormationPoses(type_name, verdict, False, (), f"{type_name}: {reason}")
    listed = tuple(
        FormationPose(float(found[k, 0]), float(found[k, 1]), float(found[k, 2]),
                      int(multiplicity[k]), compute_determinant(code, rows, found[k]))
        for k in range(count)
    )
    return FormationPoses(type_name, *_judge(type_name, listed))


def _judge(type_name: str, listed: tuple[FormationPose, ...]):
    if not listed:
        return "none", True, listed, f"{type_name}: out of reach, all roots are complex"
    double = [k for k, pose in enumerate(listed) if pose.multiplicity > 1]
    if double:
        words = " and ".join(str(k) for k in double)
        return ("branch", False, listed,
                f"{type_name}: pose {words} is a branch point, where poses meet: the contact normals meet in one point")
    count = f"{len(listed)} poses" if len(listed) > 1 else "one pose"
    return "generic", True, listed, f"{type_name}: {count}"


def compute_determinant(code: int, rows: np.ndarray, pose: ArrayLike) -> float:
    """det of the 3 x 3 derivative of the constraints by (x, y, theta), m: plus or minus det of the wrench matrix of the
    contact normals. Two poses that meet at a branch point come from different signs."""
    from geometry.formation import kernels

    gap, jacobian = np.zeros(3), np.zeros((3, 3))
    kernels.evaluate_constraints(code, rows, np.asarray(pose, dtype=np.float64), gap, jacobian)
    (a, b, c), (d, e, f), (g, h, i) = jacobian.tolist()
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)


def solve_formations(type_name: str, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Many formations of one type at once: (count (n,), poses (n, 4, 3), multiplicity (n, 4)).

    rows: (n, 3, 6), each as `pack_formation` gives it. count is negative where there are infinitely many poses, or none
    by accident (see the codes of `geometry/formation/kernels.py`); unused places hold 0. Raises FormationError.
    """
    from geometry.formation import kernels

    if type_name not in TYPES:
        raise FormationError(f"type {type_name!r}: valid: {', '.join(TYPES)}")
    rows = np.ascontiguousarray(rows, dtype=np.float64)
    if rows.ndim != 3 or rows.shape[1:] != (3, 6) or not np.isfinite(rows).all():
        raise FormationError(f"rows: must be finite numbers of shape (n, 3, 6), not {rows.shape}")
    n = len(rows)
    count, poses, multiplicity = np.zeros(n, dtype=np.int64), np.zeros((n, 4, 3)), np.zeros((n, 4))
    kernels.solve_batch(_LAYOUT[type_name][0], rows, poses, multiplicity, count, np.zeros((14, 6)))
    return count, poses, multiplicity


def solve_placements(contacts: Sequence[FormationContact], poses: ArrayLike) -> tuple[np.ndarray, np.ndarray,
                     np.ndarray]:
    """One formation for many placements of the manipulators: (count (n,), poses (n, 4, 3), multiplicity (n, 4)).

    poses: (n, m, 3), x, y, theta of the m manipulators; the rest as in `solve_formations`. Raises FormationError.
    """
    type_name, _, arranged = _arrange(contacts)
    poses = np.asarray(poses, dtype=np.float64)
    most = max(contact.manipulator for contact in arranged)
    if poses.ndim != 3 or poses.shape[2] != 3 or poses.shape[1] <= most:
        raise FormationError(f"poses: must have shape (n, m, 3) with m > {most}, the largest manipulator of the "
                             f"contacts, not {poses.shape}")
    rows = np.zeros((len(poses), 3, 6))
    for k, contact in enumerate(arranged):
        rows[:, k] = (*contact.part_point, *contact.manipulator_point, *contact.normal)
        if contact.manipulator == WORLD:
            continue
        x, y, theta = poses[:, contact.manipulator].T
        c, s = np.cos(theta), np.sin(theta)
        (px, py), (nx, ny) = contact.manipulator_point, contact.normal
        rows[:, k, 2], rows[:, k, 3] = c * px - s * py + x, s * px + c * py + y
        if contact.kind == "B":
            rows[:, k, 4], rows[:, k, 5] = c * nx - s * ny, s * nx + c * ny
    return solve_formations(type_name, rows)
