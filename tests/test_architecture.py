"""The shape of the project: who may import whom, what loads when, what lies where."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
TOP_LEVEL = {"pyproject.toml", "sim", "geometry", "dynamics", "scenes", "tests", "outputs", "README.md", "LICENSE",
             "Makefile"}
LINT = "import sys; from importlinter.cli import lint_imports_command; sys.exit(lint_imports_command(['--no-cache']))"


def run_python(code, folder, *arguments):
    environment = os.environ | {"PYTHONPATH": str(folder)}
    return subprocess.run([sys.executable, "-c", code, *arguments], cwd=folder, env=environment, capture_output=True,
                          text=True, timeout=120)


def list_files():
    """The files under version control, or all visible ones where there is no version control."""
    try:
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        return [ROOT / name for name in listed.split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        return [path for path in ROOT.rglob("*") if path.is_file() and not any(
            part.startswith(".") for part in path.relative_to(ROOT).parts)]


def test_imports_go_one_way():
    result = run_python(LINT, ROOT)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("module, line", [
    ("geometry", "import dynamics"),
    ("geometry", "from sim import load_scene"),
    ("dynamics", "def find():\n    import sim"),
    ("dynamics", "import h5py"),
    ("geometry", "import matplotlib.pyplot"),
    ("scenes", "import geometry"),
])
def test_import_contract_can_fail(tmp_path, module, line):
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for package in ("geometry", "dynamics", "sim", "scenes"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text("")
    (tmp_path / "sim" / "engine.py").write_text("import h5py\nimport dynamics\nimport geometry\nimport scenes\n")
    assert run_python(LINT, tmp_path).returncode == 0
    (tmp_path / module / "odd.py").write_text(line + "\n")
    result = run_python(LINT, tmp_path)
    assert result.returncode == 1 and "BROKEN" in result.stdout, result.stdout + result.stderr


LOADED = "; import sys; print(sorted(set(sys.modules) & {'numba', 'matplotlib', 'h5py', 'scipy', 'llvmlite'}))"


@pytest.mark.parametrize("code", [
    "import sim, sim.cli, geometry, dynamics, scenes",
    "from sim import load_scene; load_scene('peg_in_hole')",
    "from sim.cli import main\ntry:\n    main(['--help'])\nexcept SystemExit:\n    pass\npass",
    "from sim.cli import main\ntry:\n    main(['scenes'])\nexcept SystemExit:\n    pass\npass",
])
def test_what_starts_fast_loads_nothing_heavy(code):
    result = run_python(code + LOADED, ROOT)
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[-1] == "[]"


def test_top_level_is_as_agreed():
    visible = {path.relative_to(ROOT).parts[0] for path in list_files()}
    assert visible - TOP_LEVEL <= {".gitignore", ".ci"}


def test_no_path_of_one_machine():
    pattern = re.compile(r"(?<![\w.$}])/(?:home|root|work|Users)/\w")
    assert pattern.search("see /home" + "/me/x")
    for path in list_files():
        if path.suffix in {".py", ".toml", ".md", ""} and path.is_file():
            found = pattern.search(path.read_text(encoding="utf-8"))
            assert found is None, f"{path.relative_to(ROOT)}: {found[0]}"


def test_every_test_runs_under_the_house_rules(tmp_path):
    """Floating-point errors raise, an underflow does not, and a failing random test shows its seed."""
    shutil.copy(ROOT / "tests" / "conftest.py", tmp_path)
    (tmp_path / "test_three.py").write_text("""
import numpy as np
def test_division():
    np.array([1.0]) / np.array([0.0])
def test_underflow():
    assert np.array([1e-300]) * np.array([1e-300]) == 0.0
def test_random(rng):
    assert rng.random() > 1.0
""")
    result = run_python("import sys, pytest; sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider']))", tmp_path)
    assert "2 failed, 1 passed" in result.stdout
    assert "FloatingPointError" in result.stdout
    seed = re.search(r"seed: np.random.default_rng\((\d+)\)", result.stdout)[1]
    value = re.search(r"assert (0\.\d+) > 1.0", result.stdout)[1]
    assert float(value) == np.random.default_rng(int(seed)).random()
