"""Round features on their paths against each other: whether two stay apart from one state of a track to the next.

With u from the centre of the one to that of the other, both seen from the first, two convex arcs are apart where
|u| >= r + R, and a convex one is inside a concave one where |u| <= |R| - r. Circles that cross say nothing where the
arcs are elsewhere: arcs touch only where the normals of both hold the line of their centres.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from geometry.tolerances import SAFETY, TINY


class Rounds(NamedTuple):
    """Vertices and arcs of an outline, one a row, in its frame."""

    points: np.ndarray  # (n, 2) vertex or centre, m
    radius: np.ndarray  # (n,) m: 0 a vertex, negative a concave arc
    feature: np.ndarray  # (n,) number of the vertex or arc in the outline
    first: np.ndarray  # (n, 2) m, from the centre to that end of the arc from which it runs counter-clockwise
    sweep: np.ndarray  # (n,) rad

    @property
    def arcs(self) -> np.ndarray:
        """(n,) bool: which are arcs."""
        return self.radius != 0.0

    @property
    def middle(self) -> np.ndarray:
        """(n,) rad: direction from the centre to the middle of each arc; 0 of a vertex."""
        x, y = np.where(self.arcs[:, None], self.first, 1.0).T
        return np.where(self.arcs, np.arctan2(y, x) + 0.5 * self.sweep, 0.0)

    def find(self, feature: int | None, radius: float) -> int:
        """The row of a feature: of an arc, or of the vertex where it starts."""
        return int(np.flatnonzero((self.feature == feature) & (self.arcs == (radius != 0.0)))[0])


class Paths(NamedTuple):
    """Quintics, and how far the points are from them."""

    control: np.ndarray  # (6, n, 2) control points, m
    error: np.ndarray  # (n,) m, at the state between


def stay_off_rounds(rounds: tuple[Rounds, Rounds], seen: tuple[Paths, Paths], held: list[tuple[int, int]],
                    tolerance: float) -> bool:
    """Whether no two of what is round of the part and of a manipulator cross.

    rounds: of the part, of the manipulator; seen: the points of the manipulator from the part, those of the part from
    the manipulator; held: pairs of rows that touch, and have to stay within both of their arcs.
    """
    own, other = rounds
    r, s = own.radius[:, None], other.radius[None, :]
    # from each centre of the part to each of the manipulator, seen from the part, and the other way round
    ahead, back = (path.control[:, None, :, :] - points[:, None, :] for path, points in zip(
        seen, (own.points, other.points), strict=True))
    back = np.swapaxes(back, 1, 2)
    slack, slack_back = SAFETY * seen[0].error[None, :], SAFETY * seen[1].error[:, None]
    low, high = _bound_distance(ahead, slack)
    sum_, difference = np.abs(r) + np.abs(s), np.abs(np.abs(r) - np.abs(s))
    concave = (r < 0.0) | (s < 0.0)
    # a contact inside a concave arc needs a smaller radius, and two vertices or two concave arcs never touch
    never = ((r < 0.0) & (s < 0.0)) | ((r == 0.0) & (s == 0.0)) | (concave & (r + s >= 0.0))
    apart = np.where(concave, (high <= difference + tolerance) | (low > sum_),
                     (low >= sum_ - tolerance) | (high < difference))
    # the point of contact lies from both centres towards the other one, or away from it where that is concave
    room = tolerance * high / np.where(r == 0.0, np.inf, np.abs(r)), tolerance * high / np.where(s == 0.0, np.inf,
                                                                                                 np.abs(s))
    on_own = _find_sector(own, np.where(s < 0.0, -1.0, 1.0)[None, :, :, None] * ahead, slack, room[0], 0)
    on_other = _find_sector(other, np.where(r < 0.0, -1.0, 1.0)[None, :, :, None] * back, slack_back, room[1], 1)
    clear = never | apart | on_own[1] | on_other[1]
    for i, j in held:
        clear[i, j] = on_own[0][i, j] and on_other[0][i, j]
    return bool(clear.all())


def _bound_distance(control: np.ndarray, slack: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(lowest, highest) distance (n, m) of points in the hulls of control points (6, n, m, 2) from the origin."""
    middle = control.mean(axis=0)
    direction = middle / np.maximum(np.hypot(middle[..., 0], middle[..., 1]), TINY)[..., None]
    reach = np.hypot(control[..., 0], control[..., 1])
    return (control * direction).sum(axis=-1).min(axis=0) - slack, reach.max(axis=0) + slack


def _find_sector(rounds: Rounds, control: np.ndarray, slack: np.ndarray, room: np.ndarray,
                 axis: int) -> tuple[np.ndarray, np.ndarray]:
    """(stays within, stays outside) (n, m): the directions of control points (6, n, m, 2) against those of the arcs,
    which are the rows of `axis`; `room` (n, m) beyond their ends counts as within. A vertex has all directions, as a
    whole circle has."""
    arcs = rounds.arcs & (rounds.sweep < 2.0 * np.pi)
    first = np.where(arcs[:, None], rounds.first, 1.0)
    first = first / np.hypot(first[:, 0], first[:, 1])[:, None]
    c, s = np.cos(rounds.sweep), np.sin(rounds.sweep)
    last = np.stack([c * first[:, 0] - s * first[:, 1], s * first[:, 0] + c * first[:, 1]], axis=1)
    # the arc lies to the left of its first direction and to the right of its last one
    sides = [np.expand_dims(normal, 1 - axis) for normal in (np.stack([-first[:, 1], first[:, 0]], axis=1),
                                                             np.stack([last[:, 1], -last[:, 0]], axis=1))]
    values = [(control * side).sum(axis=-1) for side in sides]
    within = [value.min(axis=0) - slack >= -room for value in values]
    outside = [value.max(axis=0) + slack < 0.0 for value in values]
    narrow = np.expand_dims(rounds.sweep <= np.pi, 1 - axis)
    free = np.expand_dims(~arcs, 1 - axis)
    return (free | np.where(narrow, within[0] & within[1], within[0] | within[1]),
            ~free & np.where(narrow, outside[0] | outside[1], outside[0] & outside[1]))
