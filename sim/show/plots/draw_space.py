"""Draw configuration space onto matplotlib axes: in space, in the plane of one cone, and along the line F_A + c t_c.

Generalized forces are (Fx, Fy, torque / rho); in space Fy points up, as in the world beside it.
"""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator
from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection

from sim.show.plots.cone_space import ConeSpace
from sim.show.replay.painter import FAINT, FORCE_UNITS, TEXT
from sim.show.replay.view import choose_unit
from sim.tolerances import BETTER_VIEW

CONTACTS = ("#E69F00", "#56B4E9", "#009E73", "#CC79A7", "#0072B2", "#8C564B")
LOAD, ANSWER, LINE, SUM = "#1A1A1A", "#C8102E", "#6A3D9A", "#7F7F7F"
ORDER = [0, 2, 1]  # (Fx, Fy, tau/rho) to the axes of the drawing
FLATTEST = 0.62  # an axis is at least this share of the longest
AZIMUTHS, ELEVATIONS = range(-170, 181, 10), (14, 22, 30, 40)
DOT = {"boxstyle": "circle,pad=0.15", "facecolor": ANSWER, "edgecolor": "white", "linewidth": 0.8}


def get_colour(index: int) -> str:
    """The colour of a contact, the same in all parts of the picture."""
    return CONTACTS[index % len(CONTACTS)]


class SpacePainter:
    """Draws a `ConeSpace` onto 3-D axes, seen from where its points lie farthest apart."""

    def __init__(self, axes, space: ConeSpace):
        self.axes, self.space = axes, space
        self.factor, self.unit = choose_unit(space.size, FORCE_UNITS)
        ends = [answer.vertices[0] + 0.8 * space.size * ray for answer in space.answers for ray in answer.rays]
        self.points = np.vstack([np.zeros((1, 3)), space.minus_load[None], space.tips.reshape(-1, 3),
                                 *(answer.vertices for answer in space.answers), *(end[None] for end in ends)])
        self._prepare_axes()
        self._draw_cones()
        self._draw_line()
        self._draw_projections()
        self._draw_points()

    def legend_entries(self) -> list:
        """Handles with labels of what was drawn."""
        space = self.space
        count = len(space.edges)
        entries = [Patch(facecolor=get_colour(i), alpha=0.5, label=f"cone of contact {i}")
                   for i in range(count if count <= 3 else 0)]
        if count > 3:
            entries.append(Patch(facecolor=get_colour(0), alpha=0.5, label="cones, coloured as at the left"))
        if not space.acts.all():
            entries.append(Line2D([], [], color=FAINT, linestyle=":", label="edge that cannot act (slip)"))
        total = "sum of the cones" if space.acts.all() else "sum of the edges that can act"
        if len(space.facets):
            entries.append(Line2D([], [], color=SUM, linestyle="--", label=total))
        elif space.fills_space:
            entries.append(Line2D([], [], linestyle="", label=f"{total}: all of space"))
        entries.append(Line2D([], [], color=LOAD, marker="s", linestyle="", label="$-F_A$"))
        if space.line is not None:
            entries.append(Line2D([], [], color=LINE, label="line $F_R(c) = -F_A - mh' + c\\,t_c$"))
            entries.append(Line2D([], [], color=LINE, linewidth=5, alpha=0.6, label="its legal pieces"))
        if space.answers:
            entries.append(Line2D([], [], color=ANSWER, marker="o", linestyle="", label="each solution $F_R$"))
            entries.append(Line2D([], [], color=ANSWER, linestyle="--", label="projection: $-F_A$ to $F_R$ is $m\\,a$"))
        return entries

    def _prepare_axes(self) -> None:
        axes = self.axes
        low, high = self.points.min(axis=0) * self.factor, self.points.max(axis=0) * self.factor
        longest = float((high - low).max()) or self.space.size * self.factor
        span = np.maximum(high - low, FLATTEST * longest) * 1.12
        middle = 0.5 * (low + high)
        self.low, self.high = (middle - 0.5 * span)[ORDER], (middle + 0.5 * span)[ORDER]
        for name, a, b in zip("xyz", self.low, self.high, strict=True):
            getattr(axes, f"set_{name}lim")(a, b)
            getattr(axes, f"{name}axis").set_major_locator(MaxNLocator(4))
            getattr(axes, f"{name}axis").set_pane_color((0.97, 0.97, 0.96, 1.0))
        axes.set_box_aspect(span[ORDER], zoom=1.02)
        axes.set_proj_type("ortho")
        axes.tick_params(colors=FAINT, labelsize=7.5, pad=0)
        names = (f"$F_x$ ({self.unit})", f"$\\tau/\\rho$ ({self.unit})", f"$F_y$ ({self.unit})")
        for name, label in zip("xyz", names, strict=True):
            getattr(axes, f"set_{name}label")(label, color=TEXT, fontsize=9.5, labelpad=1.0)
        elevation, azimuth = choose_view(self.space, self.points)
        axes.view_init(elev=elevation, azim=azimuth)
        self.view = project_view(elevation, azimuth)

    def _place(self, points) -> np.ndarray:
        return np.asarray(points)[..., ORDER] * self.factor

    def _plot(self, points, **style) -> None:
        x, y, z = np.atleast_2d(self._place(points)).T
        self.axes.plot(x, y, z, **style)

    def _draw_cones(self) -> None:
        space, axes = self.space, self.axes
        for i, pair in enumerate(space.tips):
            sheet = self._place([np.zeros(3), pair[0], pair[1]])
            weight = 0.38 if space.acts[i].all() else 0.16
            axes.add_collection3d(Poly3DCollection([sheet], facecolor=get_colour(i), alpha=weight, edgecolor="none"))
            for tip, acts in zip(pair, space.acts[i], strict=True):
                style = {"linewidth": 2.2} if acts else {"linewidth": 1.1, "linestyle": ":"}
                self._plot([np.zeros(3), tip], color=get_colour(i), **style)
        if len(space.facets):
            apex = np.zeros((len(space.facets), 1, 3))
            faces = self._place(np.concatenate([apex, space.facets], axis=1))
            axes.add_collection3d(Poly3DCollection(list(faces), facecolor=SUM, alpha=0.08, edgecolor="none"))
            axes.add_collection3d(Line3DCollection(list(self._place(space.facets)), colors=SUM, linestyles="--",
                                                   linewidths=1.1))

    def _draw_line(self) -> None:
        line = self.space.line
        if line is None:
            return
        c = (self.points - line.point) @ line.direction
        low, high = c.min() - 0.1 * np.ptp(c), c.max() + 0.1 * np.ptp(c)
        self._plot(line.point + np.outer([low, high], line.direction), color=LINE, linewidth=1.1)
        for a, b in line.legal:
            a, b = max(a, low), min(b, high)
            if b > a:
                self._plot(line.point + np.outer([a, b], line.direction), color=LINE, linewidth=6.0, alpha=0.6,
                           solid_capstyle="round")
            else:
                self._plot(line.point + a * line.direction, color=LINE, marker="o", markersize=13, alpha=0.45,
                           markeredgewidth=0.0)

    def _draw_projections(self) -> None:
        """From -F_A to each reaction; with one contact first along t_r into the plane of its cone, then within it."""
        space = self.space
        for answer in space.answers:
            for vertex in answer.vertices:
                path = [space.minus_load, vertex]
                if len(space.edges) == 1:
                    path.insert(1, project_onto_plane(space.edges[0], space.minus_load))
                self._plot(path, color=ANSWER, linewidth=1.2, linestyle=(0, (4, 3)))

    def _draw_points(self) -> None:
        space, axes = self.space, self.axes
        self._plot(space.minus_load, color=LOAD, marker="s", markersize=6.5, linestyle="")
        x, y, z = self._place(space.minus_load)
        aside = (np.array([vertex for answer in space.answers for vertex in answer.vertices]).reshape(-1, 3)
                 - space.minus_load) @ self.view[0]
        side = "right" if (aside > 0.0).sum() > (aside < 0.0).sum() else "left"
        axes.text(x, y, z, "  $-F_A$  ", color=LOAD, fontsize=10, va="bottom", ha=side, zorder=20)
        for answer in space.answers:
            corners = [*answer.vertices, *(answer.vertices[0] + 0.8 * space.size * ray for ray in answer.rays)]
            if answer.dimension == 1:
                self._plot(corners[:2], color=ANSWER, linewidth=3.2)
            elif answer.dimension == 2:
                polygon = order_corners(np.array(corners))
                axes.add_collection3d(Poly3DCollection([self._place(polygon)], facecolor=ANSWER, alpha=0.35,
                                                       edgecolor=ANSWER))
            for ray in answer.rays:
                self._draw_arrow(answer.vertices[0], ray)
            for vertex in answer.vertices:
                x, y, z = self._place(vertex)
                axes.text(x, y, z, str(answer.number), color="white", fontsize=8.5, fontweight="bold", ha="center",
                          va="center", bbox=DOT, zorder=30)

    def _draw_arrow(self, start: np.ndarray, ray: np.ndarray) -> None:
        x, y, z = self._place(start)
        u, v, w = self._place(0.8 * self.space.size * ray)
        self.axes.quiver(x, y, z, u, v, w, color=ANSWER, linewidth=2.0, arrow_length_ratio=0.1)


def choose_view(space: ConeSpace, points: np.ndarray) -> tuple[int, int]:
    """(elevation, azimuth) in degrees from which the marked points lie farthest apart and the cones look widest."""
    marked = np.unique(np.round(np.vstack([np.zeros((1, 3)), space.minus_load[None],
                                           *(answer.vertices for answer in space.answers)]) / space.size, 9), axis=0)
    sheets = space.tips / space.size
    best = (-1.0, 22, -60)
    for elevation in ELEVATIONS:
        for azimuth in AZIMUTHS:
            plane = project_view(elevation, azimuth)
            flat = marked @ plane.T
            gaps = np.linalg.norm(flat[:, None] - flat[None], axis=2)[np.triu_indices(len(flat), 1)]
            corners = sheets @ plane.T
            areas = np.abs(corners[:, 0, 0] * corners[:, 1, 1] - corners[:, 0, 1] * corners[:, 1, 0])
            front = -70 <= azimuth <= -20  # x to the right, as in the world beside it
            score = min(gaps.min(initial=1.0), 0.4) + 0.5 * min(areas.min(initial=1.0), 0.6) + (0.12 if front else 0.0)
            if score > best[0] + BETTER_VIEW:
                best = (score, elevation, azimuth)
    return best[1], best[2]


def project_view(elevation: float, azimuth: float) -> np.ndarray:
    """(2, 3): from (Fx, Fy, tau/rho) to right and up on the page, seen from that direction."""
    e, a = np.radians(elevation), np.radians(azimuth)
    right = np.array([-np.sin(a), np.cos(a), 0.0])
    up = np.array([-np.sin(e) * np.cos(a), -np.sin(e) * np.sin(a), np.cos(e)])
    return np.stack([right, up])[:, ORDER]  # ORDER is its own inverse


def project_onto_plane(edges: np.ndarray, force: np.ndarray) -> np.ndarray:
    """The force without its part along t_r, the normal of the plane of one cone (its plane, for mu = 0, is a line)."""
    normal = np.cross(edges[0], edges[1])
    length = np.linalg.norm(normal)
    if length == 0.0:
        unit = edges[0] / np.linalg.norm(edges[0])
        return (force @ unit) * unit
    return force - (force @ normal) / length**2 * normal


def order_corners(corners: np.ndarray) -> np.ndarray:
    """Corners of a flat convex polygon, in order around it."""
    shifted = corners - corners.mean(axis=0)
    frame = np.linalg.svd(shifted)[2][:2]
    x, y = (shifted @ frame.T).T
    return corners[np.argsort(np.arctan2(y, x))]


def draw_cone_plane(axes: Axes, space: ConeSpace, problem) -> None:
    """The cone of one contact in its plane F.t_r = 0 (Erdmann 1991, Figure 5): does it dip below the tangent plane?"""
    factor, unit = choose_unit(space.size, FORCE_UNITS)
    n = problem.N[0] / np.linalg.norm(problem.N[0])
    across = problem.T[0] - (problem.T[0] @ n) * n
    across = across / np.linalg.norm(across)
    across = across * (-1.0 if across[:2] @ problem.N[0, :2] < 0.0 else 1.0)
    frame = np.stack([across, n]) * factor
    tips = space.tips[0] @ frame.T
    load = space.minus_load @ frame.T
    axes.axhline(0.0, color=FAINT, linewidth=1.2)
    axes.axvline(0.0, color=FAINT, linewidth=0.8, linestyle=(0, (2, 3)))
    axes.fill([0.0, *tips[:, 0]], [0.0, *tips[:, 1]], color=get_colour(0), alpha=0.38 if space.acts.all() else 0.16,
              linewidth=0.0)
    for tip, acts in zip(tips, space.acts[0], strict=True):
        style = {"linewidth": 2.4} if acts else {"linewidth": 1.2, "linestyle": ":"}
        axes.plot([0.0, tip[0]], [0.0, tip[1]], color=get_colour(0), **style)
    axes.plot(*load, "s", color=LOAD, markersize=6.5)
    axes.annotate("$-F_A$", load, (6, 5), textcoords="offset points", color=LOAD, fontsize=10)
    for answer in space.answers:
        for vertex in answer.vertices @ frame.T:
            axes.plot([load[0], vertex[0]], [load[1], vertex[1]], color=ANSWER, linewidth=1.2, linestyle=(0, (4, 3)))
            axes.text(vertex[0], vertex[1], str(answer.number), color="white", fontsize=8.5, fontweight="bold",
                      ha="center", va="center", bbox=DOT, zorder=30)
    shown = np.vstack([np.zeros((1, 2)), tips, load[None], *(a.vertices @ frame.T for a in space.answers)])
    fit_view(axes, shown.min(axis=0), shown.max(axis=0), 0.14)
    axes.axhspan(axes.get_ylim()[0], 0.0, color=FAINT, alpha=0.10, linewidth=0.0)
    axes.set_xlabel(f"along $t_r^\\perp$ ({unit})", fontsize=9.5)
    axes.set_ylabel(f"along $n$ ({unit})", fontsize=9.5, labelpad=0.0)
    axes.set_title("plane of the cone, $F\\cdot t_r = 0$;\ngrey: below the tangent plane", fontsize=9)
    style_axes(axes)


def draw_intervals(axes: Axes, space: ConeSpace) -> None:
    """Where on the line each edge may act, and which c are legal (Erdmann 1993, Table 1)."""
    line, factor, unit = space.line, *choose_unit(space.size, FORCE_UNITS)
    marks = [(point - line.point) @ line.direction for answer in space.answers for point in answer.vertices]
    marks += [end for pair in line.intervals for part in pair if part for end in part]
    marks += [(space.minus_load - line.point) @ line.direction]
    shown = np.array([mark for mark in marks if np.isfinite(mark)])
    room = 0.25 * max(np.ptp(shown), 0.3 * space.size)
    low, high = (shown.min() - room) * factor, (shown.max() + room) * factor
    labels = []
    for i, pair in enumerate(line.intervals):
        for sign, interval in zip("+−", pair, strict=True):
            row = len(labels)
            labels.append(f"{i}{sign}")
            if interval is not None:
                a, b = np.clip(np.array(interval) * factor, low, high)
                axes.barh(row, b - a, left=a, height=0.55, color=get_colour(i), alpha=0.6)
    for ends in line.legal:
        axes.axvspan(*np.clip(np.array(ends) * factor, low, high), color=LINE, alpha=0.25, linewidth=0.0)
        for end in ends:
            if np.isfinite(end):
                axes.axvline(end * factor, color=LINE, linewidth=1.8)
    if not line.legal:
        axes.text(0.5, 0.5, "no legal c", transform=axes.transAxes, ha="center", va="center", color=LINE, fontsize=10,
                  bbox={"facecolor": "white", "edgecolor": LINE, "boxstyle": "round"})
    axes.set_xlim(low, high)
    axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.set_xlabel(f"$c$ ({unit})", fontsize=9.5)
    axes.set_title("where each edge $N\\pm\\mu T$ may act\non the line, and the legal $c$", fontsize=9)
    style_axes(axes)


def fit_view(axes: Axes, low: np.ndarray, high: np.ndarray, margin: float) -> None:
    """Limits of equal scale that hold a box, with a margin in parts of its longer side, and fill the axes."""
    box = axes.get_window_extent()
    half = 0.5 * (high - low) + margin * float((high - low).max())
    half = np.array([max(half[0], half[1] * box.width / box.height), max(half[1], half[0] * box.height / box.width)])
    middle = 0.5 * (low + high)
    axes.set_xlim(middle[0] - half[0], middle[0] + half[0])
    axes.set_ylim(middle[1] - half[1], middle[1] + half[1])
    axes.set_aspect("equal", adjustable="box")


def style_axes(axes: Axes) -> None:
    """Quiet spines and small ticks."""
    axes.tick_params(colors=FAINT, labelsize=8, length=3)
    for spine in axes.spines.values():
        spine.set_color("#C9C5BC")
