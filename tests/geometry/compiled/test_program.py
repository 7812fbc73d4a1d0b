"""Kernels called by the address of a frame, and programs: whole machine code that is loaded without numba."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest

from dynamics.motion.choose import SEPARATE, choose_member
from dynamics.motion.mode import LETTER_N, LETTER_S
from geometry.compiled import entrances, program
from geometry.compiled.jit import kernel
from geometry.compiled.kernel import is_disabled
from geometry.compiled.program import CallFrame, OtherTypes
from geometry.compiled.record import allocate_record, define_record

ROOT = Path(__file__).parents[3]
compiled = pytest.mark.skipif(is_disabled(), reason="nothing is compiled")
POINT = define_record(("x", "f8"), ("n", "i8", (2,)))


class Inner(NamedTuple):
    table: np.ndarray
    factor: float
    on: bool


class Outer(NamedTuple):
    inner: Inner
    point: np.record
    count: int
    none: np.ndarray


@kernel
def _weigh(inner, row):
    return inner.factor * inner.table[row, 1]


@kernel
def sum_up(outer, divisor):
    """10 x the sum of a column, and counts, over a number."""
    total = 0.0
    for row in range(outer.inner.table.shape[0]):
        total += _weigh(outer.inner, row)
    outer.point.x = total
    outer.point.n[1] += outer.count
    if not outer.inner.on or outer.none.shape[0] > 0:
        return -1
    return int(10.0 * total) // divisor


def make_arguments():
    table = np.arange(6.0).reshape(3, 2)
    return Outer(Inner(table, 0.5, True), allocate_record(POINT), 7, np.zeros(0)), 2


def compile_it(arguments):
    from geometry.compiled import numba_frame

    return numba_frame.compile_program(sum_up, entrances.get_types(arguments))


@compiled
def test_a_frame_holds_what_a_call_would_hand_over():
    (outer, divisor), frame = make_arguments(), CallFrame(make_arguments())
    call = compile_it((outer, divisor))
    frame.fill((outer, divisor))
    assert call(frame.address) == sum_up.py_func(outer, divisor) == 22
    assert outer.point.x == 4.5 and outer.point.n[1] == 14
    frame.fill((outer._replace(inner=outer.inner._replace(table=np.ones((1, 2)), factor=3.0)), 1))
    assert call(frame.address) == 30 and outer.point.x == 3.0
    frame.fill((outer._replace(inner=outer.inner._replace(on=False)), 1))
    assert call(frame.address) == -1


@compiled
def test_a_call_raises_what_the_kernel_raises():
    outer, frame = make_arguments()[0], CallFrame(make_arguments())
    frame.fill((outer, 0))
    with pytest.raises(ZeroDivisionError):
        compile_it((outer, 0))(frame.address)


def test_a_frame_takes_no_other_types():
    outer, divisor = make_arguments()
    frame = CallFrame((outer, divisor))
    frozen = outer.inner.table.copy()
    frozen.flags.writeable = False
    for table in (frozen, outer.inner.table.T, outer.inner.table.astype(np.float32), outer.inner.table[0]):
        with pytest.raises(OtherTypes):
            frame.fill((outer._replace(inner=outer.inner._replace(table=table)), divisor))
    for other in ((outer, 2.0), ((1, 2), 2), (outer._replace(count=1.0), 2)):
        with pytest.raises(OtherTypes):
            frame.fill(other)
    with pytest.raises(OtherTypes):
        CallFrame((outer, "2"))
    assert CallFrame((outer, 3)).name == frame.name != CallFrame((outer, 3.0)).name


LOAD = """
    import sys
    import numpy as np
    from pathlib import Path
    from geometry.compiled import program
    from tests.geometry.compiled.test_program import CHOICE
    frame = program.CallFrame(CHOICE)
    frame.fill(CHOICE)
    print(program.load(Path({path!r}))(frame.address), "numba.core.compiler" in sys.modules)
"""
CHOICE = (np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]), np.array([[LETTER_N], [LETTER_S]]), np.array([LETTER_S]),
          SEPARATE)  # a member that separates is the second


@compiled
def test_another_process_loads_a_program(tmp_path):
    from geometry.compiled import numba_frame

    kinds = entrances.get_types(CHOICE)
    call, frame = numba_frame.compile_program(choose_member, kinds), CallFrame(CHOICE)
    frame.fill(CHOICE)
    pieces = numba_frame.collect(choose_member, kinds)
    assert call(frame.address) == 1 and len(pieces) >= 2
    path = tmp_path / "choose.kernel"
    assert program.save(path, pieces)
    assert [file.name for file in tmp_path.iterdir()] == ["choose.kernel"]
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(LOAD.format(path=str(path)))], cwd=ROOT, text=True,
                          capture_output=True, env={**os.environ, "PYTHONPATH": str(ROOT)}, timeout=120)
    assert done.stdout.split() == ["1", "False"], done.stderr
    path.write_bytes(path.read_bytes()[:-1])
    assert program.load(path) is None and program.load(tmp_path / "none") is None
    assert numba_frame.collect(sum_up, entrances.get_types(make_arguments())) is None  # nothing is kept of it


def test_a_program_that_ends_a_process_is_not_kept(tmp_path):
    """A symbol that nobody has does that."""
    assert not program.save(tmp_path / "a.kernel", [], lambda *_, **__: SimpleNamespace(returncode=-6))
    assert not program.save(tmp_path / "a.kernel", [("a", "b", b"no machine code")])

    def refuse(*unused, **options):
        raise OSError("no more processes")

    assert not program.save(tmp_path / "a.kernel", [], refuse)
    assert list(tmp_path.iterdir()) == []


@compiled
def test_a_run_imports_no_numba(tmp_path):
    """...from the second process on."""
    text = """
        import sys
        from sim import simulate
        pose = simulate("block_on_incline", duration=0.1).pose[-1]
        print("numba" in sys.modules, *pose)
    """
    answers = [subprocess.run([sys.executable, "-c", textwrap.dedent(text)], cwd=ROOT, text=True, capture_output=True,
                              env={**os.environ, "PYTHONPATH": str(ROOT), "STICTION_COMPILE": "wait"},
                              timeout=900).stdout.split() for _ in range(2)]
    assert answers[1][0] == "False" and answers[0][1:] == answers[1][1:]
