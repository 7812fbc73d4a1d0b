"""What a run is made of: options, state, work arrays and log buffers, as compiled code sees them.

Everything that must survive between two calls of the compiled loop is in `STATE`; a run is therefore a pure function of
its scene, whatever the size of the buffers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.codes import MOST_LOADS, MOST_NAMED
from dynamics.loads.control import SAMPLE
from dynamics.motion.closed import CLOSED
from dynamics.motion.collocation import COLLOCATION
from dynamics.motion.mode import CAPACITY, MODE, MotionState
from dynamics.motion.mode_series import MODE_SERIES
from dynamics.motion.scales import Scales
from dynamics.search.members import SetBuffer, allocate_set_buffer
from dynamics.tolerances import Tolerances
from geometry.compiled.jit import jit
from geometry.compiled.record import allocate_record, define_record
from geometry.contact.detection import Scratch, allocate_scratch
from geometry.contact.path import PATH, TERMS
from sim.engine.events import PROBE
from sim.rows.ending_codes import MOST_GOALS
from sim.rows.records import CONTACT_DTYPE, EVENT_DTYPE, STEP_DTYPE

# phases of the loop
JUMP, STEP, TICKS, DONE = 0, 1, 2, 3

# what a member of a set is, where the choice is given from outside
NOTHING, ACCELERATION, VELOCITY = 0, 1, 2

# a last state without acceleration: with no contacts to show, or with those of a jam
UNDECIDED, JAM = 1, 2


class SceneBox(NamedTuple):
    """What a part leaves that leaves the scene, see `sim.instant.scene_box`; infinite on a side where none does."""

    left: float  # m
    bottom: float
    right: float
    top: float


class Options(NamedTuple):
    """What the user asked for."""

    duration: float  # s
    interval: float  # s between output rows, 0: none
    step: float  # s, fixed step, 0: adaptive
    tolerance: float  # local error of a step relative to the part's size and speed
    order: int  # of the path of a step, see `dynamics.motion.mode_series.find_order`
    rule: int  # index into dynamics.codes.RULES
    survey: bool  # look for other accelerations after every step
    max_steps: int
    scales: Scales
    tolerances: Tolerances
    goals: np.ndarray  # (n,) sim.engine.endings.GOAL, in the order of the scene
    box: SceneBox


STATE = define_record(
    ("time", "f8"),
    ("pose", "f8", (3,)), ("velocity", "f8", (3,)),
    ("mode", MODE),
    ("phase", "i8"),
    ("at_rest", "i8"), ("rest_force", "f8", (CAPACITY, 2)),  # a part at rest, and its forces per mass
    # the current step: its path, what follows it, the next step's length, how far no contact can be
    ("path", PATH), ("friction_path", "f8", (TERMS,)),  # and work of friction per mass along it
    ("path_start", "f8"), ("path_length", "f8"), ("after_ticks", "i8"),
    ("next_step", "f8"), ("clearance", "f8"),
    # a step by collocation: is the path one, the length of the next, steps until that is tried, these after a failure
    ("collocated", "i8"), ("long_step", "f8"), ("long_wait", "i8"), ("long_pause", "i8"),
    # the event to be treated: kind, contact, and a state shortly after it where the old mode is clearly violated
    ("cause_kind", "i8"), ("cause", "i8", (3,)),
    ("ahead", "i8"), ("ahead_time", "f8"), ("ahead_pose", "f8", (3,)), ("ahead_velocity", "f8", (3,)),
    ("muted", "i8"),  # the forces of the basis no longer tell whether the mode lasts
    # what to take where there is a choice, given from outside (NOTHING, ACCELERATION or VELOCITY); where the run waits
    # for that; and whether an impact has happened in the jump that waits
    ("forced", "i8"), ("forced_value", "f8", (3,)), ("fork", "i8"), ("struck", "i8"),
    ("singular", "i8"),  # the mode has become singular: a sliding contact jams
    ("random", "i8", (1,)),  # state of the generator of choice "random"
    ("undecided", "i8"),  # UNDECIDED or JAM where the run has ended in a state without an acceleration
    # work so far; its amount, or the number of steps and events, and the time when progress was judged by it last
    ("looks", "i8"),  # places looked at since the last event
    ("effort", "i8"), ("mark_effort", "i8"), ("mark_time", "f8"), ("mark_count", "i8"), ("mark_since", "f8"),
    ("mark_advance", "f8"),  # s by which time got on, the last time

    ("bridges", "i8"), ("bridged", "f8"), ("bridge_work", "f8"),  # see `sim.engine.bounces.bridge`: number, s, J/kg
    ("last_bridge", "f8"), ("bridge_length", "f8"),  # s: when the last one ended, and how long it was
    ("last_event", "f8"), ("stalls", "i8"), ("last_flight", "f8"), ("last_impact", "f8"),
    # what ends the run, see `sim.rows.ending_codes`; s: since when the part has been still, and in each goal, or -1
    ("ending", "i8"), ("still_since", "f8"), ("inside_since", "f8", (MOST_GOALS,)),
    # output
    ("next_tick", "i8"), ("last_row", "f8"),
    # uniqueness
    ("set_kind", "i8"), ("members", "i8"), ("tally", "f8"), ("not_unique", "f8"),
    ("kind_time", "f8"), ("kind_before", "i8"),  # since when the set is of its kind, and of which kind it was before
    # energies per mass [J/kg] since the start
    ("origin", "f8", (3,)), ("start_velocity", "f8", (3,)),
    ("friction", "f8"), ("impact", "f8"), ("friction_start", "f8"),
    ("pushed", "f8"), ("pushed_start", "f8"),  # work of obstacles that move
    ("turned", "f8"), ("turned_start", "f8"),  # work of the load, where it changes
    # of each of `Body.loads`: does it act; the work [J] that it has done on the part, and that its dampers have taken
    ("load_on", "i8", (MOST_LOADS,)), ("load_work", "f8", (MOST_LOADS,)), ("load_lost", "f8", (MOST_LOADS,)),
    ("load_stored", "f8", (MOST_LOADS,)),  # J stored at the start of the run
    ("load_work_start", "f8", (MOST_LOADS,)), ("load_lost_start", "f8", (MOST_LOADS,)),
    ("lost", "f8"), ("lost_start", "f8"),  # J: the sum of what dampers have taken
    ("switched", "i8"),  # the load that lets go or goes slack at the event, see `sim.engine.switches`
    ("command", "f8", (3,)),  # N, N, N m: the wrench that a controller has given, held until its next sample
    ("sample", "i8"), ("answered", "i8"),  # its next sample; 1: somebody outside has given the wrench of that one
    ("integral", "f8", (MOST_NAMED,)),  # N s: of the errors of its forces
    # the account
    ("penetration", "f8"), ("gap_residual", "f8"), ("slip_residual", "f8"), ("balance_residual", "f8"),
    ("cone_residual", "f8"),
    ("steps", "i8"), ("rejected", "i8"), ("evaluations", "i8"), ("events", "i8"), ("impacts", "i8"),
)  # fmt: skip

# Work arrays whose content does not matter between calls.
DESK = define_record(
    ("closed", CLOSED), ("struck", CLOSED), ("spare", CLOSED), ("series", MODE_SERIES), ("probe", PROBE),
    ("collocation", COLLOCATION),
    ("saved_pose", "f8", (3,)), ("saved_velocity", "f8", (3,)),  # a state that may be come back to
    ("trial", "f8", (3,)), ("force", "f8", (4,)),  # acceleration (ax, ay, alpha) and forces of a mode that is tried
    # in (x, y, rho theta): the acceleration that the next mode shall have, and one for which forces are sought
    ("target", "f8", (3,)), ("wanted", "f8", (3,)),
    ("acceleration", "f8", (3,)),  # (ax, ay, alpha) of a row
    ("way", "f8", (3,)),  # velocity of a step that is passed over
    ("before", "f8", (3,)), ("after", "f8", (3,)),  # velocities of an impact, in (x, y, rho theta)
    ("old", "f8", (3,)),  # that before, as (vx, vy, omega)
    # a shift that closes gaps, the velocity that it adds to, and room for the rows that it is made of
    ("shift", "f8", (3,)), ("speed", "f8", (3,)), ("basis", "f8", (3, 3)), ("row", "f8", (3,)),
    ("sample", SAMPLE),  # of a controller
)  # fmt: skip


@jit
def get_present(state):
    """The MotionState at the present time of a run."""
    return MotionState(state.time, state.pose, state.velocity)


@jit
def get_ahead(state):
    """The MotionState at which the next mode is chosen: the present one, or that shortly after the event."""
    if state.ahead == 1:
        return MotionState(state.ahead_time, state.ahead_pose, state.ahead_velocity)
    return MotionState(state.time, state.pose, state.velocity)


class Tools(NamedTuple):
    """Work arrays of a run."""

    desk: np.record  # DESK
    scratch: Scratch
    buffer: SetBuffer


class Log(NamedTuple):
    """Row buffers; `counts` is (steps, contacts, events, impulses) in the buffers, then the contacts and impulses
    written before them."""

    counts: np.ndarray  # (6,) int64
    steps: np.ndarray
    contacts: np.ndarray
    events: np.ndarray
    impulses: np.ndarray


def allocate_tools(part, walls) -> Tools:
    """Work arrays for one part and its walls."""
    return Tools(allocate_record(DESK), allocate_scratch(part, walls), allocate_set_buffer(CAPACITY))


def allocate_log(rows: int) -> Log:
    """Buffers for about `rows` rows."""
    contacts = 4 * rows + 2 * CAPACITY
    return Log(
        np.zeros(6, dtype=np.int64), np.zeros(rows, STEP_DTYPE), np.zeros(contacts, CONTACT_DTYPE),
        np.zeros(rows, EVENT_DTYPE), np.zeros(contacts, CONTACT_DTYPE),
    )  # fmt: skip
