"""Regions of two start parameters against what is known of them, and what is printed, drawn and kept."""

import csv
import math

import pytest

from sim.feeding.regions import drop_regions
from sim.scene.build import parse_scene
from sim.sweep.axes import SweepError
from sim.sweep.refine.tracing_file import read_tracings
from tests import scene_builders as builders
from tests.sim.cli.test_cli import call  # noqa: F401

SLOPE = "gravity.angle"


def make_scene(duration=0.05):
    """A block on a floor that is as good as tilted, by the direction of gravity; it stands still at once or slides."""
    return parse_scene(builders.slope_block(builders.standing_box(1.0, 0.5), 0.0, 0.3, duration))


def test_shares_of_a_block_that_sticks_under_a_normal_distribution_of_friction(tmp_path, monkeypatch):
    """The slope is uniform, friction normal: the share that slides is the mean of P(mu < tan slope). Interrupted by its
    limit of runs, it goes on."""
    monkeypatch.setattr("sim.feeding.regions.GRID_OF_TWO", 9)
    mean, deviation, full = 0.45, 0.05, math.radians(40.0)
    options = {"resolution": 1 / 4, "tolerance": 1e-2, "output": tmp_path / "d.h5"}
    vary = {SLOPE: "-90:-50 deg:3", "mu": "normal(0.45, 0.05)"}
    first = drop_regions(make_scene(), vary, **options, most_runs=10)
    assert first.hit_limit and not first.is_whole and first.n_sheets == 0 and first.measure_shares() == {}
    n = first.found.n_runs
    found = drop_regions(make_scene(), vary, **options, resume=True)
    assert found.is_whole and found.sweep.n_reused == len(found.sweep) and found.found.n_runs > n
    steps = 2000
    exact = math.fsum(0.5 * math.erfc((mean - math.tan(full * (k + 0.5) / steps)) / (deviation * math.sqrt(2.0)))
                      for k in range(steps)) / steps
    shares = found.measure_shares()
    assert abs(shares["timed out"].value - exact) < max(shares["timed out"].change, 2e-3) < 0.05
    assert abs(shares["timed out"].value - exact) < shares["timed out"].bound
    assert math.fsum(share.value for share in shares.values()) == pytest.approx(1.0, abs=1e-8)  # of twelve deviations
    kept, = read_tracings(tmp_path / "d.h5")
    assert kept.measure_shares(0, (found.axes[0].measure, found.axes[1].measure)) == shares


def test_the_command_prints_writes_and_draws(call, tmp_path):  # noqa: F811
    (tmp_path / "block.toml").write_text(make_scene().text)
    words = ["drop", "block.toml", "--vary", f"{SLOPE}=-90:-50 deg:3", "--vary", "mu=0:1:3", "--resolution",
             0.25, "--tolerance", 0.01, "-o", "d.h5", "--csv", "d.csv", "--plot", "d.png"]
    code, out, _ = call(*words)
    assert code == 0 and "Shares" in out and "at rest on edge 0" in out and "chords of boundaries" in out
    with open(tmp_path / "d.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert math.fsum(float(row["share"]) for row in rows) == pytest.approx(1.0, abs=1e-12)
    assert float(rows[1]["share"]) == pytest.approx(0.382, abs=0.01) and (tmp_path / "d.png").stat().st_size > 10_000


@pytest.mark.parametrize("vary, over, words", [
    ({"mu": "0:1"}, None, "1 start parameters"), ({"mu": "0:1", SLOPE: "0,1"}, None, "has a range"),
    ({"mu": "0:1", SLOPE: "0:1"}, {"mu": "0:1:2"}, "is a start parameter"),
])
def test_what_is_no_plane_is_refused(vary, over, words):
    with pytest.raises(SweepError, match=words):
        drop_regions(make_scene(), vary, over)
