"""Hidden files of writers that were killed are removed, those of living ones are not; what is written again does not
grow."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sim.cli import command_line
from sim.files import partial_file
from sim.files.partial_file import PartialFile, is_running, remove_left_files
from sim.log.sink import H5Sink
from sim.scene.build import parse_scene
from sim.sweep.axes import SweepError
from sim.sweep.refine.refine import refine
from sim.sweep.refine.refinement_file import read_refinements, write_refinements
from sim.sweep.sweep import sweep
from sim.sweep.sweep_result import read_sweep
from tests import scene_builders
from tests.sim.synthetic import make_record, make_rows, write_log

ROOT = Path(__file__).parents[3]
S1 = scene_builders.s1()
POSIX = pytest.mark.skipif(partial_file.fcntl is None, reason="needs locks of POSIX")
WRITERS = {
    "log": "from sim.log.sink import H5Sink\nfrom tests.sim.synthetic import make_record\n"
           "kept = H5Sink(sys.argv[1], make_record())",
    "sweep": "from sim import parse_scene, sweep\nfrom sim.sweep import sweep_file\nfrom tests import scene_builders\n"
             "sweep_file.SweepFile.write = lambda *unused: (print('ready', flush=True), time.sleep(600))\n"
             "sweep(parse_scene(scene_builders.s1()), mu=[0.1], output=sys.argv[1])",
    "picture": "from sim.show.plot_file import PartialFile\nfrom pathlib import Path\n"
               "kept = PartialFile(Path(sys.argv[1]), '.png')",
}


@pytest.fixture(autouse=True)
def look_again(monkeypatch):
    monkeypatch.setattr(partial_file, "_next_look", {})


def start_writer(kind, target):
    """A process that has a hidden file, and waits."""
    program = f"import sys, time\n{WRITERS[kind]}\nprint('ready', flush=True)\ntime.sleep(600)"
    process = subprocess.Popen([sys.executable, "-c", program, str(target)], stdout=subprocess.PIPE, text=True,
                               env=os.environ | {"PYTHONPATH": str(ROOT)})
    assert process.stdout.readline() == "ready\n"
    return process


def list_hidden(folder):
    return [path.name for path in folder.iterdir() if path.name.startswith(".")]


@POSIX
@pytest.mark.parametrize("kind", WRITERS)
def test_only_what_a_killed_writer_has_left_is_removed(tmp_path, kind):
    with start_writer(kind, tmp_path / "a.h5") as process:
        try:
            (hidden,) = list_hidden(tmp_path)
            write_log(tmp_path / "b.h5")
            assert list_hidden(tmp_path) == [hidden], "its writer is alive"
        finally:
            process.send_signal(signal.SIGKILL)
    (tmp_path / ".stiction-notes").write_text("mine")
    partial_file._next_look.clear()
    write_log(tmp_path / "b.h5")
    assert list_hidden(tmp_path) == [".stiction-notes"]


@POSIX
def test_a_lock_holds_where_the_number_says_nothing(tmp_path):
    """Of a writer on another machine or in a container: no process here has its number."""
    other = subprocess.Popen([sys.executable, "-c", "pass"])
    other.wait()
    assert not is_running(other.pid) and is_running(os.getpid()) and is_running(1)
    with PartialFile(tmp_path / "a") as writer:
        foreign = tmp_path / f".stiction-{other.pid}-0123456789ab.partial"
        os.link(writer.path, foreign)
        partial_file._next_look.clear()
        remove_left_files(tmp_path)
        assert foreign.exists()
    partial_file._next_look.clear()
    remove_left_files(tmp_path)
    assert not foreign.exists()


@POSIX
def test_a_number_that_another_process_has_now(tmp_path):
    left = tmp_path / f".stiction-{os.getpid()}-0123456789ab.partial"
    left.touch()
    remove_left_files(tmp_path)
    assert left.exists(), "it may have been made just now, and not be locked yet"
    os.utime(left, (0, 0))
    partial_file._next_look.clear()
    remove_left_files(tmp_path)
    assert not left.exists()


@POSIX
def test_what_only_looks_like_one_stays(tmp_path):
    names = [".stiction-999999999-0123456789ab.partial.txt", "stiction-999999999-0123456789ab.partial",
             ".stiction-999999999-0123.partial", ".other-999999999-0123456789ab.partial"]
    for name in names:
        (tmp_path / name).touch()
    target = tmp_path / "kept.txt"
    target.write_text("kept")
    (tmp_path / ".stiction-999999999-0123456789ac.partial").symlink_to(target)
    (tmp_path / ".stiction-999999999-0123456789ad.partial").mkdir()
    remove_left_files(tmp_path)
    assert target.read_text() == "kept" and len(list(tmp_path.iterdir())) == len(names) + 3
    remove_left_files(tmp_path / "missing")


def test_looking_takes_a_small_part_of_the_time(tmp_path, monkeypatch):
    looks, real = [], os.scandir
    monkeypatch.setattr(os, "scandir", lambda folder: (looks.append(folder), partial_file.time.sleep(0.01),
                                                       real(folder))[-1])
    for _ in range(30):
        PartialFile(tmp_path / "a").discard()
    assert len(looks) <= 2


def test_a_plain_reader_gets_in_while_a_log_is_written(tmp_path):
    sink = H5Sink(tmp_path / "a.h5", make_record())
    sink.write(*make_rows(0, 30, np.random.default_rng(0)))
    code = "import h5py, sys; print(h5py.File(sys.argv[1], 'r', swmr=True)['committed'][0])"
    found = subprocess.run([sys.executable, "-c", code, str(tmp_path / "a.h5")], capture_output=True, text=True)
    assert found.stdout == "30\n", found.stderr
    sink.close(1, None)


# ---- refined and resumed sweeps --------------------------------------------------------------------------------------


def test_a_file_that_is_refined_again_does_not_grow(tmp_path):
    path = tmp_path / "s.h5"
    whole = sweep(parse_scene(S1), mu="0:1:11", output=path)
    before, sizes = path.stat().st_size, []
    for _ in range(6):
        refine(path, "mu", 1e-3)
        sizes.append(path.stat().st_size)
    assert len(set(sizes)) == 1
    assert read_sweep(path).table.tobytes() == whole.table.tobytes() and len(read_refinements(path)) == 1
    write_refinements(path, [])
    page = 4096  # bytes, of which a file has whole ones; a copy may fill them otherwise
    assert path.stat().st_size <= before + page and read_refinements(path) == []
    assert list_hidden(tmp_path) == []


def test_a_refinement_that_cannot_be_written_leaves_the_sweep(tmp_path, monkeypatch):
    path = tmp_path / "s.h5"
    sweep(parse_scene(S1), mu="0:1:3", output=path)
    whole = path.read_bytes()

    def fail(*unused):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("sim.files.growing_file.reserve_space", fail)
    with pytest.raises(OSError, match="No space"):
        write_refinements(path, [])
    monkeypatch.undo()
    shutil.copy(path, tmp_path / "cut.h5")
    os.truncate(tmp_path / "cut.h5", len(whole) // 2)
    with pytest.raises(SweepError, match=r"cut\.h5"):
        write_refinements(tmp_path / "cut.h5", [])
    assert path.read_bytes() == whole and list_hidden(tmp_path) == []


def test_a_resumed_sweep_says_what_it_took_over(tmp_path, capsys):
    path = tmp_path / "s.h5"
    assert sweep(parse_scene(S1), mu=[0.1, 0.2, 0.3], output=path).n_reused == 0

    def stop(done, total):
        if done == 1:
            os.kill(os.getpid(), signal.SIGINT)

    part = sweep(parse_scene(S1), mu="0:1:41", output=path, workers=1, progress=stop)
    again = sweep(parse_scene(S1), mu="0:1:41", output=path, resume=True)
    assert 1 <= len(part) < 41 and again.n_reused == len(part) and len(again) == 41
    with pytest.raises(SystemExit) as caught:
        command_line.main(["sweep", "block_on_incline", "--mu", "0:1:3", "-o", str(path)])
    assert caught.value.code == 0 and "already" not in capsys.readouterr().out
    with pytest.raises(SystemExit):
        command_line.main(["sweep", "block_on_incline", "--mu", "0:1:3", "-o", str(path), "--resume"])
    assert "3 of them were there already, 0 were run now" in capsys.readouterr().out
