"""Contact modes: published counts, the naive twin, degenerate arrangements, words that do not fit."""

import numpy as np
import pytest

from dynamics.cones.contact_set import ContactSet, place_contacts, read_problem
from dynamics.cones.modes import LETTERS, enumerate_modes, find_modes, motion_cone
from tests.dynamics import contact_sets
from tests.naive import modes as naive


@pytest.mark.parametrize("points, normals, count", contact_sets.PUBLISHED)
@pytest.mark.parametrize("angle", [0.0, 0.3, 1.234])
def test_published_counts(points, normals, count, angle):
    contacts = contact_sets.turn(place_contacts(points, normals, 0.3, (0.1, -0.2), 0.7), angle)
    modes = enumerate_modes(contacts)
    assert len(modes) == len(set(modes)) == count
    if len(points) <= 2:
        assert set(modes) == naive.enumerate_modes(contacts)


@pytest.mark.parametrize("make", [contact_sets.make_generic, contact_sets.make_degenerate])
@pytest.mark.parametrize("k, rounds", [(0, 1), (1, 6), (2, 6), (3, 5), (4, 1)])
def test_equal_to_all_words_tried_by_linear_programs(make, k, rounds, rng):
    for _ in range(rounds):
        contacts = make(rng, k)
        assert set(enumerate_modes(contacts)) == naive.enumerate_modes(contacts), contacts


@pytest.mark.parametrize("small", [1e-3, 1e-5, 1e-7, 1e-8])
def test_nearly_coincident_planes_are_told_apart(small, rng):
    """Contacts that are nearly parallel, opposed or the same: as in rational arithmetic."""
    for k in (2, 2, 3, 3):
        contacts = contact_sets.make_degenerate(rng, k)
        same = rng.integers(0, 2)
        N, T = (rows[[0] * k] if same else rows for rows in (contacts.N, contacts.T))
        near = ContactSet(N + small * rng.normal(size=(k, 3)), T + small * rng.normal(size=(k, 3)), contacts.mu,
                          contacts.closed)
        assert set(enumerate_modes(near)) == naive.enumerate_exactly(near)


def test_every_mode_has_a_motion_and_no_other_word_has(rng):
    for make in (contact_sets.make_generic, contact_sets.make_degenerate):
        contacts = make(rng, 3)
        modes = set(enumerate_modes(contacts))
        for word in naive.list_words(contacts):
            cone = motion_cone(contacts, word)
            assert cone.empty == (word not in modes), word
            if cone.empty:
                continue
            motion = cone.rays.sum(axis=0)
            n, t = contacts.N @ motion, contacts.T @ motion
            for i, letter in enumerate(word):
                near = abs(n[i]) < 1e-12
                assert {"s": n[i] > 0 or (near and not contacts.closed[i]), "a": n[i] < 0,
                        "r": near and t[i] > 0, "l": near and t[i] < 0, "n": near and abs(t[i]) < 1e-12}[letter]


def test_a_flat_floor_has_ten_modes_for_every_number_of_points():
    for k in (2, 3, 8, 16):
        points = np.column_stack([np.linspace(-1, 1, k), np.zeros(k)])
        modes = enumerate_modes(place_contacts(points, np.tile([0.0, 1.0], (k, 1)), 0.4, (0.0, 1.0)))
        assert len(modes) == 10 and modes[0] == "s" * k and modes[-1] == "n" * k


def test_contacts_around_a_part_have_four_modes_each():
    """Forces that all turn the part the same way: Q has k facets, each cut in two, k edges, the inside and 0."""
    for k in (3, 4, 8, 16):
        angles = np.linspace(0.1, 0.1 + 2.0 * np.pi, k, endpoint=False)
        normals = np.column_stack([np.cos(angles), np.sin(angles)])
        points = np.column_stack([normals[:, 1], -normals[:, 0]])
        assert len(enumerate_modes(place_contacts(points, normals, 0.4))) == 4 * k + 2


def test_near_places_are_approached_in_as_many_ways_as_planes_have_regions(rng):
    """k planes through 0 in general position cut R^3 into k (k - 1) + 2 regions."""
    for k in (1, 2, 3, 6, 12):
        contacts = place_contacts(rng.normal(size=(k, 2)), rng.normal(size=(k, 2)), 0.3, closed=False)
        modes = enumerate_modes(contacts)
        regions = [mode for mode in modes if motion_cone(contacts, mode).dimension == 3]
        assert len(regions) == k * (k - 1) + 2
        assert set(modes) - set(regions) <= {"s" * k}  # at rest nothing is approached


def test_letters_are_in_order_and_all_separate_only_where_possible():
    modes = enumerate_modes(place_contacts([(-1, 0)], [(1, 0)], 0.0))
    assert modes == ["s", "r", "l", "n"] and LETTERS == "srlna"
    opposed = place_contacts([(-1, 0), (1, 0)], [(1, 0), (-1, 0)], 0.5)
    assert "ss" not in enumerate_modes(opposed)


def test_patterns():
    contacts = contact_sets.paper_4c()
    assert find_modes(contacts, "nn*") == ["nns"]
    kept = [mode for mode in enumerate_modes(contacts) if set(mode[:2]) <= set("rln") and mode[2] == "s"]
    assert find_modes(contacts, "ccs") == kept == ["rls", "nns"]
    assert find_modes(contacts, "[lr][lr]a") == ["lra"]
    assert find_modes(contacts, "***") == enumerate_modes(contacts)


@pytest.mark.parametrize("mode, message", [
    ("nn", "has 2 letters for 3 contacts"),
    ("nnn", "contact 2 cannot be 'n', it is not touched: valid are a, s"),
    ("xns", "'x' is no letter; valid: s, n, r, l, a"),
    ("[nq]ns", "'q' is no letter"),
    ("ans", "contact 0 cannot be 'a', it is touched: valid are s, n, r, l"),
    (3, "must be a string"),
])
def test_words_that_do_not_fit(mode, message):
    with pytest.raises(ValueError) as caught:
        find_modes(contact_sets.paper_4c(), mode)
    assert message in str(caught.value)


def test_contacts_that_do_not_fit():
    row = np.array([[0.0, 1.0, 0.0]])
    good = {"N": row, "T": row[:, [1, 0, 2]], "mu": [0.5], "closed": [True]}
    assert len(ContactSet(**good)) == 1
    for key, value, message in [
        ("N", np.zeros((1, 3)), "N[0] is zero"), ("T", np.ones((2, 3)), "T has shape (2, 3): must be (1, 3)"),
        ("mu", [-1.0], "mu[0] is -1.0"), ("mu", [np.inf], "mu holds inf"), ("closed", [True, False], "must be (1,)"),
        ("rho", 0.0, "rho is 0.0"),
    ]:
        with pytest.raises(ValueError) as caught:
            ContactSet(**{**good, key: value})
        assert message in str(caught.value)
    with pytest.raises(ValueError, match=r"normals\[1\] has no direction"):
        place_contacts([(0, 0), (1, 0)], [(1, 0), (0, 0)], 0.3)


def test_problems_without_cones_are_refused_by_name():
    from dynamics.sets.contact_problem import ContactProblem

    rows = {"w": np.zeros(3), "N": np.eye(3)[:2], "T": np.eye(3)[1:], "mu": [0.5, 0.5]}
    rest = {"b": [0, 0], "d": [0, 0], "slip": [0, 0]}
    assert len(read_problem(ContactProblem(**rows, **rest))) == 2
    for change, message in [({"slip": [0, 1]}, "contact 1 slips"), ({"b": [0.1, 0]}, "contact 0 slips, or its gap"),
                            ({"corner": [1, 0]}, "contact 0 is a corner on a corner")]:
        with pytest.raises(ValueError, match=message):
            read_problem(ContactProblem(**rows, **{**rest, **change}))
