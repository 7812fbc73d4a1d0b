"""The account of the rows that a log holds, at every moment of a run: also of one that is broken off."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import numpy as np

from geometry.compiled.kernel import get_function
from geometry.compiled.record import get_table
from sim.engine.state import STATE, Log
from sim.files.held_interrupt import hold_interrupts
from sim.rows.account import Account, compute_energy_residual, compute_rounding, end_account, measure_exchange
from sim.rows.records import STEP_DTYPE
from sim.run.model import Arguments


class WallTimes(NamedTuple):
    """How long a run took [s]."""

    solve: float = 0.0
    output: float = 0.0
    compile: float = 0.0


NO_TIMES = WallTimes()


class RunEnergies(NamedTuple):
    """Energies of a run [J]."""

    start: float  # kinetic
    end: float  # kinetic
    load: float  # work of the load
    rounding: float  # see `compute_rounding`


class Ledger:
    """Hands the rows of a run to a sink, and knows the account of what the sink has.

    A row and its account belong together, whatever breaks off a run: Ctrl-C, a full disk, an error in a callback. So
    Ctrl-C waits until both are there; and of a write that fails, the number of the rows in the sink says which account
    is theirs: that of one of the writes since the last that is sure to stay (`committed`, where a sink has it).
    """

    def __init__(self, arguments: Arguments, target):
        self._body, self._options, self._state, _, self._log = arguments
        self._target = target
        self._last: bytes | None = None  # row of /steps
        self._steps = 0
        # What the account is made of, by the number of rows that it is the account of: the last row, the state and the
        # work of the movers, as bytes. It is asked for only where a run is broken off.
        self._ends: dict[int, tuple[bytes, bytes, bytes] | None] = {0: None}

    def __len__(self) -> int:
        """The number of rows handed over."""
        return self._steps

    def hand_over(self) -> None:
        """Give the rows in the buffers to the sink, and empty the buffers."""
        with hold_interrupts():
            new = int(self._log.counts[0])
            steps, last = self._steps + new, self._log.steps[new - 1 : new].tobytes() if new else self._last
            end = None if last is None else (last, get_table(self._state).tobytes(), _get_works(self._body).tobytes())
            self._ends[steps] = end
            hand_over(self._log, self._target)
            sure = getattr(self._target, "committed", {"steps": steps})["steps"]
            self._ends = {rows: known for rows, known in self._ends.items() if rows >= sure}
            self._steps, self._last = steps, last

    def find_account(self, times: WallTimes = NO_TIMES) -> Account | None:
        """The account of the rows that the sink has, None if it is not known."""
        rows = getattr(self._target, "rows", None)
        end = self._ends.get(self._steps if rows is None else rows["steps"])
        if end is None:
            return None
        last, state, works = end
        with hold_interrupts():
            return self.compute_account(last, np.frombuffer(state, STATE)[0], np.frombuffer(works), times)

    def compute_account(self, last: bytes | None, state: np.record, works: np.ndarray, times: WallTimes) -> Account:
        """The account at a state, or up to a row that was written somewhat before it."""
        touch = self._options.scales.touch
        account = compute_account(self._body, touch, state, times, works)
        if last is None:
            return account
        row = np.frombuffer(last, STEP_DTYPE)[0]
        account = end_account(account, row, float(compute_rounding(self._body.mass, self._body.load, touch)))
        return dataclasses.replace(account, time_not_unique=find_time_not_unique(state, float(row["time"])))

    def end(self, completed: bool, times: WallTimes = NO_TIMES) -> Account:
        """The account at the end of a run. One that stops on its way may have gone on a little after its last row."""
        works = _get_works(self._body)
        return self.compute_account(None if completed else self._last, self._state, works, times)


def find_time_not_unique(state: np.record, time: float) -> float:
    """Time [s] up to `time`, near that of the state, during which more than one acceleration was possible."""
    since = time - float(state.tally)
    kind = state.set_kind if since >= 0.0 else state.kind_before
    return max(0.0, float(state.not_unique) + (since if kind >= 2 else 0.0))


def hand_over(log: Log, target) -> None:
    """Give the rows in the buffers to a sink, and empty the buffers."""
    steps, contacts, events, impulses = log.counts[:4].tolist()
    if steps or events:
        target.write(log.steps[:steps], log.contacts[:contacts], log.events[:events], log.impulses[:impulses])
    log.counts[4] += contacts
    log.counts[5] += impulses
    log.counts[:4] = 0


class _Moved(NamedTuple):
    """What `compute_load_work` reads of a state."""

    origin: list[float]
    turned: float


def _get_works(body) -> np.ndarray:
    """Work per mass [J/kg] (m,) that each mover has done; gravity is the first."""
    return np.asarray(body.walls.mover)["work"]


def compute_account(body, touch: float, state: np.record, times: WallTimes = NO_TIMES,
                    works: np.ndarray | None = None) -> Account:
    """The account of a run at a state; touch: `Scales.touch` of the run; works [J/kg] (m,): what each mover had done,
    if that is not what it has done now."""
    from sim.engine.recorder import compute_kinetic, compute_load_work

    # as plain functions of plain numbers: the way into compiled code takes ten times as long
    kinetic, load_work, now = get_function(compute_kinetic), get_function(compute_load_work), get_table(state)
    start, end, origin, pose = (now[name][0].tolist() for name in ("start_velocity", "velocity", "origin", "pose"))
    energies = RunEnergies(kinetic(body, start), kinetic(body, end),
                           load_work(body, _Moved(origin, now["turned"].item()), pose),
                           compute_rounding(body.mass, body.load, touch))
    works = _get_works(body) if works is None else works
    walls = np.asarray(body.walls.mover)["walls"]  # the first is gravity, the last are not obstacles
    by_obstacle = tuple(float(body.mass * work) for work in works[walls])
    return fill_account(state, body.mass, energies, times, (by_obstacle, _list_load_works(body, state)))


def _list_load_works(body, state: np.record) -> tuple[tuple[float, float, float], ...]:
    """Of each load that changes: the work [J] done on the part, stored more than at the start, taken by dampers."""
    if not len(body.loads):
        return ()
    from dynamics.motion.mode import MotionState, get_load

    now = get_table(state)
    with hold_interrupts():
        get_function(get_load)(body, MotionState(now["time"].item(), now["pose"][0].copy(), now["velocity"][0].copy()))
    work, start, lost = (now[name][0].tolist() for name in ("load_work", "load_stored", "load_lost"))
    return tuple(zip(work, (np.asarray(body.loads)["stored"] - start[: len(body.loads)]).tolist(), lost, strict=False))


def fill_account(state: np.record, mass: float, energies: RunEnergies, times: WallTimes,
                 works: tuple[tuple[float, ...], tuple[tuple[float, float, float], ...]] = ((), ())) -> Account:
    """The account of a state; works [J]: of each obstacle that moves, and of each load that changes."""
    start, end, load, rounding = map(float, energies)
    table = get_table(state)

    def read(name: str) -> Any:
        return table[name].item()

    friction, impact, pushed = mass * read("friction"), mass * read("impact"), mass * read("pushed")  # kept per mass
    return Account(
        penetration=read("penetration"),
        gap_residual=read("gap_residual"),
        slip_residual=read("slip_residual"),
        balance_residual=read("balance_residual"),
        cone_residual=read("cone_residual"),
        energy_start=start,
        energy_end=end,
        work_load=load,
        work_friction=friction,
        work_impact=impact,
        work_obstacles=pushed,
        energy_residual=float(compute_energy_residual(start, end, load, friction, impact, pushed, rounding,
                                                      measure_exchange(works[1]))),
        time_not_unique=read("not_unique"),
        n_steps=read("steps"),
        n_rejected=read("rejected"),
        n_evaluations=read("evaluations"),
        n_events=read("events"),
        n_impacts=read("impacts"),
        n_bridges=read("bridges"),
        time_bridged=read("bridged"),
        work_bridged=mass * read("bridge_work"),
        wall_compile=times.compile,
        wall_solve=times.solve,
        wall_output=times.output,
        obstacle_work=works[0],
        load_work=works[1],
    )
