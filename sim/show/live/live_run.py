"""A run of a scene for the page: bounded in time, and broken off where nobody waits for it any more."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sim.instant.outcome import find_outcome
from sim.log.trajectory import MemorySink
from sim.rows.status import Status
from sim.run.simulation import simulate
from sim.scene.scene import Scene

# A run of the page is broken off after so long [s of the clock on the wall], and shown so far. Larger: one that does
# not get on keeps the page waiting. Smaller: long motions are cut.
LONGEST_RUN = 20.0
# ... and with so many rows. Larger: a newer run waits for seconds until the pieces of this motion are found. Smaller:
# long motions are cut.
MOST_ROWS = 20_000


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
    began, sink = time.perf_counter(), MemorySink(scene)

    def look(_: float) -> None:
        if not is_wanted():
            raise Superseded
        if time.perf_counter() > began + LONGEST_RUN or sink.rows["steps"] > MOST_ROWS:
            raise KeyboardInterrupt  # by which a run ends with the rows that it has

    try:
        simulate(scene, sink=sink, progress=look)
    except KeyboardInterrupt:
        pass
    trajectory = sink.trajectory
    if trajectory is None:
        raise ValueError("a run that has ended has a trajectory")
    seconds = time.perf_counter() - began
    if trajectory.status is Status.INTERRUPTED:
        why = (f"{len(trajectory)} rows; a larger run.output_interval gives fewer" if len(trajectory) > MOST_ROWS
               else f"{LONGEST_RUN:g} s of computing")
        notes.append(f"It was broken off at t = {trajectory.time[-1]:.6g} s, after {why}. `stiction run` follows it to "
                     "the end.")
    return {"run": describe_trajectory(trajectory), "outcome": find_outcome(scene, trajectory),
            "status": trajectory.happened, "end": float(trajectory.time[-1]), "seconds": seconds, "notes": notes}
