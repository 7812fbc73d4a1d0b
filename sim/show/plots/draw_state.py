"""Draw one state of a scene onto matplotlib axes: the part, its closed contacts with friction cones, and the load."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch, Patch, PathPatch
from matplotlib.patheffects import withStroke

from geometry.shapes.pose import Pose
from sim.log.bodies import build_scene_record
from sim.scene.scene import Scene
from sim.show.labels import as_typed
from sim.show.loops import PartShape, find_chord_tolerance
from sim.show.obstacle_names import NamePainter
from sim.show.picture_options import PLAIN, PictureOptions
from sim.show.plots.draw_space import LOAD, fit_view, get_colour, style_axes
from sim.show.replay.draw_obstacles import ObstaclePainter
from sim.show.replay.painter import NORMAL_FORCE, PART_EDGE, PART_FACE, TEXT, build_cone, list_obstacle_entries
from sim.show.replay.view import choose_unit, frame_window
from sim.show.ticks import show_all_digits

MARGIN = 0.42  # around the part, in part sizes
ARROW = 0.34  # longest arrow, in part sizes
SLIP = "#0072B2"
HALO = [withStroke(linewidth=2.5, foreground="white")]


def draw_state(axes: Axes, scene: Scene, pose, contacts: list[dict], problem, time: float = 0.0,
               options: PictureOptions = PLAIN) -> list:
    """Draw the part at `pose` (x, y, theta of the centre of mass); returns the handles of a legend.

    time [s]: of the obstacles that move.
    contacts and problem are those of `contact_problem`. The load is everything but contact: weight included.
    """
    outline = scene.workpiece.outline
    points = np.vstack([outline.placed(Pose(*(float(value) for value in pose))).bounds, pose[:2]])
    low, high = points.min(axis=0), points.max(axis=0)
    size = float((high - low).max())
    room = MARGIN * size
    factor, unit = choose_unit(size)
    window = low - room, high + room
    record = build_scene_record(scene)
    if options.view is not None:
        box = axes.get_window_extent()
        view = frame_window(record, options.view, np.asarray(pose)[None], box.width / box.height, follows=False)
        factor, unit, window = view.factor, view.unit, view.limits(np.asarray(pose))
        low, high = window
        size = min(size, float(np.min(high - low)))
    bodies = record.obstacles
    ObstaclePainter(axes, bodies, factor).show(time, *window)
    shape = PartShape(outline, find_chord_tolerance(high - low))
    axes.add_patch(PathPatch(shape.place(np.asarray(pose), factor, window), facecolor=PART_FACE, edgecolor=PART_EDGE,
                             linewidth=1.4, alpha=0.85, zorder=3))
    axes.plot(*(np.asarray(pose[:2]) * factor), "+", color=PART_EDGE, markersize=9, markeredgewidth=1.4, zorder=6)
    length = ARROW * size * factor
    for index, contact in enumerate(contacts):
        _draw_contact(axes, index, contact, float(problem.mu[index]), factor, length)
    _write_numbers(axes, contacts, factor)
    _draw_load(axes, scene, np.asarray(pose[:2]) * factor, problem.w, length)
    fit_view(axes, low * factor, high * factor, MARGIN if options.view is None else 0.0)
    show_all_digits(axes)
    if options.names:
        ends = np.array([axes.get_xlim(), axes.get_ylim()]) / factor
        NamePainter(axes, bodies, factor).show(time, ends[:, 0], ends[:, 1])
    axes.set_xlabel(f"x ({unit})", fontsize=9.5)
    axes.set_ylabel(f"y ({unit})", fontsize=9.5)
    style_axes(axes)
    return _list_handles(scene, bodies, contacts, problem.w)


def _draw_contact(axes: Axes, index: int, contact: dict, mu: float, factor: float, length: float) -> None:
    point, normal = np.array(contact["point"]) * factor, np.array(contact["normal"])
    if mu > 0.0:
        cone = build_cone(point, normal, mu, 0.8 * length)
        axes.fill(*cone.T, facecolor=get_colour(index), edgecolor=get_colour(index), alpha=0.35, linewidth=1.0,
                  zorder=4)
    _add_arrow(axes, point, point + length * normal, NORMAL_FORCE, zorder=5)
    if contact["slip"] != 0.0:
        tangent = np.array([normal[1], -normal[0]]) * np.sign(contact["slip"])
        _add_arrow(axes, point, point + 0.75 * length * tangent, SLIP, zorder=7)
    axes.plot(*point, "o", color=TEXT, markersize=5, markeredgecolor="white", markeredgewidth=0.7, zorder=8)


def _write_numbers(axes: Axes, contacts: list[dict], factor: float) -> None:
    """Number the contacts on the side of the obstacle; contacts of one place and normal share a label."""
    groups: dict[tuple, list[int]] = {}
    for index, contact in enumerate(contacts):
        key = tuple(np.round(np.concatenate([np.array(contact["point"]) * factor, contact["normal"]]), 6))
        groups.setdefault(key, []).append(index)
    for key, members in groups.items():
        axes.annotate(", ".join(map(str, members)), key[:2], (-13.0 * key[2], -13.0 * key[3]),
                      textcoords="offset points", ha="center", va="center", fontsize=10, fontweight="bold",
                      color=TEXT, family="DejaVu Sans", path_effects=HALO, zorder=9)


def _draw_load(axes: Axes, scene: Scene, centre: np.ndarray, w: np.ndarray, length: float) -> None:
    mass, rho = scene.workpiece.mass, scene.workpiece.rho
    size = float(np.hypot(w[0], w[1]))
    if size > 0.0:
        tip = centre + 1.15 * length * w[:2] / size
        _add_arrow(axes, centre, tip, LOAD, zorder=7, width=1.9)
        axes.annotate(f"{mass * size:.4g} N", centre, -9.0 * w[:2] / size, textcoords="offset points", fontsize=9,
                      ha="right" if w[0] > 0.1 * size else "left" if w[0] < -0.1 * size else "center",
                      va="bottom" if w[1] <= 0.0 else "top", color=LOAD, path_effects=HALO, zorder=10)
    torque = mass * rho * float(w[2])
    if torque != 0.0:
        start, end = (centre + 0.5 * length * np.array([np.cos(a), np.sin(a)]) for a in (-0.7, 1.9))
        bend = "arc3,rad=0.6" if torque > 0.0 else "arc3,rad=-0.6"
        first, last = (start, end) if torque > 0.0 else (end, start)
        axes.add_patch(FancyArrowPatch(first, last, connectionstyle=bend, arrowstyle="-|>", mutation_scale=12,
                                       color=LOAD, linewidth=1.6, zorder=7))
        axes.annotate(f"{torque:+.4g} N m", centre + 0.5 * length * np.array([0.6, 0.9]), (6, 6),
                      textcoords="offset points", fontsize=9, color=LOAD, path_effects=HALO, zorder=10)


def _add_arrow(axes: Axes, start, end, colour: str, zorder: float, width: float = 1.5) -> None:
    axes.annotate("", end, start, zorder=zorder, arrowprops={"arrowstyle": "-|>", "color": colour, "linewidth": width,
                                                             "shrinkA": 0, "shrinkB": 0, "mutation_scale": 11})


def _list_handles(scene: Scene, bodies, contacts: list[dict], w: np.ndarray) -> list:
    handles = [Patch(facecolor=PART_FACE, edgecolor=PART_EDGE, label=as_typed(scene.workpiece.name)),
               *list_obstacle_entries(bodies)]
    if contacts:
        handles.append(Line2D([], [], color=NORMAL_FORCE, marker=">", markersize=5, label="contact normal"))
        if any(contact["slip"] for contact in contacts):
            handles.append(Line2D([], [], color=SLIP, marker=">", markersize=5, label="slip of the part"))
    if w.any():
        handles.append(Line2D([], [], color=LOAD, marker=">", markersize=5, label="load $F_A$, weight included"))
    return handles
