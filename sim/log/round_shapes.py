"""Distances between what is straight and what is round of two bodies, by the distances of centres from lines and from
each other: what `check_touching` asks, with formulas of its own."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from geometry.shapes.outline import Outline
from geometry.shapes.polygon import Polygon


class Placed(NamedTuple):
    """A body at one pose: e edges, and c that are round: vertices that stick out, and arcs."""

    start: np.ndarray  # (e, 2) m
    along: np.ndarray  # (e, 2) unit vector
    length: np.ndarray  # (e,) m
    centre: np.ndarray  # (c, 2) m, of an arc; of a vertex its place
    radius: np.ndarray  # (c,) m, 0 of a vertex, negative of a concave arc
    first: np.ndarray  # (c,) rad, direction in which an arc begins, counter-clockwise
    sweep: np.ndarray  # (c,) rad, that it turns through; inf of what has no ends: vertices and circles
    smooth: np.ndarray  # (c, 2) bool: does the outline go on without a corner at its beginning and at its end?
    low: np.ndarray  # (2,) m, of a box around all
    high: np.ndarray


class Measured(NamedTuple):
    """Of each pair of something round of one body and a feature of the other."""

    gap: np.ndarray  # (c, m) m
    towards: np.ndarray  # (c, m, 2) unit vector that leads from the centre to the contact, or from it if concave
    inside: np.ndarray  # (c, m) bool: is the contact on both features?


class BodyShape:
    """The outline of a body in its own frame."""

    def __init__(self, outline: Polygon | Outline):
        features = outline.features
        arc = features.sign != 0
        corner, smooth = _find_joints(outline)
        self._start, self._end = features.start[~arc], features.end[~arc]
        self._centre = np.concatenate([features.start[corner], features.centre[arc]])
        self._radius = np.concatenate([np.zeros(int(corner.sum())), (features.radius * features.sign)[arc]])
        begin = np.where((features.sign > 0)[:, None], features.start, features.end)[arc] - features.centre[arc]
        closed = (features.start == features.end).all(axis=1)[arc]
        ends = np.where((features.sign > 0)[:, None], smooth, smooth[:, ::-1])[arc]
        n = len(self._radius) - len(begin)
        self._first = np.concatenate([np.zeros(n), np.arctan2(begin[:, 1], begin[:, 0])])
        sweep = outline.sweep[arc] if isinstance(outline, Outline) else np.zeros(0)
        self._sweep = np.concatenate([np.full(n, np.inf), np.where(closed, np.inf, sweep)])
        self._smooth = np.concatenate([np.ones((n, 2), dtype=bool), ends])
        self.has_arcs = bool(arc.any())

    def place(self, pose: np.ndarray) -> Placed:
        """The body at a pose x, y, theta."""
        c, s = np.cos(pose[2]), np.sin(pose[2])
        turn = np.array([[c, s], [-s, c]])
        start, end, centre = (points @ turn + pose[:2] for points in (self._start, self._end, self._centre))
        away = end - start
        length = np.hypot(away[:, 0], away[:, 1])
        around = np.abs(self._radius)[:, None]
        points = np.concatenate([start, end, centre - around, centre + around])
        return Placed(start, away / length[:, None], length, centre, self._radius, self._first + pose[2], self._sweep,
                      self._smooth, points.min(axis=0), points.max(axis=0))


def measure_on_edges(one: Placed, other: Placed, room: float) -> Measured:
    """What is round of one body, on the edges of the other. room [m]: how far contacts must be from the ends of edges,
    and from the ends of arcs at corners; beyond smooth ends they may be as far."""
    away = one.centre[:, None, :] - other.start[None, :, :]
    outward = np.stack([other.along[:, 1], -other.along[:, 0]], axis=1)
    gap = np.sum(away * outward, axis=-1) - one.radius[:, None]
    place = np.sum(away * other.along, axis=-1)
    towards = np.broadcast_to(-outward, away.shape)
    inside = (place > room) & (place < other.length - room) & (one.radius >= 0.0)[:, None]
    return Measured(gap, towards, inside & _is_on_arc(one, towards, room))


def measure_round(one: Placed, other: Placed, room: float) -> Measured:
    """What is round of one body, on what is round of the other, if not both are vertices: beside each other, or one of
    them within a larger concave one. room: as above."""
    away = other.centre[None, :, :] - one.centre[:, None, :]
    distance = np.hypot(away[..., 0], away[..., 1])
    first, second = np.broadcast_arrays(one.radius[:, None], other.radius[None, :])
    within = first + second < 0.0
    gap = np.where(within, -first - second - distance, distance - first - second)
    towards = away / np.where(distance > 0.0, distance, 1.0)[..., None] * np.where(within, -1.0, 1.0)[..., None]
    inside = ((first > 0.0) | (second > 0.0) | within) & ((first >= 0.0) | (second >= 0.0)) & (distance > 0.0)
    inside = inside & _is_on_arc(one, towards * np.where(first < 0.0, -1.0, 1.0)[..., None], room)
    back = -towards * np.where(second < 0.0, -1.0, 1.0)[..., None]
    return Measured(gap, towards, inside & _is_on_arc(other, back.swapaxes(0, 1), room).T)


def _is_on_arc(placed: Placed, directions: np.ndarray, room: float) -> np.ndarray:
    """(c, m) bool: do directions (c, m, 2) from the centre of each arc meet it?"""
    angle = np.arctan2(directions[..., 1], directions[..., 0]) - placed.first[:, None]
    half = 0.5 * np.where(np.isinf(placed.sweep), 0.0, placed.sweep)[:, None]
    off = np.abs((angle - half + np.pi) % (2.0 * np.pi) - np.pi)  # from the middle of the arc
    before = (angle - half + np.pi) % (2.0 * np.pi) < np.pi
    smooth = np.where(before, placed.smooth[:, :1], placed.smooth[:, 1:])
    radius = np.where(placed.radius == 0.0, 1.0, np.abs(placed.radius))[:, None]
    return np.isinf(placed.sweep)[:, None] | (off <= half + np.where(smooth, room, -room) / radius)


def _find_joints(outline: Polygon | Outline) -> tuple[np.ndarray, np.ndarray]:
    """(n,) bool: where an outline has a corner that sticks out, at the start of each feature; and (n, 2) bool: is its
    joint smooth at the start and at the end of each feature?"""
    if isinstance(outline, Outline):
        smooth = outline.turn == 0.0
        return outline.turn > 0.0, np.column_stack([smooth, smooth[outline.next]])
    vertices = outline.vertices
    before, after = vertices - np.roll(vertices, 1, axis=0), np.roll(vertices, -1, axis=0) - vertices
    convex = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0] > 0.0
    return convex, np.zeros((len(vertices), 2), dtype=bool)
