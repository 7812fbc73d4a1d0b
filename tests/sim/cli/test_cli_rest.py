"""`stiction rest`: what it prints, the CSV, the picture, exit codes and refusals."""

import csv
import math
import re

import pytest

from sim.cli import main
from sim.scene.build import parse_scene
from sim.study.rest_listing import COLUMNS, list_rest_of_scene

SCENE = """# An L on a track
[workpiece]
outline = {vertices = [[0, 0], [40, 0], [40, 10], [10, 10], [10, 40], [0, 40]], unit = "mm"}
mass = 0.05
pose = [0.0, "1 mm", 0.0]

[[obstacle]]
name = "track"
outline = {vertices = [[-200, -20], [200, -20], [200, 0], [-200, 0]], unit = "mm"}
mu = 0.5
"""


@pytest.fixture
def scene(tmp_path):
    path = tmp_path / "l.toml"
    path.write_text(SCENE)
    return path


def call(capsys, *words):
    with pytest.raises(SystemExit) as end:
        main(["rest", *map(str, words)])
    out, err = capsys.readouterr()
    return end.value.code or 0, out, err


def test_an_l_has_three_poses_with_energies(scene, tmp_path, capsys):
    table, picture = tmp_path / "rest.csv", tmp_path / "rest.png"
    code, out, _ = call(capsys, scene, "--csv", table, "--plot", picture)
    assert code == 0 and "3 rest poses on a floor that is level" in out
    assert re.search(r"2 +vertex 2, vertex 4 +-135 ", out)
    assert picture.read_bytes()[:4] == b"\x89PNG"
    with table.open(newline="") as file:
        header, *rows = csv.reader(file)
    assert tuple(header) == COLUMNS and len(rows) == 3
    by_name = [dict(zip(header, row, strict=True)) for row in rows]
    for row in by_name:
        assert float(row["left_energy"]) == pytest.approx(0.05 * 9.81 * float(row["left_lift"]), rel=1e-12)
    assert sum(float(row["share"]) for row in by_name) == pytest.approx(1.0, abs=1e-12)


def test_a_slope_that_is_too_steep_for_its_friction(scene, capsys):
    code, out, _ = call(capsys, scene, "--slope", "8 deg", "--mu", "0.1")
    assert code == 1 and "slides in every pose: tan(slope) = 0.140541" in out and "-: no rest pose of a level" in out
    code, out, _ = call(capsys, scene, "--slope=-8 deg")
    assert code == 0 and "slides where friction is less than tan(slope) = 0.140541" in out
    code, out, _ = call(capsys, "disc_on_slope", "--slope", "1 deg")
    assert code == 1 and "0 rest poses" in out and "rolls down for ever" in out


def test_alike_poses_are_named_and_merged(scene, capsys):
    box = ["--set", "workpiece.outline={box = [0.04, 0.02]}", "--set", 'workpiece.pose=[0, "20 mm", 0]']
    code, out, _ = call(capsys, scene, *box)
    assert code == 0 and "Alike by the part's symmetry: 0, 2 " in out and "Alike by the part's symmetry: 1, 3 " in out
    code, out, _ = call(capsys, scene, *box, "--merge-symmetric")
    share = 2 * math.atan2(2, 1) / math.pi
    assert code == 0 and "2 rest poses" in out and f"{share:.6g}" in out and "Alike" not in out


def test_a_drawing_is_a_part_of_uniform_density(capsys):
    import scenes

    drawing = scenes.path("bracket_from_dxf").with_name("bracket.dxf")
    code, out, _ = call(capsys, drawing, "--layer", "PART")
    assert code == 0 and "arc 4, arc 8" in out and "energy" not in out


@pytest.mark.parametrize("words, message", [
    (["--slope", "100 deg"], "slope of a floor must lie between -90 and 90 deg"),
    (["--slope", "steep"], "--slope steep: must be"),
    (["--mu", "-1"], "must be zero or positive"),
    (["--layer", "A"], "for drawings"),
    (["--set", "gravity=[0, 0]"], "gravity is 0"),
])
def test_refusals(scene, capsys, words, message):
    code, _, err = call(capsys, scene, *words)
    assert code == 2 and message in err


def test_merging_keeps_poses_that_have_no_number():
    listing = list_rest_of_scene(parse_scene(SCENE), math.radians(8.0))
    assert [pose.number for pose in listing.merge_alike()] == [0, 1, 2, None]
