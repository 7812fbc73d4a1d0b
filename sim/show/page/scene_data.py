"""The scene in a page: name, bodies, what holds the part, and its numbers in short."""

from __future__ import annotations

import math
from typing import Any

from sim.log.trajectory import Trajectory
from sim.scene.held.holding import WORLD
from sim.scene.scene_errors import SceneError
from sim.show.page.body_data import describe_bodies, describe_coordinate, describe_motion
from sim.show.replay.held_scene import find_release, find_scene

TURN = 180.0 / math.pi


def describe_scene(trajectory: Trajectory) -> dict[str, Any]:
    """All that the page says of the scene of a motion."""
    record = trajectory.record
    found = {"name": record.name, "summary": record.summary, **describe_bodies(record),
             "facts": describe_facts(trajectory)}
    try:
        found |= describe_gravity(trajectory.scene)
    except SceneError:  # the text of an old log: the rest is in the record
        pass
    scene = find_scene(trajectory)
    if scene is not None and scene.gripper is not None:
        found["gripper"] = {"motion": describe_motion(scene.gripper.motion),
                            "center": [float(c) for c in scene.gripper.center]}
        release = find_release(trajectory)
        if math.isfinite(release):
            found["gripper"]["release"] = release
    if scene is not None and scene.springs:
        found["springs"] = [
            {"name": spring.name, "point": [float(c) for c in spring.point],
             "anchor": [float(c) for c in spring.anchor], **describe_anchor(scene, spring)}
            for spring in scene.springs]
    return found


def describe_gravity(scene: Any) -> dict[str, Any]:
    """Gravity at t = 0 (m/s^2), and the angle by which it turns."""
    found: dict[str, Any] = {"gravity": [float(value) for value in scene.gravity]}
    if scene.gravity_turn is not None:
        found["gravityTurn"] = describe_coordinate(scene.gravity_turn)
    return found


def describe_anchor(scene: Any, spring: Any) -> dict[str, Any]:
    """The frame in which a spring ends: none for the world; how it moves, or where it is."""
    if spring.obstacle == WORLD:
        return {}
    obstacle = scene.obstacles[spring.obstacle]
    if obstacle.motion is not None:
        return {"motion": describe_motion(obstacle.motion)}
    return {"pose": [float(obstacle.pose.x), float(obstacle.pose.y), float(obstacle.pose.theta)]}


def describe_facts(trajectory: Trajectory) -> list[list[str]]:
    """[what, value] of the numbers of a scene that a reader asks for first."""
    record, part = trajectory.record, trajectory.record.workpiece
    facts = [["mass", write_quantity(part.mass, "kg")], ["radius of gyration", write_quantity(part.rho, "m")]]
    try:
        facts += [["gravity", write_gravity(trajectory.scene)], ["choice", trajectory.scene.run.choice]]
    except SceneError:
        pass
    for body in record.obstacles:
        words = [f"µ {body.mu:.6g}"] + [f"e {body.e:.6g}"] * bool(body.e) + ["moves"] * (body.motion is not None)
        words += [f"surface {write_quantity(body.surface_speed, 'm/s')}"] * bool(body.surface_speed)
        facts.append([body.name, ", ".join(words)])
    return facts


def write_gravity(scene: Any) -> str:
    """Size and direction of gravity."""
    x, y = (float(value) for value in scene.gravity)
    size = math.hypot(x, y)
    if size == 0.0:
        return "none"
    angle = TURN * math.atan2(x, -y)  # from straight down
    return f"{size:.6g} m/s²" + (f", {angle:.4g}° from down" if abs(angle) > 1e-9 else "")


def write_quantity(value: float, unit: str) -> str:
    """A length [m], mass [kg] or speed in a unit in which it reads well."""
    smaller = {"m": ("mm", 1e3), "kg": ("g", 1e3), "m/s": ("mm/s", 1e3)}[unit]
    if value and abs(value) < 0.1:
        return f"{value * smaller[1]:.6g} {smaller[0]}"
    return f"{value:.6g} {unit}"
