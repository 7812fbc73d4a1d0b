"""Ctrl-C while compiled code is called."""

import signal

import pytest

from sim.rows.status_codes import PAUSED
from sim.run import cold_start


def test_ctrl_c_waits_until_compiled_code_has_come_back(monkeypatch):
    """numba turns one that falls while it reads the arguments into the error that a record has no `data`."""
    done = []

    def call():
        signal.raise_signal(signal.SIGINT)
        done.append(PAUSED)
        return PAUSED

    monkeypatch.setattr(cold_start, "find_program", lambda arguments: call)
    monkeypatch.setattr(cold_start, "is_kernel", lambda kernel: True)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
    try:
        with pytest.raises(KeyboardInterrupt):
            cold_start.advance((1, 2))
    finally:
        signal.signal(signal.SIGINT, before)
    assert done == [PAUSED]
