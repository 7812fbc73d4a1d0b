"""Grip and force closure as kernels: what a sweep asks of every part that has come to rest. The text of
`dynamics.cones.statics` says what the grip is."""

from __future__ import annotations

from math import sqrt

from dynamics.tolerances import ANGLE, MEMBER
from geometry.compiled.jit import jit, kernel
from geometry.tolerances import ANGLE_TOLERANCE


@kernel
def find_grip(forces, n, enough):
    """Grip of unit forces[:n] (..., 3), or, once it is known to be at most `enough`, a bound of it; -1 without any.

    The minimum over u lies where up to three of the g_i are equally far along u: on the normal of the plane, line or
    point that they form, or, where all of them lie in a plane or on a line through 0, on a normal of that.
    """
    if n == 0:
        return -1.0
    x, y, z = forces[0, 0], forces[0, 1], forces[0, 2]
    if abs(x) <= abs(y) and abs(x) <= abs(z):
        best = _try(forces, n, 0.0, z, -y, 1.0)
    elif abs(y) <= abs(z):
        best = _try(forces, n, -z, 0.0, x, 1.0)
    else:
        best = _try(forces, n, y, -x, 0.0, 1.0)
    for i in range(n):
        best = _try(forces, n, forces[i, 0], forces[i, 1], forces[i, 2], best)
    for i in range(n):
        for j in range(i + 1, n):
            if best <= enough:
                return best
            best = _try_pair(forces, n, i, j, best)
    for i in range(n):
        for j in range(i + 1, n):
            if best <= enough:
                return best
            best = _try_planes(forces, n, i, j, best)
    return best


@kernel
def _try_pair(forces, n, i, j, best):
    """The normals of the line through two forces and of the plane through them and 0."""
    ax, ay, az = forces[i, 0], forces[i, 1], forces[i, 2]
    bx, by, bz = forces[j, 0], forces[j, 1], forces[j, 2]
    dx, dy, dz = bx - ax, by - ay, bz - az
    length = dx * dx + dy * dy + dz * dz
    if length > ANGLE * ANGLE:
        share = -(ax * dx + ay * dy + az * dz) / length
        best = _try(forces, n, ax + share * dx, ay + share * dy, az + share * dz, best)
    return _try(forces, n, ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx, best)


@kernel
def _try_planes(forces, n, i, j, best):
    """The normals of the planes through two forces and a later one."""
    ax, ay, az = forces[i, 0], forces[i, 1], forces[i, 2]
    bx, by, bz = forces[j, 0] - ax, forces[j, 1] - ay, forces[j, 2] - az
    for k in range(j + 1, n):
        cx, cy, cz = forces[k, 0] - ax, forces[k, 1] - ay, forces[k, 2] - az
        best = _try(forces, n, by * cz - bz * cy, bz * cx - bx * cz, bx * cy - by * cx, best)
    return best


@kernel
def _try(forces, n, x, y, z, best):
    """The smaller of `best` and max_i g_i.u, u being the direction (x, y, z) or its opposite."""
    size = sqrt(x * x + y * y + z * z)
    if size <= ANGLE:
        return best
    low, high = 1.0, -1.0
    for i in range(n):
        along = (forces[i, 0] * x + forces[i, 1] * y + forces[i, 2] * z) / size
        low, high = min(low, along), max(high, along)
        if high >= best and -low >= best:
            return best
    return min(best, high, -low)


@kernel
def check_closure(contacts, first, n, pose, mu, rho, forces):
    """Do the friction cones of contacts[first : first + n], rows of a contact table, span all loads?

    pose (3,): of the centre of mass; mu (obstacles,); rho: radius of gyration; forces (2 n or more, 3): room.
    """
    if not _press_differently(contacts, first, n):
        return False
    m = 0
    for k in range(first, first + n):
        if not _is_outermost(contacts, first, n, k):
            continue
        nx, ny = contacts[k]["nx"], contacts[k]["ny"]
        rx, ry = pose[0] - contacts[k]["px"], pose[1] - contacts[k]["py"]
        normal, tangent = (nx * ry - ny * rx) / rho, (nx * rx + ny * ry) / rho
        for side in range(2):  # the edges of the friction cone
            slope = mu[contacts[k]["obstacle"]] * (2 * side - 1)
            x, y, z = nx + slope * ny, ny - slope * nx, normal + slope * tangent
            size = sqrt(x * x + y * y + z * z)
            forces[m, 0], forces[m, 1], forces[m, 2] = x / size, y / size, z / size
            m += 1
    return find_grip(forces, m, MEMBER) > MEMBER


@jit
def _press_differently(contacts, first, n):
    """Have contacts different normals? Otherwise there is a load that pulls the part off."""
    for k in range(first + 1, first + n):
        if not _are_parallel(contacts[k], contacts[first]):
            return True
    return False


@jit
def _are_parallel(one, other):
    return abs(one["nx"] - other["nx"]) <= ANGLE_TOLERANCE and abs(one["ny"] - other["ny"]) <= ANGLE_TOLERANCE


@jit
def _get_place(row):
    """Where a contact is along its tangent."""
    return row["ny"] * row["px"] - row["nx"] * row["py"]


@kernel
def _is_outermost(contacts, first, n, k):
    """Is contact k the first or the last of those on one straight edge? Those between them add nothing."""
    own, lowest, highest = _get_place(contacts[k]), True, True
    for i in range(first, first + n):
        if i == k or contacts[i]["obstacle"] != contacts[k]["obstacle"] or not _are_parallel(contacts[i], contacts[k]):
            continue
        place = _get_place(contacts[i])
        lowest = lowest and (own < place or (own == place and k < i))
        highest = highest and (own > place or (own == place and k < i))
    return lowest or highest
