"""First and second variation of a contact formation: how the part moves when the manipulators move.

A motion is a function t -> (poses, velocities, accelerations), each (m, 3): x, y, theta of the m manipulators in the
world and their derivatives by t (m, rad, s).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from geometry.formation.contacts import FormationContact, FormationError

Motion = Callable[[float], tuple[np.ndarray, np.ndarray, np.ndarray]]


@dataclass
class FormationState:
    """A formation at one instant of a motion: pose (x, y, theta) of the part and its derivatives, det J, and what the
    motion returns (m, rad, s)."""

    time: float
    pose: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray
    determinant: float
    motion: tuple[np.ndarray, np.ndarray, np.ndarray]


def interpolate_motion(times, poses) -> Motion:
    """The natural cubic spline through poses (n, m, 3) at rising times (n,), n >= 2: twice continuously differentiable.

    Between two poses only it is a straight motion at constant speed. Raises FormationError.
    """
    times, poses = np.asarray(times, dtype=np.float64), np.asarray(poses, dtype=np.float64)
    if times.ndim != 1 or len(times) < 2 or not (np.diff(times) > 0.0).all():
        raise FormationError("times: must be two or more rising numbers")
    if poses.ndim != 3 or poses.shape[::2] != (len(times), 3) or not np.isfinite(poses).all():
        raise FormationError(f"poses: must be finite numbers of shape ({len(times)}, m, 3), not {poses.shape}")
    h = np.diff(times)
    slope = np.diff(poses, axis=0) / h[:, None, None]
    bend = np.zeros_like(poses)  # second derivatives at the times
    if len(times) > 2:
        matrix = np.diag(2.0 * (h[:-1] + h[1:])) + np.diag(h[1:-1], 1) + np.diag(h[1:-1], -1)
        right = 6.0 * np.diff(slope, axis=0)
        bend[1:-1] = np.linalg.solve(matrix, right.reshape(len(h) - 1, -1)).reshape(right.shape)

    def motion(t: float):
        k = min(max(int(np.searchsorted(times, t, side="right")) - 1, 0), len(h) - 1)
        u, rate = t - times[k], (bend[k + 1] - bend[k]) / h[k]
        first = slope[k] - h[k] * (2.0 * bend[k] + bend[k + 1]) / 6.0
        return (poses[k] + u * (first + u * (bend[k] / 2.0 + u * rate / 6.0)), first + u * (bend[k] + u * rate / 2.0),
                bend[k] + u * rate)

    return motion


def compute_variation(contacts: Sequence[FormationContact], pose, state):
    """(velocity, acceleration, determinant) of the part at a regular pose (x, y, theta) of a formation; `state` is what
    the motion returns.

    Differentiating gap(q, t) = 0 twice, with J its derivative by q: J q' = -g1 and J q'' = -g2, where g1, g2 hold what
    moves without q' and q''. Velocity and acceleration are None where J is singular to the last bit.
    """
    rows = [row for contact in contacts for row in _vary_contact(contact, np.asarray(pose), state)]
    jacobian = np.array([row for row, _, _ in rows])
    a, b, c = jacobian
    determinant = float(a @ np.array([b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]]))
    if determinant == 0.0:
        return None, None, 0.0
    velocity = np.linalg.solve(jacobian, [-first for _, first, _ in rows])
    return velocity, np.linalg.solve(jacobian, [-second(velocity) for _, _, second in rows]), determinant


def turn_by(angle: float) -> np.ndarray:
    """The rotation (2, 2) by an angle, rad."""
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


K = np.array([[0.0, -1.0], [1.0, 0.0]])  # k x


def _vary_contact(contact: FormationContact, pose, state):
    """(row of J, g1, function q' -> g2) of each constraint of one contact.

    A: y = R^T (P - p),  gap = nu.(y - b),  y'' = R^T (P'' - p'') - 2 w K R^T (P' - p') - w' K y - w^2 y.
    B: z = S^T (X - O), X = p + R b, of the manipulator with pose (O, S), turning at W: gap = N.(z - Q), and z'' alike.
    C: gap = D - s, D = |X - P|: D' = n.(X' - P') and D'' = n.(X'' - P'') + (t.(X' - P'))^2 / D, n = (X - P) / D.
    Radii are constants of the gaps, and leave their derivatives as they are.
    """
    still = np.zeros(3)
    place, rate, bend = (still,) * 3 if contact.manipulator < 0 else (each[contact.manipulator] for each in state)
    R, S = turn_by(pose[2]), turn_by(place[2])
    b, normal = np.array(contact.part_point), np.array(contact.normal)
    local = S @ contact.manipulator_point
    point = place[:2] + local
    point_rate = rate[:2] + rate[2] * (K @ local)
    point_bend = bend[:2] + bend[2] * (K @ local) - rate[2] ** 2 * local
    arm = R @ b
    if contact.rolling:
        turned = K @ arm
        return [(np.array([*np.eye(2)[k], turned[k]]), -point_rate[k],
                 lambda q, k=k: -(q[2] ** 2) * arm[k] - point_bend[k]) for k in range(2)]
    if contact.kind == "C":
        away = pose[:2] + arm - point
        distance = float(np.hypot(*away))
        n, turned = away / distance, K @ arm

        def bend_of(q):
            across = (K @ n) @ (q[:2] + q[2] * turned - point_rate)
            return n @ (-(q[2] ** 2) * arm - point_bend) + across * across / distance

        return [(np.array([*n, n @ turned]), -n @ point_rate, bend_of)]
    if contact.kind == "A":
        y, n = R.T @ (point - pose[:2]), R @ normal
        row = np.array([*-n, -normal @ K @ y])
        return [(row, n @ point_rate, lambda q: (
            n @ point_bend - 2.0 * q[2] * (normal @ K @ R.T @ (point_rate - q[:2])) - q[2] ** 2 * (normal @ y)))]
    n = S @ normal
    z = S.T @ (pose[:2] + arm - place[:2])
    row = np.array([*n, n @ K @ arm])

    def second(q):
        relative = q[:2] + q[2] * (K @ arm) - rate[:2]
        return (n @ (-(q[2] ** 2) * arm - bend[:2]) - 2.0 * rate[2] * (normal @ K @ S.T @ relative)
                - bend[2] * (normal @ K @ z) - rate[2] ** 2 * (normal @ z))

    return [(row, -n @ rate[:2] - rate[2] * (normal @ K @ z), second)]
