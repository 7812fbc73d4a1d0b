"""Run a scene under the eyes of a user, and say what happened."""

from __future__ import annotations

import math
import shlex
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeRemainingColumn

from sim.cli.reports.console import format_number, make_bar, make_console, print_fields
from sim.log.reading import read_trajectory
from sim.log.sink import H5Sink
from sim.log.trajectory import NO_ACCOUNT, NONE, Trajectory
from sim.rows.records import EVENT_KINDS
from sim.scene.scene import Scene
from sim.words.quoting import cut, list_words

COMPILING = "Compiling, once on this machine; this takes one to three minutes ..."
INTERPRETED = "Interpreted until the code is compiled, which goes on beside it, once on this machine ..."


def run_with_progress(scene: Scene, path: Path) -> Trajectory:
    """Run `scene` into the log `path`, with a progress bar on a terminal, and return what the log holds.

    Ctrl-C ends the run; the log keeps what was computed. The log is opened first: a folder that cannot be written is
    reported before anything is compiled or computed.
    """
    with H5Sink(path, scene) as sink:
        from sim.run.simulation import simulate

        with show_progress(scene) as progress:
            try:
                simulate(scene, sink=sink, progress=progress)
            except KeyboardInterrupt:
                sink.__exit__(KeyboardInterrupt, KeyboardInterrupt(), None)  # unless the engine has closed it already
                if not sink.in_place:
                    raise  # without a row no log was made, and an older one is still there
    return read_trajectory(path)


@contextmanager
def skip_blas():
    """Let numba not look for SciPy's BLAS, which no kernel here uses: the look costs a third of a warm start."""
    name = "scipy.linalg.cython_blas"
    if name in sys.modules:
        yield
        return
    sys.modules[name] = None  # an import of it fails at once
    try:
        yield
    finally:
        del sys.modules[name]


@contextmanager
def show_progress(scene: Scene, describe: Callable[[], str] | None = None):
    """Yields a function to call with the time reached; says when code is interpreted or compiled.

    `describe` gives the words beside the bar whenever it moves; the name of the scene if not given.
    """
    console = make_console(stderr=True)
    bar = make_bar(console, BarColumn(), TextColumn("{task.completed:.3g} of {task.total:.3g} s"),
                   TimeRemainingColumn())
    task = bar.add_task(scene.name, total=scene.run.duration)
    with bar, watch_code(console):
        yield lambda time, *_: bar.update(
            task, completed=time, description=(describe() if describe else scene.name) + describe_code())


@contextmanager
def watch_code(console: Console):
    """Says once on the console that code is interpreted, and once that it is compiled here, if it is."""
    from geometry.compiled.cold_code import report_interpreted
    from geometry.compiled.compile_clock import CompileClock

    with (report_interpreted(lambda: console.print(INTERPRETED)), CompileClock(lambda: console.print(COMPILING)),
          skip_blas()):
        yield


def describe_code() -> str:
    """What is added to the words beside a bar while runs are interpreted."""
    from sim.run.cold_start import is_interpreted

    return " (interpreted until the code is compiled)" if is_interpreted() else ""


def print_run(trajectory: Trajectory, path: Path) -> None:
    """The short account of a run: how it ended, what happened, how well the laws held, what to do next."""
    console = make_console()
    status = trajectory.status
    style = "bold" if status.completed else "bold red"
    console.print(f"{cut(trajectory.record.name)}: {trajectory.happened}", style=style)
    if trajectory.message:
        console.print(f"  {trajectory.message}")
    if not status.completed:
        console.print(f"  {status.advice}")
    print_fields(console, [*describe_outcome(trajectory), *describe_run(trajectory)])
    name = shlex.quote(str(path))
    console.print(f"Log: {name}")
    console.print(f"See it:   stiction replay {name}")
    if status.name in ("NO_SOLUTION", "NOT_UNIQUE", "JAMMED") and len(trajectory):
        console.print(f"Look into it:   stiction accelerations {name} --at {float(trajectory.time[-1])!r}")


def describe_outcome(trajectory: Trajectory) -> list[tuple[str, str]]:
    """What the run has led to, and when it was in its goal."""
    if not len(trajectory):
        return []
    outcome, since = trajectory.outcome, trajectory.goal_time
    if math.isnan(since):
        return [("outcome", outcome)]
    goal = next(goal for goal in trajectory.scene.goals if goal.name == outcome)
    word = "in it by the row at" if not goal.at_rest else "at rest since"
    stopped = trajectory.events["kind"][-1:].tolist() == ["goal"]
    return [("outcome", outcome), ("goal", f"{'reached at' if stopped else word} t = {since!r} s")]


def describe_run(trajectory: Trajectory) -> list[tuple[str, str]]:
    """(name, text) of each line of the account."""
    account = trajectory.account
    fields = []
    if len(trajectory):
        x, y, theta = trajectory.pose[-1]
        fields += [
            ("end", f"t = {float(trajectory.time[-1])!r} s, x = {x:.9g} m, y = {y:.9g} m, theta = {theta:.9g} rad"),
            ("mode", describe_mode(trajectory)),
        ]
    fields.append(("events", count_events(trajectory)))
    if account is None:
        return [*fields, ("account", NO_ACCOUNT), ("not unique", describe_not_unique(trajectory)),
                ("rows", f"{len(trajectory)} in the log")]
    return [
        *fields,
        ("energy", f"{describe_energy(account)}"),
        *describe_obstacles(trajectory),
        *describe_loads(trajectory),
        ("laws", f"largest penetration {account.penetration:.1e} m, gap {account.gap_residual:.1e} m, "
                 f"slip {account.slip_residual:.1e} m/s, balance {account.balance_residual:.1e}, "
                 f"cone {account.cone_residual:.1e}"),
        ("not unique", describe_not_unique(trajectory)),
        ("rows", f"{len(trajectory)} in the log, {account.n_steps} steps"),
        ("wall time", f"compile {account.wall_compile:.2f} s, solve {account.wall_solve:.3f} s, "
                      f"output {account.wall_output:.3f} s"),
    ]


def describe_mode(trajectory: Trajectory) -> str:
    contacts = trajectory.contacts_at(-1)
    if trajectory.steps["set_kind"][-1] == NONE:
        return f"none: no motion is possible{', on ' + name_obstacles(trajectory) if len(contacts) else ''}"
    if len(contacts) == 0:
        return "free, no contact"
    return f"{trajectory.mode_at(-1)} (one letter a contact), on {name_obstacles(trajectory)}"


def name_obstacles(trajectory: Trajectory) -> str:
    """The obstacles of the contacts of the last row."""
    indices = sorted(set(trajectory.contacts_at(-1)["obstacle"].tolist()))
    return list_words(trajectory.record.obstacles[index].name for index in indices)


def describe_obstacles(trajectory: Trajectory) -> list[tuple[str, str]]:
    """What each obstacle that moves has done on the part."""
    work = trajectory.obstacle_work
    if not work:
        return []
    return [("obstacles", ", ".join(f"{name} {joule:+.6g} J" for name, joule in work.items()))]


def describe_loads(trajectory: Trajectory) -> list[tuple[str, str]]:
    """What each load that changes has done on the part, stored, and lost in its dampers."""
    return [(f"  {name}", f"work {work:+.6g} J" + (f", stored {stored:+.6g} J" if stored else "")
             + (f", lost in dampers {lost:.6g} J" if lost else ""))
            for name, (work, stored, lost) in trajectory.load_work.items()]


def count_events(trajectory: Trajectory) -> str:
    counted = sorted(Counter(trajectory.events["kind"].tolist()).items(), key=lambda pair: EVENT_KINDS.index(pair[0]))
    return ", ".join(f"{count} {kind}" for kind, count in counted) or "none"


def describe_energy(account) -> str:
    return (f"kinetic {format_number(account.energy_start)} J to {format_number(account.energy_end)} J; "
            f"load {account.work_load:+.6g} J, friction {account.work_friction:+.6g} J, "
            f"impacts {account.work_impact:+.6g} J"
            + (f", obstacles {account.work_obstacles:+.6g} J" if account.work_obstacles else "")
            + f"; unexplained {account.energy_residual:.1e}")


def describe_not_unique(trajectory: Trajectory) -> str:
    spans = trajectory.not_unique
    if len(spans) == 0:
        return "never: one acceleration at all times"
    account = trajectory.account
    duration = float(np.sum(spans @ [-1.0, 1.0])) if account is None else account.time_not_unique
    if duration == 0.0:
        return f"at {len(spans)} instant(s) only, first at t = {spans[0, 0]:.6g} s"
    total = format_number(duration, "s")
    return f"{total} in {len(spans)} interval(s), first at t = {spans[0, 0]:.6g} s"
