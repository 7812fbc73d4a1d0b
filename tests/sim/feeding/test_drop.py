"""Basins of one start parameter against what is known of them, and the laws that shares obey."""

import csv
import math

import numpy as np
import pytest

from geometry.rest.rest_poses import list_rest_poses
from sim.feeding.basins import find_lines
from sim.feeding.drop import drop
from sim.scene.build import load_scene, parse_scene
from sim.sweep.axes import SweepError
from sim.sweep.refine.refine import refine
from sim.sweep.sweep import sweep
from sim.sweep.sweep_result import read_sweep
from tests.sim.cli.test_cli import call  # noqa: F401

FLOOR = """
[[obstacle]]
name = "floor"
outline = {vertices = [[-5, -1], [5, -1], [5, 0], [-5, 0]]}
"""
L_PART = """
[workpiece]
mass = 0.02
outline = {vertices = [[0, 0], [40, 0], [40, 10], [10, 10], [10, 40], [0, 40]], unit = "mm"}
pose = ["0 mm", "70 mm", "0 deg"]
""" + FLOOR + """
[friction]
default = 0.3
[restitution]
default = 0.2
[run]
duration = 3.0
"""
LAID_DOWN = """
[workpiece]
mass = 1.0
outline = {vertices = %s}
pose = {above = "floor", height = "%s"}
""" + FLOOR + """
[friction]
default = 50.0
[restitution]
default = 0.0
[run]
duration = 5.0
"""
THETA = "workpiece.pose.theta"
# Of an L with legs 40 x 10 mm, in degrees of its start, found by halving to 1e-4 from a grid of a degree. At 45 it
# stands on its corner and stays there, so the two boundaries there are that tolerance apart.
COARSE = (-62.818878173828125, 44.999969482421875, 45.000030517578125, 152.81887817382812)


def test_the_l_lands_in_three_poses():
    """Boundaries and shares of a published case; a 600th of the runs of a grid, and no goal is typed."""
    scene = parse_scene(L_PART)
    coarse = refine(sweep(scene, vary={THETA: "-180:180 deg:361"}), THETA, 1e-4)
    assert coarse.boundaries[THETA] == pytest.approx(COARSE, abs=1e-9)
    found = drop(scene, {THETA: "0:360 deg"})
    line, = found.lines
    shares = {word: share.value for word, share in line.shares.items()}
    assert shares == pytest.approx({"at rest on edge 0": 0.2994969133, "at rest on edge 5": 0.2994969133,
                                    "at rest on vertex 2, vertex 4": 0.4010061721, "at rest": 0.0}, abs=1e-8)
    assert math.fsum(shares.values()) + line.unresolved == pytest.approx(1.0, abs=1e-14)
    ends = sorted((basin.low, basin.high) for basin in line.basins)
    assert ends[0] == pytest.approx((45.0, 152.818889), abs=1e-6) and ends[2][0] - 360.0 == pytest.approx(-62.818889,
                                                                                                           abs=1e-6)
    stretch, = line.stretches
    assert stretch.low < 45.0 < stretch.high and set(stretch.words) > {"at rest"} and stretch.share < 1e-8
    assert found.n_runs < 600 and found.n_grid_runs > 1e9


@pytest.mark.parametrize("n", [3, 4, 7])
@pytest.mark.parametrize("height", ["1e-9 m", "30 mm"])
def test_a_regular_polygon_lands_on_each_side_alike(n, height):
    angles = 2.0 * np.pi * (np.arange(n) + 0.5) / n - 0.5 * np.pi  # lies on its last edge
    corners = 0.03 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    scene = parse_scene(LAID_DOWN % (corners.tolist(), height))
    found = drop(scene, {THETA: "-180:180 deg:25"}, tolerance=1e-5, beside=0)
    shares = [share for word, share in found.lines[0].shares.items() if word != "at rest"]
    assert len(shares) == n and [share.value for share in shares] == pytest.approx([1.0 / n] * n, abs=1e-7)
    if n == 3:
        merged = drop(scene, {THETA: "-180:180 deg:25"}, tolerance=1e-5, beside=0, merge=True).lines[0].shares
        word, = merged.keys() - {"at rest"}
        assert word.endswith("or alike")


def test_laid_down_a_polygon_follows_its_radius_function():
    """A boundary where the centre of mass stands over a corner; it has to fall too little to roll on."""
    corners = np.array([[0.0, 0.0], [0.05, 0.0], [0.06, 0.04], [0.01, 0.05]])
    scene = parse_scene(LAID_DOWN % (corners.tolist(), "1e-9 m"))
    poses = list_rest_poses(scene.workpiece.outline)
    found = drop(scene, {THETA: "0:360 deg:73"}, tolerance=1e-7).lines[0]
    over = sorted((math.degrees(pose.theta + pose.left.angle)) % 360.0 for pose in poses)
    ends = sorted(basin.high % 360.0 for basin in found.basins)
    assert ends == pytest.approx(over, abs=1e-6)
    for pose in poses:
        assert found.shares[f"at rest on {pose.describe()}"].value == pytest.approx(pose.share, abs=1e-8)


def test_of_a_normal_distribution_basins_count_by_their_probability():
    """A square that stands on its side tips from 45 degrees on: the tails of the distribution."""
    scene = parse_scene(LAID_DOWN % ([[0, 0], [0.04, 0], [0.04, 0.04], [0, 0.04]], "1e-9 m"))
    shares = drop(scene, {THETA: "normal(10, 20 deg)"}, tolerance=1e-6).lines[0].shares
    below = [0.5 * math.erfc((10.0 - at) / (20.0 * math.sqrt(2.0))) for at in (-45.0, 45.0, 135.0)]
    for word, value in (("edge 0", below[1] - below[0]), ("edge 3", below[2] - below[1]), ("edge 1", below[0])):
        assert shares[f"at rest on {word}"].value == pytest.approx(value, abs=1e-8)


def test_basins_whose_outcome_hung_on_the_rule_are_told():
    """Painleve's rod, of half length 0.5 m and as much as half as thick as 5 mm: above mu = (rho^2 + x^2) / (x y), with
    the arm (x, y) of its tip, two accelerations are possible, and the rule chose."""
    limit = ((0.25 + 0.005**2) / 6.0 + 0.0625) / (0.25 * 0.5 * math.sin(math.radians(60.0)))
    low, high = drop(load_scene("painleve_rod"), {"mu": "0.5:2.5:5"}, tolerance=1e-9).lines[0].basins
    assert (low.word, high.word) == ("timed out", "timed out, by choice")
    assert low.high == pytest.approx(limit, abs=5e-9) and low.share == pytest.approx((limit - 0.5) / 2.0, abs=5e-9)


def test_many_frictions_give_curves_of_shares(tmp_path):
    scene = parse_scene(L_PART)
    found = drop(scene, {THETA: "0:360 deg:37"}, {"restitution.default": "0:0.2:2"}, tolerance=1e-3,
                 output=tmp_path / "d.h5")
    assert [line.others for line in found.lines] == [{"restitution.default": 0.0}, {"restitution.default": 0.2}]
    again = drop(scene, {THETA: "0:360 deg:37"}, {"restitution.default": "0:0.2:2"}, tolerance=1e-3,
                 output=tmp_path / "d.h5", resume=True)
    assert again.lines == found.lines and again.sweep.n_reused == 74 and again.found.n_runs == found.found.n_runs
    kept = read_sweep(tmp_path / "d.h5")
    assert find_lines(kept, found.found, found.axis.measure, True) == found.lines


@pytest.mark.parametrize("vary, words", [
    ({THETA: "0,1,2 deg"}, "has a range"), ({THETA: "0:360 deg", "workpiece.pose.y": "0:1"}, "2 start parameters"),
    ({"run.seed": "0:5"}, "whole numbers only"), ({THETA: "1:1 deg"}, "two different"),
])
def test_what_is_no_start_parameter_is_refused(vary, words):
    with pytest.raises(SweepError, match=words):
        drop(parse_scene(L_PART), vary)


def test_the_command_prints_and_writes_all(call, tmp_path):  # noqa: F811
    (tmp_path / "l_part.toml").write_text(L_PART)
    code, out, _ = call("drop", tmp_path / "l_part.toml", "--vary", f"{THETA}=0:360 deg:37", "--tolerance", "1e-4",
                        "-o", tmp_path / "d.h5", "--csv", tmp_path / "d.csv", "--plot", tmp_path / "d.png")
    assert code == 0 and "3 basins of workpiece.pose.theta from 0 to 360 deg" in out
    assert "29.94" in out and "alternate" in out and "where an even grid as good takes" in out
    rows = list(csv.DictReader((tmp_path / "d.csv").read_text().splitlines()))
    assert [row["kind"] for row in rows] == ["basin"] * 3 + ["unresolved"]
    assert math.fsum(float(row["share"]) for row in rows) == pytest.approx(1.0, abs=1e-14)
    assert all(-180.0 <= float(row["from"]) <= 180.0 for row in rows) and (tmp_path / "d.png").stat().st_size > 5000
