"""One figure of an insertion: force and moment over depth, the contacts as bands, and the part where it is hardest."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from sim.show.labels import as_typed
from sim.show.picture_options import PLAIN, PictureOptions
from sim.show.plot_file import check_plot_file, save_figure
from sim.show.replay.painter import FAINT, FRICTION_FORCE, NORMAL_FORCE, TEXT, TRACE, FramePainter
from sim.show.replay.view import choose_unit
from sim.study.insertion_run import InsertionRun

SIZE = (11.0, 5.8)  # inches
BANDS = ("#FFFFFF", "#E3EEF6", "#F7E7C8", "#EBD3E1")  # no contact, one point, two points, more
OF_FORCES = {"gripper": "gripper, moment about the centre of compliance",
             "load": "load, moment about the centre of mass"}


def save_insertion_picture(path: str | Path, run: InsertionRun) -> Path:
    """Write the figure of `draw_insertion` to `path` (.png, .svg or .pdf). Raises PlotError."""
    file = check_plot_file(path)
    return save_figure(draw_insertion(run, file.options), file)


def draw_insertion(run: InsertionRun, options: PictureOptions = PLAIN) -> Figure:
    """Force above, moment below, over the depth; to the right the part at the largest force."""
    figure = Figure(figsize=SIZE, facecolor="white")
    FigureCanvasAgg(figure)
    upper = figure.add_axes((0.075, 0.42, 0.52, 0.38))
    lower = figure.add_axes((0.075, 0.10, 0.52, 0.27), sharex=upper)
    right = figure.add_axes((0.645, 0.10, 0.345, 0.70))
    factor, unit = choose_unit(float(np.ptp(run.depth)))
    depth = run.depth * factor
    for axes in (upper, lower):
        _draw_bands(axes, run, depth)
        _style(axes)
    upper.plot(depth, run.push, color=NORMAL_FORCE, linewidth=1.5, label="push, along the way in")
    upper.plot(depth, run.side, color=FRICTION_FORCE, linewidth=1.5, label="side, to the right of it")
    lower.plot(depth, run.moment, color=TRACE, linewidth=1.5, label="moment, counter-clockwise")
    row = run.peak
    upper.plot(depth[row], run.push[row], "o", color=NORMAL_FORCE, markersize=5)
    upper.annotate(f"{run.force[row]:.4g} N", (depth[row], run.push[row]), (0, 6), textcoords="offset points",
                   ha="center", fontsize=9, color=TEXT)
    upper.margins(y=0.14)
    upper.set_ylabel("force (N)", fontsize=9.5)
    lower.set_ylabel("moment (N m)", fontsize=9.5)
    lower.set_xlabel(f"depth ({unit})", fontsize=9.5)
    upper.tick_params(labelbottom=False)
    upper.set_xlim(depth.min(), depth.max())
    FramePainter(right, run.trajectory, trace=False).paint_row(row)
    right.set_xlabel("")
    right.set_ylabel("")
    right.set_title(f"largest force, {depth[row]:.4g} {unit} deep", fontsize=9.5, color=TEXT)
    name, outcome = as_typed(run.scene.name), as_typed(run.trajectory.outcome)
    heading = figure.text(0.02, 0.955, f"{name}: {outcome}", fontsize=13, fontweight="bold", color=TEXT, va="center")
    options.put_title(heading)
    figure.text(0.02, 0.91, f"force on the part of the {OF_FORCES[run.source]}", fontsize=9.5, color=FAINT, va="center")
    handles = [*upper.get_legend_handles_labels()[0], *lower.get_legend_handles_labels()[0],
               *(Patch(facecolor=BANDS[n], edgecolor="#C9C5BC", label=words) for n, words in _list_states(run))]
    figure.legend(handles=handles, loc="upper left", bbox_to_anchor=(0.02, 0.893), ncols=6, fontsize=8.5, frameon=False,
                  borderaxespad=0.0, handlelength=1.6, columnspacing=1.4, labelcolor=FAINT)
    return figure


def _list_states(run: InsertionRun) -> list[tuple[int, str]]:
    """The bands that there are, with their words."""
    words = ("no contact", "one point", "two points", "more points")
    return [(n, words[n]) for n in sorted({min(len(span.contacts), 3) for span in run.spans})]


def _draw_bands(axes: Axes, run: InsertionRun, depth: np.ndarray) -> None:
    for span in run.spans:
        last = min(span.last + 1, len(depth) - 1)
        axes.axvspan(depth[span.first], depth[last], facecolor=BANDS[min(len(span.contacts), 3)], linewidth=0, zorder=0)


def _style(axes: Axes) -> None:
    axes.axhline(0.0, color="#C9C5BC", linewidth=0.8, zorder=1)
    axes.tick_params(colors=FAINT, labelsize=8.5, length=3)
    for spine in axes.spines.values():
        spine.set_color("#C9C5BC")
