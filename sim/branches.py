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
import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from dynamics.tolerances import DEFAULT_TOLERANCES
from geometry._record import allocate_record
from sim.records import CONTACT_LETTERS, EVENT_KINDS
from sim.scene import Scene
from sim.state import ACCELERATION, NOTHING, STATE, VELOCITY
from sim.status import Status
from sim.trajectory import MemorySink, Trajectory

# Two states are one if they differ by less, relative to the size of the part: two integrations of one motion differ by
# less, two motions by more.
SAME = 1e-7

REST = EVENT_KINDS.index("rest")
NO_PARENT = -1


@dataclass
class Branch:
    """A piece of the tree: from one split to the next, or to an end."""

    number: int
    parent: int  # NO_PARENT for the first
    depth: int  # splits before it
    time: float  # s, of the split that it begins with
    taken: str  # what it does there: "acceleration nl", "velocity n", ..., "" for the first
    sample: bool  # is it one of infinitely many (a continuum)
    member: tuple[float, float, float] | None  # the acceleration (m/s^2) or velocity (m/s) taken, (x, y, rho theta)
    rows: Trajectory | None = None  # its own rows, account since the start; None if it was not followed
    merged_into: int = NO_PARENT
    children: list[int] = field(default_factory=list)

    @property
    def status(self) -> Status:
        """How it ended."""
        return Status.NOT_FOLLOWED if self.rows is None else self.rows.status


class Tree:
    """All branches of a run; `branches[0]` begins at the start."""

    def __init__(self, scene: Scene | None, branches: list[Branch]):
        self.branches = branches
        self.scene = scene

    def __len__(self) -> int:
        return len(self.branches)

    @property
    def leaves(self) -> list[int]:
        """The branches that do not split, in the order of the tree."""
        return [branch.number for branch in self.branches if not branch.children]

    def path(self, number: int) -> list[Branch]:
        """The branches from the start to this one."""
        found = [self.branches[number]]
        while found[0].parent != NO_PARENT:
            found.insert(0, self.branches[found[0].parent])
        return found

    def trajectory(self, number: int) -> Trajectory:
        """The whole motion from the start to the end of a branch, as an ordinary trajectory."""
        pieces = [branch.rows for branch in self.path(number) if branch.rows is not None]
        return join_pieces(pieces, self.branches[number].status)

    def outcomes(self) -> list[list[int]]:
        """The leaves that were followed to an end of their own, grouped by where the part is there and how it ended."""
        groups: list[list[int]] = []
        for number in self.leaves:
            rows = self.branches[number].rows
            if rows is None or rows.status is Status.MERGED or not len(rows):
                continue
            for group in groups:
                other = self.branches[group[0]].rows
                if other.status is rows.status and is_same(rows, rows.pose[-1], other.pose[-1]):
                    group.append(number)
                    break
            else:
                groups.append([number])
        return groups


def join_pieces(pieces: list[Trajectory], status: Status) -> Trajectory:
    """One trajectory from consecutive ones: the links from steps to contacts and from events to impulses are moved."""
    steps, contacts, events, impulses = [], [], [], []
    n_contacts = n_impulses = 0
    for piece in pieces:
        own_steps, own_events = np.array(piece.steps), np.array(piece.events)
        own_steps["first_contact"] += n_contacts
        own_events["first_impulse"] += n_impulses
        n_contacts, n_impulses = n_contacts + len(piece.contacts), n_impulses + len(piece.impulses)
        steps.append(own_steps)
        events.append(own_events)
        contacts.append(piece.contacts)
        impulses.append(piece.impulses)
    last = pieces[-1]
    return Trajectory(None, np.concatenate(steps), np.concatenate(contacts), np.concatenate(events),
                      np.concatenate(impulses), status, last.account, last.message, last.record)


def is_same(rows: Trajectory, pose, other) -> bool:
    """Are two poses, or two velocities per unit time, the same to the error of the integration?"""
    size = float(np.abs(rows.record.workpiece.vertices).max())
    scale = np.array([size, size, 1.0])
    return bool((np.abs(np.asarray(pose) - np.asarray(other)) <= SAME * scale * (1.0 + np.abs(pose))).all())


def simulate_branches(scene: Scene, duration: float | None = None, *, sink=None,
                      progress: Callable[[float], None] | None = None, **run_overrides) -> Tree:
    """Follow every motion of the scene's workpiece; arguments as for `simulate`.

    `sink` (such as `H5TreeSink`) gets every branch as it ends. Ctrl-C ends the branch that is followed as INTERRUPTED
    and leaves the others NOT_FOLLOWED.
    """
    from sim.cold_start import compile_engine
    from sim.simulation import override_run, prepare
    from sim.start import check_start

    run = dataclasses.replace(override_run(scene, duration, run_overrides), choice="branch")
    scene = dataclasses.replace(scene, run=run)
    check_start(scene, scene.source or scene.name)
    arguments = prepare(scene)
    compile_engine(arguments)
    return _Grower(scene, arguments, sink, progress).grow()


class _Grower:
    """The branches that wait, and how each is followed."""

    def __init__(self, scene: Scene, arguments: tuple, sink, progress):
        self.scene, self.arguments, self.sink, self.progress = scene, arguments, sink, progress
        self.tree = Tree(scene, [Branch(0, NO_PARENT, 0, 0.0, "", False, None)])
        self.waiting = [(0.0, 0, arguments[2])]  # time, number, state
        self.stopped = False

    def grow(self) -> Tree:
        while self.waiting:
            _, number, state = heapq.heappop(self.waiting)
            branch = self.tree.branches[number]
            if self.stopped or branch.depth > self.scene.run.max_depth:
                self._tell(branch)
                continue
            status = self._follow(branch, state)
            if status is Status.SPLIT and branch.merged_into == NO_PARENT:
                self._split(branch, state)
            self._tell(branch)
        return self.tree

    def _tell(self, branch: Branch) -> None:
        if self.sink is not None:
            self.sink.add(branch)

    def _follow(self, branch: Branch, state) -> Status:
        """Run one branch to its next split or its end."""
        from sim.engine import run_chunk
        from sim.simulation import compute_account, hand_over
        from sim.status_codes import PAUSED

        body, options, _, tools, log = self.arguments
        target, code = MemorySink(self.scene), PAUSED
        log.counts[:] = 0
        try:
            while code == PAUSED:
                code = run_chunk(body, options, state, tools, log)
                hand_over(log, target)
                if self.progress is not None:
                    self.progress(float(state.time))
            status = Status(code)
        except KeyboardInterrupt:
            status, self.stopped = Status.INTERRUPTED, True
        account = compute_account(body, state, 0.0, 0.0, 0.0)
        message = ""
        if status.completed:
            message = account.find_broken_law(body.part.radius, options.tolerance if options.step == 0.0 else 0.0)
            status = Status.LAWS_BROKEN if message else status
        target.close(status, account, message)
        branch.rows = target.trajectory
        self._merge(branch)
        return branch.status

    def _merge(self, branch: Branch) -> None:
        """End a branch where it reaches the state of another that was followed before."""
        ancestors = {other.number for other in self.tree.path(branch.number)}
        for event in range(len(branch.rows.events)):
            row = branch.rows.events[event]
            if row["time"] <= branch.time:
                continue
            for other in self.tree.branches:
                if other.number in ancestors or other.rows is None or other.merged_into == branch.number:
                    continue
                if reaches(branch.rows, row, other.rows):
                    branch.rows = cut_rows(branch.rows, event)
                    branch.rows.message = f"branch {other.number}"
                    branch.merged_into = other.number
                    return

    def _split(self, branch: Branch, state) -> None:
        """Begin a branch for every member of the set in which `branch` ended."""
        kind = int(state.fork)
        for value, mode, sample in list_members(self.arguments, state):
            number = len(self.tree.branches)
            what = "velocity" if kind == VELOCITY else "acceleration"
            child = Branch(number, branch.number, branch.depth + 1, float(state.time), f"{what} {mode or 'free'}",
                           sample, tuple(map(float, value)))
            self.tree.branches.append(child)
            branch.children.append(number)
            if number >= self.scene.run.max_branches:
                self._tell(child)
                continue
            start = copy_state(state)
            start.forced, start.fork = kind, NOTHING
            start.forced_value[:] = value
            heapq.heappush(self.waiting, (child.time, number, start))


def copy_state(state):
    """An independent copy of the state of a run."""
    copied = allocate_record(STATE)
    for name in STATE.names:
        copied[name] = state[name]
    return copied


def list_members(arguments: tuple, state) -> list[tuple[np.ndarray, str, bool]]:
    """(member, mode, is it a sample of a continuum) of the set that the engine has just found, without repetitions.

    A piece without end is followed at its corners and at one point on.
    """
    from dynamics.accelerations import ContactProblem, find_accelerations
    from dynamics.closed import make_problem
    from dynamics.reactions import compute_letters

    body, _, _, tools, _ = arguments
    closed = tools.desk.closed
    k = int(closed.n)
    w = body.w if state.fork == ACCELERATION else state.velocity * [1.0, 1.0, body.rho]
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
            scale = 1e-7 * max(np.abs(point).max(), np.abs(w).max())
            if all(np.abs(point - other).max() > scale for other in [*unchanged, *(m for m, _, _ in members)]):
                letters = np.zeros(k, dtype=np.int64)
                compute_letters(make_problem(closed, w), point, DEFAULT_TOLERANCES, letters)
                members.append((point, "".join(CONTACT_LETTERS[i] for i in letters), piece.dimension > 0))
    return members


def reaches(rows: Trajectory, row: np.void, others: Trajectory) -> bool:
    """Is the state after the event `row` one that the other branch is in at the same time?"""
    pose = [row[name] for name in ("x", "y", "theta")]
    velocity = [row[name] for name in ("vx_after", "vy_after", "omega_after")]
    events = others.events
    near = np.abs(events["time"] - row["time"]) <= SAME * max(row["time"], 1e-300)
    rests = (events["kind"] == REST) & (events["time"] <= row["time"])
    for event in events[near | (rests if row["kind"] == REST else False)]:
        if event["kind"] != row["kind"]:
            continue
        there = [event[name] for name in ("x", "y", "theta")]
        moves = [event[name] for name in ("vx_after", "vy_after", "omega_after")]
        if is_same(rows, pose, there) and is_same(rows, velocity, moves):
            return True
    return False


def cut_rows(rows: Trajectory, event: int) -> Trajectory:
    """The rows up to an event, as a branch that has merged."""
    time = rows.events["time"][event]
    steps = rows.steps[rows.steps["time"] <= time]
    events = rows.events[: event + 1]
    contacts = int(steps["first_contact"][-1] + steps["n_contacts"][-1]) if len(steps) else 0
    impulses = int(events["first_impulse"][-1] + events["n_impulses"][-1])
    return Trajectory(None, steps, rows.contacts[:contacts], events, rows.impulses[:impulses], Status.MERGED,
                      rows.account, "", rows.record)


def describe_spread(tree: Tree) -> float:
    """Largest distance between the centres of mass of two outcomes [m]; 0 for one."""
    ends = [tree.branches[group[0]].rows.pose[-1][:2] for group in tree.outcomes()]
    return max((math.dist(a, b) for a in ends for b in ends), default=0.0)

