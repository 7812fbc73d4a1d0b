"""Plans of squeezes for scenes and outlines, and the command that prints and draws them."""

import math
import re

import pytest

import scenes
import stiction
from sim.cli import main

L = [[0, 0], [0.04, 0], [0.04, 0.01], [0.01, 0.01], [0.01, 0.04], [0, 0.04]]
SCENE = f"""[workpiece]
outline = {{vertices = {L}}}
mass = 0.05
"""


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "l.toml"
    path.write_text(SCENE)
    return path


def call(capsys, *words):
    with pytest.raises(SystemExit) as end:
        main(["plan", *map(str, words)])
    out, err = capsys.readouterr()
    return end.value.code or 0, out, err


def test_scenes_files_outlines_and_vertices_are_parts(path):
    plans = [stiction.plan_squeezes(part) for part in (
        path, str(path), stiction.load_scene(path), stiction.Polygon.from_vertices(L), L)]
    assert all(len(plan.squeezes) == 3 for plan in plans)
    assert {round(plan.slack, 12) for plan in plans} == {round(plans[0].slack, 12)}
    assert len(stiction.plan_squeezes("peg_in_hole").squeezes) == 2
    with pytest.raises(stiction.SceneError):
        stiction.plan_squeezes("no_such_scene")
    with pytest.raises(stiction.PolygonError):
        stiction.plan_squeezes([[0, 0], [1, 0]])


def test_the_command_prints_and_draws(path, tmp_path, capsys):
    picture = tmp_path / "l.png"
    code, out, _ = call(capsys, "squeezes", path, "--plot", picture)
    assert code == 0 and "3 squeezes between frictionless parallel jaws" in out
    slack = stiction.plan_squeezes(path).slack
    assert f"may be off by {math.degrees(slack):.6g} deg, {slack:.4g} rad" in out
    assert re.search(r"1 +0 +0 +any +any +3 +0, 90, 135", out)
    assert picture.read_bytes()[:4] == b"\x89PNG"
    code, out, _ = call(capsys, "squeezes", scenes.path("bracket_from_dxf").with_name("bracket.dxf"), "--layer", "PART")
    assert code == 0 and "bracket.dxf: 3 squeezes" in out


@pytest.mark.parametrize("words, message", [
    (["--slack", "20 deg"], "no plan whose turns may all be off by 20 deg; the most is 8.46376 deg"),
    (["--slack", "wide"], "--slack wide: must be"),
    (["--layer", "A"], "for drawings"),
    (["--set", "workpiece.outline={disc = 0.1}"], "squeezes leave its orientation open"),
])
def test_refusals(path, capsys, words, message):
    code, _, err = call(capsys, "squeezes", path, *words)
    assert code == 2 and message in err
