"""Damage files in many ways and read each in a process of its own, with a limit of time.

    python -m tests.sim.fuzz_files SEED COUNT FILE ...      prints, as JSON, how often each file did what

A file that was cut short, or in which bits, bytes or whole blocks are not what they were, may be read (a changed number
is a number), or be refused with one line that names it. All else is a defect: another error, a crash, no end.
"""

import json
import os
import random
import sys
import time
import warnings
from pathlib import Path

import numpy as np

from sim.cli.reports.report_run import describe_run
from sim.log.check_log import check_account, check_log
from sim.log.reading import TrajectoryFileError, count_branches, describe_file, read_trajectory, read_tree
from sim.scene.scene_errors import SceneError
from sim.sweep.axes import SweepError
from sim.sweep.refine.refinement_file import read_refinements
from sim.sweep.sweep_file import is_sweep_file
from sim.sweep.sweep_result import read_sweep

LIMIT = 20.0  # s for one file
KINDS = ("cut", "bit", "byte", "zeros", "block", "text heap")
READ, REFUSED, DEFECT, CRASH, HANG = "read", "refused", "defect", "crash", "hang"


def damage(whole: bytes, kind: str, rng: random.Random) -> bytes:
    """One file with one kind of damage."""
    content, place = bytearray(whole), rng.randrange(len(whole))
    used = len(whole.rstrip(b"\0"))  # what lies behind was reserved and holds nothing
    if kind == "cut":
        return whole[:rng.randrange(used)]
    if kind == "text heap":
        heaps = [at for at in range(len(whole)) if whole.startswith(b"GCOL", at)] if b"GCOL" in whole else []
        place = rng.choice(heaps) + rng.randrange(400) if heaps else rng.randrange(used)
    elif rng.random() < 0.5:
        place = rng.randrange(min(used, 60_000))  # where most of the structure is
    place = min(place, used - 1)
    if kind == "bit":
        content[place] ^= 1 << rng.randrange(8)
    elif kind in ("zeros", "block"):
        size = rng.choice((8, 64, 512, 4096))
        content[place : place + size] = bytes(size) if kind == "zeros" else rng.randbytes(size)
    else:
        content[place] = rng.choice((0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)))
    return bytes(content[: len(whole)])


def read(path: Path, is_sweep: bool) -> None:
    """All that is read of a file."""
    is_sweep_file(path)
    if is_sweep:
        found = read_sweep(path)
        for name in found.table.dtype.names:
            found.get_grid(name)
        found.count()
        found.plan.tabulate(found["cell"])
        read_refinements(path)
        return
    describe_file(path)
    if count_branches(path):
        tree = read_tree(path)
        for branch in range(len(tree)):
            if tree.branches[branch].rows is not None:
                use(read_trajectory(path, branch))
    else:
        use(read_trajectory(path))


def use(trajectory) -> None:
    """What the commands do with a log."""
    from sim.log.reading import check_meaning

    try:
        check_meaning(trajectory, "x.h5")
    except TrajectoryFileError:
        return
    check_log(trajectory)
    check_account(trajectory)
    describe_run(trajectory)
    trajectory.describe()


def try_file(path: Path, is_sweep: bool) -> tuple[str, str]:
    """What reading a file comes to, in a process of its own."""
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(receive)
        try:
            read(path, is_sweep)
            answer = [READ, ""]
        except (TrajectoryFileError, SweepError, SceneError) as error:
            named = str(path) in str(error) and "\n" not in str(error)
            answer = [REFUSED if named else DEFECT, f"{type(error).__name__}: {error}"]
        except BaseException as error:
            answer = [DEFECT, f"{type(error).__name__}: {error}"]
        os.write(send, json.dumps(answer).encode())
        os._exit(0)
    os.close(send)
    ends = time.monotonic() + LIMIT
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        if time.monotonic() > ends:
            os.kill(child, 9)
            os.waitpid(child, 0)
            os.close(receive)
            return HANG, ""
        time.sleep(0.001)
    with open(receive, "rb") as pipe:
        answer = pipe.read()
    return tuple(json.loads(answer)) if answer else (CRASH, "")


def main(seed: int, count: int, files: list[Path]) -> dict:
    """The counts, and examples of what is wrong."""
    warnings.simplefilter("error")
    np.seterr(all="ignore")
    rng, counts, wrong = random.Random(seed), {}, []
    for file in files:
        whole, is_sweep = file.read_bytes(), is_sweep_file(file)
        damaged = file.with_name(f"damaged-{os.getpid()}-{file.name}")
        for number in range(count):
            kind = KINDS[number % len(KINDS)]
            damaged.write_bytes(damage(whole, kind, rng))
            what, why = try_file(damaged, is_sweep)
            counts.setdefault(file.name, {}).setdefault(what, 0)
            counts[file.name][what] += 1
            if what not in (READ, REFUSED):
                wrong.append(f"{file.name}, number {number}, {kind}: {what} {why}")
        damaged.unlink()
    return {"seed": seed, "counts": counts, "wrong": wrong}


if __name__ == "__main__":
    print(json.dumps(main(int(sys.argv[1]), int(sys.argv[2]), [Path(name) for name in sys.argv[3:]]), indent=1))
