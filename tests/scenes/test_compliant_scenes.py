"""Pegs held by springs: the scenes against Newton's method on the exact geometry, and against known limits."""

import numpy as np
import pytest

from sim import load_scene, simulate
from sim.study.insertion_run import analyse_insertion, find_wedging_friction
from sim.sweep.refine.refine import refine
from sim.sweep.sweep import sweep

START = 0.5e-3  # m that the gripper goes down before d = 0, where the middle of the tip would be in the mouth
HEAVY = {"workpiece.mass": 0.01}  # a tenth of the steps, and a lag that is fourteen times larger

# Quasi-static: d (mm), pose of the centre of compliance (mm, mm, deg), normal forces at mouth and corner (N), gripper
# on part (N, N, N m).
TABLE = (
    (5, (-0.275108, 25.005559, 0.573749), (7.41670, 6.62057), (-0.78090, -2.88165, 0.013745)),
    (8, (-0.162961, 22.024200, 0.359207), (26.95192, 23.89375), (-3.02385, -10.33800, 0.126079)),
    (10, (-0.125293, 20.024262, 0.287184), (27.46554, 23.66046), (-3.77721, -10.36280, 0.163790)),
    (12, (-0.100186, 18.022631, 0.239187), (26.15360, 21.85217), (-4.27936, -9.71029, 0.188921)),
    (15, (-0.075099, 15.019681, 0.191238), (23.52840, 18.73146), (-4.78110, -8.53048, 0.214027)),
    (20, (-0.050039, 10.015429, 0.143350), (19.59774, 14.30559), (-5.28229, -6.82968, 0.239101)),
    (25, (-0.035017, 5.012258, 0.114648), (16.61497, 11.02557), (-5.58272, -5.56135, 0.254130)),
)


def solve_two_points(scene, d):
    """(pose of the centre of compliance, normal forces at mouth and corner, gripper on part), no velocity, no weight.

    Unknown are the pose and the two normal forces; two gaps are 0 and three sums of forces and moments.
    """
    gripper, mu = scene.gripper, scene.obstacles[0].mu
    (x, y, theta), stiffness = gripper.motion.place(0.0), np.array(gripper.stiffness)
    goal = np.array([x, y - d - START, theta])
    tip = np.array([0.006, -0.03 - gripper.center[1]])  # the right corner, from the centre of compliance

    def measure(unknown):
        pose, fn = unknown[:3], unknown[3:]
        c, s = np.cos(pose[2]), np.sin(pose[2])
        mouth = np.array([-0.006025, 0.0]) - pose[:2]
        corner = np.array([c * tip[0] - s * tip[1], s * tip[0] + c * tip[1]])
        gaps = [-0.006 - (c * mouth[0] + s * mouth[1]), 0.006025 - pose[0] - corner[0]]
        forces = [fn[0] * np.array([c - mu * s, s + mu * c]), fn[1] * np.array([-1.0, mu])]
        wrench = stiffness @ (goal - pose)
        moment = sum(arm[0] * force[1] - arm[1] * force[0] for arm, force in zip((mouth, corner), forces, strict=True))
        return np.array([*gaps, *(wrench[:2] + forces[0] + forces[1]), wrench[2] + moment]), wrench

    unknown = np.array([*goal, 0.0, 0.0])
    for _ in range(40):
        residual, _ = measure(unknown)
        steps = np.array([1e-8, 1e-8, 1e-7, 1e-3, 1e-3])
        slope = np.stack([(measure(unknown + step)[0] - measure(unknown - step)[0]) / (2.0 * step.max())
                          for step in np.diag(steps)], axis=1)
        unknown = unknown - np.linalg.solve(slope, residual)
    return unknown[:3], unknown[3:], measure(unknown)[1]


def find_forces(scene, trajectory, d):
    """(normal forces at mouth and corner, gripper on part) at the row where the gripper is d deep."""
    speed = -scene.gripper.motion.evaluate(0.0)[1][1]
    row = int(np.argmin(np.abs(trajectory.time - (d + START) / speed)))
    assert trajectory.time[row] == pytest.approx((d + START) / speed, abs=1e-9)
    mouth, corner = sorted(trajectory.contacts_at(row), key=lambda contact: contact["px"])
    step = trajectory.steps[row]
    return np.array([mouth["fn"], corner["fn"]]), np.array([step[f"gripper_{name}"] for name in ("fx", "fy", "torque")])


@pytest.mark.parametrize("d, pose, normal, wrench", TABLE)
def test_newtons_method_finds_the_table(d, pose, normal, wrench):
    found = solve_two_points(load_scene("compliant_peg"), 1e-3 * d)
    assert found[0] * [1e3, 1e3, 180.0 / np.pi] == pytest.approx(pose, abs=1.1e-6)
    assert found[1] == pytest.approx(normal, abs=1.1e-5)
    assert found[2] == pytest.approx(wrench, abs=1.1e-5)


def test_compliant_peg_goes_in_as_if_without_inertia():
    """Within 1e-3 at 5 mm/s, critically damped; the contacts close where they do without a velocity."""
    scene = load_scene("compliant_peg")
    trajectory = simulate(scene)
    assert trajectory.outcome == "inserted"
    for d, _, normal, wrench in TABLE:
        forces, gripper = find_forces(scene, trajectory, 1e-3 * d)
        assert np.abs(forces - normal).max() <= 1e-3 * max(normal)
        assert np.abs(gripper - wrench).max() <= 1e-3 * np.abs(wrench).max()
    run = analyse_insertion(trajectory)
    assert [span.state for span in run.spans] == ["no contact", "one point", "two points"]
    meets = [5e-3 * trajectory.time[span.first] - START for span in run.spans[1:]]
    assert meets == pytest.approx([2.3625e-3, 4.6625e-3], abs=0.0125e-3)
    assert run.depth[np.argmax(run.push)] == pytest.approx(9e-3, abs=0.3e-3)
    assert run.push.max() == pytest.approx(10.5, abs=0.05)


def test_the_error_is_of_first_order_in_the_speed():
    """The dampers pull with a force that goes with the speed: half the speed, half the error."""
    errors = []
    for speed in (5e-3, 2.5e-3, 1.25e-3):
        way = {"workpiece.velocity": [0, -speed, 0], "gripper.motion.velocity": [0, -speed],
               "run.duration": 10.5e-3 / speed, "run.output_interval": 0.5e-3 / speed}
        scene = load_scene("compliant_peg", overrides={**HEAVY, **way})
        forces, _ = find_forces(scene, simulate(scene), 10e-3)
        errors.append(np.abs(forces - solve_two_points(scene, 10e-3)[1]).max())
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert orders == pytest.approx([1.0, 1.0], abs=0.05)


def test_stiffer_grippers_come_to_the_prescribed_motion():
    """A block dragged over a floor to and fro: how far it stays behind the frame that leads it goes with 1 / K."""
    text = """
    [workpiece]
    outline = {{ box = [0.06, 0.03] }}
    mass = 0.5
    pose = [0, 0.015, 0]
    [[obstacle]]
    outline = {{ box = [1, 0.1] }}
    pose = [0, -0.05, 0]
    [friction]
    default = 0.3
    [gripper]
    stiffness = [{k}, 0, 0]
    damping_ratio = 1
    motion = {{ sinusoid = [{{ amplitude = ["20 mm", 0, 0], frequency = 2, phase = "90 deg" }}] }}
    pose = ["-20 mm", 0.015, 0]
    [run]
    duration = 0.75
    output_interval = 0.001
    """
    from sim.scene.build import parse_scene

    stiffnesses, behind = np.array([1e4, 1e5, 1e6]), []
    for stiffness in stiffnesses:
        scene = parse_scene(text.format(k=stiffness))
        trajectory = simulate(scene)
        assert trajectory.status.completed
        led = scene.gripper.motion.evaluate(trajectory.time)[0][:, 0]
        behind.append(np.abs(trajectory.pose[:, 0] - led).max())
    slope = np.diff(np.log(behind)) / np.diff(np.log(stiffnesses))
    assert slope == pytest.approx([-1.0, -1.0], abs=0.05)


def test_a_remote_centre_turns_the_peg_into_the_hole():
    """At one point the reaction turns the peg towards the axis of the hole, and away from it where it is held above."""
    moments, forces = [], []
    for name, most, depth in (("rcc_peg", 6.554, 9.5e-3), ("compliant_peg", 11.068, 9.4e-3)):
        scene = load_scene(name)
        assert np.hypot(*solve_two_points(scene, depth)[2][:2]) == pytest.approx(most, abs=1e-3)
        run = analyse_insertion(simulate(scene))
        assert run.trajectory.outcome == "inserted"
        one = run.spans[1]
        assert one.state == "one point"
        moments.append(run.moment[one.last])
        forces.append(run.force.max())
        assert forces[-1] == pytest.approx(most, rel=1e-3)
    assert moments[0] > 0.0 > moments[1]  # what turns it back is the springs' answer to the turn
    assert forces[0] < 0.6 * forces[1]


def test_the_chamfer_takes_the_peg_in():
    scene = load_scene("chamfered_peg")
    run = analyse_insertion(simulate(scene))
    assert run.trajectory.outcome == "inserted"
    mu = scene.obstacles[0].mu
    on_chamfer = run.spans[1]
    row = (on_chamfer.first + on_chamfer.last) // 2
    assert run.depth[on_chamfer.first] == pytest.approx(-1.975e-3, abs=0.03e-3)
    assert run.push[row] / run.side[row] == pytest.approx((1.0 + mu) / (1.0 - mu), rel=1e-3)
    assert run.push[-1] / run.side[-1] == pytest.approx(mu, rel=1e-3)
    assert run.side[-1] == pytest.approx(4e3 * 1.975e-3, rel=1e-3)


def test_a_spring_seats_the_pawl_where_the_tray_does():
    pressed, tilted = simulate(load_scene("spring_press")), simulate(load_scene("pawl_fixture"))
    assert pressed.outcome == "seated"
    assert pressed.pose[-1] == pytest.approx(tilted.pose[-1], abs=1e-12)
    push = np.hypot(pressed.steps["load_fx"][-1], pressed.steps["load_fy"][-1])
    assert push == pytest.approx(10.0 * 19.20e-3, rel=1e-3)


def test_boundaries_of_wedging_are_where_two_friction_cones_face(tmp_path):
    """Held aside of its axis, the peg stops where it meets the second point: jammed up to the friction at which the
    line through both points lies in both cones, wedged from there on."""
    overrides = {**HEAVY, "gripper.center": [-12, 30], "run.duration": 2.0}
    scene = load_scene("compliant_peg", overrides=overrides)
    table = sweep(scene, mu=[0.05, 0.3, 0.5], output=tmp_path / "map.h5")
    assert table["outcome"].tolist() == ["timed out", "jammed", "wedged"]
    found = refine(table, "mu", tolerance=1e-4)
    (row,) = [row for row in found.boundaries if found.words[row["before"]] == "jammed"]
    assert found.words[row["after"]] == "wedged"
    stuck = simulate(load_scene("compliant_peg", overrides={**overrides, "friction.default": float(row["mu"])}))
    assert row["mu"] == pytest.approx(find_wedging_friction(stuck.contacts_at(-1)), abs=1e-4)


@pytest.mark.parametrize("overrides, outcome", [
    ({}, "inserted"),
    ({"run.duration": 3.0}, "timed out"),
    ({"workpiece.pose.x": "0.2 mm"}, "refused"),
    ({"gripper.center": [-12, 30]}, "jammed"),
    ({"gripper.center": [-12, 30], "friction.default": 0.5}, "wedged"),
])
def test_runs_and_sweeps_tell_the_same_outcome_and_force(overrides, outcome):
    scene = load_scene("compliant_peg", overrides={**HEAVY, **overrides})
    trajectory, table = simulate(scene), sweep(scene, mu=[scene.obstacles[0].mu])
    assert trajectory.outcome == outcome
    assert table["outcome"].tolist() == [outcome]
    forces = np.hypot(trajectory.steps["gripper_fx"], trajectory.steps["gripper_fy"])
    assert table["largest_gripper_force"][0] == pytest.approx(forces.max(), rel=1e-15)
