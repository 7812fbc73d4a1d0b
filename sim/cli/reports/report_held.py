"""What holds, pulls and brakes the part, in words."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, pi

from geometry.prescribed.motion import Coordinate
from sim.cli.reports.console import format_number
from sim.scene.held.holding import HYBRID, WORLD, Control, Gripper, Matrix3, Spring, TimedLoad
from sim.scene.held.matrices import ROWS
from sim.scene.prescribed.motions import describe_motion
from sim.scene.scene import Scene
from sim.words.quoting import cut

# Units of the members of matrices: between directions, between a direction and the turn, of the turn.
STIFFNESS, DAMPING = ("N/m", "N", "N m/rad"), ("N s/m", "N s", "N m s")


def describe_held(scene: Scene) -> Iterator[tuple[str, str]]:
    """(what, how it acts) of all that acts besides obstacles, gravity and the constant load."""
    if scene.gripper is not None:
        yield "gripper", _describe_gripper(scene.gripper)
    for spring in scene.springs:
        yield f"spring {cut(spring.name)}", _describe_spring(spring, scene)
    if scene.drag is not None:
        yield "drag", (f"{format_number(scene.drag.linear, 'N s/m')} at the centre of mass, "
                       f"{format_number(scene.drag.rotational, 'N m s')} against the turn")
    for load in scene.loads:
        yield f"load {cut(load.name)}", _describe_load(load)
    if scene.control is not None:
        yield "controller", _describe_control(scene.control, scene)


def _describe_gripper(gripper: Gripper) -> str:
    axes = "its own axes" if gripper.turned else "the axes of the world"
    words = [f"stiffness {_describe_matrix(gripper.stiffness, STIFFNESS)}",
             f"damping {_describe_matrix(gripper.damping, DAMPING)}",
             f"in {axes}, about {_describe_point(gripper.center)}"]
    if any(gripper.preload):
        x, y, torque = gripper.preload
        words.append(f"preload {format_number(x)}, {format_number(y)} N, {format_number(torque, 'N m')}")
    place = gripper.motion.place(0.0)
    words.append(f"frame at {format_number(place.x)}, {format_number(place.y)} m, {format_number(place.theta, 'rad')}"
                 + ("" if gripper.motion.still else f" at t = 0; moves: {describe_motion(gripper.motion)}"))
    ends = [f"at {format_number(gripper.release_time, 's')}"] if gripper.release_time < inf else []
    ends += [f"above {format_number(gripper.release_force, 'N')}"] if gripper.release_force < inf else []
    return "; ".join([*words, *([f"lets go {' or '.join(ends)}"] if ends else [])])


def _describe_matrix(matrix: Matrix3, units: tuple[str, str, str]) -> str:
    """The diagonal, and what couples two of x, y and theta."""
    words = [f"{ROWS[i]} {format_number(matrix[i][i], units[2 * (i == 2)])}" for i in range(3)]
    words += [f"{ROWS[i]} with {ROWS[j]} {format_number(matrix[i][j], units[j == 2])}"
              for i, j in ((0, 1), (0, 2), (1, 2)) if matrix[i][j] != 0.0]
    return ", ".join(words)


def _describe_point(point: tuple[float, float]) -> str:
    if point == (0.0, 0.0):
        return "the centre of mass"
    return f"the point {format_number(point[0])}, {format_number(point[1])} m from the centre of mass"


def _describe_spring(spring: Spring, scene: Scene) -> str:
    end = "the world" if spring.obstacle == WORLD else cut(scene.obstacles[spring.obstacle].name)
    words = [f"from {_describe_point(spring.point)} to "
             f"{format_number(spring.anchor[0])}, {format_number(spring.anchor[1])} m of {end}",
             f"stiffness {format_number(spring.stiffness, 'N/m')}",
             f"rest length {format_number(spring.rest_length, 'm')}"]
    words += [f"damping {format_number(spring.damping, 'N s/m')}"] if spring.damping else []
    return ", ".join([*words, "pulls only" if spring.pull_only else "pulls and pushes"])


def _describe_load(load: TimedLoad) -> str:
    axes = "the axes of the part" if load.turned else "the axes of the world"
    course = load.wrench
    components = [_describe_component(coordinate, name, unit) for coordinate, name, unit in
                  ((course.x, "fx", "N"), (course.y, "fy", "N"), (course.theta, "torque", "N m"))]
    return f"at {_describe_point(load.point)}, in {axes}: {', '.join(filter(None, components)) or 'nothing'}"


def _describe_component(coordinate: Coordinate, name: str, unit: str) -> str:
    """One component over time; "" where it is nothing at all times."""
    first, last = coordinate.pieces[0], coordinate.pieces[-1]
    start, end = first.coefficients[0], last.coefficients[0]
    words = []
    if len(coordinate.pieces) > 1:
        words.append(f"{name} {format_number(start, unit)} until {format_number(coordinate.pieces[1].begin, 's')}, "
                     f"{format_number(end, unit)} from {format_number(last.begin, 's')} on")
    elif start != 0.0:
        words.append(f"{name} {format_number(start, unit)}")
    words += [f"{name} swings by {format_number(abs(wave.amplitude), unit)} at "
              f"{format_number(wave.frequency / (2.0 * pi), 'Hz')}" for wave in coordinate.waves]
    return ", ".join(words)


def _describe_control(control: Control, scene: Scene) -> str:
    words = [f"{control.law} at {format_number(control.rate, 'Hz')}"]
    if control.law == HYBRID:
        space = "contacts named" if control.named else "closed contacts"
        words.append(f"{'projected' if control.projection else 'not projected'}, in the space of the {space}")
    words += [f"contact of {own[0]} {own[1]} with {other[0]} {other[1]} of {cut(scene.obstacles[obstacle].name)}"
              for own, obstacle, other in ((c.own, c.obstacle, c.other) for c in control.contacts)]
    if control.hand is not None:
        words.append(f"the wrist carries all but a hand of {format_number(control.hand[0], 'kg')}")
    return "; ".join(words)
