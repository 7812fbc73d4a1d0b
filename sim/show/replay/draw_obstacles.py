"""Draw obstacles at one time onto matplotlib axes: where they are, and which way the surface of a belt runs."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection, PolyCollection
from matplotlib.path import Path

from geometry.shapes.features import Features, compute_sweeps
from sim.log.bodies import BodyRecord
from sim.show.loops import cut_loops, find_chord_tolerance, find_spoke, is_round, join_loops, trace_loops

OBSTACLE_FACE, OBSTACLE_EDGE, MOVING_FACE = "#D9D6CF", "#6F6A60", "#C9CFE0"
BELT = "#3B4A6B"
ARROW, SHORTEST = 0.07, 0.08  # arrow along a belt, and shortest side that has one, in heights of the view


class ObstaclePainter:
    """Draws obstacles; `show(time, low, high)` moves them to another time, in a window with these corners (m)."""

    def __init__(self, axes: Axes, obstacles: tuple[BodyRecord, ...], factor: float):
        """factor: from metres to the unit of the axes."""
        self._factor, self._corners = factor, None
        self._still = [body for body in obstacles if body.motion is None]
        self._carried = [body for body in obstacles if body.motion is not None]
        self._round = [body for body in self._carried if is_round(body.outline)]
        self._running = [body for body in obstacles if body.surface_speed]
        self._fixed = self._add(axes, OBSTACLE_FACE, 1.0)
        self._moving = self._add(axes, MOVING_FACE, 1.2)
        self._belts = PolyCollection([], facecolor=BELT, edgecolor="none", zorder=2.0)
        axes.add_collection(self._belts, autolim=False)

    @staticmethod
    def _add(axes: Axes, face: str, zorder: float) -> PathCollection:
        collection = PathCollection([], facecolor=face, edgecolor=OBSTACLE_EDGE, linewidth=1.0, zorder=zorder)
        axes.add_collection(collection, autolim=False)
        return collection

    def moving_artists(self) -> list[Artist]:
        """What changes from picture to picture."""
        return [self._moving, self._belts] if self._carried or self._running else []

    def show(self, time: float, low: np.ndarray, high: np.ndarray) -> None:
        """Draw all obstacles that are in the window at a time [s]."""
        corners = (*low, *high)
        if corners != self._corners:
            self._fixed.set_paths(self._trace(self._still, time, low, high))
            self._corners = corners
        if self._carried:
            self._moving.set_paths(self._trace(self._carried, time, low, high))
        if self._running:
            self._belts.set_verts([
                arrow * self._factor for body in self._running
                for arrow in build_belt_arrows(body.place(time).features, body.surface_speed, low, high)])

    def _trace(self, bodies: list[BodyRecord], time: float, low: np.ndarray, high: np.ndarray) -> list[Path]:
        """What may be seen of bodies at a time, in the unit of the axes; round ones that move have a spoke."""
        reach, tolerance = 2.0 * (high - low), find_chord_tolerance(high - low)
        low, high = low - reach, high + reach
        paths = []
        for body in bodies:
            loops = trace_loops(body.place(time), tolerance, low, high)
            seen = cut_loops(loops, low, high)
            if seen:
                spoke = find_spoke(loops) if body in self._round else None
                path = join_loops(seen, None if spoke is None or ((spoke < low) | (spoke > high)).any() else spoke)
                paths.append(Path(path.vertices * self._factor, path.codes))
        return paths


def build_belt_arrows(features: Features, speed: float, low: np.ndarray, high: np.ndarray) -> list[np.ndarray]:
    """An arrow inside the outline, along each side that is long enough in the window; in the middle of what is seen."""
    height = float(high[1] - low[1])
    arrows = []
    for start, end in list_sides(features):
        seen = clip_segment(start, end, low, high)
        if seen is None or np.hypot(*(seen[1] - seen[0])) < SHORTEST * height:
            continue
        along = (end - start) / np.hypot(*(end - start))
        inward = np.array([-along[1], along[0]])
        # The outline is counter-clockwise: on top it runs towards -x, where t = (n_y, -n_x) points towards +x.
        forward = -np.sign(speed) * along
        middle = 0.5 * (seen[0] + seen[1]) + 0.3 * ARROW * height * inward
        arrows.append(build_arrow_inside(middle, forward, ARROW * height))
    return arrows


def list_sides(features: Features) -> list[tuple[np.ndarray, np.ndarray]]:
    """Start and end of each edge, and of lines that touch each arc in the middle of its quarter turns or less."""
    straight = features.sign == 0
    sides = list(zip(features.start[straight], features.end[straight], strict=True))
    for row, sweep in enumerate(() if straight.all() else compute_sweeps(features)):
        count = math.ceil(sweep / (0.5 * math.pi))
        for k in range(count):
            angle = features.sign[row] * sweep * (k + 0.5) / count
            c, s = math.cos(angle), math.sin(angle)
            arm = np.array([[c, -s], [s, c]]) @ (features.start[row] - features.centre[row])
            half = features.sign[row] * math.sin(0.5 * sweep / count) * np.array([-arm[1], arm[0]])
            middle = features.centre[row] + arm
            sides.append((middle - half, middle + half))
    return sides


def build_arrow_inside(middle: np.ndarray, forward: np.ndarray, length: float) -> np.ndarray:
    """(7, 2): an arrow of this length about its middle."""
    across = np.array([-forward[1], forward[0]])
    along = np.array([-0.5, 0.1, 0.1, 0.5, 0.1, 0.1, -0.5]) * length
    aside = np.array([0.06, 0.06, 0.2, 0.0, -0.2, -0.06, -0.06]) * length
    return middle + along[:, None] * forward + aside[:, None] * across


def clip_segment(start: np.ndarray, end: np.ndarray, low: np.ndarray, high: np.ndarray):
    """The part of a segment inside a box as (start, end), None if there is none (Liang and Barsky)."""
    first, last = 0.0, 1.0
    for axis in (0, 1):
        step = end[axis] - start[axis]
        for bound, sign in ((low[axis], 1.0), (high[axis], -1.0)):
            room = sign * (start[axis] - bound)
            if step * sign == 0.0:
                if room < 0.0:
                    return None
            elif step * sign > 0.0:
                first = max(first, -room / (step * sign))
            else:
                last = min(last, -room / (step * sign))
    return (start + first * (end - start), start + last * (end - start)) if first < last else None
