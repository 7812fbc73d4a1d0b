"""Show the log of a run in a window, or save it as a movie."""

from __future__ import annotations

import shlex
from pathlib import Path

from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from sim.console import make_console
from sim.reading import count_branches, read_trajectory, read_tree
from sim.trajectory import Trajectory
from sim.tree import Tree

DEFAULT_FPS = 25.0


def replay_file(path: Path, save: Path | None, speed: float, fps: float | None, branch: int | None = None) -> None:
    """A window, or with `save` a movie and a progress bar. Raises ReplayError, for a movie before anything is drawn.

    Of a tree: all branches together, or with `branch` the motion that ends with it.
    """
    from sim import replay

    fps = DEFAULT_FPS if fps is None else fps
    if save is None:
        replay.show(open_log(path, branch), fps=fps, speed=speed)
        return
    console = make_console(stderr=True)
    bar = Progress(TextColumn("{task.description}"), BarColumn(), TextColumn("frame {task.completed} of {task.total}"),
                   TimeRemainingColumn(), console=console, transient=True, disable=not console.is_terminal)
    task = bar.add_task(save.name)
    with bar:
        written = replay.save_movie(open_log(path, branch), save, fps=fps, speed=speed,
                                    progress=lambda done, total: bar.update(task, completed=done, total=total))
    make_console().print(f"Movie: {shlex.quote(str(written))}")


def open_log(path: Path, branch: int | None) -> Trajectory | Tree:
    """What a log holds: one motion, or a tree if no branch of it is asked for. Raises TrajectoryFileError."""
    if branch is None and count_branches(path):
        return read_tree(path)
    return read_trajectory(path, branch)
