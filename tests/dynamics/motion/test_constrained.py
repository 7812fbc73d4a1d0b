"""Motion in a fixed mode: its acceleration is a member of the complete set; projections hold the constraints."""

from __future__ import annotations

import numpy as np
import pytest

from dynamics.loads.load import NO_LOADS
from dynamics.motion.closed import CLOSED, fill_from_mode, make_problem
from dynamics.motion.constrained import choose_basis, evaluate_mode, project_pose, project_velocity
from dynamics.motion.mode import (
    CAPACITY,
    LETTER_L,
    LETTER_N,
    LETTER_R,
    MODE,
    ROLLING,
    SLIDING,
    SLIDING_TWICE,
    STATIC,
    Body,
    MotionState,
)
from dynamics.search.members import allocate_set_buffer, find_members
from dynamics.search.problem import VERTICES
from dynamics.tolerances import DEFAULT_TOLERANCES
from geometry.compiled.kernel import get_function
from geometry.compiled.record import allocate_record
from geometry.contact.contacts import TYPE_B, build_part, compute_contact, compute_gap_rate
from tests.geometry.contact.test_contacts import SQUARE, TABLE, find_edge, make_walls

WALL = np.array([[-4.0, -1.0], [-3.0, -1.0], [-3.0, 5.0], [-4.0, 5.0]])


def make_body(mu=0.4, w=(0.5, -9.81, 0.2)):
    load = np.array([*w, 0.0, 0.0, 0.0])
    walls = make_walls(TABLE, WALL, mu=mu)
    return Body(build_part(SQUARE), walls, np.array(w, float), 0.8, 2.0, load, NO_LOADS, False, np.inf, 0.0)


def make_mode(body, contacts, letters, pose):
    mode = allocate_record(MODE)
    mode.n = len(contacts)
    for k, contact in enumerate(contacts):
        mode.triple[k], mode.letter[k], mode.corner[k] = contact, letters[k], -1
        mode.pin[k] = compute_contact(body.part, body.walls, np.array(contact), pose)[1]
    return mode


def find_member(body, mode, pose, velocity):
    closed, buffer = allocate_record(CLOSED), allocate_set_buffer(CAPACITY)
    fill_from_mode(body, mode, MotionState(0.0, pose, velocity), 1e-12, closed)
    find_members(get_function(make_problem)(closed, body.w), DEFAULT_TOLERANCES, buffer)
    return buffer.found.vertices[: buffer.found.counts[VERTICES]].copy()


def set_basis(body, mode, pose, velocity, target):
    return choose_basis(body, mode, MotionState(0.0, pose, velocity), target, np.zeros(3), np.zeros(4))


def corner_on_floor(body, theta):
    """Pose with the lowest vertex on the floor, and that contact."""
    turn = np.array([[np.cos(theta), -np.sin(theta)], [np.sin(theta), np.cos(theta)]])
    world = SQUARE @ turn.T
    vertex = int(np.argmin(world[:, 1]))
    return np.array([0.0, -world[vertex, 1], theta]), (TYPE_B, vertex, find_edge(body.walls.edge, 0.0, 1.0))


@pytest.mark.parametrize("seed", range(40))
def test_one_contact_moves_as_the_set_says(seed):
    rng = np.random.default_rng(seed)
    body = make_body(mu=float(rng.choice([0.0, 0.2, 0.6])))
    pose, contact = corner_on_floor(body, rng.uniform(0.1, 1.4))
    velocity = np.array([rng.choice([-1.0, 0.0, 1.0]), 0.0, rng.normal()])
    mode = make_mode(body, [contact], [LETTER_R], pose)
    mode.kind = SLIDING
    project_velocity(body, mode, MotionState(0.0, pose, velocity))
    slip = compute_slip(body, contact, pose, velocity)
    mode.letter[0] = LETTER_R if slip > 0 else LETTER_L
    members = find_member(body, mode, pose, velocity)
    acceleration, force = np.zeros(3), np.zeros(4)
    for member in members:
        assert set_basis(body, mode, pose, velocity, member) >= 0.0
        evaluate_mode(body, mode, MotionState(0.0, pose, velocity), acceleration, force)
        if force[0] > 1e-9:
            assert acceleration * [1, 1, body.rho] == pytest.approx(member, abs=1e-9), f"seed {seed}"
            return
    assert np.abs(members - body.w).max() < 1e-9, f"seed {seed}: a set without contact force is free flight"


def compute_slip(body, contact, pose, velocity):
    _, _, nx, ny, rx, ry, _ = compute_contact(body.part, body.walls, np.array(contact), pose)
    return ny * velocity[0] - nx * velocity[1] + (nx * rx + ny * ry) * velocity[2]


def test_a_rolling_contact_is_a_pin():
    body = make_body()
    pose, contact = corner_on_floor(body, 0.5)
    mode = make_mode(body, [contact], [LETTER_N], pose)
    mode.kind = ROLLING
    moved = pose + np.array([1e-3, -2e-3, 1e-3])
    project_pose(body, mode, 0.0, moved)
    gap, along, *_ = compute_contact(body.part, body.walls, np.array(contact), moved)
    assert abs(gap) < 1e-15 and along == pytest.approx(mode.pin[0], abs=1e-15)
    velocity = np.array([0.3, 0.1, 1.0])
    project_velocity(body, mode, MotionState(0.0, moved, velocity))
    assert compute_gap_rate(body.part, body.walls, np.array(contact), moved, velocity)[1] == pytest.approx(0, abs=1e-15)
    assert compute_slip(body, contact, moved, velocity) == pytest.approx(0, abs=1e-15)


def test_projection_is_the_shortest_way():
    """The correction is a combination of the constraint rows: orthogonal in (x, y, rho theta) to all free motions."""
    body = make_body()
    pose, contact = corner_on_floor(body, 0.5)
    mode = make_mode(body, [contact], [LETTER_R], pose)
    mode.kind = SLIDING
    velocity = np.array([0.3, 0.1, 1.0])
    change = velocity.copy()
    project_velocity(body, mode, MotionState(0.0, pose, velocity))
    change = (velocity - change) * [1, 1, body.rho]
    _, _, nx, ny, rx, ry, _ = compute_contact(body.part, body.walls, np.array(contact), pose)
    row = np.array([nx, ny, (nx * ry - ny * rx) / body.rho])
    assert np.cross(change, row) == pytest.approx(np.zeros(3), abs=1e-15)


def test_two_sliding_contacts_leave_one_freedom_and_three_rows_none():
    body = make_body(mu=0.1)
    pose = np.array([0.0, 1.0, 0.0])
    floor = find_edge(body.walls.edge, 0.0, 1.0)
    flat = make_mode(body, [(TYPE_B, 0, floor), (TYPE_B, 1, floor)], [LETTER_R, LETTER_R], pose)
    velocity = np.array([1.0, 0.0, 0.0])
    target = np.array([0.5 - 0.1 * 9.81, 0.0, 0.0])
    assert set_basis(body, flat, pose, velocity, target) < 1e-12
    assert flat.kind == SLIDING_TWICE
    stuck = make_mode(body, [(TYPE_B, 0, floor), (TYPE_B, 1, floor)], [LETTER_N, LETTER_N], pose)
    assert set_basis(body, stuck, pose, np.zeros(3), np.zeros(3)) == 0.0
    assert stuck.kind == STATIC
