"""What one entity of a DXF file draws, as edges, arcs and curves in the plane of the drawing."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from geometry.drawings.affine import Affine
from geometry.drawings.curves import Parts, make_bulges, make_conic, make_line, make_spline
from geometry.drawings.drawing import DrawingError
from geometry.tolerances import UPRIGHT


class Drawn(NamedTuple):
    """Parts in order, whether they close, and a remark."""

    parts: Parts
    closed: bool
    note: str = ""


def make_parts(entity: Any, kind: str, affine: Affine) -> Drawn:
    """The parts of an entity under the map of the blocks that it stands in. Raises DrawingError for a kind that draws
    no plane curve, and for one that is tilted out of the plane."""
    makers = {"LINE": _make_line, "ARC": _make_arc, "CIRCLE": _make_circle, "LWPOLYLINE": _make_light_polyline,
              "POLYLINE": _make_polyline, "ELLIPSE": _make_ellipse, "SPLINE": _make_spline}
    if kind not in makers:
        raise DrawingError(f"a {kind} cannot be part of an outline; valid are {', '.join(makers)} and INSERT; put it "
                           "on a "
                           "layer that is frozen or not asked for")
    return makers[kind](entity, affine)


def _make_line(entity: Any, affine: Affine) -> Drawn:
    start, end = entity.dxf.start, entity.dxf.end
    _check_flat([start, end])
    return Drawn(make_line((start.x, start.y), (end.x, end.y), affine), False)


def _find_frame(entity: Any, affine: Affine) -> Affine:
    """The map from the entity's own plane, whose normal is z or -z; seen from -z, x runs the other way."""
    extrusion = entity.dxf.extrusion if entity.dxf.hasattr("extrusion") else None
    if extrusion is None:
        return affine
    x, y, z = (float(value) for value in extrusion)
    if max(abs(x), abs(y)) > UPRIGHT * abs(z):
        raise DrawingError(f"its extrusion ({x:.6g}, {y:.6g}, {z:.6g}) tilts it out of the plane; valid are (0, 0, 1) "
                           "and "
                           "(0, 0, -1)")
    return affine if z > 0.0 else affine.after(Affine(a=-1.0))


def _make_arc(entity: Any, affine: Affine) -> Drawn:
    dxf = entity.dxf
    first = math.radians(dxf.start_angle)
    turns = (dxf.end_angle - dxf.start_angle) % 360.0
    sweep = math.radians(turns) if turns else 2.0 * math.pi
    centre, radius = dxf.center, _check_radius(dxf.radius)
    ends = None
    if turns:
        ends = [(centre.x + radius * _cos(angle), centre.y + radius * _sin(angle))
                for angle in (dxf.start_angle, dxf.end_angle)]
    return Drawn(make_conic((centre.x, centre.y), (radius, 0.0), (0.0, radius), first, first + sweep,
                            _find_frame(entity, affine), ends), not turns)


def _cos(degrees: float) -> float:
    """Exact at quarter turns, as drawings mean them."""
    return _sin(degrees + 90.0)


def _sin(degrees: float) -> float:
    quarter, rest = divmod(degrees, 90.0)
    return (math.sin(math.radians(rest)), math.cos(math.radians(rest)), -math.sin(math.radians(rest)),
            -math.cos(math.radians(rest)))[int(quarter) % 4]


def _check_radius(radius: float) -> float:
    if not (math.isfinite(radius) and radius > 0.0):
        raise DrawingError(f"its radius is {radius:.6g}; valid are positive ones")
    return radius


def _make_circle(entity: Any, affine: Affine) -> Drawn:
    centre, radius = entity.dxf.center, _check_radius(entity.dxf.radius)
    return Drawn(make_conic((centre.x, centre.y), (radius, 0.0), (0.0, radius), 0.0, 2.0 * math.pi,
                            _find_frame(entity, affine)), True)


def _make_light_polyline(entity: Any, affine: Affine) -> Drawn:
    rows = [(float(x), float(y), float(bulge)) for x, y, bulge in entity.get_points("xyb")]
    return _join_vertices(rows, bool(entity.closed), _find_frame(entity, affine))


def _join_vertices(rows: list[tuple[float, float, float]], closed: bool, affine: Affine) -> Drawn:
    if len(rows) < 2:
        return Drawn([], False)
    points = [row[:2] for row in rows]
    bulges = [row[2] for row in rows]
    if not closed:
        bulges.pop()
    parts = make_bulges(points, bulges, affine)
    # drawn open, but ending where it began
    return Drawn(parts, closed or (len(parts) > 1 and points[0] == points[-1]))


def _make_polyline(entity: Any, affine: Affine) -> Drawn:
    """The old kind: of the plane, or of space while it stays in a plane."""
    if not (entity.is_2d_polyline or entity.is_3d_polyline):
        raise DrawingError("it is a mesh; valid are polylines of the plane")
    # frames of a curve that was fitted are no points of it
    vertices = [vertex for vertex in entity.vertices if not int(vertex.dxf.get("flags", 0)) & 16]
    places = [vertex.dxf.location for vertex in vertices]
    _check_flat(places)
    rows = [(float(place.x), float(place.y), float(vertex.dxf.get("bulge", 0.0)))
            for place, vertex in zip(places, vertices, strict=True)]
    frame = _find_frame(entity, affine) if entity.is_2d_polyline else affine
    return _join_vertices(rows, bool(entity.is_closed), frame)


def _make_ellipse(entity: Any, affine: Affine) -> Drawn:
    """In the coordinates of the world: the minor axis is the major one turned about the extrusion."""
    dxf = entity.dxf
    _find_frame(entity, affine)  # refuses a tilted one
    major, centre = dxf.major_axis, dxf.center
    side = 1.0 if not dxf.hasattr("extrusion") or dxf.extrusion.z > 0.0 else -1.0
    ratio = float(dxf.ratio)
    if not 0.0 < abs(ratio) <= 1.0 or (major.x, major.y) == (0.0, 0.0):
        raise DrawingError(f"its axes have the ratio {ratio:.6g}; valid are ratios from 0 to 1, without 0")
    minor = (-major.y * ratio * side, major.x * ratio * side)
    first, last = float(dxf.start_param), float(dxf.end_param)
    sweep = (last - first) % (2.0 * math.pi)
    whole = sweep == 0.0 or abs(abs(last - first) - 2.0 * math.pi) <= UPRIGHT
    return Drawn(make_conic((centre.x, centre.y), (major.x, major.y), minor, first,
                            first + (2.0 * math.pi if whole else sweep), affine), whole)


def _make_spline(entity: Any, affine: Affine) -> Drawn:
    control = [tuple(map(float, point)) for point in entity.control_points]
    fit = [tuple(map(float, point)) for point in entity.fit_points]
    _check_flat([*control, *fit])
    note = ""
    if control:
        parts = make_spline(int(entity.dxf.degree), list(entity.knots), control, list(entity.weights), affine)
    elif len(fit) >= 2:
        from ezdxf.math import fit_points_to_cad_cv

        tangents = [entity.dxf.get("start_tangent"), entity.dxf.get("end_tangent")]
        spline = fit_points_to_cad_cv(fit, tangents=tangents if all(tangents) else None)
        parts = make_spline(spline.degree, list(spline.knots()), [tuple(p) for p in spline.control_points],
                            list(spline.weights()), affine)
        note = f"only {len(fit)} points that it passes through are in the file; the cubic spline through them is taken"
    else:
        return Drawn([], False)
    closed = len(parts) > 1 and bool(np.allclose(parts[0].start, parts[-1].end, rtol=0.0, atol=0.0))
    return Drawn(parts, closed, note)


def _check_flat(points: Any) -> None:
    """Refuse points that are not all at one height."""
    heights = [float(point[2]) if len(point) > 2 else 0.0 for point in points]
    extent = max((abs(float(value)) for point in points for value in (point[0], point[1])), default=0.0)
    if heights and max(heights) - min(heights) > UPRIGHT * extent:
        raise DrawingError(f"it is not level: z runs from {min(heights):.6g} to {max(heights):.6g}; valid are drawings "
                           "in "
                           "one plane, z constant")
