"""What a log and a picture need of a scene: its text, and the outline of each body.

A log must be readable and drawable years later, also by a program whose scene schema has changed. So it carries
vertices beside the scene text, and pictures are drawn from these bodies, never from a `Scene`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sim.scene import Scene


@dataclass(frozen=True, eq=False)
class Body:
    """One polygon: the workpiece (vertices relative to its centre of mass, unrotated) or an obstacle (world frame)."""

    name: str
    vertices: np.ndarray  # (n, 2), m, counter-clockwise
    mu: float = 0.0  # friction coefficient against the workpiece (obstacles)
    e: float = 0.0  # restitution against the workpiece (obstacles)
    mass: float = 0.0  # kg (workpiece)
    rho: float = 0.0  # radius of gyration, m (workpiece)


@dataclass(frozen=True, eq=False)
class SceneRecord:
    """The part of a scene that a log keeps."""

    name: str
    summary: str
    text: str
    source: str  # the file that the text came from, "" if none
    workpiece: Body
    obstacles: tuple[Body, ...] = field(default=())


def build_scene_record(scene: Scene) -> SceneRecord:
    """Take from a scene what a log keeps of it."""
    part = scene.workpiece
    workpiece = Body(
        name=part.name,
        vertices=copy_vertices(part.outline.vertices),
        mass=float(part.mass),
        rho=float(part.rho),
    )
    obstacles = tuple(
        Body(name=other.name, vertices=copy_vertices(other.vertices), mu=float(other.mu), e=float(other.e))
        for other in scene.obstacles
    )
    source = "" if scene.source is None else str(scene.source)
    return SceneRecord(scene.name, scene.summary, scene.text, source, workpiece, obstacles)


def copy_vertices(vertices: np.ndarray) -> np.ndarray:
    """A read-only float64 copy of shape (n, 2)."""
    copy = np.array(vertices, dtype=np.float64).reshape(-1, 2)
    copy.flags.writeable = False
    return copy
