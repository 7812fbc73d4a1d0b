"""Features of outlines, by word and number, as rows of the tables that compiled code reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sim.scene.scene_errors import SceneError
from sim.tolerances import SAME_FEATURE

if TYPE_CHECKING:
    from geometry.contact.contacts import Part, Walls
    from sim.scene.scene import Obstacle


def find_part_row(part: Part, named: tuple[str, int]) -> int:
    """Row of an edge, a vertex or an arc of the part."""
    word, number = named
    return int(part.edge["arc"][number]) if word == "arc" else number


def find_wall_row(obstacle: Obstacle, index: int, named: tuple[str, int], walls: Walls) -> int:
    """Row of a feature of an obstacle, with the walls as at t = 0. An edge that others cut is its longest piece.

    Raises SceneError where none of it is left on the boundary.
    """
    word, number = named
    features = obstacle.shape.features
    start, end = features.start[number], features.end[number]
    edge, near = walls.edge, SAME_FEATURE * max(obstacle.outline.size, float(np.abs(obstacle.shape.bounds).max()))
    own = (edge["owner"] == index) & ((edge["radius"] != 0.0) == (word == "arc"))
    place = np.column_stack((edge["x"], edge["y"]))
    if word == "arc":
        fits = own & (np.hypot(*(place - features.centre[number]).T) <= near)
        fits &= np.abs(np.abs(edge["radius"]) - features.radius[number]) <= near
        size = edge["half"]
    elif word == "vertex":
        fits = own & (np.hypot(*(place - start).T) <= near)
        size = edge["length"]
    else:
        along = (end - start) / np.hypot(*(end - start))
        arm, length = place - start, float(np.hypot(*(end - start)))
        first = arm @ along
        fits = own & (edge["length"] > 0.0) & (np.abs(arm @ [along[1], -along[0]]) <= near)
        fits &= (edge["dx"] * along[0] + edge["dy"] * along[1] > 0.5) & (first >= -near)
        fits &= first + edge["length"] <= length + near
        ends = place + edge["length"][:, None] * np.column_stack((edge["dx"], edge["dy"]))
        fits &= np.abs((ends - start) @ [along[1], -along[0]]) <= near
        size = edge["length"]
    if not fits.any():
        raise SceneError(f"{word} {number} of {obstacle.name!r} is not on the boundary: another obstacle covers it")
    return int(np.flatnonzero(fits)[np.argmax(size[fits])])
