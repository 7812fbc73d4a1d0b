"""Squeezes that orient the part of a scene, of a drawing, or of an outline."""

from __future__ import annotations

import os

from numpy.typing import ArrayLike

from geometry.rest.squeezing import SqueezePlan, find_squeeze_plan
from geometry.shapes.outline import Outline
from geometry.shapes.polygon import Polygon
from sim.scene.build import take_scene
from sim.scene.build_outline import AnyOutline
from sim.scene.scene import Scene


def plan_squeezes(part: Scene | str | os.PathLike | Polygon | Outline | ArrayLike, slack: float = 0.0) -> SqueezePlan:
    """The shortest plan of squeezes between frictionless parallel jaws after which the part has one orientation, up to
    its symmetry and a half turn, whatever it had before (Goldberg 1993); see `geometry.rest.squeezing`.

    part: a scene, its name or file, an outline, or vertices (n, 2) in m. Of the scene only the outline of the part
    counts. slack [rad]: by how much each turn of the jaws may be off at least; of the shortest plans with that the one
    whose smallest slack is largest is returned. Raises SceneError, InputError for a part whose width is the same over a
    range of directions (a disc), and where no plan has so much slack.
    """
    return find_squeeze_plan(take_outline(part), slack)


def take_outline(part: Scene | str | os.PathLike | Polygon | Outline | ArrayLike) -> AnyOutline:
    """The outline that is meant."""
    if isinstance(part, Polygon | Outline):
        return part
    if isinstance(part, Scene | str | os.PathLike):
        return take_scene(part).workpiece.outline
    return Polygon.from_vertices(part)
