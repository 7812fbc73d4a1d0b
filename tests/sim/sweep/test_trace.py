"""Regions of runs over two axes that are known in closed form; what a file keeps of them, with an interruption too."""

import math

import numpy as np
import pytest
from matplotlib.collections import LineCollection

from sim.scene.build import parse_scene
from sim.show.plots.draw_sweep import draw_sweep
from sim.show.plots.sweep_view import choose_view
from sim.sweep.axes import SweepError
from sim.sweep.refine.asking import Asker
from sim.sweep.refine.bisection import DONE, INTERRUPTED, LIMIT, UNKNOWN
from sim.sweep.refine.refine import refine
from sim.sweep.refine.refinement_file import read_refinements
from sim.sweep.refine.trace import trace
from sim.sweep.refine.tracing_file import read_tracings
from sim.sweep.sweep import sweep
from sim.sweep.sweep_result import read_sweep
from tests import scene_builders as builders
from tests.sim.cli.test_cli import call  # noqa: F401

SLOPES = "-90:-50 deg:5"  # of gravity: from straight down to 40 degrees
ARRAYS = ("x", "y", "sheets", "points", "codes")


def make_sweep(shape=(1.0, 0.5), duration=1e-4, output=None, mu="0:1:5", slopes=SLOPES):
    scene = parse_scene(builders.slope_block(builders.standing_box(*shape), 0.0, 0.3, duration))
    return sweep(scene, mu=mu, vary={"gravity.angle": slopes}, output=output)


def get_parts(found):
    return [*(getattr(found, name) for name in ARRAYS), *found.regions, *found.coarse]


def test_a_block_sticks_beyond_the_tangent_of_the_slope():
    found = trace(make_sweep(), ("mu", "gravity.angle"), resolution=1 / 8, tolerance=1e-3, of="modes")
    assert found.ended == DONE and set(found.words) == {"nn", "rr"}
    mu, slope = found.segments.reshape(-1, 2).T
    full = math.radians(40.0)
    assert np.abs(mu - np.tan(np.radians(slope + 90.0))).max() < 1e-3 * max(1.0, full / math.cos(full) ** 2)
    exact, share = -math.log(math.cos(full)) / full, found.measure_shares()["rr"]
    assert abs(share.value - exact) < share.change < 2e-3 and share.bound < 0.13


def test_sticking_sliding_and_both_ways_of_tipping_meet_in_one_point():
    """A block twice as high as wide is on the verge of all where tan = mu = width / height."""
    found = trace(make_sweep((0.2, 0.4), mu="0.45:0.57:2", slopes="-65:-61 deg:2"), ("mu", "gravity.angle"),
                  resolution=1 / 8, tolerance=1e-2, of="modes")
    assert set(found.words) == {"nn", "rr", "n", "r"}
    junction, = found.regions.junctions
    assert junction["n"] == 4
    assert abs(junction["x"] - 0.5) < 0.12 / 8  # a square
    assert abs(junction["y"] - math.degrees(math.atan(0.5)) + 90.0) < 4.0 / 8
    total = math.fsum(share.value for share in found.measure_shares().values())
    assert total == pytest.approx(1.0, abs=1e-13)


def test_an_interrupted_search_goes_on_to_the_same_bits(tmp_path, monkeypatch):
    options = {"resolution": 1 / 4, "tolerance": 1e-2, "of": "modes", "workers": 2}
    axes = "gravity.angle", "mu"
    make_sweep(output=tmp_path / "whole.h5", mu="0:1:3", slopes="-90:-50 deg:3")
    whole = trace(tmp_path / "whole.h5", axes, **options)
    make_sweep(output=tmp_path / "cut.h5", mu="0:1:3", slopes="-90:-50 deg:3")
    refine(tmp_path / "cut.h5", "mu", 1e-2)
    ask, calls = Asker.ask, []

    def stop_in_the_third(self, points):
        calls.append(len(points))
        codes = ask(self, points)
        return np.where(np.arange(len(codes)) % 3 == 1, UNKNOWN, codes) if len(calls) == 3 else codes

    with monkeypatch.context() as patch:
        patch.setattr(Asker, "ask", stop_in_the_third)
        first = trace(tmp_path / "cut.h5", axes, **options)
    assert first.ended == INTERRUPTED and not len(first.segments) and 0 < first.n_runs < whole.n_runs
    calls.clear()
    monkeypatch.setattr(Asker, "ask", lambda self, points: calls.append(len(points)) or ask(self, points))
    second = trace(tmp_path / "cut.h5", axes, **options)
    assert sum(calls) == whole.n_runs - first.n_runs
    kept, = read_tracings(tmp_path / "cut.h5")
    assert len(read_refinements(tmp_path / "cut.h5")) == 1 and len(read_sweep(tmp_path / "cut.h5")) == 9
    for found in (second, kept):
        assert (found.words, found.ended, found.n_runs, found.axes) == (whole.words, DONE, whole.n_runs, axes)
        assert all(np.array_equal(a, b) for a, b in zip(get_parts(found), get_parts(whole), strict=True))
    calls.clear()
    finer = trace(tmp_path / "cut.h5", axes, **{**options, "tolerance": 1e-3, "most_runs": whole.n_runs})
    assert finer.ended == LIMIT and finer.n_runs == whole.n_runs and not calls


@pytest.mark.parametrize("axes, options, message", [
    (("mu", "mu"), {}, "two different"),
    (("mu",), {}, "two axes"),
    ("mu", {}, "two axes"),
    (("mu", "rho"), {}, "does not vary rho"),
    (("mu", "gravity.angle"), {"resolution": 0.0}, "resolution = 0.0"),
    (("mu", "gravity.angle"), {"of": "x"}, "valid: outcome"),
])
def test_what_cannot_be_traced_is_said(axes, options, message):
    with pytest.raises(SweepError, match=message):
        trace(make_sweep(mu="0:1:2", slopes="-90:-50 deg:2"), axes, **options)


def test_a_sweep_with_gaps_is_refused():
    scene = parse_scene(builders.slope_block(builders.standing_box(1.0, 0.5), 0.0, 0.3, 1e-4))
    part = sweep(scene, mu="0:1:3", vary={"gravity.angle": "-90:-50 deg:3"}, samples=5)
    with pytest.raises(SweepError, match="planes have gaps"):
        trace(part, ("mu", "gravity.angle"))


def test_the_commands_trace_and_draw(call, tmp_path):  # noqa: F811
    make_sweep(output=tmp_path / "s.h5", mu="0:1:3", slopes="-90:-50 deg:3")
    axes = ["--axis", "mu", "--axis", "gravity.angle"]
    code, out, _ = call("refine", "s.h5", *axes, "--of", "modes", "--resolution", 0.25, "--tolerance", 0.01)
    assert code == 0 and "modes over mu and gravity.angle" in out and "last halving" in out
    code, _, err = call("refine", "s.h5", *axes, "--beside", 2)
    assert code != 0 and "--beside belongs to one --axis" in err
    code, _, err = call("refine", "s.h5", "--axis", "mu", "--resolution", 0.1)
    assert code != 0 and "--resolution belongs to two axes" in err
    for x, y in (("mu", "gravity.angle"), ("gravity.angle", "mu")):
        assert call("plot", "s.h5", "--x", x, "--y", y, "--color", "modes", "--save", "s.png")[0] == 0
    found, = read_tracings("s.h5")
    view = choose_view(read_sweep("s.h5"), "gravity.angle", "mu", "modes", None, [], [found])
    assert view.tracing is found
    lines, = [one for one in draw_sweep(view).axes[0].collections if isinstance(one, LineCollection)]
    assert np.array_equal(np.array(lines.get_segments()), found.segments[:, :, ::-1])
