"""What a run is made of: options, state, work arrays and log buffers, as compiled code sees them.

Everything that must survive between two calls of the compiled loop is in `State`; a run is therefore a pure function of its
scene, whatever the size of the buffers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.accelerations import SetBuffer, allocate_set_buffer
from dynamics.closed import Closed, allocate_closed
from dynamics.constrained import Mode, allocate_mode
from dynamics.tolerances import Tolerances
from geometry.detection import Scratch, allocate_scratch
from sim.events import Probe, Scales, allocate_probe
from sim.records import CONTACT_DTYPE, EVENT_DTYPE, STEP_DTYPE
from sim.step import StepWork, allocate_step

# Contacts that may be closed at one time. Sixty-four teeth of a comb on a plate still fit twice over.
CAPACITY = 128

# phases of the loop
JUMP, STEP, TICKS, DONE = 0, 1, 2, 3

# State.clock
(TIME, NEXT_STEP, CLEARANCE, PATH_START, PATH_LENGTH, LAST_FLIGHT, TALLY, NOT_UNIQUE, LAST_ROW, LAST_EVENT) = range(10)

# State.counter
(PHASE, STEPS, REJECTED, EVALUATIONS, EVENTS, IMPACTS, STALLS, SET_KIND, MEMBERS, NEXT_TICK, CAUSE, AHEAD, MUTED, AT_REST,
 AFTER_TICKS) = range(15)  # fmt: skip

# State.work: energies per mass [J/kg] since the start, and the powers of friction at both ends of the path
FRICTION, IMPACT_WORK, FRICTION_START, POWER_START, POWER_END = range(5)

# State.residual: the account
PENETRATION, GAP, SLIP_DRIFT, BALANCE, CONE = range(5)


class Options(NamedTuple):
    """What the user asked for."""

    duration: float  # s
    interval: float  # s between output rows, 0: none
    step: float  # s, fixed step, 0: adaptive
    tolerance: float  # local error of a step relative to the part's size and speed
    rule: int  # index into dynamics.choose.RULES
    max_steps: int
    scales: Scales
    tolerances: Tolerances


class State(NamedTuple):
    """The state of a run."""

    clock: np.ndarray  # (10,)
    counter: np.ndarray  # (15,) int64
    pose: np.ndarray  # (3,)
    velocity: np.ndarray  # (3,)
    acceleration: np.ndarray  # (3,)
    origin: np.ndarray  # (3,) pose at the start
    start_velocity: np.ndarray  # (3,)
    work: np.ndarray  # (5,)
    residual: np.ndarray  # (5,)
    path: np.ndarray  # (3, 6) motion of the current step
    cause: np.ndarray  # (3,) int64, contact of the event to be treated
    ahead_pose: np.ndarray  # (3,) a state shortly after the event, where the old mode is clearly violated
    ahead_velocity: np.ndarray  # (3,)
    mode: Mode
    rest_force: np.ndarray  # (capacity, 2) forces of a part at rest


class Tools(NamedTuple):
    """Work arrays; their content does not matter between calls."""

    scratch: Scratch
    closed: Closed
    struck: Closed
    buffer: SetBuffer
    step: StepWork
    probe: Probe
    start: np.ndarray  # (9,) pose, velocity, acceleration at the start of a step
    end: np.ndarray  # (9,)
    vector: np.ndarray  # (3,)
    other: np.ndarray  # (3,)


class Log(NamedTuple):
    """Row buffers; `counts` is (steps, contacts, events, impulses) in the buffers, then the contacts and impulses
    written before them."""

    counts: np.ndarray  # (6,) int64
    steps: np.ndarray
    contacts: np.ndarray
    events: np.ndarray
    impulses: np.ndarray


def allocate_state() -> State:
    """A state with everything zero."""
    three = [np.zeros(3) for _ in range(5)]
    return State(
        np.zeros(10), np.zeros(15, dtype=np.int64), *three, np.zeros(5), np.zeros(5), np.zeros((3, 6)),
        np.zeros(3, dtype=np.int64), np.zeros(3), np.zeros(3), allocate_mode(CAPACITY), np.zeros((CAPACITY, 2)),
    )  # fmt: skip


def allocate_tools(part, walls) -> Tools:
    """Work arrays for one part and its walls."""
    return Tools(
        allocate_scratch(part, walls), allocate_closed(CAPACITY), allocate_closed(CAPACITY),
        allocate_set_buffer(CAPACITY), allocate_step(), allocate_probe(),
        np.zeros(9), np.zeros(9), np.zeros(3), np.zeros(3),
    )  # fmt: skip


def allocate_log(rows: int) -> Log:
    """Buffers for about `rows` rows."""
    contacts = 4 * rows + 2 * CAPACITY
    return Log(
        np.zeros(6, dtype=np.int64), np.zeros(rows, STEP_DTYPE), np.zeros(contacts, CONTACT_DTYPE),
        np.zeros(rows, EVENT_DTYPE), np.zeros(contacts, CONTACT_DTYPE),
    )  # fmt: skip
