"""What a type checker knows of the names that users have."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CONFIG = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mypy"]
USER = """# mypy: enable-error-code="call-overload, misc"
import stiction
from sim import H5Sink
trajectory = stiction.simulate("block_on_incline", duration=0.1)
reveal_type(trajectory.pose)
reveal_type(stiction.simulate)
contacts = stiction.place_contacts([(0.0, 0.0)], [(0.0, 1.0)], 0.5)
reveal_type(stiction.wrench_cone(contacts, "n"))
reveal_type(stiction.find_accelerations(stiction.contact_problem("ladder")[0]).pieces[0].mode)
trajectory.poses
stiction.simulat("ladder")
stiction.simulate("ladder", duration="long")
stiction.simulate("ladder", sink=H5Sink("ladder.h5", trajectory.scene)).pose
"""


def list_public_modules():
    """The modules that hold what `dynamics`, `geometry` and `sim` offer."""
    return {f"{package}.{node.module}" for package in ("dynamics", "geometry", "sim")
            for node in ast.parse((ROOT / package / "__init__.pyi").read_text(encoding="utf-8")).body
            if isinstance(node, ast.ImportFrom)}


def test_modules_that_users_have_names_of_are_checked_in_full():
    (strict,) = [entry for entry in CONFIG["overrides"] if "enable_error_code" in entry]
    assert set(strict["module"]) == list_public_modules()
    assert strict["enable_error_code"] == CONFIG["disable_error_code"]


def find_untyped(module, body, inside=""):
    """Public functions and methods without a type of an argument or of what they return."""
    for node in body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from find_untyped(module, node.body, node.name + ".")
        elif isinstance(node, ast.FunctionDef) and (not node.name.startswith("_") or node.name == "__init__"):
            given = node.args
            arguments = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
            missing = [a.arg for a in arguments if a and a.annotation is None and a.arg not in ("self", "cls")]
            if missing or (node.returns is None and node.name != "__init__"):
                yield f"{module}.{inside}{node.name}({', '.join(missing)})"


def test_public_functions_say_their_types():
    untyped = [name for module in sorted(list_public_modules()) for name in find_untyped(
        module, ast.parse((ROOT / (module.replace(".", "/") + ".py")).read_text(encoding="utf-8")).body)]
    assert untyped == []
    example = ast.parse("class A:\n    def f(self, x) -> int: ...\ndef _g(y): ...\ndef h(): ...").body
    assert list(find_untyped("m", example)) == ["m.A.f(x)", "m.h()"]


def test_types_are_right_and_reach_the_user(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "user.py").write_text(USER)
    result = subprocess.run([sys.executable, "-m", "mypy", *CONFIG["files"], str(tmp_path / "user.py")], cwd=ROOT,
                            capture_output=True, text=True, timeout=600)
    own = [line for line in result.stdout.splitlines() if "user.py" not in line and ": error:" in line]
    assert own == [], "\n".join(own)
    said = dict(re.findall(r"user\.py:(\d+): (?:note|error): (.*)", result.stdout))
    lines = {number: said.get(str(number), "") for number, text in enumerate(USER.splitlines(), start=1) if text}
    assert "numpy.ndarray" in lines[5] and "Trajectory" in lines[6], result.stdout
    assert "Cone" in lines[8] and "Region" in lines[8] and "str" in lines[9], result.stdout
    for number, wrong in ((10, '"poses"'), (11, '"simulat"'), (12, 'simulate'), (13, '"pose"')):
        assert wrong in lines[number], f"{lines[number]}\n{result.stdout}"
