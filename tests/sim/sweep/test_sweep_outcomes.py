"""What the rows of a sweep say: every outcome, and rows equal to single runs for every kind of axis."""

import dataclasses
import math

import numpy as np
import pytest

from geometry.prescribed.motion import Coordinate, CurvePiece, Motion
from sim.engine import many_runs
from sim.instant.outcome import Judge, Judges, list_outcomes
from sim.log.reading import read_trajectory
from sim.rows.status import Status
from sim.run.simulation import simulate
from sim.scene.build import load_scene, parse_scene
from sim.scene.scene_errors import SceneError
from sim.sweep.axes import SweepError, make_axis
from sim.sweep.cells import CellRunner
from sim.sweep.plan import Plan
from sim.sweep.setting import Study
from sim.sweep.sweep import sweep
from sim.sweep.table import split_turns
from tests import scene_builders

S1 = scene_builders.s1()
BOX = """
[workpiece]
outline = {box = [0.1, 0.1]}
mass = 1.0
pose = [0.0, 0.05, 0.0]

[[obstacle]]
name = "floor"
outline = {vertices = [[-1, -0.1], [1, -0.1], [1, 0], [-1, 0]]}

[friction]
default = 0.5
"""


def check_equal_to_single_runs(result, cells=None):
    """Every number of a row, to the last bit."""
    for cell in range(len(result)) if cells is None else cells:
        alone = simulate(result.build_scene(cell))
        row = {name: result[name][cell] for name in result.table.dtype.names}
        theta, turns = split_turns(alone.pose[-1, 2])
        assert [row[name] for name in ("x", "y", "theta", "turns")] == [*alone.pose[-1, :2].tolist(), theta, turns]
        assert result.outcome[cell] == alone.outcome
        assert [row[name] for name in ("vx", "vy", "omega")] == alone.velocity[-1].tolist()
        assert row["status"] == alone.status.name and row["end_time"] == alone.time[-1]
        for name in ("time_not_unique", "n_events", "n_impacts", "n_steps", "penetration", "gap_residual",
                     "slip_residual", "balance_residual", "cone_residual", "energy_residual"):
            assert row[name] == getattr(alone.account, name), (cell, name)


def test_goals_and_rest():
    goals = """
[[goal]]
name = "short"
x = [0.4, 0.6]
[[goal]]
name = "turned"
theta = ["-40 deg", "-20 deg"]
at_rest = false
"""
    stop = '\n[[obstacle]]\nname = "stop"\noutline = {box = [0.1, 0.4]}\npose = [0.7, 0.2, 0.0]\n'
    result = sweep(parse_scene(BOX + stop + goals + "[run]\nduration = 2.0\n"),
                   vary={"workpiece.velocity.vx": [0.0, 2.2, 6.0]})
    assert result.outcome.tolist() == ["at rest on edge 0", "short", "short"]  # (6 m/s: against the stop)
    sliding = sweep(parse_scene(S1 + goals), mu=[0.1, 0.9])
    assert sliding.outcome.tolist() == ["turned", "turned"]


PLACES = """
[[goal]]
name = "slow"
x = [0.35, 0.45]
at_rest = false
stop = true
[[goal]]
name = "still"
x = [-0.2, 0.2]
stop = true
[[goal]]
name = "far"
x = [0.6, 3.0]
y = [-9, 9]
at_rest = false
[[goal]]
name = "left"
x = [-1, 0]
"""


def test_when_a_part_was_in_its_goal_and_how_fast_it_went():
    """A box on a floor of mu = 0.5: the table, its single runs and their logs agree, and with the closed form."""
    speeds, pull = [-3.0, 0.0, 1.0, 2.0, 6.0, -6.0], 0.5 * 9.80665
    result = sweep(parse_scene(BOX.replace("[workpiece]", "gravity = [0, -9.80665]\n[workpiece]") + PLACES
                               + "[run]\nduration = 2.0\n"), vary={"workpiece.velocity.vx": speeds})
    assert result.outcome.tolist() == ["left", "still", "still", "slow", "slow", "left the scene"]
    slow = [(v - np.sqrt(v * v - 2.0 * pull * 0.35)) / pull for v in (2.0, 6.0)]
    expected = [3.0 / pull, 0.0, 1.0 / pull, *slow, np.nan]
    np.testing.assert_allclose(result["goal_time"], expected, atol=1e-13)
    stopped = np.isin(result.outcome, ["slow", "still"])
    assert (result["end_time"] == result["goal_time"])[stopped].all() and result["end_time"][0] == 2.0
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(result["mean_velocity"], result["x"] / result["end_time"])
    assert np.isnan(result["mean_velocity"]).tolist() == [False, True] + [False] * 4  # one run ended at once
    check_equal_to_single_runs(result)
    for cell in range(len(result)):
        alone = simulate(result.build_scene(cell))
        np.testing.assert_array_equal(alone.goal_time, result["goal_time"][cell])


def test_coming_in_last_counts_where_a_part_passes_a_goal():
    """A ball that bounces for ever passes a layer up and down; it was there last since the last time that it came in,
    by whichever of its bounds, and is not if it leaves before the end."""
    ball = ("[workpiece]\noutline = {disc = 0.01}\nmass = 1.0\npose = [0.0, 1.01, 0.0]\n[[obstacle]]\n"
            'name = "floor"\noutline = {vertices = [[-1, -0.1], [1, -0.1], [1, 0], [-1, 0]]}\n'
            "[friction]\ndefault = 0.5\n[restitution]\ndefault = 1.0\n"
            '[[goal]]\nname = "layer"\ny = [0.26, 0.76]\nat_rest = false\n'
            "[run]\nduration = 1.0\n")
    fall, times = np.sqrt(2.0 / 9.81), np.linspace(0.05, 2.9, 39)
    result = sweep(parse_scene(ball), vary={"run.duration": times.tolist()})
    passes = np.sqrt(2.0 * np.array([0.25, 0.75]) / 9.81)  # falling, since a top
    for cell, time in enumerate(times.tolist()):
        since_top = (time + fall) % (2.0 * fall) - fall
        there = passes[0] <= abs(since_top) <= passes[1]
        assert (result.outcome[cell] == "layer") == there
        came_in = time - since_top + (passes[0] if since_top > 0.0 else -passes[1])
        expected = came_in if there else np.nan
        np.testing.assert_allclose(result["goal_time"][cell], expected, atol=1e-9, err_msg=f"{time}")


def test_logs_of_runs_that_stop_are_those_of_single_runs(tmp_path):
    result = sweep(parse_scene(BOX + PLACES + "[run]\nduration = 2.0\noutput_interval = 0.02\n"),
                   vary={"workpiece.velocity.vx": [1.0, 2.0, 6.0, -6.0]}, output=tmp_path / "s.h5", log="all")
    for cell in range(4):
        logged, alone = result.read_log(cell), simulate(result.build_scene(cell))
        assert logged.steps.tobytes() == alone.steps.tobytes()
        assert logged.event_rows.tobytes() == alone.event_rows.tobytes()
        assert logged.outcome == alone.outcome == result.outcome[cell]


def test_a_part_that_has_swung_to_rest_in_a_gripper_is_at_rest():
    """It touches nothing, and its last velocity is 1e-18 m/s."""
    text = ("[workpiece]\noutline = {box = [0.1, 0.1]}\nmass = 1.0\npose = [0.0, 0.0, 0.0]\n[gripper]\n"
            "stiffness = [1000, 1000, 10]\ndamping_ratio = 0.7\nmotion = {waypoints = [[0, 0, 0, 0], [1, 0.1, 0, 0]]}\n"
            "[run]\nduration = 1.0\n")
    result = sweep(parse_scene(text), vary={"run.duration": [1.0, 1.1, 3.0]})
    assert result.outcome.tolist() == ["timed out", "timed out", "at rest"]
    assert [simulate(result.build_scene(cell)).outcome for cell in range(3)] == result.outcome.tolist()


def test_outcomes_without_a_goal():
    assert sweep(load_scene("wedge_in_slot"), rho=[0.02]).outcome.tolist() == ["jammed"]
    edge = sweep(parse_scene(BOX + "[run]\nduration = 2.0\n"), vary={"workpiece.velocity.vx": [5.0]})
    assert edge.outcome.tolist() == ["left the scene"]
    assert sweep(parse_scene(S1), mu=[0.3]).outcome.tolist() == ["timed out"]
    rod = load_scene("painleve_rod")
    both = sweep(rod, vary={"run.choice": "stop,continue"})
    assert both.outcome[0] == "not unique" and both["status"][0] == "NOT_UNIQUE" and both.outcome[1] != "not unique"
    pose = sweep(parse_scene(BOX), vary={"workpiece.pose.y": [0.049, 0.05, 0.051]})
    assert pose.outcome.tolist()[:2] == ["overlap", "at rest on edge 0"] and "floor" in pose["message"][0]
    assert sweep(parse_scene(BOX), vary={"workpiece.mass": [1.0, 2.0], "mu": [0.2, -1.0, 0.5]}
                 ).outcome.tolist() == ["at rest on edge 0", "invalid", "at rest on edge 0"] * 2


def test_no_solution_and_jammed_come_from_the_status():
    words, scene = list_outcomes(parse_scene(BOX)), parse_scene(BOX)
    expected = {Status.NO_SOLUTION: "no solution", Status.NO_IMPACT_SOLUTION: "no solution", Status.JAMMED: "jammed",
                Status.STEP_LIMIT: "timed out", Status.STALLED: "failed", Status.LAWS_BROKEN: "failed"}
    n = len(expected)
    codes = Judges([Judge(scene)], words).find_outcomes(
        np.zeros(n, int), np.array(list(expected)), np.ones(n), np.zeros((n, 3)), np.ones(n, bool), np.full(n, 2),
        np.zeros(n, bool))
    assert [words[code] for code in codes] == list(expected.values())


def test_a_rod_that_cannot_go_on_has_no_solution():
    text = """
[workpiece]
outline = {vertices = [[-0.5, 0.0], [0.0, -0.005], [0.5, 0.0], [0.0, 0.005]]}
mass = 1.0
pose = [0.25, 0.4330127018922193, 1.0471975511965976]
velocity = [-1.0, 0.0, 0.0]
[[obstacle]]
name = "floor"
outline = {vertices = [[-9, -1], [9, -1], [9, 0], [-9, 0]]}
[friction]
default = 2.0
[run]
choice = "stop"
"""
    result = sweep(parse_scene(text), mu=[0.2, 2.0])
    assert result["status"][1] == "NO_SOLUTION" and result.outcome[1] == "no solution"
    assert result["end_time"][1] == 0.0


@pytest.mark.parametrize("text, axes", [
    (S1, {"mu": "0:0.9:4", "rho": [0.2, 0.3]}),
    (S1, {"gravity.angle": "-100,-90,-80 deg", "workpiece.mass": [0.5, 3.0], "workpiece.velocity.vx": [0.0, 0.4]}),
    (BOX, {"workpiece.pose.y": "60,80 mm", "workpiece.pose.theta": [0.0, 0.2], "restitution.default": [0.0, 0.5]}),
    (BOX, {"obstacle.floor.pose.theta": "-10,-20 deg", "workpiece.pose.y": [0.4], "mu": [0.1, 0.5]}),
    (BOX, {"obstacle.floor.pose.y": [-0.2, -0.1], "load.0.torque": [0.0, 0.5], "run.tolerance": [1e-9, 1e-11]}),
    (BOX, {"workpiece.outline.box.width": [0.05, 0.1], "run.step": [0.01], "impact.floor": "newton,stronge"}),
])
def test_rows_are_single_runs_for_every_kind_of_axis(text, axes):
    result = sweep(parse_scene(text), vary=axes, workers=2)
    assert (result["status"] == "COMPLETED").all()
    check_equal_to_single_runs(result)


def test_random_samples_of_both_distributions():
    axes = {"mu": "uniform(0.1, 0.5)", "workpiece.velocity.vx": "normal(1, 0.1)", "rho": "0.2,0.3"}
    result = sweep(parse_scene(S1), vary=axes, samples=5, seed=3, workers=2)
    assert len(result) == 10 and (result["mu"][:5] == result["mu"][5:]).all()
    assert ((result["mu"] >= 0.1) & (result["mu"] <= 0.5)).all()
    assert len(set(result["workpiece.velocity.vx"].tolist())) == 5
    check_equal_to_single_runs(result, (0, 7))
    other = sweep(parse_scene(S1), vary=axes, samples=5, seed=4)
    assert not (other["mu"] == result["mu"]).any()
    large = Plan((make_axis("mu", "normal(2, 0.5)"),), 20_000, 1).get_table(range(20_000))
    assert abs(large.mean() - 2.0) < 0.02 and abs(large.std() - 0.5) < 0.02


def test_some_combinations_at_random():
    result = sweep(parse_scene(S1), mu="0:1:11", rho="0.2:0.3:11", samples=7, seed=2)
    pairs = list(zip(result["mu"].tolist(), result["rho"].tolist(), strict=True))
    assert len(set(pairs)) == 7
    cell = result.plan.find_cell([("mu", str(pairs[3][0])), ("rho", str(pairs[3][1]))])
    assert cell == 3 and result.plan.get_values(3) == pairs[3]
    with pytest.raises(SweepError, match="there is no cell 7"):
        result.plan.get_values(7)


def test_obstacles_that_move_begin_anew_in_every_run(monkeypatch):
    """A run moves the walls, so what one leaves must not reach the next."""
    shift = Motion(x=Coordinate((CurvePiece(-math.inf, 0.0, (0.0, 0.0, 1.0)), CurvePiece(0.3, 0.3, (0.09, 0.6)))))
    build = Study.build_scene

    def add_motion(self, values, with_text=True):
        scene = build(self, values, with_text)
        obstacles = tuple(dataclasses.replace(obstacle, motion=shift) for obstacle in scene.obstacles)
        return dataclasses.replace(scene, obstacles=obstacles)

    monkeypatch.setattr(Study, "build_scene", add_motion)
    axis = make_axis("mu", "0.1:0.5:5")
    runner = CellRunner(Study(BOX, None, (axis,)), [0.1])
    assert len(runner.settings.first.obstacles) and len(runner.settings.shape.body.walls.mover)
    rows = runner.run_batch(range(5), axis.values[:, None])
    for value, row in zip(axis.values, rows.table, strict=True):
        alone = simulate(add_motion(Study(BOX, None, (axis,)), [value]))
        theta, turns = split_turns(alone.pose[-1, 2])
        assert [row[name] for name in ("x", "y", "theta", "turns")] == [*alone.pose[-1, :2].tolist(), theta, turns]
        assert row["energy_residual"] == alone.account.energy_residual
    last = CellRunner(Study(BOX, None, (axis,)), [0.1])
    last.run_batch([4], axis.values[4:, None])
    movers = [each._own.desk._body.walls.mover for each in (runner, last)]
    assert movers[0].tobytes() == movers[1].tobytes() and movers[0].work.any()


def test_a_defect_in_one_cell_is_a_row_and_the_others_are_right(monkeypatch):
    real, calls = many_runs.run_cells, []

    def fail_at_third(body, options, cells, pairs, work, results):
        if not calls:
            calls.append(1)
            work.progress[many_runs.END] = 2
            real(body, options, cells, pairs, work, results)
            work.progress[many_runs.END] = len(cells)
            raise ZeroDivisionError("division by zero")
        real(body, options, cells, pairs, work, results)

    axis = make_axis("mu", "0.1:0.5:5")
    runner = CellRunner(Study(S1, None, (axis,)), [0.1])
    sound = runner.run_batch(range(5), axis.values[:, None])
    monkeypatch.setattr(many_runs, "run_cells", fail_at_third)
    rows = runner.run_batch(range(5), axis.values[:, None])
    assert rows.table["status"].tolist() == [1, 1, int(Status.FAILED), 1, 1]
    assert rows.texts[rows.table["message"][2]] == "ZeroDivisionError: division by zero"
    assert math.isnan(rows.table["x"][2])
    for cell in (0, 1, 3, 4):
        assert rows.table["x"][cell] == sound.table["x"][cell]
        assert rows.texts[rows.table["modes"][cell]] == sound.texts[sound.table["modes"][cell]]


def test_floating_point_errors_of_a_thread_are_seen(monkeypatch):
    """Nothing is hidden in worker threads: what raises here is a row with the status FAILED."""
    from sim.sweep import setting

    real = setting.make_setting

    def overflow(scene, *others):
        if scene.workpiece.mass == 2.0:
            np.seterr(all="raise")
            np.float64(1e308) * np.float64(10.0)
        return real(scene, *others)

    monkeypatch.setattr(setting, "make_setting", overflow)
    result = sweep(parse_scene(BOX), vary={"workpiece.mass": [1.0, 2.0, 3.0]}, workers=1)
    assert result.outcome.tolist() == ["at rest on edge 0", "failed", "at rest on edge 0"]
    assert result["message"][1].startswith("FloatingPointError: overflow")


LIFT = """
[workpiece]
outline = {box = [0.1, 0.1]}
mass = 1.0
pose = [0.0, 0.05, 0.0]

[[obstacle]]
name = "plate"
outline = {vertices = [[-1, -0.1], [1, -0.1], [1, 0], [-1, 0]]}

[obstacle.motion]
waypoints = [[0, 0, 0, 0], [0.5, 0, 0.1, 0]]

[friction]
default = 0.5
"""


def test_a_part_that_lies_still_at_the_last_waypoint_is_at_rest():
    result = sweep(parse_scene(LIFT), vary={"run.duration": [0.25, 0.4, 0.5, 0.7]})
    assert result.outcome.tolist() == ["timed out", "timed out", "at rest on edge 0", "at rest on edge 0"]
    assert [simulate(result.build_scene(cell)).outcome for cell in range(4)] == result.outcome.tolist()
    linear = LIFT.replace("waypoints", 'interpolation = "linear"\nwaypoints').replace("0.1, 0]", "-0.1, 0]")
    assert sweep(parse_scene(linear), vary={"run.duration": [0.25, 0.6]}
                 ).outcome.tolist() == ["timed out", "at rest on edge 0"]
    thrown = LIFT.replace("mass", "velocity = [0, 1, 0]\nmass")
    assert simulate(parse_scene(thrown), duration=1 / 9.81).outcome == "timed out"  # at the top of its flight


def test_runs_have_the_outcome_of_sweeps(tmp_path):
    fast = parse_scene(BOX + "[run]\nduration = 2.0\n", overrides={"workpiece.velocity.vx": 5.0})
    trajectory = simulate(fast)
    assert trajectory.outcome == "left the scene"
    assert read_trajectory(trajectory.save(tmp_path / "a.h5")).outcome == "left the scene"
    assert simulate("wedge_in_slot").outcome == "jammed"
    with pytest.raises(SceneError, match="is no scene"):
        simulate(5)
    with pytest.raises(SceneError, match="neither a built-in scene nor a file"):
        sweep("no_such_scene", mu=[0.1])
    assert sweep("block_on_incline", mu=[0.1, 0.9]).count()


def test_whole_turns_have_a_column_of_their_own():
    angles = np.array([0.0, math.pi, -math.pi, math.nextafter(math.pi, 4), 7.0, -7.0, 3 * math.pi, 1e6, -0.5, math.nan])
    theta, turns = split_turns(angles)
    known = np.isfinite(angles)
    assert ((theta[known] > -math.pi) & (theta[known] <= math.pi)).all()
    np.testing.assert_allclose(theta[known] + 2 * math.pi * turns[known], angles[known], rtol=0, atol=1e-9)
    assert (theta[:2] == angles[:2]).all() and turns.tolist()[:6] == [0, 0, -1, 1, 1, -1] and np.isnan(theta[-1])
    spun = sweep(parse_scene(BOX), vary={"workpiece.pose.y": [0.5], "workpiece.velocity.omega": [-60.0, 60.0],
                                         "run.duration": [0.2]})
    assert spun["turns"].tolist() == [-2, 2] and np.allclose(np.abs(spun["theta"]), 4 * math.pi - 12.0)


LYING = """
[workpiece]
outline = {{box = [0.2, 0.1]}}
mass = 1.0
pose = {{above = "floor", height = "1 mm", theta = "{theta} deg"}}
[[obstacle]]
name = "floor"
outline = {{box = [4, 0.1]}}
pose = [0, 0, "{slope} deg"]
{motion}
[friction]
default = 0.9
{goal}
[run]
duration = 2.0
"""
GOAL = '[[goal]]\nname = "flat"\ntheta = ["-1 deg", "1 deg"]\n'
RISES = "motion = {waypoints = [[0, 0, 0, 0], [1, 0.1, 0.2, 0]]}"


@pytest.mark.parametrize("theta, slope, goal, motion, word", [
    (3, 0, "", "", "at rest on edge 0"), (3 + 720, 0, "", "", "at rest on edge 0"),
    (-93, 0, "", "", "at rest on edge 1"), (177, 0, "", "", "at rest on edge 2"),
    (20, 17, "", "", "at rest on edge 0"), (3, 0, GOAL, "", "flat"),
    (93, 0, GOAL, "", "at rest on edge 3"), (93, 0, "", RISES, "at rest on edge 3"),
])
def test_a_part_at_rest_is_named_by_its_rest_pose(theta, slope, goal, motion, word):
    """Up to whole turns, on a slope, on a plate that has moved; a goal that holds comes first."""
    text = LYING.format(theta=theta, slope=slope, goal=goal, motion=motion)
    scene = parse_scene(text if not motion else text.replace('pose = [0, 0, "0 deg"]\n', ""))
    assert sweep(scene, mu=[0.9]).outcome.tolist() == [simulate(scene).outcome] == [word]


def test_a_part_that_two_sides_of_a_groove_hold_lies_on_neither():
    groove = """
[workpiece]
outline = {vertices = [[0, 0], [0.1, 0], [0.1, 0.1], [0, 0.1]]}
mass = 1.0
pose = [0, 0, "45 deg"]
[[obstacle]]
outline = {vertices = [[0, 0], [-1, 1], [-1, -1], [1, -1], [1, 1]]}
[friction]
default = 0.3
"""
    assert sweep(parse_scene(groove), mu=[0.3, 0.5]).outcome.tolist() == ["at rest", "at rest"]
