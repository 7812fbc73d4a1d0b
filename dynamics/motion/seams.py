"""Where a corner of the part crosses the seam between two surfaces that differ, and so changes from one to the other.

At the seam the corner touches both. One that moves along does so for no time: what holds from now on is the surface
that it moves onto. One that does not move may press on either, and both count.
"""

from __future__ import annotations

from dynamics.motion.mode import compute_frame, get_surface_speed
from geometry.compiled.jit import jit, kernel
from geometry.contact.contacts import TYPE_B, compute_contact, compute_edge_length
from geometry.tolerances import ANGLE_TOLERANCE


@kernel
def is_left_behind(body, closed, k, others, state, zeros):
    """Is contact k at the end of its edge, and about to leave it for one of `others` on a surface that differs?

    others = (kept, n): the rows before `kept` and after k, before n; state = (pose, velocity); zeros = (touch [m],
    speed that is zero [m/s]).
    """
    corner = _find_left_corner(body, closed.triple[k], state, zeros)
    if corner < 0:
        return False
    kept, n = others
    for m in range(n):
        if kept <= m <= k or not _is_unlike(body, closed.triple[k], closed.triple[m]):
            continue
        a, b = closed.normal[k], closed.normal[m]
        if abs(a[0] * b[1] - a[1] * b[0]) > ANGLE_TOLERANCE or a[0] * b[0] + a[1] * b[1] < 0.0:
            continue
        if closed.triple[m, 0] == TYPE_B and closed.triple[m, 1] == corner:
            if _find_left_corner(body, closed.triple[m], state, zeros) < 0:
                return True
    return False


@kernel
def _find_left_corner(body, triple, state, zeros):
    """The corner of the part at the end of the edge of a contact, if that is about to be left there; else -1."""
    pose, velocity = state
    touch, speed_zero = zeros
    _, along, _, _, _, _ = compute_contact(body.part, body.walls, triple, pose)
    left = compute_edge_length(body.part, body.walls, triple) - along
    if min(along, left) > touch:
        return -1
    _, _, _, _, _, _, slip, _, _ = compute_frame(body, triple, pose, velocity)
    rate = -(slip + get_surface_speed(body, triple))  # of `along`, for both types
    if (rate if along < left else -rate) >= -speed_zero:
        return -1
    if triple[0] == TYPE_B or along < left:
        return triple[1]
    return (triple[1] + 1) % body.part.edge.shape[0]


@jit
def _is_unlike(body, one, other):
    """Do the surfaces of two contacts differ?"""
    a, b = body.walls.edge[one[2]], body.walls.edge[other[2]]
    return a.mover != b.mover or a.mu != b.mu or a.e != b.e or a.law != b.law
