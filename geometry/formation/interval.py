"""What can happen between two states of a track, so that no collision and no end of an edge is stepped over.

The part enters a manipulator only where a vertex or arc of one crosses an edge of the other, or where two that are
round cross (`geometry/formation/interval_rounds.py`). Seen from the owner of the edge, the vertex, or the centre of the
arc, moves on a path z(t). The quintic through z, z', z'' at both ends of an interval lies within the hull of its
control points (Bernstein form), which bounds it whatever the speed; how far the path is from its quintic is measured at
a state between the ends. A pair is clear if what is round stays in front of the line of the edge, stays behind it, or
stays beside the edge; an interval in which a pair is not clear has to be split.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from geometry.formation.contacts import FormationContact, Shape
from geometry.formation.interval_rounds import Paths, Rounds, stay_off_rounds
from geometry.formation.placements import FormationState, K, turn_by
from geometry.formation.realised import measure_size
from geometry.shapes.features import compute_sweeps, is_circle
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


def is_clear(contacts: Sequence[FormationContact], part: Shape, manipulators: Sequence[Shape],
             start: FormationState, end: FormationState, between: FormationState) -> bool:
    """Whether, from `start` to `end`, no feature crosses another and every contact stays within its edge and arcs.

    `between` is a state at about SPLIT of the interval. False only says that the bounds are too wide to tell.
    """
    tolerance = TOUCH * measure_size(start.pose, part, manipulators, start.motion[0])
    states, own = (start, end, between), _list_rounds(part)
    for index, manipulator in enumerate(manipulators):
        other, held = _list_rounds(manipulator), [c for c in contacts
                                                  if c.manipulator == index and c.part_feature is not None]
        frames = [(_get_frame(state, index), _get_frame(state)) for state in states]
        seen = _bound_paths(other.points, frames, states), _bound_paths(
            own.points, [pair[::-1] for pair in frames], states)
        if max(seen[0].error.max(), seen[1].error.max()) > RESOLVED * part.size:
            return False
        turn = _bound_turn(frames, states) if own.arcs.any() or other.arcs.any() else None
        if not (_stay_off_edges(seen[0], other, part, _pair_held(held, "A", other, part), turn, tolerance)
                and _stay_off_edges(seen[1], own, manipulator, _pair_held(held, "B", own, manipulator),
                                    None if turn is None else (-turn[0], turn[1]), tolerance)):
            return False
        if turn is not None and not stay_off_rounds((own, other), seen, _pair_rounds(held, own, other), tolerance):
            return False
    return True


def _get_frame(state: FormationState, index: int | None = None):
    """(pose, velocity, acceleration) of a manipulator, or of the part."""
    if index is None:
        return state.pose, state.velocity, state.acceleration
    return tuple(each[index] for each in state.motion)


def _list_rounds(shape: Shape) -> Rounds:
    features = shape.features
    joints = np.flatnonzero(~is_circle(features))
    arcs = np.flatnonzero(features.sign)
    rows = features.take(arcs)
    points = np.concatenate([features.start[joints], rows.centre])
    radius = np.concatenate([np.zeros(len(joints)), rows.radius * rows.sign])
    return Rounds(points, radius, np.concatenate([joints, arcs]), np.concatenate([np.full((len(joints), 2), np.nan),
                  np.where((rows.sign > 0)[:, None], rows.start, rows.end) - rows.centre]),
                  np.concatenate([np.full(len(joints), 2.0 * np.pi), compute_sweeps(rows)]))


def _bound_paths(points: np.ndarray, frames, states) -> Paths:
    """The paths of points of the first of two frames, seen from the second."""
    start, end, between = states
    paths = [compute_path(points, *pair) for pair in frames]
    control = make_quintic(paths[0], paths[1], end.time - start.time)
    u = (between.time - start.time) / (end.time - start.time)
    return Paths(control, np.hypot(*(evaluate_quintic(control, u) - paths[2][0]).T))


def _bound_turn(frames, states) -> tuple[float, float]:
    """(middle, half the width) of the angles at which the part is seen from the manipulator, rad."""
    start, end, between = states
    turns = [np.array([own[k][2] - other[k][2] for k in range(3)]) for other, own in frames]
    control = make_quintic(turns[0], turns[1], end.time - start.time)
    u = (between.time - start.time) / (end.time - start.time)
    error = SAFETY * abs(float(evaluate_quintic(control, u)) - turns[2][0])
    low, high = float(control.min()) - error, float(control.max()) + error
    return 0.5 * (low + high), 0.5 * (high - low)


def _pair_held(held: Sequence[FormationContact], kind: str, rounds: Rounds, owner: Shape) -> list[tuple[int, int]]:
    """(row of the round, number of the edge) of the contacts of type A or B."""
    edges = np.flatnonzero(owner.features.sign == 0).tolist()
    found = []
    for contact in held:
        if contact.kind == kind:
            feature, edge, radius = (
                (contact.manipulator_feature, contact.part_feature, contact.manipulator_radius) if kind == "A"
                else (contact.part_feature, contact.manipulator_feature, contact.part_radius))
            found.append((rounds.find(feature, radius), edges.index(edge)))
    return found


def _pair_rounds(held: Sequence[FormationContact], own: Rounds, other: Rounds) -> list[tuple[int, int]]:
    return [(own.find(contact.part_feature, contact.part_radius),
             other.find(contact.manipulator_feature, contact.manipulator_radius))
            for contact in held if contact.kind == "C"]


def _stay_off_edges(path: Paths, rounds: Rounds, owner: Shape, held, turn, tolerance: float) -> bool:
    """What is round, on its paths seen from the owner of the edges, against these edges.

    turn: the angles at which the owner is seen from what is round. A convex arc touches an edge only at the foot of its
    centre, and where its normals hold that of the edge, a concave one never: else ends do, which are vertices.
    """
    features = owner.features
    edges = features.take(features.sign == 0)
    side = edges.end - edges.start
    length = np.hypot(side[:, 0], side[:, 1])
    side = side / length[:, None]
    away = path.control[:, :, None, :] - edges.start
    along = (away * side).sum(axis=-1)  # (6, n, m)
    gap = away[..., 0] * side[:, 1] - away[..., 1] * side[:, 0]
    error, radius = SAFETY * path.error[:, None], np.maximum(rounds.radius, 0.0)[:, None]
    clear = ((gap.min(axis=0) - error >= radius - tolerance) | (gap.max(axis=0) + error < -radius)
             | (along.max(axis=0) + error < -tolerance) | (along.min(axis=0) - error > length + tolerance)
             | (rounds.radius < 0.0)[:, None])
    # The gap of a contact of the formation is 0; what matters is that it stays between the ends of its edge.
    inside = (along.min(axis=0) - error >= -tolerance) & (along.max(axis=0) + error <= length + tolerance)
    if turn is not None and rounds.arcs.any():
        # the normal of an arc where it touches an edge is against that of the edge, (dy, -dx)
        faced = np.arctan2(side[:, 0], -side[:, 1]) + turn[0]
        off = np.abs(np.remainder(faced - rounds.middle[:, None] + np.pi, 2.0 * np.pi) - np.pi)
        half = 0.5 * rounds.sweep[:, None]
        clear |= rounds.arcs[:, None] & (off - turn[1] > half)
        room = tolerance / np.where(rounds.arcs, np.abs(rounds.radius), 1.0)[:, None]
        inside &= ~rounds.arcs[:, None] | (half >= np.pi) | (off + turn[1] <= half + room)
    for row, edge in held:
        clear[row, edge] = inside[row, edge]
    return bool(clear.all())
