"""The files of a sweep: logs, tables for other programs, resuming, kills, and compiled code that is not there yet."""

import csv
import os
import pickle
import signal
import subprocess
import sys
import threading
from pathlib import Path

import h5py
import numpy as np
import pytest

from sim.scene.build import parse_scene
from sim.sweep.axes import SweepError
from sim.sweep.log_store import find_folder
from sim.sweep.sweep import sweep
from sim.sweep.sweep_result import read_sweep
from sim.sweep.table import Rows, TextList, build_row_dtype, sort_rows
from tests import scene_builders

ROOT = Path(__file__).parents[3]
S1 = scene_builders.s1()
STOPPING = S1.replace("[run]", '[run]\nchoice = "stop"')
ROD = """
[workpiece]
outline = {vertices = [[-0.5, 0.0], [0.0, -0.005], [0.5, 0.0], [0.0, 0.005]]}
mass = 1.0
pose = [0.25, 0.4330127018922193, 1.0471975511965976]
velocity = [-1.0, 0.0, 0.0]
[[obstacle]]
name = "floor"
outline = {vertices = [[-9, -1], [9, -1], [9, 0], [-9, 0]]}
[friction]
default = 2.0
[run]
choice = "stop"
duration = 0.1
"""


@pytest.mark.parametrize("log, cells", [("all", [0, 1, 3]), ("failed", [3]), ("none", [])])
def test_which_runs_leave_a_log(tmp_path, log, cells):
    path = tmp_path / "s.h5"
    result = sweep(parse_scene(ROD), mu=[0.1, 0.2, -1.0, 2.0], output=path, log=log, workers=2)
    assert result["status"].tolist() == ["COMPLETED", "COMPLETED", "NOT_STARTED", "NO_SOLUTION"]
    folder = find_folder(path)
    assert [file.name for file in folder.glob("*")] == (["part_000.h5"] if cells else [])
    for cell in {0, 1, 3} - set(cells):
        assert result.read_log(cell) is None
    for cell in cells:
        trajectory = result.read_log(cell)
        assert trajectory.status.name == result["status"][cell]
        assert trajectory.pose[-1].tolist() == [result[name][cell] for name in ("x", "y", "theta")]


def test_a_log_that_cannot_be_made_is_said_in_the_row(tmp_path, monkeypatch):
    def fail(*unused, **other):
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr("sim.engine.many_runs.log_cells", fail)
    result = sweep(parse_scene(S1), mu=[0.1, 0.2], output=tmp_path / "s.h5", log="all", workers=1)
    assert result.outcome.tolist() == ["failed"] * 2
    assert result["message"].tolist() == ["no log: ZeroDivisionError: division by zero"] * 2


def test_logs_need_a_place():
    with pytest.raises(SweepError, match="logs lie beside the file"):
        sweep(parse_scene(S1), mu=[0.1], log="all")
    with pytest.raises(SweepError, match="log = 'some': valid: all, failed, none"):
        sweep(parse_scene(S1), mu=[0.1], log="some")


def test_csv_and_frame_hold_the_table(tmp_path):
    result = sweep(parse_scene(S1), mu="0.5,0.6", vary={"run.choice": "continue,stick"})
    with open(result.write_csv(tmp_path / "new" / "t.csv"), newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    frame = result.to_frame()
    assert len(rows) == len(frame) == 4 and list(rows[0]) == list(frame.columns) == list(result.table.dtype.names)
    for name in result.table.dtype.names:
        column = result[name].tolist()
        np.testing.assert_array_equal(frame[name].tolist(), column)
        np.testing.assert_array_equal([type(value)(row[name]) for value, row in zip(column, rows, strict=True)], column)
    assert {row["run.choice"] for row in rows} == {"continue", "stick"}


def test_resume_runs_what_is_missing_and_nothing_else(tmp_path, monkeypatch):
    from sim.sweep import batch

    path, axes = tmp_path / "s.h5", {"mu": "0:1:41", "rho": "0.2,0.3"}
    whole = sweep(parse_scene(S1), **axes)
    signalled = []

    def interrupt(done, total):
        if done >= 10 and not signalled:
            signalled.append(done)
            os.kill(os.getpid(), signal.SIGINT)

    part = sweep(parse_scene(S1), **axes, output=path, workers=1, progress=interrupt)
    assert part.status.name == "INTERRUPTED" and 10 <= len(part) < 82
    ran, real = [], batch.BatchRunner.run
    monkeypatch.setattr(batch.BatchRunner, "run", lambda self, cells, *rest: (ran.extend(cells),
                                                                                  real(self, cells, *rest))[1])
    full = sweep(parse_scene(S1), **axes, output=path, resume=True)
    assert sorted(ran) == sorted(set(range(82)) - set(part["cell"].tolist()))
    assert full.table.tobytes() == whole.table.tobytes() and full.texts == whole.texts


@pytest.mark.parametrize("text, axes, message", [
    (S1.replace("mass = 1.0", "mass = 2.0"), {}, r"the scene has changed: workpiece.mass was 1.0 and is 2.0"),
    (S1.replace("default = 0.0", "slope = 0.5"), {}, r"restitution.slope was \(not given\) and is 0.5"),
    (S1, {"mu": "0:1:4"}, "the grid has changed: mu = 0.0, 0.5, 1.0 .grid. before, mu = 0.0 to 1.0, 4 values"),
    (S1, {"rho": [0.2]}, "the grid has changed: rho did not vary before"),
    (S1, {"samples": 2}, "the grid has changed: axes mu with samples None, seed 0 before, axes mu with samples 2"),
])
def test_another_sweep_is_not_resumed(tmp_path, text, axes, message):
    path = tmp_path / "s.h5"
    whole = sweep(parse_scene(S1), mu="0:1:3", output=path)
    with pytest.raises(SweepError, match=message):
        sweep(parse_scene(text), **{"mu": "0:1:3", **axes}, output=path, resume=True)
    assert read_sweep(path).table.tobytes() == whole.table.tobytes()


def test_another_version_is_not_resumed_and_another_spelling_is(tmp_path):
    path = tmp_path / "s.h5"
    whole = sweep(parse_scene(S1), mu="0:1:3", output=path)
    spelled = "# the same\n" + S1.replace("mass = 1.0", "mass = 1").replace("[-0.5, 0.0]", "[-5e-1, 0]").replace(
        "pose = [0.0, 0.0,", 'pose = ["0 mm", 0,')
    assert spelled.count("0 mm") == 2
    again = sweep(parse_scene(spelled), mu="0:1:3", output=path, resume=True)
    assert again.table.tobytes() == whole.table.tobytes()
    with h5py.File(path, "r+") as file:
        file.attrs["kernels"] = "0" * 64
    with pytest.raises(SweepError, match=r"the program has changed: the file was written by stiction .*000000000000"):
        sweep(parse_scene(S1), mu="0:1:3", output=path, resume=True)


def test_a_killed_sweep_loses_the_running_batches_only(tmp_path):
    path = tmp_path / "s.h5"
    program = (f"from sim import sweep\nfrom sim.scene.build import parse_scene\n"
               f"sweep(parse_scene({S1!r}), mu='0:1:50001', rho='0.2,0.3', output={str(path)!r}, workers=2, "
               f"progress=lambda done, total: print(done, flush=True))")
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True,
                          env={**os.environ, "PYTHONPATH": str(ROOT)}) as process:
        said = 0
        while said < 1000:
            said = int(process.stdout.readline())
        process.kill()
        said = ([int(line) for line in process.stdout.read().split()] or [said])[-1]
    left = read_sweep(path)
    assert left.status.name == "RUNNING" and said <= len(left) < 100_002
    check = sweep(parse_scene(S1), mu=[left["mu"][-1]], rho=[left["rho"][-1]], workers=1)
    assert check["x"][0] == left["x"][-1]


def test_tables_do_not_depend_on_the_order_in_which_runs_end(rng):
    dtype, texts = build_row_dtype(["mu"]), ["", "nn", "r", "why", "never named"]
    table = np.zeros(40, dtype)
    table["cell"], table["modes"], table["message"] = range(40), rng.integers(0, 3, 40), rng.integers(3, 4, 40)
    expected = sort_rows(table, texts)
    for _ in range(5):
        parts, own = [], TextList()
        for part in np.array_split(rng.permutation(40), 4):
            order = [0, *(1 + rng.permutation(4))]  # every batch has its texts in an order of its own
            rows = table[part]
            for name in ("modes", "message"):
                rows[name] = np.argsort(order)[rows[name]]
            parts.append(own.take(Rows(rows, [texts[place] for place in order])))
        mixed = sort_rows(np.concatenate(parts), own.texts)
        assert mixed[0].tobytes() == expected[0].tobytes() and mixed[1] == expected[1] == ["", *mixed[1][1:]]
    assert "never named" not in expected[1]


def test_sweeps_in_threads_at_one_time_do_not_disturb_each_other():
    scenes = [parse_scene(S1), parse_scene(scene_builders.s3())]
    alone = [sweep(scene, mu="0.1:0.9:60", workers=1).table for scene in scenes]
    together = [None, None]

    def run(index):
        together[index] = sweep(scenes[index], mu="0.1:0.9:60", workers=2).table

    threads = [threading.Thread(target=run, args=(index,)) for index in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [table.tobytes() for table in together] == [table.tobytes() for table in alone]


def test_what_a_batch_gives_can_be_sent(tmp_path):
    from sim.sweep.axes import make_axis
    from sim.sweep.cells import CellRunner, Study

    axis = make_axis("mu", "0.1,0.7")
    study = pickle.loads(pickle.dumps(Study(S1, None, (axis,))))
    rows = CellRunner(study, [0.1]).run_batch([0, 1], axis.values[:, None])
    again = pickle.loads(pickle.dumps(rows))
    assert again.table.tobytes() == rows.table.tobytes() and again.texts == rows.texts == ["", "rr", "nn"]


@pytest.mark.parametrize("version, missing", [
    (2, ["largest_gripper_force", "goal_time", "mean_velocity"]), (3, ["goal_time", "mean_velocity"]),
])
def test_a_file_of_a_former_version_is_read_and_goes_on(tmp_path, version, missing):
    """What its columns do not say is not known, and known of the cells that run from then on."""
    path = tmp_path / "s.h5"
    whole = sweep(parse_scene(S1), mu="0:1:5", output=path, workers=1)  # rows in the order of their cells
    with h5py.File(path, "r+") as file:
        rows, attributes = file["rows"][:3], dict(file["rows"].attrs)
        del file["rows"]
        kept = [name for name in rows.dtype.names if name not in missing]
        old = np.zeros(len(rows), [(name, rows.dtype[name]) for name in kept])
        for name in kept:
            old[name] = rows[name]
        file.create_dataset("rows", data=old, maxshape=(None,), chunks=(8,)).attrs.update(attributes)
        file["committed"][...] = [file["committed"][0], 3]  # texts, rows
        file.attrs["format_version"] = np.int64(version)
    found = read_sweep(path)
    assert len(found) == 3 and all(np.isnan(found.table[name]).all() for name in missing)
    for name in ("cell", "mu", "end_time", "x", "omega", "n_steps", "energy_residual"):
        assert found.table[name].tolist() == whole.table[name][found.table["cell"]].tolist(), name
    again = sweep(parse_scene(S1), mu="0:1:5", output=path, resume=True)
    assert again.n_reused == 3
    assert np.isnan(again.table["mean_velocity"]).tolist() == [True] * 3 + [False] * 2
    assert np.isnan(again.table["largest_gripper_force"]).tolist() == [version == 2] * 3 + [False] * 2
