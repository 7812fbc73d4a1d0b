"""Impacts at the level of impulses: Newton's restitution, friction, and kinetic energy that never grows."""

from __future__ import annotations

from math import cos, pi, sin, sqrt

import numpy as np
import pytest

from dynamics.motion.choose import CONTINUE
from dynamics.motion.closed import CLOSED, make_problem
from dynamics.motion.impact import Choice, solve_impact
from dynamics.motion.mode import CAPACITY
from dynamics.search.members import allocate_set_buffer
from dynamics.search.reactions import solve_forces
from dynamics.tolerances import DEFAULT_TOLERANCES
from geometry.compiled.kernel import get_function
from geometry.compiled.record import allocate_record


def make_choice():
    return Choice(CONTINUE, np.ones(1, dtype=np.int64), DEFAULT_TOLERANCES, allocate_set_buffer(CAPACITY))


def strike(rows, before, mu, e):
    """(velocity after, impulses (k, 2), factor of the restitutions); rows: (N, T) of each contact."""
    closed = allocate_record(CLOSED)
    closed.n = len(rows)
    before = np.array(before, dtype=float)
    for k, (normal, tangent) in enumerate(rows):
        closed.normal[k], closed.tangent[k] = normal, tangent
        closed.mu[k], closed.partner[k] = mu, -1
        closed.rate[k] = np.dot(normal, before)
    after = np.zeros(3)
    choice = make_choice()
    _, members, scale = solve_impact(closed, before, np.full(len(rows), float(e)), choice, after)
    assert members > 0
    solve_forces(get_function(make_problem)(closed, before), after, DEFAULT_TOLERANCES, closed.fn, closed.ft)
    return after, np.column_stack([closed.fn, closed.ft])[: len(rows)], scale


def make_rows(normal, r, rho=1.0):
    nx, ny = normal
    return (nx, ny, (nx * r[1] - ny * r[0]) / rho), (ny, -nx, (nx * r[0] + ny * r[1]) / rho)


DISC = ((0.0, 1.0, 0.0), (1.0, 0.0, sqrt(2.0)))  # uniform disc: W = diag(1, 3)


@pytest.mark.parametrize(
    ("mu", "impulse", "slip"), [(0.2, (1.5, -0.3), 1.1), (0.5, (1.5, -2.0 / 3.0), 0.0)], ids=["slides", "sticks"]
)
def test_disc(mu, impulse, slip):
    """Ground truth 4: vn = -1, vt = 2, e = .5."""
    after, impulses, scale = strike([DISC], (2.0, -1.0, 0.0), mu, 0.5)
    assert impulses[0] == pytest.approx(impulse)
    assert np.dot(DISC[0], after) == pytest.approx(0.5)
    assert np.dot(DISC[1], after) == pytest.approx(slip, abs=1e-12)
    assert scale == 1.0


def test_newtons_law_is_held_back_where_energy_would_grow():
    """Ground truth 4: the rod at 45 degrees, v = (.6, -1), mu = .7, e = .9 goes from .68 to .733 J by Newton's law."""
    rho = sqrt(1.0 / 3.0)
    row = make_rows((0.0, 1.0), (cos(pi / 4), sin(pi / 4)), rho)
    after, _, scale = strike([row], (0.6, -1.0, 0.0), 0.7, 0.9)
    assert 0.0 < scale < 1.0
    assert 0.5 * np.dot(after, after) == pytest.approx(0.68, rel=1e-9)  # the largest factor: nothing is lost either
    assert np.dot(row[0], after) == pytest.approx(0.9 * scale, rel=1e-9)
    uncorrected = np.array([0.9375, -0.0375, -1.325825 * rho])
    assert 0.5 * np.dot(uncorrected, uncorrected) == pytest.approx(0.733125, rel=1e-6)


def test_housner():
    """Ground truth 5: a block of slenderness .2 that lands on its other corner keeps 1 - 1.5 sin^2(.2) of omega."""
    alpha, radius = 0.2, 1.0
    half_width, half_height = radius * sin(alpha), radius * cos(alpha)
    rho = radius / sqrt(3.0)
    left = make_rows((0.0, 1.0), (half_width, half_height), rho)
    right = make_rows((0.0, 1.0), (-half_width, half_height), rho)
    omega = -0.468835365  # clockwise about the left corner: the right one lands
    before = (-omega * half_height, omega * half_width, rho * omega)
    assert np.dot(left[0], before) == pytest.approx(0.0, abs=1e-12)
    after, impulses, _ = strike([left, right], before, 2.0, 0.0)
    assert after[2] / (rho * omega) == pytest.approx(0.940795746, rel=1e-8)
    assert impulses[0] == pytest.approx((0.0, 0.0), abs=1e-12)
    assert abs(impulses[1, 1] / impulses[1, 0]) == pytest.approx(0.150486602, rel=1e-7)


@pytest.mark.parametrize("seed", range(400))
def test_laws_of_random_impacts(seed):
    """One to three contacts, any e and mu: no approach left, friction in its cone, energy not grown."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(1, 4))
    angles = rng.uniform(-pi, pi, k)
    rows = [make_rows((cos(t), sin(t)), rng.normal(size=2)) for t in angles]
    before = rng.normal(size=3)
    mu, e = float(rng.choice([0.0, 0.3, 1.0, 3.0])), float(rng.choice([0.0, 0.5, 1.0]))
    after, impulses, scale = strike(rows, before, mu, e)
    note = f"seed {seed}"
    assert np.dot(after, after) <= np.dot(before, before) * (1.0 + 1e-11), note
    balance = after - before
    for (normal, tangent), (pn, pt) in zip(rows, impulses, strict=True):
        rate = min(np.dot(normal, before), 0.0)
        assert np.dot(normal, after) >= -scale * e * rate - 1e-8, note
        assert pn >= -1e-9 and abs(pt) <= mu * pn + 1e-8, note
        if pn > 1e-7:
            assert np.dot(normal, after) == pytest.approx(-scale * e * rate, abs=1e-7), note
        if abs(np.dot(tangent, after)) > 1e-7:
            assert pt == pytest.approx(-mu * pn * np.sign(np.dot(tangent, after)), abs=1e-7), note
        balance = balance - pn * np.array(normal) - pt * np.array(tangent)
    assert np.abs(balance).max() < 1e-8, note


def test_energy_never_grows_over_ten_thousand_impacts_of_several_contacts():
    rng = np.random.default_rng(7)
    closed, after = allocate_record(CLOSED), np.zeros(3)
    choice = make_choice()
    scaled = 0
    for number in range(10_000):
        k = closed.n = int(rng.integers(2, 4))
        before = rng.normal(size=3)
        for i, angle in enumerate(rng.uniform(-pi, pi, k)):
            closed.normal[i], closed.tangent[i] = make_rows((cos(angle), sin(angle)), rng.normal(size=2))
            closed.mu[i], closed.partner[i] = rng.choice([0.0, 0.3, 1.0, 3.0]), -1
            closed.rate[i] = np.dot(closed.normal[i], before)
        _, members, scale = solve_impact(closed, before, rng.random(k), choice, after)
        scaled += scale < 1.0
        assert members > 0 and np.dot(after, after) <= np.dot(before, before) * (1.0 + 1e-11), number
        assert (closed.normal[:k] @ after >= -1e-8 * np.abs(before).max()).all(), number
    assert scaled > 100  # the guard has something to do
