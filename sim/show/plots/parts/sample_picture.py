"""Shares of outcomes over sampled starts: bars with their intervals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from sim.feeding.sampled_drop import SampledDrop
from sim.show.labels import as_typed
from sim.show.picture_options import PLAIN, PictureOptions
from sim.show.plot_file import check_plot_file, save_figure
from sim.show.plots.draw_space import style_axes
from sim.show.plots.parts.drop_picture import HATCH, SHARE, WORD_LENGTH, pick_colours
from sim.show.replay.painter import FAINT, TEXT
from sim.sweep.table import BY_CHOICE

TITLE_LENGTH = 90


def save_sample_picture(path, found: SampledDrop) -> Path:
    """Write the picture to `path` (.png, .svg or .pdf). Raises PlotError."""
    file = check_plot_file(path)
    return save_figure(draw_samples(found, file.options), file)


def draw_samples(found: SampledDrop, options: PictureOptions = PLAIN) -> Figure:
    """A bar for each outcome with its interval. Raises PictureError for a label of another key."""
    options.check_labels(name for one in found.distributions for name in (one.name, one.key))
    words = list(found.shares)[::-1]
    shares = 100.0 * np.array([found.shares[word] for word in words])
    figure = Figure(facecolor="white")
    FigureCanvasAgg(figure)
    figure.set_size_inches(9.0, 1.6 + 0.4 * len(words))
    figure.set_layout_engine("constrained")
    axes = figure.subplots()
    colours = pick_colours(list(found.shares))[::-1]
    axes.barh(range(len(words)), shares[:, 0], color=colours, edgecolor=FAINT, linewidth=0.5,
              hatch=[HATCH if word.endswith(BY_CHOICE) else "" for word in words],
              xerr=[shares[:, 0] - shares[:, 1], shares[:, 2] - shares[:, 0]],
              error_kw={"ecolor": TEXT, "elinewidth": 1.2, "capsize": 3.0})
    for place, (value, low, high) in enumerate(shares):
        axes.text(high, place, f"  {value:.4g} %  ({low:.4g} to {high:.4g} %)", va="center", fontsize=9, color=TEXT)
    axes.set_yticks(range(len(words)), [as_typed(word, WORD_LENGTH) for word in words])
    axes.set_xlim(0.0, 1.6 * float(shares[:, 2].max()))
    style_axes(axes)
    axes.set_xlabel(f"{SHARE}, with intervals of 95 %", fontsize=9.5, color=TEXT)
    title = as_typed(Path(found.sweep.record.source).stem or "scene")
    names = ", ".join(options.labels.get(one.name, one.name) for one in found.distributions)
    title = as_typed(f"{title}: {found.n_runs} drops over {names}", TITLE_LENGTH)
    heading = figure.suptitle(title, x=0.02, ha="left", fontsize=12.5, fontweight="bold", color=TEXT)
    options.put_title(heading)
    return figure
