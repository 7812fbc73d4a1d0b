"""Contact formations: three contact constraints that fix the pose of the part, and all poses that satisfy them.

    solve_formation(edge_on_vertex(...), edge_on_vertex(...), vertex_on_edge(...))           # a 2AB

Farahat, Stiller and Trinkle, on contact formation cells: with the manipulators held, a formation of type 3A, 3B, ARA,
ARB, BRA or BRB has at most two poses, one of type 2AB or 2BA at most four. They come in closed form
(`geometry/formation/kernels.py`). The paper works out type 3A; the derivation for the other seven types is ours.

A round feature on a straight one is an offset line, so arcs leave these types as they are. Round on round (C) makes
eight types more, which the paper does not have: all their poses, six at most, are found by solving a polynomial
(`geometry/formation/circles.py`).

Contacts are on the lines that support the edges, as in the paper, and on the circles that support the arcs; whether a
pose is *realised* (contact within the edges and arcs, no overlap) is the subject of `geometry/formation/realised.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from geometry.formation.contacts import (
    WORLD,
    FormationContact,
    FormationError,
    arc_on_arc,
    arc_on_edge,
    contact_of_edge,
    contact_of_features,
    contact_of_vertex,
    edge_on_arc,
    edge_on_vertex,
    pin,
    vertex_on_edge,
)
from geometry.formation.formation_types import SOLVED_TYPES, TYPES, FormationType
from geometry.shapes.pose import Pose

__all__ = ["SOLVED_TYPES", "TYPES", "WORLD", "FormationContact", "FormationError", "FormationPose", "FormationPoses",
           "arc_on_arc", "arc_on_edge", "compute_determinant", "contact_of_edge", "contact_of_features",
           "contact_of_vertex", "edge_on_arc", "edge_on_vertex", "find_type", "pack_formation", "pin",
           "solve_formation", "solve_formations", "solve_placements", "vertex_on_edge"]

# code, and the letter of each row: the code is that of `kernels.py`, that of a solved type stands for no kernel; P is a
# point that is held.
_LAYOUT: dict[FormationType, tuple[int, str]] = {
    "3A": (0, "AAA"), "3B": (1, "BBB"), "2AB": (2, "AAB"), "2BA": (3, "BBA"), "ARA": (4, "PA"), "ARB": (5, "PB"),
    "BRA": (4, "PA"), "BRB": (5, "PB"), "2AC": (6, "AAC"), "ABC": (7, "ABC"), "2BC": (8, "BBC"),
    "2CA": (9, "ACC"), "2CB": (10, "BCC"), "3C": (11, "CCC"), "ARC": (12, "PC"), "BRC": (12, "PC"),
}
_LETTERS = dict(_LAYOUT.values())
_FIRST_SOLVED = 6
MOST_POSES = 6  # of any type; four in closed form

_EXCEPTIONS = {  # codes of `kernels.solve` and `circles.solve`
    -1: ("infinite", "every theta has a pose (G = H = I = 0): the part turns freely, one contact is redundant"),
    -2: ("none", "no theta has a pose (G = H = 0, but not I)"),
    -3: ("infinite", "the lines of contact are parallel: the part can be translated along them"),
    -4: ("none", "the lines of contact are parallel, and no theta suits all of them"),
    -5: ("infinite", "two contacts are one and the same constraint: two constraints do not fix three coordinates"),
    -6: ("infinite", "two circles of equal radius, one in the other: they touch all along, and fix no direction"),
}
_EXCEPTIONS_OF_CIRCLES = {  # where the words differ
    -1: ("infinite", "every theta has a pose: the part turns freely, about the centre of its arcs or with a redundant "
                     "contact"),
    -2: ("none", "no theta has a pose: the contacts leave the same distance at every one"),
    -3: ("infinite", "the lines of contact vanish together: the part can be moved along the circles"),
}


# ---- all poses -------------------------------------------------------------------------------------------------------


class FormationPose(NamedTuple):
    """One pose that satisfies the three constraints."""

    x: float  # m
    y: float  # m
    theta: float  # rad, in (-pi, pi]
    multiplicity: int  # 1 regular; 2 a branch point, where two poses meet; 3 an inflection, where three do
    determinant: float  # m: det of the wrench matrix of the contact normals; 0 where they meet in one point
    residual: float  # m: the largest of the three gaps at this pose, as a certificate

    @property
    def pose(self) -> Pose:
        return Pose(self.x, self.y, self.theta)


@dataclass(frozen=True)
class FormationPoses:
    """All real poses of a formation for one placement of the manipulators, by rising theta.

    verdict: "generic" - as many poses for all placements near by; "branch" - two poses (or three) have met; "none";
    "infinite" - a whole family, which is not listed. `is_generic` tells the two kinds of "none" apart: out of reach,
    which holds near by as well, and lines that are parallel or G = H = 0, which is an accident. `reason` is a sentence,
    `method` says where the poses come from: "closed form", or "solved", the roots of a polynomial of degree six.
    """

    type: str
    verdict: str
    is_generic: bool
    poses: tuple[FormationPose, ...]
    reason: str
    method: str

    def __len__(self) -> int:
        return len(self.poses)


def find_type(contacts: Sequence[FormationContact]) -> FormationType:
    """The type of a formation, one of TYPES and SOLVED_TYPES. Raises FormationError."""
    rolling = [contact for contact in contacts if contact.rolling]
    sliding = "".join(sorted(contact.kind for contact in contacts if not contact.rolling))
    if len(rolling) == 1:
        names = {"".join(name.split("R")): name for name in _LAYOUT if name.startswith(f"{rolling[0].kind}R")}
        sliding = rolling[0].kind + sliding
    else:
        names = {"".join(sorted(letters)): name for name, (_, letters) in _LAYOUT.items() if "R" not in name}
    if len(rolling) < 2 and sliding in names:
        return names[sliding]
    said = ", ".join(contact.letters for contact in contacts) or "none"
    raise FormationError(f"contacts {said} are no contact formation: valid: three that slide, or one that rolls and "
                         f"one that slides (types {', '.join(_LAYOUT)})")


def _arrange(contacts: Sequence[FormationContact]) -> tuple[str, int, list[FormationContact]]:
    """(type, code, contacts without radii in the order of the rows of `pack_formation`)."""
    type_name = find_type(contacts)
    code, order = _LAYOUT[type_name]
    contacts = [contact.flattened() for contact in contacts]
    rest = [contact for contact in contacts if not contact.rolling]
    return type_name, code, [*(contact for contact in contacts if contact.rolling),
                             *(contact for kind in dict.fromkeys(order) for contact in rest if contact.kind == kind)]


def _write_row(contact: FormationContact) -> tuple[float, ...]:
    """(b_x, b_y, P_x, P_y, n_x, n_y); of type C the last two are the distance of the centres and 0."""
    ends = (contact.span, 0.0) if contact.kind == "C" else contact.normal
    return *contact.part_point, *contact.manipulator_point, *ends


def pack_formation(contacts: Sequence[FormationContact], poses: Sequence[Any] | np.ndarray | None = None) -> tuple[str,
                   int, np.ndarray]:
    """(type, code, rows (3, 6)) for `kernels.solve` or `circles.solve`; manipulator features placed by `poses` (m, 3).
    """
    type_name, code, arranged = _arrange(contacts)
    rows = np.zeros((3, 6))
    for row, contact in zip(rows, arranged, strict=False):
        row[:] = _write_row(contact.placed(poses if poses is not None else ()))
    return type_name, code, rows


def solve_formation(*contacts: FormationContact, poses: Sequence[Any] | np.ndarray | None = None) -> FormationPoses:
    """All real poses (x, y, theta) of the part, world frame, that satisfy the contacts: of TYPES in closed form, of
    SOLVED_TYPES, with round on round, from all roots of a polynomial.

    contacts: three that slide, or one that rolls and one that slides, in any order; poses (m, 3): x, y, theta of the
    manipulators, for contacts that are given in their frames. Every regular pose satisfies its constraints to rounding
    (Newton steps on the constraints as given). The verdict is that of Propositions 1 to 4 and Theorem 3 of the paper
    for all types, with the tolerances of formations in `geometry/tolerances.py`. Raises FormationError.
    """
    type_name, code, rows = pack_formation(contacts, poses)
    count, found, multiplicity = _solve(code, rows)
    method = "solved" if code >= _FIRST_SOLVED else "closed form"
    if count < 0:
        verdict, reason = (_EXCEPTIONS_OF_CIRCLES if code >= _FIRST_SOLVED and count in _EXCEPTIONS_OF_CIRCLES
                           else _EXCEPTIONS)[count]
        return FormationPoses(type_name, verdict, False, (), f"{type_name}: {reason}", method)
    listed = tuple(_describe_pose(code, rows, found[k], int(multiplicity[k])) for k in range(count))
    verdict, is_generic, reason = _judge(type_name, listed)
    return FormationPoses(type_name, verdict, is_generic, listed, reason, method)


def _describe_pose(code: int, rows: np.ndarray, pose: np.ndarray, multiplicity: int) -> FormationPose:
    gap, jacobian = _evaluate(code, rows, pose)
    x, y, theta = pose.tolist()
    return FormationPose(x, y, theta, multiplicity, _expand(jacobian), float(np.abs(gap).max()))


def _solve(code: int, rows: np.ndarray) -> tuple[int, np.ndarray, np.ndarray]:
    """(number of poses or a code, poses (MOST_POSES, 3), their multiplicities)."""
    found, multiplicity = np.zeros((MOST_POSES, 3)), np.zeros(MOST_POSES)
    if code < _FIRST_SOLVED:
        from geometry.formation import kernels

        return kernels.solve(code, rows, found[:4], multiplicity[:4], np.zeros((14, 6))), found, multiplicity
    from geometry.formation import circles

    poses = circles.solve(_LETTERS[code], rows)
    if isinstance(poses, int):
        return poses, found, multiplicity
    for k, (pose, times) in enumerate(poses):
        found[k], multiplicity[k] = pose, times
    return len(poses), found, multiplicity


def _judge(type_name: str, listed: tuple[FormationPose, ...]) -> tuple[str, bool, str]:
    """(verdict, is_generic, reason)."""
    if not listed:
        return "none", True, f"{type_name}: out of reach, all roots are complex"
    double = [k for k, pose in enumerate(listed) if pose.multiplicity > 1]
    if double:
        words = " and ".join(str(k) for k in double)
        return "branch", False, (f"{type_name}: pose {words} is a branch point, where poses meet: the contact normals "
                                 "meet in one point")
    count = f"{len(listed)} poses" if len(listed) > 1 else "one pose"
    return "generic", True, f"{type_name}: {count}"


def compute_determinant(code: int, rows: np.ndarray, pose: ArrayLike) -> float:
    """det of the 3 x 3 derivative of the constraints by (x, y, theta), m: plus or minus det of the wrench matrix of the
    contact normals. Two poses that meet at a branch point come from different signs."""
    return _expand(_evaluate(code, rows, pose)[1])


def _expand(jacobian: np.ndarray) -> float:
    """The determinant of a 3 x 3 matrix."""
    (a, b, c), (d, e, f), (g, h, i) = jacobian.tolist()
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)


def _evaluate(code: int, rows: np.ndarray, pose: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """(gap (3,), derivatives (3, 3)) of the constraints at a pose."""
    pose = np.asarray(pose, dtype=np.float64)
    if code >= _FIRST_SOLVED:
        from geometry.formation import circles

        return circles.evaluate_constraints(_LETTERS[code], rows, pose)
    from geometry.formation import kernels

    gap, jacobian = np.zeros(3), np.zeros((3, 3))
    kernels.evaluate_constraints(code, rows, pose, gap, jacobian)
    return gap, jacobian


def solve_formations(type_name: str, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Many formations of one type at once: (count (n,), poses (n, 4, 3), multiplicity (n, 4)), 6 in place of 4 for the
    SOLVED_TYPES.

    rows: (n, 3, 6), each as `pack_formation` gives it. count is negative where there are infinitely many poses, or none
    by accident (see the codes of `geometry/formation/kernels.py`); unused places hold 0. Raises FormationError.
    """
    if type_name not in _LAYOUT:
        raise FormationError(f"type {type_name!r}: valid: {', '.join(_LAYOUT)}")
    rows = np.ascontiguousarray(rows, dtype=np.float64)
    if rows.ndim != 3 or rows.shape[1:] != (3, 6) or not np.isfinite(rows).all():
        raise FormationError(f"rows: must be finite numbers of shape (n, 3, 6), not {rows.shape}")
    n, (code, _) = len(rows), _LAYOUT[type_name]
    most = MOST_POSES if type_name in SOLVED_TYPES else 4
    count, poses, multiplicity = np.zeros(n, dtype=np.int64), np.zeros((n, most, 3)), np.zeros((n, most))
    if type_name in SOLVED_TYPES:
        for k in range(n):
            count[k], poses[k], multiplicity[k] = _solve(code, rows[k])
        return count, poses, multiplicity
    from geometry.formation import kernels

    kernels.solve_batch(code, rows, poses, multiplicity, count, np.zeros((14, 6)))
    return count, poses, multiplicity


def solve_placements(contacts: Sequence[FormationContact], poses: ArrayLike) -> tuple[np.ndarray, np.ndarray,
                     np.ndarray]:
    """One formation for many placements of the manipulators: (count (n,), poses, multiplicity).

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
        rows[:, k] = _write_row(contact)
        if contact.manipulator == WORLD:
            continue
        x, y, theta = poses[:, contact.manipulator].T
        c, s = np.cos(theta), np.sin(theta)
        (px, py), (nx, ny) = contact.manipulator_point, contact.normal
        rows[:, k, 2], rows[:, k, 3] = c * px - s * py + x, s * px + c * py + y
        if contact.kind == "B":
            rows[:, k, 4], rows[:, k, 5] = c * nx - s * ny, s * nx + c * ny
    return solve_formations(type_name, rows)
