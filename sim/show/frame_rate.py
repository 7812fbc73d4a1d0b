"""Which vibrations a movie does not show, because they come and go between its frames."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from geometry.prescribed.motion import Course
from sim.log.trajectory import Trajectory
from sim.log.tree import Tree
from sim.scene.build import parse_scene
from sim.scene.scene_errors import SceneError
from sim.show.labels import LONGEST
from sim.tolerances import SEEN_SWING
from sim.words.quoting import cut

HIDDEN = 2.0  # frames of a period: with fewer, a vibration stands still or seems to be a slow one
SHOWN = 8.0  # frames of a period from which on it is seen well
FEWEST_TURNS = 5  # of the velocity, that make a vibration of the part
SAME = 1.25  # periods that differ by less are of one vibration, which the first of them causes
MOST_NOTES = 3


class Vibration(NamedTuple):
    """Something that goes to and fro."""

    what: str
    period: float  # s


def find_hidden(source: Trajectory | Tree, fps: float, speed: float, most_fps: float = math.inf) -> list[str]:
    """Notes on the vibrations of a motion of which a movie has fewer than two frames a period, the fastest first;
    most_fps: frames a second that it can have."""
    frame = speed / fps
    hidden = sorted((one for one in list_vibrations(source) if one.period < HIDDEN * frame), key=lambda one: one.period)
    notes = []
    for what, period in hidden[:MOST_NOTES]:
        slow, fast = period * fps / SHOWN, SHOWN * speed / period
        notes.append(f"{what} with a period of {tell_time(period)}, and a frame stands for {tell_time(frame)}: the "
                     f"movie does not show it; --speed {slow:.2g} does"
                     + (f", or --fps {math.ceil(fast)}" if fast <= most_fps else ""))
    if len(hidden) > MOST_NOTES:
        notes[-1] += f"; and {len(hidden) - MOST_NOTES} more are not shown"
    return notes


def list_vibrations(source: Trajectory | Tree) -> list[Vibration]:
    """All vibrations of a motion: of what is prescribed, and of the part itself where these do not explain it."""
    found = list(_list_prescribed(source))
    motions = [branch.rows for branch in source.branches if branch.rows is not None] if isinstance(source, Tree) else [
        source]
    for motion in motions:
        own = find_own(motion)
        if own is not None and not any(max(own, one.period) < SAME * min(own, one.period) for one in found):
            found.append(Vibration("the part swings", own))
    return found


def _list_prescribed(source: Trajectory | Tree) -> Iterator[Vibration]:
    for body in source.record.obstacles:
        if body.motion is not None:
            yield from _list_waves(f"obstacle {cut(body.name, LONGEST)} vibrates", body.motion)
    try:
        scene = source.scene or parse_scene(source.record.text)
    except SceneError:  # of another version: then the outlines are all that is known
        return
    for load in scene.loads:
        yield from _list_waves(f"load {cut(load.name, LONGEST)} swings", load.wrench)
    if scene.gripper is not None:
        yield from _list_waves("the gripper vibrates", scene.gripper.motion)
    for wave in () if scene.gravity_turn is None else scene.gravity_turn.waves:
        yield Vibration("gravity swings", 2.0 * math.pi / abs(wave.frequency))


def _list_waves(what: str, course: Course) -> Iterator[Vibration]:
    frequencies = {abs(wave.frequency) for coordinate in course.coordinates for wave in coordinate.waves
                   if wave.amplitude != 0.0 and wave.frequency != 0.0}
    if frequencies:
        yield Vibration(what, 2.0 * math.pi / max(frequencies))


def find_own(motion: Trajectory) -> float | None:
    """The shortest period [s] in which a coordinate of the part goes to and fro so far that it is seen; None if none
    does, or not often."""
    size = 2.0 * motion.record.workpiece.outline.reach
    periods = []
    for k, scale in enumerate((1.0, 1.0, 0.5 * size)):
        rate = motion.velocity[:, k]
        rows = np.flatnonzero(rate)
        turns = rows[1:][np.signbit(rate[rows[1:]]) != np.signbit(rate[rows[:-1]])]
        far = np.abs(np.diff(motion.pose[turns, k])) * scale >= SEEN_SWING * size
        lengths = np.diff(motion.time[turns])[far]
        if len(lengths) + 1 >= FEWEST_TURNS:
            periods.append(2.0 * float(np.median(lengths)))
    return min((period for period in periods if period > 0.0), default=None)


def tell_time(seconds: float) -> str:
    """A short time in a unit in which it reads well."""
    factor, unit = next((factor, unit) for least, factor, unit in (
        (1.0, 1.0, "s"), (1e-3, 1e3, "ms"), (0.0, 1e6, "µs")) if seconds >= least)
    return f"{seconds * factor:.4g} {unit}"
