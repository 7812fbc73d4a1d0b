"""Curves of a column of a sweep over one of its axes, one for each value of a second axis."""

from __future__ import annotations

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize
from matplotlib.lines import Line2D

from sim.show.labels import as_typed
from sim.show.palette import pick_branch_style
from sim.show.plots.sweep_view import MOST_CURVES, Panel, SweepView, pick_evenly
from sim.sweep.axes import WORDS, describe_value

LIGHTEST = 0.85  # of the colours of curves: beyond it they can hardly be seen on white
MOST_MARKED = 60  # values on a curve that each get a mark
CURVE_BOUNDARY = {"color": "#8A857C", "linewidth": 0.8, "linestyle": (0, (2, 2)), "zorder": 1}


def draw_curves(axes: Axes, view: SweepView, panel: Panel, norm: Normalize) -> None:
    """The curves of one panel. A cell without a number is a gap in its curve, one without bound a mark at the top."""
    x, y = view.get_values(view.x, panel.cells), view.data[panel.cells]
    order = np.argsort(x, kind="stable")
    own = None if view.series is None else view.get_values(view.series, panel.cells)[order]
    x, y = x[order], y[order]
    joined = not view.x.is_random and view.x.kind != WORDS
    for value, colour, line in list_curve_styles(view):
        on = np.ones(len(x), bool) if own is None else own == value
        marker = "o" if not joined or on.sum() <= MOST_MARKED else ""
        endless = on & np.isinf(y)
        if endless.any():
            axes.scatter(x[endless], np.full(endless.sum(), 0.97), color=[colour], marker="^",
                         transform=axes.get_xaxis_transform())
        axes.plot(x[on], y[on], line if joined else "none", color=colour, marker=marker, markersize=3.0, linewidth=1.4)
    if isinstance(norm, LogNorm):
        axes.set_yscale("log")
    if own is None:
        for refinement in view.boundaries:
            if refinement.axis == view.x.name:
                for at in _find_own(view, panel, refinement.boundaries)[refinement.axis]:
                    axes.axvline(at, **CURVE_BOUNDARY)
    axes.grid(True, color="#ECE9E2", linewidth=0.6)
    axes.set_axisbelow(True)


def _find_own(view: SweepView, panel: Panel, boundaries: np.ndarray) -> np.ndarray:
    """The boundaries on the line of a panel."""
    for name, fixed in panel.fixed.items():
        boundaries = boundaries[boundaries[name] == fixed]
    return boundaries


def list_curve_styles(view: SweepView) -> list[tuple]:
    """(value of the series, colour, line) of each curve: words in colours of their own, numbers from dark to light."""
    if view.series is None:
        return [(None, pick_branch_style(0)[0], "-")]
    values = np.unique(view.series.values)
    values = values[pick_evenly(len(values), MOST_CURVES)]
    if view.series.kind == WORDS:
        return [(value, *pick_branch_style(i)) for i, value in enumerate(values)]
    shades = colormaps["viridis"](np.linspace(0.0, LIGHTEST, len(values)))
    return [(value, shade, "-") for value, shade in zip(values, shades, strict=True)]


def list_curve_entries(view: SweepView) -> list[Line2D]:
    """Entries of a legend for the curves."""
    if view.series is None:
        return []
    return [Line2D([], [], color=colour, linestyle=line, label=as_typed(describe_value(view.series, value)))
            for value, colour, line in list_curve_styles(view)]
