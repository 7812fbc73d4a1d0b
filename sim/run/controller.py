"""A controller that is a function of Python: what it is told at a sample, and how its answer is taken."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dynamics.loads.load import GRIPPER
from sim.rows.records import CONTACT_LETTERS, CONTACT_TYPES
from sim.scene.held.holding import OUTSIDE, Control
from sim.scene.scene_errors import SceneError
from sim.values.dimensions import FREQUENCY
from sim.values.quantities import read_quantity
from sim.words.quoting import quote

if TYPE_CHECKING:
    from sim.run.model import Arguments
    from sim.scene.scene import Scene

DEFAULT_RATE = 1000.0  # Hz


@dataclass(frozen=True)
class MeasuredContact:
    """A closed contact just before a sample."""

    obstacle: str  # its name
    type: str  # "A", "B" or "C"
    part_feature: int
    obstacle_feature: int
    letter: str  # what it does: "n" rolls, "r" and "l" slide
    normal: np.ndarray  # (2,) unit, from the obstacle towards the part
    point: np.ndarray  # (2,) m
    fn: float  # N, normal force on the part
    ft: float  # N, friction on the part along t = (n_y, -n_x)


@dataclass(frozen=True)
class Measurement:
    """What a controller is told at a sample: the state there, and forces as they were just before, under the wrench
    that was held. At the start there have been none: no contacts, and zeros."""

    time: float  # s
    pose: np.ndarray  # (3,) x, y [m], theta [rad] of the centre of mass
    velocity: np.ndarray  # (3,)
    contacts: tuple[MeasuredContact, ...]
    gripper: np.ndarray  # (3,) N, N, N m: wrench of the gripper about the centre of compliance
    wrist: np.ndarray  # (3,) N, N, N m: wrench between hand and part about the centre of mass


Controller = Callable[[Measurement], Any]  # gives (fx, fy, torque): N, N, N m about the centre of mass, in the world


class ControllerFailure(Exception):
    """A controller has failed; the message says how and where."""


def take_rate(scene: Scene, rate: float | str) -> Control:
    """The controller of a run whose wrench comes from outside. Raises SceneError."""
    if scene.control is not None:
        raise SceneError(f"{scene.name} has a table [control], and a controller is given as well; keep one")
    try:
        number = read_quantity(rate, FREQUENCY)
        if number <= 0.0:
            raise ValueError("must be positive")
    except ValueError as error:
        raise SceneError(f"rate = {quote(rate)}: {error}") from None
    return Control(OUTSIDE, number)


def ask_controller(controller: Controller, arguments: Arguments, scene: Scene) -> None:
    """Let the controller give the wrench of the sample at which a run waits. Raises ControllerFailure."""
    state = arguments.state
    measured = measure(arguments, scene)
    try:
        answer = controller(measured)
    except Exception as error:
        raise ControllerFailure(f"at t = {measured.time!r} s: {_tell(error)}") from error
    try:
        wrench = np.array(answer, dtype=np.float64)
        if wrench.shape != (3,) or not np.isfinite(wrench).all():
            raise ValueError
    except (TypeError, ValueError):
        raise ControllerFailure(f"at t = {measured.time!r} s it gave {quote(answer)}; valid: (fx, fy, torque), three "
                              "finite numbers in N, N and N m") from None
    state.command[:] = wrench
    state.answered = 1


def _tell(error: Exception) -> str:
    """An error, and the place where it arose."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {error}{place}"


def measure(arguments: Arguments, scene: Scene) -> Measurement:
    """What a controller is told at the sample at which a run waits."""
    body, _, state, tools, _ = arguments
    desk, rho = tools.desk, body.rho
    start = float(state.time) == 0.0 and int(state.sample) == 0
    gripper = np.zeros(3)
    for load in [] if start else body.loads:
        if load.kind == GRIPPER:
            gripper[:] = load.wrench
    wrist = np.zeros(3) if start else np.array(desk.sample.wrist) * [1.0, 1.0, rho]
    return Measurement(float(state.time), np.array(state.pose), np.array(state.velocity),
                    _list_contacts(arguments, scene), gripper, wrist)


def _list_contacts(arguments: Arguments, scene: Scene) -> tuple[MeasuredContact, ...]:
    body, _, state, tools, _ = arguments
    closed, mode, pose = tools.desk.closed, state.mode, np.array(state.pose)
    contacts = []
    for k in range(int(closed.n)):
        kind, feature, wall = (int(c) for c in closed.triple[k])
        nx, ny, nq = (float(c) for c in closed.normal[k])
        vq = float(closed.tangent[k, 2])
        # n_q = n x r and v_q = n . r, each over rho, tell the arm r from the contact to the centre of mass
        rx, ry = body.rho * (nx * vq - ny * nq), body.rho * (ny * vq + nx * nq)
        contacts.append(MeasuredContact(
            scene.obstacles[int(body.walls.edge[wall].owner)].name, CONTACT_TYPES[kind], feature, wall,
            CONTACT_LETTERS[int(mode.letter[k])], np.array([nx, ny]), pose[:2] - [rx, ry],
            float(body.mass * closed.fn[k]), float(body.mass * closed.ft[k])))
    return tuple(contacts)
