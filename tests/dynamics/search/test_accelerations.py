"""Acceleration sets: open cases, scale, many contacts, corners, what is refused, and the compiled entry points."""

from __future__ import annotations

import numpy as np
import pytest

from dynamics import ContactProblem, find_accelerations
from dynamics.cones.cone import compute_rows
from dynamics.search.members import allocate_set_buffer, find_members, solve_acceleration_set
from dynamics.search.problem import Problem
from dynamics.search.reactions import compute_letters, solve_forces
from dynamics.sets.certificate import compute_residuals
from dynamics.tolerances import DEFAULT_TOLERANCES
from tests.dynamics.problems import make_floor, make_generic, make_lattice, make_problem
from tests.dynamics.search.test_accelerations_as_sets import compare, holds

UP, RIGHT, LEFT = (0.0, 1.0), (1.0, 0.0), (-1.0, 0.0)


def as_arrays(problem) -> Problem:
    return Problem(*(getattr(problem, name) for name in Problem._fields))


def rhombus(slip, omega):
    """The leaning rhombus of case A09: lower tip on the floor at 60 degrees, mu = 2."""
    rho, r = np.sqrt((0.5**2 + 0.005**2) / 6), (0.25, 0.4330127018922193)
    contact = (UP, r, slip, 2.0, omega**2 * r[1], omega**2 * r[0])
    return find_accelerations(make_problem((0, -9.81, 0), [contact], rho)), rho


def test_A09_leaning_rod_none():
    answer, _ = rhombus(-1, 0.0)
    assert answer.kind == "none" and answer.pieces == ()
    assert "contact 0 dips" in answer.explain()


def test_A09_leaning_rod_one():
    answer, rho = rhombus(1, 0.0)
    assert answer.kind == "one"
    assert np.allclose(answer.pieces[0].vertices / [1, 1, rho], [(-2.549548, -8.535226, -34.140905)], atol=6e-7 * 35)
    assert np.isclose(answer.pieces[0].forces[0, 0, 0], 1.274774, atol=1e-6)


def test_A09_leaning_rod_two():
    answer, rho = rhombus(-1, 6.0)
    assert answer.kind == "several" and sorted(p.mode for p in answer.pieces) == ["l", "s"]
    touching = next(p for p in answer.pieces if p.mode == "l")
    assert np.allclose(touching.vertices / [1, 1, rho], [(4.287035, -7.666483, 31.687898)], atol=2e-5)
    assert np.isclose(touching.forces[0, 0, 0], 2.143517, atol=1e-6)
    flying = next(p for p in answer.pieces if p.mode == "s")
    assert np.allclose(flying.vertices, [(0, -9.81, 0)])


def cube(slope, mu):
    """Cube of case A07, two corners on a slope, at rest."""
    s, c = np.sin(np.radians(slope)), np.cos(np.radians(slope))
    contacts = [(UP, (0.05, 0.05), 0, mu), (UP, (-0.05, 0.05), 0, mu)]
    return find_accelerations(make_problem((9.81 * s, -9.81 * c, 0), contacts, 0.1 / np.sqrt(6)))


@pytest.mark.parametrize("slope", [0, 30])
@pytest.mark.parametrize("mu", [8.0, 1e3, 1e12, np.inf])
def test_A07_huge_friction_at_rest(slope, mu):
    answer = cube(slope, mu)
    assert answer.kind == "one" and answer.pieces[0].mode == "nn"
    assert np.abs(answer.pieces[0].vertices).max() == 0.0
    assert not answer.pieces[0].forces_unique
    forces = answer.pieces[0].forces[0]
    expected = (1.795355, 6.700355) if slope else (4.905, 4.905)
    assert np.allclose(forces[:, 0], expected, atol=1e-6), forces
    assert answer.pieces[0].residuals[0].worst <= 1e-12


@pytest.mark.parametrize("k", range(2, 9))
@pytest.mark.parametrize("mu", [0.5, 8.0, 1e12])
def test_least_norm_forces_of_stuck_parts(k, mu, rng):
    """Forces at rest are legal and no shorter ones are: they satisfy the conditions of optimality by projection."""
    contacts = [(UP, (x, 1.0), 0, mu) for x in np.linspace(-1, 1, k)]
    problem = make_problem((0.3, -1.0, 0.1), contacts)
    fn, ft = np.zeros(k), np.zeros(k)
    status, unique = solve_forces(as_arrays(problem), np.zeros(3), DEFAULT_TOLERANCES, fn, ft)
    assert status == 0 and unique == 0
    assert compute_residuals(problem, np.zeros(3), fn, ft).worst <= 1e-12
    balance = np.vstack([problem.N.T @ np.eye(k), problem.T.T @ np.eye(k)]).reshape(2, 3, k)
    matrix = np.hstack([balance[0], balance[1]])  # (3, 2k)
    _, _, right = np.linalg.svd(matrix)
    best = np.linalg.norm(np.concatenate([fn, ft]))
    for _ in range(200):  # other balanced forces, as long as they are legal, are longer
        change = right[3:].T @ rng.normal(size=2 * k - 3) * 10.0 ** rng.uniform(-4, 0)
        other = np.concatenate([fn, ft]) + change
        if (np.abs(other[k:]) <= mu * other[:k]).all():
            assert np.linalg.norm(other) >= best - 1e-12


@pytest.mark.parametrize("factor", [1e-9, 1e-3, 1e3, 1e9])
@pytest.mark.parametrize("make", [make_generic, make_lattice, make_floor])
def test_forces_scale(make, factor):
    """A thousand times the forces and biases: a thousand times the set, of the same kind."""
    for seed in range(60):
        plain = make(np.random.default_rng([seed, 3]), 3)
        scaled = ContactProblem(
            factor * plain.w, plain.N, factor * plain.b, plain.T, factor * plain.d, plain.slip, plain.mu
        )
        one, other = find_accelerations(plain), find_accelerations(scaled)
        assert one.kind == other.kind, seed
        assert [p.mode for p in one.pieces] == [p.mode for p in other.pieces], seed
        for p, q in zip(one.pieces, other.pieces, strict=True):
            assert np.allclose(p.vertices, q.vertices / factor, rtol=1e-9, atol=1e-9), seed


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_millimetre_and_kilometre_parts_agree(size):
    """Arms and radius of gyration grow together: the rows, and so the set, are the same."""
    contacts = [(UP, (size * x, size), 0, 0.3) for x in (1, -1)]
    answer = find_accelerations(make_problem((4, -10, 1), contacts, 0.7 * size))
    reference = find_accelerations(make_problem((4, -10, 1), [(UP, (x, 1), 0, 0.3) for x in (1, -1)], 0.7))
    assert answer.kind == reference.kind == "one"
    assert np.allclose(answer.pieces[0].vertices, reference.pieces[0].vertices, atol=1e-12)


@pytest.mark.parametrize("make", [make_generic, make_lattice])
def test_many_far_contacts_change_nothing(make):
    """Forty more contacts that open anyway: the search for many contacts finds the set of the few."""
    for seed in range(60):
        rng = np.random.default_rng([seed, 11])
        few = make(rng, 3)
        answer = find_accelerations(few)
        if answer.kind == "continuum":
            continue
        N = rng.normal(size=(40, 3))
        T = rng.normal(size=(40, 3))
        largest = max((np.abs(p.vertices).max() for p in answer.pieces), default=0.0) + np.abs(few.w).max() + 1.0
        many = ContactProblem(
            few.w, np.vstack([few.N, N]), np.append(few.b, np.linalg.norm(N, axis=1) * 30 * largest),
            np.vstack([few.T, T]), np.append(few.d, np.zeros(40)), np.append(few.slip, np.zeros(40)),
            np.append(few.mu, np.full(40, 0.2)),
        )
        other = find_accelerations(many)
        near = [p for p in other.pieces if np.abs(p.vertices).max() <= 5 * largest]
        assert len(near) == len(answer.pieces), f"seed {seed}\n{answer}\n{other}"
        for piece in answer.pieces:
            assert holds(other, piece.vertices[0]), f"seed {seed}"


@pytest.mark.parametrize("k", [3, 8, 40, 300])
def test_any_number_of_points_of_a_floor_is_one_answer(k):
    contacts = [(UP, (x, 1.0), 0, 0.5) for x in np.linspace(-1, 1, k)]
    answer = find_accelerations(make_problem((0.9, -1, 0), contacts))
    assert answer.kind == "one" and answer.pieces[0].mode == "r" * k
    assert np.allclose(answer.pieces[0].vertices, [(0.4, 0, 0)], atol=1e-12)
    tipping = find_accelerations(make_problem((0, -1, -2), contacts))
    assert tipping.pieces[0].mode == "".join("n" if c[1][0] == -1 else "s" for c in contacts), tipping


@pytest.mark.parametrize("k", [30, 120])
def test_certificate_with_many_contacts(k):
    """Facets all round: every member is legal, and so is w where it is free."""
    for seed in range(8):
        rng = np.random.default_rng([seed, k])
        N = rng.normal(size=(k, 3))
        problem = ContactProblem(
            2 * rng.normal(size=3), N, np.linalg.norm(N, axis=1), rng.normal(size=(k, 3)), rng.normal(size=k),
            rng.integers(-1, 2, size=k), np.full(k, 0.3),
        )
        for piece in find_accelerations(problem).pieces:
            for residuals in piece.residuals:
                assert residuals.worst <= 1e-9, f"seed {seed}: {residuals}"


def test_faces_of_generic_polyhedron_are_as_many_as_euler_allows():
    """Ten planes in general position: at most 2k - 4 vertices are looked at, not 2^k subsets."""
    from dynamics.search.problem import COUNT, SEEN

    for seed in range(20):
        rng = np.random.default_rng(seed)
        N = rng.normal(size=(10, 3))
        problem = ContactProblem(
            rng.normal(size=3), N, np.linalg.norm(N, axis=1), rng.normal(size=(10, 3)), np.zeros(10), np.zeros(10),
            np.full(10, 0.5),
        )
        buffer = allocate_set_buffer(10)
        find_members(as_arrays(problem), DEFAULT_TOLERANCES, buffer)
        assert buffer.marks[SEEN, COUNT] <= 2 * 10 - 4, seed


def test_duplicate_contacts_change_forces_alone():
    single = find_accelerations(make_problem((1, -1, 0.2), [(UP, (1, 1), 0, 0.5), (UP, (-1, 1), 0, 0.5)]))
    double = find_accelerations(make_problem((1, -1, 0.2), [(UP, (x, 1), 0, 0.5) for x in (1, 1, -1, -1)]))
    assert single.kind == double.kind
    assert np.allclose(single.pieces[0].vertices, double.pieces[0].vertices)
    assert single.pieces[0].forces_unique and not double.pieces[0].forces_unique
    assert np.allclose(double.pieces[0].forces[0, ::2], single.pieces[0].forces[0] / 2)


def test_different_friction_on_one_plane_is_a_continuum():
    contacts = [(UP, (0, 1), 1, 0.2), (UP, (0, 1), 1, 0.6)]
    answer = find_accelerations(make_problem((0, -1, 0), contacts))
    assert answer.kind == "continuum" and answer.pieces[0].dimension == 1
    assert np.allclose(sorted(answer.pieces[0].vertices[:, 0]), (-0.6, -0.2))
    compare(make_problem((0, -1, 0), contacts), "two frictions")


def corner_on_corner(w, mu=0.5):
    """A corner of the part on a corner of the floor: one contact, normals 45 degrees to either side of up."""
    h = np.sqrt(0.5)
    contacts = [((h, h), (0, 1), 0, mu), ((-h, h), (0, 1), 0, mu)]
    return find_accelerations(make_problem(w, contacts, 1.0, corner=[1, 0]))


def test_A12_corner_on_corner_balances():
    answer = corner_on_corner((0, -1, 0))
    assert any(p.mode == "nn" and np.abs(p.vertices).max() < 1e-12 for p in answer.pieces), answer
    compare(answer.problem, "corner on corner")


def test_A12_corner_on_corner_is_symmetric():
    """The mirror image of the problem has the mirror image of the set."""
    for w in ((0.3, -1, 0.1), (0, -1, 0), (1, -0.2, 0.5)):
        left, right = corner_on_corner(w), corner_on_corner((-w[0], w[1], -w[2]))
        assert left.kind == right.kind
        mine = np.vstack([p.vertices for p in left.pieces]) * (-1, 1, -1)
        for a in mine:
            assert holds(right, a), (w, left, right)


def test_corner_frees_itself_through_either_normal():
    """One normal opens: the contact is free, though the other closes."""
    answer = corner_on_corner((1.0, -0.5, 0.0))
    free = [p for p in answer.pieces if np.allclose(p.vertices, [(1, -0.5, 0)])]
    assert len(free) == 1 and free[0].mode == "ss"


def test_letters_follow_velocity_before_acceleration():
    contacts = [(UP, (0, 1), s, 0.5, b) for s, b in ((0, 0), (1, 0), (-1, 0), (0, 1))]
    problem = as_arrays(make_problem((0, 0, 0), contacts))
    out = np.zeros(4, np.int64)
    compute_letters(problem, np.zeros(3), DEFAULT_TOLERANCES, out)
    assert out.tolist() == [1, 2, 3, 0]
    compute_letters(problem, np.array([1.0, 0, 0]), DEFAULT_TOLERANCES, out)
    assert out.tolist() == [2, 2, 3, 0]


def test_forces_of_an_impossible_acceleration_are_refused():
    problem = as_arrays(make_problem((0, -1, 0), [(UP, (0, 1), 0, 0.5)]))
    fn, ft = np.zeros(1), np.zeros(1)
    status, _ = solve_forces(problem, np.array([1.0, 0, 0]), DEFAULT_TOLERANCES, fn, ft)
    assert status == 4


def test_set_with_forces_from_one_compiled_call():
    problem = as_arrays(make_problem((0.1, -1, 0), [(UP, (x, 1), 0, 0.5) for x in (1, -1)]))
    buffer = allocate_set_buffer(2)
    assert solve_acceleration_set(problem, DEFAULT_TOLERANCES, buffer) == 1
    assert np.allclose(buffer.fn[0].sum(), 1.0) and np.allclose(buffer.ft[0].sum(), -0.1)


def test_status_codes_instead_of_exceptions():
    problem = as_arrays(make_problem((0, -1, 0), [(UP, (0, 1), 0, 0.5)]))
    buffer = allocate_set_buffer(1)
    assert find_members(problem._replace(w=np.array([np.nan, 0, 0])), DEFAULT_TOLERANCES, buffer) == 0
    assert buffer.found.counts[3] == 2
    big = as_arrays(make_floor(np.random.default_rng(0), 9))
    find_members(big, DEFAULT_TOLERANCES, buffer)
    assert buffer.found.counts[3] == 1


N0, T0 = compute_rows(UP, (0, 1), 1.0)
GOOD = {"w": (0, -1, 0), "N": [N0], "b": [0], "T": [T0], "d": [0], "slip": [0], "mu": [0.5]}


@pytest.mark.parametrize(("change", "words"), [
    ({"w": (0, -1)}, "w has shape"), ({"w": (0, np.nan, 0)}, r"w\[1\] is nan"), ({"N": [N0, N0]}, "N has shape"),
    ({"mu": [-0.1]}, r"mu\[0\] is -0.1"), ({"mu": [np.nan]}, r"mu\[0\] is nan"), ({"slip": [2]}, r"slip\[0\] is 2"),
    ({"slip": [0.5]}, r"slip\[0\] is 0.5"), ({"N": [(0, 0, 0)]}, r"N\[0\] is zero"),
    ({"b": [np.inf]}, r"b\[0\] is inf"),
    ({"corner": [0]}, r"corner\[0\] is 0"), ({"corner": [3]}, r"corner\[0\] is 3"), ({"d": ["x"]}, "d must be"),
])
def test_bad_problems_are_refused_by_name(change, words):
    with pytest.raises(ValueError, match=words):
        ContactProblem(**(GOOD | change))


def test_no_contact_is_free_motion():
    answer = find_accelerations(ContactProblem((1, 2, 3), [], [], [], [], [], []))
    assert answer.kind == "one" and answer.pieces[0].mode == "" and answer.pieces[0].vertices.tolist() == [[1, 2, 3]]


def test_repr_reads():
    assert repr(find_accelerations(ContactProblem(**GOOD))) == "AccelerationSet, one\n  n: point (0, 0, 0)"


def test_same_bits_every_time():
    problem = make_generic(np.random.default_rng(5), 6)
    first = find_accelerations(problem)
    for _ in range(5):
        again = find_accelerations(problem)
        assert all((p.vertices == q.vertices).all() and (p.forces == q.forces).all()
                   for p, q in zip(first.pieces, again.pieces, strict=True))
