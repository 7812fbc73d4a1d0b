"""Insertions of a scene: stages for `dynamics.cones.insertion.plan_insertion`, and runs from many starts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dynamics.cones.insertion import InsertionPlan, Stage, list_seat_stages, plan_insertion
from sim.scene.build import take_scene
from sim.scene.scene_errors import SceneError
from sim.study.scene_contacts import find_contact_set
from sim.tolerances import SEATED

if TYPE_CHECKING:
    from sim.rows.status import Status
    from sim.scene.scene import AnyScene, Scene



@dataclass(frozen=True)
class Outcome:
    """How one run ended. off: distance of the outline's frame from the seat, m; turned: of its angle, rad."""

    start: tuple[float, float, float]
    status: Status
    off: float
    turned: float
    speed: float  # |v| + radius |omega| at the end, m/s
    seated: bool


def find_stages(scene: AnyScene, poses: Iterable[Sequence[float]], mode: str, approach: Iterable[str],
                seat: Sequence[float]) -> list[Stage]:
    """Stages of an insertion: on the way `mode` at each of the poses, then those of the seat.

    poses: (x, y, theta) of the frame of the outline (m, m, rad); seat: the last one. approach: names of the obstacles
    that are to be met; their places come after the closed contacts in the letters of the mode.
    At the seat the part must stay, and where one of its contacts is still a little open, that must close: see
    `dynamics.cones.insertion.list_seat_stages`.
    """
    scene = take_scene(scene)
    stages = [Stage(find_contact_set(scene, pose=_find_centre(scene, pose), approach=approach)[0], mode, pose[2])
              for pose in poses]
    return stages + list_seat_stages(find_contact_set(scene, pose=_find_centre(scene, seat))[0], seat[2])


def plan_scene(scene: AnyScene, poses: Iterable[Sequence[float]], mode: str, approach: Iterable[str],
               seat: Sequence[float], **intervals: Any) -> InsertionPlan:
    """The directions of gravity that take the part to its seat; intervals as in `plan_insertion`."""
    scene = take_scene(scene)
    if scene.moves:
        raise SceneError(f"{scene.name}: obstacles or gravity move; a plan is made for what stands still")
    return plan_insertion(find_stages(scene, poses, mode, approach, seat), **intervals)


def try_starts(scene: AnyScene, starts: Iterable[Sequence[float]], seat: Sequence[float],
               direction: float | None = None, duration: float = 2.0) -> list[Outcome]:
    """Run the scene from many starts, each at rest, and compare where the part ends with its seat.

    starts, seat: (x, y, theta) of the frame of the outline (m, m, rad). direction: of gravity (rad), of the size it has
    in the scene; that of the scene if not given. duration: s.
    SceneError: a start overlaps an obstacle.
    """
    scene = take_scene(scene)
    from sim.run.simulation import simulate
    from sim.scene.build import parse_scene

    overrides: dict = {"run.duration": duration, "workpiece.velocity": [0.0, 0.0, 0.0]}
    if direction is not None:
        overrides["gravity"] = [float(np.hypot(*scene.gravity)) * float(f(direction)) for f in (np.cos, np.sin)]
    outcomes = []
    for start in starts:
        pose = [float(value) for value in start]
        run = parse_scene(scene.text, overrides={**overrides, "workpiece.pose": pose}, source=scene.source)
        trajectory = simulate(run, output_interval=None)
        outcomes.append(_compare(run, trajectory, pose, seat))
    return outcomes


def _compare(scene: Scene, trajectory, start, seat) -> Outcome:
    end, velocity = trajectory.pose[-1], trajectory.velocity[-1]
    radius = scene.workpiece.outline.reach
    wanted = _find_centre(scene, seat)
    off, turned = float(np.hypot(*(end - wanted)[:2])), float(abs(end[2] - wanted[2]))
    speed = float(np.hypot(velocity[0], velocity[1]) + radius * abs(velocity[2]))
    seated = trajectory.status.completed and speed == 0.0 and off + radius * turned <= SEATED * radius
    return Outcome(tuple(start), trajectory.status, off, turned, speed, bool(seated))


def _find_centre(scene: Scene, pose) -> np.ndarray:
    """Pose of the centre of mass from that of the frame of the outline."""
    x, y, theta = (float(value) for value in pose)
    c, s = np.cos(theta), np.sin(theta)
    ox, oy = scene.workpiece.origin  # of the outline, seen from the centre of mass
    return np.array([x - (c * ox - s * oy), y - (s * ox + c * oy), theta])
