"""Ctrl-C between two things that belong together waits until both are done."""

from __future__ import annotations

import signal
import threading
from types import TracebackType
from typing import Any

try:  # what `signal` itself calls: around it, it looks for each handler among its constants, ten times as long
    from _signal import getsignal as _get  # type: ignore[import-not-found]
    from _signal import signal as _set  # type: ignore[import-not-found]
except ImportError:
    from signal import getsignal as _get
    from signal import signal as _set

_MAIN = threading.main_thread()


class _Hold:
    """See `hold_interrupts`."""

    __slots__ = ("_before", "_received")

    def __enter__(self) -> None:
        before = self._before = _get(signal.SIGINT) if threading.current_thread() is _MAIN else None
        if callable(before):  # not ignored, nor left to the system
            received = self._received = []
            _set(signal.SIGINT, lambda *what: received.append(what))

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
                 ) -> None:
        before: Any = self._before
        if callable(before):
            _set(signal.SIGINT, before)
            if self._received:
                before(*self._received[-1])


def hold_interrupts() -> _Hold:
    """A `with` block into which Ctrl-C does not fall: it is treated at the end of the block, as it would have been
    before. Outside the main thread, where Ctrl-C never falls, it changes nothing."""
    return _Hold()
