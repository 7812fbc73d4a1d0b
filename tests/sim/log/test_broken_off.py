"""A run that is broken off keeps the account of the rows that its log has, or says that it is missing."""

import errno
import json
import os
import random
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import h5py
import numpy as np
import pytest

from sim import load_scene, simulate, simulate_branches, sweep
from sim.cli import command_line
from sim.cli.reports.report_tree import check_tree
from sim.files.held_interrupt import hold_interrupts
from sim.files.write_error import WriteError
from sim.log.check_log import check_account
from sim.log.reading import describe_file, read_trajectory, read_tree
from sim.log.sink import H5Sink
from sim.log.tree_sink import H5TreeSink
from sim.rows.account import Account
from sim.rows.status import Status
from sim.run.branches import cut_rows
from sim.run.ledger import Ledger
from sim.sweep.sweep_result import read_sweep
from tests.sim.synthetic import make_record, make_rows, make_slide

ROOT = Path(__file__).parents[3]
SCENE = "erdmann_figure_5"  # not unique until t = 0.19
MANY = {"output_interval": 1e-5}  # fifty chunks of rows


def assert_account_is_that_of_the_rows(trajectory):
    """Every number of the account that the rows tell."""
    account, last = trajectory.account, trajectory.steps[-1]
    assert all(verdict.holds for verdict in check_account(trajectory)), check_account(trajectory)
    assert account.energy_end == last["kinetic"] and account.work_load == last["work_load"]
    spans = float(np.sum(trajectory.not_unique @ [-1.0, 1.0]))
    assert account.time_not_unique == pytest.approx(spans, abs=1e-12), "the open interval is closed"


# ---- at every place of a write ---------------------------------------------------------------------------------------


class Breaking(H5Sink):
    """Raises an error at one place of its third write."""

    place, error, count = "", KeyboardInterrupt, 0

    def write(self, *tables):
        self.count += 1
        if self.count == 3 and self.place == "before":
            raise self.error
        super().write(*tables)
        if self.count == 3 and self.place == "after":
            raise self.error

    def _append(self, tables):
        super()._append(tables)
        if self.count == 3 and self.place == "within":
            raise self.error


@pytest.mark.parametrize("error, status", [(KeyboardInterrupt(), Status.INTERRUPTED),
                                           (ZeroDivisionError("in a sink"), Status.FAILED)])
@pytest.mark.parametrize("place, chunks", [("before", 2), ("within", 3), ("after", 3)])
def test_broken_off_at_a_write(tmp_path, place, chunks, error, status):
    with pytest.raises(type(error)), Breaking(tmp_path / "a.h5", load_scene(SCENE)) as sink:
        sink.place, sink.error = place, error
        simulate(load_scene(SCENE), sink=sink, **MANY)
    read = read_trajectory(tmp_path / "a.h5")
    assert read.status is status and chunks * 900 < len(read) <= chunks * 1024
    if place == "within":  # nobody can tell any more what was written
        assert read.account is None
    else:
        assert_account_is_that_of_the_rows(read)
        assert read.account.n_steps > 0


@pytest.mark.parametrize("error, status", [(KeyboardInterrupt(), Status.INTERRUPTED),
                                           (ZeroDivisionError("in a callback"), Status.FAILED)])
def test_broken_off_in_a_callback(tmp_path, error, status):
    def stop(time):
        if time > 0.1:
            raise error

    with pytest.raises(type(error)), H5Sink(tmp_path / "a.h5", load_scene(SCENE)) as sink:
        simulate(load_scene(SCENE), sink=sink, progress=stop, **MANY)
    read = read_trajectory(tmp_path / "a.h5")
    assert read.status is status and read.message == ("" if status is Status.INTERRUPTED else "ZeroDivisionError: "
                                                      "in a callback")
    assert_account_is_that_of_the_rows(read)
    assert read.account.time_not_unique == pytest.approx(read.time[-1])


@pytest.mark.parametrize("kind", ["reserved", "within"])
def test_a_full_disk(tmp_path, monkeypatch, kind):
    """Found before a write the log gets the account of its rows; found by HDF5 within one, nothing more can be
    written, and the account is missing."""
    calls = []

    def fail(*unused):
        calls.append(1)
        if len(calls) == 4:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    real = H5Sink._append
    if kind == "reserved":
        monkeypatch.setattr("sim.files.growing_file.reserve_space", fail)
    else:
        monkeypatch.setattr(H5Sink, "_append", lambda self, tables: (fail(), real(self, tables)))
    with pytest.raises(WriteError), H5Sink(tmp_path / "a.h5", load_scene(SCENE)) as sink:
        simulate(load_scene(SCENE), sink=sink, **MANY)
    read = read_trajectory(tmp_path / "a.h5")
    assert len(read) > (1800 if kind == "reserved" else 900)  # the first rows are committed at once
    if kind == "reserved":
        assert read.status is Status.DISK_FULL
        assert_account_is_that_of_the_rows(read)
    else:
        assert read.status is Status.RUNNING and read.account is None


def test_of_a_run_in_memory(tmp_path):
    def stop(time):
        if time > 0.1:
            raise KeyboardInterrupt

    kept = simulate(load_scene(SCENE), progress=stop, **MANY)
    assert kept.status is Status.INTERRUPTED
    assert_account_is_that_of_the_rows(kept)


# ---- at any moment ---------------------------------------------------------------------------------------------------

AT_ANY_MOMENT = """
import json, os, random, signal, sys, threading
from sim import load_scene, simulate, simulate_branches
from sim.log.sink import H5Sink
from sim.log.tree_sink import H5TreeSink
folder, seed, kind = sys.argv[1], int(sys.argv[2]), sys.argv[3]
rng = random.Random(seed)
scene = load_scene("erdmann_figure_5")
simulate(scene)
for number in range(25):
    path = f"{folder}/{number}.h5"
    reached = threading.Event()
    delay = rng.uniform(0.0, 0.02)

    def interrupt():
        reached.wait()
        threading.Event().wait(delay)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        try:
            if kind == "run":
                with H5Sink(path, scene) as sink:
                    simulate(scene, sink=sink, output_interval=2e-6, progress=lambda time: reached.set())
            else:
                with H5TreeSink(path, scene) as sink:
                    tree = simulate_branches(scene, sink=sink, output_interval=4e-6,
                                             progress=lambda time: reached.set())
                    sink.close(tree.status)
        finally:
            thread.join()
    except KeyboardInterrupt:
        pass
print(json.dumps("done"))
"""


@pytest.mark.skipif(os.name == "nt", reason="needs signals of POSIX")
@pytest.mark.parametrize("kind", ["run", "tree"])
def test_ctrl_c_at_any_moment(tmp_path, kind):
    seed = random.SystemRandom().randrange(2**32)
    print(f"seed {seed}")
    process = subprocess.run([sys.executable, "-c", textwrap.dedent(AT_ANY_MOMENT), str(tmp_path), str(seed), kind],
                             env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=300)
    assert process.returncode == 0 and json.loads(process.stdout) == "done", process.stderr
    logs = sorted(tmp_path.glob("*.h5"))
    assert len(logs) > 5
    for path in logs:
        if kind == "run":
            read = read_trajectory(path)
            assert read.status is Status.INTERRUPTED
            assert_account_is_that_of_the_rows(read)
        else:
            tree = read_tree(path)
            assert tree.status in (Status.INTERRUPTED, Status.COMPLETED), tree.status
            assert all(verdict.holds for verdict, _ in check_tree(tree)), check_tree(tree)
            assert all(branch.rows.account is not None for branch in tree.branches
                       if branch.rows is not None and len(branch.rows))


def test_ctrl_c_waits_for_the_end_of_what_belongs_together():
    done = []
    with pytest.raises(KeyboardInterrupt), hold_interrupts():
        with hold_interrupts():
            os.kill(os.getpid(), signal.SIGINT)
            done.append("inner")
        done.append("outer")
    assert done == ["inner", "outer"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("moment", ["end", "compute_account"])
def test_ctrl_c_while_a_run_is_closed_loses_nothing(tmp_path, monkeypatch, moment):
    """It has reached its end: that is what it says, in memory and in the log."""
    call = getattr(Ledger, moment)

    def interrupt(self, *arguments):
        if moment == "end" or len(self):
            os.kill(os.getpid(), signal.SIGINT)
        return call(self, *arguments)

    monkeypatch.setattr(Ledger, moment, interrupt)
    trajectory = simulate(load_scene(SCENE))
    assert trajectory.status is Status.COMPLETED
    assert_account_is_that_of_the_rows(trajectory)
    with pytest.raises(KeyboardInterrupt), H5Sink(tmp_path / "a.h5", load_scene(SCENE)) as sink:
        simulate(load_scene(SCENE), sink=sink)
    assert read_trajectory(tmp_path / "a.h5").status is Status.COMPLETED
    assert (read_trajectory(tmp_path / "a.h5").pose == trajectory.pose).all()


# ---- trees and sweeps ------------------------------------------------------------------------------------------------


def test_a_tree_that_an_error_breaks_off(tmp_path):
    def stop(time):
        if len(sink) == 2:
            raise ZeroDivisionError("in a callback")

    with pytest.raises(ZeroDivisionError), H5TreeSink(tmp_path / "a.h5", load_scene(SCENE)) as sink:
        simulate_branches(load_scene(SCENE), sink=sink, progress=stop)
    tree = read_tree(tmp_path / "a.h5")
    followed = [branch for branch in tree.branches if branch.rows is not None]
    assert tree.status is Status.FAILED and len(followed) == 2
    assert all(verdict.holds for verdict, _ in check_tree(tree))
    assert "each branch has its own" in "\n".join(describe_file(tmp_path / "a.h5"))


def test_branches_that_merge_have_the_account_of_the_rows_that_are_left():
    tree = simulate_branches(load_scene("peg_in_hole"), max_branches=12)
    assert Status.MERGED in [branch.status for branch in tree.branches]
    assert len(check_tree(tree)) > 12 and all(verdict.holds for verdict, _ in check_tree(tree))
    rows = simulate(load_scene("bouncing_block"), **MANY)
    for event in (1, 3, len(rows.events) - 1):
        cut = cut_rows(rows, event, 0.0)
        assert 0 < len(cut) < len(rows) and len(cut.events) == event + 1
        assert all(verdict.holds for verdict in check_account(cut)), check_account(cut)
    assert cut_rows(simulate(load_scene(SCENE), **MANY), 0, 0.0).account.time_not_unique == 0.0


def test_a_branch_without_an_account_says_so(tmp_path):
    tree = simulate_branches(load_scene(SCENE))
    tree.branches[2].rows.account = None
    tree.save(tmp_path / "a.h5")
    again = read_tree(tmp_path / "a.h5")
    assert [branch.rows.account is None for branch in again.branches] == [False, False, True, False]


def test_logs_of_a_sweep(tmp_path, monkeypatch):
    """A full disk leaves the runs that are in the table, with their logs and accounts."""
    calls = []

    def fail(*unused):
        calls.append(1)
        if len(calls) == 5:  # before: the table, the store of logs, log and row of the first run
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("sim.files.growing_file.reserve_space", fail)
    scene = load_scene(SCENE)
    with pytest.raises(WriteError):
        sweep(scene, vary={"run.output_interval": [1e-3, 2e-3, 3e-3, 4e-3]}, output=tmp_path / "s.h5", log="all",
              workers=1)
    kept = read_sweep(tmp_path / "s.h5")
    assert kept.status is Status.FAILED and 0 < len(kept) < 4
    for cell in kept["cell"].tolist():
        assert_account_is_that_of_the_rows(kept.read_log(cell))


# ---- what is said of it ----------------------------------------------------------------------------------------------


def call(capsys, *words):
    with pytest.raises(SystemExit) as caught:
        command_line.main(list(map(str, words)))
    return caught.value.code, " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("change", [{"energy_end": 414_304.0}, {"n_events": 3}, {"n_impacts": 1}, {"energy_start": 1.0},
                                    {"n_events": 2**63 - 1, "n_impacts": -2**63}, {"work_load": -7.0}, "zero"])
def test_check_reports_an_account_of_other_rows(tmp_path, capsys, change):
    path = tmp_path / "a.h5"
    simulate(load_scene(SCENE)).save(path)
    assert call(capsys, "check", path)[0] == 0
    with h5py.File(path, "r+") as file:
        account = file.attrs["account"]
        for name in account.dtype.names if change == "zero" else change:
            account[name] = 0 if change == "zero" else change[name]
        file.attrs["account"] = account
    code, out = call(capsys, "check", path)
    assert code == 1 and "NOT a sound log" in out and "VIOLATED" in out


@pytest.mark.parametrize("end", ["killed", "left", "error", "old"])
def test_a_missing_account_is_said_to_be_missing(tmp_path, capsys, end):
    path, slide = tmp_path / "a.h5", make_slide()
    sink = H5Sink(path, slide.record)
    sink.write(slide.steps, slide.contacts, slide.events, slide.impulses)
    if end == "left":
        sink.__exit__(None, None, None)
    elif end == "error":
        sink.__exit__(ZeroDivisionError, ZeroDivisionError("x"), None)
    elif end == "old":  # former versions wrote zeros
        sink.close(Status.INTERRUPTED, Account())
    read = read_trajectory(path)
    assert read.account is None and read.obstacle_work == {}
    assert "missing" in "\n".join(describe_file(path)) and "missing" in "\n".join(read.describe())
    code, out = call(capsys, "check", path)
    assert "account missing" in out and "J to" not in out
    assert code == (1 if end == "killed" else 0)
    assert read_trajectory(read.save(tmp_path / "again.h5")).account is None
    sink.close(Status.FAILED, None)


def test_an_account_given_to_close_is_kept_as_it_is(tmp_path):
    with H5Sink(tmp_path / "a.h5", make_record()) as sink:
        sink.write(*make_rows(0, 30, np.random.default_rng(0)))
        sink.close(Status.COMPLETED, Account())
    assert read_trajectory(tmp_path / "a.h5").account == Account()


def test_ctrl_c_before_the_first_row_leaves_no_file(tmp_path, monkeypatch):
    """A log without rows would say what is not so: an older file stays, and there is no new one."""
    def interrupt(*unused):
        raise KeyboardInterrupt

    monkeypatch.setattr("sim.run.ledger.Ledger.hand_over", interrupt)
    monkeypatch.setattr("sim.engine.loop.run_chunk", interrupt)
    path = tmp_path / "a.h5"
    for older in (None, b"an older result"):
        if older is not None:
            path.write_bytes(older)
        with pytest.raises(KeyboardInterrupt), H5Sink(path, load_scene("ladder")) as sink:
            simulate("ladder", sink=sink)
        assert [file.read_bytes() for file in tmp_path.iterdir()] == ([] if older is None else [older])
    assert simulate("ladder").status is Status.INTERRUPTED
