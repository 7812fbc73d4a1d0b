"""Sweeps: cells and their keys, known boundaries, the same bits for any number of workers, and resuming."""

import math

import numpy as np
import pytest

from sim.run.simulation import simulate
from sim.scene.build import load_scene, parse_scene
from sim.scene.scene_errors import SceneError
from sim.sweep.axes import SweepError, make_axis
from sim.sweep.plan import Plan
from sim.sweep.sweep import sweep
from sim.sweep.sweep_result import read_sweep
from tests import scene_builders


@pytest.mark.parametrize("text, number, values", [
    ("0.1:0.7:7", 7, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]),
    ("0.1:0.3:11", 11, [0.1, 0.12, 0.14, 0.16, 0.18, 0.2, 0.22, 0.24, 0.26, 0.28, 0.3]),
    ("1:1.3:4", 4, [1.0, 1.1, 1.2, 1.3]),
    ("0.010:0.060:11", 11, [0.01, 0.015, 0.02, 0.025, 0.03, 0.035, 0.04, 0.045, 0.05, 0.055, 0.06]),
])
def test_e03_grids_hold_the_decimals_that_one_would_type(text, number, values):
    axis = make_axis("mu", text)
    assert len(axis) == number and axis.values.tolist() == values


def test_e03_equal_values_are_one_cell():
    assert len(make_axis("mu", "1, 1.0, 1e0")) == 1
    assert len(make_axis("mu", [0.1 * 3, 0.3])) == 1
    plan = Plan((make_axis("mu", "0:1:41"), make_axis("rho", "0.005:0.03:26")))
    assert plan.get_values(plan.find_cell([("mu", "3e-1"), ("rho", "0.0120")])) == (0.3, 0.012)


def test_samples_do_not_depend_on_their_number_or_on_other_axes():
    few = Plan((make_axis("workpiece.pose.x", "uniform(0, 1)"),), 3, 7)
    many = Plan((make_axis("mu", "0,1"), make_axis("workpiece.pose.x", "uniform(0, 1)")), 10, 7)
    assert [few.get_values(i)[0] for i in range(3)] == [many.get_values(10 + i)[1] for i in range(3)]


def test_stick_limit_is_the_tangent_of_the_slope():
    result = sweep(parse_scene(scene_builders.s1()), mu="0.5:0.7:21", workers=1)
    assert ((result.outcome == "at rest on edge 0") == (result["mu"] > math.tan(math.radians(30.0)))).all()
    assert set(result["modes"][result.outcome == "at rest on edge 0"]) == {"nn"}


def test_table_is_the_same_for_any_number_of_workers_and_that_of_single_runs():
    scene = parse_scene(scene_builders.slope_block(scene_builders.standing_box(0.1, 0.3), 25.0, 0.5, 0.3))
    axes = {"mu": "0.1:0.9:9", "rho": [0.05, 0.1, 0.2]}
    one, two = (sweep(scene, **axes, workers=workers) for workers in (1, 2))
    for name in one.table.dtype.names:
        np.testing.assert_array_equal(one[name], two[name], name)
    for cell in (0, 13, 26):
        alone = simulate(one.build_scene(cell))
        assert alone.pose[-1].tolist() == [one[name][cell] for name in ("x", "y", "theta")]
        assert alone.account.energy_residual == one["energy_residual"][cell]


def test_resume_runs_exactly_what_is_missing_and_refuses_another_sweep(tmp_path):
    path, scene = tmp_path / "s.h5", parse_scene(scene_builders.s1())
    whole = sweep(scene, mu="0:1:11", output=path)
    assert whole.status.completed
    again = sweep(scene, mu="0:1:11", output=path, resume=True)
    assert again.table.tobytes() == whole.table.tobytes()
    with pytest.raises(SweepError, match="grid has changed"):
        sweep(scene, mu="0:1:12", output=path, resume=True)
    with pytest.raises(SweepError, match="scene has changed"):
        sweep(parse_scene(scene_builders.s2()), mu="0:1:11", output=path, resume=True)
    assert read_sweep(path).table.tobytes() == whole.table.tobytes()


def test_a_cell_that_cannot_be_is_a_row():
    scene = parse_scene(scene_builders.s2())
    result = sweep(scene, vary={"mu": "normal(0, 1)"}, samples=8, seed=1)
    negative = result["mu"] < 0.0
    assert negative.any() and ((result.outcome == "invalid") == negative).all()
    assert np.isnan(result["x"][negative]).all() and all("friction" in text for text in result["message"][negative])


@pytest.mark.parametrize("name, keys", [
    ("peg_in_hole", {"workpiece.pose.x": "-3:3 mm:7"}),
    ("part_in_tray_corner", {"workpiece.pose.theta": "-2:200 deg:5"}),
    ("rounded_peg", {"workpiece.pose.y": "50:90 mm:5", "workpiece.pose.theta": [0.1, -0.0]}),
])
def test_a_part_that_is_only_moved_has_the_setting_of_its_whole_scene(name, keys):
    """Pose by pose to the last bit, refusals in the same words."""
    from sim.sweep.setting import BadCell, SettingMaker, Study, make_setting

    axes = tuple(make_axis(key, values) for key, values in keys.items())
    study, plan = Study(load_scene(name).text, None, axes), Plan(axes)
    points = plan.get_table(np.arange(len(plan)))

    def try_values(values):
        try:
            return SettingMaker(study, values)
        except SceneError:
            return None

    maker = next(maker for maker in map(try_values, points) if maker)
    assert maker._only_pose
    for group in maker.make(points):
        for place in range(*group.members.indices(len(points))):
            setting = group.settings[group.which[place - group.members.start]]
            try:
                whole = make_setting(study.build_scene(points[place], with_text=False))
            except SceneError as error:
                assert isinstance(setting, BadCell) and setting.message in str(error)
                continue
            assert setting.cell == whole.cell and (setting.pairs == whole.pairs).all()
            assert setting.shape.key == whole.shape.key and (setting.judge.low == whole.judge.low).all()
