"""How deep outlines with arcs overlap."""

from __future__ import annotations

import math

import numpy as np
import pytest
import shapely

from geometry.shapes.outline import Outline
from geometry.shapes.pose import Pose
from geometry.shapes.union.overlap import is_apart, measure_overlap
from tests.geometry.shapes.union.test_union import box, draw_bulged, draw_obstacle, to_outline, to_shapely

FLOOR = box(-5, -1, 5, 0)
RING = Outline.disc(2.0).with_holes(Outline.disc(1.0))


@pytest.mark.parametrize("theta", [0.0, 0.3, 2.0])
@pytest.mark.parametrize("depth", [-1e-9, 0.0, 1e-12, 1e-9, 1e-3, 0.3])
def test_a_disc_in_a_floor_is_as_deep_as_its_lowest_point(depth, theta):
    disc = Outline.disc(0.5, [0.2, 0.5 - depth]).rotated(theta)
    floor = to_outline(FLOOR).rotated(theta)
    for floor_like in (floor, np.array(floor.start)):
        for pair in ((disc, floor_like), (floor_like, disc)):
            found, place, how = measure_overlap(*pair)
            assert found == pytest.approx(max(depth, 0.0), abs=1e-15)
            if depth >= 1e-12:
                c, s = math.cos(theta), math.sin(theta)
                x, y = place @ [[c, -s], [s, c]]
                assert how == "overlaps" and x == pytest.approx(0.2, abs=1e-6) and -depth - 1e-12 <= y <= 1e-15
            assert is_apart(*pair, 1e-13) == (depth <= 1e-13)


def test_two_discs_overlap_by_what_their_centres_are_too_near():
    for far in (0.0, 1e-9, 0.1):
        pair = Outline.disc(1.0), Outline.disc(0.5, [1.2 - 0.8 * far, 0.9 - 0.6 * far])
        assert measure_overlap(*pair)[0] == pytest.approx(far, abs=1e-15)
        assert is_apart(*pair, 1e-12) == (far == 0.0)


def test_a_hole_is_free():
    for radius in (0.5, 0.9, 1.0):
        assert measure_overlap(Outline.disc(radius), RING)[0] == pytest.approx(0.0, abs=1e-15)
        assert measure_overlap(RING, Outline.disc(radius))[0] == pytest.approx(0.0, abs=1e-15)
    depth, place, how = measure_overlap(Outline.disc(0.5, [0.5 + 1e-9, 0.0]), RING)
    assert depth == pytest.approx(1e-9, abs=1e-15) and how == "overlaps"
    assert place == pytest.approx([1.0, 0.0], abs=1e-8)
    assert measure_overlap(box(-0.3, -0.3, 0.3, 0.3), RING)[2] == "touches"


def test_what_lies_inside_and_what_encloses():
    disc = Outline.disc(0.25, [1.5, 0.0])
    assert measure_overlap(disc, RING)[::2] == (0.5, "lies wholly inside")
    assert measure_overlap(RING, disc)[::2] == (0.5, "encloses")
    assert measure_overlap(Outline.disc(2.0), RING)[2] == "encloses"
    assert measure_overlap(RING, RING)[2] == "lies wholly inside"


@pytest.mark.parametrize("outline", [Outline.disc(1.0), Outline.capsule(2.0, 0.4), RING,
                                     Outline.from_vertices([[0, 0], [1, 0], [1, 1]], [0.2, -0.1, 0.0])])
def test_an_outline_on_itself_overlaps(outline):
    assert measure_overlap(outline, outline)[0] > 0.05


def test_depth_of_polygons_is_that_of_their_outlines(rng):
    """Where they do not lie inside each other: of polygons shapely measures it."""
    for _ in range(60):
        one, other = (draw_bulged(rng) for _ in range(2))
        one, other = (Outline.from_vertices(o.start) for o in (one, other.translated(*rng.uniform(-1.0, 1.0, 2))))
        depth, _, how = measure_overlap(np.array(one.start), np.array(other.start))
        found, _, verb = measure_overlap(one, other)
        assert found >= depth - 1e-13 and verb == how
        if found > depth + 1e-13:  # the point in the solid of one is deeper in the other than its corners
            assert depth > 0.0


def test_random_outlines_against_shapely(rng):
    for _ in range(150):
        one, other = draw_obstacle(rng), draw_obstacle(rng)
        a, b = to_shapely(one), to_shapely(other)
        depth, place, how = measure_overlap(one, other)
        common = shapely.intersection(a, b)
        if depth == 0.0:
            assert common.area < 1e-4 and how == "touches"
            continue
        point = shapely.Point(place)
        assert common.distance(point) < 2e-5
        assert max(a.boundary.distance(point), b.boundary.distance(point)) == pytest.approx(depth, abs=2e-5)
        sampled = shapely.points(shapely.get_coordinates(common))
        assert depth >= max(shapely.distance(sampled, ring).max() for ring in (a.boundary, b.boundary)) * 0.5 - 2e-5
        if is_apart(one, other, 1e-12):
            assert depth <= 2e-12


def test_a_vertex_opposite_the_middle_of_a_side_hides_no_inside():
    """A ray from the middle of the longest side of a kite meets the outline in its far corner, if anywhere."""
    kite = np.array([[-3.0, 0.0], [3.0, 0.0], [2.0, 1.0], [0.0, 2.0], [-2.0, 1.0]])
    rng = np.random.default_rng(7)
    for _ in range(50):
        pose = Pose(*rng.uniform(-1.0, 1.0, 2), rng.uniform(-3.0, 3.0))
        own = Outline.from_vertices(kite).placed(pose)
        away = Outline.from_vertices(np.add(kite, (0.0, 10.0))).placed(pose)
        assert measure_overlap(own, away)[0] == 0.0
        depth, _, how = measure_overlap(own, own)
        assert depth > 0.5 and how == "lies wholly inside"
