"""`python -m tests.bench [WORD ...]`: run the benchmarks whose name contains a word, all without one, as one table.

A benchmark is a module `bench_NAME.py` here with a function `run()` that yields (name, value, unit). Nothing in the
tests is timed: these numbers depend on the machine.
"""

from __future__ import annotations

import importlib
import os
import platform
import sys
import traceback
from pathlib import Path

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
    processor = platform.processor() or platform.machine()
    print(f"Python {platform.python_version()}, numpy {np.__version__}, numba {numba.__version__}, {processor}, "
          f"{os.cpu_count()} processors")
    failed = 0
    for module in find_benchmarks(words):
        print(module.removeprefix("bench_"), flush=True)
        try:
            for name, value, unit in importlib.import_module(f"tests.bench.{module}").run():
                print(format_row(name, value, unit), flush=True)
        except Exception:
            failed = 1
            traceback.print_exc()
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
