"""The compiled loop asks for no memory: all it needs is handed in. What a call from Python takes to look at its
arguments does not grow with what the call does."""

from __future__ import annotations

import ast

import numba
import numpy as np
import pytest
from numba.core.runtime import rtsys

import scenes
from geometry.compiled.kernel import is_disabled
from sim import load_scene
from sim.engine import loop
from sim.rows.status_codes import PAUSED
from sim.run.model import prepare
from tests.test_architecture import ROOT, read_sources

compiled = pytest.mark.skipif(is_disabled(), reason="nothing is compiled")
ROOMS = ("dynamics/motion", "dynamics/search", "geometry/contact", "sim/engine")


@pytest.fixture
def statistics():
    """numba counts what its runtime allocates only where it is asked to."""
    counter = pytest.importorskip("numba.core.runtime._nrt_python")
    counter.memsys_enable_stats()
    yield rtsys.get_allocation_stats
    counter.memsys_disable_stats()


def count(statistics, call) -> tuple[int, int]:
    """(pieces of memory, arrays or other owners of memory) that a call asks for."""
    before = statistics()
    call()
    after = statistics()
    return after.alloc - before.alloc, after.mi_alloc - before.mi_alloc


@numba.njit
def _make_arrays(given, n):
    total = 0.0
    for k in range(n):
        total += np.full(k + 1, given[0]).sum()
    return total


@compiled
def test_an_array_made_in_a_loop_is_counted(statistics):
    given = np.ones(1)
    _make_arrays(given, 0)
    once, more = (count(statistics, lambda n=n: _make_arrays(given, n)) for n in (0, 10))
    assert [b - a for a, b in zip(once, more, strict=True)] == [10, 10]


@compiled
@pytest.mark.parametrize("name", scenes.names())
def test_a_run_asks_for_no_memory(statistics, name):
    arguments = prepare(load_scene(name))
    log, calls = arguments.log, []

    def run():
        code = PAUSED
        while code == PAUSED:
            log.counts[:] = 0
            code = loop.run_chunk(*arguments)
            calls.append(code)

    whole = count(statistics, run)
    assert arguments.state.steps + arguments.state.events > 0
    log.counts[0] = len(log.steps)  # without room for another row a call comes back at once
    nothing = count(statistics, lambda: calls.append(loop.run_chunk(*arguments)))
    assert calls.pop() == PAUSED
    assert whole == tuple(len(calls) * number for number in nothing)


def list_decorators(text: str) -> list[tuple[str, ast.expr]]:
    """(function, decorator) of all decorators in a file."""
    return [(node.name, decorator) for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)
            for decorator in node.decorator_list]


def is_counted(decorator: ast.expr) -> bool:
    """Does it say anything of `counted` but that it is not so?"""
    return isinstance(decorator, ast.Call) and any(
        word.arg == "counted" and not (isinstance(word.value, ast.Constant) and word.value.value is False)
        for word in decorator.keywords)


def test_no_kernel_of_a_run_counts_references():
    declared = [(path, *found) for path, text in read_sources().items() if path.parent.as_posix() in ROOMS
                for found in list_decorators(text)]
    kernels = [name for _, name, decorator in declared if ast.unparse(decorator).split("(")[0] in ("kernel", "jit")]
    assert len(kernels) > 200 and (ROOT / ROOMS[0]).is_dir()
    assert [(path, name) for path, name, decorator in declared if is_counted(decorator)] == []


def test_a_kernel_that_counts_references_is_found():
    text = "@kernel(counted=True)\ndef a(): ...\n@jit(private=True, counted=MORE)\ndef b(): ...\n" \
           "@kernel(counted=False)\ndef c(): ...\n@kernel\ndef d(): ...\n"
    assert [name for name, decorator in list_decorators(text) if is_counted(decorator)] == ["a", "b"]
