"""Curves as arcs: one tangent at the joints, within the tolerance, which is measured, in few arcs."""

import itertools
import math

import numpy as np
import pytest

from geometry.drawings.affine import Affine, make_rotation
from geometry.drawings.biarcs import convert_curve, measure_distances
from geometry.drawings.curves import make_bezier, make_bulges, make_conic, make_spline
from geometry.drawings.drawing import DrawingError, Stretch


def find_tangents(stretch):
    """Directions (angles) at the start and end of an edge or arc."""
    (x0, y0), (x1, y1) = stretch.start, stretch.end
    chord, half = math.atan2(y1 - y0, x1 - x0), 2.0 * math.atan(stretch.bulge)
    return chord - half, chord + half


def random_curve(rng):
    kind = rng.integers(3)
    if kind == 0:
        a, b = rng.uniform(0.2, 2.0, 2)
        turn = make_rotation(float(rng.uniform(0, 360)))
        return make_conic(rng.uniform(-1, 1, 2), (a, 0), (0, b), 0.0, float(rng.uniform(1, 6)), turn)[0]
    points = np.cumsum(rng.uniform(0.2, 1.0, (4, 2)) * rng.choice([-0.3, 1.0], (4, 2)), axis=0)
    weights = rng.uniform(0.5, 2.0, 4) if kind == 1 else None
    return make_bezier(points, Affine(), weights)[0]


def test_arcs_follow_curves(rng):
    """Tangents agree at all joints; the deviation is below the tolerance, and is what a finer look finds."""
    for _ in range(40):
        curve = random_curve(rng)
        tolerance = 10.0 ** rng.uniform(-7, -2)
        arcs, deviation = convert_curve(curve, tolerance)
        assert 0.0 <= deviation <= tolerance
        assert arcs[0].start == curve.start and arcs[-1].end == curve.end
        for before, after in itertools.pairwise(arcs):
            assert before.end == after.start
            turn = find_tangents(after)[0] - find_tangents(before)[1]
            assert abs(math.remainder(turn, 2.0 * math.pi)) <= 1e-9
        t = np.concatenate([np.linspace(a, b, 3001) for a, b in itertools.pairwise(curve.breaks)])
        found = np.min([measure_distances(curve.point(t), arc) for arc in arcs], axis=0).max()
        assert found <= deviation * 1.02 + 1e-15
        first = curve.direction(np.array([curve.breaks[0]]))[0]
        assert math.remainder(find_tangents(arcs[0])[0] - math.atan2(first[1], first[0]), 2 * math.pi) == \
            pytest.approx(0.0, abs=1e-9)


def test_the_number_of_arcs_grows_as_the_third_root():
    curve = make_conic((0, 0), (2, 0), (0, 1), 0.0, 2.0 * math.pi, Affine())[0]
    counts = [len(convert_curve(curve, tolerance)[0]) for tolerance in (1e-3, 1e-6, 1e-9)]
    for fewer, more in itertools.pairwise(counts):
        assert 7.0 <= more / fewer <= 14.0


def test_a_cusp_is_refused():
    cusp = make_bezier([(0, 0), (1.8, 1), (0.2, 1), (2, 0)], Affine())[0]
    assert len(convert_curve(cusp, 1e-4)[0]) > 4  # near one, yet smooth
    with pytest.raises(DrawingError, match=r"a Bezier curve cannot be followed by arcs at \(0\.5, 0\.75\d*\)"):
        convert_curve(make_bezier([(0, 0), (1, 1), (0, 1), (1, 0)], Affine())[0], 1e-6)


@pytest.mark.parametrize("bulge", [1e-9, 0.3, -0.3, 1.0, -1.0, 0.999])
def test_distances_from_arcs(bulge):
    start, end = np.array([1.0, 2.0]), np.array([4.0, -2.0])
    points = np.random.default_rng(3).uniform(-3, 6, (400, 2))
    found = measure_distances(points, Stretch(tuple(start), tuple(end), bulge))
    sweep = 4.0 * math.atan(bulge)
    chord = end - start
    centre = 0.5 * (start + end) + np.array([-chord[1], chord[0]]) * (1 - bulge**2) / (4 * bulge)
    angle = sweep * np.linspace(0, 1, 20001)
    arm = start - centre
    fine = centre + np.stack([np.cos(angle) * arm[0] - np.sin(angle) * arm[1],
                              np.sin(angle) * arm[0] + np.cos(angle) * arm[1]], axis=1)
    wanted = np.array([np.hypot(*(fine - point).T).min() for point in points])
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-3)


@pytest.mark.parametrize("affine", [Affine(), Affine(a=-1.0), make_rotation(30.0), Affine(2, 1, -1, 2, 5, 6),
                                    Affine(0.0, 3.0, 3.0, 0.0)])
def test_similar_maps_keep_arcs(affine):
    side = math.copysign(1.0, affine.determinant)
    for bulge in (0.3, -0.7, 1.0, 3.0):
        parts = make_bulges([(0.0, 0.0), (2.0, 1.0)], [bulge], affine)
        assert all(isinstance(part, Stretch) for part in parts)
        assert sum(4.0 * math.atan(part.bulge) for part in parts) == pytest.approx(side * 4.0 * math.atan(bulge))
        np.testing.assert_allclose(parts[-1].end, affine.apply((2.0, 1.0)), rtol=1e-15)


@pytest.mark.parametrize("degree", [1, 2, 3, 5])
def test_splines_against_scipy(degree, rng):
    """Uniform and clamped knots, some double."""
    from scipy.interpolate import BSpline

    for clamped in (False, True):
        n = degree + 6
        knots = np.sort(rng.uniform(0, 1, n + degree + 1))
        if clamped:
            knots[: degree + 1], knots[-degree - 1 :] = 0.0, 1.0
        if degree > 2:
            knots[degree + 3] = knots[degree + 2]
        points = rng.uniform(-1, 1, (n, 2))
        parts = make_spline(degree, knots, points, None, Affine())
        spline = BSpline(knots, points, degree)
        inner = np.unique(knots[degree : n + 1])
        assert len(parts) == len(inner) - 1
        for part, (a, b) in zip(parts, itertools.pairwise(inner), strict=True):
            t = np.linspace(0, 1, 7)
            ends = np.array([part.start, part.end])
            np.testing.assert_allclose(ends, spline([a, b - 1e-15]), atol=1e-9)
            if not isinstance(part, Stretch):
                np.testing.assert_allclose(part.point(t[:-1]), spline(a + (b - a) * t[:-1]), atol=1e-12)


@pytest.mark.parametrize("knots, weights, message", [
    ([0, 0, 1, 1, 2], None, "has 5 knots; valid are 6, in order"), ([0, 0, 1, 0, 2, 2], None, "in order"),
    ([1] * 6, None, "no length"), ([0, 0, 0, 1, 1, 1], [1, 0, 1], "weights of a spline must be positive"),
])
def test_splines_that_are_refused(knots, weights, message):
    with pytest.raises(DrawingError, match=message):
        make_spline(2, knots, [(0, 0), (1, 1), (2, 0)], weights, Affine())
