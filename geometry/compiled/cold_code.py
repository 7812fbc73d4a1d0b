"""What runs while there is no machine code: the same functions, interpreted; other processes compile meanwhile.

Where Python calls a kernel for which nothing lies in the code folder, the call is interpreted at once, and what it
lacks is written into the folder as a request. One process for each of two processors, of the lowest priority, works the
requests off and ends (`background.py`); it outlives the command that began it. Every call asks again, so a program goes
on in compiled code as soon as that is there. Results are the same bits either way.

`STICTION_COMPILE` says otherwise: `wait` compiles before a call, as tests and measurements need, `here` does so in this
process alone. `wait_for_code()` is the same from Python. Where nothing can be handed over, because the folder cannot be
written or no process started, a program is interpreted for PATIENCE seconds and then compiles by itself.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from geometry.compiled import background, entrances, shared_files
from geometry.compiled.background import BACKGROUND, HERE, VARIABLE, WAIT
from geometry.compiled.code_folder import find_folder
from geometry.compiled.entrances import CALLED, FRAMED, INSIDE
from geometry.compiled.interpreted import get_twin
from geometry.compiled.kernel import is_kernel
from geometry.compiled.shared_files import write_sealed

# Interpreted for so long [s], a program compiles by itself if nobody else does. Reason: short commands end before, and
# a long one should not run slowly for good. Larger: longer ones run slowly. Smaller: short ones wait for the compiler.
PATIENCE = 5.0

# A look for machine code on disk every so often [s]. Larger: code that is ready is not used. Smaller: looks cost more
# than the calls.
LOOK_EVERY = 0.2

_lock = threading.Lock()
_waits = threading.Event()
_looked: dict[tuple, float] = {}  # (kernel, types): when the next look is due
_reports: list[Callable[[], None]] = []
_spent = [0.0]  # s interpreted by this process


def get_mode() -> str:
    """BACKGROUND, WAIT or HERE. Raises ValueError for another word in the environment."""
    word = os.environ.get(VARIABLE, BACKGROUND) or BACKGROUND
    if word not in (BACKGROUND, WAIT, HERE):
        raise ValueError(f"{VARIABLE} = {word!r}: valid: {BACKGROUND}, {WAIT}, {HERE}")
    return WAIT if _waits.is_set() and word == BACKGROUND else word


def wait_for_code() -> None:
    """From now on this process compiles what it calls, and waits for that: for what is measured, or runs for hours."""
    _waits.set()


def find_code(kernel: Any, arguments: tuple) -> Callable:
    """What runs when Python calls a kernel that has no entrance for such arguments yet: compiled, or its twin."""
    if is_ready(kernel, arguments):
        return entrances.compile_for_call(kernel, arguments)
    twin = get_twin(kernel)

    def call(*given):
        with interpreting():
            return twin(*given)

    return call


@contextlib.contextmanager
def interpreting() -> Iterator[None]:
    """Around what is interpreted: counts its time, and reports the first."""
    while _reports:
        _reports.pop()()
    began = time.perf_counter()
    try:
        yield
    finally:
        _spent[0] += time.perf_counter() - began


@contextlib.contextmanager
def report_interpreted(report: Callable[[], None]) -> Iterator[None]:
    """Call `report` once if anything is interpreted within."""
    _reports.append(report)
    try:
        yield
    finally:
        if report in _reports:
            _reports.remove(report)


def was_interpreted() -> bool:
    """Whether anything was interpreted in this process for want of machine code."""
    return _spent[0] > 0.0


def is_ready(kernel: Any, arguments: tuple, framed: bool = False) -> bool:
    """Whether a call of a kernel is to run compiled: its code is there, or has to be waited for. Where not, the code is
    asked for. framed: see `entrances.find_entrance`."""
    if not is_kernel(kernel):
        return True  # nothing is compiled
    from geometry.compiled import machine_code

    kinds = entrances.get_types(arguments)
    if kinds is None or get_mode() != BACKGROUND:
        return True
    entrance, own = entrances.find_entrance(kernel, kinds, framed)
    if own in entrance.overloads:
        return True
    path = machine_code.find_file(kernel, kinds, framed)
    if path is None:  # none is kept of a kernel of the user, nor where there is no folder
        return not machine_code.is_ours(kernel) or _spent[0] >= PATIENCE
    now = time.monotonic()
    if now < _looked.get((kernel, kinds), 0.0):
        return False
    if path.exists():
        return True
    with _lock:
        _looked[kernel, kinds] = now + LOOK_EVERY
        asked = ask_for(kernel, kinds, RANK_CALLED, FRAMED if framed else CALLED)
        return not (asked and background.begin(path.parent)) and _spent[0] >= PATIENCE


# Ranks of requests: the parts of a large kernel come first, so that several processes share it.
RANK_CALLED = 90


def ask_for(kernel: Any, kinds: tuple, rank: int, called: int = INSIDE) -> bool:
    """Put a request for the machine code of a kernel into the code folder, unless it is there; called: see
    `entrances.pack_request`. Returns whether that could be done."""
    folder = find_folder()
    if folder is None:
        return False
    from geometry.compiled.arguments import unify

    kinds = kinds if called == CALLED else unify(kinds)
    request = entrances.pack_request(kernel, kinds, called)
    name = f"{kernel.py_func.__module__}.{kernel.py_func.__qualname__}{kinds}{called}"
    path = background.name_request(folder, rank, hashlib.sha256(name.encode()).hexdigest()[:16])
    try:
        if not path.exists():
            write_sealed(path, request)
    except OSError:
        return False
    return True


def work_off(folder: Path) -> None:
    """Fulfil what was asked for in this process, and beside it in another one if there is a processor for it."""
    slot = None
    with contextlib.suppress(shared_files.NoLocks):
        slot = background.take_slot(folder)
    try:
        background.begin(folder, low=False)
        background.fulfil_requests(folder)
    finally:
        if slot is not None:
            background.leave_slot(folder, slot)
