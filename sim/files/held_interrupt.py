"""Ctrl-C between two things that belong together waits until both are done."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def hold_interrupts() -> Iterator[None]:
    """A `with` block into which Ctrl-C does not fall: it is treated at the end of the block, as it would have been
    before. Outside the main thread, where Ctrl-C never falls, it changes nothing."""
    before = signal.getsignal(signal.SIGINT) if threading.current_thread() is threading.main_thread() else None
    if not callable(before):  # ignored, or left to the system
        yield
        return
    received: list[tuple] = []
    signal.signal(signal.SIGINT, lambda *what: received.append(what))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if received:
            before(*received[-1])
