"""Obstacles that move in logs, checks and pictures: made by hand where the engine is not asked."""

import dataclasses
import math

import h5py
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from geometry.shapes.polygon import Polygon
from sim import load_scene, read_trajectory, read_tree, set_motion, simulate, simulate_branches, sweep
from sim.cli.reports.report_run import describe_mode, describe_run
from sim.instant.outcome import JAMMED, Judge, Judges, list_outcomes
from sim.log.bodies import build_scene_record
from sim.log.check_log import check_log, compute_obstacle_work
from sim.log.sink import H5Sink
from sim.log.trajectory import Trajectory
from sim.log.tree import Branch, Tree
from sim.rows.account import Account
from sim.rows.branch_table import NO_PARENT
from sim.rows.records import CONTACT_DTYPE, EVENT_DTYPE, STEP_DTYPE
from sim.rows.status import Status
from sim.scene.build import parse_scene
from sim.show.replay.draw_obstacles import build_belt_arrows, clip_segment
from sim.show.replay.frames import compute_state, read_state
from sim.show.replay.picture import Picture
from sim.show.replay.view import compute_view
from tests.sim.synthetic import make_contact

TEXT = """\
[workpiece]
outline = {box = [0.1, 0.1]}
mass = 2
pose = [0, 0.05, 0]

[[obstacle]]
name = "floor"
outline = {box = [1, 0.1]}
pose = [0, -0.05, 0]

[[obstacle]]
name = "plate/1"
outline = {box = [0.2, 0.1]}
pose = [-0.5, 0.1, 0.3]

[obstacle.motion]
velocity = [0.3, 0]
angular_velocity = 1.5
[[obstacle.motion.sinusoid]]
amplitude = [0, 0.01]
frequency = 3

[[obstacle]]
name = "belt"
outline = {box = [1, 0.1]}
pose = [1.5, -0.05, 0]
surface_speed = 0.4

[friction]
default = 0.5
"""
FLOOR, PLATE, BELT = range(3)


@pytest.fixture
def scene():
    return parse_scene(TEXT)


def make_trajectory(scene, status=Status.COMPLETED, works=(1.5, -0.25), n=21, contacts=()):
    """The part stands; the last row has the contacts that are given."""
    steps = np.zeros(n, STEP_DTYPE)
    steps["time"], steps["y"], steps["set_kind"] = np.linspace(0.0, 1.0, n), 0.05, 1
    rows = np.concatenate([np.zeros(0, CONTACT_DTYPE), *contacts])
    steps["n_contacts"][-1] = len(rows)
    if status is Status.JAMMED:
        steps["set_kind"][-1] = 0
    account = Account(n_steps=n, obstacle_work=works)
    return Trajectory(scene, steps, rows, np.zeros(0, EVENT_DTYPE), np.zeros(0, CONTACT_DTYPE), status, account)


def jam(scene):
    contacts = [make_contact(FLOOR, (-0.05, 0.0), (0.0, 1.0), np.inf, np.inf, 0.0, "n"),
                make_contact(PLATE, (-0.05, 0.1), (1.0, 0.0), np.inf, -np.inf, 0.0, "n")]
    return make_trajectory(scene, Status.JAMMED, contacts=contacts)


def test_poses_take_the_logged_outline_to_the_world(scene, tmp_path):
    trajectory = make_trajectory(scene)
    assert list(trajectory.obstacle_poses) == ["plate/1"]
    trajectory.save(tmp_path / "a.h5")
    plate = scene.obstacles[PLATE]
    with h5py.File(tmp_path / "a.h5") as file:
        assert list(file["obstacle_poses"]) == ["plate_1"]
        logged, outline = file["obstacle_poses/plate_1"], file["bodies/plate_1"][...]
        assert logged.attrs["unit"] == b"m, m, rad" and logged.attrs["index"] == PLATE and logged.shape == (21, 3)
        assert file["bodies/belt"].attrs["surface_speed"] == 0.4
        for time, (x, y, theta) in zip(file["steps/time"], logged, strict=True):
            turn = np.array([[math.cos(theta), -math.sin(theta)], [math.sin(theta), math.cos(theta)]])
            np.testing.assert_allclose(outline @ turn.T + (x, y), plate.place(time).vertices, atol=1e-14)
    again = read_trajectory(tmp_path / "a.h5")
    np.testing.assert_array_equal(again.obstacle_poses["plate/1"], trajectory.obstacle_poses["plate/1"])
    again.save(tmp_path / "b.h5")
    np.testing.assert_array_equal(read_trajectory(tmp_path / "b.h5").obstacle_poses["plate/1"],
                                  trajectory.obstacle_poses["plate/1"])


def test_work_of_each_obstacle(scene, tmp_path):
    make_trajectory(scene).save(tmp_path / "a.h5")
    trajectory = read_trajectory(tmp_path / "a.h5")
    assert trajectory.obstacle_work == {"plate/1": 1.5, "belt": -0.25}
    assert ("obstacles", "plate/1 +1.5 J, belt -0.25 J") in describe_run(trajectory)
    with h5py.File(tmp_path / "a.h5") as file:
        assert list(file["obstacle_work"].attrs["columns"]) == [b"plate/1", b"belt"]


def test_a_log_whose_writer_was_killed_has_its_poses(scene, tmp_path, monkeypatch):
    monkeypatch.setattr("sim.files.growing_file.COMMIT_AFTER", 0.0)
    trajectory = make_trajectory(scene)
    sink = H5Sink(tmp_path / "a.h5", scene)
    nothing = [np.zeros(0, dtype) for dtype in (CONTACT_DTYPE, EVENT_DTYPE, CONTACT_DTYPE)]
    for part in (slice(0, 8), slice(8, 15)):
        sink.write(trajectory.steps[part], *nothing)
    found = read_trajectory(tmp_path / "a.h5")
    assert found.status is Status.RUNNING and found.obstacle_work == {}
    np.testing.assert_array_equal(found.obstacle_poses["plate/1"], trajectory.obstacle_poses["plate/1"][:15])
    sink.close(Status.FAILED, Account())


def test_pictures_follow_the_rows_where_the_text_cannot_be_read_or_says_something_else(scene, tmp_path):
    trajectory = make_trajectory(scene)
    for text in ("unknown = 1\n", TEXT.replace("angular_velocity = 1.5", "angular_velocity = 2")):
        record = dataclasses.replace(trajectory.record, text=text)
        other = Trajectory(None, trajectory.steps, trajectory.contacts, trajectory.events, trajectory.impulses,
                           trajectory.status, trajectory.account, record=record)
        other.save(tmp_path / "a.h5")
        found = read_trajectory(tmp_path / "a.h5")
        np.testing.assert_allclose(found.obstacle_poses["plate/1"], trajectory.obstacle_poses["plate/1"], atol=1e-15)
        rows = trajectory.obstacle_poses["plate/1"][2:4]
        between = found.record.obstacles[PLATE].motion.place(0.5 * (found.time[2] + found.time[3]))
        np.testing.assert_allclose(between, rows.mean(axis=0), atol=1e-14)


def test_a_tree_has_poses_and_the_work_of_each_branch(scene, tmp_path):
    def cut(rows, part, works):
        return Trajectory(scene, rows.steps[part], rows.contacts, rows.events, rows.impulses, Status.COMPLETED,
                          Account(obstacle_work=works))  # fmt: skip

    rows = make_trajectory(scene)
    branches = [Branch(0, NO_PARENT, 0, 0.0, "", False, None, cut(rows, slice(0, 10), (1.0, 2.0)), children=[1, 2]),
                Branch(1, 0, 1, 0.5, "a", False, None, cut(rows, slice(10, 21), (3.0, 4.0))),
                Branch(2, 0, 1, 0.5, "b", False, None)]
    Tree(scene, branches).save(tmp_path / "a.h5")
    tree = read_tree(tmp_path / "a.h5")
    assert [b.rows and b.rows.account.obstacle_work for b in tree.branches] == [(1.0, 2.0), (3.0, 4.0), None]
    np.testing.assert_array_equal(tree.trajectory(1).obstacle_poses["plate/1"], rows.obstacle_poses["plate/1"])
    assert tree.trajectory(1).obstacle_work == {"plate/1": 3.0, "belt": 4.0}


def test_fixed_scenes_have_nothing_of_this(tmp_path):
    fixed = parse_scene(TEXT.split('[[obstacle]]\nname = "plate')[0] + "[friction]\ndefault = 0.5\n")
    make_trajectory(fixed, works=()).save(tmp_path / "a.h5")
    with h5py.File(tmp_path / "a.h5") as file:
        assert "obstacle_poses" not in file and "obstacle_work" not in file
    trajectory = read_trajectory(tmp_path / "a.h5")
    assert trajectory.obstacle_poses == {} and trajectory.obstacle_work == {}
    assert not any(name == "obstacles" for name, _ in describe_run(trajectory))


def test_contacts_ride_with_the_body_that_has_the_vertex(scene):
    plate = scene.obstacles[PLATE]
    vertex = plate.place(0.5).vertices[1]
    contacts = [make_contact(PLATE, vertex, (0.0, 1.0), 1.0, 0.0, 0.0, "n", type_=0),
                make_contact(PLATE, (0.0, 0.0), (0.0, 1.0), 1.0, 0.0, 0.0, "n", type_=1)]
    trajectory = make_trajectory(scene, n=3, contacts=contacts)
    steps = trajectory.steps.copy()
    steps["n_contacts"], steps["first_contact"] = [0, 2, 0], 0
    trajectory = Trajectory(scene, steps, trajectory.contacts, trajectory.events, trajectory.impulses,
                            Status.COMPLETED, Account())
    state = compute_state(trajectory, 0.75)
    np.testing.assert_allclose(state.points, [plate.place(0.75).vertices[1], (0.0, 0.0)], atol=1e-14)
    turn = 1.5 * 0.25
    np.testing.assert_allclose(state.normals, [(0.0, 1.0), (-math.sin(turn), math.cos(turn))], atol=1e-14)


def test_work_at_an_impact_is_that_of_the_velocity_of_the_wall(scene):
    impulses = np.concatenate([make_contact(PLATE, (-0.3, 0.2), (0.6, 0.8), 2.0, -0.5, 0.0, "n"),
                               make_contact(BELT, (1.0, 0.0), (0.0, 1.0), 3.0, 0.7, 0.0, "n"),
                               make_contact(FLOOR, (0.0, 0.0), (0.0, 1.0), 3.0, 0.7, 0.0, "n")])
    trajectory = Trajectory(scene, np.zeros(0, STEP_DTYPE), np.zeros(0, CONTACT_DTYPE), np.zeros(0, EVENT_DTYPE),
                            impulses, Status.COMPLETED, Account())
    t, h, plate = 0.4, 1e-6, scene.obstacles[PLATE].motion
    point = plate.place(t).inverse().transform(np.array([-0.3, 0.2]))
    velocity = (plate.place(t + h).transform(point) - plate.place(t - h).transform(point)) / (2 * h)
    force = 2.0 * np.array([0.6, 0.8]) - 0.5 * np.array([0.8, -0.6])
    found = compute_obstacle_work(trajectory, np.arange(3), np.full(3, t))
    np.testing.assert_allclose(found, [force @ velocity, 0.7 * 0.4, 0.0], atol=1e-8)


def test_a_jam_is_drawn_checked_and_named(scene, tmp_path):
    jam(scene).save(tmp_path / "a.h5")
    trajectory = read_trajectory(tmp_path / "a.h5")
    state = read_state(trajectory, -1)
    assert state.unbounded.all() and not state.normal_forces.any() and np.isfinite(state.friction_forces).all()
    figure = Figure(figsize=(6.0, 4.0))
    FigureCanvasAgg(figure)
    picture = Picture(figure, trajectory)
    picture.paint(1.0)
    figure.canvas.draw()
    signs = [text for text in picture.painter._infinite if text.get_visible()]
    assert len(signs) == 2 and len(picture.painter._normal.get_paths()) == 2
    picture.paint(0.5)
    assert not any(text.get_visible() for text in picture.painter._infinite)
    assert "floor, plate/1" in describe_mode(trajectory)
    finite = next(verdict for verdict in check_log(trajectory) if "finite" in verdict.law)
    assert finite.holds
    ended = (np.array([value]) for value in (0, Status.JAMMED, 1.0, (0.0, 0.0, 0.0), False, 2, False))
    assert Judges([Judge(scene)], list_outcomes(scene)).find_outcomes(*ended) == [JAMMED]


def test_pictures_show_obstacles_where_they_are_and_their_whole_travel(scene):
    trajectory = make_trajectory(scene)
    figure = Figure(figsize=(6.0, 4.0))
    FigureCanvasAgg(figure)
    painter = Picture(figure, trajectory).painter
    low, high = compute_view(trajectory, 1.5).limits(trajectory.pose[0])
    for time in (0.0, 0.35, 1.0):
        painter.paint(time)
        (path,) = painter._obstacles._moving.get_paths()
        expected = scene.obstacles[PLATE].place(time).vertices
        np.testing.assert_allclose(path.vertices[:4] / painter.view.factor, expected, atol=1e-12)
        assert (expected > low).all() and (expected < high).all()
    assert {"fixed", "moves", "surface runs"} <= {entry.get_label() for entry in painter.legend_entries()}
    assert painter._obstacles._moving in painter.moving_artists()


def test_belts_have_arrows_along_their_surface():
    low, high = np.array([-2.0, -2.0]), np.array([2.0, 2.0])
    box = np.array([[-5.0, -1.0], [1.0, -1.0], [1.0, 0.0], [-5.0, 0.0]])
    for speed in (0.3, -0.3):
        bottom, right, top = build_belt_arrows(Polygon(box).features, speed, low, high)[:3]
        for arrow, direction in ((bottom, (-1, 0)), (right, (0, -1)), (top, (1, 0))):
            tip = arrow[3] - arrow[[0, 6]].mean(axis=0)
            np.testing.assert_allclose(tip / np.hypot(*tip), np.sign(speed) * np.array(direction), atol=1e-12)
        assert abs(top[:, 0].mean() + 0.5) < 0.1 and (top[:, 1] < 0.0).all()  # in the middle of what is seen, inside
    assert clip_segment(np.array([3.0, 0.0]), np.array([3.0, 1.0]), low, high) is None


def test_the_box_around_all_holds_the_ways_of_obstacles(scene):
    judge = Judge(scene)
    assert judge.high[0] == 2.0 and judge.low[1] == pytest.approx(-0.1)
    away = dataclasses.replace(scene, run=dataclasses.replace(scene.run, duration=20.0))
    assert Judge(away).high[0] > 5.0


def test_a_record_of_a_scene_keeps_what_moves(scene):
    floor, plate, belt = build_scene_record(scene).obstacles
    assert (floor.moves, plate.moves, belt.moves) == (False, True, True) and belt.motion is None
    np.testing.assert_allclose(plate.place(0.8).vertices, scene.obstacles[PLATE].place(0.8).vertices, atol=1e-14)


# ---- with the engine ------------------------------------------------------------------------------------------------

RIDE = """\
[workpiece]
outline = {box = [0.1, 0.1]}
mass = 2
pose = [0, 0.05, 0]

[[obstacle]]
name = "plate"
outline = {box = [1, 0.1]}
pose = [0, -0.05, 0]

[obstacle.motion]
waypoints = [[0.1, 0, -0.05, 0], [0.5, 0.06, -0.05, 0]]

[[obstacle]]
name = "belt"
outline = {box = [1, 0.1]}
pose = [5, 5, 0]
surface_speed = 0.4

[friction]
default = 0.5

[run]
duration = 0.3
output_interval = 0.05
"""


def test_a_ride(tmp_path):
    """A plate carries the part along: what it does is the kinetic energy, and the log is sound."""
    scene = parse_scene(RIDE.replace("pose = [0, -0.05, 0]\n", ""))
    trajectory = simulate(scene)
    assert trajectory.status is Status.COMPLETED
    path = trajectory.obstacle_poses["plate"]
    np.testing.assert_allclose(trajectory.pose[:, 0], path[:, 0], atol=1e-9)
    assert trajectory.obstacle_work["plate"] == pytest.approx(trajectory.account.energy_end, rel=1e-9)
    assert trajectory.obstacle_work["belt"] == 0.0 and trajectory.account.energy_end > 0.04
    trajectory.save(tmp_path / "a.h5")
    again = read_trajectory(tmp_path / "a.h5")
    assert again.obstacle_work == trajectory.obstacle_work and all(v.holds for v in check_log(again))


def test_branches_go_on_where_obstacles_were():
    """Each branch begins with the walls and their work at its split, whatever branch was followed before."""
    scene = load_scene("erdmann_figure_5", overrides={"run.choice": "branch", "run.duration": 0.2})
    name, (x, y, theta) = scene.obstacles[0].name, scene.obstacles[0].pose
    rows = [[0.0, x, y, theta], [0.1, x + 0.01, y, theta], [0.15, x, y, theta]]
    tree = simulate_branches(set_motion(scene, name, rows, interpolation="linear"))
    assert len(tree.leaves) > 1
    for leaf in tree.leaves:
        trajectory = tree.trajectory(leaf)
        assert trajectory.account.obstacle_work and trajectory.account.energy_residual < 1e-6
        assert sum(trajectory.account.obstacle_work) == pytest.approx(trajectory.account.work_obstacles, abs=1e-12)
        assert all(verdict.holds for verdict in check_log(trajectory))


def test_a_sweep_begins_every_run_with_the_walls_at_the_start():
    scene = parse_scene(RIDE.replace("pose = [0, -0.05, 0]\n", ""))
    mu = [0.3, 0.05, 0.1]
    result = sweep(scene, vary={"mu": mu}, workers=1)
    for index, value in enumerate(mu):
        alone = simulate(parse_scene(scene.text, {"friction.default": value}), output_interval=None)
        assert result["x"][index] == alone.pose[-1, 0] and result["energy_residual"][index] < 1e-9
