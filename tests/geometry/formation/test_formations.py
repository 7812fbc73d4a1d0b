"""Contact formations: every pose of the eight types, and what kind of placement it is."""

import math

import numpy as np
import pytest

from geometry.formation.formations import (
    TYPES,
    FormationContact,
    FormationError,
    contact_of_edge,
    contact_of_vertex,
    edge_on_vertex,
    find_type,
    pack_formation,
    pin,
    solve_formation,
    solve_formations,
    solve_placements,
    vertex_on_edge,
)
from geometry.shapes.polygon import Polygon
from geometry.shapes.pose import Pose
from tests.geometry import formation_cases as cases

PI = math.pi
DEG = PI / 180.0


def triangle(x):
    """3A: an equilateral triangle (h = 1) on three vertices, the first at (x, 0.2)."""
    return [edge_on_vertex(0.0, 1.0, (x, 0.2)), edge_on_vertex(120 * DEG, 1.0, (-0.4, 1.0)),
            edge_on_vertex(240 * DEG, 1.0, (-0.6, -0.8))]


def corner(angle):
    return 2.0 * math.cos(angle * DEG), 2.0 * math.sin(angle * DEG)


PLUS_X, PLUS_Y = (0.0, 1.0), (90 * DEG, 1.0)  # edges of the square with half side 1: normal angle, offset
NUMBERS = {
    "3A": (triangle(1.1), [(-0.013653072, 0.054125316, -0.342458731), (0.095551090, 0.065432059, 0.296117766)]),
    "3B": ([vertex_on_edge(corner(60), 90 * DEG, -1.0), vertex_on_edge(corner(180), 210 * DEG, -1.0),
            vertex_on_edge(corner(300), 330 * DEG, -1.2)],
           [(-0.115470054, 0.066666667, -1.609733796), (-0.115470054, 0.066666667, 2.656931347)]),
    "2AB": ([edge_on_vertex(*PLUS_X, (1.2, 0.3)), edge_on_vertex(*PLUS_Y, (-0.2, 1.4)),
             vertex_on_edge((-1, -1), 90 * DEG, -1.0)],
            [(0.007996408, 0.365715157, 0.522752501), (1.806496425, -0.519953912, 2.009868917)]),
    "2BA": ([vertex_on_edge((-1, -1), 90 * DEG, -1.0), vertex_on_edge((-1, 1), 0.0, -1.5),
             edge_on_vertex(*PLUS_X, (1.0, 0.2))],
            [(-1.454999042, -0.954999042, -0.753572308), (-0.168444627, 0.331555373, 0.441809527)]),
    "2AB, four": ([edge_on_vertex(3.9, 1.4, (-0.4, -1.3)), edge_on_vertex(1.9, 1.3, (0.1, 2.0)),
                   vertex_on_edge((-0.5, -0.6), 1.9, 0.4)],
                  [(-4.431543057, -1.841711829, -2.546988390), (0.421492275, 0.658196090, -0.435762770),
                   (0.090776515, 0.695174233, -0.249951938), (1.474287624, 1.689359412, 1.415145549)]),
    "2BA, four": ([vertex_on_edge((-0.6, 2), 3.8, -1.2), vertex_on_edge((0.1, 0.6), 0.9, 0.7),
                   edge_on_vertex(2.4, 1.5, (2.2, -1.0))],
                  [(1.171065079, 0.466904258, -2.780366927), (-3.296604048, 3.226161502, -1.702737033),
                   (3.354069549, -2.244051855, 0.405234585), (7.623869485, -4.852309820, 1.467388850)]),
    "ARA": ([pin("A", (1, 0.25), (1.2, 0.3)), edge_on_vertex(*PLUS_Y, (-0.2, 1.4))],
            [(0.169322080, 0.285751307, -0.231154961), (1.875788330, -0.478338058, 2.040809139)]),
    "ARB": ([pin("A", (1, 0.25), (1.2, 0.3)), vertex_on_edge((-1, -1), 90 * DEG, -1.0)],
            [(0.206617146, 0.024880926, 0.025201125), (1.842821056, -0.505779802, 1.999192898)]),
    "BRA": ([pin("B", (-1, -1), (-0.3, -1.0)), edge_on_vertex(*PLUS_X, (2.0, 0.2))],
            [(0.886173711, -0.229940309, -0.209588078), (-0.832384706, 0.310178051, 1.171362639)]),
    "BRB": ([pin("B", (-1, -1), (-0.3, -1.0)), vertex_on_edge((1, -1), 90 * DEG, 0.0)],
            [(0.066025404, 0.366025404, PI / 6), (-1.666025404, -1.366025404, 5 * PI / 6)]),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_known_poses(name):
    contacts, expected = NUMBERS[name]
    found = solve_formation(*contacts)
    assert found.type == name.split(",")[0] and found.verdict == "generic" and found.is_generic
    expected = sorted(expected, key=lambda pose: pose[2])
    np.testing.assert_allclose([pose[:3] for pose in found.poses], expected, rtol=0, atol=6e-10)
    for pose in found.poses:
        assert np.abs(cases.compute_gaps(contacts, pose[:3])).max() < 4e-15
        assert pose.multiplicity == 1


def test_every_type_has_known_numbers():
    assert {name.split(",")[0] for name in NUMBERS} == set(TYPES)


@pytest.mark.parametrize("type_name", TYPES)
def test_thousands_of_placements_against_newton_from_many_starts(type_name, rng):
    """No pose that the search meets is missing, none is invented, and each satisfies its constraints to rounding."""
    formations = [cases.make_formation(type_name, rng) for _ in range(2000)]
    rows = np.array([pack_formation(contacts)[2] for contacts in formations])
    count, poses, multiplicity = solve_formations(type_name, rows)
    assert count.min() >= 0 and (multiplicity[multiplicity > 0] == 1).all()
    assert set(count) == ({0, 2, 4} if type_name in ("2AB", "2BA") else {0, 2})
    searched = cases.find_poses_by_newton(formations, rng, starts=12)
    total = met = 0
    for contacts, n, closed, found in zip(formations, count, poses, searched, strict=True):
        closed = closed[:n]
        assert (np.diff(closed[:, 2]) > 0).all() and (np.abs(closed[:, 2]) <= PI).all()
        for pose in closed:
            scale = cases.compute_residual_scale(contacts, pose)
            assert np.abs(cases.compute_gaps(contacts, pose)).max() < 4e-16 * scale
        for pose in found:
            assert min(cases.measure_distance(pose, other) for other in closed) < 1e-6, (contacts, pose)
        total += n
        met += sum(min((cases.measure_distance(pose, other) for other in found), default=1.0) < 1e-6 for pose in closed)
    assert met > 0.9 * total > 900


@pytest.mark.parametrize("type_name", TYPES)
def test_placements_against_another_library(type_name, rng):
    for _ in range(6):
        contacts = cases.make_formation(type_name, rng)
        closed = solve_formation(*contacts).poses
        found = cases.find_poses_by_search(contacts, rng, starts=40)
        assert len(found) <= len(closed)
        for pose in found:
            assert min(cases.measure_distance(pose, other) for other in closed) < 1e-7


@pytest.mark.parametrize("type_name", TYPES)
def test_size_place_and_order_change_nothing(type_name, rng):
    """Formations in micrometres and in kilometres, far from the origin, and with their contacts in another order."""
    for _ in range(30):
        contacts = cases.make_formation(type_name, rng)
        plain = np.array([pose[:3] for pose in solve_formation(*contacts).poses])
        for other in (contacts[::-1], contacts[1:] + contacts[:1]):
            again = np.array([pose[:3] for pose in solve_formation(*other).poses])
            np.testing.assert_allclose(again, plain, atol=1e-9)
        for scale in (1e-6, 1e4):
            scaled = [FormationContact(c.kind, scale * np.array(c.part_point), scale * np.array(c.manipulator_point),
                                       c.normal, c.rolling) for c in contacts]
            again = np.array([pose[:3] for pose in solve_formation(*scaled).poses])
            if len(plain):
                np.testing.assert_allclose(again / [scale, scale, 1.0], plain, atol=1e-8)
            else:
                assert not len(again)
        away = np.array([3e3, -2e3])
        moved = [FormationContact(c.kind, c.part_point, away + c.manipulator_point, c.normal, c.rolling)
                 for c in contacts]
        assert len(solve_formation(*moved)) == len(plain)


@pytest.mark.parametrize("type_name", TYPES)
def test_one_and_a_batch_agree_to_the_last_bit(type_name, rng):
    formations = [cases.make_formation(type_name, rng) for _ in range(50)]
    count, poses, _ = solve_formations(type_name, np.array([pack_formation(contacts)[2] for contacts in formations]))
    for contacts, n, row in zip(formations, count, poses, strict=True):
        assert [pose[:3] for pose in solve_formation(*contacts).poses] == [tuple(pose) for pose in row[:n]]


@pytest.mark.parametrize("type_name", TYPES)
def test_many_placements_of_the_manipulators_at_once(type_name, rng):
    """The same as one by one, with contacts in any order and some of their features given in the world."""
    contacts = [FormationContact(**{**vars(contact), "manipulator": k if k != 1 or rng.random() < 0.5 else -1})
                for k, contact in enumerate(cases.make_formation(type_name, rng))][::-1]
    placements = rng.normal(size=(300, 3, 3))
    count, poses, multiplicity = solve_placements(contacts, placements)
    assert count.max() >= 2 and count.min() >= 0
    for placed, n, row, times in zip(placements, count, poses, multiplicity, strict=True):
        found = solve_formation(*contacts, poses=placed)
        assert len(found) == n and [pose.multiplicity for pose in found.poses] == list(times[:n])
        for pose, other in zip(found.poses, row, strict=False):
            assert cases.measure_distance(pose, other) < 1e-9 * (1.0 + np.hypot(pose.x, pose.y))
    with pytest.raises(FormationError, match=r"poses: must have shape \(n, m, 3\) with m > [012], the largest"):
        solve_placements(contacts, placements[:, :0])


# ---- the paper's criteria --------------------------------------------------------------------------------------------


def compute_criteria(contacts):
    """G, H, I of a 3A."""
    nu = np.array([contact.normal for contact in contacts])
    P = np.array([contact.manipulator_point for contact in contacts])
    h = np.array([np.dot(contact.normal, contact.part_point) for contact in contacts])

    def det(column):
        return np.linalg.det(np.column_stack([nu, column]))

    return det((nu * P).sum(axis=1)), det(nu[:, 0] * P[:, 1] - nu[:, 1] * P[:, 0]), -det(h)


def test_determinants_of_the_wrench_matrices(rng):
    """Equations (17) to (19): det W_n = c H - s G, det W_t,vert = -(s H + c G), det W_t,edges = I; inward normals."""
    solved = 0
    for _ in range(300):
        contacts = cases.make_formation("3A", rng)
        G, H, I = compute_criteria(contacts)
        found = solve_formation(*contacts)
        assert (len(found) == 2) == (G * G + H * H > I * I)
        for pose in found.poses:
            turn = Pose(0, 0, pose.theta)
            n = -np.array([turn.rotate(contact.normal) for contact in contacts])
            t = np.column_stack([-n[:, 1], n[:, 0]])  # n x t points out of the page
            p = np.array([contact.manipulator_point for contact in contacts])
            edges = np.array([pose.pose.transform(contact.part_point) for contact in contacts]) - [pose.x, pose.y]

            def det(direction, place):
                return np.linalg.det(np.column_stack([direction, place[:, 0] * direction[:, 1]
                                                      - place[:, 1] * direction[:, 0]]))

            c, s = math.cos(pose.theta), math.sin(pose.theta)
            np.testing.assert_allclose(
                [det(n, p), det(t, p), det(t, edges)], [c * H - s * G, -(s * H + c * G), I], atol=1e-9)
            assert abs(pose.determinant) == pytest.approx(abs(det(n, p)), abs=1e-9)
            assert pose.determinant ** 2 == pytest.approx(G * G + H * H - I * I, abs=1e-8)
            solved += 1
    assert solved > 100


def test_branch_point_of_the_triangle():
    """Theorem 3: where the first vertex passes x = 0.940260976 two poses meet, and W_n is singular."""
    low, high = 0.9, 1.1
    for _ in range(60):
        middle = 0.5 * (low + high)
        if solve_formation(*triangle(middle)).verdict == "none":
            low = middle
        else:
            high = middle
    assert abs(high - 0.940260976) < 5e-10
    found = solve_formation(*triangle(high))
    assert found.verdict == "branch" and not found.is_generic and len(found) == 1
    (pose,) = found.poses
    assert abs(pose.theta + 0.024404) < 5e-7 and pose.multiplicity == 2 and abs(pose.determinant) < 1e-5
    assert solve_formation(*triangle(high - 1e-9)).verdict == "none"
    assert solve_formation(*triangle(high + 1e-9)).verdict == "generic"
    G, H, I = compute_criteria(triangle(high))
    assert abs(math.hypot(G, H) - abs(I)) < 1e-11 * abs(I)


@pytest.mark.parametrize("type_name", TYPES)
def test_branch_points_of_every_type(type_name, rng):
    """Where the contact normals meet in one point, two poses have met; near by there are two or none.

    The step of 1e-9 must be above the tolerance, 1e-12 of the lengths; so the normals do not meet far away.
    """
    tried = 0
    while tried < 40:
        contacts, pose, centre = make_branch(type_name, rng)
        if np.hypot(*centre) > 10.0:
            continue
        tried += 1
        found = solve_formation(*contacts)
        double = [p for p in found.poses if p.multiplicity == 2]
        assert found.verdict == "branch" and len(double) == 1, found
        assert cases.measure_distance(double[0][:3], pose) < 1e-6
        assert abs(double[0].determinant) < 1e-5
        counts = {len(solve_formation(*cases.shift_last(contacts, step))) for step in (1e-9, -1e-9)}
        assert counts == {len(found) - 1, len(found) + 1}


@pytest.mark.parametrize("type_name", TYPES)
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_a_branch_point_is_one_up_to_the_rounding_of_its_numbers(type_name, scale, rng):
    """1e-13 of the lengths away from where the poses meet, which is more than the rounding of this computation but may
    well be that of an earlier one, the verdict is the same, whatever the size."""
    for _ in range(20):
        contacts, _, _ = make_branch(type_name, rng)
        contacts = [FormationContact(c.kind, scale * np.array(c.part_point), scale * np.array(c.manipulator_point),
                                     c.normal, c.rolling) for c in contacts]
        for step in (1e-13 * scale, -1e-13 * scale):
            found = solve_formation(*cases.shift_last(contacts, step))
            assert found.verdict == "branch" and max(pose.multiplicity for pose in found.poses) == 2


@pytest.mark.parametrize("type_name", TYPES)
def test_a_branch_point_far_from_the_origin(type_name, rng):
    """There the coordinates themselves are rounded to more than 1e-12 of the lengths."""
    for _ in range(20):
        contacts, _, _ = make_branch(type_name, rng)
        moved = [FormationContact(c.kind, c.part_point, np.array([3e6, -2e6]) + c.manipulator_point, c.normal,
                                  c.rolling) for c in contacts]
        assert solve_formation(*moved).verdict == "branch"


def make_branch(type_name, rng):
    """(contacts, pose, centre): all contacts hold at the pose, and the last normal passes through the instant centre
    that the others leave, so that the part can turn about it to first order."""
    pose = Pose(*rng.normal(size=2), rng.uniform(-3, 3))
    others, normals, points = [], [], []
    letters = cases.LETTERS[type_name]
    for letter in letters[:-1]:
        point, angle = rng.normal(size=2), rng.uniform(-PI, PI)
        others.append(place_contact(letter, pose, point, angle))
        normals.append([math.cos(angle), math.sin(angle)])
        points.append(point)
    if len(letters) == 2:
        centre = points[0]
    else:  # the point that is on both normal lines
        n = np.array(normals)
        t = np.column_stack([-n[:, 1], n[:, 0]])
        centre = np.linalg.solve(t, (t * points).sum(axis=1))
    angle = rng.uniform(-PI, PI)
    away = rng.uniform(0.5, 2.0) * np.array([math.cos(angle), math.sin(angle)])
    return [*others, place_contact(letters[-1], pose, centre + away, angle)], pose, centre


def place_contact(letter, pose, point, angle):
    """A contact that holds at the pose, at a point of the world, its normal along a direction of the world."""
    local = pose.inverse().transform(point)
    normal = np.array([math.cos(angle), math.sin(angle)])
    if letter in "ab":
        return pin(letter.upper(), local, point)
    if letter == "B":
        return FormationContact("B", local, point, normal)
    turned = pose.inverse().rotate(normal)
    return FormationContact("A", local, point, turned / np.hypot(*turned))


# ---- words and polygons ----------------------------------------------------------------------------------------------


def test_contacts_from_polygons():
    part, finger = Polygon.box(2.0, 2.0), Polygon.box(0.4, 0.2)
    contact = contact_of_edge(part, 1, finger, 2, 0)
    assert (contact.part_point, contact.normal, contact.manipulator_point) == ((1.0, 0.0), (1.0, 0.0), (0.2, 0.1))
    placed = contact.placed([(1.0, 2.0, PI / 2)])
    np.testing.assert_allclose(placed.manipulator_point, (0.9, 2.2), atol=1e-15)
    assert placed.normal == (1.0, 0.0) and contact.describe() == "edge 1 slides on vertex 2"
    contact = contact_of_vertex(part, 0, finger, 2, 0, at=0.1)
    assert contact.rolling and contact.describe() == "vertex 0 rolls on edge 2"
    np.testing.assert_allclose(contact.manipulator_point, (0.1, 0.1), atol=1e-16)
    np.testing.assert_allclose(contact.placed([(0.0, 0.0, PI)]).normal, (0.0, -1.0), atol=1e-15)


def test_wrong_contacts_are_refused_by_name():
    part = Polygon.box(2.0, 2.0)
    a, b = edge_on_vertex(0.0, 1.0, (1.0, 0.0)), vertex_on_edge((0.0, 0.0), 0.0, 1.0)
    assert find_type([a, b, a]) == "2AB" and find_type([b, pin("A", (0, 0), (0, 0))]) == "ARB"
    with pytest.raises(FormationError, match=r"contacts A, B are no contact formation: valid: three that slide"):
        solve_formation(a, b)
    with pytest.raises(FormationError, match=r"edge 4 of the part: valid: 0 to 3"):
        contact_of_edge(part, 4, part, 0, 0)
    with pytest.raises(FormationError, match=r"at = 3.0 m on edge 0 of the part: valid: 0 to 2 m"):
        contact_of_edge(part, 0, part, 0, 0, at=3.0)
    with pytest.raises(FormationError, match=r"vertex 9 of the manipulator: valid: 0 to 3"):
        contact_of_edge(part, 0, part, 9, 0)
    with pytest.raises(FormationError, match=r"manipulator = 2: there are poses of 1 manipulators"):
        solve_formation(a, b, contact_of_edge(part, 0, part, 0, 2), poses=[(0, 0, 0)])
    with pytest.raises(FormationError, match=r"normal = \(1.0, 1.0\): must have length 1"):
        FormationContact("A", (0, 0), (0, 0), (1, 1))
    with pytest.raises(FormationError, match=r"kind = 'D'"):
        FormationContact("D", (0, 0), (0, 0), (1, 0))
    with pytest.raises(FormationError, match=r"part_point = \(nan, 0\): must be two finite numbers"):
        FormationContact("A", (math.nan, 0), (0, 0), (1, 0))
    with pytest.raises(FormationError, match=r"type '4A': valid: 3A, 3B"):
        solve_formations("4A", np.zeros((1, 3, 6)))
