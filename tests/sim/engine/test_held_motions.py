"""Parts on springs, dampers and cords whose motion is known in closed form or by one quadrature."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from sim import simulate
from sim.rows.status import Status
from sim.scene.build import parse_scene
from tests.sim.motion import get_kinds, get_times

G = 9.81
ROOM = "gravity = [0, 0]\n"
BLOCK = """
[workpiece]
outline = {box = [0.1, 0.06]}
mass = 1.0
"""
FLOOR = """
[[obstacle]]
name = "floor"
outline = {box = [4, 0.2]}
pose = [0, -0.1, 0]
"""


def run(text, status=Status.COMPLETED):
    trajectory = simulate(parse_scene(text))
    assert trajectory.status == status, trajectory.message
    return trajectory


def swing_with_friction(t, x, stiffness, limit, goal):
    """(place, time of the end, place of the end) of 1 kg on a spring that is without force at `goal`, let go at x, with
    friction that is `limit` while it slides: in every half swing harmonic about a place that friction shifts."""
    w, offset, start = math.sqrt(stiffness), limit / stiffness, 0.0
    places = np.empty_like(t)
    while abs(goal - x) > offset:
        middle = goal - math.copysign(offset, goal - x)
        now = t >= start
        places[now] = middle + (x - middle) * np.cos(w * (t[now] - start))
        x, start = 2.0 * middle - x, start + math.pi / w
    places[t >= start] = x
    return places, start, x


@pytest.mark.parametrize("mu, drawn", [(0.3, 0.3), (0.05, 0.3), (0.4, -0.171)])
def test_a_block_on_a_spring_over_a_floor_swings_about_places_that_friction_shifts(mu, drawn):
    """It stops at the end of a half swing, at once and exactly, where friction holds against the spring."""
    trajectory = run(BLOCK + "pose = [0, 0.03, 0]\n" + FLOOR + f"""
[[spring]]
anchor = [{drawn + math.copysign(0.6, drawn)}, 0.03]
stiffness = 100
rest_length = 0.6
[friction]
default = {mu}
[run]
duration = 4
output_interval = 0.01
""")
    places, end, place = swing_with_friction(trajectory.time, 0.0, 100.0, mu * G, drawn)
    assert np.abs(trajectory.pose[:, 0] - places).max() < 1e-11
    assert np.ptp(trajectory.pose[:, 1:], axis=0).max() < 1e-30
    if end < 4.0:
        assert trajectory.velocity[-1].tolist() == [0.0, 0.0, 0.0]
        assert trajectory.pose[-1, 0] == pytest.approx(place, abs=1e-12)
        assert get_times(trajectory, "stick")[-1] == pytest.approx(end, abs=1e-9)


def test_a_pendulum_on_a_rotational_spring():
    """A tip that a force presses into a notch without friction is a hinge: the swing about it is a cosine."""
    stiffness, rho, start = 2.0, 0.04, 0.4
    trajectory = run(ROOM + f"""
[workpiece]
outline = {{vertices = [[0, 0], [0.03, 0.1], [-0.03, 0.1]]}}
center_of_mass = [0, 0.07]
mass = 0.5
rho = {rho}
pose = [0, 0, {start}]
[[obstacle]]
name = "notch"
outline = {{vertices = [[-0.2, 0.2], [-0.2, -0.1], [0.2, -0.1], [0.2, 0.2], [0, 0]]}}
[friction]
default = 0
[gripper]
stiffness = [0, 0, {stiffness}]
pose = [0, 0, 0]
[[load]]
at = [0, 0]
force = [0, -60]
[run]
duration = 1
output_interval = 0.001
""")
    w = math.sqrt(stiffness / (0.5 * (rho**2 + 0.07**2)))
    assert np.abs(trajectory.pose[:, 2] - start * np.cos(w * trajectory.time)).max() < 1e-10
    energy = trajectory.steps["kinetic"] + trajectory.steps["spring_energy"]
    assert np.abs(energy / (0.5 * stiffness * start**2) - 1.0).max() < 1e-10


def test_a_damped_drop_meets_the_floor_when_its_height_says():
    drag, mass, height = 2.5, 1.0, 0.4
    trajectory = run(BLOCK + f"pose = [0, {height + 0.03}, 0]\n" + FLOOR + f"""
[friction]
default = 0
[drag]
linear = {drag}
[run]
duration = 1
output_interval = 0.01
""")
    speed = mass * G / drag

    def fall(t):
        return height - speed * (t - mass / drag * (1.0 - np.exp(-drag * t / mass)))

    struck = brentq(fall, 0.1, 1.0, xtol=1e-15)
    assert get_times(trajectory, "impact") == [pytest.approx(struck, rel=1e-12)]
    falling = trajectory.time < struck
    assert np.abs(trajectory.pose[falling, 1] - 0.03 - fall(trajectory.time[falling])).max() < 1e-13
    taken = mass * G * height - 0.5 * mass * (speed * (1.0 - math.exp(-drag * struck / mass))) ** 2
    assert trajectory.account.load_work[0] == pytest.approx((-taken, 0.0, taken), rel=1e-10)


@pytest.mark.parametrize("moved", [False, True])
def test_a_spring_pulls_a_block_off_a_floor(moved):
    """It lifts off when the tension is its weight, and then swings about where the spring carries it."""
    stiffness, rate = 250.0, 0.03
    anchor = f"""
[[obstacle]]
name = "hoist"
outline = {{box = [0.02, 0.02]}}
pose = [0, 0.6, 0]
motion = {{velocity = [0, {rate}]}}
""" if moved else ""
    puller = """
[[spring]]
obstacle = "hoist"
anchor = [0, 0]
stiffness = 250
rest_length = 0.57
""" if moved else f"""
[gripper]
stiffness = [0, {stiffness}, 0]
motion = {{velocity = [0, {rate}]}}
"""
    trajectory = run(BLOCK + "pose = [0, 0.03, 0]\n" + FLOOR + anchor + puller + """
[friction]
default = 0.4
[run]
duration = 3
output_interval = 0.01
""")
    off = G / (stiffness * rate)
    assert get_times(trajectory, "separation") == [pytest.approx(off, rel=1e-12)]
    w, after = math.sqrt(stiffness), trajectory.time > off
    t = trajectory.time[after] - off
    assert np.abs(trajectory.pose[after, 1] - 0.03 - rate * (t - np.sin(w * t) / w)).max() < 1e-12


def test_a_cord_is_slack_while_its_ends_are_near():
    """Half a swing of a spring, then a flight past the anchor at constant speed, and so on: exactly periodic."""
    stiffness, drawn, rest = 400.0, 0.1, 0.25
    trajectory = run(ROOM + BLOCK + f"""pose = [{rest + drawn}, 0, 0]
[[spring]]
anchor = [0, 0]
stiffness = {stiffness}
rest_length = {rest}
pull_only = true
[run]
duration = 2
output_interval = 0.01
""")
    w = math.sqrt(stiffness)
    quarter, flight = 0.5 * math.pi / w, 2.0 * rest / (drawn * w)
    slack = [quarter + k * (2.0 * quarter + flight) for k in range(5)]
    taut = [time + flight for time in slack]
    for kind, times in (("slack", slack), ("taut", taut)):
        assert get_times(trajectory, kind) == pytest.approx([time for time in times if time < 2.0], rel=1e-11)
    energy = trajectory.steps["kinetic"] + trajectory.steps["spring_energy"]
    assert np.abs(energy / (0.5 * stiffness * drawn**2) - 1.0).max() < 1e-12


def test_a_short_pull_of_a_cord_is_not_passed_over():
    """A slack cord stops no step; thrown so that the vertex of its path is out of reach by 1e-6 of the cord, the block
    is out for less than 2 ms of 100."""
    rest, speed, ahead = 0.25, 1.5, 0.05  # m, m/s, s

    def reach(t):
        return math.hypot(speed * t, rest * (1.0 + 1e-6) - 0.5 * G * t * t) - rest

    assert reach(-ahead) < 0.0 < reach(0.0)
    trajectory = run(BLOCK + f"""pose = [{-speed * ahead}, {rest * (1.0 + 1e-6) - 0.5 * G * ahead**2}, 0]
velocity = [{speed}, {G * ahead}, 0]
[[spring]]
anchor = [0, 0]
stiffness = 1
rest_length = {rest}
pull_only = true
[run]
duration = {2.0 * ahead}
output_interval = 1
""")
    taut = brentq(reach, -ahead, 0.0, xtol=1e-15)
    assert get_kinds(trajectory) == ["start", "taut", "slack"]
    assert get_times(trajectory, "taut")[0] - ahead == pytest.approx(taut, abs=1e-7)
    assert get_times(trajectory, "slack")[0] - ahead == pytest.approx(-taut, abs=1e-6)


def test_energy_of_springs_and_weight_stays_through_bounces():
    """A block on two springs and a gripper that does not move, without friction and damping, with e = 1."""
    trajectory = run("""
[workpiece]
outline = {box = [0.1, 0.06]}
mass = 0.8
pose = [0.1, 0.3, 0.4]
velocity = [0.5, -3, 3]
""" + FLOOR + """
[friction]
default = 0
[restitution]
default = 1
[gripper]
stiffness = [[30, 5, 0.2], [5, 20, 0], [0.2, 0, 0.3]]
center = [0.02, 0.01]
pose = [0, 0.2, 0]
[[spring]]
point = [0.05, 0.03]
anchor = [0.5, 0.5]
stiffness = 40
rest_length = 0.3
[[spring]]
point = [-0.05, 0.03]
anchor = [-0.4, 0.5]
stiffness = 25
rest_length = 0.2
pull_only = true
[run]
duration = 3
output_interval = 0.01
""")
    assert trajectory.account.n_impacts >= 2
    steps = trajectory.steps
    energy = steps["kinetic"] + steps["spring_energy"] + 0.8 * G * steps["y"]
    assert np.ptp(energy) < 1e-9 * np.abs(steps["kinetic"]).max()


def test_the_account_names_the_work_of_each_load():
    """Work on the part, energy stored and energy taken, against quadrature of the same free motion."""
    trajectory = run(ROOM + """
[workpiece]
outline = {box = [0.1, 0.04]}
mass = 2.0
pose = [0.1, 0.05, 0]
[gripper]
stiffness = [200, 80, 3]
damping = [3, 2, 0.05]
motion = {velocity = [0.3, 0], angular_velocity = 0.5}
[drag]
linear = 0.7
rotational = 0.01
[[load]]
sinusoid = [{amplitude = [2, 1, 0.1], frequency = 1.5}]
[run]
duration = 2
output_interval = 0.1
""")
    inertia = 2.0 * (0.1**2 + 0.04**2) / 12.0
    mass, k, d, drag = (np.array(row) for row in ([2, 2, inertia], [200.0, 80, 3], [3, 2, 0.05], [0.7, 0.7, 0.01]))
    start, rate, amplitude = trajectory.pose[0], np.array([0.3, 0.0, 0.5]), np.array([2.0, 1.0, 0.1])

    def change(t, state):
        q, v = state[:3], state[3:6]
        stretch, closing = start + rate * t - q, rate - v
        grip, wave = k * stretch + d * closing, amplitude * math.sin(3.0 * math.pi * t)
        works = grip @ v, d @ closing**2, drag @ v**2, wave @ v
        return np.concatenate([v, (grip - drag * v + wave) / mass, works])

    end = solve_ivp(change, (0.0, 2.0), np.r_[start, np.zeros(7)], "DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    gripped, taken, dragged, waved = end[6:]
    stored = 0.5 * k @ (start + rate * 2.0 - end[:3]) ** 2
    found = dict(zip(trajectory.record.loads, trajectory.account.load_work, strict=True))
    expected = {"gripper": (gripped, stored, taken), "drag": (-dragged, 0.0, dragged), "load_0": (waved, 0.0, 0.0)}
    assert set(found) == set(expected)
    for name, works in expected.items():
        assert found[name] == pytest.approx(works, abs=1e-10), name
    account = trajectory.account
    assert account.work_load == pytest.approx(gripped - dragged + waved, abs=1e-10)
    assert account.energy_end - account.energy_start == pytest.approx(account.work_load, abs=1e-10)
