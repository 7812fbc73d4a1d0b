"""Which features of part and obstacle meet in the contacts of a run, by the words and numbers of their outlines.

A log counts features of obstacles in the boundary of their union, and arcs behind all edges. A reader of a page wants
those of the outlines that are drawn: the edge that lies under the contact, the corner or the arc that is there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from geometry.shapes.features import Features, compute_tangents, find_on_sweep
from geometry.shapes.outline import Outline
from geometry.shapes.polygon import Polygon
from sim.log.trajectory import Trajectory
from sim.rows.records import CONTACT_TYPES
from sim.show.loops import place_points
from sim.show.replay.frames import find_radii

TYPE_A, TYPE_B, TYPE_C = map(CONTACT_TYPES.index, "ABC")
KEYS = ("type", "obstacle", "part_feature", "obstacle_feature")


class ContactPairs:
    """The pairs of features that touch in a run; a contact of the page is told by the place of its pair."""

    def __init__(self, trajectory: Trajectory):
        self.pairs: list[dict[str, Any]] = []
        self._places: dict[tuple[int, ...], int] = {}
        self._trajectory = trajectory
        rows = trajectory.contacts
        keys = np.column_stack([rows[name] for name in KEYS]).reshape(-1, len(KEYS))
        unique, first, self.column = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        self.column = self.column.reshape(-1)
        for key, row in zip(unique.tolist(), first.tolist(), strict=True):
            self._places[tuple(key)] = len(self.pairs)
            self.pairs.append(self._describe(tuple(key), row))

    def find(self, key: tuple[int, ...]) -> int:
        """The place of a pair (type, obstacle, part feature, obstacle feature); -1 if it is in no row."""
        return self._places.get(key, -1)

    def _describe(self, key: tuple[int, ...], row: int) -> dict[str, Any]:
        kind, obstacle, part_feature, obstacle_feature = key
        trajectory = self._trajectory
        contact, record = trajectory.contacts[row], trajectory.record
        steps = trajectory.steps["first_contact"] + trajectory.steps["n_contacts"]
        step = int(np.searchsorted(steps, row, side="right"))
        point, normal = (np.array([[contact[x], contact[y]]]) for x, y in (("px", "py"), ("nx", "ny")))
        body, pose = record.obstacles[obstacle], np.zeros(3)
        if body.motion is not None:
            pose = body.motion.evaluate_frame(trajectory.time[step : step + 1])[0][0]
        part, here = record.workpiece.outline, trajectory.pose[step]
        own_radius = find_radii(part, here, point, normal, np.array([kind != TYPE_A]))
        other_radius = find_radii(body.outline, pose, point, -normal, np.array([kind != TYPE_B]))
        own = name_feature(part, here, point[0], normal[0], kind == TYPE_A, own_radius[0])
        other = name_feature(body.outline, pose, point[0], -normal[0], kind == TYPE_B, other_radius[0])
        found = {"type": CONTACT_TYPES[kind], "obstacle": obstacle, "own": own, "other": other,
                 "ids": [part_feature, obstacle_feature]}
        if own_radius[0] or other_radius[0]:
            found["radii"] = [float(own_radius[0]), float(other_radius[0])]
        return found


def name_feature(outline: Polygon | Outline, pose: np.ndarray, point: np.ndarray, inward: np.ndarray, is_edge: bool,
                 radius: float) -> str:
    """ "edge 2", "vertex 0" or "arc 1" of an outline at a pose (x, y, theta): the one of this kind that is nearest to a
    point (2,). inward (2,): unit vector into the body; radius: of the arc, 0 for a vertex."""
    features = outline.features
    start, end, centre = (place_points(column, pose) for column in (features.start, features.end, features.centre))
    placed = Features(start, end, centre, features.radius, features.sign)
    if is_edge:
        leave = compute_tangents(placed)[0]
        astray = 1.0 - (leave @ np.array([inward[1], -inward[0]]))  # the solid is on the left
        off = measure_segments(start, end, point) + np.where(features.sign == 0, astray * outline.size, np.inf)
        return f"edge {int(np.argmin(off))}"
    if radius == 0.0:
        return f"vertex {int(np.argmin(np.hypot(*(start - point).T)))}"
    away = point - centre
    off = np.abs(np.hypot(*away.T) - features.radius)
    off = off + np.where(find_on_sweep(placed, np.broadcast_to(point, centre.shape)), 0.0, outline.size)
    return f"arc {int(np.argmin(np.where(features.sign == 0, np.inf, off)))}"


def measure_segments(start: np.ndarray, end: np.ndarray, point: np.ndarray) -> np.ndarray:
    """(n,) distances of a point from segments."""
    along = end - start
    square = np.maximum((along * along).sum(axis=1), np.finfo(float).tiny)
    share = np.clip(((point - start) * along).sum(axis=1) / square, 0.0, 1.0)
    return np.hypot(*(start + share[:, None] * along - point).T)
