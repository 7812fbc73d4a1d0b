"""What shells offer behind the key for completion, asked as they ask."""

import os
import subprocess
import sys

import pytest

import scenes

ASK = [sys.executable, "-c", "import sys; sys.argv = ['stiction']; from sim.cli import main; main()"]
ROOT = os.path.dirname(scenes.__path__[0])


def complete(folder, line):
    """The words that bash would offer at the end of a line."""
    words = line.split(" ")
    settings = {"_STICTION_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1),
                "PYTHONPATH": ROOT, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(ASK, cwd=folder, env=os.environ | settings, capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    return done.stdout.split()


@pytest.fixture
def folder(tmp_path):
    for name in ("peg.toml", "run.h5", "sweep.hdf5", "notes.txt", ".hidden.toml"):
        (tmp_path / name).write_text("")
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "l.toml").write_text(scenes.path("ladder").read_text())
    return tmp_path


@pytest.mark.parametrize(("line", "offered"), [
    ("stiction scen", ["scenes"]),
    ("stiction run pe", ["peg_in_hole", "peg.toml"]),
    ("stiction run part", ["part_in_tray_corner", "parts/"]),
    ("stiction run parts/", ["parts/l.toml"]),
    ("stiction run nowhere/", []),
    ("stiction check ru", ["run.h5"]),
    ("stiction plot ", ["parts/", "run.h5", "sweep.hdf5"]),
    ("stiction scenes lad", ["ladder"]),
    ("stiction run peg_in_hole --cho", ["--choice"]),
    ("stiction run peg_in_hole --set friction.d", ["friction.default="]),
    ("stiction check parts/l.toml --set workpiece.pose.x", ["workpiece.pose.x="]),
    ("stiction check peg.toml --set workpiece.", []),
])
def test_offers(folder, line, offered):
    assert complete(folder, line) == offered


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_lines_for_each_shell_name_the_program(shell, tmp_path):
    done = subprocess.run([*ASK], env=os.environ | {"_STICTION_COMPLETE": f"source_{shell}", "PYTHONPATH": ROOT},
                          cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and "_STICTION_COMPLETE=complete_" in done.stdout and "stiction" in done.stdout
