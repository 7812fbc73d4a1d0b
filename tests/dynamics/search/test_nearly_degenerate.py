"""Contacts that nearly oppose each other, and planes that are nearly one, against the twin in rational numbers."""

from __future__ import annotations

import numpy as np
import pytest

from dynamics import ContactProblem, find_accelerations
from dynamics.search.problem import Problem
from dynamics.search.reactions import solve_forces
from dynamics.tolerances import DEFAULT_TOLERANCES
from tests.dynamics.problems import make_corners, make_floor, make_generic, make_lattice, make_problem
from tests.dynamics.search.test_accelerations_as_sets import holds
from tests.naive.exact import find_exact_vertices


def turn(normal, angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * normal[0] - s * normal[1], s * normal[0] + c * normal[1]])


def make_near(rng, k, angle, opposed):
    """A lattice or a generic problem whose second contact (at times the third, too) is an angle off the first's."""
    plain = make_lattice if rng.random() < 0.5 else make_generic
    base = plain(rng, k)
    lattice = plain is make_lattice
    first = rng.integers(-1, 2, size=2) if lattice else rng.normal(size=2)
    normal = np.array([(1, 0), (0, 1)][rng.integers(2)]) if lattice else turn((1.0, 0.0), rng.uniform(0, 6))
    contacts = []
    for i in range(k):
        sign = 1.0 if i == 0 else -1.0 if opposed else 1.0
        near = i == 0 or i == 1 or rng.random() < 0.4
        n = sign * turn(normal, 0.0 if i == 0 else angle * rng.choice([1.0, -0.6, 0.3]))
        r = first + (0.0 if i == 0 else rng.integers(-1, 3)) * normal
        bias = sign * base.b[0] if near else base.b[i]
        if not near:
            n, r = turn((1.0, 0.0), rng.uniform(0, 6)), rng.normal(size=2)
        contacts.append((n, r, int(base.slip[i]), float(base.mu[i]), bias, base.d[i]))
    return make_problem(base.w, contacts)


def check_near(problem, angle, label) -> bool:
    """All vertices of the twin that double precision can tell are there, and certificates hold: or the set says that
    it is not certain. Returns whether it says so."""
    found = find_accelerations(problem)
    unit = max(1.0, np.abs(problem.w).max(), np.abs(problem.b).max(), np.abs(problem.d).max())
    wrong = []
    for point, force in find_exact_vertices(problem):
        point = np.array(point)
        if force > 1e9 * unit or np.abs(point).max() > 1e4 * unit:
            continue
        # a law that is violated by 1e-10 shifts the point by 1e-10 / angle
        near = (1e-6 + 1e-10 / angle) * (unit + np.abs(point).max())
        if not holds(found, point) and not is_near(found, point, near):
            wrong.append(f"{point} with a force of {force:.3g} is missing")
    for piece in found.pieces:
        for a, forces, own in zip(piece.vertices, piece.forces, piece.residuals, strict=True):
            if own.worst > 1e-8 * max(unit, np.abs(a).max()) + 1e-14 * np.abs(forces).max(initial=0.0):
                wrong.append(f"{a}: {own}")
    assert not wrong or found.doubts, f"{label}\n{found!r}\n" + "\n".join(wrong)
    return bool(found.doubts)


def is_near(found, point, near) -> bool:
    """Is a vertex of the set near a point?"""
    return any(np.abs(piece.vertices - point).max(axis=1).min() <= near for piece in found.pieces)


@pytest.mark.parametrize("opposed", [True, False])
@pytest.mark.parametrize("angle", [1e-3, 1e-5, 1e-6])
def test_planes_that_are_clearly_two_leave_no_doubt(angle, opposed):
    for seed in range(40):
        rng = np.random.default_rng([seed, int(1e9 * angle), opposed])
        k = int(rng.integers(2, 4))
        assert not check_near(make_near(rng, k, angle, opposed), angle, f"seed {seed} k {k}")


@pytest.mark.parametrize("opposed", [True, False])
@pytest.mark.parametrize("angle", [1e-7, 1.7e-7, 3e-8, 1e-8, 3e-9, 1e-9, 3e-10, 1e-10, 1e-11, 1e-12])
def test_what_is_not_certain_is_said(angle, opposed):
    for seed in range(40):
        rng = np.random.default_rng([seed, int(1e13 * angle), opposed])
        k = int(rng.integers(2, 4))
        check_near(make_near(rng, k, angle, opposed), angle, f"seed {seed} k {k}")


@pytest.mark.parametrize("make", [make_generic, make_lattice, make_floor, make_corners])
def test_other_problems_leave_no_doubt(make):
    """Planes that are one to rounding, as those of a flush face in any pose, are no matter of doubt."""
    for seed in range(60):
        for k in (2, 3) if make is make_corners else (1, 2, 3, 4):
            assert find_accelerations(make(np.random.default_rng([seed, k, 5]), k)).doubts == ()
    theta = 0.3
    contacts = [(turn((0, 1), theta), turn((x, 1.0), theta), 0, 0.5) for x in (-1.0, -0.3, 0.2, 1.0)]
    contacts += [(-turn((0, 1), theta + 4e-16), turn((x, -1.0), theta), 0, 0.5) for x in (-1.0, 1.0)]
    assert find_accelerations(make_problem([0.1, -1.0, 0.0], contacts)).doubts == ()


@pytest.mark.parametrize("angle", [1e-3, 1e-5, 1.7e-7, 1e-8, 1e-9])
@pytest.mark.parametrize("mu", [0.0, 1e-9, 0.2])
def test_a_wedge_stands_between_walls_that_are_nearly_opposed(angle, mu):
    """Walls that close downwards hold a part by forces that grow as 1 / angle; a standstill has them."""
    half = 0.5 * angle
    walls = [(turn((1.0, 0.0), half), (1.0, 0.0), 0, mu), (turn((-1.0, 0.0), -half), (-1.0, 0.0), 0, mu)]
    found = find_accelerations(make_problem([0.0, -9.81, 0.0], walls))
    rest = [piece for piece in found.pieces if np.abs(piece.vertices).max() < 1e-6]
    assert rest and rest[0].certified
    if mu == 0.0:
        assert rest[0].forces[0, :, 0] == pytest.approx([9.81 / (2.0 * np.sin(half))] * 2, rel=1e-6)
    assert bool(found.doubts) == (angle < 1e-7)


@pytest.mark.parametrize("eps", [1e-4, 1e-6, 1e-8, 1e-9])
def test_forces_along_three_edges(eps, rng):
    """Loads that three edges, two of them nearly opposed, carry by known forces."""
    for _ in range(50):
        normal, r = turn((1.0, 0.0), rng.uniform(0, 6)), rng.normal(size=2)
        other = turn(-normal, eps)
        contacts = [(normal, r, 1, 0.3), (other, r + rng.normal() * normal, -1, 0.2)]
        problem = make_problem(rng.normal(size=3), [*contacts, (turn(normal, 1.0), rng.normal(size=2), 1, 0.5)])
        edges = problem.N - (problem.mu * problem.slip)[:, None] * problem.T
        forces = rng.uniform(0.5, 1.0, size=3) * [1.0 / eps, 1.0 / eps, 1.0]
        a = problem.w + forces @ edges
        # the rows are made to hold a: each contact stays closed
        problem.b[:] = -problem.N @ a
        arrays = Problem(*(getattr(problem, name) for name in Problem._fields))
        fn, ft = np.zeros(3), np.zeros(3)
        status, _ = solve_forces(arrays, a, DEFAULT_TOLERANCES, fn, ft)
        assert status == 0
        left = a - problem.w - fn @ problem.N - ft @ problem.T
        assert np.abs(left).max() <= 1e-9 * np.linalg.norm(a - problem.w) + 1e-14 * fn.max()
        assert (fn >= 0.0).all()


# Problems of two or three contacts that went wrong: (w, N, b, T, d, slip, mu), planes 1e-10 to 3e-9 rad apart.
SPURIOUS = (  # two planes without friction: the point where both hold needs no force that there is
    [-1.9267639021926617, -0.40450393626291914, 0.18879616449856454],
    [[-0.47982584040249715, -0.8773637574472958, -0.9234323543698494],
     [-0.47982584384052107, -0.8773637555670577, -0.923432347588319]],
    [-0.20789776792550815, -0.20789776792550815],
    [[-0.8773637574472958, 0.47982584040249715, 0.7267095557794765],
     [-0.8773637555670577, 0.47982584384052107, 1.7306071933891523]],
    [0.739737474402218, 1.490800509901628], [-1, 0], [0.0, 0.0])
SKIPPED = (  # each pair of planes left the line to another
    [2.0, 2.0, 1.0], [[-1.0, 0.0, 0.0], [-1.0, 0.0, 1.2114744897341106e-10], [0.0, -1.0, -1.0]], [-1.0, -1.0, 0.0],
    [[0.0, 1.0, 1.0], [0.0, 1.0, 0.9999999997671658], [-1.0, 0.0, 0.0]], [-1.0, 0.0, -1.0], [-1, 1, -1],
    [0.5, 0.0, 0.0])
VAGUE = (  # the point found lay on neither plane, so neither contact seemed to hold
    [-1.6702472921034293, 1.0317441236222953, -1.8205449387672705],
    [[-0.9700616753872379, -0.24285869542782526, -0.8321331150472414],
     [0.9700616757020584, 0.2428586941703234, 0.8321331148215583],
     [-0.2238246288941701, 0.9746294349650985, 1.3055385446086392]],
    [0.08876241323244281, -0.0887624125379253, 2.3007133077695245],
    [[-0.24285869542782526, 0.9700616753872379, 0.1740965215953434],
     [0.2428586941703234, -0.9700616757020584, -0.17409652267404696],
     [0.9746294349650985, 0.2238246288941701, -2.498646793104921]],
    [0.902034779194341, -1.4867087637560434, -1.3426649033728104], [1, 1, 0],
    [0.7675532175591679, 0.5663947142277975, 1.424646582618926])
THIN = (  # two contacts 3 nm apart on one face: of their cone a side was missing, so that they seemed to pull
    [-2.3028995603961246, -1.3817397362376744, -1.272455940648402],
    [[0.0, 1.0, 0.7756315349925293], [-1.0, 0.0, 1.8098069149825673], [-1.0, 0.0, 1.8098069145082576]], [0.0] * 3,
    [[1.0, 0.0, 1.2927192249875479], [0.0, 1.0, 0.7756315349925293], [0.0, 1.0, 0.7756315349925293]],
    [-50.0, 0.0, 0.0], [0, 0, 0], [0.1] * 3)


@pytest.mark.parametrize("data", [SPURIOUS, SKIPPED, VAGUE, THIN])
def test_sets_at_the_limit_that_are_right(data):
    problem = ContactProblem(*data)
    found = find_accelerations(problem)
    exact = np.array([point for point, _ in find_exact_vertices(problem)])
    own = np.vstack([piece.vertices for piece in found.pieces])
    assert len(own) == len(exact) and np.abs(own[:, None] - exact).max(axis=2).min(axis=1).max() < 1e-6
    assert all(piece.certified for piece in found.pieces)


def test_a_doubt_is_printed():
    walls = [((1.0, 0.0), (1.0, 0.0), 0, 0.0), (turn((-1.0, 0.0), 1e-9), (-1.0, 0.0), 0, 0.0)]
    found = find_accelerations(make_problem([0.0, -9.81, 0.0], walls))
    assert len(found.doubts) == 1 and found.doubts[0].startswith("Contacts 0 and 1 oppose each other to within 1.4e-09")
    assert found.doubts[0] in repr(found)
