"""Insertions: how deep a part is, what a run of one says, and the command that tells it."""

import csv

import numpy as np
import pytest

from geometry.shapes.outline import Outline
from geometry.shapes.polygon import Polygon
from geometry.shapes.pose import Pose
from sim import load_scene, simulate
from sim.cli import main
from sim.instant.depth import compute_axes, measure_depth
from sim.instant.outcome import stand_still
from sim.scene.scene import Insertion
from sim.scene.scene_errors import SceneError
from sim.study.insertion_run import COLUMNS, analyse_insertion, find_wedging_friction

PEG = ("compliant_peg", {"workpiece.mass": 0.01})


@pytest.mark.parametrize("outline", [
    Polygon.box(0.02, 0.05),
    Outline.capsule(0.05, 0.01),
    Outline.disc(0.02, (0.003, 0.004)),
    Outline.from_vertices([[-0.01, 0], [0.01, 0], [0.01, 0.03], [-0.01, 0.03]]).with_fillets(0.004),
    Outline.from_vertices([[0, 0], [0.03, 0], [0.03, 0.03], [0, 0.03]], bulge=[0.3, -0.2, 1.0, 0.0]),
])
def test_depth_is_that_of_the_foremost_point(outline, rng):
    """Compared with the points of the placed outline, sampled finely."""
    for _ in range(20):
        direction, pose = rng.uniform(-4.0, 4.0), rng.uniform(-2.0, 2.0, 3)
        mouth = tuple(rng.uniform(-1.0, 1.0, 2))
        insertion = Insertion(mouth, direction, 0.1, None)
        placed = outline.placed(Pose(*pose))
        points = placed.vertices if isinstance(placed, Polygon) else np.concatenate(placed.sample(1e-8))
        along, right = compute_axes(insertion)
        assert measure_depth(insertion, outline, pose)[0] == pytest.approx(((points - mouth) @ along).max(), abs=2e-8)
        assert along @ right == pytest.approx(0.0, abs=1e-15) and np.hypot(*right) == pytest.approx(1.0)


def test_depth_of_a_tip_and_the_sides():
    insertion = Insertion((0.0, 0.0), -0.5 * np.pi, 0.02, (0.0, -0.03))
    along, right = compute_axes(insertion)
    assert along.tolist() == [0.0, -1.0] and right.tolist() == [1.0, 0.0]
    poses = np.array([[0.0, 0.02, 0.0], [0.0, 0.02, 0.5 * np.pi]])
    assert measure_depth(insertion, Polygon.box(0.01, 0.06), poses) == pytest.approx([0.01, -0.02])


def test_what_stands_has_no_velocity_to_rounding():
    velocity = np.array([[0.0, 0.0, 0.0], [0.0, 1e-12, 0.0], [1e-6, 0.0, 0.0], [0.0, 0.0, 1e-6], [0.0, 0.0, 1e-9]])
    assert stand_still(velocity, 0.01, np.full(5, 1e-15)).tolist() == [True, True, False, False, True]


def place_contacts(*rows):
    from sim.rows.records import CONTACT_DTYPE

    contacts = np.zeros(len(rows), CONTACT_DTYPE)
    for contact, (x, y, nx, ny) in zip(contacts, rows, strict=True):
        contact["px"], contact["py"], contact["nx"], contact["ny"] = x, y, nx, ny
    return contacts


def test_friction_from_which_on_two_contacts_wedge():
    facing = place_contacts((-1.0, 0.0, 1.0, 0.0), (1.0, -0.5, -1.0, 0.0))
    assert find_wedging_friction(facing) == pytest.approx(0.25)
    assert find_wedging_friction(facing[:1]) == np.inf
    assert find_wedging_friction(place_contacts((-1.0, 0.0, -1.0, 0.0), (1.0, -0.5, 1.0, 0.0))) == np.inf
    tilted = place_contacts((0.0, 0.0, np.cos(0.1), np.sin(0.1)), (2.0, 0.0, -1.0, 0.0))
    assert find_wedging_friction(tilted) == pytest.approx(np.tan(0.1))


def test_a_scene_without_a_hole_is_refused():
    with pytest.raises(SceneError, match=r"give a table \[insertion\]"):
        analyse_insertion(simulate(load_scene("bouncing_block", overrides={"run.duration": 0.1})))


def test_a_pushed_peg_has_the_load_for_its_force():
    hole = """
[insertion]
mouth = [0, 0]
depth = "10 mm"
"""
    from sim.scene.build import parse_scene

    scene = parse_scene(load_scene("peg_in_hole").text + hole, overrides={"run.duration": 0.05})
    run = analyse_insertion(simulate(scene))
    assert run.source == "load"
    load = [run.trajectory.steps[name][0] for name in ("load_fx", "load_fy")]
    assert run.force[0] == pytest.approx(np.hypot(*load))


def test_the_command_tells_draws_and_writes(tmp_path, capsys):
    table, log = tmp_path / "peg.csv", tmp_path / "peg.h5"
    words = ["--set", "workpiece.mass=0.01", "--set", "run.duration=2.5"]
    with pytest.raises(SystemExit) as end:
        main(["insert", PEG[0], *words, "--csv", str(table), "--save", str(tmp_path / "peg.svg")])
    assert end.value.code == 0
    printed = capsys.readouterr().out
    for claim in ("timed out, 11.98 mm deep", "one point", "two points",
                  "left, on a corner of plate, 0 mm deep; slides", "right, with a corner on plate",
                  "Largest force of the gripper: 11.07", "There is less everywhere"):
        assert claim in printed, claim
    assert (tmp_path / "peg.svg").read_text(encoding="utf-8").startswith("<?xml")
    rows = list(csv.reader(table.read_text(encoding="utf-8").splitlines()))
    assert rows[0] == list(COLUMNS)
    trajectory = simulate(load_scene(*PEG[:1], overrides={**PEG[1], "run.duration": 2.5}))
    run = analyse_insertion(trajectory)
    assert len(rows) == 1 + len(trajectory)
    last = dict(zip(rows[0], rows[-1], strict=True))
    assert float(last["depth [m]"]) == run.depth[-1] and float(last["push [N]"]) == run.push[-1]
    assert last["mode"] == trajectory.mode_at(-1) and last["contacts"].count(";") == 1
    trajectory.save(log)
    with pytest.raises(SystemExit) as end:
        main(["insert", str(log)])
    assert end.value.code == 0
    assert capsys.readouterr().out.splitlines()[:4] == printed.splitlines()[:4]
