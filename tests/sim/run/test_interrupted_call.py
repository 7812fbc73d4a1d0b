"""Ctrl-C while compiled code is called."""

import signal
from types import SimpleNamespace

import pytest

from sim.engine import entrance
from sim.rows.status_codes import PAUSED
from sim.run import cold_start


def test_ctrl_c_waits_until_compiled_code_has_come_back(monkeypatch):
    """numba turns one that falls while it reads the arguments into the error that a record has no `data`."""
    done = []

    def enter(*arguments):
        signal.raise_signal(signal.SIGINT)
        done.append(arguments)
        return PAUSED

    monkeypatch.setattr(entrance, "enter", enter)
    monkeypatch.setattr(entrance, "pack", lambda *arguments: arguments)
    monkeypatch.setattr(cold_start, "is_ready", lambda *unused: True)
    monkeypatch.setattr(cold_start.numba_private, "is_kernel", lambda kernel: True)
    monkeypatch.setattr(cold_start.entrances, "get_entrance", lambda kernel: SimpleNamespace(overloads=[1]))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
    try:
        with pytest.raises(KeyboardInterrupt):
            cold_start.advance((1, 2))
    finally:
        signal.signal(signal.SIGINT, before)
    assert done == [(1, 2)]
