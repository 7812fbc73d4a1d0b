"""Statics of contacts: what they can hold, whether they hold everything, and whether they can hold on to each other.

All of it follows from one number, the grip. Let g_i be the forces that the contacts can exert, each scaled to length
one in (Fx, Fy, torque / rho). Then grip = min over unit u of max_i g_i.u, and, with the convex hull of the g_i:

    grip > 0    0 lies inside the hull: the forces span R^3 positively, every load can be held (closure)
    grip = 0    0 lies on the hull's boundary: the forces can balance each other, but do not hold every load
    grip < 0    0 lies outside: the forces cannot balance each other, and -grip is the distance of 0 from the hull

A positive grip is the largest load, in any direction, that edge forces of total size one hold (Ferrari and Canny 1992).
The two edges of one contact are opposed but for 1 / mu, so friction beyond 1e9 counts as infinite: such a contact alone
is said to wedge.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dynamics.cones.closure import find_grip
from dynamics.cones.contact_set import ContactSet
from dynamics.cones.polyhedral import Cone, cone_from_span
from dynamics.cones.wrench import force_cone
from dynamics.tolerances import MEMBER


def equilibrium_cone(contacts: ContactSet) -> Cone:
    """The external wrenches (Fx, Fy, torque / rho) under which the part can stay at rest: a closed cone.

    That it can does not say that it does: see `dynamics.cones.wrench.exclusive_cones` with the mode "nn...n".
    """
    return cone_from_span(-force_cone(contacts).generators)


def check_force_closure(contacts: ContactSet) -> tuple[bool, float]:
    """Can the contacts, with friction, hold every load? Returns the verdict and the grip (see the module's text)."""
    grip = compute_grip(np.vstack(_pick_closed(contacts).edges))
    return grip > MEMBER, grip


def check_form_closure(contacts: ContactSet) -> tuple[bool, float]:
    """Do the contacts hold every load without friction, so that no motion is left to first order (Reuleaux 1876)?

    Returns the verdict and the grip of the normal forces. A part that is held by the curvature of its contacts alone
    (second-order form closure) has grip 0 and the verdict False.
    """
    grip = compute_grip(_pick_closed(contacts).N)
    return grip > MEMBER, grip


def check_wedging(contacts: ContactSet) -> tuple[bool, float]:
    """Can the contacts press on each other without any load, so that the part may stay stuck under none?

    Returns the verdict and the grip; wedging begins where the grip reaches 0.
    """
    grip = compute_grip(np.vstack(_pick_closed(contacts).edges))
    return grip >= -MEMBER, grip


def compute_grip(forces: ArrayLike) -> float:
    """Grip of forces (n, 3) of any length, see the module's text; -1 without any force."""
    forces = np.asarray(forces, dtype=np.float64).reshape(-1, 3)
    sizes = np.linalg.norm(forces, axis=1)
    units = np.ascontiguousarray(forces[sizes > 0.0] / sizes[sizes > 0.0, None])
    return float(find_grip(units, len(units), -1.0))


def _pick_closed(contacts: ContactSet) -> ContactSet:
    return contacts.take(np.flatnonzero(contacts.closed))
