"""Sampled shares: intervals that hold what they should, distributions, and runs whose shares are known."""

import csv
import math

import numpy as np
import pytest

from geometry.errors import StictionError
from sim.feeding import sampled_drop as samples
from sim.feeding.distributions import make_distribution
from sim.feeding.sampling import count_shares, draw_points, estimate_shares, find_floor
from sim.scene.build import parse_scene
from sim.sweep.refine.asking import Asker
from sim.sweep.refine.bisection import DONE, INTERRUPTED, LIMIT, UNKNOWN
from sim.sweep.refine.sample_file import read_samples
from tests import scene_builders as builders
from tests.sim.cli.test_cli import call  # noqa: F401

BALL = math.pi / 6.0  # of the unit cube, an eighth of a ball
VARY = {"mu": "0:1", "gravity.angle": "-110:-70 deg", "load.0.force.0": "-3:3"}


def make_scene():
    """A block on a floor, by the direction of gravity as good as tilted, that is pushed along it."""
    return parse_scene(builders.slope_block(builders.standing_box(1.0, 0.5), 0.0, 0.3, 0.01,
                                            load=[{"force": [0.0, 0.0]}]))


def find_exact_share():
    """Of VARY, how often friction does not hold the block: mu cos a < |sin a + push / g|."""
    slope = np.radians(np.linspace(-20.0, 20.0, 401))[:, None]
    push = np.linspace(-3.0, 3.0, 401) / 9.81
    limit = np.abs(np.sin(slope) + push) / np.cos(slope)
    return float(np.trapezoid(np.trapezoid(np.minimum(limit, 1.0), axis=1), axis=0)) / 400.0**2


# ---- intervals ---------------------------------------------------------------------------------------------------


def test_intervals_hold_the_share_95_times_of_100():
    """Of 40 seeds at least 34: fewer would come once in five thousand; and they are narrower than of random points."""
    held, widths = 0, []
    for seed in range(40):
        inside = ((draw_points(3, 64, seed) ** 2).sum(axis=-1) < 1.0).astype(np.int64)
        share = estimate_shares(inside, 2)[1]
        held += share.low <= BALL <= share.high
        widths.append(share.width)
    assert held >= 34
    assert np.mean(widths) < 0.75 * 2.0 * 1.96 * math.sqrt(BALL * (1.0 - BALL) / 1024)


def test_an_outcome_that_never_came_is_not_said_to_have_no_share():
    never, always = estimate_shares(np.ones((16, 64), np.int64), 2)
    assert (never.value, never.low, always.value, always.high) == (0.0, 0.0, 1.0, 1.0)
    assert never.high == pytest.approx(3.8415 / (1024 + 3.8415), rel=1e-4) and always.low == 1.0 - never.high
    assert find_floor(1024) == never.high
    assert count_shares(np.array([0, 1, 1, 1]), 2)[0] == pytest.approx((0.25, 0.0456, 0.6994), abs=1e-4)  # by Wilson


def test_more_samples_leave_the_first_ones():
    few, many = draw_points(4, 16, 3), draw_points(4, 64, 3)
    assert np.array_equal(many[:, :16], few) and not np.array_equal(few, draw_points(4, 16, 4))
    assert 0.0 < many.min() and many.max() < 1.0
    assert np.unique(many.reshape(-1, 4), axis=0).shape == (16 * 64, 4)


# ---- distributions -----------------------------------------------------------------------------------------------


def test_quantiles(tmp_path):
    (tmp_path / "a.csv").write_text("x, theta\n1, 30\n\n2, 10\n3, 20\n")
    shares = np.array([0.1, 0.5, 0.9])
    assert make_distribution("mu", "0:2").find_values(shares) == pytest.approx([0.2, 1.0, 1.8])
    assert make_distribution("mu", "uniform(1, 2)").find_values(shares) == pytest.approx([1.1, 1.5, 1.9])
    normal = make_distribution("workpiece.pose.theta", "normal(0, 5 deg)")
    assert normal.unit == "deg" and normal.find_values(shares) == pytest.approx([-6.40776, 0.0, 6.40776], abs=1e-5)
    own = make_distribution("workpiece.pose.theta", f"csv({tmp_path / 'a.csv'}, theta) deg")
    assert (own.unit, own.find_values(shares).tolist()) == ("deg", [10.0, 20.0, 30.0])


@pytest.mark.parametrize("text, words", [
    ("csv(none.csv, x)", "cannot be read"), ("csv(a.csv, y)", "no column 'y'; valid: x, theta"),
    ("csv(a.csv, x)", "line 3: x must be a number"), ("1,2", "has a range"), ("csv(a.csv, theta) parsec", "parsec"),
])
def test_what_is_no_distribution_is_said(tmp_path, monkeypatch, text, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("x,theta\n1,30\nno,10\n")
    with pytest.raises(StictionError, match=words):
        samples.drop_samples(make_scene(), {"workpiece.pose.theta": text})


# ---- runs ----------------------------------------------------------------------------------------------------------


def test_a_block_over_friction_slope_and_push_goes_on_to_the_same_bits(tmp_path, monkeypatch):
    monkeypatch.setattr(samples, "FIRST", 4)
    ask, calls = Asker.ask, []

    def stop(self, points):
        calls.append(len(points))
        codes = ask(self, points)
        return np.where(np.arange(len(codes)) % 3 == 1, UNKNOWN, codes)

    options = {"width": 0.12, "seed": 1, "workers": 2}
    with monkeypatch.context() as patch:
        patch.setattr(Asker, "ask", stop)
        first = samples.drop_samples(make_scene(), VARY, **options, output=tmp_path / "s.h5")
    assert first.ended == INTERRUPTED and first.n_runs == 64 and calls == [64]
    limited = samples.drop_samples(make_scene(), VARY, **options, most_runs=100)
    assert limited.ended == LIMIT and limited.shares == first.shares
    second = samples.drop_samples(make_scene(), VARY, **options, output=tmp_path / "s.h5", resume=True)
    whole = samples.drop_samples(make_scene(), VARY, **options)
    for found in (second, whole):
        assert found.ended == DONE and found.words == whole.words and found.n_runs > 64
        assert np.array_equal(found.points, whole.points) and np.array_equal(found.codes, whole.codes)
    assert np.array_equal(read_samples(tmp_path / "s.h5").codes, whole.codes)
    share = whole.shares["timed out"]
    assert share.low <= find_exact_share() <= share.high and share.width < 0.12
    again = samples.drop_samples(make_scene(), VARY, **options, output=tmp_path / "s.h5", resume=True)
    assert again.sweep.n_reused == 64 and again.shares == whole.shares


def test_the_numbers_of_a_file_are_run_once_each_and_kept(call, tmp_path):  # noqa: F811
    (tmp_path / "block.toml").write_text(make_scene().text)
    (tmp_path / "mu.csv").write_text("mu\n" + "\n".join(["0.2", "0.5", "0.5", "0.1"]))
    words = ["drop", "block.toml", "--set", "gravity.angle=-70 deg", "--vary", "mu=csv(mu.csv, mu)", "-o", "s.h5"]
    code, out, _ = call(*words, "--csv", "s.csv", "--plot", "s.png")
    assert code == 0 and "4 runs, one for each number" in out
    with open(tmp_path / "s.csv", newline="", encoding="utf-8") as file:
        rows = {row["outcome"]: row for row in csv.DictReader(file)}
    assert {word: float(row["share"]) for word, row in rows.items()} == {"timed out": 0.5, "at rest on edge 0": 0.5}
    assert (tmp_path / "s.png").stat().st_size > 5_000
    (tmp_path / "mu.csv").unlink()
    code, out, _ = call(*words, "--resume")
    assert code == 0 and "4 runs" in out
    code, _, err = call(*words, "--over", "mu=0:1:2")
    assert code != 0 and "--over belongs to one or two start parameters" in err
