"""Polygon: what is accepted, what is refused and how, and its area, centroid and radius of gyration."""

import itertools
import math

import numpy as np
import pytest

from geometry.shapes.polygon import VERTEX_TOLERANCE, Polygon, PolygonError
from geometry.shapes.units import LENGTH_UNITS, to_metres
from tests.scene_builders import A19_ACCEPTED, A19_REFUSED, L_BRACKET_MM

SQUARE = np.array([[0.0, 0.0], [0.1, 0.0], [0.1, 0.1], [0.0, 0.1]])


def compute_moments_by_triangles(vertices):
    """Twin: area, centroid and polar moment from signed triangles; J of a triangle is A (a^2 + b^2 + c^2) / 36."""
    p = vertices[0]
    parts = []
    for q, r in itertools.pairwise(vertices[1:]):
        area = 0.5 * ((q - p)[0] * (r - p)[1] - (q - p)[1] * (r - p)[0])
        own = area * (math.dist(p, q) ** 2 + math.dist(q, r) ** 2 + math.dist(r, p) ** 2) / 36.0
        parts.append((area, (p + q + r) / 3.0, own))
    area = sum(a for a, _, _ in parts)
    centroid = sum(a * c for a, c, _ in parts) / area
    return area, centroid, sum(j + a * math.dist(c, centroid) ** 2 for a, c, j in parts)


def build_star(rng, n=None):
    """Random star-shaped outline about the origin, mostly not convex."""
    n = n or int(rng.integers(3, 40))
    angle = (np.arange(n) + rng.uniform(0.1, 0.9, n)) * 2.0 * math.pi / n
    return rng.uniform(0.3, 1.0, (n, 1)) * np.stack([np.cos(angle), np.sin(angle)], axis=1)


# ------------------------------------------------------------------------------------------------ accepted and refused


@pytest.mark.parametrize("variant", A19_ACCEPTED)
def test_a19_accepted_variants_are_one_polygon(variant):
    polygon = Polygon(A19_ACCEPTED[variant])
    assert len(polygon) == 4
    plain = Polygon(SQUARE)
    assert sorted(map(tuple, polygon.vertices)) == sorted(map(tuple, plain.vertices))
    assert abs(polygon.area - 0.01) <= 1e-17
    np.testing.assert_allclose(polygon.centroid, [0.05, 0.05], rtol=0, atol=1e-17)
    assert abs(polygon.rho - plain.rho) <= 1e-17


@pytest.mark.parametrize(
    "variant, message",
    [
        ("bow-tie", r"crosses itself at \(0\.05, 0\.05\)"),
        ("line", r"zero area: all points lie on the line"),
        ("two points", r"at least three distinct points, not 2"),
        ("nan", r"vertex 2 of the outline is not finite: \(0\.1, nan\)"),
    ],
)
def test_a19_refused_by_name(variant, message):
    with pytest.raises(PolygonError, match=message):
        Polygon(A19_REFUSED[variant])


@pytest.mark.parametrize(
    "vertices, message",
    [
        ([[0, 0], [1, 0]], "three distinct points, not 2"),
        ([[0, 0], [1, 0], [0, 0]], "three distinct points, not 2"),
        ([[0, 0], [0, 0], [0, 0]], "three distinct points, not 1"),
        ([[0, 0], [1, 0], [1, 1e-13]], "three distinct points, not 2"),
        ([[0, 0], [1, 0], [0, 1e-13]], "three distinct points, not 2"),
        ([[0, 0], [1, 0], [0, math.inf]], "not finite"),
        ([[0, 0], [2, 0], [2, 2], [1, 0], [0, 2]], r"touches itself at \(1, 0\)"),
        ([[0, 0], [1, 0], [1, 1], [2, 1], [2, 2], [1, 1], [0, 1]], r"touches itself at \(1, 1\)"),
        ([[0, 0], [1, 0], [2, 0], [1, 0], [1, 1]], r"turns straight back at \(2, 0\)"),
        ([[0, 0], [1, 0], [2, 1e-14], [1, 1e-14], [1, 1]], "turns straight back"),
        ([[5, 5], [9, 9], [9, 5], [5, 9]], r"crosses itself at \(7, 7\)"),
        ([[0, 0], [1, 0], [0.5, 1e-13]], "zero area"),
        ([1, 2, 3], "pairs of numbers"),
        ([[0, 0], [1, 0], [1, "x"]], "pairs of numbers"),
        ([[0, 0], [1, 0, 0], [1, 1]], "pairs of numbers"),
        ([[0, 0], [1e200, 0], [0, 1e200]], "too large"),
        ([], "pairs of numbers"),
    ],
)
def test_refused(vertices, message):
    with pytest.raises(PolygonError, match=message):
        Polygon(vertices)


def is_simple_by_force(points):
    """Twin on whole numbers: exact, all pairs of edges. Flat and doubled vertices are dropped first."""

    def cross(a, b, c):
        return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])

    def on(a, b, c):
        return cross(a, b, c) == 0 and min(a[0], b[0]) <= c[0] <= max(a[0], b[0]) and min(a[1], b[1]) <= c[1] <= max(
            a[1], b[1])

    def sign(x):
        return (x > 0) - (x < 0)

    def meet(a, b, c, d):
        proper = sign(cross(a, b, c)) * sign(cross(a, b, d)) < 0 and sign(cross(c, d, a)) * sign(cross(c, d, b)) < 0
        return proper or on(a, b, c) or on(a, b, d) or on(c, d, a) or on(c, d, b)

    points = [p for i, p in enumerate(points) if p != points[i - 1]]
    changed = True
    while changed and len(points) > 2:
        changed = False
        for i in range(len(points)):
            a, b, c = points[i - 1], points[i], points[(i + 1) % len(points)]
            if cross(a, b, c) == 0 and (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1]) >= 0:
                del points[i]
                changed = True
                break
    n = len(points)
    if n < 3:
        return False
    for i, j in itertools.combinations(range(n), 2):
        a, b, c, d = points[i], points[(i + 1) % n], points[j], points[(j + 1) % n]
        if j == i + 1 or (i == 0 and j == n - 1):
            far = (a, b, d) if j == i + 1 else (c, d, b)
            if cross(*far) == 0:
                return False
        elif meet(a, b, c, d):
            return False
    return True


@pytest.mark.parametrize("seed", range(8))
def test_accepts_exactly_the_simple_outlines(seed):
    rng = np.random.default_rng(seed)
    verdicts = set()
    for _ in range(150):
        points = [tuple(p) for p in rng.integers(0, 5, (int(rng.integers(3, 8)), 2)).tolist()]
        expected = is_simple_by_force(points)
        try:
            Polygon(np.array(points) * 0.125)
            accepted = True
        except PolygonError:
            accepted = False
        assert accepted == expected, (seed, points)
        verdicts.add(accepted)
    assert verdicts == {True, False}


def test_crossing_is_found_among_ten_thousand_vertices():
    angle = np.arange(10_000) * 2.0 * math.pi / 10_000
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    polygon = Polygon(circle)
    assert len(polygon) == 10_000
    circle[[2500, 2501]] = circle[[2501, 2500]]
    with pytest.raises(PolygonError, match=r"crosses itself at \(-0\.000\d+, "):
        Polygon(circle)


# ------------------------------------------------------------------------------------------------------------- cleaning


def test_first_vertex_stays_first_and_order_becomes_counter_clockwise():
    clockwise = Polygon(SQUARE[::-1])
    np.testing.assert_array_equal(clockwise.vertices, SQUARE[[3, 0, 1, 2]])
    np.testing.assert_array_equal(Polygon(SQUARE).vertices, SQUARE)
    assert not clockwise.vertices.flags.writeable


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_tolerance_is_relative_to_the_outline(scale):
    diagonal = math.sqrt(2.0) * scale
    for offset, corners in ((0.5, 4), (20.0, 5)):
        bump = offset * VERTEX_TOLERANCE * diagonal
        vertices = np.array([[0, 0], [0.5 * scale, -bump], [scale, 0], [scale, scale], [0, scale]])
        assert len(Polygon(vertices)) == corners, (scale, offset)
    feature = 1e-10 * scale  # a tenth of a nanometre on a metre is still a feature
    assert len(Polygon(np.array([[0, 0], [scale - feature, 0], [scale, feature], [scale, scale], [0, scale]]))) == 5


def test_a_long_chain_of_flat_vertices_becomes_one_edge():
    bottom = np.stack([np.linspace(0.0, 0.3, 1001), np.zeros(1001)], axis=1)
    polygon = Polygon(np.concatenate([bottom[500:-1], [[0.3, 0.0], [0.3, 0.1], [0.0, 0.1]], bottom[:500]]))
    assert sorted(map(tuple, polygon.vertices.tolist())) == [(0.0, 0.0), (0.0, 0.1), (0.3, 0.0), (0.3, 0.1)]


def test_flat_vertices_are_dropped_on_turned_outlines(rng):
    for _ in range(50):
        theta = rng.uniform(0, 2 * math.pi)
        corners = Polygon(SQUARE).rotated(theta).vertices
        fine = np.concatenate([a + np.linspace(0, 1, 7)[:-1, None] * (b - a)
                               for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True)])
        np.testing.assert_array_equal(Polygon(fine).vertices, corners, err_msg=str(theta))


# -------------------------------------------------------------------------------------------------------------- moments


def test_l_bracket():
    polygon = Polygon.from_vertices(L_BRACKET_MM, "mm")
    assert len(polygon) == 6
    assert abs(polygon.area - 700e-6) < 1e-18
    np.testing.assert_allclose(polygon.centroid * 1e3, [13.571429, 13.571429], rtol=0, atol=5e-7)
    assert abs(polygon.rho * 1e3 - 16.423395) < 5e-7


def test_box_and_regular():
    box = Polygon.box(0.01, 0.04)
    assert abs(box.rho - math.sqrt((0.01**2 + 0.04**2) / 12.0)) < 1e-17
    assert tuple(box.centroid) == (0.0, 0.0)
    for n in range(3, 65):
        polygon = Polygon.regular(n, 0.05)
        assert len(polygon) == n
        np.testing.assert_allclose(np.hypot(*polygon.vertices.T), 0.05, rtol=1e-15)
        assert polygon.vertices[0, 1] == polygon.vertices[-1, 1] == polygon.vertices[:, 1].min()
        assert n % 2 or tuple(polygon.centroid) == (0.0, 0.0), n
        assert abs(polygon.area - 0.5 * n * 0.05**2 * math.sin(2.0 * math.pi / n)) < 1e-17
        # polar moment of a regular polygon: A R^2 (2 + cos(2 pi / n)) / 6
        assert abs(polygon.rho - 0.05 * math.sqrt((2.0 + math.cos(2.0 * math.pi / n)) / 6.0)) < 1e-16
    for bad in (lambda: Polygon.box(0.0, 1.0), lambda: Polygon.box(1.0, math.nan), lambda: Polygon.regular(2, 1.0),
                lambda: Polygon.regular(5, -1.0)):
        with pytest.raises(PolygonError):
            bad()


@pytest.mark.parametrize("seed", range(20))
def test_moments_agree_with_triangles(seed):
    rng = np.random.default_rng(seed)
    vertices = build_star(rng) + rng.uniform(-1, 1, 2)
    polygon = Polygon(vertices)
    area, centroid, polar = compute_moments_by_triangles(vertices)
    assert abs(polygon.area / area - 1.0) < 1e-13, seed
    np.testing.assert_allclose(polygon.centroid, centroid, rtol=0, atol=1e-13, err_msg=str(seed))
    assert abs(polygon.second_moment / polar - 1.0) < 1e-12, seed


@pytest.mark.parametrize("offset", [1e3, 1e6, 1e9])
def test_moments_far_from_the_origin(offset, rng):
    # Quarters of whole numbers are exact at any of these offsets, so nothing may be lost.
    angle = np.sort(rng.uniform(0, 2 * math.pi, 12))
    vertices = np.round(400 * np.stack([np.cos(angle), np.sin(angle)], axis=1)) / 4
    near, far = Polygon(vertices), Polygon(vertices + offset)
    assert abs(far.area / near.area - 1.0) < 1e-14
    assert abs(far.rho / near.rho - 1.0) < 1e-14
    np.testing.assert_allclose(far.centroid - offset, near.centroid, rtol=0, atol=2e-16 * offset)


def test_copies(rng):
    polygon = Polygon(build_star(rng))
    turned = polygon.rotated(0.7).translated(3.0, -2.0).scaled(2.0)
    assert abs(turned.area / (4.0 * polygon.area) - 1.0) < 1e-13
    assert abs(turned.rho / (2.0 * polygon.rho) - 1.0) < 1e-13
    c, s = math.cos(0.7), math.sin(0.7)
    expected = 2.0 * (np.array([[c, -s], [s, c]]) @ polygon.centroid + [3.0, -2.0])
    np.testing.assert_allclose(turned.centroid, expected, rtol=0, atol=1e-13)
    for factor in (0.0, -1.0, math.nan):
        with pytest.raises(PolygonError, match="scale factor"):
            polygon.scaled(factor)
    assert polygon == Polygon(polygon.vertices) and hash(polygon) == hash(Polygon(polygon.vertices))
    assert polygon != turned


def test_units_round_once():
    assert LENGTH_UNITS.keys() == {"m", "cm", "mm", "um", "in"}
    for text in ("10.02", "40", "0.1", "5.01", "33.3"):
        assert to_metres(float(text), "mm") == float(text + "e-3") or abs(
            to_metres(float(text), "mm") - float(text + "e-3")) <= np.spacing(float(text + "e-3"))
    assert to_metres(40, "mm") == 0.04 and to_metres(1, "in") == 0.0254 and to_metres(7, "um") == 7e-6
    with pytest.raises(ValueError, match="unknown unit of length 'km'; valid: m, cm, mm, um, in"):
        to_metres(1.0, "km")
