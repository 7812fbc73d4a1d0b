"""What commands say where a word helps: other files, forces without bound, values in the wrong unit, missing weight."""

import warnings

import numpy as np
import pytest

from sim.cli import main
from sim.log.reading import TrajectoryFileError, read_trajectory
from sim.run.simulation import simulate
from sim.scene.build import parse_scene
from sim.scene.notes import list_notes
from sim.show.plots.draw_sweep import ENDLESS_WORDS, draw_sweep
from sim.show.plots.sweep_view import choose_view
from sim.sweep.axes import SweepError
from sim.sweep.sweep import sweep
from sim.sweep.sweep_result import read_sweep

ROOM = """
[workpiece]
outline = {box = [10, 10], unit = "mm"}
mass = 1.0
pose = [0.0, "5 mm", 0.0]
[[obstacle]]
name = "floor"
outline = {vertices = [[-100, -10], [100, -10], [100, 0], [-100, 0]], unit = "mm"}
[[obstacle]]
name = "wall"
outline = {vertices = [[-3000, -10], [-100, -10], [-100, 3000], [-3000, 3000]], unit = "mm"}
[friction]
default = 0.5
"""


def run_command(words, capsys):
    """(exit code, all that a command printed)."""
    with pytest.raises(SystemExit) as ended:
        main(words)
    captured = capsys.readouterr()
    return ended.value.code, captured.out + captured.err


def test_files_of_the_other_kind_say_where_to_look(tmp_path):
    log = simulate(parse_scene(ROOM), duration=0.01).save(tmp_path / "a.h5")
    with pytest.raises(SweepError, match=r"the log of a run.*stiction replay"):
        read_sweep(log)
    sweep(parse_scene(ROOM), mu=[0.1], output=tmp_path / "b.h5")
    with pytest.raises(TrajectoryFileError, match=r"the table of a sweep.*stiction plot"):
        read_trajectory(tmp_path / "b.h5")


@pytest.mark.parametrize("y", [None, "rho"])
def test_forces_without_bound_are_called_so(y):
    result = sweep("pusher_to_wall", mu=[0.1, 0.3], rho=[0.02, 0.03])
    assert np.isinf(result["largest_fn"]).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = draw_sweep(choose_view(result, "mu", y, "largest_fn"))
        figure.canvas.draw()
    entries = [text.get_text() for text in figure.legends[0].get_texts()]
    assert ENDLESS_WORDS in entries and "no number" not in entries


def test_values_in_the_wrong_unit_are_told_with_theirs():
    with pytest.raises(SweepError) as caught:
        sweep(parse_scene(ROOM), vary={"workpiece.pose.x": [-1.5, -2.0]})
    assert "lies wholly inside obstacle 'wall'" in str(caught.value)
    assert "were read in SI units (workpiece.pose.x in m)" in str(caught.value)
    assert sweep(parse_scene(ROOM), vary={"workpiece.pose.x": "-1.5,-2 mm"}).count() == {"at rest on edge 0": 2}


def test_a_scene_without_weight_gets_a_note(tmp_path, capsys):
    weightless = parse_scene(ROOM, overrides={"gravity": [0, 0]})
    (note,) = list_notes(weightless)
    assert "seen from above" in note
    assert list_notes(parse_scene(ROOM)) == list_notes(parse_scene(ROOM, overrides={"gravity": [0, 0],
                                                                                    "friction.default": 0.0})) == []
    assert list_notes(parse_scene(ROOM, overrides={"gravity": [0, 0], "load.0.force.fy": -1.0})) == []
    path = tmp_path / "a.toml"
    path.write_text(weightless.text, encoding="utf-8")
    for words in (["check", str(path)], ["run", str(path), "-o", str(tmp_path / "a.h5")]):
        code, printed = run_command(words, capsys)
        assert code == 0 and f"Note: {note}." in printed


def test_runs_tell_their_outcome(tmp_path, capsys):
    words = ["run", "block_on_incline", "--duration", "50 ms", "-o", str(tmp_path / "a.h5")]
    code, printed = run_command(words, capsys)
    assert code == 0 and "outcome     timed out" in printed


def test_warnings_of_libraries_are_not_for_users(tmp_path, capsys, monkeypatch):
    def divide(scene):
        warnings.warn("divide by zero encountered in divide", RuntimeWarning, stacklevel=2)
        return True

    monkeypatch.setattr("sim.cli.reports.report_check.print_scene", divide)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert run_command(["check", "ladder"], capsys)[0] == 0
    assert not caught
