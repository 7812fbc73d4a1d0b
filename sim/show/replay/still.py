"""One picture of a replay, as a file: where the motion ends, with the way there."""

from __future__ import annotations

from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from sim.log.trajectory import Trajectory
from sim.log.tree import Tree
from sim.show.picture_options import PLAIN, PictureOptions
from sim.show.plot_file import METADATA, check_plot_file, save_figure
from sim.show.replay.frames import ReplayError
from sim.show.replay.movie import open_source
from sim.show.replay.picture import SIZE
from sim.show.replay.tree_picture import make_picture


def is_still(path: Path) -> bool:
    """Does the suffix ask for a still picture?"""
    return path.suffix.lower() in METADATA


def save_still(trajectory: Trajectory | Tree, path: str | Path, speed: float = 1.0,
               options: PictureOptions = PLAIN) -> Path:
    """Write the last instant of a trajectory or tree to `path` (.png, .svg or .pdf). Raises PlotError, ReplayError."""
    file = check_plot_file(path)
    motion = open_source(trajectory)
    if len(motion) == 0:
        raise ReplayError("there is nothing to show: the log has no rows")
    figure = Figure(figsize=SIZE)
    FigureCanvasAgg(figure)
    make_picture(figure, motion, speed, options=options).paint(float(motion.time[-1]))
    return save_figure(figure, file)
