"""Random grippers, springs, drag and loads on random parts, for the soaks of `tests/soak_scenes.py`."""

from __future__ import annotations

import math

import numpy as np

from tests.scene_builders import G
from tests.soak_shapes import CONTAINERS, draw_contact_laws, draw_part, find_height, place, scale_vertices

CLEAR = 40.0  # sizes above everything, where a part is to touch nothing
FALLS = 3.0  # how long a run is, in times sqrt(size / g)


class Scale:
    """What a random scene is measured by: size [m], time in which a part falls by half of it [s], mass [kg]."""

    def __init__(self, rng):
        self.size = float(10.0 ** rng.uniform(-2.0, 1.0))
        self.mass = float(10.0 ** rng.uniform(-2.0, 2.0))
        self.fall = math.sqrt(self.size / G)
        self.force = self.mass * G
        self.duration = FALLS * self.fall
        self.rho = self.size * float(rng.uniform(0.2, 0.6))


def draw_held(rng) -> tuple[dict, float] | None:
    """(tables of a scene, size): a part that is held, pulled, braked or driven, near obstacles or far from all."""
    scale, part = Scale(rng), rng.uniform(0.4, 1.0) * draw_part(rng)
    obstacles = CONTAINERS[rng.integers(len(CONTAINERS))](rng)
    x, turn = rng.uniform(-1.0, 1.0), rng.uniform(-math.pi, math.pi)
    y = find_height(part, x, turn, obstacles)
    if y is None:
        return None
    y += CLEAR if rng.random() < 0.4 else 0.0
    speed = rng.choice([0.0, 0.5, 10.0 ** rng.uniform(-3.0, 0.3)])
    vx, vy, omega = rng.normal(size=3) * speed
    workpiece = scale_vertices(place("part", part, (x, y, turn)), scale.size) | {
        "mass": scale.mass, "rho": scale.rho, "center_of_mass": [0.0, 0.0],
        "velocity": [vx * scale.size / scale.fall, vy * scale.size / scale.fall, omega / scale.fall]}
    bodies = [scale_vertices(body, scale.size) for body in obstacles]
    for body in bodies:
        if rng.random() < 0.25:
            body["motion"] = draw_swing(rng, scale, 0.05)
    tables = {"workpiece": workpiece, "obstacle": bodies, "gravity": [0.0, -G * float(rng.integers(0, 2))],
              **draw_contact_laws(rng)}
    kinds = rng.random(4) < (0.6, 0.5, 0.4, 0.5)
    if not kinds.any():
        kinds[0] = True
    at = np.array(workpiece["pose"])
    if kinds[0]:
        tables["gripper"] = draw_gripper(rng, scale, part, at)
    if kinds[1]:
        tables["spring"] = [draw_spring(rng, scale, part, at, bodies) for _ in range(int(rng.integers(1, 4)))]
    if kinds[2]:
        tables["drag"] = {"linear": scale.mass / scale.fall * float(10.0 ** rng.uniform(-2.0, 2.0)),
                          "rotational": scale.mass * scale.rho**2 / scale.fall * float(10.0 ** rng.uniform(-2.0, 2.0))}
    if kinds[3]:
        tables["load"] = [draw_load(rng, scale, part) for _ in range(int(rng.integers(1, 3)))]
    tables["run"] = {"duration": scale.duration, "output_interval": scale.duration / 60.0}
    return tables, scale.size


def draw_point(rng, scale: Scale, part: np.ndarray) -> list[float]:
    """The centre of mass, a corner of the part, or anywhere about it."""
    point = (np.zeros(2), part[rng.integers(len(part))], rng.uniform(-1.0, 1.0, 2))[rng.integers(3)]
    return (scale.size * point).tolist()


def draw_swing(rng, scale: Scale, share: float) -> dict:
    """A motion that does not begin with a jump of the pose."""
    amplitude = share * rng.normal(size=3) * [scale.size, scale.size, 1.0]
    return {"sinusoid": [{"amplitude": amplitude.tolist(),
                          "frequency": float(10.0 ** rng.uniform(-1.0, 1.0)) / scale.fall}]}


def draw_stiffness(rng, scale: Scale) -> float:
    """N/m: 10 to 1e6, or of a part that holds its weight."""
    if rng.random() < 0.5:
        return float(10.0 ** rng.uniform(1.0, 6.0))
    return float(scale.force / scale.size * 10.0 ** rng.uniform(-1.0, 4.0))


def draw_gripper(rng, scale: Scale, part: np.ndarray, at: np.ndarray) -> dict:
    stiff = draw_stiffness(rng, scale)
    k = np.diag([stiff, stiff * 10.0 ** rng.uniform(-3.0, 1.0), stiff * scale.size**2 * 10.0 ** rng.uniform(-2.0, 0.5)])
    if rng.random() < 0.3:  # coupled, still without negative eigenvalues
        root, mix = np.sqrt(k), np.eye(3) + 0.2 * rng.normal(size=(3, 3))
        k = root @ (mix @ mix.T) @ root
        k = 0.5 * (k + k.T)
    elif rng.random() < 0.2:
        k[rng.integers(3)] = 0.0
    gripper = {"stiffness": k.tolist(), "axes": str(rng.choice(["world", "gripper"])),
               "center": draw_point(rng, scale, part)}
    way = rng.integers(3)
    if way == 0:
        gripper["damping_ratio"] = float(rng.choice([rng.uniform(0.0, 2.0), 1.0, 0.0]))
    elif way == 1:
        rate = math.sqrt(stiff * scale.mass) * 10.0 ** rng.uniform(-2.0, 0.5)
        gripper["damping"] = [rate, rate, rate * scale.size**2]
    gripper |= draw_gripper_motion(rng, scale, at)
    if rng.random() < 0.3:
        gripper["preload"] = (scale.force * rng.normal(size=3) * [1.0, 1.0, scale.size]).tolist()
    if rng.random() < 0.4:
        gripper["release"] = {}
        if rng.random() < 0.6:
            gripper["release"]["force"] = float(scale.force * 10.0 ** rng.uniform(-0.5, 2.0))
        if rng.random() < 0.5 or not gripper["release"]:
            gripper["release"]["time"] = float(rng.uniform(0.05, 0.95)) * scale.duration
    return gripper


def draw_gripper_motion(rng, scale: Scale, at: np.ndarray) -> dict:
    """Its pose and its motion: at rest, even, to and fro, or from place to place."""
    way, turns = rng.integers(4), np.array([scale.size, scale.size, 1.0])
    if way == 0:
        return {} if rng.random() < 0.5 else {"pose": (at + 0.1 * rng.normal(size=3) * turns).tolist()}
    if way == 1:
        vx, vy, omega = (rng.normal(size=3) * turns / scale.duration).tolist()
        return {"motion": {"velocity": [vx, vy], "angular_velocity": omega}}
    if way == 2:
        return {"motion": draw_swing(rng, scale, 0.2)}
    times = np.sort(rng.uniform(0.0, 1.0, int(rng.integers(2, 5)))) * scale.duration
    rows = [[float(time), *(at + 0.3 * rng.normal(size=3) * turns).tolist()] for time in times]
    return {"motion": {"waypoints": rows, "interpolation": str(rng.choice(["smooth", "linear"]))}}


def draw_spring(rng, scale: Scale, part: np.ndarray, at: np.ndarray, obstacles: list[dict]) -> dict:
    spring = {"point": draw_point(rng, scale, part), "stiffness": draw_stiffness(rng, scale),
              "pull_only": bool(rng.random() < 0.5)}
    way = rng.uniform(-math.pi, math.pi)
    anchor = at[:2] + scale.size * rng.uniform(0.5, 4.0) * np.array([math.cos(way), math.sin(way)])
    if rng.random() < 0.4:
        body = obstacles[rng.integers(len(obstacles))]
        x, y, turn = body["pose"]
        c, s = math.cos(turn), math.sin(turn)
        dx, dy = anchor - (x, y)
        spring |= {"obstacle": body["name"], "anchor": [c * dx + s * dy, c * dy - s * dx]}
    else:
        spring["anchor"] = anchor.tolist()
    if rng.random() < 0.7:
        spring["rest_length"] = float(rng.choice([0.0, rng.uniform(0.2, 5.0)])) * scale.size
    if rng.random() < 0.5:
        spring["damping"] = math.sqrt(spring["stiffness"] * scale.mass) * float(10.0 ** rng.uniform(-2.0, 0.5))
    return spring


def draw_load(rng, scale: Scale, part: np.ndarray) -> dict:
    """A constant, and some of a sinusoid, a ramp and a table."""
    units = scale.force * np.array([1.0, 1.0, scale.size])

    def wrench(share: float) -> list[float]:
        return (share * rng.normal(size=3) * units).tolist()

    fx, fy, torque = wrench(0.5)
    load = {"force": [fx, fy], "torque": torque, "at": draw_point(rng, scale, part),
            "axes": str(rng.choice(["world", "part"]))}
    if rng.random() < 0.6:
        load["sinusoid"] = [{"amplitude": wrench(1.0), "frequency": float(10.0 ** rng.uniform(-1.0, 1.3)) / scale.fall,
                             "phase": float(rng.uniform(-math.pi, math.pi))}]
    if rng.random() < 0.4:
        start, end = np.sort(rng.uniform(0.0, 1.0, 2)) * scale.duration
        fx, fy, torque = wrench(1.0)
        load["ramp"] = {"start": float(start), "end": float(end), "force": [fx, fy], "torque": torque}
    if rng.random() < 0.4:
        times = np.sort(rng.uniform(0.0, 1.0, int(rng.integers(2, 6)))) * scale.duration
        load["table"] = [[float(time), *wrench(1.0)] for time in times]
        load["interpolation"] = str(rng.choice(["linear", "smooth", "step"]))
    return load
