"""What the tests of motions share: run a scene text, look at a run, and turn, mirror, scale or relabel a scene."""

from __future__ import annotations

import copy
import dataclasses
import math
import tomllib

import numpy as np

from sim import simulate
from sim.rows.status import Status
from sim.scene.build import parse_scene
from sim.scene.scene import Goal
from sim.scene.start import measure_overlap
from sim.scene.toml_text import dump_toml


def run(text: str, duration: float | None = None, **options):
    """Trajectory of a scene text, to its end time also where the part leaves the scene: there is a goal everywhere."""
    scene = parse_scene(text)
    anywhere = Goal("anywhere", None, None, (0.0, 2.0 * math.pi), at_rest=False)
    return simulate(dataclasses.replace(scene, goals=(*scene.goals, anywhere)), duration, **options)


def get_times(trajectory, kind: str) -> np.ndarray:
    """Times of all events of a kind."""
    return trajectory.events["time"][trajectory.events["kind"] == kind]


def get_kinds(trajectory) -> list[str]:
    """Kinds of the events, in order."""
    return trajectory.events["kind"].tolist()


def place_points(trajectory, points, i: int) -> np.ndarray:
    """World positions of points given in the outline's frame, at row i."""
    x, y, theta = trajectory.pose[i]
    c, s = math.cos(theta), math.sin(theta)
    body = np.asarray(points, dtype=float) + trajectory.scene.workpiece.origin
    return np.array([x, y]) + body @ np.array([[c, s], [-s, c]])


def measure_depth(trajectory, i: int) -> float:
    """Depth of the overlap of part and obstacles at row i, m, by an independent program (shapely)."""
    scene = trajectory.scene
    part = place_points(trajectory, scene.workpiece.outline.vertices - scene.workpiece.origin, i)
    low, high = part.min(axis=0), part.max(axis=0)
    depth = 0.0
    for obstacle in scene.obstacles:
        other = obstacle.shape.vertices
        if (other.min(axis=0) < high).all() and (other.max(axis=0) > low).all():
            depth = max(depth, measure_overlap(part, other)[0])
    return depth


def check_laws(trajectory, energy: float = 1e-9, status: Status = Status.COMPLETED, depth: float = 1e-9):
    """What holds in every run: its end, finite numbers, the account, energy that never grows, no overlap."""
    account = trajectory.account
    assert trajectory.status == status, trajectory.describe()
    for table in (trajectory.steps, trajectory.contacts, trajectory.event_rows, trajectory.impulses):
        for name in table.dtype.names:
            assert np.isfinite(table[name]).all(), name
    assert account.balance_residual < 1e-9 and account.cone_residual < 1e-9, account
    assert account.energy_residual < energy, account
    steps = trajectory.steps
    scale = max(steps["kinetic"].max(), np.ptp(steps["work_load"]))
    for name in ("work_friction", "work_impact"):
        assert (np.diff(steps[name], prepend=0.0) <= energy * scale).all(), name
    gain = steps["kinetic"] - account.energy_start - steps["work_load"]
    assert (gain <= energy * scale).all(), gain.max()
    size = 2.0 * trajectory.scene.workpiece.outline.reach
    assert account.penetration <= depth * size, account
    for i in range(len(trajectory)):
        assert measure_depth(trajectory, i) <= depth * size, (i, trajectory.time[i], measure_depth(trajectory, i))


# ------------------------------------------------------------------------------------------- the same scene otherwise


def _bodies(data: dict) -> list[dict]:
    return [data["workpiece"], *data["obstacle"]]


def _load(data: dict) -> list[dict]:
    return data.get("load", [])


def turn_scene(text: str, angle: float) -> str:
    """The scene turned about the world's origin."""
    data = tomllib.loads(text)
    c, s = math.cos(angle), math.sin(angle)

    def turn(x, y, *rest):
        return [c * x - s * y, s * x + c * y, *rest]

    for body in _bodies(data):
        body["pose"] = turn(*body.get("pose", (0.0, 0.0, 0.0)))
        body["pose"][2] += angle
    data["workpiece"]["velocity"] = turn(*data["workpiece"].get("velocity", (0.0, 0.0, 0.0)))
    data["gravity"] = turn(*data.get("gravity", (0.0, -9.81)))
    for load in _load(data):
        load["force"] = turn(*load["force"])
    for motion in (body["motion"] for body in data["obstacle"] if "motion" in body):
        assert set(motion) <= {"velocity", "angular_velocity", "sinusoid"}, "turn_scene cannot turn this motion"
        if "velocity" in motion:
            motion["velocity"] = turn(*motion["velocity"])
        for wave in motion.get("sinusoid", []):
            wave["amplitude"] = turn(*wave["amplitude"])
    return dump_toml(data)


def mirror_scene(text: str) -> str:
    """The scene in a mirror: x becomes -x."""
    data = tomllib.loads(text)
    for body in _bodies(data):
        outline = body["outline"]
        if "vertices" in outline:
            outline["vertices"] = [[-x, y] for x, y in outline["vertices"]]
        x, y, theta = body.get("pose", (0.0, 0.0, 0.0))
        body["pose"] = [-x, y, -theta]
        if "center_of_mass" in body:
            body["center_of_mass"][0] *= -1.0
    vx, vy, omega = data["workpiece"].get("velocity", (0.0, 0.0, 0.0))
    data["workpiece"]["velocity"] = [-vx, vy, -omega]
    gx, gy = data.get("gravity", (0.0, -9.81))
    data["gravity"] = [-gx, gy]
    for load in _load(data):
        load["force"][0] *= -1.0
        load["torque"] = -load.get("torque", 0.0)
    return dump_toml(data)


def scale_scene(text: str, factor: float) -> str:
    """All lengths times a factor under the same gravity: times grow by its square root."""
    data = tomllib.loads(text)
    root = math.sqrt(factor)
    for body in _bodies(data):
        outline = body["outline"]
        for key in ("vertices", "box"):
            if key in outline:
                outline[key] = (factor * np.array(outline[key])).tolist()
        x, y, theta = body.get("pose", (0.0, 0.0, 0.0))
        body["pose"] = [factor * x, factor * y, theta]
        for key in ("center_of_mass", "rho"):
            if key in body:
                body[key] = (factor * np.array(body[key])).tolist()
    vx, vy, omega = data["workpiece"].get("velocity", (0.0, 0.0, 0.0))
    data["workpiece"]["velocity"] = [root * vx, root * vy, omega / root]
    data["run"]["duration"] *= root
    for load in _load(data):
        load["torque"] = factor * load.get("torque", 0.0)
    return dump_toml(data)


def shift_scene(text: str, dx: float, dy: float) -> str:
    """The scene at another place."""
    data = tomllib.loads(text)
    for body in _bodies(data):
        x, y, theta = body.get("pose", (0.0, 0.0, 0.0))
        body["pose"] = [x + dx, y + dy, theta]
    return dump_toml(data)


def relabel_scene(text: str, start: int) -> str:
    """Every outline begins at another vertex, obstacles come in reverse order."""
    data = tomllib.loads(text)
    for body in _bodies(data):
        vertices = body["outline"].get("vertices")
        if vertices:
            k = start % len(vertices)
            body["outline"]["vertices"] = vertices[k:] + vertices[:k]
    data["obstacle"] = copy.deepcopy(data["obstacle"])[::-1]
    return dump_toml(data)


def turn_part_frame(text: str, angle: float) -> str:
    """The same part, its outline drawn in a turned frame."""
    data = tomllib.loads(text)
    c, s = math.cos(angle), math.sin(angle)
    part = data["workpiece"]
    part["outline"]["vertices"] = [[c * x + s * y, c * y - s * x] for x, y in part["outline"]["vertices"]]
    if "center_of_mass" in part:
        x, y = part["center_of_mass"]
        part["center_of_mass"] = [c * x + s * y, c * y - s * x]
    x, y, theta = part.get("pose", (0.0, 0.0, 0.0))
    part["pose"] = [x, y, theta + angle]
    return dump_toml(data)
