"""Draw wrench cones onto matplotlib axes: generators as lines of force, pure moments as arcs, sections of cones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Arc, PathPatch, Polygon

from dynamics.cones.contact_set import ContactSet
from dynamics.cones.polyhedral import Cone
from dynamics.cones.wrench import Region
from sim.show.loops import PartShape, cut_half_plane, cut_loops, find_chord_tolerance, join_loops, trace_loops
from sim.show.replay.painter import (
    CONE,
    FAINT,
    FRICTION_FORCE,
    NORMAL_FORCE,
    OBSTACLE_EDGE,
    OBSTACLE_FACE,
    PART_EDGE,
    PART_FACE,
    TEXT,
    TRACE,
    build_arrow,
    build_cone,
)
from sim.tolerances import MEETS_PLANE, PURE_MOMENT, SECTION_ZERO, SLIT

if TYPE_CHECKING:
    from sim.scene.build_outline import AnyOutline

MODE_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#E6B422", "#B0508A", "#56B4E9", "#8C6D31", "#5B5B9E", "#A6CE39",
                "#C7776E", "#4B8B8B", "#9A9A9A")  # fmt: skip
LETTER_ROOM = (0.015, 0.03)  # share of the axes that a letter of a mode needs


@dataclass(frozen=True)
class Scenery:
    """What stands around the contacts, relative to the centre of mass, m."""

    part: AnyOutline
    obstacles: tuple[AnyOutline, ...] = ()

    @property
    def size(self) -> float:
        """Largest distance of the part's outline from its centre of mass, m."""
        return self.part.reach


# ---- the part, its contacts, lines of force --------------------------------------------------------------------------


def draw_scenery(axes: Axes, scenery: Scenery, contacts: ContactSet) -> None:
    """The part, what stands around it, contacts with numbers and friction cones; near places are hollow."""
    size = scenery.size
    low, high = scenery.part.bounds + np.array([[-0.75 * size], [0.75 * size]])
    tolerance = find_chord_tolerance(high - low)
    for outline in scenery.obstacles:
        seen = cut_loops(trace_loops(outline, tolerance, low - size, high + size), low - size, high + size)
        if seen:
            axes.add_patch(PathPatch(join_loops(seen), facecolor=OBSTACLE_FACE, edgecolor=OBSTACLE_EDGE, linewidth=1.0,
                                     zorder=1))
    part = PartShape(scenery.part, tolerance).place(np.zeros(3), 1.0)
    axes.add_patch(PathPatch(part, facecolor=PART_FACE, edgecolor=PART_EDGE, linewidth=1.4, alpha=0.8, zorder=2))
    axes.plot([0.0], [0.0], color=PART_EDGE, marker="+", markersize=8, markeredgewidth=1.3, zorder=5)
    for i in range(len(contacts)):
        point, normal, closed = contacts.points[i], contacts.normals[i], contacts.closed[i]
        if closed and contacts.mu[i] > 0.0:
            shape = build_cone(point, normal, contacts.mu[i], 0.42 * size)
            axes.add_patch(Polygon(shape, facecolor=CONE, edgecolor=CONE, alpha=0.4, zorder=3))
        axes.plot(*point, marker="o", markersize=5, color=TEXT, zorder=8,
                  markerfacecolor=TEXT if closed else "white")  # fmt: skip
        axes.annotate(str(i), point - 0.16 * size * normal, ha="center", va="center", fontsize=8, color=TEXT, zorder=9)
    axes.set_xlim(low[0], high[0])
    axes.set_ylim(low[1], high[1])
    axes.set_aspect("equal")
    axes.axis("off")


def draw_generators(axes: Axes, scenery: Scenery, contacts: ContactSet, cone: Cone) -> None:
    """The extreme rays of a cone as directed lines of force, lines both ways, pure moments as arcs about the centre."""
    radius = 0.3
    rows = [*((row, False) for row in cone.rays), *((row, True) for row in cone.lines)]
    for number, (wrench, both) in enumerate(rows, start=1):
        name = f"$g_{{{number}}}$"
        if np.hypot(wrench[0], wrench[1]) <= PURE_MOMENT:
            for sign in (1.0, -1.0) if both else (1.0,):
                _draw_arc(axes, scenery.size * radius, float(sign * wrench[2]), name if sign < 0.0 or not both else "",
                          scenery.size)  # fmt: skip
                radius += 0.12
        else:
            _draw_line_of_force(axes, scenery, wrench * [1.0, 1.0, contacts.rho], both, name)


def _draw_line_of_force(axes: Axes, scenery: Scenery, wrench, both: bool, name: str) -> None:
    """A thin line through the picture, and an arrow on it that starts at its point nearest to the centre of mass."""
    along = wrench[:2] / np.hypot(*wrench[:2])
    foot = wrench[2] / np.dot(wrench[:2], wrench[:2]) * np.array([wrench[1], -wrench[0]])
    size = scenery.size
    axes.axline(foot, foot + along, color=NORMAL_FORCE, linewidth=0.8, linestyle=(0, (5, 3)), zorder=4)
    starts = ((foot, along), (foot, -along)) if both else ((foot - 0.35 * size * along, along),)
    low, high = np.array([axes.get_xlim(), axes.get_ylim()]).T
    for start, way in starts:
        start = _pull_inside(start, way, 0.7 * size, low, high)
        axes.add_patch(Polygon(build_arrow(start, 0.7 * size * way, 0.9 * size), facecolor=NORMAL_FORCE,
                               edgecolor="white", linewidth=0.5, zorder=6))  # fmt: skip
        tip = start + 0.7 * size * way + 0.1 * size * np.array([-way[1], way[0]])
        if way is along:
            axes.annotate(name, tip, color=NORMAL_FORCE, fontsize=10, ha="center", va="center", zorder=9,
                          annotation_clip=True)  # fmt: skip


def _pull_inside(start, way, length, low, high):
    """Move an arrow along its line so that it lies in the window, if the line does."""
    middle = start + 0.5 * length * way
    room = np.array([0.06, 0.06]) * (high - low) + 0.5 * length * np.abs(way)
    shift = np.clip(middle, low + room, high - room) - middle
    return start + np.dot(shift, way) * way


def _draw_arc(axes: Axes, radius: float, moment: float, name: str, scale: float) -> None:
    """An arrow around the centre of mass, counter-clockwise for a positive moment."""
    first, last = (20.0, 300.0) if moment > 0.0 else (240.0, 520.0)
    axes.add_patch(Arc((0.0, 0.0), 2 * radius, 2 * radius, theta1=first, theta2=last, color=FRICTION_FORCE,
                       linewidth=2.0, zorder=6))  # fmt: skip
    end = np.radians(last if moment > 0.0 else first)
    tip = radius * np.array([np.cos(end), np.sin(end)])
    way = np.array([-np.sin(end), np.cos(end)]) * (1.0 if moment > 0.0 else -1.0)
    across = np.array([-way[1], way[0]])
    head = tip + 0.075 * scale * np.array([-0.2 * way + 0.7 * across, 1.6 * way, -0.2 * way - 0.7 * across])
    axes.add_patch(Polygon(head, facecolor=FRICTION_FORCE, edgecolor="white", linewidth=0.4, zorder=7))
    place = (radius + 0.1 * scale) * np.array([np.cos(0.7), -np.sin(0.7)])
    axes.annotate(name, place, color=FRICTION_FORCE, fontsize=10, ha="center", va="center", zorder=9)


# ---- sections --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Plane:
    """The plane sign * w[axis] = 1 through wrenches (Fx, Fy, torque / rho), and the other two axes."""

    axis: int
    sign: float

    @property
    def others(self) -> tuple[int, int]:
        return tuple(i for i in range(3) if i != self.axis)

    @property
    def labels(self) -> tuple[str, str]:
        """Names of the two axes."""
        names = ("F_x", "F_y", r"\tau / \rho")
        minus = "-" if self.sign < 0.0 else ""
        below = rf"({minus}{names[self.axis]})" if self.axis == 2 or minus else names[self.axis]
        return tuple(f"${names[i]} / {below}$" for i in self.others)

    def place(self, wrench) -> np.ndarray:
        """(2,): where a wrench meets the plane; its own component must be positive."""
        wrench = np.asarray(wrench, float)
        return wrench[list(self.others)] / (self.sign * wrench[self.axis])


def choose_plane(region: Region, load) -> Plane:
    """The plane that most rays meet; where the load is one of the region, among those that show the load well."""
    rays = np.vstack([np.zeros((0, 3)), *(cone.generators for cone in region.cones)])
    planes = [Plane(axis, sign) for axis, sign in ((1, -1.0), (1, 1.0), (0, 1.0), (0, -1.0), (2, 1.0), (2, -1.0))]
    if np.any(load) and region.contains(load):
        planes = [plane for plane in planes if plane.sign * load[plane.axis] > 0.5 * np.max(np.abs(load))]
    return max(planes, key=lambda plane: int((plane.sign * rays[:, plane.axis] > MEETS_PLANE).sum()))


def choose_window(region: Region, plane: Plane, load) -> tuple[np.ndarray, np.ndarray]:
    """Lower left and upper right corner that show the corners of the sections, without those that lie far out."""
    rays = np.vstack([np.zeros((0, 3)), *(cone.rays for cone in region.cones)])
    met = rays[plane.sign * rays[:, plane.axis] > 0.02]
    points = np.array([plane.place(ray) for ray in met] + [np.zeros(2)])
    far = np.quantile(np.abs(points), 0.9, axis=0)
    points = np.clip(points, -1.5 * far - SECTION_ZERO, 1.5 * far + SECTION_ZERO)
    if plane.sign * load[plane.axis] > 0.0:
        points = np.vstack([points, plane.place(load)])
    low, high = points.min(axis=0), points.max(axis=0)
    room = 0.25 * np.maximum(high - low, 0.5 * np.max(high - low)) + 1e-3
    return low - room, high + room


def compute_clipped_section(cone: Cone, plane: Plane, low, high) -> np.ndarray:
    """(n, 2): the section of the closure of a cone with a plane, cut to a window; n = 0 if nothing is seen."""
    polygon = np.array([low, (high[0], low[1]), high, (low[0], high[1])], dtype=np.float64)
    rows = [(row, 0.0) for row in cone.faces]
    rows += [(sign * row, SLIT) for row in cone.equations for sign in (1.0, -1.0)]
    for row, room in rows:
        normal, offset = row[list(plane.others)], plane.sign * row[plane.axis] - room
        size = float(np.hypot(*normal))
        if size < SECTION_ZERO:
            if offset > 0.0:
                return np.zeros((0, 2))
            continue
        # turn the half-plane normal.p + offset <= 0 so that its border is an axis, cut, and turn back
        turn = np.array([normal, (-normal[1], normal[0])]) / size
        polygon = cut_half_plane(polygon @ turn.T, 0, -1.0, -offset / size) @ turn
    return polygon


def draw_sections(axes: Axes, region: Region, plane: Plane, load, label_modes: bool) -> None:
    """The sections of all cones of a region with a plane; borders that do not belong to a cone are dashed."""
    low, high = choose_window(region, plane, load)
    for number, (mode, cone) in enumerate(zip(region.modes, region.cones, strict=True)):
        section = compute_clipped_section(cone, plane, low, high)
        colour = MODE_COLOURS[number % len(MODE_COLOURS)] if label_modes else CONE
        if len(section) < 3:
            continue
        axes.add_patch(Polygon(section, facecolor=colour, alpha=0.35, edgecolor="none", zorder=2))
        _draw_borders(axes, section, cone, plane, colour if label_modes else NORMAL_FORCE)
        room = np.ptp(section, axis=0) / (high - low)
        if label_modes and room[0] > LETTER_ROOM[0] * len(mode) and room[1] > LETTER_ROOM[1]:
            axes.annotate(mode, _find_middle(section), ha="center", va="center", fontsize=8, color=TEXT, zorder=6,
                          family="DejaVu Sans Mono")  # fmt: skip
    if plane.sign * load[plane.axis] > 0.0:
        axes.plot(*plane.place(load), marker="*", markersize=11, color=TRACE, markeredgecolor="white", zorder=7,
                  linestyle="", label="load of the scene")  # fmt: skip
        axes.legend(loc="upper right", fontsize=8, frameon=True, framealpha=0.85, edgecolor="none")
    axes.axhline(0.0, color="#C9C5BC", linewidth=0.7, zorder=1)
    axes.axvline(0.0, color="#C9C5BC", linewidth=0.7, zorder=1)
    axes.set_xlim(low[0], high[0])
    axes.set_ylim(low[1], high[1])
    axes.set_xlabel(plane.labels[0], color=FAINT)
    axes.set_ylabel(plane.labels[1], color=FAINT)
    axes.tick_params(colors=FAINT, labelsize=8, length=3)


def _draw_borders(axes: Axes, section, cone: Cone, plane: Plane, colour) -> None:
    """Sides of a section that are sides of the cone, solid if they belong to it; sides of the window are left out."""
    rows, strict = [*cone.faces, *cone.equations], [*cone.face_is_strict, *(False for _ in cone.equations)]
    others = list(plane.others)
    for start, end in zip(section, np.roll(section, -1, axis=0), strict=True):
        for row, dashed in zip(rows, strict, strict=True):
            value = [row[others] @ point + plane.sign * row[plane.axis] for point in (start, end)]
            if np.abs(value).max() <= 10.0 * SLIT * (1.0 + np.abs(section).max()):
                axes.plot(*zip(start, end, strict=True), color=colour, linewidth=1.6, zorder=4,
                          linestyle=(0, (3, 2)) if dashed else "-")  # fmt: skip
                break


def _find_middle(polygon) -> np.ndarray:
    """Centroid; the mean of the corners of a polygon without area."""
    x, y = polygon.T
    following = np.roll(polygon, -1, axis=0)
    cross = x * following[:, 1] - y * following[:, 0]
    if abs(cross.sum()) < SECTION_ZERO:
        return polygon.mean(axis=0)
    return ((polygon + following) * cross[:, None]).sum(axis=0) / (3.0 * cross.sum())
