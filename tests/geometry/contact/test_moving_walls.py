"""Walls that move: first and second variation by finite differences, belts, and contacts that are never jumped over."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from dynamics.loads.load import NO_LOADS
from dynamics.motion.mode import Body, MotionState, compute_frame, compute_place, get_load
from geometry.compiled.kernel import get_function
from geometry.contact.contacts import (
    TYPE_A,
    TYPE_B,
    build_part,
    compute_contact,
    compute_gap_rate,
    compute_variation,
    compute_wall_acceleration,
    compute_wall_velocity,
)
from geometry.contact.detection import allocate_scratch, compute_clearance
from geometry.contact.moving import begin_motion, build_moving_walls, place_walls
from geometry.contact.next_contact import find_next_contact
from geometry.prescribed.motion import STILL, Coordinate, CurvePiece, Motion, Wave
from geometry.shapes.union.boundary import compute_boundary
from tests.geometry.contact.test_contacts import SQUARE, TABLE
from tests.geometry.contact.test_detection import NOTHING, TOUCH, make_path

STAR = np.array([[np.cos(t), np.sin(t)] for t in np.linspace(0, 2 * np.pi, 9)[:-1]])


def polynomial(*coefficients):
    return Coordinate((CurvePiece(-inf, 0.0, tuple(map(float, coefficients))),))


def make_moving_walls(outline, motion, *fixed, mu=0.3, gravity_turn=None):
    """Walls of one obstacle that moves (number 0) and others that do not."""
    n = 1 + len(fixed)
    at_start = motion.place(0.0).transform(np.asarray(outline, dtype=float))
    still = compute_boundary([np.asarray(o, dtype=float) for o in fixed], 1e-12)
    still = still._replace(owner=still.owner + 1)
    moving = compute_boundary([at_start], 1e-12)
    pairs = np.full(n, mu), np.zeros(n), np.zeros(n, int)
    return build_moving_walls([(still, 0), (moving, 1)], pairs, [(0, motion)], gravity_turn)


def draw_motion(rng, surface=False):
    """A smooth motion of all coordinates: polynomials and waves."""
    def draw():
        wave = Wave(rng.normal() * 0.3, rng.uniform(1, 4), rng.uniform(0, 6))
        return Coordinate((CurvePiece(-inf, 0.3, tuple(rng.normal(size=5))),), (wave,))
    return Motion(draw(), draw(), draw(), draw() if surface else STILL, tuple(rng.normal(size=2)))


@pytest.mark.parametrize("kind", [TYPE_A, TYPE_B])
def test_variations_are_the_derivatives_of_the_gap(kind):
    """gap' = n.(v - omega x r - Vm) and gap'' = N.a + b, part and obstacle in random motion."""
    rng = np.random.default_rng(70 + kind)
    part = build_part(SQUARE)
    for case in range(400):
        walls = make_moving_walls(TABLE, draw_motion(rng))
        q, v, a, contact = rng.normal(size=3), rng.normal(size=3), rng.normal(size=3), np.array([kind, 0, 0])
        contact[1:] = rng.integers(4, size=2)
        now = rng.uniform(0, 1)

        def gap_at(t, contact=contact, walls=walls, q=q, v=v, a=a, now=now):
            place_walls(walls, now + t)
            return compute_contact(part, walls, contact, q + t * v + 0.5 * t * t * a)[0]

        h = 1e-4
        differences = [gap_at(t) for t in (-h, 0.0, h)]
        place_walls(walls, now)
        gap, rate, _ = compute_gap_rate(part, walls, contact, q, v)
        _, _, nx, ny, rx, ry, _ = compute_contact(part, walls, contact, q)
        mover = walls.mover[1]
        wall = compute_wall_velocity(mover, q[0] - rx, q[1] - ry)
        slip = ny * (v[0] - wall[0]) - nx * (v[1] - wall[1]) + (nx * rx + ny * ry) * v[2]
        pull = compute_wall_acceleration(mover, q[0] - rx, q[1] - ry)
        b, _ = compute_variation(kind, (nx, ny), (rx, ry), (v[2], mover.rate[2]), slip, pull)
        second = nx * a[0] + ny * a[1] + (nx * ry - ny * rx) * a[2] + b
        scale = 1.0 + abs(second)
        assert gap == pytest.approx(differences[1], abs=1e-13), f"case {case}"
        assert rate == pytest.approx((differences[2] - differences[0]) / (2 * h), abs=3e-5 * scale), f"case {case}"
        bend = (differences[2] - 2 * differences[1] + differences[0]) / h**2
        assert second == pytest.approx(bend, abs=3e-5 * scale), f"case {case}"


@pytest.mark.parametrize("kind", [TYPE_A, TYPE_B])
def test_slip_accelerates_as_the_row_says_where_the_gap_stays_closed(kind):
    """slip' = T.a + d on a moving shape with a running surface, whatever the slip, where gap and gap' are zero."""
    rng = np.random.default_rng(90 + kind)
    part = build_part(SQUARE)
    for case in range(400):
        walls = make_moving_walls(TABLE, draw_motion(rng, surface=True))
        body = Body(part, walls, np.zeros(3), 0.7, 1.0, np.zeros(6), NO_LOADS, False, inf, 0.0)
        now, triple = rng.uniform(0, 1), np.array([kind, *rng.integers(4, size=2)])
        q, v, a = rng.normal(size=3), rng.normal(size=3), rng.normal(size=3)
        gap, _, nx, ny, _, _, _ = compute_place(body, triple, now, q)
        q[:2] -= gap * np.array([nx, ny])
        frame = compute_frame(body, triple, MotionState(now, q, v))
        v[:2] -= (nx * v[0] + ny * v[1] + frame.nq * 0.7 * v[2] - frame.push) * np.array([nx, ny])
        nx, ny, _, vq, _, d, _, _, _ = compute_frame(body, triple, MotionState(now, q, v))
        predicted = ny * a[0] - nx * a[1] + vq * 0.7 * a[2] + d

        def slip_at(t, body=body, now=now, triple=triple, q=q, v=v, a=a):
            return compute_frame(body, triple, MotionState(now + t, q + t * v + 0.5 * t * t * a, v + t * a)).slip

        h = 1e-5
        found = (slip_at(h) - slip_at(-h)) / (2 * h)
        assert predicted == pytest.approx(found, abs=1e-6 * (1.0 + abs(predicted))), f"case {case}"


def test_rows_and_load_are_those_of_the_time_that_is_asked_for():
    """To the last bit, whatever time was asked for before, and where only the walls were moved, without gravity."""
    rng = np.random.default_rng(92)
    walls = make_moving_walls(TABLE, draw_motion(rng, surface=True), gravity_turn=polynomial(0.1, 0.7))
    load, w = np.array([0.1, 0.2, 0.3, 0.0, -9.81, 0.0]), np.array([0.0, 0.0, 0.3])
    body = Body(build_part(SQUARE), walls, w, 0.7, 1.0, load, NO_LOADS, True, inf, 0.0)
    triple, pose, velocity = np.array([TYPE_B, 1, 2]), rng.normal(size=3), rng.normal(size=3)

    def look(time):
        load = get_function(get_load)(body, MotionState(time, pose, velocity))
        return compute_frame(body, triple, MotionState(time, pose, velocity)), load.tolist()

    times = rng.uniform(0.0, 2.0, 6)
    first = [look(time) for time in times]
    assert len({frame for frame, _ in first}) == len(times)
    for k in rng.permutation(np.repeat(np.arange(len(times)), 3)):
        place_walls(walls, times[rng.integers(len(times))])
        assert look(times[k]) == first[k]
    for time, (_, load) in zip(times, first, strict=True):
        c, s = np.cos(0.1 + 0.7 * time), np.sin(0.1 + 0.7 * time)
        assert load == pytest.approx([0.1 + 9.81 * s, 0.2 - 9.81 * c, 0.3], abs=1e-14)


def test_second_variation_numbers():
    """Ground truth: n0 = (0, 1), r = (.6, .8), v = (.5, .2), omega = 2, Vm = (.3, -1), Am = (.1, .4), Om = -1.5: slip
    1.8, b_A = -4.4, b_B = 8.2."""
    slip = 0.5 + 0.8 * 2.0 - 0.3
    assert slip == pytest.approx(1.8)
    for kind, b in ((TYPE_A, -4.4), (TYPE_B, 8.2)):
        found = compute_variation(kind, (0.0, 1.0), (0.6, 0.8), (2.0, -1.5), slip, (0.1, 0.4))[0]
        assert found == pytest.approx(b, abs=1e-12)


def test_a_belt_drags_along_its_tangent():
    """On top of a belt with surface speed 2 m/s the surface runs towards +x, below towards -x."""
    motion = Motion(surface=polynomial(0, 2))
    walls = make_moving_walls(TABLE, motion)
    body = Body(build_part(SQUARE), walls, np.zeros(3), 0.7, 1.0, np.zeros(6), NO_LOADS, False, inf, 0.0)
    for j in range(4):
        drag = compute_frame(body, np.array([TYPE_B, 0, j]), MotionState(0.0, np.zeros(3), np.zeros(3))).drag
        tangent = np.array([walls.edge[j].ny, -walls.edge[j].nx])
        assert drag == 2.0
        if walls.edge[j].ny != 0.0:
            assert tangent[0] == np.sign(walls.edge[j].ny)


def measure_clearance(part, walls, path_start, pose, t):
    place_walls(walls, path_start + t)
    return compute_clearance(part, walls, pose, NOTHING, 0, 10.0, allocate_scratch(part, walls))


@pytest.mark.parametrize("seed", range(40))
def test_next_contact_against_dense_sampling(seed):
    """No contact before the time found, one there: non-convex parts and walls that both move and turn, beside one that
    stands still."""
    rng = np.random.default_rng(seed)
    part = build_part(STAR * rng.uniform(0.3, 1.0, 8)[:, None])
    motion = Motion(
        Coordinate((CurvePiece(-inf, 0.0, (3.0, *rng.normal(size=3))),), (Wave(rng.uniform(0, 0.3), 12.0, 1.0),)),
        polynomial(*rng.normal(size=3)), polynomial(0.0, rng.normal() * 4, rng.normal()))
    walls = make_moving_walls(STAR * rng.uniform(0.5, 1.5, 8)[:, None], motion, STAR * 0.4 + [-3.0, 0.0])
    q, v, a = [0, 0.3, rng.uniform(-3, 3)], [rng.uniform(-2, 3), rng.normal(), rng.normal() * 3], rng.normal(size=3)
    start, h = rng.uniform(0, 0.2), 1.5
    place_walls(walls, start)
    assert measure_clearance(part, walls, start, np.array(q, float), 0.0) > 0.05, f"seed {seed}: begins in contact"
    scratch = allocate_scratch(part, walls)
    time = find_next_contact(part, walls, make_path(q, v, a), start, h, NOTHING, TOUCH, scratch)
    for t in np.linspace(0.0, min(time, h), 600)[:-1]:
        pose = np.array(q) + t * np.array(v) + 0.5 * t * t * a
        assert measure_clearance(part, walls, start, pose, t) > 0.0, f"seed {seed}: overlap at {t} before {time}"
    if time < np.inf:
        pose = np.array(q) + time * np.array(v) + 0.5 * time * time * a
        assert measure_clearance(part, walls, start, pose, time) < 1e-12, f"seed {seed}"


@pytest.mark.parametrize("speed", [1e2, 1e4, 1e6])
def test_a_thin_plate_does_not_tunnel(speed):
    """A plate of 1 mm passes a square of 2 m within a small part of one step: they meet where arithmetic says."""
    part = build_part(SQUARE)
    plate = np.array([[-5e-4, -0.5], [5e-4, -0.5], [5e-4, 0.5], [-5e-4, 0.5]])
    walls = make_moving_walls(plate, Motion(x=polynomial(-10.0, speed)))
    place_walls(walls, 0.0)
    path = make_path([0.0, 0.0, 0.0], [0.0, 0.0, 0.0], np.zeros(3))
    time = find_next_contact(part, walls, path, 0.0, 1.0, NOTHING, TOUCH, allocate_scratch(part, walls))
    assert time == pytest.approx((9.0 - 5e-4) / speed, rel=1e-10)


def test_both_fast_and_turning():
    """A part shot through a rod that spins 100 times a second, far away at the start."""
    part = build_part(0.01 * SQUARE)
    rod = np.array([[-1.0, -1e-3], [1.0, -1e-3], [1.0, 1e-3], [-1.0, 1e-3]])
    walls = make_moving_walls(rod, Motion(theta=polynomial(0.0, 200.0 * np.pi)))
    place_walls(walls, 0.0)
    path = make_path([-500.0, 0.3, 0.0], [1000.0, 0.0, 0.0], np.zeros(3))
    time = find_next_contact(part, walls, path, 0.0, 1.0, NOTHING, TOUCH, allocate_scratch(part, walls))
    fine = next(t for t in np.arange(0.498, 0.502, 1e-7)
                if measure_clearance(part, walls, 0.0, np.array([-500.0 + 1000.0 * t, 0.3, 0.0]), t) < 2e-4)
    assert 0.0 <= time - fine < 1e-5
    assert measure_clearance(part, walls, 0.0, np.array([-500.0 + 1000.0 * time, 0.3, 0.0]), time) < 1e-9


def test_pieces_change_at_breaks_only():
    """The piece in use is evaluated beyond its end until the motion is told to go on."""
    pieces = (CurvePiece(-inf, 0.0, (0.0, 1.0)), CurvePiece(1.0, 1.0, (1.0, -1.0)))
    walls = make_moving_walls(TABLE, Motion(x=Coordinate(pieces)))
    begin_motion(walls, 0.0)
    place_walls(walls, 1.5)
    assert walls.mover[1].value[0] == 1.5
    begin_motion(walls, 1.0)
    place_walls(walls, 1.5)
    assert walls.mover[1].value[0] == 0.5


def test_a_vertex_that_stays_beside_an_edge_in_its_line_is_passed_in_strides():
    """It moves along with the obstacle, a hair outside the touch distance: no step may be as short as that hair."""
    part = build_part(SQUARE)
    walls = make_moving_walls([[0, -1], [9, -1], [9, 0], [0, 0]], Motion(polynomial(0.0, 0.3), STILL, STILL, STILL))
    begin_motion(walls, 0.0)
    path = make_path([-1.0 - 1.1 * TOUCH, 1.0, 0.0], [0.3, 0.0, 0.0], [0.0, 0.0, 0.0])
    scratch = allocate_scratch(part, walls)
    assert find_next_contact(part, walls, path, 0.0, 1.0, NOTHING, TOUCH, scratch) == inf
    assert scratch.spot.looks < 1000
