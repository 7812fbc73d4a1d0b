"""Closed contacts: the quick test that an acceleration is the only one, against the search."""

from __future__ import annotations

from math import cos, pi, sin

import numpy as np
import pytest

from dynamics.codes import ONE
from dynamics.motion.closed import CLOSED, is_unique, make_problem
from dynamics.search.members import allocate_set_buffer, find_members
from dynamics.tolerances import DEFAULT_TOLERANCES
from geometry.compiled.kernel import get_function
from geometry.compiled.record import allocate_record


def draw(rng, k: int):
    """Random rows of k contacts; sliding, or one that does not slip."""
    closed = allocate_record(CLOSED)
    closed.n = k
    for i, angle in enumerate(rng.uniform(-pi, pi, k)):
        nx, ny = cos(angle), sin(angle)
        rx, ry = rng.normal(size=2)
        closed.normal[i] = nx, ny, nx * ry - ny * rx
        closed.tangent[i] = ny, -nx, nx * rx + ny * ry
        closed.mu[i] = rng.choice([0.0, 0.2, 1.0, 3.0])
        closed.slip[i] = rng.choice([-1, 1]) if k == 2 or rng.random() < 0.5 else 0
        closed.partner[i] = -1
    return closed


@pytest.mark.parametrize("k", [1, 2])
def test_what_is_unique_has_one_acceleration_for_every_load(k):
    rng = np.random.default_rng(k)
    buffer, seen = allocate_set_buffer(2), []
    for number in range(3000):
        closed = draw(rng, k)
        unique = is_unique(closed)
        kinds = set()
        for _ in range(4):
            closed.b[:k], closed.d[:k] = rng.normal(size=k), rng.normal(size=k)
            kinds.add(find_members(get_function(make_problem)(closed, rng.normal(size=3)), DEFAULT_TOLERANCES, buffer))
        assert not unique or kinds == {ONE}, (number, kinds)
        seen.append((unique, kinds == {ONE}))
    assert seen.count((True, True)) > 500 and seen.count((False, False)) > 50
    # the test is sharp: what it does not call unique seldom is so for every load that was tried
    assert seen.count((False, True)) < seen.count((False, False)) * 2
