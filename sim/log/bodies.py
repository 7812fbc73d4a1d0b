"""What a log and a picture need of a scene: its text, and the outline of each body.

A log must be readable and drawable years later, also by a program whose scene schema has changed. So it carries
outlines beside the scene text, and pictures are drawn from these bodies, never from a `Scene`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from geometry.prescribed.motion import Motion
    from geometry.shapes.outline import Outline
    from geometry.shapes.polygon import Polygon
    from sim.scene.scene import DrawnFrom, Scene


@dataclass(frozen=True, eq=False)
class BodyRecord:
    """The workpiece (outline about its centre of mass, unrotated) or an obstacle (world, at t = 0)."""

    name: str
    outline: Polygon | Outline  # m
    mu: float = 0.0  # friction coefficient against the workpiece (obstacles)
    e: float = 0.0  # restitution against the workpiece (obstacles)
    mass: float = 0.0  # kg (workpiece)
    rho: float = 0.0  # radius of gyration, m (workpiece)
    motion: Motion | None = None  # takes the outline from t = 0 to another time; None: the shape stands still
    surface_speed: float = 0.0  # m/s of a surface that runs, along (n_y, -n_x): on top towards +x (obstacles)
    drawing: str = ""  # the file that the outline was read from, "" if none
    sha256: str = ""  # of that file

    @property
    def moves(self) -> bool:
        """Does the shape or the surface move?"""
        return self.motion is not None or self.surface_speed != 0.0

    def place(self, time: float) -> Polygon | Outline:
        """The outline where it is at a time [s], for obstacles."""
        return self.outline if self.motion is None else self.outline.placed(self.motion.place(time))


@dataclass(frozen=True, eq=False)
class SceneRecord:
    """The part of a scene that a log keeps."""

    name: str
    summary: str
    text: str
    source: str  # the file that the text came from, "" if none
    workpiece: BodyRecord
    obstacles: tuple[BodyRecord, ...] = field(default=())
    loads: tuple[str, ...] = ()  # names of the loads that change, see `Scene.list_loads`

    def compute_obstacle_poses(self, times: np.ndarray) -> dict[str, np.ndarray]:
        """By name of each obstacle whose shape moves: (n, 3) poses x, y [m], theta [rad] that take its outline from
        where they are at t = 0 to where they are at the times (n,)."""
        return {body.name: body.motion.evaluate_frame(times)[0] for body in self.obstacles if body.motion is not None}


def build_scene_record(scene: Scene) -> SceneRecord:
    """Take from a scene what a log keeps of it."""
    part = scene.workpiece
    workpiece = BodyRecord(
        name=part.name,
        outline=part.outline,
        mass=float(part.mass),
        rho=float(part.rho),
        **_describe_drawing(part.drawing),
    )
    obstacles = tuple(
        BodyRecord(name=other.name, outline=other.shape, mu=float(other.mu), e=float(other.e),
                   **describe_moves(other.motion), **_describe_drawing(other.drawing))
        for other in scene.obstacles
    )
    source = "" if scene.source is None else str(scene.source)
    return SceneRecord(scene.name, scene.summary, scene.text, source, workpiece, obstacles, scene.list_loads())


def describe_moves(motion: Motion | None) -> dict:
    """What a body keeps of the motion of an obstacle."""
    if motion is None:
        return {}
    return {"motion": None if motion.shape_still else motion.follow_start(),
            "surface_speed": float(motion.surface.evaluate(0.0)[1])}


def _describe_drawing(drawing: DrawnFrom | None) -> dict:
    return {} if drawing is None else {"drawing": drawing.file, "sha256": drawing.sha256}
