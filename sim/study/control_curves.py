"""What a log says of force and motion control: power of the wrench in the wrist, projected and not, normal forces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dynamics.motion.mode import MotionState, compute_frame
from dynamics.spaces.projection import build_contact_spaces
from geometry.compiled.kernel import get_function
from geometry.errors import StictionError
from sim.instant.body import build_body, restart_motion
from sim.rows.records import EVENT_KINDS

if TYPE_CHECKING:
    from dynamics.motion.mode import Body
    from sim.log.trajectory import Trajectory
    from sim.scene.scene import Scene

IMPACTS = tuple(EVENT_KINDS.index(kind) for kind in ("impact", "accumulation", "impact without collision"))


class NoControlError(StictionError, ValueError):
    """A log holds nothing of force and motion control; the message says what is missing."""


@dataclass(frozen=True, eq=False)
class ContactCurve:
    """The normal force of a contact over the rows of a log, N."""

    name: str
    desired: np.ndarray | None  # (n,) None where nobody asked for one
    measured: np.ndarray  # (n,) as the wrist tells it, through the projection of section 7.3
    real: np.ndarray  # (n,) 0 where it is open


@dataclass(frozen=True, eq=False)
class ControlCurves:
    """Of each row of a log: time [s], power [W] of the wrench in the wrist, of its projection into the contact space,
    and normal forces; the times of impacts.

    error [m]: how far the part is from its reference in the motions that the contacts allow, with rho times the angle;
    None without a reference.
    """

    time: np.ndarray
    power: np.ndarray
    projected: np.ndarray
    contacts: tuple[ContactCurve, ...]
    impacts: np.ndarray
    error: np.ndarray | None

    def find_mean(self, values: np.ndarray) -> float:
        """The root of the mean square over time of values (n,) at the rows."""
        span = self.time[-1] - self.time[0]
        return float(np.sqrt(np.trapezoid(values**2, self.time) / span)) if span > 0.0 else float(np.abs(values).max())


def compute_control_curves(trajectory: Trajectory) -> ControlCurves:
    """The curves of a log. Raises NoControlError.

    The contact space is that of the contacts that [control] names, and where it names none, of those that are ever
    closed; with `space = "closed"`, or without [control], only of those that are closed at the row. Power is that
    relative to obstacles that move. The measured forces are those of Eq 12 with the inertia of what the hand holds.
    """
    scene, steps = trajectory.scene, trajectory.steps
    if not any(np.any(steps[name] != 0.0) for name in ("wrist_fx", "wrist_fy", "wrist_torque")):
        raise NoControlError(f"{scene.name}: nobody has given a wrench: the log has no controller")
    body, control = build_body(scene), scene.control
    named = control is not None and control.contacts
    triples = body.control[0].triple[: len(control.contacts)] if named else _find_closed(trajectory)
    if not len(triples):
        raise NoControlError(f"{scene.name}: no contact was ever closed, and [control] names none")
    always, real = bool(named and control.named), _find_real(trajectory, triples)
    closed = np.ones((len(steps), len(triples)), bool) if always else ~np.isnan(real)
    projected, measured = np.zeros(len(steps)), np.zeros(real.shape)
    error = _find_error(scene, trajectory)
    for row in range(len(steps)):
        own = closed[row]
        if own.any():
            amounts, rates, N = _measure_row(scene, body, triples[own], steps[row])
            measured[row, own] = amounts
            projected[row] = -amounts @ rates
            if error is not None:
                error[row] -= np.linalg.pinv(N) @ (N @ error[row])
    wrench = np.column_stack([steps[name] for name in ("wrist_fx", "wrist_fy", "wrist_torque")])
    curves = tuple(
        ContactCurve(_name_contact(scene, body, triple, k), control.get_desired(k, steps["time"]) if named else None,
                     measured[:, k], np.nan_to_num(real[:, k]))
        for k, triple in enumerate(triples))
    events = trajectory.event_rows
    return ControlCurves(steps["time"], (wrench * trajectory.velocity).sum(axis=1), projected, curves,
                         events["time"][np.isin(events["kind"], IMPACTS)],
                         None if error is None else np.linalg.norm(error, axis=1))


def _find_closed(trajectory: Trajectory) -> np.ndarray:
    """(k, 3) the contacts of a log, each once, in the order in which they are met."""
    rows = np.column_stack([trajectory.contacts[name] for name in ("type", "part_feature", "obstacle_feature")])
    found, first = np.unique(rows.reshape(-1, 3), axis=0, return_index=True)
    return found[np.argsort(first)]


def _find_real(trajectory: Trajectory, triples: np.ndarray) -> np.ndarray:
    """(n, k) normal forces [N] of contacts at the rows of a log, NaN where they are open."""
    steps, rows = trajectory.steps, trajectory.contacts
    real = np.full((len(steps), len(triples)), np.nan)
    owner = np.repeat(np.arange(len(steps)), steps["n_contacts"])
    for k, (kind, own, other) in enumerate(triples):
        fits = (rows["type"] == kind) & (rows["part_feature"] == own) & (rows["obstacle_feature"] == other)
        real[owner[fits], k] = rows["fn"][fits]
    return real


def _measure_row(scene: Scene, body: Body, triples: np.ndarray,
                 row: np.void) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(normal forces [N] as the wrist tells them, gap rates [m/s], rows N) of some contacts at a row."""
    rho, mass = scene.workpiece.rho, scene.workpiece.mass
    pose, velocity = np.array([row["x"], row["y"], row["theta"]]), np.array([row["vx"], row["vy"], row["omega"]])
    at = MotionState(float(row["time"]), pose, velocity)
    restart_motion(body, at.time)
    frames = [get_function(compute_frame)(body, triple, at) for triple in triples]
    N = np.array([(frame.nx, frame.ny, frame.nq) for frame in frames])
    hand_mass, hand_rho = (scene.control.hand if scene.control else None) or (0.0, rho)
    held = np.diag([mass - hand_mass, mass - hand_mass, mass - hand_mass * (hand_rho / rho) ** 2])
    f = np.array([row[f"wrist_{name}"] + row[f"load_{name}"] - row[f"command_{name}"]
                  for name in ("fx", "fy", "torque")])
    f[:2] -= hand_mass * _get_gravity(scene, at.time)
    f[2] /= rho
    bias = np.linalg.pinv(N) @ -np.array([frame.b for frame in frames])
    force = build_contact_spaces(N=N.T).omega_f(held) @ (f - held @ bias)
    rates = N @ (velocity * [1.0, 1.0, rho]) - [frame.push for frame in frames]
    return -np.linalg.pinv(N.T) @ force, rates, N


def _find_error(scene: Scene, trajectory: Trajectory) -> np.ndarray | None:
    """(n, 3) what the place of the centre of mass and rho theta are away from the reference at the rows of a log."""
    control = scene.control
    if control is None or control.reference is None:
        return None
    value = control.reference.evaluate(trajectory.time)[0][:, :3]
    c, s = np.cos(value[:, 2]), np.sin(value[:, 2])
    x, y = control.arm
    place = value + np.column_stack((c * x - s * y, s * x + c * y, np.zeros(len(c))))
    return (trajectory.pose - place) * [1.0, 1.0, scene.workpiece.rho]


def _get_gravity(scene: Scene, time: float) -> np.ndarray:
    if scene.gravity_turn is None:
        return np.array(scene.gravity)
    angle = float(scene.gravity_turn.evaluate(time)[0])
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s], [s, c]]) @ scene.gravity


def _name_contact(scene: Scene, body: Body, triple: np.ndarray, number: int) -> str:
    return f"{number}: {scene.obstacles[int(body.walls.edge['owner'][triple[2]])].name}"
