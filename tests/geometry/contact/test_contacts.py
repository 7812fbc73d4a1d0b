"""Contacts: gap, frame, first and second variation against finite differences; the broad phase against a plain loop."""

from __future__ import annotations

import numpy as np
import pytest

from geometry.contact.contacts import (
    TYPE_A,
    TYPE_B,
    build_part,
    build_walls,
    compute_contact,
    compute_gap_rate,
    compute_variation,
)
from geometry.contact.detection import allocate_scratch
from geometry.contact.nearby import find_nearby_walls
from geometry.shapes.union.boundary import compute_boundary

SQUARE = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
TABLE = np.array([[-3.0, -1.0], [3.0, -1.0], [3.0, 0.0], [-3.0, 0.0]])


def make_walls(*outlines, mu=0.3, e=0.0):
    boundary = compute_boundary([np.asarray(o, dtype=float) for o in outlines], 1e-12)
    return build_walls(boundary, np.full(len(outlines), mu), np.full(len(outlines), e), np.zeros(len(outlines), int))


def find_edge(table, nx, ny):
    return next(j for j in range(len(table)) if abs(table[j].nx - nx) + abs(table[j].ny - ny) < 1e-9)


def test_vertex_above_an_edge():
    part, walls = build_part(SQUARE), make_walls(TABLE)
    top = find_edge(walls.edge, 0.0, 1.0)
    gap, along, nx, ny, rx, ry, _ = compute_contact(part, walls, np.array([TYPE_B, 0, top]), np.array([0.0, 1.5, 0.0]))
    assert (gap, nx, ny) == (0.5, 0.0, 1.0)
    assert along == pytest.approx(4.0)  # the top runs from (3, 0) to (-3, 0), the vertex is at x = -1
    assert (rx, ry) == (1.0, 1.0)  # from the vertex to the centre of mass


def test_edge_above_a_vertex():
    part, walls = build_part(SQUARE), make_walls(TABLE)
    corner = next(j for j in range(4) if (walls.edge[j].x, walls.edge[j].y) == (3.0, 0.0))
    bottom = find_edge(part.edge, 0.0, -1.0)
    pose = np.array([3.0, 1.25, 0.0])
    gap, along, nx, ny, rx, ry, _ = compute_contact(part, walls, np.array([TYPE_A, bottom, corner]), pose)
    assert (gap, nx, ny, along) == (0.25, 0.0, 1.0, 1.0)
    assert (rx, ry) == (0.0, 1.25)  # from the table's corner to the centre of mass


@pytest.mark.parametrize("kind", [TYPE_A, TYPE_B])
def test_variations_are_the_derivatives_of_the_gap(kind):
    """gap' and gap'' = N.a + b along random motions, fixed obstacle (ground truth: finite differences)."""
    rng = np.random.default_rng(7 + kind)
    part, walls = build_part(SQUARE), make_walls(TABLE)
    for _ in range(300):
        q, v, a = rng.normal(size=3), rng.normal(size=3), rng.normal(size=3)
        contact = np.array([kind, rng.integers(4), rng.integers(4)])

        def gap_at(t, contact=contact, q=q, v=v, a=a):
            return compute_contact(part, walls, contact, q + t * v + 0.5 * t * t * a)[0]

        h = 1e-4
        gap, rate, _ = compute_gap_rate(part, walls, contact, q, v)
        _, _, nx, ny, rx, ry, _ = compute_contact(part, walls, contact, q)
        slip = ny * v[0] - nx * v[1] + (nx * rx + ny * ry) * v[2]
        b, _ = compute_variation(kind, (nx, ny), (rx, ry), (v[2], 0.0), slip, (0.0, 0.0))
        second = nx * a[0] + ny * a[1] + (nx * ry - ny * rx) * a[2] + b
        assert gap == pytest.approx(gap_at(0.0))
        assert rate == pytest.approx((gap_at(h) - gap_at(-h)) / (2 * h), abs=1e-5)
        assert second == pytest.approx((gap_at(h) - 2 * gap_at(0.0) + gap_at(-h)) / h**2, abs=2e-5)


def test_second_variation_numbers():
    """Ground truth 7: n0 = (0, 1), r = (.6, .8), v = (.5, 1.2), omega = 2, static obstacle: b_A = -5.2, b_B = 3.2."""
    slip = 0.5 + 0.8 * 2.0
    assert compute_variation(TYPE_A, (0.0, 1.0), (0.6, 0.8), (2.0, 0.0), slip, (0.0, 0.0))[0] == pytest.approx(-5.2)
    assert compute_variation(TYPE_B, (0.0, 1.0), (0.6, 0.8), (2.0, 0.0), slip, (0.0, 0.0))[0] == pytest.approx(3.2)


def test_both_types_agree_where_nothing_slips():
    a = compute_variation(TYPE_A, (0.6, 0.8), (0.3, -0.7), (1.7, 0.0), 0.0, (0.0, 0.0))
    assert a == compute_variation(TYPE_B, (0.6, 0.8), (0.3, -0.7), (1.7, 0.0), 0.0, (0.0, 0.0))


@pytest.mark.parametrize("seed", range(5))
def test_broad_phase_finds_all_that_a_plain_loop_finds(seed):
    rng = np.random.default_rng(seed)
    angles = np.sort(rng.uniform(0, 2 * np.pi, 200))
    ring = np.column_stack([np.cos(angles), np.sin(angles)]) * rng.uniform(3.0, 4.0, 200)[:, None]
    walls, part = make_walls(ring), build_part(SQUARE)
    scratch = allocate_scratch(part, walls)
    edge = walls.edge
    ends = np.stack([[edge.x, edge.y], [edge.x + edge.length * edge.dx, edge.y + edge.length * edge.dy]])
    low, high = ends.min(axis=0).T, ends.max(axis=0).T
    for _ in range(100):
        x, y, reach = rng.uniform(-5, 5), rng.uniform(-5, 5), rng.uniform(0, 2)
        n = find_nearby_walls(walls, x, y, reach, scratch)
        meets = (low <= [x + reach, y + reach]).all(axis=1) & (high >= [x - reach, y - reach]).all(axis=1)
        found = scratch.nearby[:n].tolist()
        assert len(set(found)) == len(found), f"seed {seed}"
        assert set(np.flatnonzero(meets)) <= set(found), f"seed {seed}"
        # a leaf answers as a whole: few more than asked for
        far = reach + 1.5
        near = (low <= [x + far, y + far]).all(axis=1) & (high >= [x - far, y - far]).all(axis=1)
        assert set(found) <= set(np.flatnonzero(near)), f"seed {seed}"
