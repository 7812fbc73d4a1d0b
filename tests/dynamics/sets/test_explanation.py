"""What an empty or ambiguous set says about itself: the right contacts, with the numbers that decide."""

import math
import re

import numpy as np
import pytest

from dynamics import ContactProblem, find_accelerations
from dynamics.cones.cone import compute_rows


def solve(contacts, w, rho):
    """The set of contacts (normal, r, slip sign, mu) at rest in the other respects (b = d = 0)."""
    N, T = zip(*(compute_rows(normal, r, rho) for normal, r, _, _ in contacts), strict=True)
    zero = np.zeros(len(contacts))
    return find_accelerations(ContactProblem(w, N, zero, T, zero, [c[2] for c in contacts], [c[3] for c in contacts]))


def solve_rod(mu, tangent=2.0, kappa=1.0 / 3.0):
    """The rod of unit half length that slides to the negative side on its lower end."""
    angle = math.atan(tangent)
    return solve([((0, 1), (math.cos(angle), math.sin(angle)), -1, mu)], [0.0, -10.0, 0.0], math.sqrt(kappa))


def test_one_contact_names_the_condition_with_its_numbers():
    """|n_q v_q| / rho^2 = cos sin / kappa = 1.2 and 1 + n_q^2 / rho^2 = 1.6: dips above mu = 4/3."""
    text = solve_rod(2.0).explain(unit=" m/s^2")
    assert text.startswith("No acceleration satisfies all laws at once.")
    assert "accelerate into contact 0 at 10 m/s^2" in text
    assert "mu |n_q v_q| = 2.4 rho^2 exceeds rho^2 + n_q^2 = 1.6 rho^2, as it does for every mu above 1.33333" in text
    assert "by 0.8 further in" in text  # A(-1) = -0.8


def test_the_friction_it_names_is_the_limit():
    limit = float(re.search(r"every mu above (\d+\.\d+)", solve_rod(2.0).explain())[1])
    assert solve_rod(limit * (1.0 - 1e-5)).kind == "one" and solve_rod(limit * (1.0 + 1e-5)).kind == "none"


def test_names_of_contacts():
    text = solve_rod(2.0).explain(names=["the tip"])
    assert "into the tip at 10." in text and "cone of the tip dips" in text and "contact 0" not in text


def test_two_point_slider_refutes_each_combination():
    """Block on two feet, a = rho = 1, H = 2, mu = 1.2, sliding left: the leading foot jams, the other tips it over.

    The trailing foot alone pushes f = 10 / 4.4, which turns the leading one in; both together have to carry
    g (a -+ mu H) / (2 a) = -7 and 17 per mass.
    """
    found = solve([((0, 1), (1, 2), -1, 1.2), ((0, 1), (-1, 2), -1, 1.2)], [0.0, -10.0, 0.0], 1.0)
    lines = found.explain().splitlines()
    assert found.kind == "none" and len(lines) == 5
    assert lines[1] == "Without contact forces the part would accelerate into contact 0 at 10 and contact 1 at 10."
    assert "contact 0 dips" in lines[2] and "mu above 1." in lines[2]
    # e1 = (mu, 1, 1 + 2 mu), N1 = (0, 1, 1), N0 = (0, 1, -1): N1.e1 = 4.4, N0.e1 = -2.4
    assert lines[3].endswith(f"accelerates into contact 0 at {10.0 + 2.4 * 10.0 / 4.4:.6g}.")
    assert lines[4].endswith("contact 1 would have to pull with 7 times the mass.")


def test_driven_ladder_cannot_be_held_by_both_ends():
    """Ladder at 60 degrees driven up the wall: no answer beyond mu = sqrt 2, whichever contacts push."""
    c, s = math.cos(math.radians(60.0)), math.sin(math.radians(60.0))
    for mu, kind in ((1.40, "one"), (1.42, "none")):
        found = solve([((0, 1), (-c, s), -1, mu), ((1, 0), (c, -s), -1, mu)], [0.0, -10.0, 0.0], math.sqrt(1.0 / 3.0))
        assert found.kind == kind
    text = found.explain()
    assert "Contact 0 alone can push, but then the part accelerates into contact 1" in text
    assert "Contact 1 alone: nothing presses the part against it" in text
    assert "together: to keep all these gaps closed" in text and "dips" not in text


def test_many_contacts_get_a_summary():
    feet = [((0, 1), (x, 2.0), -1, 1.2) for x in (1.0, 0.5, 0.0, -0.5, -1.0)]
    text = solve(feet, [0.0, -10.0, 0.0], 1.0).explain()
    assert "None of the 25 combinations of one to three of the 5 contacts" in text
    assert "contact 0 dips" in text and "contact 4 dips" not in text


@pytest.mark.parametrize("mu, said", [(4.0, ("3 accelerations", "free flight", "contact 0 rolls or rests",
                                             "contact 0 slides with negative slip", "every mu above 2."))])
def test_several_lists_its_members(mu, said):
    """Erdmann's block on three contacts, pushed left and up."""
    feet = [((0, 1), (x, 1.0), 0, mu) for x in (1.0, 0.0, -1.0)]
    text = solve(feet, [-4.0, 1.0, 0.0], 1.0).explain()
    for words in said:
        assert words in text


def test_contacts_that_brace_each_other():
    """A rod level between two walls, mu = 0.5: no cone dips, the range comes from both contacts."""
    found = solve([((1, 0), (1, 0), 0, 0.5), ((-1, 0), (-1, 0), 0, 0.5)], [0.0, -10.0, 0.0], math.sqrt(1.0 / 3.0))
    assert found.kind == "continuum" and "No single friction cone dips" in found.explain()
