"""Curves of one run or of several, as one call: `stiction.plot_runs(trajectory, "y", "energy")`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sim.log.columns.run_columns import ColumnError
from sim.log.trajectory import Trajectory
from sim.log.tree import Tree
from sim.show.plots.curves.curve_view import TIME, choose_curve_view
from sim.show.plots.curves.draw_curve_view import draw_curve_view

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Runs = Trajectory | Tree | Sequence[Trajectory | Tree] | Mapping[str, Trajectory | Tree]


def plot_runs(runs: Runs, *names: str, x: str = TIME, events: Sequence[str] | None = None, title: str | None = None,
              labels: Mapping[str, str] | None = None) -> Figure:
    """Curves of columns of runs over one of them, as a matplotlib figure; columns of one kind share a panel.

    runs: a trajectory, a tree (a curve for each branch), several of them, or {name for the legend: run}. names: "y",
    "speed", "contact.fn", "contact.floor.fn", "energy" ..., see `sim.log.columns.run_columns`; without them height,
    normal forces and energy. events: words of the events to mark over time ("impact", "slip" ...), "all" or "none";
    of a single run most are marked if nothing is said. title: another title; labels: {name of a column: another text}.
    Raises ColumnError, which lists what is valid.
    """
    sources = name_runs(runs)
    view = choose_curve_view(sources, names, x, [events] if isinstance(events, str) else events)
    return draw_curve_view(view, title if title is not None else describe_title(sources), None, labels)


def name_runs(runs: Runs) -> dict[str, Trajectory | Tree]:
    """{name: run}; runs without names have those of their scenes, numbered where they are the same. Raises ColumnError.
    """
    if isinstance(runs, Mapping):
        named = dict(runs)
    else:
        each = [runs] if isinstance(runs, (Trajectory, Tree)) else list(runs)
        words = [run.record.name or "run" for run in each]
        named = {word if words.count(word) == 1 else f"{word} {words[: i + 1].count(word)}": run
                 for i, (word, run) in enumerate(zip(words, each, strict=True))}
    if not named:
        raise ColumnError("there is no run to draw")
    return named


def describe_title(sources: Mapping[str, Trajectory | Tree]) -> str:
    """The names of the scenes."""
    names = list(dict.fromkeys(source.record.name or "(without a name)" for source in sources.values()))
    many = f" ({len(sources)} runs)" if len(sources) > 1 else ""
    return ", ".join(names[:3]) + (", ..." if len(names) > 3 else "") + many
