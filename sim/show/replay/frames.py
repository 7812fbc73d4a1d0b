"""What a picture shows at one time: the pose, the contacts and what is known about uniqueness; and which times a movie
shows.

Between two rows of a log the pose is that of `sim.log.pieces`: exact for a constant acceleration, and never across an
event, because a log has a row at every event. Contacts and forces are those of the row at or before the time; a vertex
or the centre of an arc rides with the body that owns it, a normal with the one that owns the edge, and between two
centres where both are round. Obstacles that move are where their motion says.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from geometry.errors import StictionError
from geometry.shapes.outline import Outline
from geometry.shapes.polygon import Polygon
from sim.log.trajectory import Trajectory
from sim.rows.records import CONTACT_LETTERS, CONTACT_TYPES, SET_KINDS
from sim.show.loops import place_points
from sim.tolerances import ON_ARC, WHOLE_NUMBER

MOST_IMPACTS = 50  # events of one picture
TYPE_A, TYPE_B, TYPE_C = map(CONTACT_TYPES.index, "ABC")


class ReplayError(StictionError, ValueError):
    """A picture, movie or window cannot be made; the message says why and what works instead."""


@dataclass(frozen=True)
class FrameState:
    """The contents of one picture, SI units, world frame."""

    index: int  # the row at or before the time
    time: float
    pose: np.ndarray  # (3,) x, y, theta
    points: np.ndarray  # (k, 2) contact points
    normals: np.ndarray  # (k, 2) from the obstacle towards the part
    normal_forces: np.ndarray  # (k, 2) on the part, N; 0 where they have no bound
    friction_forces: np.ndarray  # (k, 2) on the part, N; 0 where they have no bound
    unbounded: np.ndarray  # (k,) bool: contacts whose forces have no bound (the part is jammed)
    obstacles: np.ndarray  # (k,) index of the obstacle
    letters: str  # one a contact; "" where no motion is possible
    set_kind: str  # one of SET_KINDS


def compute_state(trajectory: Trajectory, time: float) -> FrameState:
    """The contents of a picture at `time`, held within the time span of the log."""
    times = trajectory.time
    if len(times) == 0:
        raise ReplayError("there is nothing to show: the log has no rows")
    time = min(max(float(time), times[0]), times[-1])
    index = int(np.searchsorted(times, time, side="right")) - 1
    return build_state(trajectory, index, time, interpolate_pose(trajectory, index, time))


def read_state(trajectory: Trajectory, index: int) -> FrameState:
    """The contents of a picture of one row, exactly as logged; a negative index counts from the end."""
    count = len(trajectory)
    if not -count <= index < count:
        raise IndexError(f"row {index} of a log with {count} rows")
    index %= count
    return build_state(trajectory, index, float(trajectory.time[index]), trajectory.pose[index])


def interpolate_pose(trajectory: Trajectory, index: int, time: float) -> np.ndarray:
    """(3,) the pose at a time [s] from row `index` on until the next; at the row itself, exactly that of the row."""
    if time <= trajectory.time[index]:
        return trajectory.pose[index]
    return trajectory.pieces.evaluate(np.array([time]))[0]


def build_state(trajectory: Trajectory, index: int, time: float, pose: np.ndarray) -> FrameState:
    """Contacts of row `index`, carried along from its time and pose to `time` and `pose`."""
    rows = trajectory.contacts_at(index)
    points = np.column_stack((rows["px"], rows["py"]))
    normals = np.column_stack((rows["nx"], rows["ny"]))
    points, normals = carry_contacts(trajectory, index, time, pose, rows, points, normals)
    tangents = np.column_stack((normals[:, 1], -normals[:, 0]))
    kind = SET_KINDS[trajectory.steps["set_kind"][index]]
    unbounded = ~(np.isfinite(rows["fn"]) & np.isfinite(rows["ft"]))
    fn, ft = (np.where(unbounded, 0.0, rows[name]) for name in ("fn", "ft"))
    return FrameState(
        index=index,
        time=time,
        pose=pose,
        points=points,
        normals=normals,
        normal_forces=normals * fn[:, None],
        friction_forces=tangents * ft[:, None],
        unbounded=unbounded,
        obstacles=rows["obstacle"],
        letters="" if kind == "none" else "".join(CONTACT_LETTERS[letter] for letter in rows["letter"]),
        set_kind=kind,
    )


def carry_contacts(trajectory: Trajectory, index: int, time: float, pose: np.ndarray, rows: np.ndarray,
                   points: np.ndarray, normals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Points and normals (k, 2) of contacts of row `index`, where they are when the part is at `pose` at `time`."""
    record, before, kind = trajectory.record, trajectory.pose[index], rows["type"]
    radius = find_radii(record.workpiece.outline, before, points, normals, kind != TYPE_A)
    centres, with_part = carry(points + radius[:, None] * normals, normals, before, pose)
    others, with_walls, other_radius = points.copy(), normals.copy(), np.zeros(len(rows))
    for owner in np.unique(rows["obstacle"]):
        body, own = record.obstacles[owner], rows["obstacle"] == owner
        was = now = np.zeros(3)
        if body.motion is not None:
            was, now = body.motion.evaluate_frame(np.array([trajectory.time[index], time]))[0]
        round_one = find_radii(body.outline, was, points[own], -normals[own], kind[own] != TYPE_B)
        other_radius[own] = round_one
        others[own], with_walls[own] = carry(points[own] - round_one[:, None] * normals[own], normals[own], was, now)
    between = (centres - others) * np.where(radius + other_radius < 0.0, -1.0, 1.0)[:, None]
    distance = np.hypot(between[:, 0], between[:, 1])[:, None]
    between = np.divide(between, distance, out=normals.copy(), where=distance > 0.0)
    type_a, type_c = (kind == TYPE_A)[:, None], (kind == TYPE_C)[:, None]
    normals = np.where(type_c, between, np.where(type_a, with_part, with_walls))
    return np.where(type_a, others + other_radius[:, None] * normals, centres - radius[:, None] * normals), normals


def find_radii(outline: Polygon | Outline, pose: np.ndarray, points: np.ndarray, inward: np.ndarray,
               asked: np.ndarray) -> np.ndarray:
    """(k,) radius of the arc of a body at a pose that each point lies on, negative if it is concave; 0 of a vertex, and
    where it is not asked. inward (k, 2): unit vectors from the points into the body."""
    radius = np.zeros(len(points))
    if isinstance(outline, Polygon) or not asked.any():
        return radius
    features = outline.features
    bent = features.sign != 0
    signed, centre = (features.radius * features.sign)[bent], place_points(features.centre[bent], pose)
    off = points[:, None] + signed[:, None] * inward[:, None] - centre
    off = np.hypot(off[..., 0], off[..., 1])
    nearest = off.argmin(axis=1)
    found = asked & (off.min(axis=1) <= ON_ARC * outline.size)
    return np.where(found, signed[nearest], 0.0)


def carry(points: np.ndarray, normals: np.ndarray, before: np.ndarray, now: np.ndarray) -> tuple:
    """Points and normals (k, 2) that ride with a body from one pose (x, y, theta) to another."""
    c, s = math.cos(now[2] - before[2]), math.sin(now[2] - before[2])
    turn = np.array([[c, s], [-s, c]])  # rows times this are turned counter-clockwise
    return (points - before[:2]) @ turn + now[:2], normals @ turn


def keep_seen(state: FrameState, low: np.ndarray, high: np.ndarray) -> FrameState:
    """The state with those contacts alone that are in a window with these corners (m), or beside it: drawing libraries
    overflow on places far outside."""
    room = high - low
    kept = ((state.points >= low - room) & (state.points <= high + room)).all(axis=1)
    if kept.all():
        return state
    own = {name: getattr(state, name)[kept] for name in ("points", "normals", "normal_forces", "friction_forces",
                                                         "unbounded", "obstacles")}
    letters = "".join(letter for letter, keep in zip(state.letters, kept, strict=False) if keep)
    return replace(state, letters=letters, **own)


def find_recent_impacts(trajectory: Trajectory, time: float, window: float) -> np.ndarray:
    """(k, 2): the points that carried an impulse within the last `window` seconds before `time`."""
    events = trajectory.event_rows
    first = int(np.searchsorted(events["time"], time - window, side="left"))
    last = int(np.searchsorted(events["time"], time, side="right"))
    rows = [trajectory.impulses_at(i) for i in range(max(first, last - MOST_IMPACTS), last)]
    points = [np.column_stack((row["px"], row["py"]))[row["fn"] > 0.0] for row in rows]
    return np.concatenate(points) if points else np.zeros((0, 2))


def find_frame_times(trajectory: Trajectory, fps: float, speed: float) -> np.ndarray:
    """The times that a movie shows: one every speed/fps from the first row on, and the last row."""
    for name, value in (("fps", fps), ("speed", speed)):
        if not (math.isfinite(value) and value > 0.0):
            raise ReplayError(f"{name} must be a positive number, not {value!r}")
    times = trajectory.time
    if len(times) == 0:
        raise ReplayError("there is nothing to show: the log has no rows")
    start, end, step = times[0], times[-1], speed / fps
    if (end - start) / step > 1e6:
        raise ReplayError(
            f"the log spans {end - start:.6g} s: more than a million frames at {fps:g} frames a second and speed "
            f"{speed:g}; use a higher speed"
        )
    count = max(math.ceil((end - start) / step * (1.0 - WHOLE_NUMBER)), 0)
    return np.append(start + step * np.arange(count), end)
