"""Halving follows every change that it meets, also several in one interval, and stops when it is told to."""

import numpy as np
import pytest

from sim.sweep.refine.bisection import DONE, INTERRUPTED, LIMIT, UNKNOWN, bisect_changes, find_changes

BORDERS = (0.3, np.sqrt(0.5), 0.71)  # codes 0, 1, 2, 0 between them


def classify(lines, values):
    return np.array([0, 1, 2, 0])[np.searchsorted(BORDERS, values - 0.01 * lines)]


def start(values, lines=3):
    line, value = (grid.ravel() for grid in np.meshgrid(np.arange(lines), values, indexing="ij"))
    return find_changes(line, value, classify(line, value))


def test_changes_lie_between_neighbours_in_any_order():
    values = np.array([0.9, 0.1, 0.5])
    changes = start(values, lines=1)
    assert changes[["low", "high", "before", "after"]].tolist() == [(0.1, 0.5, 0, 1), (0.5, 0.9, 1, 0)]


def test_several_changes_in_one_interval_are_all_followed():
    """From 0.5 to 0.9 the code goes from 1 to 0, by way of 2, which only the third halving shows."""
    changes, runs, ended = bisect_changes(start(np.array([0.1, 0.5, 0.9])), classify, 1e-9, 10_000)
    assert ended == DONE and len(changes) == 9
    borders = np.sort(np.add.outer(0.01 * np.arange(3), BORDERS), axis=1).ravel()
    assert (changes["low"] <= borders).all() and (borders <= changes["high"]).all()
    assert (changes["high"] - changes["low"] <= 1e-9).all()
    assert changes[["before", "after"]].tolist() == [(0, 1), (1, 2), (2, 0)] * 3
    assert runs < 9 * 30


def test_down_to_neighbouring_floats():
    changes, _, ended = bisect_changes(start(np.array([0.0, 0.5]), lines=1), classify, 0.0, 10_000)
    assert ended == DONE and np.nextafter(changes["low"], 1.0) == changes["high"] and changes["low"] == BORDERS[0]


def test_an_island_between_equal_ends_is_not_seen():
    assert len(start(np.array([0.1, 0.95]))) == 0


@pytest.mark.parametrize("most_runs", [0, 1, 5, 50])
def test_the_limit_of_runs_is_kept_and_leaves_all_changes(most_runs):
    changes, runs, ended = bisect_changes(start(np.array([0.1, 0.5, 0.9])), classify, 1e-12, most_runs)
    assert ended == LIMIT and runs <= most_runs
    assert (classify(changes["line"], changes["low"]) == changes["before"]).all()
    assert (classify(changes["line"], changes["high"]) == changes["after"]).all()


def test_a_stop_keeps_what_was_found():
    calls = []

    def stop_in_the_third(lines, values):
        calls.append(len(values))
        codes = classify(lines, values)
        return np.where(np.arange(len(codes)) % 2, UNKNOWN, codes) if len(calls) == 3 else codes

    changes, runs, ended = bisect_changes(start(np.array([0.1, 0.5, 0.9])), stop_in_the_third, 1e-12, 1000)
    assert ended == INTERRUPTED and len(calls) == 3 and runs < sum(calls)
    assert (classify(changes["line"], changes["high"]) == changes["after"]).all()
