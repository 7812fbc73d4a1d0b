"""Show the log of a run, or the run of a cell of a sweep, in a window, or save it as a page, a movie or a picture."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from math import inf
from pathlib import Path

from rich.progress import BarColumn, TextColumn, TimeRemainingColumn

from sim.cli.reports.console import make_bar, make_console
from sim.log.reading import read_source
from sim.log.trajectory import Trajectory
from sim.log.tree import Tree
from sim.show.picture_options import PLAIN, PictureOptions
from sim.sweep.axes import SweepError
from sim.sweep.sweep_file import is_sweep_file

DEFAULT_FPS = 25.0
SCREEN_FPS = 60.0  # what most screens show
PAGE_SUFFIXES = (".html", ".htm")  # as in `sim.show.page.save_page`, which is imported when it is used


def replay_file(path: Path, save: Path | None, speed: float | None, fps: float | None, branch: int | None = None,
                cell: str | None = None, cells: Sequence[str] = (), options: PictureOptions = PLAIN) -> None:
    """A window, or with `save` a page, a movie and a progress bar, or a picture of the end. Raises ReplayError,
    PlotError, for a file before anything is drawn.

    Of a tree: all branches together, or with `branch` the motion that ends with it. Of a sweep: the run of the cell
    with the values NAME=VALUE,NAME=VALUE; or as a page all outcomes, with the runs of `cells`. Raises SweepError.
    """
    is_sweep = is_sweep_file(path)
    if cells and not (is_sweep and cell is None and save is not None and is_page(save)):
        raise SweepError(f"--cells {cells[0]}: brings runs into the page of a sweep, stiction replay SWEEP.h5 "
                         "--cells ... --save map.html; for one run alone take --cell")
    if cell is not None or is_sweep:
        if branch is not None:
            raise SweepError(f"--branch {branch}: the cells of a sweep have no branches")
        check_save(save, speed, fps)
        if cell is None and save is not None and is_page(save):
            from sim.cli.reports.shown.report_page import save_map

            save_map(path, save, speed, cells, options)
            return
        show_or_save(open_cell(path, cell), save, speed, fps, options)
        return
    check_save(save, speed, fps)
    show_or_save(read_source(path, branch), save, speed, fps, options)


def show_or_save(motion: Trajectory | Tree, save: Path | None, speed: float | None, fps: float | None,
                 options: PictureOptions = PLAIN) -> None:
    """A window, a page, a movie or a picture."""
    from sim.show.frame_rate import find_hidden
    from sim.show.replay import still, viewer

    if save is not None and is_page(save):
        from sim.show.page.save_page import save_page

        written = save_page(motion, save, speed, options=options)
        make_console().print(f"Page: {shlex.quote(str(written))}", soft_wrap=True)
        return
    fps = DEFAULT_FPS if fps is None else fps
    speed = 1.0 if speed is None else speed
    if save is None or not still.is_still(save):
        for note in find_hidden(motion, fps, speed, get_most_fps(save)):
            make_console(stderr=True).print(f"Note: {note}.")
    if save is None:
        viewer.show(motion, fps=fps, speed=speed, options=options)
        return
    if still.is_still(save):
        make_console().print(f"Picture: {shlex.quote(str(still.save_still(motion, save, speed, options)))}")
        return
    console = make_console(stderr=True)
    bar = make_bar(console, BarColumn(), TextColumn("frame {task.completed} of {task.total}"), TimeRemainingColumn())
    task = bar.add_task(save.name)
    with bar:
        written = viewer.save_movie(motion, save, fps=fps, speed=speed, options=options,
                                    progress=lambda done, total: bar.update(task, completed=done, total=total))
    make_console().print(f"Movie: {shlex.quote(str(written))}")


def is_page(save: Path) -> bool:
    """Does the suffix ask for a page?"""
    return save.suffix.lower() in PAGE_SUFFIXES


def get_most_fps(save: Path | None) -> float:
    """How many frames a second a window or a kind of movie shows at most."""
    from sim.show.replay.movie import GIF_FPS

    return SCREEN_FPS if save is None else GIF_FPS if save.suffix.lower() == ".gif" else inf


def check_save(save: Path | None, speed: float | None, fps: float | None) -> None:
    """See that a page, movie or picture can be written, before the run. Raises ReplayError, PlotError."""
    from sim.show.plot_file import check_plot_file
    from sim.show.replay.frames import ReplayError
    from sim.show.replay.movie import find_encoder, prepare_folder
    from sim.show.replay.still import is_still

    if save is None:
        return
    if is_page(save):
        from sim.show.page.save_page import check_page

        if fps is not None:
            raise ReplayError(f"--fps {fps:g}: a page has no frames, it shows the motion itself; leave --fps out")
        check_page(save, speed)
    elif is_still(save):
        check_plot_file(save)
    else:
        find_encoder(save)
        prepare_folder(save)


def open_cell(path: Path, words: str | None) -> Trajectory:
    """The motion of a cell of a sweep: from its log, or run once more; says which. Raises SweepError."""
    from sim.cli.reports.shown.report_plot import split_pairs
    from sim.sweep.cell_replay import find_cell, read_log, run_cell
    from sim.sweep.sweep_result import read_sweep

    if words is None:
        names = ",".join(f"{name}=..." for name in read_sweep(path).plan.list_names())
        raise SweepError(f"{path} is the table of a sweep, with many runs; say which: --cell {names}; or save a map of "
                         "all outcomes: --save map.html")
    cell = find_cell(path, split_pairs(words, "--cell"))
    console = make_console(stderr=True)
    trajectory, log, note = read_log(cell)
    how = f"its log in {log}"
    if trajectory is None:
        if note:
            console.print(f"Note: {note}.")
        from sim.cli.reports.report_run import show_progress

        with show_progress(cell.scene) as progress:
            trajectory, note = run_cell(cell, progress)
        how = "run once more" if note else "run once more, equal to its row to the last bit"
    outcome = "" if cell.row is None else f": {cell.sweep.record.outcomes[cell.row['outcome']]}"
    console.print(f"Cell {cell.number} ({cell.describe()}){outcome}; {how}.")
    if note:
        console.print(f"Note: {note}.", style="bold")
    return trajectory
