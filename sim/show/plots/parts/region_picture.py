"""The regions of two start parameters with their exact boundaries, and the share of each outcome."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from sim.feeding.regions import RegionDrop
from sim.show.axis_words import describe_axis, list_names, name_axis
from sim.show.labels import as_typed
from sim.show.picture_options import PLAIN, PictureOptions
from sim.show.plot_file import PlotError, check_plot_file, save_figure
from sim.show.plots.draw_regions import draw_regions
from sim.show.plots.draw_space import style_axes
from sim.show.plots.parts.drop_picture import HATCH, SHARE, WORD_LENGTH, pick_colours
from sim.show.replay.painter import FAINT, TEXT
from sim.sweep.refine.tracing import RegionShare
from sim.sweep.table import BY_CHOICE


def save_region_picture(path, found: RegionDrop) -> Path:
    """Write the picture to `path` (.png, .svg or .pdf). Raises PlotError."""
    file = check_plot_file(path)
    return save_figure(draw_region_drop(found, file.options), file)


def draw_region_drop(found: RegionDrop, options: PictureOptions = PLAIN) -> Figure:
    """The map of the regions of one sheet, and bars of their shares. Raises PlotError where there are more sheets,
    PictureError for a label of another key."""
    options.check_labels(list_names(*(axis.grid for axis in found.axes)))
    if found.n_sheets != 1:
        raise PlotError("a picture shows the regions of one sheet; the table of the sweep has all: stiction plot FILE "
                        "--color basin")
    shares = found.measure_shares()
    colours = dict(zip(shares, pick_colours(list(shares)), strict=True))
    figure = Figure(facecolor="white")
    FigureCanvasAgg(figure)
    figure.set_size_inches(12.0, 5.4)
    figure.set_layout_engine("constrained")
    plane, bars = figure.subplots(1, 2, width_ratios=(1.35, 1.0))
    first, second = found.axes
    draw_regions(plane, found.found, 0, colours, hatches={word: HATCH for word in shares if word.endswith(BY_CHOICE)})
    plane.set_xlim(first.low, first.high)
    plane.set_ylim(second.low, second.high)
    _label(plane, describe_axis(first.grid, options), describe_axis(second.grid, options))
    draw_share_bars(bars, shares, colours)
    title = as_typed(Path(found.sweep.record.source).stem or "scene")
    names = " and ".join(name_axis(axis.grid, options) for axis in (first, second))
    heading = figure.suptitle(f"{title}: regions of {names}", x=0.02, ha="left", fontsize=12.5, fontweight="bold",
                              color=TEXT)
    options.put_title(heading)
    return figure


def draw_share_bars(axes: Axes, shares: Mapping[str, RegionShare], colours: Mapping[str, str]) -> None:
    """A bar for each outcome, with what the last halving changed."""
    words = list(shares)[::-1]
    values = [100.0 * shares[word].value for word in words]
    axes.barh(range(len(words)), values, color=[colours[word] for word in words], edgecolor=FAINT, linewidth=0.5,
              hatch=[HATCH if word.endswith(BY_CHOICE) else "" for word in words])
    for place, (word, value) in enumerate(zip(words, values, strict=True)):
        axes.text(value, place, f"  {value:.4g} %  (about {100.0 * shares[word].change:.1g} %)", va="center",
                  fontsize=9, color=TEXT)
    axes.set_yticks(range(len(words)), [as_typed(word, WORD_LENGTH) for word in words])
    axes.set_xlim(0.0, 1.9 * max([*values, 1.0]))
    _label(axes, SHARE)


def _label(axes: Axes, x: str, y: str = "") -> None:
    style_axes(axes)
    axes.set_xlabel(x, fontsize=9.5, color=TEXT)
    axes.set_ylabel(y, fontsize=9.5, color=TEXT)
