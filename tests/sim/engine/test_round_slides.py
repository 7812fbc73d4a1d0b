"""Round parts that slip, strike and graze: on a slope, in hollows, between discs and in bearings with little play."""

from __future__ import annotations

from math import acos, asin, atan, cos, pi, sin, sqrt, tan

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

from tests.sim.engine.test_round_parts import (
    DEEP,
    HALF,
    HALF_RHO,
    disc_obstacle,
    put_on_slope,
    roll,
)
from tests.sim.motion import get_kinds, get_times
from tests.sim.reference import G, integrate


def hollow(radius, **keys):
    """A block with a round hole about the origin."""
    return {"name": "hollow", "outline": {"box": [4.0 * radius, 4.0 * radius], "holes": [{"disc": radius}]}, **keys}


# ---- slip ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fraction", [0.0, 0.5, 0.9])
def test_half_a_disc_slides_down_a_slope_and_rocks(fraction):
    """Two coordinates: x along the slope and the angle to it; released where it would rest with more friction."""
    slope = np.radians(15.0)
    mu, tilt = fraction * tan(slope), -asin(HALF * sin(slope) / DEEP)

    def rate(_, y):
        turned, turn = y[2], y[3]
        up = HALF - DEEP * cos(turned)
        arm = -DEEP * sin(turned) - mu * up  # moment of the contact's force over its normal part
        base = G * cos(slope) + DEEP * cos(turned) * turn**2
        bend = base * arm / (HALF_RHO**2 - DEEP * sin(turned) * arm)
        normal = base + DEEP * sin(turned) * bend
        return [y[1], G * sin(slope) - mu * normal, turn, bend]
    up = HALF - DEEP * cos(tilt + slope)
    x, _, turned, turn = integrate(rate, [0.0, 0.0, tilt + slope, 0.0], 1.0)
    trajectory = put_on_slope(tilt, slope, mu, 1.0)
    along, normal = np.array([cos(slope), -sin(slope)]), np.array([sin(slope), cos(slope)])
    ended = HALF - DEEP * cos(turned)
    assert trajectory.pose[-1][:2] - trajectory.pose[0][:2] == pytest.approx(x * along + (ended - up) * normal,
                                                                             abs=1e-10)
    assert trajectory.pose[-1][2] == pytest.approx(turned - slope, abs=1e-10)
    assert trajectory.velocity[-1][2] == pytest.approx(turn, abs=1e-10)
    assert set(get_kinds(trajectory)) == {"start"}


@pytest.mark.parametrize("mu", [0.05, 0.15, 0.25])
def test_a_disc_slips_in_a_hollow_until_it_rolls(mu):
    """Slip u = L s' + r w, L s'' = -g sin(s) + mu N, w' = 2 mu N / r; then it rolls to where g sin(s) / 3 = mu N."""
    big, r, start = 1.0, 0.2, 1.4
    length = big - r

    def normal(y):
        return G * cos(y[0]) + length * y[1] ** 2

    def rate(_, y):
        return [y[1], (mu * normal(y) - G * sin(y[0])) / length, 2.0 * mu * normal(y) / r]
    stick, y = integrate(rate, [start, 0.0, 0.0], 3.0, lambda _, y: -(length * y[1] + r * y[2]))
    energy = 0.75 * length * y[1] ** 2 - G * cos(y[0])

    def roll_square(s):
        return (energy + G * cos(s)) / (0.75 * length)

    def margin(s):
        return mu * (G * cos(s) + length * roll_square(s)) - G * abs(sin(s)) / 3.0
    trajectory = roll({"disc": r}, (length * sin(start), -length * cos(start), 0.0), [hollow(big)], mu, 2.0)
    event = trajectory.events[1]
    assert event["kind"] == ("stick" if margin(y[0]) > 0.0 else "slip")  # else it slips on, the other way
    assert event["time"] == pytest.approx(stick, abs=1e-10)
    assert np.arctan2(event["x"], -event["y"]) == pytest.approx(y[0], abs=1e-10)
    assert event["omega_before"] == pytest.approx(y[2], abs=1e-9)
    if margin(y[0]) > 0.0:
        slips = brentq(margin, 0.0, -acos(-energy / G), xtol=1e-16)
        time = quad(lambda s: 1.0 / sqrt(roll_square(s)), slips, y[0], epsabs=1e-14, epsrel=1e-13)[0]
        event = trajectory.events[2]
        assert event["kind"] == "slip" and event["time"] == pytest.approx(stick + time, abs=1e-9)
        assert np.arctan2(event["x"], -event["y"]) == pytest.approx(slips, abs=1e-9)


@pytest.mark.parametrize("play", [1e-2, 1e-4, 1e-6])
def test_a_shaft_runs_down_in_its_bearing(play):
    """At tan(s) = mu it stays where it is while friction takes its spin, 2 mu g cos(s) / r, whatever the play."""
    r, mu, spin = 0.05, 0.1, 50.0
    s = atan(mu)
    time = spin * r / (2.0 * mu * G * cos(s))
    # counter-clockwise, its lowest point goes to the right: it hangs to the left
    trajectory = roll({"disc": r}, (-play * sin(s), -play * cos(s), 0.0), [hollow(r + play)], mu, 0.9 * time,
                      velocity=(0.0, 0.0, spin))
    assert get_kinds(trajectory) == ["start"]
    assert trajectory.pose[-1][:2] == pytest.approx([-play * sin(s), -play * cos(s)], abs=1e-9 * play)
    assert trajectory.velocity[-1] == pytest.approx([0.0, 0.0, 0.1 * spin], abs=1e-9)
    ends = roll({"disc": r}, (-play * sin(s), -play * cos(s), 0.0), [hollow(r + play)], mu, time * 1.001,
                velocity=(0.0, 0.0, spin))
    assert get_times(ends, "stick")[0] == pytest.approx(time, abs=1e-9)


# ---- impacts ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("offset", [0.0, 0.3, 0.9, 0.99, 0.9999])
def test_a_disc_runs_round_in_a_hole_as_on_a_round_billiard_table(offset):
    """Elastic, smooth, without weight: chords of one length, each turned by the same angle."""
    big, r, speed, n = 1.0, 0.25, 2.0, 40
    length = big - r
    side = offset * length
    half = sqrt(length**2 - side**2)
    times = (half + 2.0 * half * np.arange(n)) / speed
    trajectory = roll({"disc": r}, (0.0, -side, 0.3), [hollow(big)], 0.0, times[-1] + half / speed,
                      velocity=(speed, 0.0, 0.7), e=1.0, gravity=[0.0, 0.0])
    assert get_times(trajectory, "impact") == pytest.approx(times, abs=1e-11)
    turn = n * (pi - 2.0 * asin(offset))  # counter-clockwise; it is in the middle of a chord again
    x, y, theta = trajectory.pose[-1]
    assert (x, y) == pytest.approx((side * sin(turn), -side * cos(turn)), abs=1e-10)
    assert trajectory.velocity[-1] == pytest.approx([speed * cos(turn), speed * sin(turn), 0.7], abs=1e-9)
    assert theta == pytest.approx(0.3 + 0.7 * trajectory.time[-1], abs=1e-12)


@pytest.mark.parametrize("depth", [-1e-9, 1e-9, 1e-5, 0.1])
def test_a_disc_grazes_a_disc(depth):
    """It flies past, or strikes where its way, `depth` too near, meets the circle, and is turned by twice the angle."""
    big, r, speed = 1.0, 0.5, 3.0
    length = big + r
    trajectory = roll({"disc": r}, (-3.0, length - depth, 0.0), [disc_obstacle(big)], 0.0, 2.0,
                      velocity=(speed, 0.0, 0.0), e=1.0, gravity=[0.0, 0.0])
    if depth < 0.0:
        assert get_kinds(trajectory) == ["start"]
        return
    way = length - depth
    before = sqrt((length - way) * (length + way))
    time = (3.0 - before) / speed
    assert get_times(trajectory, "impact") == pytest.approx([time], abs=1e-12 + 1e-15 / before)
    turn = 2.0 * asin(before / length)
    assert trajectory.velocity[-1] == pytest.approx([speed * cos(turn), speed * sin(turn), 0.0],
                                                    abs=1e-11 + 3e-15 / before)


def measure_rise(speed, length, valley):
    """(time, angle) up to where a disc stops that leaves the valley with a speed, on a circle of radius `length`."""
    top = acos(cos(valley) + speed**2 / (2.0 * G * length))

    def slowness(q):  # s = top + (valley - top) q^2: without the square root at the top
        s = top + (valley - top) * q * q
        near = 0.5 * (valley - top) * q * q
        ratio = near / sin(near) if near > 0.0 else 1.0
        return 2.0 * (valley - top) * sqrt(length / (4.0 * G * sin(0.5 * (s + top)) * 0.5 * (valley - top)) * ratio)
    return quad(slowness, 0.0, 1.0, epsabs=1e-15, epsrel=1e-13)[0], top


@pytest.mark.parametrize("degrees", [15.0, 30.0, 40.0])
def test_a_disc_rattles_in_the_valley_between_two_discs(degrees):
    """At the bottom the speed is cut by the cosine of the angle between the normals, each time; at last it rests."""
    big, r = 0.5, 0.2
    length, valley = big + r, np.radians(degrees)
    away = length * sin(valley)
    start = valley - 0.1
    discs = [disc_obstacle(big, "left", pose=[-away, 0.0, 0.0]), disc_obstacle(big, "right", pose=[away, 0.0, 0.0])]
    speed = sqrt(2.0 * G * length * (cos(start) - cos(valley)))
    time, top = measure_rise(speed, length, valley)
    assert top == pytest.approx(start, abs=1e-13)
    times = [time]
    while speed > 1e-3:
        speed *= cos(2.0 * valley)
        times.append(times[-1] + 2.0 * measure_rise(speed, length, valley)[0])
    # what is left is a fall along the tangent, 2 v / (g sin), with v in geometric progression
    rest = times[-1] + 2.0 * speed / (G * sin(valley)) * cos(2.0 * valley) / (1.0 - cos(2.0 * valley))
    trajectory = roll({"disc": r}, (-away + length * sin(start), length * cos(start), 0.0), discs, 0.0,
                      times[-1] + 1.0)
    hits = get_times(trajectory, "impact")
    n = min(len(hits), len(times))
    assert n >= 5 and hits[:n] == pytest.approx(times[:n], abs=1e-10)
    assert trajectory.pose[-1] == pytest.approx([0.0, length * cos(valley), 0.0], abs=1e-12)
    # hops lower than what counts as touching (1e-11 of the size) are none: it rests as much earlier
    lowest = 1e-11 * 2.0 * r
    early = sqrt(8.0 * lowest / G) / sin(valley) / (1.0 - cos(2.0 * valley))
    assert get_kinds(trajectory)[-1] == "rest" and rest - early < get_times(trajectory, "rest")[0] < rest
