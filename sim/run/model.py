"""What the engine takes: options, the state at the start, work arrays and log buffers."""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from dynamics.codes import RULES
from dynamics.motion.choose import seed_random
from dynamics.motion.mode import Body
from dynamics.motion.mode_series import find_order
from dynamics.motion.scales import Scales
from dynamics.tolerances import DEFAULT_TOLERANCES
from geometry.compiled.record import allocate_record, allocate_table, copy_table, get_table
from sim.engine import state as s
from sim.engine.endings import GOAL
from sim.engine.events import START
from sim.instant.body import build_body, build_scales
from sim.instant.goals import fill_region
from sim.instant.scene_box import find_limits
from sim.scene.scene import Goal, Run, Scene

# Steps of one run: days of processor time. A run that does not get on ends long before (`sim.engine.loop`).
MAX_STEPS = 1_000_000_000

# Rows of the log buffers: the loop returns to Python when they are full. Large enough that the return costs nothing,
# small enough that a killed run loses little.
BUFFER_ROWS = 1024


class Arguments(NamedTuple):
    """What `sim.engine.loop.run_chunk` takes."""

    body: Body
    options: s.Options
    state: np.record  # sim.engine.state.STATE
    tools: s.Tools
    log: s.Log


def prepare(scene: Scene) -> Arguments:
    """The arguments of a run at its start."""
    body, options = _describe(scene)
    tools, log = _take_memory(body)
    return Arguments(body, options, build_start(scene), tools, log)


def _describe(scene: Scene) -> tuple[Body, s.Options]:
    """What a run reads: made once for a scene that is run again, unless the run changes it, because something moves."""
    known, body, options = _kept.__dict__.get("scene", (None, None, None))
    if known is not scene:
        body = build_body(scene)
        options = build_options(scene, body)
        if not len(body.walls.mover):
            _kept.scene = scene, body, options
    return body, options


# What this thread described last, and the work memory that its last run gave back. A run takes that away: one that
# begins while another is under way in the same thread (in a callback) finds none and makes its own.
_kept = threading.local()


def _measure_body(body: Body) -> tuple[int, int, int]:
    """The sizes that the work memory depends on, see `geometry.contact.detection.allocate_scratch`."""
    return len(body.part.edge), len(body.walls.edge), len(body.walls.node)


def _take_memory(body: Body) -> tuple[s.Tools, s.Log]:
    """Work arrays and log buffers: those kept, if they are of the size that this body needs, or else new ones."""
    size, tools, log = _kept.__dict__.pop("memory", (None, None, None))
    if size != _measure_body(body):
        return s.allocate_tools(body.part, body.walls), s.allocate_log(BUFFER_ROWS)
    log.counts[:] = 0
    return tools, log


def release(arguments: Arguments) -> None:
    """Keep the work memory of a run that has ended for the next one of this thread; nobody may use it any more."""
    _kept.memory = _measure_body(arguments.body), arguments.tools, arguments.log


def build_options(scene: Scene, body: Body) -> s.Options:
    """The run section of the scene, as numbers, its goals, and what a part leaves that leaves the scene."""
    box = s.SceneBox(*find_limits(scene))
    return _fill_options(scene.run, build_scales(scene, body), scene.goals, scene.workpiece.origin, box)


@lru_cache(maxsize=64)
def _fill_options(run: Run, scales: Scales, goals: tuple[Goal, ...], origin: tuple[float, float],
                  box: s.SceneBox) -> s.Options:
    """The same object for the same numbers, which a run then need not hand over again."""
    return s.Options(
        duration=float(run.duration),
        interval=float(run.output_interval or 0.0),
        step=float(run.step or 0.0),
        tolerance=float(run.tolerance),
        order=find_order(float(run.tolerance)),
        rule=RULES.index(run.choice),
        survey=bool(run.survey or run.choice in ("branch", "stop")),
        max_steps=MAX_STEPS,
        scales=scales,
        tolerances=DEFAULT_TOLERANCES,
        goals=build_goals(goals, origin),
        box=box,
    )


def build_goals(goals: tuple[Goal, ...], origin: tuple[float, float]) -> np.recarray:
    """The table GOAL of a scene; origin [m]: of the frame of the outline, seen from the centre of mass."""
    table = allocate_table(GOAL, len(goals))
    for row, goal in zip(table, goals, strict=True):
        fill_region(row.region, goal, origin)
        row.at_rest, row.stop = goal.at_rest, goal.stop
    return table


def build_start(scene: Scene) -> np.record:
    """The state at the start of a run."""
    pose = scene.workpiece.pose
    return copy_table(_fill_start((pose.x, pose.y, pose.theta), scene.workpiece.velocity, scene.run.seed))[0]


@lru_cache(maxsize=16)
def _fill_start(pose: tuple[float, float, float], velocity: tuple[float, float, float], seed: int) -> np.ndarray:
    """The state as a table, to be copied."""
    state = get_table(allocate_record(s.STATE))  # written in a quarter of the time that a record takes
    state["pose"] = state["origin"] = pose
    state["velocity"] = state["start_velocity"] = velocity
    state["cause_kind"] = START
    state["next_tick"] = 1
    state["last_row"] = -1.0
    state["cause"] = -1
    state["random"] = seed_random(seed)
    state["load_on"] = 1
    state["still_since"] = state["inside_since"] = -1.0
    return state
