"""Plans of squeezes: known numbers, a little simulation of jaws that close, and a search over all turns as a twin."""

import math

import numpy as np
import pytest

from geometry.errors import InputError
from geometry.rest.squeezing import compute_squeeze_function, find_squeeze_plan
from geometry.shapes.outline import Outline
from geometry.shapes.polygon import Polygon

PARTS = {
    "triangle": ([[0, 0], [4, 0], [0, 3]], 1),
    "rectangle": ([[0, 0], [2, 0], [2, 1], [0, 1]], 2),
    "L": ([[0, 0], [0.04, 0], [0.04, 0.01], [0.01, 0.01], [0.01, 0.04], [0, 0.04]], 3),
    "pentagon": ([[0, 0], [5, 0], [7, 3], [3, 6], [-1, 4]], 3),
}
TURNS = 2.0 * math.pi


def measure_width(points, phi):
    """Widths (m,) of points (n, 2) along directions phi (m,)."""
    along = points @ np.array([np.cos(phi), np.sin(phi)])
    return along.max(axis=0) - along.min(axis=0)


def close_jaws(points, theta, angle):
    """Orientations (m,) in which jaws that close along `angle` leave a part that had the orientations theta (m,): each
    turns, in steps that are halved where neither way makes it narrower, until it is narrowest."""
    theta = np.array(theta, dtype=float)
    step = math.radians(0.2)
    while step > 1e-13:
        here, left, right = (measure_width(points, angle - theta - turn) for turn in (0.0, step, -step))
        way = np.where((left < here) & (left <= right), step, np.where(right < here, -step, 0.0))
        theta += way
        if not way.any():
            step *= 0.5
    return theta


def differ(one, other, period):
    return np.abs(np.remainder(np.asarray(one) - other + 0.5 * period, period) - 0.5 * period)


def replay(points, plan, rng, share=0.0):
    """Orientations at the end of 72 starts, each turn off by `share` of its slack, either way."""
    theta = TURNS * (np.arange(72) + rng.uniform(0.01, 0.99)) / 72
    angle = np.zeros(72)
    for squeeze in plan.squeezes:
        off = 0.0 if math.isinf(squeeze.slack) else share * squeeze.slack * rng.choice([-1.0, 1.0], 72)
        angle = angle + squeeze.turn + off
        theta = close_jaws(points, theta, angle)
    return theta - (angle - plan.squeezes[-1].angle)


@pytest.mark.parametrize("name", PARTS)
def test_known_numbers_of_squeezes_and_72_starts_that_end_alike(name, rng):
    vertices, n = PARTS[name]
    part = Polygon.from_vertices(vertices)
    plan = find_squeeze_plan(part)
    assert len(plan.squeezes) == n and plan.period == math.pi
    assert [len(squeeze.thetas) for squeeze in plan.squeezes][-1] == 1
    points = part.vertices / part.size
    for share in (0.0, 0.99):
        assert differ(replay(points, plan, rng, share), plan.thetas[0], plan.period).max() < 1e-9
    if n > 1:  # with more than the slack some end elsewhere
        assert differ(replay(points, plan, rng, 1.02), plan.thetas[0], plan.period).max() > 0.1


@pytest.mark.parametrize("name", PARTS)
def test_what_is_left_after_each_squeeze_is_what_a_simulation_leaves(name, rng):
    part = Polygon.from_vertices(PARTS[name][0])
    plan = find_squeeze_plan(part)
    theta = rng.uniform(0.0, TURNS, 300)
    for squeeze in plan.squeezes:
        theta = close_jaws(part.vertices / part.size, theta, squeeze.angle)
        away = differ(theta[:, None], np.array(squeeze.thetas), plan.period)
        assert away.min(axis=1).max() < 1e-9 and away.min(axis=0).max() < 1e-9


def random_part(rng):
    n = int(rng.integers(3, 9))
    angle = np.sort(rng.uniform(0.0, TURNS, n))
    while np.diff(angle, append=angle[0] + TURNS).max() > 3.0:
        angle = np.sort(rng.uniform(0.0, TURNS, n))
    return Polygon.from_vertices(rng.uniform(0.4, 1.0, n)[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1))


def search_all_turns(stairs, most, n_turns=360):
    """The least number of squeezes, or more than `most`, by breadth-first search over sets of stairs and turns of half
    a degree. A turn that leaves the part where its width is largest (-1) leads nowhere in particular."""
    def squeeze(phi):
        ahead = stairs.maxima[0] + np.remainder(phi - stairs.maxima[0], stairs.period)
        stair = np.searchsorted(stairs.maxima, ahead, side="right") - 1
        return np.where(np.abs(ahead[:, None] - stairs.maxima).min(axis=1) < 1e-9, -1, stair)

    turns = stairs.period * np.arange(n_turns) / n_turns
    lead = np.array([squeeze(minimum + turns) for minimum in stairs.minima])  # (stairs, turns)
    lead = lead[:, (lead >= 0).all(axis=0)]
    front, seen, n = {frozenset(range(len(stairs.minima)))}, set(), 1
    while front and n <= most and not any(len(held) == 1 for held in front):
        seen |= front
        front = {frozenset(lead[sorted(held), k].tolist()) for held in front for k in range(lead.shape[1])} - seen
        n += 1
    return n


@pytest.mark.parametrize("seed", range(12))
def test_no_plan_is_shorter(seed, rng):
    part = random_part(np.random.default_rng(seed))
    plan, stairs = find_squeeze_plan(part), compute_squeeze_function(part)
    least = search_all_turns(stairs, len(plan.squeezes))
    assert len(plan.squeezes) <= least
    if plan.slack > stairs.period / 360:
        assert len(plan.squeezes) == least
    assert differ(replay(part.vertices, plan, rng, 0.9), plan.thetas[0], plan.period).max() < 1e-8


@pytest.mark.parametrize("n", [3, 4, 5, 6, 8, 101])
def test_one_squeeze_orients_a_regular_polygon_up_to_what_jaws_do_not_tell(n):
    plan = find_squeeze_plan(Polygon.regular(n, 0.1))
    assert len(plan.squeezes) == 1 and plan.symmetry == n
    assert plan.period == pytest.approx(TURNS / (n if n % 2 == 0 else 2 * n), abs=1e-12)
    assert len(plan.thetas) == (1 if n % 2 == 0 else 2) and plan.slack == math.inf


def test_a_hole_makes_orientations_differ_that_jaws_do_not_tell_apart():
    plate = Outline.from_vertices([[0, 0], [1, 0], [1, 1], [0, 1]]).with_holes(Outline.disc(0.1, center=[0.3, 0.3]))
    plan = find_squeeze_plan(plate)
    assert plan.symmetry == 1 and plan.period == pytest.approx(math.pi / 2) and len(plan.thetas) == 4


def test_slack_may_be_asked_for_and_costs_squeezes():
    part = Polygon.from_vertices(PARTS["pentagon"][0])
    plan = find_squeeze_plan(part)
    wider = find_squeeze_plan(part, plan.slack * 1.001)
    assert len(wider.squeezes) > len(plan.squeezes) and wider.slack > plan.slack
    with pytest.raises(InputError, match="there is no plan whose turns may all be off by 40 deg; the most is"):
        find_squeeze_plan(part, math.radians(40.0))
    with pytest.raises(InputError, match="zero or positive"):
        find_squeeze_plan(part, -1.0)


def test_round_sides_and_what_is_of_one_width():
    lens = Outline.from_vertices([[-1, 0], [1, 0]], bulge=[0.4, 0.4])  # narrowest at no edge: between two arcs
    (squeeze,) = find_squeeze_plan(lens).squeezes
    assert squeeze.thetas == pytest.approx((math.pi / 2,), abs=1e-12)
    slot = Outline.from_vertices([[-2, -1], [2, -1], [2, 1], [-2, 1]], bulge=[0, 1, 0, 1])
    assert len(find_squeeze_plan(slot).squeezes) == 1
    with pytest.raises(InputError, match="over 360 deg the width of the part is the same"):
        find_squeeze_plan(Outline.disc(0.1))
    r = math.sqrt(0.5)
    sector = Outline.from_vertices([[-r, -r], [r, -r]], bulge=[0.0, math.tan(3 * math.pi / 8)])
    with pytest.raises(InputError, match="over 90 deg the width of the part is the same"):
        find_squeeze_plan(sector)
