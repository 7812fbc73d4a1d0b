"""Draw obstacles at one time onto matplotlib axes: where they are, and which way the surface of a belt runs."""

from __future__ import annotations

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection

from sim.log.bodies import BodyRecord
from sim.show.replay.view import cut_polygon

OBSTACLE_FACE, OBSTACLE_EDGE, MOVING_FACE = "#D9D6CF", "#6F6A60", "#C9CFE0"
BELT = "#3B4A6B"
ARROW, SHORTEST = 0.07, 0.08  # arrow along a belt, and shortest side that has one, in heights of the view


class ObstaclePainter:
    """Draws obstacles; `show(time, low, high)` moves them to another time, in a window with these corners (m)."""

    def __init__(self, axes: Axes, obstacles: tuple[BodyRecord, ...], factor: float):
        """factor: from metres to the unit of the axes."""
        self._obstacles, self._factor, self._corners = obstacles, factor, None
        self._fixed = self._add(axes, OBSTACLE_FACE, 1.0)
        self._moving = self._add(axes, MOVING_FACE, 1.2)
        self._belts = PolyCollection([], facecolor=BELT, edgecolor="none", zorder=2.0)
        axes.add_collection(self._belts, autolim=False)

    @staticmethod
    def _add(axes: Axes, face: str, zorder: float) -> PolyCollection:
        collection = PolyCollection([], facecolor=face, edgecolor=OBSTACLE_EDGE, linewidth=1.0, zorder=zorder)
        axes.add_collection(collection, autolim=False)
        return collection

    def moving_artists(self) -> list[Artist]:
        """What changes from picture to picture."""
        return [self._moving, self._belts] if any(body.moves for body in self._obstacles) else []

    def show(self, time: float, low: np.ndarray, high: np.ndarray) -> None:
        """Draw all obstacles that are in the window at a time [s]."""
        reach, factor = 2.0 * (high - low), self._factor
        corners = (*low, *high)
        if corners != self._corners:
            self._fixed.set_verts(cut_outlines((b.vertices for b in self._obstacles if b.motion is None), low - reach,
                                               high + reach, factor))
            self._corners = corners
        self._moving.set_verts(cut_outlines((b.place(time) for b in self._obstacles if b.motion is not None),
                                            low - reach, high + reach, factor))
        arrows = [arrow * factor for body in self._obstacles if body.surface_speed
                  for arrow in build_belt_arrows(body.place(time), body.surface_speed, low, high)]
        self._belts.set_verts(arrows)


def cut_outlines(outlines, low: np.ndarray, high: np.ndarray, factor: float) -> list[np.ndarray]:
    """The parts of outlines inside a box, in the unit of the axes."""
    pieces = [cut_polygon(outline, low, high) for outline in outlines]
    return [piece * factor for piece in pieces if len(piece) > 2]


def build_belt_arrows(outline: np.ndarray, speed: float, low: np.ndarray, high: np.ndarray) -> list[np.ndarray]:
    """An arrow inside the outline, along each side that is long enough in the window; in the middle of what is seen."""
    height = float(high[1] - low[1])
    arrows = []
    for start, end in zip(outline, np.roll(outline, -1, axis=0), strict=True):
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
