"""What the engine takes: options, the state at the start, work arrays and log buffers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.codes import RULES
from dynamics.motion.choose import seed_random
from dynamics.motion.mode import Body
from dynamics.motion.mode_series import find_order
from dynamics.tolerances import DEFAULT_TOLERANCES
from geometry.compiled.record import allocate_record
from sim.engine import state as s
from sim.engine.events import START
from sim.instant.body import build_body, build_scales
from sim.scene.scene import Scene

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
    body = build_body(scene)
    tools, log = s.allocate_tools(body.part, body.walls), s.allocate_log(BUFFER_ROWS)
    return Arguments(body, build_options(scene, body), build_start(scene), tools, log)


def build_options(scene: Scene, body: Body) -> s.Options:
    """The run section of the scene, as numbers."""
    run = scene.run
    return s.Options(
        duration=float(run.duration),
        interval=float(run.output_interval or 0.0),
        step=float(run.step or 0.0),
        tolerance=float(run.tolerance),
        order=find_order(float(run.tolerance)),
        rule=RULES.index(run.choice),
        survey=bool(run.survey or run.choice in ("branch", "stop")),
        max_steps=MAX_STEPS,
        scales=build_scales(scene, body),
        tolerances=DEFAULT_TOLERANCES,
    )


def build_start(scene: Scene) -> np.record:
    """The state at the start of a run."""
    state = allocate_record(s.STATE)
    pose, velocity = scene.workpiece.pose, scene.workpiece.velocity
    state.pose[:] = pose.x, pose.y, pose.theta
    state.velocity[:] = velocity
    state.origin[:] = state.pose
    state.start_velocity[:] = velocity
    state.cause_kind = START
    state.next_tick = 1
    state.last_row = -1.0
    state.cause[:] = -1
    state.random[0] = seed_random(scene.run.seed)
    return state
