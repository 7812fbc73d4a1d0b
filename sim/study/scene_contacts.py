"""From a scene to the contacts of its part at rest: those that touch, and places that it may approach."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dynamics.cones.contact_set import ContactSet, place_contacts, read_problem
from geometry.errors import InputError
from sim.scene.build import take_scene
from sim.tolerances import ENDS_ASIDE
from sim.words.quoting import list_words, quote

if TYPE_CHECKING:
    from dynamics.spaces.projection import ContactSpaces
    from sim.scene.scene import AnyScene, Scene


def find_contact_set(scene: AnyScene, near: float = 0.0, pose: ArrayLike | None = None,
                     approach: Iterable[str] = ()) -> tuple[ContactSet, list[dict]]:
    """The contacts of the part at rest at a pose (x, y, theta of the centre of mass; the start if not given).

    Closed ones come first, in the order of `contact_problem`; then places with a gap up to `near` (m) that
    the part does not touch: a vertex or an arc over the inside of an edge, or over an arc, by obstacle and gap. Each
    contact is a dict with obstacle (name), type ("A", "B" or "C"), point (2,), normal (2,) in the world, and gap
    (m; 0 if closed).
    approach: names of obstacles; of each that is not touched, the nearest place counts, however far it is.
    ValueError: a corner rests on a corner (see `contact_set.read_problem`), near is negative, or approach
    names no obstacle, or one that the part faces with nothing but corners.
    """
    scene = take_scene(scene)
    from sim.instant.instant import contact_problem

    if not 0.0 <= near < np.inf:
        raise InputError(f"near is {near}: must be a length, zero or positive")
    start = scene.workpiece.pose
    pose = np.array([start.x, start.y, start.theta] if pose is None else pose, dtype=np.float64)
    problem, found = contact_problem(scene, pose, np.zeros(3))
    read_problem(problem)  # says what has no wrench cone
    contacts = [{key: contact[key] for key in ("obstacle", "type", "point", "normal")} | {"gap": 0.0}
                for contact in found]
    mu = list(problem.mu)
    closed = {(c["type"], c["part_feature"], c["obstacle_feature"]) for c in found}
    for contact, friction in _choose_near(scene, near, pose, closed, approach, {c["obstacle"] for c in found}):
        contacts.append(contact)
        mu.append(friction)
    contact_set = place_contacts([c["point"] for c in contacts], [c["normal"] for c in contacts], mu, pose[:2],
                                 scene.workpiece.rho, [c["gap"] == 0.0 for c in contacts])
    return contact_set, contacts


def find_contact_spaces(scene: AnyScene, mode: str | None = None, pose: ArrayLike | None = None) -> ContactSpaces:
    """Forces and motions of the closed contacts, in (x, y, rho theta); see `spaces_of_contacts`."""
    scene = take_scene(scene)
    from dynamics.spaces.projection import spaces_of_contacts

    return spaces_of_contacts(find_contact_set(scene, pose=pose)[0], mode)


def find_load(scene: AnyScene) -> np.ndarray:
    """The external wrench of a scene, weight included: (Fx, Fy, torque / rho), N."""
    scene = take_scene(scene)
    fx, fy, torque = scene.load
    workpiece = scene.workpiece
    weight = workpiece.mass * np.array(scene.gravity)
    return np.array([fx + weight[0], fy + weight[1], torque / workpiece.rho])


# ---- places that are near --------------------------------------------------------------------------------------------


def _choose_near(scene: Scene, near: float, pose, closed, approach, touched):
    """(contact, friction) of the places within `near`, and of the nearest place of each obstacle to approach."""
    names = [obstacle.name for obstacle in scene.obstacles]
    for name in approach:
        if name not in names:
            raise InputError(f"there is no obstacle {quote(name)} to approach; there are: {list_words(names)}")
    if not approach and near == 0.0:
        return []
    places = _find_near(scene, np.inf if approach else near, pose, closed)
    chosen = [place for place in places if place[0]["gap"] <= near]
    for name in approach:
        own = [place for place in places if place[0]["obstacle"] == name]
        if not own and name not in touched:
            raise InputError(f"no edge or arc of the part faces a corner or an arc of {quote(name)}, nor the other way "
                             "round")
        if own and name not in touched and own[0] not in chosen:
            chosen.append(own[0])
    return sorted(chosen, key=lambda place: (names.index(place[0]["obstacle"]), place[0]["gap"]))


def _find_near(scene: Scene, near: float, pose, closed):
    """(contact, friction) of the open pairs of features with a gap up to `near`, by obstacle and gap."""
    from geometry.contact.contacts import has_point
    from sim.instant.body import build_body

    body = build_body(scene)
    table = body.walls.edge
    part = _place_table(body.part.edge, pose, body.part.edge["convex"])
    touchable = np.array([has_point(body.walls, j) for j in range(len(table))], dtype=bool)
    walls = _place_table(table, np.zeros(3), touchable)
    pairs = [("A", *_measure_on_edges(walls, part), True), ("B", *_measure_on_edges(part, walls), False),
             ("C", *_measure_round(part, walls), False)]
    found = []
    for kind, gaps, normals, valid, swapped in pairs:
        for i, j in zip(*np.nonzero(valid & (gaps > 0.0) & (gaps <= near)), strict=True):
            wall, feature = (int(i), int(j)) if swapped else (int(j), int(i))
            if (kind, feature, wall) in closed:
                continue
            gap, away = float(gaps[i, j]), normals[i, j]  # from the second to the first
            one = (walls if swapped else part)
            first = one.place[i] - one.radius[i] * away
            second = first - gap * away
            if _is_blocked(first, second, (part, walls)):
                continue
            point, normal = (second, -away) if swapped else (first, away)
            owner = int(table["owner"][wall])
            found.append((owner, gap, {"obstacle": scene.obstacles[owner].name, "type": kind,
                                       "point": tuple(float(x) for x in point),
                                       "normal": tuple(float(x) for x in normal), "gap": gap},
                          float(table["mu"][wall])))
    found.sort(key=lambda entry: entry[:2])
    return [entry[2:] for entry in found]


class _Table(NamedTuple):
    """The rows of a table of the part or of the walls, in the world; see `geometry.contact.contacts`."""

    place: np.ndarray  # (n, 2) m, start of an edge; centre of an arc
    along: np.ndarray  # (n, 2) along an edge; from the centre of an arc to its middle
    length: np.ndarray  # (n,) m, 0 where the row is no edge
    radius: np.ndarray  # (n,) m, 0 of a vertex, negative of a concave arc
    half: np.ndarray  # (n,) rad, half of what an arc turns through
    touchable: np.ndarray  # (n,) bool: may the vertex or arc touch?


def _place_table(table, pose, touchable) -> _Table:
    c, s = np.cos(pose[2]), np.sin(pose[2])
    turn = np.array([[c, s], [-s, c]])
    return _Table(_read_columns(table, "x", "y") @ turn + np.asarray(pose)[:2], _read_columns(table, "dx", "dy") @ turn,
                  np.array(table["length"]), np.array(table["radius"]), np.array(table["half"]),
                  np.array(touchable) | (table["radius"] != 0.0))


def _read_columns(table, *names) -> np.ndarray:
    return np.column_stack([table[name] for name in names])


def _measure_on_edges(one: _Table, other: _Table):
    """(gaps, normals, valid) (n, m) of what is round, if not concave, over the insides of edges; normals point from the
    edge to it."""
    offset = one.place[:, None, :] - other.place[None, :, :]
    outward = np.broadcast_to(np.stack([other.along[:, 1], -other.along[:, 0]], axis=1), offset.shape)
    place = np.einsum("ijk,jk->ij", offset, other.along)
    gaps = np.sum(offset * outward, axis=-1) - one.radius[:, None]
    valid = (one.touchable & (one.radius >= 0.0))[:, None] & (place > 0.0) & (place < other.length)
    return gaps, outward, valid & _is_on_arc(one, -outward)


def _measure_round(one: _Table, other: _Table):
    """(gaps, normals, valid) (n, m) of what is round beside, or within, what is round, if not both are vertices;
    normals point from the second to the first."""
    offset = one.place[:, None, :] - other.place[None, :, :]
    distance = np.hypot(offset[..., 0], offset[..., 1])
    first, second = np.broadcast_arrays(one.radius[:, None], other.radius[None, :])
    within = first + second < 0.0
    normals = offset / np.where(distance > 0.0, distance, 1.0)[..., None] * np.where(within, -1.0, 1.0)[..., None]
    gaps = np.where(within, -distance, distance) - first - second
    valid = one.touchable[:, None] & other.touchable & ((first != 0.0) | (second != 0.0)) & (distance > 0.0)
    valid = valid & ((first >= 0.0) | (second >= 0.0))
    valid = valid & _is_on_arc(one, -normals * np.where(first < 0.0, -1.0, 1.0)[..., None])
    back = normals * np.where(second < 0.0, -1.0, 1.0)[..., None]
    return gaps, normals, valid & _is_on_arc(other, back.swapaxes(0, 1)).T


def _is_on_arc(table: _Table, directions) -> np.ndarray:
    """(n, m) bool: do directions (n, m, 2) from the centre of an arc meet it? Of a vertex all do."""
    x, y = table.along.T
    cross = x[:, None] * directions[..., 1] - y[:, None] * directions[..., 0]
    angle = np.abs(np.arctan2(cross, np.sum(table.along[:, None, :] * directions, axis=-1)))
    return (table.radius == 0.0)[:, None] | (angle <= table.half[:, None])


def _is_blocked(start, end, tables: Iterable[_Table]) -> bool:
    """Does an edge or an arc cross the segment from start to end, ends aside?"""
    def side(a, b, p):
        return (b[..., 0] - a[..., 0]) * (p[..., 1] - a[..., 1]) - (b[..., 1] - a[..., 1]) * (p[..., 0] - a[..., 0])

    margin = ENDS_ASIDE * (end - start)
    a, b = start + margin, end - margin
    for table in tables:
        straight = table.length > 0.0
        starts = table.place[straight]
        ends = starts + table.length[straight, None] * table.along[straight]
        crosses = (side(a, b, starts) * side(a, b, ends) < 0.0) & (side(starts, ends, a) * side(starts, ends, b) < 0.0)
        arcs = _Table(*(column[table.radius != 0.0] for column in table))
        if crosses.any() or _crosses_arcs(a, b, arcs):
            return True
    return False


def _crosses_arcs(a, b, arcs: _Table) -> bool:
    """Does an arc cross the segment from a to b? |a + s (b - a) - C|^2 = r^2 for an s from 0 to 1, on the arc."""
    way, away = b - a, a - arcs.place
    half, square = away @ way, way @ way
    root = half * half - square * (np.sum(away * away, axis=1) - arcs.radius**2)
    met = root > 0.0
    for sign in (-1.0, 1.0):
        share = (sign * np.sqrt(np.where(met, root, 0.0)) - half) / square
        directions = (away + share[:, None] * way)[:, None, :]
        if (met & (share > 0.0) & (share < 1.0) & _is_on_arc(arcs, directions)[:, 0]).any():
            return True
    return False
