"""Where there is no machine code, calls are interpreted and other processes compile; nothing waits, nothing is left."""

import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest
from numba.core import config

from geometry.compiled import entrances, shared_files
from geometry.compiled.interpreted import Interpreter, get_twin
from geometry.compiled.jit import jit, kernel

ROOT = Path(__file__).parents[3]
POSIX = pytest.mark.skipif(os.name != "posix", reason="needs signals")
pytestmark = pytest.mark.skipif(config.DISABLE_JIT, reason="nothing is compiled")

WATCH = """
    import sys, time
    from geometry.compiled import background, cold_code
    from geometry.weight import compute_weight
    def is_compiled():
        return bool(entrances.get_entrance(compute_weight).overloads)
    from geometry.compiled import entrances
"""


@pytest.fixture
def package(tmp_path):
    """Two kernels, one of which calls the other, around the real decorator."""
    folder = tmp_path / "install"
    shutil.copytree(ROOT / "geometry" / "compiled", folder / "geometry" / "compiled",
                    ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "geometry" / "__init__.py").touch()
    (folder / "geometry" / "weight.py").write_text(textwrap.dedent("""
        from geometry.compiled.jit import kernel

        @kernel
        def _add(x, y):
            return x + y

        @kernel
        def compute_weight(mass):
            return _add(mass, 9.0 * mass)
    """))
    return folder


def run(package, program, **changes):
    """(words of output, errors, seconds) of a program that begins like WATCH."""
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1",
                   "XDG_CACHE_HOME": str(package.parent / "cache"), **changes}
    began = time.monotonic()
    process = subprocess.run([sys.executable, "-c", textwrap.dedent(WATCH) + textwrap.dedent(program)], text=True,
                             env=environment, capture_output=True, timeout=120, cwd=package.parent)
    assert process.returncode == 0, process.stderr
    return process.stdout.split(), process.stderr, time.monotonic() - began


def find_files(package, pattern="*.kernel"):
    return sorted(path.name for path in (package.parent / "cache").rglob(pattern))


def wait_for(condition, seconds=60.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.05)


CALL_UNTIL_COMPILED = """
    first = compute_weight(2.0), is_compiled()
    end = time.monotonic() + 90
    while not is_compiled() and time.monotonic() < end:
        time.sleep(0.02)
        assert compute_weight(2.0) == 20.0
    print(*first, is_compiled(), cold_code.was_interpreted())
"""


def test_a_program_goes_on_in_compiled_code_as_soon_as_there_is_some(package):
    assert run(package, CALL_UNTIL_COMPILED)[:2] == (["20.0", "False", "True", "True"], "")
    assert run(package, "print(compute_weight(2.0), is_compiled(), cold_code.was_interpreted())")[0] == [
        "20.0", "True", "False"], "the next one is compiled from the start"
    wait_for(lambda: not find_files(package, "*wanted*"))
    assert [name.partition("-")[0] for name in find_files(package)] == [
        "geometry.weight._add", "geometry.weight.compute_weight", "geometry.weight.compute_weight.entrance"]


def test_a_short_program_leaves_the_compiling_to_go_on(package):
    assert run(package, "print(compute_weight(2.0), is_compiled())")[:2] == (["20.0", "False"], "")
    wait_for(lambda: len([name for name in find_files(package) if "wanted" not in name]) == 3)


@pytest.mark.parametrize("word", ["wait", "here"])
def test_code_can_be_waited_for(package, word):
    said = run(package, "print(compute_weight(2.0), is_compiled(), len(background._begun))", STICTION_COMPILE=word)
    assert said[:2] == (["20.0", "True", "0"], "")
    said = run(package, "cold_code.wait_for_code(); print(compute_weight(3), is_compiled(), len(background._begun))")
    assert said[:2] == (["30.0", "True", "0"], "")


def test_another_word_is_refused(package):
    with pytest.raises(AssertionError, match="STICTION_COMPILE = 'never': valid: background, wait, here"):
        run(package, "compute_weight(2.0)", STICTION_COMPILE="never")


def test_where_no_process_can_be_started_a_long_program_compiles_by_itself(package):
    program = """
        import subprocess
        def refuse(*words, **options):
            raise BlockingIOError(11, "Resource temporarily unavailable")
        background.subprocess.Popen = refuse
        print(compute_weight(2.0), is_compiled())
        cold_code._spent[0] += cold_code.PATIENCE
        time.sleep(2 * cold_code.LOOK_EVERY)
        print(compute_weight(2.0), is_compiled())
    """
    assert run(package, program)[:2] == (["20.0", "False", "20.0", "True"], "")


@POSIX
def test_where_the_folder_cannot_be_written_a_long_program_compiles_by_itself(package):
    (package / "geometry" / "compiled" / "__pycache__").write_text("a file, not a folder")
    program = """
        import tempfile
        tempfile.tempdir = "/dev/null/nowhere"
        print(compute_weight(2.0), is_compiled())
        cold_code._spent[0] += cold_code.PATIENCE
        print(compute_weight(2.0), is_compiled())
    """
    out, err, _ = run(package, program, XDG_CACHE_HOME="/dev/null/nowhere", HOME="/dev/null/nowhere")
    assert out == ["20.0", "False", "20.0", "True"]
    assert err.count("RuntimeWarning") == 1 and "NUMBA_CACHE_DIR" in err


@POSIX
def test_what_a_killed_process_had_taken_is_compiled_by_the_next(package):
    """Its locks end with it, and its request is wanted again."""
    hang = """
        import os, signal
        from pathlib import Path
        compute_weight(2.0)
        for one in background._begun:
            one.kill()
            one.wait()
        (folder,) = Path(os.environ["XDG_CACHE_HOME"]).glob("stiction/kernels-*")
        (wanted,) = folder.glob("wanted-*") or folder.glob("taken-*")
        wanted.rename(folder / ("taken-1-" + wanted.name[wanted.name.index("wanted-"):]))
        print(background.count_free(folder) == background.count_slots())
        background._last_begun[0] = -1e9
        background.begin(folder)
    """
    assert run(package, hang)[0] == ["True"]
    wait_for(lambda: len([name for name in find_files(package) if "wanted" not in name]) == 3)
    wait_for(lambda: not find_files(package, "*wanted*"))


@POSIX
def test_one_process_compiles_for_each_processor_whoever_asks(package):
    """Programs that begin at the same time: what all of them ask for is compiled once."""
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(package),
                   "XDG_CACHE_HOME": str(package.parent / "cache")}
    words = [sys.executable, "-c", textwrap.dedent(WATCH) + "print(compute_weight(2.0))"]
    programs = [subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment, cwd=package.parent)
                for _ in range(5)]
    assert [program.communicate(timeout=120)[0] for program in programs] == ["20.0\n"] * 5
    wait_for(lambda: not find_files(package, "*wanted*"))
    assert len(find_files(package)) == 3


def test_locks_are_held_by_one_process_and_end_with_it(tmp_path):
    program = f"import sys; sys.path[:] = {sys.path!r}; from pathlib import Path; import time\n" + textwrap.dedent(f"""
        from geometry.compiled import shared_files
        print(shared_files.take_lock(Path({str(tmp_path)!r}), 3), flush=True)
        time.sleep(60)
    """)
    other = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert other.stdout.readline() == "True\n"
    assert not shared_files.take_lock(tmp_path, 3) and shared_files.take_lock(tmp_path, 4)
    other.send_signal(signal.SIGKILL if os.name == "posix" else signal.SIGTERM)
    other.wait()
    other.stdout.close()
    wait_for(lambda: shared_files.take_lock(tmp_path, 3))
    began = time.monotonic()
    with shared_files.hold_lock(tmp_path, "name", 10.0), shared_files.hold_lock(None, "name", 10.0):
        assert time.monotonic() - began < 5.0


# ---- twins -----------------------------------------------------------------------------------------------------------

STRIDE = 3


@kernel
def _count(values):
    return values[0] + STRIDE


@jit
def compute_ratio(values, y):
    return _count(values) / y


def test_a_twin_runs_no_compiled_code_and_takes_other_constants():
    values = np.array([1.0, 2.0])
    before = len(_count.signatures)
    assert get_twin(compute_ratio)(values, 2.0) == 2.0
    assert Interpreter({_count: {"STRIDE": 5}}).get_twin(compute_ratio)(values, 2.0) == 3.0
    assert get_twin(compute_ratio)(values, 2.0) == 2.0
    assert len(_count.signatures) == before
    with pytest.raises(NameError, match="_count uses no SPEED"):
        Interpreter({_count: {"SPEED": 1}})


def test_a_twin_raises_where_compiled_code_does():
    values = np.array([1.0, 2.0])
    for call in (compute_ratio, get_twin(compute_ratio)):
        with pytest.raises(ArithmeticError):
            call(values, 0.0)


def test_kernels_of_users_are_compiled_at_once():
    assert compute_ratio(np.array([1.0, 2.0]), 2.0) == 2.0
    assert entrances.get_entrance(compute_ratio).signatures
