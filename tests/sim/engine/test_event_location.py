"""How exactly events are located: on the method's own path, to rounding, however long the step; so their times converge
with the order of the method, and with the tolerance of its steps."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dynamics.motion.mode_series import LEAST_ORDER, find_order
from sim.scene.start import compute_start_tolerance
from tests import scene_builders as builders
from tests.sim.engine.test_moving import build_carrier, check_moving
from tests.sim.motion import check_laws, get_kinds, get_times, run
from tests.sim.reference import Pivot, integrate

ALPHA, TILT = 0.2, 0.1  # a block of half diagonal 1, released from a tilt, falls flat


def fall_flat(**options):
    trajectory = run(builders.rocking_block(ALPHA, TILT, 1.0, 0.8, 0.5), **options)
    assert get_kinds(trajectory) == ["start", "impact"]
    return trajectory


@pytest.fixture(scope="module")
def fall_time():
    pivot = Pivot(1.0 / math.sqrt(3.0), 1.0)

    def rate(_, y):
        return [y[1], -pivot.factor * math.sin(ALPHA - y[0])]

    return integrate(rate, [TILT, 0.0], 1.0, lambda _, y: y[0])[0]


@pytest.mark.parametrize("step", [0.5, 0.2, 0.1, 0.05, 0.025, 0.0125])
def test_a_contact_is_closed_where_it_is_located(step):
    """The path between the ends of a step is a polynomial, and off by up to a millimetre; the event is not. It is
    located once: a part that is not there yet would go on, and tell of a contact first."""
    trajectory = fall_flat(step=step)
    impact = trajectory.events[-1]
    rows = trajectory.impulses[impact["first_impulse"] : impact["first_impulse"] + impact["n_impulses"]]
    assert len(rows) == 2 and np.abs(rows["gap"]).max() < 1e-2 * compute_start_tolerance(trajectory.scene)


def test_event_times_converge_with_the_order_of_the_method(fall_time):
    """A path of the least degree, which a loose tolerance asks for: its velocity has one less, and so its error, with
    which all later steps begin, goes with that power."""
    assert find_order(1e-4) == LEAST_ORDER
    steps = 0.1 * 0.5 ** np.arange(3)
    errors = [abs(fall_flat(step=step, tolerance=1e-4).events["time"][-1] - fall_time) for step in steps]
    order = np.polyfit(np.log(steps), np.log(errors), 1)[0]
    assert LEAST_ORDER - 1.5 < order < LEAST_ORDER - 0.5, errors


@pytest.mark.parametrize("tolerance", [1e-4, 1e-6, 1e-8, 1e-10])
def test_event_times_are_as_exact_as_the_tolerance_of_the_steps(fall_time, tolerance):
    error = abs(fall_flat(tolerance=tolerance).events["time"][-1] - fall_time)
    assert error < 5.0 * tolerance * fall_time  # the errors of all steps add up


@pytest.mark.parametrize("e", [0.1, 0.5, 0.9])
def test_bounces_are_followed_until_they_cannot_be_told_from_contact(e):
    """From 1 m, heights fall by e^2. Summed is what stays lower than a few touch distances."""
    trajectory = run(builders.s6(e, 1.0, 20.0))
    check_laws(trajectory)
    touch = compute_start_tolerance(trajectory.scene)
    impacts = trajectory.events[trajectory.events["kind"] == "impact"]
    heights = impacts["vy_after"] ** 2 / (2.0 * builders.G)
    expected = e ** (2.0 * np.arange(1, len(heights) + 1))
    assert heights[:-1] == pytest.approx(expected[:-1], rel=1e-3)
    assert "accumulation" in get_kinds(trajectory)
    assert e * e * heights[-2] < 10.0 * touch and heights[-2] > touch


@pytest.mark.parametrize(("frequency", "duration"), [(50.0, 0.2), (400.0, 0.05)])
def test_no_period_of_a_motion_is_passed_over(frequency, duration):
    """A step that is a whole number of periods long looks exact. However loose the tolerance, a box that slips on a
    quickly shaken plate takes eight steps in a period."""
    wave = {"amplitude": [1e-6, 0.0], "frequency": frequency}
    text = build_carrier(0.3, duration, motion={"sinusoid": [wave], "velocity": [1.0, 0.0]})
    trajectory = run(text, tolerance=1e-3)
    check_moving(trajectory, energy=1e-3)
    assert trajectory.account.n_steps >= 8.0 * frequency * duration


@pytest.mark.parametrize("interval", [0.013, 0.0101])
def test_rows_do_not_change_a_motion_among_obstacles_that_move(interval):
    """To write a row the walls go back to its time; the next step begins with walls where they are then."""
    wave = {"amplitude": [0.01, 0.002], "frequency": 7.0}
    text = build_carrier(0.3, 0.4, motion={"sinusoid": [wave], "angular_velocity": 0.3})
    without, with_rows = run(text), run(text, output_interval=interval)
    check_moving(with_rows)
    assert len(with_rows) > len(without) + 20
    assert with_rows.events.tobytes() == without.events.tobytes()
    assert with_rows.pose[-1].tolist() == without.pose[-1].tolist()
    assert with_rows.velocity[-1].tolist() == without.velocity[-1].tolist()
    assert get_times(with_rows, "slip").size + get_times(with_rows, "stick").size > 0
