"""Follow every motion: a run that splits wherever several are possible, as a tree of branches.

Where the acceleration set, or the set of velocities after an impact of several contacts, holds more than one member,
the branch ends as SPLIT and each member begins a branch of its own. A continuum is followed at its extreme points and
at its middle: a sample, and marked as such. Branches are followed in the order of the times at which they begin. One
that reaches the state of another at the same time ends as MERGED. Limits (`run.max_branches`, `run.max_depth`) leave
branches as NOT_FOLLOWED.
"""

from __future__ import annotations

import dataclasses
import heapq
from collections.abc import Callable
from typing import Any

import numpy as np

from dynamics.motion.mode import get_load
from dynamics.tolerances import DEFAULT_TOLERANCES
from geometry.compiled.kernel import get_function
from geometry.compiled.record import allocate_record
from geometry.tolerances import TINY
from sim.engine.events import UNIQUENESS
from sim.engine.state import ACCELERATION, NOTHING, STATE, VELOCITY, get_ahead
from sim.files.held_interrupt import hold_interrupts
from sim.log.trajectory import MemorySink, Trajectory
from sim.log.tree import Branch, Tree, is_same
from sim.rows.account import Account, compute_rounding, end_account
from sim.rows.branch_table import NO_PARENT
from sim.rows.records import CONTACT_LETTERS, EVENT_KINDS
from sim.rows.status import Status
from sim.run.model import Arguments, prepare
from sim.scene.build import take_scene
from sim.scene.scene import AnyScene, Scene
from sim.scene.scene_errors import SceneError
from sim.tolerances import SAME_MEMBER, SAME_STATE

REST = EVENT_KINDS.index("rest")


def simulate_branches(scene: AnyScene, duration: float | None = None, *, sink: Any = None,
                      progress: Callable[[float], None] | None = None, **run_overrides: Any) -> Tree:
    """Follow every motion of the scene's workpiece; arguments as for `simulate`.

    `sink` (such as `H5TreeSink`) gets every branch as it ends. Ctrl-C ends the branch that is followed as INTERRUPTED
    and leaves the others NOT_FOLLOWED.
    """
    from sim.run.simulation import override_run
    from sim.scene.start import check_start

    scene = take_scene(scene)
    if run_overrides.keys() & {"controller", "rate"}:
        raise SceneError("a controller that is a function of Python steers one motion, and branches are many; use "
                         "sim.simulate with a rule of choice, or a table [control] in the scene")
    run = dataclasses.replace(override_run(scene, duration, run_overrides), choice="branch")
    scene = dataclasses.replace(scene, run=run)
    check_start(scene, scene.source or scene.name)
    return _Grower(scene, prepare(scene), sink, progress).grow()


class _Grower:
    """The branches that wait, and how each is followed."""

    def __init__(self, scene: Scene, arguments: Arguments, sink, progress):
        self.scene, self.arguments, self.sink, self.progress = scene, arguments, sink, progress
        self.tree = Tree(scene, [Branch(0, NO_PARENT, 0, 0.0, "", False, None)])
        self.waiting = [(0.0, 0, arguments.state, 0.0)]  # time, number, state, work of each mover until then
        self.stopped = False
        body, touch = arguments.body, arguments.options.scales.touch
        self.rounding = float(compute_rounding(body.mass, body.load, touch))

    def grow(self) -> Tree:
        ended = None
        while self.waiting:
            _, number, state, work = heapq.heappop(self.waiting)
            branch = self.tree.branches[number]
            if self.stopped or branch.depth > self.scene.run.max_depth:
                ended = Status.INTERRUPTED if self.stopped else ended
                self._tell(branch)
                continue
            status = self._follow(branch, state, work)
            beyond = []
            if status is Status.SPLIT and branch.merged_into == NO_PARENT:
                try:
                    with hold_interrupts():  # Ctrl-C where compiled code makes objects of Python ends in a crash
                        beyond = self._split(branch, state)
                except KeyboardInterrupt:
                    self.stopped = True
            self._tell(branch, *beyond)  # a parent before its children
        return Tree(self.scene, self.tree.branches, ended)

    def _tell(self, *branches: Branch) -> None:
        """Give branches that have ended to the sink; Ctrl-C meanwhile leaves the others not followed."""
        left = list(branches) if self.sink is not None else []
        try:
            with hold_interrupts():
                while left:
                    self.sink.add(left[0])
                    left.pop(0)
        except KeyboardInterrupt:
            if left:
                raise
            self.stopped = True

    def _follow(self, branch: Branch, state, work) -> Status:
        """Run one branch to its next split or its end."""
        from sim.instant.body import restart_motion
        from sim.rows.status_codes import PAUSED
        from sim.run.cold_start import advance
        from sim.run.ledger import Ledger
        from sim.run.simulation import judge_end

        arguments = self.arguments._replace(state=state)
        target, code = MemorySink(self.scene), PAUSED
        arguments.log.counts[:] = 0
        restart_motion(arguments.body, float(state.time), work)
        ledger = Ledger(arguments, target)
        try:
            while code == PAUSED:
                code = advance(arguments)
                ledger.hand_over()
                if self.progress is not None:
                    self.progress(float(state.time))
            account: Account | None = ledger.end(Status(code).completed)
        except KeyboardInterrupt:
            code, self.stopped = Status.INTERRUPTED, True
            account = ledger.find_account()
        status, message = judge_end(code, arguments, account, self.scene)
        target.close(status, account, message)
        branch.rows = target.trajectory
        self._merge(branch)
        return branch.status

    def _merge(self, branch: Branch) -> None:
        """End a branch where it reaches the state of another that was followed before."""
        ancestors = {other.number for other in self.tree.path(branch.number)}
        rows = branch.get_rows()
        for event in range(len(rows.event_rows)):
            row = rows.event_rows[event]
            if row["time"] <= branch.time or row["kind"] == UNIQUENESS:  # another motion became possible: none began
                continue
            for other in self.tree.branches:
                if other.number in ancestors or other.rows is None or other.merged_into == branch.number:
                    continue
                if reaches(rows, row, other.rows):
                    branch.rows = cut_rows(rows, event, self.rounding)
                    branch.rows.message = f"branch {other.number}"
                    branch.merged_into = other.number
                    return

    def _split(self, branch: Branch, state) -> list[Branch]:
        """Begin a branch for every member of the set in which `branch` ended; returns those beyond the limit."""
        kind, beyond = int(state.fork), []
        for value, mode, sample in list_members(self.arguments, state):
            number = len(self.tree.branches)
            what = "velocity" if kind == VELOCITY else "acceleration"
            child = Branch(number, branch.number, branch.depth + 1, float(state.time), f"{what} {mode or 'free'}",
                           sample, (float(value[0]), float(value[1]), float(value[2])))
            self.tree.branches.append(child)
            branch.children.append(number)
            if number >= self.scene.run.max_branches:
                beyond.append(child)
                continue
            start = copy_state(state)
            start.forced, start.fork = kind, NOTHING
            start.forced_value[:] = value
            heapq.heappush(self.waiting, (child.time, number, start, self.arguments.body.walls.mover.work.copy()))
        return beyond


def copy_state(state: np.record) -> np.record:
    """An independent copy of the state of a run."""
    copied = allocate_record(STATE)
    for name in STATE.names or ():
        copied[name] = state[name]
    return copied


def list_members(arguments: Arguments, state: np.record) -> list[tuple[np.ndarray, str, bool]]:
    """(member, mode, is it a sample of a continuum) of the set that the engine has just found, without repetitions.

    A piece without end is followed at its corners and at one point on.
    """
    from dynamics.motion.closed import make_problem
    from dynamics.search.reactions import compute_letters
    from dynamics.sets.acceleration_set import find_accelerations
    from dynamics.sets.contact_problem import ContactProblem

    body, closed = arguments.body, arguments.tools.desk.closed
    k = int(closed.n)
    w = np.array(get_function(get_load)(body, get_function(get_ahead)(state)))
    w = w if state.fork == ACCELERATION else state.velocity * [1.0, 1.0, body.rho]
    problem = ContactProblem(
        w=w, N=closed.normal[:k], b=closed.b[:k], T=closed.tangent[:k], d=closed.d[:k], slip=closed.slip[:k],
        mu=closed.mu[:k], corner=closed.partner[:k],
    )  # fmt: skip
    members: list[tuple[np.ndarray, str, bool]] = []
    unchanged = [w] if state.fork == VELOCITY else []  # no impulse at all is no way out of a jam
    for piece in find_accelerations(problem).pieces:
        points = list(piece.vertices)
        if piece.dimension > 0:
            points.append(piece.vertices.mean(axis=0) + piece.rays.sum(axis=0) * max(1.0, np.abs(w).max()))
        for point in points:
            scale = SAME_MEMBER * max(np.abs(point).max(), np.abs(w).max())
            if all(np.abs(point - other).max() > scale for other in [*unchanged, *(m for m, _, _ in members)]):
                letters = np.zeros(k, dtype=np.int64)
                compute_letters(get_function(make_problem)(closed, w), point, DEFAULT_TOLERANCES, letters)
                members.append((point, "".join(CONTACT_LETTERS[i] for i in letters), piece.dimension > 0))
    return members


def reaches(rows: Trajectory, row: np.void, others: Trajectory) -> bool:
    """Is the state after the event `row` one that the other branch is in at the same time?"""
    pose = [row[name] for name in ("x", "y", "theta")]
    velocity = [row[name] for name in ("vx_after", "vy_after", "omega_after")]
    events = others.event_rows
    near = np.abs(events["time"] - row["time"]) <= SAME_STATE * max(row["time"], TINY)
    rests = (events["kind"] == REST) & (events["time"] <= row["time"])
    for event in events[near | (rests if row["kind"] == REST else False)]:
        if event["kind"] != row["kind"]:
            continue
        there = [event[name] for name in ("x", "y", "theta")]
        moves = [event[name] for name in ("vx_after", "vy_after", "omega_after")]
        if is_same(rows, pose, there) and is_same(rows, velocity, moves):
            return True
    return False


def cut_rows(rows: Trajectory, event: int, rounding: float) -> Trajectory:
    """The rows up to an event, as a branch that has merged, with the account of these rows; its steps and evaluations
    are those that were made. rounding: see `compute_rounding`."""
    time = rows.event_rows["time"][event]
    steps = rows.steps[rows.steps["time"] <= time]
    events = rows.event_rows[: event + 1]
    contacts = int(steps["first_contact"][-1] + steps["n_contacts"][-1]) if len(steps) else 0
    impulses = int(events["first_impulse"][-1] + events["n_impulses"][-1])
    cut = Trajectory(None, steps, rows.contacts[:contacts], events, rows.impulses[:impulses], Status.MERGED,
                     rows.account, "", rows.record)
    if len(steps) == 0 or rows.account is None:
        return cut
    dropped, spans = rows.event_rows[event + 1 :], [np.sum(part.not_unique @ [-1.0, 1.0]) for part in (rows, cut)]
    account = end_account(rows.account, steps[-1], rounding)
    cut.account = dataclasses.replace(
        account, n_events=account.n_events - len(dropped),
        n_impacts=account.n_impacts - int(np.count_nonzero(dropped["n_impulses"])),
        time_not_unique=max(0.0, account.time_not_unique - float(spans[0] - spans[1])))
    return cut
