"""Axes whose keys vary together, and axes of factors: their cells, tables, files, pictures and boundaries."""

import csv
import math

import pytest

from sim.scene.build import parse_scene
from sim.scene.scene_errors import SceneError
from sim.show.plots.draw_sweep import draw_sweep
from sim.show.plots.sweep_view import choose_view
from sim.sweep.axes import SweepError, make_axis, parse_axes, scale_axis
from sim.sweep.cell_replay import find_cell
from sim.sweep.plan import Plan
from sim.sweep.refine.refine import refine
from sim.sweep.sweep import sweep
from tests import scene_builders as builders

MU, ANGLE = "friction.default", "gravity.angle"


def make_plan(*texts, **options):
    return Plan(tuple(axis for text in texts for axis in parse_axes(text)), **options)


def test_keys_that_vary_together_are_one_axis():
    plan = make_plan("a=0:1:3; b=1,1,2 mm; run.choice=stick,stick,continue", "mu=0,1")
    assert plan.shape == (3, 2) and len(plan) == 6
    assert [plan.get_values(cell) for cell in range(6)] == [
        (0.0, 1.0, 0.0, 0.0), (0.0, 1.0, 0.0, 1.0), (0.5, 1.0, 0.0, 0.0), (0.5, 1.0, 0.0, 1.0),
        (1.0, 2.0, 1.0, 0.0), (1.0, 2.0, 1.0, 1.0)]
    assert plan.list_names() == ["a", "mu"]
    assert plan.find_cell([("a", "0.5"), ("mu", "1")]) == 3
    assert plan.find_cell([("b", "1 mm"), ("a", "0.5"), ("mu", "1")]) == 3
    assert plan.find_cell([("run.choice", "continue"), ("mu", "0")]) == 4
    with pytest.raises(SweepError, match=r"b = 1: 2 cells have this; give a, run.choice as well"):
        plan.find_cell([("b", "1"), ("mu", "1")])
    with pytest.raises(SweepError, match="do not go together"):
        plan.find_cell([("a", "0"), ("b", "2"), ("mu", "1")])
    again = Plan.from_description(plan.describe())
    assert again.describe() == plan.describe() and (again.tabulate([0, 5]) == plan.tabulate([0, 5])).all()


def test_different_lengths_and_mixtures_are_refused_by_name():
    with pytest.raises(SweepError, match="a and b vary together, value by value, and a has 3, b 2; give both as many"):
        make_plan("a=0:1:3; b=1,2")
    with pytest.raises(SweepError, match=r"a and b cannot vary together: one is uniform, the other normal"):
        make_plan("a=uniform(0, 1); b=normal(0, 1)", samples=3)
    with pytest.raises(SweepError, match="a varies twice"):
        make_plan("a=1,2; a=1,2")
    with pytest.raises(SweepError, match="need the values of each: 2 texts or lists"):
        sweep(parse_scene(builders.s1()), vary={("mu", "rho"): "0:1:3"})


def test_random_keys_together_have_one_sample_and_that_of_the_first():
    both = make_plan("a=uniform(0, 1); b=uniform(2, 6 mm)", samples=5, seed=3)
    alone = make_plan("a=uniform(0, 1)", samples=5, seed=3)
    values = both.get_table(range(5))
    assert (values[:, 0] == alone.get_table(range(5))[:, 0]).all()
    assert values[:, 1] == pytest.approx(2.0 + 4.0 * values[:, 0], abs=1e-15)
    assert len(set(values[:, 0])) == 5


def test_factors_have_no_unit_and_the_name_of_what_they_scale():
    axis = scale_axis(make_axis("workpiece.outline", "0.5:2:4"))
    assert (axis.name, axis.key, axis.is_factor, axis.shown_unit) == (
        "scale(workpiece.outline)", "workpiece.outline", True, "")
    assert make_axis("scale(mu)", [1, 2]).key == MU
    tied = [scale_axis(axis) for axis in parse_axes("a=1,2; b=3,4")]
    assert [axis.leader for axis in tied] == ["", "scale(a)"] and Plan(tuple(tied)).shape == (2,)
    for text, said in (("1:2 mm:3", "mm is a unit"), ("stick,continue", "stick is no number")):
        with pytest.raises(SweepError, match=f"scale.a.: must be factors.*{said}"):
            scale_axis(make_axis("a", text))


def test_the_cells_of_factors_are_those_of_their_products(tmp_path):
    scene = parse_scene(builders.s1())
    mu, mass = scene.obstacles[0].mu, scene.workpiece.mass
    table = sweep(scene, vary={"run.duration": [0.1]}, output=tmp_path / "s.h5", scale={
        MU: [0.5, 1.5], ("workpiece.mass", "workpiece.outline"): ([1.0, 8.0], [1.0, 2.0])})
    names = ("scale(friction.default)", "scale(workpiece.mass)", "scale(workpiece.outline)")
    assert set(names) <= set(table.table.dtype.names)
    again = sweep(scene, vary={"run.duration": [0.1], MU: [0.5 * mu, 1.5 * mu]},
                  scale={("workpiece.mass", "workpiece.outline"): ("1,8", "1,2")})
    for column in ("x", "y", "vx", "largest_fn"):
        assert (table[column] == again[column]).all()
    built = table.build_scene(3)
    assert built.workpiece.mass == 8.0 * mass and built.obstacles[0].mu == 1.5 * mu
    assert built.workpiece.outline.size == pytest.approx(2.0 * scene.workpiece.outline.size, rel=1e-15)
    with pytest.raises(SceneError, match=r"scene: scale.run.step.: is not given in the scene, so that"):
        sweep(scene, scale={"run.step": "1,2"})


def test_tables_files_and_pictures_of_keys_together(tmp_path):
    scene, path = parse_scene(builders.s1()), tmp_path / "s.h5"
    vary = {(MU, ANGLE): ("0.2:0.6:3", "-90,-80,-70 deg"), "workpiece.rho": [0.1, 0.2]}
    table = sweep(scene, vary=vary, output=path)
    assert table.get_grid("end_time").shape == (3, 2) and len(table) == 6
    assert table[ANGLE].tolist() == [-90.0, -90.0, -80.0, -80.0, -70.0, -70.0]
    with open(table.write_csv(tmp_path / "s.csv"), newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row[MU]) for row in rows] == [0.2, 0.2, 0.4, 0.4, 0.6, 0.6] and float(rows[5][ANGLE]) == -70.0
    again = sweep(scene, vary=vary, output=path, resume=True)
    assert again.n_reused == 6
    with pytest.raises(SweepError, match="the grid has changed"):
        sweep(scene, vary={MU: "0.2:0.6:3", "workpiece.rho": [0.1, 0.2]}, output=path, resume=True)
    assert find_cell(path, [(ANGLE, "-80"), ("workpiece.rho", "0.2")]).describe().startswith(
        f"{MU} = 0.4, {ANGLE} = -80 deg")
    view = choose_view(table)
    assert (view.x.name, view.y.name, len(view.panels)) == (MU, "workpiece.rho", 1)
    assert choose_view(table, x=ANGLE).x.name == ANGLE and draw_sweep(choose_view(table, x=ANGLE, y="x")).axes
    panels = choose_view(table, x="workpiece.rho", color="end_time").panels
    assert len(panels) == 1
    with pytest.raises(SweepError, match="vary together, and are one axis"):
        choose_view(table, x=MU, y=ANGLE)


def test_refining_moves_all_keys_together(tmp_path):
    """Gravity turns against the slope as mu grows, by 1 deg for 0.1 above 0.3: it sticks at tan(30 deg - turn)."""
    text = builders.slope_block(builders.standing_box(1.0, 0.5), 30.0, 0.3, 0.3)
    scene, path = parse_scene(text), tmp_path / "s.h5"
    sweep(scene, vary={("mu", ANGLE): ("0.3:1.1:5", "-90:-98 deg:5")}, output=path)
    found = refine(path, "mu", 1e-6)
    last = found.boundaries[-1]
    turn = (last["mu"] - 0.3) * 10.0
    assert last[ANGLE] == pytest.approx(-90.0 - turn, abs=1e-9)
    assert math.tan(math.radians(30.0 - turn)) == pytest.approx(last["mu"], abs=1e-6)
    finer = refine(path, "mu", 1e-8)
    assert finer.width <= 1e-8 and abs(finer.boundaries[-1]["mu"] - last["mu"]) <= 1e-6
    with pytest.raises(SweepError, match=r"gravity.angle cannot be refined alone, for it varies together with mu"):
        refine(path, ANGLE, 1e-3)
    words = sweep(scene, vary={("mu", "run.choice"): ("0.3,1.1", ["stick", "continue"])})
    with pytest.raises(SweepError, match=r"run.choice varies together with it, and takes words"):
        refine(words, "mu", 1e-3)
    twice = sweep(scene, vary={("mu", ANGLE): ("0.3,1.1,1.1", "-90,-92,-94 deg")})
    with pytest.raises(SweepError, match="has a value twice"):
        refine(twice, "mu", 1e-3)
