"""What can happen between two states of a track, so that no collision and no end of an edge is stepped over.

The part enters a manipulator only where a vertex of one crosses an edge of the other. Seen from the owner of the edge,
the vertex moves on a path z(t). The quintic through z, z', z'' at both ends of an interval lies within the hull of its
control points (Bernstein form), which bounds it whatever the speed; how far the path is from its quintic is measured at
a state between the ends. A pair is clear if the vertex stays in front of the line of the edge, stays behind it, or
stays beside the edge; an interval in which a pair is not clear has to be split.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from geometry.formation.formations import FormationContact
from geometry.formation.placements import FormationState, K, turn_by
from geometry.formation.realised import measure_size
from geometry.shapes.polygon import Polygon
from geometry.tolerances import RESOLVED, SAFETY, TOUCH

# Where in an interval the state between the ends is taken. Reason: irrational, so that no repeating motion looks the
# same at both ends and here, however many periods there are in between.
SPLIT = 2.0**0.5 - 1.0


def compute_path(points, carrier, owner):
    """z, z', z'' (3, n, 2) of points (n, 2) of one frame seen from another; both given by pose, velocity and
    acceleration (x, y, theta each).

    S z = X - O gives z' = S^T (X' - O') - W K z and z'' = S^T (X'' - O'') - 2 W K z' - W' K z + W^2 z, K = k x.
    """
    (place, rate, bend), (origin, origin_rate, origin_bend) = carrier, owner
    arm = points @ turn_by(place[2]).T
    side = arm @ K.T
    S = turn_by(origin[2])  # rows times S are S^T times columns
    z = (place[:2] + arm - origin[:2]) @ S
    first = (rate[:2] + rate[2] * side - origin_rate[:2]) @ S - origin_rate[2] * z @ K.T
    second = ((bend[:2] + bend[2] * side - rate[2] ** 2 * arm - origin_bend[:2]) @ S
              - 2.0 * origin_rate[2] * first @ K.T - origin_bend[2] * z @ K.T + origin_rate[2] ** 2 * z)
    return np.stack([z, first, second])


def make_quintic(start, end, h: float) -> np.ndarray:
    """Control points (6, ...) of the quintic with value, first and second derivative (3, ...) at both ends of h."""
    return np.stack([start[0], start[0] + h / 5.0 * start[1], start[0] + 0.4 * h * start[1] + h * h / 20.0 * start[2],
                     end[0] - 0.4 * h * end[1] + h * h / 20.0 * end[2], end[0] - h / 5.0 * end[1], end[0]])


def evaluate_quintic(control: np.ndarray, u: float) -> np.ndarray:
    """The quintic at a fraction u of its interval (de Casteljau)."""
    while len(control) > 1:
        control = (1.0 - u) * control[:-1] + u * control[1:]
    return control[0]


def is_clear(contacts: Sequence[FormationContact], part: Polygon, manipulators: Sequence[Polygon],
             start: FormationState, end: FormationState, between: FormationState) -> bool:
    """Whether, from `start` to `end`, no vertex crosses an edge and every contact stays within its edge.

    `between` is a state at about SPLIT of the interval. False only says that the bounds are too wide to tell.
    """
    tolerance = TOUCH * measure_size(start.pose, part, manipulators, start.motion[0])
    for index, manipulator in enumerate(manipulators):
        for kind in "AB":
            carrier, owner = (manipulator, part) if kind == "A" else (part, manipulator)
            # A contact of type A: a vertex of the manipulator on an edge of the part.
            held = [(c.manipulator_feature, c.part_feature) if kind == "A" else (c.part_feature, c.manipulator_feature)
                    for c in contacts if c.kind == kind and c.manipulator == index and c.part_feature is not None]
            frames = [(_get_frame(state, index), _get_frame(state)) for state in (start, end, between)]
            paths = [compute_path(carrier.vertices, *(pair if kind == "A" else pair[::-1])) for pair in frames]
            control = make_quintic(paths[0], paths[1], end.time - start.time)
            u = (between.time - start.time) / (end.time - start.time)
            error = np.hypot(*(evaluate_quintic(control, u) - paths[2][0]).T)
            if error.max() > RESOLVED * part.size or not _stay_clear(control, SAFETY * error, owner.vertices, held,
                                                                     tolerance):
                return False
    return True


def _get_frame(state: FormationState, index: int | None = None):
    """(pose, velocity, acceleration) of a manipulator, or of the part."""
    if index is None:
        return state.pose, state.velocity, state.acceleration
    return tuple(each[index] for each in state.motion)


def _stay_clear(control: np.ndarray, error: np.ndarray, outline: np.ndarray, held, tolerance: float) -> bool:
    """Vertices on quintics (6, n, 2), each known to its error (n,), against the edges of an outline (m, 2)."""
    side = np.roll(outline, -1, axis=0) - outline
    length = np.hypot(side[:, 0], side[:, 1])
    side = side / length[:, None]
    away = control[:, :, None, :] - outline
    along = (away * side).sum(axis=-1)  # (6, n, m)
    gap = away[..., 0] * side[:, 1] - away[..., 1] * side[:, 0]
    error = error[:, None]
    clear = ((gap.min(axis=0) - error >= -tolerance) | (gap.max(axis=0) + error < 0.0)
             | (along.max(axis=0) + error < -tolerance) | (along.min(axis=0) - error > length + tolerance))
    # The gap of a contact of the formation is 0; what matters is that it stays between the ends of its edge.
    inside = (along.min(axis=0) - error >= -tolerance) & (along.max(axis=0) + error <= length + tolerance)
    for vertex, edge in held:
        clear[vertex, edge] = inside[vertex, edge]
    return bool(clear.all())
