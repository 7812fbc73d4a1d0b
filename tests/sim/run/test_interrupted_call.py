"""Ctrl-C while compiled code is called."""

import signal
from types import SimpleNamespace

import numpy as np
import pytest

from sim.engine import many_runs
from sim.engine.many_runs import BUDGET, SPENT
from sim.rows.status_codes import PAUSED
from sim.run import cold_start
from sim.scene.build import parse_scene
from sim.sweep.axes import make_axis
from sim.sweep.cells import CellRunner, Study
from sim.sweep.logged_cells import CellLogger
from tests import scene_builders


@pytest.fixture
def ctrl_c():
    """A shell may have it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_waits_until_compiled_code_has_come_back(monkeypatch, ctrl_c):
    """numba turns one that falls while it reads the arguments into the error that a record has no `data`."""
    done = []

    def call():
        signal.raise_signal(signal.SIGINT)
        done.append(PAUSED)
        return PAUSED

    monkeypatch.setattr(cold_start, "find_program", lambda arguments: call)
    monkeypatch.setattr(cold_start, "is_kernel", lambda kernel: True)
    with pytest.raises(KeyboardInterrupt):
        cold_start.advance((1, 2))
    assert done == [PAUSED]


def make_work():
    progress = np.zeros(6, np.int64)
    progress[BUDGET] = 1000
    return SimpleNamespace(progress=progress, tools=SimpleNamespace(scratch=SimpleNamespace(spot=None)))


def test_ctrl_c_waits_until_cells_have_come_back(monkeypatch, ctrl_c):
    done = []

    def run_cells(*arguments):
        signal.raise_signal(signal.SIGINT)
        done.append(arguments)

    monkeypatch.setattr(cold_start, "is_ready", lambda *unused: True)
    monkeypatch.setattr(cold_start, "is_kernel", lambda kernel: True)
    monkeypatch.setattr(cold_start.entrances, "get_entrance", lambda kernel: SimpleNamespace(overloads=[1]))
    with pytest.raises(KeyboardInterrupt):
        cold_start.advance_cells(run_cells, (1, 2), make_work())
    assert done == [(1, 2)]


def test_calls_that_run_cells_take_a_tenth_of_a_second_each(monkeypatch):
    """Whatever a unit of work takes: one call is as long as that of before says, and never four times as much work."""
    work, seconds, pace = make_work(), [0.0], [1e-6]
    monkeypatch.setattr(cold_start, "is_ready", lambda *unused: True)
    monkeypatch.setattr(cold_start, "time", SimpleNamespace(perf_counter=lambda: seconds[0]))

    def run_cells():
        work.progress[SPENT] = work.progress[BUDGET]
        seconds[0] += work.progress[SPENT] * pace[0]

    for pace[0] in (1e-6, 1e-4, 1e-7):
        for _ in range(8):
            before, budget = seconds[0], work.progress[BUDGET]
            cold_start.advance_cells(run_cells, (), work)
            assert work.progress[BUDGET] <= 4 * budget
        assert seconds[0] - before == pytest.approx(cold_start.LOOK_EVERY, rel=0.01)


def test_cells_come_back_after_little_work_and_go_on_as_if_they_had_not(monkeypatch):
    """Runs of any length: those that are logged into buffers with much room come back as well."""
    text, axis = scene_builders.s1(), make_axis("mu", "0.1:0.5:7")
    scene = parse_scene(text, overrides={"run.output_interval": 0.1})
    real, calls = cold_start.advance_cells, []

    def advance_a_little(kernel, arguments, work):
        work.progress[BUDGET] = 1
        calls.append(kernel)
        real(kernel, arguments, work)

    found = []
    for _ in range(2):
        runner = CellRunner(Study(scene.text, None, (axis,)), [0.1])
        rows = runner.run_batch(range(7), axis.values[:, None])
        (logs,), failures = CellLogger(runner).run(np.arange(7), axis.values[:, None])
        assert not failures and len(logs) == 7
        found.append([rows.table.tobytes(), logs.cells.tobytes(),
                      *(np.concatenate(tables).tobytes() for tables in zip(*logs.pieces, strict=True))])
        monkeypatch.setattr(cold_start, "advance_cells", advance_a_little)
    assert found[0] == found[1]
    assert calls.count(many_runs.run_cells) >= 7 and calls.count(many_runs.log_cells) >= 7
