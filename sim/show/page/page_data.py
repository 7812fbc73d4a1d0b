"""What the page of a run says: the scene, its bodies, the motion, how it ended."""

from __future__ import annotations

from typing import Any

from geometry.packages import __version__
from sim.log.trajectory import Trajectory
from sim.show.page.body_data import describe_bodies
from sim.show.page.columns import Columns
from sim.show.page.run_data import WORDS, describe_run


def describe_trajectory(trajectory: Trajectory, speed: float = 1.0) -> dict[str, Any]:
    """The data of a page that shows one motion, at first at this speed."""
    columns = Columns()
    return {
        "form": "run", "program": __version__, "speed": speed, "words": WORDS,
        "scenes": [describe_scene(trajectory)],
        "runs": [{"scene": 0, **describe_run(trajectory, columns)}],
        "columns": columns.pack(),
    }


def describe_scene(trajectory: Trajectory) -> dict[str, Any]:
    """Name, summary and bodies of the scene of a motion."""
    record = trajectory.record
    return {"name": record.name, "summary": record.summary, **describe_bodies(record)}
