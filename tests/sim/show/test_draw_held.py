"""Pictures of a part that is held: springs, the frame of the gripper, its force."""

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from sim import load_scene, simulate
from sim.log.reading import read_trajectory
from sim.show.replay.draw_held import COILS, build_zigzag, find_scene
from sim.show.replay.painter import FramePainter


def paint(trajectory, row):
    figure = Figure(figsize=(6.0, 4.0))
    FigureCanvasAgg(figure)
    painter = FramePainter(figure.add_subplot(), trajectory)
    painter.paint_row(row)
    return painter


def test_a_zigzag_goes_from_end_to_end():
    path = build_zigzag(np.array([1.0, 2.0]), np.array([4.0, 6.0]), 0.1)
    assert path[0].tolist() == [1.0, 2.0] and path[-1] == pytest.approx([4.0, 6.0])
    aside = (path - path[0]) @ np.array([-0.8, 0.6])
    assert len(path) == 4 + 2 * COILS and np.abs(aside).max() == pytest.approx(0.1)
    assert build_zigzag(path[0], path[0], 0.1).shape == (2, 2)


def test_the_gripper_is_where_its_frame_is_until_it_lets_go(tmp_path):
    overrides = {"workpiece.mass": 0.01, "run.duration": 2.5, "gripper.release.time": 2.0}
    scene = load_scene("compliant_peg", overrides=overrides)
    trajectory = read_trajectory(simulate(scene).save(tmp_path / "peg.h5"))  # as a log holds it
    row = int(np.searchsorted(trajectory.time, 1.5))
    painter = paint(trajectory, row)
    held, factor = painter._held, painter.view.factor
    frame = scene.gripper.motion.place(float(trajectory.time[row]))
    assert np.ravel(held._frame.get_xydata()) == pytest.approx([frame.x * factor, frame.y * factor])
    (arrow,) = held._force.get_paths()
    force = np.array([trajectory.steps[name][row] for name in ("gripper_fx", "gripper_fy")])
    along = arrow.vertices[3] - 0.5 * (arrow.vertices[0] + arrow.vertices[6])
    assert along / np.hypot(*along) == pytest.approx(force / np.hypot(*force), abs=1e-9)
    painter.paint_row(len(trajectory) - 1)
    assert len(held._frame.get_xdata()) == 0 and held._force.get_paths() == []
    assert {"gripper", "its force"} <= {entry.get_label() for entry in painter.legend_entries()}


def test_a_spring_goes_from_its_point_to_its_anchor():
    trajectory = simulate(load_scene("spring_press", overrides={"run.duration": 0.1}))
    painter = paint(trajectory, -1)
    points = painter._held._springs.get_xydata() / painter.view.factor
    assert points[0] == pytest.approx(trajectory.pose[-1, :2])  # at its centre of mass
    assert points[-2] == pytest.approx([-0.05, 0.07])
    assert "spring" in {entry.get_label() for entry in painter.legend_entries()}


def test_a_free_part_has_nothing_to_draw():
    trajectory = simulate(load_scene("bouncing_block", overrides={"run.duration": 0.1}))
    assert find_scene(trajectory) is None and paint(trajectory, -1)._held.moving_artists() == []
