"""Does a contact that touches, and that a log leaves out, close? Told from the shapes and the rows alone."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sim.log.round_shapes import BodyShape, measure_on_edges, measure_round
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
    shapes = [BodyShape(body.outline) for body in (part, *trajectory.record.obstacles)]
    short, worst = LOG_SHORT * np.sqrt(size / pull), 0.0
    speed = max(float(np.abs(trajectory.velocity * arm).max(initial=0.0)), np.sqrt(size * pull))
    for row in choose_rows(trajectory):
        known, touch, left = trajectory.contacts_at(row), LOG_TOUCHES * size, _find_time_left(trajectory, row)
        for gap, rate, bend, place in list_touching(trajectory, row, short, touch, shapes):
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
    """Whether a pair (obstacle, x, y) is one of the rows of contacts: nearer than `reach` [m] to its place. Of which
    type does not count: at a joint with one tangent a contact is on an edge and on an arc at once, and in one row."""
    obstacle, x, y = pair
    same = contacts["obstacle"] == obstacle
    return bool((same & (np.hypot(contacts["px"] - x, contacts["py"] - y) <= reach)).any())


def choose_rows(trajectory: Trajectory) -> np.ndarray:
    """Rows in which a motion was chosen: those of events, and others, evenly."""
    free = np.flatnonzero(trajectory.steps["set_kind"] > 0)
    at_events = np.flatnonzero(np.isin(trajectory.time, trajectory.event_rows["time"]))
    others = free[:: max(1, len(free) // MOST_ROWS)]
    return np.intersect1d(free, np.union1d(at_events[:MOST_ROWS], others))


def list_touching(trajectory: Trajectory, row: int, short: float, touch: float,
                  shapes: list[BodyShape]) -> Iterator[tuple[float, float, float, tuple]]:
    """(gap, gap', gap'', (obstacle, x, y)) of every pair of features that touch, by differences over a short time
    along the motion of the row; shapes: of the part and of the obstacles. Pairs at the end of an edge are left out: on
    a corner of both bodies the normal is not known."""
    velocity, acceleration, time = trajectory.velocity[row], trajectory.acceleration[row], float(trajectory.time[row])
    steps, part = (-short, 0.0, short), shapes[0]
    parts = [part.place(trajectory.pose[row] + s * velocity + 0.5 * s * s * acceleration) for s in steps]
    for index, (body, wall) in enumerate(zip(trajectory.record.obstacles, shapes[1:], strict=True)):
        if body.motion is None:
            walls = [wall.place(np.zeros(3))] * len(steps)
        else:
            walls = [wall.place(np.array(body.motion.place(time + s))) for s in steps]
        if (walls[1].low > parts[1].high + touch).any() or (walls[1].high < parts[1].low - touch).any():
            continue
        pairs = [(walls, parts, measure_on_edges), (parts, walls, measure_on_edges)]
        if part.has_arcs or wall.has_arcs:
            pairs.append((parts, walls, measure_round))
        for ones, others, measure in pairs:
            now, soon = (measure(ones[k], others[k], 10.0 * touch) for k in (1, 2))
            near = np.nonzero(now.inside & soon.inside & (np.abs(now.gap) <= touch))  # it does not leave at a joint
            if not len(near[0]):
                continue
            before, after = measure(ones[0], others[0], 10.0 * touch).gap[near], soon.gap[near]
            places = ones[1].centre[near[0]] + ones[1].radius[near[0], None] * now.towards[near]
            for g0, g1, g2, place in zip(before, now.gap[near], after, places.tolist(), strict=True):
                rate, bend = (g2 - g0) / (2.0 * short), (g0 - 2.0 * g1 + g2) / short**2
                yield g1, rate, bend, (index, *place)
