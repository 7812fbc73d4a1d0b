"""Parts that pass seams of obstacles with arcs move as over one outline; unlike surfaces change at the seam."""

from __future__ import annotations

from math import cos, pi, sin, sqrt, tan

import numpy as np
import pytest

from geometry.contact.contacts import build_walls, has_point
from geometry.shapes.outline import Outline
from geometry.shapes.union.boundary import compute_boundary
from tests.geometry.contact.test_arcs import make_boundary
from tests.geometry.shapes.union.test_union import box, make_slide
from tests.sim.engine.test_arcs_in_motion import run

Q = tan(pi / 8.0)  # bulge of a quarter circle
SLAB = Outline.from_vertices([[-0.2, -0.1], [0.2, -0.1], [0.2, 0.1], [-0.2, 0.1]])
FLOOR_AND_DOME = [box(-6, -1, 0, 0), Outline.from_vertices([[0, -1], [1, -1], [0, 0]], [0.0, Q, 0.0])]
POCKET_AND_FLOOR = [Outline.from_vertices([[-1, -1], [0, -1], [0, 0], [-1, 1]], [0.0, 0.0, -Q, 0.0]), box(0, -1, 6, 0)]
# part, its start; obstacles one by one, and in one outline
CASES = {
    "a slab slides over the seam and tips over a dome": (
        SLAB, 0.15, (-0.8, 0.1, 0.0), (2.0, 0.0, 0.0), 0.2, 0.7, FLOOR_AND_DOME,
        Outline.from_vertices([[-6, -1], [1, -1], [0, 0], [-6, 0]], [0.0, Q, 0.0, 0.0])),
    "a disc rolls onto a dome": (
        Outline.disc(0.2), 0.2 / sqrt(2.0), (-0.8, 0.2, 0.0), (1.0, 0.0, -5.0), 0.5, 1.3, FLOOR_AND_DOME,
        Outline.from_vertices([[-6, -1], [1, -1], [0, 0], [-6, 0]], [0.0, Q, 0.0, 0.0])),
    "a slab slides out of a pocket": (
        SLAB, 0.15, (-0.35, 0.33, -0.3), (0.0, 0.0, 0.0), 0.1, 1.0, POCKET_AND_FLOOR,
        Outline.from_vertices([[-1, -1], [6, -1], [6, 0], [0, 0], [-1, 1]], [0.0, 0.0, 0.0, -Q, 0.0])),
    "a disc rolls over two halves of a dome": (
        Outline.disc(0.3), 0.2, (-1.3 * sin(0.3), 1.3 * cos(0.3), 0.0), (1.5, 0.5, 0.0), 0.6, 0.9,
        [Outline.from_vertices([[0, 0], [0, 1], [-1, 0]], [0.0, Q, 0.0]),
         Outline.from_vertices([[1, 0], [0, 1], [0, 0]], [Q, 0.0, 0.0])],
        Outline.from_vertices([[1, 0], [-1, 0]], [1.0, 0.0])),
    "a disc rolls over the seam of two blocks": (
        Outline.disc(0.1), 0.07, (-0.3, 0.1, 0.0), (1.0, 0.0, -10.0), 0.5, 1.0, [box(-5, -1, 0, 0), box(0, -1, 5, 0)],
        Outline.from_vertices(box(-5, -1, 5, 0))),
}


@pytest.mark.parametrize("name", CASES)
def test_a_seam_of_like_surfaces_is_none(name):
    part, rho, pose, velocity, mu, duration, obstacles, whole = CASES[name]
    one, events = run(part, make_boundary(whole), rho, pose, velocity, mu, duration)
    several, more = run(part, compute_boundary(obstacles), rho, pose, velocity, mu, duration)
    assert several.pose == pytest.approx(one.pose, abs=1e-11)
    assert several.velocity == pytest.approx(one.velocity, abs=1e-10)
    assert len(more) <= len(events) + 2
    for kind in ("impact", "separation", "bridge"):
        assert [k for _, k in more].count(kind) == [k for _, k in events].count(kind)


@pytest.mark.parametrize("outlined", [False, True])
@pytest.mark.parametrize("mu", [1.0, 0.1])
def test_a_disc_rolls_from_a_ramp_block_over_an_arc_block_to_a_level_block(mu, outlined):
    """...as over one outline, whether it sticks or slips."""
    obstacles, whole = make_slide()
    if outlined:
        obstacles = [o if isinstance(o, Outline) else Outline.from_vertices(o) for o in obstacles]
    r, alpha, low = 0.1, 0.5, np.array([-sin(0.5), 1.0 - cos(0.5)])
    at = low + np.array([-cos(alpha), sin(alpha)]) + r * np.array([sin(alpha), cos(alpha)])
    start = (r / sqrt(2.0), (*at, 0.0), (0.0, 0.0, 0.0), mu, 1.5)
    one, events = run(Outline.disc(r), make_boundary(whole), *start)
    several, more = run(Outline.disc(r), compute_boundary(obstacles), *start)
    assert several.pose == pytest.approx(one.pose, abs=1e-12)
    assert several.velocity == pytest.approx(one.velocity, abs=1e-12)
    assert [kind for _, kind in more] == [kind for _, kind in events]
    assert [time for time, _ in more] == pytest.approx([time for time, _ in events], abs=1e-12)


def test_friction_changes_where_a_disc_passes_the_seam():
    """It slides down the arc, and rolls on the floor: there the contact sticks after (7/2 or so) v / (mu g)."""
    r, rho = 0.2, 0.2 / sqrt(2.0)
    pose = (-0.8 * sin(1.0), 1.0 - 0.8 * cos(1.0), 0.0)
    _, events = run(Outline.disc(r), compute_boundary(POCKET_AND_FLOOR), rho, pose, (0.0, 0.0, 0.0), 0.1, 1.3,
                    mus=[0.1, 0.3])
    (passed,) = [time for time, kind in events if kind == "edge end"]
    (stick,) = [time for time, kind in events if kind == "stick"]
    at, _ = run(Outline.disc(r), compute_boundary(POCKET_AND_FLOOR), rho, pose, (0.0, 0.0, 0.0), 0.1, passed,
                mus=[0.1, 0.3])
    slip = at.velocity[0] + r * at.velocity[2]
    assert stick - passed == pytest.approx(slip / (0.3 * 9.81 * (1.0 + r**2 / rho**2)), abs=1e-10)


@pytest.mark.parametrize("obstacles", [FLOOR_AND_DOME, POCKET_AND_FLOOR])
def test_each_of_two_surfaces_has_its_point_at_a_seam(obstacles):
    """Where they differ: a vertex for an edge or a concave arc, the arc itself where it is convex."""
    boundary = compute_boundary(obstacles)
    (seam,) = np.flatnonzero(boundary.smooth)
    for mus, points in (([0.3, 0.3], set()), ([0.3, 0.2], {0, 1})):
        walls = build_walls(boundary, np.array(mus), np.zeros(2), np.zeros(2, np.int64))
        across = int(walls.edge[seam].across)
        rows = [seam, across]
        arcs = [int(walls.edge[row].arc) for row in (seam, int(walls.edge[seam].previous)) if walls.edge[row].arc >= 0]
        convex = {int(walls.edge[arc].owner) for arc in arcs if has_point(walls, arc)}
        vertices = {int(walls.edge[row].owner) for row in rows if has_point(walls, row)}
        assert not convex & vertices and (convex | vertices) >= points and (vertices == set() or points)


def test_a_corner_of_two_obstacles_where_an_arc_starts_is_a_point():
    """Its row stands for an arc, and yet is that of a vertex."""
    pointed = Outline.from_vertices([[0, 0], [1, 0], [1, 1]], [0.0, 0.0, -0.2])
    boundary = compute_boundary([pointed, box(1, 0, 2, 1)])
    (corner,) = np.flatnonzero(boundary.convex & (boundary.sign != 0))
    for mus, count in (([0.3, 0.3], 1), ([0.3, 0.2], 2)):
        walls = build_walls(boundary, np.array(mus), np.zeros(2), np.zeros(2, np.int64))
        rows = [corner, int(walls.edge[corner].across)]
        assert rows[1] >= 0 and sum(bool(has_point(walls, row)) for row in rows) == count
        assert walls.edge.order[: len(boundary.start)].tolist().count(rows[1]) == 0
