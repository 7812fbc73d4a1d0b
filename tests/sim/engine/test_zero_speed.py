"""A slip is zero for runs, acceleration sets and maps alike, in every unit of length."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dynamics import find_accelerations
from sim import simulate
from sim.instant.instant import contact_problem
from sim.rows.records import CONTACT_LETTERS
from sim.scene.build import parse_scene
from sim.study.solution_map import compute_map
from tests import scene_builders as builders
from tests.sim.motion import get_kinds, get_times

SHARES = [0.0, *10.0 ** np.arange(-14.0, -6.0, 0.5)]


def build_rod(share: float, unit: float = 1.0, gravity: float = 9.81, omega: float = -5.0) -> str:
    """A rod of one unit that turns about its tip on the floor, which slips by a share of the speed of its centre."""
    theta = math.radians(60.0)
    rx, ry = 0.5 * math.cos(theta) * unit, 0.5 * math.sin(theta) * unit
    slip = share * abs(omega) * 0.5 * unit
    rod = {"outline": {"vertices": [[0.0, 0.0], [0.5 * unit, -0.005 * unit], [unit, 0.0], [0.5 * unit, 0.005 * unit]]},
           "mass": 1.0, "pose": [0.0, 0.0, theta], "velocity": [slip - omega * ry, omega * rx, omega]}
    floor = {"name": "floor", "outline": builders.box_outline(-3.0 * unit, -unit, 3.0 * unit, 0.0), "mu": 5.0}
    return builders.build_scene(rod, [floor], gravity=[0.0, -gravity * unit], run={"duration": 1e-3})


def find_letter(text: str) -> str:
    """What the contact does by the acceleration set, after a comparison with the run."""
    scene = parse_scene(text)
    problem, _ = contact_problem(scene)
    pieces = find_accelerations(problem).pieces
    row = simulate(scene).contacts_at(0)
    letter = CONTACT_LETTERS[row["letter"][0]]
    assert [piece.mode for piece in pieces] == [letter], text
    return letter


@pytest.mark.parametrize("omega", [-1.0, -1e-3])
def test_the_set_and_the_run_agree_whether_a_contact_slips(omega):
    letters = "".join(find_letter(build_rod(share, omega=omega)) for share in SHARES)
    assert letters == "n" * letters.count("n") + "r" * letters.count("r")
    assert SHARES[letters.index("r")] < (1e-10 if omega == -1.0 else 1e-8)  # what a load does in no time is zero


@pytest.mark.parametrize("unit", [1e-6, 1e-3, 1e3])
def test_the_unit_of_length_does_not_matter(unit):
    for share in SHARES:
        for gravity, omega in ((9.81, -5.0), (0.0, -5.0), (9.81, -0.01)):
            signs = [contact_problem(parse_scene(build_rod(share, size, gravity, omega)))[0].slip[0]
                     for size in (1.0, unit)]
            assert signs[0] == signs[1], (share, gravity, omega)


@pytest.mark.parametrize("unit", [1e-3, 1e3])
def test_a_velocity_that_is_asked_about_has_its_own_scale(unit):
    """Without load, and at rest at the start, nothing else tells what is slow."""
    for share in SHARES:
        signs = []
        for size in (1.0, unit):
            moving = parse_scene(build_rod(share, 1e-9 * size, 0.0))
            at_rest = parse_scene(build_rod(0.0, 1e-9 * size, 0.0, 0.0))
            signs.append(contact_problem(at_rest, velocity=moving.workpiece.velocity)[0].slip[0])
        assert signs[0] == signs[1], share


@pytest.mark.parametrize("unit", [1e-3, 1e3])
def test_runs_have_the_same_events_in_every_unit(unit):
    runs = [simulate(parse_scene(build_rod(1e-3, size)), duration=0.3) for size in (1.0, unit)]
    assert get_kinds(runs[0]) == get_kinds(runs[1])
    for kind in set(get_kinds(runs[0])):
        np.testing.assert_allclose(get_times(runs[0], kind), get_times(runs[1], kind), rtol=1e-9, atol=1e-12)


def test_a_map_sees_the_slip_that_a_run_sees():
    """One acceleration while the tip sticks, as many as `find_accelerations` says where it slips back."""
    scene = parse_scene(build_rod(-1e-10))
    found = find_accelerations(contact_problem(scene)[0])
    cells = compute_map(scene, ("workpiece.mass", [1.0, 2.0]), ("friction.default", [0.1, 5.0]))
    kinds = {"none": 0, "one": 1, "several": 2, "continuum": 3}
    assert (cells.kinds == kinds[found.kind]).all() and (cells.members == len(found.pieces)).all()
