"""Rest poses on a floor: known shares, a slow twin that samples the radius function, slopes, round sides, symmetry."""

import math
from itertools import pairwise

import numpy as np
import pytest

from geometry.errors import InputError
from geometry.rest.hull import compute_hull
from geometry.rest.rest_poses import list_rest_poses
from geometry.rest.symmetry import find_symmetry
from geometry.shapes.outline import Outline
from geometry.shapes.polygon import Polygon
from geometry.shapes.pose import Pose

L = Polygon.from_vertices([[0, 0], [40, 0], [40, 10], [10, 10], [10, 40], [0, 40]], unit="mm")
TRIANGLE = Polygon.from_vertices([[0, 0], [4, 0], [0, 3]])
HALF_DISC = Outline.from_vertices([[-1, 0], [1, 0]], bulge=[0, 1])
EXACT = 1e-14


def centre(outline):
    return outline.translated(*(-outline.centroid))


def lower_point(outline, theta):
    """Height of the centre of mass over the floor, from points along the outline."""
    points = np.concatenate(outline.sample(1e-7))
    return -Pose(0.0, 0.0, theta).rotate(points)[:, 1].min()


def sample_basins(outline, slope=0.0, n=1800):
    """A slow twin: V from sums of g x P over sampled directions; the basins of its minima by walking downhill."""
    points = np.concatenate(outline.sample(1e-6))
    phi = 2.0 * math.pi * (np.arange(n) + 0.5) / n
    u = np.stack([np.cos(phi), np.sin(phi)], axis=1)
    touching = points[np.argmax(points @ u.T, axis=0)]
    g = np.stack([np.cos(phi - slope), np.sin(phi - slope)], axis=1)
    rising = g[:, 0] * touching[:, 1] - g[:, 1] * touching[:, 0] > 0.0
    lows = np.flatnonzero(~rising & np.roll(rising, -1))
    ends = np.flatnonzero(rising & ~np.roll(rising, -1))
    found = []
    for low in lows:
        before = max(end - (n if end > low else 0) for end in [*ends, *(ends - n)] if end < low)
        after = min(end for end in [*ends, *(ends + n)] if end > low)
        theta = slope - 0.5 * math.pi - 2.0 * math.pi * (low + 1) / n
        found.append((theta % (2.0 * math.pi), (after - before) / n))
    return sorted(found)


def random_outline(rng):
    """A star of random radius with some fillets: convex and reflex corners, arcs both ways."""
    n = int(rng.integers(3, 12))
    angle = 2.0 * math.pi * (np.arange(n) + rng.uniform(-0.3, 0.3, n)) / n
    points = rng.uniform(0.5, 1.5, n)[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    bulge = rng.choice([0.0, 0.15, -0.1], n)
    return centre(Outline.from_vertices(points, bulge=bulge))


# ---- the hull --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(30))
def test_the_hull_supports_every_point_and_closes(seed):
    rng = np.random.default_rng(seed)
    outline = random_outline(rng)
    hull = compute_hull(outline)
    assert (hull.end >= hull.begin).all() and (hull.begin[1:] == hull.end[:-1]).all()
    assert hull.end[-1] == hull.begin[0] + 2.0 * math.pi
    points = np.concatenate(outline.sample(1e-8))
    for phi in rng.uniform(0.0, 2.0 * math.pi, 50):
        u = np.array([math.cos(phi), math.sin(phi)])
        k = np.flatnonzero(np.remainder(phi - hull.begin, 2.0 * math.pi) <= hull.end - hull.begin)[0]
        assert abs(hull.centre[k] @ u + hull.radius[k] - (points @ u).max()) < 2e-8


def test_the_hull_of_a_circle_drawn_as_three_arcs_is_that_circle():
    thirds = 2.0 * math.pi * np.arange(3) / 3
    disc = Outline.from_vertices(np.stack([np.cos(thirds), np.sin(thirds)], axis=1), bulge=[math.tan(math.pi / 6)] * 3)
    assert [len(list_rest_poses(shape)) for shape in (disc, Outline.disc(1.0))] == [1, 1]
    (pose,) = list_rest_poses(disc)
    assert pose.span == pytest.approx(2.0 * math.pi) and pose.share == pytest.approx(1.0)
    assert {word for word, _ in pose.touches} == {"arc"}


# ---- known numbers ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [3, 4, 5, 6, 7, 8, 12, 100, 1001])
def test_a_regular_polygon_has_equal_shares(n):
    poses = list_rest_poses(Polygon.regular(n, 0.02))
    assert len(poses) == n
    assert [pose.touches for pose in poses] == [(("edge", n - 1 - k),) for k in range(n)]
    for pose in poses:
        assert abs(pose.share - 1.0 / n) < EXACT
        assert abs(pose.margin.angle - math.pi / n) < 1e-12
        assert abs(pose.margin.lift - 0.02 * (1.0 - math.cos(math.pi / n))) < 1e-16
    assert {pose.alike for pose in poses} == {0}


@pytest.mark.parametrize("a, b", [(2.0, 1.0), (0.04, 0.01), (1.0, 7.0)])
def test_a_rectangle_has_the_shares_of_its_diagonals(a, b):
    poses = list_rest_poses(Polygon.box(a, b))
    flat, upright = math.atan2(a, b) / math.pi, math.atan2(b, a) / math.pi
    assert [pose.share for pose in poses] == pytest.approx([flat, upright, flat, upright], abs=EXACT)
    assert [pose.margin.lift for pose in poses] == pytest.approx(
        [math.hypot(a, b) / 2 - b / 2, math.hypot(a, b) / 2 - a / 2] * 2, abs=EXACT)
    assert [pose.theta for pose in poses] == pytest.approx([0.0, math.pi / 2, math.pi, -math.pi / 2], abs=EXACT)
    assert [pose.alike for pose in poses] == [0, 1, 0, 1]


def test_a_3_4_5_triangle_has_the_basins_of_its_radius_function():
    """Its centroid is (4/3, 1); a boundary is where it stands over a corner: shares are the angles between corners as
    seen from there."""
    poses = list_rest_poses(centre(TRIANGLE))
    corners = np.array([[0, 0], [4, 0], [0, 3], [0, 0]]) - np.array([4 / 3, 1.0])
    seen = np.arctan2(corners[:, 1], corners[:, 0])
    shares = [float((end - begin) % (2 * math.pi)) / (2 * math.pi) for begin, end in pairwise(seen)]
    by_edge = {pose.touches[0][1]: pose for pose in poses}
    assert [by_edge[k].share for k in range(3)] == pytest.approx(shares, abs=EXACT)
    assert [by_edge[k].height for k in range(3)] == pytest.approx([1.0, 0.8, 4 / 3], abs=EXACT)
    assert by_edge[0].support == pytest.approx((-4 / 3, 8 / 3), abs=EXACT)
    assert by_edge[0].left.angle == pytest.approx(math.atan2(4, 3), abs=EXACT)  # about the corner (0, 0)


def test_an_l_rests_on_both_legs_and_on_its_two_tips():
    poses = list_rest_poses(centre(L))
    assert [pose.describe() for pose in poses] == ["edge 0", "edge 5", "vertex 2, vertex 4"]
    assert [pose.theta for pose in poses] == pytest.approx([0.0, math.pi / 2, -3 * math.pi / 4], abs=EXACT)
    assert poses[0].share == pytest.approx(poses[1].share, abs=EXACT) and sum(p.share for p in poses) == 1.0
    # the centroid is 95/7 mm from both legs; a corner of the hull tips where the centroid is over it
    x = 95 / 7
    assert poses[0].share == pytest.approx((math.atan2(x, x) + math.atan2(40 - x, x)) / (2 * math.pi), abs=EXACT)
    # from the tips it goes over the short end of a leg: its top is where the centroid is over the corner (0, 40)
    assert poses[2].margin.angle == pytest.approx(math.atan2(40 - x, -x) - math.pi / 4, abs=1e-13)


def test_a_disc_rests_anywhere_and_one_out_of_balance_below_its_centre():
    (pose,) = list_rest_poses(Outline.disc(0.3))
    assert pose.span == pose.share * 2 * math.pi == 2 * math.pi and math.isinf(pose.margin.angle)
    assert pose.theta == 0.0 and pose.describe() == "arc 0"
    (pose,) = list_rest_poses(Outline.disc(0.3, center=[0.1, 0.0]))
    assert pose.span == 0.0 and pose.share == 1.0
    assert (pose.theta, pose.height) == pytest.approx((math.pi / 2, 0.2), abs=EXACT)
    assert pose.margin == pytest.approx((math.pi, 0.2), abs=EXACT)


def test_a_capsule_rests_on_its_sides_only():
    poses = list_rest_poses(Outline.capsule(2.0, 0.5))
    assert [pose.describe() for pose in poses] == ["edge 0", "edge 2"]
    assert [pose.share for pose in poses] == pytest.approx([0.5, 0.5], abs=EXACT)
    assert poses[0].margin == pytest.approx((math.pi / 2, 1.0), abs=EXACT)
    assert poses[0].support == pytest.approx((-1.0, 1.0)) and poses[1].alike == 0


def test_a_half_disc_rests_on_its_flat_and_on_its_round_side():
    flat, bowl = list_rest_poses(centre(HALF_DISC))
    d = 4 / (3 * math.pi)
    assert (flat.describe(), bowl.describe()) == ("edge 0", "arc 1")
    assert flat.share == pytest.approx(math.atan2(1, d) / math.pi, abs=EXACT)
    assert flat.share + bowl.share == pytest.approx(1.0, abs=EXACT)
    assert (flat.height, bowl.height) == pytest.approx((d, 1 - d), abs=EXACT)
    assert bowl.margin.lift == pytest.approx(math.hypot(1, d) - (1 - d), abs=EXACT)


def test_a_round_end_about_the_centre_of_mass_is_a_range():
    """Three quarters of a disc, its centre of mass at the centre of the arc: at rest wherever the arc touches."""
    r = math.sqrt(0.5)
    sector = Outline.from_vertices([[-r, -r], [r, -r]], bulge=[0.0, math.tan(3 * math.pi / 8)])
    chord, arc = list_rest_poses(sector)
    assert (chord.span, arc.span) == pytest.approx((0.0, 1.5 * math.pi), abs=1e-12)
    assert arc.theta == pytest.approx(math.pi, abs=1e-12) and arc.height == pytest.approx(1.0)
    assert arc.margin == (0.0, 0.0)  # beyond its ends the part falls on the chord
    assert (chord.share, arc.share) == pytest.approx((0.25, 0.75), abs=1e-12)
    assert chord.margin == pytest.approx((math.pi / 4, 1 - r), abs=1e-12)


def test_a_centre_of_mass_over_a_corner_is_no_rest():
    """A parallelogram whose centre stands over a corner of its lower side; by a micrometre within, it rests."""
    leaning = Polygon.from_vertices([[0, 0], [1, 0], [2, 1], [1, 1]])  # centroid (1, 0.5), over the corner (1, 0)
    assert "edge 0" not in [pose.describe() for pose in list_rest_poses(centre(leaning))]
    inside = leaning.translated(-1.0 + 1e-6, -0.5)
    pose = next(pose for pose in list_rest_poses(inside) if pose.describe() == "edge 0")
    assert pose.margin.angle == pytest.approx(2e-6, rel=1e-6)


# ---- against the twin ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("slope", [0.0, 0.2, -0.35])
@pytest.mark.parametrize("seed", range(8))
def test_poses_and_shares_are_those_of_a_sampled_walk(seed, slope):
    outline = random_outline(np.random.default_rng(seed))
    poses = sorted((pose.theta % (2 * math.pi), pose.share) for pose in list_rest_poses(outline, slope)
                   if pose.margin.angle > 0.01)
    twin = [pair for pair in sample_basins(outline, slope)
            if any(abs(math.remainder(pair[0] - theta, 2 * math.pi)) < 0.01 for theta, _ in poses)]
    assert len(twin) == len(poses)
    for theta, share in twin:
        near = min(poses, key=lambda pose: abs(math.remainder(pose[0] - theta, 2 * math.pi)))
        assert abs(math.remainder(near[0] - theta, 2 * math.pi)) < 4e-3 and abs(near[1] - share) < 2e-3


@pytest.mark.parametrize("seed", range(8))
def test_heights_and_lifts_are_those_of_the_turned_outline(seed):
    outline = random_outline(np.random.default_rng(100 + seed))
    for pose in list_rest_poses(outline):
        assert abs(lower_point(outline, pose.theta) - pose.height) < 2e-7
        for way, sign in ((pose.left, 1.0), (pose.right, -1.0)):
            top = lower_point(outline, pose.theta + sign * way.angle)
            assert abs(top - pose.height - way.lift) < 4e-7
            assert lower_point(outline, pose.theta + sign * (way.angle + 1e-3)) < top + 1e-7


# ---- slopes ----------------------------------------------------------------------------------------------------------


def test_a_box_on_a_slope_tips_sooner_downhill_and_not_at_all_beyond_its_diagonal():
    slope = math.radians(10)
    poses = list_rest_poses(Polygon.box(2.0, 1.0), slope)  # the floor rises to the right: downhill is counter-clockwise
    assert [pose.number for pose in poses] == [0, 1, 2, 3]
    assert poses[0].theta == pytest.approx(slope) and poses[0].left.angle == pytest.approx(math.atan2(2, 1) - slope)
    assert poses[1].right.angle == pytest.approx(math.atan2(1, 2) + slope)
    steep = list_rest_poses(Polygon.box(2.0, 1.0), math.radians(30))  # beyond atan(1/2): only the long sides hold
    assert [pose.number for pose in steep] == [0, 2] and sum(pose.share for pose in steep) == pytest.approx(1.0)
    mirrored = list_rest_poses(Polygon.box(2.0, 1.0), -slope)
    assert mirrored[0].right == pytest.approx(poses[0].left)


def test_a_disc_rolls_down_any_slope():
    assert list_rest_poses(Outline.disc(1.0), 1e-3) == ()
    d = 0.1
    (pose,) = list_rest_poses(Outline.disc(1.0, center=[0.0, d]), 0.05)
    assert math.sin(pose.theta) == pytest.approx(math.sin(0.05) / d)  # its centre stands over what touches
    assert list_rest_poses(Outline.disc(1.0, center=[0.0, d]), math.asin(d) + 1e-6) == ()


@pytest.mark.parametrize("slope", [math.pi / 2, -2.0, math.nan, math.inf])
def test_a_wall_is_no_floor(slope):
    with pytest.raises(InputError, match="slope of a floor"):
        list_rest_poses(L, slope)


# ---- symmetry --------------------------------------------------------------------------------------------------------


def test_symmetry_counts_turns_and_holes():
    box = Outline.from_vertices([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    hole = Outline.disc(0.2, center=[0.5, 0.0])
    other = Outline.disc(0.2, center=[-0.5, 0.0])
    assert [find_symmetry(shape) for shape in (box, box.with_holes(hole), box.with_holes(hole, other))] == [4, 1, 2]
    assert find_symmetry(Outline.disc(1.0)) == 0 and find_symmetry(Outline.disc(1.0, center=[0.1, 0.0])) == 1
    assert find_symmetry(Outline.disc(1.0).with_holes(hole, other)) == 2
    assert find_symmetry(centre(L)) == 1 and find_symmetry(Outline.capsule(2.0, 0.5)) == 2
    assert find_symmetry(Polygon.regular(12, 1.0).translated(0.01, 0.0)) == 1
    holed = list_rest_poses(box.with_holes(hole, other))
    assert [pose.alike for pose in holed] == [0, 1, 0, 1]
