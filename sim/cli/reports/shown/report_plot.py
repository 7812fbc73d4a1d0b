"""Draw a sweep into a file or a window, and say what the picture leaves out."""

from __future__ import annotations

import shlex
from pathlib import Path

from sim.cli.reports.console import make_console
from sim.show.level_lines import read_levels
from sim.show.picture_options import PLAIN, PictureOptions
from sim.show.plot_file import check_plot_file, save_figure
from sim.show.plots.sweep_view import choose_view
from sim.sweep.axes import SweepError
from sim.sweep.refine.refinement_file import read_refinements
from sim.sweep.refine.tracing_file import read_tracings
from sim.sweep.sweep_result import read_sweep
from sim.sweep.table import DERIVED, ROW_FIELDS

# What columns mean that the file has as numbers of words, or that follow from others
WORD_COLUMNS = {
    "outcome": "how the run ended: a goal, at rest, jammed, timed out ...",
    "status": "status of the run, such as COMPLETED",
    "modes": "modes in their order",
    "message": "what there is to say of the run",
    "merged_outcome": "the outcome, where rest poses that the part's symmetry makes alike are one",
    "basin": "the outcome, and whether the rule of choice took one motion of several",
    "merged_basin": "both",
}
NO_DISPLAY = "there is no display to open a window on; save a picture instead: --save NAME.png, .svg or .pdf"


def plot_sweep(path: Path, x: str | None, y: str | None, color: str | None, where: str | None,
               save: Path | None, options: PictureOptions = PLAIN, contours: str | None = None) -> None:
    """A picture, or without `save` a window. Raises SweepError, ExpressionError, PictureError, PlotError, ReplayError.
    """
    file = None if save is None else check_plot_file(save)
    levels = None if contours is None else read_levels(contours)
    sweep = read_sweep(path)
    if len(sweep) == 0:
        raise SweepError(f"{path}: no cell has run yet, there is nothing to draw")
    view = choose_view(sweep, x, y, color, split_pairs(where, "--where"), read_refinements(path),
                       read_tracings(path))
    for note in view.notes:
        make_console(stderr=True).print(f"Note: {note}.")
    from sim.show.plots.draw_sweep import compute_size, draw_sweep

    if file is not None:
        written = save_figure(draw_sweep(view, None, options, levels), file, dpi=120.0)
        make_console().print(f"Picture: {shlex.quote(str(written))}")
        return
    from sim.show.replay.viewer import open_window

    figure = open_window(f"{view.name} sweep", NO_DISPLAY, compute_size(1, 1))
    draw_sweep(view, figure, options, levels)
    import matplotlib.pyplot as plt

    plt.show()


def print_columns(path: Path) -> None:
    """The columns that can be drawn of a sweep: its axes, and what it says of each run. Raises SweepError."""
    axes = [(axis.name, axis.shown_unit, axis.key) for axis in read_sweep(path).plan.axes]
    fields = [(name, "" if unit == "1" else unit, WORD_COLUMNS.get(name, meaning))
              for name, _, unit, meaning in ROW_FIELDS if name != "cell"]
    rows = [*axes, *fields, *((name, "", WORD_COLUMNS[name]) for name in DERIVED)]
    width, room = (max(len(row[i]) for row in rows) for i in (0, 1))
    for name, unit, meaning in rows:
        make_console().print(f"{name:<{width}}  {unit:<{room}}  {meaning}")


def split_pairs(text: str | None, option: str) -> list[tuple[str, str]]:
    """[("mu", "0.3"), ("rho", "0.012")] from mu=0.3,rho=0.012. Raises SweepError."""
    pairs = []
    for part in (text or "").split(",") if text is not None else []:
        name, equals, value = (word.strip() for word in part.partition("="))
        if not equals or not name or not value:
            raise SweepError(f"{option} {text}: write NAME=VALUE,NAME=VALUE, for example mu=0.3,rho=0.012")
        if name in dict(pairs):
            raise SweepError(f"{option} {text}: {name} is given twice")
        pairs.append((name, value))
    return pairs
