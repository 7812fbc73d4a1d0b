"""The contacts of a formation: an edge on something round, something round on an edge, or round on round.

Round is an arc, with a centre and a radius (negative where it is concave), and a vertex, which is an arc of radius 0.
Radii shift the line of the edge: an arc on an edge is its centre on a line that is offset by the radius.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from geometry.errors import StictionError
from geometry.shapes.outline import Outline
from geometry.shapes.polygon import Polygon
from geometry.shapes.pose import Pose
from geometry.tolerances import UNIT_LENGTH

WORLD = -1  # as `manipulator`: the features of the manipulator are given in the world frame
Shape = Polygon | Outline


class FormationError(StictionError, ValueError):
    """The contacts are not a contact formation; the message says what is wrong and what is valid."""


@dataclass(frozen=True)
class FormationContact:
    """One contact of a formation, on the line that supports the edge and the circle that supports the arc.

    Part features are in the frame of the part, manipulator features in the frame of `manipulator` (an index into the
    poses given to `placed`) or in the world frame (WORLD). Lengths in m. Radii are positive for a convex arc, negative
    for a concave one, 0 for a vertex.
    """

    kind: str  # "A": edge of the part on a vertex or arc of the manipulator; "B": the other way round; "C": round on
    # round
    part_point: tuple[float, float]  # A: a point of the edge; B, C: vertex or centre; rolling: the point that is held
    manipulator_point: tuple[float, float]  # A, C: vertex or centre; B: a point of the edge; rolling: where it is held
    normal: tuple[float, float]  # outward unit normal of the edge: A of the part (its frame), B of the manipulator
    rolling: bool = False  # does not slide: the two points stay together
    manipulator: int = WORLD
    part_feature: int | None = None  # index of the edge, vertex or arc of the part, if it comes from an outline
    manipulator_feature: int | None = None  # index of the edge, vertex or arc of the manipulator
    part_radius: float = 0.0
    manipulator_radius: float = 0.0

    def __post_init__(self):
        if self.kind not in ("A", "B", "C"):
            raise FormationError(f"kind = {self.kind!r}: valid: 'A' (edge of the part on a vertex or an arc), "
                                 "'B' (vertex or arc of the part on an edge), 'C' (round on round)")
        for name in ("part_point", "manipulator_point", "normal"):
            pair = np.asarray(getattr(self, name), dtype=np.float64)
            if pair.shape != (2,) or not np.isfinite(pair).all():
                raise FormationError(f"{name} = {getattr(self, name)!r}: must be two finite numbers")
            object.__setattr__(self, name, (float(pair[0]), float(pair[1])))
        if abs(math.hypot(*self.normal) - 1.0) > UNIT_LENGTH:
            raise FormationError(f"normal = {self.normal}: must have length 1, not {math.hypot(*self.normal)!r}")
        for name in ("part_radius", "manipulator_radius"):
            if not math.isfinite(getattr(self, name)):
                raise FormationError(f"{name} = {getattr(self, name)!r} m: must be a finite number")
            object.__setattr__(self, name, float(getattr(self, name)))
        self._check_radii()

    def _check_radii(self) -> None:
        part, other = self.part_radius, self.manipulator_radius
        if self.rolling and (part or other or self.kind == "C"):
            raise FormationError("a contact of an arc cannot roll in a formation: an arc that rolls leaves the point "
                                 "at which it started, so none is held; valid: an edge and a vertex that roll")
        if (self.kind == "A" and part) or (self.kind == "B" and other):
            raise FormationError(f"kind {self.kind!r} has an edge on one side: its radius is 0, not "
                                 f"{part or other!r} m")
        if self.kind != "C":
            if part + other < 0.0:
                raise FormationError("an edge cannot touch a concave arc: its ends would be in the solid; valid: a "
                                     "vertex or a convex arc on an edge, and a vertex or a smaller arc in a concave "
                                     "one")
            return
        if part == other == 0.0:
            raise FormationError("a vertex on a vertex has no normal of its own; valid: a vertex that rolls on an "
                                 "edge, held at its end")
        if part < 0.0 and other < 0.0:
            raise FormationError("two concave arcs cannot touch; valid: an arc or a vertex in a larger concave arc")
        if self.span == 0.0:
            raise FormationError(f"an arc lies in one of equal radius, {abs(part)!r} m, anywhere along it: the contact "
                                 "has no point; valid: a smaller radius inside")

    @property
    def span(self) -> float:
        """Distance of the two centres of a contact of type C, m."""
        return abs(self.part_radius + self.manipulator_radius)

    def flattened(self) -> FormationContact:
        """The same constraint without radii: the line of the edge is offset by the radius of what is round, along its
        outward normal. Contacts of type C stay as they are."""
        if self.kind == "C" or not (self.part_radius or self.manipulator_radius):
            return self
        name, radius = (("part_point", self.manipulator_radius) if self.kind == "A"
                        else ("manipulator_point", self.part_radius))
        (x, y), (nx, ny) = getattr(self, name), self.normal
        return replace(self, part_radius=0.0, manipulator_radius=0.0, **{name: (x + radius * nx, y + radius * ny)})

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
        """`edge 1 slides on vertex 3`, as far as the features have numbers."""
        words = ("edge" if self.kind == "A" else "arc" if self.part_radius else "vertex",
                 "edge" if self.kind == "B" else "arc" if self.manipulator_radius else "vertex")
        part, wall = (f"{word} {'' if i is None else i}".strip() for word, i in zip(
            words, (self.part_feature, self.manipulator_feature), strict=True))
        return f"{part} {'rolls' if self.rolling else 'slides'} on {wall}"


# ---- contacts from lines, points and circles -------------------------------------------------------------------------


def edge_on_vertex(angle: float, offset: float, vertex: tuple[float, float],
                   manipulator: int = WORLD) -> FormationContact:
    """Type A: the line nu.x = offset of the part, nu = (cos angle, sin angle) outward, on a vertex (2,)."""
    return edge_on_arc(angle, offset, vertex, 0.0, manipulator)


def edge_on_arc(angle: float, offset: float, centre: tuple[float, float], radius: float,
                manipulator: int = WORLD) -> FormationContact:
    """Type A: the line nu.x = offset of the part, nu = (cos angle, sin angle) outward, on a circle of the manipulator,
    centre (2,) and radius, m. Raises FormationError."""
    normal = (math.cos(angle), math.sin(angle))
    return FormationContact("A", (offset * normal[0], offset * normal[1]), centre, normal, manipulator=manipulator,
                            manipulator_radius=radius)


def vertex_on_edge(vertex: tuple[float, float], angle: float, offset: float,
                   manipulator: int = WORLD) -> FormationContact:
    """Type B: a vertex (2,) of the part on the line N.x = offset, N = (cos angle, sin angle) out of the manipulator."""
    return arc_on_edge(vertex, 0.0, angle, offset, manipulator)


def arc_on_edge(centre: tuple[float, float], radius: float, angle: float, offset: float,
                manipulator: int = WORLD) -> FormationContact:
    """Type B: a circle of the part, centre (2,) and radius, m, on the line N.x = offset, N = (cos angle, sin angle) out
    of the manipulator. Raises FormationError."""
    normal = (math.cos(angle), math.sin(angle))
    return FormationContact("B", centre, (offset * normal[0], offset * normal[1]), normal, manipulator=manipulator,
                            part_radius=radius)


def arc_on_arc(part_centre: tuple[float, float], part_radius: float, centre: tuple[float, float], radius: float,
               manipulator: int = WORLD) -> FormationContact:
    """Type C: a circle of the part on a circle of the manipulator, centres (2,), radii in m: negative for a concave
    arc, in which the other one lies; 0 for a vertex, of which there may be one. Raises FormationError."""
    return FormationContact("C", part_centre, centre, (0.0, 1.0), manipulator=manipulator, part_radius=part_radius,
                            manipulator_radius=radius)


def pin(kind: str, part_point: tuple[float, float], point: tuple[float, float],
        normal: tuple[float, float] = (0.0, 1.0), manipulator: int = WORLD) -> FormationContact:
    """Rolling contact: the point (2,) of the part is held at a point (2,); `normal` is that of the edge, if any."""
    return FormationContact(kind, part_point, point, normal, rolling=True, manipulator=manipulator)


# ---- contacts from outlines ------------------------------------------------------------------------------------------


def contact_of_edge(part: Shape, edge: int, manipulator: Shape, vertex: int, index: int,
                    at: float | None = None) -> FormationContact:
    """Type A: edge `edge` of the part on vertex `vertex` of the outline of manipulator `index`, in its frame.

    at: m from the start of the edge, where the vertex is held; rolling if given. Raises FormationError.
    """
    return contact_of_features(part, ("edge", edge), manipulator, ("vertex", vertex), index, at)


def contact_of_vertex(part: Shape, vertex: int, manipulator: Shape, edge: int, index: int,
                      at: float | None = None) -> FormationContact:
    """Type B: vertex `vertex` of the part on edge `edge` of the outline of manipulator `index`; see contact_of_edge."""
    return contact_of_features(part, ("vertex", vertex), manipulator, ("edge", edge), index, at)


def contact_of_features(part: Shape, own: tuple[str, int], manipulator: Shape, other: tuple[str, int], index: int,
                        at: float | None = None) -> FormationContact:
    """The contact of two features of outlines, each a word, "edge", "vertex" or "arc", and a number: those of the
    outline, vertex i is where feature i starts.

    index: of the manipulator; its features are taken in its frame. at: m from the start of the edge to where a vertex
    is held on it; rolling if given. Raises FormationError: two edges, two vertices, no such feature, a concave arc on
    an edge, an arc that should roll.
    """
    kind = {"edge": "A"}.get(own[0], "B" if other[0] == "edge" else "C")
    if own[0] == other[0] == "edge":
        raise FormationError("an edge on an edge is two contacts, of the vertices at their ends; valid: an edge on a "
                             "vertex or an arc")
    part_place = _find_feature(part, own, at, "part")
    other_place = _find_feature(manipulator, other, at, "manipulator")
    normal = part_place.normal if kind == "A" else other_place.normal
    return FormationContact(kind, part_place.point, other_place.point, normal, at is not None, index, own[1], other[1],
                            part_place.radius, other_place.radius)


class _Place(NamedTuple):
    """What a contact needs of a feature."""

    point: tuple[float, float]  # of an edge its middle, or where it is held
    normal: tuple[float, float]
    radius: float


def _find_feature(outline: Shape, named: tuple[str, int], at: float | None, whose: str) -> _Place:
    word, number = named
    if not 0 <= number < len(outline):
        raise FormationError(f"{word} {number} of the {whose}: valid: 0 to {len(outline) - 1}")
    features = outline.features
    start, end, sign = features.start[number], features.end[number], int(features.sign[number])
    if word == "vertex":
        if sign and (start == end).all():
            raise FormationError(f"vertex {number} of the {whose}: a circle has no vertex; valid: arc {number}")
        return _Place((float(start[0]), float(start[1])), (0.0, 1.0), 0.0)
    if (word == "arc") != (sign != 0):
        own = [str(k) for k in np.flatnonzero((features.sign != 0) == (word == "arc"))]
        raise FormationError(f"{word} {number} of the {whose}: feature {number} is an {'arc' if sign else 'edge'}; "
                             f"valid: {', '.join(own) or f'none, it has no {word}'}")
    if word == "arc":
        x, y = features.centre[number].tolist()
        return _Place((x, y), (0.0, 1.0), sign * float(features.radius[number]))
    length = math.dist(start, end)
    along = (end - start) / length
    if at is not None and not 0.0 <= at <= length:
        raise FormationError(f"at = {at!r} m on edge {number} of the {whose}: valid: 0 to {length:.9g} m")
    x, y = (0.5 * (start + end) if at is None else start + at * along).tolist()
    return _Place((x, y), (float(along[1]), float(-along[0])), 0.0)
