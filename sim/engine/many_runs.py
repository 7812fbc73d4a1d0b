"""Many runs of a sweep in one call of compiled code: arrays of values in, rows of results out.

The runs of a call share the outlines; what differs from run to run is in a `CELL` and in the pairs. `run_cells` logs
nothing: what the table needs is gathered on the way. `log_cells` writes the rows of all runs one after another into the
same buffers, each run as `simulate` does. Both come back when all is done, when the pool or a buffer is full, or when
Python shall look at the keyboard; called again, they go on where they were, in the middle of a run if need be.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from dynamics.cones.closure import check_closure
from dynamics.loads.load import GRIPPER
from dynamics.motion.mode import CAPACITY, Body, get_load
from dynamics.motion.scales import Scales
from geometry.compiled.jit import jit, kernel
from geometry.compiled.record import allocate_table, copy_row, define_record
from geometry.contact.contacts import Walls
from geometry.contact.moving import copy_walls
from geometry.prescribed.movers import copy_clock
from sim.engine.loop import run_chunk
from sim.engine.recorder import compute_kinetic, compute_load_work
from sim.engine.state import STATE, Log, Options, SceneBox, Tools, allocate_log, get_present
from sim.rows.ending_codes import MOST_GOALS
from sim.rows.records import CONTACT_LETTERS
from sim.rows.status_codes import COMPLETED, PAUSED

BUFFER_ROWS = 32  # of a run that is not logged
MODE_BYTES = 2048  # of the history of a run; a longer one is cut
POOL_BYTES = 32 * MODE_BYTES
SEPARATOR, FREE_SIGN, NO_MOTION_SIGN, CUT_SIGN = 32, 45, 33, 43  # " ", "-", "!", "+"
LETTERS = np.array([ord(letter) for letter in CONTACT_LETTERS], dtype=np.uint8)

# What a cell is, besides its pairs: see `Body`, `Options`, `Scales` and `SceneBox`. `random`: the state of the
# generator.
CELL = define_record(
    ("rho", "f8"), ("mass", "f8"), ("w", "f8", (3,)), ("load", "f8", (6,)),
    ("pose", "f8", (3,)), ("velocity", "f8", (3,)), ("random", "i8"),
    ("duration", "f8"), ("interval", "f8"), ("step", "f8"), ("tolerance", "f8"), ("order", "i8"), ("rule", "i8"),
    ("survey", "i8"),
    ("touch", "f8"), ("force", "f8"), ("speed", "f8"),
    ("box", "f8", (4,)),
)  # fmt: skip

# What a run leaves behind. `held`: could its last contacts hold it against every load? `modes_end`: where its modes in
# the pool end; they begin where those of the run before do. Energies in J.
RESULT = define_record(
    ("status", "i8"), ("time", "f8"), ("pose", "f8", (3,)), ("velocity", "f8", (3,)), ("at_rest", "i8"),
    ("n_contacts", "i8"), ("held", "i8"), ("modes_end", "i8"),
    ("ending", "i8"), ("still_since", "f8"), ("inside_since", "f8", (MOST_GOALS,)),  # as in STATE
    ("largest_fn", "f8"), ("largest_gripper_force", "f8"), ("time_not_unique", "f8"),
    ("n_events", "i8"), ("n_impacts", "i8"), ("n_steps", "i8"),
    ("penetration", "f8"), ("gap_residual", "f8"), ("slip_residual", "f8"), ("balance_residual", "f8"),
    ("cone_residual", "f8"),
    ("kinetic_start", "f8"), ("kinetic_end", "f8"), ("load", "f8"), ("friction", "f8"), ("impact", "f8"),
    ("pushed", "f8"),
    ("exchange", "f8"),  # see `measure_exchange`
)  # fmt: skip

# What else a run leaves behind that was logged: for its account, for what is said of one that stalls, and how many rows
# of each table (`counts`) are in the buffers at its end. Energies per mass.
LOGGED = define_record(
    ("rejected", "i8"), ("evaluations", "i8"), ("bridges", "i8"), ("bridged", "f8"), ("bridge_work", "f8"),
    ("not_unique", "f8"), ("tally", "f8"), ("set_kind", "i8"), ("kind_before", "i8"), ("cause", "i8", (3,)),
    ("counts", "i8", (4,)),
)  # fmt: skip

# Places in `Work.progress`: the cell that is next or going on, whether it is going on, the cell to stop before, how far
# the pool is filled; and after how much work (`STATE.effort`) a call comes back, and how much work it has done.
NEXT, GOING, END, MODES, BUDGET, SPENT = range(6)
FIRST_BUDGET = 1000  # until it is known how fast work is done here: a few milliseconds


class Pairs(NamedTuple):
    """Friction, restitution and law of impact, of each cell with each obstacle: (cells, obstacles)."""

    mu: np.ndarray
    e: np.ndarray
    law: np.ndarray  # int64


class Tally(NamedTuple):
    """What is gathered in a run."""

    largest: np.ndarray  # (2,) N: normal force of a contact, force of the gripper
    modes: np.ndarray  # (MODE_BYTES,) uint8: the modes one after the other, with SEPARATOR between
    size: np.ndarray  # (2,) int64: bytes written in `modes`; start of the last mode
    last: np.ndarray  # (2,) int64: contacts in the last row, their first row


class Work(NamedTuple):
    """Work arrays of one thread."""

    progress: np.ndarray  # (6,) int64, see above
    state: np.recarray  # (1,) STATE
    start: np.recarray  # (1,) STATE at the start, of any cell
    home: Walls  # those that move, at t = 0
    tools: Tools
    log: Log
    tally: Tally
    modes: np.ndarray  # (POOL_BYTES,) uint8: the modes of the runs that have ended
    forces: np.ndarray  # (2 CAPACITY, 3) room for `check_closure`


def allocate_work(start: np.record, walls, tools: Tools, rows: int = BUFFER_ROWS) -> Work:
    """Work arrays for runs against these walls, with buffers for so many rows."""
    now, first = allocate_table(STATE, 1), allocate_table(STATE, 1)
    first[0] = start
    tally = Tally(np.zeros(2), np.zeros(MODE_BYTES, np.uint8), np.zeros(2, np.int64), np.zeros(2, np.int64))
    work = Work(np.zeros(6, np.int64), now, first, copy_walls(walls), tools, allocate_log(rows), tally,
                np.zeros(POOL_BYTES, np.uint8), np.zeros((2 * CAPACITY, 3)))
    work.progress[BUDGET] = FIRST_BUDGET
    return work


def begin_cells(work: Work, cells: int) -> None:
    """Put `progress` before the first of so many cells."""
    work.progress[[NEXT, GOING, MODES]] = 0
    work.progress[END] = cells
    work.log.counts[:] = 0


@kernel
def run_cells(body, options, cells, pairs, work, results):
    """Run the cells from `progress[NEXT]` up to `progress[END]`, as far as this call goes."""
    progress, tally, state = work.progress, work.tally, work.state[0]
    progress[SPENT] = 0
    while progress[NEXT] < progress[END] and progress[SPENT] < progress[BUDGET]:
        if progress[MODES] + MODE_BYTES > POOL_BYTES:
            return
        i = progress[NEXT]
        cell = cells[i]
        if progress[GOING] == 0:
            _begin(body, cell, pairs, work)
            work.log.counts[:] = 0
            progress[GOING] = 1
        # Made here and not in a function of their own: numba cannot return what holds a record.
        here = Body(body.part, body.walls, body.w, cell.rho, cell.mass, body.load, body.loads, body.varying,
                    body.longest, body.stiffness, body.control)
        how = Options(cell.duration, _get_interval(body, cell), cell.step, cell.tolerance, cell.order, cell.rule,
                      cell.survey != 0, options.max_steps,
                      Scales(cell.touch, cell.force, cell.speed), options.tolerances, options.goals,
                      SceneBox(cell.box[0], cell.box[1], cell.box[2], cell.box[3]))
        before = state.effort
        work.log.counts[:4] = 0
        code = run_chunk(here, how, state, work.tools, work.log)
        _gather(work.log, tally)
        work.log.counts[4] += work.log.counts[1]
        work.log.counts[5] += work.log.counts[3]
        progress[SPENT] += state.effort - before
        if code != PAUSED:
            _finish(here, code, pairs.mu[i], work, results[i])
            progress[GOING] = 0
            progress[NEXT] += 1


@kernel
def log_cells(body, options, cells, pairs, work, results, logged, pushed):
    """Run the cells from `progress[NEXT]` up to `progress[END]`, as far as this call goes, and leave their rows in the
    buffers. pushed (cells, movers): the work of each [J]. Between two calls the buffers are emptied by `empty_log`."""
    progress, state, counts = work.progress, work.state[0], work.log.counts
    progress[SPENT] = 0
    while progress[NEXT] < progress[END] and progress[SPENT] < progress[BUDGET]:
        i = progress[NEXT]
        cell = cells[i]
        if progress[GOING] == 0:
            _begin(body, cell, pairs, work)
            counts[4], counts[5] = -counts[1], -counts[3]  # links count from the first rows of the run
            progress[GOING] = 1
        here = Body(body.part, body.walls, body.w, cell.rho, cell.mass, body.load, body.loads, body.varying,
                    body.longest, body.stiffness, body.control)
        how = Options(cell.duration, cell.interval, cell.step, cell.tolerance, cell.order, cell.rule, cell.survey != 0,
                      options.max_steps, Scales(cell.touch, cell.force, cell.speed), options.tolerances,
                      options.goals, SceneBox(cell.box[0], cell.box[1], cell.box[2], cell.box[3]))
        before = state.effort
        code = run_chunk(here, how, state, work.tools, work.log)
        progress[SPENT] += state.effort - before
        if code == PAUSED:
            return
        _sum_up(here, code, state, results[i])
        _keep_logged(state, counts, logged[i])
        for m in range(1, 1 + pushed.shape[1]):  # the first is gravity, the last carry no walls
            pushed[i, m - 1] = here.mass * body.walls.mover[m].work
        progress[GOING] = 0
        progress[NEXT] += 1


@kernel
def _keep_logged(state, counts, row):
    """Write the LOGGED of a run that has ended."""
    row.rejected, row.evaluations = state.rejected, state.evaluations
    row.bridges, row.bridged, row.bridge_work = state.bridges, state.bridged, state.bridge_work
    row.not_unique, row.tally = state.not_unique, state.tally
    row.set_kind, row.kind_before = state.set_kind, state.kind_before
    for c in range(3):
        row.cause[c] = state.cause[c]
    for t in range(4):
        row.counts[t] = counts[t]


def empty_log(log: Log) -> None:
    """Make room in the buffers, in the middle of a run or between two."""
    log.counts[4] += log.counts[1]
    log.counts[5] += log.counts[3]
    log.counts[:4] = 0


@kernel
def _begin(body, cell, pairs, work):
    """Put all to the start of a run."""
    edge, mover, home, i = body.walls.edge, body.walls.mover, work.home, work.progress[NEXT]
    if mover.shape[0] > 0:
        for m in range(mover.shape[0]):
            mover[m] = home.mover[m]
        for j in range(edge.shape[0]):
            edge[j] = home.edge[j]
        copy_clock(body.walls.clock, home.clock)
    for j in range(edge.shape[0]):
        owner = edge[j].owner
        edge[j].mu, edge[j].e, edge[j].law = pairs.mu[i, owner], pairs.e[i, owner], pairs.law[i, owner]
    copy_row(body.w, cell.w)
    copy_row(body.load, cell.load)
    work.state[0] = work.start[0]
    state, tally = work.state[0], work.tally
    copy_row(state.pose, cell.pose)
    copy_row(state.origin, cell.pose)
    copy_row(state.velocity, cell.velocity)
    copy_row(state.start_velocity, cell.velocity)
    state.random[0] = cell.random
    tally.largest[:] = 0.0
    tally.size[:] = 0
    tally.last[:] = 0


@kernel
def _finish(body, code, mu, work, result):
    """Write the row of a run that has ended, and what it adds to the pool; mu (obstacles,)."""
    state, tally, progress = work.state[0], work.tally, work.progress
    _sum_up(body, code, state, result)
    result.largest_fn, result.largest_gripper_force = tally.largest[0], tally.largest[1]
    for k in range(tally.size[0]):
        work.modes[progress[MODES] + k] = tally.modes[k]
    progress[MODES] += tally.size[0]
    result.modes_end = progress[MODES]
    n, first = tally.last[0], tally.last[1]
    result.n_contacts = n
    held = code == COMPLETED and check_closure(work.log.contacts, first, n, state.pose, mu, body.rho, work.forces)
    result.held = 1 if held else 0


@kernel
def _sum_up(body, code, state, result):
    """Write what the state says of a run that has ended."""
    result.status, result.time, result.at_rest = code, state.time, state.at_rest
    result.ending, result.still_since = state.ending, state.still_since
    copy_row(result.inside_since, state.inside_since)
    copy_row(result.pose, state.pose)
    copy_row(result.velocity, state.velocity)
    result.time_not_unique = state.not_unique
    if state.set_kind >= 2:  # the interval that is open at the end
        result.time_not_unique += state.time - state.tally
    result.n_events, result.n_impacts, result.n_steps = state.events, state.impacts, state.steps
    result.penetration, result.gap_residual = state.penetration, state.gap_residual
    result.slip_residual, result.balance_residual = state.slip_residual, state.balance_residual
    result.cone_residual = state.cone_residual
    result.kinetic_start = compute_kinetic(body, state.start_velocity)
    result.kinetic_end = compute_kinetic(body, state.velocity)
    result.load = compute_load_work(body, state, state.pose)
    # kept per mass
    result.friction, result.impact = body.mass * state.friction, body.mass * state.impact
    result.pushed = body.mass * state.pushed
    result.exchange = _measure_exchange(body, state)


@kernel
def _measure_exchange(body, state):
    """As `sim.rows.account.measure_exchange`."""
    get_load(body, get_present(state))
    largest = 0.0
    for i in range(body.loads.shape[0]):
        stored = abs(body.loads[i].stored - state.load_stored[i])
        largest = max(largest, abs(state.load_work[i]), stored, abs(state.load_lost[i]))
    return largest


@kernel
def _get_interval(body, cell):
    """Time between the rows that are gathered: the force of a gripper is largest anywhere, not only at events."""
    for i in range(body.loads.shape[0]):
        if body.loads[i].kind == GRIPPER:
            return cell.interval
    return 0.0


@kernel
def _gather(log, tally):
    """Take the largest forces and the modes from the rows in the buffers."""
    first, last, largest = 0, tally.last, tally.largest
    for i in range(log.counts[0]):
        row = log.steps[i]
        n = row["n_contacts"]
        for k in range(first, first + n):
            largest[0] = max(largest[0], log.contacts[k]["fn"])
        fx, fy = row["gripper_fx"], row["gripper_fy"]
        largest[1] = max(largest[1], sqrt(fx * fx + fy * fy))
        _append_mode(log, tally, first, n, row["set_kind"])
        last[0], last[1] = n, first
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
