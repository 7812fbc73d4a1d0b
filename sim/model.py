"""From a scene to the arrays that compiled code reads, and to the contact problem of one state."""

from __future__ import annotations

from functools import lru_cache
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from dynamics.choose import RULES
from dynamics.closed import CLOSED, find_closed, is_closing, keep_contacts, pair_corners
from dynamics.mode import CAPACITY, MODE, Body, set_time
from dynamics.routh import LAWS
from dynamics.tolerances import DEFAULT_TOLERANCES
from geometry._record import allocate_record
from geometry.boundary import compute_boundary
from geometry.contacts import build_part, build_walls
from geometry.detection import allocate_scratch
from geometry.motion import spread_times
from geometry.moving import begin_motion, build_moving_walls
from sim.events import SPEED_ROUNDING, Scales
from sim.scene import take_scene
from sim.start import compute_start_tolerance
from sim.state import Options
from sim.zero_speed import find_zero_speed

if TYPE_CHECKING:
    from geometry.polygon import Polygon
    from geometry.pose import Pose
    from sim.scene import AnyScene, Scene

# Steps of one run: days of processor time. A run that does not get on ends long before (`sim.engine`).
MAX_STEPS = 1_000_000_000


def build_body(scene: Scene) -> Body:
    """Arrays of the part, the walls and what acts between them, at t = 0."""
    workpiece = scene.workpiece
    fx, fy, torque = scene.load
    load = (fx / workpiece.mass, fy / workpiece.mass, torque / (workpiece.mass * workpiece.rho))
    w = np.array([load[0] + scene.gravity[0], load[1] + scene.gravity[1], load[2]])
    placed = tuple((obstacle.outline, obstacle.pose) for obstacle in scene.obstacles)
    motions = tuple(obstacle.motion for obstacle in scene.obstacles)
    pairs = tuple((obstacle.mu, obstacle.e, LAWS.index(obstacle.law)) for obstacle in scene.obstacles)
    walls = _build_walls(placed, pairs, (motions, scene.gravity_turn), compute_start_tolerance(scene))
    if len(walls.mover):  # a run moves them
        walls = walls._replace(edge=walls.edge.copy(), mover=walls.mover.copy())
    body = Body(
        _build_part(workpiece.outline), walls, w, float(workpiece.rho), float(workpiece.mass),
        np.array([*load, *scene.gravity]), scene.gravity_turn is not None, _find_longest_step(walls),
    )  # fmt: skip
    restart_motion(body, 0.0)
    return body


def restart_motion(body: Body, time: float, work=0.0) -> None:
    """Move the walls to a time [s], from which a run goes on; work [J/kg] (m,): what each mover has done until then."""
    if len(body.walls.mover):
        body.walls.mover.work[:] = work
        begin_motion(body.walls, time)
    set_time(body, time)


# Steps in one period of a motion, at least, where it is felt. Reason: the error of a step that is a whole number of
# periods long looks small. Consequence: quicker motions cost more steps.
STEPS_PER_PERIOD = 8.0


def _find_longest_step(walls) -> float:
    frequency = np.abs(walls.wave.frequency).max(initial=0.0)
    return float(2.0 * np.pi / (STEPS_PER_PERIOD * frequency)) if frequency > 0.0 else np.inf


# Kernels only read these arrays, and the scenes of a study share outlines.
@lru_cache(maxsize=16)
def _build_part(outline: Polygon):
    return build_part(outline.vertices)


@lru_cache(maxsize=16)
def _build_walls(placed: tuple[tuple[Polygon, Pose], ...], pairs: tuple[tuple, ...], moves: tuple, tolerance: float):
    mu, e = (np.array([pair[i] for pair in pairs], dtype=np.float64) for i in (0, 1))
    law = np.array([pair[2] for pair in pairs], dtype=np.int64)
    motions, gravity_turn = moves
    if gravity_turn is None and all(motion is None for motion in motions):
        return build_walls(_compute_boundary(placed, tolerance), mu, e, law)
    movers = [(owner, motion) for owner, motion in enumerate(motions) if motion is not None]
    travelling = {owner for owner, motion in movers if not motion.shape_still}
    groups = [[owner for owner in range(len(placed)) if owner not in travelling], *([owner] for owner in travelling)]
    boundaries = [_own_boundary(_compute_boundary(tuple(placed[owner] for owner in group), tolerance), group)
                  for group in groups]
    number = {owner: m for m, (owner, _) in enumerate(movers, start=1)}
    carriers = [0, *(number[owner] for owner in travelling)]
    return build_moving_walls(list(zip(boundaries, carriers, strict=True)), (mu, e, law), movers, gravity_turn)


def _own_boundary(boundary, group: list[int]):
    """The boundary of some obstacles of a scene, with the numbers that they have there."""
    return boundary._replace(owner=np.array(group, dtype=np.int64)[boundary.owner])


@lru_cache(maxsize=16)
def _compute_boundary(placed: tuple[tuple[Polygon, Pose], ...], tolerance: float):
    return compute_boundary([pose.transform(outline.vertices) for outline, pose in placed], tolerance)


def build_scales(scene: Scene, body: Body, velocity=None) -> Scales:
    """What counts as zero in this scene.

    A gap is closed within the tolerance that the start check allows (1e-12 of the largest coordinate). Forces and
    speeds are compared with the load and with what obstacles that move do; without these, with the speed at the start,
    and where there is none either, with a velocity (3,) that is asked about.
    """
    radius = body.part.radius
    quickest, pull = _measure_motions(scene, body)
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


# Times at which motions are looked at for their scales.
LOOKS = 256


def _measure_motions(scene: Scene, body: Body) -> tuple[float, float]:
    """Typical largest speed [m/s] and acceleration [m/s^2] of the obstacles that move, during the run."""
    speed = pull = 0.0
    for m, motion in enumerate((o.motion for o in scene.obstacles if o.motion is not None), start=1):
        _, rate, bend = motion.evaluate(spread_times(0.0, scene.run.duration, LOOKS))
        arms = np.array([1.0, 1.0, float(body.walls.mover[m].radius), 1.0])
        speed, pull = max(speed, float(np.abs(rate * arms).max())), max(pull, float(np.abs(bend * arms).max()))
    return speed, pull


def build_options(scene: Scene, body: Body) -> Options:
    """The run section of the scene, as numbers."""
    run = scene.run
    return Options(
        duration=float(run.duration),
        interval=float(run.output_interval or 0.0),
        step=float(run.step or 0.0),
        tolerance=float(run.tolerance),
        rule=RULES.index(run.choice),
        survey=bool(run.survey or run.choice in ("branch", "stop")),
        max_steps=MAX_STEPS,
        scales=build_scales(scene, body),
        tolerances=DEFAULT_TOLERANCES,
    )


def contact_problem(scene: AnyScene, pose=None, velocity=None, time: float = 0.0):
    """The contact problem of a state (default: the start): (ContactProblem, list of contacts).

    time [s]: when, for obstacles that move; pose (3,): x, y, theta of the centre of mass; velocity (3,). Each contact
    is a dict with obstacle (name), type, part_feature, obstacle_feature, point (2,), normal (2,), gap_rate, slip.
    Contacts that open are left out, unless others close: then an impact comes first, and all take part.
    """
    scene = take_scene(scene)
    from dynamics.accelerations import ContactProblem
    from geometry.contacts import compute_contact

    body = build_body(scene)
    restart_motion(body, time)
    start = scene.workpiece.pose
    pose = np.array([start.x, start.y, start.theta] if pose is None else pose, dtype=np.float64)
    velocity = np.array(scene.workpiece.velocity if velocity is None else velocity, dtype=np.float64)
    scales = build_scales(scene, body, velocity)
    closed, scratch = allocate_record(CLOSED), allocate_scratch(body.part, body.walls)
    zero = find_zero_speed(body, scales, velocity)
    if find_closed(body, allocate_record(MODE), (pose, velocity), scales.touch, zero, closed, scratch) < 0:
        raise ValueError(f"more than {CAPACITY} contacts are closed at once")
    closing = is_closing(closed, zero)
    if closing:
        pair_corners(closed)
    else:
        keep_contacts(closed, zero)
    k = int(closed.n)
    contacts = []
    for i in range(k):
        kind, feature, wall = (int(c) for c in closed.triple[i])
        _, _, nx, ny, rx, ry = compute_contact(body.part, body.walls, closed.triple[i], pose)
        t = closed.tangent[i]
        slip = t[0] * velocity[0] + t[1] * velocity[1] + t[2] * body.rho * velocity[2] - closed.drag[i]
        contacts.append({
            "obstacle": scene.obstacles[int(body.walls.edge[wall].owner)].name,
            "type": "AB"[kind],
            "part_feature": feature,
            "obstacle_feature": wall,
            "point": (pose[0] - rx, pose[1] - ry),
            "normal": (nx, ny),
            "gap_rate": float(closed.rate[i]) if closing else 0.0,  # zero to rounding: no impact comes
            "slip": float(slip),
        })  # fmt: skip
    problem = ContactProblem(
        w=body.w, N=closed.normal[:k], b=closed.b[:k], T=closed.tangent[:k], d=closed.d[:k],
        slip=closed.slip[:k], mu=closed.mu[:k], corner=closed.partner[:k],
    )  # fmt: skip
    return problem, contacts
