"""Closure, wedging and jamming: textbook grips, linear programs, Whitney's diagram from the cones."""

import numpy as np
import pytest
from scipy.optimize import linprog

from dynamics.cones import peg
from dynamics.cones.closure import check_closure
from dynamics.cones.contact_set import place_contacts
from dynamics.cones.statics import (
    check_force_closure,
    check_form_closure,
    check_wedging,
    compute_grip,
    equilibrium_cone,
)
from dynamics.cones.wrench import exclusive_cones, wrench_cone, wrench_cones
from sim.rows.records import CONTACT_DTYPE
from tests.dynamics import contact_sets
from tests.naive.wrench_cones import find_slack

S = np.sqrt(0.5)


def finger(x):
    """Balkcom, Gottlieb and Trinkle 2002, in the manner of Figure 4b: three fixels, and a finger on the top at x."""
    return place_contacts([(-1, -1), (1, -1), (-1, 0), (x, 1)], [(0, 1), (0, 1), (1, 0), (-S, -S)], 0.0)


def test_a_frictionless_finger_closes_the_fixture_right_of_the_middle():
    for x, closes in [(0.297, True), (1e-6, True), (0.0, False), (-1e-6, False), (-0.5, False)]:
        contacts = finger(x)
        assert check_force_closure(contacts)[0] == closes == check_form_closure(contacts)[0]
        assert wrench_cone(contacts, "nnnn").is_whole_space == closes
    for x in (0.297, 0.6):  # the balance that closes it: all four press, as long as x > 0
        np.testing.assert_allclose(np.array([S * (1 - x / 2), S * x / 2, S, 1.0]) @ finger(x).N, 0, atol=1e-15)


def test_two_opposed_fingers_close_where_their_cones_see_each_other():
    for mu, closes in [(0.199, False), (0.2, False), (0.201, True)]:
        contacts = place_contacts([(1, -0.2), (-1, 0.2)], [(-1, 0), (1, 0)], mu)
        verdict, grip = check_force_closure(contacts)
        assert verdict == closes and np.sign(grip) == (np.sign(mu - 0.2) if abs(mu - 0.2) > 1e-12 else np.sign(grip))
        assert check_form_closure(contacts) == (False, pytest.approx(compute_grip(contacts.N)))
    at = place_contacts([(1, -0.2), (-1, 0.2)], [(-1, 0), (1, 0)], 0.2)
    assert abs(check_force_closure(at)[1]) < 1e-12
    assert check_wedging(at)[0] and not check_force_closure(at)[0]


def test_form_closure_needs_four_contacts_and_knows_parallel_ones():
    box = [(-1, -0.5), (-1, 0.5), (1, 0.2), (0.3, -1), (-0.2, 1)]
    normals = [(1, 0), (1, 0), (-1, 0), (0, 1), (0, -1)]
    assert check_form_closure(place_contacts(box, normals, 0.0))[0]
    for leave in range(5):
        keep = [i for i in range(5) if i != leave]
        contacts = place_contacts([box[i] for i in keep], [normals[i] for i in keep], 0.0)
        closes, grip = check_form_closure(contacts)
        assert closes == (grip > 1e-10) == contacts_block_all(contacts)
    triangle = place_contacts([(np.cos(a), np.sin(a)) for a in (0, 2, 4)],
                              [(-np.cos(a), -np.sin(a)) for a in (0, 2, 4)], 0.0)
    assert check_form_closure(triangle)[0] is False and abs(check_form_closure(triangle)[1]) < 1e-12
    assert check_form_closure(place_contacts([(0, 0)], [(0, 1)], 0.3))[1] == pytest.approx(-1.0)
    assert check_force_closure(place_contacts([], [], 0.3)) == (False, -1.0)


def contacts_block_all(contacts):
    """No motion with N.v >= 0 but v = 0: by linear programs along the axes."""
    zero = np.zeros(len(contacts))
    return all(abs(linprog(sign * axis, A_ub=-contacts.N, b_ub=zero, bounds=[(-1, 1)] * 3).fun) < 1e-9
               for axis in np.eye(3) for sign in (1, -1))


def test_grip_is_the_support_of_the_hull(rng):
    for _ in range(40):
        points = rng.normal(size=(rng.integers(1, 9), 3))
        points /= np.linalg.norm(points, axis=1)[:, None]
        grip = compute_grip(points * rng.uniform(0.1, 10.0, size=(len(points), 1)))
        u = rng.normal(size=(20000, 3))
        u /= np.linalg.norm(u, axis=1)[:, None]
        sampled = (u @ points.T).max(axis=1).min()
        assert grip <= sampled + 1e-12 and sampled - grip < 0.05


def test_contact_rows_close_as_all_their_cones_do(rng):
    """Of contacts on one edge only the outermost are looked at."""
    verdicts = []
    for _ in range(200):
        angles = rng.choice(np.linspace(0.0, 2.0 * np.pi, 6), size=rng.integers(1, 4))
        rows = np.zeros(len(angles) * 3, CONTACT_DTYPE)
        rows["nx"], rows["ny"] = np.repeat(np.cos(angles), 3), np.repeat(np.sin(angles), 3)
        along = rng.integers(-2, 3, size=len(rows)) * 0.5  # some in one place
        rows["px"], rows["py"] = -rows["nx"] + along * rows["ny"], -rows["ny"] - along * rows["nx"]
        rows["obstacle"] = rng.integers(0, 2, size=len(rows))
        mu, pose = rng.uniform(0.0, 1.0, size=2), np.append(rng.uniform(-1.0, 1.0, size=2), 0.0)
        contacts = place_contacts(np.stack([rows["px"], rows["py"]], axis=1),
                                  np.stack([rows["nx"], rows["ny"]], axis=1), mu[rows["obstacle"]], pose[:2], 0.3)
        verdicts.append(check_force_closure(contacts)[0])
        assert check_closure(rows, 0, len(rows), pose, mu, 0.3, np.zeros((2 * len(rows), 3))) == verdicts[-1]
    assert 20 < sum(verdicts) < 180


def test_equilibrium_is_what_friction_can_hold(rng):
    for make in (contact_sets.make_generic, contact_sets.make_degenerate):
        contacts = make(rng, 3)
        cone = equilibrium_cone(contacts)
        mode = "".join("n" if closed else "s" for closed in contacts.closed)
        for w in [*rng.normal(size=(20, 3)), *(rng.random((5, len(cone.generators))) @ cone.generators)]:
            assert cone.contains(w) == (find_slack(contacts, mode, w) > -1e-9)


@pytest.mark.parametrize("mu, torque, claims", [
    (0.75, 0.0, {"nn", "rl"}),  # stuck, or free fall along both walls without any force
    (0.75, 4.0, {"nn", "rl"}),
    (0.75, 7.0, {"nn"}),
    (0.75, -1.0, {"nn", "ss"}),
    (0.4, 4.0, {"rl"}),
])
def test_a_peg_that_jams_or_falls(mu, torque, claims):
    """Half width 1, contacts at (-1, 1/2) and (1, -1/2), rho = 1: it can jam exactly if 1 < 2 mu."""
    contacts = place_contacts([(-1, 0.5), (1, -0.5)], [(1, 0), (-1, 0)], mu)
    assert set(wrench_cones(contacts).find_claims((0.0, -10.0, torque))) == claims
    assert check_wedging(contacts)[0] == (mu > 0.5)


# ---- the peg ---------------------------------------------------------------------------------------------------------

TILTS = [(0.99, 0.5, 0.043814422, 0.412795349), (0.99, 1, 0.020413966, 0.959374796), (0.99, 2, 0.010050167, 1.98),
         (0.9, 1, 0.266879369, 0.489897949), (0.9, 3, 0.068110489, 2.870540019)]


@pytest.mark.parametrize("r, l, tilt, z", TILTS)
def test_two_point_contact(r, l, tilt, z):
    assert abs(peg.compute_tilt(r, 1.0, l) - tilt) < 5e-10
    contacts = peg.place_tilted_peg(r, 1.0, l, 0.3)
    mouth, tip = contacts.points
    np.testing.assert_allclose(tip[0] - mouth[0], 2.0, atol=1e-12)  # from wall to wall
    assert abs(mouth[1] - tip[1] - z) < 1e-9 * 5


@pytest.mark.parametrize("r, l, tilt, z", TILTS)
def test_wedging_begins_at_l_over_2r(r, l, tilt, z):
    """With tilt the mouth binds, l / 2r <= mu; the tip needs z / 2R <= mu only."""
    low, high = 0.0, 4.0
    for _ in range(60):
        mu = 0.5 * (low + high)
        wedges, _ = check_wedging(peg.place_tilted_peg(r, 1.0, l, mu))
        low, high = (low, mu) if wedges else (mu, high)
    assert abs(high - l / (2.0 * r)) < 1e-8 and z / 2.0 < l / (2.0 * r)
    grips = [check_wedging(peg.place_tilted_peg(r, 1.0, l, l / (2.0 * r) + d))[1] for d in (-1e-3, 1e-3)]
    assert grips[0] < -1e-5 and grips[1] > 1e-5


@pytest.mark.parametrize("mu, r, l", [(0.3, 1.0, 1.0), (0.1, 2.0, 5.0), (0.8, 0.5, 0.1), (1.5, 1.0, 3.0)])
def test_whitneys_parallelogram_is_the_section_of_a_cone(mu, r, l):
    slope = l / (2.0 * r * mu)
    cone = peg.insertion_cone(peg.place_upright_peg(r, l, mu))
    corners = peg.compute_section(cone)  # (Fx, -1, M / r): Fz = 1
    np.testing.assert_allclose(corners[:, 1], -1.0, atol=1e-15)
    expected = [(-1 / mu, 1), (-1 / mu, 1 + 2 * slope), (1 / mu, -1), (1 / mu, -1 - 2 * slope)]
    near = np.abs(corners[:, None, [0, 2]] - np.array(expected)[None]).max(axis=2) < 1e-9 * (1 + 2 * slope + 1 / mu)
    assert len(corners) == 4 and near.any(axis=0).all() and near.any(axis=1).all()
    x, y = corners[:, 0], corners[:, 2]
    area = 0.5 * np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))
    assert abs(abs(area) - 4.0 * slope / mu) < 1e-9 * area**2 + 1e-9


def test_points_of_the_jamming_diagram():
    cone = peg.insertion_cone(peg.place_upright_peg(1.0, 1.0, 0.3))
    for x, y, inside in [(0, 1.6, True), (0, 1.7, False), (1, -0.8, True), (2, 0.2, False), (3.2, -2.56, True),
                         (3.4, -2.7, False), (0, 5 / 3 - 1e-9, True), (0, 5 / 3 + 1e-9, False)]:
        assert cone.contains((x, -1.0, y)) == inside, (x, y)


def test_diagram_is_the_truth_of_linear_programs(rng):
    """Straight in is possible exactly if some contact forces leave a push downwards."""
    mu, slope = 0.3, 5 / 3
    contacts = peg.place_upright_peg(1.0, 1.0, mu)
    cone = peg.insertion_cone(contacts)
    for x, y in rng.uniform((-4, -6), (4, 6), size=(60, 2)):
        formula = abs(x) < 1 / mu and abs(y + mu * (1 + slope) * x) < slope
        assert cone.contains((x, -1, y)) == formula == (find_slack(contacts, "rlrl", np.array([x, -1, y])) > 1e-9)


def test_two_points_slide_or_stick_or_both(rng):
    """lambda > 1: sliding in and sticking exclude each other; lambda < 1: every load that slides may stick as well."""
    for l, mu in [(1.2, 0.3), (0.36, 0.3)]:
        contacts = peg.place_upright_peg(1.0, l, mu).take([1, 2])  # tip right, mouth left
        slide, stick = wrench_cone(contacts, "lr"), wrench_cone(contacts, "nn")
        slope, both = l / (2 * mu), 0
        for x, y in rng.uniform((-4, -4), (4, 8), size=(300, 2)):
            left, w = (y + mu * x) / l, (x, -1.0, y)
            slides = left > 0 and x + left > 0 and y + mu * (1 + slope) * x < slope
            assert slide.contains(w) == slides
            both += slides and stick.contains(w)
        assert (both == 0) == (slope > 1)
        assert exclusive_cones(contacts, "lr").is_empty == (slope < 1)


def test_an_upright_peg_without_clearance_can_always_stick():
    contacts = peg.place_upright_peg(1.0, 1.0, 0.3)
    assert wrench_cone(contacts, "nnnn").contains((0.0, -1.0, 1.6))
    assert check_wedging(contacts)[0] and check_force_closure(contacts)[0]


def test_pegs_that_are_none():
    for call, message in [
        (lambda: peg.compute_tilt(1.0, 0.9, 1.0), "hole is 0.9: with radius 1.0 and depth 1.0"),
        (lambda: peg.compute_tilt(1.0, 2.0, 1.0), "hole is 2.0"),
        (lambda: peg.place_upright_peg(0.0, 1.0, 0.3), "radius is 0.0: must be positive"),
        (lambda: peg.insertion_cone(place_contacts([(0, 0)], [(0, -1)], 0.3)), "does not keep all contacts"),
        (lambda: peg.insertion_cone(place_contacts([(0, 0)], [(0, 1)], 0.3)), "into the obstacle at contact 0"),
        (lambda: peg.compute_section(equilibrium_cone(peg.place_upright_peg(1, 1, 0.3))), "empty or has no end"),
    ]:
        with pytest.raises(ValueError) as caught:
            call()
        assert message in str(caught.value)
