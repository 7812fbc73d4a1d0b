"""Run a scene: the Python side of the engine."""

from __future__ import annotations

import dataclasses
import math
import time as clock_module
from collections.abc import Callable
from contextlib import nullcontext
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol, overload

import numpy as np
import pydantic

from geometry.compiled.record import get_table
from geometry.contact.contacts import TYPE_A
from sim.files.held_interrupt import hold_interrupts
from sim.log.trajectory import MemorySink, Trajectory
from sim.rows.account import judge_completed, keeps_laws
from sim.rows.status import Status, describe_failure
from sim.rows.status_codes import ASKED, PAUSED
from sim.run.controller import DEFAULT_RATE, Controller, ControllerFailure, ask_controller, take_rate
from sim.run.model import Arguments, prepare, release
from sim.scene.build import take_scene
from sim.scene.scene_errors import SceneError, explain_validation_error
from sim.scene.schema import RunSection
from sim.scene.start import check_start
from sim.values.quantities import Section

if TYPE_CHECKING:
    from sim.rows.account import Account
    from sim.run.ledger import Ledger
    from sim.scene.scene import AnyScene, Run, Scene


class RunSink(Protocol):
    """Where the rows of a run go: `H5Sink`, or what does the same."""

    def write(self, steps: np.ndarray, contacts: np.ndarray, events: np.ndarray, impulses: np.ndarray) -> None: ...

    def close(self, status: Status, account: Account | None, message: str = "") -> None: ...


@overload
def simulate(scene: AnyScene, duration: float | None = None, *, sink: None = None,
             progress: Callable[[float], None] | None = None, controller: Controller | None = None,
             rate: float | str | None = None, **run_overrides: Any) -> Trajectory: ...
@overload
def simulate(scene: AnyScene, duration: float | None = None, *, sink: RunSink,
             progress: Callable[[float], None] | None = None, controller: Controller | None = None,
             rate: float | str | None = None, **run_overrides: Any) -> None: ...
def simulate(
    scene: AnyScene,
    duration: float | None = None,
    *,
    sink: Any = None,
    progress: Callable[[float], None] | None = None,
    controller: Controller | None = None,
    rate: float | str | None = None,
    **run_overrides: Any,
) -> Trajectory | None:
    """Follow the motion of the workpiece of a scene, given as such or by its name or file.

    duration [s] and the other entries of the scene's [run] section (choice, output_interval, step, tolerance) can be
    given here. The rows go to `sink` (an object with write and close, such as `H5Sink`) or, without one, into the
    returned Trajectory. `progress(time)` is called now and then. `controller(measured)` is called `rate` times a second
    (1000 Hz if not given), the first time at the start, with a `sim.run.controller.Measurement`; it gives the wrench
    (fx, fy, torque) on the part about its centre of mass, which is held until its next sample. An error in it ends the
    run with status CONTROLLER_FAILED. Ctrl-C ends the run with status INTERRUPTED and keeps
    its rows; with an explicit sink the KeyboardInterrupt is raised again afterwards. Where it or another error breaks
    off a run with rows, the sink is closed with the account of the rows that it has. Raises SceneError for a start that
    overlaps or a run setting that is not valid.
    """
    scene = take_scene(scene)
    run = override_run(scene, duration, run_overrides)
    if run.choice == "branch":
        raise SceneError('run.choice = "branch" gives a tree of motions, not one: use sim.simulate_branches(scene)')
    if run is not scene.run:
        scene = dataclasses.replace(scene, run=run)
    if controller is not None:
        scene = dataclasses.replace(scene, control=take_rate(scene, DEFAULT_RATE if rate is None else rate))
    elif rate is not None:
        raise SceneError(f"rate = {rate!r}: it is that of a controller, and none is given; the rate of a table "
                         "[control] is control.rate")
    check_start(scene, scene.source or scene.name)
    target = MemorySink(scene) if sink is None else sink
    try:
        follow(scene, target, progress, controller)
    except KeyboardInterrupt:
        if sink is not None or target.trajectory is None:
            raise
    return target.trajectory if sink is None else None


def follow(scene: Scene, target: RunSink, progress: Callable[[float], None] | None = None,
           controller: Controller | None = None) -> None:
    """Run a scene whose start has been checked to the end, or to what breaks it off, and close the sink with the
    account of its rows."""
    from geometry.compiled.compile_clock import CompileClock
    from sim.run.cold_start import advance, is_loaded
    from sim.run.ledger import Ledger, WallTimes

    began = clock_module.perf_counter()
    arguments = prepare(scene)
    ledger = Ledger(arguments, target)
    solve = output = compile_time = 0.0
    code, closed, failure = PAUSED, False, ""
    compiling = CompileClock()
    try:
        while code == PAUSED:
            before = clock_module.perf_counter()
            with nullcontext() if is_loaded() else compiling:
                code = advance(arguments)
            while code == ASKED and controller is not None:
                failure = _ask(controller, arguments, ledger, scene)
                code = int(Status.CONTROLLER_FAILED) if failure else advance(arguments)
            after = clock_module.perf_counter()
            solve += after - before
            ledger.hand_over()
            if progress is not None:
                progress(float(arguments.state.time))
            output += clock_module.perf_counter() - after
        with hold_interrupts():  # a run that has reached its end is closed as one
            compile_time = max(0.0, clock_module.perf_counter() - began - solve - output) + compiling.seconds
            times = WallTimes(max(0.0, solve - compiling.seconds), output, compile_time)
            account = ledger.end(Status(code).completed, times)
            status, message = judge_end(code, arguments, account, scene)
            target.close(status, account, failure or message)
            closed = True
        release(arguments)
    except BaseException as error:
        # without rows a file has nothing to say, and its sink leaves none; a Trajectory in memory is there all the same
        in_memory = isinstance(target, MemorySink) and isinstance(error, KeyboardInterrupt)
        if not closed and (len(ledger) or in_memory):
            status, message = describe_failure(error)
            target.close(status, ledger.find_account(WallTimes(solve, output, compile_time)), message)
        raise


def _ask(controller: Controller, arguments: Arguments, ledger: Ledger, scene: Scene) -> str:
    """Let a controller give its wrench; what has gone wrong, "" if nothing has. Where Ctrl-C falls into it the rows
    that there are go to the sink."""
    try:
        ask_controller(controller, arguments, scene)
    except ControllerFailure as error:
        return str(error)
    except BaseException:
        ledger.hand_over()
        raise
    return ""


def judge_end(code: int, arguments: Arguments, account: Account | None, scene: Scene) -> tuple[Status, str]:
    """How a run has ended, and what there is to say: one that reached its end time must be finite and keep the laws,
    one that did not get on names what happened last."""
    status, (body, options, state, _, _) = Status(code), arguments
    if status is Status.STALLED:
        return status, describe_stall(state, body, scene)
    if not status.completed:
        return status, ""
    if account is None:
        raise ValueError("a run that has reached its end has an account")
    end = get_table(state)
    numbers = [value for value in vars(account).values() if isinstance(value, float)]
    finite = all(map(math.isfinite, [*end["pose"][0].tolist(), *end["velocity"][0].tolist(), *numbers]))
    tolerance = options.tolerance if options.step == 0.0 else 0.0
    if finite and keeps_laws(vars(account), body.part.radius, tolerance):
        return status, ""
    return judge_completed([finite], vars(account), body.part.radius, tolerance).get(0, (status, ""))


def describe_stall(state: np.record, body: Any, scene: Scene) -> str:
    """What a run that no longer gets on was doing."""
    kind, feature, wall = (int(c) for c in state.cause)
    contact = "no contact"
    if wall >= 0:
        edge, vertex = ("edge", "vertex") if kind == TYPE_A else ("vertex", "edge")
        name = scene.obstacles[int(body.walls.edge[wall].owner)].name
        contact = f"{edge} {feature} of the part on {vertex} {wall} of {name!r}"
    return (f"{state.steps} steps and {state.events} events until t = {float(state.time)!r} s; the last event is of "
            f"{contact}")


class _RunSettings(Section):
    """The settings of a call, as the section of a scene that they take the place of."""

    run: RunSection


def override_run(scene: Scene, duration: float | None, overrides: dict) -> Run:
    """The scene's run section with the settings given in a call. Raises SceneError."""
    changes = dict(overrides) if duration is None else {**overrides, "duration": duration}
    if not changes:
        return scene.run
    changes = {key: value.item() if isinstance(value, np.generic) else value for key, value in changes.items()}
    try:
        # types with the values: 1, 1.0 and True are equal, and not all are valid
        return _override(scene.run, tuple((key, type(value), value) for key, value in sorted(changes.items())))
    except TypeError:  # a value that cannot be kept, a list: the check says what is wrong with it
        return _override.__wrapped__(scene.run, tuple((key, type(value), value) for key, value in changes.items()))


@lru_cache(maxsize=64)
def _override(run: Run, changes: tuple[tuple[str, type, Any], ...]) -> Run:
    data = {"run": {**dataclasses.asdict(run), **{key: value for key, _, value in changes}}}
    try:
        section = _RunSettings.model_validate(data)
    except pydantic.ValidationError as error:
        raise SceneError(explain_validation_error(error, data, "simulate")) from None
    return type(run)(**section.run.model_dump())
