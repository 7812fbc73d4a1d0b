"""Plans of insertions: known angles, exactness against the cones, intervals on the circle, what spoils a plan."""

from dataclasses import replace
from math import atan, degrees, pi, radians

import numpy as np
import pytest

from dynamics.cones.contact_set import place_contacts
from dynamics.cones.insertion import (
    Stage,
    find_safe_directions,
    intersect_intervals,
    list_seat_stages,
    plan_insertion,
)
from dynamics.cones.wrench import exclusive_cones, wrench_cones
from tests.dynamics import contact_sets


def feet(mu=0.3, height=0.5):
    """Two feet at x = -1 and 1, the centre of mass above their middle; a wall to the right, not touched."""
    return place_contacts([(-1, 0), (1, 0), (1.5, height)], [(0, 1), (0, 1), (-1, 0)], mu, (0, height),
                          closed=[True, True, False])


def test_a_box_slides_to_the_wall_between_sliding_and_tipping():
    """Gravity must fall steeper than friction and flatter than the edge over which the box would tip."""
    for mu, height in [(0.3, 0.5), (0.1, 1.0), (0.5, 1.5)]:
        intervals, rivals = find_safe_directions(feet(mu, height), "rra")
        # it tips about the leading foot where the line of gravity and friction leaves it: mu height >= 1 never here
        ((low, high),) = intervals
        assert abs(low - (-pi / 2 + atan(mu))) < 1e-12 and abs(high) < 1e-12 and not rivals


def test_plan_over_friction_and_centre_of_mass():
    plan = plan_insertion([Stage(feet(), "rra")], mu=(0.1, 0.4), centre=((-0.2, 0.2), (-0.1, 0.1)), samples=3)
    ((low, high),) = plan.intervals
    assert abs(low - (-pi / 2 + atan(0.4))) < 1e-12 and abs(high) < 1e-12
    assert plan.is_safe and plan.settled < 1e-12 and plan.samples == 27
    assert plan.margin == pytest.approx((high - low) / 2) and plan.direction == pytest.approx((high + low) / 2)
    assert f"Pull along {degrees(plan.direction):.6g} deg" in plan.explain()
    # friction high enough to tip the box instead: mu height > distance of the foot
    tall = plan_insertion([Stage(feet(), "rra")], mu=(0.1, 3.0), samples=5)
    assert not tall.is_safe and "no direction gives the wanted mode" in tall.explain()


def test_safe_directions_are_those_of_the_exclusive_cones(rng):
    for make in (contact_sets.make_generic, contact_sets.make_degenerate):
        for _ in range(2):
            contacts = make(rng, 2)
            every = wrench_cones(contacts)
            for mode in every.modes[:5]:
                arm = rng.normal(size=2) * (rng.random() < 0.5)
                intervals, rivals = find_safe_directions(contacts, mode, arm)
                seen = set()
                for angle in rng.uniform(-pi, pi, size=60):
                    w = np.array([np.cos(angle), np.sin(angle), 0.0])
                    w[2] = (arm[0] * w[1] - arm[1] * w[0]) / contacts.rho
                    claims = every.find_claims(w)
                    inside = any(low < angle + turn < high for low, high in intervals for turn in (0, 2 * pi))
                    assert inside == (claims == [mode]), (contacts, mode, angle)
                    seen |= set(claims) - {mode} if mode in claims else set()
                assert seen <= rivals
    assert exclusive_cones(feet(), "rra").contains((1.0, -1.0, 0.0))


def test_a_wedge_spoils_the_seat():
    """A part that is to settle on a floor corner: where the cones of wall and floor see each other it may stick."""
    def seat(mu):
        return place_contacts([(-1, -0.5), (1, -0.5), (1, -0.2)], [(0, 1), (0, 1), (-1, 0)], mu, rho=0.7)

    smooth, rough = plan_insertion(list_seat_stages(seat(0.05))), plan_insertion(list_seat_stages(seat(2.0)))
    assert smooth.is_safe and not rough.is_safe
    assert any("nsn" in rivals or "snn" in rivals or "nns" in rivals for rivals in rough.rivals)
    assert "no direction" in rough.explain() and rough.margin == 0.0
    with pytest.raises(ValueError, match="there is no safe direction: at stage"):
        _ = rough.direction


def test_seat_stages():
    contacts = replace(feet(), closed=np.ones(3, bool))
    stages = list_seat_stages(contacts, 0.2)
    assert [stage.mode for stage in stages] == ["nnn", "a**", "*a*", "**a"]
    assert [list(stage.contacts.closed).index(False) for stage in stages[1:]] == [0, 1, 2]
    with pytest.raises(ValueError, match="contact 2 is not closed"):
        list_seat_stages(feet())


def test_a_spring_presses_where_it_is_told():
    """A push at height h above the feet, to the right and down: it tips the box over its right foot if too high."""
    stage = Stage(feet(0.0, 0.5), "rra")
    # without friction the feet carry -Fy, 1 to the left and right of the centre of mass: they balance torques up to -Fy
    for place, slope in [((0.0, 0.0), 0.0), ((0.0, 0.5), 0.5), ((0.0, -0.5), 0.5), ((0.3, 0.5), 0.5 / 0.7),
                         ((-0.3, 0.5), 0.5 / 1.3)]:
        plan = plan_insertion([stage], press_at=place)
        assert plan.intervals[0] == pytest.approx((-pi / 2, -atan(slope)), abs=1e-12), place
    # the point moves with the part, not with its centre of mass
    moved = plan_insertion([stage], press_at=(0.2, 0.4), centre=((0.2, 0.2), (0.4, 0.4)))
    assert moved.intervals[0][1] == pytest.approx(0.0, abs=1e-12)
    turned = Stage(contact_sets.turn(stage.contacts, 0.4), "rra", 0.4)
    again = plan_insertion([turned], press_at=(0.0, 0.5))
    assert again.intervals[0] == pytest.approx((-pi / 2 + 0.4, -atan(0.5) + 0.4), abs=1e-12)


def test_turning_everything_turns_the_plan(rng):
    intervals = {"mu": (0.1, 0.4), "centre": ((-0.2, 0.1), (0.1, 0.1)), "samples": 3}
    base = plan_insertion([Stage(feet(), "rra")], **intervals)
    for angle in (1.7, 3.0):
        turned = Stage(contact_sets.turn(feet(), angle), "rra", angle)
        plan = plan_insertion([turned], **intervals)
        shift = [(x - y - angle) / (2 * pi) for x, y in zip(plan.intervals[0], base.intervals[0], strict=True)]
        assert max(abs(x - round(x)) for x in shift) < 1e-12


def test_intervals_on_the_circle():
    assert intersect_intervals([(-pi, pi)], [(0.5, 1.0)]) == [(0.5, 1.0)]
    assert intersect_intervals([(0.0, 1.0)], [(0.5, 2.0)]) == [(0.5, 1.0)]
    assert intersect_intervals([(0.0, 1.0)], [(1.0, 2.0)]) == []
    seam = intersect_intervals([(3.0, 3.5)], [(-3.1, -2.9)])  # 3.5 is -2.783
    np.testing.assert_allclose(seam, [(-3.1, -2.9)], atol=1e-12)
    both = intersect_intervals([(-0.5, 0.5)], [(0.2, 2 * pi - 0.3)])
    np.testing.assert_allclose(both, [(-0.5, -0.3), (0.2, 0.5)], atol=1e-12)


def test_several_stages_and_stages_that_exclude_each_other():
    right, left = Stage(feet(), "rra"), Stage(feet(), "lls")
    plan = plan_insertion([right, left])
    assert not plan.is_safe and all(plan.stages) and "no direction is safe at all of them" in plan.explain()
    both = plan_insertion([right, Stage(feet(), "[rn][rn]*")])
    assert both.intervals[0] == pytest.approx(plan_insertion([right]).intervals[0], abs=1e-12)


@pytest.mark.parametrize("change, message", [
    ({"stages": []}, "stages is empty"),
    ({"samples": 4}, "samples is 4: must be odd"),
    ({"mu": (0.3, 0.1)}, "mu is (0.3, 0.1): must be an interval (low, high)"),
    ({"mu": (-0.1, 0.1)}, "at least 0"),
    ({"centre": ((0, np.inf), (0, 0))}, "centre[0] is (0.0, inf)"),
    ({"stages": [Stage(replace(feet(), points=None), "rra")]}, "have no points"),
    ({"stages": [Stage(feet(), "rr")]}, "mode 'rr' has 2 letters for 3 contacts"),
])
def test_input_that_is_none(change, message):
    with pytest.raises(ValueError) as caught:
        plan_insertion(**{"stages": [Stage(feet(), "rra")], **change})
    assert message in str(caught.value)
    assert radians(180.0) == pi
