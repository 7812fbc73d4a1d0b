"""Sweeps as xarray data sets: an axis is a dimension, a column a variable, and each value stands where its cell is."""

import sys

import numpy as np
import pytest

from sim.sweep.axes import SweepError
from tests.sim.show.test_sweep_plot import make_sweep

xarray = pytest.importorskip("xarray")


def test_a_grid_has_a_dimension_for_each_axis():
    sweep = make_sweep(**{"mu": "0:1:11", "workpiece.pose.theta": "-5:5 deg:3"})
    data = sweep.to_xarray()
    assert dict(data.sizes) == {"mu": 11, "workpiece.pose.theta": 3} and data.attrs["status"] == "COMPLETED"
    assert data["mu"].values.tolist() == sweep.plan.axes[0].values.tolist()
    assert data["workpiece.pose.theta"].attrs == {"long_name": "workpiece.pose.theta", "units": "deg"}
    assert data["end_time"].attrs == {"long_name": "time at the end", "units": "s"}
    for cell in range(len(sweep)):
        mu, theta = sweep.plan.get_values(cell)
        here = data.sel({"mu": mu, "workpiece.pose.theta": theta})
        assert str(here["outcome"].item()) == sweep["outcome"][cell] and here["cell"].item() == cell
        assert here["end_time"].item() == cell or cell == 0
    assert set(data["outcome"].values.ravel()) == {"at rest", "timed out"}
    assert set(data.data_vars) == set(sweep.table.dtype.names) - {"mu", "workpiece.pose.theta"}
    assert set(data["status"].values.ravel()) == {sweep["status"][0]}
    assert "<table" in sweep._repr_html_() and "at rest" in sweep._repr_html_()


def test_cells_that_have_not_run_are_missing():
    data = make_sweep(cells=[1, 5], mu="0:1:3", rho="0.01,0.02").to_xarray()
    assert np.isfinite(data["end_time"].values).sum() == 2
    assert sorted(data["outcome"].values.ravel())[:4] == [""] * 4
    assert data["end_time"].values[0, 1] == 1 and data["end_time"].values[2, 1] == 5


def test_words_random_values_and_axes_that_go_together():
    data = make_sweep(**{"mu": "0,1", "run.choice": "continue,stick"}).to_xarray()
    assert data["run.choice"].values.tolist() == ["continue", "stick"]
    sweep = make_sweep(samples=4, **{"mu": "0,1", "workpiece.pose.x": "uniform(0, 1 mm)"})
    data = sweep.to_xarray()
    assert dict(data.sizes) == {"mu": 2, "sample": 4} and data["workpiece.pose.x"].dims == ("sample",)
    for cell in range(len(sweep)):
        mu, x = sweep.plan.get_values(cell)
        sample = int(np.flatnonzero(data["workpiece.pose.x"].values == x)[0])
        assert data["cell"].sel(mu=mu).values[sample] == cell
    alone = make_sweep(samples=3, **{"workpiece.pose.x": "uniform(0, 1 mm)"}).to_xarray()
    assert dict(alone.sizes) == {"sample": 3}


def test_some_combinations_taken_at_random_have_no_grid():
    sweep = make_sweep(samples=5, mu="0:1:11", rho="0.01:0.03:3")
    data = sweep.to_xarray()
    assert dict(data.sizes) == {"cell": 5} and np.array_equal(data["mu"], sweep["mu"])
    assert data["outcome"].values.tolist() == sweep["outcome"].tolist()


def test_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "xarray", None)
    with pytest.raises(SweepError, match="pip install xarray"):
        make_sweep(mu="0,1").to_xarray()
