"""Impact of one contact: every class, the three laws, energy."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dynamics.motion.routh import IMPACT_CLASSES, LAWS, NEWTON, ImpactRows, Law, Limits, solve_routh
from tests.naive.impact import integrate_impact

ROD = (1.6, -1.2, 3.4)  # N.N, N.T, T.T of a uniform rod with tan(theta) = 2

# Wang & Mason's classes for the rod at e = .5: (vn, vt, mu), class, and Pn, Pt, vn+, vt+, change of energy for each law
TABLE = [
    ((-1, 5, 0.2), "sliding", [(0.815217, -0.163043, 0.5, 3.467391, -0.894081)] * 3),
    ((-1, 0.2, 0.6), "C-sticking", [
        (1.215, 0.37, 0.5, 0, -0.26675), (1.185, 0.359412, 0.464706, 0, -0.281221),
        (1.186170, 0.359825, 0.466083, 0, -0.280676)]),
    ((-1, 1.8, 0.6), "R-sticking", [
        (0.735, -0.27, 0.5, 0, -0.42675), (0.646552, -0.301217, 0.395943, 0, -0.466372),
        (0.658304, -0.297069, 0.409769, 0, -0.461638)]),
    ((-1, 0.2, 0.2), "C-reversed", [
        (1.065394, 0.170526, 0.5, -0.498686, -0.291815), (1.046621, 0.166771, 0.474468, -0.488924, -0.299108),
        (1.048049, 0.167057, 0.476410, -0.489666, -0.298569)]),
    ((-1, 1.3, 0.2), "R-reversed", [
        (0.858886, -0.104819, 0.5, -0.087046, -0.278292), (0.815217, -0.113552, 0.440611, -0.064339, -0.298168),
        (0.823451, -0.111905, 0.451809, -0.068620, -0.294603)]),
    ((-1, -1, 2), "jam", [
        (1.575, 0.85, 0.5, 0, -0.81875), (1.725, 0.902941, 0.676471, 0, -0.730515),
        (1.713234, 0.898788, 0.662628, 0, -0.738393)]),
    ((0, -1, 2), "jam", [
        (0.3, 0.4, 0, 0, -0.2), (0.45, 0.452941, 0.176471, 0, -0.186765),
        (0.395431, 0.433682, 0.112272, 0, -0.194643)]),
    ((-1, 0, 0.6), "stick", [(1.275, 0.45, 0.5, 0, -0.31875)] * 3),
    ((-1, 0, 0.2), "slip from rest", [(1.102941, 0.220588, 0.5, -0.573529, -0.338992)] * 3),
]  # fmt: skip


def solve(rows, velocity, law, e, slip_zero=0.0):
    """(Pn, Pt, vn+, vt+, gain of energy), class, factor of e."""
    nn, nt, tt, _ = rows
    vn, vt = map(float, velocity)
    pn, pt, kind, factor = solve_routh(
        ImpactRows(*map(float, rows)), (vn, vt), Law(law, float(e)), Limits(slip_zero, False))
    gain = vn * pn + vt * pt + 0.5 * (nn * pn**2 + 2.0 * nt * pn * pt + tt * pt**2)
    return (pn, pt, vn + nn * pn + nt * pt, vt + nt * pn + tt * pt, gain), IMPACT_CLASSES[kind], factor


@pytest.mark.parametrize("law", range(3), ids=LAWS)
@pytest.mark.parametrize(("state", "kind", "results"), TABLE, ids=lambda v: v if isinstance(v, str) else None)
def test_classes_of_wang_and_mason(state, kind, results, law):
    vn, vt, mu = state
    for side in (1.0, -1.0):  # and in the mirror
        found, name, factor = solve((ROD[0], side * ROD[1], ROD[2], mu), (vn, side * vt), law, 0.5)
        pn, pt, vn_after, vt_after, gain = results[law]
        assert (name, factor) == (kind, 1.0)
        assert found == pytest.approx((pn, side * pt, vn_after, side * vt_after, gain), abs=1e-6)


def test_disc_sticks_or_slides_through():
    """Uniform disc, W = diag(1, 3): slides through iff |vt| >= 3 mu (1 + e) |vn|."""
    for law in range(3):
        assert solve((1, 0, 3, 0.2), (-1, 2), law, 0.5)[0][:4] == pytest.approx((1.5, -0.3, 0.5, 1.1))
        assert solve((1, 0, 3, 0.5), (-1, 2), law, 0.5)[0][:4] == pytest.approx((1.5, -2.0 / 3.0, 0.5, 0.0))


def test_newtons_law_is_held_back_where_energy_would_grow():
    """The rod at 45 degrees: Newton's law alone would raise its energy from .68 to .733125 J."""
    rows, velocity = (2.5, -1.5, 2.5, 0.7), (-1.0, 0.6)
    (pn, pt, _, _, gain), _, factor = solve(rows, velocity, NEWTON, 0.9)
    assert 0.0 < factor < 1.0 and gain == pytest.approx(0.0, abs=1e-12)
    assert pn < 0.9625 and pt < 0.3375
    for law, expected in ((1, (0.76, 0.216, 0.58368)), (2, (0.804037, 0.242422, 0.610597))):
        (pn, pt, _, _, gain), _, factor = solve(rows, velocity, law, 0.9)
        assert (pn, pt, 0.68 + gain, factor) == pytest.approx((*expected, 1.0), abs=1e-6)


def draw_impact(rng):
    """A random part, contact, velocity and friction: rows, velocity."""
    arm = rng.normal(0.0, 1.0, 2) * 10.0 ** rng.uniform(-1, 1)
    normal = np.array([0.0, 1.0, -arm[0]])  # n = (0, 1), r = arm, rho = 1
    tangent = np.array([1.0, 0.0, arm[1]])
    mu = float(rng.choice([0.0, 0.2, 1.0, 3.0]) * rng.uniform(0.5, 1.5))
    velocity = -abs(rng.normal()), float(rng.choice([0.0, 1.0, 10.0]) * rng.normal())
    return (normal @ normal, normal @ tangent, tangent @ tangent, mu), velocity


@pytest.mark.parametrize("law", range(3), ids=LAWS)
def test_energy_never_grows(law):
    rng = np.random.default_rng(law)
    kinds = set()
    for _ in range(10_000):
        rows, velocity = draw_impact(rng)
        (pn, pt, vn, _, gain), kind, factor = solve(rows, velocity, law, rng.random())
        kinds.add(kind)
        scale = velocity[0] ** 2 / rows[0] + velocity[1] ** 2 / rows[2] + rows[0] * pn**2
        assert gain <= 1e-12 * scale and pn > 0.0 and abs(pt) <= rows[3] * pn * (1.0 + 1e-12), (rows, velocity)
        assert vn >= -1e-12 * math.sqrt(scale * rows[0]) and (factor == 1.0 or law == NEWTON), (rows, velocity)
    assert kinds == set(IMPACT_CLASSES) - {"none"}


@pytest.mark.parametrize("law", range(3), ids=LAWS)
def test_small_steps_lead_to_the_same(law):
    rng = np.random.default_rng(10 + law)
    for _ in range(40):
        rows, velocity = draw_impact(rng)
        e = float(rng.random())
        (pn, pt, *_), _, factor = solve(rows, velocity, law, e)
        slow = integrate_impact(rows, velocity, LAWS[law], factor * e)
        assert (pn, pt) == pytest.approx(slow, rel=2e-3, abs=2e-3 * pn), (rows, velocity, e)


def test_nothing_happens_to_what_neither_closes_nor_jams():
    assert solve((1.6, -1.2, 3.4, 0.2), (0.0, -1.0), 0, 0.5)[0][:2] == (0.0, 0.0)
    assert solve((1.6, -1.2, 3.4, 2.0), (0.0, 1.0), 0, 0.5)[1] == "none"
