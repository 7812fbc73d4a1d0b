"""How far friction couples what force and motion control decouples: the same run over friction."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from geometry.errors import StictionError
from sim.run.simulation import simulate
from sim.scene.build import take_scene
from sim.scene.held.holding import HYBRID
from sim.study.control_curves import compute_control_curves

if TYPE_CHECKING:
    from sim.log.trajectory import Trajectory
    from sim.scene.scene import AnyScene


class ControlStudyError(StictionError, ValueError):
    """A scene that cannot be studied so; the message says why."""


@dataclass(frozen=True)
class Coupling:
    """Errors of a run of force and motion control, as roots of mean squares over its time."""

    mu: float
    projection: bool
    force: float  # N, of the normal forces of the contacts named, against those desired
    motion: float  # m, of the place of the centre of mass and of rho times the angle, against the reference
    completed: bool


def study_friction(scene: AnyScene, values: Iterable[float],
                   progress: Callable[[float], None] | None = None) -> list[Coupling]:
    """The couplings at frictions, of all pairs alike, with the projections and without. Raises ControlStudyError.

    Without friction the forces are those desired, and the motion follows its reference as if nothing pressed.
    """
    scene = take_scene(scene)
    control = scene.control
    if control is None or control.law != HYBRID or not control.contacts:
        raise ControlStudyError(f"{scene.name}: needs a table [control] of force and motion that names contacts")
    found = []
    for projection in (True, False):
        for mu in values:
            obstacles = tuple(replace(obstacle, mu=float(mu)) for obstacle in scene.obstacles)
            own = replace(scene, obstacles=obstacles, control=replace(control, projection=projection))
            trajectory = simulate(own, progress=progress)
            found.append(measure_coupling(trajectory, float(mu)))
    return found


def measure_coupling(trajectory: Trajectory, mu: float) -> Coupling:
    """The errors of a run of force and motion control whose contacts are named."""
    curves = compute_control_curves(trajectory)
    squares = sum((contact.real - contact.desired) ** 2 for contact in curves.contacts if contact.desired is not None)
    error = np.zeros(1) if curves.error is None else curves.error
    projection = trajectory.scene.control is not None and trajectory.scene.control.projection
    return Coupling(mu, projection, curves.find_mean(np.sqrt(squares)), curves.find_mean(error),
                    trajectory.status.completed)
