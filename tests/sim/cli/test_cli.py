"""The command line as a user meets it: answers, messages, exit codes, and what Ctrl-C leaves behind."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import scenes
from sim.cli import main
from sim.log.reading import read_trajectory
from sim.log.trajectory import Trajectory
from tests.sim.synthetic import make_slide

ROOT = Path(__file__).parents[3]


@pytest.fixture
def call(capsys, tmp_path, monkeypatch):
    """Runs a command in an empty folder; gives its exit code, output and errors, without the note on compiling."""
    monkeypatch.chdir(tmp_path)

    def call(*words):
        with pytest.raises(SystemExit) as ended:
            main([str(word) for word in words])
        captured = capsys.readouterr()
        errors = [line for line in captured.err.splitlines(keepends=True) if not line.startswith("Compiling")]
        return ended.value.code or 0, captured.out, "".join(errors)

    return call


def start_process(*words, folder, **environment):
    return subprocess.Popen([sys.executable, "-m", "sim.cli", *map(str, words)], cwd=folder, text=True,
                            env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            # a test run in the background of a shell ignores Ctrl-C, and so would its children
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))


def test_scenes_lists_every_scene_with_its_summary(call):
    code, out, err = call("scenes")
    lines = out.splitlines()
    assert (code, err) == (0, "")
    assert [line.split()[0] for line in lines] == scenes.names()
    assert all(len(line.split()) > 3 for line in lines)


def test_version(call):
    from importlib.metadata import version

    assert call("--version") == (0, f"stiction {version('stiction')}\n", "")


def test_run_writes_a_log_and_an_account(call, tmp_path):
    code, out, err = call("run", "block_on_incline")
    log = tmp_path / "outputs" / "block_on_incline.h5"
    assert (code, err) == (0, "")
    assert "The run reached its end time." in out
    for word in ("end ", "events ", "energy ", "laws ", "not unique", "wall time", "stiction replay"):
        assert word in out
    trajectory = read_trajectory(log)
    assert trajectory.status.completed
    assert f"t = {float(trajectory.time[-1])!r} s" in out  # as `--at` takes it


def test_run_takes_values_from_the_command_line(call, tmp_path):
    log = tmp_path / "a log.h5"
    code, out, _ = call("run", "block_on_incline", "--set", "friction.default=0.123", "--duration", "0.25",
                        "--choice", "stick", "-o", log)
    assert code == 0
    assert f"'{log}'" in out  # quoted, to be pasted into a shell
    scene = read_trajectory(log).scene
    assert (scene.run.duration, scene.run.choice, scene.obstacles[0].mu) == (0.25, "stick", 0.123)


def test_run_of_a_file(call, tmp_path):
    shutil.copy(scenes.path("block_on_incline"), tmp_path / "mine.toml")
    assert call("run", "mine.toml")[0] == 0
    assert (tmp_path / "outputs").is_dir()


@pytest.mark.parametrize("words, said", [
    (["run", "block_on_inclin"], "Did you mean block_on_incline"),
    (["run", "block_on_inclin"], "peg_in_hole"),
    (["run", "missing.toml"], "no file missing.toml"),
    (["run", "."], "folder"),
    (["run", "block_on_incline", "--set", "friction.default"], "KEY=VALUE"),
    (["run", "block_on_incline", "--set", "friction.defalt=1"], "friction.defalt"),
    (["run", "block_on_incline", "--set", "friction.default=-1"], "friction.default"),
    (["run", "block_on_incline", "--choice", "guess"], "stick"),
    (["run", "block_on_incline", "--duration", "soon"], "run.duration"),
    (["run", "block_on_incline", "-o", "/dev/null/a.h5"], "/dev/null"),
    (["run", "block_on_incline", "--nonsense"], "--nonsense"),
    (["run"], "SCENE"),
    (["check", "missing.h5"], "no file missing.h5"),
    (["check", "text.h5"], "HDF5"),
    (["check", "text.h5", "--set", "a=1"], "cannot be changed"),
    (["replay", "missing.h5"], "no file missing.h5"),
    (["accelerations", "nonsense"], "peg_in_hole"),
    (["accelerations", "block_on_incline", "--at", "soon"], "--at"),
    (["accelerations", "block_on_incline", "--plot", "a.gif"], "valid: .png, .svg, .pdf"),
    (["map", "ladder", "--x", "friction.default=0:1:3"], "--y"),
    (["map", "ladder", "--x", "friction.default=0:1", "--y", "workpiece.mass=1:2:2"], "KEY=a:b:n"),
    (["map", "ladder", "--x", "friction.defalt=0:1:2", "--y", "workpiece.mass=1:2:2"], "friction.defalt"),
    (["map", "ladder", "--x", "friction.default=0:1:2", "--y", "workpiece.mass=0:2:2"], "workpiece.mass = 0.0"),
    (["map", "ladder", "--x", "friction.default=0:1:2", "--y", "workpiece.mass=1:2:2", "--hold", "7"], "0 to 1"),
    (["map", "ladder", "--x", "friction.default=0:1:2", "--y", "workpiece.mass=1:2:2", "--plot", "a"], "no suffix"),
    (["accelerations", "block_on_incline", "--plot", "/dev/null/a.png"], "cannot draw /dev/null/a.png"),
])
def test_mistakes_get_one_clear_message(call, tmp_path, words, said):
    (tmp_path / "text.h5").write_text("no log")
    code, _, err = call(*words)
    assert code == 2
    assert said in err
    assert "Traceback" not in err and "defect" not in err
    assert not list(tmp_path.glob("outputs/*"))


def test_misspelt_log_is_found(call, tmp_path):
    make_slide().save(tmp_path / "slide.h5")
    assert "Did you mean slide.h5" in call("check", "slid.h5")[2]


def test_debug_shows_where(tmp_path):
    from sim.scene.scene_errors import SceneError

    for words in (["--debug", "run", "block_on_incline", "--set", "a=1"],
                  ["run", "block_on_incline", "--set", "a=1", "--debug"]):
        with pytest.raises(SceneError):
            main(words)


def test_defects_are_called_by_name(call, monkeypatch):
    monkeypatch.setattr(scenes, "names", lambda: 1 / 0)
    code, _, err = call("scenes")
    assert code == 2 and "defect" in err and "ZeroDivisionError" in err and "--debug" in err


def test_check_of_a_scene(call):
    code, out, _ = call("check", "peg_in_hole")
    assert code == 0 and "sound scene" in out and "0.3" in out
    code, out, _ = call("check", "peg_in_hole", "--set", "friction.default=0.4321")
    assert code == 0 and "0.4321" in out


def test_check_of_a_log(call, tmp_path):
    slide = make_slide()
    slide.save(tmp_path / "good.h5")
    code, out, _ = call("check", "good.h5")
    assert code == 0 and "a sound log" in out and "VIOLATED" not in out
    steps = np.array(slide.steps)
    steps["ax"][3] += 0.1
    Trajectory(None, steps, slide.contacts, slide.events, slide.impulses, slide.status, slide.account,
               record=slide.record).save(tmp_path / "bad.h5")
    code, out, _ = call("check", "bad.h5")
    assert code == 1 and "NOT a sound log" in out and out.count("VIOLATED") == 1


def test_check_of_a_log_that_is_still_written(call, tmp_path):
    from sim.log.sink import H5Sink

    slide = make_slide()
    with H5Sink(tmp_path / "open.h5", slide.record) as sink:
        sink.write(slide.steps, slide.contacts, slide.events, slide.impulses)
        code, out, _ = call("check", "open.h5")
        assert code == 1 and "RUNNING" in out and "VIOLATED" not in out


@pytest.mark.parametrize("name", scenes.names())
def test_every_scene_runs_to_a_sound_log(call, name):
    code, out, err = call("run", name, "-o", "a.h5")
    assert code in (0, 1) and err == ""
    assert (code == 0) == ("reached its end time" in out)
    code, out, _ = call("check", "a.h5")
    assert code == 0, out


def test_accelerations_of_a_scene(call):
    code, out, _ = call("accelerations", "three_point_block")
    assert code == 0 and "One acceleration" in out


def test_accelerations_name_each_of_several(call):
    """A09 (iii): free flight, and contact with 2.143517 N."""
    code, out, _ = call("accelerations", "painleve_rod")
    assert code == 0 and "Several" in out and "mode s" in out and "mode l" in out
    assert "2.14352" in out and "4.28703" in out and "31.6879" in out


def test_accelerations_say_why_there_is_none(call):
    """A09 (i): the rod at 60 degrees, whose cone dips above (rho^2 + n_q^2) / |n_q v_q| = 0.962289."""
    code, out, _ = call("accelerations", "painleve_rod", "--set", "workpiece.velocity=[-1.0, 0.0, 0.0]")
    assert code == 0 and out.count("No acceleration satisfies") == 1
    assert "accelerate into contact 0 (floor) at 9.81 m/s^2." in out
    assert "cone of contact 0 (floor) dips below its tangent plane" in out and "every mu above 0.962289." in out


@pytest.mark.parametrize("suffix, start", [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".PDF", b"%PDF")])
def test_accelerations_draw_a_picture(call, tmp_path, suffix, start):
    code, out, err = call("accelerations", "erdmann_figure_5", "--plot", f"new/a{suffix}")
    assert (code, err) == (0, "") and f"Picture: new/a{suffix}" in out
    assert (tmp_path / "new" / f"a{suffix}").read_bytes().startswith(start)
    assert len(list((tmp_path / "new").iterdir())) == 1


def test_accelerations_of_a_row_draw_that_row(call, tmp_path):
    call("run", "block_on_incline", "-o", "a.h5")
    assert call("accelerations", "a.h5", "--at", "0.5", "--plot", "later.svg")[0] == 0
    assert call("accelerations", "a.h5", "--plot", "start.svg")[0] == 0
    assert (tmp_path / "later.svg").read_text() != (tmp_path / "start.svg").read_text()


def test_accelerations_at_a_time_without_a_row_run_the_scene_until_then(call):
    call("run", "block_on_incline", "-o", "a.h5", "--set", "workpiece.velocity=[0.1, 0.0, 0.0]")
    code, logged, err = call("accelerations", "a.h5", "--at", "0.1234567")
    assert code == 0 and "no row" in err and "t = 0.1234567 s" in logged
    code, direct, err = call("accelerations", "block_on_incline", "--at", "0.1234567", "--set",
                             "workpiece.velocity=[0.1, 0.0, 0.0]")
    assert (code, direct, err) == (0, logged, "")


def test_accelerations_of_a_log_agree_with_its_rows(call):
    call("run", "block_on_incline", "-o", "a.h5")
    trajectory = read_trajectory("a.h5")
    code, out, _ = call("accelerations", "a.h5", "--at", trajectory.time[-1])
    assert code == 0 and "One acceleration" in out


def test_map_of_the_rod(call, tmp_path):
    """Two accelerations above the curve b0 = 0, none below it, one where A > 0."""
    code, out, err = call("map", "painleve_rod", "--hold", "0", "--x", "workpiece.pose.theta=20:80 deg:7", "--y",
                          "workpiece.velocity.omega=0:9:4", "--plot", "map.png")
    assert (code, err) == (0, "")
    rows = [line.split()[-1] for line in out.splitlines()[2:6]]
    assert rows == ["1122222", "1122222", "11!!!!!", "11!!!!!"]
    assert "workpiece.velocity.omega" in out and "20 deg" in out and "80 deg" in out
    assert "no acceleration" in out and "several accelerations" in out and "--hold 0 keeps" not in out
    assert (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")


def test_map_tells_how_to_keep_a_contact(call):
    out = call("map", "painleve_rod", "--x", "workpiece.pose.theta=20:80 deg:6", "--y", "friction.default=0:2:2")[1]
    assert "--hold 0 keeps contact 0 closed" in out


def test_map_too_large_for_a_page_is_thinned(call):
    out = call("map", "bouncing_block", "--x", "friction.default=0:1:200", "--y", "workpiece.mass=1:2:3")[1]
    assert "Shown: every row, every third column." in out
    assert max(map(len, out.splitlines())) < 120


def test_interrupted_map_ends_cleanly(tmp_path):
    process = start_process("map", "ladder", "--x", "friction.default=0:1:500", "--y", "workpiece.mass=1:2:500",
                            "--plot", "map.png", folder=tmp_path, FORCE_COLOR="1", TERM="xterm")
    shown = b""
    while b"cells" not in shown:  # the bar is there: the map is being computed
        shown += os.read(process.stderr.fileno(), 4096)
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130 and "interrupted" in err and "Traceback" not in err and out == ""
    assert list(tmp_path.iterdir()) == []


def write_endless(path, name):
    """A built-in scene whose part is followed however far it goes: a goal that is everywhere may be met there."""
    goal = '\n[[goal]]\nname = "turned"\ntheta = [1.0, 1.1]\nat_rest = false\n'
    path.write_text(scenes.path(name).read_text(encoding="utf-8") + goal, encoding="utf-8")


def test_interrupted_run_keeps_its_log(tmp_path):
    """Ctrl-C in the middle: exit code 130, status INTERRUPTED, and every row that had been computed."""
    write_endless(tmp_path / "endless.toml", "block_on_incline")
    process = start_process("run", "endless.toml", "-o", "a.h5", "--duration", "1e6", "--set",
                            "run.output_interval=0.001", folder=tmp_path)
    deadline = time.monotonic() + 120.0
    while not (tmp_path / "a.h5").exists() or len(read_trajectory(tmp_path / "a.h5")) < 10:
        assert process.poll() is None and time.monotonic() < deadline, process.communicate()
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "interrupted by the user" in out and "Traceback" not in err
    trajectory = read_trajectory(tmp_path / "a.h5")
    assert trajectory.status.name == "INTERRUPTED" and len(trajectory) >= 10


INTERRUPT = """
import signal, sys
class Interrupt:
    '''Ctrl-C while a module is looked for.'''
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Interrupt())
from sim.cli import main
main(["run", "block_on_incline", "-o", {log!r}])
"""


@pytest.mark.parametrize("module", ["typer", "typer.main", "sim.words.file_names", "pydantic",
                                    "sim.cli.reports.report_run", "h5py", "sim.scene.schema"])
def test_an_interrupt_while_a_command_starts_is_told_like_any_other(tmp_path, module):
    text = INTERRUPT.format(module=module, log=str(tmp_path / "a.h5"))
    done = subprocess.run([sys.executable, "-c", text], cwd=ROOT, capture_output=True, text=True, timeout=60,
                          preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")
    assert list(tmp_path.iterdir()) == []


def test_a_command_alone_says_what_all_of_them_say(call):
    whole = subprocess.run([sys.executable, "-c", "from sim.cli.commands import app; app(prog_name='stiction')", "run",
                            "--help"], capture_output=True, text=True, cwd=ROOT, timeout=60, env=os.environ)
    assert call("run", "--help")[1].split() == whole.stdout.split()
    assert "No such command 'rum'" in call("rum", "block_on_incline")[2]


def test_progress_is_shown_on_a_terminal_only(tmp_path):
    words = ("run", "block_on_incline", "-o", "a.h5")
    shown = start_process(*words, folder=tmp_path, FORCE_COLOR="1", TERM="xterm").communicate(timeout=120)[1]
    hidden = start_process(*words, folder=tmp_path).communicate(timeout=120)[1]
    assert "block_on_incline" in shown
    assert "block_on_incline" not in hidden


def test_c05_cold_and_warm_runs_in_new_processes_give_the_same_bits(tmp_path):
    """A cold start says that it compiles; a warm one is silent; all their rows are equal bit for bit."""
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    logs = []
    for name, compiles in (("cold", True), ("warm", False), ("again", False)):
        process = start_process("run", "peg_in_hole", "-o", f"{name}.h5", folder=tmp_path, **cache)
        _, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
        assert ("Compiling" in err) == compiles
        logs.append(read_trajectory(tmp_path / f"{name}.h5"))
    for log in logs[1:]:
        for table in ("steps", "contacts", "event_rows", "impulses"):
            assert getattr(log, table).tobytes() == getattr(logs[0], table).tobytes()
