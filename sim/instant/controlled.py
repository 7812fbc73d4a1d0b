"""From the controller of a scene to the record that compiled code reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dynamics.loads import control as c
from geometry.compiled.record import allocate_table
from geometry.contact.contacts import TYPE_A, TYPE_B, TYPE_C
from sim.instant.named_features import find_part_row, find_wall_row
from sim.scene.held.holding import HYBRID, IMPEDANCE, OUTSIDE, Matrix3

if TYPE_CHECKING:
    from geometry.contact.contacts import Part, Walls
    from sim.scene.held.holding import NamedContact
    from sim.scene.scene import Scene

KINDS = {OUTSIDE: c.OUTSIDE, HYBRID: c.HYBRID, IMPEDANCE: c.IMPEDANCE}


def build_controller(scene: Scene, part: Part, walls: Walls) -> np.recarray:
    """Table of CONTROL: no row, or one. The walls stand as at t = 0; the last movers are those of `list_frames`."""
    control = scene.control
    if control is None:
        return c.NO_CONTROL
    table = allocate_table(c.CONTROL, 1)
    row: Any = table[0]
    mass, rho = scene.workpiece.mass, scene.workpiece.rho
    row.kind, row.period, row.raw = KINDS[control.law], 1.0 / control.rate, control.raw
    hand_mass, hand_rho = control.hand or (0.0, rho)
    row.hand_mass, row.hand = hand_mass, hand_mass * np.array([1.0, 1.0, (hand_rho / rho) ** 2])
    back = np.diag([1.0, 1.0, 1.0 / rho])
    _set_root(row, "object", np.diag(mass - np.array(row.hand)))
    _set_root(row, "force", _read_metric(control.force_metric, mass, back))
    _set_root(row, "motion", _read_metric(control.motion_metric, mass, back))
    row.sense_back = np.diag([1.0, 1.0, rho if control.raw else 1.0])
    if control.law == OUTSIDE:
        return table
    row.reference = len(walls.mover) - 1 - len(control.forces)
    row.px, row.py = control.arm
    scale = np.diag([1.0, 1.0, rho])  # (ax, ay, rho alpha) from (ax, ay, alpha)
    if control.law == IMPEDANCE:
        inertia = np.diag([mass, mass, mass * rho * rho]) if control.inertia is None else np.array(control.inertia)
        give = np.linalg.inv(inertia)
        row.position = scale @ give @ np.array(control.stiffness) @ back
        row.velocity = scale @ give @ np.array(control.damping) @ back
        row.yielding, row.shapes = scale @ give @ scale, control.inertia is not None
        return table
    row.projects, row.named = control.projection, control.named
    row.position, row.velocity = np.diag(control.position_gain), np.diag(control.velocity_gain)
    row.force_gain, row.integral_gain, row.force = control.force_gain, control.integral_gain, control.force
    row.wrench = np.array(control.wrench) * [1.0, 1.0, 1.0 / rho]
    row.first_force, row.n = row.reference + 1, len(control.contacts)
    for i, contact in enumerate(control.contacts):
        row.triple[i] = find_triple(scene, contact, part, walls)
    return table


def _read_metric(matrix: Matrix3 | None, mass: float, back: np.ndarray) -> np.ndarray:
    """A matrix from motion to force in (x, y, rho theta); the inertia of the part where it is not given."""
    return mass * np.eye(3) if matrix is None else back @ np.array(matrix) @ back


def _set_root(row: Any, name: str, matrix: np.ndarray) -> None:
    """Roots do not depend on the size of the matrix, and are those of one of the size of 1."""
    root = np.linalg.cholesky(matrix / np.abs(matrix).max())
    row[f"{name}_root"], row[f"{name}_back"] = root, np.linalg.inv(root)


def find_triple(scene: Scene, contact: NamedContact, part: Part, walls: Walls) -> tuple[int, int, int]:
    """(kind, row of the part, row of the walls) of a contact of two features, as compiled code names it.

    Raises SceneError where the feature of the obstacle is not on the boundary: another obstacle covers it.
    """
    kind = TYPE_A if contact.own[0] == "edge" else (TYPE_B if contact.other[0] == "edge" else TYPE_C)
    obstacle = scene.obstacles[contact.obstacle]
    return kind, find_part_row(part, contact.own), find_wall_row(obstacle, contact.obstacle, contact.other, walls)
