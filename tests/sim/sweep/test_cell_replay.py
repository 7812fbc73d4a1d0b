"""From a cell of a sweep back to its motion, and the commands that show sweeps."""

import dataclasses
import json
import re
import shutil
import signal

import numpy as np
import pytest

from sim.cli import command_line
from sim.rows.status import Status
from sim.run.simulation import simulate
from sim.scene.build import parse_scene
from sim.sweep.axes import SweepError
from sim.sweep.batch import BatchRunner
from sim.sweep.cell_replay import find_cell, read_log, run_cell
from sim.sweep.log_store import LogStore, find_folder
from sim.sweep.refine.refine import refine
from sim.sweep.refine.refinement_file import read_refinements
from sim.sweep.setting import Study
from sim.sweep.sweep import make_runner, sweep
from sim.sweep.sweep_result import get_log_path, read_sweep
from tests import scene_builders


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """A block on a slope of 30 degrees with mu = 0, 1/3, 2/3, 1, and two values of rho; half of the runs
    left a log."""
    path = tmp_path_factory.mktemp("sweep") / "s.h5"
    text = scene_builders.slope_block(scene_builders.standing_box(1.0, 0.5), 30.0, 0.3, 0.2)
    sweep(parse_scene(text), mu="0:1:4", rho=[0.1, 0.2], output=path)
    record, runner = read_sweep(path).record, make_runner(Study(text, None, read_sweep(path).plan.axes),
                                                          read_sweep(path).plan)
    store = LogStore(path, record, resumed=False)
    for logs in BatchRunner(runner, "all").run([4, 5, 6, 7], record.plan.get_table([4, 5, 6, 7])).logs:
        store.write(logs)
    store.close(Status.COMPLETED)
    return path


def run_command(capsys, *words):
    """(exit code, all that was printed)."""
    with pytest.raises(SystemExit) as ended:
        command_line.main(list(map(str, words)))
    shown = capsys.readouterr()
    return ended.value.code, shown.out + shown.err


def test_a_cell_is_found_by_the_digits_that_are_shown(table):
    assert find_cell(table, [("mu", "0.333333"), ("rho", "0.10")]).number == 2
    assert find_cell(table, [("rho", "2e-1"), ("friction.default", "0.6666667")]).number == 5
    for value in ("0.33", "0.333", "0.33333", "0.3333334"):
        with pytest.raises(SweepError, match=r"no such value; the nearest: .*0.3333333333333333"):
            find_cell(table, [("mu", value), ("rho", "0.1")])
    with pytest.raises(SweepError, match="which rho"):
        find_cell(table, [("mu", "0")])


def test_a_cell_without_a_log_is_run_once_more_to_the_last_bit(table):
    cell = find_cell(table, [("mu", "0"), ("rho", "0.2")])
    assert read_log(cell)[0] is None and read_log(cell)[2] == ""
    trajectory, note = run_cell(cell)
    assert note == "" and len(trajectory) > 100
    assert trajectory.pose[-1] == pytest.approx([cell.row[name] for name in ("x", "y", "theta")], abs=1e-15)


def test_a_cell_with_a_log_is_read(table):
    cell = find_cell(table, [("mu", "1"), ("rho", "0.2")])
    trajectory, path, note = read_log(cell)
    assert note == "" and path.name == "part_000.h5" and trajectory.record.text == cell.scene.text


def test_what_is_not_the_run_of_the_table_is_said(table):
    cell = find_cell(table, [("mu", "0"), ("rho", "0.2")])
    row = cell.row.copy()
    row["x"] = np.nextafter(row["x"], 1.0)
    note = run_cell(dataclasses.replace(cell, row=row))[1]
    assert note.startswith("this is not the run of the table: x ") and "defect of Stiction" in note
    older = dataclasses.replace(cell, row=row)
    older.sweep.record = older.sweep.record._replace(kernels="0" * 64)
    assert "The program has changed: the table was written by stiction" in run_cell(older)[1]
    assert "no row to compare" in run_cell(dataclasses.replace(cell, row=None))[1]


def test_the_log_of_another_sweep_is_not_taken(table):
    cell = find_cell(table, [("mu", "0"), ("rho", "0.1")])
    simulate(parse_scene(scene_builders.s2()), duration=0.1).save(get_log_path(table, 0))
    try:
        trajectory, _, note = read_log(cell)
    finally:
        get_log_path(table, 0).unlink()
    assert trajectory is None and "log of another scene" in note


def test_the_log_that_a_former_version_left_is_read(table):
    cell = find_cell(table, [("mu", "0"), ("rho", "0.1")])
    run = simulate(cell.scene)
    run.save(get_log_path(table, 0))
    try:
        trajectory, path, note = read_log(cell)
    finally:
        get_log_path(table, 0).unlink()
    assert path == get_log_path(table, 0) and note == "" and trajectory.steps.tobytes() == run.steps.tobytes()


def test_the_command_replays_a_cell(table, tmp_path, capsys):
    picture, movie = tmp_path / "cell.png", tmp_path / "cell.gif"
    code, said = run_command(capsys, "replay", table, "--cell", "mu=0,rho=0.1", "--save", picture)
    assert code == 0 and "run once more, equal to its row to the last bit" in said and picture.stat().st_size > 5000
    code, said = run_command(capsys, "replay", table, "--cell", "mu=1,rho=0.1", "--save", movie, "--fps", "10")
    assert code == 0 and f"its log in {find_folder(table) / 'part_000.h5'}" in said and movie.read_bytes()[:3] == b"GIF"
    for words, part in (((), "say which: --cell mu=...,rho=..."), (("--cell", "mu"), "write NAME=VALUE"),
                        (("--cell", "mu=0.5,rho=0.1"), "the nearest: 0.3333333333333333, 0.6666666666666666"),
                        (("--cell", "mu=0,rho=0.1", "--branch", "1"), "have no branches"),
                        (("--cell", "mu=0,rho=0.1", "--save", "a.doc"), "'.doc'")):
        code, said = run_command(capsys, "replay", table, *words)
        assert code == 2 and part in said, words


def read_page(path):
    """The data of a page."""
    return json.loads(re.search(r'type="application/json">(.*?)</script>', path.read_text(encoding="utf-8"), re.S)[1])


def test_the_command_saves_a_map_with_runs(table, tmp_path, capsys):
    page, logged = tmp_path / "map.html", read_sweep(table).list_logged()
    assert logged and len(logged) < len(read_sweep(table))
    code, said = run_command(capsys, "replay", table, "--save", page)
    assert code == 0 and f"{len(logged)} of 8 runs are in this page" in said
    assert [run["cell"] for run in read_page(page)["runs"]] == logged
    code, said = run_command(capsys, "replay", table, "--save", page, "--cells", "mu=0,rho=0.1")
    assert code == 0 and {run["cell"] for run in read_page(page)["runs"]} == {0, *logged}
    code, said = run_command(capsys, "replay", table, "--save", page, "--cells", "all")
    assert code == 0 and "8 of 8 runs" in said and len(read_page(page)["runs"]) == 8
    for words, part in ((("--cells", "mu=0,rho=0.1"), "--cells mu=0,rho=0.1: brings runs into the page of a sweep"),
                        (("--save", page, "--cells", "mu=0.5,rho=0.1"), "the nearest: 0.3333333333333333"),
                        (("--save", tmp_path / "a.gif", "--cells", "all"), "--save map.html"),
                        (("--save", page, "--fps", "10"), "a page has no frames")):
        code, said = run_command(capsys, "replay", table, *words)
        assert code == 2 and part in said, words


def test_the_commands_refine_and_plot(table, tmp_path, capsys, monkeypatch):
    path = tmp_path / "refined.h5"
    shutil.copyfile(table, path)
    code, said = run_command(capsys, "refine", path, "--axis", "mu", "--tolerance", "1e-7")
    assert code == 0 and "2 boundaries of outcome along mu" in said and "8 + " in said
    (found,) = read_refinements(path)
    assert found.boundaries["rho"].tolist() == [0.1, 0.2] and found.n_lines == 2
    assert found.boundaries["mu"] == pytest.approx(3.0**-0.5, abs=1e-7)
    again = refine(path, "mu", 1e-8)
    assert again.n_runs < found.n_runs + 12 and again.width <= 1e-8 and len(read_refinements(path)) == 1
    assert read_sweep(path).table.tobytes() == read_sweep(table).table.tobytes()
    code, said = run_command(capsys, "plot", path, "--x", "mu", "--y", "rho", "--save", tmp_path / "map.png")
    assert code == 0 and (tmp_path / "map.png").stat().st_size > 5000
    monkeypatch.setenv("MPLBACKEND", "agg")
    code, said = run_command(capsys, "plot", path)
    assert code == 2 and "no display" in said and "--save NAME.png" in said
    code, said = run_command(capsys, "plot", path, "--save", tmp_path / "map.gif")
    assert code == 2 and "valid: .png, .svg, .pdf" in said


def test_ctrl_c_keeps_what_was_found_and_the_same_command_goes_on(table, tmp_path):
    path = tmp_path / "stopped.h5"
    shutil.copyfile(table, path)
    stopped = refine(path, "mu", 1e-7, progress=lambda *_: signal.raise_signal(signal.SIGINT))
    assert stopped.ended == "interrupted" and stopped.n_runs == 2
    (kept,) = read_refinements(path)
    assert kept.boundaries.tobytes() == stopped.boundaries.tobytes() and kept.width == pytest.approx(1 / 6)
    whole = refine(read_sweep(table), "mu", 1e-7, workers=1)
    assert whole.n_runs > 40
    for again in (refine(path, "mu", 1e-7, workers=3), *read_refinements(path)):
        assert again.boundaries.tobytes() == whole.boundaries.tobytes() and again.n_runs == whole.n_runs


@pytest.mark.parametrize("words, said", [
    (("--axis", "nu"), "does not vary nu; valid: mu, rho"),
    (("--axis", "mu", "--of", "x"), "valid: outcome, status, modes"),
    (("--axis", "mu", "--tolerance", "-1"), "must be a number, zero or more"),
])
def test_refine_says_what_is_valid(table, capsys, words, said):
    code, text = run_command(capsys, "refine", table, *words)
    assert code == 2 and said in text
