"""What happens on the way in: force and moment over depth, and which contacts are closed where.

The force is that of the gripper on the part, about its centre of compliance; without a gripper it is the whole applied
load, about the centre of mass. `push` is its component along the direction of going in, `side` that to the right of it,
as one sees the hole with its mouth on top; `moment` is counter-clockwise.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from itertools import combinations
from math import hypot, inf
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sim.files.partial_file import PartialFile
from sim.instant.depth import compute_axes, measure_depth
from sim.instant.outcome import is_held
from sim.rows.records import CONTACT_LETTERS, CONTACT_TYPES
from sim.scene.scene_errors import SceneError

if TYPE_CHECKING:
    from sim.log.trajectory import Trajectory
    from sim.scene.scene import Insertion, Scene

COUNTS = ("no contact", "one point", "two points")
PAIRS = ("on a corner of", "with a corner on", "round on a rounding of")  # of the contact types A, B, C
MOTIONS = {"n": "rolls", "l": "slides", "r": "slides"}
COLUMNS = ("time [s]", "depth [m]", "x [m]", "y [m]", "theta [rad]", "push [N]", "side [N]", "moment [N m]", "fx [N]",
           "fy [N]", "mode", "contacts")  # fmt: skip


class ToldContact(NamedTuple):
    """A closed contact in words and numbers."""

    side: str  # "left" or "right"
    kind: str  # one of PAIRS
    obstacle: str
    depth: float  # m, of the contact point beyond the mouth
    motion: str  # "slides" or "rolls"

    def describe(self) -> str:
        """"left, on a corner of plate"."""
        return f"{self.side}, {self.kind} {self.obstacle}"


class Span(NamedTuple):
    """Rows first to last in which the same contacts are closed."""

    first: int
    last: int
    contacts: tuple[ToldContact, ...]  # at the first row

    @property
    def state(self) -> str:
        """"no contact", "one point", "two points", "3 points"."""
        n = len(self.contacts)
        return COUNTS[n] if n < len(COUNTS) else f"{n} points"


@dataclass(frozen=True)
class InsertionRun:
    """A run of a scene with an `[insertion]`; arrays have a value for each row of the trajectory."""

    scene: Scene
    trajectory: Trajectory
    depth: np.ndarray  # (n,) m
    push: np.ndarray  # (n,) N
    side: np.ndarray  # (n,) N
    moment: np.ndarray  # (n,) N m
    wedges_at: np.ndarray  # (n,) the friction from which on two of the contacts hold any load; inf where none do
    spans: tuple[Span, ...]

    @property
    def source(self) -> str:
        """What the force is that of."""
        return "gripper" if self.scene.gripper is not None else "load"

    @property
    def force(self) -> np.ndarray:
        """(n,) N, its size."""
        return np.hypot(self.push, self.side)

    @property
    def peak(self) -> int:
        """The row of the largest force."""
        return int(np.argmax(self.force))

    def is_wedged(self, row: int) -> bool:
        """Could the contacts of a row hold any load, if they did not slide?"""
        mu = [obstacle.mu for obstacle in self.scene.obstacles]
        return is_held(self.trajectory.contacts_at(row), self.trajectory.pose[row], mu, self.scene.workpiece.rho)

    def write_csv(self, path: str | Path) -> Path:
        """Write a line for each row as CSV, numbers with all their digits; it appears when it is complete."""
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        fx, fy, _ = _read_force(self.scene, self.trajectory)
        numbers = np.column_stack([self.trajectory.time, self.depth, self._place_outline(), self.push, self.side,
                                   self.moment, fx, fy])
        with PartialFile(path) as partial:
            with partial.open("w", newline="", encoding="utf-8") as file:
                writer = csv.writer(file)
                writer.writerow(COLUMNS)
                for i, row in enumerate(numbers.tolist()):
                    places = list_places(self.scene, self.trajectory, i)
                    writer.writerow([*row, self.trajectory.mode_at(i), "; ".join(map(ToldContact.describe, places))])
            partial.publish()
        return path

    def _place_outline(self) -> np.ndarray:
        """(n, 3) poses of the frame of the outline."""
        pose, (ox, oy) = np.array(self.trajectory.pose), self.scene.workpiece.origin
        c, s = np.cos(pose[:, 2]), np.sin(pose[:, 2])
        pose[:, 0] += c * ox - s * oy
        pose[:, 1] += s * ox + c * oy
        return pose


def analyse_insertion(trajectory: Trajectory) -> InsertionRun:
    """What happens on the way in. Raises SceneError where the scene does not say what the way in is."""
    scene = trajectory.scene
    insertion = check_insertion(scene)
    along, right = compute_axes(insertion)
    fx, fy, moment = _read_force(scene, trajectory)
    wedges = np.array([find_wedging_friction(trajectory.contacts_at(i)) for i in range(len(trajectory))])
    return InsertionRun(
        scene, trajectory, measure_depth(insertion, scene.workpiece.outline, trajectory.pose),
        along[0] * fx + along[1] * fy, right[0] * fx + right[1] * fy, moment, wedges, find_spans(scene, trajectory))


def check_insertion(scene: Scene) -> Insertion:
    """The insertion of a scene. Raises SceneError where there is none."""
    if scene.insertion is None:
        raise SceneError(f"{scene.name}: the scene does not say where the hole is; give a table [insertion] with "
                         "`mouth`, a point in the plane of the mouth, and the `depth` from which on the part is in")
    return scene.insertion


def _read_force(scene: Scene, trajectory: Trajectory) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    kind = "load" if scene.gripper is None else "gripper"
    fx, fy, torque = (np.array(trajectory.steps[f"{kind}_{name}"]) for name in ("fx", "fy", "torque"))
    return fx, fy, torque


def list_places(scene: Scene, trajectory: Trajectory, row: int) -> tuple[ToldContact, ...]:
    """The closed contacts of a row."""
    insertion = check_insertion(scene)
    along, right = compute_axes(insertion)
    places = []
    for contact in trajectory.contacts_at(row):
        arm = np.array([contact["px"], contact["py"]]) - insertion.mouth
        letter = CONTACT_LETTERS[contact["letter"]]
        kind = PAIRS[min(int(contact["type"]), len(CONTACT_TYPES) - 1)]
        places.append(ToldContact("right" if arm @ right > 0.0 else "left", kind,
                                   scene.obstacles[contact["obstacle"]].name, float(arm @ along),
                                   MOTIONS.get(letter, "parts")))
    return tuple(sorted(places, key=lambda place: (place.side, place.depth)))


def find_spans(scene: Scene, trajectory: Trajectory) -> tuple[Span, ...]:
    """The rows from one change of the closed contacts to the next; what has no duration is left out."""
    n, spans = len(trajectory), []
    keys = [frozenset((int(one["obstacle"]), int(one["type"]), int(one["part_feature"]), int(one["obstacle_feature"]))
                      for one in trajectory.contacts_at(i)) for i in range(n)]
    first = 0
    for i in range(1, n + 1):
        if i < n and keys[i] == keys[first]:
            continue
        last = min(i, n - 1)
        if trajectory.time[last] > trajectory.time[first]:
            spans.append(Span(first, i - 1, list_places(scene, trajectory, first)))
        first = i
    return tuple(spans)


def find_wedging_friction(contacts: np.ndarray) -> float:
    """The friction from which on two of these contacts press on each other without any load, and so hold every load:
    then the line between them lies in both friction cones. inf where no two face each other."""
    best = inf
    for one, other in combinations(contacts, 2):
        dx, dy = float(other["px"] - one["px"]), float(other["py"] - one["py"])
        length = hypot(dx, dy)
        if length == 0.0:
            continue
        slopes = []
        for contact, sign in ((one, 1.0), (other, -1.0)):
            nx, ny = float(contact["nx"]), float(contact["ny"])
            normal = sign * (nx * dx + ny * dy)
            slopes.append(abs(nx * dy - ny * dx) / normal if normal > 0.0 else inf)
        best = min(best, max(slopes))
    return best
