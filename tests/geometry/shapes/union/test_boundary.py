"""Boundary of the union of obstacles: seams, junctions, overlaps, and a comparison with shapely's union."""

import hashlib
import math

import numpy as np
import pytest
import shapely

from geometry.shapes.union import boundary
from geometry.shapes.union.boundary import compute_boundary, compute_boundary_tolerance
from geometry.shapes.union.cutting import collect_sides
from geometry.shapes.union.heap import build_heap, is_deep

ANGLES = [0.0, 0.1, math.radians(30.0), 1.0, math.pi / 2, 2.5, 4.0]


def box(x0, y0, x1, y1):
    return np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], dtype=np.float64)


def turn(outlines, theta, offset=(0.0, 0.0)):
    c, s = math.cos(theta), math.sin(theta)
    return [outline @ np.array([[c, s], [-s, c]]) + offset for outline in outlines]


def build_circle(n, x=0.0, y=0.0):
    angle = np.arange(n) * 2.0 * math.pi / n
    return np.stack([np.cos(angle) + x, np.sin(angle) + y], axis=1)


def check_loops(boundary, outlines, note=""):
    """What must hold of any boundary."""
    n = len(boundary.start)
    assert boundary.start.dtype == boundary.end.dtype == np.float64, note
    assert boundary.owner.dtype == boundary.feature.dtype == boundary.next.dtype == boundary.previous.dtype == np.int64
    assert boundary.convex.dtype == np.bool_
    assert all(column.flags.c_contiguous for column in boundary)
    np.testing.assert_array_equal(boundary.start[boundary.next], boundary.end, err_msg=note)
    np.testing.assert_array_equal(boundary.previous[boundary.next], np.arange(n), err_msg=note)
    assert (np.hypot(*(boundary.end - boundary.start).T) > 0.0).all(), note
    tolerance = 20.0 * compute_boundary_tolerance(outlines)
    for i in range(n):  # each edge lies on the edge of the owner that it names
        outline = outlines[boundary.owner[i]]
        a, b = outline[boundary.feature[i]], outline[(boundary.feature[i] + 1) % len(outline)]
        line = shapely.LineString([a, b])
        for point in (boundary.start[i], boundary.end[i]):
            assert line.distance(shapely.Point(point)) <= tolerance, (note, i)
        assert np.dot(b - a, boundary.end[i] - boundary.start[i]) > 0.0, (note, i)


def check_against_union(outlines, rtol=1e-10, note="", unturned=None):
    """Area and length of the union by shapely, which sees seams only where they are exact: `unturned` outlines."""
    boundary = compute_boundary(outlines)
    check_loops(boundary, outlines, note)
    union = shapely.unary_union([shapely.Polygon(outline) for outline in unturned or outlines])
    (x0, y0), (x1, y1) = boundary.start.T, boundary.end.T
    assert abs(0.5 * (x0 * y1 - x1 * y0).sum() - union.area) <= rtol * union.area, note
    assert abs(np.hypot(x1 - x0, y1 - y0).sum() - union.length) <= 10 * rtol * union.length, note
    return boundary


def list_corners(boundary, convex=True):
    return sorted(map(tuple, np.round(boundary.start[boundary.convex == convex], 9) + 0.0))


# -------------------------------------------------------------------------------------------------------- apart, or not


def test_nothing_and_one():
    assert len(compute_boundary([]).start) == 0
    boundary = compute_boundary([box(0, 0, 1, 1)])
    np.testing.assert_array_equal(boundary.start, box(0, 0, 1, 1))
    np.testing.assert_array_equal(boundary.next, [1, 2, 3, 0])
    assert boundary.convex.all()


def test_inner_corners_are_not_convex():
    bracket = np.array([(0, 0), (3, 0), (3, 1), (1, 1), (1, 3), (0, 3.0)])
    assert compute_boundary([bracket]).convex.tolist() == [True, True, True, False, True, True]


def test_obstacles_that_touch_nothing_keep_every_bit(rng):
    outlines = [build_circle(30, 3.0 * i, 0.1 * rng.normal()) + 1e-3 * rng.normal(size=(30, 2)) for i in range(5)]
    outlines += [box(20, 0, 21, 1), box(21, 0, 22, 1)]  # two that touch must not disturb the rest
    boundary = compute_boundary(outlines)
    for i in range(5):
        mine = boundary.owner == i
        np.testing.assert_array_equal(boundary.start[mine], outlines[i])
        np.testing.assert_array_equal(boundary.feature[mine], np.arange(30))
    check_loops(boundary, outlines)


def test_obstacles_in_each_others_boxes_keep_every_bit():
    bracket = np.array([(0, 0), (3, 0), (3, 1), (1, 1), (1, 3), (0, 3.0)]) * 0.1
    block = box(0.15, 0.15, 0.3, 0.3)
    boundary = compute_boundary([bracket, block])
    np.testing.assert_array_equal(boundary.start, np.concatenate([bracket, block]))
    np.testing.assert_array_equal(boundary.next, [1, 2, 3, 4, 5, 0, 7, 8, 9, 6])


@pytest.mark.parametrize("theta", ANGLES)
def test_a_gap_of_two_nanometres_stays(theta):
    outlines = turn([box(-1, -0.1, 0, 0), box(2e-9, -0.1, 1, 0)], theta)
    boundary = compute_boundary(outlines)
    np.testing.assert_array_equal(boundary.start, np.concatenate(outlines))
    assert boundary.convex.all()


# ---------------------------------------------------------------------------------------------------------------- seams


@pytest.mark.parametrize("overlap", [0.0, 1e-12, -1e-12, 1e-16, 1e-9, 0.2])
@pytest.mark.parametrize("theta", ANGLES)
def test_a10_a_level_seam_is_no_corner(overlap, theta):
    blocks = [box(-1, -0.1, overlap, 0), box(0, -0.1, 1, 0)]
    boundary = compute_boundary(turn(blocks, theta))
    check_loops(boundary, turn(blocks, theta))
    assert len(boundary.start) == 6 and boundary.convex.sum() == 4
    back = turn([boundary.start], -theta)[0]
    np.testing.assert_allclose(sorted(map(tuple, np.round(back[boundary.convex], 9))),
                               [(-1, -0.1), (-1, 0), (1, -0.1), (1, 0)])
    seam = back[~boundary.convex]
    np.testing.assert_array_equal(boundary.level, ~boundary.convex)
    np.testing.assert_allclose(sorted(seam[:, 1]), [-0.1, 0.0], atol=3e-12)
    assert (np.abs(seam[:, 0]) <= abs(overlap) + 3e-12).all()


@pytest.mark.parametrize("step", [1e-13, 1e-12])
def test_steps_below_the_tolerance_are_level(step):
    boundary = compute_boundary([box(-1, -0.1, 0, 0), box(0, -0.1, 1, step)])
    assert list_corners(boundary) == [(-1, -0.1), (-1, 0), (1, -0.1), (1, 0)]


def test_a_real_step_is_two_corners():
    boundary = compute_boundary([box(-1, -0.1, 0, 0), box(0, -0.1, 1, 1e-6)])
    top = [tuple(p) for p in boundary.start[boundary.convex]]
    assert (0.0, 1e-6) in top and (0.0, 0.0) not in top
    assert (0.0, 0.0) in [tuple(p) for p in boundary.start[~boundary.convex]]
    assert [tuple(p) for p in boundary.start[boundary.level]] == [(0.0, -0.1)]


def test_a_seam_far_from_the_origin():
    offset = np.array([1e6, -3e6])
    for theta in ANGLES:
        boundary = compute_boundary(turn([box(-1, -0.1, 0, 0), box(0, -0.1, 1, 0)], theta, offset))
        assert len(boundary.start) == 6 and boundary.convex.sum() == 4, theta


def test_many_blocks_make_one_floor():
    blocks = [box(0.1 * i, -0.1, 0.1 * (i + 1), 0) for i in range(50)]
    for theta in ANGLES:
        boundary = compute_boundary(turn(blocks, theta))
        assert boundary.convex.sum() == 4 and len(boundary.start) == 102, theta
    grid = [box(i, j, i + 1, j + 1) for i in range(6) for j in range(6)]
    boundary = compute_boundary(turn(grid, 0.3))
    assert boundary.convex.sum() == 4 and len(boundary.start) == 24


def test_blocks_of_different_depth():
    boundary = check_against_union([box(-1, -0.1, 0, 0), box(0, -0.5, 1, 0)])
    assert list_corners(boundary) == [(-1, -0.1), (-1, 0), (0, -0.5), (1, -0.5), (1, 0)]


# ----------------------------------------------------------------------------------------------- junctions and overlaps


@pytest.mark.parametrize("theta", ANGLES)
@pytest.mark.parametrize("sunk", [0.0, 1e-12, 0.2])
def test_a_block_on_a_floor_makes_two_inner_corners(theta, sunk):
    plain = [box(-5, -1, 5, 0), box(0, -sunk, 1, 1)]
    boundary = check_against_union(turn(plain, theta), unturned=plain)
    back = turn([boundary.start], -theta)[0]
    np.testing.assert_allclose(sorted(map(tuple, np.round(back[~boundary.convex], 9) + 0.0)), [(0, 0), (1, 0)])
    assert boundary.convex.sum() == 6 and len(boundary.start) == 8
    corner = int(np.flatnonzero(~boundary.convex)[0])  # floor and block meet there
    assert {boundary.owner[corner], boundary.owner[boundary.previous[corner]]} == {0, 1}


def test_a_block_poking_through_another():
    boundary = check_against_union([box(-2, -0.5, 2, 0.5), box(-0.5, -2, 0.5, 2)])
    assert list_corners(boundary, convex=False) == [(-0.5, -0.5), (-0.5, 0.5), (0.5, -0.5), (0.5, 0.5)]
    assert boundary.convex.sum() == 8


def test_a_point_on_a_floor():
    diamond = np.array([(0, 0), (1, 1), (0, 2), (-1, 1.0)])
    for theta in ANGLES:
        plain = [box(-5, -1, 5, 0), diamond]
        boundary = check_against_union(turn(plain, theta), unturned=plain)
        touching = np.flatnonzero(np.hypot(*boundary.start.T) < 1e-9)
        assert len(touching) == 2 and not boundary.convex[touching].any(), theta
        # the free space has two corners of 45 degrees: floor to diamond on each side
        for i in touching:
            assert boundary.owner[i] != boundary.owner[boundary.previous[i]], theta


def test_two_corners_that_touch():
    boundary = check_against_union([box(0, 0, 1, 1), box(1, 1, 2, 2)])
    touching = np.flatnonzero((boundary.start == 1.0).all(axis=1))
    assert len(touching) == 2 and not boundary.convex[touching].any()
    assert boundary.convex.sum() == 6


def test_an_obstacle_inside_another_vanishes():
    for inner in (box(1, 1, 2, 2), box(1, 1, 2, 4), box(0, 0, 2, 2), box(0, 0, 4, 4)):
        boundary = check_against_union([box(0, 0, 4, 4), inner])
        np.testing.assert_array_equal(boundary.start, box(0, 0, 4, 4))
        assert (boundary.owner == 0).all() and boundary.convex.all()
        boundary = check_against_union([inner, box(0, 0, 4, 4)])
        assert boundary.convex.sum() == 4


def test_a_hole_enclosed_by_blocks_has_inner_corners_only():
    ring = [box(0, 0, 3, 1), box(0, 2, 3, 3), box(0, 1, 1, 2), box(2, 1, 3, 2)]
    boundary = check_against_union(ring)
    inner = ((boundary.start >= 1) & (boundary.start <= 2)).all(axis=1)
    assert inner.sum() == 4 and not boundary.convex[inner].any()
    assert list_corners(boundary) == [(0, 0), (0, 3), (3, 0), (3, 3)]


# -------------------------------------------------------------------------------------------------- many, large, random


def test_large_outlines():
    circle = build_circle(10_000)
    boundary = compute_boundary([circle, box(-5, -3, 5, -1.0001)])
    np.testing.assert_array_equal(boundary.start[:10_000], circle)
    assert boundary.convex.all()
    boundary = compute_boundary([circle, box(-5, -3, 5, -1.0)])  # vertex 7500 touches
    assert len(boundary.start) == 10_005 and (~boundary.convex).sum() == 2
    tiny = [1e-3 * circle, box(-50, -3, 50, -0.002)]  # fine facets in a large scene stay corners
    assert compute_boundary(tiny).convex.all()
    assert compute_boundary([1e-3 * circle, box(-50, -3, 50, -0.0005)]).convex.sum() > 6_000


@pytest.mark.parametrize("seed", range(60))
def test_random_blocks_on_a_lattice(seed):
    rng = np.random.default_rng(seed)
    outlines = []
    for _ in range(int(rng.integers(2, 9))):
        (x, y), (w, h) = rng.integers(0, 5, 2), rng.integers(1, 4, 2)
        outlines.append(box(x, y, x + w, y + h) / 3.0)
    plain = check_against_union(outlines, note=f"seed {seed}")
    theta, offset = rng.uniform(0, 2 * math.pi), rng.uniform(-10, 10, 2)
    turned = compute_boundary(turn(outlines, theta, offset))
    for name in ("owner", "feature", "next", "convex"):
        np.testing.assert_array_equal(getattr(turned, name), getattr(plain, name), err_msg=f"seed {seed} {name}")
    np.testing.assert_allclose(turned.start, turn([plain.start], theta, offset)[0], atol=1e-10, err_msg=f"seed {seed}")


@pytest.mark.parametrize("seed", range(60))
def test_random_outlines_anywhere(seed):
    rng = np.random.default_rng(seed)
    outlines = []
    for _ in range(int(rng.integers(2, 8))):
        n = int(rng.integers(3, 12))
        angle = (np.arange(n) + rng.uniform(0.1, 0.9, n)) * 2.0 * math.pi / n
        star = rng.uniform(0.3, 1.0, (n, 1)) * np.stack([np.cos(angle), np.sin(angle)], axis=1)
        outlines.append(star + rng.uniform(0, 2, 2))
    check_against_union(outlines, note=f"seed {seed}")


@pytest.mark.parametrize("seed", range(60))
def test_blocks_moved_by_about_the_tolerance(seed):
    rng = np.random.default_rng(seed)
    size = 10.0 ** rng.uniform(-14, -9)
    outlines = []
    for _ in range(int(rng.integers(2, 8))):
        (x, y), (w, h) = rng.integers(0, 5, 2), rng.integers(1, 4, 2)
        outlines.append(box(x, y, x + w, y + h) / 3.0 + size * rng.normal(size=(4, 2) if seed % 2 else (2,)))
    boundary = compute_boundary(outlines)
    check_loops(boundary, outlines, f"seed {seed}")
    union = shapely.unary_union([shapely.Polygon(outline) for outline in outlines])
    (x0, y0), (x1, y1) = boundary.start.T, boundary.end.T
    assert abs(0.5 * (x0 * y1 - x1 * y0).sum() - union.area) < 40 * size + 1e-10, f"seed {seed}"


@pytest.mark.parametrize("height", [0.0, 0.5, -0.5, 0.9, -0.9])
@pytest.mark.parametrize("theta", ANGLES)
def test_a_seam_is_level_up_to_the_tolerance(height, theta):
    """Two blocks side by side whose tops differ by less than the tolerance: the seam is no corner, only told."""
    tolerance = compute_boundary_tolerance([box(-1, -1, 0, 0), box(0, -1, 1, 0)])
    outlines = turn([box(-1, -1, 0, 0), box(0, -1, 1, height * tolerance)], theta)
    boundary = compute_boundary(outlines)
    assert boundary.level.sum() == 2 and boundary.convex.sum() == 4 and len(boundary.start) == 6
    assert not boundary.convex[boundary.level].any()


@pytest.mark.parametrize("n", [20, 45])
def test_a_heap_has_the_outline_that_it_has_edge_by_edge(n, monkeypatch, rng):
    """Edges deep in a heap are left out before all are held against all: what is left is the same to the last bit."""
    outlines = []
    for turn, place in zip(rng.uniform(0.0, 6.0, n), rng.uniform(0.0, 1.0, (n, 2)), strict=True):
        c, s = np.cos(turn), np.sin(turn)
        outlines.append(np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]) @ [[c, s], [-s, c]] + place)
    outlines.append(outlines[0] + [0.0, 1e-13])  # one that lies on another
    fast = compute_boundary(outlines)
    monkeypatch.setattr(boundary, "HEAPED", np.inf)
    plain = compute_boundary(outlines)
    for name, one, other in zip(fast._fields, fast, plain, strict=True):
        assert np.array_equal(one, other), name
    edges = collect_sides(outlines)
    assert is_deep(build_heap(outlines), np.stack([edges.start, edges.end], axis=1)).sum() > n


def test_heaps_far_from_each_other():
    """Two heaps: the outline that shapely finds is of several polygons."""
    angles = np.arange(12) * 0.5
    heap = [turn([box(-1, -0.1, 1, 0.1)], angle)[0] for angle in angles]
    both = compute_boundary([*heap, *turn(heap, 0.0, (10.0, 0.0))])
    alone = compute_boundary(heap)
    n = len(alone.start)
    assert len(both.start) == 2 * n
    np.testing.assert_array_equal(both.start[:n], alone.start)
    np.testing.assert_array_equal(both.next, np.concatenate([alone.next, alone.next + n]))


def test_boundaries_of_polygons_are_what_they_were():
    """200 unions, all columns to the last bit, as before arcs were known (blocks turned by a rational rotation)."""
    digest = hashlib.sha256()
    for seed in range(200):
        rng, outlines = np.random.default_rng(seed), []
        for _ in range(int(rng.integers(2, 9))):
            (x, y), (w, h) = rng.integers(0, 5, 2), rng.integers(1, 4, 2)
            block = np.array([(x, y), (x + w, y), (x + w, y + h), (x, y + h)]) / 3.0
            if rng.random() < 0.3:
                block = block @ np.array([[0.6, 0.8], [-0.8, 0.6]])
            outlines.append(block + rng.choice([0.0, 1e-13, 1e-3]) * rng.integers(-3, 4, (4, 2)))
        for column in compute_boundary(outlines):
            digest.update(np.ascontiguousarray(column).tobytes())
    assert digest.hexdigest() == "4e904cc8b61263548bcde5449da6f79610294156e68c74a3c5d5bb61fecf4290"
