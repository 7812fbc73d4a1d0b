"""Outline: edges and arcs, their moments in closed form, fillets, holes, and what is refused and how."""

import math
import pickle

import numpy as np
import pytest

from geometry.errors import InputError
from geometry.shapes.features import OutlineError, build_features, compute_winding, sample_features
from geometry.shapes.moments import compute_segment_factors
from geometry.shapes.outline import Outline
from geometry.shapes.polygon import Polygon
from tests.scene_builders import A19_ACCEPTED, A19_REFUSED

SLOT = [(-15, -5), (15, -5), (15, 5), (-15, 5)]
L = [(0, 0), (4, 0), (4, 1), (1, 1), (1, 3), (0, 3)]
QUARTER = math.tan(math.pi / 8.0)


def build_random(rng, n=None):
    """A star-shaped loop about the origin with bulges that are too small to make it cross itself."""
    n = n or int(rng.integers(3, 30))
    angle = (np.arange(n) + rng.uniform(0.2, 0.8, n)) * 2.0 * math.pi / n
    points = rng.uniform(0.7, 1.0, (n, 1)) * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return points, rng.uniform(-0.15, 0.15, n) * (rng.random(n) < 0.7)


def compute_fine_moments(outline, tolerance):
    """Twin: area, centroid and polar moment of a fine polygon of each loop."""
    loops = [Polygon(points) for points in outline.sample(tolerance)]
    sign = (1.0, *(-1.0 for _ in loops[1:]))
    area = sum(s * loop.area for s, loop in zip(sign, loops, strict=True))
    centroid = sum(s * loop.area * loop.centroid for s, loop in zip(sign, loops, strict=True)) / area
    polar = sum(s * (loop.second_moment + loop.area * math.dist(loop.centroid, centroid) ** 2)
                for s, loop in zip(sign, loops, strict=True))
    return area, centroid, polar


# ----------------------------------------------------------------------------------------------------------- moments


@pytest.mark.parametrize("bulge, area, polar", [
    (1.0, 300.0 + 25.0 * math.pi, 48653.2063806894), (-1.0, 300.0 - 25.0 * math.pi, 11346.793619310604)])
def test_b01_slot(bulge, area, polar):
    slot = Outline.from_vertices(SLOT, [0, bulge, 0, bulge], unit="mm")
    assert abs(slot.area * 1e6 - area) <= 1e-12 * area
    assert abs(slot.second_moment * 1e12 - polar) <= 1e-12 * polar
    assert np.abs(slot.centroid).max() <= 1e-18
    assert len(slot) == 4 and slot.sign.tolist() == [0, bulge, 0, bulge]
    np.testing.assert_allclose(slot.radius, [0, 0.005, 0, 0.005], rtol=1e-15)
    if bulge > 0.0:
        assert abs(slot.rho * 1e3 - 11.337047) <= 5e-7
        np.testing.assert_allclose(slot.bounds, [[-0.02, -0.005], [0.02, 0.005]], rtol=1e-15)
        assert not slot.corner.any()
    else:  # the ends of a half-round scoop are knife edges
        np.testing.assert_allclose(slot.turn, math.pi)
        np.testing.assert_allclose(slot.bounds, [[-0.015, -0.005], [0.015, 0.005]], rtol=1e-15)


def test_disc_is_one_feature_without_a_joint():
    disc = Outline.disc(2.0, (3.0, 4.0))
    assert len(disc) == 1 and disc.sign.tolist() == [1] and not disc.corner.any() and disc.turn.tolist() == [0.0]
    assert disc.next.tolist() == disc.previous.tolist() == [0]
    assert disc.area == pytest.approx(4.0 * math.pi, rel=1e-15)
    assert disc.second_moment == pytest.approx(8.0 * math.pi, rel=1e-15)
    assert disc.rho == pytest.approx(math.sqrt(2.0), rel=1e-15)
    assert disc.centroid.tolist() == [3.0, 4.0] and disc.bounds.tolist() == [[1.0, 2.0], [5.0, 6.0]]
    assert disc.sweep.tolist() == [2.0 * math.pi] and disc.length[0] == pytest.approx(4.0 * math.pi)


@pytest.mark.parametrize("n", [2, 3, 4, 7])
@pytest.mark.parametrize("side", [1, -1])
def test_arcs_of_one_circle_are_a_disc(n, side):
    angle = side * 2.0 * math.pi * np.arange(n) / n
    points = np.stack([np.cos(angle), np.sin(angle)], axis=1) + np.array([5.0, -3.0])
    disc = Outline.from_vertices(points, np.full(n, side * math.tan(math.pi / (2.0 * n))))
    assert len(disc) == 1 and disc.sign.tolist() == [1]
    assert disc.area == pytest.approx(math.pi, rel=1e-14)


def test_capsule():
    capsule = Outline.capsule(2.0, 0.5)
    assert capsule.area == pytest.approx(2.0 + 0.25 * math.pi, rel=1e-15)
    # each half disc about its own centroid, 4 r / (3 pi) from its centre, moved to the middle
    r, half = 0.5, 0.125 * math.pi
    arm = 4.0 * r / (3.0 * math.pi)
    ends = 2.0 * (half * (r * r / 2.0 - arm * arm) + half * (1.0 + arm) ** 2)
    assert capsule.second_moment == pytest.approx(2.0 * (4.0 + 1.0) / 12.0 + ends, rel=1e-14)
    assert capsule.bounds.tolist() == [[-1.5, -0.5], [1.5, 0.5]] and not capsule.corner.any()


@pytest.mark.parametrize("sweep", [1e-6, 1e-3, 0.3, 1.999, 2.0, 2.001, math.pi, 5.0, 2.0 * math.pi])
def test_segments_of_circles(sweep):
    """By quadrature over the angle, whose integrands are products: nothing cancels."""
    from scipy.integrate import quad

    t = 0.5 * sweep

    def reach(q):
        return 2.0 * math.sin((t + q) / 2.0) * math.sin((t - q) / 2.0)  # cos q - cos t

    wanted = (quad(lambda q: 2.0 * math.sin(q) ** 2, 0, t, epsabs=0)[0],
              quad(lambda q: 2.0 * math.sin(q) ** 2 * reach(q), 0, t, epsabs=0)[0],
              quad(lambda q: math.sin(q) * (2.0 * math.sin(q) * reach(q) ** 2 + (2.0 * math.sin(q)) ** 3 / 12.0), 0, t,
                   epsabs=0)[0])
    for value, right in zip(compute_segment_factors(np.array([sweep])), wanted, strict=True):
        assert value[0] == pytest.approx(right, rel=3e-14)


def test_random_outlines_against_fine_polygons(rng):
    for _ in range(30):
        points, bulge = build_random(rng, int(rng.integers(6, 30)))
        outline = Outline.from_vertices(points, bulge).with_holes(Outline.disc(0.1, (0.05, 0.0)))
        assert outline.n_loops == 2
        area, centroid, polar = compute_fine_moments(outline, 1e-8)
        assert outline.area == pytest.approx(area, rel=1e-7)
        np.testing.assert_allclose(outline.centroid, centroid, rtol=0, atol=1e-7)
        assert outline.second_moment == pytest.approx(polar, rel=2e-7)


def test_moments_do_not_depend_on_where_the_outline_is(rng):
    points, bulge = build_random(rng, 12)
    plain = Outline.from_vertices(points, bulge)
    for copy, scale in ((plain.translated(1e3, -2e3), 1.0), (plain.rotated(2.0), 1.0), (plain.scaled(1e-3), 1e-3)):
        assert copy.area == pytest.approx(plain.area * scale**2, rel=1e-12)
        assert copy.rho == pytest.approx(plain.rho * scale, rel=1e-12)
        assert copy.corner.tolist() == plain.corner.tolist()
    turned = plain.centroid @ np.array([[math.cos(2.0), math.sin(2.0)], [-math.sin(2.0), math.cos(2.0)]])
    np.testing.assert_allclose(plain.rotated(2.0).centroid, turned, rtol=0, atol=1e-15)


def test_either_direction_is_one_outline(rng):
    points, bulge = build_random(rng, 9)
    there = Outline.from_vertices(points, bulge)
    back = Outline.from_vertices(points[::-1], -np.roll(bulge[::-1], -1))
    assert back.area == pytest.approx(there.area, rel=1e-15) and back.area > 0.0
    np.testing.assert_allclose(sorted(map(tuple, back.start)), sorted(map(tuple, there.start)))
    assert sorted(back.sign) == sorted(there.sign)


def test_an_outline_of_edges_is_a_polygon(rng):
    for _ in range(20):
        points, _ = build_random(rng)
        outline, polygon = Outline.from_vertices(points), Polygon(points)
        assert outline.area == polygon.area and outline.second_moment == pytest.approx(polygon.second_moment, rel=1e-14)
        assert outline.start.tolist() == polygon.vertices.tolist()


@pytest.mark.parametrize("variant", A19_ACCEPTED)
def test_a19_accepted_variants(variant):
    outline = Outline.from_vertices(A19_ACCEPTED[variant])
    assert len(outline) == 4 and outline.corner.all()
    assert outline.area == pytest.approx(0.01, rel=1e-12)


# ----------------------------------------------------------------------------------------------------------- features


def test_the_solid_is_on_the_left():
    """Just left of the middle of every feature is inside, just right of it outside: holes run clockwise."""
    plate = Outline.from_vertices(SLOT, [0.2, 1, -0.1, 1]).with_holes(
        Outline.disc(1.0, (5, 0)), Outline.from_vertices([(-6, -3), (-4, -3), (-5, -1)], [0.3, -0.2, 0]))
    assert plate.n_loops == 3 and plate.loop.tolist() == [0] * 4 + [1] + [2] * 3
    assert plate.sign.tolist() == [1, 1, -1, 1, -1, 0, 1, -1]
    middle, left = [], []
    for k in range(len(plate)):
        half = plate.sign[k] * plate.sweep[k] / 2.0
        if plate.sign[k]:
            arm = plate.start[k] - plate.centre[k]
            c, s = math.cos(half), math.sin(half)
            turned = np.array([c * arm[0] - s * arm[1], s * arm[0] + c * arm[1]])
            middle.append(plate.centre[k] + turned)
            left.append(-plate.sign[k] * turned / plate.radius[k])
        else:
            along = (plate.end[k] - plate.start[k]) / plate.length[k]
            middle.append(0.5 * (plate.start[k] + plate.end[k]))
            left.append(np.array([-along[1], along[0]]))
    loops = [plate.features.take(plate.loop == k) for k in range(3)]
    for point, normal in zip(middle, left, strict=True):
        assert sum(compute_winding(loop, point + 1e-6 * normal) for loop in loops) == 1
        assert sum(compute_winding(loop, point - 1e-6 * normal) for loop in loops) == 0


def test_winding_against_fine_polygons(rng):
    import shapely

    for _ in range(10):
        points, bulge = build_random(rng)
        features = build_features(points, np.roll(points, -1, axis=0), bulge)
        fine = shapely.Polygon(np.concatenate(Outline.from_vertices(points, bulge).sample(1e-9)))
        for point in rng.uniform(-1.2, 1.2, (40, 2)):
            if shapely.distance(fine.exterior, shapely.Point(point)) > 1e-8:
                assert compute_winding(features, point) == int(fine.contains(shapely.Point(point)))


def test_corners_and_smooth_joints():
    outline = Outline.from_vertices([(0, 0), (3, 0), (4, 1), (4, 3), (0, 3)], [0, QUARTER, 0, 0, 0])
    assert outline.corner.tolist() == [True, False, False, True, True]
    np.testing.assert_allclose(outline.turn[[0, 3, 4]], math.pi / 2.0)
    blunt = Outline.from_vertices([(0, 0), (3, 0), (4, 1), (4, 3), (0, 3)], [0, QUARTER + 1e-6, 0, 0, 0])
    assert blunt.corner.all()
    assert Outline.from_vertices(L).turn.round(12).tolist() == [round(s * math.pi / 2, 12) for s in (1, 1, 1, -1, 1, 1)]


def test_what_lies_inside_a_feature_is_no_vertex():
    half = math.tan(math.pi / 16.0)
    c = math.cos(math.pi / 4.0)
    points = [(0, 0), (1.5, 0), (3, 0), (3 + c, 1 - c), (4, 1), (4, 3), (4, 3), (0, 3), (0, 1)]
    outline = Outline.from_vertices(points, [0, 0, half, half, 0, 0, 0, 0, 0])
    assert len(outline) == 5 and outline.sign.tolist() == [0, 1, 0, 0, 0]
    assert outline.area == pytest.approx(11.0 + math.pi / 4.0, rel=1e-15)


def test_flat_arcs_are_edges():
    outline = Outline.from_vertices(SLOT, [1e-13, 0, 1e-300, 0])
    assert outline.sign.tolist() == [0, 0, 0, 0]


def test_equality_hash_and_pickle():
    one, other = Outline.capsule(2, 0.5), Outline.capsule(2, 0.5)
    assert one == other and hash(one) == hash(other) and one != Outline.capsule(2, 0.6)
    assert pickle.loads(pickle.dumps(one)) == one
    with pytest.raises(ValueError, match="read-only"):
        one.start[0, 0] = 1.0


# ------------------------------------------------------------------------------------------------------------ fillets


def test_fillets_of_a_rectangle():
    plate = Outline.from_vertices([(0, 0), (40, 0), (40, 20), (0, 20)], unit="mm").with_fillets(0.005)
    assert plate.area * 1e6 == pytest.approx(800.0 - (4.0 - math.pi) * 25.0, rel=1e-14)
    assert len(plate) == 8 and not plate.corner.any()
    # a fillet of half the width: the two quarters make one half circle
    capsule = Outline.from_vertices([(-1.5, -0.5), (1.5, -0.5), (1.5, 0.5), (-1.5, 0.5)]).with_fillets(0.5)
    assert sorted(capsule.sign) == [0, 0, 1, 1] and capsule.area == pytest.approx(2.0 + math.pi / 4.0, rel=1e-15)
    disc = Outline.from_vertices([(0, 0), (1, 0), (1, 1), (0, 1)]).with_fillets(0.5)
    assert len(disc) == 1 and disc.radius[0] == pytest.approx(0.5, rel=1e-15)


def test_fillets_at_reflex_corners_add_and_at_convex_ones_take_away():
    outline = Outline.from_vertices(L).with_fillets([0.2, 0.3, 0.1, 0.5, 0.0, 0.4])
    corner = 1.0 - math.pi / 4.0
    assert outline.area == pytest.approx(6.0 + corner * (0.25 - 0.04 - 0.09 - 0.01 - 0.16), rel=1e-14)
    assert sorted(outline.sign) == [-1] + [0] * 6 + [1] * 4
    assert outline.corner.sum() == 1


def test_fillet_of_any_angle(rng):
    for _ in range(20):
        points, _ = build_random(rng, int(rng.integers(3, 8)))
        sharp = Outline.from_vertices(points)
        radius = 0.02
        round_ = sharp.with_fillets(radius)
        # a corner that turns by a has r^2 (tan(a/2) - a/2) between itself and its fillet
        turn = sharp.turn
        area = sharp.area - float((np.sign(turn) * radius**2 * (np.tan(abs(turn) / 2) - abs(turn) / 2)).sum())
        assert round_.area == pytest.approx(area, rel=1e-12) and not round_.corner.any()


def test_fillets_of_holes():
    plate = Outline.from_vertices([(0, 0), (4, 0), (4, 4), (0, 4)]).with_holes(
        Outline.from_vertices([(1, 1), (3, 1), (3, 3), (1, 3)]))
    rounded = plate.with_fillets([0, 0, 0, 0, 0.5, 0.5, 0.5, 0.5])
    assert rounded.area == pytest.approx(12.0 + (4.0 - math.pi) * 0.25, rel=1e-14)
    assert (rounded.sign[rounded.loop == 1] <= 0).all()


@pytest.mark.parametrize("vertices, bulge, radius, message", [
    (L, None, [0, 0.3, 0.8, 0, 0, 0],
     r"fillet of 0\.8 m at vertex 2 \(4, 1\) m does not fit: it takes 0\.8 m of edge 1, which is 1 m long, of which "
     r"the fillet of vertex 1 takes 0\.3 m; valid: up to 0\.7 m"),
    (L, None, [0, 0, 0, 2.5, 0, 0], r"vertex 3 \(1, 1\) m does not fit: .* 2 m long; valid: up to 2 m"),
    (L, None, 0.6, r"fillet of 0\.6 m at vertex 1 .* valid: both up to 0\.5 m"),
    (L, None, -0.1, r"fillet radius must be zero or positive, and finite, not -0\.1 m"),
    (L, None, [0, 0, float("nan"), 0, 0, 0], r"radius of vertex 2 must be zero or positive, and finite, not nan"),
    (L, None, [0.1, 0.1], r"one for each of the 6 vertices; not an array of shape \(2,\)"),
    (L, None, "big", "a number, or a list of numbers"),
    (SLOT, [0, 1, 0, 1], [0, 0, 1, 0], r"vertex 2 at \(15, 5\) m cannot have a fillet of 1 m: it is no corner"),
    (SLOT, [0, 1, 0, 1], 1.0, "has no corner that a fillet could round"),
    (SLOT, [0, 0.5, 0, 0], [0, 0, 1, 0], r"vertex 2 at \(15, 5\) m .*: feature 1 beside it is an arc; valid are "
     "corners between two edges, and 0 elsewhere"),
    (L, None, [0, 0, 0, 0, 0, 1e-14], r"fillet of 1e-14 m at vertex 5 is below the rounding"),
])
def test_fillets_that_are_refused(vertices, bulge, radius, message):
    outline = Outline.from_vertices(vertices, bulge)
    with pytest.raises(OutlineError, match=message):
        outline.with_fillets(radius)


def test_a_fillet_that_runs_into_a_needle_is_named():
    """A spike that reaches into the corner which the fillet fills."""
    outline = Outline.from_vertices([(0, 0), (4, 0), (4, 1), (1, 1), (1, 4), (0, 4)]).with_holes()
    spiked = Outline.from_vertices([(0, 0), (5, 0), (5, 5), (1.5, 1.5), (4, 1), (1, 1), (1, 4), (0, 4)])
    assert spiked.area > 0.0 and outline.with_fillets([0, 0, 0, 2, 0, 0]).area > outline.area
    with pytest.raises(OutlineError, match=r"crosses itself at .*the fillet of vertex 5"):
        spiked.with_fillets([0, 0, 0, 0, 0, 2.5, 0, 0])


# ------------------------------------------------------------------------------------------------------------ refusals


@pytest.mark.parametrize("variant", A19_REFUSED)
def test_a19_refused(variant):
    with pytest.raises(OutlineError):
        Outline.from_vertices(A19_REFUSED[variant])


@pytest.mark.parametrize("vertices, bulge, message", [
    ([(0, 0), (0.1, 0.1), (0.1, 0), (0, 0.1)], None,
     r"crosses itself at \(0\.05, 0\.05\) m: feature 0 \(the edge from \(0, 0\) to \(0\.1, 0\.1\) m\) and feature 2"),
    ([(0, 0), (4, 0), (4, 1), (0, 1)], [-1, 0, 0, 0],
     r"crosses itself at \(0\.26794\d+, 1\) m: feature 0 \(the arc .* and feature 2 \(the edge"),
    ([(0, 0), (4, 0), (4, 3), (0, 3)], [-0.5, 0, -1, 0], r"feature 0 \(the arc .*\) and feature 2 \(the arc"),
    ([(0, 0), (4, 0), (4, 2), (0, 2)], [-1, 0, 0, 0], r"itself at \(2, 2\) m: feature 0 \(the arc"),  # only touches
    ([(0, 0), (2, 0), (2, 2), (1, 0), (0, 2)], None, "touches itself at|crosses itself at"),
    ([(0, 0), (1, 0), (2, 0)], None, "has no area"),
    ([(0, 0), (1, 0)], None, "has no area"),
    ([(0, 0), (1, 0)], [0.5, -0.5], r"turns straight back at \(0, 0\) m, from feature 1 \(the arc"),
    ([(0, 0), (2, 0), (2, 1), (1, 1), (3, 1)], None, r"turns straight back at \(1, 1\) m|crosses|touches"),
    ([(0, 0), (1, 0), (2, float("nan"))], None, r"vertex 2 of the outline is not finite: \(2, nan\)"),
    ([(0, 0), (1, 0), (1, 1)], [0, float("inf"), 0], r"bulge 1 of the outline is inf; valid are bulges up to 1e\+06"),
    ([(0, 0), (1, 0), (1, 1)], [0, 0], r"an outline of 3 vertices has 3 bulges.*shape \(2,\)"),
    ([(0, 0), (1, 0), (1, 1)], "soft", "the bulges of an outline are a list of numbers"),
    ([(0, 0, 0), (1, 0, 0)], None, r"not an array of shape \(2, 3\)"),
    ([], None, "pairs of numbers"),
    ("abc", None, "pairs of numbers"),
    ([(0, 0), (1e16, 0), (0, 1)], None, r"too large: a coordinate of 1e\+16 m; valid are coordinates up to 1e\+15 m"),
    ([(0, 0), (1e-16, 0), (0, 1e-16)], None, "too small"),
])
def test_refused_by_name(vertices, bulge, message):
    with pytest.raises(OutlineError, match=message) as error:
        Outline.from_vertices(vertices, bulge)
    assert isinstance(error.value, InputError) and isinstance(error.value, ValueError)


@pytest.mark.parametrize("holes, message", [
    ([Outline.disc(0.2, (5, 5))], r"hole 0 lies outside the outline, at \(5\.2, 5\) m"),
    ([Outline.disc(0.5, (1, 0.5))], r"itself at \(1, [01]\) m: feature \d .* and hole 0, feature 0 \(the circle"),
    ([Outline.disc(0.3, (1, 0.5)), Outline.disc(0.1, (1.05, 0.5))], "hole 1 lies in hole 0"),
    ([Outline.disc(0.3, (1, 0.5)), Outline.disc(0.3, (1.2, 0.5))], "hole 0, feature 0 .* and hole 1, feature 0"),
    ([Outline.disc(9.0)], "hole 0 lies outside|crosses"),
    ([Outline.disc(0.3, (1, 0.5)).with_holes(Outline.disc(0.1, (1, 0.5)))], "hole 0 has 1 holes of its own"),
])
def test_holes_that_are_refused(holes, message):
    with pytest.raises(OutlineError, match=message):
        Outline.from_vertices([(0, 0), (3, 0), (3, 1), (0, 1)]).with_holes(*holes)


@pytest.mark.parametrize("make, message", [
    (lambda: Outline.disc(0.0), "radius of a disc must be a number, positive and finite, not 0.0 m"),
    (lambda: Outline.disc("3"), "radius of a disc"), (lambda: Outline.disc(1.0, (0, math.inf)), "not finite"),
    (lambda: Outline.capsule(-1.0, 1.0), "length of a capsule"), (lambda: Outline.capsule(1.0, 0.0), "radius of a cap"),
    (lambda: Outline.disc(1.0).scaled(-1.0), "scale factor"), (lambda: Outline.disc(1.0).sample(0.0), "tolerance"),
    (lambda: Outline.from_vertices(L, unit="furlong"), "unknown unit of length 'furlong'; valid: m, cm"),
])
def test_numbers_that_are_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_simple_outlines_pass_and_crossing_ones_do_not(rng):
    """Against shapely on fine polygons; outlines near the limit are left out."""
    import shapely

    found = {True: 0, False: 0}
    for _ in range(300):
        n = int(rng.integers(3, 9))
        points = rng.uniform(-1, 1, (n, 2))
        bulge = rng.uniform(-0.8, 0.8, n) * (rng.random(n) < 0.6)
        features = build_features(points, np.roll(points, -1, axis=0), bulge)
        fine = shapely.LinearRing(sample_features(features, 1e-9))
        try:
            Outline.from_vertices(points, bulge)
            simple = True
        except OutlineError:
            simple = False
        assert fine.is_simple == simple, (points, bulge)
        found[simple] += 1
    assert min(found.values()) > 20
