"""A peg in a hole: the contacts of an insertion, and when it jams or wedges (Whitney 1982; here from wrench cones).

The peg (half width r) goes into a hole (half width R) along -y; l is the length of its side inside the hole. It jams
when the load does not push it further in, although it could go there; it wedges when its contacts press on each other
without any load. Nothing of Whitney's diagram is coded here: it is the section of a wrench cone.
"""

from __future__ import annotations

from math import acos, atan2, cos, hypot, sin

import numpy as np
from numpy.typing import ArrayLike

from dynamics.cones.contact_set import ContactSet, place_contacts
from dynamics.cones.modes import spell_motion
from dynamics.cones.polyhedral import Cone
from dynamics.cones.wrench import cone_of_mode
from geometry.errors import InputError

INSERTION = (0.0, -1.0, 0.0)


def place_upright_peg(radius: float, depth: float, mu: ArrayLike, height: float = 0.0,
                      rho: float | None = None) -> ContactSet:
    """The four contacts an upright peg can have: tip left and right, mouth left and right, in this order.

    The tip is at y = 0, the mouth at y = depth. Wrenches are about the point `height` above the middle of the tip;
    rho is `radius` if not given, so that their third component is torque / radius, as in Whitney's diagram.
    """
    _check_positive(radius=radius, depth=depth)
    points = [(-radius, 0.0), (radius, 0.0), (-radius, depth), (radius, depth)]
    normals = [(1.0, 0.0), (-1.0, 0.0)] * 2
    return place_contacts(points, normals, mu, (0.0, height), radius if rho is None else rho)


def compute_tilt(radius: float, hole: float, depth: float) -> float:
    """Tilt (rad, counter-clockwise) of a peg that touches both walls: 2 R = 2 r cos(tilt) + l sin(tilt).

    depth is l, along the side of the peg. ValueError where the peg cannot reach both walls.
    """
    _check_positive(radius=radius, hole=hole, depth=depth)
    if not radius < hole < 0.5 * hypot(2.0 * radius, depth):
        raise InputError(f"hole is {hole}: with radius {radius} and depth {depth} a peg touches both walls only for "
                         f"half widths from {radius} to {0.5 * hypot(2.0 * radius, depth):.6g}")
    return atan2(depth, 2.0 * radius) - acos(2.0 * hole / hypot(2.0 * radius, depth))


def place_tilted_peg(radius: float, hole: float, depth: float, mu: ArrayLike, height: float = 0.0,
                     rho: float = 1.0) -> ContactSet:
    """Two-point contact, tilted counter-clockwise: the right corner of the tip on the right wall, and the left edge of
    the mouth on the left side of the peg.

    Points are relative to the point `height` above the middle of the tip, along the peg. Order: mouth, tip.
    """
    tilt = compute_tilt(radius, hole, depth)
    along = np.array([-sin(tilt), cos(tilt)])
    across = np.array([cos(tilt), sin(tilt)])
    mouth = -radius * across + depth * along
    tip = radius * across
    return place_contacts([mouth, tip], [across, np.array([-1.0, 0.0])], mu, height * along, rho)


def insertion_cone(contacts: ContactSet) -> Cone:
    """The wrenches under which the peg can slide straight in, all its contacts kept: outside it jams (Whitney 1982).

    For an upright peg (`place_upright_peg`) its section Fy = -1 is Whitney's parallelogram. ValueError if the peg
    cannot move straight in with all contacts kept.
    """
    mode = spell_motion(contacts, INSERTION)
    if not set(mode) <= set("rl"):
        raise InputError(f"the motion straight in has mode {mode!r}: it does not keep all contacts")
    return cone_of_mode(contacts, mode)


def compute_section(cone: Cone, direction: ArrayLike = INSERTION) -> np.ndarray:
    """Corners (n, 3) of the section { w in the closure : direction.w = 1 } of a cone, in order about the direction.

    ValueError if the section is empty or has no end.
    """
    along = cone.rays @ np.asarray(direction, dtype=np.float64)
    if cone.empty or len(cone.lines) or len(cone.rays) == 0 or not (along > 0.0).all():
        raise InputError("the section of this cone is empty or has no end: all its rays must point along direction")
    corners = cone.rays / along[:, None]
    offset = corners - corners.mean(axis=0)
    basis = np.linalg.svd(np.asarray(direction, dtype=np.float64)[None, :])[2][1:]
    if np.dot(np.cross(basis[0], basis[1]), direction) < 0.0:
        basis = basis[::-1]
    return corners[np.argsort(np.arctan2(offset @ basis[1], offset @ basis[0]))]


def _check_positive(**values) -> None:
    for name, value in values.items():
        if not 0.0 < value < np.inf:
            raise InputError(f"{name} is {value}: must be positive and finite")
