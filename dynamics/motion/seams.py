"""Where a corner of the part crosses the seam between two surfaces that differ, and so changes from one to the other.

At the seam the corner touches both. One that moves along does so for no time: what holds from now on is the surface
that it moves onto. One that does not move may press on either, and both count.
"""

from __future__ import annotations

from dynamics.motion.mode import compute_frame, compute_place, get_surface_speed
from geometry.compiled.jit import jit, kernel
from geometry.contact.contacts import TYPE_B, compute_edge_length
from geometry.tolerances import ANGLE_TOLERANCE


@kernel
def is_left_behind(body, closed, k, kept, at, zeros):
    """Is contact k at the end of its edge, and about to leave it for another on a surface that differs? The others are
    the rows before `kept` and after k; at: MotionState; zeros: Zeros."""
    corner = _find_left_corner(body, closed.triple[k], at, zeros)
    if corner < 0:
        return False
    for m in range(closed.n):
        if kept <= m <= k or not _is_unlike(body, closed.triple[k], closed.triple[m]):
            continue
        a, b = closed.normal[k], closed.normal[m]
        if abs(a[0] * b[1] - a[1] * b[0]) > ANGLE_TOLERANCE or a[0] * b[0] + a[1] * b[1] < 0.0:
            continue
        if closed.triple[m, 0] == TYPE_B and closed.triple[m, 1] == corner:
            if _find_left_corner(body, closed.triple[m], at, zeros) < 0:
                return True
    return False


@kernel
def _find_left_corner(body, triple, at, zeros):
    """The corner of the part at the end of the edge of a contact, if that is about to be left there; else -1."""
    along = compute_place(body, triple, at.time, at.pose).along
    left = compute_edge_length(body.part, body.walls, triple) - along
    if min(along, left) > zeros.touch:
        return -1
    slip = compute_frame(body, triple, at).slip
    rate = -(slip + get_surface_speed(body, triple, at.time))  # of `along`, for both types
    if (rate if along < left else -rate) >= -zeros.speed:
        return -1
    if triple[0] == TYPE_B or along < left:
        return triple[1]
    return body.part.edge[triple[1]].next


@jit
def _is_unlike(body, one, other):
    """Do the surfaces of two contacts differ?"""
    a, b = body.walls.edge[one[2]], body.walls.edge[other[2]]
    return a.mover != b.mover or a.mu != b.mu or a.e != b.e or a.law != b.law
