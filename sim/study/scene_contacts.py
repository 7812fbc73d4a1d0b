"""From a scene to the contacts of its part at rest: those that touch, and places that it may approach."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

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
    the part does not touch: a vertex over the inside of an edge, by obstacle and gap. Each contact is a dict with
    obstacle (name), type ("A" or "B"), point (2,), normal (2,) in the world, and gap (m; 0 if closed).
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
            raise InputError(f"no edge of the part faces a corner of {quote(name)}, nor the other way round")
        if own and name not in touched and own[0] not in chosen:
            chosen.append(own[0])
    return sorted(chosen, key=lambda place: (names.index(place[0]["obstacle"]), place[0]["gap"]))


def _find_near(scene: Scene, near: float, pose, closed):
    """(contact, friction) of the open vertex-edge pairs with a gap up to `near`, by obstacle and gap."""
    from geometry.contact.contacts import has_point
    from sim.instant.body import build_body

    body = build_body(scene)
    part, walls = body.part.edge, body.walls.edge
    touchable = np.array([has_point(body.walls, j) for j in range(len(walls))], dtype=bool)
    c, s = np.cos(pose[2]), np.sin(pose[2])
    turn = np.array([[c, s], [-s, c]])
    corners = _read_columns(part, "x", "y") @ turn + pose[:2]
    pieces = [
        ("A", _read_columns(walls, "x", "y"), touchable, corners, _read_columns(part, "dx", "dy") @ turn, part),
        ("B", corners, part["convex"], _read_columns(walls, "x", "y"), _read_columns(walls, "dx", "dy"), walls),
    ]
    edges = [(corners, np.roll(corners, -1, axis=0)),
             (_read_columns(walls, "x", "y"), _read_columns(walls, "x", "y")
              + walls["length"][:, None] * _read_columns(walls, "dx", "dy"))]
    starts, ends = (np.vstack(both) for both in zip(*edges, strict=True))
    found = []
    for kind, vertices, may, origins, along, table in pieces:
        for i, j in zip(*np.nonzero(_is_near(vertices, may, origins, along, table["length"], near)), strict=True):
            edge, corner = (i, j) if kind == "B" else (j, i)
            part_feature, wall = (int(edge), int(corner))
            if (kind, part_feature, wall) in closed:
                continue
            outward = np.array([along[j, 1], -along[j, 0]])
            gap = float(outward @ (vertices[i] - origins[j]))
            foot = vertices[i] - gap * outward
            if _is_blocked(vertices[i], foot, starts, ends):
                continue
            point, normal = (vertices[i], outward) if kind == "B" else (foot, -outward)
            owner = int(walls["owner"][wall])
            found.append((owner, gap, {"obstacle": scene.obstacles[owner].name, "type": kind,
                                       "point": tuple(float(x) for x in point),
                                       "normal": tuple(float(x) for x in normal), "gap": gap},
                          float(walls["mu"][wall])))
    found.sort(key=lambda entry: entry[:2])
    return [entry[2:] for entry in found]


def _read_columns(table, *names) -> np.ndarray:
    return np.column_stack([table[name] for name in names])


def _is_near(vertices, touchable, origins, along, lengths, near) -> np.ndarray:
    """(vertices, edges) bool: a vertex that may touch, outside, over the inside of the edge, not farther than
    `near`."""
    offset = vertices[:, None, :] - origins[None, :, :]
    place = np.einsum("ijk,jk->ij", offset, along)
    gap = offset[:, :, 0] * along[None, :, 1] - offset[:, :, 1] * along[None, :, 0]
    return touchable[:, None] & (place > 0.0) & (place < lengths[None, :]) & (gap > 0.0) & (gap <= near)


def _is_blocked(vertex, foot, starts, ends) -> bool:
    """Does an edge cross the segment from a vertex to its foot, ends aside?"""
    def side(a, b, p):
        return (b[..., 0] - a[..., 0]) * (p[..., 1] - a[..., 1]) - (b[..., 1] - a[..., 1]) * (p[..., 0] - a[..., 0])

    margin = ENDS_ASIDE * (foot - vertex)
    a, b = vertex + margin, foot - margin
    crosses = (side(a, b, starts) * side(a, b, ends) < 0.0) & (side(starts, ends, a) * side(starts, ends, b) < 0.0)
    return bool(crosses.any())
