"""The shape of the project: who may import whom, what loads when, what lies where."""

import ast
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
TOP_LEVEL = {"pyproject.toml", "sim", "geometry", "dynamics", "scenes", "tests", "outputs", "README.md", "LICENSE",
             "Makefile", "CHANGELOG.md", "stiction.py"}
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


@pytest.mark.parametrize("room, line", [
    ("geometry", "import dynamics"),
    ("geometry", "from sim import load_scene"),
    ("geometry/shapes", "import geometry.contact"),
    ("geometry/contact", "import geometry.formation"),
    ("dynamics", "def find():\n    import sim"),
    ("dynamics", "import h5py"),
    ("dynamics/search", "import dynamics.sets"),
    ("dynamics/cones", "import dynamics.motion"),
    ("geometry", "import matplotlib.pyplot"),
    ("sim/engine", "import sim.log"),
    ("sim/log", "import sim.engine"),
    ("sim/engine", "import sim.scene.text"),
    ("sim/scene", "def run():\n    import sim.run"),
    ("sim/rows", "import sim.scene"),
    ("geometry/tolerances.py", "import geometry.shapes"),
    ("dynamics/tolerances.py", "import dynamics.search"),
    ("sim/tolerances.py", "import sim.rows"),
    ("sim/sweep", "import sim.show"),
    ("sim/show/replay", "import sim.show.plots"),
    ("sim/show/page", "import sim.show.live"),
    ("sim/show/plots", "import sim.show.live"),
    ("sim/show/page", "import uvicorn"),
    ("sim/engine", "import h5py"),
    ("sim/run", "import matplotlib"),
    ("sim/log", "import matplotlib"),
    ("sim/log/columns", "import sim.show"),
    ("scenes", "import geometry"),
])
def test_import_contract_can_fail(tmp_path, room, line):
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for name in (file for file in list_files() if file.name in ("__init__.py", "errors.py", "packages.py", "codes.py",
                                                                "tolerances.py") and "tests" not in file.parts):
        copy = tmp_path / name.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text("")
    (tmp_path / "sim" / "scene" / "text.py").write_text("")
    (tmp_path / "sim" / "log" / "odd.py").write_text("import h5py\nimport dynamics\nimport geometry\nimport scenes\n")
    assert run_python(LINT, tmp_path).returncode == 0
    place = tmp_path / room if room.endswith(".py") else tmp_path / room / "odd.py"
    place.write_text(line + "\n")
    result = run_python(LINT, tmp_path)
    assert result.returncode == 1 and "BROKEN" in result.stdout, result.stdout + result.stderr


def read_imports(files):
    """{module: modules of ours that it imports, anywhere in it}; packages count for what stands in their `__init__`."""
    modules = {".".join(path.with_suffix("").parts).removesuffix(".__init__"): path for path in files}
    graph = {}
    for module, path in modules.items():
        graph[module] = set()
        for node in ast.walk(ast.parse(files[path])):
            if isinstance(node, ast.Import):
                graph[module] |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                names = {f"{node.module}.{alias.name}" for alias in node.names}
                graph[module] |= names if names <= modules.keys() else {node.module, *names}
        graph[module] &= modules.keys() - {module}
    return graph


def find_circles(graph):
    """What is left when all that imports nothing that is left has been taken away, again and again."""
    left = {name: set(others) for name, others in graph.items()}
    while True:
        ends = [name for name, others in left.items() if not others & left.keys()]
        if not ends:
            return sorted(left)
        for name in ends:
            del left[name]


def read_sources():
    """{path: text} of the files of the packages, without their tests."""
    paths = [path.relative_to(ROOT) for path in list_files() if path.suffix == ".py"]
    return {path: (ROOT / path).read_text(encoding="utf-8") for path in paths if path.parts[0] != "tests"}


def test_no_circle_of_files_or_folders():
    graph = read_imports(read_sources())
    assert len(graph) > 150 and sum(map(len, graph.values())) > 500
    assert find_circles(graph) == []
    assert find_circles(join_folders(graph)) == []


def join_folders(graph):
    """The graph of folders: each imports what its files import elsewhere; a part of a folder is a folder of its own."""
    packages = {name.rpartition(".")[0] for name in graph}
    folders = {}
    for name, others in graph.items():
        own = name if name in packages else name.rpartition(".")[0]
        folders.setdefault(own, set()).update(
            (other if other in packages else other.rpartition(".")[0]) for other in others)
    return {name: others - {name, ""} for name, others in folders.items() if name}


def test_circles_are_found():
    files = {Path("a/__init__.py"): "", Path("a/b.py"): "from a import c", Path("a/c.py"): "def f():\n    import a.d",
             Path("a/d.py"): "from a.b import x", Path("a/e.py"): "import a.b"}
    assert set(find_circles(read_imports(files))) == {"a.b", "a.c", "a.d", "a.e"}
    files[Path("a/d.py")] = "import os"
    assert find_circles(read_imports(files)) == []
    folders = {Path("p/x.py"): "import q.y", Path("q/y.py"): "", Path("q/z.py"): "import p.w", Path("p/w.py"): ""}
    graph = read_imports({Path("p/__init__.py"): "", Path("q/__init__.py"): ""} | folders)
    assert find_circles(graph) == [] and set(find_circles(join_folders(graph))) == {"p", "q"}


def test_rooms_are_small_and_say_what_lives_there():
    sources = read_sources()
    names, classes, rooms = Counter(), Counter(), Counter()
    for path, text in sources.items():
        assert text.count("\n") <= 400, path
        tree = ast.parse(text)
        if path.name == "__init__.py":
            assert ast.get_docstring(tree), path
        else:
            names[path.name] += path.name != "tolerances.py"  # one for each package, with one meaning
            rooms[path.parent] += 1
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                assert node.end_lineno - node.lineno < 60, f"{path}: {node.name}"
            if isinstance(node, ast.ClassDef):
                classes[node.name] += 1
    assert max(rooms.values()) <= 16, rooms.most_common(2)
    assert [name for name, count in (names + classes).items() if count > 1] == []


def find_bare_tolerances(text):
    """(line, number) of the small numbers in functions, their defaults among them: each should have a name in one of
    the files of tolerances, with its reason."""
    functions = (node for node in ast.walk(ast.parse(text))
                 if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)))
    return sorted({(node.lineno, node.value) for function in functions for node in ast.walk(function)
                   if isinstance(node, ast.Constant) and isinstance(node.value, float) and 0.0 < node.value < 1e-3})


def test_no_function_holds_a_bare_tolerance():
    sources = read_sources()
    assert {path.parts[0] for path in sources if path.name == "tolerances.py"} == {"geometry", "dynamics", "sim"}
    bare = {str(path): find_bare_tolerances(text) for path, text in sources.items()}
    assert {path: found for path, found in bare.items() if found} == {}


def test_bare_tolerances_are_found():
    assert find_bare_tolerances("""
ZERO = 1e-9
def is_zero(x, scale=1e-6):
    return abs(x) <= 1e-12 * scale + ZERO or (lambda y: y < -1e-15)(x) or x < 0.001
class Near:
    size = 1e-7
    def __eq__(self, other):
        return abs(self.x - other.x) < 1.0 + 1e-8
""") == [(3, 1e-6), (4, 1e-15), (4, 1e-12), (8, 1e-8)]


def find_unexplained(text):
    """Names of the numbers at the top of a file that no comment stands over, nor over the one before, or beside."""
    lines, unexplained = text.splitlines(), []
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign):
            above = node.lineno - 2
            while above >= 0 and re.match(r"[A-Z_, ]+ = ", lines[above]):
                above -= 1
            if not lines[above].startswith("# ") and "  # " not in lines[node.lineno - 1]:
                unexplained.append(ast.unparse(node.targets[0]))
    return unexplained


def test_every_tolerance_has_its_reason():
    texts = [text for path, text in read_sources().items() if path.name == "tolerances.py"]
    for text in texts:
        names = [ast.unparse(node.targets[0]) for node in ast.parse(text).body if isinstance(node, ast.Assign)]
        assert len(names) == len(set(names)) > 10
        assert [name for name in find_unexplained(text) if name != "DEFAULT_TOLERANCES"] == []
        assert text.count("Larger") >= 0.5 * len(names) and text.count("maller") >= 0.5 * len(names)
    assert find_unexplained("# near\nA = 1e-9\nB = 1e-8\n\nC = 1e-7\nD = 1.0  # far\n") == ["C"]


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
