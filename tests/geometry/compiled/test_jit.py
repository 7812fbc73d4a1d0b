"""Compiled code on disk: fresh after an edit anywhere, whole or absent, shared by racing processes."""

import os
import pickle
import shutil
import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from numba.core import config

from geometry.compiled import background, code_folder, machine_code, shared_files
from geometry.compiled.compile_clock import CompileClock
from geometry.compiled.jit import jit, kernel
from geometry.compiled.record import allocate_record, define_record

ROOT = Path(__file__).parents[3]
REPORT = """
    import sys
    import warnings
    warnings.simplefilter("error" if "strict" in sys.argv else "default")
    from geometry.compiled.compile_clock import CompileClock
    from geometry.outer import compute_weight, GEOMETRY
    with CompileClock() as clock:
        print(compute_weight(2.0), "compiled" if clock.seconds > 0 else "loaded")
"""


@pytest.fixture
def package(tmp_path):
    """A small package of two kernels in two modules, with a constant in a third, around the real decorator."""
    folder = tmp_path / "install"
    shutil.copytree(ROOT / "geometry" / "compiled", folder / "geometry" / "compiled",
                    ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "geometry" / "__init__.py").write_text("")
    (folder / "geometry" / "constants.py").write_text("GRAVITY = 10.0\n")
    (folder / "geometry" / "inner.py").write_text(textwrap.dedent("""
        from geometry.compiled.jit import jit
        from geometry.constants import GRAVITY

        @jit
        def compute_gravity():
            return GRAVITY
    """))
    (folder / "geometry" / "outer.py").write_text(textwrap.dedent("""
        from geometry.compiled.jit import jit
        from geometry.inner import compute_gravity

        GEOMETRY = 1

        @jit
        def compute_weight(mass):
            return mass * compute_gravity()
    """))
    (folder / "geometry" / "unrelated.py").write_text("TEXT = 1\n")
    (folder / "report.py").write_text(textwrap.dedent(REPORT))
    return folder


def start(folder, *arguments, script="report.py", **environment):
    clean = {name: value for name, value in os.environ.items()
             if not name.startswith("NUMBA_") and name not in ("XDG_CACHE_HOME", "PYTHONPATH")}
    clean |= {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(folder), "XDG_CACHE_HOME": str(folder.parent / "cache")}
    clean |= environment
    clean = {name: value for name, value in clean.items() if value is not None}
    return subprocess.Popen([sys.executable, str(folder.parent / script if script.startswith("/") else
                                                 folder.parent / "install" / script), *arguments],
                            env=clean, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder.parent)


def run(folder, *arguments, **environment):
    process = start(folder, *arguments, **environment)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return out.split(), err


def find_kernel_files(folder):
    return sorted((folder.parent / "cache").rglob("*" + code_folder.SUFFIX))


def test_second_process_loads_what_the_first_compiled(package):
    assert run(package, "strict")[0] == ["20.0", "compiled"]
    assert run(package, "strict")[0] == ["20.0", "loaded"]


def test_f03_edited_constant_of_another_module_reaches_the_machine_code(package):
    run(package)
    (package / "geometry" / "constants.py").write_text("GRAVITY = 30.0\n")
    assert run(package)[0] == ["60.0", "compiled"]


def test_f03_edited_kernel_of_another_module_reaches_the_machine_code(package):
    run(package)
    inner = package / "geometry" / "inner.py"
    inner.write_text(inner.read_text().replace("return GRAVITY", "return -GRAVITY"))
    assert run(package)[0] == ["-20.0", "compiled"]


def test_edit_that_no_kernel_can_see_keeps_the_machine_code(package):
    run(package)
    (package / "geometry" / "unrelated.py").write_text("TEXT = 2\n")
    assert run(package)[0] == ["20.0", "loaded"]


def test_edit_between_import_and_compiling_is_not_kept(package):
    (package / "report.py").write_text(textwrap.dedent("""
        import pathlib, sys
        from geometry.outer import compute_weight
        if "edit" in sys.argv:
            pathlib.Path(sys.path[0], "geometry", "constants.py").write_text("GRAVITY = 50.0\\n")
        print(compute_weight(2.0))
    """))
    assert run(package, "edit")[0] == ["20.0"]
    assert find_kernel_files(package) == []
    assert run(package)[0] == ["100.0"]


def test_bounds_checks_survive_a_warm_cache(package):
    run(package)
    assert run(package, NUMBA_BOUNDSCHECK="1")[0] == ["20.0", "compiled"]
    assert run(package, NUMBA_BOUNDSCHECK="1")[0] == ["20.0", "loaded"]
    assert len({path.parent for path in find_kernel_files(package)}) == 2


@pytest.mark.parametrize("damage", ["empty", "truncated", "garbage", "one bit", "folder"])
def test_damaged_file_is_compiled_again(package, damage):
    run(package)
    files = find_kernel_files(package)
    assert len(files) == 3
    for path in files:
        content = bytearray(path.read_bytes())
        if damage == "one bit":
            content[len(content) // 2] ^= 1
        damaged = {"empty": b"", "truncated": content[:-7], "garbage": b"\x80\x05garbage" * 9, "one bit": content}
        path.unlink()
        if damage == "folder":
            path.mkdir()
        else:
            path.write_bytes(damaged[damage])
    assert run(package, "strict")[0] == ["20.0", "compiled"]
    assert run(package, "strict")[0] == ["20.0", "compiled" if damage == "folder" else "loaded"]


def test_code_of_another_key_under_this_name_is_not_run(package):
    run(package)
    gravity, _, entrance = find_kernel_files(package)
    assert "inner" in gravity.name and "outer.compute_weight.entrance" in entrance.name
    shutil.copy(gravity, entrance)
    assert run(package, "strict")[0] == ["20.0", "compiled"]


def test_kernel_called_by_address(package):
    """The symbol of the inner kernel is bound before the outer one is loaded, whatever is left of the stored code."""
    inner = package / "geometry" / "inner.py"
    inner.write_text(inner.read_text().replace("import jit", "import kernel as jit"))
    assert run(package, "strict")[0] == ["20.0", "compiled"]
    assert run(package, "strict")[0] == ["20.0", "loaded"]
    gravity, _, entrance = find_kernel_files(package)
    gravity.unlink()
    assert run(package, "strict")[0] == ["20.0", "compiled"]
    entrance.write_bytes(b"damaged")
    assert run(package, "strict")[0] == ["20.0", "compiled"]
    assert run(package, "strict")[0] == ["20.0", "loaded"]
    inner.write_text(inner.read_text().replace("return GRAVITY", "return -GRAVITY"))
    assert run(package, "strict")[0] == ["-20.0", "compiled"]


def test_e01_processes_that_compile_at_the_same_time(package):
    for _ in range(2):
        processes = [start(package, "strict") for _ in range(6)]
        answers = [(*process.communicate(timeout=240), process.returncode) for process in processes]
        assert all(code == 0 and out.startswith("20.0") and err == "" for out, err, code in answers), answers
        assert len(find_kernel_files(package)) == 3
        assert run(package, "strict")[0] == ["20.0", "loaded"]
        shutil.rmtree(package.parent / "cache")


def test_f01_missing_folder_of_the_user_is_created(package):
    missing = package.parent / "missing" / "folder"
    run(package, "strict", NUMBA_CACHE_DIR=str(missing))
    assert list(missing.rglob("*" + code_folder.SUFFIX))
    assert run(package, "strict", NUMBA_CACHE_DIR=str(missing))[0] == ["20.0", "loaded"]


# A path below a file can be made and written by nobody, the superuser included.
UNWRITABLE = "/dev/null/nowhere"


@pytest.mark.skipif(sys.platform == "win32", reason="no /dev/null")
def test_f01_unwritable_places_fall_through_to_the_temporary_folder(package):
    (package / "geometry" / "compiled" / "__pycache__").write_text("a file, not a folder")
    temporary = package.parent / "temporary"
    temporary.mkdir()
    nowhere = {"NUMBA_CACHE_DIR": UNWRITABLE, "XDG_CACHE_HOME": None, "HOME": UNWRITABLE, "TMPDIR": str(temporary)}
    assert run(package, "strict", **nowhere)[0] == ["20.0", "compiled"]
    assert run(package, "strict", **nowhere)[0] == ["20.0", "loaded"]
    (own,) = temporary.iterdir()
    assert own.stat().st_mode & 0o077 == 0
    own.chmod(0o777)  # anybody could have put code there
    assert run(package, **nowhere)[0] == ["20.0", "compiled"]


@pytest.mark.skipif(sys.platform == "win32", reason="no /dev/null")
def test_f01_nothing_writable_warns_once_and_runs(package):
    (package / "geometry" / "compiled" / "__pycache__").write_text("a file, not a folder")
    (package / "report.py").write_text(textwrap.dedent("""
        import tempfile
        tempfile.tempdir = "/dev/null/nowhere"
    """) + textwrap.dedent(REPORT))
    for _ in range(2):
        out, err = run(package, XDG_CACHE_HOME=None, HOME=UNWRITABLE)
        assert out == ["20.0", "compiled"]
        assert err.count("RuntimeWarning") == 1 and "NUMBA_CACHE_DIR" in err


def test_f01_zipped_install(package):
    archive = package.parent / "install.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for path in (package / "geometry").rglob("*.py"):
            file.write(path, path.relative_to(package))
    shutil.move(package / "geometry", package.parent / "away")
    assert run(package, "strict", PYTHONPATH=str(archive))[0] == ["20.0", "compiled"]
    assert run(package, "strict", PYTHONPATH=str(archive))[0] == ["20.0", "loaded"]


def test_everything_runs_uncompiled(package):
    assert run(package, "strict", NUMBA_DISABLE_JIT="1")[0] == ["20.0", "loaded"]
    assert find_kernel_files(package) == []


def test_source_list_holds_all_that_kernels_import():
    grimp = pytest.importorskip("grimp")
    graph = grimp.build_graph(*code_folder.PACKAGES, cache_dir=None)
    kernels = graph.find_modules_that_directly_import("geometry.compiled.jit") - {"geometry"}
    needed = set().union(kernels, *(graph.find_upstream_modules(name) for name in kernels))
    found = code_folder.find_kernel_sources(ROOT)
    names = {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for path in found}
    assert needed <= names
    assert {"geometry.compiled.machine_code", "geometry.compiled.code_folder"} <= names
    assert "sim.cli" not in names and "sim.show.replay.viewer" not in names  # editing these must not cost a compilation


def test_prune_removes_only_own_old_folders(tmp_path):
    now = 1e9
    ages = {f"kernels-{index:024x}": index * 86400.0 for index in range(1, 40)}
    for name, age in ages.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / ("f" + code_folder.SUFFIX)).write_bytes(b"")
        os.utime(tmp_path / name, (now - age, now - age))
    foreign = tmp_path / f"kernels-{99:024x}"
    foreign.mkdir()
    (foreign / "notes.txt").write_text("mine")
    os.utime(foreign, (0, 0))
    (tmp_path / "other").mkdir()
    keep = tmp_path / f"kernels-{39:024x}"
    code_folder.prune_folders(tmp_path, keep=keep, now=now)
    left = {path.name for path in tmp_path.iterdir()}
    recent = {name for name, age in ages.items() if age < code_folder.KEPT_FOLDERS * 86400.0}
    assert left == recent | {keep.name, foreign.name, "other"}
    assert (foreign / "notes.txt").exists()


def test_kernels_outside_the_packages_are_not_kept():
    @jit
    def compute_double(x):
        return 2.0 * x

    with CompileClock() as clock:
        assert compute_double(1.5) == 3.0
    if hasattr(compute_double, "signatures"):
        assert clock.seconds > 0.0
        assert machine_code.find_file(compute_double, ()) is None


class Place(NamedTuple):
    time: float
    pose: np.ndarray


@pytest.mark.skipif(config.DISABLE_JIT, reason="nothing is compiled")
def test_arrays_in_records_and_other_arrays_share_one_kernel():
    """By themselves and in a NamedTuple; what is written goes to where the array lies."""
    @kernel
    def shift(place, pose):
        place.pose[0] += place.time
        pose[1] += 1.0

    @kernel
    def shift_both(record):
        shift(Place(2.0, record.pose), record.pose)
        shift(Place(3.0, record.row[2:5]), record.row)

    record = allocate_record(define_record(("pose", "f8", (3,)), ("row", "f8", (7,))))
    shift_both(record)
    assert len(shift.signatures) == 1
    assert record.pose.tolist() == [2.0, 1.0, 0.0] and record.row.tolist() == [0.0, 1.0, 3.0, 0.0, 0.0, 0.0, 0.0]


def test_division_by_zero_raises():
    @jit
    def compute_ratio(x, y):
        return x / y

    with pytest.raises(ZeroDivisionError):
        compute_ratio(1.0, 0.0)


# ---- nobody else's code is run ---------------------------------------------------------------------------------------

POSIX = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs users and modes of POSIX")
STRANGER = 54321  # the number of another user
PLACES = {  # what others can reach, below the folder that is asked for: (make it so, is it allowed only to root)
    "folder open to all": (lambda cache: cache.chmod(0o777), False),
    "folder open to a group": (lambda cache: cache.chmod(0o770), False),
    "folder above open to all": (lambda cache: cache.parent.chmod(0o777), False),
    "base open to all": (lambda cache: (cache / "stiction").chmod(0o777), False),
    "inner folder open to all": (lambda cache: find_inner(cache).chmod(0o777), False),
    "inner folder open to all, sticky": (lambda cache: find_inner(cache).chmod(0o1777), False),
    "folder of a stranger": (lambda cache: os.chown(cache, STRANGER, -1), True),
    "folder above of a stranger": (lambda cache: os.chown(cache.parent, STRANGER, -1), True),
    "base of a stranger": (lambda cache: os.chown(cache / "stiction", STRANGER, -1), True),
    "inner folder of a stranger": (lambda cache: os.chown(find_inner(cache), STRANGER, -1), True),
    "base is a link of a stranger": (lambda cache: link_base(cache, STRANGER), True),
    "folder above a link's target open to all": (lambda cache: link_base(cache).parent.chmod(0o777), False),
}


def find_inner(cache):
    (inner,) = (cache / "stiction").glob("kernels-*")
    return inner


def link_base(cache, owner=None):
    """Put a link in the place of the base; returns where it leads."""
    away = cache.parent / "away" / "base"
    away.parent.mkdir()
    (cache / "stiction").rename(away)
    (cache / "stiction").symlink_to(away)
    if owner is not None:
        os.lchown(cache / "stiction", owner, -1)
    return away


def plant(folder, proof):
    """Replace all stored code by what would run when it is loaded."""
    class Trap:
        def __reduce__(self):
            return Path.touch, (proof,)

    files = list(folder.rglob("*" + code_folder.SUFFIX))
    assert len(files) == 3
    for path in files:
        shared_files.write_sealed(path, pickle.dumps(Trap()))


@POSIX
@pytest.mark.parametrize("variable, place", [
    *(("NUMBA_CACHE_DIR", place) for place in PLACES),
    *((variable, "folder of a stranger") for variable in ("XDG_CACHE_HOME", "HOME"))])
def test_code_in_a_place_that_others_can_reach_is_not_run(package, variable, place):
    change, needs_root = PLACES[place]
    if needs_root and os.geteuid() != 0:
        pytest.skip("only root can give files to a stranger")
    cache, temporary, proof = (package.parent / name for name in ("parent/cache", "temporary", "proof"))
    cache.mkdir(parents=True, mode=0o700)
    temporary.mkdir(mode=0o700)
    (package / "geometry" / "compiled" / "__pycache__").write_text("a file, not a folder")
    at = cache.parent if variable == "HOME" else cache
    if variable == "HOME":
        (at / ".cache").symlink_to(cache)
    setting = {"HOME": UNWRITABLE, "XDG_CACHE_HOME": None, variable: str(at), "TMPDIR": str(temporary)}
    assert run(package, "strict", **setting)[0] == ["20.0", "compiled"]
    assert run(package, "strict", **setting)[0] == ["20.0", "loaded"]
    plant(cache, proof)
    change(cache)
    out, err = run(package, **setting)
    assert not proof.exists(), "another user's code was run"
    assert out == ["20.0", "compiled"]
    assert err.count("RuntimeWarning") == 1 and str(cache if variable != "HOME" else at) in err
    assert run(package, **setting)[0] == ["20.0", "loaded"], "the private temporary folder is used"


@POSIX
@pytest.mark.parametrize("kind", ["open to all", "a link", "a pipe", "of a stranger"])
def test_a_file_that_is_not_this_users_own_is_not_loaded(package, kind):
    if kind == "of a stranger" and os.geteuid() != 0:
        pytest.skip("only root can give files to a stranger")
    proof, cache = package.parent / "proof", package.parent / "cache"
    assert run(package, "strict")[0] == ["20.0", "compiled"]
    plant(cache, proof)
    for path in find_kernel_files(package):
        if kind == "open to all":
            path.chmod(0o666)
        elif kind == "of a stranger":
            os.chown(path, STRANGER, -1)
        elif kind == "a link":
            path.rename(path.with_suffix(".away"))
            path.symlink_to(path.with_suffix(".away"))
        else:
            path.unlink()
            os.mkfifo(path)
    assert run(package, "strict")[0] == ["20.0", "compiled"]
    assert not proof.exists()
    assert run(package, "strict")[0] == ["20.0", "loaded"], "it was replaced by this user's own"


@POSIX
def test_the_way_to_a_folder_is_followed_to_its_end(tmp_path):
    find = code_folder.find_intruder
    (tmp_path / "a" / "b").mkdir(parents=True)
    assert find(tmp_path / "a" / "b" / "not" / "yet") == "" == find(tmp_path / "a" / "b" / ".." / "b")
    (tmp_path / "link").symlink_to("a/b")
    (tmp_path / "chain").symlink_to(tmp_path / "link")
    assert find(tmp_path / "chain" / "x") == ""
    (tmp_path / "a").chmod(0o777)
    assert find(tmp_path / "chain" / "x") == f"others can write to {tmp_path / 'a'}"
    (tmp_path / "a").chmod(0o1777)
    assert find(tmp_path / "chain" / "x") == "", "there, only owners can replace what is theirs"
    (tmp_path / "round").symlink_to("round")
    with pytest.raises(OSError, match="symbolic links"):
        find(tmp_path / "round" / "x")


def test_the_process_that_compiles_is_not_what_lies_in_the_working_folder(tmp_path, monkeypatch):
    """...nor does a call fail where there is no other process."""
    (tmp_path / "geometry" / "compiled").mkdir(parents=True)
    for name in ("__init__", "compiled/__init__", "compiled/background"):
        (tmp_path / "geometry" / f"{name}.py").write_text("open('proof', 'w')\n")
    monkeypatch.chdir(tmp_path)
    for name, value in (("_begun", []), ("_last_begun", [-1e9]), ("_gave_up", [False])):
        monkeypatch.setattr(background, name, value)
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    real = subprocess.Popen

    def start_other(words, **options):
        other = words[-1].replace("main(Path", "print(__import__('geometry').__file__); (lambda *_: None)(Path")
        return real([*words[:-1], other], **{**options, "stdout": subprocess.PIPE, "text": True})

    monkeypatch.setattr(background.subprocess, "Popen", start_other)
    assert background.begin(tmp_path)
    (other,) = background._begun
    assert other.communicate(timeout=60)[0].strip() == str(ROOT / "geometry" / "__init__.py")
    assert other.returncode == 0 and not (tmp_path / "proof").exists()

    def refuse(*words, **options):
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(background.subprocess, "Popen", refuse)
    background._begun.clear()
    background._last_begun[0] = -1e9
    assert not background.begin(tmp_path)
