"""Contacts of arcs: gap, normal, arm, first and second variation by finite differences, all pairs, fixed and moving."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from dynamics.loads.load import NO_LOADS
from dynamics.motion.mode import Body, MotionState, compute_frame
from geometry.compiled.kernel import get_function
from geometry.contact.contacts import (
    TYPE_A,
    TYPE_B,
    TYPE_C,
    build_part,
    build_walls,
    compute_contact,
    compute_gap_rate,
    compute_roll,
    compute_room,
)
from geometry.contact.moving import begin_motion, build_moving_walls, place_walls
from geometry.prescribed.motion import STILL, Motion
from geometry.shapes.outline import Outline
from geometry.shapes.union.boundary import Boundary, compute_boundary
from tests.geometry.contact.test_moving_walls import draw_motion

# A lens with a flat, a bite and a corner: edge, convex arc, concave arc, sharp and smooth joints.
BLOB = Outline.from_vertices([[-1.0, -0.8], [1.0, -0.8], [1.2, 0.3], [0.3, 0.9], [-0.9, 0.7]],
                              [0.0, 0.3, 0.4, -0.35, 0.2])
STILL_MOTION = Motion()


def make_boundary(outline: Outline) -> Boundary:
    """The boundary of one obstacle."""
    n = len(outline)
    return Boundary(outline.start, outline.end, np.zeros(n, np.int64), np.arange(n), outline.previous, outline.next,
                    outline.turn > 0.0, np.zeros(n, bool), outline.centre, outline.radius, outline.sign,
                    outline.turn == 0.0)


def make_arc_walls(outline: Outline, motion: Motion, mu=0.3):
    """Walls of one obstacle that moves (or stands still as one that could)."""
    x, y, theta, _ = motion.evaluate(0.0)[0]
    nothing = compute_boundary([], 1e-12)
    pairs = np.full(1, mu), np.zeros(1), np.zeros(1, int)
    placed = make_boundary(outline.rotated(theta).translated(x, y))
    return build_moving_walls([(nothing, 0), (placed, 1)], pairs, [(0, motion)], None)


def list_arcs(table):
    return np.flatnonzero(table.radius)


def draw_contact(rng, part, walls, kind):
    """A random pair of a kind, arcs on at least one side."""
    edges, arcs = np.flatnonzero(part.edge.length), list_arcs(part.edge)
    wall_edges, wall_arcs = np.flatnonzero(walls.edge.length), list_arcs(walls.edge)
    if kind == TYPE_A:
        return np.array([kind, rng.choice(edges), rng.choice(wall_arcs)])
    if kind == TYPE_B:
        return np.array([kind, rng.choice(arcs), rng.choice(wall_edges)])
    while True:  # round on round; two concave ones never meet
        i = rng.choice([*arcs, *range(len(edges) + len(arcs))])
        j = rng.choice([*wall_arcs, *range(len(wall_edges) + len(wall_arcs))])
        r, s = part.edge.radius[i], walls.edge.radius[j]
        if (r != 0.0 or s != 0.0) and (r >= 0.0 or s >= 0.0) and r + s != 0.0:
            return np.array([kind, i, j])


@pytest.mark.parametrize("moving", [False, True])
@pytest.mark.parametrize("kind", [TYPE_A, TYPE_B, TYPE_C])
def test_variations_of_arcs_are_the_derivatives_of_the_gap(kind, moving):
    """gap' = N.v - push, gap'' = N.a + b; where the contact does not slip, slip' = T.a + d."""
    rng = np.random.default_rng(710 + 2 * kind + moving)
    outline = BLOB.translated(*-BLOB.centroid)
    part, worst = build_part(outline), np.zeros(3)
    for _ in range(200):
        motion = draw_motion(rng, surface=True) if moving else STILL_MOTION
        walls = make_arc_walls(BLOB, motion)
        body = Body(part, walls, np.zeros(3), 0.7, 1.0, np.zeros(6), NO_LOADS, False, inf, 0.0)
        contact = draw_contact(rng, part, walls, kind)
        q, v, a, now = rng.normal(size=3), rng.normal(size=3), rng.normal(size=3), rng.uniform(0, 1)
        close_gap(part, walls, contact, q, now)
        frame = stop_slip(body, contact, q, v, now)

        def look(t, contact=contact, walls=walls, body=body, q=q, v=v, a=a, now=now):
            place_walls(walls, now + t)
            pose, speed = q + t * v + 0.5 * t * t * a, v + t * a
            slip = compute_frame(body, contact, MotionState(now + t, pose, speed)).slip
            return compute_contact(part, walls, contact, pose).gap, slip

        h = 1e-4
        (before, slip_before), (gap, _), (after, slip_after) = [look(t) for t in (-h, 0.0, h)]
        acceleration = a * [1.0, 1.0, 0.7]
        place_walls(walls, now)
        _, rate, _ = compute_gap_rate(part, walls, contact, q, v)
        size = 1.0 + np.abs(frame.b) + np.abs(frame.d) + 1.0 / max(abs(gap + part.edge.radius[contact[1]]
                                                                    + walls.edge.radius[contact[2]]), 1e-3)**3
        second = (after - 2.0 * gap + before) / h**2
        worst = np.maximum(worst, [
            abs((after - before) / (2 * h) - rate) / size,
            abs(second - np.dot([frame.nx, frame.ny, frame.nq], acceleration) - frame.b) / size,
            abs((slip_after - slip_before) / (2 * h)
                - np.dot([frame.ny, -frame.nx, frame.vq], acceleration) - frame.d) / size])
    assert (worst < [1e-7, 2e-5, 1e-6]).all(), worst


def close_gap(part, walls, contact, q, now):
    """Move the pose along the normal until the gap is zero."""
    place_walls(walls, now)
    for _ in range(3):
        place = compute_contact(part, walls, contact, q)
        q[:2] -= place.gap * np.array([place.nx, place.ny])


def stop_slip(body, contact, q, v, now):
    """Change the velocity until the gap keeps its size and the contact does not slip; returns the ContactFrame."""
    at = MotionState(now, q, v)
    frame = compute_frame(body, contact, at)
    rate = np.dot([frame.nx, frame.ny, frame.nq * body.rho], v) - frame.push
    v[:2] -= rate * np.array([frame.nx, frame.ny]) + frame.slip * np.array([frame.ny, -frame.nx])
    return compute_frame(body, contact, at)


@pytest.mark.parametrize("kind", [TYPE_A, TYPE_B, TYPE_C])
def test_the_roll_of_a_contact_goes_back_as_fast_as_it_slips(kind):
    """...while its gap stays zero: so a pinned roll keeps an arc from slipping, however far it goes."""
    rng = np.random.default_rng(720 + kind)
    part = build_part(BLOB.translated(*-BLOB.centroid))
    walls = make_arc_walls(BLOB, STILL_MOTION)
    body = Body(part, walls, np.zeros(3), 0.7, 1.0, np.zeros(6), NO_LOADS, False, inf, 0.0)
    for _ in range(100):
        contact = draw_contact(rng, part, walls, kind)
        q, v, h = rng.normal(size=3), rng.normal(size=3), 1e-5
        close_gap(part, walls, contact, q, 0.0)
        frame = compute_frame(body, contact, MotionState(0.0, q, v))
        v[:2] -= np.dot([frame.nx, frame.ny, frame.nq * 0.7], v) * np.array([frame.nx, frame.ny])
        slip = compute_frame(body, contact, MotionState(0.0, q, v)).slip
        rolls = []
        for t in (-h, h):
            pose = q + t * v
            close_gap(part, walls, contact, pose, 0.0)
            rolls.append(get_function(compute_roll)(part, walls, contact, pose,
                                                    compute_contact(part, walls, contact, pose)))
        turn = 2.0 * np.pi * abs(part.edge.radius[contact[1]] + walls.edge.radius[contact[2]])
        change = rolls[1] - rolls[0]
        if kind == TYPE_C:
            change = (change + 0.5 * turn) % turn - 0.5 * turn
        assert change / (2 * h) == pytest.approx(-slip, abs=2e-5 * (1 + abs(slip)))


def test_the_room_of_a_contact_is_measured_to_the_nearest_end():
    """A capsule on its round end, turned about it: the room shrinks by the arc that is used up."""
    part, floor = build_part(Outline.capsule(2.0, 0.5)), Outline.from_vertices([[-9, -1], [9, -1], [9, 0], [-9, 0]])
    walls = make_arc_walls(floor, STILL_MOTION)
    (top,) = np.flatnonzero((walls.edge.ny > 0.5) & (walls.edge.length > 0.0))
    right = list_arcs(part.edge)[np.argmax(part.edge.x[list_arcs(part.edge)])]
    for turn in (-1.5, -0.3, 0.0, 0.4):
        pose = np.array([0.0, 0.5 + np.sin(np.pi / 2 - turn) * 1.0, -np.pi / 2 + turn])
        contact = np.array([TYPE_B, right, top])
        place = compute_contact(part, walls, contact, pose)
        assert place.gap == pytest.approx(0.0, abs=1e-15)
        room = compute_room(part, walls, contact, pose, place)
        assert room == pytest.approx(0.5 * (np.pi / 2 - abs(turn)), abs=1e-14)


def test_a_disc_is_one_arc_that_never_ends():
    part = build_part(Outline.disc(0.3))
    assert part.radius == pytest.approx(0.3) and len(list_arcs(part.edge)) == 1
    assert part.edge.half[list_arcs(part.edge)[0]] == np.pi
    assert STILL_MOTION.surface == STILL


def test_parts_of_many_arcs_are_looked_at_whole():
    """The tree of a part lies round chords: where there are arcs each feature is looked at."""
    corners = 0.4 * np.array([[np.cos(t), np.sin(t)] for t in np.linspace(0.0, 2.0 * np.pi, 25)[:-1]])
    flower = build_part(Outline.from_vertices(corners, np.full(24, 0.4)))
    assert len(flower.node) == 0 and len(list_arcs(flower.edge)) == 24
    assert len(build_part(corners).node) > 0


def test_walls_that_move_are_those_that_stand_there(rng):
    """All numbers of the tables, ends of arcs too: the normals of a vertex behind an arc depend on them."""
    motion = draw_motion(rng)
    walls = make_arc_walls(BLOB, motion)
    begin_motion(walls, 0.0)
    for time in rng.uniform(0.0, 2.0, 5):
        place_walls(walls, time)
        x, y, theta, _ = motion.evaluate(time)[0]
        still = build_walls(make_boundary(BLOB.rotated(theta).translated(x, y)), np.full(1, 0.3), np.zeros(1),
                            np.zeros(1, int))
        for name in ("x", "y", "dx", "dy", "nx", "ny", "length", "radius", "half"):
            np.testing.assert_allclose(walls.edge[name], still.edge[name], atol=1e-12, err_msg=name)
