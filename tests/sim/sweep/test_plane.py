"""Regions of known functions of two values: their lines, where they meet, and their areas."""

import math

import numpy as np
import pytest

from sim.sweep.refine.bisection import DONE, INTERRUPTED, LIMIT, UNKNOWN
from sim.sweep.refine.lattice import Known, Lattice, count_levels, find_mixed, split_squares
from sim.sweep.refine.plane import find_regions
from sim.sweep.refine.tracing import Tracing

GRID = np.linspace(0.0, 1.0, 9)


def search(classify, x=GRID, y=GRID, resolution=1 / 64, tolerance=1e-9, most_runs=100_000, n_sheets=1, words=8):
    """A tracing of codes = classify(sheets, x, y), and the points that were asked for."""
    lattice = Lattice(x, y, n_sheets, count_levels(x, y, resolution))
    sheet, i, j = (part.ravel() for part in np.indices((n_sheets, len(x), len(y))))
    shift = lattice.n_levels
    known = Known(lattice.get_keys(sheet, i << shift, j << shift), classify(sheet, x[i], y[j]))
    asked = []

    def evaluate(sheets, x, y):
        asked.append(np.stack([sheets, x, y], axis=1))
        return classify(sheets, x, y)

    *regions, ended = find_regions(lattice, known, evaluate, tolerance, most_runs)
    asked = np.concatenate([np.zeros((0, 3)), *asked])
    return Tracing(("x", "y"), "outcome", resolution, tolerance, tuple("abcdefgh"[:words]), x, y, lattice.n_levels,
                   ("sheet",), np.arange(n_sheets, dtype=float)[:, None], *regions, asked,
                   np.zeros(len(asked), np.int64), 0, ended)


def disc(sheets, x, y):
    return (np.hypot(x - 0.45, y - 0.52) < 0.3 + 0.05 * sheets).astype(np.int64)


def sectors(sheets, x, y):
    """Three half lines from one point."""
    angle = np.mod(np.arctan2(y - 0.4379, x - 0.5511) - 0.3, 2 * np.pi)
    return np.searchsorted([1.7, 4.4], angle)


def test_crossings_of_a_circle_are_known_to_the_tolerance_and_the_error_falls_with_the_square_of_the_squares():
    errors, changes = [], []
    for resolution in (1 / 32, 1 / 64, 1 / 128):
        found = search(disc, resolution=resolution)
        assert found.ended == DONE
        ends = found.segments.reshape(-1, 2)
        assert np.abs(np.hypot(*(ends - [0.45, 0.52]).T) - 0.3).max() < 1e-9
        share = found.measure_shares()["b"]
        error = abs(share.value - math.pi * 0.09)
        assert error < share.bound < 4 * 1.2 * 2 * resolution and error < share.change
        assert sum(share.value for share in found.measure_shares().values()) == pytest.approx(1.0, abs=1e-14)
        errors.append(error)
        changes.append(share.change)
        begin, end = np.swapaxes(found.segments, 0, 1)
        left = 0.5 * (begin + end) + 0.5 * (end - begin)[:, ::-1] * [-1.0, 1.0]
        assert (np.array(["a", "b"])[disc(0, *left.T)] == found["left"]).all()
        assert (found["left"] != found["right"]).all()
    assert np.log2(errors[0] / errors[2]) / 2 == pytest.approx(2.0, abs=0.3)
    assert changes[2] == pytest.approx(3.0 * errors[2], rel=0.3)
    assert found.n_runs < 0.7 * found.n_grid_runs and len(np.unique(found.points, axis=0)) == len(found.points)


def test_sheets_are_apart():
    found = search(disc, n_sheets=3)
    for sheet in range(3):
        share = found.measure_shares(sheet)["b"]
        assert share.value == pytest.approx(math.pi * (0.3 + 0.05 * sheet) ** 2, abs=1e-3)
    assert found.find_sheet({"sheet": 2.0}) == 2 and found.find_sheet({"sheet": 2.5}) is None


def test_three_straight_lines_meet_where_they_do():
    found = search(sectors)
    junction, = found.regions.junctions
    assert (junction["x"], junction["y"]) == pytest.approx((0.5511, 0.4379), abs=1e-7)
    assert junction["n"] == 3
    shares = found.measure_shares()
    fine = (np.arange(1000) + 0.5) / 1000
    counts = np.bincount(sectors(0, *np.meshgrid(fine, fine)).ravel()) / fine.size**2
    for word, exact in zip("abc", counts, strict=True):
        assert shares[word].value == pytest.approx(exact, abs=1e-3)  # of the grid that counts
    areas = {word: 0.0 for word in "abc"}
    for word, polygon in found.list_polygons(0):
        x, y = polygon.T
        areas[word] += 0.5 * (x @ np.roll(y, -1) - np.roll(x, -1) @ y)
    assert areas == pytest.approx({word: share.value for word, share in shares.items()}, abs=1e-12)


def test_a_thin_strip_between_two_regions_goes_through():
    """Two thousandths of a millionth wide: every crossing is two, and the chords of the strip are."""
    found = search(lambda sheets, x, y: np.searchsorted([0.4, 0.4 + 2e-9], x + 0.3 * y), tolerance=1e-10)
    assert not len(found.regions.junctions)
    assert found.measure_shares()["b"].value == pytest.approx(2e-9, rel=0.1)
    assert found.measure_shares()["a"].value == pytest.approx(0.4 - 0.15, abs=1e-9)


def test_what_leads_out_of_a_square_by_a_side_is_followed():
    """A spur that no corner of the grid shows beyond the square in which it begins."""
    def spur(sheets, x, y):
        return ((np.abs(y - 0.3127) < 0.012) & (x > 0.06) | (x < 0.06) & (y > 0.2)).astype(np.int64)

    found = search(spur, x=np.linspace(0, 1, 5), y=np.linspace(0, 1, 6), resolution=1 / 256)
    share = found.measure_shares()["b"]
    exact = 0.06 * 0.8 + 0.94 * 0.024
    assert abs(share.value - exact) <= share.bound and share.value == pytest.approx(exact, abs=1e-4)


def test_no_square_that_is_left_is_mixed_but_the_smallest():
    lattice = Lattice(GRID, GRID, 1, 4)
    sheet, i, j = (part.ravel() for part in np.indices((1, 9, 9)))
    known = Known(lattice.get_keys(sheet, i << 4, j << 4), disc(sheet, GRID[i], GRID[j]))
    squares, ended = split_squares(lattice, known, disc, 10_000)
    assert ended == DONE and (squares["size"] ** 2).sum() == 128 * 128
    mixed = find_mixed(lattice, known, squares)
    assert mixed.any() and (squares["size"][mixed] == 1).all()


def test_a_distribution_along_an_axis_weights_areas():
    found = search(lambda sheets, x, y: (y < x).astype(np.int64), resolution=1 / 256)
    shares = found.measure_shares(0, (lambda x: x * x, lambda y: y))
    assert shares["b"].value == pytest.approx(2 / 3, abs=1e-5)  # P(Y < X) = E X, the density of X is 2 x
    assert abs(shares["b"].value - 2 / 3) < shares["b"].change


def test_uneven_grids_halve_to_the_resolution_everywhere():
    x = np.array([0.0, 0.1, 0.2, 0.7, 1.0])
    found = search(disc, x=x, y=GRID)
    assert found.n_levels == 5
    assert found.measure_shares()["b"].value == pytest.approx(math.pi * 0.09, abs=2e-4)


@pytest.mark.parametrize("most_runs", [0, 10, 60, 1500])
def test_the_limit_of_runs_is_kept(most_runs):
    found = search(disc, most_runs=most_runs)
    assert found.ended == LIMIT and found.n_runs <= most_runs
    assert not len(found.segments) and found.measure_shares() == {}


def test_a_stop_ends_the_search():
    calls = []

    def stop(sheets, x, y):
        calls.append(len(x))
        codes = disc(sheets, x, y)
        return np.where(np.arange(len(codes)) % 2, UNKNOWN, codes) if len(calls) == 4 else codes

    assert search(stop).ended == INTERRUPTED and len(calls) == 4
