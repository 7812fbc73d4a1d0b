"""The sheets of the cell of a contact formation over a motion of the manipulators, and which parts of them can be.

A sheet is a branch of poses that is followed until it meets another at a branch point (Farahat, Stiller and Trinkle,
Theorem 3: there the contact normals meet in one point), or until the motion ends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from geometry.formation.contacts import FormationContact, Shape
from geometry.formation.formations import solve_formation
from geometry.formation.placements import interpolate_motion
from geometry.formation.realised import verify_formation
from geometry.formation.tracking import Stop, Track, track_formation
from geometry.tolerances import SAME_POSE


def list_sheets(contacts: Sequence[FormationContact], motion: Callable | ArrayLike, times: ArrayLike) -> list[Track]:
    """All sheets of the cell over a motion: every pose at every time belongs to one track, on the supporting lines.

    times: (n,), rising; motion as in `track_formation`. Where two sheets meet both end, or begin, at the branch point.
    A sheet that lives between two neighbouring times only is not seen. Raises FormationError.
    """
    times = np.asarray(times, dtype=np.float64)
    if not callable(motion):
        motion = interpolate_motion(times, motion)
    sheets: list[Track] = []
    for k, time in enumerate(times):
        for pose in solve_formation(*contacts, poses=motion(time)[0]).poses:
            if pose.multiplicity == 1 and not any(_passes(sheet, time, pose) for sheet in sheets):
                sheets.append(_follow_both_ways(contacts, motion, times, k, pose))
    return sheets


def find_realised_parts(sheet: Track, contacts: Sequence[FormationContact], motion: Callable, part: Shape,
                        manipulators: Sequence[Shape]) -> list[Track]:
    """The parts of a sheet in which its poses are realised (`verify_formation`), ends located to rounding.

    `motion` must be a function. A part that lies between two neighbouring rows of the sheet is not seen.
    """
    parts: list[Track] = []
    for k, (time, pose) in enumerate(zip(sheet.times, sheet.poses, strict=True)):
        seen = parts and time <= parts[-1].times[-1]
        if seen or sheet.determinants[k] == 0.0 or not verify_formation(
                contacts, pose, part, manipulators, motion(time)[0]).realised:
            continue
        parts.append(_follow_both_ways(contacts, motion, sheet.times, k, pose, part=part, manipulators=manipulators))
    return parts


def _follow_both_ways(contacts, motion, times: np.ndarray, k: int, pose, **bodies) -> Track:
    """The track through a pose at times[k], from as early to as late as it goes."""
    before, after = (track_formation(contacts, motion, piece, pose, **bodies) if len(piece) > 1 else None
                     for piece in (times[k::-1], times[k:]))
    if before is None:
        return after  # type: ignore[return-value]  # one of the two has several times
    before = _change(before, lambda column: column[::-1], before.begin, before.end)
    if after is None:
        return before
    return _change(before, lambda column, other: np.concatenate([column[:-1], other]), after.end, before.begin, after)


def _change(track: Track, change, end: Stop, begin: Stop, *others: Track) -> Track:
    """The track whose columns are changed alike."""
    names = ("times", "poses", "velocities", "accelerations", "determinants")
    changed = {name: change(*(getattr(each, name) for each in (track, *others))) for name in names}
    return Track(**changed, end=end, begin=begin)


def _passes(sheet: Track, time: float, pose) -> bool:
    rows = np.flatnonzero(sheet.times == time)
    size = np.abs(sheet.poses[:, :2]).max(initial=0.0)
    return any(abs(np.remainder(sheet.poses[row, 2] - pose.theta + np.pi, 2 * np.pi) - np.pi) < SAME_POSE
               and np.hypot(*(sheet.poses[row, :2] - pose[:2])) <= SAME_POSE * size for row in rows)
