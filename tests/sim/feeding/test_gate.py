"""Gates: which rest poses slide down a ramp, held against the angle of friction, and what is refused."""

import csv
import math

import pytest

from sim.feeding.gate import gate
from sim.scene.build import parse_scene
from sim.scene.scene_errors import SceneError
from sim.sweep.axes import SweepError
from tests.sim.cli.test_cli import call  # noqa: F401

RAMP = """
[workpiece]
mass = 0.02
outline = {vertices = [[0, 0], [40, 0], [40, 10], [10, 10], [10, 40], [0, 40]], unit = "mm"}
pose = {rest = 0, on = "ramp", at = "60 mm"}
[[obstacle]]
name = "ramp"
outline = {box = [0.4, 0.02]}
pose = [0, 0, "20 deg"]
[friction]
default = 0.3
[restitution]
default = 0.1
[[goal]]
name = "down"
y = [-1, "-0.2 m"]
at_rest = false
stop = true
[run]
duration = 4.0
"""


def test_poses_stay_on_a_ramp_above_the_angle_of_friction():
    found = gate(parse_scene(RAMP), {"mu": "0.1:0.6:11"}, tolerance=1e-9)
    assert [row.pose.number for row in found.rows] == [0, 1, 2] and found.drop.is_whole
    for row in found.rows:
        last = row.line.basins[-1]
        assert last.word == f"at rest on {row.pose.describe()}"
        assert last.low == pytest.approx(math.tan(math.radians(20.0)), abs=5e-9) and last.high == 0.6
        assert len(row.passes) == 1 and row.passes[0][0] == 0.1 and row.passes[0][1] < last.low
    first, *_, last = found.list_intervals()
    assert first[2] == ("down",) * 3 and found.measure_yield(first[2]) == pytest.approx(1.0, abs=1e-12)
    assert found.measure_yield(last[2]) == 0.0


def test_how_far_a_pose_slides_in_time_follows_from_its_acceleration():
    """It reaches the goal in time if g (sin - mu cos) t^2 / 2 is the way, which the flat poses have on the ramp."""
    text = RAMP.replace('y = [-1, "-0.2 m"]', "x = [-1, 0]").replace("duration = 4.0", "duration = 0.5")
    text = text.replace('at = "60 mm"', 'at = "350 mm"')
    found = gate(parse_scene(text), {"mu": "0.05:0.3:6"}, tolerance=1e-10)
    slope = math.radians(20.0)
    for row in found.rows[:2]:
        start = gate_start(text, row.pose.number)
        way = start / math.cos(slope)
        mu = math.tan(slope) - 2.0 * way / (9.81 * 0.25 * math.cos(slope))
        assert row.passes[0][1] == pytest.approx(mu, abs=1e-9)


def gate_start(text: str, rest: int) -> float:
    """x of the outline's frame at the start, m: so far it has to come for x <= 0."""
    workpiece = parse_scene(text, overrides={"workpiece.pose.rest": rest}).workpiece
    ox, oy = workpiece.origin
    theta = workpiece.pose.theta
    return workpiece.pose.x + math.cos(theta) * ox - math.sin(theta) * oy


@pytest.mark.parametrize("change, words", [
    (("[[goal]]", "[[unused]]"), "unused"),
    (('pose = {rest = 0, on = "ramp", at = "60 mm"}', "pose = [0, 0.1, 0]"), "rest"),
])
def test_a_scene_that_is_no_gate_is_refused(change, words):
    with pytest.raises(SceneError, match=words):
        gate(parse_scene(RAMP.replace(*change)), {"mu": "0.1:0.6"})


def test_without_a_goal_nothing_gets_past():
    text = RAMP[: RAMP.index("[[goal]]")] + RAMP[RAMP.index("[run]"):]
    with pytest.raises(SweepError, match="no goal"):
        gate(parse_scene(text), {"mu": "0.1:0.6"})
    with pytest.raises(SweepError, match="no such goal"):
        gate(parse_scene(RAMP), {"mu": "0.1:0.6"}, "up")


def test_the_command_prints_a_table_and_draws(call, tmp_path):  # noqa: F811
    (tmp_path / "ramp.toml").write_text(RAMP)
    code, out, _ = call("gate", tmp_path / "ramp.toml", "--mu", "0.3:0.4:3", "--tolerance", "1e-4", "-o",
                        tmp_path / "g.h5", "--csv", tmp_path / "g.csv", "--plot", tmp_path / "g.png")
    assert code == 0 and "3 rest poses at the gate" in out and "gets past [%]" in out and "0.3 to 0.363" in out
    rows = list(csv.DictReader((tmp_path / "g.csv").read_text().splitlines()))
    assert {row["gets_past"] for row in rows} == {"True", "False"} and (tmp_path / "g.png").stat().st_size > 5000
    assert call("gate", tmp_path / "ramp.toml")[0] == 2
