"""`python -m tests.bench soak [COUNT [FIRST]] [KIND ...]`: many random runs of every kind; is each of them right?

COUNT seeds of each KIND from FIRST on (200 from 0; all kinds): `soak 20000`, `soak 5000 20000 wall knee`. A failure is
one line that begins with its kind and seed: `soak 1 SEED KIND` runs it again, `build_case(kind, seed).text` of
`tests.soak_scenes` is its scene, and `tests/soak_judge.py` says what counts as wrong. Runs in which the engine passed
over events that piled up at an instant are counted as bridged. The exit code is 1 if a run failed, 130 after Ctrl-C,
which prints the counts so far.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields

import numpy as np
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from sim.cli.reports.console import make_console
from tests.soak_judge import Judgement, judge
from tests.soak_scenes import KINDS, build_case

COUNT = 200
WARM_SEEDS = 3  # of each kind, run and not counted: machine code is compiled or loaded in them
USAGE = f"usage: python -m tests.bench soak [COUNT [FIRST]] [KIND ...], kinds: {', '.join(KINDS)}"
HEADS = ("kind", "tried", "left out", "passed", "failed", "bridged", "bridges", "longest", "")
LINE = "  {:<8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>9}  {}"


@dataclass
class Tally:
    """Counts of one kind, or of all."""

    tried: int = 0
    left_out: int = 0
    failed: int = 0
    bridged: int = 0  # runs with bridges
    bridges: int = 0
    longest: float = 0.0  # s of processor time
    longest_run: str = ""  # kind and seed

    def add(self, kind: str, seed: int, found: Judgement) -> None:
        self.tried += 1
        self.left_out += found.left_out
        self.failed += bool(found.faults)
        self.bridged += found.n_bridges > 0
        self.bridges += found.n_bridges
        if found.cpu > self.longest:
            self.longest, self.longest_run = found.cpu, f"{kind} {seed}"

    def describe(self, name: str) -> str:
        passed = self.tried - self.left_out - self.failed
        return LINE.format(name, self.tried, self.left_out, passed, self.failed, self.bridged, self.bridges,
                           f"{self.longest:.2f} s", self.longest_run)


def add_tallies(tallies: list[Tally]) -> Tally:
    """All kinds together, with the longest run of all."""
    total = Tally(**{field.name: sum(getattr(tally, field.name) for tally in tallies)
                     for field in fields(Tally) if field.name not in ("longest", "longest_run")})
    for tally in tallies:
        if tally.longest > total.longest:
            total.longest, total.longest_run = tally.longest, tally.longest_run
    return total


def parse_words(words: list[str]) -> tuple[int, int, list[str]]:
    """(count, first seed, kinds). Raises ValueError with what is valid."""
    numbers = [int(word) for word in words if word.isdecimal()]
    kinds = [word for word in words if not word.isdecimal()]
    for kind in kinds:
        if kind not in KINDS:
            raise ValueError(f"{kind!r} is no kind and no number; {USAGE}")
    if len(numbers) > 2 or numbers[:1] == [0]:
        raise ValueError(f"one or two numbers were expected, the first at least 1; {USAGE}")
    count, first = (*numbers, COUNT, 0)[:2] if len(numbers) != 1 else (numbers[0], 0)
    return count, first, kinds or list(KINDS)


def try_seed(kind: str, seed: int) -> Judgement:
    """Build, run and judge; an error is a failure as well, floating-point errors included."""
    try:
        with np.errstate(all="raise", under="ignore"):
            return judge(build_case(kind, seed))
    except Exception as error:
        return Judgement([f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"])


@contextmanager
def show_bar(total: int) -> Iterator[Progress]:
    """A bar on a terminal; lines printed meanwhile stand above it, or go where standard output goes."""
    console = make_console(stderr=True)
    bar = Progress(TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed} of {task.total} runs"),
                   TimeRemainingColumn(), console=console, transient=True, disable=not console.is_terminal,
                   redirect_stdout=sys.stdout.isatty())
    bar.add_task("", total=total)
    with bar:
        yield bar


def soak(count: int, first: int, kinds: list[str], tallies: dict[str, Tally]) -> None:
    """Run all seeds of all kinds; `tallies` has the counts so far at any moment, kinds in their order."""
    with show_bar(count * len(kinds)) as bar:
        task = bar.task_ids[0]
        bar.update(task, description="warming up")
        for kind in kinds:
            for seed in range(WARM_SEEDS):
                try_seed(kind, seed)
        for kind in kinds:
            tally = tallies[kind] = Tally()
            for seed in range(first, first + count):
                bar.update(task, description=f"{kind} {seed}")
                found = try_seed(kind, seed)
                tally.add(kind, seed, found)
                if found.faults:
                    print(f"  {kind} {seed}: {'; '.join(found.faults)}", flush=True)
                bar.advance(task)
            print(tally.describe(kind), flush=True)


def main(words: list[str]) -> int:
    """Print the counts of each kind and of all; returns the exit code."""
    try:
        count, first, kinds = parse_words(words)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    tallies: dict[str, Tally] = {}
    interrupted = False
    print(LINE.format(*HEADS).rstrip(), flush=True)
    try:
        soak(count, first, kinds, tallies)
    except KeyboardInterrupt:
        interrupted = True
        print("Interrupted; the counts so far:")
        for kind in tallies:
            print(tallies[kind].describe(kind))
    total = add_tallies(list(tallies.values()))
    print(total.describe("all"), flush=True)
    return 130 if interrupted else int(total.failed > 0)
