"""Files of a user beside a script: what hides a package of ours is told by its name, and all else works."""

import os
import subprocess
import sys
import zipfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("sim", "dynamics", "geometry", "scenes")


@pytest.fixture(scope="module")
def installs(tmp_path_factory):
    """Where Stiction may be found: the repository, a folder as a wheel leaves it, and an archive."""
    base = tmp_path_factory.mktemp("installs")
    archive = base / "stiction.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for name in (*PACKAGES, "stiction.py"):
            for path in [ROOT / name, *(ROOT / name).rglob("*")]:
                if path.is_file() and path.suffix != ".pyc":
                    file.write(path, path.relative_to(ROOT))
    zipfile.ZipFile(archive).extractall(base / "site-packages")
    return {"repository": ROOT, "folder": base / "site-packages", "archive": archive}


def run_script(place, install, code, script="try.py", options=()):
    """Run a script in a folder, as users do: its own folder comes first."""
    (place / script).write_text(code, encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(install), "NUMBA_DISABLE_JIT": "1"}
    return subprocess.run([sys.executable, *options, str(place / script)], cwd=place, env=environment,
                          capture_output=True, text=True, check=False)


@pytest.mark.parametrize("foreign, code", [
    ("geometry.py", "from sim import load_scene"),
    ("geometry.py", "from dynamics import find_accelerations"),
    ("geometry.py", "import geometry\nfrom sim import load_scene"),
    ("geometry.py", "import stiction"),
    ("geometry/__init__.py", "from dynamics.wrench import wrench_cone"),
    ("dynamics.py", "from sim import simulate"),
    ("dynamics.py", "import stiction"),
    ("scenes/__init__.py", "from sim import load_scene"),
    ("scenes.py", "from sim.scene import load_scene"),
    ("sim.py", "import stiction"),
    ("sim/__init__.py", "from stiction import load_scene"),
])
@pytest.mark.parametrize("install", ["repository", "folder", "archive"])
def test_a_file_that_hides_a_package_is_named(foreign, code, install, installs, tmp_path):
    (tmp_path / foreign).parent.mkdir(exist_ok=True)
    (tmp_path / foreign).write_text("MINE = 1\n")
    ended = run_script(tmp_path, installs[install], code)
    said = ended.stderr.splitlines()[-1]
    assert ended.returncode == 1 and said.startswith("ImportError: ")
    assert f"but {tmp_path / foreign} hides it: rename that, or move it elsewhere" in said
    assert f"{installs[install]}{os.sep}" in said and f"{foreign.split('/')[0].removesuffix('.py')!r}" in said


def test_a_script_that_hides_a_package_itself_is_named(tmp_path):
    ended = run_script(tmp_path, ROOT, "from dynamics import find_accelerations\nprint('on')", "geometry.py")
    assert f"but {tmp_path / 'geometry.py'} hides it" in ended.stderr.splitlines()[-1]
    assert "circular" not in ended.stderr


@pytest.mark.parametrize("install", ["repository", "folder", "archive"])
def test_what_hides_nothing_is_left_alone(install, installs, tmp_path):
    """Folders with data, and a file called sim.py beside a script that asks the other packages only."""
    for folder in ("scenes", "dynamics", "geometry"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.toml").write_text("")
    ended = run_script(tmp_path, installs[install], "import stiction\nfrom sim import load_scene\n"
                       "print(load_scene('ladder').name, len(stiction.__all__) > 100, len(dir(stiction)) > 100)")
    assert (ended.returncode, ended.stdout) == (0, "ladder True True\n"), ended.stderr
    (tmp_path / "sim.py").write_text("MINE = 1\n")
    ended = run_script(tmp_path, installs[install], "import sim\nfrom dynamics.wrench import wrench_cone\n"
                       "from geometry import Polygon\nprint(sim.MINE, wrench_cone.__name__)")
    assert (ended.returncode, ended.stdout) == (0, "1 wrench_cone\n"), ended.stderr


@pytest.mark.parametrize("entry", [".", "./", "../{}", "./../{}/.", "../{}/../{}"])
def test_places_may_be_written_in_any_way(entry, installs, tmp_path):
    """As notebooks do: the folder of the project is put on the path by hand, relative to another."""
    folder = installs["folder"]
    code = f"import os, sys\nos.chdir({str(folder)!r})\nsys.path.insert(0, {entry.replace('{}', folder.name)!r})\n"
    ended = run_script(tmp_path, tmp_path, code + "import stiction, sim\nprint(os.path.realpath(sim.__file__))")
    assert ended.stdout.strip() == str((folder / "sim" / "__init__.py").resolve()), ended.stderr


def test_a_package_that_is_missing_is_named(installs, tmp_path):
    install = tmp_path / "half"
    with zipfile.ZipFile(installs["archive"]) as file:
        file.extractall(install, [name for name in file.namelist() if not name.startswith("scenes")])
    ended = run_script(tmp_path, install, "import sim", options=("-S",))  # nothing else that is installed helps out
    assert "needs its own package 'scenes' beside it, but it is missing" in ended.stderr


@pytest.mark.parametrize("options", [[], ["-P"], ["-I"]])
def test_what_is_installed_is_found_from_any_folder(options, tmp_path):
    """An editable install too: `stiction` and its packages come from one place."""
    try:
        distribution("stiction")
    except PackageNotFoundError:
        pytest.skip("Stiction is not installed here")
    code = "import stiction, sim, os; print(stiction.__file__); print(os.path.dirname(os.path.dirname(sim.__file__)))"
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    ended = subprocess.run([sys.executable, *options, "-c", code], cwd=tmp_path, env=clean, capture_output=True,
                           text=True)
    assert ended.returncode == 0, ended.stderr
    module, folder = ended.stdout.splitlines()
    assert Path(module).resolve() == Path(folder).resolve() / "stiction.py"
