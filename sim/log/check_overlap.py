"""Is one body inside another at a row of a log? Told from outlines and poses, whatever the log says of contacts."""

from __future__ import annotations

import numpy as np

from geometry.shapes.pose import Pose
from geometry.shapes.union.overlap import is_apart, measure_overlap
from geometry.tolerances import TOUCH
from sim.log.trajectory import Trajectory
from sim.scene.start import get_shape

# Rows that are looked at beside those of events, at most, evenly chosen: a pair of outlines takes some tenths of a
# millisecond.
MOST_ROWS = 2000


def find_deepest(trajectory: Trajectory) -> float:
    """Largest depth [m] to which the part and an obstacle overlap, at events and at rows evenly chosen."""
    record, worst = trajectory.record, 0.0
    part = record.workpiece.outline
    fixed = {index: body.outline for index, body in enumerate(record.obstacles) if body.motion is None}
    rows = np.arange(len(trajectory))
    at_events = np.flatnonzero(np.isin(trajectory.time, trajectory.event_rows["time"]))
    rows = np.union1d(rows[:: max(1, len(rows) // MOST_ROWS)], at_events[:MOST_ROWS])
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
