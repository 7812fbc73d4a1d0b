"""Which rest poses get past a gate: a band of outcomes for each pose, beside the part as it lies."""

from __future__ import annotations

from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Patch, PathPatch

from geometry.shapes.outline import Outline
from geometry.shapes.polygon import Polygon
from sim.feeding.gate import Gate
from sim.scene.scene import Scene
from sim.show.axis_words import describe_axis, list_names
from sim.show.labels import as_typed
from sim.show.loops import make_path
from sim.show.palette import OUTCOME_COLOURS, pick_word_colours
from sim.show.picture_options import PLAIN, PictureOptions
from sim.show.plot_file import check_plot_file, save_figure
from sim.show.plots.draw_space import style_axes
from sim.show.replay.painter import FAINT, TEXT
from sim.sweep.table import BY_CHOICE

PASSES = "#009E73"
ROW = 0.75  # inches, of a pose
WORD_LENGTH = 40


def save_gate_picture(path, found: Gate, scene: Scene) -> Path:
    """Write the picture to `path` (.png, .svg or .pdf). Raises PlotError."""
    file = check_plot_file(path)
    return save_figure(draw_gate(found, scene, file.options), file)


def draw_gate(found: Gate, scene: Scene, options: PictureOptions = PLAIN) -> Figure:
    """A row a pose: the part on its floor, and its outcomes along the axis; what gets past is green.

    Raises PictureError for a label of another key.
    """
    options.check_labels(list_names(found.drop.axis.grid))
    n = len(found.rows)
    words = list(dict.fromkeys(basin.word.removesuffix(BY_CHOICE) for row in found.rows for basin in row.line.basins))
    fixed = {**OUTCOME_COLOURS, found.goal: PASSES}
    colours = dict(zip(words, pick_word_colours(words, fixed), strict=True))
    figure = Figure(figsize=(9.5, 1.9 + ROW * n), facecolor="white")
    FigureCanvasAgg(figure)
    figure.set_layout_engine("constrained")
    grid = figure.add_gridspec(n, 2, width_ratios=(1.0, 6.0))
    bands = figure.add_subplot(grid[:, 1])
    outline = scene.workpiece.outline
    outline = Outline.from_vertices(outline.vertices) if isinstance(outline, Polygon) else outline
    for number, row in enumerate(found.rows):
        place = n - 1 - number
        for basin in row.line.basins:
            bands.broken_barh([(basin.low, basin.high - basin.low)], (place + 0.1, 0.8), linewidth=0.0, edgecolor=TEXT,
                              facecolor=colours[basin.word.removesuffix(BY_CHOICE)],
                              hatch="////" if basin.word.endswith(BY_CHOICE) else None)
        part = figure.add_subplot(grid[number, 0])
        turned = outline.rotated(row.pose.theta)
        part.add_patch(PathPatch(make_path(turned, 1.0), facecolor="#D9D4C7", edgecolor=TEXT, linewidth=0.8))
        (left, low), (right, high) = turned.bounds
        part.plot([left - 0.1 * outline.size, right + 0.1 * outline.size], [low, low], color=FAINT, linewidth=1.0)
        part.set_aspect("equal")
        part.set_xlim(-0.7 * outline.size, 0.7 * outline.size)
        part.set_ylim(low - 0.05 * outline.size, max(high, low + 0.5 * outline.size))
        part.set_axis_off()
    bands.set_facecolor("#1A1A1A")
    bands.set_xlim(found.drop.axis.low, found.drop.axis.high)
    bands.set_ylim(0.0, n)
    bands.set_yticks([n - 0.5 - k for k in range(n)],
                     [f"rest {row.pose.number}: {row.pose.describe()}, {100.0 * row.pose.share:.3g} %"
                      for row in found.rows])
    style_axes(bands)
    bands.set_xlabel(describe_axis(found.drop.axis.grid, options), fontsize=9.5, color=TEXT)
    entries = [Patch(facecolor=colours[word], label=as_typed(word, WORD_LENGTH)) for word in words]
    figure.legend(handles=entries, loc="outside lower center", ncols=3, frameon=False, fontsize=9)
    question = f"{as_typed(scene.name)}: which poses come to {as_typed(found.goal, WORD_LENGTH)!r}"
    heading = figure.suptitle(question, x=0.02, ha="left", fontsize=12.5, fontweight="bold", color=TEXT)
    options.put_title(heading)
    return figure
