"""From a scene to the arrays that compiled code reads: part, walls, load, motions, and what counts as zero."""

from __future__ import annotations

from functools import lru_cache
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from dynamics.codes import LAWS
from dynamics.motion.mode import Body, MotionState, apply_loads, begin_loads
from dynamics.motion.scales import Scales
from dynamics.tolerances import SPEED_ROUNDING
from geometry.compiled.record import copy_table
from geometry.contact.contacts import build_part, build_walls
from geometry.contact.moving import build_moving_walls, copy_walls, place_walls
from geometry.prescribed.motion import spread_times
from geometry.shapes.union.boundary import compute_boundary
from sim.instant.controlled import build_controller
from sim.instant.held import LOOKS, build_loads, list_frames, measure_pull, measure_stiffness
from sim.scene.start import compute_start_tolerance, get_shape

if TYPE_CHECKING:
    from geometry.shapes.pose import Pose
    from sim.scene.build_outline import AnyOutline
    from sim.scene.scene import Scene


def build_body(scene: Scene) -> Body:
    """Arrays of the part, the walls and what acts between them, at t = 0."""
    workpiece = scene.workpiece
    fx, fy, torque = scene.load
    load = (fx / workpiece.mass, fy / workpiece.mass, torque / (workpiece.mass * workpiece.rho))
    w = np.array([load[0] + scene.gravity[0], load[1] + scene.gravity[1], load[2]])
    placed = tuple((obstacle.outline, obstacle.pose) for obstacle in scene.obstacles)
    motions = tuple(obstacle.motion for obstacle in scene.obstacles)
    pairs = tuple((obstacle.mu, obstacle.e, LAWS.index(obstacle.law)) for obstacle in scene.obstacles)
    moves = motions, scene.gravity_turn, list_frames(scene), scene.held
    walls = _build_walls(placed, pairs, moves, compute_start_tolerance(scene))
    if len(walls.mover):  # a run moves them
        walls = copy_walls(walls)
    moved = [owner for owner, motion in enumerate(motions) if motion is not None]
    movers = {owner: m for m, owner in enumerate(moved, start=1)}
    travelling = {owner: m for owner, m in movers.items() if not scene.obstacles[owner].motion.shape_still}
    part = _build_part(workpiece.outline)
    body = Body(
        part, walls, w, float(workpiece.rho), float(workpiece.mass),
        np.array([*load, *scene.gravity, 0.0]), build_loads(scene, travelling, 1 + len(movers)),
        scene.gravity_turn is not None or scene.held, _find_longest_step(walls), 0.0,
        build_controller(scene, part, walls),
    )  # fmt: skip
    body.load[5] = measure_pull(scene, body)[0]
    body = body._replace(stiffness=measure_stiffness(scene, body))
    restart_motion(body, 0.0)
    if len(walls.mover):
        start = workpiece.pose
        apply_loads(body, MotionState(0.0, np.array([start.x, start.y, start.theta]), np.array(workpiece.velocity)))
    return body


def restart_motion(body: Body, time: float, work=0.0) -> None:
    """Move the walls to a time [s], from which a run goes on; work [J/kg] (m,): what each mover has done until then."""
    if len(body.walls.mover):
        body.walls.mover.work[:] = work
        begin_loads(body, time)
        place_walls(body.walls, time)


# Steps in one period of a motion, at least, where it is felt. Reason: the error of a step that is a whole number of
# periods long looks small. Consequence: quicker motions cost more steps.
STEPS_PER_PERIOD = 8.0


def _find_longest_step(walls) -> float:
    if not len(walls.wave):
        return float(np.inf)
    frequency = np.abs(walls.wave.frequency).max()
    return float(2.0 * np.pi / (STEPS_PER_PERIOD * frequency)) if frequency > 0.0 else np.inf


# Kernels only read these arrays, and the scenes of a study share outlines.
@lru_cache(maxsize=16)
def _build_part(outline: AnyOutline):
    return build_part(get_shape(outline))


@lru_cache(maxsize=16)
def _build_walls(placed: tuple[tuple[AnyOutline, Pose], ...], pairs: tuple[tuple, ...], moves: tuple, tolerance: float):
    walls = _build_bare_walls(placed, moves, tolerance)
    edge = copy_table(walls.edge)
    owner = edge["owner"]
    for index, name in enumerate(("mu", "e", "law")):
        edge[name] = np.array([pair[index] for pair in pairs])[owner]
    return walls._replace(edge=edge.view(np.recarray))


# Friction, restitution and law of impact change nothing else: they are put in afterwards, as in a sweep.
@lru_cache(maxsize=16)
def _build_bare_walls(placed: tuple[tuple[AnyOutline, Pose], ...], moves: tuple, tolerance: float):
    none = np.zeros(len(placed))
    pairs = none, none, none.astype(np.int64)
    motions, gravity_turn, frames, held = moves
    if gravity_turn is None and not held and all(motion is None for motion in motions):
        return build_walls(_compute_boundary(placed, tolerance), *pairs)
    movers = [(owner, motion) for owner, motion in enumerate(motions) if motion is not None]
    travelling = {owner for owner, motion in movers if not motion.shape_still}
    groups = [[owner for owner in range(len(placed)) if owner not in travelling], *([owner] for owner in travelling)]
    boundaries = [_own_boundary(_compute_boundary(tuple(placed[owner] for owner in group), tolerance), group)
                  for group in groups]
    number = {owner: m for m, (owner, _) in enumerate(movers, start=1)}
    carriers = [0, *(number[owner] for owner in travelling)]
    return build_moving_walls(list(zip(boundaries, carriers, strict=True)), pairs, movers, gravity_turn, frames)


def _own_boundary(boundary, group: list[int]):
    """The boundary of some obstacles of a scene, with the numbers that they have there."""
    return boundary._replace(owner=np.array(group, dtype=np.int64)[boundary.owner])


@lru_cache(maxsize=16)
def _compute_boundary(placed: tuple[tuple[AnyOutline, Pose], ...], tolerance: float):
    return compute_boundary([get_shape(outline.placed(pose)) for outline, pose in placed], tolerance)


def build_scales(scene: Scene, body: Body, velocity=None) -> Scales:
    """What counts as zero in this scene.

    A gap is closed within the tolerance that the start check allows (1e-12 of the largest coordinate). Forces and
    speeds are compared with the load and with what obstacles that move do; without these, with the speed at the start,
    and where there is none either, with a velocity (3,) that is asked about.
    """
    radius = body.part.radius
    quickest, pull = _measure_motions(scene, body)
    held_pull, held_speed = measure_pull(scene, body)
    quickest, pull = max(quickest, held_speed), max(pull, held_pull)
    speed = max(_measure_speed(scene.workpiece.velocity, radius), quickest)
    load = float(np.abs(body.w).sum())
    if load == 0.0 and speed == 0.0 and velocity is not None:
        speed = _measure_speed(velocity, radius)
    force = max(load, speed * speed / radius, pull)
    typical = max(sqrt(load * radius), speed)
    return Scales(
        touch=compute_start_tolerance(scene),
        force=force if force > 0.0 else 1.0,
        speed=SPEED_ROUNDING * (typical if typical > 0.0 else 1.0),
    )


def _measure_speed(velocity, radius: float) -> float:
    """Largest speed [m/s] of a part of this radius, about."""
    vx, vy, omega = (float(component) for component in velocity)
    return abs(vx) + abs(vy) + abs(omega) * radius


def _measure_motions(scene: Scene, body: Body) -> tuple[float, float]:
    """Typical largest speed [m/s] and acceleration [m/s^2] of the obstacles that move, during the run."""
    speed = pull = 0.0
    for m, motion in enumerate((o.motion for o in scene.obstacles if o.motion is not None), start=1):
        _, rate, bend = motion.evaluate(spread_times(0.0, scene.run.duration, LOOKS))
        arms = np.array([1.0, 1.0, float(body.walls.mover[m].radius), 1.0])
        speed, pull = max(speed, float(np.abs(rate * arms).max())), max(pull, float(np.abs(bend * arms).max()))
    return speed, pull
