"""Boundary of the union of obstacles with arcs: areas, tangent contacts, seams, and a comparison with shapely."""

from __future__ import annotations

import math

import numpy as np
import pytest
import shapely

from geometry.shapes.crossings import measure_points
from geometry.shapes.features import Features, OutlineError, compute_tangents
from geometry.shapes.moments import compute_moments
from geometry.shapes.nesting import find_inside
from geometry.shapes.outline import Outline
from geometry.shapes.union.boundary import Boundary, compute_boundary, compute_boundary_tolerance
from geometry.shapes.union.cutting import find_middles


def box(x0, y0, x1, y1):
    return np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], dtype=np.float64)


def turn(obstacles, theta, offset=(0.0, 0.0)):
    c, s = math.cos(theta), math.sin(theta)
    return [o.rotated(theta).translated(*offset) if isinstance(o, Outline) else
            o @ np.array([[c, s], [-s, c]]) + offset for o in obstacles]


def list_features(boundary: Boundary) -> Features:
    centre = np.where((boundary.sign == 0)[:, None], boundary.start, boundary.centre)
    return Features(boundary.start, boundary.end, centre, boundary.radius, boundary.sign)


def to_outline(obstacle) -> Outline:
    return obstacle if isinstance(obstacle, Outline) else Outline.from_vertices(obstacle)


def check(obstacles, note=""):
    """(Boundary, its area) of obstacles, and what must hold of any boundary."""
    boundary = compute_boundary(obstacles)
    n, rows = len(boundary.start), list_features(boundary)
    np.testing.assert_array_equal(boundary.start[boundary.next], boundary.end, err_msg=note)
    np.testing.assert_array_equal(boundary.previous[boundary.next], np.arange(n), err_msg=note)
    assert not (boundary.convex & (boundary.level | boundary.smooth)).any(), note
    assert ((boundary.radius > 0.0) == (boundary.sign != 0)).all() and not boundary.centre[boundary.sign == 0].any()
    tolerance = 20.0 * compute_boundary_tolerance(obstacles)
    middle = find_middles(rows)
    for i, obstacle in enumerate(obstacles):
        outline, own = to_outline(obstacle), boundary.owner == i
        if isinstance(obstacle, Outline):  # rows lie on the features that they name
            feature = boundary.feature[own]
            for name in ("radius", "sign"):
                np.testing.assert_array_equal(getattr(boundary, name)[own], getattr(outline, name)[feature], note)
            bent = outline.sign[feature] != 0
            np.testing.assert_array_equal(boundary.centre[own][bent], outline.centre[feature][bent], note)
            for points in (boundary.start[own][bent], boundary.end[own][bent]):
                off = np.hypot(*(points - outline.centre[feature][bent]).T) - outline.radius[feature][bent]
                assert np.abs(off).max(initial=0.0) <= tolerance, note
        inside = middle[~own][find_inside(outline.features, middle[~own])]
        for point in inside:  # on a face of both obstacles, if anything
            around = np.broadcast_to(point, outline.start.shape)
            assert measure_points(around, outline.features).min() <= tolerance, note
    return boundary, compute_moments(rows).area


def to_shapely(obstacle):
    rings = to_outline(obstacle).sample(1e-5)
    return shapely.Polygon(rings[0], rings[1:])


def measure_union(obstacles) -> float:
    return shapely.unary_union([to_shapely(obstacle) for obstacle in obstacles]).area


# ------------------------------------------------------------------------------------------------------ closed forms


@pytest.mark.parametrize("theta", [0.0, 0.7, 2.5])
@pytest.mark.parametrize("r, s, d", [(1.0, 1.0, 1.2), (1.0, 0.4, 0.9), (1.0, 0.3, 1.2999), (0.7, 0.6, 0.11)])
def test_two_discs_make_a_lens(r, s, d, theta):
    boundary, area = check(turn([Outline.disc(r), Outline.disc(s, [d, 0.0])], theta))
    a = (d * d + r * r - s * s) / (2.0 * d)
    lens = (r * r * math.acos(a / r) + s * s * math.acos((d - a) / s)
            - 0.5 * math.sqrt((r + s - d) * (d + r - s) * (d - r + s) * (d + r + s)))
    assert area == pytest.approx(math.pi * (r * r + s * s) - lens, rel=1e-13)
    assert boundary.owner.tolist() == [0, 1] and not boundary.convex.any() and not boundary.level.any()


def test_a_disc_sunk_into_a_block():
    boundary, area = check([box(-3, -2, 3, 0), Outline.disc(1.0, [0.0, 0.5])])
    segment = math.acos(0.5) - 0.5 * math.sqrt(0.75)
    assert area == pytest.approx(12.0 + math.pi - segment, rel=1e-14)
    assert sorted(boundary.convex.tolist()) == [False, False, True, True, True, True]


def test_a_capsule_and_a_box():
    _, area = check([Outline.capsule(4.0, 0.5), box(-0.7, -0.2, 0.6, 3.0)])
    assert area == pytest.approx(4.0 + 0.25 * math.pi + 1.3 * 2.5, rel=1e-14)


def test_a_block_in_the_hole_of_a_ring():
    ring = Outline.disc(2.0).with_holes(Outline.disc(1.0))
    boundary, area = check([ring, box(-0.3, -0.3, 0.3, 0.3)])
    assert area == pytest.approx(3.0 * math.pi + 0.36, rel=1e-14) and len(boundary.start) == 6
    _, area = check([ring, box(-0.3, -0.3, 0.3, 1.5)])  # through the hole's side: the block above the hole is covered
    gone = 0.6 * 1.5 - (0.3 * math.sqrt(0.91) + math.asin(0.3))
    assert area == pytest.approx(3.0 * math.pi + 0.36 + 0.6 * 1.2 - gone, rel=1e-13)


@pytest.mark.parametrize("radius", [0.25, 0.5, 1.0])
def test_a_plug_that_fills_a_hole_leaves_nothing_of_it(radius):
    plate = Outline.from_vertices(box(-2, -2, 2, 2)).with_holes(Outline.disc(radius, [0.1, 0.2]))
    for theta in (0.0, 0.4):
        boundary, area = check(turn([plate, Outline.disc(radius).rotated(1.0).translated(0.1, 0.2)], theta))
        assert area == pytest.approx(16.0, rel=1e-14) and len(boundary.start) == 4


def test_what_is_clear_of_all_others_keeps_every_bit():
    ring = Outline.disc(2.0, [0.1, 0.3]).with_holes(Outline.disc(1.0, [0.1, 0.3]))
    bean = Outline.from_vertices([[-0.5, -0.2], [0.5, -0.2], [0.4, 0.3]], [0.3, 0.2, -0.4]).translated(0.1, 0.3)
    for obstacles in ([ring, bean], [ring], [ring, bean, box(5, 0, 6, 1), box(6, 0, 7, 1)]):
        boundary = compute_boundary(obstacles)
        for i, outline in enumerate(obstacles[:2]):
            rows = np.flatnonzero(boundary.owner == i)
            np.testing.assert_array_equal(boundary.feature[rows], np.arange(len(outline)))
            for name in ("start", "end", "radius", "sign"):
                np.testing.assert_array_equal(getattr(boundary, name)[rows], getattr(outline, name))
            np.testing.assert_array_equal(boundary.next[rows] - rows[0], outline.next)
            np.testing.assert_array_equal(boundary.convex[rows], outline.turn > 0.0)
            np.testing.assert_array_equal(boundary.smooth[rows], outline.turn == 0.0)


# --------------------------------------------------------------------------------------------------- tangent contacts


@pytest.mark.parametrize("theta", [0.0, 0.3, 1.0, 4.0])
@pytest.mark.parametrize("depth", [0.0, 1e-16, -1e-16, 1e-13, -1e-13, 1e-12])
def test_a_disc_that_stands_on_a_floor_touches_it_in_one_point(depth, theta):
    plain = [box(-3, -1, 3, 0), Outline.disc(0.5, [0.2, 0.5 - depth])]
    boundary, area = check(turn(plain, theta))
    assert area == pytest.approx(6.0 + 0.25 * math.pi, rel=1e-12)
    (disc,) = np.flatnonzero(boundary.owner == 1)
    place = turn([boundary.start], -theta)[0][disc]
    np.testing.assert_allclose(place, [0.2, 0.0], atol=1e-11)
    np.testing.assert_array_equal(boundary.start[disc], boundary.end[disc])
    assert not boundary.convex[disc] and not boundary.level.any() and not boundary.smooth.any()
    # free space on either side: from the floor onto the disc, and back
    assert boundary.owner[boundary.previous[disc]] == boundary.owner[boundary.next[disc]] == 0
    assert boundary.previous[disc] != boundary.next[disc]


@pytest.mark.parametrize("gap", [1e-10, 2e-9])
def test_a_gap_under_a_disc_stays(gap):
    boundary, _ = check([box(-3, -1, 3, 0), Outline.disc(0.5, [0.2, 0.5 + gap])])
    assert len(boundary.start) == 5


@pytest.mark.parametrize("theta", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("inner", [0.25, 0.5, 0.9, 1.0 - 1e-6])
def test_discs_that_touch_from_outside_and_in_a_hole(inner, theta):
    pair = turn([Outline.disc(1.0), Outline.disc(inner, [1.0 + inner, 0.0])], theta)
    boundary, area = check(pair)
    assert area == pytest.approx(math.pi * (1.0 + inner**2), rel=1e-13) and len(boundary.start) == 2
    assert boundary.next.tolist() == [1, 0] and not boundary.convex.any()
    ring = Outline.disc(2.0).with_holes(Outline.disc(1.0))
    boundary, area = check(turn([ring, Outline.disc(inner, [1.0 - inner, 0.0])], theta))
    assert area == pytest.approx(math.pi * (3.0 + inner**2), rel=1e-13) and len(boundary.start) == 3
    boundary, area = check(turn([Outline.disc(1.0), Outline.disc(inner, [1.0 - inner, 0.0])], theta))  # within
    assert area == pytest.approx(math.pi, rel=1e-14) and len(boundary.start) == 1 and boundary.smooth.all()


def test_a_row_of_discs_on_a_floor_between_two_walls():
    discs = [Outline.disc(0.5, [0.5 + k, 0.5]) for k in range(4)]
    blocks = [box(-1, -1, 5, 0), box(-1, 0, 0, 2), box(4, 0, 5, 2)]
    for theta in (0.0, 0.2, 1.3):
        boundary, area = check(turn([*discs, *blocks], theta))
        assert area == pytest.approx(math.pi + 6.0 + 4.0, rel=1e-12)
        arcs = boundary.sign != 0  # each disc in three: below on both sides of its foot, and above
        assert np.bincount(boundary.owner[arcs]).tolist() == [3, 3, 3, 3] and not boundary.convex[arcs].any()


# ------------------------------------------------------------------------------------------------------------- seams


def make_slide(alpha=0.5, bend=1.0):
    """A ramp, an arc block and a level block, of which the arc goes over into both."""
    low = np.array([-bend * math.sin(alpha), bend - bend * math.cos(alpha)])
    up = low + 3.0 * np.array([-math.cos(alpha), math.sin(alpha)])
    ramp = np.array([[-6.0, -1.0], [low[0], -1.0], low, up, [-6.0, up[1]]])
    arc = Outline.from_vertices([[low[0], -1.0], [0.0, -1.0], [0.0, 0.0], low],
                                [0.0, 0.0, -math.tan(alpha / 4.0), 0.0])
    whole = Outline.from_vertices([[-6.0, -1.0], [6.0, -1.0], [6.0, 0.0], [0.0, 0.0], low, up, [-6.0, up[1]]],
                                  [0.0, 0.0, 0.0, -math.tan(alpha / 4.0), 0.0, 0.0, 0.0])
    return [ramp, arc, box(0.0, -1.0, 6.0, 0.0)], whole


@pytest.mark.parametrize("theta", [0.0, 0.3, 1.0, 4.0])
@pytest.mark.parametrize("outlined", [False, True])
def test_an_edge_goes_on_in_the_arc_of_another_obstacle(theta, outlined):
    obstacles, whole = make_slide()
    if outlined:
        obstacles = [to_outline(obstacle) for obstacle in obstacles]
    boundary, area = check(turn(obstacles, theta))
    assert area == pytest.approx(whole.area, rel=1e-12)
    (arc,) = np.flatnonzero(boundary.sign)
    for row in (arc, boundary.next[arc]):
        assert boundary.level[row] and boundary.smooth[row] and not boundary.convex[row]
        assert boundary.owner[row] != boundary.owner[boundary.previous[row]]
    assert boundary.level.sum() == 4 and boundary.smooth.sum() == 2
    assert boundary.convex.sum() == 5


@pytest.mark.parametrize("theta", [0.0, 0.3, 4.0])
def test_arcs_of_two_obstacles_make_one_circle(theta):
    half = Outline.from_vertices([[-1, 0], [1, 0]], [0.0, 1.0])
    halves = [half, half.rotated(math.pi)]
    boundary, area = check(turn(halves, theta))
    assert area == pytest.approx(math.pi, rel=1e-14) and boundary.owner.tolist() == [0, 1]
    assert boundary.level.all() and boundary.smooth.all()
    overlap = [Outline.disc(1.0), halves[0].rotated(0.3)]  # one that lies within: of two arcs the first stays
    boundary, _ = check(turn(overlap, theta))
    assert boundary.owner.tolist() == [0] and boundary.start.tolist() == boundary.end.tolist()


def test_an_edge_meets_an_arc_in_a_corner():
    dome = Outline.from_vertices([[0, 0], [2, 0]], [0.0, 1.0])  # half a disc beside a block: one corner each way
    boundary, _ = check([box(-2, -1, 2, 0), dome, box(2, -1, 3, 0.5)])
    (arc,) = np.flatnonzero(boundary.sign)
    assert not boundary.convex[arc] and not boundary.level[arc]
    pointed = Outline.from_vertices([[0, 0], [1, 0], [1, 1]], [0.0, 0.0, -0.2])
    boundary, _ = check([pointed, box(1, 0, 2, 1)])
    corner = np.flatnonzero((boundary.start == [1.0, 1.0]).all(axis=1))
    first, last = compute_tangents(list_features(boundary))
    for row in corner:
        a, b = last[boundary.previous[row]], first[row]
        assert boundary.convex[row] == (a[0] * b[1] - a[1] * b[0] > 0.0)


# ------------------------------------------------------------------------------------------------------------- random


def draw_obstacle(rng):
    kind = rng.integers(5)
    if kind == 0:
        outline = Outline.disc(rng.uniform(0.2, 1.0))
    elif kind == 1:
        outline = Outline.capsule(rng.uniform(0.2, 1.5), rng.uniform(0.1, 0.5))
    elif kind == 2:
        w, h = rng.uniform(0.3, 2.0, 2)
        outline = Outline.from_vertices(box(0, 0, w, h)).with_fillets(rng.uniform(0.02, 0.3) * min(w, h))
    elif kind == 3:
        outline = draw_bulged(rng)
    else:
        radius = rng.uniform(0.5, 1.0)
        outline = Outline.disc(radius).with_holes(Outline.disc(radius * rng.uniform(0.3, 0.9)))
    return outline.rotated(rng.uniform(0.0, 6.0)).translated(*rng.uniform(0.0, 2.5, 2))


def draw_bulged(rng):
    while True:
        n = int(rng.integers(3, 7))
        angle = (np.arange(n) + rng.uniform(0.1, 0.9, n)) * 2.0 * math.pi / n
        corners = rng.uniform(0.4, 1.0, (n, 1)) * np.stack([np.cos(angle), np.sin(angle)], axis=1)
        try:
            return Outline.from_vertices(corners, rng.uniform(-0.6, 0.6, n))
        except OutlineError:  # it crosses itself
            pass


@pytest.mark.parametrize("group", range(15))
def test_random_obstacles_anywhere(group):
    for seed in range(15 * group, 15 * group + 15):
        rng = np.random.default_rng(seed)
        obstacles = [draw_obstacle(rng) for _ in range(rng.integers(2, 6))]
        if rng.random() < 0.3:
            obstacles.append(box(*rng.uniform(0.0, 1.0, 2), *rng.uniform(1.2, 2.5, 2)))
        _, area = check(obstacles, f"seed {seed}")
        assert abs(area - measure_union(obstacles)) < 3e-4, f"seed {seed}"


def draw_on_a_lattice(rng):
    """Discs, capsules, blocks, rings, quarter pockets whose sizes and places are multiples of a half."""
    x, y = rng.integers(0, 5, 2) / 2.0
    kind, quarter = rng.integers(6), 0.5 * math.pi * rng.integers(4)
    if kind == 0:
        return Outline.disc(rng.choice([0.5, 1.0, 1.5]), (x, y))
    if kind == 1:
        return Outline.capsule(float(rng.integers(1, 3)), 0.5).rotated(quarter).translated(x, y)
    if kind == 2:
        w, h = rng.integers(1, 4, 2) / 2.0
        return box(x, y, x + w, y + h)
    if kind == 3:
        w, h = rng.integers(2, 4, 2)
        block = Outline.from_vertices(box(x, y, x + w, y + h))
        return block.with_fillets(rng.choice([0.25, 0.5]))
    if kind == 4:
        return Outline.disc(1.5, (x, y)).with_holes(Outline.disc(rng.choice([0.5, 1.0]), (x, y)))
    r = rng.choice([0.5, 1.0])
    pocket = Outline.from_vertices([[0, 0], [r, 0], [0, r]], [0.0, -math.tan(math.pi / 8.0), 0.0])
    return pocket.rotated(quarter).translated(x, y)


@pytest.mark.parametrize("group", range(15))
def test_random_obstacles_on_a_lattice(group):
    """They touch in points, along edges and along arcs; turned and moved by rounding the union is the same."""
    for seed in range(10 * group, 10 * group + 10):
        rng = np.random.default_rng(seed)
        obstacles = [draw_on_a_lattice(rng) for _ in range(rng.integers(2, 7))]
        plain, area = check(obstacles, f"seed {seed}")
        assert abs(area - measure_union(obstacles)) < 3e-4, f"seed {seed}"
        theta, offset = rng.uniform(0.0, 6.0), rng.uniform(-3.0, 3.0, 2)
        turned, same = check(turn(obstacles, theta, offset), f"seed {seed}")
        assert same == pytest.approx(area, abs=1e-9), f"seed {seed}"
        for name in ("owner", "feature", "next", "convex", "level", "smooth"):
            np.testing.assert_array_equal(getattr(turned, name), getattr(plain, name), err_msg=f"seed {seed} {name}")
        size = rng.choice([1e-13, 1e-12])
        moved = [turn([obstacle], theta, offset + size * rng.normal(size=2))[0] for obstacle in obstacles]
        _, near = check(moved, f"seed {seed}")
        assert near == pytest.approx(area, abs=1e-9), f"seed {seed}"


@pytest.mark.parametrize("seed", range(30))
def test_polygons_and_outlines_without_arcs_have_one_boundary(seed):
    rng = np.random.default_rng(seed)
    blocks = []
    for _ in range(rng.integers(2, 8)):
        (x, y), (w, h) = rng.integers(0, 5, 2), rng.integers(1, 4, 2)
        blocks.append(box(x, y, x + w, y + h) / 3.0)
    blocks = turn(blocks, rng.uniform(0.0, 6.0))
    plain = compute_boundary(blocks)
    mixed = [to_outline(block) if rng.random() < 0.6 else block for block in blocks]
    for name, one, other in zip(plain._fields, plain, compute_boundary(mixed), strict=True):
        np.testing.assert_array_equal(one, other, err_msg=f"seed {seed} {name}")
