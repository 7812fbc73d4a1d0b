"""Which contacts go over into each other at a joint where the normal does not jump.

So it is where an edge and an arc, or two arcs, have one tangent, also across a seam of two obstacles; at the vertex at
the end of an arc; and at the end of an edge, where what touches it is round itself. No contact begins there that was
not there before: it only gets another name.
"""

from __future__ import annotations

from geometry.compiled.jit import jit, kernel
from geometry.contact.contacts import TYPE_A, TYPE_B, is_own_row


@kernel
def continues(part, walls, one, other):
    """Does one contact go over into another one at a joint, on the part or on the walls?"""
    a, b = _read(part, walls, one), _read(part, walls, other)
    if a == b:  # on both surfaces that meet in a vertex
        return False
    if a[2:] == b[2:]:  # the same on the walls
        return _share_joint(part.edge, a[:2], b[:2], walls.edge[one[2]].radius != 0.0 and one[0] != TYPE_B)
    if a[:2] == b[:2]:
        return _share_joint(walls.edge, a[2:], b[2:], part.edge[one[1]].radius != 0.0 and one[0] != TYPE_A)
    return False


@jit
def _read(part, walls, triple):
    """(row of the outline, 1 if it is its vertex) of a contact on the part, and the same on the walls."""
    kind, i, j = triple[0], triple[1], triple[2]
    row = i if part.edge[i].radius == 0.0 else part.edge[i].arc
    wall = walls.edge[j].arc if walls.edge[j].radius != 0.0 else (j if is_own_row(walls, j) else walls.edge[j].across)
    return (row, 1 if kind != TYPE_A and part.edge[i].radius == 0.0 else 0,
            wall, 1 if kind != TYPE_B and walls.edge[j].radius == 0.0 else 0)


@jit
def _share_joint(edge, one, other, is_round):
    """Do two rows of an outline meet in a joint that a contact passes? one, other: as `_read` says; is_round: is what
    touches them an arc?"""
    (i, vertex), (j, other_vertex) = one, other
    if vertex == 1 and other_vertex == 1:
        return False
    if vertex == 1:
        return (is_round or edge[j].arc >= 0) and (i == j or edge[j].next == i)
    if other_vertex == 1:
        return (is_round or edge[i].arc >= 0) and (i == j or edge[i].next == j)
    if not (is_round or edge[i].arc >= 0 or edge[j].arc >= 0):  # a seam of two edges is passed by a vertex elsewhere
        return False
    return (edge[i].next == j and edge[j].smooth) or (edge[j].next == i and edge[i].smooth)
