"""Sweeps over outlines: fillets, radii of discs, drawings."""

from __future__ import annotations

import pytest

from sim.cli import command_line
from sim.run.simulation import simulate
from sim.scene import build_outline
from sim.scene.build import load_scene
from sim.scene.scene_errors import SceneError
from sim.sweep import setting
from sim.sweep.axes import SweepError
from sim.sweep.refine.refine import refine
from sim.sweep.sweep import sweep

FILLET = "workpiece.outline.fillet"


def sweep_peg(values, duration=0.1, **options):
    return sweep(load_scene("rounded_peg", overrides={"run.duration": duration}), vary={FILLET: values}, **options)


def test_rows_are_those_of_single_runs():
    table = sweep_peg("0:1 mm:3")
    assert table[FILLET].tolist() == [0.0, 0.5, 1.0]
    for cell, fillet in enumerate(("0 mm", "0.5 mm", "1 mm")):
        alone = simulate(load_scene("rounded_peg", overrides={"run.duration": 0.1, FILLET: fillet}))
        assert [table[name][cell] for name in ("x", "y", "theta")] == alone.pose[-1].tolist()
        assert table.build_scene(cell).workpiece == alone.scene.workpiece


@pytest.mark.parametrize("values, bad", [("0:8 mm:3", [2]), ("1,8,2 mm", [1]), ("8,1 mm", [0])])
def test_a_fillet_that_does_not_fit_is_a_row_that_says_what_would(values, bad):
    """Wherever it stands among the values."""
    table = sweep_peg(values, duration=1e-3)
    assert [cell for cell, outcome in enumerate(table["outcome"]) if outcome == "invalid"] == bad
    message = table["message"][bad[0]]
    assert message.startswith("workpiece.outline: the fillet of 0.008 m at vertex 0 (-0.005, 0) m does not fit")
    assert message.endswith("valid: both up to 0.005 m")


def test_what_no_cell_can_be_and_what_is_no_length_is_refused():
    with pytest.raises(SweepError, match=r"no cell of the sweep can be run.*does not fit.*valid: both up to 0\.005 m"):
        sweep_peg("6,8 mm")
    with pytest.raises(SceneError, match="kg is the unit of a mass"):
        sweep_peg("1,2 kg")


def test_random_fillets():
    table = sweep_peg("uniform(0, 6 mm)", duration=1e-3, samples=20, seed=3)
    assert [outcome == "invalid" for outcome in table["outcome"]] == (table[FILLET] > 5.0).tolist()
    assert 0 < (table[FILLET] > 5.0).sum() < 10


def test_rows_of_discs_are_those_of_single_runs():
    table = sweep("disc_on_slope", vary={"workpiece.outline.disc": "100,50,20 mm"})
    for cell, radius in enumerate((100, 50, 20)):  # the smaller ones fall first
        alone = simulate(load_scene("disc_on_slope", overrides={"workpiece.outline.disc": f"{radius} mm"}))
        assert [table[name][cell] for name in ("x", "y")] == alone.pose[-1, :2].tolist()
    assert table["n_impacts"].tolist() == [0, 1, 1]


def test_an_outline_of_a_drawing_gets_its_scale_by_the_unit():
    table = sweep("bracket_from_dxf", vary={"workpiece.outline.unit": "mm,cm", "run.duration": [1e-3]})
    assert table["y"][1] == pytest.approx(10.0 * table["y"][0], rel=1e-12)


def test_refine_finds_where_the_peg_goes_in(tmp_path):
    """A peg whose flat face strikes the plate, up to 0.49 mm, stands on it; a rounder one gets in."""
    file = tmp_path / "peg.h5"
    sweep("rounded_peg", vary={FILLET: "0.4:1 mm:4"}, output=file)
    found = refine(file, FILLET, 1e-3)
    assert found.width <= 1e-3 and found["before"][0].startswith("at rest on") and found["after"][-1] == "seated"
    assert 0.49 < found.boundaries[FILLET][0] <= found.boundaries[FILLET][-1] < 0.7


def test_each_outline_is_made_once_whatever_the_order_of_the_axes(monkeypatch):
    """With friction outside and fillets inside, forty of them."""
    made = []
    make = setting.make_setting
    monkeypatch.setattr(setting, "make_setting", lambda *given: made.append(1) or make(*given))
    build_outline._make.cache_clear()
    table = sweep("rounded_peg", mu="0.1:0.3:3", vary={FILLET: "0:0.4 mm:40", "run.duration": [1e-3]}, workers=1)
    assert len(table) == 120 and len(made) <= 42


def test_what_is_kept_has_room(monkeypatch):
    monkeypatch.setattr(setting, "KEPT", 4 * setting.ROOM_OF_SHAPE)
    table, again = (sweep_peg("0:0.4 mm:12", duration=1e-3, workers=n) for n in (1, 2))
    assert table.table.tobytes() == again.table.tobytes()


def test_the_command_says_why_cells_are_invalid(tmp_path, capsys):
    words = ["sweep", "rounded_peg", "--vary", f"{FILLET}=4:8 mm:3", "--set", "run.duration=1e-3"]
    with pytest.raises(SystemExit) as ended:
        command_line.main([*words, "-o", str(tmp_path / "peg.h5")])
    assert not ended.value.code
    said = " ".join(capsys.readouterr().out.split())
    assert "2 invalid the first: workpiece.outline: the fillet of 0.006 m at vertex 0" in said
    assert "valid: both up to 0.005 m Table" in said
