"""Polygon: a validated simple outline, convex or not, with its area, centroid and radius of gyration."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from geometry.errors import StictionError
from geometry.shapes.features import Features
from geometry.shapes.pose import Pose
from geometry.shapes.units import LARGEST_LENGTH, SMALLEST_LENGTH, to_metres
from geometry.tolerances import VERTEX_TOLERANCE, VERTEX_ULPS


class PolygonError(StictionError, ValueError):
    """The outline is not a simple polygon; the message names the fault and its place."""


@dataclass(frozen=True, eq=False)
class Polygon:
    """A simple outline in metres: `vertices` (n, 2), float64, counter-clockwise, no vertex twice, no flat vertex.

    The constructor takes any (n, 2) array of a simple outline: a repeated closing vertex, doubled or nearly equal
    vertices and vertices in the middle of a straight edge are dropped (tolerance VERTEX_TOLERANCE), clockwise order is
    turned; the first vertex stays first. Edge i runs from vertex i to vertex i + 1. Raises PolygonError for crossing or
    self-touching outlines (with the place), fewer than three distinct points, zero area, NaN and infinity.
    """

    vertices: np.ndarray

    def __post_init__(self):
        object.__setattr__(self, "vertices", _freeze(_clean_outline(self.vertices)))

    # ------------------------------------------------------------------------------------------------ shorthands

    @classmethod
    def box(cls, width: float, height: float) -> Polygon:
        """Rectangle with its centre at the origin, sides in metres."""
        for name, side in (("width", width), ("height", height)):
            if not (math.isfinite(side) and side > 0.0):
                raise PolygonError(f"the {name} of a box must be positive and finite, not {side!r}")
        a, b = width / 2.0, height / 2.0
        return cls(np.array([[-a, -b], [a, -b], [a, b], [-a, b]]))

    @classmethod
    def regular(cls, n: int, circumradius: float) -> Polygon:
        """Regular n-gon, centre at the origin, lowest edge level: vertex k at angle -90 deg + (k + 1/2) 360 deg / n."""
        if n < 3:
            raise PolygonError(f"a regular polygon needs at least three corners, not {n}")
        if not (math.isfinite(circumradius) and circumradius > 0.0):
            raise PolygonError(f"the circumradius must be positive and finite, not {circumradius!r}")
        # Mirror images share the same doubles, so that level edges are level and the centroid is 0 to the last bit.
        angle = math.pi * (2 * np.arange(n) + 1) / n
        x, y = circumradius * np.sin(angle), -circumradius * np.cos(angle)
        half, quarter = n // 2, n // 4
        if n % 2:
            x[half] = 0.0
        else:
            x[half - quarter : half], y[half - quarter : half] = x[:quarter][::-1], -y[:quarter][::-1]
            y[quarter : half - quarter] = 0.0
        x[n - half :], y[n - half :] = -x[:half][::-1], y[:half][::-1]
        return cls(np.stack([x, y], axis=1))

    @classmethod
    def from_vertices(cls, vertices: ArrayLike, unit: str = "m") -> Polygon:
        """Outline from an (n, 2) list of vertices in `unit` (a key of geometry.shapes.units.LENGTH_UNITS)."""
        return cls(to_metres(_as_points(vertices), unit))

    # ------------------------------------------------------------------------------------------------- properties

    @cached_property
    def _moments(self) -> tuple[float, float, float, float]:
        """(area, centroid x, centroid y, polar second moment about the centroid); see `_compute_moments`."""
        return _compute_moments(self.vertices)

    @property
    def area(self) -> float:
        """Area, m^2."""
        return self._moments[0]

    @property
    def centroid(self) -> np.ndarray:
        """Centroid (2,), m, in the frame of the vertices."""
        return np.array(self._moments[1:3])

    @property
    def second_moment(self) -> float:
        """Polar second moment of area about the centroid, m^4."""
        return self._moments[3]

    @property
    def rho(self) -> float:
        """Radius of gyration about the centroid for uniform density, m."""
        return math.sqrt(self.second_moment / self.area)

    @property
    def size(self) -> float:
        """Diagonal of the bounding box, m."""
        return _diagonal(self.vertices)

    @property
    def reach(self) -> float:
        """Largest distance of a vertex from the origin of the frame, m."""
        return float(np.hypot(self.vertices[:, 0], self.vertices[:, 1]).max())

    @property
    def bounds(self) -> np.ndarray:
        """(2, 2): lowest x and y, highest x and y, m."""
        return np.array([self.vertices.min(axis=0), self.vertices.max(axis=0)])

    @property
    def features(self) -> Features:
        """The edges, as those of an Outline: edge i starts at vertex i."""
        n = len(self.vertices)
        return Features(self.vertices, np.roll(self.vertices, -1, axis=0), self.vertices, np.zeros(n),
                        np.zeros(n, dtype=np.int64))

    @property
    def loop(self) -> np.ndarray:
        """(n,) int64: 0, the outer loop, of each edge: a polygon has no holes."""
        return np.zeros(len(self.vertices), dtype=np.int64)

    def sample(self, tolerance: float) -> list[np.ndarray]:
        """The vertices: points round each loop, as those of an Outline."""
        return [self.vertices]

    def __len__(self) -> int:
        return len(self.vertices)

    def __eq__(self, other) -> bool:
        return isinstance(other, Polygon) and np.array_equal(self.vertices, other.vertices)

    @cached_property
    def _hash(self) -> int:
        return hash(self.vertices.tobytes())

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"Polygon({len(self)} vertices, area {self.area:.6g} m^2)"

    # ----------------------------------------------------------------------------------------------------- copies

    def translated(self, dx: float, dy: float) -> Polygon:
        """Copy moved by (dx, dy)."""
        return trust_vertices(self.vertices + np.array([dx, dy], dtype=np.float64))

    def rotated(self, theta: float) -> Polygon:
        """Copy turned by theta about the origin, counter-clockwise."""
        c, s = math.cos(theta), math.sin(theta)
        x, y = self.vertices.T
        return trust_vertices(np.stack([c * x - s * y, s * x + c * y], axis=1))

    def placed(self, pose: Pose) -> Polygon:
        """Copy in the outer frame of a frame that has this pose."""
        return trust_vertices(pose.transform(self.vertices))

    def scaled(self, factor: float) -> Polygon:
        """Copy scaled about the origin by a positive factor."""
        if not (math.isfinite(factor) and factor > 0.0):
            raise PolygonError(f"the scale factor must be positive and finite, not {factor!r}")
        return trust_vertices(self.vertices * factor)


def trust_vertices(vertices: np.ndarray) -> Polygon:
    """Polygon from vertices that are known to be clean, without checking them again."""
    polygon = object.__new__(Polygon)
    object.__setattr__(polygon, "vertices", _freeze(vertices))
    return polygon


def _freeze(vertices: np.ndarray) -> np.ndarray:
    vertices = np.ascontiguousarray(vertices, dtype=np.float64)
    vertices.setflags(write=False)
    return vertices


def _diagonal(points: np.ndarray) -> float:
    return float(np.hypot(*np.ptp(points, axis=0)))


def _compute_moments(vertices: np.ndarray) -> tuple[float, float, float, float]:
    """Area, centroid and polar second moment by the divergence theorem.

    With c_i = x_i y_i+1 - x_i+1 y_i, taken about the centre of the bounding box (far from the origin the sums would
    cancel) and added without rounding:

        A = sum c_i / 2 ,   A cx = sum (x_i + x_i+1) c_i / 6 ,
        J0 = sum (x_i^2 + x_i x_i+1 + x_i+1^2 + y_i^2 + y_i y_i+1 + y_i+1^2) c_i / 12 ,   J = J0 - A |c|^2 .

    An outline that is symmetric about its centre gets its centroid there to the last bit.
    """
    centre = 0.5 * (vertices.min(axis=0) + vertices.max(axis=0))
    x0, y0 = (vertices - centre).T
    x1, y1 = np.roll(x0, -1), np.roll(y0, -1)
    cross = x0 * y1 - x1 * y0
    area = 0.5 * math.fsum(cross)
    cx = math.fsum((x0 + x1) * cross) / (6.0 * area)
    cy = math.fsum((y0 + y1) * cross) / (6.0 * area)
    polar = math.fsum((x0 * x0 + x0 * x1 + x1 * x1 + y0 * y0 + y0 * y1 + y1 * y1) * cross) / 12.0
    return area, float(centre[0] + cx), float(centre[1] + cy), polar - area * (cx * cx + cy * cy)


# --------------------------------------------------------------------------------------------------------- cleaning


def _as_points(vertices) -> np.ndarray:
    try:
        points = np.array(vertices, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise PolygonError(f"an outline is a list of [x, y] pairs of numbers ({error})") from None
    if points.ndim != 2 or points.shape[1] != 2:
        raise PolygonError(f"an outline is a list of [x, y] pairs of numbers, not an array of shape {points.shape}")
    return points


def _show(point) -> str:
    return f"({point[0]:.9g}, {point[1]:.9g})"


def _clean_outline(vertices) -> np.ndarray:
    """The outline as Polygon keeps it; raises PolygonError."""
    points = _as_points(vertices)
    bad = np.flatnonzero(~np.isfinite(points).all(axis=1))
    if bad.size:
        raise PolygonError(f"vertex {bad[0]} of the outline is not finite: {_show(points[bad[0]])}")
    ordered = points[np.lexsort(points.T)]  # by hand: np.unique imports masked arrays, a twentieth of a short run
    distinct = 1 + int(np.count_nonzero((ordered[1:] != ordered[:-1]).any(axis=1))) if len(points) else 0
    if distinct < 3:
        raise PolygonError(f"an outline needs at least three distinct points, not {distinct}")
    largest = float(np.abs(points).max())
    if largest > LARGEST_LENGTH:
        raise PolygonError(f"the outline is too large: a coordinate of {largest:.3g} m; valid are coordinates up to "
                           f"{LARGEST_LENGTH:g} m")
    if _diagonal(points) < SMALLEST_LENGTH:
        raise PolygonError(f"the outline is too small: {_diagonal(points):.3g} m across; valid is at least "
                           f"{SMALLEST_LENGTH:g} m")
    tolerance = VERTEX_TOLERANCE * _diagonal(points) + VERTEX_ULPS * float(np.spacing(largest))
    points = _drop_repeated(points, tolerance)
    if len(points) < 3:
        raise PolygonError(f"an outline needs at least three distinct points, not {len(points)}")
    _check_not_a_line(points, tolerance)
    points = _drop_flat(points, tolerance)
    _check_simple(points)
    x0, y0 = (points - points[0]).T
    twice_area = np.dot(x0, np.roll(y0, -1)) - np.dot(np.roll(x0, -1), y0)
    if abs(twice_area) <= tolerance * _diagonal(points):
        raise PolygonError("the outline has no area: it goes there and back, or crosses itself, near "
                           f"{_show(points[0])}")
    return np.roll(points[::-1], 1, axis=0) if twice_area < 0.0 else points


def _drop_repeated(points: np.ndarray, tolerance: float) -> np.ndarray:
    """Drop every vertex within the tolerance of the last one kept, and closing vertices on the first."""
    if np.hypot(*(points - np.roll(points, 1, axis=0)).T).min() > 2.0 * tolerance:  # none is; twice: for rounding
        return points
    kept = [0]
    last = points[0]
    for i in range(1, len(points)):
        if math.dist(points[i], last) > tolerance:
            kept.append(i)
            last = points[i]
    while len(kept) > 1 and math.dist(points[kept[-1]], points[0]) <= tolerance:
        kept.pop()
    return points[kept]


def _check_not_a_line(points: np.ndarray, tolerance: float) -> None:
    """Refuse an outline whose points all lie on one line."""
    first = points[0]
    reach = np.hypot(*(points - first).T)
    far = points[int(reach.argmax())]
    ux, uy = (far - first) / reach.max()
    height = ux * (points[:, 1] - first[1]) - uy * (points[:, 0] - first[0])
    if np.abs(height).max() <= tolerance:
        raise PolygonError(f"the outline has zero area: all points lie on the line from {_show(first)} to {_show(far)}")


def _drop_flat(points: np.ndarray, tolerance: float) -> np.ndarray:
    """Drop vertices in the middle of a straight edge; refuse an outline that turns straight back."""
    n = len(points)
    rolled_back, rolled_on = np.roll(points, 1, axis=0), np.roll(points, -1, axis=0)
    suspect = _height(rolled_back, points, rolled_on) <= 2.0 * tolerance
    if not suspect.any():
        return points
    kept: list[int] = []
    corners = np.flatnonzero(~suspect)
    start = int(corners[0]) if corners.size else 0
    order = [(start + i) % n for i in range(n)]
    kept.append(order[0])
    clear = ~suspect
    for h, i, j in zip(order, order[1:], [*order[2:], order[0]], strict=False):
        if clear[i] and kept[-1] == h:  # measured above, between the same two
            kept.append(i)
            continue
        a, b, c = points[kept[-1]], points[i], points[j]
        if _height(a, b, c) <= tolerance:
            if np.dot(b - a, c - b) < 0.0:
                raise PolygonError(f"the outline touches itself: it turns straight back at {_show(b)}")
            continue
        kept.append(i)
    if len(kept) < 3:
        raise PolygonError(f"the outline has zero area: nothing but a line through {_show(points[0])}")
    return points[np.sort(kept)]


def _height(a, b, c):
    """Distance of b from the line through a and c (from a, where c is a)."""
    d, e = c - a, b - a
    length = np.hypot(d[..., 0], d[..., 1])
    cross = np.abs(d[..., 0] * e[..., 1] - d[..., 1] * e[..., 0])
    return np.where(length > 0.0, cross / np.where(length > 0.0, length, 1.0), 0.0)


def _check_simple(points: np.ndarray) -> None:
    """Refuse an outline that crosses or touches itself, naming the place (O(n log n), by shapely)."""
    import shapely  # 50 ms: only where an outline is read

    shape = shapely.Polygon(points - points[0])
    if shape.is_valid:
        return
    reason = shapely.is_valid_reason(shape)
    found = re.match(r"([^\[]*)\[(\S+) (\S+)\]", reason)
    if not found:
        raise PolygonError(f"the outline is not simple: {reason}")
    place = _show(np.array([float(found[2]), float(found[3])]) + points[0])
    if "Ring" in found[1]:
        raise PolygonError(f"the outline touches itself at {place}")
    raise PolygonError(f"the outline crosses itself at {place}")
