"""A run gets on where no acceleration is possible, where several are, and where a sliding contact has no stiffness."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from sim.rows.account import LAW_LIMIT
from sim.rows.status import Status
from sim.run.branches import simulate_branches
from sim.scene.build import parse_scene
from tests import scene_builders as builders
from tests.sim.engine.test_getting_on import check_sound, read_case
from tests.sim.engine.test_moving import check_moving
from tests.sim.motion import check_laws, get_kinds, mirror_scene, run, turn_scene

G = 9.81
JAM = "impact without collision"


def test_an_impulse_without_collision_ends_a_slip_that_nothing_else_can():
    text = read_case("repro_no_solution")
    trajectory = run(text)
    check_laws(trajectory)
    check_sound(trajectory)
    kinds = get_kinds(trajectory)
    assert kinds[:2] == ["start", JAM] and trajectory.events["set_kind"][0] == "none"
    event, impulse = trajectory.events[1], trajectory.impulses_at(1)
    assert event["time"] == 0.0 and (np.abs(impulse["ft"]) <= 2.0707 * impulse["fn"] * (1 + 1e-9)).all()
    energies = [0.5 * (event[f"vx_{when}"] ** 2 + event[f"vy_{when}"] ** 2) for when in ("before", "after")]
    assert energies[1] < energies[0] and trajectory.account.work_impact < 0.0
    # the corner in front holds: its point on the floor does not move along the floor
    front = impulse[np.argmax(impulse["fn"])]
    rx, ry = front["px"] - event["x"], front["py"] - event["y"]
    vx, vy = event["vx_after"] - event["omega_after"] * ry, event["vy_after"] + event["omega_after"] * rx
    assert vx * front["ny"] - vy * front["nx"] == pytest.approx(0.0, abs=1e-9)
    stopped = run(text, choice="stop")
    assert stopped.status is Status.NO_SOLUTION and get_kinds(stopped) == ["start"]


def test_where_two_belts_meet_a_motion_is_not_unique():
    """The front corner, 0.3505 m before the fast belt, arrives at 0.3 m/s after 1.168333 s. From then on the fast belt
    can take any share of the weight between none and what lifts the box off the end of the slow one; only if it takes
    less than half does the box stay with the slow belt."""
    text = read_case("g10_stop")
    stopped = run(text)
    assert stopped.status is Status.NOT_UNIQUE
    assert stopped.time[-1] == pytest.approx(0.3505 / 0.3, abs=1e-6)
    assert stopped.pose[-1] == pytest.approx([-0.1495, 0.05, 0.0], abs=1e-6)
    assert stopped.velocity[-1] == pytest.approx([0.3, 0.0, 0.0], abs=1e-9)
    trajectory = run(text, choice="continue")
    check_moving(trajectory)
    check_sound(trajectory)
    assert trajectory.pose[-1] == pytest.approx([0.1, 0.05, 0.0], abs=1e-9)  # it goes on as it did
    assert trajectory.account.time_not_unique == pytest.approx(2.0 - 0.3505 / 0.3, abs=1e-6)
    event = trajectory.events[get_kinds(trajectory).index("uniqueness")]
    assert event["x"] == pytest.approx(-0.5 + 0.3 * event["time"], abs=1e-9) and event["set_kind"] == "continuum"
    few_rows = run(text.replace("output_interval=0.01", ""), choice="continue")
    for told in (trajectory, few_rows):  # it begins between two rows
        (start, end), = told.not_unique
        assert start == event["time"] and end == 2.0
        assert end - start == pytest.approx(told.account.time_not_unique, abs=1e-15)


ROD_MU, ROD_K = 1.6, 1.0 / 3.0


def build_sliding_rod(theta: float = 0.5, omega: float = 3.0, slip: float = -8.0, duration: float = 0.2) -> str:
    """A uniform rod of 1 m, 1 kg, whose lower tip slides along the floor."""
    part = {"name": "rod", "outline": {"vertices": [[0.0, 0.0], [0.5, -0.0005], [1.0, 0.0], [0.5, 0.0005]]},
            "mass": 1.0, "rho": 0.5 * math.sqrt(ROD_K), "pose": [0.0, 0.0, theta],
            "velocity": [slip - 0.5 * omega * math.sin(theta), 0.5 * omega * math.cos(theta), omega]}
    return builders.build_scene(part, [builders.build_floor(half_length=100.0)], friction={"default": ROD_MU},
                                run={"duration": duration})


def slide_rod(theta: float, omega: float, slip: float):
    """(what ends it, time, theta, omega, slip) of a rod in full slip: "point" is where the stiffness of its contact has
    fallen to 1e-7; before that the tip may stop, its load be lost, or the rod fall flat."""
    def stiffness(th):
        return 1.0 - math.cos(th) * (ROD_MU * math.sin(th) - math.cos(th)) / ROD_K

    def load(y):
        return G - 0.5 * y[1] * y[1] * math.sin(y[0])

    def rate(_, y):
        s, c = math.sin(y[0]), math.cos(y[0])
        force = load(y) / stiffness(y[0])
        turn = force * (ROD_MU * s - c) / (0.5 * ROD_K)
        return [y[1], turn, ROD_MU * force + 0.5 * (turn * s + y[1] * y[1] * c)]

    flat = math.atan(0.001)  # of the face that the tip belongs to
    ends = [lambda t, y: stiffness(y[0]) - 1e-7, lambda t, y: -y[2], lambda t, y: load(y), lambda t, y: y[0] - flat]
    for end in ends:
        end.terminal = True
    path = solve_ivp(rate, (0.0, 1.0), [theta, omega, slip], method="DOP853", rtol=1e-12, atol=1e-14, events=ends)
    kind = next(k for k in range(4) if path.t_events[k].size)
    return (("point", "stick", "separation", "impact")[kind], path.t[-1], *path.y[:, -1])


@pytest.mark.parametrize("angle", [0.0, 0.9])
@pytest.mark.parametrize("mirrored", [False, True])
def test_into_the_point_of_genot_and_brogliato(mirrored, angle):
    """The rod slides to where its contact has no stiffness and, at once, the load on it is lost: tan(theta) = 1.0733
    (47.026 degrees), omega^2 sin(theta) = g / l. The force stays finite, and beyond there is none: the slip ends."""
    k, mu = ROD_K, ROD_MU
    theta = math.atan((mu - math.sqrt(mu * mu - 4.0 * k * (1.0 + k))) / (2.0 * k))
    omega = math.sqrt(G / 0.5 / math.sin(theta))
    assert math.degrees(theta) == pytest.approx(47.026, abs=5e-4) and omega == pytest.approx(5.178374, abs=5e-7)
    end, time, *_, slip = slide_rod(0.5, 3.0, -8.0)
    assert end == "point"
    assert time == pytest.approx(0.0955, abs=1e-6)
    text = build_sliding_rod()
    trajectory = run(turn_scene(mirror_scene(text) if mirrored else text, angle))
    check_laws(trajectory)
    check_sound(trajectory)
    number = get_kinds(trajectory).index(JAM)
    event, impulse = trajectory.events[number], trajectory.impulses_at(number)
    side = -1.0 if mirrored else 1.0
    assert event["time"] == pytest.approx(time, abs=1e-7)
    assert side * (event["theta"] - angle) == pytest.approx(theta, abs=1e-6)
    assert side * event["omega_before"] == pytest.approx(omega, abs=2e-5)
    # an impulse on the edge of the cone, which there changes nothing but the slip
    lever = (mu * math.sin(theta) - math.cos(theta)) / k
    push = -slip / (mu + math.sin(theta) * lever)
    assert impulse["fn"] == pytest.approx([push], rel=2e-5)
    assert impulse["ft"] == pytest.approx([side * mu * push], rel=2e-5)
    assert side * event["omega_after"] == pytest.approx(omega + push * lever / 0.5, rel=2e-5)
    row = int(np.searchsorted(trajectory.time, event["time"], side="right")) - 1
    (vx, vy, w), th = trajectory.velocity[row], trajectory.pose[row, 2]
    along = math.pi if mirrored else 0.0  # from tip to tip
    tip = [vx + 0.5 * w * math.sin(th + along), vy - 0.5 * w * math.cos(th + along)]
    c, s = math.cos(angle), math.sin(angle)
    assert c * tip[0] + s * tip[1] == pytest.approx(0.0, abs=1e-9)
    assert c * tip[1] - s * tip[0] == pytest.approx(0.0, abs=1e-5)
    assert trajectory.mode_at(row) == ""  # it spins so fast now that its weight does not hold it down
    tree = simulate_branches(parse_scene(text))
    for branch in tree.branches:
        assert branch.status is not Status.LAWS_BROKEN
        assert branch.rows.account.energy_residual < LAW_LIMIT


@pytest.mark.parametrize("seed", range(16))
def test_a_rod_that_slides_ends_as_its_equations_say(seed):
    """Many of them in the singular point; the others stop or fall flat before."""
    rng = np.random.default_rng(900 + seed)
    print(f"seed {900 + seed}")
    theta, omega, slip = float(rng.uniform(0.3, 0.75)), float(rng.uniform(0.5, 5.0)), float(rng.uniform(-30.0, -3.0))
    trajectory = run(build_sliding_rod(theta, omega, slip, 1.0))
    check_laws(trajectory)
    check_sound(trajectory)
    end, time, th, w, _ = slide_rod(theta, omega, slip)
    event = trajectory.events[1]
    assert event["kind"] == {"point": JAM}.get(end, end), (end, get_kinds(trajectory))
    assert event["time"] == pytest.approx(time, abs=1e-6 if end == "point" else 1e-9)
    assert event["theta"] == pytest.approx(th, abs=1e-5) and event["omega_before"] == pytest.approx(w, rel=1e-4)
