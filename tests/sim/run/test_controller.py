"""A controller that is a function of Python: what it is told, when it is asked, and what becomes of its answers."""

from __future__ import annotations

import numpy as np
import pytest

from dynamics.spaces.projection import build_contact_spaces, decouple_commands
from sim import read_trajectory, simulate, simulate_branches
from sim.log.sink import H5Sink
from sim.rows.status import Status
from sim.scene.build import parse_scene
from sim.scene.scene_errors import SceneError

BOX = """
gravity = [0, -10]
[workpiece]
outline = { box = [0.4, 0.2] }
mass = 2
pose = [0, 0.1, 0]
[[obstacle]]
name = "floor"
outline = { box = [20, 1] }
pose = [0, -0.5, 0]
[friction]
default = 0
[run]
duration = 0.05
"""
RATE = 200.0


def push(measured):
    return 4.0, 0.0, 0.0


def test_a_constant_wrench_is_a_load():
    controlled = simulate(parse_scene(BOX), controller=push, rate=RATE)
    loaded = simulate(parse_scene(BOX + "[[load]]\nforce = [4, 0]\n"))
    np.testing.assert_allclose(controlled.pose[-1], loaded.pose[-1], atol=1e-14)
    np.testing.assert_allclose(controlled.steps["work_load"][-1], loaded.steps["work_load"][-1], atol=1e-14)
    assert controlled.status is Status.COMPLETED


def test_it_is_asked_at_every_sample_and_told_what_there_is():
    told = []

    def controller(measured):
        told.append(measured)
        return push(measured)

    run = simulate(parse_scene(BOX), controller=controller, rate="200 Hz")
    np.testing.assert_allclose([m.time for m in told], np.arange(10) / RATE, atol=1e-15)
    assert told[0].contacts == () and not told[0].wrist.any()
    last = told[-1]
    assert [(c.obstacle, c.type, c.letter) for c in last.contacts] == [("floor", "B", "r")] * 2
    assert sum(c.fn for c in last.contacts) == pytest.approx(20.0)
    assert sorted(c.point[0] - last.pose[0] for c in last.contacts) == pytest.approx([-0.2, 0.2])
    np.testing.assert_allclose([c.normal for c in last.contacts], [[0, 1], [0, 1]])
    np.testing.assert_allclose(last.wrist, [4, 0, 0])
    assert last.velocity[0] == pytest.approx(2.0 * last.time)
    assert list(run.events["kind"]) == ["start", *["sample"] * 10]


def test_the_wrench_is_held_until_the_next_sample():
    run = simulate(parse_scene(BOX), controller=lambda m: (100.0 * m.time, 0, 0), rate=RATE, output_interval=0.001)
    rows = run.steps[np.diff(run.steps["time"], prepend=-1.0) > 0.0]  # at a sample the first row is that before it
    asked = 100.0 * np.floor(np.round(rows["time"] * RATE, 9)) / RATE
    at_samples = np.isin(rows["time"], [*run.events["time"], 0.05])  # the run ends before it samples there
    np.testing.assert_allclose(rows["command_fx"][~at_samples], asked[~at_samples], atol=1e-12)
    np.testing.assert_allclose(rows["wrist_fx"], rows["command_fx"])


def break_down(measured):
    if measured.time > 0.02:
        raise ValueError("enough")
    return push(measured)


@pytest.mark.parametrize(("controller", "words"), [
    (break_down, "at t = 0.025 s: ValueError: enough (test_controller.py, line"),
    (lambda m: None, "at t = 0.0 s it gave None; valid: (fx, fy, torque)"),
    (lambda m: (1, 2), "it gave"),
    (lambda m: (1, 2, float("nan")), "it gave"),
    (lambda m: "abc", "it gave 'abc'"),
])
def test_a_controller_that_fails_ends_the_run_and_keeps_its_rows(controller, words, tmp_path):
    path = tmp_path / "failed.h5"
    scene = parse_scene(BOX)
    with H5Sink(path, scene) as sink:
        simulate(scene, sink=sink, controller=controller, rate=RATE)
    for run in (simulate(scene, controller=controller, rate=RATE), read_trajectory(path)):
        assert run.status is Status.CONTROLLER_FAILED and words in run.message

        assert (np.diff(run.time) >= 0.0).all() and (len(run) == 0 or run.steps["command_fx"][-1] == 4.0)


def test_an_interrupt_in_a_controller_is_one_of_the_run():
    def controller(measured):
        if measured.time > 0.02:
            raise KeyboardInterrupt
        return push(measured)

    run = simulate(parse_scene(BOX), controller=controller, rate=RATE)
    assert run.status is Status.INTERRUPTED and run.time[-1] == pytest.approx(0.02)


def test_what_cannot_be_is_refused():
    scene = parse_scene(BOX)
    with pytest.raises(SceneError, match=r"rate = 100\.0: it is that of a controller"):
        simulate(scene, rate=100.0)
    with pytest.raises(SceneError, match="rate = '5 s'"):
        simulate(scene, controller=push, rate="5 s")
    with pytest.raises(SceneError, match="must be positive"):
        simulate(scene, controller=push, rate=0)
    with pytest.raises(SceneError, match=r"has a table \[control\]"):
        simulate(parse_scene(BOX + "[control]\nrate = 100\n"), controller=push)
    with pytest.raises(SceneError, match="branches are many"):
        simulate_branches(scene, controller=push)


CONTROL = """
[control]
rate = 200
velocity_gain = 30
position_gain = 200
force_gain = 0.25
force = 7
motion = { velocity = [0.2, 0] }
"""


def test_the_law_in_compiled_code_is_that_of_the_projections_in_python():
    """The same law, written once more with `decouple_commands`."""
    told = parse_scene(BOX + CONTROL)
    mass, rho = told.workpiece.mass, told.workpiece.rho
    scale = np.array([1.0, 1.0, rho])

    def controller(m):
        a = 30.0 * (np.array([0.2, 0, 0]) - m.velocity) + 200.0 * (np.array([0.2 * m.time, 0.1, 0]) - m.pose)
        places = [c.point for c in m.contacts] or [np.array([-0.2, 0.0]), np.array([0.2, 0.0])]
        N = np.array([(0.0, 1.0, (place[0] - m.pose[0]) / rho) for place in places]).T
        fn = [7.0 + 0.25 * (7.0 - c.fn) for c in m.contacts] or [7.0, 7.0]
        spaces = build_contact_spaces(N=N)
        force = decouple_commands(spaces, mass * np.eye(3), a * scale, -N @ fn)
        return (force - mass * np.array([0, -10.0, 0])) * scale

    one, two = simulate(told), simulate(parse_scene(BOX), controller=controller, rate=200)
    assert len(one) == len(two)
    np.testing.assert_allclose(one.pose, two.pose, atol=1e-12)
    for name in ("command_fx", "command_fy", "command_torque"):
        np.testing.assert_allclose(one.steps[name], two.steps[name], atol=1e-10)
    np.testing.assert_allclose(one.contacts["fn"][-2:], 7.0, atol=1e-10)
