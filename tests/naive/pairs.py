"""Detection without trees: every edge of the part against every edge of the walls, in the order that contacts have.

The slow twin of `geometry.contact.nearby`; the tests of single pairs are those of the kernels themselves.
"""

from __future__ import annotations

import numpy as np

from geometry.contact import detection
from geometry.contact.contacts import compute_contact, compute_edge_length
from geometry.contact.nearby import place_frame


def list_walls(walls) -> list[int]:
    """All wall edges in their order: leaves of the tree from its last to its first, then the obstacles that move."""
    listed, stack = [], [0]
    while stack:
        node = walls.node[stack.pop()]
        if node.first >= 0:
            stack += [node.first, node.second]
            continue
        for place in range(-1 - node.first, -1 - node.first + node.second):
            j = int(walls.edge[place].order)
            listed += [j] if walls.edge[j].across < 0 else [j, int(walls.edge[j].across)]
    for mover in walls.mover[1:]:
        listed += range(mover.first_edge, mover.first_edge + mover.n_edges)
    return listed


def list_pairs(part, walls, pose, reach):
    """(kind, i, j) of all pairs that may touch within a reach, in order."""
    world = np.zeros((len(part.edge), 2))
    c, s = np.cos(pose[2]), np.sin(pose[2])
    world[:, 0] = pose[0] + c * part.edge.x - s * part.edge.y
    world[:, 1] = pose[1] + s * part.edge.x + c * part.edge.y
    return [np.array([kind, i, j]) for j in list_walls(walls) for i in range(len(part.edge)) for kind in range(2)
            if detection.may_touch(part, walls, kind, i, j, reach, world)]


def find_contacts(part, walls, pose, touch, capacity=64):
    """(contacts, corners) at a pose."""
    contacts, corner, count = np.zeros((capacity, 3), np.int64), np.zeros((capacity, 3), np.int64), 0
    neighbour = np.zeros(3, np.int64)
    for triple in list_pairs(part, walls, pose, touch):
        place = compute_contact(part, walls, triple, pose)
        if not detection._is_closed(part, walls, triple, pose, place, touch):
            continue
        ends = detection._find_corner(part, walls, triple, place, pose, touch, neighbour)
        if ends[0] >= 0 and not detection._separates(part, walls, place, ends, place_frame(pose)):
            continue
        contacts[count], corner[count] = triple, (*ends, 0)
        count += 1
    count = detection._reduce_corners(part, walls, pose, contacts, corner, count)
    return contacts[:count], corner[:count]


def compute_clearance(part, walls, pose, active, margin):
    """Smallest distance of a pair that is not active, at most the margin."""
    least = margin
    for triple in list_pairs(part, walls, pose, margin):
        if not detection.is_active(active, len(active), triple):
            place, length = compute_contact(part, walls, triple, pose), compute_edge_length(part, walls, triple)
            least = min(least, detection.compute_distance(place.gap, place.along, length))
    return least


def without_trees(part, walls):
    """The same part and walls, whose edges the kernels look at one by one."""
    mover = walls.mover.copy()
    mover.root = -1
    return part._replace(node=part.node[:0]), walls._replace(mover=mover, edge=walls.edge.copy(),
                                                             clock=walls.clock.copy())
