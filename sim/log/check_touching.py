"""Does a contact that touches, and that a log leaves out, close? Told from the shapes and the rows alone."""

from __future__ import annotations

import numpy as np

from sim.log.trajectory import Trajectory
from sim.tolerances import LOG_SHORT, LOG_SLOW, LOG_TOUCHES

# Rows that are looked at beside those of events, at most, evenly chosen: looking at one takes some tenths of a
# millisecond.
MOST_ROWS = 2000


def find_closing(trajectory: Trajectory) -> float:
    """Largest acceleration [relative to the largest of the log] with which a touching pair closes that is in no row of
    /contacts; 0 where there is none."""
    part = trajectory.record.workpiece
    size = part.outline.reach
    arm = np.array([1.0, 1.0, size])
    pull = float(np.abs(trajectory.acceleration * arm).max(initial=0.0))
    load = np.abs(np.column_stack([trajectory.steps[name] for name in ("load_fx", "load_fy")])).max(initial=0.0)
    pull = max(pull, float(load) / part.mass) if part.mass > 0.0 else pull
    if size == 0.0 or pull == 0.0:
        return 0.0
    short, worst = LOG_SHORT * np.sqrt(size / pull), 0.0
    speed = max(float(np.abs(trajectory.velocity * arm).max(initial=0.0)), np.sqrt(size * pull))
    for row in choose_rows(trajectory):
        known, touch, left = trajectory.contacts_at(row), LOG_TOUCHES * size, _find_time_left(trajectory, row)
        for gap, rate, bend, place in list_touching(trajectory, row, short, touch):
            if abs(gap) > touch or abs(rate) > LOG_SLOW * speed or _is_logged(known, place, 2.0 * touch):
                continue
            if gap + rate * left + 0.5 * bend * left * left < -touch:  # else it has struck before it could be seen
                worst = max(worst, -bend / pull)
    return worst


def _find_time_left(trajectory: Trajectory, row: int) -> float:
    """Time from a row to the next event, or to the end of the run [s]."""
    time, events = float(trajectory.time[row]), trajectory.event_rows["time"]
    later = events[events > time]
    return float(later[0] if len(later) else trajectory.time[-1]) - time


def _is_logged(contacts: np.ndarray, pair: tuple, reach: float) -> bool:
    """Whether a pair (obstacle, type, x, y) is one of the rows of contacts: nearer than `reach` [m] to its place."""
    obstacle, kind, x, y = pair
    same = (contacts["obstacle"] == obstacle) & (contacts["type"] == kind)
    return bool((same & (np.hypot(contacts["px"] - x, contacts["py"] - y) <= reach)).any())


def choose_rows(trajectory: Trajectory) -> np.ndarray:
    """Rows in which a motion was chosen: those of events, and others, evenly."""
    free = np.flatnonzero(trajectory.steps["set_kind"] > 0)
    at_events = np.flatnonzero(np.isin(trajectory.time, trajectory.event_rows["time"]))
    others = free[:: max(1, len(free) // MOST_ROWS)]
    return np.intersect1d(free, np.union1d(at_events[:MOST_ROWS], others))


def list_touching(trajectory: Trajectory, row: int, short: float, touch: float):
    """(gap, gap', gap'', (obstacle, type, x, y)) of every vertex of one body near an edge of the other, by differences
    over a short time along the motion of the row. Pairs at the end of an edge are left out: on a corner of both bodies
    the normal is not known."""
    vertices, pose = trajectory.record.workpiece.outline.features.start, trajectory.pose[row]
    velocity, acceleration, time = trajectory.velocity[row], trajectory.acceleration[row], float(trajectory.time[row])
    steps = (-short, 0.0, short)
    parts = [place(vertices, pose + s * velocity + 0.5 * s * s * acceleration) for s in steps]
    for index, body in enumerate(trajectory.record.obstacles):
        walls = [body.place(time + s).features.start for s in steps]
        if (walls[1].min(axis=0) > parts[1].max(axis=0) + touch).any() or (
                walls[1].max(axis=0) < parts[1].min(axis=0) - touch).any():
            continue
        for kind, points, outlines in ((0, walls, parts), (1, parts, walls)):
            before, now, after = (measure_gaps(p, o) for p, o in zip(points, outlines, strict=True))
            length = np.hypot(*(np.roll(outlines[1], -1, axis=0) - outlines[1]).T)
            inside = (now[1] > 10.0 * touch) & (now[1] < length - 10.0 * touch)
            near = inside & (np.abs(now[0]) <= touch) & is_convex(points[1])[:, None]
            for i, j in zip(*np.nonzero(near), strict=True):
                g0, g1, g2 = before[0][i, j], now[0][i, j], after[0][i, j]
                pair = (index, kind, float(points[1][i, 0]), float(points[1][i, 1]))
                yield g1, (g2 - g0) / (2.0 * short), (g0 - 2.0 * g1 + g2) / short**2, pair


def place(vertices: np.ndarray, pose: np.ndarray) -> np.ndarray:
    """Vertices (n, 2) at a pose x, y, theta."""
    c, s = np.cos(pose[2]), np.sin(pose[2])
    return vertices @ np.array([[c, s], [-s, c]]) + pose[:2]


def measure_gaps(points: np.ndarray, outline: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distances (n, m) of points from the lines of the edges of an outline, outside positive, and places along them."""
    along = np.roll(outline, -1, axis=0) - outline
    along = along / np.hypot(*along.T)[:, None]
    away = points[:, None, :] - outline[None, :, :]
    return away[..., 0] * along[:, 1] - away[..., 1] * along[:, 0], np.sum(away * along, axis=-1)


def is_convex(outline: np.ndarray) -> np.ndarray:
    """(n,) bool: vertices of a counter-clockwise outline that stick out."""
    before, after = outline - np.roll(outline, 1, axis=0), np.roll(outline, -1, axis=0) - outline
    return before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0] > 0.0
