"""The account of the rows that a log holds, at every moment of a run: also of one that is broken off."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import numpy as np

from sim.engine.state import Log
from sim.files.held_interrupt import hold_interrupts
from sim.rows.account import Account, compute_energy_residual, compute_rounding, end_account
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
        self._last = None  # row of /steps
        self._steps = 0
        # What the account is made of, by the number of rows that it is the account of: the last row, and copies of the
        # state and of the work of the movers. It is asked for only where a run is broken off.
        self._ends: dict[int, tuple[Any, Any, np.ndarray] | None] = {0: None}

    def __len__(self) -> int:
        """The number of rows handed over."""
        return self._steps

    def hand_over(self) -> None:
        """Give the rows in the buffers to the sink, and empty the buffers."""
        with hold_interrupts():
            new = int(self._log.counts[0])
            steps, last = self._steps + new, self._log.steps[new - 1].copy() if new else self._last
            end = None if last is None else (last, self._state.copy(), self._body.walls.mover["work"].copy())
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
            return self.compute_account(last, state, works, times)

    def compute_account(self, last: np.void | None, state: np.record, works: np.ndarray, times: WallTimes) -> Account:
        """The account at a state, or up to a row that was written somewhat before it."""
        touch = self._options.scales.touch
        account = compute_account(self._body, touch, state, times, works)
        if last is None:
            return account
        account = end_account(account, last, float(compute_rounding(self._body.mass, self._body.load, touch)))
        return dataclasses.replace(account, time_not_unique=find_time_not_unique(state, float(last["time"])))

    def end(self, completed: bool, times: WallTimes = NO_TIMES) -> Account:
        """The account at the end of a run. One that stops on its way may have gone on a little after its last row."""
        works = self._body.walls.mover["work"]
        return self.compute_account(None if completed else self._last, self._state, works, times)


def find_time_not_unique(state: np.record, time: float) -> float:
    """Time [s] up to `time`, near that of the state, during which more than one acceleration was possible."""
    since = time - float(state.tally)
    kind = state.set_kind if since >= 0.0 else state.kind_before
    return max(0.0, float(state.not_unique) + (since if kind >= 2 else 0.0))


def hand_over(log: Log, target) -> None:
    """Give the rows in the buffers to a sink, and empty the buffers."""
    steps, contacts, events, impulses = (int(c) for c in log.counts[:4])
    if steps or events:
        target.write(log.steps[:steps], log.contacts[:contacts], log.events[:events], log.impulses[:impulses])
    log.counts[4] += contacts
    log.counts[5] += impulses
    log.counts[:4] = 0


def compute_account(body, touch: float, state: np.record, times: WallTimes = NO_TIMES,
                    works: np.ndarray | None = None) -> Account:
    """The account of a run at a state; touch: `Scales.touch` of the run; works [J/kg] (m,): what each mover had done,
    if that is not what it has done now."""
    from sim.engine.recorder import compute_kinetic, compute_load_work

    energies = RunEnergies(compute_kinetic(body, state.start_velocity), compute_kinetic(body, state.velocity),
                           compute_load_work(body, state, state.pose), compute_rounding(body.mass, body.load, touch))
    works = body.walls.mover["work"] if works is None else works
    by_obstacle = tuple(float(body.mass * work) for work in works[1:])  # the first is gravity
    return fill_account(state, body.mass, energies, times, by_obstacle)


def fill_account(state: np.record, mass: float, energies: RunEnergies, times: WallTimes,
                 obstacle_work: tuple[float, ...] = ()) -> Account:
    """The account of a state. Its fields are read as those of a structured value: as attributes they cost ten times as
    much."""
    start, end, load, rounding = map(float, energies)
    friction, impact = float(mass * state["friction"]), float(mass * state["impact"])  # kept per mass
    pushed = float(mass * state["pushed"])
    return Account(
        penetration=float(state["penetration"]),
        gap_residual=float(state["gap_residual"]),
        slip_residual=float(state["slip_residual"]),
        balance_residual=float(state["balance_residual"]),
        cone_residual=float(state["cone_residual"]),
        energy_start=start,
        energy_end=end,
        work_load=load,
        work_friction=friction,
        work_impact=impact,
        work_obstacles=pushed,
        energy_residual=float(compute_energy_residual(start, end, load, friction, impact, pushed, rounding)),
        time_not_unique=float(state["not_unique"]),
        n_steps=int(state["steps"]),
        n_rejected=int(state["rejected"]),
        n_evaluations=int(state["evaluations"]),
        n_events=int(state["events"]),
        n_impacts=int(state["impacts"]),
        n_bridges=int(state["bridges"]),
        time_bridged=float(state["bridged"]),
        work_bridged=float(mass * state["bridge_work"]),
        wall_compile=times.compile,
        wall_solve=times.solve,
        wall_output=times.output,
        obstacle_work=obstacle_work,
    )
