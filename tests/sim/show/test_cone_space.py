"""What is drawn in configuration space: Erdmann's edges, the sum of cones, the line, and each answer as a reaction."""

import math

import numpy as np
import pytest
from scipy.optimize import nnls

from dynamics import ContactProblem, find_accelerations
from dynamics.cones.cone import compute_rows
from sim.instant.instant import contact_problem
from sim.scene.build import load_scene
from sim.show.plots.cone_space import build_cone_space, find_facets


def pose_problem(contacts, w, rho=1.0):
    """Contacts (normal, r, slip sign, mu) at b = d = 0."""
    N, T = zip(*(compute_rows(normal, r, rho) for normal, r, _, _ in contacts), strict=True)
    zero = np.zeros(len(contacts))
    return ContactProblem(w, N, zero, T, zero, [c[2] for c in contacts], [c[3] for c in contacts])


def build(problem, mass=1.0):
    return build_cone_space(problem, find_accelerations(problem), mass)


def build_of_scene(name):
    scene = load_scene(name)
    problem, _ = contact_problem(scene)
    return build(problem, scene.workpiece.mass)


def test_edges_of_figure_6():
    """Erdmann 1993, section 5.2.2, mu = 0.25 and rho = 1: left, middle, right; the cuts are at one normal force."""
    space = build_of_scene("erdmann_figure_6")
    expected = [[(0.25, 1, -0.75), (-0.25, 1, -1.25)], [(0.25, 1, 0.25), (-0.25, 1, -0.25)],
                [(0.25, 1, 1.25), (-0.25, 1, 0.75)]]
    np.testing.assert_allclose(space.edges, expected, atol=1e-14)
    assert np.ptp(space.tips[:, :, 1]) < 1e-14 and space.acts.all()
    np.testing.assert_allclose(space.minus_load, [-0.5, 1.0, 0.0], atol=1e-15)


def test_the_middle_edges_of_figure_6_lie_in_faces_of_the_sum():
    """The paper's section |x| <= mu, |q - x| <= 1: two faces are sheets, two are split by an edge of the middle."""
    space = build_of_scene("erdmann_figure_6")
    assert len(space.facets) == 6 and not space.fills_space
    for tip in space.tips[1]:
        assert (np.abs(space.facets - tip).max(axis=2) < 1e-12).sum() == 2  # it ends two of the six pairs
    for x, q in ((0.24, 1.23), (-0.24, -1.23), (0.24, -0.75)):
        assert is_inside(space, [x, 1.0, q])
    for x, q in ((0.26, 0.5), (-0.26, 0.0), (0.1, 1.11), (0.1, -0.91)):
        assert not is_inside(space, [x, 1.0, q])


def is_inside(space, point):
    """Is the point on the inner side of every face?"""
    inner = space.tips.reshape(-1, 3).sum(axis=0)
    normals = np.cross(space.facets[:, 0], space.facets[:, 1])
    normals = normals * np.sign(normals @ inner)[:, None]
    return bool((normals @ point >= -1e-9).all())


def test_faces_bound_the_sum_of_random_cones(rng):
    """A point is in the sum of the cones, by nonnegative least squares, exactly if it is inside all faces."""
    checked = {True: 0, False: 0}
    for _ in range(12):
        contacts = [((math.cos(a), math.sin(a)), rng.normal(size=2), 0, 0.3) for a in rng.uniform(0.9, 2.2, 3)]
        space = build(pose_problem(contacts, [0.0, -1.0, 0.0]))
        assert len(space.facets) >= 3 and not space.fills_space
        rays = space.tips.reshape(-1, 3)
        for point in [*(rng.uniform(0.0, 1.0, len(rays)) @ rays for _ in range(4)), *rng.normal(size=(12, 3))]:
            truth = nnls(rays.T, point)[1] < 1e-9
            assert is_inside(space, point) == truth
            checked[truth] += 1
    assert min(checked.values()) > 40


def test_sums_without_faces():
    one = build(pose_problem([((0, 1), (0.3, 1.0), 0, 0.5)], [0.0, -1.0, 0.0]))
    assert len(one.facets) == 0 and not one.fills_space
    walls = [((1, 0), (1, y), 0, 0.5) for y in (-0.1, 0.1)] + [((-1, 0), (-1, y), 0, 0.5) for y in (-0.1, 0.1)]
    assert build(pose_problem(walls, [0.0, -1.0, 0.0])).fills_space
    half = np.array([[[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]], [[0.0, 0.0, 1.0], [0.0, 1.0, -1.0]]])
    facets, fills = find_facets(half)
    assert len(facets) == 4 and not fills  # a wedge with a straight ridge: two half-planes of two sectors each


def test_line_of_the_peg():
    """Peg between two walls, half width 1, contacts half a unit up and down, mu = 0.75, torque 4, g = 10.

    t_c = (0, 1, 0), F_R(c) = (0, 10 + c, -4); the left edges may act for c above and below 0, the right ones the other
    way round; legal are c = 0 (jammed) and c = -4 (sliding down).
    """
    problem = pose_problem([((1, 0), (1, -0.5), 0, 0.75), ((-1, 0), (-1, 0.5), 0, 0.75)], [0.0, -10.0, 4.0])
    line = build(problem).line
    np.testing.assert_allclose(line.direction, [0.0, 1.0, 0.0], atol=1e-15)
    np.testing.assert_allclose(line.point, [0.0, 10.0, -4.0], atol=1e-12)
    np.testing.assert_allclose(line.legal, [(-4.0, -4.0), (0.0, 0.0)], atol=1e-9)
    (left_plus, left_minus), (right_plus, right_minus) = line.intervals
    assert (left_plus[1], right_minus[1]) == (math.inf, math.inf)
    assert (left_minus[0], right_plus[0]) == (-math.inf, -math.inf)
    np.testing.assert_allclose([left_plus[0], left_minus[1], right_plus[1], right_minus[0]], 0.0, atol=1e-12)


def test_line_in_motion_keeps_the_gaps_closed():
    """N a + b = 0 for every c, b not zero: the sign of m h' is that of Eq 7, not the one printed in section 5.5.3."""
    plain = pose_problem([((1, 0), (1, -0.5), 0, 0.2), ((0, 1), (-0.3, 0.5), 0, 0.2)], [-3.0, -10.0, 1.0])
    problem = ContactProblem(plain.w, plain.N, [0.7, -0.4], plain.T, plain.d, plain.slip, plain.mu)
    space = build(problem, 2.5)
    for c in (-3.0, 0.0, 8.0):
        a = problem.w + (space.line.point + c * space.line.direction) / 2.5
        np.testing.assert_allclose(problem.N @ a + problem.b, 0.0, atol=1e-12)
    assert len(space.line.legal) == 1


@pytest.mark.parametrize("mass", [1.0, 250.0])
def test_answers_are_reactions(mass):
    """F_A + F_R = m a for each of the three accelerations of Figure 5; free flight stands at the apex."""
    scene = load_scene("erdmann_figure_5")
    problem, _ = contact_problem(scene)
    space = build(problem, mass)
    accelerations = np.array([answer.vertices[0] - space.minus_load for answer in space.answers]) / mass
    expected = [(-4, 1, 0), (-5 / 3, 5 / 3, 5 / 3), (-2, 1.5, 1.5)]
    assert sorted(map(tuple, np.round(accelerations, 9))) == sorted(map(tuple, np.round(expected, 9)))
    assert sum(np.abs(answer.vertices).max() < 1e-12 * mass for answer in space.answers) == 1
    assert space.line.legal == ()


def test_legal_pieces_of_a_continuum():
    """A bar level between two walls, mu = 0.5: every downward acceleration up to g is legal, c from -10 to 0."""
    problem = pose_problem([((1, 0), (1, 0), 0, 0.5), ((-1, 0), (-1, 0), 0, 0.5)], [0.0, -10.0, 0.0], 3.0**-0.5)
    assert build(problem).line is None  # opposed normals: one dimension
    four = [((1, 0), (1, y), 0, 0.5) for y in (-0.1, 0.1)] + [((-1, 0), (-1, y), 0, 0.5) for y in (-0.1, 0.1)]
    np.testing.assert_allclose(build(pose_problem(four, [0.0, -10.0, 0.0])).line.legal, [(-10.0, 0.0)], atol=1e-8)


def test_edges_that_cannot_act():
    space = build_of_scene("painleve_rod")
    assert space.acts.tolist() == [[True, False]]  # slip is negative: friction is positive
    assert space.edges[0, 0] @ (space.edges[0].sum(axis=0)) < 0.0  # that edge dips below the tangent plane


def test_a_sliding_contact_gives_its_edge_to_the_sum():
    """Three feet that slide: the three edges against the slip lie in one plane, so the sum has no thickness."""
    feet = [((0, 1), (x, 1.0), 1, 0.25) for x in (1.0, 0.0, -1.0)]
    assert len(build(pose_problem(feet, [0.0, -1.0, 0.0])).facets) == 0
    feet[1] = ((0, 1), (0.0, 1.0), 0, 0.25)  # were the middle one at rest, both its edges would count
    assert len(build(pose_problem(feet, [0.0, -1.0, 0.0])).facets) == 4


def test_cones_of_very_different_length_are_all_seen():
    contacts = [((0, 1), (1.0, 1.0), 0, 1e6), ((0, 1), (-1.0, 1.0), 0, 0.1)]
    lengths = np.linalg.norm(build(pose_problem(contacts, [0.0, -1.0, 0.0])).tips, axis=2)
    assert lengths.min() > 0.2 * lengths.max()
