"""A run of a scene for the page: bounded in time, and broken off where nobody waits for it any more."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sim.instant.outcome import find_outcome
from sim.rows.status import Status
from sim.run.simulation import simulate
from sim.scene.scene import Scene

# A run of the page is broken off after so long [s of the clock on the wall], and shown so far. Larger: one that does
# not get on keeps the page waiting. Smaller: long motions are cut.
LONGEST_RUN = 20.0
# ... and with more rows than this, which would take the browser longer to draw than anybody waits.
MOST_ROWS = 100_000


class Superseded(Exception):
    """Nobody waits for this run any more."""


def run_scene(scene: Scene, is_wanted: Callable[[], bool]) -> dict[str, Any]:
    """The run of a scene: how it ended, and the data of its page. Raises SceneError, Superseded.

    is_wanted: asked now and then; where it says no, the run is broken off.
    """
    from sim.show.page.page_data import describe_trajectory

    notes = []
    if scene.run.choice == "branch":
        notes.append('run.choice is "branch": of all its motions this is the one of the rule "continue".')
        scene = replace(scene, run=replace(scene.run, choice="continue"))
    began = time.perf_counter()

    def look(_: float) -> None:
        if not is_wanted():
            raise Superseded
        if time.perf_counter() > began + LONGEST_RUN:
            raise KeyboardInterrupt  # by which a run ends with the rows that it has

    trajectory = simulate(scene, progress=look)
    seconds = time.perf_counter() - began
    if trajectory.status is Status.INTERRUPTED:
        notes.append(f"It was broken off after {LONGEST_RUN:g} s of computing, at t = {end_time(trajectory):.6g} s; "
                     "`stiction run` follows it to the end.")
    if len(trajectory) > MOST_ROWS:
        return {"run": None, "outcome": find_outcome(scene, trajectory), "status": str(trajectory.status),
                "end": end_time(trajectory), "seconds": seconds,
                "notes": [*notes, f"It has {len(trajectory)} rows, too many to be played here; a larger "
                                  "run.output_interval gives fewer."]}
    return {"run": describe_trajectory(trajectory), "outcome": find_outcome(scene, trajectory),
            "status": trajectory.happened, "end": end_time(trajectory), "seconds": seconds, "notes": notes}


def end_time(trajectory: Any) -> float:
    """When its last row is, s."""
    return float(trajectory.time[-1]) if len(trajectory) else 0.0
