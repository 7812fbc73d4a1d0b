"""Draw what holds the part: springs as zigzags, the frame of the gripper as a cross, and its force as an arrow."""

from __future__ import annotations

from collections.abc import Callable
from math import hypot

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from geometry.shapes.pose import Pose
from sim.log.trajectory import Trajectory
from sim.scene.held.holding import WORLD, Gripper, Spring
from sim.show.replay.held_scene import find_release, find_scene

HELD, SPRING_LINE = "#6E2457", "#57534C"
COILS = 6  # of a zigzag
LEAD = 0.15  # straight at each end of a spring, of its length
WIDTH = 0.018  # half of that of a zigzag, in heights of the view


class HeldPainter:
    """Draws gripper and springs; `show` moves them to another instant."""

    def __init__(self, axes: Axes, trajectory: Trajectory, factor: float, height: float):
        """factor: from metres to the unit of the axes; height: of the view, m."""
        self._trajectory, self._factor, self._width = trajectory, factor, WIDTH * height
        self._scene = find_scene(trajectory)
        self._springs = Line2D([], [], color=SPRING_LINE, linewidth=1.2, solid_joinstyle="miter", zorder=3.2)
        self._link = Line2D([], [], color=HELD, linewidth=1.0, zorder=5.5)
        self._frame = Line2D([], [], color=HELD, linestyle="", marker="x", markersize=7, markeredgewidth=1.6,
                             zorder=5.6)  # fmt: skip
        self._force = PolyCollection([], facecolor=HELD, edgecolor="white", linewidth=0.4, zorder=7.5)
        for line in (self._springs, self._link, self._frame):
            axes.add_line(line)
        axes.add_collection(self._force, autolim=False)
        self._released = find_release(trajectory)

    def moving_artists(self) -> list[Artist]:
        """What changes from picture to picture."""
        return [] if self._scene is None else [self._springs, self._link, self._frame, self._force]

    def legend_entries(self) -> list:
        """Handles with labels for a legend."""
        if self._scene is None:
            return []
        entries: list = []
        if self._scene.gripper is not None:
            entries += [Line2D([], [], color=HELD, linestyle="", marker="x", markeredgewidth=1.6, label="gripper"),
                        Patch(facecolor=HELD, label="its force")]
        if self._scene.springs:
            entries.append(Line2D([], [], color=SPRING_LINE, label="spring"))
        return entries

    def show(self, row: int, time: float, pose: np.ndarray, build_force: Callable) -> None:
        """Draw all at a time [s] after a row, with the part at `pose`; build_force(point, force): an arrow in metres,
        or None of a force that is too small."""
        if self._scene is None:
            return
        part, gripper = Pose(*(float(value) for value in pose)), self._scene.gripper
        paths = [self._place_spring(spring, part, time) for spring in self._scene.springs]
        points = np.concatenate([np.concatenate([path, [[np.nan, np.nan]]]) for path in paths] or [np.zeros((0, 2))])
        self._springs.set_data(*(points.T * self._factor))
        if gripper is not None:
            self._show_gripper(gripper, row, part, time, build_force)

    def _show_gripper(self, gripper: Gripper, row: int, part: Pose, time: float, build_force: Callable) -> None:
        if time > self._released:
            for line in (self._link, self._frame):
                line.set_data([], [])
            self._force.set_verts([])
            return
        frame = gripper.motion.place(time)
        centre = np.asarray(part.transform(gripper.center), dtype=np.float64)
        ends = np.array([[frame.x, frame.y], centre]) * self._factor
        self._frame.set_data(*ends[:1].T)
        self._link.set_data(*ends.T)
        step = self._trajectory.steps[row]
        arrow = build_force(centre, np.array([step["gripper_fx"], step["gripper_fy"]]))
        self._force.set_verts([] if arrow is None else [arrow * self._factor])

    def _place_spring(self, spring: Spring, part: Pose, time: float) -> np.ndarray:
        """(n, 2) points of a spring, m."""
        end = np.array(spring.anchor)
        if spring.obstacle != WORLD and self._scene is not None:
            obstacle = self._scene.obstacles[spring.obstacle]
            place = obstacle.pose if obstacle.motion is None else obstacle.motion.place(time)
            end = np.asarray(place.transform(spring.anchor), dtype=np.float64)
        return build_zigzag(np.asarray(part.transform(spring.point), dtype=np.float64), end, self._width)


def build_zigzag(start: np.ndarray, end: np.ndarray, width: float) -> np.ndarray:
    """(n, 2): a line from start to end with COILS teeth of half width `width`."""
    along = end - start
    length = hypot(*along)
    if length == 0.0:
        return np.stack([start, end])
    across = np.array([-along[1], along[0]]) / length
    places = np.concatenate(([0.0, LEAD], LEAD + (1.0 - 2.0 * LEAD) * (np.arange(2 * COILS) + 0.5) / (2 * COILS),
                             [1.0 - LEAD, 1.0]))
    aside = np.concatenate(([0.0, 0.0], np.resize([width, -width], 2 * COILS), [0.0, 0.0]))
    return start + places[:, None] * along + aside[:, None] * across
