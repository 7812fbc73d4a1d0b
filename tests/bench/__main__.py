"""`python -m tests.bench [WORD ...]`: run the benchmarks whose name contains a word, all without one, as one table.

A benchmark is a module `bench_NAME.py` here with a function `run()` that yields (name, value, unit), or with
`main(words)` that prints its own table and returns an exit code: `python -m tests.bench soak [WORD ...]` hands it the
words. Nothing in the tests is timed: these numbers depend on the machine.
"""

from __future__ import annotations

import importlib
import os
import platform
import sys
import traceback
from pathlib import Path
from types import ModuleType

import numba
import numpy as np


def find_benchmarks(words: list[str]) -> list[str]:
    names = sorted(path.stem for path in Path(__file__).parent.glob("bench_*.py"))
    return [name for name in names if not words or any(word in name for word in words)]


def format_row(name: str, value: float | str, unit: str) -> str:
    text = value if isinstance(value, str) else f"{value:.4g}"
    return f"  {name:<64} {text:>12} {unit}"


def main(words: list[str]) -> int:
    """Print the table line by line, as results come in; returns 1 if a benchmark failed."""
    os.environ.setdefault("STICTION_COMPILE", "wait")  # nothing is measured interpreted
    processor = platform.processor() or platform.machine()
    print(f"Python {platform.python_version()}, numpy {np.__version__}, numba {numba.__version__}, {processor}, "
          f"{os.cpu_count()} processors")
    failed = 0
    words, arguments = (words[:1], words[1:]) if words[:1] == ["soak"] else (words, [])
    for name in find_benchmarks(words):
        print(name.removeprefix("bench_"), flush=True)
        try:
            code = run_benchmark(importlib.import_module(f"tests.bench.{name}"), arguments)
        except Exception:
            code = 1
            traceback.print_exc()
        if code > 1:  # interrupted, or called with words that it does not know
            return code
        failed |= code
    return failed


def run_benchmark(module: ModuleType, arguments: list[str]) -> int:
    """Print what a benchmark finds; returns its exit code."""
    if hasattr(module, "main"):
        return module.main(arguments)
    for name, value, unit in module.run():
        print(format_row(name, value, unit), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
