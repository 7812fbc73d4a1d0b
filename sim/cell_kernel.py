"""One run of a sweep in compiled code: nothing is logged, what the row of the table needs is gathered on the way."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from geometry._jit import jit, kernel
from sim.engine import run_chunk
from sim.recorder import compute_kinetic, compute_load_work
from sim.records import CONTACT_LETTERS
from sim.status_codes import PAUSED

# Calls of the time loop before Python may look whether it shall end: about a tenth of a second of events.
ROUNDS = 64
MODE_BYTES = 2048  # of the history of a run; a longer one is cut
SEPARATOR, FREE_SIGN, NO_MOTION_SIGN, CUT_SIGN = 32, 45, 33, 43  # " ", "-", "!", "+"
LETTERS = np.array([ord(letter) for letter in CONTACT_LETTERS], dtype=np.uint8)

# Places of the numbers in `Tally.numbers`.
PEAK_FN, KINETIC_START, KINETIC_END, WORK_LOAD = range(4)


class Tally(NamedTuple):
    """What a run leaves behind besides its state."""

    numbers: np.ndarray  # (4,) see above; N, J
    modes: np.ndarray  # (MODE_BYTES,) uint8: the modes one after the other, with SEPARATOR between
    size: np.ndarray  # (2,) int64: bytes written in `modes`; start of the last mode
    last: np.ndarray  # (5,) int64: contacts in the last row, their first row, whether it has a motion; rows; contacts


def allocate_tally() -> Tally:
    """An empty tally."""
    return Tally(np.zeros(4), np.zeros(MODE_BYTES, np.uint8), np.zeros(2, np.int64), np.zeros(5, np.int64))


@kernel
def run_cell(body, options, state, tools, log, tally):
    """Run on until the end, or until ROUNDS buffers were filled; returns a status code or PAUSED.

    The rows of the last buffer stay in `log` for a look at the contacts of the end.
    """
    code = PAUSED
    for _ in range(ROUNDS):
        log.counts[0], log.counts[1], log.counts[2], log.counts[3] = 0, 0, 0, 0
        code = run_chunk(body, options, state, tools, log)
        _gather(log, tally)
        log.counts[4] += log.counts[1]
        log.counts[5] += log.counts[3]
        if code != PAUSED:
            break
    tally.numbers[KINETIC_START] = compute_kinetic(body, state.start_velocity)
    tally.numbers[KINETIC_END] = compute_kinetic(body, state.velocity)
    tally.numbers[WORK_LOAD] = compute_load_work(body, state, state.pose)
    return code


@kernel
def _gather(log, tally):
    """Take the largest normal force and the modes from the rows in the buffers."""
    first, last = 0, tally.last
    for i in range(log.counts[0]):
        row = log.steps[i]
        n = row["n_contacts"]
        for k in range(first, first + n):
            tally.numbers[PEAK_FN] = max(tally.numbers[PEAK_FN], log.contacts[k]["fn"])
        _append_mode(log, tally, first, n, row["set_kind"])
        last[0], last[1] = n, first
        last[2] = 1 if row["set_kind"] > 0 else 0
        last[3] += 1
        last[4] += n
        first += n


@kernel
def _append_mode(log, tally, first, n, set_kind):
    """Append the mode of a row to the history, unless it is that of the row before."""
    modes, end = tally.modes, tally.size[0]
    need = max(n, 1)
    if end + 1 + need + 2 > modes.shape[0]:
        if end > 0 and modes[end - 1] != CUT_SIGN:
            modes[end], modes[end + 1] = SEPARATOR, CUT_SIGN
            tally.size[0] = end + 2
        return
    start = end + 1 if end > 0 else 0
    for k in range(need):
        modes[start + k] = _get_sign(log, first + k, n, set_kind)
    if end > 0:
        before = tally.size[1]
        same = end - before == need
        for k in range(need):
            same = same and modes[before + k] == modes[start + k]
        if same:
            return
        modes[end] = SEPARATOR
    tally.size[0], tally.size[1] = start + need, start


@jit
def _get_sign(log, k, n, set_kind):
    if n > 0:
        return LETTERS[log.contacts[k]["letter"]]
    return np.uint8(FREE_SIGN if set_kind > 0 else NO_MOTION_SIGN)
