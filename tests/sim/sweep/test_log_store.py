"""The store of the logs of a sweep: each run as `simulate` would log it, whatever happens to the sweep."""

import dataclasses
import os
import signal
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

from sim.files import spool
from sim.log.reading import TrajectoryFileError, read_trajectory
from sim.run.simulation import simulate
from sim.scene.build import load_scene, parse_scene
from sim.sweep import logged_cells
from sim.sweep.log_store import find_folder
from sim.sweep.sweep import sweep
from sim.sweep.sweep_result import read_sweep
from tests import scene_builders

ROOT = Path(__file__).parents[3]
TABLES = ("steps", "contacts", "event_rows", "impulses")
S1 = scene_builders.s1()


def assert_same_run(log, run):
    for name in TABLES:
        assert getattr(log, name).tobytes() == getattr(run, name).tobytes(), name
    account = dataclasses.replace(run.account, wall_compile=0.0, wall_solve=0.0, wall_output=0.0)
    assert (log.status, log.message, log.account) == (run.status, run.message, account)
    assert log.record.text == run.record.text


@pytest.mark.parametrize("name, axes", [
    ("peg_in_hole", {"mu": [0.1, 0.4], "vary": {"workpiece.pose.theta": [0.0, 0.04]}}),
    ("erdmann_figure_5", {"vary": {"run.choice": ["continue", "stop"]}}),  # one of them is stopped
    ("bouncing_block", {"rho": [0.02, 0.03]}),
    ("vibratory_track", {"mu": [0.2, 0.5]}),  # obstacles that move
])
def test_a_stored_run_is_that_of_simulate_to_the_last_bit(tmp_path, name, axes):
    scene = load_scene(name)
    scene = load_scene(name, overrides={"run.output_interval": scene.run.duration / 40.0})
    result = sweep(scene, **axes, output=tmp_path / "s.h5", log="all", workers=2)
    assert result.table.tobytes() == sweep(scene, **axes).table.tobytes()
    assert len(list(find_folder(tmp_path / "s.h5").iterdir())) == 1
    for cell in range(len(result)):
        assert_same_run(result.read_log(cell), simulate(result.build_scene(cell)))


def test_buffers_of_any_size_give_the_same_rows(tmp_path, monkeypatch):
    scene = load_scene("bouncing_block", overrides={"run.output_interval": 0.01})
    monkeypatch.setattr(logged_cells, "BUFFER_ROWS", 32)  # a run takes many
    monkeypatch.setattr(spool, "SPOOL_BYTES", 20_000)  # most wait on the disk
    result = sweep(scene, rho=[0.02, 0.03], output=tmp_path / "s.h5", log="all", workers=1)
    for cell in range(2):
        assert_same_run(result.read_log(cell), simulate(result.build_scene(cell)))


def test_plain_h5py_reads_it(tmp_path):
    scene = parse_scene(S1, overrides={"run.output_interval": 0.05})
    result = sweep(scene, mu=[0.1, 0.2, 0.3], output=tmp_path / "s.h5", log="all", workers=1)
    with h5py.File(find_folder(tmp_path / "s.h5") / "part_000.h5", "r") as file:
        n = file["committed"][4]
        cell = list(file["cells/cell"][:n]).index(1)
        (first, contacts, *_), (count, *_) = file["cells/first_row"][cell], file["cells/n_rows"][cell]
        assert np.array_equal(file["steps/time"][first : first + count], result.read_log(1).time)
        row = contacts + file["steps/first_contact"][first + 1]
        assert file["contacts/fn"][row] == result.read_log(1).contacts_at(1)["fn"][0]
        assert file["cells/values"][cell].tolist() == [0.2] and file["cells/values"].attrs["columns"].tolist() == [
            b"friction.default"]
        assert b"[workpiece]" in file["scene"][()] and file["cells/account"].shape[0] == n
    with pytest.raises(TrajectoryFileError, match="logs of the runs of a sweep"):
        read_trajectory(find_folder(tmp_path / "s.h5") / "part_000.h5")


def test_resumed_it_goes_on_in_another_part_and_anew_it_begins_again(tmp_path):
    path, scene = tmp_path / "s.h5", parse_scene(S1, overrides={"run.output_interval": 0.1})
    stopped = sweep(scene, mu="0:0.5:40", output=path, log="all", workers=1,
                    progress=lambda done, total: done < 3 or signal.raise_signal(signal.SIGINT))
    assert 3 <= len(stopped) < 40
    whole = sweep(scene, mu="0:0.5:40", output=path, log="all", resume=True)
    names = sorted(part.name for part in find_folder(path).iterdir())
    assert len(whole) == 40 and names == ["part_000.h5", "part_001.h5"]
    for cell in (0, 2, 38, 39):
        assert_same_run(whole.read_log(cell), simulate(whole.build_scene(cell)))
    sweep(scene, mu="0:0.5:3", output=path, log="all")
    assert [part.name for part in find_folder(path).iterdir()] == ["part_000.h5"]


KILLED = """
import sys
from sim.files import growing_file
from sim.scene.build import parse_scene
from sim.sweep import pool
from sim.sweep.sweep import sweep
from tests import scene_builders
pool.MOST_IN_BATCH = 3
growing_file.COMMIT_AFTER = 0.0
scene = parse_scene(scene_builders.s1(), overrides={"run.output_interval": 0.1})
sweep(scene, mu="0:0.5:5000", output=sys.argv[1], log="all", workers=2,
      progress=lambda done, _: print(done, flush=True))
"""


@pytest.mark.skipif(os.name == "nt", reason="needs signals of POSIX")
def test_killed_it_has_the_log_of_every_row(tmp_path):
    path = tmp_path / "s.h5"
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(path)], env=os.environ | {"PYTHONPATH": str(ROOT)},
                               stdout=subprocess.PIPE, text=True)
    done = 0
    while done < 20:
        done = int(process.stdout.readline())
    process.kill()
    process.communicate()
    kept = read_sweep(path)
    assert kept.status.name == "RUNNING" and done <= len(kept) < 5000
    for cell in kept["cell"].tolist():
        log = kept.read_log(cell)
        assert log.status.completed and log.time[-1] == kept["end_time"][0]
    assert_same_run(log, simulate(kept.build_scene(cell)))
