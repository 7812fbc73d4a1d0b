"""Wrench cones: the paper's example and figures, its route and a linear program as twins, every angle of a scene."""

import numpy as np
import pytest

from dynamics.cones.contact_set import place_contacts
from dynamics.cones.modes import enumerate_modes
from dynamics.cones.polyhedral import cone_from_span, is_subset
from dynamics.cones.wrench import Region, exclusive_cones, find_shared, force_cone, wrench_cone, wrench_cones
from tests.dynamics import contact_sets
from tests.naive.modes import list_words
from tests.naive.wrench_cones import compute_matrices, find_slack, measure_residual


def same_directions(found, expected):
    """Do two lists of vectors hold the same directions?"""
    unit = [np.asarray(v, float) / np.linalg.norm(v, axis=1)[:, None] for v in (found, np.array(expected, float))]
    near = np.abs(unit[0][:, None] - unit[1][None]).max(axis=2) < 1e-9
    return near.any(axis=0).all() and near.any(axis=1).all() and len(found) == len(expected)


def test_the_papers_example():
    """Balkcom, Gottlieb and Trinkle 2002, section 4: mode `na` of the disc."""
    mu = 0.2
    contacts = contact_sets.paper_disc()
    K, P, C, B = compute_matrices(contacts, "na")
    np.testing.assert_allclose(C[:, :4], np.eye(4))
    np.testing.assert_allclose(C[:, 4:], [[-1, 0, 0, 1], [0, -1, -1, 0], [0, -1, -2, -1], [1, 0, -1, -2]])
    np.testing.assert_allclose(B, [[0, 1, 0], [-1, 0, 0], [-1, 0, -1], [0, -1, -1]])
    np.testing.assert_allclose(K, [[0, -1, -1], [-1, mu, -mu], [0, 2 * mu, -2 * mu]])
    np.testing.assert_allclose(P, [[0, 1, 0], [-1, 0, 0], [-1, 0, -1]])
    cone = wrench_cone(contacts, "na")
    assert same_directions(cone.rays, [(1, 0, -1), (-0.2, -1, -0.2), (0.2, -1, 0.2)])
    assert same_directions(cone.faces, [(-5, 2, -5), (5, 2, 5), (-1, 0, 1)])
    # to approach is strict: without some of g_1 the disc only rests on fixel 1
    (strict,) = cone.faces[cone.face_is_strict]
    assert same_directions([strict], [(-1, 0, 1)])
    assert not cone.contains((0, -1, 0)) and cone.contains((1e-6, -1, -1e-6)) and cone.closure.contains((0, -1, 0))


def test_lla_as_in_figure_4a():
    cone = wrench_cone(contact_sets.paper_4a(), "lla")
    assert same_directions(cone.rays, [(-0.2, -1, -1.2), (-0.2, -1, 0.8), (-1, 0, 0)])


def test_insertion_and_jam_as_in_figures_4c_and_4d():
    contacts = contact_sets.paper_4c()
    assert same_directions(wrench_cone(contacts, "lra").rays, [(1, -0.5, -0.3), (-1, -0.5, 0.7), (0, -1, 0)])
    jam = wrench_cone(contacts, "nns")
    assert jam.is_whole_space
    # "six generators, two of them pure moments": both ways along x, y and the moment
    assert same_directions(jam.generators, [s * e for e in np.eye(3) for s in (1, -1)])
    assert set(wrench_cones(contacts).find_claims((0, -1, 0))) == {"lra", "nns"}
    assert exclusive_cones(contacts, "lra").is_empty  # all of its wrenches can jam
    assert is_subset(wrench_cone(contacts, "lra"), jam)


def test_closure_would_invent_modes():
    """Two opposed walls and a near place: the closure of `nna` is a full cone, though nothing can move."""
    contacts = place_contacts([(-1, 0), (1, 0), (0, 2)], [(1, 0), (-1, 0), (0, -1)], 0.5, closed=[True, True, False])
    K, P, _, _ = compute_matrices(contacts, "nna")
    assert measure_residual(K, P @ np.array([0.0, 1.0, 0.0])) < 1e-9
    assert wrench_cone(contacts, "nna").empty
    assert not wrench_cone(contacts, "nns").empty


@pytest.mark.parametrize("make", [contact_sets.make_generic, contact_sets.make_degenerate])
@pytest.mark.parametrize("k, rounds", [(1, 6), (2, 4), (3, 3), (4, 2)])
def test_equal_to_the_papers_route_and_to_linear_programs(make, k, rounds, rng):
    """Feasible modes and other words; wrenches anywhere, inside the cone, on its faces and edges."""
    lattice = make is contact_sets.make_degenerate
    hits = [compare_with_twins(make(rng, k), lattice, rng) for _ in range(rounds)]
    assert np.min(np.sum(hits, axis=0)) > 10


def compare_with_twins(contacts, lattice, rng, most=10):
    """How many wrenches were consistent, and how many were not."""
    hits = [0, 0]
    modes, words = enumerate_modes(contacts), list_words(contacts)
    for word in [*rng.permutation(modes)[:most], *rng.permutation(words)[: most // 2]]:
        cone = wrench_cone(contacts, str(word))
        tried = [rng.integers(-2, 3, size=3).astype(float) if lattice else rng.normal(size=3) for _ in range(2)]
        if len(cone.generators):
            tried.append(rng.integers(0, 3, size=len(cone.generators)) @ cone.generators)
            tried.append(cone.generators[rng.integers(len(cone.generators))])
        K, P, _, _ = compute_matrices(contacts, word)
        for w in tried:
            w = w if np.linalg.norm(w) > 1e-9 else np.zeros(3)  # generators may cancel but for rounding
            slack = find_slack(contacts, word, w)
            assert cone.contains(w, 1e-8) == (slack > 1e-7), (contacts, word, w)
            if not cone.empty and (contacts.mu > 0.0).all():  # the paper takes mu > 0
                assert cone.closure.contains(w, 1e-8) == (measure_residual(K, P @ w) < 1e-7), (contacts, word, w)
            hits[int(slack > 1e-7)] += 1
    return hits


def test_pieces_of_a_weak_edge_are_kept_apart(rng):
    """Several near places that are not approached: a weak edge may be in although an edge of it is not."""
    for _ in range(6):
        k = int(rng.integers(2, 5))
        contacts = place_contacts(rng.integers(-1, 2, size=(k, 2)), np.array([(1, 0), (-1, 0), (0, 1), (0, -1)])[
            rng.integers(0, 4, size=k)], 0.5, closed=rng.random(k) < 0.3)
        for mode in enumerate_modes(contacts):
            cone = wrench_cone(contacts, mode)
            for w in [np.zeros(3), *cone.generators, *(cone.generators[:2].sum(axis=0, keepdims=True))]:
                assert cone.contains(w, 1e-8) == (find_slack(contacts, mode, w) > 1e-7), (contacts, mode, w)


@pytest.mark.parametrize("degrees", [0.0, 1.0, 30.0, 30.0 + 1e-9, 45.0, 90.0, 359.0])
def test_rays_and_faces_agree_at_an_angle(degrees):
    check_two_feet(degrees)


def test_rays_and_faces_agree_at_every_angle():
    for degrees in range(0, 360):
        check_two_feet(float(degrees))


def check_two_feet(degrees):
    """Two contacts at (+-0.05, -0.05) m, normals up, mu = 0.3, the whole scene turned: always 4 rays and 4 faces."""
    angle = np.radians(degrees)
    feet = place_contacts([(0.05, -0.05), (-0.05, -0.05)], [(0, 1), (0, 1)], 0.3, rho=0.05)
    cone = force_cone(contact_sets.turn(feet, angle))
    assert cone.rays.shape == cone.faces.shape == (4, 3) and len(cone.lines) == len(cone.equations) == 0
    assert (cone.faces @ cone.rays.T).max() <= 1e-9
    assert all(cone.contains(ray) for ray in cone.rays)
    c, s = np.cos(angle), np.sin(angle)
    back = cone.rays @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 0.05]])  # unturned, third component a torque in N m
    section = back / back[:, 1:2]
    expected = [(0.3, 1, -0.035), (-0.3, 1, -0.065), (0.3, 1, 0.065), (-0.3, 1, 0.035)]
    assert same_directions(section, expected)
    hold = wrench_cone(contact_sets.turn(feet, angle), "nn")
    for slope, held in [(16.699, True), (16.7, False), (-16.699, True), (-16.7, False)]:
        weight = np.radians(slope) + angle
        assert hold.contains((np.sin(weight), -np.cos(weight), 0.0)) == held


def test_wildcards_are_unions():
    contacts = place_contacts([(-1, 0), (1, 0)], [(0, 1), (0, 1)], 0.4, (0, 1))
    kept = wrench_cone(contacts, "c*")
    assert isinstance(kept, Region)
    rng = np.random.default_rng(3)
    cones = [wrench_cone(contacts, mode) for mode in enumerate_modes(contacts) if mode[0] in "rln"]
    for w in rng.normal(size=(200, 3)):
        assert kept.contains(w) == any(cone.contains(w) for cone in cones)
    assert set(wrench_cone(contacts, "[rn]n").modes) == {"nn"}
    with pytest.raises(ValueError, match="wildcard"):
        find_shared(contacts, "n*")


def test_union_leaves_out_what_others_cover():
    contacts = contact_sets.paper_4c()
    union = wrench_cone(contacts, "***")
    assert union.modes == ("nns",)  # that mode claims every wrench
    assert union.margin((1, 2, 3)) == np.inf


def test_union_covers_all_wrenches_and_seams_are_no_boundary(rng):
    """A part at rest always has some motion, for one contact exactly one: the cones of its modes tile R^3."""
    contacts = place_contacts([(0.2, -1)], [(0, 1)], 0.3)
    every = wrench_cones(contacts)
    for w in rng.normal(size=(100, 3)):
        assert len(every.find_claims(w)) == 1
    assert every.distance((1, 2, 3)) == np.inf
    touching = wrench_cone(contacts, "c")
    free = wrench_cone(contacts, "s")
    for w in rng.normal(size=(20, 3)):
        assert touching.contains(w) != free.contains(w)
        # free flight is the half-space N.w > 0, so the distance to it is that to a plane
        assert touching.distance(w) == pytest.approx(-contacts.unit_rows[0][0] @ w, abs=1e-12)
        assert free.distance(w) == pytest.approx(contacts.unit_rows[0][0] @ w, abs=1e-12)


def test_only_means_no_other_mode(rng):
    """The pieces of A only are exactly the wrenches that A claims and nobody else, on random contacts."""
    seen = 0
    for make in (contact_sets.make_generic, contact_sets.make_degenerate):
        for _ in range(2):
            contacts = make(rng, 2)
            every = wrench_cones(contacts)
            for mode in every.modes[:4]:
                only = exclusive_cones(contacts, mode)
                seen += not only.is_empty
                for w in [*rng.normal(size=(15, 3)), *rng.integers(-1, 2, size=(8, 3)), *every.cones[0].rays]:
                    assert only.contains(w) == (every.find_claims(w) == [mode]), (contacts, mode, w)
    assert seen > 4


def test_shared_is_the_intersection(rng):
    contacts = contact_sets.paper_4c()
    shared = find_shared(contacts, "lra")
    assert shared.modes == ("nns",)
    assert same_directions(shared.cones[0].rays, wrench_cone(contacts, "lra").rays)


def test_cones_agree_with_the_acceleration_set(rng):
    """A wrench is in the cones of exactly those modes that the search for accelerations finds."""
    from dynamics import ContactProblem, find_accelerations

    for _ in range(8):
        k = int(rng.integers(1, 4))
        contacts = contact_sets.make_generic(rng, k)
        contacts = place_contacts(contacts.points, contacts.normals, contacts.mu, rho=contacts.rho)
        every = wrench_cones(contacts)
        for w in rng.normal(size=(6, 3)):
            found = find_accelerations(ContactProblem(
                w=w, N=contacts.N, T=contacts.T, b=np.zeros(k), d=np.zeros(k), slip=np.zeros(k), mu=contacts.mu))
            if found.kind in ("one", "several"):
                assert {piece.mode for piece in found.pieces} == set(every.find_claims(w))


def test_force_cone_of_letters():
    contacts = place_contacts([(0, -1)], [(0, 1)], 0.5)
    assert same_directions(force_cone(contacts, "r").rays, [(-0.5, 1, -0.5)])
    assert same_directions(force_cone(contacts, "l").rays, [(0.5, 1, 0.5)])
    assert same_directions(force_cone(contacts).rays, [(-0.5, 1, -0.5), (0.5, 1, 0.5)])
    assert len(force_cone(contacts, "s").generators) == 0
    assert wrench_cone(place_contacts([], [], 0.3), "").is_whole_space
    assert cone_from_span(-force_cone(contacts).rays).contains((0, -1, 0))


def test_turned_and_scaled_scenes_have_the_same_cones(rng):
    """All modes of degenerate scenes: as many rays, lines, faces and strict faces at every angle, in mm and in km."""
    for contacts in (contact_sets.paper_4c(), contact_sets.paper_4a(), contact_sets.make_degenerate(rng, 4)):
        modes = enumerate_modes(contacts)
        for angle, scale in [(0.3, 1.0), (np.pi / 6 + 1e-9, 1e-3), (2.0, 1e3), (np.pi / 2, 1e-6)]:
            turned = contact_sets.turn(contacts, angle)
            other = place_contacts(scale * turned.points, turned.normals, turned.mu, rho=scale, closed=turned.closed)
            assert enumerate_modes(other) == modes
            for mode in modes:
                first, second = wrench_cone(contacts, mode), wrench_cone(other, mode)
                for name in ("lines", "rays", "equations", "faces", "strict"):
                    assert len(getattr(first, name)) == len(getattr(second, name)), (mode, name, angle)
                assert (second.faces @ second.rays.T).max(initial=0.0) <= 1e-9
                assert np.abs(second.equations @ second.generators.T).max(initial=0.0) <= 1e-9
                assert all(second.closure.contains(ray) for ray in second.rays)


@pytest.mark.parametrize("mu", [0.0, 1e-9, 1e3, 1e9, 1e12])
def test_any_friction(mu):
    """A square on a floor: held on slopes below atan(mu), never pulled up; endless friction spans a half-plane."""
    contacts = place_contacts([(-0.5, -0.5), (0.5, -0.5)], [(0, 1), (0, 1)], mu)
    hold = wrench_cone(contacts, "nn")
    assert hold.contains((0, -1, 0)) and not hold.contains((0, 1, 0)) and not hold.contains((1e-3, 1.0, 0))
    if mu >= 1e3:
        assert hold.contains((0.99, -1, 0)) and wrench_cone(contacts, "nn").dimension == 3
    single = force_cone(contacts.take([0]))
    assert single.dimension == (1 if mu == 0.0 else 2) and (len(single.lines) == 1) == (mu == 1e12)
    assert single.contains(contacts.N[0]) and not single.contains(-contacts.N[0])
