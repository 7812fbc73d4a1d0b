"""The broad phase leaves out nothing that counts and changes no order: trees against plain loops, to the last bit."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from geometry.contact.contacts import FEW_EDGES, build_part
from geometry.contact.detection import allocate_scratch, compute_clearance, find_contacts
from geometry.contact.moving import place_walls
from geometry.contact.next_contact import find_next_contact
from geometry.contact.trees import LEAF_SIZE, build_chain_tree, build_strip_tree, build_tree
from geometry.prescribed.motion import Coordinate, CurvePiece, Motion, Wave
from tests.geometry.contact.test_contacts import SQUARE, make_walls
from tests.geometry.contact.test_detection import NOTHING, make_path
from tests.geometry.contact.test_moving_walls import make_moving_walls, polynomial
from tests.naive import pairs

TOUCH = 1e-12


def draw_ring(rng, n, low, high):
    angle = 2.0 * np.pi * (np.arange(n) + rng.uniform(0.0, 0.8, n)) / n
    return rng.uniform(low, high, n)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])


def draw_scene(rng, n, m, moving):
    """A part of n edges, and walls of m edges each: one fixed, or one fixed and one that moves and turns."""
    part, fixed = build_part(draw_ring(rng, n, 0.6, 1.0)), np.add(draw_ring(rng, m, 1.0, 1.6), [2.4, 0.0])
    if not moving:
        return part, make_walls(fixed, np.add(SQUARE, [-4.0, 0.0]))
    x = Coordinate((CurvePiece(-inf, 0.0, (-2.6, *rng.normal(size=2))),), (Wave(rng.uniform(0, 0.3), 5.0, 1.0),))
    motion = Motion(x, polynomial(*rng.normal(size=2) * 0.3), polynomial(0.0, rng.normal() * 2, rng.normal()))
    walls = make_moving_walls(draw_ring(rng, m, 0.9, 1.3), motion, fixed)
    place_walls(walls, rng.uniform(0.0, 0.3))
    return part, walls


def find(part, walls, pose, capacity=200):
    contacts, corner = np.zeros((capacity, 3), np.int64), np.zeros((capacity, 3), np.int64)
    n = find_contacts(part, walls, pose, TOUCH, contacts, corner, allocate_scratch(part, walls))
    return contacts[:n].tolist(), corner[:n].tolist()


def put_in_touch(part, walls, pose):
    """The pose, moved along x until the part touches what stands on the right of it."""
    path = make_path(pose, [1.0, 0.0, 0.0], np.zeros(3))
    time = find_next_contact(part, walls, path, 0.0, 5.0, NOTHING, TOUCH, allocate_scratch(part, walls))
    return pose + np.array([min(time, 5.0), 0.0, 0.0])


@pytest.mark.parametrize("n, m", [(30, 12), (12, 60), (30, 40), (FEW_EDGES, 20), (FEW_EDGES + 1, 20)])
@pytest.mark.parametrize("moving", [False, True])
def test_contacts_and_clearance_are_those_of_all_pairs(n, m, moving, rng):
    for _ in range(2):
        part, walls = draw_scene(rng, n, m, moving)
        pose, scratch = np.array([0.0, rng.uniform(-0.3, 0.3), rng.uniform(-3, 3)]), allocate_scratch(part, walls)
        for _ in range(2):  # each with the memory of the one before
            pose += rng.normal(size=3) * 0.02
            for margin in (0.1, 3.0):
                assert (compute_clearance(part, walls, pose, NOTHING, 0, margin, scratch)
                        == pairs.compute_clearance(part, walls, pose, NOTHING, margin))
        if not moving:
            pose = put_in_touch(part, walls, pose)
        contacts, corner = find(part, walls, pose)
        naive = pairs.find_contacts(part, walls, pose, TOUCH)
        assert (contacts, corner) == (naive[0].tolist(), naive[1].tolist())
        assert moving or contacts
        active = np.array(contacts, np.int64).reshape(-1, 3)
        assert (compute_clearance(part, walls, pose, active, len(active), 1.0, scratch)
                == pairs.compute_clearance(part, walls, pose, active, 1.0))


@pytest.mark.parametrize("theta", [0.0, 0.7])
def test_a_rough_face_flush_with_a_rough_floor(theta):
    """Every second tooth touches: contacts by the dozen, on a floor of which a tree is descended, in the order of all
    pairs."""
    x, n = np.linspace(-3.0, 3.0, 61), 61
    tooth = np.where(np.arange(n) % 2, 0.1, 0.0)
    c, s = np.cos(theta), np.sin(theta)
    turn = np.array([[c, s], [-s, c]])
    floor = np.concatenate([np.column_stack([x, tooth])[::-1], [[-3.0, -2.0], [3.0, -2.0]]])
    upper = np.column_stack([x, 0.1 + 0.1 * (np.arange(n) % 4 == 2)])[10:50]
    part = build_part(np.concatenate([upper, [[1.9, 2.0], [-2.0, 2.0]]]) - [0.0, 1.0])
    walls, pose = make_walls(floor @ turn), np.array([-s, c, theta])
    contacts, corner = find(part, walls, pose)
    naive = pairs.find_contacts(part, walls, pose, TOUCH, 200)
    assert (contacts, corner) == (naive[0].tolist(), naive[1].tolist())
    assert len(contacts) > 20


@pytest.mark.parametrize("n, m", [(30, 12), (12, 50), (30, 40)])
@pytest.mark.parametrize("moving", [False, True])
def test_the_next_contact_is_that_of_all_pairs(n, m, moving, rng):
    hits = 0
    for _ in range(4):
        part, walls = draw_scene(rng, n, m, moving)
        pose = [0.0, rng.uniform(-0.3, 0.3), rng.uniform(-3, 3)]
        path = make_path(pose, [1.0, *rng.normal(size=2) * 0.3], rng.normal(size=3))
        found = []
        for those in ((part, walls), pairs.without_trees(part, walls)):
            scratch = allocate_scratch(*those)
            found.append((find_next_contact(*those, path, 0.1, 1.0, NOTHING, TOUCH, scratch), *scratch.spot.hit))
        assert found[0] == found[1]
        hits += found[0][0] < np.inf
    assert hits > 0


def list_leaves(node, first_child):
    """Ranges of the leaves in the order of a descent, and whether every box holds those below it."""
    leaves, stack = [], [0]
    while stack:
        row = node[stack.pop()]
        if row.first < 0:
            leaves.append((-1 - row.first, row.second))
        else:
            stack += [row.second, row.first] if first_child else [row.first, row.second]
    return leaves


@pytest.mark.parametrize("n", [1, LEAF_SIZE, LEAF_SIZE + 1, 17, 100, 1000])
def test_trees_hold_every_edge_once_and_in_order(n, rng):
    start, end = rng.normal(size=(n, 2)), rng.normal(size=(n, 2))
    order = np.empty(n, np.int64)
    built = build_tree(np.minimum(start, end), np.maximum(start, end), order)
    assert sorted(order) == list(range(n))
    chain, strip = build_chain_tree(start, end), build_strip_tree(start)
    for node, first_child in ((chain, False), (strip, True)):
        leaves = list_leaves(node, first_child)
        assert [place for begin, size in leaves for place in range(begin, begin + size)] == list(range(n))
    for row in built[built.first < 0]:
        own = order[-1 - row.first : -1 - row.first + row.second]
        assert row.x_min == min(start[own, 0].min(), end[own, 0].min())
        assert row.y_max == max(start[own, 1].max(), end[own, 1].max())
    for row in strip[strip.first < 0]:
        for k in range(-1 - row.first, -row.first + row.second):
            dx, dy = start[k % n] - [row.x, row.y]
            assert abs(dx * row.ux + dy * row.uy) <= row.half_length + 1e-14
            assert abs(dy * row.ux - dx * row.uy) <= row.half_width + 1e-14
