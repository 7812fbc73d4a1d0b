"""Detection: which contacts a pose makes, and the next contact of a moving pose, against dense sampling."""

from __future__ import annotations

import numpy as np
import pytest

from geometry.contact.contacts import TYPE_A, TYPE_B, build_part, compute_contact
from geometry.contact.detection import (
    TOO_MANY_CONTACTS,
    allocate_scratch,
    compute_clearance,
    find_contacts,
)
from geometry.contact.next_contact import find_next_contact
from geometry.contact.path import allocate_path, evaluate_path, fill_path
from tests.geometry.contact.test_contacts import SQUARE, TABLE, make_walls

TOUCH = 1e-12
NOTHING = np.zeros((0, 3), dtype=np.int64)


def find(part, walls, pose, capacity=16):
    contacts, corner = np.zeros((capacity, 3), dtype=np.int64), np.zeros((capacity, 3), dtype=np.int64)
    n = find_contacts(part, walls, np.array(pose, float), TOUCH, contacts, corner, allocate_scratch(part, walls))
    return (contacts[:n], corner[:n]) if n >= 0 else n


def describe(part, walls, pose, contacts):
    """Sorted (type, normal, contact point)."""
    rows = []
    for contact in contacts:
        _, _, nx, ny, rx, ry, _ = compute_contact(part, walls, contact, np.array(pose, float))
        rows.append(("AB"[contact[0]], round(nx, 9), round(ny, 9), round(pose[0] - rx, 9), round(pose[1] - ry, 9)))
    return sorted(rows)


def test_edge_on_edge_gives_two_contacts():
    part, walls, pose = build_part(SQUARE), make_walls(TABLE), [0.5, 1.0, 0.0]
    contacts, corner = find(part, walls, pose)
    assert describe(part, walls, pose, contacts) == [("B", 0.0, 1.0, -0.5, 0.0), ("B", 0.0, 1.0, 1.5, 0.0)]
    assert (corner == -1).all()


def test_overhanging_edge_rests_on_a_corner_of_the_part_and_one_of_the_table():
    part, walls, pose = build_part(SQUARE), make_walls(TABLE), [2.5, 1.0, 0.0]
    contacts, _ = find(part, walls, pose)
    assert describe(part, walls, pose, contacts) == [("A", 0.0, 1.0, 3.0, 0.0), ("B", 0.0, 1.0, 1.5, 0.0)]


def test_inner_corner_gives_a_contact_for_each_wall():
    wall = np.array([[3.0, -1.0], [4.0, -1.0], [4.0, 3.0], [3.0, 3.0]])
    part, walls, pose = build_part(SQUARE), make_walls(TABLE, wall), [2.0, 1.0, 0.0]
    contacts, _ = find(part, walls, pose)
    assert describe(part, walls, pose, contacts) == [
        ("B", -1.0, 0.0, 3.0, 0.0), ("B", -1.0, 0.0, 3.0, 2.0), ("B", 0.0, 1.0, 1.0, 0.0), ("B", 0.0, 1.0, 3.0, 0.0),
    ]  # fmt: skip


def test_inner_corner_of_the_part_on_a_corner():
    bracket = np.array([[0, 0], [4, 0], [4, 1], [1, 1], [1, 4], [0, 4]], float) - [1.0, 1.0]
    post = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]])
    part, walls = build_part(bracket[:, ::1] @ np.array([[-1.0, 0.0], [0.0, -1.0]])), make_walls(post)
    contacts, corner = find(part, walls, [2.0, 2.0, 0.0])  # turned by half a turn: the inner corner is at (2, 2)
    found = describe(part, walls, [2.0, 2.0, 0.0], contacts)
    assert ("A", 1.0, 0.0, 2.0, 2.0) in found and ("A", 0.0, 1.0, 2.0, 2.0) in found
    assert (corner == -1).all()


@pytest.mark.parametrize("shift", [0.0, 1e-12])
def test_level_seam_is_no_seam(shift):
    """Two blocks side by side: a part across the joint touches with its own corners only."""
    left = np.array([[-3.0, -1.0], [0.0, -1.0], [0.0, 0.0], [-3.0, 0.0]])
    right = np.array([[-shift, -1.0], [3.0, -1.0], [3.0, 0.0], [-shift, 0.0]])
    part, walls, pose = build_part(SQUARE), make_walls(left, right), [0.25, 1.0, 0.0]
    contacts, _ = find(part, walls, pose)
    assert describe(part, walls, pose, contacts) == [("B", 0.0, 1.0, -0.75, 0.0), ("B", 0.0, 1.0, 1.25, 0.0)]


def test_convex_corner_on_convex_corner_has_a_fan_of_normals():
    """A square, tilted, with a corner on the corner of a table: the extreme normals are those of the table."""
    part, walls = build_part(SQUARE), make_walls(TABLE)
    pose = [3.0 + 1.0, 1.0, 0.0]  # its lower left corner exactly on the table's upper right one
    contacts, corner = find(part, walls, pose)
    normals = {(n[1], n[2]) for n in describe(part, walls, pose, contacts)}
    assert normals == {(0.0, 1.0), (1.0, 0.0)}
    assert set(corner[:, 2]) == {0, 1}
    assert len({tuple(row[:2]) for row in corner}) == 1


def test_flush_corners_are_ordinary():
    """A square flush with the end of the table: only the table's top pushes, not its side."""
    part, walls, pose = build_part(SQUARE), make_walls(TABLE), [2.0, 1.0, 0.0]
    contacts, corner = find(part, walls, pose)
    assert {row[1:3] for row in describe(part, walls, pose, contacts)} == {(0.0, 1.0)}
    assert (corner == -1).all()


def test_too_many_contacts_is_reported():
    assert find(build_part(SQUARE), make_walls(TABLE), [0.0, 1.0, 0.0], capacity=1) == TOO_MANY_CONTACTS


def make_path(q, v, a):
    path = allocate_path()
    fill_path(path, *(np.array(x, float) for x in (q, v, a)))
    return path


def next_contact(part, walls, path, h):
    scratch = allocate_scratch(part, walls)
    return find_next_contact(part, walls, path, 0.0, h, NOTHING, TOUCH, scratch), tuple(scratch.spot.hit)


def test_fall_onto_a_table():
    part, walls = build_part(SQUARE), make_walls(TABLE)
    time, hit = next_contact(part, walls, make_path([0, 2.0, 0], [0, 0, 0], [0, -10.0, 0]), 1.0)
    assert time == pytest.approx(np.sqrt(0.2), abs=1e-14)
    assert hit[0] == TYPE_B


@pytest.mark.parametrize("lift", [0.0, 1e-4, -0.4])
def test_a_corner_that_slides_over_a_seam_touches_what_comes_next(lift):
    """Two blocks side by side, and a box that slides from one to the other: the gap of its hind corner to the second
    block is the same all the time, and comes into being only at the seam."""
    left = np.array([[-9.0, -1.0], [0.0, -1.0], [0.0, 0.0], [-9.0, 0.0]])
    right = np.array([[0.0, -1.0], [9.0, -1.0], [9.0, 0.0], [0.0, 0.0]])
    part, walls, pose = build_part(SQUARE), make_walls(left, right), [-0.5, 1.0 + lift * TOUCH, 0.0]
    active, _ = find(part, walls, pose)
    scratch = allocate_scratch(part, walls)
    time = find_next_contact(part, walls, make_path(pose, [1.0, 0, 0], [0, 0, 0]), 0.0, 8.0, active, TOUCH, scratch)
    assert time == pytest.approx(1.5, abs=2.0 * TOUCH)
    pose[0] += time
    assert abs(compute_contact(part, walls, np.array(tuple(scratch.spot.hit)), np.array(pose))[0]) <= TOUCH


@pytest.mark.parametrize("speed", [1.0, 1e3, 1e6])
def test_nothing_tunnels_through_a_thin_wall(speed):
    wall = np.array([[5.0, -5.0], [5.0 + 1e-6, -5.0], [5.0 + 1e-6, 5.0], [5.0, 5.0]])
    part, walls = build_part(SQUARE), make_walls(wall)
    h = 100.0 / speed
    time, _ = next_contact(part, walls, make_path([0, 0, 0.1], [speed, 0, 0.0], [0, 0, 0]), h)
    reach = np.sqrt(2.0) * np.cos(np.pi / 4 - 0.1)
    assert time * speed == pytest.approx(5.0 - reach, rel=1e-13)


def test_two_sign_changes_in_one_step_are_seen():
    """A spinning part dips below the table for an instant well inside one step."""
    part, walls = build_part(SQUARE), make_walls(TABLE)
    height = np.sqrt(2.0) - 1e-9  # a corner at the bottom of its circle is 1e-9 below the table
    path = make_path([0, height, 0.0], [0, 0, 1.0], [0, 0, 0])
    time, hit = next_contact(part, walls, path, 3.0)
    # the corner arrives at 5e-5 m/s, so that rounding of 4e-16 m is 1e-11 s
    assert time == pytest.approx(np.pi / 4 - np.arccos(height / np.sqrt(2.0)), abs=2e-11)
    assert hit[0] == TYPE_B
    assert next_contact(part, walls, make_path([0, height + 2e-9, 0], [0, 0, 1.0], [0, 0, 0]), 3.0)[0] == np.inf


def test_table_corner_meets_an_edge_of_the_part():
    part, walls = build_part(SQUARE), make_walls(TABLE)
    path = make_path([3.5, 3.0, -0.2], [0, -1.0, 0], [0, 0, 0])
    time, hit = next_contact(part, walls, path, 5.0)
    assert hit[0] == TYPE_A
    pose = np.array([3.5, 3.0 - time, -0.2])
    assert compute_contact(part, walls, np.array(hit), pose)[0] == pytest.approx(0.0, abs=1e-14)


@pytest.mark.parametrize("seed", range(40))
def test_next_contact_against_dense_sampling(seed):
    """No contact before the time found, one there: distances by sampling, random non-convex parts and walls."""
    rng = np.random.default_rng(seed)
    star = np.array([[np.cos(t), np.sin(t)] for t in np.linspace(0, 2 * np.pi, 9)[:-1]])
    part = build_part(star * rng.uniform(0.3, 1.0, 8)[:, None])
    walls = make_walls(star * rng.uniform(0.5, 1.5, 8)[:, None] + [3.0, 0.0])
    q, v = [0, rng.uniform(-1, 1), rng.uniform(-3, 3)], [rng.uniform(2, 4), rng.normal(), rng.normal() * 3]
    a = rng.normal(size=3)
    h = 1.5
    path = make_path(q, v, a)
    time, hit = next_contact(part, walls, path, h)
    scratch = allocate_scratch(part, walls)
    end = min(time, h)
    for t in np.linspace(0.0, end, 400)[:-1]:
        pose = np.array(q) + t * np.array(v) + 0.5 * t * t * a
        clear = compute_clearance(part, walls, pose, NOTHING, 0, 10.0, scratch)
        assert clear > 0.0, f"seed {seed}: overlap at {t} before {time}"
    if time < np.inf:
        pose = np.array(q) + time * np.array(v) + 0.5 * time * time * a
        assert compute_clearance(part, walls, pose, NOTHING, 0, 10.0, scratch) < 1e-13, f"seed {seed}"
        assert abs(compute_contact(part, walls, np.array(hit), pose)[0]) < 1e-13, f"seed {seed}"


def test_a_part_that_leaves_for_ever_costs_little():
    """10 000 km in one step: far from all walls the search takes strides. It comes back, and is found."""
    part, walls = build_part(SQUARE), make_walls(TABLE)
    scratch = allocate_scratch(part, walls)
    path = make_path([0, 2.0, 0], [0, 10.0, 0], [0, -2e-6, 0])  # thrown up slowly under a weak pull
    duration = 2.0 * 10.0 / 2e-6 * (1.0 + 2e-8)
    time = find_next_contact(part, walls, path, 0.0, duration, NOTHING, TOUCH, scratch)
    # gap 1 above the table at the start: 1 + 10 t - 1e-6 t^2 = 0
    assert time == pytest.approx((10.0 + np.sqrt(100.0 + 4e-6)) / 2e-6, rel=1e-12)
    # though the path is 25 000 km high, and rounded to more than the touch distance
    pose, velocity = np.zeros(3), np.zeros(3)
    evaluate_path(path, time, pose, velocity)
    assert abs(pose[1] - 1.0) < 1e-6
