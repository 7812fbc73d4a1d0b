"""Draw one instant of a trajectory onto matplotlib axes: bodies, contacts, forces, friction cones, modes.

Colours are those of Okabe and Ito, which most colour-blind people can tell apart. Nothing here opens a window or keeps
a figure.
"""

from __future__ import annotations

import math

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, PathPatch, Polygon
from matplotlib.path import Path
from matplotlib.text import Text

from sim.log.trajectory import Trajectory
from sim.rows.status import Status
from sim.show.labels import as_typed
from sim.show.loops import PartShape
from sim.show.obstacle_names import NamePainter
from sim.show.picture_options import PLAIN, PictureOptions
from sim.show.replay.draw_held import HeldPainter
from sim.show.replay.draw_obstacles import BELT, MOVING_FACE, OBSTACLE_EDGE, OBSTACLE_FACE, ObstaclePainter
from sim.show.replay.frames import FrameState, compute_state, find_recent_impacts, keep_seen, read_state
from sim.show.replay.view import choose_unit, compute_view
from sim.show.ticks import show_all_digits
from sim.tolerances import DRAWN_FORCE, WHOLE_NUMBER

PART_FACE, PART_EDGE = "#9ECAE9", "#0B4F7D"
NORMAL_FORCE, FRICTION_FORCE, CONE = "#D55E00", "#007A5A", "#E6B422"
NOT_UNIQUE, TEXT, FAINT, TRACE = "#B0508A", "#2B2B2B", "#77736B", "#0072B2"

ARROW_PART, ARROW_VIEW = 1.1, 0.30  # longest arrow, in part sizes and in heights of the view: the smaller counts
CUT_LENGTH = 2.0  # arrows are cut at this multiple of that length
FLASH = 0.02  # an impact is shown for this share of the run
MAX_LETTERS = 24
FORCE_UNITS = ((1e6, 1e-6, "MN"), (1e3, 1e-3, "kN"), (0.1, 1.0, "N"), (1e-4, 1e3, "mN"), (0.0, 1e6, "µN"))
KIND_TEXT = {
    "none": "no acceleration satisfies the contact laws",
    "several": "motion not unique: several accelerations are possible",
    "continuum": "motion not unique: a continuum of accelerations is possible",
}


class FramePainter:
    """Draws a trajectory onto axes; `paint(time)` or `paint_row(i)` moves the same artists to another instant."""

    def __init__(self, axes: Axes, trajectory: Trajectory, trace: bool = True, options: PictureOptions = PLAIN):
        self.axes = axes
        self.trajectory = trajectory
        box = axes.get_window_extent()
        self.view = compute_view(trajectory, box.width / box.height, options)
        self.length = min(ARROW_PART * self.view.part_size, ARROW_VIEW * 2.0 * self.view.half[1])
        self.force_scale = compute_force_scale(trajectory)
        self._flash = FLASH * float(trajectory.time[-1] - trajectory.time[0])
        self._prepare_axes()
        self._add_artists(trace)
        self._names = NamePainter(axes, trajectory.record.obstacles if options.names else (), self.view.factor)

    def paint(self, time: float) -> FrameState:
        """Show the trajectory at a time."""
        state = compute_state(self.trajectory, time)
        self.show(state)
        return state

    def paint_row(self, index: int) -> FrameState:
        """Show one row, exactly as logged."""
        state = read_state(self.trajectory, index)
        self.show(state)
        return state

    def show(self, state: FrameState) -> None:
        """Move all artists to the state."""
        self._show_bodies(state)
        self._show_contacts(state)
        self._show_letters(state)
        note, colour = describe_state(self.trajectory, state)
        self._note.set_text(note)
        self._note.set_visible(bool(note))
        self._note.get_bbox_patch().set_edgecolor(colour)
        self._note.set_color(colour)

    def moving_artists(self) -> list[Artist]:
        """The artists that change from picture to picture, in the order in which they are drawn."""
        artists = [*self._obstacles.moving_artists(), *self._held.moving_artists(), *self._names.moving_artists(),
                   self._trace, self._part, self._cones, self._centre,
                   self._normal, self._friction, self._points, self._impacts,
                   *self._letters, *self._infinite, self._note]  # fmt: skip
        return sorted(artists, key=lambda artist: artist.get_zorder())

    def legend_entries(self) -> list:
        """Handles with labels for a legend."""
        entries = [
            Patch(facecolor=PART_FACE, edgecolor=PART_EDGE,
                  label=as_typed(self.trajectory.record.workpiece.name or "part")),
            *list_obstacle_entries(self.trajectory.record.obstacles),
            Line2D([], [], color=TRACE, linewidth=1.0, linestyle=(0, (4, 2)), label="path of the centre of mass"),
            Patch(facecolor=NORMAL_FORCE, label="normal force"),
            Patch(facecolor=FRICTION_FORCE, label="friction"),
            Patch(facecolor=CONE, alpha=0.45, edgecolor=CONE, label="friction cone"),
            *self._held.legend_entries(),
        ]
        if len(self.trajectory.impulses):
            ring = {"linestyle": "", "marker": "o", "fillstyle": "none"}
            entries.append(Line2D([], [], color=NORMAL_FORCE, label="impact", **ring))
        if len(self.trajectory.not_unique):
            entries.append(Patch(facecolor=NOT_UNIQUE, alpha=0.45, label="motion not unique"))
        return entries

    def _prepare_axes(self) -> None:
        axes, view = self.axes, self.view
        axes.set_aspect("equal", adjustable="datalim")
        axes.set_facecolor("white")
        axes.set_xlabel(f"x ({view.unit})", color=FAINT, fontsize=9)
        axes.set_ylabel(f"y ({view.unit})", color=FAINT, fontsize=9)
        axes.tick_params(colors=FAINT, labelsize=8, length=3)
        for spine in axes.spines.values():
            spine.set_color("#C9C5BC")
        self._set_limits(self.trajectory.pose[0])
        show_all_digits(axes)

    def _set_limits(self, pose: np.ndarray) -> None:
        low, high = self.view.limits(pose)
        self.axes.set_xlim(low[0] * self.view.factor, high[0] * self.view.factor)
        self.axes.set_ylim(low[1] * self.view.factor, high[1] * self.view.factor)

    def _add_artists(self, trace: bool) -> None:
        axes = self.axes
        self._obstacles = ObstaclePainter(axes, self.trajectory.record.obstacles, self.view.factor)
        self._held = HeldPainter(axes, self.trajectory, self.view.factor, 2.0 * float(self.view.half[1]))
        self._cones = PolyCollection([], facecolor=CONE, edgecolor=CONE, alpha=0.30, linewidth=1.0, zorder=4)
        self._normal = PolyCollection([], facecolor=NORMAL_FORCE, edgecolor="white", linewidth=0.4, zorder=6)
        self._friction = PolyCollection([], facecolor=FRICTION_FORCE, edgecolor="white", linewidth=0.4, zorder=7)
        for collection in (self._cones, self._normal, self._friction):
            axes.add_collection(collection, autolim=False)
        self._shape = PartShape(self.trajectory.record.workpiece.outline, self.view.chord_tolerance)
        self._part = PathPatch(Path(np.zeros((1, 2))), facecolor=PART_FACE, edgecolor=PART_EDGE, linewidth=1.4,
                               joinstyle="round", alpha=0.85, zorder=3)  # fmt: skip
        axes.add_patch(self._part)
        self._trace = Line2D([], [], color=TRACE, linewidth=1.0, linestyle=(0, (4, 2)), alpha=0.9, zorder=3.5)
        self._centre = Line2D([], [], color=PART_EDGE, marker="+", markersize=7, markeredgewidth=1.2, zorder=5)
        self._points = Line2D([], [], color=TEXT, linestyle="", marker="o", markersize=4.5, markeredgecolor="white",
                              markeredgewidth=0.7, zorder=8)  # fmt: skip
        self._impacts = Line2D([], [], color=NORMAL_FORCE, linestyle="", marker="o", markersize=15, fillstyle="none",
                               markeredgewidth=2.0, zorder=10)  # fmt: skip
        for line in (self._trace, self._centre, self._points, self._impacts):
            axes.add_line(line)
        self._trace.set_visible(trace)
        self._letters = [self._add_letter() for _ in range(find_most_letters(self.trajectory))]
        count = min(int(np.sum(~np.isfinite(self.trajectory.contacts["fn"]))), MAX_LETTERS)
        self._infinite = [axes.text(0, 0, "∞", fontsize=14, fontweight="bold", color=NORMAL_FORCE, ha="center",
                                    va="center", zorder=9, clip_on=True, visible=False)
                          for _ in range(count)]  # fmt: skip
        self._note = axes.text(0.5, 0.965, "", transform=axes.transAxes, ha="center", va="top", fontsize=9.5,
                               fontweight="bold", zorder=12,
                               bbox={"boxstyle": "round,pad=0.35", "facecolor": "white"})  # fmt: skip
        self._add_force_key()

    def _add_force_key(self) -> None:
        """An arrow of a round force at the lower left, so that arrows can be read."""
        if self.force_scale == 0.0:
            return
        axes, view = self.axes, self.view
        force = round_down(self.force_scale * 0.6)
        share = force / self.force_scale * self.length / (2.0 * view.half[0])  # of the width of the axes
        ratio = view.half[0] / view.half[1]
        shape = build_arrow(np.zeros(2), np.array([share, 0.0]), self.length / (2.0 * view.half[0]))
        shape = shape * np.array([1.0, ratio]) + np.array([0.02, 0.055])
        axes.add_patch(Polygon(shape, closed=True, facecolor=FAINT, edgecolor="white", linewidth=0.4,
                               transform=axes.transAxes, zorder=11))  # fmt: skip
        largest = np.max(measure_forces(self.trajectory.contacts))
        text = format_force(force) + (" (longer arrows cut)" if largest > CUT_LENGTH * self.force_scale else "")
        axes.text(0.02 + share + 0.01, 0.055, text, transform=axes.transAxes, va="center",
                  color=TEXT, fontsize=9, zorder=11)  # fmt: skip

    def _show_bodies(self, state: FrameState) -> None:
        view, factor = self.view, self.view.factor
        window = view.limits(state.pose)
        self._obstacles.show(state.time, *window)
        self._names.show(state.time, *window)
        if view.follows:
            self._set_limits(state.pose)
        self._part.set_path(self._shape.place(state.pose, factor, window))
        self._centre.set_data([state.pose[0] * factor], [state.pose[1] * factor])
        self._held.show(state.index, state.time, state.pose, self._build_force)
        if self._trace.get_visible():
            rows = find_trace_rows(state.index)
            path = np.concatenate((self.trajectory.pose[rows, :2], state.pose[None, :2])) * factor
            self._trace.set_data(path[:, 0], path[:, 1])

    def _show_contacts(self, state: FrameState) -> None:
        factor = self.view.factor
        state = keep_seen(state, *self.view.limits(state.pose))
        mu = [self.trajectory.record.obstacles[index].mu for index in state.obstacles]
        cones = [
            build_cone(point, normal, each, 0.75 * self.length)
            for point, normal, each in zip(state.points, state.normals, mu, strict=True)
            if each > 0.0
        ]
        self._cones.set_verts([cone * factor for cone in cones])
        for collection, forces in ((self._normal, state.normal_forces), (self._friction, state.friction_forces)):
            arrows = [
                build_arrow(point, self._scale_force(force), self.length) * factor
                for point, force in zip(state.points, forces, strict=True)
                if self.force_scale > 0.0 and np.hypot(*force) > DRAWN_FORCE * self.force_scale
            ]
            if collection is self._normal:
                arrows += [build_arrow(point, self.length * normal, self.length) * factor
                           for point, normal in zip(state.points[state.unbounded], state.normals[state.unbounded],
                                                    strict=True)]  # fmt: skip
            collection.set_verts(arrows)
        self._show_infinite(state)
        self._points.set_data(*(state.points.T * factor))
        impacts = find_recent_impacts(self.trajectory, state.time, self._flash)
        self._impacts.set_data(*(impacts.T * factor))

    def _show_infinite(self, state: FrameState) -> None:
        """The sign of infinity beside the arrow of a force without bound."""
        aside = np.column_stack((-state.normals[:, 1], state.normals[:, 0]))
        places = state.points + self.length * (0.5 * state.normals + 0.17 * aside)
        places = places[state.unbounded] * self.view.factor
        for k, text in enumerate(self._infinite):
            text.set_visible(k < len(places))
            if k < len(places):
                text.set_position(places[k])

    def _build_force(self, point: np.ndarray, force: np.ndarray) -> np.ndarray | None:
        """An arrow for a force at a point, None where it is too small."""
        if not np.hypot(*force) > DRAWN_FORCE * self.force_scale > 0.0:
            return None
        return build_arrow(point, self._scale_force(force), self.length)

    def _scale_force(self, force: np.ndarray) -> np.ndarray:
        vector = force * (self.length / self.force_scale)
        return vector * min(1.0, CUT_LENGTH * self.length / np.hypot(*vector))

    def _add_letter(self) -> Text:
        box = {"boxstyle": "circle,pad=0.18", "facecolor": "white", "edgecolor": "#B8B3A8", "linewidth": 0.7}
        return self.axes.text(0, 0, "", fontsize=9, fontweight="bold", family="DejaVu Sans Mono", color=TEXT, bbox=box,
                              ha="center", va="center", zorder=9, clip_on=True)  # fmt: skip

    def _show_letters(self, state: FrameState) -> None:
        state = keep_seen(state, *self.view.limits(state.pose))
        count = min(len(state.letters), MAX_LETTERS)
        places = (state.points - 0.032 * 2.0 * self.view.half[1] * state.normals) * self.view.factor
        for k, text in enumerate(self._letters):
            text.set_visible(k < count)
            if k < count:
                text.set_text(state.letters[k])
                text.set_position(places[k])


def draw_frame(axes: Axes, trajectory: Trajectory, index: int) -> FramePainter:
    """Draw row `index` of a trajectory onto axes. The painter that is returned can move on to other rows or times."""
    painter = FramePainter(axes, trajectory)
    painter.paint_row(index)
    return painter


def describe_state(trajectory: Trajectory, state: FrameState) -> tuple[str, str]:
    """What must be said about an instant, and its colour: not unique, no solution, or why the run ended here."""
    ended = state.index == len(trajectory) - 1
    if ended and trajectory.status not in (Status.COMPLETED, Status.RUNNING):
        return f"{trajectory.status}: the run ends here", NORMAL_FORCE
    if ended and trajectory.status is Status.RUNNING:
        return "the log ends here: the run was not complete", NORMAL_FORCE
    return KIND_TEXT.get(state.set_kind, ""), NORMAL_FORCE if state.set_kind == "none" else NOT_UNIQUE


def measure_forces(contacts: np.ndarray) -> np.ndarray:
    """The sizes [N] of the contact forces that have a bound."""
    force = np.hypot(contacts["fn"], contacts["ft"])
    return force[np.isfinite(force)]


def list_obstacle_entries(obstacles) -> list[Patch]:
    """Handles with labels for a legend: of obstacles that are fixed, that move, whose surface runs."""
    entries = []
    if any(body.motion is None for body in obstacles) or not obstacles:
        entries.append(Patch(facecolor=OBSTACLE_FACE, edgecolor=OBSTACLE_EDGE, label="fixed"))
    if any(body.motion is not None for body in obstacles):
        entries.append(Patch(facecolor=MOVING_FACE, edgecolor=OBSTACLE_EDGE, label="moves"))
    if any(body.surface_speed for body in obstacles):
        entries.append(Patch(facecolor=BELT, label="surface runs"))
    return entries


def compute_force_scale(trajectory: Trajectory) -> float:
    """The force that the longest regular arrow stands for: exceeded by at most 2 % of the logged contact forces."""
    force = measure_forces(trajectory.contacts)
    force = force[force > 0.0]
    return float(np.quantile(force, 0.98)) if len(force) else 0.0


def find_most_letters(trajectory: Trajectory) -> int:
    """The largest number of letters in one picture."""
    return min(int(np.max(trajectory.steps["n_contacts"])), MAX_LETTERS)


def build_arrow(start: np.ndarray, vector: np.ndarray, length: float) -> np.ndarray:
    """(7, 2): outline of an arrow; widths follow `length`, the longest arrow, and shrink for short ones."""
    size = math.hypot(vector[0], vector[1])
    if size == 0.0:
        return np.repeat(start[None, :], 7, axis=0)
    along = vector / size
    across = np.array([-along[1], along[0]])
    head = min(0.20 * length, 0.6 * size)
    shaft, wing, neck = 0.022 * length * min(1.0, size / (0.25 * length)), 0.36 * head, size - head
    forward = np.array([0.0, neck, neck, size, neck, neck, 0.0])
    sideways = np.array([shaft, shaft, wing, 0.0, -wing, -shaft, -shaft])
    return start + forward[:, None] * along + sideways[:, None] * across


def build_cone(point: np.ndarray, normal: np.ndarray, mu: float, length: float) -> np.ndarray:
    """(n, 2): the friction cone as a sector about the normal with half-angle atan(mu)."""
    half, middle = math.atan(mu), math.atan2(normal[1], normal[0])
    angles = np.linspace(middle - half, middle + half, 25)
    arc = point + length * np.column_stack((np.cos(angles), np.sin(angles)))
    return np.concatenate((point[None, :], arc))


def find_trace_rows(index: int, most: int = 600) -> np.ndarray:
    """Rows 0 to `index`, thinned to about `most`; a row that is shown once stays, so that the line does not flicker."""
    stride = 1
    while index // stride > most:
        stride *= 2
    return np.append(np.arange(0, index, stride), index)


def round_down(value: float) -> float:
    """The largest of 1, 2, 5 times a power of ten that is not above `value`."""
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (5.0, 2.0, 1.0) if step * power <= value * (1.0 + WHOLE_NUMBER))


def format_force(force: float) -> str:
    """A force with a unit in which it reads well."""
    factor, unit = choose_unit(force, FORCE_UNITS)
    return f"{force * factor:g} {unit}"

