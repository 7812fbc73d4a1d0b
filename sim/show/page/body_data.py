"""Bodies and prescribed motions as a page draws them: outlines exactly, in edges and arcs, and laws of motion as such.

A body is {name, loops, mu, e, motion, surface}. A loop is a list of features, the outer loop first; a feature is
[x, y] of the start of an edge, or [x, y, cx, cy, radius, sign] of an arc (sign +1 turns left); it ends where the next
one starts. All in metres; of the part about its centre of mass, unrotated; of an obstacle in the world at t = 0.

A motion is {x, y, theta, pivot}; a coordinate {pieces: [[begin, origin, c0, c1, ...]], waves: [[amplitude, frequency,
phase]]}. The first piece has the begin null: it goes back for ever.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from geometry.prescribed.motion import Coordinate, Motion
from geometry.shapes.outline import Outline
from geometry.shapes.polygon import Polygon
from sim.log.bodies import BodyRecord, SceneRecord


def describe_bodies(record: SceneRecord) -> dict[str, Any]:
    """The part and the obstacles of a scene."""
    return {"part": describe_body(record.workpiece, "part"),
            "obstacles": [describe_body(body, f"obstacle {k}") for k, body in enumerate(record.obstacles)]}


def describe_body(body: BodyRecord, unnamed: str = "") -> dict[str, Any]:
    """One body; `unnamed` is what it is called if it has no name."""
    found: dict[str, Any] = {"name": body.name or unnamed, "loops": describe_loops(body.outline)}
    if body.mass:
        found |= {"mass": float(body.mass), "rho": float(body.rho)}
    else:
        found |= {"mu": float(body.mu), "e": float(body.e)}
    if body.motion is not None:
        found["motion"] = describe_motion(body.motion)
    if body.surface_speed:
        found["surface"] = float(body.surface_speed)
    return found


def describe_loops(outline: Polygon | Outline) -> list[list[list[float]]]:
    """The loops of an outline."""
    if isinstance(outline, Polygon):
        return [outline.vertices.tolist()]
    return [[_describe_feature(outline, int(row)) for row in np.flatnonzero(outline.loop == k)]
            for k in range(outline.n_loops)]


def _describe_feature(outline: Outline, row: int) -> list[float]:
    start = outline.start[row].tolist()
    if outline.sign[row] == 0:
        return start
    return [*start, *outline.centre[row].tolist(), float(outline.radius[row]), int(outline.sign[row])]


def describe_motion(motion: Motion) -> dict[str, Any]:
    """The law by which a frame moves."""
    return {"x": describe_coordinate(motion.x), "y": describe_coordinate(motion.y),
            "theta": describe_coordinate(motion.theta), "pivot": [float(p) for p in motion.pivot]}


def describe_coordinate(coordinate: Coordinate) -> dict[str, Any]:
    """One coordinate over time."""
    pieces = [[None if np.isinf(piece.begin) else float(piece.begin), float(piece.origin),
               *map(float, piece.coefficients)] for piece in coordinate.pieces]
    found: dict[str, Any] = {"pieces": pieces}
    if coordinate.waves:
        found["waves"] = [[float(wave.amplitude), float(wave.frequency), float(wave.phase)]
                          for wave in coordinate.waves]
    return found
