"""States without any acceleration (Painleve): an impulse without collision ends the slip, and the motion goes on."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sim.rows.status import Status
from tests import scene_builders as builders
from tests.dynamics.motion.test_routh import LAWS, TABLE
from tests.sim.engine.test_analytic_motions import build_rod
from tests.sim.motion import check_laws, get_kinds, mirror_scene, run, turn_scene

JAM = "impact without collision"


def get_tip_velocity(trajectory, row, half_length=1.0):
    """Velocity of the rod's lower tip at a row."""
    (vx, vy, omega), theta = trajectory.velocity[row], trajectory.pose[row, 2]
    return vx + omega * half_length * math.sin(theta), vy - omega * half_length * math.cos(theta)


@pytest.mark.parametrize("law", range(3), ids=LAWS)
@pytest.mark.parametrize("angle", [0.0, 2.0])
def test_painleve_rod_goes_on(law, angle):
    """tan(theta) = 2, mu = 2, slip -1, omega = 0: no acceleration; the tip stops (and hops, if e > 0)."""
    pn, pt, vn_after, _, gain = TABLE[6][2][law]
    text = build_rod(math.atan(2.0), (0.0, 0.0), (-1.0, 0.0, 0.0), mu=2.0, e=0.5, law=LAWS[law], duration=0.3)
    trajectory = run(turn_scene(text, angle))
    check_laws(trajectory)
    assert get_kinds(trajectory)[:2] == ["start", JAM] and trajectory.events["set_kind"][0] == "none"
    impulse = trajectory.impulses_at(1)
    assert (impulse["fn"][0], impulse["ft"][0]) == pytest.approx((pn, pt), abs=1e-6)
    assert trajectory.account.work_impact <= gain + 1e-6
    if angle == 0.0:
        assert get_tip_velocity(trajectory, 0) == pytest.approx((0.0, vn_after), abs=1e-6)
        assert trajectory.mode_at(0) == ("n" if law == 0 else "")


def test_the_rule_stop_ends_there():
    text = build_rod(math.atan(2.0), (0.0, 0.0), (-1.0, 0.0, 0.0), mu=2.0)
    trajectory = run(text, choice="stop")
    assert trajectory.status is Status.NO_SOLUTION and get_kinds(trajectory) == ["start"]
    assert not trajectory.account.n_impacts and len(trajectory) == 1


def test_a09_i_goes_on():
    trajectory = run(builders.a09("i"))
    check_laws(trajectory)
    assert get_kinds(trajectory)[:2] == ["start", JAM]
    assert get_tip_velocity(trajectory, 0, 0.5) == pytest.approx((0.0, 0.0), abs=1e-12)


@pytest.mark.parametrize("degrees", [30.0, 33.0, 35.0, 37.0])
@pytest.mark.parametrize("mirrored", [False, True])
def test_sliding_into_the_singular_point(degrees, mirrored):
    """Beyond tan(theta) = 3 - sqrt(5) there is none (mu = 2). A rod that slides there fast arrives where A = 0 and
    where, at the same time, the load has left the contact (Genot & Brogliato's point). The impulse stops the tip, and
    the rod, which spins fast by then, takes off."""
    text = build_rod(math.radians(degrees), (0.0, 0.0), (-40.0, 0.0, 0.0), mu=2.0, duration=0.3)
    trajectory = run(mirror_scene(text) if mirrored else text)
    check_laws(trajectory)
    kinds = get_kinds(trajectory)
    event = trajectory.events[kinds.index(JAM)]
    theta = -event["theta"] if mirrored else event["theta"]
    assert math.tan(theta) == pytest.approx(3.0 - math.sqrt(5.0), abs=1e-3)
    assert event["omega_before"] ** 2 * math.sin(theta) == pytest.approx(10.0, rel=1e-2)
    after = int(np.searchsorted(trajectory.time, event["time"], side="right")) - 1
    assert get_tip_velocity(trajectory, after)[0] * (not mirrored) == pytest.approx(0.0, abs=1e-9)
    assert trajectory.mode_at(after) == "" and abs(trajectory.velocity[after, 2]) > 10.0


def build_ladder_driven_up(mu: float, omega: float = 0.5) -> str:
    """A uniform ladder at 60 degrees against floor and wall, its foot driven towards the wall."""
    th = math.radians(60.0)
    velocity = [-omega * math.sin(th), omega * math.cos(th), -omega]
    return build_rod(-th, (0.0, 2.0 * math.sin(th)), velocity, walls=("floor", "wall"), mu=mu, duration=0.3)


@pytest.mark.parametrize(("mu", "jams"), [(0.3, False), (1.0, False), (1.40, False), (1.42, True), (1.6, True)])
def test_ladder_driven_up_a_wall(mu, jams):
    """Beyond mu = sqrt(2) no acceleration keeps both contacts: the ladder stops dead."""
    trajectory = run(build_ladder_driven_up(mu))
    check_laws(trajectory)
    assert (JAM in get_kinds(trajectory)) == jams
    assert get_kinds(trajectory)[-1] == "rest"
    if jams:
        np.testing.assert_allclose(trajectory.velocity[0], 0.0, atol=1e-12)
        assert trajectory.time[0] == 0.0 and len(trajectory.impulses_at(1)) == 2


@pytest.mark.parametrize(
    ("h", "mu", "jams"),
    [(1, 0.5, False), (1, 1.5, False), (2, 0.8, False), (2, 1.2, True), (1, 1.999, False), (1, 2.0, True)],
)
@pytest.mark.parametrize("mirrored", [False, True])
def test_two_point_slider(h, mu, jams, mirrored):
    """Contacts at (-1, -h) and (1, -h), rho = 1, sliding left: none for mu h >= 2. Then the slip ends about the
    leading point."""
    part = {"outline": {"vertices": [[-1, 0], [1, 0], [1, 2 * h], [-1, 2 * h]]}, "center_of_mass": [0, h],
            "mass": 1.0, "rho": 1.0, "velocity": [-1.0, 0.0, 0.0]}
    text = builders.build_scene(part, [builders.build_floor()], gravity=[0.0, -10.0], friction={"default": mu},
                                run={"duration": 0.2})  # fmt: skip
    trajectory = run(mirror_scene(text) if mirrored else text)
    check_laws(trajectory)
    assert (JAM in get_kinds(trajectory)) == jams
    if jams and h == 2.0:
        side = -1.0 if mirrored else 1.0
        # pivoting about the leading point at (-1, -2): angular momentum about it is kept
        assert trajectory.velocity[0] * [side, 1.0, side] == pytest.approx((-2 / 3, 1 / 3, 1 / 3), abs=1e-9)
