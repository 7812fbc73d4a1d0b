"""The pawl and its three fixels: the plan, and runs from a grid of starts that must all end seated."""

from math import atan, cos, degrees, pi, radians, sin, sqrt

import numpy as np
import pytest

from dynamics.cones.insertion import find_safe_directions
from sim import load_scene, simulate
from sim.scene.scene_errors import SceneError
from sim.study.scene_insertion import find_stages, plan_scene, try_starts

SEAT = (0.0, 0.0, 0.0)
WAY = [(-16e-3, 0.0, 0.0), (-8e-3, 0.0, 0.0), (-1e-5, 0.0, 0.0)]
# on both fixels, dropped flat, dropped askew: mm, mm, deg
STARTS = [(x / 1e3, y / 1e3, radians(turn)) for x in (-16, -11, -6)
          for y, turn in ((0, 0), (1, 0), (2, -3), (2, 3), (3, -5), (3, 5))]


@pytest.fixture(scope="module")
def plan():
    return plan_scene(load_scene("pawl_fixture"), WAY, "rra", ["fixel 1"], SEAT, mu=(0.1, 0.3),
                      centre=((-1e-3, 1e-3), (0.0, 0.0)), samples=3)


def test_the_plan_of_the_pawl(plan):
    """Steep enough to slide at mu = 0.3, and not so flat that the pawl wedges askew between fixels 1 and 3."""
    ((low, high),) = plan.intervals
    assert low == pytest.approx(-pi / 2 + atan(0.3), abs=1e-12)
    assert -32.0 < degrees(high) < -20.0 and plan.settled < 1e-12
    assert low < radians(-52.0) < high and degrees(plan.margin) > 20.0
    scene = load_scene("pawl_fixture")
    nominal = plan_scene(scene, WAY, "rra", ["fixel 1"], SEAT, mu=(0.1, 0.3), samples=3)
    assert [f"{degrees(end):.1f}" for end in nominal.intervals[0]] == ["-73.3", "-21.0"]
    assert "from -73.3 to -21.0 degrees" in scene.text


@pytest.mark.parametrize("mu", [0.1, 0.3])
@pytest.mark.parametrize("place", ["low", "middle", "high"])
def test_every_start_ends_seated(plan, mu, place):
    """At the planned direction, and a degree within both ends of the plan."""
    low, high = plan.intervals[0]
    direction = {"low": low + radians(1.0), "middle": plan.direction, "high": high - radians(1.0)}[place]
    scene = load_scene("pawl_fixture", overrides={"friction.default": mu})
    outcomes = try_starts(scene, STARTS, SEAT, direction)
    assert len(outcomes) == 18 and all(outcome.seated for outcome in outcomes), [o for o in outcomes if not o.seated]


def test_outside_the_plan_some_starts_wedge_and_none_slides_where_friction_holds():
    scene = load_scene("pawl_fixture", overrides={"friction.default": 0.3})
    flat = try_starts(scene, STARTS, SEAT, radians(-5.0))
    assert 0 < sum(outcome.seated for outcome in flat) < len(flat)
    askew = [outcome for outcome in flat if not outcome.seated]
    assert all(outcome.status.completed and outcome.speed == 0.0 and outcome.turned > 1e-4 for outcome in askew)
    (steep,) = try_starts(scene, STARTS[:1], SEAT, radians(-74.0))
    assert not steep.seated and steep.off == pytest.approx(16e-3, abs=1e-12)


def test_stages_of_the_pawl():
    stages = find_stages(load_scene("pawl_fixture"), WAY, "rra", ["fixel 1"], SEAT)
    assert [stage.mode for stage in stages] == ["rra"] * 3 + ["nnn", "a**", "*a*", "**a"]
    # on the way only friction counts; askew, between fixels 1 and 3, the pawl may wedge
    for stage, low, high in ((stages[0], -90 + degrees(atan(0.2)), 0.0), (stages[5], -180.0, None)):
        ((start, end),), _ = find_safe_directions(stage.contacts, stage.mode)
        assert degrees(start) == pytest.approx(low, abs=1e-9)
        assert degrees(end) == pytest.approx(high, abs=1e-9) if high is not None else degrees(end) < 0.0


def test_the_scene_moves_as_it_says():
    scene = load_scene("pawl_fixture")
    pull = 4.0 * (cos(radians(52.0)) - 0.2 * sin(radians(52.0)))
    assert f"= {pull:.6f} m/s^2" in scene.text and f"at {sqrt(0.028 / pull):.6f} s" in scene.text
    trajectory = simulate(scene, duration=0.2)
    meeting = next(event["time"] for event in trajectory.events if 0.0 < event["time"])
    assert meeting == pytest.approx(sqrt(0.028 / pull), abs=1e-9)
    np.testing.assert_allclose(trajectory.pose[-1] - [*-np.array(scene.workpiece.origin), 0.0], 0.0, atol=1e-12)


def test_a_start_that_overlaps_is_refused():
    with pytest.raises(SceneError, match="overlaps obstacle 'fixel 2'"):
        try_starts(load_scene("pawl_fixture"), [(-10e-3, -1e-3, 0.0)], SEAT)
