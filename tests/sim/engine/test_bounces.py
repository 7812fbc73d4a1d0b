"""The end of bounces, and bridges: contacts are closed after them, and who rides along with a floor sees the same."""

from __future__ import annotations

import tomllib

import pytest

from sim.engine.bounces import bridge
from sim.run.model import prepare
from sim.scene.build import parse_scene
from sim.scene.toml_text import dump_toml
from tests import scene_builders as builders
from tests.sim.engine.test_moving import check_moving
from tests.sim.motion import get_kinds, get_times, run

SIZE = 0.2


def ride(text: str, velocity) -> str:
    """The scene as seen by someone who moves at -velocity: part and obstacles have it in addition."""
    data = tomllib.loads(text)
    own = data["workpiece"].get("velocity", [0.0, 0.0, 0.0])
    data["workpiece"]["velocity"] = [own[0] + velocity[0], own[1] + velocity[1], own[2]]
    for obstacle in data["obstacle"]:
        obstacle["motion"] = {"velocity": list(velocity)}
    return dump_toml(data)


@pytest.mark.parametrize("heights", [5.0, 12.0])
def test_a_bridge_closes_the_gaps_that_it_passes_over(heights):
    """A box falls at 0.1 m/s from some touch distances: a bridge, too short to get there, puts it on the floor."""
    text = builders.slope_block(builders.standing_box(SIZE, SIZE), mu=0.3, height=1e-9)
    body, options, state, tools, log = prepare(parse_scene(text))
    state.pose[1] = 0.5 * SIZE + heights * options.scales.touch
    state.velocity[1] = -0.1
    assert bridge(body, options, state, tools, log)
    assert 0.0 < state.time < 1e-3 * heights * options.scales.touch / 0.1 + 1e-8
    assert abs(state.pose[1] - 0.5 * SIZE) <= 0.5 * options.scales.touch
    assert abs(state.velocity).max() < 1e-12
    assert tools.desk.closed.n == 2


@pytest.mark.parametrize("velocity", [(0.0, 0.5), (0.7, -0.3)])
@pytest.mark.parametrize("build", [lambda: builders.s6(0.5, 0.1, 0.6), lambda: builders.rocking_block(0.5, 0.1)])
def test_what_impacts_take_does_not_depend_on_how_the_floor_moves(build, velocity):
    """Bounces, or rocking, end in an accumulation; kinetic energy lost at impacts is the same for who rides along."""
    still, riding = run(build()), run(ride(build(), velocity))
    check_moving(riding)
    assert "accumulation" in get_kinds(still) and "accumulation" in get_kinds(riding)
    assert get_times(riding, "accumulation") == pytest.approx(get_times(still, "accumulation"), abs=1e-9)
    assert riding.account.work_impact == pytest.approx(still.account.work_impact, abs=1e-9)
    assert riding.account.work_friction == pytest.approx(still.account.work_friction, abs=1e-9)
