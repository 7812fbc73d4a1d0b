"""Wrench cones: which external wrenches are consistent with a contact mode, and with it only?

Source: Balkcom, Gottlieb and Trinkle, "Computing wrench cones for planar contact tasks" (2002). For one part at rest,

    w = m a - sum_i f_i ,   a a motion of the mode,  f_i a contact force that the letter of contact i allows

so that in coordinates (x, y, rho theta), where the inertia is m times the identity, the wrenches of a mode are the
Minkowski sum of its motions and of its negative contact forces: two cones in R^3. (The paper eliminates unknowns by
matrices E, N, R, S, V instead and arrives at K z = P g; the two agree.) Wrenches are (Fx, Fy, torque / rho) about the
centre of mass, in the world frame.

A mode's motions obey strict inequalities (separating is N.a > 0, sliding T.a > 0), its forces weak ones. The paper
works with the closure, which can invent modes: a part between two opposed walls, both touched, would approach a third
place by `nna` under a whole cone of wrenches, though it cannot move. Here the strict part of the boundary is kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dynamics.cones.contact_set import ContactSet
from dynamics.cones.modes import enumerate_modes, find_modes, is_pattern, motion_cone, read_mode
from dynamics.cones.polyhedral import EMPTY, WHOLE_SPACE, Cone, cone_from_span, find_strict, intersect, subtract
from dynamics.tolerances import ANGLE, MEMBER
from geometry.errors import InputError


@dataclass(frozen=True, eq=False)
class Region:
    """A union of cones, each with the mode it belongs to: not convex in general. No cone of it is empty."""

    modes: tuple[str, ...]
    cones: tuple[Cone, ...]

    @property
    def is_empty(self) -> bool:
        return not self.cones

    def contains(self, wrench: ArrayLike, tolerance: float = MEMBER) -> bool:
        """Is the wrench in one of the cones?"""
        return any(cone.contains(wrench, tolerance) for cone in self.cones)

    def find_claims(self, wrench: ArrayLike, tolerance: float = MEMBER) -> list[str]:
        """The modes that claim a wrench; several: rigid-body mechanics does not decide between them."""
        return [mode for mode, cone in zip(self.modes, self.cones, strict=True) if cone.contains(wrench, tolerance)]

    def margin(self, wrench: ArrayLike) -> float:
        """The best margin among the cones, see `Cone.margin`: a wrench on a seam of two cones has margin 0."""
        return max((cone.margin(wrench) for cone in self.cones), default=-np.inf)

    def distance(self, wrench: ArrayLike) -> float:
        """Distance to the boundary of the region: positive inside, negative outside; seams are no boundary.

        Inside it is exact: the distance to the nearest wrench that no cone holds (up to parts of lower dimension).
        """
        if not any(cone.closure.contains(wrench) for cone in self.cones):
            return max((cone.distance(wrench) for cone in self.cones), default=-np.inf)
        outside = [piece for piece in subtract_all(WHOLE_SPACE, self.cones) if piece.dimension == 3]
        return min((-piece.distance(wrench) for piece in outside), default=np.inf)


def wrench_cone(contacts: ContactSet, mode: str) -> Cone | Region:
    """Every external wrench under which the part, at rest, can begin to move in a mode.

    mode: one letter a contact (see `modes`): the answer is a Cone in span form and face form, both minimal,
    `empty` if the mode is not feasible. With a wildcard (`*` any letter, `c` contact kept, `[nl]` a list) the answer is
    a Region, the union over the feasible modes that fit, without those that others cover.
    ValueError: the mode does not fit the contacts.
    """
    if is_pattern(mode):
        return unite({found: cone_of_mode(contacts, found) for found in find_modes(contacts, mode)})
    return cone_of_mode(contacts, mode)


def cone_of_mode(contacts: ContactSet, mode: str) -> Cone:
    """As `wrench_cone`, of one mode without a wildcard."""
    letters = read_mode(contacts, mode)
    motion = motion_cone(contacts, mode)
    if motion.empty:
        return EMPTY
    closed = cone_from_span(np.vstack([motion.generators, -_force_edges(contacts, letters)]))
    return Cone(closed.lines, closed.rays, closed.equations, closed.faces, _find_lacking(closed, motion))


def force_cone(contacts: ContactSet, mode: str | None = None) -> Cone:
    """All forces (Fx, Fy, torque / rho) on the part that the closed contacts can exert together; closed set.

    mode: one letter a contact; without it every closed contact may use its whole friction cone (letter n).
    """
    if mode is None:
        mode = "".join("n" if closed else "s" for closed in contacts.closed)
    if is_pattern(mode):
        raise InputError(f"mode {mode!r} has a wildcard: forces are those of one mode")
    return cone_from_span(_force_edges(contacts, read_mode(contacts, mode)))


def _force_edges(contacts: ContactSet, letters) -> np.ndarray:
    """(n, 3): friction opposes the slip; a contact that rolls has both edges of its cone.

    And the normal between them: with friction beyond 1e10 the edges alone are one line, the tangent, both ways.
    """
    positive, negative = contacts.edges
    rows = [edge[i] for i, letter in enumerate(letters)
            for edge, users in ((positive, "rn"), (negative, "ln"), (contacts.N, "n")) if letter in users]
    return np.array(rows).reshape(-1, 3)


def _find_lacking(closed: Cone, motion: Cone) -> np.ndarray:
    """The strict inequalities of A + F, where A = `motion` is not closed, F is, and `closed` is the closure.

    A wrench inside a face of the closure is a sum of one member of A and one of F, both in all planes h that hold that
    face. So it belongs to A + F exactly if these planes hold a member of A, that is, if for every strict inequality of
    A they hold a generator of A that satisfies it.
    """
    if len(motion.strict) == 0 or len(closed.faces) == 0:
        return closed.strict
    holds = np.abs(closed.faces @ closed.rays.T) <= ANGLE  # (f, r)
    marks = [*holds, *np.eye(len(closed.rays), dtype=bool), np.zeros(len(closed.rays), dtype=bool)]
    generators = motion.generators
    reach = generators @ motion.strict.T < -ANGLE  # (g, s)
    on_face = np.abs(closed.faces @ generators.T) <= ANGLE  # (f, g)
    lacking = []
    for mark in marks:
        planes = (holds >= mark).all(axis=1)
        within = on_face[planes].all(axis=0)
        if not reach[within].any(axis=0).all():
            lacking.append(mark)
    return find_strict(closed.rays, closed.faces, lacking)


# ---- several modes ---------------------------------------------------------------------------------------------------


def unite(cones: dict[str, Cone]) -> Region:
    """The union of cones by mode, without the empty ones and those that the others cover together."""
    kept = {mode: cone for mode, cone in cones.items() if not cone.empty}
    for mode in sorted(kept, key=lambda m: kept[m].dimension):
        others = [cone for other, cone in kept.items() if other != mode]
        if others and not subtract_all(kept[mode], others):
            del kept[mode]
    return Region(tuple(kept), tuple(kept.values()))


def subtract_all(cone: Cone, others: Iterable[Cone]) -> list[Cone]:
    """The members of a cone that belong to none of the others, as disjoint convex cones."""
    pieces = [] if cone.empty else [cone]
    for other in others:
        pieces = [rest for piece in pieces
                  for rest in ([piece] if intersect(piece, other).empty else subtract(piece, other))]
    return pieces


def wrench_cones(contacts: ContactSet) -> Region:
    """The wrench cones of all feasible modes; none is left out, although cones may overlap and cover each other."""
    cones = {mode: cone_of_mode(contacts, mode) for mode in enumerate_modes(contacts)}
    return Region(tuple(cones), tuple(cones.values()))


def exclusive_cones(contacts: ContactSet, mode: str) -> Region:
    """The wrenches that are consistent with a mode and with no other: those that make the part do just that.

    mode may have wildcards: then with modes that fit, and with no other. The pieces are exact, strict boundaries
    included, and disjoint for each mode; those of lower dimension are parts of a boundary.
    """
    wanted = find_modes(contacts, mode)
    everything = wrench_cones(contacts)
    others = [cone for name, cone in zip(everything.modes, everything.cones, strict=True) if name not in wanted]
    found = [(name, piece) for name in wanted for piece in subtract_all(cone_of_mode(contacts, name), others)]
    return Region(tuple(name for name, _ in found), tuple(piece for _, piece in found))


def find_shared(contacts: ContactSet, mode: str) -> Region:
    """Where other modes claim wrenches of a mode, too: its intersections with each of them."""
    own = wrench_cone(contacts, mode)
    if isinstance(own, Region):
        raise InputError(f"mode {mode!r} has a wildcard: compare one mode with the others")
    shared = {other: intersect(own, cone_of_mode(contacts, other)) for other in enumerate_modes(contacts)
              if other != mode}
    shared = {other: cone for other, cone in shared.items() if not cone.empty}
    return Region(tuple(shared), tuple(shared.values()))
