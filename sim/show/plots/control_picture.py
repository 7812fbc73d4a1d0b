"""Figures of force and motion control: power and normal forces over time, and how friction couples both."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sim.show.labels import as_typed
from sim.show.palette import pick_branch_style
from sim.show.picture_options import PLAIN, PictureOptions
from sim.show.plot_file import check_plot_file, save_figure
from sim.show.replay.painter import FAINT, NORMAL_FORCE, TEXT
from sim.study.control_curves import ControlCurves, compute_control_curves
from sim.words import key_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sim.log.trajectory import Trajectory
    from sim.study.control_study import Coupling

GRID = {"color": "#ECE9E2", "linewidth": 0.6}
DESIRED = {"color": "#8A857C", "linestyle": (0, (4, 2)), "linewidth": 1.3, "zorder": 4}


def save_control_picture(path, trajectory: Trajectory) -> Path:
    """Write the figure of a log to `path` (.png, .svg or .pdf). Raises PlotError, NoControlError."""
    file = check_plot_file(path)
    figure = draw_control(compute_control_curves(trajectory), trajectory.scene.name, file.options)
    return save_figure(figure, file, dpi=110.0)


def draw_control(curves: ControlCurves, name: str, options: PictureOptions = PLAIN) -> Figure:
    """Power of the wrench in the wrist, power of its projection into the contact space (Figures 5 and 6 of
    Featherstone, Sonck and Khatib), and the normal forces (Figure 8)."""
    figure = Figure(figsize=(9.0, 8.2), facecolor="white", layout="constrained")
    FigureCanvasAgg(figure)
    top, middle, bottom = figure.subplots(3, 1, sharex=True, height_ratios=(1.0, 1.0, 1.5))
    heading = figure.suptitle(f"{as_typed(name)}: control of force and motion", color=TEXT, fontsize=12, x=0.02,
                              ha="left")
    options.put_title(heading)
    top.plot(curves.time, curves.power, color=TEXT, linewidth=1.2)
    _title(top, "power of the wrench in the wrist", "W")
    middle.plot(curves.time, curves.projected, color=TEXT, linewidth=1.2)
    largest = float(np.abs(curves.projected).max())
    _title(middle, f"power of what of it is projected into the contact space: {largest:.2g} W at most", "W")
    for k, contact in enumerate(curves.contacts):
        colour, _ = pick_branch_style(k)
        bottom.plot(curves.time, contact.real, color=colour, linewidth=1.5, zorder=3)
        bottom.plot(curves.time, contact.measured, color=colour, linewidth=0.9, linestyle=(0, (1, 1.5)), zorder=5)
        if contact.desired is not None:
            bottom.plot(curves.time, contact.desired, **DESIRED)
    _title(bottom, "normal forces", "N")
    if len(curves.impacts):
        for axes in (top, middle, bottom):
            axes.plot(curves.impacts, np.full(len(curves.impacts), 0.02), transform=axes.get_xaxis_transform(),
                      color=NORMAL_FORCE, marker="|", markersize=9, linestyle="none", zorder=6)
    bottom.set_xlabel("t (s)", color=FAINT)
    bottom.legend(handles=_list_entries(curves), loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=4, fontsize=9,
                  frameon=False, labelcolor=FAINT)
    return figure


def _title(axes: Axes, text: str, unit: str) -> None:
    axes.set_title(text, loc="left", fontsize=10, color=FAINT)
    axes.set_ylabel(unit, color=FAINT)
    axes.tick_params(colors=FAINT, labelsize=8)
    axes.grid(True, **GRID)
    axes.set_axisbelow(True)
    axes.margins(x=0.01)


def _list_entries(curves: ControlCurves) -> list[Line2D]:
    entries = [Line2D([], [], color=pick_branch_style(k)[0], linewidth=1.5, label=f"contact {as_typed(contact.name)}")
               for k, contact in enumerate(curves.contacts)]
    entries.append(Line2D([], [], color=FAINT, linewidth=0.9, linestyle=(0, (1, 1.5)), label="measured in the wrist"))
    if any(contact.desired is not None for contact in curves.contacts):
        entries.append(Line2D([], [], label="desired", **DESIRED))
    if len(curves.impacts):
        entries.append(Line2D([], [], color=NORMAL_FORCE, marker="|", linestyle="none", label="impact"))
    return entries


def save_coupling_picture(path, couplings: Sequence[Coupling], name: str) -> Path:
    """Write the figure of `study_friction` to `path`. Raises PlotError."""
    file = check_plot_file(path)
    return save_figure(draw_coupling(couplings, name, file.options), file, dpi=110.0)


def draw_coupling(couplings: Sequence[Coupling], name: str, options: PictureOptions = PLAIN) -> Figure:
    """Errors of force and motion over friction, with the projections and without; runs that ended early are crosses."""
    figure = Figure(figsize=(9.0, 4.2), facecolor="white", layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(1, 2)
    title = f"{as_typed(name)}: how friction couples force and motion"
    heading = figure.suptitle(title, color=TEXT, fontsize=12, x=0.02, ha="left")
    options.put_title(heading)
    for k, projects in enumerate((True, False)):
        own = [c for c in couplings if c.projection == projects]
        mu, whole = np.array([c.mu for c in own]), np.array([c.completed for c in own], bool)
        colour, line = pick_branch_style(k)
        for panel, values in ((axes[0], [c.force for c in own]), (axes[1], [1e3 * c.motion for c in own])):
            panel.plot(mu, values, linestyle=line, color=colour, marker="o", markersize=3.5, linewidth=1.4,
                       label="with projections" if projects else "without")
            panel.plot(mu[~whole], np.array(values)[~whole], linestyle="none", color=NORMAL_FORCE, marker="x")
    _title(axes[0], "error of the normal forces (root of mean square)", "N")
    _title(axes[1], "error of the motion (root of mean square)", "mm")
    for panel in axes:
        panel.set_xlabel(key_words.describe_key(["friction", "default"]), color=FAINT)
        panel.set_ylim(bottom=0.0)
        panel.legend(fontsize=9, frameon=False, labelcolor=FAINT)
    return figure
