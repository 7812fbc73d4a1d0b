"""Run a scene: the Python side of the engine."""

from __future__ import annotations

import dataclasses
import time as clock_module
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import pydantic

from dynamics.choose import seed_random
from geometry._record import allocate_record
from sim import state as s
from sim.account import Account, compute_energy_residual, compute_rounding
from sim.events import START
from sim.model import build_body, build_options
from sim.quantities import Section
from sim.scene import take_scene
from sim.scene_errors import SceneError, explain_validation_error
from sim.schema import RunSection
from sim.start import check_start
from sim.status import Status
from sim.status_codes import PAUSED
from sim.trajectory import MemorySink, Trajectory

if TYPE_CHECKING:
    from sim.scene import AnyScene, Scene

# Rows of the log buffers: the loop returns to Python when they are full. Large enough that the return costs nothing,
# small enough that a killed run loses little.
BUFFER_ROWS = 1024


def simulate(
    scene: AnyScene,
    duration: float | None = None,
    *,
    sink=None,
    progress: Callable[[float], None] | None = None,
    **run_overrides,
) -> Trajectory | None:
    """Follow the motion of the workpiece of a scene, given as such or by its name or file.

    duration [s] and the other entries of the scene's [run] section (choice, output_interval, step, tolerance) can be
    given here. The rows go to `sink` (an object with write and close, such as `H5Sink`) or, without one, into the
    returned Trajectory. `progress(time)` is called now and then. Ctrl-C ends the run with status INTERRUPTED and keeps
    its rows; with an explicit sink the KeyboardInterrupt is raised again afterwards. Raises SceneError for a start that
    overlaps or a run setting that is not valid.
    """
    scene = take_scene(scene)
    run = override_run(scene, duration, run_overrides)
    if run.choice == "branch":
        raise SceneError('run.choice = "branch" gives a tree of motions, not one: use sim.simulate_branches(scene)')
    if run is not scene.run:
        scene = dataclasses.replace(scene, run=run)
    check_start(scene, scene.source or scene.name)
    began = clock_module.perf_counter()
    from geometry.compile_clock import CompileClock
    from sim.cold_start import compile_engine
    from sim.engine import run_chunk

    arguments = body, options, state, _, log = prepare(scene)
    target = MemorySink(scene) if sink is None else sink
    solve = output = compile_time = 0.0
    code = PAUSED
    with CompileClock():
        compile_engine(arguments)
    compiling = CompileClock()
    while code == PAUSED:
        before = clock_module.perf_counter()
        try:
            with compiling:
                code = run_chunk(*arguments)
        except KeyboardInterrupt:
            times = (solve, output, compile_time)
            target.close(Status.INTERRUPTED, compute_account(body, options.scales.touch, state, times))
            if sink is None:
                return target.trajectory
            raise
        after = clock_module.perf_counter()
        solve += after - before
        hand_over(log, target)
        if progress is not None:
            progress(float(state.time))
        output += clock_module.perf_counter() - after
    compile_time = max(0.0, clock_module.perf_counter() - began - solve - output) + compiling.seconds
    solve = max(0.0, solve - compiling.seconds)
    account = compute_account(body, options.scales.touch, state, (solve, output, compile_time))
    status, message = judge_end(code, state, account, body, options)
    target.close(status, account, message)
    return target.trajectory if sink is None else None


def judge_end(code: int, state: np.record, account: Account, body, options) -> tuple[Status, str]:
    """How a run has ended, and what there is to say: one that reached its end time must be finite and keep the laws."""
    status = Status(code)
    if not status.completed:
        return status, ""
    numbers = [value for value in dataclasses.astuple(account) if isinstance(value, float)]
    if not np.isfinite([*state.pose, *state.velocity, *numbers]).all():
        return Status.NOT_FINITE, ""
    message = account.find_broken_law(body.part.radius, options.tolerance if options.step == 0.0 else 0.0)
    return (Status.LAWS_BROKEN if message else status), message


def prepare(scene: Scene) -> tuple:
    """What `sim.engine.run_chunk` takes: body, options, state at the start, work arrays, log buffers."""
    body = build_body(scene)
    options = build_options(scene, body)
    return body, options, build_start(scene), s.allocate_tools(body.part, body.walls), s.allocate_log(BUFFER_ROWS)


class _RunSettings(Section):
    """The settings of a call, as the section of a scene that they take the place of."""

    run: RunSection


def override_run(scene: Scene, duration: float | None, overrides: dict):
    """The scene's run section with the settings given in a call. Raises SceneError."""
    changes = dict(overrides) if duration is None else {**overrides, "duration": duration}
    if not changes:
        return scene.run
    changes = {key: value.item() if isinstance(value, np.generic) else value for key, value in changes.items()}
    data = {"run": {**dataclasses.asdict(scene.run), **changes}}
    try:
        section = _RunSettings.model_validate(data)
    except pydantic.ValidationError as error:
        raise SceneError(explain_validation_error(error, data, "simulate")) from None
    return type(scene.run)(**section.run.model_dump())


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


def hand_over(log: s.Log, target) -> None:
    """Give the rows in the buffers to a sink, and empty the buffers."""
    steps, contacts, events, impulses = (int(c) for c in log.counts[:4])
    if steps or events:
        target.write(log.steps[:steps], log.contacts[:contacts], log.events[:events], log.impulses[:impulses])
    log.counts[4] += contacts
    log.counts[5] += impulses
    log.counts[:4] = 0


def compute_account(body, touch: float, state: np.record, times=(0.0, 0.0, 0.0)) -> Account:
    """The account of a run at a state; touch: `Scales.touch` of the run; times as for `fill_account`."""
    from sim.recorder import compute_kinetic, compute_load_work

    energies = (compute_kinetic(body, state.start_velocity), compute_kinetic(body, state.velocity),
                compute_load_work(body, state, state.pose), compute_rounding(body.mass, body.load, touch))
    account = fill_account(state, body.mass, energies, times)
    works = tuple(float(body.mass * mover.work) for mover in body.walls.mover[1:])  # the first is gravity
    return dataclasses.replace(account, obstacle_work=works)


def fill_account(state: np.record, mass: float, energies: tuple, times: tuple) -> Account:
    """The account of a state; energies: kinetic at the start and at the end, work of the load, `compute_rounding` [J];
    times: wall times of solving, output and compiling [s]."""
    start, end, load, rounding = map(float, energies)
    friction, impact = float(mass * state.friction), float(mass * state.impact)  # kept per mass
    pushed = float(mass * state.pushed)
    return Account(
        penetration=float(state.penetration),
        gap_residual=float(state.gap_residual),
        slip_residual=float(state.slip_residual),
        balance_residual=float(state.balance_residual),
        cone_residual=float(state.cone_residual),
        energy_start=start,
        energy_end=end,
        work_load=load,
        work_friction=friction,
        work_impact=impact,
        work_obstacles=pushed,
        energy_residual=float(compute_energy_residual(start, end, load, friction, impact, pushed, rounding)),
        time_not_unique=float(state.not_unique),
        n_steps=int(state.steps),
        n_rejected=int(state.rejected),
        n_evaluations=int(state.evaluations),
        n_events=int(state.events),
        n_impacts=int(state.impacts),
        wall_compile=times[2],
        wall_solve=times[0],
        wall_output=times[1],
    )
