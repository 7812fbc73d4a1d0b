"""Processes that compile what others asked for: at most one for each of two processors of a machine, of the lowest
priority, bounded in time. They belong to nobody, and what they leave undone is done by the next.

A request is a file in the code folder; whoever renames it has taken it. Which processes work is told by locks on bytes
of a file, that end with the process whatever ends it. Kernels are locked while they are compiled, see `machine_code`,
so that two processes that need the same one do not both compile it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from geometry.compiled import entrances, shared_files
from geometry.compiled.code_folder import SUFFIX, find_folder
from geometry.compiled.compile_clock import CompileClock
from geometry.compiled.shared_files import read_sealed

# What a variable of the environment says of calls for which there is no machine code, see `cold_code.py`.
VARIABLE = "STICTION_COMPILE"
BACKGROUND, WAIT, HERE = "background", "wait", "here"

MOST_SLOTS = 2
# A process that compiles ends after so long [s], several times what all kernels take. Larger: one that hangs stays
# longer. Smaller: a slow machine never gets done.
LONGEST = 900.0
# A program begins so many of them, and none within so many seconds of the last. Reason: where they die, more die too.
MOST_BEGUN, BEGIN_EVERY = 6, 10.0
# What a process looks at after its last request, [s]: a program asks for more when it comes to other kernels.
LINGER = 0.5

_own: set[int] = set()  # slots of this process
_begun: list[subprocess.Popen] = []
_last_begun = [-BEGIN_EVERY]
_gave_up = [False]


def name_request(folder: Path, rank: int, name: str) -> Path:
    return folder / f"wanted-{rank:02d}-{name}{SUFFIX}"


def count_slots() -> int:
    return min(MOST_SLOTS, os.cpu_count() or 1)


def take_slot(folder: Path) -> int | None:
    """The number of a slot that this process has from now on, None if all are taken. Raises NoLocks."""
    for slot in range(count_slots()):
        if slot not in _own and shared_files.take_lock(folder, slot):
            _own.add(slot)
            return slot
    return None


def leave_slot(folder: Path, slot: int) -> None:
    _own.discard(slot)
    shared_files.give_back_lock(folder, slot)


def count_free(folder: Path) -> int:
    """How many more processes may compile. Raises NoLocks."""
    mine = set()
    while (slot := take_slot(folder)) is not None:
        mine.add(slot)
    for slot in mine:
        leave_slot(folder, slot)
    return len(mine)


def begin(folder: Path, low: bool = True) -> bool:
    """Begin processes that compile, as many as may be, of low priority unless somebody waits for them; returns whether
    somebody compiles."""
    try:
        free = count_free(folder)
    except shared_files.NoLocks:
        return False
    if free == 0 or time.monotonic() < _last_begun[0] + BEGIN_EVERY:
        return not _gave_up[0]
    if len(_begun) >= MOST_BEGUN:
        _gave_up[0] = True
    # the modules of this process, and not what lies in the working folder under the same names (-P)
    program = (f"import sys; sys.path[:] = {sys.path!r}; from pathlib import Path; "
               f"from geometry.compiled.background import main; main(Path({str(folder)!r}), {low})")
    # not of the group that Ctrl-C ends; of the same session, for Linux weighs low priorities within a session alone
    own: dict[str, Any] = {"env": {**os.environ, VARIABLE: HERE}}
    if sys.platform == "win32":
        own["creationflags"] = subprocess.DETACHED_PROCESS | subprocess.BELOW_NORMAL_PRIORITY_CLASS
    else:
        own["process_group"] = 0
    for _ in range(0 if _gave_up[0] else free):
        try:
            _begun.append(subprocess.Popen([sys.executable, "-P", "-c", program], stdin=subprocess.DEVNULL,
                                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **own))
        except OSError:  # no memory, or no more processes
            _gave_up[0] = not _begun
            break
    _last_begun[0] = time.monotonic()
    return not _gave_up[0]


def fulfil_requests(folder: Path) -> int:
    """Take request after request until there is none; returns their number."""
    count = 0
    while waiting := sorted(folder.glob("wanted-*" + SUFFIX)):
        taken = waiting[0].with_name(f"taken-{os.getpid()}-{waiting[0].name}")
        try:
            os.rename(waiting[0], taken)
        except FileNotFoundError:
            continue  # another process has it
        except OSError:
            break
        count += 1
        request = read_sealed(taken)
        try:
            if request is not None:
                entrances.fulfil(request)
        except Exception:  # who asked will compile by himself, and hear why that fails
            pass
        taken.unlink(missing_ok=True)
    return count


def main(folder: Path, low: bool) -> None:
    """What a process does that compiles."""
    if low and hasattr(os, "nice"):
        os.nice(19)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    end = threading.Timer(LONGEST, os._exit, (1,))
    end.daemon = True
    end.start()
    sys.modules["scipy.linalg.cython_blas"] = None  # numba looks for it, and no kernel uses it
    if find_folder() != folder or take_slot(folder) is None:
        return  # the sources are others by now, or enough processes are at work
    if count_free(folder) == count_slots() - 1:  # what a process that was killed had taken is wanted again
        for path in folder.glob("taken-*" + SUFFIX):
            with contextlib.suppress(OSError):
                path.rename(path.with_name(path.name[path.name.index("wanted-"):]))
    with CompileClock():
        while fulfil_requests(folder):
            time.sleep(LINGER)
