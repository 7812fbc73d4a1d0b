"""Ctrl-C in a sweep: the first one lets the runs that are going on end, the second one does not."""

from __future__ import annotations

import signal
import threading


class StopSign:
    """A `with` block in which Ctrl-C sets a sign instead of raising KeyboardInterrupt somewhere in the middle of a
    write. Outside the main thread, where Python allows no handlers, it changes nothing."""

    def __init__(self):
        self._soft, self._hard = threading.Event(), threading.Event()
        self._before = None

    def __enter__(self) -> StopSign:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._receive)
        return self

    def __exit__(self, *unused) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
            self._before = None

    def _receive(self, *unused) -> None:
        if self._soft.is_set():
            self._hard.set()
        self._soft.set()

    def is_set(self) -> bool:
        """Shall no further run begin?"""
        return self._soft.is_set()

    def is_hard(self) -> bool:
        """Shall runs be broken off?"""
        return self._hard.is_set()

    def set_hard(self) -> None:
        """Break off."""
        self._soft.set()
        self._hard.set()
