"""Draw curves of logs into a file or a window, write them as CSV, or list what can be drawn."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from sim.cli.reports.cli_words import UserError, find_log
from sim.cli.reports.console import make_console
from sim.cli.reports.shown.report_replay import open_cell
from sim.log.columns.run_columns import list_columns
from sim.log.columns.step_groups import STEP_GROUPS
from sim.log.reading import read_source
from sim.log.trajectory import Trajectory
from sim.log.tree import Tree
from sim.show.picture_options import PLAIN, PictureOptions
from sim.show.plot_file import check_plot_file, save_figure
from sim.show.plots.curves.curve_view import TIME, choose_curve_view, split_names
from sim.sweep.axes import SweepError
from sim.sweep.sweep_file import is_sweep_file

NO_DISPLAY = "there is no display to open a window on; save a picture instead: --save NAME.png, .svg, .pdf or .csv"
TABLE_SUFFIX = ".csv"


def plot_logs(files: Sequence[Path], x: str | None, names: Sequence[str], events: Sequence[str], branch: int | None,
              cells: Sequence[str], save: Path | None, options: PictureOptions = PLAIN) -> None:
    """A picture, a table (.csv), or without `save` a window. names, events: texts with commas between them. Raises
    UserError, ColumnError, PlotError, SweepError, TrajectoryFileError, ReplayError."""
    is_table = save is not None and save.suffix.lower() == TABLE_SUFFIX
    if save is not None and not is_table:
        save = check_plot_file(save)
    sources = open_sources(files, branch, cells)
    wanted = list(dict.fromkeys(
        name for source in sources.values() for name in split_names(get_motion(source), names)))
    if is_table:
        if options != PLAIN:
            raise UserError(f"--save {save}: a CSV file has no title and no labels; leave --title and --label out")
        write_csv(sources, wanted, x, events, save)
        return
    words = [word.strip() for text in events for word in text.split(",")]
    view = choose_curve_view(sources, wanted, x or TIME, words or None)
    from sim.show.plots.curves.draw_curve_view import compute_curve_size, draw_curve_view
    from sim.show.plots.curves.plot_runs import describe_title

    title = describe_title(sources) if options.title is None else options.title
    options.check_labels([view.x, *(curve.column.name for panel in view.panels for curve in panel.curves)])
    for note in view.notes:
        make_console(stderr=True).print(f"Note: {note}.")
    if save is not None:
        figure = draw_curve_view(view, title, None, options.labels)
        make_console().print(f"Picture: {shlex.quote(str(save_figure(figure, save, dpi=110.0)))}")
        return
    from sim.show.replay.viewer import open_window

    figure = open_window(title, NO_DISPLAY, compute_curve_size(len(view.panels)))
    draw_curve_view(view, title, figure, options.labels)
    import matplotlib.pyplot as plt

    plt.show()


def open_sources(files: Sequence[Path], branch: int | None, cells: Sequence[str]) -> dict[str, Trajectory | Tree]:
    """{name for the legend: run}: of logs, or of the cells of one sweep."""
    if cells:
        (path,) = [find_log(str(file)) for file in files][:1]
        if len(files) > 1 or not is_sweep_file(path):
            raise SweepError("--cell takes runs of one sweep; give its file (.h5) alone")
        if branch is not None:
            raise SweepError(f"--branch {branch}: the cells of a sweep have no branches")
        return {words: open_cell(path, words) for words in dict.fromkeys(cells)}
    paths = [find_log(str(file)) for file in files]
    stems = [path.stem for path in paths]
    labels = stems if len(set(stems)) == len(stems) else list(map(str, paths))
    if len(set(labels)) < len(labels):
        raise UserError(f"{next(label for label in labels if labels.count(label) > 1)} is given twice")
    return {label: read_source(path, branch) for label, path in zip(labels, paths, strict=True)}


def get_motion(source: Trajectory | Tree) -> Trajectory:
    """A trajectory that has the columns of a source."""
    return source if isinstance(source, Trajectory) else source.branches[0].get_rows()


def write_csv(sources: dict[str, Trajectory | Tree], names: Sequence[str], x: str | None, events: Sequence[str],
              save: Path) -> None:
    """The table of one run. Raises UserError, ColumnError, WriteError."""
    if len(sources) > 1:
        raise UserError(f"--save {save}: a CSV file holds one run, and {len(sources)} are given")
    if events:
        raise UserError(f"--save {save}: the last column of a CSV file has all events; leave --events out")
    (source,) = sources.values()
    if isinstance(source, Tree):
        leaves = ", ".join(map(str, source.leaves))
        raise UserError(f"--save {save}: a CSV file holds one motion, and this is a tree; say which: --branch K, one "
                        f"of {leaves}")
    wanted = [name for name in (x, *names) if name is not None] if names else None
    if x is not None and not names:
        raise UserError(f"--x {x}: say which other columns: --y NAME,NAME")
    make_console().print(f"Table: {shlex.quote(str(source.to_csv(save, wanted)))}")


def print_columns(files: Sequence[Path], branch: int | None, cells: Sequence[str]) -> None:
    """A table of what can be drawn of the first run."""
    source = next(iter(open_sources(files, branch, cells).values()))
    columns = [(name, "" if unit == "1" else unit, meaning) for name, unit, meaning in list_columns(get_motion(source))]
    width, room = (max(len(column[i]) for column in columns) for i in (0, 1))
    console = make_console()
    for name, unit, meaning in columns:
        console.print(f"{name:<{width}}  {unit:<{room}}  {meaning}")
    console.print(f"Several at once: {', '.join(STEP_GROUPS)}; contact.fn (.ft, .fx, .fy, .slip, .gap) of every "
                  "obstacle that was touched.")
