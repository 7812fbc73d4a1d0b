"""What columns need of a trajectory, and its rows as they would be just before each event that begins one."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np

from sim.rows.records import EVENT_KINDS

STEPPED = "iu"  # kinds of values that stay as they are until the next event: whole numbers


class RunRows(Protocol):
    """The part of a `sim.log.trajectory.Trajectory` that is read here."""

    steps: np.ndarray
    contacts: np.ndarray
    event_rows: np.ndarray

    @property
    def record(self) -> Any: ...
    @property
    def scene(self) -> Any: ...
    @property
    def time(self) -> np.ndarray: ...


class Jumps(NamedTuple):
    """The rows of a run that begin at an event."""

    places: np.ndarray  # (k,) their numbers
    before: np.ndarray  # (k,) of /steps: just before, as far as the log tells it: see CONTINUOUS and TOLD


def find_jumps(run: RunRows) -> Jumps:
    """The rows that begin at an event, with pose, velocity, energy and works just before it.

    The log has one row at an event, with what holds from then on; /events has the velocity before. Impacts change the
    kinetic energy by work_impact and by what obstacles that move do; all other works are continuous. Where obstacles
    move, work_impact just before is that of the row before.
    """
    steps, events = run.steps, run.event_rows
    when, first = np.unique(events["time"], return_index=True)
    places = np.searchsorted(steps["time"], when)
    here = places < len(steps)
    here[here] = steps["time"][places[here]] == when[here]
    places, events = places[here], events[first[here]]
    before = steps[places].copy()
    for name in ("vx", "vy", "omega"):
        before[name] = events[f"{name}_before"]
    part, v = run.record.workpiece, before
    before["kinetic"] = 0.5 * part.mass * (v["vx"] ** 2 + v["vy"] ** 2 + (part.rho * v["omega"]) ** 2)
    still = (before["vx"] == steps["vx"][places]) & (before["vy"] == steps["vy"][places]) & (
        before["omega"] == steps["omega"][places])
    before["kinetic"][still] = steps["kinetic"][places][still]
    gained = steps["kinetic"][places] - before["kinetic"]
    if any(body.moves for body in run.record.obstacles):  # the rest of what is gained is their work
        earlier = np.where(places > 0, steps["work_impact"][places - 1], 0.0) if len(places) else np.zeros(0)
        before["work_impact"] = np.where(still, before["work_impact"], earlier)
        before["work_obstacles"] -= gained - (steps["work_impact"][places] - before["work_impact"])
    else:
        before["work_impact"] -= gained
    return Jumps(places, before)


def extrapolate(times: np.ndarray, values: np.ndarray, places: np.ndarray) -> np.ndarray:
    """(k,) values just before the rows `places` of what is told in rows only: along a line through the last two rows
    since the event before, or that of the only one; whole numbers stay as they are. NaN before the first row."""
    found = np.full(len(places), np.nan)
    later = places > 0
    last = places[later] - 1
    found[later] = values[last]
    if values.dtype.kind in STEPPED:
        return found
    two = np.flatnonzero(later)[(last > 0) & ~np.isin(last, places)]
    end, last = places[two], places[two] - 1
    span = times[last] - times[last - 1]
    sound = (span > 0.0) & np.isfinite(values[last]) & np.isfinite(values[last - 1])
    two, end, last, span = two[sound], end[sound], last[sound], span[sound]
    found[two] += (values[last] - values[last - 1]) / span * (times[end] - times[last])
    return found


def word_rows(run: RunRows) -> list[str]:
    """(n,) the events of each row in words, "impact; rest". One without a row of its own stands in the row before it,
    with its time."""
    words: list[list[str]] = [[] for _ in range(len(run.steps))]
    times, events = run.steps["time"], run.event_rows
    places = np.searchsorted(times, events["time"], side="right") - 1
    for place, time, kind in zip(places.tolist(), events["time"].tolist(), events["kind"].tolist(), strict=True):
        if place >= 0:
            at = "" if times[place] == time else f" at {time!r} s"
            words[place].append(EVENT_KINDS[kind] + at)
    return ["; ".join(row) for row in words]
