"""Is one body inside another at a row of a log? Told from outlines and poses, whatever the log says of contacts."""

from __future__ import annotations

import numpy as np

from geometry.shapes.polygon import Polygon
from geometry.shapes.pose import Pose
from geometry.shapes.union.overlap import is_apart, measure_overlap
from geometry.tolerances import TOUCH
from sim.log.trajectory import Trajectory
from sim.scene.start import get_shape

# Rows that are looked at, at most, evenly chosen, those of events first: a pair of polygons takes some tenths of a
# millisecond, a pair with arcs some hundredths of a second. What has sunk does not rise by itself.
MOST_ROWS, MOST_ROUND_ROWS = 2000, 40


def find_deepest(trajectory: Trajectory) -> float:
    """Largest depth [m] to which the part and an obstacle overlap, at events and at rows evenly chosen."""
    record, worst = trajectory.record, 0.0
    part = record.workpiece.outline
    fixed = {index: body.outline for index, body in enumerate(record.obstacles) if body.motion is None}
    bodies = (record.workpiece, *record.obstacles)
    most = MOST_ROWS if all(isinstance(body.outline, Polygon) for body in bodies) else MOST_ROUND_ROWS
    rows, at_events = np.arange(len(trajectory)), np.isin(trajectory.time, trajectory.event_rows["time"])
    rows = np.union1d(_pick_evenly(rows, most), _pick_evenly(rows[at_events], most))
    if len(fixed) == len(record.obstacles):  # a part that is at rest is looked at once
        rows = rows[np.unique(trajectory.pose[rows], axis=0, return_index=True)[1]]
    for row in rows.tolist():
        own, time = part.placed(Pose(*trajectory.pose[row])), float(trajectory.time[row])
        low, high = own.bounds
        room = TOUCH * part.size
        for index, body in enumerate(record.obstacles):
            other = fixed.get(index)
            if other is None:
                other = body.outline.placed(body.motion.place(time))
            far_low, far_high = other.bounds
            if (far_low >= high - room).any() or (far_high <= low + room).any():
                continue
            shapes = get_shape(own), get_shape(other)
            if not is_apart(*shapes, room):
                worst = max(worst, float(measure_overlap(*shapes)[0]))
    return worst


def _pick_evenly(rows: np.ndarray, most: int) -> np.ndarray:
    """At most so many of some rows, the first and the last among them."""
    return rows if len(rows) <= most else rows[np.linspace(0, len(rows) - 1, most).round().astype(int)]
