"""The strip below a picture: kinetic energy over time, events, intervals that were not unique, and where we are."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from sim.log.trajectory import Trajectory
from sim.show.replay.painter import FAINT, NOT_UNIQUE, PART_EDGE, PART_FACE, TEXT
from sim.show.replay.view import TIME_UNITS, choose_unit

MOST_POINTS = 2000  # of the energy curve
ENERGY_UNITS = ((1e6, 1e-6, "MJ"), (1e3, 1e-3, "kJ"), (0.1, 1.0, "J"), (1e-4, 1e3, "mJ"), (0.0, 1e6, "µJ"))
MOST_EVENTS = 400  # more ticks than this would be one black bar


class Timeline:
    """Draws the whole run onto narrow axes once; `move(time)` shifts the cursor."""

    def __init__(self, axes: Axes, trajectory: Trajectory, speed: float = 1.0):
        self.axes = axes
        times = trajectory.time
        self.factor, self.unit = choose_unit(float(times[-1] - times[0]), TIME_UNITS)
        self._draw_energy(trajectory)
        self._draw_not_unique(trajectory)
        self._draw_events(trajectory)
        self.cursor = axes.axvline(times[0] * self.factor, color=TEXT, linewidth=1.4, zorder=6)
        start, end = times[0] * self.factor, times[-1] * self.factor
        axes.set_xlim(start, end if end > start else start + 1.0)
        axes.set_ylim(0.0, 1.0)
        axes.set_yticks([])
        pace = "" if speed == 1.0 else f", shown at {speed:g} × real speed"
        axes.set_xlabel(f"time ({self.unit}){pace}", color=FAINT, fontsize=9, labelpad=1.0)
        axes.tick_params(colors=FAINT, labelsize=8, length=3)
        for name, spine in axes.spines.items():
            spine.set_visible(name == "bottom")
            spine.set_color("#C9C5BC")

    def move(self, time: float) -> None:
        """Put the cursor at a time."""
        self.cursor.set_xdata([time * self.factor, time * self.factor])

    def add_handle(self) -> None:
        """Show that the cursor can be dragged."""
        self.cursor.set(marker="v", markersize=9, markevery=[1], markeredgecolor="white", clip_on=False)

    def _draw_energy(self, trajectory: Trajectory) -> None:
        energy = trajectory.steps["kinetic"]
        most = float(np.max(energy))
        if most <= 0.0:
            return
        picks = pick_extremes(energy, MOST_POINTS)
        times, heights = trajectory.time[picks] * self.factor, 0.9 * energy[picks] / most
        self.axes.fill_between(times, heights, color=PART_FACE, alpha=0.55, linewidth=0.0, zorder=1)
        self.axes.add_line(Line2D(times, heights, color=PART_EDGE, linewidth=0.8, zorder=2))
        factor, unit = choose_unit(most, ENERGY_UNITS)
        text = f"kinetic\nenergy\n≤ {most * factor:.3g} {unit}"
        self.axes.text(-0.008, 0.5, text, transform=self.axes.transAxes, ha="right", va="center", fontsize=7.5,
                       color=FAINT)  # fmt: skip

    def _draw_not_unique(self, trajectory: Trajectory) -> None:
        least = 0.003 * (trajectory.time[-1] - trajectory.time[0])  # an instant must be seen, too
        for start, end in trajectory.not_unique:
            middle, half = 0.5 * (start + end), 0.5 * max(end - start, least)
            self.axes.axvspan((middle - half) * self.factor, (middle + half) * self.factor, color=NOT_UNIQUE,
                              alpha=0.40, linewidth=0.0, zorder=3)  # fmt: skip

    def _draw_events(self, trajectory: Trajectory) -> None:
        times = trajectory.event_rows["time"]
        if 0 < len(times) <= MOST_EVENTS:
            self.axes.vlines(times * self.factor, 0.0, 0.22, color=TEXT, linewidth=0.9, zorder=5)


def pick_extremes(values: np.ndarray, most: int) -> np.ndarray:
    """Indices of at most about `most` values that keep the least and the largest of every stretch."""
    count = len(values)
    if count <= most:
        return np.arange(count)
    width = -(-2 * count // most)
    picks = [np.array([0, count - 1])]
    for first in range(0, count, width):
        stretch = values[first : first + width]
        picks.append(first + np.array([np.argmin(stretch), np.argmax(stretch)]))
    return np.unique(np.concatenate(picks))
