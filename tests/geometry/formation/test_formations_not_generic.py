"""Placements of the manipulators that are not generic: parallel edges, meeting edges, coinciding points."""

import math

import numpy as np
import pytest

from geometry.formation.formations import edge_on_vertex, pin, solve_formation, vertex_on_edge
from tests.geometry import formation_cases as cases

PI = math.pi
DEG = PI / 180.0


def test_three_parallel_edges():
    """Proposition 1 and 2: elimination fails; there are none, or infinitely many."""
    edges = [(0.3, 1.0), (0.3 + PI, 1.0), (0.3, 1.0)]
    reach = [(1.0, 0.0), (-1.0, 0.3), (1.0, 0.9)]
    n = np.array([math.cos(0.7), math.sin(0.7)])
    t = np.array([-n[1], n[0]])
    held = [edge_on_vertex(*edge, a * n + b * t) for edge, (a, b) in zip(edges, reach, strict=True)]
    found = solve_formation(*held)
    assert (found.verdict, len(found), found.is_generic) == ("infinite", 0, False) and "parallel" in found.reason
    apart = [*held[:2], edge_on_vertex(*edges[2], 1.5 * n + 0.9 * t)]
    found = solve_formation(*apart)
    assert found.verdict == "none" and not found.is_generic and "parallel" in found.reason
    for order in ((1, 2, 0), (2, 1, 0), (0, 2, 1)):
        assert solve_formation(*[held[k] for k in order]).verdict == "infinite"
        assert solve_formation(*[apart[k] for k in order]).verdict == "none"


def test_three_vertices_at_the_point_where_three_edges_meet():
    """Proposition 4: G = H = I = 0, the part turns about the point."""
    meeting = np.array([0.3, -0.2])
    held = [edge_on_vertex(angle, meeting @ [math.cos(angle), math.sin(angle)], (5.0, 7.0))
            for angle in (0.1, 1.9, 4.0)]
    found = solve_formation(*held)
    assert found.verdict == "infinite" and "turns freely" in found.reason
    apart = [*held[:2], edge_on_vertex(4.0, 1.0, (5.0, 7.0))]  # G = H = 0, I not
    found = solve_formation(*apart)
    assert found.verdict == "none" and not found.is_generic


def test_two_coinciding_vertices_on_one_edge():
    """The paper's other instance: the 3A degenerates to a 2A."""
    twice = edge_on_vertex(0.4, 1.0, (1.0, 2.0))
    held = [twice, twice, edge_on_vertex(2.0, 1.0, (0.0, 0.0))]
    assert solve_formation(*held).verdict == "infinite"


def test_the_same_for_3b_by_duality():
    vertex = (0.4, -0.7)
    held = [vertex_on_edge(vertex, angle, 3.0 * math.cos(angle) - math.sin(angle)) for angle in (0.1, 1.9, 4.0)]
    assert solve_formation(*held).verdict == "infinite"
    assert solve_formation(*held[:2], vertex_on_edge(vertex, 4.0, 9.0)).verdict == "none"
    floor = [vertex_on_edge((x, -1.0), 90 * DEG, 0.0) for x in (-1.0, 0.0, 1.0)]
    assert solve_formation(*floor).verdict == "infinite"
    assert solve_formation(*floor[:2], vertex_on_edge((1.0, -1.0), 90 * DEG, 3.0)).verdict == "none"


@pytest.mark.parametrize("dual", [False, True])
def test_two_parallel_edges_and_a_third_contact(dual):
    """2AB and 2BA with parallel edges: theta from a linear equation, then the place."""

    def build(gap, angle, offset=0.2):
        """Two opposite edges 2 apart on points `gap` apart, and a contact of the other type."""
        if dual:
            return [vertex_on_edge((0.0, 0.0), 0.0, 1.0), vertex_on_edge((gap, 0.3), PI, 1.0),
                    edge_on_vertex(angle, offset, (0.4, -0.9))]
        return [edge_on_vertex(0.0, 1.0, (0.0, 0.0)), edge_on_vertex(PI, 1.0, (gap, 0.3)),
                vertex_on_edge((0.4, -0.9), angle, offset)]

    contacts = build(2.5, 1.1)
    found = solve_formation(*contacts)
    assert found.verdict == "generic" and len(found) == 2
    for pose in found.poses:
        assert np.abs(cases.compute_gaps(contacts, pose[:3])).max() < 1e-14
    assert solve_formation(*build(1.5, 1.1)).verdict == "none" and solve_formation(*build(1.5, 1.1)).is_generic
    assert solve_formation(*build(math.sqrt(4 - 0.09), 1.1)).verdict == "branch"
    # The third edge is parallel to the two at one of the two angles: that pose can slide, or is not one.
    theta = found.poses[0].theta
    parallel = -theta if dual else theta
    contacts = build(2.5, parallel)
    gap_at = cases.compute_gaps([contacts[2]], solve_place(contacts[:2], theta))[0]
    assert len(solve_formation(*contacts)) == 1 and abs(gap_at) > 1e-3
    moved = cases.shift_last(contacts, gap_at)
    assert abs(cases.compute_gaps([moved[2]], solve_place(contacts[:2], theta))[0]) < 1e-15
    assert solve_formation(*moved).verdict == "infinite"


def solve_place(contacts, theta):
    """Some (x, y, theta) that satisfies the contacts."""
    base = cases.compute_gaps(contacts, (0, 0, theta))
    slope = np.column_stack([cases.compute_gaps(contacts, (*step, theta)) - base for step in np.eye(2)])
    return (*np.linalg.lstsq(slope, -base, rcond=None)[0], theta)


def test_one_contact_twice_fixes_nothing():
    twice = edge_on_vertex(0.3, 1.0, (1.0, 2.0))
    found = solve_formation(twice, twice, vertex_on_edge((0.4, -0.9), 1.1, 0.2))
    assert found.verdict == "infinite" and "same constraint" in found.reason
    found = solve_formation(twice, edge_on_vertex(0.3, 1.1, (1.0, 2.0)), vertex_on_edge((0.4, -0.9), 1.1, 0.2))
    assert found.verdict == "none" and not found.is_generic


def test_coinciding_vertices_lower_the_degree_of_2ab():
    """a = d, b = 0: the corner of the two edges stays at the vertex; two poses at most."""
    contacts = [edge_on_vertex(0.0, 1.0, (0.2, 0.3)), edge_on_vertex(2.0, 1.0, (0.2, 0.3)),
                vertex_on_edge((-1, -1), 1.0, 0.4)]
    found = solve_formation(*contacts)
    assert found.verdict == "generic" and len(found) == 2
    for pose in found.poses:
        assert np.abs(cases.compute_gaps(contacts, pose[:3])).max() < 1e-14


@pytest.mark.parametrize("type_name", ["ARA", "BRA", "ARB", "BRB"])
def test_pins(type_name):
    """Coinciding points: none, or infinitely many; else none, a branch or two, by the distance of the points."""

    def build(distance, offset):
        held = pin(type_name[0], (0.3, 0.4), (1.2, -0.3))
        if type_name[2] == "A":
            return held, edge_on_vertex(0.0, 0.3 + offset, (1.2 + distance, -0.3))
        return held, vertex_on_edge((0.3 + distance, 0.4), 0.0, 1.2 + offset)

    assert solve_formation(*build(0.0, 0.0)).verdict == "infinite"
    found = solve_formation(*build(0.0, 0.5))
    assert found.verdict == "none" and not found.is_generic
    found = solve_formation(*build(0.4, 0.5))
    assert found.verdict == "none" and found.is_generic
    assert solve_formation(*build(0.5, 0.5)).verdict == "branch"
    assert solve_formation(*build(0.6, 0.5)).verdict == "generic"
