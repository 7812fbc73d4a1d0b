"""What is taken from numba's inside: all of it is there, and where a name is missing everything still runs."""

import ast
import re
import shutil
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path

import numba
import pytest

from geometry.compiled import numba_private

ROOT = Path(__file__).parents[3]
HIDDEN = "sys.modules['numba.core.event'] = None; del core.codegen.CodeLibrary.has_dynamic_globals\n"


def run(tmp_path, change, environment=()):
    """What a small program of two kernels prints and warns of after a change to numba; twice, to see what is kept."""
    folder = tmp_path / "install"
    shutil.copytree(ROOT / "geometry" / "compiled", folder / "geometry" / "compiled")
    (folder / "geometry" / "__init__.py").touch()
    (folder / "geometry" / "weight.py").write_text(textwrap.dedent("""
        import numpy as np
        from geometry.compiled.jit import jit, kernel
        from geometry.compiled.record import allocate_record, define_record

        @kernel
        def _sum(values, first):
            return values[first] + values[1]

        @jit
        def compute_weight(record, mass):
            return mass * _sum(record.pair, 0)

        record = allocate_record(define_record(("pair", "f8", 2)))
        record.pair[:] = 4.0, 6.0
    """))
    program = "import sys, llvmlite.binding, numba\nfrom numba import core\n" + change + textwrap.dedent("""
        from geometry.compiled.compile_clock import CompileClock
        from geometry.weight import compute_weight, record
        with CompileClock() as clock:
            print(compute_weight(record, 2.0), "compiled" if clock.seconds > 0 else "loaded")
    """)
    variables = {"PYTHONPATH": str(folder), "XDG_CACHE_HOME": str(tmp_path / "cache"),
                 "STICTION_COMPILE": "here", **dict(environment)}
    answers = []
    for _ in range(2):
        process = subprocess.run([sys.executable, "-W", "always", "-c", program], cwd=folder, env=variables,
                                 capture_output=True, text=True, timeout=120)
        assert process.returncode == 0, process.stderr
        answers.append((process.stdout.split(), process.stderr))
    return answers


# numba itself cannot do without some names until later; they are missing only where they are looked up.
UNSEEN = """
import pkgutil
def look_up(name, plain=pkgutil.resolve_name):
    if name == "{}" and sys._getframe(1).f_code.co_name == "_exists":
        raise AttributeError(name)
    return plain(name)
pkgutil.resolve_name = look_up
"""


def test_all_is_there(tmp_path):
    """...so nothing warns, and the second process finds what the first has compiled."""
    assert run(tmp_path, "") == [(["20.0", "compiled"], ""), (["20.0", "loaded"], "")]


@pytest.mark.parametrize("change, feature, second", [
    ("del core.compiler.CompileResult._rebuild", numba_private.KEEPING, "compiled"),
    ("del core.codegen.CodeLibrary.has_dynamic_globals", numba_private.KEEPING, "compiled"),
    ("del llvmlite.binding.module.ModuleRef.as_bitcode", numba_private.KEEPING, "compiled"),
    ("core.compiler.CompileResult._reduce = lambda result: (None,)", numba_private.KEEPING, "compiled"),
    ("core.compiler.CompileResult._reduce = lambda result, more: ()", numba_private.KEEPING, "compiled"),
    ("del core.base.BaseContext.remove_user_function", numba_private.BY_ADDRESS, "loaded"),
    ("del numba.extending.lower_cast", numba_private.UNIFYING, "loaded"),
    (UNSEEN.format("numba.extending:register_model"), numba_private.ADDRESSES, "loaded"),
    ("del core.options.DefaultOptions.no_cfunc_wrapper", numba_private.BARE, "loaded"),
    ("del core.options.DefaultOptions._nrt", numba_private.COUNTING, "loaded"),
    ("del numba.extending.intrinsic", numba_private.FRAMING, "loaded"),
    ("sys.modules['numba.core.event'] = None", numba_private.TIMING, "loaded"),
])
def test_a_missing_name_costs_time_and_one_warning(tmp_path, change, feature, second):
    first = "loaded" if feature == numba_private.TIMING else "compiled"
    for (out, err), what in zip(run(tmp_path, change + "\n"), (first, second), strict=True):
        assert out == ["20.0", what]
        assert err.count("Warning: ") == 1, err
        assert f"numba {numba.__version__} " in err and feature in err and "python -m pip install" in err


def test_several_missing_names_are_one_warning(tmp_path):
    change = HIDDEN + "del core.base.BaseContext.remove_user_function\n"
    for out, err in run(tmp_path, change):
        assert out == ["20.0", "loaded"]  # as far as can be told: nothing is timed
        assert err.count("Warning: ") == 1 and numba_private.KEEPING in err and numba_private.BY_ADDRESS in err


def test_uncompiled_functions_need_nothing(tmp_path):
    assert run(tmp_path, HIDDEN, {"NUMBA_DISABLE_JIT": "1"}) == [(["20.0", "loaded"], "")] * 2


def test_stated_versions_are_those_that_may_be_installed():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (bound,) = [text for text in project["dependencies"] if re.match(r"numba\b", text)]
    assert bound == f"numba>={numba_private.OLDEST.removesuffix('.0')}"


def test_no_other_file_looks_into_numba():
    private = re.compile(r"numba\.(?!config$|typeof$)\w|llvmlite")
    seen = {}
    for path in (path for package in ("geometry", "dynamics", "sim") for path in (ROOT / package).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else (
                [f"{node.module}.{alias.name}" for alias in node.names] if isinstance(node, ast.ImportFrom) else [])
            if any(private.match(name) for name in names):
                seen[path.name] = names
    assert seen.keys() == {"numba_private.py", "numba_frame.py", "program.py", "known_state.py"}
