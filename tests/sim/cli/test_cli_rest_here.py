"""`stiction rest --here`: what it prints, the CSV, the picture, refusals; and the poses against runs."""

import csv
import dataclasses
import math
import re

import pytest

from sim.cli import main
from sim.run.simulation import simulate
from sim.scene.build import load_scene, parse_scene
from sim.study.rest_here import COLUMNS, list_rest_here

SCENE = """# A square part in a groove, gravity slanted
gravity = [0.0, -9.81]

[workpiece]
outline = {box = [20, 10], unit = "mm"}
mass = 0.01
pose = [0.0, "40 mm", 0.0]

[[obstacle]]
name = "groove"
outline = {vertices = [[-40, -10], [40, -10], [40, 40], [0, 0], [-40, 40]], unit = "mm"}

[friction]
default = 1e-4

[run]
duration = 0.05
"""


@pytest.fixture
def scene(tmp_path):
    path = tmp_path / "groove.toml"
    path.write_text(SCENE)
    return path


def call(capsys, *words):
    with pytest.raises(SystemExit) as end:
        main(["rest", *map(str, words)])
    out, err = capsys.readouterr()
    return end.value.code or 0, out, err


def test_a_box_in_a_groove_as_table_csv_and_picture(scene, tmp_path, capsys):
    table, picture = tmp_path / "here.csv", tmp_path / "here.png"
    code, out, _ = call(capsys, scene, "--here", "--csv", table, "--plot", picture)
    assert code == 0 and "4 rest poses among its obstacles, without friction" in out
    assert re.search(r"0 +0 +edge 1 on groove edge 3, edge 2 on groove edge 2 +-135 ", out)
    assert "Alike by the part's symmetry: 0, 2 " in out and picture.read_bytes()[:4] == b"\x89PNG"
    with table.open(newline="") as file:
        header, *rows = csv.reader(file)
    assert tuple(header) == COLUMNS and len(rows) == 4
    first = dict(zip(header, rows[0], strict=True))
    assert float(first["left_energy"]) == pytest.approx(0.01 * 9.81 * float(first["left_lift"]), rel=1e-12)
    assert sum(float(row[header.index("share")]) for row in rows) == pytest.approx(1.0, abs=1e-12)


def test_gravity_may_point_anywhere(scene, capsys):
    """Turned with the groove, poses turn and nothing else changes; what holds a part up decides."""
    level = list_rest_here(parse_scene(SCENE))
    turned = SCENE.replace("gravity = [0.0, -9.81]", "gravity = [9.81, 0.0]").replace(
        'name = "groove"', 'name = "groove"\npose = [0, 0, "90 deg"]')
    turned = list_rest_here(parse_scene(turned.replace('pose = [0.0, "40 mm", 0.0]', 'pose = ["-40 mm", 0.0, 0.0]')))
    assert len(turned.poses) == 4
    by_touch = {pose.touches: pose for pose in level.poses}
    for pose in turned.poses:
        same = by_touch[pose.touches]
        assert (pose.pose.x, pose.pose.y) == pytest.approx((-same.pose.y, same.pose.x), abs=1e-12)
        assert math.remainder(pose.pose.theta - same.pose.theta - 0.5 * math.pi, 2 * math.pi) == pytest.approx(
            0.0, abs=1e-12)
        assert pose.height == pytest.approx(same.height, abs=1e-12)
    code, out, _ = call(capsys, scene, "--here", "--set", "gravity=[0.0, 9.81]")
    assert code == 0 and "edge 0 on groove edge 0" in out and "edge 3" not in out.split("How far")[0].replace(
        "edge 3 on groove edge 0", "")
    code, out, _ = call(capsys, "disc_on_slope", "--here")
    assert code == 1 and "0 rest poses" in out and "Nothing holds the part" in out


def test_a_run_with_next_to_no_friction_stays_in_each_pose_of_the_groove():
    scene = load_scene("v_groove")
    poses = [pose for pose in list_rest_here(scene).poses if not any(pose.slide)]
    assert len(poses) == 4 and all(abs(pose.pose.x) < 1e-12 for pose in poses)
    scene = dataclasses.replace(scene, obstacles=tuple(dataclasses.replace(o, mu=1e-6) for o in scene.obstacles))
    for pose in poses:
        start = dataclasses.replace(scene, workpiece=dataclasses.replace(scene.workpiece, pose=pose.pose))
        end = simulate(start, duration=0.02).pose[-1]
        assert end == pytest.approx(list(pose.pose), abs=1e-10)


@pytest.mark.parametrize("words, message", [
    (["--slope", "5 deg"], "--slope is for the floor"),
    (["--mu", "0.1"], "--mu is for the floor"),
    (["--layer", "A"], "for drawings"),
    (["--set", "gravity=[0, 0]"], "gravity is 0"),
])
def test_refusals(scene, capsys, words, message):
    code, _, err = call(capsys, scene, "--here", *words)
    assert code == 2 and message in err


def test_a_drawing_has_no_obstacles(capsys):
    code, _, err = call(capsys, "bracket.dxf", "--here")
    assert code == 2 and "a drawing has none" in err


def test_what_moves_is_told(capsys):
    code, out, _ = call(capsys, "shaken_plate", "--here")
    assert code == 0 and "plate: moves; the poses are those where it stands at t = 0" in out
