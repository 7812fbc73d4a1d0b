"""The sheets of a formation's cell while one obstacle moves by x, y or theta: the motion, the sheets, what is realised.

The "time" of their tracks is the coordinate that moves, in m or rad.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from geometry.formation.realised import find_normal
from geometry.formation.sheets import find_realised_parts, list_sheets
from geometry.formation.tracking import Track
from geometry.shapes.pose import Pose
from geometry.tolerances import SAME_POSE
from sim.scene.formation_start import FormationListing
from sim.scene.scene_errors import SceneError
from sim.scene.schema import read_angle, read_length
from sim.scene.toml_text import PathError, split_path
from sim.sweep.axes import SweepError, parse_span
from sim.words.suggestion import suggest

COORDINATES = ("x", "y", "theta")
VALUES = 61  # of a motion that is chosen here
# Values added between a branch point and the next value, as shares of the way. Reason: there theta goes like a root.
NEARER = np.linspace(0.1, 0.9, 9) ** 2
REACH = 0.25  # how far such a motion goes to either side, in sizes of the part


@dataclass(frozen=True)
class SheetMotion:
    """One obstacle moves along one coordinate of its pose, all else as in the scene."""

    key: str  # as for --set
    obstacle: int
    coordinate: int  # 0, 1, 2: x, y, theta
    values: np.ndarray  # (n,) m or rad, rising; with the value of the scene if that is between
    present: float  # the value in the scene

    @property
    def unit(self) -> str:
        return "rad" if self.coordinate == 2 else "m"


@dataclass(frozen=True)
class Sheet:
    """One sheet of the cell, and the parts of it whose poses are realised."""

    track: Track
    realised: list[Track]
    branch: int | None  # the pose of the scene (by rising theta) that lies on it


def choose_motion(listing: FormationListing) -> SheetMotion:
    """The obstacle of the first contact, by x or y, whichever is nearer to the normal of that contact."""
    contact = listing.formation.contacts[0]
    obstacle = listing.obstacles[contact.manipulator]
    good = [k for k, check in enumerate(listing.checks) if check.realised]
    pose = listing.found.poses[good[0] if good else 0].pose if listing.found.poses else Pose()
    normal = find_normal(contact, pose, obstacle.pose)
    coordinate = int(abs(normal[1]) > abs(normal[0]))
    present, reach = obstacle.pose[coordinate], REACH * listing.outline.size
    return _make_motion(listing, contact.manipulator, coordinate, np.linspace(present - reach, present + reach, VALUES))


def parse_motion(text: str, listing: FormationListing) -> SheetMotion:
    """The motion KEY=A:B:N, KEY being obstacle.NAME.pose.x, .y or .theta. Raises SceneError."""
    usage = f'--move {text}: write KEY=A:B:N, for example "obstacle.{listing.obstacles[0].name}.pose.x=-5:5 mm:101"'
    key, equals, span = text.partition("=")
    try:
        parsed = parse_span(span) if equals else None
        keys = split_path(key.strip())
    except (SweepError, PathError) as error:
        raise SceneError(f"{usage}; {error}") from None
    if parsed is None or len(keys) != 4 or keys[0] != "obstacle" or keys[2] != "pose":
        raise SceneError(usage)
    names = [obstacle.name for obstacle in listing.obstacles]
    if keys[1] not in names:
        raise SceneError(f"--move {text}: there is no obstacle {keys[1]!r}{suggest(keys[1], names)}")
    if keys[3] not in COORDINATES:
        raise SceneError(f"--move {text}: a pose has no {keys[3]!r}{suggest(keys[3], COORDINATES)}")
    coordinate = COORDINATES.index(keys[3])
    values, unit = parsed
    read = read_angle if coordinate == 2 else read_length
    try:
        values = np.array([read(f"{value!r} {unit}" if unit else value) for value in values.tolist()])
    except ValueError as error:
        raise SceneError(f"--move {text}: {error}") from None
    return _make_motion(listing, names.index(keys[1]), coordinate, values)


def _make_motion(listing: FormationListing, index: int, coordinate: int, values: np.ndarray) -> SheetMotion:
    obstacle = listing.obstacles[index]
    present = float(obstacle.pose[coordinate])
    if values.min() < present < values.max():
        values = np.append(values, present)
    name = obstacle.name if "." not in obstacle.name else f'"{obstacle.name}"'
    return SheetMotion(f"obstacle.{name}.pose.{COORDINATES[coordinate]}", index, coordinate, np.unique(values), present)


def find_sheets(listing: FormationListing, motion: SheetMotion) -> list[Sheet]:
    """All sheets over the motion, in the order in which they begin."""
    placed = np.array([obstacle.pose for obstacle in listing.obstacles], dtype=np.float64)
    rate = np.zeros_like(placed)
    rate[motion.obstacle, motion.coordinate] = 1.0
    origin = placed - motion.present * rate

    def move(value: float):
        poses = origin + value * rate
        return poses, rate, np.zeros_like(rate)

    contacts, outlines = listing.formation.contacts, [obstacle.outline for obstacle in listing.obstacles]
    tracks = list_sheets(contacts, move, motion.values)
    points = {float(track.times[row]) for track in tracks for row in find_branch_rows(track)}
    if points:
        finer = [point + NEARER * (value - point)
                 for point in points for value in _find_neighbours(motion.values, point)]
        tracks = list_sheets(contacts, move, np.unique(np.concatenate([motion.values, *finer])))
    return [Sheet(track, find_realised_parts(track, contacts, move, listing.outline, outlines),
                  _find_branch(track, listing, motion)) for track in tracks]


def find_branch_rows(track: Track) -> list[int]:
    """The rows of a track that are branch points: its first (0), its last (-1), both or none."""
    return [row for row, stop in ((0, track.begin), (-1, track.end)) if stop.reason == "branch"]


def _find_neighbours(values: np.ndarray, point: float) -> list[float]:
    """The value before a point and the value after it."""
    return [*values[values < point][-1:].tolist(), *values[values > point][:1].tolist()]


def _find_branch(track: Track, listing: FormationListing, motion: SheetMotion) -> int | None:
    for row in np.flatnonzero(track.times == motion.present):
        for k, pose in enumerate(listing.found.poses):
            turn = np.remainder(track.poses[row, 2] - pose.theta + np.pi, 2.0 * np.pi) - np.pi
            off = np.hypot(*(track.poses[row, :2] - pose[:2]))
            if abs(turn) < SAME_POSE and off < SAME_POSE * listing.outline.size:
                return k
    return None
