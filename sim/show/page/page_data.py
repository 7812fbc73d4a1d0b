"""What a page says: of a run, of a tree of motions, or of a sweep and the runs of some of its cells."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from geometry.packages import __version__
from sim.log.trajectory import Trajectory
from sim.log.tree import Tree
from sim.scene.scene_errors import SceneError
from sim.show.page.columns import Columns
from sim.show.page.run_data import WORDS, describe_run
from sim.show.page.scene_data import describe_scene
from sim.show.page.sweep_data import check_runs, describe_sweep
from sim.show.page.tree_data import describe_tree
from sim.show.replay.frames import ReplayError
from sim.show.replay.tree_frames import TreeMotion
from sim.sweep.sweep_result import Sweep

NO_ROWS = "there is nothing to show: the log has no rows"


def describe_trajectory(trajectory: Trajectory, speed: float | None = None) -> dict[str, Any]:
    """The data of a page that shows one motion. Raises ReplayError for a log without rows."""
    if not len(trajectory):
        raise ReplayError(NO_ROWS)
    columns = Columns()
    run = {"scene": 0, "outcome": find_outcome(trajectory), **describe_run(trajectory, columns)}
    return finish("run", trajectory.record.name, columns, speed, [describe_scene(trajectory)], [run])


def describe_branches(tree: Tree, speed: float | None = None) -> dict[str, Any]:
    """The data of a page that shows a tree of motions. Raises ReplayError for one without rows."""
    motion, columns = TreeMotion(tree), Columns()
    runs, branches = describe_tree(motion, columns)
    first = motion.branches[0].get_rows()
    return finish("tree", tree.record.name, columns, speed, [describe_scene(first)], runs) | {
        "tree": branches, "notUnique": tree.not_unique.tolist()}


def describe_cells(sweep: Sweep, runs: Mapping[int, Trajectory], speed: float | None = None,
                   note: str = "") -> dict[str, Any]:
    """The data of a page that shows the outcomes of a sweep, with the runs of some of its cells, by their numbers.
    note: what there is to say of them. Raises ReplayError."""
    check_runs(dict(runs))
    columns, scenes, places, told = Columns(), [], {}, []
    for cell in sorted(runs):
        scene = describe_scene(runs[cell])
        text = json.dumps(scene, sort_keys=True)
        if text not in places:
            places[text] = len(scenes)
            scenes.append(scene)
        told.append({"scene": places[text], "cell": cell, **describe_run(runs[cell], columns)})
    sweep_map = describe_sweep(sweep, {run["cell"]: place for place, run in enumerate(told)}, columns)
    name = Path(sweep.record.source).stem or "sweep"
    return finish("sweep", name, columns, speed, scenes, told) | {"sweep": sweep_map, "note": note}


def find_outcome(trajectory: Trajectory) -> str:
    """What a run has led to, in a word; "" where the text of its scene cannot be read any more."""
    try:
        return trajectory.outcome
    except SceneError:
        return ""


def finish(form: str, name: str, columns: Columns, speed: float | None, scenes: list, runs: list) -> dict[str, Any]:
    """What all pages have."""
    return {"form": form, "name": name, "program": __version__, "speed": speed, "words": WORDS, "scenes": scenes,
            "runs": runs, "columns": columns.pack()}
