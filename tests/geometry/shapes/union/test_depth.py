"""How deep outlines with arcs overlap: cases by hand, and the area of the overlap of fine polygons."""

import math

import pytest
import shapely

from geometry.shapes.outline import Outline
from geometry.shapes.polygon import Polygon
from geometry.shapes.pose import Pose
from geometry.shapes.union.overlap import measure_overlap
from tests.geometry.contact.test_arcs import BLOB

RING = Outline.disc(1.0).with_holes(Outline.disc(0.7))
SHAPES = [BLOB, Outline.capsule(1.0, 0.3), Outline.disc(0.4), Polygon.box(1.0, 0.7), RING]


def measure(one, other):
    one, other = (o.vertices if isinstance(o, Polygon) else o for o in (one, other))
    depth = measure_overlap(one, other)[0]
    assert measure_overlap(other, one)[0] == pytest.approx(depth, rel=1e-12, abs=1e-15)
    return depth


@pytest.mark.parametrize("far", [0.0, 1e3])
@pytest.mark.parametrize("gap", [1e-3, 1e-9, 0.0, -1e-9, -1e-3])
def test_depth_is_how_far_the_gap_is_below_zero(gap, far):
    deep = pytest.approx(max(-gap, 0.0), rel=1e-3 if not far else 1e-2, abs=1e-12)
    place = Pose(far, far, 0.3)
    disc, floor = Outline.disc(0.4), Polygon.box(4.0, 2.0)

    def put(outline, x, y, turn=0.0):
        return outline.placed(place.compose(Pose(x, y, turn)))

    assert measure(put(disc, 0.2, 1.4 + gap), put(floor, 0.0, 0.0)) == deep  # an arc on an edge
    assert measure(put(disc, 0.3, 0.4), put(disc, 0.3 + (0.8 + gap) * 0.6, 0.4 + (0.8 + gap) * 0.8)) == deep
    assert measure(put(disc, 0.3 - gap, 0.0), put(RING, 0.0, 0.0)) == deep  # convex in concave
    box = Polygon.box(0.6, 0.8)  # a vertex in a concave arc
    assert measure(put(box, (0.2 - gap) * math.cos(0.4), (0.2 - gap) * math.sin(0.4), 0.4 - math.atan2(0.4, 0.3)),
                   put(RING, 0.0, 0.0)) == deep


def test_what_lies_inside_and_in_a_hole():
    assert measure(Outline.disc(0.2), Outline.disc(1.0)) >= 0.8  # of a point that lies inside both
    assert measure(Outline.disc(0.2), RING) == 0.0
    assert measure(Outline.disc(0.2).placed(Pose(0.85, 0.0, 0.0)), RING) > 0.1


def test_against_the_area_of_fine_polygons(rng):
    def refine(outline):
        loops = outline.sample(1e-5)
        return shapely.Polygon(loops[0], loops[1:])

    overlapping = 0
    for _ in range(400):
        one, other = (SHAPES[k].placed(Pose(*rng.normal(size=2), rng.uniform(-3.0, 3.0)))
                      for k in rng.integers(len(SHAPES), size=2))
        depth, area = measure(one, other), shapely.intersection(refine(one), refine(other)).area
        if depth < 1e-2:
            assert area < 1e-2
        else:
            assert area > 1e-5
        overlapping += depth > 0.0
    assert 50 < overlapping < 350
