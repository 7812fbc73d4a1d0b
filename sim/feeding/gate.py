"""Which rest poses of a part get past a gate of a feeder, and at which values of friction, or of any other number.

    from stiction import gate
    found = gate("wiper", {"mu": "0.1:0.6"})
    found.rows[0].passes        # [(0.1, 0.2345...), ...]: intervals in which pose 0 comes to the goal

A pose gets past if its run ends in the goal of the scene. A gate is a drop over all rest poses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from geometry.rest.rest_poses import RestPose
from sim.feeding.basins import BasinLine
from sim.feeding.drop import BESIDE, MOST_RUNS, Drop, drop
from sim.scene.build import take_scene
from sim.scene.rest_start import list_level_poses
from sim.scene.scene_errors import SceneError
from sim.sweep.axes import ALL, REST_KEY, SweepError
from sim.sweep.table import BY_CHOICE
from sim.words.quoting import quote
from sim.words.suggestion import suggest

if TYPE_CHECKING:
    from sim.scene.scene import AnyScene, Scene

GRID_OF_GATE = 101  # values of a range that says none


class GateRow(NamedTuple):
    """What becomes of one rest pose."""

    pose: RestPose
    line: BasinLine
    passes: tuple[tuple[float, float], ...]  # intervals in which it comes to the goal


@dataclass(frozen=True, eq=False)
class Gate:
    """What becomes of every rest pose over the values of one number of the scene."""

    drop: Drop
    poses: tuple[RestPose, ...]
    goal: str

    @cached_property
    def rows(self) -> list[GateRow]:
        """A row a pose."""
        rows = []
        for line in self.drop.lines:
            pose = self.poses[int(line.others[REST_KEY])]
            passes = tuple((basin.low, basin.high) for basin in line.basins if self.gets_past(basin.word))
            rows.append(GateRow(pose, line, passes))
        return rows

    def gets_past(self, word: str) -> bool:
        """Is an outcome the goal, whether or not it hung on the rule of choice?"""
        return word.removesuffix(BY_CHOICE) == self.goal

    @cached_property
    def borders(self) -> list[float]:
        """The values at which the outcome of any pose changes, with the ends of the range."""
        axis = self.drop.axis
        ends = {axis.low, axis.high, *(end for row in self.rows for basin in row.line.basins
                                       for end in (basin.low, basin.high))}
        return sorted(ends)

    def list_intervals(self) -> list[tuple[float, float, tuple[str, ...]]]:
        """(from, to, the outcome of each pose) between neighbouring borders; an outcome is "" in what is unresolved."""
        found = []
        for low, high in pairwise(self.borders):
            middle = 0.5 * (low + high)
            words = tuple(next((basin.word for basin in row.line.basins if basin.low <= middle <= basin.high), "")
                          for row in self.rows)
            found.append((low, high, words))
        return found

    def measure_yield(self, words: tuple[str, ...]) -> float:
        """Of all parts that come in poses by their quasi-static shares, how many get past."""
        return float(np.sum([row.pose.share for row, word in zip(self.rows, words, strict=True)
                             if self.gets_past(word)]))


def gate(
    scene: AnyScene,
    vary: Mapping[str, Any],
    goal: str | None = None,
    *,
    tolerance: float | None = None,
    beside: int = BESIDE,
    output: str | Path | None = None,
    resume: bool = False,
    workers: int | None = None,
    client: Any = None,
    most_runs: int = MOST_RUNS,
    progress: Callable[[str, int, int], None] | None = None,
) -> Gate:
    """Find for each rest pose of the part at which values of a number of the scene it gets past.

    vary: key and range, {"mu": "0.1:0.6"}. goal: the name of the goal that says so; the first one of the scene if not
    given. The scene starts in a rest pose, `workpiece.pose = {rest = 0, on = ...}`. For the rest see
    `sim.feeding.drop.drop`.

    Raises SweepError, SceneError, WriteError. Ctrl-C keeps what is known.
    """
    scene = take_scene(scene)
    goal = _find_goal(scene, goal)
    poses = list_level_poses(scene.workpiece.outline)
    if not poses:
        raise SceneError(f"{scene.name}: the part has no rest pose")
    number = {name: _add_grid(values) for name, values in vary.items()}
    found = drop(scene, number, {REST_KEY: ALL}, tolerance=tolerance, beside=beside, output=output, resume=resume,
                 workers=workers, client=client, most_runs=most_runs, progress=progress)
    return Gate(found, poses, goal)


def _add_grid(values: Any) -> str:
    text = str(values).strip()
    return f"{text}:{GRID_OF_GATE}" if text.count(":") == 1 and "(" not in text else text


def _find_goal(scene: Scene, goal: str | None) -> str:
    names = [one.name for one in scene.goals]
    if not names:
        raise SweepError(f"{scene.name} has no goal, so nothing says which pose gets past: give it a [[goal]]")
    if goal is not None and goal not in names:
        raise SweepError(f"goal = {quote(goal)}: the scene has no such goal{suggest(goal, names)}")
    return names[0] if goal is None else goal
