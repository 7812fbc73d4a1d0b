"""Outline: closed loops of edges and arcs, holes among them, with area, centroid and radius of gyration."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from geometry.shapes.cleaning import Loop, clean_loop
from geometry.shapes.crossings import check_simple
from geometry.shapes.features import (
    Features,
    OutlineError,
    build_circle,
    build_features,
    compute_boxes,
    compute_lengths,
    compute_reach,
    compute_rounding,
    compute_sweeps,
    compute_turns,
    join_features,
    reverse_features,
    sample_features,
)
from geometry.shapes.moments import Moments, compute_moments
from geometry.shapes.nesting import find_enclosing
from geometry.shapes.pose import Pose
from geometry.shapes.units import LARGEST_LENGTH, SMALLEST_LENGTH, to_metres
from geometry.tolerances import LARGEST_BULGE, SMOOTH_TURN

if TYPE_CHECKING:
    from geometry.drawings.conversion import Conversion


@dataclass(frozen=True, eq=False)
class Outline:
    """Closed loops of features, each an edge or an arc, in metres; the solid is on their left.

    The first loop is the outer one and runs counter-clockwise, the others are holes and run clockwise. Feature i runs
    from start[i] to end[i], which is the start of the next feature of its loop. Joint i is where it starts: a corner,
    where the direction jumps, or smooth. A disc is one feature, which starts and ends in the same point, and has no
    joint. Made by `from_vertices`, `disc`, `capsule`, `from_file`, and the copies below.
    """

    start: np.ndarray  # (n, 2)
    end: np.ndarray  # (n, 2)
    centre: np.ndarray  # (n, 2) of the circle of an arc; of an edge its start
    radius: np.ndarray  # (n,) 0 for an edge
    sign: np.ndarray  # (n,) int64: +1 a convex arc, -1 a concave one, 0 an edge
    loop: np.ndarray  # (n,) int64: 0 the outer loop, 1 and so on the holes
    conversion: Conversion | None = None  # what reading a file did to it; None if it was not read from one

    # ---------------------------------------------------------------------------------------------------- shorthands

    @classmethod
    def from_vertices(cls, vertices: ArrayLike, bulge: ArrayLike | None = None, unit: str = "m") -> Outline:
        """One loop through (n, 2) vertices in `unit`, feature i from vertex i to the next.

        bulge: (n,) tan(sweep / 4) of each feature, 0 for an edge, positive where it turns counter-clockwise on its way
        from vertex to vertex, as in DXF; all edges if not given. Either direction; repeated vertices and vertices
        inside an edge or an arc are dropped. Raises OutlineError.
        """
        points = to_metres(_read_points(vertices), unit)
        _check_points(points)
        return build_outline([build_features(points, np.roll(points, -1, axis=0), _read_bulge(bulge, len(points)))])

    @classmethod
    def disc(cls, radius: float, center: ArrayLike = (0.0, 0.0)) -> Outline:
        """A whole disc, m: one feature, no joint."""
        radius, centre = _read_length(radius, "radius of a disc"), _read_points(np.expand_dims(np.asarray(center), 0))
        _check_points(centre)
        return build_outline([build_circle(centre[0], radius, 1)])

    @classmethod
    def capsule(cls, length: float, radius: float) -> Outline:
        """Two half discs, their centres `length` apart on the x axis, and two straight sides between, m; in all it is
        length + 2 radius long. The centre is at the origin."""
        a, r = _read_length(length, "length of a capsule") / 2.0, _read_length(radius, "radius of a capsule")
        points = np.array([[-a, -r], [a, -r], [a, r], [-a, r]])
        features = build_features(points, np.roll(points, -1, axis=0), np.array([0.0, 1.0, 0.0, 1.0]))
        features.centre[1::2] = [[a, 0.0], [-a, 0.0]]
        features.radius[1::2] = r
        return build_outline([features])

    @classmethod
    def from_file(cls, path: str | os.PathLike, layer: str | None = None, unit: str | None = None,
                  tolerance: float | None = None) -> Outline:
        """The outline that a DXF or SVG file draws, y upwards; what reading it did is in `conversion`.

        layer: take only what is on this layer (of an SVG: in the group of this label or id). unit: of the drawing (a
        key of LENGTH_UNITS); that of the file if not given. tolerance: how far arcs may lie off the ellipses and
        splines that they stand for, in the unit of the drawing; CURVE_TOLERANCE of the size if not given. Raises
        InputError, which names the file, what is wrong where, and what is valid.
        """
        from geometry.shapes.part_file import naming_file, read_part

        part = read_part(path, layer, unit, tolerance)
        with naming_file(part.conversion.path):
            return build_outline(part.loops, part.names, part.conversion)

    # ---------------------------------------------------------------------------------------------------- properties

    @property
    def features(self) -> Features:
        """All rows, as the functions of `geometry.shapes.features` take them."""
        return Features(self.start, self.end, self.centre, self.radius, self.sign)

    @property
    def n_loops(self) -> int:
        """How many loops: one, and one more for each hole."""
        return int(self.loop[-1]) + 1

    @cached_property
    def previous(self) -> np.ndarray:
        """(n,) int64: the feature that ends where feature i starts; that of a disc is itself."""
        back = np.empty(len(self.loop), dtype=np.int64)
        back[self.next] = np.arange(len(self.loop))
        return _freeze(back)

    @cached_property
    def next(self) -> np.ndarray:
        """(n,) int64: the feature that starts where feature i ends."""
        rows = [np.flatnonzero(self.loop == k) for k in range(self.n_loops)]
        return _freeze(np.concatenate([np.roll(group, -1) for group in rows]))

    @cached_property
    def sweep(self) -> np.ndarray:
        """(n,) angle that each arc turns through, rad, positive; 0 for an edge, 2 pi for a disc."""
        return _freeze(compute_sweeps(self.features))

    @cached_property
    def length(self) -> np.ndarray:
        """(n,) length of each feature, m."""
        return _freeze(compute_lengths(self.features))

    @cached_property
    def turn(self) -> np.ndarray:
        """(n,) jump of the direction at the start of each feature, rad: positive at a convex corner, negative at a
        reflex one, 0 where the joint is smooth or there is none."""
        turn = compute_turns(self.features, self.previous)
        blunt = np.minimum(self.length, self.length[self.previous])
        blunt = np.minimum(blunt, np.where(self.sign == 0, np.inf, self.radius))
        allowed = np.maximum(SMOOTH_TURN, compute_rounding(self.features) / blunt)
        return _freeze(np.where(np.abs(turn) <= allowed, 0.0, turn))

    @property
    def corner(self) -> np.ndarray:
        """(n,) bool: is the joint at the start of feature i a corner? False where it is smooth, and for a disc."""
        return self.turn != 0.0

    @cached_property
    def _moments(self) -> Moments:
        return compute_moments(self.features)

    @property
    def area(self) -> float:
        """Area without the holes, m^2."""
        return self._moments.area

    @property
    def centroid(self) -> np.ndarray:
        """Centroid (2,), m."""
        return np.array(self._moments.centroid)

    @property
    def second_moment(self) -> float:
        """Polar second moment of area about the centroid, m^4."""
        return self._moments.polar

    @property
    def rho(self) -> float:
        """Radius of gyration about the centroid for uniform density, m."""
        return math.sqrt(self.second_moment / self.area)

    @property
    def bounds(self) -> np.ndarray:
        """(2, 2): lowest x and y, highest x and y, m; arcs count as arcs."""
        low, high = compute_boxes(self.features)
        return np.array([low.min(axis=0), high.max(axis=0)])

    @property
    def reach(self) -> float:
        """Largest distance of a point from the origin of the frame, m."""
        return compute_reach(self.features)

    @property
    def size(self) -> float:
        """Diagonal of the bounding box, m."""
        return float(np.hypot(*np.ptp(self.bounds, axis=0)))

    def __len__(self) -> int:
        return len(self.loop)

    def __eq__(self, other) -> bool:
        return isinstance(other, Outline) and np.array_equal(self.loop, other.loop) and all(
            np.array_equal(a, b) for a, b in zip(self.features, other.features, strict=True))

    def __hash__(self) -> int:
        return hash(self.start.tobytes() + self.centre.tobytes())

    def __repr__(self) -> str:
        edges, holes = int((self.sign == 0).sum()), self.n_loops - 1
        return f"Outline({edges} edges, {len(self) - edges} arcs, {holes} holes, area {self.area:.6g} m^2)"

    def sample(self, tolerance: float) -> list[np.ndarray]:
        """Points (k, 2) round each loop, between which straight lines lie at most `tolerance` (m) off the arcs."""
        if not (math.isfinite(tolerance) and tolerance > 0.0):
            raise OutlineError(f"the tolerance must be positive and finite, not {tolerance!r} m")
        return [sample_features(self.features.take(self.loop == k), tolerance) for k in range(self.n_loops)]

    # -------------------------------------------------------------------------------------------------------- copies

    def with_fillets(self, radius: ArrayLike) -> Outline:
        """Copy with arcs in place of corners between edges.

        radius: m, of all corners, or (n,) one for each vertex, numbered as in `start`; 0 keeps it sharp. At a reflex
        corner the arc is concave. Raises OutlineError, naming the vertex, where a fillet does not fit, and where
        there is no corner between two edges.
        """
        from geometry.shapes.fillets import Joints, fillet_loops

        joints = Joints(self.features, self.loop, self.previous, self.next, self.length, self.turn)
        loops, names = fillet_loops(joints, radius)
        return build_outline(loops, names)

    def with_holes(self, *holes: Outline) -> Outline:
        """Copy with the insides of other outlines cut out. Raises OutlineError where a hole is not wholly inside, or
        meets another one."""
        loops = [self.features.take(self.loop == k) for k in range(self.n_loops)]
        for k, hole in enumerate(holes):
            if hole.n_loops > 1:
                raise OutlineError(f"hole {k} has {hole.n_loops - 1} holes of its own; valid are outlines of one loop: "
                                   "what stands free inside a hole is another part")
            loops.append(hole.features)
        return build_outline(loops)

    def translated(self, dx: float, dy: float) -> Outline:
        """Copy moved by (dx, dy)."""
        shift = np.array([dx, dy], dtype=np.float64)
        moved = Features(self.start + shift, self.end + shift, self.centre + shift, self.radius, self.sign)
        return trust_features(moved, self.loop, self.conversion)

    def rotated(self, theta: float) -> Outline:
        """Copy turned by theta about the origin, counter-clockwise."""
        return self.placed(Pose(0.0, 0.0, theta))

    def placed(self, pose: Pose) -> Outline:
        """Copy in the outer frame of a frame that has this pose."""
        start, end, centre = map(pose.transform, (self.start, self.end, self.centre))
        return trust_features(Features(start, end, centre, self.radius, self.sign), self.loop, self.conversion)

    def scaled(self, factor: float) -> Outline:
        """Copy scaled about the origin by a positive factor."""
        if not (math.isfinite(factor) and factor > 0.0):
            raise OutlineError(f"the scale factor must be positive and finite, not {factor!r}")
        scaled = Features(self.start * factor, self.end * factor, self.centre * factor, self.radius * factor, self.sign)
        return trust_features(scaled, self.loop, self.conversion)


def build_outline(loops: Sequence[Features], names: Sequence[Sequence[str]] | None = None,
                  conversion: Conversion | None = None) -> Outline:
    """Outline from closed loops in any direction, the outer one first; checks all.

    names: of each feature, for messages. Raises OutlineError.
    """
    every = join_features(loops)
    _check_size(every)
    tolerance = compute_rounding(every)
    words = ["feature", *(f"hole {k}, feature" for k in range(len(loops) - 1))]
    cleaned = [clean_loop(loop, tolerance, word) for loop, word in zip(loops, words, strict=True)]
    if names is None:
        named = [[f"{word} {label}" for label in loop.label] for loop, word in zip(cleaned, words, strict=True)]
    else:
        named = [[group[label] for label in loop.label] for loop, group in zip(cleaned, names, strict=True)]
    check_simple(cleaned, tolerance, named)
    done = [_direct(loop, k, tolerance, every) for k, loop in enumerate(cleaned)]
    _check_holes(done)
    loop_of = np.repeat(np.arange(len(done), dtype=np.int64), [len(loop.sign) for loop in done])
    return trust_features(join_features(done), loop_of, conversion)


def _direct(loop: Loop, number: int, tolerance: float, every: Features) -> Features:
    """The loop in the direction of its kind: counter-clockwise round the outside, clockwise round a hole."""
    area = compute_moments(loop.features).area
    low, high = compute_boxes(loop.features)
    if abs(area) <= tolerance * float(np.hypot(*(high.max(axis=0) - low.min(axis=0)))):
        what = "the outline" if number == 0 else f"hole {number - 1}"
        raise OutlineError(f"{what} has no area: {abs(area):.3g} m^2")
    if (area > 0.0) == (number == 0):
        return loop.features
    return reverse_features(loop.features)


def _check_holes(loops: Sequence[Features]) -> None:
    """Refuse a hole that is not inside the outer loop, or is inside another hole; no loops meet."""
    if len(loops) == 1:
        return
    for k, around in enumerate(find_enclosing(loops)[1:]):
        x, y = loops[k + 1].start[0]
        if 0 not in around:
            raise OutlineError(f"hole {k} lies outside the outline, at ({x:.9g}, {y:.9g}) m; valid are holes inside "
                               f"the "
                               "first loop")
        if len(around) > 1:
            raise OutlineError(f"hole {k} lies in hole {max(around) - 1}; valid are holes in the solid, beside each "
                               f"other")


def trust_features(features: Features, loop: np.ndarray, conversion: Conversion | None) -> Outline:
    """Outline from rows that are known to be clean."""
    start, end, centre, radius, sign = (_freeze(np.ascontiguousarray(column)) for column in features)
    return Outline(start, end, centre, radius, sign, _freeze(loop), conversion)


def _freeze(values: np.ndarray) -> np.ndarray:
    values = values.view()
    values.setflags(write=False)
    return values


# ------------------------------------------------------------------------------------------------------------- input


def _read_points(vertices: ArrayLike) -> np.ndarray:
    try:
        points = np.array(vertices, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise OutlineError(f"the vertices of an outline are a list of [x, y] pairs of numbers ({error})") from None
    if points.ndim != 2 or points.shape[1:] != (2,) or not len(points):
        raise OutlineError("the vertices of an outline are a list of [x, y] pairs of numbers, not an array of shape "
                           f"{points.shape}")
    return points


def _read_bulge(bulge: ArrayLike | None, n: int) -> np.ndarray:
    if bulge is None:
        return np.zeros(n)
    try:
        values = np.array(bulge, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise OutlineError(f"the bulges of an outline are a list of numbers ({error})") from None
    if values.shape != (n,):
        raise OutlineError(f"an outline of {n} vertices has {n} bulges, one for each feature, the last one for the "
                           f"feature back to the first vertex; not an array of shape {values.shape}")
    bad = np.flatnonzero(~(np.abs(values) <= LARGEST_BULGE))
    if bad.size:
        raise OutlineError(f"bulge {bad[0]} of the outline is {values[bad[0]]:.9g}; valid are bulges up to "
                           f"{LARGEST_BULGE:g} in size, which is a whole circle but for a gap; for a whole one see "
                           "disc")
    return values


def _read_length(value: float, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.floating | np.integer) or not (
            math.isfinite(value) and value > 0.0):
        raise OutlineError(f"the {what} must be a number, positive and finite, not {value!r} m")
    return float(value)


def _check_points(points: np.ndarray) -> None:
    """Refuse vertices that are not finite, or too large to be computed with."""
    bad = np.flatnonzero(~np.isfinite(points).all(axis=1))
    if bad.size:
        x, y = points[bad[0]]
        raise OutlineError(f"vertex {bad[0]} of the outline is not finite: ({x:.9g}, {y:.9g})")
    largest = float(np.abs(points).max())
    if largest > LARGEST_LENGTH:
        raise OutlineError(f"the outline is too large: a coordinate of {largest:.3g} m; valid are coordinates up to "
                           f"{LARGEST_LENGTH:g} m")


def _check_size(features: Features) -> None:
    """Refuse lengths that cannot be computed with; the ends have been seen, arcs reach farther."""
    low, high = compute_boxes(features)
    _check_points(np.concatenate([low, high]))
    size = float(np.hypot(*(high.max(axis=0) - low.min(axis=0))))
    if size < SMALLEST_LENGTH:
        raise OutlineError(f"the outline is too small: {size:.3g} m across; valid is at least {SMALLEST_LENGTH:g} m")
