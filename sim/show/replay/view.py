"""Where a picture looks: limits around the motion of the part, and the unit of its axes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from geometry.prescribed.motion import spread_times
from sim.log.bodies import BodyRecord, SceneRecord
from sim.log.trajectory import Trajectory
from sim.show.loops import cut_polygon, find_chord_tolerance, place_points, trace_loops
from sim.show.picture_options import PLAIN, PictureOptions
from sim.show.replay.frames import ReplayError

SAMPLES = 400  # poses looked at for the limits
ROUGHLY = 1e-3  # limits may cut that much off arcs, in sizes of what they hold: far less than the room around it
FOLLOW_RATIO = 18.0  # a motion longer than this many part sizes is followed, else the part would be a dot
LARGE_OBSTACLE = 8.0  # an obstacle that moves and is larger than this many part sizes is not seen as a whole
FARTHEST = 1e-3  # numbers on the axes of a zoomed view have as many digits before the point at most
FOLLOW_HEIGHT = 4.5  # height of the view that follows, in part sizes
LENGTH_UNITS = ((5e3, 1e-3, "km"), (0.15, 1.0, "m"), (1e-4, 1e3, "mm"), (0.0, 1e6, "µm"))
TIME_UNITS = ((0.1, 1.0, "s"), (1e-4, 1e3, "ms"), (0.0, 1e6, "µs"))


@dataclass(frozen=True)
class View:
    """The window of a picture, in metres, with the factor from metres to the unit on the axes."""

    centre: np.ndarray  # (2,)
    half: np.ndarray  # (2,) half of width and height
    follows: bool  # does the centre move with the part?
    factor: float
    unit: str
    part_size: float  # twice the largest distance of a point of the part from the centre of mass
    offset: tuple[float, float] = (0.0, 0.0)  # m, of the middle from the part, where the view follows it

    @property
    def chord_tolerance(self) -> float:
        """How far chords may lie off the arcs that they are drawn for, m."""
        return find_chord_tolerance(2.0 * self.half)

    def limits(self, pose: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Lower left and upper right corner (m) with the part at `pose`."""
        centre = pose[:2] + self.offset if self.follows else self.centre
        return centre - self.half, centre + self.half


def choose_unit(size: float, units: tuple = LENGTH_UNITS) -> tuple[float, str]:
    """Factor and name of the unit in which numbers up to `size` read well."""
    return next((factor, name) for smallest, factor, name in units if size >= smallest)


def compute_view(trajectory: Trajectory, aspect: float, options: PictureOptions = PLAIN) -> View:
    """The window of width / height = `aspect` that holds the whole motion, or follows the part if it goes far; or the
    one that is asked for."""
    if len(trajectory) == 0:
        raise ReplayError("there is nothing to show: the log has no rows")
    if options.view is not None:
        return frame_window(trajectory.record, options.view, trajectory.pose, aspect, bool(options.follow))
    follows = bool(np.max(np.ptp(trajectory.pose[:, :2], axis=0))
                   > FOLLOW_RATIO * 2.0 * trajectory.record.workpiece.outline.reach)  # fmt: skip
    follows = follows if options.follow is None else options.follow
    return frame_motions(trajectory.record, pick_poses(trajectory), trajectory.time, aspect, follows)


def frame_window(record: SceneRecord, window: tuple[float, float, float, float], poses: np.ndarray, aspect: float,
                 follows: bool) -> View:
    """The window from left to right and from bottom to top [m], one direction made longer to have width / height =
    `aspect`; where it follows, it stays to the part as it is to the first of the poses (n, 3)."""
    left, right, bottom, top = window
    centre = np.array([0.5 * (left + right), 0.5 * (bottom + top)])
    half = 0.5 * np.array([right - left, top - bottom])
    half = np.array([max(half[0], aspect * half[1]), max(half[1], half[0] / aspect)])
    offset = centre - poses[0, :2] if follows else np.zeros(2)
    # far from the origin a small unit would make long numbers of which most digits say where the window is
    far = max(abs(value) for value in (*(centre - half), *(centre + half)))
    factor, unit = choose_unit(max(2.0 * float(np.min(half)), FARTHEST * far))
    return View(centre, half, follows, factor, unit, 2.0 * record.workpiece.outline.reach,
                (float(offset[0]), float(offset[1])))


def pick_poses(trajectory: Trajectory) -> np.ndarray:
    """(n, 3): at most SAMPLES poses, spread over the rows."""
    return trajectory.pose[np.unique(np.linspace(0, len(trajectory) - 1, SAMPLES).round().astype(int))]


def frame_motions(record: SceneRecord, poses: np.ndarray, times: np.ndarray, aspect: float, follows: bool) -> View:
    """The window of width / height = `aspect` that holds the part in all poses and the obstacles that move, or follows
    the part. Of an obstacle much larger than the part only what is near counts. times (n,) [s]: of the run."""
    part = record.workpiece.outline
    size = 2.0 * part.reach
    outer = trace_loops(part, ROUGHLY * size)[0]
    corners = np.concatenate([place_points(outer, pose) for pose in poses])
    low, high = corners.min(axis=0), corners.max(axis=0)
    if not follows:
        reach = max(float(np.max(high - low)), LARGE_OBSTACLE * size)
        near = low - 0.5 * size, high + 0.5 * size
        travels = [_find_travel(body, times, *near, reach) for body in record.obstacles if body.motion is not None]
        corners = np.concatenate([corners, *(outline for travel in travels for outline in travel)])
        low, high = corners.min(axis=0), corners.max(axis=0)
    margin = max(0.08 * float(np.max(high - low)), 0.3 * size)
    half = 0.5 * (high - low) + margin
    half = np.array([max(half[0], aspect * half[1]), max(half[1], half[0] / aspect)])
    if follows:  # nobody follows to see less of the part than in a view that holds the whole motion
        half = np.minimum(half, np.array([aspect, 1.0]) * (0.5 * FOLLOW_HEIGHT * size))
    factor, unit = choose_unit(2.0 * float(np.min(half)))
    return View(0.5 * (low + high), half, follows, factor, unit, size)


def _find_travel(body: BodyRecord, times: np.ndarray, low: np.ndarray, high: np.ndarray,
                 reach: float) -> list[np.ndarray]:
    """Points round an obstacle at SAMPLES times; cut to a box if it is larger than `reach` (m)."""
    looks = spread_times(times[0], times[-1], SAMPLES)
    tolerance = ROUGHLY * float(np.min(high - low))
    if body.motion is not None and float(np.max(np.ptp(body.outline.bounds, axis=0))) <= reach:
        outer = trace_loops(body.outline, tolerance)[0]
        return [body.motion.place(time).transform(outer) for time in looks]
    return [cut_polygon(trace_loops(body.place(time), tolerance, low, high)[0], low, high) for time in looks]
