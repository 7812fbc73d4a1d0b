"""The codes of `sim.rows.status.Status` as plain integers, for compiled code, and those that keep a run going."""

from __future__ import annotations

from sim.rows.status import Status

GO_ON, PAUSED, ASKED = -1, -2, -3  # ASKED: a controller outside shall give its wrench

COMPLETED = int(Status.COMPLETED)
NO_SOLUTION = int(Status.NO_SOLUTION)
NOT_UNIQUE_STOP = int(Status.NOT_UNIQUE)
NO_IMPACT_SOLUTION = int(Status.NO_IMPACT_SOLUTION)
SPLIT = int(Status.SPLIT)
JAMMED = int(Status.JAMMED)
STALLED = int(Status.STALLED)
STEP_LIMIT = int(Status.STEP_LIMIT)
CAPACITY_FULL = int(Status.CAPACITY)
CONSTRAINT_LOST = int(Status.CONSTRAINT_LOST)
STEP_TOO_SMALL = int(Status.STEP_TOO_SMALL)
