"""From what holds the part, as a scene says it, to the table of loads that compiled code reads."""

from __future__ import annotations

from math import cos, inf, sin
from typing import TYPE_CHECKING, Any

import numpy as np

from dynamics.loads.load import COMMAND, DRAG, FORCE, GRIPPER, LOAD, SPRING
from geometry.compiled.record import allocate_table
from geometry.prescribed.motion import spread_times
from sim.scene.start import compute_start_tolerance
from sim.tolerances import DEFLECTION

if TYPE_CHECKING:
    from dynamics.motion.mode import Body
    from sim.scene.scene import Scene

# Times at which motions and loads are looked at for their scales.
LOOKS = 256


def list_frames(scene: Scene) -> tuple[Any, ...]:
    """The motions, besides those of obstacles, that loads depend on: in the order of the loads; a controller's last."""
    gripper = (scene.gripper.motion,) if scene.gripper else ()
    control = scene.control
    read = (control.reference, *control.forces) if control and control.reference else ()
    return (*gripper, *(load.wrench for load in scene.loads), *read)


def build_loads(scene: Scene, movers: dict[int, int], first_frame: int) -> np.recarray:
    """Table of LOAD: the gripper, springs, drag, loads over time, and the wrench of a controller, in this order.

    movers: the mover of each obstacle whose shape moves; first_frame: the mover of the first of `list_frames`.
    """
    rows = []
    frame = first_frame
    if scene.gripper is not None:
        rows.append(_build_gripper(scene, frame))
        frame += 1
    rows += [_build_spring(scene, spring, movers) for spring in scene.springs]
    if scene.drag is not None:
        row = _begin_row(DRAG)
        row.damping[0, 0] = row.damping[1, 1] = scene.drag.linear
        row.damping[2, 2] = scene.drag.rotational
        rows.append(row)
    for load in scene.loads:
        row = _begin_row(FORCE, load.point)
        row.mover, row.turned = frame, load.turned
        frame += 1
        rows.append(row)
    if scene.control is not None:
        rows.append(_begin_row(COMMAND))
    table = allocate_table(LOAD, len(rows))
    for place, row in enumerate(rows):
        table[place] = row
    return table


def _begin_row(kind: int, point=(0.0, 0.0)) -> Any:
    row: Any = allocate_table(LOAD, 1)[0]
    row.kind, row.mover, row.on, row.limit, row.until = kind, -1, 1, inf, inf
    row.px, row.py = point
    return row


def _build_gripper(scene: Scene, frame: int) -> Any:
    gripper: Any = scene.gripper
    row = _begin_row(GRIPPER, gripper.center)
    row.mover, row.turned = frame, gripper.turned
    row.stiffness, row.damping, row.given = gripper.stiffness, gripper.damping, gripper.preload
    row.limit, row.until = gripper.release_force, gripper.release_time
    return row


def _build_spring(scene: Scene, spring: Any, movers: dict[int, int]) -> Any:
    row = _begin_row(SPRING, spring.point)
    row.ax, row.ay = spring.anchor
    if spring.obstacle in movers:
        motion: Any = scene.obstacles[spring.obstacle].motion
        row.mover = movers[spring.obstacle]
        row.ax, row.ay = spring.anchor[0] - motion.pivot[0], spring.anchor[1] - motion.pivot[1]
    elif spring.obstacle >= 0:
        row.ax, row.ay = scene.obstacles[spring.obstacle].pose.transform(spring.anchor)
    row.stiffness[0, 0], row.damping[0, 0] = spring.stiffness, spring.damping
    row.rest, row.pull_only, row.near = spring.rest_length, spring.pull_only, compute_start_tolerance(scene)
    return row


def measure_pull(scene: Scene, body: Body) -> tuple[float, float]:
    """What loads that change pull typically: (acceleration [m/s^2], highest speed of a gripper [m/s]).

    Of springs it is the pull at a deflection of DEFLECTION times the size of the part: below what is rounding of that,
    a force is the rounding of a place.
    """
    size, mass, rho = body.part.radius, body.mass, body.rho
    times = spread_times(0.0, scene.run.duration, LOOKS)
    pull = speed = damping = 0.0
    if scene.gripper is not None:
        _, rate, _ = scene.gripper.motion.evaluate(times)
        speed = float(np.abs(rate[:, :3] * np.array([1.0, 1.0, size])).max())
    for row in body.loads:
        stiff, damped = _measure_row(row, scene, body)
        pull, damping = pull + stiff * DEFLECTION * size, damping + damped
        pull += float(np.abs(row.given / np.array([mass, mass, mass * rho])).sum())
    for load in scene.loads:
        value, _, _ = load.wrench.evaluate(times)
        arm = float(np.hypot(*load.point))
        force = np.abs(value[:, :2]).sum(axis=1)
        pull += float((force * (1.0 + arm / rho) + np.abs(value[:, 2]) / rho).max()) / mass
    if scene.control is not None and scene.control.reference is not None:
        more, quickest = _measure_control(scene, size, times)
        pull, speed = pull + more, max(speed, quickest)
    return pull + damping * speed, speed


def measure_stiffness(scene: Scene, body: Body) -> float:
    """Bound [1/s] of the frequencies of small motions on the springs and dampers, as the part lies at the start."""
    rows = [_measure_row(row, scene, body) for row in body.loads]
    return float(max(sum(stiff for stiff, _ in rows) ** 0.5, sum(damped for _, damped in rows)))


def _measure_row(row, scene: Scene, body: Body) -> tuple[float, float]:
    """(K / m [1/s^2], D / m [1/s]) of a load, the largest in any direction."""
    point, theta = (row.px, row.py), scene.workpiece.pose.theta
    return (_measure_matrix(row.stiffness, point, theta, body.rho) / body.mass,
            _measure_matrix(row.damping, point, theta, body.rho) / body.mass)


def _measure_control(scene: Scene, size: float, times: np.ndarray) -> tuple[float, float]:
    """What a controller pulls typically (acceleration [m/s^2]), and the speed [m/s] of what it follows."""
    control: Any = scene.control
    mass, rho, arm = scene.workpiece.mass, scene.workpiece.rho, np.array([1.0, 1.0, size])
    _, rate, bend = control.reference.evaluate(times)
    pull, speed = float(np.abs(bend[:, :3] * arm).sum(axis=1).max()), float(np.abs(rate[:, :3] * arm).max())
    forces = sum(float(np.abs(course.evaluate(times)[0]).sum(axis=1).max()) for course in control.forces)
    wrench = float(np.abs(np.array(control.wrench) / [1.0, 1.0, rho]).sum())
    pull += (forces + abs(control.force) + wrench) / mass + max(control.position_gain) * DEFLECTION * size
    if control.stiffness is not None:
        pull += _measure_matrix(np.array(control.stiffness), (0.0, 0.0), 0.0, rho) / mass * DEFLECTION * size
    return pull, speed


def _measure_matrix(matrix: np.ndarray, point, theta: float, rho: float) -> float:
    """Largest eigenvalue of a stiffness or damping about a point of the part, in (x, y, rho theta) of its centre."""
    full = np.array(matrix, dtype=np.float64)
    if not full[1:, :].any():  # of a spring: in any direction
        full[1, 1] = full[0, 0]
    c, s = cos(theta), sin(theta)
    x, y = c * point[0] - s * point[1], s * point[0] + c * point[1]
    shift = np.array([[1.0, 0.0, -y / rho], [0.0, 1.0, x / rho], [0.0, 0.0, 1.0 / rho]])
    return float(np.abs(np.linalg.eigvalsh(shift.T @ full @ shift)).max())
