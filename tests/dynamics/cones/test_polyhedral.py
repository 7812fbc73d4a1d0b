"""Polyhedral cones: both forms, minimal, all special cases, strict boundaries, and the operations as sets."""

import numpy as np
import pytest

from dynamics.cones.polyhedral import (
    EMPTY,
    WHOLE_SPACE,
    Cone,
    add,
    cone_from_faces,
    cone_from_span,
    intersect,
    is_subset,
    subtract,
)
from tests.naive.wrench_cones import measure_residual

X, Y, Z = np.eye(3)
SPECIAL = {  # generators: lines, rays, equations, faces
    "origin": ([], (0, 0, 3, 0)),
    "ray": ([2 * X], (0, 1, 2, 1)),
    "line": ([X, -3 * X], (1, 0, 2, 0)),
    "sector": ([X, X + Y, 5 * (X + 2 * Y)], (0, 2, 1, 2)),
    "half-plane": ([X, -X, Y, X + Y], (1, 1, 1, 1)),
    "plane": ([X, -X + Y, -X - Y], (2, 0, 1, 0)),
    "pointed": ([X, Y, Z, X + Y + Z, X + Y], (0, 3, 0, 3)),
    "square": ([X + Z, -X + Z, Y + Z, -Y + Z, Z], (0, 4, 0, 4)),
    "wedge": ([X, -X, Y, Y + Z, Z], (1, 2, 0, 2)),
    "half-space": ([X, -X + Y, -X - Y, Z, Z + X], (2, 1, 0, 1)),
    "whole": ([X, Y, Z, -X - Y - Z], (3, 0, 0, 0)),
}


def rotation(rng):
    q = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return q * np.sign(np.linalg.det(q))


def count(cone: Cone):
    return len(cone.lines), len(cone.rays), len(cone.equations), len(cone.faces)


def check_forms(cone: Cone):
    """The two forms agree, and neither has a row too many."""
    tolerance = 1e-9
    for generator in cone.generators:
        assert (cone.faces @ generator <= tolerance).all() and (abs(cone.equations @ generator) <= tolerance).all()
        assert cone.closure.contains(generator)
    for rows in (cone.faces, cone.rays):
        for i in range(len(rows)):
            assert measure_residual(np.delete(rows, i, axis=0).T, rows[i]) > 1e-6
    for lines, others in ((cone.lines, cone.rays), (cone.equations, cone.faces)):
        np.testing.assert_allclose(lines @ lines.T, np.eye(len(lines)), atol=1e-12)
        assert (abs(lines @ others.T) < 1e-9).all()


@pytest.mark.parametrize("name", SPECIAL)
def test_special_cones_turned_any_way(name, rng):
    generators, counts = SPECIAL[name]
    for turn in [np.eye(3), *(rotation(rng) for _ in range(20))]:
        cone = cone_from_span(np.array(generators).reshape(-1, 3) @ turn)
        assert count(cone) == counts and cone.dimension == 3 - counts[2]
        check_forms(cone)
        again = cone_from_faces(cone.faces, cone.equations)
        assert count(again) == counts
        assert is_subset(cone, again) and is_subset(again, cone)
        assert cone.contains(np.zeros(3)) and not cone.empty


@pytest.mark.parametrize("lattice", [False, True])
def test_span_form_holds_exactly_what_a_linear_program_finds(lattice, rng):
    seen = set()
    for _ in range(40):
        n = rng.integers(1, 7)
        rows = rng.integers(-1, 2, size=(n, 3)).astype(float) if lattice else rng.normal(size=(n, 3))
        cone = cone_from_span(rows)
        seen.add(count(cone))
        check_forms(cone)
        for row in rows:
            assert cone.contains(row)
        for _ in range(6):
            w = rng.integers(-2, 3, size=3).astype(float) if lattice else rng.normal(size=3)
            assert cone.contains(w) == (measure_residual(rows.T, w) < 1e-8), (rows, w)
    assert len(seen) > (8 if lattice else 4)


def test_nearly_flat_and_nearly_parallel_generators(rng):
    for small in (1e-3, 1e-5, 1e-7, 1e-9):
        turn = rotation(rng)
        thin = cone_from_span(np.array([X, X + small * Y, X + small * Z]) @ turn)
        assert count(thin) == (0, 3, 0, 3)
        flat = cone_from_span(np.array([X + small * Z, -X + small * Z, Y + small * Z, -Y + small * Z]) @ turn)
        assert count(flat) == (0, 4, 0, 4)
        for cone in (thin, flat):
            assert all(cone.contains(ray) for ray in cone.rays)
    assert count(cone_from_span(np.array([X, -X, Y, -Y, Z]) + 1e-14)) == (2, 1, 0, 1)


def test_both_forms_stay_whole_where_directions_nearly_coincide(rng):
    """Lattice cones moved by about the tolerance: whatever they are taken for, the forms agree and hold all that was
    given."""
    for _ in range(400):
        rows = rng.integers(-2, 3, size=(rng.integers(1, 9), 3)) + 10.0 ** rng.uniform(-11, -7) * rng.normal(size=3)
        rows = (rows + 10.0 ** rng.uniform(-11, -7) * rng.normal(size=rows.shape)) @ rotation(rng)
        cone = cone_from_span(rows)
        proper = cone.dimension - len(cone.lines)
        assert len(cone.rays) == len(cone.faces) and (len(cone.rays) >= 3 if proper == 3 else len(cone.rays) == proper)
        rows /= np.linalg.norm(rows, axis=1)[:, None]
        for generators in (rows, cone.generators):
            assert (cone.faces @ generators.T).max(initial=0.0) < 1e-9
            assert np.abs(cone.equations @ generators.T).max(initial=0.0) < 1e-9


def test_margin_and_distance():
    octant = cone_from_faces(-np.eye(3))
    assert octant.margin((1, 2, 3)) == 1.0 == octant.distance((1, 2, 3))
    assert octant.margin((0, 1, 1)) == 0.0 and octant.contains((0, 1, 1))
    assert octant.distance((-3, -4, 5)) == pytest.approx(-5.0) and octant.margin((-3, -4, 5)) == -4.0
    assert octant.distance((-3, -4, -12)) == pytest.approx(-13.0)
    np.testing.assert_allclose(octant.find_nearest((-3, 2, 5)), (0, 2, 5), atol=1e-15)
    assert WHOLE_SPACE.margin((1, 2, 3)) == np.inf == WHOLE_SPACE.distance((1, 2, 3))
    assert EMPTY.margin((1, 2, 3)) == -np.inf == EMPTY.distance((0, 0, 0)) and not EMPTY.contains((0, 0, 0))
    ray = cone_from_span([X])
    assert ray.margin((2, 0, 0)) == 0.0 and ray.margin((2, 0.5, 0)) == -0.5 and ray.distance((-3, 4, 0)) == -5.0
    with pytest.raises(ValueError, match="empty"):
        EMPTY.find_nearest((1, 0, 0))


def test_nearest_member_beats_all_others(rng):
    for _ in range(60):
        cone = cone_from_span(rng.normal(size=(rng.integers(1, 5), 3)))
        w = rng.normal(size=3)
        near = cone.find_nearest(w)
        assert cone.contains(near) and abs((w - near) @ near) < 1e-12
        assert (cone.generators @ (w - near)).max(initial=0.0) < 1e-9  # Moreau: the rest lies in the polar cone


def test_strict_faces_edges_and_apex():
    octant = cone_from_faces(-np.eye(3))
    inside, face, edge, apex = (1, 1, 1), (0, 1, 1), (0, 0, 1), (0, 0, 0)
    cases = {
        "closed": ([], (1, 1, 1, 1)),
        "one face": ([-X], (1, 0, 0, 0)),
        "other face": ([-Z], (1, 1, 1, 0)),
        "edge": ([-X - Y], (1, 1, 0, 0)),
        "apex": ([-X - Y - Z], (1, 1, 1, 0)),
    }
    for name, (strict, expected) in cases.items():
        cone = cone_from_faces(-np.eye(3), strict=strict)
        assert count(cone) == (0, 3, 0, 3), name
        assert tuple(int(cone.contains(w)) for w in (inside, face, edge, apex)) == expected, name
    assert cone_from_faces(-np.eye(3), strict=[-X]).face_is_strict.sum() == 1
    # an inequality that touches a lacking face only says nothing new
    assert len(cone_from_faces(-np.eye(3), strict=[-X, -X - Y, -X - Y - Z]).strict) == 1
    assert cone_from_faces(strict=[X, -X]).empty and cone_from_faces(equations=[X], strict=[X]).empty
    assert cone_from_faces(strict=[np.zeros(3)]).empty and cone_from_faces(octant.faces, strict=[X]).empty
    half = cone_from_faces(strict=[Z])
    assert count(half) == (2, 1, 0, 1) and not half.contains(X) and half.contains(X - Z)


def random_set(rng) -> Cone:
    """A cone on the lattice with some strict rows, empty now and then."""
    a, b, c = (rng.integers(-1, 2, size=(n, 3)) for n in rng.integers(0, 3, size=3))
    return cone_from_faces(a, b[:1] if rng.random() < 0.3 else [], c)


def test_operations_are_those_of_sets(rng):
    grid = np.stack(np.meshgrid(*[[-2, -1, 0, 1, 2]] * 3), axis=-1).reshape(-1, 3)
    checked = 0
    for _ in range(60):
        a, b = random_set(rng), random_set(rng)
        both, pieces = intersect(a, b), subtract(a, b)
        checked += len(pieces) > 1
        for w in grid[rng.permutation(len(grid))[:40]]:
            in_a, in_b = a.contains(w), b.contains(w)
            assert both.contains(w) == (in_a and in_b)
            assert sum(piece.contains(w) for piece in pieces) == (in_a and not in_b)
        assert is_subset(both, a) and is_subset(both, b) and is_subset(a, b) == (not pieces)
        if not both.empty:
            assert both.contains(both.rays.sum(axis=0) * 0.5)
    assert checked > 10


def test_share_of_all_directions(rng):
    assert cone_from_faces(-np.eye(3)).share == pytest.approx(1 / 8)
    assert cone_from_span([X, -X, Y, Z]).share == pytest.approx(1 / 4)
    assert cone_from_span([X, -X, Y, -Y, Z]).share == 0.5 and WHOLE_SPACE.share == 1.0
    assert EMPTY.share == cone_from_span([X, Y]).share == 0.0
    directions = rng.normal(size=(40000, 3))
    for n in (3, 4, 7):
        cone = cone_from_span(rng.normal(size=(n, 3)) + 1.5 * Z)
        assert abs((directions @ cone.faces.T <= 0).all(axis=1).mean() - cone.share) < 0.01


def test_minkowski_sum():
    assert count(add(cone_from_span([X]), cone_from_span([-X]))) == (1, 0, 2, 0)
    assert count(add(cone_from_span([X, Y]), cone_from_span([Z]))) == (0, 3, 0, 3)
    assert add(EMPTY, WHOLE_SPACE).empty
    assert intersect().is_whole_space


def test_input_that_is_none():
    for call, message in [
        (lambda: cone_from_span([[1, 2]]), "generators has shape (1, 2): must be (n, 3)"),
        (lambda: cone_from_span([[1, 2, np.nan]]), "generators holds nan"),
        (lambda: cone_from_faces(strict=[[1, 2, np.inf]]), "strict holds inf"),
        (lambda: WHOLE_SPACE.contains((1, 2)), "must be three finite numbers"),
    ]:
        with pytest.raises(ValueError) as caught:
            call()
        assert message in str(caught.value)


def test_arrays_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        cone_from_span([X]).rays[0, 0] = 2.0


@pytest.mark.parametrize("eps", 10.0 ** np.arange(-9, -2))
def test_planes_known_to_few_digits_are_not_counted_twice(eps, rng):
    """a, b and -(a + eps b) span a plane, found from pairs that nearly oppose each other; with c it is a half-space."""
    for _ in range(10):
        a, b, c = rotation(rng)
        assert count(cone_from_span([a, b, c, -(a + eps * b)])) == (2, 1, 0, 1)
